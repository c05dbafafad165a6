// SPDX-License-Identifier: GPL-2.0-or-later
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

#include "fake_monitor.h"
#include "ticks.h"

#define LINE	   64
#define WORDS	   (LINE / 8)
#define PATIENT_NS 3000000000ULL
#define FAR_NS	   1000000000ULL /* from now: no slice of a wait, even on a busy machine */

struct fake_monitor fake_monitor;

static enum monitor own; /* the instructions that this CPU has */
static int is_patient;
static struct sigaction before;

/* What a thread has armed: a line, and its content then */
static __thread const uint64_t *armed;
static __thread uint64_t then[WORDS];

static void arm(uint64_t address)
{
	armed = (const uint64_t *)(uintptr_t)(address & ~(uint64_t)(LINE - 1));
	for (int i = 0; i < WORDS; i++)
		then[i] = __atomic_load_n(&armed[i], __ATOMIC_ACQUIRE);
	atomic_fetch_add(&fake_monitor.arms, 1);
}

static int has_changed(void)
{
	for (int i = 0; i < WORDS; i++)
		if (__atomic_load_n(&armed[i], __ATOMIC_ACQUIRE) != then[i])
			return 1;
	return 0;
}

static void wait_until(uint64_t deadline)
{
	atomic_fetch_add(&fake_monitor.waits, 1);
	if (!armed) {
		atomic_fetch_add(&fake_monitor.unarmed, 1);
		return;
	}
	if (deadline + hbsi_ticks_from_ns(FAR_NS) - ticks_counter() >
	    2 * hbsi_ticks_from_ns(FAR_NS))
		atomic_fetch_add(&fake_monitor.malformed, 1);
	if (is_patient)
		deadline = ticks_counter() + hbsi_ticks_from_ns(PATIENT_NS);
	while (!has_changed() && (int64_t)(deadline - ticks_counter()) > 0)
		sched_yield();
	atomic_fetch_add(has_changed() ? &fake_monitor.stores : &fake_monitor.times, 1);
	armed = NULL;
}

/* The register that a ModRM byte with the opcode extension 6 names */
static greg_t *operand(greg_t *regs, uint8_t modrm, uint8_t rex)
{
	static const int order[] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
				     REG_RSI, REG_RDI, REG_R8,	REG_R9,	 REG_R10, REG_R11,
				     REG_R12, REG_R13, REG_R14, REG_R15 };

	return &regs[order[(modrm & 7) | (rex & 1) << 3]];
}

/* F3 or F2, perhaps a REX prefix, 0F AE /6. Return: bytes; 0 if it is none of these */
static unsigned int waitpkg(greg_t *regs, const uint8_t *code)
{
	unsigned int length = (code[1] & 0xf0) == 0x40 ? 5 : 4;
	uint8_t rex = length == 5 ? code[1] : 0, modrm = code[length - 1];
	uint64_t deadline = (uint64_t)regs[REG_RDX] << 32 | (uint32_t)regs[REG_RAX];

	if ((code[0] != 0xf3 && code[0] != 0xf2) || code[length - 3] != 0x0f ||
	    code[length - 2] != 0xae || (modrm & 0xf8) != 0xf0)
		return 0;
	if (code[0] == 0xf3) {
		arm((uint64_t)*operand(regs, modrm, rex));
		return length;
	}
	if ((uint32_t)*operand(regs, modrm, rex) != 1)
		atomic_fetch_add(&fake_monitor.malformed, 1);
	wait_until(deadline);
	return length;
}

/* 0F 01 FA or FB */
static unsigned int mwaitx(greg_t *regs, const uint8_t *code)
{
	if (code[0] != 0x0f || code[1] != 0x01 || (code[2] != 0xfa && code[2] != 0xfb))
		return 0;
	if (code[2] == 0xfa) {
		if ((uint32_t)regs[REG_RCX] || (uint32_t)regs[REG_RDX])
			atomic_fetch_add(&fake_monitor.malformed, 1);
		arm((uint64_t)regs[REG_RAX]);
		return 3;
	}
	/* with the timer of EBX, and no deeper than C0 */
	if ((uint32_t)regs[REG_RCX] != 2 || (uint32_t)regs[REG_RAX] != 0xf0)
		atomic_fetch_add(&fake_monitor.malformed, 1);
	wait_until(ticks_counter() + (uint32_t)regs[REG_RBX]);
	return 3;
}

static void do_it(int number, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	const uint8_t *code = (const uint8_t *)regs[REG_RIP];
	unsigned int length =
		hbsi_monitor == MONITOR_WAITPKG ? waitpkg(regs, code) : mwaitx(regs, code);

	(void)info;
	if (length)
		regs[REG_RIP] += length;
	else
		signal(number, SIG_DFL);
}

/* Not on a CPU that has the instruction, though its virtual machine says that it has not */
static int is_faked(void)
{
	static _Alignas(LINE) uint64_t line[WORDS];
	int faults;

	hbsi_monitor_arm(line);
	faults = atomic_load(&fake_monitor.arms) != 0;
	atomic_store(&fake_monitor.arms, 0);
	armed = NULL;
	return faults;
}

int fake_monitor_start(enum monitor monitor, int patient)
{
	struct sigaction action = { .sa_sigaction = do_it, .sa_flags = SA_SIGINFO };

	hbsi_monitor_find();
	own = hbsi_monitor;
	memset(&fake_monitor, 0, sizeof(fake_monitor));
	is_patient = patient;
	sigaction(SIGILL, &action, &before);
	hbsi_monitor = monitor;
	return is_faked();
}

void fake_monitor_stop(void)
{
	sigaction(SIGILL, &before, NULL);
	hbsi_monitor = own;
}
