/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a finding would change and by which commands, as lines of a screen. */
#ifndef TUI_COMMAND_LINES_H
#define TUI_COMMAND_LINES_H

#include <stdbool.h>

#include "nettune/rule.h"
#include "wrap.h"

/*
 * Append each change of f, one of all, and the command that makes it; s is the snapshot that
 * was judged. listed: f stands in a list under its own line, which names its link; else the
 * changes name theirs, behind the head "do".
 */
void nt_command_lines(struct nt_lines *l, int width, const struct nt_findings *all,
	const struct nt_finding *f, const struct nt_snapshot *s, bool listed);

#endif
