/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * States that a card cannot be in, which must not be loaded.
 */
#include "midway.h"
#include "saving.h"

static void check_incoming_refused(const char *properties, const char *path, const char *words)
{
	char *options = g_strdup_printf("-M q35 -device hbs,addr=%d%s -incoming 'exec:cat %s'",
					CARD_SLOT, properties, path);
	char *errors = qemu_refuses(options);

	if (!strstr(errors, words))
		g_test_message("%s", errors);
	g_assert_nonnull(strstr(errors, words));
	g_free(errors);
	g_free(options);
}

static void test_other_size(void)
{
	char *path = temporary("migration");
	struct card card;

	prepare(&card);
	migrate_to(&card, path);
	card_stop(&card);
	check_incoming_refused(",ports=71", path, "property ports differs");
	check_incoming_refused(",ports=70,groups=31", path, "property groups differs");
	check_incoming_refused(LACKING, path, "property x-features differs");
	unlink(path);
	g_free(path);
}

/*
 * Where a group's fields are in the stream, from its last record address. All
 * numbers are big-endian there.
 */
enum {
	ADDRESSES = 16 * 8,
	MASK = 16 * 8,
	CTRL = 8 - ADDRESSES - 80,
	STATUS = CTRL + 4,
	EPOCH = STATUS + 4,
	VACANT = EPOCH + 8,
	VECTOR = VACANT + 4,
	NRECORDS = VECTOR + 4,
	COUNT = NRECORDS + 4,
	ARRIVED = COUNT + 4,
	OPERATION = ARRIVED + 4, /* and its port */
	DUE = OPERATION + 8,
	TIMEOUT = DUE + 4,
	DEADLINE = TIMEOUT + 8,
	SUM = DEADLINE + 8,
	RESULT = SUM + 8,
	ADDRESS = RESULT + 8,
	P = ADDRESS + ADDRESSES,
	S = P + MASK,
	MISSING = S + MASK,
	BALANCE = MISSING + MASK + 9 * 8, /* after counters */
	V = BALANCE + 8,
	OPERANDS = V + MASK,

	/* The card's own come before its first group. */
	GROUP_SIZE = OPERANDS + 1024 * 8 + 3 * 8 - CTRL,
	PORT_ADDRS = CTRL - G * GROUP_SIZE - 1024 * 8,
	COUNTERS = PORT_ADDRS - 6 * 8,
	CAUSE_TIMEOUTS = COUNTERS - 16,
	CAUSE_GROUPS = CAUSE_TIMEOUTS - 16,
	CAUSE = CAUSE_GROUPS - 8,
	NEXT_ROUND = CAUSE - 8,
	POLL = NEXT_ROUND - 8, /* the time between rounds, after half of READY_AT */
	READY_AT = NEXT_ROUND - 12,
	MESSAGES_DUE = READY_AT - 4,
	CARD_CTRL = MESSAGES_DUE - 8, /* and the tag */
};

/* CTRL and STATUS are two numbers of 4 bytes. */
#define HIGH(value) ((uint64_t)(value) << 32)
#define CHANGES	    3 /* in a case, at most */
#define SET_UP	    HIGH(HBSR_GRP_CTRL_ENABLE | AS_MAX)
#define PREPARED    (SET_UP | HBSR_GRP_STATUS_ARMED)
#define REDUCE(x)   ((uint64_t)(x) << (32 + HBSR_GRP_CTRL_REDUCE_SHIFT))
#define POLICY(x)   ((uint64_t)(x) << (32 + HBSR_GRP_CTRL_POLICY_SHIFT))

#define COUNTS	 HIGH(HBSR_COMPLETION_COUNT << HBSR_GRP_CTRL_COMPLETION_SHIFT)
#define POLLS	 HIGH(HBSR_ARRIVAL_POLL << HBSR_GRP_CTRL_ARRIVAL_SHIFT)
#define VOTES(x) ((uint64_t)(x) << HBSR_GRP_STATUS_VOTE_SHIFT)
/* What prepare_refutable() makes */
#define IDLE                                                   \
	(HIGH(HBSR_GRP_CTRL_ENABLE | AS_REFUTABLE |            \
	      HBSR_REDUCE_SUM << HBSR_GRP_CTRL_REDUCE_SHIFT) | \
	 IDLE_STATUS)
#define IDLE_STATUS (HBSR_GRP_STATUS_ARMED | HBSR_GRP_STATUS_BLACK | VOTES(2))

/* Changes of 8 bytes of the stream each; a case is up to three of them. */
struct change {
	int offset;
	uint64_t was, becomes;
};

static const struct hostile {
	const char *what;
	struct change change[CHANGES];
} hostile[] = {
	{ "a type that the card lacks",
	  { { CTRL, PREPARED, SET_UP | HIGH(0x20) | HBSR_GRP_STATUS_ARMED } } },
	{ "not enabled, yet with members",
	  { { CTRL, PREPARED, HIGH(AS_MAX) } } },
	{ "a reduction that is none",
	  { { CTRL, PREPARED,
	      HIGH(HBSR_GRP_CTRL_ENABLE) | REDUCE(10) | HBSR_GRP_STATUS_ARMED } } },
	{ "a policy that is none",
	  { { CTRL, PREPARED, SET_UP | POLICY(2) | HBSR_GRP_STATUS_ARMED } } },
	{ "broken without a reason", { { STATUS, HIGH(2), HIGH(1) } } },
	{ "a reason without being broken", { { STATUS, HIGH(2), HIGH(0x12) } } },
	{ "unknown status", { { STATUS, HIGH(2), HIGH(0x802) } } },
	{ "a vote of a plain group", { { STATUS, HIGH(2), HIGH(2 | VOTES(2)) } } },
	{ "a plain group that is black",
	  { { STATUS, HIGH(2), HIGH(2 | HBSR_GRP_STATUS_BLACK) } } },
	{ "a balance of a plain group", { { BALANCE, 0, 1 } } },
	{ "votes in a plain group", { { V, 0, 1 } } },
	{ "expired, and the timer runs",
	  { { CTRL, PREPARED, SET_UP | POLICY(1) | HBSR_GRP_STATUS_EXPIRED } } },
	{ "expired, and not broken as it should",
	  { { STATUS, HIGH(2), HIGH(HBSR_GRP_STATUS_EXPIRED) }, { DEADLINE, T + 500, 0 } } },
	{ "an epoch of more than 48 bits", { { EPOCH, 2, 1ULL << 48 } } },
	{ "more vacant seats than ports", { { VACANT, 1, HIGH(71) | 1 } } },
	{ "a vector that is not there", { { VECTOR, HIGH(1) | 1, HIGH(2) | 1 } } },
	{ "more records than there can be", { { NRECORDS, HIGH(1), HIGH(17) } } },
	{ "a count of more than 16 bits", { { COUNT, 2, HIGH(0x10000) | 2 } } },
	{ "an arrival of nobody", { { COUNT, 2, 3 } } },
	{ "an arrival that was lost", { { COUNT, 2, 1 } } },
	{ "a completion that is none",
	  { { CTRL, PREPARED, PREPARED | HIGH(2 << HBSR_GRP_CTRL_COMPLETION_SHIFT) } } },
	{ "a way to arrive that is none",
	  { { CTRL, PREPARED, PREPARED | HIGH(2 << HBSR_GRP_CTRL_ARRIVAL_SHIFT) } } },
	{ "a departure that is none",
	  { { CTRL, PREPARED, PREPARED | HIGH(2 << HBSR_GRP_CTRL_DEPARTURE_SHIFT) } } },
	{ "a timeout of more than 48 bits", { { TIMEOUT, T, 1ULL << 48 } } },
	{ "a timer without a timeout", { { TIMEOUT, T, 0 } } },
	{ "a deadline before the start", { { DEADLINE, T + 500, 1ULL << 63 } } },
	{ "arrivals, and no timer runs", { { DEADLINE, T + 500, 0 } } },
	{ "a sum of a group that does not reduce",
	  { { CTRL, PREPARED, HIGH(1) | HBSR_GRP_STATUS_ARMED },
	    { RESULT, 30, 0 } } },
	{ "a result of a group that does not reduce",
	  { { CTRL, PREPARED, HIGH(1) | HBSR_GRP_STATUS_ARMED },
	    { SUM, 3, 0 } } },
	{ "a vote for more than all and any",
	  { { CTRL, PREPARED,
	      HIGH(HBSR_GRP_CTRL_ENABLE) | REDUCE(HBSR_REDUCE_VOTE) | HBSR_GRP_STATUS_ARMED } } },
	{ "a record that is not aligned", { { ADDRESS, 0x290000, 0x290008 } } },
	{ "a member that is no port", { { P + 8, 1 << 5, 1 << 5 | 1 << 6 } } },
	{ "a member far beyond the ports", { { P + 15 * 8, 0, 1 } } },
	{ "an arrival of no member", { { S, 1, 1 << 1 | 1 } } },
	{ "all arrived, none released", { { S, 1, 1 << 5 | 1 } } },
	{ "missing, and no port", { { MISSING + 8, 0, 1 << 6 } } },
	{ "an operation that is none", { { OPERATION, 69, HIGH(4) | 69 } } },
	{ "enabling a group that has members", { { OPERATION, 69, HIGH(1) | 69 } } },
	{ "a JOIN of a member", { { OPERATION, 69, HIGH(2) | 69 } } },
	{ "a JOIN that has nothing to wait for", { { OPERATION, 69, HIGH(2) | 1 } } },
	{ "a LEAVE that has nothing to wait for", { { OPERATION, 69, HIGH(3) | 69 } } },
	{ "an unknown kind of word to be written", { { DUE, 0, HIGH(4) } } },
	{ "a result to be written, and no word", { { DUE, 0, HIGH(2) } } },
}, hostile_card[] = {
	{ "unknown control", { { CARD_CTRL, HIGH(1) | TAG, HIGH(3) | TAG } } },
	{ "an unknown cause", { { CAUSE, HIGH(1) | 1, HIGH(9) | 1 } } },
	{ "an unknown cause, enabled", { { CAUSE, HIGH(1) | 1, HIGH(1) | 9 } } },
	{ "an interrupt of no group", { { CAUSE_GROUPS, 0, HIGH(1) } } },
	{ "a timer of no group", { { CAUSE_TIMEOUTS + 8, 0, 1 } } },
	{ "a reset that ends before the start", { { READY_AT, 0, 1ULL << 63 } } },
	{ "a message of no vector", { { MESSAGES_DUE, 0, HIGH(4) } } },
	{ "a round, and nothing to read", { { NEXT_ROUND, 0, 1 } } },
	{ "rounds without a pause", { { POLL, PERIOD, 999 } } },
	{ "a pause without an end", { { POLL, PERIOD, (1 << 30) + 1 } } },
	{ "a memory that is not aligned", { { PORT_ADDRS + 5 * 8, 0, 0x1040 } } },
	{ "a memory of no port", { { PORT_ADDRS + 70 * 8, 0, 0x1000 } } },
}, hostile_polling[] = {
	{ "all have come, none released", { { COUNT, HIGH(3) | 2, HIGH(3) | 3 } } },
	{ "more have come than are needed", { { COUNT, HIGH(3) | 2, HIGH(1) | 2 } } },
	{ "a JOIN of no port", { { OPERATION, 69, HIGH(2) | 70 } } },
	{ "a JOIN of one who is in", { { OPERATION, 69, HIGH(2) | 5 } } },
	{ "a LEAVE of no port", { { OPERATION, 69, HIGH(3) | 70 } } },
	{ "a LEAVE of one who is not in", { { OPERATION, 69, HIGH(3) | 1 } } },
	{ "a result to be written that is none", { { DUE, 0, HIGH(3) } } },
	{ "fewer have come than are there", { { COUNT, HIGH(3) | 2, HIGH(3) | 1 } } },
	{ "not enabled, and one has come",
	  { { CTRL, HIGH(POLLING | HBSR_GRP_CTRL_ENABLE), HIGH(POLLING) } } },
}, hostile_refutable[] = {
	{ "a vote of one who has not arrived", { { V, 1, 1 << 5 | 1 } } },
	{ "a vote of one who is no member", { { V + 8, 1 << 5, 1 << 4 } } },
	{ "a vote far beyond the ports", { { V + 15 * 8, 0, 1ULL << 63 } } },
	{ "a balance that is too large", { { BALANCE, 3, 1ULL << 47 } } },
	{ "a balance that is too small", { { BALANCE, 3, ~(1ULL << 47) } } },
	{ "a balance without its sign", { { BALANCE, 3, (1ULL << 48) - 1 } } },
	{ "all have voted, and none has",
	  { { CTRL, IDLE, (IDLE ^ VOTES(2)) | VOTES(1) } } },
	{ "all have arrived at balance 0, none released",
	  { { S, 1, 1 << 5 | 1 }, { COUNT, 2, 3 }, { BALANCE, 3, 0 } } },
	{ "a refutable group that counts", { { CTRL, IDLE, IDLE | COUNTS } } },
	{ "a refutable group that polls", { { CTRL, IDLE, IDLE | POLLS } } },
	{ "a plain group with all of it", { { CTRL, IDLE, IDLE ^ HIGH(AS_REFUTABLE) } } },
}, hostile_disabled[] = {
	{ "a balance", { { GROUP_SIZE + BALANCE, 0, 1 } } },
	{ "a vote", { { GROUP_SIZE + CTRL, HIGH(AS_REFUTABLE), HIGH(AS_REFUTABLE) | VOTES(3) } } },
	{ "black",
	  { { GROUP_SIZE + CTRL, HIGH(AS_REFUTABLE),
	      HIGH(AS_REFUTABLE) | HBSR_GRP_STATUS_BLACK } } },
	{ "a vote of nobody", { { GROUP_SIZE + V, 0, 1 } } },
}, hostile_rounds[] = {
	{ "lines to read, and no round", { { NEXT_ROUND, 3 * PERIOD, 0 } } },
	{ "a round before the start", { { NEXT_ROUND, 3 * PERIOD, 1ULL << 63 } } },
}, hostile_lacking[] = {
	{ "a count", { { COUNT, 0, HIGH(1) } } },
	{ "a timeout", { { TIMEOUT, 0, 1 } } },
	{ "a reduction", { { CTRL, HIGH(1), HIGH(1) | REDUCE(1) } } },
	{ "a policy", { { CTRL, HIGH(1), HIGH(1) | POLICY(1) } } },
	{ "a group that counts", { { CTRL, HIGH(1), HIGH(1) | COUNTS } } },
	{ "a group that polls", { { CTRL, HIGH(1), HIGH(1) | POLLS } } },
	{ "a refutable group", { { CTRL, HIGH(1), HIGH(1 | AS_REFUTABLE) } } },
	{ "a vote", { { STATUS, 0, HIGH(VOTES(3)) } } },
	{ "a balance", { { BALANCE, 0, 1 } } },
	{ "records of members",
	  { { CTRL, HIGH(1), HIGH(1 | 1 << HBSR_GRP_CTRL_DEPARTURE_SHIFT) } } },
}, hostile_card_lacking[] = {
	{ "a timer that expired", { { CAUSE_TIMEOUTS, 0, 1 } } },
	{ "news of a timer", { { CAUSE, 0, HIGH(HBSR_INT_CAUSE_TIMEOUT) } } },
	{ "a pause between rounds", { { POLL, PERIOD, 1000 } } },
	{ "a memory of a port", { { PORT_ADDRS, 0, 0x1000 } } },
};

#define OF_GROUP "the migrated state of group 9 is impossible"
#define OF_NEXT	 "the migrated state of group 10 is impossible"
#define OF_CARD	 "the migrated state of the card is impossible"

/* Changes what is there from one value to another. */
static void change(char *at, int offset, uint64_t from, uint64_t to)
{
	uint64_t found;

	memcpy(&found, at + offset, sizeof(found));
	g_assert_cmphex(GUINT64_FROM_BE(found), ==, from);
	to = GUINT64_TO_BE(to);
	memcpy(at + offset, &to, sizeof(to));
}

static void change_all(char *at, const struct change *changes, bool back)
{
	unsigned int i;

	for (i = 0; i < CHANGES; i++)
		if (changes[i].offset)
			change(at, changes[i].offset, back ? changes[i].becomes : changes[i].was,
			       back ? changes[i].was : changes[i].becomes);
}

static uint64_t *find_mark(char *stream, gsize length)
{
	const uint64_t mark = GUINT64_TO_BE(MARK);

	return memmem(stream, length, &mark, sizeof(mark));
}

/* The card refuses each change of a saved state, with these words. */
static void check_hostile(const char *properties, void (*prepare)(struct card *card),
			  const struct hostile *list, size_t length, const char *words)
{
	char *path = temporary("migration"), *stream, *at;
	GError *error = NULL;
	struct card card;
	gsize size;
	size_t i;

	prepare(&card);
	migrate_to(&card, path);
	card_stop(&card);
	g_file_get_contents(path, &stream, &size, &error);
	g_assert_no_error(error);
	at = (char *)find_mark(stream, size);
	g_assert_nonnull(at);
	for (i = 0; at && i < length; i++) {
		g_test_message("%s", list[i].what);
		change_all(at, list[i].change, false);
		g_file_set_contents(path, stream, size, &error);
		g_assert_no_error(error);
		change_all(at, list[i].change, true);
		check_incoming_refused(properties, path, words);
	}
	/* The card takes an unchanged state. */
	g_file_set_contents(path, stream, size, &error);
	g_assert_no_error(error);
	start_from(&card, properties, path);
	g_assert_cmpuint(reg32(&card, of_group(G, HBSR_GRP_MEMBERS)), ==, 3);
	card_stop(&card);
	unlink(path);
	g_free(stream);
	g_free(path);
}

static void test_hostile(void)
{
	check_hostile(PROPERTIES, prepare, hostile, G_N_ELEMENTS(hostile), OF_GROUP);
	check_hostile(PROPERTIES, prepare, hostile_card, G_N_ELEMENTS(hostile_card), OF_CARD);
}

static void test_hostile_polling(void)
{
	check_hostile(PROPERTIES, prepare_polling, hostile_polling, G_N_ELEMENTS(hostile_polling),
		      OF_GROUP);
	check_hostile(PROPERTIES, prepare_polling, hostile_rounds, G_N_ELEMENTS(hostile_rounds),
		      OF_CARD);
}

static void test_hostile_refutable(void)
{
	check_hostile(PROPERTIES, prepare_refutable, hostile_refutable,
		      G_N_ELEMENTS(hostile_refutable), OF_GROUP);
	check_hostile(PROPERTIES, prepare_refutable, hostile_disabled,
		      G_N_ELEMENTS(hostile_disabled), OF_NEXT);
}

/* A card cannot have been given what it lacks. */
static void test_hostile_features(void)
{
	check_hostile(LACKING, prepare_lacking, hostile_lacking, G_N_ELEMENTS(hostile_lacking),
		      OF_GROUP);
	check_hostile(LACKING, prepare_lacking, hostile_card_lacking,
		      G_N_ELEMENTS(hostile_card_lacking), OF_CARD);
}

static void add_tests(void)
{
	g_test_add_func("/saved-states/other-size", test_other_size);
	g_test_add_func("/saved-states/hostile", test_hostile);
	g_test_add_func("/saved-states/hostile-polling", test_hostile_polling);
	g_test_add_func("/saved-states/hostile-refutable", test_hostile_refutable);
	g_test_add_func("/saved-states/hostile-features", test_hostile_features);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv, add_tests);
}
