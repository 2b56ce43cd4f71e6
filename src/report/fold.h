/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Findings that say the same of several links, told once. */
#ifndef FOLD_H
#define FOLD_H

#include <stdbool.h>
#include <stddef.h>

#include "nettune/report.h"

struct nt_group {
	const struct nt_finding **v; /* members, in order; v[0] speaks for all */
	size_t n, cap;
	bool same_seen; /* all saw the same values */
	bool peer;	/* of the other end */
};

struct nt_groups {
	struct nt_group *v;
	size_t n, cap;
};

/* Append the findings of one end, folded, in the order of each group's first. */
void nt_groups_add(struct nt_groups *g, const struct nt_findings *f, bool peer);
/* Worst first again after two ends were added; stable. */
void nt_groups_sort(struct nt_groups *g);
void nt_groups_free(struct nt_groups *g);

#endif
