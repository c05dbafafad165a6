// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_decode against the registers page (as the map's generator lists it) and the rules of accesses
// on the card's page, for cards of any size with any features.
#include <vector>

#include "module.h"
#include "hbs_list.h"

using namespace module;
using namespace rtl;

/* How a register may be accessed */
enum Access { RO, RW, WO, W1C };

struct Register {
	uint32_t base; /* of its table in BAR 0 */
	uint32_t offset;
	unsigned width, count;
	Access access;
	uint64_t mask;
	unsigned target; /* as the pipeline names it */
	int index;	 /* of a counter; -1: of an array */
	uint64_t features; /* it is there with one of these */
};

struct Name {
	uint32_t base, offset;
	unsigned target;
	int index;
	uint64_t features;
};

constexpr uint64_t ALWAYS = 0, MEMORY = HBSR_FEATURE_POLL_ARRIVAL | HBSR_FEATURE_PORT_RECORD;

static const Name NAMES[] = {
	{ 0, HBSR_ID_MAGIC, RegMagic, 0, ALWAYS },
	{ 0, HBSR_ID_VERSION, RegVersion, 0, ALWAYS },
	{ 0, HBSR_ID_FEATURES, RegFeatures, 0, ALWAYS },
	{ 0, HBSR_ID_PORTS, RegPorts, 0, ALWAYS },
	{ 0, HBSR_ID_GROUPS, RegGroups, 0, ALWAYS },
	{ 0, HBSR_ID_PORT_STRIDE, RegPortStride, 0, ALWAYS },
	{ 0, HBSR_ID_LANE_STRIDE, RegLaneStride, 0, ALWAYS },
	{ 0, HBSR_ID_EPOCH_BITS, RegEpochBits, 0, ALWAYS },
	{ 0, HBSR_ID_GROUP_TYPES, RegGroupTypes, 0, ALWAYS },
	{ 0, HBSR_ID_RECORDS, RegRecordsMax, 0, ALWAYS },
	{ 0, HBSR_ID_VECTORS, RegVectors, 0, ALWAYS },
	{ 0, HBSR_ID_BLOCKS, RegBlocks, 0, ALWAYS },
	{ 0, HBSR_ID_BLOCK_LIST, RegBlockList, 0, ALWAYS },
	{ 0, HBSR_CTL_CTRL, RegCtlCtrl, 0, ALWAYS },
	{ 0, HBSR_CTL_STATUS, RegCtlStatus, 0, ALWAYS },
	{ 0, HBSR_CTL_TAG, RegCtlTag, 0, ALWAYS },
	{ 0, HBSR_CTL_POLL, RegCtlPoll, 0, HBSR_FEATURE_POLL_ARRIVAL },
	{ 0, HBSR_INT_CAUSE, RegCause, 0, ALWAYS },
	{ 0, HBSR_INT_ENABLE, RegCauseEnable, 0, ALWAYS },
	{ 0, HBSR_INT_GROUPS(0), RegIntGroups, -1, ALWAYS },
	{ 0, HBSR_INT_TIMEOUTS(0), RegIntTimeouts, -1, HBSR_FEATURE_TIMEOUT },
	{ 0, HBSR_CNT_VIOLATIONS, RegCardCounter, CardViolations, ALWAYS },
	{ 0, HBSR_CNT_BAD_ACCESSES, RegCardCounter, CardBad, ALWAYS },
	{ 0, HBSR_CNT_DMA_ERRORS, RegDmaErrors, CardReadErrors, ALWAYS },
	{ 0, HBSR_CNT_INTERRUPTS, RegMessages, 0, ALWAYS },
	{ 0, HBSR_CNT_VIOLATION_LAST, RegViolationLast, 0, ALWAYS },
	{ 0, HBSR_CNT_FOREIGN_READS, RegCardCounter, CardForeign, ALWAYS },
	{ HBSR_GRP_BASE, HBSR_GRP_CTRL, RegCtrl, 0, ALWAYS },
	{ HBSR_GRP_BASE, HBSR_GRP_COMMAND, RegCommand, 0, ALWAYS },
	{ HBSR_GRP_BASE, HBSR_GRP_STATUS, RegStatus, 0, ALWAYS },
	{ HBSR_GRP_BASE, HBSR_GRP_ARM, RegArm, 0, ALWAYS },
	{ HBSR_GRP_BASE, HBSR_GRP_EPOCH, RegEpoch, 0, ALWAYS },
	{ HBSR_GRP_BASE, HBSR_GRP_VACANT, RegVacant, 0, ALWAYS },
	{ HBSR_GRP_BASE, HBSR_GRP_VECTOR, RegVector, 0, ALWAYS },
	{ HBSR_GRP_BASE, HBSR_GRP_RECORDS, RegRecords, 0, ALWAYS },
	{ HBSR_GRP_BASE, HBSR_GRP_MEMBERS, RegMembers, 0, ALWAYS },
	{ HBSR_GRP_BASE, HBSR_GRP_ARRIVED, RegArrived, 0, ALWAYS },
	{ HBSR_GRP_BASE, HBSR_GRP_COUNT, RegCount, 0, HBSR_FEATURE_COUNTING },
	{ HBSR_GRP_BASE, HBSR_GRP_TIMEOUT, RegTimeout, 0, HBSR_FEATURE_TIMEOUT },
	{ HBSR_GRP_BASE, HBSR_GRP_RESULT, RegResult, 0, HBSR_FEATURE_REDUCE },
	{ HBSR_GRP_BASE, HBSR_GRP_BALANCE, RegBalance, 0, HBSR_FEATURE_REFUTABLE },
	{ HBSR_GRP_BASE, HBSR_GRP_WORD, RegWord, 0, ALWAYS },
	{ HBSR_GRP_BASE, HBSR_GRP_RECORD_ADDR(0), RegRecordAddr, -1, ALWAYS },
	{ HBSR_GRP_BASE, HBSR_GRP_P(0), RegP, -1, ALWAYS },
	{ HBSR_GRP_BASE, HBSR_GRP_S(0), RegS, -1, ALWAYS },
	{ HBSR_GRP_BASE, HBSR_GRP_MISSING(0), RegMissing, -1, HBSR_FEATURE_TIMEOUT },
	{ HBSR_GRP_BASE, HBSR_GRP_COMPLETIONS, RegCounter, CountCompletions, ALWAYS },
	{ HBSR_GRP_BASE, HBSR_GRP_ARRIVALS, RegCounter, CountArrivals, ALWAYS },
	{ HBSR_GRP_BASE, HBSR_GRP_DEPARTURE_READS, RegCounter, CountDepartureReads, ALWAYS },
	{ HBSR_GRP_BASE, HBSR_GRP_RECORD_WRITES, RegRecordWrites, 0, ALWAYS },
	{ HBSR_GRP_BASE, HBSR_GRP_NON_MEMBER, RegCounter, CountNonMember, ALWAYS },
	{ HBSR_GRP_BASE, HBSR_GRP_DOUBLE, RegCounter, CountDouble, ALWAYS },
	{ HBSR_GRP_BASE, HBSR_GRP_REFUSED, RegCounter, CountRefused, ALWAYS },
	{ HBSR_GRP_BASE, HBSR_GRP_INTERRUPTS, RegCounter, CountInterrupts, ALWAYS },
	{ HBSR_GRP_BASE, HBSR_GRP_LINE_READS, RegCounter, CountLineReads,
	  HBSR_FEATURE_POLL_ARRIVAL },
	{ HBSR_GRP_BASE, HBSR_GRP_WITHDRAWALS, RegCounter, CountWithdrawals,
	  HBSR_FEATURE_REFUTABLE },
	{ HBSR_GRP_BASE, HBSR_GRP_UNARRIVED, RegCounter, CountUnarrived, HBSR_FEATURE_REFUTABLE },
	{ HBSR_GRP_BASE, HBSR_GRP_READBACKS, RegCounter, CountReadbacks, HBSR_FEATURE_REFUTABLE },
	{ HBSR_GRP_BASE, HBSR_GRP_V(0), RegV, -1, HBSR_FEATURE_REFUTABLE },
	{ HBSR_PRT_BASE, HBSR_PRT_ADDR, RegPortAddr, 0, MEMORY },
};

static std::vector<Register> registers()
{
	std::vector<Register> all;
	const auto add = [&all](uint32_t base, Register reg) {
		reg.base = base;
		for (const Name &name : NAMES) {
			if (name.base != base || name.offset != reg.offset)
				continue;
			reg.target = name.target;
			reg.index = name.index;
			reg.features = name.features;
			all.push_back(reg);
			return;
		}
		wrong("the bench does not know register %x of the table at %x", reg.offset, base);
	};

	/* resets are of no interest here */
#define REGISTER(block, name, offset, width, count, access, reset, mask) \
	add(BASE, { 0, offset, width, count, access, mask, 0, 0, 0 });
#define BASE 0
	HBSR_ID_REGISTERS(REGISTER)
	HBSR_CTL_REGISTERS(REGISTER)
	HBSR_INT_REGISTERS(REGISTER)
	HBSR_CNT_REGISTERS(REGISTER)
#undef BASE
#define BASE HBSR_GRP_BASE
	HBSR_GRP_REGISTERS(REGISTER)
#undef BASE
#define BASE HBSR_PRT_BASE
	HBSR_PRT_REGISTERS(REGISTER)
#undef BASE
	return all;
}

static std::vector<Register> only_writable(const std::vector<Register> &all)
{
	std::vector<Register> some;

	for (const Register &reg : all)
		if (reg.access != RO)
			some.push_back(reg);
	return some;
}

class Bench
{
      public:
	void once()
	{
		choose();
		top.eval();
		if (!top.be_i)
			check_nothing();
		else if (top.lane_i)
			check_lane();
		else
			check_register();
	}
	void totals()
	{
		met("good writes of registers", good);
		met("bad accesses to registers", bad);
		met("writes of values that a register excludes", excluded);
		met("accesses to registers that the card lacks", lacks);
		met("good stores to lanes", stores);
		met("bad accesses to lanes", bad_lanes);
		met("accesses during a reset", early);
		met("packets that enable no byte", nothings);
	}

      private:
	bool whole() const
	{
		return top.be_i == 0xff || top.be_i == 0x0f || top.be_i == 0xf0;
	}
	bool has(uint64_t features) const
	{
		return top.features_i & features;
	}
	uint64_t op(Field field) const
	{
		return get(top.op_o, field);
	}
	void choose()
	{
		static const unsigned ENABLES[] = { 0xff, 0x0f, 0xf0, 0x00, 0xf3 };

		top.ports_i = dice.percent(50) ? 1024 : 1 + dice.below(1024);
		top.groups_i = dice.percent(50) ? 128 : 1 + dice.below(128);
		top.features_i = dice.word() & 0xffff;
		top.ready_i = !dice.percent(10);
		top.write_i = dice.below(2);
		top.lane_i = dice.percent(30);
		top.be_i = dice.percent(90) ? ENABLES[dice.below(3)] : ENABLES[dice.below(5)];
		if (dice.percent(2))
			top.be_i = dice.word();
		top.tag_i = dice.word();
		top.data_i = number();
		top.addr_i = (top.lane_i ? lane() : offset()) >> 3;
	}
	/* Often one that some register takes, or nearly */
	uint64_t number()
	{
		uint64_t word = dice.word();

		switch (dice.below(8)) {
		case 0:
			return 0;
		case 1:
			return 1ull << dice.below(64);
		case 2:
			return word & ones(dice.below(65));
		case 3: /* a mode, or a command, in both halves */
			word = word & 0x3f3ff1;
			return word << 32 | word;
		case 4:
		case 5:
		case 6: {
			static const uint32_t NEAR[] = { 1000, 1ull << 30, HBSR_TYPE_REFUTABLE << 4,
							 1024, 0x10000, 2, RECORDS };

			word = NEAR[dice.below(7)] + dice.below(3) - 1;
			return word << 32 | word;
		}
		default:
			return word;
		}
	}
	uint32_t lane()
	{
		static const uint32_t WORDS[] = { HBSR_LANE_ARRIVAL, HBSR_LANE_OPERAND,
						  HBSR_LANE_WITHDRAW, HBSR_LANE_DEPARTURE,
						  HBSR_LANE_RESULT };

		return dice.below(1024) * HBSR_ID_PORT_STRIDE_DEFAULT +
		       (dice.percent(90) ? dice.below(128) : dice.below(512)) * HBSR_LANE_STRIDE +
		       (dice.percent(80) ? WORDS[dice.below(5)] : dice.below(16) * 8);
	}
	uint32_t offset()
	{
		const std::vector<Register> &from = dice.percent(50) ? writable : all;
		const Register &reg = from[dice.below(from.size())];
		uint32_t at = reg.offset + dice.below(reg.count) * reg.width / 8;

		if (dice.percent(20))
			at = dice.below(0x400);
		if (reg.base == HBSR_GRP_BASE)
			return reg.base + dice.below(128) * HBSR_GRP_STRIDE + at % HBSR_GRP_STRIDE;
		if (reg.base == HBSR_PRT_BASE)
			return reg.base + dice.below(1024) * HBSR_PRT_STRIDE + at % HBSR_PRT_STRIDE;
		/* the table of blocks, and what is behind the registers */
		if (dice.percent(20))
			return HBSR_ID_BLOCK_LIST_DEFAULT + dice.below(0x90);
		return at;
	}
	/* The datum that counts: a half that is not enabled is 0 */
	uint64_t datum() const
	{
		return top.be_i == 0xff ? (uint64_t)top.data_i
		       : top.be_i == 0x0f ? top.data_i & 0xffffffff
					  : top.data_i & 0xffffffff00000000;
	}

	void check_nothing()
	{
		nothings++;
		if (op(op::target) != RegNone || op(op::is_bad))
			wrong("no byte is enabled, and something is accessed");
		if (top.write_i ? op(op::kind) != KindNone
				: op(op::kind) != KindLoad && op(op::kind) != KindRead)
			wrong("a packet without bytes is no access, but a read is answered");
		check_tag();
	}
	void check_tag()
	{
		if (!top.write_i && op(op::tag) != top.tag_i)
			wrong("a read's tag");
	}

	void check_lane()
	{
		const unsigned port = top.addr_i >> 13, g = top.addr_i >> 4 & 511;
		const unsigned offset = (top.addr_i & 15) * 8;
		const bool there = port < top.ports_i && g < top.groups_i, upper = top.be_i == 0xf0;
		bool is_bad = !whole() || !there;
		unsigned target = RegNone;

		check_tag();
		if (!top.ready_i) {
			early++;
			if (top.write_i ? op(op::kind) != KindNone
					: op(op::kind) != KindLoad || op(op::target) != RegNone)
				wrong("an access to a lane during a reset");
			if (op(op::is_bad))
				wrong("a bad access during a reset");
			return;
		}
		if (op(op::kind) != (top.write_i ? KindStore : KindLoad) || op(op::is_card))
			wrong("the kind of an access to a lane");
		switch (offset) {
		case HBSR_LANE_ARRIVAL:
			target = top.write_i ? LaneArrival : RegNone;
			is_bad |= top.write_i && upper;
			break;
		case HBSR_LANE_OPERAND:
			/* whether the second half is bad depends on the group: hbs_step */
			target = top.write_i ? LaneOperand : RegNone;
			break;
		case HBSR_LANE_WITHDRAW:
			target = LaneWithdraw;
			break;
		case HBSR_LANE_DEPARTURE:
			target = LaneDeparture;
			is_bad |= top.write_i;
			break;
		case HBSR_LANE_RESULT:
			target = LaneResult;
			is_bad |= top.write_i;
			break;
		default:
			is_bad |= top.write_i && datum();
		}
		if (op(op::is_bad) != is_bad)
			wrong("whether an access to %x of lane %u of port %u is bad", offset, g,
			      port);
		if (op(op::port) != port || op(op::has_group) != (g < top.groups_i))
			wrong("the port or the group of a violation");
		bad_lanes += is_bad;
		if (is_bad)
			return;
		if (op(op::target) != target || op(op::group) != g || op(op::index) != port / 64)
			wrong("what an access to %x of lane %u is for", offset, g);
		if (top.write_i)
			check_data(datum());
		stores += top.write_i && target == LaneArrival;
	}
	void check_data(uint64_t data)
	{
		const unsigned half = top.be_i == 0xff ? 3 : top.be_i == 0x0f ? 1 : 2;

		if (op(op::data) != data || op(op::half) != half)
			wrong("the datum is %lx, not %lx", op(op::data), data);
		if (op(op::is_zero) != !datum())
			wrong("whether a datum is zero");
	}

	/* The register of an offset in BAR 0, and its element; none if the card lacks it */
	const Register *find(uint32_t at, unsigned *element, unsigned *which)
	{
		uint32_t base = 0;

		*which = 0;
		if (at >= HBSR_PRT_BASE) {
			base = HBSR_PRT_BASE;
			*which = (at - base) / HBSR_PRT_STRIDE;
			at = (at - base) % HBSR_PRT_STRIDE;
			if (*which >= top.ports_i)
				return nullptr;
		} else if (at >= HBSR_GRP_BASE) {
			base = HBSR_GRP_BASE;
			*which = (at - base) / HBSR_GRP_STRIDE;
			at = (at - base) % HBSR_GRP_STRIDE;
			if (*which >= top.groups_i)
				return nullptr;
		}
		for (const Register &reg : all) {
			if (reg.base != base || at < reg.offset ||
			    at >= reg.offset + reg.count * reg.width / 8)
				continue;
			*element = (at - reg.offset) * 8 / reg.width;
			if (reg.features && !has(reg.features))
				return nullptr;
			if (reg.target == RegRecordAddr && *element >= RECORDS)
				return nullptr;
			return &reg;
		}
		return nullptr;
	}
	/* Reserved bits of a register: those of the page, and of features that the card lacks */
	uint64_t reserved(const Register &reg) const
	{
		uint64_t bits = ~reg.mask;

		if (reg.width == 32)
			bits &= 0xffffffff;
		if ((reg.target == RegCause || reg.target == RegCauseEnable) &&
		    !has(HBSR_FEATURE_TIMEOUT))
			bits |= HBSR_INT_CAUSE_TIMEOUT;
		if (reg.target != RegCtrl)
			return bits;
		return bits | (has(HBSR_FEATURE_REFUTABLE) ? 0 : HBSR_GRP_CTRL_TYPE) |
		       (has(HBSR_FEATURE_COUNTING) ? 0 : HBSR_GRP_CTRL_COMPLETION) |
		       (has(HBSR_FEATURE_POLL_ARRIVAL) ? 0 : HBSR_GRP_CTRL_ARRIVAL) |
		       (has(HBSR_FEATURE_PORT_RECORD) ? 0 : HBSR_GRP_CTRL_DEPARTURE) |
		       (has(HBSR_FEATURE_REDUCE) ? 0 : HBSR_GRP_CTRL_REDUCE) |
		       (has(HBSR_FEATURE_TIMEOUT) ? 0 : HBSR_GRP_CTRL_POLICY);
	}
	static unsigned field(uint64_t value, uint32_t mask)
	{
		return (value & mask) / (mask & -mask);
	}
	/* Values that the register's text excludes, whatever the group's state is */
	bool excludes(const Register &reg, uint64_t value) const
	{
		switch (reg.target) {
		case RegCtlPoll:
			return value < 1000 || value > 1u << 30;
		case RegCtrl: {
			const unsigned type = field(value, HBSR_GRP_CTRL_TYPE);
			const unsigned completion = field(value, HBSR_GRP_CTRL_COMPLETION);
			const unsigned arrival = field(value, HBSR_GRP_CTRL_ARRIVAL);

			return type > HBSR_TYPE_REFUTABLE || completion > HBSR_COMPLETION_COUNT ||
			       arrival > HBSR_ARRIVAL_POLL ||
			       field(value, HBSR_GRP_CTRL_DEPARTURE) > HBSR_DEPARTURE_PORT ||
			       field(value, HBSR_GRP_CTRL_REDUCE) > HBSR_REDUCE_VOTE ||
			       field(value, HBSR_GRP_CTRL_POLICY) > HBSR_POLICY_NOTIFY ||
			       (type == HBSR_TYPE_REFUTABLE &&
				(completion != HBSR_COMPLETION_MASK ||
				 arrival != HBSR_ARRIVAL_STORE));
		}
		case RegVacant:
			return value > top.ports_i;
		case RegVector:
			return value >= HBSR_ID_VECTORS_DEFAULT;
		case RegRecords:
			return value > RECORDS;
		case RegCount:
			return value > 0xffff;
		case RegTimeout:
			return value >> 48;
		case RegRecordAddr:
			return value & (HBSR_RECORD_STRIDE - 1);
		case RegPortAddr:
			return value & (HBSR_MEMORY_STRIDE - 1);
		default:
			return false;
		}
	}
	bool in_list(uint32_t at) const
	{
		const unsigned blocks = HBSR_ID_BLOCKS_DEFAULT - !has(MEMORY);

		return at >= HBSR_ID_BLOCK_LIST_DEFAULT &&
		       at < HBSR_ID_BLOCK_LIST_DEFAULT + blocks * HBSR_ENTRY_STRIDE;
	}
	void check_register()
	{
		const uint32_t at = (top.addr_i & 0x7fff) * 8 + (top.be_i == 0xf0 ? 4 : 0);
		unsigned element = 0, which = 0;
		const Register *reg = find(at, &element, &which);
		const bool is_wide = reg && reg->width == 64, list = in_list(at);
		const uint64_t value = is_wide || top.be_i != 0xf0 ? datum() : datum() >> 32;
		bool is_bad = !whole() || ((reg || list) && !is_wide && top.be_i == 0xff);

		check_tag();
		if (top.write_i && (reg || list) && !is_bad) {
			const bool takes = !list && reg->access != RO && !(value & reserved(*reg));

			is_bad = !takes || excludes(*reg, value);
			excluded += takes && is_bad;
		} else if (top.write_i && !is_bad) {
			is_bad = datum() != 0;
		}
		if (!top.ready_i) {
			check_early(at);
			return;
		}
		if (op(op::kind) != (top.write_i ? KindWrite : KindRead) || !op(op::is_card))
			wrong("the kind of an access to %x", at);
		if (op(op::is_bad) != is_bad)
			wrong("whether the %s %lx of %x (enables %x) is bad",
			      top.write_i ? "write" : "read", value, at, top.be_i);
		if (op(op::has_group) != (at >= HBSR_GRP_BASE && at < HBSR_PRT_BASE &&
					  which < top.groups_i))
			wrong("whether a violation at %x names a group", at);
		bad += is_bad;
		lacks += !reg && !list;
		if (!is_bad)
			check_target(at, reg, element, which, value);
	}
	void check_target(uint32_t at, const Register *reg, unsigned element, unsigned which,
			  uint64_t value)
	{
		unsigned target = RegNone;

		if (reg)
			target = reg->target;
		if (in_list(at)) {
			target = RegList;
			if (op(op::port) != (at - HBSR_ID_BLOCK_LIST_DEFAULT) / 4)
				wrong("the entry of the list at %x", at);
		}
		if (!top.write_i && reg && reg->access == WO)
			target = RegNone; /* reads as zero */
		if (op(op::target) != target)
			wrong("%x is for register %lu, not %u", at, op(op::target), target);
		if (target == RegNone)
			return;
		if (reg && reg->base == HBSR_GRP_BASE && op(op::group) != which)
			wrong("the group of %x", at);
		if (target == RegPortAddr && op(op::port) != which)
			wrong("the port of %x", at);
		if (reg && (reg->index || reg->target == RegCounter || reg->target == RegCardCounter) &&
		    op(op::index) != (reg->index < 0 ? element : (unsigned)reg->index))
			wrong("the index of %x is %lu", at, op(op::index));
		if (target == RegCommand && (op(op::port) != (value >> 16 & 1023) ||
					     op(op::index) != (value >> 22 & 15)))
			wrong("the port of a command");
		if (top.write_i) {
			check_data(value);
			good++;
		}
	}
	/* While the card is in reset only what identifies and controls it can be read. */
	void check_early(uint32_t at)
	{
		early++;
		if (op(op::is_bad))
			wrong("a bad access during a reset");
		if (top.write_i ? op(op::kind) != KindNone : op(op::kind) != KindRead)
			wrong("an access to %x during a reset", at);
		if (at >= HBSR_INT_CAUSE && op(op::target) != RegNone)
			wrong("%x is read during a reset", at);
	}

	const std::vector<Register> all = registers(), writable = only_writable(all);
	Random dice;
	Vtop top;
	uint64_t good = 0, bad = 0, excluded = 0, lacks = 0, stores = 0, bad_lanes = 0;
	uint64_t early = 0, nothings = 0;
};

int main(int argc, char **argv)
{
	const uint64_t cycles = cycles_of(argc, argv);
	Bench bench;

	for (uint64_t i = 0; i < cycles * 2; i++)
		bench.once();
	bench.totals();
	result("accesses are for what the registers page says, and bad where it says so");
	return failures != 0;
}
