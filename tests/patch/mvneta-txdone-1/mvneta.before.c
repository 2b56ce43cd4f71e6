/* SPDX-License-Identifier: GPL-2.0-or-later */
#define MVNETA_INTR_NEW_CAUSE 0x25a0
#define      MVNETA_RX_INTR_MASK(n)        (((1 << n) - 1) << 8)
#define MVNETA_ALL_TX_CAUSES ((1 << txq_number) - 1)
#define MVNETA_ALL_CAUSES (MVNETA_ALL_TX_CAUSES | MVNETA_RX_INTR_MASK(rxq_number))
#define MVNETA_INTR_NEW_MASK 0x25a4
#define MVNETA_TXDONE_COAL_PKTS		16

struct mvneta_tx_queue {
	int count, size, id;
};

struct mvneta_port {
	void *base;
	struct mvneta_tx_queue *txqs;
	struct net_device *dev;
	u32 cause_rx_tx;

	int weight;
};

#define MVNETA_F_TX_DONE_TIMER_BIT 0

static int rxq_number = 8, txq_number = 8;

void mvreg_write(struct mvneta_port *pp, u32 offset, u32 value);
u32 mvreg_read(struct mvneta_port *pp, u32 offset);
int receive(struct mvneta_port *pp, u32 cause, int budget);
void hand_over(struct mvneta_tx_queue *txq, struct sk_buff *skb);
void *netdev_priv(struct net_device *dev);
unsigned long msecs_to_jiffies(unsigned ms);

static int mvneta_txq_done(struct mvneta_port *pp, struct mvneta_tx_queue *txq)
{
	int done = mvreg_read(pp, 0x3c40 + 4 * txq->id);

	txq->count -= done;
	return done;
}

static u32 mvneta_tx_done_gbe(struct mvneta_port *pp, u32 cause, int *todo)
{
	u32 done = 0;
	int i;

	*todo = 0;
	for (i = 0; i < txq_number; i++) {
		if (!(cause & (1 << i)))
			continue;
		done += mvneta_txq_done(pp, &pp->txqs[i]);
		*todo += pp->txqs[i].count;
	}
	return done;
}

int mvneta_tx(struct sk_buff *skb, struct net_device *dev)
{
	struct mvneta_port *pp = netdev_priv(dev);
	struct mvneta_tx_queue *txq = &pp->txqs[0];
	int frags = 1;

	hand_over(txq, skb);
	txq->count += frags;

	return 0;
}

int mvneta_poll(struct napi_struct *napi, int budget)
{
	int rx_done = 0;
	u32 cause_rx_tx;
	struct mvneta_port *pp = netdev_priv(napi->owner);

	/* What happened */
	cause_rx_tx = mvreg_read(pp, MVNETA_INTR_NEW_CAUSE) &
		MVNETA_ALL_CAUSES;
	if (cause_rx_tx & MVNETA_ALL_TX_CAUSES) {
		int left;

		mvneta_tx_done_gbe(pp, cause_rx_tx & MVNETA_ALL_TX_CAUSES,
				   &left);
		cause_rx_tx &= ~MVNETA_ALL_TX_CAUSES;
	}

	cause_rx_tx |= pp->cause_rx_tx;
	rx_done = receive(pp, cause_rx_tx, budget);
	if (rx_done < budget) {
		cause_rx_tx = 0;
		napi_complete(napi);
		mvreg_write(pp, MVNETA_INTR_NEW_MASK,
			    MVNETA_ALL_CAUSES);
	}
	pp->cause_rx_tx = cause_rx_tx;
	return rx_done;
}

void mvneta_start_dev(struct mvneta_port *pp)
{
	/* Unmask interrupts */
	mvreg_write(pp, MVNETA_INTR_NEW_MASK,
		    MVNETA_ALL_CAUSES);
}

int mvneta_stop(struct net_device *dev)
{
	struct mvneta_port *pp = netdev_priv(dev);

	mvreg_write(pp, MVNETA_INTR_NEW_MASK, 0);
	return 0;
}

int mvneta_probe(struct net_device *dev)
{
	struct mvneta_port *pp = netdev_priv(dev);

	pp->weight = 64;
	return 0;
}
