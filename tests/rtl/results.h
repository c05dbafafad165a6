/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results of benches in TAP, without numbers, and numbers at random. */
#ifndef RESULTS_H
#define RESULTS_H

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>

namespace results
{

/* results: a test has failed if something went wrong since the last one */
inline unsigned wrongs, failures;

__attribute__((format(printf, 1, 2))) inline void wrong(const char *format, ...)
{
	va_list arguments;

	if (++wrongs > 8)
		return;
	va_start(arguments, format);
	printf("# ");
	vprintf(format, arguments);
	printf("\n");
	va_end(arguments);
}

inline void result(const std::string &name)
{
	printf("%s - %s\n", wrongs ? "not ok" : "ok", name.c_str());
	fflush(stdout);
	failures += wrongs != 0;
	wrongs = 0;
}

struct Random {
	std::mt19937_64 engine;

	explicit Random(uint64_t seed = 1) : engine(seed)
	{
	}
	uint64_t word()
	{
		return engine();
	}
	uint64_t below(uint64_t end)
	{
		return engine() % end;
	}
	bool percent(unsigned share)
	{
		return engine() % 100 < share;
	}
};

/* What a bench must have met for its result to mean something */
inline void met(const char *what, uint64_t times)
{
	printf("# %s: %llu\n", what, (unsigned long long)times);
	if (!times)
		wrong("nothing of this was met: %s", what);
}

} // namespace results
#endif
