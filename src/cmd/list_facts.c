/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "modes.h"

#include <stdio.h>

#include "nettune/fact.h"
#include "nettune/jsonw.h"
#include "nettune/names.h"

static const struct nt_name scopes[] = {
	{ "host", NT_SCOPE_HOST }, { "link", NT_SCOPE_LINK }, { "path", NT_SCOPE_PATH },
	{ NULL, 0 },
};

static int list_json(const struct nt_catalogue_row *rows, size_t n)
{
	struct nt_jsonw w;
	size_t i;

	nt_jsonw_begin(&w, stdout, 2, "nettune-facts/1");
	nt_jsonw_array(&w, "facts");
	for (i = 0; i < n; i++) {
		nt_jsonw_object(&w, NULL);
		nt_jsonw_str(&w, "name", rows[i].name);
		nt_jsonw_str(&w, "type", nt_fact_type_name(rows[i].type));
		nt_jsonw_str(&w, "unit", nt_unit_info(rows[i].unit)->name);
		nt_jsonw_str(&w, "scope", nt_name_of(scopes, rows[i].scope));
		nt_jsonw_str(&w, "source", rows[i].source);
		nt_jsonw_str(&w, "meaning", rows[i].meaning);
		nt_jsonw_end(&w);
	}
	nt_jsonw_end(&w);
	nt_jsonw_end(&w);
	return nt_printed(nt_jsonw_finish(&w), NT_EXIT_OK);
}

int nt_cmd_list_facts(const struct nt_args *a)
{
	size_t n, i;
	const struct nt_catalogue_row *rows = nt_catalogue(&n);

	if (nt_args_has(a, "json"))
		return list_json(rows, n);
	for (i = 0; i < n; i++)
		printf("%-42s %-4s %-7s %-7s %s\n", rows[i].name,
			nt_name_of(scopes, rows[i].scope), nt_fact_type_name(rows[i].type),
			nt_unit_info(rows[i].unit)->name, rows[i].meaning);
	return NT_EXIT_OK;
}
