// SPDX-License-Identifier: LGPL-2.1-or-later
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checker.h"
#include "sealed.h"
#include "size_signal.h"

/* Once and for all */
static int set_size(int fd, uint64_t size)
{
	struct size_signal held;
	int ret;

	size_signal_hold(&held);
	ret = ftruncate(fd, (off_t)size) ? -errno : 0;
	size_signal_release(&held);
	if (!ret && fcntl(fd, F_ADD_SEALS, SEALED_SEALS))
		ret = -errno;
	return ret;
}

int hbsi_sealed_create(const char *name, uint64_t size)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int ret;

	if (fd < 0)
		return -errno;
	ret = set_size(fd, size);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

int hbsi_sealed_map(int fd, uint64_t size, void **memory)
{
	void *map;
	int ret;

	if (size > SIZE_MAX)
		return -ENOMEM;
	map = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	if (madvise(map, (size_t)size, MADV_DONTFORK)) {
		ret = -errno;
		munmap(map, (size_t)size);
		return ret;
	}
	checker_ignore(map, (size_t)size);
	*memory = map;
	return 0;
}

int hbsi_sealed_import(int fd, uint64_t most, void **memory, uint64_t *size)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct stat st;
	int ret;

	if (seals < 0 || (seals & SEALED_SEALS) != SEALED_SEALS || fstat(fd, &st) ||
	    st.st_size < SEALED_PAGE || (uint64_t)st.st_size > most)
		return -EINVAL;
	*size = (uint64_t)st.st_size;
	ret = hbsi_sealed_map(fd, *size, memory);
	/* the file was opened, or sealed, for reading only */
	return ret == -EACCES || ret == -EPERM ? -EINVAL : ret;
}
