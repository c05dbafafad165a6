// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "document.h"
#include "fields.h"
#include "memory.h"
#include "text.h"

void *rows_add(struct rows *rows, size_t size)
{
	void *item;

	if (rows->count == rows->room) {
		rows->room = rows->room ? 2 * rows->room : 16;
		rows->items = memory_resize(rows->items, rows->room * size);
	}
	item = (char *)rows->items + rows->count++ * size;
	memset(item, 0, size);
	return item;
}

void rows_free(struct rows *rows, const struct schema *schema)
{
	for (size_t i = 0; i < rows->count; i++)
		fields_free(schema, (char *)rows->items + i * schema->size);
	free(rows->items);
	*rows = (struct rows){ 0 };
}

void fields_free(const struct schema *schema, void *record)
{
	for (size_t i = 0; i < schema->count; i++) {
		const struct field *field = &schema->fields[i];

		if (field->kind == FIELD_NEST)
			fields_free(field->nested, (char *)record + field->offset);
		if (field->kind == FIELD_NESTS)
			rows_free((struct rows *)((char *)record + field->offset), field->nested);
	}
}

static bool read_fixed(void *to, const void *payload, size_t length, size_t size)
{
	if (length < size)
		return false;
	memcpy(to, payload, size);
	return true;
}

static bool read_text(char *to, const char *payload, size_t length)
{
	length = strnlen(payload, length);
	if (length >= FIELD_TEXT_SIZE)
		length = FIELD_TEXT_SIZE - 1;
	memcpy(to, payload, length);
	to[length] = '\0';
	return true;
}

static bool read_field(const struct field *field, const void *payload, size_t length, void *record)
{
	void *to = (char *)record + field->offset;

	switch ((enum field_kind)field->kind) {
	case FIELD_U32:
	case FIELD_WORD:
	case FIELD_BITS:
	case FIELD_VERSION:
		return read_fixed(to, payload, length, sizeof(uint32_t));
	case FIELD_U64:
	case FIELD_BITS64:
	case FIELD_NAME64:
	case FIELD_S64:
		return read_fixed(to, payload, length, sizeof(uint64_t));
	case FIELD_TEXT:
		return read_text(to, payload, length);
	case FIELD_FLAG:
		return true;
	case FIELD_NEST:
		return fields_read(field->nested, payload, length, to);
	case FIELD_NESTS:
		return fields_read(field->nested, payload, length,
				   rows_add(to, field->nested->size));
	}
	return false;
}

static const struct field *find(const struct schema *schema, uint16_t attribute)
{
	for (size_t i = 0; i < schema->count; i++)
		if (schema->fields[i].attribute == attribute)
			return &schema->fields[i];
	return NULL;
}

bool fields_read(const struct schema *schema, const void *attributes, size_t size, void *record)
{
	const char *at = attributes;

	while (size >= NLA_HDRLEN) {
		const struct nlattr *header = (const void *)at;
		const struct field *field = find(schema, header->nla_type & NLA_TYPE_MASK);
		size_t whole = NLA_ALIGN(header->nla_len);

		if (header->nla_len < NLA_HDRLEN || header->nla_len > size)
			return false;
		if (field) {
			if (!read_field(field, at + NLA_HDRLEN, header->nla_len - NLA_HDRLEN,
					record))
				return false;
			*(uint64_t *)record |= 1ULL << field->attribute;
		}
		if (whole > size)
			whole = size;
		at += whole;
		size -= whole;
	}
	return true;
}

static json_t *bits_json(const struct words *words, uint64_t bits)
{
	json_t *array = json_array();

	for (unsigned int bit = 0; bit < 64; bit++) {
		char room[WORD_SIZE];

		if (bits >> bit & 1)
			json_array_append_new(array, json_string(words_of(words, bit, room)));
	}
	return array;
}

static json_t *text_json(const char *text)
{
	char escaped[TEXT_SIZE(FIELD_TEXT_SIZE)];

	return json_string(text_escape(escaped, sizeof(escaped), text));
}

static json_t *field_json(const struct field *field, const void *record)
{
	const void *from = (const char *)record + field->offset;
	char room[WORD_SIZE];
	uint32_t u32 = 0;
	uint64_t u64 = 0;

	if (field->kind <= FIELD_VERSION)
		memcpy(&u32, from, sizeof(u32));
	else if (field->kind <= FIELD_S64)
		memcpy(&u64, from, sizeof(u64));
	switch ((enum field_kind)field->kind) {
	case FIELD_U32:
		return json_integer(u32);
	case FIELD_WORD:
		return json_string(words_of(field->words, u32, room));
	case FIELD_BITS:
		return bits_json(field->words, u32);
	case FIELD_VERSION:
		return json_sprintf("%u.%u", u32 >> 16, u32 & 0xffff);
	case FIELD_U64:
		return document_number(u64);
	case FIELD_BITS64:
		return bits_json(field->words, u64);
	case FIELD_NAME64:
		return json_sprintf("%llu", (unsigned long long)u64);
	case FIELD_S64:
		return json_integer((json_int_t)u64);
	case FIELD_TEXT:
		return text_json(from);
	case FIELD_FLAG:
		return json_boolean(fields_has(record, field->attribute));
	case FIELD_NEST:
		return fields_json(field->nested, from);
	case FIELD_NESTS:
		return rows_json(from, field->nested);
	}
	return NULL;
}

/* Whether it is in JSON also if the attribute was not there */
static bool always(const struct field *field)
{
	return field->kind == FIELD_FLAG || field->kind == FIELD_NESTS;
}

json_t *fields_json(const struct schema *schema, const void *record)
{
	json_t *object = json_object();

	for (size_t i = 0; i < schema->count; i++) {
		const struct field *field = &schema->fields[i];
		char key[FIELD_TEXT_SIZE];

		if (!fields_has(record, field->attribute) && !always(field))
			continue;
		document_key(key, sizeof(key), field->name);
		json_object_set_new(object, key, field_json(field, record));
	}
	return object;
}

json_t *rows_json(const struct rows *rows, const struct schema *schema)
{
	json_t *array = json_array();

	for (size_t i = 0; i < rows->count; i++)
		json_array_append_new(
			array, fields_json(schema, (const char *)rows->items + i * schema->size));
	return array;
}

const char *fields_name(const struct schema *schema, uint16_t attribute)
{
	const struct field *field = find(schema, attribute);

	return field ? field->name : NULL;
}
