/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where results go: stdout, or a file that appears whole or not at all. */
#ifndef NETTUNE_OUTPUT_H
#define NETTUNE_OUTPUT_H

#include <signal.h>
#include <stdio.h>

#include "nettune/err.h"

struct nt_output {
	FILE *f;
	char *path;	  /* the file to replace, or the device; NULL: stdout */
	char *temp;	  /* what is written until it is replaced; NULL: nothing */
	sigset_t signals; /* those blocked before, while there is such a file */
};

/*
 * Begin writing to the file path, or to stdout when path is NULL or "-". A regular file, where
 * symbolic links lead to if need be, is replaced only by nt_output_commit(), by one of the
 * same mode and, where permitted, owner and group; one that may not be written, or a folder,
 * is refused. A device or pipe, and any file that one of the descriptors 1 to 9 is open on for
 * writing ("/dev/stdout"), is written directly. Until then signals that end the program wait:
 * nothing half written is left. On failure nothing is held.
 */
int nt_output_open(struct nt_output *o, const char *path, struct nt_err *err);
/*
 * Write out and put the file in its place. written is what the writer returned, 0 or
 * -errno. On failure the old file is as it was.
 */
int nt_output_commit(struct nt_output *o, int written, struct nt_err *err);
/* Give up: the temporary file goes. Harmless after a commit. */
void nt_output_abort(struct nt_output *o);

#endif
