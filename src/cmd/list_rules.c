/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "modes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nettune/jsonw.h"
#include "nettune/names.h"
#include "nettune/rule.h"
#include "rules.h"

static const char *const scopes[] = {
	[NT_SCOPE_HOST] = "host",
	[NT_SCOPE_LINK] = "link",
	[NT_SCOPE_PATH] = "path",
};

static int by_id(const void *a, const void *b)
{
	return strcmp((*(const struct nt_rule *const *)a)->id,
		(*(const struct nt_rule *const *)b)->id);
}

static void one_line(const struct nt_rule *r)
{
	char title[512], file[512];

	nt_printable(title, sizeof title, r->title);
	nt_printable(file, sizeof file, r->file);
	printf("%s\n    %s, cure %s, scope %s\n    %s\n    %s%s%s:%d\n", r->id,
		nt_name_of(nt_severity_names, r->severity), nt_name_of(nt_cure_names, r->cure),
		scopes[r->scope], title, r->source, *r->source ? "  " : "", file, r->line);
}

/* "M5 M11" as an array of words. */
static void words(struct nt_jsonw *w, const char *key, const char *s)
{
	char word[128];
	size_t len;

	nt_jsonw_array(w, key);
	for (; *s; s += len + (s[len] == ' ')) {
		len = strcspn(s, " ");
		snprintf(word, sizeof word, "%.*s", (int)len, s);
		nt_jsonw_str(w, NULL, word);
	}
	nt_jsonw_end(w);
}

static void goals(struct nt_jsonw *w, unsigned mask)
{
	const struct nt_name *g;

	nt_jsonw_array(w, "goals");
	for (g = nt_goal_names; g->name; g++)
		if (mask & 1U << g->value)
			nt_jsonw_str(w, NULL, g->name);
	nt_jsonw_end(w);
}

static void one_object(struct nt_jsonw *w, const struct nt_rule *r)
{
	nt_jsonw_object(w, NULL);
	nt_jsonw_str(w, "rule", r->id);
	nt_jsonw_str(w, "severity", nt_name_of(nt_severity_names, r->severity));
	nt_jsonw_str(w, "cure", nt_name_of(nt_cure_names, r->cure));
	nt_jsonw_str(w, "scope", scopes[r->scope]);
	nt_jsonw_str(w, "title", r->title);
	nt_jsonw_str(w, "when", r->when);
	nt_jsonw_str(w, "why", r->why);
	goals(w, r->goals);
	words(w, "improves", r->improves);
	words(w, "sources", r->source);
	words(w, "patches", r->patches);
	nt_jsonw_str(w, "file", r->file);
	nt_jsonw_int(w, "line", r->line);
	nt_jsonw_bool(w, "user", r->user);
	nt_jsonw_end(w);
}

int nt_cmd_list_rules(const struct nt_args *a)
{
	struct nt_rulebase *rb = nt_rulebase_new();
	struct nt_jsonw w;
	struct nt_err err;
	size_t i;
	int written = 0, faults = nt_rulebase_load_default(rb, nt_tell_rule_fault, NULL, &err);

	if (faults < 0) {
		nt_complain(&err);
		if (!rb->n) {
			nt_rulebase_free(rb);
			return NT_EXIT_FAILED;
		}
	}
	if (rb->n)
		qsort(rb->v, rb->n, sizeof *rb->v, by_id);
	if (nt_args_has(a, "json")) {
		nt_jsonw_init(&w, stdout, 2);
		nt_jsonw_array(&w, NULL);
		for (i = 0; i < rb->n; i++)
			one_object(&w, rb->v[i]);
		nt_jsonw_end(&w);
		written = nt_jsonw_finish(&w);
	} else {
		for (i = 0; i < rb->n; i++)
			one_line(rb->v[i]);
	}
	nt_rulebase_free(rb);
	return nt_printed(written, faults ? NT_EXIT_FAILED : NT_EXIT_OK);
}
