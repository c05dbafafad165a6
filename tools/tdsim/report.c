// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>

#include "report.h"

/* The cluster of the papers, and one of its boxes */
#define CLUSTER_WIDTH  6
#define CLUSTER_HEIGHT 8
#define BOX_WIDTH      3
#define BOX_HEIGHT     2
#define BOARD_THREADS  1024

void report_start(const struct config *config)
{
	printf("%u threads a board, %u epochs, %g messages a board, work up to %u, seed %llu\n",
	       config->threads, config->epochs, config->messages, config->work,
	       (unsigned long long)config->seed);
	printf("cycles: hop %u, gap %u, local %u, handling %u, port %u, late %u; tokens: %s\n",
	       config->hop, config->gap, config->local, config->handling, config->port,
	       config->late, send_order_names[config->order]);
	if (config->fault)
		printf("planted fault: %s\n", fault_names[config->fault]);
	printf("\n%-6s %-12s %-7s %10s %10s %10s %7s %9s %9s %9s %9s %10s\n", "mesh", "protocol",
	       "master", "round-trip", "formula", "per-second", "probes", "detected", "released",
	       "may-send", "speed-up", "epoch");
}

const struct row *report_find(const struct row *rows, size_t count, enum protocol protocol,
			      enum master master, unsigned int width, unsigned int height)
{
	for (size_t i = 0; i < count; i++)
		if (rows[i].config.protocol == protocol && rows[i].config.master == master &&
		    rows[i].config.width == width && rows[i].config.height == height)
			return &rows[i];
	return NULL;
}

double report_rate(const struct result *result)
{
	return CYCLES_A_SECOND / (double)result->round_trip;
}

/* The paper has an estimate of the star with a master beside the corner */
static bool has_formula(const struct config *config)
{
	return config->protocol == THREE_PHASE && config->master == CORNER;
}

static unsigned int formula(const struct config *config)
{
	return 2 * config->hop * (config->width + config->height - 1);
}

void report_row(const struct row *rows, size_t index)
{
	const struct config *config = &rows[index].config;
	const struct result *result = &rows[index].result;
	const struct row *base =
		report_find(rows, index + 1, THREE_PHASE, CORNER, config->width, config->height);
	char mesh[16];

	snprintf(mesh, sizeof(mesh), "%ux%u", config->width, config->height);
	printf("%-6s %-12s %-7s %10llu", mesh, protocol_names[config->protocol],
	       master_names[config->master], (unsigned long long)result->round_trip);
	if (has_formula(config))
		printf(" %10u", formula(config));
	else
		printf(" %10s", "-");
	if (result->round_trip)
		printf(" %10.0f", report_rate(result));
	else
		printf(" %10s", "-");
	printf(" %7.1f %9.0f %9.0f %9.0f", result->probes, result->detection, result->release,
	       result->synchronisation);
	if (base)
		printf(" %9.2f", base->result.synchronisation / result->synchronisation);
	else
		printf(" %9s", "-");
	printf(" %10.0f\n", result->period);
}

/* How far the simulated round trips are from the estimate */
static void report_formula(const struct row *rows, size_t count)
{
	double most = 0;
	size_t meshes = 0;

	for (size_t i = 0; i < count; i++) {
		const struct config *config = &rows[i].config;
		double off;

		if (!has_formula(config))
			continue;
		off = (double)rows[i].result.round_trip / formula(config) - 1;
		most = fabs(off) > fabs(most) ? off : most;
		meshes++;
	}
	if (meshes)
		printf("\nround trips, three phases, corner, meshes %zu: %+.1f %% from the paper's "
		       "formula at most\n",
		       meshes, 100 * most);
}

/* From one box to the whole cluster, which the paper's plot may have */
static bool in_the_plot(const struct config *config)
{
	return config->threads == BOARD_THREADS && config->width >= BOX_WIDTH &&
	       config->width <= CLUSTER_WIDTH && config->height >= BOX_HEIGHT &&
	       config->height <= CLUSTER_HEIGHT;
}

static void report_ratios(const struct row *rows, size_t count)
{
	double least = 0, most = 0;

	for (size_t i = 0; i < count; i++) {
		const struct config *config = &rows[i].config;
		const struct row *base = report_find(rows, count, THREE_PHASE, CORNER,
						     config->width, config->height);
		double ratio;

		if (config->protocol != SOFTWARE || config->master != CORNER || !base ||
		    !in_the_plot(config))
			continue;
		ratio = (double)rows[i].result.round_trip / (double)base->result.round_trip;
		least = !least || ratio < least ? ratio : least;
		most = ratio > most ? ratio : most;
	}
	if (least)
		printf("round trips a second, hardware over software, 3x2 (a box) to 6x8: %.1f to "
		       "%.1f; the paper has 6 to 13, and handling is chosen for that\n",
		       least, most);
}

/* The paper adds three software round trips for three of hardware to the time of a program */
static void report_software(const struct result *corner, const struct result *software)
{
	double predicted =
		corner->period + 3 * (double)software->round_trip - 3 * (double)corner->round_trip;

	printf("an epoch in software over one in hardware, 6x8: %.2f; by the paper's prediction "
	       "%.2f; its figure 7 has no numbers in the text\n",
	       software->period / corner->period, predicted / corner->period);
}

/* The result on the paper's cluster, or NULL */
static const struct result *cluster(const struct row *rows, size_t count, enum protocol protocol,
				    enum master master)
{
	const struct row *row =
		report_find(rows, count, protocol, master, CLUSTER_WIDTH, CLUSTER_HEIGHT);

	return row ? &row->result : NULL;
}

void report_papers(const struct row *rows, size_t count)
{
	const struct result *corner = cluster(rows, count, THREE_PHASE, CORNER);
	const struct result *centre = cluster(rows, count, THREE_PHASE, CENTRE);
	const struct result *software = cluster(rows, count, SOFTWARE, CORNER);
	const struct result *hbs = cluster(rows, count, HBS, CENTRE);

	report_formula(rows, count);
	report_ratios(rows, count);
	if (!corner)
		return;
	if (centre)
		printf("round trips, master in the centre over one in the corner, 6x8: %.2f; the "
		       "paper predicts 2\n",
		       (double)corner->round_trip / (double)centre->round_trip);
	if (software && rows[0].config.threads == BOARD_THREADS)
		report_software(corner, software);
	printf("a detection, three phases, corner, 6x8: %.0f cycles; the second paper measured "
	       "roughly 5000\n",
	       corner->detection);
	if (hbs)
		printf("a synchronisation, three phases, corner, over hbs, centre, 6x8: %.2f\n",
		       corner->synchronisation / hbs->synchronisation);
}
