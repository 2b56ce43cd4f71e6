/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A rule's compiled parts. Private to rule/. */
#ifndef RULE_CODE_H
#define RULE_CODE_H

#include "nettune/rule.h"
#include "eval.h"
#include "expr.h"

/* set = TUNABLE := EXPRESSION */
struct nt_set {
	const char *tunable; /* the fact's name, without "lower." */
	unsigned ref;	     /* its current value */
	const struct nt_tunable *row;
	struct nt_node *expr;
	int max_ref, fixed_ref; /* the driver's bound, whether it is fixed; -1: none */
};

/* One NAME=VALUE of an example. */
struct nt_given {
	const char *name; /* without "lower." */
	enum nt_where where;
	const struct nt_catalogue_row *row;
	const char *value;
};

struct nt_example {
	bool yes;
	int line;
	const char *key; /* "example.yes.2" */
	struct nt_given *v;
	size_t n;
};

struct nt_rule_code {
	struct nt_node *when;
	struct nt_set *sets;
	size_t n_sets;
	struct nt_example *examples;
	size_t n_examples;
	enum nt_confidence confidence;
};

/*
 * Compile a rule's texts (load.c); -EINVAL with ctx->err, ctx->err_pos the byte of the
 * text it is about.
 */
int nt_set_parse(struct nt_expr_ctx *ctx, const char *text, struct nt_set *ret);
int nt_example_parse(struct nt_expr_ctx *ctx, const char *text, struct nt_example *ret);
/* Check the {fact} placeholders of a title or why. */
int nt_template_check(struct nt_expr_ctx *ctx, const char *text);
/* text with its placeholders filled; the caller frees. */
char *nt_template_fill(struct nt_run *r, const char *text);

/* What became of a rule's sets on one scope. */
struct nt_set_outcome {
	bool already; /* one was dropped because the value is so already */
	bool cannot;  /* one was dropped: fixed, current or new value not known */
};

/* The changes that a rule whose condition holds proposes, added to f; strings in arena. */
void nt_changes_make(struct nt_run *r, const struct nt_rule *rule, struct nt_arena *arena,
	struct nt_finding *f, struct nt_set_outcome *ret);

enum nt_verdict {
	NT_JUDGED_HOLDS,
	NT_JUDGED_FINDING,
	NT_JUDGED_UNKNOWN,
	NT_JUDGED_NOT_APPLICABLE,
};

/*
 * Judge one rule on the run's scope. NT_JUDGED_FINDING fills ret (in arena);
 * NT_JUDGED_UNKNOWN leaves the reasons in r->lacks. out (may be NULL) hears of the sets.
 */
enum nt_verdict nt_rule_judge(struct nt_run *r, const struct nt_rule *rule,
	struct nt_arena *arena, struct nt_finding *ret, struct nt_set_outcome *out);

/* Find and settle the conflicts of sorted findings. */
void nt_conflicts_find(struct nt_findings *f);

#endif
