// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "choose.h"
#include "hbs_graph.h"
#include "profile.h"

/* A profile is of other conditions: it is used all the same, and the user gets to know */
static void print_differences(const struct graph_profile *profile, const struct options *options,
			      const struct hbs *hbs)
{
	char machine[PROFILE_MACHINE_SIZE];
	bool card = hbs_backend(hbs) == HBS_BACKEND_CARD;

	hbsi_profile_machine(machine);
	if (strcmp(machine, profile->machine))
		printf("  profile        is of another machine: %s\n", profile->machine);
	if (options->threads && options->threads != profile->threads)
		printf("  profile        is of %u threads\n", profile->threads);
	if (card != profile->card)
		printf("  profile        is of %s\n", profile->card ? "a card" : "software");
}

static const char *name_of(enum mode mode)
{
	return mode == MODE_SYNC ? "sync" : "async";
}

static void print_verdict(const struct verdict *verdict)
{
	const double *seconds = verdict->seconds;
	enum mode other = verdict->mode == MODE_SYNC ? MODE_ASYNC : MODE_SYNC;

	printf("mode             %s: ", name_of(verdict->mode));
	if (verdict->by_models) {
		printf("by the models it takes %.3g s, and %.3g s in mode %s\n",
		       seconds[verdict->mode], seconds[other], name_of(other));
		return;
	}
	seconds = verdict->like->seconds;
	printf("the models do not fit this graph; the most similar one that was measured took %.3g "
	       "s, and %.3g s in mode %s\n",
	       seconds[verdict->mode], seconds[other], name_of(other));
}

static bool choose(const struct graph_profile *profile, const struct options *options,
		   const struct edges *edges, const struct hbs *hbs, enum mode *mode)
{
	bool weighted = edges->weight;
	struct features features;
	struct verdict verdict;

	if (!features_estimate(edges, &features))
		return false;
	features_print(&features, stdout);
	print_differences(profile, options, hbs);
	if (!classifier_choose(&profile->classifier, weighted, &features, &verdict)) {
		printf("mode             %s: the profile has no graph %s weights\n", name_of(*mode),
		       weighted ? "with" : "without");
		return true;
	}
	print_verdict(&verdict);
	*mode = verdict.mode;
	return true;
}

/* One that nobody has named is not needed: a sandbox may keep a program from its user's files */
static void print_closed(const char *path, int closed)
{
	if (closed == ENOENT)
		printf("mode             async: there is no profile of this machine, which "
		       "hbsgraph tune makes\n");
	else
		printf("mode             async: the profile cannot be read: %s: %s\n", path,
		       strerror(closed));
}

bool choose_mode(const struct options *options, const struct edges *edges, const struct hbs *hbs,
		 enum mode *mode)
{
	struct graph_profile profile = { 0 };
	char path[PATH_MAX];
	int closed = ENOENT;
	bool good = false;

	*mode = MODE_ASYNC;
	if (options->profile)
		snprintf(path, sizeof(path), "%s", options->profile);
	if (options->profile || graph_profile_path(path))
		good = graph_profile_read(path, &profile, &closed);
	if (closed && options->profile) {
		fprintf(stderr, "hbsgraph: --profile: %s: %s\n", path, strerror(closed));
	} else if (closed) {
		print_closed(path, closed);
		good = true;
	} else if (good) {
		good = choose(&profile, options, edges, hbs, mode);
	}
	graph_profile_free(&profile);
	return good;
}
