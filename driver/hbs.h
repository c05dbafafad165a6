/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hbs.ko: what its files share.
 *
 * Lock order, outermost first:
 *
 *	file->mutex			its ports and memberships, for whole ioctls
 *	mmap_lock
 *	  card->lock		read: use of the hardware, faults; write: removal, reset
 *	    card->mutex		ports, groups, memberships, register sequences
 *	      i_mmap_rwsem	taken by unmap_mapping_range()
 *	      group->wq.lock, member->wq.lock
 *	      group->record_lock
 *
 * Requests by netlink hold locks of netlink outside of these, instead of file->mutex.
 *
 * Faults and vm_ops->close take card->lock under mmap_lock, hence nobody may
 * copy to or from userspace while holding card->lock or card->mutex. A holder of either
 * sleeps neither for userspace nor to reclaim memory: so neither removal nor another user
 * ever waits for that. A holder of file->mutex may sleep so, but then only threads wait
 * that use the same open file.
 */
#ifndef HBS_DRIVER_H
#define HBS_DRIVER_H

#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/cdev.h>
#include <linux/dcache.h>
#include <linux/device.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <linux/hbs.h>

#if !defined(CONFIG_64BIT) || defined(CONFIG_CPU_BIG_ENDIAN)
#error "hbs needs a 64-bit little-endian kernel: the card and userspace share 64-bit words"
#endif

#define HBS_NAME	"hbs"
#define HBS_MINORS	256
#define HBS_MAX_PORTS	1024
#define HBS_MAX_GROUPS	128
/* Types of block in the register map are below this */
#define HBS_MAX_BLOCKS	10

/* Departure records in a page of a group; a reset moves the group to the next one */
#define HBS_PAGE_RECORDS	(PAGE_SIZE / HBS_RECORD_SIZE)

/* The longest timeout that a card's timer can have, in ns */
#define HBS_MAX_TIMEOUT		((1ULL << 48) - 1)

/* Where port p's mapping starts in a card's descriptor: p << HBS_PORT_MAP_SHIFT */
#define HBS_PORT_MAP_SHIFT	20
/* Where its memory starts, from there on */
#define HBS_PORT_MEMORY_OFFSET	(1UL << (HBS_PORT_MAP_SHIFT - 1))
/* Where its waits start, likewise */
#define HBS_PORT_WAITS_OFFSET	(1UL << (HBS_PORT_MAP_SHIFT - 2))

/**
 * struct hbs_caps - what the card says that it is; has no padding, so that memcmp() works
 * @card_features: feature bits of the register map
 * @features: HBS_FEATURE_ bits
 * @version: version of the register map
 * @group_types: bit 1 << type of each type that card and driver have
 * @ports: number of ports
 * @groups: number of groups
 * @port_stride: bytes from one port's page to the next
 * @vectors: interrupt vectors that the card has
 * @records: departure records that a group can have
 * @blocks: version of the block of each type, 0 if the card has none
 */
struct hbs_caps {
	u64 card_features;
	u64 features;
	u32 version;
	u32 group_types;
	u32 ports;
	u32 groups;
	u32 port_stride;
	u16 vectors;
	u16 records;
	u32 blocks[HBS_MAX_BLOCKS];
};

/**
 * struct hbs_limit - how many ports or groups users may have: see limit.c
 * @per_user: how many one user may have
 * @reserved: how many are for CAP_SYS_RESOURCE only
 */
struct hbs_limit {
	u32 per_user;
	u32 reserved;
};

/**
 * struct hbs_card - one card
 * @dev: the class device; its reference count is the card's. Files hold it, so
 *       the card outlives the PCI function.
 * @cdev: /dev/hbsN
 * @pdev: the PCI function; valid under @lock while @dead is 0
 * @regs: BAR 0; as @pdev
 * @tag: the value of CTL_TAG since the card was started; as @pdev
 * @ports_base: bus-side start of BAR 2
 * @caps: what the card is
 * @minor: N of /dev/hbsN
 * @vectors: interrupt vectors in use, 1 or 2
 * @quiet: their interrupts are disabled, for a reset; under the device's lock
 * @frozen: its registers are out of reach because of an error: they read as all ones
 * @pci_state: its configuration as the driver set it up, to be restored after an error
 * @told: causes of management interrupts that are in the kernel's log already; for the
 *        interrupt thread only
 * @violation_work: lets violations interrupt again
 * @timeout_work: lets timeouts interrupt again
 *
 * @lock: see the top of this file
 * @dead: 0, or -ENODEV when the card is gone; under @lock
 * @resetting: between reset_prepare and reset_done; under @lock
 * @generation: number of resets; a descriptor of an older one is dead; under @lock
 * @reset_wq: opens sleep here while @resetting
 *
 * @mutex: see the top of this file
 * @ports: the ports that are taken; under @mutex
 * @groups: the groups that are taken; written under @mutex, read under RCU
 * @ports_used: number of entries in @ports
 * @groups_used: number of entries in @groups
 * @port_limit: limit of ports; under @mutex
 * @group_limit: limit of groups; under @mutex
 * @muted: causes of management interrupts that are off for a while; under @mutex
 * @timeout_min_ns: the shortest timeout that a group may have; under @mutex
 * @timeout_max_ns: the longest; under @mutex
 * @inode: its address space holds every mapping of the card; NULL until the first open
 *         file, then it stays; set under @mutex
 * @limbo: shared pages that the card may still use, though nobody else does, because the
 *         card did not answer when it was told to stop; under @mutex
 *
 * @files: open files of /dev/hbsN
 * @group_files: open files of groups
 * @pages: pages held: memory of groups and ports, and its stand-ins
 * @waiters: threads asleep
 * @interrupts: interrupts handled
 * @debugfs: the directory that shows these five
 */
struct hbs_card {
	struct device dev;
	struct cdev cdev;
	struct pci_dev *pdev;
	void __iomem *regs;
	u32 tag;
	phys_addr_t ports_base;
	struct hbs_caps caps;
	int minor;
	int vectors;
	bool quiet;
	bool frozen;
	u32 told;
	struct pci_saved_state *pci_state;
	struct delayed_work violation_work;
	struct delayed_work timeout_work;

	struct rw_semaphore lock;
	int dead;
	bool resetting;
	u32 generation;
	wait_queue_head_t reset_wq;

	struct mutex mutex;	/* ports, groups, register sequences */
	struct hbs_port **ports;
	struct hbs_group __rcu **groups;
	u32 ports_used;
	u32 groups_used;
	struct hbs_limit port_limit;
	struct hbs_limit group_limit;
	u32 muted;
	u64 timeout_min_ns;
	u64 timeout_max_ns;
	struct inode *inode;
	struct list_head limbo;

	atomic_t files;
	atomic_t group_files;
	atomic_t pages;
	atomic_t waiters;
	atomic64_t interrupts;
	struct dentry *debugfs;
};

/**
 * struct hbs_shared - pages that the card and users share
 * @link: in card->limbo, while the driver does not know whether the card still uses them
 * @page: the first of them
 * @dma: their bus address
 * @size: bytes
 * @mapped: the driver allocated them and mapped them; otherwise dma_alloc_pages() did both
 */
struct hbs_shared {
	struct list_head link;
	struct page *page;
	dma_addr_t dma;
	u32 size;
	bool mapped;
};

/**
 * struct hbs_memory - memory that the card and users share: see memory.c
 * @shared: the shared pages; NULL if there are none, or the card is dead; under
 *          card->lock
 * @stand_in: the stand-in
 * @size: bytes of each
 * @node: of a group's record: the NUMA node that it is for, or NUMA_NO_NODE
 */
struct hbs_memory {
	struct hbs_shared *shared;
	void *stand_in;
	u32 size;
	int node;
};

/**
 * struct hbs_file - an open file of /dev/hbsN
 * @card: the card
 * @generation: card->generation when it was opened
 * @mutex: an ioctl that takes or frees a port, joins or leaves holds it until it has told
 *         userspace: if that fails, it can undo its work by number, for nobody else has
 *         the number yet
 * @ports: its ports; under card->mutex
 */
struct hbs_file {
	struct hbs_card *card;
	u32 generation;
	struct mutex mutex;	/* ports and memberships, for whole ioctls */
	struct list_head ports;
};

/**
 * struct hbs_port - a port that an open file has
 * @file: its owner
 * @link: in file->ports
 * @tgid: the process that took it
 * @tid: the thread that took it
 * @user: the user that answers for it
 * @owner: whose process took it: see hbs_limit_owner()
 * @id: its number
 * @maps: mappings of its lanes; under card->mutex
 * @memory_maps: mappings of its memory and of its waits; under card->mutex
 * @groups: the groups that it is a member of; under card->mutex
 * @memory: its memory, made when somebody first wants it; under card->mutex
 * @lanes: stand-in that mappings of its lanes show once it is dead, made when it joins a
 *         group that looks there, or at the first such fault; under card->mutex
 * @waits: what its owner notes of its waits: a stand-in that nothing ever takes the place of,
 *         made at the first fault; under card->mutex
 * @notes_waits: they were mapped; under card->mutex
 */
struct hbs_port {
	struct hbs_file *file;
	struct list_head link;
	struct pid *tgid;
	struct pid *tid;
	kuid_t user;
	kuid_t owner;
	u32 id;
	u32 maps;
	u32 memory_maps;
	struct hbs_memory memory;
	struct hbs_memory lanes;
	struct hbs_memory waits;
	bool notes_waits;
	DECLARE_BITMAP(groups, HBS_MAX_GROUPS);
};

/**
 * struct hbs_member - a port in a group, or the memory of one that died in it
 * @refs: the roll, and open files of this member
 * @link: in group->roll
 * @tgid: the process that took the port
 * @tid: the thread that took the port
 * @owner: whose process took the port
 * @tag: the name that userspace gave it
 * @joined: the epoch word when it joined
 * @port: its port; once the member is dead, another member may have that number
 * @dead: it has died, and the group is broken
 * @missed: it is dead, and it had not arrived when the timer broke the group
 * @woken: the mark of HBS_GROUP_WAKE; set under card->mutex while it is a member
 * @wq: who sleeps as this member, besides group->wq
 */
struct hbs_member {
	refcount_t refs;
	struct list_head link;
	struct pid *tgid;
	struct pid *tid;
	kuid_t owner;
	u64 tag;
	u64 joined;
	u32 port;
	bool dead;
	bool missed;
	atomic_t woken;
	wait_queue_head_t wq;
};

/**
 * struct hbs_group - a group
 * @card: the card
 * @user: the user that answers for it
 * @owner: whose process made it: see hbs_limit_owner()
 * @id: its number
 * @generation: card->generation when it was made
 * @type: HBS_GROUP_ type
 * @members: seats
 * @reduce: enum hbs_reduce
 * @policy: HBS_POLICY_ bits
 * @completion: enum hbs_completion
 * @arrival: enum hbs_arrival
 * @departure: enum hbs_departure
 * @timeout_ns: its timeout, 0 for none
 * @joined: seats taken; under card->mutex
 * @roll: its members, and those that died and broke it, by port; under card->mutex
 * @files: open files; under card->mutex
 * @timeouts: expiries of its timer that the driver has seen; under card->mutex
 * @expired: epoch word of the latest of them; before the first, a value that no epoch
 *           word has
 * @slept_word: the epoch word for whose end somebody has slept last; before the first, as @expired
 * @slept_since: when the first one began to sleep for it; as @slept_word, under @record_lock
 * @told: listeners know that it is broken; under card->mutex
 * @index: which record of a page is the departure record; under card->mutex
 * @first: the first epoch word since the latest reset of the group, 0 before
 * @ended: the last word of the record from before that reset; stored before @first
 * @ended_result: the result word of that record; likewise, and under @record_lock
 * @ended_result_word: the epoch word of that result, 0 if the kernel did not have it; as
 *                     @ended_result
 * @record_lock: serializes the driver's writes to @record, and guards what says so
 * @result_word: HBS_DEPARTURE_CSR: the epoch word of the result in @record; under
 *               @record_lock
 * @record: the departure record that the kernel looks at, in the first of @pages; in
 *          its stand-in once the card is gone or was reset; RCU
 * @wq: sleepers
 * @waits: waits that slept
 * @rcu: interrupts look groups up under RCU
 * @npages: number of @pages
 * @pages: pages of departure records: one, or one for each NUMA node
 */
struct hbs_group {
	struct hbs_card *card;
	kuid_t user;
	kuid_t owner;
	u32 id;
	u32 generation;
	u32 type;
	u32 members;
	u32 reduce;
	u32 policy;
	u32 completion;
	u32 arrival;
	u32 departure;
	u64 timeout_ns;
	u32 joined;
	struct list_head roll;
	u32 files;
	u64 timeouts;
	u64 expired;
	u64 slept_word;
	ktime_t slept_since;
	bool told;
	u32 index;
	u64 first;
	u64 ended;
	u64 ended_result;
	u64 ended_result_word;
	spinlock_t record_lock;	/* the record, results, when sleepers came */
	u64 result_word;
	u64 __rcu *record;
	wait_queue_head_t wq;
	atomic64_t waits;
	struct rcu_head rcu;
	u32 npages;
	struct hbs_memory pages[];
};

/**
 * struct hbs_group_file - an open file of a group
 * @group: the group
 * @member: whose open file it is, or NULL; the membership may have ended
 * @seen: the epoch word that it has seen last
 */
struct hbs_group_file {
	struct hbs_group *group;
	struct hbs_member *member;
	u64 seen;
};

/**
 * struct hbs_ucmd - an ioctl in progress
 * @file: the descriptor
 * @user: userspace's structure
 * @user_size: its size
 * @size: the kernel's size
 * @cmd: the kernel's copy
 */
struct hbs_ucmd {
	struct file *file;
	void __user *user;
	u32 user_size;
	u32 size;
	void *cmd;
};

/**
 * struct hbs_ioctl_op - an ioctl
 * @cmd: its number
 * @min_size: size of the structure's first version
 * @size: size that this driver knows
 * @handler: does it; it calls hbs_ucmd_respond() if it has something to tell userspace
 */
struct hbs_ioctl_op {
	unsigned int cmd;
	u32 min_size;
	u32 size;
	int (*handler)(struct hbs_ucmd *ucmd);
};

/* main.c */
extern struct class hbs_class;
extern dev_t hbs_devt;

/* pci.c */
extern struct pci_driver hbs_pci_driver;

static inline struct hbs_card *to_card(struct device *dev)
{
	return container_of(dev, struct hbs_card, dev);
}

/* card.c */
struct hbs_card *hbs_card_alloc(struct pci_dev *pdev, void __iomem *regs);
int hbs_card_publish(struct hbs_card *card);
struct hbs_card *hbs_card_find(u32 minor);
int hbs_card_make_inode(struct hbs_card *card);
void hbs_card_get(struct hbs_card *card);
void hbs_card_put(struct hbs_card *card);
void hbs_card_withdraw(struct hbs_card *card);
void hbs_card_gone(struct hbs_card *card);
void hbs_card_reset_prepare(struct hbs_card *card);
void hbs_card_reset_done(struct hbs_card *card);
void hbs_card_manage(struct hbs_card *card);
void hbs_card_wake(struct hbs_card *card, u32 group);
int hbs_card_check(struct hbs_card *card, u32 generation);
int hbs_card_lock(struct hbs_card *card, u32 generation);
void hbs_card_unlock(struct hbs_card *card);

/* chardev.c */
extern const struct file_operations hbs_card_fops;
long hbs_ioctl(struct file *file, unsigned int cmd, unsigned long arg,
	       const struct hbs_ioctl_op *ops, size_t nops);
int hbs_ucmd_respond(struct hbs_ucmd *ucmd);

/* memory.c */
int hbs_memory_reserve(struct hbs_card *card, struct hbs_memory *memory, u32 size);
int hbs_memory_attach(struct hbs_card *card, struct hbs_memory *memory, int node);
void hbs_memory_detach(struct hbs_card *card, struct hbs_memory *memory, bool unused);
void hbs_memory_empty_limbo(struct hbs_card *card);
bool hbs_memory_again(unsigned int tries, size_t size);
void hbs_memory_release(struct hbs_card *card, const struct hbs_memory *memory);
void hbs_memory_free(struct hbs_memory *memory);
void *hbs_memory_base(const struct hbs_memory *memory);
void hbs_memory_bury(struct hbs_memory *memory, u32 first, u32 stride,
		     enum hbs_reason reason);
vm_fault_t hbs_memory_fault(struct hbs_memory *memory, struct vm_fault *vmf,
			    unsigned long offset);

/* port.c */
int hbs_port_alloc_ioctl(struct hbs_ucmd *ucmd);
int hbs_port_free_ioctl(struct hbs_ucmd *ucmd);
struct hbs_port *hbs_port_find(struct hbs_file *hfile, u32 id);
u32 hbs_port_map_size(const struct hbs_card *card);
u32 hbs_port_memory_size(const struct hbs_card *card);
u32 hbs_port_waits_size(const struct hbs_card *card);
int hbs_port_make_memory(struct hbs_port *port);
int hbs_port_make_lanes(struct hbs_port *port);
int hbs_port_make_waits(struct hbs_port *port);
void hbs_port_waits(const struct hbs_port *port, u32 group, struct hbs_waits *waits);
u64 *hbs_port_line(const struct hbs_port *port, u32 group);
u64 *hbs_port_record(const struct hbs_port *port, u32 group);
void hbs_port_die(struct hbs_port *port);
void hbs_ports_kill(struct hbs_card *card, enum hbs_reason reason);
void hbs_ports_free(struct hbs_card *card);
void hbs_ports_release(struct hbs_file *hfile);

/* group.c */
int hbs_group_create_ioctl(struct hbs_ucmd *ucmd);
struct hbs_group *to_group(struct file *file);
struct hbs_group *hbs_group_get(struct hbs_card *card, u32 id);
u64 *hbs_group_record(const struct hbs_group *group, u32 i);
u64 *hbs_group_new_record(const struct hbs_group *group);
void hbs_group_detach(struct hbs_group *group, bool unused);
void hbs_groups_free(struct hbs_card *card);

/* member.c */
int hbs_group_join_ioctl(struct hbs_ucmd *ucmd);
int hbs_group_leave_ioctl(struct hbs_ucmd *ucmd);
struct hbs_member *hbs_member_get(struct hbs_group *group, int card_fd, u32 port);
struct hbs_member *hbs_member_at(struct hbs_group *group, u32 port);
void hbs_member_put(struct hbs_member *member);
void hbs_member_die(struct hbs_group *group, struct hbs_port *port);
void hbs_members_forget(struct hbs_group *group);

/* end.c */
int hbs_group_destroy_ioctl(struct hbs_ucmd *ucmd);
int hbs_group_reset_ioctl(struct hbs_ucmd *ucmd);
void hbs_group_tell_broken(struct hbs_group *group, u32 reason);
void hbs_group_break(struct hbs_group *group, enum hbs_reason reason);
void hbs_group_retire(struct hbs_group *group);
int hbs_group_reset(struct hbs_group *group);
void hbs_groups_sync(struct hbs_card *card);
void hbs_groups_tell(struct hbs_card *card);
void hbs_groups_kill(struct hbs_card *card, enum hbs_reason reason);

/* limit.c */
void hbs_limit_init(struct hbs_limit *limit, u32 total);
kuid_t hbs_limit_user(void);
kuid_t hbs_limit_owner(void);
int hbs_limit_vet(const struct hbs_limit *limit, u32 total, u32 used, u32 mine);

/* timeout.c */
int hbs_timeout_vet(struct hbs_card *card, u64 timeout_ns);
int hbs_timeout_set_limits(struct hbs_card *card, u64 min_ns, u64 max_ns);
void hbs_timeouts_sync(struct hbs_card *card);

/* missing.c */
int hbs_group_missing_ioctl(struct hbs_ucmd *ucmd);
int hbs_group_find_missing(struct hbs_group *group, struct hbs_group_missing *state,
			   unsigned long *ports);
bool hbs_member_is_missing(const struct hbs_member *member,
			   const struct hbs_group_missing *state, const unsigned long *ports);

/* wait.c */
u64 hbs_word_epoch(u64 word);
u64 hbs_group_word(struct hbs_group *group);
void hbs_group_update(struct hbs_group *group);
void hbs_group_sync(struct hbs_group *group);
u64 hbs_group_result(struct hbs_group *group, u64 *result);
u64 hbs_word_broken(u64 word, u32 reason);
int hbs_word_errno(u64 word);
bool hbs_group_slept(struct hbs_group *group, u64 word, u64 *since_ns);
int hbs_group_wait_ioctl(struct hbs_ucmd *ucmd);
ssize_t hbs_group_read(struct file *file, char __user *buf, size_t count, loff_t *pos);
ssize_t hbs_group_write(struct file *file, const char __user *buf, size_t count,
			loff_t *pos);
__poll_t hbs_group_poll(struct file *file, struct poll_table_struct *table);

/* wake.c */
int hbs_group_wake_ioctl(struct hbs_ucmd *ucmd);
bool hbs_group_file_woken(const struct hbs_group_file *gfile);
bool hbs_group_file_take_wake(struct hbs_group_file *gfile);

/* mmap.c */
int hbs_port_mmap(struct file *file, struct vm_area_struct *vma);
int hbs_group_mmap(struct file *file, struct vm_area_struct *vma);

/* trial.c */
int hbs_card_try(struct hbs_card *card);

/* sysfs.c */
extern const struct attribute_group *hbs_attr_groups[];

/* netlink.c */
int hbs_nl_init(void);
void hbs_nl_exit(void);
void hbs_nl_changed(void);

/* netlink_event.c */
void hbs_event_card_added(struct hbs_card *card);
void hbs_event_card_removed(struct hbs_card *card);
void hbs_event_card_state(struct hbs_card *card);
void hbs_event_group_timeout(struct hbs_group *group, bool broken);
void hbs_event_group_broken(struct hbs_group *group, u32 reason);
void hbs_event_group_reset(struct hbs_group *group);
void hbs_event_member_died(struct hbs_group *group, u32 port);
void hbs_event_violation(struct hbs_card *card, u32 kind, u32 port, u32 group);

/* debugfs.c */
void hbs_debugfs_init(void);
void hbs_debugfs_exit(void);
void hbs_debugfs_add(struct hbs_card *card);
void hbs_debugfs_remove(struct hbs_card *card);

/* regs.c: the one file that touches registers */
int hbs_regs_identify(struct hbs_card *card, struct hbs_caps *caps);
bool hbs_regs_answers(struct hbs_card *card);
void hbs_regs_forget(struct hbs_card *card);
void hbs_regs_start(struct hbs_card *card);
void hbs_regs_stop(struct hbs_card *card);
u32 hbs_regs_causes(struct hbs_card *card);
void hbs_regs_ack_causes(struct hbs_card *card, u32 causes);
void hbs_regs_mute(struct hbs_card *card, u32 causes);
u64 hbs_regs_ack_groups(struct hbs_card *card, unsigned int word);
u64 hbs_regs_ack_timeouts(struct hbs_card *card, unsigned int word);
void hbs_regs_print(struct hbs_card *card, struct seq_file *file);
u64 hbs_regs_violations(struct hbs_card *card);
u64 hbs_regs_foreign_reads(struct hbs_card *card);
u32 hbs_regs_violation_last(struct hbs_card *card, u32 *port, u32 *group);
bool hbs_regs_port_memory(struct hbs_card *card, u32 port, dma_addr_t dma);
u64 hbs_regs_group_epoch(struct hbs_card *card, u32 group);
bool hbs_regs_group_outcome(struct hbs_card *card, u32 group, u64 *word, u64 *result);
u32 hbs_regs_group_reason(struct hbs_card *card, u32 group);
u32 hbs_regs_group_vacant(struct hbs_card *card, u32 group);
bool hbs_regs_group_expired(struct hbs_card *card, u32 group);
int hbs_regs_group_missing(struct hbs_card *card, u32 group, unsigned long *ports,
			   struct hbs_group_missing *missing);
int hbs_regs_group_enable(struct hbs_card *card, const struct hbs_group *group);
bool hbs_regs_group_disable(struct hbs_card *card, u32 group);
bool hbs_regs_group_join(struct hbs_card *card, u32 group, u32 port);
void hbs_regs_group_leave(struct hbs_card *card, u32 group, u32 port);
void hbs_regs_group_break(struct hbs_card *card, u32 group, enum hbs_reason reason);
void hbs_regs_group_arm(struct hbs_card *card, u32 group, u64 word);
void hbs_regs_group_counters(struct hbs_card *card, u32 group,
			     struct hbs_group_counters *counters);

#define HBS_CAUSE_VIOLATION	BIT(0)
#define HBS_CAUSE_DMA		BIT(1)
#define HBS_CAUSE_TIMEOUT	BIT(2)

#endif /* HBS_DRIVER_H */
