/* SPDX-License-Identifier: GPL-2.0-or-later */
/* History: change sets, newest first; what they did, and undoing one. */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "app.h"
#include "list.h"
#include "plan_change.h"
#include "workers.h"
#include "wrap.h"
#include "nettune/clock.h"
#include "nettune/mem.h"
#include "nettune/names.h"
#include "nettune/places.h"
#include "nettune/plan.h"

/* Read on the job thread; the screen may be closed meanwhile. */
struct load {
	struct history *of; /* NULL once the screen is closed */
	struct nt_app *app;
	struct nt_history history;
	int rc;
	struct nt_err err;
};

struct history {
	struct nt_list list;
	struct load *loading;
	struct nt_history history;
	bool loaded;
	int64_t loaded_ms;    /* the guardian's clock */
	int scroll;	      /* of the steps below */
	unsigned long looked; /* at the journal, when it was loaded */
	unsigned id;	      /* of the set under the cursor: others come above it */
	char error[400];
};

static void run_load(void *arg)
{
	struct load *l = arg;
	struct nt_sys *s = l->app->open_sys(&l->err);
	char *dir = nt_place_state();

	l->rc = s ? nt_history_load(s, dir, &l->history, &l->err) : l->err.code;
	l->app->close_sys(s);
	free(dir);
}

/* The list was read anew: the cursor stays on its set. */
static void find_cursor(struct history *h)
{
	size_t i;

	for (i = 0; i < h->history.n; i++)
		if (h->history.v[i].id == h->id)
			h->list.cursor = (int)i;
}

static void remember(struct history *h)
{
	if (h->list.cursor < (int)h->history.n)
		h->id = h->history.v[h->list.cursor].id;
}

static void done_load(void *arg)
{
	struct load *l = arg;
	struct history *h = l->of;

	if (h) {
		h->loading = NULL;
		nt_history_free(&h->history);
		h->history = l->history;
		find_cursor(h);
		h->loaded = true;
		h->loaded_ms = nt_boot_ms();
		snprintf(h->error, sizeof h->error, "%s", l->rc ? l->err.msg : "");
	} else {
		nt_history_free(&l->history);
	}
	free(l);
}

static void load(struct nt_app *app, struct history *h)
{
	struct load *l;

	if (h->loading)
		return;
	l = nt_calloc(1, sizeof *l);
	l->of = h;
	l->app = app;
	h->looked = app->lookout.looked;
	if (nt_workers_job(app->workers, NT_LANE_HISTORY, run_load, done_load, l) != 0)
		free(l); /* tried again at the next drawing */
	else
		h->loading = l;
}

static void *open_history(struct nt_app *app, const void *arg)
{
	struct history *h = nt_calloc(1, sizeof *h);

	(void)arg;
	load(app, h);
	return h;
}

static void close_history(void *state)
{
	struct history *h = state;

	if (h->loading)
		h->loading->of = NULL;
	nt_history_free(&h->history);
	free(h);
}

/* A narrow terminal shows neither year nor seconds. */
static int state_column(void)
{
	return nt_term_cols() < 60 ? 20 : 29;
}

static void item_line(
	const struct history *h, const struct nt_history_item *it, int row, bool cursor)
{
	double left = it->confirm_s - (double)(nt_boot_ms() - h->loaded_ms) / 1000;
	char when[32] = "?", what[64];
	time_t t = (time_t)it->time;
	int state = state_column();
	struct tm tm;

	if (localtime_r(&t, &tm))
		strftime(when, sizeof when,
			state > 20 ? "%Y-%m-%d %H:%M:%S" : "%m-%d %H:%M", &tm);
	if (it->status == NT_SET_PENDING && left > 0)
		snprintf(what, sizeof what, "undone in %.0f s", left);
	else if (it->status == NT_SET_PENDING)
		snprintf(what, sizeof what, "being undone ...");
	else
		snprintf(what, sizeof what, "%s",
			nt_name_of(nt_set_status_names, it->status));
	nt_term_put(row, 0, 1, NT_ROLE_TEXT, cursor ? ">" : " ");
	nt_term_putf(row, 2, 5, NT_ROLE_STRONG, "%u", it->id);
	nt_term_put(row, 8, state - 9, NT_ROLE_TEXT, when);
	nt_term_put(row, state, 18,
		it->status == NT_SET_OPEN || it->status == NT_SET_PENDING ||
				it->status == NT_SET_PARTLY
			? NT_ROLE_WARNING
			: NT_ROLE_TEXT,
		what);
	if (it->fault)
		nt_term_put(row, state + 19, -1, NT_ROLE_PROBLEM, it->fault);
	else
		nt_term_putf(row, state + 19, -1, NT_ROLE_TEXT, "%zu change%s%s", it->n_steps,
			it->n_steps == 1 ? "" : "s",
			it->here ? "" : "  (another namespace)");
	if (cursor)
		nt_term_line_role(row, NT_ROLE_SELECTED);
}

static void step_lines(
	struct history *h, const struct nt_history_item *it, int row, int height)
{
	struct nt_lines l = { 0 };
	size_t i;

	for (i = 0; i < it->n_steps; i++) {
		const struct nt_history_step *st = &it->steps[i];

		nt_lines_addf(&l, nt_term_cols() - 3, NT_ROLE_TEXT, NULL,
			"%s%s%s  %s %s %s%s%s  (%s)", st->link, *st->link ? " " : "",
			st->tunable, st->from, nt_term_pick("→", "->"), st->to,
			!st->got		       ? "  never done"
			: strcmp(st->got, st->to) != 0 ? "  the driver took "
						       : "",
			st->got && strcmp(st->got, st->to) != 0 ? st->got : "", st->rule);
	}
	nt_lines_page(&l, &h->scroll, row, height, 1);
	nt_lines_clear(&l);
}

static void draw_history(struct nt_app *app, void *state)
{
	struct history *h = state;
	int rows = nt_term_rows(), n = (int)h->history.n, height = (rows - 5) / 2, i;

	if (!h->loaded || h->looked != app->lookout.looked)
		load(app, h);
	nt_term_put(1, 2, -1, NT_ROLE_HEAD, "ID    WHEN");
	nt_term_put(1, state_column(), -1, NT_ROLE_HEAD, "STATE              WHAT");
	if (*h->error)
		nt_term_put(2, 2, -1, NT_ROLE_PROBLEM, h->error);
	else if (!h->loaded)
		nt_term_put(2, 2, -1, NT_ROLE_DIM, "reading the journal ...");
	else if (n == 0)
		nt_term_put(2, 2, -1, NT_ROLE_DIM, "nothing has been changed by nettune");
	if (n == 0)
		return;
	nt_list_fit(&h->list, n, 2, height);
	remember(h);
	for (i = 0; i < height && h->list.top + i < n; i++)
		item_line(h, &h->history.v[h->list.top + i], 2 + i,
			h->list.top + i == h->list.cursor);
	nt_list_position(&h->list, n, 2 + height);
	nt_term_rule(2 + height);
	step_lines(h, &h->history.v[h->list.cursor], 3 + height, rows - 5 - height);
}

static void undo(struct nt_app *app, struct history *h)
{
	const struct nt_history_item *it;

	if (h->list.cursor >= (int)h->history.n)
		return;
	it = &h->history.v[h->list.cursor];
	if (it->status == NT_SET_UNDONE || it->status == NT_SET_GONE)
		nt_app_say(app, it->status == NT_SET_GONE
					? "gone with the reboot: nothing to undo"
					: "it is undone already");
	else
		nt_plan_view_undo(app, it->id);
}

static bool key_history(struct nt_app *app, void *state, struct nt_key k)
{
	struct history *h = state;

	if (nt_list_key(&h->list, (int)h->history.n, k, NULL)) {
		h->scroll = 0;
		remember(h);
		return true;
	}
	switch (k.code) {
	case NT_K_LEFT:
		h->scroll--;
		return true;
	case NT_K_RIGHT:
		h->scroll++;
		return true;
	case 'U':
		undo(app, h);
		return true;
	case 'K':
		nt_plan_view_keep(app);
		return true;
	case NT_K_ENTER:
		return true; /* what it did stands below already */
	case 'r':
		nt_lookout_ask(app);
		return true;
	default:
		return false;
	}
}

static void title_history(struct nt_app *app, void *state, char *ret, size_t size)
{
	(void)app;
	snprintf(ret, size, "%zu", ((struct history *)state)->history.n);
}

static bool offers_history(
	struct nt_app *app, void *state, int code, char *label, size_t size)
{
	const struct history *h = state;
	const struct nt_history_item *it = h->list.cursor < (int)h->history.n
						   ? &h->history.v[h->list.cursor]
						   : NULL;
	bool busy = nt_plan_view_busy(&app->plan);

	switch (code) {
	case 'U':
		if (it && it->status == NT_SET_PENDING)
			snprintf(label, size, "undo now");
		return it && it->here && !busy && it->status != NT_SET_UNDONE &&
		       it->status != NT_SET_GONE;
	case 'K':
		return !busy &&
		       (app->plan.phase == NT_PLAN_PENDING || app->lookout.pending_id);
	default:
		return true;
	}
}

static const struct nt_key_help keys[] = {
	{ 'K', "keep", "keep the change set that waits for it" },
	{ 'U', "undo", "undo this change set; what somebody else changed since is left" },
	{ 'r', "reload", "read the journal anew" },
	{ NT_K_LEFT, NULL, "scroll the steps up" },
	{ NT_K_RIGHT, NULL, "scroll the steps down" },
	{ 0 },
};

const struct nt_screen_ops nt_screen_history = {
	.name = "History",
	.keys = keys,
	.open = open_history,
	.draw = draw_history,
	.key = key_history,
	.close = close_history,
	.title = title_history,
	.offers = offers_history,
};
