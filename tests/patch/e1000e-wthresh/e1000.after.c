/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef E1000_H
#define E1000_H

#define E1000_TXDCTL_GRAN 0x01000000
#define E1000_TXDCTL_COUNT_DESC 0x00400000

/* how descriptors move between chip and memory */
#define E1000_TXDCTL_DMA_BURST_ENABLE                                   \
	(E1000_TXDCTL_GRAN | /* count descriptors, not lines */         \
	 E1000_TXDCTL_COUNT_DESC |                                      \
	 (1 << 16) | /* written back when so many are done */           \
	 (1 << 8)  | /* kept on the chip */                             \
	 0x1f)       /* fetched ahead */

#define E1000_RXDCTL_DMA_BURST_ENABLE (0x01000000 | (4 << 16) | (4 << 8) | 0x20)

#endif
