/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "modes.h"

#include <stddef.h>

static const struct nt_opt list_rules_opts[] = {
	{ "json", NT_ARG_NONE, NULL, "as JSON" },
	{ NULL, NT_ARG_NONE, NULL, NULL },
};

const struct nt_cmd nt_cmds[] = {
	{ .name = "", .summary = "", .run = nt_cmd_interactive },
	{ .name = "report", .arg = NT_ARG_OPTIONAL, .metavar = "FORMAT", .opts = nt_report_opts,
		.operands = "[LINK...]", .max_operands = -1,
		.summary = "what is wrong, why, what to do",
		.run = nt_cmd_report },
	{ .name = "list-facts", .summary = "the fact catalogue",
		.run = nt_cmd_list_facts },
	{ .name = "list-rules", .opts = list_rules_opts, .summary = "the rule base",
		.run = nt_cmd_list_rules },
	{ .name = "check-rules", .operands = "[FILE...]", .max_operands = -1,
		.summary = "load rules and run their examples", .run = nt_cmd_check_rules },
	{ .run = NULL },
};
