/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A paced flow of numbered datagrams: rate, loss, order, jitter. */
#include "config.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "nettune/clock.h"
#include "nettune/mem.h"
#include "stream.h"

#define DEFAULT_BPS 10000000
#define FALLBACK_SIZE 1200 /* fits any path */
#define BATCH 32

struct datagram {
	uint64_t seq, sent_ns; /* the sender's byte order is of no matter: see swap */
	uint64_t order;	       /* ORDER in the sender's byte order */
};
#define ORDER UINT64_C(0x0102030405060708)

/* What one datagram may carry without being fragmented. */
static size_t datagram_size(const struct nt_stream *s)
{
	struct sockaddr_storage a;
	socklen_t alen = sizeof a, len = sizeof(int);
	int mtu = 0;

	if (s->spec->write_size)
		return s->spec->write_size < sizeof(struct datagram) ? sizeof(struct datagram)
		       : s->spec->write_size > 65000		     ? 65000
								     : s->spec->write_size;
	if (getsockname(s->fd, (struct sockaddr *)&a, &alen) < 0)
		return FALLBACK_SIZE;
	if (a.ss_family == AF_INET6)
		getsockopt(s->fd, IPPROTO_IPV6, IPV6_MTU, &mtu, &len);
	else
		getsockopt(s->fd, IPPROTO_IP, IP_MTU, &mtu, &len);
	mtu -= a.ss_family == AF_INET6 ? 48 : 28;
	return mtu < (int)sizeof(struct datagram) ? FALLBACK_SIZE : mtu > 8972 ? 8972 : mtu;
}

static void until(uint64_t at_ns)
{
	struct timespec ts = { .tv_sec = at_ns / 1000000000, .tv_nsec = at_ns % 1000000000 };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

void nt_udp_send(struct nt_stream *s)
{
	double bps = s->spec->pacing_bps ? (double)s->spec->pacing_bps : DEFAULT_BPS;
	size_t size = datagram_size(s);
	unsigned char *buf = nt_calloc(1, size);
	struct datagram d = { .order = ORDER };
	double gap_ns;
	uint64_t due, now;
	ssize_t n;

	due = now = nt_now_ns();
	gap_ns = size * 8e9 / bps;
	if (s->share.bps > 0 && bps > s->share.bps) {
		/* the limit holds from the first one on */
		gap_ns = size * 8e9 / s->share.bps;
		due += gap_ns;
	}
	while (!nt_stopped(s)) {
		now = nt_now_ns();
		if (due > now) {
			until(due - now > 100000000 ? now + 100000000 : due);
			continue;
		}
		/* never catch up more than 10 ms: a burst is not what was asked for */
		if (now - due > 10000000)
			due = now - 10000000;
		d.seq = atomic_load_explicit(&s->udp.sent, memory_order_relaxed);
		d.sent_ns = now;
		memcpy(buf, &d, sizeof d);
		n = send(s->fd, buf, size, MSG_NOSIGNAL);
		/* ICMP's port unreachable, and a full queue, are losses like others */
		if (n < 0 && errno != ECONNREFUSED && errno != ENOBUFS && errno != EAGAIN &&
			errno != EINTR) {
			s->error = errno;
			break;
		}
		nt_count(&s->udp.sent, 1);
		if (n > 0)
			nt_count(&s->tx_bytes, n);
		due += gap_ns;
	}
	free(buf);
}

struct arrival {
	bool any;
	int64_t transit;
	double jitter_ns;
};

/* Interarrival jitter by RFC 3550, section 6.4.1; the clocks need not agree. */
static bool take(struct nt_stream *s, struct arrival *a, struct datagram d, uint64_t now)
{
	uint64_t highest = atomic_load_explicit(&s->udp.highest, memory_order_relaxed);
	int64_t transit, diff;

	if (d.order != ORDER) {
		d.seq = __builtin_bswap64(d.seq);
		d.sent_ns = __builtin_bswap64(d.sent_ns);
	}
	/* a sequence number no sender could have reached yet is junk, or a late preamble */
	if (d.seq > highest + (UINT64_C(1) << 32))
		return false;
	nt_count(&s->udp.received, 1);
	if (d.seq + 1 > highest)
		nt_count(&s->udp.highest, d.seq + 1 - highest);
	else
		nt_count(&s->udp.late, 1);
	transit = (int64_t)(now - d.sent_ns);
	if (a->any) {
		diff = (int64_t)((uint64_t)transit - (uint64_t)a->transit);
		a->jitter_ns += ((diff < 0 ? -(double)diff : (double)diff) - a->jitter_ns) / 16;
		atomic_store_explicit(&s->udp.jitter_ns, (uint64_t)a->jitter_ns,
			memory_order_relaxed);
	}
	a->transit = transit;
	a->any = true;
	return true;
}

void nt_udp_recv(struct nt_stream *s)
{
	struct datagram heads[BATCH];
	struct iovec iov[BATCH];
	struct mmsghdr m[BATCH];
	struct arrival a = { .any = false };
	uint64_t now;
	int i, n;

	memset(m, 0, sizeof m);
	for (i = 0; i < BATCH; i++) {
		iov[i] = (struct iovec){ &heads[i], sizeof heads[i] };
		m[i].msg_hdr.msg_iov = &iov[i];
		m[i].msg_hdr.msg_iovlen = 1;
	}
	while (!nt_stopped(s)) {
		/* MSG_TRUNC: only the head is copied, the length is the datagram's */
		n = recvmmsg(s->fd, m, BATCH, MSG_WAITFORONE | MSG_TRUNC, NULL);
		if (n < 0 && errno != EINTR && errno != ECONNREFUSED) {
			s->error = errno;
			break;
		}
		now = nt_now_ns();
		for (i = 0; i < n; i++) {
			if (m[i].msg_len >= sizeof heads[i] && take(s, &a, heads[i], now))
				nt_count(&s->rx_bytes, m[i].msg_len);
		}
	}
}

void nt_udp_discard(struct nt_stream *s)
{
	char c;

	while (!nt_stopped(s))
		if (recv(s->fd, &c, 1, 0) < 0 && errno != EINTR && errno != ECONNREFUSED)
			break;
}
