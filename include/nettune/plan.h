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

/* How many steps are selected. */
size_t nt_plan_selected(const struct nt_plan *p);
/* The step for tunable of link ("" host), the first of several; NULL when there is none. */
struct nt_step *nt_plan_step(struct nt_plan *p, const char *tunable, const char *link);
/* Append a selected step; everything is copied. Valid until the next addition. */
struct nt_step *nt_plan_add(struct nt_plan *p, const char *tunable, const char *link,
	const struct nt_fact *from, const struct nt_fact *to, const char *rule);
/* Deselect, with the reason why + subject; an earlier reason stays. */
void nt_plan_leave_out(struct nt_plan *p, struct nt_step *st, const char *why,
	const char *subject);
/* Deselect what --only, --skip and --risk leave out. */
void nt_plan_limit(struct nt_plan *p, const struct nt_plan_opts *opts);
/* Put the steps into the order in which they are to be done. */
void nt_plan_order(struct nt_plan *p);
/* A copy of f whose text lives as long as the plan. */
struct nt_fact nt_plan_fact(struct nt_plan *p, const struct nt_fact *f);

#endif
