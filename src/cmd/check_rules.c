/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "modes.h"

#include <stdio.h>

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

/* The files named, or all that are shipped and the user's; faults, or -errno told. */
static int load(struct nt_rulebase *rb, const struct nt_args *a)
{
	struct nt_err err;
	int i, rc, faults = 0;

	if (!a->n_operands) {
		rc = nt_rulebase_load_default(rb, nt_tell_rule_fault, NULL, &err);
		if (rc < 0)
			nt_complain(&err);
		return rc;
	}
	for (i = 0; i < a->n_operands; i++) {
		rc = nt_rulebase_load(rb, a->operands[i], false, nt_tell_rule_fault, NULL, &err);
		if (rc < 0)
			nt_complain(&err);
		faults += rc < 0 ? 1 : rc;
	}
	return faults;
}

int nt_cmd_check_rules(const struct nt_args *a)
{
	struct nt_rulebase *rb = nt_rulebase_new();
	int faults = load(rb, a);
	size_t n;

	if (faults >= 0)
		faults += nt_rulebase_check(rb, nt_tell_rule_fault, NULL);
	n = rb->n;
	nt_rulebase_free(rb);
	if (faults)
		return NT_EXIT_FAILED;
	printf("%zu rule%s, all examples hold\n", n, n == 1 ? "" : "s");
	return NT_EXIT_OK;
}
