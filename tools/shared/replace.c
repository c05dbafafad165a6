// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "replace.h"

#define LINKS_MAX    40
#define PIPE_WAIT_MS 5000
#define PIPE_LOOK_MS 10

/* The number of a descriptor that @path names, or -1 */
static int named_descriptor(const char *path)
{
	static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };

	if (!strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		size_t length = strlen(folders[i]);
		const char *number = path + length;

		if (!strncmp(path, folders[i], length) && *number &&
		    strspn(number, "0123456789") == strlen(number))
			return atoi(number);
	}
	return -1;
}

/* Replace @path by the target of the symbolic link at @path. Return: 0 or an error number. */
static int follow(char path[PATH_MAX], size_t length, const char *target)
{
	char *slash = strrchr(path, '/');
	char joined[2 * PATH_MAX];

	if (*target == '/' || !slash)
		snprintf(joined, sizeof(joined), "%s", target);
	else
		snprintf(joined, sizeof(joined), "%.*s/%s", (int)(slash - path), path, target);
	if (!length || strlen(joined) >= PATH_MAX)
		return ENAMETOOLONG;
	memcpy(path, joined, strlen(joined) + 1);
	return 0;
}

/* Follow all links to the end, also where nothing is there yet */
static int resolve(char path[PATH_MAX])
{
	for (int i = 0; i < LINKS_MAX; i++) {
		char target[PATH_MAX];
		ssize_t length;
		int error;

		if (named_descriptor(path) >= 0)
			return 0;
		length = readlink(path, target, sizeof(target) - 1);
		if (length < 0)
			return errno == EINVAL || errno == ENOENT ? 0 : errno;
		target[length] = '\0';
		error = follow(path, (size_t)length, target);
		if (error)
			return error;
	}
	return ELOOP;
}

static int open_beside(const char *path, char beside[PATH_MAX + 8])
{
	snprintf(beside, PATH_MAX + 8, "%s.XXXXXX", path);
	return mkostemp(beside, O_CLOEXEC);
}

/* Whether a file can be made in its folder */
static int try_beside(const char *path)
{
	char beside[PATH_MAX + 8];
	sigset_t all, before;
	int error = 0, fd;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	fd = open_beside(path, beside);
	if (fd < 0)
		error = errno;
	else if (unlink(beside) | close(fd))
		error = errno;
	sigprocmask(SIG_SETMASK, &before, NULL);
	return error;
}

/* Open something that is neither a file nor a folder. The wait for a pipe's reader has a limit. */
static int open_special(const char *path)
{
	int fd = -1;

	for (int ms = 0; fd < 0 && ms < PIPE_WAIT_MS; ms += PIPE_LOOK_MS) {
		fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
		if (fd < 0 && errno != ENXIO && errno != EINTR)
			return -1;
		if (fd < 0)
			nanosleep(&(struct timespec){ .tv_nsec = PIPE_LOOK_MS * 1000000 }, NULL);
	}
	if (fd >= 0)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

static const char *prepare_special(struct replacement *replacement, bool pipe)
{
	replacement->fd = open_special(replacement->path);
	if (replacement->fd >= 0)
		return NULL;
	return pipe && errno == ENXIO ? "is a pipe that nobody reads" : strerror(errno);
}

const char *replace_prepare(struct replacement *replacement, const char *path)
{
	struct stat is;
	int error;

	*replacement = (struct replacement){ .fd = -1 };
	if (!*path)
		return "is no name of a file";
	if (strlen(path) >= PATH_MAX)
		return strerror(ENAMETOOLONG);
	memcpy(replacement->path, path, strlen(path) + 1);
	error = resolve(replacement->path);
	if (error)
		return strerror(error);
	path = replacement->path;
	if (named_descriptor(path) >= 0) {
		replacement->fd = fcntl(named_descriptor(path), F_DUPFD_CLOEXEC, 3);
		return replacement->fd < 0 ? strerror(errno) : NULL;
	}
	if (!lstat(path, &is)) {
		if (S_ISDIR(is.st_mode))
			return strerror(EISDIR);
		if (!S_ISREG(is.st_mode))
			return prepare_special(replacement, S_ISFIFO(is.st_mode));
		/* the right to the folder is not the right to the file */
		if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS))
			return strerror(errno);
	}
	error = try_beside(path);
	return error ? strerror(error) : NULL;
}

static bool write_all(int fd, const char *data, size_t size)
{
	while (size) {
		ssize_t written = write(fd, data, size);

		if (written < 0 && errno != EINTR)
			return false;
		if (written > 0) {
			data += written;
			size -= (size_t)written;
		}
	}
	return true;
}

/* The same users can read a new file as any new file of this user, and an old file as before */
static bool set_owner_and_mode(int fd, const char *path)
{
	struct stat is;
	mode_t mask;

	if (!stat(path, &is)) {
		/* not a file of somebody else, who only lets this user write to it */
		if (is.st_uid == geteuid() || !geteuid())
			if (fchown(fd, is.st_uid, is.st_gid))
				return false;
		return !fchmod(fd, is.st_mode & 0777);
	}
	mask = umask(0);
	umask(mask);
	return !fchmod(fd, 0666 & ~mask);
}

static bool write_parts(int fd, const struct iovec *parts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!write_all(fd, parts[i].iov_base, parts[i].iov_len))
			return false;
	return true;
}

static int replace(const char *path, const struct iovec *parts, size_t count)
{
	char beside[PATH_MAX + 8];
	int fd = open_beside(path, beside), error = 0;

	if (fd < 0)
		return errno;
	if (!write_parts(fd, parts, count) || !set_owner_and_mode(fd, path) || fsync(fd))
		error = errno;
	if (close(fd) && !error)
		error = errno;
	if (!error && !rename(beside, path))
		return 0;
	if (!error)
		error = errno;
	unlink(beside);
	return error;
}

const char *replace_write_parts(struct replacement *replacement, const struct iovec *parts,
				size_t count)
{
	sigset_t all, before;
	int error = 0;

	if (replacement->fd >= 0) {
		if (!write_parts(replacement->fd, parts, count))
			error = errno;
		if (close(replacement->fd) && !error)
			error = errno;
		replacement->fd = -1;
		return error ? strerror(error) : NULL;
	}
	/* a signal that ends the program does so when no file is left beside it */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	error = replace(replacement->path, parts, count);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return error ? strerror(error) : NULL;
}

const char *replace_write(struct replacement *replacement, const void *data, size_t size)
{
	struct iovec part = { (void *)(uintptr_t)data, size };

	return replace_write_parts(replacement, &part, 1);
}

void replace_forget(struct replacement *replacement)
{
	if (replacement->fd >= 0)
		close(replacement->fd);
	replacement->fd = -1;
}
