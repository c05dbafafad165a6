// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>

#include "area.h"
#include "constants.h"
#include "model.h"
#include "papers.h"

/**
 * struct figure - one that a paper prints
 * @place: section of the paper
 * @relation: '=' within PAPERS_ERROR, '>' more than that, '<' less than that
 */
struct figure {
	const char *what;
	const char *place;
	const char *unit;
	char relation;
	double paper;
	double model;
};

static const struct place xeons = { .members = 224, .sockets = 4 };
static const struct place a64fx = { .members = 12, .sockets = 1 };
static const struct place pair = { .members = 2, .sockets = 1 };

static double error(const struct figure *figure)
{
	/* in tenths, and without a sign of zero */
	return round(1000 * (figure->model / figure->paper - 1)) / 10 + 0.0;
}

static bool good(const struct figure *figure)
{
	switch (figure->relation) {
	case '>':
		return figure->model > figure->paper;
	case '<':
		return figure->model < figure->paper;
	default:
		return fabs(error(figure)) <= PAPERS_ERROR;
	}
}

static bool print(const struct figure *figure)
{
	printf("%-54s %-4s %c %5g ", figure->what, figure->place, figure->relation, figure->paper);
	printf(figure->model < 100 ? "%6.4g" : "%6.0f", figure->model);
	if (figure->relation == '=')
		printf(" %+5.1f %%", error(figure));
	else
		printf(" %7s", "");
	printf(" %s%s\n", *figure->unit ? figure->unit : "-", good(figure) ? "" : "  WRONG");
	return good(figure);
}

static double xeon_cycles(double ns)
{
	return model_cycles(ns, constant(HARP_CPU_MHZ));
}

static unsigned int umsg_most(void)
{
	struct place place = { .members = 1, .sockets = 1 };

	while (!isnan(model_umsg(&place)))
		place.members++;
	return place.members - 1;
}

bool papers_print(void)
{
	double best = model_ns(constant(HARP_SOFTWARE), constant(HARP_CPU_MHZ));
	struct figure figures[] = {
		{ "HARP, 28 threads: the FPGA alone", "3.3", "cycles", '=', 56,
		  model_harp_cycles(28) },
		{ "the same, in the processor's cycles", "3.3", "cycles", '=', 336,
		  xeon_cycles(model_harp_alone(28)) },
		{ "best software over it: an order of magnitude", "3.3", "", '=', 10,
		  best / model_harp_alone(28) },
		{ "HARP as measured over best software: not faster", "3.3", "", '=', 1,
		  model_harp(&place_harp) / best },
		{ "best software over HARP projected: over three", "3.3", "", '>', 3,
		  best / model_harp_projected(&place_harp) },
		{ "UMsg: threads at most", "3.2", "", '=', 4, umsg_most() },
		{ "HBS in a Xeon, one socket", "4.2", "cycles", '=', 38,
		  xeon_cycles(model_hbs(&place_harp)) },
		{ "HBS in Xeons, four sockets", "4.2", "cycles", '=', 480,
		  xeon_cycles(model_hbs(&xeons)) },
		{ "HBS in an Opteron, one socket", "4.2", "cycles", '=', 20,
		  model_cycles(model_hbs_opteron(1), constant(OPTERON_MHZ)) },
		{ "HBS in Opterons, four sockets", "4.2", "cycles", '=', 390,
		  model_cycles(model_hbs_opteron(4), constant(OPTERON_MHZ)) },
		{ "HBS in a Xeon Phi", "4.2", "cycles", '=', 48,
		  model_cycles(model_hbs_phi(), constant(PHI_MHZ)) },
		{ "photonic, one socket: tens of cycles or fewer", "5", "cycles", '<', 100,
		  xeon_cycles(model_photonic(&place_harp)) },
		{ "software, HARP, 28 threads (one number fitted)", "2", "cycles", '=', 3300,
		  xeon_cycles(model_software(HIGH, &place_harp)) },
		{ "software, NUMA-4, 64 threads (another one fitted)", "2", "cycles", '=', 24000,
		  model_cycles(model_software(HIGH, &place_numa4), constant(NUMA4_MHZ)) },
		{ "software, NUMA-8, 384 threads (to both)", "2", "cycles", '=', 37000,
		  model_cycles(model_software(HIGH, &place_numa8), constant(NUMA8_MHZ)) },
		{ "HBS, 128 groups: memory of one bit a thread and group", "4.2", "bytes", '=', 944,
		  area_hbs_bytes(1) },
		{ "the same: area", "4.2", "um2", '=', 378, area_hbs_um2(1) },
	};
	bool all = true;

	printf("What [harp] prints, and the model; = is within %g %%\n"
	       "%-54s %-4s   %5s %6s\n",
	       PAPERS_ERROR, "", "", "paper", "model");
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		all &= print(&figures[i]);
	return all;
}

static void print_software(const char *what, const struct place *place, double measured)
{
	printf("%-46s %7u %7u %9.0f %6.0f %8.0f %6.0f\n", what, place->members, place->sockets,
	       measured, model_software(LOW, place), model_software(TYPICAL, place),
	       model_software(HIGH, place));
}

void papers_print_software(void)
{
	printf("\nSoftware barriers as measured, and the model, in ns\n"
	       "%-46s %7s %7s %9s %6s %8s %6s\n",
	       "", "members", "sockets", "measured", "low", "typical", "high");
	print_software("hbs, two virtual CPUs [hbsbench]", &pair, constant(HBS_SOFTWARE));
	print_software("OpenMP of GCC, A64FX [a64fx]", &a64fx,
		       model_ns(constant(A64FX_SOFTWARE), constant(A64FX_MHZ)));
	print_software("OpenMP, HARP [harp]", &place_harp,
		       model_ns(constant(HARP_SOFTWARE), constant(HARP_CPU_MHZ)));
	print_software("tournament, Xeon Phi [harp]", &place_phi,
		       model_ns(constant(PHI_SOFTWARE), constant(PHI_MHZ)));
	print_software("tournament, NUMA-4 [harp]", &place_numa4,
		       model_ns(constant(NUMA4_SOFTWARE), constant(NUMA4_MHZ)));
	print_software("OpenMP, NUMA-8 [harp]", &place_numa8,
		       model_ns(constant(NUMA8_SOFTWARE), constant(NUMA8_MHZ)));
	printf("A barrier in a processor that one can buy: A64FX, 2 to 12 threads, %.0f ns at "
	       "most [a64fx]\n",
	       model_ns(constant(A64FX_HARDWARE), constant(A64FX_MHZ)));
}
