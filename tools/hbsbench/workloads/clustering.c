// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdbool.h>
#include <stddef.h>

#include "arena.h"
#include "clustering.h"
#include "shared/random.h"

#define CHUNK	  64	     /* points that arrive at once */
#define PROPOSALS 96	     /* for each chunk */
#define CENTRE	  40000000LL /* the cost of a centre, in the same unit as squared distances */

/* What a member finds out about a proposal; it has cache lines of its own */
struct finding {
	_Alignas(CACHE_LINE) int64_t saved; /* by points that come closer */
	int64_t *moved; /* for each point that is a centre: what it would cost to close it */
};

struct clustering {
	struct points points;
	unsigned int members;
	/* the first member writes it; all read it after the first barrier of a step */
	unsigned int proposed;
	unsigned int known;   /* points that were there before the step */
	unsigned int present; /* and with the points that arrived in it */
	unsigned int proposals;
	uint64_t random;
	/* the same, after the second */
	bool accepted;
	bool *closed;
	unsigned int *centres;
	unsigned int centre_count;
	/* for each point, by the member that has to move it */
	unsigned int *centre;
	int64_t *distance;
	struct finding *findings;
};

struct clustering *clustering_make(const struct points *points, unsigned int members)
{
	struct clustering *new = arena_map(sizeof(*new));
	unsigned int count = points->count;

	new->points = *points;
	new->members = members;
	new->closed = arena_map(count * sizeof(*new->closed));
	new->centres = arena_map(count * sizeof(*new->centres));
	new->centre = arena_map(count * sizeof(*new->centre));
	new->distance = arena_map(count * sizeof(*new->distance));
	new->findings = arena_map(members * sizeof(*new->findings));
	for (unsigned int i = 0; i < members; i++)
		new->findings[i].moved = arena_map(count * sizeof(int64_t));
	new->present = count;
	new->proposals = PROPOSALS;
	return new;
}

static int64_t distance(const struct clustering *c, unsigned int i, unsigned int j)
{
	const struct point *a = &c->points.point[i], *b = &c->points.point[j];
	int64_t sum = 0;

	for (int k = 0; k < DIMENSIONS; k++) {
		int64_t apart = (int64_t)a->at[k] - b->at[k];

		sum += apart * apart;
	}
	return sum;
}

/* The first member: let the next chunk arrive when it is time, and propose a point */
static void propose(struct clustering *c)
{
	c->known = c->present;
	if (c->proposals++ == PROPOSALS) {
		c->proposals = 1;
		if (c->present == c->points.count) { /* the stream starts anew */
			c->known = 0;
			c->present = 0;
			c->random = random_start(0);
			c->centres[0] = 0;
			c->centre_count = 1;
		}
		c->present += CHUNK;
		if (c->present > c->points.count)
			c->present = c->points.count;
	}
	c->proposed = (unsigned int)(random_next(&c->random) % c->present);
}

/* A point that has just arrived goes to the nearest centre */
static void settle(struct clustering *c, unsigned int i)
{
	c->distance[i] = INT64_MAX;
	for (unsigned int k = 0; k < c->centre_count; k++) {
		int64_t apart = distance(c, i, c->centres[k]);

		if (apart < c->distance[i]) {
			c->distance[i] = apart;
			c->centre[i] = c->centres[k];
		}
	}
}

static void find_out(struct clustering *c, unsigned int member, unsigned int proposed,
		     unsigned int present)
{
	struct finding *mine = &c->findings[member];

	mine->saved = 0;
	for (unsigned int k = 0; k < c->centre_count; k++)
		mine->moved[c->centres[k]] = 0;
	for (unsigned int i = member; i < present; i += c->members) {
		int64_t closer;

		if (i >= c->known)
			settle(c, i);
		closer = c->distance[i] - distance(c, i, proposed);
		if (closer > 0)
			mine->saved += closer;
		else
			mine->moved[c->centre[i]] -= closer;
	}
}

static int64_t cost_to_close(const struct clustering *c, unsigned int centre)
{
	int64_t cost = 0;

	for (unsigned int m = 0; m < c->members; m++)
		cost += c->findings[m].moved[centre];
	return cost;
}

/* The first member: is the proposal worth it, if the centres that it makes idle are closed? */
static void decide(struct clustering *c)
{
	unsigned int kept = 0;
	int64_t gain = -CENTRE;

	for (unsigned int m = 0; m < c->members; m++)
		gain += c->findings[m].saved;
	for (unsigned int k = 0; k < c->centre_count; k++) {
		int64_t saved = CENTRE - cost_to_close(c, c->centres[k]);

		c->closed[c->centres[k]] = saved > 0;
		gain += saved > 0 ? saved : 0;
	}
	c->accepted = gain > 0;
	if (!c->accepted)
		return;
	for (unsigned int k = 0; k < c->centre_count; k++)
		if (!c->closed[c->centres[k]])
			c->centres[kept++] = c->centres[k];
	c->centres[kept++] = c->proposed;
	c->centre_count = kept;
}

static void move(struct clustering *c, unsigned int member, unsigned int proposed,
		 unsigned int present)
{
	for (unsigned int i = member; i < present; i += c->members) {
		int64_t apart = distance(c, i, proposed);

		if (apart < c->distance[i] || c->closed[c->centre[i]]) {
			c->distance[i] = apart;
			c->centre[i] = proposed;
		}
	}
}

void clustering_step(struct clustering *c, unsigned int member, void (*wait)(unsigned int member))
{
	unsigned int proposed, present;

	if (!member)
		propose(c);
	wait(member);
	/* kept, since the first member proposes again while others still move points */
	proposed = c->proposed;
	present = c->present;
	find_out(c, member, proposed, present);
	wait(member);
	if (!member)
		decide(c);
	wait(member);
	if (c->accepted)
		move(c, member, proposed, present);
}

void clustering_centres(const struct clustering *c, unsigned int *centres)
{
	for (unsigned int i = 0; i < c->present; i++)
		centres[i] = c->centre[i];
}

uint64_t clustering_digest(const struct clustering *c)
{
	uint64_t digest = c->present;

	for (unsigned int i = 0; i < c->present; i++)
		digest = (digest ^ c->centre[i]) * 0x100000001b3ULL;
	return digest;
}
