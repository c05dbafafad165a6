// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_msix against a model of the table and the pending bits of PCI, at random.
#include "module.h"

using namespace module;

int main(int argc, char **argv)
{
	const uint64_t cycles = cycles_of(argc, argv);
	Random dice;
	Vtop top;
	uint64_t word[4] = { 0, 1ull << 32, 0, 1ull << 32 };
	static const uint64_t kept[4] = { ~3ull, 0x1ffffffff, ~3ull, 0x1ffffffff };
	unsigned pending = 0, sent = 0, late = 0;

	top.enable_i = top.mask_i = top.bus_master_i = 0;
	top.write_i = top.raise_i = top.late_ready_i = 0;
	reset(top);
	for (uint64_t cycle = 0; cycle < cycles; cycle++) {
		bool may[2];

		if (!dice.below(50))
			top.enable_i = !dice.percent(10);
		if (!dice.below(50))
			top.mask_i = dice.percent(30);
		if (!dice.below(50))
			top.bus_master_i = !dice.percent(30);
		top.write_i = dice.percent(10);
		top.addr_i = dice.percent(60)	? dice.below(4)
			     : dice.percent(50) ? 0x100
						: dice.below(512);
		top.be_i = dice.percent(50) ? 255 : dice.word();
		top.data_i = dice.word();
		top.raise_i = dice.percent(20);
		top.vector_i = dice.below(2);
		top.late_ready_i = dice.percent(30);
		top.eval();

		uint64_t shows = top.addr_i < 4	       ? word[top.addr_i]
				 : top.addr_i == 0x100 ? pending
						       : 0;

		if (top.data_o != shows)
			wrong("%x reads as %lx, not %lx", top.addr_i * 8, (uint64_t)top.data_o,
			      shows);
		for (unsigned v = 0; v < 2; v++)
			may[v] = top.enable_i && !top.mask_i && top.bus_master_i &&
				 !(word[2 * v + 1] >> 32);
		unsigned v = top.vector_i;

		if (top.send_o != (top.raise_i && may[v]))
			wrong("send is %u", top.send_o);
		if (top.send_o && (top.send_addr_o << 2 != word[2 * v] ||
				   top.send_data_o != (uint32_t)word[2 * v + 1]))
			wrong("a message of %u", v);
		unsigned ready = (pending & 1 && may[0]) | (pending & 2 && may[1]) << 1;
		unsigned w = ready & 1 ? 0 : 1;

		if (top.late_valid_o != (ready != 0))
			wrong("a pending message is %u", top.late_valid_o);
		if (ready && (top.late_addr_o << 2 != word[2 * w] ||
			      top.late_data_o != (uint32_t)word[2 * w + 1]))
			wrong("a pending message of %u", w);
		sent += top.send_o;
		if (ready && top.late_ready_i) {
			pending &= ~(1u << w);
			late++;
		}
		if (top.raise_i)
			pending = may[v] ? pending & ~(1u << v) : pending | 1u << v;
		if (!top.enable_i)
			pending = 0;
		if (top.write_i && top.addr_i < 4) {
			uint64_t mask = 0;

			for (unsigned k = 0; k < 8; k++)
				mask |= top.be_i >> k & 1 ? 0xffull << 8 * k : 0;
			word[top.addr_i] = ((word[top.addr_i] & ~mask) | (top.data_i & mask)) &
					   kept[top.addr_i];
		}
		tick(top);
	}
	met("messages sent at once", sent);
	met("pending messages", late);
	result("the MSI-X table and the pending bits are as PCI has them");
	return failures != 0;
}
