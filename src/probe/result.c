/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measured numbers as facts, so that rules judge them. */
#include "config.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "nettune/probe.h"

/* The results as one end sees them: what it sent, what it received. */
struct view {
	const struct nt_probe_result *r;
	bool peer;
	struct nt_snapshot *s;
	struct nt_scope *path;
};

static const struct nt_probe_part *part(const struct view *v, enum nt_probe_test test,
	unsigned i)
{
	unsigned k;

	for (k = 0; k < v->r->n_tests; k++)
		if (v->r->tests[k].test == test && i < v->r->tests[k].n_parts)
			return &v->r->tests[k].parts[i];
	return NULL;
}

static const struct nt_probe_end *mine(const struct view *v, const struct nt_probe_part *p)
{
	return v->peer ? &p->there : &p->here;
}

static void real(const struct view *v, const char *name, enum nt_unit unit, double value)
{
	if (isfinite(value))
		nt_fact_real(v->s, v->path, name, unit, value);
}

static void text(const struct view *v, const char *name, const char *value)
{
	if (*value)
		nt_fact_text(v->s, v->path, NT_FACT_TEXT, name, value);
}

static double fullest(const struct nt_probe_end *e)
{
	double most = NAN;
	unsigned i;

	for (i = 0; i < e->n_cpu; i++)
		if (isnan(most) || e->per_cpu[i].busy > most)
			most = e->per_cpu[i].busy;
	return most;
}

/* What this end sent in a one-way bulk test. */
static void sent(const struct view *v)
{
	const struct nt_probe_part *p =
		part(v, v->peer ? NT_TEST_REVERSE : NT_TEST_STREAM, 0);
	const struct nt_probe_end *e;

	if (!p)
		return;
	e = mine(v, p);
	real(v, "probe.throughput", NT_UNIT_BPS, v->peer ? p->down_bps : p->up_bps);
	text(v, "probe.limit",
		nt_name_of(nt_limit_names, v->peer ? p->down.limit : p->up.limit));
	real(v, "probe.cpu_busy_pct", NT_UNIT_PERCENT, e->cpu.busy);
	real(v, "probe.cpu_max_pct", NT_UNIT_PERCENT, fullest(e));
	real(v, "probe.peer_cpu_max_pct", NT_UNIT_PERCENT,
		fullest(v->peer ? &p->here : &p->there));
	real(v, "probe.cpu_s_per_gb", NT_UNIT_S, e->cpu_s_per_gb);
	if (!e->tcp.streams)
		return;
	real(v, "probe.retrans_pct", NT_UNIT_PERCENT,
		e->tcp.segs_out > 0 ? 100 * e->tcp.retrans / e->tcp.segs_out : NAN);
	real(v, "probe.busy_pct", NT_UNIT_PERCENT, e->tcp.busy_pct);
	real(v, "probe.rwnd_limited_pct", NT_UNIT_PERCENT, e->tcp.rwnd_limited_pct);
	real(v, "probe.sndbuf_limited_pct", NT_UNIT_PERCENT, e->tcp.sndbuf_limited_pct);
	real(v, "probe.sndbuf", NT_UNIT_BYTES, e->tcp.sndbuf_bytes);
	real(v, "probe.cwnd", NT_UNIT_PACKETS, e->tcp.cwnd);
	real(v, "path.mss", NT_UNIT_BYTES, e->tcp.mss);
	real(v, "probe.rtt", NT_UNIT_US, e->tcp.rtt_us);
	text(v, "probe.congestion", e->tcp.congestion);
}

static void received(const struct view *v)
{
	const struct nt_probe_part *p =
		part(v, v->peer ? NT_TEST_STREAM : NT_TEST_REVERSE, 0);
	const struct nt_probe_end *e;

	if (!p)
		return;
	e = mine(v, p);
	real(v, "probe.throughput_in", NT_UNIT_BPS, v->peer ? p->up_bps : p->down_bps);
	text(v, "probe.limit_in",
		nt_name_of(nt_limit_names, v->peer ? p->up.limit : p->down.limit));
	real(v, "probe.cpu_busy_in_pct", NT_UNIT_PERCENT, e->cpu.busy);
	real(v, "probe.cpu_max_in_pct", NT_UNIT_PERCENT, fullest(e));
}

static void latencies(const struct view *v)
{
	const struct nt_probe_part *rr = part(v, NT_TEST_RR, 0),
				   *crr = part(v, NT_TEST_CRR, 0),
				   *alone = part(v, NT_TEST_LOADED, 0),
				   *up = part(v, NT_TEST_LOADED, 1),
				   *down = part(v, NT_TEST_LOADED, 2);

	if (rr && rr->here.latency.count) {
		real(v, "probe.rr_rate", NT_UNIT_PER_S, rr->rate);
		real(v, "probe.rr_p50", NT_UNIT_US, rr->here.latency.p50);
		real(v, "probe.rr_p99", NT_UNIT_US, rr->here.latency.p99);
		real(v, "probe.rr_p999", NT_UNIT_US, rr->here.latency.p999);
	}
	if (crr)
		real(v, "probe.crr_rate", NT_UNIT_PER_S, crr->rate);
	if (v->peer) { /* what this end sends is what loads its path */
		const struct nt_probe_part *swap = up;

		up = down;
		down = swap;
	}
	if (alone && up && up->here.latency.count)
		real(v, "probe.added_latency", NT_UNIT_US,
			up->here.latency.p50 - alone->here.latency.p50);
	if (alone && down && down->here.latency.count)
		real(v, "probe.added_latency_in", NT_UNIT_US,
			down->here.latency.p50 - alone->here.latency.p50);
}

static void datagrams(const struct view *v)
{
	const struct nt_probe_part *p = part(v, NT_TEST_UDP, v->peer ? 1 : 0);
	const struct nt_probe_udp *u;

	if (!p)
		return;
	u = v->peer ? &p->here.udp : &p->there.udp; /* the receiver's view */
	if (u->received + u->lost > 0)
		real(v, "probe.udp_loss_pct", NT_UNIT_PERCENT,
			100 * u->lost / (u->received + u->lost));
	real(v, "probe.udp_jitter", NT_UNIT_US, u->jitter_us);
}

static void completion(const struct view *v)
{
	const struct nt_probe_part *p = part(v, NT_TEST_COMPLETION, 0);
	const struct nt_probe_completion *c = p ? &mine(v, p)->completion : NULL;

	if (c && c->measurable) {
		real(v, "probe.tx_completion", NT_UNIT_US, fmax(0, c->intercept_us));
		real(v, "probe.tx_completion_slope", NT_UNIT_US, c->slope_us);
	} else if (c) {
		char reason[128];

		snprintf(reason, sizeof reason, "not measurable here: %s",
			*c->reason ? c->reason : "the test did not run");
		nt_fact_absent(v->s, v->path, "probe.tx_completion", reason);
	} else {
		nt_fact_absent(v->s, v->path, "probe.tx_completion", "the test did not run");
	}
}

/* The least round trip any TCP socket of either end saw in any test. */
static double min_rtt(const struct nt_probe_result *r)
{
	double least = NAN;
	unsigned i, k;

	for (i = 0; i < r->n_tests; i++)
		for (k = 0; k < r->tests[i].n_parts; k++) {
			const struct nt_probe_part *p = &r->tests[i].parts[k];

			least = fmin(least, fmin(p->here.tcp.min_rtt_us, p->there.tcp.min_rtt_us));
		}
	return least;
}

/* The egress that the end had in any test. */
static const struct nt_probe_egress *egress(const struct view *v)
{
	unsigned i;

	for (i = 0; i < v->r->n_tests; i++)
		if (v->r->tests[i].n_parts)
			return &mine(v, &v->r->tests[i].parts[0])->egress;
	return NULL;
}

void nt_probe_facts(const struct nt_probe_result *r, bool peer, struct nt_snapshot *s)
{
	struct view v = { .r = r, .peer = peer, .s = s };
	const struct nt_probe_egress *e = egress(&v);

	s->sealed = false;
	v.path = nt_snapshot_add_path(s, peer ? r->local_address : r->host);
	v.path->interesting = true;
	if (e && *e->link) {
		v.path->lower = nt_snapshot_link(s, e->link);
		text(&v, "path.link", e->link);
	}
	real(&v, "path.min_rtt", NT_UNIT_US, min_rtt(r));
	sent(&v);
	received(&v);
	latencies(&v);
	datagrams(&v);
	completion(&v);
	nt_snapshot_seal(s);
	nt_derive(s);
}
