/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the host and its sockets count, read at the edges of a window. Private to probe/. */
#ifndef PROBE_SAMPLE_H
#define PROBE_SAMPLE_H

#include <stdint.h>
#include <sys/socket.h>

#include "nettune/probe.h"
#include "nettune/sys.h"

/* /proc/stat, in clock ticks. index: the CPU's number. */
struct nt_cpu_ticks {
	unsigned cpu;
	uint64_t user, system, softirq, irq, steal, idle; /* idle: with iowait */
};
struct nt_proc_stat {
	struct nt_cpu_ticks all, *cpus;
	size_t n, cap;
	uint64_t ctxt;
};
/* Parse the text of /proc/stat. -EINVAL when it holds no "cpu" line. Free with free(). */
int nt_proc_stat_parse(const char *text, struct nt_proc_stat *ret);
void nt_proc_stat_free(struct nt_proc_stat *p);
/* Shares of the time between two readings. */
void nt_cpu_between(const struct nt_cpu_ticks *a, const struct nt_cpu_ticks *b,
	struct nt_probe_cpu *ret);
double nt_cpu_busy_s(const struct nt_cpu_ticks *a, const struct nt_cpu_ticks *b);

struct nt_counter {
	char name[64];
	uint64_t v;
};
struct nt_counters {
	struct nt_counter *v;
	size_t n, cap;
};
/* "snmp." + group + "." + name from a file of name and value lines (snmp, netstat). */
void nt_counters_table(const char *text, struct nt_counters *ret);
/* "snmp." + name from a file of "Ip6InReceives 5" lines (snmp6). */
void nt_counters_snmp6(const char *text, struct nt_counters *ret);
void nt_counters_softnet(const char *text, struct nt_counters *ret);
/* Those that differ, as differences; a counter that went back is left out. At most max. */
unsigned nt_counters_between(const struct nt_counters *a, const struct nt_counters *b,
	struct nt_probe_counter *ret, unsigned max);
/* Sum of the interrupts whose line ends in a name of the link (eth0, eth0-TxRx-1 ...) or
 * whose number is in irqs. found false when there is no such line. */
uint64_t nt_interrupts_of(const char *text, const char *link, const unsigned *irqs,
	size_t n_irqs, bool *ret_found);

/* One reading of the host. */
struct nt_host_sample {
	uint64_t ns;
	struct nt_proc_stat stat;
	struct nt_counters counters;
	uint64_t nic_irqs;
	bool have_stat, have_irqs;
	double qdisc_drops, qdisc_overlimits;
};
/* link: the egress, 0 unknown. sys NULL: only the clock. */
void nt_host_sample(struct nt_sys *sys, int ifindex, struct nt_host_sample *ret);
void nt_host_sample_free(struct nt_host_sample *h);

/* /proc/stat alone, for the line a second. */
int nt_read_proc_stat(struct nt_sys *sys, struct nt_proc_stat *ret);

/* Seconds a thread of this process could run but had no CPU; NAN where not told. */
double nt_thread_wait_s(struct nt_sys *sys, int tid);

/* The link that holds the local address of a connection, and its speed, qdisc and kind. */
void nt_egress_find(struct nt_sys *sys, const struct sockaddr *local,
	struct nt_probe_egress *ret, int *ret_ifindex);
/* Bytes waiting in the link's qdiscs now. */
double nt_egress_backlog(struct nt_sys *sys, int ifindex);
/* Why N2 does not trust a completion delay measured there; NULL when it does. */
const char *nt_egress_doubt(const struct nt_probe_egress *e);

/* ---- TCP_INFO ---------------------------------------------------------------------- */

struct nt_tcp_now {
	bool ok;
	char congestion[16];
	double rtt_us, min_rtt_us, cwnd, mss, delivery_bps, pacing_bps, notsent;
	double busy_us, rwnd_us, sndbuf_us, retrans, segs_out, sndbuf;
	bool app_limited;
};
void nt_tcp_read(int fd, struct nt_tcp_now *ret);

#endif
