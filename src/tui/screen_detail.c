/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One link: every fact in groups that open and close, rates, and tunables to edit. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "app.h"
#include "list.h"
#include "workers.h"
#include "nettune/buf.h"
#include "nettune/mem.h"
#include "nettune/names.h"
#include "nettune/tunable.h"

#define REJUDGE_S 5 /* statistics move while one looks at them */

static const struct group {
	const char *title;
	const char *globs[6];
	bool open; /* at first */
} groups[] = {
	{ "Identity", { "link.*" }, true },
	{ "Offloads", { "feature.*" }, false },
	{ "Coalescing", { "coalesce.*" }, true },
	{ "Rings", { "ring.*" }, true },
	{ "Channels", { "channels.*" }, true },
	{ "Pause and EEE", { "pause.*", "eee.*", "fec.*" }, true },
	{ "Queues, qdisc and interrupts",
		{ "qdisc.*", "irq.*", "rps.*", "xps.*", "queue*" }, true },
	{ "Rates", { "rate.*" }, true },
	{ "Link statistics", { "stats64.*" }, false },
	{ "Driver statistics", { "stat.*" }, false },
	{ "Interface sysctls", { "sysctl.*" }, false },
	{ "Other", { "*" }, false },
};

#define N_GROUPS NT_ARRAY_SIZE(groups)

struct item {
	int group;		    /* index into groups */
	const struct nt_fact *fact; /* NULL: the group's head */
};

struct detail {
	char link[16];
	int ifindex; /* of it, once seen; it may be renamed */
	struct nt_list list;
	struct item *items;
	int n;
	size_t cap;
	bool open[N_GROUPS];
	unsigned count[N_GROUPS];
	char *filter;
	bool changeable; /* only what can be changed */
	unsigned long seen;
	time_t judged_at;
	char cursor[128]; /* name of the fact, or title of the group, under the cursor */
};

static void *open_detail(struct nt_app *app, const void *arg)
{
	struct detail *d = nt_calloc(1, sizeof *d);
	size_t i;

	snprintf(d->link, sizeof d->link, "%s", (const char *)arg);
	for (i = 0; i < N_GROUPS; i++)
		d->open[i] = groups[i].open;
	d->judged_at = time(NULL);
	nt_workers_judge(app->workers, app->goal);
	return d;
}

static void close_detail(void *state)
{
	struct detail *d = state;

	free(d->items);
	free(d->filter);
	free(d);
}

static size_t group_of(const char *name)
{
	size_t g, i;

	for (g = 0; g < N_GROUPS; g++)
		for (i = 0; i < NT_ARRAY_SIZE(groups[g].globs) && groups[g].globs[i]; i++)
			if (nt_glob(groups[g].globs[i], name))
				return g;
	return N_GROUPS - 1;
}

/* Values that only qualify another ("feature.x.fixed") are shown beside it. */
static bool qualifies_another(const char *name)
{
	return nt_glob("feature.*.fixed", name) || nt_glob("feature.*.wanted", name) ||
	       nt_glob("*.max", name);
}

/* ethtool's short words for what the kernel names otherwise. */
static const char *long_word(const char *word)
{
	static const char *const words[][2] = {
		{ "tso", "tcp-segmentation" },
		{ "gso", "generic-segmentation" },
		{ "gro", "rx-gro" },
		{ "lro", "rx-lro" },
		{ "sg", "scatter-gather" },
		{ "rxhash", "rx-hashing" },
		{ "rxvlan", "rx-vlan-hw-parse" },
		{ "txvlan", "tx-vlan-hw-insert" },
		{ "ntuple", "rx-ntuple-filter" },
	};
	size_t i;

	for (i = 0; i < NT_ARRAY_SIZE(words); i++)
		if (strcmp(words[i][0], word) == 0)
			return words[i][1];
	return word;
}

static const struct nt_fact *beside(const struct nt_model *m, const struct nt_scope *sc,
	const char *name, const char *suffix)
{
	char *full = nt_asprintf("%s%s", name, suffix);
	const struct nt_fact *f = nt_scope_get(m->snapshot, sc, full);

	free(full);
	return f;
}

/* A tunable that this driver has and does not fix. */
static bool can_change(const struct nt_model *m, const struct nt_scope *sc,
	const struct nt_fact *f, const char *name)
{
	const struct nt_fact *fixed;

	if (f->type == NT_FACT_ABSENT || !nt_tunable_find(name))
		return false;
	fixed = beside(m, sc, name, ".fixed");
	return !fixed || fixed->type != NT_FACT_BOOL || !fixed->v.i;
}

static bool passes(const struct detail *d, const struct nt_model *m,
	const struct nt_scope *sc, const struct nt_fact *f)
{
	const char *name = nt_snapshot_name(m->snapshot, f->id);

	if (d->changeable && !can_change(m, sc, f, name))
		return false;
	if (!d->filter)
		return !qualifies_another(name);
	return strcasestr(name, d->filter) || strcasestr(name, long_word(d->filter));
}

static void add_item(struct detail *d, int group, const struct nt_fact *f)
{
	NT_GROW(d->items, (size_t)d->n, d->cap);
	d->items[d->n++] = (struct item){ group, f };
}

static const char *item_name(const struct nt_model *m, const struct item *it)
{
	return it->fact ? nt_snapshot_name(m->snapshot, it->fact->id)
			: groups[it->group].title;
}

static void build(struct detail *d, const struct nt_model *m, const struct nt_scope *sc)
{
	size_t g, i;
	int k;

	d->n = 0;
	memset(d->count, 0, sizeof d->count);
	for (i = 0; i < sc->n; i++)
		d->count[group_of(nt_snapshot_name(m->snapshot, sc->facts[i].id))] +=
			passes(d, m, sc, &sc->facts[i]);
	for (g = 0; g < N_GROUPS; g++) {
		if (!d->count[g])
			continue;
		add_item(d, (int)g, NULL);
		for (i = 0; (d->open[g] || d->filter || d->changeable) && i < sc->n;
			i++) {
			const char *name = nt_snapshot_name(m->snapshot, sc->facts[i].id);

			if (group_of(name) == g && passes(d, m, sc, &sc->facts[i]))
				add_item(d, (int)g, &sc->facts[i]);
		}
	}
	for (k = 0; *d->cursor && k < d->n; k++)
		if (strcmp(item_name(m, &d->items[k]), d->cursor) == 0)
			d->list.cursor = k;
}

static void remember(struct detail *d, const struct nt_model *m)
{
	if (d->list.cursor < d->n)
		snprintf(d->cursor, sizeof d->cursor, "%s",
			item_name(m, &d->items[d->list.cursor]));
}

/* "planned: 4096", "fixed", "wanted on", "max 4096" ... */
static void remark(struct nt_buf *b, const struct nt_app *app, const struct detail *d,
	const struct nt_scope *sc, const char *name, const struct nt_fact *f)
{
	const struct nt_model *m = &app->model;
	const struct nt_fact *other = beside(m, sc, name, ".fixed");
	const char *edited = nt_app_edited(app, name, d->link);
	char text[64];

	if (edited)
		nt_buf_addf(b, "planned: %s", edited);
	if (other && other->type == NT_FACT_BOOL && other->v.i)
		nt_buf_addf(b, "%sfixed", b->len ? ", " : "");
	other = beside(m, sc, name, ".wanted");
	if (other && other->type == NT_FACT_SWITCH && other->v.i != f->v.i)
		nt_buf_addf(
			b, "%swanted %s", b->len ? ", " : "", other->v.i ? "on" : "off");
	other = beside(m, sc, name, ".max");
	if (other && other->type != NT_FACT_ABSENT) {
		nt_fact_format(text, sizeof text, other);
		nt_buf_addf(b, "%smax %s", b->len ? ", " : "", text);
	}
}

static void fact_line(const struct nt_app *app, const struct detail *d,
	const struct nt_scope *sc, const struct nt_fact *f, int row, bool cursor)
{
	const char *name = nt_snapshot_name(app->model.snapshot, f->id);
	char shown[256], value[256];
	struct nt_buf b = { 0 };
	int cols = nt_term_cols(),
	    wide = cols >= 100	? 44
		   : cols >= 60 ? 34
				: cols - 15,
	    value_w = cols >= 140 ? 40 : 20, skip;

	nt_printable(shown, sizeof shown, name);
	/* names differ at their end: where there is no room the group's word goes */
	skip = nt_term_width(shown) > wide && strchr(shown, '.')
		       ? (int)(strchr(shown, '.') - shown) + 1
		       : 0;
	nt_term_put(row, 4, wide, NT_ROLE_TEXT, shown + skip);
	if (can_change(&app->model, sc, f, name))
		nt_term_put(row, 2, 1, NT_ROLE_KEY, "*");
	nt_fact_format_human(value, sizeof value, f);
	nt_printable(shown, sizeof shown, value);
	nt_term_put(row, 5 + wide, value_w,
		f->type == NT_FACT_ABSENT ? NT_ROLE_DIM : NT_ROLE_STRONG,
		f->type == NT_FACT_ABSENT ? "-" : shown);
	if (f->type == NT_FACT_ABSENT)
		nt_buf_adds(&b, shown);
	else
		remark(&b, app, d, sc, name, f);
	nt_term_put(row, 6 + wide + value_w, -1, NT_ROLE_DIM, nt_buf_str(&b));
	nt_buf_free(&b);
	if (cursor)
		nt_term_line_role(row, NT_ROLE_SELECTED);
}

static void live_line(const struct nt_app *app, const char *link, int row)
{
	const struct nt_link_row *r = nt_model_row(&app->model, link);
	char rx[NT_HISTORY * 4], tx[NT_HISTORY * 4];
	int cols = nt_term_cols(), w = cols < 72 ? 0 : cols > 100 ? 16 : (cols - 66) / 2;

	if (!r || !r->have_rates)
		return;
	nt_sparkline(rx, sizeof rx, r->rx_hist, r->n_hist, w, 0, nt_term_utf8());
	nt_sparkline(tx, sizeof tx, r->tx_hist, r->n_hist, w, 0, nt_term_utf8());
	if (w)
		nt_term_putf(row, 1, -1, NT_ROLE_TEXT,
			"RX %.2f Mbit/s %.0f/s %s TX %.2f Mbit/s %.0f/s %s drops %.0f/s",
			r->rx_mbps, r->rx_pps, rx, r->tx_mbps, r->tx_pps, tx,
			r->drops_ps);
	else
		nt_term_putf(row, 1, -1, NT_ROLE_TEXT,
			"RX %.2f TX %.2f Mbit/s drops %.0f/s", r->rx_mbps, r->tx_mbps,
			r->drops_ps);
}

/* Whether it is there still; follows it when it gets another name. */
static bool is_there(struct nt_app *app, struct detail *d)
{
	const struct nt_model *m = &app->model;
	const struct nt_link_row *r = nt_model_row(m, d->link);
	size_t i;

	for (i = 0; !r && i < m->n_rows; i++)
		if (m->rows[i].link.ifindex == d->ifindex)
			r = &m->rows[i];
	if (!r)
		return !m->last; /* not even read once */
	d->ifindex = r->link.ifindex;
	if (strcmp(r->link.name, d->link) != 0) {
		nt_app_say(app, "%s was renamed to %s", d->link, r->link.name);
		snprintf(d->link, sizeof d->link, "%s", r->link.name);
		nt_workers_judge(app->workers, app->goal);
	}
	return true;
}

static void draw_detail(struct nt_app *app, void *state)
{
	struct detail *d = state;
	const struct nt_model *m = &app->model;
	bool there = is_there(app, d);
	const struct nt_scope *sc =
		m->snapshot ? nt_snapshot_link(m->snapshot, d->link) : NULL;
	int height = nt_term_rows() - 4, i;
	time_t now = time(NULL);

	if (!there) {
		d->n = 0;
		nt_term_put(
			2, 1, -1, NT_ROLE_ALERT, "this link is gone; Esc goes back");
		return;
	}
	live_line(app, d->link, 1);
	if (now - d->judged_at >= REJUDGE_S || now < d->judged_at) {
		nt_workers_judge(app->workers, app->goal);
		d->judged_at = now;
	}
	d->n = 0;
	if (!sc) {
		nt_term_put(3, 1, -1, NT_ROLE_DIM,
			m->snapshot ? "not read yet"
				    : "reading and judging this host ...");
		return;
	}
	build(d, m, sc);
	nt_list_fit(&d->list, d->n, 2, height);
	remember(d, m);
	for (i = 0; i < height && d->list.top + i < d->n; i++) {
		const struct item *it = &d->items[d->list.top + i];
		bool cursor = d->list.top + i == d->list.cursor;

		nt_term_put(2 + i, 0, 1, NT_ROLE_TEXT, cursor ? ">" : " ");
		if (it->fact) {
			fact_line(app, d, sc, it->fact, 2 + i, cursor);
			continue;
		}
		nt_term_putf(2 + i, 1, -1, NT_ROLE_HEAD, "%s %s (%u)",
			d->open[it->group] || d->filter || d->changeable ? "-" : "+",
			groups[it->group].title, d->count[it->group]);
		if (cursor)
			nt_term_line_role(2 + i, NT_ROLE_SELECTED);
	}
	nt_list_position(&d->list, d->n, nt_term_rows() - 2);
}

/* ---- editing --------------------------------------------------------------------- */

/*
 * Why text is no value for this tunable, or NULL when it is one. A number may have a unit
 * and is put into ret as the plan takes it.
 */
static const char *refuse(const struct nt_tunable *t, const struct nt_fact *max,
	const char *text, char *ret, size_t size)
{
	double v;

	snprintf(ret, size, "%s", text);

	switch (t->type) {
	case NT_FACT_SWITCH:
	case NT_FACT_BOOL:
		return strcmp(text, "on") == 0 || strcmp(text, "off") == 0 ? NULL
									   : "on or off";
	case NT_FACT_INT:
	case NT_FACT_REAL:
		if (nt_unit_parse_as(text, t->unit, &v) || !isfinite(v))
			return "a number";
		if (t->type == NT_FACT_INT && v != trunc(v))
			return "a whole number";
		if (t->min <= t->max && (v < t->min || v > t->max))
			return "a number within the range";
		if (max && max->type == NT_FACT_INT && v > (double)max->v.i)
			return "at most the driver's maximum";
		snprintf(ret, size, "%.*g", t->type == NT_FACT_INT ? 18 : 15, v);
		return NULL;
	default:
		return *text ? NULL : "a value";
	}
}

static void range_text(
	char *ret, size_t size, const struct nt_tunable *t, const struct nt_fact *max)
{
	const char *unit = nt_unit_info(t->unit)->name;

	if (t->type == NT_FACT_SWITCH || t->type == NT_FACT_BOOL)
		snprintf(ret, size, "on/off");
	else if (max && max->type == NT_FACT_INT)
		snprintf(ret, size, "up to %lld %s", (long long)max->v.i, unit);
	else if (t->min <= t->max)
		snprintf(ret, size, "%.15g..%.15g %s", t->min, t->max, unit);
	else
		snprintf(ret, size, "%s", *unit ? unit : "a value");
}

static void edit(struct nt_app *app, struct detail *d, const struct nt_scope *sc,
	const struct nt_fact *f)
{
	char *name = nt_strdup(nt_snapshot_name(app->model.snapshot, f->id)), *answer;
	const struct nt_tunable *t = nt_tunable_find(name);
	const struct nt_fact *fixed = beside(&app->model, sc, name, ".fixed"),
			     *max = NULL;
	char value[128], range[64], question[110];
	const char *why;

	if (t && f->type == NT_FACT_ABSENT) {
		nt_fact_format_human(value, sizeof value, f);
		nt_app_say(app, "%s: %s", name, value);
		free(name);
		return;
	}

	if (!t || (fixed && fixed->type == NT_FACT_BOOL && fixed->v.i)) {
		nt_app_say(app, t ? "the driver fixes this one"
				  : "this can be seen, not changed");
		free(name);
		return;
	}
	if (t->max_fact)
		max = nt_scope_get(app->model.snapshot, sc, t->max_fact);
	range_text(range, sizeof range, t, max);
	nt_fact_format(value, sizeof value, f);
	snprintf(question, sizeof question, "%.40s (%.30s, risk %s)", name, range,
		nt_name_of(nt_risk_names, t->risk));
	if (t->type == NT_FACT_SWITCH)
		snprintf(value, sizeof value, "%s", f->v.i ? "off" : "on");
	answer = nt_app_prompt(app, question, value);
	/* the snapshot may have been replaced while the user typed: name is our own copy
	 */
	sc = app->model.snapshot ? nt_snapshot_link(app->model.snapshot, d->link) : NULL;
	max = sc && t->max_fact ? nt_scope_get(app->model.snapshot, sc, t->max_fact)
				: NULL;
	if (answer && *answer) {
		why = refuse(t, max, answer, value, sizeof value);
		if (why) {
			nt_app_say(app, "'%s' is not %s", answer, why);
		} else {
			nt_app_edit(app, name, d->link, value);
			nt_app_say(app, "%s %s: in the plan; a shows it", name, value);
		}
	}
	free(answer);
	free(name);
}

static void ask_filter(struct nt_app *app, struct detail *d)
{
	char *answer = nt_app_prompt(app, "filter", d->filter);

	if (!answer)
		return;
	free(d->filter);
	d->filter = *answer ? answer : NULL;
	if (!d->filter)
		free(answer);
	d->list.cursor = 0;
	*d->cursor = '\0';
}

static void enter(struct nt_app *app, struct detail *d, const struct nt_scope *sc)
{
	const struct item *it;

	if (d->list.cursor >= d->n)
		return;
	it = &d->items[d->list.cursor];
	if (it->fact)
		edit(app, d, sc, it->fact);
	else
		d->open[it->group] = !d->open[it->group];
}

static bool key_detail(struct nt_app *app, void *state, struct nt_key k)
{
	struct detail *d = state;
	const struct nt_scope *sc =
		app->model.snapshot ? nt_snapshot_link(app->model.snapshot, d->link)
				    : NULL;
	bool opened = false;

	if (k.code == '/') { /* also before there are values: what is typed are no keys */
		ask_filter(app, d);
		return true;
	}
	if (!sc || !is_there(app, d))
		return k.code == NT_K_ENTER;
	build(d, &app->model, sc); /* the snapshot may be newer than what was drawn */
	if (nt_list_key(&d->list, d->n, k, &opened)) {
		if (d->n)
			remember(d, &app->model);
		if (opened)
			enter(app, d, sc);
		return true;
	}
	switch (k.code) {
	case NT_K_ENTER:
		enter(app, d, sc);
		return true;
	case 'c':
		d->changeable = !d->changeable;
		return true;
	case '+':
	case '-':
		for (size_t i = 0; i < N_GROUPS; i++)
			d->open[i] = k.code == '+';
		return true;
	case NT_K_DELETE:
	case 'z':
		nt_app_edit(app, d->cursor, d->link, NULL);
		return true;
	case 'f':
		nt_app_push(app, &nt_screen_findings, d->link);
		return true;
	default:
		return false;
	}
}

static void title_detail(struct nt_app *app, void *state, char *ret, size_t size)
{
	struct detail *d = state;
	char name[64];

	(void)app;
	nt_printable(name, sizeof name, d->link);
	snprintf(ret, size, "%s  filter %s [/]%s", name, d->filter ? d->filter : "none",
		d->changeable ? "  changeable only [c]" : "");
}

static bool offers_detail(
	struct nt_app *app, void *state, int code, char *label, size_t size)
{
	const struct detail *d = state;
	const struct nt_model *m = &app->model;
	const struct nt_scope *sc =
		m->snapshot ? nt_snapshot_link(m->snapshot, d->link) : NULL;
	const struct item *it =
		sc && d->list.cursor < d->n ? &d->items[d->list.cursor] : NULL;

	if (d->n == 0 && !d->filter && !d->changeable)
		sc = NULL; /* gone, or not read yet */
	switch (code) {
	case NT_K_ENTER:
		if (it && !it->fact)
			snprintf(label, size, d->open[it->group] ? "close" : "open");
		/* with a filter all groups are open */
		return it && (it->fact ? can_change(m, sc, it->fact, item_name(m, it))
				       : !d->filter && !d->changeable);
	case 'z':
		return it && it->fact && nt_app_edited(app, d->cursor, d->link);
	case 'c':
		snprintf(label, size, d->changeable ? "all" : "changeable");
		return sc != NULL;
	case '/':
		return sc != NULL;
	default:
		return true;
	}
}

static const struct nt_key_help keys[] = {
	{ NT_K_ENTER, "edit", "edit the value (marked *), or open and close a group" },
	{ '/', "filter", "show only names that contain a word, in all groups" },
	{ 'z', "forget", "forget the value typed here (also Delete)" },
	{ 'c', "changeable", "only what can be changed here" },
	{ '+', NULL, "open all groups" },
	{ '-', NULL, "close all groups" },
	{ 'f', "findings", "findings on this link" },
	{ 'a', "plan", "the plan of what was typed and marked" },
	{ 0 },
};

const struct nt_screen_ops nt_screen_detail = {
	.name = "Link",
	.keys = keys,
	.open = open_detail,
	.draw = draw_detail,
	.key = key_detail,
	.close = close_detail,
	.title = title_detail,
	.offers = offers_detail,
};
