/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Link settings by ioctl: link modes of any number, or of 32 on kernels before 4.6. */
#include "config.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <string.h>

#include "nettune/mem.h"
#include "ethio.h"

#define WORDS_MAX 32

/* masks: supported, advertised, partner's */
union settings {
	struct ethtool_link_settings s;
	unsigned char room[sizeof(struct ethtool_link_settings) +
			   3 * WORDS_MAX * sizeof(uint32_t)];
};

/* Kernels before 4.6: the old struct, put into the new one. */
static int read_old(struct nt_ethio *io, const char *name, union settings *ret)
{
	struct ethtool_cmd old = { .cmd = ETHTOOL_GSET };
	int r = nt_ethio_call(io, name, &old);

	if (r)
		return r;
	memset(ret, 0, sizeof *ret);
	ret->s.speed = ethtool_cmd_speed(&old);
	ret->s.duplex = old.duplex;
	ret->s.port = old.port;
	ret->s.phy_address = old.phy_address;
	ret->s.autoneg = old.autoneg;
	ret->s.eth_tp_mdix = old.eth_tp_mdix;
	ret->s.transceiver = old.transceiver;
	ret->s.link_mode_masks_nwords = 1;
	ret->s.link_mode_masks[0] = old.supported;
	ret->s.link_mode_masks[1] = old.advertising;
	ret->s.link_mode_masks[2] = old.lp_advertising;
	return 0;
}

/* First ask how many words the masks have (told as a negative number), then for all. */
static int read_settings(struct nt_ethio *io, const char *name, union settings *ret)
{
	int r, words;

	memset(ret, 0, sizeof *ret);
	ret->s.cmd = ETHTOOL_GLINKSETTINGS;
	r = nt_ethio_call(io, name, ret);
	if (r == -EOPNOTSUPP)
		return read_old(io, name, ret);
	if (r)
		return r;
	words = -ret->s.link_mode_masks_nwords;
	if (words <= 0 || words > WORDS_MAX)
		return -EPROTO;
	memset(ret, 0, sizeof *ret);
	ret->s.cmd = ETHTOOL_GLINKSETTINGS;
	ret->s.link_mode_masks_nwords = (int8_t)words;
	r = nt_ethio_call(io, name, ret);
	if (!r && ret->s.link_mode_masks_nwords != words)
		r = -EPROTO;
	return r;
}

int nt_ethio_get_settings(struct nt_ethio *io, enum nt_eth what, const struct nt_link *link,
	nt_eth_fn *fn, void *arg)
{
	static const char *const lists[] = { "link.supported", "link.advertise",
		"link.peer-advertise" };
	const struct nt_eth_group *g = nt_eth_group(what);
	struct nt_eth_val v = { .type = NT_ETH_TEXT };
	struct nt_buf text = { 0 };
	union settings st;
	unsigned i, words;
	int r;

	r = read_settings(io, link->name, &st);
	if (r)
		return r;
	nt_ethio_emit(g, &st.s, link, fn, arg);
	if (what != NT_ETH_LINKMODES)
		return 0;
	words = (unsigned)st.s.link_mode_masks_nwords;
	for (i = 0; i < NT_ARRAY_SIZE(lists); i++) {
		nt_ethio_modes(&text, st.s.link_mode_masks + i * words, words);
		if (!text.len)
			continue;
		v.name = lists[i];
		v.row = (unsigned)(nt_eth_row(g, v.name) - g->rows);
		v.text = nt_buf_str(&text);
		fn(arg, link->ifindex, &v, NULL);
	}
	nt_buf_free(&text);
	return 0;
}

int nt_ethio_set_settings(struct nt_ethio *io, const struct nt_link *link,
	const struct nt_eth_val *vals, size_t n, struct nt_err *err)
{
	union settings st;
	int r;

	r = read_settings(io, link->name, &st);
	if (!r && st.s.cmd != ETHTOOL_GLINKSETTINGS)
		r = -EOPNOTSUPP;
	if (r)
		return nt_err_sys(err, r, "cannot read link modes of '%s'", link->name);
	r = nt_ethio_change(nt_eth_group(NT_ETH_LINKMODES), &st.s, vals, n, err);
	if (r)
		return r;
	st.s.cmd = ETHTOOL_SLINKSETTINGS;
	r = nt_ethio_call(io, link->name, &st);
	return r ? nt_err_sys(err, r, "cannot set link modes of '%s'", link->name) : 0;
}

/* The ioctl has its own bits; the words are those of the link modes. */
static const struct nt_name fec_bits[] = {
	{ "None", ETHTOOL_FEC_OFF_BIT },
	{ "RS", ETHTOOL_FEC_RS_BIT },
	{ "BASER", ETHTOOL_FEC_BASER_BIT },
	{ "LLRS", ETHTOOL_FEC_LLRS_BIT },
	{ NULL, 0 },
};

/* What of the mask there are words for, or the first of that alone. */
static void fec_list(struct nt_buf *ret, uint32_t mask, bool one)
{
	const struct nt_name *f;

	nt_buf_cut(ret, 0);
	for (f = fec_bits; f->name && !(one && ret->len); f++)
		if (mask >> f->value & 1)
			nt_buf_addf(ret, "%s%s", ret->len ? " " : "", f->name);
}

void nt_ethio_emit_fec(const struct ethtool_fecparam *p, const struct nt_link *link,
	nt_eth_fn *fn, void *arg)
{
	static const char *const names[] = { "fec.configured", "fec.active" };
	const struct nt_eth_group *g = nt_eth_group(NT_ETH_FEC);
	struct nt_eth_val v = { .name = "fec.auto", .type = NT_ETH_SWITCH };
	struct nt_buf text = { 0 };
	unsigned i;

	v.row = (unsigned)(nt_eth_row(g, v.name) - g->rows);
	v.num = p->fec >> ETHTOOL_FEC_AUTO_BIT & 1;
	fn(arg, link->ifindex, &v, NULL);
	v.type = NT_ETH_TEXT;
	for (i = 0; i < NT_ARRAY_SIZE(names); i++) {
		/* by netlink the kernel tells of one that is active, too */
		fec_list(&text, i ? p->active_fec : p->fec, i);
		if (!text.len)
			continue;
		v.name = names[i];
		v.row = (unsigned)(nt_eth_row(g, v.name) - g->rows);
		v.text = nt_buf_str(&text);
		fn(arg, link->ifindex, &v, NULL);
	}
	nt_buf_free(&text);
}

int nt_ethio_get_fec(struct nt_ethio *io, const struct nt_link *link, nt_eth_fn *fn, void *arg)
{
	struct ethtool_fecparam p = { .cmd = ETHTOOL_GFECPARAM };
	int r = nt_ethio_call(io, link->name, &p);

	if (!r)
		nt_ethio_emit_fec(&p, link, fn, arg);
	return r;
}
