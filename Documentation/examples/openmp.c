/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * OpenMP: hbs in place of "#pragma omp barrier". The loop has nowait, or OpenMP would do a barrier
 * of its own at its end. Build it with -fopenmp.
 */
#include "must.h"

#define THREADS 4
#define CELLS	1000
#define STEPS	20

static int cells[2][CELLS];

int main(void)
{
	struct hbs_group_attr attr = { .members = THREADS };
	struct hbs_group *group;
	struct hbs *hbs;
	int sum = 0;

	must(hbs_open(&hbs, NULL));
	must(hbs_group_create(hbs, &attr, &group));
#pragma omp parallel num_threads(THREADS)
	{
		struct hbs_member *me;

		must(hbs_join(group, &me));
		for (int step = 0; step < STEPS; step++) {
			const int *from = cells[step % 2];
			int *to = cells[1 - step % 2];

#pragma omp for schedule(static) nowait
			for (int i = 0; i < CELLS; i++)
				to[i] = from[(i + 1) % CELLS] + 1;
			must(hbs_barwait(me));
		}
		must(hbs_leave(me));
	}
	for (int i = 0; i < CELLS; i++)
		sum += cells[STEPS % 2][i];
	must(hbs_group_close(group));
	must(hbs_close(hbs));
	printf("the sum is %d\n", sum);
	return sum == CELLS * STEPS ? 0 : 1;
}
