/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "wrap.h"

#include <string.h>

#include "nettune/cells.h"
#include "nettune/mem.h"
#include "nettune/names.h"

/* Spellings for terminals that show ASCII only; anything else becomes '?'. */
static const struct {
	const char *utf8, *ascii;
} spellings[] = {
	{ "·", "*" }, { "…", "..." }, { "–", "-" }, { "—", "-" }, { "→", "->" },
	{ "µ", "u" }, { "×", "x" }, { "≥", ">=" }, { "≤", "<=" }, { "÷", "/" },
	{ "’", "'" }, { "“", "\"" }, { "”", "\"" },
};

static const char *spell(const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < NT_ARRAY_SIZE(spellings); i++)
		if (strlen(spellings[i].utf8) == len && memcmp(spellings[i].utf8, s, len) == 0)
			return spellings[i].ascii;
	return "?";
}

/*
 * The next character of *s as it will be written, in ret (8 bytes); moves *s on and
 * returns its cells. Controls of any kind and broken UTF-8 never get through.
 */
static int next_cell(const struct nt_wrap *w, const char **s, char *ret)
{
	size_t len = nt_utf8_len(*s);
	int cells = 1;

	if (nt_printable_len(*s) == 0) {
		memcpy(ret, "?", 2);
		len = len ? len : 1;
	} else if (len > 1 && !w->utf8) {
		const char *ascii = spell(*s, len);

		cells = strlen(ascii);
		memcpy(ret, ascii, cells + 1);
	} else {
		memcpy(ret, *s, len);
		ret[len] = '\0';
		cells = nt_char_cells(*s, len);
		if (cells < 0) {
			memcpy(ret, "?", 2);
			cells = 1;
		}
	}
	*s += len;
	return cells;
}

int nt_wrap_width(const struct nt_wrap *w, const char *s)
{
	char cell[8];
	int cells = 0;

	while (*s)
		cells += next_cell(w, &s, cell);
	return cells;
}

static void break_line(struct nt_wrap *w)
{
	nt_buf_addf(w->out, "\n%*s", w->indent, "");
	w->col = w->indent;
	w->fresh = true;
}

/* Write s, broken anywhere when it is wider than what is left. */
static void put(struct nt_wrap *w, const char *s)
{
	char cell[8];
	int cells;

	while (*s) {
		cells = next_cell(w, &s, cell);
		if (w->col + cells > w->columns)
			break_line(w);
		nt_buf_adds(w->out, cell);
		w->col += cells;
		w->fresh = false;
	}
}

void nt_wrap_begin(struct nt_wrap *w, const char *label, int indent)
{
	w->indent = indent;
	w->col = 0;
	put(w, label);
	if (w->col < indent) {
		nt_buf_addf(w->out, "%*s", indent - w->col, "");
		w->col = indent;
	}
	w->fresh = true;
}

void nt_wrap_item_after(struct nt_wrap *w, int gap, const char *item)
{
	int width = nt_wrap_width(w, item);

	if (!w->fresh && w->col + gap + width > w->columns)
		break_line(w);
	if (w->indent + width > w->columns && strchr(item, ' ')) {
		nt_wrap_words(w, item);
		return;
	}
	if (!w->fresh) {
		nt_buf_addf(w->out, "%*s", gap, "");
		w->col += gap;
	}
	put(w, item);
}

void nt_wrap_item(struct nt_wrap *w, const char *item)
{
	nt_wrap_item_after(w, 1, item);
}

void nt_wrap_words(struct nt_wrap *w, const char *text)
{
	size_t len;
	char *word;

	while (*(text += strspn(text, " \t\n"))) {
		len = strcspn(text, " \t\n");
		word = nt_strndup(text, len);
		nt_wrap_item(w, word);
		free(word);
		text += len;
	}
}

void nt_wrap_dotted(struct nt_wrap *w, const char *item, bool last)
{
	char *whole = nt_asprintf("%s%s", item, last ? "" : w->utf8 ? " ·" : ",");

	nt_wrap_item(w, whole);
	free(whole);
}

/* The length of a shell word: up to a blank outside quotes. */
static size_t shell_word(const char *s)
{
	char quote = 0;
	size_t i;

	for (i = 0; s[i] && (quote || s[i] != ' '); i++) {
		if (s[i] == '\\' && quote != '\'' && s[i + 1])
			i++;
		else if (quote)
			quote = s[i] == quote ? 0 : quote;
		else if (s[i] == '\'' || s[i] == '"')
			quote = s[i];
	}
	return i;
}

/*
 * A shell word. Where it is wider than a line it is broken so that a shell still reads one
 * word: by a backslash at the line's end, outside of single quotes.
 */
static void put_shell_word(struct nt_wrap *w, const char *s)
{
	bool single = false, dbl = false, was_single, escape;
	char cell[8];
	int cells, depth = 0; /* of $( ) in double quotes, where single quotes count again */

	while (*s) {
		was_single = single;
		escape = *s == '\\' && !single && s[1];
		if (*s == '\'' && (!dbl || depth))
			single = !single;
		else if (*s == '"' && !single)
			dbl = !dbl;
		else if (*s == '(' || *s == ')')
			depth += single ? 0 : *s == '(' ? 1 : -1;
		cells = next_cell(w, &s, cell);
		if (w->col + cells + escape > w->columns - 1) {
			nt_buf_adds(w->out, was_single ? "'\\\n'" : "\\\n");
			w->col = was_single;
		}
		nt_buf_adds(w->out, cell);
		w->col += cells;
		if (escape) {
			w->col += next_cell(w, &s, cell);
			nt_buf_adds(w->out, cell);
		}
		w->fresh = false;
	}
}

void nt_wrap_command(struct nt_wrap *w, const char *command, int indent)
{
	int columns = w->columns;
	size_t len;
	char *word;

	nt_buf_addf(w->out, "%*s", indent, "");
	w->indent = indent + 2;
	w->col = indent;
	w->fresh = true;
	w->columns -= 2; /* stay free for " \" */
	while (*(command += strspn(command, " "))) {
		len = shell_word(command);
		word = nt_strndup(command, len);
		if (!w->fresh && w->col + 1 + nt_wrap_width(w, word) > w->columns) {
			nt_buf_adds(w->out, " \\");
			break_line(w);
		}
		if (!w->fresh)
			put(w, " ");
		put_shell_word(w, word);
		free(word);
		command += len;
	}
	w->columns = columns;
	nt_wrap_end(w);
}

void nt_wrap_end(struct nt_wrap *w)
{
	nt_buf_addc(w->out, '\n');
	w->col = 0;
	w->fresh = true;
}
