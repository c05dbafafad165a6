// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_poll between a pipeline that does its steps at random and reads that are answered late,
// against what card.rst says of rounds: when one may begin, which groups it visits in which order,
// which lines it reads, and that it gets on.
#include <bitset>
#include <deque>
#include <vector>

#include "module.h"

using namespace module;

namespace
{
constexpr unsigned WORDS = (PORTS + 63) / 64;
constexpr unsigned STEP = 24; // cycles in which a round does the next thing
constexpr uint64_t TIME = ones(56);

using Lines = std::bitset<64 * WORDS>;

struct Group {
	bool enabled, stands; // stands: it is broken, or all that count have arrived
	Lines p, s;

	bool wants() const
	{
		return enabled && !stands && p != s;
	}
};

// A step of the pipeline, and the event that tells of it
struct Step {
	bool valid, slow, scans, drops, all_groups, all_ports, has_wants, wants, resets, runs,
		stops;
	unsigned group, port, flight;
	uint64_t mask;
};

// A read of a round
struct Flight {
	unsigned group, port;
	uint64_t due;
	bool dropped;
};

// The inputs and outputs of a cycle
struct Cycle {
	uint64_t number, now;
	bool running, reset, round, scan_ready, read_ready;
	uint32_t poll;
	Step event;
};

// What is around the module: the pipeline, whose steps show two cycles after they were chosen, and
// the reads of host memory
class World
{
      public:
	explicit World(Random &dice) : dice(dice), groups(GROUPS)
	{
		forget();
	}

	// The inputs of a cycle
	Cycle inputs()
	{
		if (!dice.below(1000))
			change_weather();
		in.event = computed;
		computed = chosen;
		chosen = {};
		in.running = in.event.runs || (in.running && !in.event.stops);
		in.reset = computed.resets;
		in.round = false;
		for (const Flight &flight : flights)
			in.round |= !flight.dropped;
		if (!dice.below(100))
			in.poll = storm ? 1u << 30 : 1000 + dice.below(3000);
		in.scan_ready = may_choose() && dice.percent(scans);
		in.read_ready = dice.percent(takes);
		return in;
	}

	// The end of the cycle: what the module was granted, else a step of another kind
	void advance(bool asks, unsigned group, unsigned index, bool reads, unsigned port)
	{
		const bool may = may_choose();

		show(in.event);
		if (reads && !in.reset)
			flights.push_back({ group, port, in.number + dice.below(latency), false });
		if (asks)
			scan(group, index);
		else if (may && !(dice.percent(60) && answer()) && dice.percent(events))
			choose();
		if (resting)
			resting--;
		in.number++;
		const uint64_t step = storm ? (1u << 30) - 1 - dice.below(9) : dice.below(pace) + 1;

		wraps += in.now + step > TIME;
		in.now = (in.now + step) & TIME;
		storm -= storm != 0;
	}

	// A reset of all, after which nothing is as it was
	void forget()
	{
		const uint64_t now = dice.percent(50) ? dice.word() : -dice.below(100000);
		const uint64_t number = in.number;

		for (Group &group : groups)
			group = {};
		in = {};
		in.number = number;
		in.now = now & TIME;
		in.poll = 1000;
		chosen = computed = {};
		flights.clear();
		running = false;
		resting = 20;
	}

	uint64_t wraps = 0;

      private:
	bool may_choose() const
	{
		return !computed.slow && !computed.resets && !resting;
	}

	void change_weather()
	{
		static const unsigned SHARES[] = { 5, 30, 80, 100, 100 };
		static const unsigned PACES[] = { 1, 3, 30, 100, 600, 2000, 2000 };

		scans = SHARES[dice.below(5)];
		takes = SHARES[dice.below(5)];
		events = SHARES[dice.below(3)];
		for (unsigned &group : favourites)
			group = dice.percent(40) ? GROUPS - 1 : dice.below(GROUPS);
		changes = dice.below(100);
		latency = 1 + dice.below(dice.percent(80) ? 30 : 600);
		pace = PACES[dice.below(7)];
		storm = dice.percent(50) ? 60 + 2 * GROUPS : 0;
	}

	// What follows from an event for the reads
	void show(const Step &event)
	{
		if (event.valid && event.flight)
			flights.erase(flights.begin() + event.flight - 1);
		for (Flight &flight : flights)
			if (event.drops && (event.all_groups || flight.group == event.group) &&
			    (event.all_ports || flight.port == event.port))
				flight.dropped = true;
	}

	void scan(unsigned group, unsigned index)
	{
		const Lines left =
			groups[group].enabled ? groups[group].p & ~groups[group].s : Lines();

		chosen = {};
		chosen.valid = chosen.scans = true;
		chosen.group = group;
		for (unsigned i = 0; i < 64; i++)
			chosen.mask |= (uint64_t)left[64 * index + i] << i;
	}

	// Only one answer at a time is under way, so a place among the flights stays right.
	bool answer()
	{
		if (flights.empty() || computed.flight)
			return false;
		const unsigned i = dice.below(flights.size());
		const Flight &flight = flights[i];
		Group &group = groups[flight.group];

		if (flight.due > in.number || in.event.flight)
			return false;
		chosen.flight = i + 1;
		chosen.valid = chosen.slow = true;
		chosen.group = flight.group;
		chosen.port = flight.port;
		if (!flight.dropped && running && group.wants() && group.p[flight.port] &&
		    dice.percent(40))
			arrive(group, flight.port);
		chosen.wants = group.wants();
		return true;
	}

	void arrive(Group &group, unsigned port)
	{
		group.s[port] = true;
		if (group.s == group.p)
			group.s.reset();
		chosen.has_wants = true;
	}

	void choose()
	{
		chosen = {};
		chosen.valid = true;
		chosen.group = favourites[dice.below(5)];
		chosen.port = dice.below(PORTS);
		Group &group = groups[chosen.group];

		if (running ? dice.below(computed.scans ? 500 : 5000) < changes : dice.percent(10))
			change_card();
		else if (!group.enabled || dice.below(400) < changes)
			change_group(group);
		else if (running && group.enabled)
			change_member(group);
		chosen.wants = groups[chosen.group].wants();
	}

	void change_card()
	{
		chosen.slow = true;
		if (dice.percent(30)) {
			// PRT_ADDR
			chosen.drops = chosen.all_groups = true;
		} else if (dice.percent(20)) {
			for (Group &group : groups)
				group = {};
			running = false;
			chosen.resets = chosen.stops = true;
			chosen.drops = chosen.all_groups = chosen.all_ports = true;
			resting = 16 + dice.below(40);
		} else {
			running = !running;
			chosen.runs = running;
			chosen.stops = chosen.drops = !running;
			chosen.all_groups = chosen.all_ports = true;
		}
	}

	void change_group(Group &group)
	{
		chosen.slow = chosen.has_wants = true;
		if (!group.enabled) {
			group = { true, false, {}, {} };
			for (unsigned i = 0; i < PORTS && dice.percent(70); i++)
				group.p[dice.percent(50) ? i : dice.below(PORTS)] = true;
		} else if (dice.percent(50)) {
			group = {};
			chosen.drops = chosen.all_ports = true;
		} else {
			group.stands = !group.stands;
			group.s.reset();
		}
	}

	void change_member(Group &group)
	{
		const unsigned what = dice.below(100);

		if (!group.p[chosen.port]) {
			if (what < 60) {
				group.p[chosen.port] = true;
				chosen.slow = chosen.has_wants = true;
			}
		} else if (what < 20) {
			group.p[chosen.port] = group.s[chosen.port] = false;
			chosen.slow = chosen.has_wants = chosen.drops = true;
			if (group.s == group.p)
				group.s.reset();
		} else if (what < 40) {
			// INIT
			group.s[chosen.port] = false;
			chosen.slow = chosen.has_wants = chosen.drops = true;
		} else if (what < 60 && !group.stands) {
			arrive(group, chosen.port);
		}
	}

	Random &dice;
	std::vector<Group> groups;
	Cycle in = {};
	Step chosen = {}, computed = {};
	std::deque<Flight> flights;
	bool running = false;
	unsigned resting = 0, scans = 50, takes = 50, events = 50, changes = 10, latency = 20;
	unsigned pace = 7, storm = 0, favourites[5] = {};
};

// A time and a CTL_POLL from which a round counts; from outside both are known within bounds only
// where a round begins as soon as the one before is over.
struct Bounds {
	uint64_t now[2];
	uint32_t poll[2];
};

// What holds of the module's outputs
class Rounds
{
      public:
	Rounds() : wants(GROUPS), wanted_since(GROUPS)
	{
	}

	void reset()
	{
		on = false;
		asking = awaits = reading = false;
		wants.assign(GROUPS, false);
		lines.reset();
	}

	void check(const Cycle &in, const Vtop &top)
	{
		const bool wanted = in.running && wants_any();

		drop(in.event);
		if (top.scan_valid_o)
			question(in, top.scan_group_o, top.scan_index_o);
		else if (asking)
			wrong("cycle %lu: a question is taken back", in.number);
		if (top.read_valid_o)
			line(in, top.read_group_o, top.read_port_o);
		idle(in, top, wanted);
		if (on)
			proceed(in, top);
		if (!wanted || in.reset)
			stop();
		else if (!on)
			start(in);
		note_wants(in);
	}

	uint64_t rounds = 0, questions = 0, reads = 0, dropped = 0, left = 0, stops = 0, waits = 0,
		 long_ones = 0, stale = 0, overrun = 0;

      private:
	bool wants_any() const
	{
		for (unsigned g = 0; g < GROUPS; g++)
			if (wants[g])
				return true;
		return false;
	}

	// The module learns of a group's wants at the end of the cycle.
	void note_wants(const Cycle &in)
	{
		const Step &event = in.event;

		before = wants;
		if (in.reset) {
			wants.assign(GROUPS, false);
		} else if (event.valid && event.has_wants) {
			if (event.wants && !wants[event.group])
				wanted_since[event.group] = in.number + 1;
			wants[event.group] = event.wants;
		}
	}

	// No round goes on; the first one comes CTL_POLL ns from now.
	void start(const Cycle &in)
	{
		on = true;
		since = { { in.now, in.now }, { in.poll, in.poll } };
		group = GROUPS - 1;
		word = WORDS - 1;
		is_over = true;
		quiet = GROUPS + STEP;
		begun = in.number;
		may = must = passed[0] = passed[1] = false;
	}

	void stop()
	{
		stops += on && !is_over;
		stale += awaits;
		on = asking = awaits = reading = false;
		lines.reset();
	}

	void drop(const Step &event)
	{
		if (!event.valid || !event.drops || (!event.all_groups && event.group != group))
			return;
		if (event.all_ports) {
			dropped += lines.any();
			lines.reset();
		} else if (!event.all_groups && event.port / 64 == word) {
			dropped += lines[event.port % 64];
			lines[event.port % 64] = false;
		}
	}

	// Groups that wanted all the time since then cannot be passed over.
	void pass(unsigned from, unsigned to, uint64_t cycle)
	{
		for (unsigned g = from; g < to; g++)
			if (wants[g] && wanted_since[g] <= cycle)
				wrong("a round passes over group %u", g);
	}

	void question(const Cycle &in, unsigned g, unsigned index)
	{
		if (asking) {
			if (g != group || index != word)
				wrong("cycle %lu: a question changes", in.number);
		} else if (!on || g >= GROUPS || index >= WORDS) {
			wrong("cycle %lu: a question for word %u of group %u", in.number, index, g);
			return;
		} else {
			new_question(in, g, index);
		}
		asking = !in.scan_ready;
		awaits = in.scan_ready;
	}

	void new_question(const Cycle &in, unsigned g, unsigned index)
	{
		const bool again = !is_over && g == group;

		questions++;
		if (awaits || reading)
			wrong("cycle %lu: a question before the last one is done with", in.number);
		if (!before[g])
			wrong("cycle %lu: a question for a group that wants nothing", in.number);
		if (index != (again ? word + 1 : 0))
			wrong("cycle %lu: word %u after word %u", in.number, index, word);
		if (!again && !is_over)
			wrong("cycle %lu: a group is left early", in.number);
		if (!again && g <= group && begun_group) {
			// of a round that began at once
			if (!may || in.number < may_since + 2 + g)
				wrong("cycle %lu: a round begins too early", in.number);
			pass(group + 1, GROUPS, left_at);
			pass(0, g, may_since);
			begin(in);
		} else if (!again) {
			if (in.number < begun + 2 + g)
				wrong("cycle %lu: a round begins too early", in.number);
			pass(begun_group ? group + 1 : 0, g, left_at);
			if (may && begun_group) {
				// perhaps of a new one
				since.now[1] = in.now;
				since.poll[0] = std::min(since.poll[0], window.poll[0]);
				since.poll[1] = std::max(since.poll[1], window.poll[1]);
				passed[1] = false;
			}
		}
		group = g;
		word = index;
		begun_group = true;
		is_over = false;
	}

	// A round has begun: now, or, if must is not known, since it may.
	void begin(const Cycle &in)
	{
		rounds++;
		long_ones += ((in.now - since.now[0]) & TIME) >> 33 != 0;
		overrun += !must;
		since.now[0] = window.now[0];
		since.now[1] = in.now;
		since.poll[0] = window.poll[0];
		since.poll[1] = window.poll[1];
		begun = left_at = may_since;
		may = must = passed[0] = passed[1] = false;
	}

	void line(const Cycle &in, unsigned g, unsigned port)
	{
		if (!on || !reading || g != group || port / 64 != word || !lines[port % 64]) {
			wrong("cycle %lu: the line of port %u in group %u", in.number, port, g);
			return;
		}
		for (unsigned i = 0; i < port % 64; i++)
			if (lines[i])
				wrong("cycle %lu: port %u before port %u", in.number, port,
				      64 * word + i);
		if (in.read_ready) {
			lines[port % 64] = false;
			reads++;
		}
	}

	// In a simulation nothing need be done while the module is idle.
	void idle(const Cycle &in, const Vtop &top, bool wanted)
	{
		bool expected;

		if (!on) {
			expected = !wanted;
		} else if (top.scan_valid_o || awaits || !wanted) {
			expected = false;
		} else if (top.read_valid_o) {
			expected = !in.read_ready;
		} else if (is_over && quiet >= GROUPS + STEP) {
			// Here both bounds are the same, but after rounds that began at once.
			if (is_due(in, 0) != is_due(in, 1))
				return;
			expected = !is_due(in, 0);
		} else {
			return;
		}
		if (top.idle_o != expected)
			wrong("cycle %lu: idle is %u", in.number, top.idle_o);
	}

	// Whether CTL_POLL has passed, by the lower or the upper bounds, and no answer is awaited
	bool is_due(const Cycle &in, unsigned bound)
	{
		return has_passed(in, bound) && !in.round;
	}

	bool has_passed(const Cycle &in, unsigned bound) const
	{
		return passed[bound] || ((in.now - since.now[bound]) & TIME) >= since.poll[bound];
	}

	void proceed(const Cycle &in, const Vtop &top)
	{
		const bool acts = top.scan_valid_o || top.read_valid_o || awaits;

		for (unsigned bound = 0; bound < 2; bound++)
			passed[bound] = has_passed(in, bound);
		if (acts) {
			quiet = 0;
			left_at = in.number;
			may = false;
		} else {
			quiet++;
		}
		follow(in);
		if (!acts)
			expect_progress(in);
		if (is_over && !acts)
			expect_round(in);
	}

	// The answer to a question, and the end of a word or group
	void follow(const Cycle &in)
	{
		if (awaits && in.event.valid && in.event.scans) {
			awaits = false;
			reading = true;
			for (unsigned i = 0; i < 64; i++)
				lines[i] = in.event.mask >> i & 1;
			return;
		}
		if (!asking && !awaits && !is_over && !wants[group]) {
			left += lines.any();
			lines.reset();
			is_over = true;
		}
		if (reading && lines.none()) {
			reading = false;
			is_over |= word == WORDS - 1;
		}
	}

	void expect_progress(const Cycle &in)
	{
		if (quiet > STEP && (reading || (!is_over && wants[group])))
			wrong("cycle %lu: the round stands still in group %u", in.number, group);
		if (quiet == GROUPS + STEP)
			pass(begun_group ? group + 1 : 0, GROUPS, left_at);
	}

	// When a round may begin, and when it must have begun
	void expect_round(const Cycle &in)
	{
		if (!is_due(in, 0)) {
			waits += has_passed(in, 0);
			return;
		}
		if (!may) {
			may = true;
			may_since = in.number;
			window = { { in.now, in.now }, { in.poll, in.poll } };
		}
		window.poll[0] = std::min(window.poll[0], in.poll);
		window.poll[1] = std::max(window.poll[1], in.poll);
		must = quiet >= GROUPS + STEP && is_due(in, 1);
		if (!must)
			return;
		begin(in);
		begun_group = false;
		quiet = 0;
	}

	bool on = false;
	Bounds since = {}, window = {}; // of the round that goes on, of the one that may begin
	bool may = false, must = false; // a round may, or must have begun
	bool passed[2] = {};		// CTL_POLL has
	uint64_t may_since = 0, begun = 0, left_at = 0, quiet = 0;
	std::vector<bool> wants, before;
	std::vector<uint64_t> wanted_since;
	unsigned group = 0, word = 0; // of the last question
	bool begun_group = true;      // there was one in this round
	bool is_over = true;	      // that group is done with
	bool asking = false, awaits = false, reading = false;
	std::bitset<64> lines; // that are still to be read
};

// The event of a cycle as the module sees it; what it does not name is anything.
uint64_t event_of(const Step &step, Random &dice)
{
	uint64_t event = dice.word() & ones(rtl::event::width);

	if (!step.valid)
		return event;
	set(event, rtl::event::group, step.group);
	set(event, rtl::event::port, step.port);
	set(event, rtl::event::drops, step.drops);
	set(event, rtl::event::drops_groups, step.all_groups);
	set(event, rtl::event::drops_ports, step.all_ports);
	set(event, rtl::event::has_wants, step.has_wants);
	set(event, rtl::event::wants, step.wants);
	set(event, rtl::event::scans, step.scans);
	return event;
}

void drive(Vtop &top, const Cycle &in, Random &dice)
{
	top.now_i = in.now;
	top.running_i = in.running;
	top.poll_i = in.poll;
	top.reset_i = in.reset;
	top.event_valid_i = in.event.valid;
	top.event_i = event_of(in.event, dice);
	top.scan_i = in.event.scans ? in.event.mask : dice.word();
	top.scan_ready_i = in.scan_ready;
	top.read_ready_i = in.read_ready;
	top.round_i = in.round;
	top.eval();
}
} // namespace

int main(int argc, char **argv)
{
	const uint64_t cycles = cycles_of(argc, argv);
	Random dice;
	World world(dice);
	Rounds rounds;
	uint64_t resets = 0;
	Vtop top;

	reset(top);
	for (uint64_t cycle = 0; cycle < cycles; cycle++) {
		if (!dice.below(4000)) {
			reset(top);
			world.forget();
			rounds.reset();
			resets++;
		}
		const Cycle in = world.inputs();

		drive(top, in, dice);
		rounds.check(in, top);
		const bool asks = top.scan_valid_o && in.scan_ready;

		world.advance(asks, asks ? top.scan_group_o : top.read_group_o, top.scan_index_o,
			      top.read_valid_o && in.read_ready, top.read_port_o);
		tick(top);
	}
	met("rounds", rounds.rounds);
	met("questions", rounds.questions);
	met("lines read", rounds.reads);
	met("lines of members that left, and groups that were disabled", rounds.dropped);
	met("groups that wanted no more while their lines were read", rounds.left);
	met("rounds that ended early", rounds.stops);
	met("answers to questions of such rounds", rounds.stale);
	met("cycles in which a round waited for answers", rounds.waits);
	met("rounds after 2^33 ns", rounds.long_ones);
	met("rounds that began as soon as the one before was over", rounds.overrun);
	met("times that began anew at 0", world.wraps);
	met("resets", resets);
	result("rounds of " + std::to_string(PORTS) + " ports and " + std::to_string(GROUPS) +
	       " groups read each line in its time");
	return failures != 0;
}
