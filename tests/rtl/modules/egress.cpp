// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_egress against the section "What leaves the card": events of a pipeline at random, a bus that
// holds up and refuses writes, and reads that wait for tags. All that is due leaves, once and in
// its order, and nothing else does.
#include "pipeline.h"

using namespace module;

namespace
{
class Bench
{
      public:
	void run(uint64_t cycles);
	void report() const;

      private:
	void cycle_once();
	void choose_rates();
	void drain();
	void interrupt();
	void choose_features();
	void look_at_bus();
	void look_at_write();
	void look_at_message();
	void look_at_answer();
	void look_at_failure();
	void look_at_reads();
	void look_at_rest();
	uint64_t data(unsigned low) const
	{
		return get(top.tx_data_o, { low, 64 });
	}

	Vtop top;
	Random dice;
	Outbox outbox;
	Pipeline pipeline = { top, dice, outbox };
	uint64_t cycle = 100, unsettled = 0;
	unsigned ready = 50, refuses = 0, takes_failure = 50, takes_read = 50;
	/* what was offered and not taken in the cycle before */
	bool held = false, message_stale = false;
	unsigned held_kind = 0;
	uint64_t held_data = 0;
	struct {
		uint64_t held, idle, messages_dropped, hard, drains, requeues;
	} seen = {};
};

void Bench::choose_rates()
{
	static const unsigned shares[] = { 5, 30, 60, 95, 100 };

	ready = shares[dice.below(5)];
	refuses = dice.percent(40) ? 0 : dice.below(10);
	takes_failure = shares[dice.below(5)];
	takes_read = shares[dice.below(5)];
	pipeline.rate = shares[dice.below(5)];
	pipeline.lacks = dice.percent(10) ? 20 : 0;
	pipeline.hot = dice.below(3) * (GROUPS - 1) / 2;
	top.msix_enable_i = !dice.percent(15);
}

void Bench::choose_features()
{
	const uint64_t some =
		HBSR_FEATURE_REDUCE | HBSR_FEATURE_POLL_ARRIVAL | HBSR_FEATURE_PORT_RECORD;

	top.features_i = 0x3f0f & ~(dice.percent(20) ? dice.word() & some : 0);
}

void Bench::look_at_write()
{
	const bool wide = top.tx_kind_o == rtl::TxWide;

	outbox.second_word = data(64);
	if (!outbox.offers())
		outbox.offer_write(top.tx_addr_o, data(0), wide, cycle);
	if (!outbox.offers())
		return;
	outbox.check_write(top.tx_addr_o, data(0), wide);
	if (top.tx_ready_i)
		outbox.take_write(top.tx_refused_i, cycle);
}

void Bench::look_at_message()
{
	if (!held) {
		outbox.offer_message(data(0) & 1, cycle);
		message_stale = false;
	}
	message_stale |= top.reset_i;
	if (top.tx_ready_i)
		outbox.take_message(!message_stale);
}

void Bench::look_at_answer()
{
	if (!held)
		outbox.offer_answer(top.tx_tag_o, data(0), cycle);
	if (top.tx_ready_i)
		outbox.take_answer(top.tx_tag_o);
}

void Bench::look_at_bus()
{
	const unsigned kind = top.tx_kind_o;
	const bool message = held_kind == rtl::TxMessage;

	if (!top.tx_valid_o) {
		/* A message is not sent while there are none. */
		if (held && !(message && !top.msix_enable_i))
			wrong("cycle %lu: an offer is taken back", cycle);
		seen.messages_dropped += held;
		held = false;
		return;
	}
	if (held && (kind != held_kind || data(0) != held_data))
		wrong("cycle %lu: another offer than in the cycle before", cycle);
	if (kind == rtl::TxMessage)
		look_at_message();
	else if (kind == rtl::TxAnswer)
		look_at_answer();
	else
		look_at_write();
	if (top.tx_ready_i)
		outbox.take(cycle);
	held = !top.tx_ready_i;
	held_kind = kind;
	held_data = data(0);
	seen.held += held;
}

void Bench::look_at_failure()
{
	if (!top.fail_valid_o)
		return;
	if (!top.fail_waits_o)
		wrong("cycle %lu: a failure that does not wait", cycle);
	if (top.tx_valid_o)
		wrong("cycle %lu: something leaves beside a failure", cycle);
	outbox.fail(top.fail_group_o, top.fail_operation_o, cycle);
	if (top.fail_ready_i)
		outbox.take_failure(top.fail_group_o, top.fail_operation_o);
}

void Bench::look_at_reads()
{
	if (!top.read_valid_o)
		return;
	seen.requeues += !top.read_ready_i;
	outbox.read({ top.read_group_o, top.read_port_o, top.read_use_o, top.read_addr_o,
		      top.read_expected_o, (bool)top.read_fails_o, (bool)top.read_ready_i },
		    cycle);
	if (top.read_ready_i)
		pipeline.ask(top.read_group_o, top.read_fails_o, top.read_expected_o);
}

void Bench::look_at_rest()
{
	if (unsettled > 4000 + 16 * GROUPS + 4 * PORTS)
		wrong("cycle %lu: it does not settle", cycle);
	unsettled = top.settled_o || !top.tx_ready_i ? 0 : unsettled + 1;
	if (top.idle_o && (!top.settled_o || top.fail_waits_o || top.tx_valid_o))
		wrong("cycle %lu: idle, and something goes on", cycle);
	if (top.idle_o && !pipeline.event().valid) {
		seen.idle++;
		outbox.check_empty(cycle);
	}
}

void Bench::cycle_once()
{
	outbox.now = cycle;
	pipeline.offer(cycle);
	top.tx_ready_i = dice.percent(ready);
	top.tx_refused_i = dice.percent(refuses);
	top.read_ready_i = dice.percent(takes_read);
	top.fail_ready_i = pipeline.is_free() && dice.percent(takes_failure);
	top.eval();
	if (!top.msix_enable_i)
		outbox.forget_messages();
	look_at_bus();
	look_at_rest();
	outbox.apply(pipeline.event(), cycle);
	look_at_reads();
	look_at_failure();
	pipeline.take(cycle, top.fail_valid_o && top.fail_ready_i, top.fail_operation_o,
		      top.fail_group_o, top.settled_o);
	tick(top);
	cycle++;
}

/* Nothing new begins, and the bus takes everything: so all that is due leaves. */
void Bench::drain()
{
	const uint64_t end = cycle + 20000 + 4 * GROUPS * (16 + 70 * MASK_WORDS);
	const unsigned rate = pipeline.rate;

	ready = takes_failure = takes_read = 100;
	refuses = 0;
	pipeline.quiet = true;
	do
		cycle_once();
	while (cycle < end && !(top.idle_o && !pipeline.event().valid && pipeline.is_free()));
	if (cycle == end)
		wrong("cycle %lu: it does not come to rest", cycle);
	for (unsigned g = 0; g < GROUPS; g++)
		if (outbox.group[g].live)
			wrong("cycle %lu: the operation of group %u is forgotten", cycle, g);
	pipeline.quiet = false;
	pipeline.rate = rate;
	seen.drains++;
}

/* A reset of the chip */
void Bench::interrupt()
{
	top.event_valid_i = top.answers_i = top.reset_i = top.write_p_i = 0;
	top.write_record_addr_i = top.write_port_addr_i = 0;
	reset(top);
	outbox.clear(cycle);
	pipeline.restart(cycle);
	choose_features();
	held = false;
	cycle += 10;
	seen.hard++;
}

void Bench::run(uint64_t cycles)
{
	interrupt();
	while (cycle < cycles) {
		if (!dice.below(300))
			choose_rates();
		if (!dice.below(2000)) {
			drain();
			choose_rates();
		}
		if (!dice.below(5000 + 200 * GROUPS))
			interrupt();
		cycle_once();
	}
	drain();
}

void Bench::report() const
{
	const auto &left = outbox.seen;
	const auto &did = pipeline.seen;

	met("passes over the records of a group", left.passes);
	met("that were aborted", left.aborted);
	met("results", left.results);
	met("words that were overtaken", left.skipped);
	met("writes that were refused", left.refused);
	if (!WIDE)
		met("words that were withheld", left.withheld);
	met("failures of groups", left.failures);
	met("breaks that followed", left.breaks);
	met("failures of JOINs", left.operation_failures);
	met("records of ports that join", left.joins);
	if (PORTS > 1)
		met("records of ports that have joined", left.repeats);
	met("reads for operations", left.reads);
	met("cycles in which such a read waits", seen.requeues);
	met("operations that begin anew", did.anew);
	met("answers", left.answers);
	met("that waited for records", left.waits);
	met("with a counter", left.counters);
	met("messages", left.messages);
	met("for several interrupts", left.shared);
	met("that were never sent", seen.messages_dropped);
	met("cycles in which the bus took nothing", seen.held);
	met("cycles at rest", seen.idle);
	met("groups that were enabled", did.enablings);
	met("and disabled", did.disablings);
	met("ports that joined", did.joins);
	met("and left", did.leaves);
	met("memories that moved", did.moves);
	met("times that the card stood still", did.stops);
	met("resets of the card", did.resets);
	met("of the chip", seen.hard);
}
} // namespace

int main(int argc, char **argv)
{
	const uint64_t cycles = cycles_of(argc, argv);
	Bench bench;

	/* Such a cycle is quick, and much has to meet. */
	bench.run(5 * cycles);
	bench.report();
	result("what is due leaves a card of " + std::to_string(PORTS) + " ports and " +
	       std::to_string(GROUPS) + " groups once, in order");
	return failures != 0;
}
