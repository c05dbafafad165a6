/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/**
 * DOC: Overview
 *
 * Userspace interface of the hbs barrier card driver.
 *
 * /dev/hbsN is one card. An open file owns ports; a port is the card's context of
 * one thread. HBS_GROUP_CREATE makes a group, which is a descriptor of its own;
 * fork or SCM_RIGHTS pass it on. HBS_GROUP_JOIN makes a port a member.
 *
 * Every structure starts with its size. The kernel takes a smaller one than it
 * knows (fields that userspace lacks are zero), and a larger one if what it
 * does not know is zero. Padding and reserved fields must be zero.
 *
 * Errors that every ioctl can return::
 *
 *   ENOTTY     the number is not an ioctl of this kind of descriptor
 *   EINVAL     size is smaller than the structure's first version, a reserved
 *              field is not zero, or a value is out of range
 *   E2BIG      size is larger than the kernel's, and the rest is not zero, or it
 *              is larger than a page
 *   EOPNOTSUPP a flag or mode that this driver or card does not have
 *   EFAULT     the structure is not wholly readable and writable
 *   ENODEV     the card is gone
 *   ECONNRESET the card was reset after the descriptor was opened
 *
 * The comment of each ioctl lists the others.
 *
 * Errors of mmap: EINVAL if offset, length or flags are not as described, or the
 * open file has no such port; EACCES for PROT_EXEC, and for PROT_WRITE on a group;
 * ENODEV, ECONNRESET. A child of fork does not inherit a mapping, and nobody can
 * enlarge or split it. It stays usable when the card is gone or was reset: stores
 * have no effect, and the words that it shows have HBS_WORD_BROKEN set.
 */
#ifndef _UAPI_LINUX_HBS_H
#define _UAPI_LINUX_HBS_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define HBS_IOCTL_TYPE		0xB9

enum {
	/* on /dev/hbsN */
	HBS_CMD_INFO = 0x00,
	HBS_CMD_PORT_ALLOC,
	HBS_CMD_PORT_FREE,
	HBS_CMD_GROUP_CREATE,
	/* on a group */
	HBS_CMD_GROUP_INFO = 0x20,
	HBS_CMD_GROUP_JOIN,
	HBS_CMD_GROUP_LEAVE,
	HBS_CMD_GROUP_WAIT,
	HBS_CMD_GROUP_REOPEN,
	HBS_CMD_GROUP_DESTROY,
	HBS_CMD_GROUP_COUNTERS,
	HBS_CMD_GROUP_MISSING,
	HBS_CMD_GROUP_RESET,
	HBS_CMD_GROUP_WAKE,
};

/**
 * DOC: Layout of the mapped memory, fixed for ever
 *
 * A port's mapping holds one lane for each group: lane g at g * HBS_LANE_SIZE. A
 * store of 8 bytes to ARRIVAL arrives; a load of 8 bytes from DEPARTURE gives the
 * group's epoch word, by a slow read of the card, or zero if the port is not a
 * member (any more). The result word is beside it, as in a departure record; if the
 * epoch word that is loaded after it is broken, or all ones, the card may be gone,
 * and only HBS_GROUP_WAIT says what the result was.
 *
 * A group's mapping holds departure records, HBS_RECORD_SIZE each, which the
 * card writes: the epoch word, and the result word of a group that reduces.
 *
 * A port's memory (see enum hbs_arrival, enum hbs_departure) has the layout of its
 * mapping. At HBS_LANE_ARRIVAL of a lane is the arrival line, which the member
 * writes: first the operand at HBS_LINE_OPERAND, then the epoch word at
 * HBS_LINE_WORD. This is the word of the epoch that the member arrives for: the
 * last one that it saw, plus HBS_WORD_EPOCH_ONE, without a status bit. At
 * HBS_LANE_DEPARTURE is the member's departure record.
 *
 * A port's waits are memory where its owner may note what its waits in each group were like:
 * struct hbs_waits for group g at g * HBS_WAITS_SIZE. The kernel shows it to those who may see
 * what the port's process does, and does nothing else with it.
 *
 * Epoch word: bits 63:16 the epoch (completions since the card's reset), bits
 * 15:0 the status. A broken group has HBS_WORD_BROKEN set and the reason in
 * HBS_WORD_REASON. HBS_WORD_VOTE_ALL and HBS_WORD_VOTE_ANY are the votes of the last
 * completion of a refutable group. Other bits are 0.
 *
 * In a refutable group (HBS_GROUP_REFUTABLE) the datum of a store to ARRIVAL is an idle
 * word: in HBS_IDLE_DELTA, as a signed number of 48 bits, how many messages the member
 * has sent less those that it has freed since its last idle word; HBS_IDLE_FREED, if it
 * has freed any since; and HBS_IDLE_VOTE, its vote. A store of 8 bytes to WITHDRAW takes
 * the arrival back; a load from it gives 1 while the member counts as idle, and 0 as
 * soon as the card has taken the withdrawal. A store of 8 bytes to OPERAND sets the
 * member's operand, for a group that reduces, until the next such store; it must not
 * come while the member counts as idle.
 */
#define HBS_LANE_SIZE		128
#define HBS_LANE_ARRIVAL	0
#define HBS_LANE_OPERAND	8
#define HBS_LANE_WITHDRAW	16
#define HBS_LANE_DEPARTURE	64
#define HBS_RECORD_SIZE		64
#define HBS_RECORD_WORD		0
#define HBS_RECORD_RESULT	8
#define HBS_LINE_WORD		0
#define HBS_LINE_OPERAND	8
#define HBS_WAITS_SIZE		128
#define HBS_WAITS_SHIFT		9
#define HBS_WAITS_BUCKETS	23

#define HBS_WORD_BROKEN		0x1ULL
#define HBS_WORD_REASON		0xf0ULL
#define HBS_WORD_REASON_SHIFT	4
#define HBS_WORD_VOTE_ALL	0x100ULL	/* all members voted true */
#define HBS_WORD_VOTE_ANY	0x200ULL	/* some member did */
#define HBS_WORD_EPOCH_SHIFT	16
#define HBS_WORD_EPOCH_ONE	(1ULL << HBS_WORD_EPOCH_SHIFT)

#define HBS_IDLE_DELTA		0xffffffffffffULL
#define HBS_IDLE_FREED		(1ULL << 48)
#define HBS_IDLE_VOTE		(1ULL << 49)

/**
 * struct hbs_waits - what a member's long waits were like, those of 2^HBS_WAITS_SHIFT ns or more
 * @joined: the epoch word when the member joined; with another one, the rest is of a former
 *          member
 * @since_ns: when the last wait began that was so long that the member was about to sleep, in
 *            ns of CLOCK_MONOTONIC; 0 for never
 * @waited_ns: the time of all long waits that are over
 * @epoch: the low bits of the epoch that the wait of @since_ns was for
 * @scale: the counts below are of 2^scale waits each
 * @slept: how many of the long waits slept
 * @counts: how many were of 2^(HBS_WAITS_SHIFT + i) ns or more; the last one has all that
 *          were longer
 */
struct hbs_waits {
	__aligned_u64 joined;
	__aligned_u64 since_ns;
	__aligned_u64 waited_ns;
	__u32 epoch;
	__u32 scale;
	__u32 slept;
	__u32 counts[HBS_WAITS_BUCKETS];
};

/**
 * enum hbs_reason - why a group is broken, and the errno that its users get
 * @HBS_REASON_NONE: it is not broken
 * @HBS_REASON_TIMEOUT: ETIMEDOUT: its timer expired
 * @HBS_REASON_DIED: EOWNERDEAD: a member died
 * @HBS_REASON_RESET: ECONNRESET: the card or the group was reset
 * @HBS_REASON_GONE: ENODEV: the card is gone
 * @HBS_REASON_DESTROYED: EIDRM: somebody destroyed it
 * @HBS_REASON_DMA: EIO: the card could not reach memory
 * @HBS_REASON_OVERFLOW: EOVERFLOW: too many messages in flight to count
 */
enum hbs_reason {
	HBS_REASON_NONE		= 0,
	HBS_REASON_TIMEOUT	= 1,
	HBS_REASON_DIED		= 2,
	HBS_REASON_RESET	= 3,
	HBS_REASON_GONE		= 4,
	HBS_REASON_DESTROYED	= 5,
	HBS_REASON_DMA		= 6,
	HBS_REASON_OVERFLOW	= 7,
};

/**
 * DOC: Group types, for hbs_group_create.type and hbs_info.group_types (1 << type)
 *
 * HBS_GROUP_BARRIER is for barriers.
 *
 * HBS_GROUP_REFUTABLE is for members that send each other messages. A member arrives when it
 * has nothing to do, and withdraws when it gets a message. The epoch is over when all have
 * arrived and no message is in flight: when what they have sent is what they have freed.
 * Such a group completes by HBS_COMPLETION_MASK, and its members arrive by
 * HBS_ARRIVAL_STORE. It cannot have HBS_POLICY_SHRINK: messages to and from a dead member
 * would stay in flight for ever. For the same reason a member leaves only when it has
 * nothing to say: all that it has sent and freed was in an idle word, and nobody has
 * sent it a message since.
 */
#define HBS_GROUP_BARRIER	0
#define HBS_GROUP_REFUTABLE	1

/**
 * enum hbs_reduce - what a group does with the operands of its arrivals, hbs_group_create.reduce
 * @HBS_REDUCE_NONE: nothing
 * @HBS_REDUCE_AND: bit by bit
 * @HBS_REDUCE_OR: bit by bit
 * @HBS_REDUCE_XOR: bit by bit
 * @HBS_REDUCE_SUM: modulo 2^64
 * @HBS_REDUCE_MIN: unsigned
 * @HBS_REDUCE_MAX: unsigned
 * @HBS_REDUCE_SMIN: signed
 * @HBS_REDUCE_SMAX: signed
 * @HBS_REDUCE_VOTE: the result is HBS_VOTE_ALL, if every operand was not 0, and HBS_VOTE_ANY,
 *                   if some operand was not 0
 */
enum hbs_reduce {
	HBS_REDUCE_NONE	= 0,
	HBS_REDUCE_AND	= 1,
	HBS_REDUCE_OR	= 2,
	HBS_REDUCE_XOR	= 3,
	HBS_REDUCE_SUM	= 4,
	HBS_REDUCE_MIN	= 5,
	HBS_REDUCE_MAX	= 6,
	HBS_REDUCE_SMIN	= 7,
	HBS_REDUCE_SMAX	= 8,
	HBS_REDUCE_VOTE	= 9,
};

#define HBS_VOTE_ALL		0x1ULL	/* every operand was not 0 */
#define HBS_VOTE_ANY		0x2ULL	/* some operand was not 0 */

/**
 * DOC: Policies, the bits of hbs_group_create.policy
 *
 * HBS_POLICY_NOTIFY: a timeout is reported, and breaks nothing.
 *
 * HBS_POLICY_SHRINK: a member's death is a leave, and breaks nothing.
 *
 * HBS_POLICY_THREAD: userspace reports threads that end as members, by HBS_LEAVE_DIED; the
 * kernel only keeps the bit.
 */
#define HBS_POLICY_NOTIFY	0x1
#define HBS_POLICY_SHRINK	0x2
#define HBS_POLICY_THREAD	0x4

/**
 * enum hbs_completion - when an epoch of a group is complete, hbs_group_create.completion
 * @HBS_COMPLETION_MASK: every member has arrived
 * @HBS_COMPLETION_COUNT: as many arrivals as there are members have come, however many from
 *                        each member
 */
enum hbs_completion {
	HBS_COMPLETION_MASK	= 0,
	HBS_COMPLETION_COUNT	= 1,
};

/**
 * enum hbs_arrival - how the members of a group arrive, hbs_group_create.arrival
 * @HBS_ARRIVAL_STORE: by a store to ARRIVAL in the port's mapping
 * @HBS_ARRIVAL_POLL: by the arrival line in the port's memory
 */
enum hbs_arrival {
	HBS_ARRIVAL_STORE	= 0,
	HBS_ARRIVAL_POLL	= 1,
};

/**
 * enum hbs_departure - where the members of a group see the release, hbs_group_create.departure
 * @HBS_DEPARTURE_RECORD: in one record for all, in the group's mapping
 * @HBS_DEPARTURE_CSR: in the DEPARTURE line in the port's mapping
 * @HBS_DEPARTURE_PORT: in a record of each member, in its port's memory
 * @HBS_DEPARTURE_NODE: in a record of each NUMA node, in the group's mapping
 */
enum hbs_departure {
	HBS_DEPARTURE_RECORD	= 0,
	HBS_DEPARTURE_CSR	= 1,
	HBS_DEPARTURE_PORT	= 2,
	HBS_DEPARTURE_NODE	= 3,
};

/**
 * DOC: Features, the bits of hbs_info.features
 *
 * They tell what the card and the driver together offer::
 *
 *   HBS_FEATURE_RECORD         departure records
 *   HBS_FEATURE_CSR_DEPARTURE  DEPARTURE line
 *   HBS_FEATURE_WAIT           blocking wait, poll
 *   HBS_FEATURE_NODE_RECORD    HBS_DEPARTURE_NODE
 *   HBS_FEATURE_TIMEOUT        timeouts, HBS_GROUP_MISSING
 *   HBS_FEATURE_REDUCE         reductions
 *   HBS_FEATURE_REFUTABLE      HBS_GROUP_REFUTABLE
 *   HBS_FEATURE_COUNTING       HBS_COMPLETION_COUNT
 *   HBS_FEATURE_POLL_ARRIVAL   HBS_ARRIVAL_POLL
 *   HBS_FEATURE_PORT_RECORD    HBS_DEPARTURE_PORT
 *   HBS_FEATURE_FABRIC         room kept
 */
#define HBS_FEATURE_RECORD		(1ULL << 0)
#define HBS_FEATURE_CSR_DEPARTURE	(1ULL << 1)
#define HBS_FEATURE_WAIT		(1ULL << 2)
#define HBS_FEATURE_NODE_RECORD		(1ULL << 3)
#define HBS_FEATURE_TIMEOUT		(1ULL << 8)
#define HBS_FEATURE_REDUCE		(1ULL << 9)
#define HBS_FEATURE_REFUTABLE		(1ULL << 10)
#define HBS_FEATURE_COUNTING		(1ULL << 11)
#define HBS_FEATURE_POLL_ARRIVAL	(1ULL << 12)
#define HBS_FEATURE_PORT_RECORD		(1ULL << 13)
#define HBS_FEATURE_FABRIC		(1ULL << 14)

/**
 * struct hbs_info - HBS_INFO: what the card and the driver offer
 * @size: sizeof(struct hbs_info)
 * @flags: 0
 * @card: out: N of /dev/hbsN
 * @version: out: version of the card's register map, major << 16 | minor
 * @features: out: HBS_FEATURE_ bits
 * @group_types: out: 1 << type for each type of group that can be created
 * @ports: out: number of ports of the card
 * @groups: out: number of groups of the card
 * @ports_free: out: ports that nobody has now
 * @groups_free: out: groups that nobody has now
 * @port_map_size: out: bytes to map for a port
 * @group_map_size: out: bytes to map for a group, without HBS_DEPARTURE_NODE
 * @reserved: 0
 */
struct hbs_info {
	__u32 size;
	__u32 flags;
	__u32 card;
	__u32 version;
	__aligned_u64 features;
	__u32 group_types;
	__u32 ports;
	__u32 groups;
	__u32 ports_free;
	__u32 groups_free;
	__u32 port_map_size;
	__u32 group_map_size;
	__u32 reserved;
};

#define HBS_INFO _IO(HBS_IOCTL_TYPE, HBS_CMD_INFO)

/**
 * struct hbs_port_alloc - HBS_PORT_ALLOC: take a port
 * @size: sizeof(struct hbs_port_alloc)
 * @flags: 0
 * @port: out: its number
 * @map_size: out: bytes to map
 * @map_offset: out: offset for mmap on this descriptor; PROT_READ and
 *              PROT_WRITE with MAP_SHARED
 * @memory_offset: out: offset for mmap of the port's memory, as @map_offset
 * @memory_size: out: bytes of that memory to map; 0 if the card does not use it
 * @reserved: 0
 * @waits_offset: out: offset for mmap of the port's waits, as @map_offset
 * @waits_size: out: bytes of them to map
 * @reserved2: 0
 *
 * The port belongs to the open file. A port that was mapped and is a member of groups
 * counts as dead, and breaks them, when its last mapping goes. If the process dumps
 * core, the mapping goes when the dump is written; if it shares its memory with others
 * (CLONE_VM), when the last of them ends. The kernel makes the port's memory when it is
 * first mapped, or when the port joins a group that needs it, and that of its waits when somebody
 * first looks there; a mapping of either is no sign of life.
 *
 * The port counts against the user of the calling process. For a process in a user
 * namespace, it counts against the user who made the namespace, or the namespace's root
 * if root made it.
 *
 * EBADF: the descriptor is not open for writing. EDQUOT: the user has ports_per_user
 * ports, a limit that the administrator sets in the card's sysfs folder. ENOSPC: all
 * ports are taken but ports_reserved of them. A caller with CAP_SYS_RESOURCE may exceed
 * both limits.
 */
struct hbs_port_alloc {
	__u32 size;
	__u32 flags;
	__u32 port;
	__u32 map_size;
	__aligned_u64 map_offset;
	__aligned_u64 memory_offset;
	__u32 memory_size;
	__u32 reserved;
	__aligned_u64 waits_offset;
	__u32 waits_size;
	__u32 reserved2;
};

#define HBS_PORT_ALLOC _IO(HBS_IOCTL_TYPE, HBS_CMD_PORT_ALLOC)

/**
 * struct hbs_port_free - HBS_PORT_FREE: give a port back
 * @size: sizeof(struct hbs_port_free)
 * @flags: 0
 * @port: its number
 * @reserved: 0
 *
 * ENOENT: this open file has no such port. EBUSY: it is a member of a group, or
 * mapped.
 */
struct hbs_port_free {
	__u32 size;
	__u32 flags;
	__u32 port;
	__u32 reserved;
};

#define HBS_PORT_FREE _IO(HBS_IOCTL_TYPE, HBS_CMD_PORT_FREE)

/**
 * struct hbs_group_create - HBS_GROUP_CREATE: make a group
 * @size: sizeof(struct hbs_group_create)
 * @flags: 0
 * @type: HBS_GROUP_ type
 * @members: number of seats, 1 to hbs_info.ports; the first epoch starts when
 *           all seats are taken
 * @fd: out: descriptor of the group, close-on-exec
 * @group: out: its number on the card
 * @reserved: 0
 * @reduce: enum hbs_reduce
 * @policy: HBS_POLICY_ bits
 * @timeout_ns: time from the first arrival of an epoch until its timer expires; 0 for
 *              no timer. If all arrivals are withdrawn, the timer stops until the next
 *              one. When it expires, the group breaks with HBS_REASON_TIMEOUT, unless
 *              HBS_POLICY_NOTIFY is set.
 * @completion: enum hbs_completion
 * @arrival: enum hbs_arrival
 * @departure: enum hbs_departure
 * @reserved2: 0
 *
 * The group counts against the same user as for HBS_PORT_ALLOC, until somebody closes
 * the last descriptor of the group.
 *
 * EBADF: the descriptor is not open for writing. EDQUOT, ENOSPC: as for HBS_PORT_ALLOC,
 * by groups_per_user and groups_reserved. ERANGE: timeout_ns is outside the limits that the
 * administrator sets, timeout_min_ns and timeout_max_ns in the card's sysfs folder.
 * EIO: the card cannot use the group's memory.
 */
struct hbs_group_create {
	__u32 size;
	__u32 flags;
	__u32 type;
	__u32 members;
	__s32 fd;
	__u32 group;
	__aligned_u64 reserved;
	__u32 reduce;
	__u32 policy;
	__aligned_u64 timeout_ns;
	__u32 completion;
	__u32 arrival;
	__u32 departure;
	__u32 reserved2;
};

#define HBS_GROUP_CREATE _IO(HBS_IOCTL_TYPE, HBS_CMD_GROUP_CREATE)

/**
 * struct hbs_group_info - HBS_GROUP_INFO: what a group is now
 * @size: sizeof(struct hbs_group_info)
 * @flags: 0
 * @card: out: N of the card's /dev/hbsN
 * @group: out: its number on the card
 * @type: out: HBS_GROUP_ type
 * @members: out: number of seats
 * @joined: out: members now
 * @map_size: out: bytes to map, at offset 0, PROT_READ and MAP_SHARED
 * @word: out: epoch word
 * @reduce: out: enum hbs_reduce
 * @policy: out: HBS_POLICY_ bits
 * @timeout_ns: out: its timeout, 0 for none
 * @timeouts: out: how often its timer expired; if it expires again before the
 *            kernel has seen it, both count as one
 * @completion: out: enum hbs_completion
 * @arrival: out: enum hbs_arrival
 * @departure: out: enum hbs_departure
 * @reserved: 0
 *
 * This also works for a broken group.
 */
struct hbs_group_info {
	__u32 size;
	__u32 flags;
	__u32 card;
	__u32 group;
	__u32 type;
	__u32 members;
	__u32 joined;
	__u32 map_size;
	__aligned_u64 word;
	__u32 reduce;
	__u32 policy;
	__aligned_u64 timeout_ns;
	__aligned_u64 timeouts;
	__u32 completion;
	__u32 arrival;
	__u32 departure;
	__u32 reserved;
};

#define HBS_GROUP_INFO _IO(HBS_IOCTL_TYPE, HBS_CMD_GROUP_INFO)

/**
 * struct hbs_group_join - HBS_GROUP_JOIN: make a port a member
 * @size: sizeof(struct hbs_group_join)
 * @flags: 0
 * @card_fd: descriptor of /dev/hbsN that owns the port
 * @port: the port
 * @lane_offset: out: offset of the lane in the port's mapping, or of its arrival line
 *               in the port's memory (HBS_ARRIVAL_POLL)
 * @record_offset: out: offset of the departure record in the group's mapping, in the
 *                 port's memory (HBS_DEPARTURE_PORT), or of the DEPARTURE word in the
 *                 port's mapping (HBS_DEPARTURE_CSR). With HBS_DEPARTURE_NODE it is the
 *                 record of the node that the caller runs on.
 * @word: out: epoch word that the record shows until the first epoch of this
 *        member is over, without status bits; add HBS_WORD_EPOCH_ONE for the next
 * @tag: what HBS_GROUP_MISSING is to call this member, such as its rank in the program;
 *       the kernel does not look at it. 0 if userspace does not have this field.
 *
 * Before the group has started, a join takes a seat, and the last one starts it. Later
 * a join takes a seat that a member left, and the new member counts from the epoch in
 * progress.
 *
 * EBADF: card_fd is no descriptor of a card. EXDEV: it is a descriptor of another card.
 * ENOENT: card_fd owns no such port. EEXIST: the port is a member already. ENOSPC: all
 * seats are taken. EIO: the card cannot use the memory of the port, or the owner wrote
 * to its departure record during the call. The errno of the reason: the group is
 * broken.
 */
struct hbs_group_join {
	__u32 size;
	__u32 flags;
	__s32 card_fd;
	__u32 port;
	__u32 lane_offset;
	__u32 record_offset;
	__aligned_u64 word;
	__aligned_u64 tag;
};

#define HBS_GROUP_JOIN _IO(HBS_IOCTL_TYPE, HBS_CMD_GROUP_JOIN)

/**
 * DOC: The bits of hbs_group_leave.flags
 *
 * HBS_LEAVE_DIED: as if the process had died, which may break the group.
 */
#define HBS_LEAVE_DIED	0x1

/**
 * struct hbs_group_leave - HBS_GROUP_LEAVE: end a membership
 * @size: sizeof(struct hbs_group_leave)
 * @flags: HBS_LEAVE_ bits
 * @card_fd: descriptor of /dev/hbsN that owns the port
 * @port: the port
 *
 * The others go on without this member, from the epoch in progress on: that
 * epoch does not wait for the member any more. A member can also leave a broken
 * group.
 *
 * EBADF, EXDEV, ENOENT: as for HBS_GROUP_JOIN; ENOENT also if the port is not a
 * member.
 */
struct hbs_group_leave {
	__u32 size;
	__u32 flags;
	__s32 card_fd;
	__u32 port;
};

#define HBS_GROUP_LEAVE _IO(HBS_IOCTL_TYPE, HBS_CMD_GROUP_LEAVE)

/**
 * struct hbs_group_wait - HBS_GROUP_WAIT: sleep until an epoch is over
 * @size: sizeof(struct hbs_group_wait)
 * @flags: 0
 * @word: in: the epoch word to wait on; out: the group's epoch word
 * @deadline_ns: CLOCK_MONOTONIC time at which to give up, 0 for never
 * @result: out: of a group that reduces: the result of the last epoch that the kernel knows,
 *          or, if the given word is from before a reset of the group, of the last one
 *          before the reset; 0 if the kernel does not have it
 * @result_word: out: the epoch word that came with this result, without status bits; 0 if
 *               the kernel does not have the result. Of a group that is not broken, the
 *               kernel has results only with HBS_DEPARTURE_CSR; of a card that is gone,
 *               it has what it had seen before.
 *
 * Returns 0 as soon as the group's epoch is later than that of the given word. The given
 * one may be the later, for a member's own record shows an epoch shortly before the
 * group's does. The call does not arrive: a store to the lane does. If the given word is
 * from before a reset of the group, the call fails as it would have failed just before
 * the reset: with the errno and the @word of how the group broke, ECONNRESET if the
 * reset broke it.
 *
 * On an open file of a member (HBS_REOPEN_MEMBER) the call also returns 0, with @word as it
 * was given, when HBS_GROUP_WAKE has woken that member. The end of an epoch takes precedence
 * over that, and that over the deadline. Unless the call fails with EINTR, it takes the mark
 * that HBS_GROUP_WAKE has left.
 *
 * EINTR: a signal came (restarted under SA_RESTART). ETIMEDOUT: the deadline has
 * passed, with @word set and not broken; the member's arrival still counts. The errno
 * of the reason, with @word set: the group is broken.
 */
struct hbs_group_wait {
	__u32 size;
	__u32 flags;
	__aligned_u64 word;
	__aligned_u64 deadline_ns;
	__aligned_u64 result;
	__aligned_u64 result_word;
};

#define HBS_GROUP_WAIT _IO(HBS_IOCTL_TYPE, HBS_CMD_GROUP_WAIT)

/**
 * DOC: The bits of hbs_group_reopen.flags
 *
 * HBS_REOPEN_MEMBER: an open file of the member on hbs_group_reopen.port, which can be woken.
 */
#define HBS_REOPEN_MEMBER	0x1

/**
 * struct hbs_group_reopen - HBS_GROUP_REOPEN: a new open file of the group
 * @size: sizeof(struct hbs_group_reopen)
 * @flags: HBS_REOPEN_ bits
 * @fd: out: its descriptor, close-on-exec
 * @reserved: 0
 * @word: in: the epoch word that the new open file has seen
 * @card_fd: with HBS_REOPEN_MEMBER: descriptor of /dev/hbsN that owns the port; else 0
 * @port: with HBS_REOPEN_MEMBER: the port; else 0
 *
 * poll reports a group's open file readable when the group's epoch word is later than
 * the last one that this open file has seen. It also reports EPOLLERR if the group
 * is broken, and EPOLLPRI if the timer of the epoch has expired, or broke the group.
 * read of 8 bytes or more gives the epoch word, and the open file has seen it then.
 * read sleeps while there is no new word, or fails with EAGAIN under O_NONBLOCK; for
 * a broken group it always gives the word at once. write of 8 bytes sets the word
 * that the open file has seen. Each open file has a seen word of its own, hence each
 * thread that polls needs its own open file. After a reset of the group, poll and
 * read first report how it broke, and then what came after the reset. Edge-triggered
 * epoll and multishot polls of io_uring get an event for each epoch whose
 * predecessor was read: one read after each event is enough.
 *
 * An open file of a member is readable also while the mark of an HBS_GROUP_WAKE is there;
 * read then gives a word at once, the seen one if there is no new one, and takes the mark.
 * All open files of a membership share its mark. Once the membership has ended, nobody wakes
 * them any more, and else they stay as they were.
 *
 * EBADF, EXDEV, ENOENT: with HBS_REOPEN_MEMBER, as for HBS_GROUP_LEAVE. EINVAL: with it, and
 * a structure that is older than @port.
 */
struct hbs_group_reopen {
	__u32 size;
	__u32 flags;
	__s32 fd;
	__u32 reserved;
	__aligned_u64 word;
	__s32 card_fd;
	__u32 port;
};

#define HBS_GROUP_REOPEN _IO(HBS_IOCTL_TYPE, HBS_CMD_GROUP_REOPEN)

/**
 * struct hbs_group_destroy - HBS_GROUP_DESTROY: break a group for everybody
 * @size: sizeof(struct hbs_group_destroy)
 * @flags: 0
 *
 * All who wait or arrive get EIDRM. A group that is already broken keeps its
 * reason.
 */
struct hbs_group_destroy {
	__u32 size;
	__u32 flags;
};

#define HBS_GROUP_DESTROY _IO(HBS_IOCTL_TYPE, HBS_CMD_GROUP_DESTROY)

/**
 * struct hbs_group_counters - HBS_GROUP_COUNTERS: counts of card and kernel
 * @size: sizeof(struct hbs_group_counters)
 * @flags: 0
 * @completions: out: card: epochs completed
 * @arrivals: out: card: arrivals accepted
 * @departure_reads: out: card: loads from DEPARTURE lines
 * @record_writes: out: card: DMA writes to departure records
 * @non_member: out: card: stores to a lane dropped, port not a member
 * @double_arrivals: out: card: stores to ARRIVAL or OPERAND dropped, member had arrived
 * @refused: out: card: stores to a lane dropped, group broken or HBS_ARRIVAL_POLL
 * @interrupts: out: card: completion interrupts raised
 * @waits: out: kernel: HBS_GROUP_WAIT calls and reads that slept
 * @line_reads: out: card: DMA reads of arrival lines
 * @withdrawals: out: card: arrivals that were withdrawn
 * @unarrived: out: card: WITHDRAW stores dropped, member had not arrived
 * @readbacks: out: card: loads from WITHDRAW
 *
 * Counted since the group was made or reset.
 */
struct hbs_group_counters {
	__u32 size;
	__u32 flags;
	__aligned_u64 completions;
	__aligned_u64 arrivals;
	__aligned_u64 departure_reads;
	__aligned_u64 record_writes;
	__aligned_u64 non_member;
	__aligned_u64 double_arrivals;
	__aligned_u64 refused;
	__aligned_u64 interrupts;
	__aligned_u64 waits;
	__aligned_u64 line_reads;
	__aligned_u64 withdrawals;
	__aligned_u64 unarrived;
	__aligned_u64 readbacks;
};

#define HBS_GROUP_COUNTERS _IO(HBS_IOCTL_TYPE, HBS_CMD_GROUP_COUNTERS)

/**
 * struct hbs_missing - a member that has not arrived, or has died
 * @port: its port; that of a dead member may be another's by now
 * @pid: the process that took the port, which may be dead by now; 0 if it is not in
 *       the caller's pid namespace
 * @tid: the thread that took the port, 0 as for @pid
 * @reserved: 0
 * @tag: the tag that its HBS_GROUP_JOIN gave
 */
struct hbs_missing {
	__u32 port;
	__s32 pid;
	__s32 tid;
	__u32 reserved;
	__aligned_u64 tag;
};

/**
 * struct hbs_group_missing - HBS_GROUP_MISSING: who has not arrived
 * @size: sizeof(struct hbs_group_missing)
 * @flags: 0
 * @word: out: the epoch word that this is about
 * @list: in: address of an array of struct hbs_missing
 * @room: in: entries that the array has
 * @count: out: members missing; no more than @room of them are in the array
 * @vacant: out: seats that nobody has taken before the group has started
 * @expired: out: 1 if the timer expired in this epoch, or broke the group; the list
 *           then shows that moment, without those who have left since. Else 0, and the
 *           list shows the present.
 * @in_flight: out: of a refutable group, what the idle words of this epoch add up to: how
 *             many messages are in flight, if all members are idle; after a break, what
 *             it was then
 *
 * The list is in the order of the ports. Nobody is missing in an epoch that ends during
 * the call. If the death of a member broke the group, the list has all members that
 * have died, whether they had arrived or not, and nobody else; @expired is 0. If the
 * group is broken for another reason than these two, the list is empty. In a group with
 * HBS_POLICY_SHRINK a dead port is no member any more, and is not in the list, unless
 * the timer broke the group before.
 */
struct hbs_group_missing {
	__u32 size;
	__u32 flags;
	__aligned_u64 word;
	__aligned_u64 list;
	__u32 room;
	__u32 count;
	__u32 vacant;
	__u32 expired;
	__s64 in_flight;
};

#define HBS_GROUP_MISSING _IO(HBS_IOCTL_TYPE, HBS_CMD_GROUP_MISSING)

/**
 * struct hbs_group_reset - HBS_GROUP_RESET: mend a group
 * @size: sizeof(struct hbs_group_reset)
 * @flags: 0
 *
 * Breaks the group with HBS_REASON_RESET if it is not broken, ends all memberships,
 * and makes all its seats vacant. Former members see the broken word in the record
 * that they had. New members get another record, and the group starts again when
 * all seats are taken. The card drops arrivals of former members.
 */
struct hbs_group_reset {
	__u32 size;
	__u32 flags;
};

#define HBS_GROUP_RESET _IO(HBS_IOCTL_TYPE, HBS_CMD_GROUP_RESET)

/**
 * struct hbs_group_wake - HBS_GROUP_WAKE: wake one member
 * @size: sizeof(struct hbs_group_wake)
 * @flags: 0
 * @port: the member's port
 * @reserved: 0
 *
 * Marks the member as woken. An HBS_GROUP_WAIT or read in progress on an open file of that
 * member (HBS_REOPEN_MEMBER), or the next one if there is none, returns at once and takes the
 * mark; until then polls report such files readable. So who looks for what it waits for, and
 * then sleeps, misses no wake in between. Wakes do not add up: there is one mark. It ends with
 * the membership. Nobody else wakes, and the epoch goes on. This works in groups of every
 * type, whoever has their descriptor, and also if the group is broken.
 *
 * ENOENT: the port is no member of the group.
 */
struct hbs_group_wake {
	__u32 size;
	__u32 flags;
	__u32 port;
	__u32 reserved;
};

#define HBS_GROUP_WAKE _IO(HBS_IOCTL_TYPE, HBS_CMD_GROUP_WAKE)

#endif /* _UAPI_LINUX_HBS_H */
