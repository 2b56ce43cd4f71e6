/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Links: the first screen. Who is busy, who drops, and where something was found. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "app.h"
#include "list.h"
#include "workers.h"
#include "nettune/mem.h"
#include "nettune/names.h"

struct links {
	struct nt_list list;
	int *shown; /* indices into the model's rows */
	int n;
	size_t cap;
	bool all; /* loopback and links that are down too */
	enum order { ORDER_KERNEL, ORDER_RATE, ORDER_FOUND, _ORDER_MAX } order;
	char cursor[16]; /* the link under the cursor: rows come and go */
};

static void *open_links(struct nt_app *app, const void *arg)
{
	(void)app;
	(void)arg;
	return nt_calloc(1, sizeof(struct links));
}

static void close_links(void *state)
{
	struct links *l = state;

	free(l->shown);
	free(l);
}

static bool is_shown(const struct links *l, const struct nt_link_row *r)
{
	return l->all || (!r->link.loopback && r->link.up) || r->problems || r->warnings;
}

static double weight(const struct links *l, const struct nt_link_row *r)
{
	if (l->order == ORDER_RATE)
		return r->rx_mbps + r->tx_mbps;
	return 1e6 * r->problems + 1e3 * r->warnings + r->advice;
}

/* Insertion keeps the kernel's order among equals; most hosts have few that stand out. */
static void sort_rows(struct links *l, const struct nt_model *m)
{
	int i, j, v;
	double w;

	for (i = 1; i < l->n; i++) {
		v = l->shown[i];
		w = weight(l, &m->rows[v]);
		for (j = i; j > 0; j--) {
			if (weight(l, &m->rows[l->shown[j - 1]]) >= w)
				break;
			l->shown[j] = l->shown[j - 1];
		}
		l->shown[j] = v;
	}
}

static void choose(struct links *l, const struct nt_model *m)
{
	size_t i;
	int k;

	for (l->n = 0, i = 0; i < m->n_rows; i++) {
		if (!is_shown(l, &m->rows[i]))
			continue;
		if ((size_t)l->n >= l->cap) {
			l->cap = m->n_rows + 8;
			l->shown = nt_reallocarray(l->shown, l->cap, sizeof *l->shown);
		}
		l->shown[l->n++] = (int)i;
	}
	if (l->order != ORDER_KERNEL)
		sort_rows(l, m);
	for (k = 0; *l->cursor && k < l->n; k++)
		if (strcmp(m->rows[l->shown[k]].link.name, l->cursor) == 0)
			l->list.cursor = k;
}

static void remember(struct links *l, const struct nt_model *m)
{
	*l->cursor = '\0';
	if (l->list.cursor < l->n)
		snprintf(l->cursor, sizeof l->cursor, "%s",
			m->rows[l->shown[l->list.cursor]].link.name);
}

static const char *state_word(const struct nt_sample_link *l)
{
	if (!l->up)
		return "down";
	return l->carrier == 0 ? "no link" : "up";
}

static void rate_text(char *ret, size_t size, const struct nt_link_row *r, double v)
{
	if (!r->have_rates || !r->link.up)
		snprintf(ret, size, "-");
	else
		snprintf(ret, size, v >= 100 ? "%.0f" : v >= 0.005 ? "%.2f" : "0", v);
}

/*
 * Where the columns begin; -1: no room. What was found is always shown, a narrow terminal
 * drops drivers and drops first, a wide one gives the graphs the rest.
 */
struct columns {
	int link_w, driver, speed, state, rx, tx, drop, found, graph_w;
};

static struct columns columns(void)
{
	struct columns c = { .driver = -1, .speed = -1, .drop = -1 };
	int cols = nt_term_cols(), at = 1;

	c.link_w = cols >= 55 ? 15 : cols > 38 ? cols - 29 : 9;
	c.graph_w = cols < 76 ? 0 : 4 + (cols - 76) / 2;
	if (c.graph_w > NT_HISTORY)
		c.graph_w = NT_HISTORY;
	at += c.link_w + 1;
	if (cols >= 68) {
		c.driver = at;
		c.speed = at + 10;
		at += 17;
	}
	c.state = at;
	c.rx = at + 7;
	c.tx = c.rx + 7 + c.graph_w;
	at = c.tx + 7 + c.graph_w;
	if (cols >= 52) {
		c.drop = at;
		at += 7;
	}
	c.found = at;
	return c;
}

static void head_line(int row, const struct columns *c)
{
	nt_term_put(row, 1, c->link_w, NT_ROLE_HEAD, "LINK");
	if (c->driver >= 0)
		nt_term_put(row, c->driver, 9, NT_ROLE_HEAD, "DRIVER");
	if (c->speed >= 0)
		nt_term_put_right(row, c->speed, 6, NT_ROLE_HEAD, "SPEED");
	nt_term_put(row, c->state, -1, NT_ROLE_HEAD, "STATE");
	nt_term_put_right(row, c->rx, 6, NT_ROLE_HEAD, c->graph_w ? "RX" : "RX Mb");
	nt_term_put_right(row, c->tx, 6, NT_ROLE_HEAD, c->graph_w ? "TX" : "TX Mb");
	if (c->graph_w >= 7) {
		nt_term_put(row, c->rx + 7, -1, NT_ROLE_HEAD, "Mbit/s");
		nt_term_put(row, c->tx + 7, -1, NT_ROLE_HEAD, "Mbit/s");
	}
	if (c->drop >= 0)
		nt_term_put_right(row, c->drop, 6, NT_ROLE_HEAD, "DROP/s");
	nt_term_put(row, c->found, -1, NT_ROLE_HEAD, "FOUND");
}

static void found_text(const struct nt_link_row *r, int row, int col)
{
	enum nt_severity sev;
	unsigned n = r->problems + r->warnings;

	if (!n && !r->advice)
		return;
	sev = r->problems ? NT_SEV_PROBLEM : r->warnings ? NT_SEV_WARNING : NT_SEV_ADVICE;
	nt_term_putf(row, col, -1, nt_severity_role(sev), "%s %u", nt_severity_sign(sev),
		n ? n : r->advice);
}

/* A rate, flush right, and its graph; full height is the link's speed. */
static void rate_cell(const struct nt_link_row *r, int row, int col, int graph_w,
	double v, const float *hist)
{
	char text[32], graph[NT_HISTORY * 4];
	int w = graph_w > 1 ? graph_w - 1 : 0;

	rate_text(text, sizeof text, r, v);
	nt_term_put_right(row, col, 6, NT_ROLE_TEXT, text);
	nt_sparkline(graph, sizeof graph, hist, r->n_hist, w, r->speed, nt_term_utf8());
	nt_term_put(row, col + 7, w, NT_ROLE_ADVICE, graph);
}

static void link_line(
	const struct nt_link_row *r, int row, const struct columns *c, bool cursor)
{
	char name[64], text[32];

	nt_printable(name, sizeof name, r->link.name);
	nt_term_put(row, 0, 1, NT_ROLE_TEXT, cursor ? ">" : " ");
	nt_term_put(row, 1, c->link_w, NT_ROLE_STRONG, name);
	nt_printable(name, sizeof name, r->driver);
	if (c->driver >= 0)
		nt_term_put(row, c->driver, 9, NT_ROLE_TEXT, name);
	snprintf(text, sizeof text, r->speed >= 0 ? "%d" : "-", r->speed);
	if (c->speed >= 0)
		nt_term_put_right(row, c->speed, 6, NT_ROLE_TEXT, text);
	nt_term_put(row, c->state, 7, NT_ROLE_TEXT, state_word(&r->link));
	rate_cell(r, row, c->rx, c->graph_w, r->rx_mbps, r->rx_hist);
	rate_cell(r, row, c->tx, c->graph_w, r->tx_mbps, r->tx_hist);
	rate_text(text, sizeof text, r, r->drops_ps);
	if (c->drop >= 0)
		nt_term_put_right(row, c->drop, 6,
			r->drops_ps > 0 ? NT_ROLE_WARNING : NT_ROLE_TEXT, text);
	found_text(r, row, c->found);
	if (cursor)
		nt_term_line_role(row, NT_ROLE_SELECTED);
}

static void worst_lines(const struct nt_model *m, int row)
{
	const struct nt_finding *f =
		m->findings && m->findings->n ? m->findings->v : NULL;
	int c;

	if (!m->findings) {
		nt_term_put(row, 1, -1, NT_ROLE_DIM, "reading and judging this host ...");
		return;
	}
	if (!f || f->severity == NT_SEV_GOOD) {
		nt_term_putf(row, 1, -1, NT_ROLE_GOOD,
			"%s nothing found: %u checks hold, %zu are undecided",
			nt_severity_sign(NT_SEV_GOOD), m->findings->holds,
			m->findings->n_unknown);
		return;
	}
	c = nt_term_put(row, 1, -1, NT_ROLE_STRONG, "worst: ");
	c = nt_term_putf(row, c, -1, nt_severity_role(f->severity), "%s ",
		nt_severity_word(f->severity));
	nt_term_putf(row, c, -1, NT_ROLE_TEXT, "%s%s%s", f->scope->name,
		*f->scope->name ? "  " : "", f->title);
	nt_term_put(
		row + 1, 8, -1, NT_ROLE_DIM, "f shows all findings, Enter opens the link");
}

static void host_line(const struct nt_model *m, int row)
{
	int c = nt_term_put(row, 1, -1, NT_ROLE_STRONG, "host: ");

	if (m->cpu_pct < 0) {
		nt_term_put(row, c, -1, NT_ROLE_DIM, "...");
		return;
	}
	c = nt_term_putf(row, c, -1, NT_ROLE_TEXT, "CPU %.0f %% (softirq %.0f %%",
		m->cpu_pct, m->softirq_pct);
	if (m->softirq_cpu >= 0)
		c = nt_term_putf(row, c, -1, NT_ROLE_TEXT, ", CPU %d %.0f %%",
			m->softirq_cpu, m->softirq_cpu_pct);
	c = nt_term_put(row, c, -1, NT_ROLE_TEXT, ")");
	if (m->retrans_pct >= 0)
		c = nt_term_putf(
			row, c, -1, NT_ROLE_TEXT, "  retrans %.2f %%", m->retrans_pct);
	if (m->softnet_drops_ps >= 0)
		nt_term_putf(row, c, -1,
			m->softnet_drops_ps > 0 ? NT_ROLE_WARNING : NT_ROLE_TEXT,
			"  softnet drops %.0f/s", m->softnet_drops_ps);
}

/* Of the judged snapshot; -1 unknown. */
static int64_t host_count(const struct nt_model *m, const char *name)
{
	const struct nt_fact *f =
		m->snapshot ? nt_scope_get(m->snapshot, &m->snapshot->host, name) : NULL;

	return f && f->type == NT_FACT_INT ? f->v.i : -1;
}

/* What holds the host's connections back, below "host: ". */
static void sockets_line(const struct nt_model *m, int row)
{
	int64_t n = host_count(m, "tcp.sockets"), busy = host_count(m, "tcp.busy"),
		sndbuf = host_count(m, "tcp.sndbuf_limited"),
		rwnd = host_count(m, "tcp.rwnd_limited");
	int c = nt_term_putf(row, 7, -1, NT_ROLE_TEXT, "%" PRId64 " connection%s", n,
		n == 1 ? "" : "s");

	if (busy < 0 || sndbuf < 0 || rwnd < 0)
		return;
	c = nt_term_putf(row, c, -1, NT_ROLE_TEXT, ", %" PRId64 " busy", busy);
	if (!busy)
		return;
	c = nt_term_put(row, c, -1, NT_ROLE_TEXT, ": ");
	c = nt_term_putf(row, c, -1, sndbuf ? NT_ROLE_WARNING : NT_ROLE_TEXT,
		"%" PRId64 " limited by send buffer", sndbuf);
	nt_term_putf(row, c, -1, rwnd ? NT_ROLE_ADVICE : NT_ROLE_TEXT,
		", %" PRId64 " by the receiver", rwnd);
}

static void draw_links(struct nt_app *app, void *state)
{
	struct links *l = state;
	const struct columns c = columns();
	int rows = nt_term_rows(),
	    foot = rows >= 20 && host_count(&app->model, "tcp.sockets") > 0 ? 6
		   : rows >= 16						    ? 5
		   : rows >= 10						    ? 2
									    : 0;
	int height = rows - 3 - foot, i;

	choose(l, &app->model);
	nt_list_fit(&l->list, l->n, 2, height);
	remember(l, &app->model);
	head_line(1, &c);
	for (i = 0; i < height && l->list.top + i < l->n; i++)
		link_line(&app->model.rows[l->shown[l->list.top + i]], 2 + i, &c,
			l->list.top + i == l->list.cursor);
	if (l->n == 0)
		nt_term_put(2, 1, -1, NT_ROLE_DIM,
			app->model.last ? "no link is up; l shows all"
					: "reading the links ...");
	nt_list_position(&l->list, l->n, rows - foot - 1);
	if (foot >= 5) {
		worst_lines(&app->model, rows - foot);
		host_line(&app->model, rows - foot + 2);
		if (foot >= 6)
			sockets_line(&app->model, rows - 3);
	} else if (foot) {
		worst_lines(&app->model, rows - 3);
	}
}

static const char *const orders[_ORDER_MAX] = {
	[ORDER_KERNEL] = "in the kernel's order",
	[ORDER_RATE] = "busiest first",
	[ORDER_FOUND] = "where most was found first",
};

static bool key_links(struct nt_app *app, void *state, struct nt_key k)
{
	struct links *l = state;
	bool opened = false;

	choose(l, &app->model); /* links may have come and gone since they were drawn */
	nt_list_fit(&l->list, l->n, l->list.row, l->list.height);
	if (nt_list_key(&l->list, l->n, k, &opened)) {
		remember(l, &app->model);
		if (!opened)
			return true;
		k.code = NT_K_ENTER;
	}
	switch (k.code) {
	case NT_K_ENTER:
		if (*l->cursor)
			nt_app_push(app, &nt_screen_detail, l->cursor);
		return true;
	case 'l':
		l->all = !l->all;
		nt_app_say(app, l->all ? "all links" : "links that are up");
		return true;
	case 's':
		l->order = (l->order + 1) % _ORDER_MAX;
		nt_app_say(app, "%s", orders[l->order]);
		return true;
	default:
		return false;
	}
}

static void title_links(struct nt_app *app, void *state, char *ret, size_t size)
{
	const struct nt_model *m = &app->model;
	const struct links *l = state;
	char count[40];

	if ((size_t)l->n < m->n_rows)
		snprintf(count, sizeof count, "%d of %zu [l]", l->n, m->n_rows);
	else
		snprintf(count, sizeof count, "%zu", m->n_rows);
	if (m->findings)
		snprintf(ret, size, "%s  %u problem%s %u warning%s %u advice%s", count,
			m->n_problems, m->n_problems == 1 ? "" : "s", m->n_warnings,
			m->n_warnings == 1 ? "" : "s", m->n_advice,
			nt_workers_judging(app->workers) ? " ..." : "");
	else
		snprintf(ret, size, "%s", count);
}

static bool offers_links(
	struct nt_app *app, void *state, int code, char *label, size_t size)
{
	const struct links *l = state;

	(void)app;
	(void)label;
	(void)size;
	return code != NT_K_ENTER || *l->cursor;
}

static const struct nt_key_help keys[] = {
	{ NT_K_ENTER, "open", "open the link: features, coalescing, rings, statistics" },
	{ 'f', "findings", "findings, worst first" },
	{ 'p', "probe", "probe: short transfers to a peer" },
	{ 'a', "plan", "the plan of what would be changed" },
	{ 'h', "history", "history of changes, undo" },
	{ 'l', NULL, "all links, or only those that are up" },
	{ 's', NULL, "next order: the kernel's, busiest first, most found first" },
	{ 0 },
};

const struct nt_screen_ops nt_screen_links = {
	.name = "Links",
	.keys = keys,
	.open = open_links,
	.draw = draw_links,
	.key = key_links,
	.close = close_links,
	.title = title_links,
	.offers = offers_links,
};
