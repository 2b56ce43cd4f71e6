/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "modes.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "interrupt.h"
#include "nettune/jsonw.h"
#include "nettune/probe.h"
#include "nettune/sys.h"
#include "probe_args.h"
#include "probe_print.h"

static int show(const struct nt_probe_result *r, bool json)
{
	struct nt_jsonw w;

	if (!json) {
		nt_probe_print(stdout, nt_columns(), r);
		return 0;
	}
	nt_jsonw_init(&w, stdout, 6);
	nt_probe_json(r, &w, NULL);
	return nt_jsonw_finish(&w);
}

static bool failed(const struct nt_probe_result *r)
{
	unsigned i;

	for (i = 0; i < r->n_tests; i++)
		if (*r->tests[i].error)
			return true;
	return false;
}

int nt_cmd_probe(const struct nt_args *a)
{
	struct nt_probe_result *r = NULL;
	struct nt_probe_opts o;
	struct nt_err err = { 0 };
	struct nt_sys *sys;
	unsigned i;
	int rc = nt_arg_probe(a, &o);

	if (rc)
		return rc;
	o.host = a->mode_value;
	nt_interrupt_catch();
	sys = nt_sys_live(0, NULL);
	rc = nt_probe_run(sys, &o, isatty(STDERR_FILENO) ? nt_probe_tell : NULL, NULL,
		nt_interrupted(), &r, &err);
	nt_sys_free(sys);
	if (rc) {
		nt_complain(&err);
		return rc == -EINVAL ? NT_EXIT_USAGE : NT_EXIT_FAILED;
	}
	for (i = 0; i < r->n_tests; i++)
		if (*r->tests[i].error)
			nt_warn("%s: %s", nt_name_of(nt_probe_test_names, r->tests[i].test),
				r->tests[i].error);
	rc = failed(r) || !nt_probe_measured(r) ? NT_EXIT_FAILED : NT_EXIT_OK;
	rc = nt_printed(show(r, nt_args_has(a, "json")), rc);
	nt_probe_result_free(r);
	return rc;
}
