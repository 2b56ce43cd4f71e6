# SPDX-License-Identifier: GPL-2.0-or-later
patchesdir = $(pkgdatadir)/patches
dist_patches_DATA = patches/README.md patches/armada-370-tclk.cocci patches/catalogue.ini \
	patches/e1000-load-itr.cocci patches/e1000e-wthresh.cocci \
	patches/mvneta-reap-in-poll.cocci patches/mvneta-tx-irq.cocci \
	patches/mvneta-txdone-1.cocci patches/of-dma-mask.cocci \
	patches/stmmac-tx-end-of-burst.cocci patches/tsq-floor.cocci
