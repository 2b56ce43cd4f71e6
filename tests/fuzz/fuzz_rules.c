/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A rule file of any bytes: loaded, its examples run, judged on an empty snapshot. */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "nettune/rule.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count(void *arg, const char *file, int line, const char *reason)
{
	if (strcmp(file, "fuzz") != 0 || line < 1 || !*reason)
		abort();
	++*(int *)arg;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nt_rulebase *rb = nt_rulebase_new();
	struct nt_snapshot *s = nt_snapshot_new();
	struct nt_findings f;
	struct nt_err err;
	int told = 0, rc;

	nt_snapshot_add_link(s, "link0")->interesting = true;
	nt_snapshot_seal(s);
	rc = nt_rulebase_load_text(rb, "fuzz", (const char *)data, size, false, count, &told,
		&err);
	if (rc != told)
		abort();
	rc = nt_rulebase_check(rb, count, &told);
	nt_judge(rb, s, NT_GOAL_BALANCED, &f);
	nt_findings_free(&f);
	nt_rulebase_free(rb);
	nt_snapshot_free(s);
	return 0;
}
