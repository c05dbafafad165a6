/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Colours: on a terminal only, and never if NO_COLOR is set */
#ifndef HBSCTL_COLOUR_H
#define HBSCTL_COLOUR_H

enum colour {
	COLOUR_NONE,
	COLOUR_TITLE,
	COLOUR_GOOD,
	COLOUR_CARE,
	COLOUR_BAD,
};

/* What switches a colour of standard output on; "" where there are none */
const char *colour_on(enum colour colour);

/* What switches @colour off */
const char *colour_off(enum colour colour);

#endif /* HBSCTL_COLOUR_H */
