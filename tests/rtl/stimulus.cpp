/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stimulus.h"

#include <algorithm>

namespace hbs
{
namespace
{
constexpr unsigned PATIENCE = 4000; /* looks at a group that is busy */
}

const char *const Stimulus::kind_names[16] = { "arrivals",  "lines",	"loads",      "withdrawals",
					       "operands",  "commands", "armings",    "setups",
					       "registers", "bad",	"interrupts", "card",
					       "moves",	    "resets",	"flushes",    "others" };

Stimulus::Stimulus(Model &model, Host &host, Random &random, const Manner &manner)
    : model(model), host(host), random(random), manner(manner)
{
	const unsigned active = std::min(manner.active, model.parameters.groups);

	while (plans.size() < active) {
		const unsigned g = random.one_in(3)
					   ? model.parameters.groups - 1 - random.below(active)
					   : random.below(model.parameters.groups);
		bool taken = false;

		for (const Plan &plan : plans)
			taken |= plan.g == g;
		if (!taken)
			plans.push_back({ g, {}, 0, 0 });
	}
	push(plans[0], CARD, write(HBSR_CTL_CTRL, HBSR_CTL_CTRL_ENABLE, 4));
	card = plans[0].items;
	plans[0].items.clear();
}

Access Stimulus::read(uint32_t addr, unsigned size)
{
	return { false, false, addr & ~7u, (uint8_t)(size == 8 ? 0xff : addr & 4 ? 0xf0 : 0x0f),
		 0,	0 };
}

Access Stimulus::write(uint32_t addr, uint64_t value, unsigned size)
{
	Access access = read(addr, size);

	access.write = true;
	access.data = size == 4 && addr & 4 ? value << 32 : value;
	return access;
}

void Stimulus::push(Plan &plan, Kind kind, const Access &access, bool waits)
{
	plan.items.push_back({ access, kind, waits, false, 0 });
}

void Stimulus::lane(Plan &plan, Kind kind, unsigned port, uint32_t offset, uint64_t datum)
{
	const uint32_t addr =
		port * HBSR_ID_PORT_STRIDE_DEFAULT + plan.g * HBSR_LANE_STRIDE + offset;
	Access access = write(addr, datum, datum >> 32 || random.one_in(2) ? 8 : 4);

	access.lane = true;
	push(plan, kind, access);
}

uint64_t Stimulus::random_datum()
{
	switch (random.below(4)) {
	case 0:
		return random.below(3);
	case 1:
		return ~(uint64_t)random.below(3);
	case 2:
		return 1ULL << random.below(64);
	default:
		return random.next();
	}
}

unsigned Stimulus::random_member(const Group &group)
{
	const unsigned ports = model.parameters.ports, first = random.below(ports);

	for (unsigned i = 0; i < ports && group.members; i++)
		if (bit(group.p, (first + i) % ports))
			return (first + i) % ports;
	return first;
}

/* A value of GRP_CTRL, with what the card can do */
uint32_t Stimulus::choose(unsigned g)
{
	const uint64_t features = model.parameters.features;
	uint32_t ctrl = HBSR_GRP_CTRL_ENABLE;

	(void)g;
	if (manner.plain)
		return ctrl;
	if (features & HBSR_FEATURE_REFUTABLE && random.one_in(4)) {
		ctrl |= HBSR_TYPE_REFUTABLE << HBSR_GRP_CTRL_TYPE_SHIFT;
	} else {
		if (features & HBSR_FEATURE_COUNTING && random.one_in(4))
			ctrl |= HBSR_COMPLETION_COUNT << HBSR_GRP_CTRL_COMPLETION_SHIFT;
		if (features & HBSR_FEATURE_POLL_ARRIVAL && random.one_in(3))
			ctrl |= HBSR_ARRIVAL_POLL << HBSR_GRP_CTRL_ARRIVAL_SHIFT;
	}
	if (features & HBSR_FEATURE_PORT_RECORD && random.one_in(3))
		ctrl |= HBSR_DEPARTURE_PORT << HBSR_GRP_CTRL_DEPARTURE_SHIFT;
	if (features & HBSR_FEATURE_REDUCE && random.one_in(2))
		ctrl |= random.below(HBSR_REDUCE_VOTE + 1) << HBSR_GRP_CTRL_REDUCE_SHIFT;
	if (features & HBSR_FEATURE_TIMEOUT && random.one_in(2))
		ctrl |= HBSR_POLICY_NOTIFY << HBSR_GRP_CTRL_POLICY_SHIFT;
	return ctrl;
}

void Stimulus::command(Plan &plan, unsigned op, unsigned arg)
{
	push(plan, COMMAND,
	     write(of_group(plan.g, HBSR_GRP_COMMAND), op | arg << HBSR_GRP_COMMAND_ARG_SHIFT, 4),
	     op != HBSR_OP_BREAK && !random.one_in(20));
}

void Stimulus::join_some(Plan &plan)
{
	const Group &group = model.group[plan.g];
	const unsigned ports = model.parameters.ports;
	unsigned first = random.below(ports), missing = 0;

	missing = plan.target > group.members ? plan.target - group.members : 0;
	for (unsigned i = 0; i < ports && missing; i++) {
		const unsigned port = (first + i * (ports % 7 ? 7 : 1)) % ports;

		if (bit(group.p, port))
			continue;
		missing--;
		/* A port gets a memory before it joins, if it has none. */
		if (!model.port_addr[port] &&
		    model.parameters.features &
			    (HBSR_FEATURE_POLL_ARRIVAL | HBSR_FEATURE_PORT_RECORD)) {
			const uint64_t memory = host.new_memory(port);

			push(plan, MOVE, write(HBSR_PRT_BASE + port * HBSR_PRT_STRIDE, memory, 8));
			if (manner.spoils && random.one_in(manner.spoils))
				host.spoil(memory + plan.g * HBSR_MEMORY_STRIDE +
					   HBSR_MEMORY_DEPARTURE);
		}
		command(plan, HBSR_OP_JOIN, port);
	}
}

void Stimulus::set_up(Plan &plan)
{
	static const unsigned TIMEOUTS[] = { 1, 500, 3000, 20000, 100000 };
	const uint64_t features = model.parameters.features;
	const unsigned g = plan.g, records = random.one_in(3) ? 0
					     : random.one_in(2)
						     ? 1
						     : random.below(model.parameters.records + 1);
	uint64_t timeout = random.one_in(2)   ? 0
			   : random.one_in(4) ? random.next() >> 16 >> random.below(30)
					      : TIMEOUTS[random.below(5)];

	plan.target = 1 + random.below(std::min(manner.members, model.parameters.ports));
	for (unsigned i = 0; i < records; i++) {
		const uint64_t addr = host.new_record(g);

		push(plan, SETUP, write(of_group(g, HBSR_GRP_RECORD_ADDR(i)), addr, 8));
		if (manner.spoils && random.one_in(manner.spoils))
			host.spoil(addr);
	}
	push(plan, SETUP, write(of_group(g, HBSR_GRP_RECORDS), records, 4));
	push(plan, SETUP,
	     write(of_group(g, HBSR_GRP_VACANT), random.one_in(4) ? 0 : plan.target, 4));
	push(plan, SETUP, write(of_group(g, HBSR_GRP_VECTOR), random.below(VECTORS), 4));
	if (features & HBSR_FEATURE_TIMEOUT)
		push(plan, SETUP, write(of_group(g, HBSR_GRP_TIMEOUT), timeout, 8));
	if (features & HBSR_FEATURE_COUNTING)
		push(plan, SETUP,
		     write(of_group(g, HBSR_GRP_COUNT),
			   random.one_in(12)  ? 0xffff - random.below(2)
			   : random.one_in(4) ? random.below(4)
					      : plan.target,
			   4));
	if (random.one_in(8))
		push(plan, SETUP, write(of_group(g, HBSR_GRP_CTRL), choose(g) & ~1u, 4));
	push(plan, SETUP, write(of_group(g, HBSR_GRP_CTRL), choose(g), 4), !random.one_in(4));
	push(plan, FLUSH, read(of_group(g, HBSR_GRP_STATUS), 4));
}

void Stimulus::tear_down(Plan &plan)
{
	uint32_t ctrl = model.group[plan.g].ctrl;

	if (random.one_in(2))
		command(plan, HBSR_OP_BREAK, 1 + random.below(7));
	if (random.one_in(2))
		push(plan, FLUSH, read(of_group(plan.g, HBSR_GRP_STATUS), 4));
	push(plan, SETUP,
	     write(of_group(plan.g, HBSR_GRP_CTRL), random.one_in(2) ? 0 : ctrl & ~1u, 4));
	if (random.one_in(2))
		push(plan, FLUSH, read(of_group(plan.g, HBSR_GRP_STATUS), 4));
}

/* So many in a hundred members of those that are missing arrive. */
void Stimulus::arrivals(Plan &plan, unsigned percent)
{
	const Group &group = model.group[plan.g];
	std::vector<unsigned> ports;
	int64_t balance = group.balance;

	for (unsigned i = 0; i < model.parameters.ports; i++)
		if (bit(group.p, i) && (!bit(group.s, i) || random.one_in(50)) &&
		    random.below(100) < percent)
			ports.push_back(i);
	for (size_t i = ports.size(); i > 1; i--)
		std::swap(ports[i - 1], ports[random.below(i)]);
	if (model.polls(group)) {
		for (unsigned port : ports)
			plan.items.push_back({ {}, LINE, false, true, port });
		return;
	}
	for (unsigned port : ports) {
		uint64_t datum = random_datum();

		if (model.refutable(group)) {
			int64_t delta = (int64_t)random.below(7) - 3;

			if (random.one_in(400))
				delta = (int64_t)(random.next() << 16) >> 16;
			/* what BALANCE can just take, or just not */
			if (random.one_in(60))
				delta = (balance < 0 ? -(1LL << 47) : (1LL << 47) - 1) - balance +
					(int64_t)random.below(3) - 1;
			if (port == ports.back() && !random.one_in(8))
				delta = -balance;
			balance += delta;
			datum = ((uint64_t)delta & HBSR_IDLE_DELTA) |
				(random.one_in(2) ? HBSR_IDLE_VOTE : 0) |
				(random.one_in(3) ? HBSR_IDLE_FREED : 0);
			if (random.one_in(200))
				datum |= 1ULL << (50 + random.below(14));
			if (random.one_in(6))
				lane(plan, OPERAND, port, HBSR_LANE_OPERAND, random_datum());
			lane(plan, ARRIVE, port, HBSR_LANE_ARRIVAL, datum);
			if (random.one_in(10)) {
				lane(plan, WITHDRAW, port, HBSR_LANE_WITHDRAW, random_datum());
				if (!random.one_in(3))
					lane(plan, ARRIVE, port, HBSR_LANE_ARRIVAL,
					     random.one_in(2) ? HBSR_IDLE_VOTE : 0);
			}
			continue;
		}
		lane(plan, ARRIVE, port, HBSR_LANE_ARRIVAL, datum);
		if (model.counts(group))
			while (random.one_in(3))
				lane(plan, ARRIVE, port, HBSR_LANE_ARRIVAL, random_datum());
	}
}

/* What a member does that arrives by its line */
void Stimulus::store_line(unsigned g, unsigned port)
{
	uint64_t word = model.awaited(g), line;

	if (!model.port_addr[port])
		return;
	line = model.port_addr[port] + g * HBSR_MEMORY_STRIDE + HBSR_MEMORY_ARRIVAL;
	switch (random.below(30)) {
	case 0:
		word += 1ULL << HBSR_WORD_EPOCH_SHIFT;
		break;
	case 1:
		word |= 1ULL << random.below(16);
		break;
	}
	host.store(line + HBSR_LINE_OPERAND, random_datum());
	host.store(line + HBSR_LINE_WORD, word);
}

/* What a group does next */
void Stimulus::plan(Plan &plan)
{
	const Group &group = model.group[plan.g];

	plan.waited = 0;
	if (!model.enabled(group)) {
		set_up(plan);
		return;
	}
	if (group.broken ? random.one_in(4) : random.one_in(manner.changes)) {
		tear_down(plan);
		return;
	}
	if (group.members < plan.target && !random.one_in(8)) {
		join_some(plan);
		return;
	}
	switch (random.below(16)) {
	case 0:
	case 1:
		push(plan, ARM,
		     write(of_group(plan.g, HBSR_GRP_ARM), group.epoch - random.one_in(8), 4));
		break;
	case 2:
		command(plan, HBSR_OP_LEAVE, random_member(group));
		break;
	case 3:
		command(plan, HBSR_OP_INIT, random_member(group));
		break;
	case 4:
		if (random.one_in(12))
			command(plan, HBSR_OP_BREAK, random.below(10));
		else
			command(plan, random.below(6), random.below(model.parameters.ports + 2));
		break;
	case 5:
		if (random.one_in(2))
			join_some(plan);
		plan.target = std::max(1u, plan.target + random.below(3) - 1);
		plan.target = std::min(plan.target, model.parameters.ports);
		break;
	case 6: {
		Access access = read(random_member(group) * HBSR_ID_PORT_STRIDE_DEFAULT +
					     plan.g * HBSR_LANE_STRIDE + HBSR_LANE_DEPARTURE,
				     8);
		access.lane = true;
		push(plan, LOAD, access);
		access.addr += 8;
		push(plan, LOAD, access);
		access.addr += HBSR_LANE_WITHDRAW - HBSR_LANE_RESULT;
		push(plan, LOAD, access);
		break;
	}
	case 7:
		lane(plan, WITHDRAW, random_member(group), HBSR_LANE_WITHDRAW, random_datum());
		break;
	case 8:
		arrivals(plan, 30);
		break;
	default:
		arrivals(plan, 100);
		break;
	}
}

/* An offset where something may be, for a read */
Access Stimulus::random_register()
{
	static const uint32_t BLOCKS[][2] = { { HBSR_ID_MAGIC, 0xa0 },
					      { HBSR_CTL_CTRL, 0x18 },
					      { HBSR_INT_CAUSE, 0x28 },
					      { HBSR_CNT_VIOLATIONS, 0x38 } };
	const unsigned size = random.one_in(2) ? 8 : 4;
	uint32_t addr;

	if (random.one_in(3)) {
		const uint32_t *block = BLOCKS[random.below(4)];

		addr = block[0] + random.below(block[1] / 4) * 4;
	} else if (random.one_in(8)) {
		addr = HBSR_PRT_BASE + random.below(model.parameters.ports + 2) * HBSR_PRT_STRIDE;
	} else {
		const unsigned g =
			random.one_in(20) ? random.below(128) : plans[random.below(plans.size())].g;

		addr = of_group(g, random.below(HBSR_GRP_STRIDE / 8) * 8);
		if (random.one_in(2))
			addr = of_group(g, random.below(0x14) * 4);
		if (random.one_in(3))
			addr = of_group(g, HBSR_GRP_COMPLETIONS + random.below(12) * 8);
	}
	/* Of registers of 32 bits few are read by 8 bytes, which is bad. */
	if (size == 8 && random.one_in(8))
		return read(addr & ~7u, 8);
	return read(addr, addr >= HBSR_GRP_BASE && (addr & 0x3ff) >= 0x80 ? size : 4);
}

Access Stimulus::random_bad()
{
	Access access = {};

	access.write = random.one_in(2);
	access.lane = random.one_in(2);
	access.data = random.one_in(3) ? 0 : random_datum();
	access.enables = random.one_in(2) ? random.next() : random.one_in(2) ? 0xff : 0xf0;
	if (access.lane) {
		access.addr = random.below(random.one_in(2) ? model.parameters.ports + 2 : 1024) *
				      HBSR_ID_PORT_STRIDE_DEFAULT +
			      random.below(random.one_in(2) ? model.parameters.groups + 1 : 512) *
				      HBSR_LANE_STRIDE +
			      random.below(16) * 8;
		access.addr &= (1u << 26) - 1;
		return access;
	}
	switch (random.below(4)) {
	case 0:
		access.addr = random.below(HBSR_BAR0_SIZE / 8) * 8;
		break;
	case 1:
		access.addr = random.below(0x200 / 8) * 8;
		break;
	default:
		access.addr = of_group(plans[random.below(plans.size())].g,
				       random.below(HBSR_GRP_STRIDE / 8) * 8);
		break;
	}
	/* A reset by chance, and a card that stands still, come seldom enough. */
	if (access.addr == HBSR_CTL_CTRL && access.write)
		access.data &= 0x7fffffff;
	if (access.addr == HBSR_CTL_CTRL && access.write && access.enables == 0x0f)
		access.data |= 1;
	/* A port's memory moves only to an address that is its own. */
	/* All records that a group has have addresses. */
	if (access.addr >= HBSR_GRP_BASE && access.addr < HBSR_PRT_BASE &&
	    (access.addr & 0x3f8) == HBSR_GRP_RECORDS)
		access.data |= 0x100;
	if (access.addr >= HBSR_PRT_BASE) {
		access.data |= 8;
		access.enables = access.enables == 0xf0 ? 0xff : access.enables;
	}
	if (access.addr >= HBSR_GRP_BASE && access.addr < HBSR_PRT_BASE &&
	    (access.addr & 0x3f8) >= HBSR_GRP_RECORD_ADDR(0) &&
	    (access.addr & 0x3f8) < HBSR_GRP_P(0)) {
		access.data |= 1;
		access.enables = access.enables == 0xf0 ? 0xff : access.enables;
	}
	return access;
}

bool Stimulus::noise(Access *access, Kind *kind)
{
	const unsigned ports = model.parameters.ports;

	switch (random.below(8)) {
	case 0:
	case 1:
		*kind = REGISTER;
		*access = random_register();
		return true;
	case 2:
		*kind = BAD;
		*access = random_bad();
		return true;
	case 3: {
		/* A member, or another port, stores or loads somewhere in its lane. */
		const unsigned g = plans[random.below(plans.size())].g;
		const uint32_t addr =
			random.below(ports) * HBSR_ID_PORT_STRIDE_DEFAULT + g * HBSR_LANE_STRIDE;

		*kind = ARRIVE;
		*access = write(addr + random.below(3) * 8, random.one_in(2) ? 0 : random_datum(),
				random.one_in(3) ? 4 : 8);
		access->lane = true;
		return true;
	}
	case 4: {
		const unsigned g = plans[random.below(plans.size())].g;

		*kind = LOAD;
		*access = read(random.below(ports) * HBSR_ID_PORT_STRIDE_DEFAULT +
				       g * HBSR_LANE_STRIDE + random.below(16) * 8 +
				       (random.one_in(3) ? 4 : 0),
			       random.one_in(2) ? 8 : 4);
		access->lane = true;
		return true;
	}
	case 5:
		*kind = INTERRUPT;
		switch (random.below(4)) {
		case 0:
			*access = write(HBSR_INT_ENABLE, random.below(8), 4);
			break;
		case 1:
			*access = write(HBSR_INT_GROUPS(random.below(2)), random.next(), 8);
			break;
		case 2:
			*access = write(HBSR_INT_TIMEOUTS(random.below(2)), random.next(), 8);
			break;
		default:
			*access = write(HBSR_INT_CAUSE, random.below(8), 4);
			break;
		}
		return true;
	case 6:
		*kind = CARD;
		if (random.one_in(3)) {
			*access = write(HBSR_CTL_TAG, random.next(), 4);
			return true;
		}
		if (random.one_in(3)) {
			*access = write(
				HBSR_CTL_POLL,
				random.one_in(4) ? random.next() : 1000 + random.below(4000), 4);
			return true;
		}
		*access = read(HBSR_CTL_STATUS, 4);
		return true;
	default: {
		/* A read or write of no byte */
		*kind = FLUSH;
		*access = random_register();
		access->write = random.one_in(3);
		access->enables = 0;
		return true;
	}
	}
}

bool Stimulus::is_empty() const
{
	return card.empty();
}

bool Stimulus::next(Access *access)
{
	Kind kind = OTHER;

	/* After a reset the plans are for groups that are no more. */
	if (seen_resets != model.resets) {
		seen_resets = model.resets;
		for (Plan &plan : plans)
			plan.items.clear();
	}
	if (!card.empty()) {
		*access = card.front().access;
		kinds[card.front().kind]++;
		card.pop_front();
		return true;
	}
	if (stopped || (!model.ready && !random.one_in(20)))
		return false;
	if (!model.running() && model.ready && random.one_in(200)) {
		*access = write(HBSR_CTL_CTRL, HBSR_CTL_CTRL_ENABLE, 4);
		kinds[CARD]++;
		return true;
	}
	if (manner.disables && random.one_in(manner.disables)) {
		*access = write(HBSR_CTL_CTRL, 0, 4);
		kinds[CARD]++;
		for (unsigned i = 0; random.one_in(2) && i < 8; i++)
			card.push_back({ read(HBSR_CTL_STATUS, 4), CARD, false, false, 0 });
		if (random.one_in(2))
			card.push_back({ write(HBSR_CTL_CTRL, HBSR_CTL_CTRL_ENABLE, 4), CARD, false,
					 false, 0 });
		return true;
	}
	if (manner.resets && random.one_in(manner.resets)) {
		*access = write(HBSR_CTL_CTRL, HBSR_CTL_CTRL_RESET | random.below(2), 4);
		kinds[RESET]++;
		return true;
	}
	if (manner.moves && random.one_in(manner.moves)) {
		const unsigned port =
			random.one_in(2)
				? random.below(model.parameters.ports)
				: random_member(model.group[plans[random.below(plans.size())].g]);

		*access = write(HBSR_PRT_BASE + port * HBSR_PRT_STRIDE,
				random.one_in(6) ? 0 : host.new_memory(port), 8);
		kinds[MOVE]++;
		return true;
	}
	if (manner.noise && random.one_in(manner.noise)) {
		noise(access, &kind);
		kinds[kind]++;
		return true;
	}
	for (unsigned tries = 0; tries < 3 && model.ready; tries++) {
		Plan &p = plans[random.below(plans.size())];

		if (p.items.empty())
			plan(p);
		if (p.items.empty())
			continue;
		Item item = p.items.front();

		if (item.waits && model.group[p.g].operation != Operation::NONE &&
		    p.waited++ < PATIENCE)
			continue;
		p.waited = 0;
		p.items.pop_front();
		kinds[item.kind]++;
		if (item.stores) {
			store_line(p.g, item.port);
			continue;
		}
		*access = item.access;
		return true;
	}
	return false;
}
} // namespace hbs
