/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/fact.h"

#include <stdlib.h>

#include "snapshot.h"

/* One row of the catalogue; the last reason given for it, as most links have the same. */
struct row {
	const struct nt_catalogue_row *row;
	unsigned id; /* of its name */
	const char *why, *text;
};

struct filling {
	struct nt_snapshot *s;
	struct row *known; /* sorted by kind and id */
	size_t n;
	nt_reason_fn *reason;
	void *arg;
};

static void fill(struct filling *f, struct nt_scope *sc)
{
	struct row *k = f->known, *last = k + f->n;
	size_t at = 0, n = sc->n;
	const char *why;

	while (k < last && k->row->scope != sc->kind)
		k++;
	for (; k < last && k->row->scope == sc->kind; k++) {
		while (at < n && sc->facts[at].id < k->id)
			at++;
		if (at < n && sc->facts[at].id == k->id)
			continue;
		why = f->reason(f->arg, sc, k->row);
		if (why && why != k->why) {
			k->why = why;
			k->text = nt_symtab_name(&f->s->texts,
				nt_symtab_add(&f->s->texts, why));
		}
		if (why)
			nt_fact_slot(f->s, sc, k->id, NT_FACT_ABSENT, NT_UNIT_NONE)->v.s =
				k->text;
	}
}

static int by_kind_and_id(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->row->scope != y->row->scope)
		return x->row->scope < y->row->scope ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

void nt_fact_fill_absent(struct nt_snapshot *s, nt_reason_fn *reason, void *arg)
{
	struct filling f = { .s = s, .reason = reason, .arg = arg };
	const struct nt_catalogue_row *rows = nt_catalogue_exact(&f.n);
	size_t i;

	f.known = nt_calloc(f.n, sizeof *f.known);
	for (i = 0; i < f.n; i++) {
		f.known[i].row = &rows[i];
		f.known[i].id = nt_symtab_add(&s->names, rows[i].name);
	}
	qsort(f.known, f.n, sizeof *f.known, by_kind_and_id);
	nt_snapshot_unseal(s);
	fill(&f, &s->host);
	for (i = 0; i < s->n_links; i++)
		fill(&f, s->links[i]);
	for (i = 0; i < s->n_paths; i++)
		fill(&f, s->paths[i]);
	nt_snapshot_seal(s);
	free(f.known);
}
