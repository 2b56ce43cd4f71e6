/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Undoing a change set: whatever differs from the state before and is ours is put back; then
 * the state is read again, because a write may move other values, until nothing of ours
 * differs or nothing more can be done. The order is that of dependence, not the reverse of
 * the changes: a default qdisc takes its quantum from the MTU and its leaves from the number
 * of queues that it is made with, and a channel change forgets queue masks.
 */
#include "config.h"

#include "undo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nettune/mem.h"
#include "set.h"

#define PASSES 5

void nt_state_diff(struct nt_state *a, struct nt_state *b, nt_diff_fn *fn, void *arg)
{
	size_t i;

	if (!a->sorted)
		nt_state_sort(a);
	if (!b->sorted)
		nt_state_sort(b);
	for (i = 0; i < a->n; i++) {
		const struct nt_entry *e = &a->v[i];
		const char *other = nt_state_get(b, e->ifindex, e->key);

		if (!nt_val_equal(e->key, e->val, other))
			fn(arg, e->ifindex, e->key, e->val, other);
	}
	for (i = 0; i < b->n; i++) {
		const struct nt_entry *e = &b->v[i];

		if (!nt_state_get(a, e->ifindex, e->key))
			fn(arg, e->ifindex, e->key, NULL, e->val);
	}
}

struct fault {
	int ifindex;
	const char *key;
	char msg[640];
};

struct undoer {
	struct nt_sys *s;
	struct nt_set *set;
	struct nt_change_result *ret;
	struct nt_watch w;
	struct nt_links links;
	struct nt_state now, found; /* found: as the undo met it first */
	bool unread;		    /* now lacks something that could not be read */
	struct nt_err unread_err;
	struct nt_entry *todo; /* what to write */
	size_t n_todo, cap_todo;
	struct fault *faults; /* why a value could not be written, the last word */
	size_t n_faults, cap_faults;
	struct nt_state earlier; /* what an undo that did not end meant to write */
	bool first_pass;
};

static const char *keep_text(struct undoer *u, const char *s)
{
	return s ? nt_arena_strdup(&u->ret->arena, s) : NULL;
}

static struct nt_undo_item *item(struct undoer *u, int ifindex, const char *key)
{
	const char *link = ifindex ? nt_set_link_name(u->set, ifindex) : "";
	struct nt_undo_item *it;
	size_t i;

	for (i = 0; i < u->ret->n_undo; i++) {
		it = &u->ret->undo[i];
		if (strcmp(it->link, link) == 0 && strcmp(it->key, key) == 0)
			return it;
	}
	NT_GROW(u->ret->undo, u->ret->n_undo, u->ret->cap_undo);
	it = &u->ret->undo[u->ret->n_undo++];
	*it = (struct nt_undo_item){ .link = keep_text(u, link), .key = keep_text(u, key) };
	return it;
}

/* Whether a step that may have been written touches this value's link or file. */
static bool open_here(const struct undoer *u, int ifindex, const char *key)
{
	char step_key[300];
	size_t i;

	for (i = 0; i < u->set->n_steps; i++) {
		const struct nt_set_step *st = &u->set->steps[i];

		if (st->state != NT_STEP_OPEN &&
			!(u->set->damaged && st->state == NT_STEP_WAITING))
			continue;
		if (st->ifindex != ifindex)
			continue;
		if (ifindex)
			return true;
		nt_state_key(st->tunable, step_key, sizeof step_key);
		if (strcmp(step_key, key) == 0)
			return true;
	}
	return false;
}

/*
 * Whether an open step of this link was written at all: its value moved. When it did not,
 * other differences on the link are not its doing.
 */
static bool open_written(struct undoer *u, int ifindex)
{
	char was[NT_VALUE_MAX], is[NT_VALUE_MAX];
	size_t i;

	for (i = 0; i < u->set->n_steps; i++) {
		const struct nt_set_step *st = &u->set->steps[i];

		if (st->ifindex != ifindex || (st->state != NT_STEP_OPEN && !u->set->damaged))
			continue;
		if (nt_state_value(&u->set->after, ifindex, st->tunable, was, sizeof was) < 0 ||
			nt_state_value(&u->found, ifindex, st->tunable, is, sizeof is) < 0 ||
			!nt_val_equal(st->tunable, was, is))
			return true;
	}
	return false;
}

static bool step_has(const struct nt_set_step *st, int ifindex, const char *key)
{
	char step_key[300];

	nt_state_key(st->tunable, step_key, sizeof step_key);
	return st->ifindex == ifindex && st->state != NT_STEP_WAITING &&
	       strcmp(step_key, key) == 0;
}

/*
 * Whether now is what steps of the set wrote, or the driver made of it; of a vector all
 * elements that steps wrote.
 */
static bool step_wrote(struct undoer *u, int ifindex, const char *key)
{
	char is[NT_VALUE_MAX];
	bool any = false;
	size_t i;

	for (i = 0; i < u->set->n_steps; i++) {
		const struct nt_set_step *st = &u->set->steps[i];

		if (!step_has(st, ifindex, key))
			continue;
		if (nt_state_value(&u->now, ifindex, st->tunable, is, sizeof is) < 0 ||
			!(nt_val_equal(st->tunable, is, st->to) ||
				(st->got && nt_val_equal(st->tunable, is, st->got))))
			return false;
		any = true;
	}
	return any;
}

/* Whether the set has to do with this value at all. */
static bool touched(struct undoer *u, int ifindex, const char *key, const char *before)
{
	char step_key[300];
	size_t i;

	if (!nt_val_equal(key, before, nt_state_get(&u->set->after, ifindex, key)) ||
		nt_state_get(&u->set->undoing, ifindex, key))
		return true;
	for (i = 0; i < u->set->n_steps; i++) {
		const struct nt_set_step *st = &u->set->steps[i];

		nt_state_key(st->tunable, step_key, sizeof step_key);
		if (st->ifindex == ifindex && strcmp(step_key, key) == 0 &&
			(st->state != NT_STEP_WAITING || u->set->damaged))
			return true;
	}
	return false;
}

/*
 * Whether the value is as a step wanted it that, says the journal, was never begun: the end
 * of the journal may have been lost, and what is not known to be ours is not written.
 */
static bool as_waiting_step(struct undoer *u, int ifindex, const char *key)
{
	char step_key[300], is[NT_VALUE_MAX];
	size_t i;

	for (i = 0; i < u->set->n_steps; i++) {
		const struct nt_set_step *st = &u->set->steps[i];

		if (st->ifindex != ifindex || st->state != NT_STEP_WAITING)
			continue;
		nt_state_key(st->tunable, step_key, sizeof step_key);
		if (strcmp(step_key, key) == 0 &&
			nt_state_value(&u->now, ifindex, st->tunable, is, sizeof is) == 0 &&
			nt_val_equal(st->tunable, is, st->to))
			return true;
	}
	return false;
}

/* An undo that was cut short may have moved any value of a link that it wrote to. */
static bool cut_short(const struct undoer *u, int ifindex)
{
	size_t i;

	for (i = 0; ifindex && i < u->earlier.n; i++)
		if (u->earlier.v[i].ifindex == ifindex)
			return true;
	return false;
}

static bool ours(struct undoer *u, int ifindex, const char *key, const char *before,
	const char *now)
{
	const char *after = nt_state_get(&u->set->after, ifindex, key);

	if (nt_val_equal(key, now, after) && !nt_val_equal(key, after, before))
		return true;
	if (nt_state_get(&u->set->undoing, ifindex, key) || step_wrote(u, ifindex, key))
		return true;
	if (open_here(u, ifindex, key) && (!ifindex || open_written(u, ifindex)))
		return true;
	if (cut_short(u, ifindex) && touched(u, ifindex, key, before))
		return true;
	/* moved by a write of this undo */
	return !u->first_pass &&
	       nt_val_equal(key, nt_state_get(&u->found, ifindex, key), before);
}

static void list(struct undoer *u, int ifindex, const char *key, const char *before,
	const char *now, enum nt_undo_state state, const char *why)
{
	struct nt_undo_item *it = item(u, ifindex, key);

	it->state = state;
	it->before = keep_text(u, before);
	it->now = keep_text(u, now);
	it->why = keep_text(u, why);
}

/* False when the link is not there to be written; what the set changed on it is listed. */
static bool link_there(struct undoer *u, int ifindex, const char *key, const char *before)
{
	const struct nt_link *l;
	struct nt_err e;
	int rc;

	if (!ifindex)
		return true;
	rc = nt_set_check_link(u->set, &u->links, ifindex, &l, &e);
	if (rc == 0)
		return true;
	if (touched(u, ifindex, key, before)) {
		if (rc == -ENODEV && !u->unread)
			list(u, ifindex, key, before, NULL, NT_UNDO_GONE, e.msg);
		else
			list(u, ifindex, key, before, NULL, NT_UNDO_FAILED,
				u->unread ? u->unread_err.msg : e.msg);
	}
	return false;
}

static void list_foreign(struct undoer *u, int ifindex, const char *key, const char *before,
	const char *now)
{
	const struct nt_link *l = ifindex ? nt_links_by_index(&u->links, ifindex) : NULL;
	const struct nt_tunable *row = nt_tunable_find(key);

	if (!now && l && row && row->kind >= NT_TUN_RPS && !nt_sys_link_in_sysfs(u->s, l))
		list(u, ifindex, key, before, now, NT_UNDO_FAILED,
			"/sys shows the links of another network namespace");
	else
		list(u, ifindex, key, before, now, NT_UNDO_FOREIGN,
			"somebody else changed it since");
}

static void collect(void *arg, int ifindex, const char *key, const char *before,
	const char *now)
{
	struct undoer *u = arg;

	/* a value that was not there before: nothing to write */
	if (!before || !link_there(u, ifindex, key, before))
		return;
	/* what could not be read may be as it was; what the set touched is written unseen */
	if (!now && u->unread) {
		if (!touched(u, ifindex, key, before))
			return;
	} else if (!ours(u, ifindex, key, before, now)) {
		if (u->first_pass && touched(u, ifindex, key, before))
			list_foreign(u, ifindex, key, before, now);
		else if (u->first_pass && as_waiting_step(u, ifindex, key))
			list(u, ifindex, key, before, now, NT_UNDO_FOREIGN,
				"the change wanted this, but its journal says that it was not begun");
		return;
	}
	NT_GROW(u->todo, u->n_todo, u->cap_todo);
	u->todo[u->n_todo++] = (struct nt_entry){ ifindex, key, before };
}

static int cmp_entries(const void *pa, const void *pb)
{
	const struct nt_entry *a = pa, *b = pb;
	int d = nt_change_rank(a->key) - nt_change_rank(b->key);

	if (!d)
		d = (a->ifindex > b->ifindex) - (a->ifindex < b->ifindex);
	return d ? d : strcmp(a->key, b->key);
}

static void fault(struct undoer *u, const struct nt_entry *e, const struct nt_err *err)
{
	struct fault *f = NULL;
	size_t i;

	for (i = 0; i < u->n_faults && !f; i++)
		if (u->faults[i].ifindex == e->ifindex && strcmp(u->faults[i].key, e->key) == 0)
			f = &u->faults[i];
	if (!f) {
		NT_GROW(u->faults, u->n_faults, u->cap_faults);
		f = &u->faults[u->n_faults++];
		f->ifindex = e->ifindex;
		f->key = keep_text(u, e->key);
	}
	if (*err->kernel)
		snprintf(f->msg, sizeof f->msg, "%s (kernel: %s)", err->msg, err->kernel);
	else
		snprintf(f->msg, sizeof f->msg, "%s", err->msg);
}

static void write_todo(struct undoer *u)
{
	struct nt_err e;
	size_t i, k, n;

	if (u->n_todo)
		qsort(u->todo, u->n_todo, sizeof *u->todo, cmp_entries);
	for (i = 0; i < u->n_todo; i += n) {
		for (n = 1; i + n < u->n_todo && nt_entry_joins(&u->todo[i], &u->todo[i + n]);)
			n++;
		for (k = i; k < i + n; k++) {
			struct nt_undo_item *it = item(u, u->todo[k].ifindex, u->todo[k].key);

			it->before = keep_text(u, u->todo[k].val);
			it->now = keep_text(u, nt_state_get(&u->found, u->todo[k].ifindex,
						    u->todo[k].key));
		}
		/* undoing matters more than telling that it is under way */
		nt_journal_undo_intent(u->set, u->todo + i, n, NULL);
		nt_err_clear(&e);
		if (nt_state_write(u->s, &u->links, u->todo[i].ifindex, u->todo + i, n, &e) == 0)
			continue;
		for (k = i; k < i + n; k++)
			fault(u, &u->todo[k], &e);
	}
}

static void hear_unread(void *arg, int ifindex, int kind, const char *what,
	const struct nt_err *e)
{
	struct undoer *u = arg;

	(void)ifindex;
	(void)kind;
	/* a file that has gone is seen by its absence; a link too, at the next try */
	if (e->code == -ENOENT || u->unread)
		return;
	u->unread = true;
	u->unread_err = *e;
	nt_err_prefix(&u->unread_err, "cannot read %s", what);
}

static void read_now(struct undoer *u)
{
	static const struct timespec pause = { 0, 20000000 };
	int tries;

	for (tries = 0; tries < 3; tries++) {
		if (tries)
			nanosleep(&pause, NULL);
		nt_state_free(&u->now);
		u->unread = false;
		nt_state_read(u->s, &u->w, &u->links, &u->now, hear_unread, u, NULL);
		if (!u->unread)
			return;
	}
}

static void watch_set(struct undoer *u)
{
	struct nt_state *b = &u->set->before;
	size_t i;

	for (i = 0; i < u->set->n_links; i++) {
		NT_GROW(u->w.links, u->w.n_links, u->w.cap_links);
		u->w.links[u->w.n_links++] =
			(struct nt_watch_link){ .ifindex = u->set->links[i].ifindex,
				.irqs = true };
	}
	for (i = 0; i < b->n; i++) {
		if (b->v[i].ifindex) {
			nt_watch_irq(&u->w, b->v[i].ifindex, b->v[i].key);
			continue;
		}
		NT_GROW(u->w.sysctls, u->w.n_sysctls, u->w.cap_sysctls);
		u->w.sysctls[u->w.n_sysctls++] = nt_strdup(b->v[i].key);
	}
}

/* Say of every value that was written whether it came back. */
static void conclude(struct undoer *u)
{
	size_t i, k;

	for (i = 0; i < u->n_todo; i++) {
		struct nt_undo_item *it = item(u, u->todo[i].ifindex, u->todo[i].key);
		const char *now = nt_state_get(&u->now, u->todo[i].ifindex, u->todo[i].key);

		it->state = NT_UNDO_FAILED;
		it->why = u->unread ? keep_text(u, u->unread_err.msg)
				    : "it was written and did not take";
		it->now = keep_text(u, now);
		for (k = 0; k < u->n_faults; k++)
			if (u->faults[k].ifindex == u->todo[i].ifindex &&
				strcmp(u->faults[k].key, u->todo[i].key) == 0)
				it->why = keep_text(u, u->faults[k].msg);
	}
	for (i = 0; i < u->ret->n_undo; i++)
		u->ret->n_left += u->ret->undo[i].state == NT_UNDO_FAILED ||
				  u->ret->undo[i].state == NT_UNDO_FOREIGN;
}

int nt_set_undo(struct nt_sys *s, struct nt_set *set, const char *why,
	struct nt_change_result *ret, struct nt_err *err)
{
	struct undoer u = { .s = s, .set = set, .ret = ret, .first_pass = true };
	int pass, rc = 0;

	ret->undone = true;
	if (!set->undone)
		nt_state_copy(&u.earlier, &set->undoing);
	nt_journal_undo(set, why, NULL);
	watch_set(&u);
	for (pass = 0; pass < PASSES; pass++) {
		read_now(&u);
		if (pass == 0)
			nt_state_copy(&u.found, &u.now);
		u.first_pass = pass == 0;
		u.n_todo = 0;
		nt_state_diff(&set->before, &u.now, collect, &u);
		if (!u.n_todo || pass == PASSES - 1)
			break;
		write_todo(&u);
	}
	conclude(&u);
	if (ret->n_left)
		rc = nt_err_set(err, -EUCLEAN,
			"%u value%s of change set %u could not be put back", ret->n_left,
			ret->n_left == 1 ? "" : "s", set->id);
	nt_journal_undone(set, ret->n_left, NULL);
	free(u.todo);
	free(u.faults);
	nt_watch_free(&u.w);
	nt_links_free(&u.links);
	nt_state_free(&u.now);
	nt_state_free(&u.found);
	nt_state_free(&u.earlier);
	return rc;
}
