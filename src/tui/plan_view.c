/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "plan_view.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "nettune/buf.h"
#include "nettune/clock.h"
#include "nettune/mem.h"
#include "nettune/names.h"
#include "nettune/places.h"
#include "nettune/tunable.h"
#include "workers.h"

static void free_texts(char ***v, size_t *n, size_t *cap)
{
	size_t i;

	for (i = 0; i < *n; i++)
		free((*v)[i]);
	free(*v);
	*v = NULL;
	*n = *cap = 0;
}

static void free_remarks(struct nt_plan_view *v)
{
	free_texts(&v->remarks, &v->n_remarks, &v->cap_remarks);
}

static void free_managers(struct nt_plan_view *v)
{
	free_texts(&v->managers, &v->n_managers, &v->cap_managers);
}

static void free_rows(struct nt_plan_view *v)
{
	size_t i;

	for (i = 0; i < v->n_rows; i++) {
		free(v->rows[i].tunable);
		free(v->rows[i].link);
		free(v->rows[i].from);
		free(v->rows[i].to);
		free(v->rows[i].rule);
		free(v->rows[i].command);
		free(v->rows[i].note);
	}
	free(v->rows);
	v->rows = NULL;
	v->n_rows = 0;
}

void nt_plan_view_init(struct nt_plan_view *v)
{
	memset(v, 0, sizeof *v);
	pthread_mutex_init(&v->lock, NULL);
	v->confirm_s = 60;
}

void nt_plan_view_free(struct nt_plan_view *v)
{
	free_rows(v);
	free_remarks(v);
	free_managers(v);
	if (v->have_plan)
		nt_plan_free(&v->plan);
	pthread_mutex_destroy(&v->lock);
}

bool nt_plan_view_busy(struct nt_plan_view *v)
{
	return v->phase == NT_PLAN_CHECKING || v->phase == NT_PLAN_APPLYING ||
	       v->phase == NT_PLAN_KEEPING || v->phase == NT_PLAN_UNDOING;
}

double nt_plan_view_left(const struct nt_plan_view *v)
{
	int64_t now = nt_boot_ms();

	if (v->phase != NT_PLAN_PENDING)
		return -1;
	return v->deadline_ms > now ? (double)(v->deadline_ms - now) / 1000 : 0;
}

static void set_note(struct nt_plan_row *r, const struct nt_step *st)
{
	free(r->note);
	r->note = NULL;
	if (st->left_out)
		r->note = nt_strdup(st->left_out);
	else if (st->error && st->kernel && *st->kernel)
		r->note = nt_asprintf("%s (kernel: %s)", st->error, st->kernel);
	else if (st->error)
		r->note = nt_strdup(st->error);
	else if (st->outcome == NT_OUT_CLAMPED && st->got)
		r->note = nt_asprintf("the driver took %s", st->got);
}

static char *text_of(const struct nt_fact *f)
{
	char text[512];

	nt_fact_format(text, sizeof text, f);
	return nt_strdup(text);
}

/*
 * A vector sysctl is written as a whole: the steps that are selected go along, else their
 * commands, typed one after the other, would undo one another.
 */
static char *command_of(const struct nt_app *app, const struct nt_step *st)
{
	const struct nt_plan *p = &app->plan.plan;
	struct nt_assign *v = nt_calloc(p->n + 1, sizeof *v);
	struct nt_buf b = { 0 };
	size_t i, n = 1;
	char path[256];
	int at;

	v[0] = (struct nt_assign){ st->tunable, &st->to };
	if (nt_tunable_sysctl(st->tunable, path, sizeof path, &at) > 1)
		for (i = 0; i < p->n; i++)
			if (&p->v[i] != st && p->v[i].selected &&
				nt_tunable_joins(p->v[i].tunable, st->tunable))
				v[n++] = (struct nt_assign){ p->v[i].tunable,
					&p->v[i].to };
	nt_tunable_command(&b, app->model.snapshot, st->link, v, n);
	free(v);
	return nt_buf_detach(&b);
}

/* Whether the caller's ssh session runs over link: its own, one below it, or a port of
 * it. */
static bool carries_ssh(const struct nt_app *app, const char *link)
{
	const struct nt_snapshot *s = app->model.snapshot;
	const struct nt_scope *of, *sc;

	if (!*app->ssh_link || !*link)
		return false;
	for (of = s ? nt_snapshot_link(s, link) : NULL; of; of = of->master)
		for (sc = nt_snapshot_link(s, app->ssh_link); sc; sc = sc->lower)
			if (sc == of)
				return true;
	return strcmp(link, app->ssh_link) == 0;
}

/* Below lock, while no job runs: show the plan as it is. */
static void copy_rows(struct nt_app *app)
{
	struct nt_plan_view *v = &app->plan;
	size_t i;

	free_rows(v);
	v->rows = nt_calloc(v->plan.n ? v->plan.n : 1, sizeof *v->rows);
	v->n_rows = v->plan.n;
	v->ssh_risk = false;
	for (i = 0; i < v->n_rows; i++) {
		const struct nt_step *st = &v->plan.v[i];

		v->rows[i] = (struct nt_plan_row){
			.tunable = nt_strdup(st->tunable),
			.link = nt_strdup(st->link),
			.from = text_of(&st->from),
			.to = text_of(&st->to),
			.rule = nt_strdup(st->rule),
			.command = command_of(app, st),
			.risk = st->risk,
			.selected = st->selected,
			.outcome = st->outcome,
			.ssh = carries_ssh(app, st->link),
			.before_drops = -1,
			.before_retrans = -1,
		};
		set_note(&v->rows[i], st);
		v->ssh_risk |= st->selected && v->rows[i].ssh;
	}
}

/* Below lock, when an apply has ended: the rows are the plan's steps in the same order.
 */
static void refresh_rows(struct nt_plan_view *v)
{
	size_t i;

	for (i = 0; i < v->n_rows && i < v->plan.n; i++) {
		v->rows[i].selected = v->plan.v[i].selected;
		v->rows[i].outcome = v->plan.v[i].outcome;
		set_note(&v->rows[i], &v->plan.v[i]);
	}
}

/* What an apply or an undo did besides the steps: for the text below them. */
static void take_remarks(struct nt_plan_view *v, const struct nt_change_result *r)
{
	size_t i;

	for (i = 0; i < r->n_undo; i++) {
		const struct nt_undo_item *u = &r->undo[i];

		if (u->state == NT_UNDO_RESTORED)
			continue;
		NT_GROW(v->remarks, v->n_remarks, v->cap_remarks);
		v->remarks[v->n_remarks++] = nt_asprintf(
			"%s%s%s not put back: %s; it was %s, is %s", u->link,
			*u->link ? " " : "", u->key,
			u->why && *u->why ? u->why : nt_name_of(nt_undo_names, u->state),
			u->before ? u->before : "none", u->now ? u->now : "none");
	}
	for (i = 0; i < r->n_side; i++) {
		const struct nt_side *d = &r->side[i];

		NT_GROW(v->remarks, v->n_remarks, v->cap_remarks);
		v->remarks[v->n_remarks++] = nt_asprintf(
			"moved too: %s%s%s from %s to %s", d->link, *d->link ? " " : "",
			d->key, d->from ? d->from : "none", d->to ? d->to : "none");
	}
	if (*r->note) {
		NT_GROW(v->remarks, v->n_remarks, v->cap_remarks);
		v->remarks[v->n_remarks++] = nt_strdup(r->note);
	}
}

/* ---- making and checking --------------------------------------------------------- */

struct job {
	struct nt_app *app;
	struct nt_sys *sys;
	char *state_dir;
	unsigned id;
	enum nt_plan_phase before; /* the phase that the job was started in */
	char **managers;	   /* what nt_managers() told */
	size_t n_managers, cap_managers;
	int rc;
	struct nt_err err;
	struct nt_change_result result;
	bool have_result;
};

static void start(struct nt_app *app, enum nt_plan_phase phase, void (*run)(void *),
	void (*done)(void *), unsigned id)
{
	struct job *j = nt_calloc(1, sizeof *j);
	enum nt_plan_phase before = app->plan.phase;

	j->app = app;
	j->id = id;
	j->before = before;
	j->state_dir = nt_place_state();
	pthread_mutex_lock(&app->plan.lock);
	app->plan.phase = phase;
	*app->plan.message = '\0';
	atomic_store(&app->plan.stop, false);
	pthread_mutex_unlock(&app->plan.lock);
	if (nt_workers_job(app->workers, NT_LANE_HOST, run, done, j) != 0) {
		app->plan.phase = before;
		nt_app_say(app, "something else is running: wait for it");
		free(j->state_dir);
		free(j);
	}
}

static bool open_sys(struct job *j)
{
	j->sys = j->app->open_sys(&j->err);
	if (!j->sys)
		j->rc = j->err.code;
	return j->sys != NULL;
}

static void end(struct job *j, enum nt_plan_phase phase)
{
	struct nt_plan_view *v = &j->app->plan;

	pthread_mutex_lock(&v->lock);
	v->phase = phase;
	if (j->rc && *j->err.msg) {
		snprintf(v->message, sizeof v->message, "%s", j->err.msg);
		nt_app_say(j->app, "%s", j->err.msg);
	}
	pthread_mutex_unlock(&v->lock);
	if (j->have_result)
		nt_change_result_free(&j->result);
	nt_lookout_ask(j->app);
	j->app->close_sys(j->sys);
	free(j->state_dir);
	free(j);
}

static void add_manager(void *arg, const char *line)
{
	struct job *j = arg;

	NT_GROW(j->managers, j->n_managers, j->cap_managers);
	j->managers[j->n_managers++] = nt_strdup(line);
}

static void run_check(void *arg)
{
	struct job *j = arg;

	if (!open_sys(j))
		return;
	j->rc = nt_plan_check(j->sys, &j->app->plan.plan, j->state_dir, &j->err);
	nt_managers(j->sys, &j->app->plan.plan, add_manager, j);
}

static void done_check(void *arg)
{
	struct job *j = arg;
	struct nt_plan_view *v = &j->app->plan;

	pthread_mutex_lock(&v->lock);
	copy_rows(j->app);
	free_remarks(v);
	free_managers(v);
	v->managers = j->managers;
	v->n_managers = j->n_managers;
	v->cap_managers = j->cap_managers;
	pthread_mutex_unlock(&v->lock);
	end(j, NT_PLAN_READY);
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
	start(app, NT_PLAN_CHECKING, run_check, done_check, 0);
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
	copy_rows(app);
}

/* ---- applying, keeping, undoing --------------------------------------------------- */

/* On the job thread, before and after each step. */
static void on_step(void *arg, const struct nt_step *st)
{
	struct job *j = arg;
	struct nt_plan_view *v = &j->app->plan;
	size_t i;

	pthread_mutex_lock(&v->lock);
	for (i = 0; i < v->n_rows; i++) {
		struct nt_plan_row *r = &v->rows[i];

		if (strcmp(r->tunable, st->tunable) != 0 ||
			strcmp(r->link, st->link) != 0)
			continue;
		r->outcome = st->outcome;
		set_note(r, st);
	}
	pthread_mutex_unlock(&v->lock);
	nt_workers_wake(j->app->workers);
}

static bool wants_stop(void *arg)
{
	const struct job *j = arg;

	return atomic_load(&j->app->plan.stop);
}

static void run_apply(void *arg)
{
	struct job *j = arg;
	struct nt_plan_view *v = &j->app->plan;
	struct nt_apply_opts opts = {
		.state_dir = j->state_dir,
		.confirm_s = v->confirm_s,
		.stop = wants_stop,
		.step = on_step,
		.arg = j,
	};

	if (!open_sys(j))
		return;
	j->rc = nt_apply(j->sys, &v->plan, &opts, &j->result, &j->err);
	j->have_result = true;
	pthread_mutex_lock(&v->lock);
	v->deadline_ms = nt_boot_ms() + v->confirm_s * INT64_C(1000);
	pthread_mutex_unlock(&v->lock);
}

static void done_apply(void *arg)
{
	struct job *j = arg;
	struct nt_app *app = j->app;
	struct nt_plan_view *v = &app->plan;

	enum nt_plan_phase phase = j->rc	   ? NT_PLAN_FAILED
				   : !j->result.id ? NT_PLAN_SAME
				   : v->confirm_s  ? NT_PLAN_PENDING
						   : NT_PLAN_KEPT;

	pthread_mutex_lock(&v->lock);
	if (j->have_result) {
		v->id = j->result.id;
		v->n_left = j->result.n_left;
		take_remarks(v, &j->result);
	}
	refresh_rows(v);
	pthread_mutex_unlock(&v->lock);
	v->ticket = nt_workers_judge(app->workers, app->goal);
	end(j, phase);
}

/* What the link, or the host, lost before: to be compared with what it loses then. */
static void note_losses(struct nt_app *app)
{
	const struct nt_model *m = &app->model;
	size_t i;

	for (i = 0; i < app->plan.n_rows; i++) {
		struct nt_plan_row *r = &app->plan.rows[i];
		const struct nt_link_row *l = nt_model_row(m, r->link);

		if (*r->link)
			r->before_drops = l && l->have_rates ? l->drops_ps : -1;
		else
			r->before_drops = m->softnet_drops_ps;
		r->before_retrans = m->retrans_pct;
	}
}

void nt_plan_view_apply(struct nt_app *app)
{
	struct nt_plan_view *v = &app->plan;

	if (v->phase != NT_PLAN_READY || !v->have_plan)
		return;
	if (!app->can_change) {
		nt_app_say(app,
			"needs root: quit and start with sudo; the plan stays the same");
		return;
	}
	if (!nt_plan_selected(&v->plan)) {
		nt_app_say(app, "nothing is selected");
		return;
	}
	if (v->ssh_risk && !v->confirm_s)
		v->confirm_s = 60;
	note_losses(app);
	start(app, NT_PLAN_APPLYING, run_apply, done_apply, 0);
}

static void run_keep(void *arg)
{
	struct job *j = arg;

	if (open_sys(j))
		j->rc = nt_keep(j->sys, j->state_dir, &j->id, &j->err);
}

static void done_keep(void *arg)
{
	struct job *j = arg;

	if (!j->rc)
		nt_app_say(j->app, "change set %u is kept", j->id);
	end(j, !j->rc && j->before == NT_PLAN_PENDING ? NT_PLAN_KEPT : j->before);
}

void nt_plan_view_keep(struct nt_app *app)
{
	if (nt_plan_view_busy(&app->plan))
		nt_app_say(app, "something else is running: wait for it");
	else if (app->plan.phase != NT_PLAN_PENDING && !app->lookout.pending_id)
		nt_app_say(app, "no change set waits to be kept");
	else if (!app->can_change)
		nt_app_say(app, "needs root: quit and start with sudo");
	else
		start(app, NT_PLAN_KEEPING, run_keep, done_keep, 0);
}

/* Below lock: the steps that had been done are no more. */
static void rows_undone(struct nt_plan_view *v)
{
	size_t i;

	for (i = 0; i < v->n_rows; i++)
		if (v->rows[i].outcome == NT_OUT_DONE ||
			v->rows[i].outcome == NT_OUT_CLAMPED)
			v->rows[i].outcome = NT_OUT_UNDONE;
}

void nt_plan_view_seen(struct nt_app *app, const struct nt_history_item *it)
{
	struct nt_plan_view *v = &app->plan;
	enum nt_plan_phase phase = v->phase;

	if (phase != NT_PLAN_PENDING || it->id != v->id)
		return;
	pthread_mutex_lock(&v->lock);
	if (it->status == NT_SET_PENDING) {
		v->deadline_ms = nt_boot_ms() + (int64_t)(1000 * it->confirm_s);
	} else if (it->status == NT_SET_KEPT) {
		v->phase = NT_PLAN_KEPT;
		nt_app_say(app, "kept by another nettune");
	} else if (it->status == NT_SET_UNDONE || it->status == NT_SET_PARTLY) {
		v->phase = it->status == NT_SET_UNDONE ? NT_PLAN_UNDONE : NT_PLAN_PARTLY;
		rows_undone(v);
		nt_app_say(
			app, v->phase == NT_PLAN_UNDONE
				     ? "not kept: undone, every value is as before"
				     : "not kept: undone in part, see nettune --history");
	}
	pthread_mutex_unlock(&v->lock);
	if (v->phase != phase)
		v->ticket = nt_workers_judge(app->workers, app->goal);
}

static void run_undo(void *arg)
{
	struct job *j = arg;

	if (!open_sys(j))
		return;
	j->rc = nt_rollback(j->sys, j->state_dir, j->id, &j->result, &j->err);
	j->have_result = true;
}

static void done_undo(void *arg)
{
	struct job *j = arg;
	struct nt_app *app = j->app;
	struct nt_plan_view *v = &app->plan;
	bool own = j->id == v->id, partly = j->rc == -EUCLEAN;

	pthread_mutex_lock(&v->lock);
	if (j->have_result && own && (!j->rc || partly)) {
		v->n_left = j->result.n_left;
		free_remarks(v);
		take_remarks(v, &j->result);
		rows_undone(v);
	}
	pthread_mutex_unlock(&v->lock);
	if (!j->rc)
		nt_app_say(app, "change set %u undone: every value is as before", j->id);
	v->ticket = nt_workers_judge(app->workers, app->goal);
	/* where nothing was undone, what was applied still is */
	end(j, !own	 ? j->before
		: !j->rc ? NT_PLAN_UNDONE
		: partly ? NT_PLAN_PARTLY
			 : j->before);
}

void nt_plan_view_undo(struct nt_app *app, unsigned id)
{
	if (nt_plan_view_busy(&app->plan)) {
		nt_app_say(app, "something else is running: wait for it");
		return;
	}
	if (!app->can_change) {
		nt_app_say(app, "needs root: quit and start with sudo");
		return;
	}
	start(app, NT_PLAN_UNDOING, run_undo, done_undo, id ? id : app->plan.id);
}
