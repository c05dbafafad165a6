/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core_world.h"

#include "packages.h"

namespace core
{
using hbs::bit;
using hbs::Group;
using hbs::NOBODY;

namespace
{
/* The port of the reads that check records of a group, which no event for a port drops */
constexpr unsigned RECORD = 1024;
} // namespace

bool World::concerns(const Event &event, unsigned group, unsigned port)
{
	return (event.drops_groups || event.group == group) &&
	       (event.drops_ports || event.port == port);
}

int World::answer(uint64_t cycle) const
{
	const unsigned first = random.below(TAGS);

	for (unsigned i = 0; i < TAGS; i++) {
		const Flight &flight = flights[(first + i) % TAGS];

		if (flight.where == Flight::SENT && flight.due <= cycle)
			return (first + i) % TAGS;
	}
	return -1;
}

bool World::is_draining(const Event &event, unsigned group) const
{
	for (unsigned tag = 0; tag < TAGS; tag++)
		if (flights[tag].where != Flight::FREE && flights[tag].group == group &&
		    is_dropped(event, tag))
			return true;
	return false;
}

bool World::is_reading() const
{
	for (const Flight &flight : flights)
		if (flight.where != Flight::FREE)
			return true;
	return false;
}

bool World::is_over(const Event &event) const
{
	const bool same = event.valid && event.group == fail_group;

	if (fail_operation)
		return (same && (event.cancels || event.starts)) || (event.valid && event.stops);
	return same && event.forgets;
}

void World::fail(unsigned g, bool operation)
{
	if (fail_waits)
		return;
	fail_waits = true;
	fail_group = g;
	fail_operation = operation;
}

/* Writes a record at once: a card may take longer, and skip words meanwhile. */
void World::write(unsigned g, unsigned index, bool member, uint64_t word)
{
	if (member && !model.port_addr[index]) {
		fail(g, false);
		return;
	}
	if (owed[g])
		note(model.sent_result(g, index, member, results[g], false));
	note(model.sent_word(g, index, member, word, false));
}

void World::write_records(const Event &event, uint64_t word, uint64_t result)
{
	const unsigned g = event.group;
	const Group &group = model.group[g];

	if (event.has_result) {
		owed[g] = true;
		results[g] = result;
	}
	for (unsigned i = 0; i < model.parameters.ports && model.ports_have_records(group); i++)
		if (bit(group.p, i))
			write(g, i, true, word);
	for (unsigned i = group.records; i-- > 0;)
		write(g, i, false, word);
	/* A member that had no memory has not got the result yet. */
	owed[g] = owed[g] && fail_waits && fail_group == g && !fail_operation;
}

void World::wish_line(unsigned use, unsigned g, unsigned port)
{
	const uint64_t base = model.port_addr[port];

	wishes.push_back(
		{ use, g, port, base + g * HBSR_MEMORY_STRIDE + HBSR_MEMORY_ARRIVAL, 0, !base });
}

/* The operation of a group begins, perhaps anew. */
void World::start(const Event &event, uint64_t word)
{
	const unsigned g = event.group;
	const Group &group = model.group[g];

	forget(g);
	switch (event.operation) {
	case rtl::OperationEnabling:
		for (unsigned i = 0; i < group.records; i++)
			wishes.push_back({ rtl::UseCheck, g, RECORD, 0, word, false });
		break;
	case rtl::OperationJoining:
		if (!model.ports_have_records(group)) {
			wish_line(rtl::UseCheckAny, g, event.port);
		} else if (!model.port_addr[event.port]) {
			fail(g, true);
		} else {
			const bool refused = !fail_waits && random.one_in(20);

			note(model.sent_word(g, event.port, true, word, refused));
			if (refused)
				fail(g, true);
			else
				wishes.push_back({ rtl::UseCheck, g, event.port, 0, word, false });
		}
		break;
	default:
		wish_line(rtl::UseLastWord, g, event.port);
		break;
	}
}

/* Reads of an operation that are not sent; those of rounds are looked at when they are. */
void World::forget(unsigned g)
{
	for (auto i = wishes.begin(); i != wishes.end();)
		i = i->group == g && i->use != rtl::UseWord ? wishes.erase(i) : i + 1;
}

void World::take(const Event &event, uint64_t word, uint64_t result, uint64_t seen)
{
	if (fail_waits && is_over(event))
		fail_waits = false;
	if (!event.valid)
		return;
	if (event.frees)
		flights[event.tag].where = Flight::FREE;
	for (unsigned tag = 0; tag < TAGS; tag++)
		flights[tag].dropped = is_dropped(event, tag);
	for (auto i = wishes.begin(); i != wishes.end();)
		i = (event.drops && i->use == rtl::UseWord && concerns(event, i->group, i->port)) ||
				    event.stops
			    ? wishes.erase(i)
			    : i + 1;
	if (event.forgets)
		owed[event.group] = false;
	if (event.cancels)
		forget(event.group);
	if (event.shows)
		write_records(event, word, result);
	if (event.starts)
		start(event, word);
	if (event.repeats)
		note(model.sent_word(event.group, event.port, true, word, false));
	for (unsigned vector = 0; vector < hbs::VECTORS; vector++)
		if (event.messages >> vector & 1)
			note(model.sent_message(vector, true));
	if (event.has_wants)
		wants[event.group] = event.wants;
	if (event.asks) {
		Flight &flight = flights[event.tag];

		/* The operand is there before the word. */
		flight.where = Flight::SENT;
		flight.addr += HBSR_LINE_OPERAND;
		flight.use = flight.use == rtl::UseWord ? (unsigned)rtl::UseOperand
							: (unsigned)rtl::UseLastOperand;
		flight.expected = seen;
		flight.data = host.load(flight.addr);
		flight.error = random.one_in(200);
		flight.asked = false;
	}
}

void World::take_scan(unsigned group, unsigned index, uint64_t mask)
{
	for (unsigned i = 0; i < 64; i++)
		if (mask >> i & 1 && !random.one_in(10))
			wish_line(rtl::UseWord, group, 64 * index + i);
}

void World::reset()
{
	wishes.clear();
	fail_waits = scan_waits = false;
	wants.assign(wants.size(), false);
	owed.assign(owed.size(), false);
	for (Flight &flight : flights)
		flight.dropped = true;
}

void World::drop(unsigned group, unsigned port)
{
	for (Flight &flight : flights)
		if ((group == NOBODY || flight.group == group) &&
		    (port == NOBODY || flight.port == port))
			flight.must = true;
}

/* One of the reads that wait gets a tag; it is answered later, in any order. */
void World::send(uint64_t cycle, unsigned latency, unsigned errors)
{
	unsigned tag = random.below(TAGS);

	if (wishes.empty() || flights[tag].where != Flight::FREE || !model.running())
		return;
	const Wish wish = wishes.front();
	Flight flight = { Flight::SENT,
			  wish.use,
			  wish.group,
			  wish.port,
			  wish.addr,
			  wish.expected,
			  cycle + 1 + random.below(latency),
			  0,
			  false,
			  false,
			  false,
			  false };

	wishes.pop_front();
	if (wish.port != RECORD && wish.use != rtl::UseCheck) {
		/* the port's memory may have moved */
		flight.addr = model.port_addr[wish.port] + wish.group * HBSR_MEMORY_STRIDE;
		flight.error = !model.port_addr[wish.port];
	}
	flight.data = wish.use == rtl::UseCheck ? wish.expected : host.load(flight.addr);
	if (errors && random.one_in(errors))
		flight.error = true;
	if (errors && random.one_in(errors))
		flight.data ^= 1ULL << random.below(64);
	if (flight.error)
		flight.data = random.next();
	flights[tag] = flight;
}

/* A round asks for the lines of a group that wants it. */
void World::ask()
{
	const unsigned g = random.below(wants.size());

	if (scan_waits ? !wants[scan_group] : !wants[g] || !model.running()) {
		scan_waits = false;
		return;
	}
	if (scan_waits)
		return;
	scan_waits = true;
	scan_group = g;
	scan_index = random.below((model.parameters.ports + 63) / 64);
}
} // namespace core
