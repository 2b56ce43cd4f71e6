/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/fact.h"

#include <string.h>

#include "nettune/names.h"

static const struct nt_catalogue_row rows[] = {
	{ "kernel.release", NT_FACT_TEXT, NT_UNIT_NONE, NT_SCOPE_HOST, "uname",
		"the running kernel's whole release" },
};

const struct nt_catalogue_row *nt_catalogue(size_t *ret_n)
{
	*ret_n = NT_ARRAY_SIZE(rows);
	return rows;
}

const struct nt_catalogue_row *nt_catalogue_find(const char *name)
{
	size_t i;

	for (i = 0; i < NT_ARRAY_SIZE(rows); i++)
		if (nt_glob(rows[i].name, name))
			return &rows[i];
	return NULL;
}
