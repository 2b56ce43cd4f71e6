/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading the host through sys, and its sockets through TCP_INFO. */
#include "config.h"

#include <errno.h>
#include <linux/if_arp.h>
#include <linux/tcp.h>
#include <math.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <linux/sockios.h>

#include "nettune/clock.h"
#include "nettune/mem.h"
#include "sample.h"
#include "stream.h"

static bool slurp(struct nt_sys *sys, const char *path, struct nt_buf *ret)
{
	nt_buf_cut(ret, 0);
	return sys && sys->ops->read(sys, path, ret, NULL) == 0;
}

int nt_read_proc_stat(struct nt_sys *sys, struct nt_proc_stat *ret)
{
	struct nt_buf b = { 0 };
	int rc = slurp(sys, "/proc/stat", &b) ? nt_proc_stat_parse(nt_buf_str(&b), ret) : -ENODATA;

	nt_buf_free(&b);
	if (rc)
		memset(ret, 0, sizeof *ret);
	return rc;
}

struct irq_list {
	unsigned *v;
	size_t n, cap;
};

static int add_irq(void *arg, const char *name, bool is_dir)
{
	struct irq_list *l = arg;

	(void)is_dir;
	NT_GROW(l->v, l->n, l->cap);
	l->v[l->n++] = strtoul(name, NULL, 10);
	return 0;
}

static void read_interrupts(struct nt_sys *sys, const struct nt_link *link,
	struct nt_host_sample *ret)
{
	struct irq_list irqs = { 0 };
	struct nt_buf b = { 0 };
	char path[192];

	if (*link->bus && *link->bus_dev) {
		snprintf(path, sizeof path, "/sys/bus/%s/devices/%s/msi_irqs", link->bus,
			link->bus_dev);
		sys->ops->list(sys, path, add_irq, &irqs, NULL);
	}
	if (slurp(sys, "/proc/interrupts", &b))
		ret->nic_irqs = nt_interrupts_of(nt_buf_str(&b), link->name, irqs.v, irqs.n,
			&ret->have_irqs);
	nt_buf_free(&b);
	free(irqs.v);
}

static void add_stat(void *arg, const char *name, uint64_t value)
{
	struct nt_counters *c = arg;

	NT_GROW(c->v, c->n, c->cap);
	snprintf(c->v[c->n].name, sizeof c->v[c->n].name, "stat.%s", name);
	c->v[c->n++].v = value;
}

static void read_link(struct nt_sys *sys, int ifindex, struct nt_host_sample *ret)
{
	struct nt_links links = { 0 };
	const struct nt_link *l;
	char name[64];
	unsigned i;

	if (sys->ops->links(sys, &links, NULL) == 0 &&
		(l = nt_links_by_index(&links, ifindex)) != NULL) {
		for (i = 0; i < l->n_stats && nt_link_stat_name(i); i++) {
			snprintf(name, sizeof name, "stats64.%s", nt_link_stat_name(i));
			NT_GROW(ret->counters.v, ret->counters.n, ret->counters.cap);
			memcpy(ret->counters.v[ret->counters.n].name, name, sizeof name);
			ret->counters.v[ret->counters.n++].v = l->stats[i];
		}
		sys->ops->eth_stats(sys, l, 0, add_stat, &ret->counters, NULL);
		read_interrupts(sys, l, ret);
	}
	nt_links_free(&links);
}

static void read_qdiscs(struct nt_sys *sys, int ifindex, struct nt_host_sample *ret,
	double *ret_backlog)
{
	struct nt_qdiscs q = { 0 };
	size_t i;

	*ret_backlog = 0;
	if (sys->ops->qdiscs(sys, &q, NULL) == 0)
		for (i = 0; i < q.n; i++) {
			/* a root counts what its classes and queues do; mq does not */
			if (q.v[i].ifindex != ifindex || q.v[i].is_ingress)
				continue;
			if (q.v[i].is_root || !strcmp(q.v[i].kind, "netem"))
				*ret_backlog += q.v[i].backlog;
			if (ret && q.v[i].is_root) {
				ret->qdisc_drops += q.v[i].drops;
				ret->qdisc_overlimits += q.v[i].overlimits;
			}
		}
	nt_qdiscs_free(&q);
}

double nt_egress_backlog(struct nt_sys *sys, int ifindex)
{
	double backlog = 0;

	if (sys && ifindex > 0)
		read_qdiscs(sys, ifindex, NULL, &backlog);
	return backlog;
}

void nt_host_sample(struct nt_sys *sys, int ifindex, struct nt_host_sample *ret)
{
	static const struct {
		const char *path;
		void (*parse)(const char *text, struct nt_counters *ret);
	} tables[] = {
		{ "/proc/net/snmp", nt_counters_table },
		{ "/proc/net/netstat", nt_counters_table },
		{ "/proc/net/snmp6", nt_counters_snmp6 },
		{ "/proc/net/softnet_stat", nt_counters_softnet },
	};
	struct nt_buf b = { 0 };
	double backlog;
	size_t i;

	memset(ret, 0, sizeof *ret);
	if (sys) {
		for (i = 0; i < NT_ARRAY_SIZE(tables); i++)
			if (slurp(sys, tables[i].path, &b))
				tables[i].parse(nt_buf_str(&b), &ret->counters);
		if (ifindex > 0) {
			read_link(sys, ifindex, ret);
			read_qdiscs(sys, ifindex, ret, &backlog);
		}
	}
	nt_buf_free(&b);
	ret->have_stat = nt_read_proc_stat(sys, &ret->stat) == 0;
	ret->ns = nt_now_ns();
}

void nt_host_sample_free(struct nt_host_sample *h)
{
	nt_proc_stat_free(&h->stat);
	free(h->counters.v);
	memset(h, 0, sizeof *h);
}

double nt_thread_wait_s(struct nt_sys *sys, int tid)
{
	unsigned long long ran, waited;
	struct nt_buf b = { 0 };
	char path[64];
	double ret = NAN;

	/* Documentation/scheduler/sched-stats.rst: time on the CPU, time waiting, in ns */
	snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", tid);
	if (tid && slurp(sys, path, &b) && sscanf(nt_buf_str(&b), "%llu %llu", &ran, &waited) == 2)
		ret = waited / 1e9;
	nt_buf_free(&b);
	return ret;
}

/* ---- egress ------------------------------------------------------------------------ */

static int ifindex_of(struct nt_sys *sys, const struct sockaddr *local)
{
	const struct sockaddr_in6 *in6 = (const void *)local;
	const struct sockaddr_in *in = (const void *)local;
	const unsigned char *addr = (const void *)&in->sin_addr;
	struct nt_addrs addrs = { 0 };
	int ifindex = 0, family = local->sa_family;
	size_t i, len = 4;

	if (family == AF_INET6) {
		addr = in6->sin6_addr.s6_addr;
		len = 16;
		if (IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr)) {
			addr += 12;
			len = 4;
			family = AF_INET;
		}
	}
	if (sys->ops->addrs(sys, &addrs, NULL) == 0)
		for (i = 0; i < addrs.n && !ifindex; i++)
			if (addrs.v[i].family == family && !memcmp(addrs.v[i].addr, addr, len))
				ifindex = addrs.v[i].ifindex;
	nt_addrs_free(&addrs);
	return ifindex;
}

static void take_speed(void *arg, int ifindex, const struct nt_eth_val *val,
	const struct nt_err *err)
{
	(void)ifindex;
	(void)err;
	if (val && !strcmp(val->name, "link.speed") && val->type == NT_ETH_INT && val->num > 0)
		*(double *)arg = val->num * 1e6;
}

/* Devices that pass the sender's buffer on to a device below without freeing it. */
static bool is_transparent(const char *kind)
{
	return !strcmp(kind, "vlan") || !strcmp(kind, "bond") || !strcmp(kind, "team");
}

void nt_egress_find(struct nt_sys *sys, const struct sockaddr *local,
	struct nt_probe_egress *ret, int *ret_ifindex)
{
	struct nt_links links = { 0 };
	const struct nt_link *l;

	memset(ret, 0, sizeof *ret);
	ret->speed_bps = ret->mtu = NAN;
	*ret_ifindex = sys ? ifindex_of(sys, local) : 0;
	if (!*ret_ifindex || sys->ops->links(sys, &links, NULL) != 0)
		goto out;
	l = nt_links_by_index(&links, *ret_ifindex);
	if (!l)
		goto out;
	snprintf(ret->link, sizeof ret->link, "%s", l->name);
	snprintf(ret->kind, sizeof ret->kind, "%s",
		l->type == ARPHRD_LOOPBACK ? "loopback" : l->kind);
	snprintf(ret->qdisc, sizeof ret->qdisc, "%s", l->qdisc);
	ret->mtu = l->mtu;
	ret->virt = *ret->kind && !is_transparent(ret->kind);
	/* what veth or tun call their speed is a constant */
	if (!ret->virt)
		sys->ops->eth_get(sys, NT_ETH_LINKMODES, l->ifindex, &links, take_speed,
			&ret->speed_bps, NULL);
out:
	nt_links_free(&links);
}

const char *nt_egress_doubt(const struct nt_probe_egress *e)
{
	/* queue disciplines that hold frames back by their nature */
	static const char *const shapers[] = { "tbf", "htb", "hfsc", "cbq", "netem", "cake",
		"taprio", "etf", NULL };
	int i;

	if (!*e->link)
		return "the outgoing link is not known";
	if (e->virt)
		return "the outgoing link is virtual";
	for (i = 0; shapers[i]; i++)
		if (!strcmp(e->qdisc, shapers[i]))
			return "the outgoing link has a shaper";
	if (e->backlog_bytes > 0)
		return "other traffic waits in the outgoing link's queue";
	if (isnan(e->speed_bps))
		return "the outgoing link's speed is not known";
	return NULL;
}

/* ---- TCP_INFO ---------------------------------------------------------------------- */

void nt_tcp_read(int fd, struct nt_tcp_now *ret)
{
	struct tcp_info ti;
	socklen_t len = sizeof ti, slen = sizeof(int);
	int sndbuf = 0;

	memset(ret, 0, sizeof *ret);
	memset(&ti, 0, sizeof ti);
	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &ti, &len) < 0)
		return;
	ret->ok = true;
	ret->rtt_us = ti.tcpi_rtt;
	/* members that an older kernel does not fill stay zero */
	ret->min_rtt_us = ti.tcpi_min_rtt && ti.tcpi_min_rtt != UINT32_MAX ? ti.tcpi_min_rtt : NAN;
	ret->cwnd = ti.tcpi_snd_cwnd;
	ret->mss = ti.tcpi_snd_mss;
	ret->delivery_bps = ti.tcpi_delivery_rate * 8.0;
	ret->pacing_bps = ti.tcpi_pacing_rate == UINT64_MAX ? NAN : ti.tcpi_pacing_rate * 8.0;
	ret->notsent = ti.tcpi_notsent_bytes;
	ret->busy_us = ti.tcpi_busy_time;
	ret->rwnd_us = ti.tcpi_rwnd_limited;
	ret->sndbuf_us = ti.tcpi_sndbuf_limited;
	ret->retrans = ti.tcpi_total_retrans;
	ret->segs_out = ti.tcpi_segs_out;
	ret->app_limited = ti.tcpi_delivery_rate_app_limited;
	if (getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &sndbuf, &slen) == 0)
		ret->sndbuf = sndbuf;
	slen = sizeof ret->congestion - 1;
	if (getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, ret->congestion, &slen) < 0)
		*ret->congestion = '\0';
}
