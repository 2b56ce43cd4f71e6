// SPDX-License-Identifier: GPL-2.0-only
// The Tx-done interrupt comes after every packet. With a threshold of 16 the hardware
// says nothing about the last 15 of a burst, and a sender with a small socket buffer
// waits for ever.
//
//   spatch --sp-file mvneta-txdone-1.cocci drivers/net/ethernet/marvell/mvneta.c

virtual look, present, threshold

@depends on !look@
@@
-#define MVNETA_TXDONE_COAL_PKTS 16
+#define MVNETA_TXDONE_COAL_PKTS 1

@depends on threshold@
@@
* #define MVNETA_TXDONE_COAL_PKTS 16

@depends on present@
@@
* #define MVNETA_TXDONE_COAL_PKTS \(0\|1\)
