/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What must leave the card, and what may: departure records and messages. The card may skip words
 * that another one overtook, and messages may stand for several interrupts; so this holds it to
 * the rules of the page, not to one sequence.
 */
#include "model.h"

#include <algorithm>
#include <cstdio>

#include "sentences.h"

namespace hbs
{
namespace
{
constexpr size_t KEPT = 4096; /* words of a group that a write which is held up may show */

std::string say(const char *what, unsigned g, unsigned index, bool member, unsigned seq)
{
	char line[160];

	snprintf(line, sizeof(line), "%s: group %u, %s %u, word %u of the group", what, g,
		 member ? "port" : "record", index, seq);
	return line;
}

const Word *find_word(const Due &due, unsigned seq)
{
	for (size_t i = due.words.size(); i-- > 0;)
		if (due.words[i].seq == seq)
			return &due.words[i];
	return nullptr;
}

/* The latest completion with a result up to this word, 0 if there is none */
unsigned result_up_to(const Due &due, unsigned seq)
{
	unsigned latest = 0;

	for (size_t i = due.words.size(); i-- > 0 && !latest;)
		if (due.words[i].result && due.words[i].seq <= seq)
			latest = due.words[i].seq;
	return latest;
}
} // namespace

Record *Model::record_of(unsigned g, unsigned index, bool member)
{
	Group &group = this->group[g];

	if (!member)
		return index < group.records ? &group.due.record[index] : nullptr;
	if (!ports_have_records(group))
		return nullptr;
	if (bit(group.p, index))
		return &group.due.member[index];
	if (group.operation == Operation::JOINING && group.operation_port == index)
		return &group.due.joining;
	return nullptr;
}

/* The group is enabled: its first word is due, as soon as the card is. */
void Model::due_start(unsigned g)
{
	Due &due = group[g].due;

	due.words.clear();
	due.seq = 0;
	due.clean = 0;
	due.events = 0;
	due.round++;
	due.lacking = 0;
	due.failed = due.nowhere = false;
	for (Record &record : due.record)
		record = {};
}

void Model::due_word(unsigned g, bool result)
{
	Group &group = this->group[g];
	Due &due = group.due;

	if (due.lacking) {
		SENTENCE("what-leaves-the-card-4 what-leaves-the-card-5 what-leaves-the-card-9");
		total.overtaken++;
	}
	due.words.push_back({ ++due.seq, word_of(g), stamp, result, group.result });
	due.lacking = group.records + (ports_have_records(group) ? group.members : 0);
	due_pass(g);
	if (!due.lacking)
		due_clean(g);
}

void Model::due_open(unsigned g)
{
	Due &due = group[g].due;

	due.event_stamp = stamp;
	if (!due.open) {
		due.open = true;
		open.push_back(g);
	}
}

/* The card has had more reasons to write this record than it has used. */
bool Model::may_write(unsigned g, const Record &record) const
{
	const Due &due = group[g].due;

	return (record.round == due.round ? record.used : 0) < due.events;
}

void Model::settle(uint64_t stamp)
{
	size_t left = 0;

	for (unsigned g : open) {
		Due &due = group[g].due;

		if (due.event_stamp > stamp) {
			open[left++] = g;
			continue;
		}
		due.open = false;
		due.events = 0;
		due.round++;
	}
	open.resize(left);
}

/* The card may write all records. */
void Model::due_pass(unsigned g)
{
	Group &group = this->group[g];
	Due &due = group.due;

	due.events++;
	due_open(g);
	if (ports_have_records(group))
		for (unsigned i = 0; i < parameters.ports; i++)
			if (bit(group.p, i) && !port_addr[i]) {
				dma_errors.high++;
				due.nowhere = true;
			}
	if (due.lacking && !due.dirty) {
		due.dirty = true;
		dirty.push_back(g);
	}
}

/* Enabling begins: it writes the records, which show nothing of the group, or once more. */
void Model::due_begin(unsigned g)
{
	if (group[g].due.seq)
		due_pass(g);
	else
		due_word(g, false);
}

void Model::due_stop(unsigned g)
{
	Due &due = group[g].due;

	due.words.clear();
	due.lacking = 0;
	due.failed = due.nowhere = false;
	due_clean(g);
}

/* All records show the latest word. */
void Model::due_clean(unsigned g)
{
	Due &due = group[g].due;

	due.clean = due.seq;
	/* Those that a pass which began before may still write */
	while (due.words.size() > KEPT)
		due.words.pop_front();
	if (!due.dirty)
		return;
	due.dirty = false;
	dirty.erase(std::find(dirty.begin(), dirty.end(), g));
}

void Model::due_join(unsigned g, unsigned port)
{
	Due &due = group[g].due;
	Record &record = due.member[port];
	const bool late = due.joining.seq != due.seq;
	const int repeats = (record.round == due.round ? record.repeats : 0) + late;

	record = due.joining;
	record.floor = due.seq;
	record.excused = 0;
	record.joined = stamp;
	record.result_low = record.result_seq = 0;
	record.result_failed = false;
	/* Two passes for earlier words may still come: one has begun, one waits in the queue. */
	record.round = due.round;
	record.repeats = repeats;
	record.used = due.events - std::min(due.events, 2) - repeats;
	if (!late)
		return;
	due_open(g);
	due.lacking++;
	if (!due.dirty) {
		due.dirty = true;
		dirty.push_back(g);
	}
}

void Model::due_leave(unsigned g, unsigned port)
{
	Due &due = group[g].due;

	if (due.member[port].seq == due.seq || !due.lacking)
		return;
	if (!--due.lacking)
		due_clean(g);
}

/* The card wrote a result word; INDEX is that of a record of the group, or a member's port. */
std::string Model::sent_result(unsigned g, unsigned index, bool member, uint64_t value,
			       bool refused)
{
	Record *record = record_of(g, index, member);
	Due &due = group[g].due;
	unsigned first = 0, seq = 0;

	if (!record || record == &due.joining)
		return say("a result for no record", g, index, member, due.seq);
	/* Epochs with the same result: it may be of the first of them as well as of the last. */
	for (size_t i = due.words.size(); i-- > 0 && due.words[i].seq >= record->result_low;) {
		if (!due.words[i].result || due.words[i].value != value)
			continue;
		first = due.words[i].seq;
		seq = seq ? seq : first;
	}
	if (!seq)
		return say("a result that no epoch had", g, index, member, due.seq);
	SENTENCE("departure-records-7 departure-records-8 counters-3");
	record->result_low = first;
	record->result_seq = seq;
	record->result_failed = refused;
	if (refused) {
		dma_errors.add(1);
		due.failed = true;
		total.refused++;
	} else {
		group[g].record_writes.add(1);
	}
	return "";
}

/* The card wrote an epoch word. */
std::string Model::sent_word(unsigned g, unsigned index, bool member, uint64_t value, bool refused)
{
	Group &group = this->group[g];
	Record *record = record_of(g, index, member);
	Due &due = group.due;
	unsigned seq = 0, result;

	if (!record)
		return say("a word for no record", g, index, member, due.seq);
	for (size_t i = due.words.size(); i-- > 0 && !seq;)
		if (due.words[i].word == value)
			seq = due.words[i].seq;
	if (!seq)
		return say("a word that the group did not have, or not of late", g, index, member,
			   due.seq);
	SENTENCE("departure-records-1 departure-records-2 departure-records-3 "
		 "what-leaves-the-card-2 what-leaves-the-card-3 what-leaves-the-card-13");
	if (seq < record->seq)
		return say("words do not ascend", g, index, member, seq);
	if (record == &due.joining) {
		record->used = seq > record->seq ? 0 : record->used;
		if (record->used++ > due.joins_anew)
			return say("a JOIN writes its record again, for no reason", g, index, true,
				   seq);
		record->seq = seq;
		due.joining_word = value;
		if (refused) {
			dma_errors.add(1);
			group.failed = true;
			total.refused++;
		} else {
			group.record_writes.add(1);
			/* A write that was refused was of an attempt before. */
			if (group.checks)
				group.failed = false;
		}
		return "";
	}
	if (!may_write(g, *record))
		return say("a word once more, for no reason", g, index, member, seq);
	SENTENCE(
		"what-leaves-the-card-6 what-leaves-the-card-7 what-a-card-knows-of-its-writes-10");
	result = result_up_to(due, seq);
	if (result > std::max(record->seq, record->floor)) {
		if (record->result_seq < result)
			return say("a word without its result", g, index, member, seq);
		if (record->result_failed)
			return say("a word after a result that failed", g, index, member, seq);
		record->result_low = std::max(record->result_low, result);
	}
	/* All others show this word when the record 0 does. */
	SENTENCE("departure-records-4");
	if (!member && !index) {
		for (unsigned i = 1; i < group.records; i++)
			if (due.record[i].seq < seq && !due.record[i].result_failed)
				return say("record 0 is before another record", g, i, false, seq);
		for (unsigned i = 0; i < parameters.ports && ports_have_records(group); i++)
			if (bit(group.p, i) && due.member[i].seq < seq && port_addr[i] &&
			    due.member[i].joined < find_word(due, seq)->stamp &&
			    due.member[i].excused < seq && !due.member[i].result_failed)
				return say("record 0 is before a member's", g, i, true, seq);
	}
	if (refused) {
		dma_errors.add(1);
		due.failed = true;
		total.refused++;
	} else {
		group.record_writes.add(1);
	}
	const bool had = record->seq == due.seq;

	record->seq = seq;
	record->used = record->round == due.round ? record->used + 1 : 1;
	record->round = due.round;
	record->result_failed = false;
	if (!had && seq == due.seq && due.lacking && !--due.lacking)
		due_clean(g);
	return "";
}

bool Model::has_record(unsigned g, unsigned port) const
{
	return const_cast<Model *>(this)->record_of(g, port, true);
}

bool Model::write_failed(unsigned g) const
{
	return group[g].due.failed || group[g].due.nowhere;
}

bool Model::written_up_to(const Group &group, uint64_t stamp, std::string *what) const
{
	const unsigned g = &group - this->group.data();
	const Due &due = group.due;
	unsigned seq = 0;

	for (size_t i = due.words.size(); i-- > 0 && !seq;)
		if (due.words[i].stamp <= stamp)
			seq = due.words[i].seq;
	if (seq <= due.clean)
		return true;
	for (unsigned i = 0; i < group.records; i++) {
		if (due.record[i].seq < seq && !due.record[i].result_failed) {
			*what = say("not written yet", g, i, false, seq);
			return false;
		}
	}
	if (!ports_have_records(group))
		return true;
	for (unsigned i = 0; i < parameters.ports; i++) {
		const Record &record = due.member[i];

		/* A member has at least the word that was when it joined. */
		if (bit(group.p, i) && port_addr[i] && record.seq < seq && record.joined < stamp &&
		    record.excused < seq && !record.result_failed) {
			*what = say("not written yet", g, i, true, seq);
			return false;
		}
	}
	return true;
}

/* What is missing of all that was due at STAMP; empty if nothing is. */
std::string Model::lacks(uint64_t stamp) const
{
	std::string what;

	for (unsigned g : dirty)
		if (!written_up_to(group[g], stamp, &what))
			return what;
	return "";
}

/* The card sent a message. */
std::string Model::sent_message(unsigned vector, bool counted)
{
	std::deque<Raise> &list = raises[vector];
	const size_t waiting = list.size();
	std::string what;

	/* What a reset has caught on its way is of before it. */
	if (counted && ready)
		interrupts.add(1);
	else if (counted)
		interrupts.high++;
	while (!list.empty() &&
	       (!list.front().needed || (what = lacks(list.front().stamp)).empty()))
		list.pop_front();
	/* Of interrupts that wait together, each may have a message of its own. */
	spare[vector] += waiting - list.size();
	if (spare[vector]) {
		spare[vector]--;
		return "";
	}
	return list.empty() ? "a message without an interrupt"
			    : "a message before a record: " + what;
}

/* An interrupt from before STAMP has no message yet. */
bool Model::raise_waits(uint64_t stamp) const
{
	for (const auto &list : raises)
		for (const Raise &raise : list)
			if (raise.needed && raise.stamp <= stamp)
				return true;
	return false;
}

bool Model::raises_wait() const
{
	for (const auto &list : raises)
		for (const Raise &raise : list)
			if (raise.needed)
				return true;
	return false;
}
} // namespace hbs
