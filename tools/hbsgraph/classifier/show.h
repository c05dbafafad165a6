/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models as text */
#ifndef HBSGRAPH_SHOW_H
#define HBSGRAPH_SHOW_H

/* Print a profile and its models. Return: the exit status. */
int show_profile(const char *path);

/* Print what the paper's models (table 4) say of its graphs (table 1): that is its table 5 */
int show_paper(void);

#endif /* HBSGRAPH_SHOW_H */
