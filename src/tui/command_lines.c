/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "command_lines.h"

#include <stdio.h>

struct to_lines {
	struct nt_lines *l;
	int width;
	const struct nt_finding *f;
	bool listed;
};

static void change_line(const struct to_lines *t, const struct nt_change *c, bool first)
{
	const char *link = t->listed ? "" : c->scope->name;
	char from[64], to[64];

	nt_fact_format(from, sizeof from, &c->from);
	nt_fact_format(to, sizeof to, &c->to);
	nt_lines_addf(t->l, t->width, NT_ROLE_TEXT, first && !t->listed ? "do" : NULL,
		"%s%s%s%s%s %s %s %s", t->listed ? "    " : "", link, *link ? " " : "",
		c->tunable, t->listed ? "" : ":", from, nt_term_pick("→", "->"), to);
}

static void command(void *arg, const char *line, size_t first, size_t n)
{
	const struct to_lines *t = arg;
	size_t i;

	for (i = first; i < first + n; i++)
		change_line(t, &t->f->changes[i], i == 0);
	nt_lines_addf(t->l, t->width, NT_ROLE_STRONG, NULL, "%s%s", t->listed ? "    " : "", line);
}

void nt_command_lines(struct nt_lines *l, int width, const struct nt_findings *all,
	const struct nt_finding *f, const struct nt_snapshot *s, bool listed)
{
	struct to_lines t = { l, width, f, listed };

	nt_finding_commands(all, f, s, command, &t);
}
