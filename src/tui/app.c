/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "app.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "key_line.h"
#include "nettune/cells.h"
#include "nettune/mem.h"
#include "nettune/names.h"
#include "nettune/tui.h"
#include "workers.h"
#include "wrap.h"

#define MIN_ROWS 8
#define MIN_COLS 32
#define JUDGE_EVERY_S 60
#define LEAVE_MS 10000

enum nt_role nt_severity_role(enum nt_severity sev)
{
	static const enum nt_role roles[_NT_SEV_MAX] = {
		[NT_SEV_GOOD] = NT_ROLE_GOOD,
		[NT_SEV_ADVICE] = NT_ROLE_ADVICE,
		[NT_SEV_WARNING] = NT_ROLE_WARNING,
		[NT_SEV_PROBLEM] = NT_ROLE_PROBLEM,
	};

	return roles[sev];
}

const char *nt_severity_sign(enum nt_severity sev)
{
	static const char *const utf8[_NT_SEV_MAX] = { "✓", "◌", "◐", "●" };
	static const char *const ascii[_NT_SEV_MAX] = { "+", "o", "!", "#" };

	return nt_term_utf8() ? utf8[sev] : ascii[sev];
}

const char *nt_severity_word(enum nt_severity sev)
{
	static const char *const words[_NT_SEV_MAX] = { "GOOD", "ADVICE", "WARNING",
		"PROBLEM" };

	return words[sev];
}

/* ---- screens --------------------------------------------------------------------- */

static struct nt_stacked *top(struct nt_app *app)
{
	return &app->stack[app->depth - 1];
}

void nt_app_push(struct nt_app *app, const struct nt_screen_ops *ops, const void *arg)
{
	if (app->depth == (int)NT_ARRAY_SIZE(app->stack)) {
		/* the oldest but the first screen gives way: nobody goes back that far */
		app->stack[1].ops->close(app->stack[1].state);
		app->depth--;
		memmove(&app->stack[1], &app->stack[2],
			(size_t)(app->depth - 1) * sizeof *app->stack);
	}
	app->stack[app->depth].ops = ops;
	app->stack[app->depth].state = ops->open(app, arg);
	app->depth++;
}

void nt_app_pop(struct nt_app *app)
{
	if (app->depth < 2)
		return;
	top(app)->ops->close(top(app)->state);
	app->depth--;
}

void nt_app_say(struct nt_app *app, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(app->message, sizeof app->message, fmt, ap);
	va_end(ap);
}

static size_t find_mark(const struct nt_app *app, const char *rule, const char *link)
{
	char *want = nt_asprintf("%s %s", rule, link);
	size_t i;

	for (i = 0; i < app->n_marks && strcmp(app->marks[i], want) != 0; i++)
		continue;
	free(want);
	return i;
}

bool nt_app_marked(const struct nt_app *app, const char *rule, const char *link)
{
	return find_mark(app, rule, link) < app->n_marks;
}

void nt_app_mark(struct nt_app *app, const char *rule, const char *link, bool on)
{
	size_t i = find_mark(app, rule, link);

	if (on && i == app->n_marks) {
		NT_GROW(app->marks, app->n_marks, app->cap_marks);
		app->marks[app->n_marks++] = nt_asprintf("%s %s", rule, link);
	} else if (!on && i < app->n_marks) {
		free(app->marks[i]);
		app->marks[i] = app->marks[--app->n_marks];
	}
}

static size_t find_edit(const struct nt_app *app, const char *tunable, const char *link)
{
	size_t i;

	for (i = 0; i < app->n_edits; i++)
		if (strcmp(app->edits[i].tunable, tunable) == 0 &&
			strcmp(app->edits[i].link, link) == 0)
			break;
	return i;
}

const char *nt_app_edited(const struct nt_app *app, const char *tunable, const char *link)
{
	size_t i = find_edit(app, tunable, link);

	return i < app->n_edits ? app->edits[i].value : NULL;
}

static void free_edit(struct nt_edit *e)
{
	free(e->tunable);
	free(e->link);
	free(e->value);
}

void nt_app_edit(
	struct nt_app *app, const char *tunable, const char *link, const char *value)
{
	size_t i = find_edit(app, tunable, link);

	if (i < app->n_edits) {
		free_edit(&app->edits[i]);
		app->edits[i] = app->edits[--app->n_edits];
	}
	if (!value)
		return;
	NT_GROW(app->edits, app->n_edits, app->cap_edits);
	app->edits[app->n_edits++] =
		(struct nt_edit){ nt_strdup(tunable), nt_strdup(link), nt_strdup(value) };
}

/* ---- drawing --------------------------------------------------------------------- */

static bool too_small(void)
{
	return nt_term_rows() < MIN_ROWS || nt_term_cols() < MIN_COLS;
}

/*
 * What waits to be kept is said on every screen: the guardian does not wait for the user.
 * "" when nothing waits.
 */
static void waiting_text(struct nt_app *app, char *ret, size_t size)
{
	double left = nt_plan_view_left(&app->plan);
	bool keys_here =
		top(app)->ops == &nt_screen_plan || top(app)->ops == &nt_screen_history;

	if (left < 0 && !nt_plan_view_busy(&app->plan))
		left = nt_lookout_left(&app->lookout);
	*ret = '\0';
	if (!too_small() && top(app)->ops == &nt_screen_plan &&
		app->plan.phase == NT_PLAN_PENDING)
		return; /* its own line has it */
	if (left < 0 && app->lookout.open_id)
		snprintf(ret, size, " change set %u unfinished%s ", app->lookout.open_id,
			nt_term_cols() > 60 && !keys_here ? ": h" : "");
	if (left < 0)
		return;
	snprintf(ret, size, " undone in %.0f s%s ", left,
		nt_term_cols() <= 60 ? ""
		: keys_here	     ? ": K keeps, U undoes"
				     : ": h, then K keeps");
}

/* What does not fit goes from the left: the screen's own name stays. */
static void title_text(
	struct nt_app *app, const char *extra, int width, char *ret, size_t size)
{
	const struct {
		const char *program, *host, *kernel;
	} tries[] = {
		{ "nettune  ", app->host, app->kernel },
		{ "nettune  ", app->host, "" },
		{ "nettune  ", "", "" },
		{ "", "", "" },
	};
	size_t i;

	for (i = nt_term_cols() < 100; i < NT_ARRAY_SIZE(tries); i++) {
		snprintf(ret, size, " %s%s%s%s%s%s  %s", tries[i].program, tries[i].host,
			*tries[i].host ? "  " : "", tries[i].kernel,
			*tries[i].kernel ? "  " : "", top(app)->ops->name, extra);
		if (nt_term_width(ret) <= width)
			return;
	}
}

static void draw_title(struct nt_app *app)
{
	const struct nt_stacked *t = top(app);
	char left[520], extra[160] = "", clock[16] = "", waits[64];
	time_t now = time(NULL);
	struct tm tm;
	int cols = nt_term_cols(), end = cols > 50 ? cols - 10 : cols;

	if (localtime_r(&now, &tm))
		strftime(clock, sizeof clock, "%H:%M:%S", &tm);
	if (t->ops->title)
		t->ops->title(app, t->state, extra, sizeof extra);
	waiting_text(app, waits, sizeof waits);
	nt_term_putf(0, 0, cols, NT_ROLE_TITLE, "%-*s", cols, "");
	if (cols > 50)
		nt_term_put(0, cols - 9, 9, NT_ROLE_TITLE, clock);
	end -= nt_term_width(waits);
	nt_term_put(0, end, -1, NT_ROLE_ALERT, waits);
	title_text(app, extra, end - 1, left, sizeof left);
	nt_term_put(0, 0, end - 1, NT_ROLE_TITLE, left);
}

/* Above the last line, in up to three lines: what is said must be readable to its end. */
static void draw_message(struct nt_app *app)
{
	struct nt_lines l = { 0 };
	int cols = nt_term_cols(), n, i;

	if (!*app->message)
		return;
	nt_lines_add(&l, cols - 2, NT_ROLE_STRONG, NULL, app->message);
	n = l.n > 3 ? 3 : (int)l.n;
	for (i = 0; i < n; i++)
		nt_term_putf(nt_term_rows() - 1 - n + i, 0, -1, NT_ROLE_STRONG, " %-*s",
			nt_field(l.v[i].text, cols - 1), l.v[i].text);
	nt_lines_clear(&l);
}

static void draw_too_small(struct nt_app *app)
{
	char waits[64];

	nt_term_putf(0, 0, -1, NT_ROLE_STRONG, "%dx%d is too small", nt_term_cols(),
		nt_term_rows());
	nt_term_putf(
		1, 0, -1, NT_ROLE_TEXT, "need %dx%d; q quits", MIN_COLS, MIN_ROWS);
	waiting_text(app, waits, sizeof waits);
	nt_term_put(2, 0, -1, NT_ROLE_ALERT, waits);
	nt_term_flush();
}

void nt_app_draw(struct nt_app *app)
{
	nt_term_erase();
	if (too_small()) {
		draw_too_small(app);
		return;
	}
	top(app)->ops->draw(app, top(app)->state);
	draw_title(app);
	nt_key_line_draw(app);
	draw_message(app);
	nt_term_flush();
}

/* ---- the loop -------------------------------------------------------------------- */

/* What is wrong with a reading is wrong with the next, too: said once. */
static void take_note(struct nt_app *app, char *note)
{
	if (!app->noted || strcmp(app->noted, note) != 0)
		nt_app_say(app, "%s", note);
	free(app->noted);
	app->noted = note;
}

void nt_app_news(struct nt_app *app)
{
	struct nt_news n = { 0 };

	while (nt_workers_next(app->workers, &n)) {
		if (n.sample)
			nt_model_sample(&app->model, n.sample);
		if (n.snapshot)
			nt_model_judged(&app->model, n.snapshot, n.findings, n.ticket);
		if (n.note)
			take_note(app, n.note);
		if (n.job_done)
			n.job_done(n.job_arg);
		memset(&n, 0, sizeof n);
	}
	nt_lookout_tick(app);
}

/* Keys that open a screen from everywhere. */
static const struct {
	int code;
	const struct nt_screen_ops *ops;
} openers[] = {
	{ 'f', &nt_screen_findings },
	{ 'a', &nt_screen_plan },
	{ 'h', &nt_screen_history },
	{ 'p', &nt_screen_probe },
	{ 'x', &nt_screen_patches },
};

/* Go back to the screen where it is open already, else open it. */
static void show(struct nt_app *app, const struct nt_screen_ops *ops)
{
	int i;

	for (i = 0; i < app->depth && app->stack[i].ops != ops; i++)
		continue;
	if (i == app->depth)
		nt_app_push(app, ops, NULL);
	while (app->depth > i + 1)
		nt_app_pop(app);
}

static bool open_by_key(struct nt_app *app, int code)
{
	size_t i;

	for (i = 0; i < NT_ARRAY_SIZE(openers) && openers[i].code != code; i++)
		continue;
	if (i < NT_ARRAY_SIZE(openers))
		show(app, openers[i].ops);
	return i < NT_ARRAY_SIZE(openers);
}

/* An apply that runs is stopped first, which undoes it; a second wish to quit leaves. */
static void wish_to_quit(struct nt_app *app)
{
	if (app->plan.phase == NT_PLAN_APPLYING && !atomic_load(&app->plan.stop)) {
		atomic_store(&app->plan.stop, true);
		nt_app_say(app, "still applying: stopped and undone; then q quits");
		return;
	}
	app->quit = true;
}

static void dispatch(struct nt_app *app, struct nt_key k)
{
	struct nt_stacked *t = top(app);

	if (k.code == NT_K_RESIZE)
		return;
	*app->message = '\0';
	if (too_small()) { /* what is not seen is not changed */
		if (k.code == 'q')
			wish_to_quit(app);
		return;
	}
	nt_key_line_click(app, &k);
	if (k.code == NT_K_NONE)
		return;
	if (t->ops->key(app, t->state, k) || open_by_key(app, k.code))
		return;
	switch (k.code) {
	case 'q':
	case NT_K_F1 + 9:
		if (app->depth > 1)
			nt_app_pop(app);
		else
			wish_to_quit(app);
		break;
	case NT_K_ESC:
	case NT_K_BACKSPACE:
		nt_app_pop(app);
		break;
	case '?':
	case NT_K_F1:
		if (t->ops != &nt_screen_help)
			nt_app_push(app, &nt_screen_help, t->ops);
		break;
	case 12: /* Ctrl-L, as everywhere */
		nt_term_redraw();
		break;
	case 'r':
	case NT_K_F1 + 4:
		nt_workers_judge(app->workers, app->goal);
		nt_app_say(app, "reading everything anew");
		break;
	case 'g':
		app->goal = (app->goal + 1) % _NT_GOAL_MAX;
		nt_workers_judge(app->workers, app->goal);
		nt_app_say(app, "goal: %s", nt_name_of(nt_goal_names, app->goal));
		break;
	default:
		if (k.code > ' ' && k.code != NT_K_CLICK)
			nt_app_say(app, "no such key here: ? shows the keys");
	}
}

static void loop(struct nt_app *app)
{
	time_t judged_at = time(NULL), now;
	struct nt_key k;

	nt_app_draw(app);
	while (!app->quit) {
		k = nt_term_key(1000, nt_workers_fd(app->workers));
		nt_app_news(app);
		now = time(NULL);
		if (now - judged_at >= JUDGE_EVERY_S || now < judged_at) {
			nt_workers_judge(app->workers, app->goal);
			judged_at = now;
		}
		/* a burst of keys is drawn once */
		for (; k.code != NT_K_NONE && !app->quit; k = nt_term_key(0, -1)) {
			if (k.code == NT_K_EOF)
				app->quit = true;
			else
				dispatch(app, k);
		}
		if (!app->quit)
			nt_app_draw(app);
	}
}

/* On the restored terminal: nobody is to find out by surprise. */
static void tell_what_waits(const struct nt_app *app, bool clean)
{
	const struct nt_plan_view *v = &app->plan;
	double left = nt_plan_view_left(v);
	unsigned id = left >= 0 ? v->id : app->lookout.pending_id;

	if (left < 0)
		left = nt_lookout_left(&app->lookout);
	if (!clean && (v->phase == NT_PLAN_APPLYING || v->phase == NT_PLAN_UNDOING))
		fprintf(stderr, "nettune: left while changes were under way: %s\n",
			v->phase == NT_PLAN_APPLYING && v->confirm_s
				? "the guardian undoes them"
				: "nettune --rollback undoes them");
	else if (v->phase == NT_PLAN_FAILED && v->n_left)
		fprintf(stderr,
			"nettune: %u value%s could not be put back: see nettune "
			"--history\n",
			v->n_left, v->n_left == 1 ? "" : "s");
	else if (left >= 0)
		fprintf(stderr,
			"nettune: change set %u is undone in %.0f s unless you keep it: "
			"nettune --keep\n",
			id, left);
	else if (app->lookout.open_id)
		fprintf(stderr,
			"nettune: change set %u was left unfinished: nettune --rollback "
			"%u "
			"puts everything back\n",
			app->lookout.open_id, app->lookout.open_id);
}

/*
 * Whatever ends the screens, changes under way are stopped and undone first. The waiting
 * is bounded: a driver may hang, and then the guardian or a rollback has to do it.
 */
static bool leave(struct nt_app *app)
{
	bool changing = app->plan.phase == NT_PLAN_APPLYING ||
			app->plan.phase == NT_PLAN_KEEPING ||
			app->plan.phase == NT_PLAN_UNDOING;
	bool stopped = changing || atomic_load(&app->plan.stop), clean;

	if (app->plan.phase == NT_PLAN_APPLYING)
		fprintf(stderr, "nettune: still applying: stopping, and undoing ...\n");
	atomic_store(&app->plan.stop, true);
	atomic_store(&app->probe.stop, true);
	clean = nt_workers_stop(app->workers, changing ? LEAVE_MS : 300);
	if (stopped && app->plan.phase == NT_PLAN_FAILED && !app->plan.n_left)
		fprintf(stderr, "nettune: everything is as before\n");
	tell_what_waits(app, clean);
	return clean;
}

int nt_tui_run(const struct nt_tui_opts *opts, int *ret_signal, struct nt_err *err)
{
	struct nt_workers_opts wopts = {
		.open_sys = opts->open_sys,
		.close_sys = opts->close_sys,
		.links = opts->links,
		.rules = opts->rules,
	};
	struct nt_app app = {
		.rules = opts->rules,
		.goal = opts->goal,
		.open_sys = opts->open_sys,
		.close_sys = opts->close_sys,
	};
	struct utsname uts;
	bool clean;
	size_t i;
	int rc;

	gethostname(app.host, sizeof app.host - 1);
	if (uname(&uts) == 0)
		snprintf(
			app.kernel, sizeof app.kernel, "%s %s", uts.sysname, uts.release);
	snprintf(app.ssh_link, sizeof app.ssh_link, "%s",
		opts->ssh_link ? opts->ssh_link : "");
	app.can_change = geteuid() == 0;
	nt_plan_view_init(&app.plan);
	nt_probe_view_init(&app.probe);
	*ret_signal = 0;
	rc = nt_term_open(opts->color, err);
	if (rc)
		return rc;
	app.workers = nt_workers_start(&wopts, err);
	if (!app.workers) {
		nt_term_close();
		return err->code;
	}
	app.plan.ticket = nt_workers_judge(app.workers, app.goal);
	nt_lookout_ask(&app);
	nt_app_push(&app, &nt_screen_links, NULL);
	loop(&app);
	nt_term_close();
	*ret_signal = nt_term_signal();
	clean = leave(&app);
	if (!clean)
		_exit(nt_term_signal() ? 128 + nt_term_signal() : 0);
	while (app.depth > 0) {
		top(&app)->ops->close(top(&app)->state);
		app.depth--;
	}
	for (i = 0; i < app.n_marks; i++)
		free(app.marks[i]);
	free(app.marks);
	for (i = 0; i < app.n_edits; i++)
		free_edit(&app.edits[i]);
	free(app.edits);
	free(app.noted);
	nt_plan_view_free(&app.plan);
	nt_probe_view_free(&app.probe);
	nt_model_free(&app.model);
	return 0;
}
