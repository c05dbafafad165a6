/* SPDX-License-Identifier: GPL-2.0-only */
/* A function that kernels before 6.3 lack; no part of the driver proper. */
#ifndef HBS_COMPAT_VM_FLAGS_H
#define HBS_COMPAT_VM_FLAGS_H

#include <linux/mm.h>

static inline void vm_flags_mod(struct vm_area_struct *vma, vm_flags_t set, vm_flags_t clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}

#endif /* HBS_COMPAT_VM_FLAGS_H */
