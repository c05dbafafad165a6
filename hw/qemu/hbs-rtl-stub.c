/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hbs barrier card: in the place of its RTL, if that was not built in.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "hbs.h"

bool hbs_rtl_init(HbsState *s, Error **errp)
{
    if (s->model == HBS_MODEL_C) {
        return true;
    }
    error_setg(errp, "hbs: x-model needs a card that was built with its RTL");
    return false;
}

void hbs_rtl_exit(HbsState *s)
{
}

void hbs_rtl_reset(HbsState *s)
{
    g_assert_not_reached();
}

void hbs_rtl_wake(HbsState *s)
{
    g_assert_not_reached();
}

uint64_t hbs_rtl_read(HbsState *s, const HbsSpace *space, hwaddr addr,
                      unsigned size)
{
    g_assert_not_reached();
}

void hbs_rtl_write(HbsState *s, const HbsSpace *space, hwaddr addr,
                   uint64_t value, unsigned size)
{
    g_assert_not_reached();
}

void hbs_rtl_save(HbsState *s)
{
    g_assert_not_reached();
}

void hbs_rtl_load(HbsState *s)
{
    g_assert_not_reached();
}

bool hbs_both_write(HbsState *s, uint64_t addr, uint64_t word)
{
    g_assert_not_reached();
}

bool hbs_both_read(HbsState *s, uint64_t addr, uint64_t *word)
{
    g_assert_not_reached();
}

bool hbs_both_message(HbsState *s, unsigned vector)
{
    g_assert_not_reached();
}
