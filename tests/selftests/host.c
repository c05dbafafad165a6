// SPDX-License-Identifier: GPL-2.0-or-later
/* The guest's side of the dialog with tests/pci/check. */
#include <errno.h>
#include <linux/pci_regs.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hbs_test.h"
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

int host_inject(const char *pci_name, const char *kind)
{
	char request[64];
	/* QEMU 7.2 reports errors of cards only with SERR# enabled, as firmware leaves it */
	int ret = card_pci_command(pci_name, PCI_COMMAND_SERR, true);

	snprintf(request, sizeof(request), "inject %s", kind);
	return ret ? ret : host_do(request);
}
