/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/fact.h"

#include <string.h>

#include "nettune/names.h"

static const struct nt_catalogue_row rows[] = {
#include "catalogue_exact.inc"
#include "catalogue_exact_s.inc"
#include "catalogue_families.inc"
};

enum {
	N_EXACT = sizeof((const struct nt_catalogue_row[]){
#include "catalogue_exact.inc"
#include "catalogue_exact_s.inc"
		  }) / sizeof(struct nt_catalogue_row)
};

const struct nt_catalogue_row *nt_catalogue(size_t *ret_n)
{
	*ret_n = NT_ARRAY_SIZE(rows);
	return rows;
}

const struct nt_catalogue_row *nt_catalogue_exact(size_t *ret_n)
{
	*ret_n = N_EXACT;
	return rows;
}

static int by_name(const void *name, const void *row)
{
	return strcmp(name, ((const struct nt_catalogue_row *)row)->name);
}

const struct nt_catalogue_row *nt_catalogue_find(const char *name)
{
	const struct nt_catalogue_row *row;
	size_t i;

	row = bsearch(name, rows, N_EXACT, sizeof *rows, by_name);
	for (i = N_EXACT; !row && i < NT_ARRAY_SIZE(rows); i++)
		if (nt_glob(rows[i].name, name))
			row = &rows[i];
	return row;
}
