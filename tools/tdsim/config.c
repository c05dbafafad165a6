// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

const char *const protocol_names[PROTOCOLS] = { "three-phase", "software", "hbs" };
const char *const master_names[MASTERS] = { "corner", "centre" };
const char *const send_order_names[SEND_ORDERS] = { "far", "rows" };
const char *const fault_names[FAULTS] = { "none",      "no-colour",   "no-whitening", "two-samples",
					  "no-freeze", "no-withdraw", "no-readback",  "no-stamp" };

bool fault_applies(enum fault fault, enum protocol protocol)
{
	switch (fault) {
	case FAULT_NO_FREEZE:
		return protocol != HBS;
	case FAULT_NO_WITHDRAW:
	case FAULT_NO_READBACK:
	case FAULT_NO_STAMP:
		return protocol == HBS;
	default:
		return true;
	}
}
