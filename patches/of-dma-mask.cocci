// SPDX-License-Identifier: GPL-2.0-only
// A device made from the device tree points its DMA mask at the coherent one, where no
// one else has given it a mask. Without a mask every packet goes through bounce buffers.
//
//   spatch --sp-file of-dma-mask.cocci drivers/of/platform.c

virtual look, present, create

@has@
identifier dev;
@@
of_platform_device_create_pdata(...)
{
	<+...
	dev->dev.dma_mask = &dev->dev.coherent_dma_mask
	...+>
}

@depends on !look && !has@
identifier dev;
@@
of_platform_device_create_pdata(...)
{
	...
	dev->dev.coherent_dma_mask = DMA_BIT_MASK(32);
+	if (dev->dev.dma_mask == NULL)
+		dev->dev.dma_mask = &dev->dev.coherent_dma_mask;
	...
}

@depends on create@
identifier dev;
@@
of_platform_device_create_pdata(...)
{
	...
*	dev->dev.coherent_dma_mask = DMA_BIT_MASK(32);
	...
}

@depends on present@
identifier dev;
@@
of_platform_device_create_pdata(...)
{
	<+...
*	dev->dev.dma_mask = &dev->dev.coherent_dma_mask
	...+>
}
