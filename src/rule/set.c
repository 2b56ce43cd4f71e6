/* SPDX-License-Identifier: GPL-2.0-or-later */
/* set = TUNABLE := EXPRESSION, checked against the tunable table. */
#include "config.h"

#include "code.h"

#include <errno.h>
#include <string.h>

#include "nettune/buf.h"

static const char *tunable_name(const void *arg, size_t i)
{
	return ((const struct nt_tunable *)arg)[i].name;
}

static int no_tunable(struct nt_expr_ctx *ctx, size_t pos, const char *name)
{
	size_t n;
	const struct nt_tunable *rows = nt_tunables(&n);
	const char *near = nt_suggest(name, tunable_name, rows, n);

	return nt_expr_fault(ctx, pos, near ? "'%s' cannot be set: '%s'?" :
		"'%s' cannot be set", name, near);
}

/* The reference of a fact that lies beside the tunable; -1 when it has none. */
static int beside(struct nt_expr_ctx *ctx, const struct nt_ref *ref, const char *name)
{
	static const char *const prefix[] = {
		[NT_WHERE_OWN] = "",
		[NT_WHERE_LOWER] = "lower.",
		[NT_WHERE_MASTER] = "master.",
	};
	char *spelled;
	unsigned i;
	int rc;

	if (!name || !nt_catalogue_find(name))
		return -1;
	spelled = nt_asprintf("%s%s", prefix[ref->where], name);
	rc = nt_ref_add(ctx->refs, spelled, false, ctx->scope, &i, NULL);
	free(spelled);
	return rc ? -1 : (int)i;
}

static bool is_constant(const struct nt_node *n)
{
	unsigned i;

	if (n->kind == NT_N_FACT || n->kind == NT_N_TOTAL || n->kind == NT_N_KNOWN)
		return false;
	for (i = 0; i < n->n_args; i++)
		if (!is_constant(n->args[i]))
			return false;
	return true;
}

/* Whether the expression's type and dimension can be the tunable's value. */
static int check_type(struct nt_expr_ctx *ctx, const struct nt_set *set, size_t pos)
{
	const struct nt_node *e = set->expr;
	const struct nt_tunable *row = set->row;
	struct nt_dim d = nt_dim_of(row->unit);
	bool family = strchr(row->name, '*') != NULL, ok;

	switch (row->type) {
	case NT_FACT_INT:
	case NT_FACT_REAL:
		ok = e->type == NT_V_ANY || (e->type == NT_V_NUM &&
			((e->dim.bits == d.bits && e->dim.secs == d.secs) ||
			 (!e->dim.bits && !e->dim.secs && is_constant(e))));
		break;
	case NT_FACT_BOOL:
	case NT_FACT_SWITCH:
		ok = e->type == NT_V_BOOL || e->type == NT_V_ANY ||
		     (e->kind == NT_N_LIT && e->type == NT_V_TEXT &&
			     nt_switch_word(e->lit.s) >= 0);
		break;
	default:
		ok = e->type == NT_V_TEXT || e->type == NT_V_ANY ||
		     (family && (e->type == NT_V_BOOL ||
					(e->type == NT_V_NUM && !e->dim.bits &&
						!e->dim.secs)));
	}
	if (ok)
		return 0;
	if (row->type == NT_FACT_INT || row->type == NT_FACT_REAL)
		return nt_expr_fault(
			ctx, pos, "'%s' wants %s", set->tunable, nt_dim_word(d));
	return nt_expr_fault(ctx, pos, "'%s' wants %s", set->tunable,
		row->type == NT_FACT_SWITCH || row->type == NT_FACT_BOOL ? "on or off"
									 : "a text");
}

int nt_set_parse(struct nt_expr_ctx *ctx, const char *text, struct nt_set *ret)
{
	const struct nt_ref *ref;
	struct nt_token name, op;
	size_t pos = 0;
	char *fixed;
	int rc;

	memset(ret, 0, sizeof *ret);
	if (nt_lex(ctx, text, &pos, &name) != 0)
		return -EINVAL;
	if (name.kind != NT_T_NAME || nt_lex(ctx, text, &pos, &op) != 0 ||
		op.op != NT_OP_SET)
		return nt_expr_fault(ctx, name.pos, "TUNABLE := EXPRESSION expected");
	ctx->err_pos = name.pos;
	if (nt_ref_add(ctx->refs, name.text, false, ctx->scope, &ret->ref, ctx->err) != 0)
		return -EINVAL;
	nt_ref_doubt(ctx, ret->ref, name.pos);
	ref = &ctx->refs->v[ret->ref];
	ret->tunable = ref->name;
	ret->row = nt_tunable_find(ref->name);
	if (!ret->row)
		return no_tunable(ctx, name.pos, ref->name);
	ctx->doubt_from = pos;
	rc = nt_expr_parse(ctx, text + pos, &ret->expr);
	ctx->doubt_from = 0;
	if (rc) {
		ctx->err_pos += pos;
		return -EINVAL;
	}
	ret->max_ref = beside(ctx, &ctx->refs->v[ret->ref], ret->row->max_fact);
	fixed = nt_asprintf("%s.fixed", ret->tunable);
	ret->fixed_ref = ret->row->kind == NT_TUN_FEATURE ?
		beside(ctx, &ctx->refs->v[ret->ref], fixed) : -1;
	free(fixed);
	return check_type(ctx, ret, pos);
}
