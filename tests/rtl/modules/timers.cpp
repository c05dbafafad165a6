// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_timers with a pipeline that starts and stops timers at random, and lets those expire that it
// is asked for: no timer expires early or when it does not run, and each that is due has its turn.
#include <algorithm>
#include <vector>

#include "module.h"

using namespace module;

namespace
{
constexpr uint64_t TIME = ones(56);
// Cycles: a turn of the scanner, what each timer that is found costs, and some for those that are
// found and stopped before it is seen from outside
constexpr unsigned TURN = GROUPS, FOUND = 3, SLACK = 8;

struct Timer {
	bool runs;
	uint64_t deadline;
	uint64_t started; // the cycle
	unsigned late;	  // for so many cycles it could have been found, and was not
	unsigned others;  // that were found meanwhile
};

class Bench
{
      public:
	explicit Bench(Random &dice) : dice(dice), timers(GROUPS)
	{
		restart();
	}

	void run(uint64_t cycles)
	{
		for (cycle = 0; cycle < cycles; cycle++) {
			if (!dice.below(5000))
				restart();
			if (!dice.below(300))
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
		met("timers that started", starts);
		met("timers that were stopped", stops);
		met("timers that expired", expiries);
		met("questions for a timer that had begun anew meanwhile", anew);
		met("questions that a step took back", taken_back);
		met("cycles in which a quarter of the timers were due", all_due);
		met("times that the card was enabled while timers ran", resumes);
		met("times that began anew at 0", wraps);
		met("resets", restarts);
		printf("# a timer that is due is found after up to %u cycles\n", latest);
	}

      private:
	void restart();
	void change_weather();
	void inputs();
	void write(unsigned group, bool runs, bool starts);
	void resume();
	void step();
	void look();
	void look_at_question();
	void look_at_answer();
	void advance();
	void advance_time();
	bool is_due(const Timer &timer) const
	{
		return !((now - timer.deadline) >> 55 & 1);
	}

	Random &dice;
	Vtop top;
	std::vector<Timer> timers;
	uint64_t cycle = 0, now = 0;
	bool running = false, asked = false;
	unsigned asks = 0;	    // the group of the question that was taken in the cycle before
	unsigned expiring = GROUPS; // the group of the sequence that goes on
	unsigned resuming = GROUPS; // the next group of the sequence that enables the card
	unsigned clearing = GROUPS; // the next group of a reset
	unsigned busy = 0;	    // cycles until the sequence is over
	bool was_valid = false;	    // a question was asked, and not taken
	unsigned was_group = 0;
	uint64_t valid_since = 0;
	unsigned readies = 50, steps = 50, pace = 4, longest = 100;
	bool all = false;

	uint64_t starts = 0, stops = 0, expiries = 0, anew = 0, taken_back = 0, all_due = 0,
		 resumes = 0, wraps = 0, restarts = 0;
	unsigned latest = 0;
};

void Bench::restart()
{
	restarts++;
	for (Timer &timer : timers)
		timer = {};
	now = (dice.percent(50) ? dice.word() : -dice.below(20000)) & TIME;
	running = asked = was_valid = false;
	expiring = resuming = clearing = GROUPS;
	busy = 0;
	top.write_i = top.ready_i = top.running_i = 0;
	reset(top);
}

void Bench::change_weather()
{
	static const unsigned SHARES[] = { 5, 50, 90, 100 };
	static const unsigned PACES[] = { 1, 4, 20 };

	readies = SHARES[dice.below(4)];
	steps = SHARES[dice.below(4)];
	pace = PACES[dice.below(3)];
	longest = 1 + dice.below(dice.percent(50) ? 40 : 5000);
	// the same time to all of them: they run out together
	all = dice.percent(30);
}

// What hbs_core writes in the cycle in which a step is computed
void Bench::write(unsigned group, bool runs, bool begins)
{
	top.write_i = 1;
	top.group_i = group;
	top.timing_i = runs;
	top.starts_i = begins;
	top.deadline_i = begins ? (now + (all ? longest : 1 + dice.below(longest))) & TIME
				: dice.word() & TIME;
}

void Bench::inputs()
{
	top.now_i = now;
	top.running_i = running;
	top.write_i = 0;
	top.group_i = dice.below(GROUPS);
	top.timing_i = dice.percent(50);
	top.starts_i = dice.percent(50);
	top.deadline_i = dice.word() & TIME;
	// nothing is chosen while a sequence goes on
	top.ready_i = !busy && clearing == GROUPS && resuming == GROUPS && dice.percent(readies);
	if (clearing < GROUPS)
		write(clearing, false, false);
	else if (resuming < GROUPS)
		resume();
	else if (busy == 1 && expiring < GROUPS)
		write(expiring, false, false);
	else if (!busy && !asked && dice.percent(steps))
		step();
}

// In every other cycle a step for one group; one that is not enabled is left as it is.
void Bench::resume()
{
	const bool runs = timers[resuming].runs;

	if (cycle % 2 && (runs || dice.percent(50)))
		write(resuming, runs, runs);
}

// A step of some group: it starts or stops its timer, or leaves it as it is.
void Bench::step()
{
	const unsigned group = was_valid && dice.percent(20) ? was_group : dice.below(GROUPS);
	const bool runs = timers[group].runs;

	if (dice.percent(runs ? 10 : 60))
		write(group, !runs, !runs);
	else
		write(group, runs, false);
}

void Bench::look()
{
	unsigned due = 0;

	look_at_question();
	look_at_answer();
	for (Timer &timer : timers) {
		const bool waits = timer.runs && running && is_due(timer) && clearing == GROUPS;

		due += waits;
		if (!waits || (top.valid_o && top.group_o == &timer - timers.data()))
			timer.late = timer.others = 0;
		else if (!top.valid_o || top.ready_i)
			timer.late++;
		if (timer.late > TURN + SLACK + FOUND * std::min<unsigned>(timer.others, GROUPS)) {
			wrong("cycle %lu: the timer of group %lu is not found", cycle,
			      &timer - timers.data());
			timer.late = 0;
		}
		latest = std::max(latest, timer.late);
	}
	all_due += 4 * due >= GROUPS;
}

void Bench::look_at_question()
{
	const unsigned group = top.group_o;

	if (was_valid && !top.valid_o) {
		taken_back += running;
		if (running && timers[was_group].runs)
			wrong("cycle %lu: a question is taken back", cycle);
	}
	if (!top.valid_o)
		return;
	if (was_valid && group != was_group)
		wrong("cycle %lu: a question for another group", cycle);
	if (!was_valid) {
		valid_since = cycle;
		for (Timer &timer : timers)
			timer.others++;
	}
	if (group >= GROUPS || !running || !timers[group].runs) {
		wrong("cycle %lu: a question for a timer that does not run", cycle);
		return;
	}
	// the scanner looked at it two cycles before
	if (!is_due(timers[group]) && timers[group].started + 2 < valid_since)
		wrong("cycle %lu: a question for a timer that is not due", cycle);
}

// In the cycle after a question was taken
void Bench::look_at_answer()
{
	if (!asked)
		return;
	const Timer &timer = timers[asks];

	// a step has stopped it meanwhile, and may have begun it anew
	if (!timer.runs || !running)
		return;
	if (top.is_due_o != is_due(timer))
		wrong("cycle %lu: the timer of group %u is %sdue", cycle, asks,
		      top.is_due_o ? "not " : "");
	anew += !is_due(timer);
}

void Bench::advance()
{
	const bool expires = asked && running && timers[asks].runs && top.is_due_o;

	busy -= busy != 0;
	if (!busy)
		expiring = GROUPS;
	if (top.write_i) {
		Timer &timer = timers[top.group_i];

		stops += timer.runs && !top.timing_i;
		if (top.starts_i) {
			timer.deadline = top.deadline_i;
			timer.started = cycle;
			starts++;
		}
		timer.runs = top.timing_i;
	}
	if (clearing < GROUPS)
		clearing++;
	if (resuming < GROUPS && cycle % 2)
		resuming++;
	if (expires) {
		expiries++;
		expiring = asks;
		busy = 2 + dice.below(20);
	}
	was_valid = top.valid_o && !top.ready_i;
	was_group = top.group_o;
	asked = top.valid_o && top.ready_i;
	asks = top.group_o;
	// the card is enabled or disabled, or a reset begins
	if (!asked && !busy && clearing == GROUPS && resuming == GROUPS &&
	    dice.below(running ? 600 : 50) == 0) {
		running = !running;
		resuming = running ? 0 : GROUPS;
		for (const Timer &timer : timers)
			resumes += running && timer.runs;
		if (!running && dice.percent(30))
			clearing = 0;
	}
	advance_time();
}

void Bench::advance_time()
{
	const uint64_t step = dice.below(3000) ? dice.below(pace) + 1 : dice.below(1ull << 47);

	wraps += now + step > TIME;
	now = (now + step) & TIME;
}
} // namespace

int main(int argc, char **argv)
{
	const uint64_t cycles = cycles_of(argc, argv);
	Random dice;
	Bench bench(dice);

	bench.run(cycles);
	bench.print();
	result("timers of " + std::to_string(GROUPS) + " groups expire in time");
	return failures != 0;
}
