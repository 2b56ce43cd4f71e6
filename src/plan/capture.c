/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading the state of links and sysctls that a change may touch. */
#include "config.h"

#include "state.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "nettune/mem.h"

struct reader {
	struct nt_sys *s;
	struct nt_links *links;
	struct nt_state *st;
	nt_unread_fn *unread;
	void *arg;
	int first; /* first failure */
	struct nt_err *err;
	const struct nt_link *link; /* the one being read */
	int kind; /* enum nt_tunable_kind of the group being read; see nt_unread_fn */
	struct nt_err dump;	    /* what eth_get told of the link */
};

static void failed(struct reader *r, int ifindex, const char *what, const struct nt_err *e)
{
	if (r->unread)
		r->unread(r->arg, ifindex, r->kind, what, e);
	if (!r->first) {
		r->first = e->code;
		if (r->err)
			*r->err = *e;
	}
}

static void add_feature(struct reader *r, const struct nt_eth_val *val)
{
	bool on = val->num & NT_FEAT_ACTIVE, wanted = val->num & NT_FEAT_WANTED;

	if (val->num & NT_FEAT_FIXED)
		return;
	nt_state_add(r->st, r->link->ifindex, val->name,
		on ? (wanted ? "on" : "on [requested off]")
		   : (wanted ? "off [requested on]" : "off"));
}

static void add_eth(void *arg, int ifindex, const struct nt_eth_val *val,
	const struct nt_err *e)
{
	struct reader *r = arg;
	char text[32];

	if (ifindex != r->link->ifindex)
		return;
	if (!val) {
		if (e && e->code != -EOPNOTSUPP)
			r->dump = *e;
		return;
	}
	if (!nt_tunable_find(val->name) && strcmp(val->name, NT_KEY_RSS) != 0)
		return;
	switch (val->type) {
	case NT_ETH_FEATURE:
		add_feature(r, val);
		break;
	case NT_ETH_SWITCH:
		nt_state_add(r->st, ifindex, val->name, val->num ? "on" : "off");
		break;
	case NT_ETH_INT:
		snprintf(text, sizeof text, "%lld", (long long)val->num);
		nt_state_add(r->st, ifindex, val->name, text);
		break;
	case NT_ETH_TEXT:
		nt_state_add(r->st, ifindex, val->name, val->text ? val->text : "");
		break;
	}
}

static void read_eth(struct reader *r)
{
	static const struct {
		enum nt_eth what;
		int kind;
		const char *say;
	} groups[] = {
		{ NT_ETH_FEATURES, NT_TUN_FEATURE, "features" },
		{ NT_ETH_COALESCE, NT_TUN_COALESCE, "coalescing" },
		{ NT_ETH_RINGS, NT_TUN_RING, "rings" },
		{ NT_ETH_CHANNELS, NT_TUN_CHANNELS, "channels" },
		{ NT_ETH_PAUSE, NT_TUN_PAUSE, "pause" },
		{ NT_ETH_EEE, NT_TUN_EEE, "energy-efficient ethernet" },
		{ NT_ETH_RSS, _NT_TUN_MAX, "spread over queues" },
	};
	struct nt_err e;
	size_t i;
	int rc;

	for (i = 0; i < NT_ARRAY_SIZE(groups); i++) {
		nt_err_clear(&e);
		nt_err_clear(&r->dump);
		r->kind = groups[i].kind;
		rc = r->s->ops->eth_get(r->s, groups[i].what, r->link->ifindex, r->links, add_eth,
			r, &e);
		if (rc == 0) /* a way that failed before another was found is no failure */
			e = r->dump;
		if (e.code && e.code != -EOPNOTSUPP)
			failed(r, r->link->ifindex, groups[i].say, &e);
	}
	r->kind = -1;
}

/* A file that may well not be there: single-queue devices have no XPS map, older kernels
 * lack some attributes, and some drivers answer that an operation is missing. */
static bool no_such(int rc)
{
	return rc == -ENOENT || rc == -EOPNOTSUPP || rc == -ENOTDIR;
}

/* One file of the link's folder in /sys, which is known to be this link's. */
static void read_attr(struct reader *r, const char *key, const char *rel)
{
	struct nt_buf b = { 0 };
	struct nt_err e = { 0 };
	char path[192];
	int rc;

	snprintf(path, sizeof path, "/sys/class/net/%s/%s", r->link->name, rel);
	rc = nt_sys_read_line(r->s, path, &b, &e);
	if (rc == 0)
		nt_state_add(r->st, r->link->ifindex, key, nt_buf_str(&b));
	else if (!no_such(rc))
		failed(r, r->link->ifindex, key, &e);
	nt_buf_free(&b);
}

/*
 * Whether /sys shows this link. It must not look like another namespace's /sys only because
 * a read failed: then the values below would seem to have vanished.
 */
static bool in_sysfs(struct reader *r)
{
	static const char *const files[] = { "ifindex", "address" };
	struct nt_buf b = { 0 };
	struct nt_err e = { 0 };
	char path[96];
	size_t i;
	int rc = 0;

	if (nt_sys_link_in_sysfs(r->s, r->link))
		return true;
	for (i = 0; rc == 0 && i < NT_ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof path, "/sys/class/net/%s/%s", r->link->name, files[i]);
		nt_buf_cut(&b, 0);
		rc = nt_sys_read_line(r->s, path, &b, &e);
	}
	nt_buf_free(&b);
	if (rc == 0 && nt_sys_link_in_sysfs(r->s, r->link))
		return true;
	if (rc && !no_such(rc))
		failed(r, r->link->ifindex, "its folder in /sys", &e);
	return false;
}

static int add_name(void *arg, const char *name, bool is_dir)
{
	struct nt_buf *b = arg;

	(void)is_dir;
	nt_buf_add(b, name, strlen(name) + 1);
	return 0;
}

/* What is kept of a queue: key BEFORE QUEUE AFTER, file queues/QUEUE/FILE. */
static const struct {
	const char *queue, *before, *after, *file;
} queue_values[] = {
	{ "rx-", "rps.", "", "rps_cpus" },
	{ "rx-", "rfs.", "", "rps_flow_cnt" },
	{ "tx-", "xps.", "", "xps_cpus" },
	{ "tx-", "bql.", ".limit_max", "byte_queue_limits/limit_max" },
};

static void read_queue(struct reader *r, const char *q)
{
	char key[96], rel[128];
	size_t i;

	if (strlen(q) > 30 || strchr(q, '/'))
		return;
	for (i = 0; i < NT_ARRAY_SIZE(queue_values); i++) {
		if (strncmp(q, queue_values[i].queue, 3) != 0)
			continue;
		snprintf(key, sizeof key, "%s%s%s", queue_values[i].before, q,
			queue_values[i].after);
		snprintf(rel, sizeof rel, "queues/%s/%s", q, queue_values[i].file);
		read_attr(r, key, rel);
	}
}

static void read_irq(struct reader *r, const char *key)
{
	struct nt_buf b = { 0 };
	struct nt_err e = { 0 };
	char path[300];
	int rc;

	if (nt_tunable_path(key, r->link->name, path, sizeof path) < 0)
		return;
	rc = nt_sys_read_line(r->s, path, &b, &e);
	if (rc == 0)
		nt_state_add(r->st, r->link->ifindex, key, nt_buf_str(&b));
	else if (!no_such(rc) && rc != -EACCES)
		failed(r, r->link->ifindex, key, &e);
	nt_buf_free(&b);
}

/* The interrupts of the link's device, and those asked for besides. */
static void read_irqs(struct reader *r, const struct nt_watch *w)
{
	struct nt_buf names = { 0 };
	char path[96], key[64];
	struct nt_err e = { 0 };
	const char *p;
	size_t i;
	int rc;

	/* a virtio device hangs below the PCI device that has the interrupts */
	snprintf(path, sizeof path, "/sys/class/net/%s/device/%smsi_irqs", r->link->name,
		strcmp(r->link->bus, "virtio") == 0 ? "../" : "");
	rc = r->s->ops->list(r->s, path, add_name, &names, &e);
	if (rc < 0 && !no_such(rc))
		failed(r, r->link->ifindex, "its interrupts", &e);
	for (p = names.s; p && p < names.s + names.len; p += strlen(p) + 1) {
		if (strlen(p) > 12 || strspn(p, "0123456789") != strlen(p))
			continue;
		snprintf(key, sizeof key, "irq.%s.affinity", p);
		read_irq(r, key);
	}
	for (i = 0; i < w->n_irqs; i++)
		if (w->irqs[i].ifindex == r->link->ifindex &&
			!nt_state_get(r->st, r->link->ifindex, w->irqs[i].key))
			read_irq(r, w->irqs[i].key);
	nt_buf_free(&names);
}

static void read_sysfs(struct reader *r, const struct nt_watch *w, bool irqs)
{
	struct nt_buf names = { 0 };
	struct nt_err e = { 0 };
	char path[64];
	const char *p;
	int rc;

	if (!in_sysfs(r))
		return;
	read_attr(r, "link.gro_flush_timeout", "gro_flush_timeout");
	read_attr(r, "link.napi_defer_hard_irqs", "napi_defer_hard_irqs");
	read_attr(r, "link.threaded", "threaded");
	snprintf(path, sizeof path, "/sys/class/net/%s/queues", r->link->name);
	rc = r->s->ops->list(r->s, path, add_name, &names, &e);
	if (rc < 0 && !no_such(rc))
		failed(r, r->link->ifindex, "queues", &e);
	for (p = names.s; p && p < names.s + names.len; p += strlen(p) + 1)
		read_queue(r, p);
	nt_buf_free(&names);
	if (irqs)
		read_irqs(r, w);
}

static void add_hex(struct nt_buf *b, const unsigned char *data, size_t len)
{
	if (len)
		nt_buf_addc(b, ' ');
	nt_buf_add_hex(b, data, len);
}

/*
 * "KIND HANDLE OPTIONS" of the root, and what hangs below it that somebody put there. Handle
 * 0 means the kernel's own default: deleting the root brings it back.
 */
static void add_qdisc_tree(struct reader *r, const struct nt_qdiscs *q)
{
	struct nt_buf b = { 0 };
	size_t i;

	for (i = 0; i < q->n; i++) {
		const struct nt_qdisc *d = &q->v[i];

		if (d->ifindex != r->link->ifindex || !d->is_root)
			continue;
		nt_buf_addf(&b, "%s %x", d->kind, d->handle >> 16);
		if (d->handle)
			add_hex(&b, d->options, d->options_len);
	}
	for (i = 0; b.len && i < q->n; i++) {
		const struct nt_qdisc *d = &q->v[i];

		if (d->ifindex != r->link->ifindex || d->is_root || d->is_ingress || !d->handle)
			continue;
		nt_buf_addf(&b, "; %s %x parent %x", d->kind, d->handle >> 16, d->parent);
		add_hex(&b, d->options, d->options_len);
	}
	if (b.len)
		nt_state_add(r->st, r->link->ifindex, "qdisc.root", nt_buf_str(&b));
	nt_buf_free(&b);
}

static void read_qdiscs(struct reader *r, const struct nt_watch *w)
{
	struct nt_qdiscs q = { 0 };
	struct nt_err e = { 0 };
	size_t i;

	if (r->s->ops->qdiscs(r->s, &q, &e) < 0) {
		failed(r, 0, "qdiscs", &e);
	} else {
		for (i = 0; i < w->n_links; i++) {
			r->link = nt_links_by_index(r->links, w->links[i].ifindex);
			if (r->link)
				add_qdisc_tree(r, &q);
		}
	}
	nt_qdiscs_free(&q);
}

static bool watched(const struct nt_watch *w, int ifindex)
{
	size_t i;

	for (i = 0; i < w->n_links; i++)
		if (w->links[i].ifindex == ifindex)
			return true;
	return false;
}

static void read_addrs(struct reader *r, const struct nt_watch *w)
{
	struct nt_addrs a = { 0 };
	struct nt_routes ro = { 0 };
	struct nt_err e = { 0 };
	char text[INET6_ADDRSTRLEN], key[96], *route;
	struct nt_buf b = { 0 };
	size_t i;

	if (r->s->ops->addrs(r->s, &a, &e) < 0)
		failed(r, 0, "addresses", &e);
	for (i = 0; i < a.n; i++) {
		if (!watched(w, a.v[i].ifindex) ||
			!inet_ntop(a.v[i].family, a.v[i].addr, text, sizeof text))
			continue;
		snprintf(key, sizeof key, "addr %s/%u", text, a.v[i].prefix_len);
		nt_buf_cut(&b, 0);
		add_hex(&b, a.v[i].msg, a.v[i].msg_len);
		nt_state_add(r->st, a.v[i].ifindex, key, nt_buf_str(&b));
	}
	nt_err_clear(&e);
	if (r->s->ops->routes(r->s, &ro, &e) < 0)
		failed(r, 0, "routes", &e);
	for (i = 0; i < ro.n; i++) {
		if (!watched(w, ro.v[i].ifindex))
			continue;
		nt_buf_cut(&b, 0);
		add_hex(&b, ro.v[i].msg, ro.v[i].msg_len);
		route = nt_asprintf("route %s", ro.v[i].text);
		nt_state_add(r->st, ro.v[i].ifindex, route, nt_buf_str(&b));
		free(route);
	}
	nt_buf_free(&b);
	nt_addrs_free(&a);
	nt_routes_free(&ro);
}

static void read_ipv6_mtu(struct reader *r)
{
	struct nt_buf b = { 0 };
	struct nt_err e = { 0 };
	char path[80];
	int rc;

	snprintf(path, sizeof path, "/proc/sys/net/ipv6/conf/%s/mtu", r->link->name);
	rc = nt_sys_read_line(r->s, path, &b, &e);
	if (rc == 0)
		nt_state_add(r->st, r->link->ifindex, "ipv6.mtu", nt_buf_str(&b));
	else if (!no_such(rc))
		failed(r, r->link->ifindex, "ipv6.mtu", &e);
	nt_buf_free(&b);
}

static void read_link(struct reader *r, const struct nt_watch *all,
	const struct nt_watch_link *w)
{
	char text[16];

	snprintf(text, sizeof text, "%u", r->link->mtu);
	nt_state_add(r->st, w->ifindex, "link.mtu", text);
	snprintf(text, sizeof text, "%u", r->link->txqueuelen);
	nt_state_add(r->st, w->ifindex, "link.txqueuelen", text);
	if (w->far)
		return;
	read_ipv6_mtu(r);
	read_eth(r);
	read_sysfs(r, all, w->irqs);
}

/* A sysctl's text with single blanks between its words. */
static void add_sysctl(struct reader *r, const char *key)
{
	struct nt_buf b = { 0 };
	struct nt_err e = { 0 };
	char path[300], *p;

	if (nt_tunable_path(key, "", path, sizeof path) < 0)
		return;
	if (nt_sys_read_line(r->s, path, &b, &e) < 0) {
		failed(r, 0, key, &e);
	} else {
		for (p = b.s; p && *p; p++)
			if (*p == '\t')
				*p = ' ';
		nt_state_add(r->st, 0, key, nt_buf_str(&b));
	}
	nt_buf_free(&b);
}

int nt_state_read(struct nt_sys *s, const struct nt_watch *w, struct nt_links *links,
	struct nt_state *ret, nt_unread_fn *unread, void *arg, struct nt_err *err)
{
	struct reader r = { .s = s, .links = links, .st = ret, .unread = unread, .arg = arg,
		.err = err, .kind = -1 };
	struct nt_err e = { 0 };
	size_t i;

	memset(ret, 0, sizeof *ret);
	if (w->n_links) {
		nt_links_free(links);
		if (s->ops->links(s, links, &e) < 0)
			failed(&r, 0, "links", &e);
		for (i = 0; i < w->n_links; i++) {
			r.link = nt_links_by_index(links, w->links[i].ifindex);
			if (r.link)
				read_link(&r, w, &w->links[i]);
		}
		read_qdiscs(&r, w);
		read_addrs(&r, w);
	}
	for (i = 0; i < w->n_sysctls; i++)
		add_sysctl(&r, w->sysctls[i]);
	nt_state_sort(ret);
	return r.first;
}
