/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "hist.h"

#include <math.h>
#include <string.h>

#define SUB_BITS 6

void nt_hist_reset(struct nt_hist *h)
{
	memset(h, 0, sizeof *h);
	h->min = UINT64_MAX;
}

/* Below 2 * SUB every value has its own bucket; above, the top 7 bits choose it. */
unsigned nt_hist_bucket(uint64_t v)
{
	unsigned shift;

	if (v < 2 * NT_HIST_SUB)
		return v;
	shift = 63 - __builtin_clzll(v) - SUB_BITS;
	return (shift << SUB_BITS) + (v >> shift);
}

uint64_t nt_hist_floor(unsigned bucket)
{
	unsigned shift;

	if (bucket < 2 * NT_HIST_SUB)
		return bucket;
	shift = (bucket >> SUB_BITS) - 1;
	return (uint64_t)(bucket - (shift << SUB_BITS)) << shift;
}

void nt_hist_add(struct nt_hist *h, uint64_t v)
{
	h->bucket[nt_hist_bucket(v)]++;
	h->n++;
	h->sum += v;
	if (v < h->min)
		h->min = v;
	if (v > h->max)
		h->max = v;
}

void nt_hist_merge(struct nt_hist *h, const struct nt_hist *other)
{
	unsigned i;

	for (i = 0; i < NT_HIST_BUCKETS; i++)
		h->bucket[i] += other->bucket[i];
	h->n += other->n;
	h->sum += other->sum;
	if (other->min < h->min)
		h->min = other->min;
	if (other->max > h->max)
		h->max = other->max;
}

double nt_hist_quantile(const struct nt_hist *h, double q)
{
	uint64_t want, seen = 0;
	unsigned i;
	double v;

	if (!h->n)
		return NAN;
	want = ceil(q * h->n);
	if (want < 1)
		want = 1;
	for (i = 0; i < NT_HIST_BUCKETS - 1; i++) {
		seen += h->bucket[i];
		if (seen >= want)
			break;
	}
	v = i < 2 * NT_HIST_SUB
		    ? (double)nt_hist_floor(i)
		    : ((double)nt_hist_floor(i) + (double)nt_hist_floor(i + 1) - 1) / 2;
	return v < h->min ? h->min : v > h->max ? h->max : v;
}
