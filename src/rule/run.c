/* SPDX-License-Identifier: GPL-2.0-or-later */
/* References on a snapshot: names to ids once, values once a scope. */
#include "config.h"

#include "eval.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *prefix, *reason;
} lacking[] = {
	{ "probe.", "needs a probe" },
	{ "path.", "needs a probe" },
	{ "rate.", "needs two readings" },
};

/* x86's and most others'; where host.page_size is not known. */
#define PAGE_BYTES 4096

double nt_run_to_base(const struct nt_run *r, double x, enum nt_unit unit)
{
	return unit == NT_UNIT_PAGES ? x * r->page_bits : nt_to_base(x, unit);
}

double nt_run_from_base(const struct nt_run *r, double x, enum nt_unit unit)
{
	return unit == NT_UNIT_PAGES ? x / r->page_bits : x / nt_unit_info(unit)->factor;
}

static double page_bytes(const struct nt_snapshot *s)
{
	const struct nt_fact *f = nt_scope_get(s, &s->host, "host.page_size");

	return f && f->type == NT_FACT_INT && f->v.i > 0 ? f->v.i : PAGE_BYTES;
}

/* The name that stands for all of a group, "feature.*" and the like; 0: in no scope. */
static unsigned group_id(const struct nt_snapshot *s, const char *name)
{
	size_t len = strcspn(name, ".");
	char all[32];

	if (len > sizeof all - 3)
		return 0;
	snprintf(all, sizeof all, "%.*s.*", (int)len, name);
	return nt_snapshot_id(s, all);
}

static void bind_pattern(
	struct nt_bound *b, const struct nt_snapshot *s, const char *pattern)
{
	size_t cap = 0;
	unsigned id;

	for (id = 1; id <= s->names.n; id++)
		if (nt_glob(pattern, nt_snapshot_name(s, id))) {
			NT_GROW(b->ids, b->n_ids, cap);
			b->ids[b->n_ids++] = id;
		}
}

void nt_run_init(struct nt_run *r, const struct nt_refs *refs, const struct nt_snapshot *s)
{
	size_t i;

	memset(r, 0, sizeof *r);
	r->s = s;
	r->refs = refs;
	r->now = 1;
	r->page_bits = nt_to_base(page_bytes(s), NT_UNIT_BYTES);
	r->v = nt_calloc(refs->n ? refs->n : 1, sizeof *r->v);
	r->ref_of = nt_calloc(s->names.n + 1, sizeof *r->ref_of);
	for (i = 0; i < refs->n; i++) {
		if (refs->v[i].pattern)
			bind_pattern(&r->v[i], s, refs->v[i].name);
		else
			r->v[i].id = nt_snapshot_id(s, refs->v[i].name);
		r->v[i].group = group_id(s, refs->v[i].name);
		if (refs->v[i].where == NT_WHERE_OWN && r->v[i].id)
			r->ref_of[r->v[i].id] = i + 1;
	}
}

void nt_run_free(struct nt_run *r)
{
	size_t i;

	for (i = 0; i < r->refs->n; i++)
		free(r->v[i].ids);
	free(r->v);
	free(r->ref_of);
	free(r->seen);
	free(r->lacks);
}

void nt_run_scope(struct nt_run *r, const struct nt_scope *scope)
{
	unsigned ref;
	size_t i;

	r->scope = scope;
	r->now++;
	/* one pass is cheaper than a search for each name: most facts are in no cache yet */
	for (i = 0; i < scope->n; i++) {
		ref = r->ref_of[scope->facts[i].id];
		if (ref) {
			r->v[ref - 1].own = &scope->facts[i];
			r->v[ref - 1].own_stamp = r->now;
		}
	}
}

void nt_run_begin(struct nt_run *r)
{
	r->n_seen = 0;
	r->n_lacks = 0;
}

const struct nt_fact *nt_run_own(const struct nt_run *r, unsigned ref)
{
	return r->v[ref].own_stamp == r->now ? r->v[ref].own : NULL;
}

static struct nt_val value_of(
	const struct nt_run *r, const struct nt_fact *f, const char **ret_reason)
{
	struct nt_val v = { .type = NT_V_UNKNOWN };

	switch (f->type) {
	case NT_FACT_INT:
	case NT_FACT_REAL:
		v.num = f->type == NT_FACT_INT ? (double)f->v.i : f->v.r;
		v.num = nt_run_to_base(r, v.num, f->unit);
		v.dim = nt_dim_of(f->unit);
		v.type = isfinite(v.num) ? NT_V_NUM : NT_V_UNKNOWN;
		*ret_reason = "not a finite number";
		break;
	case NT_FACT_BOOL:
	case NT_FACT_SWITCH:
		v.type = NT_V_BOOL;
		v.b = f->v.i;
		break;
	case NT_FACT_VERSION:
		v.s = f->v.s;
		if (nt_version_parse(v.s, &v.ver) == 0)
			v.type = NT_V_VERSION;
		*ret_reason = "not a version";
		break;
	case NT_FACT_LIST:
		v.s = f->v.s;
		v.type = NT_V_LIST;
		break;
	case NT_FACT_TEXT:
		v.s = f->v.s;
		v.type = NT_V_TEXT;
		break;
	default:
		*ret_reason = f->v.s;
	}
	return v;
}

/* The scopes a reference looks in, nearest first; NULL after the last. */
static const struct nt_scope *first_scope(const struct nt_run *r, const struct nt_ref *ref)
{
	if (ref->where == NT_WHERE_LOWER)
		return r->scope->lower;
	if (ref->where == NT_WHERE_MASTER)
		return r->scope->master;
	return ref->row->scope == NT_SCOPE_HOST ? &r->s->host : r->scope;
}

static const struct nt_scope *next_scope(const struct nt_run *r, const struct nt_ref *ref,
	const struct nt_scope *sc)
{
	if (ref->where != NT_WHERE_OWN || sc->kind == NT_SCOPE_HOST)
		return NULL;
	return sc->kind == NT_SCOPE_PATH && sc->lower ? sc->lower : &r->s->host;
}

/* A tunnel has a lower device too, but not one that its frames pass as they are. */
static void no_scope(const struct nt_run *r, const struct nt_ref *ref, struct nt_bound *b)
{
	bool lower = ref->where == NT_WHERE_LOWER;
	const struct nt_fact *name =
		nt_scope_get(r->s, r->scope, lower ? "link.lower" : "link.master");

	b->structural = !name || name->type != NT_FACT_TEXT || !*name->v.s ||
			nt_snapshot_link(r->s, name->v.s);
	if (b->structural)
		b->reason = lower ? "no lower device" : "no master";
	else
		b->reason = lower ? "the lower device is not among the links seen"
				  : "the master is not among the links seen";
}

static const char *default_reason(const struct nt_run *r, const struct nt_scope *sc,
	const struct nt_bound *b, const char *name)
{
	const struct nt_fact *group =
		sc && b->group ? nt_scope_get_id(sc, b->group) : NULL;
	size_t i;

	if (group && group->type == NT_FACT_ABSENT)
		return group->v.s;
	for (i = 0; i < NT_ARRAY_SIZE(lacking); i++)
		if (strncmp(name, lacking[i].prefix, strlen(lacking[i].prefix)) == 0)
			return lacking[i].reason;
	if (r->s->live && strncmp(name, "irq.", 4) == 0)
		return "no interrupts of its own";
	return r->s->live ? "not collected" : "not in this capture";
}

static void look_up(struct nt_run *r, const struct nt_ref *ref, struct nt_bound *b)
{
	const struct nt_scope *first = first_scope(r, ref), *sc = first;
	const struct nt_fact *f;

	b->fact = NULL;
	b->at = NULL;
	b->reason = NULL;
	b->structural = false;
	b->val = (struct nt_val){ .type = NT_V_UNKNOWN };
	if (!sc)
		no_scope(r, ref, b);
	for (; sc && b->id; sc = next_scope(r, ref, sc)) {
		if (sc == r->scope && ref->where == NT_WHERE_OWN)
			f = nt_run_own(r, (unsigned)(b - r->v));
		else
			f = nt_scope_get_id(sc, b->id);
		if (!f || (b->fact && f->type == NT_FACT_ABSENT))
			continue;
		b->fact = f;
		b->at = sc;
		if (f->type != NT_FACT_ABSENT)
			break;
	}
	if (b->fact)
		b->val = value_of(r, b->fact, &b->reason);
	else if (!b->reason)
		b->reason = default_reason(r, first, b, ref->name);
}

const struct nt_bound *nt_run_get(struct nt_run *r, unsigned i)
{
	const struct nt_ref *ref = &r->refs->v[i];
	struct nt_bound *b = &r->v[i];
	bool host = ref->where == NT_WHERE_OWN && ref->row->scope == NT_SCOPE_HOST;

	if (b->stamp == r->now || (host && b->stamp))
		return b;
	b->stamp = r->now;
	look_up(r, ref, b);
	return b;
}
