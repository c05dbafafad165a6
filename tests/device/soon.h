/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For QEMU's libqtest, which asks every 100 ms whether a QEMU has ended, and that takes a few:
 * it asks after 1 ms
 */
#include <glib.h>

#define g_usleep(us) g_usleep((us) / 100)
