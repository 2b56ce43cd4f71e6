/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which names of the catalogue's families there are, as far as that can be known. */
#include "config.h"

#include "nettune/fact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nettune/mem.h"
#include "nettune/names.h"
#include "nettune/sys.h"

/* Families whose names are this program's own. */
static const char *const own[] = { "channels.", "coalesce.", "eee.", "fec.", "link.", "path.",
	"pause.", "probe.", "ring.", "stats64.", "tcp." };

static bool is_own(const char *name)
{
	size_t i;

	for (i = 0; i < NT_ARRAY_SIZE(own); i++)
		if (strncmp(name, own[i], strlen(own[i])) == 0)
			return true;
	return false;
}

static bool is_link_stat(const char *name)
{
	char stat[64];
	unsigned i;

	for (i = 0; nt_link_stat_name(i); i++) {
		snprintf(stat, sizeof stat, "stats64.%s", nt_link_stat_name(i));
		if (nt_glob(name, stat))
			return true;
	}
	return false;
}

bool nt_catalogue_made(const char *name)
{
	const struct nt_catalogue_row *row = nt_catalogue_find(name), *rows;
	size_t n, i;

	if (!row || !strchr(row->name, '*'))
		return row;
	/* a rate is of something that there is */
	if (strncmp(name, "rate.", 5) == 0)
		return nt_catalogue_made(name + 5);
	if (!is_own(name))
		return true;
	rows = nt_catalogue(&n);
	for (i = 0; i < n; i++)
		if (!strchr(rows[i].name, '*') && nt_glob(name, rows[i].name))
			return true;
	return nt_eth_made(name) || is_link_stat(name);
}

static const char *const known_sysctls[] = {
#include "sysctl_known.inc"
};

static int by_text(const void *key, const void *el)
{
	return strcmp(key, *(const char *const *)el);
}

bool nt_sysctl_known(const char *name)
{
	static const char *const parts[] = { ".min", ".default", ".max" };
	size_t len = strlen(name), dir, i;
	const char *last;
	char key[128];

	if (strncmp(name, "sysctl.net.", 11) != 0)
		return true;
	for (i = 0; i < NT_ARRAY_SIZE(parts); i++)
		if (len > 11 + strlen(parts[i]) && strcmp(name + len - strlen(parts[i]), parts[i]) == 0) {
			len -= strlen(parts[i]);
			break;
		}
	name += 11;
	len -= 11;
	dir = strcspn(name, ".");
	for (last = name + len; last > name && last[-1] != '.'; last--)
		;
	snprintf(key, sizeof key, "%.*s/%.*s", (int)dir, name, (int)(name + len - last), last);
	return bsearch(key, known_sysctls, NT_ARRAY_SIZE(known_sysctls), sizeof *known_sysctls,
		by_text);
}
