/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "app.h"
#include "nettune/mem.h"
#include "workers.h"

/* The question gives way to the answer where both don't fit; of that the end is shown. */
static void draw_prompt(const char *question, const char *text)
{
	int row = nt_term_rows() - 2, cols = nt_term_cols(), col;

	nt_term_putf(row, 0, -1, NT_ROLE_STRONG, "%-*s", cols, "");
	while (*text && nt_term_width(text) > cols - 12)
		text += nt_utf8_len(text) ? nt_utf8_len(text) : 1;
	col = nt_term_put(
		row, 1, cols - 4 - nt_term_width(text), NT_ROLE_STRONG, question);
	col = nt_term_put(row, col, -1, NT_ROLE_STRONG, ": ");
	col = nt_term_put(row, col, -1, NT_ROLE_TEXT, text);
	nt_term_cursor(row, col);
	nt_term_flush();
}

static void cut_last(char *text)
{
	size_t len = strlen(text);

	while (len > 0 && ((unsigned char)text[len - 1] & 0xc0) == 0x80)
		len--;
	text[len ? len - 1 : 0] = '\0';
}

/* A character as it is in this locale, where it has a shape and there is room. */
static void append(char *text, size_t size, int code)
{
	mbstate_t state = { 0 };
	char bytes[MB_LEN_MAX];
	size_t len = strlen(text), n;

	if (code < ' ' || code >= NT_K_BASE || wcwidth((wchar_t)code) < 0)
		return;
	n = wcrtomb(bytes, (wchar_t)code, &state);
	if (n == (size_t)-1 || len + n >= size)
		return;
	memcpy(text + len, bytes, n);
	text[len + n] = '\0';
}

char *nt_app_prompt(struct nt_app *app, const char *question, const char *initial)
{
	char text[120];
	struct nt_key k = { 0 };

	snprintf(text, sizeof text, "%s", initial ? initial : "");
	while (k.code != NT_K_ENTER && k.code != NT_K_ESC && k.code != NT_K_EOF) {
		*app->message = '\0';
		nt_app_draw(app);
		draw_prompt(question, text);
		k = nt_term_key(500, nt_workers_fd(app->workers));
		nt_app_news(app);
		if (k.code == NT_K_BACKSPACE || k.code == NT_K_DELETE)
			cut_last(text);
		else if (k.code == 21) /* Ctrl-U */
			*text = '\0';
		else
			append(text, sizeof text, k.code);
	}
	*app->message = '\0';
	nt_term_cursor(-1, 0);
	if (k.code == NT_K_EOF)
		app->quit = true;
	return k.code == NT_K_ENTER ? nt_strdup(text) : NULL;
}
