// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The barrier with the interface of std::barrier. If the compiler has that one, the same tests run
 * with it: they ask for nothing but what the standard says.
 */
#include <hbs.hpp>

#include <atomic>
#include <thread>
#include <type_traits>
#include <vector>
#if __has_include(<barrier>) && __cplusplus >= 202002L
#include <barrier>
#endif

#include "tap.h"

static constexpr int THREADS = 4;
static constexpr int PHASES = 100;

template <class F> static void in_threads(int count, F function)
{
	std::vector<std::thread> threads;

	for (int i = 0; i < count; i++)
		threads.emplace_back(function, i);
	for (std::thread &thread : threads)
		thread.join();
}

/* What a completion function counts, in a plain variable */
struct count {
	int *value;

	void operator()() noexcept
	{
		++*value;
	}
};

struct ours {
	using plain = libhbs::barrier<>;
	using counting = libhbs::barrier<count>;
};

template <class B> static void shape()
{
	static_assert(!std::is_copy_constructible_v<typename B::plain>);
	static_assert(!std::is_move_assignable_v<typename B::plain>);
	static_assert(!std::is_copy_constructible_v<typename B::plain::arrival_token>);
	static_assert(std::is_nothrow_move_constructible_v<typename B::plain::arrival_token>);
	static_assert(!std::is_convertible_v<std::ptrdiff_t, typename B::plain>);
	static_assert(B::plain::max() >= THREADS);
	typename B::plain nobody(0);
}

template <class B> static void phases()
{
	typename B::plain sync(THREADS);
	std::atomic<int> wrong{ 0 };
	int counts[THREADS] = {};

	in_threads(THREADS, [&](int index) {
		for (int phase = 1; phase <= PHASES; phase++) {
			counts[index] = phase;
			sync.arrive_and_wait();
			for (int count : counts)
				wrong += count != phase;
			sync.wait(sync.arrive());
		}
	});
	EXPECT(wrong == 0);
}

/* It is called once for each phase, before any thread goes on */
template <class B> static void completion()
{
	int value = 0;
	typename B::counting sync(THREADS, count{ &value });
	std::atomic<int> wrong{ 0 };

	in_threads(THREADS, [&](int index) {
		for (int phase = 1; phase <= PHASES; phase++) {
			if (index % 2)
				sync.arrive_and_wait();
			else
				sync.wait(sync.arrive());
			wrong += value != phase;
			sync.arrive_and_wait();
			wrong += value != ++phase;
		}
	});
	EXPECT(wrong == 0 && value == PHASES);
}

/* Nobody has to wait for a token */
template <class B> static void forgotten()
{
	int value = 0;
	typename B::counting sync(2, count{ &value });

	for (int phase = 0; phase < 100; phase++) {
		auto one = sync.arrive();
		auto two = sync.arrive();

		EXPECT(value == phase + 1);
		if (phase % 3 == 1)
			sync.wait(std::move(one));
		if (phase % 3 == 2)
			sync.wait(std::move(two));
	}
	sync.wait(sync.arrive(2));
	EXPECT(value == 101);
}

/* A token may be waited for in the next phase */
template <class B> static void late_wait()
{
	typename B::plain sync(2);

	for (int phase = 0; phase < 100; phase++) {
		auto one = sync.arrive();
		auto two = sync.arrive();
		auto three = sync.arrive();

		sync.wait(std::move(one));
		sync.wait(std::move(two));
		auto four = sync.arrive();
		sync.wait(std::move(three));
		sync.wait(std::move(four));
	}
}

template <class B> static void several()
{
	typename B::plain sync(4);

	/* so the threads take each other's seats */
	in_threads(2, [&sync](int index) {
		for (int phase = 0; phase < PHASES; phase++) {
			sync.wait(sync.arrive(index == phase % 2 ? 3 : 1));
			if (index != phase % 2)
				sync.arrive_and_wait();
			else
				sync.wait(sync.arrive(3));
		}
	});
}

/* Those that have dropped are not waited for */
template <class B> static void drop()
{
	int value = 0;
	typename B::counting sync(THREADS, count{ &value });

	in_threads(THREADS, [&sync](int index) {
		for (int phase = 0; phase < 10 * index; phase++)
			sync.arrive_and_wait();
		sync.arrive_and_drop();
	});
	EXPECT(value == 10 * (THREADS - 1) + 1);
}

/* More threads than members, which take turns: any thread may arrive */
template <class B> static void strangers()
{
	typename B::plain sync(2);

	for (int phase = 0; phase < 50; phase++)
		in_threads(2, [&sync](int) { sync.arrive_and_wait(); });
}

static void arguments()
{
	int refused = 0;

	for (std::ptrdiff_t wrong : { std::ptrdiff_t(-1), libhbs::barrier<>::max() + 1 }) {
		try {
			libhbs::barrier sync(wrong);
		} catch (const libhbs::error &error) {
			refused += error.code() == std::errc::invalid_argument;
		}
	}
	EXPECT(refused == 2);
	libhbs::barrier sync(1);
	try {
		(void)sync.arrive(0);
	} catch (const libhbs::error &error) {
		refused += error.code() == std::errc::invalid_argument;
	}
	sync.arrive_and_drop();
	try {
		(void)sync.arrive();
	} catch (const libhbs::error &error) {
		refused += error.code() == std::errc::invalid_argument;
	}
	EXPECT(refused == 4);
}

/* std::barrier would wait for ever */
static void broken()
{
	libhbs::context context;
	hbs_group_attr attr{};
	int timeouts = 0;

	attr.timeout_ns = 10000000;
	libhbs::barrier sync(context, 2, libhbs::detail::no_completion(), attr);
	for (int i = 0; i < 3; i++) {
		try {
			if (i)
				sync.arrive_and_wait();
			else
				sync.wait(sync.arrive());
		} catch (const libhbs::error &error) {
			timeouts += error.code() == std::errc::timed_out;
		}
	}
	EXPECT(timeouts == 3);
}

/* The completion function may be a lambda, and the type be deduced */
static void deduced()
{
	int value = 0;
	libhbs::barrier sync(1, [&value]() noexcept { value++; });

	sync.arrive_and_wait();
	EXPECT(value == 1);
}

#ifdef __cpp_lib_barrier
struct standard {
	using plain = std::barrier<>;
	using counting = std::barrier<count>;
};
#define BOTH(name)                            \
	{ "hbs: " #name, name<ours> },        \
	{                                     \
		"std: " #name, name<standard> \
	}
#else
#define BOTH(name)                        \
	{                                 \
		"hbs: " #name, name<ours> \
	}
#endif

int main()
{
	return run_tests({
		BOTH(shape),
		BOTH(phases),
		BOTH(completion),
		BOTH(forgotten),
		BOTH(late_wait),
		BOTH(several),
		BOTH(drop),
		BOTH(strangers),
		{ "arguments", arguments },
		{ "broken", broken },
		{ "deduced", deduced },
	});
}
