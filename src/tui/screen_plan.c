/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plan: what would be changed, then what was, as the driver answered; keep or undo.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "app.h"
#include "list.h"
#include "plan_change.h"
#include "plan_make.h"
#include "save.h"
#include "workers.h"
#include "wrap.h"
#include "nettune/mem.h"
#include "nettune/names.h"

struct plan {
	struct nt_list list;
	int scroll;		  /* of the text below */
	enum nt_plan_phase phase; /* as drawn last */
	unsigned made;		  /* the plan that was drawn last */
	bool moved;		  /* the cursor, by a key, since the phase began */
};

static const struct {
	enum nt_role role;
	const char *text;
} phases[] = {
	[NT_PLAN_NONE] = { NT_ROLE_DIM, "reading and judging this host ..." },
	[NT_PLAN_CHECKING] = { NT_ROLE_DIM, "checking the plan against the host ..." },
	[NT_PLAN_READY] = { NT_ROLE_GOOD, "nothing has been changed yet" },
	[NT_PLAN_APPLYING] = { NT_ROLE_ALERT, "applying" },
	[NT_PLAN_PENDING] = { NT_ROLE_ALERT, "applied" },
	[NT_PLAN_KEPT] = { NT_ROLE_GOOD,
		"applied, in force until the next boot; U undoes" },
	[NT_PLAN_KEEPING] = { NT_ROLE_DIM, "keeping ..." },
	[NT_PLAN_UNDOING] = { NT_ROLE_DIM, "undoing ..." },
	[NT_PLAN_UNDONE] = { NT_ROLE_GOOD, "undone: every value is as before" },
	[NT_PLAN_FAILED] = { NT_ROLE_ALERT, "failed" },
	[NT_PLAN_PARTLY] = { NT_ROLE_ALERT, "undone in part: see below" },
	[NT_PLAN_SAME] = { NT_ROLE_GOOD, "nothing was changed: see each step's answer" },
};

static void *open_plan(struct nt_app *app, const void *arg)
{
	struct plan *p = nt_calloc(1, sizeof *p);
	struct nt_plan_view *v = &app->plan;

	p->phase = v->phase;
	(void)arg;
	if (v->phase != NT_PLAN_PENDING)
		nt_plan_view_make(app);
	return p;
}

static const char *mark_of(const struct nt_plan_view *v, const struct nt_plan_row *r)
{
	if (v->phase <= NT_PLAN_READY)
		return r->selected ? "[x]" : "[ ]";
	switch (r->outcome) {
	case NT_OUT_DONE:
		return nt_term_pick(" ✓ ", " + ");
	case NT_OUT_SAME:
		return " = ";
	case NT_OUT_CLAMPED:
		return nt_term_pick(" ≈ ", " ~ ");
	case NT_OUT_FAILED:
		return nt_term_pick(" ✗ ", " X ");
	case NT_OUT_UNDONE:
		return nt_term_pick(" ↶ ", " < ");
	default:
		return r->selected ? " . " : "   ";
	}
}

/* The tunable takes what the other columns leave; -1: no room for a column. */
struct columns {
	int tunable_w, link, link_w, from, to, value_w, risk, rule;
};

static struct columns columns(void)
{
	struct columns c = { .risk = -1, .rule = -1 };
	int cols = nt_term_cols(), rule_w = cols >= 110 ? 24 : 0,
	    risk_w = cols >= 60 ? 8 : 0;

	c.link_w = cols >= 60 ? 10 : 6;
	c.value_w = cols >= 60 ? 9 : 5;
	c.tunable_w =
		cols - 5 - (c.link_w + 1) - 2 * (c.value_w + 1) - risk_w - rule_w - 1;
	if (c.tunable_w > 56) { /* in a wide terminal the values stay beside the name */
		c.value_w += (c.tunable_w - 56) / 4 < 24 ? (c.tunable_w - 56) / 4 : 24;
		c.tunable_w = 56;
	}
	c.link = 5 + c.tunable_w + 1;
	c.from = c.link + c.link_w + 1;
	c.to = c.from + c.value_w + 1;
	if (risk_w)
		c.risk = c.to + c.value_w + 1;
	if (rule_w)
		c.rule = c.risk + risk_w;
	return c;
}

/* Names of tunables differ at their end: of a long one the beginning goes. */
static void put_tail(int row, int col, int width, enum nt_role role, const char *text)
{
	bool cut = nt_term_width(text) > width;

	while (cut && nt_term_width(text) > width - 1)
		text += nt_utf8_len(text) ? nt_utf8_len(text) : 1;
	nt_term_putf(row, col, width, role, "%s%s", cut ? nt_term_pick("…", "~") : "",
		text);
}

static void plan_line(
	const struct nt_plan_view *v, const struct nt_plan_row *r, int row, bool cursor)
{
	const struct columns c = columns();
	enum nt_role role = r->outcome == NT_OUT_FAILED ? NT_ROLE_PROBLEM
			    : r->selected		? NT_ROLE_TEXT
							: NT_ROLE_DIM;
	char name[64];

	nt_term_put(row, 0, 1, NT_ROLE_TEXT, cursor ? ">" : " ");
	nt_term_put(row, 1, 3, NT_ROLE_STRONG, mark_of(v, r));
	put_tail(row, 5, c.tunable_w, role, r->tunable);
	nt_printable(name, sizeof name, *r->link ? r->link : "host");
	nt_term_put(row, c.link, c.link_w, NT_ROLE_STRONG, name);
	nt_term_put(row, c.from, c.value_w, NT_ROLE_TEXT, r->from);
	nt_term_put(row, c.to, c.value_w, NT_ROLE_STRONG, r->to);
	if (c.risk >= 0)
		nt_term_put(row, c.risk, 7,
			r->risk >= NT_RISK_HOST ? NT_ROLE_WARNING : NT_ROLE_TEXT,
			nt_name_of(nt_risk_names, r->risk));
	if (c.rule >= 0)
		nt_term_put(row, c.rule, -1, NT_ROLE_DIM, r->rule);
	if (cursor)
		nt_term_line_role(row, NT_ROLE_SELECTED);
}

static void head(int row)
{
	const struct columns c = columns();

	nt_term_put(row, 5, c.tunable_w, NT_ROLE_HEAD, "TUNABLE");
	nt_term_put(row, c.link, -1, NT_ROLE_HEAD, "LINK");
	nt_term_put(row, c.from, -1, NT_ROLE_HEAD, "NOW");
	nt_term_put(row, c.to, -1, NT_ROLE_HEAD, "NEW");
	if (c.risk >= 0)
		nt_term_put(row, c.risk, -1, NT_ROLE_HEAD, "RISK");
	if (c.rule >= 0)
		nt_term_put(row, c.rule, -1, NT_ROLE_HEAD, "RULE");
}

/* How many of the selected steps were done; returns the row of the last of them. */
static int steps_done(const struct nt_plan_view *v, int *ret_done, int *ret_all)
{
	int last = -1;
	size_t i;

	*ret_done = *ret_all = 0;
	for (i = 0; i < v->n_rows; i++) {
		*ret_all += v->rows[i].selected;
		if (!v->rows[i].selected || v->rows[i].outcome == NT_OUT_WAITING)
			continue;
		++*ret_done;
		last = (int)i;
	}
	return last;
}

/* "Applied  undone in 47 s [#####....]   K keep  U undo now" */
static void status_line(const struct nt_plan_view *v, int row)
{
	double left = nt_plan_view_left(v);
	int c, i, full, width = nt_term_cols() < 70 ? 0 : 20;

	if (v->phase == NT_PLAN_APPLYING) {
		steps_done(v, &i, &full);
		nt_term_putf(row, 1, -1, phases[v->phase].role,
			"applying, %d of %d done: S stops and undoes", i, full);
		return;
	}
	if (left < 0) {
		c = nt_term_put(row, 1, -1, phases[v->phase].role, phases[v->phase].text);
		if (v->phase == NT_PLAN_FAILED)
			nt_term_putf(row, c, -1, NT_ROLE_STRONG, ": %s",
				v->n_left ? "some values could not be put back, see below"
					  : "everything is as before");
		return;
	}
	if (left <= 0) {
		nt_term_put(row, 1, -1, NT_ROLE_ALERT,
			" not kept in time: the guardian undoes it ... ");
		return;
	}
	c = nt_term_putf(row, 1, -1, NT_ROLE_ALERT, " Applied: undone in %.0f s ", left);
	full = v->confirm_s ? (int)(width * left / v->confirm_s + 0.5) : 0;
	c++;
	for (i = 0; i < width; i++)
		nt_term_put(row, c + i, 1, NT_ROLE_STRONG,
			i < full ? nt_term_pick("█", "#") : nt_term_pick("░", "."));
	c += width + 2 * (width > 0);
	if (nt_term_cols() < 60)
		return; /* the last line says so */
	c = nt_term_put(row, c, -1, NT_ROLE_KEY, "K");
	c = nt_term_put(row, c, -1, NT_ROLE_TEXT, " keep  ");
	c = nt_term_put(row, c, -1, NT_ROLE_KEY, "U");
	nt_term_put(row, c, -1, NT_ROLE_TEXT, " undo now");
}

/* What a risk means, for those who have not read the manual. */
static const char *const risk_words[_NT_RISK_MAX] = {
	[NT_RISK_NONE] = "none: no traffic is touched",
	[NT_RISK_TRAFFIC] = "traffic: frames may be lost for a moment",
	[NT_RISK_HOST] = "host: every connection of this host is touched",
	[NT_RISK_LINK] = "link: the link goes down, often for seconds",
};

static void risk_lines(struct nt_lines *l, int width, const struct nt_plan_view *v,
	const struct nt_plan_row *r)
{
	nt_lines_add(l, width, r->risk == NT_RISK_LINK ? NT_ROLE_WARNING : NT_ROLE_TEXT,
		"risk", risk_words[r->risk]);
	if (r->ssh && v->confirm_s)
		nt_lines_addf(l, width, NT_ROLE_WARNING, "care",
			"your ssh session runs over %s: should it be cut, everything is "
			"undone after %u s",
			r->link, v->confirm_s);
	else if (r->ssh)
		nt_lines_addf(l, width, NT_ROLE_WARNING, "care",
			"your ssh session runs over %s", r->link);
}

/* What the link, or the host, lost before the change, and loses now. */
static void since_lines(struct nt_lines *l, int width, const struct nt_app *app,
	const struct nt_plan_row *r)
{
	const struct nt_model *m = &app->model;
	const struct nt_link_row *link = nt_model_row(m, r->link);
	const char *arrow = nt_term_pick("→", "->");
	double drops = *r->link ? link && link->have_rates ? link->drops_ps : -1
				: m->softnet_drops_ps;

	if (r->before_drops < 0 || drops < 0)
		return;
	if (r->before_retrans >= 0 && m->retrans_pct >= 0)
		nt_lines_addf(l, width, NT_ROLE_TEXT, "since",
			"drops %.0f/s %s %.0f/s   retrans %.2f %% %s %.2f %%",
			r->before_drops, arrow, drops, r->before_retrans, arrow,
			m->retrans_pct);
	else
		nt_lines_addf(l, width, NT_ROLE_TEXT, "since", "drops %.0f/s %s %.0f/s",
			r->before_drops, arrow, drops);
}

static void row_lines(struct nt_lines *l, int width, const struct nt_app *app,
	const struct nt_plan_view *v, const struct nt_plan_row *r)
{
	const struct nt_tunable *t = nt_tunable_find(r->tunable);

	nt_lines_add(l, width, NT_ROLE_STRONG, "by hand", r->command);
	if (r->note)
		nt_lines_add(l, width, NT_ROLE_WARNING, "answer", r->note);
	if (v->phase <= NT_PLAN_READY)
		risk_lines(l, width, v, r);
	if (v->phase == NT_PLAN_PENDING || v->phase == NT_PLAN_KEPT)
		since_lines(l, width, app, r);
	nt_lines_addf(l, width, NT_ROLE_TEXT, "change", "%s%s%s  %s %s %s   rule %s",
		r->link, *r->link ? " " : "", r->tunable, r->from,
		nt_term_pick("→", "->"), r->to, r->rule);
	if (t)
		nt_lines_add(l, width, NT_ROLE_DIM, "what", t->summary);
}

static void plan_text(struct nt_lines *l, int width, const struct nt_app *app,
	const struct nt_plan_view *v, const struct nt_plan_row *r)
{
	size_t i;

	if (v->message[0])
		nt_lines_add(l, width, NT_ROLE_PROBLEM, "failed", v->message);
	if (r && v->phase != NT_PLAN_PARTLY)
		row_lines(l, width, app, v, r);
	for (i = 0; i < v->n_remarks; i++)
		nt_lines_add(l, width, NT_ROLE_WARNING, i ? NULL : "note", v->remarks[i]);
	if (v->phase != NT_PLAN_READY || !r)
		return;
	if (v->confirm_s)
		nt_lines_addf(l, width, NT_ROLE_TEXT, "timer",
			"%u s after it was applied all is undone unless you press K [t]",
			v->confirm_s);
	else
		nt_lines_add(l, width, NT_ROLE_WARNING, "timer",
			"off: changes stay without being kept [t]");
	for (i = 0; i < v->n_managers; i++)
		nt_lines_add(
			l, width, NT_ROLE_WARNING, i ? NULL : "others", v->managers[i]);
}

static void text_below(const struct nt_app *app, struct plan *p,
	const struct nt_plan_view *v, int row, int height)
{
	const struct nt_plan_row *r = v->n_rows ? &v->rows[p->list.cursor] : NULL;
	struct nt_lines l = { 0 };

	plan_text(&l, nt_term_cols() - 11, app, v, r);
	nt_lines_page(&l, &p->scroll, row, height, 9);
	nt_lines_clear(&l);
}

/*
 * While it applies, the cursor goes along, unless the user moved it. When that has ended:
 * the step that failed, or else the first that took another value.
 */
static void find_trouble(struct plan *p, const struct nt_plan_view *v)
{
	static const enum nt_outcome troubles[] = { NT_OUT_FAILED, NT_OUT_CLAMPED };
	bool ended = p->phase == NT_PLAN_APPLYING && v->phase != NT_PLAN_APPLYING;
	int done, all, last = steps_done(v, &done, &all);
	size_t t, i;

	if (p->phase != v->phase)
		p->moved = false;
	p->phase = v->phase;
	if (v->phase == NT_PLAN_APPLYING && !p->moved && last >= 0)
		p->list.cursor = last;
	for (t = 0; ended && t < NT_ARRAY_SIZE(troubles); t++) {
		for (i = 0; i < v->n_rows; i++) {
			if (v->rows[i].outcome == troubles[t]) {
				p->list.cursor = (int)i;
				return;
			}
		}
	}
}

static void draw_plan(struct nt_app *app, void *state)
{
	struct plan *p = state;
	struct nt_plan_view *v = &app->plan;
	int rows = nt_term_rows(), height, i;

	if (v->phase == NT_PLAN_NONE)
		nt_plan_view_make(app);
	pthread_mutex_lock(&v->lock);
	find_trouble(p, v);
	p->made = v->made;
	height = rows >= 16 ? (rows - 5) * 6 / 10 : rows - 7;
	if (height > (int)v->n_rows)
		height = v->n_rows ? (int)v->n_rows : 1;
	status_line(v, 1);
	head(2);
	nt_list_fit(&p->list, (int)v->n_rows, 3, height);
	for (i = 0; i < height && p->list.top + i < (int)v->n_rows; i++)
		plan_line(v, &v->rows[p->list.top + i], 3 + i,
			p->list.top + i == p->list.cursor);
	if (v->n_rows == 0 && v->phase == NT_PLAN_READY)
		nt_term_put(3, 5, -1, NT_ROLE_GOOD,
			"nothing to change; f shows what was found, Space there marks");
	nt_list_position(&p->list, (int)v->n_rows, 3 + height);
	nt_term_rule(3 + height);
	text_below(app, p, v, 4 + height, rows - 5 - height);
	pthread_mutex_unlock(&v->lock);
}

static void next_timer(struct nt_app *app)
{
	static const unsigned steps[] = { 30, 60, 120, 300, 0 };
	struct nt_plan_view *v = &app->plan;
	size_t i;

	for (i = 0; i < NT_ARRAY_SIZE(steps) - 1 && steps[i] != v->confirm_s; i++)
		continue;
	v->confirm_s = steps[(i + 1) % NT_ARRAY_SIZE(steps)];
	if (!v->confirm_s && v->ssh_risk) {
		v->confirm_s = steps[0];
		nt_app_say(app, "the timer stays on: a step touches the link of your ssh "
				"session");
	}
}

/* what: the application, for a new judgement may come while the user types the name. */
static int write_plan(const void *what, FILE *f)
{
	const struct nt_app *app = what;

	return nt_plan_write(&app->plan.plan, app->model.snapshot, f);
}

static void save_plan(struct nt_app *app)
{
	char *file = nt_app_save(
		app, "write the plan to file", "nettune-plan.json", write_plan, app);

	if (file)
		nt_app_say(app, "written: nettune --apply --plan %s", file);
	free(file);
}

/* From what the host is now: another program may have changed it since it was judged. */
static void make_anew(struct nt_app *app)
{
	if (nt_plan_view_busy(&app->plan))
		return;
	app->plan.ticket = nt_workers_judge(app->workers, app->goal);
	nt_plan_view_make(app);
}

static bool key_plan(struct nt_app *app, void *state, struct nt_key k)
{
	struct plan *p = state;
	struct nt_plan_view *v = &app->plan;

	if (nt_list_key(&p->list, (int)v->n_rows, k, NULL)) {
		p->scroll = 0;
		p->moved = true;
		return true;
	}
	if (v->phase == NT_PLAN_APPLYING && k.code < 128 &&
		strchr("AUKn t", k.code)) {
		nt_app_say(app, "still applying: S stops and undoes");
		return true;
	}
	switch (k.code) {
	case NT_K_LEFT:
		p->scroll--;
		return true;
	case NT_K_RIGHT:
		p->scroll++;
		return true;
	case ' ':
		nt_plan_view_toggle(app, (size_t)p->list.cursor);
		return true;
	case 't':
		if (v->phase == NT_PLAN_READY)
			next_timer(app);
		return true;
	case 'A':
		if (v->phase == NT_PLAN_READY && p->made == v->made)
			nt_plan_view_apply(app);
		else if (v->phase == NT_PLAN_READY)
			nt_app_say(app, "this plan is a new one: A applies it");
		else
			nt_app_say(app, "nothing to apply now: n makes a new plan");
		return true;
	case 'K':
		nt_plan_view_keep(app);
		return true;
	case 'U':
		if (v->phase == NT_PLAN_PENDING || v->phase == NT_PLAN_KEPT)
			nt_plan_view_undo(app, 0);
		else
			nt_app_say(app,
				"this plan has changed nothing; h shows the history");
		return true;
	case 'S':
		if (v->phase == NT_PLAN_APPLYING) {
			atomic_store(&v->stop, true);
			nt_app_say(app, "stopping: what was done is undone");
		}
		return true;
	case 'n':
		if (v->phase == NT_PLAN_PENDING)
			nt_app_say(app, "keep (K) or undo (U) first");
		else
			make_anew(app);
		return true;
	case 'w':
		if (v->phase == NT_PLAN_READY)
			save_plan(app);
		return true;
	default:
		return false;
	}
}

static void title_plan(struct nt_app *app, void *state, char *ret, size_t size)
{
	struct nt_plan_view *v = &app->plan;
	size_t i, n = 0;

	(void)state;
	for (i = 0; i < v->n_rows; i++)
		n += v->rows[i].selected;
	if (v->n_rows)
		snprintf(ret, size, "%zu of %zu change%s", n, v->n_rows,
			v->n_rows == 1 ? "" : "s");
}

static bool offers_plan(
	struct nt_app *app, void *state, int code, char *label, size_t size)
{
	struct nt_plan_view *v = &app->plan;
	bool ready = v->phase == NT_PLAN_READY, busy = nt_plan_view_busy(v);

	(void)state;
	switch (code) {
	case ' ':
	case 'w':
		return ready && v->n_rows;
	case 't':
		if (v->confirm_s)
			snprintf(label, size, "timer %u s", v->confirm_s);
		else
			snprintf(label, size, "timer off");
		return ready && v->n_rows;
	case 'A':
		return ready && nt_plan_selected(&v->plan) && !app->lookout.pending_id;
	case 'K':
		return v->phase == NT_PLAN_PENDING || (!busy && app->lookout.pending_id);
	case 'U':
		if (v->phase == NT_PLAN_PENDING)
			snprintf(label, size, "undo now");
		return v->phase == NT_PLAN_PENDING || v->phase == NT_PLAN_KEPT;
	case 'S':
		return v->phase == NT_PLAN_APPLYING && !atomic_load(&v->stop);
	case 'n':
		return v->phase > NT_PLAN_PENDING ? !busy : ready && !v->n_rows;
	case 'f':
		return ready && !v->n_rows;
	case 'h':
		return v->phase > NT_PLAN_PENDING && !busy;
	default:
		return true;
	}
}

static const struct nt_key_help keys[] = {
	{ ' ', "select", "take the step in or leave it out" },
	{ 't', "timer", "undone after 30, 60, 120, 300 s unless kept, or no timer" },
	{ 'A', "apply", "apply what is selected" },
	{ 'w', "write plan", "write the plan to a file for nettune --apply --plan" },
	{ 'S', "stop and undo", "stop applying, and undo" },
	{ 'K', "keep", "keep what was applied" },
	{ 'U', "undo", "undo what was applied" },
	{ 'n', "new plan", "a new plan from what is found now" },
	{ 'f', "findings", "what was found; Space there marks for the plan" },
	{ 'h', "history", "history of changes, undo" },
	{ NT_K_LEFT, NULL, "scroll the text up" },
	{ NT_K_RIGHT, NULL, "scroll the text down" },
	{ 0 },
};

const struct nt_screen_ops nt_screen_plan = {
	.name = "Plan",
	.keys = keys,
	.open = open_plan,
	.draw = draw_plan,
	.key = key_plan,
	.close = free,
	.title = title_plan,
	.offers = offers_plan,
};
