/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a command is about: names of cards, groups and software groups */
#ifndef HBSCTL_TARGET_H
#define HBSCTL_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#define TARGET_CARD_MAX	 255
#define TARGET_GROUP_MAX 127

/**
 * struct target - a card, or a group of one; or a process, or a descriptor of one
 * @has_card: it is a card or a group of one, and @card is its number
 * @has_group: it is a group, @group
 * @has_pid: it is a process, @pid
 * @has_fd: it is a descriptor of that process, @fd
 */
struct target {
	bool has_card;
	bool has_group;
	bool has_pid;
	bool has_fd;
	uint32_t card;
	uint32_t group;
	uint32_t pid;
	uint32_t fd;
};

/* "hbs0", "/dev/hbs0" or "hbs0/3". Return: whether @text is such a name. */
bool target_parse_card(const char *text, struct target *target);

/* "1234" or "1234/5" */
bool target_parse_process(const char *text, struct target *target);

#endif /* HBSCTL_TARGET_H */
