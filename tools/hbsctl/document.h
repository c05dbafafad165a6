/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON that goes to standard output */
#ifndef HBSCTL_DOCUMENT_H
#define HBSCTL_DOCUMENT_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

/* The key for a name: each "-" becomes "_". */
void document_key(char *key, size_t size, const char *name);

/* A number; one that is too great for JSON's readers becomes the greatest that is not */
json_t *document_number(uint64_t number);

/* Print @value, indented, and forget it. */
void document_print(json_t *value);

/* The same in one line, which is flushed */
void document_print_line(json_t *value);

#endif /* HBSCTL_DOCUMENT_H */
