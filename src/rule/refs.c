/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "expr.h"

#include <errno.h>
#include <string.h>

#include "nettune/names.h"

static const struct {
	const char *prefix;
	enum nt_where where;
} prefixes[] = {
	{ "lower.", NT_WHERE_LOWER },
	{ "master.", NT_WHERE_MASTER },
};

static const char *const scope_words[] = {
	[NT_SCOPE_HOST] = "host",
	[NT_SCOPE_LINK] = "link",
	[NT_SCOPE_PATH] = "path",
};

static const char *row_name(const void *arg, size_t i)
{
	return ((const struct nt_catalogue_row *)arg)[i].name;
}

/* The row that describes what a pattern matches: its family, or the first row it matches. */
static const struct nt_catalogue_row *find_row(const char *name, bool pattern)
{
	const struct nt_catalogue_row *row = nt_catalogue_find(name), *rows;
	size_t n, i;

	if (row)
		return nt_catalogue_made(name) ? row : NULL;
	if (!pattern)
		return NULL;
	rows = nt_catalogue(&n);
	for (i = 0; i < n; i++)
		if (nt_glob(name, rows[i].name))
			return &rows[i];
	return NULL;
}

static int unknown_name(const char *name, struct nt_err *err)
{
	const char *near;
	size_t n;
	const struct nt_catalogue_row *rows = nt_catalogue(&n);

	near = nt_suggest(name, row_name, rows, n);
	return nt_err_set(err, -EINVAL, near ? "no fact '%s': '%s'?" : "no fact '%s'", name,
		near);
}

/* Whether a rule of that scope can see facts of the row. */
static bool visible(enum nt_scope_kind rule, enum nt_where where, enum nt_scope_kind fact)
{
	if (where != NT_WHERE_OWN)
		return rule == NT_SCOPE_LINK && fact == NT_SCOPE_LINK;
	return fact == NT_SCOPE_HOST || fact == rule ||
	       (rule == NT_SCOPE_PATH && fact == NT_SCOPE_LINK);
}

int nt_ref_add(struct nt_refs *refs, const char *spelled, bool pattern,
	enum nt_scope_kind scope, unsigned *ret, struct nt_err *err)
{
	struct nt_ref r = { .pattern = pattern, .where = NT_WHERE_OWN };
	char *key = nt_asprintf("%c%s", pattern ? '*' : '=', spelled), *s;
	const char *name = key + 1;
	size_t i, len;
	int rc = 0;

	for (s = key + 1; !pattern && *s; s++)
		if (*s == '?')
			*s = '#';
	for (i = 0; i < NT_ARRAY_SIZE(prefixes); i++) {
		len = strlen(prefixes[i].prefix);
		if (strncmp(name, prefixes[i].prefix, len) == 0) {
			r.where = prefixes[i].where;
			name += len;
			break;
		}
	}
	i = nt_symtab_find(&refs->keys, key);
	r.row = i ? refs->v[i - 1].row : find_row(name, pattern);
	if (!r.row)
		rc = unknown_name(name, err);
	else if (!visible(scope, r.where, r.row->scope))
		rc = nt_err_set(err, -EINVAL,
			"'%s' is a fact of a %s; a rule of scope %s cannot "
			"see it%s",
			key + 1, scope_words[r.row->scope], scope_words[scope],
			r.where == NT_WHERE_OWN ? "" : " that way");
	if (rc == 0) {
		*ret = nt_symtab_add(&refs->keys, key) - 1;
		if (*ret == refs->n) {
			r.spelled = nt_symtab_name(&refs->keys, *ret + 1) + 1;
			r.name = r.spelled + (name - key - 1);
			NT_GROW(refs->v, refs->n, refs->cap);
			refs->v[refs->n++] = r;
		}
	}
	free(key);
	return rc;
}

void nt_ref_doubt(const struct nt_expr_ctx *ctx, unsigned ref, size_t pos)
{
	if (ctx->doubt && !nt_sysctl_known(ctx->refs->v[ref].name))
		ctx->doubt(ctx->doubt_arg, ctx->doubt_from + pos, ctx->refs->v[ref].spelled);
}

int nt_ref_find(const struct nt_refs *refs, const char *spelled)
{
	char *key = nt_asprintf("=%s", spelled), *s;
	unsigned id;

	for (s = key; *s; s++)
		if (*s == '?')
			*s = '#';
	id = nt_symtab_find(&refs->keys, key);
	free(key);
	return id ? (int)id - 1 : -ENOENT;
}

void nt_refs_free(struct nt_refs *refs)
{
	nt_symtab_free(&refs->keys);
	free(refs->v);
	memset(refs, 0, sizeof *refs);
}
