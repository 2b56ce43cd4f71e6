/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/names.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "nettune/buf.h"
#include "nettune/mem.h"

const char *nt_name_of(const struct nt_name *table, int value)
{
	for (; table->name; table++)
		if (table->value == value)
			return table->name;
	return NULL;
}

int nt_name_value(const struct nt_name *table, const char *name)
{
	for (; table->name; table++)
		if (strcmp(table->name, name) == 0)
			return table->value;
	return -EINVAL;
}

char *nt_name_list(const struct nt_name *table, const char *sep)
{
	struct nt_buf b = { 0 };

	for (; table->name; table++) {
		if (b.len)
			nt_buf_adds(&b, sep);
		nt_buf_adds(&b, table->name);
	}
	return nt_buf_detach(&b);
}

/* Whether c is in the set that begins after '['; *ret_end is past its ']', or NULL. */
static bool in_set(const char *p, char c, const char **ret_end)
{
	bool negate = *p == '!' || *p == '^', found = false;
	const char *start = p += negate;

	for (; *p && (*p != ']' || p == start); p++) {
		if (p[1] == '-' && p[2] && p[2] != ']') {
			found |= (unsigned char)*p <= (unsigned char)c &&
				 (unsigned char)c <= (unsigned char)p[2];
			p += 2;
		} else {
			found |= *p == c;
		}
	}
	*ret_end = *p ? p + 1 : NULL;
	return found != negate;
}

bool nt_glob(const char *p, const char *s)
{
	const char *star = NULL, *resume = NULL, *next;

	while (*s) {
		if (*p == '*') {
			star = ++p;
			resume = s;
			continue;
		}
		next = NULL;
		if (*p == '[') {
			bool in = in_set(p + 1, *s, &next);

			if (!next && *s == '[') /* no closing bracket: itself */
				next = p + 1;
			else if (!in)
				next = NULL;
		} else if (*p && (*p == '?' || *p == *s)) {
			next = p + 1;
		}
		if (next) {
			p = next;
			s++;
		} else if (star) {
			p = star;
			s = ++resume;
		} else {
			return false;
		}
	}
	while (*p == '*')
		p++;
	return !*p;
}

/* Overlong forms, surrogates, cut sequences and C1 controls are refused. */
size_t nt_utf8_len(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	uint32_t c;
	size_t n, i;

	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] < 0xe0)
		n = 2, c = s[0] & 0x1f;
	else if (s[0] >= 0xe0 && s[0] < 0xf0)
		n = 3, c = s[0] & 0x0f;
	else if (s[0] >= 0xf0 && s[0] < 0xf5)
		n = 4, c = s[0] & 0x07;
	else
		return 0;
	for (i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if ((n == 3 && c < 0x800) || (n == 4 && (c < 0x10000 || c > 0x10ffff)) ||
		(c >= 0xd800 && c < 0xe000) || (c >= 0x80 && c < 0xa0))
		return 0;
	return n;
}

/* Controls that turn the writing about: what stands after one is not where it seems. */
static bool turns_about(const char *text)
{
	static const char *const controls[] = { "\u061c", "\u200e", "\u200f", "\u202a", "\u202b",
		"\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069" };
	size_t i;

	for (i = 0; i < NT_ARRAY_SIZE(controls); i++)
		if (strncmp(text, controls[i], strlen(controls[i])) == 0)
			return true;
	return false;
}

size_t nt_printable_len(const char *text)
{
	unsigned char c = (unsigned char)*text;

	if (c < 0x20 || c == 0x7f)
		return 0;
	return c >= 0x80 && turns_about(text) ? 0 : nt_utf8_len(text);
}

void nt_printable(char *ret, size_t size, const char *name)
{
	size_t n, used = 0;

	while (*name) {
		n = nt_printable_len(name);
		if (used + (n ? n : 1) >= size)
			break;
		if (n == 0) {
			ret[used++] = '?';
			name++;
		} else {
			memcpy(ret + used, name, n);
			used += n;
			name += n;
		}
	}
	if (size)
		ret[used] = '\0';
}
