// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may see and do what by netlink.
 *
 * Of a port, group or member of somebody else a user sees that it is there, and nothing that
 * tells of a process, as in a /proc that hides processes. Its own ones a user sees, and the
 * holder of CAP_SYS_PTRACE or CAP_SYS_ADMIN in the initial user namespace sees all. Changes
 * need CAP_SYS_ADMIN there, for they are for all users of a card. The sender must have the
 * right, and so must the maker of the socket, unless the sender names the receiver: otherwise
 * it may not know what it writes to.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/sched.h>
#include <net/sock.h>

#include "netlink.h"

static bool hbs_nl_capable(struct sk_buff *request, int capability)
{
	/* First without audit, for a user could fill the audit log. */
	return ns_capable_noaudit(&init_user_ns, capability) &&
	       netlink_capable(request, capability);
}

void hbs_nl_view_init(struct hbs_nl_view *view, struct sk_buff *request)
{
	kuid_t uid = hbs_limit_owner();

	view->reader = get_task_pid(current, PIDTYPE_TGID);
	view->uid = uid_eq(uid, sock_i_uid(NETLINK_CB(request).sk)) ? uid : INVALID_UID;
	view->all = hbs_nl_capable(request, CAP_SYS_PTRACE) ||
		    hbs_nl_capable(request, CAP_SYS_ADMIN);
}

void hbs_nl_view_release(struct hbs_nl_view *view)
{
	put_pid(view->reader);
}

/* May the reader see what a process of @owner has? */
bool hbs_nl_may_see(const struct hbs_nl_view *view, kuid_t owner)
{
	return view->all || (uid_valid(owner) && uid_eq(owner, view->uid));
}

/* May the sender change what concerns all users of a card? 0 or -EPERM. */
int hbs_nl_may_change(struct sk_buff *request, struct genl_info *info)
{
	if (hbs_nl_capable(request, CAP_SYS_ADMIN))
		return 0;
	GENL_SET_ERR_MSG(info, "this needs CAP_SYS_ADMIN in the initial user namespace");
	return -EPERM;
}

/* The number of a process or thread in the reader's namespace, 0 if it is not there. */
static u32 hbs_nl_pid(const struct hbs_nl_view *view, struct pid *pid)
{
	return pid_nr_ns(pid, ns_of_pid(view->reader));
}

/* The name of a thread, or of its process, and where it runs; false if the reader may not see. */
static bool hbs_nl_look_at(const struct hbs_nl_view *view, struct pid *tgid, struct pid *tid,
			   kuid_t owner, char *comm, u32 *cpu)
{
	struct task_struct *task;
	bool seen = false;

	rcu_read_lock();
	task = pid_task(tid, PIDTYPE_PID) ?: pid_task(tgid, PIDTYPE_PID);
	/* It may have become somebody else's meanwhile. */
	if (task && (view->all || uid_eq(task_euid(task), owner))) {
		__get_task_comm(comm, TASK_COMM_LEN, task);
		*cpu = task_cpu(task);
		seen = true;
	}
	rcu_read_unlock();
	return seen;
}

/* Tell of the process and thread that took a port, as far as the reader may know. */
int hbs_nl_put_process(struct sk_buff *skb, const struct hbs_nl_view *view, struct pid *tgid,
		       struct pid *tid, kuid_t owner, const struct hbs_nl_process_attrs *attrs)
{
	u32 pid = hbs_nl_pid(view, tgid);
	char comm[TASK_COMM_LEN];
	u32 cpu;

	if (!hbs_nl_may_see(view, owner))
		return 0;
	if (nla_put_u32(skb, attrs->pid, pid) ||
	    nla_put_u32(skb, attrs->tid, hbs_nl_pid(view, tid)))
		return -EMSGSIZE;
	if (!pid || !hbs_nl_look_at(view, tgid, tid, owner, comm, &cpu))
		return 0;
	if (nla_put_string(skb, attrs->comm, comm) || nla_put_u32(skb, attrs->cpu, cpu))
		return -EMSGSIZE;
	return 0;
}
