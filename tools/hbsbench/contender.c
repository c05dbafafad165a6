// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <string.h>

#include "contender.h"
#include "hbs_algorithms.h"

const struct contender *contender_at(size_t index)
{
	size_t i = 0;

	while (i < index && contenders[i])
		i++;
	if (contenders[i])
		return contenders[i];
	/* algorithm 0 is "auto", which is the contender "hbs" */
	return hbs_algorithm_contender(
		(struct algorithm_choice){ .algorithm = (uint32_t)(index - i) + 1 });
}

const struct contender *contender_find(const char *name)
{
	struct algorithm_choice choice;

	for (size_t i = 0; contenders[i]; i++)
		if (!strcmp(contenders[i]->name, name))
			return contenders[i];
	return hbs_algorithm_named(name, &choice) ? hbs_algorithm_contender(choice) : NULL;
}

const char *contender_make(const struct contender *contender, unsigned int members, bool shared)
{
	const char *why = contender->open ? contender->open(contender) : NULL;

	if (!why && contender->make)
		why = contender->make(contender, members, shared);
	return why;
}
