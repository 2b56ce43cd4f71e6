/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nettune/buf.h"
#include "nettune/mem.h"

static const struct {
	const char *name;
	bool more_is_better;
} kinds[_NT_MEASURED_MAX] = {
	[NT_MEASURED_UP] = { "up Mbit/s", true },
	[NT_MEASURED_DOWN] = { "down Mbit/s", true },
	[NT_MEASURED_RATE] = { "per s", true },
	[NT_MEASURED_P50] = { "p50 us", false },
	[NT_MEASURED_P99] = { "p99 us", false },
	[NT_MEASURED_CPU_HERE] = { "CPU here s/GB", false },
	[NT_MEASURED_CPU_THERE] = { "CPU there s/GB", false },
	[NT_MEASURED_RETRANS_HERE] = { "resent here /s", false },
	[NT_MEASURED_RETRANS_THERE] = { "resent there /s", false },
	[NT_MEASURED_LOST_UP] = { "lost up %", false },
	[NT_MEASURED_LOST_DOWN] = { "lost down %", false },
	[NT_MEASURED_FREED_HERE] = { "Tx done here us", false },
	[NT_MEASURED_FREED_THERE] = { "Tx done there us", false },
};

const char *nt_measured_name(enum nt_measured what)
{
	return kinds[what].name;
}

/* ---- taking down what a probe measured --------------------------------------------- */

/* What one second was worth; NAN where it says nothing. */
typedef double nt_second_fn(const struct nt_probe_sample *s);

static double second_rx(const struct nt_probe_sample *s)
{
	return s->rx_bps;
}

/* In no unit of its own: only how it varies counts. */
static double second_cost(const struct nt_probe_sample *s)
{
	double moved = s->tx_bps + s->rx_bps;

	return moved > 0 ? s->cpu_busy / moved : NAN;
}

static double second_retrans(const struct nt_probe_sample *s)
{
	return s->retrans;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Mean and standard deviation of what is left of n values without the outer tenths. */
static double deviation(double *v, unsigned n, double *ret_mean)
{
	unsigned cut = n / 10, i;
	double sum = 0, square = 0;

	qsort(v, n, sizeof *v, by_value);
	v += cut;
	n -= 2 * cut;
	for (i = 0; i < n; i++)
		sum += v[i];
	*ret_mean = sum / n;
	for (i = 0; i < n; i++)
		square += (v[i] - *ret_mean) * (v[i] - *ret_mean);
	return n > 1 ? sqrt(square / (n - 1)) : 0;
}

/*
 * The spread of an end's seconds. Relative: they vary around value as they do around
 * their own mean, for the whole window is counted more exactly than its seconds are.
 */
static void spread(struct nt_measure *m, const struct nt_probe_end *e, nt_second_fn *fn,
	bool relative)
{
	double v[NT_PROBE_SERIES], mean, wide;
	unsigned i, n = 0;

	for (i = 0; i < e->n_series && n < NT_PROBE_SERIES; i++) {
		v[n] = fn(&e->series[i]);
		n += isfinite(v[n]) != 0;
	}
	if (!n)
		return;
	wide = 2 * deviation(v, n, &mean);
	if (relative && mean <= 0)
		return;
	if (relative)
		wide *= m->value / mean;
	m->n = n;
	m->low = m->value - wide;
	m->high = m->value + wide;
}

static struct nt_measure *add(struct nt_measures *ms, enum nt_probe_test test,
	const struct nt_probe_part *p, enum nt_measured what, double value)
{
	struct nt_measure *m;

	if (!isfinite(value))
		return NULL;
	NT_GROW(ms->v, ms->n, ms->cap);
	m = &ms->v[ms->n++];
	*m = (struct nt_measure){ .test = test, .what = what, .value = value };
	snprintf(m->part, sizeof m->part, "%s", p->name);
	m->low = m->high = value;
	return m;
}

static void add_seconds(struct nt_measures *ms, enum nt_probe_test test,
	const struct nt_probe_part *p, enum nt_measured what, double value,
	const struct nt_probe_end *e, nt_second_fn *fn)
{
	struct nt_measure *m = add(ms, test, p, what, value);

	if (m)
		spread(m, e, fn, fn != second_retrans);
}

/* Of single transactions: count of them lie around value from low to high. */
static void add_singles(struct nt_measures *ms, enum nt_probe_test test,
	const struct nt_probe_part *p, enum nt_measured what, double value, double low,
	double high, double count)
{
	struct nt_measure *m = add(ms, test, p, what, value);

	if (!m || !isfinite(low) || !isfinite(high))
		return;
	m->low = fmin(low, value);
	m->high = fmax(high, value);
	m->n = count;
}

static void add_latency(
	struct nt_measures *ms, enum nt_probe_test test, const struct nt_probe_part *p)
{
	const struct nt_probe_latency *l = &p->here.latency;

	if (!(l->count > 0))
		return;
	add_singles(ms, test, p, NT_MEASURED_P50, l->p50, l->min, l->p90, l->count);
	add_singles(
		ms, test, p, NT_MEASURED_P99, l->p99, l->p90, l->p999, l->count / 100);
}

static void add_lost(struct nt_measures *ms, enum nt_probe_test test,
	const struct nt_probe_part *p, enum nt_measured what,
	const struct nt_probe_udp *u)
{
	if (u->received + u->lost > 0)
		add(ms, test, p, what, 100 * u->lost / (u->received + u->lost));
}

static void add_end(struct nt_measures *ms, enum nt_probe_test test,
	const struct nt_probe_part *p, const struct nt_probe_end *e, bool there)
{
	const struct nt_probe_completion *c = &e->completion;

	/* what a transaction costs shows in its latency: its bytes are too few */
	if (!(p->here.latency.count > 0) && !c->ran)
		add_seconds(ms, test, p,
			there ? NT_MEASURED_CPU_THERE : NT_MEASURED_CPU_HERE,
			e->cpu_s_per_gb, e, second_cost);
	if (e->tcp.streams && e->seconds > 0)
		add_seconds(ms, test, p,
			there ? NT_MEASURED_RETRANS_THERE : NT_MEASURED_RETRANS_HERE,
			e->tcp.retrans / e->seconds, e, second_retrans);
	if (c->ran && c->measurable)
		add_singles(ms, test, p,
			there ? NT_MEASURED_FREED_THERE : NT_MEASURED_FREED_HERE,
			c->p50_us, c->p50_us, c->p99_us, c->bursts);
}

static void add_part(
	struct nt_measures *ms, enum nt_probe_test test, const struct nt_probe_part *p)
{
	add_seconds(ms, test, p, NT_MEASURED_UP, p->up_bps / 1e6, &p->there, second_rx);
	add_seconds(
		ms, test, p, NT_MEASURED_DOWN, p->down_bps / 1e6, &p->here, second_rx);
	/* beside bulk data the bytes do not tell how many transactions a second had */
	if (!(p->up_bps > 0) && !(p->down_bps > 0))
		add_seconds(ms, test, p, NT_MEASURED_RATE, p->rate, &p->here, second_rx);
	add_latency(ms, test, p);
	if (test == NT_TEST_UDP) {
		add_lost(ms, test, p, NT_MEASURED_LOST_UP, &p->there.udp);
		add_lost(ms, test, p, NT_MEASURED_LOST_DOWN, &p->here.udp);
	}
	add_end(ms, test, p, &p->here, false);
	add_end(ms, test, p, &p->there, true);
}

void nt_compare_add(
	struct nt_compare_log *log, const struct nt_probe_result *r, time_t at)
{
	struct nt_buf options = { 0 };
	struct nt_measures *ms;
	unsigned t, k;

	if (log->n == NT_COMPARE_RUNS) {
		free(log->v[0].v);
		free(log->v[0].options);
		memmove(log->v, log->v + 1, (NT_COMPARE_RUNS - 1) * sizeof *log->v);
		log->n--;
	}
	ms = &log->v[log->n++];
	*ms = (struct nt_measures){
		.port = r->port, .at = at, .seconds = r->opts.seconds
	};
	snprintf(ms->address, sizeof ms->address, "%s", r->address);
	nt_probe_settings_format(&r->opts, &options);
	ms->options = nt_buf_detach(&options);
	for (t = 0; t < r->n_tests; t++)
		for (k = 0; k < r->tests[t].n_parts; k++)
			add_part(ms, r->tests[t].test, &r->tests[t].parts[k]);
}

void nt_compare_free(struct nt_compare_log *log)
{
	while (log->n) {
		free(log->v[--log->n].v);
		free(log->v[log->n].options);
	}
}

/* ---- comparing ----------------------------------------------------------------------
 */

const struct nt_measures *nt_compare_now(const struct nt_compare_log *log)
{
	return log->n ? &log->v[log->n - 1] : NULL;
}

const struct nt_measure *nt_measure_find(
	const struct nt_measures *in, const struct nt_measure *like)
{
	size_t i;

	for (i = 0; i < in->n; i++)
		if (in->v[i].test == like->test && in->v[i].what == like->what &&
			strcmp(in->v[i].part, like->part) == 0)
			return &in->v[i];
	return NULL;
}

static bool shares(const struct nt_measures *a, const struct nt_measures *b)
{
	size_t i;

	for (i = 0; i < a->n; i++)
		if (nt_measure_find(b, &a->v[i]))
			return true;
	return false;
}

const struct nt_measures *nt_compare_before(const struct nt_compare_log *log)
{
	const struct nt_measures *now = nt_compare_now(log);
	size_t i;

	for (i = log->n; i > 1; i--) {
		const struct nt_measures *m = &log->v[i - 2];

		if (m->port == now->port && strcmp(m->address, now->address) == 0 &&
			shares(m, now))
			return m;
	}
	return NULL;
}

enum nt_difference nt_measure_differs(
	const struct nt_measure *before, const struct nt_measure *now)
{
	bool more = now->low > before->high, less = now->high < before->low;

	if (before->n < NT_COMPARE_SAMPLES || now->n < NT_COMPARE_SAMPLES)
		return NT_DIFF_FEW;
	if ((!more && !less) ||
		fabs(now->value - before->value) < NT_COMPARE_LEAST * fabs(before->value))
		return NT_DIFF_COVERED;
	return more == kinds[now->what].more_is_better ? NT_DIFF_BETTER : NT_DIFF_WORSE;
}

double nt_measure_change(const struct nt_measure *before, const struct nt_measure *now)
{
	return before->value != 0 ? 100 * (now->value - before->value) / before->value
				  : NAN;
}
