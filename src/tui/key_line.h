/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last line: the keys that do something now, as many as fit. */
#ifndef TUI_KEY_LINE_H
#define TUI_KEY_LINE_H

struct nt_app;
struct nt_key;

/* Draw it for the screen on top; a narrow terminal shows first what changes something. */
void nt_key_line_draw(struct nt_app *app);
/* Turn a click on a key named there into that key, unless it changes something. */
void nt_key_line_click(struct nt_app *app, struct nt_key *k);

#endif
