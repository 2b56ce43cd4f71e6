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
	memset(w, 0, sizeof *w);
	w->out = out;
	w->indent_until = indent_until;
}

static void newline(struct nt_jsonw *w, int depth)
{
	int i;

	if (depth > w->indent_until)
		return;
	putc_unlocked('\n', w->out);
	for (i = 0; i < depth; i++)
		fputs_unlocked("  ", w->out);
}

static void string(struct nt_jsonw *w, const char *s)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t n;

	putc_unlocked('"', w->out);
	while (*p) {
		n = nt_utf8_len((const char *)p);
		if (n > 1) {
			fwrite_unlocked(p, 1, n, w->out);
			p += n;
			continue;
		}
		if (n == 0)
			fputs_unlocked("\\ufffd", w->out);
		else if (*p == '"' || *p == '\\')
			fprintf(w->out, "\\%c", *p);
		else if (*p < 0x20 || *p == 0x7f)
			fprintf(w->out, "\\u%04x", *p);
		else
			putc_unlocked(*p, w->out);
		p++;
	}
	putc_unlocked('"', w->out);
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
		putc_unlocked(',', w->out);
	if (w->has_member[d] && d > w->indent_until)
		putc_unlocked(' ', w->out);
	w->has_member[d] = true;
	newline(w, d);
	if (key) {
		string(w, key);
		fputs_unlocked(": ", w->out);
	}
}

static void open(struct nt_jsonw *w, const char *key, bool object)
{
	before(w, key);
	if (++w->depth >= NT_JSONW_DEPTH)
		nt_die("bug: JSON nested too deep");
	w->in_object[w->depth] = object;
	w->has_member[w->depth] = false;
	putc_unlocked(object ? '{' : '[', w->out);
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
	putc_unlocked(object ? '}' : ']', w->out);
}

void nt_jsonw_str(struct nt_jsonw *w, const char *key, const char *s)
{
	before(w, key);
	if (s)
		string(w, s);
	else
		fputs_unlocked("null", w->out);
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
	fwrite_unlocked(p, 1, digits + sizeof digits - p, w->out);
}

void nt_jsonw_real(struct nt_jsonw *w, const char *key, double v)
{
	before(w, key);
	if (isfinite(v))
		fprintf(w->out, "%.15g", v);
	else
		fputs_unlocked("null", w->out);
}

void nt_jsonw_bool(struct nt_jsonw *w, const char *key, bool v)
{
	before(w, key);
	fputs_unlocked(v ? "true" : "false", w->out);
}

void nt_jsonw_null(struct nt_jsonw *w, const char *key)
{
	before(w, key);
	fputs_unlocked("null", w->out);
}

int nt_jsonw_finish(struct nt_jsonw *w)
{
	if (w->depth)
		nt_die("bug: JSON not ended");
	putc_unlocked('\n', w->out);
	errno = 0;
	if (fflush(w->out) != 0 || ferror(w->out))
		return errno ? -errno : -EIO;
	return 0;
}
