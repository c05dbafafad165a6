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
#include "hw/pci/pcie_aer.h"
#include "migration/vmstate.h"
#include "hbs.h"
#include "trace-hbs.h"

#define EXPRESS_OFFSET      0x80    /* of capabilities */
#define AER_OFFSET          0x100

/* Whether the latest reset is over, and no read from before it is in flight. */
bool hbs_is_ready(const HbsState *s)
{
    return hbs_now(s) >= s->ready_at &&
           !(s->resetting && hbs_read_in_flight(s));
}

/* Clears the whole card; there is no counter of resets. */
void hbs_reset(HbsState *s)
{
    hbs_read_drop(s, HBS_NOBODY, HBS_NOBODY);
    hbs_egress_reset(s);
    s->resetting = hbs_read_in_flight(s);
    s->ready_at = s->reset_ns ? hbs_now(s) + s->reset_ns : 0;
    s->ctrl = 0;
    s->tag = 0;
    s->cause = 0;
    s->enable = 0;
    memset(s->cause_groups, 0, sizeof(s->cause_groups));
    memset(s->cause_timeouts, 0, sizeof(s->cause_timeouts));
    s->violations = 0;
    s->bad_accesses = 0;
    s->dma_errors = 0;
    s->interrupts = 0;
    s->violation_last = 0;
    s->foreign_reads = 0;
    s->poll = HBSR_CTL_POLL_DEFAULT;
    s->next_round = 0;
    memset(s->port_addr, 0, sizeof(s->port_addr));
    memset(s->group, 0, s->groups * sizeof(*s->group));
    hbs_timer_restore(s);
    hbs_poll_restore(s);
    trace_hbs_reset();
}

/* Resets the card from outside, whatever is behind its function. */
void hbs_stop(HbsState *s)
{
    if (s->rtl) {
        hbs_rtl_reset(s);
    }
    hbs_reset(s);
}

/* Bus reset, function-level reset, and the reset at power-on. */
static void hbs_device_reset(DeviceState *dev)
{
    hbs_stop(HBS(dev));
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

/* On a conventional bus the card is a conventional PCI device. */
static bool is_express(PCIDevice *pci)
{
    return pci_bus_is_express(pci_get_bus(pci));
}

static uint8_t *link_capabilities(PCIDevice *pci)
{
    return pci->config + pci->exp.exp_cap + PCI_EXP_LNKCAP;
}

/*
 * The log of AER may differ from that of the card on the machine that takes the
 * migrated state in: the log migrates, and is no reason to refuse the state.
 */
static void let_log_migrate(PCIDevice *pci)
{
    uint8_t *mask = pci->cmask + AER_OFFSET;

    pci_long_test_and_clear_mask(mask + PCI_ERR_CAP,
                                 PCI_ERR_CAP_FEP_MASK | PCI_ERR_CAP_TLP);
    memset(mask + PCI_ERR_HEADER_LOG, 0, PCI_ERR_HEADER_LOG_SIZE);
    memset(mask + PCI_ERR_TLP_PREFIX_LOG, 0, PCI_ERR_TLP_PREFIX_LOG_SIZE);
}

static bool init_express(PCIDevice *pci, Error **errp)
{
    if (!is_express(pci)) {
        return true;
    }
    /* This cannot fail: the configuration space has room there. */
    pcie_endpoint_cap_init(pci, EXPRESS_OFFSET);
    pcie_cap_flr_init(pci);
    pcie_cap_deverr_init(pci);
    HBS(pci)->link = pci_get_long(link_capabilities(pci));
    if (pcie_aer_init(pci, PCI_ERR_VER, AER_OFFSET, PCI_ERR_SIZEOF, errp) < 0) {
        pcie_cap_exit(pci);
        return false;
    }
    let_log_migrate(pci);
    return true;
}

static void exit_express(PCIDevice *pci)
{
    if (is_express(pci)) {
        pcie_aer_exit(pci);
        pcie_cap_exit(pci);
    }
}

static void hbs_realize(PCIDevice *pci, Error **errp)
{
    HbsState *s = HBS(pci);

    if (!check_property("ports", s->ports, HBS_MAX_PORTS, errp) ||
        !check_property("groups", s->groups, HBS_MAX_GROUPS, errp) ||
        !init_msix(s, errp)) {
        return;
    }
    if (!init_express(pci, errp)) {
        msix_uninit_exclusive_bar(pci);
        return;
    }
    s->features &= HBS_FEATURES;
    if (!hbs_rtl_init(s, errp)) {
        exit_express(pci);
        msix_uninit_exclusive_bar(pci);
        return;
    }
    s->group = g_new0(HbsGroup, s->groups);
    hbs_timer_init(s);
    hbs_poll_init(s);
    hbs_read_init(s);
    hbs_operation_init(s);
    hbs_egress_init(s);

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
    hbs_fault_init(s);
}

static void hbs_exit(PCIDevice *pci)
{
    HbsState *s = HBS(pci);

    hbs_fault_exit(s);
    msix_uninit_exclusive_bar(pci);
    exit_express(pci);
    hbs_timer_exit(s);
    hbs_poll_exit(s);
    hbs_read_exit(s);
    hbs_operation_exit(s);
    hbs_egress_exit(s);
    hbs_rtl_exit(s);
    g_free(s->group);
}

/*
 * To inject an uncorrectable error, QEMU writes 32 bits to the device status,
 * which has 16: the other half hits the link's capabilities, which come next
 * and never change. Restore them before a guest sees them or they migrate: no
 * machine would take in the changed ones.
 */
void hbs_mend_link(HbsState *s)
{
    PCIDevice *pci = PCI_DEVICE(s);

    if (is_express(pci)) {
        pci_set_long(link_capabilities(pci), s->link);
    }
}

static uint32_t hbs_read_config(PCIDevice *pci, uint32_t addr, int size)
{
    hbs_mend_link(HBS(pci));
    return hbs_is_pulled(HBS(pci)) ? UINT32_MAX :
                                     pci_default_read_config(pci, addr, size);
}

static void hbs_write_config(PCIDevice *pci, uint32_t addr, uint32_t value,
                             int size)
{
    if (hbs_is_pulled(HBS(pci))) {
        return;
    }
    pci_default_write_config(pci, addr, value, size);
    if (is_express(pci)) {
        pcie_cap_flr_write_config(pci, addr, value, size);
        pcie_aer_write_config(pci, addr, value, size);
    }
}

static void hbs_instance_init(Object *object)
{
    /* The size of the configuration space is fixed before realize. */
    PCI_DEVICE(object)->cap_present |= QEMU_PCI_CAP_EXPRESS;
}

static const QEnumLookup model_names = {
    .array = (const char *const[]) {
        [HBS_MODEL_C] = "c",
        [HBS_MODEL_RTL] = "rtl",
        [HBS_MODEL_BOTH] = "both",
    },
    .size = HBS_MODEL_COUNT,
};

static int get_model(Object *object, Error **errp)
{
    return HBS(object)->model;
}

static void set_model(Object *object, int model, Error **errp)
{
    if (DEVICE(object)->realized) {
        error_setg(errp, "hbs: x-model cannot change at run time");
        return;
    }
    HBS(object)->model = model;
}

static HbsProperty hbs_properties[] = HBS_PROPERTY_LIST(
    DEFINE_PROP_UINT32("ports", HbsState, ports, 64),
    DEFINE_PROP_UINT32("groups", HbsState, groups, 32),
    DEFINE_PROP_UINT64("x-features", HbsState, features, HBS_FEATURES),
    DEFINE_PROP_BOOL("x-silent-writes", HbsState, silent_writes, false),
    DEFINE_PROP_BOOL("x-lost-breaks", HbsState, lost_breaks, false),
    DEFINE_PROP_BOOL("x-spurious", HbsState, spurious, false),
    DEFINE_PROP_UINT64("x-read-ns", HbsState, read_ns, 0),
    DEFINE_PROP_UINT64("x-write-ns", HbsState, write_ns, 0),
    DEFINE_PROP_UINT64("x-gap-ns", HbsState, gap_ns, 0),
    DEFINE_PROP_UINT64("x-reset-ns", HbsState, reset_ns, 0)
);

static void hbs_class_init(ObjectClass *class, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(class);
    PCIDeviceClass *pc = PCI_DEVICE_CLASS(class);

    pc->realize = hbs_realize;
    pc->exit = hbs_exit;
    pc->config_read = hbs_read_config;
    pc->config_write = hbs_write_config;
    pc->vendor_id = HBSR_PCI_VENDOR;
    pc->device_id = HBSR_PCI_DEVICE;
    pc->class_id = HBSR_PCI_CLASS;
    pc->revision = HBSR_VERSION_MAJOR;
    dc->desc = "hbs barrier card";
    dc->vmsd = &hbs_vmstate;
    hbs_set_reset(dc, hbs_device_reset);
    device_class_set_props(dc, hbs_properties);
    hbs_fault_add_property(class);
    object_class_property_add_enum(class, "x-model", "HbsModelKind",
                                   &model_names, get_model, set_model);
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
