/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Netlink messages as odd as a kernel older, newer or broken could send them. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/gen_stats.h>
#include <linux/if_link.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <libmnl/libmnl.h>

#include "nettune/mem.h"
#include "sys/nl.h"
#include "sys/rtnl.h"

static char buf[16384] __attribute__((aligned(8)));

/* A copy of exactly its length, so that reading on is seen by the sanitizer. */
static int parse_exact(nt_nl_fn *fn, void *arg, const struct nlmsghdr *h)
{
	struct nlmsghdr *copy = nt_malloc(h->nlmsg_len);
	int r;

	memcpy(copy, h, h->nlmsg_len);
	r = fn(arg, copy);
	free(copy);
	return r;
}

static struct nlmsghdr *link_msg(int ifindex)
{
	struct nlmsghdr *h = mnl_nlmsg_put_header(buf);
	struct ifinfomsg *ifi = mnl_nlmsg_put_extra_header(h, sizeof *ifi);

	h->nlmsg_type = RTM_NEWLINK;
	ifi->ifi_index = ifindex;
	return h;
}

static void odd_link(void **state)
{
	uint64_t stats[40];
	unsigned char addr[64] = { 2, 3 };
	struct nt_links l = { 0 };
	struct nlmsghdr *h = link_msg(7);
	struct nlattr *n;
	unsigned i;

	(void)state;
	for (i = 0; i < 40; i++)
		stats[i] = i + 100;
	mnl_attr_put(h, IFLA_IFNAME, 20, "a-name-of-20-letters"); /* too long, no NUL */
	mnl_attr_put_u16(h, IFLA_MTU, 1500);			  /* too short */
	mnl_attr_put(h, IFLA_STATS64, sizeof stats, stats);	  /* longer than known */
	mnl_attr_put(h, IFLA_ADDRESS, sizeof addr, addr);	  /* longer than any */
	mnl_attr_put(h, IFLA_PERM_ADDRESS, 6, addr);
	mnl_attr_put_u32(h, 200, 1); /* newer than any table */
	mnl_attr_put(h, IFLA_QDISC, 0, "");
	mnl_attr_put_u32(h, IFLA_LINK, 7);
	n = mnl_attr_nest_start(h, IFLA_LINKINFO);
	mnl_attr_put(h, IFLA_INFO_KIND, 4, "veth");
	mnl_attr_nest_end(h, n);
	assert_int_equal(parse_exact(nt_rtnl_parse_link, &l, h), 0);
	assert_int_equal(l.n, 1);
	assert_string_equal(l.v[0].name, "a-name-of-20-le");
	assert_string_equal(l.v[0].kind, "veth");
	assert_int_equal(l.v[0].mtu, 0);
	assert_int_equal(l.v[0].addr_len, 0);
	assert_int_equal(l.v[0].perm_addr_len, 6);
	assert_int_equal(l.v[0].lower, 0);
	assert_int_equal(l.v[0].carrier, -1);
	assert_int_equal(l.v[0].n_stats, NT_LINK_STATS_MAX);
	assert_int_equal(l.v[0].stats[6], 106);
	assert_string_equal(nt_link_stat_name(6), "rx_dropped");
	nt_links_free(&l);
}

/* Kernels before 2.6.35: 32-bit statistics alone. */
static void old_statistics(void **state)
{
	uint32_t stats[23] = { 1, 2, 3, 4, 5, 6, 7 };
	struct nt_links l = { 0 };
	struct nlmsghdr *h = link_msg(1);

	(void)state;
	mnl_attr_put_strz(h, IFLA_IFNAME, "eth0");
	mnl_attr_put(h, IFLA_STATS, sizeof stats, stats);
	parse_exact(nt_rtnl_parse_link, &l, h);
	assert_int_equal(l.v[0].n_stats, 23);
	assert_int_equal(l.v[0].stats[6], 7);
	nt_links_free(&l);
}

static void no_links(void **state)
{
	struct nt_links l = { 0 };
	struct nlmsghdr *h;

	(void)state;
	h = link_msg(3); /* no name */
	parse_exact(nt_rtnl_parse_link, &l, h);
	h = link_msg(-1);
	mnl_attr_put_strz(h, IFLA_IFNAME, "eth0");
	parse_exact(nt_rtnl_parse_link, &l, h);
	h = mnl_nlmsg_put_header(buf); /* no header */
	h->nlmsg_type = RTM_NEWLINK;
	parse_exact(nt_rtnl_parse_link, &l, h);
	assert_int_equal(l.n, 0);
	nt_links_free(&l);
}

static const char *route_text(struct nlmsghdr *h)
{
	static char text[300];
	struct nt_routes rs = { 0 };
	struct nt_route_arg arg = { .ret = &rs };

	parse_exact(nt_rtnl_parse_route, &arg, h);
	snprintf(text, sizeof text, "%s", rs.n ? rs.v[0].text : "none");
	nt_routes_free(&rs);
	return text;
}

static struct nlmsghdr *route_msg(int family, int table, int dst_len)
{
	struct nlmsghdr *h = mnl_nlmsg_put_header(buf);
	struct rtmsg *r = mnl_nlmsg_put_extra_header(h, sizeof *r);

	h->nlmsg_type = RTM_NEWROUTE;
	r->rtm_family = (unsigned char)family;
	r->rtm_table = (unsigned char)table;
	r->rtm_dst_len = (unsigned char)dst_len;
	r->rtm_type = RTN_UNICAST;
	r->rtm_protocol = RTPROT_STATIC;
	return h;
}

static void routes(void **state)
{
	struct rtnexthop *nh;
	struct nlmsghdr *h;
	struct nlattr *n;

	(void)state;
	h = route_msg(AF_INET, RT_TABLE_MAIN, 0);
	mnl_attr_put_u32(h, RTA_GATEWAY, htonl(0x0a000001));
	mnl_attr_put_u32(h, RTA_OIF, 3);
	mnl_attr_put_u32(h, RTA_PRIORITY, 100);
	n = mnl_attr_nest_start(h, RTA_METRICS);
	mnl_attr_put_u32(h, RTAX_INITCWND, 20);
	mnl_attr_nest_end(h, n);
	assert_string_equal(route_text(h),
		"default via 10.0.0.1 dev #3 proto static metric 100 initcwnd 20");

	h = route_msg(AF_INET, RT_TABLE_MAIN, 24);
	mnl_attr_put_u16(h, RTA_DST, 1); /* too short for an address */
	assert_string_equal(route_text(h), "?/24 proto static");

	h = route_msg(AF_INET, 100, 0);
	assert_string_equal(route_text(h), "none");

	h = route_msg(AF_INET, RT_TABLE_MAIN, 0);
	n = mnl_attr_nest_start(h, RTA_MULTIPATH);
	nh = mnl_nlmsg_put_extra_header(h, sizeof *nh);
	nh->rtnh_len = sizeof *nh;
	nh->rtnh_ifindex = 5;
	nh = mnl_nlmsg_put_extra_header(h, sizeof *nh);
	nh->rtnh_len = 400; /* beyond its attribute */
	nh->rtnh_ifindex = 6;
	mnl_attr_nest_end(h, n);
	assert_string_equal(route_text(h), "default proto static nexthop dev #5 weight 1");
}

static void lone_qdisc(void **state)
{
	struct nlmsghdr *h = mnl_nlmsg_put_header(buf);
	struct tcmsg *t = mnl_nlmsg_put_extra_header(h, sizeof *t);
	struct nt_qdiscs q = { 0 };
	struct nlattr *n;

	(void)state;
	h->nlmsg_type = RTM_NEWQDISC;
	t->tcm_ifindex = 4;
	t->tcm_parent = TC_H_ROOT;
	mnl_attr_put_str(h, TCA_KIND, "fq");
	mnl_attr_put(h, TCA_OPTIONS, 3, "abc");
	n = mnl_attr_nest_start(h, TCA_STATS2);
	mnl_attr_put_u32(h, TCA_STATS_QUEUE, 9); /* too short */
	mnl_attr_put_u64(h, TCA_STATS_BASIC, 9); /* too short */
	mnl_attr_nest_end(h, n);
	parse_exact(nt_rtnl_parse_qdisc, &q, h);
	assert_int_equal(q.n, 1);
	assert_true(q.v[0].is_root);
	assert_string_equal(q.v[0].kind, "fq");
	assert_int_equal(q.v[0].options_len, 3);
	assert_int_equal(q.v[0].bytes, 0);
	nt_qdiscs_free(&q);
}

/* ---- replies ---- */

static int count(void *arg, const struct nlmsghdr *h)
{
	(void)h;
	++*(int *)arg;
	return 0;
}

static void errors_and_texts(void **state)
{
	struct nt_nl_reply r = { 0 };
	struct nlmsghdr *h, *in;
	int n = 0;

	(void)state;
	/* not capped: the request's payload lies before the text */
	h = mnl_nlmsg_put_header(buf);
	h->nlmsg_type = NLMSG_ERROR;
	h->nlmsg_seq = 5;
	h->nlmsg_flags = NLM_F_ACK_TLVS;
	*(int *)mnl_nlmsg_put_extra_header(h, 4) = -EBUSY;
	in = mnl_nlmsg_put_extra_header(h, sizeof *in);
	in->nlmsg_len = sizeof *in + 8;
	memset(mnl_nlmsg_put_extra_header(h, 8), 0xff, 8);
	mnl_attr_put_strz(h, NLMSGERR_ATTR_MSG, "device is busy");
	assert_int_equal(nt_nl_datagram(buf, h->nlmsg_len, 6, count, &n, &r), 0);
	assert_int_equal(nt_nl_datagram(buf, h->nlmsg_len, 5, count, &n, &r), 1);
	assert_int_equal(r.code, -EBUSY);
	assert_string_equal(r.kernel, "device is busy");
	assert_int_equal(n, 0);

	/* the request's length is a lie */
	memset(&r, 0, sizeof r);
	in->nlmsg_len = UINT32_MAX;
	assert_int_equal(nt_nl_datagram(buf, h->nlmsg_len, 5, count, &n, &r), 1);
	assert_int_equal(r.code, -EBUSY);
	assert_string_equal(r.kernel, "");
}

static int refuse(void *arg, const struct nlmsghdr *h)
{
	(void)h;
	++*(int *)arg;
	return -ENOMEM;
}

static void dumps(void **state)
{
	struct nt_nl_reply r = { 0 };
	struct nlmsghdr *h;
	size_t len = 0;
	int i, n = 0;

	(void)state;
	for (i = 0; i < 3; i++) {
		h = mnl_nlmsg_put_header(buf + len);
		h->nlmsg_type = i == 2 ? NLMSG_DONE : RTM_NEWLINK;
		h->nlmsg_seq = 1;
		if (i == 1)
			h->nlmsg_flags = NLM_F_DUMP_INTR;
		*(int *)mnl_nlmsg_put_extra_header(h, 4) = i == 2 ? -EIO : 0;
		len += h->nlmsg_len;
	}
	assert_int_equal(nt_nl_datagram(buf, len, 1, count, &n, &r), 1);
	assert_int_equal(r.code, -EIO); /* a dump's error hides in its end */
	assert_true(r.interrupted);
	assert_int_equal(n, 2);

	/* the receiver's refusal is kept, and nothing more is given to it */
	memset(&r, 0, sizeof r);
	n = 0;
	assert_int_equal(nt_nl_datagram(buf, len, 1, refuse, &n, &r), 1);
	assert_int_equal(r.code, -ENOMEM);
	assert_int_equal(n, 1);

	/* cut off in the midst */
	memset(&r, 0, sizeof r);
	n = 0;
	assert_int_equal(nt_nl_datagram(buf, len - 6, 1, count, &n, &r), 0);
	assert_int_equal(n, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(odd_link),
		cmocka_unit_test(old_statistics),
		cmocka_unit_test(no_links),
		cmocka_unit_test(routes),
		cmocka_unit_test(lone_qdisc),
		cmocka_unit_test(errors_and_texts),
		cmocka_unit_test(dumps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
