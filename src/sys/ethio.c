/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "ethio.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nettune/mem.h"

/* Room for the largest struct of the tables. */
#define STRUCT_MAX 256
/* More counters than any driver has (mlx5 with 128 queues has about 6,000). */
#define STATS_MAX 100000U

union request {
	uint32_t cmd;
	unsigned char room[STRUCT_MAX];
};

struct nt_ethio *nt_ethio_open(struct nt_err *err)
{
	struct nt_ethio *io;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	/* a kernel without IPv4 or a sandbox that allows netlink alone */
	if (fd < 0)
		fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (fd < 0) {
		nt_err_sys(err, -errno, "cannot open a socket for ethtool ioctls");
		return NULL;
	}
	io = nt_calloc(1, sizeof *io);
	io->fd = fd;
	return io;
}

void nt_ethio_close(struct nt_ethio *io)
{
	unsigned i;

	if (!io)
		return;
	for (i = 0; i < io->n_features; i++)
		free(io->features[i]);
	free(io->features);
	free(io->stat_names);
	free(io->stats);
	close(io->fd);
	free(io);
}

static void copy_text(char *ret, const char *from, size_t size)
{
	size_t len = strnlen(from, size - 1);

	memcpy(ret, from, len);
	ret[len] = '\0';
}

int nt_ethio_call(const struct nt_ethio *io, const char *name, void *data)
{
	struct ifreq ifr;
	int r;

	memset(&ifr, 0, sizeof ifr);
	copy_text(ifr.ifr_name, name, sizeof ifr.ifr_name);
	ifr.ifr_data = data;
	do
		r = ioctl(io->fd, SIOCETHTOOL, &ifr);
	while (r < 0 && errno == EINTR);
	return r < 0 ? -errno : 0;
}

/* ---- values by the tables ---- */

static uint32_t field(const void *data, const struct nt_eth_row *row)
{
	const unsigned char *p = (const unsigned char *)data + row->io_off;
	uint32_t v;

	if (row->io_size == 1)
		return *p;
	memcpy(&v, p, sizeof v);
	return v;
}

static void set_field(void *data, const struct nt_eth_row *row, uint32_t v)
{
	unsigned char *p = (unsigned char *)data + row->io_off;

	if (row->io_size == 1)
		*p = (unsigned char)v;
	else
		memcpy(p, &v, sizeof v);
}

static bool gated(const void *data, const struct nt_eth_row *row)
{
	uint32_t v;

	if (!row->io_gate)
		return false;
	memcpy(&v, (const char *)data + row->io_gate, sizeof v);
	return v == 0;
}

void nt_ethio_modes(struct nt_buf *ret, const uint32_t *words, unsigned n)
{
	const char *name;
	unsigned i;

	nt_buf_cut(ret, 0);
	for (i = 0; i < n * 32; i++) {
		name = words[i / 32] >> i % 32 & 1 ? nt_link_mode_name(i) : NULL;
		if (!name || !nt_link_mode_is_speed(name))
			continue;
		if (ret->len)
			nt_buf_addc(ret, ' ');
		nt_buf_adds(ret, name);
	}
}

/* Whether zero is no value. */
static bool needs_nonzero(const struct nt_eth_row *row, const struct nt_link *link)
{
	return (row->flags & NT_ROW_IO_NONZERO) ||
	       ((row->flags & NT_ROW_IO_NONZERO_HW) && *link->kind);
}

static bool row_value(const struct nt_eth_row *row, const void *data,
	const struct nt_link *link, struct nt_eth_val *v, struct nt_buf *text)
{
	uint32_t n = field(data, row);

	if (gated(data, row) || (n == 0 && needs_nonzero(row, link)))
		return false;
	v->type = NT_ETH_INT;
	v->num = n;
	switch ((enum nt_row_type)row->type) {
	case NT_ROW_U32:
	case NT_ROW_U8:
		return true;
	case NT_ROW_SPEED:
		return n != 0 && n != UINT16_MAX && n != UINT32_MAX;
	case NT_ROW_SWITCH:
		v->type = NT_ETH_SWITCH;
		v->num = n != 0;
		return true;
	case NT_ROW_WORD:
		v->type = NT_ETH_TEXT;
		v->text = nt_name_of(row->words, (int)n);
		return v->text;
	case NT_ROW_MODES:
	case NT_ROW_MODES_MASK:
		v->type = NT_ETH_TEXT;
		nt_ethio_modes(text, &n, 1);
		v->text = nt_buf_str(text);
		return text->len > 0;
	case NT_ROW_FEC:
	case NT_ROW_FEC_BIT:
		break;
	}
	return false;
}

void nt_ethio_emit(const struct nt_eth_group *g, const void *data, const struct nt_link *link,
	nt_eth_fn *fn, void *arg)
{
	struct nt_buf text = { 0 };
	struct nt_eth_val v;
	unsigned i;

	for (i = 0; i < g->n_rows; i++) {
		if (!g->rows[i].io_size)
			continue;
		memset(&v, 0, sizeof v);
		v.name = g->rows[i].name;
		v.row = i;
		if (row_value(&g->rows[i], data, link, &v, &text))
			fn(arg, link->ifindex, &v, NULL);
	}
	nt_buf_free(&text);
}

/* ---- reading ---- */

static int get_link(struct nt_ethio *io, enum nt_eth what, const struct nt_link *link,
	nt_eth_fn *fn, void *arg, struct nt_err *err)
{
	const struct nt_eth_group *g = nt_eth_group(what);
	union request data = { 0 };
	int r;

	if (what == NT_ETH_FEATURES) {
		r = nt_ethio_get_features(io, link, fn, arg);
	} else if (what == NT_ETH_LINKMODES || what == NT_ETH_LINKINFO) {
		r = nt_ethio_get_settings(io, what, link, fn, arg);
	} else if (what == NT_ETH_FEC) {
		r = nt_ethio_get_fec(io, link, fn, arg);
	} else if (what == NT_ETH_RSS) {
		r = nt_ethio_get_rss(io, link, fn, arg);
	} else {
		data.cmd = g->io_get;
		r = nt_ethio_call(io, link->name, &data);
		if (!r)
			nt_ethio_emit(g, &data, link, fn, arg);
	}
	return r ? nt_err_sys(err, r, "cannot read %s of '%s'", g->what, link->name) : 0;
}

int nt_ethio_name(const struct nt_ethio *io, int ifindex, char ret[NT_IFNAMSIZ])
{
	struct ifreq ifr;

	memset(&ifr, 0, sizeof ifr);
	ifr.ifr_ifindex = ifindex;
	if (ioctl(io->fd, SIOCGIFNAME, &ifr) < 0)
		return -errno;
	snprintf(ret, NT_IFNAMSIZ, "%.*s", NT_IFNAMSIZ - 1, ifr.ifr_name);
	return 0;
}

int nt_ethio_get(struct nt_ethio *io, enum nt_eth what, int ifindex,
	const struct nt_links *links, nt_eth_fn *fn, void *arg, struct nt_err *err)
{
	const struct nt_link *l;
	struct nt_link named = { 0 };
	struct nt_err e;
	size_t i;
	int r;

	if (!nt_eth_group(what) || (!ifindex && !links))
		return nt_err_set(err, -EINVAL, "nothing to read by ethtool ioctl");
	if (ifindex) {
		l = links ? nt_links_by_index(links, ifindex) : NULL;
		if (!l) {
			named.ifindex = ifindex;
			r = nt_ethio_name(io, ifindex, named.name);
			if (r < 0)
				return nt_err_sys(err, r, "cannot name link %d", ifindex);
			l = &named;
		}
		return get_link(io, what, l, fn, arg, err);
	}
	for (i = 0; i < links->n; i++)
		if (get_link(io, what, &links->v[i], fn, arg, &e) < 0)
			fn(arg, links->v[i].ifindex, NULL, &e);
	return 0;
}

int nt_ethio_drvinfo(struct nt_ethio *io, const struct nt_link *link,
	struct nt_drvinfo *ret, struct nt_err *err)
{
	struct ethtool_drvinfo d = { .cmd = ETHTOOL_GDRVINFO };
	int r = nt_ethio_call(io, link->name, &d);

	memset(ret, 0, sizeof *ret);
	if (r)
		return nt_err_sys(err, r, "cannot read the driver of '%s'", link->name);
	copy_text(ret->driver, d.driver, sizeof ret->driver);
	copy_text(ret->version, d.version, sizeof ret->version);
	copy_text(ret->firmware, d.fw_version, sizeof ret->firmware);
	copy_text(ret->bus_info, d.bus_info, sizeof ret->bus_info);
	ret->n_stats = d.n_stats;
	return 0;
}

/* How many strings a set of this link has; 0 where it has none. */
static int set_size(const struct nt_ethio *io, const char *name, unsigned set, unsigned *ret)
{
	union {
		struct ethtool_sset_info info;
		unsigned char room[sizeof(struct ethtool_sset_info) + sizeof(uint32_t)];
	} q;
	int r;

	memset(&q, 0, sizeof q);
	q.info.cmd = ETHTOOL_GSSET_INFO;
	q.info.sset_mask = 1ULL << set;
	r = nt_ethio_call(io, name, &q);
	*ret = !r && q.info.sset_mask ? q.info.data[0] : 0;
	return r;
}

struct ethtool_gstrings *nt_ethio_strings(const struct nt_ethio *io, const char *name,
	unsigned set, int *ret_code)
{
	struct ethtool_gstrings *s;
	unsigned n, room;

	*ret_code = set_size(io, name, set, &n);
	if (*ret_code || n == 0 || n > STATS_MAX)
		return NULL;
	/* the kernel copies as many as there are now, whatever room was told: leave some */
	room = 2 * n + 64;
	s = nt_calloc(1, sizeof *s + (size_t)room * ETH_GSTRING_LEN);
	s->cmd = ETHTOOL_GSTRINGS;
	s->string_set = set;
	s->len = n;
	*ret_code = nt_ethio_call(io, name, s);
	if (!*ret_code && s->len > room)
		*ret_code = -EOVERFLOW;
	if (*ret_code) {
		free(s);
		return NULL;
	}
	return s;
}

/*
 * The kernel copies as many counters as there are now, whatever room it was told of, and
 * a link may get more of them between asking how many and asking which: there is room for
 * any number that drivers have. What is not used of it takes no memory.
 */
static void make_room(struct nt_ethio *io)
{
	if (io->stat_names)
		return;
	io->stat_names = nt_calloc(
		1, sizeof *io->stat_names + (size_t)2 * STATS_MAX * ETH_GSTRING_LEN);
	io->stats = nt_calloc(
		1, sizeof *io->stats + (size_t)2 * STATS_MAX * sizeof(uint64_t));
}

static int read_stats(const struct nt_ethio *io, const char *name, unsigned n)
{
	struct ethtool_gstrings *names = io->stat_names;
	struct ethtool_stats *stats = io->stats;
	int r;

	names->cmd = ETHTOOL_GSTRINGS;
	names->string_set = ETH_SS_STATS;
	names->len = n;
	r = nt_ethio_call(io, name, names);
	if (r)
		return r;
	stats->cmd = ETHTOOL_GSTATS;
	stats->n_stats = names->len;
	return nt_ethio_call(io, name, stats);
}

int nt_ethio_stats(struct nt_ethio *io, const struct nt_link *link, unsigned n,
	nt_stat_fn *fn, void *arg, struct nt_err *err)
{
	char name[ETH_GSTRING_LEN + 1];
	unsigned i;
	int r = 0;

	if (!n)
		r = set_size(io, link->name, ETH_SS_STATS, &n);
	if (!r && (n == 0 || n > STATS_MAX))
		return 0;
	make_room(io);
	if (!r)
		r = read_stats(io, link->name, n);
	if (r)
		return nt_err_sys(err, r, "cannot read counters of '%s'", link->name);
	n = io->stats->n_stats < io->stat_names->len ? io->stats->n_stats
						     : io->stat_names->len;
	for (i = 0; i < n; i++) {
		copy_text(name,
			(const char *)io->stat_names->data + (size_t)i * ETH_GSTRING_LEN,
			sizeof name);
		fn(arg, name, io->stats->data[i]);
	}
	return 0;
}

/* ---- setting ---- */

int nt_ethio_change(const struct nt_eth_group *g, void *data, const struct nt_eth_val *vals,
	size_t n, struct nt_err *err)
{
	const struct nt_eth_row *row;
	int64_t num;
	size_t i;

	for (i = 0; i < n; i++) {
		row = nt_eth_row(g, vals[i].name);
		if (!row || !(row->flags & NT_ROW_SET))
			return nt_err_set(err, -EINVAL, "'%s' cannot be set", vals[i].name);
		if (!row->io_size)
			return nt_err_set(err, -EOPNOTSUPP,
				"'%s' cannot be set by ioctl: it needs the kernel's ethtool "
				"netlink family", vals[i].name);
		num = vals[i].num;
		if (row->type == NT_ROW_WORD)
			num = vals[i].type == NT_ETH_TEXT ?
				      nt_name_value(row->words, vals[i].text) : -1;
		else if (vals[i].type != (row->type == NT_ROW_SWITCH ? NT_ETH_SWITCH :
									NT_ETH_INT))
			num = -1;
		if (num < 0 || num > (row->io_size == 1 ? UINT8_MAX : UINT32_MAX))
			return nt_err_sys(err, -EINVAL, "bad value for '%s'", vals[i].name);
		set_field(data, row, (uint32_t)num);
	}
	return 0;
}

int nt_ethio_set(struct nt_ethio *io, enum nt_eth what, const struct nt_link *link,
	const struct nt_eth_val *vals, size_t n, struct nt_err *err)
{
	const struct nt_eth_group *g = nt_eth_group(what);
	union request data = { 0 };
	int r;

	if (what == NT_ETH_FEATURES)
		return nt_ethio_set_features(io, link, vals, n, err);
	if (what == NT_ETH_LINKMODES)
		return nt_ethio_set_settings(io, link, vals, n, err);
	if (what == NT_ETH_RSS)
		return nt_ethio_set_rss(io, link, vals, n, err);
	if (!g || !g->io_set)
		return nt_err_set(err, -EINVAL, "these ethtool values cannot be set");
	data.cmd = g->io_get;
	r = nt_ethio_call(io, link->name, &data);
	if (r)
		return nt_err_sys(err, r, "cannot read %s of '%s'", g->what, link->name);
	r = nt_ethio_change(g, &data, vals, n, err);
	if (r)
		return r;
	data.cmd = g->io_set;
	r = nt_ethio_call(io, link->name, &data);
	return r ? nt_err_sys(err, r, "cannot set %s of '%s'", g->what, link->name) : 0;
}
