/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The results: the program prints, plots, stores and compares only these */
#ifndef HBSBENCH_RESULTS_H
#define HBSBENCH_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The quantiles that are kept for a repetition */
#define LEVELS 20
extern const double levels[LEVELS];

enum {
	LEVEL_MIN = 0,
	LEVEL_MEDIAN = 9,
	LEVEL_P99 = 16,
	LEVEL_P999 = 18,
	LEVEL_MAX = 19,
};

/* A value that is not known or not measured */
#define UNKNOWN (-1.0)

/* The name of facts that say which conditions were left out, and why */
#define NOT_MEASURED "not measured"

/* A fact about the machine or the run */
struct fact {
	char *name;
	char *value;
};

/**
 * struct contestant - a contender as it was on this machine
 * @absent: why it is not here, or NULL
 * @memory_members: the number of members for @memory
 * @memory: bytes of a group with that many members, or UNKNOWN
 * @memory_each: bytes that another member adds, or UNKNOWN
 * @memory_budget: the most that @memory may be, or UNKNOWN
 * @memory_process: bytes that a process takes once besides, or UNKNOWN
 */
struct contestant {
	char *name;
	char *what;
	char *version;
	char *absent;
	bool ours;
	bool ideal;
	bool spins;
	unsigned int memory_members;
	double memory;
	double memory_each;
	double memory_budget;
	double memory_process;
};

/**
 * struct repetition - one of a row; times are in ns
 * @quantile: of the samples, at @levels
 * @mean: without time stamps between, if that was measured
 * @cpu: CPU time of all members for each barrier, or UNKNOWN
 * @system: the part of it in the kernel
 * @burn: CPU time of a waiting member, as a part of the time, or UNKNOWN
 * @load: CPUs that neighbours took, or UNKNOWN
 * @barriers: number of barriers for @cpu
 */
struct repetition {
	double quantile[LEVELS];
	double mean;
	double cpu;
	double system;
	double burn;
	double samples;
	double violations;
	double misplaced;
	double load;
	double barriers;
};

/**
 * struct row - one measurement of a contender; other contenders have the same one
 * @condition: what else goes on meanwhile, or NULL
 * @policy_of: the contender of which this one is a variant with a fixed way to
 *   wait, or NULL
 */
struct row {
	char *workload;
	char *condition;
	char *policy_of;
	char *unit;
	char *contender;
	char *placement;
	unsigned int members;
	bool ours;
	bool ideal;
	bool means_little;
	bool distribution;
	char *error;
	struct repetition *repetitions;
	size_t count;
};

struct results {
	struct fact *facts;
	size_t fact_count;
	struct contestant *contestants;
	size_t contestant_count;
	struct row *rows;
	size_t row_count;
};

/* Add to the results; new entries start as all 0. These end the program if there is no memory. */
void results_add_fact(struct results *results, const char *name, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
struct contestant *results_add_contestant(struct results *results);
struct row *results_add_row(struct results *results);
struct repetition *row_add_repetition(struct row *row);

/* Forget all rows after the first @kept */
void results_drop_rows(struct results *results, size_t kept);

void results_free(struct results *results);

/* A copy of a text; NULL for NULL */
char *text_copy(const char *text);

/*
 * Over all repetitions: the smallest minimum, the greatest maximum, and the median of
 * the other values. Only for rows that have repetitions.
 */
double row_quantile(const struct row *row, int level);
double row_mean(const struct row *row);
double row_mean_of_all(const struct row *row); /* and not the median of repetitions */
double row_cpu(const struct row *row);
double row_system(const struct row *row);
double row_burn(const struct row *row);
double row_load(const struct row *row);
double row_violations(const struct row *row);
double row_misplaced(const struct row *row);
double row_barriers(const struct row *row);

/* The greatest mean of a repetition */
double row_worst(const struct row *row);

/* Whether it was measured */
bool row_good(const struct row *row);

/* Whether two rows differ by no more than the contender */
bool rows_alike(const struct row *a, const struct row *b);

/* Whether two texts are the same, or both NULL */
bool text_same(const char *a, const char *b);

/*
 * Values by which rows are compared. All but BY_MEAN_OF_ALL are of each repetition, and the
 * median of repetitions counts.
 */
enum measure_by { BY_MEDIAN, BY_MEAN, BY_CPU, BY_MEAN_OF_ALL };

/*
 * The median of the ratios of @row to @peer in the same repetition; by the mean of all
 * repetitions, the ratio of these. Only for good rows; UNKNOWN if either was not measured.
 */
double row_ratio(const struct row *row, const struct row *peer, enum measure_by by);

/* The fastest row among those that are alike and not of hbs; NULL if there is none */
const struct row *row_best_peer(const struct results *results, const struct row *row,
				enum measure_by by);

/**
 * enum row_among - which other rows one is compared with
 * @AMONG_PEERS: those that are not of hbs, and the fixed ways to wait of a contender
 * @AMONG_POLICIES: the fixed ways to wait of a contender
 * @AMONG_ONE: a contender
 * @AMONG_OWN: all of hbs but a contender, on a card or without one as the row itself
 */
enum row_among { AMONG_PEERS, AMONG_POLICIES, AMONG_ONE, AMONG_OWN };

/* The fastest of these, with @contender */
const struct row *row_best_other(const struct results *results, const struct row *row,
				 enum measure_by by, enum row_among among, const char *contender);

#endif /* HBSBENCH_RESULTS_H */
