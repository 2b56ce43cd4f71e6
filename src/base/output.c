/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nettune/mem.h"

static int fail(struct nt_err *err, const char *path)
{
	return nt_err_sys(err, -errno, "cannot write '%s'", path);
}

/* In this thread; others of a program that has some leave these to one that handles them. */
static void hold_signals(struct nt_output *o)
{
	static const int ending[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < NT_ARRAY_SIZE(ending); i++)
		sigaddset(&set, ending[i]);
	pthread_sigmask(SIG_BLOCK, &set, &o->signals);
}

static void forget_temp(struct nt_output *o)
{
	free(o->temp);
	o->temp = NULL;
	pthread_sigmask(SIG_SETMASK, &o->signals, NULL);
}

/*
 * As the file that is replaced: of its owner and group where we may make it so, and where we
 * may not, of no more use to the group that it gets than to everybody.
 */
static int make_like(int fd, const struct stat *old)
{
	mode_t mode = old->st_mode & 0777;

	if (fchown(fd, old->st_uid, old->st_gid) != 0 && fchown(fd, -1, old->st_gid) != 0)
		mode &= ~(mode_t)0070 | (mode & 0007) << 3;
	return fchmod(fd, mode);
}

/* old: the file to be replaced, NULL: there is none. */
static int open_temp(struct nt_output *o, const struct stat *old, const char *path,
	struct nt_err *err)
{
	mode_t mask;
	int fd;

	o->temp = nt_asprintf("%s.XXXXXX", o->path);
	hold_signals(o);
	fd = mkstemp(o->temp);
	if (fd < 0) {
		fail(err, path);
		forget_temp(o);
		return err->code;
	}
	o->f = fdopen(fd, "w");
	if (!o->f)
		nt_die("out of memory");
	if (old)
		return make_like(fd, old) == 0 ? 0 : fail(err, path);
	mask = umask(0);
	umask(mask);
	return fchmod(fd, 0666 & ~mask) == 0 ? 0 : fail(err, path);
}

/* Where a symbolic link to nothing leads, so that it is made there. NULL: nowhere. */
static char *end_of_link(const char *link)
{
	char *path = nt_strdup(link), *next, to[PATH_MAX];
	int len, hops = 40; /* the kernel's limit */
	const char *slash;
	ssize_t n;

	while ((n = readlink(path, to, sizeof to - 1)) >= 0 && hops-- > 0) {
		to[n] = '\0';
		slash = strrchr(path, '/');
		len = *to != '/' && slash ? (int)(slash - path) + 1 : 0;
		next = nt_asprintf("%.*s%s", len, path, to);
		free(path);
		path = next;
	}
	if (hops >= 0)
		return path;
	errno = ELOOP;
	free(path);
	return NULL;
}

/*
 * The descriptor that a shell gave us for writing to this very file, as "/dev/stdout" or
 * "/dev/fd/3" names it: who else holds it is not to be left with a file that is replaced.
 */
static int given_for(const struct stat *st)
{
	struct stat here;
	int fd, flags;

	for (fd = STDOUT_FILENO; fd < 10; fd++) {
		flags = fcntl(fd, F_GETFL);
		if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && fstat(fd, &here) == 0 &&
			here.st_dev == st->st_dev && here.st_ino == st->st_ino)
			return fcntl(fd, F_DUPFD_CLOEXEC, 3);
	}
	return -1;
}

static int open_file(struct nt_output *o, const char *path, struct nt_err *err)
{
	struct stat st;
	int fd;

	if (stat(path, &st) != 0) {
		if (errno == ENOENT)
			o->path = end_of_link(path);
		return o->path ? open_temp(o, NULL, path, err) : fail(err, path);
	}
	if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return fail(err, path);
	}
	fd = given_for(&st);
	if (fd >= 0 || !S_ISREG(st.st_mode)) {
		o->path = nt_strdup(path);
		o->f = fd >= 0 ? fdopen(fd, "w") : fopen(path, "we");
		return o->f ? 0 : fail(err, path);
	}
	/* behind a symbolic link the file is replaced, not the link, and what may not be written
	 * is not replaced either */
	if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0)
		o->path = realpath(path, NULL);
	return o->path ? open_temp(o, &st, path, err) : fail(err, path);
}

int nt_output_open(struct nt_output *o, const char *path, struct nt_err *err)
{
	int rc;

	*o = (struct nt_output){ 0 };
	if (!path || strcmp(path, "-") == 0) {
		o->f = stdout;
		return 0;
	}
	rc = open_file(o, path, err);
	if (rc)
		nt_output_abort(o);
	return rc;
}

int nt_output_commit(struct nt_output *o, int written, struct nt_err *err)
{
	const char *name = o->f == stdout ? "standard output" : o->path;
	FILE *f = o->f;

	errno = -written;
	if (!written && (ferror(f) || fflush(f) != 0))
		written = errno ? -errno : -EIO;
	if (f == stdout) {
		if (!written)
			return 0;
		/* told here: what is left of it need not fail again at exit */
		__fpurge(stdout);
		clearerr(stdout);
		return nt_err_sys(err, written, "cannot write to %s", name);
	}
	if (!written && o->temp && fsync(fileno(f)) != 0)
		written = -errno;
	o->f = NULL;
	if (fclose(f) != 0 && !written)
		written = -errno;
	if (written)
		return nt_err_sys(err, written, "cannot write '%s'", name);
	if (o->temp && rename(o->temp, o->path) != 0)
		return fail(err, o->path);
	if (o->temp)
		forget_temp(o);
	return 0;
}

void nt_output_abort(struct nt_output *o)
{
	if (o->f && o->f != stdout)
		fclose(o->f);
	if (o->temp) {
		unlink(o->temp);
		forget_temp(o);
	}
	free(o->path);
	*o = (struct nt_output){ 0 };
}
