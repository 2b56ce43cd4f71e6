/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probe: choose a peer and a test, see both ends while it runs, and what the limit is. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "graph.h"
#include "list.h"
#include "wrap.h"
#include "nettune/buf.h"
#include "nettune/mem.h"
#include "nettune/names.h"
#include "nettune/tunable.h"

struct probe {
	int scroll;
};

static void *open_probe(struct nt_app *app, const void *arg)
{
	(void)app;
	(void)arg;
	return nt_calloc(1, sizeof(struct probe));
}

static const char *tests_word(const struct nt_probe_view *v)
{
	int t;

	for (t = 0; t < _NT_TEST_MAX; t++)
		if (v->tests == 1U << t)
			return nt_name_of(nt_probe_test_names, t);
	return "standard set";
}

static void end_line(int row, const char *who, bool have, const struct nt_probe_sample *s)
{
	nt_term_put(row, 1, 6, NT_ROLE_STRONG, who);
	if (!have) {
		nt_term_put(row, 8, -1, NT_ROLE_DIM, "...");
		return;
	}
	nt_term_putf(row, 8, -1, NT_ROLE_TEXT,
		"CPU %3.0f %%  tx %8.1f  rx %8.1f Mbit/s  rtt %6.0f us  retrans %.0f",
		isnan(s->cpu_busy) ? 0 : s->cpu_busy,
		isnan(s->tx_bps) ? 0 : s->tx_bps / 1e6,
		isnan(s->rx_bps) ? 0 : s->rx_bps / 1e6, isnan(s->rtt_us) ? 0 : s->rtt_us,
		isnan(s->retrans) ? 0 : s->retrans);
}

static void draw_running(const struct nt_probe_view *v, int rows)
{
	int height = rows - 10, width = nt_term_cols() - 12, i;
	double max = 0;

	if (height > 12)
		height = 12;
	for (i = 0; i < v->n; i++)
		max = fmax(max, fmax(v->up[i], v->down[i]));
	max = nt_graph_scale(max);
	if (v->total <= 0) {
		nt_term_putf(
			3, 1, -1, NT_ROLE_HEAD, "connecting to %s ...  s stops", v->host);
		return;
	}
	nt_term_putf(3, 1, -1, NT_ROLE_HEAD, "%s %s  %.0f of %.0f s  s stops",
		nt_name_of(nt_probe_test_names, v->test), v->part, v->elapsed, v->total);
	if (height >= 2) {
		nt_term_putf(4, 0, 10, NT_ROLE_DIM, "%9.0f", max);
		nt_term_put(5, 3, 7, NT_ROLE_DIM, "Mbit/s");
		nt_graph_draw(4, 11, width, height, v->down, v->n, max, NT_ROLE_GOOD);
		nt_graph_draw(4, 11, width, height, v->up, v->n, max, NT_ROLE_ADVICE);
	}
	end_line(5 + height, "here", v->have_here, &v->here);
	end_line(6 + height, "there", v->have_there, &v->there);
}

static void rate_cell(char *ret, size_t size, double bps)
{
	if (isnan(bps))
		snprintf(ret, size, "-");
	else
		snprintf(ret, size, "%.*f", bps < 1e8 ? 2 : 0, bps / 1e6);
}

static void number_cell(char *ret, size_t size, double v)
{
	if (isnan(v))
		snprintf(ret, size, "-");
	else
		snprintf(ret, size, "%.*f", v < 100 ? 1 : 0, v);
}

/* One part of a test: figures, a bar of its rate, then the verdicts. */
static void part_lines(struct nt_lines *l, const char *test,
	const struct nt_probe_part *p, double max_bps, int width)
{
	char up[24], down[24], rate[24], p50[24], p99[24], bar[64] = "";
	double bps = fmax(
		isnan(p->up_bps) ? 0 : p->up_bps, isnan(p->down_bps) ? 0 : p->down_bps);
	const struct nt_probe_latency *lat = &p->here.latency;
	float share = max_bps > 0 ? (float)(bps / max_bps) : 0;
	int i, room = width - 72 > 12 ? 12 : width - 72;

	for (i = 0; i < room; i++)
		if (share * (float)room > (float)i)
			snprintf(bar + strlen(bar), sizeof bar - strlen(bar), "%s",
				nt_term_pick("▇", "#"));
	rate_cell(up, sizeof up, p->up_bps);
	rate_cell(down, sizeof down, p->down_bps);
	number_cell(rate, sizeof rate, p->rate);
	number_cell(p50, sizeof p50, lat->count > 0 ? lat->p50 : NAN);
	number_cell(p99, sizeof p99, lat->count > 0 ? lat->p99 : NAN);
	nt_lines_addf(l, width, NT_ROLE_TEXT, NULL, "%-10s %-12s %9s %9s %9s %8s %8s %s",
		test, p->name, up, down, rate, p50, p99, bar);
	if (*p->up.text)
		nt_lines_addf(
			l, width - 4, NT_ROLE_STRONG, NULL, "    up: %s", p->up.text);
	if (*p->down.text)
		nt_lines_addf(
			l, width - 4, NT_ROLE_STRONG, NULL, "    down: %s", p->down.text);
}

/* The shape of a latency distribution: a bar a percentile, against the largest shown. */
static void percentile_lines(
	struct nt_lines *l, const struct nt_probe_latency *lat, int width)
{
	const struct {
		const char *name;
		double us;
	} rows[] = { { "p50", lat->p50 }, { "p90", lat->p90 }, { "p99", lat->p99 },
		{ "p99.9", lat->p999 } };
	struct nt_buf bar = { 0 };
	size_t i;
	int k, full;

	for (i = 0; lat->count > 0 && lat->p999 > 0 && i < NT_ARRAY_SIZE(rows); i++) {
		full = (int)lround(rows[i].us / lat->p999 * (width > 60 ? 40 : 16));
		nt_buf_cut(&bar, 0);
		for (k = 0; k < full; k++)
			nt_buf_adds(&bar, nt_term_pick("▇", "#"));
		nt_lines_addf(l, width, NT_ROLE_ADVICE, NULL, "    %-6s %8.1f us %s",
			rows[i].name, rows[i].us, nt_buf_str(&bar));
	}
	nt_buf_free(&bar);
}

static void completion_line(struct nt_lines *l, const struct nt_probe_part *p, int width)
{
	const struct nt_probe_completion *c = &p->here.completion;

	if (!c->ran)
		return;
	if (c->measurable)
		nt_lines_addf(l, width, c->late ? NT_ROLE_WARNING : NT_ROLE_TEXT, NULL,
			"    Tx completion p50 %.0f us, p99 %.0f us%s", c->p50_us,
			c->p99_us, c->late ? ": late" : "");
	else
		nt_lines_addf(l, width, NT_ROLE_DIM, NULL,
			"    Tx completion: not measurable here: %s", c->reason);
}

static void result_lines(struct nt_lines *l, const struct nt_probe_result *r, int width)
{
	unsigned t, p;
	double max = 0;

	for (t = 0; t < r->n_tests; t++)
		for (p = 0; p < r->tests[t].n_parts; p++)
			max = fmax(max, fmax(r->tests[t].parts[p].up_bps,
						r->tests[t].parts[p].down_bps));
	nt_lines_addf(l, width, NT_ROLE_HEAD, NULL, "%-10s %-12s %9s %9s %9s %8s %8s",
		"TEST", "", "UP Mbit/s", "DOWN", "PER s", "p50 us", "p99 us");
	for (t = 0; t < r->n_tests; t++) {
		const struct nt_probe_test_result *tr = &r->tests[t];
		const char *name = nt_name_of(nt_probe_test_names, tr->test);

		if (*tr->error)
			nt_lines_addf(l, width, NT_ROLE_PROBLEM, NULL, "%-10s %s", name,
				tr->error);
		for (p = 0; p < tr->n_parts; p++) {
			part_lines(l, name, &tr->parts[p], max, width);
			percentile_lines(l, &tr->parts[p].here.latency, width);
			completion_line(l, &tr->parts[p], width);
		}
	}
	if (!r->peer && *r->peer_reason)
		nt_lines_addf(l, width, NT_ROLE_DIM, NULL, "the other end's facts: %s",
			r->peer_reason);
}

static void peer_change(struct nt_lines *l, int width, const struct nt_snapshot *peer,
	const struct nt_change *c)
{
	struct nt_assign assign = { .tunable = c->tunable, .to = &c->to };
	struct nt_buf b = { 0 };
	char from[64], to[64];

	nt_fact_format(from, sizeof from, &c->from);
	nt_fact_format(to, sizeof to, &c->to);
	nt_tunable_command(&b, peer, c->scope->name, &assign, 1);
	nt_lines_addf(l, width, NT_ROLE_TEXT, NULL, "    %s %s %s %s:  %s", c->tunable,
		from, nt_term_pick("→", "->"), to, nt_buf_str(&b));
	nt_buf_free(&b);
}

/* What was found at the other end, with what is to be done there: this host can't. */
static void peer_lines(struct nt_lines *l, const struct nt_probe_view *v, int width)
{
	const struct nt_findings *f = v->peer_findings;
	char name[64];
	size_t i, k;

	if (!f)
		return;
	nt_lines_addf(l, width, NT_ROLE_HEAD, NULL, "On %s: %s", v->result->host,
		f->n ? "" : "nothing found");
	for (i = 0; i < f->n; i++) {
		const struct nt_finding *fi = &f->v[i];

		nt_printable(name, sizeof name, fi->scope->name);
		nt_lines_addf(l, width, nt_severity_role(fi->severity), NULL,
			"%s %s %s%s%s", nt_severity_sign(fi->severity),
			nt_severity_word(fi->severity), name, *name ? "  " : "",
			fi->title);
		for (k = 0; k < fi->n_changes; k++)
			peer_change(l, width, v->result->peer, &fi->changes[k]);
	}
}

static void draw_result(struct probe *p, const struct nt_probe_view *v, int rows)
{
	struct nt_lines l = { 0 };
	int height = rows - 5;

	result_lines(&l, v->result, nt_term_cols() - 2);
	peer_lines(&l, v, nt_term_cols() - 2);
	if (p->scroll > (int)l.n - height)
		p->scroll = (int)l.n - height;
	if (p->scroll < 0)
		p->scroll = 0;
	nt_lines_draw(&l, p->scroll, 3, height, 0);
	if ((int)l.n > height)
		nt_term_putf(rows - 2, nt_term_cols() - 30, -1, NT_ROLE_DIM,
			"line %d of %zu: Up/Down", p->scroll + 1, l.n);
	nt_lines_clear(&l);
}

static void draw_probe(struct nt_app *app, void *state)
{
	struct probe *p = state;
	struct nt_probe_view *v = &app->probe;
	int rows = nt_term_rows(), c;

	pthread_mutex_lock(&v->lock);
	c = nt_term_putf(1, 1, -1, NT_ROLE_TEXT, "peer %s [e]   tests %s [t]   time ",
		*v->host ? v->host : "none", tests_word(v));
	c = v->seconds > 0
		    ? nt_term_putf(1, c, -1, NT_ROLE_TEXT, "%.0f s [d]", v->seconds)
		    : nt_term_put(1, c, -1, NT_ROLE_TEXT, "each test's own [d]");
	nt_term_putf(1, c, -1, NT_ROLE_TEXT, "   key %s [y]",
		*v->key_file ? v->key_file : "none");
	nt_term_rule(2);
	if (v->running) {
		draw_running(v, rows);
	} else if (*v->error) {
		struct nt_lines l = { 0 };

		nt_lines_add(&l, nt_term_cols() - 2, NT_ROLE_PROBLEM, NULL, v->error);
		nt_lines_add(&l, nt_term_cols() - 2, NT_ROLE_TEXT, NULL,
			"Enter tries again, e changes the peer, y the key.");
		nt_lines_draw(&l, 0, 3, rows - 4, 0);
		nt_lines_clear(&l);
	} else if (v->result) {
		draw_result(p, v, rows);
	} else {
		nt_term_put(4, 1, -1, NT_ROLE_TEXT,
			"On the other host:  nettune --serve --bind ADDRESS");
		nt_term_put(
			5, 1, -1, NT_ROLE_TEXT, "Here: e sets the peer, Enter starts.");
		nt_term_put(7, 1, -1, NT_ROLE_DIM,
			"A probe sends traffic for some seconds; it changes no setting.");
	}
	pthread_mutex_unlock(&v->lock);
}

static void ask(struct nt_app *app, const char *question, char *ret, size_t size)
{
	char *answer = nt_app_prompt(app, question, ret);

	if (answer)
		snprintf(ret, size, "%s", answer);
	free(answer);
}

static void next_test(struct nt_probe_view *v)
{
	int t = 0;

	while (v->tests && t < _NT_TEST_MAX && v->tests != 1U << t)
		t++;
	if (!v->tests)
		v->tests = 1U;
	else
		v->tests = t + 1 < _NT_TEST_MAX ? 1U << (t + 1) : 0;
}

static bool key_probe(struct nt_app *app, void *state, struct nt_key k)
{
	struct probe *p = state;
	struct nt_probe_view *v = &app->probe;

	switch (k.code) {
	case NT_K_UP:
	case NT_K_WHEEL_UP:
		p->scroll--;
		return true;
	case NT_K_DOWN:
	case NT_K_WHEEL_DOWN:
		p->scroll++;
		return true;
	case 's':
		if (v->running)
			atomic_store(&v->stop, true);
		return true;
	default:
		break;
	}
	if (v->running)
		return false;
	switch (k.code) {
	case NT_K_ENTER:
	case 'r':
		p->scroll = 0;
		nt_probe_view_run(app);
		return true;
	case 'e':
		ask(app, "peer (NAME[:PORT] or [V6]:PORT)", v->host, sizeof v->host);
		return true;
	case 'y':
		ask(app, "file with the shared key (empty: none)", v->key_file,
			sizeof v->key_file);
		return true;
	case 't':
		next_test(v);
		return true;
	case 'd':
		v->seconds = v->seconds <= 0   ? 3
			     : v->seconds < 10 ? 10
			     : v->seconds < 30 ? 30
					       : 0;
		return true;
	default:
		return false;
	}
}

static void title_probe(struct nt_app *app, void *state, char *ret, size_t size)
{
	(void)state;
	if (app->probe.running)
		snprintf(ret, size, "running");
	else if (app->probe.result)
		snprintf(ret, size, "to %s (nettune %.20s, Linux %.40s)",
			app->probe.result->host, app->probe.result->peer_version,
			app->probe.result->peer_kernel);
}

static const struct nt_key_help keys[] = {
	{ NT_K_ENTER, "start", "start the probe (also r)" },
	{ 's', "stop", "stop both ends; what was measured is shown" },
	{ 'e', "peer", "set the peer" },
	{ 't', "test", "next test, or the standard set" },
	{ 'd', "time", "seconds of each test" },
	{ 'y', "key", "a file with the shared key: gives the other end's facts too" },
	{ 'f', "findings", "findings with what was measured" },
	{ 0 },
};

const struct nt_screen_ops nt_screen_probe = {
	.name = "Probe",
	.keys = keys,
	.open = open_probe,
	.draw = draw_probe,
	.key = key_probe,
	.close = free,
	.title = title_probe,
};
