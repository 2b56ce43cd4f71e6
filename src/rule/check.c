/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types and dimensions of an expression, before any fact is known. */
#include "config.h"

#include "expr.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define MAX_EXPONENT 8

static const char *const type_words[] = {
	[NT_V_UNKNOWN] = "nothing",  [NT_V_NUM] = "a number", [NT_V_BOOL] = "a switch",
	[NT_V_TEXT] = "a text",	     [NT_V_VERSION] = "a version", [NT_V_LIST] = "a list",
	[NT_V_ANY] = "any value",
};

static const char *word_of(const struct nt_node *n)
{
	return n->type == NT_V_NUM ? nt_dim_word(n->dim) : type_words[n->type];
}

static bool same_dim(struct nt_dim a, struct nt_dim b)
{
	return a.bits == b.bits && a.secs == b.secs;
}

static bool is_literal(const struct nt_node *n, enum nt_vtype type)
{
	return n->kind == NT_N_LIT && n->lit.type == type;
}

static void set_type(struct nt_node *n, enum nt_vtype type)
{
	n->type = type;
	if (n->kind == NT_N_LIT)
		n->lit.type = type;
}

/* A plain number beside a fact is in the fact's unit; zero is zero of anything. */
static void adopt(struct nt_node *lit, const struct nt_node *other)
{
	if (!lit->plain || other->type != NT_V_NUM)
		return;
	if (other->unit != NT_UNIT_NONE) {
		lit->unit = other->unit == NT_UNIT_PAGES ? NT_UNIT_PAGES : NT_UNIT_NONE;
		lit->lit.num = nt_to_base(lit->lit.num, other->unit);
		lit->lit.dim = lit->dim = other->dim;
		lit->plain = false;
	} else if (lit->lit.num == 0) {
		lit->lit.dim = lit->dim = other->dim;
	}
}

static void to_switch(struct nt_node *lit, const struct nt_node *other)
{
	int v;

	if (other->type != NT_V_BOOL || !is_literal(lit, NT_V_TEXT))
		return;
	v = nt_switch_word(lit->lit.s);
	if (v >= 0) {
		set_type(lit, NT_V_BOOL);
		lit->lit.b = v;
	}
}

/* "6.6" and "el9" beside a version, "5" beside a text. */
static void to_version_or_text(struct nt_node *lit, const struct nt_node *other)
{
	if (other->type == NT_V_VERSION && (lit->plain || is_literal(lit, NT_V_TEXT)) &&
		nt_version_parse(lit->lit.s, &lit->lit.ver) == 0)
		set_type(lit, NT_V_VERSION);
	else if (other->type == NT_V_TEXT && lit->plain)
		set_type(lit, NT_V_TEXT);
}

/* Make the two sides of a comparison one type, or refuse. */
static int unify(struct nt_expr_ctx *ctx, struct nt_node *a, struct nt_node *b, size_t pos,
	bool ordered)
{
	adopt(a, b);
	adopt(b, a);
	to_switch(a, b);
	to_switch(b, a);
	to_version_or_text(a, b);
	to_version_or_text(b, a);
	if (a->type == NT_V_LIST || b->type == NT_V_LIST)
		return nt_expr_fault(
			ctx, pos, "a list is asked with 'has', '=~' or count()");
	if (a->type != NT_V_ANY && b->type != NT_V_ANY && a->type != b->type)
		return nt_expr_fault(
			ctx, pos, "compares %s with %s", word_of(a), word_of(b));
	if (a->type == NT_V_NUM && b->type == NT_V_NUM && !same_dim(a->dim, b->dim))
		return nt_expr_fault(
			ctx, pos, "compares %s with %s", word_of(a), word_of(b));
	if (ordered && (a->type == NT_V_TEXT || a->type == NT_V_BOOL ||
			       b->type == NT_V_TEXT || b->type == NT_V_BOOL))
		return nt_expr_fault(ctx, pos, "%s has no order",
			word_of(a->type == NT_V_ANY ? b : a));
	return 0;
}

static int want(struct nt_expr_ctx *ctx, const struct nt_node *n, enum nt_vtype type,
	const char *who)
{
	if (n->type == type || n->type == NT_V_ANY)
		return 0;
	return nt_expr_fault(ctx, n->pos, "%s wants %s, not %s", who,
		type == NT_V_BOOL ? "true or false" : type_words[type], word_of(n));
}

static int check_args(struct nt_expr_ctx *ctx, struct nt_node *n)
{
	unsigned i;
	int rc = 0;

	for (i = 0; i < n->n_args && rc == 0; i++)
		rc = nt_expr_check(ctx, n->args[i]);
	return rc;
}

/* What a fact's catalogue row promises; a family of texts may hold anything. */
static void from_row(struct nt_node *n, const struct nt_catalogue_row *row)
{
	switch (row->type) {
	case NT_FACT_INT:
	case NT_FACT_REAL:
		n->type = NT_V_NUM;
		n->unit = row->unit;
		n->dim = nt_dim_of(row->unit);
		break;
	case NT_FACT_BOOL:
	case NT_FACT_SWITCH:
		n->type = NT_V_BOOL;
		break;
	case NT_FACT_VERSION:
		n->type = NT_V_VERSION;
		break;
	case NT_FACT_LIST:
		n->type = NT_V_LIST;
		break;
	default:
		n->type = strchr(row->name, '*') ? NT_V_ANY : NT_V_TEXT;
	}
}

static int check_total(struct nt_expr_ctx *ctx, struct nt_node *n)
{
	const struct nt_ref *ref = &ctx->refs->v[n->ref];

	from_row(n, ref->row);
	if (n->type != NT_V_NUM && n->type != NT_V_ANY &&
		!(n->func->total_bool && n->type == NT_V_BOOL))
		return nt_expr_fault(ctx, n->pos, "%s() of '%s' wants numbers, not %s",
			n->func->name, ref->spelled, word_of(n));
	if (n->func->total_bool) {
		n->type = NT_V_BOOL;
		n->unit = NT_UNIT_NONE;
		n->dim = (struct nt_dim){ 0, 0 };
	} else {
		n->type = NT_V_NUM;
	}
	return 0;
}

static int check_numbers(struct nt_expr_ctx *ctx, struct nt_node *n, const char *who)
{
	unsigned i;
	int rc = 0;

	for (i = 0; i < n->n_args && rc == 0; i++)
		rc = want(ctx, n->args[i], NT_V_NUM, who);
	return rc;
}

/* Numbers of one dimension, which is the node's. */
static int check_same(struct nt_expr_ctx *ctx, struct nt_node *n, const char *who)
{
	int rc = check_numbers(ctx, n, who);
	unsigned i, k;

	for (i = 0; i < n->n_args && rc == 0; i++)
		for (k = 0; k < n->n_args; k++)
			adopt(n->args[i], n->args[k]);
	for (i = 1; i < n->n_args && rc == 0; i++)
		if (!same_dim(n->args[0]->dim, n->args[i]->dim))
			rc = nt_expr_fault(ctx, n->args[i]->pos, "%s mixes %s and %s", who,
				word_of(n->args[0]), word_of(n->args[i]));
	n->type = NT_V_NUM;
	n->dim = n->args[0]->dim;
	return rc;
}

static int check_if(struct nt_expr_ctx *ctx, struct nt_node *n)
{
	struct nt_node *a = n->args[1], *b = n->args[2];
	int rc = want(ctx, n->args[0], NT_V_BOOL, "if()");

	if (rc == 0 && (a->type != NT_V_LIST || b->type != NT_V_LIST))
		rc = unify(ctx, a, b, n->pos, false);
	n->type = a->type == NT_V_ANY ? b->type : a->type;
	n->dim = a->type == NT_V_ANY ? b->dim : a->dim;
	return rc;
}

static int check_call(struct nt_expr_ctx *ctx, struct nt_node *n)
{
	const struct nt_node *a = n->args[0];
	const char *name = n->func->name;
	int rc;

	switch (n->func->shape) {
	case NT_SHAPE_SAME:
		return check_same(ctx, n, name);
	case NT_SHAPE_IF:
		return check_if(ctx, n);
	case NT_SHAPE_COUNT:
		n->type = NT_V_NUM;
		return want(ctx, a, NT_V_LIST, name);
	case NT_SHAPE_ROUND:
		rc = check_same(ctx, n, name);
		if (rc == 0 && (n->dim.secs || (n->dim.bits && n->dim.bits != 1)))
			rc = nt_expr_fault(ctx, n->pos,
				"%s() of %s: divide by a unit first, as in %s(x / 1us)",
				name, word_of(a), name);
		return rc;
	default: /* NT_SHAPE_PLAIN */
		rc = check_same(ctx, n, name);
		if (rc == 0 && (n->dim.secs || n->dim.bits))
			rc = nt_expr_fault(ctx, n->pos,
				"%s() of %s: divide by a unit first, as in %s(x / 1us)",
				name, word_of(a), name);
		return rc;
	}
}

static int check_arith(struct nt_expr_ctx *ctx, struct nt_node *n)
{
	const struct nt_node *a = n->args[0], *b = n->args[1];
	int sign = n->op == NT_OP_MUL ? 1 : -1, rc;

	if (n->op == NT_OP_ADD || n->op == NT_OP_SUB)
		return check_same(ctx, n, n->op == NT_OP_ADD ? "'+'" : "'-'");
	rc = check_numbers(ctx, n, n->op == NT_OP_MUL ? "'*'" : "'/'");
	n->type = NT_V_NUM;
	n->dim.bits = a->dim.bits + sign * b->dim.bits;
	n->dim.secs = a->dim.secs + sign * b->dim.secs;
	if (n->dim.bits < -MAX_EXPONENT || n->dim.bits > MAX_EXPONENT ||
		n->dim.secs < -MAX_EXPONENT || n->dim.secs > MAX_EXPONENT)
		return nt_expr_fault(ctx, n->pos, "units multiplied too often");
	return rc;
}

static bool backwards(const struct nt_val *lo, const struct nt_val *hi)
{
	if (lo->type == NT_V_NUM)
		return lo->num > hi->num && !nt_near(lo->num, hi->num);
	return lo->type == NT_V_VERSION && nt_version_cmp(&lo->ver, &hi->ver) > 0 &&
	       !nt_version_in(&lo->ver, &lo->ver, &hi->ver);
}

static int check_in(struct nt_expr_ctx *ctx, struct nt_node *n)
{
	struct nt_node *a = n->args[0], *item;
	unsigned i, k;
	int rc = 0;

	n->type = NT_V_BOOL;
	for (i = 1; i < n->n_args && rc == 0; i++) {
		item = n->args[i];
		if (item->kind != NT_N_RANGE) {
			rc = unify(ctx, a, item, item->pos, false);
			continue;
		}
		for (k = 0; k < 2 && rc == 0; k++)
			rc = unify(ctx, a, item->args[k], item->args[k]->pos, true);
		/* the version 3.10.18..3.11 and the like of an ANY */
		to_version_or_text(item->args[1], item->args[0]);
		to_version_or_text(item->args[0], item->args[1]);
		if (rc == 0 && item->args[0]->type != item->args[1]->type)
			rc = nt_expr_fault(ctx, item->pos, "a range from %s to %s",
				word_of(item->args[0]), word_of(item->args[1]));
		if (rc == 0 && backwards(&item->args[0]->lit, &item->args[1]->lit))
			rc = nt_expr_fault(ctx, item->pos, "the range is backwards");
	}
	return rc;
}

static int check_patterns(struct nt_expr_ctx *ctx, struct nt_node *n)
{
	const struct nt_node *a = n->args[0], *b;
	bool has = n->kind == NT_N_HAS;
	unsigned i;

	n->type = NT_V_BOOL;
	if (a->type == NT_V_NUM || a->type == NT_V_BOOL || (has && a->type != NT_V_LIST &&
								   a->type != NT_V_ANY))
		return nt_expr_fault(ctx, n->pos, "%s wants %s, not %s",
			has ? "'has'" : "'=~'", has ? "a list" : "a text", word_of(a));
	for (i = 1; i < n->n_args; i++) {
		b = n->args[i];
		if (!is_literal(b, NT_V_TEXT) &&
			!(has && (b->plain || b->type == NT_V_TEXT ||
					 b->type == NT_V_ANY)))
			return nt_expr_fault(ctx, n->args[i]->pos, "a %s in quotes expected",
				has ? "word" : "pattern");
	}
	return 0;
}

static int check_logic(struct nt_expr_ctx *ctx, struct nt_node *n, const char *who)
{
	unsigned i;
	int rc = 0;

	n->type = NT_V_BOOL;
	for (i = 0; i < n->n_args && rc == 0; i++)
		rc = want(ctx, n->args[i], NT_V_BOOL, who);
	return rc;
}

int nt_expr_check(struct nt_expr_ctx *ctx, struct nt_node *n)
{
	int rc = check_args(ctx, n);

	if (rc)
		return rc;
	switch (n->kind) {
	case NT_N_LIT:
		n->type = n->lit.type;
		n->dim = n->lit.dim;
		return 0;
	case NT_N_FACT:
		from_row(n, ctx->refs->v[n->ref].row);
		return 0;
	case NT_N_TOTAL:
		return check_total(ctx, n);
	case NT_N_KNOWN:
		n->type = NT_V_BOOL;
		if (n->args[0]->kind != NT_N_FACT)
			return nt_expr_fault(ctx, n->pos, "known() wants a fact's name");
		n->ref = n->args[0]->ref;
		return 0;
	case NT_N_NOT:
		return check_logic(ctx, n, "'not'");
	case NT_N_AND:
		return check_logic(ctx, n, "'and'");
	case NT_N_OR:
		return check_logic(ctx, n, "'or'");
	case NT_N_NEG:
		return check_same(ctx, n, "'-'");
	case NT_N_ARITH:
		return check_arith(ctx, n);
	case NT_N_CALL:
		return check_call(ctx, n);
	case NT_N_CMP:
		n->type = NT_V_BOOL;
		return unify(ctx, n->args[0], n->args[1], n->pos,
			n->op != NT_OP_EQ && n->op != NT_OP_NE);
	case NT_N_RANGE:
		return 0; /* with its IN */
	case NT_N_IN:
		return check_in(ctx, n);
	case NT_N_MATCH:
	case NT_N_HAS:
		return check_patterns(ctx, n);
	}
	return 0;
}
