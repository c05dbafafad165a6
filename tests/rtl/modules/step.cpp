// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_step against the model of the specification that the lockstep bench has: a group in a state
// at random, and operations of all kinds on it.
#include <map>
#include <string>

#include "some_group.h"
#include "steps.h"

using namespace module;
using hbs::Access;
using hbs::HostRead;
using hbs::Operation;
using hbs::Use;

namespace
{
/* What the model counted before the operation */
struct Before {
	hbs::Group group;
	uint64_t violations, bad_accesses, foreign;
	hbs::Range dma_errors;
};

class Bench : Steps
{
      public:
	void run(uint64_t steps);
	void report() const;

      private:
	/* operations */
	void new_group();
	void operation();
	void store();
	void load();
	void read_register();
	void write_group();
	void write_mode();
	void write_number();
	void write_arm();
	void command();
	void write_port();
	void write_card();
	void switch_card();
	void bad_access();
	void answer();
	void answer_check();
	void answer_line();
	void fail();
	void expire();
	void scan();
	void odd();
	void access(const Access &access, const Op &op);
	uint64_t idle_word();
	unsigned some_port(bool stranger = false);

	/* what must hold */
	void begin(const char *what);
	void end();
	void check_counters();
	void check_events();
	void check_operation();
	void check_timer();
	void check_dropped();
	void check_epoch();
	uint64_t count(const hbs::Group &group, unsigned i) const;
	void expect(const char *name, uint64_t is, uint64_t due)
	{
		if (is != due)
			wrong("%s: %s is %lx, not %lx", what, name, is, due);
	}
	bool active() const
	{
		return group().operation != Operation::NONE;
	}
	hbs::Group &group() const
	{
		return model->group[0];
	}
	bool happens(unsigned share)
	{
		return dice.percent(share);
	}

	Before before;
	/* what the operation must tell: see begin() */
	bool drops, may_drop, starts_anew, repeats, asks, optional_dma;
	std::map<std::string, uint64_t> seen;
};

void Bench::begin(const char *text)
{
	what = text;
	seen[text]++;
	told = {};
	group().due.events = 0;
	before = { group(), model->violations, model->bad_accesses, model->foreign_reads,
		   model->dma_errors };
	drops = may_drop = starts_anew = repeats = asks = optional_dma = false;
	dropped = happens(50);
	draining = happens(10);
	due = happens(50);
	now += 1 + dice.below(100000);
	model->at(now, now);
	model->cause = model->maybe_cause = 0;
}

uint64_t Bench::count(const hbs::Group &group, unsigned i) const
{
	switch (i) {
	case rtl::CountArrivals:
		return group.arrivals;
	case rtl::CountDepartureReads:
		return group.departure_reads;
	case rtl::CountNonMember:
		return group.non_member;
	case rtl::CountDouble:
		return group.double_arrivals;
	case rtl::CountRefused:
		return group.refused;
	case rtl::CountWithdrawals:
		return group.withdrawals;
	case rtl::CountUnarrived:
		return group.unarrived;
	default:
		return group.readbacks;
	}
}

void Bench::check_counters()
{
	static const char *const names[] = { "arrivals",  "departure reads", "non-members",
					     "doubles",	  "refused",	     "withdrawals",
					     "unarrived", "readbacks" };
	const bool enabled = told.wipes;
	const unsigned violations = model->violations - before.violations;
	const unsigned errors = told.read_errors;

	for (unsigned i = 0; i < 8; i++)
		expect(names[i], told.counts[i],
		       enabled ? 0 : count(group(), i) - count(before.group, i));
	if (!enabled) {
		expect("completions", told.completes,
		       group().completions - before.group.completions);
		expect("interrupts", told.raises, group().interrupts - before.group.interrupts);
		expect("line reads", told.lines, group().line_reads - before.group.line_reads);
	}
	expect("a foreign read", told.foreign, model->foreign_reads - before.foreign);
	expect("a violation", told.violation, violations ? model->violation_last & 15 : 0);
	if (errors < model->dma_errors.low - before.dma_errors.low ||
	    errors > model->dma_errors.high - before.dma_errors.high)
		wrong("%s: %u reads failed", what, errors);
	expect("a time-out", told.timeouts, !!(model->cause & HBSR_INT_CAUSE_TIMEOUT));
	if (!optional_dma && !(model->maybe_cause & HBSR_INT_CAUSE_DMA))
		expect("INT_CAUSE.DMA", told.dma, !!(model->cause & HBSR_INT_CAUSE_DMA));
}

/* What becomes due, and for whom */
void Bench::check_events()
{
	const unsigned vector = group().vector;
	const bool disables = before.group.ctrl & ~group().ctrl & HBSR_GRP_CTRL_ENABLE;
	const bool shows = group().due.events != before.group.due.events;
	const hbs::Word *word =
		shows && !group().due.words.empty() ? &group().due.words.back() : nullptr;

	expect("a word is due", told.shows, shows);
	expect("a result is due", told.results,
	       shows && group().due.seq != before.group.due.seq && word && word->result);
	expect("a message", told.messages[vector], told.raises);
	expect("a message of the other vector", told.messages[!vector], 0);
	expect("the record of who joined is due once more", told.repeats, repeats);
	expect("nothing is due any more", told.forgets, disables);
	expect("the group's reads are dropped", !!told.drops_ports, disables);
	if (drops || disables)
		expect("reads are dropped", !!told.drops, 1);
	else if (!may_drop)
		expect("reads are dropped", told.drops, 0);
	expect("the operand is asked for", told.asks, asks);
}

/* The operation of the group, which begins or ends */
void Bench::check_operation()
{
	const bool disables = before.group.ctrl & ~group().ctrl & HBSR_GRP_CTRL_ENABLE;
	const bool was = before.group.operation != Operation::NONE;
	const bool starts = active() && model->running() && (!was || starts_anew);

	expect("an operation starts", told.starts, starts);
	if (starts)
		expect("its kind", told.operation, (unsigned)group().operation);
	if (disables || (was && !active()))
		expect("the operation ends", !!told.cancels, 1);
	else if (active())
		expect("the operation ends", told.cancels, 0);
	if (group().ctrl & before.group.ctrl & HBSR_GRP_CTRL_ENABLE)
		expect("a member leaves", told.leaves, group().members < before.group.members);
}

/* The timer starts for its whole time exactly when it did not run. */
void Bench::check_timer()
{
	if (before.group.timer || !group().timer) {
		if (group().timer)
			expect("the timer starts", told.timers, 0);
		return;
	}
	seen["starts of a timer"]++;
	expect("the timer starts", told.timers, 1);
	expect("its deadline", told.deadline, now + group().timeout);
}

/* A violation changes nothing but counters, but for an overflow. */
void Bench::check_dropped()
{
	if (!told.violation || told.violation == HBSR_VIOLATION_OVERFLOW)
		return;
	if (told.writes || told.writes_card || told.writes_record_addr || told.writes_port_addr ||
	    told.follows || told.shows || told.raises || told.starts || told.repeats ||
	    told.forgets || told.cancels || told.leaves || told.drops)
		wrong("%s: a violation changes something", what);
}

void Bench::check_epoch()
{
	const uint64_t was = before.group.epoch, is = rows.get(rtl::row::epoch);

	expect("EPOCH", is, (was + told.completes + !!told.wipes) & ones(48));
	if (before.group.broken && told.completes)
		wrong("%s: a broken group completes", what);
	seen["epochs that wrapped"] += is < was;
}

void Bench::end()
{
	check_counters();
	check_events();
	check_operation();
	check_timer();
	check_dropped();
	check_epoch();
	compare(rows, group(), what);
	if (told.completes) {
		seen["completions"]++;
		seen["completions by count"] += model->counts(group());
		seen["completions of lines"] += model->polls(group());
		seen["completions of refutable groups"] += model->refutable(group());
		seen["completions with a result"] += model->reduction(group()) != 0;
		seen[std::string("completions by ") + what]++;
	}
	seen["breaks"] += group().broken && !before.group.broken;
	seen["interrupts"] += told.raises;
	if (told.violation)
		seen["violations of kind " + std::to_string(told.violation)]++;
}

void Bench::new_group()
{
	static const unsigned sizes[] = { 1, 2, 3, 8, 64, 70, 1000, 1024 };

	ports = sizes[dice.below(dice.percent(95) ? 6 : 8)];
	model.reset(new hbs::Model({ ports, 1, 16, hbs::FEATURES, 32, 8, false }));
	model->ctrl = dice.percent(90);
	SomeGroup(*model, dice);
	fill(rows, group(), ports, dice);
}

/* Members, or strangers, are more likely than their share, and so is the operation's port. */
unsigned Bench::some_port(bool stranger)
{
	const unsigned first = dice.below(ports);

	if (active() && group().operation_port < ports && happens(10))
		return group().operation_port;
	if (happens(30))
		return first;
	for (unsigned n = 0; n < ports; n++) {
		const unsigned i = (first + n) % ports;

		if (hbs::bit(group().p, i) != stranger && (!hbs::bit(group().s, i) || happens(20)))
			return i;
	}
	return first;
}

/* An access to the card, in both */
void Bench::access(const Access &access, const Op &op)
{
	model->write(access, active() || draining);
	operate(op);
	end();
}

uint64_t Bench::idle_word()
{
	const int64_t balance = group().balance;
	const int64_t delta =
		happens(60)   ? -balance
		: happens(30) ? (int64_t)dice.word() >> 16
		: happens(50)
			? ((1ll << 47) - 1 - (balance > 0 ? balance : 0)) + (int64_t)dice.below(2)
			: -(1ll << 47) - (balance < 0 ? balance : 0) - (int64_t)dice.below(2);
	uint64_t word = (uint64_t)delta & HBSR_IDLE_DELTA;

	word |= (happens(50) ? HBSR_IDLE_FREED : 0) | (happens(80) ? HBSR_IDLE_VOTE : 0);
	return happens(5) ? word | 1ull << (50 + dice.below(14)) : word;
}

void Bench::store()
{
	static const uint8_t whole[] = { 0xff, 0x0f, 0xf0 };
	const bool refutes = model->refutable(group());
	const unsigned where = dice.below(20);
	const unsigned offset = where < 13   ? HBSR_LANE_ARRIVAL
				: where < 15 ? HBSR_LANE_OPERAND
				: where < 18 ? HBSR_LANE_WITHDRAW
					     : 8 * dice.below(16);
	const unsigned which = happens(75) ? 0 : dice.below(3), port = some_port();
	uint64_t datum = happens(30) ? dice.below(2) : dice.word();

	if (refutes && offset == HBSR_LANE_ARRIVAL)
		datum = idle_word();
	datum &= which == 1 ? UINT32_MAX : which == 2 ? ~(uint64_t)UINT32_MAX : ~0ull;
	Op op = { rtl::KindStore, port, rtl::RegNone, port / 64, which == 0 ? 3u : which };

	op.data = datum;
	switch (offset) {
	case HBSR_LANE_ARRIVAL:
		op.target = rtl::LaneArrival;
		op.is_bad = which == 2;
		break;
	case HBSR_LANE_OPERAND:
		op.target = rtl::LaneOperand;
		break;
	case HBSR_LANE_WITHDRAW:
		op.target = rtl::LaneWithdraw;
		break;
	case HBSR_LANE_DEPARTURE:
	case HBSR_LANE_RESULT:
		op.target = offset == HBSR_LANE_RESULT ? rtl::LaneResult : rtl::LaneDeparture;
		op.is_bad = true;
		break;
	default:
		op.is_bad = datum != 0;
	}
	begin("a store");
	access({ true, true, port * HBSR_ID_PORT_STRIDE_DEFAULT + offset, whole[which], datum, 0 },
	       op);
}

void Bench::load()
{
	static const unsigned offsets[] = { HBSR_LANE_DEPARTURE, HBSR_LANE_RESULT,
					    HBSR_LANE_WITHDRAW, HBSR_LANE_ARRIVAL, 0x50 };
	static const unsigned targets[] = { rtl::LaneDeparture, rtl::LaneResult, rtl::LaneWithdraw,
					    rtl::RegNone, rtl::RegNone };
	const unsigned which = dice.below(5), port = some_port();
	Op op = { rtl::KindLoad, port, targets[which], port / 64 };
	const Access load = { false, true, port * HBSR_ID_PORT_STRIDE_DEFAULT + offsets[which],
			      0xff,  0,	   0 };

	begin("a load");
	const uint64_t value = model->read(load).value;
	const uint64_t shown = which == 0   ? model->word_of(0)
			       : which == 1 ? group().result
			       : which == 2 ? hbs::bit(group().s, port)
					    : 0;
	operate(op);
	if (top.hides_o ? value : value != shown)
		wrong("a load of %x gives %lx, and is hidden: %u", offsets[which], value,
		      top.hides_o);
	expect("S of the port", top.s_o >> top.bit_i & 1, hbs::bit(group().s, port));
	end();
}

void Bench::read_register()
{
	Op op = { rtl::KindRead };

	op.index = dice.below((ports + 63) / 64);
	op.target = rtl::RegS;
	op.port = dice.below(1024);
	begin("a read");
	operate(op);
	expect("S", top.s_o, group().s[op.index]);
	expect("V", top.v_o, group().v[op.index]);
	expect("BUSY", top.busy_o, active() || draining);
	expect("a read is hidden", top.hides_o, 0);
	end();
}

/* An access that is bad whatever the group's state is */
void Bench::bad_access()
{
	const unsigned kind = dice.below(4), port = some_port();
	const bool write = kind & 1, lane = kind & 2;
	Op op = { lane ? (write ? rtl::KindStore : rtl::KindLoad)
		       : (write ? rtl::KindWrite : rtl::KindRead),
		  port };

	op.index = port / 64;
	op.target = lane ? rtl::LaneArrival : rtl::RegCtrl;
	op.is_bad = true;
	op.data = dice.word();
	Access access = { write, lane, HBSR_GRP_BASE + HBSR_GRP_CTRL, 1, op.data, 0 };

	if (lane)
		access.addr = port * HBSR_ID_PORT_STRIDE_DEFAULT;
	begin("a bad access");
	if (write)
		model->write(access, active());
	else
		model->read(access);
	operate(op);
	if (!write)
		expect("a bad read is hidden", top.hides_o, 1);
	end();
}

/* A register of 32 bits of the group */
void Bench::write_group()
{
	const unsigned which = dice.below(10);

	if (which < 2)
		write_mode();
	else if (which < 4)
		write_number();
	else if (which < 6)
		write_arm();
	else
		command();
}

Access narrow(unsigned offset, uint32_t value)
{
	const bool high = offset % 8;

	return { true,
		 false,
		 HBSR_GRP_BASE + (offset & ~7u),
		 (uint8_t)(high ? 0xf0 : 0x0f),
		 (uint64_t)value << (high ? 32 : 0),
		 0 };
}

void Bench::write_mode()
{
	uint32_t value = group().ctrl;
	const unsigned shifts[] = { HBSR_GRP_CTRL_TYPE_SHIFT,	 HBSR_GRP_CTRL_COMPLETION_SHIFT,
				    HBSR_GRP_CTRL_ARRIVAL_SHIFT, HBSR_GRP_CTRL_DEPARTURE_SHIFT,
				    HBSR_GRP_CTRL_POLICY_SHIFT,	 HBSR_GRP_CTRL_REDUCE_SHIFT };

	if (happens(60))
		value ^= HBSR_GRP_CTRL_ENABLE;
	if (happens(50))
		value ^= 1u << shifts[dice.below(6)];
	if ((value & HBSR_GRP_CTRL_REDUCE) >> HBSR_GRP_CTRL_REDUCE_SHIFT > HBSR_REDUCE_VOTE)
		value &= ~HBSR_GRP_CTRL_REDUCE;
	if (value & HBSR_GRP_CTRL_TYPE)
		value &= ~(HBSR_GRP_CTRL_COMPLETION | HBSR_GRP_CTRL_ARRIVAL);
	Op op = { rtl::KindWrite, (unsigned)dice.below(1024), rtl::RegCtrl };

	op.half = 1;
	op.data = value;
	begin(value & HBSR_GRP_CTRL_ENABLE ? "GRP_CTRL that enables" : "GRP_CTRL that disables");
	access(narrow(HBSR_GRP_CTRL, value), op);
}

void Bench::write_number()
{
	static const struct {
		unsigned target, offset, end;
	} registers[] = { { rtl::RegVacant, HBSR_GRP_VACANT, 0 },
			  { rtl::RegVector, HBSR_GRP_VECTOR, hbs::VECTORS },
			  { rtl::RegRecords, HBSR_GRP_RECORDS, 17 },
			  { rtl::RegCount, HBSR_GRP_COUNT, 0x10000 },
			  { rtl::RegTimeout, HBSR_GRP_TIMEOUT, 0 },
			  { rtl::RegRecordAddr, HBSR_GRP_RECORD_ADDR(0), 0 } };
	const auto &reg = registers[dice.below(6)];
	Op op = { rtl::KindWrite, (unsigned)dice.below(1024), reg.target };
	const bool wide = reg.target == rtl::RegTimeout || reg.target == rtl::RegRecordAddr;

	begin("a number of a group");
	if (!wide) {
		op.data = dice.below(reg.end ? reg.end : ports + 1);
		op.half = reg.offset % 8 ? 2 : 1;
		access(narrow(reg.offset, op.data), op);
		return;
	}
	op.half = happens(50) ? 3 : 1 + dice.below(2);
	op.index = reg.target == rtl::RegRecordAddr ? dice.below(16) : 0;
	op.data = reg.target == rtl::RegTimeout ? dice.word() >> 16 : dice.word() & -64ull;
	op.data &= (op.half & 1 ? UINT32_MAX : 0) | (op.half & 2 ? ~0ull << 32 : 0);
	access({ true, false, HBSR_GRP_BASE + reg.offset + 8 * op.index,
		 (uint8_t)((op.half & 1 ? 0x0f : 0) | (op.half & 2 ? 0xf0 : 0)), op.data, 0 },
	       op);
	expect("an address is written", told.writes_record_addr,
	       reg.target == rtl::RegRecordAddr && !model->enabled(group()));
}

void Bench::write_arm()
{
	Op op = { rtl::KindWrite, (unsigned)dice.below(1024), rtl::RegArm };

	op.half = 2;
	op.data = (uint32_t)(group().epoch - (happens(30) ? dice.below(3) : 0));
	begin("GRP_ARM");
	seen["armings that come too late"] += (uint32_t)group().epoch != op.data;
	access(narrow(HBSR_GRP_ARM, op.data), op);
}

void Bench::command()
{
	const unsigned which = dice.below(20);
	const unsigned code = which < 7 || (group().vacant == 1 && happens(60)) ? HBSR_OP_JOIN
			      : which < 13					? HBSR_OP_LEAVE
			      : which < 15					? HBSR_OP_BREAK
			      : which < 19					? HBSR_OP_INIT
										: dice.below(256);
	unsigned argument = happens(95) ? some_port(code == HBSR_OP_JOIN) : dice.below(0x10000);

	if (code == HBSR_OP_BREAK && happens(90))
		argument = dice.below(9);
	Op op = { rtl::KindWrite, argument & 1023, rtl::RegCommand, (argument & 1023) / 64, 2 };

	op.data = argument << 16 | code;
	begin(code == HBSR_OP_JOIN    ? "JOIN"
	      : code == HBSR_OP_LEAVE ? "LEAVE"
	      : code == HBSR_OP_BREAK ? "BREAK"
	      : code == HBSR_OP_INIT  ? "INIT"
				      : "no command");
	const uint64_t bad = model->bad_accesses;
	const bool busy = active() || draining;

	model->write(narrow(HBSR_GRP_COMMAND, op.data), busy);
	drops = bad == model->bad_accesses && (code == HBSR_OP_LEAVE || code == HBSR_OP_INIT);
	operate(op);
	end();
	seen["commands while the group is busy"] += busy;
	seen["members that leave at once"] += told.leaves;
	seen["operations that begin"] += told.starts;
}

/* Registers of the card: the step only tells that they are written. */
void Bench::write_card()
{
	Op op = { rtl::KindWrite, (unsigned)dice.below(1024), rtl::RegCtlTag };

	op.half = 1;
	op.data = dice.below(1ull << 32);
	begin("a register of the card");
	access({ true, false, HBSR_CTL_TAG & ~7u, (uint8_t)(HBSR_CTL_TAG % 8 ? 0xf0 : 0x0f),
		 op.data << (HBSR_CTL_TAG % 8 ? 32 : 0), 0 },
	       op);
	expect("the register is written", told.writes_card, 1);
}

void Bench::switch_card()
{
	const bool run = !model->running();
	Op op = { rtl::KindWrite, (unsigned)dice.below(1024), rtl::RegCtlCtrl };

	begin(run ? "the card is enabled" : "the card is disabled");
	op.half = 1;
	op.data = run;
	operate(op);
	expect("CTL_CTRL is written", told.writes_card, 1);
	model->write({ true, false, HBSR_CTL_CTRL, 0x0f, run, 0 }, active() || draining);
	may_drop = starts_anew = run;
	if (run)
		start_anew(rtl::KindResume, op.port);
	if (run && group().operation == Operation::LEAVING && group().answered)
		model->finish(0);
	seen["operations that begin anew"] += told.starts;
	end();
}

void Bench::write_port()
{
	const unsigned port = some_port();
	Op op = { rtl::KindWrite, port, rtl::RegPortAddr };

	op.data = happens(30) ? 0 : dice.word() & -128ull;
	begin("PRT_ADDR");
	drops = true;
	starts_anew = active() && group().operation != Operation::ENABLING &&
		      group().operation_port == port;
	operate(op);
	expect("the address is written", told.writes_port_addr, 1);
	expect("for all groups", told.drops_groups, 1);
	model->write({ true, false, HBSR_PRT_BASE + HBSR_PRT_STRIDE * port, 0xff, op.data, 0 },
		     active() || draining);
	start_anew(rtl::KindMove, port);
	if (model->running() && group().operation == Operation::LEAVING && group().answered)
		model->finish(0);
	/* What a read before has found does not fail the JOIN that begins anew. */
	model->dma_errors.low = std::min(model->dma_errors.low, before.dma_errors.low);
	seen["operations that begin anew"] += told.starts;
	end();
}

/* An answer of host memory */
void Bench::answer()
{
	const Operation operation = group().operation;

	if (!model->running() || happens(10)) {
		Op op = { rtl::KindAnswer, (unsigned)dice.below(ports) };

		op.index = op.port / 64;
		op.purpose = dice.below(6);
		op.is_error = happens(30);
		op.data = happens(50) ? model->awaited(0) : dice.word();
		begin("an answer that nobody wants");
		dropped = true;
		operate(op);
		expect("the tag is free", told.frees, 1);
		end();
	} else if ((operation == Operation::ENABLING || operation == Operation::JOINING) &&
		   group().begun && group().checks && happens(70)) {
		answer_check();
	} else if (model->polls(group())) {
		answer_line();
	}
}

void Bench::answer_check()
{
	const bool joins = group().operation == Operation::JOINING;
	const bool any = joins && !model->ports_have_records(group());
	const unsigned port = joins ? group().operation_port : dice.below(ports);
	Op op = { rtl::KindAnswer, port };

	op.index = port / 64;
	op.purpose = any ? rtl::UseCheckAny : rtl::UseCheck;
	/* Without memory the read fails. */
	op.is_error = happens(15) || (joins && !model->port_addr[port]);
	op.expected = model->word_of(0) - (happens(20) ? 1 << 16 : 0);
	op.data = happens(85) ? op.expected : dice.word();
	begin(joins ? "the check of a JOIN" : "the check of an enabling");
	dropped = false;
	HostRead read = { Use::CHECK, 0, joins ? port : hbs::NOBODY, op.expected, false };
	const bool broken = group().broken;
	const unsigned members = group().members;
	const uint64_t word = model->word_of(0);

	model->answer(read, op.is_error, op.data);
	if (!group().checks)
		model->finish(0);
	repeats = joins && group().members > members && !any && op.expected != word;
	/* A JOIN without memory has one error, and this is it. */
	if (joins && op.is_error)
		model->dma_errors.low = before.dma_errors.low + 1;
	optional_dma = broken && !joins;
	operate(op);
	expect("the tag is free", told.frees, 1);
	seen["JOINs that take effect"] += group().members > members;
	seen["JOINs whose record changed meanwhile"] += repeats;
	end();
}

void Bench::answer_line()
{
	const bool leaves = group().operation == Operation::LEAVING && group().begun && happens(70);
	const bool reduces = model->reduction(group());
	const bool operand = reduces && happens(50);
	const unsigned port = leaves ? group().operation_port : some_port();
	const uint64_t awaited = model->awaited(0);
	const uint64_t word =
		happens(75) ? awaited : awaited - (dice.below(3) << 16) + dice.below(2);
	Op op = { rtl::KindAnswer, port };

	op.index = port / 64;
	op.purpose = leaves ? (operand ? rtl::UseLastOperand : rtl::UseLastWord)
			    : (operand ? rtl::UseOperand : rtl::UseWord);
	op.is_error = happens(8);
	op.data = operand ? dice.word() : word;
	op.expected = operand ? word : dice.word();
	begin(operand ? "an operand" : "a line");
	dropped = false;
	HostRead read = { leaves ? (operand ? Use::LAST_OPERAND : Use::LAST_WORD)
				 : (operand ? Use::OPERAND : Use::WORD),
			  0, port, op.expected, false };

	asks = model->would_read(0, port) && !op.is_error && !operand && reduces && word == awaited;
	model->answer(read, op.is_error, op.data);
	if (leaves && group().answered)
		model->finish(0);
	may_drop = leaves;
	operate(op);
	expect("the tag is free", told.frees, !asks);
	seen["members that leave after a read"] += told.leaves;
	end();
}

/* A record could not be written: of the group, or of an operation. */
void Bench::fail()
{
	const bool joins = group().operation == Operation::JOINING && group().begun &&
			   model->ports_have_records(group()) && happens(70);
	Op op = { rtl::KindFail };

	op.port = dice.below(ports);
	op.is_error = joins;
	begin(joins ? "the record of a JOIN that fails" : "a record that fails");
	if (joins) {
		group().failed = true;
		model->finish(0);
	} else if (model->enabled(group())) {
		group().due.failed = true;
		model->fail_records(0);
		if (group().operation == Operation::ENABLING) {
			group().failed = false;
			model->finish(0);
		}
	}
	model->dma_errors = before.dma_errors; /* the egress counts that */
	operate(op);
	expect("the egress learns of it", told.fails, 1);
	end();
}

void Bench::expire()
{
	Op op = { rtl::KindExpire };

	begin("a timer that may have run out");
	op.port = dice.below(ports);
	if (group().timer && due) {
		model->expire(0);
		seen["expiries"]++;
	}
	operate(op);
	end();
}

void Bench::scan()
{
	Op op = { rtl::KindScan };

	op.index = dice.below((ports + 63) / 64);
	op.port = dice.below(1024);
	begin("the question of a round");
	operate(op);
	expect("its answer", told.scans, 1);
	expect("members that have not arrived", top.scan_o,
	       group().p[op.index] & ~group().s[op.index]);
	end();
}

/* Rows that no group ever has, too, keep to what the page says of epochs, breaks and violations. */
void Bench::odd()
{
	Op op = { happens(50) ? rtl::KindStore : rtl::KindWrite, (unsigned)dice.below(ports) };
	const uint64_t epoch = dice.word() & ones(48), reason = dice.below(8);
	const bool broken = happens(50);

	begin("a row that no group has");
	randomize(rows.row, rtl::row::width, dice);
	rows.set(rtl::row::epoch, epoch);
	rows.set(rtl::row::broken, broken);
	rows.set(rtl::row::reason, reason);
	op.index = op.port / 64;
	op.data = happens(50) ? op.port << 16 | (1 + dice.below(4)) : dice.word();
	op.target = op.kind == rtl::KindStore ? rtl::LaneArrival + dice.below(5)
					      : rtl::RegCtrl + dice.below(23);
	step(op);
	const bool enables = top.follow_o == rtl::KindWipe;

	expect("EPOCH", rows.get(rtl::row::epoch), (epoch + told.completes + enables) & ones(48));
	check_dropped();
	if (broken && told.completes)
		wrong("%s: a broken group completes", what);
	if (broken && !enables && !told.forgets)
		expect("REASON", rows.get(rtl::row::reason), reason);
	new_group();
}

void Bench::operation()
{
	const unsigned which = dice.below(100);

	if (which < 35)
		store();
	else if (which < 40)
		load();
	else if (which < 43)
		read_register();
	else if (which < 65)
		write_group();
	else if (which < 69)
		write_port();
	else if (which < 70)
		write_card();
	else if (which < 74)
		switch_card();
	else if (which < 76)
		bad_access();
	else if (which < 90)
		answer();
	else if (which < 92)
		fail();
	else if (which < 97)
		expire();
	else if (which < 99)
		scan();
	else
		odd();
}

void Bench::run(uint64_t amount)
{
	while (steps < amount) {
		new_group();
		for (unsigned i = 1 + dice.below(12); i > 0; i--)
			operation();
	}
}

void Bench::report() const
{
	static const char *const needed[] = {
		"completions by a store", "completions by JOIN",
		"completions by LEAVE",	  "completions by an operand",
		"completions by a line",  "completions by the check of a JOIN",
		"violations of kind 1",	  "violations of kind 2",
		"violations of kind 3",	  "violations of kind 4",
		"violations of kind 5",	  "violations of kind 6"
	};

	for (const auto &item : seen)
		met(item.first.c_str(), item.second);
	for (const char *name : needed)
		if (!seen.count(name))
			met(name, 0);
}
} // namespace

int main(int argc, char **argv)
{
	const uint64_t steps = cycles_of(argc, argv);
	Bench bench;

	bench.run(steps);
	bench.report();
	result("a step does what the specification says");
	return failures != 0;
}
