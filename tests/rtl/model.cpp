/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registers, lanes and groups of the card, as the page has them. */
#include "model.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "sentences.h"

extern "C" {
#include "hbs_list.h"
}

#define FIELD(value, name) (unsigned)(((value)&HBSR_##name) >> HBSR_##name##_SHIFT)

namespace hbs
{
namespace
{
constexpr uint64_t EPOCHS = 1ULL << HBSR_ID_EPOCH_BITS_DEFAULT;
constexpr int64_t BALANCE_LIMIT = 1LL << 47;
constexpr unsigned COUNT_MAX = 0xffff;
constexpr uint64_t TIMEOUT_LIMIT = 1ULL << 48;
constexpr uint32_t POLL_MIN = 1000, POLL_MAX = 1u << 30;

enum Mode { RO, RW, WO, W1C };

struct Register {
	uint32_t offset; /* of its first word, in the block or the entry */
	unsigned width;
	unsigned count;
	Mode mode;
	uint64_t mask;
};

#define REGISTER(block, name, offset, width, count, mode, reset, mask) \
	{ offset, width / 8, count, mode, mask },

const Register CARD[] = { { HBSR_ID_BLOCK_LIST_DEFAULT, 4, 4 * HBSR_ID_BLOCKS_DEFAULT, RO,
			    UINT32_MAX },
			  HBSR_ID_REGISTERS(REGISTER) HBSR_CTL_REGISTERS(REGISTER)
				  HBSR_INT_REGISTERS(REGISTER) HBSR_CNT_REGISTERS(REGISTER) };
const Register GROUP[] = { HBSR_GRP_REGISTERS(REGISTER) };
const Register PORT[] = { HBSR_PRT_REGISTERS(REGISTER) };

#define ENTRY(name, type, version, offset, size) { type, version, offset, size },
const uint32_t BLOCKS[][4] = { HBSR_BLOCK_LIST(ENTRY) };

uint64_t bytes(uint8_t enables)
{
	uint64_t mask = 0;

	for (unsigned i = 0; i < 8; i++)
		if (enables >> i & 1)
			mask |= 0xffULL << 8 * i;
	return mask;
}

bool is_whole(uint8_t enables)
{
	return enables == 0xff || enables == 0x0f || enables == 0xf0;
}

template <size_t N> const Register *look_up(const Register (&list)[N], uint32_t offset)
{
	for (const Register &reg : list)
		if (offset >= reg.offset && offset < reg.offset + reg.width * reg.count)
			return &reg;
	return nullptr;
}

void put(Mask &mask, unsigned i, bool value)
{
	if (value)
		mask[i / 64] |= 1ULL << i % 64;
	else
		mask[i / 64] &= ~(1ULL << i % 64);
}

bool any(const Mask &mask)
{
	for (uint64_t word : mask)
		if (word)
			return true;
	return false;
}
} // namespace

uint64_t identity(unsigned reduction)
{
	switch (reduction) {
	case HBSR_REDUCE_AND:
	case HBSR_REDUCE_MIN:
		return UINT64_MAX;
	case HBSR_REDUCE_SMIN:
		return (1ULL << 63) - 1;
	case HBSR_REDUCE_SMAX:
		return 1ULL << 63;
	case HBSR_REDUCE_VOTE:
		return 1;
	default:
		return 0;
	}
}

uint64_t reduce(unsigned reduction, uint64_t sum, uint64_t x)
{
	/* Numbers of two's complement are in the order of unsigned ones with bit 63 inverted. */
	const uint64_t sign = 1ULL << 63;

	switch (reduction) {
	case HBSR_REDUCE_AND:
		return sum & x;
	case HBSR_REDUCE_OR:
		return sum | x;
	case HBSR_REDUCE_XOR:
		return sum ^ x;
	case HBSR_REDUCE_SUM:
		return sum + x;
	case HBSR_REDUCE_MIN:
		return std::min(sum, x);
	case HBSR_REDUCE_MAX:
		return std::max(sum, x);
	case HBSR_REDUCE_SMIN:
		return std::min(sum ^ sign, x ^ sign) ^ sign;
	case HBSR_REDUCE_SMAX:
		return std::max(sum ^ sign, x ^ sign) ^ sign;
	case HBSR_REDUCE_VOTE:
		return x ? sum | 2 : sum & ~1ULL;
	default:
		return 0;
	}
}

std::string Access::text() const
{
	char line[96];

	snprintf(line, sizeof(line), "%s BAR %d 0x%06x enables %02x data %016llx",
		 write ? "write" : "read ", lane ? 2 : 0, addr, enables,
		 (unsigned long long)(write ? data : 0));
	return line;
}

/* What an access to BAR 0 is for */
struct Model::Target {
	const Register *reg; /* nullptr: there is none */
	uint32_t base;	     /* of the table that it is in, or 0 */
	unsigned g;
	unsigned port;
	unsigned index;
	unsigned shift; /* of the half of a register that is accessed */
	uint64_t half;
	uint64_t mask;
};

Model::Model(const Parameters &parameters)
    : parameters(parameters), group(parameters.groups), port_addr(parameters.ports), stamp(1),
      resets(0), total(), now(0), latest(0)
{
	reset();
	ready = true;
}

bool Model::refutable(const Group &group) const
{
	return FIELD(group.ctrl, GRP_CTRL_TYPE) == HBSR_TYPE_REFUTABLE;
}

bool Model::counts(const Group &group) const
{
	return FIELD(group.ctrl, GRP_CTRL_COMPLETION) == HBSR_COMPLETION_COUNT;
}

bool Model::polls(const Group &group) const
{
	return FIELD(group.ctrl, GRP_CTRL_ARRIVAL) == HBSR_ARRIVAL_POLL;
}

bool Model::ports_have_records(const Group &group) const
{
	return FIELD(group.ctrl, GRP_CTRL_DEPARTURE) == HBSR_DEPARTURE_PORT;
}

unsigned Model::reduction(const Group &group) const
{
	return FIELD(group.ctrl, GRP_CTRL_REDUCE);
}

uint64_t Model::word_of(unsigned g) const
{
	const Group &group = this->group[g];

	return group.epoch << HBSR_WORD_EPOCH_SHIFT | group.vote << HBSR_WORD_VOTE_SHIFT |
	       group.reason << HBSR_WORD_REASON_SHIFT | group.broken;
}

uint64_t Model::awaited(unsigned g) const
{
	return (group[g].epoch + 1) % EPOCHS << HBSR_WORD_EPOCH_SHIFT;
}

/* The bits of a register that are reserved, as the card lacks a feature */
uint64_t Model::reserved(uint32_t offset) const
{
	const auto has = [this](uint64_t feature) { return (parameters.features & feature) != 0; };
	const bool memory = has(HBSR_FEATURE_POLL_ARRIVAL) || has(HBSR_FEATURE_PORT_RECORD);
	const uint64_t all = UINT64_MAX;

	if (offset >= HBSR_PRT_BASE)
		return memory ? 0 : all;
	if (offset >= HBSR_GRP_BASE) {
		offset -= HBSR_GRP_BASE;
		switch (offset) {
		case HBSR_GRP_CTRL:
			return (has(HBSR_FEATURE_REFUTABLE) ? 0 : HBSR_GRP_CTRL_TYPE) |
			       (has(HBSR_FEATURE_COUNTING) ? 0 : HBSR_GRP_CTRL_COMPLETION) |
			       (has(HBSR_FEATURE_POLL_ARRIVAL) ? 0 : HBSR_GRP_CTRL_ARRIVAL) |
			       (has(HBSR_FEATURE_PORT_RECORD) ? 0 : HBSR_GRP_CTRL_DEPARTURE) |
			       (has(HBSR_FEATURE_REDUCE) ? 0 : HBSR_GRP_CTRL_REDUCE) |
			       (has(HBSR_FEATURE_TIMEOUT) ? 0 : HBSR_GRP_CTRL_POLICY);
		case HBSR_GRP_COUNT:
			return has(HBSR_FEATURE_COUNTING) ? 0 : all;
		case HBSR_GRP_TIMEOUT:
			return has(HBSR_FEATURE_TIMEOUT) ? 0 : all;
		case HBSR_GRP_RESULT:
			return has(HBSR_FEATURE_REDUCE) ? 0 : all;
		case HBSR_GRP_LINE_READS:
			return has(HBSR_FEATURE_POLL_ARRIVAL) ? 0 : all;
		case HBSR_GRP_BALANCE:
		case HBSR_GRP_WITHDRAWALS:
		case HBSR_GRP_UNARRIVED:
		case HBSR_GRP_READBACKS:
		case HBSR_GRP_V(0):
			return has(HBSR_FEATURE_REFUTABLE) ? 0 : all;
		case HBSR_GRP_MISSING(0):
			return has(HBSR_FEATURE_TIMEOUT) ? 0 : all;
		}
		return 0;
	}
	switch (offset) {
	case HBSR_CTL_POLL:
		return has(HBSR_FEATURE_POLL_ARRIVAL) ? 0 : all;
	case HBSR_INT_CAUSE:
	case HBSR_INT_ENABLE:
		return has(HBSR_FEATURE_TIMEOUT) ? 0 : HBSR_INT_CAUSE_TIMEOUT;
	case HBSR_INT_TIMEOUTS(0):
		return has(HBSR_FEATURE_TIMEOUT) ? 0 : all;
	}
	return 0;
}

/* Finds what an access to BAR 0 is for; says why it is bad, whatever the register is. */
const char *Model::find(const Access &access, Target *target) const
{
	uint32_t offset = access.addr + (access.enables == 0xf0 ? 4 : 0);
	const unsigned size = access.enables == 0xff ? 8 : 4;
	const Register *reg;

	*target = {};
	target->g = NOBODY;
	target->port = NOBODY;
	if (offset >= HBSR_PRT_BASE) {
		const unsigned port = (offset - HBSR_PRT_BASE) / HBSR_PRT_STRIDE;

		offset = (offset - HBSR_PRT_BASE) % HBSR_PRT_STRIDE;
		reg = port < parameters.ports ? look_up(PORT, offset) : nullptr;
		target->base = HBSR_PRT_BASE;
		target->port = port;
	} else if (offset >= HBSR_GRP_BASE) {
		const unsigned g = (offset - HBSR_GRP_BASE) / HBSR_GRP_STRIDE;

		offset = (offset - HBSR_GRP_BASE) % HBSR_GRP_STRIDE;
		reg = g < parameters.groups ? look_up(GROUP, offset) : nullptr;
		target->base = HBSR_GRP_BASE;
		target->g = g < parameters.groups ? g : NOBODY;
	} else {
		reg = look_up(CARD, offset);
	}
	if (!is_whole(access.enables)) {
		SENTENCE("access-rules-5");
		return "neither a word nor a half";
	}
	SENTENCE("access-rules-3 access-rules-4");
	if (!reg)
		return nullptr;
	if (reg->offset == HBSR_ID_BLOCK_LIST_DEFAULT && !target->base) {
		const bool memory = parameters.features &
				    (HBSR_FEATURE_POLL_ARRIVAL | HBSR_FEATURE_PORT_RECORD);

		if ((offset - reg->offset) / HBSR_ENTRY_STRIDE >=
		    HBSR_ID_BLOCKS_DEFAULT - (memory ? 0u : 1u)) {
			SENTENCE("discovery-18");
			return nullptr;
		}
	}
	target->mask = reg->mask & ~reserved(target->base + reg->offset);
	if (target->mask != reg->mask)
		SENTENCE("discovery-12 discovery-14 discovery-15 discovery-17");
	if (!target->mask)
		return nullptr;
	if (size > reg->width)
		return "more than the register";
	target->reg = reg;
	target->index = (offset - reg->offset) / reg->width;
	target->shift = (offset - reg->offset) % reg->width * 8;
	target->half = (size == 8 ? UINT64_MAX : UINT32_MAX) << target->shift;
	return nullptr;
}

uint64_t Model::card_value(const Target &target, Value *value)
{
	const bool memory =
		parameters.features & (HBSR_FEATURE_POLL_ARRIVAL | HBSR_FEATURE_PORT_RECORD);

	switch (target.reg->offset) {
	case HBSR_ID_MAGIC:
		return HBSR_ID_MAGIC_DEFAULT;
	case HBSR_ID_VERSION:
		return HBSR_VERSION_MAJOR << HBSR_ID_VERSION_MAJOR_SHIFT | HBSR_VERSION_MINOR;
	case HBSR_ID_FEATURES:
		SENTENCE("discovery-9 discovery-11");
		return parameters.features;
	case HBSR_ID_PORTS:
		SENTENCE("discovery-19");
		return parameters.ports;
	case HBSR_ID_GROUPS:
		return parameters.groups;
	case HBSR_ID_PORT_STRIDE:
		SENTENCE("discovery-20 discovery-22");
		return HBSR_ID_PORT_STRIDE_DEFAULT;
	case HBSR_ID_LANE_STRIDE:
		return HBSR_ID_LANE_STRIDE_DEFAULT;
	case HBSR_ID_EPOCH_BITS:
		return HBSR_ID_EPOCH_BITS_DEFAULT;
	case HBSR_ID_GROUP_TYPES:
		return parameters.features & HBSR_FEATURE_REFUTABLE ? 3 : 1;
	case HBSR_ID_RECORDS:
		return parameters.records;
	case HBSR_ID_VECTORS:
		return VECTORS;
	case HBSR_ID_BLOCKS:
		return HBSR_ID_BLOCKS_DEFAULT - !memory;
	case HBSR_ID_BLOCK_LIST:
		return HBSR_ID_BLOCK_LIST_DEFAULT;
	case HBSR_ID_BLOCK_LIST_DEFAULT:
		SENTENCE("access-rules-31 discovery-4 discovery-5 discovery-7 discovery-8");
		return BLOCKS[target.index / 4][target.index % 4];
	case HBSR_CTL_CTRL:
		return ctrl;
	case HBSR_CTL_STATUS:
		value->kind = Value::STATUS;
		value->open = HBSR_CTL_STATUS_READING;
		return ready ? HBSR_CTL_STATUS_READY : 0;
	case HBSR_CTL_TAG:
		return tag;
	case HBSR_CTL_POLL:
		return poll;
	case HBSR_INT_CAUSE:
		value->kind = Value::CAUSE;
		value->open = maybe_cause;
		return cause;
	case HBSR_INT_ENABLE:
		return enable;
	case HBSR_INT_GROUPS(0):
		return int_groups[target.index];
	case HBSR_INT_TIMEOUTS(0):
		return int_timeouts[target.index];
	case HBSR_CNT_VIOLATIONS:
		return violations;
	case HBSR_CNT_BAD_ACCESSES:
		return bad_accesses;
	case HBSR_CNT_DMA_ERRORS:
		value->kind = Value::DMA_ERRORS;
		return dma_errors.low;
	case HBSR_CNT_INTERRUPTS:
		value->kind = Value::INTERRUPTS;
		return 0;
	case HBSR_CNT_VIOLATION_LAST:
		return violation_last;
	default:
		return foreign_reads;
	}
}

uint64_t Model::group_value(const Target &target, Value *value)
{
	Group &group = this->group[target.g];

	value->group = target.g;
	switch (target.reg->offset) {
	case HBSR_GRP_CTRL:
		return group.ctrl;
	case HBSR_GRP_STATUS:
		value->kind = Value::GROUP_STATUS;
		value->open = HBSR_GRP_STATUS_BUSY;
		return group.broken * HBSR_GRP_STATUS_BROKEN | group.armed * HBSR_GRP_STATUS_ARMED |
		       group.expired * HBSR_GRP_STATUS_EXPIRED |
		       group.reason << HBSR_GRP_STATUS_REASON_SHIFT |
		       group.vote << HBSR_GRP_STATUS_VOTE_SHIFT |
		       group.black * HBSR_GRP_STATUS_BLACK;
	case HBSR_GRP_EPOCH:
		return group.epoch;
	case HBSR_GRP_VACANT:
		return group.vacant;
	case HBSR_GRP_VECTOR:
		return group.vector;
	case HBSR_GRP_RECORDS:
		return group.records;
	case HBSR_GRP_MEMBERS:
		return group.members;
	case HBSR_GRP_ARRIVED:
		return group.arrived;
	case HBSR_GRP_COUNT:
		return group.count;
	case HBSR_GRP_TIMEOUT:
		return group.timeout;
	case HBSR_GRP_RESULT:
		return group.result;
	case HBSR_GRP_BALANCE:
		return group.balance;
	case HBSR_GRP_WORD:
		SENTENCE("modes-7 state-of-a-group-13");
		return word_of(target.g);
	case HBSR_GRP_RECORD_ADDR(0):
		return group.record_addr[target.index];
	case HBSR_GRP_P(0):
		return group.p[target.index];
	case HBSR_GRP_S(0):
		SENTENCE("state-of-a-group-4 counting-2");
		return group.s[target.index];
	case HBSR_GRP_MISSING(0):
		return group.missing[target.index];
	case HBSR_GRP_V(0):
		SENTENCE("state-of-a-group-5 broken-groups-7");
		return group.v[target.index];
	case HBSR_GRP_COMPLETIONS:
		return group.completions;
	case HBSR_GRP_ARRIVALS:
		return group.arrivals;
	case HBSR_GRP_DEPARTURE_READS:
		return group.departure_reads;
	case HBSR_GRP_RECORD_WRITES:
		value->kind = Value::RECORD_WRITES;
		return 0;
	case HBSR_GRP_NON_MEMBER:
		return group.non_member;
	case HBSR_GRP_DOUBLE:
		return group.double_arrivals;
	case HBSR_GRP_REFUSED:
		return group.refused;
	case HBSR_GRP_INTERRUPTS:
		return group.interrupts;
	case HBSR_GRP_LINE_READS:
		return group.line_reads;
	case HBSR_GRP_WITHDRAWALS:
		return group.withdrawals;
	case HBSR_GRP_UNARRIVED:
		return group.unarrived;
	case HBSR_GRP_READBACKS:
		return group.readbacks;
	default:
		return 0; /* of a register that is only written */
	}
}

uint64_t Model::value_of(const Target &target, Value *value)
{
	if (target.base == HBSR_GRP_BASE)
		return group_value(target, value);
	if (target.base == HBSR_PRT_BASE)
		return port_addr[target.port];
	return card_value(target, value);
}

Value Model::read(const Access &access)
{
	Value value = { Value::PLAIN, 0, 0, NOBODY, 0 };
	Target target;
	const char *wrong;

	if (!access.enables) {
		SENTENCE("access-rules-10 access-rules-11");
		return value;
	}
	if (access.lane) {
		value.value = ready ? read_lane(access) : 0;
		return value;
	}
	if (!ready && access.addr >= HBSR_INT_CAUSE)
		return value;
	wrong = find(access, &target);
	if (wrong) {
		if (ready)
			bad(NOBODY, target.g);
		return value;
	}
	if (!target.reg) {
		SENTENCE("access-rules-29 access-rules-30");
		return value;
	}
	SENTENCE("access-rules-13 access-rules-27 what-leaves-the-card-14");
	value.value = value_of(target, &value);
	value.value &= target.mask;
	value.open &= target.half;
	value.value &= target.half;
	/* The bytes of a half are in their places; those of a register of 32 bits may be high. */
	value.shift = access.enables == 0xf0 && target.reg->width == 4 ? 32 : 0;
	value.value <<= value.shift;
	value.open <<= value.shift;
	return value;
}

void Model::bad(unsigned port, unsigned g)
{
	bad_accesses++;
	violation(HBSR_VIOLATION_ACCESS, port, g);
}

void Model::violation(unsigned kind, unsigned port, unsigned g)
{
	violations++;
	total.violations[kind]++;
	SENTENCE("violations-2 violations-3 violations-4 violations-5");
	violation_last = kind | (uint64_t)port << HBSR_CNT_VIOLATION_LAST_PORT_SHIFT |
			 (uint64_t)g << HBSR_CNT_VIOLATION_LAST_GROUP_SHIFT;
	set_cause(HBSR_INT_CAUSE_VIOLATION);
}

void Model::set_cause(uint32_t bits)
{
	const uint32_t rising = bits & ~cause & enable;

	cause |= bits;
	SENTENCE("interrupts-13 interrupts-14 interrupts-17");
	if (rising && running())
		raise(0, !(rising & maybe_cause));
	maybe_cause &= ~bits;
}

void Model::write(const Access &access, bool busy)
{
	if (!ready || !access.enables)
		return;
	if (access.lane)
		write_lane(access);
	else
		write_register(access, busy);
}

void Model::write_register(const Access &access, bool busy)
{
	uint64_t value = access.data & bytes(access.enables);
	Target target;

	if (find(access, &target)) {
		bad(NOBODY, target.g);
		return;
	}
	if (!target.reg) {
		if (value)
			bad(NOBODY, target.g);
		return;
	}
	if (target.reg->width == 4 && access.enables == 0xf0)
		value >>= 32;
	if (target.reg->mode == RO || (value & ~target.mask)) {
		bad(NOBODY, target.g);
		return;
	}
	if (target.reg->mode == RW) {
		Value ignored = {};

		value |= value_of(target, &ignored) & target.mask & ~target.half;
	}
	SENTENCE("access-rules-14 access-rules-21 access-rules-22 access-rules-23 access-rules-24 "
		 "access-rules-25 access-rules-26 access-rules-28");
	if (!write_target(target, value, busy))
		bad(NOBODY, target.g);
}

/* These return false if the value is excluded. */
bool Model::write_target(const Target &target, uint64_t value, bool busy)
{
	if (target.base == HBSR_GRP_BASE)
		return write_group(target, value, busy);
	if (target.base == HBSR_PRT_BASE)
		return write_port(target.port, value);
	return write_card(target, value);
}

bool Model::write_card(const Target &target, uint64_t value)
{
	switch (target.reg->offset) {
	case HBSR_CTL_CTRL:
		if (value & HBSR_CTL_CTRL_RESET)
			reset();
		else
			write_enable(value & HBSR_CTL_CTRL_ENABLE);
		return true;
	case HBSR_CTL_TAG:
		tag = value;
		return true;
	case HBSR_CTL_POLL:
		SENTENCE("arrival-lines-27");
		if (value < POLL_MIN || value > POLL_MAX)
			return false;
		poll = value;
		return true;
	case HBSR_INT_CAUSE:
		cause &= ~value;
		maybe_cause &= ~value;
		return true;
	case HBSR_INT_ENABLE: {
		const uint32_t rising = value & ~enable;

		SENTENCE("interrupts-15");
		enable = value;
		if (running() && (rising & (cause | maybe_cause)))
			raise(0, rising & cause);
		return true;
	}
	case HBSR_INT_GROUPS(0):
		SENTENCE("interrupts-3");
		int_groups[target.index] &= ~value;
		return true;
	default:
		SENTENCE("interrupts-10 interrupts-11");
		int_timeouts[target.index] &= ~value;
		return true;
	}
}

void Model::write_enable(bool run)
{
	const bool was = running();

	SENTENCE("enabling-the-card-reset-5");
	ctrl = run ? HBSR_CTL_CTRL_ENABLE : 0;
	if (was == run)
		return;
	if (!run)
		drop_reads(NOBODY, NOBODY);
	/* The message tells of no record that becomes due now, so it may come before these. */
	SENTENCE("interrupts-16 timer-10 enabling-the-card-reset-4 operations-19");
	if (run && (enable & (cause | maybe_cause)))
		raise(0, enable & cause);
	stamp++;
	for (unsigned g = 0; g < parameters.groups; g++) {
		if (group[g].operation != Operation::NONE) {
			group[g].begun = false;
			if (run)
				begin(g, true);
			/* It only waited for the card. */
			if (run && group[g].operation == Operation::ENABLING && !group[g].records)
				group[g].operation = Operation::NONE;
		}
		update(g);
	}
}

bool Model::write_port(unsigned port, uint64_t value)
{
	if (value % HBSR_MEMORY_STRIDE)
		return false;
	for (unsigned g = 0; g < parameters.groups; g++) {
		Group &group = this->group[g];

		if (!port_addr[port])
			group.due.member[port].excused = group.due.seq;
	}
	SENTENCE("memories-of-ports-7 memories-of-ports-8 memories-of-ports-9");
	port_addr[port] = value;
	drop_reads(NOBODY, port);
	for (unsigned g = 0; g < parameters.groups; g++) {
		Group &group = this->group[g];

		if (group.operation_port == port && (group.operation == Operation::JOINING ||
						     group.operation == Operation::LEAVING)) {
			group.begun = false;
			/* What it did before may fail yet. */
			dma_errors.high += !value || group.operation == Operation::JOINING;
			if (running())
				begin(g, true);
		}
		if (!value && bit(group.p, port) && ports_have_records(group) &&
		    (group.due.dirty || may_write(g, group.due.member[port]))) {
			dma_errors.high += 2;
			group.due.nowhere = true;
		}
	}
	if (moved)
		moved(context);
	return true;
}

bool Model::write_group(const Target &target, uint64_t value, bool busy)
{
	Group &group = this->group[target.g];

	switch (target.reg->offset) {
	case HBSR_GRP_CTRL:
		return write_control(target.g, value);
	case HBSR_GRP_COMMAND:
		return write_command(target.g, value, busy);
	case HBSR_GRP_ARM:
		return write_arm(target.g, value);
	}
	SENTENCE("enabling-and-disabling-11");
	if (enabled(group))
		return false;
	SENTENCE("enabling-the-card-reset-3");
	switch (target.reg->offset) {
	case HBSR_GRP_VACANT:
		if (value > parameters.ports)
			return false;
		group.vacant = value;
		return true;
	case HBSR_GRP_VECTOR:
		if (value >= VECTORS)
			return false;
		group.vector = value;
		return true;
	case HBSR_GRP_RECORDS:
		if (value > parameters.records)
			return false;
		group.records = value;
		return true;
	case HBSR_GRP_COUNT:
		if (value > COUNT_MAX)
			return false;
		group.count = value;
		return true;
	case HBSR_GRP_TIMEOUT:
		SENTENCE("timer-2 timer-3");
		if (value >= TIMEOUT_LIMIT)
			return false;
		group.timeout = value;
		return true;
	default:
		if (value % HBSR_RECORD_STRIDE)
			return false;
		group.record_addr[target.index] = value;
		if (moved)
			moved(context);
		return true;
	}
}

bool Model::write_control(unsigned g, uint32_t value)
{
	Group &group = this->group[g];
	const bool refutes = FIELD(value, GRP_CTRL_TYPE) == HBSR_TYPE_REFUTABLE;
	const bool was = enabled(group), will = value & HBSR_GRP_CTRL_ENABLE;

	if (FIELD(value, GRP_CTRL_TYPE) > HBSR_TYPE_REFUTABLE ||
	    FIELD(value, GRP_CTRL_COMPLETION) > HBSR_COMPLETION_COUNT ||
	    FIELD(value, GRP_CTRL_ARRIVAL) > HBSR_ARRIVAL_POLL ||
	    FIELD(value, GRP_CTRL_DEPARTURE) > HBSR_DEPARTURE_PORT ||
	    FIELD(value, GRP_CTRL_REDUCE) > HBSR_REDUCE_VOTE ||
	    FIELD(value, GRP_CTRL_POLICY) > HBSR_POLICY_NOTIFY)
		return false;
	SENTENCE("enabling-and-disabling-14 reductions-7 timer-23 refutable-groups-7");
	if (refutes && (FIELD(value, GRP_CTRL_COMPLETION) != HBSR_COMPLETION_MASK ||
			FIELD(value, GRP_CTRL_ARRIVAL) != HBSR_ARRIVAL_STORE))
		return false;
	SENTENCE("enabling-and-disabling-12 enabling-and-disabling-13");
	if (was && will && value != group.ctrl)
		return false;
	group.ctrl = value;
	if (will && !was)
		enable_group(g);
	else if (was && !will)
		disable_group(g);
	update(g);
	return true;
}

void Model::forget_arrivals(Group &group)
{
	group.s = {};
	group.v = {};
	group.arrived = 0;
	group.present = 0;
	group.sum = identity(reduction(group));
}

void Model::enable_group(unsigned g)
{
	Group &group = this->group[g];

	group.p = {};
	group.members = 0;
	forget_arrivals(group);
	group.broken = group.armed = group.expired = group.black = false;
	group.reason = group.vote = 0;
	group.balance = 0;
	group.completions = group.arrivals = group.departure_reads = group.non_member = 0;
	group.double_arrivals = group.refused = group.interrupts = group.line_reads = 0;
	group.withdrawals = group.unarrived = group.readbacks = 0;
	SENTENCE(
		"enabling-and-disabling-1 enabling-and-disabling-2 counters-2 refutable-groups-38");
	SENTENCE("broken-groups-3 enabling-and-disabling-7 operations-18");
	group.old_writes = group.record_writes.high;
	group.enabled_stamp = stamp;
	group.record_writes = { 0, 0 };
	group.epoch = (group.epoch + 1) % EPOCHS;
	due_start(g);
	if (!group.records && running()) {
		due_word(g, false);
	} else {
		SENTENCE("operations-1 operations-5");
		group.operation = Operation::ENABLING;
		group.operation_port = NOBODY;
		group.begun = false;
		if (running())
			begin(g, false);
	}
}

void Model::disable_group(unsigned g)
{
	Group &group = this->group[g];

	group.p = {};
	group.members = 0;
	forget_arrivals(group);
	group.broken = group.armed = group.expired = group.black = false;
	group.reason = group.vote = 0;
	group.balance = 0;
	group.result = 0;
	SENTENCE("enabling-and-disabling-3 enabling-and-disabling-4 enabling-and-disabling-5 "
		 "timer-24 operations-20");
	group.missing = {};
	group.operation = Operation::NONE;
	due_stop(g);
	drop_reads(g, NOBODY);
}

/* An operation begins, or begins anew: what it writes and reads it does from now on. */
void Model::begin(unsigned g, bool anew)
{
	Group &group = this->group[g];

	group.begun = true;
	group.failed = false;
	group.answered = false;
	group.checks = group.operation == Operation::ENABLING ? group.records : 1;
	switch (group.operation) {
	case Operation::ENABLING:
		due_begin(g);
		break;
	case Operation::JOINING:
		group.due.joining = {};
		group.due.joins_anew = anew;
		/* Without memory the JOIN fails, if it does not begin anew before. */
		if (!port_addr[group.operation_port])
			dma_errors.high++;
		break;
	default:
		group.answered = !would_read(g, group.operation_port);
		break;
	}
}

bool Model::may_finish(unsigned g) const
{
	const Group &group = this->group[g];

	if (!running() || !group.begun)
		return false;
	switch (group.operation) {
	case Operation::ENABLING:
		return !group.checks || group.broken;
	case Operation::JOINING:
		return !group.checks || group.failed || !port_addr[group.operation_port];
	case Operation::LEAVING:
		return group.answered;
	default:
		return false;
	}
}

/* The operation of the group ends, and has its effect. */
void Model::finish(unsigned g)
{
	Group &group = this->group[g];
	const Operation operation = group.operation;

	group.operation = Operation::NONE;
	switch (operation) {
	case Operation::ENABLING:
		if (!group.failed)
			break;
		SENTENCE("operations-7 operations-8");
		total.failed_enablings++;
		if (group.broken) {
			/* It does not matter what is read: the card may say so, or not. */
			if (!(cause & HBSR_INT_CAUSE_DMA)) {
				maybe_cause |= HBSR_INT_CAUSE_DMA;
				if (running() && (enable & HBSR_INT_CAUSE_DMA))
					raise(0, false);
			}
			break;
		}
		fail_line(g);
		break;
	case Operation::JOINING:
		/* Without memory the JOIN fails, which is one error. */
		if (!port_addr[group.operation_port] && !group.failed) {
			dma_errors.low++;
			group.failed = true;
		}
		if (!group.failed && !group.broken)
			join(g, group.operation_port);
		else {
			SENTENCE("operations-13");
			total.failed_joins++;
		}
		break;
	case Operation::LEAVING:
		SENTENCE("operations-11 operations-12 arrival-lines-36");
		drop_reads(g, group.operation_port);
		leave(g, group.operation_port);
		break;
	default:
		break;
	}
	update(g);
}

bool Model::write_command(unsigned g, uint32_t value, bool busy)
{
	Group &group = this->group[g];
	const unsigned op = FIELD(value, GRP_COMMAND_OP), arg = FIELD(value, GRP_COMMAND_ARG);
	const bool member = arg < parameters.ports && bit(group.p, arg);

	SENTENCE("commands-1 commands-2");
	if (!running() || !enabled(group))
		return false;
	switch (op) {
	case HBSR_OP_BREAK:
		SENTENCE("commands-12 broken-groups-6");
		if (arg < HBSR_REASON_TIMEOUT || arg > HBSR_REASON_OVERFLOW)
			return false;
		break_group(g, arg);
		update(g);
		return true;
	case HBSR_OP_JOIN:
		SENTENCE("commands-3 commands-7 commands-18");
		if (busy || arg >= parameters.ports || member || group.broken)
			return false;
		if ((polls(group) || ports_have_records(group)) && !port_addr[arg])
			return false;
		if (counts(group) && !group.vacant && group.count == COUNT_MAX)
			return false;
		if (polls(group) || ports_have_records(group)) {
			group.operation = Operation::JOINING;
			group.operation_port = arg;
			total.operations++;
			SENTENCE("commands-5 operations-9");
			drop_reads(g, arg);
			begin(g, false);
		} else {
			SENTENCE("commands-4");
			join(g, arg);
		}
		break;
	case HBSR_OP_LEAVE:
		SENTENCE("commands-9 commands-10");
		if (busy || !member)
			return false;
		drop_reads(g, arg);
		if (would_read(g, arg)) {
			group.operation = Operation::LEAVING;
			group.operation_port = arg;
			SENTENCE("operations-10");
			total.operations++;
			begin(g, false);
		} else {
			leave(g, arg);
		}
		break;
	case HBSR_OP_INIT:
		SENTENCE("commands-16 commands-17 reductions-12 refutable-groups-43");
		if (busy || !member || refutable(group) ||
		    (bit(group.s, arg) && reduction(group) != HBSR_REDUCE_NONE))
			return false;
		drop_reads(g, arg);
		take_back(group, arg);
		break;
	default:
		return false;
	}
	update(g);
	return true;
}

unsigned Model::commands(const Access &access) const
{
	Target target;

	if (access.lane || !access.write || find(access, &target) || !target.reg ||
	    target.base != HBSR_GRP_BASE || target.reg->offset != HBSR_GRP_COMMAND)
		return NOBODY;
	return target.g;
}

bool Model::write_arm(unsigned g, uint32_t value)
{
	Group &group = this->group[g];

	if (!running() || !enabled(group))
		return false;
	SENTENCE("interrupts-4 interrupts-5 interrupts-6 interrupts-8");
	if (group.broken || (uint32_t)group.epoch != value)
		raise_group(g);
	else
		group.armed = true;
	return true;
}

uint64_t Model::read_lane(const Access &access)
{
	const unsigned port = access.addr / HBSR_ID_PORT_STRIDE_DEFAULT;
	const unsigned g = access.addr % HBSR_ID_PORT_STRIDE_DEFAULT / HBSR_LANE_STRIDE;
	const unsigned offset = access.addr % HBSR_LANE_STRIDE;
	const bool exists = g < parameters.groups;

	if (port >= parameters.ports || !exists || !is_whole(access.enables)) {
		bad(port, exists ? g : NOBODY);
		return 0;
	}

	Group &group = this->group[g];
	uint64_t value;

	if (offset != HBSR_LANE_DEPARTURE && offset != HBSR_LANE_RESULT &&
	    (offset != HBSR_LANE_WITHDRAW || !refutable(group))) {
		SENTENCE("port-pages-6 port-pages-21");
		return 0;
	}
	if (!bit(group.p, port)) {
		SENTENCE("port-pages-13 port-pages-14 refutable-groups-29");
		foreign_reads++;
		return 0;
	}
	if (offset == HBSR_LANE_WITHDRAW) {
		SENTENCE("refutable-groups-27");
		group.readbacks++;
		value = bit(group.s, port);
	} else if (offset == HBSR_LANE_RESULT) {
		SENTENCE("port-pages-7");
		value = group.result;
	} else {
		SENTENCE("port-pages-16 port-pages-8");
		group.departure_reads++;
		value = word_of(g);
	}
	return value & bytes(access.enables);
}

void Model::write_lane(const Access &access)
{
	const unsigned port = access.addr / HBSR_ID_PORT_STRIDE_DEFAULT;
	const unsigned g = access.addr % HBSR_ID_PORT_STRIDE_DEFAULT / HBSR_LANE_STRIDE;
	const unsigned offset = access.addr % HBSR_LANE_STRIDE;
	const bool exists = g < parameters.groups;
	const uint64_t datum = access.data & bytes(access.enables);

	if (!(parameters.features & HBSR_FEATURE_REFUTABLE) && offset == HBSR_LANE_OPERAND)
		SENTENCE("discovery-16");
	if (port >= parameters.ports || !exists || !is_whole(access.enables)) {
		SENTENCE("port-pages-17 port-pages-18");
		bad(port, exists ? g : NOBODY);
		return;
	}
	SENTENCE("port-pages-1 port-pages-2 port-pages-19 port-pages-20");
	const bool refutes = refutable(group[g]), high = access.enables == 0xf0;

	if (offset == HBSR_LANE_ARRIVAL && !high)
		store(g, port, datum);
	else if (refutes && offset == HBSR_LANE_OPERAND && !high)
		store_operand(g, port, datum);
	else if (refutes && offset == HBSR_LANE_WITHDRAW && !high)
		withdraw(g, port);
	else if (offset == HBSR_LANE_ARRIVAL || offset == HBSR_LANE_DEPARTURE ||
		 offset == HBSR_LANE_RESULT || datum ||
		 (refutes && (offset == HBSR_LANE_OPERAND || offset == HBSR_LANE_WITHDRAW)))
		bad(port, g);
}

/* Steps 1 to 3 of the section "Arrival" */
bool Model::drops(unsigned g, unsigned port)
{
	Group &group = this->group[g];

	if (!running()) {
		SENTENCE("arrival-2 enabling-the-card-reset-1");
		group.refused++;
		violation(HBSR_VIOLATION_REFUSED, port, g);
	} else if (!bit(group.p, port)) {
		SENTENCE("arrival-3 arrival-4 refutable-groups-45");
		group.non_member++;
		violation(HBSR_VIOLATION_NON_MEMBER, port, g);
	} else if (group.broken || polls(group)) {
		SENTENCE("arrival-5 broken-groups-2");
		group.refused++;
		violation(HBSR_VIOLATION_REFUSED, port, g);
	} else {
		return false;
	}
	return true;
}

void Model::store(unsigned g, unsigned port, uint64_t datum)
{
	Group &group = this->group[g];

	if (drops(g, port))
		return;
	if (refutable(group)) {
		store_idle(g, port, datum);
	} else if (counts(group) ? group.arrived == group.count : bit(group.s, port)) {
		SENTENCE("arrival-1 arrival-6 arrival-8");
		if (counts(group) && !group.count)
			SENTENCE("counting-8");
		if (counts(group) && group.vacant)
			SENTENCE("counting-6 counting-7");
		group.double_arrivals++;
		violation(HBSR_VIOLATION_DOUBLE, port, g);
	} else {
		SENTENCE("port-pages-5 port-pages-12");
		arrive(g, port, datum);
	}
}

/* Steps 4 to 7 of a store to ARRIVAL of a refutable group */
void Model::store_idle(unsigned g, unsigned port, uint64_t word)
{
	Group &group = this->group[g];
	const int64_t delta = (int64_t)(word << 16) >> 16;

	SENTENCE("refutable-groups-15 refutable-groups-14 refutable-groups-10");
	if (word >> 50) {
		SENTENCE("refutable-groups-16");
		bad(port, g);
	} else if (bit(group.s, port)) {
		SENTENCE("refutable-groups-17");
		group.double_arrivals++;
		violation(HBSR_VIOLATION_DOUBLE, port, g);
	} else if (group.balance + delta < -BALANCE_LIMIT ||
		   group.balance + delta > BALANCE_LIMIT - 1) {
		SENTENCE("refutable-groups-18 refutable-groups-19");
		break_group(g, HBSR_REASON_OVERFLOW);
		update(g);
		violation(HBSR_VIOLATION_OVERFLOW, port, g);
	} else {
		SENTENCE("refutable-groups-4 refutable-groups-8 refutable-groups-11");
		SENTENCE("refutable-groups-20 refutable-groups-21");
		put(group.v, port, word & HBSR_IDLE_VOTE);
		group.balance += delta;
		group.black |= (word & HBSR_IDLE_FREED) != 0;
		arrive(g, port, 0);
	}
}

void Model::store_operand(unsigned g, unsigned port, uint64_t datum)
{
	Group &group = this->group[g];

	if (drops(g, port))
		return;
	if (bit(group.s, port)) {
		SENTENCE("refutable-groups-31");
		group.double_arrivals++;
		violation(HBSR_VIOLATION_DOUBLE, port, g);
		return;
	}
	SENTENCE("refutable-groups-30 refutable-groups-32 refutable-groups-33");
	group.operand[port] = datum;
}

void Model::withdraw(unsigned g, unsigned port)
{
	Group &group = this->group[g];

	if (drops(g, port))
		return;
	if (!bit(group.s, port)) {
		SENTENCE("refutable-groups-22 refutable-groups-23");
		group.unarrived++;
		violation(HBSR_VIOLATION_UNARRIVED, port, g);
		return;
	}
	take_back(group, port);
	SENTENCE("refutable-groups-5 refutable-groups-24 refutable-groups-25 refutable-groups-26 "
		 "refutable-groups-46");
	group.withdrawals++;
	group.black = true;
	total.withdrawals++;
	update(g);
}

void Model::arrive(unsigned g, unsigned port, uint64_t operand)
{
	Group &group = this->group[g];

	if (!bit(group.s, port))
		group.present++;
	put(group.s, port, true);
	SENTENCE("arrival-7 port-pages-10 timer-6");
	group.arrived++;
	group.arrivals++;
	total.arrivals++;
	if (group.present < group.members && group.timer)
		SENTENCE("timer-7");
	if (!refutable(group) && reduction(group) != HBSR_REDUCE_NONE)
		SENTENCE("port-pages-9 reductions-1 reductions-2 reductions-4");
	if (reduction(group) == HBSR_REDUCE_NONE)
		SENTENCE("port-pages-11");
	if (!refutable(group))
		group.sum = reduce(reduction(group), group.sum, operand);
	evaluate(g);
	update(g);
}

void Model::evaluate(unsigned g)
{
	Group &group = this->group[g];
	const bool reduces = reduction(group) != HBSR_REDUCE_NONE;

	if (!enabled(group) || group.broken || group.vacant)
		return;
	if (!group.members || (counts(group) ? !group.count || group.arrived != group.count
					     : group.present != group.members || group.balance))
		return;
	if (refutable(group)) {
		group.vote = (group.v == group.p) | any(group.v) << 1;
		group.sum = identity(reduction(group));
		for (unsigned i = 0; i < parameters.ports; i++)
			if (bit(group.p, i))
				group.sum = reduce(reduction(group), group.sum, group.operand[i]);
		group.black = false;
		SENTENCE("completion-5 refutable-groups-6 refutable-groups-36");
		total.completions_refutable++;
	}
	total.completions++;
	total.completions_reduced += reduces;
	SENTENCE("completion-1 completion-2 completion-3 completion-6 completion-7 completion-8 "
		 "timer-11 timer-21 counting-1");
	SENTENCE("modes-3 modes-4 modes-5 modes-6 modes-8 completion-4 seats-4");
	if (reduction(group) == HBSR_REDUCE_VOTE)
		SENTENCE("reductions-5 reductions-6");
	if (!refutable(group))
		SENTENCE("state-of-a-group-14");
	total.completions_counted += counts(group);
	total.completions_polled += polls(group);
	group.result = group.sum;
	forget_arrivals(group);
	group.epoch = (group.epoch + 1) % EPOCHS;
	group.completions++;
	group.expired = false;
	group.timer = false;
	due_word(g, reduces);
	raise_armed(g);
}

void Model::take_back(Group &group, unsigned port)
{
	if (!bit(group.s, port))
		return;
	if (counts(group))
		SENTENCE("counting-9");
	put(group.s, port, false);
	put(group.v, port, false);
	group.arrived--;
	group.present--;
}

void Model::join(unsigned g, unsigned port)
{
	Group &group = this->group[g];

	put(group.p, port, true);
	group.members++;
	SENTENCE("refutable-groups-34 seats-2 seats-5 completion-3 counting-5");
	group.operand[port] = 0;
	total.joins++;
	SENTENCE("commands-8 commands-11");
	if (group.vacant) {
		group.vacant--;
	} else if (counts(group)) {
		SENTENCE("counting-4");
		group.count++;
	}
	if (ports_have_records(group))
		due_join(g, port);
	evaluate(g);
}

void Model::leave(unsigned g, unsigned port)
{
	Group &group = this->group[g];

	if (bit(group.s, port) && reduction(group) != HBSR_REDUCE_NONE)
		SENTENCE("reductions-10 reductions-11 reductions-13");
	if (refutable(group))
		SENTENCE("refutable-groups-40");
	take_back(group, port);
	put(group.p, port, false);
	group.members--;
	total.leaves++;
	if (group.vacant) {
		SENTENCE("seats-3");
		group.vacant++;
	} else if (counts(group) && group.count)
		group.count--;
	if (ports_have_records(group))
		due_leave(g, port);
	evaluate(g);
}

void Model::break_group(unsigned g, unsigned reason)
{
	Group &group = this->group[g];

	if (group.broken)
		return;
	total.breaks++;
	group.broken = true;
	SENTENCE("broken-groups-5");
	SENTENCE("commands-13 commands-14 commands-15 reductions-8 refutable-groups-39 "
		 "refutable-groups-47 broken-groups-1 broken-groups-4");
	group.reason = reason;
	forget_arrivals(group);
	due_word(g, false);
	raise_armed(g);
}

/* The card could not read a line, or a record is not memory. */
void Model::fail_line(unsigned g)
{
	break_group(g, HBSR_REASON_DMA);
	set_cause(HBSR_INT_CAUSE_DMA);
	update(g);
}

/* After the last record of the group, as the card knows that a write failed */
void Model::fail_records(unsigned g)
{
	Due &due = group[g].due;

	SENTENCE("what-a-card-knows-of-its-writes-5 what-a-card-knows-of-its-writes-8 "
		 "what-a-card-knows-of-its-writes-13");
	if (!due.failed)
		dma_errors.low++;
	due.failed = false;
	fail_line(g);
}

void Model::expire(unsigned g)
{
	Group &group = this->group[g];

	SENTENCE("timer-12 timer-13 timer-14 timer-17 timer-20");
	total.expiries++;
	for (unsigned i = 0; i < group.p.size(); i++)
		group.missing[i] = group.p[i] & ~group.s[i];
	group.expired = true;
	if (FIELD(group.ctrl, GRP_CTRL_POLICY) == HBSR_POLICY_BREAK) {
		SENTENCE("timer-15 timer-16 timer-22");
		break_group(g, HBSR_REASON_TIMEOUT);
	} else {
		SENTENCE("timer-18 timer-19");
	}
	if (!any(group.missing))
		SENTENCE("timer-25");
	int_timeouts[g / 64] |= 1ULL << g % 64;
	set_cause(HBSR_INT_CAUSE_TIMEOUT);
	update(g);
}

void Model::raise_armed(unsigned g)
{
	if (!group[g].armed)
		return;
	SENTENCE("completion-9 interrupts-7");
	group[g].armed = false;
	raise_group(g);
}

void Model::raise_group(unsigned g)
{
	SENTENCE("interrupts-1 interrupts-2 interrupts-18");
	group[g].interrupts++;
	int_groups[g / 64] |= 1ULL << g % 64;
	raise(group[g].vector, true);
}

/* By a cause, if the card is enabled; by a group also if it breaks while the card is not. */
void Model::raise(unsigned vector, bool needed)
{
	total.raises++;
	raises[vector].push_back({ stamp, needed });
}

bool Model::has_line(unsigned g) const
{
	const Group &group = this->group[g];

	return running() && enabled(group) && polls(group) && !group.broken &&
	       group.present < group.members && (!counts(group) || group.arrived < group.count);
}

bool Model::would_read(unsigned g, unsigned port) const
{
	return has_line(g) && bit(group[g].p, port) && !bit(group[g].s, port);
}

void Model::answer(HostRead &read, bool failed, uint64_t data)
{
	const unsigned g = read.group;
	Group &group = this->group[g];
	const bool last = read.use == Use::LAST_WORD || read.use == Use::LAST_OPERAND;

	SENTENCE("arrival-lines-14 arrival-lines-15 arrival-lines-39");
	if (failed)
		dma_errors.add(1);
	if (read.use == Use::CHECK) {
		const bool joining = group.operation == Operation::JOINING;
		const bool matters = !joining || ports_have_records(group);

		if (!failed && matters && data != read.expected) {
			/* What was not written, or was overwritten, need not be found. */
			if (group.broken || group.due.failed || group.failed)
				dma_errors.high++;
			else
				dma_errors.add(1);
			failed = true;
		}
		group.failed |= failed;
		if (group.checks)
			group.checks--;
		/* What is read for an operation that ended as the group broke is no matter. */
		if (failed && group.operation == Operation::NONE)
			maybe_cause |= HBSR_INT_CAUSE_DMA & ~cause;
		return;
	}
	SENTENCE("arrival-lines-8 arrival-lines-10");
	group.answered |= last;
	if (!would_read(g, read.port))
		return;
	if (failed) {
		SENTENCE("arrival-lines-40 what-a-card-knows-of-its-writes-6");
		fail_line(g);
		return;
	}
	SENTENCE("arrival-lines-16 arrival-lines-19");
	group.line_reads++;
	if (read.use == Use::OPERAND || read.use == Use::LAST_OPERAND) {
		SENTENCE("arrival-lines-11");
		if (read.expected == awaited(g))
			arrive(g, read.port, data);
	} else if (data != awaited(g)) {
		SENTENCE("arrival-lines-4 arrival-lines-5 arrival-lines-9");
	} else {
		SENTENCE("arrival-lines-1 arrival-lines-2 arrival-lines-3 arrival-lines-12");
		if (reduction(group) == HBSR_REDUCE_NONE) {
			arrive(g, read.port, 0);
		} else {
			seen[g << 16 | read.port] = data;
			group.answered &= !last;
		}
	}
}

/* After each step: does the timer run, and is there a line to read? */
void Model::update(unsigned g)
{
	Group &group = this->group[g];
	const bool wanted = running() && group.timeout && group.arrived && !group.expired;

	if (!wanted && group.timer)
		SENTENCE("timer-8");
	if (wanted && !group.timer) {
		SENTENCE("timer-1 timer-9");
		group.timer_since = now;
		group.timer_latest = latest;
	}
	group.timer = wanted;
	update_poll(g);
}

uint64_t Model::seen_word(unsigned g, unsigned port) const
{
	const auto found = seen.find(g << 16 | port);

	return found == seen.end() ? 0 : found->second;
}

/* Since when some group has a line to read; 0: none has. */
void Model::update_poll(unsigned g)
{
	const bool has = has_line(g);

	lines += has - group[g].line;
	group[g].line = has;
	if (!lines)
		poll_since = 0;
	else if (!poll_since)
		poll_since = now + 1;
}

void Model::reset()
{
	ready = false;
	ctrl = tag = cause = maybe_cause = enable = 0;
	poll = HBSR_CTL_POLL_DEFAULT;
	int_groups = {};
	int_timeouts = {};
	violations = bad_accesses = violation_last = foreign_reads = 0;
	SENTENCE(
		"enabling-the-card-reset-10 enabling-the-card-reset-13 enabling-the-card-reset-14");
	dma_errors = interrupts = { 0, 0 };
	poll_since = 0;
	lines = 0;
	resets++;
	total.resets++;
	dirty.clear();
	open.clear();
	for (Group &group : this->group) {
		group = {};
		group.operand.resize(parameters.ports);
		group.due.record.resize(16);
		group.due.member.resize(parameters.ports);
	}
	for (uint64_t &addr : port_addr)
		addr = 0;
	for (auto &list : raises)
		for (Raise &raise : list)
			raise.needed = false;
	drop_reads(NOBODY, NOBODY);
	if (moved)
		moved(context);
}

void Model::end_reset()
{
	ready = true;
	for (auto &list : raises)
		list.clear();
	for (unsigned &n : spare)
		n = 0;
}
} // namespace hbs
