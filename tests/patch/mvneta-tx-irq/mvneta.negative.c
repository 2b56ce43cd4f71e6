/* SPDX-License-Identifier: GPL-2.0-or-later */
#define MVNETA_INTR_NEW_CAUSE 0x25a0
#define      MVNETA_RX_INTR_MASK(n)        (((1 << n) - 1) << 8)
#define MVNETA_INTR_NEW_MASK 0x25a4
#define MVNETA_TXDONE_COAL_PKTS		16

/* Timer */
#define MVNETA_TX_DONE_TIMER_PERIOD	10

struct mvneta_tx_queue {
	int count, size, id;
};

struct mvneta_port {
	void *base;
	struct mvneta_tx_queue *txqs;
	struct timer_list tx_done_timer;
	struct net_device *dev;
	u32 cause_rx_tx;

	/* Flags */
	unsigned long flags;

	int weight;
};

#define MVNETA_F_TX_DONE_TIMER_BIT 0

static int rxq_number = 8, txq_number = 8;
#define ALL_RX MVNETA_RX_INTR_MASK(rxq_number)

void mvreg_write(struct mvneta_port *pp, u32 offset, u32 value);
u32 mvreg_read(struct mvneta_port *pp, u32 offset);
int receive(struct mvneta_port *pp, u32 cause, int budget);
void hand_over(struct mvneta_tx_queue *txq, struct sk_buff *skb);
void *netdev_priv(struct net_device *dev);
unsigned long msecs_to_jiffies(unsigned ms);

/* Look again in MVNETA_TX_DONE_TIMER_PERIOD ms */
static void mvneta_add_tx_done_timer(struct mvneta_port *pp)
{
	if (test_and_set_bit(MVNETA_F_TX_DONE_TIMER_BIT, &pp->flags) == 0) {
		pp->tx_done_timer.expires =
			jiffies + msecs_to_jiffies(MVNETA_TX_DONE_TIMER_PERIOD);
		add_timer(&pp->tx_done_timer);
	}
}

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

	if (txq->count >= MVNETA_TXDONE_COAL_PKTS)
		mvneta_txq_done(pp, txq);

	/* nothing was reaped: let the timer look */
	if (txq->count == frags && frags > 0)
		mvneta_add_tx_done_timer(pp);

	return 0;
}

int mvneta_poll(struct napi_struct *napi, int budget)
{
	int rx_done = 0;
	u32 cause_rx_tx;
	struct mvneta_port *pp = netdev_priv(napi->owner);

	/* What happened */
	cause_rx_tx = ALL_RX & mvreg_read(pp, MVNETA_INTR_NEW_CAUSE);

	cause_rx_tx |= pp->cause_rx_tx;
	rx_done = receive(pp, cause_rx_tx, budget);
	if (rx_done < budget) {
		cause_rx_tx = 0;
		napi_complete(napi);
		mvreg_write(pp, MVNETA_INTR_NEW_MASK,
			    MVNETA_RX_INTR_MASK(rxq_number));
	}
	pp->cause_rx_tx = cause_rx_tx;
	return rx_done;
}

/* the timer's turn */
static void mvneta_tx_done_timer_callback(unsigned long data)
{
	struct net_device *dev = (struct net_device *)data;
	struct mvneta_port *pp = netdev_priv(dev);
	int tx_todo = 0;

	clear_bit(MVNETA_F_TX_DONE_TIMER_BIT, &pp->flags);
	mvneta_tx_done_gbe(pp, (1 << txq_number) - 1, &tx_todo);
	if (tx_todo > 0)
		mvneta_add_tx_done_timer(pp);
}

void mvneta_start_dev(struct mvneta_port *pp)
{
	/* Unmask interrupts */
	mvreg_write(pp, MVNETA_INTR_NEW_MASK,
		    MVNETA_RX_INTR_MASK(rxq_number));
}

int mvneta_stop(struct net_device *dev)
{
	struct mvneta_port *pp = netdev_priv(dev);

	mvreg_write(pp, MVNETA_INTR_NEW_MASK, 0);
	del_timer(&pp->tx_done_timer);
	clear_bit(MVNETA_F_TX_DONE_TIMER_BIT, &pp->flags);
	return 0;
}

int mvneta_probe(struct net_device *dev)
{
	struct mvneta_port *pp = netdev_priv(dev);

	pp->tx_done_timer.data = (unsigned long)dev;
	pp->tx_done_timer.function = mvneta_tx_done_timer_callback;
	init_timer(&pp->tx_done_timer);
	clear_bit(MVNETA_F_TX_DONE_TIMER_BIT, &pp->flags);
	pp->weight = 64;
	return 0;
}
