/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "modes.h"

#include <stddef.h>

const struct nt_cmd nt_cmds[] = {
	{ .name = "", .summary = "", .run = nt_cmd_interactive },
	{ .name = "list-facts", .summary = "the fact catalogue",
		.run = nt_cmd_list_facts },
	{ .run = NULL },
};
