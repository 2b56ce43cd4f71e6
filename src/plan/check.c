/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "nettune/mem.h"
#include "set.h"
#include "undo.h"

int nt_step_ifindex(const struct nt_step *st, const struct nt_links *links)
{
	const struct nt_link *l;

	if (!*st->link)
		return 0;
	l = nt_links_by_name(links, st->link);
	return l ? l->ifindex : -1;
}

void nt_watch_plan(struct nt_watch *w, const struct nt_plan *p, const struct nt_links *links)
{
	size_t i;
	int ifindex;

	for (i = 0; i < p->n; i++) {
		ifindex = nt_step_ifindex(&p->v[i], links);
		if (p->v[i].selected && ifindex >= 0)
			nt_watch_tunable(w, links, ifindex, p->v[i].tunable);
	}
}

/* The global sysctls do not exist in any but the initial network namespace (N8). */
static bool in_namespace(struct nt_sys *s)
{
	struct nt_buf b = { 0 };
	int rc = nt_sys_read_line(s, "/proc/sys/net/core/netdev_max_backlog", &b, NULL);

	nt_buf_free(&b);
	return rc == -ENOENT;
}

static bool has_ipv6(struct nt_sys *s, const struct nt_link *l)
{
	char path[96];
	struct nt_buf b = { 0 };
	bool has;

	snprintf(path, sizeof path, "/proc/sys/net/ipv6/conf/%s/disable_ipv6", l->name);
	has = nt_sys_read_line(s, path, &b, NULL) == 0 && strcmp(nt_buf_str(&b), "1") != 0;
	nt_buf_free(&b);
	return has;
}

static void check_range(struct nt_plan *p, struct nt_step *st)
{
	char text[80];
	double v;

	if (st->to.type == NT_FACT_INT)
		v = (double)st->to.v.i;
	else if (st->to.type == NT_FACT_SWITCH || st->to.type == NT_FACT_BOOL)
		v = st->to.v.i != 0;
	else
		return;
	if (st->row->min > st->row->max || (v >= st->row->min && v <= st->row->max))
		return;
	snprintf(text, sizeof text, "%.15g to %.15g", st->row->min, st->row->max);
	nt_plan_leave_out(p, st, "outside its range ", text);
}

static bool in_sysfs(const struct nt_step *st)
{
	return st->row->kind == NT_TUN_RPS || st->row->kind == NT_TUN_XPS ||
	       st->row->kind == NT_TUN_SYSFS || st->row->kind == NT_TUN_IRQ_AFFINITY;
}

static void check_value(struct nt_sys *s, struct nt_plan *p, struct nt_step *st,
	const struct nt_link *l, struct nt_state *state)
{
	int ifindex = l ? l->ifindex : 0;
	char now[NT_VALUE_MAX], to[NT_VALUE_MAX];
	const char *tree;

	if (l && in_sysfs(st) && !nt_sys_link_in_sysfs(s, l)) {
		nt_plan_leave_out(p, st, "/sys shows the links of another network namespace", "");
		return;
	}
	if (nt_state_value(state, ifindex, st->tunable, now, sizeof now) < 0) {
		nt_plan_leave_out(p, st,
			st->row->kind == NT_TUN_FEATURE ? "fixed or not offered by the driver"
			: st->row->kind == NT_TUN_SYSCTL ? "this kernel has no such sysctl here"
							 : "not offered by the driver",
			"");
		return;
	}
	nt_fact_format(to, sizeof to, &st->to);
	if (nt_val_equal(st->tunable, now, to)) {
		st->outcome = NT_OUT_SAME;
		nt_plan_leave_out(p, st, "it is so already", "");
		return;
	}
	if (st->row->kind == NT_TUN_MTU && st->to.v.i < 1280 && l && has_ipv6(s, l))
		nt_plan_leave_out(p, st,
			"an MTU below 1280 deletes the link's IPv6 addresses and routes", "");
	tree = nt_state_get(state, ifindex, "qdisc.root");
	if (st->row->kind == NT_TUN_QDISC && tree && nt_qdisc_kept(tree))
		nt_plan_leave_out(p, st, "replacing it would lose what was set up in ", now);
}

/* A driver that once gave another value for the same request would do so again. */
static void check_clamped(struct nt_plan *p, const struct nt_set *set,
	const struct nt_links *links, struct nt_state *state)
{
	size_t i, k;
	char now[NT_VALUE_MAX], to[NT_VALUE_MAX];

	for (i = 0; i < p->n; i++) {
		struct nt_step *st = &p->v[i];

		if (!st->selected || !st->row)
			continue;
		nt_fact_format(to, sizeof to, &st->to);
		for (k = 0; k < set->n_steps; k++) {
			const struct nt_set_step *old = &set->steps[k];
			int ifindex = nt_step_ifindex(st, links);

			if (old->state != NT_STEP_DONE || !old->got ||
				old->ifindex != ifindex || strcmp(old->tunable, st->tunable) != 0 ||
				strcmp(old->to, to) != 0 || nt_val_equal(old->tunable, old->got, to))
				continue;
			if (nt_state_value(state, ifindex, st->tunable, now, sizeof now) == 0 &&
				nt_val_equal(st->tunable, now, old->got)) {
				st->outcome = NT_OUT_SAME;
				nt_plan_leave_out(p, st, "the driver has answered this with ", now);
			}
		}
	}
}

static void check_history(struct nt_sys *s, struct nt_plan *p, const struct nt_links *links,
	struct nt_state *state, const char *dir)
{
	struct nt_place_id here;
	struct nt_set set;
	unsigned *ids = NULL;
	size_t n = 0, i;

	if (nt_place_here(s, &here, NULL) < 0 || nt_journal_list(dir, &ids, &n, NULL) < 0)
		n = 0;
	/* of the newest only: older ones say what drivers did long ago */
	for (i = n > 20 ? n - 20 : 0; i < n; i++) {
		if (nt_journal_load(dir, ids[i], &set, NULL) == 0 &&
			nt_place_check(&here, &set, NULL) == 0)
			check_clamped(p, &set, links, state);
		nt_set_free(&set);
	}
	free(ids);
}

static void check_steps(struct nt_sys *s, struct nt_plan *p, const struct nt_links *links,
	struct nt_state *state, const char *dir)
{
	bool inside = in_namespace(s);
	const struct nt_link *l;
	size_t i;

	for (i = 0; i < p->n; i++) {
		struct nt_step *st = &p->v[i];

		if (!st->selected)
			continue;
		l = *st->link ? nt_links_by_name(links, st->link) : NULL;
		if (!st->row)
			nt_plan_leave_out(p, st, "not a tunable", "");
		else if ((st->row->scope == NT_SCOPE_LINK) != (*st->link != '\0'))
			nt_plan_leave_out(p, st, *st->link ? "not of a link" : "needs a link", "");
		else if (*st->link && !l)
			nt_plan_leave_out(p, st, "no such link: ", st->link);
		else if (st->row->global && inside)
			nt_plan_leave_out(p, st, NT_WHY_GLOBAL, "");
		else
			check_range(p, st);
		if (st->selected)
			check_value(s, p, st, l, state);
	}
	if (dir)
		check_history(s, p, links, state, dir);
}

struct hearing {
	const struct nt_plan *p;
	const struct nt_links *links;
	struct nt_err first;
};

/* Whether a step is of that group of the link. */
static bool wanted(const struct hearing *h, int ifindex, int kind)
{
	size_t i;

	for (i = 0; i < h->p->n; i++)
		if (h->p->v[i].selected && h->p->v[i].row && (int)h->p->v[i].row->kind == kind &&
			nt_step_ifindex(&h->p->v[i], h->links) == ifindex)
			return true;
	return false;
}

/*
 * What is missing or for root only is told step by step, and a driver may well fail to read
 * what no step is of, while its link is down or for ever; anything else is a failure.
 */
static void hear(void *arg, int ifindex, int kind, const char *what, const struct nt_err *e)
{
	struct hearing *h = arg;

	if (e->code == -ENOENT || e->code == -EPERM || e->code == -EACCES || h->first.code ||
		(kind >= 0 && !wanted(h, ifindex, kind)))
		return;
	h->first = *e;
	nt_err_prefix(&h->first, "cannot read %s", what);
}

int nt_plan_check(struct nt_sys *s, struct nt_plan *p, const char *dir, struct nt_err *err)
{
	struct nt_links links = { 0 };
	struct hearing h = { .p = p, .links = &links };
	struct nt_state state = { 0 };
	struct nt_watch w = { 0 };
	int rc = s->ops->links(s, &links, err);

	if (rc == 0) {
		nt_watch_plan(&w, p, &links);
		nt_state_read(s, &w, &links, &state, hear, &h, NULL);
		rc = h.first.code;
		if (rc == 0)
			check_steps(s, p, &links, &state, dir);
		else if (err)
			*err = h.first;
	}
	nt_watch_free(&w);
	nt_state_free(&state);
	nt_links_free(&links);
	return rc;
}
