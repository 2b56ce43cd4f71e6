/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/patch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run.h"
#include "tree.h"

/* A changed file on its way into the tree. */
struct target {
	const struct nt_patch_file *file;
	char *path, *temp; /* temp: NULL when not there */
	struct stat st;
	bool renamed;
};

static bool changed(const struct nt_patch_file *f)
{
	return f->old.len != f->now.len ||
	       memcmp(nt_buf_str(&f->old), nt_buf_str(&f->now), f->old.len) != 0;
}

/*
 * Whether git says that the tree's file is as committed: 0, or -errno. *ret_git is false
 * where there is no git to ask.
 */
static int ask_git(const struct nt_patch_run *run, const char *path,
	const struct nt_guard *g, bool *ret_git, struct nt_err *err)
{
	const char *const argv[] = { "git", "--no-optional-locks", "-c",
		"core.fsmonitor=false", "status", "--porcelain", "--untracked-files=all",
		"--", path, NULL };
	char *dot = nt_asprintf("%s/.git", run->tree), words[200];
	bool has_dot = access(dot, F_OK) == 0;
	struct nt_ran ran;
	int rc = nt_run(argv, run->tree, NULL, g, &ran, err);

	free(dot);
	*ret_git = true;
	nt_ran_words(&ran, words, sizeof words);
	if (rc == -ENOENT && !has_dot) {
		*ret_git = false;
		rc = 0;
	} else if (rc == 0 && ran.status != 0 && !has_dot &&
		   strstr(words, "not a git repository")) {
		*ret_git = false;
	} else if (rc == 0 && ran.status != 0) {
		rc = nt_err_set(err, -EIO,
			"git cannot tell whether '%s' is unchanged: %s", path, words);
	} else if (rc == 0 && ran.out.len) {
		rc = nt_err_set(err, -EBUSY,
			"'%s' has changes that are not committed (git status): commit "
			"them, or use "
			"--output",
			path);
	}
	nt_ran_free(&ran);
	return rc;
}

static bool is_below(const char *path, const char *folder)
{
	size_t len = strlen(folder);

	return strncmp(path, folder, len) == 0 && (path[len] == '/' || !path[len]);
}

/* Not only access(2): to root everything is writable, also what the owner locked. */
static int check_writable(
	const struct nt_patch_run *run, struct target *t, struct nt_err *err)
{
	char *folder = nt_strndup(t->path, strrchr(t->path, '/') - t->path);
	char *real_tree = realpath(run->tree, NULL), *real = realpath(folder, NULL);
	struct stat dir;
	int rc = 0;

	if (lstat(t->path, &t->st) != 0 || stat(folder, &dir) != 0)
		rc = nt_err_sys(err, -errno, "cannot read '%s'", t->path);
	else if (!S_ISREG(t->st.st_mode))
		rc = nt_err_set(err, -EINVAL, "'%s' is not a regular file", t->path);
	else if (!real_tree || !real || !is_below(real, real_tree))
		rc = nt_err_set(err, -EINVAL, "'%s' is outside the tree", t->path);
	else if (!(t->st.st_mode & 0222))
		rc = nt_err_set(err, -EACCES, "'%s' is read-only", t->path);
	else if (!(dir.st_mode & 0222) || access(folder, W_OK) != 0)
		rc = nt_err_set(err, -EACCES, "the folder '%s' is read-only", folder);
	else if (access(t->path, W_OK) != 0)
		rc = nt_err_sys(err, -errno, "cannot write '%s'", t->path);
	free(folder);
	free(real_tree);
	free(real);
	return rc;
}

static int check_same(
	const struct nt_patch_run *run, const struct nt_patch_file *f, struct nt_err *err)
{
	struct nt_buf now = { 0 };
	int rc = nt_read_below(run->tree, f->path, &now, err);

	if (rc == 0 &&
		(now.len != f->old.len ||
			memcmp(nt_buf_str(&now), nt_buf_str(&f->old), now.len) != 0))
		rc = nt_err_set(err, -EBUSY, "'%s' changed in the meantime", f->path);
	nt_buf_free(&now);
	return rc;
}

/* A file beside path with the data, and path's mode and owner: its name in *ret. */
static int prepare(
	const struct target *t, const struct nt_buf *data, char **ret, struct nt_err *err)
{
	char *temp = nt_asprintf("%s.nettune-XXXXXX", t->path);
	int fd = mkostemp(temp, O_CLOEXEC), rc = 0;
	size_t done = 0;
	struct stat st;
	ssize_t n;

	if (fd < 0) {
		rc = nt_err_sys(err, -errno, "cannot write '%s'", temp);
		free(temp);
		return rc;
	}
	while (rc == 0 && done < data->len) {
		n = write(fd, nt_buf_str(data) + done, data->len - done);
		if (n > 0)
			done += n;
		else if (n < 0 && errno != EINTR)
			rc = -errno;
	}
	if (rc == 0 && fstat(fd, &st) == 0 &&
		(st.st_uid != t->st.st_uid || st.st_gid != t->st.st_gid) &&
		fchown(fd, t->st.st_uid, t->st.st_gid) != 0)
		rc = -errno;
	if (rc == 0 && (fchmod(fd, t->st.st_mode & 07777) != 0 || fsync(fd) != 0))
		rc = -errno;
	if (close(fd) != 0 && rc == 0)
		rc = -errno;
	if (rc == 0) {
		*ret = temp;
		return 0;
	}
	nt_err_sys(err, rc, "cannot write '%s'", temp);
	unlink(temp);
	free(temp);
	return rc;
}

/* Rename all into place; where one fails, those before it get their old text back. */
static int swap_in(struct target *t, size_t n, struct nt_err *err)
{
	size_t i;
	int rc = 0;

	for (i = 0; i < n && rc == 0; i++) {
		if (rename(t[i].temp, t[i].path) != 0) {
			rc = nt_err_sys(err, -errno, "cannot replace '%s'", t[i].path);
			break;
		}
		free(t[i].temp);
		t[i].temp = NULL;
		t[i].renamed = true;
	}
	for (i = 0; i < n && rc != 0; i++) {
		char *old = NULL;

		if (t[i].renamed && prepare(&t[i], &t[i].file->old, &old, NULL) == 0)
			t[i].renamed = rename(old, t[i].path) != 0;
		free(old);
	}
	return rc;
}

static int check_all(const struct nt_patch_run *run, struct target *t, size_t n,
	const struct nt_guard *g, nt_patch_note_fn *note, void *arg, struct nt_err *err)
{
	bool git = true;
	char line[300];
	int rc = 0;
	size_t i;

	for (i = 0; i < n && rc == 0; i++) {
		rc = check_writable(run, &t[i], err);
		if (rc == 0)
			rc = check_same(run, t[i].file, err);
		if (rc == 0 && git)
			rc = ask_git(run, t[i].file->path, g, &git, err);
	}
	if (rc == 0 && !git && n && note) {
		snprintf(line, sizeof line,
			"'%s' is not under git: nothing can tell whether its files were "
			"changed before",
			run->tree);
		note(arg, line);
	}
	return rc;
}

int nt_patch_run_write(
	struct nt_patch_run *run, nt_patch_note_fn *note, void *arg, struct nt_err *err)
{
	struct target *t = nt_calloc(run->n_files + 1, sizeof *t);
	struct nt_guard g;
	size_t n = 0, i;
	int rc = nt_guard_hold(&g, err);

	if (rc != 0) {
		free(t);
		return rc;
	}
	for (i = 0; i < run->n_files; i++) {
		if (!changed(&run->files[i]))
			continue;
		t[n].file = &run->files[i];
		t[n++].path = nt_asprintf("%s/%s", run->tree, run->files[i].path);
	}
	rc = check_all(run, t, n, &g, note, arg, err);
	for (i = 0; i < n && rc == 0; i++)
		rc = prepare(&t[i], &t[i].file->now, &t[i].temp, err);
	if (rc == 0)
		rc = swap_in(t, n, err);
	for (i = 0; i < n; i++) {
		if (t[i].temp)
			unlink(t[i].temp);
		free(t[i].temp);
		free(t[i].path);
	}
	free(t);
	nt_guard_release(&g);
	return rc;
}
