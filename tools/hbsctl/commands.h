/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands; each returns the exit status */
#ifndef HBSCTL_COMMANDS_H
#define HBSCTL_COMMANDS_H

#include "status.h"

enum status command_list(int argc, char **argv);
enum status command_show(int argc, char **argv);
enum status command_groups(int argc, char **argv);
enum status command_ports(int argc, char **argv);
enum status command_monitor(int argc, char **argv);
enum status command_top(int argc, char **argv);
enum status command_why(int argc, char **argv);
enum status command_reset(int argc, char **argv);
enum status command_limits(int argc, char **argv);
enum status command_selftest(int argc, char **argv);
enum status command_stats(int argc, char **argv);

#endif /* HBSCTL_COMMANDS_H */
