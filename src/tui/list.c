/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "list.h"

#include <stdio.h>

void nt_list_fit(struct nt_list *l, int n, int row, int height)
{
	l->row = row;
	l->height = height > 0 ? height : 1;
	if (l->cursor >= n)
		l->cursor = n - 1;
	if (l->cursor < 0)
		l->cursor = 0;
	if (l->top > n - l->height)
		l->top = n - l->height;
	if (l->top < 0)
		l->top = 0;
	if (l->cursor < l->top)
		l->top = l->cursor;
	if (l->cursor >= l->top + l->height)
		l->top = l->cursor - l->height + 1;
}

bool nt_list_key(struct nt_list *l, int n, struct nt_key k, bool *ret_opened)
{
	int page = l->height > 1 ? l->height - 1 : 1;

	switch (k.code) {
	case NT_K_UP:
	case 'k':
		l->cursor--;
		break;
	case NT_K_DOWN:
	case 'j':
		l->cursor++;
		break;
	case NT_K_WHEEL_UP:
		l->cursor -= 3;
		break;
	case NT_K_WHEEL_DOWN:
		l->cursor += 3;
		break;
	case NT_K_PGUP:
		l->cursor -= page;
		break;
	case NT_K_PGDN:
		l->cursor += page;
		break;
	case NT_K_HOME:
		l->cursor = 0;
		break;
	case NT_K_END:
		l->cursor = n - 1;
		break;
	case NT_K_CLICK:
		if (k.row < l->row || k.row >= l->row + l->height ||
			l->top + k.row - l->row >= n)
			return false;
		if (ret_opened)
			*ret_opened = l->cursor == l->top + k.row - l->row;
		l->cursor = l->top + k.row - l->row;
		break;
	default:
		return false;
	}
	nt_list_fit(l, n, l->row, l->height);
	return true;
}

void nt_list_position(const struct nt_list *l, int n, int row)
{
	char text[64];
	int last = l->top + l->height < n ? l->top + l->height : n;

	if (n <= l->height)
		return;
	snprintf(text, sizeof text, " %d-%d of %d ", l->top + 1, last, n);
	nt_term_put_right(row, nt_term_cols() - 24, 24, NT_ROLE_DIM, text);
}
