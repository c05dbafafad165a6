/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cards on the PCI bus, and what sysfs says of their drivers */
#ifndef HBSCTL_PCI_CARDS_H
#define HBSCTL_PCI_CARDS_H

#include <stdbool.h>
#include <stddef.h>

#define PCI_NAME_SIZE 64

/**
 * struct pci_card - a card on the bus
 * @address: its PCI address
 * @driver: the name of the driver that has it; "" for none
 * @name: hbsN, if the driver hbs has it; else ""
 * @node: its node in /dev, if that is there; else ""
 * @openable: this user may open it
 * @why: why it cannot be used; "" if it can
 */
struct pci_card {
	char address[PCI_NAME_SIZE];
	char driver[PCI_NAME_SIZE];
	char name[PCI_NAME_SIZE];
	char node[2 * PCI_NAME_SIZE];
	bool openable;
	char why[4 * PCI_NAME_SIZE];
};

/*
 * All of them, in the order of the bus; the caller frees *cards. Return: false if there is no
 * PCI bus to look at, or no libpci to do it; then stderr says so.
 */
bool pci_cards_find(struct pci_card **cards, size_t *count);

#endif /* HBSCTL_PCI_CARDS_H */
