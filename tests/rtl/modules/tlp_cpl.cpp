// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_tlp_cpl against the packet that PCI Express has for a completion.
#include "module.h"
#include "tlp.h"

using namespace module;
using namespace rtl;

class Bench
{
      public:
	Bench()
	{
		top.cpl_valid_i = top.tx_ready_i = 0;
		reset(top);
	}
	void once()
	{
		choose();
		gap();
		send();
		check();
	}
	void totals()
	{
		met("completions with data", with_data);
		met("completions without data", without);
		met("completions that begin in the upper half of a word", upper);
		met("completions of 32 double words", longest);
		met("beats that had to wait", waits);
	}

      private:
	void choose()
	{
		const unsigned first = dice.below(32);

		length = dice.percent(10) ? 0 : 1 + dice.below(32 - first);
		if (dice.percent(10))
			length = 32;
		lower = (length == 32 ? 0 : first) * 4 + dice.below(4);
		unsupported = !length;
		bytes = dice.below(4096);
		requester = dice.word() & 0xffff;
		tag = dice.below(256);
		tc = dice.below(8);
		attr = dice.below(4);
		locked = dice.percent(20);
		id = dice.word() & 0xffff;
		for (uint64_t &word : words)
			word = dice.word();
	}
	void gap()
	{
		for (unsigned i = dice.below(3); i--;) {
			top.cpl_valid_i = 0;
			top.tx_ready_i = dice.below(2);
			top.eval();
			if (top.tx_valid_o)
				wrong("a packet without a completion");
			tick(top);
		}
	}
	/* The packet, beat by beat; the memory gives a word a cycle after its address. */
	void send()
	{
		const unsigned share = dice.below(2) ? 100 : 50;
		bool first = true;

		packet.clear();
		top.id_i = id;
		top.cpl_valid_i = 1;
		set(top.cpl_who_i, who::requester, requester);
		set(top.cpl_who_i, who::tag, tag);
		set(top.cpl_who_i, who::tc, tc);
		set(top.cpl_who_i, who::attr, attr);
		set(top.cpl_who_i, who::locked, locked);
		set(top.cpl_head_i, completion::unsupported, unsupported);
		set(top.cpl_head_i, completion::bytes, bytes);
		set(top.cpl_head_i, completion::lower, lower);
		set(top.cpl_head_i, completion::length, length);
		for (unsigned cycle = 0; cycle < 1000; cycle++) {
			top.tx_ready_i = dice.percent(share);
			top.eval();
			const bool ends = top.tx_eop_o && top.tx_ready_i;
			const unsigned addr = top.word_addr_o;

			if (!top.tx_valid_o)
				wrong("the packet has a gap");
			if (top.tx_sop_o != first)
				wrong("where the packet begins");
			if (top.cpl_ready_o != ends)
				wrong("when the completion is taken");
			if (top.tx_ready_i)
				take(&first);
			else
				waits++;
			tick(top);
			top.word_i = words[addr];
			if (ends)
				return;
		}
		wrong("the packet does not end");
	}
	void take(bool *first)
	{
		if (!(top.tx_keep_o & 1) || (top.tx_keep_o != 3 && !top.tx_eop_o))
			wrong("a beat without a double word");
		packet.push_back(top.tx_data_o);
		if (top.tx_keep_o & 2)
			packet.push_back(top.tx_data_o >> 32);
		*first = false;
	}
	void check()
	{
		tlp::Sent sent;

		if (!tlp::parse(packet, sent)) {
			wrong("it is no packet");
			return;
		}
		const unsigned kind = (length ? tlp::COMPLETION_DATA : tlp::COMPLETION) | locked;

		if (sent.kind != kind || sent.tc != tc || sent.attr != attr || sent.id != id ||
		    sent.length != length)
			wrong("the header's first half");
		if (sent.status != unsupported || sent.bytes != (bytes ? bytes : 4096) ||
		    sent.requester != requester || sent.tag != tag || sent.lower != lower)
			wrong("the header's second half");
		for (unsigned i = 0; i < length; i++) {
			const unsigned at = lower / 4 + i;

			if (sent.data.size() <= i ||
			    sent.data[i] != (uint32_t)(words[at / 2] >> at % 2 * 32))
				wrong("double word %u of %u", i, length);
		}
		with_data += length != 0;
		without += !length;
		upper += length && lower / 4 % 2;
		longest += length == 32;
	}

	Random dice;
	Vtop top;
	uint64_t words[16];
	std::vector<uint32_t> packet;
	unsigned length, lower, unsupported, bytes, requester, tag, tc, attr, locked, id;
	uint64_t with_data = 0, without = 0, upper = 0, longest = 0, waits = 0;
};

int main(int argc, char **argv)
{
	const uint64_t cycles = cycles_of(argc, argv);
	Bench bench;

	for (uint64_t i = 0; i < cycles / 10; i++)
		bench.once();
	bench.totals();
	result("completions are packets of PCI Express");
	return failures != 0;
}
