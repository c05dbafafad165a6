/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A QEMU with a card and no guest: the test itself does what a guest's firmware
 * and driver would do.
 */
#ifndef CARD_H
#define CARD_H

#include "qemu/osdep.h"
#include "libqtest.h"
#if __has_include("qobject/qdict.h")
#include "qobject/qdict.h"
#include "qobject/qlist.h"
#else
#include "qapi/qmp/qdict.h"
#include "qapi/qmp/qlist.h"
#endif
#include "hbs_list.h"
#include "hbs_regs.h"

#define CARD_SLOT  4
#define CARD_DEVFN (CARD_SLOT << 3)

/* Where the test puts things */
#define MESSAGES 0x100000 /* MSI-X messages: 4 bytes a vector */
#define RECORDS	 0x200000 /* departure records: 64 KiB a group */
#define MEMORIES 0xa00000 /* memory of ports: 16 KiB a port, for the first 128 of them */

#define NOBODY 0xffff

/* GRP_CTRL of a refutable group */
#define AS_REFUTABLE (HBSR_TYPE_REFUTABLE << HBSR_GRP_CTRL_TYPE_SHIFT)

struct card {
	QTestState *qts;
	uint8_t bus;
	uint8_t devfn;
	uint64_t bar[6];
};

/* Starts QEMU -M q35 with a card and maps it; PROPERTIES as ",ports=8" or "". */
void card_start(struct card *card, const char *properties, const char *options);
/* Starts QEMU with these options alone. */
void card_start_bare(struct card *card, const char *options);
/* Gives the BARs addresses and enables memory and bus mastering. */
void card_map(struct card *card);
/* The same for a second card, at other addresses */
void card_map_second(struct card *card);
void card_stop(struct card *card);
/* What a guest does when its card is to be unplugged, on the pc machine */
void card_eject(struct card *card);

/* Starts QEMU, which must refuse; returns what it wrote to stderr. */
char *qemu_refuses(const char *options);
/* The content of a file */
char *file_text(const char *path);
/* The file has these texts, one after the other; it is removed. */
void assert_in_order(const char *path, const char *const *texts, size_t count);
/* A path in the folder for temporary files, which the caller frees */
char *temporary(const char *name);

uint32_t config_read32(struct card *card, uint8_t offset);
void config_write32(struct card *card, uint8_t offset, uint32_t value);
uint16_t config_read16(struct card *card, uint8_t offset);
void config_write16(struct card *card, uint8_t offset, uint16_t value);
/* Where the capability is; 0 if there is none */
uint8_t find_capability(struct card *card, uint8_t id);
void set_bus_master(struct card *card, bool on);

/* Registers of BAR 0 */
uint32_t reg32(struct card *card, uint32_t offset);
uint64_t reg64(struct card *card, uint32_t offset);
void set32(struct card *card, uint32_t offset, uint32_t value);
void set64(struct card *card, uint32_t offset, uint64_t value);
/* Offset in BAR 0 of a register of a group */
uint32_t of_group(unsigned int g, uint32_t offset);
/* The same for a port */
uint32_t of_port(unsigned int port, uint32_t offset);

void card_enable(struct card *card);
/* Resets by CTL_CTRL, of the function and of the bus; the card is mapped then. */
void reset_card(struct card *card);
void reset_function(struct card *card);
void reset_bus(struct card *card);
/* Enables a group with this many seats and one record at record_of(g, 0) */
void group_enable(struct card *card, unsigned int g, unsigned int seats);
/* The same for a group of the kind that these bits of GRP_CTRL name */
void group_enable_as(struct card *card, unsigned int g, unsigned int seats, uint32_t ctrl);
/* What was begun must be done by the second read: the first pushes the writes that it waits for. */
void group_wait(struct card *card, unsigned int g);
void group_disable(struct card *card, unsigned int g);
void command(struct card *card, unsigned int g, unsigned int op, unsigned int arg);
void join(struct card *card, unsigned int g, unsigned int port);
/* Gives the ports 0 and 1 memory, and enables a group of both in which each has a record */
void two_with_records(struct card *card, unsigned int g);
uint64_t record_of(unsigned int g, unsigned int i);
uint64_t record(struct card *card, unsigned int g);
uint64_t epoch_word(uint64_t epoch);
uint64_t broken_word(uint64_t epoch, unsigned int reason);

/* Memory of ports: where it is, how PRT_ADDR gets set, and what a group has in it */
uint64_t memory_of(unsigned int port);
void memory_set(struct card *card, unsigned int port);
uint64_t line_of(unsigned int port, unsigned int g);
/* What a member stores to arrive for the epoch: the operand, then the word */
void line_write(struct card *card, unsigned int port, unsigned int g, uint64_t word,
		uint64_t operand);
void line_arrive(struct card *card, unsigned int port, unsigned int g, uint64_t epoch);
uint64_t member_record(struct card *card, unsigned int port, unsigned int g);

/* Port pages */
uint64_t lane(struct card *card, unsigned int port, unsigned int g);
void arrive(struct card *card, unsigned int port, unsigned int g);
void arrive_with(struct card *card, unsigned int port, unsigned int g, uint64_t operand);
uint64_t departure(struct card *card, unsigned int port, unsigned int g);
/* Stores to the lane of a refutable group; FLAGS are HBSR_IDLE_FREED and _VOTE */
void idle(struct card *card, unsigned int port, unsigned int g, int64_t delta, uint64_t flags);
void withdraw(struct card *card, unsigned int port, unsigned int g);
void set_operand(struct card *card, unsigned int port, unsigned int g, uint64_t operand);
/* Whether the member is in S, by a load from its lane */
uint64_t is_idle(struct card *card, unsigned int port, unsigned int g);
int64_t balance(struct card *card, unsigned int g);
/* An epoch word with the votes of the completion that led to it */
uint64_t vote_word(uint64_t epoch, unsigned int vote);

/* The epoch word as the registers show it, no matter which ports are members */
uint64_t group_word(struct card *card, unsigned int g);

/* MSI-X: message of vector v is v + 1, written to MESSAGES + 4 * v */
void messages_enable(struct card *card);
/* Whether the vector has sent a message since the last call */
bool message(struct card *card, unsigned int vector);

/* The card must have counted so many violations, the last of this kind */
void assert_violation(struct card *card, uint64_t count, unsigned int kind, unsigned int port,
		      unsigned int group);
/* As assert_violation for bad accesses; count of violations and bad accesses alike */
void assert_bad_access(struct card *card, uint64_t count, unsigned int port, unsigned int group);

int run_tests(int argc, char **argv, void (*add)(void));

#endif /* CARD_H */
