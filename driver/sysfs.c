// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attributes in /sys/class/hbs/hbsN. Root can write the limits.
 * Documentation/ABI/testing/sysfs-class-hbs describes each.
 */
#include <linux/sysfs.h>

#include "hbs.h"

#define HBS_ATTR(_name, _format, _value)					\
static ssize_t _name##_show(struct device *dev, struct device_attribute *attr,	\
			    char *buf)						\
{										\
	struct hbs_card *card = to_card(dev);					\
										\
	return sysfs_emit(buf, _format "\n", _value);				\
}										\
static DEVICE_ATTR_RO(_name)

HBS_ATTR(ports, "%u", card->caps.ports);
HBS_ATTR(ports_used, "%u", READ_ONCE(card->ports_used));
HBS_ATTR(groups, "%u", card->caps.groups);
HBS_ATTR(groups_used, "%u", READ_ONCE(card->groups_used));
HBS_ATTR(features, "0x%llx", card->caps.features);

static ssize_t version_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	u32 version = to_card(dev)->caps.version;

	return sysfs_emit(buf, "%u.%u\n", version >> 16, version & 0xffff);
}
static DEVICE_ATTR_RO(version);

static ssize_t hbs_show_counter(struct device *dev, char *buf,
				u64 (*read)(struct hbs_card *card))
{
	struct hbs_card *card = to_card(dev);
	u64 count = 0;
	int ret;

	down_read(&card->lock);
	ret = card->resetting ? -EBUSY : card->dead;
	if (!ret)
		count = read(card);
	if (!ret && !hbs_regs_answers(card))
		ret = -ENODEV;
	up_read(&card->lock);
	return ret ?: sysfs_emit(buf, "%llu\n", count);
}

static ssize_t violations_show(struct device *dev, struct device_attribute *attr,
			       char *buf)
{
	return hbs_show_counter(dev, buf, hbs_regs_violations);
}
static DEVICE_ATTR_RO(violations);

static ssize_t foreign_reads_show(struct device *dev, struct device_attribute *attr,
				  char *buf)
{
	return hbs_show_counter(dev, buf, hbs_regs_foreign_reads);
}
static DEVICE_ATTR_RO(foreign_reads);

static ssize_t hbs_timeout_store(struct device *dev, const char *buf, size_t count, bool max)
{
	struct hbs_card *card = to_card(dev);
	u64 value;
	int ret;

	ret = kstrtou64(buf, 0, &value);
	if (ret)
		return ret;
	if (!value)
		return -ERANGE;
	mutex_lock(&card->mutex);
	ret = hbs_timeout_set_limits(card, max ? 0 : value, max ? value : 0);
	mutex_unlock(&card->mutex);
	return ret ?: count;
}

static ssize_t timeout_min_ns_show(struct device *dev, struct device_attribute *attr,
				   char *buf)
{
	return sysfs_emit(buf, "%llu\n", READ_ONCE(to_card(dev)->timeout_min_ns));
}

static ssize_t timeout_min_ns_store(struct device *dev, struct device_attribute *attr,
				    const char *buf, size_t count)
{
	return hbs_timeout_store(dev, buf, count, false);
}
static DEVICE_ATTR_RW(timeout_min_ns);

static ssize_t timeout_max_ns_show(struct device *dev, struct device_attribute *attr,
				   char *buf)
{
	return sysfs_emit(buf, "%llu\n", READ_ONCE(to_card(dev)->timeout_max_ns));
}

static ssize_t timeout_max_ns_store(struct device *dev, struct device_attribute *attr,
				    const char *buf, size_t count)
{
	return hbs_timeout_store(dev, buf, count, true);
}
static DEVICE_ATTR_RW(timeout_max_ns);

static ssize_t hbs_limit_store(struct hbs_card *card, const char *buf, size_t count,
			       u32 *limit, u32 most)
{
	u32 value;
	int ret;

	ret = kstrtou32(buf, 0, &value);
	if (ret)
		return ret;
	if (value > most)
		return -ERANGE;
	mutex_lock(&card->mutex);
	WRITE_ONCE(*limit, value);
	mutex_unlock(&card->mutex);
	return count;
}

#define HBS_LIMIT_ATTR(_name, _value, _limit, _most)				\
static ssize_t _name##_show(struct device *dev, struct device_attribute *attr,	\
			    char *buf)						\
{										\
	struct hbs_card *card = to_card(dev);					\
										\
	return sysfs_emit(buf, "%u\n", READ_ONCE(_value));			\
}										\
static ssize_t _name##_store(struct device *dev, struct device_attribute *attr,	\
			     const char *buf, size_t count)			\
{										\
	struct hbs_card *card = to_card(dev);					\
										\
	return hbs_limit_store(card, buf, count, _limit, _most);		\
}										\
static DEVICE_ATTR_RW(_name)

HBS_LIMIT_ATTR(ports_per_user, card->port_limit.per_user, &card->port_limit.per_user,
	       card->caps.ports);
HBS_LIMIT_ATTR(ports_reserved, card->port_limit.reserved, &card->port_limit.reserved,
	       card->caps.ports);
HBS_LIMIT_ATTR(groups_per_user, card->group_limit.per_user, &card->group_limit.per_user,
	       card->caps.groups);
HBS_LIMIT_ATTR(groups_reserved, card->group_limit.reserved, &card->group_limit.reserved,
	       card->caps.groups);

static struct attribute *hbs_attrs[] = {
	&dev_attr_ports.attr,
	&dev_attr_ports_used.attr,
	&dev_attr_groups.attr,
	&dev_attr_groups_used.attr,
	&dev_attr_features.attr,
	&dev_attr_version.attr,
	&dev_attr_violations.attr,
	&dev_attr_foreign_reads.attr,
	&dev_attr_timeout_min_ns.attr,
	&dev_attr_timeout_max_ns.attr,
	&dev_attr_ports_per_user.attr,
	&dev_attr_ports_reserved.attr,
	&dev_attr_groups_per_user.attr,
	&dev_attr_groups_reserved.attr,
	NULL
};

static const struct attribute_group hbs_attr_group = {
	.attrs = hbs_attrs,
};

const struct attribute_group *hbs_attr_groups[] = {
	&hbs_attr_group,
	NULL
};
