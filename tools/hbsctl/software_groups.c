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

#include "memory.h"
#include "sealed.h"
#include "software_groups.h"

/* As the kernel shows the memory file of a group */
#define LINK "/memfd:hbs-group (deleted)"

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

static bool is_known(const struct software_groups *groups, const struct stat *is)
{
	for (size_t i = 0; i < groups->count; i++)
		if (groups->found[i].device == is->st_dev && groups->found[i].inode == is->st_ino)
			return true;
	return false;
}

static void try_descriptor(struct software_groups *groups, uint32_t number)
{
	struct software_group *found = &groups->found[groups->count];
	char path[60];
	struct stat is;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/fd/%u", groups->target->pid, number);
	if (groups->count == SOFTWARE_GROUPS_MAX || !is_group_link(path))
		return;
	fd = open_memory_file(path);
	if (fd < 0 || fstat(fd, &is)) {
		groups->error = errno;
		return;
	}
	/* a process may have several handles of one group */
	if (is_known(groups, &is)) {
		close(fd);
		return;
	}
	*found = (struct software_group){
		.fd = fd, .number = number, .device = is.st_dev, .inode = is.st_ino
	};
	groups->count++;
}

static int search_all(struct software_groups *groups)
{
	struct dirent *entry;
	char path[40];
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%u/fd", groups->target->pid);
	folder = opendir(path);
	if (!folder)
		return errno;
	while ((entry = readdir(folder)))
		if (*entry->d_name >= '0' && *entry->d_name <= '9')
			try_descriptor(groups, (uint32_t)strtoul(entry->d_name, NULL, 10));
	closedir(folder);
	return 0;
}

static int search_one(struct software_groups *groups)
{
	char path[60];
	struct stat is;

	snprintf(path, sizeof(path), "/proc/%u/fd/%u", groups->target->pid, groups->target->fd);
	if (lstat(path, &is))
		return errno;
	try_descriptor(groups, groups->target->fd);
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

static enum status explain_none(const struct software_groups *groups)
{
	if (groups->error) {
		fprintf(stderr, "hbsctl: a group of process %u cannot be read: %s\n",
			groups->target->pid, strerror(groups->error));
		return status_of_errno(groups->error);
	}
	fprintf(stderr, "hbsctl: process %u has no software group of hbs%s\n", groups->target->pid,
		groups->target->has_fd ? " by this descriptor" : "");
	return STATUS_ABSENT;
}

enum status software_groups_open(const struct target *target, struct software_groups *groups)
{
	int error;

	memset(groups, 0, sizeof(*groups));
	groups->target = target;
	error = target->has_fd ? search_one(groups) : search_all(groups);
	if (error)
		return explain_failure(target, error);
	return groups->count ? STATUS_GOOD : explain_none(groups);
}

void software_groups_close(struct software_groups *groups)
{
	for (size_t i = 0; i < groups->count; i++)
		close(groups->found[i].fd);
}

enum status software_groups_damaged(const struct software_groups *groups, size_t i)
{
	fprintf(stderr, "hbsctl: %u/%u is damaged, or of another version of libhbs\n",
		groups->target->pid, groups->found[i].number);
	return STATUS_FAILED;
}

void software_groups_name(const struct software_groups *groups, size_t i,
			  char name[FIELD_TEXT_SIZE])
{
	snprintf(name, FIELD_TEXT_SIZE, "%u/%u", groups->target->pid, groups->found[i].number);
}
