// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whole programs, whose threads send each other messages and end by hbs_idle(), beside the same work
 * done alone: a heat plate, which ends by a vote of all, and shortest paths.
 */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../paths.h"
#include "conformance.h"
#include "hbs_messages.h"

#define ROWS	   MAX_THREADS /* of the plate, and one more on each side */
#define COLUMNS	   64
#define MOST_STEPS 10000

struct plate {
	double cells[2][ROWS + 2][COLUMNS]; /* before and after a step, by turns */
	double epsilon;			    /* the plate is at rest if no cell changes by more */
	atomic_bool failed;		    /* nobody may wait for room any more */
	struct hbs_messages *messages;
	unsigned int piece; /* cells in a message */
	unsigned int steps;
};

/* A part of a row at the border of two threads */
struct piece {
	uint32_t row, column;
	double cells[COLUMNS];
};

#define PIECE_BYTES(count) (offsetof(struct piece, cells) + (count) * sizeof(double))

/* A thread's part of the plate */
struct strip {
	struct plate *plate;
	struct part *part;
	struct hbs_mailbox *box;
	unsigned int first, end;	 /* its rows */
	double before[2][COLUMNS];	 /* the rows of others, next to the first and the last */
	unsigned int expected, received; /* cells of these */
	unsigned int steps;
};

static void heat(struct plate *plate)
{
	for (unsigned int column = 0; column < COLUMNS; column++) {
		plate->cells[0][0][column] = 100;
		plate->cells[1][0][column] = 100;
	}
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

/* The row after a step; returns the most that a cell of it changes */
static double step_row(const double *above, const double *row, const double *below, double *after)
{
	double most = 0;

	after[0] = row[0];
	after[COLUMNS - 1] = row[COLUMNS - 1];
	for (unsigned int i = 1; i < COLUMNS - 1; i++) {
		after[i] = (above[i] + below[i] + row[i - 1] + row[i + 1]) / 4;
		most = larger(most, fabs(after[i] - row[i]));
	}
	return most;
}

static unsigned int solve_alone(struct plate *plate)
{
	double most = INFINITY;
	unsigned int steps = 0;

	while (most > plate->epsilon) {
		double(*now)[COLUMNS] = plate->cells[steps % 2];
		double(*next)[COLUMNS] = plate->cells[++steps % 2];

		most = 0;
		for (unsigned int row = 1; row <= ROWS; row++)
			most = larger(most,
				      step_row(now[row - 1], now[row], now[row + 1], next[row]));
	}
	return steps;
}

/* Where others keep the row next to this one, of which they tell */
static double *border(struct strip *strip, uint32_t row)
{
	return row < strip->first ? strip->before[0] : strip->before[1];
}

static int take_pieces(struct strip *strip)
{
	struct hbs_message message;
	int ret;

	while (!(ret = hbs_message_recv(strip->box, &message))) {
		const struct piece *piece = message.data;
		size_t bytes = message.size - offsetof(struct piece, cells);

		CHECK(piece->row == strip->first - 1 || piece->row == strip->end);
		CHECK(piece->column + bytes / sizeof(double) <= COLUMNS);
		memcpy(border(strip, piece->row) + piece->column, piece->cells, bytes);
		strip->received += bytes / sizeof(double);
		CHECK_IS(hbs_message_free(strip->box, &message), 0);
	}
	CHECK_IS(ret, -EAGAIN);
	return 0;
}

static int send_row(struct strip *strip, uint32_t to, uint32_t row)
{
	const struct plate *plate = strip->plate;
	struct piece piece = { .row = row };
	int ret;

	for (piece.column = 0; piece.column < COLUMNS; piece.column += plate->piece) {
		unsigned int count = COLUMNS - piece.column;

		if (count > plate->piece)
			count = plate->piece;
		memcpy(piece.cells, &plate->cells[strip->steps % 2][row][piece.column],
		       count * sizeof(double));
		while ((ret = hbs_message_send(strip->box, to, &piece, PIECE_BYTES(count))) ==
		       -EAGAIN) {
			CHECK(!atomic_load(&strip->plate->failed));
			CHECK_IS(take_pieces(strip), 0);
			/* with one thread for all CPUs, the emulation goes on to the next here */
			__builtin_ia32_pause();
			sched_yield();
		}
		CHECK_IS(ret, 0);
	}
	return 0;
}

/* Returns whether the strip is at rest */
static int step_strip(struct strip *strip)
{
	double(*now)[COLUMNS] = strip->plate->cells[strip->steps % 2];
	double(*next)[COLUMNS] = strip->plate->cells[++strip->steps % 2];
	double most = 0;

	for (unsigned int row = strip->first; row < strip->end; row++)
		most = larger(most, step_row(row > strip->first ? now[row - 1] : strip->before[0],
					     now[row],
					     row < strip->end - 1 ? now[row + 1] : strip->before[1],
					     next[row]));
	return most <= strip->plate->epsilon;
}

/*
 * A step is an epoch. A thread that has to wait for the rows of its neighbours votes against the
 * end, and votes anew when it knows how much its own rows change.
 */
static int solve_strip(struct strip *strip)
{
	unsigned int rank = strip->part->index, last = strip->part->count - 1;
	int ret = 1;

	while (ret == 1) {
		unsigned int step = strip->steps;
		int at_rest = 0;

		strip->received = 0;
		CHECK(!rank || !send_row(strip, rank - 1, strip->first));
		CHECK(rank == last || !send_row(strip, rank + 1, strip->end - 1));
		do {
			CHECK_IS(take_pieces(strip), 0);
			if (strip->steps == step && strip->received == strip->expected)
				at_rest = step_strip(strip);
			ret = hbs_idle(strip->box, at_rest);
		} while (!ret);
		/* an epoch is not over while a row is on its way */
		CHECK_IS(strip->received, strip->expected);
		CHECK_IS(strip->steps, step + 1);
		CHECK(strip->steps < MOST_STEPS);
	}
	CHECK_IS(ret, 2);
	return 0;
}

static int solve(struct part *part)
{
	struct plate *plate = part->shared;
	struct strip strip = {
		.plate = plate,
		.part = part,
		.first = 1 + part->index * ROWS / part->count,
		.end = 1 + (part->index + 1) * ROWS / part->count,
		.expected = COLUMNS * ((part->index > 0) + (part->index < part->count - 1)),
	};
	int failed;

	memcpy(strip.before[0], plate->cells[0][0], sizeof(strip.before[0]));
	CHECK_IS(hbs_mailbox_open(plate->messages, part->index, &strip.box), 0);
	CHECK_IS(hbs_mailbox_bind(strip.box, part->me), 0);
	failed = solve_strip(&strip);
	if (failed)
		atomic_store(&plate->failed, true);
	CHECK_IS(hbs_mailbox_close(strip.box), 0);
	if (!part->index)
		plate->steps = strip.steps;
	return failed;
}

static void solve_plate(struct context *context, const struct hbs_messages_attr *queues,
			unsigned int piece)
{
	struct plate *plate = calloc(1, sizeof(*plate)), *alone = calloc(1, sizeof(*alone));

	assert_true(plate && alone);
	/* next to the hot row the changes fall as 24 / step; so this bounds the steps */
	alone->epsilon = 24.0 / (4 + scaled(context, 200));
	heat(alone);
	alone->steps = solve_alone(alone);
	for (unsigned int i = 0; context->threads[i]; i++) {
		struct hbs_messages_attr attr = *queues;
		unsigned int count = context->threads[i];
		struct hbs_group *group = make_refutable(context, count);

		memset(plate, 0, sizeof(*plate));
		heat(plate);
		plate->epsilon = alone->epsilon;
		plate->piece = piece;
		attr.members = count;
		IS(hbs_messages_create(&attr, &plate->messages), 0);
		run_members(context, group, count, solve, plate);
		IS(hbs_messages_close(plate->messages), 0);
		IS(plate->steps, alone->steps);
		IS(barriers(group), alone->steps);
		IS(memcmp(plate->cells[plate->steps % 2], alone->cells[plate->steps % 2],
			  sizeof(plate->cells[0])),
		   0);
	}
	free(plate);
	free(alone);
}

static void rows(struct context *context)
{
	solve_plate(context, &(struct hbs_messages_attr){ .slot = 4096 }, COLUMNS);
}

/* The largest that fit into a slot of 64 bytes; and a queue has no room for all of a row */
static void pieces(struct context *context)
{
	solve_plate(context, &(struct hbs_messages_attr){ .depth = 4 }, 6);
}

struct walk {
	struct graph *graph;
	struct hbs_messages *messages;
};

static int walk(struct part *part)
{
	struct walk *walk = part->shared;
	struct hbs_mailbox *box;
	unsigned int epochs;

	CHECK_IS(hbs_mailbox_open(walk->messages, part->index, &box), 0);
	CHECK_IS(hbs_mailbox_bind(box, part->me), 0);
	CHECK_IS(find_paths(walk->graph, box, part->index, part->count, &epochs), 2);
	CHECK_IS(epochs, barriers(part->group));
	CHECK_IS(hbs_mailbox_close(box), 0);
	return 0;
}

static void walk_graph(struct context *context, bool in_steps)
{
	unsigned int vertices = 100 + scaled(context, 2000);
	struct graph *alone = calloc(1, sizeof(*alone));
	struct walk walk_shared = { .graph = calloc(1, sizeof(struct graph)) };

	assert_true(alone && walk_shared.graph);
	make_graph(alone, vertices);
	find_paths_alone(alone);
	for (unsigned int i = 0; context->threads[i]; i++) {
		unsigned int count = context->threads[i];
		struct hbs_group *group = make_refutable(context, count);

		make_graph(walk_shared.graph, vertices);
		walk_shared.graph->in_steps = in_steps;
		IS(hbs_messages_create(&(struct hbs_messages_attr){ .members = count },
				       &walk_shared.messages),
		   0);
		run_members(context, group, count, walk, &walk_shared);
		IS(hbs_messages_close(walk_shared.messages), 0);
		IS(memcmp(walk_shared.graph->distance, alone->distance, sizeof(alone->distance)),
		   0);
	}
	free(walk_shared.graph);
	free(alone);
}

static void paths(struct context *context)
{
	walk_graph(context, false);
}

static void paths_in_steps(struct context *context)
{
	walk_graph(context, true);
}

const struct test program_tests[] = {
	{ "idle programs: a heat plate, a message for each row", rows, REFUTABLE },
	{ "idle programs: a heat plate, rows in pieces", pieces, REFUTABLE },
	{ "idle programs: shortest paths", paths, REFUTABLE },
	{ "idle programs: shortest paths in steps", paths_in_steps, REFUTABLE },
	{ 0 },
};
