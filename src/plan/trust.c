/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose the state folder is. What is in a journal is written to the host again, by root, and
 * files are made and emptied in the folder: nobody else may put any there.
 */
#include "config.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "set.h"

static int trust(const struct stat *st, const char *path, struct nt_err *err)
{
	if (st->st_uid != 0 && st->st_uid != geteuid())
		return nt_err_set(err, -EPERM,
			"'%s' belongs to user %u: what somebody else may write is not used", path,
			(unsigned)st->st_uid);
	/* the mode of a symbolic link says nothing */
	if (S_ISLNK(st->st_mode))
		return 0;
	if ((st->st_mode & S_IWOTH) ||
		((st->st_mode & S_IWGRP) && st->st_gid != 0 && st->st_gid != getegid()))
		return nt_err_set(err, -EPERM,
			"'%s' can be written by others: look what is in it, then chmod go-w it",
			path);
	return 0;
}

int nt_trust_dir(const char *dir, struct nt_err *err)
{
	struct stat st;
	int rc;

	if (lstat(dir, &st) < 0)
		return nt_err_sys(err, -errno, "cannot look at '%s'", dir);
	rc = trust(&st, dir, err);
	if (rc || !S_ISLNK(st.st_mode))
		return rc;
	if (stat(dir, &st) < 0)
		return nt_err_sys(err, -errno, "cannot look at '%s'", dir);
	return trust(&st, dir, err);
}

int nt_trust_file(int fd, const char *path, struct nt_err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return nt_err_sys(err, -errno, "cannot look at '%s'", path);
	if (!S_ISREG(st.st_mode))
		return nt_err_set(err, -EPERM, "'%s' is no plain file", path);
	return trust(&st, path, err);
}
