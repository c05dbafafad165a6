/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the files of messages share, and what termination detection needs from them.
 *
 * A message space is a sealed memory file: a page that says what it is, a line for each member
 * (seats), the counters of the queues, and their slots. The queue from one member to another is a
 * ring with two counters, modulo 2^16: how many messages its sender has queued, which only the
 * sender writes, and how many its receiver has freed, which only the receiver writes. The counters
 * of the queues to one member are next to each other. So a receiver finds out who has sent by
 * comparing several counters at once with what it has taken, and a sender needs no atomic
 * operation but a store, and no fence.
 *
 * Another process may write anything to the file at any time. So the library reads each word of it
 * once, into a variable, and checks that before it uses it. The handle of a mailbox has its own
 * copy of all that the mailbox itself writes, and never reads that back.
 */
#ifndef HBS_MESSAGES_INTERNAL_H
#define HBS_MESSAGES_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* -fvisibility=hidden applies to everything but the public header */
#pragma GCC visibility push(default)
#include "../hbs_messages.h"
#pragma GCC visibility pop

#include "../checker.h"

/* The path of a message for which there is room, or which is there, has no calls */
#define MESSAGES_FAST static inline __attribute__((always_inline))
#define MESSAGES_SLOW static __attribute__((noinline))

#define MESSAGES_MAGIC	 0x6d65737361676573ULL
#define MESSAGES_VERSION 2
#define MESSAGES_LINE	 64

struct messages_page {
	uint64_t magic;
	uint32_t version;
	uint32_t members;
	uint32_t slot;
	uint32_t depth;
	_Atomic uint32_t shared; /* it was imported: not all that send are threads of one process */
	_Atomic uint32_t deaf;	 /* a process does not have membarrier() */
};

enum mailbox_state { MAILBOX_CLOSED, MAILBOX_OPEN };

/* A member's line, which seldom changes */
struct messages_seat {
	_Alignas(MESSAGES_LINE) _Atomic uint32_t state;
	/* for who sends to it: 0, or the number by which they wake it, as it sleeps, plus 1 */
	_Atomic uint32_t asleep;
};

struct message_slot {
	_Atomic uint32_t epoch;
	_Atomic uint32_t size;
	char payload[];
};

_Static_assert(offsetof(struct message_slot, payload) == HBS_MESSAGES_HEADER, "see there");

/* A counter of a queue, modulo 2^16 */
typedef _Atomic uint16_t message_counter;

/* Several counters */
typedef uintptr_t __attribute__((may_alias)) message_counters;
#define COUNTERS_AT_ONCE (sizeof(message_counters) / sizeof(message_counter))

/* Where all is in the file, and in the memory of this process */
struct messages_layout {
	uint32_t members;
	uint32_t slot;
	uint32_t depth;
	uint32_t row;  /* counters of the queues to one member, and some that are not used */
	uint64_t file; /* its number, for checkers */
	struct messages_seat *seats;
	message_counter *queued;
	message_counter *freed;
	char *slots;
};

struct hbs_messages {
	struct messages_layout layout;
	void *memory;
	uint64_t size;
	int fd;
	int guard;	       /* a member's byte is locked as long as its mailbox is open */
	bool alone;	       /* the guard is no open file of its own: see guard.h */
	_Atomic uint64_t *own; /* a bit for each member whose mailbox this handle has */
	pid_t pid;
	atomic_uint mailboxes;
};

/* A queue to another member */
struct outgoing {
	char *slots;
	uint16_t queued;
	uint16_t freed; /* at least so many */
	bool has_slot;	/* the sender has got one by hbs_message_alloc() */
};

/* A queue from another member */
struct incoming {
	char *slots;
	uint16_t queued; /* at least so many */
	uint16_t freed;
};

/* What hbs_idle_try() has left */
enum mailbox_rest {
	REST_NONE, /* the member is not idle */
	REST_IDLE,
	REST_OVER, /* it was, and its epoch is over, which it has not been told yet */
};

/* The error of a mailbox whose member is idle: who sends or receives comes to the slow path */
#define MAILBOX_RESTS (-EINPROGRESS)

struct hbs_mailbox {
	struct messages_layout layout;
	struct outgoing *out; /* by receiver */
	struct incoming *in;  /* by sender */
	uint16_t *taken;      /* by sender, as the counters are */
	uint32_t member;
	uint32_t epoch;
	uint32_t from;	  /* whose turn it is */
	uint32_t in_turn; /* messages that were received in this turn */
	int error;	  /* a number in the memory was wrong; or MAILBOX_RESTS */
	uint64_t sent;
	uint64_t freed;
	uint64_t told; /* sent less freed, when it was asked last */
	uint32_t held; /* received and not freed */
	struct hbs_member *bound;
	bool has_freed;
	struct hbs_messages *messages;
	/* of members that are idle */
	enum mailbox_rest rest;
	int vote;
	uint64_t value;
	bool has_asked;	       /* for its number */
	int number;	       /* by which others wake it, or an error: nobody can */
	bool lies;	       /* its word is set, unless a sender has taken it back */
	uint64_t again;	       /* when to look again though it lies; DEADLINE_NEVER */
	bool polls;	       /* its member has had a descriptor for it */
	uint64_t freed_before; /* when the epoch began */
	uint64_t expected;     /* how many messages the last epoch has brought */
	uint32_t patience; /* how often to look for one before the member says that it is idle */
};

static inline message_counter *queued_of(const struct messages_layout *layout, uint32_t to,
					 uint32_t from)
{
	return &layout->queued[(size_t)to * layout->row + from];
}

static inline message_counter *freed_of(const struct messages_layout *layout, uint32_t to,
					uint32_t from)
{
	return &layout->freed[(size_t)to * layout->row + from];
}

static inline char *slots_of(const struct messages_layout *layout, uint32_t to, uint32_t from)
{
	size_t queue = (size_t)to * layout->members + from;

	return layout->slots + queue * layout->depth * layout->slot;
}

/* The slot of a message, in the slots of its queue */
static inline struct message_slot *slot_of(const struct messages_layout *layout, char *slots,
					   uint16_t number)
{
	size_t slot = number & (layout->depth - 1);

	return (struct message_slot *)(slots + slot * layout->slot);
}

/*
 * What checkers are told: the sender's stores come before what the receiver does with the message,
 * and the receiver's uses of the slot before the sender's next one. This is the same for all
 * handles of a message space in a process.
 */
enum checked_order { CHECKED_MESSAGE, CHECKED_SLOT, CHECKED_MAILBOX };

void hbsi_messages_before(const struct messages_layout *layout, enum checked_order what,
			  uint32_t to, uint32_t from);
void hbsi_messages_after(const struct messages_layout *layout, enum checked_order what, uint32_t to,
			 uint32_t from);

/* receive.c: whether there is a message to receive, also while the mailbox rests */
int hbsi_mailbox_peek(struct hbs_mailbox *mailbox);

/* idle.c: the member sends or receives, hence is not idle any more; 0 or an error */
int hbsi_mailbox_stir(struct hbs_mailbox *mailbox);
/* It does not lie any more, whatever else */
void hbsi_mailbox_rise(struct hbs_mailbox *mailbox);
/* Nobody but senders looks at its word any more */
void hbsi_mailbox_end_poll(struct hbs_mailbox *mailbox);
/* Wake the receiver, who sleeps, or did a moment ago */
void hbsi_mailbox_wake(struct hbs_mailbox *mailbox, uint32_t to);

static inline void checked_before(const struct messages_layout *layout, enum checked_order what,
				  uint32_t to, uint32_t from)
{
	if (__builtin_expect(hbsi_checked, 0))
		hbsi_messages_before(layout, what, to, from);
}

static inline void checked_after(const struct messages_layout *layout, enum checked_order what,
				 uint32_t to, uint32_t from)
{
	if (__builtin_expect(hbsi_checked, 0))
		hbsi_messages_after(layout, what, to, from);
}

/*
 * For termination detection (tests/models/messages.pml). A message counts as sent before it is
 * in a queue, and as freed when its receiver frees it.
 */

/*
 * How many messages the member has sent less those that it has freed, and whether it has freed
 * any, since this was asked last or the mailbox was opened
 */
int64_t hbsi_mailbox_balance(struct hbs_mailbox *mailbox, bool *has_freed);

/*
 * The epoch that the member is in, modulo 2^32; 0 in a new mailbox. Its messages carry it. A
 * message of the next epoch stays in its queue until the receiver is there too. One of any
 * other epoch is an error, because an epoch ends only when all its messages have been freed. So
 * hbs_message_can_recv() says whether there is a message of the member's own epoch.
 */
void hbsi_mailbox_set_epoch(struct hbs_mailbox *mailbox, uint32_t epoch);

#endif /* HBS_MESSAGES_INTERNAL_H */
