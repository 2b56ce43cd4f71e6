/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From findings to ordered changes. A dry run is nothing but showing the plan. */
#ifndef NETTUNE_PLAN_H
#define NETTUNE_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "nettune/rule.h"
#include "nettune/tunable.h"

struct nt_step {
	const char *tunable;
	const char *link; /* "" for the host */
	const struct nt_tunable *row;
	struct nt_fact from, to;
	enum nt_risk risk;
	const char *rule; /* id */
	bool selected;
	const char *left_out; /* why not selected: "needs --risk link"; NULL when selected */
};

struct nt_plan {
	struct nt_step *v;
	size_t n, cap;
	struct nt_arena arena;
};

struct nt_plan_opts {
	const char *const *only, *const *skip; /* NULL or NULL-terminated rule ids */
	enum nt_risk risk; /* steps above it are left out, and say so */
};

/*
 * The plan of the findings: changes of problems and warnings; of advice only when named in
 * only. The loser of a settled conflict is left out, both sides of an open one. Ordered so
 * that a later step cannot undo an earlier one: per link features last, riskier first.
 */
void nt_plan_make(const struct nt_findings *f, const struct nt_snapshot *s,
	const struct nt_plan_opts *opts, struct nt_plan *ret);
void nt_plan_free(struct nt_plan *p);

#endif
