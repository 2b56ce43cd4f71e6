/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Energy-efficient Ethernet, forward error correction, link modes and the spread over queues
 * as NICs answer that no virtual machine has: replies made by hand after
 * linux/ethtool_netlink.h and the structs of linux/ethtool.h. Bits have the numbers of that
 * header, not those of a table here.
 */
#include "config.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <libmnl/libmnl.h>

#include "nettune/mem.h"
#include "sys/ethio.h"
#include "sys/ethnl.h"

#define BIT(mode) ETHTOOL_LINK_MODE_##mode##_BIT

/* The modes used here, as ethtool(8) spells them. */
static const struct {
	unsigned bit;
	const char *name;
} modes[] = {
	{ BIT(100baseT_Full), "100baseT/Full" },
	{ BIT(1000baseT_Full), "1000baseT/Full" },
	{ BIT(Autoneg), "Autoneg" },
	{ BIT(TP), "TP" },
	{ BIT(10000baseT_Full), "10000baseT/Full" },
	{ BIT(25000baseCR_Full), "25000baseCR/Full" },
	{ BIT(2500baseT_Full), "2500baseT/Full" },
	{ BIT(5000baseT_Full), "5000baseT/Full" },
	{ BIT(FEC_NONE), "None" },
	{ BIT(FEC_RS), "RS" },
	{ BIT(FEC_BASER), "BASER" },
	{ BIT(200000baseCR4_Full), "200000baseCR4/Full" },
	{ BIT(FEC_LLRS), "LLRS" },
	{ BIT(10baseT1L_Full), "10baseT1L/Full" },
};

enum { WORDS = 4 }; /* of 32 bits: Linux 6.1 has 93 modes, 6.10 has 103 */

struct bitmap {
	uint32_t w[WORDS];
};

#define MAP(...) map((const unsigned[]){ __VA_ARGS__, UINT32_MAX })

static struct bitmap map(const unsigned *bits)
{
	struct bitmap m = { { 0 } };

	for (; *bits != UINT32_MAX; bits++)
		m.w[*bits / 32] |= 1U << *bits % 32;
	return m;
}

/* ---- replies --------------------------------------------------------------------------- */

static char buf[4096] __attribute__((aligned(8)));

static struct nlmsghdr *reply(void)
{
	struct nlmsghdr *h = mnl_nlmsg_put_header(buf);
	struct nlattr *dev = mnl_attr_nest_start(h, 1);

	mnl_attr_put_u32(h, ETHTOOL_A_HEADER_DEV_INDEX, 7);
	mnl_attr_put_strz(h, ETHTOOL_A_HEADER_DEV_NAME, "eth7");
	mnl_attr_nest_end(h, dev);
	return h;
}

/* As asked for by ETHTOOL_FLAG_COMPACT_BITSETS: bitmaps of size bits; NULL mask: a list. */
static void compact(struct nlmsghdr *h, uint16_t attr, unsigned size, struct bitmap value,
	const struct bitmap *mask)
{
	size_t len = (size + 31) / 32 * 4;
	struct nlattr *n = mnl_attr_nest_start(h, attr);

	if (!mask)
		mnl_attr_put(h, ETHTOOL_A_BITSET_NOMASK, 0, NULL);
	mnl_attr_put_u32(h, ETHTOOL_A_BITSET_SIZE, size);
	mnl_attr_put(h, ETHTOOL_A_BITSET_VALUE, len, value.w);
	if (mask)
		mnl_attr_put(h, ETHTOOL_A_BITSET_MASK, len, mask->w);
	mnl_attr_nest_end(h, n);
}

/* As the kernel answers where the flag was not set: a nest a bit. */
static void verbose(struct nlmsghdr *h, uint16_t attr, unsigned bit, const char *name)
{
	struct nlattr *n = mnl_attr_nest_start(h, attr), *bits, *one;

	mnl_attr_put(h, ETHTOOL_A_BITSET_NOMASK, 0, NULL);
	mnl_attr_put_u32(h, ETHTOOL_A_BITSET_SIZE, WORDS * 32);
	bits = mnl_attr_nest_start(h, ETHTOOL_A_BITSET_BITS);
	one = mnl_attr_nest_start(h, ETHTOOL_A_BITSET_BITS_BIT);
	mnl_attr_put_u32(h, ETHTOOL_A_BITSET_BIT_INDEX, bit);
	mnl_attr_put_strz(h, ETHTOOL_A_BITSET_BIT_NAME, name);
	mnl_attr_nest_end(h, one);
	mnl_attr_nest_end(h, bits);
	mnl_attr_nest_end(h, n);
}

static void add_value(void *arg, int ifindex, const struct nt_eth_val *v, const struct nt_err *err)
{
	struct nt_buf *b = arg;

	assert_null(err);
	assert_int_equal(ifindex, 7);
	if (b->len)
		nt_buf_addc(b, '\n');
	if (v->type == NT_ETH_INT)
		nt_buf_addf(b, "%s=%lld", v->name, (long long)v->num);
	else if (v->type == NT_ETH_SWITCH)
		nt_buf_addf(b, "%s=%s", v->name, v->num ? "on" : "off");
	else
		nt_buf_addf(b, "%s=%s", v->name, v->text);
}

static void netlink_gives(enum nt_eth what, const struct nlmsghdr *h, const char *want)
{
	char *names[WORDS * 32] = { NULL };
	const struct nt_eth_strings known = { names, NT_ARRAY_SIZE(names) }, none = { NULL, 0 };
	size_t len = h->nlmsg_len - MNL_NLMSG_HDRLEN, i;
	struct nt_buf got = { 0 };
	char *exact = nt_malloc(len); /* so that reading on is seen by the sanitizer */

	for (i = 0; i < NT_ARRAY_SIZE(modes); i++)
		names[modes[i].bit] = nt_strdup(modes[i].name);
	memcpy(exact, mnl_nlmsg_get_payload(h), len);
	assert_int_equal(nt_ethnl_parse(what, exact, len, &none, &known, add_value, &got), 7);
	assert_string_equal(nt_buf_str(&got), want);
	for (i = 0; i < NT_ARRAY_SIZE(modes); i++)
		free(names[modes[i].bit]);
	free(exact);
	nt_buf_free(&got);
}

/* ---- energy-efficient Ethernet ----------------------------------------------------------- */

static struct nlmsghdr *eee_reply(unsigned size, struct bitmap ours, struct bitmap supported,
	struct bitmap peers)
{
	struct nlmsghdr *h = reply();

	compact(h, ETHTOOL_A_EEE_MODES_OURS, size, ours, &supported);
	compact(h, ETHTOOL_A_EEE_MODES_PEER, size, peers, NULL);
	mnl_attr_put_u8(h, ETHTOOL_A_EEE_ACTIVE, 1);
	mnl_attr_put_u8(h, ETHTOOL_A_EEE_ENABLED, 1);
	mnl_attr_put_u8(h, ETHTOOL_A_EEE_TX_LPI_ENABLED, 0);
	mnl_attr_put_u32(h, ETHTOOL_A_EEE_TX_LPI_TIMER, 0x12345);
	return h;
}

/* Linux before 6.9: sets of 32 bits, whatever the device has. */
static void eee_of_32_bits(void **state)
{
	struct bitmap both = MAP(BIT(100baseT_Full), BIT(1000baseT_Full));

	(void)state;
	netlink_gives(NT_ETH_EEE,
		eee_reply(32, MAP(BIT(1000baseT_Full)), both, MAP(BIT(1000baseT_Full))),
		"eee.enabled=on\neee.active=on\neee.tx-lpi=off\neee.tx-lpi-timer=74565\n"
		"eee.supported=100baseT/Full 1000baseT/Full\neee.advertise=1000baseT/Full\n"
		"eee.peer-advertise=1000baseT/Full");
}

/* Since: as many as there are link modes, so that 2.5 and 5 Gbit/s have a place. */
static void eee_of_all_modes(void **state)
{
	struct bitmap supported = MAP(BIT(100baseT_Full), BIT(2500baseT_Full), BIT(5000baseT_Full),
		BIT(10baseT1L_Full));

	(void)state;
	netlink_gives(NT_ETH_EEE,
		eee_reply(103, MAP(BIT(2500baseT_Full), BIT(10baseT1L_Full)), supported,
			MAP(BIT(10000baseT_Full), BIT(5000baseT_Full))),
		"eee.enabled=on\neee.active=on\neee.tx-lpi=off\neee.tx-lpi-timer=74565\n"
		"eee.supported=100baseT/Full 2500baseT/Full 5000baseT/Full 10baseT1L/Full\n"
		"eee.advertise=2500baseT/Full 10baseT1L/Full\n"
		"eee.peer-advertise=10000baseT/Full 5000baseT/Full");
}

/* Nothing offered, no partner: lists that are empty are no values; zeros are. */
static void eee_off(void **state)
{
	const struct bitmap none = { { 0 } };
	struct nlmsghdr *h = reply();

	(void)state;
	compact(h, ETHTOOL_A_EEE_MODES_OURS, 32, none, &none);
	compact(h, ETHTOOL_A_EEE_MODES_PEER, 32, none, NULL);
	mnl_attr_put_u8(h, ETHTOOL_A_EEE_ACTIVE, 0);
	mnl_attr_put_u8(h, ETHTOOL_A_EEE_ENABLED, 0);
	mnl_attr_put_u8(h, ETHTOOL_A_EEE_TX_LPI_ENABLED, 0);
	mnl_attr_put_u32(h, ETHTOOL_A_EEE_TX_LPI_TIMER, 0);
	netlink_gives(NT_ETH_EEE, h,
		"eee.enabled=off\neee.active=off\neee.tx-lpi=off\neee.tx-lpi-timer=0");
}

/* More bits told than sent, a value too short for its type, and what was not asked for. */
static void eee_odd(void **state)
{
	struct nlmsghdr *h = reply();
	struct nlattr *n = mnl_attr_nest_start(h, ETHTOOL_A_EEE_MODES_OURS);
	const uint32_t value = 1U << BIT(1000baseT_Full);

	(void)state;
	mnl_attr_put_u32(h, ETHTOOL_A_BITSET_SIZE, 4000);
	mnl_attr_put(h, ETHTOOL_A_BITSET_VALUE, sizeof value, &value);
	mnl_attr_nest_end(h, n);
	verbose(h, ETHTOOL_A_EEE_MODES_PEER, BIT(1000baseT_Full), "1000baseT/Full");
	mnl_attr_put(h, ETHTOOL_A_EEE_ENABLED, 0, NULL);
	mnl_attr_put_u8(h, ETHTOOL_A_EEE_TX_LPI_TIMER, 9);
	mnl_attr_put_u32(h, ETHTOOL_A_EEE_MAX + 1, 1);
	netlink_gives(NT_ETH_EEE, h, "eee.advertise=1000baseT/Full");
}

/* ---- forward error correction ------------------------------------------------------------ */

static struct nlmsghdr *fec_reply(unsigned size, struct bitmap configured, uint8_t automatic,
	unsigned active)
{
	struct nlmsghdr *h = reply();

	compact(h, ETHTOOL_A_FEC_MODES, size, configured, NULL);
	mnl_attr_put_u8(h, ETHTOOL_A_FEC_AUTO, automatic);
	if (active)
		mnl_attr_put_u32(h, ETHTOOL_A_FEC_ACTIVE, active);
	return h;
}

static void fec(void **state)
{
	struct nlmsghdr *h;
	struct nlattr *n;

	(void)state;
	netlink_gives(NT_ETH_FEC,
		fec_reply(93, MAP(BIT(FEC_RS), BIT(FEC_BASER)), 1, BIT(FEC_RS)),
		"fec.configured=RS BASER\nfec.auto=on\nfec.active=RS");
	netlink_gives(NT_ETH_FEC, fec_reply(103, MAP(BIT(FEC_LLRS)), 0, BIT(FEC_LLRS)),
		"fec.configured=LLRS\nfec.auto=off\nfec.active=LLRS");
	netlink_gives(NT_ETH_FEC, fec_reply(93, MAP(BIT(FEC_NONE)), 0, BIT(FEC_NONE)),
		"fec.configured=None\nfec.auto=off\nfec.active=None");
	/* automatic, and the link is down: nothing is active */
	netlink_gives(NT_ETH_FEC, fec_reply(93, (struct bitmap){ { 0 } }, 1, 0), "fec.auto=on");
	/* a mode newer than the names, and counters that nobody asked for */
	h = fec_reply(128, MAP(BIT(FEC_RS), 126), 0, 126);
	n = mnl_attr_nest_start(h, ETHTOOL_A_FEC_STATS);
	mnl_attr_put_u64(h, ETHTOOL_A_FEC_STAT_CORRECTED, 5);
	mnl_attr_nest_end(h, n);
	netlink_gives(NT_ETH_FEC, h, "fec.configured=RS\nfec.auto=off");
	h = reply();
	verbose(h, ETHTOOL_A_FEC_MODES, BIT(FEC_RS), "RS");
	mnl_attr_put_u32(h, ETHTOOL_A_FEC_ACTIVE, UINT32_MAX);
	netlink_gives(NT_ETH_FEC, h, "");
}

/* ---- by ioctl ---------------------------------------------------------------------------- */

static const struct nt_link nic = { .ifindex = 7, .name = "eth7" };

static void is_given(struct nt_buf *got, const char *want)
{
	assert_string_equal(nt_buf_str(got), want);
	nt_buf_free(got);
}

static void eee_by_ioctl(void **state)
{
	const struct nt_eth_group *g = nt_eth_group(NT_ETH_EEE);
	struct ethtool_eee e = { .cmd = ETHTOOL_GEEE,
		.supported = SUPPORTED_100baseT_Full | SUPPORTED_1000baseT_Full,
		.advertised = ADVERTISED_1000baseT_Full,
		.lp_advertised = ADVERTISED_100baseT_Full | ADVERTISED_10000baseT_Full,
		.eee_active = 1, .eee_enabled = 1, .tx_lpi_timer = 0x12345 };
	const struct nt_eth_val change[] = {
		{ .name = "eee.enabled", .type = NT_ETH_SWITCH, .num = 0 },
		{ .name = "eee.tx-lpi-timer", .type = NT_ETH_INT, .num = UINT32_MAX },
	};
	struct ethtool_eee after = e;
	struct nt_buf got = { 0 };
	struct nt_err err;

	(void)state;
	assert_true(g->io_get == ETHTOOL_GEEE && g->io_set == ETHTOOL_SEEE &&
		    g->io_size == sizeof e);
	nt_ethio_emit(g, &e, &nic, add_value, &got);
	is_given(&got,
		"eee.enabled=on\neee.active=on\neee.tx-lpi=off\neee.tx-lpi-timer=74565\n"
		"eee.supported=100baseT/Full 1000baseT/Full\neee.advertise=1000baseT/Full\n"
		"eee.peer-advertise=100baseT/Full 10000baseT/Full");
	assert_int_equal(nt_ethio_change(g, &after, change, 2, &err), 0);
	e.eee_enabled = 0;
	e.tx_lpi_timer = UINT32_MAX;
	assert_memory_equal(&after, &e, sizeof e); /* the rest goes back as it came */
}

/* The ioctl tells masks of bits of its own; the words are those of netlink. */
static void fec_by_ioctl(void **state)
{
	struct ethtool_fecparam p = { .cmd = ETHTOOL_GFECPARAM,
		.fec = ETHTOOL_FEC_AUTO | ETHTOOL_FEC_RS | ETHTOOL_FEC_BASER,
		.active_fec = ETHTOOL_FEC_RS };
	struct nt_buf got = { 0 };

	(void)state;
	nt_ethio_emit_fec(&p, &nic, add_value, &got);
	is_given(&got, "fec.auto=on\nfec.configured=RS BASER\nfec.active=RS");
	p.fec = p.active_fec = ETHTOOL_FEC_OFF;
	nt_ethio_emit_fec(&p, &nic, add_value, &got);
	is_given(&got, "fec.auto=off\nfec.configured=None\nfec.active=None");
	p.fec = ETHTOOL_FEC_LLRS;
	p.active_fec = ETHTOOL_FEC_BASER | ETHTOOL_FEC_LLRS; /* netlink has room for one */
	nt_ethio_emit_fec(&p, &nic, add_value, &got);
	is_given(&got, "fec.auto=off\nfec.configured=LLRS\nfec.active=BASER");
	p.fec = ETHTOOL_FEC_NONE; /* the device has nothing to configure */
	p.active_fec = 0;
	nt_ethio_emit_fec(&p, &nic, add_value, &got);
	is_given(&got, "fec.auto=off");
}

static void link_modes_by_ioctl(void **state)
{
	struct bitmap m = MAP(BIT(Autoneg), BIT(TP), BIT(1000baseT_Full), BIT(25000baseCR_Full),
		BIT(200000baseCR4_Full), BIT(FEC_RS), BIT(10baseT1L_Full), WORDS * 32 - 1);
	struct nt_buf got = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < NT_ARRAY_SIZE(modes); i++)
		assert_string_equal(nt_link_mode_name(modes[i].bit), modes[i].name);
	nt_ethio_modes(&got, m.w, WORDS);
	is_given(&got, "1000baseT/Full 25000baseCR/Full 200000baseCR4/Full 10baseT1L/Full");
	nt_ethio_modes(&got, m.w, 1); /* before Linux 4.6 */
	is_given(&got, "1000baseT/Full 25000baseCR/Full");
}

/* ---- the spread over queues -------------------------------------------------------------- */

static void rss_by_ioctl(void **state)
{
	union {
		struct ethtool_rxfh_indir t;
		unsigned char room[sizeof(struct ethtool_rxfh_indir) + 6 * sizeof(uint32_t)];
	} u = { .t = { .size = 6 } };
	struct nt_buf got = { 0 };
	uint32_t i;

	(void)state;
	for (i = 0; i < 6; i++)
		u.t.ring_index[i] = i % 4;
	nt_ethio_emit_rss(&u.t, 4, &nic, add_value, &got);
	is_given(&got, "rss.queues=4\nrss.table=equal");
	nt_ethio_emit_rss(&u.t, 6, &nic, add_value, &got); /* two queues more get nothing */
	is_given(&got, "rss.queues=4\nrss.table=0 1 2 3 0 1");
	nt_ethio_emit_rss(&u.t, 0, &nic, add_value, &got); /* the driver tells no number */
	is_given(&got, "rss.queues=4\nrss.table=0 1 2 3 0 1");
	u.t.ring_index[1] = 0;
	u.t.ring_index[4] = u.t.ring_index[5] = 70000;
	nt_ethio_emit_rss(&u.t, 4, &nic, add_value, &got);
	is_given(&got, "rss.queues=3\nrss.table=0*2 2 3 70000*2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(eee_of_32_bits),
		cmocka_unit_test(eee_of_all_modes),
		cmocka_unit_test(eee_off),
		cmocka_unit_test(eee_odd),
		cmocka_unit_test(fec),
		cmocka_unit_test(eee_by_ioctl),
		cmocka_unit_test(fec_by_ioctl),
		cmocka_unit_test(link_modes_by_ioctl),
		cmocka_unit_test(rss_by_ioctl),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
