/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/sys.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nettune/mem.h"

/* struct rtnl_link_stats64 of linux/if_link.h, in order; it only grows at its end. */
static const char *const link_stats[] = {
	"rx_packets", "tx_packets", "rx_bytes", "tx_bytes", "rx_errors", "tx_errors",
	"rx_dropped", "tx_dropped", "multicast", "collisions", "rx_length_errors",
	"rx_over_errors", "rx_crc_errors", "rx_frame_errors", "rx_fifo_errors",
	"rx_missed_errors", "tx_aborted_errors", "tx_carrier_errors", "tx_fifo_errors",
	"tx_heartbeat_errors", "tx_window_errors", "rx_compressed", "tx_compressed",
	"rx_nohandler", "rx_otherhost_dropped",
};
_Static_assert(NT_ARRAY_SIZE(link_stats) <= NT_LINK_STATS_MAX, "link statistics");

const char *nt_link_stat_name(unsigned i)
{
	return i < NT_ARRAY_SIZE(link_stats) ? link_stats[i] : NULL;
}

void nt_sys_free(struct nt_sys *s)
{
	if (s)
		s->ops->free(s);
}

const char *nt_sys_eth_path(const struct nt_sys *s)
{
	return s->ops->eth_path(s);
}

/* ---- lists ---- */

const struct nt_link *nt_links_by_index(const struct nt_links *l, int ifindex)
{
	size_t lo = 0, hi = l->n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (l->v[mid].ifindex == ifindex)
			return &l->v[mid];
		if (l->v[mid].ifindex < ifindex)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

const struct nt_link *nt_links_by_name(const struct nt_links *l, const char *name)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		if (!strcmp(l->v[i].name, name))
			return &l->v[i];
	return NULL;
}

void nt_links_free(struct nt_links *l)
{
	free(l->v);
	memset(l, 0, sizeof *l);
}

void nt_qdiscs_free(struct nt_qdiscs *q)
{
	size_t i;

	for (i = 0; i < q->n; i++)
		free(q->v[i].options);
	free(q->v);
	memset(q, 0, sizeof *q);
}

void nt_addrs_free(struct nt_addrs *a)
{
	size_t i;

	for (i = 0; i < a->n; i++)
		free(a->v[i].msg);
	free(a->v);
	memset(a, 0, sizeof *a);
}

void nt_routes_free(struct nt_routes *r)
{
	size_t i;

	for (i = 0; i < r->n; i++) {
		free(r->v[i].text);
		free(r->v[i].msg);
	}
	free(r->v);
	memset(r, 0, sizeof *r);
}

/* ---- files ---- */

int nt_sys_read_line(struct nt_sys *s, const char *path, struct nt_buf *ret,
	struct nt_err *err)
{
	size_t start = ret->len;
	int r = s->ops->read(s, path, ret, err);

	if (r < 0)
		return r;
	while (ret->len > start && isspace((unsigned char)ret->s[ret->len - 1]))
		nt_buf_cut(ret, ret->len - 1);
	return 0;
}

static bool attr_is(struct nt_sys *s, const struct nt_link *link, const char *rel,
	const char *want)
{
	struct nt_buf b = { 0 };
	char path[128];
	bool same;

	snprintf(path, sizeof path, "/sys/class/net/%s/%s", link->name, rel);
	same = nt_sys_read_line(s, path, &b, NULL) == 0 && !strcmp(nt_buf_str(&b), want);
	nt_buf_free(&b);
	return same;
}

bool nt_sys_link_in_sysfs(struct nt_sys *s, const struct nt_link *link)
{
	char text[3 * NT_ADDR_MAX + 1], number[16];

	/* a name is no path: the kernel refuses '/' in it, but a capture may not */
	if (!*link->name || strchr(link->name, '/') || !strcmp(link->name, ".") ||
		!strcmp(link->name, ".."))
		return false;
	snprintf(number, sizeof number, "%d", link->ifindex);
	nt_hex(text, link->addr, link->addr_len, ":");
	return attr_is(s, link, "ifindex", number) && attr_is(s, link, "address", text);
}
