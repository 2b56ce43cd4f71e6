/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "text.h"

#include <stdlib.h>
#include <string.h>

#define LABEL 9

/*
 * How reasons why a fact is not known are told apart. Most are how things are (the driver
 * has no such thing); a loud one is something that is there and could not be read.
 */
static const char *const probe_reasons[] = { "*probe*", NULL };
static const char *const root_reasons[] = { "*needs root*", "*privilege*", NULL };
static const char *const loud_reasons[] = { "*needs root*", "*privilege*", "*permit*",
	"*ermission*", "*denied*", "*could not*", "*cannot*", "*timed out*", NULL };

static bool one_of(const char *const *globs, const char *reason)
{
	for (; *globs; globs++)
		if (nt_glob(*globs, reason))
			return true;
	return false;
}

static bool needs(const char *reason, enum nt_lack lack)
{
	bool probe = one_of(probe_reasons, reason), root = one_of(root_reasons, reason);

	return lack == NT_LACK_PROBE ? probe : lack == NT_LACK_ROOT ? root && !probe :
								      !probe && !root;
}

/* What would decide it: everything lacking is of one sort, or else "other". */
static enum nt_lack lack_of(const struct nt_unknown *u)
{
	enum nt_lack lack;
	size_t i;

	for (lack = 0; lack < NT_LACK_OTHER; lack++) {
		for (i = 0; i < u->n_missing; i++)
			if (!needs(u->missing[i].reason, lack))
				break;
		if (u->n_missing && i == u->n_missing)
			return lack;
	}
	return NT_LACK_OTHER;
}

static int by_rule(const void *a, const void *b)
{
	const struct nt_unknown *x = *(const struct nt_unknown *const *)a,
				*y = *(const struct nt_unknown *const *)b;
	int c = strcmp(x->rule->id, y->rule->id);

	return c ? c : (x > y) - (x < y);
}

/* The undecided, by rule; those of one rule in link order. */
static const struct nt_unknown **sorted(const struct nt_findings *f)
{
	const struct nt_unknown **v = nt_calloc(f->n_unknown + 1, sizeof *v);
	size_t i;

	for (i = 0; i < f->n_unknown; i++)
		v[i] = &f->unknown[i];
	qsort(v, f->n_unknown, sizeof *v, by_rule);
	return v;
}

void nt_text_count_undecided(const struct nt_report *r, unsigned ret[_NT_LACK_MAX])
{
	const struct nt_findings *f = r->here.findings;
	const struct nt_unknown **v = sorted(f);
	size_t i, next;

	memset(ret, 0, sizeof *ret * _NT_LACK_MAX);
	for (i = 0; i < f->n_unknown; i = next) {
		enum nt_lack lack = lack_of(v[i]), l;

		for (next = i; next < f->n_unknown && v[next]->rule == v[i]->rule; next++) {
			l = lack_of(v[next]);
			lack = l < lack ? l : lack;
		}
		ret[lack]++;
	}
	free(v);
}

static void one_undecided(struct nt_text *t, const struct nt_unknown *u, size_t links)
{
	char *where = nt_text_scope(u->scope), *more = nt_asprintf(" and %zu more", links - 1);
	char *head = nt_asprintf("%s (%s%s):", u->rule->id, where, links > 1 ? more : "");
	size_t i;

	nt_wrap_begin(&t->w, "  ", 4);
	nt_wrap_words(&t->w, head);
	for (i = 0; i < u->n_missing; i++) {
		char *item = nt_asprintf("%s%s%s", u->missing[i].fact,
			*u->missing[i].reason ? ": " : "", u->missing[i].reason);

		nt_wrap_words(&t->w, item);
		if (i + 1 < u->n_missing)
			nt_wrap_item(&t->w, t->style->utf8 ? "·" : "*");
		free(item);
	}
	nt_wrap_end(&t->w);
	free(head);
	free(more);
	free(where);
}

void nt_text_undecided(struct nt_text *t)
{
	const struct nt_findings *f = t->r->here.findings;
	const struct nt_unknown **v = sorted(f);
	size_t i, next;

	if (f->n_unknown)
		nt_buf_adds(t->w.out, "Not decided, for want of:\n");
	for (i = 0; i < f->n_unknown; i = next) {
		for (next = i; next < f->n_unknown && v[next]->rule == v[i]->rule; next++)
			;
		one_undecided(t, v[i], next - i);
	}
	if (f->n_unknown)
		nt_buf_addc(t->w.out, '\n');
	free(v);
}

/* ---- facts that are not known ----------------------------------------------------- */

struct absent {
	const struct nt_scope *scope;
	const char *name, *reason;
};

struct absents {
	struct absent *v;
	size_t n, cap;
	size_t n_links; /* that were asked */
};

static void gather(struct absents *a, const struct nt_snapshot *s, const struct nt_scope *sc)
{
	size_t i;

	for (i = 0; i < sc->n; i++) {
		if (sc->facts[i].type != NT_FACT_ABSENT)
			continue;
		NT_GROW(a->v, a->n, a->cap);
		a->v[a->n++] = (struct absent){ sc, nt_snapshot_name(s, sc->facts[i].id),
			sc->facts[i].v.s };
	}
}

static int by_reason(const void *a, const void *b)
{
	const struct absent *x = a, *y = b;
	int c = strcmp(x->reason, y->reason);

	if (c)
		return c;
	c = strcmp(x->name, y->name);
	return c ? c : strcmp(x->scope->name, y->scope->name);
}

static struct absents absents_of(const struct nt_report *r)
{
	const struct nt_snapshot *s = r->here.snapshot;
	struct absents a = { 0 };
	size_t i;

	gather(&a, s, &s->host);
	for (i = 0; i < s->n_links; i++)
		if (s->links[i]->interesting) {
			gather(&a, s, s->links[i]);
			a.n_links++;
		}
	if (a.n)
		qsort(a.v, a.n, sizeof *a.v, by_reason);
	return a;
}

/* " of eth0 and 2 more" for the n at v, of one name; "" where no link has it. */
static char *of_links(const struct absents *a, const struct absent *v, size_t n)
{
	char *where, *ret;

	if (v->scope->kind != NT_SCOPE_LINK || n == a->n_links)
		return nt_strdup("");
	where = nt_text_scope(v->scope);
	ret = n > 1 ? nt_asprintf(" of %s and %zu more", where, n - 1) :
		      nt_asprintf(" of %s", where);
	free(where);
	return ret;
}

/* "a, b of eth0, c and 4 more (reason)": the distinct names of a[from..to), at most max. */
static void names(struct nt_text *t, const struct absents *a, size_t from, size_t to, size_t max)
{
	size_t i, next, told = 0, all = 0;
	char *item, *where;

	for (i = from; i < to; i++)
		all += i == from || strcmp(a->v[i].name, a->v[i - 1].name) != 0;
	for (i = from; i < to && told < max; i = next) {
		for (next = i + 1; next < to && strcmp(a->v[next].name, a->v[i].name) == 0; next++)
			;
		told++;
		where = of_links(a, &a->v[i], next - i);
		item = nt_asprintf("%s%s%s", a->v[i].name, where,
			told < all && told < max ? "," : "");
		nt_wrap_item(&t->w, item);
		free(item);
		free(where);
	}
	if (told < all) {
		item = nt_asprintf("and %zu more", all - told);
		nt_wrap_words(&t->w, item);
		free(item);
	}
	item = nt_asprintf("(%s)", a->v[from].reason);
	nt_wrap_words(&t->w, item);
	free(item);
}

static void reasons(struct nt_text *t, const char *label, size_t max, bool all)
{
	struct absents a = absents_of(t->r);
	size_t i, next;

	for (i = 0; i < a.n; i = next) {
		for (next = i; next < a.n && strcmp(a.v[next].reason, a.v[i].reason) == 0; next++)
			;
		if (!all && !one_of(loud_reasons, a.v[i].reason))
			continue;
		nt_wrap_begin(&t->w, label, LABEL + 1);
		names(t, &a, i, next, max);
		nt_wrap_end(&t->w);
	}
	free(a.v);
}

void nt_text_unread(struct nt_text *t)
{
	reasons(t, "not read:", 3, false);
}

void nt_text_absent(struct nt_text *t)
{
	size_t at = t->w.out->len;

	reasons(t, "unknown:", (size_t)-1, true);
	if (t->w.out->len > at)
		nt_buf_addc(t->w.out, '\n');
}
