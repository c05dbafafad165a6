/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the library says on standard error */
#ifndef HBS_SAY_H
#define HBS_SAY_H

/* If standard error is a file that may not grow, say nothing; and no signal comes of it. */
void hbsi_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* HBS_SAY_H */
