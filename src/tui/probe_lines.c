/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "probe_lines.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "app.h"
#include "command_lines.h"
#include "nettune/buf.h"
#include "nettune/mem.h"
#include "nettune/names.h"

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

#define FIGURES_W 71 /* a row of figures; narrower, they are a sentence */

static void narrow_figures(struct nt_lines *l, const char *test,
	const struct nt_probe_part *p, const char *const figure[5], int width)
{
	static const char *const around[5][2] = { { "up ", " Mbit/s" },
		{ "down ", " Mbit/s" }, { "", " per s" }, { "p50 ", " us" },
		{ "p99 ", " us" } };
	struct nt_buf b = { 0 };
	int i;

	nt_buf_addf(&b, "%s%s%s", test, *p->name ? " " : "", p->name);
	for (i = 0; i < 5; i++)
		if (strcmp(figure[i], "-") != 0)
			nt_buf_addf(
				&b, "  %s%s%s", around[i][0], figure[i], around[i][1]);
	nt_lines_add(l, width, NT_ROLE_TEXT, NULL, nt_buf_str(&b));
	nt_buf_free(&b);
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
	if (width < FIGURES_W)
		narrow_figures(l, test, p,
			(const char *const[]){ up, down, rate, p50, p99 }, width);
	else
		nt_lines_addf(l, width, NT_ROLE_TEXT, NULL,
			"%-10s %-12s %9s %9s %9s %8s %8s %s", test, p->name, up, down,
			rate, p50, p99, bar);
	if (*p->up.text)
		nt_lines_addf(l, width, NT_ROLE_STRONG, NULL, "    up: %s", p->up.text);
	if (*p->down.text)
		nt_lines_addf(
			l, width, NT_ROLE_STRONG, NULL, "    down: %s", p->down.text);
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

void nt_probe_result_lines(struct nt_lines *l, const struct nt_probe_result *r, int width)
{
	struct nt_buf options = { 0 };
	unsigned t, p;
	double max = 0;

	nt_probe_settings_format(&r->opts, &options);
	if (options.len)
		nt_lines_addf(l, width, NT_ROLE_DIM, NULL, "measured with %s",
			nt_buf_str(&options));
	nt_buf_free(&options);
	for (t = 0; t < r->n_tests; t++)
		for (p = 0; p < r->tests[t].n_parts; p++)
			max = fmax(max, fmax(r->tests[t].parts[p].up_bps,
						r->tests[t].parts[p].down_bps));
	if (width >= FIGURES_W)
		nt_lines_addf(l, width, NT_ROLE_HEAD, NULL,
			"%-10s %-12s %9s %9s %9s %8s %8s", "TEST", "", "UP Mbit/s",
			"DOWN", "PER s", "p50 us", "p99 us");
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

void nt_probe_peer_lines(struct nt_lines *l, const struct nt_probe_view *v, int width)
{
	const struct nt_findings *f = v->peer_findings;
	char name[64];
	size_t i;

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
		nt_command_lines(l, width, f, fi, v->result->peer, true);
	}
}

/* ---- two probes compared ------------------------------------------------------------
 */

static const struct {
	const char *sign, *word;
	enum nt_role role;
} differences[_NT_DIFF_MAX] = {
	[NT_DIFF_BETTER] = { "+", "better", NT_ROLE_GOOD },
	[NT_DIFF_WORSE] = { "!", "worse", NT_ROLE_WARNING },
	[NT_DIFF_COVERED] = { "=", "within spread", NT_ROLE_TEXT },
	[NT_DIFF_FEW] = { "?", "unsure", NT_ROLE_DIM },
};

/* Both 0: nothing was lost then or now, which needs no line. */
static const struct nt_measure *pair(
	const struct nt_measures *before, const struct nt_measure *now)
{
	const struct nt_measure *was = nt_measure_find(before, now);

	return was && (was->value != 0 || now->value != 0) ? was : NULL;
}

static void count_differences(const struct nt_measures *before,
	const struct nt_measures *now, unsigned ret[_NT_DIFF_MAX])
{
	const struct nt_measure *was;
	size_t i;

	memset(ret, 0, _NT_DIFF_MAX * sizeof *ret);
	for (i = 0; i < now->n; i++) {
		was = pair(before, &now->v[i]);
		if (was)
			ret[nt_measure_differs(was, &now->v[i])]++;
	}
}

void nt_probe_compare_text(char *ret, size_t size, const struct nt_measures *before,
	const struct nt_measures *now)
{
	unsigned n[_NT_DIFF_MAX];
	char at[16] = "";
	struct tm tm;

	if (localtime_r(&before->at, &tm))
		strftime(at, sizeof at, "%H:%M:%S", &tm);
	count_differences(before, now, n);
	snprintf(ret, size,
		"compared with %s: %u better, %u worse, %u within spread, %u unsure", at,
		n[NT_DIFF_BETTER], n[NT_DIFF_WORSE], n[NT_DIFF_COVERED], n[NT_DIFF_FEW]);
}

static void value_cell(char *ret, size_t size, double v)
{
	snprintf(ret, size, "%.*f", fabs(v) < 10 ? 3 : fabs(v) < 1000 ? 1 : 0, v);
}

static void compare_line(struct nt_lines *l, int width, const struct nt_measure *was,
	const struct nt_measure *m)
{
	enum nt_difference d = nt_measure_differs(was, m);
	double pct = nt_measure_change(was, m);
	char name[64], line[96], before[32], now[32], change[32] = "-";

	snprintf(name, sizeof name, "%s%s%s", nt_name_of(nt_probe_test_names, m->test),
		*m->part ? " " : "", m->part);
	value_cell(before, sizeof before, was->value);
	value_cell(now, sizeof now, m->value);
	if (isfinite(pct))
		snprintf(change, sizeof change, "%+.1f %%", pct);
	if (width < 76) {
		snprintf(line, sizeof line, "%s %s", name, nt_measured_name(m->what));
		nt_lines_addf(l, width, differences[d].role, NULL, "%-*.*s %9s %s",
			width - 12, width - 12, line, change, differences[d].sign);
	} else {
		nt_lines_addf(l, width, differences[d].role, NULL,
			"%-14s %-16s %9s %9s %9s %s %s", name, nt_measured_name(m->what),
			before, now, change, differences[d].sign, differences[d].word);
	}
}

/* What the two did not have in common: what they tested, and for how long. */
static void unlike_lines(struct nt_lines *l, int width, const struct nt_measures *before,
	const struct nt_measures *now)
{
	struct nt_buf b = { 0 };
	size_t i;

	for (i = 0; i < now->n; i++) {
		const char *name = nt_name_of(nt_probe_test_names, now->v[i].test);

		if (i && now->v[i].test == now->v[i - 1].test)
			continue;
		if (!nt_measure_find(before, &now->v[i]))
			nt_buf_addf(&b, "%s%s", b.len ? ", " : "", name);
	}
	if (b.len)
		nt_lines_addf(l, width, NT_ROLE_DIM, NULL, "not in that run: %s",
			nt_buf_str(&b));
	nt_buf_free(&b);
	if (before->seconds != now->seconds)
		nt_lines_add(l, width, NT_ROLE_DIM, NULL,
			"The two gave their tests different times.");
	if (strcmp(before->options, now->options) != 0)
		nt_lines_addf(l, width, NT_ROLE_WARNING, NULL,
			"The two had other options. Before: %s. Now: %s.",
			*before->options ? before->options : "none",
			*now->options ? now->options : "none");
}

void nt_probe_compare_lines(struct nt_lines *l, int width,
	const struct nt_measures *before, const struct nt_measures *now)
{
	const struct nt_measure *was;
	unsigned n[_NT_DIFF_MAX];
	char text[160];
	size_t i;

	nt_probe_compare_text(text, sizeof text, before, now);
	nt_lines_add(l, width, NT_ROLE_STRONG, NULL, text);
	if (width < 76)
		nt_lines_addf(l, width, NT_ROLE_HEAD, NULL, "%-*s %9s", width - 12,
			"TEST", "CHANGE");
	else
		nt_lines_addf(l, width, NT_ROLE_HEAD, NULL, "%-14s %-16s %9s %9s %9s",
			"TEST", "MEASURE", "BEFORE", "NOW", "CHANGE");
	for (i = 0; i < now->n; i++) {
		was = pair(before, &now->v[i]);
		if (was)
			compare_line(l, width, was, &now->v[i]);
	}
	unlike_lines(l, width, before, now);
	count_differences(before, now, n);
	nt_lines_add(l, width, NT_ROLE_DIM, NULL,
		"+ better, ! worse: the samples of the two runs lie apart. = within "
		"spread: "
		"they do not, so it may be chance. Two runs show no more than that, and "
		"what "
		"else the hosts did counts too: r runs it again.");
	if (n[NT_DIFF_FEW])
		nt_lines_addf(l, width, NT_ROLE_DIM, NULL,
			"? unsure: fewer than %d samples. A rate has one a second: d gives "
			"each test more time. crr's rate and what UDP lost have none.",
			NT_COMPARE_SAMPLES);
}
