/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paragraphs on the screen: a head word on the left, text wrapped beside it. */
#ifndef TUI_WRAP_H
#define TUI_WRAP_H

#include "term.h"

struct nt_lines {
	struct nt_line {
		char *head, *text; /* head may be NULL */
		enum nt_role role;
	} * v;
	size_t n, cap;
};

/*
 * Append text wrapped to width columns; the first line carries head (may be NULL). Blanks
 * that text begins with stand before each of its lines.
 */
void nt_lines_add(struct nt_lines *l, int width, enum nt_role role, const char *head,
	const char *text);
void nt_lines_addf(struct nt_lines *l, int width, enum nt_role role, const char *head,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Show lines from first on, in height rows from row; head_width columns for heads. */
void nt_lines_draw(
	const struct nt_lines *l, int first, int row, int height, int head_width);
/*
 * The same from *scroll on, which is first put into range; says at the right end of the
 * line above that there is more.
 */
void nt_lines_page(
	const struct nt_lines *l, int *scroll, int row, int height, int head_width);
void nt_lines_clear(struct nt_lines *l);

#endif
