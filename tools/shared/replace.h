/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that are replaced as a whole, or not at all */
#ifndef SHARED_REPLACE_H
#define SHARED_REPLACE_H

#include <limits.h>
#include <stddef.h>

/**
 * struct replacement - where something will be written
 * @path: the file that is replaced, at the end of all symbolic links
 * @fd: what is no regular file, and therefore is written to, not replaced; else -1
 */
struct replacement {
	char path[PATH_MAX];
	int fd;
};

/**
 * replace_prepare() - find out whether @path can be written, long before it is
 * @replacement: out; replace_write() or replace_forget() ends it
 * @path: a regular file, or none yet, which is replaced when its content is complete; or
 *	anything else that can be written to (a pipe, a device, a descriptor as
 *	/dev/stdout), which stays what it is. A symbolic link stays too.
 *
 * A pipe without a reader is waited for, 5 s at most. What is there is not touched.
 *
 * Return: NULL, or what is wrong; then there is nothing to end.
 */
const char *replace_prepare(struct replacement *replacement, const char *path);

/**
 * replace_write() - write all of it
 * @data: the content of the file, @size bytes
 *
 * Whoever reads the path of a regular file finds all that was there or all that is new, at
 * any time. No signal but SIGKILL leaves another file beside it. A file that is replaced
 * keeps its mode, and its owner if that is allowed.
 *
 * Return: NULL, or what is wrong; then what was there still is, but for what is not a
 * regular file.
 */
const char *replace_write(struct replacement *replacement, const void *data, size_t size);

/* Write nothing. After replace_write() it does nothing. */
void replace_forget(struct replacement *replacement);

#endif /* SHARED_REPLACE_H */
