/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands; each returns the exit status */
#ifndef HBSBENCH_COMMANDS_H
#define HBSBENCH_COMMANDS_H

enum {
	STATUS_GOOD = 0,
	STATUS_FOUND = 1, /* a failure or a change */
	STATUS_ERROR = 2,
};

int command_run(int argc, char **argv);
int command_check(int argc, char **argv);
int command_show(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_list(int argc, char **argv);
int command_tune(int argc, char **argv);

#endif /* HBSBENCH_COMMANDS_H */
