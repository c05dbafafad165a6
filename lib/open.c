// SPDX-License-Identifier: LGPL-2.1-or-later
/* Contexts: this file decides what to open, from attributes and environment */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "environment.h"
#include "internal.h"
#include "monitor.h"
#include "number.h"
#include "software/topology.h"
#include "ticks.h"

static bool all_zero(const uint64_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (words[i])
			return false;
	return true;
}

static int choose_backend(uint32_t *backend)
{
	static const char *const names[] = {
		[HBS_BACKEND_ANY] = "any",
		[HBS_BACKEND_CARD] = "card",
		[HBS_BACKEND_SOFTWARE] = "software",
	};
	const char *value = hbsi_variable("HBS_BACKEND");

	if (*backend != HBS_BACKEND_ANY || !value)
		return 0;
	for (uint32_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(value, names[i])) {
			*backend = i;
			return 0;
		}
	}
	return hbsi_variable_is_bad("HBS_BACKEND", value, "card, software or any");
}

/* @spin_ns: 0 for the default, else what the user wants */
static int choose_spin(uint64_t *spin_ns)
{
	const char *value = hbsi_variable("HBS_SPIN_NS");
	uint64_t number;

	if (*spin_ns || !value)
		return 0;
	if (!number_read(value, HBS_SPIN_NONE - 1, &number))
		return hbsi_variable_is_bad("HBS_SPIN_NS", value, "a number of ns");
	*spin_ns = number ? number : HBS_SPIN_NONE;
	return 0;
}

/* OpenMP's variable, which says the same about OpenMP's barriers */
static int choose_wait_policy(uint32_t *policy)
{
	const char *value = hbsi_variable("HBS_WAIT_POLICY");

	if (*policy != HBS_WAIT_DEFAULT)
		return 0;
	if (!value)
		value = hbsi_variable("OMP_WAIT_POLICY");
	else if (strcasecmp(value, "active") && strcasecmp(value, "passive"))
		return hbsi_variable_is_bad("HBS_WAIT_POLICY", value, "active or passive");
	if (value && !strcasecmp(value, "active"))
		*policy = HBS_WAIT_ACTIVE;
	else if (value && !strcasecmp(value, "passive"))
		*policy = HBS_WAIT_PASSIVE;
	return 0;
}

static int choose_verbose(bool *verbose)
{
	const char *value = hbsi_variable("HBS_VERBOSE");

	*verbose = value && !strcmp(value, "1");
	if (!value || *verbose || !strcmp(value, "0"))
		return 0;
	return hbsi_variable_is_bad("HBS_VERBOSE", value, "0 or 1");
}

static int open_backend(struct hbs *hbs, uint32_t backend, const char *device)
{
	const char *named = device ? NULL : hbsi_variable("HBS_DEVICE");
	int ret;

	if (named)
		device = named;
	if (backend != HBS_BACKEND_SOFTWARE) {
		hbs->ops = &hbsi_card_ops;
		ret = hbsi_card_open(hbs, device);
		if (ret && named)
			hbsi_variable_fails("HBS_DEVICE", named, ret);
		hbs->any = !device && backend == HBS_BACKEND_ANY;
		if (!ret || backend == HBS_BACKEND_CARD || device || ret == -ENOMEM)
			return ret;
	}
	hbs->ops = &hbsi_software_ops;
	hbs->any = false;
	return 0;
}

static int open_context(struct hbs *hbs, const struct hbs_attr *attr)
{
	uint32_t backend = attr->backend;
	uint64_t spin_ns = attr->spin_ns;
	uint32_t policy = attr->wait_policy;
	int ret = choose_backend(&backend);

	/* software never replaces a device that was named */
	if (!ret && attr->device && backend == HBS_BACKEND_SOFTWARE)
		ret = -EINVAL;
	if (!ret)
		ret = choose_spin(&spin_ns);
	if (!ret)
		ret = choose_wait_policy(&policy);
	if (!ret)
		ret = choose_verbose(&hbs->verbose);
	if (!ret)
		ret = hbsi_auto_environment(&hbs->named);
	if (!ret)
		ret = open_backend(hbs, backend, attr->device);
	if (ret)
		return ret;
	/* a given spin time comes before the policy */
	hbsi_spin_policy(&hbs->spin, spin_ns, policy, hbsi_cpus());
	hbs->pid = getpid();
	pthread_mutex_init(&hbs->lock, NULL);
	return 0;
}

int hbs_open(struct hbs **hbs, const struct hbs_attr *attr)
{
	static const struct hbs_attr defaults;
	struct hbs *new;
	int cancel, ret;

	if (!attr)
		attr = &defaults;
	if (!hbs || attr->backend > HBS_BACKEND_SOFTWARE || attr->wait_policy > HBS_WAIT_PASSIVE ||
	    !all_zero(attr->reserved, sizeof(attr->reserved) / sizeof(attr->reserved[0])))
		return -EINVAL;
	if (attr->device && !*attr->device)
		return -EINVAL;

	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	cancel = cancel_off();
	ret = open_context(new, attr);
	cancel_restore(cancel);
	if (ret)
		free(new);
	else
		*hbs = new;
	return ret;
}

int hbs_close(struct hbs *hbs)
{
	int cancel;

	if (!hbs)
		return -EINVAL;
	if (atomic_load(&hbs->groups))
		return -EBUSY;
	cancel = cancel_off();
	hbs->ops->close(hbs);
	cancel_restore(cancel);
	pthread_mutex_destroy(&hbs->lock);
	free(hbs);
	return 0;
}

enum hbs_backend hbs_backend(const struct hbs *hbs)
{
	return hbs ? hbs->ops->id : HBS_BACKEND_ANY;
}

const char *hbs_backend_name(const struct hbs *hbs)
{
	if (!hbs)
		return "none";
	return hbs->device ? hbs->device : "software";
}

bool hbsi_is_foreign(const struct hbs *hbs)
{
	return hbs->pid != getpid();
}
