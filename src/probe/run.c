/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "run.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "completion.h"
#include "nettune/clock.h"
#include "nettune/mem.h"

#define TICK_NS 250000000
#define TICKS_A_SAMPLE 4
#define MAX_COUNTERS 512

/* One edge of the window. */
struct edge {
	uint64_t ns; /* of the byte counters */
	struct nt_host_sample host;
	double tx, rx, transactions, udp_sent, udp_received, udp_highest, udp_late;
	struct nt_tcp_now *tcp; /* one a stream */
	double *cpu_s, *wait_s; /* of each stream's thread: running, waiting for a CPU */
};

struct nt_run_state {
	struct edge a, b;
	int ifindex;
	/* sums over the ticks of the window */
	unsigned n_tcp, n_backlog;
	double rtt, cwnd, notsent, app_limited, delivery, backlog;
	/* at the last sample */
	uint64_t last_ns;
	double last_tx, last_rx, last_retrans, last_transactions;
	struct nt_proc_stat last_stat;
	unsigned ticks, series_step;
};

void nt_probe_end_init(struct nt_probe_end *e)
{
	memset(e, 0, sizeof *e);
	e->cpu_s_per_gb = e->context_switches = e->nic_interrupts = NAN;
	e->cpu.busy = e->cpu.cpu = NAN;
	e->egress.speed_bps = e->egress.mtu = NAN;
	e->thread_busy_pct = e->thread_wait_pct = NAN;
	e->tcp.pacing_bps = e->tcp.min_rtt_us = NAN;
	e->completion.intercept_us = e->completion.slope_us = e->completion.p50_us =
		e->completion.p99_us = e->completion.wire_us = NAN;
}

void nt_probe_end_free(struct nt_probe_end *e)
{
	free(e->per_cpu);
	free(e->series);
	free(e->counters);
	memset(e, 0, sizeof *e);
}

static bool is_tcp(const struct nt_stream *s)
{
	/* CRR's thread changes its descriptor all the time */
	return s->group->flow != NT_FLOW_CRR && !nt_flow_is_udp(s->group->flow) && s->fd >= 0;
}

static double thread_cpu_s(const struct nt_stream *s)
{
	struct timespec ts;
	clockid_t clk;

	if (!s->running || pthread_getcpuclockid(s->thread, &clk) ||
		clock_gettime(clk, &ts) < 0)
		return NAN;
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static double get(const _Atomic uint64_t *v)
{
	return atomic_load_explicit(v, memory_order_relaxed);
}

static void totals(const struct nt_run *r, struct edge *e)
{
	unsigned i;

	e->ns = nt_now_ns();
	e->tx = e->rx = e->transactions = 0;
	e->udp_sent = e->udp_received = e->udp_highest = e->udp_late = 0;
	for (i = 0; i < r->n; i++) {
		const struct nt_stream *s = r->streams[i];

		e->tx += get(&s->tx_bytes);
		e->rx += get(&s->rx_bytes);
		e->transactions += get(&s->transactions);
		e->udp_sent += get(&s->udp.sent);
		e->udp_received += get(&s->udp.received);
		e->udp_highest += get(&s->udp.highest);
		e->udp_late += get(&s->udp.late);
	}
	if (r->more_transactions)
		e->transactions += get(r->more_transactions);
	if (r->more_bytes)
		e->tx += get(r->more_bytes);
}

static void sockets(const struct nt_run *r, struct edge *e)
{
	unsigned i;
	int tid;

	e->tcp = nt_calloc(r->n ? r->n : 1, sizeof *e->tcp);
	e->cpu_s = nt_calloc(r->n ? r->n : 1, sizeof *e->cpu_s);
	e->wait_s = nt_calloc(r->n ? r->n : 1, sizeof *e->wait_s);
	for (i = 0; i < r->n; i++) {
		e->cpu_s[i] = thread_cpu_s(r->streams[i]);
		tid = atomic_load(&r->streams[i]->tid);
		/* one that has not begun has not waited */
		e->wait_s[i] = tid ? nt_thread_wait_s(r->sys, tid) : 0;
		if (is_tcp(r->streams[i]))
			nt_tcp_read(r->streams[i]->fd, &e->tcp[i]);
	}
}

static void edge_free(struct edge *e)
{
	nt_host_sample_free(&e->host);
	free(e->tcp);
	free(e->cpu_s);
	free(e->wait_s);
}

/* The host is read outside the bytes' window, so that reading it is no part of it. */
static void window_open(struct nt_run *r)
{
	struct nt_run_state *st = r->st;

	nt_host_sample(r->sys, st->ifindex, &st->a.host);
	sockets(r, &st->a);
	atomic_store(&r->measuring, true);
	totals(r, &st->a);
	st->last_ns = st->a.ns;
	st->last_tx = st->a.tx;
	st->last_rx = st->a.rx;
	st->last_transactions = st->a.transactions;
	nt_read_proc_stat(r->sys, &st->last_stat);
}

/* When the last of the streams ended, 0 while one goes on. */
static uint64_t all_ended(const struct nt_run *r)
{
	uint64_t last = 0, ns;
	unsigned i;

	for (i = 0; i < r->n; i++) {
		ns = atomic_load(&r->streams[i]->ended_ns);
		if (!ns)
			return 0;
		if (ns > last)
			last = ns;
	}
	return last;
}

/* Where the other end was through before, what came until then came in that time. */
static void window_close(struct nt_run *r)
{
	struct nt_run_state *st = r->st;
	uint64_t ended;

	totals(r, &st->b);
	ended = all_ended(r);
	if (ended > st->a.ns && ended < st->b.ns)
		st->b.ns = ended;
	atomic_store(&r->measuring, false);
	sockets(r, &st->b);
	nt_host_sample(r->sys, st->ifindex, &st->b.host);
}

/* Keep NT_PROBE_SERIES samples at most: when full, every second one goes. */
static void keep_sample(struct nt_run *r, const struct nt_probe_sample *s)
{
	struct nt_probe_end *e = &r->end;
	unsigned i;

	if (!e->series)
		e->series = nt_calloc(NT_PROBE_SERIES, sizeof *e->series);
	if (r->st->ticks / TICKS_A_SAMPLE % r->st->series_step)
		return;
	if (e->n_series == NT_PROBE_SERIES) {
		for (i = 0; i < NT_PROBE_SERIES / 2; i++)
			e->series[i] = e->series[2 * i + 1];
		e->n_series = NT_PROBE_SERIES / 2;
		r->st->series_step *= 2;
		if (r->st->ticks / TICKS_A_SAMPLE % r->st->series_step)
			return;
	}
	e->series[e->n_series++] = *s;
}

static void second_over(struct nt_run *r, const struct nt_probe_sample *tcp, double retrans)
{
	struct nt_run_state *st = r->st;
	struct nt_probe_sample s = *tcp;
	struct nt_proc_stat stat;
	struct nt_probe_cpu cpu;
	struct edge now = { 0 };
	double secs;

	totals(r, &now);
	secs = (now.ns - st->last_ns) / 1e9;
	s.t = (now.ns - st->a.ns) / 1e9;
	s.tx_bps = (now.tx - st->last_tx) * 8 / secs;
	s.rx_bps = (now.rx - st->last_rx) * 8 / secs;
	s.retrans = retrans - st->last_retrans;
	s.per_s = (now.transactions - st->last_transactions) / secs;
	s.cpu_busy = NAN;
	if (nt_read_proc_stat(r->sys, &stat) == 0) {
		nt_cpu_between(&st->last_stat.all, &stat.all, &cpu);
		s.cpu_busy = cpu.busy;
		nt_proc_stat_free(&st->last_stat);
		st->last_stat = stat;
	}
	st->last_ns = now.ns;
	st->last_tx = now.tx;
	st->last_rx = now.rx;
	st->last_transactions = now.transactions;
	st->last_retrans = retrans;
	keep_sample(r, &s);
	if (r->on_sample)
		r->on_sample(r->arg, &s);
}

static void tick(struct nt_run *r)
{
	struct nt_run_state *st = r->st;
	struct nt_probe_sample s = { .rtt_us = 0 };
	struct nt_tcp_now t;
	unsigned i, n = 0;
	double retrans = 0;

	for (i = 0; i < r->n; i++) {
		if (!is_tcp(r->streams[i]) || !nt_stream_sends(r->streams[i]))
			continue;
		nt_tcp_read(r->streams[i]->fd, &t);
		if (!t.ok)
			continue;
		n++;
		s.rtt_us += t.rtt_us;
		s.cwnd += t.cwnd;
		s.delivery_bps += t.delivery_bps;
		retrans += t.retrans - st->a.tcp[i].retrans;
		st->notsent += t.notsent;
		st->app_limited += t.app_limited;
	}
	if (n) {
		s.rtt_us /= n;
		s.cwnd /= n;
		st->rtt += s.rtt_us * n;
		st->cwnd += s.cwnd * n;
		st->delivery += s.delivery_bps;
		st->n_tcp += n;
	} else {
		s.rtt_us = s.cwnd = s.delivery_bps = NAN;
	}
	st->backlog += nt_egress_backlog(r->sys, st->ifindex);
	st->n_backlog++;
	if (++st->ticks % TICKS_A_SAMPLE == 0)
		second_over(r, &s, retrans);
}

/* ---- waiting ------------------------------------------------------------------------ */

static bool stream_broke(struct nt_run *r)
{
	unsigned i;

	for (i = 0; i < r->n && !r->stream_error; i++)
		if (atomic_load(&r->streams[i]->ended_ns) && r->streams[i]->error)
			r->stream_error = r->streams[i]->error;
	/* the server leaves it to the client to end the test */
	return r->stream_error && r->side == NT_SIDE_CLIENT;
}

/* Wait until then; true when the run is to end now. */
static bool wait_until(struct nt_run *r, uint64_t then_ns)
{
	struct pollfd p = { .fd = r->wake_fd, .events = POLLIN };
	uint64_t now;
	int rc;

	while ((now = nt_now_ns()) < then_ns) {
		struct timespec ts = { .tv_nsec = (then_ns - now) % 1000000000,
			.tv_sec = (then_ns - now) / 1000000000 };

		rc = ppoll(&p, 1, &ts, NULL);
		if (r->cancel && atomic_load(r->cancel))
			return true;
		if (rc > 0 && p.revents && r->on_wake(r->arg) != 0)
			return true;
		if (stream_broke(r))
			return true;
	}
	return false;
}

static void measure(struct nt_run *r)
{
	uint64_t start = nt_now_ns(), end, next;

	r->interrupted = wait_until(r, start + r->spec->warmup * 1e9);
	if (r->interrupted)
		return;
	window_open(r);
	r->measured = true;
	end = r->st->a.ns + r->spec->seconds * 1e9;
	for (next = r->st->a.ns + TICK_NS; !r->interrupted; next += TICK_NS) {
		if (wait_until(r, next < end ? next : end)) {
			r->interrupted = true;
			break;
		}
		if (next <= end)
			tick(r);
		if (next >= end)
			break;
	}
	window_close(r);
	if (!r->interrupted)
		wait_until(r, nt_now_ns() + r->linger * 1e9);
}

/* ---- result ------------------------------------------------------------------------- */

static void sum_tcp(struct nt_run *r)
{
	struct nt_run_state *st = r->st;
	struct nt_probe_tcp *t = &r->end.tcp;
	double seconds = r->end.seconds, min_rtt = INFINITY, pacing = 0;
	unsigned i;

	for (i = 0; i < r->n; i++) {
		const struct nt_tcp_now *a = &st->a.tcp[i], *b = &st->b.tcp[i];

		/* the other direction's sockets and RR's tell the round trip, nothing else */
		if (a->ok && b->ok && b->min_rtt_us < min_rtt)
			min_rtt = b->min_rtt_us;
		if (!a->ok || !b->ok || !nt_stream_sends(r->streams[i]))
			continue;
		t->streams++;
		memcpy(t->congestion, b->congestion, sizeof t->congestion);
		t->mss += b->mss;
		t->segs_out += b->segs_out - a->segs_out;
		t->retrans += b->retrans - a->retrans;
		t->busy_pct += b->busy_us - a->busy_us;
		t->rwnd_limited_pct += b->rwnd_us - a->rwnd_us;
		t->sndbuf_limited_pct += b->sndbuf_us - a->sndbuf_us;
		t->sndbuf_bytes += b->sndbuf;
		pacing += b->pacing_bps;
		t->zerocopy_copied |= atomic_load(&r->streams[i]->zerocopy_copied) != 0;
		t->rtt_us += b->rtt_us;
		t->cwnd += b->cwnd;
		t->notsent_bytes += b->notsent;
		t->delivery_bps += b->delivery_bps;
	}
	t->min_rtt_us = isfinite(min_rtt) ? min_rtt : NAN;
	if (!t->streams || seconds <= 0)
		return;
	t->mss /= t->streams;
	t->busy_pct /= t->streams * seconds * 1e4;
	t->rwnd_limited_pct /= t->streams * seconds * 1e4;
	t->sndbuf_limited_pct /= t->streams * seconds * 1e4;
	t->sndbuf_bytes /= t->streams;
	t->pacing_bps = pacing / t->streams;
	t->rtt_us /= t->streams;
	t->cwnd /= t->streams;
	t->notsent_bytes /= t->streams;
	if (st->n_tcp) { /* means over the window are better than the end's value */
		t->rtt_us = st->rtt / st->n_tcp;
		t->cwnd = st->cwnd / st->n_tcp;
		t->notsent_bytes = st->notsent / st->n_tcp;
		t->app_limited_pct = 100 * st->app_limited / st->n_tcp;
	}
	if (st->n_backlog)
		t->delivery_bps = st->delivery / st->n_backlog;
}

static void sum_host(struct nt_run *r)
{
	struct nt_host_sample *a = &r->st->a.host, *b = &r->st->b.host;
	struct nt_probe_end *e = &r->end;
	double gb = (e->tx_bytes + e->rx_bytes) / 1e9;
	size_t i, j;

	if (a->have_stat && b->have_stat) {
		nt_cpu_between(&a->stat.all, &b->stat.all, &e->cpu);
		e->context_switches = b->stat.ctxt - a->stat.ctxt;
		if (gb > 0)
			e->cpu_s_per_gb = nt_cpu_busy_s(&a->stat.all, &b->stat.all) / gb;
		e->per_cpu = nt_calloc(b->stat.n ? b->stat.n : 1, sizeof *e->per_cpu);
		/* a CPU that came or went meanwhile has no share */
		for (i = j = 0; i < b->stat.n && j < a->stat.n; i++) {
			while (j < a->stat.n && a->stat.cpus[j].cpu < b->stat.cpus[i].cpu)
				j++;
			if (j < a->stat.n && a->stat.cpus[j].cpu == b->stat.cpus[i].cpu) {
				nt_cpu_between(&a->stat.cpus[j], &b->stat.cpus[i],
					&e->per_cpu[e->n_cpu]);
				e->per_cpu[e->n_cpu++].cpu = b->stat.cpus[i].cpu;
			}
		}
	}
	if (a->have_irqs && b->have_irqs && b->nic_irqs >= a->nic_irqs)
		e->nic_interrupts = b->nic_irqs - a->nic_irqs;
	e->counters = nt_calloc(MAX_COUNTERS, sizeof *e->counters);
	e->n_counters = nt_counters_between(&a->counters, &b->counters, e->counters, MAX_COUNTERS);
	e->egress.qdisc_drops = fmax(0, b->qdisc_drops - a->qdisc_drops);
	e->egress.qdisc_overlimits = fmax(0, b->qdisc_overlimits - a->qdisc_overlimits);
	if (r->st->n_backlog)
		e->egress.backlog_bytes = r->st->backlog / r->st->n_backlog;
}

static void sum_latency(struct nt_run *r)
{
	struct nt_probe_latency *l = &r->end.latency;
	unsigned i;

	for (i = 0; i < r->n; i++) {
		if (!r->streams[i]->hist)
			continue;
		if (!r->hist) {
			r->hist = nt_malloc(sizeof *r->hist);
			nt_hist_reset(r->hist);
		}
		nt_hist_merge(r->hist, r->streams[i]->hist);
	}
	if (!r->hist || !r->hist->n)
		return;
	l->count = r->hist->n;
	l->min = r->hist->min / 1e3;
	l->max = r->hist->max / 1e3;
	l->mean = r->hist->sum / r->hist->n / 1e3;
	l->p50 = nt_hist_quantile(r->hist, 0.5) / 1e3;
	l->p90 = nt_hist_quantile(r->hist, 0.9) / 1e3;
	l->p99 = nt_hist_quantile(r->hist, 0.99) / 1e3;
	l->p999 = nt_hist_quantile(r->hist, 0.999) / 1e3;
}

static void neediest(struct nt_probe_end *e, double busy, double wait)
{
	double most = e->thread_busy_pct + (isnan(e->thread_wait_pct) ? 0 : e->thread_wait_pct);

	if (isnan(busy) || busy + (isnan(wait) ? 0 : wait) <= most)
		return;
	e->thread_busy_pct = fmin(busy, 100);
	/* the kernel counts a wait at its end, one that began before the window, too */
	e->thread_wait_pct = isnan(wait) ? NAN : fmin(wait, 100 - e->thread_busy_pct);
}

static void sum_streams(struct nt_run *r)
{
	struct edge *a = &r->st->a, *b = &r->st->b;
	struct nt_probe_end *e = &r->end;
	double jitter = 0;
	unsigned i, n_udp = 0;

	e->seconds = (b->ns - a->ns) / 1e9;
	e->tx_bytes = b->tx - a->tx;
	e->rx_bytes = b->rx - a->rx;
	e->transactions = b->transactions - a->transactions;
	e->udp.sent = b->udp_sent - a->udp_sent;
	e->udp.received = b->udp_received - a->udp_received;
	/* what is late was counted lost when it was overtaken */
	e->udp.lost = fmax(0, b->udp_highest - a->udp_highest - e->udp.received);
	e->udp.reordered = b->udp_late - a->udp_late;
	for (i = 0; i < r->n; i++) {
		neediest(e, 100 * (b->cpu_s[i] - a->cpu_s[i]) / e->seconds,
			100 * (b->wait_s[i] - a->wait_s[i]) / e->seconds);
		if (get(&r->streams[i]->udp.received) > 0) {
			jitter += get(&r->streams[i]->udp.jitter_ns) / 1e3;
			n_udp++;
		}
		if (r->streams[i]->completion.ran)
			e->completion = r->streams[i]->completion;
	}
	if (n_udp) {
		e->udp.jitter_us = jitter / n_udp;
		e->udp.bps = e->rx_bytes * 8 / e->seconds;
	}
}

/* Tell the completion test what N2 knows of the link before the bursts begin. */
static void prepare_completion(struct nt_run *r)
{
	const char *doubt;
	unsigned i;

	for (i = 0; i < r->n; i++) {
		struct nt_stream *s = r->streams[i];

		if (s->group->flow != NT_FLOW_COMPLETION)
			continue;
		s->wire_ns = isnan(r->end.egress.speed_bps)
				     ? NAN
				     : nt_completion_wire_ns(r->end.egress.speed_bps);
		doubt = nt_egress_doubt(&r->end.egress);
		if (doubt && !r->spec->any_egress)
			snprintf(s->completion.reason, sizeof s->completion.reason, "%s", doubt);
	}
}

int nt_run_exec(struct nt_run *r, struct nt_err *err)
{
	struct nt_run_state st = { .series_step = 1 };
	unsigned i;
	int rc = 0;

	r->st = &st;
	nt_probe_end_init(&r->end);
	atomic_init(&r->stop, false);
	atomic_init(&r->measuring, false);
	nt_egress_find(r->sys, (const struct sockaddr *)&r->local, &r->end.egress, &st.ifindex);
	r->end.egress.backlog_bytes = nt_egress_backlog(r->sys, st.ifindex);
	prepare_completion(r);
	for (i = 0; i < r->n && !rc; i++) {
		r->streams[i]->stop = &r->stop;
		r->streams[i]->measuring = &r->measuring;
		rc = nt_stream_start(r->streams[i], err);
	}
	if (!rc && r->on_start)
		r->on_start(r->arg);
	if (!rc)
		measure(r);
	atomic_store(&r->stop, true);
	for (i = 0; i < r->n; i++)
		nt_stream_kick(r->streams[i]);
	for (i = 0; i < r->n; i++)
		if (r->streams[i]->running)
			pthread_join(r->streams[i]->thread, NULL);
	if (r->measured) {
		sum_streams(r);
		sum_tcp(r);
		sum_host(r);
		sum_latency(r);
	}
	edge_free(&st.a);
	edge_free(&st.b);
	nt_proc_stat_free(&st.last_stat);
	r->st = NULL;
	return rc;
}
