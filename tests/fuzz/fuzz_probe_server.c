/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a stranger may send to the probe's server. The first byte chooses whether it has a
 * key; the rest comes in on a new connection. Tests are refused for their length, after
 * their specification was read.
 */
#include "config.h"

#include <netinet/in.h>
#include <sodium.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "nettune/clock.h"
#include "nettune/mem.h"
#include "probe/serve_conn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void feed(struct nt_server *sv, int fd)
{
	struct nt_pending *c = nt_calloc(1, sizeof *c);
	struct sockaddr_in in = { .sin_family = AF_INET };
	uint64_t now = nt_now_ns();
	struct nt_session *s;
	int i;

	c->src = (struct nt_source){ NT_SRC_CONN, fd };
	memcpy(&c->peer, &in, sizeof in);
	c->deadline_ns = now + 1000000000;
	sv->pending = c;
	sv->n_pending = 1;
	nt_serve_conn(sv, c);
	for (i = 0; i < 8; i++) {
		for (s = sv->sessions; s; s = s->next) {
			nt_session_event(s, EPOLLIN, now);
			nt_session_tick(s, now);
		}
		nt_serve_reap(sv);
		nt_sessions_reap(sv);
	}
	for (s = sv->sessions; s; s = s->next)
		nt_session_kill(s);
	nt_sessions_reap(sv);
	if (sv->sessions || sv->n_pending > 1)
		nt_die("a session outlived its connection");
	nt_serve_drop_all(sv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nt_serve_opts o;
	struct nt_server sv = { .o = &o, .post = { NT_SRC_POST, -1 } };
	int fds[2];

	if (sodium_init() < 0 || size < 1 || size > 60000 ||
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		return 0;
	nt_serve_opts_init(&o);
	o.max_seconds = 0.01;
	o.key.set = data[0] & 1;
	sv.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (send(fds[1], data + 1, size - 1, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) {
		shutdown(fds[1], SHUT_WR);
		feed(&sv, fds[0]);
	}
	close(fds[1]);
	close(sv.epoll_fd);
	return 0;
}
