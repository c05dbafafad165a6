/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memories that hbs_core has of one group, and how they are to be by the model of the
 * specification: the row, the words of the masks, the operands and the result.
 */
#ifndef MODULES_GROUP_H
#define MODULES_GROUP_H

#include <vector>

#include "model.h"
#include "module.h"

namespace module
{
constexpr unsigned MASK_WORDS = 16;

struct Rows {
	VlWide<11> row;
	uint64_t p[MASK_WORDS], s[MASK_WORDS], v[MASK_WORDS], missing[MASK_WORDS], result;
	std::vector<uint64_t> operand;

	uint64_t get(rtl::Field field) const
	{
		return module::get(row, field);
	}
	void set(rtl::Field field, uint64_t value)
	{
		module::set(row, field, value);
	}
};

/* Where a field of the row stands for a number of the model */
struct Meaning {
	const char *name;
	rtl::Field field;
	uint64_t value;
};

/* Those that every row has, and those that only the row of an enabled group has */
inline std::vector<Meaning> meanings(const hbs::Group &group)
{
	using namespace rtl;
	const uint32_t ctrl = group.ctrl;
	const auto part = [ctrl](uint32_t mask) { return (ctrl & mask) / (mask & -mask); };
	std::vector<Meaning> list = {
		{ "enable", row::enable, part(HBSR_GRP_CTRL_ENABLE) },
		{ "type", row::refutable, part(HBSR_GRP_CTRL_TYPE) },
		{ "completion", row::counting, part(HBSR_GRP_CTRL_COMPLETION) },
		{ "arrival", row::polling, part(HBSR_GRP_CTRL_ARRIVAL) },
		{ "departure", row::port_record, part(HBSR_GRP_CTRL_DEPARTURE) },
		{ "reduce", row::reduce, part(HBSR_GRP_CTRL_REDUCE) },
		{ "policy", row::notify, part(HBSR_GRP_CTRL_POLICY) },
		{ "broken", row::broken, group.broken },
		{ "reason", row::reason, group.reason },
		{ "armed", row::armed, group.armed },
		{ "expired", row::expired, group.expired },
		{ "vote", row::vote, group.vote },
		{ "black", row::black, group.black },
		{ "vacant", row::vacant, group.vacant },
		{ "vector", row::message, group.vector },
		{ "records", row::records, group.records },
		{ "members", row::members, group.members },
		{ "present", row::present, group.present },
		{ "count", row::count, group.count },
		{ "arrived", row::arrived, group.arrived },
		{ "epoch", row::epoch, group.epoch },
		{ "balance", row::balance, (uint64_t)group.balance & ones(48) },
		{ "timeout", row::timeout, group.timeout },
		{ "timing", row::timing, group.timeout && group.arrived && !group.expired },
		{ "operation", row::operation, (unsigned)group.operation },
	};
	unsigned ayes = 0;

	for (uint64_t word : group.v)
		ayes += __builtin_popcountll(word);
	list.push_back({ "ayes", row::ayes, ayes });
	if (part(HBSR_GRP_CTRL_ENABLE))
		list.push_back({ "sum", row::sum, group.sum });
	if (group.operation == hbs::Operation::JOINING ||
	    group.operation == hbs::Operation::LEAVING)
		list.push_back({ "subject", row::subject, group.operation_port });
	if (group.operation != hbs::Operation::NONE && group.begun) {
		list.push_back({ "failed", row::failed, group.failed });
		if (group.operation != hbs::Operation::LEAVING)
			list.push_back({ "checks", row::checks, group.checks });
	}
	return list;
}

/* The memories of a group as the model has it. What nobody may look at is at random. */
inline void fill(Rows &rows, const hbs::Group &group, unsigned ports, Random &dice)
{
	const bool enabled = group.ctrl & HBSR_GRP_CTRL_ENABLE;
	const bool has_marks = enabled && !group.broken;
	bool has_missing = false;
	uint64_t live = 0;

	randomize(rows.row, rtl::row::width, dice);
	for (const Meaning &meaning : meanings(group))
		rows.set(meaning.field, meaning.value);
	for (unsigned i = 0; i < MASK_WORDS; i++) {
		const uint64_t inside = i * 64 >= ports ? 0 : ones(ports - i * 64);
		const bool is_live = has_marks && inside && (group.s[i] || dice.percent(50));

		rows.p[i] = enabled ? group.p[i] : dice.word() & inside;
		rows.s[i] = is_live ? group.s[i] : dice.word() & inside;
		rows.v[i] = is_live ? group.v[i] : dice.word() & inside;
		rows.missing[i] = group.missing[i];
		live |= (uint64_t)is_live << i;
		has_missing |= group.missing[i] != 0;
	}
	rows.set(rtl::row::live, live);
	rows.set(rtl::row::has_missing, has_missing);
	rows.set(rtl::row::has_result, group.result != 0);
	rows.result = group.result ? group.result : dice.word();
	rows.operand = group.operand;
}

/* Says what is otherwise than the model has it. */
inline void compare(const Rows &rows, const hbs::Group &group, const char *what)
{
	const bool enabled = group.ctrl & HBSR_GRP_CTRL_ENABLE;
	const bool has_missing = rows.get(rtl::row::has_missing);
	const uint64_t live = rows.get(rtl::row::live);
	const uint64_t result = rows.get(rtl::row::has_result) ? rows.result : 0;

	for (const Meaning &meaning : meanings(group))
		if (rows.get(meaning.field) != meaning.value)
			wrong("%s: %s is %lx, not %lx", what, meaning.name, rows.get(meaning.field),
			      meaning.value);
	for (unsigned i = 0; i < MASK_WORDS; i++) {
		const bool is_live = live >> i & 1;

		if ((enabled ? rows.p[i] : 0) != group.p[i])
			wrong("%s: P[%u] is %lx, not %lx", what, i, rows.p[i], group.p[i]);
		if ((is_live ? rows.s[i] : 0) != group.s[i])
			wrong("%s: S[%u] is %lx, not %lx", what, i, rows.s[i], group.s[i]);
		if ((is_live ? rows.v[i] : 0) != group.v[i])
			wrong("%s: V[%u] is %lx, not %lx", what, i, rows.v[i], group.v[i]);
		if ((has_missing ? rows.missing[i] : 0) != group.missing[i])
			wrong("%s: MISSING[%u] is %lx, not %lx", what, i, rows.missing[i],
			      group.missing[i]);
	}
	if (result != group.result)
		wrong("%s: RESULT is %lx, not %lx", what, result, group.result);
	if (!(group.ctrl & HBSR_GRP_CTRL_TYPE))
		return;
	for (unsigned i = 0; i < rows.operand.size(); i++)
		if (hbs::bit(group.p, i) && rows.operand[i] != group.operand[i])
			wrong("%s: OPERAND[%u] is %lx, not %lx", what, i, rows.operand[i],
			      group.operand[i]);
}
} // namespace module
#endif
