/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What several modes begin with: read this host, load the rules, judge. Private to cmd/. */
#ifndef LOOK_H
#define LOOK_H

#include "cmd.h"
#include "nettune/fact.h"
#include "nettune/probe.h"
#include "nettune/rule.h"
#include "nettune/sys.h"

struct nt_look_opts {
	const char *const *links; /* NULL: all; else NULL-terminated names */
	enum nt_goal goal;
	double interval_s;  /* between two readings of the counters; 0: one reading */
	unsigned sys_flags; /* NT_SYS_* */
	const char *peer;   /* probe this host first; NULL: no probe */
	struct nt_probe_key key;
};

/* The options that a mode with such a beginning has; rows for its option table. */
#define NT_LOOK_OPTS                                                                     \
	{ "goal", NT_ARG_REQUIRED, "GOAL", "balanced, throughput, latency, cpu, forwarding" }, \
	{ "interval", NT_ARG_REQUIRED, "S", "seconds between two readings; 0: one only" },    \
	{ "ethtool", NT_ARG_REQUIRED, "HOW", "netlink or ioctl: how to ask drivers" },         \
	{ "peer", NT_ARG_REQUIRED, "HOST", "probe nettune --serve there, judge what it shows" }, \
	{ "key", NT_ARG_REQUIRED, "FILE", "key shared with the peer; it is judged too" }

struct nt_look {
	struct nt_sys *sys;
	struct nt_rulebase *rules;
	struct nt_snapshot *snapshot;
	struct nt_findings findings;
	struct nt_probe_result *probe; /* NULL without a peer; holds its snapshot */
	struct nt_findings peer_findings; /* empty without the peer's facts */
};

/* Read NT_LOOK_OPTS and the operands as links. 0 or NT_EXIT_USAGE, told on stderr. */
int nt_look_args(const struct nt_args *a, struct nt_look_opts *ret);

/*
 * Load shipped and user rules, faults told on stderr; no rules at all is a failure.
 * NULL after telling why.
 */
struct nt_rulebase *nt_look_rules(void);

/*
 * Read this host and judge it. Returns an exit status; whatever it is, nt_look_free().
 * Failures and notes of what could not be read are told on stderr.
 */
int nt_look(const struct nt_look_opts *opts, struct nt_look *ret);
void nt_look_free(struct nt_look *l);

#endif
