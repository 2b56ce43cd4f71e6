/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "cmd.h"

#include <stdio.h>
#include <string.h>

static void usage_line(const struct nt_cmd *c)
{
	char head[64] = "";

	if (*c->name)
		snprintf(head, sizeof head, "--%s%s%s%s%s", c->name,
			c->arg == NT_ARG_OPTIONAL ? "[=" : "", c->arg == NT_ARG_REQUIRED ? " " : "",
			c->metavar ? c->metavar : "", c->arg == NT_ARG_OPTIONAL ? "]" : "");
	if (c->operands) {
		size_t len = strlen(head);

		snprintf(head + len, sizeof head - len, "%s%s", len ? " " : "", c->operands);
	}
	printf("  nettune %-30s %s\n", head, c->summary);
}

void nt_print_help(const struct nt_cmd *cmd)
{
	const struct nt_cmd *c;
	const struct nt_opt *o;
	char head[64];

	if (!*cmd->name) {
		puts("nettune tunes a Linux host's networking: see the signal, explain it, change it\n"
		     "safely, measure that it helped, keep or undo it.\n");
		for (c = nt_cmds; c->run; c++)
			usage_line(c);
		puts("\nnettune --MODE --help lists a mode's options; nettune(8) says it all.");
		return;
	}
	usage_line(cmd);
	for (o = cmd->opts; o && o->name; o++) {
		snprintf(head, sizeof head, "--%s%s%s%s", o->name,
			o->arg == NT_ARG_NONE ? "" : o->arg == NT_ARG_OPTIONAL ? "[=" : " ",
			o->metavar ? o->metavar : "", o->arg == NT_ARG_OPTIONAL ? "]" : "");
		printf("    %-24s %s\n", head, o->help);
	}
	puts("    --color[=WHEN]           always, never or auto");
}
