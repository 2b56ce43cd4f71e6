/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Applying a plan of every kind of tunable to a kernel in memory that a child which gets
 * killed shares, with a state folder of the test's own.
 */
#ifndef FAKE_PLAN_H
#define FAKE_PLAN_H

#include <stdbool.h>

#include "lib/fake_sys.h"
#include "nettune/plan.h"

extern struct fake_kernel *kernel, before; /* before: as fake_init() makes it */
extern char state_dir[];

/* For cmocka_run_group_tests(). */
int fake_plan_setup(void **state);
int fake_plan_teardown(void **state);

/* Forget all change sets, make the kernel anew. */
void fresh(void);
/* A step with values as text. */
void add_step(struct nt_plan *p, const char *tunable, const char *link, const char *from,
	const char *to);
/* Every kind; a step that moves others; two that join. 19 changes. */
void make_plan(struct nt_plan *p);

struct outcome {
	int rc;
	unsigned id, n_left;
	bool changed;
	unsigned long calls, hits; /* of the fault */
	char msg[400];
};
/* Apply make_plan()'s plan with this fault, see nettune/sysfault.h. */
void apply_fault(const char *fault, struct outcome *ret);
/* Undo the newest change set. */
int rollback(struct nt_change_result *r, struct nt_err *err);
/* Fail, saying what differs, unless the kernel is as before. */
void must_be_as_before(const char *what);

#endif
