// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A process that writes anything to the memory of a group that it shares with others. The
 * others' waits may hang or end by mistake, but they do not crash, and nothing else of
 * theirs is changed. (The build with the address sanitizer sees that best.)
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "threads.h"

#define ROUND_US 30000
#define ROUNDS	 4
#define MEMBERS	 3
#define WORDS	 64 /* that are written between two looks at the clock */

static uint64_t random_from(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005 + 1442695040888963407;
	return *seed >> 16;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Everything that a member calls, over and over, whatever the calls return */
static void *take_part(void *argument)
{
	struct hbs_group *group = argument;

	for (;;) {
		struct hbs_absentee list[MEMBERS];
		struct hbs_group_stats stats = { 0 };
		struct hbs_member *me;
		uint64_t result;

		if (hbs_join(group, &me))
			continue;
		for (int i = 0; i < 20; i++) {
			int ret = hbs_allreduce(me, 1, &result);

			if (ret == -EOPNOTSUPP)
				ret = hbs_barwait(me);
			if (ret)
				break;
			if (!hbs_arrive_value(me, 2) && !hbs_wait_for(me, 1000000))
				hbs_result(me, &result);
			if (!hbs_arrive(me)) {
				poll(&(struct pollfd){ hbs_member_fd(me), POLLIN, 0 }, 1, 1);
				hbs_wait_for(me, 1000000);
			}
			hbs_group_missing(group, list, MEMBERS);
			hbs_group_stats(group, &stats);
		}
		hbs_leave(me);
		if (stats.barriers % 7 == 0)
			hbs_group_reset(group);
	}
	return NULL;
}

/* Shared by both: the victim has begun */
static atomic_bool *begun;

static void __attribute__((noreturn)) be_the_victim(int fd)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL };
	pthread_t threads[MEMBERS];
	struct hbs_group *group;
	struct hbs *hbs;

	/* cmocka has handlers for them */
	for (int i = 0; i < 4; i++)
		signal(crashes[i], SIG_DFL);
	if (hbs_open(&hbs, &(struct hbs_attr){ .backend = HBS_BACKEND_SOFTWARE }) ||
	    hbs_group_import(hbs, fd, &group))
		_exit(1);
	for (int i = 0; i < MEMBERS; i++)
		if (pthread_create(&threads[i], NULL, take_part, group))
			_exit(1);
	atomic_store(begun, true);
	usleep(2 * ROUND_US);
	/* some of them hang */
	_exit(0);
}

/* Bits, small numbers, large ones, and what is at another place already */
static uint64_t anything(uint64_t *seed, const uint64_t *memory, size_t words)
{
	switch (random_from(seed) % 4) {
	case 0:
		return random_from(seed) % 300;
	case 1:
		return 1ULL << random_from(seed) % 64;
	case 2:
		return memory[random_from(seed) % words] + random_from(seed) % 3 - 1;
	default:
		return random_from(seed) << 32 ^ random_from(seed);
	}
}

static void scribble(int fd, uint64_t *seed)
{
	struct stat file;
	uint64_t *memory;
	size_t words;
	double end;

	assert_int_equal(fstat(fd, &file), 0);
	words = (size_t)file.st_size / sizeof(*memory);
	memory = mmap(NULL, (size_t)file.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	/* before that, what it finds is only an error */
	while (!atomic_load(begun))
		usleep(1000);
	end = seconds() + ROUND_US / 1e6;
	while (seconds() < end)
		for (int i = 0; i < WORDS; i++)
			__atomic_store_n(&memory[random_from(seed) % words],
					 anything(seed, memory, words), __ATOMIC_RELAXED);
	munmap(memory, (size_t)file.st_size);
}

static void nobody_crashes(void **state)
{
	struct hbs *hbs = open_backend();
	uint64_t seed = 1;

	(void)state;
	begun = mmap(NULL, sizeof(*begun), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	assert_ptr_not_equal(begun, MAP_FAILED);
	for (uint32_t algorithm = 1; hbs_algorithm_name(algorithm); algorithm++)
		for (int round = 0; round < ROUNDS; round++) {
			struct hbs_group_attr attr = { .members = MEMBERS,
						       .reduce = round / 2 % 2 ? HBS_SUM : 0,
						       .algorithm = algorithm,
						       .timeout_ns = round % 2 ? 1000000 : 0 };
			struct hbs_group *group;
			int status, fd;
			pid_t pid;

			assert_int_equal(hbs_group_create(hbs, &attr, &group), 0);
			fd = hbs_group_fd(group);
			atomic_store(begun, false);
			pid = fork();
			assert_true(pid >= 0);
			if (!pid)
				be_the_victim(fd);
			scribble(fd, &seed);
			assert_int_equal(waitpid(pid, &status, 0), pid);
			if (!WIFEXITED(status) || WEXITSTATUS(status))
				printf("# %s, round %d: status %#x\n",
				       hbs_algorithm_name(algorithm), round, status);
			assert_true(WIFEXITED(status));
			assert_int_equal(WEXITSTATUS(status), 0);
			assert_int_equal(hbs_group_close(group), 0);
		}
	munmap(begun, sizeof(*begun));
	assert_int_equal(hbs_close(hbs), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_crashes),
	};

	return cmocka_run_group_tests_name("hostile", tests, NULL, NULL);
}
