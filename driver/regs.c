// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers: this file has every access to BAR 0, and nothing else.
 *
 * Callers hold card->lock and have found the card alive, or are an interrupt
 * handler, which removal waits for before it unmaps BAR 0. A card that was
 * pulled out reads as all ones; callers that act on a value expect that.
 */
#include <linux/bitfield.h>
#include <linux/build_bug.h>
#include <linux/io.h>
#include <linux/iopoll.h>
#include <linux/log2.h>
#include <linux/random.h>
#include <linux/seq_file.h>

#include <hbs_regs.h>

#include "hbs.h"

/* Userspace and the card see the same layout in the memory that they share. */
static_assert(HBS_LANE_SIZE == HBSR_LANE_STRIDE);
static_assert(HBS_LANE_ARRIVAL == HBSR_LANE_ARRIVAL);
static_assert(HBS_LANE_DEPARTURE == HBSR_LANE_DEPARTURE);
static_assert(HBS_LANE_OPERAND == HBSR_LANE_OPERAND);
static_assert(HBS_LANE_WITHDRAW == HBSR_LANE_WITHDRAW);
static_assert(HBS_RECORD_SIZE == HBSR_RECORD_STRIDE);
static_assert(HBS_RECORD_WORD == HBSR_RECORD_WORD);
static_assert(HBS_RECORD_RESULT == HBSR_RECORD_RESULT);
static_assert(HBS_LINE_WORD == HBSR_LINE_WORD);
static_assert(HBS_LINE_OPERAND == HBSR_LINE_OPERAND);
static_assert(HBS_LANE_SIZE == HBSR_MEMORY_STRIDE);
static_assert(HBS_LANE_ARRIVAL == HBSR_MEMORY_ARRIVAL);
static_assert(HBS_LANE_DEPARTURE == HBSR_MEMORY_DEPARTURE);
static_assert(HBS_WORD_BROKEN == HBSR_WORD_BROKEN);
static_assert(HBS_WORD_REASON == HBSR_WORD_REASON);
static_assert(HBS_WORD_REASON_SHIFT == HBSR_WORD_REASON_SHIFT);
static_assert((HBS_WORD_VOTE_ALL | HBS_WORD_VOTE_ANY) == HBSR_WORD_VOTE);
static_assert(HBS_IDLE_DELTA == HBSR_IDLE_DELTA);
static_assert(HBS_IDLE_FREED == HBSR_IDLE_FREED);
static_assert(HBS_IDLE_VOTE == HBSR_IDLE_VOTE);
static_assert(HBS_WORD_EPOCH_SHIFT == HBSR_WORD_EPOCH_SHIFT);
static_assert(HBS_REASON_NONE == HBSR_REASON_NONE);
static_assert(HBS_REASON_TIMEOUT == HBSR_REASON_TIMEOUT);
static_assert(HBS_REASON_DIED == HBSR_REASON_DIED);
static_assert(HBS_REASON_RESET == HBSR_REASON_RESET);
static_assert(HBS_REASON_GONE == HBSR_REASON_GONE);
static_assert(HBS_REASON_DESTROYED == HBSR_REASON_DESTROYED);
static_assert(HBS_REASON_DMA == HBSR_REASON_DMA);
static_assert(HBS_REASON_OVERFLOW == HBSR_REASON_OVERFLOW);
static_assert(HBS_REDUCE_NONE == HBSR_REDUCE_NONE);
static_assert(HBS_REDUCE_AND == HBSR_REDUCE_AND);
static_assert(HBS_REDUCE_OR == HBSR_REDUCE_OR);
static_assert(HBS_REDUCE_XOR == HBSR_REDUCE_XOR);
static_assert(HBS_REDUCE_SUM == HBSR_REDUCE_SUM);
static_assert(HBS_REDUCE_MIN == HBSR_REDUCE_MIN);
static_assert(HBS_REDUCE_MAX == HBSR_REDUCE_MAX);
static_assert(HBS_REDUCE_SMIN == HBSR_REDUCE_SMIN);
static_assert(HBS_REDUCE_SMAX == HBSR_REDUCE_SMAX);
static_assert(HBS_REDUCE_VOTE == HBSR_REDUCE_VOTE);
static_assert(HBS_FEATURE_TIMEOUT == HBSR_FEATURE_TIMEOUT);
static_assert(HBS_FEATURE_REDUCE == HBSR_FEATURE_REDUCE);
static_assert(HBS_FEATURE_REFUTABLE == HBSR_FEATURE_REFUTABLE);
static_assert(HBS_FEATURE_COUNTING == HBSR_FEATURE_COUNTING);
static_assert(HBS_FEATURE_POLL_ARRIVAL == HBSR_FEATURE_POLL_ARRIVAL);
static_assert(HBS_FEATURE_PORT_RECORD == HBSR_FEATURE_PORT_RECORD);
static_assert(HBS_COMPLETION_MASK == HBSR_COMPLETION_MASK);
static_assert(HBS_COMPLETION_COUNT == HBSR_COMPLETION_COUNT);
static_assert(HBS_ARRIVAL_STORE == HBSR_ARRIVAL_STORE);
static_assert(HBS_ARRIVAL_POLL == HBSR_ARRIVAL_POLL);
static_assert(HBS_GROUP_BARRIER == HBSR_TYPE_BARRIER);
static_assert(HBS_GROUP_REFUTABLE == HBSR_TYPE_REFUTABLE);
static_assert(HBS_CAUSE_VIOLATION == HBSR_INT_CAUSE_VIOLATION);
static_assert(HBS_CAUSE_DMA == HBSR_INT_CAUSE_DMA);
static_assert(HBS_CAUSE_TIMEOUT == HBSR_INT_CAUSE_TIMEOUT);
static_assert(HBSR_INT_CAUSE_VIOLATION == HBSR_INT_ENABLE_VIOLATION);
static_assert(HBSR_INT_CAUSE_DMA == HBSR_INT_ENABLE_DMA);
static_assert(HBSR_INT_CAUSE_TIMEOUT == HBSR_INT_ENABLE_TIMEOUT);

#define HBS_EPOCH_BITS	48
#define HBS_MAX_ENTRIES	64
/* A reset may take 100 ms; a read of memory is answered, or fails, within a second */
#define HBS_READY_US	(200 * USEC_PER_MSEC)
#define HBS_BUSY_US	(2 * USEC_PER_SEC)
/* The features that use a port's memory, and so the block that has its address */
#define HBS_FEATURES_MEMORY	(HBS_FEATURE_POLL_ARRIVAL | HBS_FEATURE_PORT_RECORD)

static u32 rd32(struct hbs_card *card, u32 offset)
{
	return READ_ONCE(card->frozen) ? U32_MAX : readl(card->regs + offset);
}

static u64 rd64(struct hbs_card *card, u32 offset)
{
	return READ_ONCE(card->frozen) ? U64_MAX : readq(card->regs + offset);
}

static void wr32(struct hbs_card *card, u32 offset, u32 value)
{
	if (!READ_ONCE(card->frozen))
		writel(value, card->regs + offset);
}

static void wr64(struct hbs_card *card, u32 offset, u64 value)
{
	if (!READ_ONCE(card->frozen))
		writeq(value, card->regs + offset);
}

static u32 grp(u32 group, u32 offset)
{
	return HBSR_GRP_BASE + group * HBSR_GRP_STRIDE + offset;
}

static u32 prt(u32 port, u32 offset)
{
	return HBSR_PRT_BASE + port * HBSR_PRT_STRIDE + offset;
}

/* This version of the map fixes where the blocks are: refuse a card that moves them. */
static int check_blocks(struct hbs_card *card, struct hbs_caps *caps)
{
	static const struct {
		u32 type;
		u32 offset;
		u32 version;	/* a later one only adds */
		const char *name;
		u64 features;	/* needed only for one of these, if there are any */
	} known[] = {
		{ HBSR_BLOCK_ID, HBSR_ID_MAGIC, 2, "ID" },
		{ HBSR_BLOCK_CTL, HBSR_CTL_CTRL, 2, "CTL" },
		{ HBSR_BLOCK_INT, HBSR_INT_CAUSE, 2, "INT" },
		{ HBSR_BLOCK_CNT, HBSR_CNT_VIOLATIONS, 2, "CNT" },
		{ HBSR_BLOCK_GRP, HBSR_GRP_BASE, 3, "GRP" },
		{ HBSR_BLOCK_PRT, HBSR_PRT_BASE, 2, "PRT", HBS_FEATURES_MEMORY },
	};
	u32 count = rd32(card, HBSR_ID_BLOCKS);
	u32 list = rd32(card, HBSR_ID_BLOCK_LIST);
	struct device *dev = &card->pdev->dev;
	unsigned long found = 0;
	u32 i, k;

	if (count > HBS_MAX_ENTRIES || !IS_ALIGNED(list, 4) ||
	    list > HBSR_BAR0_SIZE - HBS_MAX_ENTRIES * HBSR_ENTRY_STRIDE) {
		dev_err(dev, "block list: %u entries at 0x%x do not fit\n", count, list);
		return -ENODEV;
	}

	for (i = 0; i < count; i++) {
		u32 entry = list + i * HBSR_ENTRY_STRIDE;
		u32 type = rd32(card, entry + HBSR_ENTRY_TYPE);
		u32 offset = rd32(card, entry + HBSR_ENTRY_OFFSET);
		u32 version = rd32(card, entry + HBSR_ENTRY_VERSION);

		if (type < ARRAY_SIZE(caps->blocks))
			caps->blocks[type] = version;
		for (k = 0; k < ARRAY_SIZE(known); k++) {
			if (type != known[k].type)
				continue;
			if (offset != known[k].offset) {
				dev_err(dev, "block %s is at 0x%x, not at 0x%x\n",
					known[k].name, offset, known[k].offset);
				return -ENODEV;
			}
			if (version < known[k].version) {
				dev_err(dev, "block %s is of version %u, not %u or later\n",
					known[k].name, version, known[k].version);
				return -ENODEV;
			}
			__set_bit(k, &found);
		}
	}

	for (k = 0; k < ARRAY_SIZE(known); k++) {
		if (known[k].features && !(caps->features & known[k].features))
			continue;
		if (!test_bit(k, &found)) {
			dev_err(dev, "block list lacks block %s\n", known[k].name);
			return -ENODEV;
		}
	}
	return 0;
}

/* A card clears its tables after a reset. */
static int wait_ready(struct hbs_card *card)
{
	u32 status;

	return read_poll_timeout(rd32, status, status & HBSR_CTL_STATUS_READY, 100,
				 HBS_READY_US, false, card, HBSR_CTL_STATUS);
}

/* Wait until the card does not read memory any more; it must not be enabled. */
static void wait_quiet(struct hbs_card *card)
{
	u32 status;

	if (read_poll_timeout(rd32, status,
			      status == U32_MAX || !(status & HBSR_CTL_STATUS_READING), 1,
			      HBS_BUSY_US, false, card, HBSR_CTL_STATUS))
		dev_err(&card->pdev->dev, "reads memory long after it was disabled\n");
}

/*
 * Wait until the card is done with the reads of memory for a group: those of enabling, a
 * join or a leave, or those in flight when the group was disabled. Mostly it is done
 * already. Returns false if the card does not say so: then it may go on.
 */
static bool wait_idle(struct hbs_card *card, u32 group)
{
	u32 status;
	int ret;

	ret = read_poll_timeout(rd32, status,
				status == U32_MAX || !(status & HBSR_GRP_STATUS_BUSY), 1,
				HBS_BUSY_US, false, card, grp(group, HBSR_GRP_STATUS));
	if (ret)
		dev_err(&card->pdev->dev, "group %u: memory that was read gives no answer\n",
			group);
	return !ret && status != U32_MAX;
}

static int check_limits(struct hbs_card *card, const struct hbs_caps *caps)
{
	struct device *dev = &card->pdev->dev;
	u32 lane = rd32(card, HBSR_ID_LANE_STRIDE);
	u32 epoch_bits = rd32(card, HBSR_ID_EPOCH_BITS);

	if (!caps->ports || caps->ports > HBS_MAX_PORTS) {
		dev_err(dev, "%u ports, not 1 to %u\n", caps->ports, HBS_MAX_PORTS);
		return -ENODEV;
	}
	if (!caps->groups || caps->groups > HBS_MAX_GROUPS) {
		dev_err(dev, "%u groups, not 1 to %u\n", caps->groups, HBS_MAX_GROUPS);
		return -ENODEV;
	}
	if (lane != HBS_LANE_SIZE) {
		dev_err(dev, "lane stride %u, not %u\n", lane, HBS_LANE_SIZE);
		return -ENODEV;
	}
	if (!is_power_of_2(caps->port_stride) || caps->port_stride < PAGE_SIZE) {
		dev_err(dev, "port stride %u: no power of two, or below the page size %lu\n",
			caps->port_stride, PAGE_SIZE);
		return -ENODEV;
	}
	if (caps->port_stride < caps->groups * HBS_LANE_SIZE) {
		dev_err(dev, "port stride %u does not hold %u lanes\n",
			caps->port_stride, caps->groups);
		return -ENODEV;
	}
	if (epoch_bits != HBS_EPOCH_BITS) {
		dev_err(dev, "epochs of %u bits, not %u\n", epoch_bits, HBS_EPOCH_BITS);
		return -ENODEV;
	}
	if (!(caps->group_types & BIT(HBSR_TYPE_BARRIER))) {
		dev_err(dev, "group types 0x%x lack barriers\n", caps->group_types);
		return -ENODEV;
	}
	if (!caps->records) {
		dev_err(dev, "no departure record a group\n");
		return -ENODEV;
	}
	if (!caps->vectors) {
		dev_err(dev, "no interrupt vector\n");
		return -ENODEV;
	}
	return 0;
}

/**
 * hbs_regs_identify() - find out what the card is, and refuse what is unknown
 * @card: the card; only its regs and pdev are used
 * @caps: out: what it is
 *
 * Return: 0, or -ENODEV after a message that says what is wrong.
 */
int hbs_regs_identify(struct hbs_card *card, struct hbs_caps *caps)
{
	const u64 needed = HBSR_FEATURE_MSIX | HBSR_FEATURE_RECORD;
	struct device *dev = &card->pdev->dev;
	u32 magic = rd32(card, HBSR_ID_MAGIC);
	int ret;

	if (magic != HBSR_ID_MAGIC_DEFAULT) {
		dev_err(dev, "magic is 0x%08x, not 0x%08x\n", magic, HBSR_ID_MAGIC_DEFAULT);
		return -ENODEV;
	}

	caps->version = rd32(card, HBSR_ID_VERSION);
	if (FIELD_GET(HBSR_ID_VERSION_MAJOR, caps->version) != HBSR_VERSION_MAJOR) {
		dev_err(dev, "register map %u.%u, this driver knows those of %u\n",
			(u32)FIELD_GET(HBSR_ID_VERSION_MAJOR, caps->version),
			(u32)FIELD_GET(HBSR_ID_VERSION_MINOR, caps->version),
			HBSR_VERSION_MAJOR);
		return -ENODEV;
	}
	if (wait_ready(card)) {
		dev_err(dev, "not ready %lu ms after its reset\n",
			HBS_READY_US / USEC_PER_MSEC);
		return -ENODEV;
	}

	caps->card_features = rd64(card, HBSR_ID_FEATURES);
	if ((caps->card_features & needed) != needed) {
		dev_err(dev, "features 0x%llx lack interrupts or departure records (0x%llx)\n",
			caps->card_features, needed);
		return -ENODEV;
	}

	caps->features = HBS_FEATURE_RECORD | HBS_FEATURE_NODE_RECORD | HBS_FEATURE_WAIT;
	if (caps->card_features & HBSR_FEATURE_CSR_DEPARTURE)
		caps->features |= HBS_FEATURE_CSR_DEPARTURE;
	caps->features |= caps->card_features &
			  (HBS_FEATURE_TIMEOUT | HBS_FEATURE_REDUCE | HBS_FEATURE_REFUTABLE |
			   HBS_FEATURE_COUNTING | HBS_FEATURES_MEMORY);
	caps->group_types = rd32(card, HBSR_ID_GROUP_TYPES) & BIT(HBSR_TYPE_BARRIER);
	if (caps->features & HBS_FEATURE_REFUTABLE)
		caps->group_types |= BIT(HBSR_TYPE_REFUTABLE);
	caps->ports = rd32(card, HBSR_ID_PORTS);
	caps->groups = rd32(card, HBSR_ID_GROUPS);
	caps->port_stride = rd32(card, HBSR_ID_PORT_STRIDE);
	caps->vectors = rd32(card, HBSR_ID_VECTORS);
	caps->records = min(rd32(card, HBSR_ID_RECORDS), HBSR_GRP_RECORD_ADDR_COUNT);

	ret = check_limits(card, caps);
	if (ret)
		return ret;
	return check_blocks(card, caps);
}

/*
 * Does the card that was started answer? If it answers at the end, it did so all the time:
 * so callers for whom all ones could be a value ask last. A card that others have reset
 * has lost the tag, and so has an FPGA that was configured anew: its groups are gone.
 */
bool hbs_regs_answers(struct hbs_card *card)
{
	return rd32(card, HBSR_CTL_TAG) == card->tag;
}

static u32 causes_wanted(struct hbs_card *card)
{
	u32 causes = HBSR_INT_ENABLE_DMA;

	if (card->caps.card_features & HBSR_FEATURE_VIOLATION)
		causes |= HBSR_INT_ENABLE_VIOLATION;
	if (card->caps.card_features & HBSR_FEATURE_TIMEOUT)
		causes |= HBSR_INT_ENABLE_TIMEOUT;
	return causes;
}

/* Make the card forget the record addresses of a group, which must not be enabled. */
static void forget_records(struct hbs_card *card, u32 group)
{
	unsigned int i;

	wr32(card, grp(group, HBSR_GRP_RECORDS), 0);
	for (i = 0; i < card->caps.records; i++)
		wr64(card, grp(group, HBSR_GRP_RECORD_ADDR(i)), 0);
}

/*
 * Stop the card, and make it forget every group, every address and every interrupt.
 * Another kernel may have left it running; and if its power stayed on while the system
 * slept, it still knows all from before.
 */
void hbs_regs_forget(struct hbs_card *card)
{
	unsigned int i;

	/* Until a reset is over, the card drops all writes. */
	if (wait_ready(card))
		dev_err(&card->pdev->dev, "not ready %lu ms after its reset\n",
			HBS_READY_US / USEC_PER_MSEC);
	hbs_regs_stop(card);
	for (i = 0; i < card->caps.groups; i++) {
		wr32(card, grp(i, HBSR_GRP_CTRL), 0);
		forget_records(card, i);
	}
	if (card->caps.features & HBS_FEATURES_MEMORY)
		for (i = 0; i < card->caps.ports; i++)
			wr64(card, prt(i, HBSR_PRT_ADDR), 0);
	for (i = 0; i < HBSR_INT_GROUPS_COUNT; i++)
		hbs_regs_ack_groups(card, i);
	if (card->caps.card_features & HBSR_FEATURE_TIMEOUT)
		for (i = 0; i < HBSR_INT_TIMEOUTS_COUNT; i++)
			hbs_regs_ack_timeouts(card, i);
	hbs_regs_ack_causes(card, causes_wanted(card));
}

/* Let the card run, after hbs_regs_forget(). */
void hbs_regs_start(struct hbs_card *card)
{
	/* Neither the 0 that a reset leaves, nor the all ones of a card that is gone. */
	card->tag = clamp(get_random_u32(), 1U, U32_MAX - 1);
	wr32(card, HBSR_CTL_TAG, card->tag);
	wr32(card, HBSR_INT_ENABLE, causes_wanted(card));
	wr32(card, HBSR_CTL_CTRL, HBSR_CTL_CTRL_ENABLE);
	rd32(card, HBSR_CTL_CTRL);
}

/* Fence the card: when this returns, it uses no memory and interrupts nobody. */
void hbs_regs_stop(struct hbs_card *card)
{
	wr32(card, HBSR_INT_ENABLE, 0);
	wr32(card, HBSR_CTL_CTRL, 0);
	/* The answer pushes every record write before it to memory. */
	wait_quiet(card);
}

u32 hbs_regs_causes(struct hbs_card *card)
{
	u32 causes = rd32(card, HBSR_INT_CAUSE);

	return causes == U32_MAX ? 0 : causes;
}

void hbs_regs_ack_causes(struct hbs_card *card, u32 causes)
{
	wr32(card, HBSR_INT_CAUSE, causes);
	/* The caller's next look is later than the acknowledgment. */
	rd32(card, HBSR_INT_CAUSE);
}

/* Let all causes but these interrupt; a cause that is set interrupts at once. */
void hbs_regs_mute(struct hbs_card *card, u32 causes)
{
	wr32(card, HBSR_INT_ENABLE, causes_wanted(card) & ~causes);
}

/**
 * hbs_regs_ack_groups() - take a word of the groups that raised an interrupt
 * @card: the card
 * @word: which word: groups 64 * @word and up
 *
 * The read pushes the record writes that came before the interrupts to memory,
 * so a group's record is up to date when its sleepers are woken.
 *
 * Return: bit g % 64 for each group g.
 */
u64 hbs_regs_ack_groups(struct hbs_card *card, unsigned int word)
{
	u64 bits = rd64(card, HBSR_INT_GROUPS(word));

	if (bits)
		wr64(card, HBSR_INT_GROUPS(word), bits);
	return bits;
}

/* The same for the groups whose timer has expired. */
u64 hbs_regs_ack_timeouts(struct hbs_card *card, unsigned int word)
{
	u64 bits = rd64(card, HBSR_INT_TIMEOUTS(word));

	if (bits)
		wr64(card, HBSR_INT_TIMEOUTS(word), bits);
	return bits;
}

u64 hbs_regs_violations(struct hbs_card *card)
{
	return rd64(card, HBSR_CNT_VIOLATIONS);
}

u64 hbs_regs_foreign_reads(struct hbs_card *card)
{
	return rd64(card, HBSR_CNT_FOREIGN_READS);
}

/* Print the registers that are there once in a card, a line each; reading them changes nothing. */
void hbs_regs_print(struct hbs_card *card, struct seq_file *file)
{
	static const struct {
		const char *name;
		u32 offset;
		bool is_wide;
	} registers[] = {
		{ "ID_MAGIC", HBSR_ID_MAGIC },
		{ "ID_VERSION", HBSR_ID_VERSION },
		{ "ID_FEATURES", HBSR_ID_FEATURES, true },
		{ "ID_PORTS", HBSR_ID_PORTS },
		{ "ID_GROUPS", HBSR_ID_GROUPS },
		{ "ID_GROUP_TYPES", HBSR_ID_GROUP_TYPES },
		{ "CTL_CTRL", HBSR_CTL_CTRL },
		{ "CTL_STATUS", HBSR_CTL_STATUS },
		{ "CTL_TAG", HBSR_CTL_TAG },
		{ "CTL_POLL", HBSR_CTL_POLL },
		{ "INT_CAUSE", HBSR_INT_CAUSE },
		{ "INT_ENABLE", HBSR_INT_ENABLE },
		{ "INT_GROUPS_0", HBSR_INT_GROUPS(0), true },
		{ "INT_GROUPS_1", HBSR_INT_GROUPS(1), true },
		{ "INT_TIMEOUTS_0", HBSR_INT_TIMEOUTS(0), true },
		{ "INT_TIMEOUTS_1", HBSR_INT_TIMEOUTS(1), true },
		{ "CNT_VIOLATIONS", HBSR_CNT_VIOLATIONS, true },
		{ "CNT_BAD_ACCESSES", HBSR_CNT_BAD_ACCESSES, true },
		{ "CNT_DMA_ERRORS", HBSR_CNT_DMA_ERRORS, true },
		{ "CNT_INTERRUPTS", HBSR_CNT_INTERRUPTS, true },
		{ "CNT_VIOLATION_LAST", HBSR_CNT_VIOLATION_LAST, true },
		{ "CNT_FOREIGN_READS", HBSR_CNT_FOREIGN_READS, true },
	};

	for (u32 i = 0; i < ARRAY_SIZE(registers); i++)
		seq_printf(file, "%-18s 0x%llx\n", registers[i].name,
			   registers[i].is_wide ? rd64(card, registers[i].offset)
						: rd32(card, registers[i].offset));
}

/*
 * Tell the card where a port's memory is; 0 means nowhere. If this returns true, the card
 * uses no other place; if not, it does not answer.
 */
bool hbs_regs_port_memory(struct hbs_card *card, u32 port, dma_addr_t dma)
{
	wr64(card, prt(port, HBSR_PRT_ADDR), dma);
	return rd64(card, prt(port, HBSR_PRT_ADDR)) == dma;
}

/* The latest violation: its kind, with its port and group. */
u32 hbs_regs_violation_last(struct hbs_card *card, u32 *port, u32 *group)
{
	u64 last = rd64(card, HBSR_CNT_VIOLATION_LAST);

	*port = FIELD_GET(HBSR_CNT_VIOLATION_LAST_PORT, last);
	*group = FIELD_GET(HBSR_CNT_VIOLATION_LAST_GROUP, last);
	return FIELD_GET(HBSR_CNT_VIOLATION_LAST_KIND, last);
}

/* The epoch, as an epoch word; all ones if the card does not answer. */
u64 hbs_regs_group_epoch(struct hbs_card *card, u32 group)
{
	u64 epoch = rd64(card, grp(group, HBSR_GRP_EPOCH));

	return epoch == U64_MAX ? epoch : epoch << HBS_WORD_EPOCH_SHIFT;
}

/**
 * hbs_regs_group_outcome() - the latest epoch of a group
 * @card: the card
 * @group: the group
 * @word: out: the epoch word, as the DEPARTURE line shows it; all ones if the card does
 *        not answer
 * @result: out: the result; NULL if nobody wants it
 *
 * A result that was read while the epoch changed counts for neither epoch: no epoch comes
 * twice.
 *
 * Return: whether @result is of the epoch of @word.
 */
bool hbs_regs_group_outcome(struct hbs_card *card, u32 group, u64 *word, u64 *result)
{
	u64 before;

	*word = rd64(card, grp(group, HBSR_GRP_WORD));
	if (!result)
		return false;
	before = *word;
	*result = rd64(card, grp(group, HBSR_GRP_RESULT));
	*word = rd64(card, grp(group, HBSR_GRP_WORD));
	return *word != U64_MAX && hbs_word_epoch(*word) == hbs_word_epoch(before);
}

/* Why a group is broken, HBS_REASON_NONE if it is not. */
u32 hbs_regs_group_reason(struct hbs_card *card, u32 group)
{
	u32 status = rd32(card, grp(group, HBSR_GRP_STATUS));

	if (status == U32_MAX || !(status & HBSR_GRP_STATUS_BROKEN))
		return HBS_REASON_NONE;
	return FIELD_GET(HBSR_GRP_STATUS_REASON, status);
}

/* Seats that nobody has taken before the group has started; all ones if there is no answer. */
u32 hbs_regs_group_vacant(struct hbs_card *card, u32 group)
{
	return rd32(card, grp(group, HBSR_GRP_VACANT));
}

/* Did the timer of a group expire in this epoch, or break the group? */
bool hbs_regs_group_expired(struct hbs_card *card, u32 group)
{
	u32 status = rd32(card, grp(group, HBSR_GRP_STATUS));

	return status != U32_MAX && (status & HBSR_GRP_STATUS_EXPIRED);
}

/**
 * hbs_regs_group_missing() - find the members that have not arrived
 * @card: the card
 * @group: the group
 * @ports: out: bit p for each port p that is missing, in room for HBS_MAX_PORTS
 * @missing: out: word, vacant, expired and in_flight
 *
 * Nobody is missing in an epoch that ends while this looks at it.
 *
 * Return: 0, or -ENODEV if the card does not answer.
 */
int hbs_regs_group_missing(struct hbs_card *card, u32 group, unsigned long *ports,
			   struct hbs_group_missing *missing)
{
	u64 word = rd64(card, grp(group, HBSR_GRP_WORD));
	u32 status = rd32(card, grp(group, HBSR_GRP_STATUS));
	unsigned int i;
	u64 now;

	if (word == U64_MAX || status == U32_MAX)
		return -ENODEV;

	missing->vacant = rd32(card, grp(group, HBSR_GRP_VACANT));
	missing->expired = !!(status & HBSR_GRP_STATUS_EXPIRED);
	for (i = 0; i < BITS_TO_U64(card->caps.ports); i++) {
		u64 members = rd64(card, grp(group, HBSR_GRP_P(i)));

		if (missing->expired)
			ports[i] = members & rd64(card, grp(group, HBSR_GRP_MISSING(i)));
		else
			ports[i] = members & ~rd64(card, grp(group, HBSR_GRP_S(i)));
	}

	missing->in_flight = 0;
	if (card->caps.features & HBS_FEATURE_REFUTABLE)
		missing->in_flight = rd64(card, grp(group, HBSR_GRP_BALANCE));

	now = rd64(card, grp(group, HBSR_GRP_WORD));
	missing->word = status & HBSR_GRP_STATUS_BROKEN ? now : word;
	if (!(status & HBSR_GRP_STATUS_BROKEN) && hbs_word_epoch(now) != hbs_word_epoch(word)) {
		missing->expired = 0;
		missing->in_flight = 0;
		memset(ports, 0, BITS_TO_BYTES(HBS_MAX_PORTS));
	}
	return 0;
}

/*
 * The timer counts by the card's clock, which may be fast by the 300 ppm that PCIe allows
 * its reference clock. Add more than that, so that the timer never expires early.
 */
static u64 card_timeout(u64 timeout_ns)
{
	return min(timeout_ns + timeout_ns / 2048 + 1, HBS_MAX_TIMEOUT);
}

/**
 * hbs_regs_group_enable() - let a group run, with nobody a member of it
 * @card: the card
 * @group: the group
 *
 * The group begins in an epoch that it never had. This acknowledges expiries of its timer
 * from before. The card checks that the group's records are memory.
 *
 * Return: 0, -EIO if they are not, -ENODEV if the card does not answer.
 */
int hbs_regs_group_enable(struct hbs_card *card, const struct hbs_group *group)
{
	u32 g = group->id;
	u32 ctrl = HBSR_GRP_CTRL_ENABLE |
		   FIELD_PREP(HBSR_GRP_CTRL_TYPE, group->type) |
		   FIELD_PREP(HBSR_GRP_CTRL_COMPLETION, group->completion) |
		   FIELD_PREP(HBSR_GRP_CTRL_ARRIVAL, group->arrival) |
		   FIELD_PREP(HBSR_GRP_CTRL_REDUCE, group->reduce);
	u32 records = group->departure == HBS_DEPARTURE_CSR ? 0 : group->npages;
	u32 i;

	if (group->departure == HBS_DEPARTURE_PORT)
		ctrl |= FIELD_PREP(HBSR_GRP_CTRL_DEPARTURE, HBSR_DEPARTURE_PORT);
	if (group->completion == HBS_COMPLETION_COUNT)
		wr32(card, grp(g, HBSR_GRP_COUNT), group->members);

	if (card->caps.card_features & HBSR_FEATURE_TIMEOUT) {
		if (group->policy & HBS_POLICY_NOTIFY)
			ctrl |= FIELD_PREP(HBSR_GRP_CTRL_POLICY, HBSR_POLICY_NOTIFY);
		wr64(card, grp(g, HBSR_GRP_TIMEOUT),
		     group->timeout_ns ? card_timeout(group->timeout_ns) : 0);
		wr64(card, HBSR_INT_TIMEOUTS(g / 64), BIT_ULL(g % 64));
	}
	wr32(card, grp(g, HBSR_GRP_VACANT), group->members);
	wr32(card, grp(g, HBSR_GRP_VECTOR), card->vectors - 1);
	wr32(card, grp(g, HBSR_GRP_RECORDS), records);
	for (i = 0; i < records; i++)
		wr64(card, grp(g, HBSR_GRP_RECORD_ADDR(i)),
		     group->pages[i].shared->dma + group->index * HBS_RECORD_SIZE);
	wr32(card, grp(g, HBSR_GRP_CTRL), ctrl);
	wait_idle(card, g);
	if (!hbs_regs_answers(card))
		return -ENODEV;
	return hbs_regs_group_reason(card, g) == HBS_REASON_NONE ? 0 : -EIO;
}

/*
 * If this returns true, the card does not use the group's memory any more, and shows its
 * former members no later epochs; if not, the card does not answer.
 */
bool hbs_regs_group_disable(struct hbs_card *card, u32 group)
{
	wr32(card, grp(group, HBSR_GRP_CTRL), 0);
	return wait_idle(card, group);
}

static void command(struct hbs_card *card, u32 group, u32 op, u32 arg)
{
	wr32(card, grp(group, HBSR_GRP_COMMAND),
	     FIELD_PREP(HBSR_GRP_COMMAND_OP, op) |
	     FIELD_PREP(HBSR_GRP_COMMAND_ARG, arg));
}

/* False if the group broke before, or the card finds no memory at the port's address. */
bool hbs_regs_group_join(struct hbs_card *card, u32 group, u32 port)
{
	command(card, group, HBSR_OP_JOIN, port);
	wait_idle(card, group);
	return rd64(card, grp(group, HBSR_GRP_P(port / 64))) & BIT_ULL(port % 64);
}

/* When this returns, the card does not use the port's memory for the group any more. */
void hbs_regs_group_leave(struct hbs_card *card, u32 group, u32 port)
{
	command(card, group, HBSR_OP_LEAVE, port);
	wait_idle(card, group);
}

/* When this returns, the records show the break, unless DMA failed. */
void hbs_regs_group_break(struct hbs_card *card, u32 group, enum hbs_reason reason)
{
	command(card, group, HBSR_OP_BREAK, reason);
	rd32(card, grp(group, HBSR_GRP_STATUS));
}

void hbs_regs_group_arm(struct hbs_card *card, u32 group, u64 word)
{
	wr32(card, grp(group, HBSR_GRP_ARM), (u32)(word >> HBS_WORD_EPOCH_SHIFT));
}

void hbs_regs_group_counters(struct hbs_card *card, u32 group,
			     struct hbs_group_counters *counters)
{
	counters->completions = rd64(card, grp(group, HBSR_GRP_COMPLETIONS));
	counters->arrivals = rd64(card, grp(group, HBSR_GRP_ARRIVALS));
	counters->departure_reads = rd64(card, grp(group, HBSR_GRP_DEPARTURE_READS));
	counters->record_writes = rd64(card, grp(group, HBSR_GRP_RECORD_WRITES));
	counters->non_member = rd64(card, grp(group, HBSR_GRP_NON_MEMBER));
	counters->double_arrivals = rd64(card, grp(group, HBSR_GRP_DOUBLE));
	counters->refused = rd64(card, grp(group, HBSR_GRP_REFUSED));
	counters->interrupts = rd64(card, grp(group, HBSR_GRP_INTERRUPTS));
	counters->line_reads = rd64(card, grp(group, HBSR_GRP_LINE_READS));
	counters->withdrawals = rd64(card, grp(group, HBSR_GRP_WITHDRAWALS));
	counters->unarrived = rd64(card, grp(group, HBSR_GRP_UNARRIVED));
	counters->readbacks = rd64(card, grp(group, HBSR_GRP_READBACKS));
}
