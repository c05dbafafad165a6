/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's test harness. It kills a test after 30 s, but a guest on a busy machine may get a
 * tenth of a CPU. So a test has four times as long here; run-in-guest kills a program that hangs.
 */
#ifndef HBS_HARNESS_H
#define HBS_HARNESS_H

#include "kselftest_harness.h"

#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT 120

#endif /* HBS_HARNESS_H */
