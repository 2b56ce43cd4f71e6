/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of everything that a change may touch, as text: one entry a value. Two states
 * are compared to find side effects, and one is written back to undo them. Private to plan.
 *
 * Keys are tunables' names, with these differences: a sysctl is one file, its key
 * "sysctl." and the whole name; "qdisc.root" holds kind, handle and options;
 * "feature.X" holds "on" or "off", followed by the request where it differs; "ipv6.mtu" is
 * a link's IPv6 MTU; "rss.table" is how a link spreads what it receives; "addr A/N" and
 * "route TEXT" hold what puts them back, in hex.
 */
#ifndef PLAN_STATE_H
#define PLAN_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "nettune/sys.h"
#include "nettune/tunable.h"

#define NT_KEY_RSS "rss.table"
/* Room for a tunable's value: the longest is a mask of 8,192 CPUs. */
#define NT_VALUE_MAX 2400

struct nt_entry {
	int ifindex; /* 0 for the host */
	const char *key, *val;
};

struct nt_state {
	struct nt_entry *v;
	size_t n, cap;
	struct nt_arena arena;
	bool sorted;
};

void nt_state_free(struct nt_state *st);
/* Append; key and val are copied. */
void nt_state_add(struct nt_state *st, int ifindex, const char *key, const char *val);
void nt_state_sort(struct nt_state *st);
/* The value, NULL when there is no such entry. Sorts when needed. */
const char *nt_state_get(struct nt_state *st, int ifindex, const char *key);
/* Set or replace; val NULL removes. */
void nt_state_put(struct nt_state *st, int ifindex, const char *key, const char *val);
void nt_state_copy(struct nt_state *ret, struct nt_state *from);

/* Whether two values of key mean the same: masks and CPU lists by content, addresses and
 * routes by being there. NULL allowed. */
bool nt_val_equal(const char *key, const char *a, const char *b);

/* Whether a key names an address or a route. */
bool nt_key_routing(const char *key);

/*
 * A tunable's value as the state has it, into ret: an element of a vector, the kind of a
 * qdisc, a feature's active state. -ENOENT when the state lacks it.
 */
int nt_state_value(struct nt_state *st, int ifindex, const char *tunable, char *ret,
	size_t size);
/* The key under which a state holds tunable, into ret. */
void nt_state_key(const char *tunable, char *ret, size_t size);

/* What to read. */
struct nt_watch {
	struct nt_watch_link {
		int ifindex;
		bool irqs;
		/* read, and ever read, only as far as one request tells of all links: MTU, queue
		 * length, qdiscs, addresses, routes */
		bool far, was_far;
	} *links;
	size_t n_links, cap_links;
	char **sysctls; /* whole names, "sysctl.net.ipv4.tcp_rmem" */
	size_t n_sysctls, cap_sysctls;
	struct nt_watch_irq { /* besides those that the link's device lists */
		int ifindex;
		char *key; /* "irq.N.affinity" */
	} *irqs;
	size_t n_irqs, cap_irqs;
};

void nt_watch_free(struct nt_watch *w);
/* Watch an interrupt too: key is "irq.N.affinity", anything else is not heeded. */
void nt_watch_irq(struct nt_watch *w, int ifindex, const char *key);
/*
 * Watch what a change of tunable on link ifindex (0: the host) may move: for a link, all of
 * it and of the links stacked on it or below it.
 */
void nt_watch_tunable(struct nt_watch *w, const struct nt_links *links, int ifindex,
	const char *tunable);

/*
 * Until the next call, read all of the watched links that a change on link ifindex can move,
 * and of the others what one request tells of all: they are far. With 0 none is.
 */
void nt_watch_near(struct nt_watch *w, const struct nt_links *links, int ifindex);
/* Whether key is read of a far link too. */
bool nt_key_of_far(const char *key);

/*
 * Hears of what could not be read. kind: the tunables' of ethtool's group, _NT_TUN_MAX for a
 * group of none, -1 for anything else.
 */
typedef void nt_unread_fn(void *arg, int ifindex, int kind, const char *what,
	const struct nt_err *err);

/*
 * Read all that w names into ret (initialised here, sorted). links is refreshed first;
 * links that have gone are left out. What cannot be read is told to unread and left out.
 * Returns 0, or -errno of the first failure.
 */
int nt_state_read(struct nt_sys *s, const struct nt_watch *w, struct nt_links *links,
	struct nt_state *ret, nt_unread_fn *unread, void *arg, struct nt_err *err);

/*
 * Write values of one link, or one file of the host, that go into one request; entries as
 * a state has them, keys of one kind.
 */
int nt_state_write(struct nt_sys *s, const struct nt_links *links, int ifindex,
	const struct nt_entry *v, size_t n, struct nt_err *err);

/* Whether two entries can be written by one request. */
bool nt_entry_joins(const struct nt_entry *a, const struct nt_entry *b);

/* Whether a root qdisc of this kind holds others, or needs what cannot be read back. */
bool nt_qdisc_kept(const char *state_value);

#endif
