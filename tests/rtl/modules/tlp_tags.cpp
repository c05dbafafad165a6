// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_tlp_tags between models of the card and of the link: each read gets one answer, its own or an
// error when its time is over; a tag is not used again while an answer for it may still come.
#include <map>
#include <vector>

#include "module.h"

using namespace module;

constexpr uint64_t EIGHTH = (TIMEOUTNS + 7) / 8;
/*
 * The time of a read is over within so many rounds, of which each has the time of an eighth of the
 * time-out, and the cycles for a sweep over all tags: between two of them a completion or a search
 * may come.
 */
constexpr uint64_t ROUNDS = 12, ROUND_CYCLES = 5 * LINKTAGS + 40;

/* A tag on the link that is not free */
struct Tag {
	bool late;
	unsigned card;
	uint64_t addr;
	uint64_t since; /* when its time began, in ns */
	uint64_t round; /* when it began, or a time-out was enabled */
};

class Bench
{
      public:
	/* After a reset, soon before the time begins anew at 0 */
	void begin_anew()
	{
		now = round_time = ones(56) - dice.below(50000);
		card.assign(TAGS, false);
		link.clear();
		due = {};
		sends.first = fails = -1;
		due_unexpected = offered = was_taken = was_never_late = false;
		was_wide = true;
		back_waits = 0;
		step = 100;
		top.rd_valid_i = top.link_ready_i = top.back_valid_i = 0;
		top.bus_master_i = top.wide_tags_i = 1;
		top.never_late_i = 0;
		top.now_i = now;
		reset(top);
		/* all tags are cleared first */
		for (unsigned i = 0; i < LINKTAGS + 2; i++)
			tick(top);
	}
	void cycle()
	{
		choose();
		top.eval();
		watch_answer();
		watch_link();
		take_read();
		take_back();
		watch_times();
		tick(top);
		forget();
	}
	void totals()
	{
		met("reads", reads);
		met("answers", answers);
		met("reads whose time is over", timed_out);
		met("answers that come late", late_backs);
		met("completions for no read", unexpected);
		met("reads that fail at once", refused);
		met("reads that had to wait for a tag", starved);
		met("tags that became free without their answer", expired);
	}

      private:
	void choose()
	{
		if (!dice.below(1500)) {
			step = dice.below(4) ? 1 + dice.below(8) : 50;
			back_share = dice.below(3) ? dice.below(60) : 0;
			/* at times the link takes nothing for longer than a time-out */
			link_share = dice.percent(20) ? 0 : 1 + dice.below(100);
			/* tags of 5 bits: only those of before may be above */
			top.wide_tags_i = dice.below(2);
			top.never_late_i = dice.percent(30);
		}
		if (!dice.below(50))
			top.bus_master_i = !dice.percent(20);
		time_before = now;
		/* the end of the time is leapt over, and perhaps the next tick */
		now += now <= ones(56) && ones(56) - now < EIGHTH ? EIGHTH / 2 : dice.below(step + 1);
		top.now_i = now & ones(56);
		top.link_ready_i = dice.percent(link_share);
		if (!top.rd_valid_i && dice.percent(50))
			offer_read();
		if (!top.back_valid_i && dice.percent(back_share))
			offer_back();
	}
	void offer_read()
	{
		const unsigned tag = dice.below(TAGS);

		if (card[tag])
			return; /* the card has a read with it */
		top.rd_valid_i = 1;
		top.rd_tag_i = tag;
		top.rd_addr_i = dice.word() & ones(62);
	}
	void offer_back()
	{
		top.back_valid_i = 1;
		top.back_error_i = dice.percent(20);
		top.back_data_i = dice.word();
		top.back_tag_i = dice.below(256);
		if (dice.percent(95) && !link.empty()) {
			auto tag = link.begin();

			std::advance(tag, dice.below(link.size()));
			top.back_tag_i = tag->first;
		}
		/* nobody answers what was not sent yet */
		if (top.link_valid_o && top.link_tag_o == top.back_tag_i)
			top.back_valid_i = 0;
	}

	void take_read()
	{
		read_taken = top.rd_valid_i && top.rd_ready_o;
		if (top.rd_ready_o && !top.rd_valid_i)
			wrong("a read from nowhere");
		if (!read_taken)
			return;
		card[top.rd_tag_i] = true;
		reads++;
		if (!top.bus_master_i)
			fails = top.rd_tag_i;
		else
			sends = { top.rd_tag_i, top.rd_addr_i };
	}
	/* What leaves for the link: it is there a cycle after it was taken, and stays. */
	void watch_link()
	{
		if (sends.first >= 0) {
			if (!top.link_valid_o || (offered && !was_taken))
				wrong("a read is not sent");
			else
				begin();
		} else if (top.link_valid_o && !offered) {
			wrong("a read is sent that was not taken");
		}
		if (offered && !was_taken && (!top.link_valid_o || top.link_addr_o != last_addr ||
					      top.link_tag_o != last_tag))
			wrong("what is offered to the link changes");
		sends.first = -1;
		offered = top.link_valid_o;
		was_taken = offered && top.link_ready_i;
		if (was_taken)
			offered = false;
		last_addr = top.link_addr_o;
		last_tag = top.link_tag_o;
		/* its time begins when it is sent */
		if (top.link_valid_o && link.count(last_tag)) {
			link[last_tag].since = now;
			link[last_tag].round = round;
		}
	}
	void begin()
	{
		const unsigned tag = top.link_tag_o;

		if (link.count(tag))
			wrong("tag %u is used while its %s", tag,
			      link[tag].late ? "answer may come" : "read is under way");
		if (tag >= LINKTAGS)
			wrong("tag %u", tag);
		if (top.link_addr_o != sends.second)
			wrong("the address of a read");
		if (!was_wide && tag >= 32)
			wrong("tag %u, of more than 5 bits", tag);
		link[tag] = { false, (unsigned)sends.first, sends.second, now, round };
	}

	void take_back()
	{
		back_taken = top.back_valid_i && top.back_ready_o;
		back_waits = top.back_valid_i && !back_taken ? back_waits + 1 : 0;
		if (back_waits > 6)
			wrong("a completion has to wait");
		if (!back_taken)
			return;
		const auto tag = link.find(top.back_tag_i);
		const bool is_due = tag != link.end() && !tag->second.late;

		due_unexpected = !is_due;
		unexpected += tag == link.end();
		if (tag == link.end())
			return;
		if (is_due)
			due = { tag->second.card, !!top.back_error_i, top.back_data_i, true };
		else
			late_backs++;
		link.erase(tag);
	}
	/* What was due of the cycle before is there now. */
	void watch_answer()
	{
		if (due.valid) {
			if (!top.ans_valid_o || top.ans_tag_o != due.card ||
			    top.ans_error_o != due.error || (!due.error && top.ans_data_o != due.data))
				wrong("the answer of a read");
			answers++;
			card[due.card] = false;
		} else if (fails >= 0) {
			if (!top.ans_valid_o || !top.ans_error_o || top.ans_tag_o != (unsigned)fails)
				wrong("a read that fails at once");
			refused++;
			card[fails] = false;
		} else if (top.ans_valid_o) {
			expire();
		}
		if (top.late_o != (top.ans_valid_o && !due.valid && fails < 0))
			wrong("late is %u", top.late_o);
		if (top.unexpected_o != due_unexpected)
			wrong("unexpected is %u", top.unexpected_o);
		due.valid = due_unexpected = false;
		fails = -1;
	}
	/* An answer that nobody gave: the time of a read is over. */
	void expire()
	{
		for (auto &tag : link) {
			if (tag.second.late || tag.second.card != top.ans_tag_o)
				continue;
			if (!top.ans_error_o)
				wrong("the time of a read is over, and it is no error");
			if (time_before - tag.second.since < TIMEOUTNS)
				wrong("the time of a read is over after %lu ns",
				      time_before - tag.second.since);
			if (was_never_late)
				wrong("the time of a read is over, but there is no time-out");
			tag.second.late = true;
			tag.second.since = time_before;
			card[top.ans_tag_o] = false;
			timed_out++;
			return;
		}
		wrong("an answer for a read that is not under way");
	}
	/* Late tags become free by themselves after that time, which shows when they are used again. */
	void watch_times()
	{
		if (++cycles - round_cycle >= ROUND_CYCLES && now - round_time >= EIGHTH) {
			round++;
			round_cycle = cycles;
			round_time = now;
		}
		for (auto tag = link.begin(); tag != link.end();) {
			if (tag->second.late && now - tag->second.since >= TIMEOUTNS) {
				tag = link.erase(tag);
				expired++;
				continue;
			}
			/* while there is no time-out reads do not grow older */
			if (top.never_late_i)
				tag->second.round = round;
			if (!tag->second.late && round - tag->second.round > ROUNDS)
				wrong("a read of tag %u gets no answer", tag->first);
			++tag;
		}
		was_never_late = top.never_late_i;
		was_wide = top.wide_tags_i;
		starved += top.rd_valid_i && !read_taken && top.bus_master_i && !top.link_valid_o &&
			   link.size() >= (top.wide_tags_i ? LINKTAGS : 32);
	}
	void forget()
	{
		if (read_taken)
			top.rd_valid_i = 0;
		if (back_taken)
			top.back_valid_i = 0;
		read_taken = back_taken = false;
	}

	struct Answer {
		unsigned card;
		bool error;
		uint64_t data;
		bool valid;
	};

	Random dice;
	Vtop top;
	uint64_t now = 0, time_before = 0, cycles = 0;
	uint64_t round = 0, round_cycle = 0, round_time = 0;
	std::vector<bool> card; /* reads that are under way */
	std::map<unsigned, Tag> link;
	std::pair<int, uint64_t> sends = { -1, 0 };
	Answer due = {};
	int fails = -1;
	bool due_unexpected = false, read_taken = false, back_taken = false, offered = false;
	bool was_taken = false, was_wide = true, was_never_late = false;
	uint64_t last_addr = 0;
	unsigned last_tag = 0, step = 4, back_share = 30, link_share = 80, back_waits = 0;
	uint64_t reads = 0, answers = 0, timed_out = 0, late_backs = 0, unexpected = 0, refused = 0;
	uint64_t starved = 0, expired = 0;
};

int main(int argc, char **argv)
{
	const uint64_t cycles = cycles_of(argc, argv);
	Bench bench;

	for (uint64_t i = 0; i < cycles; i++) {
		if (i % 10000 == 0)
			bench.begin_anew();
		bench.cycle();
	}
	bench.totals();
	result("each read gets one answer, and no tag is used too early");
	return failures != 0;
}
