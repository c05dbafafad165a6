// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_core in lockstep with the model of the page: which step comes in which cycle, the answers to
// reads of the card, and the events by which the rest of the card learns of a step.
#include <array>
#include <memory>

#include "core_world.h"
#include "module.h"
#include "stimulus.h"

#include "Vtop___024root.h"

using namespace module;
using core::Event;
using core::Flight;
using core::World;
using hbs::Access;
using hbs::bit;
using hbs::Group;
using hbs::NOBODY;
using hbs::Operation;
using hbs::Use;
using hbs::Value;

namespace
{
constexpr unsigned TIMES = 8;	 // as many cycles as asked for: much happens seldom
constexpr unsigned LATENCY = 2;	 // cycles from the choice of an operation to its event
constexpr unsigned BOUND = 4000; // in which an access is taken, or a reset over
constexpr unsigned MASK_WORDS = (PORTS + 63) / 64;
constexpr uint64_t LATE = 10000; // ns, and as many cycles

// How the pipeline is treated, for a while
struct Weather {
	unsigned requests, answers, scans, latency, errors, step;
};

// What was taken, and whose step must come
struct Taken {
	unsigned kind; // KindRead for any access
	uint64_t cycle;
	Access access;
	bool ready;
	unsigned group, index;
};

// What a step writes of which others have copies
struct Write {
	bool p;
	unsigned record, port; // halves of an address
	unsigned p_index, record_index, port_index;
	uint64_t mask, address;
};

bool is_access(unsigned kind)
{
	return kind >= rtl::KindStore && kind <= rtl::KindRead;
}

// It is no part of a sequence.
bool is_first(unsigned kind)
{
	return kind <= rtl::KindScan;
}

uint64_t bytes(uint8_t enables)
{
	uint64_t mask = 0;

	for (unsigned i = 0; i < 8; i++)
		if (enables >> i & 1)
			mask |= 0xffULL << 8 * i;
	return mask;
}

class Bench
{
      public:
	Bench()
	{
		restart();
	}

	void run(uint64_t cycles)
	{
		for (cycle = 0; cycle < cycles && wrongs < 8; cycle++) {
			if (random.one_in(15000))
				restart();
			if (random.one_in(4000))
				change_weather();
			inputs();
			look();
			advance();
			tick(top);
		}
	}

	void print();

      private:
	void restart();
	void change_weather();
	void inputs();
	void choose_request();
	Event event_now() const;
	// Outputs
	void look();
	void take_step(unsigned kind);
	void step_access(const Taken &taken);
	void compare(const Taken &taken, const Value &value);
	void step_answer();
	void step_scan(const Taken &taken);
	void step_fail();
	void step_depart();
	void follow(unsigned kind);
	void check_event(unsigned kind, bool was_running, bool was_enabled, uint64_t left);
	void check_settled();
	void check_copies();
	void check_state();
	void check_time();
	void check_turns();
	Taken taken_before(unsigned kind);
	// The end of the cycle
	void advance();
	void copy();
	static void on_drop(void *context, unsigned g, unsigned port)
	{
		static_cast<Bench *>(context)->world->drop(g, port);
	}

	hbs::Random random{ 1 };
	Vtop top;
	std::unique_ptr<hbs::Model> model;
	std::unique_ptr<hbs::Host> host;
	std::unique_ptr<World> world;
	std::unique_ptr<hbs::Stimulus> stimulus;
	Weather weather = { 50, 50, 10, 40, 200, 4 };

	uint64_t cycle = 0, now = 1000, before = 0;
	Access request = {};
	bool has_request = false;
	uint64_t request_since = 0, reset_since = 0, tags = 0;
	std::deque<Taken> taken;
	int offered = -1;
	Event event = {};
	unsigned group = 0; // of the last step that was the first of its sequence
	bool dropped_before = false, draining_before = false, reading = false, resets = false;
	bool may_end = true;	 // a reset may be over in the next cycle
	unsigned passed[2] = {}; // accesses that went before others, and the other way round
	unsigned settles = 0;	 // cycles until nothing of before a reset is left outside
	unsigned expiring = NOBODY, notes = 0;
	std::vector<std::pair<Operation, unsigned>> started;
	uint64_t read_errors = 0;
	bool was_idle = false;
	// copies that others have
	Write written = {};
	std::vector<std::array<uint64_t, MASK_WORDS>> p;
	std::vector<uint64_t> port_addr;
	std::vector<std::array<uint64_t, 16>> record_addr;

	uint64_t restarts = 0, accesses = 0, answers = 0, scans = 0, drops = 0, fails = 0,
		 operands = 0, messages = 0, shows = 0, looks = 0, waits = 0;
	hbs::Total total = {};
};

void add(hbs::Total &sum, const hbs::Total &total)
{
	sum.completions += total.completions;
	sum.completions_reduced += total.completions_reduced;
	sum.completions_counted += total.completions_counted;
	sum.completions_polled += total.completions_polled;
	sum.completions_refutable += total.completions_refutable;
	sum.breaks += total.breaks;
	sum.expiries += total.expiries;
	sum.joins += total.joins;
	sum.leaves += total.leaves;
	sum.operations += total.operations;
	sum.failed_joins += total.failed_joins;
	sum.failed_enablings += total.failed_enablings;
	sum.withdrawals += total.withdrawals;
	sum.resets += total.resets;
	for (unsigned i = 0; i < 8; i++)
		sum.violations[i] += total.violations[i];
}

// A card of another size and with other features, after a reset of the bus
void Bench::restart()
{
	const bool whole = random.one_in(2);
	hbs::Parameters parameters = {};

	if (model)
		add(total, model->total);
	parameters.ports = whole ? PORTS : 1 + random.below(PORTS);
	parameters.groups = whole ? GROUPS : 1 + random.below(GROUPS);
	parameters.records = RECORDS;
	parameters.features =
		random.one_in(4) ? hbs::FEATURES & (random.next() | 0xf) : hbs::FEATURES;
	model = std::make_unique<hbs::Model>(parameters);
	host = std::make_unique<hbs::Host>(random);
	world = std::make_unique<World>(*model, *host, random);
	model->drop = on_drop;
	model->context = this;
	model->ready = false;
	taken.clear();
	has_request = was_idle = resets = false;
	offered = -1;
	expiring = NOBODY;
	settles = read_errors = group = passed[0] = passed[1] = 0;
	may_end = true;
	started.assign(GROUPS, { Operation::NONE, 0 });
	p.assign(GROUPS, {});
	port_addr.assign(PORTS, 0);
	written = {};
	record_addr.assign(GROUPS, {});
	top.req_valid_i = top.ans_valid_i = top.fail_waits_i = top.scan_valid_i = 0;
	top.ports_i = parameters.ports;
	top.groups_i = parameters.groups;
	top.features_i = parameters.features;
	top.now_i = now;
	reset(top);
	reset_since = cycle;
	restarts++;
	change_weather();
}

void Bench::change_weather()
{
	static const hbs::Manner MANNERS[] = {
		{ 30, 0, 0, 0, 0, 60, 3, 12, false },	    { 4, 0, 0, 0, 0, 40, 3, 8, false },
		{ 30, 0, 0, 150, 0, 60, 3, 8, false },	    { 20, 0, 300, 0, 0, 60, 4, 8, false },
		{ 20, 300, 500, 400, 30, 40, 3, 6, false }, { 50, 0, 0, 0, 0, 300, 2, 1024, false },
		{ 200, 0, 0, 0, 0, 2000, 4, 3, false },
	};
	static const unsigned SHARES[] = { 2, 30, 90, 100, 100 };
	static const unsigned STEPS[] = { 1, 4, 4, 20, 200 };

	weather.requests = SHARES[random.below(5)];
	weather.answers = SHARES[random.below(5)];
	weather.scans = SHARES[random.below(4)];
	weather.latency = 1 + random.below(random.one_in(2) ? 10 : 400);
	weather.errors = random.one_in(2) ? 3 + random.below(60) : 0;
	weather.step = STEPS[random.below(5)];
	stimulus = std::make_unique<hbs::Stimulus>(*model, *host, random, MANNERS[random.below(7)]);
}

void Bench::choose_request()
{
	if (!has_request && random.below(100) < weather.requests && stimulus->next(&request)) {
		has_request = true;
		request_since = cycle;
		request.tag = tags++ & 255;
		if (request.write)
			request.data = (request.data & bytes(request.enables)) |
				       (random.next() & ~bytes(request.enables));
	}
	top.req_valid_i = has_request;
	top.req_write_i = request.write;
	top.req_lane_i = request.lane;
	top.req_addr_i = request.addr >> 3;
	top.req_be_i = request.enables;
	top.req_data_i = request.data;
	top.req_tag_i = request.tag;
}

void Bench::inputs()
{
	top.now_i = now;
	choose_request();
	if (offered < 0 && random.below(100) < weather.answers)
		offered = world->answer(cycle);
	top.ans_valid_i = offered >= 0;
	if (offered >= 0) {
		const Flight &flight = world->flights[offered];

		top.ans_group_i = flight.group;
		top.ans_port_i = flight.port & 1023;
		top.ans_use_i = flight.use;
		top.ans_tag_i = offered;
		top.ans_error_i = flight.error;
		top.ans_data_i = flight.data;
		top.ans_expected_i = flight.expected;
	}
	if (world->scan_waits || random.below(100) < weather.scans)
		world->ask();
	top.scan_valid_i = world->scan_waits;
	top.scan_group_i = world->scan_group;
	top.scan_index_i = world->scan_index;
	top.fail_waits_i = world->fail_waits;
	top.fail_group_i = world->fail_group;
	top.fail_operation_i = world->fail_operation;
	reading = world->is_reading();
	top.reading_i = reading;
	top.settled_i = !settles;
	settles -= settles != 0;
	top.eval();
	// what the others say in the same cycle
	event = event_now();
	top.dropped_i =
		top.computed_tag_o < World::TAGS && world->is_dropped(event, top.computed_tag_o);
	top.draining_i = world->is_draining(event, top.computed_group_o);
	top.fail_valid_i = world->fail_waits && !world->is_over(event);
	top.eval();
}

Event Bench::event_now() const
{
	const auto field = [this](rtl::Field f) { return (unsigned)get(top.event_o, f); };
	namespace e = rtl::event;
	Event now = {};

	now.valid = top.event_valid_o;
	if (!now.valid)
		return now;
	now.group = field(e::group);
	now.port = field(e::port);
	now.operation = field(e::operation);
	now.messages = field(e::messages);
	now.tag = field(e::tag) % World::TAGS;
	now.shows = field(e::shows);
	now.has_result = field(e::has_result);
	now.starts = field(e::starts);
	now.repeats = field(e::repeats);
	now.fails = field(e::fails);
	now.forgets = field(e::forgets);
	now.cancels = field(e::cancels);
	now.stops = field(e::stops);
	now.leaves = field(e::leaves);
	now.drops = field(e::drops);
	now.drops_groups = field(e::drops_groups);
	now.drops_ports = field(e::drops_ports);
	now.frees = field(e::frees);
	now.asks = field(e::asks);
	now.wipes = field(e::wipes);
	now.wants = field(e::wants);
	now.has_wants = field(e::has_wants);
	now.scans = field(e::scans);
	return now;
}

void Bench::look()
{
	const unsigned kind = top.rootp->hbs_core__DOT__step_kind_q;

	if (top.ready_o && !model->ready) {
		if (!may_end)
			wrong("cycle %lu: a reset is over too early", cycle);
		model->at(now, now);
		model->end_reset();
	}
	if (event.valid) {
		take_step(kind);
	} else if (top.answers_o) {
		wrong("cycle %lu: an answer without a step", cycle);
	}
	check_state();
	check_time();
}

// The access, answer or question whose step this is: it was taken two cycles ago.
Taken Bench::taken_before(unsigned kind)
{
	Taken first = {};

	if (taken.empty() || taken.front().cycle + LATENCY != cycle ||
	    taken.front().kind != (is_access(kind) ? (unsigned)rtl::KindRead : kind)) {
		wrong("cycle %lu: a step of kind %u for nothing", cycle, kind);
		return first;
	}
	first = taken.front();
	taken.pop_front();
	return first;
}

void Bench::take_step(unsigned kind)
{
	const bool was_running = model->running();
	const unsigned g = std::min<unsigned>(event.group, model->parameters.groups - 1);
	const bool was_enabled = model->enabled(model->group[g]);
	const uint64_t left = model->total.leaves, lives = model->resets;

	if (is_first(kind)) {
		check_settled();
		group = g;
	}
	if (top.answers_o != (kind == rtl::KindRead || kind == rtl::KindLoad))
		wrong("cycle %lu: an answer is %u", cycle, top.answers_o);
	model->at(before, before);
	if (is_access(kind)) {
		step_access(taken_before(kind));
	} else if (kind == rtl::KindAnswer) {
		taken_before(kind);
		step_answer();
	} else if (kind == rtl::KindScan) {
		step_scan(taken_before(kind));
	} else if (kind == rtl::KindFail) {
		taken_before(kind);
		step_fail();
	} else {
		follow(kind);
	}
	if (lives == model->resets)
		check_event(kind, was_running, was_enabled, left);
}

void Bench::step_access(const Taken &access)
{
	accesses++;
	if (!access.access.write) {
		Value value = { Value::PLAIN, 0, 0, NOBODY, 0 };

		if (access.ready || (!access.access.lane && access.access.addr < HBSR_INT_CAUSE))
			value = model->read(access.access);
		compare(access, value);
		return;
	}
	const unsigned g = model->commands(access.access);
	const bool busy =
		g != NOBODY && (model->group[g].operation != Operation::NONE || draining_before);
	const uint64_t lives = model->resets;

	model->write(access.access, busy);
	if (lives != model->resets) {
		reset_since = cycle;
		read_errors = 0;
		started.assign(GROUPS, { Operation::NONE, 0 });
	}
}

// The values that the egress adds to, and those that the rest of the card knows
void Bench::compare(const Taken &access, const Value &value)
{
	const uint64_t mask = bytes(access.access.enables);
	uint64_t expected = value.value;
	unsigned adds = 0;

	if (value.kind == Value::DMA_ERRORS) {
		adds = 1;
		expected =
			access.access.enables == 0xf0 ? read_errors & ~0xffffffffull : read_errors;
	} else if (value.kind == Value::INTERRUPTS) {
		adds = 2;
	} else if (value.kind == Value::RECORD_WRITES) {
		adds = 3;
	} else if (value.kind == Value::STATUS && reading) {
		expected |= value.open;
	} else if (value.kind == Value::GROUP_STATUS) {
		const Group &asked = model->group[value.group];

		if (asked.operation != Operation::NONE || draining_before)
			expected |= value.open;
	} else if (value.kind == Value::CAUSE) {
		// what the page leaves open
		expected = (expected & ~value.open) | (top.answer_o & value.open);
		model->cause |= top.answer_o & value.open & model->maybe_cause;
		model->maybe_cause &= ~value.open;
	}
	if (top.answer_tag_o != access.access.tag)
		wrong("cycle %lu: an answer to another read", cycle);
	if ((top.answer_o ^ expected) & mask)
		wrong("cycle %lu: the answer to %s is %016lx, not %016lx", cycle,
		      access.access.text().c_str(), (uint64_t)top.answer_o & mask, expected & mask);
	if (top.answer_adds_o != adds)
		wrong("cycle %lu: %u is added to the answer to %s", cycle, top.answer_adds_o,
		      access.access.text().c_str());
}

void Bench::step_answer()
{
	static const Use USES[] = { Use::WORD,	Use::OPERAND,	Use::CHECK,
				    Use::CHECK, Use::LAST_WORD, Use::LAST_OPERAND };
	Flight &flight = world->flights[event.tag];
	Group &group = model->group[flight.group];
	hbs::HostRead read = { USES[flight.use], flight.group, flight.port, flight.expected,
			       false };
	const bool check = read.use == Use::CHECK;

	answers++;
	drops += dropped_before;
	if (event.frees == event.asks)
		wrong("cycle %lu: an answer's tag is neither free nor used again", cycle);
	if (dropped_before) {
		if (event.asks)
			wrong("cycle %lu: an answer that was dropped has an effect", cycle);
		return;
	}
	read_errors +=
		flight.error || (flight.use == rtl::UseCheck && flight.data != flight.expected);
	const bool asks = (read.use == Use::WORD || read.use == Use::LAST_WORD) && !flight.error &&
			  flight.data == model->awaited(flight.group) &&
			  model->reduction(group) != HBSR_REDUCE_NONE &&
			  model->would_read(flight.group, flight.port);

	model->answer(read, flight.error, flight.data);
	operands += asks;
	if (event.asks != asks)
		wrong("cycle %lu: an operand is %sasked for", cycle, asks ? "not " : "");
	if (asks && top.data_o != flight.data)
		wrong("cycle %lu: another word than that of the line", cycle);
	if (check && group.operation != Operation::NONE && !group.checks)
		model->finish(flight.group);
}

void Bench::step_scan(const Taken &question)
{
	const Group &asked = model->group[question.group];
	const uint64_t due =
		model->enabled(asked) ? asked.p[question.index] & ~asked.s[question.index] : 0;

	scans++;
	if (!event.scans || top.scan_o != due || event.group != question.group)
		wrong("cycle %lu: lines %016lx of group %u, not %016lx", cycle,
		      (uint64_t)top.scan_o, question.group, due);
	if (model->running())
		world->take_scan(question.group, question.index, top.scan_o);
}

void Bench::step_fail()
{
	const unsigned g = event.group;
	const bool operation = top.rootp->hbs_core__DOT__step_error_q;

	fails++;
	if (operation) {
		if (!model->may_finish(g))
			wrong("cycle %lu: a JOIN of group %u fails for no reason", cycle, g);
		model->finish(g);
		return;
	}
	if (!model->enabled(model->group[g]))
		return;
	model->fail_records(g);
	if (model->group[g].operation == Operation::ENABLING)
		model->finish(g);
}

void Bench::step_depart()
{
	const unsigned g = event.group;

	if (model->group[g].operation != Operation::LEAVING)
		wrong("cycle %lu: the end of a LEAVE that there is not", cycle);
	else if (!model->may_finish(g))
		wrong("cycle %lu: a LEAVE of group %u ends too early", cycle, g);
	else
		model->finish(g);
}

// A timer that is looked at, and the steps of sequences
void Bench::follow(unsigned kind)
{
	const unsigned g = event.group;

	// the card is made for more groups than it shows
	if (g >= model->parameters.groups)
		return;
	const Group &expired = model->group[g];

	switch (kind) {
	case rtl::KindExpire:
		looks++;
		expiring = expired.timer && before >= expired.timer_since + expired.timeout
				   ? g
				   : NOBODY;
		notes = 0;
		break;
	case rtl::KindNote:
		notes++;
		if (expiring != g)
			wrong("cycle %lu: the timer of group %u expires too early", cycle, g);
		break;
	case rtl::KindExpired:
		if (expiring != g || notes != MASK_WORDS)
			wrong("cycle %lu: the timer of group %u expires", cycle, g);
		expiring = NOBODY;
		model->expire(g);
		break;
	case rtl::KindResume:
		model->group[g].timer_since = model->group[g].timer_latest = before;
		break;
	case rtl::KindDepart:
		step_depart();
		break;
	}
}

void Bench::check_event(unsigned kind, bool was_running, bool was_enabled, uint64_t left)
{
	const unsigned g = event.group;

	if (event.fails != (kind == rtl::KindFail) || event.scans != (kind == rtl::KindScan))
		wrong("cycle %lu: an event of a step of another kind", cycle);
	if ((event.frees || event.asks) && kind != rtl::KindAnswer)
		wrong("cycle %lu: a tag is free without an answer", cycle);
	if (event.leaves != (left != model->total.leaves))
		wrong("cycle %lu: a member is said to leave", cycle);
	if (event.stops ? model->running() : was_running && !model->running())
		wrong("cycle %lu: stops is %u", cycle, event.stops);
	if (kind == rtl::KindWrite && g < model->parameters.groups &&
	    event.forgets != (was_enabled && !model->enabled(model->group[g])))
		wrong("cycle %lu: forgets is %u", cycle, event.forgets);
	for (unsigned tag = 0; tag < World::TAGS && kind != rtl::KindStart; tag++) {
		const Flight &flight = world->flights[tag];

		if (flight.where != Flight::FREE && !flight.must && !flight.dropped &&
		    world->is_dropped(event, tag))
			wrong("cycle %lu: a read of group %u, port %u is dropped for no reason",
			      cycle, flight.group, flight.port);
	}
	if (event.shows && top.word_o != model->word_of(g))
		wrong("cycle %lu: the word of group %u is %016lx", cycle, g, (uint64_t)top.word_o);
	if (event.shows && event.has_result && top.result_o != model->group[g].result)
		wrong("cycle %lu: the result of group %u is %016lx", cycle, g,
		      (uint64_t)top.result_o);
	if ((event.shows || event.starts) &&
	    (top.records_o != model->group[g].records ||
	     top.port_record_o != model->ports_have_records(model->group[g])))
		wrong("cycle %lu: group %u has other records", cycle, g);
	shows += event.shows;
	messages += event.messages != 0;
	if (event.stops)
		started.assign(GROUPS, { Operation::NONE, 0 });
	if (event.cancels || event.forgets)
		started[g] = { Operation::NONE, 0 };
	if (event.starts)
		started[g] = { (Operation)event.operation, event.port };
}

// What a step lets follow has come before the next step.
void Bench::check_settled()
{
	const Group &last = model->group[group];
	const std::string what = model->lacks(UINT64_MAX);
	const bool wants = model->enabled(last) && model->polls(last) && !last.broken &&
			   last.present != last.members &&
			   !(model->counts(last) && last.arrived == last.count);

	// in the cycle before, a reset has cleared what others have
	if (!model->ready || resets)
		return;
	if (!world->wrong.empty())
		wrong("cycle %lu: %s", cycle, world->wrong.c_str());
	if (!what.empty())
		wrong("cycle %lu: %s", cycle, what.c_str());
	if (model->raises_wait())
		wrong("cycle %lu: an interrupt without a message", cycle);
	if (expiring != NOBODY)
		wrong("cycle %lu: the timer of group %u does not expire", cycle, expiring);
	if (world->wants[group] != wants)
		wrong("cycle %lu: group %u %s a line to read", cycle, group,
		      wants ? "has" : "does not have");
	for (const Flight &flight : world->flights)
		if (flight.where != Flight::FREE && flight.must && !flight.dropped)
			wrong("cycle %lu: a read of group %u, port %u is not dropped", cycle,
			      flight.group, flight.port);
	if (model->running() &&
	    (started[group].first != last.operation ||
	     (last.operation != Operation::NONE && last.operation != Operation::ENABLING &&
	      started[group].second != last.operation_port)))
		wrong("cycle %lu: another operation of group %u has begun", cycle, group);
	check_copies();
}

void Bench::check_copies()
{
	const Group &last = model->group[group];

	for (unsigned i = 0; i < MASK_WORDS && model->enabled(last); i++)
		if (p[group][i] != last.p[i])
			wrong("cycle %lu: the copy of P of group %u is another", cycle, group);
	for (unsigned i = 0; i < RECORDS; i++)
		if (record_addr[group][i] != last.record_addr[i])
			wrong("cycle %lu: the copy of record %u of group %u is another", cycle, i,
			      group);
	const unsigned port = random.below(model->parameters.ports);

	if (port_addr[port] != model->port_addr[port])
		wrong("cycle %lu: the copy of the address of port %u is another", cycle, port);
}

void Bench::check_state()
{
	if (top.running_o != model->running() || top.poll_o != model->poll)
		wrong("cycle %lu: running is %u, CTL_POLL %u", cycle, top.running_o, top.poll_o);
	if (top.ready_o != model->ready)
		wrong("cycle %lu: ready is %u", cycle, top.ready_o);
	if (!taken.empty() && taken.front().cycle + LATENCY <= cycle)
		wrong("cycle %lu: no step for what was taken", cycle);
	if (was_idle && event.valid)
		wrong("cycle %lu: a step after the pipeline was idle", cycle);
	was_idle = top.idle_o;
}

// Nothing waits for ever, and timers do not for long.
void Bench::check_time()
{
	if (has_request && cycle > request_since + BOUND) {
		wrong("cycle %lu: %s is not taken", cycle, request.text().c_str());
		request_since = cycle;
	}
	if (model->ready || reading || !top.settled_i)
		reset_since = cycle;
	else if (cycle > reset_since + BOUND)
		wrong("cycle %lu: a reset does not end", cycle);
	for (const Group &group : model->group)
		if (group.timer &&
		    now > group.timer_since + group.timeout + LATE * (weather.step + 1))
			wrong("cycle %lu: a timer does not expire", cycle);
}

// Accesses and the card's own operations take turns.
void Bench::check_turns()
{
	const bool own = offered >= 0 || (top.ready_o && (world->fail_waits || world->scan_waits));
	const bool takes_own = own && top.ans_ready_o;

	passed[0] = !own || takes_own ? 0 : passed[0] + (has_request && top.req_ready_o);
	passed[1] = !has_request || top.req_ready_o ? 0 : passed[1] + takes_own;
	if (passed[0] > 1 || passed[1] > 1)
		wrong("cycle %lu: %s goes first twice", cycle,
		      passed[0] > 1 ? "an access" : "another");
}

void Bench::advance()
{
	check_turns();
	if (has_request && top.req_ready_o) {
		has_request = false;
		waits = std::max(waits, cycle - request_since);
		// while the card is in reset it drops writes; a write of no byte is none
		if (!request.write || (request.enables && top.ready_o))
			taken.push_back({ rtl::KindRead, cycle, request, (bool)top.ready_o, 0, 0 });
	}
	if (offered >= 0 && top.ans_ready_o) {
		world->flights[offered].where = Flight::COMPUTED;
		offered = -1;
		taken.push_back({ rtl::KindAnswer, cycle, {}, true, 0, 0 });
	}
	if (world->fail_waits && top.fail_ready_o) {
		if (top.fail_valid_i)
			taken.push_back({ rtl::KindFail, cycle, {}, true, 0, 0 });
		world->fail_waits = false;
	}
	if (world->scan_waits && top.scan_ready_o) {
		taken.push_back(
			{ rtl::KindScan, cycle, {}, true, world->scan_group, world->scan_index });
		world->scan_waits = false;
	}
	copy();
	world->take(event, top.word_o, top.result_o, top.data_o);
	resets = top.reset_o;
	if (resets) {
		world->reset();
		settles = random.below(100);
	}
	world->send(cycle, weather.latency, weather.errors);
	may_end = top.settled_i && !reading;
	dropped_before = top.dropped_i;
	draining_before = top.draining_i;
	before = now;
	now += 1 + random.below(2 * weather.step);
}

// The copies of P and of addresses that others have: what a step writes counts with its event.
void Bench::copy()
{
	const auto halves = [](uint64_t &word, unsigned which, uint64_t value) {
		const uint64_t mask = (which & 1 ? ones(32) : 0) | (which & 2 ? ~ones(32) : 0);

		word = (word & ~mask) | (value & mask);
	};
	constexpr unsigned STRIDE = RECORDS > 8 ? 16 : RECORDS > 4 ? 8 : RECORDS > 2 ? 4 : RECORDS;
	const Write &last = written;

	if (last.p && last.p_index / 16 < GROUPS && last.p_index % 16 < MASK_WORDS)
		p[last.p_index / 16][last.p_index % 16] = last.mask;
	if (last.record)
		halves(record_addr[last.record_index / STRIDE % GROUPS][last.record_index % STRIDE],
		       last.record, last.address);
	if (last.port)
		halves(port_addr[last.port_index % PORTS], last.port, last.address);
	written = { (bool)top.write_p_o, top.write_record_addr_o, top.write_port_addr_o,
		    top.p_index_o,	 top.record_index_o,	  top.port_index_o,
		    (uint64_t)top.p_o,	 (uint64_t)top.address_o };
}

void Bench::print()
{
	add(total, model->total);
	met("accesses", accesses);
	met("answers of host memory", answers);
	met("answers that were dropped", drops);
	met("operands", operands);
	met("questions of rounds", scans);
	met("writes that failed", fails);
	met("words that became due", shows);
	met("messages that became due", messages);
	met("completions", total.completions);
	met("completions that reduced", total.completions_reduced);
	met("completions by count", total.completions_counted);
	met("completions of groups that poll", total.completions_polled);
	met("completions of refutable groups", total.completions_refutable);
	met("breaks", total.breaks);
	met("timers that were looked at", looks);
	met("timers that expired", total.expiries);
	met("members that joined", total.joins);
	met("members that left", total.leaves);
	met("operations", total.operations);
	met("JOINs that failed", total.failed_joins);
	met("enablings that failed", total.failed_enablings);
	met("withdrawals", total.withdrawals);
	for (unsigned kind = 1; kind < 7; kind++)
		met("violations of a kind", total.violations[kind]);
	met("resets of the card", total.resets - restarts);
	met("resets", restarts);
	printf("# an access waited for up to %lu cycles\n", waits);
}
} // namespace

int main(int argc, char **argv)
{
	const uint64_t cycles = cycles_of(argc, argv);
	Bench bench;

	bench.run(TIMES * cycles);
	bench.print();
	result("the pipeline of " + std::to_string(PORTS) + " ports and " + std::to_string(GROUPS) +
	       " groups does what the page says");
	return failures != 0;
}
