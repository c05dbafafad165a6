// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hbs_regs.h"
#include "memory.h"
#include "pci_bus.h"
#include "pci_cards.h"
#include "text.h"

#define BUS    "/sys/bus/pci"
#define DRIVER "hbs"

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct pci_card *)a)->address, ((const struct pci_card *)b)->address);
}

/* The last name of the path that a link in sysfs has, escaped; "" for none */
static void read_link(const char *address, const char *link, char name[PCI_NAME_SIZE])
{
	char path[200], target[400];
	const char *last;
	ssize_t length;

	*name = '\0';
	snprintf(path, sizeof(path), BUS "/devices/%s/%s", address, link);
	length = readlink(path, target, sizeof(target) - 1);
	if (length <= 0)
		return;
	target[length] = '\0';
	last = strrchr(target, '/');
	text_escape(name, PCI_NAME_SIZE, last ? last + 1 : target);
}

/* The first line of a file; "" if there is none */
static void read_line(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "re");

	*line = '\0';
	if (!file)
		return;
	if (!fgets(line, (int)size, file))
		*line = '\0';
	line[strcspn(line, "\n")] = '\0';
	fclose(file);
}

/* hbsN of a card that the driver has */
static void find_name(struct pci_card *card)
{
	char path[200];
	struct dirent *entry;
	DIR *folder;

	snprintf(path, sizeof(path), BUS "/devices/%s/" DRIVER, card->address);
	folder = opendir(path);
	while (folder && (entry = readdir(folder)))
		if (!strncmp(entry->d_name, DRIVER, strlen(DRIVER)))
			text_escape(card->name, sizeof(card->name), entry->d_name);
	if (folder)
		closedir(folder);
}

static void judge_bound(struct pci_card *card)
{
	find_name(card);
	if (!*card->name) {
		snprintf(card->why, sizeof(card->why),
			 "the driver has it, but has made no device: it has just come, or is gone");
		return;
	}
	snprintf(card->node, sizeof(card->node), "/dev/%s", card->name);
	card->openable = !access(card->node, R_OK | W_OK);
	if (card->openable)
		return;
	if (access(card->node, F_OK)) {
		*card->node = '\0';
		snprintf(card->why, sizeof(card->why), "/dev/%s is missing", card->name);
	} else {
		snprintf(card->why, sizeof(card->why), "you may not open %s", card->node);
	}
}

/* Whether a driver asks the kernel to try this device again later; root alone can see that */
static bool is_deferred(const char *address)
{
	FILE *file = fopen("/sys/kernel/debug/devices_deferred", "re");
	char line[200];
	bool found = false;

	while (file && fgets(line, sizeof(line), file))
		found |= strstr(line, address) != NULL;
	if (file)
		fclose(file);
	return found;
}

static void judge_free(struct pci_card *card)
{
	char path[200], line[PCI_NAME_SIZE] = "", override[TEXT_SIZE(PCI_NAME_SIZE)];

	snprintf(path, sizeof(path), BUS "/devices/%s/driver_override", card->address);
	read_line(path, line, sizeof(line));
	text_escape(override, sizeof(override), line);
	if (*line && strcmp(line, "(null)") && strcmp(line, DRIVER))
		snprintf(card->why, sizeof(card->why),
			 "its driver_override keeps it for the driver %.*s", PCI_NAME_SIZE,
			 override);
	else if (access(BUS "/drivers/" DRIVER, F_OK))
		snprintf(card->why, sizeof(card->why), "the driver hbs is not loaded");
	else if (is_deferred(card->address))
		snprintf(card->why, sizeof(card->why),
			 "the driver waits for another device before it takes this one");
	else
		snprintf(card->why, sizeof(card->why),
			 "the driver hbs is loaded, but does not have it: its probe failed (the "
			 "kernel's log says why), or somebody has unbound it");
}

static void judge(struct pci_card *card)
{
	read_link(card->address, "driver", card->driver);
	if (!strcmp(card->driver, DRIVER))
		judge_bound(card);
	else if (*card->driver)
		snprintf(card->why, sizeof(card->why), "the driver %s has it", card->driver);
	else
		judge_free(card);
}

struct cards {
	struct pci_card *cards;
	size_t count;
};

static void add(void *arg, const char *address)
{
	struct cards *found = arg;
	struct pci_card *card;

	found->cards = memory_resize(found->cards, (found->count + 1) * sizeof(*found->cards));
	card = &found->cards[found->count++];
	*card = (struct pci_card){ 0 };
	snprintf(card->address, sizeof(card->address), "%s", address);
	judge(card);
}

bool pci_cards_find(struct pci_card **cards, size_t *count)
{
	struct cards found = { 0 };
	bool is_good = pci_bus_find(HBSR_PCI_VENDOR, HBSR_PCI_DEVICE, add, &found);

	if (found.count)
		qsort(found.cards, found.count, sizeof(*found.cards), compare);
	*cards = found.cards;
	*count = found.count;
	return is_good;
}
