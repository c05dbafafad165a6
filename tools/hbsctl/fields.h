/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a set of attributes of the specification becomes a struct, and that JSON */
#ifndef HBSCTL_FIELDS_H
#define HBSCTL_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>
#include <linux/netlink.h>

#include "words.h"

/* Room for a text of the kernel, as it came */
#define FIELD_TEXT_SIZE 32

enum field_kind {
	FIELD_U32,
	FIELD_WORD,    /* u32: a value that has a word */
	FIELD_BITS,    /* u32: bits that have words */
	FIELD_VERSION, /* u32: major << 16 | minor */
	FIELD_U64,
	FIELD_BITS64,
	FIELD_NAME64, /* u64 that need not be small, so it is text in JSON */
	FIELD_S64,
	FIELD_TEXT, /* char[FIELD_TEXT_SIZE] */
	FIELD_FLAG, /* the attribute is there or not */
	FIELD_NEST,
	FIELD_NESTS, /* an attribute that may come several times; a struct rows */
};

/**
 * struct field - an attribute
 * @name: as the specification has it; in JSON each "-" is "_"
 * @attribute: its number
 * @kind: what it is
 * @offset: where it is in the struct; a FIELD_FLAG is in the struct's first member alone
 * @words: of FIELD_WORD and FIELD_BITS
 * @nested: of FIELD_NEST and FIELD_NESTS
 */
struct field {
	const char *name;
	uint16_t attribute;
	uint8_t kind;
	uint16_t offset;
	const struct words *words;
	const struct schema *nested;
};

/**
 * struct schema - a set of attributes
 * @name: as the specification has it
 * @size: of the struct, which begins with a uint64_t: bit N says that attribute N was there
 */
struct schema {
	const char *name;
	const struct field *fields;
	size_t count;
	size_t size;
};

/* Structs of one kind, one after the other */
struct rows {
	void *items;
	size_t count;
	size_t room;
};

/* Room for one more, all zeros */
void *rows_add(struct rows *rows, size_t size);

/* Free the structs, and what is in them */
void rows_free(struct rows *rows, const struct schema *schema);

/*
 * Read @size bytes of attributes into @record, which is all zeros. Attributes that are unknown
 * are left out. Return: false if an attribute is not as the specification says.
 */
bool fields_read(const struct schema *schema, const void *attributes, size_t size, void *record);

/* Free what fields_read() has allocated in @record. */
void fields_free(const struct schema *schema, void *record);

/* Whether the attribute was there; a struct begins with these bits */
static inline bool fields_has(const void *record, unsigned int attribute)
{
	return *(const uint64_t *)record >> attribute & 1;
}

/* All that is in the record; never NULL */
json_t *fields_json(const struct schema *schema, const void *record);

/* The same for rows */
json_t *rows_json(const struct rows *rows, const struct schema *schema);

/* The name of an attribute, or NULL */
const char *fields_name(const struct schema *schema, uint16_t attribute);

#endif /* HBSCTL_FIELDS_H */
