/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "nettune/mem.h"

/* The kernel fills dump datagrams up to 32 KiB; a single larger message gets its own. */
#define BUF_SIZE (128U << 10)
#define RCVBUF_SIZE (1 << 20)
/* Replies are made while the request is sent; a wait means that one was lost. */
#define TIMEOUT_S 10

void nt_nl_init(struct nt_nl *nl, int fd)
{
	struct timeval tv = { .tv_sec = TIMEOUT_S };
	int on = 1, size = RCVBUF_SIZE;

	memset(nl, 0, sizeof *nl);
	nl->fd = fd;
	nl->size = BUF_SIZE;
	nl->buf = nt_malloc(nl->size);
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof on);
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof on);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv);
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) < 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
}

void nt_nl_release(struct nt_nl *nl)
{
	free(nl->buf);
	memset(nl, 0, sizeof *nl);
	nl->fd = -1;
}

int nt_nl_fail(struct nt_err *err, const struct nt_nl_reply *r, const char *fmt, ...)
{
	char text[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	nt_err_sys(err, r->code, "%s", text);
	nt_err_kernel(err, r->kernel);
	return r->code;
}

/* Find the ext-ack text among len bytes of attributes. */
static void find_ext_ack(const unsigned char *p, size_t len, char *ret, size_t size)
{
	struct nlattr a;
	size_t text;

	while (len >= sizeof a) {
		memcpy(&a, p, sizeof a);
		if (a.nla_len < sizeof a || a.nla_len > len)
			return;
		if ((a.nla_type & NLA_TYPE_MASK) == NLMSGERR_ATTR_MSG) {
			text = strnlen((const char *)p + NLA_HDRLEN, a.nla_len - NLA_HDRLEN);
			snprintf(ret, size, "%.*s", (int)text, (const char *)p + NLA_HDRLEN);
		}
		if ((size_t)NLA_ALIGN(a.nla_len) >= len)
			return;
		len -= NLA_ALIGN(a.nla_len);
		p += NLA_ALIGN(a.nla_len);
	}
}

/* NLMSG_ERROR and NLMSG_DONE both begin with an error number. */
static void parse_end(const struct nlmsghdr *h, struct nt_nl_reply *ret)
{
	const unsigned char *p = (const unsigned char *)h + NLMSG_HDRLEN;
	size_t len = h->nlmsg_len - NLMSG_HDRLEN, skip = sizeof(int);
	int code = 0;
	uint32_t inner;

	if (len >= sizeof code)
		memcpy(&code, p, sizeof code);
	if (!ret->code && code < 0)
		ret->code = code;
	if (!(h->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	if (h->nlmsg_type == NLMSG_ERROR) {
		skip += sizeof(struct nlmsghdr);
		if (len < skip)
			return;
		memcpy(&inner, p + sizeof(int), sizeof inner);
		if (!(h->nlmsg_flags & NLM_F_CAPPED) && inner > sizeof(struct nlmsghdr))
			skip += NLMSG_ALIGN((size_t)inner) - sizeof(struct nlmsghdr);
	}
	if (len > skip)
		find_ext_ack(p + skip, len - skip, ret->kernel, sizeof ret->kernel);
}

int nt_nl_datagram(const void *data, size_t len, uint32_t seq, nt_nl_fn *fn, void *arg,
	struct nt_nl_reply *ret)
{
	const unsigned char *p = data;
	const struct nlmsghdr *h;
	size_t step;

	for (; len >= sizeof *h; p += step, len -= step) {
		h = (const struct nlmsghdr *)(const void *)p;
		if (h->nlmsg_len < sizeof *h || h->nlmsg_len > len)
			break;
		step = NLMSG_ALIGN(h->nlmsg_len) < len ? NLMSG_ALIGN(h->nlmsg_len) : len;
		if (h->nlmsg_seq != seq)
			continue;
		if (h->nlmsg_flags & NLM_F_DUMP_INTR)
			ret->interrupted = true;
		if (h->nlmsg_type == NLMSG_ERROR || h->nlmsg_type == NLMSG_DONE) {
			parse_end(h, ret);
			return 1;
		}
		/* after a failure the rest is still taken off the socket: it would refuse
		 * the next dump as busy */
		if (h->nlmsg_type < NLMSG_MIN_TYPE || ret->code || !fn)
			continue;
		ret->code = fn(arg, h);
	}
	return 0;
}

static int receive(struct nt_nl *nl, size_t *ret_len, bool *ret_truncated)
{
	struct sockaddr_nl from = { 0 };
	struct iovec iov = { nl->buf, nl->size };
	struct msghdr msg = { .msg_name = &from, .msg_namelen = sizeof from, .msg_iov = &iov,
		.msg_iovlen = 1 };
	ssize_t n;

	do {
		do
			n = recvmsg(nl->fd, &msg, 0);
		while (n < 0 && errno == EINTR);
		if (n < 0)
			return errno == EAGAIN ? -ETIMEDOUT : -errno;
		if (n == 0)
			return -EPIPE;
		/* only the kernel is listened to */
	} while (msg.msg_namelen == sizeof from && from.nl_pid != 0);
	*ret_truncated = msg.msg_flags & MSG_TRUNC;
	*ret_len = n;
	return 0;
}

int nt_nl_request(struct nt_nl *nl, struct nlmsghdr *h, nt_nl_fn *fn, void *arg,
	struct nt_nl_reply *ret)
{
	bool dump = (h->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP &&
		    !(h->nlmsg_flags & NLM_F_CREATE);
	bool truncated = false;
	size_t len = 0;
	ssize_t n;
	int r;

	memset(ret, 0, sizeof *ret);
	h->nlmsg_seq = ++nl->seq;
	h->nlmsg_flags |= NLM_F_REQUEST;
	if (!dump)
		h->nlmsg_flags |= NLM_F_ACK;
	do
		n = send(nl->fd, h, h->nlmsg_len, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return ret->code = -errno;
	for (;;) {
		r = receive(nl, &len, &truncated);
		if (r < 0)
			return ret->code = r;
		if (truncated && !ret->code)
			ret->code = -EMSGSIZE;
		if (nt_nl_datagram(nl->buf, len, h->nlmsg_seq, fn, arg, ret) ||
			(nl->once && ret->code))
			return ret->code;
	}
}
