// SPDX-License-Identifier: GPL-2.0-or-later
#include <limits.h>
#include <string.h>

#include "target.h"

/* A number without zeros in front, up to @most. Return: what follows it, or NULL. */
static const char *parse_number(const char *text, uint32_t most, uint32_t *number)
{
	uint64_t value = 0;
	const char *end = text;

	for (; *end >= '0' && *end <= '9'; end++) {
		value = 10 * value + (uint64_t)(*end - '0');
		if (value > most)
			return NULL;
	}
	if (end == text || (*text == '0' && end > text + 1))
		return NULL;
	*number = (uint32_t)value;
	return end;
}

/* What may follow a first number: nothing, or "/" and a second one */
static bool parse_second(const char *text, uint32_t most, bool *has, uint32_t *number)
{
	*has = *text == '/';
	if (*has)
		text = parse_number(text + 1, most, number);
	return text && !*text;
}

bool target_parse_card(const char *text, struct target *target)
{
	*target = (struct target){ .has_card = true };
	if (!strncmp(text, "/dev/", 5))
		text += 5;
	if (strncmp(text, "hbs", 3))
		return false;
	text = parse_number(text + 3, TARGET_CARD_MAX, &target->card);
	return text && parse_second(text, TARGET_GROUP_MAX, &target->has_group, &target->group);
}

bool target_parse_process(const char *text, struct target *target)
{
	*target = (struct target){ .has_pid = true };
	text = parse_number(text, INT_MAX, &target->pid);
	return text && target->pid && parse_second(text, INT_MAX, &target->has_fd, &target->fd);
}
