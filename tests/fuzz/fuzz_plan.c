/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A plan of any bytes: read strictly, and what was accepted can be written and read again. */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nettune/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void one_command(void *arg, const char *line)
{
	(void)arg;
	if (!*line)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nt_plan p, again;
	struct nt_err err = { 0 };
	char *text = NULL;
	size_t len = 0, i;
	FILE *out;

	if (nt_plan_read((const char *)data, size, &p, &err) < 0) {
		if (!*err.msg || p.n)
			abort();
		return 0;
	}
	for (i = 0; i < p.n; i++)
		if (!p.v[i].row || (p.v[i].row->scope == NT_SCOPE_LINK) != (*p.v[i].link != '\0'))
			abort();
	out = open_memstream(&text, &len);
	if (!out || nt_plan_write(&p, NULL, out) < 0)
		abort();
	fclose(out);
	nt_plan_commands(&p, NULL, one_command, NULL);
	if (nt_plan_read(text, len, &again, &err) < 0 || again.n != p.n)
		abort();
	free(text);
	nt_plan_free(&again);
	nt_plan_free(&p);
	return 0;
}
