/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "modes.h"

#include <stdio.h>

#include "nettune/jsonw.h"
#include "nettune/tunable.h"

static const char *scope_of(const struct nt_tunable *t)
{
	return t->scope == NT_SCOPE_LINK ? "link" : "host";
}

static int print_json(const struct nt_tunable *v, size_t n)
{
	struct nt_jsonw w;
	size_t i;

	nt_jsonw_init(&w, stdout, 1);
	nt_jsonw_array(&w, NULL);
	for (i = 0; i < n; i++) {
		nt_jsonw_object(&w, NULL);
		nt_jsonw_str(&w, "tunable", v[i].name);
		nt_jsonw_str(&w, "kind", nt_name_of(nt_tunable_kind_names, v[i].kind));
		nt_jsonw_str(&w, "scope", scope_of(&v[i]));
		nt_jsonw_bool(&w, "global", v[i].global);
		nt_jsonw_str(&w, "risk", nt_name_of(nt_risk_names, v[i].risk));
		nt_jsonw_str(&w, "unit", nt_unit_info(v[i].unit)->name);
		if (v[i].min <= v[i].max) {
			nt_jsonw_real(&w, "min", v[i].min);
			nt_jsonw_real(&w, "max", v[i].max);
		} else {
			nt_jsonw_null(&w, "min");
			nt_jsonw_null(&w, "max");
		}
		nt_jsonw_str(&w, "max_fact", v[i].max_fact);
		nt_jsonw_str(&w, "summary", v[i].summary);
		nt_jsonw_end(&w);
	}
	nt_jsonw_end(&w);
	return nt_jsonw_finish(&w);
}

int nt_cmd_list_tunables(const struct nt_args *a)
{
	size_t n, i;
	const struct nt_tunable *v = nt_tunables(&n);

	if (nt_args_has(a, "json"))
		return nt_printed(print_json(v, n), NT_EXIT_OK);
	for (i = 0; i < n; i++)
		printf("%-42s %-12s %-4s %-9s %-7s %-7s %s\n", v[i].name,
			nt_name_of(nt_tunable_kind_names, v[i].kind), scope_of(&v[i]),
			v[i].global ? "global" : "namespace", nt_name_of(nt_risk_names, v[i].risk),
			nt_unit_info(v[i].unit)->name, v[i].summary);
	return NT_EXIT_OK;
}
