// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake_card.h"

#define MAP_SIZE  4096
#define MEMORIES  64 /* the offset of ports' memories, in MAP_SIZE */
#define OF_CARD	  100
#define NOT_FAKED (-1)

struct fake_card fake;

int __real_open(const char *path, int flags, ...);
int __real_ioctl(int fd, unsigned long request, ...);
void *__real_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset);
int __real_munmap(void *at, size_t size);
DIR *__real_opendir(const char *path);
struct dirent *__real_readdir(DIR *dir);
int __real_closedir(DIR *dir);
int __wrap_open(const char *path, int flags, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);
void *__wrap_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset);
int __wrap_munmap(void *at, size_t size);
DIR *__wrap_opendir(const char *path);
struct dirent *__wrap_readdir(DIR *dir);
int __wrap_closedir(DIR *dir);

void fake_reset(void)
{
	memset(&fake, 0, sizeof(fake));
	fake.features = HBS_FEATURE_RECORD | HBS_FEATURE_WAIT;
	fake.record_pages = 1;
	fake.open_errno[0] = -1;
	for (int i = 1; i < 4; i++)
		fake.open_errno[i] = ENOENT;
}

volatile uint64_t *fake_lane(unsigned int port, unsigned int group)
{
	return fake.ports[port].map + group * HBS_LANE_SIZE / 8;
}

volatile uint64_t *fake_memory(unsigned int port, unsigned int group)
{
	return fake.ports[port].memory + group * HBS_LANE_SIZE / 8;
}

unsigned int fake_ports_taken(void)
{
	unsigned int taken = 0;

	for (int i = 0; i < FAKE_PORTS; i++)
		taken += fake.ports[i].taken != 0;
	return taken;
}

/* Descriptors are memory files, which say in their size what they stand for */
static int make_fd(off_t tag)
{
	int fd = memfd_create("fake", MFD_CLOEXEC);

	if (fd >= 0 && ftruncate(fd, tag))
		return -1;
	return fd;
}

/* OF_CARD + number for a card, 1 + number for a group */
static off_t tag_of(int fd)
{
	struct stat st;
	int flags = fd < 0 ? -1 : fcntl(fd, F_GET_SEALS);

	if (flags < 0 || fstat(fd, &st) || st.st_size > OF_CARD + 3)
		return NOT_FAKED;
	return st.st_size;
}

int __wrap_open(const char *path, int flags, ...)
{
	unsigned int number;

	if (sscanf(path, "/dev/hbs%u", &number) != 1)
		return __real_open(path, flags);
	errno = number < 4 ? fake.open_errno[number] : ENOENT;
	return errno == -1 ? make_fd(OF_CARD + number) : -1;
}

/* The folder of devices: in no order, and with names that are no cards */
static unsigned int next_entry;

DIR *__wrap_opendir(const char *path)
{
	if (strcmp(path, "/dev"))
		return __real_opendir(path);
	next_entry = 0;
	return (DIR *)&next_entry;
}

struct dirent *__wrap_readdir(DIR *dir)
{
	static const char *const names[] = {
		"hbs3", "hbs", "hbs1x", "hbs1", "null", "hbs2", "hbs0"
	};
	static struct dirent entry;

	if (dir != (DIR *)&next_entry)
		return __real_readdir(dir);
	if (next_entry == sizeof(names) / sizeof(names[0]))
		return NULL;
	strcpy(entry.d_name, names[next_entry++]);
	return &entry;
}

int __wrap_closedir(DIR *dir)
{
	return dir == (DIR *)&next_entry ? 0 : __real_closedir(dir);
}

static void *map_anonymous(size_t size)
{
	return __real_mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void *map_port(off_t page)
{
	off_t number = page % MEMORIES;
	struct fake_port *port;
	void *map;

	if (page >= 3 * MEMORIES || number >= FAKE_PORTS || !fake.ports[number].taken) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	port = &fake.ports[number];
	map = map_anonymous(MAP_SIZE);
	if (page / MEMORIES == 2) {
		port->waits = map;
		return map;
	}
	memset(map, 0xff, MAP_SIZE);
	if (page == number)
		port->map = map;
	else
		port->memory = map;
	return map;
}

static void *map_records(off_t group, size_t size)
{
	/* writable for the test's sake, and shared by all that map them */
	if (!fake.records[group]) {
		fake.records[group] = map_anonymous(size);
		for (size_t i = 0; i < size / 8; i += MAP_SIZE / 8)
			fake.records[group][i] = fake.words[group];
	}
	return (void *)fake.records[group];
}

void *__wrap_mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	off_t tag = tag_of(fd);

	if (tag == NOT_FAKED)
		return __real_mmap(at, size, prot, flags, fd, offset);
	if (fake.fail_waits && offset / MAP_SIZE / MEMORIES == 2) {
		errno = fake.fail_waits;
		return MAP_FAILED;
	}
	if (fake.fail_map) {
		errno = fake.fail_map;
		fake.fail_map = 0;
		return MAP_FAILED;
	}
	if (size != (tag < OF_CARD ? fake.record_pages : 1) * MAP_SIZE || flags != MAP_SHARED) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	if (tag >= OF_CARD && prot == (PROT_READ | PROT_WRITE))
		return map_port(offset / MAP_SIZE);
	if (tag < OF_CARD && prot == PROT_READ && !offset)
		return map_records(tag - 1, size);
	errno = EACCES;
	return MAP_FAILED;
}

int __wrap_munmap(void *at, size_t size)
{
	for (int i = 0; i < FAKE_PORTS; i++) {
		if (fake.ports[i].map == at)
			fake.ports[i].map = NULL;
		if (fake.ports[i].memory == at)
			fake.ports[i].memory = NULL;
		if (fake.ports[i].waits == at)
			fake.ports[i].waits = NULL;
	}
	for (int i = 0; i < FAKE_GROUPS; i++)
		if (fake.records[i] == at)
			fake.records[i] = NULL;
	return __real_munmap(at, size);
}

static int answer_info(struct hbs_info *info, unsigned int card)
{
	info->card = card;
	info->features = fake.features;
	info->ports = FAKE_PORTS;
	info->groups = FAKE_GROUPS;
	info->port_map_size = MAP_SIZE;
	info->group_map_size = MAP_SIZE;
	return 0;
}

static int answer_port_alloc(struct hbs_port_alloc *alloc)
{
	for (unsigned int i = 0; i < FAKE_PORTS; i++) {
		if (fake.ports[i].taken)
			continue;
		fake.ports[i].taken = 1;
		alloc->port = i;
		alloc->map_size = MAP_SIZE;
		alloc->map_offset = (uint64_t)i * MAP_SIZE;
		if (!fake.no_memory) {
			alloc->memory_offset = (uint64_t)(MEMORIES + i) * MAP_SIZE;
			alloc->memory_size = MAP_SIZE;
		}
		if (!fake.no_waits) {
			alloc->waits_offset = (uint64_t)(2 * MEMORIES + i) * MAP_SIZE;
			alloc->waits_size = MAP_SIZE;
		}
		return 0;
	}
	return ENOSPC;
}

static int answer_port_free(const struct hbs_port_free *args)
{
	struct fake_port *port = &fake.ports[args->port];

	if (!port->taken)
		return ENOENT;
	if (port->map || port->memory || port->waits || port->joined)
		return EBUSY;
	port->taken = 0;
	return 0;
}

static int answer_create(struct hbs_group_create *create)
{
	if (create->members > FAKE_PORTS)
		return EINVAL;
	fake.created = *create;
	create->group = fake.next_group++ % FAKE_GROUPS;
	create->fd = make_fd((off_t)create->group + 1);
	return 0;
}

static int answer_join(struct hbs_group_join *join, unsigned int group)
{
	if (fake.ports[join->port].joined & 1U << group)
		return EEXIST;
	fake.ports[join->port].joined |= 1U << group;
	fake.tag = join->tag;
	join->lane_offset = group * HBS_LANE_SIZE;
	join->record_offset = (fake.record_pages - 1) * MAP_SIZE;
	if (fake.created.departure == HBS_DEPARTURE_CSR ||
	    fake.created.departure == HBS_DEPARTURE_PORT)
		join->record_offset = group * HBS_LANE_SIZE + HBS_LANE_DEPARTURE;
	join->word = fake.words[group];
	return 0;
}

static int answer_leave(const struct hbs_group_leave *leave, unsigned int group)
{
	if (!(fake.ports[leave->port].joined & 1U << group))
		return ENOENT;
	fake.ports[leave->port].joined &= ~(1U << group);
	if (leave->flags & HBS_LEAVE_DIED)
		fake.ports[leave->port].died |= 1U << group;
	return 0;
}

/* As in the kernel, the word comes from the record, unless the test says otherwise */
static int answer_wait(struct hbs_group_wait *wait, unsigned int group)
{
	fake.wait_word = wait->word;
	fake.wait_deadline = wait->deadline_ns;
	if (fake.wait_hides)
		fake.wait_hides--;
	else if (fake.records[group])
		*fake.records[group] = fake.wait_result;
	wait->word = fake.wait_result;
	wait->result = fake.result;
	wait->result_word = fake.result_word;
	return 0;
}

static int answer_group_info(struct hbs_group_info *info, unsigned int group)
{
	info->members = 2;
	info->group = group;
	info->map_size = fake.record_pages * MAP_SIZE;
	info->type = fake.created.type;
	info->reduce = fake.created.reduce;
	info->policy = fake.created.policy;
	info->completion = fake.created.completion;
	info->arrival = fake.created.arrival;
	info->departure = fake.created.departure;
	info->word = fake.words[group];
	return 0;
}

/* Three of them, whose numbers can be told apart */
static int answer_missing(struct hbs_group_missing *missing)
{
	struct hbs_missing *list = (struct hbs_missing *)(uintptr_t)missing->list;

	missing->count = 3;
	missing->in_flight = -3;
	for (unsigned int i = 0; i < missing->count && i < missing->room; i++)
		list[i] = (struct hbs_missing){
			.port = 40 + i, .pid = 100 + (int)i, .tid = 200 + (int)i, .tag = fake.tag
		};
	return 0;
}

/* Members are thrown out; the test gives the next ones another word */
static int answer_reset(unsigned int group)
{
	for (int i = 0; i < FAKE_PORTS; i++)
		fake.ports[i].joined &= ~(1U << group);
	return 0;
}

static int answer_counters(struct hbs_group_counters *counters)
{
	counters->completions = 1;
	counters->arrivals = 2;
	counters->departure_reads = 3;
	counters->record_writes = 4;
	counters->non_member = 10;
	counters->double_arrivals = 20;
	counters->refused = 30;
	counters->interrupts = 5;
	counters->waits = 6;
	counters->line_reads = 7;
	counters->withdrawals = 8;
	if (fake.created.type)
		counters->unarrived = 40;
	return 0;
}

static int answer_card(unsigned int command, void *args, unsigned int card)
{
	switch (command) {
	case HBS_CMD_INFO:
		return answer_info(args, card);
	case HBS_CMD_PORT_ALLOC:
		return answer_port_alloc(args);
	case HBS_CMD_PORT_FREE:
		return answer_port_free(args);
	case HBS_CMD_GROUP_CREATE:
		return answer_create(args);
	default:
		return ENOTTY;
	}
}

static int answer_group(unsigned int command, void *args, unsigned int group)
{
	switch (command) {
	case HBS_CMD_GROUP_INFO:
		return answer_group_info(args, group);
	case HBS_CMD_GROUP_JOIN:
		return answer_join(args, group);
	case HBS_CMD_GROUP_LEAVE:
		return answer_leave(args, group);
	case HBS_CMD_GROUP_WAIT:
		return answer_wait(args, group);
	case HBS_CMD_GROUP_REOPEN:
		fake.seen = ((struct hbs_group_reopen *)args)->word;
		((struct hbs_group_reopen *)args)->fd = make_fd((off_t)group + 1);
		return 0;
	case HBS_CMD_GROUP_MISSING:
		return answer_missing(args);
	case HBS_CMD_GROUP_RESET:
		return answer_reset(group);
	case HBS_CMD_GROUP_DESTROY:
		return 0;
	case HBS_CMD_GROUP_COUNTERS:
		return answer_counters(args);
	default:
		return ENOTTY;
	}
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	unsigned int command = _IOC_NR(request);
	off_t tag = tag_of(fd);
	va_list list;
	void *args;
	int error;

	va_start(list, request);
	args = va_arg(list, void *);
	va_end(list);
	if (tag == NOT_FAKED)
		return __real_ioctl(fd, request, args);
	fake.calls[command]++;
	if (fake.fail_errno && fake.fail_command == command) {
		error = fake.fail_errno;
		fake.fail_errno = 0;
		if (command == HBS_CMD_GROUP_WAIT && error != EINTR)
			answer_wait(args, (unsigned int)(tag - 1));
	} else if (tag >= OF_CARD) {
		error = answer_card(command, args, (unsigned int)(tag - OF_CARD));
	} else {
		error = answer_group(command, args, (unsigned int)(tag - 1));
	}
	errno = error;
	return error ? -1 : 0;
}
