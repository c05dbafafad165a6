// SPDX-License-Identifier: GPL-2.0-or-later
/* hbsgraph: runs applications on graphs. See Documentation/graph.rst. */
#include <stdlib.h>
#include <string.h>

#include "classifier/tune.h"
#include "convert.h"
#include "output.h"
#include "run.h"
#include "shared/standard.h"
#include "usage_text.h"

static int list(int argc)
{
	const struct app *app;

	if (argc > 1) {
		fprintf(stderr, "hbsgraph: list takes no argument\n");
		return EXIT_ERROR;
	}
	puts("Applications:");
	for (unsigned int i = 0; (app = app_number(i)); i++) {
		printf("  %-10s %s (", app->name, app->what);
		for (int mode = 0, shown = 0; mode < MODES; mode++)
			if (app->type[mode])
				printf("%s%s", shown++ ? ", " : "", mode_names[mode]);
		puts(")");
	}
	puts("Graphs that --graph makes; all edges go both ways:");
	generate_list(stdout);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	struct options options;

	standard_start("hbsgraph", EXIT_ERROR);
	if (argc > 1 && !strcmp(argv[1], "list"))
		return list(argc - 1);
	if (argc > 1 && !strcmp(argv[1], "tune"))
		return tune(argc - 1, argv + 1);
	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		usage_text(stdout);
		return EXIT_SUCCESS;
	}
	if (argc > 1 && !strcmp(argv[1], "convert"))
		return convert(argc - 1, argv + 1);
	if (argc < 2 || strcmp(argv[1], "run")) {
		fprintf(stderr, "hbsgraph: '%s' is not run, convert, tune or list; try --help\n",
			argc > 1 ? argv[1] : "");
		return EXIT_ERROR;
	}
	return options_parse(argc - 1, argv + 1, &options) ? run(&options) : EXIT_ERROR;
}
