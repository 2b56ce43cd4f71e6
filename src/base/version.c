/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/version.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A decimal number of at most 8 digits at *s, which is moved past it. */
static int number(const char **s)
{
	int v = 0, digits = 0;

	for (; isdigit((unsigned char)**s) && digits < 8; (*s)++, digits++)
		v = v * 10 + (**s - '0');
	return v;
}

int nt_version_parse(const char *s, struct nt_version *ret)
{
	memset(ret, 0, sizeof *ret);
	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	do {
		ret->part[ret->n++] = number(&s);
	} while (ret->n < NT_VERSION_PARTS && *s == '.' && isdigit((unsigned char)s[1]) && s++);
	if (strncmp(s, "-rc", 3) == 0 && isdigit((unsigned char)s[3])) {
		s += 3;
		ret->rc = number(&s);
	}
	return 0;
}

static int cmp_parts(const struct nt_version *a, const struct nt_version *b, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (a->part[i] != b->part[i])
			return a->part[i] < b->part[i] ? -1 : 1;
	return 0;
}

int nt_version_cmp(const struct nt_version *a, const struct nt_version *b)
{
	int c = cmp_parts(a, b, NT_VERSION_PARTS);

	if (c || a->rc == b->rc)
		return c;
	if (!a->rc || !b->rc)
		return a->rc ? -1 : 1;
	return a->rc < b->rc ? -1 : 1;
}

bool nt_version_in(const struct nt_version *v, const struct nt_version *first,
	const struct nt_version *last)
{
	int c = cmp_parts(v, last, last->n);

	if (c == 0 && last->rc)
		c = nt_version_cmp(v, last);
	return nt_version_cmp(v, first) >= 0 && c <= 0;
}

void nt_version_format(char ret[48], const struct nt_version *v)
{
	int i, used = 0;

	for (i = 0; i < v->n; i++)
		used += snprintf(ret + used, 48 - used, "%s%d", i ? "." : "", v->part[i]);
	if (v->rc)
		snprintf(ret + used, 48 - used, "-rc%d", v->rc);
}
