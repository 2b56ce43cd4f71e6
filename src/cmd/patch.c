/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "modes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nettune/buf.h"
#include "nettune/output.h"
#include "patch_load.h"

/* Notes wait for success: what fails is one clear line. */
static void note(void *arg, const char *line)
{
	nt_buf_addf(arg, "%s\n", line);
}

static void tell_notes(const struct nt_buf *notes)
{
	const char *s, *end;

	for (s = nt_buf_str(notes); *s; s = end + 1) {
		end = s + strcspn(s, "\n");
		nt_warn("%.*s", (int)(end - s), s);
	}
}

static int print_mail(const struct nt_patch_run *run, const char *path)
{
	struct nt_buf mail = { 0 };
	struct nt_err err = { 0 };
	struct nt_output out;
	int rc;

	nt_patch_run_mail(run, time(NULL), &mail);
	rc = nt_output_open(&out, path, &err);
	if (rc == 0) {
		if (fwrite(nt_buf_str(&mail), 1, mail.len, out.f) != mail.len)
			rc = -errno;
		rc = nt_output_commit(&out, rc, &err);
		nt_output_abort(&out);
	}
	nt_buf_free(&mail);
	if (rc != 0)
		nt_complain(&err);
	return rc == 0 ? NT_EXIT_OK : NT_EXIT_FAILED;
}

static int write_tree(struct nt_patch_run *run, struct nt_buf *notes)
{
	struct nt_err err = { 0 };
	size_t i;

	if (nt_patch_run_write(run, note, notes, &err) != 0) {
		nt_complain(&err);
		return NT_EXIT_FAILED;
	}
	for (i = 0; i < run->n_changes; i++)
		printf("%s applied\n", run->changes[i].patch->id);
	return NT_EXIT_OK;
}

/* What comes along unasked. */
static void note_added(
	const struct nt_patch *const *order, char *const *ids, struct nt_buf *notes)
{
	size_t i, k;

	for (i = 0; order[i]; i++) {
		for (k = 0; ids[k] && strcmp(ids[k], order[i]->id) != 0; k++)
			;
		if (!ids[k])
			nt_buf_addf(notes,
				"'%s' comes along: it belongs beside what was asked "
				"for\n",
				order[i]->id);
	}
}

static int apply(const struct nt_args *a, const struct nt_patch *const *order,
	struct nt_buf *notes)
{
	struct nt_err err = { 0 };
	struct nt_patch_run run;
	int status = NT_EXIT_OK;

	if (nt_patch_run_open(&run, nt_args_get(a, "tree"), &err) != 0 ||
		nt_patch_run_apply(&run, order, note, notes, &err) != 0) {
		nt_complain(&err);
		status = NT_EXIT_FAILED;
	} else if (run.n_changes && nt_args_has(a, "write")) {
		status = write_tree(&run, notes);
	} else if (run.n_changes) {
		status = print_mail(&run, nt_args_get(a, "output"));
	}
	if (status == NT_EXIT_OK)
		tell_notes(notes);
	nt_patch_run_free(&run);
	return status;
}

static int check_usage(const struct nt_args *a, char *const *ids)
{
	if (!ids[0])
		nt_warn("--patch needs the id of a patch; nettune --patches --all lists "
			"them");
	else if (!nt_args_has(a, "tree"))
		nt_warn("--patch needs --tree DIR, a kernel's source tree");
	else if (nt_args_has(a, "write") && nt_args_has(a, "output"))
		nt_warn("--write and --output exclude each other");
	else
		return NT_EXIT_OK;
	return NT_EXIT_USAGE;
}

int nt_cmd_patch(const struct nt_args *a)
{
	char **ids = nt_split_list(a->mode_value);
	const struct nt_patch **order = NULL;
	struct nt_patches patches = { 0 };
	struct nt_buf notes = { 0 };
	struct nt_err err = { 0 };
	int status = check_usage(a, ids);

	if (status == NT_EXIT_OK)
		status = nt_cmd_load_patches(&patches);
	if (status == NT_EXIT_OK) {
		order = nt_patches_order(&patches, ids, &err);
		if (order) {
			note_added(order, ids, &notes);
			status = apply(a, order, &notes);
		} else {
			nt_complain(&err);
			status = NT_EXIT_USAGE;
		}
	}
	nt_buf_free(&notes);
	free(order);
	nt_patches_free(&patches);
	nt_list_free(ids);
	return status;
}
