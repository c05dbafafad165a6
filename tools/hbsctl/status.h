/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exit statuses, as the manual page has them */
#ifndef HBSCTL_STATUS_H
#define HBSCTL_STATUS_H

enum status {
	STATUS_GOOD = 0,
	STATUS_FAILED = 1, /* what was asked for failed */
	STATUS_USAGE = 2,
	STATUS_RIGHTS = 3, /* this user may not do that */
	STATUS_ABSENT = 4, /* no such card, group or process, or no driver */
};

/* The status for an error number, as the kernel gives them */
enum status status_of_errno(int error);

#endif /* HBSCTL_STATUS_H */
