// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_board_us with the card in it, behind a model of pcie_us_if and of host memory: a barrier of
// two, as the driver and two threads do it. With --diagram it prints what goes over the streams
// from the last arrival on, as Documentation/hardware/board.rst has it.
#include "Vcard.h"
#include "Vcard___024root.h"
#include "hbs_regs.h"
#include "tlp.h"
#include <cstring>
#include <map>

using namespace tlp;

#define READS 8
#define TIMER 1000 /* cycles that anything may take */

static Random dice(1);

struct Machine {
	Vcard top;
	uint64_t cycle = 0;
	std::map<uint64_t, uint32_t> memory;
	std::deque<std::vector<uint32_t>> requests, answers; /* that the card is to get */
	size_t at[2] = {}; /* data of the first one that were sent */
	std::vector<uint32_t> packet, completed;
	unsigned landing = 0, credits = 0, tag = 0, asked = 0;
	std::vector<std::pair<uint64_t, uint32_t>> writes; /* double words, as they come */
	/* a line of the diagram for each of these, once the first one is to be shown */
	std::string lines[5];
	bool draws = false;

	Machine()
	{
		top.clk = 0;
		top.rst = 1;
		top.bus_master = 1;
		top.ext_tag_enable = 0;
		top.msix_enable = 1;
		top.msix_mask = 0;
		top.never_late = 0;
		top.eval();
		top.clk = 1;
		top.eval();
		top.clk = 0;
		top.rst = 0;
		/* the block counts what the card has room for */
		for (unsigned i = 0; i < 50; i++)
			step();
		if (credits != READS)
			wrong("%u credits", credits);
	}

	void draw()
	{
		const auto *r = top.rootp;
		static unsigned beats[2];
		auto add = [&](unsigned line, const char *text) {
			char field[16];

			snprintf(field, sizeof(field), "%-6s", text);
			lines[line] += field;
		};
		auto beat = [&](unsigned line, bool valid, bool ready, bool sop, uint64_t data) {
			static const char *const names[2][3] = { { "H0H1", "H2D0", "D1" },
								 { "H0H1", "H2H3", "D0D1" } };
			static unsigned headers[2];
			unsigned way = line != 0;
			unsigned &n = beats[way];

			if (valid && sop) {
				n = 0;
				headers[way] = data >> 29 & 1;
			}
			add(line, valid ? names[headers[way]][n] : ".");
			if (valid && ready)
				n++;
		};

		beat(0, r->hbs_board_us__DOT__u_card__DOT__rx_valid_i,
		     r->hbs_board_us__DOT__u_card__DOT__rx_ready_o,
		     r->hbs_board_us__DOT__u_card__DOT__rx_sop_i,
		     r->hbs_board_us__DOT__u_card__DOT__rx_data_i);
		add(1, r->hbs_board_us__DOT__u_card__DOT__req_valid ? "access" : ".");
		static const char *const kinds[] = { "write", "wide", "msg", "answer" };

		add(2, r->hbs_board_us__DOT__u_card__DOT__tx_valid
			       ? kinds[r->hbs_board_us__DOT__u_card__DOT__tx_kind]
			       : ".");
		beat(3, r->hbs_board_us__DOT__u_card__DOT__tx_valid_o,
		     r->hbs_board_us__DOT__u_card__DOT__tx_ready_i,
		     r->hbs_board_us__DOT__u_card__DOT__tx_sop_o,
		     r->hbs_board_us__DOT__u_card__DOT__tx_data_o);
		add(4, top.tx_wr_req_tlp_valid ? "packet" : ".");
	}

	/* the core sends a header beside the first data, and so do we */
	void drive(unsigned way, bool valid, std::vector<uint32_t> dw)
	{
		size_t head = valid && dw[0] >> 29 & 1 ? 4 : 3;
		uint32_t hdr[4] = {};
		uint64_t data = dice.word();
		unsigned strb = 0;
		bool eop = false;

		if (valid) {
			for (size_t i = 0; i < head; i++)
				hdr[3 - i] = dw[i];
			dw.erase(dw.begin(), dw.begin() + head);
			for (unsigned i = 0; i < 2 && at[way] + i < dw.size(); i++) {
				data = i ? (uint32_t)data | (uint64_t)dw[at[way] + i] << 32
					 : dw[at[way]];
				strb |= 1 << i;
			}
			eop = at[way] + 2 >= dw.size();
		}
		if (way == 0) {
			top.rx_req_tlp_valid = valid;
			top.rx_req_tlp_eop = eop;
			top.rx_req_tlp_strb = strb;
			top.rx_req_tlp_data = data;
			memcpy(&top.rx_req_tlp_hdr[0], hdr, 16);
		} else {
			top.rx_cpl_tlp_valid = valid;
			top.rx_cpl_tlp_eop = eop;
			top.rx_cpl_tlp_strb = strb;
			top.rx_cpl_tlp_data = data;
			top.rx_cpl_tlp_error = 0;
			memcpy(&top.rx_cpl_tlp_hdr[0], hdr, 16);
		}
	}

	void step()
	{
		drive(0, !requests.empty(),
		      requests.empty() ? std::vector<uint32_t>() : requests[0]);
		drive(1, !answers.empty(), answers.empty() ? std::vector<uint32_t>() : answers[0]);
		top.rx_req_tlp_bar_id = bars.empty() ? 0 : bars[0];
		top.tx_rd_req_tlp_ready = top.tx_wr_req_tlp_ready = top.tx_cpl_tlp_ready = 1;
		top.m_axis_wr_req_tx_seq_num_valid = landing != 0 && dice.percent(30);
		landing -= top.m_axis_wr_req_tx_seq_num_valid;
		top.eval();
		if (draws)
			draw();
		credits += top.pcie_cq_np_req;
		take();
		bool ended[2] = {
			top.rx_req_tlp_valid && top.rx_req_tlp_ready && top.rx_req_tlp_eop,
			top.rx_cpl_tlp_valid && top.rx_cpl_tlp_ready && top.rx_cpl_tlp_eop
		};

		if (top.rx_req_tlp_valid && top.rx_req_tlp_ready)
			at[0] = ended[0] ? 0 : at[0] + 2;
		if (top.rx_cpl_tlp_valid && top.rx_cpl_tlp_ready)
			at[1] = ended[1] ? 0 : at[1] + 2;
		if (ended[0]) {
			requests.pop_front();
			bars.pop_front();
		}
		if (ended[1])
			answers.pop_front();
		top.clk = 1;
		top.eval();
		top.clk = 0;
		top.eval();
		cycle++;
	}

	void take()
	{
		bool wr = top.tx_wr_req_tlp_valid, rd = top.tx_rd_req_tlp_valid;
		const VlWide<4> &hdr = wr   ? top.tx_wr_req_tlp_hdr
				       : rd ? top.tx_rd_req_tlp_hdr
					    : top.tx_cpl_tlp_hdr;
		Sent s;

		if (!wr && !rd && !top.tx_cpl_tlp_valid)
			return;
		if (rd || (wr ? top.tx_wr_req_tlp_sop : top.tx_cpl_tlp_sop)) {
			packet.clear();
			for (unsigned i = 0; i < (hdr[3] >> 29 & 1 ? 4 : 3); i++)
				packet.push_back(hdr[3 - i]);
		}
		for (unsigned i = 0; i < 2 && !rd; i++)
			if ((wr ? top.tx_wr_req_tlp_strb : top.tx_cpl_tlp_strb) >> i & 1)
				packet.push_back(
					(wr ? top.tx_wr_req_tlp_data : top.tx_cpl_tlp_data) >>
					32 * i);
		if (!rd && !(wr ? top.tx_wr_req_tlp_eop : top.tx_cpl_tlp_eop))
			return;
		if (!parse(packet, s)) {
			wrong("a malformed packet");
			return;
		}
		if (wr) {
			landing++;
			for (unsigned i = 0; i < s.data.size(); i++) {
				memory[s.addr + 4 * i] = s.data[i];
				writes.push_back({ s.addr + 4 * i, s.data[i] });
			}
		} else if (rd) {
			answers.push_back(completion(0, s.tag, 0, 8, s.addr & 127,
						     { memory[s.addr], memory[s.addr + 4] })
						  .dw);
		} else {
			if (s.status)
				wrong("status %u", s.status);
			completed = s.data;
		}
	}

	std::deque<unsigned> bars;

	void send(unsigned kind, unsigned bar, uint64_t addr, unsigned length,
		  const std::vector<uint32_t> &data = {}, unsigned first_be = 15)
	{
		Header h;

		h.kind = kind | LONG;
		h.addr = addr + (bar == 2 ? 0x380000000000 : 0xd0000000);
		h.length = length;
		h.first_be = first_be;
		h.last_be = length == 1 ? 0 : 15;
		h.tag = tag++;
		requests.push_back(request(h, data).dw);
		bars.push_back(bar);
	}

	void write(unsigned bar, uint64_t addr, uint32_t value)
	{
		send(MEMORY_WRITE, bar, addr, 1, { value });
	}

	void write8(unsigned bar, uint64_t addr, uint64_t value)
	{
		send(MEMORY_WRITE, bar, addr, 2, { (uint32_t)value, (uint32_t)(value >> 32) });
	}

	std::vector<uint32_t> read(unsigned bar, uint64_t addr, unsigned length = 1,
				   unsigned first_be = 15)
	{
		completed.clear();
		asked++;
		send(MEMORY_READ, bar, addr, length, {}, first_be);
		for (unsigned i = 0; i < TIMER && completed.empty(); i++)
			step();
		if (completed.size() != length) {
			wrong("a read of %u:%lx gives %zu double words", bar, addr,
			      completed.size());
			completed.resize(length);
		}
		return completed;
	}

	void expect(unsigned bar, uint64_t addr, uint32_t value)
	{
		uint32_t shown = read(bar, addr)[0];

		if (shown != value)
			wrong("%u:%lx is %x, not %x", bar, addr, shown, value);
	}

	void settle()
	{
		for (unsigned i = 0; i < 200; i++)
			step();
	}
};

static constexpr uint64_t group = HBSR_GRP_BASE, record = 0x123456780, message = 0xfee01000;

static void set_up(Machine &m)
{
	unsigned wait = 0;

	m.expect(0, HBSR_ID_MAGIC, HBSR_ID_MAGIC_DEFAULT);
	while (!(m.read(0, HBSR_CTL_STATUS)[0] & HBSR_CTL_STATUS_READY))
		if (wait++ == TIMER) {
			wrong("the card does not become ready");
			return;
		}
	m.write8(4, 16, message);
	m.write8(4, 24, 0x4711);
	m.write(0, HBSR_CTL_CTRL, HBSR_CTL_CTRL_ENABLE);
	m.write(0, group + HBSR_GRP_VACANT, 2);
	m.write(0, group + HBSR_GRP_VECTOR, 1);
	m.write(0, group + HBSR_GRP_RECORDS, 1);
	m.write8(0, group + HBSR_GRP_RECORD_ADDR(0), record);
	m.write(0, group + HBSR_GRP_CTRL, HBSR_GRP_CTRL_ENABLE);
	m.settle();
	m.expect(0, group + HBSR_GRP_STATUS, 0); /* the record was read back */
	for (unsigned port = 0; port < 2; port++)
		m.write(0, group + HBSR_GRP_COMMAND,
			HBSR_OP_JOIN | port << HBSR_GRP_COMMAND_ARG_SHIFT);
	m.write(0, group + HBSR_GRP_ARM, 1);
	m.write8(2, HBSR_LANE_ARRIVAL, 0);
	m.settle();
	m.writes.clear();
}

static void test_barrier(bool diagram)
{
	static constexpr unsigned cycles = 15;
	Machine m;

	set_up(m);
	m.write8(2, 0x10000 + HBSR_LANE_ARRIVAL, 0);
	m.draws = diagram;
	for (unsigned i = 0; diagram && i < cycles; i++)
		m.step();
	if (diagram) {
		static const char *const names[] = { "rx", "req", "card tx", "tx", "tx_wr_req" };

		printf("    %-10s", "cycle");
		for (unsigned i = 0; i < cycles; i++)
			printf("%-*u", i == cycles - 1 ? 0 : 6, i);
		printf("\n");
		for (unsigned i = 0; i < 5; i++) {
			while (m.lines[i].back() == ' ')
				m.lines[i].pop_back();
			printf("    %-10s%s\n", names[i], m.lines[i].c_str());
		}
		return;
	}
	m.settle();
	std::vector<std::pair<uint64_t, uint32_t>> due = { { record, 2 << 16 },
							   { record + 4, 0 },
							   { message, 0x4711 } };
	if (m.writes != due)
		wrong("%zu double words are written", m.writes.size());
	std::vector<uint32_t> lane = m.read(2, 0x10000 + HBSR_LANE_DEPARTURE, 4);

	if (lane != std::vector<uint32_t>{ 2 << 16, 0, 0, 0 })
		wrong("the lane shows %x", lane[0]);
	m.expect(0, group + HBSR_GRP_WORD, 2 << 16);
	result("a barrier of two: the record, then the message; the lane shows the word");

	m.read(0, HBSR_CNT_INTERRUPTS, 1, 0);
	m.read(2, 0x10000 + HBSR_LANE_DEPARTURE, 1, 0);
	m.expect(0, HBSR_CNT_BAD_ACCESSES, 0);
	m.expect(0, HBSR_CNT_INTERRUPTS, 1);
	result("a read of no byte is no access");

	m.top.bus_master = 0;
	for (unsigned port = 0; port < 2; port++)
		m.write8(2, 0x10000 * port + HBSR_LANE_ARRIVAL, 0);
	m.settle();
	if (!(m.read(0, group + HBSR_GRP_STATUS)[0] & HBSR_GRP_STATUS_BROKEN))
		wrong("the group is not broken");
	if (m.read(0, HBSR_CNT_DMA_ERRORS, 2)[0] == 0)
		wrong("no error is counted");
	if (m.writes != due)
		wrong("something is written");
	result("a card that is no bus master breaks the group");

	if (m.credits != READS + m.asked)
		wrong("%u credits for %u reads", m.credits, m.asked);
	result("the core gets a credit for each read, and those of the beginning");
}

int main(int argc, char **argv)
{
	test_barrier(argc > 1 && !strcmp(argv[1], "--diagram"));
	return failures != 0;
}
