/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nettune/mem.h"

void nt_state_free(struct nt_state *st)
{
	free(st->v);
	nt_arena_free(&st->arena);
	memset(st, 0, sizeof *st);
}

static int cmp_entries(const void *pa, const void *pb)
{
	const struct nt_entry *a = pa, *b = pb;

	if (a->ifindex != b->ifindex)
		return a->ifindex < b->ifindex ? -1 : 1;
	return strcmp(a->key, b->key);
}

/* Entries that come in their order, as from a journal, need no sorting. */
void nt_state_add(struct nt_state *st, int ifindex, const char *key, const char *val)
{
	struct nt_entry *e;

	NT_GROW(st->v, st->n, st->cap);
	e = &st->v[st->n++];
	*e = (struct nt_entry){ ifindex, nt_arena_strdup(&st->arena, key),
		nt_arena_strdup(&st->arena, val) };
	st->sorted = st->n == 1 || (st->sorted && cmp_entries(e - 1, e) < 0);
}

void nt_state_sort(struct nt_state *st)
{
	if (st->n && !st->sorted)
		qsort(st->v, st->n, sizeof *st->v, cmp_entries);
	st->sorted = true;
}

static struct nt_entry *find(struct nt_state *st, int ifindex, const char *key)
{
	struct nt_entry want = { ifindex, key, NULL };

	if (!st->sorted)
		nt_state_sort(st);
	return st->n ? bsearch(&want, st->v, st->n, sizeof *st->v, cmp_entries) : NULL;
}

const char *nt_state_get(struct nt_state *st, int ifindex, const char *key)
{
	const struct nt_entry *e = find(st, ifindex, key);

	return e ? e->val : NULL;
}

void nt_state_put(struct nt_state *st, int ifindex, const char *key, const char *val)
{
	struct nt_entry *e = find(st, ifindex, key);

	if (e && val) {
		e->val = nt_arena_strdup(&st->arena, val);
	} else if (e) {
		memmove(e, e + 1, (size_t)(st->v + st->n - e - 1) * sizeof *e);
		st->n--;
	} else if (val) {
		nt_state_add(st, ifindex, key, val);
	}
}

void nt_state_copy(struct nt_state *ret, struct nt_state *from)
{
	size_t i;

	memset(ret, 0, sizeof *ret);
	for (i = 0; i < from->n; i++)
		nt_state_add(ret, from->v[i].ifindex, from->v[i].key, from->v[i].val);
	nt_state_sort(ret);
}

/* Skip what does not count at the head of a CPU mask: zeros and commas. */
static const char *mask_digits(const char *s)
{
	return s + strspn(s, "0,");
}

static bool masks_equal(const char *a, const char *b)
{
	for (a = mask_digits(a), b = mask_digits(b); *a || *b;) {
		if (*a == ',') {
			a++;
		} else if (*b == ',') {
			b++;
		} else {
			int ca = *a >= 'A' && *a <= 'F' ? *a + 32 : *a;
			int cb = *b >= 'A' && *b <= 'F' ? *b + 32 : *b;

			if (ca != cb)
				return false;
			a++;
			b++;
		}
	}
	return true;
}

#define MAX_CPUS 8192

/* Mark the CPUs of a list such as 0-3,8. False when it is no list. */
static bool read_list(const char *s, unsigned char *cpus)
{
	unsigned long first, last;
	char *end;

	while (*s) {
		first = last = strtoul(s, &end, 10);
		if (end == s)
			return false;
		if (*end == '-') {
			s = end + 1;
			last = strtoul(s, &end, 10);
			if (end == s)
				return false;
		}
		if (last >= MAX_CPUS || first > last)
			return false;
		for (; first <= last; first++)
			cpus[first / 8] |= 1U << first % 8;
		s = *end == ',' ? end + 1 : end;
		if (*end && *end != ',')
			return false;
	}
	return true;
}

static bool lists_equal(const char *a, const char *b)
{
	unsigned char ca[MAX_CPUS / 8] = { 0 }, cb[MAX_CPUS / 8] = { 0 };

	return read_list(a, ca) && read_list(b, cb) && memcmp(ca, cb, sizeof ca) == 0;
}

bool nt_key_routing(const char *key)
{
	return strncmp(key, "addr ", 5) == 0 || strncmp(key, "route ", 6) == 0;
}

bool nt_val_equal(const char *key, const char *a, const char *b)
{
	if (!a || !b)
		return a == b;
	if (strcmp(a, b) == 0 || nt_key_routing(key))
		return true;
	if (strncmp(key, "rps.", 4) == 0 || strncmp(key, "xps.", 4) == 0)
		return masks_equal(a, b);
	if (strncmp(key, "irq.", 4) == 0)
		return lists_equal(a, b);
	return false;
}

void nt_state_key(const char *tunable, char *ret, size_t size)
{
	char path[256], *p;
	int index;

	if (nt_tunable_sysctl(tunable, path, sizeof path, &index) < 0) {
		snprintf(ret, size, "%s", tunable);
		return;
	}
	for (p = path; *p; p++)
		*p = *p == '/' ? '.' : *p == '.' ? '/' : *p;
	snprintf(ret, size, "sysctl.%s", path);
}

/* Word number index of text. */
static int word(const char *text, int index, char *ret, size_t size)
{
	size_t len;

	for (; index > 0; index--) {
		text += strcspn(text, " \t");
		text += strspn(text, " \t");
	}
	len = strcspn(text, " \t");
	if (!len || len >= size)
		return -ENOENT;
	memcpy(ret, text, len);
	ret[len] = '\0';
	return 0;
}

/* ethtool's group: on when any kind of transmit checksum is. */
static int checksumming(struct nt_state *st, int ifindex, char *ret, size_t size)
{
	bool any = false, on = false;
	size_t i;

	for (i = 0; i < st->n; i++) {
		const struct nt_entry *e = &st->v[i];

		if (e->ifindex != ifindex || !nt_glob("feature.tx-checksum-*", e->key))
			continue;
		any = true;
		on |= strncmp(e->val, "on", 2) == 0;
	}
	snprintf(ret, size, "%s", on ? "on" : "off");
	return any ? 0 : -ENOENT;
}

int nt_state_value(struct nt_state *st, int ifindex, const char *tunable, char *ret,
	size_t size)
{
	const struct nt_tunable *row = nt_tunable_find(tunable);
	char key[300], path[256];
	const char *val;
	int index = -1;

	if (!row)
		return -ENOENT;
	if (row->kind == NT_TUN_FEATURE && strcmp(tunable, "feature.tx-checksumming") == 0)
		return checksumming(st, ifindex, ret, size);
	nt_state_key(tunable, key, sizeof key);
	val = nt_state_get(st, ifindex, key);
	if (!val)
		return -ENOENT;
	if (row->kind == NT_TUN_SYSCTL) {
		nt_tunable_sysctl(tunable, path, sizeof path, &index);
		if (index >= 0)
			return word(val, index, ret, size);
	}
	if (row->kind == NT_TUN_FEATURE || row->kind == NT_TUN_QDISC)
		return word(val, 0, ret, size);
	snprintf(ret, size, "%s", val);
	return 0;
}

void nt_watch_free(struct nt_watch *w)
{
	size_t i;

	for (i = 0; i < w->n_sysctls; i++)
		free(w->sysctls[i]);
	for (i = 0; i < w->n_irqs; i++)
		free(w->irqs[i].key);
	free(w->irqs);
	free(w->sysctls);
	free(w->links);
	memset(w, 0, sizeof *w);
}

void nt_watch_irq(struct nt_watch *w, int ifindex, const char *key)
{
	size_t i;

	if (!nt_glob("irq.*.affinity", key))
		return;
	for (i = 0; i < w->n_irqs; i++)
		if (w->irqs[i].ifindex == ifindex && strcmp(w->irqs[i].key, key) == 0)
			return;
	NT_GROW(w->irqs, w->n_irqs, w->cap_irqs);
	w->irqs[w->n_irqs++] = (struct nt_watch_irq){ ifindex, nt_strdup(key) };
}

static void watch_link(struct nt_watch *w, const struct nt_links *links, int ifindex,
	bool irqs)
{
	const struct nt_link *l;
	size_t i;

	for (i = 0; i < w->n_links; i++) {
		if (w->links[i].ifindex == ifindex) {
			w->links[i].irqs |= irqs;
			return;
		}
	}
	NT_GROW(w->links, w->n_links, w->cap_links);
	w->links[w->n_links++] = (struct nt_watch_link){ .ifindex = ifindex, .irqs = irqs };
	l = nt_links_by_index(links, ifindex);
	/* a veth's peer is no lower device: its settings are its own */
	if (l && l->lower && !l->lower_foreign && strcmp(l->kind, "veth") != 0)
		watch_link(w, links, l->lower, false);
	if (l && l->master)
		watch_link(w, links, l->master, false);
	for (i = 0; i < links->n; i++) {
		const struct nt_link *o = &links->v[i];

		if (o->lower == ifindex && !o->lower_foreign && strcmp(o->kind, "veth") != 0)
			watch_link(w, links, o->ifindex, false);
	}
}

void nt_watch_tunable(struct nt_watch *w, const struct nt_links *links, int ifindex,
	const char *tunable)
{
	char key[300];
	size_t i;

	if (ifindex) {
		watch_link(w, links, ifindex, true);
		nt_watch_irq(w, ifindex, tunable);
		return;
	}
	nt_state_key(tunable, key, sizeof key);
	for (i = 0; i < w->n_sysctls; i++)
		if (strcmp(w->sysctls[i], key) == 0)
			return;
	NT_GROW(w->sysctls, w->n_sysctls, w->cap_sysctls);
	w->sysctls[w->n_sysctls++] = nt_strdup(key);
}
