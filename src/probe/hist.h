/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A histogram of durations with buckets of growing width: 64 a power of two, so that a
 * value read back is at most 1.6 % off, at any magnitude, in 30 KiB. Private to probe/.
 */
#ifndef PROBE_HIST_H
#define PROBE_HIST_H

#include <stddef.h>
#include <stdint.h>

#define NT_HIST_SUB 64
#define NT_HIST_BUCKETS (59 * NT_HIST_SUB)

struct nt_hist {
	uint64_t n, min, max;
	double sum;
	uint64_t bucket[NT_HIST_BUCKETS];
};

void nt_hist_reset(struct nt_hist *h);
void nt_hist_add(struct nt_hist *h, uint64_t v);
void nt_hist_merge(struct nt_hist *h, const struct nt_hist *other);
/* The value that a share q (0..1) of all lie at or below: its bucket's middle, within
 * min..max. NAN when empty. */
double nt_hist_quantile(const struct nt_hist *h, double q);
/* Which bucket v falls in, and the least value of a bucket. */
unsigned nt_hist_bucket(uint64_t v);
uint64_t nt_hist_floor(unsigned bucket);

#endif
