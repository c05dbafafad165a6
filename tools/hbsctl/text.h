/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text from elsewhere: names of threads, messages of the kernel, what is in /proc */
#ifndef HBSCTL_TEXT_H
#define HBSCTL_TEXT_H

#include <stddef.h>

/* Room for @n characters of any text, escaped */
#define TEXT_SIZE(n) (4 * (n) + 1)

/**
 * text_escape() - make a text harmless to terminals, and valid in JSON
 * @escaped: out
 * @size: its size; what does not fit is left out
 * @text: the text
 *
 * Only printable ASCII stays what it is, so that a text has as many columns as characters. Any
 * other byte becomes \xNN, and a backslash two of them, so the result is unambiguous.
 *
 * Return: @escaped.
 */
const char *text_escape(char *escaped, size_t size, const char *text);

#endif /* HBSCTL_TEXT_H */
