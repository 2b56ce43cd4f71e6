/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lookout.h"

#include <stdlib.h>

#include "app.h"
#include "nettune/clock.h"
#include "nettune/mem.h"
#include "nettune/places.h"
#include "plan_change.h"
#include "workers.h"

#define PENDING_MS 2000 /* another nettune may keep or undo what waits */
#define OVERDUE_MS 300	/* the guardian is at work */

struct look {
	struct nt_app *app;
	struct nt_history history;
	bool ok;
};

static void run_look(void *arg)
{
	struct look *l = arg;
	char *dir = nt_place_state();
	struct nt_err err;
	struct nt_sys *s = l->app->open_sys(&err);

	l->ok = s && nt_history_load(s, dir, &l->history, &err) == 0;
	l->app->close_sys(s);
	free(dir);
}

static void done_look(void *arg)
{
	struct look *l = arg;
	struct nt_app *app = l->app;
	struct nt_lookout *w = &app->lookout;
	int64_t now = nt_boot_ms();
	unsigned open = 0;
	size_t i;

	w->running = false;
	w->looked++;
	w->pending_id = 0;
	for (i = 0; l->ok && i < l->history.n; i++) {
		const struct nt_history_item *it = &l->history.v[i];

		if (it->here && it->status == NT_SET_PENDING && !w->pending_id) {
			w->pending_id = it->id;
			w->deadline_ms = now + (int64_t)(1000 * it->confirm_s);
		}
		if (it->here && it->status == NT_SET_OPEN && !open)
			open = it->id;
		nt_plan_view_seen(app, it);
	}
	/* one that is being applied is open too: not until it has ended */
	w->open_id = nt_plan_view_busy(&app->plan) ? 0 : open;
	if (w->open_id && !w->told) {
		nt_app_say(app,
			"change set %u was left unfinished: h shows it, there U puts "
			"everything back",
			w->open_id);
		w->told = true;
	}
	w->due_ms = !w->pending_id	   ? 0
		    : w->deadline_ms > now ? now + PENDING_MS
					   : now + OVERDUE_MS;
	if (l->ok)
		nt_history_free(&l->history);
	free(l);
}

void nt_lookout_ask(struct nt_app *app)
{
	struct nt_lookout *w = &app->lookout;
	struct look *l;

	w->asked = w->running;
	if (w->running)
		return;
	l = nt_calloc(1, sizeof *l);
	l->app = app;
	w->running = nt_workers_job(
			     app->workers, NT_LANE_LOOKOUT, run_look, done_look, l) == 0;
	w->asked = !w->running;
	if (!w->running)
		free(l);
}

void nt_lookout_tick(struct nt_app *app)
{
	struct nt_lookout *w = &app->lookout;

	if (w->asked || (w->due_ms && nt_boot_ms() >= w->due_ms) ||
		(w->pending_id && nt_boot_ms() >= w->deadline_ms && !w->running))
		nt_lookout_ask(app);
}

double nt_lookout_left(const struct nt_lookout *w)
{
	int64_t now = nt_boot_ms();

	if (!w->pending_id)
		return -1;
	return w->deadline_ms > now ? (double)(w->deadline_ms - now) / 1000 : 0;
}
