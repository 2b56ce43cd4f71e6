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

static void put(struct nt_jsonw *w, const void *data, size_t len)
{
	if (w->used + len > sizeof w->buf) {
		fwrite_unlocked(w->buf, 1, w->used, w->out);
		w->used = 0;
	}
	if (len > sizeof w->buf) {
		fwrite_unlocked(data, 1, len, w->out);
		return;
	}
	memcpy(w->buf + w->used, data, len);
	w->used += len;
}

static void putch(struct nt_jsonw *w, char c)
{
	put(w, &c, 1);
}

static void put_text(struct nt_jsonw *w, const char *s)
{
	put(w, s, strlen(s));
}

static void newline(struct nt_jsonw *w, int depth)
{
	static const char indent[2 * NT_JSONW_DEPTH + 2] =
		"\n                                                                ";

	if (depth <= w->indent_until)
		put(w, indent, 1 + 2 * (size_t)depth);
}

/* The length of the beginning of p that stands for itself in JSON. */
static size_t plain(const unsigned char *p)
{
	static const bool special[256] = {
		[0 ... 0x1f] = true, ['"'] = true, ['\\'] = true, [0x7f ... 0xff] = true,
	};
	size_t n = 0;

	while (!special[p[n]])
		n++;
	return n;
}

static void string(struct nt_jsonw *w, const char *s)
{
	const unsigned char *p = (const unsigned char *)s;
	char escape[8];
	size_t n;

	putch(w, '"');
	while (*p) {
		n = plain(p);
		if (!n)
			n = *p < 0x80 ? 0 : nt_utf8_len((const char *)p);
		if (n) {
			put(w, p, n);
			p += n;
			continue;
		}
		if (*p >= 0x80)
			put_text(w, "\\ufffd");
		else if (*p == '"' || *p == '\\')
			put(w, (const char[]){ '\\', (char)*p }, 2);
		else {
			snprintf(escape, sizeof escape, "\\u%04x", *p);
			put_text(w, escape);
		}
		p++;
	}
	putch(w, '"');
}

/* What goes before a value: comma, line break, key. */
static void before(struct nt_jsonw *w, const char *key)
{
	int d = w->depth;

	if (d == 0) {
		if (key || w->has_member[0])
			nt_die("bug: a JSON document is one value");
		w->has_member[0] = true;
		return;
	}
	if (w->in_object[d] != (key != NULL))
		nt_die("bug: JSON key %s", key ? key : "missing");
	if (w->has_member[d])
		putch(w, ',');
	if (w->has_member[d] && d > w->indent_until)
		putch(w, ' ');
	w->has_member[d] = true;
	newline(w, d);
	if (key) {
		string(w, key);
		put_text(w, ": ");
	}
}

static void open(struct nt_jsonw *w, const char *key, bool object)
{
	before(w, key);
	if (++w->depth >= NT_JSONW_DEPTH)
		nt_die("bug: JSON nested too deep");
	w->in_object[w->depth] = object;
	w->has_member[w->depth] = false;
	putch(w, object ? '{' : '[');
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
		newline(w, w->depth);
	putch(w, object ? '}' : ']');
}

void nt_jsonw_str(struct nt_jsonw *w, const char *key, const char *s)
{
	before(w, key);
	if (s)
		string(w, s);
	else
		put_text(w, "null");
}

void nt_jsonw_int(struct nt_jsonw *w, const char *key, int64_t v)
{
	char digits[24], *p = digits + sizeof digits;
	uint64_t u = v < 0 ? -(uint64_t)v : (uint64_t)v;

	before(w, key);
	do {
		*--p = '0' + u % 10;
	} while (u /= 10);
	if (v < 0)
		*--p = '-';
	put(w, p, (size_t)(digits + sizeof digits - p));
}

void nt_jsonw_real(struct nt_jsonw *w, const char *key, double v)
{
	char digits[32];

	before(w, key);
	snprintf(digits, sizeof digits, "%.15g", v);
	put_text(w, isfinite(v) ? digits : "null");
}

void nt_jsonw_bool(struct nt_jsonw *w, const char *key, bool v)
{
	before(w, key);
	put_text(w, v ? "true" : "false");
}

void nt_jsonw_null(struct nt_jsonw *w, const char *key)
{
	before(w, key);
	put_text(w, "null");
}

int nt_jsonw_finish(struct nt_jsonw *w)
{
	if (w->depth)
		nt_die("bug: JSON not ended");
	putch(w, '\n');
	errno = 0;
	fwrite_unlocked(w->buf, 1, w->used, w->out);
	w->used = 0;
	if (fflush(w->out) != 0 || ferror(w->out))
		return errno ? -errno : -EIO;
	return 0;
}
