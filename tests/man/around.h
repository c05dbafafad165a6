/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the examples of the manual pages have around them: a program of their reader */
#include <errno.h>
#include <hbs.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>

extern struct hbs *hbs;
extern struct hbs_group *group;
extern struct hbs_member *me;
extern int ret, rank, step, steps, socket;
extern uint64_t worst, tolerance;

void work(int step);
uint64_t residual(void);
void serve(int socket);
void tell_who_is_missing(struct hbs_group *group);

void example(void);
