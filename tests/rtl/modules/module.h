/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the benches of single modules share: the clock, the reset, and packed structs, which are one
 * wide number to C++. The module is Vtop, whatever its name.
 */
#ifndef MODULE_H
#define MODULE_H

#include <cstdlib>

#include "Vtop.h"
#include "hbs_regs.h"
#include "packages.h"
#include "results.h"

namespace module
{
using namespace results;
using rtl::Field;

/* How many cycles a bench makes: its only argument */
inline uint64_t cycles_of(int argc, char **argv)
{
	char *end;
	const uint64_t cycles = argc == 2 ? strtoull(argv[1], &end, 10) : 0;

	if (!cycles || *end) {
		fprintf(stderr, "usage: %s CYCLES\n", argv[0]);
		exit(2);
	}
	return cycles;
}

/* The end of a cycle; its inputs are there, and its outputs have been looked at. (A template, since a
 * module of gates alone has no clock.)
 */
template <class Top> void tick(Top &top)
{
	top.clk_i = 1;
	top.eval();
	top.clk_i = 0;
	top.eval();
}

/* Of a module with a reset; for some cycles, with inputs as they are */
template <class Top> void reset(Top &top)
{
	top.rst_ni = 0;
	for (unsigned i = 0; i < 3; i++)
		tick(top);
	top.rst_ni = 1;
	top.eval();
}

constexpr uint64_t ones(unsigned width)
{
	return width >= 64 ? ~0ull : (1ull << width) - 1;
}

/* Bits of a number of at most 64 bits, or of a wider one */
inline uint64_t get(uint64_t word, Field field)
{
	return word >> field.low & ones(field.width);
}

template <std::size_t N> uint64_t get(const VlWide<N> &word, Field field)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < field.width; i++)
		value |= (uint64_t)(word[(field.low + i) / 32] >> (field.low + i) % 32 & 1) << i;
	return value;
}

template <class Word> void set(Word &word, Field field, uint64_t value)
{
	static_assert(std::is_integral<Word>::value, "a number");
	word = (word & ~(Word)(ones(field.width) << field.low)) |
	       (Word)((value & ones(field.width)) << field.low);
}

template <std::size_t N> void set(VlWide<N> &word, Field field, uint64_t value)
{
	for (unsigned i = 0; i < field.width; i++) {
		const unsigned bit = field.low + i;
		const uint32_t mask = 1u << bit % 32;

		word[bit / 32] = (word[bit / 32] & ~mask) | (value >> i & 1 ? mask : 0);
	}
}

/* All of it at random */
template <std::size_t N> void randomize(VlWide<N> &word, unsigned width, Random &dice)
{
	for (unsigned i = 0; i < N; i++)
		word[i] = dice.word();
	if (width % 32)
		word[N - 1] &= ones(width % 32);
}
} // namespace module
#endif
