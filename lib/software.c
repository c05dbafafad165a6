// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The software backend: a central counter in a page that the members share.
 *
 * A group is a sealed memory file, so that it can be passed on like a card's
 * group. Its page holds two words that matter:
 *
 *   state	everything that decides a completion, changed as one: the low bits
 *		of the epoch in progress, vacant seats, members, arrived members
 *   word	the epoch word, for the members to spin and sleep on
 *
 * Whoever completes an epoch in @state publishes it in @word. Between the two a
 * thread can be held up for long; a joiner therefore publishes the epoch that it
 * found in @state too, and @word only ever goes forward.
 *
 * @state is changed by read-modify-writes only, each of which acquires and
 * releases. So the one that completes an epoch has seen all that the members did
 * before they arrived, and hands it on with @word.
 *
 * Sleepers wait on the low half of @word: 16 bits of the epoch are there, and an
 * epoch never gets further than one past a member that waits.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "futex.h"
#include "internal.h"
#include "order.h"

#define SOFT_MAGIC   0x5342485346544f53ULL
#define SOFT_VERSION 1
#define SOFT_SEALS   (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

struct soft_page {
	uint64_t magic;
	uint32_t version;
	uint32_t seats;
	/* the arrivals' line */
	_Alignas(64) _Atomic uint64_t state;
	_Atomic uint64_t arrivals; /* of epochs that are over */
	/* the waiters' line, written once an epoch */
	_Alignas(64) _Atomic uint64_t word;
	/* the sleepers' line */
	_Alignas(64) _Atomic uint32_t sleepers;
	_Atomic uint64_t sleeps;
};

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "the page is shared by processes");
_Static_assert(sizeof(struct soft_page) <= 256, "a few hundred bytes of the page");

/* state: 15:0 arrived, 31:16 members, 47:32 vacant, 63:48 epoch */
#define STATE_ARRIVED_ONE 1ULL
#define STATE_MEMBER_ONE  (1ULL << 16)
#define STATE_VACANT_ONE  (1ULL << 32)
#define STATE_EPOCH_ONE	  (1ULL << 48)

static uint16_t state_arrived(uint64_t state)
{
	return (uint16_t)state;
}

static uint16_t state_members(uint64_t state)
{
	return (uint16_t)(state >> 16);
}

static uint16_t state_vacant(uint64_t state)
{
	return (uint16_t)(state >> 32);
}

static uint16_t state_epoch(uint64_t state)
{
	return (uint16_t)(state >> 48);
}

/* The state after @state if that completes the epoch, and else the same */
static inline uint64_t state_evaluate(uint64_t state)
{
	if (state_vacant(state) || !state_members(state) ||
	    state_arrived(state) != state_members(state))
		return state;
	return state - state_arrived(state) * STATE_ARRIVED_ONE + STATE_EPOCH_ONE;
}

static void wake_sleepers(struct soft_page *page)
{
	if (atomic_load(&page->sleepers))
		futex_wake_all(&page->word);
}

/* Show @word unless the page shows it, or a later one, or is broken */
static void publish(struct soft_page *page, uint64_t from, uint64_t word)
{
	do {
		if (from & HBS_WORD_BROKEN || from >= word)
			return;
	} while (!atomic_compare_exchange_weak(&page->word, &from, word));
	wake_sleepers(page);
}

/* The full epoch word of @state: @shown is at most a few epochs behind it */
static uint64_t word_of_state(uint64_t state, uint64_t shown)
{
	uint16_t ahead = (uint16_t)(state_epoch(state) - (uint16_t)(shown >> HBS_WORD_EPOCH_SHIFT));

	return (shown & ~WORD_STATUS) + ahead * HBS_WORD_EPOCH_ONE;
}

int hbsi_software_arrive(struct hbs_member *member)
{
	struct soft_page *page = member->group->page;
	uint64_t old, arrived, new;
	uint64_t word = member->word;
	uint64_t shown = atomic_load_explicit(&page->word, memory_order_acquire);

	if (__builtin_expect(shown != word, 0))
		return hbsi_word_error(shown);
	old = atomic_load_explicit(&page->state, memory_order_relaxed);
	do {
		arrived = old + STATE_ARRIVED_ONE;
		new = state_evaluate(arrived);
	} while (!atomic_compare_exchange_weak_explicit(
		&page->state, &old, new, memory_order_acq_rel, memory_order_relaxed));
	if (new != arrived) {
		/* nobody else adds before this epoch is published */
		atomic_fetch_add_explicit(&page->arrivals, state_arrived(arrived),
					  memory_order_relaxed);
		publish(page, word, word + HBS_WORD_EPOCH_ONE);
	}
	return 0;
}

static int software_join(struct hbs_member *member)
{
	struct soft_page *page = member->group->page;
	uint64_t shown = atomic_load(&page->word);
	uint64_t old = atomic_load(&page->state);
	uint64_t new;

	do {
		if (shown & HBS_WORD_BROKEN)
			return hbsi_word_error(shown);
		if (state_members(old) >= page->seats)
			return -ENOSPC;
		new = old + STATE_MEMBER_ONE;
		if (state_vacant(old))
			new -= STATE_VACANT_ONE;
	} while (!atomic_compare_exchange_weak(&page->state, &old, new));

	member->record = &page->word;
	shown = atomic_load(&page->word);
	member->word = word_of_state(new, shown);
	publish(page, shown, member->word);
	return 0;
}

static void software_leave(struct hbs_member *member)
{
	struct soft_page *page = member->group->page;
	uint64_t word = member->word;
	uint64_t old = atomic_load(&page->state);
	uint64_t left, new;
	bool arrived;

	do {
		arrived = member->arrived > 0 &&
			  state_epoch(old) == (uint16_t)(word >> HBS_WORD_EPOCH_SHIFT);
		left = old - STATE_MEMBER_ONE;
		if (arrived)
			left -= STATE_ARRIVED_ONE;
		if (state_vacant(old))
			left += STATE_VACANT_ONE;
		new = state_evaluate(left);
	} while (!atomic_compare_exchange_weak(&page->state, &old, new));

	if (arrived)
		atomic_fetch_add(&page->arrivals, 1);
	if (new != left) {
		atomic_fetch_add(&page->arrivals, state_arrived(left));
		word = atomic_load(&page->word);
		publish(page, word, word_of_state(new, word));
	}
}

static int software_sleep(struct hbs_member *member, uint64_t deadline, uint64_t *word)
{
	struct soft_page *page = member->group->page;

	atomic_fetch_add(&page->sleepers, 1);
	*word = atomic_load(&page->word);
	if (*word == member->word) {
		atomic_fetch_add_explicit(&page->sleeps, 1, memory_order_relaxed);
		/* a signal and a word that has changed are no different from a wake */
		futex_wait(&page->word, member->word, deadline);
		*word = atomic_load(&page->word);
	}
	atomic_fetch_sub(&page->sleepers, 1);
	return 0;
}

static uint64_t software_last_word(struct hbs_member *member)
{
	return order_depart(member->record);
}

static int software_destroy(struct hbs_group *group)
{
	struct soft_page *page = group->page;
	uint64_t word = atomic_load(&page->word);
	uint64_t broken;

	do {
		if (word & HBS_WORD_BROKEN)
			return 0;
		broken = word | HBS_WORD_BROKEN | HBS_REASON_DESTROYED << HBS_WORD_REASON_SHIFT;
	} while (!atomic_compare_exchange_weak(&page->word, &word, broken));
	wake_sleepers(page);
	return 0;
}

static int software_stats(struct hbs_group *group, struct hbs_group_stats *stats)
{
	struct soft_page *page = group->page;

	stats->barriers = atomic_load(&page->word) >> HBS_WORD_EPOCH_SHIFT;
	stats->arrivals = atomic_load(&page->arrivals) + state_arrived(atomic_load(&page->state));
	stats->sleeps = atomic_load(&page->sleeps);
	return 0;
}

static int software_member_fd(struct hbs_member *member)
{
	(void)member;
	return -EOPNOTSUPP;
}

static int software_missing(struct hbs_group *group, struct hbs_absentee *list, uint32_t room)
{
	(void)group;
	(void)list;
	(void)room;
	return -EOPNOTSUPP;
}

static int software_reset(struct hbs_group *group)
{
	(void)group;
	return -EOPNOTSUPP;
}

static int software_word(struct hbs_group *group, uint64_t *word)
{
	struct soft_page *page = group->page;

	*word = atomic_load(&page->word);
	return 0;
}

static int map_page(struct hbs_group *group)
{
	void *page = mmap(NULL, SOFT_PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, group->fd, 0);

	if (page == MAP_FAILED)
		return -errno;
	/* as a card's pages: a child of fork has no part in its parent's groups */
	if (madvise(page, SOFT_PAGE_SIZE, MADV_DONTFORK)) {
		int ret = -errno;

		munmap(page, SOFT_PAGE_SIZE);
		return ret;
	}
	group->page = page;
	group->map_size = SOFT_PAGE_SIZE;
	return 0;
}

static int make_page(struct hbs_group *group)
{
	struct soft_page *page;
	int ret;

	if (ftruncate(group->fd, SOFT_PAGE_SIZE) || fcntl(group->fd, F_ADD_SEALS, SOFT_SEALS))
		return -errno;
	ret = map_page(group);
	if (ret)
		return ret;
	page = group->page;
	page->version = SOFT_VERSION;
	page->seats = group->seats;
	atomic_init(&page->state, group->seats * STATE_VACANT_ONE);
	page->magic = SOFT_MAGIC;
	return 0;
}

static int software_create(struct hbs *hbs, struct hbs_group *group,
			   const struct hbs_group_attr *attr)
{
	int ret;

	(void)hbs;
	/* these are the work of a card's gates and timers, and of its driver */
	if (attr->reduce || attr->policy || attr->timeout_ns || attr->complete_by ||
	    attr->arrive_by || attr->depart_by)
		return -EOPNOTSUPP;
	group->fd = memfd_create("hbs-group", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (group->fd < 0)
		return -errno;
	ret = make_page(group);
	if (ret)
		close(group->fd);
	return ret;
}

/*
 * Whose descriptor it is nobody knows: without the seals, its owner could cut
 * the file off under the mapping, which is a SIGBUS here. What the page says
 * later is used as numbers only, and can make waits wrong, but nothing worse.
 */
static int software_check(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct stat st;

	if (seals < 0 || (seals & SOFT_SEALS) != SOFT_SEALS || fstat(fd, &st) ||
	    st.st_size != SOFT_PAGE_SIZE)
		return -EINVAL;
	return 0;
}

static int software_import(struct hbs *hbs, struct hbs_group *group)
{
	int ret = software_check(group->fd);
	struct soft_page *page;

	(void)hbs;
	if (!ret) {
		ret = map_page(group);
		/* it was opened, or sealed, for reading only */
		if (ret == -EACCES || ret == -EPERM)
			ret = -EINVAL;
	}
	if (ret) {
		close(group->fd);
		return ret;
	}
	page = group->page;
	group->seats = page->seats;
	if (page->magic == SOFT_MAGIC && page->version == SOFT_VERSION && group->seats &&
	    group->seats <= UINT16_MAX)
		return 0;
	munmap(page, SOFT_PAGE_SIZE);
	close(group->fd);
	return -EINVAL;
}

static void software_close(struct hbs *hbs)
{
	(void)hbs;
}

const struct backend_ops hbsi_software_ops = {
	.id = HBS_BACKEND_SOFTWARE,
	.max_members = UINT16_MAX,
	.close = software_close,
	.group_create = software_create,
	.group_import = software_import,
	.group_destroy = software_destroy,
	.group_stats = software_stats,
	.group_missing = software_missing,
	.group_reset = software_reset,
	.group_word = software_word,
	.join = software_join,
	.leave = software_leave,
	.sleep = software_sleep,
	.last_word = software_last_word,
	.member_fd = software_member_fd,
};
