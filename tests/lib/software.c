// SPDX-License-Identifier: GPL-2.0-or-later
/* What only the software backend has: ways to wait, algorithms, and its needs from Linux */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sandbox.h"
#include "threads.h"

static char empty_folder[] = "/tmp/hbs-empty-XXXXXX";

static int clean(void **state)
{
	(void)state;
	unsetenv("HBS_WAIT_POLICY");
	unsetenv("OMP_WAIT_POLICY");
	unsetenv("HBS_SPIN_NS");
	return 0;
}

/* Whether one of many members sleeps while it waits: at once, or in no long time */
static bool wait_sleeps(const struct hbs_attr *attr)
{
	const unsigned int members = 2 + (unsigned int)sysconf(_SC_NPROCESSORS_ONLN);
	struct hbs_member *me[members];
	struct hbs_group *group;
	void *result = NULL;
	pthread_t thread;
	struct hbs *hbs;
	bool slept;

	assert_int_equal(hbs_open(&hbs, attr), 0);
	group = create_group(hbs, members);
	for (unsigned int i = 0; i < members; i++)
		assert_int_equal(hbs_join(group, &me[i]), 0);
	assert_int_equal(pthread_create(&thread, NULL, barwait_in_thread, me[0]), 0);
	/* a member that never sleeps has little time for this; one that sleeps has much */
	for (int ms = 0; ms < 2000 && !count_sleeps(group); ms++) {
		struct hbs_group_stats stats;

		usleep(1000);
		assert_int_equal(hbs_group_stats(group, &stats), 0);
		if (stats.arrivals && ms > 100 && attr->wait_policy == HBS_WAIT_ACTIVE)
			break;
	}
	slept = count_sleeps(group);
	for (unsigned int i = 1; i < members; i++)
		assert_int_equal(hbs_arrive(me[i]), 0);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_null(result);
	for (unsigned int i = 0; i < members; i++)
		assert_int_equal(hbs_leave(me[i]), 0);
	close_all(hbs, group);
	return slept;
}

static void policies(void **state)
{
	struct hbs_attr active = { .backend = HBS_BACKEND_SOFTWARE,
				   .wait_policy = HBS_WAIT_ACTIVE };
	struct hbs_attr passive = { .backend = HBS_BACKEND_SOFTWARE,
				    .wait_policy = HBS_WAIT_PASSIVE };

	(void)state;
	assert_false(wait_sleeps(&active));
	assert_true(wait_sleeps(&passive));
	/* a time that somebody chose comes first */
	active.spin_ns = HBS_SPIN_NONE;
	assert_true(wait_sleeps(&active));
}

/* As the variable says, if the attribute is 0 */
static void variables(void **state)
{
	struct hbs_attr none = { .backend = HBS_BACKEND_SOFTWARE };
	struct hbs_attr passive = { .backend = HBS_BACKEND_SOFTWARE,
				    .wait_policy = HBS_WAIT_PASSIVE };
	struct hbs *hbs;

	clean(state);
	setenv("HBS_WAIT_POLICY", "active", 1);
	assert_false(wait_sleeps(&none));
	assert_true(wait_sleeps(&passive));
	setenv("OMP_WAIT_POLICY", "PASSIVE", 1);
	assert_false(wait_sleeps(&none));
	unsetenv("HBS_WAIT_POLICY");
	assert_true(wait_sleeps(&none));
	setenv("OMP_WAIT_POLICY", "Active", 1);
	assert_false(wait_sleeps(&none));
	/* OpenMP's variable is not ours to judge */
	setenv("OMP_WAIT_POLICY", "nonsense", 1);
	assert_true(wait_sleeps(&none));
	setenv("HBS_WAIT_POLICY", "nonsense", 1);
	assert_int_equal(hbs_open(&hbs, &none), -EINVAL);
	none.wait_policy = HBS_WAIT_PASSIVE + 1;
	clean(state);
	assert_int_equal(hbs_open(&hbs, &none), -EINVAL);
}

static void names(void **state)
{
	struct hbs *hbs = open_backend();

	(void)state;
	assert_string_equal(hbs_algorithm_name(HBS_ALGORITHM_AUTO), "auto");
	for (uint32_t i = 1; i <= HBS_ALGORITHM_SCAN; i++) {
		struct hbs_group_attr attr = { .members = 2, .algorithm = i };
		struct hbs_group *group;

		assert_non_null(hbs_algorithm_name(i));
		for (uint32_t j = 0; j < i; j++)
			assert_string_not_equal(hbs_algorithm_name(i), hbs_algorithm_name(j));
		assert_int_equal(hbs_group_create(hbs, &attr, &group), 0);
		assert_int_equal(hbs_group_algorithm(group), i);
		assert_int_equal(hbs_group_close(group), 0);
	}
	assert_null(hbs_algorithm_name(HBS_ALGORITHM_SCAN + 1));
	assert_null(hbs_algorithm_name(UINT32_MAX));
	assert_int_equal(hbs_close(hbs), 0);
}

#define EPOCHS 200

static void *pass_barriers(void *member)
{
	intptr_t ret = 0;

	for (int i = 0; i < EPOCHS && !ret; i++)
		ret = hbs_barwait(member);
	return (void *)ret;
}

/* Two members of a group with that algorithm, in this process; returns 0 if all went well */
static int two_members(uint32_t algorithm, uint32_t wait_policy, void *(*work)(void *))
{
	struct hbs_attr attr = { .backend = HBS_BACKEND_SOFTWARE, .wait_policy = wait_policy };
	struct hbs_group_attr group_attr = { .members = 2, .algorithm = algorithm };
	struct hbs_member *me[2];
	struct hbs_group *group;
	pthread_t threads[2];
	void *result[2];
	struct hbs *hbs;

	if (hbs_open(&hbs, &attr) || hbs_group_create(hbs, &group_attr, &group) ||
	    hbs_join(group, &me[0]) || hbs_join(group, &me[1]))
		return 1;
	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, work, me[i]))
			return 1;
	for (int i = 0; i < 2; i++)
		if (pthread_join(threads[i], &result[i]) || result[i])
			return 1;
	return 0;
}

static void in_a_child(int (*work)(uint32_t algorithm))
{
	for (uint32_t algorithm = 1; algorithm <= HBS_ALGORITHM_SCAN; algorithm++) {
		pid_t pid = fork();
		int status;

		assert_true(pid >= 0);
		if (!pid) {
			alarm(120);
			_exit(work(algorithm));
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (status)
			printf("# %s: status %#x\n", hbs_algorithm_name(algorithm), status);
		assert_int_equal(status, 0);
	}
}

/* Sleepers are woken all the same */
static int without_membarrier(uint32_t algorithm)
{
	return forbid_membarrier() || two_members(algorithm, HBS_WAIT_PASSIVE, pass_barriers);
}

static void no_membarrier(void **state)
{
	(void)state;
	in_a_child(without_membarrier);
}

/* One member of a group that this process, or its parent, has made */
static int one_member(struct hbs *hbs, int fd)
{
	struct hbs_group *group;
	struct hbs_member *me;

	return hbs_group_import(hbs, fd, &group) || hbs_join(group, &me) || pass_barriers(me);
}

/* Only one process of two is in such a sandbox; it comes when the other one sleeps */
static int one_without_membarrier(uint32_t algorithm)
{
	struct hbs_attr attr = { .backend = HBS_BACKEND_SOFTWARE, .wait_policy = HBS_WAIT_PASSIVE };
	struct hbs_group_attr group_attr = { .members = 2, .algorithm = algorithm };
	struct hbs_group *group;
	struct hbs *hbs;
	int status, ret;
	pid_t pid;

	if (hbs_open(&hbs, &attr) || hbs_group_create(hbs, &group_attr, &group))
		return 1;
	pid = fork();
	if (pid < 0)
		return 1;
	if (!pid) {
		usleep(20000);
		if (forbid_membarrier() || hbs_open(&hbs, &attr))
			_exit(1);
		_exit(one_member(hbs, hbs_group_fd(group)));
	}
	ret = one_member(hbs, hbs_group_fd(group));
	return waitpid(pid, &status, 0) != pid || status || ret;
}

static void mixed_membarrier(void **state)
{
	(void)state;
	in_a_child(one_without_membarrier);
}

/* A group of threads needs no membarrier(); and nobody hears that others can take part */
static int without_proc(uint32_t algorithm)
{
	struct hbs *hbs = open_backend();
	struct hbs_group_attr attr = { .members = 2, .algorithm = algorithm };
	struct hbs_group *shared, *group, *import;
	int ret = hbs_group_create(hbs, &attr, &shared);

	if (ret || chdir(empty_folder) || chroot(".") || !access("/proc", F_OK))
		return 1;
	if (hbs_group_import(hbs, hbs_group_fd(shared), &import) != -EOPNOTSUPP)
		return 1;
	if (hbs_group_create(hbs, &attr, &group) || hbs_group_fd(group) != -EOPNOTSUPP)
		return 1;
	return two_members(algorithm, HBS_WAIT_PASSIVE, pass_barriers);
}

static void no_proc(void **state)
{
	(void)state;
	/* another test checks what a user who is not root may do */
	if (geteuid()) {
		skip();
		return;
	}
	assert_non_null(mkdtemp(empty_folder));
	in_a_child(without_proc);
	assert_int_equal(rmdir(empty_folder), 0);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
static void *pass_without_calls(void *member)
{
	int ret = 0;

	if (hbs_barwait(member) || forbid_calls())
		_exit(1);
	for (int i = 0; i < EPOCHS && !ret; i++)
		ret = hbs_barwait(member);
	if (ret)
		_exit(1);
	/* ends the thread for the kernel, since pthread_exit() does more */
	syscall(SYS_exit, 0);
	return NULL;
}

static int without_calls(uint32_t algorithm)
{
	/* longer than any wait here; a member that never sleeps yields from time to time */
	struct hbs_attr attr = { .backend = HBS_BACKEND_SOFTWARE, .spin_ns = 100000000000 };
	struct hbs_group_attr group_attr = { .members = 2, .algorithm = algorithm };
	struct hbs_group_stats stats = { 0 };
	struct hbs_member *me[2];
	struct hbs_group *group;
	pthread_t thread;
	struct hbs *hbs;

	if (hbs_open(&hbs, &attr) || hbs_group_create(hbs, &group_attr, &group) ||
	    hbs_join(group, &me[0]) || hbs_join(group, &me[1]))
		return 1;
	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread, NULL, pass_without_calls, me[i]))
			return 1;
	while (stats.barriers < EPOCHS + 1) {
		usleep(1000);
		if (hbs_group_stats(group, &stats))
			return 1;
	}
	return stats.sleeps != 0;
}

static void no_system_calls(void **state)
{
	(void)state;
	in_a_child(without_calls);
	printf("# figure: hbs_barwait, software, spinning: 0 system calls in %d barriers of 2, "
	       "with each algorithm\n",
	       EPOCHS);
}
#endif

#define MANY 8 /* members, so that in each tree some have others above and below them */

/* With these any number of members goes on */
static bool is_full(uint32_t algorithm)
{
	return algorithm == HBS_ALGORITHM_CENTRAL || algorithm == HBS_ALGORITHM_COUNTING ||
	       algorithm == HBS_ALGORITHM_SCAN;
}

struct mortal {
	struct hbs_group *group;
	struct hbs_member *me;
	pthread_barrier_t others_leave;
};

static void *join_and_end(void *argument)
{
	struct mortal *mortal = argument;
	int ret = hbs_join(mortal->group, &mortal->me);

	pthread_barrier_wait(&mortal->others_leave);
	pthread_barrier_wait(&mortal->others_leave);
	return (void *)(intptr_t)ret;
}

/* A member whose thread ends after the others have left has left, too: new ones may come */
static void all_left_or_died(void **state)
{
	struct hbs *hbs = open_backend();

	(void)state;
	for (uint32_t algorithm = 1; algorithm <= HBS_ALGORITHM_SCAN; algorithm++) {
		struct hbs_group_attr attr = { .members = 2,
					       .algorithm = algorithm,
					       .policy = HBS_ON_THREAD_EXIT };
		struct mortal mortal = { 0 };
		struct hbs_member *me[2];
		void *result = NULL;
		pthread_t thread;

		if (is_full(algorithm))
			continue;
		assert_int_equal(pthread_barrier_init(&mortal.others_leave, NULL, 2), 0);
		assert_int_equal(hbs_group_create(hbs, &attr, &mortal.group), 0);
		assert_int_equal(hbs_join(mortal.group, &me[0]), 0);
		assert_int_equal(pthread_create(&thread, NULL, join_and_end, &mortal), 0);
		pthread_barrier_wait(&mortal.others_leave);
		assert_int_equal(hbs_leave(me[0]), 0);
		assert_int_equal(hbs_join(mortal.group, &me[0]), -ENOTCONN);
		pthread_barrier_wait(&mortal.others_leave);
		assert_int_equal(pthread_join(thread, &result), 0);
		assert_null(result);
		for (int i = 0; i < 2; i++)
			assert_int_equal(hbs_join(mortal.group, &me[i]), 0);
		assert_int_equal(hbs_leave(mortal.me), 0);
		/* which takes nothing from them */
		assert_int_equal(hbs_test(me[0]), -EINVAL);
		for (int i = 0; i < 2; i++)
			assert_int_equal(hbs_leave(me[i]), 0);
		assert_int_equal(hbs_group_close(mortal.group), 0);
		pthread_barrier_destroy(&mortal.others_leave);
	}
	assert_int_equal(hbs_close(hbs), 0);
}

/* If all members are needed, and all have left, none of their flags stays up */
static void used_again(void **state)
{
	struct hbs *hbs = open_backend();

	(void)state;
	for (uint32_t algorithm = 1; algorithm <= HBS_ALGORITHM_SCAN; algorithm++)
		for (uint32_t reduce = 0; reduce <= HBS_SUM; reduce += HBS_SUM) {
			struct hbs_group_attr attr = { .members = MANY,
						       .algorithm = algorithm,
						       .reduce = reduce };
			struct lateness use = { .members = MANY, .barriers = MANY };

			if (is_full(algorithm))
				continue;
			assert_int_equal(hbs_group_create(hbs, &attr, &use.group), 0);
			for (int again = 0; again < 3; again++) {
				atomic_store(&use.arrived, 0);
				assert_int_equal(run_threads(MANY, be_late_in_turn, &use), 0);
			}
			assert_int_equal(hbs_group_close(use.group), 0);
		}
	assert_int_equal(hbs_close(hbs), 0);
}

static unsigned int log2_of(unsigned int members)
{
	unsigned int rounds = 0;

	while (1u << rounds < members)
		rounds++;
	return rounds;
}

static bool has_rounds(uint32_t algorithm)
{
	return algorithm == HBS_ALGORITHM_BUTTERFLY || algorithm == HBS_ALGORITHM_PAIRWISE ||
	       algorithm == HBS_ALGORITHM_DISSEMINATION;
}

/* For each member: seats with two lines for their members' waits, and what its algorithm needs */
static size_t lines_of(uint32_t algorithm, unsigned int members)
{
	/* there are two halves, and with "scan" reports beside the seats */
	if (algorithm == HBS_ALGORITHM_SCAN)
		return 8;
	if (algorithm == HBS_ALGORITHM_CENTRAL || algorithm == HBS_ALGORITHM_COUNTING)
		return 6;
	return 2 + (has_rounds(algorithm) && log2_of(members) > 2 ? log2_of(members) : 2);
}

/* The memory of a group and its members that all share */
static void memory(void **state)
{
	static const unsigned int counts[] = { 2, 16, 100, 1000 };
	struct hbs *hbs = open_backend();

	(void)state;
	for (uint32_t algorithm = 1; algorithm <= HBS_ALGORITHM_SCAN; algorithm++)
		for (unsigned int i = 0; i < 4; i++) {
			unsigned int n = counts[i];
			/* eight lines of the page, and those of the members */
			size_t most = 512 + n * 64 * lines_of(algorithm, n);
			struct hbs_group_attr attr = { .members = n, .algorithm = algorithm };
			struct hbs_group *group;
			struct stat file;

			assert_int_equal(hbs_group_create(hbs, &attr, &group), 0);
			assert_int_equal(fstat(hbs_group_fd(group), &file), 0);
			if (n == 1000)
				printf("# figure: %s: %zu bytes of memory for each of %u members\n",
				       hbs_algorithm_name(algorithm), (size_t)file.st_size / n, n);
			/* whole pages */
			assert_in_range(file.st_size, 4096, most + 4095);
			assert_int_equal(hbs_group_close(group), 0);
		}
	assert_int_equal(hbs_close(hbs), 0);
}

/* Short of descriptors, each call either works or leaves nothing behind */
static void few_descriptors(void **state)
{
	struct hbs *hbs = open_backend();
	struct hbs_group *whole = create_group(hbs, 2), *group = NULL;
	struct rlimit before, limit;
	int next = dup(0);

	(void)state;
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	for (int left = 0; left < 2; left++) {
		limit = before;
		limit.rlim_cur = (rlim_t)(next + left);
		assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
		assert_int_equal(
			hbs_group_create(hbs, &(struct hbs_group_attr){ .members = 2 }, &group),
			-EMFILE);
		assert_int_equal(hbs_group_import(hbs, hbs_group_fd(whole), &group), -EMFILE);
		assert_null(group);
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(dup(0), next);
	close(next);
	close_all(hbs, whole);
}

/* A member that spins for an hour still sees that the group was destroyed */
static void break_of_a_spin(void **state)
{
	const struct hbs_attr attr = { .backend = HBS_BACKEND_SOFTWARE, .spin_ns = 3600000000000 };
	struct hbs *hbs;

	(void)state;
	assert_int_equal(hbs_open(&hbs, &attr), 0);
	for (uint32_t i = HBS_ALGORITHM_CENTRAL; hbs_algorithm_name(i); i++) {
		struct hbs_group_attr wanted = { .members = 2, .algorithm = i };
		struct hbs_group_stats stats;
		struct hbs_member *me[2];
		struct hbs_group *group;
		struct timespec give_up;
		pthread_t thread;
		void *result;

		assert_int_equal(hbs_group_create(hbs, &wanted, &group), 0);
		for (unsigned int m = 0; m < 2; m++)
			assert_int_equal(hbs_join(group, &me[m]), 0);
		assert_int_equal(pthread_create(&thread, NULL, barwait_in_thread, me[0]), 0);
		do {
			usleep(1000);
			assert_int_equal(hbs_group_stats(group, &stats), 0);
		} while (!stats.arrivals);
		usleep(1000);
		assert_int_equal(hbs_group_destroy(group), 0);
		assert_int_equal(clock_gettime(CLOCK_REALTIME, &give_up), 0);
		give_up.tv_sec += 30;
		assert_int_equal(pthread_timedjoin_np(thread, &result, &give_up), 0);
		assert_int_equal((intptr_t)result, -EIDRM);
		for (unsigned int m = 0; m < 2; m++)
			assert_int_equal(hbs_leave(me[m]), 0);
		assert_int_equal(hbs_group_close(group), 0);
	}
	assert_int_equal(hbs_close(hbs), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(policies, clean),
		cmocka_unit_test_setup_teardown(variables, clean, clean),
		cmocka_unit_test(names),
		cmocka_unit_test(break_of_a_spin),
		cmocka_unit_test(no_membarrier),
		cmocka_unit_test(mixed_membarrier),
		cmocka_unit_test(no_proc),
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
		cmocka_unit_test(no_system_calls),
#endif
		cmocka_unit_test(used_again),
		cmocka_unit_test(all_left_or_died),
		cmocka_unit_test(memory),
		cmocka_unit_test(few_descriptors),
	};

	return cmocka_run_group_tests_name("software", tests, NULL, NULL);
}
