/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an administrator would type for a finding. */
#include "config.h"

#include "nettune/rule.h"

#include <stdlib.h>
#include <string.h>

#include "nettune/buf.h"
#include "nettune/mem.h"
#include "nettune/tunable.h"

#define VECTOR_MAX 3 /* elements of a sysctl */

static bool has(const struct nt_assign *v, size_t n, const char *tunable)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strcmp(v[i].tunable, tunable) == 0)
			return true;
	return false;
}

/*
 * A vector sysctl is written as a whole: what other findings change in it goes along, else
 * their commands, typed one after the other, would undo one another. Returns the new n.
 */
static size_t with_others(const struct nt_findings *all, struct nt_assign *v, size_t n)
{
	char path[256];
	size_t i, k;
	int at, elements = nt_tunable_sysctl(v[0].tunable, path, sizeof path, &at);

	for (i = 0; elements > 1 && i < all->n; i++)
		for (k = 0; all->v[i].rule->severity > NT_SEV_ADVICE &&
			    k < all->v[i].n_changes && n < (size_t)elements; k++) {
			const struct nt_change *c = &all->v[i].changes[k];

			if (nt_tunable_joins(v[0].tunable, c->tunable) &&
				!has(v, n, c->tunable))
				v[n++] = (struct nt_assign){ c->tunable, &c->to };
		}
	return n;
}

void nt_finding_commands(const struct nt_findings *all, const struct nt_finding *f,
	const struct nt_snapshot *s, nt_command_fn *fn, void *arg)
{
	struct nt_assign *v = nt_calloc(f->n_changes + VECTOR_MAX, sizeof *v);
	struct nt_buf line = { 0 };
	size_t i, k, n;

	for (i = 0; i < f->n_changes; i += n) {
		const struct nt_change *first = &f->changes[i];

		for (n = 0, k = i; k < f->n_changes; k++, n++) {
			const struct nt_change *c = &f->changes[k];

			if (c->scope != first->scope ||
				(n && !nt_tunable_joins(first->tunable, c->tunable)))
				break;
			v[n] = (struct nt_assign){ c->tunable, &c->to };
		}
		nt_buf_cut(&line, 0);
		nt_tunable_command(&line, s,
			first->scope->kind == NT_SCOPE_LINK ? first->scope->name : "", v,
			with_others(all, v, n));
		fn(arg, nt_buf_str(&line), i, n);
	}
	nt_buf_free(&line);
	free(v);
}
