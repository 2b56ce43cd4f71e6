/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/fact.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "nettune/jsonw.h"
#include "snapshot.h"

enum { SPARE_FACTS = 96 };

struct nt_snapshot *nt_snapshot_new(void)
{
	struct nt_snapshot *s = nt_calloc(1, sizeof *s);

	s->host.kind = NT_SCOPE_HOST;
	s->host.name = "";
	return s;
}

static void free_scopes(struct nt_scope **v, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		free(v[i]->facts);
		free(v[i]);
	}
	free(v);
}

void nt_snapshot_free(struct nt_snapshot *s)
{
	if (!s)
		return;
	free_scopes(s->links, s->n_links);
	free_scopes(s->paths, s->n_paths);
	free(s->host.facts);
	free(s->link_of_text);
	nt_symtab_free(&s->names);
	nt_symtab_free(&s->texts);
	free(s);
}

static const char *text(struct nt_snapshot *s, const char *v)
{
	return nt_symtab_name(&s->texts, nt_symtab_add(&s->texts, v));
}

static struct nt_scope *new_scope(struct nt_snapshot *s, enum nt_scope_kind kind,
	const char *name)
{
	struct nt_scope *sc = nt_calloc(1, sizeof *sc);

	sc->kind = kind;
	sc->name = text(s, name);
	return sc;
}

struct nt_scope *nt_snapshot_add_link(struct nt_snapshot *s, const char *name)
{
	struct nt_scope *sc = new_scope(s, NT_SCOPE_LINK, name);
	unsigned id = nt_symtab_find(&s->texts, name);
	size_t n = s->n_link_of_text;

	NT_GROW(s->links, s->n_links, s->cap_links);
	s->links[s->n_links++] = sc;
	if (id >= n) {
		s->n_link_of_text = id + id / 2 + 64;
		s->link_of_text = nt_reallocarray(s->link_of_text, s->n_link_of_text,
			sizeof *s->link_of_text);
		memset(s->link_of_text + n, 0,
			(s->n_link_of_text - n) * sizeof *s->link_of_text);
	}
	if (!s->link_of_text[id])
		s->link_of_text[id] = sc;
	return sc;
}

struct nt_scope *nt_snapshot_add_path(struct nt_snapshot *s, const char *peer)
{
	NT_GROW(s->paths, s->n_paths, s->cap_paths);
	return s->paths[s->n_paths++] = new_scope(s, NT_SCOPE_PATH, peer);
}

struct nt_scope *nt_snapshot_link(const struct nt_snapshot *s, const char *name)
{
	unsigned id = nt_symtab_find(&s->texts, name);

	return id && id < s->n_link_of_text ? s->link_of_text[id] : NULL;
}

struct nt_fact *nt_fact_slot(struct nt_snapshot *s, struct nt_scope *sc, unsigned id,
	enum nt_fact_type type, enum nt_unit unit)
{
	struct nt_fact *f;

	if (s->sealed)
		nt_die("bug: fact %s added to a sealed snapshot", nt_snapshot_name(s, id));
	NT_GROW(sc->facts, sc->n, sc->cap);
	f = &sc->facts[sc->n++];
	f->id = id;
	f->type = type;
	f->unit = unit;
	return f;
}

static struct nt_fact *add(struct nt_snapshot *s, struct nt_scope *sc, const char *name,
	enum nt_fact_type type, enum nt_unit unit)
{
	return nt_fact_slot(s, sc, nt_symtab_add(&s->names, name), type, unit);
}

void nt_fact_int(struct nt_snapshot *s, struct nt_scope *sc, const char *name,
	enum nt_unit unit, int64_t v)
{
	add(s, sc, name, NT_FACT_INT, unit)->v.i = v;
}

void nt_fact_real(struct nt_snapshot *s, struct nt_scope *sc, const char *name,
	enum nt_unit unit, double v)
{
	add(s, sc, name, NT_FACT_REAL, unit)->v.r = v;
}

void nt_fact_bool(struct nt_snapshot *s, struct nt_scope *sc, const char *name, bool v)
{
	add(s, sc, name, NT_FACT_BOOL, NT_UNIT_NONE)->v.i = v;
}

void nt_fact_switch(struct nt_snapshot *s, struct nt_scope *sc, const char *name, bool on)
{
	add(s, sc, name, NT_FACT_SWITCH, NT_UNIT_NONE)->v.i = on;
}

void nt_fact_text(struct nt_snapshot *s, struct nt_scope *sc, enum nt_fact_type type,
	const char *name, const char *v)
{
	add(s, sc, name, type, NT_UNIT_NONE)->v.s = text(s, v);
}

void nt_fact_absent(struct nt_snapshot *s, struct nt_scope *sc, const char *name,
	const char *reason)
{
	add(s, sc, name, NT_FACT_ABSENT, NT_UNIT_NONE)->v.s = text(s, reason);
}

/* For sorting facts by the ids of their names, which are small numbers. */
struct sorter {
	uint64_t *has; /* a bit an id: it has come up */
	unsigned *at;  /* by id: where */
	size_t n_words;
	struct nt_fact *sorted;
	size_t cap;
};

/* Of two facts of one name the later known value counts, else the later reason. */
static void supersede(struct nt_fact *old, const struct nt_fact *f)
{
	if (f->type != NT_FACT_ABSENT || old->type == NT_FACT_ABSENT)
		*old = *f;
}

static void sort_scope(struct sorter *st, struct nt_scope *sc)
{
	struct nt_fact *v = sc->facts;
	size_t i, k = 0;
	uint64_t bits, bit;

	if (st->cap < sc->n) {
		st->cap = sc->n;
		st->sorted = nt_reallocarray(st->sorted, st->cap, sizeof *st->sorted);
	}
	for (i = 0; i < sc->n; i++) {
		bit = UINT64_C(1) << v[i].id % 64;
		if (st->has[v[i].id / 64] & bit) {
			supersede(&v[st->at[v[i].id]], &v[i]);
			continue;
		}
		st->has[v[i].id / 64] |= bit;
		st->at[v[i].id] = (unsigned)i;
	}
	for (i = 0; i < st->n_words; i++) {
		for (bits = st->has[i]; bits; bits &= bits - 1)
			st->sorted[k++] =
				v[st->at[i * 64 + (unsigned)__builtin_ctzll(bits)]];
		st->has[i] = 0;
	}
	memcpy(v, st->sorted, k * sizeof *v);
	sc->n = k;
}

static void seal(struct sorter *st, struct nt_scope *sc)
{
	size_t n = sc->n_sorted;

	while (n < sc->n && (!n || sc->facts[n - 1].id < sc->facts[n].id))
		n++;
	if (n < sc->n)
		sort_scope(st, sc);
	sc->n_sorted = sc->n;
	/* some room stays for rates, derived facts and reasons */
	if (sc->cap > sc->n + 2 * SPARE_FACTS) {
		sc->cap = sc->n + SPARE_FACTS;
		sc->facts = nt_reallocarray(sc->facts, sc->cap, sizeof *sc->facts);
	}
}

void nt_snapshot_seal(struct nt_snapshot *s)
{
	struct sorter st = { .n_words = s->names.n / 64 + 1 };
	size_t i;

	if (s->sealed)
		return;
	st.has = nt_calloc(st.n_words, sizeof *st.has);
	st.at = nt_reallocarray(NULL, st.n_words * 64, sizeof *st.at);
	seal(&st, &s->host);
	for (i = 0; i < s->n_links; i++)
		seal(&st, s->links[i]);
	for (i = 0; i < s->n_paths; i++)
		seal(&st, s->paths[i]);
	free(st.has);
	free(st.at);
	free(st.sorted);
	s->sealed = true;
}

void nt_snapshot_unseal(struct nt_snapshot *s)
{
	s->sealed = false;
}

unsigned nt_snapshot_id(const struct nt_snapshot *s, const char *name)
{
	return nt_symtab_find(&s->names, name);
}

const char *nt_snapshot_name(const struct nt_snapshot *s, unsigned id)
{
	return nt_symtab_name(&s->names, id);
}

/*
 * Ids were given in the order names came up, so a scope's are nearly a run: where one
 * would stand is guessed, thrice at most, before halving.
 */
const struct nt_fact *nt_scope_get_id(const struct nt_scope *sc, unsigned id)
{
	const struct nt_fact *v = sc->facts;
	size_t lo = 0, hi = sc->n_sorted, mid;
	int guesses = 3;

	while (lo < hi) {
		if (id < v[lo].id || id > v[hi - 1].id)
			return NULL;
		if (guesses-- > 0 && v[hi - 1].id > v[lo].id)
			mid = lo + (uint64_t)(id - v[lo].id) * (hi - 1 - lo) /
					   (v[hi - 1].id - v[lo].id);
		else
			mid = lo + (hi - lo) / 2;
		if (v[mid].id == id)
			return &v[mid];
		if (v[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

const struct nt_fact *nt_scope_get(const struct nt_snapshot *s, const struct nt_scope *sc,
	const char *name)
{
	if (!s->sealed && !sc->n_sorted && sc->n)
		nt_die("bug: fact %s looked up before sealing", name);
	return nt_scope_get_id(sc, nt_snapshot_id(s, name));
}

const char *nt_scope_text(const struct nt_snapshot *s, const struct nt_scope *sc,
	const char *name)
{
	const struct nt_fact *f = nt_scope_get(s, sc, name);

	return f && f->type >= NT_FACT_TEXT && f->type <= NT_FACT_LIST ? f->v.s : NULL;
}

bool nt_fact_same(const struct nt_fact *a, const struct nt_fact *b)
{
	char text_a[256], text_b[256];
	double x, y;

	if (a->type == NT_FACT_ABSENT || b->type == NT_FACT_ABSENT)
		return a->type == b->type;
	if (a->type >= NT_FACT_TEXT && b->type >= NT_FACT_TEXT)
		return strcmp(a->v.s, b->v.s) == 0;
	if (a->type == NT_FACT_REAL || b->type == NT_FACT_REAL) {
		if (a->type >= NT_FACT_TEXT || b->type >= NT_FACT_TEXT)
			return false;
		x = a->type == NT_FACT_REAL ? a->v.r : a->v.i;
		y = b->type == NT_FACT_REAL ? b->v.r : b->v.i;
		return fabs(x - y) <= 1e-9 * fmax(fabs(x), fabs(y));
	}
	if (a->type < NT_FACT_TEXT && b->type < NT_FACT_TEXT)
		return a->v.i == b->v.i;
	nt_fact_format(text_a, sizeof text_a, a);
	nt_fact_format(text_b, sizeof text_b, b);
	return strcmp(text_a, text_b) == 0;
}

const char *nt_fact_type_name(enum nt_fact_type type)
{
	static const char *const names[] = {
		[NT_FACT_INT] = "integer", [NT_FACT_REAL] = "real", [NT_FACT_BOOL] = "boolean",
		[NT_FACT_SWITCH] = "switch", [NT_FACT_TEXT] = "text",
		[NT_FACT_VERSION] = "version", [NT_FACT_LIST] = "list",
		[NT_FACT_ABSENT] = "absent",
	};

	return names[type];
}

void nt_fact_format(char *ret, size_t size, const struct nt_fact *f)
{
	switch (f->type) {
	case NT_FACT_INT:
		snprintf(ret, size, "%" PRId64, f->v.i);
		break;
	case NT_FACT_REAL:
		snprintf(ret, size, "%.15g", f->v.r);
		break;
	case NT_FACT_BOOL:
		snprintf(ret, size, "%s", f->v.i ? "true" : "false");
		break;
	case NT_FACT_SWITCH:
		snprintf(ret, size, "%s", f->v.i ? "on" : "off");
		break;
	default:
		snprintf(ret, size, "%s", f->v.s);
	}
}

void nt_fact_format_human(char *ret, size_t size, const struct nt_fact *f)
{
	if (f->type == NT_FACT_INT)
		nt_unit_format(ret, size, f->v.i, f->unit);
	else if (f->type == NT_FACT_REAL)
		nt_unit_format(ret, size, f->v.r, f->unit);
	else if (f->type == NT_FACT_BOOL)
		snprintf(ret, size, "%s", f->v.i ? "yes" : "no");
	else
		nt_fact_format(ret, size, f);
}

void nt_fact_json(struct nt_jsonw *w, const char *key, const struct nt_fact *f)
{
	switch (f->type) {
	case NT_FACT_INT:
		nt_jsonw_int(w, key, f->v.i);
		break;
	case NT_FACT_REAL:
		nt_jsonw_real(w, key, f->v.r);
		break;
	case NT_FACT_BOOL:
		nt_jsonw_bool(w, key, f->v.i);
		break;
	case NT_FACT_SWITCH:
		nt_jsonw_switch(w, key, f->v.i);
		break;
	case NT_FACT_ABSENT:
		nt_jsonw_null(w, key);
		break;
	default:
		nt_jsonw_str(w, key, f->v.s);
	}
}
