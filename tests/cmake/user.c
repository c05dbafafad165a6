/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <hbs.h>
#include <hbs_messages.h>
#include <stdio.h>

int main(void)
{
	struct hbs *hbs;

	puts(hbs_version());
	return hbs_open(&hbs, NULL) || hbs_close(hbs);
}
