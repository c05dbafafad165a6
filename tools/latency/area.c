// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "area.h"
#include "constants.h"

#define WORD 63

struct synthesis {
	char device[WORD + 1];
	char configuration[WORD + 1];
	char resource[WORD + 1];
	double used;
	double available;
};

static double hbs_bits(unsigned int masks)
{
	/* a bit for each thread of a socket and for each other socket */
	double members = constant(HBS_THREADS) + constant(HBS_SOCKETS) - 1;

	return masks * members * constant(HBS_GROUPS);
}

double area_hbs_bytes(unsigned int masks)
{
	return hbs_bits(masks) / 8;
}

double area_hbs_um2(unsigned int masks)
{
	return hbs_bits(masks) * constant(BITCELL);
}

static bool parse(const char *line, struct synthesis *synthesis)
{
	char end;

	return sscanf(line, "%63s %63s %63s %lf %lf %c", synthesis->device,
		      synthesis->configuration, synthesis->resource, &synthesis->used,
		      &synthesis->available, &end) == 5 &&
	       synthesis->used >= 0 && synthesis->available > 0;
}

static void print_row(const char *what, const char *amount, const char *share, const char *where)
{
	printf("%-24s %-16s %-9s %s\n", what, amount, share, where);
}

static void print_synthesis(const struct synthesis *synthesis)
{
	char what[2 * WORD], amount[2 * WORD], share[WORD];

	snprintf(what, sizeof(what), "hbs card, %s", synthesis->configuration);
	snprintf(amount, sizeof(amount), "%.10g %s", synthesis->used, synthesis->resource);
	snprintf(share, sizeof(share), "%.2f %%", 100 * synthesis->used / synthesis->available);
	print_row(what, amount, share, synthesis->device);
}

/* Return: false, with a message, if a line is not as it should be */
static bool print_file(const char *path, FILE *file)
{
	struct synthesis synthesis;
	unsigned int number = 0, rows = 0;
	bool good = true;
	char *line = NULL;
	size_t size = 0;

	errno = 0;
	while (good && getline(&line, &size, file) > 0) {
		number++;
		if (line[0] == '#' || line[0] == '\n')
			continue;
		good = parse(line, &synthesis);
		if (good)
			print_synthesis(&synthesis);
		else
			fprintf(stderr, "hbs-latency: --area: %s: line %u: is no result\n", path,
				number);
		rows++;
	}
	free(line);
	if (good && ferror(file)) {
		fprintf(stderr, "hbs-latency: --area: %s: %s\n", path, strerror(errno));
		return false;
	}
	if (good && !rows) {
		fprintf(stderr, "hbs-latency: --area: %s: has no result\n", path);
		return false;
	}
	return good;
}

static bool print_card(const char *path)
{
	FILE *file;
	bool good;

	if (!path) {
		print_row("hbs card", "not synthesised", "", "-");
		return true;
	}
	file = fopen(path, "re");
	if (!file) {
		fprintf(stderr, "hbs-latency: --area: %s: %s\n", path, strerror(errno));
		return false;
	}
	good = print_file(path, file);
	fclose(file);
	return good;
}

static void print_hbs(const char *what, unsigned int masks)
{
	char amount[WORD], share[WORD];

	snprintf(amount, sizeof(amount), "%.0f bytes", area_hbs_bytes(masks));
	snprintf(share, sizeof(share), "%.0f um2", area_hbs_um2(masks));
	print_row(what, amount, share, "a processor of 14 nm [harp] 4.2");
}

bool area_print(const char *path)
{
	char amount[WORD], share[WORD];

	printf("\nArea\n");
	print_row("design", "takes", "which is", "where");
	snprintf(amount, sizeof(amount), "%.0f ALMs", constant(TINSEL_ALMS));
	snprintf(share, sizeof(share), "%.1f %%", constant(TINSEL_SHARE));
	print_row("Tinsel, termination", amount, share, "a Stratix V [tinsel] figure 5");
	print_row("HARP's barrier", "not given", "", "an Arria 10 GX 1150 [harp]");
	print_hbs("HBS, as printed", 1);
	print_hbs("HBS, with both P and S", 2);
	return print_card(path);
}
