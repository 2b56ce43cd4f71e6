/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "modes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "look.h"
#include "patch_load.h"

#include "nettune/jsonw.h"
#include "nettune/mem.h"
#include "nettune/patch.h"
#include "nettune/places.h"
#include "nettune/sys.h"

static void fault(void *arg, int line, const char *section, const char *reason)
{
	const struct nt_patches *p = arg;

	nt_warn("%s/catalogue.ini:%d: %s%s%s%s", p->dir, line, section ? "[" : "",
		section ? section : "", section ? "] " : "", reason);
}

int nt_cmd_load_patches(struct nt_patches *ret)
{
	char *dir = nt_place_patches();
	struct nt_err err = { 0 };
	int rc = nt_patches_load(ret, dir, fault, ret, &err);

	free(dir);
	if (rc < 0)
		nt_complain(&err);
	return rc < 0 ? NT_EXIT_FAILED : NT_EXIT_OK;
}

static void collect_note(void *arg, const char *line)
{
	(void)arg;
	nt_warn("%s", line);
}

static const char *host_text(const struct nt_snapshot *s, const char *name)
{
	const struct nt_fact *f = nt_scope_get(s, &s->host, name);

	return f && (f->type == NT_FACT_TEXT || f->type == NT_FACT_VERSION) ? f->v.s
									    : NULL;
}

/* "label  text", the text wrapped to the width and indented. */
static void field(const char *label, const char *text)
{
	const size_t indent = 11, width = 79;
	size_t column = indent, len;
	const char *s = text;

	if (!text || !*text)
		return;
	printf("  %-*s", (int)indent - 2, label);
	for (s += strspn(s, " "); *s; s += strspn(s, " ")) {
		len = strcspn(s, " ");
		if (column > indent && column + 1 + len > width) {
			printf("\n%*s", (int)indent, "");
			column = indent;
		}
		printf("%s%.*s", column > indent ? " " : "", (int)len, s);
		column += (column > indent) + len;
		s += len;
	}
	putchar('\n');
}

static void versions(const char *label, const struct nt_version *v, size_t n)
{
	struct nt_buf b = { 0 };

	nt_patch_format_versions(&b, v, n);
	field(label, nt_buf_str(&b));
	nt_buf_free(&b);
}

static void ids(const char *label, char *const *list)
{
	struct nt_buf b = { 0 };
	size_t i;

	for (i = 0; list[i]; i++)
		nt_buf_addf(&b, "%s%s", i ? ", " : "", list[i]);
	field(label, nt_buf_str(&b));
	nt_buf_free(&b);
}

static bool has_word(const char *words, const char *word)
{
	size_t len;

	for (words += strspn(words, " ,"); *words; words += strspn(words, " ,")) {
		len = strcspn(words, " ,");
		if (strlen(word) == len && strncmp(words, word, len) == 0)
			return true;
		words += len;
	}
	return false;
}

/* The rules that point to the patch: a NULL-terminated list of their ids. */
static char **rules_of(const struct nt_rulebase *rules, const struct nt_patch *p)
{
	char **list = NULL;
	size_t n = 0, cap = 0, i;

	for (i = 0; rules && i < rules->n; i++) {
		if (!has_word(rules->v[i]->patches, p->id))
			continue;
		NT_GROW(list, n, cap);
		list[n++] = nt_strdup(rules->v[i]->id);
	}
	NT_GROW(list, n, cap);
	list[n] = NULL;
	return list;
}

/* Everything that is shown. */
struct view {
	const struct nt_patches *patches;
	const struct nt_patch_verdict *verdicts;
	const struct nt_snapshot *host;
	const struct nt_rulebase *rules; /* NULL when they could not be read */
	bool all;
};

static void show(const struct view *view, size_t i)
{
	const struct nt_patch *p = &view->patches->v[i];
	const struct nt_patch_verdict *v = &view->verdicts[i];
	struct nt_buf b = { 0 };

	printf("%s\n", p->id);
	field("", p->title);
	printf("  %-9s%s: %s\n", "here", nt_name_of(nt_patch_state_names, v->state),
		v->reason);
	nt_patch_format_affected(&b, p);
	field("affected", nt_buf_str(&b));
	versions("fixed in", p->fixed, p->n_fixed);
	field("does", p->does);
	if (view->all) {
		char **rules = rules_of(view->rules, p);

		field("not", p->limits);
		field("figures", p->figures);
		field("see it", p->see);
		field("upstream", p->commit);
		field("sources", p->sources);
		ids("rules", rules);
		nt_list_free(rules);
	}
	field("instead", p->replaced);
	ids("files", p->files);
	ids("needs", p->needs);
	ids("not with", p->excludes);
	if (p->cocci)
		printf("  %-9snettune --patch %s --tree DIR\n", "apply", p->id);
	putchar('\n');
	nt_buf_free(&b);
}

static void print_text(const struct view *view)
{
	const char *release = host_text(view->host, "kernel.release");
	const char *machine = host_text(view->host, "kernel.machine");
	size_t n = view->patches->n, shown = 0, i;
	int state;

	printf("Linux %s%s%s: ", release ? release : "(version not known)",
		machine ? " " : "", machine ? machine : "");
	for (i = 0; i < n; i++)
		shown += view->verdicts[i].state != NT_PATCH_NOT_AFFECTED;
	printf("%zu of %zu known faults concern or may concern this host\n\n", shown, n);
	for (state = 0; state < _NT_PATCH_STATE_MAX; state++)
		for (i = 0; i < n; i++)
			if ((int)view->verdicts[i].state == state &&
				(view->all || state != NT_PATCH_NOT_AFFECTED))
				show(view, i);
	if (!view->all && shown < n)
		puts("nettune --patches --all lists the others too");
}

static void json_list(struct nt_jsonw *w, const char *key, char *const *list)
{
	size_t i;

	nt_jsonw_array(w, key);
	for (i = 0; list[i]; i++)
		nt_jsonw_str(w, NULL, list[i]);
	nt_jsonw_end(w);
}

static void json_versions(
	struct nt_jsonw *w, const char *key, const struct nt_version *v, size_t n)
{
	char text[48];
	size_t i;

	nt_jsonw_array(w, key);
	for (i = 0; i < n; i++) {
		nt_version_format(text, &v[i]);
		nt_jsonw_str(w, NULL, text);
	}
	nt_jsonw_end(w);
}

static void json_affected(struct nt_jsonw *w, const struct nt_patch *p)
{
	char text[48];
	size_t i;

	nt_jsonw_array(w, "affected");
	for (i = 0; i < p->n_affected; i++) {
		nt_jsonw_object(w, NULL);
		nt_version_format(text, &p->affected[i].first);
		nt_jsonw_str(w, "first", text);
		nt_version_format(text, &p->affected[i].last);
		nt_jsonw_str(w, "last", text);
		nt_jsonw_end(w);
	}
	nt_jsonw_end(w);
}

static void json_patch(struct nt_jsonw *w, const struct view *view, size_t i)
{
	const struct nt_patch *p = &view->patches->v[i];
	const struct nt_patch_verdict *v = &view->verdicts[i];
	char **rules = rules_of(view->rules, p);

	nt_jsonw_object(w, NULL);
	nt_jsonw_str(w, "id", p->id);
	nt_jsonw_str(w, "title", p->title);
	nt_jsonw_str(w, "state", nt_name_of(nt_patch_state_words, v->state));
	nt_jsonw_str(w, "reason", v->reason);
	json_affected(w, p);
	json_versions(w, "fixed", p->fixed, p->n_fixed);
	json_versions(w, "fits", p->fits, p->n_fits);
	nt_jsonw_str(w, "why", p->why);
	nt_jsonw_str(w, "does", p->does);
	nt_jsonw_str(w, "limits", p->limits);
	nt_jsonw_str(w, "figures", p->figures);
	nt_jsonw_str(w, "see", p->see);
	nt_jsonw_str(w, "replaced", p->replaced);
	nt_jsonw_str(w, "commit", p->commit);
	nt_jsonw_str(w, "fixes", p->fixes);
	nt_jsonw_str(w, "evidence", p->evidence);
	nt_jsonw_str(w, "sources", p->sources);
	nt_jsonw_str(w, "licence", p->licence);
	json_list(w, "drivers", p->drivers);
	nt_jsonw_str(w, "symbol", p->symbol);
	nt_jsonw_str(w, "machine", p->machine);
	json_list(w, "files", p->files);
	json_list(w, "needs", p->needs);
	json_list(w, "after", p->after);
	json_list(w, "excludes", p->excludes);
	json_list(w, "rules", rules);
	nt_jsonw_end(w);
	nt_list_free(rules);
}

static int print_json(const struct view *view)
{
	struct nt_jsonw w;
	size_t i;

	nt_jsonw_begin(&w, stdout, 3, "nettune-patches/1");
	nt_jsonw_str(&w, "version", PACKAGE_VERSION);
	nt_jsonw_str(&w, "kernel", host_text(view->host, "kernel.release"));
	nt_jsonw_str(&w, "machine", host_text(view->host, "kernel.machine"));
	nt_jsonw_array(&w, "patches");
	for (i = 0; i < view->patches->n; i++)
		if (view->all || view->verdicts[i].state != NT_PATCH_NOT_AFFECTED)
			json_patch(&w, view, i);
	nt_jsonw_end(&w);
	nt_jsonw_end(&w);
	return nt_jsonw_finish(&w);
}

/* This host's facts; NULL after telling why not. */
static struct nt_snapshot *look_at_host(void)
{
	const struct nt_collect_opts opts = { .interval_s = 0 };
	struct nt_err err = { 0 };
	struct nt_sys *sys = nt_sys_open(0, &err);
	struct nt_snapshot *s;

	if (!sys) {
		nt_complain(&err);
		return NULL;
	}
	s = nt_collect_live(sys, &opts, collect_note, NULL, &err);
	if (!s)
		nt_complain(&err);
	nt_sys_free(sys);
	return s;
}

static int print_all(const struct view *view, bool json)
{
	if (json)
		return nt_printed(print_json(view), NT_EXIT_OK);
	print_text(view);
	return NT_EXIT_OK;
}

int nt_cmd_patches(const struct nt_args *a)
{
	struct nt_patch_verdict *verdicts = NULL;
	struct nt_rulebase *rules = NULL;
	struct nt_snapshot *s = NULL;
	struct nt_patches patches;
	int status = nt_cmd_load_patches(&patches);
	size_t i;

	if (status == NT_EXIT_OK && !(s = look_at_host()))
		status = NT_EXIT_FAILED;
	if (status == NT_EXIT_OK) {
		rules = nt_look_rules();
		verdicts = nt_calloc(patches.n + 1, sizeof *verdicts);
		for (i = 0; i < patches.n; i++)
			nt_patch_judge(&patches.v[i], s, &verdicts[i]);
		status = print_all(&(struct view){
				      .patches = &patches,
				      .verdicts = verdicts,
				      .host = s,
				      .rules = rules,
				      .all = nt_args_has(a, "all"),
			      },
			nt_args_has(a, "json"));
	}
	free(verdicts);
	nt_rulebase_free(rules);
	nt_snapshot_free(s);
	nt_patches_free(&patches);
	return status;
}
