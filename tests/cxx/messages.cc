// SPDX-License-Identifier: GPL-2.0-or-later
/* Messages, and the end of the work that they make */
#include <hbs_messages.hpp>

#include <array>
#include <poll.h>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "tap.h"
#include "throws.h"

static_assert(!std::is_copy_constructible_v<libhbs::mailbox>);
static_assert(std::is_nothrow_move_constructible_v<libhbs::mailbox>);
static_assert(std::is_nothrow_move_assignable_v<libhbs::mailbox>);
static_assert(!std::is_copy_constructible_v<libhbs::message>);
static_assert(std::is_nothrow_move_constructible_v<libhbs::message>);
static_assert(std::is_nothrow_move_assignable_v<libhbs::message>);

static constexpr std::uint32_t MEMBERS = 4;

struct work {
	int number;
	double weight;
};

static hbs_messages_attr of_depth(std::uint32_t members, std::uint32_t depth)
{
	hbs_messages_attr attr{};

	attr.members = members;
	attr.depth = depth;
	return attr;
}

static libhbs::group refutable(const libhbs::context &context, std::uint32_t members,
			       hbs_reduction reduction = HBS_NO_REDUCTION)
{
	hbs_group_attr attr{};

	attr.members = members;
	attr.type = HBS_REFUTABLE;
	attr.reduce = reduction;
	return { context, attr };
}

static std::string text_of(const libhbs::message &message)
{
	return { reinterpret_cast<const char *>(message.data()), message.size() };
}

static void spaces()
{
	libhbs::message_space space(of_depth(3, 8));

	EXPECT(space.info().members == 3 && space.info().depth == 8);
	EXPECT(hbs_messages_fd(space.get()) == space.fd());
	EXPECT(throws(std::errc::invalid_argument, [] { libhbs::message_space none(0); }));
	EXPECT(throws(std::errc::invalid_argument, [&space] { (void)space.open(3); }));
	EXPECT(throws(std::errc::bad_file_descriptor, [] { libhbs::message_space::import(-1); }));
	libhbs::message_space same = libhbs::message_space::import(space.fd());
	libhbs::mailbox one = space.open(1), two = same.open(2);
	EXPECT(throws(std::errc::device_or_resource_busy, [&same] { (void)same.open(1); }));
	EXPECT(one.send(2, 5));
	EXPECT(two.recv()->as<int>() == 5);
}

/* What can be sent, and as what it arrives */
static void content()
{
	libhbs::message_space space(2);
	libhbs::mailbox me = space.open(0);
	const std::vector<int> numbers{ 1, 2, 3 };
	const std::string text = "text";

	EXPECT(!me.can_recv() && !me.recv());
	EXPECT(me.send(0, work{ 7, 0.5 }) && me.can_recv());
	std::optional<libhbs::message> message = me.recv();
	EXPECT(message && message->from() == 0 && message->epoch() == 0);
	EXPECT(message->as<work>().number == 7 && message->as<work>().weight == 0.5);
	EXPECT(throws(std::errc::message_size, [&message] { (void)message->as<char>(); }));
	EXPECT(me.send(0, numbers));
	message = me.recv();
	EXPECT((message->as<std::array<int, 3>>() == std::array<int, 3>{ 1, 2, 3 }));
	EXPECT(me.send(0, text) && me.send(0, text.data(), 3) && me.send(0, nullptr, 0));
	EXPECT(text_of(*me.recv()) == "text");
	EXPECT(text_of(*me.recv()) == "tex");
	EXPECT(me.recv()->size() == 0);
#if __cplusplus >= 202002L
	EXPECT(me.send(0, std::span(numbers).subspan(1)));
	message = me.recv();
	EXPECT(message->bytes().size() == 2 * sizeof(int));
	EXPECT(message->bytes().data() == message->data());
#endif
	EXPECT(throws(std::errc::message_size,
		      [&me] { (void)me.send(0, std::array<char, 57>()); }));
	EXPECT(throws(std::errc::invalid_argument, [&me] { (void)me.send(2, 1); }));
	EXPECT(throws(std::errc::invalid_argument, [&me] { (void)me.can_send(2); }));
}

static void in_place()
{
	libhbs::message_space space(of_depth(2, 1));
	libhbs::mailbox me = space.open(0);

	EXPECT(throws(std::errc::invalid_argument, [&me] { me.post(1, 4); }));
	std::byte *slot = me.alloc(0);
	EXPECT(slot && me.alloc(0) == slot);
#if __cplusplus >= 202002L
	EXPECT(me.alloc_bytes(0).data() == slot);
	EXPECT(me.alloc_bytes(0).size() == space.info().payload);
#endif
	slot[0] = std::byte{ 9 };
	me.post(0, 1);
	EXPECT(!me.alloc(0) && !me.can_send(0) && !me.send(0, 1));
#if __cplusplus >= 202002L
	EXPECT(me.alloc_bytes(0).empty());
#endif
	EXPECT(me.recv()->as<std::byte>() == std::byte{ 9 });
	EXPECT(me.can_send(0));
}

/* A message that goes is freed, also one that is overwritten or was moved */
static void freed()
{
	libhbs::message_space space(of_depth(2, 2));
	libhbs::mailbox me = space.open(0);

	for (int i = 0; i < 10; i++) {
		EXPECT(me.send(0, i));
		EXPECT(me.recv()->as<int>() == i);
	}
	EXPECT(me.send(0, 10) && me.send(0, 11));
	std::optional<libhbs::message> message = me.recv();
	libhbs::message moved(std::move(*message));
	EXPECT(!me.can_send(0));
	message.reset();
	EXPECT(!me.can_send(0));
	moved = std::move(*me.recv());
	EXPECT(moved.as<int>() == 11 && me.can_send(0));
	moved.free();
	moved.free();
	EXPECT(me.send(0, 12) && me.send(0, 13) && !me.can_send(0));
}

/* They may go in any order: the room is there when all before have gone */
static void freed_in_any_order()
{
	constexpr int DEPTH = 64;
	libhbs::message_space space(of_depth(2, DEPTH));
	libhbs::mailbox me = space.open(0), other = space.open(1);
	std::vector<libhbs::message> messages;

	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < DEPTH; i++)
			EXPECT(me.send(0, i) && other.send(0, i));
		while (std::optional<libhbs::message> message = me.recv())
			messages.push_back(std::move(*message));
		EXPECT(messages.size() == 2 * DEPTH);
		while (messages.size() > 2) {
			/* from the end and the middle, and the first of each sender at last */
			messages.erase(messages.begin() + 1 +
				       static_cast<std::ptrdiff_t>(messages.size() / 2 - 1));
			if (messages.size() > 2)
				messages.pop_back();
		}
		messages.clear();
		EXPECT(me.can_send(0) && other.can_send(0));
		EXPECT(!me.can_recv());
	}
}

/* Those that the space has, and no others */
static void several()
{
	libhbs::message_space space(of_depth(70, 1));
	libhbs::mailbox me = space.open(69);
	libhbs::receivers set{ 3, 69 }, low{ 1 }, wrong{ 70 }, far{ 1000 };

	EXPECT(set.contains(3) && !set.contains(4) && !set.contains(1000) && !set.empty());
	EXPECT(me.multicast(set, 17) && set.empty());
	EXPECT(me.multicast(low, 17) && low.empty() && !low.contains(69));
	set.add(69);
	set.add(4);
	set.add(5);
	set.remove(5);
	set.remove(1000);
	EXPECT(!me.multicast(set, 18) && set.contains(69) && !set.contains(4));
	EXPECT(me.recv()->as<int>() == 17);
	EXPECT(me.multicast(set, 18) && set.empty());
	EXPECT(me.recv()->as<int>() == 18);
	EXPECT(space.open(4).recv()->as<int>() == 18);
	EXPECT(!space.open(5).recv());
	EXPECT(throws(std::errc::invalid_argument, [&] { (void)me.multicast(wrong, 1); }));
	EXPECT(throws(std::errc::invalid_argument, [&] { (void)me.multicast(far, 1); }));
}

/* Handles live until nobody needs them, and mailboxes move with what was received */
static void any_order()
{
	libhbs::mailbox me;

	EXPECT(me.get() == nullptr);
	{
		libhbs::message_space space(2);

		me = space.open(1);
	}
	EXPECT(me.send(1, 3));
	std::optional<libhbs::message> message = me.recv();
	libhbs::mailbox other(std::move(me));
	EXPECT(me.get() == nullptr && other.get() != nullptr);
	EXPECT(message->as<int>() == 3);
	message.reset();
	EXPECT(!other.recv() && other.send(1, 4));
	message = other.recv();
	other.close();
	message.reset();
	EXPECT(other.get() == nullptr);
	EXPECT(throws(std::errc::invalid_argument, [&other] { (void)other.recv(); }));
	other.close();
}

/* The mailbox leaves the group when it is closed, and not before */
static void bound()
{
	libhbs::context context;
	libhbs::group group = refutable(context, 2), barrier(context, 1);
	libhbs::message_space space(2);
	libhbs::mailbox me = space.open(0);
	libhbs::member member = barrier.join();

	EXPECT(throws(std::errc::invalid_argument, [&me] { me.idle(); }));
	EXPECT(throws(std::errc::operation_not_supported, [&] { me.bind(std::move(member)); }));
	EXPECT(member.get() != nullptr);
	member = group.join();
	me.bind(std::move(member));
	EXPECT(member.get() == nullptr && me.bound().get() != nullptr);
	member = group.join();
	EXPECT(throws(std::errc::device_or_resource_busy, [&] { me.bind(std::move(member)); }));
	EXPECT(throws(std::errc::no_space_on_device, [&group] { (void)group.join(); }));
	me.close();
	(void)group.join();
}

/* Each message makes its receiver send the next lower number; all see the end at once */
static void idle()
{
	libhbs::context context;
	libhbs::group group = refutable(context, MEMBERS, HBS_SUM);
	libhbs::message_space space(MEMBERS);
	std::vector<std::thread> threads;
	std::atomic<int> received{ 0 }, wrong{ 0 };

	for (std::uint32_t i = 0; i < MEMBERS; i++)
		threads.emplace_back([&, i] {
			libhbs::mailbox me = space.open(i);
			std::uint64_t sum = 0;
			libhbs::idle_result result;

			me.bind(group.join());
			for (int epoch = 1; epoch <= 3; epoch++, sum = 0) {
				if (i == 0)
					wrong += !me.send(1, 200);
				while ((result = me.idle(epoch > 1, sum)) ==
				       libhbs::idle_result::message)
					while (std::optional<libhbs::message> got = me.recv()) {
						int number = got->as<int>();

						sum++;
						received++;
						if (number > 1)
							wrong += !me.send(
								static_cast<std::uint32_t>(number) %
									MEMBERS,
								number - 1);
					}
				wrong += result != (epoch > 1 ? libhbs::idle_result::agreed
							      : libhbs::idle_result::over);
				wrong += me.bound().result() != 200;
				wrong += me.bound().votes().any != (epoch > 1);
				wrong += received < 200 * epoch;
			}
		});
	for (std::thread &thread : threads)
		thread.join();
	EXPECT(wrong == 0);
	EXPECT(received == 600);
}

/* A member that waits for other things too */
static void idle_without_waiting()
{
	libhbs::context context;
	libhbs::group group = refutable(context, 2);
	libhbs::message_space space(2);
	libhbs::mailbox me = space.open(0), other = space.open(1);

	me.bind(group.join());
	other.bind(group.join());
	EXPECT(throws(std::errc::invalid_argument, [&me] { me.fd(); }));
	EXPECT(!me.idle_try(true));
	pollfd fds{ me.fd(), POLLIN, 0 };
	EXPECT(poll(&fds, 1, 0) == 0);
	EXPECT(other.send(0, 1));
	EXPECT(poll(&fds, 1, 5000) == 1);
	EXPECT(me.idle_try(true) == libhbs::idle_result::message);
	std::optional<libhbs::message> message = me.recv();
	EXPECT(throws(std::errc::device_or_resource_busy, [&me] { (void)me.idle_try(true); }));
	message.reset();
	EXPECT(!me.idle_try(true));
	fds.fd = me.fd();
	EXPECT(poll(&fds, 1, 0) == 0);
	EXPECT(other.idle(true) == libhbs::idle_result::agreed);
	EXPECT(poll(&fds, 1, 5000) == 1);
	EXPECT(me.idle_try(true) == libhbs::idle_result::agreed);
}

static void broken()
{
	libhbs::context context;
	libhbs::group group = refutable(context, 2);
	libhbs::message_space space(2);
	libhbs::mailbox me = space.open(0);

	me.bind(group.join());
	group.destroy();
	EXPECT(throws(std::errc::identifier_removed, [&me] { me.idle(); }));
}

int main()
{
	return run_tests({
		{ "spaces", spaces },
		{ "content", content },
		{ "in place", in_place },
		{ "freed", freed },
		{ "freed in any order", freed_in_any_order },
		{ "several", several },
		{ "any order", any_order },
		{ "bound", bound },
		{ "idle", idle },
		{ "idle without waiting", idle_without_waiting },
		{ "broken", broken },
	});
}
