// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libhbs for C++17 and later: classes that own the handles of hbs.h, and a barrier with the
 * interface of std::barrier.
 *
 *	libhbs::barrier sync(8);
 *	... in each of the 8 threads:
 *	for (int step = 0; step < steps; step++) {
 *		work(step);
 *		sync.arrive_and_wait();
 *	}
 *
 * or, with members of their own:
 *
 *	libhbs::context context;
 *	libhbs::group group(context, 8);
 *	... in each of the 8 threads:
 *	libhbs::member me = group.join();
 *	me.arrive_and_wait();
 *
 * A function that fails throws libhbs::error, a std::system_error whose code compares with
 * std::errc. What each function does, and with which errors, is in hbs.h, under the name of the
 * C function that it calls.
 *
 * A handle lives until the objects that need it are gone: a member keeps its group, and a group
 * its context. So the objects may go in any order.
 */
#ifndef HBS_HPP
#define HBS_HPP

#include "hbs.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace libhbs
{

namespace detail
{

/* Errors of the library are those of errno, with texts of their own */
class category final : public std::error_category
{
      public:
	const char *name() const noexcept override
	{
		return "hbs";
	}

	std::string message(int value) const override
	{
		return hbs_strerror(-value);
	}

	std::error_condition default_error_condition(int value) const noexcept override
	{
		return { value, std::generic_category() };
	}
};

} // namespace detail

inline const std::error_category &category() noexcept
{
	static const detail::category instance;

	return instance;
}

/* What the library says of a call that failed */
class error : public std::system_error
{
      public:
	error(int value, const char *what) : std::system_error(-value, category(), what)
	{
	}

	/* The negative number that the C function returned */
	int value() const noexcept
	{
		return -code().value();
	}
};

namespace detail
{

inline int check(int value, const char *what)
{
	if (value < 0)
		throw error(value, what);
	return value;
}

inline std::uint64_t nanoseconds(std::chrono::nanoseconds time)
{
	return time.count() > 0 ? static_cast<std::uint64_t>(time.count()) : 0;
}

} // namespace detail

/* A card or the software: hbs_open(), hbs_close() */
class context
{
      public:
	context() : context(hbs_attr{})
	{
	}

	explicit context(enum hbs_backend backend) : context(with_backend(backend))
	{
	}

	explicit context(const hbs_attr &attr)
	{
		struct hbs *opened;

		detail::check(hbs_open(&opened, &attr), "hbs_open");
		handle.reset(opened, [](struct hbs *hbs) { hbs_close(hbs); });
	}

	enum hbs_backend backend() const noexcept
	{
		return ::hbs_backend(handle.get());
	}

	std::string name() const
	{
		return hbs_backend_name(handle.get());
	}

	struct hbs *get() const noexcept
	{
		return handle.get();
	}

      private:
	friend class group;

	static hbs_attr with_backend(enum hbs_backend backend)
	{
		hbs_attr attr{};

		attr.backend = backend;
		return attr;
	}

	std::shared_ptr<struct hbs> handle;
};

class group;

/*
 * A membership: hbs_join(), hbs_leave(). It can be moved, but belongs to one thread at a time. One
 * that has left or was moved from is no member: get() is nullptr, and only that, leave(), the
 * destructor and assignments may be called.
 */
class member
{
      public:
	member() noexcept = default;

	member(member &&other) noexcept
	    : keeps(std::move(other.keeps)), handle(std::exchange(other.handle, nullptr))
	{
	}

	member &operator=(member &&other) noexcept
	{
		if (this != &other) {
			leave();
			keeps = std::move(other.keeps);
			handle = std::exchange(other.handle, nullptr);
		}
		return *this;
	}

	~member()
	{
		leave();
	}

	/* hbs_leave() */
	void leave() noexcept
	{
		if (handle)
			hbs_leave(std::exchange(handle, nullptr));
		keeps.reset();
	}

	/* hbs_barwait() */
	void arrive_and_wait()
	{
		detail::check(hbs_barwait(handle), "hbs_barwait");
	}

	void arrive()
	{
		detail::check(hbs_arrive(handle), "hbs_arrive");
	}

	void arrive(std::uint64_t value)
	{
		detail::check(hbs_arrive_value(handle, value), "hbs_arrive_value");
	}

	/* Whether all have arrived: then the member has departed */
	[[nodiscard]] bool test()
	{
		return detail::check(hbs_test(handle), "hbs_test") > 0;
	}

	void wait()
	{
		detail::check(hbs_wait(handle), "hbs_wait");
	}

	/*
	 * Whether all have arrived in this time. Otherwise the arrival still counts: wait again. A
	 * group whose own timer breaks it looks like the end of the time once, and throws from
	 * then on.
	 */
	[[nodiscard]] bool wait_for(std::chrono::nanoseconds time)
	{
		int ret = hbs_wait_for(handle, detail::nanoseconds(time));

		if (ret == -ETIMEDOUT)
			return false;
		detail::check(ret, "hbs_wait_for");
		return true;
	}

	/* Ends the membership, as leave() does, also if it throws */
	void arrive_and_drop()
	{
		int ret = hbs_arrive_and_drop(std::exchange(handle, nullptr));

		keeps.reset();
		detail::check(ret, "hbs_arrive_and_drop");
	}

	std::uint64_t allreduce(std::uint64_t value)
	{
		std::uint64_t result;

		detail::check(hbs_allreduce(handle, value, &result), "hbs_allreduce");
		return result;
	}

	std::uint64_t result() const
	{
		std::uint64_t value;

		detail::check(hbs_result(handle, &value), "hbs_result");
		return value;
	}

	struct outcome {
		bool all; /* all voted yes */
		bool any; /* at least one did */
	};

	outcome vote(bool yes)
	{
		int all, any;

		detail::check(hbs_vote(handle, yes, &all, &any), "hbs_vote");
		return { all != 0, any != 0 };
	}

	void begin_idle(const struct hbs_idle &idle)
	{
		detail::check(hbs_begin_idle(handle, &idle), "hbs_begin_idle");
	}

	/* Whether the epoch is over, and the member has departed */
	[[nodiscard]] bool withdraw()
	{
		return detail::check(hbs_withdraw(handle), "hbs_withdraw") > 0;
	}

	outcome votes() const
	{
		int all, any;

		detail::check(hbs_votes(handle, &all, &any), "hbs_votes");
		return { all != 0, any != 0 };
	}

	/* To poll: call it before each poll. It is closed with the member. */
	int fd()
	{
		return detail::check(hbs_member_fd(handle), "hbs_member_fd");
	}

	struct hbs_member_stats stats() const
	{
		struct hbs_member_stats counts;

		detail::check(hbs_member_stats(handle, &counts), "hbs_member_stats");
		return counts;
	}

	hbs_member *get() const noexcept
	{
		return handle;
	}

      private:
	friend class group;

	member(std::shared_ptr<hbs_group> joined, hbs_member *handed) noexcept
	    : keeps(std::move(joined)), handle(handed)
	{
	}

	std::shared_ptr<hbs_group> keeps;
	hbs_member *handle = nullptr;
};

/* A group: hbs_group_create() or hbs_group_import(), hbs_group_close() */
class group
{
      public:
	group(const context &context, std::uint32_t members) : group(context, with_members(members))
	{
	}

	group(const context &context, const hbs_group_attr &attr)
	{
		hbs_group *made;

		detail::check(hbs_group_create(context.get(), &attr, &made), "hbs_group_create");
		take(context, made);
	}

	/* The group of a descriptor, which the caller keeps */
	static group import(const context &context, int fd)
	{
		hbs_group *imported;
		group result;

		detail::check(hbs_group_import(context.get(), fd, &imported), "hbs_group_import");
		result.take(context, imported);
		return result;
	}

	/* hbs_join_tagged() */
	[[nodiscard]] member join(std::uint64_t tag = 0) const
	{
		hbs_member *joined;

		detail::check(hbs_join_tagged(handle.get(), tag, &joined), "hbs_join_tagged");
		return { handle, joined };
	}

	std::vector<hbs_absentee> missing() const
	{
		std::vector<hbs_absentee> list;
		std::size_t count = 0;

		do {
			list.resize(count);
			count = static_cast<std::size_t>(detail::check(
				hbs_group_missing(handle.get(), list.data(), list.size()),
				"hbs_group_missing"));
		} while (count > list.size());
		list.resize(count);
		return list;
	}

	struct hbs_group_stats stats() const
	{
		struct hbs_group_stats counts;

		detail::check(hbs_group_stats(handle.get(), &counts), "hbs_group_stats");
		return counts;
	}

	void reset()
	{
		detail::check(hbs_group_reset(handle.get()), "hbs_group_reset");
	}

	/* Breaks the group for all: std::errc::identifier_removed */
	void destroy()
	{
		detail::check(hbs_group_destroy(handle.get()), "hbs_group_destroy");
	}

	/* The descriptor that stands for the group: it belongs to the group */
	int fd() const
	{
		return detail::check(hbs_group_fd(handle.get()), "hbs_group_fd");
	}

	hbs_algorithm algorithm() const
	{
		return static_cast<hbs_algorithm>(
			detail::check(hbs_group_algorithm(handle.get()), "hbs_group_algorithm"));
	}

	hbs_group *get() const noexcept
	{
		return handle.get();
	}

      private:
	group() = default;

	static hbs_group_attr with_members(std::uint32_t members)
	{
		hbs_group_attr attr{};

		attr.members = members;
		return attr;
	}

	void take(const context &context, hbs_group *taken)
	{
		handle.reset(taken, [keeps = context.handle](hbs_group *group) {
			hbs_group_close(group);
		});
	}

	std::shared_ptr<hbs_group> handle;
};

namespace detail
{

struct no_completion {
	void operator()() const noexcept
	{
	}
};

/* Threads begin to look for a seat in different places */
inline std::size_t thread_number() noexcept
{
	static std::atomic<std::size_t> threads{ 0 };
	thread_local const std::size_t number = threads.fetch_add(1, std::memory_order_relaxed);

	return number;
}

/*
 * A seat of a barrier: a member, which any thread may use, but one at a time. The word has the
 * state, and how often somebody has arrived with the seat.
 */
struct alignas(64) seat {
	enum state : std::uint64_t {
		vacant = 0,  /* can arrive */
		used = 1,    /* a thread is in a call with it */
		arrived = 2, /* has arrived, and nobody has departed with it yet */
		dropped = 3, /* will not arrive any more */
	};

	static state state_of(std::uint64_t word) noexcept
	{
		return static_cast<state>(word & 3);
	}

	static std::uint64_t turn_of(std::uint64_t word) noexcept
	{
		return word >> 2;
	}

	static std::uint64_t word_of(std::uint64_t turn, state state) noexcept
	{
		return turn << 2 | state;
	}

	std::atomic<std::uint64_t> word{ 0 };
	libhbs::member member;
};

} // namespace detail

/*
 * A barrier with the interface of std::barrier, among threads of one process. As there, any thread
 * may arrive, arrive() can count for several, and a token need not be waited for. What differs:
 *
 * - All functions but max() throw libhbs::error if the group breaks. A thread that waits is then
 *   no longer in the barrier, which cannot be used again.
 * - A thread may have to wait, for as long as another one needs to wake up, until the seat that
 *   this one had in the last phase is free.
 * - On a card, the completion function may be called by a thread that waits, rather than by the
 *   last one that arrives. If all arrive and nobody waits, the next arrival calls it.
 */
template <class CompletionFunction = detail::no_completion> class barrier
{
	static_assert(std::is_nothrow_invocable_v<CompletionFunction &>,
		      "a completion function has no arguments and throws nothing");

      public:
	class arrival_token
	{
	      public:
		arrival_token(arrival_token &&other) noexcept
		    : seat(std::exchange(other.seat, nullptr)), turn(other.turn)
		{
		}

		arrival_token &operator=(arrival_token &&other) noexcept
		{
			seat = std::exchange(other.seat, nullptr);
			turn = other.turn;
			return *this;
		}

		~arrival_token() = default;

	      private:
		friend class barrier;

		arrival_token(detail::seat *seat, std::uint64_t turn) noexcept
		    : seat(seat), turn(turn)
		{
		}

		detail::seat *seat;
		std::uint64_t turn;
	};

	/* The most members of a group in software; a card may have fewer ports */
	static constexpr std::ptrdiff_t max() noexcept
	{
		return 65535;
	}

	explicit barrier(std::ptrdiff_t expected,
			 CompletionFunction completion = CompletionFunction())
	    : barrier(context(), expected, std::move(completion))
	{
	}

	barrier(const context &context, std::ptrdiff_t expected,
		CompletionFunction completion = CompletionFunction())
	    : barrier(context, expected, std::move(completion), hbs_group_attr{})
	{
	}

	/* With other attributes of its group, a time-out for instance */
	barrier(const context &context, std::ptrdiff_t expected, CompletionFunction completion,
		hbs_group_attr attr)
	    : function(std::move(completion)),
	      count(expected < 0 ? 0 : static_cast<std::size_t>(expected))
	{
		if (expected < 0 || expected > max())
			throw error(-EINVAL, "libhbs::barrier");
		if (!count)
			return;
		attr.members = static_cast<std::uint32_t>(expected);
		if constexpr (has_function) {
			attr.completion = &barrier::call;
			attr.completion_arg = this;
		}
		group group(context, attr);
		seats = std::make_unique<detail::seat[]>(count);
		for (std::size_t i = 0; i < count; i++)
			seats[i].member = group.join();
	}

	barrier(const barrier &) = delete;
	barrier &operator=(const barrier &) = delete;

	[[nodiscard]] arrival_token arrive(std::ptrdiff_t update = 1)
	{
		if (update < 1)
			throw error(-EINVAL, "libhbs::barrier::arrive");
		while (--update)
			arrive_once();
		return arrive_once();
	}

	void wait(arrival_token &&token) const
	{
		arrival_token mine(std::move(token));
		detail::seat &seat = *mine.seat;
		std::uint64_t word = seat.word.load(std::memory_order_acquire);

		/* it is in use while an arrival looks whether the phase is over */
		while (detail::seat::turn_of(word) == mine.turn) {
			if (detail::seat::state_of(word) == detail::seat::arrived &&
			    seat.word.compare_exchange_weak(
				    word, detail::seat::word_of(mine.turn, detail::seat::used),
				    std::memory_order_acquire)) {
				leaving leaving{ seat, mine.turn };

				seat.member.wait();
				return;
			}
			if (detail::seat::state_of(word) == detail::seat::used)
				std::this_thread::yield();
			word = seat.word.load(std::memory_order_acquire);
		}
	}

	void arrive_and_wait()
	{
		detail::seat &seat = take_seat();
		leaving leaving{ seat, turn_of(seat) };

		seat.member.arrive_and_wait();
	}

	void arrive_and_drop()
	{
		detail::seat &seat = take_seat();
		std::uint64_t word =
			detail::seat::word_of(turn_of(seat) + 1, detail::seat::dropped);

		try {
			seat.member.arrive_and_drop();
		} catch (...) {
			seat.word.store(word, std::memory_order_release);
			throw;
		}
		seat.word.store(word, std::memory_order_release);
	}

      private:
	static constexpr bool has_function =
		!std::is_same_v<CompletionFunction, detail::no_completion>;

	/* Gives a seat back, to arrive for the next time */
	struct leaving {
		detail::seat &seat;
		std::uint64_t turn;

		~leaving()
		{
			seat.word.store(detail::seat::word_of(turn + 1, detail::seat::vacant),
					std::memory_order_release);
		}
	};

	static void call(void *self)
	{
		static_cast<barrier *>(self)->function();
	}

	static std::uint64_t turn_of(const detail::seat &seat) noexcept
	{
		return detail::seat::turn_of(seat.word.load(std::memory_order_relaxed));
	}

	/* Whether a seat is ours, and has not arrived in this phase */
	static bool take(detail::seat &seat)
	{
		std::uint64_t word = seat.word.load(std::memory_order_relaxed);
		std::uint64_t turn = detail::seat::turn_of(word);
		auto state = detail::seat::state_of(word);

		if ((state != detail::seat::vacant && state != detail::seat::arrived) ||
		    !seat.word.compare_exchange_strong(
			    word, detail::seat::word_of(turn, detail::seat::used),
			    std::memory_order_acquire))
			return false;
		if (state == detail::seat::vacant)
			return true;
		/* nobody has waited for the token */
		try {
			if (seat.member.test()) {
				seat.word.store(detail::seat::word_of(turn + 1, detail::seat::used),
						std::memory_order_release);
				return true;
			}
		} catch (...) {
			seat.word.store(word, std::memory_order_release);
			throw;
		}
		seat.word.store(word, std::memory_order_release);
		return false;
	}

	detail::seat &take_seat()
	{
		const std::size_t first = detail::thread_number();

		for (;;) {
			std::size_t gone = 0;

			for (std::size_t i = 0; i < count; i++) {
				detail::seat &seat = seats[(first + i) % count];

				if (take(seat))
					return seat;
				gone += detail::seat::state_of(
						seat.word.load(std::memory_order_relaxed)) ==
					detail::seat::dropped;
			}
			if (gone == count)
				throw error(-EINVAL, "libhbs::barrier: all have dropped");
			std::this_thread::yield();
		}
	}

	arrival_token arrive_once()
	{
		detail::seat &seat = take_seat();
		std::uint64_t turn = turn_of(seat);
		bool over = false;

		try {
			seat.member.arrive();
			if constexpr (has_function)
				over = seat.member.test();
		} catch (...) {
			seat.word.store(detail::seat::word_of(turn + 1, detail::seat::vacant),
					std::memory_order_release);
			throw;
		}
		seat.word.store(over ? detail::seat::word_of(turn + 1, detail::seat::vacant)
				     : detail::seat::word_of(turn, detail::seat::arrived),
				std::memory_order_release);
		return { &seat, turn };
	}

	CompletionFunction function;
	std::size_t count;
	std::unique_ptr<detail::seat[]> seats;
};

barrier(std::ptrdiff_t)->barrier<>;

} // namespace libhbs

#endif // HBS_HPP
