// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The pool of cells. Their memory is never given back: who leaves a barrier late may look
 * at its cell after the barrier was destroyed, and finds an epoch that is over.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

#include "drop_in.h"

#define CHUNK_CELLS 256

struct chunk {
	struct chunk *next;
	struct cell cells[CHUNK_CELLS];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cell *free_cells;
static struct chunk *chunks;

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

/* The threads that waited are the parent's: nobody has arrived in the child */
static void in_child(void)
{
	for (struct chunk *chunk = chunks; chunk; chunk = chunk->next)
		for (int i = 0; i < CHUNK_CELLS; i++)
			atomic_store(&chunk->cells[i].word,
				     (uint32_t)atomic_load(&chunk->cells[i].word));
	pthread_mutex_unlock(&lock);
}

static bool grow(void)
{
	struct chunk *chunk = mmap(NULL, sizeof(*chunk), PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (chunk == MAP_FAILED)
		return false;
	if (!chunks)
		pthread_atfork(before_fork, after_fork, in_child);
	for (int i = 0; i < CHUNK_CELLS; i++) {
		chunk->cells[i].next = free_cells;
		free_cells = &chunk->cells[i];
	}
	chunk->next = chunks;
	chunks = chunk;
	return true;
}

struct cell *hbsi_cell_take(void)
{
	struct cell *cell = NULL;

	pthread_mutex_lock(&lock);
	if (free_cells || grow()) {
		cell = free_cells;
		free_cells = cell->next;
	}
	pthread_mutex_unlock(&lock);
	return cell;
}

void hbsi_cell_give(struct cell *cell)
{
	pthread_mutex_lock(&lock);
	cell->next = free_cells;
	free_cells = cell;
	pthread_mutex_unlock(&lock);
}
