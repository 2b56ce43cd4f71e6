/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stream's or a flow's share of a limit of rate: what went, and when more may. Private to
 * probe/. */
#ifndef PROBE_SHARE_H
#define PROBE_SHARE_H

#include <stddef.h>
#include <stdint.h>

struct nt_share {
	double bps;   /* 0: no limit */
	size_t piece; /* what goes at once */
	uint64_t since_ns, bytes; /* counted by the owner */
};

/* A share of bps that among connections use in turn. */
void nt_share_set(struct nt_share *s, double bps, unsigned among);
void nt_share_begin(struct nt_share *s, uint64_t now_ns);
/* How much of size, which is not 0, may go at once: 1 at least. */
size_t nt_share_piece(const struct nt_share *s, size_t size);
/* ns until the bytes counted are due; 0 when more may go now. Who could not run for long does
 * not make up for it. */
uint64_t nt_share_wait(struct nt_share *s, uint64_t now_ns);

#endif
