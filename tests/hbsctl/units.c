// SPDX-License-Identifier: GPL-2.0-or-later
/* The parts of hbsctl that need no card */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/hbs.h>

#include "format.h"
#include "late.h"
#include "records.h"
#include "stall.h"
#include "status.h"
#include "table.h"
#include "target.h"
#include "text.h"
#include "top.h"

static void escapes(void **state)
{
	char text[TEXT_SIZE(16)], all[TEXT_SIZE(256)], bytes[256];

	(void)state;
	assert_string_equal(text_escape(text, sizeof(text), "plain text~"), "plain text~");
	assert_string_equal(text_escape(text, sizeof(text), "\033[31m"), "\\x1b[31m");
	assert_string_equal(text_escape(text, sizeof(text), "a\nb\\n\x7f\xff"),
			    "a\\x0ab\\\\n\\x7f\\xff");
	/* every byte, and nothing but printable ASCII comes out */
	for (int i = 1; i < 256; i++)
		bytes[i - 1] = (char)i;
	bytes[255] = '\0';
	text_escape(all, sizeof(all), bytes);
	for (const char *c = all; *c; c++)
		assert_true(*c >= ' ' && *c <= '~');
	assert_int_equal(strlen(all), 94 + 2 + (255 - 95) * 4);
}

/* What does not fit is left out, and no escape is cut into two */
static void escapes_short(void **state)
{
	char text[6];

	(void)state;
	assert_string_equal(text_escape(text, sizeof(text), "abcdefgh"), "abcde");
	assert_string_equal(text_escape(text, sizeof(text), "ab\033"), "ab");
	assert_string_equal(text_escape(text, sizeof(text), "a\033b"), "a\\x1b");
	assert_string_equal(text_escape(text, 1, "a"), "");
}

static void card_names(void **state)
{
	static const char *const bad[] = { "",
					   "hbs",
					   "hbs00",
					   "hbs01",
					   "hbs256",
					   "hbs0/",
					   "hbs0/128",
					   "hbs0/01",
					   "hbs0/1/",
					   "hbs-1",
					   "hbs 0",
					   "HBS0",
					   "0",
					   "hbs0 ",
					   "/dev/",
					   "hbs0/1x",
					   "hbs99999999999999999999",
					   "hbs0//1" };
	struct target target;

	(void)state;
	assert_true(target_parse_card("hbs0", &target));
	assert_true(target.has_card && !target.has_group && target.card == 0);
	assert_true(target_parse_card("/dev/hbs255", &target));
	assert_true(target.has_card && target.card == 255);
	assert_true(target_parse_card("hbs12/127", &target));
	assert_true(target.has_group && target.card == 12 && target.group == 127);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(target_parse_card(bad[i], &target));
}

static void process_names(void **state)
{
	static const char *const bad[] = { "",	   "0",		 "-1", "1/",	"/1", "01",
					   "1/01", "2147483648", "1 ", "1/2/3", "x" };
	struct target target;

	(void)state;
	assert_true(target_parse_process("1234", &target));
	assert_true(target.has_pid && !target.has_fd && target.pid == 1234);
	assert_true(target_parse_process("2147483647/0", &target));
	assert_true(target.has_fd && target.pid == 2147483647 && target.fd == 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(target_parse_process(bad[i], &target));
}

static void times(void **state)
{
	char text[FORMAT_SIZE];

	(void)state;
	assert_string_equal(format_ns(0, text), "-");
	assert_string_equal(format_ns(999, text), "999 ns");
	assert_string_equal(format_ns(1000, text), "1.00 us");
	assert_string_equal(format_ns(999499, text), "999 us");
	assert_string_equal(format_ns(999500, text), "1.00 ms");
	assert_string_equal(format_ns(20000000, text), "20.0 ms");
	assert_string_equal(format_ns(3600000000000, text), "3600 s");
	assert_string_equal(format_rate(0, text), "0");
	assert_string_equal(format_rate(1.5, text), "1.50");
	assert_string_equal(format_rate(12345, text), "12345");
	assert_string_equal(format_rate(1234567, text), "1.23M");
	setenv("TZ", "XYZ-5:30", 1);
	assert_string_equal(format_time(&(struct timespec){ 0, 1500 }, text),
			    "1970-01-01T05:30:00.000001+05:30");
}

static void words(void **state)
{
	char room[WORD_SIZE], text[60];

	(void)state;
	assert_string_equal(words_of(&words_reason, HBS_REASON_DIED, room), "died");
	assert_string_equal(words_of(&words_reason, 8, room), "8");
	assert_string_equal(words_of(&words_reason, UINT64_MAX, room), "18446744073709551615");
	/* numbers that have no word, in the middle of the list */
	assert_string_equal(words_of(&words_block, 7, room), "7");
	assert_string_equal(words_of_bits(&words_policy, 0, text, sizeof(text)), "-");
	assert_string_equal(words_of_bits(&words_policy, 0x15, text, sizeof(text)),
			    "notify,thread,4");
	assert_int_equal(strlen(words_of_bits(&words_feature, UINT64_MAX, text, sizeof(text))),
			 sizeof(text) - 1);
}

static void tables(void **state)
{
	struct table table;
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	table_start(&table, "<name a_count <what");
	table_add(&table, COLOUR_BAD, "%s", "x");
	table_add(&table, COLOUR_NONE, "%d", 12345678);
	table_add(&table, COLOUR_NONE, "yes");
	table_add(&table, COLOUR_NONE, "longer");
	table_add(&table, COLOUR_NONE, "1");
	table_end(&table, file);
	fclose(file);
	/* no terminal, no colours; no blanks at the end of a whole row */
	assert_string_equal(text, "name     a count  what\n"
				  "x       12345678  yes\n"
				  "longer         1\n");
	free(text);
}

/* A message of attributes, to be cut and spoilt */
struct message {
	_Alignas(8) char bytes[512];
	size_t size;
};

static void put(struct message *message, uint16_t type, const void *data, size_t size)
{
	struct nlattr header = { .nla_type = type, .nla_len = (uint16_t)(NLA_HDRLEN + size) };

	memcpy(message->bytes + message->size, &header, sizeof(header));
	memcpy(message->bytes + message->size + NLA_HDRLEN, data, size);
	message->size += NLA_ALIGN(header.nla_len);
}

static struct message member_message(void)
{
	struct message message = { .size = 0 };

	put(&message, HBS_A_MEMBER_PORT, &(uint32_t){ 7 }, 4);
	put(&message, 4000, "unknown", 8);
	put(&message, HBS_A_MEMBER_DEAD, "", 0);
	put(&message, HBS_A_MEMBER_COMM, "\033]0;evil\a", 10);
	put(&message, HBS_A_MEMBER_TAG, &(uint64_t){ UINT64_MAX }, 8);
	return message;
}

static void attributes(void **state)
{
	struct message message = member_message();
	struct member member = { 0 };
	json_t *object;

	(void)state;
	assert_true(fields_read(&schema_member, message.bytes, message.size, &member));
	assert_int_equal(member.port, 7);
	assert_true(member.tag == UINT64_MAX);
	assert_true(fields_has(&member, HBS_A_MEMBER_DEAD));
	assert_false(fields_has(&member, HBS_A_MEMBER_PID));
	object = fields_json(&schema_member, &member);
	assert_string_equal(json_string_value(json_object_get(object, "comm")),
			    "\\x1b]0;evil\\x07");
	assert_string_equal(json_string_value(json_object_get(object, "tag")),
			    "18446744073709551615");
	assert_true(json_is_true(json_object_get(object, "dead")));
	assert_null(json_object_get(object, "pid"));
	json_decref(object);
}

/* Whatever the bytes are, nothing behind them is read: the address sanitizer watches */
static void bad_attributes(void **state)
{
	struct message message = member_message();
	struct member member;

	(void)state;
	for (size_t size = 0; size <= message.size; size++) {
		char *copy = malloc(size ? size : 1);

		memcpy(copy, message.bytes, size);
		member = (struct member){ 0 };
		fields_read(&schema_member, copy, size, &member);
		assert_true(strnlen(member.comm, sizeof(member.comm)) < sizeof(member.comm));
		free(copy);
	}
	/* a u32 of two bytes, and lengths that cannot be */
	message.size = 0;
	put(&message, HBS_A_MEMBER_PORT, "\1", 2);
	assert_false(fields_read(&schema_member, message.bytes, message.size, &member));
	for (int length = 0; length < 4; length++) {
		((struct nlattr *)message.bytes)->nla_len = (uint16_t)length;
		assert_false(fields_read(&schema_member, message.bytes, message.size, &member));
	}
	((struct nlattr *)message.bytes)->nla_len = 60000;
	assert_false(fields_read(&schema_member, message.bytes, message.size, &member));
}

static void nested_attributes(void **state)
{
	struct message inner = { .size = 0 }, message = { .size = 0 };
	struct port port = { 0 };
	json_t *object;

	(void)state;
	put(&inner, HBS_A_MEMBERSHIP_GROUP, &(uint32_t){ 3 }, 4);
	for (int i = 0; i < 20; i++)
		put(&message, HBS_A_PORT_MEMBERSHIP | NLA_F_NESTED, inner.bytes, inner.size);
	assert_true(fields_read(&schema_port, message.bytes, message.size, &port));
	assert_int_equal(port.memberships.count, 20);
	object = fields_json(&schema_port, &port);
	assert_int_equal(json_array_size(json_object_get(object, "membership")), 20);
	json_decref(object);
	fields_free(&schema_port, &port);
}

static void statuses(void **state)
{
	(void)state;
	assert_int_equal(status_of_errno(0), STATUS_GOOD);
	assert_int_equal(status_of_errno(EPERM), STATUS_RIGHTS);
	assert_int_equal(status_of_errno(EACCES), STATUS_RIGHTS);
	assert_int_equal(status_of_errno(ENODEV), STATUS_ABSENT);
	assert_int_equal(status_of_errno(ENOENT), STATUS_ABSENT);
	assert_int_equal(status_of_errno(ERANGE), STATUS_FAILED);
}

/* Member @port of a group of four is missing, the others have arrived */
static void sample_missing(struct top_group *group, uint32_t missing)
{
	struct rows rows = { 0 };

	for (uint32_t port = 0; port < 4; port++) {
		struct member *member = rows_add(&rows, sizeof(*member));

		member->port = port;
		member->tag = 10 * port;
		member->missing = missing >> port & 1;
		member->has = 1u << HBS_A_MEMBER_MISSING;
	}
	top_sample(group, &rows);
	rows_free(&rows, &schema_member);
}

static void whom_others_wait_for(void **state)
{
	struct top_group group = { 0 };
	double share;

	(void)state;
	assert_true(top_waiting(&group) < 0);
	assert_int_equal(top_slowest(&group, &share), -1);
	/* nobody waits: nobody is to blame */
	sample_missing(&group, 0xf);
	assert_true(top_waiting(&group) == 0);
	assert_int_equal(top_slowest(&group, &share), -1);
	/* port 2 alone twice, and once with port 0 */
	sample_missing(&group, 0x4);
	sample_missing(&group, 0x4);
	sample_missing(&group, 0x5);
	assert_int_equal(top_slowest(&group, &share), 2);
	assert_true(share > 0.83 && share < 0.84);
	assert_true(group.members[2].tag == 20);
	/* 0, 3/4, 3/4 and 2/4 of the members waited */
	assert_true(top_waiting(&group) == 0.5);
	free(group.members);
}

static void epochs(void **state)
{
	struct rows rows = { 0 };
	struct group *group = rows_add(&rows, sizeof(*group));
	struct top top = { 0 };

	(void)state;
	group->has = 1u << HBS_A_GROUP_EPOCH;
	group->group = 5;
	group->epoch = 100;
	top_begin(&top, &rows);
	group->epoch = 350;
	top_end(&top, &rows);
	assert_int_equal(top.count, 1);
	assert_int_equal(top_epochs(&top.groups[0]), 250);
	/* who may not see the epoch does not know */
	group->has = 0;
	top_end(&top, &rows);
	assert_false(top_is_known(&top.groups[0]));
	group->has = 1u << HBS_A_GROUP_EPOCH;
	top_end(&top, &rows);
	assert_true(top_is_known(&top.groups[0]));
	/* a group that was made meanwhile, and one that has another one's number */
	top_begin(&top, &rows);
	group->epoch = 3;
	((struct group *)rows_add(&rows, sizeof(*group)))->group = 6;
	top_end(&top, &rows);
	assert_int_equal(top.count, 2);
	assert_int_equal(top_epochs(&top.groups[0]), 0);
	assert_int_equal(top_epochs(&top.groups[1]), 0);
	top_free(&top);
	rows_free(&rows, &schema_group);
}

static enum stall_verdict judge(struct stall stall, uint32_t missing, uint64_t before)
{
	for (uint32_t i = 0; i < missing; i++)
		stall_add(&stall);
	stall_judge(&stall, before);
	stall_free(&stall);
	return stall.verdict;
}

static void verdicts(void **state)
{
	struct stall stall = { .members = 3, .seats = 3, .epoch = 9, .started = true };

	(void)state;
	assert_int_equal(judge(stall, 1, 9), STALL_STUCK);
	assert_int_equal(judge(stall, 2, 8), STALL_MOVING);
	assert_int_equal(judge(stall, 3, 9), STALL_IDLE);
	assert_int_equal(judge(stall, 0, 9), STALL_COMPLETE);
	stall.started = false;
	assert_int_equal(judge(stall, 2, 9), STALL_GATHERING);
	stall.broken = true;
	assert_int_equal(judge(stall, 1, 8), STALL_BROKEN);
}

static void late_member(struct late *late, uint64_t epochs, uint64_t waited_ns, bool known)
{
	struct late_member *member = late_add(late);

	member->number = (uint32_t)late->count;
	member->epochs = epochs;
	member->waited_ns = waited_ns;
	member->known = known;
}

/* Return: the number of the member that is late; 0 if none is */
static uint32_t latest(const struct late *late)
{
	const struct late_member *member = late_latest(late);

	return member ? member->number : 0;
}

static void who_is_late(void **state)
{
	struct late late = { 0 };

	(void)state;
	assert_int_equal(latest(&late), 0);
	late_member(&late, 100, 1000, true);
	assert_int_equal(latest(&late), 0);
	/* its waits are as long as those of the other, for which it has been there longer */
	late_member(&late, 1000, 10000, true);
	assert_int_equal(latest(&late), 0);
	late_free(&late);
	/* all wait for less than a barrier takes */
	late_member(&late, 1000, 0, true);
	late_member(&late, 1000, 999000, true);
	assert_int_equal(latest(&late), 0);
	late.members[1].waited_ns = 1000000;
	assert_int_equal(latest(&late), 1);
	/* half as long as the others is not late */
	late.members[0].waited_ns = 500000;
	assert_int_equal(latest(&late), 0);
	late.members[0].waited_ns = 499999;
	assert_int_equal(latest(&late), 1);
	/* of one nothing is known, and one has been in no epoch */
	late_member(&late, 1000, 0, false);
	late_member(&late, 0, 0, true);
	assert_int_equal(latest(&late), 1);
	late.members[1].waited_ns = 10000000;
	late_member(&late, 1000, 100000, true);
	assert_int_equal(latest(&late), 5);
	late_free(&late);
}

static void steps_of_waits(void **state)
{
	struct late_member member = { .known = true, .epochs = 10 };

	(void)state;
	assert_int_equal(late_from(0), 0);
	assert_int_equal(late_from(1), 512);
	assert_int_equal(late_from(LATE_STEPS - 1), 1ULL << 31);
	assert_int_equal(late_quantile(&member, 1), 0);
	member.waits[2] = 3;
	member.waits[16] = 1;
	late_count_short(&member);
	assert_int_equal(member.waits[0], 6);
	assert_int_equal(late_quantile(&member, 0.5), 0);
	assert_int_equal(late_quantile(&member, 0.9), 1024);
	assert_int_equal(late_quantile(&member, 1), 1 << 24);
	/* more waits than epochs: it goes on while it is read, or somebody else has written it */
	member.waits[3] = UINT64_MAX;
	late_count_short(&member);
	assert_int_equal(member.waits[0], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(escapes),	  cmocka_unit_test(escapes_short),
		cmocka_unit_test(card_names),	  cmocka_unit_test(process_names),
		cmocka_unit_test(times),	  cmocka_unit_test(words),
		cmocka_unit_test(tables),	  cmocka_unit_test(attributes),
		cmocka_unit_test(bad_attributes), cmocka_unit_test(nested_attributes),
		cmocka_unit_test(statuses),	  cmocka_unit_test(whom_others_wait_for),
		cmocka_unit_test(epochs),	  cmocka_unit_test(verdicts),
		cmocka_unit_test(who_is_late),	  cmocka_unit_test(steps_of_waits),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("hbsctl", tests, NULL, NULL);
}
