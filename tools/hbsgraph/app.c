// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "app.h"

static const struct app *const apps[] = { &app_sssp, &app_pagerank, &app_heat, NULL };

const struct app *app_number(unsigned int number)
{
	return apps[number];
}

const struct app *app_find(const char *name)
{
	for (unsigned int i = 0; apps[i]; i++)
		if (!strcmp(apps[i]->name, name))
			return apps[i];
	return NULL;
}
