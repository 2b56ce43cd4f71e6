/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/jsonw.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "nettune/buf.h"
#include "nettune/mem.h"
#include "nettune/names.h"

void nt_jsonw_init(struct nt_jsonw *w, FILE *out, int indent_until)
{
	memset(w, 0, offsetof(struct nt_jsonw, buf));
	w->used = 0;
	w->out = out;
	w->indent_until = indent_until;
}

static void spill(struct nt_jsonw *w)
{
	errno = 0;
	if (fwrite_unlocked(w->buf, 1, w->used, w->out) != w->used && !w->error)
		w->error = errno ? errno : EIO;
	w->used = 0;
}

/* Room for n <= NT_JSONW_BUF bytes; what is written there counts once w->used says so. */
static inline char *room(struct nt_jsonw *w, size_t n)
{
	if (w->used + n > sizeof w->buf)
		spill(w);
	return w->buf + w->used;
}

static void put_long(struct nt_jsonw *w, const char *s, size_t len)
{
	size_t some;

	for (; len; s += some, len -= some) {
		some = len < sizeof w->buf ? len : sizeof w->buf;
		memcpy(room(w, some), s, some);
		w->used += some;
	}
}

static inline void put_bytes(struct nt_jsonw *w, const char *s, size_t len)
{
	if (len > sizeof w->buf - w->used) {
		put_long(w, s, len);
		return;
	}
	memcpy(w->buf + w->used, s, len);
	w->used += len;
}

/* Of a literal the length is known beforehand. */
static inline void put(struct nt_jsonw *w, const char *s)
{
	put_bytes(w, s, strlen(s));
}

/* Before a member stand at most a comma, a blank or newline, and the indentation. */
enum { PARTING_MAX = 3 + 2 * NT_JSONW_DEPTH };

/* Needs room for that without the comma, however deep. */
static char *newline(char *p, const struct nt_jsonw *w, int depth)
{
	if (depth > w->indent_until)
		return p;
	*p++ = '\n';
	memset(p, ' ', (size_t)2 * NT_JSONW_DEPTH); /* of fixed length: no call */
	return p + 2 * depth;
}

/* What does not stand for itself in JSON. */
static const bool special[256] = {
	[0 ... 0x1f] = true, ['"'] = true, ['\\'] = true, [0x7f ... 0xff] = true,
};

enum { ESCAPED_MAX = 6 }; /* bytes that one byte may become, a NUL behind them */

/* One character that is special, at *s, which moves behind it. */
static char *escape(char *p, const unsigned char **s)
{
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
		p = nt_hex(stpcpy(p, "\\u00"), *s, 1, "");
	}
	(*s)++;
	return p;
}

#define EACH_BYTE(b) ((b) * UINT64_C(0x0101010101010101))

/*
 * Whether one of eight bytes is special. Of a byte b below 0x80, b - n borrows into its
 * high bit exactly where b < n; b + 1 carries into it for 0x7f.
 */
static bool eight_special(uint64_t v)
{
	uint64_t quote = v ^ EACH_BYTE('"'), backslash = v ^ EACH_BYTE('\\');
	uint64_t bad = ((v - EACH_BYTE(0x20)) & ~v) | ((quote - EACH_BYTE(1)) & ~quote) |
		       ((backslash - EACH_BYTE(1)) & ~backslash) | v | (v + EACH_BYTE(1));

	return bad & EACH_BYTE(0x80);
}

/* Whether the text stands for itself in JSON. */
static bool plain(const char *s, size_t len)
{
	uint64_t v;

	for (; len >= sizeof v; s += sizeof v, len -= sizeof v) {
		memcpy(&v, s, sizeof v);
		if (eight_special(v))
			return false;
	}
	while (len--)
		if (special[(unsigned char)*s++])
			return false;
	return true;
}

static void escaped(struct nt_jsonw *w, const char *text)
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

static void string(struct nt_jsonw *w, const char *text)
{
	size_t len = strlen(text);
	char *p;

	if (len > sizeof w->buf - 2 || !plain(text, len)) {
		escaped(w, text);
		return;
	}
	p = room(w, len + 2);
	*p = '"';
	memcpy(p + 1, text, len);
	p[len + 1] = '"';
	w->used += len + 2;
}

/* What parts a member at depth d from the one before, if any: comma, line break. */
static char *part(char *p, const struct nt_jsonw *w, int d, bool has_member)
{
	if (has_member) {
		*p++ = ',';
		if (d > w->indent_until)
			*p++ = ' ';
	}
	return newline(p, w, d);
}

static void separate(struct nt_jsonw *w, bool key)
{
	int d = w->depth;

	if (w->in_object[d] != key)
		nt_die("bug: JSON key %s", key ? "in an array" : "missing");
	w->used = (size_t)(part(room(w, PARTING_MAX), w, d, w->has_member[d]) - w->buf);
	w->has_member[d] = true;
}

static void before_unkeyed(struct nt_jsonw *w, const char *key)
{
	if (w->depth == 0) {
		if (key || w->has_member[0])
			nt_die("bug: a JSON document is one value");
		w->has_member[0] = true;
		return;
	}
	separate(w, key);
	if (key) {
		string(w, key);
		put_bytes(w, ": ", 2);
	}
}

/* What goes before a value: comma, line break, key. */
static inline void before(struct nt_jsonw *w, const char *key)
{
	if (!w->keyed)
		before_unkeyed(w, key);
	else if (key)
		nt_die("bug: JSON key %s after a key", key);
	w->keyed = false;
}

void nt_jsonw_quote(const struct nt_jsonw *w, int depth, const char *name,
	struct nt_arena *arena, struct nt_jsonw_key *ret)
{
	const unsigned char *s = (const unsigned char *)name;
	char *p = nt_arena_alloc(arena, PARTING_MAX + ESCAPED_MAX * strlen(name) + 5);

	ret->s = p;
	p = part(p, w, depth, true);
	ret->parting = (size_t)(p - ret->s);
	ret->depth = depth;
	*p++ = '"';
	while (*s)
		if (special[*s])
			p = escape(p, &s);
		else
			*p++ = (char)*s++;
	memcpy(p, "\": ", 4);
	ret->len = (size_t)(p - ret->s) + 3;
}

void nt_jsonw_key(struct nt_jsonw *w, const struct nt_jsonw_key *key)
{
	int d = w->depth;

	if (!w->in_object[d] || w->keyed)
		nt_die("bug: JSON key %s out of place", key->s);
	w->keyed = true;
	if (w->has_member[d] && d == key->depth) {
		put_bytes(w, key->s, key->len);
		return;
	}
	separate(w, true);
	put_bytes(w, key->s + key->parting, key->len - key->parting);
}

static void open(struct nt_jsonw *w, const char *key, bool object)
{
	before(w, key);
	if (++w->depth >= NT_JSONW_DEPTH)
		nt_die("bug: JSON nested too deep");
	w->in_object[w->depth] = object;
	w->has_member[w->depth] = false;
	put_bytes(w, object ? "{" : "[", 1);
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
		w->used = (size_t)(newline(room(w, 1 + 2 * NT_JSONW_DEPTH), w, w->depth) -
				   w->buf);
	put_bytes(w, object ? "}" : "]", 1);
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
	char digits[24], *end = digits + sizeof digits, *p = end;
	uint64_t u = v < 0 ? -(uint64_t)v : (uint64_t)v;

	before(w, key);
	do {
		*--p = '0' + u % 10;
	} while (u /= 10);
	if (v < 0)
		*--p = '-';
	put_bytes(w, p, (size_t)(end - p));
}

void nt_jsonw_real(struct nt_jsonw *w, const char *key, double v)
{
	char digits[32];

	before(w, key);
	snprintf(digits, sizeof digits, "%.15g", v);
	put(w, isfinite(v) ? digits : "null");
}

void nt_jsonw_begin(struct nt_jsonw *w, FILE *out, int indent_until, const char *schema)
{
	nt_jsonw_init(w, out, indent_until);
	nt_jsonw_object(w, NULL);
	nt_jsonw_str(w, "schema", schema);
}

void nt_jsonw_bool(struct nt_jsonw *w, const char *key, bool v)
{
	before(w, key);
	if (v)
		put(w, "true");
	else
		put(w, "false");
}

void nt_jsonw_switch(struct nt_jsonw *w, const char *key, bool on)
{
	before(w, key);
	if (on)
		put(w, "\"on\"");
	else
		put(w, "\"off\"");
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
	spill(w);
	if (fflush(w->out) != 0 && !w->error)
		w->error = errno ? errno : EIO;
	return -w->error;
}
