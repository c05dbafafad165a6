// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"

#define HEAD_SIZE 64 /* no image that this program writes has a longer head */

struct header {
	bool binary;
	unsigned int width;
	unsigned int height;
	unsigned int maximum;
};

/* Read a number after blanks and comments, at most @limit; -1 if there is none */
static long read_number(FILE *file, long limit)
{
	long value = 0;
	int c = getc(file);

	while (isspace(c) || c == '#') {
		if (c == '#')
			while (c != '\n' && c != EOF)
				c = getc(file);
		else
			c = getc(file);
	}
	if (!isdigit(c))
		return -1;
	for (; isdigit(c); c = getc(file)) {
		value = value * 10 + (c - '0');
		if (value > limit)
			return -1;
	}
	/* the one blank that ends the number is part of the header; a comment is not */
	if (c == '#')
		ungetc(c, file);
	return value;
}

static const char *read_header(FILE *file, struct header *header)
{
	long numbers[3];
	int kind;

	if (getc(file) != 'P')
		return "is no PGM image (P2 or P5)";
	kind = getc(file);
	if (kind != '2' && kind != '5')
		return "is no PGM image (P2 or P5)";
	for (int i = 0; i < 3; i++)
		numbers[i] = read_number(file, 65535);
	if (numbers[0] < FIELD_SIDE_MIN || numbers[0] > FIELD_SIDE_MAX ||
	    numbers[1] < FIELD_SIDE_MIN || numbers[1] > FIELD_SIDE_MAX)
		return "is narrower or lower than 3 or larger than 16384 pixels";
	if (numbers[2] < 1)
		return "has no maximum gray value from 1 to 65535";
	*header = (struct header){ kind == '5', (unsigned int)numbers[0], (unsigned int)numbers[1],
				   (unsigned int)numbers[2] };
	return NULL;
}

static long read_pixel(FILE *file, const struct header *header)
{
	int high = 0, low;

	if (!header->binary)
		return read_number(file, header->maximum);
	if (header->maximum > 255)
		high = getc(file);
	low = getc(file);
	if (high == EOF || low == EOF || (unsigned int)(high << 8 | low) > header->maximum)
		return -1;
	return high << 8 | low;
}

static const char *read_pixels(FILE *file, const struct header *header, struct field *field)
{
	size_t count = field->width * field->height;

	for (size_t i = 0; i < count; i++) {
		long pixel = read_pixel(file, header);

		if (pixel < 0)
			return "ends too early, or has a pixel above its maximum";
		field->cells[0][i] = FIELD_HOT * (double)pixel / header->maximum;
		field->cells[1][i] = field->cells[0][i];
	}
	return NULL;
}

static const char *read_file(FILE *file, struct field *field)
{
	struct header header;
	const char *wrong = read_header(file, &header);

	if (wrong)
		return wrong;
	if (field_init(field, header.width, header.height))
		return "needs more memory than there is";
	wrong = read_pixels(file, &header, field);
	if (wrong)
		field_free(field);
	return wrong;
}

const char *image_read(const char *path, struct field *field)
{
	FILE *file = fopen(path, "rb");
	const char *wrong;

	if (!file)
		return strerror(errno);
	errno = 0;
	wrong = read_file(file, field);
	/* of a folder, say */
	if (wrong && ferror(file) && errno)
		wrong = strerror(errno);
	fclose(file);
	return wrong;
}

const char *image_write(struct replacement *to, const struct field *field)
{
	size_t count = field->width * field->height, start;
	const double *cells = field->cells[field->now];
	char *image = malloc(count + HEAD_SIZE);
	const char *wrong;

	if (!image)
		return strerror(ENOMEM);
	start = (size_t)snprintf(image, HEAD_SIZE, "P5\n%zu %zu\n255\n", field->width,
				 field->height);
	for (size_t i = 0; i < count; i++) {
		double gray = cells[i] * 255.0 / FIELD_HOT + 0.5;

		image[start + i] = (char)(gray < 0.0 ? 0 : gray > 255.0 ? 255 : (int)gray);
	}
	wrong = replace_write(to, image, start + count);
	free(image);
	return wrong;
}
