// SPDX-License-Identifier: GPL-2.0-only
// For who cannot take the Tx interrupt: the timer stays, and the NAPI handler also reaps
// what was sent on any queue each time it runs. Traffic that brings acknowledgements
// back then frees its own descriptors; one-way and datagram traffic still waits for the
// timer.
//
//   spatch --sp-file mvneta-reap-in-poll.cocci drivers/net/ethernet/marvell/mvneta.c

virtual look, present, timer, poll

@old@
symbol txq_number;
@@
struct mvneta_port {
	...
	struct timer_list tx_done_timer;
	...
};

@reaps@
@@
mvneta_poll(...)
{
	<+...
	mvneta_tx_done_gbe(...)
	...+>
}

@depends on !look && old && !reaps@
identifier pp, cause;
expression mask, priv;
@@
mvneta_poll(...)
{
	...
	struct mvneta_port *pp = priv;
+	int tx_left;
	...
	cause = mvreg_read(pp, MVNETA_INTR_NEW_CAUSE) & mask;
+	mvneta_tx_done_gbe(pp, (1 << txq_number) - 1, &tx_left);
	...
}

@depends on timer@
@@
struct mvneta_port {
	...
*	struct timer_list tx_done_timer;
	...
};

@depends on poll@
identifier pp, cause;
expression mask;
@@
mvneta_poll(...)
{
	...
*	cause = mvreg_read(pp, MVNETA_INTR_NEW_CAUSE) & mask;
	...
}

@depends on present@
@@
mvneta_poll(...)
{
	<+...
*	mvneta_tx_done_gbe(...)
	...+>
}
