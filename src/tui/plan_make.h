/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Making the plan, and choosing from it. */
#ifndef TUI_PLAN_MAKE_H
#define TUI_PLAN_MAKE_H

#include <stddef.h>

struct nt_app;

/*
 * Make the plan of marks, edits and findings, and have it checked against the host; waits
 * in NT_PLAN_NONE, to be called again, for findings that know of the last change.
 */
void nt_plan_view_make(struct nt_app *app);
/* Select or leave out the row. */
void nt_plan_view_toggle(struct nt_app *app, size_t row);

#endif
