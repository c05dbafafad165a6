// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "context.h"
#include "shared/variables.h"

bool context_backend(const char *text, struct hbs_attr *attr)
{
	static const char *const names[] = { "any", "card", "software" };

	for (attr->backend = 0; attr->backend < 3; attr->backend++)
		if (!strcmp(text, names[attr->backend]))
			return true;
	fprintf(stderr, "hbsgraph: --backend: '%s' is not any, card or software\n", text);
	return false;
}

struct hbs *context_open(const struct hbs_attr *attr)
{
	struct hbs *hbs;
	char set[400];
	int ret = hbs_open(&hbs, attr);

	if (!ret)
		return hbs;
	fprintf(stderr, "hbsgraph: %s: %s%s\n", attr->device ? attr->device : "--backend",
		hbs_strerror(ret), variables_set(set, sizeof(set)));
	return NULL;
}
