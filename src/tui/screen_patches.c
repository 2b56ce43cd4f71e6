/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Patches: kernel faults that a setting only softens, and which of them concern this
 * host. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "app.h"
#include "list.h"
#include "wrap.h"
#include "nettune/buf.h"
#include "nettune/mem.h"
#include "nettune/names.h"
#include "nettune/patch.h"
#include "nettune/places.h"

struct patches {
	struct nt_list list;
	struct nt_patches catalogue;
	int *shown;
	int n;
	bool all;
	int scroll; /* of the text below */
	char error[400];
};

static void *open_patches(struct nt_app *app, const void *arg)
{
	struct patches *p = nt_calloc(1, sizeof *p);
	struct nt_err err;
	char *dir = nt_place_patches();

	(void)app;
	(void)arg;
	if (nt_patches_load(&p->catalogue, dir, NULL, NULL, &err) < 0)
		snprintf(p->error, sizeof p->error, "%s", err.msg);
	p->shown = nt_reallocarray(
		NULL, p->catalogue.n ? p->catalogue.n : 1, sizeof *p->shown);
	free(dir);
	return p;
}

static void close_patches(void *state)
{
	struct patches *p = state;

	nt_patches_free(&p->catalogue);
	free(p->shown);
	free(p);
}

static const enum nt_role roles[_NT_PATCH_STATE_MAX] = {
	[NT_PATCH_AFFECTED] = NT_ROLE_PROBLEM,
	[NT_PATCH_LIKELY] = NT_ROLE_WARNING,
	[NT_PATCH_UNKNOWN] = NT_ROLE_ADVICE,
	[NT_PATCH_NOT_AFFECTED] = NT_ROLE_GOOD,
};

static void choose(struct patches *p, const struct nt_snapshot *s)
{
	struct nt_patch_verdict v;
	size_t i;

	for (p->n = 0, i = 0; i < p->catalogue.n; i++) {
		nt_patch_judge(&p->catalogue.v[i], s, &v);
		if (p->all || v.state != NT_PATCH_NOT_AFFECTED)
			p->shown[p->n++] = (int)i;
	}
}

/* The catalogue's texts are wrapped, with the indentation of the lines in them. */
static void add_prose(struct nt_lines *l, int width, const char *head, const char *text)
{
	struct nt_buf b = { 0 };
	size_t n;

	for (; *text; text += n) {
		n = strcspn(text, " \t\n");
		nt_buf_addf(&b, "%s%.*s", b.len && n ? " " : "", (int)n, text);
		n += strspn(text + n, " \t\n");
	}
	nt_lines_add(l, width, NT_ROLE_TEXT, head, nt_buf_str(&b));
	nt_buf_free(&b);
}

static void patch_text(struct nt_lines *l, int width, const struct nt_patch *p,
	const struct nt_patch_verdict *v)
{
	struct nt_buf b = { 0 };

	nt_lines_addf(l, width, roles[v->state], "state", "%s: %s",
		nt_name_of(nt_patch_state_names, v->state), v->reason);
	add_prose(l, width, "fault", p->why);
	if (p->replaced)
		add_prose(l, width, "today", p->replaced);
	if (p->does)
		add_prose(l, width, "does", p->does);
	if (p->limits)
		add_prose(l, width, "not", p->limits);
	if (p->figures)
		add_prose(l, width, "gain", p->figures);
	nt_patch_format_affected(&b, p);
	nt_lines_add(l, width, NT_ROLE_TEXT, "kernels", nt_buf_str(&b));
	nt_buf_free(&b);
	if (p->see)
		add_prose(l, width, "see", p->see);
	if (!p->replaced)
		nt_lines_addf(l, width, NT_ROLE_STRONG, "do",
			"nettune --patch %s --tree DIR", p->id);
}

static void draw_patches(struct nt_app *app, void *state)
{
	struct patches *p = state;
	const struct nt_snapshot *s = app->model.snapshot;
	struct nt_lines l = { 0 };
	struct nt_patch_verdict v;
	int rows = nt_term_rows(), height = (rows - 4) / 2, i;

	if (*p->error || !s) {
		nt_term_put(2, 1, -1, *p->error ? NT_ROLE_PROBLEM : NT_ROLE_DIM,
			*p->error ? p->error : "reading and judging this host ...");
		return;
	}
	choose(p, s);
	if (p->n == 0) {
		nt_lines_addf(&l, nt_term_cols() - 2, NT_ROLE_GOOD, NULL,
			"%s none of %zu patches concerns this host; l lists all",
			nt_severity_sign(NT_SEV_GOOD), p->catalogue.n);
		nt_lines_draw(&l, 0, 2, rows - 4, 0);
		nt_lines_clear(&l);
		return;
	}
	if (height > p->n)
		height = p->n;
	nt_list_fit(&p->list, p->n, 1, height);
	for (i = 0; i < height && p->list.top + i < p->n; i++) {
		const struct nt_patch *pa = &p->catalogue.v[p->shown[p->list.top + i]];
		bool cursor = p->list.top + i == p->list.cursor;

		nt_patch_judge(pa, s, &v);
		nt_term_put(1 + i, 0, 1, NT_ROLE_TEXT, cursor ? ">" : " ");
		nt_term_put(1 + i, 2, 16, roles[v.state],
			nt_name_of(nt_patch_state_names, v.state));
		nt_term_put(1 + i, 19, 24, NT_ROLE_STRONG, pa->id);
		nt_term_put(1 + i, 44, -1, NT_ROLE_TEXT, pa->title);
		if (cursor)
			nt_term_line_role(1 + i, NT_ROLE_SELECTED);
	}
	nt_list_position(&p->list, p->n, 1 + height);
	nt_term_rule(1 + height);
	i = p->shown[p->list.cursor];
	nt_patch_judge(&p->catalogue.v[i], s, &v);
	patch_text(&l, nt_term_cols() - 11, &p->catalogue.v[i], &v);
	nt_lines_page(&l, &p->scroll, 2 + height, rows - 3 - height, 9);
	nt_lines_clear(&l);
}

static bool key_patches(struct nt_app *app, void *state, struct nt_key k)
{
	struct patches *p = state;

	(void)app;
	if (nt_list_key(&p->list, p->n, k, NULL)) {
		p->scroll = 0;
		return true;
	}
	if (k.code == NT_K_LEFT || k.code == NT_K_RIGHT)
		p->scroll += k.code == NT_K_RIGHT ? 1 : -1;
	else if (k.code == 'l')
		p->all = !p->all;
	else
		return false;
	return true;
}

static void title_patches(struct nt_app *app, void *state, char *ret, size_t size)
{
	struct patches *p = state;

	(void)app;
	snprintf(ret, size, "%d of %zu", p->n, p->catalogue.n);
}

static bool offers_patches(
	struct nt_app *app, void *state, int code, char *label, size_t size)
{
	const struct patches *p = state;

	if (code == 'l')
		snprintf(label, size, p->all ? "this host's" : "all");
	return app->model.snapshot && !*p->error;
}

static const struct nt_key_help keys[] = {
	{ NT_K_LEFT, NULL, "scroll the text up" },
	{ NT_K_RIGHT, NULL, "scroll the text down" },
	{ 'l', "all", "all patches, or those that may concern this host" },
	{ 0 },
};

const struct nt_screen_ops nt_screen_patches = {
	.name = "Patches",
	.keys = keys,
	.open = open_patches,
	.draw = draw_patches,
	.key = key_patches,
	.close = close_patches,
	.title = title_patches,
	.offers = offers_patches,
};
