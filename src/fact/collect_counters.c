/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "collect.h"

#include <stdio.h>
#include <string.h>

#include "nettune/fact_text.h"
#include "snapshot.h"

/* A counter of the kernel is unsigned; a fact holds what fits. */
static int64_t counter(uint64_t v)
{
	return v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

/* ---- links --------------------------------------------------------------------------- */

static void link_stats(struct nt_collect *c)
{
	struct {
		unsigned id;
		enum nt_unit unit;
	} stat[NT_LINK_STATS_MAX];
	unsigned known;
	size_t i, j;
	char name[64];

	for (known = 0; known < NT_LINK_STATS_MAX && nt_link_stat_name(known); known++) {
		const struct nt_catalogue_row *row;

		snprintf(name, sizeof name, "stats64.%s", nt_link_stat_name(known));
		row = nt_catalogue_find(name);
		stat[known].id = nt_symtab_add(&c->s->names, name);
		stat[known].unit = row ? row->unit : NT_UNIT_NONE;
	}
	for (i = 0; i < c->n; i++)
		for (j = 0; j < known && j < c->v[i].link->n_stats; j++)
			nt_fact_slot(c->s, c->v[i].scope, stat[j].id, NT_FACT_INT,
				stat[j].unit)
				->v.i = counter(c->v[i].link->stats[j]);
	for (i = 0; i < c->n; i++)
		nt_fact_int(c->s, c->v[i].scope, "link.carrier_changes", NT_UNIT_NONE,
			c->v[i].link->carrier_changes);
}

#define PREFIX "stat."

struct driver_stats {
	struct nt_collect *c;
	struct nt_scope *scope;
	char name[64]; /* PREFIX and the driver's word */
	uint8_t *seen; /* by name id: the scope that has it, as a mark of this round */
	size_t n_seen;
	uint8_t round;
};

/* Of names that a driver uses more than once the first counts. */
static bool seen_before(struct driver_stats *d, unsigned id)
{
	if (id >= d->n_seen) {
		d->seen = nt_reallocarray(d->seen, id + 256, 1);
		memset(d->seen + d->n_seen, 0, id + 256 - d->n_seen);
		d->n_seen = id + 256;
	}
	if (d->seen[id] == d->round)
		return true;
	d->seen[id] = d->round;
	return false;
}

static void got_stat(void *arg, const char *name, uint64_t value)
{
	struct driver_stats *d = arg;
	size_t len;
	unsigned id;

	name += strspn(name, " "); /* vmxnet3 indents the counters of a queue */
	if (!*name)
		return;
	len = strnlen(name, sizeof d->name - sizeof PREFIX);
	memcpy(d->name + strlen(PREFIX), name, len);
	d->name[strlen(PREFIX) + len] = '\0';
	id = nt_symtab_add(&d->c->s->names, d->name);
	if (!seen_before(d, id))
		nt_fact_slot(d->c->s, d->scope, id, NT_FACT_INT, NT_UNIT_NONE)->v.i =
			counter(value);
}

static void driver_stats(struct nt_collect *c)
{
	struct driver_stats d = { .c = c, .name = PREFIX };
	struct nt_err err;
	size_t i;

	for (i = 0; i < c->n; i++) {
		if (++d.round == 0) { /* marks of 256 links ago must not count */
			free(d.seen);
			d.seen = NULL;
			d.n_seen = 0;
			d.round = 1;
		}
		d.scope = c->v[i].scope;
		nt_err_clear(&err);
		if (c->sys->ops->eth_stats(c->sys, c->v[i].link, c->v[i].n_stats,
			    got_stat, &d, &err) == 0)
			continue;
		c->v[i].why[NT_SOURCE_STAT] = nt_collect_why(err.code);
		if (c->v[i].why[NT_SOURCE_STAT] == NT_WHY_FAILED)
			nt_collect_note(c, "'%s': driver statistics: %s",
				c->v[i].link->name, err.msg);
	}
	free(d.seen);
}

/* ---- queueing disciplines ------------------------------------------------------------ */

static void root_qdisc(struct nt_collect *c, struct nt_scope *sc, const struct nt_qdisc *q)
{
	nt_fact_text(c->s, sc, NT_FACT_TEXT, "qdisc.root", q->kind);
	nt_fact_int(c->s, sc, "qdisc.drops", NT_UNIT_PACKETS, q->drops);
	nt_fact_int(c->s, sc, "qdisc.requeues", NT_UNIT_PACKETS, q->requeues);
	nt_fact_int(c->s, sc, "qdisc.overlimits", NT_UNIT_NONE, q->overlimits);
	nt_fact_int(c->s, sc, "qdisc.backlog", NT_UNIT_BYTES, q->backlog);
	nt_fact_int(c->s, sc, "qdisc.qlen", NT_UNIT_PACKETS, q->qlen);
}

/* Whether another qdisc of the link hangs below q. The kernel's own mq has handle 0, and
 * so have its leaves: there only the root has children. */
static bool has_children(const struct nt_qdisc *q, const struct nt_qdisc *of_link, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!of_link[i].is_root && !of_link[i].is_ingress && &of_link[i] != q &&
			(of_link[i].parent & 0xffff0000U) == q->handle &&
			(q->handle || q->is_root))
			return true;
	return false;
}

static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);
	const char *at = list;

	while ((at = strstr(at, word))) {
		if ((at == list || at[-1] == ' ') && (at[len] == ' ' || !at[len]))
			return true;
		at += len;
	}
	return false;
}

/* The n qdiscs of one link. */
static void link_qdiscs(struct nt_collect *c, struct nt_collect_link *l,
	const struct nt_qdisc *q, size_t n)
{
	struct nt_buf leaves = { 0 };
	const char *ingress = "";
	size_t i;

	for (i = 0; i < n; i++) {
		if (q[i].is_ingress) {
			ingress = q[i].kind;
			continue;
		}
		if (q[i].is_root)
			root_qdisc(c, l->scope, &q[i]);
		/* a multiqueue device has hundreds of equal leaves: name each kind once */
		if (!has_word(nt_buf_str(&leaves), q[i].kind) && !has_children(&q[i], q, n))
			nt_buf_addf(&leaves, "%s%s", leaves.len ? " " : "", q[i].kind);
	}
	nt_fact_text(c->s, l->scope, NT_FACT_TEXT, "qdisc.ingress", ingress);
	if (leaves.len)
		nt_fact_text(c->s, l->scope, NT_FACT_LIST, "qdisc.leaves",
			nt_buf_str(&leaves));
	nt_buf_free(&leaves);
}

static int by_link(const void *a, const void *b)
{
	const struct nt_qdisc *x = a, *y = b;

	return (x->ifindex > y->ifindex) - (x->ifindex < y->ifindex);
}

static void qdiscs(struct nt_collect *c)
{
	struct nt_qdiscs list = { 0 };
	struct nt_err err = { 0 };
	size_t i, end;
	int rc = c->sys->ops->qdiscs(c->sys, &list, &err);

	if (rc < 0)
		nt_collect_note(c, "queueing disciplines: %s", err.msg);
	for (i = 0; i < c->n; i++) {
		if (rc < 0)
			c->v[i].why[NT_SOURCE_QDISC] = nt_collect_why(err.code);
		/* what the link itself says stands where the list has nothing */
		if (c->v[i].link->qdisc[0])
			nt_fact_text(c->s, c->v[i].scope, NT_FACT_TEXT, "qdisc.root",
				c->v[i].link->qdisc);
	}
	if (list.n)
		qsort(list.v, list.n, sizeof *list.v, by_link);
	for (i = 0; i < list.n; i = end) {
		struct nt_collect_link *l = nt_collect_link(c, list.v[i].ifindex);

		for (end = i; end < list.n && list.v[end].ifindex == list.v[i].ifindex; end++)
			;
		if (l)
			link_qdiscs(c, l, &list.v[i], end - i);
	}
	nt_qdiscs_free(&list);
}

/* ---- host ---------------------------------------------------------------------------- */

static int stat_conntrack(struct nt_snapshot *s, const char *text)
{
	return nt_text_stat_table(s, "conntrack", text);
}

static int stat_arp(struct nt_snapshot *s, const char *text)
{
	return nt_text_stat_table(s, "neigh.arp_cache", text);
}

static int stat_ndisc(struct nt_snapshot *s, const char *text)
{
	return nt_text_stat_table(s, "neigh.ndisc_cache", text);
}

static const struct {
	const char *path;
	int (*parse)(struct nt_snapshot *s, const char *text);
} files[] = {
	{ "/proc/net/snmp", nt_text_snmp },
	{ "/proc/net/netstat", nt_text_snmp },
	{ "/proc/net/snmp6", nt_text_snmp6 },
	{ "/proc/net/sockstat", nt_text_sockstat },
	{ "/proc/net/sockstat6", nt_text_sockstat },
	{ "/proc/net/softnet_stat", nt_text_softnet },
	{ "/proc/net/stat/nf_conntrack", stat_conntrack },
	{ "/proc/net/stat/arp_cache", stat_arp },
	{ "/proc/net/stat/ndisc_cache", stat_ndisc },
};

void nt_collect_counters(struct nt_collect *c)
{
	struct nt_buf b = { 0 };
	size_t i;
	int rc;

	link_stats(c);
	for (i = 0; i < NT_ARRAY_SIZE(files); i++) {
		rc = nt_collect_read(c, files[i].path, &b);
		if (rc == 0)
			files[i].parse(c->s, nt_buf_str(&b));
		else
			nt_collect_unread(c, files[i].path, rc);
	}
	nt_buf_free(&b);
	qdiscs(c);
	driver_stats(c);
	nt_collect_irq_counts(c);
}
