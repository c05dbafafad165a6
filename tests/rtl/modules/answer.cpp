// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_answer against the registers page: each register and lane reads as the state says; one of 32
// bits is in both halves of its word, so an access of its half gets it.
#include "module.h"
#include "hbs_list.h"

using namespace module;
using namespace rtl;

class Bench
{
      public:
	void once()
	{
		choose();
		top.eval();

		const unsigned target = get(top.op_i, op::target);
		uint64_t due = top.hides_i ? 0 : wide(target);

		if (!top.hides_i && is_narrow(target)) {
			const uint64_t value = narrow(target);

			due = value << 32 | value;
			if (target == LaneWithdraw)
				due = value; /* it is a word of a lane */
		}
		due |= stored();
		if (top.hides_i)
			due = 0;
		if (top.value_o != due)
			wrong("target %u reads as %lx, not %lx", target, (uint64_t)top.value_o, due);
		times[target]++;
		hidden += top.hides_i;
	}
	void totals()
	{
		uint64_t least = UINT64_MAX;

		for (unsigned i = RegNone; i <= LaneResult; i++)
			least = std::min(least, times[i]);
		met("reads of the target that was read least often", least);
		met("values that are hidden", hidden);
	}

      private:
	void choose()
	{
		randomize(top.op_i, op::width, dice);
		randomize(top.row_i, row::width, dice);
		randomize(top.cause_groups_i, 128, dice);
		randomize(top.cause_timeouts_i, 128, dice);
		set(top.op_i, op::target, dice.below(LaneResult + 1));
		top.word_i = dice.word();
		/* what is not read of memories is 0 */
		top.result_i = top.mask_i = top.record_addr_i = top.port_addr_i = top.counter_i = 0;
		switch (get(top.op_i, op::target)) {
		case RegResult:
		case LaneResult:
			top.result_i = dice.word();
			break;
		case RegP:
		case RegS:
		case RegV:
		case RegMissing:
			top.mask_i = dice.word();
			break;
		case RegRecordAddr:
			top.record_addr_i = dice.word();
			break;
		case RegPortAddr:
			top.port_addr_i = dice.word();
			break;
		case RegCounter:
		case RegCardCounter:
		case RegDmaErrors:
			top.counter_i = dice.word();
			break;
		}
		top.hides_i = dice.percent(10);
		top.busy_i = dice.below(2);
		top.has_arrived_i = dice.below(2);
		top.ports_i = 1 + dice.below(1024);
		top.groups_i = 1 + dice.below(128);
		top.features_i = dice.word();
		top.running_i = dice.below(2);
		top.ready_i = dice.below(2);
		top.reading_i = dice.below(2);
		top.tag_i = dice.word();
		top.poll_i = dice.word();
		top.cause_i = dice.below(8);
		top.cause_enable_i = dice.below(8);
		top.last_i = dice.word() & ones(36);
	}
	uint64_t row(Field field)
	{
		return get(top.row_i, field);
	}
	uint64_t stored()
	{
		return top.result_i | top.mask_i | top.record_addr_i | top.port_addr_i |
		       top.counter_i;
	}
	/* Registers of 64 bits that come from no memory */
	uint64_t wide(unsigned target)
	{
		const unsigned low = get(top.op_i, op::index) % 2 * 64;

		switch (target) {
		case RegFeatures:
			return top.features_i;
		case RegIntGroups:
			return get(top.cause_groups_i, { low, 64 });
		case RegIntTimeouts:
			return get(top.cause_timeouts_i, { low, 64 });
		case RegViolationLast:
			return get(top.last_i, { 0, 4 }) |
			       get(top.last_i, { 4, 16 }) << HBSR_CNT_VIOLATION_LAST_PORT_SHIFT |
			       get(top.last_i, { 20, 16 }) << HBSR_CNT_VIOLATION_LAST_GROUP_SHIFT;
		case RegEpoch:
			return row(row::epoch);
		case RegTimeout:
			return row(row::timeout);
		case RegBalance: /* with its sign */
			return (int64_t)(row(row::balance) << 16) >> 16;
		case RegWord:
		case LaneDeparture:
			return top.word_i;
		default:
			return 0;
		}
	}
	static bool is_narrow(unsigned target)
	{
		switch (target) {
		case RegFeatures:
		case RegIntGroups:
		case RegIntTimeouts:
		case RegViolationLast:
		case RegEpoch:
		case RegTimeout:
		case RegBalance:
		case RegWord:
		case LaneDeparture:
			return false;
		default:
			return true;
		}
	}
	bool has(uint64_t feature)
	{
		return top.features_i & feature;
	}
	uint32_t of_card(unsigned target)
	{
		const bool memory = has(HBSR_FEATURE_POLL_ARRIVAL | HBSR_FEATURE_PORT_RECORD);

		switch (target) {
		case RegMagic:
			return HBSR_ID_MAGIC_DEFAULT;
		case RegVersion:
			return HBSR_VERSION_MAJOR << 16 | HBSR_VERSION_MINOR;
		case RegPorts:
			return top.ports_i;
		case RegGroups:
			return top.groups_i;
		case RegPortStride:
			return HBSR_ID_PORT_STRIDE_DEFAULT;
		case RegLaneStride:
			return HBSR_ID_LANE_STRIDE_DEFAULT;
		case RegEpochBits:
			return HBSR_ID_EPOCH_BITS_DEFAULT;
		case RegGroupTypes:
			return 1 | has(HBSR_FEATURE_REFUTABLE) << 1;
		case RegRecordsMax:
			return RECORDS;
		case RegVectors:
			return HBSR_ID_VECTORS_DEFAULT;
		case RegBlocks:
			return HBSR_ID_BLOCKS_DEFAULT - !memory;
		case RegBlockList:
			return HBSR_ID_BLOCK_LIST_DEFAULT;
		case RegList:
			return listed(get(top.op_i, op::port) % 32);
		case RegCtlCtrl:
			return top.running_i;
		case RegCtlStatus:
			return top.ready_i * HBSR_CTL_STATUS_READY |
			       top.reading_i * HBSR_CTL_STATUS_READING;
		case RegCtlTag:
			return top.tag_i;
		case RegCtlPoll:
			return top.poll_i;
		case RegCause:
			return top.cause_i;
		case RegCauseEnable:
			return top.cause_enable_i;
		default:
			return 0;
		}
	}
	static uint32_t listed(unsigned i)
	{
#define BLOCK(name, type, version, offset, size) type, version, offset, size,
		static const uint32_t LIST[] = { HBSR_BLOCK_LIST(BLOCK) };

		return i < sizeof(LIST) / 4 ? LIST[i] : 0;
	}
	uint32_t control()
	{
		return row(row::enable) * HBSR_GRP_CTRL_ENABLE |
		       row(row::refutable) << HBSR_GRP_CTRL_TYPE_SHIFT |
		       row(row::counting) << HBSR_GRP_CTRL_COMPLETION_SHIFT |
		       row(row::polling) << HBSR_GRP_CTRL_ARRIVAL_SHIFT |
		       row(row::port_record) << HBSR_GRP_CTRL_DEPARTURE_SHIFT |
		       row(row::reduce) << HBSR_GRP_CTRL_REDUCE_SHIFT |
		       row(row::notify) << HBSR_GRP_CTRL_POLICY_SHIFT;
	}
	uint32_t narrow(unsigned target)
	{
		switch (target) {
		case RegCtrl:
			return control();
		case RegStatus:
			return row(row::broken) * HBSR_GRP_STATUS_BROKEN |
			       row(row::armed) * HBSR_GRP_STATUS_ARMED |
			       row(row::expired) * HBSR_GRP_STATUS_EXPIRED |
			       top.busy_i * HBSR_GRP_STATUS_BUSY |
			       row(row::reason) << HBSR_GRP_STATUS_REASON_SHIFT |
			       row(row::vote) << HBSR_GRP_STATUS_VOTE_SHIFT |
			       row(row::black) * HBSR_GRP_STATUS_BLACK;
		case RegVacant:
			return row(row::vacant);
		case RegVector:
			return row(row::message);
		case RegRecords:
			return row(row::records);
		case RegMembers:
			return row(row::members);
		case RegArrived:
			return row(row::arrived);
		case RegCount:
			return row(row::count);
		case LaneWithdraw:
			return top.has_arrived_i;
		default:
			return of_card(target);
		}
	}

	Random dice;
	Vtop top;
	uint64_t times[LaneResult + 1] = {}, hidden = 0;
};

int main(int argc, char **argv)
{
	const uint64_t cycles = cycles_of(argc, argv);
	Bench bench;

	for (uint64_t i = 0; i < cycles; i++)
		bench.once();
	bench.totals();
	result("each register and lane reads as the state says");
	return failures != 0;
}
