/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A snapshot and expressions on it, for the tests of rule/. */
#ifndef RULE_FIXTURE_H
#define RULE_FIXTURE_H

#include "rule/eval.h"

struct fixture {
	struct nt_snapshot *s;
	struct nt_scope *link, *path, *plain; /* plain: a link without lower or master */
	struct nt_refs refs;
	struct nt_arena arena;
	struct nt_err err;
	size_t err_pos;
};

/* order seeds the order in which the facts are recorded; the facts are the same. */
void fixture_init(struct fixture *f, unsigned order);
void fixture_free(struct fixture *f);
/* 0, or -EINVAL with f->err. */
int fixture_parse(struct fixture *f, enum nt_scope_kind scope, const char *text,
	struct nt_node **ret);
/* The value on scope as a word: "true", "false", "unknown: FACT (REASON), ...", "8 bit^1
 * s^-1", the text; what does not parse gives "error: MESSAGE". Caller frees. */
char *fixture_eval(struct fixture *f, const struct nt_scope *scope, const char *text);

/* A generator of test choices: the same numbers everywhere. */
unsigned fixture_random(unsigned *state, unsigned below);

#endif
