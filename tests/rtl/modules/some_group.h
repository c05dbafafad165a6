/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A group of the model in a state at random that the section "State of a group" allows. States at
 * the edge are more likely than others: one arrival is missing, a count is at its limit.
 */
#ifndef MODULES_SOME_GROUP_H
#define MODULES_SOME_GROUP_H

#include "model.h"
#include "results.h"

namespace module
{
class SomeGroup
{
      public:
	SomeGroup(hbs::Model &model, results::Random &dice)
	    : model(model), group(model.group[0]), dice(dice), ports(model.parameters.ports)
	{
		choose_modes();
		choose_numbers();
		if (!model.enabled(group))
			return;
		choose_members();
		choose_status();
		if (!group.broken)
			choose_arrivals();
		choose_operation();
		group.timer = model.running() && group.timeout && group.arrived && !group.expired;
	}

      private:
	hbs::Model &model;
	hbs::Group &group;
	results::Random &dice;
	const unsigned ports;

	static void put(hbs::Mask &mask, unsigned i)
	{
		mask[i / 64] |= 1ull << i % 64;
	}

	void choose_modes()
	{
		group.ctrl = dice.percent(90) * HBSR_GRP_CTRL_ENABLE;
		if (dice.percent(40))
			group.ctrl |= HBSR_TYPE_REFUTABLE << HBSR_GRP_CTRL_TYPE_SHIFT;
		else
			group.ctrl |= dice.percent(40) << HBSR_GRP_CTRL_COMPLETION_SHIFT |
				      dice.percent(40) << HBSR_GRP_CTRL_ARRIVAL_SHIFT;
		group.ctrl |= dice.percent(40) << HBSR_GRP_CTRL_DEPARTURE_SHIFT |
			      dice.percent(50) << HBSR_GRP_CTRL_POLICY_SHIFT;
		if (dice.percent(60))
			group.ctrl |= dice.below(HBSR_REDUCE_VOTE + 1)
				      << HBSR_GRP_CTRL_REDUCE_SHIFT;
	}

	void choose_numbers()
	{
		const uint64_t last = (1ull << 48) - 1;

		group.epoch = dice.percent(10) ? last - dice.below(2) : 1 + dice.word() % last;
		group.vacant = dice.percent(50) ? 0 : dice.below(std::min(ports, 3u) + 1);
		group.vector = dice.below(hbs::VECTORS);
		group.records = dice.percent(30) ? 0 : dice.below(17);
		group.count = dice.percent(10) ? 0xffff - dice.below(2) : dice.below(ports + 1);
		group.timeout = dice.percent(30)   ? 0
				: dice.percent(10) ? last
						   : dice.below(1u << dice.below(32));
		for (uint64_t &address : model.port_addr)
			address = dice.percent(80) ? dice.word() & -(uint64_t)128 : 0;
		for (uint64_t &operand : group.operand)
			operand = dice.percent(30) ? dice.below(3) : dice.word();
	}

	void choose_members()
	{
		const unsigned most[] = { 1, 2, 3, ports / 2, ports };
		const unsigned amount = dice.percent(10) ? 0 : most[dice.below(5)];

		for (unsigned i = 0; i < ports; i++)
			if (dice.below(ports - i) <
			    (amount > group.members ? amount - group.members : 0)) {
				put(group.p, i);
				group.members++;
			}
		group.vacant = std::min(group.vacant, ports - group.members);
	}

	void choose_status()
	{
		const unsigned reduction = model.reduction(group);

		group.broken = dice.percent(15);
		group.reason = group.broken ? 1 + dice.below(7) : 0;
		group.armed = !group.broken && dice.percent(40);
		group.expired = group.timeout && dice.percent(20);
		group.sum = hbs::identity(reduction);
		if (reduction && dice.percent(70))
			group.result = dice.word();
		if (!model.refutable(group))
			return;
		group.black = dice.percent(30);
		group.vote = dice.below(4);
		group.balance =
			dice.percent(50) ? (int64_t)dice.below(3) - 1 : (int64_t)dice.word() >> 16;
	}

	/* Some members have arrived, mostly all but one or two; but the group is not complete. */
	void choose_arrivals()
	{
		const unsigned lacks = dice.percent(70) ? dice.below(3) : dice.below(ports + 1);
		unsigned left = lacks < group.members ? group.members - lacks : 0;

		for (unsigned i = dice.below(ports), n = 0; n < ports; n++, i = (i + 1) % ports) {
			if (!hbs::bit(group.p, i) || !left)
				continue;
			put(group.s, i);
			if (model.refutable(group) && dice.percent(90))
				put(group.v, i);
			group.present++;
			left--;
		}
		group.arrived = group.present;
		if (model.counts(group))
			choose_count();
		if (is_complete())
			avoid();
		if (model.reduction(group) && !model.refutable(group) && dice.percent(90))
			group.sum = dice.word();
	}

	void choose_count()
	{
		if (!model.polls(group) && group.present)
			group.arrived += dice.below(3);
		if (dice.percent(80) || group.count < group.arrived)
			group.count =
				group.arrived + (group.vacant ? dice.percent(30) : dice.below(3));
		/* The seat that is vacant is all that is missing. */
		if (group.vacant && dice.percent(60))
			group.vacant = 1;
	}

	bool is_complete() const
	{
		if (group.vacant || !group.members)
			return false;
		return model.counts(group) ? group.count && group.arrived == group.count
					   : group.present == group.members && !group.balance;
	}

	void avoid()
	{
		if (model.counts(group))
			group.count++;
		else if (model.refutable(group))
			group.balance = dice.percent(50) ? 1 : -1;
		else if (group.members < ports)
			group.vacant = 1;
		else
			forget();
	}

	void forget()
	{
		group.s = {};
		group.v = {};
		group.present = group.arrived = 0;
	}

	/* A member or another port, if there is one */
	unsigned find(bool member)
	{
		unsigned i = dice.below(ports);

		for (unsigned n = 0; n < ports && hbs::bit(group.p, i) != member; n++)
			i = (i + 1) % ports;
		return i;
	}

	void choose_operation()
	{
		group.operation = dice.percent(50) ? hbs::Operation::NONE
						   : (hbs::Operation)(1 + dice.below(3));
		group.operation_port = find(group.operation == hbs::Operation::LEAVING);
		group.begun = model.running();
		group.checks = 1;
		group.failed = dice.percent(20);
		const bool is_member = hbs::bit(group.p, group.operation_port);

		if (group.operation == hbs::Operation::ENABLING) {
			group.checks = group.begun ? 1 + dice.below(3) : group.records;
			group.p = {};
			forget();
			group.members = 0;
			group.operation_port = hbs::NOBODY;
			if (!group.records && group.begun)
				group.operation = hbs::Operation::NONE;
		} else if (group.operation == hbs::Operation::JOINING) {
			if (is_member || !(model.polls(group) || model.ports_have_records(group)) ||
			    (model.counts(group) && !group.vacant && group.count == 0xffff) ||
			    group.vacant + group.members > ports)
				group.operation = hbs::Operation::NONE;
		} else if (!model.polls(group) || !is_member) {
			group.operation = hbs::Operation::NONE;
		}
	}
};
} // namespace module
#endif
