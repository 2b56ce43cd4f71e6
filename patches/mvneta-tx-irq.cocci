// SPDX-License-Identifier: GPL-2.0-only
// Finished Tx descriptors are reaped from the NAPI handler, woken by the per-queue "Tx
// done" interrupt, in place of a 10 ms kernel timer. For trees whose mvneta.c still has
// that timer (3.8 to 3.13); another one is left alone.
//
//   spatch --sp-file mvneta-tx-irq.cocci drivers/net/ethernet/marvell/mvneta.c
//
// Apply mvneta-txdone-1.cocci after it: with a threshold of N packets the hardware says
// nothing about the last N - 1 ones.
//
// -D look only looks, with -D present for the cured code, and with -D timer, xmit, poll
// or unmask for one piece of the faulty code.

virtual look, present, timer, xmit, poll, unmask

@old@
symbol rxq_number, txq_number;
@@
struct mvneta_port {
	...
	struct timer_list tx_done_timer;
	...
};

@depends on !look && old@
@@
struct mvneta_port {
	...
-	struct timer_list tx_done_timer;
	...
};

// The flag word only served the timer.
@depends on !look && old@
@@
struct mvneta_port {
	...
-	unsigned long flags;
	...
};

// Helpers that only served the timer.
@depends on !look && old@
@@
-static void mvneta_add_tx_done_timer(...) { ... }

@depends on !look && old@
@@
-static void mvneta_tx_done_timer_callback(...) { ... }

@depends on !look && old@
expression P;
@@
-#define MVNETA_TX_DONE_TIMER_PERIOD P

// Transmit path: nothing to reap inline, nothing to arm.
@depends on !look && old@
expression pp, txq, n;
@@
-if (txq->count >= MVNETA_TXDONE_COAL_PKTS)
-	mvneta_txq_done(pp, txq);
-if (txq->count == n && n > 0)
-	mvneta_add_tx_done_timer(pp);

// Probe and stop.
@depends on !look && old@
expression pp, E;
@@
(
-del_timer(&pp->tx_done_timer);
|
-del_timer_sync(&pp->tx_done_timer);
|
-init_timer(&pp->tx_done_timer);
|
-pp->tx_done_timer.data = E;
|
-pp->tx_done_timer.function = E;
|
-clear_bit(MVNETA_F_TX_DONE_TIMER_BIT, &pp->flags);
)

// Interrupt causes: bits 0-7 for the Tx queues, 8-15 for the Rx queues.
@depends on !look && old@
expression E;
identifier q;
@@
 #define MVNETA_RX_INTR_MASK(q) E
+#define MVNETA_POLL_TX_CAUSES ((1 << txq_number) - 1)
+#define MVNETA_POLL_CAUSES (MVNETA_POLL_TX_CAUSES | MVNETA_RX_INTR_MASK(rxq_number))

@depends on !look && old@
expression pp;
@@
 mvreg_write(pp, MVNETA_INTR_NEW_MASK,
-	     MVNETA_RX_INTR_MASK(rxq_number)
+	     MVNETA_POLL_CAUSES
	     )

@depends on !look && old@
identifier pp, cause;
@@
 mvneta_poll(...)
 {
	...
	cause = mvreg_read(pp, MVNETA_INTR_NEW_CAUSE) &
-		MVNETA_RX_INTR_MASK(rxq_number)
+		MVNETA_POLL_CAUSES
		;
+	if (cause & MVNETA_POLL_TX_CAUSES) {
+		int left;
+
+		mvneta_tx_done_gbe(pp, cause & MVNETA_POLL_TX_CAUSES, &left);
+		cause &= ~MVNETA_POLL_TX_CAUSES;
+	}
	...
 }

@depends on timer@
@@
struct mvneta_port {
	...
*	struct timer_list tx_done_timer;
	...
};

@depends on xmit@
expression pp, txq, n;
@@
*if (txq->count == n && n > 0)
	mvneta_add_tx_done_timer(pp);

@depends on poll@
identifier pp, cause;
@@
mvneta_poll(...)
{
	...
*	cause = mvreg_read(pp, MVNETA_INTR_NEW_CAUSE) & MVNETA_RX_INTR_MASK(rxq_number);
	...
}

@depends on unmask@
expression pp;
@@
* mvreg_write(pp, MVNETA_INTR_NEW_MASK, MVNETA_RX_INTR_MASK(rxq_number))

// Cured: no timer field, nothing that still uses one, no unmasking of Rx alone.
@rest@
expression pp;
@@
(
 mvreg_write(pp, MVNETA_INTR_NEW_MASK, MVNETA_RX_INTR_MASK(rxq_number))
|
 mvneta_add_tx_done_timer(...)
|
 pp->tx_done_timer
|
 MVNETA_F_TX_DONE_TIMER_BIT
)

@depends on present && !old && !rest@
@@
mvneta_poll(...)
{
	<+...
*	mvneta_tx_done_gbe(...)
	...+>
}
