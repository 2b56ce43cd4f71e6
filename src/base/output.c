/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/output.h"

#include <errno.h>
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

static int open_temp(struct nt_output *o, mode_t mode, const char *path, struct nt_err *err)
{
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
	return fchmod(fd, mode) == 0 ? 0 : fail(err, path);
}

static int open_file(struct nt_output *o, const char *path, struct nt_err *err)
{
	mode_t mask = umask(0);
	struct stat st;

	umask(mask);
	if (stat(path, &st) != 0) {
		if (errno != ENOENT)
			return fail(err, path);
		o->path = nt_strdup(path);
		return open_temp(o, 0666 & ~mask, path, err);
	}
	if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return fail(err, path);
	}
	if (!S_ISREG(st.st_mode)) {
		o->path = nt_strdup(path);
		o->f = fopen(path, "w");
		return o->f ? 0 : fail(err, path);
	}
	/* behind a symbolic link the file is replaced, not the link */
	o->path = realpath(path, NULL);
	if (!o->path)
		return fail(err, path);
	return open_temp(o, st.st_mode & 0777, path, err);
}

int nt_output_open(struct nt_output *o, const char *path, struct nt_err *err)
{
	int rc;

	*o = (struct nt_output){ 0 };
	if (!path) {
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
