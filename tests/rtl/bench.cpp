/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bench.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "cycles.h"
#include "sentences.h"

namespace hbs
{
namespace
{
constexpr unsigned LAST = 30;		 /* steps that are shown when something is wrong */
constexpr unsigned CHOSEN = 1;		 /* of a record that it chose before a step */
constexpr unsigned STEPS = 2;		 /* since it took the value that it offers */
constexpr unsigned DRAINED = 4;		 /* cycles until BUSY and READING must be right */
constexpr unsigned UNSENT = 64;		 /* cycles until the card takes an answer of its own */
constexpr unsigned BOUND = 5000;	 /* cycles in which the card must take a request */
constexpr uint64_t PATIENCE = 400000;	 /* cycles until all that is due has left */
constexpr uint64_t EXPIRY_CYCLES = 2500; /* 10 us at 250 MHz */

uint64_t bytes(uint8_t enables)
{
	uint64_t mask = 0;

	for (unsigned i = 0; i < 8; i++)
		if (enables >> i & 1)
			mask |= 0xffULL << 8 * i;
	return mask;
}

const char *use_name(Use use)
{
	static const char *const NAMES[] = { "word", "operand", "check", "last word",
					     "last operand" };

	return NAMES[(int)use];
}
} // namespace

Bench::Bench(uint64_t seed, bool verbose)
    : random(seed), model(Card::parameters()), host(random), weather(), verbose(verbose), in(),
      pending(Card::parameters().reads), flights(Card::parameters().tags), tx_before(), rd_before(),
      group_cycle(Card::parameters().groups), port_cycle(Card::parameters().ports),
      life_cycle(Card::parameters().groups), join_cycle(Card::parameters().groups),
      anew_cycle(Card::parameters().groups), drained(Card::parameters().groups),
      group_quiet(Card::parameters().groups),
      read_in(Card::parameters().groups, std::vector<uint32_t>(Card::parameters().ports)),
      overdue(Card::parameters().groups)
{
	model.drop = on_drop;
	model.context = this;
	model.ready = false;
	in.reset = true;
	weather.step = 4;
	for (unsigned i = 0; i < 4; i++) {
		in.now = now;
		card.settle(in);
		card.tick();
	}
	in.reset = false;
	in.msix = true;
	while (!model.ready && wrong.empty())
		cycle_once();
}

void Bench::fail(const char *format, ...)
{
	char line[512];
	va_list args;

	if (!wrong.empty())
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	wrong = "cycle " + std::to_string(cycle) + ": " + line;
}

void Bench::note(const char *format, ...)
{
	char line[256];
	va_list args;
	int n = snprintf(line, sizeof(line), "%8llu ", (unsigned long long)cycle);

	va_start(args, format);
	vsnprintf(line + n, sizeof(line) - n, format, args);
	va_end(args);
	if (verbose)
		puts(line);
	last.emplace_back(line);
	if (last.size() > LAST)
		last.pop_front();
}

/* Reads for the group and the port lose their answers. */
void Bench::on_drop(void *context, unsigned g, unsigned port)
{
	Bench *bench = static_cast<Bench *>(context);

	for (unsigned i = 0; i < bench->model.parameters.groups; i++) {
		if (g != NOBODY && g != i)
			continue;
		bench->group_cycle[i] = bench->cycle;
		bench->group_quiet[i] = false;
		if (port == NOBODY && (g == i || !bench->model.ready)) {
			bench->life_cycle[i] = bench->cycle;
		}
	}
	for (Flight &flight : bench->flights)
		if ((flight.busy || flight.asked) && (g == NOBODY || flight.group == g) &&
		    (port == NOBODY || flight.port == port)) {
			flight.must_drop = true;
			bench->drained[flight.group] = bench->last_read_cycle = bench->cycle;
		}
	for (unsigned i = 0; i < bench->model.parameters.ports; i++) {
		/* A reset moves all of them. */
		if (g == NOBODY && (port == i || (port == NOBODY && !bench->model.ready))) {
			bench->port_cycle[i] = bench->cycle;
		}
	}
}

bool Bench::group_is_busy(unsigned g) const
{
	if (model.group[g].operation != Operation::NONE)
		return true;
	for (const Flight &flight : flights)
		if (flight.busy && flight.group == g && flight.must_drop && !flight.answered)
			return true;
	return false;
}

bool Bench::has_no_memory() const
{
	for (unsigned i = 0; i < model.parameters.ports; i++)
		if (!model.port_addr[i])
			return true;
	return false;
}

/*
 * A read for a port without memory never is on the bus, but the card answers it like one, perhaps
 * after the port has got some.
 */
bool Bench::may_lack_memory() const
{
	return cycle - bare_cycle < UNSENT || has_no_memory();
}

bool Bench::group_may_be_busy(unsigned g) const
{
	const Owner *owner = out->rd_valid ? host.owner(out->rd_addr) : nullptr;
	/* An operand that is asked for may wait for the bus, or did so when the step was computed. */
	const bool waits = cycle - rd_cycle < DRAINED;

	if (group_is_busy(g) || cycle - drained[g] < DRAINED)
		return true;
	if (cycle - group_cycle[g] < UNSENT && may_lack_memory())
		return true;
	for (const Flight &flight : flights)
		if ((flight.busy || (flight.asked && waits)) && flight.group == g &&
		    (flight.must_drop || flight.may_drop))
			return true;
	/* A read that waits for the bus may have been dropped. */
	return owner && rd_since <= std::max(group_cycle[g], anew_cycle[g]) + CHOSEN;
}

/* The card takes an access in its place in the one order. */
void Bench::step_access(const Trace &trace)
{
	if (queued.empty()) {
		fail("a step for an access that nobody made");
		return;
	}
	const Queued entry = queued.front();
	const Access &access = entry.access;

	queued.pop_front();
	note("step: %s (taken in cycle %llu)", access.text().c_str(),
	     (unsigned long long)entry.cycle);
	SENTENCE("access-rules-16 access-rules-17 access-rules-18 operations-3 "
		 "what-leaves-the-card-22 ordering-4");
	longest_wait = std::max(longest_wait, cycle - entry.cycle);
	/* It was computed in the cycle before. */
	model.at(entry.time, time_before);
	if (access.write) {
		const bool was = model.running();

		const unsigned g = model.commands(access);

		if (g != NOBODY && (trace.busy ? !group_may_be_busy(g) : group_is_busy(g)))
			fail("a command finds that group %u is %sbusy", g,
			     trace.busy ? "" : "not ");
		const bool idle = g != NOBODY && model.group[g].operation == Operation::NONE;

		if (!access.lane && has_no_memory())
			bare_cycle = cycle;
		model.write(access, trace.busy);
		if (idle && model.group[g].operation == Operation::JOINING)
			join_cycle[g] = cycle;
		if (model.running() != was) {
			enabled_since = model.running() ? entry.time : 0;
			runs++;
			fenced = false;
		}
		return;
	}
	Pending &p = pending[access.tag];

	if (!entry.ready && (access.lane || access.addr >= HBSR_INT_CAUSE))
		p.value = { Value::PLAIN, 0, 0, NOBODY, 0 };
	else
		p.value = model.read(access);
	p.stepped = true;
	p.stamp = model.stamp;
	p.runs = runs;
	p.resets = model.resets;
	p.errors = model.dma_errors;
	p.write_errors = refusals;
	p.must_be_busy = p.may_be_busy = false;
	p.fences = p.quiets = false;
	if (p.value.kind == Value::GROUP_STATUS) {
		SENTENCE("operations-2");
		p.must_be_busy = group_is_busy(p.value.group);
		p.may_be_busy = group_may_be_busy(p.value.group);
		p.quiets = !model.enabled(model.group[p.value.group]);
	} else if (p.value.kind == Value::STATUS) {
		for (const Flight &flight : flights)
			p.must_be_busy |= flight.busy && !flight.answered;
		p.may_be_busy =
			p.must_be_busy || out->rd_valid || cycle - last_read_cycle < DRAINED;
		for (unsigned g = 0; g < model.parameters.groups; g++)
			p.may_be_busy |= may_lack_memory() &&
					 (cycle - group_cycle[g] < UNSENT || model.has_line(g));
		for (const Flight &flight : flights)
			p.may_be_busy |= flight.busy || flight.asked;
		p.fences = !model.running() && model.ready;
	}
}

/* An answer of host memory takes its effect. */
void Bench::step_answer(const Trace &trace)
{
	HostRead read = { trace.use, trace.group, trace.port, 0, false };
	Group &group = model.group[trace.group];
	bool failed = false;
	uint64_t data = 0, time = now;

	Flight &flight = flights[trace.tag];

	if (!flight.busy) {
		/* The card could not send it, for the port has no memory. */
		failed = true;
		SENTENCE("memories-of-ports-10");
		if (!trace.dropped && model.port_addr[trace.port])
			fail("the card takes an answer to a read that it did not send: tag %u",
			     trace.tag);
	} else {
		if (!flight.answered) {
			fail("the card takes an answer with tag %u, which is not there", trace.tag);
			return;
		}
		if (flight.must_drop && !trace.dropped)
			fail("an answer that has to be dropped is not: tag %u", trace.tag);
		if (trace.dropped && !flight.must_drop && !flight.may_drop)
			fail("an answer is dropped for no reason: tag %u", trace.tag);
		if (flight.group != trace.group ||
		    (flight.port != NOBODY && flight.port != trace.port))
			fail("tag %u was a read for group %u, port %u", trace.tag, flight.group,
			     flight.port);
		failed = flight.failed;
		data = flight.data;
		time = flight.answer_time;
		flight.busy = false;
		last_read_cycle = cycle;
		if (trace.dropped)
			drained[trace.group] = cycle;
	}
	SENTENCE("access-rules-19");
	if (failed)
		SENTENCE("arrival-lines-38");
	note("step: answer, %s of group %u, port %d, %s%s%016llx", use_name(trace.use), trace.group,
	     (int)(int16_t)trace.port, trace.dropped ? "dropped " : "", failed ? "failed " : "",
	     (unsigned long long)data);
	model.at(time, time_before);
	if (trace.dropped) {
		SENTENCE("arrival-lines-17 arrival-lines-18");
		dropped++;
		return;
	}
	if (!model.running()) {
		fail("an answer has an effect on a card that is not enabled");
		return;
	}
	if (read.use == Use::CHECK) {
		if (group.operation == Operation::ENABLING) {
			read.expected = group.epoch << HBSR_WORD_EPOCH_SHIFT;
		} else if (group.operation == Operation::JOINING) {
			read.expected = group.due.joining_word;
			SENTENCE("ordering-8");
			if (model.ports_have_records(group) && !group.due.joining.seq)
				fail("a JOIN reads back what it has not written");
		} else if (!group.broken) {
			fail("an answer for an operation that there is not");
		}
	} else if (read.use == Use::LAST_WORD || read.use == Use::LAST_OPERAND) {
		if (group.operation != Operation::LEAVING || group.operation_port != read.port)
			fail("an answer for a LEAVE that there is not");
	}
	if (read.use == Use::OPERAND || read.use == Use::LAST_OPERAND)
		read.expected = model.seen_word(read.group, read.port);
	model.answer(read, failed, data);
	/* The card keeps the tag for the operand. */
	flight.asked = (read.use == Use::WORD || read.use == Use::LAST_WORD) && !failed &&
		       data == model.awaited(read.group) &&
		       model.reduction(group) != HBSR_REDUCE_NONE &&
		       model.would_read(read.group, read.port);
	/* The last answer that an operation waits for ends it, but a LEAVE has a step of its own. */
	if (read.use == Use::CHECK && group.operation != Operation::NONE && !group.checks)
		model.finish(trace.group);
}

void Bench::step_expiry(unsigned g)
{
	const Group &group = model.group[g];

	note("step: the timer of group %u expires", g);
	if (!group.timer) {
		fail("the timer of group %u expires, which does not run", g);
		return;
	}
	SENTENCE("timer-27 timer-30 timer-4");
	if (now < group.timer_since + group.timeout)
		fail("the timer of group %u expires %llu ns early", g,
		     (unsigned long long)(group.timer_since + group.timeout - now));
	model.at(now, now);
	model.expire(g);
}

/*
 * The last part of the step that wrote PRT_ADDR or CTL_CTRL: what a JOIN or LEAVE has read since it
 * began may be of the attempt before, and its answer is dropped.
 */
void Bench::step_anew(unsigned g)
{
	const Group &group = model.group[g];

	if (group.operation != Operation::JOINING && group.operation != Operation::LEAVING)
		return;
	anew_cycle[g] = cycle;
	for (Flight &flight : flights)
		if (flight.busy && flight.group == g && flight.port == group.operation_port)
			flight.may_drop = true;
}

void Bench::start_round()
{
	/* The card saw in the cycle before that it was time. */
	const uint64_t now = time_before;

	note("step: a round begins");
	rounds++;
	/* What a step of the last cycles did, the round may not know yet. */
	const uint64_t since = model.poll_since ? model.poll_since : poll_since_last;

	if (!since)
		fail("a round begins, and there is no line to read");
	else if (now + 1 < since + poll_low)
		fail("a round begins %llu ns too early after there is a line to read",
		     (unsigned long long)(since + poll_low - now - 1));
	if (round_start && now < round_start + poll_low)
		fail("a round begins %llu ns after the one before, not %u",
		     (unsigned long long)(now - round_start), poll_low);
	if (now < enabled_since + poll_low)
		fail("a round begins too early after the card was enabled");
	for (const Flight &flight : flights)
		if (flight.busy && flight.line && !flight.must_drop && !flight.may_drop &&
		    !flight.answered && model.group[flight.group].operation == Operation::NONE)
			fail("a round begins before an answer of the one before is there");
	SENTENCE("arrival-lines-20 arrival-lines-21 arrival-lines-22 arrival-lines-23 "
		 "arrival-lines-24 arrival-lines-26");
	check_round();
	round_start = now;
	poll_low = model.poll;
	/* What the round has to read */
	missed.clear();
	last_line = -1;
	for (unsigned g = 0; g < model.parameters.groups; g++) {
		if (!model.has_line(g))
			continue;
		for (unsigned i = 0; i < model.parameters.ports; i++)
			if (model.would_read(g, i))
				missed.push_back({ g, i, model.group[g].due.seq, cycle });
	}
}

/* Each line that was to be read when the round began has been read by now. */
void Bench::check_round()
{
	for (const Line &line : missed) {
		const Group &group = model.group[line.g];

		if (read_in[line.g][line.port] == rounds - 1 ||
		    !model.would_read(line.g, line.port) || group.due.seq != line.seq ||
		    group_cycle[line.g] >= line.start)
			continue;
		fail("a round did not read the line of port %u in group %u", line.port, line.g);
		return;
	}
}

/* The card decodes a request; its step comes some cycles later. */
void Bench::take_request()
{
	if (waiting.empty()) {
		fail("the card takes a request that there is not");
		return;
	}
	Queued entry = waiting.front();

	waiting.pop_front();
	entry.ready = out->ready;
	/* While the card is in reset it drops writes; a write of no byte is no access. */
	if (!entry.access.write || (entry.access.enables && out->ready))
		queued.push_back(entry);
	else
		note("dropped: %s", entry.access.text().c_str());
}

void Bench::end_reset()
{
	note("step: the reset is over");
	if (model.ready)
		fail("a reset ends that there was not");
	for (Flight &flight : flights) {
		if (flight.busy && !flight.answered)
			fail("a reset is over, and a read from before is in flight");
		flight.busy = false;
	}
	model.at(now, now);
	SENTENCE("enabling-the-card-reset-15 enabling-the-card-reset-16 enabling-the-card-reset-17 "
		 "enabling-the-card-reset-18");
	model.end_reset();
	reset_since = 0;
}

void Bench::take_step(const Trace &trace)
{
	poll_since_last = poll_since_older;
	poll_since_older = model.poll_since;
	if (out->ready && !was_ready)
		end_reset();
	was_ready = out->ready;
	if (trace.takes)
		take_request();
	if (trace.round)
		start_round();
	switch (trace.step) {
	case Step::NONE:
		break;
	case Step::ACCESS:
		step_access(trace);
		break;
	case Step::ANSWER:
		step_answer(trace);
		break;
	case Step::EXPIRY:
		step_expiry(trace.group);
		break;
	case Step::FAILED:
		note("step: a write failed, group %u", trace.group);
		model.at(now, now);
		if (trace.operation) {
			if (!model.may_finish(trace.group))
				fail("a JOIN of group %u fails for no reason", trace.group);
			model.finish(trace.group);
			break;
		}
		if (!model.enabled(model.group[trace.group]))
			break;
		if (!model.write_failed(trace.group))
			fail("group %u breaks, and no write has failed", trace.group);
		SENTENCE("what-a-card-knows-of-its-writes-9 what-a-card-knows-of-its-writes-11 "
			 "what-a-card-knows-of-its-writes-12 what-a-card-knows-of-its-writes-14 "
			 "what-a-card-knows-of-its-writes-15");
		model.fail_records(trace.group);
		if (model.group[trace.group].operation == Operation::ENABLING)
			model.finish(trace.group);
		break;
	case Step::ANEW:
		step_anew(trace.group);
		break;
	case Step::RESUME:
		/* The last part of the step that enabled the card, group by group */
		model.group[trace.group].timer_latest = time_before;
		break;
	case Step::FINISH:
		note("step: the operation of group %u ends", trace.group);
		model.at(now, now);
		if (!model.may_finish(trace.group))
			fail("the operation of group %u ends too early", trace.group);
		model.finish(trace.group);
		break;
	}
	if (model.poll != poll_before) {
		poll_low = std::min(poll_low, model.poll);
		poll_before = model.poll;
	}
	if (model.poll_since != poll_since_before) {
		poll_since_before = model.poll_since;
		/* A round may begin in the cycles after its last line was gone. */
		if (model.poll_since)
			poll_low = model.poll;
	}
}

/* What GRP_RECORD_WRITES may be in an answer that is offered now. */
uint64_t Bench::writes_of(unsigned g) const
{
	const Group &group = model.group[g];
	const bool is_new = group.enabled_stamp + STEPS >= model.stamp;

	return std::max(group.record_writes.high, is_new ? group.old_writes : 0);
}

/* What is offered must stay as it is. */
void Bench::offer_tx()
{
	/* A reset may take it back. */
	if (tx_offered && model.ready &&
	    (!out->tx_valid || out->tx_kind != tx_before.tx_kind ||
	     (out->tx_kind < 2 && out->tx_addr != tx_before.tx_addr) ||
	     out->tx_data[0] != tx_before.tx_data[0] ||
	     (out->tx_kind == 1 && out->tx_data[1] != tx_before.tx_data[1]) ||
	     (out->tx_kind == 3 && out->tx_tag != tx_before.tx_tag)))
		fail("tx takes back what it offered");
	if (out->tx_valid && !tx_offered) {
		tx_since = cycle;
		tx_stamp = model.stamp;
		offered_writes = 0;
		if (out->tx_kind == 3 && pending[out->tx_tag].value.kind == Value::RECORD_WRITES)
			offered_writes = writes_of(pending[out->tx_tag].value.group);
	}
	tx_offered = out->tx_valid && !in.tx_ready;
	tx_before = *out;
	if (rd_offered && (!out->rd_valid || out->rd_addr != rd_before.rd_addr ||
			   out->rd_tag != rd_before.rd_tag))
		fail("rd takes back what it offered");
	if (out->rd_valid && !rd_offered)
		rd_since = cycle;
	rd_offered = out->rd_valid && !in.rd_ready;
	if (out->rd_valid)
		rd_cycle = cycle;
	rd_before = *out;
	if (out->rd_valid)
		last_read_cycle = cycle;
}

void Bench::take_write(uint64_t addr, uint64_t word, bool refused)
{
	const Owner *owner = host.owner(addr);
	unsigned g = 0, index = 0;
	uint64_t offset = addr % HBSR_RECORD_STRIDE, since = tx_since;
	bool member = false, right = false, before;
	std::string what;

	/* A word whose result was just written was chosen with it. */
	if (offset == HBSR_RECORD_WORD && addr == word_addr)
		since = result_since;
	word_addr = offset == HBSR_RECORD_RESULT && !refused ? addr - HBSR_RECORD_RESULT : 0;
	result_since = since;
	if (!owner) {
		fail("a write to %llx, where nothing is", (unsigned long long)addr);
		return;
	}
	if (owner->kind == Owner::RECORD) {
		g = owner->index;
		for (unsigned i = 0; i < model.group[g].records; i++) {
			if (model.group[g].record_addr[i] == addr - offset) {
				index = i;
				right = model.enabled(model.group[g]);
			}
		}
	} else {
		const uint64_t relative = addr - owner->base;

		member = true;
		index = owner->index;
		g = relative / HBSR_MEMORY_STRIDE;
		if (relative >= model.parameters.groups * HBSR_MEMORY_STRIDE ||
		    relative % HBSR_MEMORY_STRIDE < HBSR_MEMORY_DEPARTURE) {
			fail("a write to %llx, which is no record of port %u",
			     (unsigned long long)addr, index);
			return;
		}
		right = model.enabled(model.group[g]) && model.has_record(g, index);
		if (owner->base != model.port_addr[index] && since > port_cycle[index] + CHOSEN) {
			fail("a write to the memory that port %u had before", index);
			return;
		}
	}
	before = since <= group_cycle[g] + CHOSEN;
	/* What was on its way to a member that has left is of no JOIN that came after. */
	if (member && right && !bit(model.group[g].p, index) && since <= join_cycle[g] + CHOSEN)
		right = false;
	if (offset != HBSR_RECORD_WORD && offset != HBSR_RECORD_RESULT) {
		fail("a write to offset %u of a record", (unsigned)offset);
		return;
	}
	if (fenced)
		fail("a write of a card that said that it uses no memory");
	SENTENCE("access-rules-20 departure-records-6 departure-records-11 what-leaves-the-card-1 "
		 "what-leaves-the-card-11 what-leaves-the-card-12");
	if (member)
		SENTENCE("memories-of-ports-1 memories-of-ports-2 memories-of-ports-6");
	if (!refused)
		host.store(addr, word);
	if (!right) {
		if (!before)
			fail("a write for nobody: group %u, %s %u", g, member ? "port" : "record",
			     index);
		if (refused) {
			model.dma_errors.high++;
			/* The group may break for it all the same. */
			model.group[g].due.nowhere |= model.enabled(model.group[g]);
		} else {
			model.group[g].record_writes.high++;
		}
		return;
	}
	what = offset == HBSR_RECORD_WORD ? model.sent_word(g, index, member, word, refused)
					  : model.sent_result(g, index, member, word, refused);
	/* It may have been on its way when the group was disabled and enabled again. */
	if (what.empty())
		return;
	if (since > life_cycle[g] + CHOSEN)
		fail("%s", what.c_str());
	if (refused)
		model.dma_errors.high++;
	else
		model.group[g].record_writes.high++;
}

void Bench::take_answer()
{
	Pending &p = pending[out->tx_tag];
	const uint64_t mask = bytes(p.access.enables), got = out->tx_data[0];
	const uint64_t value = p.value.value;
	const bool same_life = p.resets == model.resets;
	uint64_t low = value, high = value;
	std::string what;

	if (!p.busy || !p.stepped) {
		fail("an answer with tag %u to a read that there is not", out->tx_tag);
		return;
	}
	p.busy = false;
	answers++;
	if (same_life) {
		SENTENCE("what-leaves-the-card-15 what-leaves-the-card-16 ordering-5 ordering-6");
		what = model.lacks(p.stamp);
		if (!what.empty())
			fail("an answer before a record: %s: the answer to %s", what.c_str(),
			     p.access.text().c_str());
		/* What a bad read itself raises may come after its answer. */
		if (model.raise_waits(p.stamp - 1))
			fail("an answer before a message that was due");
		model.settle(p.stamp);
	}
	switch (p.value.kind) {
	case Value::DMA_ERRORS:
		/* Errors of reads may be those of its place in the one order. */
		low = p.errors.low + (errors_before - std::min(errors_before, p.write_errors));
		high = model.dma_errors.high;
		break;
	case Value::INTERRUPTS:
		SENTENCE("what-leaves-the-card-17 interrupts-19 interrupts-21");
		low = model.interrupts.low;
		high = model.interrupts.high;
		break;
	case Value::RECORD_WRITES:
		low = model.group[p.value.group].record_writes.low;
		high = model.group[p.value.group].record_writes.high;
		/* The card has offered it, perhaps, before the group was enabled anew. */
		if (model.group[p.value.group].enabled_stamp + STEPS >= tx_stamp)
			high = std::max(high, offered_writes);
		SENTENCE("what-leaves-the-card-10");
		break;
	case Value::STATUS:
	case Value::GROUP_STATUS: {
		const uint64_t bit = p.value.open;

		if (!(bit & mask))
			break;
		if (got & bit ? !p.may_be_busy : p.must_be_busy)
			fail("%s is %d: the answer to %s",
			     p.value.kind == Value::STATUS ? "READING" : "BUSY", !!(got & bit),
			     p.access.text().c_str());
		if (!(got & bit) && p.fences && same_life && p.runs == runs) {
			SENTENCE("enabling-the-card-reset-2 enabling-the-card-reset-6 "
				 "enabling-the-card-reset-7");
			fenced = true;
		}
		if (!(got & bit) && p.quiets && same_life &&
		    !model.enabled(model.group[p.value.group])) {
			SENTENCE("enabling-and-disabling-10 operations-16 operations-17");
			group_quiet[p.value.group] = true;
		}
		low = high = value | (got & bit);
		break;
	}
	case Value::CAUSE:
		low = high = (value & ~p.value.open) | (got & p.value.open);
		if (same_life) {
			model.cause |= got & p.value.open & model.maybe_cause;
			model.maybe_cause &= ~p.value.open;
		}
		break;
	default:
		break;
	}
	note("tx: answer %016llx to %s", (unsigned long long)got, p.access.text().c_str());
	if (!same_life && p.value.kind != Value::PLAIN)
		return;
	for (uint64_t n = low; n <= high && n - low < 10000; n++) {
		if (!((n ^ got) & mask)) {
			if (p.value.kind == Value::DMA_ERRORS && mask == UINT64_MAX &&
			    p.errors.low == model.dma_errors.low &&
			    p.errors.high == model.dma_errors.high)
				model.dma_errors = { n, n };
			if (p.value.kind == Value::RECORD_WRITES && mask == UINT64_MAX &&
			    n <= model.group[p.value.group].record_writes.high)
				model.group[p.value.group].record_writes = { n, n };
			return;
		}
	}
	fail("the answer to %s is %016llx, not %016llx%s", p.access.text().c_str(),
	     (unsigned long long)got, (unsigned long long)low, high != low ? " or more" : "");
}

void Bench::take_tx()
{
	const bool refused = in.tx_refused;

	switch (out->tx_kind) {
	case 0:
		note("tx: write %016llx to %llx%s", (unsigned long long)out->tx_data[0],
		     (unsigned long long)out->tx_addr, refused ? ", refused" : "");
		writes++;
		refusals += refused;
		take_write(out->tx_addr, out->tx_data[0], refused);
		break;
	case 1:
		note("tx: write %016llx and %016llx to %llx%s", (unsigned long long)out->tx_data[0],
		     (unsigned long long)out->tx_data[1], (unsigned long long)out->tx_addr,
		     refused ? ", refused" : "");
		if (!model.parameters.wide)
			fail("a write of 16 bytes");
		writes++;
		refusals += refused;
		take_write(out->tx_addr + HBSR_RECORD_RESULT, out->tx_data[1], refused);
		if (!refused)
			take_write(out->tx_addr + HBSR_RECORD_WORD, out->tx_data[0], false);
		break;
	case 2: {
		const std::string what = model.sent_message(out->tx_data[0] & 1, in.msix);

		note("tx: message of vector %u", (unsigned)out->tx_data[0] & 1);
		SENTENCE("what-leaves-the-card-18 what-leaves-the-card-19 what-leaves-the-card-20 "
			 "what-leaves-the-card-21 ordering-7");
		messages++;
		if (!what.empty())
			fail("%s", what.c_str());
		break;
	}
	default:
		take_answer();
		break;
	}
	errors_before = refusals;
}

/* A round reads its lines in the order of groups and ports; an operation reads when it likes. */
void Bench::check_order(const Flight &flight)
{
	const Group &group = model.group[flight.group];
	const int64_t line = flight.group << 16 | flight.port;

	if (group.operation != Operation::NONE && group.operation_port == flight.port)
		return;
	SENTENCE("arrival-lines-6 arrival-lines-7 arrival-lines-25");
	if (line <= last_line)
		fail("a round reads lines in another order");
	last_line = line;
}

void Bench::take_read()
{
	Flight &flight = flights[out->rd_tag];
	const uint64_t addr = out->rd_addr;
	const Owner *owner = host.owner(addr);
	bool word = false;

	if (flight.busy) {
		fail("a read with tag %u, which is in flight", out->rd_tag);
		return;
	}
	if (!owner) {
		fail("a read of %llx, where nothing is", (unsigned long long)addr);
		return;
	}
	flight = {};
	flight.busy = true;
	flight.addr = addr;
	flight.port = NOBODY;
	flight.data = host.load(addr);
	flight.failed = !calm && weather.errors && random.one_in(weather.errors);
	if (host.is_spoilt(addr) && !calm) {
		if (random.one_in(2))
			flight.data ^= 1ULL << random.below(64);
		else
			flight.failed = true;
	}
	flight.due = cycle + 1 + random.below(std::max(1u, calm ? 20 : weather.latency));
	host_reads++;
	read_errors += flight.failed;
	if (owner->kind == Owner::RECORD) {
		flight.group = owner->index;
		if (addr % HBSR_RECORD_STRIDE != HBSR_RECORD_WORD)
			fail("a read of another word than that of a record");
	} else {
		const uint64_t relative = addr - owner->base;
		const unsigned offset = relative % HBSR_MEMORY_STRIDE;

		flight.port = owner->index;
		flight.group = relative / HBSR_MEMORY_STRIDE;
		if (flight.group >= model.parameters.groups) {
			fail("a read of %llx, which is of no group", (unsigned long long)addr);
			return;
		}
		flight.line = offset < HBSR_MEMORY_DEPARTURE;
		if (offset != HBSR_MEMORY_DEPARTURE + HBSR_RECORD_WORD &&
		    offset != HBSR_MEMORY_ARRIVAL + HBSR_LINE_WORD &&
		    offset != HBSR_MEMORY_ARRIVAL + HBSR_LINE_OPERAND)
			fail("a read of offset %x of a memory", offset);
		SENTENCE("memories-of-ports-5");
		if (owner->base != model.port_addr[flight.port])
			flight.must_drop = true;
		if (offset == HBSR_MEMORY_ARRIVAL + HBSR_LINE_WORD) {
			read_in[flight.group][flight.port] = rounds;
			word = true;
		}
	}
	/* The card may have chosen it before something that lets it drop the answer. */
	flight.may_drop =
		rd_since <= std::max(group_cycle[flight.group], anew_cycle[flight.group]) + CHOSEN;
	if (word && !flight.may_drop && !flight.must_drop)
		check_order(flight);
	note("rd: read of %llx, tag %u, for group %u, port %d", (unsigned long long)addr,
	     out->rd_tag, flight.group, (int)(int16_t)flight.port);
	if (fenced)
		fail("a read of a card that said that it uses no memory");
	if (group_quiet[flight.group] && !model.enabled(model.group[flight.group]))
		fail("a read for group %u, which is disabled and not busy", flight.group);
	if (!model.running() && !flight.may_drop)
		fail("a read of a card that is not enabled");
}

void Bench::give_answer(Inputs *inputs)
{
	unsigned n = 0, chosen = 0;

	inputs->ans_valid = false;
	for (unsigned i = 0; i < flights.size(); i++) {
		const Flight &flight = flights[i];

		if (!flight.busy || flight.answered)
			continue;
		last_read_cycle = cycle;
		if (flight.due > cycle)
			continue;
		if (weather.in_order) {
			if (!n || flight.due < flights[chosen].due)
				chosen = i;
			n++;
		} else if (random.one_in(++n)) {
			chosen = i;
		}
	}
	if (!n)
		return;
	inputs->ans_valid = true;
	inputs->ans_error = flights[chosen].failed;
	inputs->ans_tag = chosen;
	inputs->ans_data = flights[chosen].failed ? random.next() : flights[chosen].data;
	flights[chosen].answered = true;
	flights[chosen].answer_time = now;
}

/* Timers must not be late, and the card must do something in the end. */
void Bench::check_time()
{
	for (unsigned g = 0; g < model.parameters.groups; g++) {
		const Group &group = model.group[g];
		const uint64_t late = std::max<uint64_t>(10000, group.timeout / 100);

		if (group.timer && now > group.timer_latest + group.timeout + late) {
			if (!overdue[g])
				overdue[g] = cycle;
			else if (cycle - overdue[g] > EXPIRY_CYCLES)
				fail("the timer of group %u expires too late", g);
		} else {
			overdue[g] = 0;
		}
	}
	if (!waiting.empty() && cycle - waiting.front().cycle > 2 * BOUND)
		fail("an access is not taken for long: %s", waiting.front().access.text().c_str());
	if (!queued.empty() && cycle - queued.front().cycle > 2 * BOUND)
		fail("an access is not taken for long: %s", queued.front().access.text().c_str());
	if (!model.ready) {
		if (!reset_since)
			reset_since = cycle;
		bool flying = false;

		for (const Flight &flight : flights)
			flying |= flight.busy && !flight.answered;
		if (flying || out->rd_valid)
			reset_since = cycle;
		if (cycle - reset_since > 20000)
			fail("a reset takes for ever");
	}
}

void Bench::choose()
{
	in.now = now;
	if (!has_request) {
		Access access;
		bool some = false;

		if (!extra.empty()) {
			access = extra.front();
			some = true;
		} else if (held) {
			access = held_access;
			some = true;
		} else if (stimulus && (calm || random.below(100) >= weather.idle)) {
			some = stimulus->next(&access);
			held = some;
			held_access = access;
		}
		if (some && !access.write) {
			const unsigned first = random.below(pending.size());
			bool found = false;

			for (unsigned i = 0; i < pending.size() && !found; i++) {
				const unsigned tag = (first + i) % pending.size();

				found = !pending[tag].busy;
				access.tag = tag;
			}
			some = found;
		}
		if (some) {
			if (!extra.empty())
				extra.pop_front();
			else
				held = false;
			if (!access.write) {
				pending[access.tag] = {};
				pending[access.tag].busy = true;
				pending[access.tag].access = access;
			} else {
				/* Bytes that are not enabled are anything. */
				access.data = (access.data & bytes(access.enables)) |
					      (random.next() & ~bytes(access.enables));
			}
			in.req = access;
			has_request = true;
			waited = 0;
		}
	}
	in.req_valid = has_request;
	if (calm) {
		in.tx_ready = in.rd_ready = true;
		in.tx_refused = false;
	} else {
		if (!tx_stalled && weather.long_stall && random.one_in(weather.long_stall)) {
			tx_stalled = random.below(random.one_in(4) ? 20000 : 500);
			stalls[0]++;
		}
		if (!rd_stalled && weather.long_stall && random.one_in(weather.long_stall)) {
			rd_stalled = random.below(random.one_in(4) ? 20000 : 500);
			stalls[1]++;
		}
		in.tx_ready = !tx_stalled && random.below(100) >= weather.tx_stall;
		in.rd_ready = !rd_stalled && random.below(100) >= weather.rd_stall;
		in.tx_refused = weather.refusals && random.one_in(weather.refusals);
		tx_stalled -= !!tx_stalled;
		rd_stalled -= !!rd_stalled;
	}
	give_answer(&in);
}

void Bench::cycle_once()
{
	choose();
	out = &card.settle(in);
	/* A message that failed to be sent is no matter of the card's. */
	in.tx_refused &= out->tx_kind < 2;
	take_step(out->trace);
	offer_tx();
	if (out->tx_valid && in.tx_ready)
		take_tx();
	if (out->rd_valid && in.rd_ready)
		take_read();
	if (in.req_valid && out->req_ready) {
		waiting.push_back({ in.req, now, cycle, false });
		accesses++;
		has_request = false;
	} else if (in.req_valid) {
		requests_stalled++;
		if (++waited > BOUND)
			fail("the card does not take %s", in.req.text().c_str());
	}
	card.tick();
	cycle++;
	time_before = now;
	now += calm					     ? 4
	       : weather.jump && random.one_in(weather.jump) ? random.below(30000)
							     : weather.step;
	if (cycle % 64 == 0)
		check_time();
}

/* What is still under way, nothing if nothing is */
const char *Bench::unrest() const
{
	if (!model.ready)
		return "a reset";
	if (has_request || held || !extra.empty() || !waiting.empty() || !queued.empty())
		return "an access";
	for (const Pending &p : pending)
		if (p.busy)
			return "an answer";
	if (!model.lacks(UINT64_MAX).empty())
		return "a record";
	if (model.raises_wait())
		return "a message";
	for (const Group &group : model.group) {
		if (group.operation != Operation::NONE && model.running())
			return "an operation";
		if (group.due.failed)
			return "what follows a write that failed";
	}
	return nullptr;
}

bool Bench::drain()
{
	const uint64_t end = cycle + PATIENCE;

	calm = true;
	if (stimulus)
		stimulus->stop();
	while (wrong.empty() && unrest() && cycle < end)
		cycle_once();
	if (wrong.empty() && unrest())
		fail("%s does not end; %s", unrest(), model.lacks(UINT64_MAX).c_str());
	return wrong.empty();
}

/* All registers of the card, by reads */
bool Bench::compare_all()
{
	const Parameters &p = model.parameters;

	if (!drain())
		return false;
	for (uint32_t addr = 0; addr < 0x200; addr += 8) {
		extra.push_back(Stimulus::read(addr, 4));
		extra.push_back(Stimulus::read(addr + 4, 4));
	}
	for (unsigned g = 0; g < p.groups; g++) {
		for (uint32_t offset = 0; offset < 0x50; offset += 4)
			extra.push_back(Stimulus::read(Stimulus::of_group(g, offset), 4));
		for (uint32_t offset = 0x80; offset < HBSR_GRP_STRIDE; offset += 8)
			if ((offset & 0x7f) / 8 < (p.ports + 63) / 64 || offset < 0x100 ||
			    (offset >= 0x280 && offset < 0x300))
				extra.push_back(Stimulus::read(Stimulus::of_group(g, offset), 8));
	}
	for (unsigned i = 0; i < p.ports; i++)
		extra.push_back(Stimulus::read(HBSR_PRT_BASE + i * HBSR_PRT_STRIDE, 8));
	return drain();
}

bool Bench::reset()
{
	if (!drain())
		return false;
	extra.push_back(Stimulus::write(HBSR_CTL_CTRL, HBSR_CTL_CTRL_RESET, 4));
	return compare_all();
}

bool Bench::run(uint64_t number, const Manner &manner)
{
	const uint64_t start = accesses;
	uint64_t change = 0;

	stimulus = std::make_unique<Stimulus>(model, host, random, manner);
	calm = false;
	while (wrong.empty() && accesses - start < number) {
		if (cycle >= change) {
			change = cycle + 500 + random.below(8000);
			change_weather();
		}
		cycle_once();
	}
	for (unsigned i = 0; i < 16; i++)
		kinds[i] += stimulus->kinds[i];
	return wrong.empty();
}

void Bench::expect(const char *what, uint64_t got, uint64_t wanted)
{
	if (got != wanted)
		fail("%s are %llu, not %llu as tools/latency/cycles.h says", what,
		     (unsigned long long)got, (unsigned long long)wanted);
}

/* One barrier of N members: how many cycles its parts take */
bool Bench::measure_one(unsigned n, unsigned records, unsigned reduction)
{
	const unsigned g = model.parameters.groups - 1;
	uint64_t first = 0, last = 0, offered = 0, finished = 0;
	unsigned written = 0, left = n;

	const auto set = [this, g](uint32_t offset, uint64_t value, unsigned size) {
		extra.push_back(Stimulus::write(Stimulus::of_group(g, offset), value, size));
	};

	extra.push_back(Stimulus::write(HBSR_CTL_CTRL, HBSR_CTL_CTRL_ENABLE, 4));
	set(HBSR_GRP_CTRL, 0, 4);
	for (unsigned i = 0; i < records; i++)
		set(HBSR_GRP_RECORD_ADDR(i), host.new_record(g), 8);
	set(HBSR_GRP_RECORDS, records, 4);
	set(HBSR_GRP_CTRL, HBSR_GRP_CTRL_ENABLE | reduction << HBSR_GRP_CTRL_REDUCE_SHIFT, 4);
	if (!drain())
		return false;
	for (unsigned i = 0; i < n; i++)
		set(HBSR_GRP_COMMAND, HBSR_OP_JOIN | i << HBSR_GRP_COMMAND_ARG_SHIFT, 4);
	if (!drain())
		return false;
	for (unsigned i = 0; i < n; i++) {
		Access access = Stimulus::write(
			i * HBSR_ID_PORT_STRIDE_DEFAULT + g * HBSR_LANE_STRIDE, i + 1, 8);

		access.lane = true;
		extra.push_back(access);
	}
	const uint64_t word = model.awaited(g);

	while (wrong.empty() && written < records) {
		cycle_once();
		if (left && in.req_valid && out->req_ready) {
			last = cycle - 1;
			first = left == n ? last : first;
			left--;
		}
		if (!out->tx_valid || out->tx_kind > 1 || out->tx_data[0] != word)
			continue;
		offered = offered ? offered : cycle - 1;
		finished = cycle - 1;
		written++;
	}
	printf("# %4u members, %2u records, %s: %.3f arrivals a cycle; from the last arrival %llu "
	       "cycles to the first word, %llu to the last of the records\n",
	       n, records, reduction ? "sum " : "none", (double)n / (double)(last - first + 1),
	       (unsigned long long)(offered - last), (unsigned long long)(finished - last));
	/* The figures of tools/latency are those of this RTL; it counts both cycles at the ends. */
	const unsigned writes = reduction && !model.parameters.wide ? 2 : 1;

	expect("the cycles from the first arrival to the last", last - first,
	       (n - 1) * CYCLES_ARRIVAL);
	expect("the cycles from the last arrival to the first word", offered - last,
	       CYCLES_WRITE - 1 + (writes - 1) * CYCLES_FURTHER);
	expect("the cycles from the last arrival to the last record", finished - last,
	       CYCLES_WRITE - 1 + (records * writes - 1) * CYCLES_FURTHER);
	return drain();
}

bool Bench::measure()
{
	static const unsigned MEMBERS[] = { 1, 8, 64, 1024 };

	calm = true;
	for (unsigned n : MEMBERS)
		for (unsigned records = 1; n <= model.parameters.ports && records <= 16;
		     records += 15)
			for (unsigned reduction : { HBSR_REDUCE_NONE, HBSR_REDUCE_SUM })
				if (!measure_one(n, records, reduction))
					return false;
	return true;
}

void Bench::change_weather()
{
	static const unsigned PERCENT[] = { 0, 0, 0, 10, 50, 90, 98 };
	static const unsigned LATENCY[] = { 1, 5, 40, 250, 2000 };
	static const unsigned STEPS[] = { 4, 4, 4, 1, 20 };

	weather.tx_stall = PERCENT[random.below(7)];
	weather.rd_stall = PERCENT[random.below(7)];
	weather.idle = PERCENT[random.below(7)];
	weather.latency = LATENCY[random.below(5)];
	weather.in_order = random.one_in(3);
	weather.refusals = random.one_in(4) ? 1 + random.below(300) : 0;
	weather.errors = random.one_in(4) ? 2 + random.below(300) : 0;
	weather.step = STEPS[random.below(5)];
	weather.jump = random.one_in(4) ? 300 : 0;
	weather.long_stall = random.one_in(3) ? 2000 : 0;
}

void Bench::print_last() const
{
	for (const std::string &line : last)
		printf("# %s\n", line.c_str());
}

void Bench::print_totals() const
{
	static const char *const VIOLATIONS[] = { "",	 "non-member", "double",   "refused",
						  "bad", "overflow",   "unarrived" };
	const Total &total = model.total;

	printf("# %llu accesses in %llu cycles:", (unsigned long long)accesses,
	       (unsigned long long)cycle);
	for (unsigned i = 0; i < 16; i++)
		if (kinds[i])
			printf(" %s %llu", Stimulus::kind_names[i], (unsigned long long)kinds[i]);
	printf("\n# completions %llu (reduced %llu, counted %llu, polled %llu, refutable %llu), "
	       "arrivals %llu, breaks %llu, expiries %llu, joins %llu, leaves %llu, "
	       "withdrawals %llu, operations %llu, failed joins %llu, failed enablings %llu, "
	       "overtaken %llu, resets %llu\n",
	       (unsigned long long)total.completions, (unsigned long long)total.completions_reduced,
	       (unsigned long long)total.completions_counted,
	       (unsigned long long)total.completions_polled,
	       (unsigned long long)total.completions_refutable, (unsigned long long)total.arrivals,
	       (unsigned long long)total.breaks, (unsigned long long)total.expiries,
	       (unsigned long long)total.joins, (unsigned long long)total.leaves,
	       (unsigned long long)total.withdrawals, (unsigned long long)total.operations,
	       (unsigned long long)total.failed_joins, (unsigned long long)total.failed_enablings,
	       (unsigned long long)total.overtaken, (unsigned long long)total.resets);
	printf("# violations:");
	for (unsigned i = 1; i < 7; i++)
		printf(" %s %llu", VIOLATIONS[i], (unsigned long long)total.violations[i]);
	printf("\n# writes %llu (refused %llu), messages %llu for %llu raises, answers %llu, reads "
	       "of "
	       "memory %llu (failed %llu, dropped %llu), rounds %llu, long stalls %llu and %llu, "
	       "longest wait of an access %llu cycles, cycles a request waited %llu\n",
	       (unsigned long long)writes, (unsigned long long)refusals,
	       (unsigned long long)messages, (unsigned long long)total.raises,
	       (unsigned long long)answers, (unsigned long long)host_reads,
	       (unsigned long long)read_errors, (unsigned long long)dropped,
	       (unsigned long long)rounds, (unsigned long long)stalls[0],
	       (unsigned long long)stalls[1], (unsigned long long)longest_wait,
	       (unsigned long long)requests_stalled);
}
} // namespace hbs
