// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "status.h"

enum status status_of_errno(int error)
{
	switch (error) {
	case 0:
		return STATUS_GOOD;
	case EPERM:
	case EACCES:
		return STATUS_RIGHTS;
	case ENODEV:
	case ENOENT:
	case ESRCH:
		return STATUS_ABSENT;
	default:
		return STATUS_FAILED;
	}
}
