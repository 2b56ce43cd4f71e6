/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/buf.h"

#include <stdio.h>
#include <string.h>

#include "nettune/mem.h"
#include "nettune/names.h"

const char *nt_buf_str(const struct nt_buf *b)
{
	return b->s ? b->s : "";
}

char *nt_buf_reserve(struct nt_buf *b, size_t len)
{
	size_t need = b->len + len + 1;

	if (need < b->len)
		nt_die("out of memory");
	if (need > b->cap) {
		b->cap = need > b->cap * 2 ? need : b->cap * 2;
		b->s = nt_reallocarray(b->s, b->cap, 1);
	}
	b->s[b->len] = '\0';
	return b->s + b->len;
}

void nt_buf_add(struct nt_buf *b, const void *data, size_t len)
{
	char *to = nt_buf_reserve(b, len);

	if (len)
		memcpy(to, data, len);
	b->len += len;
	b->s[b->len] = '\0';
}

void nt_buf_adds(struct nt_buf *b, const char *s)
{
	nt_buf_add(b, s, strlen(s));
}

void nt_buf_addc(struct nt_buf *b, char c)
{
	nt_buf_add(b, &c, 1);
}

void nt_buf_vaddf(struct nt_buf *b, const char *fmt, va_list ap)
{
	char small[256];
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(small, sizeof small, fmt, ap);
	if (n >= 0 && (size_t)n < sizeof small) {
		nt_buf_add(b, small, n);
	} else if (n >= 0) {
		vsnprintf(nt_buf_reserve(b, n), (size_t)n + 1, fmt, again);
		b->len += n;
	}
	va_end(again);
}

void nt_buf_addf(struct nt_buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	nt_buf_vaddf(b, fmt, ap);
	va_end(ap);
}

static void add_escaped(struct nt_buf *b, const char *word)
{
	size_t n;

	nt_buf_adds(b, "$'");
	for (; *word; word += n ? n : 1) {
		n = nt_printable_len(word);
		if (n == 0)
			nt_buf_addf(b, "\\%03o", (unsigned char)*word);
		else if (*word == '\'' || *word == '\\')
			nt_buf_addf(b, "\\%c", *word);
		else
			nt_buf_add(b, word, n);
	}
	nt_buf_addc(b, '\'');
}

void nt_buf_add_word(struct nt_buf *b, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+:/,@%^=";
	const char *p;

	if (*word && !word[strspn(word, plain)]) {
		nt_buf_adds(b, word);
		return;
	}
	for (p = word; *p && nt_printable_len(p); p += nt_printable_len(p))
		;
	if (*p) {
		add_escaped(b, word);
		return;
	}
	nt_buf_addc(b, '\'');
	for (p = word; *p; p++) {
		if (*p == '\'')
			nt_buf_adds(b, "'\\''");
		else
			nt_buf_addc(b, *p);
	}
	nt_buf_addc(b, '\'');
}

char *nt_hex(char *to, const void *data, size_t len, const char *between)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *p = data;
	size_t i;

	for (i = 0; i < len; i++) {
		if (i)
			to = stpcpy(to, between);
		*to++ = digits[p[i] >> 4];
		*to++ = digits[p[i] & 15];
	}
	*to = '\0';
	return to;
}

void nt_buf_add_hex(struct nt_buf *b, const void *data, size_t len)
{
	nt_hex(nt_buf_reserve(b, 2 * len), data, len, "");
	b->len += 2 * len;
}

void nt_buf_cut(struct nt_buf *b, size_t len)
{
	if (len < b->len) {
		b->len = len;
		b->s[len] = '\0';
	}
}

char *nt_buf_detach(struct nt_buf *b)
{
	char *s = b->s ? b->s : nt_strdup("");

	memset(b, 0, sizeof *b);
	return s;
}

void nt_buf_free(struct nt_buf *b)
{
	free(b->s);
	memset(b, 0, sizeof *b);
}
