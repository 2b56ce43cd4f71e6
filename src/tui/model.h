/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the screens show: links with their rates, the host's load, the judged snapshot.
 * Only the screen thread touches a model; workers hand it finished samples. No terminal
 * here.
 */
#ifndef TUI_MODEL_H
#define TUI_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "nettune/fact.h"
#include "nettune/rule.h"
#include "nettune/fact_sample.h"

#define NT_HISTORY 64 /* samples kept a link, for the graphs */

struct nt_link_row {
	struct nt_sample_link link;
	bool have_rates; /* two samples seen */
	double rx_mbps, tx_mbps, drops_ps, rx_pps, tx_pps;
	float rx_hist[NT_HISTORY], tx_hist[NT_HISTORY]; /* Mbit/s, oldest first */
	int n_hist;
	int speed; /* Mbit/s from the judged snapshot, -1 unknown */
	char driver[32];
	unsigned problems, warnings, advice;
};

struct nt_model {
	struct nt_link_row *rows; /* in the kernel's order */
	size_t n_rows, cap_rows;
	struct nt_sample *last;
	double cpu_pct, softirq_pct; /* of all CPUs; negative: unknown */
	int softirq_cpu; /* the CPU with most softirq work, -1 none stands out */
	double softirq_cpu_pct;
	double retrans_pct, softnet_drops_ps; /* negative: unknown */

	struct nt_snapshot *snapshot; /* NULL until judged */
	struct nt_findings *findings;
	unsigned n_problems, n_warnings, n_advice;
	unsigned long ticket; /* of the judgement: a higher one was read later */
};

/* Take in a sample (owned by the model afterwards): rows come, go, and get rates. */
void nt_model_sample(struct nt_model *m, struct nt_sample *s);
/* Take in a judgement (both owned by the model afterwards). */
void nt_model_judged(struct nt_model *m, struct nt_snapshot *s, struct nt_findings *f,
	unsigned long ticket);
const struct nt_link_row *nt_model_row(const struct nt_model *m, const char *link);
void nt_model_free(struct nt_model *m);

/*
 * A graph of n values as width columns of text ending at the newest, in blocks or ASCII;
 * full height is max (<= 0: the largest value). ret holds size bytes.
 */
void nt_sparkline(
	char *ret, size_t size, const float *v, int n, int width, double max, bool utf8);

#endif
