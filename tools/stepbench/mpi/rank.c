// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stepbench-rank MEMBERS STEPS PINNED: a rank of the step over MPI, which stepbench starts by
 * mpirun. Rank 0 prints the ns of a step.
 *
 * Each rank sends by MPI_Issend, and receives what it finds. When all that it has sent is
 * received, it enters an MPI_Ibarrier, and goes on receiving. When that barrier is over, all
 * that anybody has sent is received (the known "nonblocking consensus"). A rank that is in the
 * next step already must not be heard in this one, hence two tags in turns: nobody is two
 * steps ahead.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "cpus.h"
#include "shared/now.h"
#include "step.h"

static int rank, members;

_Noreturn static void give_up(const char *why)
{
	fprintf(stderr, "stepbench-rank: %s\n", why);
	MPI_Abort(MPI_COMM_WORLD, 1);
	abort();
}

static void receive(struct step_tally *tally, int tag)
{
	uint64_t words[STEP_WORDS];
	MPI_Status status;
	int found, size;

	MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &found, &status);
	if (!found)
		return;
	/* a message that is too long ends the program */
	MPI_Recv(words, STEP_BYTES, MPI_BYTE, status.MPI_SOURCE, tag, MPI_COMM_WORLD, &status);
	MPI_Get_count(&status, MPI_BYTE, &size);
	step_take(tally, words, (uint64_t)size, (uint32_t)status.MPI_SOURCE, (uint32_t)rank);
}

static int send_all(uint64_t step, int tag, MPI_Request sends[STEP_MEMBERS_MAX])
{
	/* which must not change before they are received */
	static uint64_t words[STEP_MEMBERS_MAX][STEP_WORDS];
	int count = 0;

	for (int to = 0; to < members; to++) {
		if (to == rank)
			continue;
		step_fill(words[to], step, (uint32_t)rank, (uint32_t)to);
		MPI_Issend(words[to], STEP_BYTES, MPI_BYTE, to, tag, MPI_COMM_WORLD,
			   &sends[count++]);
	}
	return count;
}

static void do_step(uint64_t step)
{
	struct step_tally tally = { .step = step };
	MPI_Request sends[STEP_MEMBERS_MAX], barrier = MPI_REQUEST_NULL;
	int tag = (int)(step & 1), count = send_all(step, tag, sends);
	char error[STEP_ERROR_SIZE];
	bool is_heard = false;
	int done = 0;

	while (!is_heard || !done) {
		receive(&tally, tag);
		if (is_heard) {
			MPI_Test(&barrier, &done, MPI_STATUS_IGNORE);
			continue;
		}
		MPI_Testall(count, sends, &done, MPI_STATUSES_IGNORE);
		if (done)
			MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
		is_heard = done;
		done = 0;
	}
	if (!step_is_right(&tally, (uint32_t)members, error))
		give_up(error);
}

static void do_steps(uint64_t first, uint64_t count)
{
	for (uint64_t step = first; step < first + count; step++)
		do_step(step);
}

int main(int argc, char **argv)
{
	uint64_t steps, warm_up;
	bool pinned;
	double start;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &members);
	if (argc != 4 || members != atoi(argv[1]) || members > STEP_MEMBERS_MAX)
		give_up("it is started by stepbench, and by Open MPI's own mpirun");
	steps = strtoull(argv[2], NULL, 10);
	warm_up = STEP_WARM_UP(steps);
	pinned = !strcmp(argv[3], "pinned");
	cpus_start();
	if (pinned && !cpus_pin((unsigned int)rank))
		give_up("a member cannot be pinned");
	MPI_Barrier(MPI_COMM_WORLD);
	do_steps(0, warm_up);
	start = now_ns();
	do_steps(warm_up, steps);
	if (!rank)
		printf("ns %.3f\n", (now_ns() - start) / (double)steps);
	if (pinned && !cpus_pinned((unsigned int)rank))
		give_up("a member was not where it was pinned");
	MPI_Finalize();
	return 0;
}
