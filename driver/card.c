// SPDX-License-Identifier: GPL-2.0-only
/*
 * The card: its life from probe to the last file, and its death in between by
 * removal or reset.
 */
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/idr.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include <hbs_regs.h>

#include "hbs.h"

/*
 * A program can cause violations at will, and timeouts almost so; it can cause
 * one interrupt in this time.
 */
#define HBS_VIOLATION_INTERVAL	HZ
#define HBS_TIMEOUT_INTERVAL	1

/* The limits of timeouts until an administrator sets others */
#define HBS_TIMEOUT_MIN_NS	1000
#define HBS_TIMEOUT_MAX_NS	(3600ULL * NSEC_PER_SEC)

static DEFINE_IDA(hbs_ida);

static void hbs_card_release(struct device *dev)
{
	struct hbs_card *card = to_card(dev);

	iput(card->inode);
	kfree(card->groups);
	kfree(card->ports);
	kfree(card->pci_state);
	kfree(card);
}

/* Let causes interrupt or not; a cause that is set interrupts as soon as it may again. */
static void hbs_card_mute(struct hbs_card *card, u32 causes, bool mute)
{
	lockdep_assert_held(&card->lock);

	mutex_lock(&card->mutex);
	card->muted = mute ? card->muted | causes : card->muted & ~causes;
	hbs_regs_mute(card, card->muted);
	mutex_unlock(&card->mutex);
}

static void hbs_card_unmute(struct hbs_card *card, u32 causes)
{
	down_read(&card->lock);
	if (!card->dead && !card->resetting)
		hbs_card_mute(card, causes, false);
	up_read(&card->lock);
}

static void hbs_card_violation_work(struct work_struct *work)
{
	hbs_card_unmute(container_of(to_delayed_work(work), struct hbs_card, violation_work),
			HBS_CAUSE_VIOLATION);
}

static void hbs_card_timeout_work(struct work_struct *work)
{
	hbs_card_unmute(container_of(to_delayed_work(work), struct hbs_card, timeout_work),
			HBS_CAUSE_TIMEOUT);
}

/*
 * Make lockdep report each allocation that may reclaim memory under a lock of the card:
 * from this it learns that reclaim may need these locks, too.
 */
static void hbs_card_teach_lockdep(struct hbs_card *card)
{
	if (!IS_ENABLED(CONFIG_LOCKDEP))
		return;
	fs_reclaim_acquire(GFP_KERNEL);
	might_lock(&card->lock);
	might_lock(&card->mutex);
	fs_reclaim_release(GFP_KERNEL);
}

/**
 * hbs_card_alloc() - make the card of a PCI function
 * @pdev: the function
 * @regs: its BAR 0
 *
 * Return: the card, to be given back by put_device(), or an error pointer.
 */
struct hbs_card *hbs_card_alloc(struct pci_dev *pdev, void __iomem *regs)
{
	struct hbs_card *card;
	int ret = -ENOMEM;

	card = kzalloc(sizeof(*card), GFP_KERNEL);
	if (!card)
		return ERR_PTR(-ENOMEM);

	device_initialize(&card->dev);
	card->dev.class = &hbs_class;
	card->dev.parent = &pdev->dev;
	card->dev.release = hbs_card_release;
	card->pdev = pdev;
	card->regs = regs;
	card->ports_base = pci_resource_start(pdev, HBSR_BAR_PORTS);
	init_rwsem(&card->lock);
	mutex_init(&card->mutex);
	hbs_card_teach_lockdep(card);
	INIT_LIST_HEAD(&card->limbo);
	init_waitqueue_head(&card->reset_wq);
	INIT_DELAYED_WORK(&card->violation_work, hbs_card_violation_work);
	INIT_DELAYED_WORK(&card->timeout_work, hbs_card_timeout_work);
	card->timeout_min_ns = HBS_TIMEOUT_MIN_NS;
	card->timeout_max_ns = HBS_TIMEOUT_MAX_NS;

	ret = hbs_regs_identify(card, &card->caps);
	if (ret)
		goto err_put;

	hbs_limit_init(&card->port_limit, card->caps.ports);
	hbs_limit_init(&card->group_limit, card->caps.groups);

	ret = -ENOMEM;
	card->ports = kcalloc(card->caps.ports, sizeof(*card->ports), GFP_KERNEL);
	card->groups = kcalloc(card->caps.groups, sizeof(*card->groups), GFP_KERNEL);
	if (!card->ports || !card->groups)
		goto err_put;

	return card;

err_put:
	put_device(&card->dev);
	return ERR_PTR(ret);
}

static const struct file_operations hbs_mapping_fops = {
	.owner = THIS_MODULE,
};

/*
 * Each open file has an inode of its own: that of /dev/hbsN, or one for a file of a
 * group. But all mappings of the card are in the address space of one inode, so that one
 * zap covers them. Make that inode, unless it is there.
 */
int hbs_card_make_inode(struct hbs_card *card)
{
	struct file *file;
	bool made;

	mutex_lock(&card->mutex);
	made = card->inode;
	mutex_unlock(&card->mutex);
	if (made)
		return 0;

	file = anon_inode_create_getfile("[hbs]", &hbs_mapping_fops, NULL, O_RDWR, NULL);
	if (IS_ERR(file))
		return PTR_ERR(file);
	mutex_lock(&card->mutex);
	if (!card->inode) {
		card->inode = file_inode(file);
		ihold(card->inode);
	}
	mutex_unlock(&card->mutex);
	fput(file);
	return 0;
}

/* Hold the card, for an open file or a group. */
void hbs_card_get(struct hbs_card *card)
{
	get_device(&card->dev);
}

/* Let go of the card; it may be gone when this returns. */
void hbs_card_put(struct hbs_card *card)
{
	put_device(&card->dev);
}

/* The card of /dev/hbsN, or NULL; the caller calls hbs_card_put(). */
struct hbs_card *hbs_card_find(u32 minor)
{
	struct device *dev;

	if (minor >= HBS_MINORS)
		return NULL;
	dev = class_find_device_by_devt(&hbs_class,
					MKDEV(MAJOR(hbs_devt), MINOR(hbs_devt) + minor));
	return dev ? to_card(dev) : NULL;
}

/* Make /dev/hbsN: the last step of probe. */
int hbs_card_publish(struct hbs_card *card)
{
	int ret;

	card->minor = ida_alloc_max(&hbs_ida, HBS_MINORS - 1, GFP_KERNEL);
	if (card->minor < 0)
		return card->minor;

	card->dev.devt = MKDEV(MAJOR(hbs_devt), MINOR(hbs_devt) + card->minor);
	ret = dev_set_name(&card->dev, HBS_NAME "%d", card->minor);
	if (ret)
		goto err_ida;

	cdev_init(&card->cdev, &hbs_card_fops);
	card->cdev.owner = THIS_MODULE;
	ret = cdev_device_add(&card->cdev, &card->dev);
	if (ret)
		goto err_ida;
	hbs_debugfs_add(card);
	hbs_nl_changed();
	hbs_event_card_added(card);
	return 0;

err_ida:
	ida_free(&hbs_ida, card->minor);
	return ret;
}

/* Take /dev/hbsN away: the first step of removal. */
void hbs_card_withdraw(struct hbs_card *card)
{
	hbs_debugfs_remove(card);
	cdev_device_del(&card->cdev, &card->dev);
	hbs_nl_changed();
	/* Before another card may get this number. */
	hbs_event_card_removed(card);
	ida_free(&hbs_ida, card->minor);
}

/*
 * Fence the card, tell everybody, and leave no mapping of it. Spinning threads
 * see the record change, sleepers are woken, and mappings show their stand-ins
 * from the next access on.
 */
static void hbs_card_kill(struct hbs_card *card, enum hbs_reason reason)
{
	lockdep_assert_held_write(&card->lock);

	mutex_lock(&card->mutex);
	hbs_regs_stop(card);
	/* Only this fences a card that does not answer, or whose registers are out of reach. */
	pci_clear_master(card->pdev);
	hbs_groups_kill(card, reason);
	hbs_ports_kill(card, reason);
	if (card->inode)
		unmap_mapping_range(card->inode->i_mapping, 0, 0, 1);
	/* Sleepers look at a departure page under RCU. */
	synchronize_rcu();
	hbs_ports_free(card);
	hbs_groups_free(card);
	hbs_memory_empty_limbo(card);
	hbs_nl_changed();
	mutex_unlock(&card->mutex);
}

/* The card is removed: once this returns, nobody uses anything of it. */
void hbs_card_gone(struct hbs_card *card)
{
	down_write(&card->lock);
	if (!card->dead) {
		card->dead = -ENODEV;
		card->resetting = false;
		hbs_card_kill(card, HBS_REASON_GONE);
		/* If it is about to be removed, listeners know. */
		if (device_is_registered(&card->dev))
			hbs_event_card_state(card);
	}
	up_write(&card->lock);
	wake_up_all(&card->reset_wq);
}

/* The card is about to be reset: descriptors that are open now die. */
void hbs_card_reset_prepare(struct hbs_card *card)
{
	down_write(&card->lock);
	if (!card->dead && !card->resetting) {
		card->resetting = true;
		card->generation++;
		hbs_card_kill(card, HBS_REASON_RESET);
		hbs_event_card_state(card);
	}
	up_write(&card->lock);
}

/* The card was reset: unless it is gone it works for new descriptors. */
void hbs_card_reset_done(struct hbs_card *card)
{
	down_write(&card->lock);
	if (card->resetting) {
		card->resetting = false;
		hbs_regs_forget(card);
		pci_set_master(card->pdev);
		card->muted = 0;
		hbs_regs_start(card);
		hbs_event_card_state(card);
	}
	up_write(&card->lock);
	wake_up_all(&card->reset_wq);
}

/**
 * hbs_card_check() - is the card that a descriptor was opened on still there
 * @card: the card
 * @generation: card->generation when the descriptor was opened
 *
 * Return: 0, -ENODEV or -ECONNRESET; it holds until the caller lets go of card->lock.
 */
int hbs_card_check(struct hbs_card *card, u32 generation)
{
	lockdep_assert_held(&card->lock);

	if (card->dead)
		return card->dead;
	return card->generation == generation ? 0 : -ECONNRESET;
}

/*
 * Lock the card for the caller alone, and check that it is there. Only if this returns 0
 * does the caller unlock it.
 */
int hbs_card_lock(struct hbs_card *card, u32 generation)
{
	int ret;

	down_read(&card->lock);
	mutex_lock(&card->mutex);
	ret = hbs_card_check(card, generation);
	if (ret)
		hbs_card_unlock(card);
	return ret;
}

void hbs_card_unlock(struct hbs_card *card)
{
	mutex_unlock(&card->mutex);
	up_read(&card->lock);
}

/* Interrupt: wake the threads that sleep on a group. */
void hbs_card_wake(struct hbs_card *card, u32 id)
{
	struct hbs_group *group;

	rcu_read_lock();
	group = rcu_dereference(card->groups[id]);
	if (group) {
		hbs_group_sync(group);
		wake_up_all(&group->wq);
	}
	rcu_read_unlock();
}

/*
 * Is this cause the first of its kind? Only the first goes to the kernel's log, for
 * programs can cause more of them for ever. Dynamic debug shows the others.
 */
static bool hbs_card_tell(struct hbs_card *card, u32 cause)
{
	bool first = !(card->told & cause);

	card->told |= cause;
	return first;
}

static void hbs_card_report_violation(struct hbs_card *card)
{
	static const char * const kinds[] = {
		[HBSR_VIOLATION_NON_MEMBER] = "arrival by a port that is not a member",
		[HBSR_VIOLATION_DOUBLE] = "arrival by a member that had arrived",
		[HBSR_VIOLATION_REFUSED] = "arrival at a group that is broken, or polls",
		[HBSR_VIOLATION_ACCESS] = "bad access",
		[HBSR_VIOLATION_OVERFLOW] = "more messages in flight than the card can count",
		[HBSR_VIOLATION_UNARRIVED] = "withdrawal by a member that had not arrived",
	};
	const char *what = "unknown kind";
	/* For card->dev has no name before the last step of probe. */
	struct device *dev = &card->pdev->dev;
	u32 port, group, kind;

	kind = hbs_regs_violation_last(card, &port, &group);
	if (kind < ARRAY_SIZE(kinds) && kinds[kind])
		what = kinds[kind];
	if (hbs_card_tell(card, HBS_CAUSE_VIOLATION))
		dev_notice(dev, "violation: %s: port %u, group %u; more are only counted\n",
			   what, port, group);
	else
		dev_dbg(dev, "violation: %s: port %u, group %u\n", what, port, group);
	hbs_event_violation(card, kind, port, group);
}

static void hbs_card_report_dma(struct hbs_card *card)
{
	static const char what[] =
		"a departure record could not be written, or an arrival line read";

	if (hbs_card_tell(card, HBS_CAUSE_DMA))
		dev_notice(&card->pdev->dev, "%s; more of these are not told\n", what);
	else
		dev_dbg(&card->pdev->dev, "%s\n", what);
}

/* Interrupt thread: handle the causes that the card reports. */
void hbs_card_manage(struct hbs_card *card)
{
	u32 causes;

	down_read(&card->lock);
	if (card->dead || card->resetting)
		goto out;

	causes = hbs_regs_causes(card);
	if (causes & HBS_CAUSE_VIOLATION) {
		hbs_card_mute(card, HBS_CAUSE_VIOLATION, true);
		schedule_delayed_work(&card->violation_work, HBS_VIOLATION_INTERVAL);
	}
	if (causes & HBS_CAUSE_TIMEOUT) {
		hbs_card_mute(card, HBS_CAUSE_TIMEOUT, true);
		schedule_delayed_work(&card->timeout_work, HBS_TIMEOUT_INTERVAL);
	}
	hbs_regs_ack_causes(card, causes);
	if (causes & HBS_CAUSE_TIMEOUT) {
		mutex_lock(&card->mutex);
		hbs_timeouts_sync(card);
		mutex_unlock(&card->mutex);
	}
	if (causes & HBS_CAUSE_DMA) {
		hbs_card_report_dma(card);
		mutex_lock(&card->mutex);
		hbs_groups_sync(card);
		mutex_unlock(&card->mutex);
	}
	if (causes & HBS_CAUSE_VIOLATION) {
		hbs_card_report_violation(card);
		/* An overflow breaks its group, and others may have hidden it. */
		mutex_lock(&card->mutex);
		hbs_groups_tell(card);
		mutex_unlock(&card->mutex);
	}
out:
	up_read(&card->lock);
}
