// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../output.h"
#include "profile.h"
#include "show.h"
#include "topologies.h"

/* The graphs of table 5 have so many vertices */
#define PAPER_VERTICES (1 << 20)

static const char *const terms[MODEL_TERMS] = { "",	 "x1", "x2",	"x1 x2", "x3",	 "x1 x3",
						"x2 x3", "x4", "x1 x4", "x2 x4", "x3 x4" };

static void print_model(const struct model *model, const char *weights, const char *mode)
{
	printf("%s, %s: t =", weights, mode);
	if (!model->known) {
		puts(" not known, for too few graphs were measured");
		return;
	}
	for (int i = 0; i < MODEL_TERMS; i++)
		if (model->coefficients[i] != 0)
			printf(" %+.4e%s%s", model->coefficients[i], *terms[i] ? " " : "",
			       terms[i]);
	printf("   (R2 %.4f)\n", model->r2);
}

static void print_models(const struct model models[2][MODEL_MODES])
{
	puts("t in seconds; x1: vertices / 2^20, x2: fan-out, x3: diameter, x4: reconvergence");
	for (int weighted = 0; weighted < 2; weighted++)
		for (int mode = 0; mode < MODEL_MODES; mode++)
			print_model(&models[weighted][mode], weighted ? "weighted" : "plain",
				    mode == MODE_SYNC ? "sync" : "async");
}

int show_profile(const char *path)
{
	struct graph_profile profile;
	char machine[PROFILE_MACHINE_SIZE];
	int closed;
	bool good = graph_profile_read(path, &profile, &closed);

	if (closed)
		fprintf(stderr, "hbsgraph: %s: %s\n", path,
			closed == ENOENT ? "there is no profile; hbsgraph tune makes one"
					 : strerror(closed));
	if (good) {
		hbsi_profile_machine(machine);
		printf("profile  %s\nmachine  %s%s\nthreads  %u\nbackend  %s\ngraphs   %u without "
		       "weights, %u with\n",
		       path, profile.machine,
		       strcmp(machine, profile.machine) ? ", which is not this one" : "",
		       profile.threads, profile.card ? "card" : "software",
		       profile.classifier.count[false], profile.classifier.count[true]);
		print_models(profile.classifier.models);
	}
	graph_profile_free(&profile);
	return good ? EXIT_SUCCESS : EXIT_ERROR;
}

/* The paper has no models of graphs whose weights are 0 and 1 */
static bool is_modelled(const struct topology *topology, bool weighted)
{
	return weighted || topology->factor == 0;
}

static void print_prediction(const struct topology *topology, bool weighted)
{
	const struct model *models = model_paper[weighted];
	struct features features;
	double sync, async;

	if (!is_modelled(topology, weighted)) {
		printf(" %-22s", "no model");
		return;
	}
	topology_features(topology, PAPER_VERTICES, &features);
	sync = model_seconds(&models[MODE_SYNC], &features);
	async = model_seconds(&models[MODE_ASYNC], &features);
	if (sync <= 0 || async <= 0)
		printf(" %-22s", "model error");
	else
		printf(" %-6s (%.2f, %.2f)   ", sync < async ? "sync" : "async", sync / async,
		       topology->speedup[weighted]);
}

int show_paper(void)
{
	print_models(model_paper);
	printf("\nwhat the models choose, in brackets their Sa and the measured one\n"
	       "%-24s %-22s %s\n",
	       "topology", "unweighted", "weighted");
	for (int i = 0; i < TOPOLOGIES; i++) {
		printf("%-24s", topologies[i].name);
		print_prediction(&topologies[i], false);
		print_prediction(&topologies[i], true);
		putchar('\n');
	}
	return EXIT_SUCCESS;
}
