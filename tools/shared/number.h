/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHARED_NUMBER_H
#define SHARED_NUMBER_H

#include <stdbool.h>

/**
 * number_parse() - a whole number that an option has
 * @option: without "--", for the message
 * @text: decimal digits alone
 * @least: the smallest number that is right
 * @most: the greatest
 * @value: the number
 *
 * Return: false, with a message that names the program, the option and the text, if it is
 * no such number.
 */
bool number_parse(const char *option, const char *text, unsigned long least, unsigned long most,
		  unsigned long *value);

#endif /* SHARED_NUMBER_H */
