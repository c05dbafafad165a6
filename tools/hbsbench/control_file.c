// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "control_file.h"

bool control_write(const char *folder, const char *name, const char *text)
{
	ssize_t length = (ssize_t)strlen(text), written;
	char path[PATH_MAX];
	int fd, error;

	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return false;
	}
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	written = write(fd, text, (size_t)length);
	error = errno;
	close(fd);
	errno = error;
	return written == length;
}
