/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text that was made elsewhere: by a file, the environment or another library */
#ifndef HBSBENCH_TEXT_H
#define HBSBENCH_TEXT_H

#include <stdbool.h>

/*
 * Is it valid UTF-8, without a control character? Such a character could move the cursor of a
 * terminal, or end a line of a format in which a line means something.
 */
bool text_printable(const char *text);

/* Make it so: what is not becomes "?" */
void text_clean(char *text);

#endif /* HBSBENCH_TEXT_H */
