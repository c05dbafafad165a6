// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libhbs for C++17 and later: classes that own the handles of hbs_messages.h.
 *
 *	libhbs::message_space space(8);
 *	... in the thread that is member 3:
 *	libhbs::mailbox me = space.open(3);
 *	if (!me.send(5, work))
 *		... the queue is full: receive, and send it later
 *	while (std::optional<libhbs::message> message = me.recv())
 *		use(message->as<struct work>(), message->from());
 *
 * and where a refutable group counts the messages, so that all learn when there are none left:
 *
 *	me.bind(group.join());
 *	while (me.idle() == libhbs::idle_result::message)
 *		... receive, and send more
 *
 * As in hbs.hpp, a function that fails throws libhbs::error, and what each one does is in
 * hbs_messages.h, under the name of the C function that it calls. Only that there is no room, or
 * no message, is no error: it is what the function returns.
 *
 * A mailbox keeps its space, and the membership that it is bound to. Messages and slots are part of
 * their mailbox: they must not be used when it is closed, and messages go before it does.
 */
#ifndef HBS_MESSAGES_HPP
#define HBS_MESSAGES_HPP

#include "hbs.hpp"
#include "hbs_messages.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

namespace libhbs
{

/* Why mailbox::idle() has returned */
enum class idle_result {
	message = 0, /* there is one to receive */
	over = 1,    /* all are idle, no message is on its way, and the next epoch has begun */
	agreed = 2,  /* the same, and the last vote of each member was true */
};

/* Members of a message space, for mailbox::multicast() */
class receivers
{
      public:
	receivers() = default;

	receivers(std::initializer_list<std::uint32_t> members)
	{
		for (std::uint32_t member : members)
			add(member);
	}

	void add(std::uint32_t member)
	{
		if (words.size() <= member / 64)
			words.resize(member / 64 + 1);
		words[member / 64] |= bit(member);
	}

	void remove(std::uint32_t member)
	{
		if (member / 64 < words.size())
			words[member / 64] &= ~bit(member);
	}

	bool contains(std::uint32_t member) const noexcept
	{
		return member / 64 < words.size() && (words[member / 64] & bit(member));
	}

	bool empty() const noexcept
	{
		return std::all_of(words.begin(), words.end(),
				   [](std::uint64_t word) { return !word; });
	}

      private:
	friend class mailbox;

	static std::uint64_t bit(std::uint32_t member) noexcept
	{
		return std::uint64_t{ 1 } << member % 64;
	}

	std::vector<std::uint64_t> words;
};

namespace detail
{

/* What has elements one after the other: a string, a vector, a span, an array */
template <class T, class = void> struct is_contiguous : std::false_type {
};

template <class T>
struct is_contiguous<T, std::void_t<decltype(std::data(std::declval<const T &>())),
				    decltype(std::size(std::declval<const T &>()))>>
    : std::true_type {
};

struct bytes_of_message {
	const void *data;
	std::size_t size;
};

template <class T> bytes_of_message bytes_of(const T &what) noexcept
{
	if constexpr (is_contiguous<T>::value) {
		using element = std::remove_pointer_t<decltype(std::data(what))>;

		static_assert(std::is_trivially_copyable_v<element>,
			      "a message is bytes: its elements are to be trivially copyable");
		return { std::data(what), std::size(what) * sizeof(element) };
	} else {
		static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>,
			      "a message is bytes: it is to be trivially copyable, and no pointer");
		return { &what, sizeof(what) };
	}
}

/* An open mailbox. It stays at its place when the object moves, so messages can refer to it. */
class open_mailbox
{
      public:
	open_mailbox(std::shared_ptr<hbs_messages> space, std::uint32_t member)
	    : keeps(std::move(space))
	{
		struct hbs_messages_info info;

		check(hbs_messages_info(keeps.get(), &info), "hbs_messages_info");
		words = (info.members + 63) / 64;
		payload = info.payload;
		make_room();
		check(hbs_mailbox_open(keeps.get(), member, &handle), "hbs_mailbox_open");
	}

	~open_mailbox()
	{
		close();
	}

	open_mailbox(const open_mailbox &) = delete;
	open_mailbox &operator=(const open_mailbox &) = delete;

	void close() noexcept
	{
		if (handle)
			hbs_mailbox_close(std::exchange(handle, nullptr));
		bound.leave();
		keeps.reset();
	}

	/* So that release() never has to allocate */
	void make_room()
	{
		if (late.capacity() <= held)
			late.reserve(2 * held + 16);
	}

	/*
	 * Messages of one sender are freed in their order. Objects go in another one: what comes
	 * too early waits for those before it.
	 */
	void release(const hbs_message &message) noexcept
	{
		if (!handle)
			return;
		if (hbs_message_free(handle, &message)) {
			late.push_back(message);
			return;
		}
		held--;
		while (!late.empty()) {
			auto next = std::find_if(late.begin(), late.end(), [this](auto &one) {
				return !hbs_message_free(handle, &one);
			});

			if (next == late.end())
				return;
			late.erase(next);
			held--;
		}
	}

	std::shared_ptr<hbs_messages> keeps;
	libhbs::member bound;
	hbs_mailbox *handle = nullptr;
	std::size_t words;   /* of a set of receivers */
	std::size_t payload; /* of the largest message */
	std::size_t held = 0;
	std::vector<hbs_message> late;
};

} // namespace detail

/* A message that was received: hbs_message_free() when it goes */
class message
{
      public:
	message(message &&other) noexcept
	    : of(std::exchange(other.of, nullptr)), received(other.received)
	{
	}

	message &operator=(message &&other) noexcept
	{
		if (this != &other) {
			free();
			of = std::exchange(other.of, nullptr);
			received = other.received;
		}
		return *this;
	}

	~message()
	{
		free();
	}

	/* Gives its slot back; the content must not be used any more */
	void free() noexcept
	{
		if (of)
			std::exchange(of, nullptr)->release(received);
	}

	/* In the slot, where another process may still change it: as() copies */
	std::byte *data() const noexcept
	{
		return static_cast<std::byte *>(received.data);
	}

	std::size_t size() const noexcept
	{
		return received.size;
	}

#if __cplusplus >= 202002L
	std::span<std::byte> bytes() const noexcept
	{
		return { data(), size() };
	}
#endif

	/* A copy of the content; std::errc::message_size if it has another size */
	template <class T> T as() const
	{
		static_assert(std::is_trivially_copyable_v<T>,
			      "a message is bytes: it is to be trivially copyable");
		T copy;

		if (size() != sizeof(copy))
			throw error(-EMSGSIZE, "libhbs::message::as");
		std::memcpy(&copy, data(), sizeof(copy));
		return copy;
	}

	std::uint32_t from() const noexcept
	{
		return received.from;
	}

	std::uint32_t epoch() const noexcept
	{
		return received.epoch;
	}

      private:
	friend class mailbox;

	message(detail::open_mailbox *of, const hbs_message &received) noexcept
	    : of(of), received(received)
	{
	}

	detail::open_mailbox *of;
	hbs_message received;
};

/*
 * A member of a message space: hbs_mailbox_open(), hbs_mailbox_close(). It can be moved, but
 * belongs to one thread at a time. One that was closed or moved from is none: get() is nullptr,
 * and only that, close(), the destructor and assignments may be called.
 */
class mailbox
{
      public:
	mailbox() noexcept = default;

	/* hbs_mailbox_close(), and then hbs_leave() of the membership that it is bound to */
	void close() noexcept
	{
		if (own)
			own->close();
	}

	/*
	 * hbs_message_send(): a copy of so many bytes, or of an object, or of the elements of a
	 * string, a vector, a span or an array. False if there is no room.
	 */
	[[nodiscard]] bool send(std::uint32_t to, const void *data, std::size_t size)
	{
		return has(hbs_message_send(get(), to, data, size), "hbs_message_send");
	}

	template <class T> [[nodiscard]] bool send(std::uint32_t to, const T &what)
	{
		const detail::bytes_of_message bytes = detail::bytes_of(what);

		return send(to, bytes.data, bytes.size);
	}

	/* To several. False if there is no room for some, who stay in the set. */
	[[nodiscard]] bool multicast(receivers &set, const void *data, std::size_t size)
	{
		if (set.words.size() > own->words)
			throw error(-EINVAL, "hbs_message_multicast");
		set.words.resize(own->words);
		return has(hbs_message_multicast(get(), set.words.data(), data, size),
			   "hbs_message_multicast");
	}

	template <class T> [[nodiscard]] bool multicast(receivers &set, const T &what)
	{
		const detail::bytes_of_message bytes = detail::bytes_of(what);

		return multicast(set, bytes.data, bytes.size);
	}

	[[nodiscard]] bool can_send(std::uint32_t to)
	{
		return detail::check(hbs_message_can_send(get(), to), "hbs_message_can_send") > 0;
	}

	/*
	 * hbs_message_alloc(): room for the largest message, to write it in place, until post().
	 * nullptr if there is no room.
	 */
	[[nodiscard]] std::byte *alloc(std::uint32_t to)
	{
		void *payload = nullptr;

		if (!has(hbs_message_alloc(get(), to, &payload), "hbs_message_alloc"))
			return nullptr;
		return static_cast<std::byte *>(payload);
	}

#if __cplusplus >= 202002L
	/* The same as a span, which is empty if there is no room */
	[[nodiscard]] std::span<std::byte> alloc_bytes(std::uint32_t to)
	{
		std::byte *payload = alloc(to);

		return { payload, payload ? own->payload : 0 };
	}
#endif

	void post(std::uint32_t to, std::size_t size)
	{
		detail::check(hbs_message_post(get(), to, size), "hbs_message_post");
	}

	[[nodiscard]] bool can_recv()
	{
		return detail::check(hbs_message_can_recv(get()), "hbs_message_can_recv") > 0;
	}

	/* The next message, if there is one */
	[[nodiscard]] std::optional<message> recv()
	{
		hbs_message received;

		own->make_room();
		if (!has(hbs_message_recv(get(), &received), "hbs_message_recv"))
			return std::nullopt;
		own->held++;
		return message(own.get(), received);
	}

	/* The mailbox keeps the membership, and leaves when it is closed; not so if this throws */
	void bind(libhbs::member &&member)
	{
		detail::check(hbs_mailbox_bind(get(), member.get()), "hbs_mailbox_bind");
		own->bound = std::move(member);
	}

	/* The membership that it is bound to, for its votes() and result() */
	const libhbs::member &bound() const noexcept
	{
		return own->bound;
	}

	/* hbs_idle(), hbs_idle_value(): waits for a message, or until all is over */
	idle_result idle(bool vote = false, std::uint64_t value = 0)
	{
		return static_cast<idle_result>(
			detail::check(hbs_idle_value(get(), vote, value), "hbs_idle_value"));
	}

	/* The same without waiting. Nothing if neither: then the member is idle, and stays so. */
	[[nodiscard]] std::optional<idle_result> idle_try(bool vote = false)
	{
		const int ret = hbs_idle_try(get(), vote);

		if (!has(ret, "hbs_idle_try"))
			return std::nullopt;
		return static_cast<idle_result>(ret);
	}

	/* To poll, after idle_try(): call it before each poll. It is closed with the mailbox. */
	int fd()
	{
		return detail::check(hbs_mailbox_fd(get()), "hbs_mailbox_fd");
	}

	hbs_mailbox *get() const noexcept
	{
		return own ? own->handle : nullptr;
	}

      private:
	friend class message_space;

	explicit mailbox(std::unique_ptr<detail::open_mailbox> opened) noexcept
	    : own(std::move(opened))
	{
	}

	/* Whether there was room, or a message */
	static bool has(int ret, const char *what)
	{
		if (ret == -EAGAIN)
			return false;
		detail::check(ret, what);
		return true;
	}

	std::unique_ptr<detail::open_mailbox> own;
};

/* hbs_messages_create() or hbs_messages_import(), hbs_messages_close() */
class message_space
{
      public:
	explicit message_space(std::uint32_t members) : message_space(with_members(members))
	{
	}

	explicit message_space(const hbs_messages_attr &attr)
	{
		hbs_messages *made;

		detail::check(hbs_messages_create(&attr, &made), "hbs_messages_create");
		take(made);
	}

	/* The message space of a descriptor, which the caller keeps */
	static message_space import(int fd)
	{
		hbs_messages *imported;
		message_space result;

		detail::check(hbs_messages_import(fd, &imported), "hbs_messages_import");
		result.take(imported);
		return result;
	}

	/* hbs_mailbox_open() */
	[[nodiscard]] mailbox open(std::uint32_t member) const
	{
		return mailbox(std::make_unique<detail::open_mailbox>(handle, member));
	}

	struct hbs_messages_info info() const
	{
		struct hbs_messages_info about;

		detail::check(hbs_messages_info(handle.get(), &about), "hbs_messages_info");
		return about;
	}

	/* The descriptor that stands for the message space: it belongs to that */
	int fd() const
	{
		return detail::check(hbs_messages_fd(handle.get()), "hbs_messages_fd");
	}

	hbs_messages *get() const noexcept
	{
		return handle.get();
	}

      private:
	message_space() = default;

	static hbs_messages_attr with_members(std::uint32_t members)
	{
		hbs_messages_attr attr{};

		attr.members = members;
		return attr;
	}

	void take(hbs_messages *taken)
	{
		handle.reset(taken, [](hbs_messages *messages) { hbs_messages_close(messages); });
	}

	std::shared_ptr<hbs_messages> handle;
};

} // namespace libhbs

#endif // HBS_MESSAGES_HPP
