/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "cmd.h"

#include <stdio.h>
#include <string.h>

/* "--report[=FORMAT] [LINK...]" and what it is for. */
static void usage_line(const struct nt_cmd *c)
{
	const char *open = c->arg == NT_ARG_OPTIONAL ? "[=" : c->metavar ? " " : "";
	char head[64];

	snprintf(head, sizeof head, "%s%s%s%s%s%s%s", *c->name ? "--" : "", c->name, open,
		c->metavar ? c->metavar : "", c->arg == NT_ARG_OPTIONAL ? "]" : "",
		*c->name && c->operands ? " " : "", c->operands ? c->operands : "");
	printf("  nettune %-28s %s\n", head, c->summary);
}

static void option_line(const struct nt_opt *o)
{
	const char *open = o->arg == NT_ARG_OPTIONAL ? "[=" : o->metavar ? " " : "";
	char head[64];

	snprintf(head, sizeof head, "--%s%s%s%s", o->name, open, o->metavar ? o->metavar : "",
		o->arg == NT_ARG_OPTIONAL ? "]" : "");
	printf("    %-24s %s\n", head, o->help);
}

void nt_print_help(const struct nt_cmd *cmd)
{
	const struct nt_cmd *c;
	const struct nt_opt *o;

	if (!*cmd->name) {
		puts("nettune tunes a Linux host's networking: look, explain, change, prove,"
		     " undo.\n");
		for (c = nt_cmds; c->run; c++)
			if (*c->summary)
				usage_line(c);
		puts("\nnettune --MODE --help lists a mode's options; nettune(8) says it all.");
		return;
	}
	usage_line(cmd);
	for (o = cmd->opts; o && o->name; o++)
		option_line(o);
	puts("    --color[=WHEN]           always, never or auto");
}
