/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Migration and snapshots in the middle of a barrier, and refusal of states that
 * cannot be.
 */
#include "card.h"

#include "hw/pci/pci_regs.h"

#define G 9
/* It is looked for in the migration stream. */
#define MARK   0x0123456789abcdc0
#define T      1000000 /* timeout of the group, in ns */
#define AS_MAX (HBSR_REDUCE_MAX << HBSR_GRP_CTRL_REDUCE_SHIFT)

#define PROPERTIES ",ports=70"

/* What is asked for has to happen within this time. */
#define PATIENCE (30 * G_USEC_PER_SEC)

static void wait_migrated(struct card *card)
{
	gint64 end = g_get_monotonic_time() + PATIENCE;
	bool completed = false, failed = false;

	while (!completed && !failed && g_get_monotonic_time() < end) {
		QDict *answer = qtest_qmp(card->qts, "{ 'execute': 'query-migrate' }");
		QDict *result = qdict_get_qdict(answer, "return");
		const char *status = qdict_get_try_str(result, "status");

		completed = status && !strcmp(status, "completed");
		failed = status && !strcmp(status, "failed");
		qobject_unref(answer);
		g_usleep(1000);
	}
	g_assert_true(completed);
}

static void migrate_to(struct card *card, const char *path)
{
	char *uri = g_strdup_printf("exec:cat >%s", path);

	qobject_unref(
		qtest_qmp(card->qts, "{ 'execute': 'migrate', 'arguments': { 'uri': %s } }", uri));
	wait_migrated(card);
	g_free(uri);
}

static void start_from(struct card *card, const char *properties, const char *path)
{
	char *options = g_strdup_printf("-M q35 -device hbs,id=card,addr=%d%s -incoming defer",
					CARD_SLOT, properties);
	char *uri = g_strdup_printf("exec:cat %s", path);
	uint64_t bars[6];

	memcpy(bars, card->bar, sizeof(bars));
	card_start_bare(card, options);
	memcpy(card->bar, bars, sizeof(bars));
	qobject_unref(qtest_qmp(
		card->qts, "{ 'execute': 'migrate-incoming', 'arguments': { 'uri': %s } }", uri));
	wait_migrated(card);
	g_free(uri);
	g_free(options);
}

/*
 * Three members, of which two have arrived, in epoch 2; armed; marked records. The
 * group reduces, and its timer expires at T + 500.
 */
static void prepare(struct card *card)
{
	card_start(card, PROPERTIES, "");
	messages_enable(card);
	card_enable(card);
	set32(card, HBSR_INT_ENABLE, HBSR_INT_ENABLE_VIOLATION);
	set32(card, of_group(G, HBSR_GRP_VECTOR), 1);
	set64(card, of_group(G, HBSR_GRP_RECORD_ADDR(15)), MARK);
	set64(card, of_group(G, HBSR_GRP_TIMEOUT), T);
	group_enable_as(card, G, 3, AS_MAX);
	join(card, G, 0);
	join(card, G, 5);
	join(card, G, 69);
	arrive_with(card, 0, G, 10);
	arrive_with(card, 5, G, 30);
	arrive_with(card, 69, G, 20);
	qtest_clock_step(card->qts, 500);
	arrive_with(card, 0, G, 1);
	arrive_with(card, 0, G, 99);
	g_assert_true(message(card, 0));
	qtest_clock_step(card->qts, 500);
	arrive_with(card, 69, G, 3);
	set32(card, of_group(G, HBSR_GRP_ARM), 2);
}

/* The state that prepare() made, wherever it has been since */
static void assert_prepared(struct card *card)
{
	g_assert_cmphex(reg64(card, of_group(G, HBSR_GRP_P(0))), ==, 1 << 0 | 1 << 5);
	g_assert_cmphex(reg64(card, of_group(G, HBSR_GRP_P(1))), ==, 1 << 5);
	g_assert_cmphex(reg64(card, of_group(G, HBSR_GRP_S(0))), ==, 1 << 0);
	g_assert_cmphex(reg64(card, of_group(G, HBSR_GRP_S(1))), ==, 1 << 5);
	g_assert_cmpuint(reg32(card, of_group(G, HBSR_GRP_MEMBERS)), ==, 3);
	g_assert_cmpuint(reg32(card, of_group(G, HBSR_GRP_ARRIVED)), ==, 2);
	g_assert_cmphex(reg32(card, of_group(G, HBSR_GRP_STATUS)), ==, HBSR_GRP_STATUS_ARMED);
	g_assert_cmphex(reg64(card, of_group(G, HBSR_GRP_RECORD_ADDR(15))), ==, MARK);
	g_assert_cmpuint(reg64(card, of_group(G, HBSR_GRP_ARRIVALS)), ==, 5);
	g_assert_cmpuint(reg64(card, of_group(G, HBSR_GRP_COMPLETIONS)), ==, 1);
	g_assert_cmpuint(reg64(card, of_group(G, HBSR_GRP_RECORD_WRITES)), ==, 3);
	g_assert_cmphex(reg64(card, of_group(G, HBSR_GRP_TIMEOUT)), ==, T);
	g_assert_cmphex(reg64(card, of_group(G, HBSR_GRP_RESULT)), ==, 30);
	assert_violation(card, 1, HBSR_VIOLATION_DOUBLE, 0, G);
	g_assert_cmphex(reg32(card, HBSR_CTL_GENERATION), ==, 0);
	g_assert_cmphex(reg32(card, HBSR_INT_ENABLE), ==, HBSR_INT_ENABLE_VIOLATION);
	g_assert_cmphex(record(card, G), ==, epoch_word(2));
}

/* The barrier goes on, operands, MSI-X and all. */
static void assert_goes_on(struct card *card)
{
	arrive_with(card, 5, G, 2);
	g_assert_cmphex(record(card, G), ==, epoch_word(3));
	g_assert_cmphex(reg64(card, of_group(G, HBSR_GRP_RESULT)), ==, 3);
	g_assert_true(message(card, 1));
	g_assert_cmpuint(reg64(card, HBSR_CNT_INTERRUPTS), ==, 2);
}

static void test_middle(void)
{
	char *path = temporary("migration");
	struct card card;

	prepare(&card);
	migrate_to(&card, path);
	card_stop(&card);
	start_from(&card, PROPERTIES, path);
	assert_prepared(&card);
	assert_goes_on(&card);
	set32(&card, HBSR_CTL_CTRL, HBSR_CTL_CTRL_RESET);
	g_assert_cmphex(reg32(&card, HBSR_CTL_GENERATION), ==, 1);
	card_stop(&card);
	unlink(path);
	g_free(path);
}

/* What expired, and when, goes along; so does a timer that runs, by its deadline. */
static void test_timer(void)
{
	char *path = temporary("migration");
	struct card card;
	unsigned int g;

	prepare(&card);
	for (g = G + 1; g <= G + 2; g++) {
		set64(&card, of_group(g, HBSR_GRP_TIMEOUT), 100);
		group_enable_as(&card, g, 2, HBSR_POLICY_NOTIFY << HBSR_GRP_CTRL_POLICY_SHIFT);
		join(&card, g, 1);
		join(&card, g, 66);
		arrive(&card, 1, g);
		qtest_clock_step(card.qts, 100);
	}
	set64(&card, HBSR_INT_TIMEOUTS(0), 1 << (G + 1));
	migrate_to(&card, path);
	card_stop(&card);

	/* There time starts at 0 again: it is not migrated with this accelerator. */
	start_from(&card, PROPERTIES, path);
	for (g = G + 1; g <= G + 2; g++) {
		g_assert_cmphex(reg32(&card, of_group(g, HBSR_GRP_STATUS)), ==,
				HBSR_GRP_STATUS_EXPIRED);
		g_assert_cmphex(reg64(&card, of_group(g, HBSR_GRP_MISSING(0))), ==, 0);
		g_assert_cmphex(reg64(&card, of_group(g, HBSR_GRP_MISSING(1))), ==, 1 << 2);
	}
	g_assert_cmphex(reg64(&card, HBSR_INT_TIMEOUTS(0)), ==, 1 << (G + 2));
	g_assert_cmphex(reg32(&card, HBSR_INT_CAUSE) & HBSR_INT_CAUSE_TIMEOUT, ==,
			HBSR_INT_CAUSE_TIMEOUT);
	set64(&card, HBSR_INT_TIMEOUTS(0), 1 << (G + 2));
	qtest_clock_set(card.qts, T + 499);
	assert_prepared(&card);
	g_assert_cmphex(reg64(&card, HBSR_INT_TIMEOUTS(0)), ==, 0);
	qtest_clock_set(card.qts, T + 500);
	g_assert_cmphex(record(&card, G), ==, broken_word(2, HBSR_REASON_TIMEOUT));
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_MISSING(0))), ==, 1 << 5);
	g_assert_cmphex(reg64(&card, HBSR_INT_TIMEOUTS(0)), ==, 1 << G);
	g_assert_true(message(&card, 1));
	card_stop(&card);
	unlink(path);
	g_free(path);
}

/* Waits for the job of this name to end well, and dismisses it. */
static void finish_job(struct card *card, const char *name)
{
	gint64 end = g_get_monotonic_time() + PATIENCE;
	bool concluded = false;

	while (!concluded && g_get_monotonic_time() < end) {
		QDict *answer = qtest_qmp(card->qts, "{ 'execute': 'query-jobs' }");
		const QListEntry *entry = qlist_first(qdict_get_qlist(answer, "return"));
		QDict *job = entry ? qobject_to(QDict, entry->value) : NULL;

		g_assert_nonnull(job);
		concluded = !job || !strcmp(qdict_get_str(job, "status"), "concluded");
		if (job)
			g_assert_cmpstr(qdict_get_try_str(job, "error"), ==, NULL);
		qobject_unref(answer);
		g_usleep(1000);
	}
	g_assert_true(concluded);
	qobject_unref(qtest_qmp(card->qts,
				"{ 'execute': 'job-dismiss', 'arguments': { 'id': %s } }", name));
}

/* A disk for snapshots */
static void add_disk(struct card *card, const char *path)
{
	qobject_unref(qtest_qmp(card->qts,
				"{ 'execute': 'blockdev-create', 'arguments': { 'job-id': 'job',"
				" 'options': { 'driver': 'file', 'filename': %s, 'size': 0 } } }",
				path));
	finish_job(card, "job");
	qobject_unref(qtest_qmp(card->qts,
				"{ 'execute': 'blockdev-add', 'arguments': { 'driver': 'file',"
				" 'node-name': 'file', 'filename': %s } }",
				path));
	qobject_unref(qtest_qmp(card->qts,
				"{ 'execute': 'blockdev-create', 'arguments': { 'job-id': 'job',"
				" 'options': { 'driver': 'qcow2', 'file': 'file',"
				" 'size': 1048576 } } }"));
	finish_job(card, "job");
	qobject_unref(qtest_qmp(card->qts,
				"{ 'execute': 'blockdev-add', 'arguments': { 'driver': 'qcow2',"
				" 'node-name': 'disk', 'file': 'file' } }"));
}

static void snapshot(struct card *card, const char *what)
{
	qobject_unref(qtest_qmp(card->qts,
				"{ 'execute': %s, 'arguments': { 'job-id': 'job', 'tag': 'tag',"
				" 'vmstate': 'disk', 'devices': [ 'disk' ] } }",
				what));
	finish_job(card, "job");
}

/* What savevm and loadvm do: back to the middle of a barrier that has gone on */
static void test_snapshot(void)
{
	char *path = temporary("disk");
	struct card card;

	prepare(&card);
	add_disk(&card, path);
	snapshot(&card, "snapshot-save");
	assert_goes_on(&card);
	command(&card, G, HBSR_OP_BREAK, HBSR_REASON_DIED);
	group_enable(&card, G + 1, 1);
	set32(&card, HBSR_CTL_CTRL, HBSR_CTL_CTRL_RESET);
	set32(&card, of_group(G + 2, HBSR_GRP_VACANT), 2);
	set64(&card, of_group(G + 2, HBSR_GRP_TIMEOUT), T);
	set32(&card, of_group(G + 2, HBSR_GRP_CTRL), HBSR_GRP_CTRL_ENABLE);
	card_enable(&card);
	join(&card, G + 2, 0);
	arrive(&card, 0, G + 2);
	snapshot(&card, "snapshot-load");
	assert_prepared(&card);
	g_assert_cmphex(reg32(&card, of_group(G + 1, HBSR_GRP_CTRL)), ==, 0);
	assert_goes_on(&card);
	/* and the timer that ran before is gone with its group */
	qtest_clock_step(card.qts, 10 * T);
	g_assert_cmphex(reg64(&card, HBSR_INT_TIMEOUTS(0)), ==, 0);
	card_stop(&card);
	unlink(path);
	g_free(path);
}

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
	CTRL = 8 - ADDRESSES - 68,
	STATUS = CTRL + 4,
	EPOCH = STATUS + 4,
	VACANT = EPOCH + 8,
	VECTOR = VACANT + 4,
	NRECORDS = VECTOR + 4,
	COUNT = NRECORDS + 4,
	ARRIVED = COUNT + 4,
	TIMEOUT = ARRIVED + 4,
	DEADLINE = TIMEOUT + 8,
	SUM = DEADLINE + 8,
	RESULT = SUM + 8,
	ADDRESS = RESULT + 8,
	P = ADDRESS + ADDRESSES,
	S = P + MASK,
	MISSING = S + MASK,

	/* The card's own come before its first group. */
	GROUP_SIZE = MISSING + MASK + 9 * 8 - CTRL,
	PORT_ADDRS = CTRL - G * GROUP_SIZE - 1024 * 8,
	COUNTERS = PORT_ADDRS - 5 * 8,
	CAUSE_TIMEOUTS = COUNTERS - 16,
	CAUSE_GROUPS = CAUSE_TIMEOUTS - 16,
	CAUSE = CAUSE_GROUPS - 8,
	NEXT_ROUND = CAUSE - 8,
	POLL = NEXT_ROUND - 4,
	CARD_CTRL = POLL - 8,
};

/* CTRL and STATUS are two numbers of 4 bytes. */
#define HIGH(value) ((uint64_t)(value) << 32)
#define SET_UP	    HIGH(HBSR_GRP_CTRL_ENABLE | AS_MAX)
#define PREPARED    (SET_UP | HBSR_GRP_STATUS_ARMED)
#define REDUCE(x)   ((uint64_t)(x) << (32 + HBSR_GRP_CTRL_REDUCE_SHIFT))
#define POLICY(x)   ((uint64_t)(x) << (32 + HBSR_GRP_CTRL_POLICY_SHIFT))

/* Changes of 8 bytes of the stream each; a case is one or two of them. */
struct change {
	int offset;
	uint64_t was, becomes;
};

static const struct hostile {
	const char *what;
	struct change change[2];
} hostile[] = {
	{ "a type that the card lacks",
	  { { CTRL, PREPARED, SET_UP | HIGH(0x10) | HBSR_GRP_STATUS_ARMED } } },
	{ "not enabled, yet with members",
	  { { CTRL, PREPARED, HIGH(AS_MAX) } } },
	{ "a reduction that is none",
	  { { CTRL, PREPARED,
	      HIGH(HBSR_GRP_CTRL_ENABLE) | REDUCE(10) | HBSR_GRP_STATUS_ARMED } } },
	{ "a policy that is none",
	  { { CTRL, PREPARED, SET_UP | POLICY(2) | HBSR_GRP_STATUS_ARMED } } },
	{ "broken without a reason", { { STATUS, HIGH(2), HIGH(1) } } },
	{ "a reason without being broken", { { STATUS, HIGH(2), HIGH(0x12) } } },
	{ "unknown status", { { STATUS, HIGH(2), HIGH(0x102) } } },
	{ "expired, and the timer runs",
	  { { CTRL, PREPARED, SET_UP | POLICY(1) | HBSR_GRP_STATUS_EXPIRED } } },
	{ "expired, and not broken as it should",
	  { { STATUS, HIGH(2), HIGH(HBSR_GRP_STATUS_EXPIRED) }, { DEADLINE, T + 500, 0 } } },
	{ "an epoch of more than 48 bits", { { EPOCH, 2, 1ULL << 48 } } },
	{ "more vacant seats than ports", { { VACANT, 1, HIGH(71) | 1 } } },
	{ "a vector that is not there", { { VECTOR, HIGH(1) | 1, HIGH(2) | 1 } } },
	{ "more records than there can be", { { NRECORDS, HIGH(1), HIGH(17) } } },
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
}, hostile_card[] = {
	{ "unknown control", { { CARD_CTRL, HIGH(1), HIGH(3) } } },
	{ "an unknown cause", { { CAUSE, HIGH(1) | 1, HIGH(9) | 1 } } },
	{ "an unknown cause, enabled", { { CAUSE, HIGH(1) | 1, HIGH(1) | 9 } } },
	{ "an interrupt of no group", { { CAUSE_GROUPS, 0, HIGH(1) } } },
	{ "a timer of no group", { { CAUSE_TIMEOUTS + 8, 0, 1 } } },
};

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

	for (i = 0; i < 2; i++)
		if (changes[i].offset)
			change(at, changes[i].offset, back ? changes[i].becomes : changes[i].was,
			       back ? changes[i].was : changes[i].becomes);
}

static uint64_t *find_mark(char *stream, gsize length)
{
	const uint64_t mark = GUINT64_TO_BE(MARK);

	return memmem(stream, length, &mark, sizeof(mark));
}

static void test_hostile(void)
{
	char *path = temporary("migration"), *stream, *at;
	GError *error = NULL;
	struct card card;
	gsize length;
	size_t i;

	prepare(&card);
	migrate_to(&card, path);
	card_stop(&card);
	g_file_get_contents(path, &stream, &length, &error);
	g_assert_no_error(error);
	at = (char *)find_mark(stream, length);
	g_assert_nonnull(at);
	for (i = 0; at && i < G_N_ELEMENTS(hostile) + G_N_ELEMENTS(hostile_card); i++) {
		bool of_card = i >= G_N_ELEMENTS(hostile);
		const struct hostile *bad =
			of_card ? &hostile_card[i - G_N_ELEMENTS(hostile)] : &hostile[i];

		g_test_message("%s", bad->what);
		change_all(at, bad->change, false);
		g_file_set_contents(path, stream, length, &error);
		g_assert_no_error(error);
		change_all(at, bad->change, true);
		check_incoming_refused(PROPERTIES, path,
				       of_card ? "the migrated state of the card is impossible"
					       : "the migrated state of group 9 is impossible");
	}
	/* What was not changed is taken. */
	g_file_set_contents(path, stream, length, &error);
	g_assert_no_error(error);
	start_from(&card, PROPERTIES, path);
	g_assert_cmpuint(reg32(&card, of_group(G, HBSR_GRP_MEMBERS)), ==, 3);
	card_stop(&card);
	unlink(path);
	g_free(stream);
	g_free(path);
}

static void add_tests(void)
{
	g_test_add_func("/migration/middle-of-a-barrier", test_middle);
	g_test_add_func("/migration/timer", test_timer);
	g_test_add_func("/migration/snapshot", test_snapshot);
	g_test_add_func("/migration/other-size", test_other_size);
	g_test_add_func("/migration/hostile", test_hostile);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv, add_tests);
}
