// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fault injection: the kernel refuses a call what it can refuse (memory, copies from and
 * to userspace): first the first time that the call asks, then the second time, and so
 * on until the call asks for no more. Each time the call must fail cleanly, or succeed;
 * a failed call may leave nothing behind; and the card works.
 *
 * usage: injection [STEP [spurious]]; while a card is probed, which asks often, only every
 * STEPth request is refused. spurious: no call is tested but the probe of a card that
 * interrupts as soon as it can (its property x-spurious).
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/pci_regs.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hbs_test.h"
#include "tap.h"

#define MODULE	  "/root/hbs.ko"
#define MOST	  100000 /* no call asks that often */
#define COMMANDS  256
#define INJECTORS "/sys/kernel/debug/"
#define A_CACHE	  "/sys/kernel/slab/kmalloc-64"

/* Asked for by loading a module beyond what probing its card asks for */
#define INIT_ASKS 60

/* Where a mapping has to have page tables of its own */
#define FAR ((void *)0x200000000000)

/* What a call finds: a member alone in its group, and a free seat in another group */
struct scene {
	int card;
	struct one one;
	struct group two;
	struct port port; /* in no group, and not mapped */
	int fd;		  /* what the call made or needs */
	void *map;
	size_t size;
};

/* A call; it returns -errno, or 0 or more */
struct operation {
	const char *name;
	unsigned long request; /* the ioctl that it tests */
	bool on_group;
	enum {
		PLAIN,
		FIRST, /* the card has no other user, and for an open never had one */
		KEEPS, /* a port keeps the memory that it got, though the call failed later */
	} kind;
	int (*prepare)(struct scene *scene);
	int (*act)(struct scene *scene);
};

static unsigned int injected, lost;

/* The card as its users and its driver's name it */
static char device[64], attribute[128], pci[32];

static int find_card(void)
{
	const char *name = card_name(0);

	if (!name)
		return -ENODEV;
	snprintf(device, sizeof(device), "/dev/%s", name);
	snprintf(attribute, sizeof(attribute), "/sys/class/hbs/%s/violations", name);
	return card_pci_name(0, pci, sizeof(pci));
}

static int descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int n = 0;

	while (folder && readdir(folder))
		n++;
	if (folder)
		closedir(folder);
	return n;
}

/* Injection */

static int fail_nth = -1;

/* The kernel must have been told which caches may refuse: see check */
static int caches_chosen(void)
{
	char text[4] = "";
	int fd = open(A_CACHE "/failslab", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? fd : read(fd, text, sizeof(text) - 1);

	close(fd);
	return n > 0 && text[0] == '1' ? 0 : -ENOTSUP;
}

static int injectors_start(void)
{
	static const char *const switches[][2] = {
		{ "failslab/ignore-gfp-wait", "N" },	    { "failslab/verbose", "0" },
		{ "fail_page_alloc/ignore-gfp-wait", "N" }, { "fail_page_alloc/verbose", "0" },
		{ "fail_page_alloc/min-order", "0" },	    { "fail_usercopy/verbose", "0" },
		{ "failslab/cache-filter", "Y" },
	};
	char path[128];

	for (size_t i = 0; i < sizeof(switches) / sizeof(*switches); i++) {
		int ret;

		snprintf(path, sizeof(path), INJECTORS "%s", switches[i][0]);
		ret = write_file(path, switches[i][1]);
		if (ret)
			return ret;
	}
	return caches_chosen();
}

static int inject(unsigned int nth)
{
	char text[16];

	/* close_range() takes it now and then */
	fail_nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (fail_nth < 0)
		return -errno;
	snprintf(text, sizeof(text), "%u", nth);
	return write(fail_nth, text, strlen(text)) < 0 ? -errno : 0;
}

/* Ends it; returns how far off the refusal still was, 0 if it has come */
static unsigned int still_to_come(void)
{
	char text[16] = "";
	unsigned int left = 1;

	/* If it is still to come, it may be this very read that is refused */
	if (pread(fail_nth, text, sizeof(text) - 1, 0) > 0)
		left = strtoul(text, NULL, 10);
	/* or this write, once */
	if (left && pwrite(fail_nth, "0", 1, 0) < 0 && pwrite(fail_nth, "0", 1, 0) < 0)
		abort();
	close(fail_nth);
	injected += !left;
	return left;
}

/* Scenes */

static int scene_make(struct scene *scene)
{
	int ret;

	*scene = (struct scene){ .fd = -1 };
	scene->card = card_open();
	if (scene->card < 0)
		return scene->card;
	ret = one_member(scene->card, 1, &scene->one);
	/* It works, after whatever was before */
	if (!ret)
		ret = barrier(&scene->one.member);
	if (!ret)
		ret = group_create(scene->card, 2, &scene->two);
	if (!ret)
		ret = port_alloc_only(scene->card, &scene->port);
	return ret;
}

static int join_two(struct scene *scene)
{
	struct hbs_group_join arg = { .size = sizeof(arg),
				      .card_fd = scene->card,
				      .port = scene->one.port.number };

	return hbs_ioctl(scene->two.fd, HBS_GROUP_JOIN, &arg);
}

/* The ioctls */

static int act_info(struct scene *scene)
{
	struct hbs_info info;

	return card_info(scene->card, &info);
}

static int act_port_alloc(struct scene *scene)
{
	return port_alloc_only(scene->card, &scene->port);
}

static int act_port_free(struct scene *scene)
{
	return port_free(&scene->port);
}

static int act_group_create(struct scene *scene)
{
	struct hbs_group_create arg = { .size = sizeof(arg),
					.members = 3,
					.timeout_ns = 1000000000 };

	return hbs_ioctl(scene->card, HBS_GROUP_CREATE, &arg);
}

static int act_group_info(struct scene *scene)
{
	struct hbs_group_info info;

	return group_info(scene->two.fd, &info);
}

static int act_leave(struct scene *scene)
{
	return leave(&scene->one.member);
}

static int act_wait(struct scene *scene)
{
	uint64_t word = scene->one.member.word;

	int ret = group_wait_until(scene->one.group.fd, &word, monotonic_ns() + 2000000);

	return ret == -ETIMEDOUT ? 0 : ret;
}

static int act_reopen(struct scene *scene)
{
	return group_reopen(scene->two.fd, 0);
}

static int act_reopen_as(struct scene *scene)
{
	return group_reopen_as(&scene->one.member, 0);
}

static int act_wake(struct scene *scene)
{
	return group_wake(scene->one.group.fd, scene->one.port.number);
}

static int act_destroy(struct scene *scene)
{
	return group_destroy(scene->two.fd);
}

static int act_counters(struct scene *scene)
{
	struct hbs_group_counters counters;

	return group_counters(scene->two.fd, &counters);
}

static int act_missing(struct scene *scene)
{
	struct hbs_missing list[4];

	return group_missing(scene->one.group.fd, list, 4, NULL);
}

static int act_group_reset(struct scene *scene)
{
	return group_reset(scene->two.fd);
}

/* The other calls */

/* The first of all to open a card makes what is there for the card's life */
static int nobody_ever(struct scene *scene)
{
	char pci[32];
	int ret;

	(void)scene;
	release_all();
	ret = card_pci_name(0, pci, sizeof(pci));
	if (!ret)
		ret = card_unbind(pci);
	if (!ret)
		ret = card_bind(pci);
	return ret;
}

static int only_the_card(struct scene *scene)
{
	release_all();
	scene->card = card_open();
	return scene->card < 0 ? scene->card : 0;
}

static int act_open(struct scene *scene)
{
	scene->fd = open(device, O_RDWR | O_CLOEXEC);
	return scene->fd < 0 ? -errno : 0;
}

static int act_map_port(struct scene *scene)
{
	return port_map(&scene->port);
}

static int act_map_memory(struct scene *scene)
{
	return port_map_memory(&scene->port);
}

static int act_map_waits(struct scene *scene)
{
	return port_map_waits(&scene->port);
}

static int act_map_group(struct scene *scene)
{
	scene->map = mmap(NULL, scene->two.size, PROT_READ, MAP_SHARED, scene->two.fd, 0);
	return scene->map == MAP_FAILED ? -errno : 0;
}

static int map_far(struct scene *scene, int fd, size_t size, off_t offset, int access)
{
	scene->map = mmap(FAR, size, access, MAP_SHARED | MAP_FIXED, fd, offset);
	return scene->map == MAP_FAILED ? -errno : 0;
}

static int map_port_far(struct scene *scene)
{
	return map_far(scene, scene->card, scene->port.size, scene->port.offset,
		       PROT_READ | PROT_WRITE);
}

static int map_group_far(struct scene *scene)
{
	return map_far(scene, scene->two.fd, scene->two.size, 0, PROT_READ);
}

/* A lane of a port that is no member: it reads as 0 */
static int act_touch_port(struct scene *scene)
{
	return ((volatile uint64_t *)scene->map)[HBS_LANE_DEPARTURE / 8] & HBS_WORD_BROKEN ? -EPROTO
											   : 0;
}

static int map_memory_far(struct scene *scene)
{
	return map_far(scene, scene->card, scene->port.memory_size, scene->port.memory_offset,
		       PROT_READ | PROT_WRITE);
}

static int map_memory_and_reset(struct scene *scene)
{
	int ret = map_memory_far(scene);

	return ret ? ret : card_pci_write(pci, "reset", "1");
}

static int map_waits_far(struct scene *scene)
{
	return map_far(scene, scene->card, scene->port.waits_size, scene->port.waits_offset,
		       PROT_READ | PROT_WRITE);
}

static int map_waits_and_reset(struct scene *scene)
{
	int ret = map_waits_far(scene);

	return ret ? ret : card_pci_write(pci, "reset", "1");
}

/* Its content does not matter: nobody has joined a group that uses it */
static int act_touch_memory(struct scene *scene)
{
	*(volatile uint64_t *)scene->map = 0;
	return 0;
}

/* A group whose members have memory, and a port that has none yet */
static int group_with_memory(struct scene *scene)
{
	struct hbs_group_create arg = {
		.size = sizeof(arg),
		.members = 2,
		.arrival = HBS_ARRIVAL_POLL,
		.departure = HBS_DEPARTURE_PORT,
	};
	int ret = hbs_ioctl(scene->card, HBS_GROUP_CREATE, &arg);

	scene->fd = arg.fd;
	return ret;
}

static int act_join_with_memory(struct scene *scene)
{
	struct hbs_group_join arg = { .size = sizeof(arg),
				      .card_fd = scene->card,
				      .port = scene->port.number };

	return hbs_ioctl(scene->fd, HBS_GROUP_JOIN, &arg);
}

static int act_touch_group(struct scene *scene)
{
	return *(volatile uint64_t *)scene->map & HBS_WORD_BROKEN ? -EPROTO : 0;
}

static int map_port_and_reset(struct scene *scene)
{
	int ret = map_port_far(scene);

	return ret ? ret : card_pci_write(pci, "reset", "1");
}

static int map_group_and_reset(struct scene *scene)
{
	int ret = map_group_far(scene);

	return ret ? ret : card_pci_write(pci, "reset", "1");
}

/* A port of a card that was reset: the kernel makes its page now */
static int act_touch_dead_port(struct scene *scene)
{
	return ((volatile uint64_t *)scene->map)[HBS_LANE_DEPARTURE / 8] & HBS_WORD_BROKEN
		       ? 0
		       : -EPROTO;
}

static int act_touch_dead_group(struct scene *scene)
{
	return *(volatile uint64_t *)scene->map & HBS_WORD_BROKEN ? 0 : -EPROTO;
}

static int act_unmap(struct scene *scene)
{
	return port_unmap(&scene->one.port);
}

static int reopen_new(struct scene *scene)
{
	scene->fd = group_reopen(scene->one.group.fd, 0);
	arrive(&scene->one.member);
	return scene->fd < 0 ? scene->fd : wait_spin(&scene->one.member);
}

static int act_read(struct scene *scene)
{
	uint64_t word;

	return read(scene->fd, &word, sizeof(word)) < 0 ? -errno : 0;
}

static int act_write(struct scene *scene)
{
	uint64_t word = 0;

	return write(scene->fd, &word, sizeof(word)) < 0 ? -errno : 0;
}

static int act_poll(struct scene *scene)
{
	struct pollfd pollfd = { .fd = scene->fd, .events = POLLIN };

	return poll(&pollfd, 1, 0) < 0 ? -errno : 0;
}

static int epoll_new(struct scene *scene)
{
	int ret = reopen_new(scene);

	scene->size = ret ? 0 : epoll_create1(EPOLL_CLOEXEC);
	return ret;
}

static int act_epoll(struct scene *scene)
{
	struct epoll_event event = { .events = EPOLLIN };

	if (epoll_ctl((int)scene->size, EPOLL_CTL_ADD, scene->fd, &event))
		return -errno;
	return epoll_wait((int)scene->size, &event, 1, 0) < 0 ? -errno : 0;
}

static int act_close_card(struct scene *scene)
{
	return close(scene->card) ? -errno : 0;
}

static int act_close_group(struct scene *scene)
{
	return group_close(&scene->two);
}

static int act_attributes(struct scene *scene)
{
	char text[32];
	int ret;

	scene->fd = open(attribute, O_RDONLY | O_CLOEXEC);
	if (scene->fd < 0)
		return -errno;
	ret = read(scene->fd, text, sizeof(text)) < 0 ? -errno : 0;
	close(scene->fd);
	return ret;
}

static const struct operation operations[] = {
	{ "HBS_INFO", HBS_INFO, false, PLAIN, NULL, act_info },
	{ "HBS_PORT_ALLOC", HBS_PORT_ALLOC, false, PLAIN, NULL, act_port_alloc },
	{ "HBS_PORT_FREE", HBS_PORT_FREE, false, PLAIN, NULL, act_port_free },
	{ "HBS_GROUP_CREATE", HBS_GROUP_CREATE, false, PLAIN, NULL, act_group_create },
	{ "HBS_GROUP_INFO", HBS_GROUP_INFO, true, PLAIN, NULL, act_group_info },
	{ "HBS_GROUP_JOIN", HBS_GROUP_JOIN, true, PLAIN, NULL, join_two },
	{ "HBS_GROUP_LEAVE", HBS_GROUP_LEAVE, true, PLAIN, NULL, act_leave },
	{ "HBS_GROUP_WAIT", HBS_GROUP_WAIT, true, PLAIN, NULL, act_wait },
	{ "HBS_GROUP_REOPEN", HBS_GROUP_REOPEN, true, PLAIN, NULL, act_reopen },
	{ "HBS_GROUP_REOPEN of a member", HBS_GROUP_REOPEN, true, PLAIN, NULL, act_reopen_as },
	{ "HBS_GROUP_WAKE", HBS_GROUP_WAKE, true, PLAIN, NULL, act_wake },
	{ "HBS_GROUP_DESTROY", HBS_GROUP_DESTROY, true, PLAIN, NULL, act_destroy },
	{ "HBS_GROUP_COUNTERS", HBS_GROUP_COUNTERS, true, PLAIN, NULL, act_counters },
	{ "HBS_GROUP_MISSING", HBS_GROUP_MISSING, true, PLAIN, NULL, act_missing },
	{ "HBS_GROUP_RESET", HBS_GROUP_RESET, true, PLAIN, join_two, act_group_reset },
	{ "open", 0, false, FIRST, nobody_ever, act_open },
	{ "mmap of a port", 0, false, PLAIN, NULL, act_map_port },
	{ "mmap of a port's memory", 0, false, KEEPS, NULL, act_map_memory },
	{ "mmap of a port's waits", 0, false, PLAIN, NULL, act_map_waits },
	{ "mmap of a group", 0, false, PLAIN, NULL, act_map_group },
	{ "fault of a port", 0, false, PLAIN, map_port_far, act_touch_port },
	{ "fault of a port's memory", 0, false, PLAIN, map_memory_far, act_touch_memory },
	{ "fault of a dead port's memory", 0, false, PLAIN, map_memory_and_reset,
	  act_touch_memory },
	{ "fault of a port's waits", 0, false, PLAIN, map_waits_far, act_touch_memory },
	{ "fault of a dead port's waits", 0, false, PLAIN, map_waits_and_reset, act_touch_memory },
	{ "join of a group with memory", 0, false, KEEPS, group_with_memory, act_join_with_memory },
	{ "fault of a group", 0, false, PLAIN, map_group_far, act_touch_group },
	{ "fault of a dead port", 0, false, PLAIN, map_port_and_reset, act_touch_dead_port },
	{ "fault of a dead group", 0, false, PLAIN, map_group_and_reset, act_touch_dead_group },
	{ "munmap of a member's port", 0, false, PLAIN, NULL, act_unmap },
	{ "read", 0, false, PLAIN, reopen_new, act_read },
	{ "write", 0, false, PLAIN, reopen_new, act_write },
	{ "poll", 0, false, PLAIN, reopen_new, act_poll },
	{ "epoll", 0, false, PLAIN, epoll_new, act_epoll },
	{ "close of a card", 0, false, FIRST, only_the_card, act_close_card },
	{ "close of a group", 0, false, PLAIN, NULL, act_close_group },
	{ "sysfs", 0, false, PLAIN, NULL, act_attributes },
};

#define OPERATIONS (sizeof(operations) / sizeof(*operations))

/* What a call may return when it was refused something */
static bool clean(int ret)
{
	return ret >= 0 || ret == -ENOMEM || ret == -EFAULT;
}

/* Members of both groups, which a failed call may not change */
static int members(const struct scene *scene)
{
	struct hbs_group_info one = { 0 }, two = { 0 };

	group_info(scene->one.group.fd, &one);
	group_info(scene->two.fd, &two);
	return one.joined << 8 | two.joined;
}

/* A card that somebody can use from the beginning to the end */
static int works(void)
{
	struct one one;
	int card = card_open();
	int ret = card < 0 ? card : one_member(card, 1, &one);

	if (!ret)
		ret = barrier(&one.member);
	if (!ret)
		ret = barrier_sleep(&one.member);
	release_all();
	return ret;
}

/* Refuses the @nth thing; returns 1 if there was none, or -1 for a failure */
static int attempt(const struct operation *operation, unsigned int nth, const struct usage *empty)
{
	/* Every scene of an operation has the same number, and counting takes long */
	static struct usage before;
	struct scene scene;
	int open_before, joined_before, ret, differ = 0;
	bool refused;

	ret = scene_make(&scene);
	if (!ret && operation->prepare)
		ret = operation->prepare(&scene);
	if (ret) {
		printf("# %s: cannot be prepared: %d\n", operation->name, ret);
		return -1;
	}
	if (nth == 1)
		usage_note(&before);
	open_before = descriptors();
	joined_before = members(&scene);

	ret = inject(nth);
	if (ret) {
		printf("# fail-nth: %d\n", ret);
		return -1;
	}
	ret = operation->act(&scene);
	refused = !still_to_come();

	if (ret < 0) {
		differ = (descriptors() != open_before) + (members(&scene) != joined_before);
		if (operation->kind != KEEPS)
			differ += usage_compare(&before);
	}
	release_all();
	differ += usage_compare(empty);
	lost += differ;
	if (differ || !clean(ret) || (!refused && ret < 0)) {
		printf("# %s, fault %u: %d, %d counts differ\n", operation->name, nth, ret, differ);
		return -1;
	}
	return !refused;
}

/* Another process that has the card open, so that opening it stays cheap */
static pid_t holder_start(void)
{
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready))
		return -errno;
	pid = fork();
	if (!pid) {
		if (card_open() >= 0 && write(ready[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	if (pid < 0 || read(ready[0], &byte, 1) != 1)
		pid = -EIO;
	close(ready[0]);
	return pid;
}

static void test(const struct operation *operation)
{
	pid_t holder = operation->kind == FIRST ? 0 : holder_start();
	struct usage empty;
	unsigned int nth = 0;
	int ret = holder < 0 ? holder : 0;

	usage_note(&empty);
	while (!ret && nth < MOST)
		ret = attempt(operation, ++nth, &empty);
	if (holder > 0) {
		kill(holder, SIGKILL);
		waitpid(holder, NULL, 0);
	}
	if (ret == 1 && works()) {
		printf("# after %s the card fails\n", operation->name);
		ret = -1;
	}
	printf("# %s: %u faults\n", operation->name, nth - 1);
	tap_result(ret == 1, operation->name);
}

/* Asks the driver which ioctls exist: those for which a size of 0 is too small */
static void test_completeness(void)
{
	struct scene scene;
	unsigned int missing = 0;

	if (scene_make(&scene)) {
		tap_result(false, "every ioctl is tested");
		return;
	}
	for (int i = 0; i < 2 * COMMANDS; i++) {
		uint32_t size = 0;
		bool on_group = i >= COMMANDS, found = false;
		unsigned long request = _IO(HBS_IOCTL_TYPE, i % COMMANDS);
		int ret = hbs_ioctl(on_group ? scene.two.fd : scene.card, request, &size);

		if (ret == -ENOTTY)
			continue;
		for (size_t j = 0; j < OPERATIONS; j++)
			found |= operations[j].request == request &&
				 operations[j].on_group == on_group;
		if (!found)
			printf("# no test of ioctl %#x\n", i % COMMANDS);
		missing += !found;
	}
	release_all();
	tap_result(!missing, "every ioctl is tested");
}

/* The card under its users' feet */

static int open_to_write(const char *path)
{
	return open(path, O_WRONLY | O_CLOEXEC);
}

static int write_pci(int fd)
{
	return write(fd, pci, strlen(pci)) < 0 ? -errno : 0;
}

/* A card works without its counts in debugfs, for which there may have been no memory */
static bool has_counts(void)
{
	struct usage usage;

	usage_note(&usage);
	for (int i = 0; i < HBS_USAGE_COUNT; i++)
		if (usage.value[i] < 0)
			return false;
	return true;
}

static int repair_bind(int ret)
{
	if (!ret && !has_counts())
		ret = card_unbind(pci) ? 0 : 1;
	return ret ? card_bind(pci) : 0;
}

static int prepare_bind(void)
{
	int ret = card_unbind(pci);

	return ret ? ret : open_to_write("/sys/bus/pci/drivers/hbs/bind");
}

/* The card may master the bus before its driver lets it, as after a crash of the kernel */
static int prepare_bind_spurious(void)
{
	int ret = card_unbind(pci);

	if (!ret)
		ret = card_pci_command(pci, PCI_COMMAND_MASTER, true);
	return ret ? ret : open_to_write("/sys/bus/pci/drivers/hbs/bind");
}

static int prepare_unbind(void)
{
	return open_to_write("/sys/bus/pci/drivers/hbs/unbind");
}

static int repair_unbind(int ret)
{
	return ret ? 0 : card_bind(pci);
}

static int prepare_reset(void)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/reset", pci);
	return open_to_write(path);
}

static int act_reset(int fd)
{
	return write(fd, "1", 1) < 0 ? -errno : 0;
}

static int repair_nothing(int ret)
{
	(void)ret;
	return 0;
}

static int prepare_load(void)
{
	if (syscall(SYS_delete_module, "hbs", O_NONBLOCK))
		return -errno;
	return open(MODULE, O_RDONLY | O_CLOEXEC);
}

static int act_load(int fd)
{
	return syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
}

static bool driver_has(const char *file)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/bus/pci/drivers/hbs/%s", file);
	return !access(path, F_OK);
}

/* A module loads though its card cannot be probed, or lacks files: to bind it by, or its counts */
static int repair_load(int ret)
{
	int fd;

	if (!ret && driver_has(pci) && driver_has("bind") && driver_has("unbind") && has_counts())
		return 0;
	fd = ret ? open(MODULE, O_RDONLY | O_CLOEXEC) : prepare_load();
	ret = fd < 0 ? fd : act_load(fd);
	close(fd);
	return ret;
}

struct life {
	const char *name;
	int (*prepare)(void);
	int (*act)(int fd);
	int (*repair)(int ret);
	bool probes; /* and so asks often */
	bool loads;  /* and so asks for the module first, which does not concern the driver */
};

static const struct life lives[] = {
	{ "probe by bind", prepare_bind, write_pci, repair_bind, true, false },
	{ "remove by unbind", prepare_unbind, write_pci, repair_unbind, false, false },
	{ "reset by sysfs", prepare_reset, act_reset, repair_nothing, false, false },
	{ "probe by loading the module", prepare_load, act_load, repair_load, true, true },
};

#define LIVES (sizeof(lives) / sizeof(*lives))

/* Interrupts begin work that a probe which fails has to end */
static const struct life spurious_probe = {
	"probe of a card that interrupts",
	prepare_bind_spurious,
	write_pci,
	repair_bind,
	true,
	false,
};

/* Refuses the @nth thing; returns how far off that was, 0 if it came, or -1 for a failure */
static long live(const struct life *life, unsigned int nth, const struct usage *empty)
{
	int fd = life->prepare(), ret, repaired;
	long left;

	if (fd < 0) {
		printf("# %s: cannot be prepared: %d\n", life->name, fd);
		return -1;
	}
	ret = inject(nth);
	if (ret) {
		printf("# fail-nth: %d\n", ret);
		return -1;
	}
	ret = life->act(fd);
	left = still_to_come();
	close(fd);
	repaired = life->repair(ret);
	if (repaired || (left && ret)) {
		printf("# %s, fault %u: %d, then %d\n", life->name, nth, ret, repaired);
		return -1;
	}
	ret = works();
	if (!ret && !usage_compare(empty))
		return left;
	printf("# after %s, fault %u, the card fails: %d\n", life->name, nth, ret);
	lost += !ret;
	return -1;
}

/* Returns how often the driver asks, 0 for a failure */
static unsigned int test_life(const struct life *life, unsigned int step, unsigned int most,
			      const struct usage *empty)
{
	long left = live(life, MOST, empty);
	unsigned int asks = left < 0 ? 0 : MOST - left;
	unsigned int nth = life->loads && asks > most ? asks - most : 1;
	unsigned int faults = 0;

	for (; left >= 0 && nth <= asks; nth += life->probes ? step : 1) {
		left = live(life, nth, empty);
		faults += !left;
	}
	printf("# %s: %u faults\n", life->name, faults);
	tap_result(left >= 0 && faults, life->name);
	return asks;
}

static void test_all(unsigned int step, const struct usage *empty)
{
	unsigned int most = 0; /* that probing has asked for */

	test_completeness();
	for (size_t i = 0; i < OPERATIONS; i++)
		test(&operations[i]);
	for (size_t i = 0; i < LIVES; i++) {
		unsigned int asks = test_life(&lives[i], step, most, empty);

		most = asks + INIT_ASKS > most ? asks + INIT_ASKS : most;
	}
}

int main(int argc, char **argv)
{
	unsigned int step = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	bool spurious = argc > 2 && !strcmp(argv[2], "spurious");
	struct usage empty;
	int ret = injectors_start();

	tap_plan(spurious ? 1 : 1 + OPERATIONS + LIVES);
	if (!ret)
		ret = find_card();
	if (ret || !step) {
		printf("Bail out! no fault injection or no card: %d\n", ret);
		return 1;
	}
	usage_note(&empty);
	if (spurious)
		test_life(&spurious_probe, step, 0, &empty);
	else
		test_all(step, &empty);
	printf("# figure: faults injected %u, lost %u\n", injected, lost);
	return tap_end();
}
