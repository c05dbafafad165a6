/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accesses that no model follows: to anywhere, of any size, and to the configuration
 * space.
 */
#include "hostile.h"

#include "hw/pci/pci_regs.h"

#define MEMORY	  0x1000000 /* 16 MiB */
#define LONGEST	  100	    /* operations until all is set up again */
#define BAR4_SIZE 0x1000

static const unsigned int bars[] = { HBSR_BAR_REGISTERS, HBSR_BAR_PORTS, HBSR_BAR_MSIX };

uint64_t hostile_address(struct guest *guest)
{
	const uint64_t places[] = {
		RECORDS,
		MEMORIES,
		0,
		MEMORY - 64, /* the end of memory */
		MEMORY - 8,
		0xa0000, /* a hole */
		0xc0000, /* ROM */
		0xfffc0000,
		0xfec00000, /* the interrupt controllers */
		0xfee00000,
		guest->card.bar[HBSR_BAR_REGISTERS],
		guest->card.bar[HBSR_BAR_PORTS],
		guest->card.bar[HBSR_BAR_MSIX],
		0x100000000,
		0x7000000000,
		-64ULL,
	};
	uint64_t place = places[below(guest, G_N_ELEMENTS(places))];

	/* most of all itself */
	if (!below(guest, 4))
		place = guest->card.bar[HBSR_BAR_PORTS];

	return place + (below(guest, 2) ? below(guest, 64) * 64 : below(guest, 1 << 16));
}

static uint64_t hostile_value(struct guest *guest)
{
	switch (below(guest, 6)) {
	case 0:
		return 0;
	case 1:
		return UINT64_MAX;
	case 2:
		return 1ULL << below(guest, 64);
	case 3:
		return hostile_address(guest);
	case 4:
		return below(guest, 0x100);
	default:
		return below(guest, UINT64_MAX);
	}
}

static uint64_t bar_size(const struct guest *guest, unsigned int bar)
{
	if (bar == HBSR_BAR_REGISTERS)
		return HBSR_BAR0_SIZE;
	if (bar == HBSR_BAR_MSIX)
		return BAR4_SIZE;
	return guest->ref.ports * (uint64_t)HBSR_ID_PORT_STRIDE_DEFAULT;
}

/* An offset in the BAR, and now and then one beyond it */
static uint64_t hostile_offset(struct guest *guest, unsigned int bar)
{
	uint64_t size = bar_size(guest, bar);

	switch (below(guest, 8)) {
	case 0:
		return below(guest, size + 16);
	case 1:
		return size - below(guest, 17);
	default:
		break;
	}
	if (bar == HBSR_BAR_PORTS)
		return below(guest, guest->ref.ports + 1) * HBSR_ID_PORT_STRIDE_DEFAULT +
		       below(guest, guest->ref.groups + 1) * HBSR_LANE_STRIDE +
		       below(guest, HBSR_LANE_STRIDE);
	if (bar == HBSR_BAR_MSIX)
		return below(guest, 0x40);
	switch (below(guest, 3)) {
	case 0:
		return below(guest, 0x200);
	case 1:
		return of_group(below(guest, guest->ref.groups + 1),
				below(guest, HBSR_GRP_V(HBSR_GRP_V_COUNT) + 16));
	default:
		return of_port(below(guest, guest->ref.ports + 1), below(guest, 16));
	}
}

static void wild_access(struct guest *guest)
{
	unsigned int bar = bars[below(guest, G_N_ELEMENTS(bars))];
	uint64_t at = guest->card.bar[bar] + hostile_offset(guest, bar);
	uint64_t value = hostile_value(guest);
	QTestState *qts = guest->card.qts;
	uint8_t bytes[64];

	switch (below(guest, 10)) {
	case 0:
		qtest_readb(qts, at);
		break;
	case 1:
		qtest_readw(qts, at);
		break;
	case 2:
		qtest_readl(qts, at);
		break;
	case 3:
		qtest_readq(qts, at);
		break;
	case 4:
		qtest_writeb(qts, at, value);
		break;
	case 5:
		qtest_writew(qts, at, value);
		break;
	case 6:
		qtest_writel(qts, at, value);
		break;
	case 7:
		qtest_writeq(qts, at, value);
		break;
	case 8:
		qtest_memread(qts, at, bytes, 1 + below(guest, sizeof(bytes)));
		break;
	default:
		qtest_memset(qts, at, value, 1 + below(guest, sizeof(bytes)));
	}
}

static void function_level_reset(struct guest *guest)
{
	uint8_t at = find_capability(&guest->card, PCI_CAP_ID_EXP);

	/* On the root bus of q35 the card is an integrated endpoint, and has it. */
	if (at)
		config_write16(&guest->card, at + PCI_EXP_DEVCTL, PCI_EXP_DEVCTL_BCR_FLR);
}

static void wild_configuration(struct guest *guest)
{
	static const uint8_t registers[] = { PCI_COMMAND, PCI_BASE_ADDRESS_0, PCI_BASE_ADDRESS_2,
					     PCI_BASE_ADDRESS_3, PCI_BASE_ADDRESS_4 };
	uint8_t msix = find_capability(&guest->card, PCI_CAP_ID_MSIX);

	switch (below(guest, 6)) {
	case 0:
		config_write32(&guest->card, below(guest, 256), hostile_value(guest));
		break;
	case 1:
		config_write16(&guest->card, below(guest, 256), hostile_value(guest));
		break;
	case 2:
		function_level_reset(guest);
		break;
	case 3:
		if (msix)
			config_write16(&guest->card, msix + PCI_MSIX_FLAGS, hostile_value(guest));
		break;
	case 4:
		set_bus_master(&guest->card, below(guest, 2));
		break;
	default:
		config_write32(&guest->card, registers[below(guest, G_N_ELEMENTS(registers))],
			       hostile_value(guest));
	}
}

void recover(struct guest *guest)
{
	card_map(&guest->card);
	messages_enable(&guest->card);
	guest->master = true;
}

unsigned int wild_operations(struct guest *guest)
{
	unsigned int i, n = 1 + below(guest, LONGEST);

	for (i = 0; i < n; i++) {
		switch (below(guest, 8)) {
		case 0:
			wild_configuration(guest);
			break;
		case 1:
			/* Rounds may be as near as a microsecond: not many of them. */
			qtest_clock_step(guest->card.qts, below(guest, 50000));
			break;
		case 2:
			qtest_writeq(guest->card.qts, below(guest, MEMORY), hostile_value(guest));
			break;
		default:
			wild_access(guest);
		}
	}
	guest->wild += n;
	recover(guest);
	return n;
}
