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

#include "nettune/mem.h"

#define NT_JSONW_DEPTH 32
#define NT_JSONW_BUF 32768

struct nt_jsonw {
	FILE *out;
	int depth, indent_until; /* containers nested deeper than this go on one line */
	bool in_object[NT_JSONW_DEPTH], has_member[NT_JSONW_DEPTH];
	bool keyed; /* the next value's key is written already */
	int error;  /* errno of the first piece that could not be written; 0 */
	/* small pieces are gathered here: out sees them in large ones, the last at finish */
	char buf[NT_JSONW_BUF];
	size_t used;
};

/*
 * A key as it stands in the text, quoted, behind the comma and line break that part it
 * from the member before: for what is written many times.
 */
struct nt_jsonw_key {
	const char *s;
	size_t len;
	size_t parting; /* how many of those are the comma and the line break */
	int depth;	/* of the members that these are right for */
};

/* Begin writing to out; pretty-prints containers down to depth indent_until. */
void nt_jsonw_init(struct nt_jsonw *w, FILE *out, int indent_until);
/* The same, and the document's object is open, its schema ("nettune-report/1") named first. */
void nt_jsonw_begin(struct nt_jsonw *w, FILE *out, int indent_until, const char *schema);
/*
 * Quote name into ret, which the arena owns; quickest for members of objects at that
 * depth (1: of the outermost).
 */
void nt_jsonw_quote(const struct nt_jsonw *w, int depth, const char *name,
	struct nt_arena *arena, struct nt_jsonw_key *ret);
/* Write a key by itself: the value after it is given no key. */
void nt_jsonw_key(struct nt_jsonw *w, const struct nt_jsonw_key *key);
/* key NULL inside an array, at top level and after nt_jsonw_key(). */
void nt_jsonw_object(struct nt_jsonw *w, const char *key);
void nt_jsonw_array(struct nt_jsonw *w, const char *key);
void nt_jsonw_end(struct nt_jsonw *w);
/* s NULL writes null. Bytes that are not UTF-8 are written as U+FFFD. */
void nt_jsonw_str(struct nt_jsonw *w, const char *key, const char *s);
void nt_jsonw_int(struct nt_jsonw *w, const char *key, int64_t v);
/* NaN and infinities are written as null; 15 significant digits at most. */
void nt_jsonw_real(struct nt_jsonw *w, const char *key, double v);
void nt_jsonw_bool(struct nt_jsonw *w, const char *key, bool v);
/* "on" or "off". */
void nt_jsonw_switch(struct nt_jsonw *w, const char *key, bool on);
void nt_jsonw_null(struct nt_jsonw *w, const char *key);
/* End the document with a newline and flush. -EIO or the stream's errno on failure. */
int nt_jsonw_finish(struct nt_jsonw *w);

#endif
