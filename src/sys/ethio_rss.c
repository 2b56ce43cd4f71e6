/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table by which a device spreads received flows over its queues (RSS). By ioctl alone:
 * netlink came to read it in 6.3 and to set it later, and the ioctl leaves the key in peace.
 */
#include "config.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <stdlib.h>
#include <string.h>

#include "nettune/mem.h"
#include "ethio.h"

/* More than any device has; the largest tables have some thousands of entries. */
#define TABLE_MAX 65536U

#define TABLE "rss.table"
/* Each queue in turn, as the kernel fills a table that nobody has set; else "0*32 1*96 2". */
#define EQUAL "equal"

static struct ethtool_rxfh_indir *new_table(uint32_t cmd, uint32_t size)
{
	struct ethtool_rxfh_indir *t =
		nt_calloc(1, sizeof *t + (size_t)size * sizeof *t->ring_index);

	t->cmd = cmd;
	t->size = size;
	return t;
}

/* The caller frees *ret. */
static int read_table(const struct nt_ethio *io, const char *link,
	struct ethtool_rxfh_indir **ret)
{
	struct ethtool_rxfh_indir head = { .cmd = ETHTOOL_GRXFHINDIR }, *t;
	int r = nt_ethio_call(io, link, &head); /* with room for nothing: how many there are */

	if (!r && (head.size == 0 || head.size > TABLE_MAX))
		r = -EOPNOTSUPP;
	if (r)
		return r;
	t = new_table(ETHTOOL_GRXFHINDIR, head.size);
	r = nt_ethio_call(io, link, t);
	if (!r && t->size > head.size)
		r = -EPROTO;
	if (r)
		free(t);
	else
		*ret = t;
	return r;
}

/* How many receive queues there are now, 0 where the driver does not tell. */
static uint64_t queues(const struct nt_ethio *io, const char *link)
{
	struct ethtool_rxnfc q = { .cmd = ETHTOOL_GRXRINGS };

	return nt_ethio_call(io, link, &q) ? 0 : q.data;
}

void nt_ethio_emit_rss(const struct ethtool_rxfh_indir *t, uint64_t n_queues,
	const struct nt_link *link, nt_eth_fn *fn, void *arg)
{
	struct nt_eth_val v = { .name = "rss.queues", .type = NT_ETH_INT };
	bool *used = nt_calloc(TABLE_MAX, sizeof *used), equal = n_queues > 0;
	struct nt_buf text = { 0 };
	uint32_t i, q, run = 0;

	for (i = 0; i < t->size; i++) {
		q = t->ring_index[i];
		if (q < TABLE_MAX && !used[q]) {
			used[q] = true;
			v.num++;
		}
		equal = equal && q == i % n_queues;
		run++;
		if (i + 1 < t->size && t->ring_index[i + 1] == q)
			continue;
		nt_buf_addf(&text, text.len ? " %u" : "%u", q);
		if (run > 1)
			nt_buf_addf(&text, "*%u", run);
		run = 0;
	}
	fn(arg, link->ifindex, &v, NULL);
	v = (struct nt_eth_val){ .name = TABLE, .row = 1, .type = NT_ETH_TEXT,
		.text = equal ? EQUAL : nt_buf_str(&text) };
	fn(arg, link->ifindex, &v, NULL);
	nt_buf_free(&text);
	free(used);
}

int nt_ethio_get_rss(struct nt_ethio *io, const struct nt_link *link, nt_eth_fn *fn, void *arg)
{
	struct ethtool_rxfh_indir *t;
	int r = read_table(io, link->name, &t);

	if (r)
		return r;
	nt_ethio_emit_rss(t, queues(io, link->name), link, fn, arg);
	free(t);
	return 0;
}

/* False where the text is for more entries than the table has, or for fewer, or for none. */
static bool fill(struct ethtool_rxfh_indir *t, const char *text)
{
	unsigned long q, run;
	uint32_t i = 0;
	char *end;

	while (*text >= '0' && *text <= '9') {
		q = strtoul(text, &end, 10);
		run = *end == '*' ? strtoul(end + 1, &end, 10) : 1;
		if (q >= TABLE_MAX || run > t->size - i)
			return false;
		while (run--)
			t->ring_index[i++] = (uint32_t)q;
		text = end + (*end == ' ');
	}
	return i == t->size && !*text;
}

int nt_ethio_set_rss(struct nt_ethio *io, const struct nt_link *link,
	const struct nt_eth_val *vals, size_t n, struct nt_err *err)
{
	struct ethtool_rxfh_indir *t = NULL;
	int r = 0;

	if (n != 1 || strcmp(vals->name, TABLE) != 0 || vals->type != NT_ETH_TEXT)
		return nt_err_set(err, -EINVAL, "'%s' cannot be set", n ? vals->name : "");
	if (strcmp(vals->text, EQUAL) == 0) /* an empty table: the driver's own again */
		t = new_table(0, 0);
	else if ((r = read_table(io, link->name, &t)) < 0)
		return nt_err_sys(err, r, "cannot read the " TABLE " of '%s'", link->name);
	if (t->size && !fill(t, vals->text)) {
		r = nt_err_set(err, -EINVAL, "'%s' has a " TABLE " of %u entries", link->name,
			t->size);
	} else {
		t->cmd = ETHTOOL_SRXFHINDIR;
		r = nt_ethio_call(io, link->name, t);
		if (r)
			nt_err_sys(err, r, "cannot set the " TABLE " of '%s'", link->name);
	}
	free(t);
	return r;
}
