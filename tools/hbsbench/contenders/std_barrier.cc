// SPDX-License-Identifier: GPL-2.0-or-later
/* std::barrier of libstdc++ */
#include <barrier>
#include <new>
#include <optional>

extern "C" {
#include "contender.h"
extern const struct contender contender_std_barrier;
}

static std::optional<std::barrier<>> barrier;

static const char *std_version(void)
{
#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
	return "libstdc++ of GCC " __VERSION__ ", " TEXT(__GLIBCXX__);
}

static const char *std_make(const struct contender *, unsigned int members, bool)
{
	try {
		barrier.emplace(members);
	} catch (const std::bad_alloc &) {
		return "out of memory";
	}
	return nullptr;
}

static void std_wait(unsigned int)
{
	barrier->arrive_and_wait();
}

static void std_unmake(void)
{
	barrier.reset();
}

static long std_elsewhere(void)
{
	return sizeof(*barrier);
}

const struct contender contender_std_barrier = {
	.name = "std-barrier",
	.what = "std::barrier of libstdc++",
	.version = std_version,
	.make = std_make,
	.wait = std_wait,
	.unmake = std_unmake,
	.elsewhere = std_elsewhere,
};
