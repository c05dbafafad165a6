// SPDX-License-Identifier: LGPL-2.1-or-later
#include "internal.h"

const char *hbs_version(void)
{
	return HBS_VERSION;
}
