/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/fact.h"

#include <stdio.h>
#include <string.h>

#include "nettune/names.h"
#include "snapshot.h"

/* Families of counters, and what among them is no counter. */
static const char *const counted[] = {
	"stats64.*", "stat.*", "qdisc.*", "snmp.*", "softnet.*", "conntrack.*", "neigh.*",
	"irq.interrupts",
	"link.carrier_changes",
};
static const char *const gauges[] = {
	"qdisc.backlog", "qdisc.qlen", "snmp.Ip.Forwarding", "snmp.Ip.DefaultTTL",
	"snmp.Tcp.Rto*", "snmp.Tcp.MaxConn", "snmp.Tcp.CurrEstab",
	"snmp.MPTcpExt.MPCurrEstab", "softnet.cpus", "softnet.backlog", "conntrack.entries",
	"conntrack.used_pct", "neigh.*.entries",
};

/* What a name of the later reading is in the first one. */
struct pair {
	unsigned id, rate_id;
	enum nt_unit unit;
	bool known, rated;
};

struct rates {
	struct nt_snapshot *s;
	const struct nt_snapshot *later;
	struct pair *pairs; /* by the later reading's name id */
	double seconds;
};

static bool any(const char *const *globs, size_t n, const char *name)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (nt_glob(globs[i], name))
			return true;
	return false;
}

static const struct pair *pair_of(struct rates *r, unsigned later_id)
{
	struct pair *p = &r->pairs[later_id];
	const struct nt_catalogue_row *row;
	const char *name;
	char rate[192];

	if (p->known)
		return p;
	name = nt_snapshot_name(r->later, later_id);
	p->known = true;
	p->id = nt_snapshot_id(r->s, name);
	p->rated = p->id && any(counted, NT_ARRAY_SIZE(counted), name) &&
		   !any(gauges, NT_ARRAY_SIZE(gauges), name) &&
		   snprintf(rate, sizeof rate, "rate.%s", name) < (int)sizeof rate;
	if (p->rated) {
		row = nt_catalogue_find(rate);
		p->unit = row ? row->unit : NT_UNIT_PER_S;
		p->rate_id = nt_symtab_add(&r->s->names, rate);
	}
	return p;
}

static void scope_rates(struct rates *r, struct nt_scope *first, const struct nt_scope *later)
{
	size_t i;

	for (i = 0; i < later->n; i++) {
		const struct nt_fact *b = &later->facts[i], *a;
		const struct pair *p = pair_of(r, b->id);
		double change;

		a = p->rated ? nt_scope_get_id(first, p->id) : NULL;
		if (!a || a->type != NT_FACT_INT || b->type != NT_FACT_INT)
			continue;
		change = (double)b->v.i - (double)a->v.i;
		if (change < 0)
			nt_fact_absent(r->s, first, nt_snapshot_name(r->s, p->rate_id),
				"the counter went back");
		else
			nt_fact_slot(r->s, first, p->rate_id, NT_FACT_REAL, p->unit)->v.r =
				change * (p->unit == NT_UNIT_BPS ? 8 : 1) / r->seconds;
	}
}

/* Links may be renamed, and others made under their names, between two readings. */
static bool same_link(const struct nt_snapshot *s, const struct nt_scope *first,
	const struct nt_snapshot *later, const struct nt_scope *l)
{
	const struct nt_fact *a = nt_scope_get(s, first, "link.ifindex"),
			     *b = nt_scope_get(later, l, "link.ifindex");

	return !a || !b || a->v.i == b->v.i;
}

/* The counters of a link that the second reading did not find again. */
static void gone(struct nt_snapshot *s, struct nt_scope *first)
{
	size_t i, n = first->n;
	char rate[192];

	for (i = 0; i < n; i++) {
		const char *name = nt_snapshot_name(s, first->facts[i].id);

		if (first->facts[i].type == NT_FACT_INT &&
			any(counted, NT_ARRAY_SIZE(counted), name) &&
			!any(gauges, NT_ARRAY_SIZE(gauges), name) &&
			snprintf(rate, sizeof rate, "rate.%s", name) < (int)sizeof rate)
			nt_fact_absent(s, first, rate, "the link was gone at the second reading");
	}
}

void nt_fact_rates(struct nt_snapshot *s, const struct nt_snapshot *later, double seconds)
{
	struct rates r = { .s = s, .later = later, .seconds = seconds };
	const struct nt_scope *again;
	size_t i;

	r.pairs = nt_calloc(later->names.n + 1, sizeof *r.pairs);
	nt_snapshot_unseal(s);
	scope_rates(&r, &s->host, &later->host);
	for (i = 0; i < s->n_links; i++) {
		again = nt_snapshot_link(later, s->links[i]->name);
		if (again && same_link(s, s->links[i], later, again))
			scope_rates(&r, s->links[i], again);
		else
			gone(s, s->links[i]);
	}
	free(r.pairs);
	nt_snapshot_seal(s);
}
