/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the papers print, and what the model says to it */
#ifndef LATENCY_PAPERS_H
#define LATENCY_PAPERS_H

#include <stdbool.h>

/* The model may be so far from a figure that a paper prints, in percent; a test has less */
#ifndef PAPERS_ERROR
#define PAPERS_ERROR 2.0
#endif

/* Print the table. Return: whether the model is as near to all figures as it says. */
bool papers_print(void);

/* Software barriers that somebody measured, beside the model: no claim */
void papers_print_software(void);

#endif /* LATENCY_PAPERS_H */
