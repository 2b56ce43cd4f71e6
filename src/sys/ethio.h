/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ethtool ioctls: for kernels without the netlink family, and for what it lacks. */
#ifndef NETTUNE_SYS_ETHIO_H
#define NETTUNE_SYS_ETHIO_H

#include "nettune/sys.h"
#include "eth_table.h"

struct nt_ethio {
	int fd;
	char **features; /* "feature.NAME" by bit; NULL entries; fetched once */
	unsigned n_features;
	struct ethtool_gstrings *stat_names; /* room for a reading; NULL before the first */
	struct ethtool_stats *stats;
};

/* NULL on failure, err filled. */
struct nt_ethio *nt_ethio_open(struct nt_err *err);
void nt_ethio_close(struct nt_ethio *io);

/* As in struct nt_sys_ops. */
int nt_ethio_get(struct nt_ethio *io, enum nt_eth what, int ifindex,
	const struct nt_links *links, nt_eth_fn *fn, void *arg, struct nt_err *err);
int nt_ethio_set(struct nt_ethio *io, enum nt_eth what, const struct nt_link *link,
	const struct nt_eth_val *vals, size_t n, struct nt_err *err);
int nt_ethio_drvinfo(struct nt_ethio *io, const struct nt_link *link,
	struct nt_drvinfo *ret, struct nt_err *err);
int nt_ethio_stats(struct nt_ethio *io, const struct nt_link *link, unsigned n,
	nt_stat_fn *fn, void *arg, struct nt_err *err);

/* One ethtool ioctl on the link named name with the struct at data. 0 or -errno. */
int nt_ethio_call(const struct nt_ethio *io, const char *name, void *data);

/* The name of a link. 0 or -errno. */
int nt_ethio_name(const struct nt_ethio *io, int ifindex, char ret[NT_IFNAMSIZ]);

/* ---- between the files of the ioctl path ---- */

struct ethtool_gstrings;

/* Hand out the values that a group's table finds in the ioctl's struct. */
void nt_ethio_emit(const struct nt_eth_group *g, const void *data, const struct nt_link *link,
	nt_eth_fn *fn, void *arg);
/* Write the n values into the ioctl's struct. */
int nt_ethio_change(const struct nt_eth_group *g, void *data, const struct nt_eth_val *vals,
	size_t n, struct nt_err *err);
/* Names of the link modes in n words of 32 bits, separated by blanks. */
void nt_ethio_modes(struct nt_buf *ret, const uint32_t *words, unsigned n);
/* A string set of a link (free() it); NULL when it is empty or with *ret_code -errno. */
struct ethtool_gstrings *nt_ethio_strings(const struct nt_ethio *io, const char *name,
	unsigned set, int *ret_code);

int nt_ethio_get_features(struct nt_ethio *io, const struct nt_link *link, nt_eth_fn *fn,
	void *arg);
int nt_ethio_set_features(struct nt_ethio *io, const struct nt_link *link,
	const struct nt_eth_val *vals, size_t n, struct nt_err *err);
int nt_ethio_get_settings(struct nt_ethio *io, enum nt_eth what, const struct nt_link *link,
	nt_eth_fn *fn, void *arg);
int nt_ethio_set_settings(struct nt_ethio *io, const struct nt_link *link,
	const struct nt_eth_val *vals, size_t n, struct nt_err *err);
struct ethtool_fecparam;
/* Hand out what the ioctl's struct tells. */
void nt_ethio_emit_fec(const struct ethtool_fecparam *p, const struct nt_link *link,
	nt_eth_fn *fn, void *arg);
struct ethtool_rxfh_indir;
/* The same of a table and the number of receive queues, 0: not known. */
void nt_ethio_emit_rss(const struct ethtool_rxfh_indir *t, uint64_t n_queues,
	const struct nt_link *link, nt_eth_fn *fn, void *arg);
int nt_ethio_get_rss(struct nt_ethio *io, const struct nt_link *link, nt_eth_fn *fn, void *arg);
int nt_ethio_set_rss(struct nt_ethio *io, const struct nt_link *link,
	const struct nt_eth_val *vals, size_t n, struct nt_err *err);
int nt_ethio_get_fec(struct nt_ethio *io, const struct nt_link *link, nt_eth_fn *fn, void *arg);

#endif
