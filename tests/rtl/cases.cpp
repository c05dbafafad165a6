/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases that random accesses meet seldom, after these: each begins with a card that was just reset.
 */
#include "bench.h"

namespace hbs
{
namespace
{
constexpr uint64_t TIMEOUT = 20000;
constexpr uint64_t JUMP = 30000; /* ns that go by in one cycle */
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
	return try_timer() && try_results() && try_break();
}
} // namespace hbs
