/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "nettune/clock.h"
#include "nettune/mem.h"
#include "serve_conn.h"

#define TICK_MS 250
#define MAX_EVENTS 64

void nt_serve_opts_init(struct nt_serve_opts *o)
{
	memset(o, 0, sizeof *o);
	o->port = NT_PROBE_PORT;
	o->max_clients = 8;
	o->max_streams = NT_PROBE_MAX_STREAMS;
	o->max_seconds = 120;
}

/* ---- listening ---------------------------------------------------------------------- */

static int parse_allow(struct nt_server *sv, struct nt_err *err)
{
	const char *const *p;
	char addr[INET6_ADDRSTRLEN + 8];

	for (p = sv->o->allow; p && *p; p++) {
		struct nt_allow *a = &sv->allow[sv->n_allow];
		const char *slash = strchr(*p, '/');
		size_t len = slash ? (size_t)(slash - *p) : strlen(*p);
		char *end = NULL;
		unsigned long most;

		if (sv->n_allow == NT_SERVER_MAX_ALLOW || len >= sizeof addr)
			return nt_err_set(err, -EINVAL, "too many networks allowed, or too long: '%s'",
				*p);
		memcpy(addr, *p, len);
		addr[len] = '\0';
		a->family = strchr(addr, ':') ? AF_INET6 : AF_INET;
		most = a->family == AF_INET6 ? 128 : 32;
		a->bits = slash ? strtoul(slash + 1, &end, 10) : most;
		if (inet_pton(a->family, addr, a->addr) != 1 || a->bits > most ||
			(slash && (end == slash + 1 || *end)))
			return nt_err_set(err, -EINVAL, "'%s' is not a network like 10.0.0.0/8", *p);
		sv->n_allow++;
	}
	return 0;
}

static int watch(struct nt_server *sv, struct nt_source *src, uint32_t events)
{
	struct epoll_event ev = { .events = events, .data.ptr = src };

	return epoll_ctl(sv->epoll_fd, EPOLL_CTL_ADD, src->fd, &ev) < 0 ? -errno : 0;
}

/* A listening TCP socket, and a UDP socket on the same port for flows to announce
 * themselves. */
static int listen_on(struct nt_server *sv, const struct addrinfo *ai, struct nt_err *err)
{
	struct nt_source *tcp = &sv->listeners[sv->n_listeners], *udp = &sv->udp[sv->n_listeners];
	static const int on = 1, off = 0;
	char name[INET6_ADDRSTRLEN] = "", detail[96];
	struct sockaddr_storage a = { 0 };

	memcpy(&a, ai->ai_addr, ai->ai_addrlen);
	nt_addr_name(&a, name, sizeof name);
	tcp->kind = NT_SRC_LISTEN;
	udp->kind = NT_SRC_UDP;
	tcp->fd = socket(ai->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	udp->fd = socket(ai->ai_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	sv->n_listeners++;
	if (tcp->fd < 0 || udp->fd < 0)
		return nt_err_sys(err, -errno, "cannot make a socket for '%s'", name);
	setsockopt(tcp->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	setsockopt(udp->fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
	if (ai->ai_family == AF_INET6) {
		bool any = IN6_IS_ADDR_UNSPECIFIED(
			&((const struct sockaddr_in6 *)(const void *)&a)->sin6_addr);

		setsockopt(tcp->fd, IPPROTO_IPV6, IPV6_V6ONLY, any ? &off : &on, sizeof on);
		setsockopt(udp->fd, IPPROTO_IPV6, IPV6_V6ONLY, any ? &off : &on, sizeof on);
	}
	if (bind(tcp->fd, ai->ai_addr, ai->ai_addrlen) < 0 ||
		bind(udp->fd, ai->ai_addr, ai->ai_addrlen) < 0 || listen(tcp->fd, 512) < 0)
		return errno == EINVAL ? nt_err_set(err, -errno,
						 "cannot listen on '%s': a link-local address "
						 "needs its link, like fe80::1%%eth0",
						 name)
				       : nt_err_sys(err, -errno, "cannot listen on '%s' port %u",
						 name, sv->o->port);
	if (watch(sv, tcp, EPOLLIN) || watch(sv, udp, EPOLLIN))
		return nt_err_sys(err, -errno, "cannot watch a socket");
	snprintf(detail, sizeof detail, "port %u", sv->o->port);
	if (sv->fn)
		sv->fn(sv->arg, NT_SERVE_LISTENING, name, detail);
	return 0;
}

static int listen_all(struct nt_server *sv, struct nt_err *err)
{
	static const char *const loopback[] = { "127.0.0.1", "::1" };
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
		.ai_flags = AI_PASSIVE | AI_NUMERICSERV }, *list, *ai;
	unsigned i, n = sv->o->bind ? 1 : NT_ARRAY_SIZE(loopback);
	char port[8];
	int rc = 0;

	snprintf(port, sizeof port, "%u", sv->o->port);
	for (i = 0; i < n && !rc; i++) {
		const char *addr = sv->o->bind ? sv->o->bind : loopback[i];
		int gai = getaddrinfo(addr, port, &hints, &list);

		if (gai)
			return nt_err_set(err, -EINVAL, "cannot listen on '%s': %s", addr,
				gai_strerror(gai));
		for (ai = list; ai && !rc && sv->n_listeners < NT_SERVER_LISTENERS; ai = ai->ai_next)
			rc = listen_on(sv, ai, err);
		freeaddrinfo(list);
		/* a host without IPv6 has no ::1 */
		if (rc == -EADDRNOTAVAIL || rc == -EAFNOSUPPORT) {
			if (!sv->o->bind && i == 1)
				rc = 0;
		}
	}
	return rc;
}

/* ---- the loop ----------------------------------------------------------------------- */

static void drain_eventfd(int fd)
{
	uint64_t v;

	while (read(fd, &v, sizeof v) > 0)
		;
}

static void dispatch(struct nt_server *sv, struct nt_source *src, uint32_t events,
	uint64_t now)
{
	char skip[64];

	switch (src->kind) {
	case NT_SRC_WAKE:
		/* what is in it belongs to the caller: eventfd, or a pipe of a signal handler */
		while (read(src->fd, skip, sizeof skip) > 0)
			;
		break;
	case NT_SRC_POST:
		drain_eventfd(src->fd);
		break;
	case NT_SRC_LISTEN:
		nt_serve_accept(sv, src->fd, now);
		break;
	case NT_SRC_UDP:
		nt_serve_datagrams(sv, src->fd);
		break;
	case NT_SRC_CONN:
		nt_serve_conn(sv, (struct nt_pending *)src);
		break;
	case NT_SRC_SESSION:
		nt_session_event((struct nt_session *)src, events, now);
		break;
	}
}

static void loop(struct nt_server *sv, const atomic_bool *stop)
{
	struct epoll_event ev[MAX_EVENTS];
	struct nt_session *s;
	uint64_t now, last_tick = 0;
	int i, n;

	while (!atomic_load(stop) && !sv->done) {
		n = epoll_wait(sv->epoll_fd, ev, MAX_EVENTS,
			sv->sessions || sv->pending
				? nt_serve_resume_ms(sv, nt_now_ns(), TICK_MS)
				: -1);
		now = nt_now_ns();
		for (i = 0; i < n; i++)
			dispatch(sv, ev[i].data.ptr, ev[i].events, now);
		nt_serve_resume(sv, nt_now_ns());
		/* nothing is freed before the round's events are through */
		if (now - last_tick > TICK_MS * 1000000ull) {
			nt_serve_expire(sv, now);
			last_tick = now;
		}
		for (s = sv->sessions; s; s = s->next)
			nt_session_tick(s, now);
		nt_serve_reap(sv);
		nt_sessions_reap(sv);
	}
}

static void shut(struct nt_server *sv)
{
	struct nt_session *s;
	unsigned i;

	nt_serve_drop_all(sv); /* CRR's refer to their sessions */
	for (s = sv->sessions; s; s = s->next)
		nt_session_kill(s);
	while (sv->sessions) {
		for (s = sv->sessions; s; s = s->next)
			nt_session_tick(s, nt_now_ns());
		nt_sessions_reap(sv);
		if (sv->sessions)
			usleep(10000);
	}
	for (i = 0; i < sv->n_listeners; i++) {
		if (sv->listeners[i].fd >= 0)
			close(sv->listeners[i].fd);
		if (sv->udp[i].fd >= 0)
			close(sv->udp[i].fd);
	}
	if (sv->spare_fd >= 0)
		close(sv->spare_fd);
	if (sv->post.fd >= 0)
		close(sv->post.fd);
	if (sv->epoll_fd >= 0)
		close(sv->epoll_fd);
}

/* Descriptors for all clients allowed: the soft limit is often 1024. */
static void raise_nofile(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) == 0 && r.rlim_cur < r.rlim_max) {
		r.rlim_cur = r.rlim_max < 65536 ? r.rlim_max : 65536;
		setrlimit(RLIMIT_NOFILE, &r);
	}
}

int nt_serve(const struct nt_serve_opts *o, nt_serve_event_fn *fn, void *arg,
	const atomic_bool *stop, int wake, struct nt_err *err)
{
	struct nt_server sv = { .o = o, .fn = fn, .arg = arg,
		.wake = { NT_SRC_WAKE, wake }, .post = { NT_SRC_POST, -1 } };
	int rc;

	if (sodium_init() < 0)
		return nt_err_set(err, -EIO, "libsodium does not start");
	raise_nofile();
	sv.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	sv.spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	sv.post.fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (sv.epoll_fd < 0 || sv.post.fd < 0 || watch(&sv, &sv.post, EPOLLIN) ||
		(wake >= 0 && watch(&sv, &sv.wake, EPOLLIN)))
		rc = nt_err_sys(err, -errno, "cannot set up the server");
	else
		rc = parse_allow(&sv, err);
	if (!rc)
		rc = listen_all(&sv, err);
	if (!rc)
		loop(&sv, stop);
	shut(&sv);
	return rc;
}
