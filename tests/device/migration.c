/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Migration and snapshots in the middle of a barrier, and refusal of states that
 * cannot be.
 */
#include "card.h"

#include "hw/pci/pci_regs.h"

#define G 9
/* It is looked for in the migration stream. */
#define MARK 0x0123456789abcdc0

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

/* Three members, of which two have arrived, in epoch 2; armed; marked records */
static void prepare(struct card *card)
{
	card_start(card, PROPERTIES, "");
	messages_enable(card);
	card_enable(card);
	set32(card, HBSR_INT_ENABLE, HBSR_INT_ENABLE_VIOLATION);
	set32(card, of_group(G, HBSR_GRP_VECTOR), 1);
	set64(card, of_group(G, HBSR_GRP_RECORD_ADDR(15)), MARK);
	group_enable(card, G, 3);
	join(card, G, 0);
	join(card, G, 5);
	join(card, G, 69);
	arrive(card, 0, G);
	arrive(card, 5, G);
	arrive(card, 69, G);
	arrive(card, 0, G);
	arrive(card, 0, G);
	g_assert_true(message(card, 0));
	arrive(card, 69, G);
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
	g_assert_cmpuint(reg64(card, of_group(G, HBSR_GRP_RECORD_WRITES)), ==, 2);
	assert_violation(card, 1, HBSR_VIOLATION_DOUBLE, 0, G);
	g_assert_cmphex(reg32(card, HBSR_CTL_GENERATION), ==, 0);
	g_assert_cmphex(reg32(card, HBSR_INT_ENABLE), ==, HBSR_INT_ENABLE_VIOLATION);
	g_assert_cmphex(record(card, G), ==, epoch_word(2));
}

/* The barrier goes on, MSI-X and all. */
static void assert_goes_on(struct card *card)
{
	arrive(card, 5, G);
	g_assert_cmphex(record(card, G), ==, epoch_word(3));
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
	snapshot(&card, "snapshot-load");
	assert_prepared(&card);
	g_assert_cmphex(reg32(&card, of_group(G + 1, HBSR_GRP_CTRL)), ==, 0);
	assert_goes_on(&card);
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
	LAST_ADDRESS = 28 + 15 * 8,
	CTRL = 0 - LAST_ADDRESS,
	STATUS = 4 - LAST_ADDRESS,
	EPOCH = 8 - LAST_ADDRESS,
	VACANT = 16 - LAST_ADDRESS,
	VECTOR = 20 - LAST_ADDRESS,
	NRECORDS = 24 - LAST_ADDRESS,
	ADDRESS = 28 - LAST_ADDRESS,
	P = 28 + 16 * 8 - LAST_ADDRESS,
	S = P + 16 * 8,
};

static const struct {
	const char *what;
	int offset;
	uint64_t flip; /* bits of the 8 bytes there that are changed */
} hostile[] = {
	{ "a type that the card lacks", CTRL, 0x10ULL << 32 },
	{ "not enabled, yet with members", CTRL, 1ULL << 32 },
	{ "broken without a reason", STATUS, 3ULL << 32 },
	{ "a reason without being broken", STATUS, 0x10ULL << 32 },
	{ "a reason that is none", STATUS, 0xf3ULL << 32 },
	{ "unknown status", STATUS, 0x100ULL << 32 },
	{ "an epoch of more than 48 bits", EPOCH, 1ULL << 48 },
	{ "more vacant seats than ports", VACANT, 71ULL << 32 },
	{ "a vector that is not there", VECTOR, 2ULL << 32 },
	{ "more records than there can be", NRECORDS, 0x10ULL << 32 },
	{ "a record that is not aligned", ADDRESS, 8 },
	{ "a member that is no port", P + 8, 1 << 6 },
	{ "a member far beyond the ports", P + 15 * 8, 1 },
	{ "an arrival of no member", S, 1 << 1 },
	{ "all arrived, none released", S, 1 << 5 },
};

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
	for (i = 0; at && i < G_N_ELEMENTS(hostile); i++) {
		uint64_t good, bad;

		g_test_message("%s", hostile[i].what);
		memcpy(&good, at + hostile[i].offset, sizeof(good));
		bad = good ^ GUINT64_TO_BE(hostile[i].flip);
		memcpy(at + hostile[i].offset, &bad, sizeof(bad));
		g_file_set_contents(path, stream, length, &error);
		g_assert_no_error(error);
		memcpy(at + hostile[i].offset, &good, sizeof(good));
		check_incoming_refused(PROPERTIES, path,
				       "the migrated state of group 9 is impossible");
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
	g_test_add_func("/migration/snapshot", test_snapshot);
	g_test_add_func("/migration/other-size", test_other_size);
	g_test_add_func("/migration/hostile", test_hostile);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv, add_tests);
}
