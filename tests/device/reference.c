/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reference.h"

#define EPOCHS	       (1ULL << HBSR_ID_EPOCH_BITS_DEFAULT)
#define COUNT_MAX      0xffff
#define BROKEN(reason) (HBSR_GRP_STATUS_BROKEN | (uint32_t)(reason) << HBSR_GRP_STATUS_REASON_SHIFT)
/* The bits of GRP_STATUS that the model has, and those that a break leaves */
#define STATUS	     (HBSR_GRP_STATUS_BROKEN | HBSR_GRP_STATUS_ARMED | HBSR_GRP_STATUS_REASON | STAYS)
#define STAYS	     (HBSR_GRP_STATUS_VOTE | HBSR_GRP_STATUS_BLACK)
#define VOTES(group) field((group)->status, HBSR_GRP_STATUS_VOTE, HBSR_GRP_STATUS_VOTE_SHIFT)
#define LIMIT	     (1LL << 47) /* of a balance */

static unsigned int field(uint32_t value, uint32_t mask, unsigned int shift)
{
	return (value & mask) >> shift;
}

#define FIELD(group, name) field((group)->ctrl, HBSR_GRP_CTRL_##name, HBSR_GRP_CTRL_##name##_SHIFT)

static bool enabled(const struct reference_group *group)
{
	return group->ctrl & HBSR_GRP_CTRL_ENABLE;
}

static bool broken(const struct reference_group *group)
{
	return group->status & HBSR_GRP_STATUS_BROKEN;
}

static bool counts(const struct reference_group *group)
{
	return FIELD(group, COMPLETION) == HBSR_COMPLETION_COUNT;
}

static bool polls(const struct reference_group *group)
{
	return FIELD(group, ARRIVAL) == HBSR_ARRIVAL_POLL;
}

static bool refutable(const struct reference_group *group)
{
	return FIELD(group, TYPE) == HBSR_TYPE_REFUTABLE;
}

static bool is_in(const uint64_t *mask, unsigned int port)
{
	return port < 64 * MASK_WORDS && mask[port / 64] >> port % 64 & 1;
}

static void put(uint64_t *mask, unsigned int port, bool in)
{
	if (in)
		mask[port / 64] |= 1ULL << port % 64;
	else
		mask[port / 64] &= ~(1ULL << port % 64);
}

static unsigned int number(const uint64_t *mask)
{
	unsigned int i, n = 0;

	for (i = 0; i < MASK_WORDS; i++)
		n += __builtin_popcountll(mask[i]);
	return n;
}

/* Arrivals that an epoch needs; epochs that never end need more than can come. */
static unsigned int needed(const struct reference_group *group)
{
	if (!counts(group))
		return number(group->p);
	return group->count ? group->count : UINT_MAX;
}

static bool complete(const struct reference_group *group)
{
	return enabled(group) && !broken(group) && !group->vacant && number(group->p) &&
	       group->arrived == needed(group) && group->balance == 0;
}

static void forget_arrivals(struct reference_group *group)
{
	memset(group->s, 0, sizeof(group->s));
	memset(group->v, 0, sizeof(group->v));
	group->arrived = 0;
}

static void break_group(struct reference_group *group, unsigned int reason)
{
	if (broken(group))
		return;
	forget_arrivals(group);
	group->status = BROKEN(reason) | (group->status & STAYS);
}

/* Two numbers of a reduction, said otherwise than the card says it */
static uint64_t reduce(unsigned int reduction, uint64_t a, uint64_t b)
{
	switch (reduction) {
	case HBSR_REDUCE_AND:
		return a & b;
	case HBSR_REDUCE_OR:
		return a | b;
	case HBSR_REDUCE_XOR:
		return a ^ b;
	case HBSR_REDUCE_SUM:
		return a + b;
	case HBSR_REDUCE_MIN:
		return a < b ? a : b;
	case HBSR_REDUCE_MAX:
		return a < b ? b : a;
	case HBSR_REDUCE_SMIN:
		return (int64_t)a < (int64_t)b ? a : b;
	case HBSR_REDUCE_SMAX:
		return (int64_t)a < (int64_t)b ? b : a;
	case HBSR_REDUCE_VOTE:
		return (a & b & 1) | ((a | b) & 2);
	default:
		return 0;
	}
}

/* The operands of all members, if the model knows them */
static void reduce_operands(struct reference *ref, struct reference_group *group)
{
	const unsigned int g = group - ref->group, reduction = FIELD(group, REDUCE);
	bool first = true;
	unsigned int i;

	ref->result_unknown[g] = false;
	for (i = 0; i < ref->ports; i++) {
		uint64_t value = ref->operand[g][i].value;

		if (!is_in(group->p, i))
			continue;
		if (reduction == HBSR_REDUCE_VOTE)
			value = value ? 3 : 0;
		ref->result_unknown[g] |= reduction && !ref->operand[g][i].known;
		if (first)
			group->result = reduction ? value : 0;
		else
			group->result = reduce(reduction, group->result, value);
		first = false;
	}
}

static void end_refutable(struct reference *ref, struct reference_group *group)
{
	unsigned int all = !memcmp(group->v, group->p, sizeof(group->p)), any = number(group->v);

	group->status &= ~STAYS;
	group->status |= (all | (any ? 2 : 0)) << HBSR_GRP_STATUS_VOTE_SHIFT;
	reduce_operands(ref, group);
	ref->total.refutable++;
}

static void evaluate(struct reference *ref, struct reference_group *group)
{
	if (!complete(group))
		return;
	if (refutable(group))
		end_refutable(ref, group);
	forget_arrivals(group);
	group->epoch = (group->epoch + 1) % EPOCHS;
	group->completions++;
	group->status &= ~HBSR_GRP_STATUS_ARMED;
	ref->total.completions++;
}

void reference_start(struct reference *ref, unsigned int ports, unsigned int groups)
{
	*ref = (struct reference){
		.ports = ports, .groups = groups, .tag = ref->tag, .total = ref->total
	};
}

void reference_reset(struct reference *ref)
{
	reference_start(ref, ref->ports, ref->groups);
}

/* If a card has the same tag, nobody reset it since; so no tag comes twice. */
void reference_mark(struct reference *ref, struct card *card)
{
	ref->tag += 2;
	ref->tag |= 1;
	set32(card, HBSR_CTL_TAG, ref->tag);
}

static void take_arrival(struct reference *ref, struct reference_group *group, unsigned int port)
{
	put(group->s, port, true);
	group->arrived++;
	group->arrivals++;
	ref->total.arrivals++;
	evaluate(ref, group);
}

static int64_t delta_of(uint64_t word)
{
	int64_t delta = word & HBSR_IDLE_DELTA;

	return delta < LIMIT ? delta : delta - 2 * LIMIT;
}

static unsigned int take_idle(struct reference *ref, struct reference_group *group,
			      unsigned int port, uint64_t word)
{
	int64_t sum = group->balance + delta_of(word);

	if (word & ~(HBSR_IDLE_DELTA | HBSR_IDLE_FREED | HBSR_IDLE_VOTE) || is_in(group->s, port))
		return 1;
	if (sum < -LIMIT || sum >= LIMIT) {
		break_group(group, HBSR_REASON_OVERFLOW);
		return 1;
	}
	group->balance = sum;
	if (word & HBSR_IDLE_FREED)
		group->status |= HBSR_GRP_STATUS_BLACK;
	put(group->v, port, word & HBSR_IDLE_VOTE);
	take_arrival(ref, group, port);
	return 0;
}

/* A store to a lane that is dropped whatever it is */
static bool dropped(const struct reference *ref, unsigned int port, unsigned int g)
{
	if (port >= ref->ports || g >= ref->groups)
		return true;
	return !ref->running || !is_in(ref->group[g].p, port) || broken(&ref->group[g]) ||
	       polls(&ref->group[g]);
}

unsigned int reference_arrive(struct reference *ref, unsigned int port, unsigned int g,
			      uint64_t datum)
{
	struct reference_group *group = &ref->group[g];

	if (dropped(ref, port, g))
		return 1;
	if (refutable(group))
		return take_idle(ref, group, port, datum);
	if (counts(group) ? group->arrived >= group->count : is_in(group->s, port))
		return 1;
	take_arrival(ref, group, port);
	return 0;
}

unsigned int reference_operand(struct reference *ref, unsigned int port, unsigned int g,
			       uint64_t datum)
{
	if (!refutable(&ref->group[g]))
		return datum != 0;
	if (dropped(ref, port, g) || is_in(ref->group[g].s, port))
		return 1;
	ref->operand[g][port] = (struct reference_operand){ .known = true, .value = datum };
	return 0;
}

static void take_back(struct reference_group *group, unsigned int port)
{
	if (is_in(group->s, port))
		group->arrived--;
	put(group->s, port, false);
	put(group->v, port, false);
}

unsigned int reference_withdraw(struct reference *ref, unsigned int port, unsigned int g,
				uint64_t datum)
{
	struct reference_group *group = &ref->group[g];

	if (!refutable(group))
		return datum != 0;
	if (dropped(ref, port, g))
		return 1;
	if (!is_in(group->s, port)) {
		group->unarrived++;
		return 1;
	}
	take_back(group, port);
	group->status |= HBSR_GRP_STATUS_BLACK;
	group->withdrawals++;
	ref->total.withdrawals++;
	return 0;
}

uint64_t reference_is_idle(struct reference *ref, unsigned int port, unsigned int g)
{
	struct reference_group *group = &ref->group[g];

	if (!refutable(group))
		return 0;
	if (!is_in(group->p, port)) {
		ref->foreign_reads++;
		return 0;
	}
	group->readbacks++;
	return is_in(group->s, port);
}

uint64_t reference_departure(struct reference *ref, unsigned int port, unsigned int g)
{
	const struct reference_group *group = &ref->group[g];

	if (is_in(group->p, port))
		return epoch_word(group->epoch) |
		       (group->status & ~(HBSR_GRP_STATUS_ARMED | HBSR_GRP_STATUS_BLACK));
	ref->foreign_reads++;
	return 0;
}

void reference_line(struct reference *ref, unsigned int port, unsigned int g)
{
	struct reference_group *group = &ref->group[g];

	if (!ref->running || !polls(group) || broken(group) || !is_in(group->p, port) ||
	    is_in(group->s, port) || (counts(group) && group->arrived >= group->count))
		return;
	take_arrival(ref, group, port);
}

unsigned int reference_control(struct reference *ref, unsigned int g, uint32_t value)
{
	const uint32_t reserved =
		~(HBSR_GRP_CTRL_ENABLE | HBSR_GRP_CTRL_TYPE | HBSR_GRP_CTRL_COMPLETION |
		  HBSR_GRP_CTRL_ARRIVAL | HBSR_GRP_CTRL_DEPARTURE | HBSR_GRP_CTRL_REDUCE |
		  HBSR_GRP_CTRL_POLICY);
	struct reference_group *group = &ref->group[g], next = { .ctrl = value };

	if (refutable(&next) && (counts(&next) || polls(&next)))
		return 1;
	if (value & reserved || FIELD(&next, TYPE) > HBSR_TYPE_REFUTABLE ||
	    FIELD(&next, COMPLETION) > HBSR_COMPLETION_COUNT ||
	    FIELD(&next, ARRIVAL) > HBSR_ARRIVAL_POLL ||
	    FIELD(&next, DEPARTURE) > HBSR_DEPARTURE_PORT ||
	    FIELD(&next, REDUCE) > HBSR_REDUCE_VOTE || FIELD(&next, POLICY) > HBSR_POLICY_NOTIFY)
		return 1;
	if (enabled(group) && enabled(&next))
		return value != group->ctrl;
	if (!enabled(group) && enabled(&next)) {
		group->epoch = (group->epoch + 1) % EPOCHS;
		group->completions = 0;
		group->arrivals = 0;
		group->withdrawals = 0;
		group->unarrived = 0;
		group->readbacks = 0;
	}
	if (enabled(group) || enabled(&next)) {
		forget_arrivals(group);
		memset(group->p, 0, sizeof(group->p));
		group->status = 0;
		group->balance = 0;
		group->result = 0;
		ref->result_unknown[g] = false;
	}
	group->ctrl = value;
	return 0;
}

static bool may_join(const struct reference *ref, const struct reference_group *group,
		     unsigned int port)
{
	bool memory = polls(group) || FIELD(group, DEPARTURE) == HBSR_DEPARTURE_PORT;

	if (is_in(group->p, port) || broken(group) || (memory && !ref->port_addr[port]))
		return false;
	return group->vacant || !counts(group) || group->count < COUNT_MAX;
}

static void join_group(struct reference *ref, struct reference_group *group, unsigned int port)
{
	put(group->p, port, true);
	ref->operand[group - ref->group][port] = (struct reference_operand){ .known = true };
	if (group->vacant)
		group->vacant--;
	else if (counts(group))
		group->count++;
	evaluate(ref, group);
}

static void leave_group(struct reference *ref, struct reference_group *group, unsigned int port)
{
	take_back(group, port);
	put(group->p, port, false);
	if (group->vacant)
		group->vacant++;
	else if (counts(group) && group->count)
		group->count--;
	evaluate(ref, group);
}

unsigned int reference_command(struct reference *ref, unsigned int g, unsigned int op,
			       unsigned int arg)
{
	struct reference_group *group = &ref->group[g];

	if (!ref->running || !enabled(group))
		return 1;
	if (op == HBSR_OP_BREAK) {
		if (arg < HBSR_REASON_TIMEOUT || arg > HBSR_REASON_OVERFLOW)
			return 1;
		break_group(group, arg);
		return 0;
	}
	if (arg >= ref->ports)
		return 1;
	switch (op) {
	case HBSR_OP_JOIN:
		if (!may_join(ref, group, arg))
			return 1;
		join_group(ref, group, arg);
		return 0;
	case HBSR_OP_LEAVE:
		if (!is_in(group->p, arg))
			return 1;
		leave_group(ref, group, arg);
		return 0;
	case HBSR_OP_INIT:
		if (refutable(group) || !is_in(group->p, arg) ||
		    (is_in(group->s, arg) && FIELD(group, REDUCE)))
			return 1;
		take_back(group, arg);
		return 0;
	default:
		return 1;
	}
}

unsigned int reference_arm(struct reference *ref, unsigned int g, uint32_t epoch)
{
	struct reference_group *group = &ref->group[g];

	if (!ref->running || !enabled(group))
		return 1;
	if (!broken(group) && (uint32_t)group->epoch == epoch)
		group->status |= HBSR_GRP_STATUS_ARMED;
	return 0;
}

unsigned int reference_set(struct reference *ref, unsigned int g, uint32_t offset, uint32_t value)
{
	struct reference_group *group = &ref->group[g];
	const struct {
		uint32_t offset, most;
		uint32_t *at;
	} settings[] = {
		{ HBSR_GRP_VACANT, ref->ports, &group->vacant },
		{ HBSR_GRP_COUNT, COUNT_MAX, &group->count },
		{ HBSR_GRP_RECORDS, HBSR_GRP_RECORD_ADDR_COUNT, &group->records },
		{ HBSR_GRP_VECTOR, HBSR_ID_VECTORS_DEFAULT - 1, &group->vector },
	};
	size_t i;

	for (i = 0; settings[i].offset != offset; i++)
		;
	if (enabled(group) || value > settings[i].most)
		return 1;
	*settings[i].at = value;
	return 0;
}

unsigned int reference_timeout(struct reference *ref, unsigned int g, uint64_t value)
{
	if (enabled(&ref->group[g]) || value >> 48)
		return 1;
	ref->group[g].timeout = value;
	return 0;
}

unsigned int reference_record(struct reference *ref, unsigned int g, uint64_t value)
{
	return enabled(&ref->group[g]) || value % HBSR_RECORD_STRIDE;
}

unsigned int reference_memory(struct reference *ref, unsigned int port, uint64_t value)
{
	if (value % HBSR_MEMORY_STRIDE)
		return 1;
	ref->port_addr[port] = value;
	return 0;
}

static struct reference_group read_group(struct card *card, unsigned int g)
{
	struct reference_group group = {
		.ctrl = reg32(card, of_group(g, HBSR_GRP_CTRL)),
		.status = reg32(card, of_group(g, HBSR_GRP_STATUS)) & STATUS,
		.epoch = reg64(card, of_group(g, HBSR_GRP_EPOCH)),
		.vacant = reg32(card, of_group(g, HBSR_GRP_VACANT)),
		.count = reg32(card, of_group(g, HBSR_GRP_COUNT)),
		.arrived = reg32(card, of_group(g, HBSR_GRP_ARRIVED)),
		.records = reg32(card, of_group(g, HBSR_GRP_RECORDS)),
		.vector = reg32(card, of_group(g, HBSR_GRP_VECTOR)),
		.timeout = reg64(card, of_group(g, HBSR_GRP_TIMEOUT)),
		.completions = reg64(card, of_group(g, HBSR_GRP_COMPLETIONS)),
		.arrivals = reg64(card, of_group(g, HBSR_GRP_ARRIVALS)),
		.balance = balance(card, g),
		.withdrawals = reg64(card, of_group(g, HBSR_GRP_WITHDRAWALS)),
		.unarrived = reg64(card, of_group(g, HBSR_GRP_UNARRIVED)),
		.readbacks = reg64(card, of_group(g, HBSR_GRP_READBACKS)),
	};
	unsigned int i;

	for (i = 0; i < MASK_WORDS; i++) {
		group.p[i] = reg64(card, of_group(g, HBSR_GRP_P(i)));
		group.s[i] = reg64(card, of_group(g, HBSR_GRP_S(i)));
		group.v[i] = reg64(card, of_group(g, HBSR_GRP_V(i)));
	}
	if (refutable(&group))
		group.result = reg64(card, of_group(g, HBSR_GRP_RESULT));
	return group;
}

/* Whether a card can be in this state; what is wrong, or NULL */
static const char *state_error(const struct reference *ref, const struct reference_group *group)
{
	unsigned int port, present = number(group->s);

	for (port = 0; port < 64 * MASK_WORDS; port++) {
		if (is_in(group->p, port) && port >= ref->ports)
			return "a member is no port";
		if (is_in(group->s, port) && !is_in(group->p, port))
			return "who has arrived is no member";
		if (is_in(group->v, port) && !is_in(group->s, port))
			return "who has voted has not arrived";
	}
	if (!(refutable(group) && enabled(group)) &&
	    (number(group->v) || group->balance || group->status & STAYS))
		return "it has what only refutable groups have";
	if (group->balance < -LIMIT || group->balance >= LIMIT || VOTES(group) == 1)
		return "its balance or its votes cannot be";
	if (!enabled(group) && (number(group->p) || group->status))
		return "it is not enabled, and not empty";
	if (broken(group) && group->arrived)
		return "it cannot have arrivals";
	if (broken(group) != !!(group->status & HBSR_GRP_STATUS_REASON))
		return "it is not broken for a reason";
	if (broken(group) && group->status & HBSR_GRP_STATUS_ARMED)
		return "it is armed for no completion";
	if (group->vacant > ref->ports || group->count > COUNT_MAX || group->epoch >= EPOCHS)
		return "a number is too large";
	if (counts(group) ? group->arrived < present || group->arrived > group->count
			  : group->arrived != present)
		return "arrivals do not add up";
	return complete(group) ? "all have arrived, and it is not complete" : NULL;
}

static char *describe(const char *what, unsigned int g, const struct reference_group *is,
		      const struct reference_group *was)
{
	return g_strdup_printf("group %u: %s\n"
			       "  ctrl 0x%x (0x%x) status 0x%x (0x%x) epoch %" PRIu64 " (%" PRIu64
			       ") vacant %u (%u) count %u (%u) arrived %u (%u)\n"
			       "  balance %" PRId64 " (%" PRId64 ") V 0x%" PRIx64 " (0x%" PRIx64
			       ") result 0x%" PRIx64 " (0x%" PRIx64 ")\n"
			       "  P 0x%" PRIx64 " (0x%" PRIx64 ") S 0x%" PRIx64 " (0x%" PRIx64
			       ") completions %" PRIu64 " (%" PRIu64 ") arrivals %" PRIu64
			       " (%" PRIu64 "), the model's in brackets",
			       g, what, is->ctrl, was->ctrl, is->status, was->status, is->epoch,
			       was->epoch, is->vacant, was->vacant, is->count, was->count,
			       is->arrived, was->arrived, is->balance, was->balance, is->v[0],
			       was->v[0], is->result, was->result, is->p[0], was->p[0], is->s[0],
			       was->s[0], is->completions, was->completions, is->arrivals,
			       was->arrivals);
}

/* Failed DMA breaks a group: only if something can fail, and something did. */
static void adopt_failure(struct reference *ref, struct card *card, struct reference_group *group,
			  const struct reference_group *is)
{
	if ((is->status & ~STAYS) != BROKEN(HBSR_REASON_DMA) || !ref->may_fail)
		return;
	ref->dma_errors = reg64(card, HBSR_CNT_DMA_ERRORS);
	if (ref->dma_errors)
		break_group(group, HBSR_REASON_DMA);
}

/* A timer that expired breaks a group in which somebody has arrived. */
static void adopt_timeout(struct reference_group *group, const struct reference_group *is)
{
	if (group->timeout && FIELD(group, POLICY) == HBSR_POLICY_BREAK &&
	    (is->status & ~STAYS) == BROKEN(HBSR_REASON_TIMEOUT) && is->arrivals)
		break_group(group, HBSR_REASON_TIMEOUT);
}

/*
 * Lines that were read: no arrival without which an epoch was complete, and none lost.
 * False if they do not add up.
 */
static bool adopt_rounds(struct reference *ref, struct reference_group *group,
			 const struct reference_group *is)
{
	uint64_t epochs = is->completions - group->completions;
	uint64_t came = group->arrived + is->arrivals - group->arrivals;
	uint64_t used = epochs ? epochs * needed(group) : 0;

	if ((is->epoch - group->epoch) % EPOCHS != epochs || (epochs && group->vacant))
		return false;
	if (broken(is) ? came < used : came != used + is->arrived)
		return false;
	ref->total.arrivals += is->arrivals - group->arrivals;
	ref->total.completions += epochs;
	group->epoch = is->epoch;
	group->completions = is->completions;
	group->arrivals = is->arrivals;
	if (epochs)
		group->status &= ~HBSR_GRP_STATUS_ARMED;
	if (!broken(is)) {
		group->arrived = is->arrived;
		memcpy(group->s, is->s, sizeof(group->s));
	}
	return true;
}

char *reference_check(struct reference *ref, struct card *card, unsigned int g,
		      unsigned int violations, bool time)
{
	struct reference_group *group = &ref->group[g], is = read_group(card, g);
	uint64_t counted = reg64(card, HBSR_CNT_VIOLATIONS);
	const char *error = state_error(ref, &is);

	ref->violations += violations;
	ref->total.violations += violations;
	if (counted != ref->violations)
		return g_strdup_printf("group %u: %" PRIu64 " violations, not %" PRIu64, g, counted,
				       ref->violations);
	if (reg64(card, HBSR_CNT_FOREIGN_READS) != ref->foreign_reads)
		return g_strdup_printf("group %u: not %" PRIu64 " foreign reads", g,
				       ref->foreign_reads);
	if (error)
		return describe(error, g, &is, group);
	if (time && polls(group) && enabled(group) && !broken(group) &&
	    !adopt_rounds(ref, group, &is))
		return describe("its rounds do not add up", g, &is, group);
	if (time)
		adopt_timeout(group, &is);
	adopt_failure(ref, card, group, &is);
	if (ref->result_unknown[g])
		group->result = is.result;
	ref->result_unknown[g] = false;
	if (memcmp(&is, group, sizeof(is)))
		return describe("it is not as it should be", g, &is, group);
	return NULL;
}

bool reference_refutable(const struct reference *ref, unsigned int g)
{
	return refutable(&ref->group[g]);
}

bool reference_uses_memory(const struct reference *ref, unsigned int g)
{
	return polls(&ref->group[g]) || FIELD(&ref->group[g], DEPARTURE) == HBSR_DEPARTURE_PORT;
}

uint64_t reference_awaited(const struct reference *ref, unsigned int g)
{
	return epoch_word((ref->group[g].epoch + 1) % EPOCHS);
}

char *reference_adopt(struct reference *ref, struct card *card)
{
	uint64_t violations = reg64(card, HBSR_CNT_VIOLATIONS);
	uint64_t errors = reg64(card, HBSR_CNT_DMA_ERRORS);
	uint64_t foreign = reg64(card, HBSR_CNT_FOREIGN_READS);
	bool reset = reg32(card, HBSR_CTL_TAG) != ref->tag;
	unsigned int i;

	if (!reset && (violations < ref->violations || errors < ref->dma_errors ||
		       foreign < ref->foreign_reads))
		return g_strdup("a counter went back");
	if (reset)
		reference_mark(ref, card);
	ref->foreign_reads = foreign;
	ref->violations = violations;
	ref->dma_errors = errors;
	ref->running = reg32(card, HBSR_CTL_CTRL) & HBSR_CTL_CTRL_ENABLE;
	ref->may_fail = true;
	memset(ref->operand, 0, sizeof(ref->operand));
	memset(ref->result_unknown, 0, sizeof(ref->result_unknown));
	for (i = 0; i < ref->ports; i++)
		ref->port_addr[i] = reg64(card, of_port(i, HBSR_PRT_ADDR));
	for (i = 0; i < ref->groups; i++) {
		struct reference_group is = read_group(card, i);
		const char *error = state_error(ref, &is);

		if (error)
			return describe(error, i, &is, &ref->group[i]);
		ref->group[i] = is;
	}
	if (reg64(card, HBSR_CNT_VIOLATIONS) != violations)
		return g_strdup("reading is a violation");
	return NULL;
}
