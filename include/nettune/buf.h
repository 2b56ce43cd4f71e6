/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A growing byte string that is always NUL-terminated. Zero-initialise; nt_buf_free(). */
#ifndef NETTUNE_BUF_H
#define NETTUNE_BUF_H

#include <stdarg.h>
#include <stddef.h>

struct nt_buf {
	char *s; /* NULL until the first addition; use nt_buf_str() to read */
	size_t len, cap;
};

/* The string, "" while empty. Owned by the buffer, valid until the next addition. */
const char *nt_buf_str(const struct nt_buf *b);
void nt_buf_add(struct nt_buf *b, const void *data, size_t len);
void nt_buf_adds(struct nt_buf *b, const char *s);
void nt_buf_addc(struct nt_buf *b, char c);
void nt_buf_addf(struct nt_buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void nt_buf_vaddf(struct nt_buf *b, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
/*
 * A word as a shell takes it: as it is, in single quotes, or, with bytes that
 * nt_printable() would replace, in $'...' with these in octal.
 */
void nt_buf_add_word(struct nt_buf *b, const char *word);
/* The len bytes at data in hexadecimal, two lower-case digits each. */
void nt_buf_add_hex(struct nt_buf *b, const void *data, size_t len);
/*
 * The same without a buffer and with between, a string, parting the bytes: to needs
 * len * (2 + strlen(between)) + 1 bytes. Returns where the NUL stands.
 */
char *nt_hex(char *to, const void *data, size_t len, const char *between);
/* Make room for len more bytes; returns where they go. Then set b->len yourself. */
char *nt_buf_reserve(struct nt_buf *b, size_t len);
/* Cut to len bytes; keeps the memory. */
void nt_buf_cut(struct nt_buf *b, size_t len);
/* Take the string out (caller frees); the buffer is empty again. Never NULL. */
char *nt_buf_detach(struct nt_buf *b);
void nt_buf_free(struct nt_buf *b);

#endif
