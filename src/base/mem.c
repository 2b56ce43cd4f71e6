/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void (*die_hook)(void);

void nt_die_hook(void (*hook)(void))
{
	die_hook = hook;
}

void nt_die(const char *fmt, ...)
{
	void (*hook)(void) = die_hook;
	va_list ap;

	die_hook = NULL;
	if (hook)
		hook();
	fputs("nettune: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	abort();
}

static void *check(void *p, size_t size)
{
	if (!p && size)
		nt_die("out of memory");
	return p;
}

void *nt_malloc(size_t size)
{
	return check(malloc(size), size);
}

void *nt_calloc(size_t n, size_t size)
{
	return check(calloc(n, size), n && size);
}

void *nt_reallocarray(void *p, size_t n, size_t size)
{
	return check(reallocarray(p, n, size), n && size);
}

char *nt_strdup(const char *s)
{
	return check(strdup(s), 1);
}

char *nt_strndup(const char *s, size_t n)
{
	return check(strndup(s, n), 1);
}

char *nt_asprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0)
		nt_die("out of memory");
	return s;
}

#define BLOCK_SIZE 16384

struct nt_arena_block {
	struct nt_arena_block *next;
	size_t used, size;
	_Alignas(max_align_t) char data[];
};

void *nt_arena_alloc(struct nt_arena *a, size_t size)
{
	struct nt_arena_block *b = a->head;
	size_t align = _Alignof(max_align_t), room;
	void *p;

	if (size > SIZE_MAX / 2)
		nt_die("out of memory");
	size = (size + align - 1) / align * align;
	if (!b || b->size - b->used < size) {
		room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
		b = nt_malloc(sizeof *b + room);
		b->next = a->head;
		b->used = 0;
		b->size = room;
		a->head = b;
	}
	p = b->data + b->used;
	b->used += size;
	return p;
}

char *nt_arena_strdup(struct nt_arena *a, const char *s)
{
	size_t len = strlen(s) + 1;

	return memcpy(nt_arena_alloc(a, len), s, len);
}

void nt_arena_free(struct nt_arena *a)
{
	struct nt_arena_block *b, *next;

	for (b = a->head; b; b = next) {
		next = b->next;
		free(b);
	}
	a->head = NULL;
}

/* Multiplicative, eight bytes at a time; the factor is 2^64 by the golden ratio (Knuth,
 * TAOCP 6.4). */
static uint64_t hash(const char *s)
{
	const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
	size_t len = strlen(s);
	const char *end = s + len;
	uint64_t h = len, word;

	for (; end - s > (ptrdiff_t)sizeof word; s += sizeof word) {
		memcpy(&word, s, sizeof word);
		h = (h ^ word) * factor;
		h ^= h >> 32;
	}
	word = 0;
	if (len >= sizeof word) /* the last eight, some of them again */
		memcpy(&word, end - sizeof word, sizeof word);
	else
		for (; s < end; s++)
			word = word << 8 | (unsigned char)*s;
	h = (h ^ word) * factor;
	return h ^ h >> 32;
}

/* The slot that holds s, or the free one where it belongs. n_slots is a power of two. */
static size_t slot_of(const struct nt_symtab *t, const char *s)
{
	size_t i = hash(s) & (t->n_slots - 1);

	while (t->slots[i] && strcmp(t->names[t->slots[i] - 1], s) != 0)
		i = (i + 1) & (t->n_slots - 1);
	return i;
}

static void rehash(struct nt_symtab *t)
{
	size_t i;

	free(t->slots);
	t->n_slots = t->n_slots ? t->n_slots * 2 : 256;
	t->slots = nt_calloc(t->n_slots, sizeof *t->slots);
	for (i = 0; i < t->n; i++)
		t->slots[slot_of(t, t->names[i])] = i + 1;
}

unsigned nt_symtab_add(struct nt_symtab *t, const char *s)
{
	size_t i;

	if ((t->n + 1) * 2 > t->n_slots)
		rehash(t);
	i = slot_of(t, s);
	if (!t->slots[i]) {
		NT_GROW(t->names, t->n, t->cap);
		t->names[t->n++] = nt_arena_strdup(&t->arena, s);
		t->slots[i] = t->n;
	}
	return t->slots[i];
}

unsigned nt_symtab_find(const struct nt_symtab *t, const char *s)
{
	return t->n_slots ? t->slots[slot_of(t, s)] : 0;
}

const char *nt_symtab_name(const struct nt_symtab *t, unsigned id)
{
	if (!id || id > t->n)
		nt_die("bug: string id %u of %zu", id, t->n);
	return t->names[id - 1];
}

void nt_symtab_free(struct nt_symtab *t)
{
	nt_arena_free(&t->arena);
	free(t->names);
	free(t->slots);
	memset(t, 0, sizeof *t);
}
