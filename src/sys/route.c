/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Routes as text, in the words of ip(8). */
#include "config.h"

#include <arpa/inet.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <stdlib.h>
#include <string.h>

#include "nettune/mem.h"
#include "nettune/names.h"
#include "rtnl.h"

/* A router with a full table is not what changes here are compared on. */
#define ROUTES_MAX 20000U

static const struct nt_name types[] = {
	{ "", RTN_UNICAST }, { "local ", RTN_LOCAL }, { "broadcast ", RTN_BROADCAST },
	{ "anycast ", RTN_ANYCAST }, { "multicast ", RTN_MULTICAST },
	{ "blackhole ", RTN_BLACKHOLE }, { "unreachable ", RTN_UNREACHABLE },
	{ "prohibit ", RTN_PROHIBIT }, { "throw ", RTN_THROW }, { NULL, 0 },
};

static const struct nt_name protos[] = {
	{ "redirect", RTPROT_REDIRECT }, { "kernel", RTPROT_KERNEL }, { "boot", RTPROT_BOOT },
	{ "static", RTPROT_STATIC }, { "ra", RTPROT_RA }, { "dhcp", RTPROT_DHCP },
	{ "zebra", RTPROT_ZEBRA }, { "bird", RTPROT_BIRD }, { "bgp", RTPROT_BGP },
	{ "ospf", RTPROT_OSPF }, { NULL, 0 },
};

static const struct nt_name metrics[] = {
	{ "lock", RTAX_LOCK }, { "mtu", RTAX_MTU }, { "window", RTAX_WINDOW },
	{ "rtt", RTAX_RTT }, { "rttvar", RTAX_RTTVAR }, { "ssthresh", RTAX_SSTHRESH },
	{ "cwnd", RTAX_CWND }, { "advmss", RTAX_ADVMSS }, { "reordering", RTAX_REORDERING },
	{ "hoplimit", RTAX_HOPLIMIT }, { "initcwnd", RTAX_INITCWND },
	{ "features", RTAX_FEATURES }, { "rto_min", RTAX_RTO_MIN },
	{ "initrwnd", RTAX_INITRWND }, { "quickack", RTAX_QUICKACK },
	{ "fastopen_no_cookie", RTAX_FASTOPEN_NO_COOKIE }, { NULL, 0 },
};

static bool get_u32(uint32_t *ret, const struct nlattr *a)
{
	if (!a || nla_len(a) < (int)sizeof *ret)
		return false;
	memcpy(ret, nla_data(a), sizeof *ret);
	return true;
}

static void add_ip(struct nt_buf *b, int family, const void *addr, int len)
{
	char text[INET6_ADDRSTRLEN];

	if (len < (family == AF_INET ? 4 : 16) || !inet_ntop(family, addr, text, sizeof text))
		nt_buf_adds(b, "?");
	else
		nt_buf_adds(b, text);
}

static void add_attr_ip(struct nt_buf *b, const char *word, int family, const struct nlattr *a)
{
	if (!a)
		return;
	nt_buf_adds(b, word);
	add_ip(b, family, nla_data(a), nla_len(a));
}

/* struct rtvia: a family, then the address: a gateway of the other family */
static void add_via(struct nt_buf *b, const struct nlattr *a)
{
	uint16_t family;

	if (!a || nla_len(a) < (int)sizeof family)
		return;
	memcpy(&family, nla_data(a), sizeof family);
	if (family != AF_INET && family != AF_INET6)
		return;
	nt_buf_adds(b, family == AF_INET ? " via inet " : " via inet6 ");
	add_ip(b, family, (const char *)nla_data(a) + sizeof family,
		nla_len(a) - (int)sizeof family);
}

static void add_dev(struct nt_buf *b, const struct nt_route_arg *ra, int ifindex)
{
	char name[NT_IFNAMSIZ];

	if (ifindex <= 0)
		return;
	if (ra->name && ra->name(ra->ctx, ifindex, name) == 0)
		nt_buf_addf(b, " dev %s", name);
	else
		nt_buf_addf(b, " dev #%d", ifindex);
}

static void add_metrics(struct nt_buf *b, struct nlattr *nest)
{
	struct nlattr *tb[RTAX_MAX + 1];
	const struct nt_name *m;
	uint32_t v;

	if (!nest || nla_parse_nested(tb, RTAX_MAX, nest, NULL) < 0)
		return;
	for (m = metrics; m->name; m++)
		if (get_u32(&v, tb[m->value]))
			nt_buf_addf(b, " %s %u", m->name, v);
	if (tb[RTAX_CC_ALGO])
		nt_buf_addf(b, " congctl %.*s",
			(int)strnlen(nla_data(tb[RTAX_CC_ALGO]), nla_len(tb[RTAX_CC_ALGO])),
			(const char *)nla_data(tb[RTAX_CC_ALGO]));
}

/* Several nexthops; returns the ifindex of the first. */
static int add_nexthops(struct nt_buf *b, const struct nt_route_arg *ra, int family,
	struct nlattr *multi)
{
	struct nlattr *tb[RTA_MAX + 1];
	struct rtnexthop nh;
	char *p = nla_data(multi);
	int len = nla_len(multi), first = 0;

	while (len >= (int)sizeof nh) {
		memcpy(&nh, p, sizeof nh);
		if (nh.rtnh_len < sizeof nh || nh.rtnh_len > len)
			break;
		if (!first)
			first = nh.rtnh_ifindex;
		nt_buf_adds(b, " nexthop");
		if (nla_parse(tb, RTA_MAX, (struct nlattr *)(void *)(p + sizeof nh),
			    nh.rtnh_len - (int)sizeof nh, NULL) == 0) {
			add_attr_ip(b, " via ", family, tb[RTA_GATEWAY]);
			add_via(b, tb[RTA_VIA]);
		}
		add_dev(b, ra, nh.rtnh_ifindex);
		nt_buf_addf(b, " weight %d", nh.rtnh_hops + 1);
		len -= NLA_ALIGN(nh.rtnh_len);
		p += NLA_ALIGN(nh.rtnh_len);
	}
	return first;
}

static void add_words(struct nt_buf *b, const struct rtmsg *rtm, uint32_t table,
	struct nlattr **tb)
{
	const char *proto = nt_name_of(protos, rtm->rtm_protocol);
	uint32_t v;

	if (proto)
		nt_buf_addf(b, " proto %s", proto);
	else
		nt_buf_addf(b, " proto %u", rtm->rtm_protocol);
	if (rtm->rtm_scope == RT_SCOPE_LINK || rtm->rtm_scope == RT_SCOPE_HOST)
		nt_buf_addf(b, " scope %s", rtm->rtm_scope == RT_SCOPE_LINK ? "link" : "host");
	add_attr_ip(b, " src ", rtm->rtm_family, tb[RTA_PREFSRC]);
	if (get_u32(&v, tb[RTA_PRIORITY]))
		nt_buf_addf(b, " metric %u", v);
	if (rtm->rtm_tos)
		nt_buf_addf(b, " tos %u", rtm->rtm_tos);
	if (rtm->rtm_flags & RTNH_F_ONLINK)
		nt_buf_adds(b, " onlink");
	if (get_u32(&v, tb[RTA_NH_ID]))
		nt_buf_addf(b, " nhid %u", v);
	add_metrics(b, tb[RTA_METRICS]);
	if (tb[RTA_PREF] && nla_len(tb[RTA_PREF]) >= 1)
		nt_buf_addf(b, " pref %u", *(const uint8_t *)nla_data(tb[RTA_PREF]));
	if (tb[RTA_ENCAP_TYPE] && nla_len(tb[RTA_ENCAP_TYPE]) >= 2)
		nt_buf_addf(b, " encap %u", nla_get_u16(tb[RTA_ENCAP_TYPE]));
	if (table == RT_TABLE_LOCAL)
		nt_buf_adds(b, " table local");
}

static void add_prefix(struct nt_buf *b, const struct rtmsg *rtm, const struct nlattr *dst)
{
	int full = rtm->rtm_family == AF_INET ? 32 : 128;

	if (!dst) {
		nt_buf_adds(b, rtm->rtm_dst_len ? "?" : "default");
		return;
	}
	add_ip(b, rtm->rtm_family, nla_data(dst), nla_len(dst));
	if (rtm->rtm_dst_len != full)
		nt_buf_addf(b, "/%u", rtm->rtm_dst_len);
}

int nt_rtnl_parse_route(void *arg, const struct nlmsghdr *h)
{
	struct nt_route_arg *ra = arg;
	struct nt_routes *rs = ra->ret;
	struct nlattr *tb[RTA_MAX + 1];
	struct nt_buf b = { 0 };
	struct nt_route *r;
	struct rtmsg rtm;
	const char *type;
	uint32_t table, oif = 0;
	int first = 0;

	if (h->nlmsg_type != RTM_NEWROUTE || !nt_rtnl_attrs(h, sizeof rtm, tb, RTA_MAX))
		return 0;
	memcpy(&rtm, (const char *)h + NLMSG_HDRLEN, sizeof rtm);
	table = rtm.rtm_table;
	get_u32(&table, tb[RTA_TABLE]);
	if ((rtm.rtm_family != AF_INET && rtm.rtm_family != AF_INET6) ||
		(rtm.rtm_flags & RTM_F_CLONED) ||
		(table != RT_TABLE_MAIN && table != RT_TABLE_LOCAL))
		return 0;
	if (rs->n >= ROUTES_MAX) {
		rs->truncated = true;
		return 0;
	}
	type = nt_name_of(types, rtm.rtm_type);
	nt_buf_adds(&b, type ? type : "? ");
	add_prefix(&b, &rtm, tb[RTA_DST]);
	if (tb[RTA_SRC]) {
		add_attr_ip(&b, " from ", rtm.rtm_family, tb[RTA_SRC]);
		nt_buf_addf(&b, "/%u", rtm.rtm_src_len);
	}
	add_attr_ip(&b, " via ", rtm.rtm_family, tb[RTA_GATEWAY]);
	add_via(&b, tb[RTA_VIA]);
	get_u32(&oif, tb[RTA_OIF]);
	add_dev(&b, ra, (int)oif);
	add_words(&b, &rtm, table, tb);
	if (tb[RTA_MULTIPATH])
		first = add_nexthops(&b, ra, rtm.rtm_family, tb[RTA_MULTIPATH]);
	NT_GROW(rs->v, rs->n, rs->cap);
	r = &rs->v[rs->n++];
	r->ifindex = oif ? (int)oif : first;
	r->text = nt_buf_detach(&b);
	r->msg_len = h->nlmsg_len - NLMSG_HDRLEN;
	r->msg = nt_malloc(r->msg_len);
	memcpy(r->msg, (const char *)h + NLMSG_HDRLEN, r->msg_len);
	return 0;
}
