// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls that no sane program makes on the card's descriptors and mappings. None of
 * them may reach memory or a port that is not the caller's, keep anything alive, or
 * disturb a barrier.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness.h"
#include "hbs_test.h"

#define PAGE 4096
#define RW   (PROT_READ | PROT_WRITE)

HBS_FIXTURE(hostile)

/* -errno, or what the call returned */
static long errno_of(long ret)
{
	return ret < 0 ? -errno : ret;
}

static bool unknown(long ret)
{
	return ret == -ENOSYS || ret == -EPERM || ret == -ENOENT || ret == -EACCES;
}

/* Whether a child of fork dies when it stores to @at */
static bool child_may_store(volatile void *at)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		*(volatile uint64_t *)at = 0;
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return !WIFSIGNALED(status);
}

static bool child_may_load(const volatile void *at)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		(void)*(const volatile uint64_t *)at;
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return !WIFSIGNALED(status);
}

/* No advice, known or not yet known, changes what a mapping is */
TEST_F(hostile, every_advice)
{
	struct one one;

	ASSERT_EQ(one_member(self->card, 1, &one), 0);
	for (int advice = 0; advice < 128; advice++) {
		madvise(one.port.map, one.port.size, advice);
		madvise(one.group.map, one.group.size, advice);
		ASSERT_EQ(barrier(&one.member), 0) TH_LOG("after advice %d", advice);
	}
	EXPECT_EQ(errno_of(madvise(one.port.map, one.port.size, MADV_DOFORK)), -EINVAL);
	EXPECT_EQ(errno_of(madvise(one.group.map, one.group.size, MADV_DOFORK)), -EINVAL);
	EXPECT_LT(madvise(one.port.map, one.port.size, MADV_DONTNEED), 0);
	EXPECT_LT(madvise(one.port.map, one.port.size, MADV_REMOVE), 0);
	EXPECT_LT(madvise(one.group.map, one.group.size, MADV_REMOVE), 0);
	EXPECT_FALSE(child_may_store(one.member.arrival));
	EXPECT_FALSE(child_may_load(one.member.record));
	EXPECT_EQ(barrier(&one.member), 0);
}

/* Memory of another process is reached by the page, and these have none */
TEST_F(hostile, reading_from_outside)
{
	struct one one;
	uint64_t value = 0x5a5a;
	struct iovec local = { &value, sizeof(value) };
	int memory, pipes[2];

	ASSERT_EQ(one_member(self->card, 1, &one), 0);
	memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	ASSERT_GE(memory, 0);
	ASSERT_EQ(pipe2(pipes, O_CLOEXEC | O_NONBLOCK), 0);

	for (int i = 0; i < 3; i++) {
		void *at = i == 0   ? (void *)one.member.arrival
			   : i == 1 ? (void *)one.member.departure
				    : (void *)one.member.record;
		struct iovec remote = { at, sizeof(value) };

		EXPECT_LT(process_vm_readv(getpid(), &local, 1, &remote, 1, 0), 0);
		EXPECT_LT(process_vm_writev(getpid(), &local, 1, &remote, 1, 0), 0);
		EXPECT_LT(pread(memory, &value, sizeof(value), (off_t)(uintptr_t)at), 0);
		EXPECT_LT(pwrite(memory, &value, sizeof(value), (off_t)(uintptr_t)at), 0);
		EXPECT_LT(vmsplice(pipes[1], &remote, 1, 0), 0);
		EXPECT_LT(vmsplice(pipes[1], &remote, 1, SPLICE_F_GIFT), 0);
	}
	EXPECT_EQ(value, 0x5a5a);
	EXPECT_EQ(*one.member.record, one.member.word);
	EXPECT_EQ(barrier(&one.member), 0);
}

static int debug(pid_t pid, const struct one *one)
{
	long word;

	if (ptrace(PTRACE_ATTACH, pid, NULL, NULL))
		return 1;
	if (waitpid(pid, NULL, 0) != pid)
		return 2;
	errno = 0;
	word = ptrace(PTRACE_PEEKDATA, pid, one->member.record, NULL);
	if (word != -1 || !errno)
		return 3;
	if (!ptrace(PTRACE_POKEDATA, pid, one->member.arrival, 0))
		return 4;
	return ptrace(PTRACE_DETACH, pid, NULL, NULL) ? 5 : 0;
}

/* A debugger stops a member and lets it go on: nobody dies, nobody arrives */
TEST_F(hostile, debugger)
{
	struct one one;
	int status;
	pid_t pid;

	ASSERT_EQ(one_member(self->card, 1, &one), 0);
	pid = fork();
	if (!pid)
		_exit(debug(getppid(), &one));
	while (waitpid(pid, &status, 0) < 0)
		ASSERT_EQ(errno, EINTR);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(*one.member.record, one.member.word);
	EXPECT_EQ(barrier(&one.member), 0);
}

/* The pages cannot be locked, moved, or handed to a fault handler in userspace */
TEST_F(hostile, memory_management)
{
	struct one one;
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd;

	ASSERT_EQ(one_member(self->card, 1, &one), 0);
	EXPECT_EQ(barrier(&one.member), 0);
	for (int i = 0; i < 2; i++) {
		void *at = i ? one.group.map : one.port.map, *target = NULL;
		int status = 0, node = 0;
		long ret;

		mlock(at, PAGE);
		mlock(at, i ? one.group.size : one.port.size);
		munlock(at, i ? one.group.size : one.port.size);
		ret = errno_of(syscall(SYS_move_pages, 0, 1UL, &at, &node, &status, 2));
		if (!ret)
			EXPECT_LT(status, 0);
		syscall(SYS_mbind, at, PAGE, 2, &target, 0, 3);
	}
	mlockall(MCL_CURRENT | MCL_FUTURE);
	munlockall();

	fd = errno_of(syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY));
	if (!unknown(fd)) {
		ASSERT_GE(fd, 0);
		ASSERT_EQ(ioctl(fd, UFFDIO_API, &api), 0);
		reg.range = (struct uffdio_range){ (uintptr_t)one.port.map, one.port.size };
		EXPECT_EQ(errno_of(ioctl(fd, UFFDIO_REGISTER, &reg)), -EINVAL);
		reg.range = (struct uffdio_range){ (uintptr_t)one.group.map, one.group.size };
		EXPECT_EQ(errno_of(ioctl(fd, UFFDIO_REGISTER, &reg)), -EINVAL);
	}
	EXPECT_EQ(barrier(&one.member), 0);
}

/* A mapping that grows would reach the ports below */
TEST_F(hostile, growing_down)
{
	struct port port[2];

	for (int i = 0; i < 2; i++)
		ASSERT_EQ(port_alloc_only(self->card, &port[i]), 0);
	EXPECT_EQ(mmap(NULL, port[1].size, RW, MAP_SHARED | MAP_GROWSDOWN, self->card,
		       port[1].offset),
		  MAP_FAILED);
	EXPECT_EQ(errno, EINVAL);
	ASSERT_EQ(port_map(&port[1]), 0);
	EXPECT_LT(mprotect(port[1].map, port[1].size, PROT_READ | PROT_GROWSDOWN), 0);
	EXPECT_EQ(mremap(port[1].map, 0, port[1].size, MREMAP_MAYMOVE), MAP_FAILED);
	EXPECT_EQ(mremap(port[1].map, 0, PAGE, MREMAP_MAYMOVE), MAP_FAILED);
	EXPECT_EQ(mremap(port[1].map, port[1].size, port[1].size, MREMAP_MAYMOVE | MREMAP_DONTUNMAP,
			 NULL),
		  MAP_FAILED);
}

/* Nor can it be turned into another port's */
TEST_F(hostile, other_pages_behind_it)
{
	struct port mine, foreign;
	int other = card_open();

	ASSERT_GE(other, 0);
	ASSERT_EQ(port_alloc(self->card, &mine), 0);
	ASSERT_EQ(port_alloc_only(other, &foreign), 0);
	EXPECT_LT(syscall(SYS_remap_file_pages, mine.map, mine.size, 0,
			  (foreign.offset - mine.offset) / PAGE, 0),
		  0);
	EXPECT_LT(syscall(SYS_remap_file_pages, mine.map, mine.size, 0, foreign.offset / PAGE, 0),
		  0);
}

/* To map something over a port is to unmap it; no caller can do that in part */
TEST_F(hostile, mapped_over)
{
	struct crowd crowd;
	struct port port;
	struct member member;
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;

	ASSERT_EQ(crowd_create(self->card, 1, &crowd), 0);
	ASSERT_EQ(port_alloc(self->card, &port), 0);
	ASSERT_EQ(join(&crowd.group, &port, &member), 0);
	ASSERT_EQ(crowd_wait(&crowd), 0);
	if (port.size > PAGE) {
		EXPECT_EQ(mmap(port.map, PAGE, RW, flags, -1, 0), MAP_FAILED);
		EXPECT_EQ(mmap((char *)port.map + port.size - PAGE, PAGE, RW, flags, -1, 0),
			  MAP_FAILED);
	}
	EXPECT_EQ(*member.record, member.word);
	ASSERT_EQ(mmap(port.map, port.size, RW, flags, -1, 0), port.map);
	EXPECT_EQ(crowd_check(&crowd, -EOWNERDEAD), 0);
}

/* close_range takes the descriptors of a member; its mappings are its life */
TEST_F(hostile, close_range)
{
	struct one one;

	ASSERT_EQ(one_member(self->card, 1, &one), 0);
	ASSERT_EQ(close_range(3, ~0U, CLOSE_RANGE_UNSHARE), 0);
	EXPECT_EQ(barrier(&one.member), 0);
	EXPECT_EQ(barrier(&one.member), 0);
}

/* The program break runs into a mapping and stops */
TEST_F(hostile, brk)
{
	struct port port;
	struct group group;
	struct member member;
	char *end = (char *)(((uintptr_t)sbrk(0) + 2 * PAGE) & ~(uintptr_t)(PAGE - 1));

	ASSERT_EQ(port_alloc_only(self->card, &port), 0);
	ASSERT_EQ(group_create(self->card, 1, &group), 0);
	port.map =
		mmap(end, port.size, RW, MAP_SHARED | MAP_FIXED_NOREPLACE, self->card, port.offset);
	ASSERT_EQ(port.map, end);
	ASSERT_EQ(join(&group, &port, &member), 0);
	EXPECT_EQ(sbrk(64 * PAGE), (void *)-1);
	EXPECT_EQ(barrier(&member), 0);
}

/* A group's descriptor accepts the calls of the contract, and nothing else */
TEST_F(hostile, other_calls)
{
	struct one one;
	char path[64], buffer[16] = { 0 };
	int pipes[2], fd;
	off_t offset = 0;

	ASSERT_EQ(one_member(self->card, 1, &one), 0);
	ASSERT_EQ(pipe2(pipes, O_CLOEXEC | O_NONBLOCK), 0);
	fd = one.group.fd;
	EXPECT_LT(lseek(fd, 0, SEEK_END), 0);
	EXPECT_LT(pread(fd, buffer, 8, 0), 0);
	EXPECT_LT(pwrite(fd, buffer, 8, 0), 0);
	EXPECT_LT(ftruncate(fd, 1 << 20), 0);
	EXPECT_LT(fallocate(fd, 0, 0, PAGE), 0);
	EXPECT_LT(fsync(fd), 0);
	EXPECT_LT(sendfile(pipes[1], fd, &offset, 8), 0);
	EXPECT_LT(splice(fd, NULL, pipes[1], NULL, 8, SPLICE_F_NONBLOCK), 0);
	EXPECT_LT(write(fd, buffer, 7), 0);
	EXPECT_LT(write(fd, buffer, 16), 0);
	EXPECT_LT(read(fd, buffer, 7), 0);
	EXPECT_LT(readahead(fd, 0, PAGE), 0);
	fchmod(fd, 0777);
	fchown(fd, 1, 1);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	posix_fadvise(self->card, 0, 0, POSIX_FADV_WILLNEED);
	posix_fadvise(self->card, 0, 0, POSIX_FADV_DONTNEED);
	syncfs(fd);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	EXPECT_LT(open(path, O_RDWR | O_CLOEXEC), 0);
	EXPECT_LT(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), 0);
	EXPECT_LT(truncate(path, 0), 0);
	EXPECT_EQ(*one.member.record, one.member.word);
	EXPECT_EQ(barrier(&one.member), 0);
}

/* A process that only knows where a group is, or watches it, does not have it */
TEST_F(hostile, watched_from_outside)
{
	struct group group;
	char path[64];
	long used;
	int at, watch;

	ASSERT_EQ(group_create(self->card, 1, &group), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", group.fd);
	at = open(path, O_PATH | O_CLOEXEC);
	ASSERT_GE(at, 0);
	EXPECT_LT(hbs_ioctl(at, HBS_GROUP_DESTROY, &(struct hbs_group_destroy){ 8, 0 }), 0);
	watch = inotify_init1(IN_CLOEXEC);
	if (watch >= 0)
		inotify_add_watch(watch, path, IN_ALL_EVENTS);
	ASSERT_EQ(group_close(&group), 0);
	ASSERT_EQ(close(self->card), 0);
	ASSERT_EQ(card_attribute("groups_used", &used), 0);
	EXPECT_EQ(used, self->before.value[1]);
	/* and the card can be used again meanwhile */
	self->card = card_open();
	ASSERT_GE(self->card, 0);
	EXPECT_EQ(group_create(self->card, 1, &group), 0);
}

/*
 * A card's file and a group, known only to two sockets that know only each other:
 * they are dead once the kernel notices, and so is their member.
 */
TEST_F(hostile, cycle_of_sockets)
{
	struct crowd crowd;
	struct port port;
	struct member member;
	int pair[2], card = card_open();

	ASSERT_GE(card, 0);
	ASSERT_EQ(crowd_create(self->card, 1, &crowd), 0);
	ASSERT_EQ(port_alloc_only(card, &port), 0);
	ASSERT_EQ(join(&crowd.group, &port, &member), 0);
	ASSERT_EQ(crowd_wait(&crowd), 0);

	ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	ASSERT_EQ(send_fd(pair[0], card), 0);
	ASSERT_EQ(send_fd(pair[0], crowd.group.fd), 0);
	ASSERT_EQ(send_fd(pair[0], pair[0]), 0);
	ASSERT_EQ(send_fd(pair[1], pair[1]), 0);
	ASSERT_EQ(close(card), 0);
	ASSERT_EQ(close(pair[0]), 0);
	ASSERT_EQ(close(pair[1]), 0);
	/* The end of any socket makes it look */
	ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	ASSERT_EQ(close(pair[0]), 0);
	ASSERT_EQ(close(pair[1]), 0);
	EXPECT_EQ(crowd_check(&crowd, -EOWNERDEAD), 0);
}

/* Neither a failed ioctl nor the memory beyond its structure shows any memory of the kernel */
TEST_F(hostile, nothing_leaks)
{
	union {
		struct hbs_group_counters counters;
		struct hbs_group_info info;
		unsigned char byte[1024];
	} out;
	struct one one;

	ASSERT_EQ(one_member(self->card, 1, &one), 0);
	memset(&out, 0, sizeof(out));
	out.info.size = 1024;
	ASSERT_EQ(hbs_ioctl(one.group.fd, HBS_GROUP_INFO, &out), 0);
	for (unsigned int i = sizeof(out.info); i < sizeof(out); i++)
		ASSERT_EQ(out.byte[i], 0);

	memset(&out, 0xa5, sizeof(out));
	out.counters.size = sizeof(out.counters);
	out.counters.flags = 1;
	ASSERT_EQ(hbs_ioctl(one.group.fd, HBS_GROUP_COUNTERS, &out), -EOPNOTSUPP);
	for (unsigned int i = 8; i < sizeof(out); i++)
		ASSERT_EQ(out.byte[i], 0xa5);

	/* A record's page holds the record and zeros */
	for (unsigned int i = HBS_RECORD_SIZE / 8; i < PAGE / 8; i++)
		ASSERT_EQ(((volatile uint64_t *)one.group.map)[i], 0);
}

/* A page in place of a port: the broken words, what was stored, and zeros */
TEST_F(hostile, nothing_leaks_after_reset)
{
	char pci[32];
	struct one one;

	ASSERT_EQ(card_pci_name(0, pci, sizeof(pci)), 0);
	ASSERT_EQ(one_member(self->card, 1, &one), 0);
	ASSERT_EQ(card_pci_write(pci, "reset", "1"), 0);
	for (unsigned int i = 0; i < one.port.size / 8; i++) {
		uint64_t word = ((volatile uint64_t *)one.port.map)[i];

		if (i % (HBS_LANE_SIZE / 8) == HBS_LANE_DEPARTURE / 8) {
			ASSERT_EQ(word_error(word), -ECONNRESET);
		} else {
			ASSERT_EQ(word, 0);
		}
	}
	/* In place of the records: every one broken, and zeros */
	for (unsigned int i = 0; i < one.group.size / 8; i++) {
		uint64_t word = ((volatile uint64_t *)one.group.map)[i];

		if (i % (HBS_RECORD_SIZE / 8) == HBS_RECORD_WORD / 8) {
			ASSERT_EQ(word_error(word), -ECONNRESET);
		} else {
			ASSERT_EQ(word, 0);
		}
	}
}

TEST_HARNESS_MAIN
