/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PCI Express packets, as the streams of the card carry them. */
#ifndef HBS_TLP_H
#define HBS_TLP_H

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <vector>

#include "results.h"

namespace tlp
{

using namespace results;

/* fmt and type */
constexpr unsigned MEMORY_READ = 0x00;
constexpr unsigned LOCKED_READ = 0x01;
constexpr unsigned IO_READ = 0x02;
constexpr unsigned IO_WRITE = 0x42;
constexpr unsigned CONFIG_READ0 = 0x04;
constexpr unsigned CONFIG_WRITE0 = 0x44;
constexpr unsigned CONFIG_READ1 = 0x05;
constexpr unsigned CONFIG_WRITE1 = 0x45;
constexpr unsigned FETCH_ADD = 0x4c;
constexpr unsigned SWAP = 0x4d;
constexpr unsigned CAS = 0x4e;
constexpr unsigned DEFERRABLE_WRITE = 0x5b;
constexpr unsigned MESSAGE = 0x34;
constexpr unsigned MESSAGE_DATA = 0x74;
constexpr unsigned PREFIX = 0x80;
constexpr unsigned COMPLETION = 0x0a;
constexpr unsigned COMPLETION_LOCKED = 0x0b;
constexpr unsigned COMPLETION_DATA = 0x4a;
constexpr unsigned MEMORY_WRITE = 0x40;
constexpr unsigned LONG = 0x20; /* a header of four double words */

struct Packet {
	std::vector<uint32_t> dw;
	unsigned bar = 7;
};

/* the header's fields that a test chooses; the rest is as PCI Express has it */
struct Header {
	unsigned kind = MEMORY_READ;
	unsigned tc = 0, attr = 0;
	bool poisoned = false, digest = false;
	unsigned length = 1; /* double words, to 1024 */
	unsigned id = 0;     /* of the requester */
	unsigned tag = 0;
	unsigned first_be = 15, last_be = 0;
	uint64_t addr = 0;
	unsigned bar = 0;
};

inline bool has_data(unsigned kind)
{
	return kind & 0x40;
}

inline Packet request(const Header &h, const std::vector<uint32_t> &data = {})
{
	Packet p;

	p.bar = h.bar;
	p.dw.push_back(h.kind << 24 | h.tc << 20 | h.digest << 15 | h.poisoned << 14 |
		       h.attr << 12 | (h.length & 1023));
	p.dw.push_back(h.id << 16 | h.tag << 8 | h.last_be << 4 | h.first_be);
	if (h.kind & LONG)
		p.dw.push_back(h.addr >> 32);
	p.dw.push_back(h.addr & ~3u);
	p.dw.insert(p.dw.end(), data.begin(), data.end());
	if (h.digest)
		p.dw.push_back(0xdeadbeef);
	return p;
}

inline Packet completion(unsigned requester, unsigned tag, unsigned status, unsigned bytes,
			 unsigned lower, const std::vector<uint32_t> &data, bool poisoned = false,
			 bool digest = false)
{
	unsigned kind = data.empty() ? COMPLETION : COMPLETION_DATA;
	Packet p;

	p.dw.push_back(kind << 24 | digest << 15 | poisoned << 14 | (data.size() & 1023));
	p.dw.push_back(0x0100u << 16 | status << 13 | (bytes & 0xfff));
	p.dw.push_back(requester << 16 | tag << 8 | lower);
	p.dw.insert(p.dw.end(), data.begin(), data.end());
	if (digest)
		p.dw.push_back(0xdeadbeef);
	return p;
}

/* the fields of a packet that the card has sent */
struct Sent {
	unsigned kind, tc, attr, length, id, tag, first_be, last_be;
	uint64_t addr;
	/* of a completion */
	unsigned status, bytes, requester, lower;
	std::vector<uint32_t> data;
};

inline bool parse(const std::vector<uint32_t> &dw, Sent &s)
{
	size_t head;

	if (dw.size() < 3)
		return false;
	s.kind = dw[0] >> 24;
	s.tc = dw[0] >> 20 & 7;
	s.attr = dw[0] >> 12 & 3;
	s.length = dw[0] & 1023;
	if (dw[0] & 0x008fcc00 || s.kind & 0x80)
		return false;
	if (!s.length && (has_data(s.kind) || (s.kind & 0x1f) == 0))
		s.length = 1024;
	s.id = dw[1] >> 16;
	s.tag = dw[1] >> 8 & 255;
	s.last_be = dw[1] >> 4 & 15;
	s.first_be = dw[1] & 15;
	head = s.kind & LONG ? 4 : 3;
	if (dw.size() < head)
		return false;
	s.addr = s.kind & LONG ? (uint64_t)dw[2] << 32 | dw[3] : dw[2];
	if ((s.kind & 0x1e) == 0x0a) {
		s.status = dw[1] >> 13 & 7;
		s.bytes = dw[1] & 0xfff ? dw[1] & 0xfff : 4096;
		s.requester = dw[2] >> 16;
		s.tag = dw[2] >> 8 & 255;
		s.lower = dw[2] & 127;
	} else if (s.kind & LONG && !(s.addr >> 32)) {
		return false; /* an address below 4 GiB must have the short header */
	}
	s.data.assign(dw.begin() + head, dw.end());
	return s.data.size() == (has_data(s.kind) ? s.length : 0);
}

/* the bytes that a read asks for: where they begin, and how many there are */
inline unsigned first_byte(unsigned be)
{
	return be ? __builtin_ctz(be) : 0;
}

inline unsigned byte_count(unsigned length, unsigned first_be, unsigned last_be)
{
	if (length == 1)
		return first_be ? 32 - __builtin_clz(first_be) - __builtin_ctz(first_be) : 1;
	return 4 * length - first_byte(first_be) - (last_be ? __builtin_clz(last_be << 28) : 0);
}

/* byte enables of the double word with this index */
inline unsigned enables(unsigned index, unsigned length, unsigned first_be, unsigned last_be)
{
	return !index ? first_be : index == length - 1 ? last_be : 15;
}

} // namespace tlp
#endif
