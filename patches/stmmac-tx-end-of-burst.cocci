// SPDX-License-Identifier: GPL-2.0-only
// The last frame of a burst asks for a Tx completion interrupt. Otherwise one comes only
// every 25th frame or after 5 ms, and a sender that TCP small queues hold to less than 25
// frames waits for the timer each time. A frame count of 0 still means no interrupt.
//
//   spatch --sp-file stmmac-tx-end-of-burst.cocci \
//       drivers/net/ethernet/stmicro/stmmac/stmmac_main.c
//
// -D look only looks, with -D present for the cured code, -D xmit or -D tso for the code
// to change in one of the two transmit functions.

virtual look, present, xmit, tso

@cured@
identifier fn =~ "^stmmac_(tso_)?xmit$";
@@
fn(...)
{
	<+...
	netdev_xmit_more()
	...+>
}

@depends on !look && !cured@
identifier fn =~ "^stmmac_(tso_)?xmit$";
identifier priv, packets;
expression queue;
@@
fn(...)
{
	<...
(
-	packets > priv->tx_coal_frames[queue]
+	!netdev_xmit_more() || packets > priv->tx_coal_frames[queue]
|
-	packets > priv->tx_coal_frames
+	!netdev_xmit_more() || packets > priv->tx_coal_frames
)
	...>
}

@depends on xmit@
identifier priv, packets;
expression queue;
@@
stmmac_xmit(...)
{
	<+...
*	packets > \(priv->tx_coal_frames[queue]\|priv->tx_coal_frames\)
	...+>
}

@depends on tso@
identifier priv, packets;
expression queue;
@@
stmmac_tso_xmit(...)
{
	<+...
*	packets > \(priv->tx_coal_frames[queue]\|priv->tx_coal_frames\)
	...+>
}

@first@
@@
stmmac_tso_xmit(...)
{
	<+...
	netdev_xmit_more()
	...+>
}

@depends on present && first@
@@
stmmac_xmit(...)
{
	<+...
*	netdev_xmit_more()
	...+>
}
