/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports: what was read, found and planned, for people and for programs. They read the
 * models alone, never the kernel, and cannot tell a live host from a capture.
 */
#ifndef NETTUNE_REPORT_H
#define NETTUNE_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "nettune/buf.h"
#include "nettune/plan.h"
#include "nettune/probe.h"
#include "nettune/rule.h"

/* One end: a sealed snapshot and what was found in it. */
struct nt_report_end {
	const struct nt_snapshot *snapshot;
	const struct nt_findings *findings;
};

/*
 * What a report is made from. Everything is borrowed, and must outlive the call only.
 * Links that are ->interesting in the snapshot are shown.
 */
struct nt_report {
	struct nt_report_end here;
	struct nt_report_end peer; /* the other end after a probe; snapshot NULL without */
	const struct nt_rulebase *rules; /* what was checked */
	const struct nt_plan *plan;	 /* may be NULL */
	const struct nt_probe_result *probe; /* what the probe measured; NULL without */
	enum nt_goal goal;
	time_t generated;
};

/* How a text report is to look. */
struct nt_report_style {
	int columns; /* lines are never wider; below NT_REPORT_MIN_COLUMNS means that */
	bool color;  /* colours the severity word, nothing else */
	bool utf8;   /* the reader's terminal shows UTF-8; else ASCII only */
	bool verbose; /* raw values, undecided rules with what they lack, unread facts */
	const char *again; /* words that repeat the call: "--goal latency eth0"; NULL none */
};

#define NT_REPORT_MIN_COLUMNS 40

/* The text report, verdict first, worst first, appended to ret. */
void nt_report_text(const struct nt_report *r, const struct nt_report_style *style,
	struct nt_buf *ret);

/*
 * The report as JSON, schema nettune-report/1 (schema/nettune-report-1.json), streamed to
 * out. Numbers are in the catalogue's unit of the fact, switches are "on" and "off".
 * Returns 0 or the negative errno of the stream.
 */
int nt_report_json(const struct nt_report *r, FILE *out);

#endif
