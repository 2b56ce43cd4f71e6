/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is done with a change set later: undo, keep, list. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nettune/clock.h"
#include "nettune/mem.h"
#include "set.h"

#define NONE_TO_UNDO "there is no change set to undo"
#define NONE_WAITS "no change set waits to be kept"

/*
 * The newest set of this network namespace that want() accepts, loaded. -ENOENT with none as
 * the message, and with the newest one of another namespace.
 */
static int newest(const char *dir, const struct nt_place_id *here,
	bool (*want)(enum nt_set_status st), const char *none, struct nt_set *ret,
	struct nt_err *err)
{
	unsigned *ids, elsewhere = 0;
	size_t n, i;
	int rc = nt_journal_list(dir, &ids, &n, err);

	for (i = n; rc == 0 && i > 0; i--) {
		rc = nt_journal_load(dir, ids[i - 1], ret, err);
		if (rc == 0 && want(nt_set_status(ret, here))) {
			if (nt_place_check(here, ret, NULL) == 0)
				break;
			elsewhere = elsewhere ? elsewhere : ret->id;
		}
		if (rc == -EBADMSG)
			nt_err_prefix(err, "name an older change set");
		if (rc == -ENODATA) /* it had not begun */
			rc = 0;
		nt_set_free(ret);
	}
	free(ids);
	if (rc == 0 && i == 0)
		rc = elsewhere ? nt_err_set(err, -ENOENT,
					 "%s here: number %u is of another network namespace",
					 none, elsewhere)
			       : nt_err_set(err, -ENOENT, "%s", none);
	return rc;
}

static bool can_undo(enum nt_set_status st)
{
	return st == NT_SET_OPEN || st == NT_SET_PENDING || st == NT_SET_KEPT;
}

static bool waits(enum nt_set_status st)
{
	return st == NT_SET_PENDING;
}

static int load_for_undo(const char *dir, unsigned id, const struct nt_place_id *here,
	struct nt_set *set, struct nt_err *err)
{
	int rc;

	if (!id)
		return newest(dir, here, can_undo, NONE_TO_UNDO, set, err);
	rc = nt_journal_load(dir, id, set, err);
	if (rc == 0 && nt_set_status(set, here) == NT_SET_UNDONE)
		rc = nt_err_set(err, -ENOENT, "change set %u is undone already", id);
	return rc;
}

int nt_rollback(struct nt_sys *s, const char *dir, unsigned id, struct nt_change_result *ret,
	struct nt_err *err)
{
	struct nt_place_id here;
	struct nt_lock lock;
	struct nt_set set;
	int rc;

	nt_set_init(&set);
	memset(ret, 0, sizeof *ret);
	if (access(dir, F_OK) < 0 && errno == ENOENT)
		return nt_err_set(err, -ENOENT, NONE_TO_UNDO);
	rc = nt_lock_take(dir, "undoing", &lock, err);
	if (rc)
		return rc;
	rc = nt_place_here(s, &here, err);
	if (rc == 0)
		rc = load_for_undo(dir, id, &here, &set, err);
	if (rc == 0)
		rc = nt_place_check(&here, &set, err);
	if (rc == 0) {
		ret->id = set.id;
		/* a journal that can't be written is no reason not to undo */
		nt_journal_append(dir, &set, NULL);
		rc = nt_set_undo(s, &set, "asked for", ret, err);
		ret->changed = ret->n_undo > 0;
	}
	nt_set_free(&set);
	nt_lock_drop(&lock);
	return rc;
}

int nt_keep(struct nt_sys *s, const char *dir, unsigned *ret_id, struct nt_err *err)
{
	struct nt_place_id here;
	struct nt_lock lock;
	struct nt_set set;
	int rc;

	nt_set_init(&set);
	*ret_id = 0;
	if (access(dir, F_OK) < 0 && errno == ENOENT)
		return nt_err_set(err, -ENOENT, NONE_WAITS);
	rc = nt_lock_take(dir, "keeping", &lock, err);
	if (rc)
		return rc;
	rc = nt_place_here(s, &here, err);
	if (rc == 0)
		rc = newest(dir, &here, waits, NONE_WAITS, &set, err);
	if (rc == 0)
		rc = nt_journal_append(dir, &set, err);
	if (rc == 0)
		rc = nt_journal_kept(&set, err);
	*ret_id = set.id;
	nt_set_free(&set);
	nt_lock_drop(&lock);
	return rc;
}

static const char *copy(struct nt_history *h, const char *s)
{
	return s ? nt_arena_strdup(&h->arena, s) : NULL;
}

static void add_item(struct nt_history *h, const char *dir, unsigned id,
	const struct nt_place_id *here)
{
	struct nt_history_item *it;
	struct nt_err e = { 0 };
	struct nt_set set;
	size_t i;

	NT_GROW(h->v, h->n, h->cap);
	it = &h->v[h->n++];
	memset(it, 0, sizeof *it);
	it->id = id;
	if (nt_journal_load(dir, id, &set, &e) < 0) {
		it->fault = copy(h, e.msg);
		nt_set_free(&set);
		return;
	}
	it->time = set.time;
	it->status = nt_set_status(&set, here);
	it->here = nt_place_check(here, &set, NULL) == 0;
	if (set.damaged)
		it->fault = copy(h, "its journal is damaged in part");
	if (it->status == NT_SET_PENDING)
		it->confirm_s = set.end_boottime + set.confirm_s - nt_boot_s();
	it->n_steps = set.n_steps;
	it->steps = nt_arena_alloc(&h->arena, (set.n_steps + 1) * sizeof *it->steps);
	for (i = 0; i < set.n_steps; i++)
		it->steps[i] = (struct nt_history_step){
			.tunable = copy(h, set.steps[i].tunable),
			.link = copy(h, set.steps[i].link),
			.from = copy(h, set.steps[i].from),
			.to = copy(h, set.steps[i].to),
			.got = copy(h, set.steps[i].got),
			.rule = copy(h, set.steps[i].rule),
		};
	nt_set_free(&set);
}

int nt_history_load(struct nt_sys *s, const char *dir, struct nt_history *ret,
	struct nt_err *err)
{
	struct nt_place_id here;
	unsigned *ids = NULL;
	size_t n = 0, i;
	int rc = nt_place_here(s, &here, err);

	memset(ret, 0, sizeof *ret);
	if (rc == 0)
		rc = nt_journal_list(dir, &ids, &n, err);
	for (i = n; rc == 0 && i > 0; i--)
		add_item(ret, dir, ids[i - 1], &here);
	free(ids);
	return rc;
}

void nt_history_free(struct nt_history *h)
{
	free(h->v);
	nt_arena_free(&h->arena);
	memset(h, 0, sizeof *h);
}
