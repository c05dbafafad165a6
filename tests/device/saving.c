/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "saving.h"

/* A request has to be done within this time. */
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

void migrate_to(struct card *card, const char *path)
{
	char *uri = g_strdup_printf("exec:cat >%s", path);

	qobject_unref(
		qtest_qmp(card->qts, "{ 'execute': 'migrate', 'arguments': { 'uri': %s } }", uri));
	wait_migrated(card);
	g_free(uri);
}

void start_from(struct card *card, const char *properties, const char *path)
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

void add_disk(struct card *card, const char *path)
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

void snapshot(struct card *card, const char *what)
{
	qobject_unref(qtest_qmp(card->qts,
				"{ 'execute': %s, 'arguments': { 'job-id': 'job', 'tag': 'tag',"
				" 'vmstate': 'disk', 'devices': [ 'disk' ] } }",
				what));
	finish_job(card, "job");
}
