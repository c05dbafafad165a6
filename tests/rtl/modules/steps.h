/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What hbs_core does around hbs_step for one group: it has the memories, and goes through the
 * sequence that a step asks for. What the steps tell the rest of the card is collected.
 */
#ifndef MODULES_STEPS_H
#define MODULES_STEPS_H

#include <memory>

#include "group.h"

namespace module
{
/* A step's operands, as far as an operation is about them; the others are at random. */
struct Op {
	unsigned kind;
	unsigned port = 0, target = rtl::RegNone, index = 0, half = 3;
	bool is_bad = false;
	uint64_t data = 0;
	unsigned purpose = rtl::UseWord;
	bool is_error = false;
	uint64_t expected = 0;
};

/* What the steps of one operation told the rest of the card, all together */
struct Told {
	unsigned shows, results, starts, operation, repeats, fails, forgets, cancels, leaves, drops,
		drops_groups, drops_ports, frees, asks, wipes, scans, messages[2];
	unsigned completes, raises, lines, foreign, read_errors, dma, timeouts, violation, timers,
		counts[8];
	bool writes, writes_card, writes_record_addr, writes_port_addr, follows;
	uint64_t deadline;
};

class Steps
{
      protected:
	void operate(const Op &op);
	void start_anew(unsigned kind, unsigned port);
	void step(const Op &op);
	bool running() const
	{
		return model->running();
	}
	bool has_memory(unsigned port) const
	{
		return port < ports && model->port_addr[port];
	}

	Vtop top;
	Random dice;
	std::unique_ptr<hbs::Model> model;
	Rows rows;
	Told told;
	unsigned ports = 1, steps = 0;
	uint64_t now = 1000;
	bool draining = false, dropped = false, due = false;
	const char *what = "";

      private:
	void offer(const Op &op);
	void collect(const Op &op);
	void apply(const Op &op);
	void follow(const Op &op, unsigned kind);
	void gather(const Op &op);
};

inline void Steps::offer(const Op &op)
{
	using namespace rtl;

	randomize(top.op_i, op::width, dice);
	set(top.op_i, op::kind, op.kind);
	set(top.op_i, op::port, op.port);
	set(top.op_i, op::target, op.target);
	set(top.op_i, op::index, op.index);
	set(top.op_i, op::half, op.half);
	set(top.op_i, op::is_bad, op.is_bad);
	set(top.op_i, op::is_zero, !op.data);
	set(top.op_i, op::data, op.data);
	set(top.op_i, op::purpose, op.purpose);
	set(top.op_i, op::is_error, op.is_error);
	set(top.op_i, op::expected, op.expected);
	set(top.op_i, op::is_expected, op.data == op.expected);
	top.bit_i = op.port % 64 & (ports >= 64 ? 63
				    : ports > 1 ? ~0u >> __builtin_clz(ports - 1)
						: 0);
	top.row_i = rows.row;
	const bool inside = op.index < MASK_WORDS && op.index * 64 < ports;

	top.p_i = inside ? rows.p[op.index] : dice.word();
	set(top.marks_i, marks::s, inside ? rows.s[op.index] : dice.word());
	set(top.marks_i, marks::v, inside ? rows.v[op.index] : dice.word());
	top.running_i = running();
	top.draining_i = draining;
	top.has_memory_i = has_memory(op.port);
	top.dropped_i = dropped;
	top.ports_i = ports;
	top.now_i = now;
	top.is_due_i = due;
	top.eval();
}

inline void Steps::collect(const Op &op)
{
	using namespace rtl;
	const auto event = [this](Field field) { return (unsigned)get(top.event_o, field); };

	told.shows += event(event::shows);
	told.results += event(event::has_result);
	told.starts += event(event::starts);
	if (event(event::starts))
		told.operation = event(event::operation);
	told.repeats += event(event::repeats);
	told.fails += event(event::fails);
	told.forgets += event(event::forgets);
	told.cancels += event(event::cancels);
	told.leaves += event(event::leaves);
	told.drops += event(event::drops);
	told.drops_groups += event(event::drops_groups);
	told.drops_ports += event(event::drops_ports);
	told.frees += event(event::frees);
	told.asks += event(event::asks);
	told.wipes += event(event::wipes);
	told.scans += event(event::scans);
	for (unsigned i = 0; i < 2; i++)
		told.messages[i] += event(event::messages) >> i & 1;
	if (event(event::group) != get(top.op_i, op::group) || event(event::port) != op.port ||
	    event(event::tag) != get(top.op_i, op::tag))
		wrong("%s: the event is of another group, port or tag", what);
	told.completes += top.completes_o;
	told.raises += top.raises_o;
	told.lines += top.reads_line_o;
	told.foreign += top.foreign_o;
	told.read_errors += top.read_error_o;
	told.dma += top.dma_o;
	told.timeouts += top.timeout_o;
	told.violation |= top.violation_o;
	told.counts[top.counter_o] += top.counts_o;
	told.writes |= top.write_row_o || top.write_p_o || top.write_marks_o || top.write_operand_o;
	told.writes_card |= top.write_card_o;
	told.writes_record_addr |= top.write_record_addr_o;
	told.writes_port_addr |= top.write_port_addr_o;
	told.follows |= top.follows_o;
	if (top.write_row_o && top.starts_timer_o) {
		told.timers++;
		told.deadline = top.deadline_o;
	}
}

/* The memories after the step */
inline void Steps::apply(const Op &op)
{
	const bool inside = op.index < MASK_WORDS && op.index * 64 < ports;

	if (top.write_row_o)
		rows.row = top.row_o;
	if (top.write_p_o && inside)
		rows.p[op.index] = top.p_o;
	if (top.write_marks_o && inside) {
		rows.s[op.index] = get(top.marks_o, rtl::marks::s);
		rows.v[op.index] = get(top.marks_o, rtl::marks::v);
	}
	if (top.write_operand_o && op.port < ports)
		rows.operand[op.port] = top.operand_o;
	if (top.completes_o)
		rows.result = top.result_o;
	if (op.kind == rtl::KindNote && inside)
		rows.missing[op.index] = top.scan_o;
}

inline void Steps::step(const Op &op)
{
	offer(op);
	collect(op);
	apply(op);
	steps++;
}

/* A step and the sequence that follows */
inline void Steps::operate(const Op &op)
{
	step(op);
	while (top.follows_o)
		follow(op, top.follow_o);
}

inline void Steps::follow(const Op &op, unsigned kind)
{
	const unsigned words = (ports + 63) / 64;
	Op next = { kind, op.port };

	dropped = dice.percent(50);
	draining = dice.percent(50);
	switch (kind) {
	case rtl::KindWipe:
		for (; next.index < std::max(words, 8u); next.index++)
			step(next);
		next.kind = rtl::KindStart;
		next.index = op.port / 64;
		step(next);
		break;
	case rtl::KindNote:
		for (; next.index < words; next.index++)
			step(next);
		next.kind = rtl::KindExpired;
		next.index = op.port / 64;
		step(next);
		break;
	case rtl::KindGather:
		gather(op);
		break;
	default:
		if (kind != rtl::KindDepart)
			wrong("%s: a sequence begins with kind %u", what, kind);
		next.index = op.port / 64;
		step(next);
		break;
	}
}

/* The operands of all members are reduced, and then the epoch is complete. */
inline void Steps::gather(const Op &op)
{
	Op next = { rtl::KindGather, op.port };

	for (; next.index * 64 < ports; next.index++) {
		next.kind = rtl::KindGather;
		step(next);
		next.kind = rtl::KindFold;
		for (unsigned i = next.index * 64; i < ports && i < next.index * 64 + 64; i++) {
			next.data = rows.operand[i];
			if (rows.p[next.index] >> i % 64 & 1)
				step(next);
		}
	}
	next = { rtl::KindComplete, op.port };
	next.index = op.port / 64;
	step(next);
}

/* The group's turn after the card was enabled, or a port's memory has moved */
inline void Steps::start_anew(unsigned kind, unsigned port)
{
	const auto subject = [this] { return (unsigned)rows.get(rtl::row::subject); };
	Op op = { kind, port };

	op.index = port / 64;
	step(op);
	const unsigned operation = rows.get(rtl::row::operation);

	if (!operation || !rows.get(rtl::row::enable) ||
	    (kind == rtl::KindMove && (operation == rtl::OperationEnabling || subject() != port)))
		return;
	op.kind = rtl::KindStart;
	op.port = operation == rtl::OperationEnabling ? dice.below(ports) : subject();
	op.index = op.port / 64;
	operate(op);
}

} // namespace module
#endif
