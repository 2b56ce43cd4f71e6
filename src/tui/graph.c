/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "graph.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double nt_graph_scale(double v)
{
	double p;

	if (!(v > 0))
		return 1;
	p = pow(10, floor(log10(v)));
	return v <= p ? p : v <= 2 * p ? 2 * p : v <= 5 * p ? 5 * p : 10 * p;
}

/* How many of the `dots` dots of a column are filled for the value at i from the right.
 */
static int filled(const float *v, int n, int back, double max, int dots)
{
	double x = back < n ? v[n - 1 - back] : 0;
	int d;

	if (!(x > 0) || !(max > 0))
		return 0;
	d = (int)lround(x / max * dots);
	return d < 1 ? 1 : d > dots ? dots : d;
}

/* Braille: columns of four dots, U+2800 + bits (dots 1 2 3 7 left, 4 5 6 8 right). */
static unsigned braille(int left, int right, int line_from_bottom)
{
	static const unsigned bits[2][4] = { { 0x40, 0x04, 0x02, 0x01 },
		{ 0x80, 0x20, 0x10, 0x08 } };
	unsigned c = 0;
	int i;

	for (i = 0; i < 4; i++) {
		if (left > line_from_bottom * 4 + i)
			c |= bits[0][i];
		if (right > line_from_bottom * 4 + i)
			c |= bits[1][i];
	}
	return c;
}

static void put_braille(int row, int col, unsigned bits, enum nt_role role)
{
	char s[4];

	if (!bits)
		return;
	s[0] = (char)0xe2;
	s[1] = (char)(0xa0 | bits >> 6);
	s[2] = (char)(0x80 | (bits & 0x3f));
	s[3] = '\0';
	nt_term_put(row, col, 1, role, s);
}

void nt_graph_draw(int row, int col, int width, int height, const float *v, int n,
	double max, enum nt_role role)
{
	int x, y, a, b;

	for (x = 0; x < width; x++) {
		int from_right = width - 1 - x;

		if (nt_term_utf8()) {
			b = filled(v, n, from_right * 2, max, height * 4);
			a = filled(v, n, from_right * 2 + 1, max, height * 4);
			for (y = 0; y < height; y++)
				put_braille(row + height - 1 - y, col + x,
					braille(a, b, y), role);
		} else {
			a = filled(v, n, from_right, max, height * 2);
			for (y = 0; y < height && a > y * 2; y++)
				nt_term_put(row + height - 1 - y, col + x, 1, role,
					a > y * 2 + 1 ? "#" : ":");
		}
	}
}

void nt_graph_bar(
	int row, int col, int width, double value, double max, enum nt_role role)
{
	int i, full = max > 0 && value > 0 ? (int)lround(value / max * width) : 0;

	if (value > 0 && full == 0)
		full = 1;
	for (i = 0; i < full && i < width; i++)
		nt_term_put(row, col + i, 1, role, nt_term_pick("█", "#"));
}
