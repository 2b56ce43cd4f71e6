/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "wrap.h"

#include <stdarg.h>
#include <string.h>

#include "nettune/buf.h"
#include "nettune/mem.h"

static void add_line(struct nt_lines *l, enum nt_role role, const char *head, char *text)
{
	NT_GROW(l->v, l->n, l->cap);
	l->v[l->n++] = (struct nt_line){ head ? nt_strdup(head) : NULL, text, role };
}

/* Bytes of text that fit width columns, broken at a blank where there is one. */
static size_t fit(const char *text, int width)
{
	size_t len = strcspn(text, "\n"), best = 0, i;
	char *part = nt_strndup(text, len);

	if (nt_term_width(part) <= width) {
		free(part);
		return len;
	}
	for (i = len; i > 0; i--) {
		if (((unsigned char)part[i - 1] & 0xc0) == 0x80 && i == len)
			continue;
		part[i - 1] = '\0';
		if (nt_term_width(part) > width)
			continue;
		if (!best)
			best = i - 1;
		if (text[i - 1] == ' ') {
			best = i - 1;
			break;
		}
	}
	free(part);
	while (best && ((unsigned char)text[best] & 0xc0) == 0x80)
		best--;
	return best ? best : 1;
}

void nt_lines_add(struct nt_lines *l, int width, enum nt_role role, const char *head,
	const char *text)
{
	int indent = (int)strspn(text, " ");
	size_t n;

	if (width < 8)
		width = 8;
	if (indent > width / 2 || !text[indent])
		indent = 0;
	text += indent;
	do {
		n = fit(text, width - indent);
		add_line(l, role, head, nt_asprintf("%*s%.*s", indent, "", (int)n, text));
		head = NULL;
		text += n;
		while (*text == ' ' || *text == '\n')
			text++;
	} while (*text);
}

void nt_lines_addf(struct nt_lines *l, int width, enum nt_role role, const char *head,
	const char *fmt, ...)
{
	struct nt_buf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	nt_buf_vaddf(&b, fmt, ap);
	va_end(ap);
	nt_lines_add(l, width, role, head, nt_buf_str(&b));
	nt_buf_free(&b);
}

void nt_lines_draw(
	const struct nt_lines *l, int first, int row, int height, int head_width)
{
	int i;

	for (i = 0; i < height && first + i < (int)l->n; i++) {
		const struct nt_line *line = &l->v[first + i];

		if (line->head)
			nt_term_put(
				row + i, 1, head_width - 1, NT_ROLE_STRONG, line->head);
		nt_term_put(row + i, 1 + head_width, -1, line->role, line->text);
	}
}

void nt_lines_page(
	const struct nt_lines *l, int *scroll, int row, int height, int head_width)
{
	if (*scroll > (int)l->n - height)
		*scroll = (int)l->n - height;
	if (*scroll < 0)
		*scroll = 0;
	nt_lines_draw(l, *scroll, row, height, head_width);
	if ((int)l->n > height)
		nt_term_put_right(row - 1, nt_term_cols() - 26, 26, NT_ROLE_DIM,
			" Left/Right: scroll text ");
}

void nt_lines_clear(struct nt_lines *l)
{
	size_t i;

	for (i = 0; i < l->n; i++) {
		free(l->v[i].head);
		free(l->v[i].text);
	}
	free(l->v);
	memset(l, 0, sizeof *l);
}
