/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A card faked below the system calls of libhbs (linked with --wrap), to test the
 * card backend where there is none. It keeps ports and groups as the driver does.
 * The test plays the hardware: it looks at the lanes and sets records.
 */
#ifndef TEST_FAKE_CARD_H
#define TEST_FAKE_CARD_H

#include <stdint.h>

#include <linux/hbs.h>

#define FAKE_PORTS  4
#define FAKE_GROUPS 3

struct fake_port {
	int taken;
	volatile uint64_t *map;	   /* NULL: not mapped */
	volatile uint64_t *memory; /* likewise */
	struct hbs_waits *waits;   /* likewise */
	unsigned int joined;	   /* bit for each group */
	unsigned int died;	   /* likewise: memberships that ended so */
};

struct fake_card {
	struct fake_port ports[FAKE_PORTS];
	unsigned int next_group;
	volatile uint64_t *records[FAKE_GROUPS];
	unsigned int record_pages;   /* number of records of a group; a join gives the last one */
	int no_memory;		     /* a driver that is older than ports' memory */
	int no_waits;		     /* a driver that is older than ports' waits */
	int fail_waits;		     /* errno of each mmap of them */
	uint64_t words[FAKE_GROUPS]; /* given to members that join */
	uint64_t features;
	struct hbs_group_create created; /* the latest */
	uint64_t tag;			 /* of the latest join; of all that are missing */
	int fail_errno;			 /* errno of the next call of fail_command */
	unsigned int fail_command;
	unsigned int calls[256]; /* by command */
	uint64_t wait_word;	 /* of the latest wait: given */
	uint64_t wait_deadline;
	uint64_t wait_result; /* to be returned, and to be in the record */
	int wait_hides;	      /* so many times not in the record */
	uint64_t result;      /* to be returned by a wait, */
	uint64_t result_word; /* with the word that it came with */
	uint64_t seen;	      /* of the latest reopen */
	int fail_map;	      /* errno of the next mmap of a descriptor */
	int open_errno[4];    /* for /dev/hbs0, 1, 2 and 3; -1: it is a card */
};

extern struct fake_card fake;

void fake_reset(void);
volatile uint64_t *fake_lane(unsigned int port, unsigned int group);
/* This replaces the lane in the port's memory */
volatile uint64_t *fake_memory(unsigned int port, unsigned int group);
unsigned int fake_ports_taken(void);

#endif /* TEST_FAKE_CARD_H */
