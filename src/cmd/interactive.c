/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "modes.h"

int nt_cmd_interactive(const struct nt_args *a)
{
	(void)a;
	nt_warn("say what to do: nettune --report for a report, nettune --help for all");
	return NT_EXIT_USAGE;
}
