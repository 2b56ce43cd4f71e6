/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "plan_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "nettune/buf.h"
#include "nettune/clock.h"
#include "nettune/mem.h"
#include "nettune/names.h"
#include "nettune/tunable.h"

static void free_texts(char ***v, size_t *n, size_t *cap)
{
	size_t i;

	for (i = 0; i < *n; i++)
		free((*v)[i]);
	free(*v);
	*v = NULL;
	*n = *cap = 0;
}

void nt_plan_remarks_free(struct nt_plan_view *v)
{
	free_texts(&v->remarks, &v->n_remarks, &v->cap_remarks);
}

void nt_plan_managers_take(struct nt_plan_view *v, char **lines, size_t n, size_t cap)
{
	free_texts(&v->managers, &v->n_managers, &v->cap_managers);
	v->managers = lines;
	v->n_managers = n;
	v->cap_managers = cap;
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
	nt_plan_remarks_free(v);
	nt_plan_managers_take(v, NULL, 0, 0);
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

void nt_plan_row_note(struct nt_plan_row *r, const struct nt_step *st)
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

void nt_plan_rows_copy(struct nt_app *app)
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
		nt_plan_row_note(&v->rows[i], st);
		v->ssh_risk |= st->selected && v->rows[i].ssh;
	}
}

void nt_plan_rows_refresh(struct nt_plan_view *v)
{
	size_t i;

	for (i = 0; i < v->n_rows && i < v->plan.n; i++) {
		v->rows[i].selected = v->plan.v[i].selected;
		v->rows[i].outcome = v->plan.v[i].outcome;
		nt_plan_row_note(&v->rows[i], &v->plan.v[i]);
	}
}

void nt_plan_remarks_take(struct nt_plan_view *v, const struct nt_change_result *r)
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

void nt_plan_rows_undone(struct nt_plan_view *v)
{
	size_t i;

	for (i = 0; i < v->n_rows; i++)
		if (v->rows[i].outcome == NT_OUT_DONE ||
			v->rows[i].outcome == NT_OUT_CLAMPED)
			v->rows[i].outcome = NT_OUT_UNDONE;
}
