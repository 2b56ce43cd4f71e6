/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "eth_table.h"

#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <string.h>

#include "nettune/mem.h"
#include "newer.h"

#define IO(st, field)                                                                    \
	.io_size = sizeof ((struct st *)0)->field, .io_off = offsetof(struct st, field)

/* ---- coalescing ---- */

#define COAL_IF(n, a, field, nonzero)                                                    \
	{ .name = "coalesce." n, .attr = ETHTOOL_A_COALESCE_##a, .type = NT_ROW_U32,     \
		.flags = NT_ROW_SET | (nonzero), IO(ethtool_coalesce, field) }
#define COAL(n, a, field) COAL_IF(n, a, field, NT_ROW_IO_NONZERO)

static const struct nt_eth_row coalesce_rows[] = {
	{ .name = "coalesce.adaptive-rx", .attr = ETHTOOL_A_COALESCE_USE_ADAPTIVE_RX,
		.type = NT_ROW_SWITCH, .flags = NT_ROW_SET | NT_ROW_IO_NONZERO,
		IO(ethtool_coalesce, use_adaptive_rx_coalesce) },
	{ .name = "coalesce.adaptive-tx", .attr = ETHTOOL_A_COALESCE_USE_ADAPTIVE_TX,
		.type = NT_ROW_SWITCH, .flags = NT_ROW_SET | NT_ROW_IO_NONZERO,
		IO(ethtool_coalesce, use_adaptive_tx_coalesce) },
	/* every NIC that coalesces has this one (tun has not) */
	COAL_IF("rx-usecs", RX_USECS, rx_coalesce_usecs, NT_ROW_IO_NONZERO_HW),
	COAL("rx-frames", RX_MAX_FRAMES, rx_max_coalesced_frames),
	COAL("rx-usecs-irq", RX_USECS_IRQ, rx_coalesce_usecs_irq),
	COAL("rx-frames-irq", RX_MAX_FRAMES_IRQ, rx_max_coalesced_frames_irq),
	COAL("tx-usecs", TX_USECS, tx_coalesce_usecs),
	COAL("tx-frames", TX_MAX_FRAMES, tx_max_coalesced_frames),
	COAL("tx-usecs-irq", TX_USECS_IRQ, tx_coalesce_usecs_irq),
	COAL("tx-frames-irq", TX_MAX_FRAMES_IRQ, tx_max_coalesced_frames_irq),
	COAL("stats-block-usecs", STATS_BLOCK_USECS, stats_block_coalesce_usecs),
	COAL("pkt-rate-low", PKT_RATE_LOW, pkt_rate_low),
	COAL("rx-usecs-low", RX_USECS_LOW, rx_coalesce_usecs_low),
	COAL("rx-frames-low", RX_MAX_FRAMES_LOW, rx_max_coalesced_frames_low),
	COAL("tx-usecs-low", TX_USECS_LOW, tx_coalesce_usecs_low),
	COAL("tx-frames-low", TX_MAX_FRAMES_LOW, tx_max_coalesced_frames_low),
	COAL("pkt-rate-high", PKT_RATE_HIGH, pkt_rate_high),
	COAL("rx-usecs-high", RX_USECS_HIGH, rx_coalesce_usecs_high),
	COAL("rx-frames-high", RX_MAX_FRAMES_HIGH, rx_max_coalesced_frames_high),
	COAL("tx-usecs-high", TX_USECS_HIGH, tx_coalesce_usecs_high),
	COAL("tx-frames-high", TX_MAX_FRAMES_HIGH, tx_max_coalesced_frames_high),
	COAL("sample-interval", RATE_SAMPLE_INTERVAL, rate_sample_interval),
	{ .name = "coalesce.cqe-mode-rx", .attr = ETHTOOL_A_COALESCE_USE_CQE_MODE_RX,
		.type = NT_ROW_SWITCH, .flags = NT_ROW_SET },
	{ .name = "coalesce.cqe-mode-tx", .attr = ETHTOOL_A_COALESCE_USE_CQE_MODE_TX,
		.type = NT_ROW_SWITCH, .flags = NT_ROW_SET },
	{ .name = "coalesce.tx-aggr-max-bytes", .attr = NT_COALESCE_TX_AGGR_MAX_BYTES,
		.type = NT_ROW_U32, .flags = NT_ROW_SET },
	{ .name = "coalesce.tx-aggr-max-frames", .attr = NT_COALESCE_TX_AGGR_MAX_FRAMES,
		.type = NT_ROW_U32, .flags = NT_ROW_SET },
	{ .name = "coalesce.tx-aggr-time-usecs", .attr = NT_COALESCE_TX_AGGR_TIME_USECS,
		.type = NT_ROW_U32, .flags = NT_ROW_SET },
};

/* ---- rings ---- */

#define RING(n, a, field, max)                                                           \
	{ .name = "ring." n, .attr = ETHTOOL_A_RINGS_##a, .type = NT_ROW_U32,            \
		.flags = NT_ROW_SET, IO(ethtool_ringparam, field),                       \
		.io_gate = offsetof(struct ethtool_ringparam, max) },                    \
	{ .name = "ring." n ".max", .attr = ETHTOOL_A_RINGS_##a##_MAX,                   \
		.type = NT_ROW_U32, IO(ethtool_ringparam, max),                          \
		.io_gate = offsetof(struct ethtool_ringparam, max) }

static const struct nt_name data_split_words[] = {
	{ "off", ETHTOOL_TCP_DATA_SPLIT_DISABLED },
	{ "on", ETHTOOL_TCP_DATA_SPLIT_ENABLED },
	{ NULL, 0 },
};

static const struct nt_eth_row ring_rows[] = {
	RING("rx", RX, rx_pending, rx_max_pending),
	RING("rx-mini", RX_MINI, rx_mini_pending, rx_mini_max_pending),
	RING("rx-jumbo", RX_JUMBO, rx_jumbo_pending, rx_jumbo_max_pending),
	RING("tx", TX, tx_pending, tx_max_pending),
	{ .name = "ring.rx-buf-len", .attr = ETHTOOL_A_RINGS_RX_BUF_LEN, .type = NT_ROW_U32,
		.flags = NT_ROW_SET },
	{ .name = "ring.cqe-size", .attr = ETHTOOL_A_RINGS_CQE_SIZE, .type = NT_ROW_U32,
		.flags = NT_ROW_SET },
	{ .name = "ring.tcp-data-split", .attr = ETHTOOL_A_RINGS_TCP_DATA_SPLIT,
		.type = NT_ROW_WORD, .flags = NT_ROW_SET, .words = data_split_words },
	{ .name = "ring.tx-push", .attr = ETHTOOL_A_RINGS_TX_PUSH, .type = NT_ROW_SWITCH,
		.flags = NT_ROW_SET },
	{ .name = "ring.rx-push", .attr = NT_RINGS_RX_PUSH, .type = NT_ROW_SWITCH,
		.flags = NT_ROW_SET },
	{ .name = "ring.tx-push-buf-len", .attr = NT_RINGS_TX_PUSH_BUF_LEN,
		.type = NT_ROW_U32, .flags = NT_ROW_SET },
	{ .name = "ring.tx-push-buf-len.max", .attr = NT_RINGS_TX_PUSH_BUF_LEN_MAX,
		.type = NT_ROW_U32 },
	{ .name = "ring.hds-thresh", .attr = NT_RINGS_HDS_THRESH, .type = NT_ROW_U32,
		.flags = NT_ROW_SET },
	{ .name = "ring.hds-thresh.max", .attr = NT_RINGS_HDS_THRESH_MAX,
		.type = NT_ROW_U32 },
};

/* ---- channels ---- */

#define CHAN(n, a, f)                                                                    \
	{ .name = "channels." n, .attr = ETHTOOL_A_CHANNELS_##a##_COUNT,                 \
		.type = NT_ROW_U32, .flags = NT_ROW_SET, IO(ethtool_channels, f##_count), \
		.io_gate = offsetof(struct ethtool_channels, max_##f) },                 \
	{ .name = "channels." n ".max", .attr = ETHTOOL_A_CHANNELS_##a##_MAX,            \
		.type = NT_ROW_U32, IO(ethtool_channels, max_##f),                       \
		.io_gate = offsetof(struct ethtool_channels, max_##f) }

static const struct nt_eth_row channel_rows[] = {
	CHAN("rx", RX, rx),
	CHAN("tx", TX, tx),
	CHAN("other", OTHER, other),
	CHAN("combined", COMBINED, combined),
};

/* ---- pause ---- */

#define PAUSE(n, a, field)                                                               \
	{ .name = "pause." n, .attr = ETHTOOL_A_PAUSE_##a, .type = NT_ROW_SWITCH,        \
		.flags = NT_ROW_SET, IO(ethtool_pauseparam, field) }

static const struct nt_eth_row pause_rows[] = {
	PAUSE("autoneg", AUTONEG, autoneg),
	PAUSE("rx", RX, rx_pause),
	PAUSE("tx", TX, tx_pause),
};

/* ---- energy-efficient Ethernet ---- */

static const struct nt_eth_row eee_rows[] = {
	{ .name = "eee.enabled", .attr = ETHTOOL_A_EEE_ENABLED, .type = NT_ROW_SWITCH,
		.flags = NT_ROW_SET, IO(ethtool_eee, eee_enabled) },
	{ .name = "eee.active", .attr = ETHTOOL_A_EEE_ACTIVE, .type = NT_ROW_SWITCH,
		IO(ethtool_eee, eee_active) },
	{ .name = "eee.tx-lpi", .attr = ETHTOOL_A_EEE_TX_LPI_ENABLED, .type = NT_ROW_SWITCH,
		.flags = NT_ROW_SET, IO(ethtool_eee, tx_lpi_enabled) },
	{ .name = "eee.tx-lpi-timer", .attr = ETHTOOL_A_EEE_TX_LPI_TIMER, .type = NT_ROW_U32,
		.flags = NT_ROW_SET, IO(ethtool_eee, tx_lpi_timer) },
	{ .name = "eee.supported", .attr = ETHTOOL_A_EEE_MODES_OURS,
		.type = NT_ROW_MODES_MASK, IO(ethtool_eee, supported) },
	{ .name = "eee.advertise", .attr = ETHTOOL_A_EEE_MODES_OURS, .type = NT_ROW_MODES,
		IO(ethtool_eee, advertised) },
	{ .name = "eee.peer-advertise", .attr = ETHTOOL_A_EEE_MODES_PEER,
		.type = NT_ROW_MODES, IO(ethtool_eee, lp_advertised) },
};

/* ---- link modes and settings ---- */

static const struct nt_name duplex_words[] = {
	{ "half", DUPLEX_HALF },
	{ "full", DUPLEX_FULL },
	{ NULL, 0 },
};

static const struct nt_eth_row linkmode_rows[] = {
	{ .name = "link.speed", .attr = ETHTOOL_A_LINKMODES_SPEED, .type = NT_ROW_SPEED,
		.flags = NT_ROW_SET, IO(ethtool_link_settings, speed) },
	{ .name = "link.duplex", .attr = ETHTOOL_A_LINKMODES_DUPLEX, .type = NT_ROW_WORD,
		.flags = NT_ROW_SET, .words = duplex_words, IO(ethtool_link_settings, duplex) },
	{ .name = "link.autoneg", .attr = ETHTOOL_A_LINKMODES_AUTONEG, .type = NT_ROW_SWITCH,
		.flags = NT_ROW_SET, IO(ethtool_link_settings, autoneg) },
	{ .name = "link.lanes", .attr = ETHTOOL_A_LINKMODES_LANES, .type = NT_ROW_U32 },
	{ .name = "link.supported", .attr = ETHTOOL_A_LINKMODES_OURS,
		.type = NT_ROW_MODES_MASK },
	{ .name = "link.advertise", .attr = ETHTOOL_A_LINKMODES_OURS, .type = NT_ROW_MODES },
	{ .name = "link.peer-advertise", .attr = ETHTOOL_A_LINKMODES_PEER,
		.type = NT_ROW_MODES },
};

static const struct nt_name port_words[] = {
	{ "tp", PORT_TP }, { "aui", PORT_AUI }, { "mii", PORT_MII }, { "fibre", PORT_FIBRE },
	{ "bnc", PORT_BNC }, { "da", PORT_DA }, { "none", PORT_NONE },
	{ "other", PORT_OTHER }, { NULL, 0 },
};

static const struct nt_name transceiver_words[] = {
	{ "internal", XCVR_INTERNAL }, { "external", XCVR_EXTERNAL }, { NULL, 0 },
};

static const struct nt_name mdix_words[] = {
	{ "off", ETH_TP_MDI }, { "on", ETH_TP_MDI_X }, { NULL, 0 },
};

static const struct nt_eth_row linkinfo_rows[] = {
	{ .name = "link.port", .attr = ETHTOOL_A_LINKINFO_PORT, .type = NT_ROW_WORD,
		.words = port_words, IO(ethtool_link_settings, port) },
	{ .name = "link.phyaddr", .attr = ETHTOOL_A_LINKINFO_PHYADDR, .type = NT_ROW_U8,
		IO(ethtool_link_settings, phy_address) },
	{ .name = "link.transceiver", .attr = ETHTOOL_A_LINKINFO_TRANSCEIVER,
		.type = NT_ROW_WORD, .words = transceiver_words,
		IO(ethtool_link_settings, transceiver) },
	{ .name = "link.mdix", .attr = ETHTOOL_A_LINKINFO_TP_MDIX, .type = NT_ROW_WORD,
		.words = mdix_words, IO(ethtool_link_settings, eth_tp_mdix) },
};

/* ---- forward error correction ---- */

static const struct nt_eth_row fec_rows[] = {
	{ .name = "fec.configured", .attr = ETHTOOL_A_FEC_MODES, .type = NT_ROW_FEC },
	{ .name = "fec.auto", .attr = ETHTOOL_A_FEC_AUTO, .type = NT_ROW_SWITCH },
	{ .name = "fec.active", .attr = ETHTOOL_A_FEC_ACTIVE, .type = NT_ROW_FEC_BIT },
};

#define ROWS(r) .rows = (r), .n_rows = NT_ARRAY_SIZE(r)

static const struct nt_eth_group groups[_NT_ETH_MAX] = {
	[NT_ETH_FEATURES] = { .name = "features", .what = "features",
		.get = ETHTOOL_MSG_FEATURES_GET,
		.set = ETHTOOL_MSG_FEATURES_SET },
	[NT_ETH_COALESCE] = { .name = "coalesce", .what = "coalescing",
		.get = ETHTOOL_MSG_COALESCE_GET,
		.set = ETHTOOL_MSG_COALESCE_SET, .io_get = ETHTOOL_GCOALESCE,
		.io_set = ETHTOOL_SCOALESCE, .io_size = sizeof(struct ethtool_coalesce),
		ROWS(coalesce_rows) },
	[NT_ETH_RINGS] = { .name = "rings", .what = "rings",
		.get = ETHTOOL_MSG_RINGS_GET,
		.set = ETHTOOL_MSG_RINGS_SET, .io_get = ETHTOOL_GRINGPARAM,
		.io_set = ETHTOOL_SRINGPARAM, .io_size = sizeof(struct ethtool_ringparam),
		ROWS(ring_rows) },
	[NT_ETH_CHANNELS] = { .name = "channels", .what = "channels",
		.get = ETHTOOL_MSG_CHANNELS_GET,
		.set = ETHTOOL_MSG_CHANNELS_SET, .io_get = ETHTOOL_GCHANNELS,
		.io_set = ETHTOOL_SCHANNELS, .io_size = sizeof(struct ethtool_channels),
		ROWS(channel_rows) },
	[NT_ETH_PAUSE] = { .name = "pause", .what = "pause",
		.get = ETHTOOL_MSG_PAUSE_GET,
		.set = ETHTOOL_MSG_PAUSE_SET, .io_get = ETHTOOL_GPAUSEPARAM,
		.io_set = ETHTOOL_SPAUSEPARAM, .io_size = sizeof(struct ethtool_pauseparam),
		ROWS(pause_rows) },
	[NT_ETH_EEE] = { .name = "eee", .what = "energy-efficient ethernet",
		.get = ETHTOOL_MSG_EEE_GET,
		.set = ETHTOOL_MSG_EEE_SET, .io_get = ETHTOOL_GEEE, .io_set = ETHTOOL_SEEE,
		.io_size = sizeof(struct ethtool_eee), ROWS(eee_rows) },
	[NT_ETH_LINKMODES] = { .name = "linkmodes", .what = "link modes",
		.get = ETHTOOL_MSG_LINKMODES_GET,
		.set = ETHTOOL_MSG_LINKMODES_SET, ROWS(linkmode_rows) },
	[NT_ETH_LINKINFO] = { .name = "linkinfo", .what = "link settings",
		.get = ETHTOOL_MSG_LINKINFO_GET,
		ROWS(linkinfo_rows) },
	[NT_ETH_FEC] = { .name = "fec", .what = "forward error correction",
		.get = ETHTOOL_MSG_FEC_GET,
		ROWS(fec_rows) },
	[NT_ETH_RSS] = { .name = "rss", .what = "spread over queues" },
};

const struct nt_eth_group *nt_eth_group(enum nt_eth what)
{
	return (unsigned)what < _NT_ETH_MAX ? &groups[what] : NULL;
}

const struct nt_eth_row *nt_eth_row(const struct nt_eth_group *g, const char *name)
{
	unsigned i;

	for (i = 0; i < g->n_rows; i++)
		if (!strcmp(g->rows[i].name, name))
			return &g->rows[i];
	return NULL;
}

bool nt_eth_made(const char *pattern)
{
	unsigned g, i;

	for (g = 0; g < _NT_ETH_MAX; g++)
		for (i = 0; i < groups[g].n_rows; i++)
			if (nt_glob(pattern, groups[g].rows[i].name))
				return true;
	return false;
}

/* Link mode bits by number, linux/ethtool.h; the last ten are of 6.3 to 6.10. */
static const char *const link_modes[] = {
	"10baseT/Half", "10baseT/Full", "100baseT/Half", "100baseT/Full",
	"1000baseT/Half", "1000baseT/Full", "Autoneg", "TP", "AUI", "MII", "FIBRE",
	"BNC", "10000baseT/Full", "Pause", "Asym_Pause", "2500baseX/Full", "Backplane",
	"1000baseKX/Full", "10000baseKX4/Full", "10000baseKR/Full", "10000baseR_FEC",
	"20000baseMLD2/Full", "20000baseKR2/Full", "40000baseKR4/Full",
	"40000baseCR4/Full", "40000baseSR4/Full", "40000baseLR4/Full",
	"56000baseKR4/Full", "56000baseCR4/Full", "56000baseSR4/Full",
	"56000baseLR4/Full", "25000baseCR/Full", "25000baseKR/Full",
	"25000baseSR/Full", "50000baseCR2/Full", "50000baseKR2/Full",
	"100000baseKR4/Full", "100000baseSR4/Full", "100000baseCR4/Full",
	"100000baseLR4_ER4/Full", "50000baseSR2/Full", "1000baseX/Full",
	"10000baseCR/Full", "10000baseSR/Full", "10000baseLR/Full",
	"10000baseLRM/Full", "10000baseER/Full", "2500baseT/Full", "5000baseT/Full",
	"None", "RS", "BASER", "50000baseKR/Full", "50000baseSR/Full",
	"50000baseCR/Full", "50000baseLR_ER_FR/Full", "50000baseDR/Full",
	"100000baseKR2/Full", "100000baseSR2/Full", "100000baseCR2/Full",
	"100000baseLR2_ER2_FR2/Full", "100000baseDR2/Full", "200000baseKR4/Full",
	"200000baseSR4/Full", "200000baseLR4_ER4_FR4/Full", "200000baseDR4/Full",
	"200000baseCR4/Full", "100baseT1/Full", "1000baseT1/Full",
	"400000baseKR8/Full", "400000baseSR8/Full", "400000baseLR8_ER8_FR8/Full",
	"400000baseDR8/Full", "400000baseCR8/Full", "LLRS", "100000baseKR/Full",
	"100000baseSR/Full", "100000baseLR_ER_FR/Full", "100000baseCR/Full",
	"100000baseDR/Full", "200000baseKR2/Full", "200000baseSR2/Full",
	"200000baseLR2_ER2_FR2/Full", "200000baseDR2/Full", "200000baseCR2/Full",
	"400000baseKR4/Full", "400000baseSR4/Full", "400000baseLR4_ER4_FR4/Full",
	"400000baseDR4/Full", "400000baseCR4/Full", "100baseFX/Half", "100baseFX/Full",
	"10baseT1L/Full", "800000baseCR8/Full", "800000baseKR8/Full",
	"800000baseDR8/Full", "800000baseDR8_2/Full", "800000baseSR8/Full",
	"800000baseVR8/Full", "10baseT1S/Full", "10baseT1S/Half",
	"10baseT1S_P2MP/Half", "10baseT1BRR/Full",
};

const char *nt_link_mode_name(unsigned bit)
{
	return bit < NT_ARRAY_SIZE(link_modes) ? link_modes[bit] : NULL;
}

bool nt_link_mode_is_speed(const char *name)
{
	return strstr(name, "base") && strchr(name, '/');
}
