/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers that users and files write */
#ifndef HBS_NUMBER_H
#define HBS_NUMBER_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* Is @text a whole number of at most @most, and nothing else? errno may change. */
static inline bool number_read(const char *text, uint64_t most, uint64_t *number)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	/* strtoull takes signs and blanks */
	if (errno || *end || *text < '0' || *text > '9' || value > most)
		return false;
	*number = value;
	return true;
}

#endif /* HBS_NUMBER_H */
