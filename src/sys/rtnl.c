/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "rtnl.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "nettune/mem.h"
#include "ethio.h"
#include "live.h"

/* A busy host changes its links all the time: after so many interrupted dumps the last
 * one is taken as it is. */
#define DUMP_TRIES 5

struct nt_rtnl *nt_rtnl_open_fd(int fd)
{
	struct nt_rtnl *rt = nt_calloc(1, sizeof *rt);

	nt_nl_init(&rt->nl, fd);
	return rt;
}

struct nt_rtnl *nt_rtnl_open(struct nt_err *err)
{
	struct nt_rtnl *rt = nt_calloc(1, sizeof *rt);
	int r;

	rt->nl.fd = -1;
	rt->sock = nl_socket_alloc();
	if (!rt->sock)
		nt_die("out of memory");
	r = nl_connect(rt->sock, NETLINK_ROUTE);
	if (r < 0) {
		nt_err_set(err, errno ? -errno : -EIO, "cannot open rtnetlink socket: %s",
			nl_geterror(r));
		nt_rtnl_close(rt);
		return NULL;
	}
	nt_nl_init(&rt->nl, nl_socket_get_fd(rt->sock));
	return rt;
}

void nt_rtnl_close(struct nt_rtnl *rt)
{
	if (!rt)
		return;
	nt_nl_release(&rt->nl);
	if (rt->sock)
		nl_socket_free(rt->sock);
	free(rt);
}

static struct nt_rtnl *rtnl_of(struct nt_sys *s)
{
	return ((struct nt_live *)(void *)s)->rtnl;
}

struct nl_msg *nt_rtnl_msg(int type, int flags, const void *hdr, size_t len, size_t room)
{
	struct nl_msg *m = nlmsg_alloc_size(NLMSG_HDRLEN + NLMSG_ALIGN(len) + room);

	if (!m || !nlmsg_put(m, 0, 0, type, 0, flags) ||
		nlmsg_append(m, (void *)(uintptr_t)hdr, len, NLMSG_ALIGNTO) < 0)
		nt_die("out of memory");
	return m;
}

int nt_rtnl_dump(struct nt_rtnl *rt, int type, const void *hdr, size_t len, nt_nl_fn *fn,
	void *list, void (*reset)(void *list, size_t n), size_t n0, const char *what,
	struct nt_err *err)
{
	struct nl_msg *m = nt_rtnl_msg(type, NLM_F_DUMP, hdr, len, 0);
	struct nt_nl_reply r;
	int i;

	for (i = 0; i < DUMP_TRIES; i++) {
		if (i)
			reset(list, n0);
		nt_nl_request(&rt->nl, nlmsg_hdr(m), fn, list, &r);
		if (!r.code && !r.interrupted)
			break;
		if (r.code == -EOPNOTSUPP || r.code == -EPERM)
			break;
	}
	nlmsg_free(m);
	return r.code ? nt_nl_fail(err, &r, "cannot list %s", what) : 0;
}

static void reset_qdiscs(void *list, size_t n)
{
	struct nt_qdiscs *q = list;

	while (q->n > n)
		free(q->v[--q->n].options);
}

int nt_rtnl_qdiscs(struct nt_sys *s, struct nt_qdiscs *ret, struct nt_err *err)
{
	struct tcmsg tcm = { .tcm_family = AF_UNSPEC };

	return nt_rtnl_dump(rtnl_of(s), RTM_GETQDISC, &tcm, sizeof tcm, nt_rtnl_parse_qdisc, ret,
		reset_qdiscs, ret->n, "queueing disciplines", err);
}

static void reset_addrs(void *list, size_t n)
{
	struct nt_addrs *as = list;

	while (as->n > n)
		free(as->v[--as->n].msg);
}

int nt_rtnl_addrs(struct nt_sys *s, struct nt_addrs *ret, struct nt_err *err)
{
	struct ifaddrmsg ifa = { .ifa_family = AF_UNSPEC };

	return nt_rtnl_dump(rtnl_of(s), RTM_GETADDR, &ifa, sizeof ifa, nt_rtnl_parse_addr, ret,
		reset_addrs, ret->n, "addresses", err);
}

static void reset_routes(void *list, size_t n)
{
	struct nt_routes *rs = ((struct nt_route_arg *)list)->ret;

	rs->truncated = false;
	while (rs->n > n) {
		free(rs->v[--rs->n].text);
		free(rs->v[rs->n].msg);
	}
}

static int link_name(void *ctx, int ifindex, char ret[NT_IFNAMSIZ])
{
	return nt_ethio_name(((struct nt_live *)ctx)->ethio, ifindex, ret);
}

int nt_rtnl_routes(struct nt_sys *s, struct nt_routes *ret, struct nt_err *err)
{
	struct rtmsg rtm = { .rtm_family = AF_UNSPEC };
	struct nt_route_arg arg = { .ret = ret, .name = link_name, .ctx = s };

	return nt_rtnl_dump(rtnl_of(s), RTM_GETROUTE, &rtm, sizeof rtm, nt_rtnl_parse_route, &arg,
		reset_routes, ret->n, "routes", err);
}

int nt_rtnl_put_back(struct nt_sys *s, enum nt_put_back what, const void *msg, size_t len,
	struct nt_err *err)
{
	struct nt_nl_reply r;
	struct nl_msg *m;
	struct rtmsg rtm;

	if (what == NT_PUT_ROUTE) {
		if (len < sizeof rtm)
			return nt_err_set(err, -EINVAL, "not a route");
		memcpy(&rtm, msg, sizeof rtm);
		if (rtm.rtm_protocol == RTPROT_KERNEL)
			return 0;
	}
	m = nt_rtnl_msg(what == NT_PUT_ADDR ? RTM_NEWADDR : RTM_NEWROUTE,
		NLM_F_CREATE | NLM_F_REPLACE, msg, len, 0);
	nt_nl_request(&rtnl_of(s)->nl, nlmsg_hdr(m), NULL, NULL, &r);
	nlmsg_free(m);
	return r.code ? nt_nl_fail(err, &r, "cannot put back %s",
				what == NT_PUT_ADDR ? "an address" : "a route") : 0;
}

int nt_rtnl_link_set(struct nt_sys *s, int ifindex, const struct nt_link_change *change,
	struct nt_err *err)
{
	struct ifinfomsg ifi = { .ifi_family = AF_UNSPEC, .ifi_index = ifindex };
	struct nl_msg *m = nt_rtnl_msg(RTM_NEWLINK, 0, &ifi, sizeof ifi, 64);
	struct nt_nl_reply r;

	if (change->set_mtu)
		nla_put_u32(m, IFLA_MTU, change->mtu);
	if (change->set_txqueuelen)
		nla_put_u32(m, IFLA_TXQLEN, change->txqueuelen);
	nt_nl_request(&rtnl_of(s)->nl, nlmsg_hdr(m), NULL, NULL, &r);
	nlmsg_free(m);
	if (!r.code)
		return 0;
	return nt_nl_fail(err, &r, "cannot set %s of link %d",
		change->set_mtu ? "the mtu" : "txqueuelen", ifindex);
}

int nt_rtnl_qdisc_set(struct nt_sys *s, int ifindex, uint32_t handle, const char *kind,
	const void *options, size_t options_len, struct nt_err *err)
{
	struct tcmsg tcm = { .tcm_family = AF_UNSPEC, .tcm_ifindex = ifindex,
		.tcm_handle = handle, .tcm_parent = TC_H_ROOT };
	bool delete = !*kind;
	struct nt_nl_reply r;
	struct nl_msg *m;

	if (options_len > UINT16_MAX - NLA_HDRLEN)
		return nt_err_set(err, -EMSGSIZE, "options of qdisc '%s' are too long", kind);
	m = nt_rtnl_msg(delete ? RTM_DELQDISC : RTM_NEWQDISC,
		delete ? 0 : NLM_F_CREATE | NLM_F_REPLACE, &tcm, sizeof tcm,
		strlen(kind) + options_len + 64);
	if (!delete)
		nla_put_string(m, TCA_KIND, kind);
	if (!delete && options)
		nla_put(m, TCA_OPTIONS, (int)options_len, options);
	nt_nl_request(&rtnl_of(s)->nl, nlmsg_hdr(m), NULL, NULL, &r);
	nlmsg_free(m);
	if (!r.code)
		return 0;
	if (delete)
		return nt_nl_fail(err, &r, "cannot delete the root qdisc of link %d", ifindex);
	return nt_nl_fail(err, &r, "cannot set root qdisc '%s' of link %d", kind, ifindex);
}
