/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is due to leave the card, and what has left, by the sections "Departure records", "What a
 * card knows of its writes" and "What leaves the card". It is told of each event and of each thing
 * that is offered and taken, with its cycle, and says what is wrong. What a step has made due it
 * learns in the cycle of the event; what is offered in that cycle was chosen before.
 */
#ifndef MODULES_OUTBOX_H
#define MODULES_OUTBOX_H

#include <deque>
#include <unordered_map>
#include <vector>

#include "module.h"

namespace module
{
constexpr unsigned NOBODY = ~0u;

/* What a step lets the egress do */
struct Event {
	bool valid, shows, has_result, starts, repeats, fails, forgets, cancels, stops, leaves,
		wipes, answers, port_record;
	unsigned g, port, operation, messages, tag, adds, records;
	uint64_t word, result, answer;
};

/* A word that a group had; events have numbers, so the same word can come twice. */
struct Word {
	unsigned seq;
	uint64_t word, result, cycle;
	bool has_result;
};

/* A read that an operation asks for */
struct Read {
	unsigned g, port, use;
	uint64_t address, expected;
	bool fails, taken;
};

/* A departure record */
struct Place {
	unsigned seq = 0;     /* of its latest word */
	unsigned floor = 0;   /* no result is due of words up to this one */
	uint64_t pass = 0;    /* that wrote it last */
	uint64_t tried = 0;   /* when it was offered last */
	bool is = false;      /* of a member: it is one */
	uint64_t changed = 0; /*   since then */
};

class Outbox
{
      public:
	struct Group {
		bool enabled = false, ports = false;
		unsigned life = 0, records = 0;
		unsigned seq = 0; /* of the latest word */
		uint64_t seq_cycle = 0;
		unsigned begun = 0, done = 0; /* of those that a pass began with, and ended with */
		unsigned open_result = 0;     /* the word whose result is to be written yet */
		bool tell = false;	      /* a write has failed */
		uint64_t ended = 0;	      /* when it was disabled */
		std::deque<Word> words;	      /* of this life */
		std::vector<Place> record = std::vector<Place>(RECORDS);
		std::vector<Place> member = std::vector<Place>(PORTS);
		unsigned operation = rtl::OperationNone, subject = 0, read = 0;
		bool live = false;	/* its operation goes on */
		uint64_t join_word = 0; /* that the record of the port that joins has; 0 for none */
		bool join_failed = false;
		unsigned operation_seq = 0;
		uint64_t operation_cycle = 0;
		unsigned repeats = NOBODY, repeat_seq = 0; /* the port whose record is due again */
		uint64_t repeat_cycle = 0;
		/* That record is written alone, which may look like the first of all of them. */
		bool vague = false;
		uint64_t written = 0, written_before = 0, wiped = 0;
		std::vector<uint64_t> address = std::vector<uint64_t>(RECORDS);
	};

	/* What the pipeline does in this cycle */
	void apply(const Event &event, uint64_t cycle);
	void set_member(unsigned g, unsigned port, bool is, uint64_t cycle);
	void set_record(unsigned g, unsigned index, uint64_t address, uint64_t cycle);
	void set_port(unsigned port, uint64_t address, uint64_t cycle);
	void reset(uint64_t cycle);
	/* A write, by its address; a message; an answer: first offered in this cycle */
	void offer_write(uint64_t address, uint64_t word, bool wide, uint64_t cycle);
	void check_write(uint64_t address, uint64_t word, bool wide);
	void take_write(bool refused, uint64_t cycle);
	void offer_message(unsigned vector, uint64_t cycle);
	void offer_answer(unsigned tag, uint64_t value, uint64_t cycle);
	void take(uint64_t cycle)
	{
		last_taken = cycle;
	}
	void take_message(bool counts)
	{
		messages += counts;
	}
	void take_answer(unsigned tag)
	{
		answer[tag].waits = false;
		seen.answers++;
	}
	/* A record is offered, and not yet taken: its word, after its result */
	bool offers() const
	{
		return pass.offered;
	}
	/* A reset of the chip: nothing is left, not even answers. */
	void clear(uint64_t cycle)
	{
		reset(cycle);
		pass = {};
		for (Answer &item : answer)
			item.waits = false;
	}
	void fail(unsigned g, bool operation, uint64_t cycle);
	void take_failure(unsigned g, bool operation);
	void read(const Read &read, uint64_t cycle);
	void check_empty(uint64_t cycle);
	bool waits(unsigned tag) const
	{
		return answer[tag].waits;
	}
	/* A message may have been dropped without a trace. */
	void forget_messages()
	{
		for (auto &list : raises)
			for (Wait &raise : list)
				raise.optional = true;
	}
	bool answers_from_before(uint64_t cycle) const
	{
		for (const Answer &item : answer)
			if (item.waits && item.wait.cycle <= cycle)
				return true;
		return false;
	}

	std::vector<Group> group = std::vector<Group>(GROUPS);
	std::vector<uint64_t> port = std::vector<uint64_t>(PORTS);
	std::vector<uint64_t> moved = std::vector<uint64_t>(PORTS);
	bool may_lack_memory = false;
	uint64_t now = 0;	  /* the cycle */
	uint64_t second_word = 0; /* of a wide write that is offered */
	uint64_t errors = 0, messages = 0;
	struct {
		uint64_t passes, results, skipped, refused, withheld, joins, repeats, answers,
			counters, messages, shared, failures, operation_failures, reads, aborted,
			breaks, waits, rejoined;
	} seen = {};

      private:
	struct Need {
		unsigned g, life, seq;
		uint64_t since; /* when it became due */
	};
	struct Wait {
		std::vector<Need> needs;
		uint64_t cycle;
		bool optional;
	};
	struct Answer {
		bool waits = false, stale = false; /* stale: from before a reset */
		Wait wait;
		uint64_t value;
		unsigned adds, g;
	};
	struct Owner {
		unsigned g, index; /* g: NOBODY for the memory of a port */
		uint64_t until;	   /* the cycle in which it moved away */
	};
	enum Kind { ALL, JOIN };
	/* The writes of one word into the records of a group, or into one of them */
	struct Pass {
		bool open, failed, aborted;
		bool offered, second, result; /* a record; its word, after its result; its result */
		bool wide, has_result;
		bool old, stale; /* from before an enabling, or a reset */
		Kind kind;
		unsigned g, low, high, place, size, result_seq;
		uint64_t id, word, since, cycle, base;
		Place *record;
	};

	void show(const Event &event, uint64_t cycle);
	void forget(Group &group, uint64_t cycle);
	Wait everything(uint64_t cycle) const;
	const Need *missing(const Wait &wait) const;
	bool has_places(const Group &group, uint64_t since) const;
	bool find(uint64_t address, uint64_t cycle, unsigned *g, unsigned *index, bool *member);
	void begin(unsigned g, bool join, uint64_t cycle);
	void learn(uint64_t word);
	void learn_latest(const Group &item);
	void offer_result(const Group &item, uint64_t value);
	void offer_word(const Group &item, uint64_t word);
	void close();
	void close_pass(Group &group);
	bool is_whole(const Group &item) const;
	void end_repeat(Group &item);
	void next(const char *what);
	bool is_counter(const Answer &item, uint64_t count, uint64_t cycle) const;
	bool is_line(unsigned g, unsigned port, unsigned offset, uint64_t address,
		     uint64_t cycle) const;
	uint64_t shown(const Group &item) const;
	const Word *result_up_to(const Group &group, unsigned seq) const;

	std::unordered_map<uint64_t, Owner> owner;
	std::vector<Answer> answer = std::vector<Answer>(READS);
	std::deque<Wait> raises[2];
	unsigned spare[2] = {};
	Pass pass = {};
	uint64_t passes = 0, last_taken = 0;
	unsigned breaking = NOBODY; /* the group whose break leaves before all else */
};

inline void Outbox::set_member(unsigned g, unsigned port, bool is, uint64_t cycle)
{
	Place &place = group[g].member[port];

	if (place.is == is)
		return;
	place.is = is;
	place.changed = cycle;
	if (is)
		place.floor = group[g].seq;
}

/* An access that starts in this cycle still goes to the address before. */
inline void Outbox::set_record(unsigned g, unsigned index, uint64_t address, uint64_t cycle)
{
	const auto found = owner.find(group[g].address[index]);

	if (found != owner.end())
		found->second.until = cycle;
	group[g].address[index] = address;
	if (address)
		owner[address] = { g, index, ~0ull };
}

inline void Outbox::set_port(unsigned i, uint64_t address, uint64_t cycle)
{
	const auto found = owner.find(port[i]);

	if (found != owner.end())
		found->second.until = cycle;
	port[i] = address;
	moved[i] = cycle;
	if (address)
		owner[address] = { NOBODY, i, ~0ull };
}

inline void Outbox::forget(Group &group, uint64_t cycle)
{
	group.enabled = group.tell = group.live = false;
	group.operation = rtl::OperationNone;
	group.life++;
	group.ended = cycle;
	group.begun = group.done = group.seq;
	group.open_result = 0;
	group.words.clear();
	group.repeats = NOBODY;
	group.vague = false;
	if (pass.open && &this->group[pass.g] == &group)
		pass.aborted = true;
	if (breaking != NOBODY && &this->group[breaking] == &group)
		breaking = NOBODY;
}

inline void Outbox::reset(uint64_t cycle)
{
	for (Group &item : group) {
		forget(item, cycle);
		item.written = item.written_before = 0;
	}
	for (auto &list : raises)
		list.clear();
	spare[0] = spare[1] = 0;
	errors = messages = 0;
	pass.stale = true;
	for (Answer &item : answer)
		item.stale = true;
}

inline bool Outbox::has_places(const Group &group, uint64_t since) const
{
	if (group.records)
		return true;
	for (unsigned i = 0; i < PORTS && group.ports; i++)
		if (group.member[i].is && group.member[i].changed <= since && !may_lack_memory)
			return true;
	return false;
}

inline Outbox::Wait Outbox::everything(uint64_t cycle) const
{
	Wait wait = { {}, cycle, false };

	for (unsigned g = 0; g < GROUPS; g++)
		if (group[g].enabled && group[g].done != group[g].seq)
			wait.needs.push_back(
				{ g, group[g].life, group[g].seq, group[g].seq_cycle });
	return wait;
}

inline const Outbox::Need *Outbox::missing(const Wait &wait) const
{
	for (const Need &need : wait.needs) {
		const Group &item = group[need.g];

		if (item.life == need.life && item.done < need.seq &&
		    has_places(item, need.since) &&
		    !(item.ports && may_lack_memory && !item.records))
			return &need;
	}
	return nullptr;
}

inline void Outbox::show(const Event &event, uint64_t cycle)
{
	Group &item = group[event.g];

	item.enabled = true;
	item.ports = event.port_record;
	item.records = event.records;
	seen.skipped += item.done != item.seq && item.begun < item.seq;
	item.seq_cycle = cycle;
	item.words.push_back({ ++item.seq, event.word, event.result, cycle, event.has_result });
	if (item.words.size() > 512)
		item.words.pop_front();
	if (event.has_result)
		item.open_result = item.seq;
	if (event.fails) {
		breaking = event.g;
		seen.breaks++;
	}
}

inline void Outbox::apply(const Event &event, uint64_t cycle)
{
	Group &item = group[event.g];

	if (event.answers) {
		Answer &read = answer[event.tag];

		read = { true, false, everything(cycle), event.answer, event.adds, event.g };
	}
	if (!event.valid)
		return;
	if (event.forgets)
		forget(item, cycle);
	if (event.shows)
		show(event, cycle);
	if (event.repeats) {
		item.repeats = event.port;
		item.repeat_seq = item.seq;
		item.repeat_cycle = cycle;
		item.vague = true;
	}
	if (event.starts) {
		item.enabled = true;
		item.ports = event.port_record;
		item.records = event.records;
		item.operation = event.operation;
		item.subject = event.port;
		item.live = true;
		item.read = 0;
		item.operation_seq = item.seq;
		item.operation_cycle = cycle;
		item.join_word = 0;
		item.join_failed = false;
	}
	if (event.cancels) {
		item.operation = rtl::OperationNone;
		item.live = false;
	}
	for (unsigned g = 0; event.stops && g < GROUPS; g++)
		group[g].live = false;
	if (event.wipes) {
		item.written_before = item.written;
		item.written = 0;
		item.wiped = cycle;
		if (pass.open && pass.g == event.g)
			pass.old = true;
	}
	for (unsigned v = 0; v < 2; v++)
		if (event.messages >> v & 1)
			raises[v].push_back(everything(cycle));
}

inline bool Outbox::find(uint64_t address, uint64_t cycle, unsigned *g, unsigned *index,
			 bool *member)
{
	constexpr uint64_t SPAN = 128 * HBSR_MEMORY_STRIDE;
	auto found = owner.find(address);

	*member = found == owner.end();
	if (*member) {
		found = owner.find(address & -SPAN);
		*g = address % SPAN / HBSR_MEMORY_STRIDE;
		if (found == owner.end() || found->second.g != NOBODY || *g >= GROUPS ||
		    address % HBSR_MEMORY_STRIDE != HBSR_MEMORY_DEPARTURE)
			return false;
	} else {
		*g = found->second.g;
	}
	*index = found->second.index;
	/* It was read in the cycle before. */
	return *g != NOBODY &&
	       cycle <= (found->second.until == ~0ull ? ~0ull : found->second.until + 1);
}

inline const Word *Outbox::result_up_to(const Group &group, unsigned seq) const
{
	for (auto item = group.words.rbegin(); item != group.words.rend(); item++)
		if (item->seq <= seq && item->has_result)
			return &*item;
	return nullptr;
}

/* All that must have left before the next thing does */
inline void Outbox::next(const char *what)
{
	close();
	for (unsigned g = 0; g < GROUPS; g++)
		if (group[g].tell && group[g].enabled)
			wrong("cycle %lu: %s leaves, and the failure of group %u is not told of",
			      now, what, g);
	if (breaking != NOBODY && has_places(group[breaking], 0) && !may_lack_memory)
		wrong("cycle %lu: %s leaves before the break of group %u", now, what, breaking);
	breaking = NOBODY;
}

/* All records show this word, or were tried. */
inline bool Outbox::is_whole(const Group &item) const
{
	for (unsigned i = 0; i < item.records; i++)
		if (item.record[i].pass != pass.id &&
		    !(item.vague && item.record[i].seq >= pass.low))
			return false;
	for (unsigned i = 0; i < PORTS && item.ports && !may_lack_memory; i++) {
		const Place &place = item.member[i];

		if (place.is && place.changed <= pass.since && place.pass != pass.id &&
		    place.seq < pass.low)
			return false;
	}
	return true;
}

inline void Outbox::close_pass(Group &item)
{
	const bool whole = is_whole(item);

	item.tell |= pass.failed;
	if (item.vague) {
		seen.repeats += pass.size == 1 && item.member[item.repeats].pass == pass.id;
		if (whole && (item.records || !may_lack_memory))
			item.done = std::max(item.done, pass.high);
		return;
	}
	if (!whole)
		wrong("cycle %lu: a record of group %u is left out", now, pass.g);
	if (pass.low <= item.begun)
		wrong("cycle %lu: the records of group %u are written once more, for no reason",
		      now, pass.g);
	item.begun = pass.low;
	item.done = pass.high;
	if (!pass.failed && item.open_result <= pass.high && !(item.ports && may_lack_memory))
		item.open_result = 0;
	seen.passes++;
}

/* The writes of one word are over, as something else is offered. */
inline void Outbox::close()
{
	if (!pass.open)
		return;
	Group &item = group[pass.g];

	pass.open = false;
	if (pass.offered)
		wrong("cycle %lu: an offer to group %u is taken back", now, pass.g);
	if (pass.aborted) {
		seen.aborted++;
	} else if (pass.kind == JOIN) {
		/* What was begun for the operation before it began anew is of no use. */
		if (item.operation_cycle + 2 < pass.cycle) {
			item.join_word = pass.failed ? 0 : pass.word;
			item.join_failed = pass.failed;
		}
		seen.joins++;
	} else {
		if (!pass.word)
			learn_latest(item);
		close_pass(item);
	}
}

/* The word of a pass is known. */
inline void Outbox::learn(uint64_t word)
{
	const Group &item = group[pass.g];
	const Word *latest = nullptr;

	for (const Word &other : item.words)
		if (other.word == word && other.cycle + 1 < pass.cycle)
			latest = &other;
	pass.word = word;
	if (!latest) {
		wrong("cycle %lu: group %u had no word %lx", now, pass.g, word);
		return;
	}
	pass.low = pass.high = latest->seq;
	for (const Word &other : item.words)
		if (other.word == word && other.seq > item.begun && other.seq < pass.low)
			pass.low = other.seq;
	/* What was due before the latest thing was taken is in it. */
	for (const Word &other : item.words)
		if (other.seq > pass.high && other.cycle < pass.since)
			wrong("cycle %lu: group %u shows a word that is overtaken", now, pass.g);
}

/* All results were refused, so no word was written: it was the latest one. */
inline void Outbox::learn_latest(const Group &item)
{
	pass.low = pass.high = item.begun + 1;
	for (const Word &other : item.words)
		if (other.cycle + 1 < pass.cycle)
			pass.high = std::max(pass.high, other.seq);
}

inline void Outbox::begin(unsigned g, bool join, uint64_t cycle)
{
	if (breaking == g)
		close();
	else
		next("a record");
	breaking = NOBODY;
	pass = {};
	pass.open = true;
	pass.kind = join ? JOIN : ALL;
	pass.g = g;
	pass.id = ++passes;
	pass.since = last_taken;
	pass.cycle = cycle;
}

inline void Outbox::offer_write(uint64_t address, uint64_t word, bool wide, uint64_t cycle)
{
	unsigned g, index;
	bool member;
	bool result = false;

	if (!find(address, cycle, &g, &index, &member)) {
		result = find(address - HBSR_RECORD_RESULT, cycle, &g, &index, &member);
		if (!result) {
			wrong("cycle %lu: a write to %lx, where nothing is", cycle, address);
			return;
		}
	}
	Group &item = group[g];
	const bool join = member && item.operation == rtl::OperationJoining &&
			  item.subject == index && !item.member[index].is;
	const unsigned place = member ? index : PORTS + RECORDS - index;
	if (!item.enabled)
		wrong("cycle %lu: a write for group %u, which is not enabled", cycle, g);
	if (member && !join && !item.member[index].is && item.member[index].changed + 1 < cycle)
		wrong("cycle %lu: a write to port %u, which is no member of group %u", cycle, index,
		      g);
	if (join && item.join_word == word)
		wrong("cycle %lu: the record of port %u, which joins, is written again", cycle,
		      index);
	if (!pass.open || pass.aborted || pass.g != g || (pass.kind == JOIN) != join ||
	    place <= pass.place || (!result && pass.word && word != pass.word))
		begin(g, join, cycle);
	pass.wide = wide;
	pass.place = place;
	pass.offered = true;
	pass.result = result;
	pass.size++;
	pass.base = address - (result ? HBSR_RECORD_RESULT : 0);
	pass.record = member ? &item.member[index] : &item.record[index];
	pass.record->pass = pass.id;
	pass.record->tried = cycle;
	pass.has_result = false;
	if (result || wide)
		offer_result(item, wide ? second_word : word);
	if (!result)
		offer_word(item, word);
}

/* The latest result that was due */
inline void Outbox::offer_result(const Group &item, uint64_t value)
{
	const Word *latest = nullptr;

	for (const Word &other : item.words)
		if (other.has_result && other.result == value)
			latest = &other;
	pass.result_seq = latest ? latest->seq : 0;
	pass.has_result = true;
	seen.results++;
	if (!latest)
		wrong("cycle %lu: group %u had no result %lx", now, pass.g, value);
	if (pass.kind == JOIN || (!item.open_result && !item.vague))
		wrong("cycle %lu: a result of group %u that is not due", now, pass.g);
}

inline void Outbox::offer_word(const Group &item, uint64_t word)
{
	if (item.vague && pass.word && word != pass.word) {
		pass.cycle = now;
		pass.word = 0;
	}
	if (!pass.word)
		learn(word);
	const Word *due = result_up_to(item, pass.high);

	if (pass.has_result && due && due->seq != pass.result_seq && !item.vague)
		wrong("cycle %lu: group %u shows another result than that of its word", now,
		      pass.g);
	due = result_up_to(item, pass.low);
	if (!pass.has_result && pass.kind == ALL && due &&
	    due->seq > std::max(pass.record->seq, pass.record->floor))
		wrong("cycle %lu: group %u shows a word without its result", now, pass.g);
	if (pass.high < pass.record->seq)
		wrong("cycle %lu: group %u: words do not ascend", now, pass.g);
}

/* What is offered stays as it is; only the word comes after its result. */
inline void Outbox::check_write(uint64_t address, uint64_t word, bool wide)
{
	if (pass.second && !pass.aborted)
		offer_word(group[pass.g], word);
	pass.second = false;
	if (address != pass.base + (pass.result ? HBSR_RECORD_RESULT : 0) || wide != pass.wide)
		wrong("cycle %lu: group %u: what is offered changes", now, pass.g);
	if (!pass.result && word != pass.word && !pass.aborted)
		wrong("cycle %lu: group %u: another word in the same pass", now, pass.g);
}

inline void Outbox::take_write(bool refused, uint64_t cycle)
{
	Group &item = group[pass.g];

	last_taken = cycle;
	if (refused) {
		seen.refused++;
		seen.withheld += pass.result;
		pass.failed = true;
		errors += !pass.stale;
	} else if (!pass.stale && !pass.old) {
		item.written += pass.wide ? 2 : 1;
	}
	if (pass.result && !refused) {
		pass.result = false;
		pass.second = true;
		return;
	}
	pass.offered = pass.second = false;
	if (!pass.result && !pass.aborted)
		pass.record->seq = std::max(pass.record->seq, pass.high);
}

inline void Outbox::offer_message(unsigned v, uint64_t cycle)
{
	std::deque<Wait> &list = raises[v];
	unsigned discharged = 0;
	const Need *need = nullptr;

	next("a message");
	while (!list.empty() && list.front().cycle < cycle &&
	       (list.front().optional || !(need = missing(list.front())))) {
		list.pop_front();
		discharged++;
	}
	seen.shared += discharged > 1;
	seen.messages++;
	spare[v] += discharged;
	if (!spare[v])
		wrong(need ? "cycle %lu: a message before a record"
			   : "cycle %lu: a message without an interrupt",
		      cycle);
	else
		spare[v]--;
}

/* The counter that an answer adds */
inline bool Outbox::is_counter(const Answer &item, uint64_t count, uint64_t cycle) const
{
	const Group &group = this->group[item.g];

	switch (item.adds) {
	case 0:
		return !count;
	case 1:
		return may_lack_memory ? count >= errors : count == errors;
	case 2:
		return count == messages;
	default:
		return count == group.written ||
		       (group.wiped + 2 >= cycle && count == group.written_before);
	}
}

/* The record of a port that has joined must show the word that was then, or a later one. */
inline void Outbox::end_repeat(Group &item)
{
	const Place &place = item.member[item.repeats];

	if (!may_lack_memory && place.is && place.changed < item.repeat_cycle &&
	    place.seq < item.repeat_seq && place.tried <= item.repeat_cycle)
		wrong("cycle %lu: the record of port %u, which has joined, is forgotten", now,
		      item.repeats);
	item.vague = false;
	item.repeats = NOBODY;
}

inline void Outbox::offer_answer(unsigned tag, uint64_t value, uint64_t cycle)
{
	const Answer &item = answer[tag];

	next("an answer");
	if (!item.waits) {
		wrong("cycle %lu: an answer with tag %u, for which no read waits", cycle, tag);
		return;
	}
	if (missing(item.wait))
		wrong("cycle %lu: an answer before a record of group %u", cycle,
		      missing(item.wait)->g);
	for (unsigned v = 0; v < 2; v++)
		if (!raises[v].empty() && !raises[v].front().optional &&
		    raises[v].front().cycle < item.wait.cycle)
			wrong("cycle %lu: an answer before a message", cycle);
	for (Group &group : this->group)
		if (group.vague && group.repeat_cycle < item.wait.cycle)
			end_repeat(group);
	/* A reset clears counters meanwhile. */
	if (!item.stale && !is_counter(item, value - item.value, cycle))
		wrong("cycle %lu: an answer is %lx more than the pipeline's, of kind %u", cycle,
		      value - item.value, item.adds);
	seen.counters += item.adds != 0 && value != item.value;
	seen.waits += !item.wait.needs.empty();
}

inline void Outbox::fail(unsigned g, bool operation, uint64_t cycle)
{
	const Group &item = group[g];

	close();
	if (operation) {
		if (!item.live || item.operation != rtl::OperationJoining ||
		    !(item.join_failed || (may_lack_memory && (!port[item.subject] ||
							       moved[item.subject] + 20 > cycle))))
			wrong("cycle %lu: group %u tells of a JOIN that has not failed", cycle, g);
	} else if (!(item.enabled && (item.tell || (may_lack_memory && item.ports))) &&
		   item.ended != cycle) {
		wrong("cycle %lu: group %u tells of a failure that there was not", cycle, g);
	}
}

inline void Outbox::take_failure(unsigned g, bool operation)
{
	if (operation) {
		group[g].join_failed = group[g].live = false;
		seen.operation_failures++;
	} else {
		group[g].tell = false;
		seen.failures++;
	}
}

/* The address of a line, now or before its port's memory moved in these cycles */
inline bool Outbox::is_line(unsigned g, unsigned i, unsigned offset, uint64_t address,
			    uint64_t cycle) const
{
	const uint64_t inside = (uint64_t)g * HBSR_MEMORY_STRIDE + offset;
	const auto found = owner.find(address - inside);

	return address == port[i] + inside || moved[i] + 20 > cycle ||
	       (found != owner.end() && found->second.g == NOBODY && found->second.index == i &&
		found->second.until + 20 > cycle);
}

/* A read of the operation, after the write of what it looks at */
inline void Outbox::read(const Read &read, uint64_t cycle)
{
	Group &item = group[read.g];
	bool right = item.live;

	close();
	switch (item.operation) {
	case rtl::OperationEnabling:
		right &= read.port == 0x400 && read.use == rtl::UseCheck && !read.fails &&
			 item.read < item.records &&
			 read.address == item.address[item.records - 1 - item.read] &&
			 item.done >= item.operation_seq && read.expected == shown(item);
		break;
	case rtl::OperationJoining:
		right &= read.port == item.subject &&
			 read.use == (item.ports ? rtl::UseCheck : rtl::UseCheckAny) &&
			 is_line(read.g, item.subject,
				 item.ports ? HBSR_MEMORY_DEPARTURE : HBSR_MEMORY_ARRIVAL,
				 read.address, cycle) &&
			 (!item.ports || read.expected == item.join_word);
		break;
	case rtl::OperationLeaving:
		right &= read.port == item.subject && read.use == rtl::UseLastWord &&
			 is_line(read.g, item.subject, HBSR_MEMORY_ARRIVAL, read.address, cycle);
		break;
	default:
		right = false;
	}
	if (item.operation != rtl::OperationEnabling && read.fails != !port[item.subject] &&
	    moved[item.subject] + 20 < cycle)
		right = false;
	if (!right)
		wrong("cycle %lu: a read for operation %u of group %u, which is not due: %lx",
		      cycle, item.operation, read.g, read.address);
	if (!read.taken)
		return;
	seen.reads++;
	if (++item.read == (item.operation == rtl::OperationEnabling ? item.records : 1))
		item.live = false;
}

/* The word that the latest pass wrote */
inline uint64_t Outbox::shown(const Group &item) const
{
	for (const Word &word : item.words)
		if (word.seq == item.done)
			return word.word;
	return 0;
}

/* Nothing is due at all, but what waits for a tag. */
inline void Outbox::check_empty(uint64_t cycle)
{
	next("nothing");
	for (unsigned g = 0; g < GROUPS; g++) {
		Group &item = group[g];

		if (item.enabled && item.done != item.seq && has_places(item, item.seq_cycle) &&
		    !(may_lack_memory && !item.records))
			wrong("cycle %lu: group %u was never written", cycle, g);
		if (item.vague)
			end_repeat(item);
	}
	for (const Answer &item : answer)
		if (item.waits)
			wrong("cycle %lu: an answer is forgotten", cycle);
	for (const auto &list : raises)
		if (!list.empty() && !list.back().optional)
			wrong("cycle %lu: an interrupt is forgotten", cycle);
}
} // namespace module
#endif
