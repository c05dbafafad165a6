/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory files that processes share by a descriptor. The size of such a file is sealed, because
 * its maker could otherwise cut it off under the mappings of others, which would be a SIGBUS
 * there.
 */
#ifndef HBS_SEALED_H
#define HBS_SEALED_H

#include <fcntl.h>
#include <stdint.h>

#define SEALED_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)
#define SEALED_PAGE  4096

/* The size of a file that has to hold @size bytes */
static inline uint64_t sealed_size(uint64_t size)
{
	return (size + SEALED_PAGE - 1) / SEALED_PAGE * SEALED_PAGE;
}

/* Return: the descriptor of a new file full of zeros, or an error */
int hbsi_sealed_create(const char *name, uint64_t size);

/* Map all of it. A child of fork() does not get the mapping. */
int hbsi_sealed_map(int fd, uint64_t size, void **memory);

/*
 * Map all of a file that another process may have made. Return: 0; -EINVAL if it has not those
 * seals, cannot be written, or has less than a page or more than @most bytes; -ENOMEM.
 */
int hbsi_sealed_import(int fd, uint64_t most, void **memory, uint64_t *size);

#endif /* HBS_SEALED_H */
