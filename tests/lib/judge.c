/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * judge RULES GOAL <FACTS: judges a host described line by line and prints what is found.
 *
 *   host kernel.release 6.1.0-57-amd64
 *   eth0 link.driver e1000e             any other first word is a link
 *   eth0 feature.tx-tcp-segmentation off
 *
 * A feature also gets .fixed and .wanted, as ethtool -k would tell: "off fixed", "off wanted".
 * Output: SEVERITY CURE RULE LINK, and for each change "change TUNABLE LINK TO SEVERITY".
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nettune/fact_text.h"
#include "nettune/names.h"
#include "nettune/rule.h"

static void fault(void *arg, const char *file, int line, const char *reason)
{
	(void)arg;
	fprintf(stderr, "%s:%d: %s\n", file, line, reason);
	exit(1);
}

static void put(struct nt_snapshot *s, struct nt_scope *sc, const char *name, const char *v)
{
	const struct nt_catalogue_row *row = nt_catalogue_find(name);
	char *end;

	if (!row) {
		fprintf(stderr, "no fact %s\n", name);
		exit(1);
	}
	switch (row->type) {
	case NT_FACT_INT:
		nt_fact_int(s, sc, name, row->unit, strtoll(v, &end, 10));
		if (*end)
			nt_fact_text(s, sc, NT_FACT_TEXT, name, v);
		break;
	case NT_FACT_REAL:
		nt_fact_real(s, sc, name, row->unit, strtod(v, NULL));
		break;
	case NT_FACT_BOOL:
		nt_fact_bool(s, sc, name, strcmp(v, "true") == 0);
		break;
	case NT_FACT_SWITCH:
		nt_fact_switch(s, sc, name, strncmp(v, "on", 2) == 0);
		break;
	default:
		nt_fact_text(s, sc, row->type, name, v);
	}
}

static void feature(struct nt_snapshot *s, struct nt_scope *sc, const char *name,
	const char *v)
{
	bool on = strncmp(v, "on", 2) == 0, fixed = strstr(v, " fixed") != NULL,
	     other = strstr(v, " wanted") != NULL;
	char full[112];

	nt_fact_switch(s, sc, name, on);
	snprintf(full, sizeof full, "%s.fixed", name);
	nt_fact_bool(s, sc, full, fixed);
	snprintf(full, sizeof full, "%s.wanted", name);
	nt_fact_switch(s, sc, full, on != other);
}

static struct nt_snapshot *read_facts(FILE *in)
{
	struct nt_snapshot *s = nt_snapshot_new();
	char line[1024], where[32], name[96], value[800];
	struct nt_scope *sc;

	while (fgets(line, sizeof line, in)) {
		if (sscanf(line, "%31s %95s %799[^\n]", where, name, value) != 3 || *where == '#')
			continue;
		sc = &s->host;
		if (strcmp(where, "host") != 0) {
			sc = nt_snapshot_link(s, where);
			if (!sc)
				sc = nt_snapshot_add_link(s, where);
			sc->interesting = true;
		}
		if (strncmp(name, "feature.", 8) == 0)
			feature(s, sc, name, value);
		else if (strcmp(name, "kernel.release") == 0)
			nt_text_kernel_release(s, value);
		else
			put(s, sc, name, value);
		if (strncmp(name, "rate.", 5) == 0)
			s->interval_s = 1; /* a rate takes two readings */
	}
	nt_snapshot_seal(s);
	nt_derive(s);
	return s;
}

static void show(const struct nt_findings *f)
{
	char to[96];
	size_t i, k;

	for (i = 0; i < f->n; i++) {
		const struct nt_finding *x = &f->v[i];
		const char *sev = nt_name_of(nt_severity_names, x->severity);

		printf("%s %s %s %s\n", sev, nt_name_of(nt_cure_names, x->rule->cure),
			x->rule->id, x->scope->name);
		for (k = 0; k < x->n_changes; k++) {
			nt_fact_format(to, sizeof to, &x->changes[k].to);
			printf("change %s %s %s %s\n", x->changes[k].tunable,
				x->changes[k].scope->name, to, sev);
		}
	}
}

int main(int argc, char **argv)
{
	struct nt_rulebase *rb = nt_rulebase_new();
	struct nt_findings f;
	struct nt_snapshot *s;
	struct nt_err err;
	int goal = argc == 3 ? nt_name_value(nt_goal_names, argv[2]) : -1;

	if (goal < 0 || nt_rulebase_load_dir(rb, argv[1], false, fault, NULL, &err) < 0) {
		fprintf(stderr, "usage: judge RULES GOAL <FACTS\n");
		return 2;
	}
	s = read_facts(stdin);
	nt_judge(rb, s, goal, &f);
	show(&f);
	nt_findings_free(&f);
	nt_snapshot_free(s);
	nt_rulebase_free(rb);
	return 0;
}
