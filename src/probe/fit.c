/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "fit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "nettune/mem.h"

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double nt_quantile(double *v, size_t n, double q)
{
	double at, frac;
	size_t i;

	if (!n)
		return NAN;
	qsort(v, n, sizeof *v, by_value);
	at = q * (n - 1);
	i = at;
	frac = at - i;
	return i + 1 < n ? v[i] + frac * (v[i + 1] - v[i]) : v[n - 1];
}

int nt_fit_line(const double *x, const double *y, size_t n, double *ret_intercept,
	double *ret_slope)
{
	double *v = nt_calloc(n ? n * n / 2 + n : 1, sizeof *v), slope;
	size_t i, j, m = 0;

	for (i = 0; i < n; i++)
		for (j = i + 1; j < n; j++)
			if (x[i] != x[j])
				v[m++] = (y[j] - y[i]) / (x[j] - x[i]);
	if (!m) {
		free(v);
		return -EINVAL;
	}
	slope = nt_quantile(v, m, 0.5);
	for (i = 0; i < n; i++)
		v[i] = y[i] - slope * x[i];
	*ret_intercept = nt_quantile(v, n, 0.5);
	*ret_slope = slope;
	free(v);
	return 0;
}
