/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Differences between QEMU 7.2 and 10.0 that the device meets.
 */
#ifndef HBS_COMPAT_H
#define HBS_COMPAT_H

#include "hw/qdev-properties.h"

#if QEMU_VERSION_MAJOR < 10
#define HBS_PROPERTY Property
#define HBS_PROPERTIES_END DEFINE_PROP_END_OF_LIST(),

static inline void hbs_set_reset(DeviceClass *dc, void (*reset)(DeviceState *))
{
    dc->reset = reset;
}
#else
#define HBS_PROPERTY const Property
#define HBS_PROPERTIES_END

static inline void hbs_set_reset(DeviceClass *dc, void (*reset)(DeviceState *))
{
    device_class_set_legacy_reset(dc, reset);
}
#endif

#endif /* HBS_COMPAT_H */
