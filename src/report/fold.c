/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "fold.h"

#include <stdlib.h>
#include <string.h>

static bool same_changes(const struct nt_finding *a, const struct nt_finding *b)
{
	size_t i;

	if (a->n_changes != b->n_changes)
		return false;
	for (i = 0; i < a->n_changes; i++) {
		const struct nt_change *x = &a->changes[i], *y = &b->changes[i];

		if (strcmp(x->tunable, y->tunable) != 0 || !nt_fact_same(&x->from, &y->from) ||
			!nt_fact_same(&x->to, &y->to))
			return false;
	}
	return true;
}

static bool same_seen(const struct nt_finding *a, const struct nt_finding *b)
{
	size_t i;

	if (a->n_seen != b->n_seen)
		return false;
	for (i = 0; i < a->n_seen; i++)
		if (strcmp(a->seen[i].name, b->seen[i].name) != 0 ||
			!nt_fact_same(a->seen[i].fact, b->seen[i].fact))
			return false;
	return true;
}

static bool says_the_same(const struct nt_finding *a, const struct nt_finding *b)
{
	return a->rule == b->rule && a->severity == b->severity &&
	       a->confidence == b->confidence && strcmp(a->title, b->title) == 0 &&
	       strcmp(a->why, b->why) == 0 && same_changes(a, b);
}

static struct nt_group *group_of(struct nt_groups *g, size_t from, const struct nt_finding *f)
{
	size_t i;

	for (i = from; i < g->n; i++)
		if (says_the_same(g->v[i].v[0], f))
			return &g->v[i];
	NT_GROW(g->v, g->n, g->cap);
	g->v[g->n] = (struct nt_group){ .same_seen = true };
	return &g->v[g->n++];
}

void nt_groups_add(struct nt_groups *g, const struct nt_findings *f, bool peer)
{
	size_t i, from = g->n;

	for (i = 0; f && i < f->n; i++) {
		struct nt_group *to = group_of(g, from, &f->v[i]);

		NT_GROW(to->v, to->n, to->cap);
		to->v[to->n++] = &f->v[i];
		to->same_seen &= same_seen(to->v[0], &f->v[i]);
		to->peer = peer;
	}
}

void nt_groups_sort(struct nt_groups *g)
{
	size_t i, j;

	/* by insertion: each end comes sorted already */
	for (i = 1; i < g->n; i++) {
		struct nt_group x = g->v[i];

		for (j = i; j && g->v[j - 1].v[0]->severity < x.v[0]->severity; j--)
			g->v[j] = g->v[j - 1];
		g->v[j] = x;
	}
}

void nt_groups_free(struct nt_groups *g)
{
	size_t i;

	for (i = 0; i < g->n; i++)
		free(g->v[i].v);
	free(g->v);
	*g = (struct nt_groups){ 0 };
}
