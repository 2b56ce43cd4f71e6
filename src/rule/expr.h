/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The expression language of rules: text -> tokens (lex.c) -> tree (parse.c) -> types and
 * dimensions (check.c) -> value on a snapshot (eval.c). Private to rule/.
 *
 * Numbers are held in bits and seconds: a fact of 10 ms is 0.01 with dimension s^1.
 */
#ifndef RULE_EXPR_H
#define RULE_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nettune/err.h"
#include "nettune/fact.h"
#include "nettune/mem.h"

enum nt_vtype {
	NT_V_UNKNOWN, /* a value only: not known */
	NT_V_NUM,
	NT_V_BOOL,
	NT_V_TEXT,
	NT_V_VERSION,
	NT_V_LIST,
	NT_V_ANY, /* a static type only: known when evaluated */
};

/* Exponents of bits and seconds. */
struct nt_dim {
	int8_t bits, secs;
};

struct nt_val {
	enum nt_vtype type;
	struct nt_dim dim;
	const char *s; /* TEXT, VERSION, LIST; a number literal's own text */
	union {
		bool b;
		double num;
		struct nt_version ver;
	};
};

enum nt_token_kind { NT_T_END, NT_T_NUM, NT_T_WORD, NT_T_NAME, NT_T_STRING, NT_T_OP };

/* Operators, longest first where one begins another (lex.c). */
enum nt_op {
	NT_OP_NONE, NT_OP_EQ, NT_OP_NE, NT_OP_LE, NT_OP_GE, NT_OP_LT, NT_OP_GT, NT_OP_MATCH,
	NT_OP_NOMATCH, NT_OP_RANGE, NT_OP_SET, NT_OP_ADD, NT_OP_SUB, NT_OP_MUL, NT_OP_DIV,
	NT_OP_OPEN, NT_OP_CLOSE, NT_OP_COMMA, NT_OP_AND, NT_OP_OR, NT_OP_NOT, NT_OP_IN,
	NT_OP_HAS,
};

struct nt_token {
	enum nt_token_kind kind;
	enum nt_op op;
	size_t pos;
	const char *text; /* NUM, WORD, NAME, STRING: owned by the arena */
	struct nt_val val; /* NUM */
	enum nt_unit unit; /* NUM: NT_UNIT_NONE for a plain number */
};

enum nt_node_kind {
	NT_N_LIT,
	NT_N_FACT,
	NT_N_CALL,  /* function over args */
	NT_N_TOTAL, /* function over all facts that match a pattern */
	NT_N_KNOWN,
	NT_N_NOT,
	NT_N_AND, /* of two or more */
	NT_N_OR,
	NT_N_NEG,
	NT_N_ARITH,
	NT_N_CMP,
	NT_N_IN,    /* args[0] in args[1..] */
	NT_N_RANGE, /* args[0] .. args[1], inside IN */
	NT_N_MATCH, /* args[0] =~ args[1..] */
	NT_N_HAS,   /* args[0] has one of args[1..] */
};

struct nt_func;

struct nt_node {
	enum nt_node_kind kind;
	enum nt_op op;
	enum nt_vtype type;
	struct nt_dim dim;
	enum nt_unit unit; /* of a fact: what a plain number beside it is in; of a literal:
			      NT_UNIT_PAGES where it counts pages */
	bool plain;	   /* a number literal without unit */
	size_t pos;
	struct nt_node **args;
	unsigned n_args;
	const struct nt_func *func;
	struct nt_val lit;
	unsigned ref; /* FACT, TOTAL, KNOWN: index into the references */
};

/* Where a reference looks. */
enum nt_where { NT_WHERE_OWN, NT_WHERE_LOWER, NT_WHERE_MASTER };

/* A fact's name, or a pattern of names, that some rule mentions. */
struct nt_ref {
	const char *spelled; /* "lower.link.speed" */
	const char *name;    /* "link.speed" */
	enum nt_where where;
	bool pattern;
	const struct nt_catalogue_row *row;
};

/* All references of a rule base: a snapshot is searched for each only once. */
struct nt_refs {
	struct nt_symtab keys; /* id - 1 indexes v */
	struct nt_ref *v;
	size_t n, cap;
};

void nt_refs_free(struct nt_refs *refs);
/*
 * The reference for a name as spelled in a rule of that scope; a '?' in it stands for '#'.
 * -EINVAL with err when the catalogue has no such name or the scope cannot see it.
 */
int nt_ref_add(struct nt_refs *refs, const char *spelled, bool pattern,
	enum nt_scope_kind scope, unsigned *ret, struct nt_err *err);

/* Tell ctx->doubt where the fact, at byte pos, is a sysctl that no kernel is known to have. */
struct nt_expr_ctx;
void nt_ref_doubt(const struct nt_expr_ctx *ctx, unsigned ref, size_t pos);

/* The index of a reference that was added; -ENOENT when there is none. */
int nt_ref_find(const struct nt_refs *refs, const char *spelled);

/* What parsing needs and where it leaves its complaint. */
struct nt_expr_ctx {
	struct nt_arena *arena;
	struct nt_refs *refs;
	enum nt_scope_kind scope;
	struct nt_err *err;
	size_t err_pos; /* byte of the text that err is about */
	/* hears of a fact, as it is spelled, that may well be misspelt; NULL: nobody */
	void (*doubt)(void *arg, size_t pos, const char *name);
	void *doubt_arg;
	size_t doubt_from; /* where the text stands in what pos counts in */
};

/* The token at *pos of text, *pos moved past it. -EINVAL with ctx->err. */
int nt_lex(struct nt_expr_ctx *ctx, const char *text, size_t *pos, struct nt_token *ret);

/* The tree of text, checked; its type in (*ret)->type. */
int nt_expr_parse(struct nt_expr_ctx *ctx, const char *text, struct nt_node **ret);
/* Types and dimensions of a tree; nt_expr_parse calls it. */
int nt_expr_check(struct nt_expr_ctx *ctx, struct nt_node *n);
/* Set ctx->err about pos; returns -EINVAL. */
int nt_expr_fault(struct nt_expr_ctx *ctx, size_t pos, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* ---- functions (func.c) ---- */

enum nt_shape {
	NT_SHAPE_SAME,	/* numbers of one dimension -> that dimension */
	NT_SHAPE_ROUND, /* a plain number or a size -> the same, whole */
	NT_SHAPE_PLAIN, /* a plain number -> a plain number */
	NT_SHAPE_COUNT, /* a list -> a plain number */
	NT_SHAPE_IF,	/* condition, two values of one type */
	NT_SHAPE_KNOWN, /* a fact */
	NT_SHAPE_TOTAL, /* only a pattern */
};

struct nt_func {
	const char *name;
	enum nt_shape shape;
	unsigned min_args, max_args;
	/* over numbers; *ret_why is set to a reason when there is no result */
	double (*eval)(const double *v, unsigned n, const char **ret_why);
	/* over a pattern's facts; NULL: takes no pattern */
	double (*total)(double so_far, double v);
	bool total_bool; /* the total is a truth value */
};

const struct nt_func *nt_func_find(const char *name);
/* All functions, ending with a NULL name. */
extern const struct nt_func nt_funcs[];

/* Whether a and b are the same but for rounding in unit conversion. */
bool nt_near(double a, double b);
/* x of the unit in bits and seconds. Pages are the judged host's: nt_run_to_base(). */
double nt_to_base(double x, enum nt_unit unit);
struct nt_dim nt_dim_of(enum nt_unit unit);
/* "Mbit/s-like" words for messages: "a size", "a time", "a rate", ... */
const char *nt_dim_word(struct nt_dim d);
/* The value of on/off, true/false, yes/no; -EINVAL for another word. */
int nt_switch_word(const char *word);

/* The nearest of n names to a misspelt word, or NULL when none is near (suggest.c). */
const char *nt_suggest(const char *word, const char *(*name_at)(const void *arg, size_t i),
	const void *arg, size_t n);

#endif
