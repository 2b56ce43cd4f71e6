/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts that are read out of logs, and those that links' counters and modes add up to. */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "nettune/fact.h"
#include "nettune/fact_text.h"
#include "nettune/sys.h"

static struct nt_snapshot *two_links(void)
{
	struct nt_snapshot *s = nt_snapshot_new();
	struct nt_scope *a = nt_snapshot_add_link(s, "eno1"), *b = nt_snapshot_add_link(s, "eno12");

	nt_fact_text(s, a, NT_FACT_TEXT, "link.driver", "e1000e");
	nt_fact_text(s, b, NT_FACT_TEXT, "link.driver", "r8169");
	return s;
}

/* The value; -1 when it is not known. */
static double value(const struct nt_snapshot *s, const char *link, const char *name)
{
	const struct nt_scope *sc = link ? nt_snapshot_link(s, link) : &s->host;
	const struct nt_fact *f = nt_scope_get(s, sc, name);

	if (!f || f->type == NT_FACT_ABSENT)
		return -1;
	return f->type == NT_FACT_REAL ? f->v.r : (double)f->v.i;
}

static void log_lines(void **state)
{
	struct nt_snapshot *s = two_links();

	(void)state;
	nt_text_log(s,
		"<3>[   12.1] e1000e 0000:00:1f.6 eno1: Detected Hardware Unit Hang:\n"
		"<3>[   14.1] e1000e 0000:00:1f.6 eno1: Detected Hardware Unit Hang:\n"
		"[   15.2] NETDEV WATCHDOG: eno12 (r8169): transmit queue 0 timed out\n"
		"[   16.0] r8169 0000:02:00.0 eno12: NETDEV WATCHDOG: CPU: 1: transmit queue 0 timed\n"
		"[   17.0] NETDEV WATCHDOG: eno123 (r8169): transmit queue 0 timed out\n"
		"[   18.0] neighbour: arp_cache: neighbor table overflow!\n"
		"[   18.5] Neighbour table overflow.\n"
		"[   19.0] nf_conntrack: nf_conntrack: table full, dropping packet\n"
		"[   20.0] TCP: out of memory -- consider tuning tcp_mem\n"
		"[   21.0] TCP: request_sock_TCP: Possible SYN flooding on port 443. Sending cookies.\n"
		"[   22.0] UDP: bad checksum. From 10.0.0.9:27503 to 10.0.0.2:8472 ulen 75\n"
		"[   23.0] UDP: bad checksum. From 10.0.0.9:27503 to 10.0.0.2:53 ulen 75\n", true);
	nt_snapshot_seal(s);
	assert_float_equal(value(s, "eno1", "log.tx_hang"), 2, 0);
	assert_float_equal(value(s, "eno12", "log.tx_hang"), 0, 0);
	assert_float_equal(value(s, "eno1", "log.tx_timeout"), 0, 0);
	assert_float_equal(value(s, "eno12", "log.tx_timeout"), 2, 0);
	assert_float_equal(value(s, NULL, "log.neighbour_overflow"), 2, 0);
	assert_float_equal(value(s, NULL, "log.conntrack_full"), 1, 0);
	assert_float_equal(value(s, NULL, "log.tcp_memory"), 1, 0);
	assert_float_equal(value(s, NULL, "log.syn_flood"), 1, 0);
	assert_float_equal(value(s, NULL, "log.tunnel_bad_checksum"), 1, 0);
	assert_float_equal(value(s, NULL, "log.dhcp_bad_checksum"), -1, 0);
	assert_float_equal(value(s, NULL, "log.tx_hang"), -1, 0);
	nt_snapshot_free(s);
}

/* Whole, a line a record, or refused: never waiting for what comes next. */
static void log_of_the_kernel(void **state)
{
	struct nt_sys *sys = nt_sys_live(0, NULL);
	struct nt_buf b = { 0 };
	int rc;

	(void)state;
	assert_non_null(sys);
	rc = sys->ops->read(sys, "/dev/kmsg", &b, NULL);
	assert_true(rc == 0 || rc == -EPERM || rc == -ENOSYS);
	if (b.len) {
		assert_int_equal(nt_buf_str(&b)[0], '<');
		assert_int_equal(nt_buf_str(&b)[b.len - 1], '\n');
		assert_int_equal(strlen(nt_buf_str(&b)), b.len);
	}
	nt_buf_free(&b);
	nt_sys_free(sys);
}

static void log_of_programs(void **state)
{
	struct nt_snapshot *s = two_links();

	(void)state;
	nt_text_log(s,
		"dhclient[3259]: 5 bad udp checksums in 5 packets\n"
		"UDP Failed to set receive buffer: requested 4194304, got 262142\n"
		"failed to sufficiently increase send buffer size (was: 208 kiB, wanted: 2048 kiB, "
		"got: 416 kiB).\n", false);
	nt_snapshot_seal(s);
	assert_float_equal(value(s, NULL, "log.dhcp_bad_checksum"), 5, 0);
	assert_float_equal(value(s, NULL, "log.rcvbuf_wanted"), 4194304, 0);
	assert_float_equal(value(s, NULL, "log.sndbuf_wanted"), 2097152, 0);
	assert_float_equal(value(s, NULL, "log.conntrack_full"), -1, 0);
	assert_float_equal(value(s, "eno1", "log.tx_hang"), -1, 0);
	nt_snapshot_free(s);
}

/* A driver that only stands deep in a trace called what failed, and is not at fault. */
static void log_traces(void **state)
{
	static const char theirs[] =
		"WARNING: CPU: 15 PID: 0 at drivers/iommu/dma-iommu.c:1041\n"
		"Call Trace:\n <IRQ>\n rtl8169_unmap_tx_skb+0x3b/0x70 [r8169]\n"
		" rtl8169_poll+0x63/0x4e0 [r8169]\n";
	static const char deep[] =
		"Call Trace:\n nft_do_chain+0x3b/0x70 [nf_tables]\n nf_hook_slow+0x1/0x2\n"
		" ip_rcv+0x1/0x2\n napi_gro_receive+0x1/0x2\n rtl8169_poll+0x63/0x4e0 [r8169]\n";
	struct nt_snapshot *s = two_links();

	(void)state;
	nt_text_log(s, theirs, true);
	nt_snapshot_seal(s);
	assert_float_equal(value(s, "eno12", "log.driver_trace"), 1, 0);
	assert_float_equal(value(s, "eno1", "log.driver_trace"), 0, 0);
	nt_snapshot_free(s);
	s = two_links();
	nt_text_log(s, deep, true);
	nt_snapshot_seal(s);
	assert_float_equal(value(s, "eno12", "log.driver_trace"), 0, 0);
	nt_snapshot_free(s);
}

static void ring_drops_by_driver(void **state)
{
	static const struct {
		const char *driver, *counter;
		int64_t v;
		const char *other;
		int64_t w;
		double want;
	} t[] = {
		{ "ixgbe", "stats64.rx_missed_errors", 3, "stat.rx_no_dma_resources", 4, 7 },
		{ "igb", "stats64.rx_missed_errors", 3, "stats64.rx_fifo_errors", 4, 4 },
		{ "e1000e", "stats64.rx_missed_errors", 3, "stat.rx_missed_errors", 3, 3 },
		{ "vmxnet3", "stat.       pkts rx OOB", 5, "stats64.rx_dropped", 9, 5 },
		{ "gve", "stat.rx_no_buffers_posted[0]", 2, "stat.rx_no_buffers_posted[1]", 3, 5 },
		{ "st_xgmac", "stat.mmc_rx_fifo_overflow", 6, "stats64.rx_missed_errors", 0, 6 },
		{ "ena", "stats64.rx_dropped", 5, "stats64.rx_missed_errors", 9, -1 },
		{ "ixgbe", "stats64.rx_dropped", 7142467, "stats64.rx_errors", 0, 7142467 },
		{ "ixgbe", "stats64.rx_dropped", 200, "stats64.rx_errors", 0, -1 },
		{ NULL, "stats64.rx_fifo_errors", 179, "stats64.rx_dropped", 5, 179 },
		/* a counter that says -1 */
		{ "ixgbe", "stats64.rx_missed_errors", INT64_MAX, "stat.rx_no_dma_resources", 4,
			9223372036854775807.0 },
	};
	struct nt_snapshot *s;
	struct nt_scope *l;
	size_t i;

	(void)state;
	for (i = 0; i < NT_ARRAY_SIZE(t); i++) {
		s = nt_snapshot_new();
		l = nt_snapshot_add_link(s, "eth0");
		if (t[i].driver)
			nt_fact_text(s, l, NT_FACT_TEXT, "link.driver", t[i].driver);
		nt_fact_int(s, l, t[i].counter, NT_UNIT_NONE, t[i].v);
		nt_fact_int(s, l, t[i].other, NT_UNIT_NONE, t[i].w);
		nt_snapshot_seal(s);
		nt_derive(s);
		assert_float_equal(value(s, "eth0", "rx.ring_drops"), t[i].want, 0);
		nt_snapshot_free(s);
	}
}

static void speeds_and_soundness(void **state)
{
	static const struct {
		int64_t speed;
		const char *duplex, *ours, *peers;
		double common, best, sound;
	} t[] = {
		{ 1000, "full", "100baseT/Full 1000baseT/Full", "1000baseT/Full", 1000, 1000, 1 },
		{ 100, "full", "100baseT/Full 1000baseT/Full", "1000baseT/Full 100baseT/Full", 1000,
			1000, 0 },
		{ 100, "full", "100baseT/Full 1000baseT/Full", "100baseT/Full", 100, 1000, 1 },
		{ 100, "half", "100baseT/Full", "100baseT/Full", 100, 100, 0 },
		{ 10, "full", "10baseT/Full 1000baseT/Full", NULL, -1, 1000, 0 },
		{ 100, "full", "10000baseT/Full", "1000baseT/Full 10000baseT/Full_x", -1, 10000, 1 },
		{ 25000, "full", "25000baseCR/Full Autoneg", "25000baseCR/Full", 25000, 25000, 1 },
	};
	struct nt_snapshot *s;
	struct nt_scope *l;
	size_t i;

	(void)state;
	for (i = 0; i < NT_ARRAY_SIZE(t); i++) {
		s = nt_snapshot_new();
		l = nt_snapshot_add_link(s, "eth0");
		nt_fact_text(s, l, NT_FACT_TEXT, "link.driver", "igb");
		nt_fact_int(s, l, "link.speed", NT_UNIT_MBPS, t[i].speed);
		nt_fact_text(s, l, NT_FACT_TEXT, "link.duplex", t[i].duplex);
		nt_fact_text(s, l, NT_FACT_LIST, "link.advertise", t[i].ours);
		if (t[i].peers)
			nt_fact_text(s, l, NT_FACT_LIST, "link.peer-advertise", t[i].peers);
		nt_snapshot_seal(s);
		nt_derive(s);
		assert_float_equal(value(s, "eth0", "link.speed_common"), t[i].common, 0);
		assert_float_equal(value(s, "eth0", "link.speed_best"), t[i].best, 0);
		assert_float_equal(value(s, "eth0", "link.sound"), t[i].sound, 0);
		nt_snapshot_free(s);
	}
}

static void upstream_release(void **state)
{
	static const struct {
		const char *release, *build, *signature, *want;
	} t[] = {
		{ "6.1.3", NULL, NULL, "6.1.3" },
		{ "6.18.0", NULL, NULL, "6.18.0" },
		{ "6.18.44-fc-v595", "#1 SMP", NULL, "6.18.44" },
		{ "6.1.0-57-amd64", "#1 SMP Debian 6.1.192-3 (2026-09-30)", NULL, "6.1.192" },
		{ "6.1.0-57-amd64", NULL, NULL, NULL },
		{ "3.11-2-amd64", NULL, NULL, NULL },
		{ "5.15.0-101-generic", "#111-Ubuntu SMP", "Ubuntu 5.15.0-101.111-generic 5.15.143",
			"5.15.143" },
		{ "5.14.0-503.el9.x86_64", NULL, NULL, NULL },
		{ "4.18.20-1.el8.x86_64", NULL, NULL, NULL },
		{ "7.0.0-rc3", NULL, NULL, "7.0.0-rc3" },
	};
	const struct nt_fact *f;
	struct nt_snapshot *s;
	size_t i;

	(void)state;
	for (i = 0; i < NT_ARRAY_SIZE(t); i++) {
		s = nt_snapshot_new();
		nt_text_kernel_release(s, t[i].release);
		if (t[i].build)
			nt_fact_text(s, &s->host, NT_FACT_TEXT, "kernel.build", t[i].build);
		if (t[i].signature)
			nt_fact_text(s, &s->host, NT_FACT_TEXT, "kernel.signature", t[i].signature);
		nt_snapshot_seal(s);
		nt_derive(s);
		f = nt_scope_get(s, &s->host, "kernel.upstream");
		assert_non_null(f);
		if (t[i].want)
			assert_string_equal(f->v.s, t[i].want);
		else
			assert_int_equal(f->type, NT_FACT_ABSENT);
		nt_snapshot_free(s);
	}
}

static void driver_defaults(void **state)
{
	static const struct {
		const char *driver, *kernel, *place;
		int64_t speed;
		int tso4, tso6, gro, rxcsum, hw_csum, ip_csum;
	} t[] = {
		{ "igb", "6.1.3", "0000:02:00.0", 1000, 1, 1, 1, 1, 1, 1 },
		{ "e1000e", "6.1.3", "0000:02:00.0", 1000, 1, 1, 1, 1, 1, 1 },
		{ "e1000e", "6.1.3", "0000:00:1f.6", 1000, 0, 0, 1, 1, 1, 1 },
		{ "e1000e", "6.1.3", "0000:02:00.0", 100, 0, 0, 1, 1, 1, 1 },
		{ "e1000", "6.1.3", "0000:02:00.0", 1000, 1, 0, 1, 0, 1, 1 },
		/* E830: instead of TSO */
		{ "ice", "6.18.4", "0000:02:00.0", 100000, 1, 1, 1, 1, 0, 1 },
		{ "8139cp", "3.17.4", "0000:02:00.0", 100, 0, 0, 1, 1, 0, 0 },
		{ "8139cp", "4.4.186", "0000:02:00.0", 100, 1, 0, 1, 1, 1, 1 },
		{ "r8169", "4.4.186", "0000:02:00.0", 1000, 0, 0, 1, 1, 0, 0 },
		{ "r8169", "6.1.3", "0000:02:00.0", 1000, 0, 0, 1, 1, 1, 1 },
		{ "r8169", "6.18.4", "0000:02:00.0", 1000, 0, 0, 1, 1, 1, 1 },
		{ "nfp", "5.19.4", "0000:02:00.0", 10000, 0, 0, 1, 1, 1, 1 },
		{ "nfp", "6.12.4", "0000:02:00.0", 10000, 1, 1, 1, 1, 1, 1 },
		{ "nicvf", "6.1.3", "0002:01:00.1", 10000, 1, 1, 1, 1, 1, 1 },
		{ "bcmgenet", "5.4.12", NULL, 1000, 0, 0, 1, 0, 0, 0 },
		{ "bcmgenet", "5.10.12", NULL, 1000, 0, 0, 1, 1, 1, 1 },
		{ "macb", "6.18.4", NULL, 1000, 0, 0, 1, 1, 0, 0 },
		{ "rvu-nicpf", "6.1.3", "0002:02:00.0", 10000, 1, 1, 1, 1, 1, 1 },
		{ "veth", "3.8.13", NULL, 10000, 0, 0, 0, 0, 0, 0 },
		{ "veth", "6.1.3", NULL, 10000, 1, 1, 0, 0, 1, 1 },
		{ "st_gmac", "4.4.132", NULL, 1000, 0, 0, 0, 0, 0, 0 },
		{ "st_gmac", "5.10.12", NULL, 1000, 0, 0, 1, 0, 1, 1 },
		{ "never-heard-of", "6.1.3", NULL, 1000, 0, 0, 0, 0, 0, 0 },
	};
	struct nt_snapshot *s;
	struct nt_scope *l;
	size_t i;

	(void)state;
	for (i = 0; i < NT_ARRAY_SIZE(t); i++) {
		s = nt_snapshot_new();
		l = nt_snapshot_add_link(s, "eth0");
		nt_text_kernel_release(s, t[i].kernel);
		nt_fact_text(s, l, NT_FACT_TEXT, "link.driver", t[i].driver);
		nt_fact_int(s, l, "link.speed", NT_UNIT_MBPS, t[i].speed);
		if (t[i].place)
			nt_fact_text(s, l, NT_FACT_TEXT, "link.bus_info", t[i].place);
		nt_snapshot_seal(s);
		nt_derive(s);
		assert_float_equal(value(s, "eth0", "driver.enables.tx-tcp-segmentation"),
			t[i].tso4, 0);
		assert_float_equal(value(s, "eth0", "driver.enables.tx-tcp6-segmentation"),
			t[i].tso6, 0);
		assert_float_equal(value(s, "eth0", "driver.enables.rx-gro"), t[i].gro, 0);
		assert_float_equal(value(s, "eth0", "driver.enables.rx-checksum"), t[i].rxcsum, 0);
		assert_float_equal(value(s, "eth0", "driver.enables.tx-checksum-ip-generic"),
			t[i].hw_csum, 0);
		assert_float_equal(value(s, "eth0", "driver.enables.tx-checksum-ipv4"),
			t[i].ip_csum, 0);
		nt_snapshot_free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(log_lines),
		cmocka_unit_test(log_of_the_kernel),
		cmocka_unit_test(log_of_programs),
		cmocka_unit_test(log_traces),
		cmocka_unit_test(ring_drops_by_driver),
		cmocka_unit_test(speeds_and_soundness),
		cmocka_unit_test(upstream_release),
		cmocka_unit_test(driver_defaults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
