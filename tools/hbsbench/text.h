/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text from elsewhere: from a file, the environment or another library */
#ifndef HBSBENCH_TEXT_H
#define HBSBENCH_TEXT_H

#include <stdbool.h>

/*
 * Whether it is valid UTF-8 without a control character. Such a character could move the
 * cursor of a terminal, or end a line in a format in which a line means something.
 */
bool text_printable(const char *text);

/* Make it so: any other character becomes "?" */
void text_clean(char *text);

#endif /* HBSBENCH_TEXT_H */
