/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The card under test: its pins, and the order of its steps, cycle by cycle. */
#ifndef CARD_H
#define CARD_H

#include <memory>

#include "model.h"

namespace hbs
{
struct Inputs {
	bool reset;
	uint64_t now;
	bool msix;
	bool req_valid;
	Access req;
	bool tx_ready, tx_refused;
	bool rd_ready;
	bool ans_valid, ans_error;
	unsigned ans_tag;
	uint64_t ans_data;
};

enum class Step {
	NONE,
	ACCESS, /* the next access that was taken */
	ANSWER, /* an answer of host memory */
	FAILED, /* what follows a write that failed, after the last record */
	EXPIRY, /* of the timer of a group */
	FINISH, /* of a LEAVE */
	ANEW,	/* an operation begins, perhaps anew */
	RESUME, /* the timer of a group starts, as the card was enabled */
};

struct Trace {
	Step step;
	unsigned group, port, tag;
	Use use;
	bool dropped;
	bool operation; /* FAILED: it was a record that a JOIN writes */
	bool busy;	/* ACCESS: the group was, GRP_STATUS.BUSY */
	bool takes;	/* the next request is taken out of their queue */
	bool round;	/* a round starts */
};

struct Outputs {
	bool req_ready;
	bool tx_valid;
	unsigned tx_kind;
	uint64_t tx_addr, tx_data[2];
	unsigned tx_tag;
	bool rd_valid;
	uint64_t rd_addr;
	unsigned rd_tag;
	bool ready, idle;
	Trace trace;
};

class Card
{
      public:
	Card();
	~Card();
	/* Sets the pins of a cycle, and says what the card does in it. */
	const Outputs &settle(const Inputs &inputs);
	/* The end of the cycle */
	void tick();
	/* Notes which lines and toggles were tried. */
	void write_coverage(const char *path);
	static Parameters parameters();

      private:
	struct Verilated;
	std::unique_ptr<Verilated> card;
	Outputs outputs;
};
} // namespace hbs

#endif
