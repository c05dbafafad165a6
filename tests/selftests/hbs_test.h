/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tests over the raw uapi share. All functions return 0 or -errno unless
 * their comment says otherwise; none asserts, so that threads and children can use
 * them too.
 */
#ifndef HBS_TEST_H
#define HBS_TEST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/hbs.h>

#include "../passing.h"

/* A port, its mapping, and the mappings of its memory and of its waits */
struct port {
	int card;
	uint32_t number;
	void *map;
	size_t size;
	off_t offset;
	void *memory;
	size_t memory_size;
	off_t memory_offset;
	struct hbs_waits *waits;
	size_t waits_size;
	off_t waits_offset;
};

/* A group, its mapping and its ways */
struct group {
	int fd;
	uint32_t number;
	void *map;
	size_t size;
	enum hbs_arrival arrival;
	enum hbs_departure departure;
};

/* A port's membership in a group */
struct member {
	int group;
	int card;
	uint32_t port;
	volatile uint64_t *arrival;
	volatile uint64_t *departure;
	volatile uint64_t *line;	 /* NULL if it arrives by a store to @arrival */
	const volatile uint64_t *record; /* or whatever shows it the release */
	uint64_t word;
};

/* The card's counts of what is in use */
#define HBS_USAGE_COUNT 6
struct usage {
	long value[HBS_USAGE_COUNT];
};

/* Which emulation the guest runs under: HBS_TEST_ACCEL, "single" by default */
bool accel_is(const char *name);
/* A number from the environment */
long env_long(const char *name, long fallback);
unsigned int cpus(void);
double seconds(void);
uint64_t monotonic_ns(void);
uint64_t next_epoch(uint64_t word); /* of a barrier that is over */
void sleep_ms(unsigned int ms);

/*
 * How many epochs a storm has: as many as the machine does before @end, but at least @least and at
 * most @epochs. Member 0 names the last one before it arrives in it, so all members know it after.
 */
struct length {
	unsigned int least;
	double end;
	atomic_uint epochs;
};

struct length length_of_storm(unsigned int epochs);
/* Each member asks this before each epoch */
bool length_has(struct length *length, unsigned int member, unsigned int epoch);

/* ioctl(2), with -errno */
int hbs_ioctl(int fd, unsigned long request, void *arg);

/* "hbsN" of the card number @index in order of N; NULL if there is none */
const char *card_name(unsigned int index);
/* Returns a descriptor of that card */
int card_open_index(unsigned int index);
int card_open(void);
int card_info(int card, struct hbs_info *info);
/* Waits until a card is there, for at most @timeout_s */
int card_wait(double timeout_s);
/* The PCI address of that card, and what sysfs can do with it */
int card_pci_name(unsigned int index, char *name, size_t size);
int card_bind(const char *pci_name);
int card_unbind(const char *pci_name);
/* Writes to /sys/bus/pci/devices/@pci_name/@file */
int card_pci_write(const char *pci_name, const char *file, const char *text);
/* Sets or clears bits of the card's PCI_COMMAND */
int card_pci_command(const char *pci_name, uint16_t bits, bool on);
int write_file(const char *path, const char *text);
/* Reads what @text has room for, a final 0 included */
int read_file(const char *path, char *text, size_t size);
/* An attribute of the first card in sysfs, or one of its counts in debugfs */
int card_attribute(const char *name, long *value);
long pages_held(void); /* by the driver, or -1 */

int port_alloc(int card, struct port *port);	  /* and map */
int port_alloc_only(int card, struct port *port); /* and do not map */
int port_map(struct port *port);
int port_unmap(struct port *port);
int port_map_memory(struct port *port);
int port_unmap_memory(struct port *port);
int map_as(int fd, off_t offset, size_t size, int prot, int flags); /* it stays mapped */
int port_map_waits(struct port *port);
int port_unmap_waits(struct port *port);
int port_alloc_for(const struct group *group, int card, struct port *port); /* with memory if */
int port_free(struct port *port);					    /* unmaps first */

int group_create(int card, uint32_t members, struct group *group); /* and map */
/* The same, with the reduction, policy, timeout and ways of @with */
int group_create_with(int card, uint32_t members, const struct hbs_group_create *with,
		      struct group *group);
int group_adopt(int fd, struct group *group); /* map one that came by other means */
int group_close(struct group *group);
int group_info(int fd, struct hbs_group_info *info);
int group_counters(int fd, struct hbs_group_counters *counters);
int group_destroy(int fd);
int group_reopen(int fd, uint64_t word);			 /* returns a descriptor */
int group_reopen_as(const struct member *member, uint64_t word); /* HBS_REOPEN_MEMBER */
int group_wake(int fd, uint32_t port);
int group_wait(int fd, uint64_t *word); /* HBS_GROUP_WAIT */
int group_wait_until(int fd, uint64_t *word, uint64_t deadline_ns);
int group_reset(int fd);
/* HBS_GROUP_MISSING; @state may be NULL. Returns how many are missing */
int group_missing(int fd, struct hbs_missing *list, uint32_t room, struct hbs_group_missing *state);
long group_timeouts(int fd); /* of HBS_GROUP_INFO */

int join(const struct group *group, const struct port *port, struct member *member);
int leave(struct member *member);
int leave_died(struct member *member); /* HBS_LEAVE_DIED */
void arrive(struct member *member);
void arrive_value(struct member *member, uint64_t value);
uint64_t result(const struct member *member);
bool released(const struct member *member);
int wait_spin(struct member *member);  /* spin until released */
int wait_sleep(struct member *member); /* HBS_GROUP_WAIT until released */
int barrier(struct member *member);    /* arrive and wait_spin */
int barrier_sleep(struct member *member);
int word_error(uint64_t word); /* a broken word's -errno, else 0 */

/* Port, group and membership of a group of @members, all in one call */
struct one {
	struct port port;
	struct group group;
	struct member member;
};

int one_member(int card, uint32_t members, struct one *one);

/* A thread that waits, and the result */
enum wait_kind { WAIT_SPIN, WAIT_IOCTL, WAIT_READ, WAIT_POLL, WAIT_KINDS };

struct waiter {
	struct member *member;
	enum wait_kind kind;
	int fd; /* for WAIT_READ and WAIT_POLL: an open file of its own */
	int result;
	short revents; /* WAIT_POLL */
	pid_t tid;
	unsigned long thread;
};

extern const char *const wait_kind_name[WAIT_KINDS];
/* Starts a thread that waits, and returns when it spins or sleeps */
int waiter_start(struct waiter *waiter, struct member *member, enum wait_kind kind);
/* Waits at most 10 s for its end; -ETIMEDOUT if it hangs, else 0 */
int waiter_join(struct waiter *waiter);
/* Waits until the thread sleeps in the kernel */
int wait_asleep(pid_t tid);

/* A group with a waiting thread for each way to wait, and one free seat */
struct crowd {
	struct group group;
	struct port port[WAIT_KINDS];
	struct member member[WAIT_KINDS];
	struct waiter waiter[WAIT_KINDS];
};

/* Makes it, with @seats more seats than waiters; nobody waits yet */
int crowd_create(int card, unsigned int seats, struct crowd *crowd);
int crowd_create_with(int card, unsigned int seats, const struct hbs_group_create *with,
		      struct crowd *crowd);
/* Lets all arrive and wait */
int crowd_wait(struct crowd *crowd);
/* All end with @error within 10 s. Prints which did not; returns how many */
int crowd_check(struct crowd *crowd, int error);

/* Unmaps whatever of hbs this process has mapped, and closes all but stdio */
void release_all(void);
void usage_note(struct usage *usage);
/* Returns how many counts differ, and prints which; waits a little for 0 */
int usage_compare(const struct usage *before);

/*
 * A fixture that checks after every test that nothing is left behind. The test
 * includes kselftest_harness.h before.
 */
#define HBS_FIXTURE(name)                                         \
	FIXTURE(name)                                             \
	{                                                         \
		struct usage before;                              \
		int card;                                         \
		struct hbs_info info;                             \
	};                                                        \
	FIXTURE_SETUP(name)                                       \
	{                                                         \
		usage_note(&self->before);                        \
		self->card = card_open();                         \
		ASSERT_GE(self->card, 0);                         \
		ASSERT_EQ(card_info(self->card, &self->info), 0); \
	}                                                         \
	FIXTURE_TEARDOWN(name)                                    \
	{                                                         \
		release_all();                                    \
		EXPECT_EQ(usage_compare(&self->before), 0);       \
	}

#endif /* HBS_TEST_H */
