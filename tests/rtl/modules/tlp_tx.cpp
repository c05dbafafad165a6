// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_tlp_tx between models of the card, of the MSI-X table, of those who make reads and completions,
// and of the link: nothing is lost or made, packets leave in the order in which they are taken, and a
// completion after those that were taken before its answer.
#include <deque>

#include "module.h"
#include "tlp.h"

using namespace module;
using namespace rtl;

constexpr unsigned BOUND = 200; /* cycles that what can go has to wait at most */

/* A packet that must leave */
struct Due {
	unsigned kind; /* but for the length of its address */
	uint64_t addr;
	unsigned tag;
	std::vector<uint32_t> data;
	uint64_t number; /* of those that were taken */
};

struct Completion {
	uint64_t after; /* so many packets were taken before its answer */
	std::vector<uint32_t> words;
};

class Bench
{
      public:
	Bench()
	{
		top.card_valid_i = top.late_valid_i = top.link_valid_i = top.cpl_valid_i = 0;
		top.send_i = top.tx_ready_i = top.ans_ready_i = 0;
		reset(top);
	}
	void cycle()
	{
		choose();
		top.eval();
		top.send_i = top.raise_o && sends; /* the table says so in the same cycle */
		top.eval();
		check_idle();
		take();
		watch();
		tick(top);
		forget();
	}
	void totals()
	{
		met("writes", writes);
		met("writes of 16 bytes", wides);
		met("writes that were refused", refused);
		met("messages", messages);
		met("messages that wait in the table", unsent);
		met("messages that were pending", delayed);
		met("reads", reads);
		met("answers", answers);
		met("completions", completions);
		met("completions that went before packets that had been taken later", passes);
		met("addresses below 4 GiB", lows);
		met("cycles in which the card does nothing", idles);
	}

      private:
	uint64_t address()
	{
		return (dice.percent(30) ? dice.word() & 0xffffffff : dice.word()) & ~3ull;
	}
	void choose()
	{
		if (!dice.below(500)) {
			static const unsigned SHARES[] = { 0, 20, 50, 90, 100 };

			tx_share = SHARES[1 + dice.below(4)];
			card_share = SHARES[dice.below(5)];
			link_share = SHARES[dice.below(5)];
			late_share = dice.below(3) ? 0 : 10;
		}
		if (!dice.below(300))
			top.bus_master_i = !dice.percent(20);
		top.id_i = 0x1234;
		top.np_ok_i = dice.percent(80);
		top.tx_ready_i = dice.percent(tx_share);
		sends = top.bus_master_i && dice.percent(80);
		if (!top.card_valid_i && dice.percent(card_share))
			offer_card();
		if (!top.link_valid_i && dice.percent(link_share)) {
			top.link_valid_i = 1;
			top.link_addr_i = address() >> 2;
			top.link_tag_i = dice.below(256);
		}
		/* pending messages are only offered while they may be sent */
		if (top.late_valid_i && !top.bus_master_i)
			top.late_valid_i = 0;
		else if (!top.late_valid_i && top.bus_master_i && dice.percent(late_share))
			top.late_valid_i = 1;
		top.late_addr_i = address() >> 2;
		top.late_data_i = dice.word();
		top.send_addr_i = address() >> 2;
		top.send_data_i = dice.word();
		choose_completion();
	}
	void offer_card()
	{
		top.card_valid_i = 1;
		top.card_kind_i = dice.below(4);
		top.card_addr_i = address() >> 2;
		for (unsigned i = 0; i < 4; i++)
			top.card_data_i[i] = dice.word();
		top.card_tag_i = dice.below(READS);
	}
	/* As hbs_tlp_reads: an answer, then perhaps a completion, then the next answer */
	void choose_completion()
	{
		if (pause)
			pause--;
		top.cpl_valid_i = 0;
		if (!pause && !packets.empty()) {
			const std::vector<uint32_t> &words = packets.front().words;

			top.cpl_valid_i = 1;
			top.cpl_sop_i = !sent_words;
			top.cpl_eop_i = sent_words + 2 >= words.size();
			top.cpl_keep_i = sent_words + 1 < words.size() ? 3 : 1;
			top.cpl_data_i = words[sent_words];
			if (sent_words + 1 < words.size())
				top.cpl_data_i |= (uint64_t)words[sent_words + 1] << 32;
		}
		top.ans_ready_i = packets.empty() && !pause && dice.percent(70);
	}

	void check_idle()
	{
		const bool idle = due.empty() && !top.cpl_valid_i && !top.card_valid_i &&
				  !top.link_valid_i;

		if (top.idle_o != idle)
			wrong("idle is %u", top.idle_o);
		idles += idle;
	}
	/* What is taken in this cycle */
	void take()
	{
		const bool is_write = top.card_kind_i == TxWrite || top.card_kind_i == TxWide;
		const unsigned taken = (top.card_valid_i && top.card_ready_o) +
				       (top.late_valid_i && top.late_ready_o) +
				       (top.link_valid_i && top.link_ready_o);

		if (taken > 1)
			wrong("two are taken at once");
		if (top.card_valid_i && is_write && top.card_refused_o != !top.bus_master_i)
			wrong("refused is %u", top.card_refused_o);
		if (top.raise_o &&
		    !(top.card_valid_i && top.card_ready_o && top.card_kind_i == TxMessage))
			wrong("a message is raised that is not taken");
		if (top.ans_valid_o && !(top.card_valid_i && top.card_kind_i == TxAnswer))
			wrong("an answer from nowhere");
		if (top.late_valid_i && top.late_ready_o) {
			push(tlp::MEMORY_WRITE, (uint64_t)top.late_addr_i << 2, 0,
			     { top.late_data_i });
			delayed++;
			late_taken = true;
		}
		if (top.link_valid_i && top.link_ready_o) {
			if (!top.np_ok_i)
				wrong("a read for which the link has no room");
			push(tlp::MEMORY_READ, (uint64_t)top.link_addr_i << 2, top.link_tag_i, {});
			reads++;
			link_taken = true;
		}
		if (top.card_valid_i && top.card_ready_o)
			take_card();
		check_waits();
	}
	void push(unsigned kind, uint64_t addr, unsigned tag, std::vector<uint32_t> data)
	{
		due.push_back({ kind, addr, tag, data, taken_count++ });
		lows += !(addr >> 32);
	}
	void take_card()
	{
		const uint64_t addr = (uint64_t)top.card_addr_i << 2;

		card_taken = true;
		switch (top.card_kind_i) {
		case TxWrite:
		case TxWide: {
			const unsigned words = top.card_kind_i == TxWide ? 4 : 2;
			std::vector<uint32_t> data;

			for (unsigned i = 0; i < words; i++)
				data.push_back(top.card_data_i[i]);
			if (top.bus_master_i) {
				push(tlp::MEMORY_WRITE, addr, 0, data);
				writes++;
				wides += words == 4;
			} else {
				refused++;
			}
			break;
		}
		case TxMessage:
			if (!top.raise_o || top.vector_o != (top.card_data_i[0] & 1))
				wrong("the message's vector");
			if (top.send_i) {
				push(tlp::MEMORY_WRITE, (uint64_t)top.send_addr_i << 2, 0,
				     { top.send_data_i });
				messages++;
			} else {
				unsent++;
			}
			break;
		default:
			take_answer();
		}
	}
	void take_answer()
	{
		if (!top.ans_valid_o || !top.ans_ready_i || top.ans_tag_o != top.card_tag_i ||
		    (uint32_t)top.ans_data_o != top.card_data_i[0] ||
		    top.ans_data_o >> 32 != top.card_data_i[1])
			wrong("an answer");
		answers++;
		pause = 2 + dice.below(3);
		if (dice.percent(60)) {
			/* what is in it does not matter here, but that it is a completion */
			const unsigned length = dice.below(5);
			std::vector<uint32_t> words = tlp::completion(dice.below(65536), top.ans_tag_o, 0,
								      4, 0, {})
							      .dw;

			words[0] |= (uint32_t)(length ? 0x40000000 : 0) | length;
			for (unsigned i = 0; i < length; i++)
				words.push_back(dice.word());
			packets.push_back({ taken_count, words });
		}
	}
	/* What can go must go soon, where no pending message comes first. */
	void check_waits()
	{
		const bool answer_waits = top.card_kind_i == TxAnswer && !top.ans_ready_i;

		if (late_share || top.late_valid_i)
			card_waits = link_waits = 0;
		card_waits = top.card_valid_i && !card_taken && !answer_waits ? card_waits + 1 : 0;
		link_waits = top.link_valid_i && !link_taken ? link_waits + 1 : 0;
		if (card_waits > BOUND)
			wrong("the card waits for too long");
		if (link_waits > BOUND)
			wrong("a read waits for too long");
	}

	/* What leaves in this cycle */
	void watch()
	{
		const bool is_cpl_beat = top.cpl_valid_i && top.cpl_ready_o;

		if (offered && (!top.tx_valid_o || top.tx_data_o != last_data ||
				top.tx_sop_o != last_sop || top.tx_eop_o != last_eop ||
				top.tx_keep_o != last_keep))
			wrong("what is offered changes");
		offered = top.tx_valid_o && !top.tx_ready_i;
		last_data = top.tx_data_o;
		last_sop = top.tx_sop_o;
		last_eop = top.tx_eop_o;
		last_keep = top.tx_keep_o;
		if (!top.tx_valid_o || !top.tx_ready_i) {
			if (is_cpl_beat)
				wrong("a completion is taken that does not leave");
			return;
		}
		if (top.tx_sop_o != packet.empty())
			wrong("where a packet begins");
		packet.push_back(top.tx_data_o);
		if (top.tx_keep_o & 2)
			packet.push_back(top.tx_data_o >> 32);
		else if (!top.tx_eop_o)
			wrong("a gap in a packet");
		if (is_cpl_beat)
			sent_words += 2;
		if (top.tx_eop_o)
			finish();
	}
	void finish()
	{
		if ((packet[0] >> 24 & 0x1e) == 0x0a)
			finish_completion();
		else
			finish_own();
		packet.clear();
	}
	void finish_completion()
	{
		if (packets.empty() || packets.front().words != packet) {
			wrong("a completion that was not given");
			return;
		}
		if (!due.empty() && due.front().number < packets.front().after)
			wrong("a completion leaves before what was taken before its answer");
		passes += !due.empty();
		packets.pop_front();
		sent_words = 0;
		pause = 2;
		completions++;
	}
	void finish_own()
	{
		tlp::Sent sent;

		if (!tlp::parse(packet, sent) || due.empty()) {
			wrong("it is no packet, or none that was taken");
			return;
		}
		const Due &d = due.front();
		const bool is_read = d.kind == tlp::MEMORY_READ;
		const unsigned length = is_read ? 2 : d.data.size();

		if ((sent.kind & ~tlp::LONG) != d.kind || sent.addr != d.addr ||
		    sent.data != d.data || sent.length != length || sent.id != 0x1234 ||
		    sent.tc || sent.attr)
			wrong("another packet than the one that was taken first");
		if (is_read && sent.tag != d.tag)
			wrong("the tag of a read");
		if (sent.first_be != 15 || sent.last_be != (length == 1 ? 0 : 15))
			wrong("byte enables");
		due.pop_front();
	}
	/* What has been taken is not offered again. */
	void forget()
	{
		if (card_taken)
			top.card_valid_i = 0;
		if (link_taken)
			top.link_valid_i = 0;
		if (late_taken)
			top.late_valid_i = 0;
		card_taken = link_taken = late_taken = false;
	}

	Random dice;
	Vtop top;
	std::deque<Due> due;
	std::deque<Completion> packets;
	std::vector<uint32_t> packet;
	uint64_t taken_count = 0, last_data = 0;
	unsigned tx_share = 90, card_share = 50, link_share = 50, late_share = 0;
	unsigned sent_words = 0, pause = 0, card_waits = 0, link_waits = 0, last_keep = 0;
	bool sends = false, offered = false, last_sop = false, last_eop = false;
	bool card_taken = false, link_taken = false, late_taken = false;
	uint64_t writes = 0, wides = 0, refused = 0, messages = 0, unsent = 0, delayed = 0, reads = 0;
	uint64_t answers = 0, completions = 0, passes = 0, lows = 0, idles = 0;
};

int main(int argc, char **argv)
{
	const uint64_t cycles = cycles_of(argc, argv);
	Bench bench;

	for (uint64_t i = 0; i < cycles; i++)
		bench.cycle();
	bench.totals();
	result("what leaves the card leaves as packets, in its order");
	return failures != 0;
}
