/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Round trips and synchronisations over the number of boards */
#ifndef TDSIM_PLOT_H
#define TDSIM_PLOT_H

#include "report.h"
#include "shared/replace.h"

/* Return: whether it is written; if not, stderr says why */
bool plot_write(const struct row *rows, size_t count, const char *path,
		struct replacement *replacement);

#endif /* TDSIM_PLOT_H */
