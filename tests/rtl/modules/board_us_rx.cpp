// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_board_us_rx: packets whose header is beside their data become packets whose header goes before
// them, one stream of two; nothing is lost, made or turned round within either.
#include <deque>

#include "module.h"
#include "tlp.h"

using namespace module;

constexpr unsigned LANES = DATAWIDTH / 32;

/* A packet on its way: the double words as the card's stream must have them */
struct Due {
	std::vector<uint32_t> dw;
	unsigned bar;
};

/* One of the two streams that come */
struct Source {
	std::deque<Due> due;
	std::vector<uint32_t> header, data;
	unsigned sent = 0, bar = 0, error = 0;
	bool busy = false, valid = false;
};

class Bench
{
      public:
	Bench()
	{
		top.req_valid_i = top.cpl_valid_i = top.rx_ready_i = 0;
		reset(top);
	}
	void cycle()
	{
		if (!dice.below(500)) {
			share = dice.percent(30) ? 100 : 10 + dice.below(90);
			gaps = dice.percent(50) ? 0 : dice.below(80);
		}
		choose(requests, false);
		choose(completions, true);
		top.rx_ready_i = dice.percent(share);
		top.eval();
		const bool req = top.req_valid_i && top.req_ready_o;
		const bool cpl = top.cpl_valid_i && top.cpl_ready_o;

		if (req && cpl)
			wrong("both streams are taken at once");
		check_stays();
		if (top.rx_valid_o && top.rx_ready_i)
			take();
		tick(top);
		if (req)
			advance(requests);
		if (cpl)
			advance(completions);
	}
	void finish()
	{
		stopped = true;
		share = 100;
		for (unsigned i = 0; i < 5000; i++)
			cycle();
		if (!requests.due.empty() || !completions.due.empty() || !packet.empty())
			wrong("packets are missing");
		met("requests", packets[0]);
		met("completions", packets[1]);
		met("completions with an error of the block", errors);
		met("packets of several beats", beats);
		met("packets without data", empty);
		met("beats that had to wait", waits);
	}

      private:
	void choose(Source &s, bool is_cpl)
	{
		if (!s.busy && !stopped && dice.percent(70))
			begin(s, is_cpl);
		/* a beat that is offered stays */
		if (s.busy && !s.valid)
			s.valid = !dice.percent(gaps);
		drive(s, is_cpl);
	}
	void begin(Source &s, bool is_cpl)
	{
		const bool is_long = !is_cpl && dice.below(2);
		const unsigned length = dice.percent(30) ? 0
					: dice.percent(70) ? 1 + dice.below(2 * LANES + 3)
							   : 1 + dice.below(70);
		Due due;

		s.header.assign(4, 0);
		for (unsigned i = 0; i < (is_long ? 4 : 3); i++)
			s.header[i] = dice.word();
		s.header[0] &= ~(tlp::LONG << 24 | 1u << 14);
		s.header[0] |= is_long ? tlp::LONG << 24 : 0;
		s.data.clear();
		for (unsigned i = 0; i < length; i++)
			s.data.push_back(dice.word());
		s.bar = dice.below(8);
		s.error = is_cpl && dice.percent(5) ? 1 + dice.below(15) : 0;
		errors += s.error != 0;
		due.dw.assign(s.header.begin(), s.header.begin() + (is_long ? 4 : 3));
		/* whatever has gone wrong, the data are not to be used */
		if (s.error)
			due.dw[0] |= 1u << 14;
		due.dw.insert(due.dw.end(), s.data.begin(), s.data.end());
		due.bar = is_cpl ? 7 : s.bar;
		s.due.push_back(due);
		s.sent = 0;
		s.busy = true;
		beats += length > LANES;
		empty += !length;
	}
	void drive(Source &s, bool is_cpl)
	{
		const unsigned left = s.data.size() - s.sent, count = std::min(left, LANES);
		auto &data = is_cpl ? top.cpl_data_i : top.req_data_i;
		auto &header = is_cpl ? top.cpl_hdr_i : top.req_hdr_i;

		(is_cpl ? top.cpl_valid_i : top.req_valid_i) = s.valid;
		if (!s.valid)
			return;
		(is_cpl ? top.cpl_eop_i : top.req_eop_i) = left <= LANES;
		(is_cpl ? top.cpl_strb_i : top.req_strb_i) = ones(count);
		for (unsigned i = 0; i < LANES; i++)
			set(data, { 32 * i, 32 }, i < count ? s.data[s.sent + i] : dice.word());
		/* the first double word is in the upper bits */
		for (unsigned i = 0; i < 4; i++)
			set(header, { 96 - 32 * i, 32 }, s.header[i]);
		if (is_cpl)
			top.cpl_error_i = s.error;
		else
			top.req_bar_id_i = s.bar;
	}
	static void advance(Source &s)
	{
		s.sent += std::min<unsigned>(s.data.size() - s.sent, LANES);
		s.valid = false;
		s.busy = s.sent < s.data.size();
	}
	void check_stays()
	{
		const uint64_t data = top.rx_keep_o == 3 ? top.rx_data_o : top.rx_data_o & ones(32);

		/* but for a completion that comes while a request's first beat waits */
		if (held && !(packet.empty() && top.cpl_valid_i) &&
		    (!top.rx_valid_o || data != last_data || top.rx_eop_o != last_eop ||
		     top.rx_keep_o != last_keep))
			wrong("what is offered changes");
		held = top.rx_valid_o && !top.rx_ready_i;
		last_data = data;
		last_eop = top.rx_eop_o;
		last_keep = top.rx_keep_o;
		waits += held;
	}
	void take()
	{
		if (top.rx_sop_o != packet.empty())
			wrong("where a packet begins");
		if (packet.empty())
			bar = top.rx_bar_o;
		packet.push_back(top.rx_data_o);
		if (top.rx_keep_o == 3)
			packet.push_back(top.rx_data_o >> 32);
		else if (top.rx_keep_o != 1 || !top.rx_eop_o)
			wrong("a gap in a packet");
		if (!top.rx_eop_o)
			return;
		const bool is_cpl = bar == 7 && !completions.due.empty() &&
				    completions.due.front().dw == packet;
		Source &s = is_cpl ? completions : requests;

		if (s.due.empty() || s.due.front().dw != packet || s.due.front().bar != bar)
			wrong("a packet of %zu double words is not the one that came", packet.size());
		else
			s.due.pop_front();
		packets[is_cpl]++;
		packet.clear();
	}

	Random dice;
	Vtop top;
	Source requests, completions;
	std::vector<uint32_t> packet;
	unsigned share = 100, gaps = 0, bar = 0, last_keep = 0;
	uint64_t last_data = 0;
	bool held = false, last_eop = false, stopped = false;
	uint64_t packets[2] = {}, errors = 0, beats = 0, empty = 0, waits = 0;
};

int main(int argc, char **argv)
{
	const uint64_t cycles = cycles_of(argc, argv);
	Bench bench;

	for (uint64_t i = 0; i < cycles; i++)
		bench.cycle();
	bench.finish();
	result("two streams of packets become one, " + std::to_string(DATAWIDTH) + " bits wide");
	return failures != 0;
}
