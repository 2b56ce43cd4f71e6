/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel in memory with one link, eth0, for tests of what changes hosts. It has the side
 * effects that real drivers have: scatter-gather off takes segmentation with it, a channel
 * change zeroes queue masks and interrupt affinities and spreads flows equally, a ring change
 * loses a static route, an MTU change overwrites the IPv6 MTU, a refused vector sysctl has
 * changed its first element.
 * Plain data, so that it can lie in memory shared with a process that gets killed.
 */
#ifndef FAKE_SYS_H
#define FAKE_SYS_H

#include "nettune/sys.h"

enum { FAKE_FEATURES = 7, FAKE_QUEUES = 4 };

struct fake_kernel {
	bool gone;	 /* eth0 has vanished */
	char name[16];	 /* "eth0" */
	int ifindex;	 /* 2 */
	unsigned char mac[6], perm[6];
	bool active[FAKE_FEATURES], wanted[FAKE_FEATURES];
	unsigned rx_usecs, tx_usecs;
	bool adaptive_rx;
	unsigned ring_rx, ring_tx; /* of 4096; taken in multiples of 8 */
	unsigned combined;	   /* of 4 */
	char rss[16];		   /* "equal", or a table of four entries */
	bool pause_autoneg, pause_rx, pause_tx, eee;
	unsigned mtu, ipv6_mtu, txqueuelen;
	char qdisc[16];
	unsigned handle, limit;
	bool route;
	bool wide; /* 1,024 CPUs: masks of so many digits */
	char rps[FAKE_QUEUES][16], xps[FAKE_QUEUES][16], irq[FAKE_QUEUES][16];
	char lone_irq[16]; /* number 7, which the device does not list */
	char gro_flush[16], defer_irqs[16];
	long rmem[3], wmem[3];
	char somaxconn[16], backlog[16], congestion[16];
	unsigned long writes; /* changes made so far */
};

void fake_init(struct fake_kernel *k);
/* A backend over k, which must outlive it; nt_sys_free() it. */
struct nt_sys *fake_sys(struct fake_kernel *k);
/* How a differs from b, in words; "" when not. writes is not compared. */
void fake_diff(const struct fake_kernel *a, const struct fake_kernel *b, struct nt_buf *ret);

#endif
