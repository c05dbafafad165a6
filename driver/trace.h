/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints, on slow paths only: a barrier that needs no kernel passes none of them.
 * Documentation/tracing.rst lists them.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM hbs

#if !defined(HBS_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define HBS_TRACE_H

#include <linux/tracepoint.h>

#include <hbs_regs.h>

#include "hbs.h"

TRACE_DEFINE_ENUM(HBS_REASON_TIMEOUT);
TRACE_DEFINE_ENUM(HBS_REASON_DIED);
TRACE_DEFINE_ENUM(HBS_REASON_RESET);
TRACE_DEFINE_ENUM(HBS_REASON_GONE);
TRACE_DEFINE_ENUM(HBS_REASON_DESTROYED);
TRACE_DEFINE_ENUM(HBS_REASON_DMA);
TRACE_DEFINE_ENUM(HBS_REASON_OVERFLOW);

#define hbs_show_reason(reason)						\
	__print_symbolic(reason,					\
			 { HBS_REASON_TIMEOUT, "timeout" },		\
			 { HBS_REASON_DIED, "died" },			\
			 { HBS_REASON_RESET, "reset" },			\
			 { HBS_REASON_GONE, "gone" },			\
			 { HBS_REASON_DESTROYED, "destroyed" },		\
			 { HBS_REASON_DMA, "dma" },			\
			 { HBS_REASON_OVERFLOW, "overflow" })

/* A card works, is being reset, or is gone */
DECLARE_EVENT_CLASS(hbs_card,
		    TP_PROTO(const struct hbs_card *card),
		    TP_ARGS(card),
		    TP_STRUCT__entry(__field(int, card)
				     __field(u32, generation)),
		    TP_fast_assign(__entry->card = card->minor;
				   __entry->generation = card->generation;),
		    TP_printk("card=%d generation=%u", __entry->card, __entry->generation));

DEFINE_EVENT(hbs_card, hbs_card_works, TP_PROTO(const struct hbs_card *card), TP_ARGS(card));
DEFINE_EVENT(hbs_card, hbs_card_resets, TP_PROTO(const struct hbs_card *card), TP_ARGS(card));
DEFINE_EVENT(hbs_card, hbs_card_gone, TP_PROTO(const struct hbs_card *card), TP_ARGS(card));

#define hbs_show_violation(kind)					\
	__print_symbolic(kind,						\
			 { HBSR_VIOLATION_NON_MEMBER, "non-member" },	\
			 { HBSR_VIOLATION_DOUBLE, "double" },		\
			 { HBSR_VIOLATION_REFUSED, "refused" },		\
			 { HBSR_VIOLATION_ACCESS, "access" },		\
			 { HBSR_VIOLATION_OVERFLOW, "overflow" },	\
			 { HBSR_VIOLATION_UNARRIVED, "unarrived" })

/* The last of those that made the card interrupt; it does so once a second at most */
TRACE_EVENT(hbs_violation,
	    TP_PROTO(const struct hbs_card *card, u32 kind, u32 port, u32 group),
	    TP_ARGS(card, kind, port, group),
	    TP_STRUCT__entry(__field(int, card)
			     __field(u32, kind)
			     __field(u32, port)
			     __field(u32, group)),
	    TP_fast_assign(__entry->card = card->minor;
			   __entry->kind = kind;
			   __entry->port = port;
			   __entry->group = group;),
	    TP_printk("card=%d port=%u group=%u kind=%s", __entry->card, __entry->port,
		      __entry->group, hbs_show_violation(__entry->kind)));

TRACE_EVENT(hbs_group_create,
	    TP_PROTO(const struct hbs_group *group),
	    TP_ARGS(group),
	    TP_STRUCT__entry(__field(int, card)
			     __field(u32, group)
			     __field(u32, type)
			     __field(u32, members)
			     __field(u32, completion)
			     __field(u32, arrival)
			     __field(u32, departure)
			     __field(u32, reduce)
			     __field(u64, timeout_ns)),
	    TP_fast_assign(__entry->card = group->card->minor;
			   __entry->group = group->id;
			   __entry->type = group->type;
			   __entry->members = group->members;
			   __entry->completion = group->completion;
			   __entry->arrival = group->arrival;
			   __entry->departure = group->departure;
			   __entry->reduce = group->reduce;
			   __entry->timeout_ns = group->timeout_ns;),
	    TP_printk("card=%d group=%u type=%u members=%u completion=%u arrival=%u departure=%u reduce=%u timeout_ns=%llu",
		      __entry->card, __entry->group, __entry->type, __entry->members,
		      __entry->completion, __entry->arrival, __entry->departure, __entry->reduce,
		      __entry->timeout_ns));

/* @word: the epoch word that the group shows then */
DECLARE_EVENT_CLASS(hbs_group,
		    TP_PROTO(const struct hbs_group *group, u64 word),
		    TP_ARGS(group, word),
		    TP_STRUCT__entry(__field(int, card)
				     __field(u32, group)
				     __field(u64, epoch)
				     __field(u32, reason)),
		    TP_fast_assign(__entry->card = group->card->minor;
				   __entry->group = group->id;
				   __entry->epoch = word >> HBS_WORD_EPOCH_SHIFT;
				   __entry->reason = (word & HBS_WORD_REASON) >>
						     HBS_WORD_REASON_SHIFT;),
		    TP_printk("card=%d group=%u epoch=%llu", __entry->card, __entry->group,
			      __entry->epoch));

DEFINE_EVENT_PRINT(hbs_group, hbs_group_broken,
		   TP_PROTO(const struct hbs_group *group, u64 word),
		   TP_ARGS(group, word),
		   TP_printk("card=%d group=%u epoch=%llu reason=%s", __entry->card, __entry->group,
			     __entry->epoch, hbs_show_reason(__entry->reason)));

/* The card interrupts for an epoch that somebody sleeps for; the epoch is that which begins */
DEFINE_EVENT(hbs_group, hbs_group_complete,
	     TP_PROTO(const struct hbs_group *group, u64 word),
	     TP_ARGS(group, word));

DEFINE_EVENT(hbs_group, hbs_group_timeout,
	     TP_PROTO(const struct hbs_group *group, u64 word),
	     TP_ARGS(group, word));

DEFINE_EVENT(hbs_group, hbs_group_restart,
	     TP_PROTO(const struct hbs_group *group, u64 word),
	     TP_ARGS(group, word));

DEFINE_EVENT(hbs_group, hbs_group_end,
	     TP_PROTO(const struct hbs_group *group, u64 word),
	     TP_ARGS(group, word));

/* @word: the epoch word when it happens */
DECLARE_EVENT_CLASS(hbs_member,
		    TP_PROTO(const struct hbs_group *group, const struct hbs_member *member,
			     u64 word),
		    TP_ARGS(group, member, word),
		    TP_STRUCT__entry(__field(int, card)
				     __field(u32, group)
				     __field(u32, port)
				     __field(pid_t, tid)
				     __field(u64, tag)
				     __field(u64, epoch)),
		    TP_fast_assign(__entry->card = group->card->minor;
				   __entry->group = group->id;
				   __entry->port = member->port;
				   __entry->tid = pid_nr(member->tid);
				   __entry->tag = member->tag;
				   __entry->epoch = word >> HBS_WORD_EPOCH_SHIFT;),
		    TP_printk("card=%d group=%u port=%u tid=%d tag=%llu epoch=%llu", __entry->card,
			      __entry->group, __entry->port, __entry->tid, __entry->tag,
			      __entry->epoch));

DEFINE_EVENT(hbs_member, hbs_member_join,
	     TP_PROTO(const struct hbs_group *group, const struct hbs_member *member, u64 word),
	     TP_ARGS(group, member, word));

DEFINE_EVENT(hbs_member, hbs_member_leave,
	     TP_PROTO(const struct hbs_group *group, const struct hbs_member *member, u64 word),
	     TP_ARGS(group, member, word));

DEFINE_EVENT(hbs_member, hbs_member_die,
	     TP_PROTO(const struct hbs_group *group, const struct hbs_member *member, u64 word),
	     TP_ARGS(group, member, word));

/* A thread sleeps for the epoch after @seen */
TRACE_EVENT(hbs_sleep,
	    TP_PROTO(const struct hbs_group *group, u64 seen),
	    TP_ARGS(group, seen),
	    TP_STRUCT__entry(__field(int, card)
			     __field(u32, group)
			     __field(u64, epoch)),
	    TP_fast_assign(__entry->card = group->card->minor;
			   __entry->group = group->id;
			   __entry->epoch = seen >> HBS_WORD_EPOCH_SHIFT;),
	    TP_printk("card=%d group=%u epoch=%llu", __entry->card, __entry->group,
		      __entry->epoch));

/* It is awake again: @ret is 0 if there are news, else an error */
TRACE_EVENT(hbs_awake,
	    TP_PROTO(const struct hbs_group *group, u64 seen, int ret),
	    TP_ARGS(group, seen, ret),
	    TP_STRUCT__entry(__field(int, card)
			     __field(u32, group)
			     __field(u64, epoch)
			     __field(int, ret)),
	    TP_fast_assign(__entry->card = group->card->minor;
			   __entry->group = group->id;
			   __entry->epoch = seen >> HBS_WORD_EPOCH_SHIFT;
			   __entry->ret = ret;),
	    TP_printk("card=%d group=%u epoch=%llu ret=%d", __entry->card, __entry->group,
		      __entry->epoch, __entry->ret));

#endif /* HBS_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
