/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "rtnl.h"

#include <linux/gen_stats.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <string.h>

#include "nettune/mem.h"
#include "newer.h"

static void get_str(char *ret, size_t size, const struct nlattr *a)
{
	size_t len;

	if (!a)
		return;
	len = strnlen(nla_data(a), nla_len(a));
	if (len >= size)
		len = size - 1;
	memcpy(ret, nla_data(a), len);
	ret[len] = '\0';
}

static void get_u32(unsigned *ret, const struct nlattr *a)
{
	uint32_t v;

	if (!a || nla_len(a) < (int)sizeof v)
		return;
	memcpy(&v, nla_data(a), sizeof v);
	*ret = v;
}

static void get_ifindex(int *ret, const struct nlattr *a)
{
	unsigned v = 0;

	get_u32(&v, a);
	*ret = (int)v;
}

static bool get_u8(unsigned *ret, const struct nlattr *a)
{
	if (!a || nla_len(a) < 1)
		return false;
	*ret = *(const uint8_t *)nla_data(a);
	return true;
}

static void get_addr(unsigned char *ret, unsigned *ret_len, const struct nlattr *a)
{
	if (!a || nla_len(a) > NT_ADDR_MAX)
		return;
	memcpy(ret, nla_data(a), nla_len(a));
	*ret_len = nla_len(a);
}

static void get_stats(struct nt_link *l, const struct nlattr *wide, const struct nlattr *narrow)
{
	const struct nlattr *a = wide ? wide : narrow;
	size_t size = wide ? sizeof(uint64_t) : sizeof(uint32_t), n, i;
	uint32_t v;

	if (!a)
		return;
	n = (size_t)nla_len(a) / size;
	if (n > NT_LINK_STATS_MAX)
		n = NT_LINK_STATS_MAX;
	for (i = 0; i < n; i++) {
		if (wide) {
			memcpy(&l->stats[i], (const char *)nla_data(a) + i * size, size);
		} else {
			memcpy(&v, (const char *)nla_data(a) + i * size, size);
			l->stats[i] = v;
		}
	}
	l->n_stats = n;
}

bool nt_rtnl_attrs(const struct nlmsghdr *h, size_t hdr, struct nlattr **tb, int max)
{
	size_t skip = NLMSG_HDRLEN + NLMSG_ALIGN(hdr);
	/* nla_parse() takes what it does not write as not const */
	union {
		const struct nlmsghdr *in;
		char *out;
	} u = { h };

	if (h->nlmsg_len < NLMSG_HDRLEN + hdr)
		return false;
	if (h->nlmsg_len < skip)
		skip = h->nlmsg_len;
	return nla_parse(tb, max, (struct nlattr *)(void *)(u.out + skip),
		       (int)(h->nlmsg_len - skip), NULL) == 0;
}

static bool parse_nested(struct nlattr **tb, int max, struct nlattr *a)
{
	return a && nla_parse_nested(tb, max, a, NULL) == 0;
}

static void get_limits(struct nt_link *l, struct nlattr **tb)
{
	get_u32(&l->min_mtu, tb[IFLA_MIN_MTU]);
	get_u32(&l->max_mtu, tb[IFLA_MAX_MTU]);
	get_u32(&l->tx_queues, tb[IFLA_NUM_TX_QUEUES]);
	get_u32(&l->rx_queues, tb[IFLA_NUM_RX_QUEUES]);
	get_u32(&l->gso_max_size, tb[IFLA_GSO_MAX_SIZE]);
	get_u32(&l->gso_max_segs, tb[IFLA_GSO_MAX_SEGS]);
	get_u32(&l->gro_max_size, tb[IFLA_GRO_MAX_SIZE]);
	get_u32(&l->tso_max_size, tb[IFLA_TSO_MAX_SIZE]);
	get_u32(&l->tso_max_segs, tb[IFLA_TSO_MAX_SEGS]);
	get_u32(&l->gso_ipv4_max_size, tb[NT_IFLA_GSO_IPV4_MAX_SIZE]);
	get_u32(&l->gro_ipv4_max_size, tb[NT_IFLA_GRO_IPV4_MAX_SIZE]);
}

int nt_rtnl_parse_link(void *arg, const struct nlmsghdr *h)
{
	struct nlattr *tb[_NT_IFLA_LAST + 1], *info[IFLA_INFO_MAX + 1];
	struct nt_links *ls = arg;
	struct ifinfomsg ifi;
	struct nt_link *l;
	unsigned carrier;

	if (h->nlmsg_type != RTM_NEWLINK || !nt_rtnl_attrs(h, sizeof ifi, tb, _NT_IFLA_LAST))
		return 0;
	memcpy(&ifi, (const char *)h + NLMSG_HDRLEN, sizeof ifi);
	if (ifi.ifi_index <= 0 || !tb[IFLA_IFNAME])
		return 0;
	NT_GROW(ls->v, ls->n, ls->cap);
	l = &ls->v[ls->n++];
	memset(l, 0, sizeof *l);
	l->ifindex = ifi.ifi_index;
	l->type = ifi.ifi_type;
	l->flags = ifi.ifi_flags;
	get_str(l->name, sizeof l->name, tb[IFLA_IFNAME]);
	if (parse_nested(info, IFLA_INFO_MAX, tb[IFLA_LINKINFO]))
		get_str(l->kind, sizeof l->kind, info[IFLA_INFO_KIND]);
	get_u8(&l->operstate, tb[IFLA_OPERSTATE]);
	l->carrier = get_u8(&carrier, tb[IFLA_CARRIER]) ? carrier != 0 : -1;
	get_u32(&l->mtu, tb[IFLA_MTU]);
	get_u32(&l->txqueuelen, tb[IFLA_TXQLEN]);
	get_ifindex(&l->master, tb[IFLA_MASTER]);
	get_ifindex(&l->lower, tb[IFLA_LINK]);
	l->lower_foreign = tb[IFLA_LINK_NETNSID];
	if (l->lower == l->ifindex && !l->lower_foreign)
		l->lower = 0; /* old kernels say so of devices without a lower one */
	get_limits(l, tb);
	get_u32(&l->carrier_changes, tb[IFLA_CARRIER_CHANGES]);
	get_str(l->qdisc, sizeof l->qdisc, tb[IFLA_QDISC]);
	get_str(l->bus, sizeof l->bus, tb[IFLA_PARENT_DEV_BUS_NAME]);
	get_str(l->bus_dev, sizeof l->bus_dev, tb[IFLA_PARENT_DEV_NAME]);
	get_addr(l->addr, &l->addr_len, tb[IFLA_ADDRESS]);
	get_addr(l->perm_addr, &l->perm_addr_len, tb[IFLA_PERM_ADDRESS]);
	get_stats(l, tb[IFLA_STATS64], tb[IFLA_STATS]);
	return 0;
}

static void get_qdisc_stats(struct nt_qdisc *q, struct nlattr **tb)
{
	struct nlattr *st[TCA_STATS_MAX + 1];
	struct gnet_stats_basic basic;
	struct gnet_stats_queue queue;
	struct tc_stats old;

	if (parse_nested(st, TCA_STATS_MAX, tb[TCA_STATS2])) {
		if (st[TCA_STATS_BASIC] && nla_len(st[TCA_STATS_BASIC]) >= 12) {
			memset(&basic, 0, sizeof basic);
			memcpy(&basic, nla_data(st[TCA_STATS_BASIC]), 12);
			q->bytes = basic.bytes;
			q->packets = basic.packets;
		}
		if (st[TCA_STATS_PKT64] && nla_len(st[TCA_STATS_PKT64]) >= 8)
			memcpy(&q->packets, nla_data(st[TCA_STATS_PKT64]), 8);
		if (st[TCA_STATS_QUEUE] &&
			nla_len(st[TCA_STATS_QUEUE]) >= (int)sizeof queue) {
			memcpy(&queue, nla_data(st[TCA_STATS_QUEUE]), sizeof queue);
			q->qlen = queue.qlen;
			q->backlog = queue.backlog;
			q->drops = queue.drops;
			q->requeues = queue.requeues;
			q->overlimits = queue.overlimits;
		}
	} else if (tb[TCA_STATS] && nla_len(tb[TCA_STATS]) >= 36) {
		memset(&old, 0, sizeof old);
		memcpy(&old, nla_data(tb[TCA_STATS]), 36);
		q->bytes = old.bytes;
		q->packets = old.packets;
		q->drops = old.drops;
		q->overlimits = old.overlimits;
		q->qlen = old.qlen;
		q->backlog = old.backlog;
	}
}

int nt_rtnl_parse_qdisc(void *arg, const struct nlmsghdr *h)
{
	struct nlattr *tb[TCA_MAX + 1];
	struct nt_qdiscs *qs = arg;
	struct nt_qdisc *q;
	struct tcmsg tcm;

	if (h->nlmsg_type != RTM_NEWQDISC || !nt_rtnl_attrs(h, sizeof tcm, tb, TCA_MAX))
		return 0;
	memcpy(&tcm, (const char *)h + NLMSG_HDRLEN, sizeof tcm);
	if (tcm.tcm_ifindex <= 0 || !tb[TCA_KIND])
		return 0;
	NT_GROW(qs->v, qs->n, qs->cap);
	q = &qs->v[qs->n++];
	memset(q, 0, sizeof *q);
	q->ifindex = tcm.tcm_ifindex;
	q->handle = tcm.tcm_handle;
	q->parent = tcm.tcm_parent;
	q->is_root = tcm.tcm_parent == TC_H_ROOT;
	q->is_ingress = tcm.tcm_parent == TC_H_INGRESS;
	get_str(q->kind, sizeof q->kind, tb[TCA_KIND]);
	get_qdisc_stats(q, tb);
	if (tb[TCA_OPTIONS] && nla_len(tb[TCA_OPTIONS]) > 0) {
		q->options_len = nla_len(tb[TCA_OPTIONS]);
		q->options = nt_malloc(q->options_len);
		memcpy(q->options, nla_data(tb[TCA_OPTIONS]), q->options_len);
	}
	return 0;
}

int nt_rtnl_parse_addr(void *arg, const struct nlmsghdr *h)
{
	struct nlattr *tb[IFA_MAX + 1], *a;
	struct nt_addrs *as = arg;
	struct ifaddrmsg ifa;
	struct nt_addr *n;
	int size;

	if (h->nlmsg_type != RTM_NEWADDR || !nt_rtnl_attrs(h, sizeof ifa, tb, IFA_MAX))
		return 0;
	memcpy(&ifa, (const char *)h + NLMSG_HDRLEN, sizeof ifa);
	/* with a peer, IFA_ADDRESS is the peer's and IFA_LOCAL our own */
	a = tb[IFA_LOCAL] ? tb[IFA_LOCAL] : tb[IFA_ADDRESS];
	size = ifa.ifa_family == AF_INET ? 4 : ifa.ifa_family == AF_INET6 ? 16 : 0;
	if (!size || !a || nla_len(a) < size)
		return 0;
	NT_GROW(as->v, as->n, as->cap);
	n = &as->v[as->n++];
	memset(n, 0, sizeof *n);
	n->ifindex = (int)ifa.ifa_index;
	n->family = ifa.ifa_family;
	n->prefix_len = ifa.ifa_prefixlen;
	n->scope = ifa.ifa_scope;
	n->flags = ifa.ifa_flags;
	get_u32(&n->flags, tb[IFA_FLAGS]);
	memcpy(n->addr, nla_data(a), size);
	n->msg_len = h->nlmsg_len - NLMSG_HDRLEN;
	n->msg = nt_malloc(n->msg_len);
	memcpy(n->msg, (const char *)h + NLMSG_HDRLEN, n->msg_len);
	return 0;
}
