/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which links are read whole around a step, and that what moves on the others is recorded
 * and undone all the same.
 */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/fake_plan.h"
#include "nettune/buf.h"
#include "nettune/mem.h"
#include "plan/state.h"

/* ---- who is near ---- */

static const struct nt_link host[] = {
	{ .ifindex = 1, .name = "lo" },
	{ .ifindex = 2, .name = "eth0", .bus = "pci" },
	{ .ifindex = 3, .name = "eth1", .bus = "pci" },
	{ .ifindex = 4, .name = "eth0.5", .kind = "vlan", .lower = 2 },
	{ .ifindex = 5, .name = "bond0", .kind = "bond" },
	{ .ifindex = 6, .name = "eth2", .bus = "pci", .master = 5 },
	{ .ifindex = 7, .name = "bond0.7", .kind = "vlan", .lower = 5 },
	{ .ifindex = 10, .name = "a", .kind = "veth", .lower = 11 },
	{ .ifindex = 11, .name = "b", .kind = "veth", .lower = 10, .master = 20 },
	{ .ifindex = 12, .name = "c", .kind = "veth", .lower = 2, .lower_foreign = true,
		.master = 20 },
	{ .ifindex = 20, .name = "br", .kind = "bridge" },
	{ .ifindex = 21, .name = "br.3", .kind = "vlan", .lower = 20 },
	{ .ifindex = 30, .name = "d", .kind = "dummy" },
	{ .ifindex = 31, .name = "hsr0", .kind = "hsr" },
};

static void near_links(void **state)
{
	static const struct {
		int ifindex;
		const char *near;
	} rows[] = {
		{ 30, "d " },
		/* to the peer and the bridge it is in, not to the bridge's other ports */
		{ 10, "a b br br.3 " },
		{ 12, "c br br.3 " },
		{ 20, "br br.3 " },
		{ 21, "br br.3 " },
		/* devices with all devices, all kinds not known, and what is stacked on them */
		{ 2, "lo eth0 eth1 eth0.5 bond0 eth2 bond0.7 hsr0 " },
		{ 4, "lo eth0 eth1 eth0.5 bond0 eth2 bond0.7 hsr0 " },
		{ 31, "lo eth0 eth1 eth0.5 bond0 eth2 bond0.7 hsr0 " },
		/* the host, and a link that is not there: all */
		{ 0, "lo eth0 eth1 eth0.5 bond0 eth2 bond0.7 a b c br br.3 d hsr0 gone " },
	};
	struct nt_links links = { .n = NT_ARRAY_SIZE(host) };
	struct nt_watch_link v[NT_ARRAY_SIZE(host) + 1] = { { 0 } };
	struct nt_watch w = { .links = v, .n_links = NT_ARRAY_SIZE(v) };
	struct nt_buf b = { 0 };
	size_t i, k;

	(void)state;
	links.v = nt_calloc(links.n, sizeof *links.v);
	memcpy(links.v, host, sizeof host);
	for (i = 0; i < links.n; i++)
		v[i].ifindex = host[i].ifindex;
	v[i].ifindex = 99;
	for (i = 0; i < NT_ARRAY_SIZE(rows); i++) {
		nt_watch_near(&w, &links, rows[i].ifindex);
		nt_buf_cut(&b, 0);
		for (k = 0; k < links.n; k++)
			if (!v[k].far)
				nt_buf_addf(&b, "%s ", host[k].name);
		if (!rows[i].ifindex)
			nt_buf_adds(&b, v[k].far ? "" : "gone ");
		assert_string_equal(nt_buf_str(&b), rows[i].near);
	}
	assert_true(v[12].was_far);
	nt_buf_free(&b);
	free(links.v);
}

/* ---- what moves far away ---- */

/* Two links that netlink ties by nothing, over the kernel with eth0. */
struct pair {
	struct nt_sys sys;
	struct nt_sys *rest;
	unsigned txqueuelen[2], usecs[2];
	unsigned gets[2];  /* how often coalescing was read */
	bool refuse;	   /* the second's queue length */
};

static struct pair *pair_of(struct nt_sys *s)
{
	return (struct pair *)(void *)s;
}

static int p_links(struct nt_sys *s, struct nt_links *ret, struct nt_err *err)
{
	struct pair *p = pair_of(s);
	int i, rc = p->rest->ops->links(p->rest, ret, err);

	for (i = 0; i < 2; i++) {
		NT_GROW(ret->v, ret->n, ret->cap);
		ret->v[ret->n] = (struct nt_link){ .ifindex = 11 + i, .kind = "dummy", .mtu = 1500,
			.txqueuelen = p->txqueuelen[i] };
		snprintf(ret->v[ret->n++].name, NT_IFNAMSIZ, "d%d", i);
	}
	return rc;
}

static int p_eth_get(struct nt_sys *s, enum nt_eth what, int ifindex,
	const struct nt_links *links, nt_eth_fn *fn, void *arg, struct nt_err *err)
{
	struct pair *p = pair_of(s);
	struct nt_eth_val val = { .name = "coalesce.rx-usecs", .type = NT_ETH_INT };

	if (ifindex < 11)
		return p->rest->ops->eth_get(p->rest, what, ifindex, links, fn, arg, err);
	if (what != NT_ETH_COALESCE)
		return nt_err_set(err, -EOPNOTSUPP, "not supported");
	p->gets[ifindex - 11]++;
	val.num = p->usecs[ifindex - 11];
	fn(arg, ifindex, &val, NULL);
	return 0;
}

static int p_eth_set(struct nt_sys *s, enum nt_eth what, const struct nt_link *link,
	const struct nt_eth_val *vals, size_t n, struct nt_err *err)
{
	(void)what;
	(void)n;
	(void)err;
	pair_of(s)->usecs[link->ifindex - 11] = (unsigned)vals->num;
	return 0;
}

/* The first link's queue length moves the other's coalescing. */
static int p_link_set(struct nt_sys *s, int ifindex, const struct nt_link_change *c,
	struct nt_err *err)
{
	struct pair *p = pair_of(s);

	if (ifindex == 12 && p->refuse)
		return nt_err_set(err, -EINVAL, "no");
	p->txqueuelen[ifindex - 11] = c->txqueuelen;
	if (ifindex == 11)
		p->usecs[1] = 8;
	return 0;
}

/* The calls that the pair leaves to the kernel with eth0. */
static int p_qdiscs(struct nt_sys *s, struct nt_qdiscs *ret, struct nt_err *err)
{
	return pair_of(s)->rest->ops->qdiscs(pair_of(s)->rest, ret, err);
}

static int p_addrs(struct nt_sys *s, struct nt_addrs *ret, struct nt_err *err)
{
	return pair_of(s)->rest->ops->addrs(pair_of(s)->rest, ret, err);
}

static int p_routes(struct nt_sys *s, struct nt_routes *ret, struct nt_err *err)
{
	return pair_of(s)->rest->ops->routes(pair_of(s)->rest, ret, err);
}

static int p_read(struct nt_sys *s, const char *path, struct nt_buf *ret, struct nt_err *err)
{
	return pair_of(s)->rest->ops->read(pair_of(s)->rest, path, ret, err);
}

static int p_list(struct nt_sys *s, const char *path, nt_dir_fn *fn, void *arg,
	struct nt_err *err)
{
	return pair_of(s)->rest->ops->list(pair_of(s)->rest, path, fn, arg, err);
}

static int p_readlink(struct nt_sys *s, const char *path, char *ret, size_t size,
	struct nt_err *err)
{
	return pair_of(s)->rest->ops->readlink(pair_of(s)->rest, path, ret, size, err);
}

static const struct nt_sys_ops pair_ops = {
	.links = p_links, .qdiscs = p_qdiscs, .addrs = p_addrs, .routes = p_routes,
	.eth_get = p_eth_get, .eth_set = p_eth_set, .link_set = p_link_set, .read = p_read,
	.list = p_list, .readlink = p_readlink,
};

static int apply_pair(struct pair *p, bool refuse, struct nt_change_result *r)
{
	struct nt_apply_opts o = { .state_dir = state_dir };
	struct nt_plan plan = { 0 };
	struct nt_err err;
	int rc;

	fresh();
	*p = (struct pair){ .sys.ops = &pair_ops, .rest = fake_sys(kernel),
		.txqueuelen = { 1000, 1000 }, .usecs = { 3, 3 }, .refuse = refuse };
	add_step(&plan, "link.txqueuelen", "d0", "1000", "500");
	add_step(&plan, "link.txqueuelen", "d1", "1000", "500");
	rc = nt_apply(&p->sys, &plan, &o, r, &err);
	nt_plan_free(&plan);
	return rc;
}

static void far_side_effects(void **state)
{
	struct nt_change_result r;
	struct nt_err err;
	struct pair p;

	(void)state;
	assert_int_equal(apply_pair(&p, false, &r), 0);
	/* the plan's check, the beginning, before and after its own step, the end */
	assert_int_equal(p.gets[0], 5);
	assert_int_equal(r.n_side, 1);
	assert_string_equal(r.side->link, "d1");
	assert_string_equal(r.side->key, "coalesce.rx-usecs");
	assert_string_equal(r.side->to, "8");
	nt_change_result_free(&r);
	assert_int_equal(nt_rollback(&p.sys, state_dir, 0, &r, &err), 0);
	assert_int_equal(p.usecs[1], 3);
	assert_int_equal(p.txqueuelen[0], 1000);
	assert_int_equal(p.txqueuelen[1], 1000);
	nt_change_result_free(&r);
	nt_sys_free(p.rest);

	/* undone too when a later step fails */
	assert_int_equal(apply_pair(&p, true, &r), -EINVAL);
	assert_int_equal(p.usecs[1], 3);
	assert_int_equal(p.txqueuelen[0], 1000);
	assert_int_equal(r.n_left, 0);
	nt_change_result_free(&r);
	nt_sys_free(p.rest);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(near_links),
		cmocka_unit_test(far_side_effects),
	};

	return cmocka_run_group_tests(tests, fake_plan_setup, fake_plan_teardown);
}
