/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hbs barrier card: a card that fails, for tests. The property x-fault, set at
 * run time, says how: "silent", its BARs do not answer any more; "pulled", it
 * is out of its slot, and its configuration space does not answer either. A
 * read then gives all ones, as on a bus without a device. With the property
 * x-spurious the card has a cause of interrupts, and sends the message, as soon
 * as the driver lets vector 0.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/util.h"
#include "hw/pci/msi.h"
#include "hw/pci/msix.h"
#include "hbs.h"
#include "trace-hbs.h"

enum { FAULT_NONE, FAULT_SILENT, FAULT_PULLED, FAULT_COUNT };

static const QEnumLookup fault_names = {
    .array = (const char *const[]) {
        [FAULT_NONE] = "none",
        [FAULT_SILENT] = "silent",
        [FAULT_PULLED] = "pulled",
    },
    .size = FAULT_COUNT,
};

static uint64_t silence_read(void *opaque, hwaddr addr, unsigned size)
{
    return UINT64_MAX;
}

static void silence_write(void *opaque, hwaddr addr, uint64_t value,
                          unsigned size)
{
}

static const MemoryRegionOps silence_ops = {
    .read = silence_read,
    .write = silence_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
    .impl = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
};

static MemoryRegion *silenced(HbsState *s, unsigned i)
{
    MemoryRegion *const bars[] = {
        &s->registers, &s->port_pages, &PCI_DEVICE(s)->msix_exclusive_bar,
    };

    QEMU_BUILD_BUG_ON(ARRAY_SIZE(bars) != ARRAY_SIZE(s->silence));
    return bars[i];
}

/* A vector was unmasked. */
static int vector_used(PCIDevice *pci, unsigned vector, MSIMessage message)
{
    if (vector == 0) {
        HBS(pci)->cause |= HBSR_INT_CAUSE_VIOLATION;
        hbs_send_message(HBS(pci), vector);
    }
    return 0;
}

static void vector_released(PCIDevice *pci, unsigned vector)
{
}

/* Puts a region of silence over each BAR, disabled until the card fails. */
void hbs_fault_init(HbsState *s)
{
    unsigned i;

    if (s->spurious) {
        msix_set_vector_notifiers(PCI_DEVICE(s), vector_used, vector_released,
                                  NULL);
    }

    for (i = 0; i < ARRAY_SIZE(s->silence); i++) {
        MemoryRegion *bar = silenced(s, i);

        memory_region_init_io(&s->silence[i], OBJECT(s), &silence_ops, s,
                              "hbs-silence", memory_region_size(bar));
        memory_region_set_enabled(&s->silence[i], s->fault != FAULT_NONE);
        memory_region_add_subregion_overlap(bar, 0, &s->silence[i], 1);
    }
}

void hbs_fault_exit(HbsState *s)
{
    unsigned i;

    if (s->spurious) {
        msix_unset_vector_notifiers(PCI_DEVICE(s));
    }

    for (i = 0; i < ARRAY_SIZE(s->silence); i++) {
        memory_region_del_subregion(silenced(s, i), &s->silence[i]);
    }
}

bool hbs_is_pulled(const HbsState *s)
{
    return s->fault == FAULT_PULLED;
}

static int get_fault(Object *object, Error **errp)
{
    return HBS(object)->fault;
}

static void set_fault(Object *object, int fault, Error **errp)
{
    HbsState *s = HBS(object);
    unsigned i;

    if (fault < s->fault) {
        error_setg(errp, "hbs: a card that is %s does not become %s again",
                   fault_names.array[s->fault], fault_names.array[fault]);
        return;
    }
    s->fault = fault;
    trace_hbs_fault(fault_names.array[fault]);
    if (fault == FAULT_NONE || !DEVICE(s)->realized) {
        return;
    }
    /* The card stops where it is: no timer runs, and nothing can start one. */
    hbs_stop(s);
    for (i = 0; i < ARRAY_SIZE(s->silence); i++) {
        memory_region_set_enabled(&s->silence[i], true);
    }
}

void hbs_fault_add_property(ObjectClass *class)
{
    object_class_property_add_enum(class, "x-fault", "HbsFault", &fault_names,
                                   get_fault, set_fault);
}
