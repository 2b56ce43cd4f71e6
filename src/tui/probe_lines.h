/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a probe measured, as lines of text for its screen. */
#ifndef TUI_PROBE_LINES_H
#define TUI_PROBE_LINES_H

#include "compare.h"
#include "wrap.h"

struct nt_probe_view;

/* Figures and verdicts of each test. */
void nt_probe_result_lines(
	struct nt_lines *l, const struct nt_probe_result *r, int width);
/* What was found at the other end, with what is to be done there: this host can't. */
void nt_probe_peer_lines(struct nt_lines *l, const struct nt_probe_view *v, int width);
/* The change of each measure against the probe before, and what is to be made of it. */
void nt_probe_compare_lines(struct nt_lines *l, int width,
	const struct nt_measures *before, const struct nt_measures *now);
/* The same in one line: how many are better, worse, and not told apart. */
void nt_probe_compare_text(char *ret, size_t size, const struct nt_measures *before,
	const struct nt_measures *now);

#endif
