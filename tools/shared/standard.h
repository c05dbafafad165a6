/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Standard output, with an error for everything that could not be written */
#ifndef SHARED_STANDARD_H
#define SHARED_STANDARD_H

/**
 * standard_start() - call this before anything else
 * @program: for the message
 * @status: exit status of a program that could not write all of its standard output
 *
 * When the program ends, it flushes standard output, and output that could not be written is
 * an error. A write to a reader that has gone is an error, and gives no signal. If a
 * descriptor 0 to 2 is closed, no file that the program opens later takes its number.
 */
void standard_start(const char *program, int status);

#endif /* SHARED_STANDARD_H */
