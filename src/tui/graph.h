/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Charts of text: filled curves in braille dots or ASCII, and bars. */
#ifndef TUI_GRAPH_H
#define TUI_GRAPH_H

#include "term.h"

/*
 * A filled curve of the newest values in width columns and height lines at (row, col);
 * full height is max, which the caller labels.
 */
void nt_graph_draw(int row, int col, int width, int height, const float *v, int n,
	double max, enum nt_role role);
/* A bar of value / max in width columns. */
void nt_graph_bar(
	int row, int col, int width, double value, double max, enum nt_role role);
/* The next 1, 2 or 5 times a power of ten that holds v. */
double nt_graph_scale(double v);

#endif
