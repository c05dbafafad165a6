/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saving and loading the state of a machine: migration and snapshots. */
#ifndef SAVING_H
#define SAVING_H

#include "card.h"

/* Writes the machine's state to a file, which it does not survive. */
void migrate_to(struct card *card, const char *path);
/* A machine whose card has PROPERTIES, from such a file */
void start_from(struct card *card, const char *properties, const char *path);
/* A disk for snapshots, at this path */
void add_disk(struct card *card, const char *path);
/* "snapshot-save" or "snapshot-load" */
void snapshot(struct card *card, const char *what);

#endif /* SAVING_H */
