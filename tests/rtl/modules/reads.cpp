// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_reads between rounds and operations that ask for reads, a bus that answers them in any order,
// and a pipeline that drops them, frees their tags or asks for operands by them. A model knows of
// each read where it is and who wants it still.
#include <list>
#include <vector>

#include "module.h"

using namespace module;

namespace
{
constexpr unsigned RECORD = 1024;	     // the port of a record of a group
constexpr unsigned PATIENCE = 8 * TAGS + 64; // cycles in which something happens that can
constexpr int NO_TAG = -1;
constexpr uint64_t OF_OPERATION = 0x20;

enum class Where {
	WAITS,	 // it was asked for
	OFFERED, // to the bus
	FLIES,
	ANSWERED, // in the queue to the pipeline
	COMPUTED, // in the pipeline
	ASKED,	  // again, for its operand
};

struct Read {
	Where where;
	bool line, fails;    // of a round; it has no address
	bool dropped, ghost; // ghost: nobody may notice it any more, but for its tag
	bool error;
	unsigned use, group, port;
	int tag;
	uint64_t addr, expected, data, since, due;

	bool has_tag() const
	{
		return tag != NO_TAG || !line;
	}
};

// A step of the pipeline
struct Step {
	enum Kind { NONE, OTHER, ANSWER, DROP, MOVE, RESET } kind;
	unsigned group, port;
	bool all_groups, all_ports;
	bool asks;
	Read *read;
	uint64_t data;
	unsigned halves; // of PRT_ADDR that are written
};

bool concerns(const Step &event, const Read &read)
{
	return (event.all_groups || read.group == event.group) &&
	       (event.all_ports || read.port == event.port);
}

class Bench
{
      public:
	explicit Bench(Random &dice) : dice(dice), base(PORTS)
	{
		top.rst_ni = 0;
		restart();
	}

	void run(uint64_t cycles)
	{
		for (cycle = 0; cycle < cycles; cycle++) {
			if (!dice.below(4000))
				restart();
			if (!dice.below(500))
				change_weather();
			inputs();
			top.eval();
			look();
			advance();
			tick(top);
		}
	}

	void print() const
	{
		met("reads of lines", lines);
		met("reads of operations", operations);
		met("operands", operands);
		met("reads that failed at once", fails);
		met("reads that were dropped on their way", dropped);
		met("reads that were dropped in the cycle in which they were asked for", at_once);
		met("lines that were dropped before they were sent", ghosts);
		met("operands that nobody wanted any more", unasked);
		met("cycles in which all tags were in use", full);
		met("answers while a read failed at once", both);
		met("cycles in which nothing was to do", idles);
		met("resets of the card", resets);
		met("resets", restarts);
	}

      private:
	// Inputs
	void restart();
	void change_weather();
	void inputs();
	uint64_t memory();
	void set_event();
	void set_request();
	void set_answer();
	// Outputs
	void look();
	void look_at_bus();
	void offer();
	void look_at_answer();
	void look_at_pipeline();
	void look_at_state();
	bool is_busy(const Read &read, bool surely) const;
	void expect_progress();
	// The end of the cycle
	void advance();
	void take_requests();
	void write_memory();
	void take_event();
	void drop(const Step &event);
	void choose(bool answers);
	void choose_step();
	void bury();
	uint64_t line_addr(unsigned group, unsigned port) const;
	Read *waiting(bool line, Where where);

	Random &dice;
	Vtop top;
	std::vector<uint64_t> base; // PRT_ADDR
	std::list<Read> reads;
	Step event = {}, computed = {}, chosen = {};
	Read request = {}; // of an operation
	Read *answering = nullptr, *shown = nullptr;
	uint64_t cycle = 0, offered_addr = 0;
	unsigned stuck = 0, op_refused = 0, line_refused = 0; // for so many cycles
	bool has_poll = true, is_offered = false, was_idle = false;
	bool poll_held = false, op_held = false;
	unsigned offered_tag = 0, sweep = PORTS;
	unsigned polls = 50, ops = 20, takes = 50, answers = 50, readies = 50, events = 20,
		 latency = 20;

	uint64_t lines = 0, operations = 0, operands = 0, fails = 0, dropped = 0, at_once = 0,
		 ghosts = 0, unasked = 0, full = 0, both = 0, idles = 0, resets = 0, restarts = 0;
};

void Bench::restart()
{
	restarts++;
	reads.clear();
	event = computed = chosen = {};
	shown = answering = nullptr;
	is_offered = was_idle = poll_held = op_held = false;
	has_poll = !dice.percent(10);
	top.event_valid_i = top.reset_i = top.poll_valid_i = top.op_valid_i = 0;
	top.ans_valid_i = top.write_port_addr_i = 0;
	// memories have no reset: the card clears them
	reset(top);
	sweep = 0;
	stuck = op_refused = line_refused = 0;
}

void Bench::change_weather()
{
	static const unsigned SHARES[] = { 0, 2, 20, 60, 100, 100 };

	polls = SHARES[dice.below(6)];
	ops = SHARES[dice.below(5)];
	takes = SHARES[1 + dice.below(5)];
	answers = SHARES[1 + dice.below(5)];
	readies = SHARES[1 + dice.below(5)];
	events = SHARES[dice.below(4)];
	latency = 1 + dice.below(dice.percent(50) ? 5 : 400);
}

uint64_t Bench::line_addr(unsigned group, unsigned port) const
{
	return base[port] + group * HBSR_MEMORY_STRIDE + HBSR_MEMORY_ARRIVAL;
}

// The address of a port's memory, if it has any
uint64_t Bench::memory()
{
	return dice.percent(20) ? 0 : dice.word() << 16;
}

void Bench::inputs()
{
	event = computed;
	computed = chosen;
	chosen = {};
	top.has_poll_i = has_poll;
	top.rd_ready_i = dice.percent(takes);
	set_event();
	set_request();
	set_answer();
	top.answer_ready_i = computed.kind != Step::ANSWER && computed.kind != Step::RESET &&
			     dice.percent(readies);
	top.computed_group_i = computed.kind == Step::NONE ? dice.below(GROUPS) : computed.group;
	top.computed_tag_i = computed.kind == Step::ANSWER ? computed.read->tag : dice.below(TAGS);
	top.reset_i = computed.kind == Step::RESET;
	top.write_port_addr_i = computed.kind == Step::MOVE ? computed.halves : 0;
	top.port_index_i = computed.port;
	top.address_i = computed.data;
	if (sweep < PORTS && computed.kind != Step::MOVE) {
		top.write_port_addr_i = 3;
		top.port_index_i = sweep;
		top.address_i = memory();
	}
}

void Bench::set_event()
{
	uint64_t word = dice.word() & ones(rtl::event::width);
	const bool is_answer = event.kind == Step::ANSWER;

	top.event_valid_i = event.kind != Step::NONE;
	top.expected_i = is_answer ? event.data : dice.word();
	if (top.event_valid_i) {
		const bool drops = event.kind >= Step::DROP;

		set(word, rtl::event::group, event.group);
		set(word, rtl::event::port, event.port);
		set(word, rtl::event::drops, drops);
		if (drops) {
			set(word, rtl::event::drops_groups, event.all_groups);
			set(word, rtl::event::drops_ports, event.all_ports);
		}
		set(word, rtl::event::frees, is_answer && !event.asks);
		set(word, rtl::event::asks, is_answer && event.asks);
		if (is_answer)
			set(word, rtl::event::tag, event.read->tag);
	}
	top.event_i = word;
}

// A round keeps to its line until that is read or dropped, an operation may give way.
void Bench::set_request()
{
	if (poll_held && event.kind >= Step::DROP && !(event.all_groups && !event.all_ports) &&
	    (event.all_groups || event.group == top.poll_group_i) &&
	    (event.all_ports || event.port == top.poll_port_i))
		poll_held = false;
	if (!poll_held && has_poll && sweep >= PORTS && dice.percent(polls)) {
		poll_held = true;
		top.poll_group_i = dice.below(GROUPS);
		top.poll_port_i = dice.below(PORTS);
	}
	// a round asks once; of two that fail at once one could not tell which is answered
	for (const Read &read : reads)
		if (read.line && read.fails && read.where == Where::WAITS &&
		    read.group == top.poll_group_i && read.port == top.poll_port_i)
			poll_held = false;
	top.poll_valid_i = poll_held;
	if (op_held && !dice.percent(5))
		return;
	request = {};
	request.use = dice.percent(50)	 ? (unsigned)rtl::UseCheck
		      : dice.percent(50) ? (unsigned)rtl::UseCheckAny
					 : (unsigned)rtl::UseLastWord;
	request.group = dice.below(GROUPS);
	request.port =
		request.use == rtl::UseCheck && dice.percent(70) ? RECORD : dice.below(PORTS);
	request.expected = dice.word();
	op_held = sweep >= PORTS && (has_poll || request.use == rtl::UseCheck) && dice.percent(ops);
	top.op_valid_i = op_held;
	top.op_use_i = request.use;
	top.op_group_i = request.group;
	top.op_port_i = request.port;
	top.op_expected_i = request.expected;
}

void Bench::set_answer()
{
	// its memory may have moved meanwhile; by its address the bench knows it from a round's read
	if (request.port != RECORD) {
		request.addr = line_addr(request.group, request.port) + OF_OPERATION;
		request.fails = !base[request.port];
	} else if (!request.addr) {
		request.addr = dice.word() | 1;
	}
	top.op_addr_i = request.addr;
	top.op_fails_i = request.fails;

	std::vector<Read *> due;

	for (Read &read : reads)
		if (read.where == Where::FLIES && read.due <= cycle)
			due.push_back(&read);
	answering = due.empty() || !dice.percent(answers) ? nullptr : due[dice.below(due.size())];
	top.ans_valid_i = answering != nullptr;
	top.ans_error_i = dice.percent(10);
	top.ans_data_i = dice.word();
	top.ans_tag_i = answering ? answering->tag : dice.below(TAGS);
}

void Bench::look()
{
	look_at_bus();
	look_at_answer();
	look_at_pipeline();
	look_at_state();
	expect_progress();
}

// The read of its kind that comes next
Read *Bench::waiting(bool line, Where where)
{
	Read *first = nullptr;

	for (Read &read : reads)
		if (read.where == where && (where == Where::ASKED || read.line == line) &&
		    !read.ghost && !(where == Where::WAITS && read.fails) &&
		    (!first || read.since < first->since))
			first = &read;
	return first;
}

void Bench::look_at_bus()
{
	if (is_offered &&
	    (!top.rd_valid_o || top.rd_addr_o != offered_addr || top.rd_tag_o != offered_tag))
		wrong("cycle %lu: a read that was offered changes", cycle);
	else if (!is_offered && top.rd_valid_o)
		offer();
	is_offered = top.rd_valid_o && !top.rd_ready_i;
	offered_addr = top.rd_addr_o;
	offered_tag = top.rd_tag_o;
}

void Bench::offer()
{
	Read *read = nullptr;

	for (Read *next : { waiting(false, Where::WAITS), waiting(true, Where::WAITS),
			    waiting(false, Where::ASKED) })
		if (next && next->addr == top.rd_addr_o && next->since < cycle)
			read = next;
	if (!read) {
		wrong("cycle %lu: a read of %lx", cycle, (uint64_t)top.rd_addr_o);
		return;
	}
	for (const Read &other : reads)
		if (&other != read && !other.ghost && other.tag == top.rd_tag_o)
			wrong("cycle %lu: a tag that another read has", cycle);
	if (read->where == Where::ASKED && read->tag != top.rd_tag_o)
		wrong("cycle %lu: an operand by another tag than its word", cycle);
	reads.remove_if([read, this](const Read &other) {
		return &other != read && other.ghost && other.tag == top.rd_tag_o;
	});
	operands += read->where == Where::ASKED;
	read->where = Where::OFFERED;
	read->tag = top.rd_tag_o;
	stuck = 0;
}

void Bench::look_at_answer()
{
	Read *old = shown;

	shown = nullptr;
	if (!top.answer_valid_o) {
		if (old)
			wrong("cycle %lu: an answer is taken back", cycle);
		return;
	}
	for (Read &read : reads)
		if (read.tag == top.answer_tag_o && read.where == Where::ANSWERED)
			shown = &read;
	// one that could not be sent shows its tag by its answer
	for (Read &read : reads)
		if (!shown && read.where == Where::WAITS && read.fails && read.since + 1 < cycle &&
		    read.group == top.answer_group_o && (read.port & 1023) == top.answer_port_o &&
		    read.use == top.answer_use_o) {
			shown = &read;
			read.tag = top.answer_tag_o;
			read.where = Where::ANSWERED;
			read.error = true;
			read.ghost = false;
			fails++;
			stuck = 0;
		}
	if (!shown) {
		wrong("cycle %lu: an answer to no read", cycle);
		return;
	}
	if (old && old != shown)
		wrong("cycle %lu: an answer changes", cycle);
	if (shown->group != top.answer_group_o || (shown->port & 1023) != top.answer_port_o ||
	    shown->use != top.answer_use_o)
		wrong("cycle %lu: an answer to another read", cycle);
	if (shown->error != top.answer_error_o ||
	    (!shown->error && shown->data != top.answer_data_o))
		wrong("cycle %lu: another answer than the bus gave", cycle);
	if (shown->use != rtl::UseWord && shown->use != rtl::UseLastWord &&
	    shown->use != rtl::UseCheckAny && shown->expected != top.answer_expected_o)
		wrong("cycle %lu: %lx is expected", cycle, (uint64_t)top.answer_expected_o);
}

// Whether the event of this cycle drops it as well
void Bench::look_at_pipeline()
{
	bool must = false, may = false;

	if (computed.kind == Step::ANSWER) {
		Read &read = *computed.read;
		const bool drops =
			read.dropped || (event.kind >= Step::DROP && concerns(event, read));

		if (top.dropped_o != drops)
			wrong("cycle %lu: an answer is %sdropped", cycle, drops ? "not " : "");
		dropped += drops;
		computed.asks = !drops && !read.error && dice.percent(60) &&
				(read.use == rtl::UseWord || read.use == rtl::UseLastWord);
		computed.data = dice.word();
	}
	for (const Read &read : reads)
		if (read.group == top.computed_group_i &&
		    (read.dropped || (event.kind >= Step::DROP && concerns(event, read)))) {
			must |= is_busy(read, true);
			may |= is_busy(read, false);
		}
	if (top.draining_o ? !may : must)
		wrong("cycle %lu: draining is %u", cycle, top.draining_o);
}

// Whether a tag is in use for it
bool Bench::is_busy(const Read &read, bool surely) const
{
	if (read.where != Where::WAITS)
		return !surely || !read.ghost;
	return read.since < cycle && (!read.line || (read.fails && !surely));
}

void Bench::look_at_state()
{
	bool must = false, may = false, round = false;
	unsigned tags = 0;

	for (const Read &read : reads) {
		must |= is_busy(read, true);
		may |= is_busy(read, false);
		round |= read.line && !read.dropped;
		tags += is_busy(read, true);
	}
	if (top.reading_o ? !may : must)
		wrong("cycle %lu: reading is %u", cycle, top.reading_o);
	if (top.round_o != round)
		wrong("cycle %lu: round is %u", cycle, top.round_o);
	if (tags > TAGS)
		wrong("cycle %lu: %u reads with a tag", cycle, tags);
	full += tags == TAGS;
	if (top.idle_o && (top.rd_valid_o || top.answer_valid_o))
		wrong("cycle %lu: idle, with something to do", cycle);
	if (was_idle && !top.idle_o)
		wrong("cycle %lu: not idle any more, and nothing has come", cycle);
	if (reads.empty() && !top.idle_o)
		wrong("cycle %lu: not idle, with nothing to do", cycle);
	idles += top.idle_o;
	was_idle = top.idle_o && !top.ans_valid_i && event.kind == Step::NONE && !top.reset_i &&
		   !top.poll_valid_i && !top.op_valid_i;
}

// What can happen does: a read that has a tag, or for which there is one, is sent.
void Bench::expect_progress()
{
	const bool held = is_offered || event.kind != Step::NONE || top.ans_valid_i;
	bool asked = false, waits = false;

	for (const Read &read : reads) {
		asked |= read.where == Where::ASKED && !read.ghost;
		// one that failed may be behind other answers
		waits |= read.where == Where::WAITS && !read.ghost &&
			 !(read.fails && top.answer_valid_o);
	}
	const bool has_tag = reads.size() < TAGS;

	stuck += !held && (asked || (waits && has_tag));
	op_refused += !held && top.op_valid_i && !top.op_ready_o && has_tag;
	line_refused +=
		!held && top.poll_valid_i && !top.poll_ready_o && has_tag && !top.op_valid_i;
	if (!asked && !waits)
		stuck = 0;
	if (top.op_ready_o)
		op_refused = 0;
	if (top.poll_ready_o)
		line_refused = 0;
	if (std::max(stuck, std::max(op_refused, line_refused)) > PATIENCE) {
		wrong("cycle %lu: a read is not %s", cycle, stuck > PATIENCE ? "sent" : "taken");
		stuck = op_refused = line_refused = 0;
	}
}

void Bench::advance()
{
	take_event();
	take_requests();
	write_memory();
	if (computed.kind == Step::RESET) {
		drop({ Step::RESET, 0, 0, true, true, false, nullptr, 0, 0 });
		poll_held = op_held = false;
		sweep = 0;
	}
	for (Read &read : reads)
		if (read.where == Where::OFFERED && top.rd_ready_i && top.rd_valid_o &&
		    read.tag == top.rd_tag_o) {
			read.where = Where::FLIES;
			read.due = cycle + 1 + dice.below(latency);
		}
	if (answering) {
		for (const Read &read : reads)
			both += read.fails && read.where == Where::WAITS;
		answering->where = Where::ANSWERED;
		answering->error = top.ans_error_i;
		answering->data = top.ans_data_i;
	}
	choose(shown && top.answer_ready_i);
	bury();
}

// PRT_ADDR; a line that is taken in the cycle of a write has the address before.
void Bench::write_memory()
{
	if (!top.write_port_addr_i)
		return;
	const uint64_t mask = (top.write_port_addr_i & 1 ? ones(32) : 0) |
			      (top.write_port_addr_i & 2 ? ~ones(32) : 0);
	uint64_t &addr = base[top.port_index_i];

	addr = (addr & ~mask) | (top.address_i & mask);
	sweep += sweep < PORTS && computed.kind != Step::MOVE;
}

// A read that the event of this cycle overtakes is not wanted from the beginning; the address of a
// line is read in this cycle.
void Bench::take_requests()
{
	if (top.op_valid_i && top.op_ready_o) {
		request.where = Where::WAITS;
		request.since = cycle;
		request.tag = NO_TAG;
		request.dropped = event.kind >= Step::DROP && concerns(event, request);
		at_once += request.dropped;
		reads.push_back(request);
		op_held = false;
		operations++;
	}
	if (top.poll_valid_i && top.poll_ready_o) {
		poll_held = false;
		if (top.reset_i)
			return;
		Read read = {};

		read.line = true;
		read.use = rtl::UseWord;
		read.group = top.poll_group_i;
		read.port = top.poll_port_i;
		read.tag = NO_TAG;
		read.addr = line_addr(read.group, read.port);
		read.fails = !base[read.port];
		read.since = cycle;
		reads.push_back(read);
		lines++;
	}
}

void Bench::take_event()
{
	if (event.kind >= Step::DROP)
		drop(event);
	if (event.kind != Step::ANSWER)
		return;
	Read &read = *event.read;

	if (event.asks) {
		read.where = Where::ASKED;
		read.since = cycle;
		read.use = read.use == rtl::UseWord ? rtl::UseOperand : rtl::UseLastOperand;
		read.expected = event.data;
		read.addr = (read.addr & -(uint64_t)HBSR_MEMORY_STRIDE) + HBSR_LINE_OPERAND;
		return;
	}
	for (auto i = reads.begin(); i != reads.end(); ++i)
		if (&*i == &read) {
			reads.erase(i);
			return;
		}
}

void Bench::drop(const Step &event)
{
	for (Read &read : reads) {
		if (!concerns(event, read))
			continue;
		// an operand may still be sent in the cycle in which a reset begins
		const bool unsent = read.where == Where::WAITS
					    ? read.line
					    : read.where == Where::ASKED && !top.reset_i;

		if (!read.ghost && unsent) {
			unasked += read.where == Where::ASKED;
			ghosts += read.where == Where::WAITS;
			read.ghost = true;
			read.due = cycle;
		}
		read.dropped = true;
	}
}

// What nobody can notice any more: a line that was not sent, or has no answer in the queue; an
// operand when no more is to be sent
void Bench::bury()
{
	reads.remove_if([this](const Read &read) {
		if (!read.ghost)
			return false;
		if (read.where == Where::ASKED)
			return cycle > read.due && top.idle_o;
		return !read.fails || (cycle > read.due + 2 && !top.answer_valid_o);
	});
}

void Bench::choose(bool takes_answer)
{
	chosen = {};
	if (takes_answer) {
		shown->where = Where::COMPUTED;
		chosen.kind = Step::ANSWER;
		chosen.read = shown;
		chosen.group = shown->group;
		chosen.port = dice.below(PORTS);
		shown = nullptr;
	} else if (computed.kind == Step::NONE && dice.percent(events)) {
		choose_step();
	}
}

void Bench::choose_step()
{
	chosen.kind = dice.percent(50) || sweep < PORTS ? Step::OTHER : Step::DROP;
	chosen.group = dice.below(GROUPS);
	chosen.port = dice.below(PORTS);
	if (op_held && dice.percent(40)) {
		chosen.group = request.group;
		chosen.port = request.port % PORTS;
	} else if (!reads.empty() && dice.percent(60)) {
		// of a read that there is
		const Read &read = *std::next(reads.begin(), dice.below(reads.size()));

		chosen.group = read.group;
		chosen.port = read.port % PORTS;
	}
	if (chosen.kind != Step::DROP)
		return;
	const unsigned what = dice.below(100);

	if (what < 20) {
		chosen.all_ports = true;
	} else if (what < 22) {
		chosen.all_groups = chosen.all_ports = true;
	} else if (what < 23) {
		chosen.kind = Step::RESET;
		chosen.all_groups = chosen.all_ports = true;
		resets++;
	} else if (what < 60) {
		chosen.kind = Step::MOVE;
		chosen.all_groups = true;
		chosen.halves = 1 + dice.below(3);
		chosen.data = memory();
	}
}
} // namespace

int main(int argc, char **argv)
{
	const uint64_t cycles = cycles_of(argc, argv);
	Random dice;
	Bench bench(dice);

	bench.run(cycles);
	bench.print();
	result("reads of " + std::to_string(PORTS) + " ports by " + std::to_string(TAGS) +
	       " tags are answered to whom they are for");
	return failures != 0;
}
