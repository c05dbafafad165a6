// SPDX-License-Identifier: GPL-2.0-or-later
/* The classes that own handles */
#include <hbs.hpp>

#include <poll.h>
#include <thread>
#include <type_traits>
#include <vector>

#include "tap.h"
#include "throws.h"

using namespace std::chrono_literals;

static_assert(!std::is_copy_constructible_v<libhbs::member>);
static_assert(std::is_nothrow_move_constructible_v<libhbs::member>);
static_assert(std::is_nothrow_move_assignable_v<libhbs::member>);

static constexpr int MEMBERS = 4;

static hbs_group_attr of(unsigned int members)
{
	hbs_group_attr attr{};

	attr.members = members;
	return attr;
}

/* in_each FUNCTION(member, index): in as many threads as the group has members */
template <class F> static void in_each(const libhbs::group &group, int members, F function)
{
	std::vector<std::thread> threads;

	for (int i = 0; i < members; i++)
		threads.emplace_back([&group, &function, i] {
			libhbs::member me = group.join(static_cast<std::uint64_t>(i));

			function(me, i);
		});
	for (std::thread &thread : threads)
		thread.join();
}

static void open()
{
	libhbs::context any, software(HBS_BACKEND_SOFTWARE);
	hbs_attr attr{};

	EXPECT(software.backend() == HBS_BACKEND_SOFTWARE);
	EXPECT(software.name() == "software");
	EXPECT(hbs_backend(any.get()) == any.backend());
	attr.backend = 17;
	EXPECT(throws(std::errc::invalid_argument, [&attr] { libhbs::context wrong(attr); }));
}

static void error_texts()
{
	libhbs::error error(-EIDRM, "a test");

	EXPECT(error.code().category() == libhbs::category());
	EXPECT(error.code().message() == hbs_strerror(-EIDRM));
	EXPECT(std::string(error.what()).find(hbs_strerror(-EIDRM)) != std::string::npos);
	EXPECT(std::string(libhbs::category().name()) == "hbs");
}

static void barriers()
{
	libhbs::context context;
	libhbs::group group(context, MEMBERS);
	std::atomic<int> wrong{ 0 };
	int counts[MEMBERS] = {};

	in_each(group, MEMBERS, [&](libhbs::member &me, int index) {
		for (int step = 1; step <= 100; step++) {
			counts[index] = step;
			me.arrive_and_wait();
			for (int count : counts)
				wrong += count != step;
			me.arrive();
			me.wait();
		}
		wrong += me.stats().epochs != 200;
	});
	EXPECT(wrong == 0);
	EXPECT(group.stats().barriers == 200);
	if (context.backend() == HBS_BACKEND_SOFTWARE)
		EXPECT(hbs_algorithm_name(group.algorithm()) != nullptr);
	else
		EXPECT(throws(std::errc::operation_not_supported, [&group] { group.algorithm(); }));
}

/* Handles live until nobody needs them */
static void any_order()
{
	libhbs::member me;

	EXPECT(me.get() == nullptr);
	{
		libhbs::context context;
		libhbs::group group(context, 1);

		me = group.join();
	}
	me.arrive_and_wait();
	libhbs::member other(std::move(me));
	EXPECT(me.get() == nullptr && other.get() != nullptr);
	other.arrive_and_wait();
	other = libhbs::member();
	EXPECT(other.get() == nullptr);
	other.leave();
}

/* A member that is assigned to leaves first: its seat is free */
static void seats()
{
	libhbs::context context;
	libhbs::group one(context, 1), two(context, 1);
	libhbs::member me = one.join(), other = two.join();

	EXPECT(throws(std::errc::no_space_on_device, [&one] { (void)one.join(); }));
	me = std::move(other);
	libhbs::member again = one.join();
	again.arrive_and_drop();
	EXPECT(again.get() == nullptr);
	again = one.join();
}

static void split()
{
	libhbs::context context;
	libhbs::group group(context, 2);
	libhbs::member one = group.join(), two = group.join();

	EXPECT(throws(std::errc::invalid_argument, [&one] { (void)one.test(); }));
	one.arrive();
	EXPECT(throws(std::errc::connection_already_in_progress, [&one] { one.arrive(); }));
	EXPECT(!one.test());
	EXPECT(!one.wait_for(1ms));
	EXPECT(!one.wait_for(-1ms));
	pollfd fds{ one.fd(), POLLIN, 0 };
	EXPECT(poll(&fds, 1, 0) == 0);
	two.arrive();
	EXPECT(poll(&fds, 1, 5000) == 1);
	EXPECT(one.test());
	EXPECT(two.wait_for(5s));
}

static void values()
{
	libhbs::context context;
	hbs_group_attr attr = of(MEMBERS);
	std::atomic<int> wrong{ 0 };

	attr.reduce = HBS_SUM;
	libhbs::group sums(context, attr);
	in_each(sums, MEMBERS, [&wrong](libhbs::member &me, int index) {
		wrong += me.allreduce(static_cast<std::uint64_t>(index)) != 6;
		me.arrive(10);
		me.wait();
		wrong += me.result() != 40;
	});
	attr.reduce = HBS_VOTE;
	libhbs::group votes(context, attr);
	in_each(votes, MEMBERS, [&wrong](libhbs::member &me, int index) {
		libhbs::member::outcome outcome = me.vote(index == 1);

		wrong += outcome.all || !outcome.any;
		outcome = me.vote(true);
		wrong += !outcome.all;
	});
	EXPECT(wrong == 0);
}

static void broken()
{
	libhbs::context context;
	hbs_group_attr attr = of(2);

	attr.timeout_ns = 10000000;
	libhbs::group group(context, attr);
	libhbs::member me = group.join(7), late = group.join(8);
	EXPECT(throws(std::errc::timed_out, [&me] { me.arrive_and_wait(); }));
	std::vector<hbs_absentee> missing = group.missing();
	EXPECT(missing.size() == 1 && missing[0].tag == 8);
	group.destroy();
	me.leave();
	late.leave();
	group.reset();
	me = group.join();
	group.destroy();
	EXPECT(throws(std::errc::identifier_removed, [&me] { me.arrive_and_wait(); }));
}

static void import()
{
	libhbs::context context(HBS_BACKEND_SOFTWARE);
	libhbs::group group(context, 2);
	libhbs::group same = libhbs::group::import(context, group.fd());
	libhbs::member one = group.join(), two = same.join();

	one.arrive();
	two.arrive_and_wait();
	one.wait();
	EXPECT(throws(std::errc::bad_file_descriptor,
		      [&context] { libhbs::group::import(context, -1); }));
}

static void idle()
{
	libhbs::context context;
	hbs_group_attr attr = of(2);

	attr.type = HBS_REFUTABLE;
	libhbs::group group(context, attr);
	libhbs::member one = group.join(), two = group.join();
	struct hbs_idle idle {
	};
	idle.vote = 1;
	one.begin_idle(idle);
	EXPECT(!one.withdraw());
	one.begin_idle(idle);
	two.begin_idle(idle);
	one.wait();
	EXPECT(two.withdraw());
	EXPECT(one.votes().all && two.votes().any);
}

int main()
{
	return run_tests({
		{ "open", open },
		{ "error texts", error_texts },
		{ "barriers", barriers },
		{ "any order", any_order },
		{ "seats", seats },
		{ "split phase", split },
		{ "values", values },
		{ "broken", broken },
		{ "import", import },
		{ "idle", idle },
	});
}
