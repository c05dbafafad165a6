// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mappings: a port's lanes, its memory, its waits, and the pages of a group.
 *
 * Pages come by fault only, under card->lock. When the card dies, the driver zaps all
 * mappings, and later faults find a stand-in: for memory, see memory.c; for lanes, memory
 * whose DEPARTURE lines say what happened, and which takes stores. The death of a card
 * never causes SIGBUS. A stand-in lives as long as the open file, which its mappings hold.
 */
#include <linux/mm.h>

#include "hbs.h"

/* A mapping is there as a whole or not at all, because its end means a member's death. */
static int hbs_vm_may_split(struct vm_area_struct *vma, unsigned long addr)
{
	return -EINVAL;
}

/* The part of mmap() that all kinds of mapping have in common. */
static int hbs_vm_setup(struct vm_area_struct *vma, unsigned long size,
			unsigned long clear)
{
	if (!(vma->vm_flags & VM_SHARED) || vma->vm_end - vma->vm_start != size)
		return -EINVAL;
	if (vma->vm_flags & VM_EXEC)
		return -EACCES;
	vm_flags_mod(vma, VM_PFNMAP | VM_IO | VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP,
		     VM_MAYEXEC | clear);
	return 0;
}

/*
 * The first half of a fault, before it takes a lock: make the page table, which may have
 * to reclaim memory. The page table stays while the mapping does.
 */
static vm_fault_t hbs_vm_make_table(struct vm_fault *vmf)
{
	int ret = apply_to_page_range(vmf->vma->vm_mm, vmf->address & PAGE_MASK, PAGE_SIZE,
				      NULL, NULL);

	return ret ? VM_FAULT_OOM : 0;
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

/* Insert a page of a port's lanes, from the card's BAR. */
static vm_fault_t hbs_port_fault_lane(struct hbs_port *port, struct vm_fault *vmf,
				      unsigned long offset)
{
	struct hbs_card *card = port->file->card;
	phys_addr_t phys;

	phys = card->ports_base + (phys_addr_t)port->id * card->caps.port_stride + offset;
	return vmf_insert_pfn(vmf->vma, vmf->address, phys >> PAGE_SHIFT);
}

/*
 * The same for a card that died: insert a page of the stand-in, and make that if need be.
 * If there is no memory, *@try_again says so.
 */
static vm_fault_t hbs_port_fault_dead(struct hbs_port *port, struct vm_fault *vmf,
				      unsigned long offset, enum hbs_reason reason,
				      bool *try_again)
{
	if (!port->lanes.stand_in) {
		*try_again = hbs_port_make_lanes(port);
		if (*try_again)
			return VM_FAULT_OOM;
		hbs_memory_bury(&port->lanes, HBS_LANE_DEPARTURE, HBS_LANE_SIZE, reason);
	}
	return hbs_memory_fault(&port->lanes, vmf, offset);
}

static vm_fault_t hbs_port_fault(struct vm_fault *vmf)
{
	struct hbs_port *port = vmf->vma->vm_private_data;
	unsigned long offset = vmf->address - vmf->vma->vm_start;
	struct hbs_card *card = port->file->card;
	bool try_again = false;
	vm_fault_t ret;
	int err;

	ret = hbs_vm_make_table(vmf);
	if (ret)
		return ret;

	down_read(&card->lock);
	/* Two faults may want to make the stand-in. */
	mutex_lock(&card->mutex);
	err = hbs_card_check(card, port->file->generation);
	if (!err)
		ret = hbs_port_fault_lane(port, vmf, offset);
	else
		ret = hbs_port_fault_dead(port, vmf, offset,
					  err == -ENODEV ? HBS_REASON_GONE :
							   HBS_REASON_RESET,
					  &try_again);
	mutex_unlock(&card->mutex);
	up_read(&card->lock);
	/* Without a page the CPU faults again. */
	if (try_again && hbs_memory_again(1, hbs_port_map_size(card)))
		ret = VM_FAULT_NOPAGE;
	return ret;
}

static const struct vm_operations_struct hbs_port_vm_ops = {
	.open = hbs_port_vm_open,
	.close = hbs_port_vm_close,
	.may_split = hbs_vm_may_split,
	.fault = hbs_port_fault,
};

static int hbs_port_mmap_lanes(struct hbs_port *port, struct vm_area_struct *vma)
{
	int ret = hbs_vm_setup(vma, hbs_port_map_size(port->file->card), 0);

	if (ret)
		return ret;
	/* A device's registers are not encrypted, whatever memory is. */
	vma->vm_page_prot = pgprot_decrypted(pgprot_noncached(vma->vm_page_prot));
	vma->vm_private_data = port;
	vma->vm_ops = &hbs_port_vm_ops;
	port->maps++;
	return 0;
}

static void hbs_port_memory_vm_open(struct vm_area_struct *vma)
{
	struct hbs_port *port = vma->vm_private_data;

	mutex_lock(&port->file->card->mutex);
	port->memory_maps++;
	mutex_unlock(&port->file->card->mutex);
}

static void hbs_port_memory_vm_close(struct vm_area_struct *vma)
{
	struct hbs_port *port = vma->vm_private_data;

	mutex_lock(&port->file->card->mutex);
	port->memory_maps--;
	mutex_unlock(&port->file->card->mutex);
}

static vm_fault_t hbs_port_memory_fault(struct vm_fault *vmf)
{
	struct hbs_port *port = vmf->vma->vm_private_data;
	struct hbs_card *card = port->file->card;
	vm_fault_t ret;

	ret = hbs_vm_make_table(vmf);
	if (ret)
		return ret;

	down_read(&card->lock);
	ret = hbs_memory_fault(&port->memory, vmf, vmf->address - vmf->vma->vm_start);
	up_read(&card->lock);
	return ret;
}

static const struct vm_operations_struct hbs_port_memory_vm_ops = {
	.open = hbs_port_memory_vm_open,
	.close = hbs_port_memory_vm_close,
	.may_split = hbs_vm_may_split,
	.fault = hbs_port_memory_fault,
};

static int hbs_port_mmap_memory(struct hbs_port *port, struct vm_area_struct *vma)
{
	u32 size = hbs_port_memory_size(port->file->card);
	int ret;

	if (!size)
		return -EINVAL;
	ret = hbs_vm_setup(vma, size, 0);
	if (!ret)
		ret = hbs_port_make_memory(port);
	if (ret)
		return ret;
	vma->vm_private_data = port;
	vma->vm_ops = &hbs_port_memory_vm_ops;
	port->memory_maps++;
	return 0;
}

/* The memory comes when somebody first stores there, for most ports never note anything. */
static vm_fault_t hbs_port_waits_fault(struct vm_fault *vmf)
{
	struct hbs_port *port = vmf->vma->vm_private_data;
	struct hbs_card *card = port->file->card;
	int err;

	mutex_lock(&card->mutex);
	err = hbs_port_make_waits(port);
	mutex_unlock(&card->mutex);
	/* Without a page the CPU faults again. */
	if (err)
		return hbs_memory_again(1, hbs_port_waits_size(card)) ? VM_FAULT_NOPAGE :
									VM_FAULT_OOM;
	/* It is the port's own, whatever becomes of the card. */
	return hbs_memory_fault(&port->waits, vmf, vmf->address - vmf->vma->vm_start);
}

static const struct vm_operations_struct hbs_port_waits_vm_ops = {
	.open = hbs_port_memory_vm_open,
	.close = hbs_port_memory_vm_close,
	.may_split = hbs_vm_may_split,
	.fault = hbs_port_waits_fault,
};

static int hbs_port_mmap_waits(struct hbs_port *port, struct vm_area_struct *vma)
{
	int ret = hbs_vm_setup(vma, hbs_port_waits_size(port->file->card), 0);

	if (ret)
		return ret;
	vma->vm_private_data = port;
	vma->vm_ops = &hbs_port_waits_vm_ops;
	port->memory_maps++;
	port->notes_waits = true;
	return 0;
}

int hbs_port_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct hbs_file *hfile = file->private_data;
	struct hbs_card *card = hfile->card;
	const unsigned long memory = HBS_PORT_MEMORY_OFFSET >> PAGE_SHIFT;
	const unsigned long waits = HBS_PORT_WAITS_OFFSET >> PAGE_SHIFT;
	const unsigned int shift = HBS_PORT_MAP_SHIFT - PAGE_SHIFT;
	unsigned long id = vma->vm_pgoff >> shift;
	unsigned long rest = vma->vm_pgoff - (id << shift);
	unsigned int tries = 0;
	struct hbs_port *port;
	int ret;

	if (id >= HBS_MAX_PORTS || (rest && rest != memory && rest != waits))
		return -EINVAL;

	do {
		ret = hbs_card_lock(card, hfile->generation);
		if (ret)
			return ret;
		port = hbs_port_find(hfile, id);
		if (!port)
			ret = -EINVAL;
		else if (rest == memory)
			ret = hbs_port_mmap_memory(port, vma);
		else if (rest == waits)
			ret = hbs_port_mmap_waits(port, vma);
		else
			ret = hbs_port_mmap_lanes(port, vma);
		hbs_card_unlock(card);
	} while (ret == -ENOMEM && hbs_memory_again(++tries, 2 * hbs_port_map_size(card)));
	return ret;
}

static vm_fault_t hbs_group_fault(struct vm_fault *vmf)
{
	struct hbs_group *group = vmf->vma->vm_private_data;
	unsigned long i = (vmf->address - vmf->vma->vm_start) >> PAGE_SHIFT;
	vm_fault_t ret;

	ret = hbs_vm_make_table(vmf);
	if (ret)
		return ret;

	down_read(&group->card->lock);
	ret = hbs_memory_fault(&group->pages[i], vmf, 0);
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

	ret = hbs_vm_setup(vma, group->npages * PAGE_SIZE, VM_MAYWRITE);
	if (ret)
		return ret;
	vma->vm_private_data = group;
	vma->vm_ops = &hbs_group_vm_ops;
	return 0;
}
