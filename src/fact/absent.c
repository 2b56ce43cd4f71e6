/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/fact.h"

#include "snapshot.h"

struct filling {
	struct nt_snapshot *s;
	const struct nt_catalogue_row *rows;
	unsigned *ids; /* of each row's name */
	size_t n;
	nt_reason_fn *reason;
	void *arg;
};

static void fill(struct filling *f, struct nt_scope *sc)
{
	const char *why;
	size_t i;

	for (i = 0; i < f->n; i++) {
		if (f->rows[i].scope != sc->kind || nt_scope_get_id(sc, f->ids[i]))
			continue;
		why = f->reason(f->arg, sc, &f->rows[i]);
		if (why)
			nt_fact_absent(f->s, sc, f->rows[i].name, why);
	}
}

void nt_fact_fill_absent(struct nt_snapshot *s, nt_reason_fn *reason, void *arg)
{
	struct filling f = { .s = s, .reason = reason, .arg = arg };
	size_t i;

	f.rows = nt_catalogue_exact(&f.n);
	f.ids = nt_calloc(f.n, sizeof *f.ids);
	for (i = 0; i < f.n; i++)
		f.ids[i] = nt_symtab_add(&s->names, f.rows[i].name);
	nt_snapshot_unseal(s);
	fill(&f, &s->host);
	for (i = 0; i < s->n_links; i++)
		fill(&f, s->links[i]);
	for (i = 0; i < s->n_paths; i++)
		fill(&f, s->paths[i]);
	nt_snapshot_seal(s);
	free(f.ids);
}
