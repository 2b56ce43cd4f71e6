/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "client_io.h"
#include "facts_wire.h"
#include "nettune/clock.h"
#include "nettune/mem.h"

#define HELLO_AGAIN_MS 200 /* a flow's first datagram may be lost */
#define SETUP_MS 10000
#define LINGER_S 0.05

int nt_client_facts(struct nt_client *c, struct nt_snapshot **ret, struct nt_err *err)
{
	struct nt_snapshot *s = nt_snapshot_new();
	uint64_t end = nt_now_ns() + 60 * 1000000000ull;
	size_t total = 0;
	enum nt_frame_type type;
	json_t *j;
	int rc;

	nt_chan_put(&c->chan, NT_FRAME_FACTS, NULL);
	for (;;) {
		rc = nt_client_next(c, 60000, &type, &j, err);
		if (!rc && type != NT_FRAME_FACT && type != NT_FRAME_FACTS_END)
			rc = nt_err_set(err, -EPROTO, "the server's facts are malformed");
		if (rc || type == NT_FRAME_FACTS_END)
			json_decref(j);
		if (rc)
			break;
		if (type == NT_FRAME_FACTS_END) {
			nt_snapshot_seal(s);
			s->live = true;
			*ret = s;
			return 0;
		}
		rc = nt_facts_take(j, s, &total, err);
		json_decref(j);
		if (!rc && nt_now_ns() > end)
			rc = nt_err_set(err, -ETIMEDOUT, "the server's facts take too long");
		if (rc)
			break;
	}
	nt_snapshot_free(s);
	return rc;
}

/* ---- data connections --------------------------------------------------------------------- */

static int open_tcp(struct nt_client *c, struct nt_stream *s, const unsigned char *preamble,
	struct nt_err *err)
{
	int fd = socket(c->peer.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0), rc;

	if (fd < 0)
		return nt_err_sys(err, -errno, "cannot make a socket");
	s->fd = fd;
	if (nt_stream_sockopts(fd, s->spec, s->group, err))
		return -EREMOTE; /* the next test may do without that option */
	rc = nt_connect(&c->peer, c->peer_len, fd, c->stop);
	if (rc)
		return nt_err_sys(err, rc, "cannot open a data connection");
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	if (nt_stream_congestion(fd, s->spec, err))
		return -EREMOTE;
	if (send(fd, preamble, NT_PREAMBLE_LEN, MSG_NOSIGNAL) != NT_PREAMBLE_LEN)
		return nt_err_set(err, -EPIPE, "a data connection broke at once");
	return 0;
}

static int open_udp(struct nt_client *c, struct nt_stream *s, struct nt_err *err)
{
	struct sockaddr_storage from = c->local;

	s->fd = socket(c->peer.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (s->fd < 0)
		return nt_err_sys(err, -errno, "cannot make a socket");
	if (from.ss_family == AF_INET)
		((struct sockaddr_in *)&from)->sin_port = 0;
	else
		((struct sockaddr_in6 *)&from)->sin6_port = 0;
	/* from the address of the control connection: the server looks for that */
	if (nt_stream_sockopts(s->fd, s->spec, s->group, err))
		return -EREMOTE;
	if (bind(s->fd, (struct sockaddr *)&from, c->peer_len) < 0 ||
		connect(s->fd, (struct sockaddr *)&c->peer, c->peer_len) < 0)
		return nt_err_sys(err, -errno, "cannot open a datagram socket");
	return 0;
}

static void preamble_of(const struct nt_client *c, const struct nt_stream *s,
	unsigned char buf[NT_PREAMBLE_LEN])
{
	struct nt_preamble p = { .version = NT_WIRE_VERSION, .stream = s->index,
		.kind = nt_flow_is_udp(s->group->flow) ? NT_CONN_UDP : NT_CONN_DATA };

	memcpy(p.nonce, c->target.token, NT_TOKEN_LEN);
	nt_preamble_write(buf, &p);
}

static int open_streams(struct nt_client *c, struct nt_stream **streams, unsigned n,
	struct nt_err *err)
{
	unsigned char buf[NT_PREAMBLE_LEN];
	unsigned i;
	int rc = 0;

	for (i = 0; i < n && !rc; i++) {
		if (!nt_flow_connects(streams[i]->group->flow))
			continue;
		preamble_of(c, streams[i], buf);
		rc = nt_flow_is_udp(streams[i]->group->flow)
			     ? open_udp(c, streams[i], err)
			     : open_tcp(c, streams[i], buf, err);
	}
	return rc;
}

/* Announce the datagram flows until the server says that all streams have come. */
static int wait_start(struct nt_client *c, struct nt_stream **streams, unsigned n,
	struct nt_err *err)
{
	unsigned char buf[NT_PREAMBLE_LEN];
	unsigned i, waited;
	int rc = -ETIMEDOUT;

	for (waited = 0; waited < SETUP_MS && rc == -ETIMEDOUT; waited += HELLO_AGAIN_MS) {
		for (i = 0; i < n; i++) {
			if (!nt_flow_is_udp(streams[i]->group->flow))
				continue;
			preamble_of(c, streams[i], buf);
			if (send(streams[i]->fd, buf, sizeof buf, MSG_NOSIGNAL) < 0 &&
				errno != ECONNREFUSED)
				return nt_err_sys(err, -errno, "cannot send datagrams");
		}
		rc = nt_client_expect(c, NT_FRAME_START, HELLO_AGAIN_MS, NULL, err);
	}
	if (rc == -ETIMEDOUT)
		nt_err_set(err, rc, "the server does not see all data connections: is a firewall "
				    "in the way?");
	return rc;
}

/* ---- a run -------------------------------------------------------------------------------- */

static int on_wake(void *arg)
{
	struct nt_client *c = arg;

	if (nt_client_take(c, &c->err) < 0) {
		c->broken = true;
		return 1;
	}
	return 0;
}

static void on_sample(void *arg, const struct nt_probe_sample *s)
{
	struct nt_client *c = arg;

	if (c->on_here)
		c->on_here(c->arg, s);
}

static int setup(struct nt_client *c, struct nt_stream **streams, unsigned n,
	struct nt_err *err)
{
	json_t *j;
	unsigned i;
	int rc;

	/* a test without streams to wait for is begun at once: too late to say no */
	for (i = 0; i < c->spec->n_groups; i++)
		if (!nt_flow_connects(c->spec->groups[i].flow) &&
			nt_stream_try(c->peer.ss_family, c->spec, &c->spec->groups[i], err))
			return -EREMOTE;
	nt_chan_put(&c->chan, NT_FRAME_TEST, nt_spec_json(c->spec));
	rc = nt_client_expect(c, NT_FRAME_READY, 10000, &j, err);
	if (rc)
		return rc;
	rc = nt_wire_hex(j, "token", c->target.token, NT_TOKEN_LEN);
	json_decref(j);
	if (rc)
		return nt_err_set(err, -EPROTO, "the server's answer is malformed");
	rc = open_streams(c, streams, n, err);
	if (!rc)
		rc = wait_start(c, streams, n, err);
	if (rc == -EREMOTE)
		nt_chan_put(&c->chan, NT_FRAME_STOP, NULL);
	return rc;
}

/* Tell the server that this end is through, and take its result. Who interrupts does not wait
 * long for a server that does not answer. */
static int fetch_result(struct nt_client *c, const struct nt_run *r, struct nt_err *err)
{
	struct pollfd p = { .fd = c->chan.fd, .events = POLLIN };
	uint64_t begin = nt_now_ns(), patience;
	int rc;

	if (c->broken) {
		*err = c->err;
		return err->code;
	}
	nt_chan_put(&c->chan, NT_FRAME_STOP, NULL);
	rc = nt_client_flush(c, 5000, err);
	while (!rc && !c->have_result) {
		patience = c->stop && atomic_load(c->stop) ? 2 : 10;
		if (nt_now_ns() - begin > patience * 1000000000ull)
			return nt_err_set(err, -ETIMEDOUT, "the server's result does not come");
		poll(&p, 1, 100);
		rc = nt_client_take(c, err);
	}
	if (!rc && r->stream_error && r->interrupted && !(c->stop && atomic_load(c->stop)))
		/* the control connection stands: the next test can be run */
		rc = nt_err_set(err, -EREMOTE, "a data connection broke: %s",
			strerror(r->stream_error));
	return rc;
}

/* After this end is through. Who interrupts gets what this end saw also without the other. */
static int finish(struct nt_client *c, const struct nt_run *r, bool *ret_interrupted,
	struct nt_err *err)
{
	bool stopped = c->stop && atomic_load(c->stop);
	int rc;

	if (stopped && !r->measured)
		return nt_err_set(err, -EINTR, "interrupted");
	rc = fetch_result(c, r, err);
	stopped = c->stop && atomic_load(c->stop);
	/* not where the other end is gone: that is an error */
	*ret_interrupted = stopped && (r->interrupted || rc);
	return *ret_interrupted ? 0 : rc;
}

int nt_client_run(struct nt_client *c, const struct nt_spec *spec,
	struct nt_probe_end *ret_here, struct nt_probe_end *ret_there, bool *ret_interrupted,
	struct nt_err *err)
{
	unsigned n = nt_spec_streams(spec), i;
	struct nt_stream **streams = nt_calloc(n, sizeof(struct nt_stream *));
	struct nt_run r = { .spec = spec, .side = NT_SIDE_CLIENT, .sys = c->sys,
		.streams = streams, .n = n, .local = c->local, .wake_fd = c->chan.fd,
		.on_wake = on_wake, .on_sample = on_sample, .arg = c, .cancel = c->stop,
		.linger = LINGER_S };
	int rc;

	nt_probe_end_init(ret_here);
	nt_probe_end_init(ret_there);
	nt_probe_end_init(&c->there);
	nt_err_clear(&c->err);
	c->spec = spec;
	c->have_result = c->broken = *ret_interrupted = false;
	c->target.addr = c->peer;
	c->target.len = c->peer_len;
	for (i = 0; i < n; i++) {
		streams[i] = nt_stream_new(spec, i, NT_SIDE_CLIENT, -1);
		streams[i]->target = &c->target;
		/* the server can hold back what it reads, but not datagrams */
		if (nt_flow_is_udp(streams[i]->group->flow))
			nt_share_set(&streams[i]->share, c->max_bps / n, 1);
	}
	rc = setup(c, streams, n, err);
	/* what came together with the START does not wake anybody */
	if (!rc && on_wake(c)) {
		*err = c->err;
		rc = err->code;
	}
	if (!rc) {
		rc = nt_run_exec(&r, err);
		if (!rc)
			rc = finish(c, &r, ret_interrupted, err);
		*ret_here = r.end;
		free(r.hist);
	}
	if (!c->have_result) {
		nt_probe_end_free(&c->there);
		nt_probe_end_init(&c->there);
	}
	*ret_there = c->there;
	memset(&c->there, 0, sizeof c->there);
	for (i = 0; i < n; i++)
		nt_stream_free(streams[i]);
	free(streams);
	return rc;
}
