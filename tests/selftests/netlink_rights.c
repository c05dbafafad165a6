// SPDX-License-Identifier: GPL-2.0-or-later
/* Who may see and do what by netlink: users, capabilities, namespaces, sockets of others. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "hbs_test.h"
#include "talk.h"

#define ALICE 1001
#define BOB   1002

/* What processes of a test tell each other */
struct notes {
	int ret;
	int step;
	uint32_t port;
	uint32_t group;
	int pid;
	struct got got[4];
	int bad;
	char said[128];
	int count;
	uint64_t tags;
};

FIXTURE(netlink_rights)
{
	struct usage before;
	struct hbs_info info;
	struct notes *notes;
	pid_t owner; /* of the port and the group */
};

static uint32_t card_number;

#define CARD U32(HBS_A_CARD_CARD, card_number)

FIXTURE_SETUP(netlink_rights)
{
	int card;

	usage_note(&self->before);
	ASSERT_EQ(chmod("/dev/hbs0", 0666), 0);
	card = card_open();
	ASSERT_GE(card, 0);
	ASSERT_EQ(card_info(card, &self->info), 0);
	ASSERT_EQ(close(card), 0);
	card_number = self->info.card;
	self->owner = 0;
	self->notes = mmap(NULL, sizeof(*self->notes), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(self->notes, MAP_FAILED);
}

FIXTURE_TEARDOWN(netlink_rights)
{
	if (self->owner > 0) {
		kill(self->owner, SIGKILL);
		waitpid(self->owner, NULL, 0);
	}
	EXPECT_EQ(usage_compare(&self->before), 0);
}

static int become(uid_t real, uid_t effective, uid_t saved)
{
	if (syscall(SYS_setgroups, 0, NULL) || setresuid(real, effective, saved))
		return -errno;
	return 0;
}

/* Keeps these capabilities alone, as nobody */
static int become_holder(uint64_t capabilities)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {
		{ .effective = capabilities, .permitted = capabilities },
		{ .effective = capabilities >> 32, .permitted = capabilities >> 32 },
	};

	if (prctl(PR_SET_KEEPCAPS, 1) || setresuid(BOB, BOB, BOB) ||
	    syscall(SYS_capset, &header, data))
		return -errno;
	return 0;
}

/* Lets another process do something; returns what that returns */
static int in_child(int (*what)(struct notes *), struct notes *notes)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		notes->ret = what(notes);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		return -ECHILD;
	return notes->ret;
}

/* Owns a port, a group, and a membership, and lives on; the first step says that it has them */
static void own(struct notes *notes, uid_t uid)
{
	struct hbs_group_join join = { .size = sizeof(join), .tag = 4711 };
	struct port port;
	struct group group;
	int card;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (uid && become(uid, uid, uid))
		_exit(1);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "owner");
	card = card_open();
	if (card < 0 || port_alloc(card, &port) || group_create(card, 2, &group))
		_exit(1);
	join.card_fd = card;
	join.port = port.number;
	if (hbs_ioctl(group.fd, HBS_GROUP_JOIN, &join) || port_map_waits(&port))
		_exit(1);
	port.waits[group.number].joined = join.word;
	port.waits[group.number].counts[0] = 1;
	notes->port = port.number;
	notes->group = group.number;
	notes->pid = getpid();
	__atomic_store_n(&notes->step, 1, __ATOMIC_RELEASE);
	for (;;)
		pause();
}

static pid_t start_owner(struct notes *notes, uid_t uid)
{
	pid_t pid = fork();

	if (!pid)
		own(notes, uid);
	for (int i = 0; i < 10000 && !__atomic_load_n(&notes->step, __ATOMIC_ACQUIRE); i++)
		sleep_ms(1);
	return notes->step ? pid : -ETIMEDOUT;
}

/* Looks at all that the owner has */
static int look(struct notes *notes)
{
	struct talk talk;
	int ret = talk_open(&talk);

	if (!ret)
		ret = talk_get(&talk, HBS_NL_CMD_PORT_GET, &notes->got[0], CARD,
			       U32(HBS_A_PORT_PORT, notes->port));
	if (!ret)
		ret = talk_get(&talk, HBS_NL_CMD_GROUP_GET, &notes->got[1], CARD,
			       U32(HBS_A_GROUP_GROUP, notes->group));
	if (!ret)
		ret = talk_get(&talk, HBS_NL_CMD_MEMBER_GET, &notes->got[2], CARD,
			       U32(HBS_A_MEMBER_GROUP, notes->group),
			       U32(HBS_A_MEMBER_PORT, notes->port));
	return ret;
}

static int look_as_alice(struct notes *notes)
{
	int ret = become(ALICE, ALICE, ALICE);

	return ret ? ret : look(notes);
}

static int look_as_bob(struct notes *notes)
{
	int ret = become(BOB, BOB, BOB);

	return ret ? ret : look(notes);
}

static int look_with_ptrace(struct notes *notes)
{
	int ret = become_holder(1ULL << CAP_SYS_PTRACE);

	return ret ? ret : look(notes);
}

static int look_with_others(struct notes *notes)
{
	int ret = become_holder(~(1ULL << CAP_SYS_PTRACE | 1ULL << CAP_SYS_ADMIN));

	return ret ? ret : look(notes);
}

#define HAS(n, attr)	(self->notes->got[n].tb[attr] != NULL)
#define NUMBER(n, attr) talk_number(self->notes->got[n].tb[attr], NONE)

/* All, or only what is not about processes */
static void check_sees(struct __test_metadata *_metadata, FIXTURE_DATA(netlink_rights) *self,
		       bool all, bool counters)
{
	static const int port_secrets[] = { HBS_A_PORT_PID,   HBS_A_PORT_TID, HBS_A_PORT_COMM,
					    HBS_A_PORT_CPU,   HBS_A_PORT_UID, HBS_A_PORT_MAPPINGS,
					    HBS_A_PORT_MEMORY };
	static const int member_secrets[] = { HBS_A_MEMBER_PID,	      HBS_A_MEMBER_TID,
					      HBS_A_MEMBER_COMM,      HBS_A_MEMBER_CPU,
					      HBS_A_MEMBER_TAG,	      HBS_A_MEMBER_EPOCHS,
					      HBS_A_MEMBER_WAITED_NS, HBS_A_MEMBER_SLEPT,
					      HBS_A_MEMBER_WAIT };
	struct got *port = &self->notes->got[0];

	EXPECT_EQ(NUMBER(0, HBS_A_PORT_CARD), card_number);
	EXPECT_EQ(NUMBER(0, HBS_A_PORT_PORT), self->notes->port);
	EXPECT_EQ(talk_nested(port->tb[HBS_A_PORT_MEMBERSHIP], HBS_A_MEMBERSHIP_GROUP, NONE),
		  self->notes->group);
	EXPECT_EQ(talk_nested(port->tb[HBS_A_PORT_MEMBERSHIP], HBS_A_MEMBERSHIP_TAG, NONE),
		  all ? 4711 : NONE);
	for (int i = 0; i < 7; i++)
		EXPECT_EQ(HAS(0, port_secrets[i]), all);
	for (int i = 0; i < 9; i++)
		EXPECT_EQ(HAS(2, member_secrets[i]), all);
	EXPECT_EQ(NUMBER(2, HBS_A_MEMBER_PORT), self->notes->port);
	EXPECT_EQ(HAS(2, HBS_A_MEMBER_MISSING), all && counters);
	for (int attr = HBS_A_GROUP_TYPE; attr <= HBS_A_GROUP_JOINED; attr++)
		EXPECT_TRUE(HAS(1, attr));
	EXPECT_EQ(NUMBER(1, HBS_A_GROUP_STATE), HBS_GROUP_STATE_GATHERING);
	for (int attr = HBS_A_GROUP_UID; attr <= HBS_A_GROUP_MAX; attr++)
		if (attr != HBS_A_GROUP_EXPIRED && attr != HBS_A_GROUP_IN_FLIGHT &&
		    attr != HBS_A_GROUP_WAITING_NS)
			EXPECT_EQ(HAS(1, attr), all && (counters || attr == HBS_A_GROUP_UID ||
							attr >= HBS_A_GROUP_REDUCE));
	if (all) {
		EXPECT_EQ(NUMBER(0, HBS_A_PORT_PID), self->notes->pid);
		EXPECT_STREQ(nla_get_string(port->tb[HBS_A_PORT_COMM]), "owner");
		EXPECT_EQ(NUMBER(2, HBS_A_MEMBER_PID), self->notes->pid);
	}
}

TEST_F(netlink_rights, to_see)
{
	bool timers = self->info.features & HBS_FEATURE_TIMEOUT;

	self->owner = start_owner(self->notes, ALICE);
	ASSERT_GT(self->owner, 0);
	ASSERT_EQ(in_child(look_as_alice, self->notes), 0);
	check_sees(_metadata, self, true, timers);
	EXPECT_EQ(NUMBER(0, HBS_A_PORT_UID), ALICE);
	ASSERT_EQ(in_child(look_as_bob, self->notes), 0);
	check_sees(_metadata, self, false, timers);
	ASSERT_EQ(in_child(look, self->notes), 0);
	check_sees(_metadata, self, true, timers);
	ASSERT_EQ(in_child(look_with_ptrace, self->notes), 0);
	check_sees(_metadata, self, true, timers);
	ASSERT_EQ(in_child(look_with_others, self->notes), 0);
	check_sees(_metadata, self, false, timers);
}

/* Root's are not for users */
TEST_F(netlink_rights, to_see_what_root_has)
{
	self->owner = start_owner(self->notes, 0);
	ASSERT_GT(self->owner, 0);
	ASSERT_EQ(in_child(look_as_bob, self->notes), 0);
	check_sees(_metadata, self, false, false);
}

static void note_members(int cmd, struct nlattr **tb, void *arg)
{
	struct notes *notes = arg;

	(void)cmd;
	notes->count++;
	notes->tags += talk_number(tb[HBS_A_MEMBER_TAG], 0);
	if (tb[HBS_A_MEMBER_PID])
		notes->tags += 1000000;
}

static int dump_as_bob(struct notes *notes)
{
	struct talk talk;
	int ret = become(BOB, BOB, BOB);

	notes->count = 0;
	notes->tags = 0;
	if (!ret)
		ret = talk_open(&talk);
	return ret ? ret : talk_dump(&talk, HBS_NL_CMD_MEMBER_GET, NULL, 0, note_members, notes);
}

/* Dumps have the same rule */
TEST_F(netlink_rights, to_dump)
{
	self->owner = start_owner(self->notes, ALICE);
	ASSERT_GT(self->owner, 0);
	ASSERT_EQ(in_child(dump_as_bob, self->notes), 0);
	EXPECT_EQ(self->notes->count, 1);
	EXPECT_EQ(self->notes->tags, 0);
}

/* The reader of a dump's later part is another one than who asked */
static int dump_for_root(struct notes *notes)
{
	struct talk talk;
	int ret = talk_open(&talk);
	pid_t pid;

	notes->count = 0;
	notes->tags = 0;
	if (ret)
		return ret;
	/* A socket of root; Bob asks, and root reads */
	pid = fork();
	if (!pid)
		_exit(become(BOB, BOB, BOB) ||
		      talk_dump_start(&talk, HBS_NL_CMD_MEMBER_GET, NULL, 0));
	if (waitpid(pid, &ret, 0) != pid || ret)
		return -ECHILD;
	talk.request = NULL;
	do
		ret = talk_step(&talk, note_members, notes);
	while (!ret);
	return ret < 0 ? ret : 0;
}

TEST_F(netlink_rights, to_dump_for_another)
{
	self->owner = start_owner(self->notes, ALICE);
	ASSERT_GT(self->owner, 0);
	ASSERT_EQ(in_child(dump_for_root, self->notes), 0);
	EXPECT_EQ(self->notes->count, 1);
	EXPECT_EQ(self->notes->tags, 0);
}

static int users_of_alice(struct notes *notes)
{
	struct talk talk;
	int ret = become(ALICE, ALICE, ALICE);

	if (!ret)
		ret = talk_open(&talk);
	if (!ret)
		ret = talk_get(&talk, HBS_NL_CMD_USER_GET, &notes->got[0], CARD,
			       U32(HBS_A_USER_UID, ALICE));
	if (ret)
		return ret;
	memset(&notes->got[1], 0, sizeof(notes->got[1]));
	ret = talk_dump(&talk, HBS_NL_CMD_USER_GET, NULL, 0, talk_keep, &notes->got[1]);
	if (ret)
		return ret;
	ret = talk_do(&talk, HBS_NL_CMD_USER_GET, CARD, U32(HBS_A_USER_UID, BOB));
	notes->bad = talk.bad;
	return ret;
}

static int users_of_bob(struct notes *notes)
{
	struct talk talk;
	int ret = become(BOB, BOB, BOB);

	if (!ret)
		ret = talk_open(&talk);
	memset(&notes->got[0], 0, sizeof(notes->got[0]));
	return ret ? ret
		   : talk_dump(&talk, HBS_NL_CMD_USER_GET, NULL, 0, talk_keep, &notes->got[0]);
}

TEST_F(netlink_rights, to_see_users)
{
	self->owner = start_owner(self->notes, ALICE);
	ASSERT_GT(self->owner, 0);
	EXPECT_EQ(in_child(users_of_alice, self->notes), -EPERM);
	EXPECT_EQ(self->notes->bad, HBS_A_USER_UID);
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(self->notes->got[i].messages, 1);
		EXPECT_EQ(NUMBER(i, HBS_A_USER_UID), ALICE);
		EXPECT_EQ(NUMBER(i, HBS_A_USER_PORTS), 1);
		EXPECT_EQ(NUMBER(i, HBS_A_USER_GROUPS), 1);
	}
	EXPECT_EQ(in_child(users_of_bob, self->notes), 0);
	EXPECT_EQ(self->notes->got[0].messages, 0);
}

/* A process that is Alice's only in part takes a port: she does not see whose it is */
static int take_in_disguise(struct notes *notes)
{
	struct port port;
	int ret = become(ALICE, 0, 0);
	int card;
	pid_t pid;

	if (ret)
		return ret;
	card = card_open();
	if (card < 0)
		return card;
	ret = port_alloc(card, &port);
	if (ret)
		return ret;
	notes->port = port.number;
	pid = fork();
	if (!pid) {
		struct talk talk;

		ret = become(ALICE, ALICE, ALICE);
		if (!ret)
			ret = talk_open(&talk);
		if (!ret)
			ret = talk_get(&talk, HBS_NL_CMD_PORT_GET, &notes->got[0], CARD,
				       U32(HBS_A_PORT_PORT, notes->port));
		_exit(ret != 0);
	}
	if (waitpid(pid, &ret, 0) != pid || ret)
		return -ECHILD;
	return 0;
}

TEST_F(netlink_rights, to_see_a_program_with_other_rights)
{
	ASSERT_EQ(in_child(take_in_disguise, self->notes), 0);
	EXPECT_EQ(NUMBER(0, HBS_A_PORT_PORT), self->notes->port);
	EXPECT_FALSE(HAS(0, HBS_A_PORT_PID));
	EXPECT_FALSE(HAS(0, HBS_A_PORT_COMM));
}

/* Tries all that changes something, with things that are there */
static int change_over(struct talk *talk, struct notes *notes)
{
	int limits =
		talk_do(talk, HBS_NL_CMD_LIMITS_SET, CARD, U32(HBS_A_LIMITS_PORTS_RESERVED, 1));
	int group =
		talk_do(talk, HBS_NL_CMD_GROUP_RESET, CARD, U32(HBS_A_GROUP_GROUP, notes->group));
	int card = talk_do(talk, HBS_NL_CMD_CARD_RESET, CARD);

	memcpy(notes->said, talk->said, sizeof(notes->said));
	return limits == group && group == card ? limits : -EPROTO;
}

static int change(struct notes *notes)
{
	struct talk talk;
	int ret = talk_open(&talk);

	return ret ? ret : change_over(&talk, notes);
}

static int change_as_alice(struct notes *notes)
{
	int ret = become(ALICE, ALICE, ALICE);

	return ret ? ret : change(notes);
}

static int change_with_all_but_admin(struct notes *notes)
{
	int ret = become_holder(~(1ULL << CAP_SYS_ADMIN));

	return ret ? ret : change(notes);
}

static int change_with_admin(struct notes *notes)
{
	int ret = become_holder(1ULL << CAP_SYS_ADMIN);

	return ret ? ret : change(notes);
}

/* Root of a namespace of its own */
static int change_as_other_root(struct notes *notes)
{
	int ret = become(ALICE, ALICE, ALICE);

	if (!ret && unshare(CLONE_NEWUSER))
		ret = -errno;
	return ret ? ret : change(notes);
}

/* Alice sends by a socket that root has made */
static int change_by_socket_of_root(struct notes *notes)
{
	struct talk talk;
	int ret = talk_open(&talk);

	if (!ret)
		ret = become(ALICE, ALICE, ALICE);
	return ret ? ret : change_over(&talk, notes);
}

/* Root writes to a socket that Alice has made: what it thinks is its standard output, say */
static int change_by_socket_of_alice(struct notes *notes)
{
	struct talk talk;
	int ret = become(ALICE, ALICE, 0);

	if (!ret)
		ret = talk_open(&talk);
	talk.by_write = true;
	if (!ret && setresuid(0, 0, 0))
		ret = -errno;
	return ret ? ret : change_over(&talk, notes);
}

TEST_F(netlink_rights, to_change)
{
	static const struct {
		const char *name;
		int (*what)(struct notes *notes);
	} ways[] = {
		{ "a user, of the own group", change_as_alice },
		{ "all capabilities but one", change_with_all_but_admin },
		{ "root of a user namespace", change_as_other_root },
		{ "a socket that root has made", change_by_socket_of_root },
		{ "a socket for root to write to", change_by_socket_of_alice },
	};
	long before, after;

	self->owner = start_owner(self->notes, ALICE);
	ASSERT_GT(self->owner, 0);
	ASSERT_EQ(card_attribute("ports_reserved", &before), 0);
	ASSERT_NE(before, 1);
	for (int i = 0; i < 5; i++) {
		if (ways[i].what == change_as_other_root && access("/proc/self/ns/user", F_OK))
			continue;
		memset(self->notes->said, 0, sizeof(self->notes->said));
		EXPECT_EQ(in_child(ways[i].what, self->notes), -EPERM)
		{
			TH_LOG("%s", ways[i].name);
		}
		EXPECT_NE(strstr(self->notes->said, "CAP_SYS_ADMIN"), NULL);
	}
	ASSERT_EQ(card_attribute("ports_reserved", &after), 0);
	EXPECT_EQ(after, before);
	/* The group is as it was, and the card */
	ASSERT_EQ(in_child(look_as_alice, self->notes), 0);
	EXPECT_EQ(NUMBER(1, HBS_A_GROUP_JOINED), 1);

	EXPECT_EQ(in_child(change_with_admin, self->notes), 0);
	ASSERT_EQ(card_attribute("ports_reserved", &after), 0);
	EXPECT_EQ(after, 1);
	EXPECT_EQ(in_child(look_as_alice, self->notes), -ENOENT);
	{
		char path[128], text[32];

		snprintf(path, sizeof(path), "/sys/class/hbs/%s/ports_reserved", card_name(0));
		snprintf(text, sizeof(text), "%ld", before);
		EXPECT_EQ(write_file(path, text), 0);
	}
}

static int talk_in_own_network(struct notes *notes)
{
	struct talk talk;

	(void)notes;
	return unshare(CLONE_NEWNET) ? -errno : talk_open(&talk);
}

/* The family belongs to the initial network namespace */
TEST_F(netlink_rights, to_talk_from_a_network_namespace)
{
	if (access("/proc/self/ns/net", F_OK))
		SKIP(return, "a kernel without network namespaces");
	EXPECT_EQ(in_child(talk_in_own_network, self->notes), -ENOENT);
}

/* The first process of a pid namespace looks at the owner, which is outside, and at itself */
static int look_from_inside(struct notes *notes)
{
	struct port port;
	struct talk talk;
	int card = card_open();
	int ret = card < 0 ? card : port_alloc_only(card, &port);

	if (getpid() != 1)
		return -EPROTO;
	if (!ret)
		ret = talk_open(&talk);
	if (!ret)
		ret = talk_get(&talk, HBS_NL_CMD_PORT_GET, &notes->got[0], CARD,
			       U32(HBS_A_PORT_PORT, notes->port));
	if (!ret)
		ret = talk_get(&talk, HBS_NL_CMD_PORT_GET, &notes->got[1], CARD,
			       U32(HBS_A_PORT_PORT, port.number));
	if (ret)
		return ret;
	/* now the outside looks at this one */
	notes->port = port.number;
	__atomic_store_n(&notes->step, 2, __ATOMIC_RELEASE);
	for (int i = 0; i < 10000 && __atomic_load_n(&notes->step, __ATOMIC_ACQUIRE) != 3; i++)
		sleep_ms(1);
	return 0;
}

static int start_inside(struct notes *notes)
{
	if (unshare(CLONE_NEWPID))
		return -errno;
	return in_child(look_from_inside, notes);
}

TEST_F(netlink_rights, to_see_pids_of_namespaces)
{
	struct talk talk;
	int status;
	pid_t pid;

	if (access("/proc/self/ns/pid", F_OK))
		SKIP(return, "a kernel without pid namespaces");
	self->owner = start_owner(self->notes, 0);
	ASSERT_GT(self->owner, 0);
	ASSERT_EQ(talk_open(&talk), 0);
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid)
		_exit(start_inside(self->notes) != 0);
	for (int i = 0; i < 10000 && __atomic_load_n(&self->notes->step, __ATOMIC_ACQUIRE) != 2;
	     i++)
		sleep_ms(1);
	EXPECT_EQ(talk_get(&talk, HBS_NL_CMD_PORT_GET, &self->notes->got[2], CARD,
			   U32(HBS_A_PORT_PORT, self->notes->port)),
		  0);
	__atomic_store_n(&self->notes->step, 3, __ATOMIC_RELEASE);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	ASSERT_EQ(status, 0);
	/* inside: the owner has no number there, and no name */
	EXPECT_EQ(NUMBER(0, HBS_A_PORT_PID), 0);
	EXPECT_EQ(NUMBER(0, HBS_A_PORT_TID), 0);
	EXPECT_FALSE(HAS(0, HBS_A_PORT_COMM));
	EXPECT_FALSE(HAS(0, HBS_A_PORT_CPU));
	EXPECT_EQ(NUMBER(1, HBS_A_PORT_PID), 1);
	EXPECT_EQ(NUMBER(1, HBS_A_PORT_TID), 1);
	EXPECT_TRUE(HAS(1, HBS_A_PORT_COMM));
	/* outside: a number of the outside */
	EXPECT_GT(NUMBER(2, HBS_A_PORT_PID), pid);
	EXPECT_NE(NUMBER(2, HBS_A_PORT_PID), NONE);
}

TEST_HARNESS_MAIN
