/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Running spatch, diff and git: no shell, a time limit, signals held back. Private. */
#ifndef PATCH_RUN_H
#define PATCH_RUN_H

#include <signal.h>

#include "nettune/buf.h"
#include "nettune/err.h"

/* SIGINT, SIGTERM and SIGHUP wait while a guard holds; fd is readable when one does. */
struct nt_guard {
	sigset_t saved;
	int fd;
};
int nt_guard_hold(struct nt_guard *g, struct nt_err *err);
/* Let go; a signal that waits is delivered in here. */
void nt_guard_release(struct nt_guard *g);

struct nt_ran {
	int status; /* exit status, or 128 + signal */
	struct nt_buf out, err;
};

/*
 * Run argv[0], found in PATH, in dir, with the C locale; home (may be NULL) becomes HOME
 * and TMPDIR. Returns 0 when it ran, whatever its status; -ENOENT when there is no such
 * program, -ETIMEDOUT, -EINTR when a signal waits, or another -errno. ret is initialised
 * here; nt_ran_free() it in any case.
 */
int nt_run(const char *const argv[], const char *dir, const char *home,
	const struct nt_guard *g, struct nt_ran *ret, struct nt_err *err);
/* What it said: the first line of its standard error that is no warning, or "". */
void nt_ran_words(const struct nt_ran *r, char *ret, size_t size);
void nt_ran_free(struct nt_ran *r);

#endif
