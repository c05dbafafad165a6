// SPDX-License-Identifier: GPL-2.0-or-later
/* A step over hbs: mailboxes, and a refutable group whose epoch is the step */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include <hbs.h>
#include <hbs_messages.h>

#include "arena.h"
#include "cpus.h"
#include "shared/now.h"
#include "step.h"
#include "team.h"
#include "way.h"

/* Two lines of the cache: one message of a line beside its header */
#define SLOT 128

enum { THREADS, PROCESSES };

/* What the members share; in the arena, since they may be processes */
struct run {
	struct trial trial;
	bool processes;
	pthread_barrier_t meet;
	double ns;
};

static struct hbs *hbs;
static struct hbs_group *group;
static struct hbs_messages *messages;

static void must(const char *what, int ret)
{
	if (ret < 0)
		child_die(what, hbs_strerror(ret));
}

static void make(const struct run *run)
{
	struct hbs_group_attr attr = { .members = run->trial.members, .type = HBS_REFUTABLE };
	struct hbs_messages_attr space = { .members = run->trial.members, .slot = SLOT };

	must("hbs_open", hbs_open(&hbs, NULL));
	must("a refutable group", hbs_group_create(hbs, &attr, &group));
	must("hbs_messages_create", hbs_messages_create(&space, &messages));
}

/* A child of fork has only the descriptors of what its parent made */
static void import(void)
{
	int group_fd = hbs_group_fd(group), messages_fd = hbs_messages_fd(messages);

	must("hbs_open", hbs_open(&hbs, NULL));
	must("hbs_group_import", hbs_group_import(hbs, group_fd, &group));
	must("hbs_messages_import", hbs_messages_import(messages_fd, &messages));
}

static void unmake(void)
{
	must("hbs_messages_close", hbs_messages_close(messages));
	must("hbs_group_close", hbs_group_close(group));
	must("hbs_close", hbs_close(hbs));
}

static void send_all(struct hbs_mailbox *me, uint64_t step, uint32_t from, uint32_t members)
{
	for (uint32_t to = 0; to < members; to++) {
		void *slot;

		if (to == from)
			continue;
		must("hbs_message_alloc", hbs_message_alloc(me, to, &slot));
		step_fill(slot, step, from, to);
		must("hbs_message_post", hbs_message_post(me, to, STEP_BYTES));
	}
}

static void do_steps(struct hbs_mailbox *me, uint32_t member, uint32_t members, uint64_t first,
		     uint64_t count)
{
	for (uint64_t step = first; step < first + count; step++) {
		struct step_tally tally = { .step = step };
		struct hbs_message message;
		char error[STEP_ERROR_SIZE];
		int ret;

		send_all(me, step, member, members);
		while ((ret = hbs_idle(me, 0)) == 0)
			while (!hbs_message_recv(me, &message)) {
				step_take(&tally, message.data, message.size, message.from, member);
				hbs_message_free(me, &message);
			}
		must("hbs_idle", ret);
		if (!step_is_right(&tally, members, error))
			child_die(NULL, error);
	}
}

static void member_work(unsigned int number, void *arg)
{
	struct run *run = arg;
	const struct trial *trial = &run->trial;
	unsigned long warm_up = STEP_WARM_UP(trial->steps);
	struct hbs_member *member;
	struct hbs_mailbox *me;
	double start;

	if (run->processes && number)
		import();
	if (trial->pinned && !cpus_pin(number))
		child_die(NULL, "a member cannot be pinned");
	must("hbs_join", hbs_join(group, &member));
	must("hbs_mailbox_open", hbs_mailbox_open(messages, number, &me));
	must("hbs_mailbox_bind", hbs_mailbox_bind(me, member));
	pthread_barrier_wait(&run->meet);
	do_steps(me, number, trial->members, 0, warm_up);
	start = now_ns();
	do_steps(me, number, trial->members, warm_up, trial->steps);
	if (!number)
		run->ns = (now_ns() - start) / (double)trial->steps;
	pthread_barrier_wait(&run->meet);
	if (trial->pinned && !cpus_pinned(number))
		child_die(NULL, "a member was not where it was pinned");
	must("hbs_mailbox_close", hbs_mailbox_close(me));
	must("hbs_leave", hbs_leave(member));
	if (run->processes && number)
		unmake();
}

static void child_work(void *arg)
{
	static const struct contender any_threads;
	struct run *run = arg;
	pthread_barrierattr_t attr;

	pthread_barrierattr_init(&attr);
	pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&run->meet, &attr, run->trial.members);
	make(run);
	team_run(&any_threads, run->trial.members, run->processes, member_work, run);
	unmake();
}

static double hbs_run(const struct way *self, const struct trial *trial,
		      char error[CHILD_ERROR_SIZE])
{
	static struct run *run;

	if (!run)
		run = arena_map(sizeof(*run));
	*run = (struct run){ .trial = *trial, .processes = self->detail == PROCESSES };
	return child_run(child_work, run, trial->limit_s, error) ? run->ns : -1;
}

static const char *library_version(void)
{
	static char text[80];

	if (!*text && !hbs_open(&hbs, NULL)) {
		snprintf(text, sizeof(text), "libhbs of this checkout, %s", hbs_backend_name(hbs));
		hbs_close(hbs);
	}
	return *text ? text : NULL;
}

const struct way way_hbs_threads = {
	.name = "hbs-threads",
	.what = "mailboxes and hbs_idle(), members are threads",
	.ours = true,
	.detail = THREADS,
	.version = library_version,
	.run = hbs_run,
};

const struct way way_hbs_processes = {
	.name = "hbs-processes",
	.what = "mailboxes and hbs_idle(), members are processes",
	.ours = true,
	.detail = PROCESSES,
	.version = library_version,
	.run = hbs_run,
};
