// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Messages in C++: how many ways are there to place eight queens? A message is a board with some
 * of them; who gets it sends each board with one more to somebody. The work is over when nobody
 * has a board and none is on its way.
 */
#include <hbs_messages.hpp>

#include <cstdlib>
#include <iostream>
#include <thread>
#include <vector>

namespace
{

constexpr int QUEENS = 8;
constexpr std::uint32_t THREADS = 4;

struct board {
	int rows;
	int column[QUEENS];
};

bool is_free(const board &board, int column)
{
	for (int row = 0; row < board.rows; row++) {
		int distance = std::abs(board.column[row] - column);

		if (distance == 0 || distance == board.rows - row)
			return false;
	}
	return true;
}

class worker
{
      public:
	worker(const libhbs::message_space &space, const libhbs::group &group, std::uint32_t rank)
	    : mailbox(space.open(rank)), next(rank)
	{
		mailbox.bind(group.join()); /* so the group counts the messages */
	}

	/* Returns what all threads have found together */
	std::uint64_t work()
	{
		while (mailbox.idle(false, found) == libhbs::idle_result::message)
			while (std::optional<libhbs::message> message = mailbox.recv())
				place(message->as<board>());
		return mailbox.bound().result();
	}

	void place(board board)
	{
		const int row = board.rows;

		if (row == QUEENS) {
			found++;
			return;
		}
		for (int column = 0; column < QUEENS; column++) {
			if (!is_free(board, column))
				continue;
			board.column[row] = column;
			board.rows = row + 1;
			/* no room: do it here rather than wait */
			if (!mailbox.send(next++ % THREADS, board))
				place(board);
			board.rows = row;
		}
	}

      private:
	libhbs::mailbox mailbox;
	std::uint32_t next;
	std::uint64_t found = 0;
};

} // namespace

int main()
{
	hbs_group_attr attr{};
	std::vector<std::thread> threads;
	std::uint64_t ways = 0;

	attr.members = THREADS;
	attr.type = HBS_REFUTABLE;
	attr.reduce = HBS_SUM;
	libhbs::context context;
	libhbs::group group(context, attr);
	libhbs::message_space space(THREADS);

	for (std::uint32_t rank = 0; rank < THREADS; rank++)
		threads.emplace_back([&, rank] {
			worker worker(space, group, rank);

			if (rank == 0)
				worker.place(board{});
			std::uint64_t sum = worker.work();
			if (rank == 0)
				ways = sum;
		});
	for (std::thread &thread : threads)
		thread.join();
	std::cout << ways << " ways to place " << QUEENS << " queens\n";
	return 0;
}
