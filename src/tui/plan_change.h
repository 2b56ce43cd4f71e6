/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Applying the plan, keeping and undoing a change set; each says why not. */
#ifndef TUI_PLAN_CHANGE_H
#define TUI_PLAN_CHANGE_H

struct nt_app;
struct nt_history_item;

void nt_plan_view_apply(struct nt_app *app);
/* Keep the change set that waits: the plan's own, or another nettune's. */
void nt_plan_view_keep(struct nt_app *app);
/* Undo change set id; 0: the one that the plan made. */
void nt_plan_view_undo(struct nt_app *app, unsigned id);
/* The journal was read: what has become of the plan's change set. */
void nt_plan_view_seen(struct nt_app *app, const struct nt_history_item *it);

#endif
