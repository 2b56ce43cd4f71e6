/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Order of changes and the differences of states. Private to plan. */
#ifndef PLAN_UNDO_H
#define PLAN_UNDO_H

#include "state.h"

#define NT_WHY_GLOBAL                                                                    \
	"one value for the whole host: not to be changed from inside a network namespace"

/* Where a value stands in the order of changes; see rank in plan.c. */
int nt_change_rank(const char *tunable);

/* Called with each value that differs between a and b; NULL where one has none. */
typedef void nt_diff_fn(void *arg, int ifindex, const char *key, const char *a,
	const char *b);
void nt_state_diff(struct nt_state *a, struct nt_state *b, nt_diff_fn *fn, void *arg);

#endif
