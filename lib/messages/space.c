// SPDX-License-Identifier: LGPL-2.1-or-later
/* Message spaces: the memory file and its handles */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../fence.h"
#include "../guard.h"
#include "../internal.h"
#include "../sealed.h"
#include "messages.h"

#define DEFAULT_SLOT  64
#define DEFAULT_DEPTH 16

static uint64_t rounded(uint64_t number, uint64_t to)
{
	return (number + to - 1) / to * to;
}

static bool numbers_are_good(uint32_t members, uint32_t slot, uint32_t depth)
{
	return members >= 2 && members <= HBS_MESSAGES_MEMBERS_MAX && slot &&
	       slot <= HBS_MESSAGES_SLOT_MAX && slot % MESSAGES_LINE == 0 && depth &&
	       depth <= HBS_MESSAGES_DEPTH_MAX && !(depth & (depth - 1));
}

/* Bytes of a file of these numbers, which are good; @memory, if any, is where it is mapped */
static uint64_t lay_out(struct messages_layout *layout, char *memory)
{
	uint64_t members = layout->members;
	uint64_t row = rounded(members, MESSAGES_LINE / sizeof(message_counter));
	uint64_t counters = members * row * sizeof(message_counter);
	uint64_t seats = sealed_size(sizeof(struct messages_page));
	uint64_t queued = seats + members * sizeof(struct messages_seat);
	uint64_t freed = queued + counters;
	uint64_t slots = sealed_size(freed + counters);

	layout->row = (uint32_t)row;
	if (memory) {
		layout->seats = (struct messages_seat *)(memory + seats);
		layout->queued = (message_counter *)(memory + queued);
		layout->freed = (message_counter *)(memory + freed);
		layout->slots = memory + slots;
	}
	return sealed_size(slots + members * members * layout->depth * layout->slot);
}

static void free_handle(struct hbs_messages *messages)
{
	checker_heed(messages, sizeof(*messages));
	free((void *)messages->own);
	free(messages);
}

static struct hbs_messages *new_handle(void)
{
	struct hbs_messages *messages = calloc(1, sizeof(*messages));

	if (messages) {
		checker_ignore(messages, sizeof(*messages));
		messages->pid = getpid();
		messages->guard = -1;
	}
	return messages;
}

/* For checkers, who know the handles of a process by the file */
static void note_file(struct hbs_messages *messages)
{
	struct stat st;

	if (hbsi_checked && !fstat(messages->fd, &st))
		messages->layout.file = st.st_ino;
}

/* What a process needs for mailboxes and their sleep; the file is mapped */
static int take_part(struct hbs_messages *messages)
{
	struct messages_page *page = messages->memory;

	messages->own = calloc((messages->layout.members + 63) / 64, sizeof(*messages->own));
	if (!messages->own)
		return -ENOMEM;
	if (!hbsi_fence_open())
		atomic_store(&page->deaf, 1);
	return hbsi_guard_open(&messages->guard, messages->fd, &messages->alone);
}

static int make(struct hbs_messages *messages)
{
	struct messages_layout *layout = &messages->layout;
	struct messages_page *page;
	int ret;

	messages->size = lay_out(layout, NULL);
	messages->fd = hbsi_sealed_create("hbs-messages", messages->size);
	if (messages->fd < 0)
		return messages->fd;
	ret = hbsi_sealed_map(messages->fd, messages->size, &messages->memory);
	if (ret) {
		close(messages->fd);
		return ret;
	}
	lay_out(layout, messages->memory);
	note_file(messages);
	page = messages->memory;
	page->version = MESSAGES_VERSION;
	page->members = layout->members;
	page->slot = layout->slot;
	page->depth = layout->depth;
	page->magic = MESSAGES_MAGIC;
	ret = take_part(messages);
	if (ret) {
		munmap(messages->memory, messages->size);
		close(messages->fd);
	}
	return ret;
}

int hbs_messages_create(const struct hbs_messages_attr *attr, struct hbs_messages **messages)
{
	struct messages_layout layout = { 0 };
	struct hbs_messages *new;
	int cancel, ret;

	if (!attr || !messages)
		return -EINVAL;
	for (size_t i = 0; i < sizeof(attr->reserved) / sizeof(attr->reserved[0]); i++)
		if (attr->reserved[i])
			return -EINVAL;
	layout.members = attr->members;
	layout.slot = attr->slot ? attr->slot : DEFAULT_SLOT;
	layout.depth = attr->depth ? attr->depth : DEFAULT_DEPTH;
	if (!numbers_are_good(layout.members, layout.slot, layout.depth) ||
	    lay_out(&layout, NULL) > HBS_MESSAGES_BYTES_MAX)
		return -EINVAL;
	new = new_handle();
	if (!new)
		return -ENOMEM;
	new->layout = layout;
	cancel = cancel_off();
	ret = make(new);
	cancel_restore(cancel);
	if (ret) {
		free_handle(new);
		return ret;
	}
	*messages = new;
	return 0;
}

int hbs_messages_fd(const struct hbs_messages *messages)
{
	return messages ? messages->fd : -EINVAL;
}

/* The numbers must be those of a file that this library would have made */
static int read_page(struct hbs_messages *messages, const volatile struct messages_page *page)
{
	struct messages_layout *layout = &messages->layout;

	layout->members = page->members;
	layout->slot = page->slot;
	layout->depth = page->depth;
	if (page->magic != MESSAGES_MAGIC || page->version != MESSAGES_VERSION ||
	    !numbers_are_good(layout->members, layout->slot, layout->depth) ||
	    lay_out(layout, messages->memory) != messages->size)
		return -EINVAL;
	return 0;
}

static int map_file(struct hbs_messages *messages)
{
	int ret = hbsi_sealed_import(messages->fd, HBS_MESSAGES_BYTES_MAX, &messages->memory,
				     &messages->size);

	if (ret)
		return ret;
	note_file(messages);
	ret = read_page(messages, messages->memory);
	if (!ret) {
		struct messages_page *page = messages->memory;

		atomic_store(&page->shared, 1);
		ret = take_part(messages);
	}
	if (ret)
		munmap(messages->memory, messages->size);
	return ret;
}

int hbs_messages_import(int fd, struct hbs_messages **messages)
{
	struct hbs_messages *new;
	int cancel, ret;

	if (!messages)
		return -EINVAL;
	new = new_handle();
	if (!new)
		return -ENOMEM;
	cancel = cancel_off();
	new->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	ret = new->fd < 0 ? -errno : map_file(new);
	if (ret && new->fd >= 0)
		close(new->fd);
	cancel_restore(cancel);
	if (ret) {
		free_handle(new);
		return ret;
	}
	*messages = new;
	return 0;
}

int hbs_messages_info(const struct hbs_messages *messages, struct hbs_messages_info *info)
{
	const struct messages_layout *layout;

	if (!messages || !info)
		return -EINVAL;
	layout = &messages->layout;
	*info = (struct hbs_messages_info){
		.members = layout->members,
		.slot = layout->slot,
		.depth = layout->depth,
		.payload = layout->slot - HBS_MESSAGES_HEADER,
		.queue_bytes = (uint64_t)layout->depth * layout->slot + 2 * sizeof(message_counter),
		.bytes = messages->size,
	};
	return 0;
}

int hbs_messages_close(struct hbs_messages *messages)
{
	int cancel;

	if (!messages)
		return -EINVAL;
	if (atomic_load(&messages->mailboxes))
		return -EBUSY;
	cancel = cancel_off();
	/* fork left the mapping out of a child, where something else may be by now */
	if (messages->pid == getpid())
		munmap(messages->memory, messages->size);
	hbsi_guard_close(&messages->guard);
	close(messages->fd);
	cancel_restore(cancel);
	free_handle(messages);
	return 0;
}
