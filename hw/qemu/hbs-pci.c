/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hbs barrier card: the PCI function, its properties and its resets.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/host-utils.h"
#include "qemu/module.h"
#include "hw/pci/msix.h"
#include "hw/pci/pcie.h"
#include "migration/vmstate.h"
#include "hbs.h"
#include "trace-hbs.h"

/* Clears the card; its generation counts the resets since power-on. */
void hbs_reset(HbsState *s)
{
    if (s->powered) {
        s->generation++;
    }
    s->powered = true;
    s->ctrl = 0;
    s->cause = 0;
    s->enable = 0;
    memset(s->cause_groups, 0, sizeof(s->cause_groups));
    memset(s->cause_timeouts, 0, sizeof(s->cause_timeouts));
    s->violations = 0;
    s->bad_accesses = 0;
    s->dma_errors = 0;
    s->interrupts = 0;
    s->violation_last = 0;
    s->poll = HBSR_CTL_POLL_DEFAULT;
    s->next_round = 0;
    memset(s->port_addr, 0, sizeof(s->port_addr));
    memset(s->group, 0, s->groups * sizeof(*s->group));
    hbs_timer_restore(s);
    hbs_poll_restore(s);
    trace_hbs_reset(s->generation);
}

/* Bus reset, function-level reset, and the reset at power-on. */
static void hbs_device_reset(DeviceState *dev)
{
    hbs_reset(HBS(dev));
}

static bool check_property(const char *name, uint32_t value, uint32_t limit,
                           Error **errp)
{
    if (value >= 1 && value <= limit) {
        return true;
    }
    error_setg(errp, "hbs: %s=%" PRIu32 " is not within 1 to %" PRIu32,
               name, value, limit);
    return false;
}

static bool init_msix(HbsState *s, Error **errp)
{
    PCIDevice *pci = PCI_DEVICE(s);
    unsigned i;

    if (msix_init_exclusive_bar(pci, HBS_VECTORS, HBSR_BAR_MSIX, errp)) {
        return false;
    }
    for (i = 0; i < HBS_VECTORS; i++) {
        msix_vector_use(pci, i);
    }
    return true;
}

static void hbs_realize(PCIDevice *pci, Error **errp)
{
    HbsState *s = HBS(pci);

    if (!check_property("ports", s->ports, HBS_MAX_PORTS, errp) ||
        !check_property("groups", s->groups, HBS_MAX_GROUPS, errp) ||
        !init_msix(s, errp)) {
        return;
    }
    if (pci_bus_is_express(pci_get_bus(pci))) {
        /* It cannot fail: the configuration space has room at offset 0x80. */
        pcie_endpoint_cap_init(pci, 0x80);
        pcie_cap_flr_init(pci);
    }
    s->features &= HBS_FEATURES;
    s->group = g_new0(HbsGroup, s->groups);
    hbs_timer_init(s);
    hbs_poll_init(s);

    memory_region_init_io(&s->registers, OBJECT(s), &hbs_register_ops, s,
                          "hbs-registers", HBSR_BAR0_SIZE);
    pci_register_bar(pci, HBSR_BAR_REGISTERS, PCI_BASE_ADDRESS_SPACE_MEMORY,
                     &s->registers);
    memory_region_init_io(&s->port_pages, OBJECT(s), &hbs_port_ops, s,
                          "hbs-ports",
                          pow2ceil(s->ports) * HBSR_ID_PORT_STRIDE_DEFAULT);
    /* Prefetchable only so that a bridge can have it above 4 GiB. */
    pci_register_bar(pci, HBSR_BAR_PORTS,
                     PCI_BASE_ADDRESS_SPACE_MEMORY |
                     PCI_BASE_ADDRESS_MEM_TYPE_64 |
                     PCI_BASE_ADDRESS_MEM_PREFETCH, &s->port_pages);
}

static void hbs_exit(PCIDevice *pci)
{
    HbsState *s = HBS(pci);

    msix_uninit_exclusive_bar(pci);
    if (pci_is_express(pci) && pci_bus_is_express(pci_get_bus(pci))) {
        pcie_cap_exit(pci);
    }
    hbs_timer_exit(s);
    hbs_poll_exit(s);
    g_free(s->group);
}

static void hbs_write_config(PCIDevice *pci, uint32_t addr, uint32_t value,
                             int size)
{
    pci_default_write_config(pci, addr, value, size);
    if (pci_bus_is_express(pci_get_bus(pci))) {
        pcie_cap_flr_write_config(pci, addr, value, size);
    }
}

static void hbs_instance_init(Object *object)
{
    /* The size of the configuration space is fixed before realize. */
    PCI_DEVICE(object)->cap_present |= QEMU_PCI_CAP_EXPRESS;
}

static HbsProperty hbs_properties[] = HBS_PROPERTY_LIST(
    DEFINE_PROP_UINT32("ports", HbsState, ports, 64),
    DEFINE_PROP_UINT32("groups", HbsState, groups, 32),
    DEFINE_PROP_UINT64("x-features", HbsState, features, HBS_FEATURES)
);

static void hbs_class_init(ObjectClass *class, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(class);
    PCIDeviceClass *pc = PCI_DEVICE_CLASS(class);

    pc->realize = hbs_realize;
    pc->exit = hbs_exit;
    pc->config_write = hbs_write_config;
    pc->vendor_id = HBSR_PCI_VENDOR;
    pc->device_id = HBSR_PCI_DEVICE;
    pc->class_id = HBSR_PCI_CLASS;
    pc->revision = HBSR_VERSION_MAJOR;
    dc->desc = "hbs barrier card";
    dc->vmsd = &hbs_vmstate;
    hbs_set_reset(dc, hbs_device_reset);
    device_class_set_props(dc, hbs_properties);
    set_bit(DEVICE_CATEGORY_MISC, dc->categories);
}

static const TypeInfo hbs_info = {
    .name = TYPE_HBS,
    .parent = TYPE_PCI_DEVICE,
    .instance_size = sizeof(HbsState),
    .instance_init = hbs_instance_init,
    .class_init = hbs_class_init,
    .interfaces = (InterfaceInfo[]) {
        { INTERFACE_PCIE_DEVICE },
        { INTERFACE_CONVENTIONAL_PCI_DEVICE },
        { }
    },
};

static void hbs_register_types(void)
{
    type_register_static(&hbs_info);
}

type_init(hbs_register_types)
