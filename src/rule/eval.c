/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "eval.h"

#include <math.h>
#include <string.h>

#include "nettune/names.h"
#include "nettune/unit.h"

#define MAX_TOTAL_SEEN 8

static const struct nt_val unknown = { .type = NT_V_UNKNOWN };

static struct nt_val truth(bool b)
{
	return (struct nt_val){ .type = NT_V_BOOL, .b = b };
}

static void lack(struct nt_run *r, const char *fact, const char *reason, bool structural)
{
	NT_GROW(r->lacks, r->n_lacks, r->cap_lacks);
	r->lacks[r->n_lacks++] = (struct nt_lack){ fact, reason, structural };
}

static void saw(struct nt_run *r, const char *name, const struct nt_scope *at,
	const struct nt_fact *f)
{
	size_t i;

	for (i = 0; i < r->n_seen; i++)
		if (r->seen[i].fact == f)
			return;
	NT_GROW(r->seen, r->n_seen, r->cap_seen);
	r->seen[r->n_seen++] = (struct nt_seen){ name, at, f };
}

/* The first fact a tree names, for saying what has no result. */
static const char *name_in(const struct nt_run *r, const struct nt_node *n)
{
	const char *name = NULL;
	unsigned i;

	if (n->kind == NT_N_FACT || n->kind == NT_N_TOTAL)
		return r->refs->v[n->ref].spelled;
	for (i = 0; i < n->n_args && !name; i++)
		name = name_in(r, n->args[i]);
	return name;
}

static struct nt_val fail(struct nt_run *r, const struct nt_node *n, const char *reason)
{
	const char *name = name_in(r, n);

	lack(r, name ? name : "the expression", reason, false);
	return unknown;
}

static struct nt_val number(struct nt_run *r, const struct nt_node *n, double v)
{
	if (!isfinite(v))
		return fail(r, n, "the number is too large");
	return (struct nt_val){ .type = NT_V_NUM, .dim = n->dim, .num = v };
}

static bool same_dim(struct nt_dim a, struct nt_dim b)
{
	return a.bits == b.bits && a.secs == b.secs;
}

static struct nt_val eval_fact(struct nt_run *r, const struct nt_node *n)
{
	const struct nt_bound *b = nt_run_get(r, n->ref);

	if (b->val.type == NT_V_UNKNOWN)
		lack(r, r->refs->v[n->ref].spelled, b->reason, b->structural);
	else if (n->type == NT_V_NUM && b->val.type == NT_V_NUM &&
		 !same_dim(b->val.dim, n->dim))
		return fail(r, n, "it is not in the catalogue's unit");
	else
		saw(r, r->refs->v[n->ref].spelled, b->at, b->fact);
	return b->val;
}

static const struct nt_scope *total_scope(struct nt_run *r, const struct nt_ref *ref)
{
	if (ref->where == NT_WHERE_LOWER)
		return r->scope->lower;
	if (ref->where == NT_WHERE_MASTER)
		return r->scope->master;
	if (ref->row->scope == NT_SCOPE_HOST)
		return &r->s->host;
	if (ref->row->scope == NT_SCOPE_LINK && r->scope->kind == NT_SCOPE_PATH)
		return r->scope->lower;
	return r->scope;
}

static bool total_number(const struct nt_run *r, const struct nt_fact *f, double *ret)
{
	switch (f->type) {
	case NT_FACT_INT:
		*ret = nt_run_to_base(r, (double)f->v.i, f->unit);
		return true;
	case NT_FACT_REAL:
		*ret = nt_run_to_base(r, f->v.r, f->unit);
		return isfinite(*ret);
	case NT_FACT_BOOL:
	case NT_FACT_SWITCH:
		*ret = f->v.i != 0;
		return true;
	default:
		return false;
	}
}

/* sum("stat.*_drops"): over the facts that are known; unknown when there is none. */
static struct nt_val eval_total(struct nt_run *r, const struct nt_node *n)
{
	const struct nt_ref *ref = &r->refs->v[n->ref];
	const struct nt_bound *b = &r->v[n->ref];
	const struct nt_scope *sc = total_scope(r, ref);
	const struct nt_fact *f, *absent = NULL;
	double total = 0, v;
	bool any = false;
	size_t i, shown = 0;

	for (i = 0; sc && i < b->n_ids; i++) {
		f = nt_scope_get_id(sc, b->ids[i]);
		if (!f)
			continue;
		if (!total_number(r, f, &v)) {
			absent = f->type == NT_FACT_ABSENT ? f : absent;
			continue;
		}
		if (!n->func->total_bool && !same_dim(nt_dim_of(f->unit), n->dim))
			return fail(r, n, "it matches facts of several units");
		total = any ? n->func->total(total, v) : n->func->total_bool ? v != 0 : v;
		any = true;
		if (v != 0 && shown++ < MAX_TOTAL_SEEN)
			saw(r, nt_snapshot_name(r->s, f->id), sc, f);
	}
	if (!any) {
		lack(r, ref->spelled, !sc ? "no such device" : absent ? absent->v.s :
			"no fact matches", !sc && ref->where != NT_WHERE_OWN);
		return unknown;
	}
	return n->func->total_bool ? truth(total != 0) : number(r, n, total);
}

static bool text_to_number(struct nt_val *v)
{
	enum nt_unit unit;
	double num;

	if (nt_unit_parse(v->s, &num, &unit, NULL) != 0)
		return false;
	*v = (struct nt_val){ .type = NT_V_NUM, .dim = nt_dim_of(unit),
		.num = nt_to_base(num, unit) };
	return true;
}

/* Bring b to a's type where b, a text or a number as written, can be read so. */
static bool convert(const struct nt_val *a, struct nt_val *b)
{
	int on;

	if (a->type == b->type)
		return true;
	if (!b->s)
		return false;
	switch (a->type) {
	case NT_V_BOOL:
		on = nt_switch_word(b->s);
		if (on >= 0)
			*b = truth(on);
		return on >= 0;
	case NT_V_VERSION:
		if (nt_version_parse(b->s, &b->ver) != 0)
			return false;
		b->type = NT_V_VERSION;
		return true;
	case NT_V_NUM:
		return b->type == NT_V_TEXT && text_to_number(b);
	default:
		return false;
	}
}

static bool compare_same(const struct nt_val *a, const struct nt_val *b, int *ret)
{
	switch (a->type) {
	case NT_V_NUM:
		if (!same_dim(a->dim, b->dim))
			return false;
		*ret = nt_near(a->num, b->num) ? 0 : a->num < b->num ? -1 : 1;
		return true;
	case NT_V_BOOL:
		*ret = a->b - b->b;
		return true;
	case NT_V_VERSION:
		*ret = nt_version_cmp(&a->ver, &b->ver);
		return true;
	default:
		*ret = strcmp(a->s, b->s);
		return true;
	}
}

/* <0, 0, >0 into *ret; false when the two cannot be compared. */
static bool compare(const struct nt_val *a, const struct nt_val *b, int *ret)
{
	struct nt_val ca = *a, cb = *b;

	if (a->type == b->type)
		return compare_same(a, b, ret);
	return (convert(&ca, &cb) || convert(&cb, &ca)) && compare_same(&ca, &cb, ret);
}

static struct nt_val eval_cmp(struct nt_run *r, const struct nt_node *n)
{
	struct nt_val a = nt_eval(r, n->args[0]), b = nt_eval(r, n->args[1]);
	bool ordered = n->op != NT_OP_EQ && n->op != NT_OP_NE;
	int c;

	if (a.type == NT_V_UNKNOWN || b.type == NT_V_UNKNOWN)
		return unknown;
	if (!compare(&a, &b, &c) || (ordered && a.type == NT_V_TEXT && b.type == NT_V_TEXT))
		return fail(r, n, "it is not of the kind that the rule compares it with");
	switch (n->op) {
	case NT_OP_EQ:
		return truth(c == 0);
	case NT_OP_NE:
		return truth(c != 0);
	case NT_OP_LT:
		return truth(c < 0);
	case NT_OP_LE:
		return truth(c <= 0);
	case NT_OP_GT:
		return truth(c > 0);
	default:
		return truth(c >= 0);
	}
}

static struct nt_val literal(const struct nt_run *r, const struct nt_node *n)
{
	struct nt_val v = n->lit;

	if (n->unit == NT_UNIT_PAGES)
		v.num = nt_run_to_base(r, v.num, NT_UNIT_PAGES);
	return v;
}

static bool in_range(const struct nt_run *r, const struct nt_val *a,
	const struct nt_node *range, bool *ret)
{
	struct nt_val lo = literal(r, range->args[0]), hi = literal(r, range->args[1]);
	int c1, c2;

	if (a->type == NT_V_VERSION && convert(a, &lo) && convert(a, &hi)) {
		*ret = nt_version_in(&a->ver, &lo.ver, &hi.ver);
		return true;
	}
	if (!compare(a, &lo, &c1) || !compare(a, &hi, &c2))
		return false;
	*ret = c1 >= 0 && c2 <= 0;
	return true;
}

/* One item of a set: 1 it is a, 0 it is not, -1 not known or not comparable (told). */
static int is_item(struct nt_run *r, const struct nt_node *n, const struct nt_val *a,
	const struct nt_node *item)
{
	struct nt_val b;
	bool hit;
	int c;

	if (item->kind == NT_N_LIT && item->lit.type == NT_V_TEXT && a->type == NT_V_TEXT)
		return strcmp(a->s, item->lit.s) == 0; /* most items are so */
	if (item->kind == NT_N_RANGE) {
		if (in_range(r, a, item, &hit))
			return hit;
	} else {
		b = nt_eval(r, item);
		if (b.type == NT_V_UNKNOWN)
			return -1;
		if (compare(a, &b, &c))
			return c == 0;
	}
	fail(r, n, "it is not of the kind that the rule compares it with");
	return -1;
}

static struct nt_val eval_in(struct nt_run *r, const struct nt_node *n)
{
	struct nt_val a = nt_eval(r, n->args[0]);
	bool all_known = true;
	unsigned i;
	int hit;

	if (a.type == NT_V_UNKNOWN)
		return unknown;
	for (i = 1; i < n->n_args; i++) {
		hit = is_item(r, n, &a, n->args[i]);
		if (hit > 0)
			return truth(true);
		all_known &= hit == 0;
	}
	return all_known ? truth(false) : unknown;
}

/* Whether one of a list's words is w, or matches it. */
static bool word_in(const char *list, const char *w, bool pattern)
{
	char word[256];
	size_t len;

	for (list += strspn(list, " \t"); *list; list += strspn(list, " \t")) {
		len = strcspn(list, " \t");
		if (len < sizeof word) {
			memcpy(word, list, len);
			word[len] = '\0';
			if (pattern ? nt_glob(w, word) : strcmp(w, word) == 0)
				return true;
		}
		list += len;
	}
	return false;
}

static struct nt_val eval_words(struct nt_run *r, const struct nt_node *n)
{
	struct nt_val a = nt_eval(r, n->args[0]), b;
	bool has = n->kind == NT_N_HAS, found = false, all_known = true;
	unsigned i;

	if (a.type == NT_V_UNKNOWN)
		return unknown;
	if (!a.s)
		return fail(r, n, has ? "it is not a list" : "it is not a text");
	for (i = 1; i < n->n_args && !found; i++) {
		b = nt_eval(r, n->args[i]);
		if (!b.s)
			all_known = false;
		else if (has || a.type == NT_V_LIST)
			found = word_in(a.s, b.s, !has);
		else
			found = nt_glob(b.s, a.s);
		if (b.type != NT_V_UNKNOWN && !b.s)
			fail(r, n->args[i], "it is not a text");
	}
	if (!found && !all_known)
		return unknown;
	return truth(found != (n->op == NT_OP_NOMATCH));
}

/* One true decides an or, one false an and, whatever is unknown beside it. */
static struct nt_val eval_logic(struct nt_run *r, const struct nt_node *n)
{
	bool decides = n->kind == NT_N_OR, all_known = true;
	struct nt_val v;
	unsigned i;

	for (i = 0; i < n->n_args; i++) {
		v = nt_eval(r, n->args[i]);
		if (v.type == NT_V_BOOL && v.b == decides)
			return v;
		if (v.type != NT_V_BOOL && v.type != NT_V_UNKNOWN)
			v = fail(r, n->args[i], "it is neither true nor false");
		all_known &= v.type == NT_V_BOOL;
	}
	return all_known ? truth(!decides) : unknown;
}

static struct nt_val eval_arith(struct nt_run *r, const struct nt_node *n)
{
	struct nt_val a = nt_eval(r, n->args[0]), b = nt_eval(r, n->args[1]);

	if (a.type == NT_V_UNKNOWN || b.type == NT_V_UNKNOWN)
		return unknown;
	if (a.type != NT_V_NUM || b.type != NT_V_NUM)
		return fail(r, n->args[a.type == NT_V_NUM], "it is not a number");
	switch (n->op) {
	case NT_OP_ADD:
		return number(r, n, a.num + b.num);
	case NT_OP_SUB:
		return number(r, n, a.num - b.num);
	case NT_OP_MUL:
		return number(r, n, a.num * b.num);
	default:
		return b.num == 0 ? fail(r, n->args[1], "division by zero") :
				    number(r, n, a.num / b.num);
	}
}

/* Rounding a size is rounding to bytes. */
static double scale_of(const struct nt_node *n)
{
	return n->func->shape == NT_SHAPE_ROUND && n->dim.bits ?
		       nt_unit_info(NT_UNIT_BYTES)->factor : 1;
}

static struct nt_val eval_call(struct nt_run *r, const struct nt_node *n)
{
	double v[16], scale = scale_of(n), result;
	const char *why = NULL, *s;
	struct nt_val a;
	unsigned i;
	bool all = true;

	if (n->func->shape == NT_SHAPE_IF) {
		a = nt_eval(r, n->args[0]);
		if (a.type == NT_V_BOOL)
			return nt_eval(r, n->args[a.b ? 1 : 2]);
		return a.type == NT_V_UNKNOWN ? a :
			fail(r, n->args[0], "it is neither true nor false");
	}
	if (n->func->shape == NT_SHAPE_COUNT) {
		a = nt_eval(r, n->args[0]);
		if (a.type == NT_V_UNKNOWN || !a.s)
			return a.type == NT_V_UNKNOWN ? a : fail(r, n, "it is not a list");
		result = 0;
		for (s = a.s + strspn(a.s, " \t"); *s; s += strspn(s, " \t")) {
			s += strcspn(s, " \t");
			result++;
		}
		return number(r, n, result);
	}
	for (i = 0; i < n->n_args; i++) {
		a = nt_eval(r, n->args[i]);
		if (a.type != NT_V_NUM && a.type != NT_V_UNKNOWN)
			a = fail(r, n->args[i], "it is not a number");
		all &= a.type == NT_V_NUM;
		v[i] = a.num / scale;
	}
	if (!all)
		return unknown;
	result = n->func->eval(v, n->n_args, &why);
	return why ? fail(r, n, why) : number(r, n, result * scale);
}

static struct nt_val eval_one(struct nt_run *r, const struct nt_node *n)
{
	struct nt_val a;

	switch (n->kind) {
	case NT_N_LIT:
		return literal(r, n);
	case NT_N_FACT:
		return eval_fact(r, n);
	case NT_N_TOTAL:
		return eval_total(r, n);
	case NT_N_KNOWN:
		return truth(nt_run_get(r, n->ref)->val.type != NT_V_UNKNOWN);
	case NT_N_NOT:
		a = nt_eval(r, n->args[0]);
		if (a.type == NT_V_BOOL)
			return truth(!a.b);
		return a.type == NT_V_UNKNOWN
			       ? a
			       : fail(r, n, "it is neither true nor false");
	case NT_N_AND:
	case NT_N_OR:
		return eval_logic(r, n);
	case NT_N_NEG:
		a = nt_eval(r, n->args[0]);
		if (a.type == NT_V_NUM)
			return number(r, n, -a.num);
		return a.type == NT_V_UNKNOWN ? a : fail(r, n, "it is not a number");
	case NT_N_ARITH:
		return eval_arith(r, n);
	case NT_N_CALL:
		return eval_call(r, n);
	case NT_N_CMP:
		return eval_cmp(r, n);
	case NT_N_IN:
		return eval_in(r, n);
	case NT_N_MATCH:
	case NT_N_HAS:
		return eval_words(r, n);
	case NT_N_RANGE:
		break;
	}
	nt_die("bug: expression node %d", n->kind);
}

struct nt_val nt_eval(struct nt_run *r, const struct nt_node *n)
{
	size_t before = r->n_lacks;
	struct nt_val v = eval_one(r, n);

	/* what is decided without them lacks nothing */
	if (v.type != NT_V_UNKNOWN)
		r->n_lacks = before;
	return v;
}
