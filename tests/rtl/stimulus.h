/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Random accesses that make a life for groups: they are set up, joined, arrived at, left, broken
 * and disabled, while others read and write what they must not.
 */
#ifndef STIMULUS_H
#define STIMULUS_H

#include <deque>
#include <vector>

#include "host.h"
#include "model.h"

namespace hbs
{
struct Manner {
	unsigned noise;	   /* one access in so many has nothing to do with the groups */
	unsigned resets;   /* one in so many accesses */
	unsigned disables; /* of the card */
	unsigned moves;	   /* of PRT_ADDR */
	unsigned spoils;   /* of memory that a group or a port gets, one in so many; 0 for none */
	unsigned changes;  /* of groups that end, one in so many bursts */
	unsigned active;   /* groups at a time */
	unsigned members;  /* of a group, at most */
	bool plain;	   /* only groups of masks, stores and records */
};

class Stimulus
{
      public:
	Stimulus(Model &model, Host &host, Random &random, const Manner &manner);
	/* The next access, false if there is none now; its tag is not set */
	bool next(Access *access);
	/* Nothing of a group is under way: no access is left over. */
	bool is_empty() const;
	void stop()
	{
		stopped = true;
	}

	static Access read(uint32_t addr, unsigned size);
	static Access write(uint32_t addr, uint64_t value, unsigned size);
	static uint32_t of_group(unsigned g, uint32_t offset)
	{
		return HBSR_GRP_BASE + g * HBSR_GRP_STRIDE + offset;
	}

	uint64_t kinds[16] = {};
	static const char *const kind_names[16];

      private:
	enum Kind {
		ARRIVE,
		LINE,
		LOAD,
		WITHDRAW,
		OPERAND,
		COMMAND,
		ARM,
		SETUP,
		REGISTER,
		BAD,
		INTERRUPT,
		CARD,
		MOVE,
		RESET,
		FLUSH,
		OTHER
	};
	struct Item {
		Access access;
		Kind kind;
		bool waits;  /* until the group is not busy */
		bool stores; /* a word of a line, in place of an access */
		unsigned port;
	};
	struct Plan {
		unsigned g;
		std::deque<Item> items;
		unsigned waited;
		unsigned target; /* how many members it shall have */
	};

	void push(Plan &plan, Kind kind, const Access &access, bool waits = false);
	void lane(Plan &plan, Kind kind, unsigned port, uint32_t offset, uint64_t datum);
	void plan(Plan &plan);
	void set_up(Plan &plan);
	void tear_down(Plan &plan);
	void arrivals(Plan &plan, unsigned percent);
	void command(Plan &plan, unsigned op, unsigned arg);
	void join_some(Plan &plan);
	bool noise(Access *access, Kind *kind);
	Access random_register();
	Access random_bad();
	uint64_t random_datum();
	unsigned random_member(const Group &group);
	void store_line(unsigned g, unsigned port);
	uint32_t choose(unsigned g);

	Model &model;
	Host &host;
	Random &random;
	Manner manner;
	std::vector<Plan> plans;
	std::deque<Item> card; /* accesses that are for the whole card, in their order */
	bool stopped = false;
	uint64_t seen_resets = 0;
};
} // namespace hbs

#endif
