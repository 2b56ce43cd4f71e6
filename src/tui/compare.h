/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two probes of the same peer side by side: what each measured, how far the samples of it
 * spread, and whether the difference is more than that. Pure functions, no terminal here.
 */
#ifndef TUI_COMPARE_H
#define TUI_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "nettune/probe.h"

#define NT_COMPARE_RUNS 8    /* probes remembered */
#define NT_COMPARE_SAMPLES 3 /* fewer of a run say nothing of its spread */
#define NT_COMPARE_LEAST 0.01 /* a smaller share is no change, even of steady samples */

enum nt_measured {
	NT_MEASURED_UP, /* Mbit/s, as in struct nt_probe_part */
	NT_MEASURED_DOWN,
	NT_MEASURED_RATE, /* transactions a second */
	NT_MEASURED_P50,  /* us, of a request and its response */
	NT_MEASURED_P99,
	NT_MEASURED_CPU_HERE, /* CPU seconds of that host per 10^9 bytes */
	NT_MEASURED_CPU_THERE,
	NT_MEASURED_RETRANS_HERE, /* segments that end sent again a second */
	NT_MEASURED_RETRANS_THERE,
	NT_MEASURED_LOST_UP, /* percent of UDP datagrams */
	NT_MEASURED_LOST_DOWN,
	NT_MEASURED_FREED_HERE, /* us, Tx completion */
	NT_MEASURED_FREED_THERE,
	_NT_MEASURED_MAX
};

struct nt_measure {
	enum nt_probe_test test;
	char part[24];
	enum nt_measured what;
	double value;
	/*
	 * How far its samples spread, in its own unit; n of them, 0 where there are none.
	 * Of a rate, and of what goes with it, the samples are the run's seconds without
	 * the lowest and the highest tenth: two standard deviations either way. Of
	 * latencies and completion they are single transactions: around the median from
	 * the least to p90, around p99 from p90 to p99.9; of completion, which knows no
	 * more, from p50 to p99.
	 */
	double low, high;
	double n;
};

struct nt_measures {
	char address[64];
	unsigned port;
	time_t at;
	double seconds; /* of each test as asked for; 0 the tests' own */
	char *options;	/* the others, as nt_probe_settings_format() */
	struct nt_measure *v;
	size_t n, cap;
};

/* The probes of this session, newest last. All zeroes is an empty one. */
struct nt_compare_log {
	struct nt_measures v[NT_COMPARE_RUNS];
	size_t n;
};

/* Note down what was measured; when full the oldest goes. */
void nt_compare_add(
	struct nt_compare_log *log, const struct nt_probe_result *r, time_t at);
void nt_compare_free(struct nt_compare_log *log);
const struct nt_measures *nt_compare_now(const struct nt_compare_log *log);
/*
 * The newest probe before the last one that went to the same address and port and shares
 * a test with it; NULL without.
 */
const struct nt_measures *nt_compare_before(const struct nt_compare_log *log);
/* The same thing in another probe, or NULL. */
const struct nt_measure *nt_measure_find(
	const struct nt_measures *in, const struct nt_measure *like);

enum nt_difference {
	NT_DIFF_BETTER,
	NT_DIFF_WORSE,
	NT_DIFF_COVERED, /* the spreads overlap, it may be chance; or next to no change */
	NT_DIFF_FEW,	 /* fewer than NT_COMPARE_SAMPLES samples: not told */
	_NT_DIFF_MAX
};
/* A change counts only where the spreads of both probes do not overlap. */
enum nt_difference nt_measure_differs(
	const struct nt_measure *before, const struct nt_measure *now);
/* Percent of before, signed; NAN where that is 0. */
double nt_measure_change(const struct nt_measure *before, const struct nt_measure *now);
/* "up Mbit/s" */
const char *nt_measured_name(enum nt_measured what);

#endif
