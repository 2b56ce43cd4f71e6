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

#include "nettune/buf.h"
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
/*
 * The row of a tunable, exact names before families; NULL when name can't be written.
 * Secrets (tcp_fastopen_key, stable_secret, netdev_rss_key) and facts that only describe
 * ("ring.rx.max", "feature.rx-lro.fixed") have no row.
 */
const struct nt_tunable *nt_tunable_find(const char *name);

/* A value for a tunable. */
struct nt_assign {
	const char *tunable;
	const struct nt_fact *to;
};

/*
 * Whether a and b, of one link or both of the host, are written by one request and one
 * command: features, coalescing, rings, channels, pause and EEE each as a group, the
 * elements of one vector sysctl.
 */
bool nt_tunable_joins(const char *a, const char *b);

/*
 * Append the shell command that an administrator would type: for n values that join, one
 * command. link is NULL or "" for the host. Elements of a vector that are not given come
 * from the snapshot s; where s is NULL or lacks them the command reads them itself. Odd
 * names are quoted for the shell. Every tunable must have a row.
 */
void nt_tunable_command(struct nt_buf *ret, const struct nt_snapshot *s, const char *link,
	const struct nt_assign *v, size_t n);

/*
 * A sysctl tunable's file below /proc/sys ("net/ipv4/tcp_rmem") into ret. *ret_index is the
 * element for a vector's part (".min" 0, ".default" 1, ".max" 2, or .max 1 of a pair), -1
 * for a whole value. Returns how many elements the vector has, 1 for a scalar, or -EINVAL
 * for a name that is no sysctl tunable or too long.
 */
int nt_tunable_sysctl(const char *name, char *ret, size_t size, int *ret_index);

/*
 * The file that holds a tunable of kind sysctl, rps, xps, irq-affinity or sysfs into ret.
 * -EINVAL for other kinds, odd names and paths too long.
 */
int nt_tunable_path(const char *tunable, const char *link, char *ret, size_t size);

#endif
