/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "model.h"

#include <stdio.h>
#include <string.h>

#include "nettune/buf.h"
#include "nettune/mem.h"

/* Growth a second; a counter that went back counts as no growth. */
static double rate(uint64_t then, uint64_t now, double dt)
{
	return now < then || dt <= 0 ? 0 : (double)(now - then) / dt;
}

static void push(float *hist, int n, double v)
{
	if (n == NT_HISTORY)
		memmove(hist, hist + 1, (NT_HISTORY - 1) * sizeof *hist);
	hist[n < NT_HISTORY ? n : NT_HISTORY - 1] = (float)v;
}

static void update_row(
	struct nt_link_row *row, const struct nt_sample_link *now, double dt)
{
	row->have_rates = dt > 0;
	row->rx_mbps = rate(row->link.rx_bytes, now->rx_bytes, dt) * 8e-6;
	row->tx_mbps = rate(row->link.tx_bytes, now->tx_bytes, dt) * 8e-6;
	row->rx_pps = rate(row->link.rx_packets, now->rx_packets, dt);
	row->tx_pps = rate(row->link.tx_packets, now->tx_packets, dt);
	row->drops_ps = rate(row->link.drops, now->drops, dt);
	if (dt > 0) {
		push(row->rx_hist, row->n_hist, row->rx_mbps);
		push(row->tx_hist, row->n_hist, row->tx_mbps);
		row->n_hist += row->n_hist < NT_HISTORY;
	}
	row->link = *now;
}

static const struct nt_link_row *row_by_index(
	const struct nt_model *m, int ifindex, size_t guess)
{
	size_t i;

	if (guess < m->n_rows && m->rows[guess].link.ifindex == ifindex)
		return &m->rows[guess];
	for (i = 0; i < m->n_rows; i++)
		if (m->rows[i].link.ifindex == ifindex)
			return &m->rows[i];
	return NULL;
}

static const struct nt_fact *link_fact(
	const struct nt_model *m, const char *link, const char *name)
{
	const struct nt_scope *sc =
		m->snapshot ? nt_snapshot_link(m->snapshot, link) : NULL;

	return sc ? nt_scope_get(m->snapshot, sc, name) : NULL;
}

/* What the judged snapshot says of a row. */
static void annotate(struct nt_model *m, struct nt_link_row *row)
{
	const struct nt_fact *f = link_fact(m, row->link.name, "link.speed");
	size_t i;

	row->speed = f && f->type == NT_FACT_INT ? (int)f->v.i : -1;
	f = link_fact(m, row->link.name, "link.driver");
	snprintf(row->driver, sizeof row->driver, "%s",
		f && f->type == NT_FACT_TEXT ? f->v.s : row->link.kind);
	row->problems = row->warnings = row->advice = 0;
	for (i = 0; m->findings && i < m->findings->n; i++) {
		const struct nt_finding *fi = &m->findings->v[i];

		if (fi->scope->kind != NT_SCOPE_LINK ||
			strcmp(fi->scope->name, row->link.name) != 0)
			continue;
		row->problems += fi->severity == NT_SEV_PROBLEM;
		row->warnings += fi->severity == NT_SEV_WARNING;
		row->advice += fi->severity == NT_SEV_ADVICE;
	}
}

static double share(
	uint64_t part_now, uint64_t part_then, uint64_t all_now, uint64_t all_then)
{
	if (all_now <= all_then || part_now < part_then)
		return -1;
	return 100.0 * (double)(part_now - part_then) / (double)(all_now - all_then);
}

static void update_host(struct nt_model *m, const struct nt_sample *now)
{
	const struct nt_sample *then = m->last;
	struct nt_cpu_ticks a = { 0 }, b = { 0 };
	double dt = then ? now->time_s - then->time_s : 0, pct;
	size_t i;

	m->cpu_pct = m->softirq_pct = m->retrans_pct = m->softnet_drops_ps = -1;
	m->softirq_cpu = -1;
	m->softirq_cpu_pct = 0;
	if (!then || dt <= 0)
		return;
	for (i = 0; i < now->n_cpus && i < then->n_cpus; i++) {
		const struct nt_cpu_ticks *t = &then->cpus[i], *n = &now->cpus[i];

		a.all += t->all, a.busy += t->busy, a.softirq += t->softirq;
		b.all += n->all, b.busy += n->busy, b.softirq += n->softirq;
		pct = share(n->softirq, t->softirq, n->all, t->all);
		if (pct > 5 && pct > m->softirq_cpu_pct) {
			m->softirq_cpu_pct = pct;
			m->softirq_cpu = (int)i;
		}
	}
	m->cpu_pct = share(b.busy, a.busy, b.all, a.all);
	m->softirq_pct = share(b.softirq, a.softirq, b.all, a.all);
	m->retrans_pct = now->out_segs == then->out_segs
				 ? 0
				 : share(now->retrans, then->retrans, now->out_segs,
					   then->out_segs);
	if (now->softnet_dropped >= then->softnet_dropped)
		m->softnet_drops_ps =
			(double)(now->softnet_dropped - then->softnet_dropped) / dt;
}

void nt_model_sample(struct nt_model *m, struct nt_sample *s)
{
	struct nt_link_row *rows = nt_calloc(s->n_links ? s->n_links : 1, sizeof *rows);
	double dt = m->last ? s->time_s - m->last->time_s : 0;
	size_t i;

	if (s->error) { /* keep what is shown; the next reading may do better */
		free(rows);
		nt_sample_free(s);
		return;
	}
	update_host(m, s);
	for (i = 0; i < s->n_links; i++) {
		const struct nt_link_row *old = row_by_index(m, s->links[i].ifindex, i);

		if (old) {
			bool renamed = strcmp(old->link.name, s->links[i].name) != 0;

			rows[i] = *old;
			update_row(&rows[i], &s->links[i], dt);
			if (renamed)
				annotate(m, &rows[i]);
		} else {
			update_row(&rows[i], &s->links[i], 0);
			annotate(m, &rows[i]);
		}
	}
	free(m->rows);
	m->rows = rows;
	m->n_rows = s->n_links;
	nt_sample_free(m->last);
	m->last = s;
}

void nt_model_judged(struct nt_model *m, struct nt_snapshot *s, struct nt_findings *f,
	unsigned long ticket)
{
	size_t i;

	if (m->findings) {
		nt_findings_free(m->findings);
		free(m->findings);
	}
	nt_snapshot_free(m->snapshot);
	m->snapshot = s;
	m->findings = f;
	m->ticket = ticket;
	m->n_problems = m->n_warnings = m->n_advice = 0;
	for (i = 0; i < f->n; i++) {
		m->n_problems += f->v[i].severity == NT_SEV_PROBLEM;
		m->n_warnings += f->v[i].severity == NT_SEV_WARNING;
		m->n_advice += f->v[i].severity == NT_SEV_ADVICE;
	}
	for (i = 0; i < m->n_rows; i++)
		annotate(m, &m->rows[i]);
}

const struct nt_link_row *nt_model_row(const struct nt_model *m, const char *link)
{
	size_t i;

	for (i = 0; i < m->n_rows; i++)
		if (strcmp(m->rows[i].link.name, link) == 0)
			return &m->rows[i];
	return NULL;
}

void nt_model_free(struct nt_model *m)
{
	if (m->findings) {
		nt_findings_free(m->findings);
		free(m->findings);
	}
	nt_snapshot_free(m->snapshot);
	nt_sample_free(m->last);
	free(m->rows);
	memset(m, 0, sizeof *m);
}

void nt_sparkline(
	char *ret, size_t size, const float *v, int n, int width, double max, bool utf8)
{
	static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇",
		"█" };
	static const char *const ascii[] = { " ", ".", ":", "-", "=", "+", "*", "#",
		"@" };
	struct nt_buf b = { 0 };
	int i, level;

	for (i = 0; max <= 0 && i < n; i++)
		max = -max > v[i] ? max : -v[i]; /* kept negative until known */
	max = max < 0 ? -max : max;
	for (i = n - width; i < n; i++) {
		level = 0;
		if (i >= 0 && v[i] > 0 && max > 0)
			level = v[i] >= max ? 8 : 1 + (int)(7.0 * v[i] / max);
		nt_buf_adds(&b, utf8 ? blocks[level] : ascii[level]);
	}
	snprintf(ret, size, "%s", nt_buf_str(&b));
	nt_buf_free(&b);
}
