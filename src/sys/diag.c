/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Established TCP sockets of the namespace, by inet_diag: sock_diag(7). No privilege needed. */
#include "config.h"

#include "diag.h"

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nettune/mem.h"
#include "nl.h"

enum { ESTABLISHED = 1 }; /* TCP_ESTABLISHED of linux/tcp_states.h */

#define HAS(len, member)                                                                 \
	((len) >= offsetof(struct tcp_info, member) + sizeof(((struct tcp_info *)0)->member))

static void tcp_facts(struct nt_sock *k, const void *data, size_t len)
{
	struct tcp_info ti = { 0 };

	memcpy(&ti, data, len < sizeof ti ? len : sizeof ti);
	k->rtt_us = ti.tcpi_rtt;
	k->unacked = ti.tcpi_unacked;
	k->has_limits = HAS(len, tcpi_sndbuf_limited); /* since 4.10 */
	k->busy_us = ti.tcpi_busy_time;
	k->rwnd_limited_us = ti.tcpi_rwnd_limited;
	k->sndbuf_limited_us = ti.tcpi_sndbuf_limited;
}

static void attribute(struct nt_sock *k, int type, const void *data, size_t len)
{
	uint32_t mem[SK_MEMINFO_VARS] = { 0 };

	if (type == INET_DIAG_INFO) {
		tcp_facts(k, data, len);
	} else if (type == INET_DIAG_SKMEMINFO) {
		memcpy(mem, data, len < sizeof mem ? len : sizeof mem);
		k->rcvbuf = mem[SK_MEMINFO_RCVBUF];
		k->sndbuf = mem[SK_MEMINFO_SNDBUF];
		k->wmem_queued = mem[SK_MEMINFO_WMEM_QUEUED];
	}
}

static bool is_loopback(const struct inet_diag_msg *m)
{
	static const unsigned char localhost6[16] = { [15] = 1 },
				   mapped[12] = { [10] = 0xff, [11] = 0xff };
	const unsigned char *dst = (const unsigned char *)m->id.idiag_dst;
	const void *src = m->id.idiag_src;

	if (m->idiag_family == AF_INET)
		return dst[0] == 127 || memcmp(dst, src, 4) == 0;
	if (memcmp(dst, mapped, sizeof mapped) == 0)
		return dst[12] == 127 || memcmp(dst, src, 16) == 0;
	return memcmp(dst, localhost6, 16) == 0 || memcmp(dst, src, 16) == 0;
}

int nt_diag_parse(void *arg, const struct nlmsghdr *h)
{
	struct nt_socks *list = arg;
	struct inet_diag_msg m;
	struct nt_sock k = { 0 };
	const unsigned char *at, *end = (const unsigned char *)h + h->nlmsg_len;
	struct nlattr a;

	if (h->nlmsg_type != SOCK_DIAG_BY_FAMILY || h->nlmsg_len < NLMSG_LENGTH(sizeof m))
		return 0;
	memcpy(&m, NLMSG_DATA(h), sizeof m);
	at = (const unsigned char *)NLMSG_DATA(h) + NLMSG_ALIGN(sizeof m);
	k.cookie = (uint64_t)m.id.idiag_cookie[1] << 32 | m.id.idiag_cookie[0];
	k.loopback = is_loopback(&m);
	while (at < end && (size_t)(end - at) >= sizeof a) {
		memcpy(&a, at, sizeof a);
		if (a.nla_len < sizeof a || a.nla_len > end - at)
			break;
		attribute(&k, a.nla_type & NLA_TYPE_MASK, at + sizeof a, a.nla_len - sizeof a);
		at += NLA_ALIGN(a.nla_len);
	}
	NT_GROW(list->v, list->n, list->cap);
	list->v[list->n++] = k;
	return 0;
}

static int dump(struct nt_nl *nl, int family, struct nt_socks *ret, struct nt_nl_reply *r)
{
	struct {
		struct nlmsghdr h;
		struct inet_diag_req_v2 q;
	} m = {
		.h = { .nlmsg_len = sizeof m, .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_DUMP },
		.q = { .sdiag_family = family, .sdiag_protocol = IPPROTO_TCP,
			.idiag_states = 1U << ESTABLISHED,
			.idiag_ext = 1U << (INET_DIAG_INFO - 1) |
				     1U << (INET_DIAG_SKMEMINFO - 1) },
	};

	return nt_nl_request(nl, &m.h, nt_diag_parse, ret, r);
}

int nt_diag_socks(struct nt_sys *s, struct nt_socks *ret, struct nt_err *err)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	struct nt_nl_reply r;
	struct nt_nl nl;
	int rc;

	(void)s;
	if (fd < 0)
		return nt_err_sys(err, -errno, "cannot list sockets");
	nt_nl_init(&nl, fd);
	/* a kernel without IPv6 refuses the second */
	rc = dump(&nl, AF_INET, ret, &r);
	if (rc == 0 && dump(&nl, AF_INET6, ret, &r) < 0 && r.code != -ENOENT &&
		r.code != -EINVAL)
		rc = r.code;
	if (rc < 0)
		nt_nl_fail(err, &r, "cannot list sockets");
	nt_nl_release(&nl);
	close(fd);
	return rc;
}
