/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events of a pipeline: groups are enabled, their epochs complete, ports join and leave, by
 * operations that wait for the reads that the egress asks for. A step is computed in one cycle,
 * changes the memories at its end, and lets the others know in the next one.
 */
#ifndef MODULES_PIPELINE_H
#define MODULES_PIPELINE_H

#include "outbox.h"

namespace module
{
class Pipeline
{
      public:
	Pipeline(Vtop &top, Random &dice, Outbox &outbox) : top(top), dice(dice), outbox(outbox)
	{
		start_reset();
	}

	/* What the step of the cycle before lets others know, and the step of this cycle */
	void offer(uint64_t cycle);
	/* The end of the cycle */
	void take(uint64_t cycle, bool fails, bool operation, unsigned fail_group, bool settled);
	/* A read of an operation is on its way. */
	void ask(unsigned g, bool fails, uint64_t expected)
	{
		flights.push_back({ g, now, fails, expected });
	}
	/* A reset of the chip */
	void restart(uint64_t cycle)
	{
		start_reset();
		happens = next = {};
		is_slow = false;
		reset_cycle = cycle;
	}
	/* It could choose a failure now. */
	bool is_free() const
	{
		return todo.empty() && !is_slow && !resetting;
	}
	const Event &event() const
	{
		return happens;
	}
	bool resets() const
	{
		return resetting;
	}

	unsigned rate = 50, lacks = 0, hot = 0;
	bool quiet = false; /* nothing new begins */
	struct {
		uint64_t completions, enablings, joins, leaves, disablings, moves, stops, resets,
			anew;
	} seen = {};

      private:
	enum Kind {
		NONE,
		COMPLETE,
		BREAK,
		JOIN,
		LEAVE,
		DISABLE,
		ENABLE,
		MOVE_RECORD,
		MOVE_PORT,
		RAISE,
		READ,
		ANSWER,
		SWITCH,
		RESET,
		/* steps that follow */
		WIPE,
		START,
		DEPART,
		FAIL,
		FAIL_OPERATION
	};
	struct Step {
		Kind kind;
		unsigned g, port;
	};
	struct Group {
		bool enabled, broken, ports, polls, reduces;
		unsigned records, vector, operation, subject, checks;
		/* the word; when reads for it were dropped last, by a step */
		uint64_t word, dropped;
	};
	struct Flight {
		unsigned g;
		uint64_t cycle;
		bool fails;
		uint64_t expected;
	};

	void start_reset();
	Step choose();
	void do_step(const Step &step);
	void do_membership(const Step &step);
	void do_register(const Step &step);
	void do_start(const Step &step);
	void do_answer();
	void do_fail(const Step &step);
	void answer_read();
	void show(Group &target, bool result);
	void start(Group &target, unsigned operation, unsigned port);
	void end(Group &target);
	void write_p(unsigned g, unsigned port, bool is);
	bool has_addresses(unsigned g);
	void wipe(unsigned g, unsigned index);
	void sweep();
	unsigned members(unsigned g) const;
	bool member(unsigned g, unsigned port) const
	{
		return outbox.group[g].member[port].is;
	}

	Vtop &top;
	Random &dice;
	Outbox &outbox;
	std::vector<Group> group = std::vector<Group>(GROUPS);
	std::deque<Step> todo;
	std::vector<Flight> flights;
	Event happens = {}, next = {};
	Step step = {};
	bool is_slow = false, running = false, resetting = true;
	uint64_t now = 0, word = 0, memory = 0, reset_cycle = 0;
	unsigned sweeping = 0;
};

constexpr unsigned MASK_WORDS = (PORTS + 63) / 64;
constexpr unsigned RECORD_BITS = RECORDS > 1 ? 32 - __builtin_clz(RECORDS - 1) : 0;

inline void Pipeline::start_reset()
{
	todo.clear();
	flights.clear();
	for (Group &target : group)
		target = {};
	resetting = true;
	running = false;
	sweeping = 0;
}

inline unsigned Pipeline::members(unsigned g) const
{
	unsigned n = 0;

	for (unsigned i = 0; i < PORTS; i++)
		n += member(g, i);
	return n;
}

inline void Pipeline::show(Group &target, bool result)
{
	target.word = ++word;
	next.shows = true;
	next.has_result = result;
	next.result = dice.word();
	if (dice.percent(30))
		next.messages |= 1u << target.vector;
}

inline void Pipeline::start(Group &target, unsigned operation, unsigned port)
{
	target.operation = operation;
	target.subject = port;
	target.checks = operation == rtl::OperationEnabling ? target.records : 1;
	target.dropped = now;
	next.starts = running;
	next.operation = operation;
	next.port = port;
}

inline void Pipeline::end(Group &target)
{
	target.operation = rtl::OperationNone;
	target.dropped = now;
	next.cancels = true;
}

inline void Pipeline::write_p(unsigned g, unsigned port, bool is)
{
	uint64_t mask = 0;

	for (unsigned i = port & ~63u; i < PORTS && i <= (port | 63); i++)
		mask |= (uint64_t)(i == port ? is : member(g, i)) << i % 64;
	top.write_p_i = 1;
	top.p_index_i = g << 4 | port / 64;
	top.p_i = mask;
	next.port = port;
	next.leaves = !is;
}

inline Pipeline::Step Pipeline::choose()
{
	const unsigned g = dice.percent(GROUPS > 8 ? 98 : 85) ? (hot + dice.below(2)) % GROUPS
							      : dice.below(GROUPS);
	const unsigned port =
		dice.percent(85) ? dice.below(std::min<unsigned>(PORTS, 5)) : dice.below(PORTS);
	static const unsigned char weights[] = { 0, 25, 1, 14, 8, 1, 0, 0, 2, 6, 14, 20, 1 };
	unsigned which = dice.below(92), kind = NONE;
	const Group &target = group[g];

	if (is_slow || (todo.empty() && (quiet || !dice.percent(rate))))
		return { NONE, g, port };
	if (!todo.empty()) {
		const Step first = todo.front();

		todo.pop_front();
		return first;
	}
	if (resetting)
		return { READ, g, port };
	/* A large card is cleared for longer. */
	if (!dice.below(2000 + 50 * GROUPS))
		return { RESET, g, port };
	while (kind < sizeof(weights) - 1 && which >= weights[kind])
		which -= weights[kind++];
	if (!running && (kind < DISABLE || kind == ANSWER))
		kind = SWITCH;
	if (!target.enabled && kind <= DISABLE)
		kind = dice.percent(30) ? ENABLE : MOVE_RECORD;
	return { (Kind)kind, g, port };
}

inline void Pipeline::offer(uint64_t cycle)
{
	now = cycle;
	top.event_valid_i = happens.valid;
	top.event_i = dice.word() & ones(rtl::event::width);
	top.word_i = happens.word;
	top.result_i = happens.result;
	top.records_i = happens.records;
	top.port_record_i = happens.port_record;
	top.answers_i = happens.answers;
	top.answer_tag_i = happens.tag;
	top.answer_i = happens.answer;
	top.answer_adds_i = happens.adds;
	if (happens.valid) {
		using namespace rtl;
		top.event_i = 0;
		set(top.event_i, event::group, happens.g);
		set(top.event_i, event::port, happens.port);
		set(top.event_i, event::shows, happens.shows);
		set(top.event_i, event::has_result, happens.has_result);
		set(top.event_i, event::starts, happens.starts);
		set(top.event_i, event::operation, happens.operation);
		set(top.event_i, event::repeats, happens.repeats);
		set(top.event_i, event::messages, happens.messages);
		set(top.event_i, event::fails, happens.fails);
		set(top.event_i, event::forgets, happens.forgets);
		set(top.event_i, event::cancels, happens.cancels);
		set(top.event_i, event::stops, happens.stops);
		set(top.event_i, event::leaves, happens.leaves);
		set(top.event_i, event::wipes, happens.wipes);
	}
	top.reset_i = top.write_p_i = 0;
	top.write_record_addr_i = top.write_port_addr_i = 0;
	top.p_i = top.address_i = dice.word();
	step = choose();
	next = {};
	next.g = step.g;
	next.port = step.port;
	is_slow = false;
	sweep();
	do_step(step);
	next.valid = step.kind != NONE;
	next.word = group[step.g].word;
	next.records = group[step.g].records;
	next.port_record = group[step.g].ports;
}

/* A reset clears the addresses one by one. */
inline void Pipeline::sweep()
{
	if (!resetting)
		return;
	top.record_index_i = top.port_index_i = sweeping;
	top.address_i = 0;
	top.write_record_addr_i = sweeping < GROUPS << RECORD_BITS ? 3 : 0;
	top.write_port_addr_i = sweeping < PORTS ? 3 : 0;
	sweeping++;
}

inline void Pipeline::do_step(const Step &step)
{
	Group &target = group[step.g];

	switch (step.kind) {
	case COMPLETE:
		if (!target.broken && members(step.g)) {
			show(target, target.reduces);
			seen.completions++;
		}
		break;
	case BREAK:
		if (!target.broken && target.operation != rtl::OperationEnabling)
			show(target, false);
		target.broken = true;
		is_slow = true;
		break;
	case JOIN:
	case LEAVE:
	case DEPART:
		do_membership(step);
		break;
	case RAISE:
		next.messages = 1 + dice.below(2);
		break;
	case READ:
		answer_read();
		break;
	case ANSWER:
		do_answer();
		break;
	case START:
		do_start(step);
		break;
	case FAIL:
	case FAIL_OPERATION:
		do_fail(step);
		break;
	case NONE:
		break;
	default:
		do_register(step);
	}
}

inline void Pipeline::do_membership(const Step &step)
{
	Group &target = group[step.g];
	const bool is = member(step.g, step.port);

	is_slow = true;
	if (step.kind == DEPART) {
		write_p(step.g, step.port, false);
		end(target);
		return;
	}
	if (target.operation != rtl::OperationNone || is != (step.kind == LEAVE))
		return;
	if (step.kind == LEAVE && target.polls && dice.percent(70)) {
		start(target, rtl::OperationLeaving, step.port);
	} else if (step.kind == LEAVE) {
		write_p(step.g, step.port, false);
		seen.leaves++;
		if (!target.broken && members(step.g) > 1 && dice.percent(40))
			show(target, target.reduces);
	} else if (!target.broken && (target.ports || target.polls)) {
		if (outbox.port[step.port])
			start(target, rtl::OperationJoining, step.port);
	} else if (!target.broken) {
		write_p(step.g, step.port, true);
		next.leaves = false;
	}
}

inline void Pipeline::wipe(unsigned g, unsigned index)
{
	next.wipes = true;
	if (index >= MASK_WORDS)
		return;
	top.write_p_i = 1;
	top.p_index_i = g << 4 | index;
	top.p_i = 0;
}

/* Records have addresses before the group is enabled. */
inline bool Pipeline::has_addresses(unsigned g)
{
	for (unsigned i = 0; i < RECORDS; i++)
		if (!outbox.group[g].address[i])
			todo.push_back({ MOVE_RECORD, g, i });
	if (todo.empty())
		return true;
	todo.push_back({ ENABLE, g, 0 });
	return false;
}

inline void Pipeline::do_register(const Step &step)
{
	Group &target = group[step.g];
	const uint64_t features = top.features_i;

	is_slow = step.kind != WIPE;
	switch (step.kind) {
	case ENABLE:
		if (!has_addresses(step.g))
			break;
		target = { true,
			   false,
			   (features & HBSR_FEATURE_PORT_RECORD) && dice.percent(60),
			   (features & HBSR_FEATURE_POLL_ARRIVAL) && dice.percent(50),
			   (features & HBSR_FEATURE_REDUCE) && dice.percent(60),
			   dice.percent(20) ? 0 : (unsigned)dice.below(RECORDS + 1),
			   (unsigned)dice.below(2),
			   rtl::OperationEnabling,
			   0,
			   0,
			   ++word,
			   now };
		for (unsigned i = 0; i < std::max(MASK_WORDS, 8u); i++)
			todo.push_back({ WIPE, step.g, i });
		todo.push_back({ START, step.g, step.port });
		seen.enablings++;
		break;
	case WIPE:
		wipe(step.g, step.port);
		break;
	case DISABLE:
		next.forgets = true;
		end(target);
		target.enabled = target.broken = false;
		seen.disablings++;
		break;
	case MOVE_RECORD:
		top.record_index_i = step.g << RECORD_BITS | step.port % RECORDS;
		top.write_record_addr_i = 3;
		top.address_i = 1ull << 62 | ++memory << 6;
		break;
	case MOVE_PORT:
		memory++;
		top.port_index_i = step.port;
		top.write_port_addr_i = 3;
		top.address_i = dice.percent(lacks) ? 0
						    : (memory >> 18) << 32 | 1ull << 61 |
							      (memory & 0x3ffff) << 14;
		for (unsigned g = 0; g < GROUPS; g++)
			if (group[g].operation >= rtl::OperationJoining &&
			    group[g].subject == step.port) {
				group[g].dropped = now;
				todo.push_back({ START, g, step.port });
			}
		seen.moves++;
		break;
	case SWITCH:
		running = !running;
		next.stops = !running;
		for (unsigned g = 0; g < GROUPS; g++) {
			group[g].dropped = now;
			if (running && group[g].operation != rtl::OperationNone)
				todo.push_back({ START, g, group[g].subject });
		}
		seen.stops += !running;
		break;
	default:
		top.reset_i = 1;
		next.stops = true;
		seen.resets++;
	}
}

/* An operation begins, or begins anew. */
inline void Pipeline::do_start(const Step &step)
{
	Group &target = group[step.g];

	is_slow = true;
	if (!running || target.operation == rtl::OperationNone)
		return;
	if (target.operation != rtl::OperationEnabling) {
		start(target, target.operation, target.subject);
		seen.anew++;
		return;
	}
	next.shows = true;
	next.result = dice.word();
	if (target.records)
		start(target, rtl::OperationEnabling, step.port);
	else
		end(target);
}

/* An answer of host memory: some are not as they have to be. */
inline void Pipeline::do_answer()
{
	is_slow = true;
	if (flights.empty())
		return;
	const unsigned which = dice.below(flights.size());
	const Flight flight = flights[which];
	Group &target = group[flight.g];
	const bool fails = flight.fails || dice.percent(5);

	flights.erase(flights.begin() + which);
	next.g = step.g = flight.g;
	/* Those on their way are dropped as well. */
	if (flight.cycle <= target.dropped + 1 || --target.checks)
		return;
	switch (target.operation) {
	case rtl::OperationEnabling:
		end(target);
		if (fails && !target.broken) {
			target.broken = true;
			show(target, false);
		}
		break;
	case rtl::OperationJoining:
		end(target);
		if (fails || target.broken)
			break;
		write_p(flight.g, target.subject, true);
		next.leaves = false;
		next.repeats = target.ports && flight.expected != target.word;
		seen.joins++;
		break;
	default:
		todo.push_back({ DEPART, flight.g, target.subject });
	}
}

inline void Pipeline::do_fail(const Step &step)
{
	Group &target = group[step.g];

	is_slow = true;
	next.fails = true;
	if (!target.enabled)
		return;
	if (step.kind == FAIL_OPERATION) {
		if (target.operation == rtl::OperationJoining)
			end(target);
		return;
	}
	if (target.operation == rtl::OperationEnabling)
		end(target);
	if (!target.broken)
		show(target, false);
	target.broken = true;
}

/* A read of the card, which is answered later; with a tag that is free */
inline void Pipeline::answer_read()
{
	unsigned tag = dice.below(READS), n = 0;

	while (n++ < READS && (outbox.waits(tag) || (happens.answers && happens.tag == tag)))
		tag = (tag + 1) % READS;
	if (outbox.waits(tag) || (happens.answers && happens.tag == tag))
		return;
	next.answers = true;
	next.tag = tag;
	next.answer = dice.word();
	next.adds = dice.percent(50) || resetting ? 0 : dice.below(4);
	/* a read that is bad */
	if (!resetting && dice.percent(10))
		next.messages = 1;
}

/* The memories have changed, and the next event is known. */
inline void Pipeline::take(uint64_t cycle, bool fails, bool operation, unsigned fail_group,
			   bool settled)
{
	if (top.write_p_i) {
		const unsigned g = top.p_index_i >> 4, first = top.p_index_i % 16 * 64;

		for (unsigned i = first; i < PORTS && i < first + 64; i++)
			outbox.set_member(g, i, top.p_i >> i % 64 & 1, cycle);
	}
	if (top.write_record_addr_i && top.record_index_i % (1u << RECORD_BITS) < RECORDS)
		outbox.set_record(top.record_index_i >> RECORD_BITS,
				  top.record_index_i % (1u << RECORD_BITS), top.address_i, cycle);
	if (top.write_port_addr_i) {
		outbox.set_port(top.port_index_i, top.address_i, cycle);
		outbox.may_lack_memory |= !top.address_i && !resetting;
	}
	if (step.kind == RESET) {
		outbox.reset(cycle);
		start_reset();
		reset_cycle = cycle;
	} else if (resetting && settled) {
		if (outbox.answers_from_before(reset_cycle) || outbox.offers())
			wrong("cycle %lu: something from before the reset is left", cycle);
		if (sweeping >= std::max<unsigned>(GROUPS << RECORD_BITS, PORTS)) {
			resetting = false;
			outbox.may_lack_memory = false;
			for (unsigned i = 0; i < PORTS && i < 6; i++)
				todo.push_back({ MOVE_PORT, 0, i });
			todo.push_back({ SWITCH, 0, 0 });
		}
	}
	if (fails)
		todo.push_front({ operation ? FAIL_OPERATION : FAIL, fail_group, 0 });
	happens = next;
}
} // namespace module
#endif
