/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HBSGRAPH_CONVERT_H
#define HBSGRAPH_CONVERT_H

/* "hbsgraph convert": write a graph as a binary file; @argv is that of main() without its first */
int convert(int argc, char **argv);

#endif /* HBSGRAPH_CONVERT_H */
