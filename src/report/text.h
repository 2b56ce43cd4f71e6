/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the text report share. */
#ifndef TEXT_H
#define TEXT_H

#include "fold.h"
#include "nettune/report.h"
#include "wrap.h"

struct nt_text {
	const struct nt_report *r;
	const struct nt_report_style *style;
	struct nt_wrap w;
};

/* One folded finding: title, seen, why, cure. */
void nt_text_group(struct nt_text *t, const struct nt_group *g);
/* --verbose: undecided rules with what they lack, facts that are not known. */
void nt_text_undecided(struct nt_text *t);
void nt_text_absent(struct nt_text *t);
/* "not read" lines: what should be readable and was not, one line a reason. */
void nt_text_unread(struct nt_text *t);

/* What the probe measured, where there was one. */
void nt_text_probe(struct nt_text *t);

/* How many distinct rules could not be decided, by what would decide them. */
enum nt_lack { NT_LACK_PROBE, NT_LACK_ROOT, NT_LACK_OTHER, _NT_LACK_MAX };
void nt_text_count_undecided(const struct nt_report *r, unsigned ret[_NT_LACK_MAX]);

/* The link's name fit to show, "host", or "to PEER" (new string, the caller frees). */
char *nt_text_scope(const struct nt_scope *sc);

#endif
