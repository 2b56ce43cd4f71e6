/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan as the screens see it. Jobs (plan_make.c, plan_change.c) write it below lock
 * on their thread, the screen thread draws below lock. No terminal here.
 */
#ifndef TUI_PLAN_VIEW_H
#define TUI_PLAN_VIEW_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "nettune/plan.h"

struct nt_app;

enum nt_plan_phase {
	NT_PLAN_NONE,
	NT_PLAN_CHECKING,
	NT_PLAN_READY, /* nothing has been changed yet */
	NT_PLAN_APPLYING,
	NT_PLAN_PENDING, /* applied; undone at deadline unless kept */
	NT_PLAN_KEPT,	 /* applied, in force */
	NT_PLAN_KEEPING,
	NT_PLAN_UNDOING,
	NT_PLAN_UNDONE,
	NT_PLAN_FAILED, /* a step failed: undone, n_left values but */
	NT_PLAN_PARTLY, /* undone, n_left values but */
	NT_PLAN_SAME,	/* every value was there already: nothing was changed */
};

struct nt_plan_row {
	char *tunable, *link, *from, *to, *rule, *command;
	char *note; /* why left out, the driver's answer, or NULL */
	enum nt_risk risk;
	bool selected;
	bool ssh; /* the caller's ssh session runs over its link */
	/* of its link, or of the host, when it was applied; negative: unknown */
	double before_drops, before_retrans;
	enum nt_outcome outcome;
};

struct nt_plan_view {
	pthread_mutex_t lock;
	enum nt_plan_phase phase;
	struct nt_plan_row *rows;
	size_t n_rows;
	char message[400];    /* of the last job that failed, "" none */
	unsigned id;	      /* of the change set */
	unsigned n_left;      /* values that an undo could not put back */
	unsigned confirm_s;   /* the timer as chosen; 0 off */
	int64_t deadline_ms;  /* CLOCK_BOOTTIME; PENDING */
	bool ssh_risk;	      /* a selected step can cut the caller's ssh session */
	unsigned long ticket; /* the next plan needs a judgement read after this */
	unsigned made;	      /* counts the plans: what is applied must have been drawn */
	atomic_bool stop;     /* asks an apply to stop and undo */
	/* lines to show: who else writes these values; what moved, what an undo left */
	char **managers, **remarks;
	size_t n_managers, cap_managers, n_remarks, cap_remarks;
	struct nt_plan plan; /* the job's, or the screen's while no job runs */
	bool have_plan;
};

void nt_plan_view_init(struct nt_plan_view *v);
void nt_plan_view_free(struct nt_plan_view *v);

/* Whether a job runs: then the plan must be left alone. */
bool nt_plan_view_busy(struct nt_plan_view *v);
/* Seconds until the guardian undoes; negative when none waits. */
double nt_plan_view_left(const struct nt_plan_view *v);

/* ---- for the plan's jobs; all below lock ---- */

/* Make the rows anew from the plan, while no job runs. */
void nt_plan_rows_copy(struct nt_app *app);
/* When an apply has ended: the rows are the plan's steps in the same order. */
void nt_plan_rows_refresh(struct nt_plan_view *v);
/* The steps that had been done are no more. */
void nt_plan_rows_undone(struct nt_plan_view *v);
/* Note why a step was left out, or how the driver answered. */
void nt_plan_row_note(struct nt_plan_row *r, const struct nt_step *st);
/* Add what an apply or an undo did besides the steps. */
void nt_plan_remarks_take(struct nt_plan_view *v, const struct nt_change_result *r);
void nt_plan_remarks_free(struct nt_plan_view *v);
/* Take over the lines about other managers, in the place of those before. */
void nt_plan_managers_take(struct nt_plan_view *v, char **lines, size_t n, size_t cap);

#endif
