/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/patch.h"

#include <errno.h>
#include <string.h>

struct set {
	const struct nt_patch **v;
	size_t n, cap;
};

static bool has_word(char *const *words, const char *word)
{
	size_t i;

	for (i = 0; words[i]; i++)
		if (strcmp(words[i], word) == 0)
			return true;
	return false;
}

static bool has(const struct set *s, const struct nt_patch *p)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (s->v[i] == p)
			return true;
	return false;
}

static void add(struct set *s, const struct nt_patch *p)
{
	if (has(s, p))
		return;
	NT_GROW(s->v, s->n, s->cap);
	s->v[s->n++] = p;
}

/* The asked-for ones, then what those need, and so on. */
static int collect(
	const struct nt_patches *p, char *const *ids, struct set *s, struct nt_err *err)
{
	const struct nt_patch *one;
	size_t i, k;

	for (i = 0; ids[i]; i++) {
		one = nt_patches_find(p, ids[i]);
		if (!one)
			return nt_err_set(err, -ENOENT,
				"no patch '%s'; nettune --patches --all lists them",
				ids[i]);
		if (one->replaced)
			return nt_err_set(err, -EINVAL,
				"'%s' never became a patch; nettune --patches --all says "
				"what "
				"replaced it",
				one->id);
		add(s, one);
	}
	for (i = 0; i < s->n; i++) {
		for (k = 0; s->v[i]->needs[k]; k++) {
			one = nt_patches_find(p, s->v[i]->needs[k]);
			if (one && !one->replaced)
				add(s, one);
		}
	}
	return 0;
}

static int check_excludes(const struct set *s, struct nt_err *err)
{
	size_t i, k;

	for (i = 0; i < s->n; i++)
		for (k = 0; k < s->n; k++)
			if (has_word(s->v[i]->excludes, s->v[k]->id))
				return nt_err_set(err, -EINVAL,
					"'%s' and '%s' exclude each other: ask for one",
					s->v[i]->id, s->v[k]->id);
	return 0;
}

/* Whether p must wait for one of the set that is not yet in done. */
static bool waits(const struct nt_patch *p, const struct set *s, const struct set *done)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (has_word(p->after, s->v[i]->id) && !has(done, s->v[i]))
			return true;
	return false;
}

const struct nt_patch **nt_patches_order(
	const struct nt_patches *p, char *const *ids, struct nt_err *err)
{
	struct set s = { 0 }, done = { 0 };
	bool moved = true;
	size_t i;

	if (collect(p, ids, &s, err) != 0 || check_excludes(&s, err) != 0)
		goto fail;
	while (done.n < s.n && moved) {
		moved = false;
		for (i = 0; i < s.n && !moved; i++) {
			if (has(&done, s.v[i]) || waits(s.v[i], &s, &done))
				continue;
			add(&done, s.v[i]);
			moved = true;
		}
	}
	if (done.n < s.n) {
		nt_err_set(err, -EINVAL,
			"the patches' order is a circle: see 'after' of '%s'",
			s.v[0]->id);
		goto fail;
	}
	NT_GROW(done.v, done.n, done.cap);
	done.v[done.n] = NULL;
	free(s.v);
	return done.v;
fail:
	free(s.v);
	free(done.v);
	return NULL;
}
