/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keys of the screen one came from, then the words used. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "app.h"
#include "list.h"
#include "nettune/mem.h"

static const struct nt_key_help everywhere[] = {
	{ NT_K_UP, NULL, "up (also k, wheel)" },
	{ NT_K_DOWN, NULL, "down (also j, wheel)" },
	{ NT_K_PGDN, NULL, "a page down; PgUp up, Home first, End last" },
	{ 'f', NULL, "findings" },
	{ 'a', NULL, "the plan of what would be changed" },
	{ 'p', NULL, "probe: short transfers to a peer" },
	{ 'h', NULL, "history of changes, undo" },
	{ 'x', NULL, "kernel patches that concern this host" },
	{ 'g', NULL, "next goal: balanced, throughput, latency, cpu, forwarding" },
	{ 'r', NULL, "read and judge everything anew (also F5)" },
	{ 12, NULL, "draw the screen anew" },
	{ '?', NULL, "the keys of this screen (also F1)" },
	{ NT_K_ESC, NULL, "back (also Backspace, q, F10)" },
	{ 'q', NULL, "back, and quit from the first screen" },
	{ 0 },
};

static const char *const words[] = {
	"PROBLEM   costs throughput, latency or CPU now, with evidence from this host",
	"WARNING   will cost under load, or contradicts another setting",
	"ADVICE    worth knowing; joins the plan only when you mark it",
	"cure      where help is: a setting, the program, kernel, link, or peer",
	"risk      none < traffic: a hiccup < host: every flow < link: down a while",
	"confidence  measured by an A/B here > derived from this host's facts > known",
	"spread    how far a probe's samples lie apart: less than that may be chance",
	"Tx done   how late the driver says that a frame was sent (Tx completion)",
	"Keys that change something are capitals: A applies, U undoes, K keeps.",
};

struct help {
	const struct nt_screen_ops *of;
	struct nt_list list;
};

static void *open_help(struct nt_app *app, const void *arg)
{
	struct help *h = nt_calloc(1, sizeof *h);

	(void)app;
	h->of = arg;
	return h;
}

static int count(const struct nt_key_help *k)
{
	int n = 0;

	while (k[n].code)
		n++;
	return n;
}

static void key_line(int row, const struct nt_key_help *k)
{
	char name[16];

	nt_term_key_name(name, sizeof name, k->code);
	nt_term_put(row, 2, 10, NT_ROLE_KEY, name);
	nt_term_put(row, 12, -1, NT_ROLE_TEXT, k->help);
}

static void one_line(const struct help *h, int i, int row)
{
	int own = count(h->of->keys), all = count(everywhere);

	if (i == 0)
		nt_term_putf(row, 1, -1, NT_ROLE_HEAD, "Keys of %s", h->of->name);
	else if (i <= own)
		key_line(row, &h->of->keys[i - 1]);
	else if (i == own + 1)
		nt_term_put(row, 1, -1, NT_ROLE_HEAD, "Keys everywhere");
	else if (i <= own + 1 + all)
		key_line(row, &everywhere[i - own - 2]);
	else if (i == own + all + 2)
		nt_term_put(row, 1, -1, NT_ROLE_HEAD, "Words");
	else
		nt_term_put(row, 2, -1, NT_ROLE_TEXT, words[i - own - all - 3]);
}

static int n_lines(const struct help *h)
{
	return count(h->of->keys) + count(everywhere) + (int)NT_ARRAY_SIZE(words) + 3;
}

static void draw_help(struct nt_app *app, void *state)
{
	struct help *h = state;
	int height = nt_term_rows() - 2, i;

	(void)app;
	h->list.cursor = h->list.top; /* a page, not a choice */
	nt_list_fit(&h->list, n_lines(h), 1, height);
	for (i = 0; i < height && h->list.top + i < n_lines(h); i++)
		one_line(h, h->list.top + i, 1 + i);
	nt_list_position(&h->list, n_lines(h), nt_term_rows() - 1);
}

static bool key_help(struct nt_app *app, void *state, struct nt_key k)
{
	struct help *h = state;
	int most = n_lines(h) - h->list.height;

	(void)app;
	switch (k.code) {
	case NT_K_UP:
	case 'k':
	case NT_K_WHEEL_UP:
		h->list.top--;
		break;
	case NT_K_DOWN:
	case 'j':
	case NT_K_WHEEL_DOWN:
		h->list.top++;
		break;
	case NT_K_HOME:
		h->list.top = 0;
		break;
	case NT_K_END:
		h->list.top = most;
		break;
	case NT_K_PGUP:
		h->list.top -= h->list.height;
		break;
	case NT_K_PGDN:
	case ' ':
		h->list.top += h->list.height;
		break;
	case '?':
	case NT_K_F1:
		return true;
	default:
		return false;
	}
	if (h->list.top > most)
		h->list.top = most;
	if (h->list.top < 0)
		h->list.top = 0;
	return true;
}

static bool offers_help(
	struct nt_app *app, void *state, int code, char *label, size_t size)
{
	const struct help *h = state;

	(void)app;
	(void)label;
	(void)size;
	return code == NT_K_PGUP ? h->list.top > 0
				 : h->list.top + h->list.height < n_lines(h);
}

static const struct nt_key_help keys[] = {
	{ NT_K_PGDN, "down", "a page down (also Space)" },
	{ NT_K_PGUP, "up", "a page up" },
	{ 0 },
};

const struct nt_screen_ops nt_screen_help = {
	.name = "Help",
	.keys = keys,
	.open = open_help,
	.draw = draw_help,
	.key = key_help,
	.close = free,
	.offers = offers_help,
};
