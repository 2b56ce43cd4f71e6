/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/cells.h"

#include <string.h>
#include <wchar.h>

#include "nettune/names.h"

int nt_char_cells(const char *text, size_t len)
{
	static const unsigned char lead[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	wchar_t c;
	size_t i;

	if (len == 0 || len >= sizeof lead)
		return -1;
	c = (unsigned char)*text & lead[len];
	for (i = 1; i < len; i++)
		c = c << 6 | ((unsigned char)text[i] & 0x3f);
	return wcwidth(c);
}

int nt_cells(const char *text)
{
	int cells, sum = 0;
	size_t len;

	for (; *text; text += len ? len : 1) {
		len = nt_utf8_len(text);
		cells = nt_char_cells(text, len);
		sum += cells < 0 ? 1 : cells;
	}
	return sum;
}

int nt_field(const char *text, int cells)
{
	return cells + (int)strlen(text) - nt_cells(text);
}
