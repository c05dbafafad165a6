/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which sentences of the page a run has tried: see the file sentences. */
#ifndef SENTENCES_H
#define SENTENCES_H

namespace hbs
{
bool &sentence(const char *name);
void print_sentences();
} // namespace hbs

/* The run has come to what the sentence says, and holds the card to it. */
#define SENTENCE(name)                                     \
	do {                                               \
		static bool &tried_ = hbs::sentence(name); \
		tried_ = true;                             \
	} while (0)

#endif
