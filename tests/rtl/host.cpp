/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host.h"

namespace hbs
{
uint64_t Host::new_region(Owner::Kind kind, unsigned index)
{
	/* The upper bits are random, so that all bits of addresses take part. */
	const uint64_t low = regions++ << REGION;
	const uint64_t high = random.next() << 44;

	owners[(high | low) >> REGION] = { kind, index, high | low };
	return high | low;
}

uint64_t Host::new_record(unsigned g)
{
	const unsigned room = (1u << REGION) / HBSR_RECORD_STRIDE;
	unsigned &n = records[g];

	if (n++ % room == 0)
		record_region[g] = new_region(Owner::RECORD, g);
	/* A multiplication by an odd number gives each of them once, in no order. */
	return record_region[g] + (n * 37 % room) * HBSR_RECORD_STRIDE;
}

uint64_t Host::new_memory(unsigned port)
{
	const uint64_t region = new_region(Owner::PORT, port);
	const uint64_t base = region + random.below(128) * HBSR_MEMORY_STRIDE;

	owners[region >> REGION].base = base;
	return base;
}

const Owner *Host::owner(uint64_t addr) const
{
	const auto found = owners.find(addr >> REGION);

	return found == owners.end() ? nullptr : &found->second;
}

uint64_t Host::load(uint64_t addr) const
{
	const auto found = words.find(addr);

	return found == words.end() ? 0 : found->second;
}

void Host::store(uint64_t addr, uint64_t word)
{
	words[addr] = word;
}
} // namespace hbs
