/* SPDX-License-Identifier: GPL-2.0-or-later */
/* TAP; each line is out as soon as it is printed */
#ifndef TAP_H
#define TAP_H

#include <stdbool.h>

void tap_plan(unsigned int results);
void tap_result(bool ok, const char *name);
/* The exit status */
int tap_end(void);

#endif /* TAP_H */
