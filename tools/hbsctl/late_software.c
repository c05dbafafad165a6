// SPDX-License-Identifier: GPL-2.0-or-later
/* How long the members of a software group wait */
#include "hbs.h"
#include "late.h"
#include "software/state.h"
#include "software_copy.h"

/* Barriers that are over for the member, as far as the group is: @epoch is in progress */
static uint64_t epochs_of(const struct soft_seat *seat, uint64_t epoch)
{
	uint64_t over = copy_has_arrived(seat, epoch) ? epoch : seat->arrived;

	return (int64_t)(over - seat->joined) > 0 ? (over - seat->joined) >> HBS_WORD_EPOCH_SHIFT
						  : 0;
}

static void take_waits(const struct waits *waits, struct late_member *member)
{
	uint32_t scale = waits->scale % 32;

	member->waited_ns = waits->waited_ns;
	member->slept = (uint64_t)waits->slept << scale;
	for (unsigned int i = 0; i < WAITS_BUCKETS; i++)
		member->waits[1 + i] = (uint64_t)waits->counts[i] << scale;
}

bool late_of_software(int fd, struct late *late)
{
	struct copy copy;
	uint64_t epoch;

	*late = (struct late){ .what = "software group", .unit = "seat" };
	if (!copy_take(fd, &copy))
		return false;
	epoch = copy_word(&copy) & ~WORD_STATUS;
	late->seats = copy.page.members;
	late->epoch = epoch >> HBS_WORD_EPOCH_SHIFT;
	for (uint32_t i = 0; i < copy.page.capacity; i++) {
		const struct soft_seat *seat = copy_seat(&copy, i);
		const struct waits *waits = copy_waits(&copy, i);
		bool visible = copy_is_visible(&copy, seat);
		struct late_member *member;

		if (copy_seat_state(seat) != SEAT_TAKEN)
			continue;
		member = late_add(late);
		member->number = i;
		member->tag = seat->tag;
		member->pid = visible ? (uint32_t)seat->pid : 0;
		member->tid = visible ? (uint32_t)seat->tid : 0;
		member->epochs = epochs_of(seat, epoch);
		/* in another kind of group a member that waits for messages counts nothing */
		member->known = copy.page.type == HBS_BARRIER;
		if (waits)
			take_waits(waits, member);
		late_count_short(member);
	}
	copy_free(&copy);
	return true;
}
