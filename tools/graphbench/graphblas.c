// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * SuiteSparse GraphBLAS: algorithms are the user's, in linear algebra. The graphs of this benchmark have
 * all edges both ways, which these programs may know: a matrix is its own transpose.
 */
#include <GraphBLAS.h>
#include <stdio.h>

#include "peer.h"

/* Breadth first: look from those that are not reached when a part of this is on the front */
#define PULL_PART 16

static void must(const char *what, GrB_Info info)
{
	char text[24];

	if (info == GrB_SUCCESS || info == GrB_NO_VALUE)
		return;
	snprintf(text, sizeof(text), "error %d", (int)info);
	peer_fails(what, text);
}

#define MUST(call) must(#call, call)

static void start(const struct problem *problem)
{
	MUST(GrB_init(GrB_NONBLOCKING));
	MUST(GxB_Global_Option_set(GxB_GLOBAL_NTHREADS, (int)problem->threads));
}

struct ends {
	GrB_Index *from;
	GrB_Index *to;
};

static struct ends wide_ends(const struct problem *problem)
{
	struct ends ends = { peer_room(problem->edges, sizeof(GrB_Index)),
			     peer_room(problem->edges, sizeof(GrB_Index)) };

	for (uint64_t e = 0; e < problem->edges; e++) {
		ends.from[e] = problem->from[e];
		ends.to[e] = problem->to[e];
	}
	return ends;
}

/* Where edges are, without values: row by row where they end */
static GrB_Matrix make(const struct problem *problem)
{
	struct ends ends = wide_ends(problem);
	GrB_Matrix matrix;
	GrB_Scalar is;

	MUST(GrB_Matrix_new(&matrix, GrB_BOOL, problem->vertices, problem->vertices));
	MUST(GrB_Scalar_new(&is, GrB_BOOL));
	MUST(GrB_Scalar_setElement_BOOL(is, true));
	MUST(GxB_Matrix_build_Scalar(matrix, ends.to, ends.from, is, problem->edges));
	MUST(GrB_Matrix_wait(matrix, GrB_MATERIALIZE));
	free(ends.from);
	free(ends.to);
	return matrix;
}

static GrB_Vector full(const struct problem *problem)
{
	GrB_Vector vector;

	MUST(GrB_Vector_new(&vector, GrB_FP32, problem->vertices));
	MUST(GrB_Vector_assign_FP32(vector, NULL, NULL, 0, GrB_ALL, problem->vertices, NULL));
	return vector;
}

static void take_values(const struct problem *problem, struct answer *answer, GrB_Vector vector)
{
	GrB_Index count = problem->vertices;

	MUST(GrB_Vector_extractTuples_FP32(NULL, answer->value, &count, vector));
	if (count != problem->vertices)
		peer_fails("GrB_Vector_extractTuples_FP32", "values are missing");
}

static void take_distances(const struct problem *problem, struct answer *answer, GrB_Vector vector)
{
	GrB_Index *at = peer_room(problem->vertices, sizeof(*at)), count = problem->vertices;
	uint32_t *found = peer_room(problem->vertices, sizeof(*found));

	MUST(GrB_Vector_extractTuples_UINT32(at, found, &count, vector));
	for (uint32_t v = 0; v < problem->vertices; v++)
		answer->distance[v] = UNREACHABLE;
	for (GrB_Index i = 0; i < count; i++)
		answer->distance[at[i]] = found[i];
}

/* By vertex: what it gives to each neighbour of a rank of 1 */
static GrB_Vector make_parts(const struct problem *problem)
{
	float *part = calloc(problem->vertices, sizeof(*part));
	GrB_Index size = problem->vertices * sizeof(*part);
	GrB_Vector parts;

	if (!part)
		peer_fails(NULL, "no memory");
	for (uint64_t e = 0; e < problem->edges; e++)
		part[problem->from[e]]++;
	for (uint32_t v = 0; v < problem->vertices; v++)
		part[v] = part[v] > 0 ? (float)DAMPING / part[v] : 0;
	MUST(GxB_Vector_import_Full(&parts, GrB_FP32, problem->vertices, (void **)&part, size,
				    false, NULL));
	return parts;
}

static void ranks(const struct problem *problem, struct answer *answer)
{
	const float share = 1 / (float)problem->vertices, base = (float)(1 - DAMPING) * share;
	GrB_Matrix matrix;
	GrB_Vector parts, rank, gives;

	start(problem);
	matrix = make(problem);
	parts = make_parts(problem);
	peer_has_built(answer);
	rank = full(problem);
	gives = full(problem);
	MUST(GrB_Vector_assign_FP32(rank, NULL, NULL, share, GrB_ALL, problem->vertices, NULL));
	for (uint32_t i = 0; i < problem->iterations; i++) {
		MUST(GrB_Vector_eWiseMult_BinaryOp(gives, NULL, NULL, GrB_TIMES_FP32, rank, parts,
						   NULL));
		MUST(GrB_Vector_assign_FP32(rank, NULL, NULL, base, GrB_ALL, problem->vertices,
					    NULL));
		MUST(GrB_mxv(rank, NULL, GrB_PLUS_FP32, GxB_PLUS_SECOND_FP32, matrix, gives, NULL));
	}
	take_values(problem, answer, rank);
}

static GrB_Matrix make_weighted(const struct problem *problem)
{
	struct ends ends = wide_ends(problem);
	GrB_Matrix matrix;

	MUST(GrB_Matrix_new(&matrix, GrB_UINT32, problem->vertices, problem->vertices));
	MUST(GrB_Matrix_build_UINT32(matrix, ends.to, ends.from, problem->weight, problem->edges,
				     GrB_MIN_UINT32));
	MUST(GrB_Matrix_wait(matrix, GrB_MATERIALIZE));
	free(ends.from);
	free(ends.to);
	return matrix;
}

/* Distances, and vectors that their search uses */
struct search {
	GrB_Vector distance; /* of all vertices; UNREACHABLE where none is known */
	GrB_Vector front;
	GrB_Vector found; /* distances that edges from the front make */
	GrB_Vector is_less;
	uint32_t vertices;
};

/* Follow edges from the front; it becomes those whose distance is less now */
static void follow(struct search *search, GrB_Matrix matrix)
{
	GrB_Vector front = search->front, found = search->found, is_less = search->is_less;

	MUST(GrB_vxm(found, NULL, NULL, GrB_MIN_PLUS_SEMIRING_UINT32, front, matrix, NULL));
	MUST(GrB_Vector_eWiseMult_BinaryOp(is_less, NULL, NULL, GrB_LT_UINT32, found,
					   search->distance, NULL));
	MUST(GrB_Vector_apply(front, is_less, NULL, GrB_IDENTITY_UINT32, found, GrB_DESC_R));
	MUST(GrB_Vector_assign(search->distance, front, NULL, front, GrB_ALL, search->vertices,
			       GrB_DESC_S));
}

static GrB_Index size_of(GrB_Vector vector)
{
	GrB_Index count;

	MUST(GrB_Vector_nvals(&count, vector));
	return count;
}

static struct search begin(const struct problem *problem)
{
	struct search search = { .vertices = problem->vertices };

	MUST(GrB_Vector_new(&search.distance, GrB_UINT32, problem->vertices));
	MUST(GrB_Vector_assign_UINT32(search.distance, NULL, NULL, UNREACHABLE, GrB_ALL,
				      problem->vertices, NULL));
	MUST(GrB_Vector_setElement_UINT32(search.distance, 0, problem->source));
	MUST(GrB_Vector_new(&search.front, GrB_UINT32, problem->vertices));
	MUST(GrB_Vector_setElement_UINT32(search.front, 0, problem->source));
	MUST(GrB_Vector_new(&search.found, GrB_UINT32, problem->vertices));
	MUST(GrB_Vector_new(&search.is_less, GrB_BOOL, problem->vertices));
	return search;
}

static void bellman(const struct problem *problem, struct answer *answer)
{
	struct search search;
	GrB_Matrix matrix;

	start(problem);
	matrix = make_weighted(problem);
	peer_has_built(answer);
	search = begin(problem);
	while (size_of(search.front))
		follow(&search, matrix);
	take_distances(problem, answer, search.distance);
}

static GrB_Matrix only(const struct problem *problem, GrB_Matrix of, GrB_IndexUnaryOp which,
		       uint32_t limit)
{
	GrB_Matrix matrix;

	MUST(GrB_Matrix_new(&matrix, GrB_UINT32, problem->vertices, problem->vertices));
	MUST(GrB_Matrix_select_UINT32(matrix, NULL, NULL, which, of, limit, NULL));
	MUST(GrB_Matrix_wait(matrix, GrB_MATERIALIZE));
	return matrix;
}

/* All whose distance is from @low to less than @high */
static void take_bucket(GrB_Vector to, GrB_Vector from, GrB_Vector between, uint64_t low,
			uint64_t high)
{
	MUST(GrB_Vector_select_UINT32(between, NULL, NULL, GrB_VALUEGE_UINT32, from, (uint32_t)low,
				      NULL));
	MUST(GrB_Vector_select_UINT32(to, NULL, NULL, GrB_VALUELT_UINT32, between, (uint32_t)high,
				      NULL));
}

static uint64_t least_from(GrB_Vector distance, GrB_Vector between, uint64_t low)
{
	uint32_t least = UNREACHABLE;

	if (low >= UNREACHABLE)
		return UNREACHABLE;
	MUST(GrB_Vector_select_UINT32(between, NULL, NULL, GrB_VALUEGE_UINT32, distance,
				      (uint32_t)low, NULL));
	MUST(GrB_Vector_reduce_UINT32(&least, NULL, GrB_MIN_MONOID_UINT32, between, NULL));
	return least;
}

/*
 * Delta-stepping: vertices whose distances are in a bucket follow their short edges until none of them
 * comes into the bucket any more, and then their long ones.
 */
static void paths(const struct problem *problem, struct answer *answer)
{
	GrB_Vector between, bucket;
	GrB_Matrix matrix, light, heavy;
	struct search search;
	uint64_t sum = 0, delta, low;

	start(problem);
	for (uint64_t e = 0; e < problem->edges; e++)
		sum += problem->weight[e];
	delta = problem->edges ? sum / problem->edges + 1 : 1;
	matrix = make_weighted(problem);
	light = only(problem, matrix, GrB_VALUELE_UINT32, (uint32_t)delta);
	heavy = only(problem, matrix, GrB_VALUEGT_UINT32, (uint32_t)delta);
	peer_has_built(answer);
	search = begin(problem);
	MUST(GrB_Vector_new(&between, GrB_UINT32, problem->vertices));
	MUST(GrB_Vector_new(&bucket, GrB_UINT32, problem->vertices));
	for (low = 0; low < UNREACHABLE; low = least_from(search.distance, between, low + delta)) {
		uint64_t high = low + delta < UNREACHABLE ? low + delta : UNREACHABLE;

		low = low / delta * delta;
		take_bucket(search.front, search.distance, between, low, high);
		while (size_of(search.front)) {
			follow(&search, light);
			MUST(GrB_Vector_select_UINT32(bucket, NULL, NULL, GrB_VALUELT_UINT32,
						      search.front, (uint32_t)high, NULL));
			MUST(GrB_Vector_apply(search.front, NULL, NULL, GrB_IDENTITY_UINT32, bucket,
					      NULL));
		}
		take_bucket(search.front, search.distance, between, low, high);
		follow(&search, heavy);
	}
	take_distances(problem, answer, search.distance);
}

static void hops(const struct problem *problem, struct answer *answer)
{
	GrB_Vector level, front;
	GrB_Matrix matrix;
	GrB_Index count = 1;

	start(problem);
	matrix = make(problem);
	peer_has_built(answer);
	MUST(GrB_Vector_new(&level, GrB_UINT32, problem->vertices));
	MUST(GrB_Vector_new(&front, GrB_BOOL, problem->vertices));
	MUST(GrB_Vector_setElement_BOOL(front, true, problem->source));
	for (uint32_t depth = 0; count; depth++) {
		bool pull = count > problem->vertices / PULL_PART;

		MUST(GrB_Vector_assign_UINT32(level, front, NULL, depth, GrB_ALL, problem->vertices,
					      GrB_DESC_S));
		MUST(GxB_Vector_Option_set(front, GxB_SPARSITY_CONTROL,
					   pull ? GxB_BITMAP : GxB_SPARSE));
		if (pull)
			MUST(GrB_mxv(front, level, NULL, GxB_ANY_PAIR_BOOL, matrix, front,
				     GrB_DESC_RSC));
		else
			MUST(GrB_vxm(front, level, NULL, GxB_ANY_PAIR_BOOL, front, matrix,
				     GrB_DESC_RSC));
		count = size_of(front);
	}
	take_distances(problem, answer, level);
}

static void heat(const struct problem *problem, struct answer *answer)
{
	GrB_Vector sums, parts, now, come;
	GrB_Matrix matrix, lengths;

	start(problem);
	lengths = make_weighted(problem);
	MUST(GrB_Matrix_new(&matrix, GrB_FP32, problem->vertices, problem->vertices));
	MUST(GrB_Matrix_apply(matrix, NULL, NULL, GrB_IDENTITY_FP32, lengths, NULL));
	MUST(GrB_Vector_new(&sums, GrB_FP32, problem->vertices));
	MUST(GrB_Matrix_reduce_Monoid(sums, NULL, NULL, GrB_PLUS_MONOID_FP32, matrix, NULL));
	MUST(GrB_Vector_new(&parts, GrB_FP32, problem->vertices));
	MUST(GrB_Vector_apply_BinaryOp1st_FP32(parts, NULL, NULL, GrB_DIV_FP32, (float)HEAT_PART,
					       sums, NULL));
	MUST(GrB_Vector_wait(parts, GrB_MATERIALIZE));
	peer_has_built(answer);
	now = full(problem);
	MUST(GrB_Vector_setElement_FP32(now, 1, problem->source));
	MUST(GrB_Vector_new(&come, GrB_FP32, problem->vertices));
	for (uint32_t i = 0; i < problem->iterations; i++) {
		MUST(GrB_mxv(come, NULL, NULL, GrB_PLUS_TIMES_SEMIRING_FP32, matrix, now, NULL));
		MUST(GrB_Vector_eWiseMult_BinaryOp(come, NULL, NULL, GrB_TIMES_FP32, come, parts,
						   NULL));
		MUST(GrB_Vector_apply_BinaryOp1st_FP32(now, NULL, NULL, GrB_TIMES_FP32,
						       (float)(1 - HEAT_PART), now, NULL));
		MUST(GrB_Vector_eWiseAdd_BinaryOp(now, NULL, NULL, GrB_PLUS_FP32, now, come, NULL));
		MUST(GrB_Vector_setElement_FP32(now, 1, problem->source));
	}
	take_values(problem, answer, now);
}

static const char *version(void)
{
	static char text[32];

	snprintf(text, sizeof(text), "%d.%d.%d", GxB_IMPLEMENTATION_MAJOR, GxB_IMPLEMENTATION_MINOR,
		 GxB_IMPLEMENTATION_SUB);
	return text;
}

const struct peer peer_graphblas = {
	.name = "graphblas",
	.what = "SuiteSparse GraphBLAS: page rank, delta-stepping, breadth first both ways, heat",
	.version = version,
	.solve = { ranks, paths, hops, heat },
};

const struct peer peer_graphblas_bellman = {
	.name = "graphblas-bf",
	.what = "its shortest paths by Bellman and Ford, with a front",
	.version = version,
	.solve = { [TASK_PATHS] = bellman },
};
