/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory of the host: words, and whose they are. Each record of a group and each memory of a
 * port has addresses of its own, which no other ever gets; so the bench knows by the address what
 * the card writes or reads.
 */
#ifndef HOST_H
#define HOST_H

#include <cstdint>
#include <unordered_map>

#include "model.h"

namespace hbs
{
class Random
{
      public:
	explicit Random(uint64_t seed) : state(seed * 0x9e3779b97f4a7c15ULL + 1)
	{
	}
	uint64_t next()
	{
		/* splitmix64 */
		uint64_t z = state += 0x9e3779b97f4a7c15ULL;

		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
		z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
		return z ^ z >> 31;
	}
	unsigned below(unsigned n)
	{
		return (next() >> 32) * n >> 32;
	}
	bool one_in(unsigned n)
	{
		return !below(n);
	}

      private:
	uint64_t state;
};

/* Whose an address is, or was */
struct Owner {
	enum Kind { NOTHING, RECORD, PORT };
	Kind kind;
	unsigned index; /* the group, or the port */
	uint64_t base;
};

class Host
{
      public:
	explicit Host(Random &random) : random(random)
	{
	}
	/* Addresses for the records of a group, and for a port */
	uint64_t new_record(unsigned g);
	uint64_t new_memory(unsigned port);
	const Owner *owner(uint64_t addr) const;
	uint64_t load(uint64_t addr) const;
	void store(uint64_t addr, uint64_t word);
	void spoil(uint64_t addr)
	{
		spoilt[addr & ~63ULL] = true;
	}
	bool is_spoilt(uint64_t addr) const
	{
		return spoilt.count(addr & ~63ULL);
	}

      private:
	static constexpr unsigned REGION = 15; /* bits of an address in a region */

	uint64_t new_region(Owner::Kind kind, unsigned index);

	Random &random;
	uint64_t regions = 1;
	std::unordered_map<uint64_t, Owner> owners;
	std::unordered_map<uint64_t, uint64_t> words;
	std::unordered_map<uint64_t, bool> spoilt;
	std::unordered_map<unsigned, uint64_t> record_region;
	std::unordered_map<unsigned, unsigned> records;
};
} // namespace hbs

#endif
