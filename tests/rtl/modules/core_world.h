/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is around hbs_core in a card, as far as it sees it: reads of host memory with tags, rounds
 * that ask which lines to read, and what writes records and reads for operations. All of it is at
 * once or at random; the pipeline must not mind.
 */
#ifndef CORE_WORLD_H
#define CORE_WORLD_H

#include <deque>
#include <vector>

#include "host.h"
#include "model.h"

namespace core
{
/* The event that tells of a step, taken apart */
struct Event {
	bool valid;
	unsigned group, port, operation, messages, tag;
	bool shows, has_result, starts, repeats, fails, forgets, cancels, stops, leaves, drops,
		drops_groups, drops_ports, frees, asks, wipes, wants, has_wants, scans;
};

/* A read of host memory, by its tag */
struct Flight {
	enum Where { FREE, SENT, COMPUTED } where;
	unsigned use, group, port;
	uint64_t addr, expected, due;
	uint64_t data;
	bool error;
	bool dropped; /* an event said so */
	bool must;    /* the model said so */
	bool asked;   /* of an operand: its word was an arrival */
};

/* A read that waits for a tag */
struct Wish {
	unsigned use, group, port;
	uint64_t addr, expected;
	bool fails;
};

class World
{
      public:
	static constexpr unsigned TAGS = 16;

	World(hbs::Model &model, hbs::Host &host, hbs::Random &random)
	    : wants(model.parameters.groups), model(model), host(host), random(random),
	      owed(model.parameters.groups), results(model.parameters.groups)
	{
	}

	/* A read whose answer is there, or -1 */
	int answer(uint64_t cycle) const;
	/* In the cycle of an event: whether it drops a read; the others learn of it at its end. */
	static bool concerns(const Event &event, unsigned group, unsigned port);
	bool is_dropped(const Event &event, unsigned tag) const
	{
		return flights[tag].dropped ||
		       (event.drops && concerns(event, flights[tag].group, flights[tag].port));
	}
	bool is_draining(const Event &event, unsigned group) const;
	bool is_reading() const;
	/* The end of a cycle with this event; WORD, RESULT and SCAN as the pipeline gives them */
	void take(const Event &event, uint64_t word, uint64_t result, uint64_t seen);
	void take_scan(unsigned group, unsigned index, uint64_t mask);
	void reset();
	/* What the model drops: NOBODY stands for all. */
	void drop(unsigned group, unsigned port);
	void send(uint64_t cycle, unsigned latency, unsigned errors);

	/* A failure that the pipeline is to be told of */
	bool fail_waits = false, fail_operation = false;
	unsigned fail_group = 0;
	/* The failure is over by this event. */
	bool is_over(const Event &event) const;

	/* The question of a round */
	bool scan_waits = false;
	unsigned scan_group = 0, scan_index = 0;
	void ask();

	std::vector<bool> wants; /* groups that have a line to read */
	std::string wrong;	 /* with what leaves the card, by the model */
	Flight flights[TAGS] = {};

      private:
	void write_records(const Event &event, uint64_t word, uint64_t result);
	void write(unsigned g, unsigned index, bool member, uint64_t word);
	void start(const Event &event, uint64_t word);
	void wish_line(unsigned use, unsigned g, unsigned port);
	void fail(unsigned g, bool operation);
	void forget(unsigned g);
	void note(const std::string &what)
	{
		if (wrong.empty())
			wrong = what;
	}

	hbs::Model &model;
	hbs::Host &host;
	hbs::Random &random;
	std::deque<Wish> wishes;
	std::vector<bool> owed; /* the result is due in a record, besides the word */
	std::vector<uint64_t> results;
};
} // namespace core

#endif
