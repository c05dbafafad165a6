// SPDX-License-Identifier: GPL-2.0-or-later
/* Boost Graph, with its compressed sparse row graph, which is its fastest */
#include <utility>

#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/dijkstra_shortest_paths_no_color_map.hpp>
#include <boost/graph/page_rank.hpp>
#include <boost/iterator/counting_iterator.hpp>
#include <boost/iterator/transform_iterator.hpp>
#include <boost/version.hpp>

#include "peer.h"

namespace
{

struct length {
	uint32_t weight;
};

template <typename property>
using graph_of = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, property,
						    boost::no_property, uint32_t, uint64_t>;
using plain_graph = graph_of<boost::no_property>;
using weighted_graph = graph_of<length>;

/* The edge of a number, as a pair of vertices */
struct ends {
	using result_type = std::pair<uint32_t, uint32_t>;

	const problem *of;

	result_type operator()(uint64_t edge) const
	{
		return { of->from[edge], of->to[edge] };
	}
};

struct length_of {
	using result_type = length;

	const problem *of;

	result_type operator()(uint64_t edge) const
	{
		return { of->weight[edge] };
	}
};

template <typename function> auto each(function what, uint64_t edge)
{
	return boost::make_transform_iterator(boost::counting_iterator<uint64_t>(edge), what);
}

plain_graph make(const problem *problem)
{
	ends all{ problem };

	return plain_graph(boost::edges_are_unsorted_multi_pass, each(all, 0),
			   each(all, problem->edges), problem->vertices);
}

weighted_graph make_weighted(const problem *problem)
{
	ends all{ problem };
	length_of lengths{ problem };

	return weighted_graph(boost::edges_are_unsorted_multi_pass, each(all, 0),
			      each(all, problem->edges), each(lengths, 0), problem->vertices);
}

template <typename graph, typename value> auto by_vertex(const graph &of, value *values)
{
	return boost::make_iterator_property_map(values, boost::get(boost::vertex_index, of));
}

void ranks(const problem *problem, answer *answer)
{
	plain_graph graph = make(problem);

	peer_has_built(answer);
	boost::graph::page_rank(graph, by_vertex(graph, answer->value),
				boost::graph::n_iterations(problem->iterations), (float)DAMPING);
}

void paths(const problem *problem, answer *answer)
{
	weighted_graph graph = make_weighted(problem);

	peer_has_built(answer);
	boost::dijkstra_shortest_paths_no_color_map(
		graph, problem->source,
		boost::weight_map(boost::get(&length::weight, graph))
			.distance_map(by_vertex(graph, answer->distance))
			.distance_inf(UNREACHABLE));
}

void hops(const problem *problem, answer *answer)
{
	plain_graph graph = make(problem);

	peer_has_built(answer);
	for (uint32_t v = 0; v < problem->vertices; v++)
		answer->distance[v] = UNREACHABLE;
	answer->distance[problem->source] = 0;
	boost::breadth_first_search(
		graph, problem->source,
		boost::visitor(boost::make_bfs_visitor(boost::record_distances(
			by_vertex(graph, answer->distance), boost::on_tree_edge()))));
}

const char *version()
{
	return BOOST_LIB_VERSION;
}

} // namespace

extern "C" {
extern const struct peer peer_boost;
const struct peer peer_boost = {
	"boost",
	"page_rank(), dijkstra_shortest_paths_no_color_map(), breadth_first_search(), on CSR",
	version,
	false,
	RANKS_FROM_SQUARE,
	{ ranks, paths, hops, nullptr },
};
}
