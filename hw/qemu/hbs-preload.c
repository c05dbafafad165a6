/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hbs barrier card: code that the card needs because it is preloaded into QEMU.
 */
#include "qemu/osdep.h"

/*
 * In any other program the object lacks QEMU's symbols: programs that QEMU
 * starts (exec: migration, network scripts) could not run with it.
 */
static void __attribute__((constructor)) keep_from_children(void)
{
    unsetenv("LD_PRELOAD");
}
