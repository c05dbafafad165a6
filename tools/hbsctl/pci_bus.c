// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One command needs libpci, and to load it with the libraries that it needs takes longer than
 * all that most other commands do. So it is loaded when it is needed.
 */
#include <dlfcn.h>
#include <pci/pci.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "pci_bus.h"
#include "status.h"
#include "text.h"

#define BUS	"/sys/bus/pci"
#define LIBRARY "libpci.so.3"

/* The calls that are used */
struct calls {
	struct pci_access *(*alloc)(void);
	void (*init)(struct pci_access *bus);
	void (*scan_bus)(struct pci_access *bus);
	int (*fill_info)(struct pci_dev *device, int what);
	void (*cleanup)(struct pci_access *bus);
};

static bool find_calls(void *library, struct calls *calls)
{
	/* what POSIX asks of dlsym(), and ISO C does not know */
	*(void **)&calls->alloc = dlsym(library, "pci_alloc");
	*(void **)&calls->init = dlsym(library, "pci_init");
	*(void **)&calls->scan_bus = dlsym(library, "pci_scan_bus");
	*(void **)&calls->fill_info = dlsym(library, "pci_fill_info");
	*(void **)&calls->cleanup = dlsym(library, "pci_cleanup");
	return calls->alloc && calls->init && calls->scan_bus && calls->fill_info && calls->cleanup;
}

/* libpci would end the program without a name in front, and with a status of its own */
static void __attribute__((noreturn)) on_error(char *format, ...)
{
	char text[200], escaped[TEXT_SIZE(sizeof(text))];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	fprintf(stderr, "hbsctl: libpci: %s\n", text_escape(escaped, sizeof(escaped), text));
	exit(STATUS_FAILED);
}

static void ignore(char *format, ...)
{
	(void)format;
}

static void look(const struct calls *calls, uint16_t vendor, uint16_t device,
		 void (*found)(void *arg, const char *address), void *arg)
{
	struct pci_access *bus = calls->alloc();
	char address[20];

	/* libpci's other ways need rights, and touch the hardware */
	bus->method = PCI_ACCESS_SYS_BUS_PCI;
	bus->error = on_error;
	bus->warning = ignore;
	calls->init(bus);
	calls->scan_bus(bus);
	for (struct pci_dev *each = bus->devices; each; each = each->next) {
		calls->fill_info(each, PCI_FILL_IDENT);
		if (each->vendor_id != vendor || each->device_id != device)
			continue;
		snprintf(address, sizeof(address), "%04x:%02x:%02x.%d", (unsigned int)each->domain,
			 each->bus, each->dev, each->func);
		found(arg, address);
	}
	calls->cleanup(bus);
}

bool pci_bus_find(uint16_t vendor, uint16_t device, void (*found)(void *arg, const char *address),
		  void *arg)
{
	struct calls calls;
	void *library;

	if (access(BUS "/devices", F_OK)) {
		fprintf(stderr, "hbsctl: there is no %s/devices: no PCI bus, or no sysfs\n", BUS);
		return false;
	}
	library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!library || !find_calls(library, &calls)) {
		fprintf(stderr, "hbsctl: %s: %s\n", LIBRARY,
			library ? "not as hbsctl needs it" : "cannot be loaded (Debian: libpci3)");
		if (library)
			dlclose(library);
		return false;
	}
	look(&calls, vendor, device, found, arg);
	dlclose(library);
	return true;
}
