// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two users who distrust each other, Alice and Bob, and root. Each is a process that
 * follows the test's orders.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "hbs_test.h"

#define ALICE	   1001
#define BOB	   1002
#define MANY	   2048
#define MAX_PEOPLE 4
#define TALK	   3 /* the descriptor by which a person talks with the test */

/* Orders to a person; each answers 0 or more, or -errno */
enum order {
	TAKE_PORT,   /* by a new open file each */
	TAKE_PORTS,  /* as many as there are; answers how many */
	TAKE_GROUP,  /* likewise */
	TAKE_GROUPS, /* likewise */
	WHY,	     /* answers with the error that ended TAKE_PORTS or TAKE_GROUPS */
	DROP,	     /* closes all that was taken */
	READ_ONLY,   /* opens the card anew, for reading only, from now on */
	ASK,	     /* HBS_INFO */
	WATCH,	     /* has the kernel tell what happens to the latest group */
	NEWS,	     /* answers how many bytes of such news there are */
	LOCK,	     /* locks the latest group's file, and a record of it */
	USE,	     /* does with the latest group what there is to do */
	STRAY,	     /* stores to the lane of a group in which it is no member */
	GATHER,	     /* takes ports, for the next */
	SHARE,	     /* has memory made for them until there is none; answers for how many */
	SET_LIMIT,   /* tries to raise a limit */
	NAMESPACE,   /* has a user namespace of its own */
	BECOME,	     /* becomes another user of its namespace */
};

struct person {
	pid_t pid;
	int socket;
};

/* What belongs to a person */
struct hands {
	int flags;
	int card; /* the latest */
	int why;
	int watch;
	struct group group; /* the latest */
	struct port port[MANY];
	int ports;
};

static int take_port(struct hands *hands, long argument)
{
	struct port port;

	(void)argument;
	hands->card = open("/dev/hbs0", hands->flags | O_CLOEXEC);
	return hands->card < 0 ? -errno : port_alloc_only(hands->card, &port);
}

static int take_group(struct hands *hands, long argument)
{
	struct hbs_group_create create = { .size = sizeof(create), .members = 1 };
	int ret;

	(void)argument;
	ret = hbs_ioctl(hands->card, HBS_GROUP_CREATE, &create);
	if (!ret)
		hands->group = (struct group){ .fd = create.fd, .number = create.group };
	return ret;
}

static int take_many(struct hands *hands, int (*take)(struct hands *, long))
{
	int taken = 0;

	while (taken < MANY && !(hands->why = take(hands, 0)))
		taken++;
	return taken;
}

static int watch(struct hands *hands)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", hands->group.fd);
	hands->watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (hands->watch < 0 || inotify_add_watch(hands->watch, path, IN_ALL_EVENTS) < 0)
		return -errno;
	return 0;
}

static int news(struct hands *hands)
{
	int bytes;

	return ioctl(hands->watch, FIONREAD, &bytes) ? -errno : bytes;
}

static int lock(struct hands *hands)
{
	struct flock lock = { .l_type = F_WRLCK, .l_len = 1 };

	if (flock(hands->group.fd, LOCK_EX | LOCK_NB) || fcntl(hands->group.fd, F_SETLK, &lock))
		return -errno;
	return 0;
}

static int use(struct hands *hands)
{
	struct stat stat;
	struct group group;
	uint64_t word = 0;
	int fd = hands->group.fd;
	int ret = group_adopt(group_reopen(fd, 0), &group);

	if (ret)
		return ret;
	if (write(fd, &word, sizeof(word)) != sizeof(word) ||
	    read(fd, &word, sizeof(word)) != sizeof(word) || fstat(fd, &stat) || fchmod(fd, 0600))
		return -errno;
	return group_close(&group);
}

static int stray(struct hands *hands)
{
	volatile uint64_t *lane;
	struct port port;
	int ret;

	hands->card = open("/dev/hbs0", O_RDWR | O_CLOEXEC);
	ret = hands->card < 0 ? -errno : port_alloc(hands->card, &port);
	if (ret)
		return ret;
	for (lane = port.map;; sleep_ms(1))
		*lane = 1;
}

/* On one CPU, for the kernel charges memory in advance on each */
static int gather(struct hands *hands)
{
	struct hbs_group_create create = {
		.size = sizeof(create),
		.members = 1,
		.arrival = HBS_ARRIVAL_POLL,
	};
	cpu_set_t one;
	int ret;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		return -errno;
	while (hands->ports < MANY && !port_alloc_only(hands->card, &hands->port[hands->ports]))
		hands->ports++;
	create.members = hands->ports;
	ret = hbs_ioctl(hands->card, HBS_GROUP_CREATE, &create);
	hands->group.fd = create.fd;
	return ret ? ret : hands->ports;
}

/* At the limit nothing else may need memory, so all is given back before the answer */
static int share(struct hands *hands)
{
	int n, shared = 0;

	for (hands->why = 0; shared < hands->ports && !hands->why; shared += !hands->why) {
		struct hbs_group_join join = {
			.size = sizeof(join),
			.card_fd = hands->card,
			.port = hands->port[shared].number,
		};

		hands->why = hbs_ioctl(hands->group.fd, HBS_GROUP_JOIN, &join);
	}
	close(hands->group.fd);
	for (n = 0; n < hands->ports; n++)
		port_free(&hands->port[n]);
	hands->ports = 0;
	return shared;
}

static int become(uid_t uid)
{
	if (syscall(SYS_setgroups, 0, NULL) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
		return -errno;
	return 0;
}

/* Closes all descriptors but those to the test, and opens the card */
static int drop(struct hands *hands)
{
	close_range(TALK + 1, ~0U, 0);
	hands->card = open("/dev/hbs0", hands->flags | O_CLOEXEC);
	return hands->card < 0 ? -errno : 0;
}

static int obey(struct hands *hands, enum order order, long argument)
{
	struct hbs_info info;

	switch (order) {
	case TAKE_PORT:
		return take_port(hands, argument);
	case TAKE_PORTS:
		return take_many(hands, take_port);
	case TAKE_GROUP:
		return take_group(hands, argument);
	case TAKE_GROUPS:
		return take_many(hands, take_group);
	case WHY:
		return hands->why;
	case READ_ONLY:
		hands->flags = O_RDONLY;
		hands->card = open("/dev/hbs0", O_RDONLY | O_CLOEXEC);
		return hands->card < 0 ? -errno : 0;
	case ASK:
		return card_info(hands->card, &info);
	case WATCH:
		return watch(hands);
	case NEWS:
		return news(hands);
	case LOCK:
		return lock(hands);
	case USE:
		return use(hands);
	case STRAY:
		return stray(hands);
	case GATHER:
		return gather(hands);
	case SHARE:
		return share(hands);
	case SET_LIMIT:
		return write_file("/sys/class/hbs/hbs0/ports_per_user", "1024");
	case NAMESPACE:
		return unshare(CLONE_NEWUSER) ? -errno : 0;
	case BECOME:
		return become(argument);
	case DROP:
		return drop(hands);
	}
	return -EINVAL;
}

struct message {
	enum order order;
	long argument;
};

static void live(int socket, uid_t uid)
{
	static struct hands hands = { .flags = O_RDWR, .card = -1 };
	struct message message;
	int answer;
	const struct rlimit files = { 2 * MANY, 2 * MANY };

	if (dup2(socket, TALK) < 0 || setrlimit(RLIMIT_NOFILE, &files) || (uid && become(uid)))
		_exit(1);
	/*
	 * The people end when the test ends; this is not set earlier, for a change of the user
	 * clears it
	 */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(TALK, &message, sizeof(message)) == sizeof(message)) {
		answer = obey(&hands, message.order, message.argument);
		if (write(TALK, &answer, sizeof(answer)) != sizeof(answer))
			break;
	}
	_exit(0);
}

static void start_order(struct person *person, enum order order, long argument)
{
	struct message message = { order, argument };

	if (write(person->socket, &message, sizeof(message)) != sizeof(message))
		perror("write to a person");
}

static int order_with(struct person *person, enum order order, long argument)
{
	int answer = -EPIPE;

	start_order(person, order, argument);
	if (read(person->socket, &answer, sizeof(answer)) != sizeof(answer))
		return -EPIPE;
	return answer;
}

static int order(struct person *person, enum order what)
{
	return order_with(person, what, 0);
}

/* Limits of the administrator, which the test has to restore */
static const char *const limits[] = {
	"ports_per_user",
	"ports_reserved",
	"groups_per_user",
	"groups_reserved",
};
#define LIMITS (sizeof(limits) / sizeof(limits[0]))

static int set_limit(const char *name, long value)
{
	char path[128], text[32];

	snprintf(path, sizeof(path), "/sys/class/hbs/%s/%s", card_name(0), name);
	snprintf(text, sizeof(text), "%ld", value);
	return write_file(path, text);
}

FIXTURE(users)
{
	struct usage before;
	struct hbs_info info;
	long limit[LIMITS];
	struct person person[MAX_PEOPLE];
	unsigned int people;
};

FIXTURE_SETUP(users)
{
	int card;

	usage_note(&self->before);
	/* As an administrator would do it for a group of users */
	ASSERT_EQ(chmod("/dev/hbs0", 0666), 0);
	card = card_open();
	ASSERT_GE(card, 0);
	ASSERT_EQ(card_info(card, &self->info), 0);
	ASSERT_EQ(close(card), 0);
	for (unsigned int i = 0; i < LIMITS; i++)
		ASSERT_EQ(card_attribute(limits[i], &self->limit[i]), 0);
}

FIXTURE_TEARDOWN(users)
{
	for (unsigned int i = 0; i < self->people; i++) {
		kill(self->person[i].pid, SIGKILL);
		waitpid(self->person[i].pid, NULL, 0);
	}
	for (unsigned int i = 0; i < LIMITS; i++)
		EXPECT_EQ(set_limit(limits[i], self->limit[i]), 0);
	EXPECT_EQ(usage_compare(&self->before), 0);
}

/* A person who has opened the card; NULL if that fails */
static struct person *invite(FIXTURE_DATA(users) *self, uid_t uid)
{
	struct person *person = &self->person[self->people];
	int pair[2];

	if (self->people == MAX_PEOPLE || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return NULL;
	person->socket = pair[0];
	person->pid = fork();
	if (!person->pid)
		live(pair[1], uid);
	close(pair[1]);
	if (person->pid < 0)
		return NULL;
	self->people++;
	return order(person, DROP) ? NULL : person;
}

/* Maps user @inside of a person's namespace, and its root, to @outside and the users after it */
static int map_users(const struct person *person, uid_t outside)
{
	char path[64], text[64];

	snprintf(path, sizeof(path), "/proc/%d/setgroups", person->pid);
	if (write_file(path, "allow"))
		return -errno;
	snprintf(text, sizeof(text), "0 %u 100", outside);
	snprintf(path, sizeof(path), "/proc/%d/gid_map", person->pid);
	if (write_file(path, text))
		return -errno;
	snprintf(path, sizeof(path), "/proc/%d/uid_map", person->pid);
	return write_file(path, text);
}

#define INVITE(name, uid)                            \
	struct person *(name) = invite(self, (uid)); \
	ASSERT_NE((name), NULL)

/* What one user does with a group does not reach another, and hinders nobody */
TEST_F(users, have_inodes_of_their_own)
{
	INVITE(alice, ALICE);
	INVITE(bob, BOB);
	int ret;

	ASSERT_EQ(order(alice, TAKE_GROUP), 0);
	ASSERT_EQ(order(bob, TAKE_GROUP), 0);
	ret = order(alice, LOCK);
	if (!ret)
		ret = order(bob, WATCH);
	if (ret == -ENOSYS)
		SKIP(return, "a kernel without file locks or inotify");
	ASSERT_EQ(ret, 0);
	EXPECT_EQ(order(bob, LOCK), 0);
	EXPECT_EQ(order(alice, USE), 0);
	EXPECT_EQ(order(alice, TAKE_GROUP), 0);
	EXPECT_EQ(order(alice, DROP), 0);
	EXPECT_EQ(order(bob, NEWS), 0);
	/* though there would be */
	EXPECT_EQ(order(bob, USE), 0);
	EXPECT_GT(order(bob, NEWS), 0);
}

/* A user that may only look may not take */
TEST_F(users, need_to_write_for_what_they_take)
{
	INVITE(alice, ALICE);

	ASSERT_EQ(order(alice, READ_ONLY), 0);
	EXPECT_EQ(order(alice, ASK), 0);
	EXPECT_EQ(order(alice, TAKE_PORT), -EBADF);
	EXPECT_EQ(order(alice, TAKE_GROUP), -EBADF);
}

/* What a user may have, in all its processes, and what is left for others and root */
static void check_limit(struct __test_metadata *_metadata, FIXTURE_DATA(users) *self,
			enum order one, enum order all, int total, int per_user, int reserved)
{
	INVITE(alice, ALICE);
	INVITE(alice_again, ALICE);
	INVITE(bob, BOB);
	INVITE(root, 0);
	int rest = total - per_user - reserved;

	ASSERT_EQ(order(alice_again, one), 0);
	EXPECT_EQ(order(alice, all), per_user - 1);
	EXPECT_EQ(order(alice, WHY), -EDQUOT);
	EXPECT_EQ(order(alice_again, one), -EDQUOT);
	ASSERT_LT(rest, per_user);
	EXPECT_EQ(order(bob, all), rest);
	EXPECT_EQ(order(bob, WHY), -ENOSPC);
	/* Root takes what is reserved, and no more than there is */
	EXPECT_EQ(order(root, all), reserved);
	EXPECT_EQ(order(root, WHY), -ENOSPC);
	/* When one user gives something back, another can have it, up to its limit */
	EXPECT_EQ(order(alice, DROP), 0);
	EXPECT_EQ(order(bob, all), per_user - rest);
	EXPECT_EQ(order(bob, WHY), -EDQUOT);
	EXPECT_EQ(order(alice, one), 0);
	/* Root has no limit of its own */
	EXPECT_EQ(order(bob, DROP), 0);
	EXPECT_GT(order(root, all), 0);
	EXPECT_EQ(order(root, WHY), -ENOSPC);
}

TEST_F(users, have_a_limit_of_ports)
{
	int total = self->info.ports;

	ASSERT_EQ(set_limit("ports_per_user", total / 2), 0);
	ASSERT_EQ(set_limit("ports_reserved", 2), 0);
	check_limit(_metadata, self, TAKE_PORT, TAKE_PORTS, total, total / 2, 2);
}

TEST_F(users, have_a_limit_of_groups)
{
	int total = self->info.groups;

	ASSERT_EQ(set_limit("groups_per_user", total / 2), 0);
	ASSERT_EQ(set_limit("groups_reserved", 2), 0);
	check_limit(_metadata, self, TAKE_GROUP, TAKE_GROUPS, total, total / 2, 2);
}

/* Nobody has to set a limit for others to find something left */
TEST_F(users, leave_something_by_default)
{
	INVITE(alice, ALICE);
	INVITE(bob, BOB);
	INVITE(root, 0);
	int ports = self->info.ports, groups = self->info.groups;

	EXPECT_EQ(order(alice, TAKE_PORTS), (ports + 1) / 2);
	EXPECT_EQ(order(alice, TAKE_GROUPS), (groups + 1) / 2);
	EXPECT_GT(order(bob, TAKE_PORTS), 0);
	EXPECT_GT(order(bob, TAKE_GROUPS), 0);
	EXPECT_EQ(order(root, TAKE_PORTS), (ports + 15) / 16);
	EXPECT_EQ(order(root, TAKE_GROUPS), (groups + 15) / 16);
}

/* A limit of now is for what is taken from now on */
TEST_F(users, keep_what_they_have)
{
	INVITE(alice, ALICE);

	ASSERT_EQ(order(alice, TAKE_PORT), 0);
	ASSERT_EQ(order(alice, TAKE_PORT), 0);
	ASSERT_EQ(set_limit("ports_per_user", 1), 0);
	EXPECT_EQ(order(alice, TAKE_PORT), -EDQUOT);
	ASSERT_EQ(order(alice, DROP), 0);
	EXPECT_EQ(order(alice, TAKE_PORT), 0);
	EXPECT_EQ(order(alice, TAKE_PORT), -EDQUOT);
	ASSERT_EQ(set_limit("ports_per_user", 0), 0);
	ASSERT_EQ(order(alice, DROP), 0);
	EXPECT_EQ(order(alice, TAKE_PORT), -EDQUOT);
}

TEST_F(users, do_not_set_limits)
{
	INVITE(alice, ALICE);

	EXPECT_EQ(order(alice, SET_LIMIT), -EACCES);
	EXPECT_EQ(set_limit("ports_per_user", self->info.ports), 0);
	EXPECT_EQ(set_limit("ports_per_user", self->info.ports + 1), -ERANGE);
	EXPECT_EQ(set_limit("ports_reserved", self->info.ports + 1), -ERANGE);
	EXPECT_EQ(set_limit("groups_per_user", self->info.groups + 1), -ERANGE);
	EXPECT_EQ(set_limit("groups_reserved", self->info.groups + 1), -ERANGE);
	EXPECT_EQ(set_limit("groups_reserved", -1), -EINVAL);
	EXPECT_EQ(set_limit("groups_reserved", self->info.groups), 0);
}

#define NAMESPACES "/proc/self/ns/user"

/* Users of a namespace count as its maker, and its root is not root */
TEST_F(users, get_no_more_by_a_namespace)
{
	INVITE(alice, ALICE);
	INVITE(guest, ALICE);

	if (access(NAMESPACES, F_OK))
		SKIP(return, "a kernel without user namespaces");
	ASSERT_EQ(set_limit("ports_per_user", 3), 0);
	ASSERT_EQ(order(guest, NAMESPACE), 0);
	ASSERT_EQ(map_users(guest, 200000), 0);
	ASSERT_EQ(order_with(guest, BECOME, 0), 0);
	EXPECT_EQ(order(guest, TAKE_PORTS), 3);
	EXPECT_EQ(order(guest, WHY), -EDQUOT);
	EXPECT_EQ(order(alice, TAKE_PORT), -EDQUOT);
	EXPECT_EQ(order_with(guest, BECOME, 7), 0);
	EXPECT_EQ(order(guest, TAKE_PORT), -EDQUOT);
}

/* Containers that root makes are not one user, but each is */
TEST_F(users, are_one_in_a_container)
{
	INVITE(first, 0);
	INVITE(second, 0);

	if (access(NAMESPACES, F_OK))
		SKIP(return, "a kernel without user namespaces");
	ASSERT_EQ(set_limit("ports_per_user", 3), 0);
	ASSERT_EQ(order(first, NAMESPACE), 0);
	ASSERT_EQ(map_users(first, 200000), 0);
	ASSERT_EQ(order(second, NAMESPACE), 0);
	ASSERT_EQ(map_users(second, 300000), 0);
	ASSERT_EQ(order_with(first, BECOME, 0), 0);
	EXPECT_EQ(order(first, TAKE_PORTS), 3);
	EXPECT_EQ(order(first, WHY), -EDQUOT);
	EXPECT_EQ(order_with(first, BECOME, 7), 0);
	EXPECT_EQ(order(first, TAKE_PORT), -EDQUOT);
	ASSERT_EQ(order_with(second, BECOME, 5), 0);
	EXPECT_EQ(order(second, TAKE_PORTS), 3);
}

#define CONTROL	   "/tmp/control"
#define CONTROLLED CONTROL "/alice"

/* Puts somebody into a control group */
static int move_to(const struct person *person, const char *processes)
{
	char text[32];

	snprintf(text, sizeof(text), "%d", person->pid);
	return write_file(processes, text);
}

/* Puts a person into a control group of its own */
static int control(const struct person *person)
{
	if ((mkdir(CONTROL, 0755) && errno != EEXIST) ||
	    mount("none", CONTROL, "cgroup2", 0, NULL) ||
	    write_file(CONTROL "/cgroup.subtree_control", "+memory") || mkdir(CONTROLLED, 0755))
		return -errno;
	return move_to(person, CONTROLLED "/cgroup.procs");
}

/* Lets it have only so much more memory than it has */
static int limit_memory(long more)
{
	char text[32];
	int ret = read_file(CONTROLLED "/memory.current", text, sizeof(text));

	if (ret)
		return ret;
	snprintf(text, sizeof(text), "%ld", strtol(text, NULL, 10) + more);
	return write_file(CONTROLLED "/memory.max", text);
}

/*
 * The kernel charges what it makes for a user to the user's control group. The limit
 * of that is an error for that user and does not affect others.
 */
TEST_F(users, pay_for_memory)
{
	INVITE(alice, 0);
	INVITE(bob, BOB);
	int ports, ret;

	if (!(self->info.features & HBS_FEATURE_POLL_ARRIVAL))
		SKIP(return, "a card whose ports have no memory");
	ret = control(alice);
	if (ret == -ENODEV)
		SKIP(return, "a kernel without control groups");
	ASSERT_EQ(ret, 0);
	/* No limit: memory for all of them */
	ports = order(alice, GATHER);
	ASSERT_EQ(ports, self->info.ports);
	EXPECT_EQ(order(alice, SHARE), ports);
	EXPECT_EQ(order(alice, WHY), 0);

	ASSERT_EQ(order(alice, GATHER), ports);
	ASSERT_EQ(limit_memory(64 << 10), 0);
	EXPECT_LT(order(alice, SHARE), ports);
	EXPECT_EQ(write_file(CONTROLLED "/memory.max", "max"), 0);
	EXPECT_EQ(order(alice, WHY), -ENOMEM);

	EXPECT_EQ(order(bob, GATHER), (ports + 1) / 2);
	EXPECT_EQ(order(bob, SHARE), (ports + 1) / 2);
	EXPECT_EQ(move_to(alice, CONTROL "/cgroup.procs"), 0);
	EXPECT_EQ(rmdir(CONTROLLED), 0);
	EXPECT_EQ(umount(CONTROL), 0);
}

/* How many lines of the kernel's log since the latest call report something */
static int log_lines(int log, const char *what)
{
	char line[1024];
	int lines = 0;
	ssize_t n;

	while ((n = read(log, line, sizeof(line) - 1)) > 0 || errno == EPIPE) {
		if (n < 0)
			continue;
		line[n] = 0;
		lines += strstr(line, what) != NULL;
	}
	return lines;
}

/* A user who does a forbidden thing for ever is reported once */
TEST_F(users, do_not_fill_the_log)
{
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	long before, after;
	double start;
	char pci[32];

	/* A card that nothing has been told of yet */
	ASSERT_EQ(card_pci_name(0, pci, sizeof(pci)), 0);
	ASSERT_EQ(card_unbind(pci), 0);
	ASSERT_EQ(card_bind(pci), 0);
	ASSERT_EQ(chmod("/dev/hbs0", 0666), 0);
	INVITE(alice, ALICE);

	ASSERT_GE(log, 0);
	ASSERT_EQ(lseek(log, 0, SEEK_END), 0);
	ASSERT_EQ(card_attribute("violations", &before), 0);
	start_order(alice, STRAY, 0);
	/* long enough for several reports, and often enough, on a busy machine too */
	start = seconds();
	do {
		sleep_ms(100);
		ASSERT_EQ(card_attribute("violations", &after), 0);
		ASSERT_LT(seconds(), start + 60);
	} while (after <= before + 100 || seconds() < start + 3.5);
	EXPECT_EQ(log_lines(log, "violation"), 1);
	close(log);
}

TEST_HARNESS_MAIN
