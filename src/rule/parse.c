/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "expr.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_DEPTH 50
#define MAX_ARGS 64

struct parser {
	struct nt_expr_ctx *ctx;
	const char *text;
	size_t pos;
	struct nt_token t; /* the next token */
	int depth;
	int rc; /* the first failure; every function returns at once after it */
};

int nt_expr_fault(struct nt_expr_ctx *ctx, size_t pos, const char *fmt, ...)
{
	char msg[320];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(msg, sizeof msg, fmt, ap);
	va_end(ap);
	ctx->err_pos = pos;
	return nt_err_set(ctx->err, -EINVAL, "%s", msg);
}

static struct nt_node *parse_or(struct parser *p);

static void next(struct parser *p)
{
	if (!p->rc)
		p->rc = nt_lex(p->ctx, p->text, &p->pos, &p->t);
}

static bool at(const struct parser *p, enum nt_op op)
{
	return !p->rc && p->t.kind == NT_T_OP && p->t.op == op;
}

static bool accept(struct parser *p, enum nt_op op)
{
	if (!at(p, op))
		return false;
	next(p);
	return true;
}

/* "unexpected ...": what stands where something else was wanted. */
static void unexpected(struct parser *p, const char *wanted)
{
	int len = p->pos - p->t.pos;

	if (p->rc)
		return;
	if (p->t.kind == NT_T_END)
		p->rc = nt_expr_fault(p->ctx, p->t.pos, "%s is missing at the end", wanted);
	else
		p->rc = nt_expr_fault(p->ctx, p->t.pos, "%s expected before '%.*s'", wanted,
			len > 40 ? 40 : len, p->text + p->t.pos);
}

static void expect(struct parser *p, enum nt_op op, const char *what)
{
	if (!accept(p, op))
		unexpected(p, what);
}

static struct nt_node *node(struct parser *p, enum nt_node_kind kind, size_t pos,
	unsigned n_args)
{
	struct nt_node *n = nt_arena_alloc(p->ctx->arena, sizeof *n);

	memset(n, 0, sizeof *n);
	n->kind = kind;
	n->pos = pos;
	n->n_args = n_args;
	if (n_args) {
		n->args = nt_arena_alloc(p->ctx->arena, n_args * sizeof *n->args);
		memset(n->args, 0, n_args * sizeof *n->args);
	}
	return n;
}

static struct nt_node *binary(struct parser *p, enum nt_node_kind kind, enum nt_op op,
	size_t pos, struct nt_node *a, struct nt_node *b)
{
	struct nt_node *n = node(p, kind, pos, 2);

	n->op = op;
	n->args[0] = a;
	n->args[1] = b;
	return n;
}

/* args[first..] = list; args[0] stays for the caller when first is 1. */
static struct nt_node *with_args(struct parser *p, enum nt_node_kind kind, size_t pos,
	struct nt_node *const *list, unsigned n_list, unsigned first)
{
	struct nt_node *n = node(p, kind, pos, first + n_list);

	memcpy(n->args + first, list, n_list * sizeof *list);
	return n;
}

static struct nt_node *literal(struct parser *p)
{
	struct nt_node *n = node(p, NT_N_LIT, p->t.pos, 0);

	if (p->t.kind == NT_T_NUM) {
		n->lit = p->t.val;
		n->plain = p->t.val.type == NT_V_NUM && p->t.unit == NT_UNIT_NONE;
	} else {
		n->lit.type = NT_V_TEXT;
		n->lit.s = p->t.text;
	}
	next(p);
	return n;
}

/* A number literal, in place; then it is no version. */
static void negate(struct nt_node *n)
{
	n->lit.num = -n->lit.num;
	n->lit.s = "-";
}

static bool at_literal(const struct parser *p)
{
	return !p->rc && (p->t.kind == NT_T_NUM || p->t.kind == NT_T_WORD ||
				 p->t.kind == NT_T_STRING);
}

static struct nt_node *fact(struct parser *p)
{
	struct nt_node *n = node(p, NT_N_FACT, p->t.pos, 0);

	p->rc = nt_ref_add(
		p->ctx->refs, p->t.text, false, p->ctx->scope, &n->ref, p->ctx->err);
	p->ctx->err_pos = p->t.pos;
	if (!p->rc)
		nt_ref_doubt(p->ctx, n->ref, p->t.pos);
	next(p);
	return n;
}

static const char *func_name(const void *arg, size_t i)
{
	(void)arg;
	return nt_funcs[i].name;
}

static const struct nt_func *find_func(struct parser *p, const struct nt_token *name)
{
	const struct nt_func *f = nt_func_find(name->text);
	const char *near;
	size_t n = 0;

	if (f)
		return f;
	while (nt_funcs[n].name)
		n++;
	near = nt_suggest(name->text, func_name, NULL, n);
	p->rc = nt_expr_fault(p->ctx, name->pos, near ? "no function '%s': '%s'?" :
		"no function '%s'", name->text, near);
	return NULL;
}

/* NAME ( ... ), the name read and the parenthesis next. */
static struct nt_node *call(struct parser *p, const struct nt_token *name)
{
	const struct nt_func *f = find_func(p, name);
	struct nt_node *list[MAX_ARGS], *n;
	unsigned n_list = 0;

	next(p);
	if (p->rc)
		return NULL;
	if (f->total && p->t.kind == NT_T_STRING) {
		n = node(p, NT_N_TOTAL, name->pos, 0);
		n->func = f;
		p->rc = nt_ref_add(p->ctx->refs, p->t.text, true, p->ctx->scope, &n->ref,
			p->ctx->err);
		p->ctx->err_pos = p->t.pos;
		next(p);
		expect(p, NT_OP_CLOSE, "')'");
		return n;
	}
	if (f->shape == NT_SHAPE_TOTAL) {
		unexpected(p, "a pattern in quotes");
		return NULL;
	}
	if (!at(p, NT_OP_CLOSE))
		do {
			if (n_list == MAX_ARGS)
				unexpected(p, "')'");
			else
				list[n_list++] = parse_or(p);
		} while (accept(p, NT_OP_COMMA));
	expect(p, NT_OP_CLOSE, "')'");
	if (p->rc)
		return NULL;
	if (n_list < f->min_args || n_list > f->max_args) {
		p->rc = nt_expr_fault(p->ctx, name->pos,
			"%s() takes %u%s argument%s, not %u", f->name, f->min_args,
			f->max_args > f->min_args ? " or more" : "",
			f->max_args == 1 ? "" : "s", n_list);
		return NULL;
	}
	n = with_args(p, f->shape == NT_SHAPE_KNOWN ? NT_N_KNOWN : NT_N_CALL, name->pos,
		list, n_list, 0);
	n->func = f;
	return n;
}

static struct nt_node *primary(struct parser *p)
{
	struct nt_token name;
	struct nt_node *n = NULL;

	if (p->rc)
		return NULL;
	if (p->t.kind == NT_T_NAME)
		return fact(p);
	if (p->t.kind == NT_T_WORD) {
		name = p->t;
		n = literal(p);
		return at(p, NT_OP_OPEN) ? call(p, &name) : n;
	}
	if (at_literal(p))
		return literal(p);
	if (accept(p, NT_OP_OPEN)) {
		n = parse_or(p);
		expect(p, NT_OP_CLOSE, "')'");
		return n;
	}
	unexpected(p, "a value");
	return NULL;
}

static struct nt_node *unary(struct parser *p)
{
	size_t pos = p->t.pos;
	struct nt_node *n;

	if (++p->depth > MAX_DEPTH && !p->rc)
		p->rc = nt_expr_fault(p->ctx, pos, "nested too deeply");
	if (accept(p, NT_OP_SUB)) {
		n = unary(p);
		if (!p->rc && n->kind == NT_N_LIT && n->lit.type == NT_V_NUM) {
			negate(n);
		} else {
			struct nt_node *of = n;

			n = node(p, NT_N_NEG, pos, 1);
			n->args[0] = of;
		}
	} else {
		n = primary(p);
	}
	p->depth--;
	return n;
}

/* Operands joined by either of two operators, from the left. */
static struct nt_node *arithmetic(struct parser *p, enum nt_op one, enum nt_op other,
	struct nt_node *(*operand)(struct parser *p))
{
	struct nt_node *n = operand(p);

	while (at(p, one) || at(p, other)) {
		enum nt_op op = p->t.op;
		size_t pos = p->t.pos;

		next(p);
		n = binary(p, NT_N_ARITH, op, pos, n, operand(p));
	}
	return n;
}

static struct nt_node *factor(struct parser *p)
{
	return arithmetic(p, NT_OP_MUL, NT_OP_DIV, unary);
}

static struct nt_node *sum(struct parser *p)
{
	return arithmetic(p, NT_OP_ADD, NT_OP_SUB, factor);
}

/* A literal, negative ones too, a range of two, or a fact. */
static struct nt_node *item(struct parser *p)
{
	struct nt_node *v[2];
	size_t pos;
	int i;

	if (!p->rc && p->t.kind == NT_T_NAME)
		return fact(p);
	for (i = 0; i < 2; i++) {
		bool negative = accept(p, NT_OP_SUB);

		if (!at_literal(p) || (negative && p->t.kind != NT_T_NUM)) {
			unexpected(p, "a literal");
			return NULL;
		}
		v[i] = literal(p);
		if (negative)
			negate(v[i]);
		pos = p->t.pos;
		if (i == 0 && !accept(p, NT_OP_RANGE))
			return v[0];
	}
	return binary(p, NT_N_RANGE, NT_OP_RANGE, pos, v[0], v[1]);
}

/* LEFT in|=~|has ITEM or (ITEM, ...). */
static struct nt_node *items(struct parser *p, enum nt_node_kind kind, struct nt_node *left)
{
	struct nt_node *list[MAX_ARGS], *n;
	size_t pos = p->t.pos;
	unsigned n_list = 0;
	enum nt_op op = p->t.op;

	next(p);
	if (accept(p, NT_OP_OPEN)) {
		do {
			if (n_list == MAX_ARGS)
				unexpected(p, "')'");
			else
				list[n_list++] = item(p);
		} while (accept(p, NT_OP_COMMA));
		expect(p, NT_OP_CLOSE, "')'");
	} else {
		list[n_list++] = item(p);
	}
	n = with_args(p, kind, pos, list, n_list, 1);
	n->args[0] = left;
	n->op = op;
	return n;
}

static struct nt_node *comparison(struct parser *p)
{
	struct nt_node *n = sum(p);
	size_t pos = p->t.pos;
	enum nt_op op = p->t.op;

	if (p->rc || p->t.kind != NT_T_OP)
		return n;
	switch (op) {
	case NT_OP_EQ:
	case NT_OP_NE:
	case NT_OP_LT:
	case NT_OP_LE:
	case NT_OP_GT:
	case NT_OP_GE:
		next(p);
		n = binary(p, NT_N_CMP, op, pos, n, sum(p));
		break;
	case NT_OP_IN:
		n = items(p, NT_N_IN, n);
		break;
	case NT_OP_MATCH:
	case NT_OP_NOMATCH:
		n = items(p, NT_N_MATCH, n);
		break;
	case NT_OP_HAS:
		n = items(p, NT_N_HAS, n);
		break;
	default:
		break;
	}
	return n;
}

static struct nt_node *negation(struct parser *p)
{
	size_t pos = p->t.pos;
	struct nt_node *n;

	if (!at(p, NT_OP_NOT))
		return comparison(p);
	if (++p->depth > MAX_DEPTH)
		p->rc = nt_expr_fault(p->ctx, pos, "nested too deeply");
	next(p);
	n = node(p, NT_N_NOT, pos, 1);
	n->args[0] = p->rc ? NULL : negation(p);
	p->depth--;
	return n;
}

/* A chain of operands of one operator, read by part, as one node. */
static struct nt_node *chain(struct parser *p, enum nt_node_kind kind, enum nt_op op,
	struct nt_node *(*part)(struct parser *p))
{
	struct nt_node *list[MAX_ARGS];
	size_t pos = p->t.pos;
	unsigned n = 0;

	do {
		if (n == MAX_ARGS) {
			list[0] = with_args(p, kind, pos, list, n, 0);
			n = 1;
		}
		list[n++] = part(p);
	} while (accept(p, op));
	return n == 1 ? list[0] : with_args(p, kind, pos, list, n, 0);
}

static struct nt_node *parse_and(struct parser *p)
{
	return chain(p, NT_N_AND, NT_OP_AND, negation);
}

static struct nt_node *parse_or(struct parser *p)
{
	struct nt_node *n;

	if (p->rc)
		return NULL;
	if (++p->depth > MAX_DEPTH)
		p->rc = nt_expr_fault(p->ctx, p->t.pos, "nested too deeply");
	n = chain(p, NT_N_OR, NT_OP_OR, parse_and);
	p->depth--;
	return n;
}

int nt_expr_parse(struct nt_expr_ctx *ctx, const char *text, struct nt_node **ret)
{
	struct parser p = { .ctx = ctx, .text = text };
	struct nt_node *n;

	next(&p);
	n = parse_or(&p);
	if (!p.rc && p.t.kind != NT_T_END)
		unexpected(&p, "'and', 'or' or the end");
	if (!p.rc)
		p.rc = nt_expr_check(ctx, n);
	if (!p.rc)
		*ret = n;
	return p.rc;
}
