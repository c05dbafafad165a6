// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_tlp_rx against the rules of PCI Express for packets: what a packet of any kind, good or bad, is
// for the card, in the order of the packets.
#include <deque>

#include "module.h"
#include "tlp.h"

using namespace module;
using namespace rtl;

/* What a packet is for the card */
struct Item {
	bool is_answer;
	/* of a write or a request */
	bool write;
	unsigned space, enables;
	uint64_t addr, data;
	tlp::Header head;
	bool locked;
	/* of an answer */
	unsigned tag;
	bool error;
};

struct Reports {
	uint64_t poisoned, unsupported, malformed;
};

/* What the model expects of a packet, whose beats may be cut or lack their beginning */
class Model
{
      public:
	std::deque<Item> items;
	Reports reports = {};

	/* A packet of these double words, so many of which come */
	void packet(const tlp::Packet &p, const tlp::Header &h)
	{
		const unsigned kind = h.kind & ~tlp::LONG, size = p.dw.size();
		const unsigned header = h.kind & tlp::LONG ? 4 : 3;

		if (size < header || h.kind & tlp::PREFIX)
			reports.malformed++;
		else if (kind == tlp::MEMORY_WRITE)
			write(p, h, header);
		else if (kind == tlp::MEMORY_READ || kind == tlp::LOCKED_READ || is_other(h.kind))
			request(h, kind);
		else if ((h.kind & 0xbe) == tlp::COMPLETION)
			completion(p, h);
		else if ((h.kind & 0xb8) != (tlp::MESSAGE & 0xb8))
			reports.malformed++;
	}

      private:
	static unsigned space(unsigned bar)
	{
		return bar == 0 ? SpaceRegs : bar == 2 ? SpaceLanes : bar == 4 ? SpaceMsix : SpaceNone;
	}
	/* Requests of other kinds that are to be completed; atomic ones have short or long addresses */
	static bool is_other(unsigned kind)
	{
		switch (kind) {
		case tlp::IO_READ:
		case tlp::IO_WRITE:
		case tlp::CONFIG_READ0:
		case tlp::CONFIG_WRITE0:
		case tlp::CONFIG_READ1:
		case tlp::CONFIG_WRITE1:
			return true;
		}
		switch (kind & ~tlp::LONG) {
		case tlp::FETCH_ADD:
		case tlp::SWAP:
		case tlp::CAS:
		case tlp::DEFERRABLE_WRITE & ~tlp::LONG:
			return true;
		}
		return false;
	}
	void write(const tlp::Packet &p, const tlp::Header &h, unsigned header)
	{
		const unsigned there = std::min<unsigned>(h.length, p.dw.size() - header);
		Item item = {};

		if (space(h.bar) == SpaceNone) {
			reports.unsupported++;
			return;
		}
		if (h.poisoned) {
			reports.poisoned++;
			return;
		}
		item.write = true;
		item.space = space(h.bar);
		for (unsigned i = 0; i < there; i++) {
			const uint64_t addr = h.addr + 4 * i;
			const unsigned upper = addr >> 2 & 1;
			const unsigned be = tlp::enables(i, h.length, h.first_be, h.last_be);

			item.addr = addr & ~7ull;
			item.enables |= be << 4 * upper;
			item.data |= (uint64_t)p.dw[header + i] << 32 * upper;
			/* the word ends with its upper half, or with the packet's announced length */
			if (upper || i + 1 == h.length) {
				if (item.enables)
					items.push_back(item);
				item.enables = 0;
				item.data = 0;
			}
		}
		if (there < h.length)
			reports.malformed++;
	}
	void request(const tlp::Header &h, unsigned kind)
	{
		Item item = {};

		item.head = h;
		item.locked = kind == tlp::LOCKED_READ;
		item.space = kind == tlp::MEMORY_READ ? space(h.bar) : (unsigned)SpaceNone;
		item.addr = h.addr;
		if (kind != tlp::MEMORY_READ && kind != tlp::LOCKED_READ) {
			item.addr = 0;
			item.head.first_be = 15;
			item.head.last_be = 0;
			item.head.length = 1;
		}
		reports.unsupported += item.space == SpaceNone;
		items.push_back(item);
	}
	void completion(const tlp::Packet &p, const tlp::Header &h)
	{
		const bool has_data = tlp::has_data(h.kind), good = p.dw[1] >> 13 & 7 ? false : true;
		Item item = {};

		item.is_answer = true;
		item.tag = p.dw[2] >> 8 & 255;
		item.error = !(has_data && good && !h.poisoned && h.length == 2 && p.dw.size() >= 5);
		if (!item.error)
			item.data = (uint64_t)p.dw[4] << 32 | p.dw[3];
		/* one that is poisoned is reported unless something else is wrong before */
		reports.poisoned += has_data && h.poisoned;
		items.push_back(item);
	}
};

class Bench
{
      public:
	Bench()
	{
		top.rx_valid_i = top.item_ready_i = top.answer_ready_i = 0;
		reset(top);
	}
	void once()
	{
		tlp::Header h;
		tlp::Packet p = make(&h);

		if (dice.percent(5))
			p.dw.resize(1 + dice.below(p.dw.size()));
		if (dice.below(300) == 0) {
			/* some beats without a beginning, which are no packet */
			send(p, h.bar, true);
			return;
		}
		if (p.dw.size() <= 2) /* its header's first half is all there is */
			model.reports.malformed++;
		else
			model.packet(p, h);
		kinds[h.kind >> 1 & 127]++;
		packets++;
		send(p, h.bar, false);
	}
	void finish()
	{
		for (unsigned i = 0; i < 50; i++)
			beat(false);
		if (!model.items.empty())
			wrong("%zu items are missing", model.items.size());
		if (got.poisoned != model.reports.poisoned ||
		    got.unsupported != model.reports.unsupported ||
		    got.malformed != model.reports.malformed)
			wrong("reports: %lu poisoned, %lu unsupported, %lu malformed, not %lu, %lu, %lu",
			      got.poisoned, got.unsupported, got.malformed, model.reports.poisoned,
			      model.reports.unsupported, model.reports.malformed);
		met("packets", packets);
		met("words that were written", words);
		met("requests", requests);
		met("answers", answers);
		met("answers that are errors", errors);
		met("poisoned packets", got.poisoned);
		met("unsupported packets", got.unsupported);
		met("malformed packets", got.malformed);
		met("cycles in which a packet had to wait", waits);
	}

      private:
	tlp::Packet make(tlp::Header *h)
	{
		static const unsigned KINDS[] = {
			tlp::MEMORY_READ,   tlp::LOCKED_READ,	tlp::IO_READ,
			tlp::IO_WRITE,	    tlp::CONFIG_READ0,	tlp::CONFIG_WRITE0,
			tlp::CONFIG_READ1,  tlp::CONFIG_WRITE1, tlp::FETCH_ADD,
			tlp::SWAP,	    tlp::CAS,		tlp::DEFERRABLE_WRITE,
			tlp::MESSAGE,	    tlp::MESSAGE_DATA,	tlp::MEMORY_READ,
			tlp::LOCKED_READ | tlp::LONG,
		};
		static const unsigned BARS[] = { 0, 2, 4, 0, 2, 4, 1, 7 };
		std::vector<uint32_t> data;

		h->kind = dice.percent(50)   ? tlp::MEMORY_WRITE
			  : dice.percent(40) ? tlp::COMPLETION_DATA
			  : dice.percent(90) ? KINDS[dice.below(16)]
			  : dice.percent(50) ? tlp::COMPLETION
					     : dice.below(256);
		if ((h->kind & 0x1f) == 0 && dice.percent(50))
			h->kind |= tlp::LONG;
		h->tc = dice.below(8);
		h->attr = dice.below(4);
		h->poisoned = dice.percent(5);
		h->digest = dice.percent(10);
		h->length = dice.percent(95) ? 1 + dice.below(20) : dice.percent(50) ? 1024 : 33;
		h->id = dice.word() & 0xffff;
		h->tag = dice.below(256);
		h->addr = dice.word() & (h->kind & tlp::LONG ? ~3ull : 0xfffffffc);
		h->bar = BARS[dice.below(8)];
		h->first_be = dice.percent(70) ? 15 : dice.below(16);
		h->last_be = h->length == 1 ? 0 : dice.percent(70) ? 15 : dice.below(16);
		if ((h->kind & 0xbe) == tlp::COMPLETION)
			return completion(h);
		if (tlp::has_data(h->kind))
			for (unsigned i = 0; i < h->length; i++)
				data.push_back(dice.word());
		return tlp::request(*h, data);
	}
	tlp::Packet completion(tlp::Header *h)
	{
		std::vector<uint32_t> data;

		h->length = tlp::has_data(h->kind) ? dice.percent(80) ? 2 : 1 + dice.below(4) : 0;
		for (unsigned i = 0; i < h->length; i++)
			data.push_back(dice.word());
		tlp::Packet p = tlp::completion(h->id, h->tag, dice.percent(10) ? dice.below(8) : 0,
						4 * h->length, dice.below(128), data, h->poisoned,
						h->digest);

		p.dw[0] |= h->kind << 24; /* a locked one */
		p.bar = h->bar;
		return p;
	}
	void send(const tlp::Packet &p, unsigned bar, bool headless)
	{
		const unsigned size = p.dw.size();

		for (unsigned i = 0; i < size;) {
			if (dice.percent(20)) {
				beat(false);
				continue;
			}
			top.rx_sop_i = !headless && !i;
			top.rx_eop_i = i + 2 >= size;
			top.rx_keep_i = i + 1 < size ? 3 : 1;
			top.rx_data_i = p.dw[i] | (i + 1 < size ? (uint64_t)p.dw[i + 1] << 32 : 0);
			top.rx_bar_i = i ? dice.below(8) : bar; /* it counts with the first beat */
			while (!beat(true))
				waits++;
			i += 2;
		}
	}
	/* A cycle, with a beat of a packet or without; whether the beat was taken */
	bool beat(bool valid)
	{
		if (!dice.below(200))
			share = dice.percent(50) ? 100 : 20 + dice.below(60);
		top.rx_valid_i = valid;
		top.item_ready_i = dice.percent(share);
		top.answer_ready_i = dice.percent(share);
		top.eval();
		const bool taken = top.rx_ready_o;

		/* an answer that came after a write is taken after it, and the other way round */
		if (top.answer_valid_o && top.answer_ready_i && top.item_valid_o && top.item_ready_i)
			check_both();
		else if (top.item_valid_o && top.item_ready_i)
			check_item();
		else if (top.answer_valid_o && top.answer_ready_i)
			check_answer();
		got.poisoned += top.poisoned_o;
		got.unsupported += top.unsupported_o;
		got.malformed += top.malformed_o;
		tick(top);
		return taken;
	}
	/* Both at once: either was first */
	void check_both()
	{
		if (!model.items.empty() && model.items.front().is_answer) {
			check_answer();
			check_item();
		} else {
			check_item();
			check_answer();
		}
	}
	bool pop(bool is_answer, Item *item)
	{
		if (model.items.empty() || model.items.front().is_answer != is_answer) {
			wrong("%s that is not due", is_answer ? "an answer" : "an item");
			return false;
		}
		*item = model.items.front();
		model.items.pop_front();
		return true;
	}
	void check_item()
	{
		const uint64_t addr = (uint64_t)top.item_addr_o << 2;
		Item item;

		if (!pop(false, &item))
			return;
		if (top.item_write_o != item.write || top.item_space_o != item.space ||
		    addr != (item.addr & 0x3fffffc))
			wrong("an item at %lx of space %u, not at %lx of %u", addr, top.item_space_o,
			      item.addr, item.space);
		if (item.write)
			check_write(item);
		else
			check_request(item);
	}
	void check_write(const Item &item)
	{
		uint64_t mask = 0;

		for (unsigned i = 0; i < 8; i++)
			mask |= item.enables >> i & 1 ? 0xffull << 8 * i : 0;
		if (top.item_be_o != item.enables || (top.item_data_o ^ item.data) & mask)
			wrong("a word of a write");
		words++;
	}
	void check_request(const Item &item)
	{
		const tlp::Header &h = item.head;

		if (get(top.item_who_o, who::requester) != h.id ||
		    get(top.item_who_o, who::tag) != h.tag || get(top.item_who_o, who::tc) != h.tc ||
		    get(top.item_who_o, who::attr) != h.attr ||
		    get(top.item_who_o, who::locked) != item.locked)
			wrong("whose request it is");
		if (get(top.item_request_o, request::first_be) != h.first_be ||
		    get(top.item_request_o, request::last_be) != h.last_be ||
		    get(top.item_request_o, request::length) != h.length)
			wrong("what a request asks for");
		requests++;
	}
	void check_answer()
	{
		Item item;

		if (!pop(true, &item))
			return;
		if (top.answer_tag_o != item.tag || top.answer_error_o != item.error ||
		    (!item.error && top.answer_data_o != item.data))
			wrong("an answer");
		answers++;
		errors += item.error;
	}

	Random dice;
	Vtop top;
	Model model;
	Reports got = {};
	unsigned share = 50;
	uint64_t kinds[128] = {}, packets = 0, words = 0, requests = 0, answers = 0, errors = 0;
	uint64_t waits = 0;
};

int main(int argc, char **argv)
{
	const uint64_t cycles = cycles_of(argc, argv);
	Bench bench;

	for (uint64_t i = 0; i < cycles / 5; i++)
		bench.once();
	bench.finish();
	result("packets are taken apart as PCI Express has them, in order");
	return failures != 0;
}
