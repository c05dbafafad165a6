// SPDX-License-Identifier: GPL-2.0-or-later
/* What the tests over the raw uapi share. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/pci_regs.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "hbs_test.h"

#define CLASS_FOLDER "/sys/class/hbs"
#define DEBUG_FOLDER "/sys/kernel/debug/hbs"

static const char *const usage_name[HBS_USAGE_COUNT] = {
	"ports_used", "groups_used", "files", "group_files", "pages", "waiters",
};

const char *const wait_kind_name[WAIT_KINDS] = { "spinning", "ioctl", "read", "poll" };

bool accel_is(const char *name)
{
	const char *accel = getenv("HBS_TEST_ACCEL");

	return !strcmp(accel ? accel : "single", name);
}

long env_long(const char *name, long fallback)
{
	const char *text = getenv(name);

	return text && *text ? strtol(text, NULL, 0) : fallback;
}

unsigned int cpus(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN);
}

double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

uint64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

void sleep_ms(unsigned int ms)
{
	struct timespec left = { ms / 1000, ms % 1000 * 1000000L };

	while (nanosleep(&left, &left))
		;
}

/* A machine that is slow, for it is busy or its kernel looks for faults, has fewer epochs */
struct length length_of_storm(unsigned int epochs)
{
	return (struct length){ .least = 20, .end = seconds() + 3, .epochs = epochs };
}

bool length_has(struct length *length, unsigned int member, unsigned int epoch)
{
	if (!member && epoch >= length->least && epoch + 1 < length->epochs &&
	    seconds() >= length->end)
		atomic_store(&length->epochs, epoch + 1);
	return epoch < atomic_load(&length->epochs);
}

static void nap(long us)
{
	nanosleep(&(struct timespec){ .tv_nsec = us * 1000 }, NULL);
}

int hbs_ioctl(int fd, unsigned long request, void *arg)
{
	return ioctl(fd, request, arg) ? -errno : 0;
}

static int by_version(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

static int is_card(const struct dirent *entry)
{
	return !strncmp(entry->d_name, "hbs", 3);
}

const char *card_name(unsigned int index)
{
	static _Thread_local char name[32];
	struct dirent **list;
	int n = scandir(CLASS_FOLDER, &list, is_card, by_version);
	const char *found = NULL;

	for (int i = 0; i < n; i++) {
		if (i == (int)index) {
			snprintf(name, sizeof(name), "%.31s", list[i]->d_name);
			found = name;
		}
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return found;
}

int card_open_index(unsigned int index)
{
	const char *name = card_name(index);
	char path[64];
	int fd;

	if (!name)
		return -ENODEV;
	snprintf(path, sizeof(path), "/dev/%s", name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int card_open(void)
{
	return card_open_index(0);
}

int card_wait(double timeout_s)
{
	double end = seconds() + timeout_s;
	int fd;

	while ((fd = card_open()) < 0) {
		if (seconds() > end)
			return fd;
		nap(5000);
	}
	close(fd);
	return 0;
}

int card_info(int card, struct hbs_info *info)
{
	*info = (struct hbs_info){ .size = sizeof(*info) };
	return hbs_ioctl(card, HBS_INFO, info);
}

int card_pci_name(unsigned int index, char *name, size_t size)
{
	const char *card = card_name(index);
	char path[128], target[256];
	ssize_t n;

	if (!card)
		return -ENODEV;
	snprintf(path, sizeof(path), CLASS_FOLDER "/%s/device", card);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return -errno;
	target[n] = 0;
	snprintf(name, size, "%s", strrchr(target, '/') + 1);
	return 0;
}

int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -errno;
	ret = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

int read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, text, size - 1);
	text[n < 0 ? 0 : n] = 0;
	close(fd);
	return n < 0 ? -EIO : 0;
}

int card_bind(const char *pci_name)
{
	return write_file("/sys/bus/pci/drivers/hbs/bind", pci_name);
}

int card_unbind(const char *pci_name)
{
	return write_file("/sys/bus/pci/drivers/hbs/unbind", pci_name);
}

int card_pci_write(const char *pci_name, const char *file, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/%s", pci_name, file);
	return write_file(path, text);
}

int card_pci_command(const char *pci_name, uint16_t bits, bool on)
{
	char path[128];
	uint16_t command;
	int fd, ret = -EIO;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/config", pci_name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (pread(fd, &command, sizeof(command), PCI_COMMAND) == sizeof(command)) {
		command = on ? command | bits : command & ~bits;
		if (pwrite(fd, &command, sizeof(command), PCI_COMMAND) == sizeof(command))
			ret = 0;
	}
	close(fd);
	return ret;
}

static int read_attribute(const char *card, const char *name, long *value)
{
	char path[128];
	FILE *file;
	int n;

	if (!card)
		return -ENODEV;
	snprintf(path, sizeof(path), CLASS_FOLDER "/%s/%s", card, name);
	file = fopen(path, "re");
	if (!file) {
		snprintf(path, sizeof(path), DEBUG_FOLDER "/%s/%s", card, name);
		file = fopen(path, "re");
	}
	if (!file)
		return -errno;
	n = fscanf(file, "%li", value);
	fclose(file);
	return n == 1 ? 0 : -EINVAL;
}

int card_attribute(const char *name, long *value)
{
	return read_attribute(card_name(0), name, value);
}

long pages_held(void)
{
	long value;

	return card_attribute("pages", &value) ? -1 : value;
}

int port_alloc_only(int card, struct port *port)
{
	struct hbs_port_alloc arg = { .size = sizeof(arg) };
	int ret = hbs_ioctl(card, HBS_PORT_ALLOC, &arg);

	if (ret)
		return ret;
	*port = (struct port){
		.card = card,
		.number = arg.port,
		.size = arg.map_size,
		.offset = arg.map_offset,
		.memory_size = arg.memory_size,
		.memory_offset = arg.memory_offset,
		.waits_size = arg.waits_size,
		.waits_offset = arg.waits_offset,
	};
	return 0;
}

static int map_shared(int card, off_t offset, size_t size, void **map)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, card, offset);

	if (at == MAP_FAILED)
		return -errno;
	*map = at;
	return 0;
}

static int unmap(void **map, size_t size)
{
	int ret = munmap(*map, size) ? -errno : 0;

	*map = NULL;
	return ret;
}

int port_map(struct port *port)
{
	return map_shared(port->card, port->offset, port->size, &port->map);
}

int port_unmap(struct port *port)
{
	return unmap(&port->map, port->size);
}

int port_map_memory(struct port *port)
{
	return map_shared(port->card, port->memory_offset, port->memory_size, &port->memory);
}

int port_unmap_memory(struct port *port)
{
	return unmap(&port->memory, port->memory_size);
}

int map_as(int fd, off_t offset, size_t size, int prot, int flags)
{
	return mmap(NULL, size, prot, flags, fd, offset) == MAP_FAILED ? -errno : 0;
}

int port_map_waits(struct port *port)
{
	return map_shared(port->card, port->waits_offset, port->waits_size, (void **)&port->waits);
}

int port_unmap_waits(struct port *port)
{
	return unmap((void **)&port->waits, port->waits_size);
}

int port_alloc(int card, struct port *port)
{
	int ret = port_alloc_only(card, port);

	return ret ? ret : port_map(port);
}

int port_alloc_for(const struct group *group, int card, struct port *port)
{
	int ret = port_alloc(card, port);

	if (!ret && (group->arrival == HBS_ARRIVAL_POLL || group->departure == HBS_DEPARTURE_PORT))
		ret = port_map_memory(port);
	return ret;
}

int port_free(struct port *port)
{
	struct hbs_port_free arg = { .size = sizeof(arg), .port = port->number };

	if (port->map)
		port_unmap(port);
	if (port->memory)
		port_unmap_memory(port);
	if (port->waits)
		port_unmap_waits(port);
	return hbs_ioctl(port->card, HBS_PORT_FREE, &arg);
}

int group_info(int fd, struct hbs_group_info *info)
{
	*info = (struct hbs_group_info){ .size = sizeof(*info) };
	return hbs_ioctl(fd, HBS_GROUP_INFO, info);
}

int group_adopt(int fd, struct group *group)
{
	struct hbs_group_info info;
	int ret = group_info(fd, &info);
	void *map;

	if (ret)
		return ret;
	map = mmap(NULL, info.map_size, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	*group = (struct group){
		.fd = fd,
		.number = info.group,
		.map = map,
		.size = info.map_size,
		.arrival = info.arrival,
		.departure = info.departure,
	};
	return 0;
}

int group_create_with(int card, uint32_t members, const struct hbs_group_create *with,
		      struct group *group)
{
	struct hbs_group_create arg = *with;
	int ret;

	arg.size = sizeof(arg);
	arg.members = members;
	ret = hbs_ioctl(card, HBS_GROUP_CREATE, &arg);
	if (ret)
		return ret;
	ret = group_adopt(arg.fd, group);
	if (ret)
		close(arg.fd);
	return ret;
}

int group_create(int card, uint32_t members, struct group *group)
{
	return group_create_with(card, members, &(struct hbs_group_create){ 0 }, group);
}

int group_close(struct group *group)
{
	munmap(group->map, group->size);
	group->map = NULL;
	return close(group->fd) ? -errno : 0;
}

int group_counters(int fd, struct hbs_group_counters *counters)
{
	*counters = (struct hbs_group_counters){ .size = sizeof(*counters) };
	return hbs_ioctl(fd, HBS_GROUP_COUNTERS, counters);
}

int group_destroy(int fd)
{
	struct hbs_group_destroy arg = { .size = sizeof(arg) };

	return hbs_ioctl(fd, HBS_GROUP_DESTROY, &arg);
}

int group_reopen(int fd, uint64_t word)
{
	struct hbs_group_reopen arg = { .size = sizeof(arg), .word = word };
	int ret = hbs_ioctl(fd, HBS_GROUP_REOPEN, &arg);

	return ret ? ret : arg.fd;
}

int group_reopen_as(const struct member *member, uint64_t word)
{
	struct hbs_group_reopen arg = { .size = sizeof(arg),
					.flags = HBS_REOPEN_MEMBER,
					.word = word,
					.card_fd = member->card,
					.port = member->port };
	int ret = hbs_ioctl(member->group, HBS_GROUP_REOPEN, &arg);

	return ret ? ret : arg.fd;
}

int group_wake(int fd, uint32_t port)
{
	struct hbs_group_wake arg = { .size = sizeof(arg), .port = port };

	return hbs_ioctl(fd, HBS_GROUP_WAKE, &arg);
}

int group_wait_until(int fd, uint64_t *word, uint64_t deadline_ns)
{
	struct hbs_group_wait arg = {
		.size = sizeof(arg),
		.word = *word,
		.deadline_ns = deadline_ns,
	};
	int ret = hbs_ioctl(fd, HBS_GROUP_WAIT, &arg);

	*word = arg.word;
	return ret;
}

int group_wait(int fd, uint64_t *word)
{
	return group_wait_until(fd, word, 0);
}

int group_reset(int fd)
{
	struct hbs_group_reset arg = { .size = sizeof(arg) };

	return hbs_ioctl(fd, HBS_GROUP_RESET, &arg);
}

int group_missing(int fd, struct hbs_missing *list, uint32_t room, struct hbs_group_missing *state)
{
	struct hbs_group_missing arg = {
		.size = sizeof(arg),
		.list = (uintptr_t)list,
		.room = room,
	};
	int ret = hbs_ioctl(fd, HBS_GROUP_MISSING, &arg);

	if (state)
		*state = arg;
	return ret ? ret : (int)arg.count;
}

long group_timeouts(int fd)
{
	struct hbs_group_info info;
	int ret = group_info(fd, &info);

	return ret ? ret : (long)info.timeouts;
}

/* What a record's offset points at, in the mappings of the group and the port */
static char *record_base(const struct group *group, const struct port *port)
{
	switch (group->departure) {
	case HBS_DEPARTURE_CSR:
		return port->map;
	case HBS_DEPARTURE_PORT:
		return port->memory;
	default:
		return group->map;
	}
}

static volatile uint64_t *word_at(void *base, size_t offset)
{
	return base ? (volatile uint64_t *)((char *)base + offset) : NULL;
}

int join(const struct group *group, const struct port *port, struct member *member)
{
	struct hbs_group_join arg = {
		.size = sizeof(arg),
		.card_fd = port->card,
		.port = port->number,
	};
	int ret = hbs_ioctl(group->fd, HBS_GROUP_JOIN, &arg);

	if (ret)
		return ret;
	*member = (struct member){
		.group = group->fd,
		.card = port->card,
		.port = port->number,
		.arrival = word_at(port->map, arg.lane_offset + HBS_LANE_ARRIVAL),
		.departure = word_at(port->map, arg.lane_offset + HBS_LANE_DEPARTURE),
		.record = word_at(record_base(group, port), arg.record_offset + HBS_RECORD_WORD),
		.word = arg.word,
	};
	if (group->arrival == HBS_ARRIVAL_POLL)
		member->line = word_at(port->memory, arg.lane_offset + HBS_LANE_ARRIVAL);
	return 0;
}

static int leave_with(struct member *member, uint32_t flags)
{
	struct hbs_group_leave arg = {
		.size = sizeof(arg),
		.flags = flags,
		.card_fd = member->card,
		.port = member->port,
	};

	return hbs_ioctl(member->group, HBS_GROUP_LEAVE, &arg);
}

int leave(struct member *member)
{
	return leave_with(member, 0);
}

int leave_died(struct member *member)
{
	return leave_with(member, HBS_LEAVE_DIED);
}

uint64_t next_epoch(uint64_t word)
{
	return (word & ~(HBS_WORD_EPOCH_ONE - 1)) + HBS_WORD_EPOCH_ONE;
}

/* A join tells the epoch without the votes that the record may show */
static bool is_same(uint64_t word, uint64_t other)
{
	return !((word ^ other) & ~(HBS_WORD_VOTE_ALL | HBS_WORD_VOTE_ANY));
}

/* The store is to uncached memory: on x86 nothing written before can pass it */
static void arrive_by_store(struct member *member, uint64_t value)
{
	atomic_signal_fence(memory_order_release);
	*member->arrival = value;
}

/* The card takes the operand when it sees the word: on x86 stores keep their order */
static void arrive_by_line(struct member *member, uint64_t value)
{
	member->line[HBS_LINE_OPERAND / sizeof(uint64_t)] = value;
	atomic_signal_fence(memory_order_release);
	member->line[HBS_LINE_WORD / sizeof(uint64_t)] = next_epoch(member->word);
}

void arrive_value(struct member *member, uint64_t value)
{
	if (member->line)
		arrive_by_line(member, value);
	else
		arrive_by_store(member, value);
}

void arrive(struct member *member)
{
	arrive_value(member, 0);
}

/* Valid once the member was released, until it arrives again */
uint64_t result(const struct member *member)
{
	return member->record[HBS_RECORD_RESULT / sizeof(uint64_t)];
}

bool released(const struct member *member)
{
	return !is_same(*member->record, member->word);
}

int word_error(uint64_t word)
{
	if (!(word & HBS_WORD_BROKEN))
		return 0;
	switch ((word & HBS_WORD_REASON) >> HBS_WORD_REASON_SHIFT) {
	case HBS_REASON_TIMEOUT:
		return -ETIMEDOUT;
	case HBS_REASON_DIED:
		return -EOWNERDEAD;
	case HBS_REASON_RESET:
		return -ECONNRESET;
	case HBS_REASON_GONE:
		return -ENODEV;
	case HBS_REASON_DESTROYED:
		return -EIDRM;
	case HBS_REASON_DMA:
		return -EIO;
	case HBS_REASON_OVERFLOW:
		return -EOVERFLOW;
	default:
		return -EPROTO;
	}
}

static int depart(struct member *member, uint64_t word)
{
	uint64_t expected = next_epoch(member->word);

	atomic_thread_fence(memory_order_acquire);
	member->word = word;
	if (word & HBS_WORD_BROKEN)
		return word_error(word);
	return is_same(word, expected) ? 0 : -EPROTO;
}

int wait_spin(struct member *member)
{
	unsigned int spins = 0;
	uint64_t word;

	while (is_same(word = *member->record, member->word)) {
		__builtin_ia32_pause();
		/* More threads than CPUs: let the others run */
		if (++spins % 64 == 0)
			sched_yield();
	}
	/* Another epoch than the next: the group was reset, and the kernel knows how */
	if (!(word & HBS_WORD_BROKEN) && !is_same(word, next_epoch(member->word)))
		return wait_sleep(member);
	return depart(member, word);
}

int wait_sleep(struct member *member)
{
	uint64_t word = member->word;
	int ret = group_wait(member->group, &word);

	return ret ? ret : depart(member, word);
}

int barrier(struct member *member)
{
	arrive(member);
	return wait_spin(member);
}

int barrier_sleep(struct member *member)
{
	arrive(member);
	return wait_sleep(member);
}

int one_member(int card, uint32_t members, struct one *one)
{
	int ret = port_alloc(card, &one->port);

	if (!ret)
		ret = group_create(card, members, &one->group);
	return ret ? ret : join(&one->group, &one->port, &one->member);
}

int wait_asleep(pid_t tid)
{
	double end = seconds() + 10;
	char path[64], line[256], *state;
	int asleep = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)tid);
	/* Thrice in a row, for it may sleep on the way there, say for a lock */
	while (asleep < 3) {
		FILE *file = fopen(path, "re");

		if (!file)
			return -errno;
		state = fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
		fclose(file);
		asleep = state && state[2] == 'S' ? asleep + 1 : 0;
		if (seconds() > end)
			return -ETIMEDOUT;
		nap(2000);
	}
	return 0;
}

static void *waiter_run(void *arg)
{
	struct waiter *waiter = arg;
	struct member *member = waiter->member;
	struct pollfd pollfd = { .fd = waiter->fd, .events = POLLIN };
	uint64_t word;
	ssize_t n;

	__atomic_store_n(&waiter->tid, gettid(), __ATOMIC_RELEASE);
	switch (waiter->kind) {
	case WAIT_SPIN:
		waiter->result = wait_spin(member);
		break;
	case WAIT_IOCTL:
		waiter->result = wait_sleep(member);
		break;
	case WAIT_READ:
		n = read(waiter->fd, &word, sizeof(word));
		if (n < 0)
			waiter->result = -errno;
		else
			waiter->result = n == sizeof(word) ? depart(member, word) : -EPROTO;
		break;
	default:
		n = poll(&pollfd, 1, -1);
		waiter->revents = pollfd.revents;
		waiter->result = n == 1 ? wait_spin(member) : -EPROTO;
		break;
	}
	return NULL;
}

int waiter_start(struct waiter *waiter, struct member *member, enum wait_kind kind)
{
	pthread_t thread;
	int ret;

	*waiter = (struct waiter){ .member = member, .kind = kind, .fd = -1 };
	if (kind == WAIT_READ || kind == WAIT_POLL) {
		waiter->fd = group_reopen(member->group, member->word);
		if (waiter->fd < 0)
			return waiter->fd;
	}
	ret = -pthread_create(&thread, NULL, waiter_run, waiter);
	if (ret)
		return ret;
	waiter->thread = thread;
	while (!__atomic_load_n(&waiter->tid, __ATOMIC_ACQUIRE))
		nap(100);
	return kind == WAIT_SPIN ? 0 : wait_asleep(waiter->tid);
}

int waiter_join(struct waiter *waiter)
{
	struct timespec end;
	int ret;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += 10;
	ret = pthread_timedjoin_np(waiter->thread, NULL, &end);
	if (!ret && waiter->fd >= 0)
		close(waiter->fd);
	return -ret;
}

int crowd_create_with(int card, unsigned int seats, const struct hbs_group_create *with,
		      struct crowd *crowd)
{
	int ret = group_create_with(card, WAIT_KINDS + seats, with, &crowd->group);

	for (int i = 0; i < WAIT_KINDS && !ret; i++) {
		ret = port_alloc_for(&crowd->group, card, &crowd->port[i]);
		if (!ret)
			ret = join(&crowd->group, &crowd->port[i], &crowd->member[i]);
	}
	return ret;
}

int crowd_create(int card, unsigned int seats, struct crowd *crowd)
{
	return crowd_create_with(card, seats, &(struct hbs_group_create){ 0 }, crowd);
}

int crowd_wait(struct crowd *crowd)
{
	int ret = 0;

	for (int i = 0; i < WAIT_KINDS && !ret; i++) {
		arrive(&crowd->member[i]);
		ret = waiter_start(&crowd->waiter[i], &crowd->member[i], i);
	}
	return ret;
}

int crowd_check(struct crowd *crowd, int error)
{
	int wrong = 0;

	for (int i = 0; i < WAIT_KINDS; i++) {
		struct waiter *waiter = &crowd->waiter[i];
		int ret = waiter_join(waiter);
		bool poll_wrong = !ret && i == WAIT_POLL &&
				  waiter->revents != (error ? POLLIN | POLLERR : POLLIN);

		if (!ret && waiter->result == error && !poll_wrong)
			continue;
		printf("# who waits by %s: %s, result %d instead of %d, revents %#x\n",
		       wait_kind_name[i], ret ? "hangs" : "returned", waiter->result, error,
		       waiter->revents);
		wrong++;
	}
	return wrong;
}

void release_all(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start, end;
	struct {
		unsigned long start, end;
	} found[4096];
	unsigned int n = 0;
	char line[512];

	while (maps && n < 4096 && fgets(line, sizeof(line), maps))
		if ((strstr(line, "/dev/hbs") || strstr(line, "hbs-group")) &&
		    sscanf(line, "%lx-%lx", &start, &end) == 2) {
			found[n].start = start;
			found[n++].end = end;
		}
	if (maps)
		fclose(maps);
	while (n--)
		munmap((void *)found[n].start, found[n].end - found[n].start);
	close_range(3, ~0U, 0);
}

void usage_note(struct usage *usage)
{
	const char *card = card_name(0);

	for (int i = 0; i < HBS_USAGE_COUNT; i++)
		if (read_attribute(card, usage_name[i], &usage->value[i]))
			usage->value[i] = -1;
}

int usage_compare(const struct usage *before)
{
	double end = seconds() + 5;
	struct usage now;
	int differ;

	/* A killed process's resources go a little later than the process */
	do {
		usage_note(&now);
		differ = 0;
		for (int i = 0; i < HBS_USAGE_COUNT; i++)
			differ += now.value[i] != before->value[i] || now.value[i] < 0;
		if (!differ)
			return 0;
		nap(5000);
	} while (seconds() < end);
	for (int i = 0; i < HBS_USAGE_COUNT; i++)
		if (now.value[i] != before->value[i] || now.value[i] < 0)
			printf("# %s: %ld before the test, %ld after it\n", usage_name[i],
			       before->value[i], now.value[i]);
	return differ;
}
