/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plan of findings, marks and edits, checked against the host. */
#include "config.h"

#include "plan_make.h"

#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "nettune/mem.h"
#include "nettune/tunable.h"
#include "plan_job.h"

static void add_manager(void *arg, const char *line)
{
	struct nt_plan_job *j = arg;

	NT_GROW(j->managers, j->n_managers, j->cap_managers);
	j->managers[j->n_managers++] = nt_strdup(line);
}

static void run_check(void *arg)
{
	struct nt_plan_job *j = arg;

	if (!nt_plan_job_open(j))
		return;
	j->rc = nt_plan_check(j->sys, &j->app->plan.plan, j->state_dir, &j->err);
	nt_managers(j->sys, &j->app->plan.plan, add_manager, j);
}

static void done_check(void *arg)
{
	struct nt_plan_job *j = arg;
	struct nt_plan_view *v = &j->app->plan;

	pthread_mutex_lock(&v->lock);
	nt_plan_rows_copy(j->app);
	v->made++;
	nt_plan_remarks_free(v);
	nt_plan_managers_take(v, j->managers, j->n_managers, j->cap_managers);
	pthread_mutex_unlock(&v->lock);
	nt_plan_job_end(j, NT_PLAN_READY);
}

/* Marks turn advice in, and problems and warnings out. */
static void heed_marks(struct nt_app *app)
{
	const struct nt_findings *f = app->model.findings;
	struct nt_plan *p = &app->plan.plan;
	size_t i, k;

	for (i = 0; i < f->n; i++) {
		const struct nt_finding *fi = &f->v[i];

		if (!nt_app_marked(app, fi->rule->id, fi->scope->name))
			continue;
		for (k = 0; fi->severity < NT_SEV_WARNING && k < fi->n_changes; k++) {
			const struct nt_change *c = &fi->changes[k];

			if (!nt_plan_step(p, c->tunable, c->scope->name))
				nt_plan_add(p, c->tunable, c->scope->name, &c->from,
					&c->to, fi->rule->id);
		}
		for (k = 0; fi->severity >= NT_SEV_WARNING && k < fi->n_changes; k++) {
			struct nt_step *st = nt_plan_step(
				p, fi->changes[k].tunable, fi->changes[k].scope->name);

			if (st && strcmp(st->rule, fi->rule->id) == 0)
				nt_plan_leave_out(
					p, st, "unmarked on the findings screen", "");
		}
	}
}

/* A typed value as a fact of the tunable's type. */
static struct nt_fact typed(const struct nt_tunable *t, const char *text)
{
	struct nt_fact f = { .type = (uint8_t)t->type, .unit = (uint8_t)t->unit };

	if (t->type == NT_FACT_SWITCH || t->type == NT_FACT_BOOL)
		f.v.i = strcmp(text, "on") == 0;
	else if (t->type == NT_FACT_INT)
		f.v.i = strtoll(text, NULL, 10);
	else if (t->type == NT_FACT_REAL)
		f.v.r = strtod(text, NULL);
	else
		f.v.s = text;
	return f;
}

static void heed_edits(struct nt_app *app)
{
	struct nt_plan *p = &app->plan.plan;
	const struct nt_snapshot *s = app->model.snapshot;
	size_t i;

	for (i = 0; i < app->n_edits; i++) {
		const struct nt_edit *e = &app->edits[i];
		const struct nt_scope *sc =
			*e->link ? nt_snapshot_link(s, e->link) : &s->host;
		const struct nt_fact *from = sc ? nt_scope_get(s, sc, e->tunable) : NULL;
		struct nt_fact to = typed(nt_tunable_find(e->tunable), e->value);
		struct nt_step *st = nt_plan_step(p, e->tunable, e->link);

		if (!from || from->type == NT_FACT_ABSENT)
			continue;
		if (st) /* what was typed wins over a rule */
			st->to = nt_plan_fact(p, &to), st->rule = "by-hand";
		else
			nt_plan_add(p, e->tunable, e->link, from, &to, "by-hand");
	}
}

void nt_plan_view_make(struct nt_app *app)
{
	struct nt_plan_view *v = &app->plan;
	struct nt_plan_opts opts = { .risk = NT_RISK_LINK };

	if (nt_plan_view_busy(v))
		return;
	v->phase = NT_PLAN_NONE;
	if (!app->model.findings || app->model.ticket < v->ticket)
		return;
	if (v->have_plan)
		nt_plan_free(&v->plan);
	nt_plan_make(app->model.findings, app->model.snapshot, &opts, &v->plan);
	v->have_plan = true;
	heed_marks(app);
	heed_edits(app);
	nt_plan_order(&v->plan);
	nt_plan_job_start(app, NT_PLAN_CHECKING, run_check, done_check, 0);
}

void nt_plan_view_toggle(struct nt_app *app, size_t row)
{
	struct nt_plan_view *v = &app->plan;
	struct nt_step *st;

	if (v->phase != NT_PLAN_READY) {
		nt_app_say(app, "not now: n makes a new plan to choose from");
		return;
	}
	if (row >= v->n_rows)
		return;
	st = &v->plan.v[row];
	if (!st->selected && v->rows[row].note) {
		nt_app_say(app, "%s", v->rows[row].note);
		return;
	}
	st->selected = !st->selected;
	nt_plan_rows_copy(app);
}
