/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nettune/buf.h"
#include "undo.h"

static bool listed(const char *const *list, const char *id)
{
	for (; list && *list; list++)
		if (strcmp(*list, id) == 0)
			return true;
	return false;
}

struct nt_fact nt_plan_fact(struct nt_plan *p, const struct nt_fact *f)
{
	struct nt_fact copy = *f;

	copy.id = 0;
	if (f->type == NT_FACT_TEXT || f->type == NT_FACT_VERSION || f->type == NT_FACT_LIST ||
		f->type == NT_FACT_ABSENT)
		copy.v.s = nt_arena_strdup(&p->arena, f->v.s ? f->v.s : "");
	return copy;
}

/* Words joined in the plan's arena. */
static const char *say(struct nt_plan *p, const char *a, const char *b)
{
	char text[256];

	snprintf(text, sizeof text, "%s%s", a, b);
	return nt_arena_strdup(&p->arena, text);
}

struct nt_step *nt_plan_step(struct nt_plan *p, const char *tunable, const char *link)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (strcmp(p->v[i].tunable, tunable) == 0 && strcmp(p->v[i].link, link) == 0)
			return &p->v[i];
	return NULL;
}

struct nt_step *nt_plan_add(struct nt_plan *p, const char *tunable, const char *link,
	const struct nt_fact *from, const struct nt_fact *to, const char *rule)
{
	struct nt_step *st;

	NT_GROW(p->v, p->n, p->cap);
	st = &p->v[p->n++];
	*st = (struct nt_step){
		.tunable = nt_arena_strdup(&p->arena, tunable),
		.link = nt_arena_strdup(&p->arena, link),
		.row = nt_tunable_find(tunable),
		.from = nt_plan_fact(p, from),
		.to = nt_plan_fact(p, to),
		.rule = nt_arena_strdup(&p->arena, rule),
		.selected = true,
	};
	if (st->row)
		st->risk = st->row->risk;
	return st;
}

void nt_plan_leave_out(struct nt_plan *p, struct nt_step *st, const char *why,
	const char *subject)
{
	st->selected = false;
	if (!st->left_out)
		st->left_out = say(p, why, subject);
}

/* Whether the step is what the finding wants: one rule may want two values of the host's. */
static bool wants(const struct nt_finding *fi, const struct nt_step *st)
{
	size_t i;

	if (strcmp(st->rule, fi->rule->id) != 0)
		return false;
	for (i = 0; i < fi->n_changes; i++)
		if (strcmp(fi->changes[i].tunable, st->tunable) == 0 &&
			nt_fact_same(&fi->changes[i].to, &st->to))
			return true;
	return false;
}

static void settle(struct nt_plan *p, const struct nt_findings *f,
	const struct nt_conflict *c)
{
	size_t loser;
	struct nt_step *st;
	const char *link = c->scope && c->scope->kind == NT_SCOPE_LINK ? c->scope->name : "";
	size_t i;

	for (i = 0; i < p->n; i++) {
		st = &p->v[i];
		if (strcmp(st->tunable, c->tunable) != 0 || strcmp(st->link, link) != 0)
			continue;
		for (loser = 0; loser < 2; loser++) {
			size_t me = loser ? c->b : c->a, other = loser ? c->a : c->b;

			if (!wants(&f->v[me], st) || c->winner == (int)me)
				continue;
			nt_plan_leave_out(p, st,
				c->winner < 0 ? "only a measurement can settle the conflict with "
					      : "another value is wanted by ",
				f->v[other].rule->id);
		}
	}
}

/* Whether another selected rule already wants this very value. */
static bool known(const struct nt_plan *p, const struct nt_change *ch, const char *link)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (strcmp(p->v[i].tunable, ch->tunable) == 0 &&
			strcmp(p->v[i].link, link) == 0 && nt_fact_same(&p->v[i].to, &ch->to))
			return true;
	return false;
}

/*
 * What must come before what: a ring, channel or MTU change may reset the device and with
 * it queue masks and qdiscs (N7); scatter-gather and checksums carry segmentation.
 */
int nt_change_rank(const char *tunable)
{
	static const unsigned char kinds[_NT_TUN_MAX] = {
		[NT_TUN_MTU] = 1, [NT_TUN_CHANNELS] = 2, [NT_TUN_RING] = 3, [NT_TUN_PAUSE] = 4,
		[NT_TUN_EEE] = 5, [NT_TUN_COALESCE] = 6, [NT_TUN_FEATURE] = 7,
		[NT_TUN_TXQUEUELEN] = 20, [NT_TUN_QDISC] = 21, [NT_TUN_SYSFS] = 22,
		[NT_TUN_RPS] = 23, [NT_TUN_XPS] = 24, [NT_TUN_IRQ_AFFINITY] = 25,
		[NT_TUN_SYSCTL] = 30,
	};
	const struct nt_tunable *row = nt_tunable_find(tunable);
	int r = row ? kinds[row->kind] : 40;

	if (r != kinds[NT_TUN_FEATURE])
		return r;
	if (nt_glob("feature.tx-scatter-gather*", tunable))
		return r;
	if (nt_glob("feature.*checksum*", tunable))
		return r + 1;
	return r + 2;
}

static int cmp_steps(const void *pa, const void *pb)
{
	const struct nt_step *a = pa, *b = pb;
	int d = nt_change_rank(a->tunable) - nt_change_rank(b->tunable);

	if (!d) /* a bridge can do what its ports do */
		d = (a->depth > b->depth) - (a->depth < b->depth);
	if (!d)
		d = strcmp(a->link, b->link);
	return d ? d : strcmp(a->tunable, b->tunable);
}

void nt_plan_order(struct nt_plan *p)
{
	if (p->n)
		qsort(p->v, p->n, sizeof *p->v, cmp_steps);
}

void nt_plan_limit(struct nt_plan *p, const struct nt_plan_opts *opts)
{
	size_t i;

	for (i = 0; i < p->n; i++) {
		struct nt_step *st = &p->v[i];

		if (opts->only && !listed(opts->only, st->rule))
			nt_plan_leave_out(p, st, "not named by --only", "");
		if (listed(opts->skip, st->rule))
			nt_plan_leave_out(p, st, "named by --skip", "");
		if (st->risk > opts->risk)
			nt_plan_leave_out(p, st, "needs --risk ",
				nt_name_of(nt_risk_names, st->risk));
	}
}

/* Whether a finding's changes are candidates, with its rule named, skipped or neither. */
static bool counts(const struct nt_finding *fi, const struct nt_plan_opts *opts)
{
	if (listed(opts->skip, fi->rule->id))
		return false;
	return opts->only ? listed(opts->only, fi->rule->id)
			  : fi->severity >= NT_SEV_WARNING;
}

static void add_changes(struct nt_plan *p, const struct nt_finding *fi)
{
	size_t k;

	for (k = 0; k < fi->n_changes; k++) {
		const struct nt_change *ch = &fi->changes[k];
		const char *link = ch->scope->kind == NT_SCOPE_LINK ? ch->scope->name : "";

		if (ch->scope->kind == NT_SCOPE_PATH || known(p, ch, link) ||
			nt_fact_same(&ch->from, &ch->to))
			continue;
		nt_plan_add(p, ch->tunable, link, &ch->from, &ch->to, fi->rule->id);
	}
}

/* The global sysctls are not to be seen from inside a network namespace (N8). */
static bool in_namespace(const struct nt_snapshot *s)
{
	const struct nt_fact *own = nt_scope_get(s, &s->host, "sysctl.net.core.somaxconn"),
			     *global = nt_scope_get(s, &s->host,
				     "sysctl.net.core.netdev_max_backlog");

	return s->live && own && own->type != NT_FACT_ABSENT &&
	       (!global || global->type == NT_FACT_ABSENT);
}

/* No tunable twice: the first one, of the worst finding, stays. */
static void once(struct nt_plan *p)
{
	size_t i, k;

	for (i = 0; i < p->n; i++)
		for (k = 0; p->v[i].selected && k < i; k++)
			if (p->v[k].selected && strcmp(p->v[k].tunable, p->v[i].tunable) == 0 &&
				strcmp(p->v[k].link, p->v[i].link) == 0)
				nt_plan_leave_out(p, &p->v[i], "another value is wanted by ",
					p->v[k].rule);
}

/* Links below: ports of a master, what a VLAN or macvlan goes through. */
static unsigned depth_of(const struct nt_snapshot *s, const struct nt_scope *l, unsigned most)
{
	unsigned depth = 0, d;
	size_t i;

	for (i = 0; most && i < s->n_links; i++)
		if (s->links[i]->master == l || l->lower == s->links[i]) {
			d = 1 + depth_of(s, s->links[i], most - 1);
			depth = d > depth ? d : depth;
		}
	return depth;
}

static void set_depths(struct nt_plan *p, const struct nt_snapshot *s)
{
	const struct nt_scope *l;
	size_t i;

	for (i = 0; i < p->n; i++)
		if (i && strcmp(p->v[i].link, p->v[i - 1].link) == 0)
			p->v[i].depth = p->v[i - 1].depth;
		else if ((l = nt_snapshot_link(s, p->v[i].link)))
			p->v[i].depth = depth_of(s, l, 4);
}

void nt_plan_make(const struct nt_findings *f, const struct nt_snapshot *s,
	const struct nt_plan_opts *opts, struct nt_plan *ret)
{
	size_t i;

	memset(ret, 0, sizeof *ret);
	/* what counts comes first: a step stands under the first rule that wants it */
	for (i = 0; i < f->n; i++)
		if (counts(&f->v[i], opts))
			add_changes(ret, &f->v[i]);
	for (i = 0; i < f->n; i++)
		if (!counts(&f->v[i], opts) && f->v[i].severity >= NT_SEV_WARNING)
			add_changes(ret, &f->v[i]);
	for (i = 0; i < f->n_conflicts; i++)
		if (counts(&f->v[f->conflicts[i].a], opts) &&
			counts(&f->v[f->conflicts[i].b], opts))
			settle(ret, f, &f->conflicts[i]);
	nt_plan_limit(ret, opts);
	for (i = 0; s && i < ret->n; i++)
		if (ret->v[i].row && ret->v[i].row->global && in_namespace(s))
			nt_plan_leave_out(ret, &ret->v[i], NT_WHY_GLOBAL, "");
	once(ret);
	if (s)
		set_depths(ret, s);
	nt_plan_order(ret);
}

size_t nt_plan_selected(const struct nt_plan *p)
{
	size_t i, n = 0;

	for (i = 0; i < p->n; i++)
		n += p->v[i].selected;
	return n;
}

void nt_plan_free(struct nt_plan *p)
{
	free(p->v);
	nt_arena_free(&p->arena);
	memset(p, 0, sizeof *p);
}
