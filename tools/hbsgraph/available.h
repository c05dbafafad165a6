/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether there is memory for something, before it is begun */
#ifndef HBSGRAPH_AVAILABLE_H
#define HBSGRAPH_AVAILABLE_H

#include <stdbool.h>

/**
 * available_suffices() - whether there are so many bytes of memory
 * @what: that takes them, for the message
 * @bytes: how many
 * @advice: what takes less
 *
 * An allocation that succeeds is no proof, since the kernel promises more than it has.
 *
 * Return: false, with a message on stderr, if the kernel says that less is available.
 */
bool available_suffices(const char *what, double bytes, const char *advice);

#endif /* HBSGRAPH_AVAILABLE_H */
