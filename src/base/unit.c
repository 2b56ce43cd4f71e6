/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/unit.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "nettune/mem.h"

static const struct nt_unit_info infos[_NT_UNIT_MAX] = {
	[NT_UNIT_NONE] = { "", 1, 0, 0 },
	[NT_UNIT_BYTES] = { "bytes", 8, 1, 0 },
	[NT_UNIT_PAGES] = { "pages", 1, 0, 0 }, /* the page size is the judged host's */
	[NT_UNIT_BPS] = { "bit/s", 1, 1, -1 },
	[NT_UNIT_MBPS] = { "Mbit/s", 1e6, 1, -1 },
	[NT_UNIT_NS] = { "ns", 1e-9, 0, 1 },
	[NT_UNIT_US] = { "us", 1e-6, 0, 1 },
	[NT_UNIT_MS] = { "ms", 1e-3, 0, 1 },
	[NT_UNIT_S] = { "s", 1, 0, 1 },
	[NT_UNIT_PER_S] = { "/s", 1, 0, -1 },
	[NT_UNIT_PACKETS] = { "packets", 1, 0, 0 },
	[NT_UNIT_PERCENT] = { "%", 1, 0, 0 },
};

const struct nt_unit_info *nt_unit_info(enum nt_unit unit)
{
	if ((unsigned)unit >= _NT_UNIT_MAX)
		nt_die("bug: unit %d", unit);
	return &infos[unit];
}

/* Literal words; tc's manner: a bare "Mbit" is a rate. Longest match wins. */
static const struct {
	const char *word;
	double factor;
	enum nt_unit unit;
} words[] = {
	{ "bit", 1, NT_UNIT_BPS },
	{ "kbit", 1e3, NT_UNIT_BPS },
	{ "Mbit", 1e6, NT_UNIT_BPS },
	{ "Gbit", 1e9, NT_UNIT_BPS },
	{ "Tbit", 1e12, NT_UNIT_BPS },
	{ "B", 1, NT_UNIT_BYTES },
	{ "kB", 1e3, NT_UNIT_BYTES },
	{ "MB", 1e6, NT_UNIT_BYTES },
	{ "GB", 1e9, NT_UNIT_BYTES },
	{ "KiB", 1024, NT_UNIT_BYTES },
	{ "MiB", 1048576, NT_UNIT_BYTES },
	{ "GiB", 1073741824, NT_UNIT_BYTES },
	{ "ns", 1, NT_UNIT_NS },
	{ "us", 1, NT_UNIT_US },
	{ "ms", 1, NT_UNIT_MS },
	{ "s", 1, NT_UNIT_S },
	{ "min", 60, NT_UNIT_S },
	{ "h", 3600, NT_UNIT_S },
	{ "%", 1, NT_UNIT_PERCENT },
};

/* Digits, fraction, exponent, converted in the C locale's manner; NULL if none. */
static const char *number(const char *s, double *ret)
{
	const char *p = s, *e;
	double v = 0, scale = 1;
	int digits = 0, exp10 = 0, sign = 1;

	for (; isdigit((unsigned char)*p); p++, digits++)
		v = v * 10 + (*p - '0');
	if (*p == '.' && isdigit((unsigned char)p[1]))
		for (p++; isdigit((unsigned char)*p); p++, digits++)
			v += (*p - '0') * (scale /= 10);
	if (!digits)
		return NULL;
	if (*p == 'e' || *p == 'E') {
		e = p + 1;
		if (*e == '+' || *e == '-')
			sign = *e++ == '-' ? -1 : 1;
		if (isdigit((unsigned char)*e)) {
			for (p = e; isdigit((unsigned char)*p); p++)
				exp10 = exp10 < 1000 ? exp10 * 10 + (*p - '0') : exp10;
			v *= pow(10, sign * exp10);
		}
	}
	*ret = v;
	return p;
}

int nt_unit_parse(const char *s, double *ret_value, enum nt_unit *ret_unit,
	const char **ret_end)
{
	const char *p = number(s, ret_value);
	size_t i, len, best_len = 0, best = 0;

	if (!p)
		return -EINVAL;
	*ret_unit = NT_UNIT_NONE;
	for (i = 0; i < NT_ARRAY_SIZE(words); i++) {
		len = strlen(words[i].word);
		if (len > best_len && strncmp(p, words[i].word, len) == 0 &&
			(*p == '%' || !isalnum((unsigned char)p[len]))) {
			best = i;
			best_len = len;
		}
	}
	if (best_len) {
		p += best_len;
		*ret_value *= words[best].factor;
		*ret_unit = words[best].unit;
		if (*ret_unit == NT_UNIT_BPS && strncmp(p, "/s", 2) == 0)
			p += 2;
	} else if (isalpha((unsigned char)*p)) {
		return -EINVAL;
	}
	if (!isfinite(*ret_value))
		return -ERANGE;
	if (ret_end)
		*ret_end = p;
	else if (*p)
		return -EINVAL;
	return 0;
}

int nt_unit_parse_as(const char *s, enum nt_unit unit, double *ret)
{
	enum nt_unit got;
	double v;
	int rc = nt_unit_parse(s, &v, &got, NULL);

	if (!rc && got != NT_UNIT_NONE)
		rc = nt_unit_convert(v, got, unit, &v);
	if (!rc)
		*ret = v;
	return rc;
}

int nt_unit_convert(double value, enum nt_unit from, enum nt_unit to, double *ret)
{
	const struct nt_unit_info *a = nt_unit_info(from), *b = nt_unit_info(to);

	if (from == to) {
		*ret = value;
		return 0;
	}
	if (a->bits != b->bits || a->seconds != b->seconds ||
		(from == NT_UNIT_PAGES) != (to == NT_UNIT_PAGES))
		return -EINVAL;
	*ret = value * a->factor / b->factor;
	return 0;
}

static void in_steps(char *ret, size_t size, double v, double step, const char *const *names,
	int n)
{
	int i = 0;

	while (i + 1 < n && fabs(v) >= step) {
		v /= step;
		i++;
	}
	if (v == floor(v) && fabs(v) < 1e15)
		snprintf(ret, size, "%.0f %s", v, names[i]);
	else
		snprintf(ret, size, "%.*f %s", fabs(v) < 10 ? 2 : 1, v, names[i]);
}

void nt_unit_format(char *ret, size_t size, double v, enum nt_unit unit)
{
	static const char *const sizes[] = { "bytes", "KiB", "MiB", "GiB", "TiB" };
	static const char *const times[] = { "ns", "us", "ms", "s" };

	switch (unit) {
	case NT_UNIT_BYTES:
		/* 1500 and 9000 are known by these names */
		if (fabs(v) < 65536 && fmod(v, 1024) != 0) {
			snprintf(ret, size, "%.*f %s", v == floor(v) ? 0 : 1, v,
				v == 1 ? "byte" : "bytes");
			return;
		}
		in_steps(ret, size, v, 1024, sizes, 5);
		return;
	case NT_UNIT_BPS:
	case NT_UNIT_MBPS:
		v = unit == NT_UNIT_BPS ? v / 1e6 : v;
		snprintf(ret, size, "%.*f Mbit/s", v == floor(v) || v >= 100 ? 0 : 2, v);
		return;
	case NT_UNIT_NS:
	case NT_UNIT_US:
	case NT_UNIT_MS:
	case NT_UNIT_S:
		if (v == 0) {
			snprintf(ret, size, "0 %s", infos[unit].name);
			return;
		}
		in_steps(ret, size, v * infos[unit].factor * 1e9, 1000, times, 4);
		return;
	default:
		break;
	}
	if ((v == floor(v) || fabs(v) >= 1000) && fabs(v) < 1e15)
		snprintf(ret, size, "%.0f%s%s", v, *infos[unit].name ? " " : "", infos[unit].name);
	else
		snprintf(ret, size, "%.4g%s%s", v, *infos[unit].name ? " " : "", infos[unit].name);
}
