/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the driver tells, as structs. Documentation/driver/netlink/hbs.yaml describes the
 * fields. "has" is for fields_has().
 */
#ifndef HBSCTL_RECORDS_H
#define HBSCTL_RECORDS_H

#include <stdint.h>

#include <linux/hbs_netlink.h>

#include "fields.h"

struct block {
	uint64_t has;
	uint32_t type;
	uint32_t version;
};

struct card_counters {
	uint64_t has;
	uint64_t violations;
	uint64_t foreign_reads;
	uint64_t interrupts;
	uint32_t waiters;
};

struct limits {
	uint64_t has;
	uint32_t card;
	uint32_t ports_per_user;
	uint32_t ports_reserved;
	uint32_t groups_per_user;
	uint32_t groups_reserved;
	uint64_t timeout_min_ns;
	uint64_t timeout_max_ns;
};

struct card {
	uint64_t has;
	uint32_t card;
	char name[FIELD_TEXT_SIZE];
	char pci_address[FIELD_TEXT_SIZE];
	uint32_t state;
	uint32_t version;
	struct rows blocks; /* of struct block */
	uint64_t features;
	uint32_t group_types;
	uint32_t ports;
	uint32_t ports_used;
	uint32_t groups;
	uint32_t groups_used;
	uint32_t vectors;
	uint32_t resets;
	struct limits limits;
	struct card_counters counters;
};

struct user {
	uint64_t has;
	uint32_t card;
	uint32_t uid;
	uint32_t ports;
	uint32_t groups;
};

struct membership {
	uint64_t has;
	uint64_t tag;
	uint32_t group;
};

struct port {
	uint64_t has;
	uint32_t card;
	uint32_t port;
	uint32_t pid;
	uint32_t tid;
	char comm[FIELD_TEXT_SIZE];
	uint32_t cpu;
	uint32_t uid;
	uint32_t mappings;
	uint32_t memory;
	struct rows memberships; /* of struct membership */
};

struct group_counters {
	uint64_t has;
	uint64_t completions;
	uint64_t arrivals;
	uint64_t departure_reads;
	uint64_t record_writes;
	uint64_t non_member;
	uint64_t double_arrivals;
	uint64_t refused;
	uint64_t interrupts;
	uint64_t waits;
	uint64_t line_reads;
	uint64_t withdrawals;
	uint64_t unarrived;
	uint64_t readbacks;
};

struct group {
	uint64_t has;
	uint32_t card;
	uint32_t group;
	uint32_t type;
	uint32_t state;
	uint32_t reason;
	uint32_t seats;
	uint32_t joined;
	uint32_t uid;
	uint64_t epoch;
	uint32_t vacant;
	uint32_t missing;
	int64_t in_flight;
	uint32_t reduce;
	uint32_t policy;
	uint32_t completion;
	uint32_t arrival;
	uint32_t departure;
	uint64_t timeout_ns;
	uint64_t timeouts;
	struct group_counters counters;
	uint64_t waiting_ns;
};

struct wait {
	uint64_t has;
	uint64_t from_ns;
	uint64_t count;
};

struct member {
	uint64_t has;
	uint32_t card;
	uint32_t group;
	uint32_t port;
	uint32_t missing;
	uint32_t pid;
	uint32_t tid;
	char comm[FIELD_TEXT_SIZE];
	uint32_t cpu;
	uint64_t tag;
	uint64_t epochs;
	uint64_t waited_ns;
	uint64_t slept;
	struct rows waits; /* of struct wait */
};

struct violation {
	uint64_t has;
	uint32_t card;
	uint32_t kind;
	uint32_t port;
	uint32_t group;
	uint64_t count;
};

extern const struct schema schema_card, schema_limits, schema_user, schema_port, schema_group,
	schema_group_counters, schema_card_counters, schema_member, schema_violation;

/* All of them, NULL at the end: for the tests, which compare them with the specification */
extern const struct schema *const schemas[];

#endif /* HBSCTL_RECORDS_H */
