/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Standard output, of which nothing is lost unnoticed */
#ifndef SHARED_STANDARD_H
#define SHARED_STANDARD_H

/**
 * standard_start() - to be called before anything else
 * @program: for the message
 * @status: exit status of a program that could not write all of its standard output
 *
 * When the program ends, standard output is flushed, and what could not be written to it is an
 * error. A reader who has gone is an error of what is written to it, and no signal. A
 * descriptor 0 to 2 that is closed does not become some other file that is opened later.
 */
void standard_start(const char *program, int status);

#endif /* SHARED_STANDARD_H */
