/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/rule.h"

#include "nettune/mem.h"
#include "nettune/names.h"

bool nt_seen_telling(const struct nt_seen *seen)
{
	static const char *const guards[] = { "*.fixed", "*.wanted", "*link.sound",
		"driver.enables.*" };
	const struct nt_fact *f = seen->fact;
	size_t i;

	if (f->type >= NT_FACT_TEXT && f->type <= NT_FACT_LIST && !*f->v.s)
		return false;
	for (i = 0; i < NT_ARRAY_SIZE(guards); i++)
		if (nt_glob(guards[i], seen->name))
			return false;
	return true;
}
