/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Differences between QEMU 7.2 and 10.0 that concern the device.
 */
#ifndef HBS_COMPAT_H
#define HBS_COMPAT_H

#include "hw/qdev-properties.h"

#if QEMU_VERSION_MAJOR < 10

#include "hw/pci/pci.h"

typedef Property HbsProperty;
#define HBS_PROPERTY_LIST(...) { __VA_ARGS__, DEFINE_PROP_END_OF_LIST() }

static inline void hbs_set_reset(DeviceClass *dc, void (*reset)(DeviceState *))
{
    dc->reset = reset;
}

#else

#include "hw/pci/pci_device.h"

typedef const Property HbsProperty;
#define HBS_PROPERTY_LIST(...) { __VA_ARGS__ }

static inline void hbs_set_reset(DeviceClass *dc, void (*reset)(DeviceState *))
{
    device_class_set_legacy_reset(dc, reset);
}

#endif

#endif /* HBS_COMPAT_H */
