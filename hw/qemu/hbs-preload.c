/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hbs barrier card: what being preloaded into QEMU needs.
 */
#include "qemu/osdep.h"

/*
 * The object lacks QEMU's symbols in any other program: those that QEMU starts
 * (exec: migration, network scripts) could not run with it.
 */
static void __attribute__((constructor)) keep_from_children(void)
{
    unsetenv("LD_PRELOAD");
}
