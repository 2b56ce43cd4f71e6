/* SPDX-License-Identifier: GPL-2.0-or-later */
struct platform_device *make_device(const char *name);
int add_device(struct platform_device *dev);

struct platform_device *of_platform_device_create_pdata(const char *name)
{
	struct platform_device *dev = make_device(name);

	if (!dev)
		return NULL;
	dev->dev.coherent_dma_mask = DMA_BIT_MASK(32);
	if (dev->dev.dma_mask == NULL)
		dev->dev.dma_mask = &dev->dev.coherent_dma_mask;
	/* the bus comes last */
	if (add_device(dev) != 0)
		return NULL;
	return dev;
}
