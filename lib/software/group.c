// SPDX-License-Identifier: LGPL-2.1-or-later
/* Groups of the software backend: the memory file, and calls that concern a whole group */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../fence.h"
#include "../guard.h"
#include "poll.h"
#include "software.h"

/* The size of the file, for this kind of group */
static uint32_t file_size(const struct software *software)
{
	const struct hbs_group *group = &software->group;
	const struct algorithm *algorithm = soft_algorithm(software);
	size_t halves = soft_capacity(software) / group->seats;
	size_t size = SOFT_SEATS + halves * soft_half_size(software);

	if (algorithm->bytes)
		size += algorithm->bytes(group->seats, group->fan_in);
	size += soft_capacity(software) * sizeof(struct waits);
	return (uint32_t)sealed_size(size);
}

static void init(struct hbs_group *group)
{
	group->guard = -1;
	pthread_mutex_init(&soft_of(group)->lock, NULL);
}

void hbsi_soft_group_free(struct hbs_group *group)
{
	struct software *software = soft_of(group);

	hbsi_guard_close(&group->guard);
	pthread_mutex_destroy(&software->lock);
	/* also in a child of fork: its copies of members have left before */
	hbsi_soft_poll_close(software);
}

/* What a process needs to take part in a group with this algorithm */
static int take_part(struct hbs_group *group, bool may_be_alone)
{
	struct software *software = soft_of(group);

	/* before it joins, which wakes all that sleep */
	if (!soft_algorithm(software)->full && !hbsi_fence_open())
		atomic_store(&soft_page(software)->deaf, 1);
	return hbsi_guard_open(&group->guard, group->fd, may_be_alone ? &group->alone : NULL);
}

static int make_page(struct hbs_group *group, const struct hbs_group_attr *attr)
{
	struct software *software = soft_of(group);
	struct soft_page *page;
	int ret;

	ret = hbsi_sealed_map(group->fd, group->map_size, &group->page);
	if (ret)
		return ret;
	page = group->page;
	page->version = SOFT_VERSION;
	page->members = attr->members;
	page->capacity = soft_capacity(software);
	page->algorithm = group->algorithm;
	page->fan_in = group->fan_in;
	page->reduce = attr->reduce;
	page->type = attr->type;
	page->policy = attr->policy;
	page->timeout_ns = attr->timeout_ns;
	page->magic = SOFT_MAGIC;
	ret = take_part(group, true);
	if (ret)
		munmap(page, group->map_size);
	return ret;
}

static int make_file(struct hbs_group *group, const struct hbs_group_attr *attr)
{
	int ret;

	group->map_size = file_size(soft_of(group));
	group->fd = hbsi_sealed_create("hbs-group", group->map_size);
	if (group->fd < 0)
		return group->fd;
	ret = make_page(group, attr);
	if (ret)
		close(group->fd);
	return ret;
}

/* These fields are ways of a card */
static bool wants_a_card(const struct hbs_group_attr *attr)
{
	return attr->complete_by || attr->arrive_by || attr->depart_by;
}

/* The algorithm, and its fan-in, or 0 for the best known */
static uint32_t choose(const struct hbs *hbs, const struct hbs_group_attr *attr, uint32_t *fan_in)
{
	struct auto_request request = hbsi_auto_request(hbs, attr);
	uint32_t number;

	*fan_in = attr->fan_in;
	if (attr->algorithm != HBS_ALGORITHM_AUTO)
		return attr->algorithm;
	number = hbsi_auto_algorithm(&request, fan_in);
	/* if the user names a fan-in, it counts only if the algorithm is a tree */
	if (attr->fan_in && hbsi_algorithm(number)->fan_in)
		*fan_in = attr->fan_in;
	return number;
}

int hbsi_soft_create(struct hbs *hbs, struct hbs_group *group, const struct hbs_group_attr *attr)
{
	uint32_t fan_in;
	uint32_t number;
	const struct algorithm *algorithm;
	int ret;

	if (wants_a_card(attr))
		return -EOPNOTSUPP;
	number = choose(hbs, attr, &fan_in);
	algorithm = hbsi_algorithm(number);
	if (!algorithm || (fan_in && !algorithm->fan_in))
		return -EINVAL;
	if (!algorithm->full && (attr->policy & HBS_ON_DEATH_SHRINK || attr->type == HBS_REFUTABLE))
		return -EOPNOTSUPP;
	init(group);
	group->algorithm = (uint8_t)number;
	group->reduce = (uint8_t)attr->reduce;
	group->policy = (uint8_t)attr->policy;
	group->type = attr->type & 15;
	group->fan_in = (uint8_t)(fan_in ? fan_in : algorithm->fan_in);
	ret = make_file(group, attr);
	if (ret)
		hbsi_soft_group_free(group);
	return ret;
}

static bool fan_in_is_good(const struct algorithm *algorithm, uint32_t fan_in)
{
	return algorithm->fan_in ? fan_in >= FAN_IN_MIN && fan_in <= FAN_IN_MAX : !fan_in;
}

/*
 * What the file says must be what this library would have made. The library reads each word
 * once: it may change meanwhile.
 */
static int read_page(struct hbs_group *group, const volatile struct soft_page *page, uint32_t size)
{
	uint32_t number = page->algorithm, fan_in = page->fan_in, reduce = page->reduce;
	const struct algorithm *algorithm = hbsi_algorithm(number);
	uint32_t members = page->members, type = page->type;

	if (page->magic != SOFT_MAGIC || page->version != SOFT_VERSION)
		return -EINVAL;
	if (!algorithm || !members || members > UINT16_MAX || reduce > HBS_VOTE ||
	    type > HBS_REFUTABLE || (type == HBS_REFUTABLE && !algorithm->full) ||
	    !fan_in_is_good(algorithm, fan_in))
		return -EINVAL;
	group->seats = members;
	group->algorithm = (uint8_t)number;
	group->reduce = (uint8_t)reduce;
	group->policy = (uint8_t)page->policy;
	group->type = type & 15;
	group->fan_in = (uint8_t)fan_in;
	return file_size(soft_of(group)) == size && page->capacity == soft_capacity(soft_of(group))
		       ? 0
		       : -EINVAL;
}

static int map_file(struct hbs_group *group)
{
	uint64_t size;
	int ret = hbsi_sealed_import(group->fd, UINT32_MAX, &group->page, &size);

	if (ret)
		return ret;
	group->map_size = (uint32_t)size;
	ret = read_page(group, group->page, group->map_size);
	if (!ret)
		ret = take_part(group, false);
	if (ret)
		munmap(group->page, group->map_size);
	else
		atomic_store(&soft_page(soft_of(group))->shared, 1);
	return ret;
}

int hbsi_soft_import(struct hbs *hbs, struct hbs_group *group)
{
	int ret;

	(void)hbs;
	init(group);
	ret = map_file(group);
	if (ret) {
		hbsi_soft_group_free(group);
		close(group->fd);
	}
	return ret;
}

int hbsi_soft_destroy(struct hbs_group *group)
{
	struct software *software = soft_of(group);
	int cancel = hbsi_soft_lock(software);

	hbsi_soft_recount(software, HBS_REASON_DESTROYED);
	hbsi_soft_unlock(software, cancel);
	return 0;
}

/* The one of both that holds at @word: the other one is older, or of a reset that failed */
static unsigned int skipped_at(const struct soft_page *page, uint64_t word)
{
	int64_t since[2] = { (int64_t)(word - page->skipped[0].from),
			     (int64_t)(word - page->skipped[1].from) };

	return since[0] < 0 || (since[1] >= 0 && since[1] < since[0]);
}

/* It holds when the state says that word, and not before */
static void skip_to(struct soft_page *page, uint64_t from, uint64_t word)
{
	unsigned int now = skipped_at(page, from);

	page->skipped[!now].from = word;
	page->skipped[!now].epochs =
		page->skipped[now].epochs + ((word - from) >> HBS_WORD_EPOCH_SHIFT);
}

int hbsi_soft_stats(struct hbs_group *group, struct hbs_group_stats *stats)
{
	struct software *software = soft_of(group);
	struct soft_page *page = soft_page(software);
	int cancel = hbsi_soft_lock(software);
	uint64_t word = hbsi_soft_word(software) & ~WORD_STATUS;

	stats->barriers =
		(word >> HBS_WORD_EPOCH_SHIFT) - page->skipped[skipped_at(page, word)].epochs;
	stats->arrivals = page->arrivals;
	for (uint32_t i = 0; i < soft_used(software); i++) {
		struct soft_seat *seat = soft_seat(software, i);

		if (seat_state(seat) == SEAT_TAKEN)
			stats->arrivals += soft_arrivals(seat);
	}
	stats->sleeps = atomic_load(&page->sleeps);
	if (group->type == HBS_REFUTABLE) {
		stats->withdrawals = hbsi_soft_withdrawals(software);
		stats->arrivals += stats->withdrawals;
		stats->in_flight = hbsi_soft_in_flight(software);
	}
	hbsi_soft_unlock(software, cancel);
	return 0;
}

/*
 * List the members that have not arrived at the barrier of @word, or had not when its time
 * was over; those that have died, if a death broke the group; and nobody, if something else
 * did
 */
static bool is_missing(const struct soft_page *page, struct soft_seat *seat, uint64_t word)
{
	uint64_t reason = (word & HBS_WORD_REASON) >> HBS_WORD_REASON_SHIFT;
	uint64_t epoch = word & ~WORD_STATUS;

	if (reason == HBS_REASON_DIED)
		return atomic_load(&seat->state) & SEAT_DEAD;
	if (reason && reason != HBS_REASON_TIMEOUT)
		return false;
	if (atomic_load(&page->told) == epoch + 1)
		return atomic_load(&seat->state) & SEAT_MISSED;
	return seat_state(seat) == SEAT_TAKEN &&
	       (int64_t)(atomic_load(&seat->arrived) - epoch) <= 0;
}

int hbsi_soft_missing(struct hbs_group *group, struct hbs_absentee *list, uint32_t room)
{
	struct software *software = soft_of(group);
	int cancel = hbsi_soft_lock(software);
	uint32_t here = hbsi_soft_pid_namespace();
	uint32_t missing = 0;
	uint64_t word;

	/* perhaps nobody waits that would have noticed */
	if (atomic_load(&soft_page(software)->shared))
		hbsi_soft_find_dead(software);
	word = hbsi_soft_word(software);
	for (uint32_t i = 0; i < soft_used(software); i++) {
		struct soft_seat *seat = soft_seat(software, i);
		bool visible = here && seat->pid_namespace == here;

		if (!is_missing(soft_page(software), seat, word))
			continue;
		if (missing < room)
			list[missing] = (struct hbs_absentee){
				.port = i,
				.pid = visible ? seat->pid : 0,
				.tid = visible ? seat->tid : 0,
				.tag = seat->tag,
			};
		missing++;
	}
	hbsi_soft_unlock(software, cancel);
	return (int)missing;
}

/* The member of a seat from before the reset: it goes when it finds out */
static void make_stale(struct software *software, uint32_t number, uint64_t word, uint64_t result)
{
	struct soft_seat *seat = soft_seat(software, number);
	bool dead = hbsi_soft_seat_is_dead(software, number);

	if (dead)
		hbsi_soft_wake_dead(software, seat);
	if (seat_state(seat) == SEAT_TAKEN) {
		soft_page(software)->arrivals += soft_arrivals(seat);
		seat->joined = word;
		seat->result = result;
	}
	if (soft_scans(software))
		atomic_store(&soft_report(software, number)->present, 0);
	if (seat_state(seat) != SEAT_FREE)
		atomic_store(&seat->state, dead ? SEAT_FREE : SEAT_STALE);
}

int hbsi_soft_reset(struct hbs_group *group)
{
	struct software *software = soft_of(group);
	struct soft_page *page = soft_page(software);
	uint64_t word, result;
	int cancel;

	/* a member may be in the midst of the memory of another algorithm */
	if (!soft_algorithm(software)->full)
		return -EOPNOTSUPP;
	cancel = hbsi_soft_lock(software);
	/*
	 * a barrier that all have arrived at is over; and if this process dies here, the group
	 * is broken
	 */
	hbsi_soft_recount(software, HBS_REASON_RESET);
	word = hbsi_soft_freeze(software);
	result = hbsi_soft_reduce(software, word);
	for (uint32_t i = 0; i < soft_used(software); i++)
		make_stale(software, i, word, result);
	hbsi_soft_idle_reset(software);
	/* so that nobody takes an epoch from after the reset for the next one */
	skip_to(page, word, word + 2 * HBS_WORD_EPOCH_ONE);
	word += 2 * HBS_WORD_EPOCH_ONE;
	atomic_store(&page->recent, word);
	atomic_store(&page->state, (atomic_load(&page->state) / STATE_RECOUNT * STATE_RECOUNT) |
					   STATE_FROZEN | (word & STATE_EPOCH));
	hbsi_soft_recount(software, 0);
	hbsi_soft_unlock(software, cancel);
	return 0;
}

int hbsi_soft_group_word(struct hbs_group *group, uint64_t *word)
{
	struct software *software = soft_of(group);
	int cancel = hbsi_soft_lock(software);

	*word = hbsi_soft_word(software);
	hbsi_soft_unlock(software, cancel);
	return 0;
}
