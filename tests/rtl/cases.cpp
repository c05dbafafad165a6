/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases that random accesses meet seldom, after these: each begins with a card that was just reset.
 */
#include "bench.h"

#include <algorithm>
#include <cstdio>

namespace hbs
{
namespace
{
constexpr uint64_t TIMEOUT = 20000;
constexpr uint32_t POLL = 2000;	 /* ns from round to round */
constexpr uint64_t JUMP = 30000; /* ns that go by in one cycle */
constexpr unsigned STEP = 4;	 /* ns in a cycle */
constexpr uint64_t LATE = 20000; /* cycles until the timer must have expired */
constexpr unsigned DELAYS = 48;	 /* cycles between two arrivals, at most */
constexpr uint64_t OPERAND = 5;	 /* of every second epoch; the others have 0 */

Access store(uint32_t offset, uint64_t datum)
{
	Access access = Stimulus::write(offset, datum, 8);

	access.lane = true;
	return access;
}
} // namespace

/* Group 0 of the kind that CTRL names, with this many seats and records; port 0 joins it. */
bool Bench::start_group(uint32_t ctrl, unsigned seats, unsigned records, uint64_t timeout)
{
	const auto set = [this](uint32_t offset, uint64_t value, unsigned size) {
		extra.push_back(Stimulus::write(Stimulus::of_group(0, offset), value, size));
	};

	extra.push_back(Stimulus::write(HBSR_CTL_CTRL, HBSR_CTL_CTRL_ENABLE, 4));
	for (unsigned i = 0; i < records; i++)
		set(HBSR_GRP_RECORD_ADDR(i), host.new_record(0), 8);
	set(HBSR_GRP_RECORDS, records, 4);
	set(HBSR_GRP_VACANT, seats, 4);
	if (timeout)
		set(HBSR_GRP_TIMEOUT, timeout, 8);
	set(HBSR_GRP_CTRL, HBSR_GRP_CTRL_ENABLE | ctrl, 4);
	if (!drain())
		return false;
	set(HBSR_GRP_COMMAND, HBSR_OP_JOIN, 4);
	return drain();
}

/* Time goes by between the cycle that takes an arrival and its step, which starts the timer. */
bool Bench::try_timer()
{
	const uint64_t end = cycle + LATE;

	if (!(model.parameters.features & HBSR_FEATURE_TIMEOUT) || model.parameters.ports < 2)
		return true;
	if (!start_group(0, 2, 1, TIMEOUT))
		return false;
	extra.push_back(store(HBSR_LANE_ARRIVAL, 0));
	while (wrong.empty() && (!extra.empty() || has_request))
		cycle_once();
	now += JUMP;
	while (wrong.empty() && !model.group[0].expired && cycle < end)
		cycle_once();
	if (!model.group[0].expired)
		fail("the timer does not expire");
	return reset();
}

/*
 * The timers of all groups but one run out while every tag has an answer and the host writes
 * PRT_ADDR again and again, each of which goes through all groups.
 */
bool Bench::try_late()
{
	constexpr uint64_t WANTED = HBSR_FEATURE_TIMEOUT | HBSR_FEATURE_POLL_ARRIVAL;
	const Parameters &p = model.parameters;
	const unsigned free = p.ports - 1; /* a port that no group has */
	const unsigned lines = std::min(free, p.tags), words = (p.ports + 63) / 64;
	/* The longest sequence, a turn of the scanner, and the expiries one after the other */
	const uint64_t bound = std::max(6 * p.groups, p.ports + 10 * words + 12) + p.groups +
			       p.groups * (words + 6) + 8;
	uint64_t latest = 0;
	bool run;

	if ((p.features & WANTED) != WANTED || !lines || p.groups < 2)
		return true;
	const auto move = [this](unsigned port, uint64_t addr) {
		extra.push_back(Stimulus::write(HBSR_PRT_BASE + port * HBSR_PRT_STRIDE, addr, 8));
	};
	const auto set = [this](unsigned g, uint32_t offset, uint64_t value, unsigned size) {
		extra.push_back(Stimulus::write(Stimulus::of_group(g, offset), value, size));
	};

	extra.push_back(Stimulus::write(HBSR_CTL_POLL, POLL, 4));
	for (unsigned port = 0; port < lines; port++)
		move(port, host.new_memory(port));
	if (!start_group(HBSR_ARRIVAL_POLL << HBSR_GRP_CTRL_ARRIVAL_SHIFT, lines, 0, 0))
		return false;
	for (unsigned port = 1; port < lines; port++) {
		set(0, HBSR_GRP_COMMAND, HBSR_OP_JOIN | port << HBSR_GRP_COMMAND_ARG_SHIFT, 4);
		if (!drain())
			return false;
	}
	for (unsigned g = 1; g < p.groups; g++) {
		set(g, HBSR_GRP_VACANT, 1 + !!free, 4);
		set(g, HBSR_GRP_TIMEOUT, TIMEOUT, 8);
		set(g, HBSR_GRP_CTRL, HBSR_GRP_CTRL_ENABLE, 4);
		if (!drain())
			return false;
		set(g, HBSR_GRP_COMMAND, HBSR_OP_JOIN, 4);
	}
	if (!drain())
		return false;
	calm = false;
	weather = {};
	weather.step = STEP;
	for (unsigned g = 1; g < p.groups; g++)
		extra.push_back(store(g * HBSR_LANE_STRIDE + HBSR_LANE_ARRIVAL, 0));
	while (wrong.empty() && (!extra.empty() || has_request || !model.group[1].timer))
		cycle_once();
	/* Answers wait for the moment before. */
	while (wrong.empty() && now < model.group[1].timer_since + TIMEOUT - STEP * p.tags) {
		for (Flight &flight : flights)
			if (flight.busy && !flight.answered)
				flight.due = UINT64_MAX;
		cycle_once();
	}
	for (Flight &flight : flights)
		flight.due = std::min(flight.due, cycle);
	const uint64_t addr = host.new_memory(free);

	do {
		move(free, addr);
		cycle_once();
		run = false;
		for (unsigned g = 1; g < p.groups; g++) {
			const Group &group = model.group[g];

			if (!group.timer)
				continue;
			run = true;
			if (now > group.timer_latest + TIMEOUT)
				latest = std::max(latest,
						  (now - group.timer_latest - TIMEOUT) / STEP);
		}
	} while (wrong.empty() && run);
	extra.clear();
	printf("# %u groups expire up to %llu cycles late, of %llu\n", p.groups - 1,
	       (unsigned long long)latest, (unsigned long long)bound);
	if (latest > bound)
		fail("a timer expires %llu cycles late", (unsigned long long)latest);
	return reset();
}

/*
 * An epoch has the result of the one before the last, whose records the card still writes: what a
 * record shows next may be of the epoch between them.
 */
bool Bench::try_results()
{
	constexpr uint64_t WANTED = HBSR_FEATURE_REFUTABLE | HBSR_FEATURE_REDUCE;
	constexpr uint32_t CTRL = HBSR_TYPE_REFUTABLE << HBSR_GRP_CTRL_TYPE_SHIFT |
				  HBSR_REDUCE_SUM << HBSR_GRP_CTRL_REDUCE_SHIFT;

	if ((model.parameters.features & WANTED) != WANTED)
		return true;
	if (!start_group(CTRL, 1, model.parameters.records, 0))
		return false;
	for (unsigned delay = 0; delay < DELAYS; delay++) {
		extra.push_back(store(HBSR_LANE_ARRIVAL, 0));
		extra.push_back(store(HBSR_LANE_OPERAND, OPERAND));
		extra.push_back(store(HBSR_LANE_ARRIVAL, 0));
		extra.push_back(store(HBSR_LANE_OPERAND, 0));
		for (unsigned i = 0; i < delay; i++)
			cycle_once();
		extra.push_back(store(HBSR_LANE_ARRIVAL, 0));
		if (!drain())
			return false;
	}
	return reset();
}

/* A write that was due when the card was disabled fails: the group raises its interrupt then. */
bool Bench::try_break()
{
	const uint64_t end = cycle + LATE;

	if (!start_group(0, 1, 1, 0))
		return false;
	calm = false;
	weather = {};
	weather.step = 4;
	weather.tx_stall = 100;
	extra.push_back(store(HBSR_LANE_ARRIVAL, 0));
	extra.push_back(Stimulus::write(Stimulus::of_group(0, HBSR_GRP_ARM),
					(uint32_t)(model.group[0].epoch + 1), 4));
	extra.push_back(Stimulus::write(HBSR_CTL_CTRL, 0, 4));
	while (wrong.empty() && model.running() && cycle < end)
		cycle_once();
	weather.tx_stall = 0;
	weather.refusals = 1;
	while (wrong.empty() && !model.group[0].broken && cycle < end)
		cycle_once();
	if (!model.group[0].broken)
		fail("a write fails, and no group breaks");
	if (!model.raises_wait())
		fail("a group that was armed breaks, and raises nothing");
	return reset();
}

bool Bench::cases()
{
	return try_timer() && try_late() && try_results() && try_break();
}
} // namespace hbs
