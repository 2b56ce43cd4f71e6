/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "modes.h"

#include <stdio.h>

#include "nettune/fact.h"

int nt_cmd_list_facts(const struct nt_args *a)
{
	static const char *const scopes[] = { "host", "link", "path" };
	size_t n, i;
	const struct nt_catalogue_row *rows = nt_catalogue(&n);

	(void)a;
	for (i = 0; i < n; i++)
		printf("%-40s %-5s %-8s %s\n", rows[i].name, scopes[rows[i].scope],
			nt_unit_info(rows[i].unit)->name, rows[i].meaning);
	return NT_EXIT_OK;
}
