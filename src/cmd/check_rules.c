/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "modes.h"

#include <stdio.h>
#include <stdlib.h>

#include "nettune/mem.h"
#include "nettune/names.h"
#include "nettune/rule.h"
#include "rules.h"

void nt_tell_rule_fault(void *arg, const char *file, int line, const char *reason)
{
	char shown_file[512], shown[768];

	(void)arg;
	nt_printable(shown_file, sizeof shown_file, file);
	nt_printable(shown, sizeof shown, reason);
	if (line)
		fprintf(stderr, "%s:%d: %s\n", shown_file, line, shown);
	else
		fprintf(stderr, "%s: %s\n", shown_file, shown);
}

/* Load the files named; the worst exit status of any. */
static int load_named(struct nt_rulebase *rb, const struct nt_args *a)
{
	int i, rc, status = NT_EXIT_OK;
	struct nt_err err;

	for (i = 0; i < a->n_operands; i++) {
		rc = nt_rulebase_load(rb, a->operands[i], false, nt_tell_rule_fault, NULL, &err);
		if (rc < 0) {
			nt_complain(&err);
			status = NT_EXIT_USAGE;
		} else if (rc > 0 && status == NT_EXIT_OK) {
			status = NT_EXIT_FAILED;
		}
	}
	return status;
}

static int load_default(struct nt_rulebase *rb)
{
	struct nt_err err;
	int rc = nt_rulebase_load_default(rb, nt_tell_rule_fault, NULL, &err);

	if (rc < 0)
		nt_complain(&err);
	return rc ? NT_EXIT_FAILED : NT_EXIT_OK;
}

/* Kernels differ: no reason to leave the rule out. */
static void tell_doubt(void *arg, const char *file, int line, const char *reason)
{
	char *warning = nt_asprintf("warning: %s", reason);

	nt_tell_rule_fault(arg, file, line, warning);
	free(warning);
}

int nt_cmd_check_rules(const struct nt_args *a)
{
	struct nt_rulebase *rb = nt_rulebase_new();
	int status;

	rb->doubt = tell_doubt;
	status = a->n_operands ? load_named(rb, a) : load_default(rb);
	if (nt_rulebase_check(rb, nt_tell_rule_fault, NULL) > 0 && status == NT_EXIT_OK)
		status = NT_EXIT_FAILED;
	if (status == NT_EXIT_OK)
		printf("%zu rule%s, all examples hold\n", rb->n, rb->n == 1 ? "" : "s");
	nt_rulebase_free(rb);
	return status;
}
