/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Part of struct Bench in tlp_front.cpp: the link is the open core's pcie_us_if. It has one queue
 * each for writes, reads and completions. What it sends next is of any of them, and it says when a
 * write is so far that nothing passes it.
 */
std::deque<std::vector<uint32_t>> queues[3]; /* of writes, reads, completions */
unsigned landed = 0;			     /* writes that are far enough, but not told */
unsigned last_seq = 31;
struct {
	unsigned valid = 0;
	bool taken = false;
	std::vector<uint32_t> all;
} last_wide;

static void put(QData &signal, const std::vector<uint32_t> &words)
{
	signal = words[0] | (uint64_t)words[1] << 32;
}

template <std::size_t N> static void put(VlWide<N> &signal, const std::vector<uint32_t> &words)
{
	for (std::size_t i = 0; i < N; i++)
		signal[i] = words[i];
}

static uint32_t get(const QData &signal, unsigned lane)
{
	return signal >> 32 * lane;
}

template <std::size_t N> static uint32_t get(const VlWide<N> &signal, unsigned lane)
{
	return signal[lane];
}

void drive(unsigned which, bool valid, const Beat &beat, const Packet &packet)
{
	std::vector<uint32_t> header = payload(4);
	bool error = false;

	if (valid) {
		/* the first double word is in the upper bits */
		for (unsigned i = 0; i < (packet.dw[0] >> 29 & 1 ? 4 : 3); i++)
			header[3 - i] = packet.dw[i];
		/* the core tells of poisoned data beside the header, too */
		error = which == 1 && header[3] >> 14 & 1;
		if (error && packet.dw[2] & 256)
			header[3] &= ~(1u << 14);
	}
	if (which == 0) {
		top.req_valid_i = valid;
		put(top.req_data_i, beat.data);
		top.req_strb_i = beat.strb;
		top.req_eop_i = beat.eop;
		put(top.req_hdr_i, header);
		top.req_bar_id_i = valid ? packet.bar : dice.below(8);
	} else {
		top.cpl_valid_i = valid;
		put(top.cpl_data_i, beat.data);
		top.cpl_strb_i = beat.strb;
		top.cpl_eop_i = beat.eop;
		put(top.cpl_hdr_i, header);
		top.cpl_error_i = error ? 1 + dice.below(15) : 0;
	}
}

bool is_taken(unsigned which) const
{
	return which ? top.cpl_ready_o : top.req_ready_o;
}

void drive_link()
{
	top.wr_ready_i = !hold_tx && dice.percent(tx_share);
	top.rd_ready_i = !hold_tx && dice.percent(np_share);
	top.cpl_ready_i = !hold_tx && dice.percent(tx_share);
	top.wr_seq_valid_i = landed == 0 || dice.percent(80) ? 0
			     : landed == 1		     ? 1 + dice.below(2)
							     : 3;
	landed -= top.wr_seq_valid_i == 3 ? 2 : top.wr_seq_valid_i != 0;
}

void check_link()
{
	unsigned valid = top.wr_valid_o | top.rd_valid_o << 1 | top.cpl_valid_o << 2;
	std::vector<uint32_t> all = { (uint32_t)(top.sop_o | top.eop_o << 1), top.strb_o };

	for (unsigned i = 0; i < 4; i++)
		all.push_back(get(top.hdr_o, i));
	for (unsigned lane = 0; lane < LANES; lane++)
		all.push_back(top.strb_o >> lane & 1 ? get(top.data_o, lane) : 0);
	if (last_wide.valid && !last_wide.taken &&
	    (valid != last_wide.valid || all != last_wide.all))
		wrong("what is offered to the core changes");
	if (valid & (valid - 1))
		wrong("a packet is offered to two queues");
	last_wide.valid = valid;
	last_wide.all = all;
	last_wide.taken = (top.wr_valid_o && top.wr_ready_i) ||
			  (top.rd_valid_o && top.rd_ready_i) ||
			  (top.cpl_valid_o && top.cpl_ready_i);
}

void take_link()
{
	unsigned queue;

	if (last_wide.taken) {
		if (top.sop_o != incoming.empty())
			wrong("a beginning within a packet, or none");
		if (top.sop_o)
			for (unsigned i = 0; i < (get(top.hdr_o, 3) >> 29 & 1 ? 4 : 3); i++)
				incoming.push_back(get(top.hdr_o, 3 - i));
		if (top.strb_o & (top.strb_o + 1) || (!top.eop_o && top.strb_o + 1 != 1u << LANES))
			wrong("strb is %x", top.strb_o);
		for (unsigned lane = 0; lane < LANES; lane++)
			if (top.strb_o >> lane & 1)
				incoming.push_back(get(top.data_o, lane));
		if (top.wr_valid_o && top.sop_o) {
			if (top.wr_seq_o != ((last_seq + 1) & 31))
				wrong("the sequence number %u", top.wr_seq_o);
			last_seq = top.wr_seq_o;
		}
		if (top.eop_o) {
			queues[top.wr_valid_o ? 0 : top.rd_valid_o ? 1 : 2].push_back(incoming);
			incoming.clear();
		}
	}
	/* the core sends one of them; a write that it has sent is told of later */
	queue = dice.below(3);
	if (!queues[queue].empty() && dice.percent(queue ? 50 : 20)) {
		take_packet(queues[queue].front());
		queues[queue].pop_front();
		landed += queue == 0;
	}
}
