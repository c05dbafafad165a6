// SPDX-License-Identifier: GPL-2.0-or-later
/* The guest's side of the dialog with tests/pci/check. */
#include <errno.h>
#include <fcntl.h>
#include <linux/pci_regs.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host.h"

void host_tell(const char *request)
{
	/* The output before it may not have ended its line */
	fflush(stdout);
	dprintf(STDOUT_FILENO, "\nhbs-host: %s\n", request);
}

/* Byte by byte: the next line may be for another process */
static size_t read_line(char *line, size_t size)
{
	size_t n = 0;
	char c;

	while (read(STDIN_FILENO, &c, 1) == 1 && c != '\n')
		if (n < size - 1)
			line[n++] = c;
	line[n] = 0;
	return n;
}

const char *host_ask(const char *request)
{
	static char line[64];

	host_tell(request);
	/* Empty lines are there to wake the machine */
	for (int i = 0; i < 1000; i++)
		if (read_line(line, sizeof(line)))
			break;
	return line;
}

int host_do(const char *request)
{
	const char *answer = host_ask(request);

	if (!strcmp(answer, "ok"))
		return 0;
	printf("# host: %s: \"%s\"\n", request, answer);
	return -EPROTO;
}

/* QEMU 7.2 reports errors of cards only with SERR# enabled, as firmware leaves it */
static int enable_errors(const char *pci_name)
{
	uint16_t command;
	char path[128];
	int fd, ret = -EIO;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/config", pci_name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (pread(fd, &command, sizeof(command), PCI_COMMAND) == sizeof(command)) {
		command |= PCI_COMMAND_SERR;
		if (pwrite(fd, &command, sizeof(command), PCI_COMMAND) == sizeof(command))
			ret = 0;
	}
	close(fd);
	return ret;
}

int host_inject(const char *pci_name, const char *kind)
{
	char request[64];
	int ret = enable_errors(pci_name);

	snprintf(request, sizeof(request), "inject %s", kind);
	return ret ? ret : host_do(request);
}
