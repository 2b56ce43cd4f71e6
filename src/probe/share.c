/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "share.h"

#include <string.h>

#define PIECES_A_S 20 /* so that what goes at once is held back for 50 ms at most */
#define LONGEST_NS 3600e9
#define MADE_UP_NS 200e6 /* of time in which nothing went; what is more is no debt */

void nt_share_set(struct nt_share *s, double bps, unsigned among)
{
	double piece = bps / 8 / PIECES_A_S / (among ? among : 1);

	memset(s, 0, sizeof *s);
	s->bps = bps;
	s->piece = piece < 1 ? 1 : piece < 1 << 30 ? (size_t)piece : 1 << 30;
}

void nt_share_begin(struct nt_share *s, uint64_t now_ns)
{
	s->since_ns = now_ns;
	s->bytes = 0;
}

size_t nt_share_piece(const struct nt_share *s, size_t size)
{
	return s->bps > 0 && s->piece < size ? s->piece : size;
}

uint64_t nt_share_wait(struct nt_share *s, uint64_t now_ns)
{
	double ahead;

	if (!(s->bps > 0))
		return 0;
	ahead = (double)s->bytes * 8e9 / s->bps - (double)(now_ns - s->since_ns);
	if (ahead < -MADE_UP_NS) {
		s->since_ns = now_ns - (uint64_t)MADE_UP_NS;
		s->bytes = 0;
	}
	return ahead <= 0 ? 0 : ahead < LONGEST_NS ? (uint64_t)ahead : (uint64_t)LONGEST_NS;
}
