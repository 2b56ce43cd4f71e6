/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The modes that deal with change sets made before: --keep, --rollback, --history. */
#include "config.h"

#include "modes.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nettune/jsonw.h"
#include "nettune/netns.h"
#include "nettune/places.h"
#include "nettune/plan.h"
#include "nettune/sys.h"
#include "plan_text.h"

const struct nt_opt nt_rollback_opts[] = {
	{ "unless-kept", NT_ARG_NONE, NULL, "wait for ID's confirm time first: the guardian" },
	{ NULL, NT_ARG_NONE, NULL, NULL },
};

static struct nt_sys *open_sys(void)
{
	struct nt_err err;
	struct nt_sys *s = nt_sys_open(0, &err);

	if (!s)
		nt_complain(&err);
	return s;
}

int nt_cmd_keep(const struct nt_args *a)
{
	struct nt_sys *s = open_sys();
	char *dir = nt_place_state();
	struct nt_err err;
	unsigned id;
	int rc = NT_EXIT_FAILED;

	(void)a;
	signal(SIGPIPE, SIG_IGN);
	if (s && nt_keep(s, dir, &id, &err) == 0) {
		printf("Change set %u is kept. To undo it: nettune --rollback %u\n", id, id);
		nt_printed(0, NT_EXIT_OK); /* it is kept even where that cannot be read */
		rc = NT_EXIT_OK;
	} else if (s) {
		nt_complain(&err);
	}
	free(dir);
	nt_sys_free(s);
	return rc;
}

static int read_id(const struct nt_args *a, unsigned *ret)
{
	char *end;
	unsigned long v;

	*ret = 0;
	if (!a->n_operands)
		return 0;
	errno = 0;
	v = strtoul(a->operands[0], &end, 10);
	if (a->operands[0][0] < '1' || a->operands[0][0] > '9' || *end || errno ||
		v > 1000000000) {
		nt_warn("'%s' is no number of a change set; see nettune --history",
			a->operands[0]);
		return NT_EXIT_USAGE;
	}
	*ret = (unsigned)v;
	return 0;
}

/*
 * Half an undo is worse than none: what would end it waits. A guardian, which waits most of
 * the time, can be ended all the same: what it guards is then left unfinished, and told.
 */
static void block_signals(bool guard)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGTSTP);
	if (!guard) {
		sigaddset(&set, SIGTERM);
		sigaddset(&set, SIGQUIT);
	}
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
}

int nt_cmd_rollback(const struct nt_args *a)
{
	bool guard = nt_args_has(a, "unless-kept");
	struct nt_change_result r = { 0 };
	struct nt_sys *s;
	struct nt_err err;
	char *dir;
	unsigned id;
	int rc = read_id(a, &id);

	if (!rc && guard && !id) {
		nt_warn("--unless-kept needs the number of a change set");
		rc = NT_EXIT_USAGE;
	}
	if (rc)
		return rc;
	/* without it the values below /sys would be left as they are, and told so */
	if (guard && !nt_netns_is_init() && nt_netns_own_sysfs(&err) < 0)
		nt_complain(&err);
	s = open_sys();
	if (!s)
		return NT_EXIT_FAILED;
	dir = nt_place_state();
	block_signals(guard);
	rc = guard ? nt_guard(s, dir, id, &r, &err) : nt_rollback(s, dir, id, &r, &err);
	nt_print_undo(&r);
	if (rc == 0 && r.undone)
		printf("Change set %u is undone.\n", r.id);
	nt_printed(0, NT_EXIT_OK);
	if (rc)
		nt_complain(&err);
	rc = rc == 0 ? NT_EXIT_OK : r.undone && r.n_left ? NT_EXIT_PARTLY : NT_EXIT_FAILED;
	nt_change_result_free(&r);
	free(dir);
	nt_sys_free(s);
	return rc;
}

static void when(int64_t t, char *ret, size_t size)
{
	time_t tt = (time_t)t;
	struct tm tm;

	*ret = '\0';
	if (localtime_r(&tt, &tm))
		strftime(ret, size, "%Y-%m-%d %H:%M:%S", &tm);
}

static void print_item(const struct nt_history_item *it)
{
	char text[600], raw[600], at[32];
	size_t i;

	when(it->time, at, sizeof at);
	if (it->fault && !it->n_steps) {
		nt_printable(text, sizeof text, it->fault);
		printf("%4u  unreadable: %s\n", it->id, text);
		return;
	}
	printf("%4u  %s  %s", it->id, at, nt_name_of(nt_set_status_names, it->status));
	/* the guardian looks four times a second, and needs some time for its work */
	if (it->status == NT_SET_PENDING && it->confirm_s < -10)
		printf(", not undone in time: nettune --rollback %u, or --keep", it->id);
	else if (it->status == NT_SET_PENDING)
		printf(", undone in %.0f s unless kept", it->confirm_s > 0 ? it->confirm_s : 0);
	if (!it->here && it->status != NT_SET_GONE)
		printf(", in another network namespace");
	if (it->fault)
		printf(", %s", it->fault);
	putchar('\n');
	for (i = 0; i < it->n_steps; i++) {
		const struct nt_history_step *st = &it->steps[i];

		snprintf(raw, sizeof raw, "%s%s%s: %s -> %s%s  (%s)", st->tunable,
			*st->link ? " of " : "", st->link, st->from, st->got ? st->got : st->to,
			st->got ? "" : ", not reached", st->rule);
		nt_printable(text, sizeof text, raw);
		printf("      %s\n", text);
	}
}

static int print_json(const struct nt_history *h)
{
	struct nt_jsonw w;
	size_t i, k;

	nt_jsonw_begin(&w, stdout, 2, "nettune-history/1");
	nt_jsonw_array(&w, "change_sets");
	for (i = 0; i < h->n; i++) {
		const struct nt_history_item *it = &h->v[i];

		nt_jsonw_object(&w, NULL);
		nt_jsonw_int(&w, "id", it->id);
		nt_jsonw_int(&w, "time", it->time);
		nt_jsonw_str(&w, "status",
			it->fault && !it->n_steps ? NULL
						  : nt_name_of(nt_set_status_names, it->status));
		nt_jsonw_bool(&w, "here", it->here);
		nt_jsonw_str(&w, "fault", it->fault);
		nt_jsonw_array(&w, "steps");
		for (k = 0; k < it->n_steps; k++) {
			const struct nt_history_step *st = &it->steps[k];

			nt_jsonw_object(&w, NULL);
			nt_jsonw_str(&w, "tunable", st->tunable);
			nt_jsonw_str(&w, "link", *st->link ? st->link : NULL);
			nt_jsonw_str(&w, "from", st->from);
			nt_jsonw_str(&w, "to", st->to);
			nt_jsonw_str(&w, "got", st->got);
			nt_jsonw_str(&w, "rule", st->rule);
			nt_jsonw_end(&w);
		}
		nt_jsonw_end(&w);
		nt_jsonw_end(&w);
	}
	nt_jsonw_end(&w);
	nt_jsonw_end(&w);
	return nt_jsonw_finish(&w);
}

int nt_cmd_history(const struct nt_args *a)
{
	struct nt_sys *s = open_sys();
	struct nt_history h = { 0 };
	char *dir = nt_place_state();
	struct nt_err err;
	int rc = NT_EXIT_FAILED;
	size_t i;

	if (s && nt_history_load(s, dir, &h, &err) == 0) {
		rc = NT_EXIT_OK;
		if (nt_args_has(a, "json"))
			rc = nt_printed(print_json(&h), rc);
		for (i = 0; !nt_args_has(a, "json") && i < h.n; i++)
			print_item(&h.v[i]);
		if (!h.n && !nt_args_has(a, "json"))
			printf("No change sets.\n");
	} else if (s) {
		nt_complain(&err);
	}
	nt_history_free(&h);
	free(dir);
	nt_sys_free(s);
	return rc;
}
