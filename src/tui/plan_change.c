/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What changes the host: applying the plan, keeping and undoing a change set. */
#include "config.h"

#include "plan_change.h"

#include <errno.h>
#include <string.h>

#include "app.h"
#include "nettune/clock.h"
#include "plan_job.h"
#include "workers.h"

/* On the job thread, before and after each step. */
static void on_step(void *arg, const struct nt_step *st)
{
	struct nt_plan_job *j = arg;
	struct nt_plan_view *v = &j->app->plan;
	size_t i;

	pthread_mutex_lock(&v->lock);
	for (i = 0; i < v->n_rows; i++) {
		struct nt_plan_row *r = &v->rows[i];

		if (strcmp(r->tunable, st->tunable) != 0 ||
			strcmp(r->link, st->link) != 0)
			continue;
		r->outcome = st->outcome;
		nt_plan_row_note(r, st);
	}
	pthread_mutex_unlock(&v->lock);
	nt_workers_wake(j->app->workers);
}

static bool wants_stop(void *arg)
{
	const struct nt_plan_job *j = arg;

	return atomic_load(&j->app->plan.stop);
}

static void run_apply(void *arg)
{
	struct nt_plan_job *j = arg;
	struct nt_plan_view *v = &j->app->plan;
	struct nt_apply_opts opts = {
		.state_dir = j->state_dir,
		.confirm_s = v->confirm_s,
		.stop = wants_stop,
		.step = on_step,
		.arg = j,
	};

	if (!nt_plan_job_open(j))
		return;
	j->rc = nt_apply(j->sys, &v->plan, &opts, &j->result, &j->err);
	j->have_result = true;
	pthread_mutex_lock(&v->lock);
	v->deadline_ms = nt_boot_ms() + v->confirm_s * INT64_C(1000);
	pthread_mutex_unlock(&v->lock);
}

static void done_apply(void *arg)
{
	struct nt_plan_job *j = arg;
	struct nt_app *app = j->app;
	struct nt_plan_view *v = &app->plan;
	enum nt_plan_phase phase = j->rc	   ? NT_PLAN_FAILED
				   : !j->result.id ? NT_PLAN_SAME
				   : v->confirm_s  ? NT_PLAN_PENDING
						   : NT_PLAN_KEPT;
	bool stopped = j->rc == -EINTR && j->have_result && !j->result.n_left;

	pthread_mutex_lock(&v->lock);
	if (j->have_result) {
		v->id = j->result.id;
		v->n_left = j->result.n_left;
		nt_plan_remarks_take(v, &j->result);
	}
	nt_plan_rows_refresh(v);
	pthread_mutex_unlock(&v->lock);
	v->ticket = nt_workers_judge(app->workers, app->goal);
	nt_plan_job_end(j, phase);
	if (stopped)
		nt_app_say(app, "stopped and undone: everything is as before");
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
			"needs root: start nettune with sudo, or w writes this plan for "
			"sudo nettune --apply --plan FILE");
		return;
	}
	if (!nt_plan_selected(&v->plan)) {
		nt_app_say(app, "nothing is selected");
		return;
	}
	if (app->lookout.pending_id) {
		nt_app_say(app, "change set %u still waits: K keeps it, U in the history "
				"(h) undoes it", app->lookout.pending_id);
		return;
	}
	if (v->ssh_risk && !v->confirm_s)
		v->confirm_s = 60;
	note_losses(app);
	nt_plan_job_start(app, NT_PLAN_APPLYING, run_apply, done_apply, 0);
}

static void run_keep(void *arg)
{
	struct nt_plan_job *j = arg;

	if (nt_plan_job_open(j))
		j->rc = nt_keep(j->sys, j->state_dir, &j->id, &j->err);
}

static void done_keep(void *arg)
{
	struct nt_plan_job *j = arg;

	if (!j->rc)
		nt_app_say(j->app, "change set %u is kept", j->id);
	nt_plan_job_end(
		j, !j->rc && j->before == NT_PLAN_PENDING ? NT_PLAN_KEPT : j->before);
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
		nt_plan_job_start(app, NT_PLAN_KEEPING, run_keep, done_keep, 0);
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
		nt_plan_rows_undone(v);
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
	struct nt_plan_job *j = arg;

	if (!nt_plan_job_open(j))
		return;
	j->rc = nt_rollback(j->sys, j->state_dir, j->id, &j->result, &j->err);
	j->have_result = true;
}

static void done_undo(void *arg)
{
	struct nt_plan_job *j = arg;
	struct nt_app *app = j->app;
	struct nt_plan_view *v = &app->plan;
	bool own = j->id == v->id, partly = j->rc == -EUCLEAN;

	pthread_mutex_lock(&v->lock);
	if (j->have_result && own && (!j->rc || partly)) {
		v->n_left = j->result.n_left;
		nt_plan_remarks_free(v);
		nt_plan_remarks_take(v, &j->result);
		nt_plan_rows_undone(v);
	}
	pthread_mutex_unlock(&v->lock);
	if (!j->rc)
		nt_app_say(app, "change set %u undone: every value is as before", j->id);
	v->ticket = nt_workers_judge(app->workers, app->goal);
	/* where nothing was undone, what was applied still is */
	nt_plan_job_end(j, !own	    ? j->before
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
	nt_plan_job_start(
		app, NT_PLAN_UNDOING, run_undo, done_undo, id ? id : app->plan.id);
}
