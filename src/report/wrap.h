/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filling text to a width: a hanging label, then words and items that are not broken. */
#ifndef WRAP_H
#define WRAP_H

#include <stdbool.h>

#include "nettune/buf.h"

struct nt_wrap {
	struct nt_buf *out;
	int columns; /* no line gets wider */
	bool utf8;   /* false: what is not ASCII is spelled in ASCII */
	int indent;  /* of continuation lines */
	int col;     /* cells used in the current line */
	bool fresh;  /* nothing but indentation or label in the line yet */
};

/* Begin a paragraph: label as it stands, then text from column indent on. */
void nt_wrap_begin(struct nt_wrap *w, const char *label, int indent);
/* One unbreakable item, after a blank unless first in its line. */
void nt_wrap_item(struct nt_wrap *w, const char *item);
/* The same after gap blanks. */
void nt_wrap_item_after(struct nt_wrap *w, int gap, const char *item);
/* Words, broken at blanks. */
void nt_wrap_words(struct nt_wrap *w, const char *text);
/* One of several items, parted by " · " or a comma; the mark stays at a line's end. */
void nt_wrap_dotted(struct nt_wrap *w, const char *item, bool last);
/* A line as a shell reads it: where it must be broken, a backslash ends the line. */
void nt_wrap_command(struct nt_wrap *w, const char *command, int indent);
/* End the line. */
void nt_wrap_end(struct nt_wrap *w);

/* Cells that s takes on a terminal. */
int nt_wrap_width(const struct nt_wrap *w, const char *s);

#endif
