// SPDX-License-Identifier: GPL-2.0-only
/*
 * PCI: probe, removal, reset and interrupts.
 */
#include <linux/cc_platform.h>
#include <linux/dma-mapping.h>
#include <linux/interrupt.h>
#include <linux/module.h>

#include <hbs_regs.h>

#include "hbs.h"

/* Vector 0 is for management, and for completions too if it is the only one. */
#define HBS_MAX_VECTORS	2

static void hbs_pci_completions(struct hbs_card *card)
{
	unsigned int word;

	for (word = 0; word * 64 < card->caps.groups; word++) {
		u64 bits = hbs_regs_ack_groups(card, word);

		while (bits) {
			u32 group = word * 64 + __ffs64(bits);

			bits &= bits - 1;
			if (group < card->caps.groups)
				hbs_card_wake(card, group);
		}
	}
}

static irqreturn_t hbs_pci_completion_irq(int irq, void *data)
{
	struct hbs_card *card = data;

	atomic64_inc(&card->interrupts);
	hbs_pci_completions(card);
	return IRQ_HANDLED;
}

static irqreturn_t hbs_pci_management_irq(int irq, void *data)
{
	struct hbs_card *card = data;

	atomic64_inc(&card->interrupts);
	if (card->vectors == 1)
		hbs_pci_completions(card);
	return hbs_regs_causes(card) ? IRQ_WAKE_THREAD : IRQ_HANDLED;
}

static irqreturn_t hbs_pci_management_thread(int irq, void *data)
{
	hbs_card_manage(data);
	return IRQ_HANDLED;
}

/* When this returns, no handler, thread or work of the card runs. */
static void hbs_pci_free_irqs(struct hbs_card *card)
{
	int i;

	for (i = 0; i < card->vectors; i++)
		free_irq(pci_irq_vector(card->pdev, i), card);
	pci_free_irq_vectors(card->pdev);
	cancel_delayed_work_sync(&card->violation_work);
	cancel_delayed_work_sync(&card->timeout_work);
}

static int hbs_pci_request_irqs(struct hbs_card *card)
{
	struct pci_dev *pdev = card->pdev;
	int ret;

	ret = pci_alloc_irq_vectors(pdev, 1, min_t(u32, card->caps.vectors, HBS_MAX_VECTORS),
				    PCI_IRQ_MSIX);
	if (ret < 0) {
		dev_err(&pdev->dev, "no vector of MSI-X, which is needed: %d\n", ret);
		return ret;
	}
	card->vectors = ret;

	ret = request_threaded_irq(pci_irq_vector(pdev, 0), hbs_pci_management_irq,
				   hbs_pci_management_thread, IRQF_ONESHOT,
				   "hbs-management", card);
	if (ret)
		goto err_vectors;

	if (card->vectors > 1) {
		ret = request_irq(pci_irq_vector(pdev, 1), hbs_pci_completion_irq, 0,
				  "hbs-completion", card);
		if (ret)
			goto err_irq;
	}
	return 0;

err_irq:
	card->vectors = 1;
	hbs_pci_free_irqs(card);
	return ret;
err_vectors:
	pci_free_irq_vectors(pdev);
	return ret;
}

/* Check that a BAR has room for @size bytes, and reserve these for the driver. */
static int hbs_pci_claim(struct pci_dev *pdev, int bar, resource_size_t size)
{
	if (!(pci_resource_flags(pdev, bar) & IORESOURCE_MEM)) {
		dev_err(&pdev->dev, "BAR %d is no memory\n", bar);
		return -ENODEV;
	}
	if (pci_resource_len(pdev, bar) < size) {
		dev_err(&pdev->dev, "BAR %d has %pa bytes, not %pa\n", bar,
			&(resource_size_t){ pci_resource_len(pdev, bar) }, &size);
		return -ENODEV;
	}
	if (!devm_request_mem_region(&pdev->dev, pci_resource_start(pdev, bar), size,
				     HBS_NAME)) {
		dev_err(&pdev->dev, "BAR %d is in use\n", bar);
		return -EBUSY;
	}
	return 0;
}

static int hbs_pci_set_dma(struct pci_dev *pdev)
{
	struct device *dev = &pdev->dev;

	if (!dma_set_mask_and_coherent(dev, DMA_BIT_MASK(64)))
		return 0;
	if (dma_set_mask_and_coherent(dev, DMA_BIT_MASK(32))) {
		dev_err(dev, "no usable DMA addressing\n");
		return -EIO;
	}
	/* With 32-bit DMA the kernel would see records unencrypted, and users encrypted. */
	if (cc_platform_has(CC_ATTR_HOST_MEM_ENCRYPT)) {
		dev_err(dev, "encrypted memory needs 64-bit DMA\n");
		return -EIO;
	}
	return 0;
}

static int hbs_pci_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct device *dev = &pdev->dev;
	resource_size_t ports_size;
	struct hbs_card *card;
	void __iomem *regs;
	int ret;

	ret = pcim_enable_device(pdev);
	if (ret) {
		dev_err(dev, "cannot be enabled: %d\n", ret);
		return ret;
	}
	ret = hbs_pci_claim(pdev, HBSR_BAR_REGISTERS, HBSR_BAR0_SIZE);
	if (ret)
		return ret;
	regs = pcim_iomap(pdev, HBSR_BAR_REGISTERS, HBSR_BAR0_SIZE);
	if (!regs) {
		dev_err(dev, "BAR %d cannot be mapped\n", HBSR_BAR_REGISTERS);
		return -ENOMEM;
	}
	ret = hbs_pci_set_dma(pdev);
	if (ret)
		return ret;

	card = hbs_card_alloc(pdev, regs);
	if (IS_ERR(card))
		return PTR_ERR(card);

	ports_size = (resource_size_t)card->caps.ports * card->caps.port_stride;
	ret = hbs_pci_claim(pdev, HBSR_BAR_PORTS, ports_size);
	if (ret)
		goto err_put;

	/* Another kernel, which crashed, may have left the card running. */
	hbs_regs_forget(card);
	ret = hbs_pci_request_irqs(card);
	if (ret)
		goto err_put;

	pci_set_master(pdev);
	hbs_regs_start(card);
	ret = hbs_card_try(card);
	if (ret)
		goto err_stop;
	pci_save_state(pdev);
	card->pci_state = pci_store_saved_state(pdev);
	if (!card->pci_state) {
		ret = -ENOMEM;
		goto err_stop;
	}
	pci_set_drvdata(pdev, card);
	ret = hbs_card_publish(card);
	if (ret)
		goto err_stop;

	dev_dbg(dev, "hbs%d: %u ports, %u groups, %d vectors\n", card->minor,
		card->caps.ports, card->caps.groups, card->vectors);
	return 0;

err_stop:
	hbs_card_gone(card);
	hbs_pci_free_irqs(card);
err_put:
	put_device(&card->dev);
	return ret;
}

static void hbs_pci_remove(struct pci_dev *pdev)
{
	struct hbs_card *card = pci_get_drvdata(pdev);

	hbs_card_withdraw(card);
	hbs_card_gone(card);
	hbs_pci_free_irqs(card);
	put_device(&card->dev);
}

/* The card must not write to the memory of the next kernel. */
static void hbs_pci_shutdown(struct pci_dev *pdev)
{
	hbs_card_gone(pci_get_drvdata(pdev));
}

/* Before a reset: once this returns, no interrupt comes and nobody uses the card. */
static void hbs_pci_reset_prepare(struct pci_dev *pdev)
{
	struct hbs_card *card = pci_get_drvdata(pdev);
	int i;

	if (!card->quiet)
		for (i = 0; i < card->vectors; i++)
			disable_irq(pci_irq_vector(pdev, i));
	card->quiet = true;
	hbs_card_reset_prepare(card);
}

/* The card is as it was at probe: let it work again, unless it is gone. */
static void hbs_pci_restart(struct hbs_card *card)
{
	int i;

	hbs_card_reset_done(card);
	if (card->quiet)
		for (i = 0; i < card->vectors; i++)
			enable_irq(pci_irq_vector(card->pdev, i));
	card->quiet = false;
}

/* Is this the same card as before the reset? */
static int hbs_pci_recognize(struct hbs_card *card)
{
	struct hbs_caps caps = {};
	int err;

	err = hbs_regs_identify(card, &caps);
	if (!err && memcmp(&caps, &card->caps, sizeof(caps))) {
		dev_err(&card->pdev->dev, "came out of the reset as another card\n");
		err = -ENODEV;
	}
	return err;
}

static void hbs_pci_reset_done(struct pci_dev *pdev)
{
	struct hbs_card *card = pci_get_drvdata(pdev);

	/* Amid the recovery from an error, slot_reset is yet to come, and decides. */
	if (card->frozen)
		return;
	if (hbs_pci_recognize(card))
		hbs_card_gone(card);
	hbs_pci_restart(card);
}

/*
 * An uncorrectable error. Even if it is not fatal, a request is lost, and that may
 * have been an arrival or a record: members would wait for ever. So the card
 * starts anew in either case.
 */
static pci_ers_result_t hbs_pci_error_detected(struct pci_dev *pdev,
					       pci_channel_state_t state)
{
	struct hbs_card *card = pci_get_drvdata(pdev);

	/* Do this first: once the card is frozen, the driver cannot tell it to stop. */
	pci_clear_master(pdev);
	if (state != pci_channel_io_normal)
		WRITE_ONCE(card->frozen, true);
	if (state == pci_channel_io_perm_failure) {
		hbs_card_gone(card);
		return PCI_ERS_RESULT_DISCONNECT;
	}
	hbs_pci_reset_prepare(pdev);
	return PCI_ERS_RESULT_NEED_RESET;
}

static pci_ers_result_t hbs_pci_slot_reset(struct pci_dev *pdev)
{
	struct hbs_card *card = pci_get_drvdata(pdev);

	/* A reset of another kind may have let users back in meanwhile. */
	hbs_pci_reset_prepare(pdev);
	/* The kernel has saved the card's state too late, or not at all. */
	pci_load_saved_state(pdev, card->pci_state);
	pci_restore_state(pdev);
	WRITE_ONCE(card->frozen, false);
	if (hbs_pci_recognize(card)) {
		hbs_card_gone(card);
		return PCI_ERS_RESULT_DISCONNECT;
	}
	return PCI_ERS_RESULT_RECOVERED;
}

/* Recovery is over, also for the other devices on the bus. */
static void hbs_pci_error_resume(struct pci_dev *pdev)
{
	hbs_pci_restart(pci_get_drvdata(pdev));
}

static const struct pci_error_handlers hbs_pci_err_handlers = {
	.error_detected = hbs_pci_error_detected,
	.slot_reset = hbs_pci_slot_reset,
	.resume = hbs_pci_error_resume,
	.reset_prepare = hbs_pci_reset_prepare,
	.reset_done = hbs_pci_reset_done,
};

/* A card forgets everything when its power goes: sleep is a reset. */
static int hbs_pci_suspend(struct device *dev)
{
	hbs_pci_reset_prepare(to_pci_dev(dev));
	return 0;
}

static int hbs_pci_resume(struct device *dev)
{
	hbs_pci_reset_done(to_pci_dev(dev));
	return 0;
}

static DEFINE_SIMPLE_DEV_PM_OPS(hbs_pci_pm_ops, hbs_pci_suspend, hbs_pci_resume);

static const struct pci_device_id hbs_pci_ids[] = {
	{ PCI_DEVICE(HBSR_PCI_VENDOR, HBSR_PCI_DEVICE) },
	{ }
};
MODULE_DEVICE_TABLE(pci, hbs_pci_ids);

struct pci_driver hbs_pci_driver = {
	.name = HBS_NAME,
	.id_table = hbs_pci_ids,
	.probe = hbs_pci_probe,
	.remove = hbs_pci_remove,
	.shutdown = hbs_pci_shutdown,
	.err_handler = &hbs_pci_err_handlers,
	.driver.pm = pm_sleep_ptr(&hbs_pci_pm_ops),
};
