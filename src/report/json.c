/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/report.h"

#include <string.h>

#include "nettune/jsonw.h"

#define INDENT_UNTIL 4
/* The report, its links, a link, its facts. */
#define LINK_FACTS_DEPTH 4

/* Names come a thousand times on a host of a thousand links: quoted once, by id - 1. */
struct keys {
	struct nt_jsonw_key *v;
	struct nt_arena arena;
};

/* For facts in objects at that depth. */
static void quote_names(
	struct nt_jsonw *w, int depth, const struct nt_snapshot *s, struct keys *keys)
{
	size_t i;

	keys->v = nt_reallocarray(NULL, s->names.n + 1, sizeof *keys->v);
	for (i = 0; i < s->names.n; i++)
		nt_jsonw_quote(w, depth, nt_snapshot_name(s, (unsigned)i + 1),
			&keys->arena, &keys->v[i]);
}

static void free_keys(struct keys *keys)
{
	free(keys->v);
	nt_arena_free(&keys->arena);
}

static void facts(struct nt_jsonw *w, const struct keys *keys, const struct nt_scope *sc)
{
	size_t i;

	nt_jsonw_object(w, "facts");
	for (i = 0; i < sc->n; i++) {
		nt_jsonw_key(w, &keys->v[sc->facts[i].id - 1]);
		nt_fact_json(w, NULL, &sc->facts[i]);
	}
	nt_jsonw_end(w);
	nt_jsonw_object(w, "absent");
	for (i = 0; i < sc->n; i++)
		if (sc->facts[i].type == NT_FACT_ABSENT) {
			nt_jsonw_key(w, &keys->v[sc->facts[i].id - 1]);
			nt_jsonw_str(w, NULL, sc->facts[i].v.s);
		}
	nt_jsonw_end(w);
}

static void host(struct nt_jsonw *w, const struct nt_snapshot *s, const struct keys *keys)
{
	const char *kernel = nt_scope_text(s, &s->host, "kernel.release");

	nt_jsonw_object(w, "host");
	nt_jsonw_str(w, "kernel",
		kernel ? kernel : nt_scope_text(s, &s->host, "kernel.version"));
	facts(w, keys, &s->host);
	nt_jsonw_end(w);
}

static void links(
	struct nt_jsonw *w, const struct nt_snapshot *s, const struct keys *keys)
{
	size_t i;

	nt_jsonw_array(w, "links");
	for (i = 0; i < s->n_links; i++) {
		const struct nt_scope *l = s->links[i];

		if (!l->interesting)
			continue;
		nt_jsonw_object(w, NULL);
		nt_jsonw_str(w, "name", l->name);
		nt_jsonw_str(w, "driver", nt_scope_text(s, l, "link.driver"));
		facts(w, keys, l);
		nt_jsonw_end(w);
	}
	nt_jsonw_end(w);
}

static void paths(
	struct nt_jsonw *w, const struct nt_snapshot *s, const struct keys *keys)
{
	size_t i;

	nt_jsonw_array(w, "paths");
	for (i = 0; i < s->n_paths; i++) {
		nt_jsonw_object(w, NULL);
		nt_jsonw_str(w, "peer", s->paths[i]->name);
		facts(w, keys, s->paths[i]);
		nt_jsonw_end(w);
	}
	nt_jsonw_end(w);
}

/* ---- findings ----------------------------------------------------------------------- */

static const char *scope_word(enum nt_scope_kind kind)
{
	return kind == NT_SCOPE_HOST ? "host" : kind == NT_SCOPE_LINK ? "link" : "path";
}

static void link_of(struct nt_jsonw *w, const struct nt_scope *sc)
{
	nt_jsonw_str(w, "link", sc->kind == NT_SCOPE_LINK ? sc->name : NULL);
}

/* A string of words with blanks between, as an array. */
static void words(struct nt_jsonw *w, const char *key, const char *s)
{
	char *word;
	size_t len;

	nt_jsonw_array(w, key);
	while (*(s += strspn(s, " "))) {
		len = strcspn(s, " ");
		word = nt_strndup(s, len);
		nt_jsonw_str(w, NULL, word);
		free(word);
		s += len;
	}
	nt_jsonw_end(w);
}

static void seen(struct nt_jsonw *w, const struct nt_finding *f)
{
	size_t i, k;

	nt_jsonw_object(w, "seen");
	for (i = 0; i < f->n_seen; i++) {
		/* a member name may stand once in an object */
		for (k = 0; k < i; k++)
			if (strcmp(f->seen[k].name, f->seen[i].name) == 0)
				break;
		if (k == i)
			nt_fact_json(w, f->seen[i].name, f->seen[i].fact);
	}
	nt_jsonw_end(w);
}

static void changes(struct nt_jsonw *w, const struct nt_finding *f, const char *end)
{
	size_t i;

	nt_jsonw_array(w, "changes");
	for (i = 0; i < f->n_changes; i++) {
		const struct nt_change *c = &f->changes[i];

		nt_jsonw_object(w, NULL);
		nt_jsonw_str(w, "tunable", c->tunable);
		link_of(w, c->scope);
		nt_jsonw_str(w, "end", end);
		nt_fact_json(w, "from", &c->from);
		nt_fact_json(w, "to", &c->to);
		nt_jsonw_str(w, "risk", nt_name_of(nt_risk_names, c->risk));
		nt_jsonw_end(w);
	}
	nt_jsonw_end(w);
}

static void findings_of(struct nt_jsonw *w, const struct nt_findings *fs, const char *end)
{
	size_t i;

	for (i = 0; fs && i < fs->n; i++) {
		const struct nt_finding *f = &fs->v[i];

		nt_jsonw_object(w, NULL);
		nt_jsonw_str(w, "rule", f->rule->id);
		nt_jsonw_str(w, "scope", scope_word(f->scope->kind));
		link_of(w, f->scope);
		nt_jsonw_str(w, "end", end);
		nt_jsonw_str(w, "severity", nt_name_of(nt_severity_names, f->severity));
		nt_jsonw_str(w, "cure", nt_name_of(nt_cure_names, f->rule->cure));
		nt_jsonw_str(w, "title", f->title);
		nt_jsonw_str(w, "confidence", nt_name_of(nt_confidence_names, f->confidence));
		nt_jsonw_str(w, "why", f->why);
		seen(w, f);
		changes(w, f, end);
		words(w, "patches", f->rule->patches);
		words(w, "improves", f->rule->improves);
		words(w, "sources", f->rule->source);
		nt_jsonw_end(w);
	}
}

static void conflicts(struct nt_jsonw *w, const struct nt_findings *f)
{
	size_t i;

	nt_jsonw_array(w, "conflicts");
	for (i = 0; i < f->n_conflicts; i++) {
		const struct nt_conflict *c = &f->conflicts[i];

		nt_jsonw_object(w, NULL);
		nt_jsonw_str(w, "tunable", c->tunable);
		link_of(w, c->scope);
		nt_jsonw_array(w, "rules");
		nt_jsonw_str(w, NULL, f->v[c->a].rule->id);
		nt_jsonw_str(w, NULL, f->v[c->b].rule->id);
		nt_jsonw_end(w);
		nt_jsonw_str(w, "winner", c->winner < 0 ? NULL : f->v[c->winner].rule->id);
		nt_jsonw_end(w);
	}
	nt_jsonw_end(w);
}

static void unknown(struct nt_jsonw *w, const struct nt_findings *f)
{
	size_t i, k;

	nt_jsonw_array(w, "unknown");
	for (i = 0; i < f->n_unknown; i++) {
		const struct nt_unknown *u = &f->unknown[i];

		nt_jsonw_object(w, NULL);
		nt_jsonw_str(w, "rule", u->rule->id);
		link_of(w, u->scope);
		nt_jsonw_array(w, "missing");
		for (k = 0; k < u->n_missing; k++) {
			nt_jsonw_object(w, NULL);
			nt_jsonw_str(w, "fact", u->missing[k].fact);
			nt_jsonw_str(w, "reason", u->missing[k].reason);
			nt_jsonw_end(w);
		}
		nt_jsonw_end(w);
		nt_jsonw_end(w);
	}
	nt_jsonw_end(w);
}

/* What --apply would do: the selected steps. */
static void plan(struct nt_jsonw *w, const struct nt_plan *p)
{
	size_t i;

	nt_jsonw_array(w, "plan");
	for (i = 0; p && i < p->n; i++) {
		const struct nt_step *s = &p->v[i];

		if (!s->selected)
			continue;
		nt_jsonw_object(w, NULL);
		nt_jsonw_str(w, "tunable", s->tunable);
		nt_jsonw_str(w, "link", *s->link ? s->link : NULL);
		nt_fact_json(w, "from", &s->from);
		nt_fact_json(w, "to", &s->to);
		nt_jsonw_str(w, "risk", nt_name_of(nt_risk_names, s->risk));
		nt_jsonw_str(w, "rule", s->rule);
		nt_jsonw_end(w);
	}
	nt_jsonw_end(w);
}

static void peer(struct nt_jsonw *w, const struct nt_report_end *end)
{
	struct keys keys = { 0 };

	if (!end->snapshot) {
		nt_jsonw_null(w, "peer");
		return;
	}
	quote_names(w, LINK_FACTS_DEPTH + 1, end->snapshot, &keys);
	nt_jsonw_object(w, "peer");
	host(w, end->snapshot, &keys);
	links(w, end->snapshot, &keys);
	nt_jsonw_end(w);
	free_keys(&keys);
}

int nt_report_json(const struct nt_report *r, FILE *out)
{
	const struct nt_snapshot *s = r->here.snapshot;
	const struct nt_findings *f = r->here.findings;
	struct keys keys = { 0 };
	char when[32];
	struct nt_jsonw w;
	struct tm tm;

	gmtime_r(&r->generated, &tm);
	strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &tm);
	nt_jsonw_begin(&w, out, INDENT_UNTIL, "nettune-report/1");
	nt_jsonw_str(&w, "version", PACKAGE_VERSION);
	nt_jsonw_str(&w, "generated", when);
	nt_jsonw_str(&w, "source", s->live ? "live" : "capture");
	nt_jsonw_str(&w, "goal", nt_name_of(nt_goal_names, r->goal));
	nt_jsonw_object(&w, "rules");
	nt_jsonw_int(&w, "holds", f->holds);
	nt_jsonw_int(&w, "unknown", f->n_unknown);
	nt_jsonw_int(&w, "not_applicable", f->not_applicable);
	nt_jsonw_end(&w);
	quote_names(&w, LINK_FACTS_DEPTH, s, &keys);
	host(&w, s, &keys);
	links(&w, s, &keys);
	paths(&w, s, &keys);
	free_keys(&keys);
	peer(&w, &r->peer);
	if (r->probe)
		nt_probe_json(r->probe, &w, "probe");
	else
		nt_jsonw_null(&w, "probe");
	nt_jsonw_array(&w, "findings");
	findings_of(&w, f, "here");
	findings_of(&w, r->peer.findings, "peer");
	nt_jsonw_end(&w);
	conflicts(&w, f);
	unknown(&w, f);
	plan(&w, r->plan);
	nt_jsonw_end(&w);
	return nt_jsonw_finish(&w);
}
