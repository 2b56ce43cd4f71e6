/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "tree.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nettune/mem.h"
#include "nettune/patch.h"

#define FILE_MAX (16U << 20)

int nt_read_below(
	const char *dir, const char *path, struct nt_buf *ret, struct nt_err *err)
{
	char *full = nt_asprintf("%s/%s", dir, path);
	int fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc = 0;
	struct stat st;
	ssize_t n;

	nt_buf_cut(ret, 0);
	if (fd < 0 || fstat(fd, &st) != 0)
		rc = nt_err_sys(err, -errno, "cannot read '%s'", full);
	else if (!S_ISREG(st.st_mode))
		rc = nt_err_set(err, -EINVAL, "'%s' is not a regular file", full);
	while (rc == 0) {
		n = read(fd, nt_buf_reserve(ret, 65536), 65536);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			rc = nt_err_sys(err, -errno, "cannot read '%s'", full);
		if (n <= 0)
			break;
		ret->len += n;
		if (ret->len > FILE_MAX)
			rc = nt_err_set(err, -EFBIG, "'%s' is too large", full);
	}
	/* the buffer is a string too */
	nt_buf_add(ret, "", 0);
	if (fd >= 0)
		close(fd);
	free(full);
	return rc;
}

/* mkdir -p for the folders of path. */
static int make_folders(const char *dir, const char *path)
{
	const char *slash;
	char *folder;
	int rc = 0;

	for (slash = strchr(path, '/'); slash && rc == 0;
		slash = strchr(slash + 1, '/')) {
		folder = nt_asprintf("%s/%.*s", dir, (int)(slash - path), path);
		if (mkdir(folder, 0700) != 0 && errno != EEXIST)
			rc = -errno;
		free(folder);
	}
	return rc;
}

static int write_all(int fd, const char *data, size_t len)
{
	ssize_t n;

	for (; len; data += n, len -= n) {
		n = write(fd, data, len);
		if (n < 0 && errno == EINTR)
			n = 0;
		else if (n < 0)
			return -errno;
	}
	return 0;
}

int nt_write_below(
	const char *dir, const char *path, const struct nt_buf *data, struct nt_err *err)
{
	char *full = nt_asprintf("%s/%s", dir, path);
	int rc = make_folders(dir, path), fd = -1;

	if (rc == 0) {
		fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		rc = fd < 0 ? -errno : write_all(fd, nt_buf_str(data), data->len);
	}
	if (fd >= 0 && close(fd) != 0 && rc == 0)
		rc = -errno;
	if (rc != 0)
		nt_err_sys(err, rc, "cannot write '%s'", full);
	free(full);
	return rc;
}

char *nt_scratch_make(struct nt_err *err)
{
	const char *tmp = secure_getenv("TMPDIR");
	char *dir =
		nt_asprintf("%s/nettune-patch.XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");

	if (mkdtemp(dir))
		return dir;
	nt_err_sys(err, -errno, "cannot make the folder '%s'", dir);
	free(dir);
	return NULL;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	remove(path);
	return 0;
}

void nt_scratch_remove(char *dir)
{
	if (dir)
		nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(dir);
}

char *nt_tree_find(const char *tree, const char *alternatives)
{
	const char *s, *end;
	char *path, *full;
	struct stat st;
	bool there;

	for (s = alternatives; *s; s = *end ? end + 1 : end) {
		end = s + strcspn(s, "|");
		path = nt_strndup(s, end - s);
		full = nt_asprintf("%s/%s", tree, path);
		there = stat(full, &st) == 0;
		free(full);
		if (there)
			return path;
		free(path);
	}
	return NULL;
}

/* The value of "NAME = VALUE" in a Makefile's text; "" when it has no such line. */
static void make_variable(const char *text, const char *name, char *ret, size_t size)
{
	size_t len = strlen(name), n;
	const char *s, *end;

	ret[0] = '\0';
	for (s = text; *s; s = *end ? end + 1 : end) {
		end = s + strcspn(s, "\n");
		if (strncmp(s, name, len) != 0)
			continue;
		s += len + strspn(s + len, " \t");
		if (*s != '=')
			continue;
		s += 1 + strspn(s + 1, " \t");
		n = end - s;
		while (n && isspace((unsigned char)s[n - 1]))
			n--;
		snprintf(ret, size, "%.*s", (int)(n < size ? n : size - 1), s);
		return;
	}
}

static bool number(const char *s)
{
	return *s && strspn(s, "0123456789") == strlen(s) && strlen(s) <= 6;
}

int nt_patch_run_open(struct nt_patch_run *ret, const char *dir, struct nt_err *err)
{
	char major[16], minor[16], sub[16], extra[32];
	struct nt_buf text = { 0 };
	struct stat st;
	int rc = 0;

	memset(ret, 0, sizeof *ret);
	ret->tree = nt_strdup(dir);
	ret->outcome = NT_PATCH_FAILED;
	if (stat(dir, &st) != 0)
		return nt_err_sys(err, -errno, "cannot read '%s'", dir);
	if (!S_ISDIR(st.st_mode))
		return nt_err_set(err, -ENOTDIR, "'%s' is not a folder", dir);
	if (nt_read_below(dir, "Makefile", &text, NULL) != 0) {
		nt_buf_free(&text);
		return nt_err_set(err, -EINVAL,
			"'%s' is not a kernel tree: it has no Makefile", dir);
	}
	make_variable(nt_buf_str(&text), "VERSION", major, sizeof major);
	make_variable(nt_buf_str(&text), "PATCHLEVEL", minor, sizeof minor);
	make_variable(nt_buf_str(&text), "SUBLEVEL", sub, sizeof sub);
	make_variable(nt_buf_str(&text), "EXTRAVERSION", extra, sizeof extra);
	nt_buf_free(&text);
	if (!number(major) || !number(minor) || !number(sub))
		return nt_err_set(err, -EINVAL,
			"'%s' is not a kernel tree: its Makefile tells no kernel version",
			dir);
	/* anything else would read as more digits of the sublevel */
	if (*extra != '-' && *extra != '.')
		*extra = '\0';
	snprintf(ret->version_text, sizeof ret->version_text, "%s.%s.%s%s", major, minor,
		sub, extra);
	rc = nt_version_parse(ret->version_text, &ret->version);
	return rc ? nt_err_set(err, rc, "'%s': no version '%s'", dir, ret->version_text)
		  : 0;
}

void nt_patch_run_free(struct nt_patch_run *run)
{
	size_t i;

	for (i = 0; i < run->n_files; i++) {
		free(run->files[i].path);
		nt_buf_free(&run->files[i].old);
		nt_buf_free(&run->files[i].now);
	}
	for (i = 0; i < run->n_changes; i++)
		nt_buf_free(&run->changes[i].diff);
	free(run->files);
	free(run->changes);
	free(run->tree);
	memset(run, 0, sizeof *run);
}
