/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests of the guest to tests/pci/check, on the host, to do something with the
 * machine. A request is a line of output "hbs-host: REQUEST", and the answer is a
 * line of input.
 */
#ifndef HBS_HOST_H
#define HBS_HOST_H

/* Asks, and does not wait for an answer */
void host_tell(const char *request);
/* Asks, and returns the answer; "" if there is none */
const char *host_ask(const char *request);
/* Asks for something that is answered by "ok": 0, or -EPROTO */
int host_do(const char *request);
/* Injects a PCI error into the card: "cor", "nonfatal" or "fatal" */
int host_inject(const char *pci_name, const char *kind);

#endif /* HBS_HOST_H */
