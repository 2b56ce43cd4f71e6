/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Name tables: an enum's values and the words for them, in one place. */
#ifndef NETTUNE_NAMES_H
#define NETTUNE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct nt_name {
	const char *name;
	int value;
};

/* The word for value, or NULL. The table ends with a NULL name. */
const char *nt_name_of(const struct nt_name *table, int value);
/* The value of a word (case matters), or -EINVAL. */
int nt_name_value(const struct nt_name *table, const char *name);
/* All words joined by sep into a new string (caller frees). */
char *nt_name_list(const struct nt_name *table, const char *sep);

/*
 * Shell-like match of the whole string: `*` any run, `?` one character, `[...]` a set.
 * Case matters; there is no special meaning of `/` or a leading dot.
 */
bool nt_glob(const char *pattern, const char *s);

/* The length of the valid UTF-8 sequence at text, 0 where there is none. */
size_t nt_utf8_len(const char *text);
/* The same, and 0 for a control byte, too. */
size_t nt_printable_len(const char *text);

/*
 * Copy name to ret, with control bytes and bytes that are not valid UTF-8 replaced by
 * '?', for showing names that others chose (links, counters). ret holds size bytes.
 */
void nt_printable(char *ret, size_t size, const char *name);

#endif
