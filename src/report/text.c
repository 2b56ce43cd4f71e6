/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "text.h"

#include <stdlib.h>
#include <string.h>

static size_t links_judged(const struct nt_snapshot *s)
{
	size_t i, n = 0;

	for (i = 0; i < s->n_links; i++)
		n += s->links[i]->interesting;
	return n;
}

static void head_item(struct nt_text *t, const char *prefix, const char *item)
{
	char *whole;

	if (!item)
		return;
	whole = nt_asprintf("%s%s", prefix, item);
	nt_wrap_item_after(&t->w, 2, whole);
	free(whole);
}

static void head(struct nt_text *t)
{
	const struct nt_snapshot *s = t->r->here.snapshot;
	const char *machine = nt_scope_text(s, &s->host, "kernel.machine");
	const char *release = nt_scope_text(s, &s->host, "kernel.release");
	size_t n = links_judged(s);
	char *kernel = NULL, *links, when[32];
	struct tm tm;

	if (!release)
		release = nt_scope_text(s, &s->host, "kernel.version");
	if (release)
		kernel = nt_asprintf("%s%s%s", release, machine ? " " : "", machine ? machine : "");
	links = nt_asprintf("%zu link%s judged", n, n == 1 ? "" : "s");
	localtime_r(&t->r->generated, &tm);
	strftime(when, sizeof when, "%Y-%m-%d %H:%M", &tm);
	nt_wrap_begin(&t->w, "", 0);
	head_item(t, "nettune ", PACKAGE_VERSION);
	head_item(t, "host ", nt_scope_text(s, &s->host, "host.name"));
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
	if (lacks[NT_LACK_OTHER] && !t->style->verbose)
		nt_buf_adds(&b, " (--verbose)");
	nt_wrap_begin(&t->w, "", 0);
	nt_wrap_words(&t->w, nt_buf_str(&b));
	nt_wrap_end(&t->w);
	nt_buf_free(&b);
}

#define CHECKED_LINKS 8

static void comma_item(struct nt_text *t, const char *item, const char *mark)
{
	char *whole = nt_asprintf("%s%s", item, mark);

	nt_wrap_item(&t->w, whole);
	free(whole);
}

/* "eth0 (igb, 1000 Mbit/s)" */
static char *described(const struct nt_snapshot *s, const struct nt_scope *l)
{
	const char *driver = nt_scope_text(s, l, "link.driver");
	const struct nt_fact *speed = nt_scope_get(s, l, "link.speed");
	char *name = nt_text_scope(l), value[64];
	struct nt_buf b = { 0 };

	nt_buf_adds(&b, name);
	if (driver && *driver)
		nt_buf_addf(&b, " (%s", driver);
	if (b.len > strlen(name) && speed && speed->type == NT_FACT_INT) {
		nt_fact_format_human(value, sizeof value, speed);
		nt_buf_addf(&b, ", %s", value);
	}
	if (b.len > strlen(name))
		nt_buf_addc(&b, ')');
	free(name);
	return nt_buf_detach(&b);
}

/* A healthy host: what was looked at, by the subjects of the rule files. */
static void checked(struct nt_text *t)
{
	const struct nt_rulebase *rb = t->r->rules;
	const struct nt_snapshot *s = t->r->here.snapshot;
	struct nt_symtab seen = { 0 };
	size_t i, shown = 0, judged;

	nt_wrap_begin(&t->w, "checked:", 9);
	for (i = 0; rb && i < rb->n; i++) {
		const char *base = strrchr(rb->v[i]->file, '/');
		char *subject;

		base = base ? base + 1 : rb->v[i]->file;
		subject = nt_strndup(base, strcspn(base, "."));
		nt_symtab_add(&seen, subject);
		free(subject);
	}
	for (i = 1; i <= seen.n; i++)
		comma_item(t, nt_symtab_name(&seen, i), i == seen.n ? ";" : ",");
	judged = links_judged(s);
	comma_item(t, "on the host", judged ? "," : "");
	for (i = 0; i < s->n_links && shown < judged && shown < CHECKED_LINKS; i++) {
		char *name;

		if (!s->links[i]->interesting)
			continue;
		name = described(s, s->links[i]);
		comma_item(t, name, ++shown == judged ? "" : ",");
		free(name);
	}
	if (shown < judged) {
		char *rest = nt_asprintf("%zu more links", judged - shown);

		nt_wrap_words(&t->w, rest);
		free(rest);
	}
	nt_wrap_end(&t->w);
	nt_symtab_free(&seen);
}

/* What identifies a link, for --verbose; facts not known are left out. */
static const char *const identity[] = { "link.kind", "link.driver", "link.driver_version",
	"link.firmware", "link.bus_info", "link.speed", "link.duplex", "link.mtu",
	"link.txqueuelen", "link.master", "link.lower", "qdisc.root", "ring.rx", "ring.tx",
	"channels.combined", "coalesce.adaptive-rx", "coalesce.rx-usecs", "eee.enabled" };

static void link_identity(struct nt_text *t, const struct nt_scope *l)
{
	char *items[NT_ARRAY_SIZE(identity)], value[128], *name = nt_text_scope(l);
	size_t i, n = 0;

	for (i = 0; i < NT_ARRAY_SIZE(identity); i++) {
		const struct nt_fact *f = nt_scope_get(t->r->here.snapshot, l, identity[i]);

		if (!f || f->type == NT_FACT_ABSENT)
			continue;
		nt_fact_format_human(value, sizeof value, f);
		if (*value)
			items[n++] = nt_asprintf("%s %s", identity[i], value);
	}
	nt_wrap_begin(&t->w, "  ", 4);
	nt_wrap_item(&t->w, name);
	for (i = 0; i < n; i++) {
		nt_wrap_dotted(&t->w, items[i], i + 1 == n);
		free(items[i]);
	}
	nt_wrap_end(&t->w);
	free(name);
}

static void links(struct nt_text *t)
{
	const struct nt_snapshot *s = t->r->here.snapshot;
	size_t i;

	nt_buf_adds(t->w.out, "Links judged:\n");
	for (i = 0; i < s->n_links; i++)
		if (s->links[i]->interesting)
			link_identity(t, s->links[i]);
	nt_buf_addc(t->w.out, '\n');
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

#define LEFT_OUT_SHOWN 3

/* Steps that the plan leaves out, those of one reason together. */
static void left_out(struct nt_text *t)
{
	const struct nt_plan *p = t->r->plan;
	size_t i, k, n;

	for (i = 0; p && i < p->n; i++) {
		const char *why = p->v[i].left_out;
		char *item;

		for (k = 0; why && k < i; k++)
			if (p->v[k].left_out && strcmp(p->v[k].left_out, why) == 0)
				why = NULL; /* told already */
		if (!why)
			continue;
		nt_wrap_begin(&t->w, "left out by --apply:", 9);
		t->w.fresh = false;
		for (k = i, n = 0; k < p->n; k++) {
			const struct nt_step *s = &p->v[k];

			if (!s->left_out || strcmp(s->left_out, why) != 0 ||
				(n++ >= LEFT_OUT_SHOWN && !t->style->verbose))
				continue;
			item = nt_asprintf("%s%s%s,", s->tunable, *s->link ? " of " : "", s->link);
			nt_wrap_item(&t->w, item);
			free(item);
		}
		if (n > LEFT_OUT_SHOWN && !t->style->verbose) {
			item = nt_asprintf("and %zu more:", n - LEFT_OUT_SHOWN);
			nt_wrap_words(&t->w, item);
			free(item);
		}
		nt_wrap_words(&t->w, why);
		nt_wrap_end(&t->w);
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

#define NEXT_WIDTH 36 /* of a command, with what it does beside it */

static void next_line(struct nt_text *t, const char *label, const char *command,
	const char *again, const char *what)
{
	char *whole = nt_asprintf("%s%s%s", command, again && *again ? " " : "",
		again ? again : "");
	int width = nt_wrap_width(&t->w, whole);

	nt_wrap_begin(&t->w, label, 6);
	if (width < NEXT_WIDTH && 6 + NEXT_WIDTH + nt_wrap_width(&t->w, what) <= t->w.columns) {
		nt_wrap_item(&t->w, whole);
		nt_wrap_item_after(&t->w, NEXT_WIDTH - width, what);
	} else {
		nt_wrap_words(&t->w, whole);
		nt_wrap_end(&t->w);
		nt_wrap_begin(&t->w, "", 8);
		nt_wrap_words(&t->w, what);
	}
	nt_wrap_end(&t->w);
	free(whole);
}

/* The least --risk that would bring a step of the plan in; NONE when there is no such. */
static enum nt_risk risk_wanted(const struct nt_plan *p)
{
	enum nt_risk least = NT_RISK_NONE;
	size_t i;

	for (i = 0; p && i < p->n; i++)
		if (p->v[i].left_out && p->v[i].risk > NT_RISK_HOST)
			least = p->v[i].risk;
	return least;
}

static void what_next(struct nt_text *t)
{
	const struct nt_finding *advice = changing_advice(t->r->here.findings);
	enum nt_risk risk = risk_wanted(t->r->plan);
	const char *again = t->style->again;
	char *command;

	if (steps(t->r->plan)) {
		next_line(t, "Next:", "nettune --apply --dry-run", again,
			"exact commands, changes nothing");
		next_line(t, "", "sudo nettune --apply --confirm 60", again,
			"undone unless you type: nettune --keep");
	} else if (risk) {
		command = nt_asprintf("nettune --apply --dry-run --risk %s",
			nt_name_of(nt_risk_names, risk));
		next_line(t, "Next:", command, again, "exact commands, changes nothing");
		free(command);
	} else if (advice) {
		command = nt_asprintf("nettune --apply --dry-run --only %s", advice->rule->id);
		next_line(t, "Next:", command, again, "advice is applied only when named");
		free(command);
	} else if (!t->r->probe) {
		next_line(t, "Next:", "nettune --probe HOST", NULL,
			"measure to a nettune --serve there");
	} else {
		return;
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
	nt_text_probe(&t);
	nt_text_unread(&t);
	nt_buf_addc(ret, '\n');
	for (i = 0; i < g.n; i++)
		nt_text_group(&t, &g.v[i]);
	conflicts(&t);
	if (style->verbose) {
		if (links_judged(r->here.snapshot))
			links(&t);
		nt_text_undecided(&t);
		nt_text_absent(&t);
	}
	left_out(&t);
	what_next(&t);
	nt_groups_free(&g);
}
