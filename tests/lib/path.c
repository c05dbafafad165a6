// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How short the path of a barrier is. The test counts the instructions of
 * hbs_barwait() by running them one by one under ptrace, in a child; it also sees the
 * order of stores, and measures the memory of the handles.
 */
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_card.h"
#include "threads.h"

#define MOST_INSTRUCTIONS 40

typedef int member_call(struct hbs_member *member);

/* Two instructions: the result, and the return */
#define EMPTY_INSTRUCTIONS 2

static int empty_call(struct hbs_member *member)
{
	(void)member;
	return 0;
}

/* A member whose next barrier is over as soon as it arrives; in a child, no asserts */
static struct hbs_member *lone_member_of(enum hbs_backend backend, struct hbs_group_attr *attr)
{
	struct hbs_member *member = NULL;
	struct hbs_group *group;
	struct hbs *hbs;

	fake_reset();
	if (hbs_open(&hbs, &(struct hbs_attr){ .backend = backend }) ||
	    hbs_group_create(hbs, attr, &group) || hbs_join(group, &member))
		return NULL;
	/* the card would write that as soon as the arrival comes */
	if (backend == HBS_BACKEND_CARD && !attr->reduce)
		*fake.records[0] += HBS_WORD_EPOCH_ONE;
	return member;
}

/* Signals mark the parts to look at: the tracer sees each signal */
static void child_calls(struct hbs_member *member, member_call *call)
{
	/* the compiler must make the same indirect call of every function */
	member_call *volatile indirect = call;

	if (!member || ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(1);
	raise(SIGUSR1);
	if (indirect(member))
		_exit(1);
	raise(SIGUSR2);
	_exit(0);
}

/* The signal that the child has stopped by, or -1 */
static int stopped_by(pid_t child)
{
	int status;

	return waitpid(child, &status, 0) == child && WIFSTOPPED(status) ? WSTOPSIG(status) : -1;
}

/* Step the child from the first mark to the second, and let it end */
static long count_steps(pid_t child)
{
	int status, signal;
	long steps = 0;

	if (stopped_by(child) != SIGUSR1)
		return -1;
	do {
		if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL))
			return -1;
		signal = stopped_by(child);
		steps++;
	} while (signal == SIGTRAP);
	if (signal != SIGUSR2 || ptrace(PTRACE_CONT, child, NULL, NULL))
		return -1;
	return waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status)
		       ? steps
		       : -1;
}

static long steps_with(enum hbs_backend backend, enum hbs_group_type type, member_call *call)
{
	struct hbs_group_attr attr = { .members = 1, .type = type };
	pid_t child = fork();
	long steps;

	assert_true(child >= 0);
	if (!child)
		child_calls(lone_member_of(backend, &attr), call);
	steps = count_steps(child);
	assert_true(steps > 0);
	return steps;
}

static long instructions_of(enum hbs_backend backend, enum hbs_group_type type, member_call *call)
{
	return steps_with(backend, type, call) - steps_with(backend, type, empty_call) +
	       EMPTY_INSTRUCTIONS;
}

static long instructions(enum hbs_backend backend, member_call *call)
{
	return instructions_of(backend, HBS_BARRIER, call);
}

static void card_path(void **state)
{
	long count = instructions(HBS_BACKEND_CARD, hbs_barwait);

	(void)state;
	printf("# figure: hbs_barwait, card, release already there: %ld instructions (at most "
	       "%d)\n",
	       count, MOST_INSTRUCTIONS);
	assert_in_range(count, 5, MOST_INSTRUCTIONS);
}

static void software_path(void **state)
{
	long count = instructions(HBS_BACKEND_SOFTWARE, hbs_barwait);

	(void)state;
	/* no limit was set for it: it does the card's work as well */
	printf("# figure: hbs_barwait, software, last to arrive: %ld instructions\n", count);
	assert_in_range(count, 5, 2 * MOST_INSTRUCTIONS);
}

static int be_idle(struct hbs_member *member)
{
	static const struct hbs_idle idle;
	int ret = hbs_begin_idle(member, &idle);

	return ret ? ret : hbs_wait(member);
}

static void idle_path(void **state)
{
	long count = instructions_of(HBS_BACKEND_SOFTWARE, HBS_REFUTABLE, be_idle);

	(void)state;
	printf("# figure: hbs_begin_idle and hbs_wait, software, last to be idle: %ld "
	       "instructions\n",
	       count);
	assert_in_range(count, 5, 5 * MOST_INSTRUCTIONS);
}

/* Where a child has the arrival line of its member */
static volatile uint64_t **line_of_child;

static int arrive_with_a_value(struct hbs_member *member)
{
	return hbs_arrive_value(member, 5);
}

static void child_arrives(void)
{
	struct hbs_group_attr attr = { .members = 1,
				       .reduce = HBS_SUM,
				       .arrive_by = HBS_ARRIVE_BY_POLLING };
	struct hbs_member *member = lone_member_of(HBS_BACKEND_CARD, &attr);

	if (member)
		*line_of_child = fake_memory(0, 0);
	child_calls(member, arrive_with_a_value);
}

/* The card may look between the two stores: the word has to be the second */
static void operand_before_word(void **state)
{
	unsigned int operand_first = 0, both = 0;
	pid_t child;

	(void)state;
	line_of_child = mmap(NULL, sizeof(*line_of_child), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(line_of_child, MAP_FAILED);
	child = fork();
	assert_true(child >= 0);
	if (!child)
		child_arrives();
	assert_int_equal(stopped_by(child), SIGUSR1);
	for (int signal = SIGTRAP; signal == SIGTRAP; signal = stopped_by(child)) {
		char *line = (char *)*line_of_child;
		long word = ptrace(PTRACE_PEEKDATA, child, line + HBS_LINE_WORD, NULL);
		long operand = ptrace(PTRACE_PEEKDATA, child, line + HBS_LINE_OPERAND, NULL);

		if (word == HBS_WORD_EPOCH_ONE) {
			assert_int_equal(operand, 5);
			both++;
		} else if (operand == 5) {
			operand_first++;
		}
		assert_int_equal(ptrace(PTRACE_SINGLESTEP, child, NULL, NULL), 0);
	}
	assert_true(operand_first > 0);
	assert_true(both > 0);
	assert_int_equal(ptrace(PTRACE_CONT, child, NULL, NULL), 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	munmap(line_of_child, sizeof(*line_of_child));
}

/* The library's allocations, with what the allocator adds to each */
static size_t allocated;

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);

void *__wrap_calloc(size_t count, size_t size)
{
	void *memory = __real_calloc(count, size);

	if (memory)
		allocated += malloc_usable_size(memory) + sizeof(size_t);
	return memory;
}

static void sizes(enum hbs_backend backend, const char *name, int most_of_group, int most_of_member)
{
	struct hbs *hbs = NULL;
	struct hbs_group *group;
	struct hbs_member *member;
	size_t of_group, of_member;

	fake_reset();
	assert_int_equal(hbs_open(&hbs, &(struct hbs_attr){ .backend = backend }), 0);
	allocated = 0;
	group = create_group(hbs, 1);
	of_group = allocated;
	assert_int_equal(hbs_join(group, &member), 0);
	of_member = allocated - of_group;
	printf("# figure: %s: %zu bytes a group beside its page (at most %d), %zu a member (at "
	       "most %d)\n",
	       name, of_group, most_of_group, of_member, most_of_member);
	assert_in_range(of_group, 1, most_of_group);
	assert_in_range(of_member, 1, most_of_member);
	assert_int_equal(hbs_leave(member), 0);
	close_all(hbs, group);
}

static void card_sizes(void **state)
{
	(void)state;
	sizes(HBS_BACKEND_CARD, "card, with the thread's port", 4096, 256);
}

static void software_sizes(void **state)
{
	(void)state;
	/* so that with one member both are what a member may take in software */
	sizes(HBS_BACKEND_SOFTWARE, "software", 128, 128);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(card_path),  cmocka_unit_test(software_path),
		cmocka_unit_test(idle_path),  cmocka_unit_test(operand_before_word),
		cmocka_unit_test(card_sizes), cmocka_unit_test(software_sizes),
	};

	return cmocka_run_group_tests_name("path", tests, NULL, NULL);
}
