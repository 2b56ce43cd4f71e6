/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing a file that the user names: never over another one unasked. */
#ifndef TUI_SAVE_H
#define TUI_SAVE_H

#include <stdbool.h>
#include <stdio.h>

#include "nettune/err.h"

struct nt_app;

/* Write what to f; 0 or -errno. */
typedef int nt_save_fn(const void *what, FILE *f);

/*
 * Write a new file, its mode by the umask, or with replace set one in the place of a
 * regular file, whose mode it keeps; whole or not at all. -EEXIST, without replace, where
 * there is a regular file; -EINVAL where there is something else.
 */
int nt_save(const char *file, bool replace, nt_save_fn *fn, const void *what,
	struct nt_err *err);
/*
 * Ask for the name, and before a file is replaced; says what went wrong. The name of what
 * was written (the caller frees), or NULL.
 */
char *nt_app_save(struct nt_app *app, const char *question, const char *name,
	nt_save_fn *fn, const void *what);

#endif
