/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A streaming JSON writer: jansson (which reads JSON here) builds whole documents in
 * memory, and a report over a thousand links must not. Misuse (a value without a key in
 * an object, unbalanced ends) is a bug and ends in nt_die().
 */
#ifndef NETTUNE_JSONW_H
#define NETTUNE_JSONW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define NT_JSONW_DEPTH 32
#define NT_JSONW_BUF 16384

struct nt_jsonw {
	FILE *out;
	int depth, indent_until; /* containers nested deeper than this go on one line */
	bool in_object[NT_JSONW_DEPTH], has_member[NT_JSONW_DEPTH];
	/* The caller's promise that keys, until it takes it back, are nt_jsonw_plain(): they
	 * are not looked through. */
	bool plain_keys;
	/* small pieces are gathered here: out sees them in large ones, the last at finish */
	char buf[NT_JSONW_BUF];
	size_t used;
};

/* Whether s stands for itself in JSON: ASCII, no control bytes, quotes or backslashes. */
bool nt_jsonw_plain(const char *s);
/* Begin writing to out; pretty-prints containers down to depth indent_until. */
void nt_jsonw_init(struct nt_jsonw *w, FILE *out, int indent_until);
/* key NULL inside an array and at top level. */
void nt_jsonw_object(struct nt_jsonw *w, const char *key);
void nt_jsonw_array(struct nt_jsonw *w, const char *key);
void nt_jsonw_end(struct nt_jsonw *w);
/* s NULL writes null. Bytes that are not UTF-8 are written as U+FFFD. */
void nt_jsonw_str(struct nt_jsonw *w, const char *key, const char *s);
void nt_jsonw_int(struct nt_jsonw *w, const char *key, int64_t v);
/* NaN and infinities are written as null; 15 significant digits at most. */
void nt_jsonw_real(struct nt_jsonw *w, const char *key, double v);
void nt_jsonw_bool(struct nt_jsonw *w, const char *key, bool v);
void nt_jsonw_null(struct nt_jsonw *w, const char *key);
/* End the document with a newline and flush. -EIO or the stream's errno on failure. */
int nt_jsonw_finish(struct nt_jsonw *w);

#endif
