/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "serve_conn.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "nettune/clock.h"
#include "nettune/mem.h"

#define PREAMBLE_NS 3000000000ull
#define ACCEPT_A_ROUND 64
#define DATAGRAMS_A_ROUND 64

static bool allowed(const struct nt_server *sv, const struct sockaddr_storage *a)
{
	const struct sockaddr_in6 *in6 = (const void *)a;
	const unsigned char *addr = in6->sin6_addr.s6_addr;
	int family = a->ss_family;
	unsigned i;

	if (!sv->n_allow)
		return true;
	if (family == AF_INET) {
		addr = (const void *)&((const struct sockaddr_in *)a)->sin_addr;
	} else if (IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr)) {
		addr += 12;
		family = AF_INET;
	}
	for (i = 0; i < sv->n_allow; i++) {
		const struct nt_allow *n = &sv->allow[i];
		unsigned bytes = n->bits / 8, rest = n->bits % 8;

		if (n->family == family && memcmp(n->addr, addr, bytes) == 0 &&
			(!rest || (n->addr[bytes] ^ addr[bytes]) >> (8 - rest) == 0))
			return true;
	}
	return false;
}

static void drop(struct nt_server *sv, struct nt_pending *c)
{
	if (c->gone)
		return;
	if (c->src.fd >= 0)
		close(c->src.fd);
	c->src.fd = -1;
	c->gone = true;
	if (c->crr)
		c->crr->crr_open--;
	else
		sv->n_pending--;
}

/* Too many wait: the host that has most of them loses its oldest. False if none waits. */
static bool evict(struct nt_server *sv)
{
	struct nt_pending *c, *d, *victim = NULL;
	unsigned n, most = 0;

	/* newest first in the list, so the last of a host's is its oldest */
	for (c = sv->pending; c; c = c->next) {
		if (c->gone || c->crr)
			continue;
		for (n = 0, d = sv->pending; d; d = d->next)
			n += !d->gone && !d->crr && nt_addr_same_host(&c->peer, &d->peer);
		if (n >= most) {
			most = n;
			victim = c;
		}
		if (n > NT_SERVER_PENDING / 2) { /* no other can have more */
			for (d = c; d; d = d->next)
				if (!d->gone && !d->crr && nt_addr_same_host(&c->peer, &d->peer))
					victim = d;
			break;
		}
	}
	if (victim)
		drop(sv, victim);
	return victim;
}

/* No descriptor is left to take a connection with, and none can be taken from those who wait:
 * the spare one serves to turn it away, where it would wait and wake the loop for ever. */
static void turn_away(struct nt_server *sv, int listener)
{
	int conn;

	if (sv->spare_fd < 0)
		return;
	close(sv->spare_fd);
	conn = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (conn >= 0)
		close(conn);
	sv->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

void nt_serve_accept(struct nt_server *sv, int fd, uint64_t now)
{
	struct sockaddr_storage peer;
	struct nt_pending *c;
	socklen_t len;
	int i, conn;

	for (i = 0; i < ACCEPT_A_ROUND; i++) {
		len = sizeof peer;
		memset(&peer, 0, sizeof peer);
		conn = accept4(fd, (struct sockaddr *)&peer, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (conn < 0) {
			if (errno == ECONNABORTED || errno == EINTR)
				continue;
			if ((errno == EMFILE || errno == ENFILE || errno == ENOMEM ||
				    errno == ENOBUFS) &&
				!evict(sv))
				turn_away(sv, fd);
			return;
		}
		if (!allowed(sv, &peer)) {
			close(conn);
			continue;
		}
		if (sv->n_pending >= NT_SERVER_PENDING)
			evict(sv);
		c = nt_calloc(1, sizeof *c);
		c->src.kind = NT_SRC_CONN;
		c->src.fd = conn;
		c->peer = peer;
		c->deadline_ns = now + PREAMBLE_NS;
		c->events = EPOLLIN;
		c->next = sv->pending;
		sv->pending = c;
		sv->n_pending++;
		nt_serve_conn(sv, c);
		if (!c->gone) {
			struct epoll_event ev = { .events = c->events, .data.ptr = &c->src };

			if (epoll_ctl(sv->epoll_fd, EPOLL_CTL_ADD, conn, &ev) < 0)
				drop(sv, c);
		}
	}
}

/* ---- connect, request, response, close ------------------------------------------------ */

static void want(const struct nt_server *sv, struct nt_pending *c, uint32_t events)
{
	struct epoll_event ev = { .events = events, .data.ptr = &c->src };

	/* fails harmlessly when the descriptor is not watched yet */
	if (events != c->events)
		epoll_ctl(sv->epoll_fd, EPOLL_CTL_MOD, c->src.fd, &ev);
	c->events = events;
}

/* Whether all connections together are ahead of their share: this one waits for its turn. */
static bool hold(const struct nt_server *sv, struct nt_pending *c)
{
	uint64_t now = c->crr->crr_share.bps > 0 ? nt_now_ns() : 0;

	if (!nt_share_wait(&c->crr->crr_share, now))
		return false;
	c->held_ns = now;
	want(sv, c, 0);
	return true;
}

static void crr_respond(struct nt_server *sv, struct nt_pending *c)
{
	static const char zeros[65536];
	struct nt_share *share = &c->crr->crr_share;
	ssize_t n;

	while (c->response_left && !hold(sv, c)) {
		n = send(c->src.fd, zeros,
			nt_share_piece(share, c->response_left < sizeof zeros ? c->response_left
									      : sizeof zeros),
			MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			want(sv, c, EPOLLOUT);
			return;
		}
		if (n <= 0) {
			drop(sv, c);
			return;
		}
		c->response_left -= n;
		share->bytes += (uint64_t)n;
		nt_count(&c->crr->crr_bytes, n);
	}
	if (c->response_left)
		return;
	nt_count(&c->crr->crr_transactions, 1);
	drop(sv, c);
}

static void crr_event(struct nt_server *sv, struct nt_pending *c)
{
	struct nt_share *share = &c->crr->crr_share;
	char skip[4096];
	ssize_t n;

	while (c->request_left && !hold(sv, c)) {
		n = recv(c->src.fd, skip,
			nt_share_piece(share, c->request_left < sizeof skip ? c->request_left
									    : sizeof skip),
			MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			want(sv, c, EPOLLIN);
			return;
		}
		if (n <= 0) {
			drop(sv, c);
			return;
		}
		c->request_left -= n;
		share->bytes += (uint64_t)n;
	}
	if (!c->request_left)
		crr_respond(sv, c);
}

static void crr_begin(struct nt_server *sv, struct nt_pending *c, const struct nt_preamble *p)
{
	struct nt_session *s = nt_session_of_token(sv, p->nonce, NT_SESSION_RUN);
	const struct nt_group *g = s ? nt_session_crr(s) : NULL;
	struct nt_err err;

	/* a stream has one at a time; one more may be on its way out */
	if (!g || s->crr_open >= 2 * g->streams + 8 ||
		nt_stream_sockopts(c->src.fd, &s->spec, g, &err)) {
		drop(sv, c);
		return;
	}
	c->crr = s;
	sv->n_pending--; /* these are bounded by their session */
	s->crr_open++;
	s->crr_share.bytes += NT_PREAMBLE_LEN;
	c->deadline_ns = s->deadline_ns;
	c->request_left = g->request - NT_PREAMBLE_LEN;
	c->response_left = g->response;
	crr_event(sv, c);
}

/* Of those held back the one that waits longest, if its flow may go on. */
static struct nt_pending *next_turn(const struct nt_server *sv, uint64_t now)
{
	struct nt_pending *c, *ret = NULL;

	for (c = sv->pending; c; c = c->next)
		if (!c->gone && c->held_ns && (!ret || c->held_ns < ret->held_ns) &&
			!nt_share_wait(&c->crr->crr_share, now))
			ret = c;
	return ret;
}

void nt_serve_resume(struct nt_server *sv, uint64_t now)
{
	struct nt_pending *c;

	while (sv->o->max_bps && (c = next_turn(sv, now)) != NULL) {
		c->held_ns = 0;
		crr_event(sv, c);
	}
}

int nt_serve_resume_ms(const struct nt_server *sv, uint64_t now, int most_ms)
{
	const struct nt_pending *c;
	uint64_t ms;

	for (c = sv->o->max_bps ? sv->pending : NULL; c; c = c->next) {
		if (c->gone || !c->held_ns)
			continue;
		ms = nt_share_wait(&c->crr->crr_share, now) / 1000000 + 1;
		if (ms < (uint64_t)most_ms)
			most_ms = (int)ms;
	}
	return most_ms;
}

/* ---- preambles ------------------------------------------------------------------------ */

/* Hand the descriptor over: it is no longer this connection's. */
static int take_fd(struct nt_server *sv, struct nt_pending *c)
{
	int fd = c->src.fd;

	epoll_ctl(sv->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
	c->src.fd = -1;
	drop(sv, c);
	return fd;
}

static void said(struct nt_server *sv, struct nt_pending *c)
{
	struct nt_preamble p;
	struct nt_session *s;

	if (nt_preamble_read(c->buf, &p)) {
		drop(sv, c);
		return;
	}
	switch (p.kind) {
	case NT_CONN_CONTROL:
		nt_session_new(sv, take_fd(sv, c), &c->peer, &p);
		return;
	case NT_CONN_DATA:
		s = nt_session_of_token(sv, p.nonce, NT_SESSION_SETUP);
		if (s && nt_session_wants(s, p.stream, false))
			nt_session_attach(s, p.stream, take_fd(sv, c));
		else
			drop(sv, c);
		return;
	case NT_CONN_CRR:
		crr_begin(sv, c, &p);
		return;
	case NT_CONN_UDP:
		drop(sv, c);
	}
}

void nt_serve_conn(struct nt_server *sv, struct nt_pending *c)
{
	ssize_t n;

	if (c->gone)
		return;
	if (c->held_ns) { /* nothing is wanted of it: it broke */
		drop(sv, c);
		return;
	}
	if (c->crr) {
		crr_event(sv, c);
		return;
	}
	do
		n = recv(c->src.fd, c->buf + c->have, sizeof c->buf - c->have, MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n == 0 || (n < 0 && errno != EAGAIN)) {
		drop(sv, c);
		return;
	}
	if (n < 0)
		return;
	c->have += n;
	/* junk is known by its first bytes */
	if (c->have >= 4 && memcmp(c->buf, "NTPR", 4) != 0)
		drop(sv, c);
	else if (c->have == sizeof c->buf)
		said(sv, c);
}

/* A socket of the session's own for the flow from peer: it is connected, so the kernel
 * gives it what comes from there. */
static int udp_socket(const struct nt_session *s, unsigned stream,
	const struct sockaddr_storage *peer, socklen_t len)
{
	static const int on = 1;
	int fd = socket(peer->ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct nt_err err;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
	if (nt_stream_sockopts(fd, &s->spec, nt_spec_group(&s->spec, stream), &err) < 0 ||
		bind(fd, (const struct sockaddr *)&s->local, len) < 0 ||
		connect(fd, (const struct sockaddr *)peer, len) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

void nt_serve_datagrams(struct nt_server *sv, int listener)
{
	unsigned char buf[NT_PREAMBLE_LEN + 1];
	struct sockaddr_storage peer;
	struct nt_session *s;
	struct nt_preamble p;
	socklen_t len;
	ssize_t n;
	int i, fd;

	for (i = 0; i < DATAGRAMS_A_ROUND; i++) {
		len = sizeof peer;
		memset(&peer, 0, sizeof peer);
		n = recvfrom(listener, buf, sizeof buf, MSG_DONTWAIT, (struct sockaddr *)&peer, &len);
		if (n < 0)
			return;
		if (n != NT_PREAMBLE_LEN || nt_preamble_read(buf, &p) || p.kind != NT_CONN_UDP)
			continue;
		s = nt_session_of_token(sv, p.nonce, NT_SESSION_SETUP);
		if (!s || !nt_addr_same_host(&s->peer, &peer) || s->local.ss_family != peer.ss_family ||
			!nt_session_wants(s, p.stream, true))
			continue;
		fd = udp_socket(s, p.stream, &peer, len);
		if (fd < 0)
			continue;
		nt_session_attach(s, p.stream, fd);
	}
}

/* ---- ends ----------------------------------------------------------------------------- */

void nt_serve_expire(struct nt_server *sv, uint64_t now)
{
	struct nt_pending *c;

	for (c = sv->pending; c; c = c->next)
		if (!c->gone && (now > c->deadline_ns || (c->crr && c->crr->state != NT_SESSION_RUN)))
			drop(sv, c);
}

void nt_serve_reap(struct nt_server *sv)
{
	struct nt_pending **p = &sv->pending, *c;

	while ((c = *p) != NULL) {
		/* a session may end in this round: its connections end before it */
		if (!c->gone && c->crr && c->crr->state != NT_SESSION_RUN)
			drop(sv, c);
		if (c->gone) {
			*p = c->next;
			free(c);
		} else {
			p = &c->next;
		}
	}
}

void nt_serve_drop_all(struct nt_server *sv)
{
	struct nt_pending *c;

	for (c = sv->pending; c; c = c->next)
		drop(sv, c);
	nt_serve_reap(sv);
}
