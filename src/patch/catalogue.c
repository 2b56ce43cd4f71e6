/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/patch.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "nettune/ini.h"

static const struct nt_ini_key keys[] = {
	{ .name = "title", .required = true },
	{ .name = "why", .required = true },
	{ .name = "see", .required = true },
	{ .name = "sources", .required = true },
	{ .name = "licence", .required = true },
	{ .name = "subject" },
	{ .name = "does" },
	{ .name = "limits" },
	{ .name = "figures" },
	{ .name = "commit" },
	{ .name = "fixes" },
	{ .name = "evidence" },
	{ .name = "replaced" },
	{ .name = "driver" },
	{ .name = "machine" },
	{ .name = "symbol" },
	{ .name = "unless" },
	{ .name = "delay" },
	{ .name = "files" },
	{ .name = "parts" },
	{ .name = "needs" },
	{ .name = "after" },
	{ .name = "excludes" },
	{ .name = "affected" },
	{ .name = "fixed" },
	{ .name = "fits" },
	{ .name = "checked" },
	{ .name = NULL },
};

/* What an entry with a semantic patch has, and one without does not. */
static const char *const patch_keys[] = { "subject", "does", "evidence", "files", "parts",
	"affected", "fits" };

struct load {
	struct nt_patches *p;
	const struct nt_ini_section *sec;
	nt_patch_fault_fn *fault;
	void *arg;
	int faults;
	bool broken;
};

static void tell(struct load *l, int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void tell(struct load *l, int line, const char *fmt, ...)
{
	char reason[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(reason, sizeof reason, fmt, ap);
	va_end(ap);
	l->broken = true;
	l->faults++;
	if (l->fault)
		l->fault(l->arg, line, l->sec ? l->sec->name : NULL, reason);
}

static const char *text(struct load *l, const char *key)
{
	const struct nt_ini_entry *e = nt_ini_get(l->sec, key);

	return e ? nt_arena_strdup(&l->p->arena, e->value) : NULL;
}

/* The words of a value, separated by blanks and commas; NULL-terminated, never NULL. */
static char **words(struct load *l, const char *key)
{
	const struct nt_ini_entry *e = nt_ini_get(l->sec, key);
	const char *s = e ? e->value : "";
	char **v = NULL, *word;
	size_t n = 0, cap = 0, len;

	for (s += strspn(s, " \t\r,"); *s; s += strspn(s, " \t\r,")) {
		len = strcspn(s, " \t\r,");
		word = nt_strndup(s, len);
		NT_GROW(v, n, cap);
		v[n++] = nt_arena_strdup(&l->p->arena, word);
		free(word);
		s += len;
	}
	NT_GROW(v, n, cap);
	v[n] = NULL;
	return v;
}

/* The whole word and nothing but a version. */
static bool version(const char *word, struct nt_version *ret)
{
	char again[48];

	if (nt_version_parse(word, ret) != 0)
		return false;
	nt_version_format(again, ret);
	return strcmp(again, word) == 0;
}

static struct nt_version *versions(struct load *l, const char *key, size_t *ret_n)
{
	char **w = words(l, key);
	struct nt_version *v;
	size_t n = 0, i;

	while (w[n])
		n++;
	v = nt_calloc(n + 1, sizeof *v);
	for (i = 0; i < n; i++)
		if (!version(w[i], &v[i]))
			tell(l, nt_ini_get(l->sec, key)->line,
				"%s: '%s' is not a version", key, w[i]);
	free(w);
	*ret_n = n;
	return v;
}

static bool range(const char *word, struct nt_version_range *ret)
{
	const char *dots = strstr(word, "..");
	char *first = nt_strndup(word, dots ? (size_t)(dots - word) : strlen(word));
	bool good = version(first, &ret->first) &&
		    version(dots ? dots + 2 : first, &ret->last);

	free(first);
	return good && (nt_version_cmp(&ret->first, &ret->last) <= 0 ||
			       nt_version_in(&ret->first, &ret->first, &ret->last));
}

static void affected(struct load *l, struct nt_patch *p)
{
	char **w = words(l, "affected");
	size_t n = 0, i;

	while (w[n])
		n++;
	p->affected = nt_calloc(n + 1, sizeof *p->affected);
	p->n_affected = n;
	for (i = 0; i < n; i++)
		if (!range(w[i], &p->affected[i]))
			tell(l, nt_ini_get(l->sec, "affected")->line,
				"affected: '%s' is not VERSION or FIRST..LAST", w[i]);
	free(w);
}

static void delay(struct load *l, struct nt_patch *p)
{
	const struct nt_ini_entry *e = nt_ini_get(l->sec, "delay");
	enum nt_unit unit;
	double v;

	if (!e)
		return;
	if (nt_unit_parse(e->value, &v, &unit, NULL) != 0 ||
		nt_unit_convert(v, unit, NT_UNIT_US, &p->delay_us) != 0 ||
		p->delay_us <= 0)
		tell(l, e->line, "delay: '%s' is not a time", e->value);
}

/* A path below the tree: relative, and it stays there. */
static bool inside(const char *path)
{
	const char *s, *end;

	if (*path == '/' || !*path)
		return false;
	for (s = path; *s; s = *end ? end + 1 : end) {
		end = s + strcspn(s, "/|");
		if (end == s || (end - s == 2 && strncmp(s, "..", 2) == 0) ||
			(*end == '|' && (end[1] == '/' || !end[1])))
			return false;
	}
	return true;
}

static void check_files(struct load *l, const struct nt_patch *p)
{
	size_t i;

	for (i = 0; p->files[i]; i++)
		if (!inside(p->files[i]))
			tell(l, nt_ini_get(l->sec, "files")->line,
				"files: '%s' is not a path below the tree", p->files[i]);
	if (i > NT_PATCH_FILES_MAX)
		tell(l, nt_ini_get(l->sec, "files")->line, "files: more than %d",
			NT_PATCH_FILES_MAX);
	for (i = 0; p->parts[i]; i++)
		if (p->parts[i][strspn(p->parts[i], "abcdefghijklmnopqrstuvwxyz_")])
			tell(l, nt_ini_get(l->sec, "parts")->line,
				"parts: '%s' is not a rule name", p->parts[i]);
}

static void check_kind(struct load *l, const struct nt_patch *p)
{
	size_t i;

	for (i = 0; i < NT_ARRAY_SIZE(patch_keys); i++)
		if (!p->replaced && !nt_ini_get(l->sec, patch_keys[i]))
			tell(l, p->line, "'%s' is missing", patch_keys[i]);
	if (p->replaced && nt_ini_get(l->sec, "files"))
		tell(l, p->line, "'files' and 'replaced' exclude each other");
}

static void free_patch(struct nt_patch *p)
{
	free(p->drivers);
	free(p->files);
	free(p->parts);
	free(p->needs);
	free(p->after);
	free(p->excludes);
	free(p->affected);
	free(p->fixed);
	free(p->fits);
	free(p->checked);
}

static void take(struct load *l)
{
	struct nt_patch p = { .id = nt_arena_strdup(&l->p->arena, l->sec->name),
		.line = l->sec->line };

	l->broken = false;
	p.title = text(l, "title");
	p.subject = text(l, "subject");
	p.why = text(l, "why");
	p.does = text(l, "does");
	p.limits = text(l, "limits");
	p.figures = text(l, "figures");
	p.see = text(l, "see");
	p.sources = text(l, "sources");
	p.commit = text(l, "commit");
	p.fixes = text(l, "fixes");
	p.evidence = text(l, "evidence");
	p.licence = text(l, "licence");
	p.replaced = text(l, "replaced");
	p.machine = text(l, "machine");
	p.symbol = text(l, "symbol");
	p.unless = text(l, "unless");
	p.drivers = words(l, "driver");
	p.files = words(l, "files");
	p.parts = words(l, "parts");
	p.needs = words(l, "needs");
	p.after = words(l, "after");
	p.excludes = words(l, "excludes");
	p.fixed = versions(l, "fixed", &p.n_fixed);
	p.fits = versions(l, "fits", &p.n_fits);
	p.checked = versions(l, "checked", &p.n_checked);
	affected(l, &p);
	delay(l, &p);
	check_files(l, &p);
	check_kind(l, &p);
	if (l->broken) {
		free_patch(&p);
		return;
	}
	if (!p.replaced) {
		char *path = nt_asprintf("%s/%s.cocci", l->p->dir, p.id);

		p.cocci = nt_arena_strdup(&l->p->arena, path);
		free(path);
	}
	NT_GROW(l->p->v, l->p->n, l->p->cap);
	l->p->v[l->p->n++] = p;
}

/* Every id that an entry names must be one that loaded. */
static void check_ids(struct load *l)
{
	size_t i, k, list;

	l->sec = NULL;
	for (i = 0; i < l->p->n; i++) {
		const struct nt_patch *p = &l->p->v[i];
		char *const *lists[] = { p->needs, p->after, p->excludes };

		for (list = 0; list < NT_ARRAY_SIZE(lists); list++)
			for (k = 0; lists[list][k]; k++)
				if (!nt_patches_find(l->p, lists[list][k]))
					tell(l, p->line,
						"[%s] names '%s', which is no entry",
						p->id, lists[list][k]);
	}
}

static int take_all(struct load *l, const struct nt_ini *ini, int faults)
{
	size_t i;

	if (faults < 0)
		return faults;
	l->faults = faults;
	for (i = 0; i < ini->n; i++) {
		l->sec = &ini->v[i];
		if (!l->sec->broken)
			take(l);
	}
	check_ids(l);
	return l->faults;
}

static void ignore(void *arg, int line, const char *section, const char *reason)
{
	(void)arg;
	(void)line;
	(void)section;
	(void)reason;
}

int nt_patches_parse(struct nt_patches *ret, const char *text_, size_t len,
	const char *dir, nt_patch_fault_fn *fault, void *arg, struct nt_err *err)
{
	struct load l = { .p = ret, .fault = fault, .arg = arg };
	struct nt_ini ini = { 0 };
	int rc;

	memset(ret, 0, sizeof *ret);
	ret->dir = nt_strdup(dir);
	rc = take_all(&l, &ini,
		nt_ini_parse(text_, len, keys, fault ? fault : ignore, arg, &ini, err));
	nt_ini_free(&ini);
	return rc;
}

int nt_patches_load(struct nt_patches *ret, const char *dir, nt_patch_fault_fn *fault,
	void *arg, struct nt_err *err)
{
	struct load l = { .p = ret, .fault = fault, .arg = arg };
	char *path = nt_asprintf("%s/catalogue.ini", dir);
	struct nt_ini ini = { 0 };
	int rc;

	memset(ret, 0, sizeof *ret);
	ret->dir = nt_strdup(dir);
	rc = take_all(&l, &ini,
		nt_ini_load(path, keys, fault ? fault : ignore, arg, &ini, err));
	nt_ini_free(&ini);
	free(path);
	return rc;
}

void nt_patches_free(struct nt_patches *p)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		free_patch(&p->v[i]);
	free(p->v);
	free(p->dir);
	nt_arena_free(&p->arena);
	memset(p, 0, sizeof *p);
}

const struct nt_patch *nt_patches_find(const struct nt_patches *p, const char *id)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (strcmp(p->v[i].id, id) == 0)
			return &p->v[i];
	return NULL;
}
