/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The only file that knows what Verilator makes of the card. */
#include "card.h"

#include <cstring>

#include <verilated.h>
#include <verilated_cov.h>

#include "Vcard.h"
#include "Vcard___024root.h"

namespace hbs
{
namespace
{
/* The kinds of a step, as hbs_pkg.sv has them */
enum Kind {
	KIND_NONE,
	KIND_STORE,
	KIND_LOAD,
	KIND_WRITE,
	KIND_READ,
	KIND_ANSWER,
	KIND_FAIL,
	KIND_EXPIRE,
	KIND_SCAN,
	KIND_WIPE,
	KIND_NOTE,
	KIND_EXPIRED,
	KIND_GATHER,
	KIND_FOLD,
	KIND_COMPLETE,
	KIND_RESUME,
	KIND_MOVE,
	KIND_START,
	KIND_DEPART,
};

/* What a read is for */
const Use USES[] = { Use::WORD,	 Use::OPERAND,	 Use::CHECK,
		     Use::CHECK, Use::LAST_WORD, Use::LAST_OPERAND };

/* The states of hbs_poll */
enum { POLL_WAIT = 1, POLL_GROUP = 2 };
} // namespace

struct Card::Verilated {
	VerilatedContext context;
	Vcard top{ &context };
	unsigned poll_state = 0;
};

Card::Card() : card(new Verilated), outputs()
{
}

Card::~Card()
{
	card->top.final();
}

Parameters Card::parameters()
{
	return { PORTS, GROUPS, RECORDS, CARD_FEATURES, TAGS, READS, WIDE };
}

const Outputs &Card::settle(const Inputs &in)
{
	Vcard &top = card->top;
	Vcard___024root &root = *top.rootp;
	Trace &trace = outputs.trace;

	top.clk_i = 0;
	top.rst_ni = !in.reset;
	top.now_i = in.now;
	top.msix_enable_i = in.msix;
	top.req_valid_i = in.req_valid;
	top.req_write_i = in.req.write;
	top.req_lane_i = in.req.lane;
	top.req_addr_i = in.req.addr >> 3;
	top.req_be_i = in.req.enables;
	top.req_data_i = in.req.data;
	top.req_tag_i = in.req.tag;
	top.tx_ready_i = in.tx_ready;
	top.tx_refused_i = in.tx_refused;
	top.rd_ready_i = in.rd_ready;
	top.ans_valid_i = in.ans_valid;
	top.ans_error_i = in.ans_error;
	top.ans_tag_i = in.ans_tag;
	top.ans_data_i = in.ans_data;
	top.eval();

	outputs.req_ready = top.req_ready_o;
	outputs.tx_valid = top.tx_valid_o;
	outputs.tx_kind = top.tx_kind_o;
	outputs.tx_addr = top.tx_addr_o;
	outputs.tx_data[0] = (uint64_t)top.tx_data_o[1] << 32 | top.tx_data_o[0];
	outputs.tx_data[1] = (uint64_t)top.tx_data_o[3] << 32 | top.tx_data_o[2];
	outputs.tx_tag = top.tx_tag_o;
	outputs.rd_valid = top.rd_valid_o;
	outputs.rd_addr = top.rd_addr_o;
	outputs.rd_tag = top.rd_tag_o;
	outputs.ready = top.ready_o;
	outputs.idle = top.idle_o;

	trace.step = Step::NONE;
	trace.group = root.hbs_card__DOT__u_engine__DOT__u_core__DOT__step_group_q;
	trace.port = root.hbs_card__DOT__u_engine__DOT__u_core__DOT__step_port_q;
	trace.tag = root.hbs_card__DOT__u_engine__DOT__u_core__DOT__step_tag_q;
	trace.dropped = root.hbs_card__DOT__u_engine__DOT__u_core__DOT__step_dropped_q;
	trace.operation = root.hbs_card__DOT__u_engine__DOT__u_core__DOT__step_error_q;
	trace.use = USES[root.hbs_card__DOT__u_engine__DOT__u_core__DOT__step_use_q % 6];
	trace.busy = root.hbs_card__DOT__u_engine__DOT__u_core__DOT__busy_q;
	if (root.hbs_card__DOT__u_engine__DOT__u_core__DOT__step_valid_q) {
		switch (root.hbs_card__DOT__u_engine__DOT__u_core__DOT__step_kind_q) {
		case KIND_STORE:
		case KIND_LOAD:
		case KIND_WRITE:
		case KIND_READ:
			trace.step = Step::ACCESS;
			break;
		case KIND_ANSWER:
			trace.step = Step::ANSWER;
			break;
		case KIND_FAIL:
			trace.step = Step::FAILED;
			break;
		case KIND_EXPIRED:
			trace.step = Step::EXPIRY;
			break;
		case KIND_DEPART:
			trace.step = Step::FINISH;
			break;
		case KIND_START:
			trace.step = Step::ANEW;
			break;
		case KIND_RESUME:
			trace.step = Step::RESUME;
			break;
		}
	}
	trace.takes = root.hbs_card__DOT__u_engine__DOT__u_core__DOT__takes_request;
	const unsigned poll = root.hbs_card__DOT__u_engine__DOT__u_poll__DOT__state_q;

	trace.round = card->poll_state == POLL_WAIT && poll == POLL_GROUP;
	card->poll_state = poll;
	return outputs;
}

void Card::tick()
{
	card->top.clk_i = 1;
	card->top.eval();
}

void Card::write_coverage(const char *path)
{
	card->context.coveragep()->write(path);
}
} // namespace hbs
