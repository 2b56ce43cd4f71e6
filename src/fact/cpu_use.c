/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/fact_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns of a cpu line of /proc/stat: proc(5). Guest time is in user time already. */
enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, N_COLUMNS };

struct ticks {
	double v[N_COLUMNS];
};

/* The line of CPU n, or of all together for -1; false when there is none. */
static bool ticks_of(const char *stat, int n, struct ticks *ret)
{
	char word[24];
	const char *at;
	char *end;
	int i;

	snprintf(word, sizeof word, n < 0 ? "cpu " : "cpu%d ", n);
	for (at = stat; at && strncmp(at, word, strlen(word)) != 0;) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
		if (at && strncmp(at, "cpu", 3) != 0)
			return false; /* the cpu lines come first */
	}
	if (!at)
		return false;
	at += strlen(word);
	for (i = 0; i < N_COLUMNS; i++) {
		ret->v[i] = strtod(at, &end);
		if (end == at)
			return i > IDLE; /* old kernels have fewer */
		at = end;
	}
	return true;
}

struct use {
	double busy, softirq, steal; /* shares of the time, in per cent */
};

static bool use_of(const char *first, const char *later, int n, struct use *ret)
{
	struct ticks a = { 0 }, b = { 0 };
	double all = 0;
	int i;

	if (!ticks_of(first, n, &a) || !ticks_of(later, n, &b))
		return false;
	for (i = 0; i < N_COLUMNS; i++) {
		b.v[i] -= a.v[i];
		if (b.v[i] < 0) /* idle and iowait may step back a little */
			b.v[i] = 0;
		all += b.v[i];
	}
	if (all <= 0)
		return false;
	ret->busy = 100 * (all - b.v[IDLE] - b.v[IOWAIT]) / all;
	ret->softirq = 100 * b.v[SOFTIRQ] / all;
	ret->steal = 100 * b.v[STEAL] / all;
	return true;
}

static void put(struct nt_snapshot *s, const char *name, double v)
{
	nt_fact_real(s, &s->host, name, NT_UNIT_PERCENT, v);
}

void nt_text_cpu_use(struct nt_snapshot *s, const char *first, const char *later)
{
	struct use all, one, most = { 0 };
	int n, missing = 0;

	if (!use_of(first, later, -1, &all))
		return;
	put(s, "cpu.busy_pct", all.busy);
	put(s, "cpu.softirq_pct", all.softirq);
	put(s, "cpu.steal_pct", all.steal);
	/* numbers have gaps where CPUs are offline */
	for (n = 0; n < 8192 && missing < 64; n++) {
		if (!use_of(first, later, n, &one)) {
			missing++;
			continue;
		}
		missing = 0;
		if (one.busy > most.busy)
			most.busy = one.busy;
		if (one.softirq > most.softirq)
			most.softirq = one.softirq;
	}
	put(s, "cpu.max_busy_pct", most.busy);
	put(s, "cpu.max_softirq_pct", most.softirq);
}
