/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HBSBENCH_BUSY_LOOP_H
#define HBSBENCH_BUSY_LOOP_H

/* Compute for ever */
_Noreturn void busy_loop(void);

#endif /* HBSBENCH_BUSY_LOOP_H */
