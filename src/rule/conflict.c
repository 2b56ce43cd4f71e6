/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "code.h"

#include <string.h>

/* One change of one finding. */
struct wish {
	const struct nt_change *c;
	size_t finding;
};

static int by_target(const void *pa, const void *pb)
{
	const struct wish *a = pa, *b = pb;
	int c = strcmp(a->c->tunable, b->c->tunable);

	if (c == 0 && a->c->scope != b->c->scope)
		c = (uintptr_t)a->c->scope < (uintptr_t)b->c->scope ? -1 : 1;
	if (c == 0)
		c = (a->finding > b->finding) - (a->finding < b->finding);
	return c;
}

/* <0, 0, >0; 0 also where they are no whole numbers. */
static int compare(const struct nt_fact *a, const struct nt_fact *b)
{
	if (a->type != NT_FACT_INT || b->type != NT_FACT_INT)
		return 0;
	return (a->v.i > b->v.i) - (a->v.i < b->v.i);
}

/*
 * A rule bound to the goal beats one for every goal; then the worse finding wins. Where one
 * rule raises a value of the host for several links, the largest is enough for all.
 */
static int settle(const struct nt_findings *f, const struct wish *wa, const struct wish *wb)
{
	size_t a = wa->finding, b = wb->finding;
	bool bound_a = f->v[a].rule->goals != 0, bound_b = f->v[b].rule->goals != 0;

	if (f->v[a].rule == f->v[b].rule && compare(&wa->c->to, &wa->c->from) > 0 &&
		compare(&wb->c->to, &wb->c->from) > 0)
		return compare(&wa->c->to, &wb->c->to) > 0 ? a : b;
	if (bound_a != bound_b)
		return bound_a ? a : b;
	if (f->v[a].severity != f->v[b].severity)
		return f->v[a].severity > f->v[b].severity ? a : b;
	return -1;
}

static int by_findings(const void *pa, const void *pb)
{
	const struct nt_conflict *a = pa, *b = pb;

	if (a->a != b->a)
		return a->a < b->a ? -1 : 1;
	if (a->b != b->b)
		return a->b < b->b ? -1 : 1;
	return strcmp(a->tunable, b->tunable);
}

void nt_conflicts_find(struct nt_findings *f)
{
	struct wish *w = NULL;
	size_t n = 0, cap = 0, i, k;

	for (i = 0; i < f->n; i++)
		for (k = 0; k < f->v[i].n_changes; k++) {
			NT_GROW(w, n, cap);
			w[n++] = (struct wish){ &f->v[i].changes[k], i };
		}
	if (n)
		qsort(w, n, sizeof *w, by_target);
	for (i = 0; i < n; i++)
		for (k = i + 1; k < n && w[k].c->scope == w[i].c->scope &&
				strcmp(w[k].c->tunable, w[i].c->tunable) == 0;
			k++) {
			if (w[k].finding == w[i].finding ||
				nt_fact_same(&w[i].c->to, &w[k].c->to))
				continue;
			NT_GROW(f->conflicts, f->n_conflicts, f->cap_conflicts);
			f->conflicts[f->n_conflicts++] = (struct nt_conflict){
				.tunable = w[i].c->tunable, .scope = w[i].c->scope,
				.a = w[i].finding, .b = w[k].finding,
				.winner = settle(f, &w[i], &w[k]) };
		}
	free(w);
	if (f->n_conflicts)
		qsort(f->conflicts, f->n_conflicts, sizeof *f->conflicts, by_findings);
}
