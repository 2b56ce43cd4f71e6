/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probe: choose a peer and a test, see both ends while it runs, and what the limit is. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "graph.h"
#include "list.h"
#include "probe_lines.h"
#include "wrap.h"
#include "nettune/buf.h"
#include "nettune/mem.h"
#include "nettune/names.h"

struct probe {
	int scroll;
	bool compare; /* show the change against the run before */
};

static void *open_probe(struct nt_app *app, const void *arg)
{
	(void)app;
	(void)arg;
	return nt_calloc(1, sizeof(struct probe));
}

static void end_line(int row, const char *who, bool have, const struct nt_probe_sample *s)
{
	nt_term_put(row, 1, 6, NT_ROLE_STRONG, who);
	if (!have) {
		nt_term_put(row, 8, -1, NT_ROLE_DIM, "...");
		return;
	}
	if (nt_term_cols() < 76) {
		nt_term_putf(row, 8, -1, NT_ROLE_TEXT, "CPU %.0f %% tx %.0f rx %.0f Mbit/s",
			isnan(s->cpu_busy) ? 0 : s->cpu_busy,
			isnan(s->tx_bps) ? 0 : s->tx_bps / 1e6,
			isnan(s->rx_bps) ? 0 : s->rx_bps / 1e6);
		return;
	}
	nt_term_putf(row, 8, -1, NT_ROLE_TEXT,
		"CPU %3.0f %%  tx %8.1f  rx %8.1f Mbit/s  rtt %6.0f us  retrans %.0f",
		isnan(s->cpu_busy) ? 0 : s->cpu_busy,
		isnan(s->tx_bps) ? 0 : s->tx_bps / 1e6,
		isnan(s->rx_bps) ? 0 : s->rx_bps / 1e6, isnan(s->rtt_us) ? 0 : s->rtt_us,
		isnan(s->retrans) ? 0 : s->retrans);
}

static void draw_running(const struct nt_probe_view *v, int top)
{
	int height = nt_term_rows() - top - 7, width = nt_term_cols() - 12, i;
	double max = 0;

	height = height > 12 ? 12 : height < 0 ? 0 : height;
	for (i = 0; i < v->n; i++)
		max = fmax(max, fmax(v->up[i], v->down[i]));
	max = nt_graph_scale(max);
	if (v->total <= 0) {
		nt_term_putf(
			top, 1, -1, NT_ROLE_HEAD, "connecting to %s ...  s stops", v->host);
		return;
	}
	nt_term_putf(top, 1, -1, NT_ROLE_HEAD, "%s %s  %.0f of %.0f s  s stops",
		nt_name_of(nt_probe_test_names, v->test), v->part, v->elapsed, v->total);
	if (height >= 2) {
		nt_term_putf(top + 1, 0, 10, NT_ROLE_DIM, "%9.0f", max);
		nt_term_put(top + 2, 3, 7, NT_ROLE_DIM, "Mbit/s");
		nt_graph_draw(top + 1, 11, width, height, v->down, v->n, max, NT_ROLE_GOOD);
		nt_graph_draw(top + 1, 11, width, height, v->up, v->n, max, NT_ROLE_ADVICE);
	}
	end_line(top + 1 + height, "here", v->have_here, &v->here);
	end_line(top + 2 + height, "there", v->have_there, &v->there);
}

static void draw_result(struct probe *p, const struct nt_probe_view *v, int top)
{
	const struct nt_measures *before = nt_compare_before(&v->log);
	struct nt_lines l = { 0 };
	int rows = nt_term_rows(), height = rows - top - 2, width = nt_term_cols() - 2;
	char text[160];

	if (*v->error) {
		nt_lines_add(&l, width, NT_ROLE_PROBLEM, NULL, v->error);
		nt_lines_add(&l, width, NT_ROLE_TEXT, NULL,
			"Enter tries again, e changes the peer, y the key.");
	}
	if (*v->error && v->result)
		nt_lines_addf(&l, width, NT_ROLE_TEXT, NULL,
			"Measured before, to %s:", v->result->host);
	if (before && p->compare) {
		nt_probe_compare_lines(&l, width, before, nt_compare_now(&v->log));
	} else if (v->result) {
		if (before) {
			nt_probe_compare_text(
				text, sizeof text, before, nt_compare_now(&v->log));
			nt_lines_addf(&l, width, NT_ROLE_STRONG, NULL, "%s (c)", text);
		}
		nt_probe_result_lines(&l, v->result, width);
		nt_probe_peer_lines(&l, v, width);
	}
	if (p->scroll > (int)l.n - height)
		p->scroll = (int)l.n - height;
	if (p->scroll < 0)
		p->scroll = 0;
	nt_lines_draw(&l, p->scroll, top, height, 0);
	if ((int)l.n > height)
		nt_term_putf(rows - 2, nt_term_cols() - 30, -1, NT_ROLE_DIM,
			"line %d of %zu: Up/Down", p->scroll + 1, l.n);
	nt_lines_clear(&l);
}

/* What would be done, with the keys that change it, in a low terminal a line of each; the
 * row below it. */
static int draw_choice(const struct nt_probe_view *v)
{
	char key[32] = "none", peer[64] = "none", when[32];
	struct nt_buf options = { 0 };
	struct nt_lines l = { 0 };
	const char *base = strrchr(v->key_file, '/');
	int width = nt_term_cols() - 2, most = nt_term_rows() < 16 ? 1 : 3, row = 1, n;

	if (*v->host)
		nt_printable(peer, sizeof peer, v->host);
	if (*v->key_file)
		nt_printable(key, sizeof key, base ? base + 1 : v->key_file);
	if (!nt_probe_setting_format(&nt_probe_settings[0], &v->opts, when, sizeof when))
		snprintf(when, sizeof when, "default");
	nt_lines_addf(&l, width, NT_ROLE_TEXT, NULL,
		"peer %s [e]   tests %s [t]   time %s [d]   key %s [y]", peer,
		nt_probe_tests_word(v), when, key);
	n = (int)l.n < most ? (int)l.n : most;
	nt_lines_draw(&l, 0, row, n, 0);
	nt_lines_clear(&l);
	row += n;
	nt_probe_settings_format(&v->opts, &options);
	if (options.len)
		nt_lines_addf(&l, width, NT_ROLE_STRONG, NULL, "options %s [o]",
			nt_buf_str(&options));
	n = (int)l.n < most ? (int)l.n : most;
	nt_lines_draw(&l, 0, row, n, 0);
	nt_lines_clear(&l);
	row += n;
	nt_buf_free(&options);
	nt_term_rule(row);
	return row + 1;
}

static void draw_first(int top)
{
	struct nt_lines l = { 0 };
	int width = nt_term_cols() - 2;

	nt_lines_add(&l, width, NT_ROLE_TEXT, NULL,
		"On the other host: nettune --serve --bind ADDRESS");
	nt_lines_add(&l, width, NT_ROLE_TEXT, NULL,
		"Here: e sets the peer, Enter starts.");
	nt_lines_add(&l, width, NT_ROLE_DIM, NULL,
		"A probe sends traffic for some seconds; it changes no setting.");
	nt_lines_draw(&l, 0, top, nt_term_rows() - top - 2, 0);
	nt_lines_clear(&l);
}

static void draw_probe(struct nt_app *app, void *state)
{
	struct probe *p = state;
	struct nt_probe_view *v = &app->probe;
	int top;

	pthread_mutex_lock(&v->lock);
	top = draw_choice(v);
	if (v->running) {
		draw_running(v, top);
	} else if (v->result || *v->error) {
		draw_result(p, v, top);
	} else {
		draw_first(top);
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
	unsigned *tests = &v->opts.tests;
	int t = 0;

	while (*tests && t < _NT_TEST_MAX && *tests != 1U << t)
		t++;
	if (!*tests)
		*tests = 1U;
	else
		*tests = t + 1 < _NT_TEST_MAX ? 1U << (t + 1) : 0;
}

static bool scrolls(struct probe *p, int code)
{
	static const struct {
		int code, lines;
	} moves[] = {
		{ NT_K_UP, -1 },
		{ 'k', -1 },
		{ NT_K_WHEEL_UP, -3 },
		{ NT_K_DOWN, 1 },
		{ 'j', 1 },
		{ NT_K_WHEEL_DOWN, 3 },
		{ NT_K_PGUP, -10 },
		{ NT_K_PGDN, 10 },
		{ NT_K_HOME, -10000 },
		{ NT_K_END, 10000 },
	};
	size_t i;

	for (i = 0; i < NT_ARRAY_SIZE(moves) && moves[i].code != code; i++)
		continue;
	if (i == NT_ARRAY_SIZE(moves))
		return false;
	p->scroll += moves[i].lines; /* drawing puts it into range */
	return true;
}

static bool key_probe(struct nt_app *app, void *state, struct nt_key k)
{
	struct probe *p = state;
	struct nt_probe_view *v = &app->probe;
	double *seconds = &v->opts.seconds;

	if (scrolls(p, k.code))
		return true;
	switch (k.code) {
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
	case 'c':
		p->compare = !p->compare;
		p->scroll = 0;
		if (!nt_compare_before(&v->log)) {
			p->compare = false;
			nt_app_say(app, "nothing to compare with yet: r measures again");
		}
		return true;
	case 'w':
		nt_probe_view_export(app);
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
		*seconds = *seconds <= 0   ? 3
			   : *seconds < 10 ? 10
			   : *seconds < 30 ? 30
					   : 0;
		return true;
	case 'o':
		nt_app_push(app, &nt_screen_options, NULL);
		return true;
	default:
		return false;
	}
}

static void title_probe(struct nt_app *app, void *state, char *ret, size_t size)
{
	const struct nt_probe_result *r = app->probe.result;

	(void)state;
	if (app->probe.running)
		snprintf(ret, size, "running");
	else if (r)
		snprintf(ret, size, "to %s (nettune %.20s%s%.40s)", r->host,
			r->peer_version, *r->peer_kernel ? ", Linux " : "",
			r->peer_kernel);
}

static bool offers_probe(
	struct nt_app *app, void *state, int code, char *label, size_t size)
{
	const struct nt_probe_view *v = &app->probe;
	const struct probe *p = state;

	switch (code) {
	case 's':
		return v->running;
	case 'r':
		snprintf(label, size, v->result || *v->error ? "again" : "start");
		return !v->running && *v->host;
	case 'c':
		snprintf(label, size, p->compare ? "figures" : "compare");
		return !v->running && nt_compare_before(&v->log);
	case 'w':
		return !v->running && v->result;
	case 'f':
		return v->running || v->result;
	default:
		return !v->running;
	}
}

static const struct nt_key_help keys[] = {
	{ 's', "stop", "stop both ends; what was measured is shown" },
	{ 't', "tests", "next test, or the standard set" },
	{ 'o', "options", "tests, streams, buffers and the other options of a probe" },
	{ 'r', "start", "start the probe (also Enter)" },
	{ 'c', "compare",
		"the change against the run before to this peer, or the figures" },
	{ 'w', "write", "write the result to a file, as nettune --probe --json does" },
	{ 'e', "peer", "set the peer" },
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
	.offers = offers_probe,
	.first = 'r',
};
