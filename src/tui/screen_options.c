/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of the next probe: its tests, and what --probe's options set. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "list.h"
#include "nettune/mem.h"
#include "nettune/names.h"

static const char *const test_help[_NT_TEST_MAX] = {
	[NT_TEST_STREAM] = "in bulk, to the peer",
	[NT_TEST_REVERSE] = "in bulk, from the peer",
	[NT_TEST_BIDIR] = "in bulk, both ways at once",
	[NT_TEST_RR] = "request and response, one connection",
	[NT_TEST_MANY_RR] = "request and response, many connections",
	[NT_TEST_CRR] = "a new connection for each request",
	[NT_TEST_SIZES] = "the message size swept",
	[NT_TEST_MIXED] = "small and large messages at once",
	[NT_TEST_OBJECTS] = "objects of given sizes",
	[NT_TEST_LOADED] = "the latency that a stream adds",
	[NT_TEST_UDP] = "rate, loss and jitter",
	[NT_TEST_COMPLETION] = "how late the driver frees sent frames",
};

static const struct {
	const char *name, *help;
} setting_help[] = {
	{ "time", "seconds of each test" },
	{ "warmup", "seconds thrown away before it" },
	{ "streams", "connections of bulk tests and many-rr" },
	{ "mss", "largest segment, bytes" },
	{ "write-size", "bytes a write, or a datagram" },
	{ "sndbuf", "SO_SNDBUF; unset, the kernel sizes it" },
	{ "rcvbuf", "SO_RCVBUF; unset, the kernel sizes it" },
	{ "request", "of rr and crr messages" },
	{ "response", "of rr and crr messages" },
	{ "pacing", "each stream at most; the rate of udp" },
	{ "congestion", "congestion control at both ends" },
	{ "cpu", "bind the streams to this CPU" },
	{ "peer-cpu", "bind the other end's to its CPU" },
	{ "nodelay", "TCP_NODELAY on bulk streams" },
	{ "zerocopy", "send without copying" },
	{ "trunc", "receive without copying" },
	{ "any-egress", "completion on virtual and shaped links too" },
};

#define N_ROWS (_NT_TEST_MAX + (int)NT_ARRAY_SIZE(setting_help))

static void *open_options(struct nt_app *app, const void *arg)
{
	(void)app;
	(void)arg;
	return nt_calloc(1, sizeof(struct nt_list));
}

/* The setting of a row, NULL for a test's. */
static const struct nt_probe_setting *setting_of(int row)
{
	const struct nt_probe_setting *s = nt_probe_settings;

	if (row < _NT_TEST_MAX)
		return NULL;
	while (s->name && strcmp(s->name, setting_help[row - _NT_TEST_MAX].name) != 0)
		s++;
	return s->name ? s : NULL;
}

static bool test_is_on(const struct nt_probe_opts *o, int test)
{
	return (o->tests ? o->tests : NT_PROBE_STANDARD) & 1U << test;
}

static void option_line(const struct nt_probe_opts *o, int i, int row, bool cursor)
{
	const struct nt_probe_setting *s = setting_of(i);
	char value[64] = "";
	bool set = false;
	int c = nt_term_cols() >= 60 ? 34 : 27;

	nt_term_put(row, 0, 1, NT_ROLE_TEXT, cursor ? ">" : " ");
	if (!s) {
		nt_term_put(row, 2, 3, NT_ROLE_STRONG, test_is_on(o, i) ? "[x]" : "[ ]");
		nt_term_putf(row, 6, -1, NT_ROLE_TEXT, "test %s",
			nt_name_of(nt_probe_test_names, i));
		nt_term_put(row, c, -1, NT_ROLE_DIM, test_help[i]);
	} else {
		set = nt_probe_setting_format(s, o, value, sizeof value);
		nt_term_put(row, 6, -1, NT_ROLE_TEXT, s->name);
		nt_term_put(row, 18, c - 19, set ? NT_ROLE_STRONG : NT_ROLE_DIM,
			set			   ? value
			: s->kind == NT_SETTING_FLAG ? "off"
						   : "default");
		nt_term_put(row, c, -1, NT_ROLE_DIM,
			setting_help[i - _NT_TEST_MAX].help);
	}
	if (cursor)
		nt_term_line_role(row, NT_ROLE_SELECTED);
}

static void draw_options(struct nt_app *app, void *state)
{
	struct nt_list *l = state;
	int rows = nt_term_rows(), height = rows - 3, i;

	nt_list_fit(l, N_ROWS, 1, height);
	for (i = 0; i < height && l->top + i < N_ROWS; i++)
		option_line(&app->probe.opts, l->top + i, 1 + i, l->top + i == l->cursor);
	nt_list_position(l, N_ROWS, rows - 2);
}

static void toggle_test(struct nt_app *app, int test)
{
	struct nt_probe_opts *o = &app->probe.opts;
	unsigned tests = (o->tests ? o->tests : NT_PROBE_STANDARD) ^ 1U << test;

	if (!tests)
		nt_app_say(app, "one test at least: s is the standard set");
	else
		o->tests = tests == NT_PROBE_STANDARD ? 0 : tests;
}

static void edit(struct nt_app *app, int row, const struct nt_probe_setting *s)
{
	struct nt_probe_opts *o = &app->probe.opts;
	char value[64], question[110], *answer;
	struct nt_err err;

	snprintf(question, sizeof question, "%s: %s (empty: default)", s->name,
		setting_help[row - _NT_TEST_MAX].help);
	nt_probe_setting_format(s, o, value, sizeof value);
	value[strcspn(value, " ")] = '\0'; /* the number alone is in its unit */
	answer = nt_app_prompt(app, question, s->kind == NT_SETTING_SIZE ||
							      s->kind == NT_SETTING_RATE
						      ? NULL
						      : value);
	if (answer && !*answer)
		nt_probe_setting_clear(s, o);
	else if (answer && nt_probe_setting_parse(s, o, answer, &err))
		nt_app_say(app, "%s: %s", s->name, err.msg);
	free(answer);
}

static void change(struct nt_app *app, int row, bool by_enter)
{
	const struct nt_probe_setting *s = setting_of(row);
	char value[64];

	if (!s)
		toggle_test(app, row);
	else if (s->kind != NT_SETTING_FLAG)
		by_enter ? edit(app, row, s)
			 : nt_app_say(app, "Enter asks for its value");
	else if (nt_probe_setting_format(s, &app->probe.opts, value, sizeof value))
		nt_probe_setting_clear(s, &app->probe.opts);
	else
		nt_probe_setting_parse(s, &app->probe.opts, "on", NULL);
}

static bool key_options(struct nt_app *app, void *state, struct nt_key k)
{
	struct nt_list *l = state;
	struct nt_probe_view *v = &app->probe;
	const struct nt_probe_setting *s;

	if (nt_list_key(l, N_ROWS, k, NULL))
		return true;
	s = setting_of(l->cursor);
	switch (k.code) {
	case ' ':
	case NT_K_ENTER:
		change(app, l->cursor, k.code == NT_K_ENTER);
		return true;
	case 's':
		v->opts.tests = 0;
		return true;
	case 'z':
	case NT_K_DELETE:
		if (s)
			nt_probe_setting_clear(s, &v->opts);
		return true;
	case 'd':
		nt_probe_opts_init(&v->opts);
		nt_app_say(app, "all options are as they were at first");
		return true;
	default:
		return false;
	}
}

static void title_options(struct nt_app *app, void *state, char *ret, size_t size)
{
	(void)state;
	snprintf(ret, size, "tests %s", nt_probe_tests_word(&app->probe));
}

static bool offers_options(
	struct nt_app *app, void *state, int code, char *label, size_t size)
{
	const struct nt_list *l = state;
	const struct nt_probe_opts *o = &app->probe.opts;
	const struct nt_probe_setting *s = setting_of(l->cursor);
	char value[64];
	bool set = s && nt_probe_setting_format(s, o, value, sizeof value);
	bool toggles = !s || s->kind == NT_SETTING_FLAG;

	switch (code) {
	case ' ':
		snprintf(label, size, "%s",
			(s ? set : test_is_on(o, l->cursor)) ? "leave out" : "take in");
		return toggles;
	case NT_K_ENTER:
		return !toggles;
	case 'z':
		return set && !toggles;
	case 's':
		return o->tests != 0;
	default:
		return true;
	}
}

static const struct nt_key_help keys[] = {
	{ ' ', "take in", "take a test or a switch in, or leave it out (also Enter)" },
	{ NT_K_ENTER, "edit", "type a value: sizes as 64KiB, rates as 100Mbit" },
	{ 'z', "default", "forget the value (also Delete)" },
	{ 's', "standard set", "the standard tests, about 15 s" },
	{ 'd', "all default", "forget all of them" },
	{ 0 },
};

const struct nt_screen_ops nt_screen_options = {
	.name = "Probe options",
	.keys = keys,
	.open = open_options,
	.draw = draw_options,
	.key = key_options,
	.close = free,
	.title = title_options,
	.offers = offers_options,
};
