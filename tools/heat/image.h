/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads and writes fields as portable graymaps (PGM, of netpbm) */
#ifndef HEAT_IMAGE_H
#define HEAT_IMAGE_H

#include "field.h"
#include "shared/replace.h"

/*
 * Make a field of an image, P2 or P5: black is cold, white is hot.
 * Return: NULL, or what is wrong with the file.
 */
const char *image_read(const char *path, struct field *field);

/* Write a field as P5 of 8 bits. Return: NULL, or what went wrong. */
const char *image_write(struct replacement *to, const struct field *field);

#endif /* HEAT_IMAGE_H */
