/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The card, or software, that a graph runs with */
#ifndef HBSGRAPH_CONTEXT_H
#define HBSGRAPH_CONTEXT_H

#include <stdbool.h>

#include "hbs.h"

/* Take the value of --backend. Return: false, with a message on stderr, if it is none. */
bool context_backend(const char *text, struct hbs_attr *attr);

/* Open the context that the user asks for. Return: NULL, with a message on stderr, if that fails. */
struct hbs *context_open(const struct hbs_attr *attr);

#endif /* HBSGRAPH_CONTEXT_H */
