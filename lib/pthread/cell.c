// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The pool of cells. Their memory is never given back: a thread that leaves a barrier
 * late may look at its cell after the barrier was destroyed, and finds an epoch that is
 * over.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

#include "../checker.h"
#include "../fork_lock.h"
#include "drop_in.h"

#define CHUNK_CELLS 256

struct chunk {
	struct chunk *next;
	struct cell cells[CHUNK_CELLS];
};

static void forget_parent(void);
static struct fork_lock lock = FORK_LOCK(forget_parent);
static struct cell *free_cells;
static struct chunk *chunks;

/* The threads that waited belong to the parent: nobody has arrived in the child */
static void forget_parent(void)
{
	for (struct chunk *chunk = chunks; chunk; chunk = chunk->next)
		for (int i = 0; i < CHUNK_CELLS; i++)
			atomic_store(&chunk->cells[i].word,
				     (uint32_t)atomic_load(&chunk->cells[i].word));
}

void hbsi_cells_adopt(void)
{
	hbsi_fork_adopt(&lock);
}

/* The lock is held */
static void put(struct cell *cell)
{
	cell->next = free_cells;
	fork_order();
	free_cells = cell;
}

static bool grow(void)
{
	struct chunk *chunk = mmap(NULL, sizeof(*chunk), PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (chunk == MAP_FAILED)
		return false;
	checker_ignore(chunk, sizeof(*chunk));
	chunk->next = chunks;
	fork_order();
	chunks = chunk;
	for (int i = 0; i < CHUNK_CELLS; i++)
		put(&chunk->cells[i]);
	return true;
}

struct cell *hbsi_cell_take(void)
{
	struct cell *cell = NULL;

	hbsi_fork_lock(&lock);
	if (free_cells || grow()) {
		cell = free_cells;
		free_cells = cell->next;
	}
	hbsi_fork_unlock(&lock);
	return cell;
}

void hbsi_cell_give(struct cell *cell)
{
	hbsi_fork_lock(&lock);
	put(cell);
	hbsi_fork_unlock(&lock);
}
