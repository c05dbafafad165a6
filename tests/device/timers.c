/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Timers of groups. The clock is the test's: it moves by clock_step alone.
 */
#include "card.h"

#define G      6
#define T      1000000 /* timeout of the group, in ns */
#define BREAK  (HBSR_POLICY_BREAK << HBSR_GRP_CTRL_POLICY_SHIFT)
#define NOTIFY (HBSR_POLICY_NOTIFY << HBSR_GRP_CTRL_POLICY_SHIFT)

static void step(struct card *card, int64_t ns)
{
	qtest_clock_step(card->qts, ns);
}

static uint32_t status(struct card *card)
{
	return reg32(card, of_group(G, HBSR_GRP_STATUS));
}

static uint64_t missing(struct card *card)
{
	return reg64(card, of_group(G, HBSR_GRP_MISSING(0)));
}

static void set_up_group(struct card *card, uint32_t policy, uint64_t timeout)
{
	set64(card, of_group(G, HBSR_GRP_TIMEOUT), timeout);
	set32(card, of_group(G, HBSR_GRP_VECTOR), 1);
	group_enable_as(card, G, 3, policy);
	join(card, G, 0);
	join(card, G, 1);
	join(card, G, 2);
}

/* A group of ports 0, 1 and 2, in epoch 1, and all management causes enabled */
static void start(struct card *card, uint32_t policy, uint64_t timeout)
{
	card_start(card, "", "");
	messages_enable(card);
	card_enable(card);
	set32(card, HBSR_INT_ENABLE, HBSR_INT_ENABLE_TIMEOUT);
	set_up_group(card, policy, timeout);
	/* so that it is not at 0 */
	step(card, 12345);
}

static void assert_not_expired(struct card *card)
{
	g_assert_cmphex(status(card) & HBSR_GRP_STATUS_EXPIRED, ==, 0);
	g_assert_cmphex(reg64(card, HBSR_INT_TIMEOUTS(0)), ==, 0);
	g_assert_cmphex(reg64(card, HBSR_INT_TIMEOUTS(1)), ==, 0);
	g_assert_cmphex(reg32(card, HBSR_INT_CAUSE) & HBSR_INT_CAUSE_TIMEOUT, ==, 0);
	g_assert_false(message(card, 0));
}

/* The timer has expired once since it was last asked; takes the news of it. */
static void assert_expired(struct card *card, uint64_t who)
{
	g_assert_cmphex(status(card) & HBSR_GRP_STATUS_EXPIRED, ==, HBSR_GRP_STATUS_EXPIRED);
	g_assert_cmphex(missing(card), ==, who);
	g_assert_cmphex(reg64(card, HBSR_INT_TIMEOUTS(0)), ==, 1ULL << G);
	g_assert_cmphex(reg64(card, HBSR_INT_TIMEOUTS(1)), ==, 0);
	g_assert_cmphex(reg32(card, HBSR_INT_CAUSE), ==, HBSR_INT_CAUSE_TIMEOUT);
	g_assert_true(message(card, 0));
	set32(card, HBSR_INT_CAUSE, HBSR_INT_CAUSE_TIMEOUT);
	set64(card, HBSR_INT_TIMEOUTS(0), 1ULL << G);
	g_assert_cmphex(reg64(card, HBSR_INT_TIMEOUTS(0)), ==, 0);
}

/* The group breaks at the right time, and all learn of it. */
static void test_break(void)
{
	struct card card;

	start(&card, BREAK, T);
	set32(&card, of_group(G, HBSR_GRP_ARM), 1);
	arrive(&card, 1, G);
	step(&card, T - 1);
	assert_not_expired(&card);
	g_assert_cmphex(record(&card, G), ==, epoch_word(1));
	g_assert_false(message(&card, 1));
	step(&card, 1);
	assert_expired(&card, 1 << 0 | 1 << 2);
	g_assert_cmphex(record(&card, G), ==, broken_word(1, HBSR_REASON_TIMEOUT));
	g_assert_cmphex(departure(&card, 0, G), ==, broken_word(1, HBSR_REASON_TIMEOUT));
	g_assert_cmphex(status(&card), ==,
			HBSR_GRP_STATUS_BROKEN | HBSR_GRP_STATUS_EXPIRED |
				HBSR_REASON_TIMEOUT << HBSR_GRP_STATUS_REASON_SHIFT);
	g_assert_true(message(&card, 1));
	g_assert_cmphex(reg64(&card, HBSR_INT_GROUPS(0)), ==, 1ULL << G);
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_S(0))), ==, 0);
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_RECORD_WRITES)), ==, 2);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_VIOLATIONS), ==, 0);
	/* broken as by a command: no more arrivals, and no more timers */
	arrive(&card, 0, G);
	assert_violation(&card, 1, HBSR_VIOLATION_REFUSED, 0, G);
	step(&card, 10 * T);
	g_assert_cmphex(reg64(&card, HBSR_INT_TIMEOUTS(0)), ==, 0);
	command(&card, G, HBSR_OP_BREAK, HBSR_REASON_DIED);
	g_assert_cmphex(record(&card, G), ==, broken_word(1, HBSR_REASON_TIMEOUT));
	/* Enabling it again mends it. */
	group_disable(&card, G);
	g_assert_cmphex(status(&card), ==, 0);
	g_assert_cmphex(missing(&card), ==, 0);
	set_up_group(&card, BREAK, T);
	g_assert_cmphex(status(&card), ==, 0);
	g_assert_cmphex(missing(&card), ==, 0);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	card_stop(&card);
}

/* The group goes on, told of once in each epoch. */
static void test_notify(void)
{
	struct card card;

	start(&card, NOTIFY, T);
	set32(&card, of_group(G, HBSR_GRP_ARM), 1);
	arrive(&card, 1, G);
	step(&card, T);
	assert_expired(&card, 1 << 0 | 1 << 2);
	g_assert_cmphex(status(&card), ==, HBSR_GRP_STATUS_EXPIRED | HBSR_GRP_STATUS_ARMED);
	g_assert_cmphex(record(&card, G), ==, epoch_word(1));
	g_assert_cmphex(departure(&card, 0, G), ==, epoch_word(1));
	g_assert_cmpuint(reg64(&card, of_group(G, HBSR_GRP_RECORD_WRITES)), ==, 1);
	g_assert_false(message(&card, 1));
	arrive(&card, 2, G);
	step(&card, 10 * T);
	g_assert_cmphex(reg64(&card, HBSR_INT_TIMEOUTS(0)), ==, 0);
	g_assert_cmphex(reg32(&card, HBSR_INT_CAUSE), ==, 0);
	/* MISSING is as it was then. */
	g_assert_cmphex(missing(&card), ==, 1 << 0 | 1 << 2);
	arrive(&card, 0, G);
	g_assert_cmphex(record(&card, G), ==, epoch_word(2));
	g_assert_cmphex(status(&card), ==, 0);
	g_assert_cmphex(missing(&card), ==, 1 << 0 | 1 << 2);
	g_assert_true(message(&card, 1));
	/* and so in the next epoch */
	step(&card, 10 * T);
	assert_not_expired(&card);
	arrive(&card, 0, G);
	arrive(&card, 1, G);
	step(&card, T - 1);
	assert_not_expired(&card);
	step(&card, 1);
	assert_expired(&card, 1 << 2);
	/* A group that breaks in an epoch whose timer expired still says so. */
	command(&card, G, HBSR_OP_BREAK, HBSR_REASON_DIED);
	g_assert_cmphex(status(&card), ==,
			HBSR_GRP_STATUS_BROKEN | HBSR_GRP_STATUS_EXPIRED |
				HBSR_REASON_DIED << HBSR_GRP_STATUS_REASON_SHIFT);
	g_assert_cmphex(record(&card, G), ==, broken_word(2, HBSR_REASON_DIED));
	card_stop(&card);
}

/* It runs from the first arrival, not from the last, and not before. */
static void test_first_arrival(void)
{
	struct card card;

	start(&card, NOTIFY, T);
	step(&card, 10 * T);
	assert_not_expired(&card);
	arrive(&card, 2, G);
	step(&card, T / 2);
	arrive(&card, 0, G);
	/* Neither a dropped store nor a join or leave starts the timer anew. */
	arrive(&card, 0, G);
	join(&card, G, 9);
	join(&card, G, 10);
	command(&card, G, HBSR_OP_LEAVE, 10);
	step(&card, T / 2 - 1);
	g_assert_cmphex(reg64(&card, HBSR_INT_TIMEOUTS(0)), ==, 0);
	set32(&card, HBSR_INT_CAUSE, HBSR_INT_CAUSE_VIOLATION);
	step(&card, 1);
	assert_expired(&card, 1 << 1 | 1 << 9);
	card_stop(&card);
}

/* It runs while seats are vacant, too, even if no member is missing. */
static void test_vacant(void)
{
	struct card card;

	start(&card, BREAK, T);
	group_disable(&card, G);
	group_enable_as(&card, G, 3, BREAK);
	join(&card, G, 4);
	arrive(&card, 4, G);
	step(&card, T);
	assert_expired(&card, 0);
	g_assert_cmphex(record(&card, G), ==, broken_word(2, HBSR_REASON_TIMEOUT));
	g_assert_cmpuint(reg32(&card, of_group(G, HBSR_GRP_VACANT)), ==, 2);
	card_stop(&card);
}

/* 0 is no timer, the longest is one; the shortest too. */
static void test_lengths(void)
{
	const int64_t longest = (1LL << 48) - 1;
	struct card card;

	start(&card, BREAK, 0);
	arrive(&card, 0, G);
	/* a thousand seconds: the clocks of the machine make longer ones slow */
	step(&card, 1000000000000);
	assert_not_expired(&card);
	card_stop(&card);
	start(&card, BREAK, longest);
	arrive(&card, 0, G);
	step(&card, longest - 1);
	assert_not_expired(&card);
	step(&card, 1);
	assert_expired(&card, 1 << 1 | 1 << 2);
	card_stop(&card);
	start(&card, BREAK, 1);
	arrive(&card, 0, G);
	step(&card, 1);
	assert_expired(&card, 1 << 1 | 1 << 2);
	card_stop(&card);
}

static void complete_by_arrival(struct card *card)
{
	arrive(card, 1, G);
	arrive(card, 2, G);
}

static void complete_by_leave(struct card *card)
{
	arrive(card, 1, G);
	command(card, G, HBSR_OP_LEAVE, 2);
}

static void break_it(struct card *card)
{
	command(card, G, HBSR_OP_BREAK, HBSR_REASON_DIED);
}

static void disable_it(struct card *card)
{
	group_disable(card, G);
}

static void take_back(struct card *card)
{
	command(card, G, HBSR_OP_INIT, 0);
}

static void leave(struct card *card)
{
	command(card, G, HBSR_OP_LEAVE, 0);
}

static void disable_card(struct card *card)
{
	set32(card, HBSR_CTL_CTRL, 0);
}

static const struct {
	const char *what;
	void (*stop)(struct card *card);
} stops[] = {
	{ "completion by arrival", complete_by_arrival },
	{ "completion by leave", complete_by_leave },
	{ "break", break_it },
	{ "disabling the group", disable_it },
	{ "the only arrival taken back", take_back },
	{ "the only one that arrived leaves", leave },
	{ "disabling the card", disable_card },
	{ "reset of the card", reset_card },
	{ "reset of the function", reset_function },
	{ "reset of the bus", reset_bus },
};

/* Everything that stops a timer, under either policy */
static void check_stops(uint32_t policy)
{
	struct card card;
	size_t i;

	for (i = 0; i < G_N_ELEMENTS(stops); i++) {
		g_test_message("%s", stops[i].what);
		start(&card, policy, T);
		arrive(&card, 0, G);
		step(&card, T / 2);
		stops[i].stop(&card);
		step(&card, 10 * T);
		assert_not_expired(&card);
		g_assert_cmphex(missing(&card), ==, 0);
		card_stop(&card);
	}
}

static void test_stops(void)
{
	check_stops(BREAK);
	check_stops(NOTIFY);
}

/* After a stop in the middle of an epoch, the next arrival starts the timer for its whole time. */
static void test_starts_again(void)
{
	struct card card;

	start(&card, NOTIFY, T);
	arrive(&card, 0, G);
	step(&card, T / 2);
	take_back(&card);
	arrive(&card, 1, G);
	step(&card, T - 1);
	assert_not_expired(&card);
	step(&card, 1);
	assert_expired(&card, 1 << 0 | 1 << 2);
	/* but only once an epoch */
	command(&card, G, HBSR_OP_INIT, 1);
	arrive(&card, 1, G);
	step(&card, 10 * T);
	g_assert_cmphex(reg64(&card, HBSR_INT_TIMEOUTS(0)), ==, 0);
	g_assert_cmphex(status(&card), ==, HBSR_GRP_STATUS_EXPIRED);
	card_stop(&card);
}

/* A card that is enabled again gives the epochs in progress their whole time. */
static void test_card_enabled_again(void)
{
	struct card card;

	start(&card, BREAK, T);
	arrive(&card, 0, G);
	step(&card, T / 2);
	disable_card(&card);
	step(&card, 10 * T);
	card_enable(&card);
	step(&card, T / 2);
	/* what is enabled already */
	card_enable(&card);
	step(&card, T / 2 - 1);
	assert_not_expired(&card);
	step(&card, 1);
	assert_expired(&card, 1 << 1 | 1 << 2);
	g_assert_cmphex(record(&card, G), ==, broken_word(1, HBSR_REASON_TIMEOUT));
	card_stop(&card);
}

/* Two epochs that overlap in time: the timer of the first is not that of the second. */
static void test_next_epoch(void)
{
	struct card card;

	start(&card, BREAK, T);
	arrive(&card, 0, G);
	step(&card, T - 1);
	complete_by_arrival(&card);
	arrive(&card, 0, G);
	step(&card, T - 1);
	assert_not_expired(&card);
	complete_by_arrival(&card);
	g_assert_cmphex(record(&card, G), ==, epoch_word(3));
	card_stop(&card);
}

/* 128 timers at once, each of another length */
static void test_all_groups(void)
{
	struct card card;
	unsigned int g;

	card_start(&card, ",groups=128", "");
	messages_enable(&card);
	card_enable(&card);
	set32(&card, HBSR_INT_ENABLE, HBSR_INT_ENABLE_TIMEOUT);
	for (g = 0; g < 128; g++) {
		set64(&card, of_group(g, HBSR_GRP_TIMEOUT), T + g);
		group_enable_as(&card, g, 2, g % 2 ? NOTIFY : BREAK);
		join(&card, g, 0);
		arrive(&card, 0, g);
	}
	step(&card, T - 1);
	g_assert_false(message(&card, 0));
	for (g = 0; g < 128; g++) {
		step(&card, 1);
		g_assert_cmphex(reg64(&card, HBSR_INT_TIMEOUTS(g / 64)), ==, 1ULL << g % 64);
		g_assert_cmphex(reg64(&card, HBSR_INT_TIMEOUTS(1 - g / 64)), ==, 0);
		g_assert_cmphex(record(&card, g), ==,
				g % 2 ? epoch_word(1) : broken_word(1, HBSR_REASON_TIMEOUT));
		/* writing 0, and other bits, clears nothing */
		set64(&card, HBSR_INT_TIMEOUTS(g / 64), ~(1ULL << g % 64));
		g_assert_cmphex(reg64(&card, HBSR_INT_TIMEOUTS(g / 64)), ==, 1ULL << g % 64);
		set64(&card, HBSR_INT_TIMEOUTS(g / 64), 1ULL << g % 64);
		g_assert_cmphex(reg64(&card, HBSR_INT_TIMEOUTS(g / 64)), ==, 0);
	}
	/* one message: nobody cleared the cause in between */
	g_assert_true(message(&card, 0));
	g_assert_cmpuint(reg64(&card, HBSR_CNT_INTERRUPTS), ==, 1);
	card_stop(&card);
}

/* A cause like the others: latched, and sent when it is enabled and rises */
static void test_cause(void)
{
	struct card card;

	start(&card, NOTIFY, T);
	set32(&card, HBSR_INT_ENABLE, HBSR_INT_ENABLE_VIOLATION | HBSR_INT_ENABLE_DMA);
	arrive(&card, 0, G);
	step(&card, T);
	g_assert_false(message(&card, 0));
	g_assert_cmphex(reg32(&card, HBSR_INT_CAUSE), ==, HBSR_INT_CAUSE_TIMEOUT);
	set32(&card, HBSR_INT_ENABLE, HBSR_INT_ENABLE_TIMEOUT);
	g_assert_true(message(&card, 0));
	/* Clearing INT_TIMEOUTS is not clearing the cause, nor the other way. */
	set64(&card, HBSR_INT_TIMEOUTS(0), 1ULL << G);
	g_assert_cmphex(reg32(&card, HBSR_INT_CAUSE), ==, HBSR_INT_CAUSE_TIMEOUT);
	complete_by_arrival(&card);
	arrive(&card, 0, G);
	step(&card, T);
	g_assert_false(message(&card, 0));
	set32(&card, HBSR_INT_CAUSE, HBSR_INT_CAUSE_TIMEOUT);
	g_assert_cmphex(reg64(&card, HBSR_INT_TIMEOUTS(0)), ==, 1ULL << G);
	complete_by_arrival(&card);
	arrive(&card, 0, G);
	step(&card, T);
	/* The bit was set already, but the cause rises. */
	g_assert_true(message(&card, 0));
	card_stop(&card);
}

/* Ports beyond the first word; none that has left, and all that have joined */
static void test_missing(void)
{
	struct card card;
	unsigned int i;

	card_start(&card, ",ports=1024", "");
	card_enable(&card);
	set64(&card, of_group(G, HBSR_GRP_TIMEOUT), T);
	group_enable_as(&card, G, 4, NOTIFY);
	join(&card, G, 0);
	join(&card, G, 64);
	join(&card, G, 777);
	join(&card, G, 1023);
	arrive(&card, 777, G);
	command(&card, G, HBSR_OP_LEAVE, 64);
	join(&card, G, 130);
	step(&card, T);
	for (i = 0; i < HBSR_GRP_MISSING_COUNT; i++) {
		uint64_t expected = 0;

		if (i == 0)
			expected = 1;
		else if (i == 130 / 64)
			expected = 1ULL << 130 % 64;
		else if (i == 1023 / 64)
			expected = 1ULL << 63;
		g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_MISSING(i))), ==, expected);
	}
	card_stop(&card);
}

/* A record that cannot be written when the timer breaks the group: both causes */
static void test_dma_error(void)
{
	struct card card;

	start(&card, BREAK, T);
	arrive(&card, 0, G);
	set_bus_master(&card, false);
	step(&card, T);
	g_assert_cmphex(departure(&card, 0, G), ==, broken_word(1, HBSR_REASON_TIMEOUT));
	g_assert_cmphex(reg32(&card, HBSR_INT_CAUSE), ==,
			HBSR_INT_CAUSE_TIMEOUT | HBSR_INT_CAUSE_DMA);
	g_assert_cmpuint(reg64(&card, HBSR_CNT_DMA_ERRORS), ==, 1);
	card_stop(&card);
}

/* The message comes after the records, and after that of the armed interrupt. */
static void test_order(void)
{
	static const char *const events[] = {
		"hbs_timer_start group 6 deadline 1012345",
		"hbs_expire group 6 missing 2",
		"hbs_break group 6 reason 1",
		"hbs_record_write group 6 addr 0x260000 word 0x10011 done 1",
		"hbs_interrupt vector 1",
		"hbs_interrupt vector 0",
		"hbs_timer_start group 6 deadline 2012345",
		"hbs_timer_stop group 6",
	};
	char *path = temporary("trace"), *options;
	struct card card;

	options = g_strdup_printf("-trace hbs_* -D %s", path);
	card_start(&card, "", options);
	messages_enable(&card);
	card_enable(&card);
	set32(&card, HBSR_INT_ENABLE, HBSR_INT_ENABLE_TIMEOUT);
	set_up_group(&card, BREAK, T);
	step(&card, 12345);
	set32(&card, of_group(G, HBSR_GRP_ARM), 1);
	arrive(&card, 0, G);
	step(&card, T);
	group_disable(&card, G);
	set_up_group(&card, BREAK, T);
	arrive(&card, 0, G);
	complete_by_arrival(&card);
	card_stop(&card);
	assert_in_order(path, events, G_N_ELEMENTS(events));
	g_free(options);
	g_free(path);
}

/* After a reset, nothing that a timer reported is left, as of all else. */
static void test_reset(void)
{
	struct card card;

	start(&card, NOTIFY, T);
	arrive(&card, 0, G);
	step(&card, T);
	g_assert_cmphex(reg64(&card, HBSR_INT_TIMEOUTS(0)), ==, 1ULL << G);
	g_assert_true(message(&card, 0));
	reset_card(&card);
	assert_not_expired(&card);
	g_assert_cmphex(missing(&card), ==, 0);
	g_assert_cmphex(reg64(&card, of_group(G, HBSR_GRP_TIMEOUT)), ==, 0);
	card_stop(&card);
}

/* A card that is unplugged takes its timers along. */
static void test_unplug(void)
{
	char *path = temporary("trace"), *options, *text;
	struct card card;

	options = g_strdup_printf("-M pc -trace hbs_* -D %s", path);
	card_start_bare(&card, options);
	qtest_qmp_device_add(card.qts, "hbs", "card", "{ 'addr': '4' }");
	card_map(&card);
	card_enable(&card);
	set_up_group(&card, BREAK, T);
	arrive(&card, 0, G);
	qtest_qmp_device_del_send(card.qts, "card");
	card_eject(&card);
	qtest_qmp_eventwait(card.qts, "DEVICE_DELETED");
	step(&card, 10 * T);
	card_stop(&card);
	text = file_text(path);
	g_assert_nonnull(strstr(text, "hbs_timer_start"));
	g_assert_null(strstr(text, "hbs_expire"));
	unlink(path);
	g_free(text);
	g_free(options);
	g_free(path);
}

static void add_tests(void)
{
	g_test_add_func("/timers/break", test_break);
	g_test_add_func("/timers/notify", test_notify);
	g_test_add_func("/timers/first-arrival", test_first_arrival);
	g_test_add_func("/timers/vacant", test_vacant);
	g_test_add_func("/timers/lengths", test_lengths);
	g_test_add_func("/timers/stops", test_stops);
	g_test_add_func("/timers/starts-again", test_starts_again);
	g_test_add_func("/timers/card-enabled-again", test_card_enabled_again);
	g_test_add_func("/timers/next-epoch", test_next_epoch);
	g_test_add_func("/timers/all-groups", test_all_groups);
	g_test_add_func("/timers/cause", test_cause);
	g_test_add_func("/timers/missing", test_missing);
	g_test_add_func("/timers/dma-error", test_dma_error);
	g_test_add_func("/timers/order", test_order);
	g_test_add_func("/timers/reset", test_reset);
	g_test_add_func("/timers/unplug", test_unplug);
}

int main(int argc, char **argv)
{
	return run_tests(argc, argv, add_tests);
}
