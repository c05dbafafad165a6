/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HBSCTL_SYSCALLS_H
#define HBSCTL_SYSCALLS_H

/* The name of a system call of programs like this one, or NULL */
const char *syscalls_name(unsigned long number);

#endif /* HBSCTL_SYSCALLS_H */
