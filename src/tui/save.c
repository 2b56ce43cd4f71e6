/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "save.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app.h"
#include "nettune/output.h"

static int save_new(
	const char *file, nt_save_fn *fn, const void *what, struct nt_err *err)
{
	FILE *f = fopen(file, "wxe");
	int rc;

	if (!f && errno == EEXIST)
		return nt_err_set(err, -EEXIST, "'%s' exists already", file);
	if (!f)
		return nt_err_sys(err, -errno, "cannot write '%s'", file);
	rc = fn(what, f);
	if (fclose(f) != 0 && rc == 0)
		rc = -errno;
	if (rc) {
		remove(file);
		return nt_err_sys(err, rc, "cannot write '%s'", file);
	}
	return 0;
}

int nt_save(const char *file, bool replace, nt_save_fn *fn, const void *what,
	struct nt_err *err)
{
	struct nt_output o;
	struct stat st;
	int rc;

	/* a pipe or a device could hold the screens up for as long as it likes */
	if (stat(file, &st) == 0 && !S_ISREG(st.st_mode))
		return nt_err_set(err, -EINVAL, "'%s' is no regular file", file);
	if (!replace)
		return save_new(file, fn, what, err);
	rc = nt_output_open(&o, file, err);
	if (rc == 0)
		rc = nt_output_commit(&o, fn(what, o.f), err);
	nt_output_abort(&o);
	return rc;
}

static bool may_replace(struct nt_app *app)
{
	char *answer = nt_app_prompt(app, "that file exists. Replace? yes or no", NULL);
	bool yes = answer && (strcmp(answer, "yes") == 0 || strcmp(answer, "y") == 0);

	free(answer);
	return yes;
}

char *nt_app_save(struct nt_app *app, const char *question, const char *name,
	nt_save_fn *fn, const void *what)
{
	char *file = nt_app_prompt(app, question, name);
	struct nt_err err = { 0 };
	int rc;

	if (file && *file) {
		rc = nt_save(file, false, fn, what, &err);
		if (rc == -EEXIST && may_replace(app))
			rc = nt_save(file, true, fn, what, &err);
		if (rc == 0)
			return file;
		nt_app_say(app, rc == -EEXIST ? "not written: %s" : "%s", err.msg);
	}
	free(file);
	return NULL;
}
