/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "plan_job.h"

#include <stdio.h>
#include <stdlib.h>

#include "app.h"
#include "nettune/mem.h"
#include "nettune/places.h"
#include "workers.h"

void nt_plan_job_start(struct nt_app *app, enum nt_plan_phase phase, void (*run)(void *),
	void (*done)(void *), unsigned id)
{
	struct nt_plan_job *j = nt_calloc(1, sizeof *j);
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

bool nt_plan_job_open(struct nt_plan_job *j)
{
	j->sys = j->app->open_sys(&j->err);
	if (!j->sys)
		j->rc = j->err.code;
	return j->sys != NULL;
}

void nt_plan_job_end(struct nt_plan_job *j, enum nt_plan_phase phase)
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
