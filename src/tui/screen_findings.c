/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Findings: worst first above, what was seen, why and what to do of the chosen one below.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "command_lines.h"
#include "list.h"
#include "workers.h"
#include "wrap.h"
#include "nettune/buf.h"
#include "nettune/mem.h"
#include "nettune/names.h"

struct findings {
	struct nt_list list;
	int *shown; /* indices into the findings */
	int n;
	char *filter;
	char *rule, *link; /* what the cursor is on: findings are judged anew */
	int scroll;	   /* of the text below */
	bool unknown;	   /* list the undecided rules instead */
};

static void *open_findings(struct nt_app *app, const void *arg)
{
	struct findings *f = nt_calloc(1, sizeof *f);

	(void)app;
	if (arg)
		f->filter = nt_strdup(arg);
	return f;
}

static void close_findings(void *state)
{
	struct findings *f = state;

	free(f->shown);
	free(f->filter);
	free(f->rule);
	free(f->link);
	free(f);
}

static bool passes(
	const struct findings *f, const char *rule, const char *link, const char *title)
{
	return !f->filter || strcasestr(title, f->filter) ||
	       strcasestr(link, f->filter) || strcasestr(rule, f->filter);
}

static void choose(struct findings *s, const struct nt_findings *f)
{
	size_t i, total = s->unknown ? f->n_unknown : f->n;

	s->shown = nt_reallocarray(s->shown, total ? total : 1, sizeof *s->shown);
	for (s->n = 0, i = 0; i < total; i++) {
		const struct nt_rule *r = s->unknown ? f->unknown[i].rule : f->v[i].rule;
		const char *link =
			s->unknown ? f->unknown[i].scope->name : f->v[i].scope->name;

		if (!passes(s, r->id, link, s->unknown ? r->title : f->v[i].title))
			continue;
		if (s->rule && strcmp(s->rule, r->id) == 0 && strcmp(s->link, link) == 0)
			s->list.cursor = s->n;
		s->shown[s->n++] = (int)i;
	}
}

static void remember(struct findings *s, const struct nt_findings *f)
{
	const struct nt_rule *r;
	const char *link;

	if (s->list.cursor >= s->n)
		return;
	r = s->unknown ? f->unknown[s->shown[s->list.cursor]].rule
		       : f->v[s->shown[s->list.cursor]].rule;
	link = s->unknown ? f->unknown[s->shown[s->list.cursor]].scope->name
			  : f->v[s->shown[s->list.cursor]].scope->name;
	if (s->rule && strcmp(s->rule, r->id) == 0 && strcmp(s->link, link) == 0)
		return;
	free(s->rule);
	free(s->link);
	s->rule = nt_strdup(r->id);
	s->link = nt_strdup(link);
	s->scroll = 0;
}

/* Problems and warnings with a change are in the plan unless marked off. */
static bool in_plan(const struct nt_app *app, const struct nt_finding *f)
{
	bool marked = nt_app_marked(app, f->rule->id, f->scope->name);

	return f->n_changes && (f->severity >= NT_SEV_WARNING ? !marked : marked);
}

/* A narrow terminal shows a severity's sign alone, and leaves the room to the title. */
static int name_column(void)
{
	return nt_term_cols() < 60 ? 4 : 12;
}

static int name_width(void)
{
	return nt_term_cols() < 60 ? 7 : 12;
}

static void finding_line(
	const struct nt_app *app, const struct nt_finding *f, int row, bool cursor)
{
	char name[64];
	int cols = nt_term_cols(), c = name_column();

	nt_printable(name, sizeof name, *f->scope->name ? f->scope->name : "host");
	nt_term_put(row, 0, 1, NT_ROLE_TEXT, cursor ? ">" : " ");
	nt_term_putf(row, 2, -1, nt_severity_role(f->severity), "%s %s",
		nt_severity_sign(f->severity),
		c > 4 ? nt_severity_word(f->severity) : "");
	nt_term_put(row, c, name_width(), NT_ROLE_STRONG, name);
	c += name_width() + 1;
	nt_term_put(row, c, cols - c - 5, NT_ROLE_TEXT, f->title);
	if (f->n_changes)
		nt_term_put(row, cols - 4, 3, NT_ROLE_STRONG,
			in_plan(app, f) ? "[x]" : "[ ]");
	if (cursor)
		nt_term_line_role(row, NT_ROLE_SELECTED);
}

/* An undecided rule's text, whose {facts} are not known. The caller frees. */
static char *undecided(const char *text)
{
	const char *open, *close;
	struct nt_buf b = { 0 };

	while ((open = strchr(text, '{')) && (close = strchr(open, '}'))) {
		nt_buf_add(&b, text, (size_t)(open - text));
		nt_buf_adds(&b, nt_term_pick("…", "..."));
		text = close + 1;
	}
	nt_buf_adds(&b, text);
	return nt_buf_detach(&b);
}

static void unknown_line(const struct nt_unknown *u, int row, bool cursor)
{
	char name[64], *title = undecided(u->rule->title);
	int c = name_column();

	nt_printable(name, sizeof name, *u->scope->name ? u->scope->name : "host");
	nt_term_put(row, 0, 1, NT_ROLE_TEXT, cursor ? ">" : " ");
	nt_term_put(row, 2, -1, NT_ROLE_DIM, c > 4 ? "? unknown" : "?");
	nt_term_put(row, c, name_width(), NT_ROLE_STRONG, name);
	c += name_width() + 1;
	nt_term_put(row, c, nt_term_cols() - c - 1, NT_ROLE_TEXT, title);
	free(title);
	if (cursor)
		nt_term_line_role(row, NT_ROLE_SELECTED);
}

static void seen_item(
	struct nt_buf *b, const struct nt_finding *f, const struct nt_seen *s)
{
	bool other = s->scope != f->scope && s->scope->kind == NT_SCOPE_LINK;
	char value[160], shown[160];

	nt_fact_format_human(value, sizeof value, s->fact);
	nt_printable(shown, sizeof shown, value);
	nt_buf_addf(b, "%s%s%s%s %s%s", b->len ? nt_term_pick(" · ", ", ") : "",
		other ? s->scope->name : "", other ? " " : "", s->name,
		s->fact->type == NT_FACT_ABSENT ? "unknown: " : "",
		*shown ? shown : "(empty)");
}

/* As the report: what tells something, else all. */
static void seen_lines(struct nt_lines *l, int width, const struct nt_finding *f)
{
	struct nt_buf b = { 0 };
	bool none;
	size_t i;

	for (i = 0; i < f->n_seen; i++)
		if (nt_seen_telling(&f->seen[i]))
			seen_item(&b, f, &f->seen[i]);
	for (i = 0, none = !b.len; none && i < f->n_seen; i++)
		seen_item(&b, f, &f->seen[i]);
	if (b.len)
		nt_lines_add(l, width, NT_ROLE_TEXT, "seen", nt_buf_str(&b));
	nt_buf_free(&b);
}

static void change_lines(struct nt_lines *l, int width, const struct nt_app *app,
	const struct nt_finding *f)
{
	enum nt_risk risk = NT_RISK_NONE;
	size_t i;

	nt_command_lines(l, width, app->model.findings, f, app->model.snapshot, false);
	for (i = 0; i < f->n_changes; i++)
		risk = f->changes[i].risk > risk ? f->changes[i].risk : risk;
	nt_lines_addf(l, width, NT_ROLE_TEXT, "helps",
		"%s%srisk %s   confidence %s   cure %s", f->rule->improves,
		*f->rule->improves ? "   " : "",
		f->n_changes ? nt_name_of(nt_risk_names, risk) : "none",
		nt_name_of(nt_confidence_names, f->confidence),
		nt_name_of(nt_cure_names, f->rule->cure));
}

static void finding_text(struct nt_lines *l, int width, const struct nt_app *app,
	const struct nt_finding *f)
{
	nt_lines_add(l, width, nt_severity_role(f->severity), NULL, f->title);
	seen_lines(l, width, f);
	nt_lines_addf(l, width, NT_ROLE_TEXT, "why", "%s [%s]", f->why, f->rule->source);
	change_lines(l, width, app, f);
	if (*f->rule->patches)
		nt_lines_addf(l, width, NT_ROLE_TEXT, "patch", "%s (x shows the patches)",
			f->rule->patches);
	nt_lines_addf(l, width, NT_ROLE_DIM, "rule", "%s", f->rule->id);
}

static void unknown_text(struct nt_lines *l, int width, const struct nt_unknown *u)
{
	char *title = undecided(u->rule->title), *why = undecided(u->rule->why);
	size_t i;

	nt_lines_add(l, width, NT_ROLE_STRONG, NULL, title);
	for (i = 0; i < u->n_missing; i++)
		nt_lines_addf(l, width, NT_ROLE_TEXT, i ? NULL : "lacks", "%s: %s",
			u->missing[i].fact, u->missing[i].reason);
	nt_lines_add(l, width, NT_ROLE_TEXT, "why", why);
	nt_lines_addf(l, width, NT_ROLE_DIM, "rule", "%s", u->rule->id);
	free(title);
	free(why);
}

static void draw_text(const struct nt_app *app, struct findings *s, int row, int height)
{
	const struct nt_findings *f = app->model.findings;
	struct nt_lines l = { 0 };
	int width = nt_term_cols() - 9, i = s->shown[s->list.cursor];

	if (s->unknown)
		unknown_text(&l, width, &f->unknown[i]);
	else
		finding_text(&l, width, app, &f->v[i]);
	nt_lines_page(&l, &s->scroll, row, height, 7);
	nt_lines_clear(&l);
}

static void draw_findings(struct nt_app *app, void *state)
{
	struct findings *s = state;
	const struct nt_findings *f = app->model.findings;
	int rows = nt_term_rows(), height, i;

	if (!f) {
		nt_term_put(2, 1, -1, NT_ROLE_DIM, "reading and judging this host ...");
		return;
	}
	choose(s, f);
	height = (rows - 5) / 2;
	if (height > s->n)
		height = s->n > 0 ? s->n : 1;
	if (rows < 12)
		height = 2;
	nt_list_fit(&s->list, s->n, 1, height);
	remember(s, f);
	for (i = 0; i < height && s->list.top + i < s->n; i++) {
		int at = s->shown[s->list.top + i];
		bool cursor = s->list.top + i == s->list.cursor;

		if (s->unknown)
			unknown_line(&f->unknown[at], 1 + i, cursor);
		else
			finding_line(app, &f->v[at], 1 + i, cursor);
	}
	if (s->n == 0)
		nt_term_putf(1, 2, -1, NT_ROLE_GOOD, "%s %s",
			nt_severity_sign(NT_SEV_GOOD),
			s->filter ? "nothing matches the filter" : "nothing found");
	nt_term_putf(1 + height, 2, -1, NT_ROLE_DIM,
		nt_term_cols() < 74
			? "%s %u   ? %zu (u)   %s %u"
			: "%s %u checks hold   ? %zu undecided (u)   %s %u do not apply",
		nt_severity_sign(NT_SEV_GOOD), f->holds, f->n_unknown,
		nt_term_pick("–", "-"), f->not_applicable);
	nt_list_position(&s->list, s->n, 1 + height);
	nt_term_rule(2 + height);
	if (s->n > 0)
		draw_text(app, s, 3 + height, rows - 5 - height);
}

static void toggle_mark(struct nt_app *app, struct findings *s)
{
	const struct nt_finding *f;

	if (s->unknown || s->list.cursor >= s->n)
		return;
	f = &app->model.findings->v[s->shown[s->list.cursor]];
	if (!f->n_changes) {
		nt_app_say(app, "no setting cures this: see what it says");
		return;
	}
	nt_app_mark(app, f->rule->id, f->scope->name,
		!nt_app_marked(app, f->rule->id, f->scope->name));
	if (s->list.cursor + 1 < s->n)
		s->list.cursor++;
	remember(s, app->model.findings);
}

static void ask_filter(struct nt_app *app, struct findings *s)
{
	char *answer = nt_app_prompt(app, "filter (link, rule or words)", s->filter);

	if (!answer)
		return;
	free(s->filter);
	s->filter = *answer ? answer : NULL;
	if (!s->filter)
		free(answer);
}

static bool key_findings(struct nt_app *app, void *state, struct nt_key k)
{
	struct findings *s = state;
	const struct nt_findings *f = app->model.findings;

	if (k.code == '/') { /* also before there are any: what is typed are no keys */
		ask_filter(app, s);
		return true;
	}
	if (!f)
		return false;
	choose(s, f); /* the findings may be newer than what was drawn */
	nt_list_fit(&s->list, s->n, s->list.row, s->list.height);
	if (nt_list_key(&s->list, s->n, k, NULL)) {
		remember(s, f);
		return true;
	}
	switch (k.code) {
	case ' ':
		toggle_mark(app, s);
		return true;
	case 'u':
		s->unknown = !s->unknown;
		s->list.cursor = 0;
		return true;
	case NT_K_LEFT:
		s->scroll--;
		return true;
	case NT_K_RIGHT:
		s->scroll++;
		return true;
	case NT_K_ENTER:
		if (s->link && *s->link)
			nt_app_push(app, &nt_screen_detail, s->link);
		else
			nt_app_say(app, "this concerns the whole host, not one link");
		return true;
	default:
		return false;
	}
}

static void title_findings(struct nt_app *app, void *state, char *ret, size_t size)
{
	struct findings *s = state;

	snprintf(ret, size, "%d%s  goal %s [g]  filter %s [/]", s->n,
		nt_workers_judging(app->workers) ? " ..." : "",
		nt_name_of(nt_goal_names, app->goal), s->filter ? s->filter : "none");
}

static bool offers_findings(
	struct nt_app *app, void *state, int code, char *label, size_t size)
{
	const struct findings *s = state;
	const struct nt_findings *f = app->model.findings;
	bool some = f && s->list.cursor < s->n;

	switch (code) {
	case ' ':
		return some && !s->unknown &&
		       f->v[s->shown[s->list.cursor]].n_changes > 0;
	case NT_K_ENTER:
		return some && s->link && *s->link;
	case 'u':
		snprintf(label, size, s->unknown ? "findings" : "undecided");
		return f && (s->unknown || f->n_unknown);
	default:
		return true;
	}
}

static const struct nt_key_help keys[] = {
	{ ' ', "mark", "put the finding's changes into the plan, or take them out" },
	{ NT_K_ENTER, "open", "open the finding's link" },
	{ 'a', "plan", "the plan of what is marked" },
	{ 'p', "probe", "probe: short transfers to a peer" },
	{ 'g', "goal", "next goal: balanced, throughput, latency, cpu, forwarding" },
	{ '/', "filter", "show only findings that contain a word" },
	{ 'u', "undecided", "rules that could not be decided, and what they lack" },
	{ NT_K_LEFT, NULL, "scroll the text up" },
	{ NT_K_RIGHT, NULL, "scroll the text down" },
	{ 0 },
};

const struct nt_screen_ops nt_screen_findings = {
	.name = "Findings",
	.keys = keys,
	.open = open_findings,
	.draw = draw_findings,
	.key = key_findings,
	.close = close_findings,
	.title = title_findings,
	.offers = offers_findings,
};
