/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "key_line.h"

#include <stdio.h>

#include "app.h"
#include "nettune/mem.h"

struct key {
	int code;
	char label[32];
	bool shown;
};

static int key_width(const struct key *k)
{
	char name[16];

	nt_term_key_name(name, sizeof name, k->code);
	return nt_term_width(name) + 1 + nt_term_width(k->label);
}

static bool changes_something(int code)
{
	return code >= 'A' && code <= 'Z';
}

/* The screen's keys that do something now, in its order. */
static int offered(struct nt_app *app, struct key *v, int max)
{
	const struct nt_stacked *t = &app->stack[app->depth - 1];
	const struct nt_key_help *k;
	int n = 0;

	for (k = t->ops->keys; k->code && n < max; k++) {
		if (!k->label)
			continue;
		v[n] = (struct key){ .code = k->code };
		snprintf(v[n].label, sizeof v[n].label, "%s", k->label);
		n += !t->ops->offers || t->ops->offers(app, t->state, k->code, v[n].label,
						sizeof v[n].label);
	}
	return n;
}

/* Choose what fits: before others what changes something, and the screen's main key. */
static void choose(struct key *v, int n, int first, int room)
{
	int pass, i, w;

	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < n; i++) {
			w = key_width(&v[i]) + 2;
			if (v[i].shown || w > room ||
				(pass == 0 && v[i].code != first &&
					!changes_something(v[i].code)))
				continue;
			v[i].shown = true;
			room -= w;
		}
	}
}

static int put_key(struct nt_app *app, int col, const struct key *k)
{
	int row = nt_term_rows() - 1, from = col;
	char name[16];

	nt_term_key_name(name, sizeof name, k->code);
	col = nt_term_put(row, col, -1, NT_ROLE_KEY, name);
	col = nt_term_put(row, col + 1, -1, NT_ROLE_TEXT, k->label);
	if (app->n_bar < (int)NT_ARRAY_SIZE(app->bar))
		app->bar[app->n_bar++] = (struct nt_bar_key){ k->code, from, col };
	return col + 2;
}

void nt_key_line_draw(struct nt_app *app)
{
	static const struct key help = { .code = '?', .label = "help" },
				back = { .code = NT_K_ESC, .label = "back" },
				quit = { .code = 'q', .label = "quit" };
	const struct key *last = app->depth > 1 ? &back : &quit;
	struct key v[24];
	int n = offered(app, v, (int)NT_ARRAY_SIZE(v)), col = 1, i;

	choose(v, n, app->stack[app->depth - 1].ops->first,
		nt_term_cols() - 1 - key_width(&help) - 2 - key_width(last));
	app->n_bar = 0;
	for (i = 0; i < n; i++)
		if (v[i].shown)
			col = put_key(app, col, &v[i]);
	col = put_key(app, col, &help);
	put_key(app, col, last);
}

void nt_key_line_click(struct nt_app *app, struct nt_key *k)
{
	int i;

	if (k->code != NT_K_CLICK || k->row != nt_term_rows() - 1)
		return;
	for (i = 0; i < app->n_bar; i++)
		if (k->col >= app->bar[i].from && k->col < app->bar[i].to)
			k->code = app->bar[i].code;
	if (changes_something(k->code)) {
		nt_app_say(app, "press %c itself: a click changes nothing", k->code);
		k->code = NT_K_NONE;
	}
}
