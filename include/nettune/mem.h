/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory. The allocators never return NULL: out of memory ends the program by nt_die(),
 * whose hook restores the terminal and closes the journal.
 */
#ifndef NETTUNE_MEM_H
#define NETTUNE_MEM_H

#include <stddef.h>
#include <stdlib.h>

#define NT_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

void *nt_malloc(size_t size);
void *nt_calloc(size_t n, size_t size);
/* Resize to n * size bytes, checked for overflow. */
void *nt_reallocarray(void *p, size_t n, size_t size);
char *nt_strdup(const char *s);
char *nt_strndup(const char *s, size_t n);
char *nt_asprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Make room for one more element in the array v of n elements with capacity cap (size_t),
 * growing by half; v, n, cap are lvalues.
 */
#define NT_GROW(v, n, cap)                                                               \
	do {                                                                             \
		if ((n) >= (cap)) {                                                      \
			(cap) = (cap) ? (cap) + (cap) / 2 + 1 : 8;                       \
			(v) = nt_reallocarray((v), (cap), sizeof *(v));                  \
		}                                                                        \
	} while (0)

/* An arena: many small allocations freed at once. Zero-initialise, nt_arena_free(). */
struct nt_arena {
	struct nt_arena_block *head;
};
/* size bytes, aligned for any type, not cleared. */
void *nt_arena_alloc(struct nt_arena *a, size_t size);
char *nt_arena_strdup(struct nt_arena *a, const char *s);
void nt_arena_free(struct nt_arena *a);

/*
 * String table: each distinct string has one id, from 1 up, and one copy, that lives as
 * long as the table. Zero-initialise; nt_symtab_free().
 */
struct nt_symtab {
	struct nt_arena arena;
	const char **names; /* names[id - 1] */
	unsigned *slots;
	size_t n, cap, n_slots;
};
/* The id of s, added if new. */
unsigned nt_symtab_add(struct nt_symtab *t, const char *s);
/* The id of s, or 0 when it is not in the table. */
unsigned nt_symtab_find(const struct nt_symtab *t, const char *s);
/* The string of id; id must have been returned by this table. */
const char *nt_symtab_name(const struct nt_symtab *t, unsigned id);
void nt_symtab_free(struct nt_symtab *t);

/* For bugs and lack of memory only: run the hook, print one line to stderr, abort(). */
void nt_die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
/* Called once by nt_die before it prints; NULL for none. */
void nt_die_hook(void (*hook)(void));

#endif
