/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which steps a host can take. Private to plan. */
#ifndef PLAN_CHECK_H
#define PLAN_CHECK_H

#include "nettune/plan.h"
#include "state.h"

/* The number of the step's link, 0 for the host, -1 when there is no such link. */
int nt_step_ifindex(const struct nt_step *st, const struct nt_links *links);

/* Watch all selected steps of p. */
void nt_watch_plan(struct nt_watch *w, const struct nt_plan *p,
	const struct nt_links *links);

#endif
