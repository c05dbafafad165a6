// SPDX-License-Identifier: GPL-2.0-or-later
/* What ends the benchmark at once, and what only ends its measuring */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "interrupt.h"

/* Longer than what is one interrupt, as interrupt.h has it */
#define LATER_MS 1100

/* How the child ends that is not ended by a signal, at this one of its steps */
#define STEP(n) (100 + (n))

static void sleep_ms(long ms)
{
	struct timespec left = { ms / 1000, ms % 1000 * 1000000 };

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

/* A child of the test, in which @act runs to its end. Return: its status, as wait(2) has it. */
static int status_of(void (*act)(void))
{
	int status = -1;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		act();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void must(bool good, int step)
{
	if (!good)
		_exit(STEP(step));
}

/* The first is only noted; so are those that come at once with it, whichever they are */
static void several_at_once(void)
{
	interrupt_watch();
	must(!interrupted(), 1);
	raise(SIGINT);
	must(interrupted() == SIGINT, 2);
	for (int i = 0; i < 100; i++)
		raise(i & 1 ? SIGTERM : SIGINT);
	must(interrupted() == SIGINT, 3);
}

static void second_later(void)
{
	several_at_once();
	sleep_ms(LATER_MS);
	raise(SIGINT);
}

/* It is the signal that comes last which ends the program */
static void another_later(void)
{
	several_at_once();
	sleep_ms(LATER_MS);
	raise(SIGTERM);
}

static void ignored(void)
{
	signal(SIGHUP, SIG_IGN);
	interrupt_watch();
	raise(SIGHUP);
	must(!interrupted(), 1);
	raise(SIGINT);
	sleep_ms(LATER_MS);
	raise(SIGHUP);
}

/* One that comes while they are blocked is late, not lost */
static void blocked(void)
{
	sigset_t before;

	several_at_once();
	sleep_ms(LATER_MS);
	interrupt_block(&before);
	raise(SIGINT);
	interrupt_unblock(&before);
	_exit(STEP(1));
}

static void test_at_once(void **state)
{
	(void)state;
	assert_int_equal(status_of(several_at_once), 0);
}

static void test_later(void **state)
{
	int status = status_of(second_later);

	(void)state;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGINT);
	status = status_of(another_later);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
}

static void test_ignored(void **state)
{
	(void)state;
	assert_int_equal(status_of(ignored), 0);
}

static void test_blocked(void **state)
{
	int status = status_of(blocked);

	(void)state;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGINT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_at_once),
		cmocka_unit_test(test_later),
		cmocka_unit_test(test_ignored),
		cmocka_unit_test(test_blocked),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("interrupt", tests, NULL, NULL);
}
