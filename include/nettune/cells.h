/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cells that text takes on a terminal: names from elsewhere may be double-width. */
#ifndef NETTUNE_CELLS_H
#define NETTUNE_CELLS_H

#include <stddef.h>

/*
 * Of the character of len bytes, as nt_utf8_len() tells them, at text: 0 combines, 2 is
 * double-width, -1 has no shape in this locale (LC_CTYPE).
 */
int nt_char_cells(const char *text, size_t len);
/* Of the whole text; what has no shape, and bytes that are no UTF-8, count one each. */
int nt_cells(const char *text);
/*
 * The width for printf, which counts bytes, that makes text fill so many cells:
 * printf("%-*s", nt_field(text, 10), text).
 */
int nt_field(const char *text, int cells);

#endif
