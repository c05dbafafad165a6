// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_tlp_reads between models of the card, of the MSI-X table and of the link: requests get the bytes
// that they ask for, in completions of at most 128 aligned bytes; what is first read and written goes
// to the card in the order in which it came.
#include <deque>
#include <map>

#include "module.h"
#include "tlp.h"

using namespace module;
using namespace rtl;

/* Cycles in which the card or the link goes on, after which a word has had its turn */
constexpr unsigned BOUND = 60;

/* A word of a request or of a write, as the card must see it */
struct Access {
	bool write, lane;
	uint32_t addr; /* of the word of 8 bytes */
	unsigned enables;
	uint64_t data;
};

/* A request that is being answered */
struct Request {
	unsigned space, first_be, last_be, length;
	uint32_t addr; /* of its first double word */
	uint32_t who;
	unsigned done; /* double words that have been completed */
};

class Bench
{
      public:
	Bench()
	{
		top.item_valid_i = top.req_ready_i = top.ans_valid_i = top.cpl_ready_i = 0;
		reset(top);
	}
	void cycle()
	{
		choose();
		top.eval();
		/* the table answers in the same cycle; its words are what their address says */
		top.msix_data_i = content(SpaceMsix, top.msix_addr_o);
		top.eval();
		check_table();
		check_request();
		take_answer();
		take_completion();
		take_item();
		check_rest();
		tick(top);
		forget();
		now++;
	}
	void finish()
	{
		stopped = true;
		latency = 3;
		for (unsigned i = 0; i < 100000 && !requests.empty(); i++)
			cycle();
		if (!requests.empty() || !waiting.empty())
			wrong("%zu requests have no answer", requests.size());
		met("requests", begun);
		met("requests of several completions", several);
		met("requests of 4 KiB", longest);
		met("requests for the MSI-X table", of_table);
		met("requests that are not supported", unsupported);
		met("requests that ask for no byte", nothing);
		met("writes to the card", writes);
		met("writes to the MSI-X table", table_writes);
		met("writes that overtook a request's further words", overtakes);
		met("cycles with all slots in use", full);
		met("cycles in which nothing is under way", idles);
	}

      private:
	/* What is at a word: 8 bytes that say where they are */
	static uint64_t content(unsigned space, uint32_t word)
	{
		return (word + 1) * 0x9e3779b97f4a7c15ull ^ space * 0x0123456789abcdefull;
	}
	static uint32_t double_word(unsigned space, uint32_t index)
	{
		return content(space, index / 2) >> index % 2 * 32;
	}
	/* The part of an address that a space has */
	static uint32_t inside(unsigned space, uint32_t addr)
	{
		return space == SpaceRegs    ? addr & 0x3ffff
		       : space == SpaceLanes ? addr & ones(LANEBITS)
		       : space == SpaceMsix  ? addr & 0xfff
					     : addr;
	}

	void choose()
	{
		if (!dice.below(500)) {
			card_share = 20 + dice.below(81);
			link_share = 20 + dice.below(81);
			items_share = dice.percent(30) ? 100 : dice.below(101);
			latency = dice.below(3) ? dice.below(5) : dice.below(60);
		}
		if (!top.item_valid_i && !stopped && dice.percent(items_share))
			offer_item();
		top.req_ready_i = dice.percent(card_share);
		top.cpl_ready_i = 0;
		choose_answer();
		choose_completion();
	}
	void offer_item()
	{
		/* the link gives no more requests than there are slots */
		const bool write = dice.percent(60) || requests.size() >= READS;

		top.item_valid_i = 1;
		top.item_write_i = write;
		top.item_space_i = dice.percent(80) ? dice.below(2) : dice.below(4);
		if (write && top.item_space_i == SpaceNone)
			top.item_space_i = SpaceMsix;
		top.item_addr_i = dice.word() & 0xffffff;
		top.item_be_i = 0;
		top.item_data_i = dice.word();
		if (write) {
			top.item_addr_i &= ~1u;
			top.item_be_i = 1 + dice.below(255);
			return;
		}
		offer_request();
	}
	void offer_request()
	{
		const unsigned left = 1024 - top.item_addr_i % 1024; /* to the next 4 KiB */
		unsigned length = dice.percent(70)   ? 1 + dice.below(2)
				  : dice.percent(95) ? 1 + dice.below(40)
						     : 1 + dice.below(1024);
		unsigned first = dice.percent(60) ? 15 : dice.below(16);
		unsigned last = dice.percent(60) ? 15 : dice.below(16);

		if (dice.below(200) == 0) {
			top.item_addr_i &= ~1023u;
			length = 1024;
		}
		length = std::min(length, top.item_addr_i % 1024 ? left : 1024);
		/* PCI Express: of several double words the first and the last have bytes */
		if (length == 1)
			last = 0;
		else
			first = first ? first : 8, last = last ? last : 1;
		set(top.item_request_i, request::first_be, first);
		set(top.item_request_i, request::last_be, last);
		set(top.item_request_i, request::length, length);
		top.item_who_i = dice.word() & ones(who::width);
	}
	Request of_item()
	{
		return { top.item_space_i,
			 (unsigned)get(top.item_request_i, request::first_be),
			 (unsigned)get(top.item_request_i, request::last_be),
			 (unsigned)get(top.item_request_i, request::length),
			 (uint32_t)top.item_addr_i << 2,
			 top.item_who_i,
			 0 };
	}
	void take_item()
	{
		taken = top.item_valid_i && top.item_ready_o;
		item_since = top.item_valid_i && !taken ? item_since + top.req_ready_i : 0;
		if (item_since > BOUND)
			wrong("%s is not taken", top.item_write_i ? "a write" : "a request");
		if (!taken)
			return;
		if (top.item_write_i) {
			writes += top.item_space_i < SpaceMsix;
			table_writes += top.item_space_i == SpaceMsix;
			return;
		}
		const Request r = of_item();

		begun++;
		longest += r.length == 1024;
		of_table += r.space == SpaceMsix;
		unsupported += r.space == SpaceNone;
		nothing += r.length == 1 && !r.first_be;
		requests.push_back(r);
		if (r.space < SpaceMsix)
			begin_slot(top.req_tag_o, r.who);
	}
	/* A slot's number is the tag of its reads of the card. */
	void begin_slot(unsigned slot, uint32_t who)
	{
		if (slots.count(slot))
			wrong("slot %u is used twice", slot);
		slots[slot] = who;
		words[slot] = 0;
	}

	/* Byte enables of the double words of a request */
	static unsigned enables(const Request &r, unsigned i)
	{
		return tlp::enables(i, r.length, r.first_be, r.last_be);
	}
	Request *find(uint32_t who)
	{
		for (Request &r : requests)
			if (r.who == who)
				return &r;
		return nullptr;
	}
	/* The access with which the card reads the word of a request that begins with this one */
	Access access_of(const Request &r, unsigned first)
	{
		const uint32_t at = inside(r.space, r.addr + 4 * first);
		Access a = { false, r.space == SpaceLanes, at & ~7u, 0, 0 };

		a.enables = enables(r, first) << (at & 4);
		if (!(at & 4) && first + 1 < r.length)
			a.enables |= enables(r, first + 1) << 4;
		/* without a byte it is a read of ID_MAGIC, which changes nothing */
		if (!a.enables)
			a = { false, false, HBSR_ID_MAGIC, 0x0f, 0 };
		return a;
	}

	void check_table()
	{
		const bool is_item = top.item_valid_i && top.item_ready_o;

		if (top.msix_write_o != (is_item && top.item_write_i && top.item_space_i == SpaceMsix))
			wrong("a write of the MSI-X table");
		if (top.msix_write_o &&
		    (top.msix_addr_o != (top.item_addr_i >> 1 & 511) ||
		     top.msix_be_o != top.item_be_i || top.msix_data_o != top.item_data_i))
			wrong("what is written to the MSI-X table");
	}
	/* What the card is given */
	void check_request()
	{
		if (held && (!top.req_valid_o || top.req_write_o != last.write ||
			     top.req_addr_o << 3 != last.addr || top.req_be_o != last.enables))
			wrong("what is offered to the card changes");
		last = { !!top.req_write_o, !!top.req_lane_o, (uint32_t)top.req_addr_o << 3,
			 top.req_be_o, top.req_data_o };
		held = top.req_valid_o && !top.req_ready_i;
		if (!top.req_valid_o || !top.req_ready_i)
			return;
		if (top.item_valid_i && top.item_ready_o)
			check_item_access();
		else
			check_further();
	}
	void check_item_access()
	{
		Access due;

		if (top.item_write_i) {
			due = { true, top.item_space_i == SpaceLanes,
				inside(top.item_space_i, (uint32_t)top.item_addr_i << 2),
				top.item_be_i, top.item_data_i };
			for (const auto &slot : slots) {
				const Request *r = find(slot.second);

				overtakes += r && words[slot.first] < r->length;
			}
		} else {
			due = access_of(of_item(), 0);
			waiting[top.req_tag_o] = { now + latency, due };
		}
		compare(due);
	}
	/* A word of a request behind its first one */
	void check_further()
	{
		const unsigned slot = top.req_tag_o;
		const auto of = slots.find(slot);
		const Request *r = of == slots.end() ? nullptr : find(of->second);

		if (!r || waiting.count(slot) || !words[slot] || words[slot] >= r->length) {
			wrong("a read of the card for slot %u, which needs none", slot);
			return;
		}
		const Access due = access_of(*r, words[slot]);

		waiting[slot] = { now + latency, due };
		compare(due);
	}
	void compare(const Access &due)
	{
		if (last.write != due.write || last.lane != due.lane || last.addr != due.addr ||
		    last.enables != due.enables || (due.write && last.data != due.data))
			wrong("the card gets %x, enables %x, not %x, enables %x", last.addr,
			      last.enables, due.addr, due.enables);
	}

	/* The card answers in any order. */
	void choose_answer()
	{
		if (top.ans_valid_i)
			return;
		unsigned n = 0;

		for (const auto &w : waiting)
			if (w.second.first <= now && !dice.below(++n))
				top.ans_tag_i = w.first;
		if (!n)
			return;
		const Access &a = waiting[top.ans_tag_i].second;

		top.ans_valid_i = 1;
		top.ans_data_i = content(a.lane ? SpaceLanes : SpaceRegs, a.addr / 8);
	}
	void take_answer()
	{
		answered = top.ans_valid_i && top.ans_ready_o;
		if (!answered)
			return;
		const unsigned slot = top.ans_tag_i;
		const Request *r = find(slots[slot]);

		waiting.erase(slot);
		if (!r) {
			wrong("an answer for slot %u, which has no request", slot);
			return;
		}
		const bool upper = (r->addr / 4 + words[slot]) % 2;

		words[slot] += upper || words[slot] + 1 == r->length ? 1 : 2;
		if (words[slot] >= r->length)
			slots.erase(slot);
	}

	/* A completion is read word by word, and then taken. */
	void choose_completion()
	{
		if (!top.cpl_valid_o)
			return;
		const unsigned length = get(top.cpl_head_o, completion::length);

		if (got.size() < length || !length) {
			/* a word comes a cycle after its address */
			if (!asked && length) {
				asked = true;
				top.word_addr_i = word_index();
			} else if (length) {
				take_word(length);
				asked = false;
			}
			if (got.size() < length)
				return;
		}
		top.cpl_ready_i = dice.percent(link_share);
	}
	unsigned word_index()
	{
		return (get(top.cpl_head_o, completion::lower) / 4 + got.size()) / 2;
	}
	void take_word(unsigned length)
	{
		const unsigned at = get(top.cpl_head_o, completion::lower) / 4 + got.size();

		got.push_back(top.word_o >> at % 2 * 32);
		if (!(at % 2) && got.size() < length)
			got.push_back(top.word_o >> 32);
	}
	void take_completion()
	{
		if (!top.cpl_valid_o || !top.cpl_ready_i) {
			if (top.credit_o)
				wrong("a credit without the end of a request");
			return;
		}
		Request *r = find(top.cpl_who_o);
		const bool fails = get(top.cpl_head_o, completion::unsupported);
		const unsigned length = get(top.cpl_head_o, completion::length);

		if (!r) {
			wrong("a completion for nobody");
			return;
		}
		if (fails != (r->space == SpaceNone))
			wrong("whether a request is supported");
		check_head(*r, length);
		for (unsigned i = 0; i < length && !fails; i++)
			check_data(*r, i);
		r->done += length;
		const bool last = fails || r->done == r->length;

		several += last && r->done > length;
		if (top.credit_o != last)
			wrong("credit is %u at %u of %u", top.credit_o, r->done, r->length);
		got.clear();
		asked = false;
		if (last)
			requests.erase(requests.begin() + (r - &requests[0]));
	}
	void check_head(const Request &r, unsigned length)
	{
		const uint32_t at = r.addr + 4 * r.done, end = (at & ~127u) + 128;
		const unsigned before = r.done ? 0 : tlp::first_byte(r.first_be);
		const unsigned all = tlp::byte_count(r.length, r.first_be, r.last_be);
		const unsigned gone = r.done ? 4 * r.done - tlp::first_byte(r.first_be) : 0;
		const unsigned due = r.space == SpaceNone
					     ? 0
					     : std::min(r.length - r.done, (end - at) / 4);

		if (length != due)
			wrong("a completion has %u double words, not %u", length, due);
		if (get(top.cpl_head_o, completion::lower) != ((at + before) & 127))
			wrong("the lower address");
		if (get(top.cpl_head_o, completion::bytes) != ((all - gone) & 4095))
			wrong("bytes left are %lu, not %u",
			      get(top.cpl_head_o, completion::bytes), all - gone);
	}
	void check_data(const Request &r, unsigned i)
	{
		const unsigned n = r.done + i;
		const uint32_t at = inside(r.space, r.addr + 4 * n);
		uint32_t due = double_word(r.space, at / 4), mask = 0;

		for (unsigned byte = 0; byte < 4; byte++)
			mask |= enables(r, n) >> byte & 1 ? 0xffu << 8 * byte : 0;
		if (got.size() <= i || (got[i] ^ due) & mask)
			wrong("double word %u of a request", n);
	}
	void check_rest()
	{
		const bool idle = requests.empty() && !top.item_valid_i;

		/* what was taken in this cycle begins with the next */
		if (!taken && !top.credit_o && top.idle_o != idle)
			wrong("idle is %u", top.idle_o);
		idles += idle;
		full += requests.size() == READS;
		for (const auto &slot : slots)
			check_wait(slot.first);
	}
	/* A word that can be read is read soon, whatever else the card gets. */
	void check_wait(unsigned slot)
	{
		if (waiting.count(slot) || top.cpl_valid_o)
			waits[slot] = 0;
		else if (top.req_ready_i && ++waits[slot] > BOUND)
			wrong("a request's next word is not read");
	}
	void forget()
	{
		if (taken)
			top.item_valid_i = 0;
		if (answered)
			top.ans_valid_i = 0;
		taken = answered = false;
	}

	Random dice;
	Vtop top;
	std::vector<Request> requests;
	std::map<unsigned, uint32_t> slots; /* whose request a slot has, until all is read */
	std::map<unsigned, unsigned> waits;
	std::map<unsigned, unsigned> words; /* of a slot: double words that were read */
	std::map<unsigned, std::pair<uint64_t, Access>> waiting;
	std::vector<uint32_t> got;
	Access last = {};
	bool held = false, taken = false, answered = false, asked = false, stopped = false;
	unsigned card_share = 80, link_share = 80, items_share = 50, latency = 3, item_since = 0;
	uint64_t now = 0, begun = 0, several = 0, longest = 0, of_table = 0, unsupported = 0;
	uint64_t nothing = 0, writes = 0, table_writes = 0, overtakes = 0, full = 0, idles = 0;
};

int main(int argc, char **argv)
{
	const uint64_t cycles = cycles_of(argc, argv);
	Bench bench;

	for (uint64_t i = 0; i < cycles; i++)
		bench.cycle();
	bench.finish();
	result("requests get the bytes that they ask for");
	return failures != 0;
}
