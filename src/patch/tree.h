/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files: reading and writing them whole, and folders for the time being. Private. */
#ifndef PATCH_TREE_H
#define PATCH_TREE_H

#include "nettune/buf.h"
#include "nettune/err.h"

/* The whole regular file DIR/PATH, at most 16 MiB. */
int nt_read_below(
	const char *dir, const char *path, struct nt_buf *ret, struct nt_err *err);
/* Write DIR/PATH, making the folders that path names. */
int nt_write_below(
	const char *dir, const char *path, const struct nt_buf *data, struct nt_err *err);
/* A new folder of this user's own below TMPDIR or /tmp; the caller frees the name. */
char *nt_scratch_make(struct nt_err *err);
/* Remove it with all it holds, and free the name. NULL is nothing. */
void nt_scratch_remove(char *dir);
/*
 * Which of the alternatives in "a|b" is in the tree: a new string; NULL when none is.
 */
char *nt_tree_find(const char *tree, const char *alternatives);

#endif
