/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "nettune/mem.h"
#include "nettune/ping.h"
#include "check.h"
#include "set.h"
#include "undo.h"

struct applier {
	struct nt_sys *s;
	struct nt_plan *p;
	const struct nt_apply_opts *o;
	struct nt_change_result *ret;
	struct nt_set set;
	struct nt_watch w;
	struct nt_links links;
	struct nt_state cur; /* as read last */
	bool blind;	     /* some of the state can't be read on this host at all */
	bool narrowed;	     /* some of what is watched was not read around every step */
	struct nt_ping *ping;
	size_t *of; /* set step -> plan step */
};

void nt_change_result_free(struct nt_change_result *r)
{
	free(r->undo);
	free(r->side);
	nt_arena_free(&r->arena);
	memset(r, 0, sizeof *r);
}

static const char *text_of(struct nt_plan *p, const char *s)
{
	return s ? nt_arena_strdup(&p->arena, s) : NULL;
}

/* Read again what w names; a passing failure is no reason to give up. */
static int read_state(struct applier *a, struct nt_err *err)
{
	static const struct timespec pause = { 0, 20000000 };
	int tries, rc = 0;

	for (tries = 0; tries < 3; tries++) {
		if (tries)
			nanosleep(&pause, NULL);
		nt_state_free(&a->cur);
		rc = nt_state_read(a->s, &a->w, &a->links, &a->cur, NULL, NULL, err);
		if (rc == 0)
			break;
	}
	return rc;
}

/* Another change set that is not over must not be built upon. */
static int refuse_unfinished(struct applier *a, const struct nt_place_id *here,
	struct nt_err *err)
{
	struct nt_set old;
	unsigned *ids;
	size_t n, i;
	int rc = nt_journal_list(a->o->state_dir, &ids, &n, err);

	for (i = n; rc == 0 && i > 0; i--) {
		struct nt_err e;
		int loaded = nt_journal_load(a->o->state_dir, ids[i - 1], &old, &e);

		if (loaded == -EBADMSG && nt_journal_recent(a->o->state_dir, ids[i - 1]))
			rc = nt_err_set(err, -EBADMSG,
				"%s: what it changed is not known; see to the host, then move it away",
				e.msg);
		if (loaded == 0 && nt_place_check(here, &old, NULL) == 0) {
			enum nt_set_status st = nt_set_status(&old, here);

			if (st == NT_SET_OPEN)
				rc = nt_err_set(err, -EBUSY,
					"change set %u was left unfinished: nettune --rollback %u",
					old.id, old.id);
			else if (st == NT_SET_PENDING)
				rc = nt_err_set(err, -EBUSY,
					"change set %u still waits: nettune --keep, or --rollback %u",
					old.id, old.id);
		}
		nt_set_free(&old);
	}
	free(ids);
	return rc;
}

/* Every selected step against the host as it is. */
static int match(struct applier *a, struct nt_err *err)
{
	char now[NT_VALUE_MAX], from[NT_VALUE_MAX], who[200];
	size_t i;

	for (i = 0; i < a->p->n; i++) {
		struct nt_step *st = &a->p->v[i];
		int ifindex = nt_step_ifindex(st, &a->links);

		if (!st->selected)
			continue;
		if (ifindex < 0)
			return nt_err_set(err, -ENODEV, "no link '%s'", st->link);
		if (nt_state_value(&a->cur, ifindex, st->tunable, now, sizeof now) < 0)
			return nt_err_set(err, -EIO, "cannot read %s of '%s'", st->tunable,
				*st->link ? st->link : "the host");
		nt_fact_format(from, sizeof from, &st->from);
		if (st->from.type == NT_FACT_ABSENT || nt_val_equal(st->tunable, now, from))
			continue;
		nt_managers_suspect(a->s, st->tunable, who, sizeof who);
		return nt_err_set(err, -ESTALE,
			"the host no longer matches the plan: %s%s%s is '%s', the plan says '%s'%s",
			st->tunable, *st->link ? " of " : "", st->link, now, from, who);
	}
	return 0;
}

static void build_set(struct applier *a)
{
	size_t i;

	a->set.time = time(NULL);
	a->set.pid = (int)getpid();
	a->set.confirm_s = a->o->confirm_s;
	a->of = nt_calloc(a->p->n, sizeof *a->of);
	for (i = 0; i < a->p->n; i++) {
		struct nt_step *st = &a->p->v[i];
		struct nt_set_step *ss;
		char now[NT_VALUE_MAX] = "", to[NT_VALUE_MAX];

		if (!st->selected)
			continue;
		NT_GROW(a->set.steps, a->set.n_steps, a->set.cap_steps);
		ss = &a->set.steps[a->set.n_steps];
		a->of[a->set.n_steps++] = i;
		*ss = (struct nt_set_step){ .ifindex = nt_step_ifindex(st, &a->links),
			.risk = st->risk };
		nt_state_value(&a->cur, ss->ifindex, st->tunable, now, sizeof now);
		nt_fact_format(to, sizeof to, &st->to);
		if (st->from.type == NT_FACT_ABSENT)
			st->from = (struct nt_fact){ .type = NT_FACT_TEXT,
				.v.s = text_of(a->p, now) };
		ss->tunable = nt_arena_strdup(&a->set.arena, st->tunable);
		ss->link = nt_arena_strdup(&a->set.arena, st->link);
		ss->from = nt_arena_strdup(&a->set.arena, now);
		ss->to = nt_arena_strdup(&a->set.arena, to);
		ss->rule = nt_arena_strdup(&a->set.arena, st->rule);
	}
	for (i = 0; i < a->w.n_links; i++) {
		const struct nt_link *l = nt_links_by_index(&a->links, a->w.links[i].ifindex);

		if (l)
			nt_set_add_link(&a->set, l);
	}
	nt_state_copy(&a->set.before, &a->cur);
	nt_state_copy(&a->set.after, &a->cur);
}

/* A vector sysctl's text with the elements of the n steps put in. */
static void vector_text(struct applier *a, const size_t *idx, size_t n, const char *whole,
	struct nt_buf *ret)
{
	char path[256];
	int index, i;
	size_t k, len;

	for (i = 0; *whole; i++) {
		const char *word = whole;

		len = strcspn(whole, " ");
		whole += len;
		whole += strspn(whole, " ");
		for (k = 0; k < n; k++) {
			nt_tunable_sysctl(a->set.steps[idx[k]].tunable, path, sizeof path, &index);
			if (index == i) {
				word = a->set.steps[idx[k]].to;
				len = strlen(word);
			}
		}
		if (i)
			nt_buf_addc(ret, ' ');
		nt_buf_add(ret, word, len);
	}
}

struct request {
	struct nt_entry *v;
	size_t n, cap;
	struct nt_arena arena;
};

static void request_add(struct request *r, int ifindex, const char *key, const char *val)
{
	NT_GROW(r->v, r->n, r->cap);
	r->v[r->n++] = (struct nt_entry){ ifindex, nt_arena_strdup(&r->arena, key),
		nt_arena_strdup(&r->arena, val) };
}

/* The entries to write for the steps of one group. */
static void build_request(struct applier *a, const size_t *idx, size_t n, struct request *r)
{
	char key[300], path[256];
	struct nt_buf b = { 0 };
	size_t i, k;
	int index;

	for (i = 0; i < n; i++) {
		const struct nt_set_step *st = &a->set.steps[idx[i]];

		nt_state_key(st->tunable, key, sizeof key);
		if (nt_tunable_sysctl(st->tunable, path, sizeof path, &index) > 1 && index >= 0) {
			if (i)
				continue;
			vector_text(a, idx, n, nt_state_get(&a->cur, 0, key), &b);
			request_add(r, 0, key, nt_buf_str(&b));
		} else if (strcmp(st->tunable, "feature.tx-checksumming") == 0) {
			for (k = 0; k < a->cur.n; k++)
				if (a->cur.v[k].ifindex == st->ifindex &&
					nt_glob("feature.tx-checksum-*", a->cur.v[k].key))
					request_add(r, st->ifindex, a->cur.v[k].key, st->to);
		} else {
			request_add(r, st->ifindex, key, st->to);
		}
	}
	nt_buf_free(&b);
}

struct mover {
	struct nt_moved *v;
	size_t n, cap;
};

static void add_moved(void *arg, int ifindex, const char *key, const char *from,
	const char *to)
{
	struct mover *m = arg;

	(void)from;
	NT_GROW(m->v, m->n, m->cap);
	m->v[m->n++] = (struct nt_moved){ ifindex, key, to };
}

static void tell(struct applier *a, size_t k)
{
	if (a->o->step)
		a->o->step(a->o->arg, &a->p->v[a->of[k]]);
}

static void step_failed(struct applier *a, size_t k, const struct nt_err *e)
{
	struct nt_step *st = &a->p->v[a->of[k]];

	st->outcome = NT_OUT_FAILED;
	st->error = text_of(a->p, e->msg);
	st->kernel = *e->kernel ? text_of(a->p, e->kernel) : NULL;
	a->set.steps[k].error = nt_arena_strdup(&a->set.arena, e->msg);
}

/*
 * Whether every step of the group still has the value it is known to have, or already the
 * wanted one through an earlier step; then *ret_same.
 */
static int unchanged(struct applier *a, const size_t *idx, size_t n, bool *ret_same,
	struct nt_err *err)
{
	char now[NT_VALUE_MAX], known[NT_VALUE_MAX], who[200];
	size_t i, same = 0;

	for (i = 0; i < n; i++) {
		const struct nt_set_step *st = &a->set.steps[idx[i]];

		if (nt_state_value(&a->cur, st->ifindex, st->tunable, now, sizeof now) < 0)
			return nt_err_set(err, -ENODEV, "%s of '%s' can no longer be read",
				st->tunable, *st->link ? st->link : "the host");
		if (nt_val_equal(st->tunable, now, st->to)) {
			same++;
			continue;
		}
		if (nt_state_value(&a->set.after, st->ifindex, st->tunable, known,
			    sizeof known) == 0 &&
			nt_val_equal(st->tunable, now, known))
			continue;
		nt_managers_suspect(a->s, st->tunable, who, sizeof who);
		return nt_err_set(err, -ESTALE,
			"somebody else changed %s%s%s to '%s' in the meantime%s", st->tunable,
			*st->link ? " of " : "", st->link, now, who);
	}
	*ret_same = same == n;
	return 0;
}

/* What the steps of the group read after the write, and before it in pre. -errno of one
 * that did not take. */
static int judge_group(struct applier *a, const size_t *idx, size_t n, struct nt_state *pre,
	struct nt_err *err)
{
	char got[NT_VALUE_MAX], was[NT_VALUE_MAX];
	size_t i;
	int rc = 0;

	for (i = 0; i < n; i++) {
		struct nt_set_step *ss = &a->set.steps[idx[i]];
		struct nt_step *st = &a->p->v[a->of[idx[i]]];
		struct nt_err e = { 0 };

		if (nt_state_value(&a->cur, ss->ifindex, ss->tunable, got, sizeof got) < 0) {
			rc = nt_err_set(&e, -EIO, "%s can no longer be read", ss->tunable);
		} else {
			ss->got = nt_arena_strdup(&a->set.arena, got);
			st->got = text_of(a->p, got);
			if (nt_val_equal(ss->tunable, got, ss->to))
				st->outcome = NT_OUT_DONE;
			else if (nt_state_value(pre, ss->ifindex, ss->tunable, was,
					 sizeof was) == 0 &&
				 !nt_val_equal(ss->tunable, got, was))
				st->outcome = NT_OUT_CLAMPED;
			else
				rc = nt_err_set(&e, -EIO,
					"%s was accepted without effect: it is still '%s'",
					ss->tunable, got);
		}
		if (e.code) {
			step_failed(a, idx[i], &e);
			if (err)
				*err = e;
		}
	}
	return rc;
}

static int write_group(struct applier *a, const size_t *idx, size_t n, struct nt_err *err)
{
	struct request r = { 0 };
	struct mover m = { 0 };
	struct nt_state pre = { 0 };
	struct nt_err e = { 0 }, e2;
	size_t i;
	int rc, rc_read;

	nt_state_copy(&pre, &a->cur);
	build_request(a, idx, n, &r);
	rc = nt_journal_intent(&a->set, idx, n, err);
	if (rc)
		goto out;
	a->ret->changed = true;
	rc = nt_state_write(a->s, &a->links, r.v->ifindex, r.v, r.n, &e);
	rc_read = read_state(a, &e2);
	if (rc_read && a->blind)
		rc_read = 0;
	if (rc || rc_read) {
		if (!rc) {
			e = e2;
			nt_err_prefix(&e, "cannot read back");
			rc = rc_read;
		}
		for (i = 0; i < n; i++)
			step_failed(a, idx[i], &e);
		*err = e;
	} else {
		rc = judge_group(a, idx, n, &pre, err);
	}
	/* without a reading the steps stay open in the journal: what they did is not known */
	if (!rc_read) {
		nt_state_diff(&pre, &a->cur, add_moved, &m);
		rc_read = nt_journal_done(&a->set, idx, n, rc != 0, m.v, m.n, &e2);
		if (!rc && rc_read) {
			rc = rc_read;
			*err = e2;
		}
	}
out:
	free(m.v);
	free(r.v);
	nt_arena_free(&r.arena);
	nt_state_free(&pre);
	return rc;
}

static int reachable(struct applier *a, enum nt_risk risk, struct nt_err *err)
{
	int rc;

	if (!a->ping || risk == NT_RISK_NONE)
		return 0;
	/* a link that goes down needs some seconds to negotiate again */
	rc = nt_ping_wait(a->ping, risk == NT_RISK_LINK ? 15000 : 4000, err);
	if (rc < 0)
		nt_err_prefix(err, "undone");
	return rc;
}

/*
 * Around a step only what it can move is read whole. Where some of the state can't be read
 * there is no telling what is left out at the end: then all is read every time.
 */
static void look_near(struct applier *a, int ifindex)
{
	size_t i;

	nt_watch_near(&a->w, &a->links, a->blind ? 0 : ifindex);
	for (i = 0; i < a->w.n_links; i++)
		a->narrowed |= a->w.links[i].far;
}

static int do_group(struct applier *a, const size_t *idx, size_t n, struct nt_err *err)
{
	bool same = false;
	size_t i;
	int rc;

	if (a->o->stop && a->o->stop(a->o->arg))
		return nt_err_set(err, -EINTR, "interrupted");
	look_near(a, a->set.steps[idx[0]].ifindex);
	rc = read_state(a, err);
	if (rc && !a->blind)
		return rc;
	rc = unchanged(a, idx, n, &same, err);
	for (i = 0; i < n; i++)
		tell(a, idx[i]);
	for (i = 0; same && i < n; i++)
		a->p->v[a->of[idx[i]]].outcome = NT_OUT_SAME;
	if (rc == 0 && !same) {
		rc = write_group(a, idx, n, err);
		if (rc == 0)
			rc = reachable(a, a->set.steps[idx[0]].risk, err);
	}
	if (rc)
		for (i = 0; i < n; i++)
			if (!a->p->v[a->of[idx[i]]].error)
				step_failed(a, idx[i], err);
	for (i = 0; i < n; i++)
		tell(a, idx[i]);
	return rc;
}

/* Groups of steps that go into one request, in the plan's order. */
static int do_steps(struct applier *a, struct nt_err *err)
{
	bool *done = nt_calloc(a->set.n_steps, sizeof *done);
	size_t *idx = nt_calloc(a->set.n_steps, sizeof *idx), n, i, k;
	int rc = 0;

	for (i = 0; rc == 0 && i < a->set.n_steps; i++) {
		const struct nt_set_step *first = &a->set.steps[i];

		if (done[i])
			continue;
		n = 0;
		for (k = i; k < a->set.n_steps; k++) {
			const struct nt_set_step *st = &a->set.steps[k];

			if (k != i && (done[k] || st->ifindex != first->ifindex ||
					      !nt_tunable_joins(first->tunable, st->tunable)))
				continue;
			done[k] = true;
			idx[n++] = k;
		}
		rc = do_group(a, idx, n, err);
	}
	free(done);
	free(idx);
	return rc;
}

struct settler {
	struct applier *a;
	struct mover m;
};

/*
 * A value that moved unseen while other links were changed: recorded, to be told and undone.
 * Values that steps name are left out: who wrote them is known, or is for the undo to find.
 */
static void add_unseen(void *arg, int ifindex, const char *key, const char *from,
	const char *to)
{
	struct settler *s = arg;
	const struct nt_set *set = &s->a->set;
	char step_key[300];
	bool was_far = false;
	size_t i;

	for (i = 0; i < s->a->w.n_links; i++)
		was_far |= s->a->w.links[i].ifindex == ifindex && s->a->w.links[i].was_far;
	if (!was_far || nt_key_of_far(key))
		return;
	for (i = 0; i < set->n_steps; i++) {
		if (set->steps[i].ifindex != ifindex)
			continue;
		nt_state_key(set->steps[i].tunable, step_key, sizeof step_key);
		if (set->steps[i].state == NT_STEP_OPEN || strcmp(step_key, key) == 0)
			return;
	}
	add_moved(&s->m, ifindex, key, from, to);
}

/* After the steps, all of it once more. */
static int settle(struct applier *a, struct nt_err *err)
{
	struct settler s = { .a = a };
	int rc;

	if (!a->narrowed)
		return 0;
	nt_watch_near(&a->w, &a->links, 0);
	rc = read_state(a, err);
	if (rc)
		return rc;
	nt_state_diff(&a->set.after, &a->cur, add_unseen, &s);
	if (s.m.n)
		rc = nt_journal_done(&a->set, NULL, 0, false, s.m.v, s.m.n, err);
	free(s.m.v);
	return rc;
}

static void add_side(void *arg, int ifindex, const char *key, const char *from,
	const char *to)
{
	struct applier *a = arg;
	struct nt_change_result *r = a->ret;
	char step_key[300];
	size_t i;

	for (i = 0; i < a->set.n_steps; i++) {
		nt_state_key(a->set.steps[i].tunable, step_key, sizeof step_key);
		if (a->set.steps[i].ifindex == ifindex && strcmp(step_key, key) == 0)
			return;
	}
	NT_GROW(r->side, r->n_side, r->cap_side);
	r->side[r->n_side++] = (struct nt_side){
		.link = nt_arena_strdup(&r->arena,
			ifindex ? nt_set_link_name(&a->set, ifindex) : ""),
		.key = nt_arena_strdup(&r->arena, key),
		.from = from ? nt_arena_strdup(&r->arena, from) : NULL,
		.to = to ? nt_arena_strdup(&r->arena, to) : NULL,
	};
}

/* Everything up to the first write; *ret_todo false when there is nothing to do. */
static int prepare(struct applier *a, bool *ret_todo, struct nt_err *err)
{
	int rc = nt_place_here(a->s, &a->set.place, err);

	*ret_todo = false;
	if (rc == 0)
		rc = refuse_unfinished(a, &a->set.place, err);
	if (rc == 0)
		rc = nt_plan_check(a->s, a->p, a->o->state_dir, err);
	if (rc || nt_plan_selected(a->p) == 0)
		return rc;
	rc = a->s->ops->links(a->s, &a->links, err);
	if (rc)
		return rc;
	nt_watch_plan(&a->w, a->p, &a->links);
	a->blind = read_state(a, err) != 0;
	rc = match(a, err);
	if (rc == 0 && a->o->ping_host)
		rc = nt_ping_open(a->o->ping_host, &a->ping, err);
	if (rc == 0 && a->ping && (rc = nt_ping_wait(a->ping, 4000, err)) < 0)
		nt_err_prefix(err, "nothing was changed");
	*ret_todo = rc == 0;
	return rc;
}

static void mark_undone(struct applier *a)
{
	size_t i;

	for (i = 0; i < a->set.n_steps; i++) {
		struct nt_step *st = &a->p->v[a->of[i]];

		if (st->outcome == NT_OUT_DONE || st->outcome == NT_OUT_CLAMPED)
			st->outcome = NT_OUT_UNDONE;
	}
}

static int run(struct applier *a, struct nt_err *err)
{
	struct nt_err undo_err = { 0 };
	int rc;

	build_set(a);
	rc = nt_journal_create(a->o->state_dir, &a->set, err);
	if (rc)
		return rc;
	a->ret->id = a->set.id;
	if (a->o->confirm_s)
		rc = nt_guardian_start(a->o->state_dir, &a->set, a->ret->note,
			sizeof a->ret->note, err);
	if (rc == 0)
		rc = do_steps(a, err);
	if (rc == 0)
		rc = settle(a, err);
	else
		settle(a, &undo_err);
	if (rc == 0)
		rc = nt_journal_end(&a->set, err);
	if (rc == 0) {
		nt_state_diff(&a->set.before, &a->set.after, add_side, a);
		return 0;
	}
	nt_set_undo(a->s, &a->set, err->msg, a->ret, &undo_err);
	a->ret->changed = a->ret->n_left != 0;
	mark_undone(a);
	return rc;
}

int nt_apply(struct nt_sys *s, struct nt_plan *p, const struct nt_apply_opts *opts,
	struct nt_change_result *ret, struct nt_err *err)
{
	struct applier a = { .s = s, .p = p, .o = opts, .ret = ret };
	struct nt_err local = { 0 };
	struct nt_lock lock;
	bool todo;
	int rc;

	if (!err)
		err = &local;
	nt_err_clear(err);
	memset(ret, 0, sizeof *ret);
	nt_set_init(&a.set);
	rc = nt_lock_take(opts->state_dir, "applying", &lock, err);
	if (rc)
		return rc;
	rc = prepare(&a, &todo, err);
	if (rc == 0 && todo)
		rc = run(&a, err);
	nt_ping_close(a.ping);
	free(a.of);
	nt_watch_free(&a.w);
	nt_state_free(&a.cur);
	nt_links_free(&a.links);
	nt_set_free(&a.set);
	nt_lock_drop(&lock);
	return rc;
}
