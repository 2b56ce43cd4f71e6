/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bulk transfer and request/response over an open TCP connection. */
#include "config.h"

#include <errno.h>
#include <time.h>
#include <linux/errqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "nettune/clock.h"
#include "nettune/mem.h"
#include "stream.h"

/* Large enough that system calls do not count, small enough to stay in a CPU's cache. */
#define BULK_WRITE (128 * 1024)
#define BULK_READ (128 * 1024)

/* How long fast data may gather before the receiver is woken for it. */
#define GATHER_NS 100000
/* No batch is worth waiting for below this. */
#define GATHER_MIN (32 * 1024)
#define GATHER_MAX (512 * 1024)
#define PACE_NS 5000000   /* the rate is taken over at least so long, */
#define PACE_ROUNDS 64	  /* and so many reads */
#define PATIENCE_US 20000 /* a batch that is not full by then is taken as it is */

/* A page-aligned buffer of noise, so that nothing on the way can compress it. */
static unsigned char *noise(size_t size)
{
	unsigned char *buf = aligned_alloc(4096, (size + 4095) / 4096 * 4096);
	uint64_t x = 88172645463325252u; /* xorshift64, Marsaglia 2003 */
	size_t i;

	if (!buf)
		nt_die("out of memory");
	for (i = 0; i < size; i += sizeof x) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		memcpy(buf + i, &x, size - i < sizeof x ? size - i : sizeof x);
	}
	return buf;
}

/* Take the notices of finished zero-copy sends; remember whether the kernel copied. */
static void zerocopy_reap(struct nt_stream *s)
{
	union {
		struct cmsghdr align;
		unsigned char buf[CMSG_SPACE(sizeof(struct sock_extended_err) +
			sizeof(struct sockaddr_in6))];
	} control;
	struct msghdr m = { .msg_control = &control };
	struct cmsghdr *c;
	struct sock_extended_err ee;

	for (;;) {
		m.msg_controllen = sizeof control;
		if (recvmsg(s->fd, &m, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
			return;
		for (c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c)) {
			memcpy(&ee, CMSG_DATA(c), sizeof ee);
			if (ee.ee_origin == SO_EE_ORIGIN_ZEROCOPY &&
				(ee.ee_code & SO_EE_CODE_ZEROCOPY_COPIED))
				atomic_store(&s->zerocopy_copied, 1);
		}
	}
}

void nt_bulk_send(struct nt_stream *s)
{
	size_t size = s->spec->write_size ? s->spec->write_size : BULK_WRITE;
	int flags = MSG_NOSIGNAL | (s->spec->zerocopy ? MSG_ZEROCOPY : 0);
	unsigned char *buf;
	unsigned rounds = 0;
	ssize_t n;

	size = nt_share_piece(&s->share, size);
	buf = noise(size);
	while (!nt_stopped(s)) {
		n = send(s->fd, buf, size, flags);
		if (n > 0) {
			nt_count(&s->tx_bytes, n);
			nt_stream_hold(s, (size_t)n);
		} else if (n < 0 && errno == ENOBUFS && s->spec->zerocopy) {
			struct pollfd p = { .fd = s->fd };

			poll(&p, 1, 100);
			zerocopy_reap(s);
		} else if (n < 0 && errno != EINTR) {
			s->error = errno;
			break;
		}
		if (s->spec->zerocopy && ++rounds % 32 == 0)
			zerocopy_reap(s);
	}
	/* the content never changes, so pages still in flight may be freed: the kernel holds
	 * references of its own */
	free(buf);
}

/*
 * A wake-up for every segment is much of what receiving costs where they come fast, at both
 * ends where these share a host. SO_RCVLOWAT has the kernel gather what arrives within
 * GATHER_NS first; never more than the socket buffer holds without growing for it, which
 * would be a larger window than programs get. Where segments come up on the receiver's own
 * CPU there is no other to be spared, and what gathers is pushed out of the cache meanwhile.
 */
struct gather {
	uint64_t since_ns, bytes; /* received since */
	unsigned rounds;
	int batch; /* SO_RCVLOWAT; 1: woken for every byte */
};

static void set_batch(struct nt_stream *s, struct gather *g, int batch)
{
	if (setsockopt(s->fd, SOL_SOCKET, SO_RCVLOWAT, &batch, sizeof batch) == 0)
		g->batch = batch;
}

static int socket_option(const struct nt_stream *s, int name)
{
	socklen_t len = sizeof(int);
	int v = -1;

	getsockopt(s->fd, SOL_SOCKET, name, &v, &len);
	return v;
}

static void pace(struct nt_stream *s, struct gather *g)
{
	uint64_t now = nt_now_ns();
	double batch;
	int buffer;

	g->rounds = 0;
	if (now - g->since_ns < PACE_NS)
		return;
	batch = (double)g->bytes * GATHER_NS / (double)(now - g->since_ns);
	g->since_ns = now;
	g->bytes = 0;
	buffer = socket_option(s, SO_RCVBUF);
	if (batch > buffer / 4)
		batch = buffer / 4;
	if (batch > GATHER_MAX)
		batch = GATHER_MAX;
	if (batch < GATHER_MIN || socket_option(s, SO_INCOMING_CPU) == sched_getcpu())
		batch = 1;
	if (batch > 1.5 * g->batch || batch < g->batch / 1.5)
		set_batch(s, g, (int)batch);
}

/* What there is at the end of the patience, less than a batch: the rate fell. */
static void give_up_batch(struct nt_stream *s, struct gather *g)
{
	set_batch(s, g, 1);
	g->rounds = 0;
	g->bytes = 0;
	g->since_ns = nt_now_ns();
}

void nt_bulk_recv(struct nt_stream *s)
{
	static const struct timeval patience = { .tv_usec = PATIENCE_US };
	/* nothing is written to the buffer then, and a call more is all that counts */
	int size = s->spec->trunc ? GATHER_MAX : BULK_READ;
	unsigned char *buf;
	struct gather g = { .since_ns = nt_now_ns(), .batch = 1 };
	int flags = s->spec->trunc ? MSG_TRUNC : 0;
	ssize_t n;

	size = (int)nt_share_piece(&s->share, (size_t)size);
	buf = noise(size);
	setsockopt(s->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	while (!nt_stopped(s)) {
		n = recv(s->fd, buf, size, flags);
		if (n > 0) {
			nt_count(&s->rx_bytes, n);
			g.bytes += (uint64_t)n;
			if (s->share.bps > 0)
				nt_stream_hold(s, (size_t)n);
			else if (n < (g.batch < size ? g.batch : size))
				give_up_batch(s, &g);
			else if (++g.rounds == PACE_ROUNDS)
				pace(s, &g);
		} else if (n < 0 && errno == EAGAIN) {
			if (g.batch > 1)
				give_up_batch(s, &g);
		} else if (n == 0 || errno != EINTR) {
			s->error = n < 0 ? errno : EPIPE;
			break;
		}
	}
	free(buf);
}

/* Worth another try: EAGAIN is what a socket with a time-out says, to look whether the run is
 * over; who holds back a limited flow may take longer. */
static bool again(const struct nt_stream *s)
{
	return (errno == EINTR || errno == EAGAIN) && !nt_stopped(s);
}

static int send_all(struct nt_stream *s, const unsigned char *buf, size_t len)
{
	ssize_t n;

	while (len) {
		n = send(s->fd, buf, nt_share_piece(&s->share, len), MSG_NOSIGNAL);
		if (n < 0 && again(s))
			continue;
		if (n <= 0)
			return n < 0 ? errno : EPIPE;
		nt_count(&s->tx_bytes, n);
		nt_stream_hold(s, (size_t)n);
		buf += n;
		len -= n;
	}
	return 0;
}

static int recv_all(struct nt_stream *s, unsigned char *buf, size_t size, size_t len)
{
	ssize_t n;

	while (len) {
		n = recv(s->fd, buf, nt_share_piece(&s->share, len < size ? len : size), 0);
		if (n < 0 && again(s))
			continue;
		if (n <= 0)
			return n < 0 ? errno : EPIPE;
		nt_count(&s->rx_bytes, n);
		nt_stream_hold(s, (size_t)n);
		len -= n;
	}
	return 0;
}

void nt_rr_client(struct nt_stream *s)
{
	size_t request = s->group->request, response = s->group->response;
	size_t size = request > response ? request : response;
	unsigned char *buf = noise(size);
	uint64_t before = nt_now_ns(), now;

	while (!nt_stopped(s)) {
		s->error = send_all(s, buf, request);
		if (!s->error)
			s->error = recv_all(s, buf, size, response);
		if (s->error)
			break;
		/* one reading of the clock ends this round and begins the next */
		now = nt_now_ns();
		if (atomic_load_explicit(s->measuring, memory_order_relaxed)) {
			nt_hist_add(s->hist, now - before);
			nt_count(&s->transactions, 1);
		}
		before = now;
	}
	free(buf);
}

void nt_rr_server(struct nt_stream *s)
{
	size_t request = s->group->request, response = s->group->response;
	size_t size = request > response ? request : response;
	unsigned char *buf = noise(size);

	while (!nt_stopped(s)) {
		s->error = recv_all(s, buf, size, request);
		if (!s->error)
			s->error = send_all(s, buf, response);
		if (s->error)
			break;
		nt_count(&s->transactions, 1);
	}
	free(buf);
}

/* Called again, connect() waits on for the same connection. */
static int crr_connect(struct nt_stream *s)
{
	int rc;

	do
		rc = connect(s->fd, (const struct sockaddr *)&s->target->addr, s->target->len);
	while (rc < 0 && (errno == EINPROGRESS || errno == EALREADY || errno == EINTR) &&
		!nt_stopped(s));
	return rc < 0 ? errno : 0;
}

/* One transaction on a connection of its own: 0 or an errno. */
static int crr_once(struct nt_stream *s, unsigned char *buf, size_t size)
{
	/* neither a lost SYN nor a long path must keep the run from ending */
	static const struct timeval look = { .tv_usec = 100000 };
	int rc;
	ssize_t n;

	s->fd = socket(s->target->addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (s->fd < 0)
		return errno;
	setsockopt(s->fd, SOL_SOCKET, SO_SNDTIMEO, &look, sizeof look);
	setsockopt(s->fd, SOL_SOCKET, SO_RCVTIMEO, &look, sizeof look);
	rc = nt_stream_sockopts(s->fd, s->spec, s->group, NULL) ? EINVAL : crr_connect(s);
	if (!rc)
		rc = send_all(s, buf, s->group->request);
	if (!rc)
		rc = recv_all(s, buf + s->group->request, size, s->group->response);
	/* the server closes first, as a web server does */
	if (!rc) {
		do
			n = recv(s->fd, buf + s->group->request, 1, 0);
		while (n < 0 && again(s));
		rc = n < 0 ? errno : n ? EPROTO : 0;
	}
	close(s->fd);
	s->fd = -1;
	return rc;
}

void nt_crr_client(struct nt_stream *s)
{
	size_t size = BULK_READ;
	unsigned char *buf = noise(s->group->request + size);
	struct nt_preamble p = { .kind = NT_CONN_CRR, .version = NT_WIRE_VERSION,
		.stream = s->index };
	unsigned failures = 0;
	uint64_t before;

	memcpy(p.nonce, s->target->token, NT_TOKEN_LEN);
	nt_preamble_write(buf, &p);
	while (!nt_stopped(s) && failures < 20) {
		before = nt_now_ns();
		s->error = crr_once(s, buf, size);
		if (s->error) {
			failures++;
			continue;
		}
		failures = 0;
		if (atomic_load_explicit(s->measuring, memory_order_relaxed)) {
			nt_hist_add(s->hist, nt_now_ns() - before);
			nt_count(&s->transactions, 1);
		}
	}
	free(buf);
}
