/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "sockdiag.h"

#include <arpa/inet.h>
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/inet_diag.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <stdio.h>
#include <string.h>

#include "ethnl.h"
#include "nettune/mem.h"
#include "nl.h"

/* ---- parsing ---- */

/* Where a number lies within what an attribute carries, and within struct nt_sock. */
struct field {
	uint16_t from, size, to;
};

#define INFO(kernels, ours)                                                              \
	{                                                                                \
		offsetof(struct tcp_info, kernels),                                      \
			sizeof(((struct tcp_info *)NULL)->kernels),                      \
			offsetof(struct nt_sock, ours)                                   \
	}
#define MEM(kernels, ours) { 4 * (kernels), 4, offsetof(struct nt_sock, ours) }

/* Both grow at their end from kernel to kernel. */
static const struct field info_fields[] = {
	INFO(tcpi_snd_mss, mss), INFO(tcpi_unacked, unacked), INFO(tcpi_rtt, rtt),
	INFO(tcpi_snd_cwnd, cwnd), INFO(tcpi_total_retrans, retrans),
	INFO(tcpi_pacing_rate, pacing_rate), INFO(tcpi_bytes_acked, bytes_acked),
	INFO(tcpi_bytes_received, bytes_received), INFO(tcpi_notsent_bytes, not_sent),
	INFO(tcpi_min_rtt, min_rtt), INFO(tcpi_delivery_rate, delivery_rate),
	INFO(tcpi_busy_time, busy), INFO(tcpi_rwnd_limited, rwnd_limited),
	INFO(tcpi_sndbuf_limited, sndbuf_limited),
};
static const struct field mem_fields[] = {
	MEM(SK_MEMINFO_RMEM_ALLOC, rmem), MEM(SK_MEMINFO_RCVBUF, rcvbuf),
	MEM(SK_MEMINFO_SNDBUF, sndbuf), MEM(SK_MEMINFO_WMEM_QUEUED, wmem),
	MEM(SK_MEMINFO_DROPS, drops),
};

/* data NULL: all of them unknown. */
static void fill(struct nt_sock *ret, const struct field *v, size_t n, const void *data,
	size_t len)
{
	uint64_t number;
	uint32_t half;
	size_t i;

	for (i = 0; i < n; i++) {
		number = NT_SOCK_UNKNOWN;
		if (data && v[i].size == sizeof half && v[i].from + sizeof half <= len) {
			memcpy(&half, (const char *)data + v[i].from, sizeof half);
			number = half;
		} else if (data && v[i].size == sizeof number &&
			   v[i].from + sizeof number <= len) {
			memcpy(&number, (const char *)data + v[i].from, sizeof number);
		}
		memcpy((char *)ret + v[i].to, &number, sizeof number);
	}
}

static void fill_info(struct nt_sock *ret, const void *data, size_t len)
{
	fill(ret, info_fields, NT_ARRAY_SIZE(info_fields), data, len);
	if (ret->min_rtt == UINT32_MAX) /* nothing measured yet */
		ret->min_rtt = NT_SOCK_UNKNOWN;
}

static void fill_mem(struct nt_sock *ret, const void *data, size_t len)
{
	fill(ret, mem_fields, NT_ARRAY_SIZE(mem_fields), data, len);
}

static void fill_end(struct nt_sock_end *ret, const void *addr, size_t len, uint16_t port)
{
	memset(ret, 0, sizeof *ret);
	memcpy(ret->addr, addr, len);
	ret->port = ntohs(port);
}

static void fill_identity(struct nt_sock *ret, const struct inet_diag_msg *m)
{
	size_t len = m->idiag_family == AF_INET ? 4 : 16;

	ret->cookie = (uint64_t)m->id.idiag_cookie[1] << 32 | m->id.idiag_cookie[0];
	ret->family = m->idiag_family;
	ret->state = m->idiag_state;
	fill_end(&ret->local, m->id.idiag_src, len, m->id.idiag_sport);
	fill_end(&ret->remote, m->id.idiag_dst, len, m->id.idiag_dport);
	ret->rqueue = m->idiag_rqueue;
	ret->wqueue = m->idiag_wqueue;
}

bool nt_sockdiag_parse(const struct nlmsghdr *h, struct nt_sock *ret)
{
	const struct nlattr *a;
	struct inet_diag_msg m;
	const char *attrs;
	size_t len;

	if (h->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
		h->nlmsg_len < NLMSG_HDRLEN + NLMSG_ALIGN(sizeof m))
		return false;
	memcpy(&m, (const char *)h + NLMSG_HDRLEN, sizeof m);
	if (m.idiag_family != AF_INET && m.idiag_family != AF_INET6)
		return false;
	*ret->congestion = '\0';
	fill_identity(ret, &m);
	fill_info(ret, NULL, 0);
	fill_mem(ret, NULL, 0);
	attrs = (const char *)h + NLMSG_HDRLEN + NLMSG_ALIGN(sizeof m);
	NT_ATTR_EACH(a, attrs, h->nlmsg_len - NLMSG_HDRLEN - NLMSG_ALIGN(sizeof m)) {
		const char *data = mnl_attr_get_payload(a);

		len = mnl_attr_get_payload_len(a);
		if (mnl_attr_get_type(a) == INET_DIAG_INFO)
			fill_info(ret, data, len);
		else if (mnl_attr_get_type(a) == INET_DIAG_SKMEMINFO)
			fill_mem(ret, data, len);
		else if (mnl_attr_get_type(a) == INET_DIAG_CONG)
			snprintf(ret->congestion, sizeof ret->congestion, "%.*s",
				(int)strnlen(data, len), data);
	}
	return true;
}

void nt_sock_end_text(char ret[NT_SOCK_TEXT], int family, const struct nt_sock_end *end)
{
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };
	const unsigned char *addr = end->addr;
	char text[INET6_ADDRSTRLEN] = "";

	if (family == AF_INET6 && !memcmp(addr, mapped, sizeof mapped)) {
		family = AF_INET;
		addr += sizeof mapped;
	}
	inet_ntop(family, addr, text, sizeof text);
	snprintf(ret, NT_SOCK_TEXT, family == AF_INET6 ? "[%s]:%u" : "%s:%u", text, end->port);
}

/* ---- asking ---- */

struct dump {
	nt_sock_fn *fn;
	void *arg;
	bool stopped;
};

static int got(void *arg, const struct nlmsghdr *h)
{
	struct dump *d = arg;
	struct nt_sock sock;

	if (!nt_sockdiag_parse(h, &sock))
		return 0;
	d->stopped = d->fn(d->arg, &sock) != 0;
	return d->stopped ? -ECANCELED : 0;
}

int nt_sockdiag_dump(int fd, int family, unsigned states, nt_sock_fn *fn, void *arg,
	bool *ret_stopped, struct nt_err *err)
{
	struct inet_diag_req_v2 req = { .sdiag_family = (uint8_t)family,
		.sdiag_protocol = IPPROTO_TCP, .idiag_states = states,
		.idiag_ext = 1 << (INET_DIAG_INFO - 1) | 1 << (INET_DIAG_SKMEMINFO - 1) |
			     1 << (INET_DIAG_CONG - 1) };
	char buf[NLMSG_SPACE(sizeof req)] __attribute__((aligned(4)));
	struct nlmsghdr *h = mnl_nlmsg_put_header(buf);
	struct dump d = { .fn = fn, .arg = arg };
	struct nt_nl_reply r;
	struct nt_nl nl;

	h->nlmsg_type = SOCK_DIAG_BY_FAMILY;
	h->nlmsg_flags = NLM_F_DUMP;
	memcpy(mnl_nlmsg_put_extra_header(h, sizeof req), &req, sizeof req);
	nt_nl_init(&nl, fd);
	nl.once = true;
	nt_nl_request(&nl, h, got, &d, &r);
	nt_nl_release(&nl);
	*ret_stopped = d.stopped;
	return r.code && !d.stopped ? nt_nl_fail(err, &r, "cannot list TCP sockets") : 0;
}

static int dump_family(int family, unsigned states, nt_sock_fn *fn, void *arg,
	bool *ret_stopped, struct nt_err *err)
{
	struct mnl_socket *sock = mnl_socket_open2(NETLINK_SOCK_DIAG, SOCK_CLOEXEC);
	int r;

	if (!sock)
		return nt_err_sys(err, -errno, "cannot open a socket to list TCP sockets");
	r = nt_sockdiag_dump(mnl_socket_get_fd(sock), family, states, fn, arg, ret_stopped, err);
	mnl_socket_close(sock);
	return r;
}

int nt_sockdiag_sockets(struct nt_sys *s, unsigned states, nt_sock_fn *fn, void *arg,
	struct nt_err *err)
{
	bool stopped = false;
	int r;

	(void)s;
	r = dump_family(AF_INET, states, fn, arg, &stopped, err);
	if (r || stopped)
		return r;
	r = dump_family(AF_INET6, states, fn, arg, &stopped, err);
	return r == -ENOENT ? 0 : r; /* a kernel without IPv6 */
}
