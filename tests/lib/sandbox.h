/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sandboxes: from here on, the kernel refuses system calls of this thread, or of this process */
#ifndef TEST_SANDBOX_H
#define TEST_SANDBOX_H

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Returns 0 if that is so now */
static inline int enter_sandbox(struct sock_filter *filter, unsigned short length)
{
	struct sock_fprog program = { .len = length, .filter = filter };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* One that does not know membarrier() */
static inline int forbid_membarrier(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	if (enter_sandbox(filter, sizeof(filter) / sizeof(filter[0])))
		return 1;
	errno = 0;
	return !syscall(SYS_membarrier, 0, 0, 0) || errno != ENOSYS;
}

static inline void tell_of_the_call(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	/* all but 0 are failures, and this one says which it was */
	_exit(1 + info->si_syscall % 254);
}

/* The kernel lets the thread do nothing from here on but end */
static inline int forbid_calls(void)
{
	struct sigaction action = { .sa_sigaction = tell_of_the_call, .sa_flags = SA_SIGINFO };
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	sigaction(SIGSYS, &action, NULL);
	return enter_sandbox(filter, sizeof(filter) / sizeof(filter[0]));
}

#endif /* TEST_SANDBOX_H */
