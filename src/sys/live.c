/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "live.h"

#include <errno.h>
#include <stdlib.h>

#include "nettune/mem.h"
#include "nettune/sysfault.h"
#include "ethio.h"
#include "ethnl.h"
#include "rtnl.h"
#include "sockdiag.h"

static struct nt_live *live_of(struct nt_sys *s)
{
	return (struct nt_live *)(void *)s;
}

/* What the kernel's family does not know is done by ioctl. */

static int eth_get(struct nt_sys *s, enum nt_eth what, int ifindex,
	const struct nt_links *links, nt_eth_fn *fn, void *arg, struct nt_err *err)
{
	struct nt_live *l = live_of(s);
	int r = -ENOSYS;

	if (l->ethnl)
		r = nt_ethnl_get(l->ethnl, what, ifindex, links, fn, arg, err);
	if (r == -ENOSYS)
		r = nt_ethio_get(l->ethio, what, ifindex, links, fn, arg, err);
	return r;
}

static int eth_set(struct nt_sys *s, enum nt_eth what, const struct nt_link *link,
	const struct nt_eth_val *vals, size_t n, struct nt_err *err)
{
	struct nt_live *l = live_of(s);
	int r = -ENOSYS;

	if (l->ethnl)
		r = nt_ethnl_set(l->ethnl, what, link, vals, n, err);
	if (r == -ENOSYS)
		r = nt_ethio_set(l->ethio, what, link, vals, n, err);
	return r;
}

static int eth_drvinfo(struct nt_sys *s, const struct nt_link *link, struct nt_drvinfo *ret,
	struct nt_err *err)
{
	return nt_ethio_drvinfo(live_of(s)->ethio, link, ret, err);
}

static int eth_stats(struct nt_sys *s, const struct nt_link *link, unsigned n, nt_stat_fn *fn,
	void *arg, struct nt_err *err)
{
	return nt_ethio_stats(live_of(s)->ethio, link, n, fn, arg, err);
}

static const char *eth_path(const struct nt_sys *s)
{
	return ((const struct nt_live *)(const void *)s)->ethnl ? "netlink" : "ioctl";
}

static void live_free(struct nt_sys *s)
{
	struct nt_live *l = live_of(s);

	nt_rtnl_close(l->rtnl);
	nt_ethnl_close(l->ethnl);
	nt_ethio_close(l->ethio);
	free(l);
}

static const struct nt_sys_ops live_ops = {
	.links = nt_rtnl_links,
	.link_name = nt_rtnl_link_name,
	.qdiscs = nt_rtnl_qdiscs,
	.addrs = nt_rtnl_addrs,
	.routes = nt_rtnl_routes,
	.sockets = nt_sockdiag_sockets,
	.eth_get = eth_get,
	.eth_drvinfo = eth_drvinfo,
	.eth_stats = eth_stats,
	.eth_set = eth_set,
	.link_set = nt_rtnl_link_set,
	.put_back = nt_rtnl_put_back,
	.qdisc_set = nt_rtnl_qdisc_set,
	.read = nt_file_read,
	.write = nt_file_write,
	.list = nt_file_list,
	.readlink = nt_file_readlink,
	.eth_path = eth_path,
	.free = live_free,
};

struct nt_sys *nt_sys_live(unsigned flags, struct nt_err *err)
{
	struct nt_live *l = nt_calloc(1, sizeof *l);
	struct nt_err e = { 0 };

	l->sys.ops = &live_ops;
	l->rtnl = nt_rtnl_open(err);
	if (!l->rtnl)
		goto failed;
	l->ethio = nt_ethio_open(err);
	if (!l->ethio)
		goto failed;
	/* whatever keeps the family from being used, the ioctls remain */
	if (!(flags & NT_SYS_IOCTL))
		l->ethnl = nt_ethnl_open(&e);
	return &l->sys;
failed:
	live_free(&l->sys);
	return NULL;
}

struct nt_sys *nt_sys_open(unsigned flags, struct nt_err *err)
{
	const char *spec = secure_getenv("NETTUNE_FAULT");
	struct nt_sys *live = nt_sys_live(flags, err), *s;

	if (!live || !spec)
		return live;
	s = nt_sys_fault(live, spec, err);
	if (!s)
		nt_sys_free(live);
	return s;
}
