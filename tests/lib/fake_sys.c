/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/fake_sys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nettune/mem.h"
#include "nettune/names.h"

struct fake {
	struct nt_sys sys;
	struct fake_kernel *k;
};

static struct fake_kernel *of(struct nt_sys *s)
{
	return ((struct fake *)(void *)s)->k;
}

enum { SG, CSUM, TSO, TSO6, GSO, GRO, HASH };
static const char *const features[FAKE_FEATURES] = {
	"feature.tx-scatter-gather", "feature.tx-checksum-ip-generic",
	"feature.tx-tcp-segmentation", "feature.tx-tcp6-segmentation",
	"feature.tx-generic-segmentation", "feature.rx-gro", "feature.rx-hashing",
};

/* What the kernel makes of what is wanted. */
static void fix_features(struct fake_kernel *k)
{
	memcpy(k->active, k->wanted, sizeof k->active);
	if (!k->active[CSUM])
		k->active[SG] = false;
	if (!k->active[SG])
		k->active[TSO] = k->active[TSO6] = k->active[GSO] = false;
}

static void zero_queues(struct fake_kernel *k)
{
	int i;

	for (i = 0; i < FAKE_QUEUES; i++) {
		snprintf(k->rps[i], sizeof k->rps[i], "0");
		snprintf(k->xps[i], sizeof k->xps[i], "0");
		snprintf(k->irq[i], sizeof k->irq[i], "0-3");
	}
}

void fake_init(struct fake_kernel *k)
{
	memset(k, 0, sizeof *k);
	snprintf(k->name, sizeof k->name, "eth0");
	k->ifindex = 2;
	memcpy(k->mac, "\x52\x54\0\x12\x34\x56", 6);
	memcpy(k->perm, k->mac, 6);
	memset(k->wanted, true, sizeof k->wanted);
	k->wanted[HASH] = false;
	fix_features(k);
	k->rx_usecs = 3;
	k->tx_usecs = 3;
	k->ring_rx = k->ring_tx = 256;
	k->combined = 2;
	snprintf(k->rss, sizeof k->rss, "1 1 0 1"); /* set by somebody */
	k->pause_autoneg = true;
	k->eee = true;
	k->mtu = k->ipv6_mtu = 1500;
	k->ipv6_mtu = 1400; /* set by somebody */
	k->txqueuelen = 1000;
	snprintf(k->qdisc, sizeof k->qdisc, "pfifo");
	k->handle = 0x80010000;
	k->limit = 300;
	k->route = true;
	zero_queues(k);
	snprintf(k->rps[0], sizeof k->rps[0], "3");
	snprintf(k->xps[1], sizeof k->xps[1], "2");
	snprintf(k->irq[0], sizeof k->irq[0], "1");
	snprintf(k->lone_irq, sizeof k->lone_irq, "0-3");
	snprintf(k->gro_flush, sizeof k->gro_flush, "0");
	snprintf(k->defer_irqs, sizeof k->defer_irqs, "0");
	k->rmem[0] = k->wmem[0] = 4096;
	k->rmem[1] = 131072;
	k->wmem[1] = 16384;
	k->rmem[2] = k->wmem[2] = 4194304;
	snprintf(k->somaxconn, sizeof k->somaxconn, "128");
	snprintf(k->backlog, sizeof k->backlog, "1000");
	snprintf(k->congestion, sizeof k->congestion, "cubic");
}

#define SAY(field, fmt)                                                                  \
	do {                                                                             \
		if (a->field != b->field)                                                \
			nt_buf_addf(ret, #field " " fmt "/" fmt " ", a->field, b->field); \
	} while (0)
#define SAYS(field)                                                                      \
	do {                                                                             \
		if (strcmp(a->field, b->field) != 0)                                     \
			nt_buf_addf(ret, #field " %s/%s ", a->field, b->field);          \
	} while (0)

void fake_diff(const struct fake_kernel *a, const struct fake_kernel *b, struct nt_buf *ret)
{
	int i;

	for (i = 0; i < FAKE_FEATURES; i++)
		if (a->active[i] != b->active[i] || a->wanted[i] != b->wanted[i])
			nt_buf_addf(ret, "%s %d,%d/%d,%d ", features[i], a->active[i],
				a->wanted[i], b->active[i], b->wanted[i]);
	SAY(rx_usecs, "%u");
	SAY(tx_usecs, "%u");
	SAY(adaptive_rx, "%d");
	SAY(ring_rx, "%u");
	SAY(ring_tx, "%u");
	SAY(combined, "%u");
	SAYS(rss);
	SAY(pause_autoneg, "%d");
	SAY(pause_rx, "%d");
	SAY(pause_tx, "%d");
	SAY(eee, "%d");
	SAY(mtu, "%u");
	SAY(ipv6_mtu, "%u");
	SAY(txqueuelen, "%u");
	SAYS(qdisc);
	SAY(handle, "%x");
	SAY(limit, "%u");
	SAY(route, "%d");
	for (i = 0; i < FAKE_QUEUES; i++) {
		SAYS(rps[i]);
		SAYS(xps[i]);
		SAYS(irq[i]);
	}
	SAYS(lone_irq);
	SAYS(gro_flush);
	SAYS(defer_irqs);
	for (i = 0; i < 3; i++) {
		SAY(rmem[i], "%ld");
		SAY(wmem[i], "%ld");
	}
	SAYS(somaxconn);
	SAYS(backlog);
	SAYS(congestion);
}

/* ---- netlink ---- */

static int f_links(struct nt_sys *s, struct nt_links *ret, struct nt_err *err)
{
	struct fake_kernel *k = of(s);
	struct nt_link *l;

	(void)err;
	if (k->gone)
		return 0;
	NT_GROW(ret->v, ret->n, ret->cap);
	l = &ret->v[ret->n++];
	memset(l, 0, sizeof *l);
	l->ifindex = k->ifindex;
	snprintf(l->name, sizeof l->name, "%s", k->name);
	l->type = 1;
	l->flags = NT_IFF_UP;
	l->mtu = k->mtu;
	l->txqueuelen = k->txqueuelen;
	snprintf(l->qdisc, sizeof l->qdisc, "%s", k->qdisc);
	snprintf(l->bus, sizeof l->bus, "pci");
	snprintf(l->bus_dev, sizeof l->bus_dev, "0000:03:00.0");
	l->addr_len = l->perm_addr_len = 6;
	memcpy(l->addr, k->mac, 6);
	memcpy(l->perm_addr, k->perm, 6);
	return 0;
}

static int f_qdiscs(struct nt_sys *s, struct nt_qdiscs *ret, struct nt_err *err)
{
	struct fake_kernel *k = of(s);
	struct nt_qdisc *q;

	(void)err;
	if (k->gone)
		return 0;
	NT_GROW(ret->v, ret->n, ret->cap);
	q = &ret->v[ret->n++];
	memset(q, 0, sizeof *q);
	q->ifindex = k->ifindex;
	q->is_root = true;
	q->handle = k->handle;
	snprintf(q->kind, sizeof q->kind, "%s", k->qdisc);
	q->options_len = sizeof k->limit;
	q->options = nt_malloc(q->options_len);
	memcpy(q->options, &k->limit, q->options_len);
	return 0;
}

static int f_link_name(struct nt_sys *s, const char *name, char ret[NT_IFNAMSIZ], struct nt_err *err)
{
	(void)s;
	(void)ret;
	return nt_err_set(err, -ENODEV, "there is no link '%s'", name);
}

static int f_addrs(struct nt_sys *s, struct nt_addrs *ret, struct nt_err *err)
{
	(void)s;
	(void)ret;
	(void)err;
	return 0;
}

static int f_routes(struct nt_sys *s, struct nt_routes *ret, struct nt_err *err)
{
	struct fake_kernel *k = of(s);
	struct nt_route *r;

	(void)err;
	if (k->gone || !k->route)
		return 0;
	NT_GROW(ret->v, ret->n, ret->cap);
	r = &ret->v[ret->n++];
	memset(r, 0, sizeof *r);
	r->ifindex = k->ifindex;
	r->text = nt_strdup("10.1.0.0/16 via 10.0.0.1 dev eth0 proto static");
	r->msg = nt_malloc(4);
	memcpy(r->msg, "r\0\1\2", 4);
	r->msg_len = 4;
	return 0;
}

static int f_sockets(struct nt_sys *s, unsigned states, nt_sock_fn *fn, void *arg,
	struct nt_err *err)
{
	(void)s;
	(void)states;
	(void)fn;
	(void)arg;
	(void)err;
	return 0;
}

static int f_put_back(struct nt_sys *s, enum nt_put_back what, const void *msg, size_t len,
	struct nt_err *err)
{
	struct fake_kernel *k = of(s);

	if (what != NT_PUT_ROUTE || len != 4 || memcmp(msg, "r\0\1\2", 4) != 0)
		return nt_err_set(err, -EINVAL, "not a route");
	if (k->route)
		return nt_err_set(err, -EEXIST, "the route is there");
	k->route = true;
	k->writes++;
	return 0;
}

static int f_link_set(struct nt_sys *s, int ifindex, const struct nt_link_change *c,
	struct nt_err *err)
{
	struct fake_kernel *k = of(s);

	if (k->gone || ifindex != k->ifindex)
		return nt_err_set(err, -ENODEV, "no link %d", ifindex);
	if (c->set_mtu && c->mtu > 9000) {
		nt_err_set(err, -EINVAL, "cannot set the MTU");
		nt_err_kernel(err, "mtu greater than device maximum");
		return -EINVAL;
	}
	if (c->set_mtu)
		k->mtu = k->ipv6_mtu = c->mtu;
	if (c->set_txqueuelen)
		k->txqueuelen = c->txqueuelen;
	k->writes++;
	return 0;
}

static int f_qdisc_set(struct nt_sys *s, int ifindex, uint32_t handle, const char *kind,
	const void *options, size_t len, struct nt_err *err)
{
	struct fake_kernel *k = of(s);

	if (k->gone || ifindex != k->ifindex)
		return nt_err_set(err, -ENODEV, "no link %d", ifindex);
	snprintf(k->qdisc, sizeof k->qdisc, "%s", *kind ? kind : "pfifo_fast");
	k->handle = *kind ? (handle ? handle : 0x80020000) : 0;
	k->limit = 1000;
	if (len == sizeof k->limit)
		memcpy(&k->limit, options, len);
	k->writes++;
	return 0;
}

/* ---- ethtool ---- */

struct number {
	const char *name;
	enum nt_eth what;
	enum nt_eth_type type;
	unsigned *u;
	bool *b;
};

static size_t numbers(struct fake_kernel *k, struct number *v)
{
	size_t n = 0;

#define U(name, what, field) v[n++] = (struct number){ name, what, NT_ETH_INT, &k->field, NULL }
#define B(name, what, field)                                                             \
	v[n++] = (struct number){ name, what, NT_ETH_SWITCH, NULL, &k->field }
	U("coalesce.rx-usecs", NT_ETH_COALESCE, rx_usecs);
	U("coalesce.tx-usecs", NT_ETH_COALESCE, tx_usecs);
	B("coalesce.adaptive-rx", NT_ETH_COALESCE, adaptive_rx);
	U("ring.rx", NT_ETH_RINGS, ring_rx);
	U("ring.tx", NT_ETH_RINGS, ring_tx);
	U("channels.combined", NT_ETH_CHANNELS, combined);
	B("pause.autoneg", NT_ETH_PAUSE, pause_autoneg);
	B("pause.rx", NT_ETH_PAUSE, pause_rx);
	B("pause.tx", NT_ETH_PAUSE, pause_tx);
	B("eee.enabled", NT_ETH_EEE, eee);
#undef U
#undef B
	return n;
}

static int f_eth_get(struct nt_sys *s, enum nt_eth what, int ifindex,
	const struct nt_links *links, nt_eth_fn *fn, void *arg, struct nt_err *err)
{
	struct fake_kernel *k = of(s);
	struct number v[16];
	size_t n = numbers(k, v), i;

	(void)links;
	if (k->gone || (ifindex && ifindex != k->ifindex))
		return nt_err_set(err, -ENODEV, "no link %d", ifindex);
	if (what == NT_ETH_EEE) /* by ioctl, as netlink has no such message: that left its word */
		nt_err_set(err, -ENOSYS, "no such group");
	for (i = 0; what == NT_ETH_FEATURES && i < FAKE_FEATURES; i++) {
		struct nt_eth_val val = { .name = features[i], .type = NT_ETH_FEATURE,
			.num = (k->active[i] ? NT_FEAT_ACTIVE : 0) |
			       (k->wanted[i] ? NT_FEAT_WANTED : 0) };

		fn(arg, k->ifindex, &val, NULL);
	}
	if (what == NT_ETH_RSS) {
		struct nt_eth_val val = { .name = "rss.table", .type = NT_ETH_TEXT, .text = k->rss };

		fn(arg, k->ifindex, &val, NULL);
	}
	for (i = 0; i < n; i++) {
		struct nt_eth_val val = { .name = v[i].name, .type = v[i].type,
			.num = v[i].u ? (int64_t)*v[i].u : *v[i].b };

		if (v[i].what == what)
			fn(arg, k->ifindex, &val, NULL);
	}
	return 0;
}

static int set_features(struct fake_kernel *k, const struct nt_eth_val *vals, size_t n,
	struct nt_err *err)
{
	bool refused = false;
	size_t i, f;

	for (i = 0; i < n; i++)
		for (f = 0; f < FAKE_FEATURES; f++)
			if (strcmp(features[f], vals[i].name) == 0)
				k->wanted[f] = vals[i].num;
	fix_features(k);
	for (i = 0; i < n; i++)
		for (f = 0; f < FAKE_FEATURES; f++)
			if (strcmp(features[f], vals[i].name) == 0)
				refused |= k->active[f] != (bool)vals[i].num;
	return refused ? nt_err_set(err, -EOPNOTSUPP, "'eth0' did not switch some") : 0;
}

static int f_eth_set(struct nt_sys *s, enum nt_eth what, const struct nt_link *link,
	const struct nt_eth_val *vals, size_t n, struct nt_err *err)
{
	struct fake_kernel *k = of(s);
	struct number v[16];
	size_t count = numbers(k, v), i, m;

	if (k->gone || link->ifindex != k->ifindex)
		return nt_err_set(err, -ENODEV, "no link '%s'", link->name);
	k->writes++;
	if (what == NT_ETH_FEATURES)
		return set_features(k, vals, n, err);
	if (what == NT_ETH_RSS) {
		snprintf(k->rss, sizeof k->rss, "%s", vals->text);
		return 0;
	}
	for (i = 0; i < n; i++) {
		for (m = 0; m < count && strcmp(v[m].name, vals[i].name) != 0; m++)
			;
		if (m == count || v[m].what != what)
			return nt_err_set(err, -EINVAL, "no value '%s'", vals[i].name);
		if (what == NT_ETH_RINGS && vals[i].num > 4096)
			return nt_err_set(err, -EINVAL, "ring too large");
		if (what == NT_ETH_CHANNELS && (vals[i].num < 1 || vals[i].num > FAKE_QUEUES))
			return nt_err_set(err, -EINVAL, "no such number of channels");
		if (v[m].u)
			*v[m].u = what == NT_ETH_RINGS ? ((unsigned)vals[i].num + 7) / 8 * 8
						       : (unsigned)vals[i].num;
		else
			*v[m].b = vals[i].num;
	}
	if (what == NT_ETH_CHANNELS) {
		zero_queues(k);
		snprintf(k->rss, sizeof k->rss, "equal");
	}
	if (what == NT_ETH_RINGS)
		k->route = false;
	return 0;
}

static int f_drvinfo(struct nt_sys *s, const struct nt_link *link, struct nt_drvinfo *ret,
	struct nt_err *err)
{
	(void)s;
	(void)link;
	(void)err;
	memset(ret, 0, sizeof *ret);
	return 0;
}

static int f_stats(struct nt_sys *s, const struct nt_link *link, unsigned n, nt_stat_fn *fn,
	void *arg, struct nt_err *err)
{
	(void)s;
	(void)link;
	(void)n;
	(void)fn;
	(void)arg;
	(void)err;
	return 0;
}

/* ---- files ---- */

struct file {
	char path[96];
	char *text; /* of 16 bytes, or NULL for a vector */
	long *vector;
	unsigned *number;
};

static size_t files(struct fake_kernel *k, struct file *v)
{
	size_t n = 0;
	unsigned i;

#define TEXT(field, ...)                                                                 \
	do {                                                                             \
		memset(&v[n], 0, sizeof v[n]);                                           \
		snprintf(v[n].path, sizeof v[n].path, __VA_ARGS__);                      \
		v[n++].text = k->field;                                                  \
	} while (0)
	for (i = 0; !k->gone && i < k->combined; i++) {
		TEXT(rps[i], "/sys/class/net/%s/queues/rx-%u/rps_cpus", k->name, i);
		TEXT(xps[i], "/sys/class/net/%s/queues/tx-%u/xps_cpus", k->name, i);
		TEXT(irq[i], "/proc/irq/%u/smp_affinity_list", 40 + i);
	}
	TEXT(lone_irq, "/proc/irq/7/smp_affinity_list");
	TEXT(gro_flush, "/sys/class/net/%s/gro_flush_timeout", k->name);
	TEXT(defer_irqs, "/sys/class/net/%s/napi_defer_hard_irqs", k->name);
	n -= k->gone ? 2 : 0;
	TEXT(somaxconn, "/proc/sys/net/core/somaxconn");
	TEXT(backlog, "/proc/sys/net/core/netdev_max_backlog");
	TEXT(congestion, "/proc/sys/net/ipv4/tcp_congestion_control");
#undef TEXT
	v[n] = (struct file){ .path = "/proc/sys/net/ipv4/tcp_rmem", .vector = k->rmem };
	n++;
	v[n] = (struct file){ .path = "/proc/sys/net/ipv4/tcp_wmem", .vector = k->wmem };
	n++;
	if (!k->gone) {
		v[n] = (struct file){ .number = &k->ipv6_mtu };
		snprintf(v[n].path, sizeof v[n].path, "/proc/sys/net/ipv6/conf/%s/mtu", k->name);
		n++;
	}
	return n;
}

static const struct file *find_file(struct fake_kernel *k, struct file *v, const char *path)
{
	size_t n = files(k, v), i;

	for (i = 0; i < n; i++)
		if (strcmp(v[i].path, path) == 0)
			return &v[i];
	return NULL;
}

#define EIGHT(text) text text text text text text text text
static const char zeros[] = EIGHT(EIGHT("00000,00"));

static int f_read(struct nt_sys *s, const char *path, struct nt_buf *ret, struct nt_err *err)
{
	struct fake_kernel *k = of(s);
	struct file v[40];
	const struct file *f = find_file(k, v, path);
	char own[64];

	if (strcmp(path, "/proc/sys/kernel/random/boot_id") == 0) {
		nt_buf_adds(ret, "00000000-0000-4000-8000-000000000001\n");
		return 0;
	}
	snprintf(own, sizeof own, "/sys/class/net/%s/ifindex", k->name);
	if (!k->gone && strcmp(path, own) == 0) {
		nt_buf_addf(ret, "%d\n", k->ifindex);
		return 0;
	}
	snprintf(own, sizeof own, "/sys/class/net/%s/address", k->name);
	if (!k->gone && strcmp(path, own) == 0) {
		nt_buf_addf(ret, "%02x:%02x:%02x:%02x:%02x:%02x\n", k->mac[0], k->mac[1],
			k->mac[2], k->mac[3], k->mac[4], k->mac[5]);
		return 0;
	}
	if (!f)
		return nt_err_sys(err, -ENOENT, "cannot open '%s'", path);
	if (f->vector)
		nt_buf_addf(ret, "%ld\t%ld\t%ld\n", f->vector[0], f->vector[1], f->vector[2]);
	else if (f->number)
		nt_buf_addf(ret, "%u\n", *f->number);
	else
		nt_buf_addf(ret, "%s%s\n", k->wide && nt_glob("*ps_cpus", path) ? zeros : "",
			f->text);
	return 0;
}

/* As the kernel parses vectors: number by number, each set before the next is looked at. */
static int write_vector(long *vec, const char *text)
{
	char *end;
	int i;

	for (i = 0; i < 3; i++) {
		long val = strtol(text, &end, 10);

		if (end == text)
			return *text && *text != '\n' ? -EINVAL : 0;
		if (*end && !strchr(" \t\n", *end))
			return -EINVAL;
		vec[i] = val;
		text = end + strspn(end, " \t");
	}
	return 0;
}

static int f_write(struct nt_sys *s, const char *path, const void *data, size_t len,
	struct nt_err *err)
{
	struct fake_kernel *k = of(s);
	struct file v[40];
	const struct file *f = find_file(k, v, path);
	char text[128];
	int rc = 0;

	if (!f)
		return nt_err_sys(err, -ENOENT, "cannot open '%s'", path);
	for (; k->wide && len > 2 && strchr("0,", *(const char *)data); len--)
		data = (const char *)data + 1;
	snprintf(text, sizeof text, "%.*s", (int)len, (const char *)data);
	text[strcspn(text, "\n")] = '\0';
	k->writes++;
	if (f->vector)
		rc = write_vector(f->vector, text);
	else if (f->number)
		*f->number = (unsigned)strtoul(text, NULL, 10);
	else if (strlen(text) < 16)
		snprintf(f->text, 16, "%s", text);
	else
		rc = -EINVAL;
	return rc ? nt_err_sys(err, rc, "cannot write '%s'", path) : 0;
}

static int f_list(struct nt_sys *s, const char *path, nt_dir_fn *fn, void *arg,
	struct nt_err *err)
{
	struct fake_kernel *k = of(s);
	char own[64], name[16];
	unsigned i;

	snprintf(own, sizeof own, "/sys/class/net/%s/queues", k->name);
	if (!k->gone && strcmp(path, own) == 0) {
		for (i = 0; i < k->combined; i++) {
			snprintf(name, sizeof name, "rx-%u", i);
			fn(arg, name, true);
			snprintf(name, sizeof name, "tx-%u", i);
			fn(arg, name, true);
		}
		return 0;
	}
	snprintf(own, sizeof own, "/sys/class/net/%s/device/msi_irqs", k->name);
	if (!k->gone && strcmp(path, own) == 0) {
		for (i = 0; i < k->combined; i++) {
			snprintf(name, sizeof name, "%u", 40 + i);
			fn(arg, name, false);
		}
		return 0;
	}
	return nt_err_sys(err, -ENOENT, "cannot list '%s'", path);
}

static int f_readlink(struct nt_sys *s, const char *path, char *ret, size_t size,
	struct nt_err *err)
{
	(void)s;
	(void)ret;
	(void)size;
	return nt_err_sys(err, -ENOENT, "cannot read '%s'", path);
}

static const char *f_eth_path(const struct nt_sys *s)
{
	(void)s;
	return "netlink";
}

static void f_free(struct nt_sys *s)
{
	free((struct fake *)(void *)s);
}

static const struct nt_sys_ops ops = {
	.links = f_links, .link_name = f_link_name, .qdiscs = f_qdiscs, .addrs = f_addrs, .routes = f_routes,
	.sockets = f_sockets,
	.eth_get = f_eth_get, .eth_drvinfo = f_drvinfo, .eth_stats = f_stats,
	.eth_set = f_eth_set, .link_set = f_link_set, .put_back = f_put_back,
	.qdisc_set = f_qdisc_set, .read = f_read, .write = f_write, .list = f_list,
	.readlink = f_readlink, .eth_path = f_eth_path, .free = f_free,
};

struct nt_sys *fake_sys(struct fake_kernel *k)
{
	struct fake *f = nt_calloc(1, sizeof *f);

	f->sys.ops = &ops;
	f->k = k;
	return &f->sys;
}
