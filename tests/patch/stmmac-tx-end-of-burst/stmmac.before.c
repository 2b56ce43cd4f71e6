/* SPDX-License-Identifier: GPL-2.0-or-later */
struct stmmac_priv {
	u32 tx_coal_frames[8], count[8];
};

void hand_over(struct stmmac_priv *priv, struct sk_buff *skb, bool interrupt);

static bool counted(struct stmmac_priv *priv, u32 queue, u32 packets)
{
	priv->count[queue] += packets;
	return priv->count[queue] % priv->tx_coal_frames[queue] < packets;
}

int stmmac_tso_xmit(struct sk_buff *skb, struct stmmac_priv *priv, u32 queue, bool stamp)
{
	u32 tx_packets = (skb->len + 1447) / 1448;
	bool set_ic;

	if (stamp)
		set_ic = true;
	else if (!priv->tx_coal_frames[queue])
		set_ic = false;
	else if (tx_packets > priv->tx_coal_frames[queue])
		set_ic = true;
	else
		set_ic = counted(priv, queue, tx_packets);
	hand_over(priv, skb, set_ic);
	return 0;
}

int stmmac_xmit(struct sk_buff *skb, struct stmmac_priv *priv, u32 queue, bool stamp)
{
	u32 tx_packets = 1;
	bool set_ic;

	if (stamp)
		set_ic = true;
	else if (!priv->tx_coal_frames[queue])
		set_ic = false;
	else if (tx_packets > priv->tx_coal_frames[queue])
		set_ic = true;
	else
		set_ic = counted(priv, queue, tx_packets);
	hand_over(priv, skb, set_ic);
	return 0;
}
