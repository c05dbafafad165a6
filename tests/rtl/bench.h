/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bench: it is the host, gives the card accesses, takes what leaves it, answers its reads, and
 * holds each of that against the model.
 */
#ifndef BENCH_H
#define BENCH_H

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "card.h"
#include "host.h"
#include "model.h"
#include "stimulus.h"

namespace hbs
{
/* How the host treats the card, for a while */
struct Weather {
	unsigned tx_stall; /* percent of cycles in which nothing is taken */
	unsigned rd_stall;
	unsigned idle;	  /* percent of cycles without a request */
	unsigned latency; /* of reads, in cycles, at most */
	bool in_order;
	unsigned refusals;   /* of writes, one in so many; 0 for none */
	unsigned errors;     /* of reads, one in so many */
	unsigned step;	     /* ns in a cycle */
	unsigned jump;	     /* one cycle in so many is a long one; 0 for none */
	unsigned long_stall; /* one cycle in so many begins a long stall of tx or rd */
};

class Bench
{
      public:
	Bench(uint64_t seed, bool verbose);

	/* So many accesses, of this manner; false if something was wrong */
	bool run(uint64_t accesses, const Manner &manner);
	/* All that is due has left, and all registers are those of the model. */
	bool drain();
	bool compare_all();
	/* Nothing of before outlives a reset. */
	bool reset();
	bool measure();
	/* What random accesses meet seldom */
	bool cases();
	const std::string &error() const
	{
		return wrong;
	}
	void print_totals() const;
	void print_last() const;
	uint64_t cycles() const
	{
		return cycle;
	}
	uint64_t taken() const
	{
		return accesses;
	}
	void write_coverage(const char *path)
	{
		card.write_coverage(path);
	}

      private:
	struct Queued {
		Access access;
		uint64_t time, cycle;
		bool ready;
	};
	struct Pending { /* a read of the card that is not answered */
		bool busy, stepped;
		Access access;
		Value value;
		uint64_t stamp, resets, runs;
		Range errors;
		uint64_t write_errors;
		bool may_be_busy, must_be_busy; /* BUSY, or READING */
		bool fences, quiets;		/* what a 0 there means for the future */
	};
	struct Flight { /* a read of host memory that is not answered, or not in the model */
		bool busy, answered, failed;
		uint64_t addr, data, due, answer_time;
		unsigned group, port;
		bool must_drop, may_drop;
		bool line;  /* of an arrival line */
		bool asked; /* its operand is to be read by the same tag */
	};
	struct Line { /* that a round has to read */
		unsigned g, port, seq;
		uint64_t start;
	};

	void cycle_once();
	void choose();
	void take_step(const Trace &trace);
	void step_access(const Trace &trace);
	void step_answer(const Trace &trace);
	void step_expiry(unsigned g);
	void step_anew(unsigned g);
	void end_reset();
	void take_request();
	void start_round();
	void check_round();
	void check_order(const Flight &flight);
	void change_weather();
	void expect(const char *what, uint64_t got, uint64_t wanted);
	bool measure_one(unsigned n, unsigned records, unsigned reduction);
	bool start_group(uint32_t ctrl, unsigned seats, unsigned records, uint64_t timeout);
	bool try_timer();
	bool try_late();
	bool try_results();
	bool try_break();
	bool has_no_memory() const;
	bool may_lack_memory() const;
	uint64_t writes_of(unsigned g) const;
	void offer_tx();
	void take_tx();
	void take_write(uint64_t addr, uint64_t word, bool refused);
	void take_answer();
	void take_read();
	void give_answer(Inputs *inputs);
	void check_time();
	void fail(const char *format, ...) __attribute__((format(printf, 2, 3)));
	void note(const char *format, ...) __attribute__((format(printf, 2, 3)));
	const char *unrest() const;
	bool group_is_busy(unsigned g) const;
	bool group_may_be_busy(unsigned g) const;
	static void on_drop(void *context, unsigned g, unsigned port);

	Random random;
	Card card;
	Model model;
	Host host;
	std::unique_ptr<Stimulus> stimulus;
	Weather weather;
	bool verbose;

	Inputs in;
	const Outputs *out = nullptr;
	uint64_t cycle = 0, now = 1000, time_before = 0, accesses = 0;
	bool has_request = false, held = false;
	Access held_access = {};
	bool calm = false;		    /* nothing stalls, and nothing fails */
	std::deque<Access> extra;	    /* requests of the bench itself */
	std::deque<Queued> waiting, queued; /* before and after the card decodes them */
	std::vector<Pending> pending;
	std::vector<Flight> flights;
	unsigned tx_stalled = 0, rd_stalled = 0;
	uint64_t waited = 0;

	/* What was offered, and must not change until it is taken */
	bool tx_offered = false, rd_offered = false;
	Outputs tx_before, rd_before;
	uint64_t tx_since = 0, tx_stamp = 0, rd_since = 0, rd_cycle = 0;
	uint64_t offered_writes = 0;
	uint64_t word_addr = 0, result_since = 0; /* a result was taken: of the word after it */
	uint64_t errors_before = 0; /* writes that were refused, when the last of them was taken */
	std::vector<uint64_t> group_cycle, port_cycle; /* when reads for it were dropped */
	std::vector<uint64_t> life_cycle;	       /* when a group was disabled */
	std::vector<uint64_t> join_cycle;
	std::vector<uint64_t> anew_cycle; /* when a JOIN or LEAVE of a group began anew */
	std::vector<uint64_t> drained;	  /* until when reads for a group were in flight */
	std::vector<bool> group_quiet;
	uint64_t runs = 0; /* how often CTL_CTRL.ENABLE changed */
	bool fenced = false;
	uint64_t last_read_cycle = 0; /* in which a read of host memory was in flight */
	uint64_t bare_cycle = 0;      /* a register was written, and a port had no memory */

	/* Rounds */
	uint64_t round_start = 0, rounds = 0, enabled_since = 0, poll_since_before = 0,
		 poll_since_last = 0, poll_since_older = 0;
	uint32_t poll_low = HBSR_CTL_POLL_DEFAULT, poll_before = HBSR_CTL_POLL_DEFAULT;
	std::vector<Line> missed;
	int64_t last_line = -1;			    /* that the round has read */
	std::vector<std::vector<uint32_t>> read_in; /* the round in which a line was read last */

	std::vector<uint64_t> overdue; /* since when a timer should have expired */
	uint64_t reset_since = 0;
	bool was_ready = false;
	uint64_t kinds[16] = {};

	std::string wrong;
	std::deque<std::string> last;
	uint64_t stalls[2] = {}, refusals = 0, read_errors = 0, writes = 0, messages = 0,
		 answers = 0, host_reads = 0, dropped = 0, longest_wait = 0, requests_stalled = 0;
};
} // namespace hbs

#endif
