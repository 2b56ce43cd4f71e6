/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which links a change on one of them can move. */
#include "config.h"

#include "state.h"

#include <stdlib.h>
#include <string.h>

#include "nettune/mem.h"

/*
 * Kinds of which netlink tells all the ties that they have, as lower device, as master or as
 * peer: another link's change reaches them on these ways alone. Anything else, a device with
 * its firmware, functions and shared interrupts above all, is taken to reach all its like.
 */
static bool tied_as_told(const struct nt_link *l)
{
	static const char *const kinds[] = { "bridge", "dummy", "ifb", "ipvlan", "macvlan",
		"macvtap", "tun", "veth", "vlan", "vxlan" };
	size_t i;

	for (i = 0; i < NT_ARRAY_SIZE(kinds); i++)
		if (strcmp(l->kind, kinds[i]) == 0)
			return true;
	return false;
}

struct spread {
	const struct nt_links *links;
	bool *near;   /* by place in links */
	size_t *todo; /* places whose neighbours come next */
	size_t n;
	bool others; /* those that are not tied_as_told() are near */
};

static void reach(struct spread *s, size_t i)
{
	if (s->near[i])
		return;
	s->near[i] = true;
	s->todo[s->n++] = i;
}

/* What lies above, below and beside a link. */
static void neighbours(struct spread *s, const struct nt_link *l)
{
	/* a bridge takes from its ports, and gives them nothing */
	bool to_ports = strcmp(l->kind, "bridge") != 0;
	size_t i;

	for (i = 0; i < s->links->n; i++) {
		const struct nt_link *o = &s->links->v[i];

		if (o->ifindex == l->master || (o->ifindex == l->lower && !l->lower_foreign) ||
			(o->lower == l->ifindex && !o->lower_foreign) ||
			(o->master == l->ifindex && to_ports) ||
			(s->others && !tied_as_told(o)))
			reach(s, i);
	}
}

static void spread(struct spread *s, int ifindex)
{
	const struct nt_link *l = nt_links_by_index(s->links, ifindex);

	if (l)
		reach(s, (size_t)(l - s->links->v));
	while (s->n) {
		l = &s->links->v[s->todo[--s->n]];
		s->others |= !tied_as_told(l);
		neighbours(s, l);
	}
}

void nt_watch_near(struct nt_watch *w, const struct nt_links *links, int ifindex)
{
	struct spread s = { .links = links };
	const struct nt_link *l;
	size_t i;

	s.near = nt_calloc(links->n + 1, sizeof *s.near);
	s.todo = nt_calloc(links->n + 1, sizeof *s.todo);
	spread(&s, ifindex);
	for (i = 0; i < w->n_links; i++) {
		l = nt_links_by_index(links, w->links[i].ifindex);
		w->links[i].far = ifindex && l && !s.near[l - links->v];
		w->links[i].was_far |= w->links[i].far;
	}
	free(s.near);
	free(s.todo);
}

bool nt_key_of_far(const char *key)
{
	return nt_key_routing(key) || strcmp(key, "link.mtu") == 0 ||
	       strcmp(key, "link.txqueuelen") == 0 || strcmp(key, "qdisc.root") == 0;
}
