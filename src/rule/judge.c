/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/rule.h"

#include <string.h>

#include "code.h"

static void keep_seen(const struct nt_run *r, struct nt_arena *arena, struct nt_finding *f)
{
	f->n_seen = f->cap_seen = r->n_seen;
	f->seen = nt_arena_alloc(arena, r->n_seen * sizeof *f->seen);
	if (r->n_seen)
		memcpy(f->seen, r->seen, r->n_seen * sizeof *f->seen);
}

static char *fill(struct nt_run *r, struct nt_arena *arena, const char *text)
{
	char *filled = nt_template_fill(r, text), *kept = nt_arena_strdup(arena, filled);

	free(filled);
	return kept;
}

enum nt_verdict nt_rule_judge(struct nt_run *r, const struct nt_rule *rule,
	struct nt_arena *arena, struct nt_finding *ret, struct nt_set_outcome *out)
{
	struct nt_set_outcome sets;
	struct nt_val v;
	size_t i;

	nt_run_begin(r);
	v = nt_eval(r, rule->code->when);
	if (v.type == NT_V_UNKNOWN) {
		for (i = 0; i < r->n_lacks; i++)
			if (r->lacks[i].structural)
				return NT_JUDGED_NOT_APPLICABLE;
		return NT_JUDGED_UNKNOWN;
	}
	if (v.type != NT_V_BOOL || !v.b)
		return NT_JUDGED_HOLDS;
	*ret = (struct nt_finding){ .rule = rule, .scope = r->scope,
		.severity = rule->severity, .confidence = rule->code->confidence };
	nt_changes_make(r, rule, arena, ret, &sets);
	if (out)
		*out = sets;
	if (rule->code->n_sets && !ret->n_changes && rule->cure == NT_CURE_SETTING) {
		if (!sets.cannot)
			return NT_JUDGED_HOLDS; /* all is set as the rule wants it */
		if (ret->severity > NT_SEV_ADVICE)
			ret->severity = NT_SEV_ADVICE;
	}
	keep_seen(r, arena, ret);
	ret->title = fill(r, arena, rule->title);
	ret->why = fill(r, arena, rule->why);
	return NT_JUDGED_FINDING;
}

static void add_unknown(const struct nt_run *r, const struct nt_rule *rule,
	struct nt_findings *ret)
{
	struct nt_unknown *u;
	size_t i, k;

	NT_GROW(ret->unknown, ret->n_unknown, ret->cap_unknown);
	u = &ret->unknown[ret->n_unknown++];
	*u = (struct nt_unknown){ .rule = rule, .scope = r->scope };
	u->missing = nt_arena_alloc(&ret->arena, r->n_lacks * sizeof *u->missing);
	u->cap_missing = r->n_lacks;
	for (i = 0; i < r->n_lacks; i++) {
		for (k = 0; k < u->n_missing; k++)
			if (strcmp(u->missing[k].fact, r->lacks[i].fact) == 0)
				break;
		if (k < u->n_missing)
			continue;
		u->missing[k].fact = r->lacks[i].fact;
		u->missing[k].reason = r->lacks[i].reason;
		u->n_missing++;
	}
}

/*
 * Of a thousand links most are alike: what ruled a rule out on one is asked first on the
 * next, and where it hangs on one fact of the link, which is the same again, not even asked.
 */
struct candidate {
	const struct nt_rule *rule;
	const struct nt_node *ruled_out; /* the part of its condition that was false; or NULL */
	bool repeats; /* it hangs on facts of the host and at most one of the link, */
	int sole;     /* the reference to this; -1 for none, */
	bool had;     /* which had a value, */
	struct nt_fact fact; /* this one */
};

struct judging {
	struct nt_run run;
	struct candidate *v; /* by id, only those of the goal */
	size_t n;
	struct nt_findings *ret;
};

static bool is_false(struct nt_run *r, const struct nt_node *n)
{
	struct nt_val v;

	nt_run_begin(r);
	v = nt_eval(r, n);
	return v.type == NT_V_BOOL && !v.b;
}

/* What by itself makes an "and" false, whatever is unknown beside it. */
static const struct nt_node *false_part(struct nt_run *r, const struct nt_node *when)
{
	unsigned i;

	if (when->kind != NT_N_AND)
		return is_false(r, when) ? when : NULL;
	for (i = 0; i < when->n_args; i++)
		if (is_false(r, when->args[i]))
			return when->args[i];
	return NULL;
}

/* The one fact of the link itself, if any, that n hangs on beside the host's into *ret. */
static bool sole_fact(const struct nt_refs *refs, const struct nt_node *n, int *ret)
{
	const struct nt_ref *ref;
	unsigned i;

	for (i = 0; i < n->n_args; i++)
		if (!sole_fact(refs, n->args[i], ret))
			return false;
	if (n->kind == NT_N_TOTAL)
		return false;
	if (n->kind != NT_N_FACT && n->kind != NT_N_KNOWN)
		return true;
	ref = &refs->v[n->ref];
	if (ref->where == NT_WHERE_OWN && ref->row->scope == NT_SCOPE_HOST)
		return true; /* for every link the same */
	if (ref->where != NT_WHERE_OWN || (*ret >= 0 && *ret != (int)n->ref))
		return false;
	*ret = (int)n->ref;
	return true;
}

static void keep_reason(struct nt_run *r, struct candidate *c)
{
	const struct nt_fact *f = NULL;

	c->ruled_out = false_part(r, c->rule->code->when);
	c->sole = -1;
	/* a path's facts are looked for on its link, too */
	c->repeats = c->ruled_out && r->scope->kind == NT_SCOPE_LINK &&
		     sole_fact(r->refs, c->ruled_out, &c->sole);
	if (c->repeats && c->sole >= 0)
		f = nt_run_own(r, (unsigned)c->sole);
	c->had = f;
	if (f)
		c->fact = *f;
}

/* Texts are kept once in a snapshot. */
static bool same_again(const struct nt_run *r, const struct candidate *c)
{
	const struct nt_fact *f;

	if (c->sole < 0)
		return true;
	f = nt_run_own(r, (unsigned)c->sole);
	if (!f || !c->had)
		return !f && !c->had;
	return f->type == c->fact.type && f->unit == c->fact.unit &&
	       f->v.i == c->fact.v.i;
}

static bool still_ruled_out(struct nt_run *r, const struct candidate *c)
{
	if (!c->ruled_out)
		return false;
	return (c->repeats && same_again(r, c)) || is_false(r, c->ruled_out);
}

static int by_id(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return strcmp(x->rule->id, y->rule->id);
}

static void judge_scope(struct judging *j, const struct nt_scope *scope)
{
	struct nt_findings *ret = j->ret;
	struct candidate *c;
	size_t i;

	nt_run_scope(&j->run, scope);
	for (i = 0; i < j->n; i++) {
		c = &j->v[i];
		if (c->rule->scope != scope->kind)
			continue;
		if (still_ruled_out(&j->run, c)) {
			ret->holds++;
			continue;
		}
		NT_GROW(ret->v, ret->n, ret->cap);
		switch (nt_rule_judge(
			&j->run, c->rule, &ret->arena, &ret->v[ret->n], NULL)) {
		case NT_JUDGED_FINDING:
			ret->n++;
			break;
		case NT_JUDGED_UNKNOWN:
			add_unknown(&j->run, c->rule, ret);
			break;
		case NT_JUDGED_HOLDS:
			keep_reason(&j->run, c);
			ret->holds++;
			break;
		case NT_JUDGED_NOT_APPLICABLE:
			ret->not_applicable++;
			break;
		}
	}
}

/* Worst first; within a severity the order stays: links in order, then rules by id. */
static void sort_findings(struct nt_findings *f)
{
	struct nt_finding *sorted = nt_reallocarray(NULL, f->n ? f->n : 1, sizeof *sorted);
	size_t i, k = 0;
	int sev;

	for (sev = _NT_SEV_MAX - 1; sev >= 0; sev--)
		for (i = 0; i < f->n; i++)
			if ((int)f->v[i].severity == sev)
				sorted[k++] = f->v[i];
	free(f->v);
	f->v = sorted;
	f->cap = f->n ? f->n : 1;
}

void nt_judge(const struct nt_rulebase *rb, const struct nt_snapshot *s, enum nt_goal goal,
	struct nt_findings *ret)
{
	struct judging j = { .ret = ret };
	size_t i, n_scopes[] = { [NT_SCOPE_HOST] = 1, [NT_SCOPE_LINK] = 0,
		[NT_SCOPE_PATH] = s->n_paths };

	memset(ret, 0, sizeof *ret);
	for (i = 0; i < s->n_links; i++)
		n_scopes[NT_SCOPE_LINK] += s->links[i]->interesting;
	j.v = nt_calloc(rb->n + 1, sizeof *j.v);
	for (i = 0; i < rb->n; i++)
		if ((rb->v[i]->goals && !(rb->v[i]->goals & 1U << goal)) ||
			!n_scopes[rb->v[i]->scope])
			ret->not_applicable++;
		else
			j.v[j.n++].rule = rb->v[i];
	qsort(j.v, j.n, sizeof *j.v, by_id);
	nt_run_init(&j.run, rb->refs, s);
	judge_scope(&j, &s->host);
	for (i = 0; i < s->n_links; i++)
		if (s->links[i]->interesting)
			judge_scope(&j, s->links[i]);
	for (i = 0; i < s->n_paths; i++)
		judge_scope(&j, s->paths[i]);
	nt_run_free(&j.run);
	free(j.v);
	sort_findings(ret);
	nt_conflicts_find(ret);
}

void nt_findings_free(struct nt_findings *f)
{
	free(f->v);
	free(f->unknown);
	free(f->conflicts);
	nt_arena_free(&f->arena);
	memset(f, 0, sizeof *f);
}
