/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Operations that the model follows: good and bad values of every register, arrivals of
 * all kinds, lines, time, and saving and loading.
 */
#include "hostile.h"

/* Memories of ports and records that are good are in this part of memory. */
#define GOOD_FROM 0x100000
#define GOOD_TO	  0xf00000

/* What has changed, for the comparison */
struct outcome {
	unsigned int g;
	unsigned int violations;
	bool time;	    /* it has gone by */
	bool unforeseeable; /* when DMA fails in the middle of it */
	bool leak;	    /* a port has seen what it must not see */
};

static bool is_good(uint64_t address)
{
	return address >= GOOD_FROM && address < GOOD_TO;
}

static unsigned int any_port(struct guest *guest)
{
	return below(guest, guest->ref.ports);
}

/* Mostly one of the first three, so that a group is complete at times */
static unsigned int likely_port(struct guest *guest)
{
	unsigned int port = below(guest, 16) ? below(guest, 3) : any_port(guest);

	return port % guest->ref.ports;
}

/* Mostly one that is, or is not, in this mask */
static unsigned int port_in(struct guest *guest, const uint64_t *mask, bool in)
{
	unsigned int port = likely_port(guest), i;

	for (i = 0; i < 4 && below(guest, 8) && (mask[port / 64] >> port % 64 & 1) != in; i++)
		port = likely_port(guest);
	return port;
}

/* Mostly such that the balance gets to 0 at times, or leaves its bits */
static uint64_t idle_word(struct guest *guest, unsigned int g)
{
	const int64_t limit = 1LL << 47;
	int64_t sum = guest->ref.group[g].balance, delta;
	uint64_t flags =
		(below(guest, 2) ? HBSR_IDLE_FREED : 0) | (below(guest, 3) ? HBSR_IDLE_VOTE : 0);

	switch (below(guest, 16)) {
	case 0:
		return below(guest, UINT64_MAX);
	case 1:
		delta = below(guest, 2) ? limit - 1 : -limit;
		break;
	case 2:
		delta = limit - sum - below(guest, 2);
		break;
	case 3:
		delta = -limit - sum - below(guest, 2);
		break;
	case 4:
		flags |= 1ULL << below(guest, 64);
		/* fall through */
	case 5:
	case 6:
	case 7:
		delta = (int64_t)below(guest, 7) - 3;
		break;
	default:
		delta = -sum;
	}
	return (delta & HBSR_IDLE_DELTA) ^ flags;
}

/* A store of 8 bytes or of 4; returns what the card gets */
static uint64_t store(struct guest *guest, uint64_t at, uint64_t datum)
{
	if (below(guest, 8)) {
		qtest_writeq(guest->card.qts, at, datum);
		return datum;
	}
	qtest_writel(guest->card.qts, at, datum);
	return (uint32_t)datum;
}

static struct outcome careful_arrival(struct guest *guest, unsigned int g)
{
	unsigned int port = port_in(guest, guest->ref.group[g].s, false);
	uint64_t datum = reference_refutable(&guest->ref, g) ? idle_word(guest, g)
							     : below(guest, UINT64_MAX);

	datum = store(guest, lane(&guest->card, port, g) + HBSR_LANE_ARRIVAL, datum);
	return (struct outcome){ .g = g,
				 .violations = reference_arrive(&guest->ref, port, g, datum) };
}

static struct outcome careful_operand(struct guest *guest, unsigned int g)
{
	unsigned int port = port_in(guest, guest->ref.group[g].s, false);
	uint64_t datum = below(guest, 4) ? below(guest, UINT64_MAX) : below(guest, 2);

	datum = store(guest, lane(&guest->card, port, g) + HBSR_LANE_OPERAND, datum);
	return (struct outcome){ .g = g,
				 .violations = reference_operand(&guest->ref, port, g, datum) };
}

static struct outcome careful_withdraw(struct guest *guest, unsigned int g)
{
	unsigned int port = port_in(guest, guest->ref.group[g].s, true);
	uint64_t datum = below(guest, 2);

	datum = store(guest, lane(&guest->card, port, g) + HBSR_LANE_WITHDRAW, datum);
	return (struct outcome){ .g = g,
				 .violations = reference_withdraw(&guest->ref, port, g, datum) };
}

/* Whether the member is idle, which nobody else sees */
static struct outcome careful_readback(struct guest *guest, unsigned int g)
{
	unsigned int port = likely_port(guest);
	uint64_t seen = is_idle(&guest->card, port, g);
	uint64_t is = reference_is_idle(&guest->ref, port, g);

	return (struct outcome){ .g = g, .leak = seen != is };
}

static uint64_t line_address(const struct guest *guest, unsigned int port, unsigned int g)
{
	return guest->ref.port_addr[port] + g * HBSR_MEMORY_STRIDE + HBSR_MEMORY_ARRIVAL;
}

static struct outcome careful_line(struct guest *guest, unsigned int g)
{
	unsigned int port = port_in(guest, guest->ref.group[g].s, false);
	uint64_t word = reference_awaited(&guest->ref, g);

	if (!below(guest, 4))
		word += epoch_word(below(guest, 3)) - epoch_word(1) + below(guest, 2);
	if (is_good(line_address(guest, port, g)))
		qtest_writeq(guest->card.qts, line_address(guest, port, g) + HBSR_LINE_WORD, word);
	return (struct outcome){ .g = g };
}

static bool memory_works(const struct guest *guest, unsigned int port)
{
	return guest->master && is_good(guest->ref.port_addr[port]);
}

/* LEAVE looks at the member's line before. */
static void foresee_line(struct guest *guest, unsigned int port, unsigned int g)
{
	uint64_t at = line_address(guest, port, g) + HBSR_LINE_WORD;

	if (qtest_readq(guest->card.qts, at) == reference_awaited(&guest->ref, g))
		reference_line(&guest->ref, port, g);
}

static struct outcome careful_command(struct guest *guest, unsigned int g)
{
	static const unsigned int usual[] = { HBSR_OP_JOIN, HBSR_OP_JOIN,  HBSR_OP_JOIN,
					      HBSR_OP_JOIN, HBSR_OP_LEAVE, HBSR_OP_INIT };
	unsigned int op = usual[below(guest, G_N_ELEMENTS(usual))];
	unsigned int arg = port_in(guest, guest->ref.group[g].p, op != HBSR_OP_JOIN);
	struct outcome outcome = { .g = g };

	if (!below(guest, 16))
		op = below(guest, 6);
	if (!below(guest, 16))
		arg = below(guest, guest->ref.ports + 2);
	if (arg < guest->ref.ports && reference_uses_memory(&guest->ref, g)) {
		outcome.unforeseeable = !memory_works(guest, arg);
		if (op == HBSR_OP_LEAVE && !outcome.unforeseeable)
			foresee_line(guest, arg, g);
	}
	command(&guest->card, g, op, arg);
	outcome.violations = reference_command(&guest->ref, g, op, arg);
	return outcome;
}

static struct outcome careful_control(struct guest *guest, unsigned int g)
{
	uint32_t value = guest->ref.group[g].ctrl ^ HBSR_GRP_CTRL_ENABLE;

	if (value & HBSR_GRP_CTRL_ENABLE) {
		value = HBSR_GRP_CTRL_ENABLE | below(guest, 2) << HBSR_GRP_CTRL_COMPLETION_SHIFT |
			below(guest, 2) << HBSR_GRP_CTRL_ARRIVAL_SHIFT |
			below(guest, 2) << HBSR_GRP_CTRL_DEPARTURE_SHIFT |
			below(guest, 10) << HBSR_GRP_CTRL_REDUCE_SHIFT |
			below(guest, 2) << HBSR_GRP_CTRL_POLICY_SHIFT;
		if (!below(guest, 3)) {
			value |= AS_REFUTABLE;
			if (below(guest, 8))
				value &= ~(HBSR_GRP_CTRL_COMPLETION | HBSR_GRP_CTRL_ARRIVAL);
		}
	}
	if (!below(guest, 4))
		value ^= 1U << below(guest, 32);
	set32(&guest->card, of_group(g, HBSR_GRP_CTRL), value);
	return (struct outcome){ .g = g, .violations = reference_control(&guest->ref, g, value) };
}

static struct outcome careful_setting(struct guest *guest, unsigned int g)
{
	static const uint32_t offsets[] = { HBSR_GRP_VACANT, HBSR_GRP_COUNT, HBSR_GRP_RECORDS,
					    HBSR_GRP_VECTOR };
	uint32_t offset = offsets[below(guest, G_N_ELEMENTS(offsets))];
	uint32_t value = below(guest, 4);

	if (!below(guest, 8))
		value = below(guest, 2) ? 0xffff + below(guest, 2) : guest->ref.ports + value;
	set32(&guest->card, of_group(g, offset), value);
	return (struct outcome){ .g = g,
				 .violations = reference_set(&guest->ref, g, offset, value) };
}

static struct outcome careful_timeout(struct guest *guest, unsigned int g)
{
	static const uint64_t timeouts[] = { 0, 0, 1, 1000, 70000, (1ULL << 48) - 1, 1ULL << 48 };
	uint64_t value = timeouts[below(guest, G_N_ELEMENTS(timeouts))];

	set64(&guest->card, of_group(g, HBSR_GRP_TIMEOUT), value);
	return (struct outcome){ .g = g, .violations = reference_timeout(&guest->ref, g, value) };
}

static uint64_t some_address(struct guest *guest, uint64_t good)
{
	if (below(guest, 6))
		return good;
	guest->ref.may_fail = true;
	return hostile_address(guest);
}

static struct outcome careful_record(struct guest *guest, unsigned int g)
{
	unsigned int i = below(guest, below(guest, 4) ? 3 : HBSR_GRP_RECORD_ADDR_COUNT);
	uint64_t value = some_address(guest, record_of(g, i));

	set64(&guest->card, of_group(g, HBSR_GRP_RECORD_ADDR(i)), value);
	return (struct outcome){ .g = g, .violations = reference_record(&guest->ref, g, value) };
}

static struct outcome careful_memory(struct guest *guest, unsigned int g)
{
	unsigned int port = likely_port(guest);
	uint64_t value = some_address(guest, memory_of(port));

	if (!below(guest, 16)) {
		value = 0;
		guest->ref.may_fail = true;
	}
	set64(&guest->card, of_port(port, HBSR_PRT_ADDR), value);
	return (struct outcome){ .g = g, .violations = reference_memory(&guest->ref, port, value) };
}

/* Just beyond the last group and port, anything but zero is a bad access. */
static struct outcome careful_hole(struct guest *guest, unsigned int g)
{
	unsigned int port = guest->ref.ports, group = guest->ref.groups;
	struct card *card = &guest->card;

	switch (below(guest, 4)) {
	case 0:
		set32(card, of_group(group, below(guest, HBSR_GRP_STRIDE / 4) * 4), 1);
		break;
	case 1:
		set64(card, of_port(port, HBSR_PRT_ADDR), memory_of(0));
		break;
	case 2:
		arrive(card, likely_port(guest), group);
		break;
	default:
		departure(card, likely_port(guest), group);
	}
	return (struct outcome){ .g = g, .violations = 1 };
}

/* What a port sees of a group, as a member or not, while nothing in it is wrong */
static struct outcome careful_departure(struct guest *guest, unsigned int g)
{
	unsigned int port = likely_port(guest);
	uint64_t seen = departure(&guest->card, port, g);
	uint64_t is = reference_departure(&guest->ref, port, g);

	return (struct outcome){ .g = g, .leak = seen != is };
}

static struct outcome careful_arm(struct guest *guest, unsigned int g)
{
	uint32_t epoch = guest->ref.group[g].epoch + (below(guest, 4) ? 0 : below(guest, 3) - 1);

	set32(&guest->card, of_group(g, HBSR_GRP_ARM), epoch);
	return (struct outcome){ .g = g, .violations = reference_arm(&guest->ref, g, epoch) };
}

static struct outcome careful_time(struct guest *guest, unsigned int g)
{
	qtest_clock_step(guest->card.qts, 1 + below(guest, 4 * HBSR_CTL_POLL_DEFAULT));
	return (struct outcome){ .g = g, .time = true };
}

static struct outcome careful_card(struct guest *guest, unsigned int g)
{
	struct outcome outcome = { .g = g };
	uint32_t value;

	switch (below(guest, 8)) {
	case 0:
		value = below(guest, 4);
		set32(&guest->card, HBSR_CTL_CTRL, value);
		if (value > 1)
			outcome.violations = 1;
		else
			guest->ref.running = value;
		break;
	case 1:
		if (!below(guest, 4)) {
			set32(&guest->card, HBSR_CTL_CTRL, HBSR_CTL_CTRL_RESET);
			reference_reset(&guest->ref);
			reference_mark(&guest->ref, &guest->card);
			guest->ref.may_fail = !guest->master;
		}
		break;
	case 2:
		guest->master = below(guest, 4);
		guest->ref.may_fail |= !guest->master;
		set_bus_master(&guest->card, guest->master);
		break;
	case 3:
		value = below(guest, 4) ? 20000 + below(guest, 80000) : below(guest, 1000);
		set32(&guest->card, HBSR_CTL_POLL, value);
		outcome.violations = value < 1000;
		break;
	default:
		card_enable(&guest->card);
		guest->ref.running = true;
	}
	return outcome;
}

/* What was saved must come back, except groups whose timers or rounds are due by now. */
static char *check_loaded(struct guest *guest)
{
	struct reference saved = guest->at_save;
	unsigned int g;
	char *error = reference_adopt(&guest->at_save, &guest->card);

	/* The results to come will show whether the operands did. */
	memcpy(guest->at_save.operand, saved.operand, sizeof(saved.operand));

	if (error)
		return error;
	for (g = 0; g < saved.groups; g++) {
		bool due = saved.group[g].timeout || reference_uses_memory(&saved, g);

		if (!due &&
		    memcmp(&saved.group[g], &guest->at_save.group[g], sizeof(saved.group[g])))
			return g_strdup_printf("group %u was loaded otherwise than saved", g);
	}
	if (saved.running != guest->at_save.running ||
	    memcmp(saved.port_addr, guest->at_save.port_addr, sizeof(saved.port_addr)))
		return g_strdup("the card was loaded otherwise than saved");
	return NULL;
}

static char *save_or_load(struct guest *guest)
{
	struct reference_totals total = guest->ref.total;
	char *error;

	if (!guest->saved) {
		snapshot(&guest->card, "snapshot-save");
		guest->at_save = guest->ref;
		guest->saved_master = guest->master;
		guest->saved = true;
		return NULL;
	}
	snapshot(&guest->card, "snapshot-load");
	guest->loads++;
	error = check_loaded(guest);
	guest->ref = guest->at_save;
	guest->ref.total = total;
	guest->master = guest->saved_master;
	return error;
}

static char *check(struct guest *guest, const struct outcome *outcome)
{
	char *error = NULL;
	unsigned int g;

	if (outcome->leak)
		return g_strdup_printf("group %u: a port sees what is not for it", outcome->g);
	if (outcome->unforeseeable)
		return reference_adopt(&guest->ref, &guest->card);
	if (!outcome->time)
		return reference_check(&guest->ref, &guest->card, outcome->g, outcome->violations,
				       false);
	for (g = 0; g < guest->ref.groups && !error; g++)
		error = reference_check(&guest->ref, &guest->card, g, 0, true);
	return error;
}

typedef struct outcome operation_fn(struct guest *guest, unsigned int g);

static operation_fn *any_operation(struct guest *guest)
{
	static const struct {
		unsigned int weight;
		operation_fn *run;
	} operations[] = {
		{ 20, careful_arrival },  { 15, careful_line },	  { 25, careful_command },
		{ 8, careful_control },	  { 8, careful_setting }, { 4, careful_timeout },
		{ 5, careful_record },	  { 5, careful_memory },  { 4, careful_arm },
		{ 8, careful_time },	  { 4, careful_card },	  { 2, careful_hole },
		{ 6, careful_departure }, { 6, careful_operand }, { 6, careful_withdraw },
		{ 3, careful_readback },
	};
	unsigned int i, total = 0, dice;

	for (i = 0; i < G_N_ELEMENTS(operations); i++)
		total += operations[i].weight;
	dice = below(guest, total);
	for (i = 0; dice >= operations[i].weight; i++)
		dice -= operations[i].weight;
	return operations[i].run;
}

/* An operation that leads to a complete epoch, or to a group that can have one */
static operation_fn *useful_operation(struct guest *guest, unsigned int g)
{
	const struct reference_group *group = &guest->ref.group[g];

	if (!guest->ref.running)
		return careful_card;
	if (!(group->ctrl & HBSR_GRP_CTRL_ENABLE))
		return below(guest, 3) ? careful_setting : careful_control;
	if (group->status & HBSR_GRP_STATUS_BROKEN)
		return careful_control;
	if (group->vacant || !group->p[0]) {
		if (reference_uses_memory(&guest->ref, g) && below(guest, 2))
			return careful_memory;
		return careful_command;
	}
	if (group->ctrl & HBSR_GRP_CTRL_ARRIVAL)
		return below(guest, 3) ? careful_line : careful_time;
	/* The last one said how many messages there are: somebody has to say it again. */
	if (reference_refutable(&guest->ref, g) && group->balance && below(guest, 2))
		return careful_withdraw;
	return careful_arrival;
}

char *careful_operation(struct guest *guest)
{
	/* Mostly on the first two, so that something becomes of them */
	unsigned int some = below(guest, 4) ? MIN(guest->ref.groups, 2) : guest->ref.groups;
	unsigned int g = below(guest, some);
	struct outcome outcome;

	if (!below(guest, 500))
		return save_or_load(guest);
	if (below(guest, 3))
		outcome = useful_operation(guest, g)(guest, g);
	else
		outcome = any_operation(guest)(guest, g);
	return check(guest, &outcome);
}
