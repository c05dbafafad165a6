// SPDX-License-Identifier: GPL-2.0-or-later
#include "records.h"

#define PLAIN(in, member, word, attr, is)                          \
	{                                                          \
		.name = (word), .attribute = (attr), .kind = (is), \
		.offset = offsetof(struct in, member)              \
	}
#define WORDY(in, member, word, attr, is, of)                               \
	{                                                                   \
		.name = (word), .attribute = (attr), .kind = (is),          \
		.offset = offsetof(struct in, member), .words = &words_##of \
	}
#define NESTED(in, member, word, attr, is, of)                                \
	{                                                                     \
		.name = (word), .attribute = (attr), .kind = (is),            \
		.offset = offsetof(struct in, member), .nested = &schema_##of \
	}
#define SCHEMA(of, word, list)                                                                \
	const struct schema schema_##of = { (word), (list), sizeof(list) / sizeof((list)[0]), \
					    sizeof(struct of) }

static const struct field block[] = {
	WORDY(block, type, "type", HBS_A_BLOCK_TYPE, FIELD_WORD, block),
	PLAIN(block, version, "version", HBS_A_BLOCK_VERSION, FIELD_U32),
};

static SCHEMA(block, "block", block);

static const struct field card_counters[] = {
	PLAIN(card_counters, violations, "violations", HBS_A_CARD_COUNTERS_VIOLATIONS, FIELD_U64),
	PLAIN(card_counters, foreign_reads, "foreign-reads", HBS_A_CARD_COUNTERS_FOREIGN_READS,
	      FIELD_U64),
	PLAIN(card_counters, interrupts, "interrupts", HBS_A_CARD_COUNTERS_INTERRUPTS, FIELD_U64),
	PLAIN(card_counters, waiters, "waiters", HBS_A_CARD_COUNTERS_WAITERS, FIELD_U32),
};

SCHEMA(card_counters, "card-counters", card_counters);

static const struct field limits[] = {
	PLAIN(limits, card, "card", HBS_A_LIMITS_CARD, FIELD_U32),
	PLAIN(limits, ports_per_user, "ports-per-user", HBS_A_LIMITS_PORTS_PER_USER, FIELD_U32),
	PLAIN(limits, ports_reserved, "ports-reserved", HBS_A_LIMITS_PORTS_RESERVED, FIELD_U32),
	PLAIN(limits, groups_per_user, "groups-per-user", HBS_A_LIMITS_GROUPS_PER_USER, FIELD_U32),
	PLAIN(limits, groups_reserved, "groups-reserved", HBS_A_LIMITS_GROUPS_RESERVED, FIELD_U32),
	PLAIN(limits, timeout_min_ns, "timeout-min-ns", HBS_A_LIMITS_TIMEOUT_MIN_NS, FIELD_U64),
	PLAIN(limits, timeout_max_ns, "timeout-max-ns", HBS_A_LIMITS_TIMEOUT_MAX_NS, FIELD_U64),
};

SCHEMA(limits, "limits", limits);

static const struct field card[] = {
	PLAIN(card, card, "card", HBS_A_CARD_CARD, FIELD_U32),
	PLAIN(card, name, "name", HBS_A_CARD_NAME, FIELD_TEXT),
	PLAIN(card, pci_address, "pci-address", HBS_A_CARD_PCI_ADDRESS, FIELD_TEXT),
	WORDY(card, state, "state", HBS_A_CARD_STATE, FIELD_WORD, card_state),
	PLAIN(card, version, "version", HBS_A_CARD_VERSION, FIELD_VERSION),
	NESTED(card, blocks, "block", HBS_A_CARD_BLOCK, FIELD_NESTS, block),
	WORDY(card, features, "features", HBS_A_CARD_FEATURES, FIELD_BITS64, feature),
	WORDY(card, group_types, "group-types", HBS_A_CARD_GROUP_TYPES, FIELD_BITS, type),
	PLAIN(card, ports, "ports", HBS_A_CARD_PORTS, FIELD_U32),
	PLAIN(card, ports_used, "ports-used", HBS_A_CARD_PORTS_USED, FIELD_U32),
	PLAIN(card, groups, "groups", HBS_A_CARD_GROUPS, FIELD_U32),
	PLAIN(card, groups_used, "groups-used", HBS_A_CARD_GROUPS_USED, FIELD_U32),
	PLAIN(card, vectors, "vectors", HBS_A_CARD_VECTORS, FIELD_U32),
	PLAIN(card, resets, "resets", HBS_A_CARD_RESETS, FIELD_U32),
	NESTED(card, limits, "limits", HBS_A_CARD_LIMITS, FIELD_NEST, limits),
	NESTED(card, counters, "counters", HBS_A_CARD_COUNTERS, FIELD_NEST, card_counters),
};

SCHEMA(card, "card", card);

static const struct field user[] = {
	PLAIN(user, card, "card", HBS_A_USER_CARD, FIELD_U32),
	PLAIN(user, uid, "uid", HBS_A_USER_UID, FIELD_U32),
	PLAIN(user, ports, "ports", HBS_A_USER_PORTS, FIELD_U32),
	PLAIN(user, groups, "groups", HBS_A_USER_GROUPS, FIELD_U32),
};

SCHEMA(user, "user", user);

static const struct field membership[] = {
	PLAIN(membership, group, "group", HBS_A_MEMBERSHIP_GROUP, FIELD_U32),
	PLAIN(membership, tag, "tag", HBS_A_MEMBERSHIP_TAG, FIELD_NAME64),
};

static SCHEMA(membership, "membership", membership);

static const struct field port[] = {
	PLAIN(port, card, "card", HBS_A_PORT_CARD, FIELD_U32),
	PLAIN(port, port, "port", HBS_A_PORT_PORT, FIELD_U32),
	PLAIN(port, pid, "pid", HBS_A_PORT_PID, FIELD_U32),
	PLAIN(port, tid, "tid", HBS_A_PORT_TID, FIELD_U32),
	PLAIN(port, comm, "comm", HBS_A_PORT_COMM, FIELD_TEXT),
	PLAIN(port, cpu, "cpu", HBS_A_PORT_CPU, FIELD_U32),
	PLAIN(port, uid, "uid", HBS_A_PORT_UID, FIELD_U32),
	PLAIN(port, mappings, "mappings", HBS_A_PORT_MAPPINGS, FIELD_U32),
	PLAIN(port, memory, "memory", HBS_A_PORT_MEMORY, FIELD_U32),
	NESTED(port, memberships, "membership", HBS_A_PORT_MEMBERSHIP, FIELD_NESTS, membership),
};

SCHEMA(port, "port", port);

#define COUNTER(member, word, attr) \
	PLAIN(group_counters, member, word, HBS_A_GROUP_COUNTERS_##attr, FIELD_U64)

static const struct field group_counters[] = {
	COUNTER(completions, "completions", COMPLETIONS),
	COUNTER(arrivals, "arrivals", ARRIVALS),
	COUNTER(departure_reads, "departure-reads", DEPARTURE_READS),
	COUNTER(record_writes, "record-writes", RECORD_WRITES),
	COUNTER(non_member, "non-member", NON_MEMBER),
	COUNTER(double_arrivals, "double-arrivals", DOUBLE_ARRIVALS),
	COUNTER(refused, "refused", REFUSED),
	COUNTER(interrupts, "interrupts", INTERRUPTS),
	COUNTER(waits, "waits", WAITS),
	COUNTER(line_reads, "line-reads", LINE_READS),
	COUNTER(withdrawals, "withdrawals", WITHDRAWALS),
	COUNTER(unarrived, "unarrived", UNARRIVED),
	COUNTER(readbacks, "readbacks", READBACKS),
};

SCHEMA(group_counters, "group-counters", group_counters);

static const struct field group[] = {
	PLAIN(group, card, "card", HBS_A_GROUP_CARD, FIELD_U32),
	PLAIN(group, group, "group", HBS_A_GROUP_GROUP, FIELD_U32),
	WORDY(group, type, "type", HBS_A_GROUP_TYPE, FIELD_WORD, type),
	WORDY(group, state, "state", HBS_A_GROUP_STATE, FIELD_WORD, group_state),
	WORDY(group, reason, "reason", HBS_A_GROUP_REASON, FIELD_WORD, reason),
	PLAIN(group, seats, "seats", HBS_A_GROUP_SEATS, FIELD_U32),
	PLAIN(group, joined, "joined", HBS_A_GROUP_JOINED, FIELD_U32),
	PLAIN(group, uid, "uid", HBS_A_GROUP_UID, FIELD_U32),
	PLAIN(group, epoch, "epoch", HBS_A_GROUP_EPOCH, FIELD_U64),
	PLAIN(group, vacant, "vacant", HBS_A_GROUP_VACANT, FIELD_U32),
	PLAIN(group, missing, "missing", HBS_A_GROUP_MISSING, FIELD_U32),
	PLAIN(group, has, "expired", HBS_A_GROUP_EXPIRED, FIELD_FLAG),
	PLAIN(group, in_flight, "in-flight", HBS_A_GROUP_IN_FLIGHT, FIELD_S64),
	WORDY(group, reduce, "reduce", HBS_A_GROUP_REDUCE, FIELD_WORD, reduce),
	WORDY(group, policy, "policy", HBS_A_GROUP_POLICY, FIELD_BITS, policy),
	WORDY(group, completion, "completion", HBS_A_GROUP_COMPLETION, FIELD_WORD, completion),
	WORDY(group, arrival, "arrival", HBS_A_GROUP_ARRIVAL, FIELD_WORD, arrival),
	WORDY(group, departure, "departure", HBS_A_GROUP_DEPARTURE, FIELD_WORD, departure),
	PLAIN(group, timeout_ns, "timeout-ns", HBS_A_GROUP_TIMEOUT_NS, FIELD_U64),
	PLAIN(group, timeouts, "timeouts", HBS_A_GROUP_TIMEOUTS, FIELD_U64),
	NESTED(group, counters, "counters", HBS_A_GROUP_COUNTERS, FIELD_NEST, group_counters),
	PLAIN(group, waiting_ns, "waiting-ns", HBS_A_GROUP_WAITING_NS, FIELD_U64),
};

SCHEMA(group, "group", group);

static const struct field wait[] = {
	PLAIN(wait, from_ns, "from-ns", HBS_A_WAIT_FROM_NS, FIELD_U64),
	PLAIN(wait, count, "count", HBS_A_WAIT_COUNT, FIELD_U64),
};

static SCHEMA(wait, "wait", wait);

static const struct field member[] = {
	PLAIN(member, card, "card", HBS_A_MEMBER_CARD, FIELD_U32),
	PLAIN(member, group, "group", HBS_A_MEMBER_GROUP, FIELD_U32),
	PLAIN(member, port, "port", HBS_A_MEMBER_PORT, FIELD_U32),
	PLAIN(member, has, "dead", HBS_A_MEMBER_DEAD, FIELD_FLAG),
	PLAIN(member, missing, "missing", HBS_A_MEMBER_MISSING, FIELD_U32),
	PLAIN(member, pid, "pid", HBS_A_MEMBER_PID, FIELD_U32),
	PLAIN(member, tid, "tid", HBS_A_MEMBER_TID, FIELD_U32),
	PLAIN(member, comm, "comm", HBS_A_MEMBER_COMM, FIELD_TEXT),
	PLAIN(member, cpu, "cpu", HBS_A_MEMBER_CPU, FIELD_U32),
	PLAIN(member, tag, "tag", HBS_A_MEMBER_TAG, FIELD_NAME64),
	PLAIN(member, epochs, "epochs", HBS_A_MEMBER_EPOCHS, FIELD_U64),
	PLAIN(member, waited_ns, "waited-ns", HBS_A_MEMBER_WAITED_NS, FIELD_U64),
	PLAIN(member, slept, "slept", HBS_A_MEMBER_SLEPT, FIELD_U64),
	NESTED(member, waits, "wait", HBS_A_MEMBER_WAIT, FIELD_NESTS, wait),
};

SCHEMA(member, "member", member);

static const struct field violation[] = {
	PLAIN(violation, card, "card", HBS_A_VIOLATION_CARD, FIELD_U32),
	WORDY(violation, kind, "kind", HBS_A_VIOLATION_KIND, FIELD_WORD, violation),
	PLAIN(violation, port, "port", HBS_A_VIOLATION_PORT, FIELD_U32),
	PLAIN(violation, group, "group", HBS_A_VIOLATION_GROUP, FIELD_U32),
	PLAIN(violation, count, "count", HBS_A_VIOLATION_COUNT, FIELD_U64),
};

SCHEMA(violation, "violation", violation);

const struct schema *const schemas[] = {
	&schema_card,
	&schema_block,
	&schema_card_counters,
	&schema_limits,
	&schema_user,
	&schema_port,
	&schema_membership,
	&schema_group,
	&schema_group_counters,
	&schema_member,
	&schema_wait,
	&schema_violation,
	NULL,
};
