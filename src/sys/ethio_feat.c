/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Offload features by ioctl: blocks of 32 bits, named by a string set. */
#include "config.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <stdlib.h>
#include <string.h>

#include "nettune/mem.h"
#include "ethio.h"

#define BLOCKS_MAX 16

union get_blocks {
	struct ethtool_gfeatures h;
	unsigned char room[sizeof(struct ethtool_gfeatures) +
			   BLOCKS_MAX * sizeof(struct ethtool_get_features_block)];
};

union set_blocks {
	struct ethtool_sfeatures h;
	unsigned char room[sizeof(struct ethtool_sfeatures) +
			   BLOCKS_MAX * sizeof(struct ethtool_set_features_block)];
};

/* The kernel's names are the same for every link: asked for once. */
static int fetch_names(struct nt_ethio *io, const char *link)
{
	struct ethtool_gstrings *s;
	char name[ETH_GSTRING_LEN + 1] = "";
	unsigned i;
	int r;

	if (io->n_features)
		return 0;
	s = nt_ethio_strings(io, link, ETH_SS_FEATURES, &r);
	if (!s)
		return r ? r : -EOPNOTSUPP;
	io->n_features = s->len;
	io->features = nt_calloc(s->len + 1, sizeof *io->features);
	for (i = 0; i < s->len; i++) {
		memcpy(name, s->data + (size_t)i * ETH_GSTRING_LEN, ETH_GSTRING_LEN);
		if (*name)
			io->features[i] = nt_asprintf("feature.%s", name);
	}
	free(s);
	return 0;
}

static int read_blocks(struct nt_ethio *io, const char *link, union get_blocks *ret)
{
	int r = fetch_names(io, link);

	if (r)
		return r;
	memset(ret, 0, sizeof *ret);
	ret->h.cmd = ETHTOOL_GFEATURES;
	ret->h.size = (io->n_features + 31) / 32;
	if (ret->h.size > BLOCKS_MAX)
		return -E2BIG;
	return nt_ethio_call(io, link, ret);
}

static bool in(uint32_t word, unsigned i)
{
	return word >> i % 32 & 1;
}

int nt_ethio_get_features(struct nt_ethio *io, const struct nt_link *link, nt_eth_fn *fn,
	void *arg)
{
	struct nt_eth_val v = { .type = NT_ETH_FEATURE };
	const struct ethtool_get_features_block *b;
	union get_blocks g;
	unsigned i;
	int r;

	r = read_blocks(io, link->name, &g);
	if (r)
		return r;
	for (i = 0; i < io->n_features; i++) {
		if (!io->features[i])
			continue;
		b = &g.h.features[i / 32];
		v.name = io->features[i];
		v.row = i;
		v.num = (in(b->active, i) ? NT_FEAT_ACTIVE : 0) |
			(in(b->requested, i) ? NT_FEAT_WANTED : 0) |
			(in(b->available, i) && !in(b->never_changed, i) ? 0 : NT_FEAT_FIXED);
		fn(arg, link->ifindex, &v, NULL);
	}
	return 0;
}

static int fill(const struct nt_ethio *io, union set_blocks *s, const struct nt_eth_val *v,
	struct nt_err *err)
{
	unsigned i;

	for (i = 0; i < io->n_features; i++) {
		if (!io->features[i] || strcmp(io->features[i], v->name))
			continue;
		s->h.features[i / 32].valid |= 1U << i % 32;
		if (v->num & 1)
			s->h.features[i / 32].requested |= 1U << i % 32;
		return 0;
	}
	return nt_err_set(err, -EINVAL, "this kernel has no '%s'", v->name);
}

/* What was asked for and is not so. */
static void name_refused(const struct nt_ethio *io, const union set_blocks *s,
	const union get_blocks *g, struct nt_buf *ret)
{
	const struct ethtool_set_features_block *b;
	unsigned i;

	for (i = 0; i < io->n_features; i++) {
		b = &s->h.features[i / 32];
		if (in(b->valid, i) && in(b->requested, i) != in(g->h.features[i / 32].active, i))
			nt_buf_addf(ret, "%s'%s' %s", ret->len ? ", " : "", io->features[i],
				in(b->requested, i) ? "on" : "off");
	}
}

int nt_ethio_set_features(struct nt_ethio *io, const struct nt_link *link,
	const struct nt_eth_val *vals, size_t n, struct nt_err *err)
{
	union set_blocks s;
	struct nt_buf refused = { 0 };
	union get_blocks g;
	size_t i;
	int r;

	r = read_blocks(io, link->name, &g);
	if (r)
		return nt_err_sys(err, r, "cannot read features of '%s'", link->name);
	memset(&s, 0, sizeof s);
	s.h.cmd = ETHTOOL_SFEATURES;
	s.h.size = g.h.size;
	for (i = 0; i < n; i++) {
		r = fill(io, &s, &vals[i], err);
		if (r)
			return r;
	}
	r = nt_ethio_call(io, link->name, &s);
	if (r)
		return nt_err_sys(err, r, "cannot set features of '%s'", link->name);
	/* success is also returned where nothing was done */
	r = read_blocks(io, link->name, &g);
	if (r)
		return nt_err_sys(err, r, "cannot read features of '%s'", link->name);
	name_refused(io, &s, &g, &refused);
	if (refused.len)
		r = nt_err_set(err, -EOPNOTSUPP, "'%s' did not switch %s", link->name,
			nt_buf_str(&refused));
	nt_buf_free(&refused);
	return r;
}
