/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory, or the end of the program */
#ifndef HBSCTL_MEMORY_H
#define HBSCTL_MEMORY_H

#include <stdarg.h>
#include <stddef.h>

/* As realloc(); the caller frees it */
void *memory_resize(void *old, size_t size);

/* As vasprintf(); the caller frees it */
char *memory_print(const char *format, va_list arguments);

/* That there is no memory, on stderr, and the end */
_Noreturn void memory_none(void);

#endif /* HBSCTL_MEMORY_H */
