/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "hbsgraph tune": measures shortest paths on the graphs of paper 002, and fits models to the times */
#ifndef HBSGRAPH_TUNE_H
#define HBSGRAPH_TUNE_H

/* The arguments from "tune" on. Return: the exit status. */
int tune(int argc, char **argv);

#endif /* HBSGRAPH_TUNE_H */
