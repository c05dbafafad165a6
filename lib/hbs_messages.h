/* SPDX-License-Identifier: LGPL-2.1-or-later */
/**
 * DOC: Overview
 *
 * Messages between the members of a team, threads of one process or of several::
 *
 *	hbs_messages_create(&(struct hbs_messages_attr){ .members = 8 }, &messages);
 *	... in the thread that is member 3:
 *	hbs_mailbox_open(messages, 3, &me);
 *	hbs_message_send(me, 5, &work, sizeof(work));
 *	if (!hbs_message_recv(me, &message)) {
 *		use(message.data, message.size, message.from);
 *		hbs_message_free(me, &message);
 *	}
 *
 * From each member to each there is a queue with a fixed number of slots. A message takes one
 * slot from when its sender asks for it until its receiver frees it. No function waits: where
 * there is no room or no message it returns -EAGAIN. So a member can receive whether or not it
 * can send, and members that go on receiving while they cannot send do not block each other.
 *
 * Messages from one member to another arrive once each, in the order in which they were sent.
 * There is no order between those of different senders. A receiver takes up to a queue full of
 * messages from one sender, and then looks at the next one, so that no sender is left out.
 *
 * All functions return 0 (or a value >= 0 where their comment says so) or a negative errno.
 * Sizes are in bytes. Where a call comes from Tinsel, its comment names the call there;
 * the others are our own.
 *
 * Threads: a mailbox belongs to one thread at a time. Many threads may use a message space, but
 * a thread may close it only when no other thread is inside a call on it.
 *
 * fork: a child has no part in the message spaces and mailboxes of its parent. It may close
 * them, which frees its copies and nothing else, and import hbs_messages_fd(). It must not call
 * the functions that send and receive; the others return -ECHILD.
 *
 * Processes: the library checks each number that another process may have written, and uses
 * only what it has checked. So a process that writes anything to the memory can spoil messages,
 * but nothing else. A member that finds a number that cannot be gets -EBADMSG, from then on in
 * all calls that send or receive. The content of a message is for the program to check: another
 * process may change it also while the receiver has it, so copy it before you do.
 */
#ifndef HBS_MESSAGES_H
#define HBS_MESSAGES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hbs_member;
struct hbs_messages;
struct hbs_mailbox;

#define HBS_MESSAGES_MEMBERS_MAX 4096u
#define HBS_MESSAGES_SLOT_MAX	 4096u
#define HBS_MESSAGES_DEPTH_MAX	 32768u
#define HBS_MESSAGES_HEADER	 8u /* bytes of a slot that the message cannot use */

/* The most that a message space may take if all its queues are used */
#define HBS_MESSAGES_BYTES_MAX ((uint64_t)1 << 36)

/**
 * struct hbs_messages_attr - what message space to make; zero is the default of all fields but
 *                            @members
 * @members: how many, 2 to HBS_MESSAGES_MEMBERS_MAX
 * @slot: bytes of a slot, with its header: a multiple of 64, up to HBS_MESSAGES_SLOT_MAX; 0 for
 *        64, which is a line of the cache
 * @depth: slots of a queue: a power of two, up to HBS_MESSAGES_DEPTH_MAX; 0 for 16
 * @reserved: 0
 */
struct hbs_messages_attr {
	uint32_t members;
	uint32_t slot;
	uint32_t depth;
	uint32_t reserved[5];
};

/**
 * hbs_messages_create() - make a message space
 * @attr: what to make
 * @messages: out: the message space
 *
 * It has members * members queues, those from a member to itself included. Their memory is one
 * sealed file, and the system provides each page of it when it is first used. So queues that
 * nobody sends to take next to nothing.
 *
 * Return: 0; -EINVAL for a bad attribute, or if the queues would take more than
 * HBS_MESSAGES_BYTES_MAX; -EFBIG if the process may not make files so large (RLIMIT_FSIZE);
 * -EAGAIN if the process may lock no more memory (RLIMIT_MEMLOCK); -EMFILE, -ENOMEM.
 */
int hbs_messages_create(const struct hbs_messages_attr *attr, struct hbs_messages **messages);

/**
 * hbs_messages_fd() - the descriptor that stands for a message space
 * @messages: the message space
 *
 * Pass it to another process (fork, SCM_RIGHTS), which gives it to hbs_messages_import().
 * The descriptor belongs to the message space: do not close it.
 *
 * Return: a descriptor.
 */
int hbs_messages_fd(const struct hbs_messages *messages);

/**
 * hbs_messages_import() - take part in a message space that another process made
 * @fd: its descriptor; the library duplicates it, and the caller keeps it
 * @messages: out: the message space
 *
 * Return: 0; -EBADF if @fd is no descriptor; -EINVAL if it is no message space; -EMFILE, -ENOMEM.
 */
int hbs_messages_import(int fd, struct hbs_messages **messages);

/**
 * struct hbs_messages_info - what a message space is
 * @members: how many
 * @slot: bytes of a slot
 * @depth: slots of a queue
 * @payload: bytes of the largest message
 * @queue_bytes: memory of a queue, with its counters, once all of it is used
 * @bytes: memory of all queues and of what they share, once all of it is used
 */
struct hbs_messages_info {
	uint32_t members;
	uint32_t slot;
	uint32_t depth;
	uint32_t payload;
	uint64_t queue_bytes;
	uint64_t bytes;
};

/**
 * hbs_messages_info() - what a message space is
 * @messages: the message space
 * @info: out
 *
 * Return: 0.
 */
int hbs_messages_info(const struct hbs_messages *messages, struct hbs_messages_info *info);

/**
 * hbs_messages_close() - let go of a message space
 * @messages: the message space
 *
 * The space itself, with the messages in it, lives on while others have a handle of it.
 *
 * Return: 0; -EBUSY while it has mailboxes that were opened through this handle.
 */
int hbs_messages_close(struct hbs_messages *messages);

/**
 * hbs_mailbox_open() - become a member
 * @messages: the message space
 * @member: which one, below the number of members
 * @mailbox: out: the mailbox of that member
 *
 * Others may have sent to this member already. If the member had a mailbox before, the new one
 * goes on where that stopped, also if its process ended without closing it: what was sent to the
 * member and by it stays, a message that was taken and not freed comes again, and one that was
 * being written was never sent. If the member was in a refutable group, that group is broken by
 * its death, and after a reset the messages of before are an error: make a new message space.
 *
 * Return: 0; -EINVAL if there is no such member; -EBUSY if it has a mailbox whose process lives;
 * -EBADMSG if another process has written to the memory; -ENOMEM.
 */
int hbs_mailbox_open(struct hbs_messages *messages, uint32_t member, struct hbs_mailbox **mailbox);

/**
 * hbs_mailbox_close() - stop being a member
 * @mailbox: the mailbox, freed in every case
 *
 * What it has sent can still be received, and others can still send to the member.
 *
 * Return: 0.
 */
int hbs_mailbox_close(struct hbs_mailbox *mailbox);

/**
 * hbs_message_can_send() - whether there is room in the queue to a member (Tinsel paper:
 *                          tinselCanSend)
 * @mailbox: of the sender
 * @to: the receiver
 *
 * Room that was there once stays until this mailbox uses it.
 *
 * Return: 1 if there is; 0 if there is none; -EINVAL if there is no such member; -EBADMSG.
 */
int hbs_message_can_send(struct hbs_mailbox *mailbox, uint32_t to);

/**
 * hbs_message_alloc() - a slot to write a message into (Tinsel's library: tinselSendSlot)
 * @mailbox: of the sender
 * @to: the receiver
 * @payload: out: the slot's room for the message, at an address that is a multiple of 8
 *
 * hbs_message_post() sends it. Until then, the same slot comes again, and hbs_message_send() to
 * the same member uses it.
 *
 * Return: 0; -EAGAIN if there is no room; -EINVAL if there is no such member; -EBADMSG.
 */
int hbs_message_alloc(struct hbs_mailbox *mailbox, uint32_t to, void **payload);

/**
 * hbs_message_post() - send the message that was written into a slot (Tinsel paper: tinselSend)
 * @mailbox: of the sender
 * @to: the receiver
 * @size: bytes of the message; 0 is allowed
 *
 * The sender must not use the slot any more.
 *
 * Return: 0; -EINVAL if there is no slot from hbs_message_alloc(), or no such member;
 * -EMSGSIZE if @size is too large; -EBADMSG.
 */
int hbs_message_post(struct hbs_mailbox *mailbox, uint32_t to, size_t size);

/**
 * hbs_message_send() - send a copy of a message (Tinsel paper: tinselSend)
 * @mailbox: of the sender
 * @to: the receiver
 * @data: the message; may be NULL if @size is 0
 * @size: its bytes
 *
 * Return: 0; -EAGAIN if there is no room; -EINVAL if there is no such member; -EMSGSIZE if
 * @size is too large; -EBADMSG; -EBUSY, as each function that sends, see hbs_idle_try().
 */
int hbs_message_send(struct hbs_mailbox *mailbox, uint32_t to, const void *data, size_t size);

/**
 * hbs_message_multicast() - send a copy of a message to each of several members (Tinsel's
 *                           library: tinselMulticast)
 * @mailbox: of the sender
 * @set: the receivers: member i is bit i % 64 of word i / 64; there is a bit for each member,
 *       and the bits after these are 0. Out: those to whom it has not been sent
 * @data: the message; may be NULL if @size is 0
 * @size: its bytes
 *
 * To send it to the others too, call it again with what it left in @set.
 *
 * Return: 0 if it was sent to all; -EAGAIN if there was no room in the queues to some; -EINVAL if
 * the set has a bit that is no member; -EMSGSIZE if @size is too large; -EBADMSG.
 */
int hbs_message_multicast(struct hbs_mailbox *mailbox, uint64_t *set, const void *data,
			  size_t size);

/**
 * struct hbs_message - a message that was received
 * @data: its content, in the slot, at an address that is a multiple of 8; the receiver may write
 *        there until it frees it
 * @size: its bytes
 * @from: its sender
 * @epoch: its sender's epoch, which is the receiver's too
 */
struct hbs_message {
	void *data;
	uint32_t size;
	uint32_t from;
	uint32_t epoch;
};

/**
 * hbs_message_can_recv() - whether there is a message to receive (Tinsel paper: tinselCanRecv)
 * @mailbox: of the receiver
 *
 * Return: 1 if there is; 0 if there is none; -EBADMSG.
 */
int hbs_message_can_recv(struct hbs_mailbox *mailbox);

/**
 * hbs_message_recv() - receive a message, which stays in its slot (Tinsel paper: tinselRecv)
 * @mailbox: of the receiver
 * @message: out: the message, until hbs_message_free()
 *
 * Return: 0; -EAGAIN if there is none; -EBADMSG.
 */
int hbs_message_recv(struct hbs_mailbox *mailbox, struct hbs_message *message);

/**
 * hbs_message_free() - give the slot of a message back to its sender (Tinsel paper: tinselAlloc,
 *                      which gives the network a slot; in Tinsel's later library: tinselFree)
 * @mailbox: of the receiver
 * @message: the message
 *
 * A member may have any number of messages before it frees them. It frees those of one sender in
 * the order in which it received them, and those of different senders in any order.
 *
 * Return: 0; -EINVAL if it is not the oldest message from its sender that this mailbox has.
 */
int hbs_message_free(struct hbs_mailbox *mailbox, const struct hbs_message *message);

/**
 * hbs_mailbox_bind() - let a refutable group count the messages of a mailbox
 * @mailbox: the mailbox
 * @member: the membership of the same thread, in a group of type HBS_REFUTABLE (see hbs.h)
 *
 * All members of the message space that send or receive are bound to members of the same group.
 * Each one is bound after it has joined, and before it sends or receives anything. Close the
 * mailbox before the member leaves the group.
 *
 * Return: 0; -EBUSY if the mailbox is bound, or has messages that are not freed; -EOPNOTSUPP if
 * the group is not refutable; -EINVAL.
 */
int hbs_mailbox_bind(struct hbs_mailbox *mailbox, struct hbs_member *member);

/**
 * hbs_idle() - wait for a message, or until all members are idle and none is in flight (Tinsel
 *              paper: tinselIdle)
 * @mailbox: a mailbox that is bound
 * @vote: 0 or 1
 *
 * If there is a message, the call returns at once. Otherwise it is one store to the card, and
 * another one if a message comes before all is over. The member spins and sleeps as the policy of
 * the group's context says; asleep, it is woken by who sends it a message.
 *
 * Return: 0 if there is a message to receive; 1 if all members are idle and all messages are
 * freed, which begins the next epoch; 2 if, besides, the last vote of each member was 1; -EBUSY if
 * the member has received a message and not freed it; an error of a broken group; -EBADMSG;
 * -EINVAL.
 */
int hbs_idle(struct hbs_mailbox *mailbox, int vote);

/**
 * hbs_idle_value() - the same with a value, in a group that reduces
 * @mailbox: a mailbox that is bound
 * @vote: 0 or 1
 * @value: what the member brings to the result of the epoch, if this call is its last one in it
 *
 * hbs_result() of the member has the result when the epoch is over. hbs_idle() brings 0.
 *
 * Return: as hbs_idle(); -EOPNOTSUPP if @value is not 0 and the group does not reduce.
 */
int hbs_idle_value(struct hbs_mailbox *mailbox, int vote, uint64_t value);

/**
 * hbs_idle_try() - the same as hbs_idle(), without waiting
 * @mailbox: a mailbox that is bound
 * @vote: 0 or 1
 *
 * When it returns -EAGAIN, the member is idle, and stays so: it has voted, and the epoch may end. The
 * next hbs_idle_try() or hbs_idle() goes on with that. If it votes otherwise, or brings another
 * value, the member says so to the card first: what the last call says counts.
 *
 * A member that sends meanwhile, or receives a message that is there, is no longer idle. It
 * cannot send if the epoch is over by then: -EBUSY, until the next hbs_idle_try() has told it.
 * Do not use the membership itself, other than by hbs_result() and hbs_votes().
 *
 * Return: as hbs_idle(); -EAGAIN if there is no message and the epoch is not over.
 */
int hbs_idle_try(struct hbs_mailbox *mailbox, int vote);

/**
 * hbs_mailbox_fd() - a descriptor to poll for the next message or the end of the epoch
 * @mailbox: a mailbox whose member is idle by hbs_idle_try()
 *
 * Call it before each poll: poll, select and epoll report readable when hbs_idle_try() would not
 * return -EAGAIN any more. They may do so without a reason, after which hbs_idle_try() returns
 * -EAGAIN. The descriptor is the same one each time; hbs_leave() of the member closes it.
 *
 * Return: a descriptor; -EINVAL if the member is not idle, or @mailbox is NULL or not bound;
 * -EOPNOTSUPP if the card's driver is too old; -EAGAIN in software, if the process may have no more
 * threads; -EMFILE, -ENOMEM; -ECHILD in a child of fork.
 */
int hbs_mailbox_fd(struct hbs_mailbox *mailbox);

#ifdef __cplusplus
}
#endif

#endif /* HBS_MESSAGES_H */
