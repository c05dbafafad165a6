// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that the card and users share, and the stand-in that takes its place when
 * the card dies.
 *
 * The stand-in is made first, where failing is allowed, so that removal cannot fail.
 * It lives as long as what has the memory, which every mapping of it holds; the
 * shared pages go when the card dies and nobody can reach them any more. Memory that
 * the card has no part in is a stand-in from the beginning.
 *
 * Most of this is done under locks of the card, which all of its users need. Memory that
 * is allocated there is what is free: were it reclaimed first, one user's limit of memory,
 * or a slow disk, would hold up everybody. If there is none, the locks are let go, and
 * hbs_memory_again() reclaims some, at the user's own cost, for another try.
 */
#include <linux/cc_platform.h>
#include <linux/dma-mapping.h>
#include <linux/gfp.h>
#include <linux/mm.h>

#include "hbs.h"

/* For allocations under a lock of the card. */
#define HBS_GFP_LOCKED	(GFP_NOWAIT | __GFP_ACCOUNT | __GFP_NOWARN)

/* How often to try again; others may take what was reclaimed. */
#define HBS_MEMORY_TRIES	8

static void hbs_memory_account(struct hbs_card *card, const struct hbs_memory *memory,
			       bool more)
{
	int pages = memory->size >> PAGE_SHIFT;

	atomic_add(more ? pages : -pages, &card->pages);
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
	hbs_memory_account(card, memory, true);
	return 0;
}

/*
 * Give memory that has a stand-in its shared pages, all zeros, on a NUMA node, or on
 * the card's own for NUMA_NO_NODE.
 */
int hbs_memory_attach(struct hbs_card *card, struct hbs_memory *memory, int node)
{
	struct device *dev = &card->pdev->dev;
	int own = dev_to_node(dev);

	lockdep_assert_held(&card->mutex);

	/* The DMA API takes memory from the device's node only. */
	if (node != NUMA_NO_NODE)
		set_dev_node(dev, node);
	memory->page = dma_alloc_pages(dev, memory->size, &memory->dma, DMA_BIDIRECTIONAL,
				       HBS_GFP_LOCKED);
	set_dev_node(dev, own);
	if (!memory->page)
		return -ENOMEM;
	/* Never an error; asked because debugging of the DMA API wants it asked. */
	(void)dma_mapping_error(dev, memory->dma);
	memset(page_address(memory->page), 0, memory->size);
	hbs_memory_account(card, memory, true);
	return 0;
}

/* Take the shared pages away, if it has some; the card does not use them any more. */
void hbs_memory_detach(struct hbs_card *card, struct hbs_memory *memory)
{
	if (!memory->page)
		return;
	dma_free_pages(&card->pdev->dev, memory->size, memory->page, memory->dma,
		       DMA_BIDIRECTIONAL);
	memory->page = NULL;
	hbs_memory_account(card, memory, false);
}

/**
 * hbs_memory_again() - reclaim memory after an allocation under a lock has failed
 * @tries: how often that was so
 * @size: bytes that are enough for all that is to be allocated
 *
 * Context: without locks of the card.
 * Return: is it worth another try.
 */
bool hbs_memory_again(unsigned int tries, size_t size)
{
	void *memory;

	if (tries > HBS_MEMORY_TRIES)
		return false;
	/* Who asks for too much gets an error, and nobody is killed for it. */
	memory = alloc_pages_exact(size, GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	if (!memory)
		return false;
	free_pages_exact(memory, size);
	return true;
}

/* Let go of the stand-in, to be freed by hbs_memory_free(); the card may go then. */
void hbs_memory_release(struct hbs_card *card, const struct hbs_memory *memory)
{
	if (memory->stand_in)
		hbs_memory_account(card, memory, false);
}

void hbs_memory_free(struct hbs_memory *memory)
{
	if (memory->stand_in)
		free_pages_exact(memory->stand_in, memory->size);
}

/* What the memory is now, for the kernel. */
void *hbs_memory_base(const struct hbs_memory *memory)
{
	return memory->page ? page_address(memory->page) : memory->stand_in;
}

/*
 * The card is dead: copy the shared pages to the stand-in, results and all, and break
 * what is an epoch word there: each @stride from @first on, in the epoch that it shows.
 */
void hbs_memory_bury(struct hbs_memory *memory, u32 first, u32 stride,
		     enum hbs_reason reason)
{
	u32 offset;

	if (!memory->stand_in)
		return;
	if (memory->page)
		memcpy(memory->stand_in, page_address(memory->page), memory->size);
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

	/* What a device can access is not encrypted. */
	if (memory->page && cc_platform_has(CC_ATTR_GUEST_MEM_ENCRYPT))
		prot = pgprot_decrypted(prot);
	return vmf_insert_pfn_prot(vmf->vma, vmf->address,
				   page_to_pfn(virt_to_page(hbs_memory_base(memory) + offset)),
				   prot);
}
