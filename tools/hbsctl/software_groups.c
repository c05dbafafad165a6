// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A software group is a sealed memory file that its processes have open. Another user's process
 * may have any file under that name, and change its descriptors at any time: the file is
 * opened only if it is a memory file, and is read and never mapped.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "document.h"
#include "memory.h"
#include "sealed.h"
#include "software_groups.h"
#include "stall.h"
#include "stall_software.h"
#include "stop.h"

/* As the kernel shows the memory file of a group */
#define LINK "/memfd:hbs-group (deleted)"

/* A process that has more is not explained in full */
#define GROUPS_MAX 256

struct found {
	int fd; /* of ours */
	uint32_t number;
	dev_t device;
	ino_t inode;
	struct stall before;
	bool seen; /* @before is good */
};

struct search {
	const struct target *target;
	struct found found[GROUPS_MAX];
	size_t count;
	int error;
};

static bool is_group_link(const char *path)
{
	char link[sizeof(LINK) + 1];
	ssize_t length = readlink(path, link, sizeof(link));

	return length == (ssize_t)strlen(LINK) && !memcmp(link, LINK, (size_t)length);
}

/* O_PATH opens nothing: a pipe does not wait, and a device does not notice */
static int open_memory_file(const char *path)
{
	int place = open(path, O_PATH | O_CLOEXEC), fd = -1, seals;
	char again[40];
	struct stat is;

	if (place < 0)
		return -1;
	snprintf(again, sizeof(again), "/proc/self/fd/%d", place);
	if (!fstat(place, &is) && S_ISREG(is.st_mode))
		fd = open(again, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	else
		errno = EINVAL;
	close(place);
	if (fd < 0)
		return -1;
	seals = fcntl(fd, F_GET_SEALS);
	if (seals >= 0 && (seals & SEALED_SEALS) == SEALED_SEALS)
		return fd;
	close(fd);
	errno = EINVAL;
	return -1;
}

static bool is_known(const struct search *search, const struct stat *is)
{
	for (size_t i = 0; i < search->count; i++)
		if (search->found[i].device == is->st_dev && search->found[i].inode == is->st_ino)
			return true;
	return false;
}

static void try_descriptor(struct search *search, uint32_t number)
{
	struct found *found = &search->found[search->count];
	char path[60];
	struct stat is;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/fd/%u", search->target->pid, number);
	if (search->count == GROUPS_MAX || !is_group_link(path))
		return;
	fd = open_memory_file(path);
	if (fd < 0 || fstat(fd, &is)) {
		search->error = errno;
		return;
	}
	/* a process may have several handles of one group */
	if (is_known(search, &is)) {
		close(fd);
		return;
	}
	*found = (struct found){
		.fd = fd, .number = number, .device = is.st_dev, .inode = is.st_ino
	};
	search->count++;
}

static int search_all(struct search *search)
{
	struct dirent *entry;
	char path[40];
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%u/fd", search->target->pid);
	folder = opendir(path);
	if (!folder)
		return errno;
	while ((entry = readdir(folder)))
		if (*entry->d_name >= '0' && *entry->d_name <= '9')
			try_descriptor(search, (uint32_t)strtoul(entry->d_name, NULL, 10));
	closedir(folder);
	return 0;
}

static int search_one(struct search *search)
{
	char path[60];
	struct stat is;

	snprintf(path, sizeof(path), "/proc/%u/fd/%u", search->target->pid, search->target->fd);
	if (lstat(path, &is))
		return errno;
	try_descriptor(search, search->target->fd);
	return 0;
}

static enum status explain_failure(const struct target *target, int error)
{
	if (error == ENOENT || error == ESRCH)
		fprintf(stderr, "hbsctl: there is no process %u%s\n", target->pid,
			target->has_fd ? ", or it has no such descriptor" : "");
	else
		fprintf(stderr,
			"hbsctl: the descriptors of process %u: %s (they are for its own user and "
			"root)\n",
			target->pid, strerror(error));
	return status_of_errno(error);
}

static enum status explain_none(const struct search *search)
{
	if (search->error) {
		fprintf(stderr, "hbsctl: a group of process %u cannot be read: %s\n",
			search->target->pid, strerror(search->error));
		return status_of_errno(search->error);
	}
	fprintf(stderr, "hbsctl: process %u has no software group of hbs%s\n", search->target->pid,
		search->target->has_fd ? " by this descriptor" : "");
	return STATUS_ABSENT;
}

static void name(const struct search *search, const struct found *found, struct stall *stall)
{
	snprintf(stall->name, sizeof(stall->name), "%u/%u", search->target->pid, found->number);
}

static enum status explain_found(struct search *search, bool json)
{
	json_t *array = json ? json_array() : NULL;
	enum status status = STATUS_GOOD;

	for (size_t i = 0; i < search->count; i++)
		search->found[i].seen =
			stall_of_software(search->found[i].fd, &search->found[i].before);
	stop_wait(-1, STALL_WATCH_MS);
	for (size_t i = 0; i < search->count; i++) {
		struct found *found = &search->found[i];
		struct stall stall;

		if (!found->seen || !stall_of_software(found->fd, &stall)) {
			fprintf(stderr,
				"hbsctl: %u/%u is damaged, or of another version of libhbs\n",
				search->target->pid, found->number);
			status = STATUS_FAILED;
			continue;
		}
		name(search, found, &stall);
		stall_of_software_judge(&stall, &found->before);
		if (json)
			json_array_append_new(array, stall_json(&stall));
		else
			stall_print(&stall);
		stall_free(&stall);
	}
	if (json)
		document_print(array);
	return status;
}

enum status software_groups_explain(const struct target *target, bool json)
{
	struct search *search = memory_resize(NULL, sizeof(*search));
	enum status status;
	int error;

	memset(search, 0, sizeof(*search));
	search->target = target;
	error = target->has_fd ? search_one(search) : search_all(search);
	if (error)
		status = explain_failure(target, error);
	else if (!search->count)
		status = explain_none(search);
	else
		status = explain_found(search, json);
	for (size_t i = 0; i < search->count; i++) {
		stall_free(&search->found[i].before);
		close(search->found[i].fd);
	}
	free(search);
	return status;
}
