// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_board_us_tx: the card's packets become those of three streams with the header beside the data,
// and a read or a completion leaves only when all writes before it have landed.
#include <deque>

#include "module.h"
#include "tlp.h"

using namespace module;

constexpr unsigned LANES = DATAWIDTH / 32;
constexpr unsigned SEQUENCES = 1 << SEQWIDTH;

enum Stream { WRITE, READ, COMPLETION };

struct Due {
	Stream stream;
	std::vector<uint32_t> header, data;
	uint64_t after; /* so many writes were before it */
};

class Bench
{
      public:
	Bench()
	{
		top.tx_valid_i = top.wr_ready_i = top.rd_ready_i = top.cpl_ready_i = 0;
		top.wr_seq_valid_i = 0;
		reset(top);
	}
	void cycle()
	{
		choose();
		top.eval();
		const bool taken = top.tx_valid_i && top.tx_ready_o;

		check_stays();
		take();
		tick(top);
		if (taken) {
			sent += std::min<std::size_t>(2, words.size() - sent);
			offered = false;
			if (sent == words.size())
				words.clear();
		}
	}
	void finish()
	{
		stopped = true;
		landing = 100;
		for (unsigned i = 0; i < 5000; i++)
			cycle();
		if (!due.empty())
			wrong("%zu packets are missing", due.size());
		met("writes", streams[WRITE]);
		met("reads", streams[READ]);
		met("completions", streams[COMPLETION]);
		met("packets of several beats", beats);
		met("cycles in which a packet waits for writes to land", waits);
		met("cycles with as many writes in flight as are counted", most);
	}

      private:
	void choose()
	{
		if (!dice.below(2000)) {
			share = dice.percent(30) ? 100 : 10 + dice.below(90);
			landing = dice.percent(30) ? 0 : dice.percent(30) ? 100 : dice.below(60);
			only_writes = dice.percent(50);
		}
		if (words.empty() && !stopped && dice.percent(80))
			begin();
		if (!words.empty() && !offered)
			offered = dice.percent(90);
		top.tx_valid_i = offered;
		if (offered) {
			top.tx_sop_i = !sent;
			top.tx_eop_i = sent + 2 >= words.size();
			top.tx_keep_i = sent + 1 < words.size() ? 3 : 1;
			top.tx_data_i = words[sent];
			top.tx_data_i |= sent + 1 < words.size() ? (uint64_t)words[sent + 1] << 32
								 : dice.word() << 32;
		}
		top.wr_ready_i = dice.percent(share);
		top.rd_ready_i = dice.percent(share);
		top.cpl_ready_i = dice.percent(share);
		/* numbers come back in any of the ports, of writes that have left */
		top.wr_seq_valid_i = 0;
		for (unsigned i = 0; i < SEQCOUNT; i++) {
			if (flying && dice.percent(landing)) {
				top.wr_seq_valid_i |= 1 << i;
				flying--;
				landed++;
			}
		}
	}
	void begin()
	{
		const Stream stream = only_writes ? WRITE : (Stream)dice.below(3);
		/* what the card sends: at most four double words are written, and 32 completed */
		const unsigned length = stream == WRITE	 ? 1 + dice.below(4)
					: stream == READ ? 0
							 : dice.below(33);
		const bool is_long = stream != COMPLETION && dice.below(2);
		unsigned kind = stream == WRITE	 ? tlp::MEMORY_WRITE
				: stream == READ ? tlp::MEMORY_READ
				: length	 ? tlp::COMPLETION_DATA
						 : tlp::COMPLETION;
		Due d = { stream, {}, {}, begun };

		kind |= is_long ? tlp::LONG : 0;
		d.header.push_back(kind << 24 | length);
		for (unsigned i = 1; i < (is_long ? 4 : 3); i++)
			d.header.push_back(dice.word());
		for (unsigned i = 0; i < length; i++)
			d.data.push_back(dice.word());
		words = d.header;
		words.insert(words.end(), d.data.begin(), d.data.end());
		d.header.resize(4);
		sent = 0;
		begun += stream == WRITE;
		due.push_back(d);
	}

	bool valid(Stream stream) const
	{
		return stream == WRITE ? top.wr_valid_o : stream == READ ? top.rd_valid_o : top.cpl_valid_o;
	}
	bool ready(Stream stream) const
	{
		return stream == WRITE ? top.wr_ready_i : stream == READ ? top.rd_ready_i : top.cpl_ready_i;
	}
	void check_stays()
	{
		const unsigned n = top.wr_valid_o + top.rd_valid_o + top.cpl_valid_o;

		if (n > 1)
			wrong("two streams at once");
		if (held && !n)
			wrong("what is offered goes away");
		held = false;
		waits += !n && !due.empty() && due.front().stream != WRITE && landed < due.front().after;
		most += flying == 255;
	}
	void take()
	{
		for (const Stream stream : { WRITE, READ, COMPLETION }) {
			if (!valid(stream))
				continue;
			held = !ready(stream);
			if (due.empty() || due.front().stream != stream) {
				wrong("a packet of stream %d that is not the next", stream);
				continue;
			}
			/* what lands in this cycle is known in the next */
			if (stream != WRITE &&
			    landed - __builtin_popcount(top.wr_seq_valid_i) < due.front().after)
				wrong("a packet passes a write that has not landed");
			if (ready(stream))
				take_beat(due.front());
		}
	}
	void take_beat(const Due &d)
	{
		const unsigned left = d.data.size() - got, count = std::min(left, LANES);

		if (top.sop_o != !got || top.eop_o != (left <= LANES))
			wrong("where a packet begins or ends");
		if (top.strb_o != ones(count))
			wrong("the lanes of a beat are %lx, not %u", (uint64_t)top.strb_o, count);
		for (unsigned i = 0; i < count; i++)
			if (get(top.data_o, { 32 * i, 32 }) != d.data[got + i])
				wrong("double word %u", got + i);
		for (unsigned i = 0; i < 4; i++)
			if (get(top.hdr_o, { 96 - 32 * i, 32 }) != d.header[i])
				wrong("double word %u of a header", i);
		if (d.stream == WRITE && top.wr_seq_o != streams[WRITE] % SEQUENCES)
			wrong("a write's sequence number");
		beats += !got && left > LANES;
		got += count;
		if (!top.eop_o)
			return;
		streams[d.stream]++;
		flying += d.stream == WRITE;
		got = 0;
		due.pop_front();
	}

	Random dice;
	Vtop top;
	std::deque<Due> due;
	std::vector<uint32_t> words;
	std::size_t sent = 0;
	unsigned share = 90, landing = 50, flying = 0, got = 0;
	bool offered = false, stopped = false, held = false, only_writes = false;
	uint64_t begun = 0, landed = 0, beats = 0, waits = 0, most = 0, streams[3] = {};
};

int main(int argc, char **argv)
{
	const uint64_t cycles = cycles_of(argc, argv);
	Bench bench;

	for (uint64_t i = 0; i < cycles; i++)
		bench.cycle();
	bench.finish();
	result("one stream of packets becomes three, " + std::to_string(DATAWIDTH) +
	       " bits wide, and keeps its order");
	return failures != 0;
}
