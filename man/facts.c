/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the lists of nettune-facts(7) from the fact catalogue, at build time. */
#include "config.h"

#include <stdio.h>

#include "nettune/fact.h"

/* mdoc text: a hyphen that must stay one when it is copied. */
static void plain(const char *s)
{
	for (; *s; s++)
		if (*s == '-')
			fputs("\\-", stdout);
		else
			putchar(*s);
}

static void row(const struct nt_catalogue_row *r)
{
	const char *unit = nt_unit_info(r->unit)->name;

	printf(".It Ic ");
	plain(r->name);
	printf("\n%s", nt_fact_type_name(r->type));
	if (*unit)
		printf(", %s", unit);
	printf(": %s.\n(", r->meaning);
	plain(r->source);
	printf(")\n");
}

int main(void)
{
	static const struct {
		enum nt_scope_kind scope;
		const char *title;
	} parts[] = {
		{ NT_SCOPE_HOST, "Facts of the host" },
		{ NT_SCOPE_LINK, "Facts of a link" },
		{ NT_SCOPE_PATH, "Facts of a path to a peer" },
	};
	size_t n, i, p;
	const struct nt_catalogue_row *rows = nt_catalogue(&n);

	for (p = 0; p < NT_ARRAY_SIZE(parts); p++) {
		printf(".Ss %s\n.Bl -tag -width Ds\n", parts[p].title);
		for (i = 0; i < n; i++)
			if (rows[i].scope == parts[p].scope)
				row(&rows[i]);
		printf(".El\n");
	}
	return ferror(stdout) || fclose(stdout) != 0;
}
