// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>

#include "topologies.h"

const struct topology topologies[TOPOLOGIES] = {
	{ "normal, |E| = 8|V|", "normal:%ux8", 1, 16, 0.136, 0, 4.33, { 0.44, 0.46 } },
	{ "normal, |E| = 16|V|", "normal:%ux16", 1, 32, 0.164, 0, 3.58, { 0.56, 0.42 } },
	{ "scale-free, |E| = 8|V|", "scale-free:%ux8", 1, 16, 0, 0.533, 2.05, { 0.81, 0.52 } },
	{ "scale-free, |E| = 16|V|", "scale-free:%ux16", 1, 32, 0, 0.481, 2.14, { 0.74, 0.40 } },
	{ "4-connected 2D grid", "grid4:%ux%u", 2, 4, 1. / 2, 0, 1.06, { 18.25, 1.81 } },
	{ "8-connected 2D grid", "grid8:%ux%u", 2, 8, 1. / 2, 0, 1.73, { 5.65, 1.32 } },
	{ "6-connected 3D grid", "grid6:%ux%ux%u", 3, 6, 1. / 3, 0, 1.22, { 2.01, 0.63 } },
	{ "26-connected 3D grid", "grid26:%ux%ux%u", 3, 26, 1. / 3, 0, 2.51, { 2.16, 0.32 } },
};

void topology_graph(const struct topology *topology, uint32_t vertices, char *text, size_t size)
{
	unsigned int side = (unsigned int)lround(pow(vertices, 1. / topology->sides));

	switch (topology->sides) {
	case 1:
		snprintf(text, size, topology->form, side);
		break;
	case 2:
		snprintf(text, size, topology->form, side, side);
		break;
	default:
		snprintf(text, size, topology->form, side, side, side);
	}
}

void topology_features(const struct topology *topology, double vertices, struct features *features)
{
	*features = (struct features){
		.vertices = vertices,
		.fanout = topology->fanout,
		.diameter = topology->factor > 0 ? topology->factor * log(vertices)
						 : pow(vertices, topology->power),
		.reconvergence = topology->reconvergence,
	};
}
