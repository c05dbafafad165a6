/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the examples of the manual pages have around them: a program of their reader */
#include <errno.h>
#include <hbs.h>
#include <hbs_messages.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>

extern struct hbs *hbs;
extern struct hbs_group *group;
extern struct hbs_member *me;
extern struct hbs_messages *messages;
extern struct hbs_mailbox *mailbox;
extern struct hbs_message message;
extern struct pollfd fds[2];
extern int ret, rank, step, steps, socket;
extern uint64_t worst, tolerance, epoch;

void work(int step);
uint64_t residual(void);
void serve(int socket);
int has_message(uint64_t epoch);
uint64_t do_what_it_asks(uint64_t epoch);
void tell_who_is_missing(struct hbs_group *group);

void example(void);
