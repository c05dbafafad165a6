/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pictures by gnuplot */
#ifndef SHARED_GNUPLOT_H
#define SHARED_GNUPLOT_H

#include <stdbool.h>

/* Return: whether gnuplot is here. If it is not, stderr says so in the name of @program. */
bool gnuplot_possible(const char *program);

/**
 * gnuplot_render() - let gnuplot draw
 * @program: for messages
 * @script: it writes an SVG picture to its standard output
 *
 * Return: the picture, which the caller frees, or NULL; then stderr says why.
 */
char *gnuplot_render(const char *program, const char *script);

#endif /* SHARED_GNUPLOT_H */
