// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "arguments.h"
#include "help.h"

static const struct option common[] = { ARGUMENTS_COMMON, { NULL, 0, NULL, 0 } };

static bool takes_text(unsigned int takes, const char *text, struct target *target)
{
	if (takes & TAKES_PROCESS && target_parse_process(text, target))
		return true;
	if (!target_parse_card(text, target))
		return false;
	return takes & (target->has_group ? TAKES_GROUP : TAKES_CARD);
}

static const char *kinds(unsigned int takes)
{
	if (takes & TAKES_PROCESS && takes & TAKES_CARD)
		return "a card (hbs0), a group (hbs0/3), a process (1234) or a descriptor of one "
		       "(1234/5)";
	if (takes & TAKES_PROCESS)
		return "a group (hbs0/3), a process (1234) or a descriptor of one (1234/5)";
	if (takes & TAKES_CARD && takes & TAKES_GROUP)
		return "a card (hbs0) or a group (hbs0/3)";
	return takes & TAKES_CARD ? "a card (hbs0)" : "an argument";
}

static bool read_target(int argc, char **argv, unsigned int takes, struct target *target)
{
	const char *command = argv[0];

	*target = (struct target){ 0 };
	if (optind == argc) {
		if (takes & NEEDS_ONE)
			fprintf(stderr, "hbsctl: %s needs %s\n", command, kinds(takes));
		return !(takes & NEEDS_ONE);
	}
	if (optind + 1 < argc || !takes) {
		fprintf(stderr, "hbsctl: %s takes %s: '%s' is too much\n", command,
			takes ? "one argument" : "no argument", argv[takes ? optind + 1 : optind]);
		return false;
	}
	if (takes_text(takes, argv[optind], target))
		return true;
	fprintf(stderr, "hbsctl: %s: '%s' is not %s\n", command, argv[optind], kinds(takes));
	return false;
}

bool arguments_read(int argc, char **argv, unsigned int takes, const char *options,
		    const struct option *long_options, bool (*take)(int option, void *own),
		    void *own, struct arguments *arguments, enum status *status)
{
	int option;

	*arguments = (struct arguments){ 0 };
	*status = STATUS_USAGE;
	while ((option = getopt_long(argc, argv, options ? options : "jh",
				     long_options ? long_options : common, NULL)) != -1) {
		switch (option) {
		case 'j':
			arguments->json = true;
			break;
		case 'h':
			help_command(argv[0], stdout);
			*status = STATUS_GOOD;
			return false;
		case '?':
			fprintf(stderr, "hbsctl: try: hbsctl %s --help\n", argv[0]);
			return false;
		default:
			if (!take(option, own))
				return false;
		}
	}
	return read_target(argc, argv, takes, &arguments->target);
}

bool arguments_read_common(int argc, char **argv, unsigned int takes, struct arguments *arguments,
			   enum status *status)
{
	return arguments_read(argc, argv, takes, NULL, NULL, NULL, NULL, arguments, status);
}
