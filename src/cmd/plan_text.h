/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plans and their outcome in words. Private to cmd/. */
#ifndef PLAN_TEXT_H
#define PLAN_TEXT_H

#include <stdio.h>

#include "nettune/plan.h"
#include "nettune/sys.h"

/* The plan as a table, what is left out and why, and the commands. s may be NULL. */
void nt_print_plan(const struct nt_plan *p, const struct nt_snapshot *s);
/* One step's outcome, one line. */
void nt_print_step(const struct nt_step *st);
/* What moved besides, and what an undo did. */
void nt_print_sides(const struct nt_change_result *r);
void nt_print_undo(const struct nt_change_result *r);
/* The outcome of an apply as JSON, schema nettune-apply/1. err NULL when it went well. */
int nt_write_result(const struct nt_plan *p, const struct nt_change_result *r,
	unsigned confirm_s, const struct nt_err *err, FILE *out);

#endif
