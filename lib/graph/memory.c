// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Memory for arrays. Handlers look at vertices in no order, so large pages are worth much: without
 * them most of the time goes into the translation of addresses. Large arrays come from the kernel
 * each time: memory that malloc() has had before is in small pages mostly, and has to be cleared.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "graph.h"

#define HUGE_PAGE ((size_t)2 << 20)

/* Before the array */
struct head {
	_Alignas(GRAPH_LINE) size_t mapped; /* bytes; 0: it is from the heap */
};

/* Whole large pages. What has to be mapped to get to the first one is given back. */
static struct head *map_pages(size_t bytes)
{
	size_t size = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE, before;
	char *map = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct head *head;

	if (map == MAP_FAILED)
		return NULL;
	before = -(uintptr_t)map % HUGE_PAGE;
	if (before)
		munmap(map, before);
	munmap(map + before + size, HUGE_PAGE - before);
	madvise(map + before, size, MADV_HUGEPAGE);
	head = (struct head *)(void *)(map + before);
	head->mapped = size;
	return head;
}

static struct head *from_heap(size_t bytes)
{
	struct head *head =
		aligned_alloc(GRAPH_LINE, (bytes + GRAPH_LINE - 1) / GRAPH_LINE * GRAPH_LINE);

	if (head)
		head->mapped = 0;
	return head;
}

static struct head *room(uint64_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX - 4 * HUGE_PAGE)
		return NULL;
	bytes += sizeof(struct head);
	return bytes < HUGE_PAGE ? from_heap(bytes) : map_pages(bytes);
}

void *hbsi_graph_room(uint64_t count, size_t size)
{
	struct head *head = room(count, size);

	return head ? head + 1 : NULL;
}

void *hbsi_graph_zeros(uint64_t count, size_t size)
{
	struct head *head = room(count, size);

	if (!head)
		return NULL;
	if (!head->mapped)
		memset(head + 1, 0, count * size);
	return head + 1;
}

void *hbsi_graph_edges(uint64_t count, size_t record)
{
	uint64_t more = (GRAPH_EDGES_SLACK + record - 1) / record;
	char *edges = hbsi_graph_room(count + more, record);

	if (edges)
		memset(edges + count * record, 0, more * record);
	return edges;
}

/* Kernels before 5.14 give it later */
void hbsi_graph_populate(void *array, size_t bytes)
{
	struct head *head = (struct head *)array - 1;

	if (head->mapped)
		madvise(head, sizeof(*head) + bytes, MADV_POPULATE_WRITE);
}

void hbsi_graph_free(void *array)
{
	struct head *head = (struct head *)array - !!array;

	if (array && head->mapped)
		munmap(head, head->mapped);
	else
		free(head);
}
