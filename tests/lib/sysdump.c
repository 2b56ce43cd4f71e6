/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests: print everything the sys layer reads, "LINK NAME VALUE" one a line, or make
 * one change. Not part of nettune.
 *
 *   sysdump [--ioctl] [links|qdiscs|addrs|routes|sockets|drivers|stats|GROUP]...
 *   sysdump [--ioctl] set LINK GROUP NAME=VALUE...
 *   sysdump [--ioctl] mtu|txqueuelen LINK N  |  qdisc LINK [KIND]
 *   sysdump copy-qdisc LINK FROM-LINK     the root qdisc with its options
 *   sysdump around LINK COMMAND           run a shell command, put back the addresses and
 *                                         routes of LINK that it took away
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nettune/mem.h"
#include "nettune/names.h"
#include "nettune/syssock.h"
#include "nettune/sys.h"

static const struct nt_name group_names[] = {
	{ "features", NT_ETH_FEATURES }, { "coalesce", NT_ETH_COALESCE },
	{ "rings", NT_ETH_RINGS }, { "channels", NT_ETH_CHANNELS }, { "pause", NT_ETH_PAUSE },
	{ "eee", NT_ETH_EEE }, { "linkmodes", NT_ETH_LINKMODES },
	{ "linkinfo", NT_ETH_LINKINFO }, { "fec", NT_ETH_FEC }, { "rss", NT_ETH_RSS }, { NULL, 0 },
};

struct dump {
	struct nt_sys *sys;
	struct nt_links links;
	const struct nt_link *now;
};

static int fail(const struct nt_err *err)
{
	fprintf(stderr, "sysdump: %s%s%s\n", err->msg, *err->kernel ? ": " : "", err->kernel);
	return 1;
}

static const char *name_of(const struct dump *d, int ifindex)
{
	const struct nt_link *l = nt_links_by_index(&d->links, ifindex);

	return l ? l->name : "?";
}

static void print_value(void *arg, int ifindex, const struct nt_eth_val *v,
	const struct nt_err *err)
{
	const char *link = name_of(arg, ifindex);

	if (err) {
		if (err->code != -EOPNOTSUPP)
			printf("%s error %d %s\n", link, err->code, err->msg);
		return;
	}
	switch (v->type) {
	case NT_ETH_INT:
		printf("%s %s %" PRId64 "\n", link, v->name, v->num);
		break;
	case NT_ETH_SWITCH:
		printf("%s %s %s\n", link, v->name, v->num ? "on" : "off");
		break;
	case NT_ETH_TEXT:
		printf("%s %s %s\n", link, v->name, v->text);
		break;
	case NT_ETH_FEATURE:
		printf("%s %s %s%s%s\n", link, v->name, v->num & NT_FEAT_ACTIVE ? "on" : "off",
			v->num & NT_FEAT_WANTED ? " wanted" : "",
			v->num & NT_FEAT_FIXED ? " fixed" : "");
		break;
	}
}

static void print_addr(const char *link, const char *name, const unsigned char *a, unsigned n)
{
	unsigned i;

	if (!n)
		return;
	printf("%s %s ", link, name);
	for (i = 0; i < n; i++)
		printf("%s%02x", i ? ":" : "", a[i]);
	putchar('\n');
}

static void print_links(const struct dump *d)
{
	const struct nt_link *l;
	unsigned i;

	for (l = d->links.v; l < d->links.v + d->links.n; l++) {
		printf("%s ifindex %d\n%s kind %s\n%s flags %u\n", l->name, l->ifindex, l->name,
			l->kind, l->name, l->flags);
		printf("%s mtu %u\n%s min_mtu %u\n%s max_mtu %u\n%s txqlen %u\n", l->name,
			l->mtu, l->name, l->min_mtu, l->name, l->max_mtu, l->name,
			l->txqueuelen);
		printf("%s master %s\n", l->name, l->master ? name_of(d, l->master) : "-");
		printf("%s lower %s%s\n", l->name,
			l->lower && !l->lower_foreign ? name_of(d, l->lower) : "-",
			l->lower_foreign ? " foreign" : "");
		printf("%s operstate %u\n%s carrier %d\n", l->name, l->operstate, l->name,
			l->carrier);
		printf("%s num_tx_queues %u\n%s num_rx_queues %u\n", l->name, l->tx_queues,
			l->name, l->rx_queues);
		printf("%s gso_max_size %u\n%s gso_max_segs %u\n%s gro_max_size %u\n", l->name,
			l->gso_max_size, l->name, l->gso_max_segs, l->name, l->gro_max_size);
		printf("%s tso_max_size %u\n%s gso_ipv4_max_size %u\n", l->name,
			l->tso_max_size, l->name, l->gso_ipv4_max_size);
		printf("%s qdisc %s\n%s bus %s %s\n", l->name, l->qdisc, l->name, l->bus,
			l->bus_dev);
		print_addr(l->name, "address", l->addr, l->addr_len);
		print_addr(l->name, "permaddr", l->perm_addr, l->perm_addr_len);
		printf("%s in_sysfs %d\n", l->name, nt_sys_link_in_sysfs(d->sys, l));
		for (i = 0; i < l->n_stats && nt_link_stat_name(i); i++)
			printf("%s stats64.%s %" PRIu64 "\n", l->name, nt_link_stat_name(i),
				l->stats[i]);
	}
}

static int print_socket(void *arg, const struct nt_sock *s)
{
	const struct {
		const char *name;
		uint64_t v;
	} numbers[] = {
		{ "state", s->state }, { "rqueue", s->rqueue }, { "wqueue", s->wqueue },
		{ "rmem", s->rmem }, { "rcvbuf", s->rcvbuf }, { "wmem", s->wmem },
		{ "sndbuf", s->sndbuf }, { "drops", s->drops }, { "rtt", s->rtt },
		{ "min_rtt", s->min_rtt }, { "cwnd", s->cwnd }, { "mss", s->mss },
		{ "unacked", s->unacked }, { "retrans", s->retrans },
		{ "pacing_rate", s->pacing_rate }, { "delivery_rate", s->delivery_rate },
		{ "bytes_acked", s->bytes_acked }, { "bytes_received", s->bytes_received },
		{ "not_sent", s->not_sent }, { "busy", s->busy },
		{ "rwnd_limited", s->rwnd_limited }, { "sndbuf_limited", s->sndbuf_limited },
	};
	char local[NT_SOCK_TEXT], remote[NT_SOCK_TEXT];
	size_t i;

	(void)arg;
	nt_sock_end_text(local, s->family, &s->local);
	nt_sock_end_text(remote, s->family, &s->remote);
	printf("%s>%s congestion %s\n", local, remote, s->congestion);
	for (i = 0; i < NT_ARRAY_SIZE(numbers); i++)
		if (numbers[i].v != NT_SOCK_UNKNOWN)
			printf("%s>%s %s %" PRIu64 "\n", local, remote, numbers[i].name,
				numbers[i].v);
	return 0;
}

static int print_qdiscs(const struct dump *d, struct nt_err *err)
{
	struct nt_qdiscs q = { 0 };
	size_t i;
	int r = d->sys->ops->qdiscs(d->sys, &q, err);

	for (i = 0; i < q.n; i++)
		printf("%s qdisc %s %x: parent %x:%x %s bytes %" PRIu64 " packets %" PRIu64
		       " drops %u qlen %u backlog %u options %zu\n",
			name_of(d, q.v[i].ifindex), q.v[i].kind, q.v[i].handle >> 16,
			q.v[i].parent >> 16, q.v[i].parent & 0xffff,
			q.v[i].is_root ? "root" : q.v[i].is_ingress ? "ingress" : "leaf",
			q.v[i].bytes, q.v[i].packets, q.v[i].drops, q.v[i].qlen,
			q.v[i].backlog, q.v[i].options_len);
	nt_qdiscs_free(&q);
	return r;
}

static int print_addrs(const struct dump *d, struct nt_err *err)
{
	struct nt_addrs a = { 0 };
	size_t i;
	int r = d->sys->ops->addrs(d->sys, &a, err);

	for (i = 0; i < a.n; i++) {
		printf("%s addr %d/%u ", name_of(d, a.v[i].ifindex), a.v[i].family,
			a.v[i].prefix_len);
		print_addr("", "", a.v[i].addr, a.v[i].family == 2 ? 4 : 16);
	}
	nt_addrs_free(&a);
	return r;
}

static int print_routes(const struct dump *d, struct nt_err *err)
{
	struct nt_routes rt = { 0 };
	size_t i;
	int r = d->sys->ops->routes(d->sys, &rt, err);

	for (i = 0; i < rt.n; i++)
		printf("route %s\n", rt.v[i].text);
	nt_routes_free(&rt);
	return r;
}

static void print_drivers(const struct dump *d)
{
	struct nt_drvinfo di;
	struct nt_err err;
	size_t i;

	for (i = 0; i < d->links.n; i++) {
		const char *n = d->links.v[i].name;

		if (d->sys->ops->eth_drvinfo(d->sys, &d->links.v[i], &di, &err) == 0)
			printf("%s driver %s\n%s version %s\n%s firmware %s\n%s bus-info %s\n",
				n, di.driver, n, di.version, n, di.firmware, n, di.bus_info);
	}
}

static void print_stat(void *arg, const char *name, uint64_t value)
{
	struct dump *d = arg;

	printf("%s stat.%s %" PRIu64 "\n", d->now->name, name, value);
}

static int print_one(struct dump *d, const char *what, struct nt_err *err)
{
	int group = nt_name_value(group_names, what);
	size_t i;

	if (group >= 0)
		return d->sys->ops->eth_get(d->sys, (enum nt_eth)group, 0, &d->links,
			print_value, d, err);
	if (!strcmp(what, "links"))
		print_links(d);
	else if (!strcmp(what, "drivers"))
		print_drivers(d);
	else if (!strcmp(what, "qdiscs"))
		return print_qdiscs(d, err);
	else if (!strcmp(what, "addrs"))
		return print_addrs(d, err);
	else if (!strcmp(what, "routes"))
		return print_routes(d, err);
	else if (!strcmp(what, "sockets"))
		return d->sys->ops->sockets(d->sys, NT_TCP_CONNECTED | NT_TCP_LISTENING,
			print_socket, NULL, err);
	else if (!strcmp(what, "path"))
		puts(nt_sys_eth_path(d->sys));
	else if (!strcmp(what, "count"))
		printf("%zu\n", d->links.n);
	else if (!strcmp(what, "stats"))
		for (i = 0; i < d->links.n; i++) {
			d->now = &d->links.v[i];
			d->sys->ops->eth_stats(d->sys, d->now, 0, print_stat, d, NULL);
		}
	else
		return nt_err_set(err, -EINVAL, "no such thing: '%s'", what);
	return 0;
}

/* NAME=VALUE: on and off are switches, digits a number, else text */
static int set_values(struct dump *d, const struct nt_link *l, int group, char **argv,
	struct nt_err *err)
{
	struct nt_eth_val v[32] = { 0 };
	size_t n;

	for (n = 0; n < NT_ARRAY_SIZE(v) && argv[n]; n++) {
		char *eq = strchr(argv[n], '=');

		if (!eq)
			return nt_err_set(err, -EINVAL, "no '=' in '%s'", argv[n]);
		*eq++ = '\0';
		v[n].name = argv[n];
		v[n].text = eq;
		v[n].num = !strcmp(eq, "on") ? 1 : strtoll(eq, NULL, 10);
		v[n].type = !strcmp(eq, "on") || !strcmp(eq, "off") ? NT_ETH_SWITCH :
			    *eq && !eq[strspn(eq, "0123456789")]    ? NT_ETH_INT :
								      NT_ETH_TEXT;
	}
	return d->sys->ops->eth_set(d->sys, (enum nt_eth)group, l, v, n, err);
}

static int copy_qdisc(struct dump *d, const struct nt_link *to, const char *from,
	struct nt_err *err)
{
	const struct nt_link *l = from ? nt_links_by_name(&d->links, from) : NULL;
	struct nt_qdiscs q = { 0 };
	size_t i;
	int r = d->sys->ops->qdiscs(d->sys, &q, err);

	for (i = 0; !r && l && i < q.n; i++)
		if (q.v[i].ifindex == l->ifindex && q.v[i].is_root)
			r = d->sys->ops->qdisc_set(d->sys, to->ifindex, q.v[i].handle,
				q.v[i].kind, q.v[i].options, q.v[i].options_len, err);
	nt_qdiscs_free(&q);
	return r;
}

static bool has_addr(const struct nt_addrs *as, const struct nt_addr *a)
{
	size_t i;

	for (i = 0; i < as->n; i++)
		if (as->v[i].ifindex == a->ifindex && as->v[i].family == a->family &&
			!memcmp(as->v[i].addr, a->addr, sizeof a->addr))
			return true;
	return false;
}

static bool has_route(const struct nt_routes *rs, const char *text)
{
	size_t i;

	for (i = 0; i < rs->n; i++)
		if (!strcmp(rs->v[i].text, text))
			return true;
	return false;
}

static int put_back(struct dump *d, const struct nt_link *l, const struct nt_addrs *a,
	const struct nt_routes *rt, struct nt_err *err)
{
	struct nt_addrs a2 = { 0 };
	struct nt_routes rt2 = { 0 };
	int r = d->sys->ops->addrs(d->sys, &a2, err);
	size_t i;

	for (i = 0; !r && i < a->n; i++)
		if (a->v[i].ifindex == l->ifindex && !has_addr(&a2, &a->v[i]))
			r = d->sys->ops->put_back(d->sys, NT_PUT_ADDR, a->v[i].msg,
				a->v[i].msg_len, err);
	/* addresses bring routes of their own */
	if (!r)
		r = d->sys->ops->routes(d->sys, &rt2, err);
	for (i = 0; !r && i < rt->n; i++)
		if (rt->v[i].ifindex == l->ifindex && !has_route(&rt2, rt->v[i].text))
			r = d->sys->ops->put_back(d->sys, NT_PUT_ROUTE, rt->v[i].msg,
				rt->v[i].msg_len, err);
	nt_addrs_free(&a2);
	nt_routes_free(&rt2);
	return r;
}

static int around(struct dump *d, const struct nt_link *l, const char *command,
	struct nt_err *err)
{
	struct nt_addrs a = { 0 };
	struct nt_routes rt = { 0 };
	int r = d->sys->ops->addrs(d->sys, &a, err);

	if (!r)
		r = d->sys->ops->routes(d->sys, &rt, err);
	if (!r && command && system(command) != 0)
		r = nt_err_set(err, -ECHILD, "the command failed");
	if (!r)
		r = put_back(d, l, &a, &rt, err);
	nt_addrs_free(&a);
	nt_routes_free(&rt);
	return r;
}

static int change(struct dump *d, char **argv, struct nt_err *err)
{
	const struct nt_link *l = argv[1] ? nt_links_by_name(&d->links, argv[1]) : NULL;
	struct nt_link_change c = { 0 };

	if (!l)
		return nt_err_set(err, -ENODEV, "no link '%s'", argv[1] ? argv[1] : "");
	if (!strcmp(argv[0], "set") && argv[2] && nt_name_value(group_names, argv[2]) >= 0)
		return set_values(d, l, nt_name_value(group_names, argv[2]), argv + 3, err);
	if (!strcmp(argv[0], "copy-qdisc"))
		return copy_qdisc(d, l, argv[2], err);
	if (!strcmp(argv[0], "around"))
		return around(d, l, argv[2], err);
	if (!strcmp(argv[0], "qdisc"))
		return d->sys->ops->qdisc_set(d->sys, l->ifindex, 0, argv[2] ? argv[2] : "",
			NULL, 0, err);
	c.set_mtu = !strcmp(argv[0], "mtu");
	c.set_txqueuelen = !strcmp(argv[0], "txqueuelen");
	if ((!c.set_mtu && !c.set_txqueuelen) || !argv[2])
		return nt_err_set(err, -EINVAL, "no such change: '%s'", argv[0]);
	c.mtu = c.txqueuelen = (unsigned)strtoul(argv[2], NULL, 10);
	return d->sys->ops->link_set(d->sys, l->ifindex, &c, err);
}

int main(int argc, char **argv)
{
	static const char *const changes[] = { "set", "qdisc", "mtu", "txqueuelen",
		"copy-qdisc", "around" };
	struct dump d = { 0 };
	struct nt_err err = { 0 };
	unsigned flags = 0;
	int i = 1, r = 0;
	size_t k;

	if (argc > 1 && !strcmp(argv[1], "--ioctl")) {
		flags = NT_SYS_IOCTL;
		i++;
	}
	d.sys = nt_sys_open(flags, &err);
	if (!d.sys)
		return fail(&err);
	r = d.sys->ops->links(d.sys, &d.links, &err);
	for (k = 0; !r && i < argc && k < NT_ARRAY_SIZE(changes); k++)
		if (!strcmp(argv[i], changes[k])) {
			r = change(&d, argv + i, &err);
			i = argc;
		}
	for (; !r && i < argc; i++)
		r = print_one(&d, argv[i], &err);
	nt_links_free(&d.links);
	nt_sys_free(d.sys);
	return r ? fail(&err) : 0;
}
