/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that a program replaces as a whole, or not at all */
#ifndef SHARED_REPLACE_H
#define SHARED_REPLACE_H

#include <limits.h>
#include <stddef.h>
#include <sys/uio.h>

/**
 * struct replacement - where something will be written
 * @path: the file to replace, at the end of all symbolic links
 * @fd: a file that is not regular, to write to instead of replacing it; else -1
 */
struct replacement {
	char path[PATH_MAX];
	int fd;
};

/**
 * replace_prepare() - find out early whether @path can be written
 * @replacement: out; replace_write() or replace_forget() ends it
 * @path: a regular file, or none yet, which is replaced when its content is complete; or
 *	anything else that can be written to (a pipe, a device, a descriptor as
 *	/dev/stdout), which stays what it is. A symbolic link stays too.
 *
 * This waits for a reader of a pipe, 5 s at most. It does not touch what is there.
 *
 * Return: NULL, or what is wrong; then there is nothing to end.
 */
const char *replace_prepare(struct replacement *replacement, const char *path);

/**
 * replace_write() - write all of it
 * @data: the content of the file, @size bytes
 *
 * At any time, a reader of a regular file finds either all of the old content or all of
 * the new. No signal but SIGKILL leaves another file beside it. A replaced file keeps its
 * mode, and its owner if that is allowed.
 *
 * Return: NULL, or what is wrong; then a regular file has its old content still.
 */
const char *replace_write(struct replacement *replacement, const void *data, size_t size);

/* The same, with what @count parts have, one after the other */
const char *replace_write_parts(struct replacement *replacement, const struct iovec *parts,
				size_t count);

/* Write nothing. This does nothing after one of these. */
void replace_forget(struct replacement *replacement);

#endif /* SHARED_REPLACE_H */
