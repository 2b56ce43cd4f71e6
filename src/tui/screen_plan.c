/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plan: what would be changed, then what was, as the driver answered; keep or undo.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "app.h"
#include "list.h"
#include "wrap.h"
#include "nettune/mem.h"
#include "nettune/names.h"

struct plan {
	struct nt_list list;
	unsigned long judged; /* the judgement that the shown plan was made from */
};

static const struct {
	enum nt_role role;
	const char *text;
} phases[] = {
	[NT_PLAN_NONE] = { NT_ROLE_DIM, "reading and judging this host ..." },
	[NT_PLAN_CHECKING] = { NT_ROLE_DIM, "checking the plan against the host ..." },
	[NT_PLAN_READY] = { NT_ROLE_GOOD, "nothing has been changed yet" },
	[NT_PLAN_APPLYING] = { NT_ROLE_ALERT, "applying: S stops and undoes" },
	[NT_PLAN_PENDING] = { NT_ROLE_ALERT, "applied" },
	[NT_PLAN_KEPT] = { NT_ROLE_GOOD,
		"applied, in force until the next boot; U undoes" },
	[NT_PLAN_KEEPING] = { NT_ROLE_DIM, "keeping ..." },
	[NT_PLAN_UNDOING] = { NT_ROLE_DIM, "undoing ..." },
	[NT_PLAN_UNDONE] = { NT_ROLE_GOOD, "undone: every value is as before" },
	[NT_PLAN_FAILED] = { NT_ROLE_ALERT, "failed" },
};

static void *open_plan(struct nt_app *app, const void *arg)
{
	struct plan *p = nt_calloc(1, sizeof *p);
	struct nt_plan_view *v = &app->plan;

	(void)arg;
	if (v->phase != NT_PLAN_PENDING && !nt_plan_view_busy(v)) {
		v->phase = NT_PLAN_NONE;
		nt_plan_view_make(app);
	}
	p->judged = app->model.judged;
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

/* Columns of the fixed part; the tunable takes the rest, the rule what is above 110. */
enum { W_MARK = 5, W_LINK = 11, W_VALUE = 10, W_RISK = 8, W_RULE = 24 };

static bool has_rule_column(void)
{
	return nt_term_cols() >= 110;
}

static int tunable_width(void)
{
	int w = nt_term_cols() - W_MARK - W_LINK - 2 * W_VALUE - W_RISK -
		(has_rule_column() ? W_RULE : 0);

	return w > 8 ? w : 8;
}

static void plan_line(
	const struct nt_plan_view *v, const struct nt_plan_row *r, int row, bool cursor)
{
	int wide = tunable_width(), c = W_MARK + wide;
	enum nt_role role = r->outcome == NT_OUT_FAILED ? NT_ROLE_PROBLEM : NT_ROLE_TEXT;
	char name[64];

	nt_term_put(row, 0, 1, NT_ROLE_TEXT, cursor ? ">" : " ");
	nt_term_put(row, 1, 3, NT_ROLE_STRONG, mark_of(v, r));
	nt_term_put(row, W_MARK, wide - 1, r->selected ? role : NT_ROLE_DIM, r->tunable);
	nt_printable(name, sizeof name, *r->link ? r->link : "host");
	nt_term_put(row, c, W_LINK - 1, NT_ROLE_STRONG, name);
	c += W_LINK;
	nt_term_put(row, c, W_VALUE - 1, NT_ROLE_TEXT, r->from);
	c += W_VALUE;
	nt_term_put(row, c, W_VALUE - 1, NT_ROLE_STRONG, r->to);
	c += W_VALUE;
	nt_term_put(row, c, W_RISK - 1,
		r->risk >= NT_RISK_HOST ? NT_ROLE_WARNING : NT_ROLE_TEXT,
		nt_name_of(nt_risk_names, r->risk));
	if (has_rule_column())
		nt_term_put(row, c + W_RISK, -1, NT_ROLE_DIM, r->rule);
	if (cursor)
		nt_term_line_role(row, NT_ROLE_SELECTED);
}

static void head(int row)
{
	int c = W_MARK + tunable_width();

	nt_term_put(row, W_MARK, -1, NT_ROLE_HEAD, "TUNABLE");
	nt_term_put(row, c, -1, NT_ROLE_HEAD, "LINK");
	nt_term_put(row, c + W_LINK, -1, NT_ROLE_HEAD, "NOW");
	nt_term_put(row, c + W_LINK + W_VALUE, -1, NT_ROLE_HEAD, "NEW");
	nt_term_put(row, c + W_LINK + 2 * W_VALUE, -1, NT_ROLE_HEAD, "RISK");
	if (has_rule_column())
		nt_term_put(
			row, c + W_LINK + 2 * W_VALUE + W_RISK, -1, NT_ROLE_HEAD, "RULE");
}

/* "Applied  undone in 47 s [#####....]   K keep  U undo now" */
static void status_line(const struct nt_plan_view *v, int row)
{
	double left = nt_plan_view_left(v);
	int c, i, full, width = 20;

	if (left < 0) {
		c = nt_term_put(row, 1, -1, phases[v->phase].role, phases[v->phase].text);
		if (v->phase == NT_PLAN_FAILED)
			nt_term_putf(row, c, -1, NT_ROLE_STRONG, ": %s",
				v->n_left ? "some values could not be put back, see below"
					  : "everything is as before");
		return;
	}
	c = nt_term_putf(row, 1, -1, NT_ROLE_ALERT, " Applied: undone in %.0f s ", left);
	full = v->confirm_s ? (int)(width * left / v->confirm_s + 0.5) : 0;
	c++;
	for (i = 0; i < width; i++)
		nt_term_put(row, c + i, 1, NT_ROLE_STRONG,
			i < full ? nt_term_pick("█", "#") : nt_term_pick("░", "."));
	c += width + 2;
	c = nt_term_put(row, c, -1, NT_ROLE_KEY, "K");
	c = nt_term_put(row, c, -1, NT_ROLE_TEXT, " keep  ");
	c = nt_term_put(row, c, -1, NT_ROLE_KEY, "U");
	nt_term_put(row, c, -1, NT_ROLE_TEXT, " undo now");
}

static void text_below(const struct nt_app *app, const struct nt_plan_view *v,
	const struct nt_plan_row *r, int row, int height)
{
	struct nt_lines l = { 0 };
	int width = nt_term_cols() - 11;

	if (v->message[0])
		nt_lines_add(&l, width, NT_ROLE_PROBLEM, "failed", v->message);
	if (r) {
		const struct nt_tunable *t = nt_tunable_find(r->tunable);

		nt_lines_add(&l, width, NT_ROLE_STRONG, "by hand", r->command);
		if (r->note)
			nt_lines_add(&l, width, NT_ROLE_WARNING, "answer", r->note);
		if (t)
			nt_lines_add(&l, width, NT_ROLE_TEXT, "what", t->summary);
		nt_lines_addf(&l, width, NT_ROLE_TEXT, "rule", "%s", r->rule);
		nt_lines_addf(&l, width, NT_ROLE_TEXT, "change", "%s %s %s", r->from,
			nt_term_pick("→", "->"), r->to);
		if (*app->ssh_link && strcmp(r->link, app->ssh_link) == 0)
			nt_lines_add(&l, width, NT_ROLE_WARNING, "care",
				"your ssh session runs over this link");
	}
	if (v->phase == NT_PLAN_READY)
		nt_lines_addf(&l, width, NT_ROLE_TEXT, "timer",
			v->confirm_s ? "everything is undone %u s after it was applied "
				       "unless you "
				       "press K [t]"
				     : "off: changes stay without being kept [t]",
			v->confirm_s);
	nt_lines_draw(&l, 0, row, height, 9);
	nt_lines_clear(&l);
}

static void draw_plan(struct nt_app *app, void *state)
{
	struct plan *p = state;
	struct nt_plan_view *v = &app->plan;
	int rows = nt_term_rows(), height, i;

	if (v->phase == NT_PLAN_NONE && app->model.findings)
		nt_plan_view_make(app);
	pthread_mutex_lock(&v->lock);
	if (v->phase == NT_PLAN_PENDING && nt_plan_view_left(v) <= 0)
		v->phase = NT_PLAN_UNDONE; /* by the guardian */
	height = rows >= 16 ? (rows - 5) * 6 / 10 : rows - 6;
	if (height > (int)v->n_rows)
		height = v->n_rows ? (int)v->n_rows : 1;
	status_line(v, 1);
	head(2);
	nt_list_fit(&p->list, (int)v->n_rows, 3, height);
	for (i = 0; i < height && p->list.top + i < (int)v->n_rows; i++)
		plan_line(v, &v->rows[p->list.top + i], 3 + i,
			p->list.top + i == p->list.cursor);
	if (v->n_rows == 0 && v->phase == NT_PLAN_READY)
		nt_term_put(3, 5, -1, NT_ROLE_GOOD, "nothing to change");
	nt_list_position(&p->list, (int)v->n_rows, 3 + height);
	nt_term_rule(3 + height);
	text_below(app, v, v->n_rows ? &v->rows[p->list.cursor] : NULL, 4 + height,
		rows - 6 - height);
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

static void write_plan(struct nt_app *app)
{
	char *file = nt_app_prompt(app, "write the plan to file", "nettune-plan.json");
	struct nt_err err;

	if (file && *file) {
		if (nt_plan_view_write(app, file, &err) == 0)
			nt_app_say(app, "written: nettune --apply --plan %s", file);
		else
			nt_app_say(app, "%s", err.msg);
	}
	free(file);
}

static bool key_plan(struct nt_app *app, void *state, struct nt_key k)
{
	struct plan *p = state;
	struct nt_plan_view *v = &app->plan;

	if (nt_list_key(&p->list, (int)v->n_rows, k, NULL))
		return true;
	switch (k.code) {
	case ' ':
		nt_plan_view_toggle(app, (size_t)p->list.cursor);
		return true;
	case 't':
		if (v->phase == NT_PLAN_READY)
			next_timer(app);
		return true;
	case 'A':
		if (v->phase == NT_PLAN_READY)
			nt_plan_view_apply(app);
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
			nt_plan_view_make(app);
		return true;
	case 'w':
		if (v->phase == NT_PLAN_READY)
			write_plan(app);
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
	snprintf(ret, size, "%zu change%s of %zu", n, n == 1 ? "" : "s", v->n_rows);
}

static const struct nt_key_help keys[] = {
	{ ' ', "select", "take the step in or leave it out" },
	{ 'A', "apply", "apply what is selected" },
	{ 'K', "keep", "keep what was applied" },
	{ 'U', "undo", "undo what was applied" },
	{ 't', "timer", "undone after 30, 60, 120, 300 s unless kept, or no timer" },
	{ 'w', "write", "write the plan to a file for nettune --apply --plan" },
	{ 'n', NULL, "a new plan from what is found now" },
	{ 'S', NULL, "stop applying, and undo" },
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
};
