/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "expr.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "nettune/names.h"
#include "nettune/unit.h"

bool nt_near(double a, double b)
{
	return a == b || fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

double nt_to_base(double x, enum nt_unit unit)
{
	return x * nt_unit_info(unit)->factor;
}

struct nt_dim nt_dim_of(enum nt_unit unit)
{
	const struct nt_unit_info *u =
		nt_unit_info(unit == NT_UNIT_PAGES ? NT_UNIT_BYTES : unit);

	return (struct nt_dim){ u->bits, u->seconds };
}

const char *nt_dim_word(struct nt_dim d)
{
	static const struct {
		struct nt_dim d;
		const char *word;
	} table[] = {
		{ { 0, 0 }, "a plain number" },
		{ { 1, 0 }, "a size" },
		{ { 0, 1 }, "a time" },
		{ { 1, -1 }, "a rate" },
		{ { 0, -1 }, "a number per second" },
	};
	size_t i;

	for (i = 0; i < NT_ARRAY_SIZE(table); i++)
		if (table[i].d.bits == d.bits && table[i].d.secs == d.secs)
			return table[i].word;
	return "another quantity";
}

int nt_switch_word(const char *word)
{
	static const struct nt_name table[] = {
		{ "on", 1 }, { "off", 0 }, { "true", 1 }, { "false", 0 }, { "yes", 1 },
		{ "no", 0 }, { NULL, 0 },
	};

	return nt_name_value(table, word);
}

static double f_min(const double *v, unsigned n, const char **ret_why)
{
	double r = v[0];

	(void)ret_why;
	while (n-- > 1)
		r = fmin(r, v[n]);
	return r;
}

static double f_max(const double *v, unsigned n, const char **ret_why)
{
	double r = v[0];

	(void)ret_why;
	while (n-- > 1)
		r = fmax(r, v[n]);
	return r;
}

static double f_abs(const double *v, unsigned n, const char **ret_why)
{
	(void)n;
	(void)ret_why;
	return fabs(v[0]);
}

/* Rounding sees through the error of unit conversion: 1024 us / 1 us is 1024. */
static double f_ceil(const double *v, unsigned n, const char **ret_why)
{
	(void)n;
	(void)ret_why;
	return nt_near(v[0], round(v[0])) ? round(v[0]) : ceil(v[0]);
}

static double f_floor(const double *v, unsigned n, const char **ret_why)
{
	(void)n;
	(void)ret_why;
	return nt_near(v[0], round(v[0])) ? round(v[0]) : floor(v[0]);
}

static double f_round(const double *v, unsigned n, const char **ret_why)
{
	(void)n;
	(void)ret_why;
	return round(v[0]);
}

static double f_log2(const double *v, unsigned n, const char **ret_why)
{
	(void)n;
	if (v[0] > 0)
		return log2(v[0]);
	*ret_why = "no logarithm of a number that is not above zero";
	return 0;
}

/* The least power of two that is not below the value. */
static double f_pow2ceil(const double *v, unsigned n, const char **ret_why)
{
	double l, r;

	(void)n;
	if (!(v[0] > 0)) {
		*ret_why = "no power of two for a number that is not above zero";
		return 0;
	}
	l = log2(v[0]);
	r = exp2(ceil(l));
	return nt_near(v[0], exp2(round(l))) ? exp2(round(l)) : r;
}

static double t_sum(double so_far, double v)
{
	return so_far + v;
}

static double t_any(double so_far, double v)
{
	return so_far != 0 || v != 0;
}

static double t_all(double so_far, double v)
{
	return so_far != 0 && v != 0;
}

#define MANY 8

const struct nt_func nt_funcs[] = {
	{ "min", NT_SHAPE_SAME, 2, MANY, f_min, fmin, false },
	{ "max", NT_SHAPE_SAME, 2, MANY, f_max, fmax, false },
	{ "abs", NT_SHAPE_SAME, 1, 1, f_abs, NULL, false },
	{ "ceil", NT_SHAPE_ROUND, 1, 1, f_ceil, NULL, false },
	{ "floor", NT_SHAPE_ROUND, 1, 1, f_floor, NULL, false },
	{ "round", NT_SHAPE_ROUND, 1, 1, f_round, NULL, false },
	{ "pow2ceil", NT_SHAPE_ROUND, 1, 1, f_pow2ceil, NULL, false },
	{ "log2", NT_SHAPE_PLAIN, 1, 1, f_log2, NULL, false },
	{ "count", NT_SHAPE_COUNT, 1, 1, NULL, NULL, false },
	{ "if", NT_SHAPE_IF, 3, 3, NULL, NULL, false },
	{ "known", NT_SHAPE_KNOWN, 1, 1, NULL, NULL, false },
	{ "sum", NT_SHAPE_TOTAL, 1, 1, NULL, t_sum, false },
	{ "any", NT_SHAPE_TOTAL, 1, 1, NULL, t_any, true },
	{ "all", NT_SHAPE_TOTAL, 1, 1, NULL, t_all, true },
	{ NULL, NT_SHAPE_TOTAL, 0, 0, NULL, NULL, false },
};

const struct nt_func *nt_func_find(const char *name)
{
	const struct nt_func *f;

	for (f = nt_funcs; f->name; f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}
