/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Robust statistics over small samples. Private to probe/. */
#ifndef PROBE_FIT_H
#define PROBE_FIT_H

#include <stddef.h>

/* Sorts v. NAN for n == 0. q in 0..1, linear between neighbours. */
double nt_quantile(double *v, size_t n, double q);

/*
 * Line through (x, y) by Theil and Sen: the slope is the median of the slopes of all pairs
 * of differing x, the intercept the median of y - slope * x; up to 29 % of the points may
 * be anything. Returns 0, or -EINVAL where fewer than two differing x are given.
 */
int nt_fit_line(const double *x, const double *y, size_t n, double *ret_intercept,
	double *ret_slope);

#endif
