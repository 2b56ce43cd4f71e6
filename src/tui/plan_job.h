/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan's jobs: each runs on the job thread with a nt_sys of its own, in a phase of
 * the plan, and ends on the screen thread in another one. For the files plan_*.c.
 */
#ifndef TUI_PLAN_JOB_H
#define TUI_PLAN_JOB_H

#include <stdbool.h>
#include <stddef.h>

#include "nettune/err.h"
#include "plan_view.h"

struct nt_app;
struct nt_sys;

struct nt_plan_job {
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

/*
 * Run run(job), then done(job) on the screen thread, in that phase; says when another one
 * runs. id is of the change set that it is about, or 0.
 */
void nt_plan_job_start(struct nt_app *app, enum nt_plan_phase phase, void (*run)(void *),
	void (*done)(void *), unsigned id);
/* On the job thread: open job->sys; false with rc and err. */
bool nt_plan_job_open(struct nt_plan_job *j);
/* The last thing that done() does: go on to the phase, say what failed, free the job. */
void nt_plan_job_end(struct nt_plan_job *j, enum nt_plan_phase phase);

#endif
