/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Groups of the software backend that a process has */
#ifndef HBSCTL_SOFTWARE_GROUPS_H
#define HBSCTL_SOFTWARE_GROUPS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "fields.h"
#include "status.h"
#include "target.h"

/* A process that has more is not shown in full */
#define SOFTWARE_GROUPS_MAX 256

/* A group: a descriptor of ours, and the number of the process's */
struct software_group {
	int fd;
	uint32_t number;
	dev_t device;
	ino_t inode;
};

/* The groups of a process, or the one that a descriptor of it is of */
struct software_groups {
	const struct target *target;
	struct software_group found[SOFTWARE_GROUPS_MAX];
	size_t count;
	int error;
};

/*
 * Find and open them. Return: the exit status; stderr says what cannot be seen. Whatever it is,
 * software_groups_close() has to follow.
 */
enum status software_groups_open(const struct target *target, struct software_groups *groups);
void software_groups_close(struct software_groups *groups);

/* Say that one of them cannot be read. Return: the exit status. */
enum status software_groups_damaged(const struct software_groups *groups, size_t i);

/* As the user may write it */
void software_groups_name(const struct software_groups *groups, size_t i,
			  char name[FIELD_TEXT_SIZE]);

#endif /* HBSCTL_SOFTWARE_GROUPS_H */
