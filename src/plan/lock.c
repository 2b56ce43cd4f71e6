/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One nettune at a time changes a host: flock on STATE/lock, which says who has it. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "nettune/mem.h"
#include "set.h"

/* Make dir and its parents. -errno of the first that can't be made. */
static int make_dirs(const char *dir)
{
	char *path = nt_strdup(dir), *p;
	int rc = 0;

	for (p = path + 1; *p && !rc; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (mkdir(path, 0755) < 0 && errno != EEXIST && errno != EROFS)
			rc = -errno;
		*p = '/';
	}
	if (!rc && mkdir(path, 0700) < 0 && errno != EEXIST)
		rc = -errno;
	/* what is there needs no right to be made */
	if (access(dir, F_OK) == 0)
		rc = 0;
	free(path);
	return rc;
}

static int say_holder(int fd, const char *dir, struct nt_err *err)
{
	char text[128] = "", what[32] = "", when[32] = "";
	long long since = 0;
	struct tm tm;
	time_t t;
	int pid = 0;
	ssize_t n = pread(fd, text, sizeof text - 1, 0);

	if (n <= 0 || sscanf(text, "%d %lld %31s", &pid, &since, what) != 3)
		return nt_err_set(err, -EBUSY, "another nettune is at work (it holds '%s/lock')",
			dir);
	t = (time_t)since;
	if (localtime_r(&t, &tm))
		strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &tm);
	return nt_err_set(err, -EBUSY, "another nettune is at work: process %d, %s since %s", pid,
		what, when);
}

int nt_lock_take(const char *dir, const char *what, struct nt_lock *ret, struct nt_err *err)
{
	char *path = nt_asprintf("%s/lock", dir), text[128];
	int rc = make_dirs(dir), n;

	ret->fd = -1;
	if (rc < 0) {
		nt_err_sys(err, rc, "cannot make the state folder '%s'", dir);
		goto out;
	}
	rc = nt_trust_dir(dir, err);
	if (rc)
		goto out;
	ret->fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (ret->fd < 0 && errno == EROFS) { /* still good for undoing */
		ret->fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (ret->fd < 0 && errno == ENOENT)
			errno = EROFS;
	}
	if (ret->fd < 0) {
		rc = nt_err_sys(err, -errno, "cannot open '%s'", path);
		goto out;
	}
	if (flock(ret->fd, LOCK_EX | LOCK_NB) < 0) {
		rc = errno == EWOULDBLOCK ? say_holder(ret->fd, dir, err)
					  : nt_err_sys(err, -errno, "cannot lock '%s'", path);
		close(ret->fd);
		ret->fd = -1;
		goto out;
	}
	n = snprintf(text, sizeof text, "%d %lld %s\n", (int)getpid(), (long long)time(NULL),
		what);
	/* only for the message above: a full disk must not keep anybody from undoing */
	if (ftruncate(ret->fd, 0) < 0 || pwrite(ret->fd, text, (size_t)n, 0) != n)
		errno = 0;
out:
	free(path);
	return rc;
}

void nt_lock_drop(struct nt_lock *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
}
