/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * INI files (rules, patch catalogue, configuration), read by iniparser behind a line scan.
 * iniparser 4.1 silently drops or alters much (text after `;` and `#`, a value that begins
 * with a quote, repeated sections and keys, the line behind a comment that ends in `\`);
 * the scan refuses all of that, and keeps each key's line for later messages. What a file
 * may hold: [section] lines of a-z, 0-9 and '-', `key = value` lines whose wrapped lines
 * end in `\`, comment lines that begin with `;` or `#`.
 */
#ifndef NETTUNE_INI_H
#define NETTUNE_INI_H

#include <stdbool.h>
#include <stddef.h>

#include "nettune/err.h"
#include "nettune/mem.h"

#define NT_INI_VALUE_MAX 1000 /* bytes of one value, wrapped lines joined */

/* A key that a section may have; tables of them end with a NULL name. */
struct nt_ini_key {
	const char *name;
	bool required;
	bool numbered; /* NAME.2 .. NAME.99 may follow */
};

/* Where a line of a wrapped value begins in the joined one. */
struct nt_ini_piece {
	size_t offset;
	int line;
};

struct nt_ini_entry {
	const char *key, *value;
	int line;
	const struct nt_ini_piece *pieces;
	size_t n_pieces;
};

struct nt_ini_section {
	const char *name;
	int line, last_line;
	struct nt_ini_entry *v; /* in file order */
	size_t n, cap;
	bool broken; /* told to the fault function; not to be used */
};

/* Zero-initialise; nt_ini_free(). Strings are owned by it. */
struct nt_ini {
	struct nt_ini_section *v;
	size_t n, cap;
	struct nt_arena arena;
};

/* Hears of each fault; section is NULL outside one. */
typedef void nt_ini_fault_fn(void *arg, int line, const char *section, const char *reason);

/*
 * Read a file. Faults inside a section make it ->broken; the other sections are whole.
 * Returns the number of faults, or -errno when there is no such readable, regular file
 * (-EISDIR for a folder) or it is over 1 MiB (-EFBIG).
 */
int nt_ini_load(const char *path, const struct nt_ini_key *keys, nt_ini_fault_fn *fault,
	void *arg, struct nt_ini *ret, struct nt_err *err);
/* The same from memory. */
int nt_ini_parse(const char *text, size_t len, const struct nt_ini_key *keys,
	nt_ini_fault_fn *fault, void *arg, struct nt_ini *ret, struct nt_err *err);

/* A section's entry, NULL when it has no such key. */
const struct nt_ini_entry *nt_ini_get(const struct nt_ini_section *s, const char *key);
/* The line on which byte offset of the entry's value stands. */
int nt_ini_line(const struct nt_ini_entry *e, size_t offset);
void nt_ini_free(struct nt_ini *ini);

#endif
