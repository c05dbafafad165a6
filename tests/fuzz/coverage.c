// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * KCOV gives the return address of each call that the compiler put into every basic
 * block of the driver. The host lists those calls, from the module's relocations.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/kcov.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

#define KCOV	   "/sys/kernel/debug/kcov"
#define SECTIONS   "/sys/module/hbs/sections/"
#define AREA_WORDS 65536
#define NAME	   32
#define MAX_GROUPS 32 /* of sites: sections, or files */

struct site {
	uint32_t offset;
	uint8_t section, file;
};

static struct site sites[MAX_SITES];
static unsigned int site_count;
static char section_name[MAX_GROUPS][NAME], file_name[MAX_GROUPS][NAME];
static uint64_t section_start[MAX_GROUPS];
static unsigned int section_count, file_count;

/* Site of each address of a section, plus one */
#define MAX_SECTION 0x40000
static uint16_t *site_at[MAX_GROUPS];

static uint64_t *area[THREADS];

static uint8_t find_or_add(char names[][NAME], unsigned int *count, const char *name)
{
	unsigned int i;

	for (i = 0; i < *count; i++)
		if (!strcmp(names[i], name))
			return i;
	if (*count == MAX_GROUPS)
		abort();
	snprintf(names[(*count)++], NAME, "%s", name);
	return i;
}

int coverage_start(const char *path)
{
	FILE *file = fopen(path, "re");
	char section[NAME], source[NAME];
	unsigned int offset;

	if (!file)
		return -errno;
	while (site_count < MAX_SITES &&
	       fscanf(file, "%31s %x %31s", section, &offset, source) == 3) {
		struct site *site = &sites[site_count++];

		site->offset = offset;
		site->section = find_or_add(section_name, &section_count, section);
		site->file = find_or_add(file_name, &file_count, source);
		if (!site_at[site->section])
			site_at[site->section] = calloc(MAX_SECTION, sizeof(uint16_t));
		if (offset >= MAX_SECTION || !site_at[site->section])
			abort();
		site_at[site->section][offset] = site_count;
	}
	fclose(file);
	return site_count && site_count < MAX_SITES ? 0 : -EINVAL;
}

int coverage_locate(void)
{
	for (unsigned int i = 0; i < section_count; i++) {
		char path[128];
		FILE *file;
		int n;

		snprintf(path, sizeof(path), SECTIONS "%s", section_name[i]);
		file = fopen(path, "re");
		if (!file)
			return -errno;
		n = fscanf(file, "%lx", &section_start[i]);
		fclose(file);
		if (n != 1)
			return -EINVAL;
	}
	return 0;
}

int coverage_thread(unsigned int number)
{
	int fd = open(KCOV, O_RDWR | O_CLOEXEC);
	void *map;

	if (fd < 0)
		return -errno;
	if (ioctl(fd, KCOV_INIT_TRACE, AREA_WORDS))
		return -errno;
	map = mmap(NULL, AREA_WORDS * sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	if (ioctl(fd, KCOV_ENABLE, KCOV_TRACE_PC))
		return -errno;
	area[number] = map;
	return 0;
}

void coverage_clear(unsigned int number)
{
	__atomic_store_n(&area[number][0], 0, __ATOMIC_RELAXED);
}

/* The site of an address, plus one; 0 if the address is no site */
static unsigned int site_of(uint64_t address)
{
	for (unsigned int i = 0; i < section_count; i++) {
		uint64_t offset = address - section_start[i];

		if (offset < MAX_SECTION && site_at[i][offset])
			return site_at[i][offset];
	}
	return 0;
}

void coverage_collect(unsigned int number, struct coverage *coverage, struct trace *trace)
{
	uint64_t count = __atomic_load_n(&area[number][0], __ATOMIC_RELAXED);
	unsigned int before = 0;

	for (uint64_t i = 1; i <= count && i < AREA_WORDS; i++) {
		unsigned int site = site_of(area[number][i]);
		unsigned int edge = (before * 31 ^ site * 1021) % MAX_EDGES;

		if (!site--)
			continue;
		trace->site[site / 8] |= 1 << site % 8;
		trace->new_site |= !atomic_exchange(&coverage->site[site], 1);
		trace->new_edge |= !atomic_exchange(&coverage->edge[edge], 1);
		before = site;
	}
}

unsigned int coverage_count(const struct coverage *coverage)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < site_count; i++)
		n += coverage->site[i];
	return n;
}

unsigned int coverage_sites(void)
{
	return site_count;
}

void coverage_report(const struct coverage *coverage)
{
	for (unsigned int file = 0; file < file_count; file++) {
		unsigned int covered = 0, all = 0;

		for (unsigned int i = 0; i < site_count; i++) {
			if (sites[i].file != file)
				continue;
			all++;
			covered += coverage->site[i];
		}
		printf("# covered of %-12s %4u of %4u, %3u%%\n", file_name[file], covered, all,
		       100 * covered / all);
	}
	for (unsigned int i = 0; i < site_count; i++)
		if (!coverage->site[i])
			printf("# not covered: %s %s %#x\n", file_name[sites[i].file],
			       section_name[sites[i].section], sites[i].offset);
	printf("# figure: fuzz: covered %u of %u blocks of hbs.ko, %u%%\n",
	       coverage_count(coverage), site_count, 100 * coverage_count(coverage) / site_count);
}
