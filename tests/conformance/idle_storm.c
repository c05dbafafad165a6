// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Refutable groups in storms: members that send each other messages at random, in bursts, to
 * several at once, or not at all, and more when they receive. The messages are the test's own, in
 * memory that threads or processes share, or those of mailboxes. An oracle counts each one before
 * it is sent, until it is freed: no epoch may end while it counts any, and each has to end. It also
 * knows the last vote and the last value of each member.
 */
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "conformance.h"
#include "hbs_messages.h"

#define DEPTH	8   /* messages in a queue */
#define LATE_S	20  /* an epoch that has not ended by then never does */
#define UNKNOWN 255 /* votes that nobody has seen */

/* From one member to another; the epoch is the sender's */
struct queue {
	struct {
		uint32_t epoch;
		uint32_t more; /* messages that its receiver may send for it */
	} slots[DEPTH];
	_Alignas(64) atomic_uint queued;
	_Alignas(64) atomic_uint freed;
};

/* What the oracle knows of an epoch; there are two at most at a time */
struct oracle {
	_Alignas(64) atomic_long unfreed;
	_Alignas(64) atomic_uchar seen; /* the votes that a member was told */
	struct {
		uint64_t value;
		int vote;
	} last[MAX_THREADS];
};

struct visit;

struct storm {
	struct context *context;
	unsigned int members;
	unsigned int epochs;
	bool values;
	bool guest; /* somebody comes and goes, so that the outcome of votes is not known */
	struct hbs_messages *messages; /* of mailboxes */
	struct visit *visit;
	struct oracle oracles[2];
	atomic_ulong sent;
	struct queue queues[]; /* of each member, from each */
};

/* A member, and what it has to say */
struct player {
	struct storm *storm;
	struct hbs_member *me;
	struct hbs_mailbox *box; /* or NULL */
	unsigned int index;
	uint64_t seed;
	uint32_t epoch;
	uint64_t budget; /* that it may still send in this epoch without a message */
	uint64_t sent, freed;
	bool is_idle;
	uint32_t first_epoch; /* as mailboxes count */
	uint64_t received;    /* by its mailbox */
	double since;
};

static uint64_t some(struct player *player, uint64_t below)
{
	return random_from(&player->seed) % below;
}

static struct oracle *oracle_of(struct player *player)
{
	return &player->storm->oracles[player->epoch % 2];
}

static struct queue *queue(struct storm *storm, unsigned int to, unsigned int from)
{
	return &storm->queues[to * storm->members + from];
}

static struct storm *make_storm(struct context *context, unsigned int members, unsigned int epochs)
{
	size_t queues = sizeof(struct queue) * members * members;
	struct storm *storm = shared_memory(sizeof(*storm) + queues);

	storm->context = context;
	storm->members = members;
	storm->epochs = epochs;
	for (unsigned int i = 0; i < 2; i++)
		atomic_store(&storm->oracles[i].seen, UNKNOWN);
	return storm;
}

static void end_storm(struct storm *storm)
{
	munmap(storm, sizeof(*storm) + sizeof(struct queue) * storm->members * storm->members);
}

/* False if there is no room */
static bool send(struct player *player, unsigned int to, uint32_t more)
{
	struct queue *out = queue(player->storm, to, player->index);
	unsigned int queued = atomic_load_explicit(&out->queued, memory_order_relaxed);

	if (queued - atomic_load(&out->freed) == DEPTH)
		return false;
	out->slots[queued % DEPTH].epoch = player->epoch;
	out->slots[queued % DEPTH].more = more;
	atomic_fetch_add(&oracle_of(player)->unfreed, 1);
	player->sent++;
	atomic_store_explicit(&out->queued, queued + 1, memory_order_release);
	return true;
}

static int send_by_mailbox(struct player *player, uint32_t more)
{
	unsigned int members = player->storm->members;
	uint64_t set = 1ULL << some(player, members);
	unsigned int count;
	int ret;

	if (!some(player, 4))
		set |= random_from(&player->seed) & ((members < 64 ? 1ULL << members : 0) - 1);
	count = (unsigned int)__builtin_popcountll(set);
	atomic_fetch_add(&oracle_of(player)->unfreed, count);
	ret = hbs_message_multicast(player->box, &set, &more, sizeof(more));
	/* what is left in the set has not been sent */
	atomic_fetch_sub(&oracle_of(player)->unfreed, __builtin_popcountll(set));
	player->sent += count - (unsigned int)__builtin_popcountll(set);
	return ret == -EAGAIN ? 0 : ret;
}

/* Up to that many messages, which may make as many in all */
static int send_some(struct player *player, uint64_t budget)
{
	while (budget) {
		uint32_t more = (uint32_t)some(player, budget);

		budget -= more + 1;
		if (player->box)
			CHECK_IS(send_by_mailbox(player, more), 0);
		else if (!send(player, (unsigned int)some(player, player->storm->members), more))
			break;
		if (!some(player, 16))
			sched_yield();
	}
	return 0;
}

/* The sender of the next message, which is of epoch @epoch; or none */
static int find(struct player *player, uint32_t *epoch)
{
	unsigned int members = player->storm->members;
	unsigned int first = (unsigned int)some(player, members);

	for (unsigned int i = 0; i < members; i++) {
		unsigned int from = (first + i) % members;
		struct queue *in = queue(player->storm, player->index, from);
		unsigned int freed = atomic_load_explicit(&in->freed, memory_order_relaxed);

		if (atomic_load_explicit(&in->queued, memory_order_acquire) == freed)
			continue;
		*epoch = in->slots[freed % DEPTH].epoch;
		return (int)from;
	}
	return -1;
}

static int take(struct player *player, unsigned int from)
{
	struct queue *in = queue(player->storm, player->index, from);
	unsigned int freed = atomic_load_explicit(&in->freed, memory_order_relaxed);

	CHECK_IS(in->slots[freed % DEPTH].epoch, player->epoch);
	CHECK_IS(send_some(player, in->slots[freed % DEPTH].more), 0);
	atomic_fetch_sub(&oracle_of(player)->unfreed, 1);
	player->freed++;
	atomic_store_explicit(&in->freed, freed + 1, memory_order_release);
	return 0;
}

static void begin_epoch(struct player *player)
{
	/* silence, a few, or a burst */
	static const uint64_t most[] = { 1, 1, 2, 4, 10, 40 };

	player->budget = some(player, most[some(player, 6)]);
	player->since = seconds();
}

static void say(struct player *player, struct hbs_idle *idle)
{
	struct oracle *oracle = oracle_of(player);

	*idle = (struct hbs_idle){ .sent = player->sent,
				   .freed = player->freed,
				   .vote = some(player, 4) != 0 };
	if (player->storm->values)
		idle->value = random_from(&player->seed);
	oracle->last[player->index].vote = (int)idle->vote;
	oracle->last[player->index].value = idle->value;
}

static int see_votes(struct player *player)
{
	struct storm *storm = player->storm;
	struct oracle *oracle = oracle_of(player);
	int all = 0, any = 0, want_all = 1, want_any = 0;
	unsigned char unknown = UNKNOWN, votes;

	CHECK_IS(hbs_votes(player->me, &all, &any), 0);
	votes = (unsigned char)(2 * all + any);
	if (!atomic_compare_exchange_strong(&oracle->seen, &unknown, votes))
		CHECK_IS(votes, unknown);
	for (unsigned int i = 0; i < storm->members; i++) {
		want_all &= oracle->last[i].vote;
		want_any |= oracle->last[i].vote;
	}
	if (!storm->guest) {
		CHECK_IS(all, want_all);
		CHECK_IS(any, want_any);
	}
	return 0;
}

static int see_result(struct player *player)
{
	struct storm *storm = player->storm;
	uint64_t want = 0, got;

	if (!storm->values)
		return 0;
	CHECK_IS(hbs_result(player->me, &got), 0);
	for (unsigned int i = 0; i < storm->members; i++)
		want += oracle_of(player)->last[i].value;
	CHECK_IS(got, want);
	return 0;
}

static int depart(struct player *player)
{
	CHECK_IS(atomic_load(&oracle_of(player)->unfreed), 0);
	CHECK_IS(see_votes(player), 0);
	CHECK_IS(see_result(player), 0);
	/* nobody looks at the votes of the epoch before any more, or has any in the next one yet */
	atomic_store(&player->storm->oracles[(player->epoch + 1) % 2].seen, UNKNOWN);
	atomic_fetch_add(&player->storm->sent, player->sent);
	player->epoch++;
	player->is_idle = false;
	begin_epoch(player);
	return 0;
}

static int work(struct player *player)
{
	struct hbs_idle idle;
	uint32_t epoch;
	int from;

	if (player->budget && some(player, 8)) {
		uint64_t part = some(player, player->budget) + 1;

		player->budget -= part;
		CHECK_IS(send_some(player, part), 0);
	}
	from = find(player, &epoch);
	if (from >= 0 && epoch == player->epoch && some(player, 8))
		return take(player, (unsigned int)from);
	if (player->budget && some(player, 4))
		return 0;
	player->budget = 0;
	say(player, &idle);
	CHECK_IS(hbs_begin_idle(player->me, &idle), 0);
	atomic_fetch_add(&player->storm->sent, player->sent);
	player->sent = 0;
	player->freed = 0;
	player->is_idle = true;
	return 0;
}

/* 1 if it has departed */
static int look(struct player *player)
{
	uint64_t way = some(player, 4);
	int ret;

	if (way)
		return hbs_test(player->me);
	ret = hbs_wait_for(player->me, some(player, 100000));
	return ret == -ETIMEDOUT ? 0 : ret ? ret : 1;
}

static int rest(struct player *player)
{
	uint32_t epoch;
	int from = find(player, &epoch);

	if (from >= 0 && epoch == player->epoch) {
		CHECK_IS(hbs_withdraw(player->me), 0);
		player->is_idle = false;
		return some(player, 4) ? take(player, (unsigned int)from) : 0;
	}
	if (from >= 0) {
		/* its sender is in the next epoch already, so this one is over */
		CHECK_IS(epoch, player->epoch + 1);
		CHECK_IS(hbs_wait(player->me), 0);
		return depart(player);
	}
	from = look(player);
	if (from == 1)
		return depart(player);
	CHECK_IS(from, 0);
	CHECK(seconds() - player->since < LATE_S);
	if (!some(player, 4))
		sched_yield();
	return 0;
}

static struct player make_player(struct part *part, struct storm *storm, struct hbs_member *me)
{
	struct player player = { .storm = storm,
				 .me = me,
				 .index = part->index,
				 .seed = part->seed + 77 * storm->members };

	begin_epoch(&player);
	return player;
}

/* To the end, or one step */
static int play(struct player *player)
{
	return player->is_idle ? rest(player) : work(player);
}

static int take_part(struct part *part)
{
	struct storm *storm = part->shared;
	struct player player = make_player(part, storm, part->me);

	while (player.epoch < storm->epochs)
		CHECK_IS(play(&player), 0);
	return 0;
}

#define EPOCHS 4000

static void threads(struct context *context)
{
	for (unsigned int *n = context->threads; *n; n++) {
		struct storm *storm = make_storm(context, *n, scaled(context, EPOCHS));
		struct hbs_group *group = make_refutable(context, *n);

		run_members(context, group, *n, take_part, storm);
		IS(barriers(group), storm->epochs);
		IS(stats_of(group).in_flight, 0);
		end_storm(storm);
	}
}

static void values(struct context *context)
{
	struct hbs_group_attr attr = { .members = 3, .type = HBS_REFUTABLE, .reduce = HBS_SUM };
	struct storm *storm = make_storm(context, 3, scaled(context, EPOCHS));

	storm->values = true;
	run_members(context, make_group_of(context, &attr), 3, take_part, storm);
	end_storm(storm);
}

static void processes(struct context *context)
{
	struct storm *storm = make_storm(context, 3, scaled(context, EPOCHS));
	struct hbs_group *group = make_refutable(context, 3);
	struct part part = { context, group, NULL, 0, 3, storm, 5 };
	struct child children[2];

	for (unsigned int i = 0; i < 2; i++)
		child_start(context, &children[i], hbs_group_fd(group), take_part, storm, i + 1);
	join(group, &part.me, 1);
	IS(take_part(&part), 0);
	for (unsigned int i = 0; i < 2; i++)
		child_ends(&children[i]);
	IS(barriers(group), storm->epochs);
	leave(&part.me, 1);
	end_storm(storm);
}

/* In two groups at a time, whose epochs have nothing to do with each other */
struct twins {
	struct hbs_group *groups[2];
	struct storm *storms[2];
};

static int take_part_in_both(struct part *part)
{
	struct twins *twins = part->shared;
	struct hbs_member *other;
	struct player players[2];
	unsigned int busy;

	CHECK_IS(hbs_join(twins->groups[1], &other), 0);
	players[0] = make_player(part, twins->storms[0], part->me);
	players[1] = make_player(part, twins->storms[1], other);
	players[1].seed += 1000;
	do {
		busy = 0;
		for (unsigned int i = 0; i < 2; i++) {
			if (players[i].epoch == players[i].storm->epochs)
				continue;
			busy++;
			CHECK_IS(play(&players[i]), 0);
		}
	} while (busy);
	CHECK_IS(hbs_leave(other), 0);
	return 0;
}

static void two_groups(struct context *context)
{
	struct twins twins;

	for (unsigned int i = 0; i < 2; i++) {
		twins.groups[i] = make_refutable(context, 3);
		twins.storms[i] = make_storm(context, 3, scaled(context, (i + 1) * EPOCHS / 2));
	}
	run_members(context, twins.groups[0], 3, take_part_in_both, &twins);
	for (unsigned int i = 0; i < 2; i++) {
		IS(barriers(twins.groups[i]), twins.storms[i]->epochs);
		end_storm(twins.storms[i]);
	}
}

/* A member that comes and goes, idle or not; the others are in a storm, and go on */
struct visit {
	struct hbs_group *group;
	uint64_t seed;
	unsigned int visits;
	atomic_bool over;
	int failed;
};

static int visit_once(struct visit *visit)
{
	struct hbs_member *guest;
	unsigned int epochs = random_from(&visit->seed) % 3;

	CHECK_IS(hbs_join(visit->group, &guest), 0);
	visit->visits++;
	while (epochs--) {
		CHECK_IS(be_idle(guest, 0, 0, random_from(&visit->seed) % 2), 0);
		if (!epochs && random_from(&visit->seed) % 2)
			break;
		CHECK_IS(hbs_wait(guest), 0);
	}
	if (!(random_from(&visit->seed) % 4))
		nap_us(random_from(&visit->seed) % 100);
	CHECK_IS(hbs_leave(guest), 0);
	return 0;
}

static void *visit_often(void *argument)
{
	struct visit *visit = argument;

	while (!atomic_load(&visit->over) && !visit->failed)
		visit->failed = visit_once(visit);
	if (visit->failed)
		hbs_group_destroy(visit->group);
	return NULL;
}

static int take_part_and_tell(struct part *part)
{
	struct storm *storm = part->shared;
	struct visit *visit = storm->visit;
	int failed = take_part(part);

	/* who waits for nobody is not waited for */
	if (!part->index)
		atomic_store(&visit->over, true);
	return failed;
}

/* However little is done elsewhere: a guest comes several times meanwhile */
#define EPOCHS_WITH_GUESTS 100

static void guests(struct context *context)
{
	struct hbs_group *group = make_refutable(context, 4);
	unsigned int epochs = scaled(context, EPOCHS);
	struct storm *storm =
		make_storm(context, 3, epochs < EPOCHS_WITH_GUESTS ? EPOCHS_WITH_GUESTS : epochs);
	struct visit visit = { .group = group, .seed = 6 };
	pthread_t thread;
	unsigned int failed;

	storm->guest = true;
	storm->visit = &visit;
	IS(pthread_create(&thread, NULL, visit_often, &visit), 0);
	failed = try_members(context, group, 3, take_part_and_tell, storm);
	IS(pthread_join(thread, NULL), 0);
	IS(failed, 0);
	IS(visit.failed, 0);
	assert_true(visit.visits > 2);
	end_storm(storm);
}

static int receive_all(struct player *player)
{
	struct hbs_message message;
	int ret;

	while (!(ret = hbs_message_recv(player->box, &message))) {
		uint32_t more;

		memcpy(&more, message.data, sizeof(more));
		/* the group's epochs need not begin at 0 */
		if (!player->received++)
			player->first_epoch = message.epoch - player->epoch;
		CHECK_IS(message.epoch, player->first_epoch + player->epoch);
		CHECK_IS(send_some(player, more), 0);
		atomic_fetch_sub(&oracle_of(player)->unfreed, 1);
		CHECK_IS(hbs_message_free(player->box, &message), 0);
	}
	CHECK_IS(ret, -EAGAIN);
	return 0;
}

static int rest_with_mailbox(struct player *player)
{
	struct hbs_idle idle;
	int ret;

	say(player, &idle);
	ret = hbs_idle(player->box, (int)idle.vote);
	if (!ret)
		return receive_all(player);
	CHECK(ret == 1 || ret == 2);
	return depart(player);
}

static int take_part_by_mailbox(struct part *part)
{
	struct storm *storm = part->shared;
	struct player player = make_player(part, storm, part->me);

	CHECK_IS(hbs_mailbox_open(storm->messages, part->index, &player.box), 0);
	CHECK_IS(hbs_mailbox_bind(player.box, part->me), 0);
	while (player.epoch < storm->epochs) {
		while (player.budget) {
			uint64_t part_of_it = some(&player, player.budget) + 1;

			player.budget -= part_of_it;
			CHECK_IS(send_some(&player, part_of_it), 0);
			CHECK_IS(receive_all(&player), 0);
		}
		CHECK_IS(rest_with_mailbox(&player), 0);
	}
	CHECK_IS(hbs_mailbox_close(player.box), 0);
	return 0;
}

static void mailboxes(struct context *context)
{
	for (unsigned int *n = context->threads; *n; n++) {
		struct storm *storm = make_storm(context, *n, scaled(context, EPOCHS / 4));
		struct hbs_messages_attr attr = { .members = *n, .depth = DEPTH };

		IS(hbs_messages_create(&attr, &storm->messages), 0);
		run_members(context, make_refutable(context, *n), *n, take_part_by_mailbox, storm);
		IS(hbs_messages_close(storm->messages), 0);
		end_storm(storm);
	}
}

const struct test idle_storm_tests[] = {
	{ "idle storm of threads", threads, REFUTABLE },
	{ "idle storm with values", values, REFUTABLE | VALUES },
	{ "idle storm of processes", processes, REFUTABLE },
	{ "idle storm in two groups", two_groups, REFUTABLE },
	{ "idle storm with guests", guests, REFUTABLE | MEMBERSHIP },
	{ "idle storm of mailboxes", mailboxes, REFUTABLE },
	{ 0 },
};
