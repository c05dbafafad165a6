/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A model of the whole card, written from Documentation/hardware/card.rst. A step is one access,
 * one answer of host memory, one expiry of a timer, or one part of an operation. Who uses the
 * model says in which order the steps come; the model says what each of them does.
 */
#ifndef MODEL_H
#define MODEL_H

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

extern "C" {
#include "hbs_regs.h"
}

namespace hbs
{
using Mask = std::array<uint64_t, 16>;

constexpr unsigned NOBODY = 0xffff;
constexpr unsigned VECTORS = 2;
constexpr uint64_t FEATURES = HBSR_FEATURE_MSIX | HBSR_FEATURE_RECORD | HBSR_FEATURE_CSR_DEPARTURE |
			      HBSR_FEATURE_VIOLATION | HBSR_FEATURE_TIMEOUT | HBSR_FEATURE_REDUCE |
			      HBSR_FEATURE_REFUTABLE | HBSR_FEATURE_COUNTING |
			      HBSR_FEATURE_POLL_ARRIVAL | HBSR_FEATURE_PORT_RECORD;

struct Parameters {
	unsigned ports;
	unsigned groups;
	unsigned records;
	uint64_t features;
	unsigned tags;
	unsigned reads;
	bool wide;
};

/* One aligned word of 8 bytes of BAR 0 or BAR 2 */
struct Access {
	bool write;
	bool lane; /* BAR 2 */
	uint32_t addr;
	uint8_t enables;
	uint64_t data;
	unsigned tag;
	std::string text() const;
};

enum class Operation { NONE, ENABLING, JOINING, LEAVING };
enum class Use { WORD, OPERAND, CHECK, LAST_WORD, LAST_OPERAND };

/* A read of host memory */
struct HostRead {
	Use use;
	unsigned group;
	unsigned port;	   /* NOBODY: a record of the group */
	uint64_t expected; /* what a check finds; the word that was seen before an operand */
	bool may_drop;	   /* something happened since that lets the card drop the answer */
};

/* A value that the page leaves open for a while */
struct Range {
	uint64_t low, high;
	void add(uint64_t n)
	{
		low += n;
		high += n;
	}
};

/* What a read gives, and where the page leaves the value open */
struct Value {
	enum Kind { PLAIN, DMA_ERRORS, INTERRUPTS, RECORD_WRITES, STATUS, GROUP_STATUS, CAUSE };
	Kind kind;
	uint64_t value;
	uint64_t open; /* bits that may be otherwise */
	unsigned group;
	unsigned shift;
};

/* A word that a group had, by its number since the group was enabled */
struct Word {
	unsigned seq;
	uint64_t word;
	uint64_t stamp; /* of the step that brought it */
	bool result;	/* a completion of a group that reduces */
	uint64_t value; /* its result */
};

/* Of one departure record: what the card has written there */
struct Record {
	unsigned seq; /* of the latest word; 0 for none */
	int used;     /* how often the card wrote it in this round */
	unsigned round;
	int repeats;	     /* JOINs of this port in this round that write it once more */
	unsigned floor;	     /* no result is due of words up to this */
	unsigned excused;    /* words up to this may have gone to an address that is no more */
	uint64_t joined;     /* when the member did */
	unsigned result_seq; /* of the result before the word that comes */
	unsigned result_low; /* of the first epoch with that result which it may be of */
	bool result_failed;
};

/* What the records of a group lack */
struct Due {
	unsigned seq;		    /* of the word now */
	unsigned clean;		    /* of the latest word that all records showed */
	unsigned lacking;	    /* records that do not show it */
	bool dirty;		    /* the group is in the list of those that lack one */
	int events;		    /* how often the card has had a reason to write all records */
	unsigned round;		    /* since it answered a read that came after all of them */
	uint64_t event_stamp;	    /* of the latest of these reasons */
	bool open;		    /* the group is in the list of those that have one */
	bool failed;		    /* a write failed, and the group is not broken for it yet */
	bool nowhere;		    /* a member may have had no memory when the card wrote to it */
	std::deque<Word> words;	    /* those that records may still need */
	std::vector<Record> record; /* of the group */
	std::vector<Record> member;
	Record joining;
	bool joins_anew; /* an attempt before may have been about to write the record */
	uint64_t joining_word;
};

struct Group {
	uint32_t ctrl;
	bool broken, armed, expired, black;
	unsigned reason, vote;
	uint64_t epoch;
	unsigned vacant, vector, records, count, arrived, members, present;
	uint64_t timeout, sum, result;
	int64_t balance;
	std::array<uint64_t, 16> record_addr;
	Mask p, s, v, missing;
	std::vector<uint64_t> operand;
	Operation operation;
	unsigned operation_port;
	bool begun;	 /* the operation has begun */
	unsigned checks; /* answers that it still waits for */
	bool failed;	 /* one of them was not right */
	bool answered;	 /* it may end */
	bool line;	 /* there is one to read */
	bool timer;	 /* runs */
	uint64_t timer_since, timer_latest;
	uint64_t completions, arrivals, departure_reads, non_member, double_arrivals, refused,
		interrupts, line_reads, withdrawals, unarrived, readbacks;
	Range record_writes;
	uint64_t old_writes;	/* of the life before */
	uint64_t enabled_stamp; /* when this one began */
	Due due;
};

struct Total {
	uint64_t completions, completions_reduced, completions_counted, completions_polled,
		completions_refutable, breaks, expiries, joins, leaves, violations[8], raises,
		operations, refused, failed_joins, failed_enablings, withdrawals, overtaken, resets,
		steps, arrivals;
};

class Model
{
      public:
	explicit Model(const Parameters &parameters);

	/* Steps. The card begins the step at TIME at the earliest, and at LATEST at the latest. */
	void at(uint64_t time, uint64_t latest)
	{
		now = time;
		this->latest = latest;
		stamp++;
		total.steps++;
	}
	/* BUSY: dropped reads for the group are in flight, or it has an operation */
	void write(const Access &access, bool busy);
	/* The group whose command a write is, NOBODY if it is none */
	unsigned commands(const Access &access) const;
	Value read(const Access &access);
	void answer(HostRead &read, bool failed, uint64_t data);
	void expire(unsigned g);
	void begin(unsigned g, bool anew);
	void finish(unsigned g);
	void fail_records(unsigned g);
	void end_reset();

	/* What the card may do of its own accord */
	bool has_line(unsigned g) const;
	bool would_read(unsigned g, unsigned port) const;
	bool may_finish(unsigned g) const;
	uint64_t awaited(unsigned g) const;
	uint64_t word_of(unsigned g) const;
	bool running() const
	{
		return ctrl & HBSR_CTL_CTRL_ENABLE;
	}
	bool refutable(const Group &group) const;
	bool counts(const Group &group) const;
	bool polls(const Group &group) const;
	bool ports_have_records(const Group &group) const;
	unsigned reduction(const Group &group) const;
	bool enabled(const Group &group) const
	{
		return group.ctrl & HBSR_GRP_CTRL_ENABLE;
	}

	/* What leaves the card: each returns what is wrong, or nothing */
	std::string sent_word(unsigned g, unsigned index, bool member, uint64_t word, bool refused);
	std::string sent_result(unsigned g, unsigned index, bool member, uint64_t value,
				bool refused);
	std::string sent_message(unsigned vector, bool counted);
	std::string lacks(uint64_t stamp) const;
	bool raises_wait() const;
	bool raise_waits(uint64_t stamp) const;
	bool has_record(unsigned g, unsigned port) const;
	/* What was due at STAMP has left: nothing of it comes once more. */
	void settle(uint64_t stamp);
	bool write_failed(unsigned g) const;
	/* The word of a line that the card has seen, before it reads the operand */
	uint64_t seen_word(unsigned g, unsigned port) const;
	bool records_wait() const
	{
		return !dirty.empty();
	}

	Parameters parameters;
	std::vector<Group> group;
	std::vector<uint64_t> port_addr;
	bool ready;
	uint32_t ctrl, tag, poll, cause, maybe_cause, enable;
	std::array<uint64_t, 2> int_groups, int_timeouts;
	uint64_t violations, bad_accesses, violation_last, foreign_reads;
	Range dma_errors, interrupts;
	uint64_t stamp;
	uint64_t poll_since; /* since when a line is to be read, 0 for never */
	uint64_t resets;
	Total total;

	/* Called with each group whose reads lose their answers; NOBODY stands for all. */
	void (*drop)(void *context, unsigned g, unsigned port) = nullptr;
	/* Called when the address of a record changes, and when a group or a port has one no more */
	void (*moved)(void *context) = nullptr;
	void *context = nullptr;

      private:
	struct Target;
	struct Raise {
		uint64_t stamp;
		bool needed;
	};

	uint64_t reserved(uint32_t offset) const;
	const char *find(const Access &access, Target *target) const;
	uint64_t value_of(const Target &target, Value *value);
	uint64_t card_value(const Target &target, Value *value);
	uint64_t group_value(const Target &target, Value *value);
	void bad(unsigned port, unsigned g);
	void violation(unsigned kind, unsigned port, unsigned g);
	void write_register(const Access &access, bool busy);
	bool write_target(const Target &target, uint64_t value, bool busy);
	bool write_card(const Target &target, uint64_t value);
	bool write_group(const Target &target, uint64_t value, bool busy);
	bool write_control(unsigned g, uint32_t value);
	bool write_command(unsigned g, uint32_t value, bool busy);
	bool write_arm(unsigned g, uint32_t value);
	bool write_port(unsigned port, uint64_t value);
	void write_enable(bool run);
	void write_lane(const Access &access);
	uint64_t read_lane(const Access &access);
	bool drops(unsigned g, unsigned port);
	void store(unsigned g, unsigned port, uint64_t datum);
	void store_idle(unsigned g, unsigned port, uint64_t word);
	void store_operand(unsigned g, unsigned port, uint64_t datum);
	void withdraw(unsigned g, unsigned port);
	void arrive(unsigned g, unsigned port, uint64_t operand);
	void evaluate(unsigned g);
	void forget_arrivals(Group &group);
	void break_group(unsigned g, unsigned reason);
	void fail_line(unsigned g);
	void join(unsigned g, unsigned port);
	void leave(unsigned g, unsigned port);
	void take_back(Group &group, unsigned port);
	void enable_group(unsigned g);
	void disable_group(unsigned g);
	void raise_armed(unsigned g);
	void raise_group(unsigned g);
	void raise(unsigned vector, bool needed);
	void set_cause(uint32_t bits);
	void update(unsigned g);
	void update_poll(unsigned g);
	void reset();
	void drop_reads(unsigned g, unsigned port)
	{
		if (drop)
			drop(context, g, port);
	}

	/* due.cpp */
	void due_start(unsigned g);
	void due_word(unsigned g, bool result);
	void due_join(unsigned g, unsigned port);
	void due_leave(unsigned g, unsigned port);
	void due_stop(unsigned g);
	void due_pass(unsigned g);
	void due_begin(unsigned g);
	void due_open(unsigned g);
	bool may_write(unsigned g, const Record &record) const;
	void due_clean(unsigned g);
	bool written_up_to(const Group &group, uint64_t stamp, std::string *what) const;
	Record *record_of(unsigned g, unsigned index, bool member);

	uint64_t now, latest;
	unsigned lines; /* groups that have one to read */
	std::vector<unsigned> dirty, open;
	std::unordered_map<uint32_t, uint64_t> seen;
	std::deque<Raise> raises[VECTORS];
	unsigned spare[VECTORS] = {}; /* messages that may come, as others stood for several */
};

uint64_t reduce(unsigned reduction, uint64_t sum, uint64_t operand);
uint64_t identity(unsigned reduction);

inline bool bit(const Mask &mask, unsigned i)
{
	return mask[i / 64] >> i % 64 & 1;
}
} // namespace hbs

#endif
