/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "ethnl.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/ethtool_netlink.h>
#include <stdlib.h>
#include <string.h>

#include "nettune/mem.h"

/* The largest attribute number any table asks for. */
#define ATTR_MAX 63
#define STRINGS_MAX 4096U

static void parse(const void *attrs, size_t len, const struct nlattr *tb[ATTR_MAX + 1])
{
	const struct nlattr *attr;

	memset(tb, 0, (ATTR_MAX + 1) * sizeof *tb);
	NT_ATTR_EACH(attr, attrs, len)
		if (mnl_attr_get_type(attr) <= ATTR_MAX)
			tb[mnl_attr_get_type(attr)] = attr;
}

static bool parse_nest(const struct nlattr *nest, const struct nlattr *tb[ATTR_MAX + 1])
{
	if (!nest)
		return false;
	parse(mnl_attr_get_payload(nest), mnl_attr_get_payload_len(nest), tb);
	return true;
}

static bool get_u32(uint32_t *ret, const struct nlattr *a)
{
	if (!a || mnl_attr_get_payload_len(a) < sizeof *ret)
		return false;
	memcpy(ret, mnl_attr_get_payload(a), sizeof *ret);
	return true;
}

static bool get_u8(uint32_t *ret, const struct nlattr *a)
{
	if (!a || mnl_attr_get_payload_len(a) < 1)
		return false;
	*ret = *(const uint8_t *)mnl_attr_get_payload(a);
	return true;
}

/* ---- bitsets in compact form ---- */

struct bits {
	const unsigned char *p;
	uint32_t n;
};

/* Both parts of a bitset; a part that is not there has no bits. */
static bool get_bitset(const struct nlattr *nest, struct bits *ret_value, struct bits *ret_mask)
{
	const struct nlattr *tb[ATTR_MAX + 1];
	struct bits *to[] = { ret_value, ret_mask };
	static const int which[] = { ETHTOOL_A_BITSET_VALUE, ETHTOOL_A_BITSET_MASK };
	uint32_t size, have;
	unsigned i;

	memset(ret_value, 0, sizeof *ret_value);
	memset(ret_mask, 0, sizeof *ret_mask);
	if (!parse_nest(nest, tb) || !get_u32(&size, tb[ETHTOOL_A_BITSET_SIZE]))
		return false;
	for (i = 0; i < 2; i++) {
		if (!tb[which[i]])
			continue;
		have = mnl_attr_get_payload_len(tb[which[i]]) / 4 * 32;
		to[i]->p = mnl_attr_get_payload(tb[which[i]]);
		to[i]->n = size < have ? size : have;
	}
	return true;
}

/* Words of 32 bits in host order. */
static bool bit(const struct bits *b, uint32_t i)
{
	uint32_t w;

	if (i >= b->n)
		return false;
	memcpy(&w, b->p + i / 32 * 4, sizeof w);
	return w >> i % 32 & 1;
}

static const char *string_at(const struct nt_eth_strings *s, uint32_t i)
{
	return i < s->n ? s->v[i] : NULL;
}

static void mode_list(struct nt_buf *ret, const struct bits *b,
	const struct nt_eth_strings *modes, bool speeds)
{
	const char *name;
	uint32_t i;

	for (i = 0; i < b->n && i < modes->n; i++) {
		name = bit(b, i) ? string_at(modes, i) : NULL;
		if (!name || (speeds && !nt_link_mode_is_speed(name)))
			continue;
		if (ret->len)
			nt_buf_addc(ret, ' ');
		nt_buf_adds(ret, name);
	}
}

/* ---- values ---- */

struct sink {
	int ifindex;
	const struct nt_eth_strings *features, *modes;
	nt_eth_fn *fn;
	void *arg;
};

static bool modes_value(const struct nt_eth_row *row, const struct nlattr *a,
	const struct sink *k, struct nt_buf *text)
{
	struct bits value, mask;

	if (!get_bitset(a, &value, &mask))
		return false;
	nt_buf_cut(text, 0);
	mode_list(text, row->type == NT_ROW_MODES_MASK ? &mask : &value, k->modes,
		row->type != NT_ROW_FEC);
	return text->len > 0;
}

/* Whether a has a value of row's kind; text holds it while v is used. */
static bool row_value(const struct nt_eth_row *row, const struct nlattr *a,
	const struct sink *k, struct nt_eth_val *v, struct nt_buf *text)
{
	uint32_t n = 0;

	v->type = NT_ETH_INT;
	switch ((enum nt_row_type)row->type) {
	case NT_ROW_U32:
	case NT_ROW_SPEED:
		if (!get_u32(&n, a))
			return false;
		v->num = n;
		return row->type != NT_ROW_SPEED || (n != 0 && n != UINT16_MAX && n != UINT32_MAX);
	case NT_ROW_U8:
		v->num = get_u8(&n, a) ? n : 0;
		return a != NULL;
	case NT_ROW_SWITCH:
		v->type = NT_ETH_SWITCH;
		if (!get_u8(&n, a))
			return false;
		v->num = n != 0;
		return true;
	case NT_ROW_WORD:
		v->type = NT_ETH_TEXT;
		v->text = get_u8(&n, a) ? nt_name_of(row->words, (int)n) : NULL;
		return v->text;
	case NT_ROW_FEC_BIT:
		v->type = NT_ETH_TEXT;
		v->text = get_u32(&n, a) ? string_at(k->modes, n) : NULL;
		return v->text;
	case NT_ROW_MODES:
	case NT_ROW_MODES_MASK:
	case NT_ROW_FEC:
		v->type = NT_ETH_TEXT;
		if (!modes_value(row, a, k, text))
			return false;
		v->text = nt_buf_str(text);
		return true;
	}
	return false;
}

static void parse_rows(const struct nt_eth_group *g, const struct nlattr **tb,
	const struct sink *k)
{
	struct nt_buf text = { 0 };
	struct nt_eth_val v;
	unsigned i;

	for (i = 0; i < g->n_rows; i++) {
		if (g->rows[i].attr > ATTR_MAX || !tb[g->rows[i].attr])
			continue;
		memset(&v, 0, sizeof v);
		v.name = g->rows[i].name;
		v.row = i;
		if (row_value(&g->rows[i], tb[g->rows[i].attr], k, &v, &text))
			k->fn(k->arg, k->ifindex, &v, NULL);
	}
	nt_buf_free(&text);
}

static void parse_features(const struct nlattr **tb, const struct sink *k)
{
	struct bits hw, wanted, active, nochange, none;
	struct nt_eth_val v = { .type = NT_ETH_FEATURE };
	uint32_t i;

	get_bitset(tb[ETHTOOL_A_FEATURES_HW], &hw, &none);
	get_bitset(tb[ETHTOOL_A_FEATURES_WANTED], &wanted, &none);
	get_bitset(tb[ETHTOOL_A_FEATURES_NOCHANGE], &nochange, &none);
	if (!get_bitset(tb[ETHTOOL_A_FEATURES_ACTIVE], &active, &none))
		return;
	for (i = 0; i < active.n && i < k->features->n; i++) {
		v.name = string_at(k->features, i);
		if (!v.name)
			continue;
		v.row = i;
		v.num = (bit(&active, i) ? NT_FEAT_ACTIVE : 0) |
			(bit(&wanted, i) ? NT_FEAT_WANTED : 0) |
			(bit(&hw, i) && !bit(&nochange, i) ? 0 : NT_FEAT_FIXED);
		k->fn(k->arg, k->ifindex, &v, NULL);
	}
}

int nt_ethnl_parse(enum nt_eth what, const void *attrs, size_t len,
	const struct nt_eth_strings *features, const struct nt_eth_strings *modes,
	nt_eth_fn *fn, void *arg)
{
	const struct nlattr *tb[ATTR_MAX + 1], *head[ATTR_MAX + 1];
	const struct nt_eth_group *g = nt_eth_group(what);
	struct sink k = { .features = features, .modes = modes, .fn = fn, .arg = arg };
	uint32_t ifindex;

	parse(attrs, len, tb);
	/* attribute 1 of every reply is its header */
	if (!g || !parse_nest(tb[1], head) ||
		!get_u32(&ifindex, head[ETHTOOL_A_HEADER_DEV_INDEX]) || ifindex == 0 ||
		ifindex > INT32_MAX)
		return -EBADMSG;
	k.ifindex = (int)ifindex;
	if (what == NT_ETH_FEATURES)
		parse_features(tb, &k);
	else
		parse_rows(g, tb, &k);
	return k.ifindex;
}

/* ---- string sets ---- */

static void add_string(const struct nlattr *nest, const char *prefix,
	struct nt_eth_strings *ret)
{
	const struct nlattr *tb[ATTR_MAX + 1], *a;
	uint32_t i;
	size_t text;

	if (!parse_nest(nest, tb) || !get_u32(&i, tb[ETHTOOL_A_STRING_INDEX]) || i >= ret->n)
		return;
	a = tb[ETHTOOL_A_STRING_VALUE];
	text = a ? strnlen(mnl_attr_get_payload(a), mnl_attr_get_payload_len(a)) : 0;
	if (!text)
		return;
	free(ret->v[i]);
	ret->v[i] = nt_asprintf("%s%.*s", prefix, (int)text,
		(const char *)mnl_attr_get_payload(a));
}

static void parse_set(const struct nlattr *set, unsigned id, const char *prefix,
	struct nt_eth_strings *ret)
{
	const struct nlattr *tb[ATTR_MAX + 1], *attr;
	uint32_t got, count;

	if (!parse_nest(set, tb) || !get_u32(&got, tb[ETHTOOL_A_STRINGSET_ID]) || got != id ||
		!get_u32(&count, tb[ETHTOOL_A_STRINGSET_COUNT]) || count == 0 ||
		count > STRINGS_MAX || !tb[ETHTOOL_A_STRINGSET_STRINGS])
		return;
	nt_eth_strings_free(ret);
	ret->n = count;
	ret->v = nt_calloc(count, sizeof *ret->v);
	NT_ATTR_EACH(attr, mnl_attr_get_payload(tb[ETHTOOL_A_STRINGSET_STRINGS]),
		mnl_attr_get_payload_len(tb[ETHTOOL_A_STRINGSET_STRINGS]))
		add_string(attr, prefix, ret);
}

void nt_ethnl_parse_strset(const void *attrs, size_t len, unsigned id, const char *prefix,
	struct nt_eth_strings *ret)
{
	const struct nlattr *tb[ATTR_MAX + 1], *sets, *attr;

	parse(attrs, len, tb);
	sets = tb[ETHTOOL_A_STRSET_STRINGSETS];
	if (!sets)
		return;
	NT_ATTR_EACH(attr, mnl_attr_get_payload(sets), mnl_attr_get_payload_len(sets))
		parse_set(attr, id, prefix, ret);
}

void nt_ethnl_parse_refused(const void *attrs, size_t len,
	const struct nt_eth_strings *features, struct nt_buf *ret)
{
	const struct nlattr *tb[ATTR_MAX + 1];
	struct bits value, mask;
	const char *name;
	uint32_t i;

	parse(attrs, len, tb);
	/* here WANTED is the difference between what was asked and what is */
	if (!get_bitset(tb[ETHTOOL_A_FEATURES_WANTED], &value, &mask))
		return;
	for (i = 0; i < mask.n && i < features->n; i++) {
		name = bit(&mask, i) ? string_at(features, i) : NULL;
		if (!name)
			continue;
		nt_buf_addf(ret, "%s'%s' %s", ret->len ? ", " : "", name,
			bit(&value, i) ? "on" : "off");
	}
}

void nt_eth_strings_free(struct nt_eth_strings *s)
{
	unsigned i;

	for (i = 0; i < s->n; i++)
		free(s->v[i]);
	free(s->v);
	memset(s, 0, sizeof *s);
}
