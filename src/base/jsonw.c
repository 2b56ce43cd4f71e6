/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/jsonw.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "nettune/mem.h"
#include "nettune/names.h"

void nt_jsonw_init(struct nt_jsonw *w, FILE *out, int indent_until)
{
	memset(w, 0, offsetof(struct nt_jsonw, buf));
	w->used = 0;
	w->out = out;
	w->indent_until = indent_until;
}

/* Room for n <= NT_JSONW_BUF bytes; what is written there counts once w->used says so. */
static char *room(struct nt_jsonw *w, size_t n)
{
	if (w->used + n > sizeof w->buf) {
		fwrite_unlocked(w->buf, 1, w->used, w->out);
		w->used = 0;
	}
	return w->buf + w->used;
}

static void put(struct nt_jsonw *w, const char *s)
{
	size_t len = strlen(s);

	memcpy(room(w, len), s, len);
	w->used += len;
}

static char *newline(char *p, const struct nt_jsonw *w, int depth)
{
	if (depth > w->indent_until)
		return p;
	*p++ = '\n';
	memset(p, ' ', 2 * (size_t)depth);
	return p + 2 * depth;
}

/* What does not stand for itself in JSON. */
static const bool special[256] = {
	[0 ... 0x1f] = true, ['"'] = true, ['\\'] = true, [0x7f ... 0xff] = true,
};

enum { ESCAPED_MAX = 6 }; /* bytes that one byte may become */

/* One character that is special, at *s, which moves behind it. */
static char *escape(char *p, const unsigned char **s)
{
	static const char hex[] = "0123456789abcdef";
	size_t n = **s < 0x80 ? 0 : nt_utf8_len((const char *)*s);

	if (n) {
		memcpy(p, *s, n);
		*s += n;
		return p + n;
	}
	if (**s == '"' || **s == '\\') {
		*p++ = '\\';
		*p++ = (char)**s;
	} else if (**s >= 0x80) {
		memcpy(p, "\\ufffd", 6);
		p += 6;
	} else {
		memcpy(p, "\\u00", 4);
		p[4] = hex[**s >> 4];
		p[5] = hex[**s & 15];
		p += 6;
	}
	(*s)++;
	return p;
}

bool nt_jsonw_plain(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	while (!special[*s])
		s++;
	return !*s;
}

static void string(struct nt_jsonw *w, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	char *p = room(w, ESCAPED_MAX + 2), *end = w->buf + sizeof w->buf - ESCAPED_MAX - 1;

	*p++ = '"';
	for (;;) {
		while (p < end && !special[*s])
			*p++ = (char)*s++;
		if (p >= end) { /* full: go on in an empty buffer */
			w->used = (size_t)(p - w->buf);
			p = room(w, sizeof w->buf);
		} else if (*s) {
			p = escape(p, &s);
		} else {
			break;
		}
	}
	*p++ = '"';
	w->used = (size_t)(p - w->buf);
}

/* A key that needs no escapes. */
static void plain_key(struct nt_jsonw *w, const char *key)
{
	size_t len = strlen(key);
	char *p = room(w, len + 4);

	*p++ = '"';
	memcpy(p, key, len);
	memcpy(p + len, "\": ", 3);
	w->used += len + 4;
}

/* What goes before a value: comma, line break, key. */
static void before(struct nt_jsonw *w, const char *key)
{
	int d = w->depth;
	char *p;

	if (d == 0) {
		if (key || w->has_member[0])
			nt_die("bug: a JSON document is one value");
		w->has_member[0] = true;
		return;
	}
	if (w->in_object[d] != (key != NULL))
		nt_die("bug: JSON key %s", key ? key : "missing");
	p = room(w, 3 + 2 * NT_JSONW_DEPTH);
	if (w->has_member[d])
		*p++ = ',';
	if (w->has_member[d] && d > w->indent_until)
		*p++ = ' ';
	w->has_member[d] = true;
	p = newline(p, w, d);
	w->used = (size_t)(p - w->buf);
	if (key && w->plain_keys && strlen(key) < sizeof w->buf / 2) {
		plain_key(w, key);
	} else if (key) {
		string(w, key);
		put(w, ": ");
	}
}

static void open(struct nt_jsonw *w, const char *key, bool object)
{
	before(w, key);
	if (++w->depth >= NT_JSONW_DEPTH)
		nt_die("bug: JSON nested too deep");
	w->in_object[w->depth] = object;
	w->has_member[w->depth] = false;
	put(w, object ? "{" : "[");
}

void nt_jsonw_object(struct nt_jsonw *w, const char *key)
{
	open(w, key, true);
}

void nt_jsonw_array(struct nt_jsonw *w, const char *key)
{
	open(w, key, false);
}

void nt_jsonw_end(struct nt_jsonw *w)
{
	bool object;

	if (w->depth == 0)
		nt_die("bug: JSON end without a beginning");
	object = w->in_object[w->depth--];
	if (w->has_member[w->depth + 1] && w->depth + 1 <= w->indent_until)
		w->used = (size_t)(newline(room(w, 1 + 2 * NT_JSONW_DEPTH), w, w->depth) - w->buf);
	put(w, object ? "}" : "]");
}

void nt_jsonw_str(struct nt_jsonw *w, const char *key, const char *s)
{
	before(w, key);
	if (s)
		string(w, s);
	else
		put(w, "null");
}

void nt_jsonw_int(struct nt_jsonw *w, const char *key, int64_t v)
{
	char digits[24], *p = digits + sizeof digits - 1;
	uint64_t u = v < 0 ? -(uint64_t)v : (uint64_t)v;

	before(w, key);
	*p = '\0';
	do {
		*--p = '0' + u % 10;
	} while (u /= 10);
	if (v < 0)
		*--p = '-';
	put(w, p);
}

void nt_jsonw_real(struct nt_jsonw *w, const char *key, double v)
{
	char digits[32];

	before(w, key);
	snprintf(digits, sizeof digits, "%.15g", v);
	put(w, isfinite(v) ? digits : "null");
}

void nt_jsonw_bool(struct nt_jsonw *w, const char *key, bool v)
{
	before(w, key);
	put(w, v ? "true" : "false");
}

void nt_jsonw_null(struct nt_jsonw *w, const char *key)
{
	before(w, key);
	put(w, "null");
}

int nt_jsonw_finish(struct nt_jsonw *w)
{
	if (w->depth)
		nt_die("bug: JSON not ended");
	put(w, "\n");
	errno = 0;
	fwrite_unlocked(w->buf, 1, w->used, w->out);
	w->used = 0;
	if (fflush(w->out) != 0 || ferror(w->out))
		return errno ? -errno : -EIO;
	return 0;
}
