/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options and arguments of the commands */
#ifndef HBSCTL_ARGUMENTS_H
#define HBSCTL_ARGUMENTS_H

#include <getopt.h>
#include <stdbool.h>

#include "status.h"
#include "target.h"

/* What kinds of target a command takes, as bits */
#define TAKES_CARD    0x1u
#define TAKES_GROUP   0x2u
#define TAKES_PROCESS 0x4u
#define NEEDS_ONE     0x8u /* it has to be there */

/* For the options of a command that are its own */
#define ARGUMENTS_COMMON                       \
	{ "json", no_argument, NULL, 'j' },    \
	{                                      \
		"help", no_argument, NULL, 'h' \
	}

/**
 * struct arguments - what the user wants
 * @json: as JSON
 * @target: of what
 */
struct arguments {
	bool json;
	struct target target;
};

/**
 * arguments_read() - read the options and arguments of a command
 * @takes: TAKES_ bits
 * @options: short ones as of getopt(3), with "jh" among them, or NULL for these alone
 * @long_options: the long ones, or NULL for ARGUMENTS_COMMON
 * @take: takes an option that is not common, and says on stderr if its argument is wrong
 * @own: for @take
 * @arguments: out
 *
 * Return: whether to go on. If not, *status is the exit status: the help is printed, or stderr
 * says what is wrong.
 */
bool arguments_read(int argc, char **argv, unsigned int takes, const char *options,
		    const struct option *long_options, bool (*take)(int option, void *own),
		    void *own, struct arguments *arguments, enum status *status);

/* The same for a command that has the common options only */
bool arguments_read_common(int argc, char **argv, unsigned int takes, struct arguments *arguments,
			   enum status *status);

#endif /* HBSCTL_ARGUMENTS_H */
