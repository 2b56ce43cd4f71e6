/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A scrolling list with a cursor: positions only; the screen draws its rows. */
#ifndef TUI_LIST_H
#define TUI_LIST_H

#include <stdbool.h>

#include "term.h"

struct nt_list {
	int cursor, top; /* index of the selected row and of the first one shown */
	int row, height; /* where it was drawn last, for the mouse */
};

/* Fit cursor and scroll position to n rows shown at row in height lines. */
void nt_list_fit(struct nt_list *l, int n, int row, int height);
/* Move by a key; true when the key was one that moves. *ret_opened (may be NULL) is set
 * when the row under the mouse was already the cursor's: a second click opens. */
bool nt_list_key(struct nt_list *l, int n, struct nt_key k, bool *ret_opened);
/* "12-31 of 100" at the right of row where not all rows fit. */
void nt_list_position(const struct nt_list *l, int n, int row);

#endif
