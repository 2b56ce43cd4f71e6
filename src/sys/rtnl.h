/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rtnetlink: links, qdiscs, addresses, routes. The parsers touch no socket. */
#ifndef NETTUNE_SYS_RTNL_H
#define NETTUNE_SYS_RTNL_H

#include <linux/netlink.h>

#include "nettune/sys.h"
#include "nl.h"

struct nl_msg;
struct nl_sock;

struct nt_rtnl {
	struct nl_sock *sock;
	struct nt_nl nl;
};

/* NULL on failure, err filled. */
struct nt_rtnl *nt_rtnl_open(struct nt_err *err);
/* Over a connected datagram socket, which must answer like the kernel. */
struct nt_rtnl *nt_rtnl_open_fd(int fd);
void nt_rtnl_close(struct nt_rtnl *rt);

/* A message with fixed header hdr of len bytes and room for attributes; nlmsg_free() it. */
struct nl_msg *nt_rtnl_msg(int type, int flags, const void *hdr, size_t len, size_t room);
/*
 * Dump by request type with header hdr, each message to fn with list. Tried again when it
 * failed or was interrupted; reset first cuts the list to its n0 entries.
 */
int nt_rtnl_dump(struct nt_rtnl *rt, int type, const void *hdr, size_t len, nt_nl_fn *fn,
	void *list, void (*reset)(void *list, size_t n), size_t n0, const char *what,
	struct nt_err *err);
/* Links over rt; see nt_rtnl_links(). */
int nt_rtnl_get_links(struct nt_rtnl *rt, struct nt_links *ret, struct nt_err *err);

/*
 * Parsers of one message of h->nlmsg_len readable bytes: append to the list given as arg.
 * A message of another type or too short is skipped. Return 0, or -errno to stop.
 */
int nt_rtnl_parse_link(void *arg, const struct nlmsghdr *h);  /* struct nt_links */
int nt_rtnl_parse_qdisc(void *arg, const struct nlmsghdr *h); /* struct nt_qdiscs */
int nt_rtnl_parse_addr(void *arg, const struct nlmsghdr *h);  /* struct nt_addrs */
int nt_rtnl_parse_route(void *arg, const struct nlmsghdr *h); /* struct nt_route_arg */

struct nt_route_arg {
	struct nt_routes *ret;
	/* names a link for the text; NULL or -errno: its number is written */
	int (*name)(void *ctx, int ifindex, char ret[NT_IFNAMSIZ]);
	void *ctx;
};

/* Attributes after the fixed header of hdr bytes into tb[max + 1]; false when too short. */
bool nt_rtnl_attrs(const struct nlmsghdr *h, size_t hdr, struct nlattr **tb, int max);

/* The operations of struct nt_sys_ops of the same names. */
int nt_rtnl_link_name(struct nt_sys *s, const char *name, char ret[NT_IFNAMSIZ],
	struct nt_err *err);
int nt_rtnl_links(struct nt_sys *s, struct nt_links *ret, struct nt_err *err);
int nt_rtnl_qdiscs(struct nt_sys *s, struct nt_qdiscs *ret, struct nt_err *err);
int nt_rtnl_addrs(struct nt_sys *s, struct nt_addrs *ret, struct nt_err *err);
int nt_rtnl_routes(struct nt_sys *s, struct nt_routes *ret, struct nt_err *err);
int nt_rtnl_put_back(struct nt_sys *s, enum nt_put_back what, const void *msg, size_t len,
	struct nt_err *err);
int nt_rtnl_link_set(struct nt_sys *s, int ifindex, const struct nt_link_change *change,
	struct nt_err *err);
int nt_rtnl_qdisc_set(struct nt_sys *s, int ifindex, uint32_t handle, const char *kind,
	const void *options, size_t options_len, struct nt_err *err);

#endif
