/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tunable table. Risks: a feature, coalescing or queue-length change may stall the
 * link's traffic for a moment; ring, channel, pause, EEE, MTU changes and the offloads that
 * most drivers set only by a reset take the link down; a sysctl touches every flow.
 */
#include "config.h"

#include "nettune/tunable.h"

#include <stdint.h>
#include <string.h>

#include "nettune/mem.h"

const struct nt_name nt_risk_names[] = {
	{ "none", NT_RISK_NONE },
	{ "traffic", NT_RISK_TRAFFIC },
	{ "host", NT_RISK_HOST },
	{ "link", NT_RISK_LINK },
	{ NULL, 0 },
};

const struct nt_name nt_tunable_kind_names[] = {
	{ "feature", NT_TUN_FEATURE },
	{ "coalesce", NT_TUN_COALESCE },
	{ "ring", NT_TUN_RING },
	{ "channels", NT_TUN_CHANNELS },
	{ "pause", NT_TUN_PAUSE },
	{ "eee", NT_TUN_EEE },
	{ "mtu", NT_TUN_MTU },
	{ "txqueuelen", NT_TUN_TXQUEUELEN },
	{ "qdisc", NT_TUN_QDISC },
	{ "sysctl", NT_TUN_SYSCTL },
	{ "rps", NT_TUN_RPS },
	{ "xps", NT_TUN_XPS },
	{ "irq-affinity", NT_TUN_IRQ_AFFINITY },
	{ "sysfs", NT_TUN_SYSFS },
	{ NULL, 0 },
};

#define NO_BOUND .min = 1, .max = 0

/* Per link. */
#define LINK(n, k, r, t, u, text)                                                        \
	.name = n, .kind = NT_TUN_##k, .scope = NT_SCOPE_LINK, .risk = NT_RISK_##r,      \
	.type = NT_FACT_##t, .unit = NT_UNIT_##u, .summary = text
/* Of the host, per network namespace or global. */
#define SYSCTL(n, g, t, u, text)                                                         \
	.name = "sysctl.net." n, .kind = NT_TUN_SYSCTL, .scope = NT_SCOPE_HOST,          \
	.global = g, .risk = NT_RISK_HOST, .type = NT_FACT_##t, .unit = NT_UNIT_##u,     \
	.summary = text
#define GLOBAL true
#define NETNS false

#define I32 2147483647.0
#define U32 4294967295.0

static const struct nt_tunable rows[] = {
	/* offloads; those that many drivers change by a reset come first */
	{ LINK("feature.rx-checksum", FEATURE, LINK, SWITCH, NONE,
		"receive checksum offload"), .min = 0, .max = 1 },
	{ LINK("feature.rx-lro", FEATURE, LINK, SWITCH, NONE,
		"large receive offload: merges in hardware, not for forwarding hosts"),
		.min = 0, .max = 1 },
	{ LINK("feature.rx-gro-hw", FEATURE, LINK, SWITCH, NONE,
		"generic receive offload in hardware"), .min = 0, .max = 1 },
	{ LINK("feature.rx-hashing", FEATURE, LINK, SWITCH, NONE,
		"flow hash from hardware, used by RPS and RFS"), .min = 0, .max = 1 },
	{ LINK("feature.rx-ntuple-filter", FEATURE, LINK, SWITCH, NONE,
		"flow steering filters in hardware"), .min = 0, .max = 1 },
	{ LINK("feature.rx-fcs", FEATURE, LINK, SWITCH, NONE,
		"keep the frame check sequence"), .min = 0, .max = 1 },
	{ LINK("feature.rx-all", FEATURE, LINK, SWITCH, NONE,
		"receive damaged frames too"), .min = 0, .max = 1 },
	{ LINK("feature.rx-vlan-*", FEATURE, LINK, SWITCH, NONE,
		"VLAN handling on receive"), .min = 0, .max = 1 },
	{ LINK("feature.loopback", FEATURE, LINK, SWITCH, NONE,
		"send back to the host itself"), .min = 0, .max = 1 },
	{ LINK("feature.tx-checksumming", FEATURE, TRAFFIC, SWITCH, NONE,
		"transmit checksum offload, every kind the device has"), .min = 0, .max = 1 },
	{ LINK("feature.tx-tcp-segmentation", FEATURE, TRAFFIC, SWITCH, NONE,
		"TCP segmentation offload (TSO)"), .min = 0, .max = 1 },
	{ LINK("feature.tx-generic-segmentation", FEATURE, TRAFFIC, SWITCH, NONE,
		"generic segmentation offload (GSO)"), .min = 0, .max = 1 },
	{ LINK("feature.rx-gro", FEATURE, TRAFFIC, SWITCH, NONE,
		"generic receive offload (GRO)"), .min = 0, .max = 1 },
	{ LINK("feature.*", FEATURE, TRAFFIC, SWITCH, NONE,
		"an offload, by the kernel's name"), .min = 0, .max = 1 },

	{ LINK("coalesce.adaptive-rx", COALESCE, TRAFFIC, SWITCH, NONE,
		"driver follows the load with the receive interrupt rate"), .min = 0, .max = 1 },
	{ LINK("coalesce.adaptive-tx", COALESCE, TRAFFIC, SWITCH, NONE,
		"driver follows the load with the transmit interrupt rate"), .min = 0, .max = 1 },
	{ LINK("coalesce.cqe-mode-*", COALESCE, TRAFFIC, SWITCH, NONE,
		"timer restarts on each completion"), .min = 0, .max = 1 },
	{ LINK("coalesce.rx-usecs", COALESCE, TRAFFIC, INT, US,
		"delay before a receive interrupt; small values are modes on e1000, igb, igc"),
		.min = 0, .max = U32 },
	{ LINK("coalesce.tx-usecs", COALESCE, TRAFFIC, INT, US,
		"delay before a transmit interrupt"), .min = 0, .max = U32 },
	{ LINK("coalesce.rx-frames", COALESCE, TRAFFIC, INT, PACKETS,
		"frames before a receive interrupt"), .min = 0, .max = U32 },
	{ LINK("coalesce.tx-frames", COALESCE, TRAFFIC, INT, PACKETS,
		"frames before a transmit interrupt"), .min = 0, .max = U32 },
	{ LINK("coalesce.*usecs*", COALESCE, TRAFFIC, INT, US,
		"an interrupt delay, by the kernel's name"), .min = 0, .max = U32 },
	{ LINK("coalesce.*frames*", COALESCE, TRAFFIC, INT, PACKETS,
		"frames before an interrupt, by the kernel's name"), .min = 0, .max = U32 },
	{ LINK("coalesce.*", COALESCE, TRAFFIC, INT, NONE,
		"interrupt moderation, by the kernel's name"), .min = 0, .max = U32 },

	{ LINK("ring.rx", RING, LINK, INT, PACKETS, "receive ring entries"),
		.min = 1, .max = U32, .max_fact = "ring.rx.max" },
	{ LINK("ring.tx", RING, LINK, INT, PACKETS, "transmit ring entries"),
		.min = 1, .max = U32, .max_fact = "ring.tx.max" },
	{ LINK("ring.rx-mini", RING, LINK, INT, PACKETS, "small-frame receive ring entries"),
		.min = 0, .max = U32, .max_fact = "ring.rx-mini.max" },
	{ LINK("ring.rx-jumbo", RING, LINK, INT, PACKETS, "jumbo receive ring entries"),
		.min = 0, .max = U32, .max_fact = "ring.rx-jumbo.max" },
	{ LINK("ring.rx-buf-len", RING, LINK, INT, BYTES, "receive buffer size"),
		.min = 1, .max = U32 },
	{ LINK("ring.tx-push-buf-len", RING, LINK, INT, BYTES, "transmit push buffer size"),
		.min = 0, .max = U32, .max_fact = "ring.tx-push-buf-len.max" },
	{ LINK("ring.tcp-data-split", RING, LINK, TEXT, NONE,
		"headers and data in buffers of their own"), NO_BOUND },
	{ LINK("ring.tx-push", RING, LINK, SWITCH, NONE,
		"descriptors pushed to the device"), .min = 0, .max = 1 },
	{ LINK("ring.rx-push", RING, LINK, SWITCH, NONE,
		"receive descriptors pushed to the device"), .min = 0, .max = 1 },
	{ LINK("ring.hds-thresh", RING, LINK, INT, BYTES,
		"size from which headers are split off"), .min = 0, .max = U32,
		.max_fact = "ring.hds-thresh.max" },
	{ LINK("ring.cqe-size", RING, LINK, INT, BYTES, "completion event size"),
		.min = 0, .max = U32 },

	{ LINK("channels.combined", CHANNELS, LINK, INT, NONE, "queues for both directions"),
		.min = 0, .max = U32, .max_fact = "channels.combined.max" },
	{ LINK("channels.rx", CHANNELS, LINK, INT, NONE, "receive queues"),
		.min = 0, .max = U32, .max_fact = "channels.rx.max" },
	{ LINK("channels.tx", CHANNELS, LINK, INT, NONE, "transmit queues"),
		.min = 0, .max = U32, .max_fact = "channels.tx.max" },
	{ LINK("channels.other", CHANNELS, LINK, INT, NONE, "queues for other interrupts"),
		.min = 0, .max = U32, .max_fact = "channels.other.max" },

	{ LINK("pause.autoneg", PAUSE, LINK, SWITCH, NONE, "negotiate flow control"),
		.min = 0, .max = 1 },
	{ LINK("pause.rx", PAUSE, LINK, SWITCH, NONE, "obey pause frames"),
		.min = 0, .max = 1 },
	{ LINK("pause.tx", PAUSE, LINK, SWITCH, NONE, "send pause frames"),
		.min = 0, .max = 1 },
	{ LINK("eee.enabled", EEE, LINK, SWITCH, NONE, "energy-efficient Ethernet"),
		.min = 0, .max = 1 },
	{ LINK("eee.tx-lpi", EEE, LINK, SWITCH, NONE, "low-power idle on transmit"),
		.min = 0, .max = 1 },
	{ LINK("eee.tx-lpi-timer", EEE, LINK, INT, US, "idle time before low power"),
		.min = 0, .max = U32 },

	{ LINK("link.mtu", MTU, LINK, INT, BYTES, "largest payload of a frame"),
		.min = 68, .max = 65536, .max_fact = "link.mtu.max" },
	{ LINK("link.txqueuelen", TXQUEUELEN, TRAFFIC, INT, PACKETS,
		"packets a FIFO egress queue holds"), .min = 0, .max = U32 },
	{ LINK("qdisc.root", QDISC, TRAFFIC, TEXT, NONE,
		"kind of the root egress queue; only a classless one is replaced"), NO_BOUND },

	{ LINK("link.gro_flush_timeout", SYSFS, NONE, INT, NS,
		"time GRO may hold packets after a poll"), .min = 0, .max = 10e9 },
	{ LINK("link.napi_defer_hard_irqs", SYSFS, NONE, INT, NONE,
		"empty polls before the interrupt is turned on again"), .min = 0, .max = I32 },
	{ LINK("link.threaded", SYSFS, NONE, INT, NONE, "poll in kernel threads"),
		.min = 0, .max = 1 },
	{ LINK("rps.rx-*", RPS, NONE, TEXT, NONE,
		"CPUs that process a receive queue, a mask"), NO_BOUND },
	{ LINK("rfs.rx-*", SYSFS, NONE, INT, NONE,
		"flows a receive queue follows to their CPU"), .min = 0, .max = U32 },
	{ LINK("xps.tx-*", XPS, NONE, TEXT, NONE,
		"CPUs that send on a transmit queue, a mask"), NO_BOUND },
	{ LINK("bql.tx-*.limit_max", SYSFS, NONE, INT, BYTES,
		"most bytes a transmit queue holds"), .min = 0, .max = U32 },
	{ LINK("irq.*.affinity", IRQ_AFFINITY, NONE, TEXT, NONE,
		"CPUs that serve an interrupt, a list"), NO_BOUND, .global = true },

	/* global: one value for the whole kernel */
	{ SYSCTL("core.netdev_max_backlog", GLOBAL, INT, PACKETS,
		"packets queued per CPU before the stack drops"), .min = 1, .max = I32 },
	{ SYSCTL("core.netdev_budget", GLOBAL, INT, PACKETS,
		"packets a softirq round may handle"), .min = 1, .max = I32 },
	{ SYSCTL("core.netdev_budget_usecs", GLOBAL, INT, US,
		"time a softirq round may take"), .min = 1, .max = I32 },
	{ SYSCTL("core.dev_weight", GLOBAL, INT, PACKETS,
		"packets one NAPI poll may handle"), .min = 1, .max = I32 },
	{ SYSCTL("core.default_qdisc", GLOBAL, TEXT, NONE,
		"kind given to new egress queues"), NO_BOUND },
	{ SYSCTL("core.busy_poll", GLOBAL, INT, US,
		"busy waiting in poll and select"), .min = 0, .max = I32 },
	{ SYSCTL("core.busy_read", GLOBAL, INT, US,
		"busy waiting in reads"), .min = 0, .max = I32 },
	{ SYSCTL("core.rps_sock_flow_entries", GLOBAL, INT, NONE,
		"size of the flow table that RFS uses"), .min = 0, .max = 536870912 },
	{ SYSCTL("core.rmem_max", GLOBAL, INT, BYTES,
		"largest receive buffer a program may ask for"), .min = 2304, .max = I32 },
	{ SYSCTL("core.wmem_max", GLOBAL, INT, BYTES,
		"largest send buffer a program may ask for"), .min = 4608, .max = I32 },
	{ SYSCTL("core.rmem_default", GLOBAL, INT, BYTES,
		"receive buffer of other than TCP sockets"), .min = 2304, .max = I32 },
	{ SYSCTL("core.wmem_default", GLOBAL, INT, BYTES,
		"send buffer of other than TCP sockets"), .min = 4608, .max = I32 },
	{ SYSCTL("core.gro_normal_batch", GLOBAL, INT, PACKETS,
		"packets GRO hands on together"), .min = 1, .max = I32 },
	{ SYSCTL("core.skb_defer_max", GLOBAL, INT, PACKETS,
		"buffers given back to the CPU that allocated them"), .min = 0, .max = I32 },
	{ SYSCTL("core.*", GLOBAL, TEXT, NONE, "a core sysctl, by its name"), NO_BOUND },
	{ SYSCTL("ipv4.tcp_mem.min", GLOBAL, INT, PAGES,
		"TCP memory below which nothing is done"), .min = 1, .max = 9e15 },
	{ SYSCTL("ipv4.tcp_mem.default", GLOBAL, INT, PAGES,
		"TCP memory from which buffers shrink"), .min = 1, .max = 9e15 },
	{ SYSCTL("ipv4.tcp_mem.max", GLOBAL, INT, PAGES,
		"most memory of all TCP sockets"), .min = 1, .max = 9e15 },
	{ SYSCTL("ipv4.udp_mem.min", GLOBAL, INT, PAGES,
		"UDP memory below which nothing is done"), .min = 1, .max = 9e15 },
	{ SYSCTL("ipv4.udp_mem.default", GLOBAL, INT, PAGES,
		"UDP memory from which buffers shrink"), .min = 1, .max = 9e15 },
	{ SYSCTL("ipv4.udp_mem.max", GLOBAL, INT, PAGES,
		"most memory of all UDP sockets"), .min = 1, .max = 9e15 },
	{ SYSCTL("ipv4.tcp_max_orphans", GLOBAL, INT, NONE,
		"sockets without a program"), .min = 0, .max = I32 },

	/* of one network namespace */
	{ SYSCTL("core.somaxconn", NETNS, INT, NONE,
		"largest accept queue"), .min = 0, .max = I32 },
	{ SYSCTL("core.optmem_max", NETNS, INT, BYTES,
		"most option memory of a socket"), .min = 0, .max = I32 },
	{ SYSCTL("ipv4.tcp_rmem.min", NETNS, INT, BYTES,
		"smallest TCP receive buffer"), .min = 1, .max = I32 },
	{ SYSCTL("ipv4.tcp_rmem.default", NETNS, INT, BYTES,
		"first TCP receive buffer"), .min = 1, .max = I32 },
	{ SYSCTL("ipv4.tcp_rmem.max", NETNS, INT, BYTES,
		"largest TCP receive buffer"), .min = 1, .max = I32 },
	{ SYSCTL("ipv4.tcp_wmem.min", NETNS, INT, BYTES,
		"smallest TCP send buffer"), .min = 1, .max = I32 },
	{ SYSCTL("ipv4.tcp_wmem.default", NETNS, INT, BYTES,
		"first TCP send buffer"), .min = 1, .max = I32 },
	{ SYSCTL("ipv4.tcp_wmem.max", NETNS, INT, BYTES,
		"largest TCP send buffer"), .min = 1, .max = I32 },
	{ SYSCTL("ipv4.udp_rmem_min", NETNS, INT, BYTES,
		"UDP receive buffer kept under pressure"), .min = 1, .max = I32 },
	{ SYSCTL("ipv4.udp_wmem_min", NETNS, INT, BYTES,
		"UDP send buffer kept under pressure"), .min = 1, .max = I32 },
	{ SYSCTL("ipv4.ip_local_port_range.min", NETNS, INT, NONE,
		"first port for outgoing connections"), .min = 1, .max = 65535 },
	{ SYSCTL("ipv4.ip_local_port_range.max", NETNS, INT, NONE,
		"last port for outgoing connections"), .min = 1, .max = 65535 },
	{ SYSCTL("ipv4.tcp_limit_output_bytes", NETNS, INT, BYTES,
		"TCP Small Queues limit; its meaning depends on the kernel"),
		.min = 0, .max = I32 },
	{ SYSCTL("ipv4.tcp_tso_rtt_log", NETNS, INT, NONE,
		"bursts shrink by one bit each 2^this microseconds of round trip"),
		.min = 0, .max = 31 },
	{ SYSCTL("ipv4.tcp_min_tso_segs", NETNS, INT, NONE,
		"least segments of a burst"), .min = 1, .max = 65535 },
	{ SYSCTL("ipv4.tcp_congestion_control", NETNS, TEXT, NONE,
		"congestion control of new connections"), NO_BOUND },
	{ SYSCTL("ipv4.tcp_notsent_lowat", NETNS, INT, BYTES,
		"unsent data below which a socket is writable"), .min = 0, .max = U32 },
	{ SYSCTL("ipv4.tcp_adv_win_scale", NETNS, INT, NONE,
		"share of the receive buffer kept for overhead"), .min = -31, .max = 31 },
	{ SYSCTL("ipv4.tcp_moderate_rcvbuf", NETNS, INT, NONE,
		"receive buffer follows the rate"), .min = 0, .max = 1 },
	{ SYSCTL("ipv4.tcp_window_scaling", NETNS, INT, NONE,
		"windows above 64 KiB"), .min = 0, .max = 1 },
	{ SYSCTL("ipv4.tcp_timestamps", NETNS, INT, NONE,
		"time stamps in segments"), .min = 0, .max = 2 },
	{ SYSCTL("ipv4.tcp_sack", NETNS, INT, NONE,
		"selective acknowledgements"), .min = 0, .max = 1 },
	{ SYSCTL("ipv4.tcp_ecn", NETNS, INT, NONE,
		"explicit congestion notification"), .min = 0, .max = 5 },
	{ SYSCTL("ipv4.tcp_mtu_probing", NETNS, INT, NONE,
		"find the path's MTU by trying"), .min = 0, .max = 2 },
	{ SYSCTL("ipv4.tcp_slow_start_after_idle", NETNS, INT, NONE,
		"forget the window after a pause"), .min = 0, .max = 1 },
	{ SYSCTL("ipv4.tcp_no_metrics_save", NETNS, INT, NONE,
		"do not remember a peer's metrics"), .min = 0, .max = 1 },
	{ SYSCTL("ipv4.tcp_max_syn_backlog", NETNS, INT, NONE,
		"half-open connections"), .min = 1, .max = I32 },
	{ SYSCTL("ipv4.tcp_fin_timeout", NETNS, INT, S,
		"time an orphan waits for its end"), .min = 1, .max = I32 },
	{ SYSCTL("*", NETNS, TEXT, NONE, "a network sysctl, by its name"), NO_BOUND },
};

/* Facts of a family that only describe, and keys that nettune never touches. */
static const char *const never[] = {
	"*.max", "*.fixed", "*.wanted", "*.active", "*fastopen_key*", "*stable_secret*",
	"*rss_key*", "*available_congestion_control", "*allowed_congestion_control",
	"sysctl.net.ipv4.route.flush", "sysctl.net.ipv6.route.flush",
};

const struct nt_tunable *nt_tunables(size_t *ret_n)
{
	*ret_n = NT_ARRAY_SIZE(rows);
	return rows;
}

const struct nt_tunable *nt_tunable_find(const char *name)
{
	size_t i;

	for (i = 0; i < NT_ARRAY_SIZE(rows); i++)
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	for (i = 0; i < NT_ARRAY_SIZE(never); i++)
		if (nt_glob(never[i], name))
			return NULL;
	for (i = 0; i < NT_ARRAY_SIZE(rows); i++)
		if (strchr(rows[i].name, '*') && nt_glob(rows[i].name, name))
			return &rows[i];
	return NULL;
}
