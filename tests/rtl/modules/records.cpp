// SPDX-License-Identifier: GPL-2.0-or-later
// hbs_records against the sections "Departure records" and "What leaves the card": each job writes
// what it must, in the order that the page says, to the addresses and with the words of that
// moment, whatever the pipeline does meanwhile.
#include <vector>

#include "module.h"

using namespace module;

namespace
{
constexpr unsigned MASK_WORDS = (PORTS + 63) / 64;
constexpr uint64_t NEVER = 0;

/* An address, as it was before the latest write of it, and the cycle of that write */
struct Place {
	uint64_t now = 0, before = 0, moved = NEVER;

	/* what is read in the cycle before this one */
	uint64_t at(uint64_t cycle) const
	{
		return moved == cycle - 1 ? before : now;
	}
};

struct Member {
	bool is = false;
	uint64_t changed = NEVER;
};

struct Group {
	uint64_t word = 0, result = 0;
	bool enabled = false;
	std::vector<Member> member = std::vector<Member>(PORTS);
	std::vector<Place> record = std::vector<Place>(RECORDS);
};

/* A job, and how far it is */
struct Job {
	bool busy, one, only_member, ports, has_result, aborted;
	unsigned group;
	uint64_t word, result, start;
	unsigned next, end;	  /* ports that are still to have their turn */
	unsigned left;		  /* records of the group that are */
	bool offered, second;	  /* a record is; its word, after its result */
	bool in_records;	  /* the members have had their turn */
	bool at_once;		  /* the next one has to be in this cycle, or the end of the job */
	uint64_t base;		  /* of the record that is offered */
	unsigned written, errors; /* words that were written, and writes that failed */
	unsigned nowhere, maybe;  /* ports without memory, and those that may have had none */
	unsigned pause;		  /* cycles without a record */
};

enum Kind { NOTHING, SHOW, JOIN, LEAVE, FORGET, ENABLE, MOVE_RECORD, MOVE_PORT, RESET, KINDS };

class Bench
{
      public:
	void run(uint64_t cycles);
	void report() const;

      private:
	void choose_rates();
	void offer_event();
	void choose_step();
	void take_step(Kind kind);
	void wipe();
	void sweep();
	uint64_t after(const Place &place, uint64_t value, unsigned halves) const;
	bool is_shared(uint64_t address) const;
	void move(Place &place, uint64_t value, unsigned halves);
	void offer_job();
	void offer_seek();
	void begin(bool job);
	void look_at_outputs();
	void look_at_seek();
	void look_at_bus();
	void look_at_job();
	void identify();
	void pass(unsigned port);
	void check_offer();
	void take_offer();
	void end_of_record();
	void end_of_job();
	void apply();
	void interrupt();
	bool allowed(unsigned port) const;
	uint64_t line(unsigned group, uint64_t address) const
	{
		return address + (uint64_t)group * HBSR_MEMORY_STRIDE;
	}
	uint64_t random_address(unsigned alignment);
	unsigned some_group()
	{
		return dice.percent(80) ? hot : dice.below(GROUPS);
	}
	unsigned some_port()
	{
		return dice.percent(50) ? dice.below(PORTS) : (hot_port + dice.below(3)) % PORTS;
	}

	Vtop top;
	Random dice;
	uint64_t cycle = 10;
	std::vector<Group> group = std::vector<Group>(GROUPS);
	std::vector<Place> port = std::vector<Place>(PORTS);
	Job job = {};
	unsigned ready = 50, refuses = 5, steps = 30, starts = 20, blank = 0, hot = 0, hot_port = 0;
	bool has_members = true;
	/* the step of this cycle and its event in the next one */
	Kind step = NOTHING, event = NOTHING;
	unsigned step_group = 0, step_port = 0, event_group = 0, event_port = 0;
	uint64_t step_value = 0;
	unsigned step_index = 0, wiping = MASK_WORDS, sweeping = ~0u;
	/* what was asked for in the cycle before */
	bool knows_word = false, seeks_record = false, seeks_port = false;
	uint64_t sought_word = 0, sought_record = 0, sought_port = 0;
	unsigned sought_group = 0;
	struct {
		uint64_t shows, full, member_jobs, one, one_member, no_member, with_result, members,
			records, withheld, refused, nowhere, left, forgotten, reset, held, seeks,
			hard, joined;
	} seen = {};
};

uint64_t Bench::random_address(unsigned alignment)
{
	uint64_t address = dice.word() & -(uint64_t)alignment;

	if (dice.percent(20))
		address &= UINT32_MAX;
	else if (alignment == HBSR_MEMORY_STRIDE && dice.percent(20))
		address |= UINT32_MAX & -(uint64_t)alignment; /* a group's line carries */
	return address;
}

void Bench::choose_rates()
{
	static const unsigned shares[] = { 0, 10, 50, 90, 100 };

	ready = shares[1 + dice.below(4)];
	refuses = shares[dice.below(2)] / (1 + dice.below(4));
	steps = shares[dice.below(4)];
	starts = shares[1 + dice.below(4)];
	hot = dice.below(4) * (GROUPS - 1) / 3;
	hot_port = dice.below(PORTS);
}

/* What the step of the cycle before lets others know; all else of the event is at random */
void Bench::offer_event()
{
	top.event_valid_i = event != NOTHING;
	top.event_i = dice.word() & ones(rtl::event::width);
	top.word_i = dice.word();
	top.result_i = dice.word();
	if (event == NOTHING)
		return;
	set(top.event_i, rtl::event::group, event_group);
	set(top.event_i, rtl::event::port, event_port);
	set(top.event_i, rtl::event::shows, event == SHOW);
	set(top.event_i, rtl::event::has_result, event == SHOW && step_index);
	set(top.event_i, rtl::event::forgets, event == FORGET);
	set(top.event_i, rtl::event::leaves, event == LEAVE);
}

/* A step that changes P leaves the cycle behind it empty, as do the other commands. */
void Bench::choose_step()
{
	step = NOTHING;
	if (wiping < MASK_WORDS || sweeping != ~0u || blank) {
		blank -= blank != 0;
		return;
	}
	if (!dice.percent(steps))
		return;
	step = dice.percent(40)	  ? SHOW
	       : dice.percent(95) ? (Kind)(JOIN + dice.below(KINDS - JOIN - 1))
	       : dice.percent(3)  ? RESET
				  : NOTHING;
	step_group = some_group();
	step_port = some_port();
	step_index = dice.below(2);
	const Group &target = group[step_group];

	if (step == FORGET && !dice.percent(10))
		step = NOTHING;
	if ((step == SHOW || step == JOIN || step == LEAVE || step == FORGET) && !target.enabled)
		step = ENABLE;
	else if ((step == ENABLE || step == MOVE_RECORD) && target.enabled)
		step = NOTHING;
	else if ((step == JOIN && (target.member[step_port].is || !has_members)) ||
		 (step == LEAVE && !target.member[step_port].is))
		step = step == JOIN && has_members ? LEAVE : NOTHING;
	blank = step != NOTHING && step != SHOW;
}

uint64_t Bench::after(const Place &place, uint64_t value, unsigned halves) const
{
	const uint64_t mask = (halves & 1 ? UINT32_MAX : 0) | (halves & 2 ? ~0ull << 32 : 0);

	return (place.now & ~mask) | (value & mask);
}

/* The bench tells ports by their memories. */
bool Bench::is_shared(uint64_t address) const
{
	for (const Place &place : port)
		if (place.now == address || place.before == address)
			return true;
	return false;
}

void Bench::move(Place &place, uint64_t value, unsigned halves)
{
	place = { after(place, value, halves), place.now, cycle };
}

/* The memories of this cycle's step; they change at its end. */
void Bench::take_step(Kind kind)
{
	top.write_record_addr_i = top.write_port_addr_i = top.write_p_i = 0;
	top.record_index_i = dice.below(2048);
	top.port_index_i = dice.below(1024);
	top.p_index_i = dice.below(2048);
	top.address_i = dice.word();
	top.p_i = dice.word();
	top.reset_i = kind == RESET;
	if (kind == JOIN || kind == LEAVE) {
		uint64_t word = 0;

		for (unsigned i = step_port & ~63u; i < PORTS && i < (step_port | 63) + 1; i++)
			word |= (uint64_t)group[step_group].member[i].is << i % 64;
		top.write_p_i = 1;
		top.p_index_i = step_group << 4 | step_port / 64;
		top.p_i = word ^ 1ull << step_port % 64;
	} else if (kind == MOVE_RECORD) {
		constexpr unsigned bits = RECORDS > 1 ? 32 - __builtin_clz(RECORDS - 1) : 0;

		step_index = dice.below(RECORDS);
		top.record_index_i = step_group << bits | step_index;
		top.write_record_addr_i = 1 + dice.below(3);
		top.address_i = random_address(HBSR_RECORD_STRIDE);
	} else if (kind == MOVE_PORT) {
		top.port_index_i = step_port;
		top.write_port_addr_i = dice.percent(70) ? 3 : 1 + dice.below(2);
		top.address_i = dice.percent(25) ? 0 : random_address(HBSR_MEMORY_STRIDE);
		if (is_shared(after(port[step_port], top.address_i, top.write_port_addr_i))) {
			top.write_port_addr_i = 3;
			top.address_i = 0;
		}
	}
	wipe();
	sweep();
}

/* Enabling clears P word by word. */
void Bench::wipe()
{
	if (wiping == MASK_WORDS)
		return;
	top.write_p_i = 1;
	top.p_index_i = step_group << 4 | wiping;
	top.p_i = 0;
}

/* A reset clears the addresses one by one. */
void Bench::sweep()
{
	if (sweeping == ~0u)
		return;
	top.record_index_i = sweeping;
	top.port_index_i = sweeping;
	top.address_i = 0;
	top.write_record_addr_i = sweeping < GROUPS * RECORDS ? 3 : 0;
	top.write_port_addr_i = sweeping < PORTS ? 3 : 0;
}

/* The end of the cycle: what the step has written is there. */
void Bench::apply()
{
	constexpr unsigned bits = RECORDS > 1 ? 32 - __builtin_clz(RECORDS - 1) : 0;
	const unsigned record = top.record_index_i;

	if (top.write_port_addr_i)
		move(port[top.port_index_i], top.address_i, top.write_port_addr_i);
	if (top.write_record_addr_i && record % (1u << bits) < RECORDS && record >> bits < GROUPS)
		move(group[record >> bits].record[record % (1u << bits)], top.address_i,
		     top.write_record_addr_i);
	if (top.write_p_i) {
		const unsigned first = top.p_index_i % 16 * 64;

		for (unsigned i = first; i < PORTS && i < first + 64; i++) {
			Member &member = group[top.p_index_i >> 4].member[i];
			const bool is = top.p_i >> i % 64 & 1;

			if (member.is != is)
				member = { is, cycle };
		}
	}
	if (event == SHOW) {
		group[event_group].word = top.word_i;
		if (get(top.event_i, rtl::event::has_result))
			group[event_group].result = top.result_i;
		seen.shows += job.busy && job.group == event_group;
	}
	if (wiping < MASK_WORDS && ++wiping == MASK_WORDS)
		group[step_group].enabled = true;
	if (sweeping != ~0u && ++sweeping >= 2 * GROUPS * RECORDS + PORTS)
		sweeping = ~0u;
	if (step == ENABLE)
		wiping = 0;
	if (step == FORGET)
		group[step_group].enabled = false;
	if (step == RESET) {
		for (Group &group : this->group)
			group.enabled = false;
		sweeping = dice.percent(5) ? 0 : ~0u;
	}
	event = step;
	event_group = step_group;
	event_port = step_port;
}

void Bench::offer_job()
{
	const unsigned g = some_group();

	top.look_i = top.start_i = 0;
	top.group_i = g;
	top.port_i = some_port();
	top.one_i = has_members && dice.percent(30);
	top.member_i = dice.percent(50);
	top.records_i = dice.percent(70) ? RECORDS : dice.below(RECORDS + 1);
	top.port_record_i = has_members && dice.percent(60);
	top.has_result_i = dice.percent(50);
	if (job.busy)
		return;
	top.look_i = dice.percent(50);
	/* A group that is being disabled has no job. */
	top.start_i = dice.percent(starts) && step != RESET && wiping == MASK_WORDS &&
		      sweeping == ~0u && group[g].enabled && !(event == FORGET && event_group == g);
	top.look_i |= top.start_i;
}

void Bench::offer_seek()
{
	top.seek_record_i = top.seek_port_i = 0;
	top.seek_index_i = dice.below(RECORDS);
	if (job.busy || top.start_i || !dice.percent(30))
		return;
	if (dice.percent(50))
		top.seek_record_i = 1;
	else
		top.seek_port_i = 1;
}

/* The end of a cycle in which a job, or an address, was asked for */
void Bench::begin(bool is_job)
{
	if (top.look_i) {
		knows_word = true;
		sought_word = group[top.group_i].word;
	}
	seeks_record = top.seek_record_i;
	seeks_port = top.seek_port_i;
	sought_group = top.group_i;
	sought_record = group[top.group_i].record[top.seek_index_i].now;
	sought_port = port[top.port_i].now;
	seen.seeks += seeks_record || seeks_port;
	if (!is_job)
		return;
	job = {};
	job.busy = true;
	job.one = top.one_i;
	job.only_member = !top.one_i || top.member_i;
	job.ports = top.one_i || top.port_record_i;
	job.has_result = top.has_result_i;
	job.group = top.group_i;
	job.left = top.one_i ? 0 : top.records_i;
	job.word = group[job.group].word;
	job.result = group[job.group].result;
	job.start = cycle;
	job.next = !job.ports ? PORTS : job.one ? top.port_i : 0;
	job.end = job.one ? top.port_i + 1 : PORTS;
	job.at_once = !job.ports;
	seen.full += !job.ports;
	seen.member_jobs += job.ports && !job.one;
	seen.one += job.one && !job.only_member;
	seen.one_member += job.one && job.only_member;
	seen.with_result += job.has_result;
}

/* The page: nothing is written to a member that has left; its event is a cycle after the step. */
bool Bench::allowed(unsigned i) const
{
	const Member &member = group[job.group].member[i];

	return !job.only_member || member.is || member.changed == cycle - 1;
}

/* A port is passed over: it must be no member, or have no memory. */
void Bench::pass(unsigned i)
{
	const Member &member = group[job.group].member[i];
	const bool is = !job.only_member || member.is;
	const bool is_sure = !job.only_member || member.changed <= job.start;
	const bool moves = port[i].moved > job.start, nowhere = !port[i].now;

	seen.no_member += is_sure && !is;
	seen.left += !is_sure && !is;
	if (job.aborted) {
		job.maybe += (is || !is_sure) && (moves || nowhere);
	} else if (is && is_sure && !moves) {
		if (!nowhere)
			wrong("cycle %lu: the record of port %u is passed over", cycle, i);
		job.nowhere++;
		seen.nowhere++;
	} else if (is || !is_sure) {
		job.maybe += moves || nowhere;
	}
}

/* A new record is offered: which one? */
void Bench::identify()
{
	const bool result = job.has_result && !WIDE;
	const uint64_t base = top.tx_addr_o - (result ? HBSR_RECORD_RESULT : 0);

	if (job.aborted)
		wrong("cycle %lu: a record is begun after the group's end", cycle);
	job.offered = true;
	job.second = false;
	job.base = base;
	for (unsigned i = job.next; i < job.end; i++) {
		const uint64_t address = port[i].at(cycle);

		if (!address || !allowed(i) ||
		    base != line(job.group, address) + HBSR_MEMORY_DEPARTURE)
			continue;
		seen.joined += group[job.group].member[i].changed > job.start;
		while (job.next < i)
			pass(job.next++);
		job.next++;
		seen.members++;
		return;
	}
	while (job.next < job.end)
		pass(job.next++);
	if (!job.left) {
		wrong("cycle %lu: a record too many, at %lx", cycle, (uint64_t)top.tx_addr_o);
		return;
	}
	job.in_records = true;
	job.base = group[job.group].record[--job.left].at(cycle);
	seen.records++;
}

void Bench::check_offer()
{
	const bool wide = WIDE && job.has_result;
	const bool result = job.has_result && !WIDE && !job.second;
	const uint64_t address = job.base + (result ? HBSR_RECORD_RESULT : 0);

	if (top.tx_addr_o != address)
		wrong("cycle %lu: a write to %lx, not %lx", cycle, (uint64_t)top.tx_addr_o,
		      address);
	if (top.tx_wide_o != wide)
		wrong("cycle %lu: the width of a write is %u", cycle, top.tx_wide_o);
	if (get(top.tx_data_o, { 0, 64 }) != (result ? job.result : job.word))
		wrong("cycle %lu: another %s is written", cycle, result ? "result" : "word");
	if (wide && get(top.tx_data_o, { 64, 64 }) != job.result)
		wrong("cycle %lu: another result is written beside the word", cycle);
}

void Bench::end_of_record()
{
	job.offered = false;
	job.pause = 0;
	job.at_once = job.in_records;
}

void Bench::take_offer()
{
	const bool result = job.has_result && !WIDE && !job.second;

	if (top.tx_refused_i) {
		job.errors++;
		seen.refused++;
		seen.withheld += result;
		end_of_record();
		return;
	}
	job.written += WIDE && job.has_result ? 2 : 1;
	if (result)
		job.second = true;
	else
		end_of_record();
}

void Bench::look_at_bus()
{
	if (!top.tx_valid_o) {
		if (job.offered)
			wrong("cycle %lu: an offer is taken back", cycle);
		if (job.at_once && !top.done_o && !job.aborted)
			wrong("cycle %lu: a cycle is lost between records", cycle);
		if (job.busy && ++job.pause > 4 + MASK_WORDS * 67)
			wrong("cycle %lu: nothing goes on", cycle);
		return;
	}
	job.at_once = false;
	if (!job.busy) {
		wrong("cycle %lu: a write without a job", cycle);
		return;
	}
	if (!job.offered)
		identify();
	check_offer();
	seen.held += !top.tx_ready_i;
	if (top.tx_ready_i)
		take_offer();
}

void Bench::end_of_job()
{
	while (job.next < job.end)
		pass(job.next++);
	const unsigned least = job.errors + job.nowhere, most = least + job.maybe;

	if (job.offered || (job.left && !job.aborted))
		wrong("cycle %lu: the job ends before its records do", cycle);
	if (top.written_o != job.written)
		wrong("cycle %lu: %u words were written, not %u", cycle, job.written,
		      top.written_o);
	if (top.errors_o < least || top.errors_o > most)
		wrong("cycle %lu: %u to %u writes failed, not %u", cycle, least, most,
		      top.errors_o);
	if (top.failed_o != (top.errors_o != 0))
		wrong("cycle %lu: failed is %u", cycle, top.failed_o);
	if (top.aborted_o != job.aborted)
		wrong("cycle %lu: aborted is %u", cycle, top.aborted_o);
	if (top.result_o != job.has_result)
		wrong("cycle %lu: a job of results is %u", cycle, top.result_o);
	job = {};
}

void Bench::look_at_job()
{
	if (top.busy_o != job.busy)
		wrong("cycle %lu: busy is %u", cycle, top.busy_o);
	if (knows_word && top.word_o != sought_word)
		wrong("cycle %lu: another word of the group", cycle);
	look_at_bus();
	/* The abort of this cycle keeps from the next one on that a record is begun. */
	if (job.busy && (top.reset_i || (event == FORGET && event_group == job.group))) {
		job.aborted = true;
		seen.forgotten += event == FORGET;
		seen.reset += top.reset_i;
	}
	if (top.done_o && !job.busy)
		wrong("cycle %lu: the end of no job", cycle);
	else if (top.done_o)
		end_of_job();
}

void Bench::look_at_seek()
{
	if (seeks_record && top.record_addr_o != sought_record)
		wrong("cycle %lu: another address of a record", cycle);
	if (!seeks_port)
		return;
	if (top.has_port_addr_o != (sought_port != 0))
		wrong("cycle %lu: a port has an address: %u", cycle, top.has_port_addr_o);
	if (top.line_addr_o != line(sought_group, sought_port))
		wrong("cycle %lu: another address of a line", cycle);
}

/* A reset of the chip, at any moment: the memories stay, and there is no job any more. */
void Bench::interrupt()
{
	top.start_i = top.look_i = top.seek_record_i = top.seek_port_i = 0;
	top.event_valid_i = top.write_p_i = top.write_port_addr_i = top.write_record_addr_i = 0;
	top.reset_i = 0;
	seen.hard += job.busy;
	reset(top);
	event = NOTHING;
	knows_word = seeks_record = seeks_port = false;
	job = {};
	wiping = MASK_WORDS;
	sweeping = ~0u;
	has_members = !dice.percent(10);
	cycle += 10;
}

void Bench::run(uint64_t cycles)
{
	top.has_members_i = has_members;
	interrupt();
	/* Memories begin at random, but those of the bench at 0. */
	for (sweeping = 0; sweeping != ~0u; cycle++) {
		take_step(NOTHING);
		tick(top);
		apply();
	}
	for (; cycle < cycles; cycle++) {
		if (!dice.below(300))
			choose_rates();
		if (!dice.below(3000))
			interrupt();
		top.has_members_i = has_members;
		offer_event();
		choose_step();
		take_step(step);
		offer_job();
		offer_seek();
		top.tx_ready_i = dice.percent(ready);
		top.tx_refused_i = dice.percent(refuses);
		top.eval();
		look_at_seek();
		look_at_job();
		begin(top.start_i);
		tick(top);
		apply();
	}
}

void Bench::report() const
{
	met("jobs for all records of a group without members'", seen.full);
	met("the same with members'", seen.member_jobs);
	met("for the record of a port that joins", seen.one);
	met("for that of a member", seen.one_member);
	met("with a result", seen.with_result);
	met("records of members", seen.members);
	met("records of groups", seen.records);
	met("ports that were no members", seen.no_member);
	met("that left before their turn", seen.left);
	met("that joined before their turn", seen.joined);
	met("that had no memory", seen.nowhere);
	met("writes that were refused", seen.refused);
	if (!WIDE)
		met("words that were withheld, as their results were refused", seen.withheld);
	met("cycles in which the bus took nothing", seen.held);
	met("words that changed while others were written", seen.shows);
	met("addresses for others", seen.seeks);
	met("jobs whose group was disabled", seen.forgotten);
	met("that ended by a reset of the card", seen.reset);
	met("by a reset of the chip", seen.hard);
}
} // namespace

int main(int argc, char **argv)
{
	const uint64_t cycles = cycles_of(argc, argv);
	Bench bench;

	bench.run(cycles);
	bench.report();
	result("the record writer of " + std::to_string(PORTS) + " ports and " +
	       std::to_string(GROUPS) + " groups writes what it must, " +
	       (WIDE ? "a result with its word" : "a result before its word"));
	return failures != 0;
}
