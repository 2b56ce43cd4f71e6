// SPDX-License-Identifier: GPL-2.0-only
// Chips that fetch descriptors in bursts (82571, 82572, 82574, 80003es2lan) write a
// finished Tx descriptor back at once and not only when five have gathered, so that the
// last frames of a burst are freed without waiting for later ones.
//
//   spatch --sp-file e1000e-wthresh.cocci drivers/net/ethernet/intel/e1000e/e1000.h

virtual look, present, burst

@depends on !look@
@@
 E1000_TXDCTL_GRAN | E1000_TXDCTL_COUNT_DESC |
-	(5 << 16)
+	(1 << 16)

@depends on burst@
@@
 E1000_TXDCTL_GRAN | E1000_TXDCTL_COUNT_DESC |
*	(5 << 16)

@depends on present@
@@
 E1000_TXDCTL_GRAN | E1000_TXDCTL_COUNT_DESC |
*	\((1 << 16)\|(1u << 16)\)
