/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Descriptors that poll readable when a member's barrier is over */
#ifndef HBS_SOFTWARE_POLL_H
#define HBS_SOFTWARE_POLL_H

#include <stdint.h>

struct hbs_member;
struct software;

/* See hbs_member_fd(). -EOPNOTSUPP if others wait for what the member does in a wait */
int hbsi_soft_member_fd(struct hbs_member *member);
int hbsi_soft_idle_fd(struct hbs_member *member, const _Atomic uint32_t *asleep);
void hbsi_soft_idle_fd_end(struct hbs_member *member);

/* The member, which is marked as dead, is about to lose its seat */
void hbsi_soft_poll_die(struct hbs_member *member);

/* The member has lost it: its descriptor says that there is news, for ever */
void hbsi_soft_poll_tell(struct hbs_member *member);

/* The member leaves: close its descriptor */
void hbsi_soft_poll_end(struct hbs_member *member);

/* The handle of the group is closed: its members have left */
void hbsi_soft_poll_close(struct software *software);

/* As hbsi_soft_poll_end(), for the copy in a child of fork, which does not have the thread */
void hbsi_soft_poll_forget(struct hbs_member *member);

#endif /* HBS_SOFTWARE_POLL_H */
