/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "collect.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "nettune/names.h"

/* Room for the facts of a typical link, so that arrays do not grow one by one. */
enum { TYPICAL_FACTS = 384 };

/* ARPHRD_*, in the words of ip(8). */
static const struct nt_name types[] = {
	{ "ether", 1 }, { "infiniband", 32 }, { "can", 280 }, { "ppp", 512 }, { "rawip", 519 },
	{ "ipip", 768 }, { "tunnel6", 769 }, { "loopback", 772 }, { "sit", 776 }, { "gre", 778 },
	{ "ieee802.11", 801 }, { "ieee802.11/radiotap", 803 }, { "gre6", 823 },
	{ "netlink", 824 }, { "none", 0xfffe }, { "void", 0xffff }, { NULL, 0 },
};

/* IFF_* */
enum { FLAG_UP = 0x1, FLAG_LOOPBACK = 0x8 };

/* IF_OPER_*, in RFC 2863's words as ip(8) writes them. */
static const struct nt_name operstates[] = {
	{ "unknown", 0 }, { "notpresent", 1 }, { "down", 2 }, { "lowerlayerdown", 3 },
	{ "testing", 4 }, { "dormant", 5 }, { "up", 6 }, { NULL, 0 },
};

/* Kinds whose traffic goes through the lower link as it is, and that inherit from it. */
static const char *const stacked[] = {
	"vlan", "macvlan", "macvtap", "ipvlan", "ipvtap", "macsec", "dsa", "rmnet", "virt_wifi",
};

/* Numbers of a link; 0 where a kernel does not know them yet, if `zero` is false. */
static const struct {
	const char *name;
	size_t offset;
	enum nt_unit unit;
	bool zero;
} numbers[] = {
	{ "link.mtu", offsetof(struct nt_link, mtu), NT_UNIT_BYTES, true },
	{ "link.mtu.min", offsetof(struct nt_link, min_mtu), NT_UNIT_BYTES, false },
	{ "link.mtu.max", offsetof(struct nt_link, max_mtu), NT_UNIT_BYTES, false },
	{ "link.txqueuelen", offsetof(struct nt_link, txqueuelen), NT_UNIT_PACKETS, true },
	{ "link.rx_queues", offsetof(struct nt_link, rx_queues), NT_UNIT_NONE, false },
	{ "link.tx_queues", offsetof(struct nt_link, tx_queues), NT_UNIT_NONE, false },
	{ "link.gso_max_size", offsetof(struct nt_link, gso_max_size), NT_UNIT_BYTES, false },
	{ "link.gso_max_segs", offsetof(struct nt_link, gso_max_segs), NT_UNIT_NONE, false },
	{ "link.gro_max_size", offsetof(struct nt_link, gro_max_size), NT_UNIT_BYTES, false },
	{ "link.gso_ipv4_max_size", offsetof(struct nt_link, gso_ipv4_max_size),
		NT_UNIT_BYTES, false },
	{ "link.gro_ipv4_max_size", offsetof(struct nt_link, gro_ipv4_max_size),
		NT_UNIT_BYTES, false },
	{ "link.tso_max_size", offsetof(struct nt_link, tso_max_size), NT_UNIT_BYTES, false },
	{ "link.tso_max_segs", offsetof(struct nt_link, tso_max_segs), NT_UNIT_NONE, false },
};

static int by_ifindex(const void *a, const void *b)
{
	const struct nt_collect_link *x = a, *y = b;

	return (x->ifindex > y->ifindex) - (x->ifindex < y->ifindex);
}

int nt_collect_links(struct nt_collect *c, struct nt_err *err)
{
	int rc = c->sys->ops->links(c->sys, &c->links, err);
	size_t i;

	if (rc < 0)
		return rc;
	if (c->links.failed.code)
		nt_collect_note(c, "%s", c->links.failed.msg);
	c->n = c->links.n;
	c->v = nt_calloc(c->n + 1, sizeof *c->v);
	for (i = 0; i < c->n; i++) {
		c->v[i].link = &c->links.v[i];
		c->v[i].ifindex = c->links.v[i].ifindex;
	}
	qsort(c->v, c->n, sizeof *c->v, by_ifindex);
	for (i = 0; i < c->n; i++) {
		struct nt_scope *sc = nt_snapshot_add_link(c->s, c->v[i].link->name);

		sc->cap = TYPICAL_FACTS;
		sc->facts = nt_reallocarray(NULL, sc->cap, sizeof *sc->facts);
		c->v[i].scope = sc;
	}
	return 0;
}

static bool is_stacked(const char *kind)
{
	size_t i;

	for (i = 0; i < NT_ARRAY_SIZE(stacked); i++)
		if (strcmp(stacked[i], kind) == 0)
			return true;
	return false;
}

static void put_text(struct nt_collect *c, struct nt_scope *sc, const char *name,
	const char *v)
{
	nt_fact_text(c->s, sc, NT_FACT_TEXT, name, v);
}

/* The other link's name as a fact; "" says that there is none. */
static struct nt_scope *relative(struct nt_collect *c, struct nt_scope *sc, const char *name,
	int ifindex, bool foreign)
{
	struct nt_collect_link *l = ifindex ? nt_collect_link(c, ifindex) : NULL;

	if (ifindex && (foreign || !l)) {
		nt_fact_absent(c->s, sc, name, "in another network namespace");
		return NULL;
	}
	put_text(c, sc, name, l ? l->link->name : "");
	return l ? l->scope : NULL;
}

static void relatives(struct nt_collect *c, struct nt_collect_link *l)
{
	const struct nt_link *k = l->link;
	bool pair = strcmp(k->kind, "veth") == 0;
	struct nt_scope *lower;

	l->scope->master = relative(c, l->scope, "link.master", k->master, false);
	relative(c, l->scope, "link.peer", pair ? k->lower : 0, k->lower_foreign);
	lower = relative(c, l->scope, "link.lower", pair ? 0 : k->lower, k->lower_foreign);
	if (lower != l->scope && is_stacked(k->kind))
		l->scope->lower = lower;
}

static void address(struct nt_collect *c, struct nt_scope *sc, const struct nt_link *k)
{
	char text[NT_ADDR_MAX * 3 + 1];

	if (k->addr_len) {
		nt_hex(text, k->addr, k->addr_len, ":");
		put_text(c, sc, "link.address", text);
	}
}

static void identity(struct nt_collect *c, struct nt_collect_link *l)
{
	const struct nt_link *k = l->link;
	struct nt_scope *sc = l->scope;
	const char *word;
	char other[24];
	size_t i;

	nt_fact_int(c->s, sc, "link.ifindex", NT_UNIT_NONE, k->ifindex);
	put_text(c, sc, "link.kind", k->kind);
	word = nt_name_of(types, (int)k->type);
	if (!word)
		snprintf(other, sizeof other, "%u", k->type);
	put_text(c, sc, "link.type", word ? word : other);
	word = nt_name_of(operstates, (int)k->operstate);
	put_text(c, sc, "link.operstate", word ? word : "unknown");
	nt_fact_bool(c->s, sc, "link.up", k->flags & FLAG_UP);
	if (k->carrier >= 0)
		nt_fact_bool(c->s, sc, "link.carrier", k->carrier);
	if (k->bus[0])
		put_text(c, sc, "link.bus", k->bus);
	if (k->bus_dev[0])
		put_text(c, sc, "link.bus_info", k->bus_dev);
	address(c, sc, k);
	for (i = 0; i < NT_ARRAY_SIZE(numbers); i++) {
		unsigned v;

		memcpy(&v, (const char *)k + numbers[i].offset, sizeof v);
		if (v || numbers[i].zero)
			nt_fact_int(c->s, sc, numbers[i].name, numbers[i].unit, v);
	}
	relatives(c, l);
	sc->interesting = c->named
		? nt_collect_named(c, k->name)
		: (k->flags & FLAG_UP) && !(k->flags & FLAG_LOOPBACK) && k->carrier != 0;
	/* files cost too much to be read for a thousand containers' links */
	l->device = (sc->interesting && !k->kind[0]) || nt_collect_named(c, k->name);
}

void nt_collect_indexes(struct nt_collect *c)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		nt_fact_int(c->s, c->v[i].scope, "link.ifindex", NT_UNIT_NONE, c->v[i].ifindex);
}

void nt_collect_identity(struct nt_collect *c)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		identity(c, &c->v[i]);
}

/* One list fact a link; the kernel sends the addresses of a link together, but per family. */
void nt_collect_addrs(struct nt_collect *c)
{
	struct nt_buf *text;
	struct nt_err err = { 0 };
	size_t i;

	if (c->sys->ops->addrs(c->sys, &c->addrs, &err) < 0) {
		nt_collect_note(c, "addresses: %s", err.msg);
		for (i = 0; i < c->n; i++)
			c->v[i].why[NT_SOURCE_ADDR] = nt_collect_why(err.code);
		return;
	}
	text = nt_calloc(c->n + 1, sizeof *text);
	for (i = 0; i < c->addrs.n; i++) {
		const struct nt_addr *a = &c->addrs.v[i];
		struct nt_collect_link *l = nt_collect_link(c, a->ifindex);
		char word[INET6_ADDRSTRLEN];

		if (l && inet_ntop(a->family, a->addr, word, sizeof word))
			nt_buf_addf(&text[l - c->v], "%s%s/%u",
				text[l - c->v].len ? " " : "", word, a->prefix_len);
	}
	for (i = 0; i < c->n; i++) {
		nt_fact_text(c->s, c->v[i].scope, NT_FACT_LIST, "link.addresses",
			nt_buf_str(&text[i]));
		nt_buf_free(&text[i]);
	}
	free(text);
}
