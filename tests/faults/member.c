// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include <errno.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hbs.h>

#include "hbs_test.h"
#include "member.h"

enum way { BY_SPIN, BY_IOCTL, BY_READ, BY_POLL, BY_LIBRARY, WAYS };

struct gathering *gathering_make(void)
{
	void *map = mmap(NULL, sizeof(struct gathering), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return map == MAP_FAILED ? NULL : map;
}

/* The epoch of @word is over: has everybody arrived for it that is a member? */
static void check_release(struct gathering *gathering, unsigned int self, uint64_t word)
{
	for (unsigned int i = 0; i < MEMBERS; i++) {
		struct seat *seat = &gathering->seat[i];

		if (i == self || atomic_load(&seat->state) != STATE_MEMBER ||
		    atomic_load(&seat->reached) >= word)
			continue;
		if (!atomic_fetch_add(&gathering->early, 1))
			printf("# member %u was released at %#lx, member %u is at %#lx\n", self,
			       word, i, atomic_load(&seat->reached));
	}
	atomic_fetch_add(&gathering->seat[self].barriers, 1);
}

static int depart(struct member *member, uint64_t word)
{
	uint64_t expected = member->word + HBS_WORD_EPOCH_ONE;

	member->word = word;
	if (word & HBS_WORD_BROKEN)
		return word_error(word);
	if (word == expected)
		return 0;
	/* beyond that no barrier can get without it: the group was reset, while it did not look */
	return (int64_t)(word - expected) > 0 ? -ECONNRESET : -EPROTO;
}

static int wait_by_read(struct member *member, int fd, bool poll_first)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	uint64_t word;

	if (poll_first && poll(&pollfd, 1, -1) != 1)
		return -errno;
	if (read(fd, &word, sizeof(word)) != sizeof(word))
		return -errno;
	return depart(member, word);
}

static int wait_by(enum way way, struct member *member, int fd)
{
	switch (way) {
	case BY_IOCTL:
		return wait_sleep(member);
	case BY_READ:
		return wait_by_read(member, fd, false);
	case BY_POLL:
		return wait_by_read(member, fd, true);
	default:
		return wait_spin(member);
	}
}

/* The parent may have doomed this member meanwhile: that stays */
static void become_member(struct seat *seat, uint64_t word)
{
	int idle = STATE_IDLE;

	atomic_store(&seat->reached, word);
	atomic_compare_exchange_strong(&seat->state, &idle, STATE_MEMBER);
}

static int meet(struct gathering *gathering, unsigned int self, int card, int fd, enum way way)
{
	struct seat *seat = &gathering->seat[self];
	struct group group;
	struct port port;
	struct member member;
	int ret, opened = -1;

	ret = group_adopt(fd, &group);
	if (ret)
		return ret;
	ret = port_alloc(card, &port);
	if (ret)
		goto unmap;
	ret = join(&group, &port, &member);
	if (!ret && (way == BY_READ || way == BY_POLL)) {
		opened = group_reopen(fd, member.word);
		ret = opened < 0 ? opened : 0;
	}
	if (!ret)
		become_member(seat, member.word);
	while (!ret) {
		atomic_store(&seat->reached, member.word + HBS_WORD_EPOCH_ONE);
		arrive(&member);
		ret = wait_by(way, &member, opened);
		if (!ret)
			check_release(gathering, self, member.word);
	}
	if (opened >= 0)
		close(opened);
	port_unmap(&port);
unmap:
	munmap(group.map, group.size);
	return ret;
}

static int meet_raw(struct gathering *gathering, unsigned int self, int fd, enum way way)
{
	int card = card_open(), ret;

	if (card < 0)
		return card;
	ret = meet(gathering, self, card, fd, way);
	close(card);
	return ret;
}

static int meet_by_library(struct gathering *gathering, unsigned int self, int fd)
{
	struct seat *seat = &gathering->seat[self];
	uint64_t word = atomic_load(&gathering->first);
	struct hbs *hbs;
	struct hbs_group *group;
	struct hbs_member *member;
	int ret = hbs_open(&hbs, &(struct hbs_attr){ .backend = HBS_BACKEND_CARD });

	if (ret)
		return ret;
	ret = hbs_group_import(hbs, fd, &group);
	if (ret)
		goto close;
	ret = hbs_join(group, &member);
	if (!ret) {
		become_member(seat, word);
		while (!ret) {
			word += HBS_WORD_EPOCH_ONE;
			atomic_store(&seat->reached, word);
			ret = hbs_barwait(member);
			if (!ret)
				check_release(gathering, self, word);
		}
		hbs_leave(member);
	}
	hbs_group_close(group);
close:
	hbs_close(hbs);
	return ret;
}

static void run(struct gathering *gathering, unsigned int self, int socket)
{
	struct seat *seat = &gathering->seat[self];
	int fd;

	while ((fd = receive_fd(socket)) >= 0) {
		unsigned int round = atomic_load(&gathering->round);
		enum way way = (self + round) % WAYS;
		int ret;

		if (way == BY_LIBRARY && atomic_load(&gathering->library))
			ret = meet_by_library(gathering, self, fd);
		else
			ret = meet_raw(gathering, self, fd, way);
		close(fd);
		atomic_store(&seat->outcome, ret);
		atomic_store(&seat->state, STATE_REPORTED);
	}
	_exit(0);
}

int member_start(struct gathering *gathering, unsigned int index)
{
	struct seat *seat = &gathering->seat[index];
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -errno;
	atomic_store(&seat->state, STATE_IDLE);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(pair[1], 3);
		close_range(4, ~0U, 0);
		run(gathering, index, 3);
	}
	close(pair[1]);
	seat->socket = pair[0];
	seat->pid = pid;
	return pid < 0 ? -errno : 0;
}

int member_send(struct gathering *gathering, unsigned int index, int group)
{
	struct seat *seat = &gathering->seat[index];

	atomic_store(&seat->reached, 0);
	atomic_store(&seat->state, STATE_IDLE);
	return send_fd(seat->socket, group);
}

void member_kill(struct gathering *gathering, unsigned int index)
{
	struct seat *seat = &gathering->seat[index];

	kill(seat->pid, SIGKILL);
	waitpid(seat->pid, NULL, 0);
	close(seat->socket);
}
