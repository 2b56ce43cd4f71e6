/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LABEL 9	  /* where text begins after "  seen   " and "PROBLEM  " */
#define COMMAND 11 /* and a command */
#define SHOWN_LINKS 3

static const struct {
	const char *word, *color;
} severities[_NT_SEV_MAX] = {
	[NT_SEV_GOOD] = { "GOOD", "\033[32m" },
	[NT_SEV_ADVICE] = { "ADVICE", "\033[36m" },
	[NT_SEV_WARNING] = { "WARNING", "\033[33m" },
	[NT_SEV_PROBLEM] = { "PROBLEM", "\033[1;31m" },
};

/* Where the cure lies, for people. */
static const char *const cures[_NT_CURE_MAX] = {
	[NT_CURE_SETTING] = "a setting",
	[NT_CURE_APPLICATION] = "the program that uses the network",
	[NT_CURE_KERNEL] = "the kernel or driver version",
	[NT_CURE_LINK] = "the link: cable, port or negotiation",
	[NT_CURE_PEER] = "the switch or the other end",
	[NT_CURE_PLATFORM] = "the platform: hypervisor, bus, storage or cloud allowance",
	[NT_CURE_NONE] = "none known",
};

static const char *const confidences[_NT_CONF_MAX] = {
	[NT_CONF_KNOWN] = "known from the literature",
	[NT_CONF_DERIVED] = "derived from this host's facts",
	[NT_CONF_MEASURED] = "measured on this host",
};
static const char *const peer_confidences[_NT_CONF_MAX] = {
	[NT_CONF_KNOWN] = "known from the literature",
	[NT_CONF_DERIVED] = "derived from the other end's facts",
	[NT_CONF_MEASURED] = "measured at the other end",
};

char *nt_text_scope(const struct nt_scope *sc)
{
	char name[128];

	if (sc->kind == NT_SCOPE_HOST)
		return nt_strdup("host");
	nt_printable(name, sizeof name, sc->name);
	return nt_asprintf("%s%s", sc->kind == NT_SCOPE_PATH ? "to " : "", name);
}

/* "eth0, eth1 and 14 more"; all of them with --verbose. */
static char *scopes(const struct nt_text *t, const struct nt_group *g)
{
	size_t show = g->n <= SHOWN_LINKS || t->style->verbose ? g->n : SHOWN_LINKS - 1, i;
	struct nt_buf b = { 0 };

	for (i = 0; i < show; i++) {
		char *one = nt_text_scope(g->v[i]->scope);

		nt_buf_addf(&b, "%s%s", i ? ", " : "", one);
		free(one);
	}
	if (show < g->n)
		nt_buf_addf(&b, " and %zu more", g->n - show);
	if (g->peer) /* what is found of a path is of what that end sends */
		nt_buf_adds(&b, g->v[0]->scope->kind == NT_SCOPE_PATH ? " (from the other end)" :
									  " (other end)");
	return nt_buf_detach(&b);
}

static void title(struct nt_text *t, const struct nt_group *g)
{
	const struct nt_finding *f = g->v[0];
	char label[LABEL + 1], *where = scopes(t, g);
	char *first = nt_strndup(f->title, strcspn(f->title, " "));
	size_t at = t->w.out->len, len = strlen(severities[f->severity].word);

	snprintf(label, sizeof label, "%-*s", LABEL, severities[f->severity].word);
	nt_wrap_begin(&t->w, label, LABEL);
	if (t->style->color) {
		nt_buf_cut(t->w.out, at);
		nt_buf_addf(t->w.out, "%s%s\033[0m%s", severities[f->severity].color,
			severities[f->severity].word, label + len);
	}
	nt_wrap_words(&t->w, where);
	nt_wrap_item_after(&t->w, 2, first);
	nt_wrap_words(&t->w, f->title + strlen(first));
	nt_wrap_end(&t->w);
	free(first);
	free(where);
}

/* The fact's own name, of "master.link.mtu" where the link is named anyway. */
static const char *own_name(const char *name)
{
	static const char *const relatives[] = { "lower.", "master.", "peer." };
	size_t i, len;

	for (i = 0; i < NT_ARRAY_SIZE(relatives); i++) {
		len = strlen(relatives[i]);
		if (strncmp(name, relatives[i], len) == 0)
			return name + len;
	}
	return name;
}

/* "link.mtu 1500 bytes", with the link where it is another's, raw where they differ. */
static char *seen_item(const struct nt_text *t, const struct nt_finding *f,
	const struct nt_seen *seen)
{
	bool other = seen->scope != f->scope && seen->scope->kind == NT_SCOPE_LINK;
	char value[256], raw[256], shown[300];
	struct nt_buf b = { 0 };

	if (other) {
		char *where = nt_text_scope(seen->scope);

		nt_buf_addf(&b, "%s ", where);
		free(where);
	}
	nt_buf_adds(&b, other ? own_name(seen->name) : seen->name);
	if (seen->fact->type == NT_FACT_ABSENT) {
		nt_buf_addf(&b, " unknown: %s", seen->fact->v.s);
		return nt_buf_detach(&b);
	}
	nt_fact_format_human(value, sizeof value, seen->fact);
	nt_fact_format(raw, sizeof raw, seen->fact);
	nt_printable(shown, sizeof shown, value);
	nt_buf_addf(&b, " %s", *shown ? shown : "(empty)");
	if (t->style->verbose && strcmp(value, raw) != 0 && seen->fact->type <= NT_FACT_REAL)
		nt_buf_addf(&b, " (%s)", raw);
	return nt_buf_detach(&b);
}

static void seen_of(struct nt_text *t, const struct nt_finding *f)
{
	bool all = t->style->verbose;
	size_t i, n = 0, shown = 0;

	for (i = 0; i < f->n_seen; i++)
		n += nt_seen_telling(&f->seen[i]);
	if (!n)
		all = true;
	n = all ? f->n_seen : n;
	for (i = 0; i < f->n_seen; i++) {
		char *item;

		if (!all && !nt_seen_telling(&f->seen[i]))
			continue;
		item = seen_item(t, f, &f->seen[i]);
		nt_wrap_dotted(&t->w, item, ++shown == n);
		free(item);
	}
	nt_wrap_end(&t->w);
}

static void seen(struct nt_text *t, const struct nt_group *g)
{
	size_t i, n = g->same_seen || !t->style->verbose ? 1 : g->n;

	for (i = 0; i < n && g->v[i]->n_seen; i++) {
		nt_wrap_begin(&t->w, i ? "" : "  seen", LABEL);
		if (!g->same_seen) {
			char *one = nt_text_scope(g->v[i]->scope);
			char *label = nt_asprintf("%s:", one);

			nt_wrap_item(&t->w, label);
			free(label);
			free(one);
		}
		seen_of(t, g->v[i]);
	}
}

static void why(struct nt_text *t, const struct nt_finding *f)
{
	nt_wrap_begin(&t->w, "  why", LABEL);
	nt_wrap_words(&t->w, f->why);
	if (*f->rule->source) {
		char *source = nt_asprintf("[%s]", f->rule->source);

		nt_wrap_item(&t->w, source);
		free(source);
	}
	nt_wrap_end(&t->w);
}

static void command(void *arg, const char *line, size_t first, size_t n)
{
	struct nt_text *t = arg;

	(void)first;
	(void)n;
	nt_wrap_command(&t->w, line, COMMAND);
}

static void now_and_then(struct nt_text *t, const struct nt_finding *f)
{
	char from[128], to[128];
	size_t i;

	for (i = 0; i < f->n_changes; i++) {
		const struct nt_change *c = &f->changes[i];
		char *item;

		if (c->from.type == NT_FACT_ABSENT)
			snprintf(from, sizeof from, "unknown");
		else
			nt_fact_format_human(from, sizeof from, &c->from);
		nt_fact_format_human(to, sizeof to, &c->to);
		item = nt_asprintf("%s %s → %s", c->tunable, from, to);
		nt_wrap_dotted(&t->w, item, i + 1 == f->n_changes);
		free(item);
	}
}

static enum nt_risk worst_risk(const struct nt_finding *f)
{
	enum nt_risk worst = NT_RISK_NONE;
	size_t i;

	for (i = 0; i < f->n_changes; i++)
		if (f->changes[i].risk > worst)
			worst = f->changes[i].risk;
	return worst;
}

static char *improves(const char *words)
{
	struct nt_buf b = { 0 };

	nt_buf_adds(&b, "improves ");
	for (; *words; words++)
		nt_buf_adds(&b, *words == ' ' ? ", " : (char[]){ *words, '\0' });
	return nt_buf_detach(&b);
}

static void qualities(struct nt_text *t, const struct nt_finding *f, bool peer)
{
	char *item;

	nt_wrap_begin(&t->w, "", LABEL);
	if (*f->rule->improves) {
		item = improves(f->rule->improves);
		nt_wrap_dotted(&t->w, item, false);
		free(item);
	}
	if (f->n_changes) {
		item = nt_asprintf("risk %s", nt_name_of(nt_risk_names, worst_risk(f)));
		nt_wrap_dotted(&t->w, item, false);
		free(item);
	}
	nt_wrap_dotted(&t->w, (peer ? peer_confidences : confidences)[f->confidence], false);
	item = nt_asprintf("rule %s", f->rule->id);
	nt_wrap_dotted(&t->w, item, true);
	free(item);
	nt_wrap_end(&t->w);
}

static void cure(struct nt_text *t, const struct nt_group *g)
{
	const struct nt_report_end *end = g->peer ? &t->r->peer : &t->r->here;
	const struct nt_finding *f = g->v[0];
	size_t i, n = g->n <= SHOWN_LINKS || t->style->verbose ? g->n : 1;

	nt_wrap_begin(&t->w, "  cure", LABEL);
	if (g->peer && f->rule->cure == NT_CURE_SETTING)
		nt_wrap_words(&t->w, "at the other end,");
	nt_wrap_words(&t->w, f->rule->cure == NT_CURE_NONE && f->rule->severity <= NT_SEV_ADVICE ?
			"none needed" : cures[f->rule->cure]);
	if (f->n_changes) {
		nt_buf_addc(t->w.out, ':');
		t->w.col++;
		now_and_then(t, f);
	} else if (f->rule->cure == NT_CURE_SETTING) {
		nt_wrap_words(&t->w, "whose value is yours to choose");
	}
	nt_wrap_end(&t->w);
	for (i = 0; i < n; i++)
		nt_finding_commands(end->findings, g->v[i], end->snapshot, command, t);
	if (f->n_changes && n < g->n) {
		char *rest = nt_asprintf("and the same for the other %zu: --verbose lists all",
			g->n - n);

		nt_wrap_begin(&t->w, "", LABEL);
		nt_wrap_words(&t->w, rest);
		nt_wrap_end(&t->w);
		free(rest);
	}
	if (*f->rule->patches) {
		struct nt_buf line = { 0 };
		const char *p;

		nt_buf_adds(&line, "nettune --patch ");
		for (p = f->rule->patches; *p; p++)
			nt_buf_addc(&line, *p == ' ' ? ',' : *p);
		nt_buf_adds(&line, " --tree /usr/src/linux");
		nt_wrap_command(&t->w, nt_buf_str(&line), COMMAND);
		nt_buf_free(&line);
	}
	qualities(t, f, g->peer);
}

void nt_text_group(struct nt_text *t, const struct nt_group *g)
{
	const struct nt_finding *f = g->v[0];

	title(t, g);
	if (f->severity != NT_SEV_GOOD || t->style->verbose) {
		seen(t, g);
		why(t, f);
		if (f->severity != NT_SEV_GOOD)
			cure(t, g);
	}
	nt_buf_addc(t->w.out, '\n');
}
