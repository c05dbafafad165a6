// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every ioctl, once right and then wrong in every way that the contract names:
 * the errno is exact, no output is written, and nothing is made or lost.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/ioctl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness.h"
#include "hbs_test.h"

#define PAGE   4096
#define POISON 0xa5

FIXTURE(ioctls)
{
	struct usage before; /* the test */
	struct usage now;    /* after the setup */
	int card;
	struct one one;	   /* a member of a group of two */
	struct port spare; /* no member */
	int fd;		   /* the purpose of the ioctl */
	int other_fd;	   /* a descriptor of another kind */
	char *page;	   /* followed by a page without access */
	char *arg;	   /* at the end of the page */
};

/* The fields of a call that succeeds; the test undoes its effect */
FIXTURE_VARIANT(ioctls)
{
	unsigned long request;
	size_t size;
	size_t first; /* size of its first version, 0 if this is the first */
	bool on_group;
	uint32_t flags;	 /* flags that exist */
	size_t reserved; /* offset, 0 for none */
	size_t reserved_size;
	size_t output;	   /* offset of the first output, 0 for none */
	size_t output_end; /* where inputs follow, 0 for none */
	void (*fill)(FIXTURE_DATA(ioctls) *self, void *arg);
	void (*undo)(FIXTURE_DATA(ioctls) *self, void *arg);
};

static void undo_alloc(FIXTURE_DATA(ioctls) *self, void *arg)
{
	struct hbs_port_alloc *alloc = arg;
	struct port port = { .card = self->card, .number = alloc->port };

	if (port_free(&port))
		abort();
}

static void fill_free(FIXTURE_DATA(ioctls) *self, void *arg)
{
	((struct hbs_port_free *)arg)->port = self->spare.number;
}

static void undo_free(FIXTURE_DATA(ioctls) *self, void *arg)
{
	(void)arg;
	if (port_alloc_only(self->card, &self->spare))
		abort();
}

static void fill_create(FIXTURE_DATA(ioctls) *self, void *arg)
{
	(void)self;
	((struct hbs_group_create *)arg)->members = 1;
}

static void undo_create(FIXTURE_DATA(ioctls) *self, void *arg)
{
	(void)self;
	if (close(((struct hbs_group_create *)arg)->fd))
		abort();
}

static void fill_join(FIXTURE_DATA(ioctls) *self, void *arg)
{
	struct hbs_group_join *args = arg;

	args->card_fd = self->card;
	args->port = self->spare.number;
}

static void undo_join(FIXTURE_DATA(ioctls) *self, void *arg)
{
	struct member member = {
		.group = self->one.group.fd,
		.card = self->card,
		.port = self->spare.number,
	};

	(void)arg;
	if (leave(&member))
		abort();
}

static void fill_leave(FIXTURE_DATA(ioctls) *self, void *arg)
{
	struct hbs_group_leave *args = arg;

	args->card_fd = self->card;
	args->port = self->one.port.number;
}

static void undo_leave(FIXTURE_DATA(ioctls) *self, void *arg)
{
	(void)arg;
	if (join(&self->one.group, &self->one.port, &self->one.member))
		abort();
}

static void fill_wait(FIXTURE_DATA(ioctls) *self, void *arg)
{
	((struct hbs_group_wait *)arg)->word = self->one.member.word - HBS_WORD_EPOCH_ONE;
}

static void fill_missing(FIXTURE_DATA(ioctls) *self, void *arg)
{
	struct hbs_group_missing *args = arg;

	(void)self;
	args->list = 0;
	args->room = 0;
}

static void fill_reopen_as_member(FIXTURE_DATA(ioctls) *self, void *arg)
{
	struct hbs_group_reopen *args = arg;

	args->flags = HBS_REOPEN_MEMBER;
	args->card_fd = self->card;
	args->port = self->one.port.number;
}

static void fill_wake(FIXTURE_DATA(ioctls) *self, void *arg)
{
	((struct hbs_group_wake *)arg)->port = self->one.port.number;
}

static void undo_reopen(FIXTURE_DATA(ioctls) *self, void *arg)
{
	(void)self;
	if (close(((struct hbs_group_reopen *)arg)->fd))
		abort();
}

FIXTURE_VARIANT_ADD(ioctls, info){
	.request = HBS_INFO,
	.size = sizeof(struct hbs_info),
	.reserved = offsetof(struct hbs_info, reserved),
	.reserved_size = 4,
	.output = offsetof(struct hbs_info, card),
};

FIXTURE_VARIANT_ADD(ioctls, port_alloc){
	.request = HBS_PORT_ALLOC,
	.size = sizeof(struct hbs_port_alloc),
	.first = 24,
	.reserved = offsetof(struct hbs_port_alloc, reserved),
	.reserved_size = 4,
	.output = offsetof(struct hbs_port_alloc, port),
	.undo = undo_alloc,
};

FIXTURE_VARIANT_ADD(ioctls, port_free){
	.request = HBS_PORT_FREE,
	.size = sizeof(struct hbs_port_free),
	.reserved = offsetof(struct hbs_port_free, reserved),
	.reserved_size = 4,
	.fill = fill_free,
	.undo = undo_free,
};

FIXTURE_VARIANT_ADD(ioctls, group_create){
	.request = HBS_GROUP_CREATE,
	.size = sizeof(struct hbs_group_create),
	.first = 32,
	.reserved = offsetof(struct hbs_group_create, reserved),
	.reserved_size = 8,
	.output = offsetof(struct hbs_group_create, fd),
	.fill = fill_create,
	.undo = undo_create,
};

FIXTURE_VARIANT_ADD(ioctls, group_info){
	.request = HBS_GROUP_INFO,
	.size = sizeof(struct hbs_group_info),
	.first = 40,
	.on_group = true,
	.reserved = offsetof(struct hbs_group_info, reserved),
	.reserved_size = 4,
	.output = offsetof(struct hbs_group_info, card),
};

FIXTURE_VARIANT_ADD(ioctls, group_join){
	.request = HBS_GROUP_JOIN,
	.size = sizeof(struct hbs_group_join),
	.first = 32,
	.on_group = true,
	.output = offsetof(struct hbs_group_join, lane_offset),
	.fill = fill_join,
	.undo = undo_join,
};

FIXTURE_VARIANT_ADD(ioctls, group_leave){
	.request = HBS_GROUP_LEAVE,
	.size = sizeof(struct hbs_group_leave),
	.on_group = true,
	.flags = HBS_LEAVE_DIED,
	.fill = fill_leave,
	.undo = undo_leave,
};

FIXTURE_VARIANT_ADD(ioctls, group_wait){
	.request = HBS_GROUP_WAIT,
	.size = sizeof(struct hbs_group_wait),
	.first = 16,
	.on_group = true,
	.output = offsetof(struct hbs_group_wait, word),
	.output_end = offsetof(struct hbs_group_wait, deadline_ns),
	.fill = fill_wait,
};

FIXTURE_VARIANT_ADD(ioctls, group_reopen){
	.request = HBS_GROUP_REOPEN,
	.size = sizeof(struct hbs_group_reopen),
	.first = 24,
	.on_group = true,
	.flags = HBS_REOPEN_MEMBER,
	.reserved = offsetof(struct hbs_group_reopen, reserved),
	.reserved_size = 4,
	.output = offsetof(struct hbs_group_reopen, fd),
	.undo = undo_reopen,
};

FIXTURE_VARIANT_ADD(ioctls, group_reopen_as_member){
	.request = HBS_GROUP_REOPEN,
	.size = sizeof(struct hbs_group_reopen),
	.on_group = true,
	.flags = HBS_REOPEN_MEMBER,
	.reserved = offsetof(struct hbs_group_reopen, reserved),
	.reserved_size = 4,
	.output = offsetof(struct hbs_group_reopen, fd),
	.fill = fill_reopen_as_member,
	.undo = undo_reopen,
};

FIXTURE_VARIANT_ADD(ioctls, group_destroy){
	.request = HBS_GROUP_DESTROY,
	.size = sizeof(struct hbs_group_destroy),
	.on_group = true,
};

FIXTURE_VARIANT_ADD(ioctls, group_counters){
	.request = HBS_GROUP_COUNTERS,
	.size = sizeof(struct hbs_group_counters),
	.first = 80,
	.on_group = true,
	.output = offsetof(struct hbs_group_counters, completions),
};

FIXTURE_VARIANT_ADD(ioctls, group_missing){
	.request = HBS_GROUP_MISSING,
	.size = sizeof(struct hbs_group_missing),
	.first = 40,
	.on_group = true,
	.output = offsetof(struct hbs_group_missing, word),
	.fill = fill_missing,
};

FIXTURE_VARIANT_ADD(ioctls, group_reset){
	.request = HBS_GROUP_RESET,
	.size = sizeof(struct hbs_group_reset),
	.on_group = true,
	.undo = undo_leave,
};

FIXTURE_VARIANT_ADD(ioctls, group_wake){
	.request = HBS_GROUP_WAKE,
	.size = sizeof(struct hbs_group_wake),
	.on_group = true,
	.reserved = offsetof(struct hbs_group_wake, reserved),
	.reserved_size = 4,
	.fill = fill_wake,
};

FIXTURE_SETUP(ioctls)
{
	usage_note(&self->before);
	self->card = card_open();
	ASSERT_GE(self->card, 0);
	ASSERT_EQ(one_member(self->card, 2, &self->one), 0);
	ASSERT_EQ(port_alloc_only(self->card, &self->spare), 0);
	self->fd = variant->on_group ? self->one.group.fd : self->card;
	self->other_fd = variant->on_group ? self->card : self->one.group.fd;
	self->page =
		mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(self->page, MAP_FAILED);
	ASSERT_EQ(mprotect(self->page + PAGE, PAGE, PROT_NONE), 0);
	self->arg = self->page + PAGE - variant->size;
	usage_note(&self->now);
}

FIXTURE_TEARDOWN(ioctls)
{
	/* The call was refused or undone: nothing is there that was not before it */
	EXPECT_EQ(usage_compare(&self->now), 0);
	release_all();
	EXPECT_EQ(usage_compare(&self->before), 0);
}

/* A right call at @arg, its outputs poisoned; bytes at and after @size are zero */
static void fill(FIXTURE_DATA(ioctls) *self, const FIXTURE_VARIANT(ioctls) *variant, void *arg,
		 uint32_t size)
{
	memset(arg, 0, variant->size);
	if (variant->output) {
		size_t end = variant->output_end ? variant->output_end : variant->size;

		if (variant->reserved > variant->output)
			end = variant->reserved;

		memset((char *)arg + variant->output, POISON, end - variant->output);
	}
	if (variant->fill)
		variant->fill(self, arg);
	memcpy(arg, &size, sizeof(size));
}

static void undo(FIXTURE_DATA(ioctls) *self, const FIXTURE_VARIANT(ioctls) *variant, void *arg)
{
	if (variant->undo)
		variant->undo(self, arg);
}

/* The call fails so, and does not touch the @n bytes at @arg */
#define REFUSED(fd, arg, n, error)                                            \
	do {                                                                  \
		char _copy[2 * PAGE];                                         \
                                                                              \
		memcpy(_copy, (arg), (n));                                    \
		ASSERT_EQ(hbs_ioctl((fd), variant->request, (arg)), (error)); \
		ASSERT_EQ(memcmp(_copy, (arg), (n)), 0);                      \
	} while (0)

/* The structure ends where the mapping ends */
TEST_F(ioctls, right)
{
	bool written = false;

	fill(self, variant, self->arg, variant->size);
	ASSERT_EQ(hbs_ioctl(self->fd, variant->request, self->arg), 0);
	for (size_t i = 0; i < variant->size; i++)
		written |= variant->output && i >= variant->output &&
			   (unsigned char)self->arg[i] != POISON;
	EXPECT_EQ(written, !!variant->output);
	undo(self, variant, self->arg);
}

TEST_F(ioctls, unaligned)
{
	char *arg = self->arg - 3;

	fill(self, variant, arg, variant->size);
	ASSERT_EQ(hbs_ioctl(self->fd, variant->request, arg), 0);
	undo(self, variant, arg);
}

TEST_F(ioctls, too_small)
{
	uint32_t first = variant->first ? variant->first : variant->size;

	for (uint32_t size = 0; size < first; size++) {
		fill(self, variant, self->arg, size);
		REFUSED(self->fd, self->arg, variant->size, -EINVAL);
	}
}

/* The old size of the structure: it works as before, and the memory behind it is untouched */
TEST_F(ioctls, older)
{
	if (!variant->first)
		SKIP(return, "there is no older version");
	for (uint32_t size = variant->first; size < variant->size; size++) {
		fill(self, variant, self->arg, size);
		memset(self->arg + size, POISON, variant->size - size);
		ASSERT_EQ(hbs_ioctl(self->fd, variant->request, self->arg), 0);
		for (size_t i = size; i < variant->size; i++)
			ASSERT_EQ((unsigned char)self->arg[i], POISON);
		undo(self, variant, self->arg);
		/* also where it is the last in its mapping */
		fill(self, variant, self->page, size);
		memmove(self->page + PAGE - size, self->page, size);
		ASSERT_EQ(hbs_ioctl(self->fd, variant->request, self->page + PAGE - size), 0);
		undo(self, variant, self->page + PAGE - size);
	}
}

TEST_F(ioctls, larger_and_zero)
{
	static const size_t more[] = { 1, 4, 8, 100, PAGE - 200 };

	for (unsigned int i = 0; i < ARRAY_SIZE(more); i++) {
		char *arg = self->page + PAGE - variant->size - more[i];

		fill(self, variant, arg, variant->size + more[i]);
		memset(arg + variant->size, 0, more[i]);
		ASSERT_EQ(hbs_ioctl(self->fd, variant->request, arg), 0);
		for (size_t byte = 0; byte < more[i]; byte++)
			ASSERT_EQ(arg[variant->size + byte], 0);
		undo(self, variant, arg);
	}
}

TEST_F(ioctls, larger_and_not_zero)
{
	static const size_t more[] = { 1, 4, 8, 100, PAGE - 200 };

	for (unsigned int i = 0; i < ARRAY_SIZE(more); i++) {
		char *arg = self->page + PAGE - variant->size - more[i];

		fill(self, variant, arg, variant->size + more[i]);
		memset(arg + variant->size, 0, more[i]);
		arg[variant->size + more[i] - 1] = 1;
		REFUSED(self->fd, arg, variant->size + more[i], -E2BIG);
		arg[variant->size + more[i] - 1] = 0;
		arg[variant->size] = (char)0x80;
		REFUSED(self->fd, arg, variant->size + more[i], -E2BIG);
	}
}

/* A size that reaches beyond the mapping */
TEST_F(ioctls, larger_than_the_mapping)
{
	static const uint32_t sizes[] = { PAGE + 1, 2 * PAGE, 1U << 20, UINT32_MAX };
	int ret;

	memset(self->page, 0, PAGE);
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		fill(self, variant, self->page, sizes[i]);
		ret = hbs_ioctl(self->fd, variant->request, self->page);
		EXPECT_TRUE(ret == -EFAULT || ret == -E2BIG);
	}
}

/* Though all of it is mapped and zero, as from a far future */
TEST_F(ioctls, larger_than_a_page)
{
	char *arg =
		mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(arg, MAP_FAILED);
	fill(self, variant, arg, PAGE + 1);
	EXPECT_EQ(hbs_ioctl(self->fd, variant->request, arg), -E2BIG);
	fill(self, variant, arg, 3 * PAGE);
	EXPECT_EQ(hbs_ioctl(self->fd, variant->request, arg), -E2BIG);
	fill(self, variant, arg, PAGE);
	ASSERT_EQ(hbs_ioctl(self->fd, variant->request, arg), 0);
	undo(self, variant, arg);
}

TEST_F(ioctls, flags)
{
	for (int bit = 0; bit < 32; bit++) {
		uint32_t flags = 1U << bit;

		if (flags & variant->flags)
			continue;
		fill(self, variant, self->arg, variant->size);
		memcpy(self->arg + 4, &flags, sizeof(flags));
		REFUSED(self->fd, self->arg, variant->size, -EOPNOTSUPP);
	}
}

TEST_F(ioctls, reserved)
{
	if (!variant->reserved)
		SKIP(return, "no reserved field");
	for (size_t bit = 0; bit < 8 * variant->reserved_size; bit++) {
		fill(self, variant, self->arg, variant->size);
		memset(self->arg + variant->reserved, 0, variant->reserved_size);
		self->arg[variant->reserved + bit / 8] = 1 << bit % 8;
		REFUSED(self->fd, self->arg, variant->size, -EINVAL);
	}
}

TEST_F(ioctls, bad_pointer)
{
	void *const pointer[] = {
		NULL,
		(void *)1,
		self->page + PAGE,
		(void *)0x7fffffffeffcUL,
		(void *)0xffff888000000000UL,
		(void *)-1UL,
		(void *)-16UL,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(pointer); i++)
		ASSERT_EQ(hbs_ioctl(self->fd, variant->request, pointer[i]), -EFAULT);
}

/* Each split between the mapping's last bytes and the page without access */
TEST_F(ioctls, straddles_the_end)
{
	for (size_t inside = 1; inside < variant->size; inside++) {
		char whole[256];

		fill(self, variant, whole, variant->size);
		memcpy(self->page + PAGE - inside, whole, inside);
		REFUSED(self->fd, self->page + PAGE - inside, inside, -EFAULT);
	}
}

/* What the kernel cannot report to the caller must not stay behind */
TEST_F(ioctls, read_only)
{
	if (!variant->output)
		SKIP(return, "no output");
	for (int i = 0; i < 3; i++) {
		fill(self, variant, self->arg, variant->size);
		ASSERT_EQ(mprotect(self->page, PAGE, PROT_READ), 0);
		REFUSED(self->fd, self->arg, variant->size, -EFAULT);
		ASSERT_EQ(mprotect(self->page, PAGE, PROT_READ | PROT_WRITE), 0);
	}
	/* and it did not take effect: the same call still succeeds */
	fill(self, variant, self->arg, variant->size);
	ASSERT_EQ(hbs_ioctl(self->fd, variant->request, self->arg), 0);
	undo(self, variant, self->arg);
}

TEST_F(ioctls, wrong_descriptor)
{
	fill(self, variant, self->arg, variant->size);
	REFUSED(self->other_fd, self->arg, variant->size, -ENOTTY);
}

/* The number with a direction or a size in it is another number */
TEST_F(ioctls, other_encoding)
{
	unsigned int nr = _IOC_NR(variant->request);
	const unsigned long request[] = {
		_IOC(_IOC_READ, HBS_IOCTL_TYPE, nr, 0),
		_IOC(_IOC_WRITE, HBS_IOCTL_TYPE, nr, variant->size),
		_IOC(_IOC_READ | _IOC_WRITE, HBS_IOCTL_TYPE, nr, variant->size),
		_IOC(_IOC_NONE, HBS_IOCTL_TYPE - 1, nr, 0),
	};

	fill(self, variant, self->arg, variant->size);
	for (unsigned int i = 0; i < ARRAY_SIZE(request); i++)
		ASSERT_EQ(hbs_ioctl(self->fd, request[i], self->arg), -ENOTTY);
}

/* Beside the ioctls above no number is one */
TEST(unknown_numbers)
{
	struct usage before;
	struct group group;
	uint32_t arg[64] = { sizeof(arg) };
	int card;

	usage_note(&before);
	card = card_open();
	ASSERT_GE(card, 0);
	ASSERT_EQ(group_create(card, 1, &group), 0);
	for (unsigned int nr = 0; nr < 256; nr++) {
		unsigned long request = _IO(HBS_IOCTL_TYPE, nr);

		if (nr > HBS_CMD_GROUP_CREATE)
			ASSERT_EQ(hbs_ioctl(card, request, arg), -ENOTTY);
		if (nr < HBS_CMD_GROUP_INFO || nr > HBS_CMD_GROUP_WAKE)
			ASSERT_EQ(hbs_ioctl(group.fd, request, arg), -ENOTTY);
	}
	release_all();
	EXPECT_EQ(usage_compare(&before), 0);
}

TEST(group_type)
{
	struct hbs_group_create arg = { .size = sizeof(arg), .members = 1 };
	struct hbs_group_create copy;
	struct usage before;
	int card;

	usage_note(&before);
	card = card_open();
	ASSERT_GE(card, 0);
	for (int bit = 1; bit < 32; bit++) {
		arg.type = 1U << bit;
		copy = arg;
		EXPECT_EQ(hbs_ioctl(card, HBS_GROUP_CREATE, &arg), -EOPNOTSUPP);
		EXPECT_EQ(memcmp(&copy, &arg, sizeof(arg)), 0);
	}
	release_all();
	EXPECT_EQ(usage_compare(&before), 0);
}

static void on_alarm(int signal)
{
	(void)signal;
}

/* A field that an older structure does not have counts as 0 */
TEST(older_fields)
{
	struct hbs_group_create create = { .size = 32, .members = 1 };
	struct hbs_group_info info = { .size = sizeof(info) };
	struct hbs_group_wait wait = { .size = 16 };
	struct sigaction action = { .sa_handler = on_alarm };
	struct usage before;
	struct one one;
	int card;

	usage_note(&before);
	card = card_open();
	ASSERT_GE(card, 0);
	create.reduce = HBS_REDUCE_SUM;
	create.policy = ~0U;
	create.timeout_ns = 1;
	create.completion = HBS_COMPLETION_COUNT;
	create.arrival = ~0U;
	create.departure = ~0U;
	create.reserved2 = 1;
	ASSERT_EQ(hbs_ioctl(card, HBS_GROUP_CREATE, &create), 0);
	ASSERT_EQ(hbs_ioctl(create.fd, HBS_GROUP_INFO, &info), 0);
	EXPECT_EQ(info.reduce, 0);
	EXPECT_EQ(info.policy, 0);
	EXPECT_EQ(info.timeout_ns, 0);
	EXPECT_EQ(info.completion, 0);
	EXPECT_EQ(info.arrival, 0);
	EXPECT_EQ(info.departure, 0);
	info = (struct hbs_group_info){ .size = 40, .timeout_ns = 77 };
	ASSERT_EQ(hbs_ioctl(create.fd, HBS_GROUP_INFO, &info), 0);
	EXPECT_EQ(info.members, 1);
	EXPECT_EQ(info.timeout_ns, 77);

	/* A deadline behind the structure is not read: only the signal ends this */
	ASSERT_EQ(one_member(card, 2, &one), 0);
	ASSERT_EQ(sigaction(SIGALRM, &action, NULL), 0);
	wait.word = one.member.word;
	wait.deadline_ns = 1;
	alarm(1);
	EXPECT_EQ(hbs_ioctl(one.group.fd, HBS_GROUP_WAIT, &wait), -EINTR);
	release_all();
	EXPECT_EQ(usage_compare(&before), 0);
}

TEST(info)
{
	struct hbs_info info;
	int card = card_open();
	long value;

	ASSERT_GE(card, 0);
	ASSERT_EQ(card_info(card, &info), 0);
	EXPECT_EQ(info.version >> 16, 2);
	EXPECT_EQ(info.features &
			  (HBS_FEATURE_RECORD | HBS_FEATURE_CSR_DEPARTURE | HBS_FEATURE_WAIT |
			   HBS_FEATURE_NODE_RECORD | HBS_FEATURE_TIMEOUT | HBS_FEATURE_REDUCE |
			   HBS_FEATURE_REFUTABLE | HBS_FEATURE_COUNTING | HBS_FEATURE_POLL_ARRIVAL |
			   HBS_FEATURE_PORT_RECORD),
		  info.features);
	EXPECT_NE(info.features & HBS_FEATURE_RECORD, 0);
	EXPECT_NE(info.features & HBS_FEATURE_WAIT, 0);
	EXPECT_NE(info.features & HBS_FEATURE_NODE_RECORD, 0);
	EXPECT_EQ(info.group_types, 1U << HBS_GROUP_BARRIER | 1U << HBS_GROUP_REFUTABLE);
	EXPECT_GE(info.port_map_size, info.groups * HBS_LANE_SIZE);
	EXPECT_EQ(info.port_map_size % sysconf(_SC_PAGESIZE), 0);
	EXPECT_EQ(info.group_map_size % sysconf(_SC_PAGESIZE), 0);
	ASSERT_EQ(card_attribute("ports_used", &value), 0);
	EXPECT_EQ(info.ports_free, info.ports - value);
	ASSERT_EQ(card_attribute("groups_used", &value), 0);
	EXPECT_EQ(info.groups_free, info.groups - value);
}

TEST_HARNESS_MAIN
