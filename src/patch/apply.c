/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/patch.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run.h"
#include "tree.h"

struct work {
	struct nt_patch_run *run;
	const struct nt_patch *const *patches;
	struct nt_guard guard;
	char *dir; /* holds copies of the files, as in the tree */
	nt_patch_note_fn *note;
	void *arg;
	struct nt_err *err;
};

static void note(struct work *w, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static void note(struct work *w, const char *fmt, ...)
{
	char line[400];
	va_list ap;

	if (!w->note)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	w->note(w->arg, line);
}

static int outcome(struct work *w, enum nt_patch_outcome o, int rc)
{
	w->run->outcome = o;
	return rc;
}

/* The file among those of the run, read and copied when it is new. */
static int take_file(
	struct work *w, const struct nt_patch *p, const char *alternatives, size_t *ret)
{
	struct nt_patch_run *run = w->run;
	char *path = nt_tree_find(run->tree, alternatives);
	struct nt_patch_file *f;
	int rc;

	if (!path)
		return nt_err_set(w->err, -ENOENT,
			"the tree (Linux %s) has no '%.*s', which '%s' changes",
			run->version_text, (int)strcspn(alternatives, "|"), alternatives,
			p->id);
	for (*ret = 0; *ret < run->n_files; (*ret)++) {
		if (strcmp(run->files[*ret].path, path) == 0) {
			free(path);
			return 0;
		}
	}
	NT_GROW(run->files, run->n_files, run->cap_files);
	f = &run->files[run->n_files++];
	memset(f, 0, sizeof *f);
	f->path = path;
	rc = nt_read_below(run->tree, path, &f->old, w->err);
	if (rc != 0)
		return rc;
	nt_buf_add(&f->now, nt_buf_str(&f->old), f->old.len);
	return nt_write_below(w->dir, path, &f->now, w->err);
}

/* spatch [-D look -D RULE] or --in-place on one file. */
static int spatch(struct work *w, const struct nt_patch *p, const char *path,
	const char *rule, struct nt_ran *ran)
{
	/* absolute, for it runs in another folder */
	char *cocci = realpath(p->cocci, NULL), words[200];
	const char *argv[12] = { "spatch", "--very-quiet", "--no-includes", "--sp-file",
		cocci };
	int n = 5, rc;

	memset(ran, 0, sizeof *ran);
	if (!cocci)
		return nt_err_sys(w->err, -errno, "cannot read '%s'", p->cocci);
	if (rule) {
		argv[n++] = "-D";
		argv[n++] = "look";
		argv[n++] = "-D";
		argv[n++] = rule;
	} else {
		argv[n++] = "--in-place";
	}
	argv[n++] = path;
	argv[n] = NULL;
	rc = nt_run(argv, w->dir, w->dir, &w->guard, ran, w->err);
	free(cocci);
	if (rc == -ENOENT) {
		nt_err_set(w->err, rc,
			"spatch is not installed: it is in the package coccinelle "
			"(apt-get install coccinelle, dnf install coccinelle)");
		return outcome(w, NT_PATCH_NO_SPATCH, rc);
	}
	if (rc != 0)
		return outcome(w, NT_PATCH_FAILED, rc);
	nt_ran_words(ran, words, sizeof words);
	if (ran->status != 0 || *words) {
		nt_err_set(w->err, -EIO,
			"spatch failed on '%s' with '%s' (status %d): %s", path, p->id,
			ran->status, *words ? words : "it said nothing");
		return outcome(w, NT_PATCH_FAILED, -EIO);
	}
	return 0;
}

/* 1 where the rule finds something in the file as it is now, 0, or -errno. */
static int look(
	struct work *w, const struct nt_patch *p, const char *path, const char *rule)
{
	struct nt_ran ran;
	int rc = spatch(w, p, path, rule, &ran);

	if (rc == 0)
		rc = ran.out.len > 0;
	nt_ran_free(&ran);
	return rc;
}

static bool same(const struct nt_buf *a, const struct nt_buf *b)
{
	return a->len == b->len && memcmp(nt_buf_str(a), nt_buf_str(b), a->len) == 0;
}

/* A rule of the patch that finds nothing in any of its files; NULL when all find some. */
static int missing_part(struct work *w, const struct nt_patch *p, const size_t *files,
	size_t n, const char **ret)
{
	size_t i, k;
	int found;

	*ret = NULL;
	for (i = 0; p->parts[i]; i++) {
		for (k = 0, found = 0; k < n && found == 0; k++)
			found = look(w, p, w->run->files[files[k]].path, p->parts[i]);
		if (found < 0)
			return found;
		if (!found) {
			*ret = p->parts[i];
			return 0;
		}
	}
	return 0;
}

/* The tried version nearest to v: series first. */
static const struct nt_version *nearest(
	const struct nt_patch *p, const struct nt_version *v)
{
	const struct nt_version *best = NULL;
	double distance, least = 0;
	size_t i;

	for (i = 0; i < p->n_fits; i++) {
		const int *a = p->fits[i].part, *b = v->part;

		distance =
			fabs((a[0] - b[0]) * 1e6 + (a[1] - b[1]) * 1e3 + (a[2] - b[2]));
		if (!best || distance < least) {
			best = &p->fits[i];
			least = distance;
		}
	}
	return best;
}

/* partly: it changed something, but the result was not the cured form. */
static int no_match(struct work *w, const struct nt_patch *p, const size_t *files,
	size_t n, bool partly)
{
	const struct nt_version *near = nearest(p, &w->run->version);
	char fits[48] = "none", why[120];
	struct nt_patch_verdict verdict;
	const char *part;
	int rc = missing_part(w, p, files, n, &part);

	if (rc != 0)
		return rc;
	nt_patch_judge_version(p, &w->run->version, &verdict);
	if (near)
		nt_version_format(fits, near);
	if (part)
		snprintf(why, sizeof why, "%srule '%s' finds nothing",
			partly ? "it fits only in part, " : "", part);
	else
		snprintf(why, sizeof why, "its rules find code, but not all of it");
	nt_err_set(w->err, -EINVAL,
		"'%s' does not match the tree (Linux %s, %s: %s): %s; nearest version it "
		"is known to fit: %s",
		p->id, w->run->version_text,
		nt_name_of(nt_patch_state_names, verdict.state), verdict.reason, why,
		fits);
	return outcome(w, NT_PATCH_NO_MATCH, -EINVAL);
}

/* Whether it is here for another patch's sake, whatever its own versions say. */
static bool needed_by_another(const struct work *w, const struct nt_patch *p)
{
	size_t i, k;

	for (i = 0; w->patches[i]; i++)
		for (k = 0; w->patches[i]->needs[k]; k++)
			if (strcmp(w->patches[i]->needs[k], p->id) == 0)
				return true;
	return false;
}

static void tell_version(struct work *w, const struct nt_patch *p, bool applies)
{
	struct nt_patch_verdict v;

	nt_patch_judge_version(p, &w->run->version, &v);
	if (!applies)
		note(w, "'%s': the tree (Linux %s) already has it%s%s%s", p->id,
			w->run->version_text,
			v.state == NT_PATCH_NOT_AFFECTED ? " (" : "",
			v.state == NT_PATCH_NOT_AFFECTED ? v.reason : "",
			v.state == NT_PATCH_NOT_AFFECTED ? ")" : "");
	else if (v.state != NT_PATCH_LIKELY && !needed_by_another(w, p))
		note(w, "'%s' applies, though the version of Linux %s says: %s, %s",
			p->id, w->run->version_text,
			nt_name_of(nt_patch_state_names, v.state), v.reason);
}

/* What was before the patch, in the scratch folder, for diff. */
static int add_diff(struct work *w, const struct nt_patch_file *f,
	const struct nt_buf *before, struct nt_buf *diff)
{
	char *a = nt_asprintf("a/%s", f->path), *b = nt_asprintf("b/%s", f->path);
	char *path = f->path;
	const char *const argv[] = { "diff", "-up", "--label", a, "--label", b,
		"nettune-before", path, NULL };
	struct nt_ran ran = { 0 };
	char words[200];
	int rc = nt_write_below(w->dir, "nettune-before", before, w->err);

	if (rc == 0)
		rc = nt_run(argv, w->dir, w->dir, &w->guard, &ran, w->err);
	if (rc == 0 && ran.status != 1) {
		nt_ran_words(&ran, words, sizeof words);
		rc = nt_err_set(
			w->err, -EIO, "diff failed (status %d): %s", ran.status, words);
	}
	if (rc == 0) {
		nt_buf_addf(diff, "diff --git %s %s\n", a, b);
		nt_buf_add(diff, nt_buf_str(&ran.out), ran.out.len);
	}
	nt_ran_free(&ran);
	free(a);
	free(b);
	return rc;
}

/* The files' state before a patch. */
struct before {
	struct nt_buf v[NT_PATCH_FILES_MAX];
};

static int transform(struct work *w, const struct nt_patch *p, const size_t *files,
	size_t n, struct before *before, bool *ret_changed)
{
	struct nt_patch_file *f;
	struct nt_ran ran;
	size_t i;
	int rc;

	*ret_changed = false;
	for (i = 0; i < n; i++) {
		f = &w->run->files[files[i]];
		nt_buf_add(&before->v[i], nt_buf_str(&f->now), f->now.len);
		rc = spatch(w, p, f->path, NULL, &ran);
		nt_ran_free(&ran);
		if (rc == 0)
			rc = nt_read_below(w->dir, f->path, &f->now, w->err);
		if (rc != 0)
			return rc;
		if (!same(&f->now, &before->v[i]))
			*ret_changed = true;
	}
	return 0;
}

static int put_back(
	struct work *w, const size_t *files, size_t n, const struct before *before)
{
	struct nt_patch_file *f;
	int rc = 0;
	size_t i;

	for (i = 0; i < n && rc == 0; i++) {
		f = &w->run->files[files[i]];
		nt_buf_cut(&f->now, 0);
		nt_buf_add(&f->now, nt_buf_str(&before->v[i]), before->v[i].len);
		rc = nt_write_below(w->dir, f->path, &f->now, w->err);
	}
	return rc;
}

/* 1 when every file now has the cured code. */
static int cured(struct work *w, const struct nt_patch *p, const size_t *files, size_t n)
{
	int rc = 1;
	size_t i;

	for (i = 0; i < n && rc == 1; i++)
		rc = look(w, p, w->run->files[files[i]].path, "present");
	return rc;
}

static int record(struct work *w, const struct nt_patch *p, const size_t *files, size_t n,
	const struct before *before)
{
	struct nt_patch_run *run = w->run;
	struct nt_patch_change *c;
	int rc = 0;
	size_t i;

	NT_GROW(run->changes, run->n_changes, run->cap_changes);
	c = &run->changes[run->n_changes++];
	memset(c, 0, sizeof *c);
	c->patch = p;
	for (i = 0; i < n && rc == 0; i++)
		if (!same(&run->files[files[i]].now, &before->v[i]))
			rc = add_diff(w, &run->files[files[i]], &before->v[i], &c->diff);
	tell_version(w, p, true);
	return rc;
}

static int one_patch(struct work *w, const struct nt_patch *p)
{
	struct before before = { 0 };
	size_t files[NT_PATCH_FILES_MAX], n, i;
	bool changed;
	int rc, has;

	for (n = 0; p->files[n]; n++) {
		rc = take_file(w, p, p->files[n], &files[n]);
		if (rc != 0)
			return outcome(w, NT_PATCH_NO_MATCH, rc);
	}
	rc = transform(w, p, files, n, &before, &changed);
	has = rc == 0 ? cured(w, p, files, n) : rc;
	if (has < 0) {
		rc = has;
	} else if (has && changed) {
		rc = record(w, p, files, n, &before);
	} else if (has) {
		tell_version(w, p, false);
	} else {
		/* half of a change is worse than none */
		rc = changed ? put_back(w, files, n, &before) : 0;
		if (rc == 0)
			rc = no_match(w, p, files, n, changed);
	}
	for (i = 0; i < n; i++)
		nt_buf_free(&before.v[i]);
	return rc;
}

int nt_patch_run_apply(struct nt_patch_run *run, const struct nt_patch *const *patches,
	nt_patch_note_fn *note_fn, void *arg, struct nt_err *err)
{
	struct work w = {
		.run = run, .patches = patches, .note = note_fn, .arg = arg, .err = err
	};
	size_t i;
	int rc;

	run->outcome = NT_PATCH_FAILED;
	rc = nt_guard_hold(&w.guard, err);
	if (rc != 0)
		return rc;
	w.dir = nt_scratch_make(err);
	if (!w.dir)
		rc = -EIO;
	for (i = 0; rc == 0 && patches[i]; i++)
		rc = one_patch(&w, patches[i]);
	if (rc == 0)
		run->outcome = run->n_changes ? NT_PATCH_APPLIES : NT_PATCH_PRESENT;
	nt_scratch_remove(w.dir);
	nt_guard_release(&w.guard);
	return rc;
}
