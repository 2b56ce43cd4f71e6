/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A light reading of the counters that move, for screens that show rates: links, CPU time,
 * a few protocol counters. One netlink dump and three files, about a second apart.
 */
#ifndef NETTUNE_FACT_SAMPLE_H
#define NETTUNE_FACT_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nettune/err.h"

struct nt_sys;

struct nt_sample_link {
	int ifindex;
	char name[16], kind[24];
	bool up, loopback; /* IFF_UP, IFF_LOOPBACK */
	int carrier;	   /* 1, 0, -1 not told */
	uint64_t rx_bytes, tx_bytes, rx_packets, tx_packets;
	uint64_t drops; /* rx_dropped + tx_dropped + rx_missed_errors */
};

struct nt_cpu_ticks {
	uint64_t all, busy, softirq; /* USER_HZ ticks; busy: all but idle and iowait */
};

struct nt_sample {
	double time_s; /* CLOCK_MONOTONIC */
	int error;     /* negative errno when the links could not be read, else 0 */
	struct nt_sample_link *links; /* in the kernel's order */
	size_t n_links;
	struct nt_cpu_ticks *cpus;
	size_t n_cpus;
	uint64_t retrans, out_segs;  /* Tcp RetransSegs, OutSegs */
	uint64_t softnet_dropped;    /* of all CPUs */
};

/* Read one sample through s. Never NULL; nt_sample_free() it. */
struct nt_sample *nt_sample_take(struct nt_sys *s);
/* NULL allowed. */
void nt_sample_free(struct nt_sample *s);

/*
 * A descriptor that becomes readable when a link is made, changed or removed, so that a
 * sample can be taken at once. Close it yourself; -errno with err filled on failure.
 */
int nt_sample_watch(struct nt_err *err);
/* Forget the notifications so far. */
void nt_sample_watch_drain(int fd);

#endif
