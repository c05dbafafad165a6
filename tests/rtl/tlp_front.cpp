// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_tlp_front between a model of the root complex and one of the card: all that goes through
// is compared with what must, in contents and in order.
#include "Vfront.h"
#include "tlp.h"
#include "verilated.h"
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

using namespace tlp;

#ifndef READS
#define READS	  8
#define TAGS	  32
#define LINK_TAGS 64
#endif
#ifdef BOARD /* the width of its streams, in double words; requests and completions are two */
#define LANES	BOARD
#define SOURCES 2
#else
#define LANES	2
#define SOURCES 1
#endif
#ifndef TIMEOUT_NS
#define TIMEOUT_NS 20000
#endif
#define PERIOD_NS  4
#define SWEEP_NS   (8 * PERIOD_NS * LINK_TAGS) /* in which all tags are looked at, at most */
#define ID	   0x0208 /* the card's */

static Random dice(1);

/* a request of the host that is to be completed */
struct Read {
	Header h;
	bool unsupported = false;
	unsigned words = 0;	     /* of 8 bytes */
	unsigned asked = 0;	     /* words that the card was asked for */
	bool busy = false;	     /* one of them is not answered */
	std::vector<uint64_t> value; /* of the words that were answered */
	std::vector<uint64_t>
		when;	    /* the number of posted packets that the card had sent by then */
	unsigned done = 0;  /* double words that were completed */
	unsigned bytes = 0; /* that are still to come */
	bool probe(unsigned word) const
	{
		return enables_of(word) == 0;
	}
	unsigned first_dw() const
	{
		return h.addr >> 2 & 1;
	}
	unsigned enables_of(unsigned word) const
	{
		unsigned be = 0;

		for (unsigned i = 0; i < 2; i++) {
			int dw = (int)(2 * word + i) - (int)first_dw();

			if (dw >= 0 && dw < (int)h.length)
				be |= enables(dw, h.length, h.first_be, h.last_be) << 4 * i;
		}
		return be;
	}
};
using ReadPointer = std::shared_ptr<Read>;

/* what the card must be asked for next */
struct Access {
	bool write;
	unsigned lane;
	uint32_t addr;
	unsigned be;
	uint64_t data;
	ReadPointer read;
};

/* what the host sends */
struct Outgoing {
	Packet packet;
	ReadPointer read;	      /* a request that is to be completed */
	std::vector<Access> accesses; /* that it means */
	int answers = -1;	      /* it completes this read of the card (an index) */
	bool good = false;	      /* with the data, or with an error */
};

/* what leaves the card */
struct Post {
	unsigned kind;
	uint64_t addr, data[2];
	unsigned tag;
	ReadPointer read;
	unsigned word;
};

/* a read of host memory by the card */
struct Fetch {
	uint64_t addr, data;
	unsigned card_tag, link_tag;
	uint64_t order; /* posted packets that it must not pass */
	uint64_t cycle, sent_cycle = 0; /* in which it was taken, and has come over the link */
	bool sent = false, replied = false, good = false, answered = false;
	uint64_t late = 0; /* the cycle in which it was given up */
};

struct Expected {
	std::vector<uint32_t> data;
	uint64_t addr;
};

struct Bench {
	Vfront top;
	uint64_t cycle = 0;
	uint64_t now = (1ull << 56) - 100000; /* it wraps soon */

	/* how often, of 100 cycles */
	unsigned rx_share = 100, tx_share = 100, req_share = 100, post_share = 0, rd_share = 0;
	unsigned np_share = 100, card_share = 100;
	bool hold_tx = false, hold_posts = false;
	/* reads of the card that are given up, that fail, and that are answered when given up */
	unsigned late_share = 0, error_share = 0, rest_share = 0;
	unsigned reply_delay = 40;
	bool clock_runs = true;

	std::deque<Outgoing> send;
	struct Beat {
		std::vector<uint32_t> data; /* a word for each lane */
		unsigned strb;
		bool sop, eop;
	};
	struct Source {
		std::deque<Beat> beats; /* of the packet that is being sent */
		Outgoing current;
		bool valid = false;
	} sources[SOURCES];
	int credits = READS;

	std::deque<Access> order;
	std::map<unsigned, ReadPointer> pending; /* by requester and tag */
	std::map<unsigned, ReadPointer> tags;	 /* by the tag of the card */

	std::deque<Post> posts;
	bool post_valid = false;
	std::deque<Expected> expected; /* posted packets */
	uint64_t posted = 0, seen = 0; /* that were taken; that have come */
	unsigned belated = 0;	       /* messages that were pending and have come */
	uint64_t refused = 0;

	std::vector<Fetch> fetches;
	std::vector<unsigned> unsent; /* those that are to come over the link: few */
	std::map<unsigned, unsigned> by_card_tag;
	std::map<unsigned, unsigned> by_link_tag;
	bool rd_valid = false;
	uint64_t rd_addr = 0;
	unsigned rd_tag = 0;
	struct Reply {
		uint64_t cycle;
		unsigned fetch;
	};
	std::vector<Reply> replies;

	std::vector<uint32_t> incoming;
	uint64_t table[4] = { 0, 1ull << 32, 0, 1ull << 32 }; /* masked */
	uint64_t poisoned = 0, unsupported = 0, malformed = 0, late = 0, unexpected = 0;
	uint64_t requests = 0, completions = 0, answers = 0, reads_sent = 0;
	unsigned max_pending = 0;
	std::vector<uint64_t> request_cycles;

	struct {
		bool valid = false, taken = false;
		uint64_t data = 0;
		uint32_t addr = 0;
		unsigned rest = 0;
	} last_req;

	Bench()
	{
		top.id_i = ID;
		top.bus_master_i = 1;
		top.msix_enable_i = 1;
		top.msix_mask_i = 0;
		top.wide_tags_i = 1;
		top.never_late_i = 0;
		top.clk_i = 0;
		top.rst_ni = 0;
		top.now_i = now;
		top.eval();
		for (int i = 0; i < 3; i++) {
			top.clk_i = 1;
			top.eval();
			top.clk_i = 0;
			top.eval();
		}
		top.rst_ni = 1;
	}

	/* --- the host's side --- */

	static std::vector<uint32_t> payload(unsigned length)
	{
		std::vector<uint32_t> data(length);

		for (uint32_t &word : data)
			word = dice.word();
		return data;
	}

	static uint64_t in_bar(const Header &h)
	{
		return h.bar == 0 ? h.addr & 0x3ffff : h.addr & 0x3ffffff;
	}

	void write(const Header &h, const std::vector<uint32_t> &data)
	{
		Outgoing out;
		uint64_t first = in_bar(h) >> 2;

		out.packet = request(h, data);
		if (h.poisoned || (h.bar != 0 && h.bar != 2)) {
			send.push_back(out);
			return;
		}
		for (uint64_t word = first >> 1; word <= (first + h.length - 1) >> 1; word++) {
			Access a = { true, h.bar == 2, (uint32_t)word, 0, 0, nullptr };

			for (unsigned i = 0; i < 2; i++) {
				uint64_t dw = 2 * word + i;
				unsigned index = dw - first;

				if (dw < first || index >= h.length)
					continue;
				a.be |= enables(index, h.length, h.first_be, h.last_be) << 4 * i;
				a.data |= (uint64_t)data[index] << 32 * i;
			}
			if (a.be)
				out.accesses.push_back(a);
		}
		send.push_back(out);
	}

	static Access access_of(const ReadPointer &read, unsigned word)
	{
		Access a = { false,
			     read->h.bar == 2,
			     (uint32_t)(in_bar(read->h) >> 3) + word,
			     read->enables_of(word),
			     0,
			     read };

		if (!a.be) {
			a.lane = 0;
			a.addr = 0;
			a.be = 0x0f;
		}
		return a;
	}

	ReadPointer read(const Header &h, const std::vector<uint32_t> &data = {})
	{
		ReadPointer r = std::make_shared<Read>();
		Outgoing out;

		r->h = h;
		out.packet = request(h, data);
		r->unsupported =
			(h.kind & ~LONG) != MEMORY_READ || (h.bar != 0 && h.bar != 2 && h.bar != 4);
		if ((h.kind & ~LONG) != MEMORY_READ && h.kind != LOCKED_READ &&
		    h.kind != (LOCKED_READ | LONG)) {
			r->h.addr = 0;
			r->h.length = 1;
			r->h.first_be = 15;
			r->h.last_be = 0;
		}
		r->bytes = byte_count(r->h.length, r->h.first_be, r->h.last_be);
		r->words = (r->first_dw() + r->h.length + 1) / 2;
		r->value.resize(r->words);
		r->when.resize(r->words);
		if (!r->unsupported && h.bar == 4)
			for (unsigned i = 0; i < r->words; i++)
				r->value[i] = msix_word((h.addr & 0xfff) / 8 + i);
		else if (!r->unsupported)
			out.accesses.push_back(access_of(r, 0));
		out.read = r;
		send.push_back(out);
		return r;
	}

	uint64_t msix_word(unsigned word) const
	{
		return word < 4 ? table[word] : 0;
	}

	/* a write to the MSI-X table, which the model takes when it is sent */
	void set_table(unsigned word, uint64_t value)
	{
		Header h;

		h.kind = MEMORY_WRITE;
		h.bar = 4;
		h.addr = 0xfe000000 + 8 * word;
		h.length = 2;
		h.last_be = 15;
		table[word] = value;
		write(h, { (uint32_t)value, (uint32_t)(value >> 32) });
	}

	/* on a board requests and completions come by ways of their own */
	static bool is_for(const Outgoing &out, unsigned source)
	{
		return SOURCES == 1 || (out.answers >= 0) == (source == 1);
	}

	void begin_packet(unsigned which)
	{
		Source &source = sources[which];
		size_t i;

		for (i = 0; i < send.size(); i++)
			if (is_for(send[i], which) &&
			    (!send[i].read || (credits && !tag_is_used(send[i].read))))
				break;
		if (i == send.size())
			return;
		source.current = send[i];
		send.erase(send.begin() + i);
		const Outgoing &out = source.current;

		if (out.read) {
			credits--;
			pending[key(out.read)] = out.read;
			if (pending.size() > max_pending)
				max_pending = pending.size();
		}
		for (const Access &a : out.accesses)
			order.push_back(a);
		if (!out.good) /* the card need not wait for its end */
			end_packet(out);
		const std::vector<uint32_t> &dw = out.packet.dw;

		for (size_t at = SOURCES == 1	   ? 0
				 : dw[0] >> 29 & 1 ? 4
						   : 3,
			    first = at;
		     at == first || at < dw.size(); at += LANES) {
			Beat beat = { {}, 0, at == first, at + LANES >= dw.size() };

			for (unsigned lane = 0; lane < LANES; lane++) {
				beat.strb |= (at + lane < dw.size()) << lane;
				beat.data.push_back(at + lane < dw.size() ? dw[at + lane]
									  : dice.word());
			}
			source.beats.push_back(beat);
		}
	}

	static unsigned key(const ReadPointer &r)
	{
		return r->h.id << 8 | r->h.tag;
	}

	bool tag_is_used(const ReadPointer &r) const
	{
		return pending.count(key(r));
	}

	void end_packet(const Outgoing &current)
	{
		if (current.answers >= 0) {
			Fetch &f = fetches[current.answers];

			if (f.answered) {
				by_link_tag.erase(f.link_tag);
			} else {
				f.replied = true;
				f.good = current.good;
			}
		}
	}

	void reply(unsigned index)
	{
		Fetch &f = fetches[index];
		std::vector<uint32_t> data = { (uint32_t)f.data, (uint32_t)(f.data >> 32) };
		Outgoing out;
		bool digest = dice.percent(10);

		out.answers = index;
		out.good = true;
		if (!dice.percent(error_share)) {
			out.packet =
				completion(ID, f.link_tag, 0, 8, f.addr & 127, data, false, digest);
			send.push_back(out);
			return;
		}
		out.good = false;
		switch (dice.below(7)) {
		case 0: /* an unsupported request */
			out.packet = completion(ID, f.link_tag, 1, 8, f.addr & 127, {});
			break;
		case 1: /* a completer's abort */
			out.packet = completion(ID, f.link_tag, 4, 8, f.addr & 127, {});
			break;
		case 2:
			out.packet = completion(ID, f.link_tag, 0, 8, f.addr & 127, data, true);
			break;
		case 3: /* half of it */
			out.packet = completion(ID, f.link_tag, 0, 8, f.addr & 127, { data[0] });
			break;
		case 4: /* data, but not with a good status */
			out.packet = completion(ID, f.link_tag, 1, 8, f.addr & 127, data);
			break;
		case 5: /* too much */
			data.resize(4);
			out.packet = completion(ID, f.link_tag, 0, 16, f.addr & 127, data);
			break;
		default: /* a good status, but no data */
			out.packet = completion(ID, f.link_tag, 0, 8, f.addr & 127, {});
			break;
		}
		send.push_back(out);
	}

	void take_packet(const std::vector<uint32_t> &dw)
	{
		Sent s;

		if (!parse(dw, s)) {
			wrong("a packet of %zu double words, %08x %08x, is malformed", dw.size(),
			      dw[0], dw.size() > 1 ? dw[1] : 0);
			return;
		}
		switch (s.kind) {
		case MEMORY_WRITE:
		case MEMORY_WRITE | LONG:
			take_write(s);
			break;
		case MEMORY_READ:
		case MEMORY_READ | LONG:
			take_read(s);
			break;
		case COMPLETION:
		case COMPLETION_LOCKED:
		case COMPLETION_DATA:
			take_completion(s);
			break;
		default:
			wrong("a packet of kind %02x", s.kind);
		}
	}

	void take_write(const Sent &s)
	{
		if (s.id != ID || s.tc || s.attr || s.first_be != 15 ||
		    s.last_be != (s.length == 1 ? 0 : 15))
			wrong("a write's header");
		if (!expected.empty() && expected.front().addr == s.addr &&
		    expected.front().data == s.data) {
			expected.pop_front();
			seen++;
			return;
		}
		if (s.length == 1)
			for (unsigned v = 0; v < 2; v++)
				if (s.addr == table[2 * v] &&
				    s.data[0] == (uint32_t)table[2 * v + 1]) {
					belated++;
					return;
				}
		wrong("a write of %u double words to %lx that is not due", s.length, s.addr);
	}

	void take_read(const Sent &s)
	{
		if (s.id != ID || s.tc || s.attr || s.length != 2 || s.first_be != 15 ||
		    s.last_be != 15)
			wrong("a read's header");
		reads_sent++;
		if (s.tag >= LINK_TAGS || (!top.wide_tags_i && s.tag >= 32))
			wrong("a read with the tag %u", s.tag);
		for (size_t i = 0; i < unsent.size(); i++) {
			Fetch &f = fetches[unsent[i]];

			if (f.addr != s.addr)
				continue;
			unsent.erase(unsent.begin() + i);
			if (f.order > seen)
				wrong("a read passes %lu writes", f.order - seen);
			auto last = by_link_tag.find(s.tag);

			/* after a read that was given up, a tag rests */
			if (last != by_link_tag.end() &&
			    (!fetches[last->second].late ||
			     (cycle - fetches[last->second].late) * PERIOD_NS < TIMEOUT_NS))
				wrong("the tag %u is used twice", s.tag);
			f.sent = true;
			f.sent_cycle = cycle;
			f.link_tag = s.tag;
			by_link_tag[s.tag] = &f - fetches.data();
			if (!dice.percent(late_share))
				replies.push_back({ cycle + dice.below(reply_delay),
						    (unsigned)(&f - fetches.data()) });
			return;
		}
		wrong("a read of %lx that is not due", s.addr);
	}

	void take_completion(const Sent &s)
	{
		auto found = pending.find(s.requester << 8 | s.tag);

		completions++;
		if (found == pending.end()) {
			wrong("a completion for %04x, tag %u, that nobody waits for", s.requester,
			      s.tag);
			return;
		}
		ReadPointer r = found->second;
		unsigned offset = r->done ? 0 : first_byte(r->h.first_be);
		unsigned lower = (r->h.addr + 4 * r->done) & 0x7c;

		if (s.id != ID || s.tc != r->h.tc || s.attr != r->h.attr || s.bytes != r->bytes ||
		    s.lower != lower + offset)
			wrong("a completion's header: %u bytes from %u, not %u from %u", s.bytes,
			      s.lower, r->bytes, lower + offset);
		if (r->unsupported) {
			unsigned kind =
				(r->h.kind & ~LONG) == LOCKED_READ ? COMPLETION_LOCKED : COMPLETION;

			if (s.kind != kind || s.status != 1)
				wrong("an unsupported request is completed with kind %02x, status "
				      "%u",
				      s.kind, s.status);
			pending.erase(found);
			return;
		}
		if (s.kind != COMPLETION_DATA || s.status)
			wrong("a read is completed with kind %02x, status %u", s.kind, s.status);
		if ((s.lower & 0x7c) + 4 * s.data.size() > 128)
			wrong("a completion of %zu double words from %u", s.data.size(), s.lower);
		for (size_t i = 0; i < s.data.size(); i++, r->done++) {
			unsigned dw = r->first_dw() + r->done;
			unsigned be = enables(r->done, r->h.length, r->h.first_be, r->h.last_be);
			uint32_t mask = 0;

			if (r->done >= r->h.length) {
				wrong("a completion of too much");
				break;
			}
			if (r->h.bar != 4 &&
			    (dw / 2 >= r->asked || (dw / 2 + 1 == r->asked && r->busy)))
				wrong("a completion before the answer");
			for (unsigned k = 0; k < 4; k++)
				mask |= be >> k & 1 ? 0xffu << 8 * k : 0;
			if ((s.data[i] ^ (uint32_t)(r->value[dw / 2] >> 32 * (dw & 1))) & mask)
				wrong("double word %u of a read of %u is %08x, not %08x", r->done,
				      r->h.length, s.data[i],
				      (uint32_t)(r->value[dw / 2] >> 32 * (dw & 1)));
			if (r->when[dw / 2] > seen)
				wrong("a completion passes %lu writes", r->when[dw / 2] - seen);
		}
		r->bytes -= 4 * s.data.size() - offset;
		if (r->done == r->h.length)
			pending.erase(found);
	}

	/* --- the card's side --- */

	void take_request()
	{
		Access a;
		unsigned tag = top.card_req_tag_o;
		auto found = tags.find(tag);

		requests++;
		request_cycles.push_back(cycle);
		if (!top.card_req_write_o && found != tags.end()) {
			ReadPointer r = found->second;

			if (r->busy || r->asked == r->words) {
				wrong("the tag %u is used twice", tag);
				return;
			}
			a = access_of(r, r->asked);
		} else if (order.empty()) {
			wrong("an access that nobody asked for");
			return;
		} else {
			a = order.front();
			order.pop_front();
		}
		uint64_t mask = 0;

		for (unsigned k = 0; k < 8; k++)
			mask |= a.be >> k & 1 ? 0xffull << 8 * k : 0;
		if (top.card_req_write_o != a.write || top.card_req_lane_o != a.lane ||
		    top.card_req_addr_o != a.addr || top.card_req_be_o != a.be ||
		    (a.write && (top.card_req_data_o ^ a.data) & mask)) {
			wrong("a %s of %u:%x, be %02x, data %lx, not a %s of %u:%x, be %02x, data "
			      "%lx",
			      top.card_req_write_o ? "write" : "read", top.card_req_lane_o,
			      top.card_req_addr_o << 3, top.card_req_be_o, top.card_req_data_o,
			      a.write ? "write" : "read", a.lane, a.addr << 3, a.be, a.data);
			return;
		}
		if (a.write)
			return;
		Post p = { 3, 0, { dice.word(), 0 }, tag, a.read, a.read->asked };

		if (tag >= READS)
			wrong("the tag %u", tag);
		tags[tag] = a.read;
		a.read->asked++;
		a.read->busy = true;
		a.read->value[p.word] = p.data[0];
		posts.push_back(p);
	}

	void take_post()
	{
		Post &p = posts.front();
		std::vector<uint32_t> data = { (uint32_t)p.data[0], (uint32_t)(p.data[0] >> 32) };

		if (p.kind < 2 && !top.bus_master_i) {
			if (!top.card_tx_refused_o)
				wrong("a write is not refused");
			refused++;
		} else if (p.kind < 2) {
			if (top.card_tx_refused_o)
				wrong("a write is refused");
			if (p.kind == 1) {
				data.push_back(p.data[1]);
				data.push_back(p.data[1] >> 32);
			}
			expected.push_back({ data, p.addr });
			posted++;
		} else if (p.kind == 2) {
			unsigned v = p.data[0] & 1;

			if (top.msix_enable_i && !top.msix_mask_i && top.bus_master_i &&
			    !(table[2 * v + 1] >> 32 & 1)) {
				expected.push_back(
					{ { (uint32_t)table[2 * v + 1] }, table[2 * v] });
				posted++;
			}
		} else {
			p.read->busy = false;
			p.read->when[p.word] = posted;
			if (p.read->asked == p.read->words)
				tags.erase(p.tag);
		}
		posts.pop_front();
	}

	void random_post()
	{
		Post p = {};

		p.kind = dice.below(8) ? dice.below(2) : 2;
		p.addr = (dice.percent(50) ? dice.word() : dice.word() >> 32) & ~15ull;
		p.data[0] = dice.word();
		p.data[1] = dice.word();
		/* an answer that waits is not overtaken by what becomes due after it */
		posts.push_back(p);
	}

	void forget_unsent(unsigned fetch)
	{
		unsent.erase(std::remove(unsent.begin(), unsent.end(), fetch), unsent.end());
	}

	void take_answer()
	{
		unsigned tag = top.card_ans_tag_o;
		auto found = by_card_tag.find(tag);

		answers++;
		if (found == by_card_tag.end()) {
			wrong("an answer to the tag %u, which asks nothing", tag);
			return;
		}
		Fetch &f = fetches[found->second];

		by_card_tag.erase(found);
		f.answered = true;
		if (top.card_ans_error_o) {
			if (f.replied && !f.good) {
				by_link_tag.erase(f.link_tag);
				return;
			}
			if (!f.sent && !top.bus_master_i) {
				forget_unsent(&f - fetches.data());
				return;
			}
			/* late, then; the tag stays in use */
			uint64_t ns = (cycle - f.cycle) * PERIOD_NS;
			uint64_t sent_ns = f.sent ? (cycle - f.sent_cycle) * PERIOD_NS : 0;

			f.late = cycle;
			if (rest_share && dice.percent(rest_share))
				replies.push_back({ cycle + dice.below(TIMEOUT_NS / PERIOD_NS / 2),
						    (unsigned)(&f - fetches.data()) });
			if (f.replied || ns < TIMEOUT_NS ||
			    sent_ns > TIMEOUT_NS * 5 / 4 + 2000 + SWEEP_NS)
				wrong("a read fails after %lu ns, %lu from the link, %s", ns, sent_ns,
				      f.replied ? "answered" : "not answered");
			return;
		}
		if (!f.replied || !f.good)
			wrong("a read that has %s is answered",
			      f.replied ? "failed" : "no completion");
		else if (top.card_ans_data_o != f.data)
			wrong("a read of %lx gives %lx, not %lx", f.addr,
			      (uint64_t)top.card_ans_data_o, f.data);
		by_link_tag.erase(f.link_tag);
	}

	void begin_fetch(uint64_t addr, unsigned tag)
	{
		rd_valid = true;
		rd_addr = addr & ~7ull;
		rd_tag = tag;
	}

	/* --- a cycle --- */

	/* what is on the lanes while no beat is offered */
	static Beat nothing()
	{
		return { payload(LANES), (unsigned)dice.word(), (bool)dice.below(2),
			 (bool)dice.below(2) };
	}

	void step()
	{
		for (unsigned i = 0; i < SOURCES; i++) {
			Source &source = sources[i];

			if (source.beats.empty())
				begin_packet(i);
			if (!source.valid && !source.beats.empty())
				source.valid = dice.percent(rx_share);
			if (source.valid)
				drive(i, true, source.beats.front(), source.current.packet);
			else
				drive(i, false, nothing(), source.current.packet);
		}
		drive_link();
		top.card_req_ready_i = dice.percent(req_share);
		if (dice.percent(post_share) && posts.size() < 64)
			random_post();
		if (!post_valid && !posts.empty() && !hold_posts)
			post_valid = dice.percent(card_share);
		top.card_tx_valid_i = post_valid;
		if (post_valid) {
			const Post &p = posts.front();

			top.card_tx_kind_i = p.kind;
			top.card_tx_addr_i = p.addr;
			top.card_tx_tag_i = p.tag;
			for (unsigned i = 0; i < 4; i++)
				top.card_tx_data_i[i] = p.data[i / 2] >> 32 * (i & 1);
		} else {
			top.card_tx_kind_i = dice.below(4);
		}
		if (!rd_valid && dice.percent(rd_share) && by_card_tag.size() < TAGS) {
			unsigned tag;

			do
				tag = dice.below(TAGS);
			while (by_card_tag.count(tag));
			begin_fetch(dice.percent(50) ? dice.word() : dice.word() >> 32, tag);
		}
		top.card_rd_valid_i = rd_valid;
		top.card_rd_addr_i = rd_valid ? rd_addr : dice.word();
		top.card_rd_tag_i = rd_valid ? rd_tag : dice.below(TAGS);
		for (size_t i = 0; i < replies.size(); i++)
			if (replies[i].cycle <= cycle) {
				reply(replies[i].fetch);
				replies.erase(replies.begin() + i--);
			}
		top.now_i = now & ~(~0ull << 56);
		top.eval();

		/* what is offered stays as it is until it is taken */
		check_link();
		unsigned rest = top.card_req_write_o | top.card_req_lane_o << 1 |
				top.card_req_be_o << 2 |
				(top.card_req_write_o ? 0 : top.card_req_tag_o << 10);

		if (last_req.valid && !last_req.taken &&
		    (!top.card_req_valid_o || last_req.addr != top.card_req_addr_o ||
		     last_req.rest != rest ||
		     (top.card_req_write_o && last_req.data != top.card_req_data_o)))
			wrong("what is asked of the card changes");
		last_req = { (bool)top.card_req_valid_o, (bool)top.card_req_ready_i,
			     top.card_req_data_o, top.card_req_addr_o, rest };

		bool post = post_valid && top.card_tx_ready_o;
		bool rd = rd_valid && top.card_rd_ready_o;

		if (top.card_ans_valid_o)
			take_answer();
		if (top.card_req_valid_o && top.card_req_ready_i)
			take_request();
		take_link();
		if (rd) {
			Fetch f;

			f.addr = rd_addr;
			f.data = dice.word();
			f.card_tag = rd_tag;
			f.link_tag = 256;
			f.order = posted;
			f.cycle = cycle;
			by_card_tag[rd_tag] = fetches.size();
			unsent.push_back(fetches.size());
			fetches.push_back(f);
			rd_valid = false;
		}
		if (post) {
			take_post();
			post_valid = false;
		}
		if (top.credit_o)
			credits++;
		poisoned += top.poisoned_o;
		unsupported += top.unsupported_o;
		malformed += top.malformed_o;
		late += top.late_o;
		unexpected += top.unexpected_o;
		for (unsigned i = 0; i < SOURCES; i++) {
			Source &source = sources[i];

			if (!source.valid || !is_taken(i))
				continue;
			source.beats.pop_front();
			source.valid = false;
			if (source.beats.empty())
				end_packet(source.current);
		}
		top.clk_i = 1;
		top.eval();
		top.clk_i = 0;
		top.eval();
		cycle++;
		if (clock_runs)
			now += PERIOD_NS;
	}

#ifdef BOARD
#include "tlp_board.h"
#else
	struct {
		bool valid = false, taken = false;
		unsigned flags = 0;
		uint64_t data = 0;
	} last_tx;

	void drive(unsigned, bool valid, const Beat &beat, const Packet &packet)
	{
		top.rx_valid_i = valid;
		top.rx_data_i = beat.data[0] | (uint64_t)beat.data[1] << 32;
		top.rx_sop_i = beat.sop;
		top.rx_eop_i = beat.eop;
		top.rx_keep_i = beat.strb & 3;
		top.rx_bar_i = valid && beat.sop ? packet.bar : dice.below(8);
	}

	bool is_taken(unsigned) const
	{
		return top.rx_ready_o;
	}

	void drive_link()
	{
		top.tx_ready_i = !hold_tx && dice.percent(tx_share);
		top.np_ok_i = dice.percent(np_share);
	}

	void check_link()
	{
		unsigned flags = top.tx_sop_o | top.tx_eop_o << 1 | top.tx_keep_o << 2;
		uint64_t data = top.tx_data_o;

		if (!(top.tx_keep_o & 2))
			data = (uint32_t)data;
		if (last_tx.valid && !last_tx.taken &&
		    (!top.tx_valid_o || flags != last_tx.flags || data != last_tx.data))
			wrong("what is offered to the link changes");
		last_tx = { (bool)top.tx_valid_o, (bool)top.tx_ready_i, flags, data };
	}

	void take_link()
	{
		if (!top.tx_valid_o || !top.tx_ready_i)
			return;
		if (top.tx_sop_o != incoming.empty())
			wrong("a beginning within a packet, or none");
		if (!(top.tx_keep_o & 1) || (!(top.tx_keep_o & 2) && !top.tx_eop_o))
			wrong("keep is %u", top.tx_keep_o);
		incoming.push_back(top.tx_data_o);
		if (top.tx_keep_o & 2)
			incoming.push_back(top.tx_data_o >> 32);
		if (top.tx_eop_o) {
			take_packet(incoming);
			incoming.clear();
		}
	}
#endif

	bool is_quiet() const
	{
		for (const Source &source : sources)
			if (!source.beats.empty())
				return false;
		return send.empty() && order.empty() && pending.empty() && posts.empty() &&
		       expected.empty() && by_card_tag.empty() && !rd_valid && replies.empty() &&
		       incoming.empty();
	}

	void run(uint64_t cycles)
	{
		while (cycles--)
			step();
	}

	/* until everything has arrived */
	void drain(uint64_t limit = 200000)
	{
		for (uint64_t i = 0; i < limit && !is_quiet(); i++)
			step();
		if (!is_quiet())
			wrong("left: %zu packets, %zu accesses, %zu reads, %zu posts, %zu writes, "
			      "%zu fetches",
			      send.size(), order.size(), pending.size(), posts.size(),
			      expected.size(), by_card_tag.size());
		run(20);
		if (!top.idle_o)
			wrong("not idle");
		if (credits != READS)
			wrong("%d credits, not %d", credits, READS);
	}

	/* vector 0 with a short address, vector 1 with a long one; none masked */
	void set_vectors()
	{
		set_table(0, 0xfee00010);
		set_table(1, 0x4041);
		set_table(2, 0x123456780ull << 4);
		set_table(3, 0x4042);
		drain();
	}
};

/* --- tests --- */

static Header random_request(bool is_write)
{
	static const unsigned bars[] = { 0, 0, 2, 2, 2, 4 };
	unsigned most = dice.percent(70) ? 4 : dice.percent(80) ? 40 : 1024;
	Header h;

	h.bar = bars[dice.below(6)];
	h.kind = is_write ? MEMORY_WRITE : MEMORY_READ;
	h.length = 1 + dice.below(most);
	h.addr = dice.word() & 0xffc;
	if (h.addr + 4 * h.length > 4096)
		h.addr = 4096 - 4 * h.length;
	if (h.bar == 4 && is_write && h.addr < 0x20) /* the table stays as it is */
		h.addr += 0x20;
	if (h.addr + 4 * h.length > 4096)
		h.length = (4096 - h.addr) / 4;
	if (h.bar == 4 && !is_write && h.addr + 4 * h.length > 0x800 && h.addr < 0x808)
		h.addr = 0x20, h.length = 1 + dice.below(8); /* nor does it read pending bits */
	h.addr |= (dice.word() & 0xfffff) << 12;
	if (dice.percent(50)) {
		h.kind |= LONG;
		h.addr |= (dice.word() | 1) << 32;
	}
	h.tc = dice.percent(10) ? dice.below(8) : 0;
	h.attr = dice.percent(10) ? dice.below(4) : 0;
	h.id = dice.below(4);
	h.tag = dice.below(256);
	h.digest = dice.percent(10);
	h.first_be = dice.percent(70) ? 15 : dice.below(16);
	h.last_be = h.length == 1 ? 0 : dice.percent(70) ? 15 : dice.below(16);
	return h;
}

static void random_packet(Bench &b)
{
	unsigned what = dice.below(100);
	Header h = random_request(what < 60);

	if (what < 60) {
		if (dice.percent(3))
			h.poisoned = true;
		b.write(h, b.payload(h.length));
	} else if (what < 94) {
		b.read(h);
	} else if (what < 97) {
		static const unsigned kinds[] = { IO_READ, LOCKED_READ, CONFIG_READ0, CONFIG_READ1,
						  LOCKED_READ | LONG };

		h.kind = kinds[dice.below(5)];
		b.read(h);
	} else if (what < 99) {
		static const unsigned kinds[] = { FETCH_ADD, SWAP, CAS | LONG, DEFERRABLE_WRITE,
						  FETCH_ADD | LONG };

		h.kind = kinds[dice.below(5)];
		h.length = 1 + dice.below(4);
		b.read(h, b.payload(h.length));
	} else {
		h.kind = MESSAGE_DATA;
		h.length = 1 + dice.below(3);
		Outgoing out;

		out.packet = request(h, b.payload(h.length));
		b.send.push_back(out);
	}
}

static void test_random(const char *name, uint64_t seed, void (*set)(Bench &), unsigned packets)
{
	dice = Random(seed);
	Bench b;

	b.set_vectors();
	set(b);
	for (unsigned i = 0; i < packets; i++) {
		random_packet(b);
		while (b.send.size() > 2 * READS + 8 || dice.percent(30)) {
			/* now and then the link stands still */
			if (!dice.below(b.hold_tx ? 300 : 3000))
				b.hold_tx = !b.hold_tx;
			b.step();
		}
	}
	b.hold_tx = false;
	b.post_share = b.rd_share = 0;
	b.drain();
	printf("# %s: %lu cycles, %lu accesses, %lu completions, %lu writes, %lu reads, %lu late, "
	       "%u requests at once\n",
	       name, b.cycle, b.requests, b.completions, b.seen, b.reads_sent, b.late,
	       b.max_pending);
	result(std::string("random packets: ") + name);
}

static void test_write_lengths()
{
	dice = Random(2);
	Bench b;

	for (unsigned length = 1; length <= 1024; length++)
		for (unsigned k = 0; k < 4; k++) {
			Header h;

			h.bar = 2;
			h.kind = MEMORY_WRITE | (k & 1 ? LONG : 0);
			h.addr = (k & 2 ? 4 : 0) + (k & 1 ? 0x700000000ull : 0x80000000ull);
			h.length = length;
			h.last_be = length == 1 ? 0 : 15;
			b.write(h, b.payload(length));
		}
	b.drain(4 * 1024 * 520);
	result("writes of 1 to 1024 double words, to each half of a word, with each header");
}

static void test_read_lengths()
{
	dice = Random(3);
	Bench b;

	for (unsigned length = 1; length <= 1024; length += length < 80 ? 1 : 59)
		for (unsigned start = 0; start<128; start += length> 80 ? 28 : 4) {
			Header h;

			h.bar = 2;
			h.kind = MEMORY_READ | (start & 8 ? LONG : 0);
			h.addr = start + (start & 8 ? 0x700000000ull : 0x80000000ull);
			h.length = length;
			h.last_be = length == 1 ? 0 : 15;
			h.tag = start;
			h.id = length;
			b.read(h);
		}
	b.drain(10000000);
	result("reads of 1 to 1024 double words from every place of 128 bytes");
}

static void test_enables()
{
	dice = Random(4);
	Bench b;

	for (unsigned length = 1; length < 6; length++)
		for (unsigned be = 0; be < (length == 1 ? 16 : 256); be++)
			for (unsigned start = 0; start < 2; start++) {
				Header h;

				h.bar = be & 2;
				h.addr = 0x80000000 + 4 * start + 16 * be;
				h.length = length;
				h.first_be = be & 15;
				h.last_be = be >> 4;
				h.tag = be;
				h.id = 2 * length + start;
				b.read(h);
				h.kind = MEMORY_WRITE;
				b.write(h, b.payload(length));
			}
	b.drain();
	result("all byte enables of 1 to 5 double words");
}

static void test_zero_length()
{
	dice = Random(5);
	Bench b;
	Header h;

	b.hold_posts = true;
	for (unsigned i = 0; i < 5; i++)
		b.random_post();
	h.bar = 2;
	h.addr = 0x80001000;
	h.first_be = 0;
	h.kind = MEMORY_WRITE;
	b.write(h, b.payload(1));
	b.run(50);
	if (b.requests)
		wrong("a write of no byte is an access");
	h.kind = MEMORY_READ;
	b.read(h);
	b.run(50);
	if (b.requests != 1 || b.completions)
		wrong("%lu accesses, %lu completions", b.requests, b.completions);
	b.hold_posts = false;
	b.drain();
	if (b.completions != 1)
		wrong("%lu completions", b.completions);
	result("a read of no byte reads ID_MAGIC, and comes after the writes that are due");
}

static void test_posted_goes_on()
{
	dice = Random(6);
	Bench b;
	Header h;

	b.hold_tx = true;
	h.bar = 2;
	h.length = 4;
	h.last_be = 15;
	h.addr = 0x80000000;
	for (unsigned i = 0; i < READS + 4; i++) {
		h.tag = i;
		h.kind = i == 1 ? IO_READ : MEMORY_READ;
		b.read(h);
	}
	for (unsigned i = 0; i < 4; i++)
		b.random_post();
	b.rd_share = 100;
	b.run(100);
	h.kind = MEMORY_WRITE;
	for (unsigned i = 0; i < 500; i++)
		b.write(h, b.payload(h.length));
	b.run(500 * 6 + 100);
	for (const Outgoing &out : b.send)
		if (!out.read)
			wrong("a write waits");
	if (!b.order.empty())
		wrong("%zu accesses wait", b.order.size());
	b.rd_share = 0;
	b.hold_tx = false;
	b.drain();
	result("writes go on while nothing leaves and every request waits");
}

static void test_no_reads()
{
	dice = Random(15);
	Bench b;

	b.np_share = 0;
	b.begin_fetch(0x1000, 0);
	b.run(20);
	b.post_share = 30;
	b.run(2000);
	b.post_share = 0;
	for (unsigned i = 0; i < 20000 && !(b.posts.empty() && b.expected.empty()); i++)
		b.step();
	if (b.reads_sent || !b.expected.empty() || b.seen < 100)
		wrong("%lu reads and %lu writes are sent", b.reads_sent, b.seen);
	b.np_share = 100;
	b.drain();
	if (b.reads_sent != 1)
		wrong("%lu reads are sent", b.reads_sent);
	result("writes leave while the link takes no reads");
}

static void test_poisoned()
{
	dice = Random(7);
	Bench b;
	Header h;

	h.bar = 2;
	h.kind = MEMORY_WRITE;
	h.addr = 0x80000100;
	h.length = 6;
	h.last_be = 15;
	h.poisoned = true;
	for (unsigned bar = 0; bar < 6; bar += 2) {
		h.bar = bar;
		b.write(h, b.payload(6));
	}
	h.bar = 2;
	h.poisoned = false;
	b.write(h, b.payload(6));
	b.drain();
	if (b.poisoned != 3 || b.unsupported || b.malformed)
		wrong("%lu poisoned, %lu unsupported, %lu malformed", b.poisoned, b.unsupported,
		      b.malformed);
	h.kind = MEMORY_READ;
	h.poisoned = true; /* it says something of data only */
	b.read(h);
	b.drain();
	if (b.poisoned != 3)
		wrong("a read is poisoned");
	result("a poisoned write changes nothing and is reported");
}

static void test_unsupported()
{
	dice = Random(8);
	Bench b;
	unsigned count = 0;

	for (unsigned kind :
	     { IO_READ, IO_WRITE, CONFIG_READ0, CONFIG_WRITE0, CONFIG_READ1, CONFIG_WRITE1,
	       FETCH_ADD, FETCH_ADD | LONG, SWAP, SWAP | LONG, CAS, CAS | LONG, DEFERRABLE_WRITE,
	       DEFERRABLE_WRITE | LONG, LOCKED_READ, LOCKED_READ | LONG }) {
		for (unsigned length = 1; length < 4; length++) {
			Header h;

			h.kind = kind;
			h.bar = 2;
			h.addr = kind & LONG ? 0x780000048ull : 0x80000048;
			h.length = length;
			h.last_be = length > 1 ? 7 : 0;
			h.first_be = 14;
			h.tag = ++count;
			b.read(h, b.payload(has_data(kind) ? length : 0));
		}
	}
	for (unsigned bar : { 1u, 3u, 5u, 6u, 7u }) {
		Header h;

		h.bar = bar;
		h.addr = 0x80000044;
		h.length = 3;
		h.last_be = 3;
		h.tag = ++count;
		b.read(h);
		h.kind = MEMORY_WRITE;
		b.write(h, b.payload(3));
		count++;
	}
	b.drain();
	if (b.unsupported != count || b.requests || b.malformed)
		wrong("%lu of %u reported, %lu accesses, %lu malformed", b.unsupported, count,
		      b.requests, b.malformed);
	for (unsigned kind : { MESSAGE, MESSAGE_DATA }) {
		Outgoing out;
		Header h;

		h.kind = kind;
		h.length = has_data(kind) ? 2 : 0;
		out.packet = request(h, b.payload(h.length));
		b.send.push_back(out);
	}
	b.drain();
	if (b.unsupported != count || b.malformed || b.completions != count - 5)
		wrong("a message counts");
	result("unsupported requests are completed as such and reported; messages pass unseen");
}

#ifndef BOARD
static void test_malformed()
{
	dice = Random(9);
	Bench b;
	Header h;
	Outgoing out;
	uint64_t count = 0;

	h.bar = 2;
	h.addr = 0x80000000;
	h.kind = MEMORY_WRITE;
	h.length = 8;
	h.last_be = 15;
	/* a write that ends early: the words that are there are written */
	for (unsigned left = 0; left < 8; left++) {
		b.write(h, b.payload(8));
		out = b.send.back();
		b.send.pop_back();
		out.packet.dw.resize(3 + left);
		out.accesses.resize(left / 2);
		b.send.push_back(out);
		count++;
	}
	b.drain();
	if (b.malformed != count)
		wrong("%lu of %lu short writes reported", b.malformed, count);
	/* headers that end early, and packets that do not end */
	for (unsigned kind : { MEMORY_WRITE, MEMORY_READ, MEMORY_WRITE | LONG, MEMORY_READ | LONG,
			       COMPLETION, COMPLETION_DATA })
		for (unsigned left = 1; left < (kind & LONG ? 4 : 3); left++) {
			h.kind = kind;
			out = Outgoing();
			out.packet = request(h);
			out.packet.dw.resize(left);
			b.send.push_back(out);
			count++;
		}
	h.kind = MEMORY_WRITE;
	for (unsigned kind : { PREFIX | MEMORY_WRITE, 0x03u, 0x4fu, 0x1fu }) {
		h.kind = kind;
		out.packet = request(h, b.payload(8));
		b.send.push_back(out);
		count++;
	}
	h.kind = MEMORY_WRITE;
	b.write(h, b.payload(8));
	b.drain();
	if (b.malformed != count)
		wrong("%lu of %lu reported", b.malformed, count);
	/* more than it says */
	b.write(h, b.payload(8));
	b.send.back().packet.dw.resize(40);
	b.write(h, b.payload(8));
	b.drain();
	/* another packet begins before one has ended; and beats that belong to none */
	b.write(h, b.payload(8));
	b.send.back().accesses.resize(1);
	b.step();
	while (b.sources[0].beats.size() != 3)
		b.step();
	b.sources[0].beats.clear();
	b.sources[0].valid = false;
	b.write(h, b.payload(8));
	b.drain();
	if (b.malformed != count + 1)
		wrong("a packet without an end is not reported");
	b.sources[0].beats = { { { 1, 2 }, 3, false, false }, { { 3, 4 }, 3, false, true } };
	b.sources[0].current = Outgoing();
	b.write(h, b.payload(8));
	b.drain();
	result("what follows a malformed packet is taken as it is");
}
#endif

static void test_messages()
{
	dice = Random(10);
	Bench b;
	Post p = { 2, 0, { 0, 0 }, 0, nullptr, 0 };

	auto post = [&](unsigned vector) {
		p.data[0] = vector;
		b.posts.push_back(p);
		b.run(300);
	};
	auto pending = [&](uint64_t bits) {
		ReadPointer r;
		Header h;

		h.bar = 4;
		h.addr = 0xfe000800;
		h.length = 2;
		h.last_be = 15;
		r = b.read(h);
		r->value[0] = bits;
		b.drain();
	};

	post(0); /* after a reset all are masked */
	post(1);
	pending(3);
	b.set_vectors();
	b.run(300);
	if (b.belated != 2)
		wrong("%u messages after unmasking", b.belated);
	pending(0);
	post(1);
	post(0);
	if (b.seen != 2 || b.belated != 2)
		wrong("%lu messages, %u late", b.seen, b.belated);
	b.set_table(3, 1ull << 32 | 0x4042);
	b.drain();
	post(1);
	post(1);
	post(0);
	if (b.seen != 3 || b.belated != 2)
		wrong("%lu messages, %u late", b.seen, b.belated);
	pending(2);
	b.top.msix_mask_i = 1;
	post(0);
	pending(3);
	b.set_table(3, 0x4042);
	b.drain();
	pending(3);
	b.top.msix_mask_i = 0;
	b.run(300);
	if (b.belated != 4)
		wrong("%u messages after the function's mask", b.belated);
	pending(0);
	b.top.bus_master_i = 0;
	post(0);
	pending(1);
	b.top.bus_master_i = 1;
	b.run(300);
	if (b.belated != 5)
		wrong("%u messages after bus mastering", b.belated);
	b.top.msix_mask_i = 1;
	post(1);
	pending(2);
	b.top.msix_enable_i = 0;
	b.run(2);
	post(0);
	pending(0);
	b.top.msix_enable_i = 1;
	b.top.msix_mask_i = 0;
	b.run(300);
	pending(0);
	if (b.belated != 5 || b.seen != 3)
		wrong("messages from before MSI-X was enabled");
	result("messages that may not be sent are pending until they may");
}

static void test_no_master()
{
	dice = Random(11);
	Bench b;

	b.set_vectors();
	b.top.bus_master_i = 0;
	b.post_share = 30;
	b.rd_share = 30;
	for (unsigned i = 0; i < 300; i++) {
		random_packet(b);
		b.run(20);
	}
	b.post_share = b.rd_share = 0;
	b.drain();
	b.run(100);
	if (b.seen || b.reads_sent || b.late || !b.refused || !b.answers)
		wrong("%lu writes, %lu reads, %lu late, %lu refused, %lu answers", b.seen,
		      b.reads_sent, b.late, b.refused, b.answers);
	b.top.bus_master_i = 1;
	b.run(40); /* the messages */
	b.post_share = b.rd_share = 30;
	b.run(2000);
	b.post_share = b.rd_share = 0;
	b.drain();
	result("no bus master: writes are refused, reads fail, the rest goes on");
}

static void test_late()
{
	dice = Random(12);
	Bench b;

	b.now = (1ull << 56) - TIMEOUT_NS / 2; /* the time wraps meanwhile */
	b.late_share = 100;		       /* nothing is answered */
	for (unsigned i = 0; i < 4; i++) {
		b.begin_fetch(0x1000 + 64 * i, i);
		while (b.rd_valid)
			b.step();
	}
	b.run(TIMEOUT_NS / PERIOD_NS * 5 / 4 + 1500);
	if (b.late != 4 || b.answers != 4)
		wrong("%lu late, %lu answers", b.late, b.answers);
	/* the card uses its tag again; the answer to the former read is not taken for its own */
	unsigned old = b.fetches[0].link_tag;

	b.begin_fetch(0x2000, 0);
	while (b.rd_valid)
		b.step();
	b.run(40);
	if (b.fetches[4].link_tag == old)
		wrong("the tag %u is used again at once", old);
	Outgoing out;

	out.packet = completion(ID, old, 0, 8, 0, { 1, 2 });
	b.send.push_back(out);
	b.run(40);
	if (b.answers != 4 || b.unexpected != 1)
		wrong("a late answer counts");
	b.send.push_back(out); /* and once more, when the tag is free */
	b.run(40);
	if (b.answers != 4 || b.unexpected != 2)
		wrong("an answer that nobody asked for counts");
	out.packet = completion(ID, LINK_TAGS == 256 ? 200 : LINK_TAGS, 0, 8, 0, { 1, 2 });
	b.send.push_back(out);
	b.run(40);
	if (b.answers != 4 || b.unexpected != 3)
		wrong("an answer to a tag that is not used counts");
	b.replies.push_back({ b.cycle, 4 });
	b.drain();
	b.by_link_tag.clear(); /* their rest is over some time later */
	b.run(TIMEOUT_NS / PERIOD_NS * 5 / 4 + 1500);
	/* never late: no read fails */
	b.top.never_late_i = 1;
	b.begin_fetch(0x3000, 1);
	while (b.rd_valid)
		b.step();
	b.run(3 * TIMEOUT_NS / PERIOD_NS);
	if (b.late != 4)
		wrong("a read fails though the completion time-out is disabled");
	b.replies.push_back({ b.cycle, 5 });
	b.drain();
	result("a read without an answer fails in time, and a late answer counts for nothing");
}

/* Reads that fail as there is no bus master hold up all else that concerns tags. */
static void test_not_early()
{
	dice = Random(16);
	Bench b;

	b.late_share = 100;
	for (unsigned phase = 0; phase < 40; phase++) {
		b.run(40 * phase); /* so that the time for others comes meanwhile, now and then */
		b.top.bus_master_i = 0;
		b.rd_share = 100;
		b.run(500);
		b.rd_share = 0;
		b.run(20);
		b.top.bus_master_i = 1;
		b.begin_fetch(0x1000 + 64 * phase, 0);
		while (b.rd_valid)
			b.step();
		for (unsigned i = 0; i < 2 * TIMEOUT_NS / PERIOD_NS && !b.by_card_tag.empty(); i++)
			b.step();
		if (b.late != phase + 1)
			wrong("%lu late, not %u", b.late, phase + 1);
	}
	result("no read fails before its time is over, though others fail all the time");
}

static void test_tags()
{
	dice = Random(13);
	Bench b;
	unsigned most = TAGS < 32 ? TAGS : 32;

	b.top.wide_tags_i = 0;
	b.late_share = 100;
	b.rd_share = 100;
	b.run(2000);
	if (b.reads_sent != most)
		wrong("%lu reads in flight with tags of 5 bits, not %u", b.reads_sent, most);
	/* with tags of 8 bits the others follow */
	b.top.wide_tags_i = 1;
	b.run(2000);
	if (b.reads_sent != TAGS)
		wrong("%lu reads in flight, not %u", b.reads_sent, TAGS);
	b.rd_share = 0;
	/* all fail, and their tags rest as long again; then there are as many as before */
	b.drain();
	b.by_link_tag.clear();
	b.run(2 * TIMEOUT_NS / PERIOD_NS);
	b.late_share = 0;
	b.rd_share = 100;
	b.top.wide_tags_i = 0;
	b.run(3000);
	b.rd_share = 0;
	b.drain();
	result("tags of 5 bits until those of 8 are enabled, and none is lost");
}

#ifndef BOARD
static void test_rate()
{
	dice = Random(14);
	Bench b;
	Header h;

	h.bar = 2;
	h.kind = MEMORY_WRITE | LONG;
	h.addr = 0x700000000;
	h.length = 2;
	h.last_be = 15;
	b.write(h, b.payload(2));
	b.run(20);
	uint64_t start = b.cycle;

	for (unsigned i = 0; i < 100; i++)
		b.write(h, b.payload(2));
	b.drain();
	printf("# a write of 8 bytes: %.2f cycles each, %lu from its first beat to the card\n",
	       (b.request_cycles[100] - b.request_cycles[1]) / 99., b.request_cycles[1] - start);
	if (b.request_cycles[100] - b.request_cycles[1] != 3 * 99)
		wrong("more than 3 cycles");
	if (b.request_cycles[1] - start != 3)
		wrong("the first takes %lu cycles", b.request_cycles[1] - start);
	h.length = 1024;
	b.write(h, b.payload(1024));
	b.request_cycles.clear();
	b.drain();
	if (b.request_cycles.back() - b.request_cycles.front() != 511)
		wrong("a write of 4 KiB takes %lu cycles",
		      b.request_cycles.back() - b.request_cycles.front());
	/* what leaves */
	Post p = { 0, 0x700000000, { 1, 2 }, 0, nullptr, 0 };

	for (unsigned i = 0; i < 100; i++)
		b.posts.push_back(p);
	start = b.cycle;
	while (b.seen != 100)
		b.step();
	printf("# a record: %.2f cycles each\n", (b.cycle - start) / 100.);
	if (b.cycle - start > 303)
		wrong("100 writes take %lu cycles", b.cycle - start);
	result("a packet of three beats takes three cycles, each way");
}
#endif

int main(int argc, char **argv)
{
	unsigned packets = argc > 1 ? atoi(argv[1]) : 3000;
	uint64_t seed = argc > 2 ? atoi(argv[2]) : 100;

	test_write_lengths();
	test_read_lengths();
	test_enables();
	test_zero_length();
	test_posted_goes_on();
	test_no_reads();
	test_poisoned();
	test_unsupported();
#ifndef BOARD /* there every packet has its header */
	test_malformed();
	test_rate();
#endif
	test_messages();
	test_no_master();
	test_late();
	test_not_early();
	test_tags();
	test_random(
		"at full speed", seed + 1, [](Bench &b) { b.post_share = 20, b.rd_share = 20; },
		packets);
	test_random(
		"a slow link", seed + 2,
		[](Bench &b) {
			b.post_share = 10, b.rd_share = 10, b.tx_share = 30, b.np_share = 30;
			b.reply_delay = 400;
		},
		packets);
	test_random(
		"a slow card", seed + 3,
		[](Bench &b) {
			b.post_share = 30, b.rd_share = 30, b.req_share = 30, b.card_share = 30;
			b.rx_share = 80;
		},
		packets);
	test_random(
		"reads that fail", seed + 4,
		[](Bench &b) {
			b.post_share = 10, b.rd_share = 30, b.error_share = 30, b.tx_share = 70;
			b.reply_delay = 300;
		},
		packets);
	test_random(
		"reads that are given up", seed + 6,
		[](Bench &b) {
			b.post_share = 10, b.rd_share = 10, b.late_share = 10, b.rest_share = 60;
			b.reply_delay = 100;
		},
		packets);
	test_random(
		"narrow tags", seed + 5,
		[](Bench &b) { b.post_share = 10, b.rd_share = 50, b.top.wide_tags_i = 0; },
		packets);
	return failures != 0;
}
