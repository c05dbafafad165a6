// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mappings: port pages and departure pages, and what takes their place.
 *
 * Pages come by fault only, under card->lock. When the card dies all mappings
 * are zapped, and faults from then on find a dummy page in the place of a port
 * and the tombstone in the place of a departure page. Neither ever fails with
 * SIGBUS. Such a page lives as long as the open file, which its mappings hold.
 */
#include <linux/cc_platform.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "hbs.h"

static void hbs_vm_flags(struct vm_area_struct *vma, unsigned long set,
			 unsigned long clear)
{
#ifdef HBS_HAVE_VM_FLAGS_MOD
	vm_flags_mod(vma, set, clear);
#else
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
#endif
}

/* A mapping is there or not there as a whole: its end is somebody's death. */
static int hbs_vm_may_split(struct vm_area_struct *vma, unsigned long addr)
{
	return -EINVAL;
}

/* What both kinds of mapping have in common. */
static int hbs_vm_setup(struct vm_area_struct *vma, unsigned long size,
			unsigned long clear)
{
	if (!(vma->vm_flags & VM_SHARED) || vma->vm_end - vma->vm_start != size)
		return -EINVAL;
	if (vma->vm_flags & VM_EXEC)
		return -EACCES;
	hbs_vm_flags(vma, VM_PFNMAP | VM_IO | VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP,
		     VM_MAYEXEC | clear);
	return 0;
}

/* Bytes of a port's mapping: the lanes, and not the rest of the stride. */
u32 hbs_port_map_size(const struct hbs_card *card)
{
	return PAGE_ALIGN(card->caps.groups * HBS_LANE_SIZE);
}

static void hbs_port_vm_open(struct vm_area_struct *vma)
{
	struct hbs_port *port = vma->vm_private_data;
	struct hbs_card *card = port->file->card;

	mutex_lock(&card->mutex);
	port->maps++;
	mutex_unlock(&card->mutex);
}

static void hbs_port_vm_close(struct vm_area_struct *vma)
{
	struct hbs_port *port = vma->vm_private_data;
	struct hbs_card *card = port->file->card;

	down_read(&card->lock);
	mutex_lock(&card->mutex);
	if (!--port->maps)
		hbs_port_die(port);
	mutex_unlock(&card->mutex);
	up_read(&card->lock);
}

/* A page for stores to a dead card. Its DEPARTURE lines say what happened. */
static struct page *hbs_dummy_new(enum hbs_reason reason)
{
	struct page *page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	unsigned int offset;

	if (!page)
		return NULL;
	for (offset = HBS_LANE_DEPARTURE; offset < PAGE_SIZE; offset += HBS_LANE_SIZE) {
		u64 *departure = page_address(page) + offset;

		*departure = HBS_WORD_BROKEN | reason << HBS_WORD_REASON_SHIFT;
	}
	return page;
}

static struct page *hbs_port_dummy(struct hbs_port *port, enum hbs_reason reason)
{
	struct hbs_card *card = port->file->card;

	mutex_lock(&card->mutex);
	if (!port->dummy) {
		port->dummy = hbs_dummy_new(reason);
		if (port->dummy)
			atomic_inc(&card->pages);
	}
	mutex_unlock(&card->mutex);
	return port->dummy;
}

static vm_fault_t hbs_port_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct hbs_port *port = vma->vm_private_data;
	struct hbs_card *card = port->file->card;
	unsigned long offset = vmf->address - vma->vm_start;
	struct page *page;
	phys_addr_t phys;
	vm_fault_t ret;
	int err;

	down_read(&card->lock);
	err = hbs_card_check(card, port->file->generation);
	if (!err) {
		phys = card->ports_base + (phys_addr_t)port->id * card->caps.port_stride;
		ret = vmf_insert_pfn(vma, vmf->address, (phys + offset) >> PAGE_SHIFT);
	} else {
		page = hbs_port_dummy(port, err == -ENODEV ? HBS_REASON_GONE :
					       HBS_REASON_RESET);
		ret = page ? vmf_insert_pfn_prot(vma, vmf->address, page_to_pfn(page),
						 vm_get_page_prot(vma->vm_flags)) :
			     VM_FAULT_OOM;
	}
	up_read(&card->lock);
	return ret;
}

static const struct vm_operations_struct hbs_port_vm_ops = {
	.open = hbs_port_vm_open,
	.close = hbs_port_vm_close,
	.may_split = hbs_vm_may_split,
	.fault = hbs_port_fault,
};

int hbs_port_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct hbs_file *hfile = file->private_data;
	struct hbs_card *card = hfile->card;
	const unsigned int shift = HBS_PORT_MAP_SHIFT - PAGE_SHIFT;
	unsigned long id = vma->vm_pgoff >> shift;
	struct hbs_port *port;
	int ret;

	if (vma->vm_pgoff != id << shift || id >= HBS_MAX_PORTS)
		return -EINVAL;

	down_read(&card->lock);
	mutex_lock(&card->mutex);
	ret = hbs_card_check(card, hfile->generation);
	if (ret)
		goto out;

	ret = -EINVAL;
	port = hbs_port_find(hfile, id);
	if (!port)
		goto out;

	ret = hbs_vm_setup(vma, hbs_port_map_size(card), 0);
	if (ret)
		goto out;

	/* A device's registers are not encrypted, whatever memory is. */
	vma->vm_page_prot = pgprot_decrypted(pgprot_noncached(vma->vm_page_prot));
	vma->vm_private_data = port;
	vma->vm_ops = &hbs_port_vm_ops;
	port->maps++;
out:
	mutex_unlock(&card->mutex);
	up_read(&card->lock);
	return ret;
}

static vm_fault_t hbs_group_fault(struct vm_fault *vmf)
{
	struct vm_area_struct *vma = vmf->vma;
	struct hbs_group *group = vma->vm_private_data;
	pgprot_t prot = vm_get_page_prot(vma->vm_flags);
	struct page *page;
	vm_fault_t ret;

	down_read(&group->card->lock);
	page = group->page;
	if (!page)
		page = virt_to_page(group->tombstone);
	else if (cc_platform_has(CC_ATTR_GUEST_MEM_ENCRYPT))
		/* What a device can write is not encrypted. */
		prot = pgprot_decrypted(prot);
	ret = vmf_insert_pfn_prot(vma, vmf->address, page_to_pfn(page), prot);
	up_read(&group->card->lock);
	return ret;
}

static const struct vm_operations_struct hbs_group_vm_ops = {
	.may_split = hbs_vm_may_split,
	.fault = hbs_group_fault,
};

int hbs_group_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct hbs_group_file *gfile = file->private_data;
	struct hbs_group *group = gfile->group;
	struct hbs_card *card = group->card;
	int ret;

	if (vma->vm_pgoff)
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EACCES;

	down_read(&card->lock);
	ret = hbs_card_check(card, group->generation);
	up_read(&card->lock);
	if (ret)
		return ret;

	ret = hbs_vm_setup(vma, PAGE_SIZE, VM_MAYWRITE);
	if (ret)
		return ret;
	vma->vm_private_data = group;
	vma->vm_ops = &hbs_group_vm_ops;
	return 0;
}
