/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tunable table: every fact that can be written, in one row each (or one row for a
 * family such as feature.* ). From the row come reading, writing, range, unit, risk, scope,
 * listing, journal, JSON and screens.
 */
#ifndef NETTUNE_TUNABLE_H
#define NETTUNE_TUNABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nettune/fact.h"
#include "nettune/names.h"

enum nt_risk {
	NT_RISK_NONE,	 /* nothing but the wanted effect */
	NT_RISK_TRAFFIC, /* a hiccup in the link's traffic */
	NT_RISK_HOST,	 /* every flow on the host is touched */
	NT_RISK_LINK,	 /* the link goes down for a while */
	_NT_RISK_MAX
};
extern const struct nt_name nt_risk_names[];

enum nt_tunable_kind {
	NT_TUN_FEATURE, NT_TUN_COALESCE, NT_TUN_RING, NT_TUN_CHANNELS, NT_TUN_PAUSE,
	NT_TUN_EEE, NT_TUN_MTU, NT_TUN_TXQUEUELEN, NT_TUN_QDISC, NT_TUN_SYSCTL,
	NT_TUN_RPS, NT_TUN_XPS, NT_TUN_IRQ_AFFINITY, NT_TUN_SYSFS,
	_NT_TUN_MAX
};
extern const struct nt_name nt_tunable_kind_names[];

struct nt_tunable {
	const char *name; /* a fact's name or a family's glob */
	enum nt_tunable_kind kind;
	enum nt_scope_kind scope; /* host or link */
	bool global; /* lives outside network namespaces: can't be changed from inside one */
	enum nt_risk risk;
	enum nt_fact_type type;
	enum nt_unit unit;
	double min, max; /* in unit; min > max: no bound known here (the driver has its own) */
	const char *max_fact; /* fact that holds the driver's bound ("ring.rx.max"), or NULL */
	const char *summary;
};

/* All rows, n in *ret_n. */
const struct nt_tunable *nt_tunables(size_t *ret_n);
/* The row of a tunable, exact names before families; NULL when name can't be written. */
const struct nt_tunable *nt_tunable_find(const char *name);

#endif
