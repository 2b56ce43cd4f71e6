/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The terminal, without curses types: term.c is the only file that includes curses.
 * Positions are (row, column) from 0. Drawing goes to a buffer; nt_term_flush() shows it.
 */
#ifndef TUI_TERM_H
#define TUI_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nettune/err.h"

/* What a text is, not how it looks: colour never carries meaning alone. */
enum nt_role {
	NT_ROLE_TEXT,
	NT_ROLE_TITLE,	  /* the top line */
	NT_ROLE_HEAD,	  /* column heads */
	NT_ROLE_SELECTED, /* the line under the cursor */
	NT_ROLE_DIM,
	NT_ROLE_STRONG,
	NT_ROLE_KEY, /* a key's name in the last line */
	NT_ROLE_PROBLEM,
	NT_ROLE_WARNING,
	NT_ROLE_ADVICE,
	NT_ROLE_GOOD,
	NT_ROLE_ALERT, /* needs an answer: the confirm timer, a failure */
	_NT_ROLE_MAX
};

/* Keys: a character is its code point; others are from NT_K_BASE up. */
enum {
	NT_K_NONE = 0,
	NT_K_ENTER = '\r',
	NT_K_ESC = 27,
	NT_K_TAB = '\t',
	NT_K_BACKSPACE = 127,
	NT_K_BASE = 0x110000,
	NT_K_UP,
	NT_K_DOWN,
	NT_K_LEFT,
	NT_K_RIGHT,
	NT_K_PGUP,
	NT_K_PGDN,
	NT_K_HOME,
	NT_K_END,
	NT_K_BTAB,
	NT_K_DELETE,
	NT_K_RESIZE,
	NT_K_CLICK,
	NT_K_WHEEL_UP,
	NT_K_WHEEL_DOWN,
	NT_K_EOF, /* the terminal is gone, or a signal asks to end */
	NT_K_F1,
	NT_K_F12 = NT_K_F1 + 11,
};

struct nt_key {
	int code;
	int row, col; /* of NT_K_CLICK */
};

/*
 * Take the terminal over. Refuses (-ENOTTY, -ENOTSUP, with a hint to --report) where
 * stdin or stdout is no terminal or TERM cannot place the cursor. color as the command
 * line resolved it. Installs handlers that restore the terminal on a crash.
 */
int nt_term_open(bool color, struct nt_err *err);
/* Give it back; safe to call twice, and from nt_die(). */
void nt_term_close(void);

int nt_term_rows(void);
int nt_term_cols(void);
/* Whether line drawing, blocks and braille can be shown. */
bool nt_term_utf8(void);
/* u where nt_term_utf8(), else a. */
const char *nt_term_pick(const char *u, const char *a);

void nt_term_erase(void);
/*
 * Put text at (row, col), at most width columns (width < 0: to the right edge); cut text
 * ends in '~' or an ellipsis. Control and undecodable bytes show as '?'. Returns the
 * column after the text. Outside the screen nothing is drawn.
 */
int nt_term_put(int row, int col, int width, enum nt_role role, const char *text);
int nt_term_putf(int row, int col, int width, enum nt_role role, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/* As nt_term_put, flush right in width columns. */
void nt_term_put_right(int row, int col, int width, enum nt_role role, const char *text);
/* Give a whole line the role's look without changing its text. */
void nt_term_line_role(int row, enum nt_role role);
/* A horizontal rule. */
void nt_term_rule(int row);
void nt_term_cursor(int row, int col); /* row < 0 hides it */
void nt_term_flush(void);
/* Have the next flush draw everything anew: another program may have written over it. */
void nt_term_redraw(void);

/* The columns that text takes. */
int nt_term_width(const char *text);

/*
 * The next key, waiting at most timeout_ms (0: don't wait) or until wake_fd (< 0: none)
 * is readable. NT_K_NONE when neither came. NT_K_EOF on end of input or after SIGTERM,
 * SIGINT, SIGHUP (nt_term_signal() says which).
 */
struct nt_key nt_term_key(int timeout_ms, int wake_fd);
int nt_term_signal(void);

/* The key's name as shown in help: "F1", "Enter", "Space", "x". ret holds size bytes. */
void nt_term_key_name(char *ret, size_t size, int code);

#endif
