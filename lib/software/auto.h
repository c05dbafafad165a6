/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How HBS_ALGORITHM_AUTO chooses */
#ifndef HBS_AUTO_H
#define HBS_AUTO_H

#include <stdbool.h>
#include <stdint.h>

struct hbs;
struct hbs_group_attr;
struct profile;

/* An algorithm, and its fan-in: 0 for the algorithm's own, or where it has no choice */
struct auto_choice {
	uint32_t algorithm; /* enum hbs_algorithm */
	uint32_t fan_in;
};

/**
 * struct auto_request - the group that an algorithm is wanted for
 * @members: how many
 * @cpus: how many CPUs the thread that opened the context may use
 * @full: it needs an algorithm that is full
 * @named: what hbsi_auto_environment() found when the context was opened
 *
 * Whether the members are threads or processes makes no difference: the memory of a group
 * is the same shared file for both.
 */
struct auto_request {
	uint32_t members;
	uint32_t cpus;
	bool full;
	struct auto_choice named;
};

/* The request for a group of a context */
struct auto_request hbsi_auto_request(const struct hbs *hbs, const struct hbs_group_attr *attr);

/*
 * What HBS_ALGORITHM names, "name" or "name:fan-in"; HBS_ALGORITHM_AUTO if it is not set.
 * Return: 0; -EINVAL if there is no such algorithm, or it does not have such a fan-in.
 */
int hbsi_auto_environment(struct auto_choice *named);

/*
 * The algorithm for a group, never HBS_ALGORITHM_AUTO: the one that the environment names, if it
 * can do what the group needs; else the one that this machine's profile says is the fastest, by
 * more than noise; else what is known of machines like this one. @fan_in as in struct
 * auto_choice. The caller holds cancellation off.
 */
uint32_t hbsi_auto_algorithm(const struct auto_request *request, uint32_t *fan_in);

/* The same by this profile, whatever the environment names */
struct auto_choice hbsi_auto_by_profile(const struct profile *profile,
					const struct auto_request *request);

/*
 * For a context that may have either backend: whether this machine's profile says
 * that software is faster than the card for this group. False if it does not say.
 * HBS_ALGORITHM makes no difference. The caller holds cancellation off.
 */
bool hbsi_auto_prefers_software(const struct auto_request *request);

#endif /* HBS_AUTO_H */
