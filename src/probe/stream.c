/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "stream.h"

#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "nettune/clock.h"
#include "nettune/mem.h"

#define LONGEST_NAP_NS 200000000 /* the end of a run is seen by then */

/* What each end does on a stream: for the client, then for the server; up, then down. */
static void (*const bodies[][2][2])(struct nt_stream *s) = {
	[NT_FLOW_BULK] = { { nt_bulk_send, nt_bulk_recv }, { nt_bulk_recv, nt_bulk_send } },
	[NT_FLOW_RR] = { { nt_rr_client, nt_rr_client }, { nt_rr_server, nt_rr_server } },
	[NT_FLOW_CRR] = { { nt_crr_client, nt_crr_client }, { NULL, NULL } },
	[NT_FLOW_UDP] = { { nt_udp_send, nt_udp_recv }, { nt_udp_recv, nt_udp_send } },
	[NT_FLOW_COMPLETION] = { { nt_completion_run, nt_udp_discard },
		{ nt_udp_discard, nt_completion_run } },
};

struct nt_stream *nt_stream_new(const struct nt_spec *spec, unsigned index,
	enum nt_side side, int fd)
{
	struct nt_stream *s = aligned_alloc(_Alignof(struct nt_stream), sizeof *s);

	if (!s)
		nt_die("out of memory");
	memset(s, 0, sizeof *s);
	s->fd = fd;
	s->index = index;
	s->spec = spec;
	s->group = nt_spec_group(spec, index);
	s->side = side;
	s->wire_ns = NAN;
	if (side == NT_SIDE_CLIENT &&
		(s->group->flow == NT_FLOW_RR || s->group->flow == NT_FLOW_CRR)) {
		s->hist = nt_malloc(sizeof *s->hist);
		nt_hist_reset(s->hist);
	}
	return s;
}

void nt_stream_free(struct nt_stream *s)
{
	static const struct linger at_once = { .l_onoff = 1 };

	if (!s)
		return;
	/* what is still queued is of no use to anybody and would delay the next test */
	if (s->fd >= 0)
		setsockopt(s->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
	if (s->fd >= 0)
		close(s->fd);
	free(s->hist);
	free(s);
}

bool nt_stream_sends(const struct nt_stream *s)
{
	bool up = s->side == NT_SIDE_CLIENT;

	return (s->group->flow == NT_FLOW_BULK || s->group->flow == NT_FLOW_UDP) &&
	       s->group->down != up;
}

static void *stream_main(void *arg)
{
	struct nt_stream *s = arg;

	atomic_store(&s->tid, gettid());
	nt_share_begin(&s->share, nt_now_ns());
	bodies[s->group->flow][s->side][s->group->down](s);
	atomic_store(&s->ended_ns, nt_now_ns());
	return NULL;
}

int nt_stream_start(struct nt_stream *s, struct nt_err *err)
{
	int cpu = s->side == NT_SIDE_CLIENT ? s->spec->cpu : s->spec->peer_cpu, rc;
	pthread_attr_t attr;
	sigset_t all, old;
	cpu_set_t *set;

	if (!bodies[s->group->flow][s->side][s->group->down])
		return 0;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 * 1024);
	if (cpu >= 0) {
		size_t size = CPU_ALLOC_SIZE(cpu + 1);

		set = CPU_ALLOC(cpu + 1);
		CPU_ZERO_S(size, set);
		CPU_SET_S(cpu, size, set);
		pthread_attr_setaffinity_np(&attr, size, set);
		CPU_FREE(set);
	}
	/* signals are for the thread that waits for them */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&s->thread, &attr, stream_main, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	if (rc)
		return cpu >= 0 && rc == EINVAL
			       ? nt_err_set(err, -rc, "there is no CPU %d to bind to", cpu)
			       : nt_err_sys(err, -rc, "cannot start a thread");
	s->running = true;
	return 0;
}

void nt_stream_kick(struct nt_stream *s)
{
	/* CRR's thread opens and closes its own descriptors, and has time-outs */
	if (s->group->flow != NT_FLOW_CRR && s->fd >= 0)
		shutdown(s->fd, SHUT_RDWR);
}

void nt_stream_hold(struct nt_stream *s, size_t bytes)
{
	struct timespec ts = { 0 };
	uint64_t wait;

	if (!(s->share.bps > 0))
		return;
	s->share.bytes += bytes;
	while (!nt_stopped(s) && (wait = nt_share_wait(&s->share, nt_now_ns())) > 0) {
		ts.tv_nsec = wait < LONGEST_NAP_NS ? (long)wait : LONGEST_NAP_NS;
		nanosleep(&ts, NULL);
	}
}

static int set_int(int fd, int level, int opt, int v, const char *name, struct nt_err *err)
{
	if (setsockopt(fd, level, opt, &v, sizeof v) < 0)
		return nt_err_sys(err, -errno, "cannot set %s to %d", name, v);
	return 0;
}

int nt_stream_congestion(int fd, const struct nt_spec *spec, struct nt_err *err)
{
	if (!*spec->congestion || setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, spec->congestion,
					  strlen(spec->congestion)) == 0)
		return 0;
	if (errno == ENOENT)
		return nt_err_set(err, -errno, "this kernel has no congestion control '%s'",
			spec->congestion);
	if (errno == EPERM)
		return nt_err_set(err, -errno,
			"congestion control '%s' is not for users: it is not in "
			"net.ipv4.tcp_allowed_congestion_control",
			spec->congestion);
	return nt_err_sys(err, -errno, "cannot use congestion control '%s'", spec->congestion);
}

static int tcp_sockopts(int fd, const struct nt_spec *spec, const struct nt_group *g,
	struct nt_err *err)
{
	int rc = 0;

	if (spec->mss)
		rc = set_int(fd, IPPROTO_TCP, TCP_MAXSEG, spec->mss, "the MSS", err);
	/* request/response measures the path, not Nagle's algorithm */
	if (!rc && (spec->nodelay || g->flow == NT_FLOW_RR))
		rc = set_int(fd, IPPROTO_TCP, TCP_NODELAY, 1, "TCP_NODELAY", err);
	if (!rc)
		rc = nt_stream_congestion(fd, spec, err);
	if (!rc && spec->zerocopy && g->flow == NT_FLOW_BULK)
		rc = set_int(fd, SOL_SOCKET, SO_ZEROCOPY, 1, "SO_ZEROCOPY", err);
	return rc;
}

int nt_stream_sockopts(int fd, const struct nt_spec *spec, const struct nt_group *g,
	struct nt_err *err)
{
	/* the kernel's rate is of whole bytes, and none would be no limit */
	uint64_t rate = spec->pacing_bps / 8 + (spec->pacing_bps % 8 != 0);
	int rc = 0;

	if (spec->sndbuf)
		rc = set_int(fd, SOL_SOCKET, SO_SNDBUF, spec->sndbuf, "SO_SNDBUF", err);
	if (!rc && spec->rcvbuf)
		rc = set_int(fd, SOL_SOCKET, SO_RCVBUF, spec->rcvbuf, "SO_RCVBUF", err);
	if (rc || nt_flow_is_udp(g->flow))
		return rc;
	if (rate && setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &rate, sizeof rate) < 0)
		return nt_err_sys(err, -errno, "cannot set the pacing rate");
	return tcp_sockopts(fd, spec, g, err);
}

int nt_stream_try(int family, const struct nt_spec *spec, const struct nt_group *g,
	struct nt_err *err)
{
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0), rc;

	if (fd < 0)
		return nt_err_sys(err, -errno, "cannot make a socket");
	rc = nt_stream_sockopts(fd, spec, g, err);
	close(fd);
	return rc;
}
