/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests in C++: a list of functions, each of which throws if it fails */
#ifndef TAP_H
#define TAP_H

#include <cstdio>
#include <exception>
#include <initializer_list>
#include <stdexcept>
#include <string>

struct test {
	const char *name;
	void (*run)();
};

#define TEXT_(line) #line
#define TEXT(line)  TEXT_(line)
#define EXPECT(condition)                                                               \
	do {                                                                            \
		if (!(condition))                                                       \
			throw std::logic_error("line " TEXT(__LINE__) ": " #condition); \
	} while (0)

inline int run_tests(std::initializer_list<test> tests)
{
	int number = 0, failed = 0;

	std::printf("1..%zu\n", tests.size());
	for (const test &test : tests) {
		try {
			test.run();
			std::printf("ok %d - %s\n", ++number, test.name);
		} catch (const std::exception &error) {
			std::printf("not ok %d - %s\n# %s\n", ++number, test.name, error.what());
			failed = 1;
		}
		std::fflush(stdout);
	}
	return failed;
}

#endif /* TAP_H */
