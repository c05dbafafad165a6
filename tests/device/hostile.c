/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hostile guest: random accesses to a card. A model of what the card must do follows
 * most of them; some are too wild for that. This is for a card that is built with the
 * sanitizers: see the Makefile.
 */
#include "hostile.h"

#include <getopt.h>
#include <signal.h>

#define OPERATIONS 3000	 /* on each card */
#define AGES	   50000 /* for a slow card, in ns */

static uint64_t seed;
static uint64_t operation;

/* QEMU is gone, or did not do as it should: libqtest gives up. */
static void tell_of_end(int signal)
{
	static char text[160];
	int length =
		snprintf(text, sizeof(text),
			 "Bail out! the test ended at operation %" PRIu64 " of seed %" PRIu64 "\n",
			 operation, seed);

	if (write(STDOUT_FILENO, text, length) != length)
		_exit(2);
	_exit(1);
}

static void start(struct guest *guest, const char *disk)
{
	static const struct {
		unsigned int ports, groups;
	} sizes[] = { { 1, 1 }, { 3, 2 }, { 64, 4 }, { 67, MOST_GROUPS }, { MOST_PORTS, 3 } };
	static const char *const kinds[] = {
		"",
		"",
		",x-write-ns=3000",
		",x-silent-writes=on",
		",x-read-ns=2000,x-write-ns=3000,x-reset-ns=20000",
	};
	unsigned int size, kind;
	char *properties;

	guest->random = seed * 0x9e3779b97f4a7c15 | 1;
	size = below(guest, G_N_ELEMENTS(sizes));
	reference_start(&guest->ref, sizes[size].ports, sizes[size].groups);
	kind = below(guest, G_N_ELEMENTS(kinds));
	guest->slow = kind == G_N_ELEMENTS(kinds) - 1;
	properties = g_strdup_printf(",ports=%u,groups=%u%s", sizes[size].ports, sizes[size].groups,
				     kinds[kind]);
	card_start(&guest->card, properties, "");
	g_free(properties);
	add_disk(&guest->card, disk);
	reference_mark(&guest->ref, &guest->card);
	guest->saved = false;
	guest->master = true;
}

/* After all that, it must still be a card: everybody's barrier. */
static char *final_barrier(struct guest *guest)
{
	struct card *card = &guest->card;
	unsigned int g = guest->ref.groups - 1, port;
	char *error = NULL;

	recover(guest);
	set32(card, HBSR_CTL_CTRL, HBSR_CTL_CTRL_RESET);
	qtest_clock_step(card->qts, AGES);
	card_enable(card);
	group_enable(card, g, guest->ref.ports);
	qtest_clock_step(card->qts, AGES);
	for (port = 0; port < guest->ref.ports; port++)
		join(card, g, port);
	for (port = 0; port < guest->ref.ports; port++) {
		if (record(card, g) != epoch_word(1))
			error = g_strdup("the last barrier was complete too early");
		arrive(card, port, g);
	}
	qtest_clock_step(card->qts, AGES);
	if (record(card, g) != epoch_word(2))
		error = g_strdup("the last barrier was never complete");
	return error;
}

/* A card, and about OPERATIONS operations on it; what is wrong, or NULL */
static char *try_card(struct guest *guest, const char *disk)
{
	char *error = NULL;
	uint64_t end = operation + OPERATIONS;

	start(guest, disk);
	while (!error && operation < end) {
		if (guest->slow && !below(guest, 50)) {
			/* with whatever is in flight; one snapshot is enough */
			snapshot(&guest->card, guest->saved ? "snapshot-load" : "snapshot-save");
			guest->loads += guest->saved;
			guest->saved = true;
			guest->ref.tag++;
			error = reference_adopt(&guest->ref, &guest->card);
		} else if (!guest->slow && below(guest, 150)) {
			operation++;
			error = careful_operation(guest);
		} else {
			operation += wild_operations(guest);
			error = reference_adopt(&guest->ref, &guest->card);
		}
	}
	if (!error)
		error = final_barrier(guest);
	card_stop(&guest->card);
	unlink(disk);
	return error;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seconds", required_argument, NULL, 't' },
		{ "seed", required_argument, NULL, 's' },
		{ "cards", required_argument, NULL, 'c' },
		{ 0 },
	};
	uint64_t first, cards = UINT64_MAX, seconds = 15, n = 0;
	static struct guest guest;
	char *disk = temporary("disk"), *error = NULL;
	gint64 began = g_get_monotonic_time();
	int option;

	first = began ^ (uint64_t)getpid() << 32;
	first %= 1000000000;
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == '?')
			return 2;
		*(option == 't'	  ? &seconds
		  : option == 's' ? &first
				  : &cards) = strtoull(optarg, NULL, 0);
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGABRT, tell_of_end);
	printf("1..1\n# seed: %" PRIu64 " (--seed %" PRIu64 " tries the same again)\n", first,
	       first);
	for (seed = first; n < cards && !error; n++, seed++) {
		if (g_get_monotonic_time() - began > (gint64)seconds * G_USEC_PER_SEC)
			break;
		error = try_card(&guest, disk);
		if (error)
			printf("not ok 1 hostile guest: seed %" PRIu64 ", operation %" PRIu64 "\n",
			       seed, operation);
	}
	if (error) {
		g_strdelimit(error, "\n", ' ');
		printf("# %s\n", error);
		return 1;
	}
	printf("# figure: hostile guest: %" PRIu64 " cards, %" PRIu64 " operations (%" PRIu64
	       " wild), %" PRIu64 " violations, %" PRIu64 " saves and loads\n",
	       n, operation, guest.wild, guest.ref.total.violations, guest.loads);
	printf("# figure: hostile guest: %" PRIu64 " arrivals, %" PRIu64
	       " barriers complete, 0 lost, 0 too early\n",
	       guest.ref.total.arrivals, guest.ref.total.completions);
	printf("# figure: hostile guest: %" PRIu64 " of these barriers refutable, %" PRIu64
	       " arrivals withdrawn\n",
	       guest.ref.total.refutable, guest.ref.total.withdrawals);
	printf("ok 1 hostile guest\n");
	g_free(disk);
	return 0;
}
