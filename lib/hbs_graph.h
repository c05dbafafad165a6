/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * DOC: Overview
 *
 * Programs on graphs: a handful of handlers says what a vertex does, and threads that send each
 * other messages run them, until all is quiet::
 *
 *	struct vertex { uint32_t distance; };
 *	static int paths_recv(struct hbs_vertex *vertex, struct vertex *state,
 *			      const uint32_t *message, const uint32_t *weight) { ... }
 *	... and paths_init(), paths_send(), paths_step(), paths_finish()
 *	HBS_GRAPH_TYPE(paths, struct vertex, uint32_t, uint32_t);
 *
 *	hbs_graph_create(&(struct hbs_graph_attr){ .type = &paths, ... }, &graph);
 *	hbs_graph_run(graph, hbs, NULL, NULL);
 *
 * The interface is that of POLite, of the Tinsel paper (section IV) and of the paper on the choice
 * between synchronous and asynchronous algorithms (section 3.2), in C. Where a call or a handler
 * comes from there, its comment names it; the others are our own. Documentation/graph.rst has a
 * program, and a table of what differs.
 *
 * A vertex has a state. It tells by hbs_vertex_ready() on which pin, which is a set of its edges,
 * it wants to send. Some time later its handler send writes a message, which goes along all edges
 * of the pin: the handler recv of each vertex at their ends gets it with the datum of the edge. When no
 * vertex wants to send and no message is on its way, the handler step runs. If it has returned 0
 * at every vertex, the next time all is quiet is the end, and the handler finish runs.
 *
 * Vertices belong to threads, in blocks of the order of their numbers. A thread runs the handlers of
 * its own vertices only, so these need no locks. It receives before it sends. A message
 * takes one copy for each thread that has vertices to receive it, and none in the sender's own.
 * Where nearly all vertices send at a time, HBS_GRAPH_TYPE_ROUNDS() needs no copies at all.
 *
 * All functions return 0 or a negative errno. Sizes are in bytes.
 */
#ifndef HBS_GRAPH_H
#define HBS_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hbs;
struct hbs_graph;

#define HBS_GRAPH_MESSAGE_MAX  56u   /* bytes of a message */
#define HBS_GRAPH_PINS_MAX     1024u /* pins of a vertex */
#define HBS_GRAPH_THREADS_MAX  1024u
#define HBS_GRAPH_VERTICES_MAX 0x7fffffffu
#define HBS_GRAPH_EDGES_MAX    0xfffffff0u

/* What a vertex wants, for hbs_vertex_ready() */
#define HBS_PIN_NONE	0u		/* it does not want to send (POLite: No) */
#define HBS_PIN_HOST	1u		/* to the host (POLite: HostPin) */
#define HBS_PIN(number) (2u + (number)) /* along a pin, counted from 0 (POLite: Pin) */

/* Of the library: what it keeps of a vertex */
#define HBS_VERTEX_PIN_	   0x1fffu
#define HBS_VERTEX_LISTED_ 0xa000u /* a bit for each of the lists queue and later */
#define HBS_VERTEX_WOKEN_  0x4000u

/* Of the library: an edge is the number of a vertex, and whether it is the last one of a message */
#define HBS_EDGE_VERTEX_     0x7fffffffu
#define HBS_EDGE_LAST_(edge) ((edge) >> 31)

/* Of the library: the vertex of an edge */
static inline uint32_t hbs_edge_vertex_(const void *edge)
{
	return *(const uint32_t *)edge & HBS_EDGE_VERTEX_;
}

/**
 * struct hbs_vertices - the vertices of a thread; all of it is the library's own
 * @wants: by vertex: the pin, and in which of the lists below it is
 * @queue: who wants to send, a ring
 * @later: who is to send later than those in @queue
 * @order: by vertex in @later: that of hbs_vertex_ready_at(), if they have more than one
 * @woken: whose step is asked for
 * @count: how many vertices there are
 * @queue_end: where the next one goes in @queue
 * @queued: how many are there
 * @later_count: how many are in @later
 * @later_least: no order in @later is smaller
 * @later_most: none is greater
 * @later_stale: whether some in @later may have sent meanwhile, or not want to send any more
 * @level: the greatest order that is in @queue
 * @woken_count: how many are in @woken
 * @in_queue: the bit in @wants of those in @queue; those in @later have the other one of
 *            HBS_VERTEX_LISTED_
 * @first: the number of the first vertex
 * @step: how often step has been called
 * @edge_stride: from an edge to the next one
 * @stride: from an edge's datum to the next one's; 0 if all edges have the same
 * @arg: that of hbs_graph_run()
 */
struct hbs_vertices {
	uint16_t *wants;
	uint32_t *queue;
	uint32_t *later;
	uint32_t *order;
	uint32_t *woken;
	uint32_t count;
	uint32_t queue_end;
	uint32_t queued;
	uint32_t later_count;
	uint32_t later_least;
	uint32_t later_most;
	uint32_t later_stale;
	uint32_t level;
	uint32_t woken_count;
	uint32_t in_queue;
	uint32_t first;
	uint32_t step;
	size_t edge_stride;
	size_t stride;
	void *arg;
};

/**
 * struct hbs_vertex - the vertex that a handler runs for; all of it is the library's own
 * @of: those of its thread
 * @index: which one of them
 */
struct hbs_vertex {
	struct hbs_vertices *of;
	uint32_t index;
};

/**
 * hbs_vertex_number() - which vertex it is
 * @vertex: the vertex
 *
 * Return: its number in the graph.
 */
static inline uint32_t hbs_vertex_number(const struct hbs_vertex *vertex)
{
	return vertex->of->first + vertex->index;
}

/**
 * hbs_vertex_arg() - what the program gave to hbs_graph_run()
 * @vertex: the vertex
 *
 * All threads have it at once.
 *
 * Return: the argument.
 */
static inline void *hbs_vertex_arg(const struct hbs_vertex *vertex)
{
	return vertex->of->arg;
}

/**
 * hbs_vertex_steps() - how often the handler step has been called in this run, this call included
 * @vertex: the vertex
 *
 * Return: the number, which is the same for all vertices when all is quiet.
 */
static inline uint32_t hbs_vertex_steps(const struct hbs_vertex *vertex)
{
	return vertex->of->step;
}

/**
 * hbs_vertex_ready() - say what a vertex wants to send (POLite: \*readyToSend)
 * @vertex: the vertex
 * @pin: HBS_PIN(number), HBS_PIN_HOST or HBS_PIN_NONE
 *
 * It stays so until it is said otherwise: the handler send says HBS_PIN_NONE, or is called again.
 */
static inline void hbs_vertex_ready(const struct hbs_vertex *vertex, unsigned int pin)
{
	struct hbs_vertices *of = vertex->of;
	unsigned int wants = of->wants[vertex->index];

	if (pin != HBS_PIN_NONE && !(wants & of->in_queue)) {
		of->queue[of->queue_end] = vertex->index;
		of->queue_end = of->queue_end + 1 < of->count ? of->queue_end + 1 : 0;
		of->queued++;
		wants |= of->in_queue;
	}
	if (wants & (HBS_VERTEX_LISTED_ ^ of->in_queue))
		of->later_stale = 1;
	of->wants[vertex->index] = (uint16_t)((wants & ~HBS_VERTEX_PIN_) | pin);
}

/*
 * Of the library: a vertex is to send later, with that order. As long as all who are to send later have the
 * same one, nothing notes it by vertex.
 */
static inline void hbs_vertices_later_(struct hbs_vertices *of, uint32_t index, uint32_t order)
{
	if (!of->later_count) {
		of->later_least = order;
		of->later_most = order;
		return;
	}
	if (of->later_least == of->later_most) {
		if (order == of->later_least)
			return;
		for (uint32_t i = 0; i < of->later_count; i++)
			of->order[of->later[i]] = of->later_least;
	}
	if (order < of->later_least)
		of->later_least = order;
	if (order > of->later_most)
		of->later_most = order;
	of->order[index] = order;
}

/**
 * hbs_vertex_ready_at() - say what a vertex wants to send, and when
 * @vertex: the vertex
 * @pin: HBS_PIN(number) or HBS_PIN_HOST
 * @order: vertices of the same thread with a smaller number send first, mostly; those with the same
 *         one, and those with a number below one that has had its turn, in the order in which
 *         they began to want it
 *
 * Only for types with HBS_SEND_ORDERED. The last call counts. A program is right with any order;
 * the order makes it faster where a vertex that sends too early has to send again.
 */
static inline void hbs_vertex_ready_at(const struct hbs_vertex *vertex, unsigned int pin,
				       uint32_t order)
{
	struct hbs_vertices *of = vertex->of;
	unsigned int wants = of->wants[vertex->index];

	if (order <= of->level) {
		hbs_vertex_ready(vertex, pin);
		return;
	}
	hbs_vertices_later_(of, vertex->index, order);
	if (!(wants & HBS_VERTEX_LISTED_)) {
		of->later[of->later_count++] = vertex->index;
		wants |= HBS_VERTEX_LISTED_ ^ of->in_queue;
	}
	of->wants[vertex->index] = (uint16_t)((wants & ~HBS_VERTEX_PIN_) | pin);
}

/**
 * hbs_vertex_wake() - ask for the next step of a vertex
 * @vertex: the vertex
 *
 * Only for types with HBS_STEP_WOKEN. It holds for one step: the handler step may ask for the next.
 */
static inline void hbs_vertex_wake(const struct hbs_vertex *vertex)
{
	struct hbs_vertices *of = vertex->of;
	unsigned int wants = of->wants[vertex->index];

	if (wants & HBS_VERTEX_WOKEN_)
		return;
	of->woken[of->woken_count++] = vertex->index;
	of->wants[vertex->index] = (uint16_t)(wants | HBS_VERTEX_WOKEN_);
}

/**
 * enum hbs_step_when - for which vertices step is called
 * @HBS_STEP_ALL: for all, as in POLite
 * @HBS_STEP_WOKEN: for those that asked by hbs_vertex_wake(). The others count as if theirs had
 *                  returned 0
 */
enum hbs_step_when {
	HBS_STEP_ALL = 0,
	HBS_STEP_WOKEN = 1,
};

/**
 * enum hbs_send_order - in which order vertices of a thread send
 * @HBS_SEND_FIFO: in that in which they began to want it
 * @HBS_SEND_ORDERED: in that of hbs_vertex_ready_at(); takes 8 bytes more for each vertex
 * @HBS_SEND_ROUNDS: in rounds: all that want to send do so once, each into a place of its own. When
 *                   all threads have come so far, each vertex receives what those with an edge to
 *                   it have sent. Only for types of HBS_GRAPH_TYPE_ROUNDS()
 */
enum hbs_send_order {
	HBS_SEND_FIFO = 0,
	HBS_SEND_ORDERED = 1,
	HBS_SEND_ROUNDS = 2,
};

/**
 * struct hbs_round - what the vertices of a thread receive in a round; all of it is the library's own
 * @messages: by vertex of the graph: what it has sent
 * @sent: by vertex of the graph: whether it has sent along its edges; NULL if all have
 * @start: by vertex of the thread, and one more: where the edges begin that end there
 * @from: by edge: the vertex of the graph where it begins
 * @data: by edge: its datum
 */
struct hbs_round {
	const void *messages;
	const unsigned char *sent;
	const uint32_t *start;
	const uint32_t *from;
	const void *data;
};

/* Of the library: how many edges are looked through at a time, where not all vertices have sent */
#define HBS_ROUND_SOME_ 64u

/**
 * hbs_round_some_() - edges along which a message has come, of the next HBS_ROUND_SOME_ ones; it is the
 *                     library's own
 * @round: the round
 * @some: out: which ones
 * @edge: the first one; out: that after the last one
 * @end: the one before which it ends at the latest
 *
 * Without a branch: who has sent is as good as random, so the CPU would guess wrongly.
 *
 * Return: how many.
 */
static inline uint32_t hbs_round_some_(const struct hbs_round *round, uint32_t *some,
				       uint32_t *edge, uint32_t end)
{
	uint32_t e = *edge, count = 0;

	if (end - e > HBS_ROUND_SOME_)
		end = e + HBS_ROUND_SOME_;
	for (; e < end; e++) {
		some[count] = e;
		count += round->sent[round->from[e]];
	}
	*edge = end;
	return count;
}

/**
 * struct hbs_graph_type - what vertices are and do (POLite: PVertex<S,E,M>), as HBS_GRAPH_TYPE()
 *                         makes it of the handlers of a vertex
 * @state: bytes of a vertex's state
 * @edge: bytes of an edge's datum; 0 if edges have none
 * @message: bytes of a message, 1 to HBS_GRAPH_MESSAGE_MAX
 * @record: bytes of an edge with its datum, as they lie in memory: a uint32_t, then the datum
 * @datum_at: where the datum is in there
 * @init: the handler init of a vertex
 * @send: the handler send of a vertex
 * @recv: the handler recv for each of the @count @edges, from @datum on with their data. An edge begins
 *        with the number of its vertex, in which the highest bit is set if it is the last one of a
 *        message in @messages. @ahead has as many edges, most of whose vertices will receive something
 *        soon: their states may be fetched into the cache. NULL if vertices send in rounds
 * @step: the handler step of the vertices in @list, or of the first @count ones if it is NULL
 * @finish: the handler finish of a vertex
 * @pins: pins of a vertex; 0 for 1
 * @step_when: enum hbs_step_when
 * @send_order: enum hbs_send_order
 * @combine: make one message of two that a vertex has sent along the same pin: change the first
 *           one, @into. The library may do so with messages on their way to another thread, and need
 *           not; NULL: it must not
 * @host: the host's part: a message from a vertex; NULL if there is none, and messages to the host
 *        go nowhere. The thread that called hbs_graph_run() calls it, and no other. Negative if it
 *        fails
 * @turn: if vertices send in rounds: the handler send of the vertices from @begin on to before @end
 *        of a thread, into @messages, by vertex of the thread
 * @gather: if vertices send in rounds: the handler recv of all vertices of a thread, for each edge.
 *          It returns how often, or an error
 * @reserved: 0
 */
struct hbs_graph_type {
	uint32_t state;
	uint32_t edge;
	uint32_t message;
	uint32_t record;
	uint32_t datum_at;
	int (*init)(struct hbs_vertex *vertex, void *state);
	int (*send)(struct hbs_vertex *vertex, void *state, void *message);
	int (*recv)(struct hbs_vertices *of, void *states, const void *messages, const void *edges,
		    const void *datum, uint32_t count, const void *ahead);
	int (*step)(struct hbs_vertices *of, void *states, const uint32_t *list, uint32_t count);
	int (*finish)(struct hbs_vertex *vertex, void *state, void *message);
	uint32_t pins;
	uint32_t step_when;
	uint32_t send_order;
	void (*combine)(void *into, const void *message);
	int (*host)(void *arg, uint32_t vertex, const void *message);
	int (*turn)(struct hbs_vertices *of, void *states, void *messages, uint32_t begin,
		    uint32_t end);
	int64_t (*gather)(struct hbs_vertices *of, void *states, const struct hbs_round *round);
	uint64_t reserved[2];
};

/* Of the library: the handlers of a type, as it calls them one by one */
#define HBS_GRAPH_HANDLERS_(name, S, M)                                                      \
	static int name##_init_(struct hbs_vertex *vertex, void *state)                      \
	{                                                                                    \
		return name##_init(vertex, (S *)state);                                      \
	}                                                                                    \
	static int name##_send_(struct hbs_vertex *vertex, void *state, void *message)       \
	{                                                                                    \
		return name##_send(vertex, (S *)state, (M *)message);                        \
	}                                                                                    \
	static int name##_step_(struct hbs_vertices *of, void *states, const uint32_t *list, \
				uint32_t count)                                              \
	{                                                                                    \
		struct hbs_vertex vertex = { of, 0 };                                        \
		int more = 0;                                                                \
                                                                                             \
		for (uint32_t i = 0; i < count; i++) {                                       \
			int ret;                                                             \
                                                                                             \
			vertex.index = list ? list[i] : i;                                   \
			ret = name##_step(&vertex, (S *)states + vertex.index);              \
			if (ret < 0)                                                         \
				return ret;                                                  \
			more |= ret;                                                         \
		}                                                                            \
		return more;                                                                 \
	}                                                                                    \
	static int name##_finish_(struct hbs_vertex *vertex, void *state, void *message)     \
	{                                                                                    \
		return name##_finish(vertex, (S *)state, (M *)message);                      \
	}

/**
 * HBS_GRAPH_TYPE() - make a type of five handlers (POLite: struct ... : PVertex<S,E,M>)
 * @name: of the type, which is a static const struct hbs_graph_type
 * @S: the type of a vertex's state
 * @E: the type of an edge's datum
 * @M: the type of a message
 * @...: .pins, .step_when, .send_order, .combine and .host, in this order, if they are not to be 0;
 *       not HBS_SEND_ROUNDS, see HBS_GRAPH_TYPE_ROUNDS()
 *
 * The handlers are functions whose names begin with that of the type. All return a negative
 * errno if they fail, which ends the run of all threads with this error, or else::
 *
 *	int name_init(struct hbs_vertex *vertex, S *state);
 *	int name_send(struct hbs_vertex *vertex, S *state, M *message);
 *	int name_recv(struct hbs_vertex *vertex, S *state, const M *message, const E *datum);
 *	int name_step(struct hbs_vertex *vertex, S *state);
 *	int name_finish(struct hbs_vertex *vertex, S *state, M *message);
 *
 * What the pointers lead to is there until the handler returns; a program that needs a message or
 * a datum later copies it.
 *
 * init, send and recv return 0. step returns 1 if the vertex wants another step, else 0. finish
 * returns 1 if it has written a message to the host, else 0. The handler send is called with the
 * pin of the vertex as it was; it says HBS_PIN_NONE if it does not want to send again.
 *
 * The macro puts recv and step into loops, where the compiler can have them inline.
 */
#define HBS_GRAPH_TYPE(name, S, E, M, ...)                                                     \
	HBS_GRAPH_HANDLERS_(name, S, M)                                                        \
	struct name##_edge_ {                                                                  \
		uint32_t to;                                                                   \
		E datum;                                                                       \
	};                                                                                     \
	enum { name##_datum_at_ = offsetof(struct name##_edge_, datum) };                      \
	static int name##_recv_(struct hbs_vertices *of, void *states, const void *messages,   \
				const void *edges, const void *datum, uint32_t count,          \
				const void *ahead)                                             \
	{                                                                                      \
		struct hbs_vertex vertex = { of, 0 };                                          \
		const M *message = (const M *)messages;                                        \
		const char *edge = (const char *)edges, *its = (const char *)datum;            \
		const char *soon = (const char *)ahead;                                        \
		const size_t edge_stride = of->edge_stride, stride = of->stride;               \
                                                                                               \
		for (uint32_t i = 0; i < count; i++) {                                         \
			const uint32_t to = *(const uint32_t *)(const void *)edge;             \
			int ret;                                                               \
                                                                                               \
			/* behind the last edges, this is of no vertex of the part */          \
			__builtin_prefetch((const void *)((uintptr_t)states +                  \
							  sizeof(S) * hbs_edge_vertex_(soon)), \
					   1);                                                 \
			vertex.index = to & HBS_EDGE_VERTEX_;                                  \
			ret = name##_recv(&vertex, (S *)states + vertex.index, message,        \
					  (const E *)(const void *)its);                       \
			if (ret < 0)                                                           \
				return ret;                                                    \
			message += HBS_EDGE_LAST_(to);                                         \
			edge += edge_stride;                                                   \
			its += stride;                                                         \
			soon += edge_stride;                                                   \
		}                                                                              \
		return 0;                                                                      \
	}                                                                                      \
	static const struct hbs_graph_type name = { .state = sizeof(S),                        \
						    .edge = sizeof(E),                         \
						    .message = sizeof(M),                      \
						    .record = sizeof(struct name##_edge_),     \
						    .datum_at = name##_datum_at_,              \
						    .init = name##_init_,                      \
						    .send = name##_send_,                      \
						    .recv = name##_recv_,                      \
						    .step = name##_step_,                      \
						    .finish = name##_finish_,                  \
						    __VA_ARGS__ }

/**
 * HBS_GRAPH_TYPE_ROUNDS() - make a type of five handlers whose vertices send in rounds
 * @name: of the type
 * @S: the type of a vertex's state
 * @E: the type of an edge's datum
 * @M: the type of a message
 * @when: .step_when: HBS_STEP_ALL or HBS_STEP_WOKEN
 * @told: .host: the host's part, or NULL
 *
 * The handlers are those of HBS_GRAPH_TYPE(), and a program finds no difference but the order of
 * its messages. In a round all vertices that want to send do so once; one that then still
 * wants to, or again, does so in the next round. A round takes as long as going through all edges
 * does, however few vertices send. So this is for programs in which nearly all send at a time:
 * there it is faster, since a message is neither copied nor queued, and a vertex receives all of a
 * round in a row. There is one pin, HBS_PIN(0), and no @combine.
 */
#define HBS_GRAPH_TYPE_ROUNDS(name, S, E, M, when, told)                                           \
	HBS_GRAPH_HANDLERS_(name, S, M)                                                            \
	static int name##_turn_(struct hbs_vertices *of, void *states, void *messages,             \
				uint32_t begin, uint32_t end)                                      \
	{                                                                                          \
		struct hbs_vertex vertex = { of, begin };                                          \
                                                                                                   \
		for (; vertex.index < end; vertex.index++) {                                       \
			int ret = name##_send(&vertex, (S *)states + vertex.index,                 \
					      (M *)messages + vertex.index);                       \
                                                                                                   \
			if (ret < 0)                                                               \
				return ret;                                                        \
		}                                                                                  \
		return 0;                                                                          \
	}                                                                                          \
	static int64_t name##_gather_some_(struct hbs_vertices *of, void *states,                  \
					   const struct hbs_round *round)                          \
	{                                                                                          \
		struct hbs_vertex vertex = { of, 0 };                                              \
		const M *messages = (const M *)round->messages;                                    \
		const E *data = (const E *)round->data;                                            \
		const size_t each = of->stride ? 1 : 0;                                            \
		uint32_t some[HBS_ROUND_SOME_];                                                    \
		int64_t received = 0;                                                              \
                                                                                                   \
		for (; vertex.index < of->count; vertex.index++) {                                 \
			uint32_t end = round->start[vertex.index + 1];                             \
			uint32_t e = round->start[vertex.index];                                   \
                                                                                                   \
			while (e < end) {                                                          \
				uint32_t count = hbs_round_some_(round, some, &e, end);            \
                                                                                                   \
				for (uint32_t i = 0; i < count; i++) {                             \
					int ret = name##_recv(&vertex, (S *)states + vertex.index, \
							      messages + round->from[some[i]],     \
							      data + some[i] * each);              \
                                                                                                   \
					if (ret < 0)                                               \
						return ret;                                        \
				}                                                                  \
				received += count;                                                 \
			}                                                                          \
		}                                                                                  \
		return received;                                                                   \
	}                                                                                          \
	static int64_t name##_gather_(struct hbs_vertices *of, void *states,                       \
				      const struct hbs_round *round)                               \
	{                                                                                          \
		struct hbs_vertex vertex = { of, 0 };                                              \
		/* nobody sends meanwhile, so recv changes no message */                           \
		const M *__restrict messages = (const M *)round->messages;                         \
		const E *data = (const E *)round->data;                                            \
		const uint32_t *from = round->from;                                                \
		const uint32_t *start = round->start;                                              \
		/* all edges may have the same datum */                                            \
		const size_t each = of->stride ? 1 : 0;                                            \
		const uint32_t count = of->count;                                                  \
                                                                                                   \
		if (round->sent)                                                                   \
			return name##_gather_some_(of, states, round);                             \
		for (; vertex.index < count; vertex.index++) {                                     \
			S *state = (S *)states + vertex.index;                                     \
			uint32_t end = start[vertex.index + 1];                                    \
                                                                                                   \
			for (uint32_t e = start[vertex.index]; e < end; e++) {                     \
				int ret = name##_recv(&vertex, state, messages + from[e],          \
						      data + e * each);                            \
                                                                                                   \
				if (ret < 0)                                                       \
					return ret;                                                \
			}                                                                          \
		}                                                                                  \
		return start[count] - start[0];                                                    \
	}                                                                                          \
	static const struct hbs_graph_type name = { .state = sizeof(S),                            \
						    .edge = sizeof(E),                             \
						    .message = sizeof(M),                          \
						    .init = name##_init_,                          \
						    .send = name##_send_,                          \
						    .step = name##_step_,                          \
						    .finish = name##_finish_,                      \
						    .step_when = (when),                           \
						    .send_order = HBS_SEND_ROUNDS,                 \
						    .host = (told),                                \
						    .turn = name##_turn_,                          \
						    .gather = name##_gather_ }

/**
 * HBS_GRAPH_TYPE_ASYNC() - make a type of three handlers: init, send and recv
 * @name: of the type
 * @S: the type of a vertex's state
 * @E: the type of an edge's datum
 * @M: the type of a message
 * @...: as for HBS_GRAPH_TYPE()
 *
 * For programs that have no steps, and are over when all is quiet: step wants no other one, and
 * finish tells the host nothing.
 */
#define HBS_GRAPH_TYPE_ASYNC(name, S, E, M, ...)                                  \
	static int name##_step(struct hbs_vertex *vertex, S *state)               \
	{                                                                         \
		(void)vertex;                                                     \
		(void)state;                                                      \
		return 0;                                                         \
	}                                                                         \
	static int name##_finish(struct hbs_vertex *vertex, S *state, M *message) \
	{                                                                         \
		(void)vertex;                                                     \
		(void)state;                                                      \
		(void)message;                                                    \
		return 0;                                                         \
	}                                                                         \
	HBS_GRAPH_TYPE(name, S, E, M, __VA_ARGS__)

/*
 * What a vertex costs besides the edges that end there, in edges. The library divides the vertices into blocks that
 * cost as much as each other. The second number is for vertices that send in rounds.
 */
#define HBS_GRAPH_VERTEX_COST	     16
#define HBS_GRAPH_VERTEX_COST_ROUNDS 6

/**
 * struct hbs_graph_attr - what graph to make; zero is the default of all fields but @type
 * @type: of the vertices
 * @from: by edge: where it begins. The arrays are the caller's, and are not needed after the call
 * @to: by edge: where it ends
 * @pin: by edge: of which pin it is, counted from 0; NULL if all are of pin 0
 * @data: by edge: its datum, @type->edge bytes each; NULL if all edges have the same one
 * @datum: if @data is NULL: that one; NULL for zeros
 * @edges: how many, up to HBS_GRAPH_EDGES_MAX
 * @vertices: how many, up to HBS_GRAPH_VERTICES_MAX. Their number times that of pins and @edges are
 *            less than 2^32 - 1 together
 * @threads: how many run it, up to HBS_GRAPH_THREADS_MAX; 0 for one on each CPU that the caller
 *           may use. There are no more than vertices
 * @slot: bytes of a slot of the queues between threads, see hbs_messages_create(); 0 for 4096. A
 *        slot has a header of 16 bytes, and each message takes 4 bytes more than it has
 * @depth: slots of a queue; 0 for 32, or fewer if there are hundreds of threads: all queues together
 *         have up to HBS_MESSAGES_BYTES_MAX / 2
 * @first: by thread: its first vertex, and one more, which is @vertices. @threads is not 0 then, and
 *         each thread has a vertex, but for a single one. NULL for blocks of vertices with about as
 *         many edges each
 * @reserved: 0
 */
struct hbs_graph_attr {
	const struct hbs_graph_type *type;
	const uint32_t *from;
	const uint32_t *to;
	const uint16_t *pin;
	const void *data;
	const void *datum;
	uint64_t edges;
	uint32_t vertices;
	uint32_t threads;
	uint32_t slot;
	uint32_t depth;
	const uint32_t *first;
	uint64_t reserved[5];
};

/**
 * hbs_graph_create() - make a graph (POLite: PGraph, newDevice, addLabelledEdge, map)
 * @attr: what to make
 * @graph: out: the graph
 *
 * The states of its vertices are 0.
 *
 * Return: 0; -EINVAL for a bad attribute; -ERANGE if an edge names a vertex or a pin that there is
 * not; -ENOMEM.
 */
int hbs_graph_create(const struct hbs_graph_attr *attr, struct hbs_graph **graph);

/**
 * hbs_graph_state() - the state of a vertex (POLite: devices[i]->state)
 * @graph: the graph
 * @vertex: its number
 *
 * Before a run, to set it; after it, to see it. Those of the vertices after it follow.
 *
 * Return: the state, at an address that is a multiple of 8 if so is the size of a state; NULL
 * if there is no such vertex.
 */
void *hbs_graph_state(struct hbs_graph *graph, uint32_t vertex);

/**
 * struct hbs_graph_stats - what a run did
 * @ns: how long it took, from init to finish
 * @steps: how often step was called
 * @sent: how often send was called, of all vertices
 * @received: how often recv was called, of all vertices
 * @copies: messages that went to other threads, one for each thread
 * @batches: slots of queues that carried them
 * @reserved: 0
 */
struct hbs_graph_stats {
	uint64_t ns;
	uint64_t steps;
	uint64_t sent;
	uint64_t received;
	uint64_t copies;
	uint64_t batches;
	uint64_t reserved[6];
};

/**
 * hbs_graph_run() - run the handlers until the vertices have finished (POLite: the host's trigger)
 * @graph: the graph
 * @hbs: the context, a card or software, in which the threads find out that all is quiet
 * @arg: for hbs_vertex_arg(), and for the host's part
 * @stats: out: what the run did; may be NULL
 *
 * The caller is one of the threads, and cannot be cancelled meanwhile. The states stay as they are after the last handler, also
 * for another run, which begins with init again.
 *
 * Return: 0; the error of a handler that failed; -EINVAL; -EBUSY if the graph runs already; -EAGAIN
 * if there may be no more threads; an error of hbs_group_create(), hbs_messages_create(),
 * hbs_join() or hbs_idle().
 */
int hbs_graph_run(struct hbs_graph *graph, struct hbs *hbs, void *arg,
		  struct hbs_graph_stats *stats);

/**
 * struct hbs_graph_info - what a graph is, and how much memory it takes
 * @edges: how many
 * @vertices: how many
 * @threads: how many run it
 * @edge_bytes: of what there is for the edges, all together: their ends and data, and where the
 *              copies for other threads go
 * @vertex_bytes: of what there is for the vertices, all together, with their states
 * @queue_bytes: of the queues in a run, once all of them are used
 * @reserved: 0
 */
struct hbs_graph_info {
	uint64_t edges;
	uint32_t vertices;
	uint32_t threads;
	uint64_t edge_bytes;
	uint64_t vertex_bytes;
	uint64_t queue_bytes;
	uint64_t reserved[4];
};

/**
 * hbs_graph_info() - what a graph is, and how much memory it takes
 * @graph: the graph
 * @info: out
 *
 * Return: 0; -EINVAL.
 */
int hbs_graph_info(const struct hbs_graph *graph, struct hbs_graph_info *info);

/**
 * hbs_graph_close() - free a graph
 * @graph: the graph
 *
 * Return: 0; -EBUSY if it runs; -EINVAL.
 */
int hbs_graph_close(struct hbs_graph *graph);

#ifdef __cplusplus
}
#endif

#endif /* HBS_GRAPH_H */
