/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "expr.h"

#include <string.h>

#define MAX_LEN 80

/*
 * Levenshtein's distance, https://en.wikipedia.org/wiki/Levenshtein_distance, one row; any
 * number from limit up where it is not below that.
 */
static unsigned distance(const char *a, const char *b, unsigned limit)
{
	unsigned row[MAX_LEN + 1], diagonal, above, best;
	size_t la = strlen(a), lb = strlen(b), i, j;

	if (la > MAX_LEN || lb > MAX_LEN || la >= lb + limit || lb >= la + limit)
		return limit;
	for (j = 0; j <= lb; j++)
		row[j] = j;
	for (i = 1; i <= la; i++) {
		diagonal = row[0];
		row[0] = i;
		for (j = 1; j <= lb; j++) {
			above = row[j];
			best = diagonal + (a[i - 1] != b[j - 1]);
			if (above + 1 < best)
				best = above + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
			diagonal = above;
		}
	}
	return row[lb];
}

const char *nt_suggest(const char *word, const char *(*name_at)(const void *arg, size_t i),
	const void *arg, size_t n)
{
	unsigned best = strlen(word) / 4 + 2, d;
	const char *near = NULL;
	size_t i;

	for (i = 0; i < n; i++) {
		d = distance(word, name_at(arg, i), best);
		if (d < best) {
			best = d;
			near = name_at(arg, i);
		}
	}
	return near;
}
