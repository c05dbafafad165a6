// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that the card and users share, and the stand-in that takes its place when
 * the card dies.
 *
 * The driver makes the stand-in first, where it may fail, so that removal cannot fail.
 * The stand-in lives as long as the port or group that has the memory, which every
 * mapping holds. The shared pages go when the card dies and nobody can reach them any
 * more. Memory that the card does not use is a stand-in from the beginning.
 *
 * The driver frees shared pages once the card has said that it does not use them any
 * more. Until it has said so, or is fenced, they are in limbo.
 *
 * Most of this happens under locks of the card, which all of its users need. Allocations
 * there take free memory only: if they reclaimed memory, one user's limit of memory, or a
 * slow disk, would hold up everybody. If no memory is free, the caller lets go of the
 * locks, and hbs_memory_again() reclaims some, at the user's own cost, for another try.
 */
#include <linux/cc_platform.h>
#include <linux/dma-mapping.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "hbs.h"

/* For allocations under a lock of the card. */
#define HBS_GFP_LOCKED	(GFP_NOWAIT | __GFP_ACCOUNT | __GFP_NOWARN)

/* How often to try again; others may take the reclaimed memory. */
#define HBS_MEMORY_TRIES	8

static void hbs_memory_account(struct hbs_card *card, u32 size, bool more)
{
	int pages = size >> PAGE_SHIFT;

	atomic_add(more ? pages : -pages, &card->pages);
}

/* Shared pages of a NUMA node, all zeros. */
static int hbs_shared_alloc_on(struct device *dev, struct hbs_shared *shared, int node)
{
	unsigned int order = get_order(shared->size);
	struct page *page;

	page = alloc_pages_node(node, HBS_GFP_LOCKED | __GFP_ZERO, order);
	if (!page)
		return -ENOMEM;
	shared->dma = dma_map_page(dev, page, 0, shared->size, DMA_BIDIRECTIONAL);
	if (dma_mapping_error(dev, shared->dma)) {
		__free_pages(page, order);
		return -ENOMEM;
	}
	shared->page = page;
	shared->mapped = true;
	return 0;
}

/*
 * The same, near the card, where dma_alloc_pages() takes memory from. The kernel never
 * bounces these pages, and does not encrypt them.
 */
static int hbs_shared_alloc_near(struct device *dev, struct hbs_shared *shared)
{
	shared->page = dma_alloc_pages(dev, shared->size, &shared->dma, DMA_BIDIRECTIONAL,
				       HBS_GFP_LOCKED);
	if (!shared->page)
		return -ENOMEM;
	/* Never an error; but the debugging of the DMA API wants every driver to ask. */
	(void)dma_mapping_error(dev, shared->dma);
	memset(page_address(shared->page), 0, shared->size);
	return 0;
}

static void hbs_shared_free(struct hbs_card *card, struct hbs_shared *shared)
{
	struct device *dev = &card->pdev->dev;

	if (shared->mapped) {
		dma_unmap_page(dev, shared->dma, shared->size, DMA_BIDIRECTIONAL);
		__free_pages(shared->page, get_order(shared->size));
	} else {
		dma_free_pages(dev, shared->size, shared->page, shared->dma,
			       DMA_BIDIRECTIONAL);
	}
	hbs_memory_account(card, shared->size, false);
	kfree(shared);
}

/* Make the stand-in, all zeros, unless it is there. */
int hbs_memory_reserve(struct hbs_card *card, struct hbs_memory *memory, u32 size)
{
	if (memory->stand_in)
		return 0;

	memory->stand_in = alloc_pages_exact(size, HBS_GFP_LOCKED | __GFP_ZERO);
	if (!memory->stand_in)
		return -ENOMEM;
	memory->size = size;
	hbs_memory_account(card, size, true);
	return 0;
}

/**
 * hbs_memory_attach() - give memory that has a stand-in its shared pages, all zeros
 * @card: the card
 * @memory: the memory
 * @node: the NUMA node where they should be, NUMA_NO_NODE for the card's own
 *
 * If the kernel might bounce pages of other nodes, they are near the card, whatever @node
 * is.
 *
 * Return: 0 or -ENOMEM.
 */
int hbs_memory_attach(struct hbs_card *card, struct hbs_memory *memory, int node)
{
	struct device *dev = &card->pdev->dev;
	struct hbs_shared *shared;
	int ret = -ENOMEM;

	lockdep_assert_held(&card->lock);

	shared = kzalloc(sizeof(*shared), HBS_GFP_LOCKED);
	if (!shared)
		return -ENOMEM;
	shared->size = memory->size;
	if (node != NUMA_NO_NODE && dma_max_mapping_size(dev) == SIZE_MAX)
		ret = hbs_shared_alloc_on(dev, shared, node);
	if (ret)
		ret = hbs_shared_alloc_near(dev, shared);
	if (ret) {
		kfree(shared);
		return ret;
	}
	hbs_memory_account(card, shared->size, true);
	memory->shared = shared;
	return 0;
}

/**
 * hbs_memory_detach() - take the shared pages away, if the memory has some
 * @card: the card
 * @memory: the memory
 * @unused: the card does not use them any more, as it has answered, or is fenced
 */
void hbs_memory_detach(struct hbs_card *card, struct hbs_memory *memory, bool unused)
{
	struct hbs_shared *shared = memory->shared;

	lockdep_assert_held(&card->mutex);

	if (!shared)
		return;
	memory->shared = NULL;
	if (unused)
		hbs_shared_free(card, shared);
	else
		list_add(&shared->link, &card->limbo);
}

/* Free the pages in limbo: the card is fenced. */
void hbs_memory_empty_limbo(struct hbs_card *card)
{
	struct hbs_shared *shared, *next;

	lockdep_assert_held_write(&card->lock);
	lockdep_assert_held(&card->mutex);

	list_for_each_entry_safe(shared, next, &card->limbo, link)
		hbs_shared_free(card, shared);
	INIT_LIST_HEAD(&card->limbo);
}

/**
 * hbs_memory_again() - reclaim memory after an allocation under a lock has failed
 * @tries: how often an allocation has failed
 * @size: bytes that are enough for all allocations of the next try
 *
 * Context: without locks of the card.
 * Return: true if another try is worth it.
 */
bool hbs_memory_again(unsigned int tries, size_t size)
{
	void *memory;

	if (tries > HBS_MEMORY_TRIES)
		return false;
	/* If a user asks for too much, it gets an error, and the kernel kills nobody. */
	memory = alloc_pages_exact(size, GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	if (!memory)
		return false;
	free_pages_exact(memory, size);
	return true;
}

/* Take the stand-in off the card's count; hbs_memory_free() works without the card. */
void hbs_memory_release(struct hbs_card *card, const struct hbs_memory *memory)
{
	if (memory->stand_in)
		hbs_memory_account(card, memory->size, false);
}

void hbs_memory_free(struct hbs_memory *memory)
{
	if (memory->stand_in)
		free_pages_exact(memory->stand_in, memory->size);
}

/* Where the kernel finds the memory now: the shared pages, or the stand-in. */
void *hbs_memory_base(const struct hbs_memory *memory)
{
	return memory->shared ? page_address(memory->shared->page) : memory->stand_in;
}

/*
 * The card is dead: copy the shared pages to the stand-in, results and all, and break
 * every epoch word there, at each @stride from @first on, in the epoch that it shows.
 */
void hbs_memory_bury(struct hbs_memory *memory, u32 first, u32 stride,
		     enum hbs_reason reason)
{
	u32 offset;

	if (!memory->stand_in)
		return;
	if (memory->shared)
		memcpy(memory->stand_in, page_address(memory->shared->page), memory->size);
	for (offset = first; offset < memory->size; offset += stride) {
		u64 *word = memory->stand_in + offset;

		*word = hbs_word_broken(*word, reason);
	}
}

/* A page fault at @offset of the memory, under card->lock. */
vm_fault_t hbs_memory_fault(struct hbs_memory *memory, struct vm_fault *vmf,
			    unsigned long offset)
{
	pgprot_t prot = vm_get_page_prot(vmf->vma->vm_flags);

	/* Pages that a device can access are not encrypted. */
	if (memory->shared && cc_platform_has(CC_ATTR_GUEST_MEM_ENCRYPT))
		prot = pgprot_decrypted(prot);
	return vmf_insert_pfn_prot(vmf->vma, vmf->address,
				   page_to_pfn(virt_to_page(hbs_memory_base(memory) + offset)),
				   prot);
}
