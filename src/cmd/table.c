/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stddef.h>

#include "look.h"
#include "modes.h"

static const struct nt_opt interactive_opts[] = {
	NT_LOOK_OPTS,
	{ NULL, NT_ARG_NONE, NULL, NULL },
};

static const struct nt_opt list_opts[] = {
	{ "json", NT_ARG_NONE, NULL, "as JSON" },
	{ NULL, NT_ARG_NONE, NULL, NULL },
};

static const struct nt_opt patches_opts[] = {
	{ "all", NT_ARG_NONE, NULL, "also those that do not concern this host" },
	{ "json", NT_ARG_NONE, NULL, "as JSON" },
	{ NULL, NT_ARG_NONE, NULL, NULL },
};

static const struct nt_opt patch_opts[] = {
	{ "tree", NT_ARG_REQUIRED, "DIR", "the kernel's source tree" },
	{ "output", NT_ARG_REQUIRED, "FILE", "write the mails for git am there" },
	{ "write", NT_ARG_NONE, NULL, "change the tree, where its files are clean" },
	{ NULL, NT_ARG_NONE, NULL, NULL },
};

const struct nt_cmd nt_cmds[] = {
	{ .name = "", .opts = interactive_opts, .operands = "[LINK...]", .max_operands = -1,
		.summary = "the screens", .run = nt_cmd_interactive },
	{ .name = "report", .arg = NT_ARG_OPTIONAL, .metavar = "FORMAT", .opts = nt_report_opts,
		.operands = "[LINK...]", .max_operands = -1,
		.summary = "what is wrong, why, what to do",
		.run = nt_cmd_report },
	{ .name = "probe", .arg = NT_ARG_REQUIRED, .metavar = "HOST", .opts = nt_probe_cli_opts,
		.summary = "transfers that say where the limit is", .run = nt_cmd_probe },
	{ .name = "serve", .opts = nt_serve_cli_opts, .summary = "the other end of --probe",
		.run = nt_cmd_serve },
	{ .name = "apply", .opts = nt_apply_opts_table, .operands = "[LINK...]",
		.max_operands = -1, .summary = "make the changes it proposes, safely",
		.run = nt_cmd_apply },
	{ .name = "keep", .summary = "keep what --confirm would undo", .run = nt_cmd_keep },
	{ .name = "rollback", .opts = nt_rollback_opts, .operands = "[ID]", .max_operands = 1,
		.summary = "undo the newest change set, or ID", .run = nt_cmd_rollback },
	{ .name = "history", .opts = list_opts, .summary = "the change sets made here",
		.run = nt_cmd_history },
	{ .name = "lab", .operands = "[SCENARIO]", .max_operands = 1,
		.summary = "practise on a throw-away link", .run = nt_cmd_lab },
	{ .name = "list-tunables", .opts = list_opts,
		.summary = "what can be changed", .run = nt_cmd_list_tunables },
	{ .name = "list-facts", .opts = list_opts, .summary = "the fact catalogue",
		.run = nt_cmd_list_facts },
	{ .name = "list-rules", .opts = list_opts, .summary = "the rule base",
		.run = nt_cmd_list_rules },
	{ .name = "check-rules", .operands = "[FILE...]", .max_operands = -1,
		.summary = "load rules and run their examples", .run = nt_cmd_check_rules },
	{ .name = "patches", .opts = patches_opts, .summary = "kernel faults this host has",
		.run = nt_cmd_patches },
	{ .name = "patch", .arg = NT_ARG_REQUIRED, .metavar = "ID,...", .opts = patch_opts,
		.summary = "patch a kernel tree (Coccinelle)", .run = nt_cmd_patch },
	{ .run = NULL },
};
