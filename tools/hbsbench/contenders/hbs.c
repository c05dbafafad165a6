// SPDX-License-Identifier: GPL-2.0-or-later
/* hbs: the software backend with each algorithm, and a card with each of its ways */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arena.h"
#include "child.h"
#include "contender.h"
#include "hbs.h"
#include "hbs_algorithms.h"
#include "number.h"
#include "results.h"
#include "shared/variables.h"
#include "software/algorithm.h"

#define NAME_SIZE 40
/* For contenders that spin for a time and then sleep, whatever happens */
#define SPIN_NS 20000

struct way {
	enum hbs_backend backend;
	uint32_t wait_policy;
	uint64_t spin_ns;
	struct hbs_group_attr attr;
};

static const struct way *way;
static struct hbs *hbs;
static struct hbs_group *group;
static struct hbs_member **joined;
static bool is_shared;

static int open_way(void)
{
	return hbs_open(&hbs, &(struct hbs_attr){ .backend = way->backend,
						  .wait_policy = way->wait_policy,
						  .spin_ns = way->spin_ns });
}

/* The environment too decides what is opened */
static const char *explain_open(int error)
{
	static char why[CHILD_ERROR_SIZE];
	char set[CHILD_ERROR_SIZE];

	snprintf(why, sizeof(why), "%s%s", error == -ENODEV ? "no card" : hbs_strerror(error),
		 variables_set(set, sizeof(set)));
	return why;
}

static const char *hbs_open_context(const struct contender *self)
{
	int ret;

	way = self->detail;
	ret = open_way();
	return ret ? explain_open(ret) : NULL;
}

static const char *hbs_make(const struct contender *self, unsigned int members, bool shared)
{
	struct hbs_group_attr attr = way->attr;
	int ret;

	(void)self;
	is_shared = shared;
	attr.members = members;
	ret = hbs_group_create(hbs, &attr, &group);
	if (ret) {
		hbs_close(hbs);
		return hbs_strerror(ret);
	}
	/* not counted: the handles are counted, and the program decides where to keep them */
	joined = arena_map(members * sizeof(struct hbs_member *));
	return NULL;
}

/* A child of fork has only the descriptor of its parent's group */
static int import(void)
{
	int fd = hbs_group_fd(group);
	int ret = open_way();

	return ret ? ret : hbs_group_import(hbs, fd, &group);
}

static const char *hbs_enter(unsigned int member)
{
	int ret = is_shared ? import() : 0;

	if (!ret)
		ret = hbs_join(group, &joined[member]);
	return ret ? hbs_strerror(ret) : NULL;
}

static void hbs_wait_all(unsigned int member)
{
	int ret = hbs_barwait(joined[member]);

	if (__builtin_expect(ret, 0))
		child_die("hbs_barwait", hbs_strerror(ret));
}

/* A barrier is an epoch without messages */
static void hbs_idle_all(unsigned int member)
{
	static const struct hbs_idle nothing;
	int ret = hbs_begin_idle(joined[member], &nothing);

	if (!ret)
		ret = hbs_wait(joined[member]);
	if (__builtin_expect(ret, 0))
		child_die("hbs_begin_idle", hbs_strerror(ret));
}

static void hbs_leave_all(unsigned int member)
{
	hbs_leave(joined[member]);
}

static void hbs_unmake(void)
{
	hbs_group_close(group);
	hbs_close(hbs);
}

static long software_elsewhere(void)
{
	struct stat file;

	return fstat(hbs_group_fd(group), &file) ? -1 : (long)file.st_blocks * 512;
}

/* See hbsbench.rst */
static long software_budget(unsigned int members)
{
	double flags = 0;
	long rounding = 0;

	switch (hbs_group_algorithm(group)) {
	case HBS_ALGORITHM_BUTTERFLY:
	case HBS_ALGORITHM_PAIRWISE:
	case HBS_ALGORITHM_DISSEMINATION:
		flags = 64 * log2(members);
		break;
	case HBS_ALGORITHM_SCAN:
		/* the members' reports are within the 384 bytes, but may begin a page */
		rounding = 4096;
	}
	return 8192 + rounding + (long)(members * (384 + flags));
}

/* of the kernel and the card */
static long card_elsewhere(void)
{
	return -1;
}

static const char *software_version(void)
{
	return "libhbs of this checkout";
}

static const char *card_version(void)
{
	static char text[80];
	struct hbs *card;

	if (hbs_open(&card, &(struct hbs_attr){ .backend = HBS_BACKEND_CARD }))
		return NULL;
	snprintf(text, sizeof(text), "libhbs of this checkout, %s", hbs_backend_name(card));
	hbs_close(card);
	return text;
}

#define HBS_CONTENDER(symbol, its_name, its_what, its_version, its_elsewhere, its_budget, \
		      its_base, its_wait, ...)                                            \
	static const struct way symbol##_way = { __VA_ARGS__ };                           \
	const struct contender contender_##symbol = {                                     \
		.name = (its_name),                                                       \
		.what = (its_what),                                                       \
		.ours = true,                                                             \
		.shared = true,                                                           \
		.policy_of = (its_base),                                                  \
		.detail = &symbol##_way,                                                  \
		.version = (its_version),                                                 \
		.open = hbs_open_context,                                                 \
		.make = hbs_make,                                                         \
		.enter = hbs_enter,                                                       \
		.wait = (its_wait),                                                       \
		.leave = hbs_leave_all,                                                   \
		.unmake = hbs_unmake,                                                     \
		.elsewhere = (its_elsewhere),                                             \
		.budget = (its_budget),                                                   \
	}

#define SOFTWARE(symbol, its_name, its_what, its_base, ...)                                     \
	HBS_CONTENDER(symbol, its_name, its_what, software_version, software_elsewhere,         \
		      software_budget, its_base, hbs_wait_all, .backend = HBS_BACKEND_SOFTWARE, \
		      ##__VA_ARGS__)

#define CARD(symbol, its_name, its_what, its_base, ...)                                         \
	HBS_CONTENDER(symbol, its_name, its_what, card_version, card_elsewhere, NULL, its_base, \
		      hbs_wait_all, .backend = HBS_BACKEND_CARD, ##__VA_ARGS__)

SOFTWARE(hbs, CONTENDER_HBS, "hbs in software, by the algorithm that it chooses", NULL);
SOFTWARE(hbs_fixed, "hbs-fixed", "the same, for members that promise HBS_PROMISE_FIXED", NULL,
	 .attr.promise = HBS_PROMISE_FIXED);
SOFTWARE(hbs_passive, "hbs-passive", "hbs, HBS_WAIT_PASSIVE", CONTENDER_HBS,
	 .wait_policy = HBS_WAIT_PASSIVE);
SOFTWARE(hbs_spin, "hbs-spin-20us", "hbs, spin_ns = 20000", CONTENDER_HBS, .spin_ns = SPIN_NS);
SOFTWARE(hbs_active, "hbs-active", "hbs, HBS_WAIT_ACTIVE", CONTENDER_HBS,
	 .wait_policy = HBS_WAIT_ACTIVE);
HBS_CONTENDER(hbs_idle, CONTENDER_IDLE, "hbs without a card: idle members, without messages",
	      software_version, software_elsewhere, NULL, NULL, hbs_idle_all,
	      .backend = HBS_BACKEND_SOFTWARE, .attr.type = HBS_REFUTABLE);
CARD(hbs_card, CONTENDER_CARD, "hbs on a card: store, mask, one record", NULL);
CARD(hbs_card_count, "hbs-card-count", "hbs on a card that counts arrivals", NULL,
     .attr.complete_by = HBS_COMPLETE_BY_COUNT);
CARD(hbs_card_polling, "hbs-card-polling", "hbs on a card that polls arrival lines", NULL,
     .attr.arrive_by = HBS_ARRIVE_BY_POLLING);
CARD(hbs_card_csr, "hbs-card-csr", "hbs on a card whose register is polled", NULL,
     .attr.depart_by = HBS_DEPART_BY_CSR);
CARD(hbs_card_member, "hbs-card-member", "hbs on a card: a record for each member", NULL,
     .attr.depart_by = HBS_DEPART_BY_MEMBER_RECORD);
CARD(hbs_card_node, "hbs-card-node", "hbs on a card: a record for each NUMA node", NULL,
     .attr.depart_by = HBS_DEPART_BY_NODE_RECORD);
HBS_CONTENDER(hbs_card_idle, "hbs-card-idle", "hbs on a card: idle members, without messages",
	      card_version, card_elsewhere, NULL, NULL, hbs_idle_all, .backend = HBS_BACKEND_CARD,
	      .attr.type = HBS_REFUTABLE);
CARD(hbs_card_passive, "hbs-card-passive", "hbs on a card, HBS_WAIT_PASSIVE", CONTENDER_CARD,
     .wait_policy = HBS_WAIT_PASSIVE);
CARD(hbs_card_spin, "hbs-card-spin-20us", "hbs on a card, spin_ns = 20000", CONTENDER_CARD,
     .spin_ns = SPIN_NS);
CARD(hbs_card_active, "hbs-card-active", "hbs on a card, HBS_WAIT_ACTIVE", CONTENDER_CARD,
     .wait_policy = HBS_WAIT_ACTIVE);

const char *hbs_algorithm_chosen(unsigned int members, uint32_t promise)
{
	struct hbs_group_attr attr = { .members = members, .promise = promise };
	struct hbs_group *chosen;
	struct hbs *context;
	int ret = hbs_open(&context, &(struct hbs_attr){ .backend = HBS_BACKEND_SOFTWARE });

	if (ret)
		return hbs_strerror(ret);
	ret = hbs_group_create(context, &attr, &chosen);
	if (!ret) {
		ret = hbs_group_algorithm(chosen);
		hbs_group_close(chosen);
	}
	hbs_close(context);
	return ret < 0 ? hbs_strerror(ret) : hbs_algorithm_name((unsigned int)ret);
}

bool hbs_algorithm_has_fan_in(uint32_t algorithm)
{
	return hbsi_algorithm(algorithm) && hbsi_algorithm(algorithm)->fan_in;
}

/* A contender that was made before stays as it is */
struct algorithm_contender {
	struct contender contender;
	struct way way;
	char name[NAME_SIZE];
	char what[2 * NAME_SIZE];
	struct algorithm_contender *next;
};

static struct algorithm_contender *make_contender(struct algorithm_choice choice)
{
	const char *name = hbs_algorithm_name(choice.algorithm);
	struct algorithm_contender *new = calloc(1, sizeof(*new));

	if (!new) {
		fprintf(stderr, "hbsbench: out of memory\n");
		exit(2);
	}
	new->way =
		(struct way){ .backend = HBS_BACKEND_SOFTWARE,
			      .attr = { .algorithm = choice.algorithm, .fan_in = choice.fan_in } };
	new->contender = contender_hbs;
	new->contender.name = new->name;
	new->contender.what = new->what;
	new->contender.detail = &new->way;
	if (choice.fan_in)
		snprintf(new->name, sizeof(new->name), "hbs-%s:%u", name, choice.fan_in);
	else
		snprintf(new->name, sizeof(new->name), "hbs-%s", name);
	snprintf(new->what, sizeof(new->what), "hbs in software, %s", new->name + strlen("hbs-"));
	return new;
}

const struct contender *hbs_algorithm_contender(struct algorithm_choice choice)
{
	static struct algorithm_contender *all;

	if (!hbsi_algorithm(choice.algorithm) ||
	    (choice.fan_in && !hbs_algorithm_has_fan_in(choice.algorithm)))
		return NULL;
	for (struct algorithm_contender *is = all; is; is = is->next)
		if (is->way.attr.algorithm == choice.algorithm &&
		    is->way.attr.fan_in == choice.fan_in)
			return &is->contender;
	struct algorithm_contender *new = make_contender(choice);

	new->next = all;
	all = new;
	return &new->contender;
}

/* The fan-in after the name, or none */
static bool take_fan_in(const char *text, struct algorithm_choice *choice)
{
	uint64_t fan_in = 0;

	if (*text && (*text != ':' || !number_read(text + 1, FAN_IN_MAX, &fan_in) ||
		      fan_in < FAN_IN_MIN || !hbs_algorithm_has_fan_in(choice->algorithm)))
		return false;
	choice->fan_in = (uint32_t)fan_in;
	return true;
}

bool hbs_algorithm_named(const char *name, struct algorithm_choice *choice)
{
	const char *is;
	size_t length;

	if (strncmp(name, "hbs-", strlen("hbs-")))
		return false;
	name += strlen("hbs-");
	length = strcspn(name, ":");
	for (uint32_t i = HBS_ALGORITHM_AUTO + 1; (is = hbs_algorithm_name(i)); i++) {
		if (strlen(is) == length && !strncmp(is, name, length)) {
			choice->algorithm = i;
			return take_fan_in(name + length, choice);
		}
	}
	return false;
}
