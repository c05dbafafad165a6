/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Another process that takes CPUs away from this one, as an administrator or a batch system does */
#ifndef HBSBENCH_NARROW_H
#define HBSBENCH_NARROW_H

/* Start it. Call this in a child, which ends if the start fails */
void narrow_start(void);

/* Let all threads of the child run on @count CPUs only, and wait until that is done */
void narrow_to(unsigned int count);

#endif /* HBSBENCH_NARROW_H */
