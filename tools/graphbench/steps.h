/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a synchronous step costs in which there is nothing to do, beside a barrier */
#ifndef GRAPHBENCH_STEPS_H
#define GRAPHBENCH_STEPS_H

struct steps {
	unsigned int threads;
	double step_ns;
	double barrier_ns;
};

/* Measure both, in the child that the caller runs in; @steps is in the arena */
void steps_measure(struct steps *steps);

#endif /* GRAPHBENCH_STEPS_H */
