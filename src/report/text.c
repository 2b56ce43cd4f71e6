/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "text.h"

#include <stdlib.h>
#include <string.h>

static const char *fact_text(const struct nt_snapshot *s, const char *name)
{
	const struct nt_fact *f = nt_scope_get(s, &s->host, name);

	return f && (f->type == NT_FACT_TEXT || f->type == NT_FACT_VERSION) ? f->v.s : NULL;
}

static size_t links_judged(const struct nt_snapshot *s)
{
	size_t i, n = 0;

	for (i = 0; i < s->n_links; i++)
		n += s->links[i]->interesting;
	return n;
}

/* Items of the head, two blanks between. */
static void head_item(struct nt_text *t, const char *prefix, const char *item)
{
	char *whole;

	if (!item)
		return;
	whole = nt_asprintf("%s%s%s", t->w.fresh ? "" : " ", prefix, item);
	nt_wrap_item(&t->w, whole);
	free(whole);
}

static void head(struct nt_text *t)
{
	const struct nt_snapshot *s = t->r->here.snapshot;
	const char *machine = fact_text(s, "kernel.machine");
	const char *release = fact_text(s, "kernel.release");
	size_t n = links_judged(s);
	char *kernel = NULL, *links, when[32];
	struct tm tm;

	if (!release)
		release = fact_text(s, "kernel.version");
	if (release)
		kernel = nt_asprintf("%s%s%s", release, machine ? " " : "", machine ? machine : "");
	links = nt_asprintf("%zu link%s judged", n, n == 1 ? "" : "s");
	localtime_r(&t->r->generated, &tm);
	strftime(when, sizeof when, "%Y-%m-%d %H:%M", &tm);
	nt_wrap_begin(&t->w, "", 2);
	t->w.col = 0;
	nt_buf_cut(t->w.out, t->w.out->len - 2);
	head_item(t, "nettune ", PACKAGE_VERSION);
	head_item(t, "host ", fact_text(s, "host.name"));
	head_item(t, "Linux ", kernel);
	head_item(t, "", links);
	head_item(t, "", when);
	nt_wrap_end(&t->w);
	free(kernel);
	free(links);
}

/* ---- the verdict ------------------------------------------------------------------- */

static void count_item(struct nt_buf *b, const char *sep, size_t n, const char *one,
	const char *many)
{
	if (n)
		nt_buf_addf(b, "%s%zu %s", b->len ? sep : "", n, n == 1 ? one : many);
}

static void verdict(struct nt_text *t, const struct nt_groups *g)
{
	const char *dot = t->style->utf8 ? " · " : ", ";
	unsigned lacks[_NT_LACK_MAX];
	size_t n[_NT_SEV_MAX] = { 0 }, i;
	struct nt_buf b = { 0 };

	for (i = 0; i < g->n; i++)
		n[g->v[i].v[0]->severity]++;
	count_item(&b, ", ", n[NT_SEV_PROBLEM], "problem", "problems");
	count_item(&b, ", ", n[NT_SEV_WARNING], "warning", "warnings");
	count_item(&b, ", ", n[NT_SEV_ADVICE], "advice", "pieces of advice");
	if (!b.len)
		nt_buf_adds(&b, "All well: nothing found to change");
	nt_text_count_undecided(t->r, lacks);
	count_item(&b, dot, t->r->here.findings->holds, "check holds", "checks hold");
	count_item(&b, dot, lacks[NT_LACK_PROBE], "needs a probe", "need a probe");
	count_item(&b, dot, lacks[NT_LACK_ROOT], "needs root", "need root");
	count_item(&b, dot, lacks[NT_LACK_OTHER], "undecided", "undecided");
	nt_wrap_begin(&t->w, "", 0);
	nt_wrap_words(&t->w, nt_buf_str(&b));
	nt_wrap_end(&t->w);
	nt_buf_free(&b);
}

/* A healthy host: what was looked at, by the subjects of the rule files. */
static void checked(struct nt_text *t)
{
	const struct nt_rulebase *rb = t->r->rules;
	const struct nt_snapshot *s = t->r->here.snapshot;
	struct nt_symtab seen = { 0 };
	size_t i, shown = 0;

	nt_wrap_begin(&t->w, "checked:", 9);
	for (i = 0; rb && i < rb->n; i++) {
		const char *base = strrchr(rb->v[i]->file, '/');
		size_t len;
		char *subject;

		base = base ? base + 1 : rb->v[i]->file;
		len = strcspn(base, ".");
		subject = nt_strndup(base, len);
		if (!nt_symtab_find(&seen, subject))
			nt_symtab_add(&seen, subject);
		free(subject);
	}
	for (i = 1; i <= seen.n; i++)
		nt_wrap_dotted(&t->w, nt_symtab_name(&seen, i), i == seen.n);
	nt_wrap_words(&t->w, "on the host");
	for (i = 0; i < s->n_links && shown < 8; i++) {
		char *name;

		if (!s->links[i]->interesting)
			continue;
		name = nt_text_scope(s->links[i]);
		nt_wrap_words(&t->w, "and");
		nt_wrap_item(&t->w, name);
		free(name);
		shown++;
	}
	if (shown < links_judged(s)) {
		char *rest = nt_asprintf("and %zu more links", links_judged(s) - shown);

		nt_wrap_words(&t->w, rest);
		free(rest);
	}
	nt_wrap_end(&t->w);
	nt_symtab_free(&seen);
}

/* ---- conflicts, plan, what next ---------------------------------------------------- */

static void conflicts(struct nt_text *t)
{
	const struct nt_findings *f = t->r->here.findings;
	size_t i;

	for (i = 0; i < f->n_conflicts; i++) {
		const struct nt_conflict *c = &f->conflicts[i];
		const char *a = f->v[c->a].rule->id, *b = f->v[c->b].rule->id;
		char *where = nt_text_scope(c->scope), *line;

		if (c->winner < 0)
			line = nt_asprintf("%s of %s: %s and %s want different values; "
				"only measurement can settle it", c->tunable, where, a, b);
		else
			line = nt_asprintf("%s of %s: %s and %s want different values; %s prevails",
				c->tunable, where, a, b, f->v[c->winner].rule->id);
		nt_wrap_begin(&t->w, "conflict", 9);
		nt_wrap_words(&t->w, line);
		nt_wrap_end(&t->w);
		free(line);
		free(where);
	}
	if (f->n_conflicts)
		nt_buf_addc(t->w.out, '\n');
}

static void left_out(struct nt_text *t)
{
	const struct nt_plan *p = t->r->plan;
	size_t i;

	for (i = 0; p && i < p->n; i++) {
		const struct nt_step *s = &p->v[i];
		char name[64], *line;

		if (s->selected || !s->left_out)
			continue;
		nt_printable(name, sizeof name, s->link);
		line = nt_asprintf("%s%s%s is left out by --apply: %s", s->tunable,
			*name ? " of " : "", name, s->left_out);
		nt_wrap_begin(&t->w, "", 0);
		nt_wrap_words(&t->w, line);
		nt_wrap_end(&t->w);
		free(line);
	}
}

static size_t steps(const struct nt_plan *p)
{
	size_t i, n = 0;

	for (i = 0; p && i < p->n; i++)
		n += p->v[i].selected;
	return n;
}

/* The advice with a change, worst first, that --only would bring into the plan. */
static const struct nt_finding *changing_advice(const struct nt_findings *f)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (f->v[i].severity == NT_SEV_ADVICE && f->v[i].n_changes)
			return &f->v[i];
	return NULL;
}

static void next_line(struct nt_text *t, const char *label, const char *command,
	const char *again, const char *what)
{
	char *whole = nt_asprintf("%s%s%s", command, again && *again ? " " : "",
		again ? again : "");
	int width = nt_wrap_width(&t->w, whole), pad = 36 - width;

	nt_wrap_begin(&t->w, label, 6);
	if (t->w.columns >= 6 + 36 + 30 && pad > 0) {
		nt_wrap_item(&t->w, whole);
		nt_buf_addf(t->w.out, "%*s", pad - 1, "");
		t->w.col += pad - 1;
		nt_wrap_item(&t->w, what);
	} else {
		nt_wrap_words(&t->w, whole);
		nt_wrap_end(&t->w);
		nt_wrap_begin(&t->w, "", 8);
		nt_wrap_words(&t->w, what);
	}
	nt_wrap_end(&t->w);
	free(whole);
}

static void what_next(struct nt_text *t)
{
	const struct nt_finding *advice = changing_advice(t->r->here.findings);
	const char *again = t->style->again;

	if (steps(t->r->plan)) {
		next_line(t, "Next:", "nettune --apply --dry-run", again,
			"exact commands, changes nothing");
		next_line(t, "", "sudo nettune --apply --confirm 60", again,
			"undone unless you type: nettune --keep");
	} else if (advice) {
		char *only = nt_asprintf("nettune --apply --dry-run --only %s", advice->rule->id);

		next_line(t, "Next:", only, again, "advice is applied only when named");
		free(only);
	} else {
		next_line(t, "Next:", "nettune --probe HOST", NULL,
			"measure to a host that runs nettune --serve");
	}
	next_line(t, "", "nettune --lab", NULL, "practise on a throw-away link");
}

void nt_report_text(const struct nt_report *r, const struct nt_report_style *style,
	struct nt_buf *ret)
{
	int columns = style->columns < NT_REPORT_MIN_COLUMNS ? NT_REPORT_MIN_COLUMNS :
							       style->columns;
	struct nt_text t = {
		.r = r,
		.style = style,
		.w = { .out = ret, .columns = columns, .utf8 = style->utf8 },
	};
	struct nt_groups g = { 0 };
	size_t i;

	nt_groups_add(&g, r->here.findings, false);
	nt_groups_add(&g, r->peer.findings, true);
	nt_groups_sort(&g);
	head(&t);
	verdict(&t, &g);
	if (!g.n || g.v[0].v[0]->severity == NT_SEV_GOOD)
		checked(&t);
	nt_text_unread(&t);
	nt_buf_addc(ret, '\n');
	for (i = 0; i < g.n; i++)
		nt_text_group(&t, &g.v[i]);
	conflicts(&t);
	if (style->verbose) {
		nt_text_undecided(&t);
		nt_text_absent(&t);
	}
	left_out(&t);
	what_next(&t);
	nt_groups_free(&g);
}
