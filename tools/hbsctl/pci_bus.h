/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The PCI bus, by libpci */
#ifndef HBSCTL_PCI_BUS_H
#define HBSCTL_PCI_BUS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Call @found with @arg and the address (0000:00:00.0) of each function on the bus that has that
 * identity. Return: false if there is no bus to look at, or no libpci; then stderr says so.
 */
bool pci_bus_find(uint16_t vendor, uint16_t device, void (*found)(void *arg, const char *address),
		  void *arg);

#endif /* HBSCTL_PCI_BUS_H */
