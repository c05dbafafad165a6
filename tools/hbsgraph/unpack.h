/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files as they are, or packed by gzip or zstd: readers find the same text */
#ifndef HBSGRAPH_UNPACK_H
#define HBSGRAPH_UNPACK_H

#include <stdio.h>

struct unpack;

/**
 * unpack_open() - read a file, unpacked if it is packed
 * @fd: the file, at its beginning; fclose() of the stream leaves it open
 * @stream: out: a stream of what is in it. Its first bytes tell whether it is packed, and by what
 *
 * Return: for unpack_wrong(), until fclose(); NULL if there is no memory, or the file cannot be
 * read, with errno.
 */
struct unpack *unpack_open(int fd, FILE **stream);

/* What was wrong when the stream had an error: with the file, or with what is packed in it */
const char *unpack_wrong(const struct unpack *unpack);

#endif /* HBSGRAPH_UNPACK_H */
