/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text of the kernel's files into facts; facts derived from facts; rates. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "nettune/buf.h"
#include "nettune/fact.h"
#include "nettune/fact_text.h"

static const struct nt_fact *host(const struct nt_snapshot *s, const char *name)
{
	const struct nt_fact *f = nt_scope_get(s, &s->host, name);

	if (!f)
		print_message("# no fact %s\n", name);
	return f;
}

static void assert_int(const struct nt_snapshot *s, const char *name, int64_t want)
{
	const struct nt_fact *f = host(s, name);

	assert_non_null(f);
	assert_int_equal(f->type, NT_FACT_INT);
	assert_int_equal(f->v.i, want);
}

static void assert_text(const struct nt_snapshot *s, const char *name, const char *want)
{
	const struct nt_fact *f = host(s, name);

	assert_non_null(f);
	assert_string_equal(f->v.s, want);
}

/* ---- protocol counters --------------------------------------------------------------- */

static void snmp_pairs(void **state)
{
	struct nt_snapshot *s = nt_snapshot_new();

	(void)state;
	nt_text_snmp(s, "Ip: Forwarding InReceives\n"
			"Ip: 2 18446744073709551615\n"
			"Tcp: RtoMin MaxConn RetransSegs Late\n"
			"Tcp: 200 -1 15575\n"
			"Odd: A B\n"
			"Udp: InDatagrams RcvbufErrors\n"
			"Udp: 735086502 33475\n");
	nt_snapshot_seal(s);
	assert_int(s, "snmp.Ip.Forwarding", 2);
	assert_int(s, "snmp.Ip.InReceives", INT64_MAX);
	assert_int(s, "snmp.Tcp.MaxConn", -1);
	assert_int(s, "snmp.Tcp.RetransSegs", 15575);
	assert_int(s, "snmp.Udp.RcvbufErrors", 33475);
	assert_null(nt_scope_get(s, &s->host, "snmp.Tcp.Late"));
	assert_null(nt_scope_get(s, &s->host, "snmp.Odd.A"));
	assert_int_equal(host(s, "snmp.Udp.InDatagrams")->unit, NT_UNIT_PACKETS);
	nt_snapshot_free(s);
}

static void snmp_of_nothing(void **state)
{
	static const char *const texts[] = { "", "\n", "Tcp:", "Tcp: A\n", "Tcp: A\nTcp:\n",
		"Tcp: A\nUdp: 1\n", "Tcp: A\nTcp: x\n", "\n\n: A\n: 1\n" };
	size_t i;

	(void)state;
	for (i = 0; i < NT_ARRAY_SIZE(texts); i++) {
		struct nt_snapshot *s = nt_snapshot_new();

		nt_text_snmp(s, texts[i]);
		nt_text_snmp6(s, texts[i]);
		nt_text_sockstat(s, texts[i]);
		nt_text_softnet(s, texts[i]);
		nt_text_stat_table(s, "conntrack", texts[i]);
		nt_snapshot_seal(s);
		assert_int_equal(s->host.n, 0);
		nt_snapshot_free(s);
	}
}

static void snmp6_and_sockstat(void **state)
{
	struct nt_snapshot *s = nt_snapshot_new();

	(void)state;
	nt_text_snmp6(s, "Ip6InReceives                   \t41\n"
			 "UdpLite6InErrors                \t3\n"
			 "Icmp6OutType133                 \t7\n");
	nt_text_sockstat(s, "sockets: used 166\n"
			    "TCP: inuse 5 orphan 1 tw 2 alloc 9 mem 3\n"
			    "FRAG: inuse 0 memory 4096\n");
	nt_snapshot_seal(s);
	assert_int(s, "snmp.Ip6.InReceives", 41);
	assert_int(s, "snmp.UdpLite6.InErrors", 3);
	assert_int(s, "snmp.Icmp6.OutType133", 7);
	assert_int(s, "sockstat.sockets.used", 166);
	assert_int(s, "sockstat.TCP.tw", 2);
	assert_int(s, "sockstat.TCP.mem", 3);
	assert_int_equal(host(s, "sockstat.TCP.mem")->unit, NT_UNIT_PAGES);
	assert_int_equal(host(s, "sockstat.FRAG.memory")->unit, NT_UNIT_BYTES);
	nt_snapshot_free(s);
}

/* A line of softnet_stat as a kernel with that many columns prints it. */
static void softnet_line(struct nt_buf *b, int columns, unsigned base)
{
	int i;

	for (i = 0; i < columns; i++)
		nt_buf_addf(b, "%08x%s", i == 12 ? 0 : base + (unsigned)i,
			i + 1 < columns ? " " : "\n");
}

static void softnet_columns_by_kernel(void **state)
{
	/* 2.6.28 has 9, 3.10 10, 3.11 to 4.4 11, 5.10 13, 6.12 and later 15 */
	static const int columns[] = { 9, 10, 11, 13, 15 };
	size_t i;

	(void)state;
	for (i = 0; i < NT_ARRAY_SIZE(columns); i++) {
		struct nt_snapshot *s = nt_snapshot_new();
		struct nt_buf b = { 0 };
		int n = columns[i];

		softnet_line(&b, n, 0x10);
		softnet_line(&b, n, 0x100);
		assert_int_equal(nt_text_softnet(s, nt_buf_str(&b)), 2);
		nt_snapshot_seal(s);
		assert_int(s, "softnet.cpus", 2);
		assert_int(s, "softnet.processed", 0x110);
		assert_int(s, "softnet.dropped", 0x112);
		assert_int(s, "softnet.time_squeeze", 0x114);
		if (n >= 10)
			assert_int(s, "softnet.received_rps", 0x110 + 2 * 9);
		else
			assert_null(nt_scope_get(s, &s->host, "softnet.received_rps"));
		if (n >= 11)
			assert_int(s, "softnet.flow_limit", 0x110 + 2 * 10);
		else
			assert_null(nt_scope_get(s, &s->host, "softnet.flow_limit"));
		if (n >= 13)
			assert_int(s, "softnet.backlog", 0x110 + 2 * 11);
		else
			assert_null(nt_scope_get(s, &s->host, "softnet.backlog"));
		nt_buf_free(&b);
		nt_snapshot_free(s);
	}
}

static void stat_tables(void **state)
{
	struct nt_snapshot *s = nt_snapshot_new();

	(void)state;
	nt_text_stat_table(s, "conntrack",
		"entries  clashres found insert_failed drop early_drop\n"
		"0000000a  00000000 00000001 00000002 0000000f 00000000\n"
		"0000000a  00000000 00000001 00000003 00000001 00000000\n");
	nt_snapshot_seal(s);
	assert_int(s, "conntrack.entries", 10); /* repeated, not summed */
	assert_int(s, "conntrack.found", 2);
	assert_int(s, "conntrack.insert_failed", 5);
	assert_int(s, "conntrack.drop", 16);
	nt_snapshot_free(s);
}

/* ---- sysctls ------------------------------------------------------------------------- */

static void sysctl_values(void **state)
{
	struct nt_snapshot *s = nt_snapshot_new();

	(void)state;
	assert_true(nt_text_sysctl(s, "net.ipv4.tcp_rmem", "4096\t131072\t6291456"));
	assert_true(nt_text_sysctl(s, "net.ipv4.tcp_mem", "287901 383869  575802 "));
	assert_true(nt_text_sysctl(s, "net.ipv4.ip_local_port_range", "32768\t60999"));
	assert_true(nt_text_sysctl(s, "net.core.default_qdisc", "fq_codel"));
	assert_true(nt_text_sysctl(s, "net.ipv4.tcp_available_congestion_control", "reno"));
	assert_true(nt_text_sysctl(s, "net.ipv4.tcp_notsent_lowat", "4294967295"));
	assert_true(nt_text_sysctl(s, "net.ipv4.ip_local_reserved_ports", ""));
	assert_true(nt_text_sysctl(s, "net.unheard.of", "-7"));
	nt_snapshot_seal(s);
	assert_int(s, "sysctl.net.ipv4.tcp_rmem.min", 4096);
	assert_int(s, "sysctl.net.ipv4.tcp_rmem.default", 131072);
	assert_int(s, "sysctl.net.ipv4.tcp_rmem.max", 6291456);
	assert_text(s, "sysctl.net.ipv4.tcp_rmem", "4096 131072 6291456");
	assert_int_equal(host(s, "sysctl.net.ipv4.tcp_rmem")->type, NT_FACT_LIST);
	assert_int(s, "sysctl.net.ipv4.tcp_mem.max", 575802);
	assert_int_equal(host(s, "sysctl.net.ipv4.tcp_mem.max")->unit, NT_UNIT_PAGES);
	assert_text(s, "sysctl.net.ipv4.tcp_mem", "287901 383869 575802");
	assert_int(s, "sysctl.net.ipv4.ip_local_port_range.max", 60999);
	assert_text(s, "sysctl.net.core.default_qdisc", "fq_codel");
	assert_int_equal(host(s, "sysctl.net.ipv4.tcp_available_congestion_control")->type,
		NT_FACT_LIST);
	assert_int(s, "sysctl.net.ipv4.tcp_notsent_lowat", 4294967295LL);
	assert_text(s, "sysctl.net.ipv4.ip_local_reserved_ports", "");
	assert_int(s, "sysctl.net.unheard.of", -7);
	nt_snapshot_free(s);
}

static void secrets_are_refused(void **state)
{
	static const char *const names[] = { "net.ipv4.tcp_fastopen_key",
		"net.core.netdev_rss_key", "net.ipv6.conf.all.stable_secret",
		"net.ipv6.conf.eth0/5.stable_secret", "kernel.hostname", "" };
	struct nt_snapshot *s = nt_snapshot_new();
	size_t i;

	(void)state;
	for (i = 0; i < NT_ARRAY_SIZE(names); i++)
		assert_false(nt_text_sysctl(s, names[i], "00:11"));
	nt_snapshot_seal(s);
	assert_int_equal(s->host.n, 0);
	nt_snapshot_free(s);
}

/* ---- derived ------------------------------------------------------------------------- */

static struct nt_snapshot *of_kernel(const char *release)
{
	struct nt_snapshot *s = nt_snapshot_new();

	nt_text_kernel_release(s, release);
	nt_snapshot_seal(s);
	nt_derive(s);
	return s;
}

static void tsq_role_by_version(void **state)
{
	/* both sides of every boundary; NULL: not known */
	static const struct {
		const char *release, *role;
	} want[] = {
		{ "2.6.32-754.el6.x86_64", NULL }, { "3.2.0-4-amd64", NULL }, { "3.5.7", NULL },
		{ "3.6-rc1", "limit" }, { "3.6.0", "limit" }, { "3.10.0", "limit" },
		{ "3.10.17", "limit" }, { "3.10.18", "none" }, { "3.10.20", "none" },
		{ "3.10.22", "none" }, { "3.10.23", "floor" }, { "3.10.108", "floor" },
		{ "3.11", "limit" }, { "3.11.0", "limit" }, { "3.11.6", "limit" },
		{ "3.11.7", "none" }, { "3.11.10", "none" }, { "3.11.10-1", "none" },
		{ "3.12-rc3", "limit" }, { "3.12-rc4", "none" }, { "3.12", "none" },
		{ "3.12.0", "none" }, { "3.12.3", "none" }, { "3.12.4", "floor" },
		{ "3.12.74", "floor" }, { "3.13-rc1", "floor" }, { "3.13.0", "floor" },
		{ "3.18.140", "floor" }, { "3.19-rc1", "ceiling" }, { "3.19.0", "ceiling" },
		{ "4.4.186", "ceiling" }, { "4.20.17", "ceiling" },
		{ "5.0-rc1", "ceiling-unpaced" }, { "5.0.0", "ceiling-unpaced" },
		{ "5.10.262", "ceiling-unpaced" }, { "6.1.0-18-amd64", "ceiling-unpaced" },
		{ "6.15.11", "ceiling-unpaced" }, { "6.16-rc1", "ceiling" },
		{ "6.16.0", "ceiling" }, { "6.18.44-fc-v595", "ceiling" },
		{ "7.3.4", "ceiling" }, { "3.10.0-862.11.6.el7.x86_64", NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < NT_ARRAY_SIZE(want); i++) {
		struct nt_snapshot *s = of_kernel(want[i].release);
		const struct nt_fact *f = nt_scope_get(s, &s->host, "tsq.role");

		assert_non_null(f);
		if (want[i].role && strcmp(f->v.s, want[i].role) != 0)
			fail_msg("%s: %s, not %s", want[i].release, f->v.s, want[i].role);
		if (!want[i].role)
			assert_int_equal(f->type, NT_FACT_ABSENT);
		nt_snapshot_free(s);
	}
}

static void tsq_default_by_version(void **state)
{
	static const struct {
		const char *release;
		int64_t bytes;
	} want[] = {
		{ "3.6.0", 131072 }, { "4.1.52", 131072 }, { "4.2-rc1", 262144 },
		{ "4.20.17", 262144 }, { "5.0.0", 1048576 }, { "6.12.117", 1048576 },
		{ "6.15.11", 1048576 }, { "6.16.0", 4194304 }, { "7.3.4", 4194304 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < NT_ARRAY_SIZE(want); i++) {
		struct nt_snapshot *s = of_kernel(want[i].release);

		assert_int(s, "tsq.limit_default", want[i].bytes);
		nt_snapshot_free(s);
	}
}

static void forwarding_needs_both_for_no(void **state)
{
	struct nt_snapshot *s = nt_snapshot_new();

	(void)state;
	nt_text_sysctl(s, "net.ipv4.ip_forward", "0");
	nt_snapshot_seal(s);
	nt_derive(s);
	assert_null(nt_scope_get(s, &s->host, "host.forwarding"));
	assert_false(host(s, "host.forwarding.ipv4")->v.i);
	nt_snapshot_unseal(s);
	nt_text_sysctl(s, "net.ipv6.conf.all.forwarding", "1");
	nt_snapshot_seal(s);
	nt_derive(s);
	assert_true(host(s, "host.forwarding")->v.i);
	assert_true(host(s, "host.forwarding.ipv6")->v.i);
	nt_snapshot_free(s);
}

static void roles_of_links(void **state)
{
	static const struct {
		const char *fact, *value, *role;
		bool is_virtual;
	} want[] = {
		{ "link.kind", "veth", "veth", true },
		{ "link.kind", "macvlan", "stacked", true },
		{ "link.kind", "bridge", "master", true },
		{ "link.kind", "ip6gretap", "tunnel", true },
		{ "link.kind", "dummy", "other", true },
		{ "link.driver", "ixgbe", "physical", false },
		{ "link.driver", "virtio_net", "paravirtual", false },
		{ "link.driver", "802.1Q VLAN Support", "stacked", true },
		{ "link.bus", "platform", "physical", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < NT_ARRAY_SIZE(want); i++) {
		struct nt_snapshot *s = nt_snapshot_new();
		struct nt_scope *l = nt_snapshot_add_link(s, "x0");

		nt_fact_text(s, l, NT_FACT_TEXT, want[i].fact, want[i].value);
		nt_snapshot_seal(s);
		nt_derive(s);
		assert_string_equal(nt_scope_get(s, l, "link.role")->v.s, want[i].role);
		assert_int_equal(nt_scope_get(s, l, "link.virtual")->v.i, want[i].is_virtual);
		nt_snapshot_free(s);
	}
}

/* ---- rates --------------------------------------------------------------------------- */

static void rates_of_what_counts(void **state)
{
	struct nt_snapshot *a = nt_snapshot_new(), *b = nt_snapshot_new();
	struct nt_scope *gone = nt_snapshot_add_link(a, "gone0"),
			*l = nt_snapshot_add_link(a, "eth0"),
			*m = nt_snapshot_add_link(b, "eth0"),
			*came = nt_snapshot_add_link(b, "came0"),
			*was = nt_snapshot_add_link(a, "eth1"), /* renamed, and its name given */
			*is = nt_snapshot_add_link(b, "eth1");	/* to another */
	const struct nt_fact *f;

	(void)state;
	nt_fact_int(a, gone, "stat.x", NT_UNIT_NONE, 1);
	nt_fact_int(a, gone, "stats64.rx_packets", NT_UNIT_PACKETS, 1);
	nt_fact_int(b, came, "stat.x", NT_UNIT_NONE, 1);
	nt_fact_int(a, was, "link.ifindex", NT_UNIT_NONE, 3);
	nt_fact_int(a, was, "stat.x", NT_UNIT_NONE, 1);
	nt_fact_int(b, is, "link.ifindex", NT_UNIT_NONE, 4);
	nt_fact_int(b, is, "stat.x", NT_UNIT_NONE, 2);
	nt_fact_int(a, l, "link.ifindex", NT_UNIT_NONE, 2);
	nt_fact_int(b, m, "link.ifindex", NT_UNIT_NONE, 2);
	nt_fact_int(a, l, "stat.x", NT_UNIT_NONE, 100);
	nt_fact_int(b, m, "stat.only_later", NT_UNIT_NONE, 5);
	nt_fact_int(b, m, "stat.x", NT_UNIT_NONE, 150);
	nt_fact_int(a, l, "stats64.rx_bytes", NT_UNIT_BYTES, 1000);
	nt_fact_int(b, m, "stats64.rx_bytes", NT_UNIT_BYTES, 6000);
	nt_fact_int(a, l, "stats64.rx_missed_errors", NT_UNIT_NONE, 9);
	nt_fact_int(b, m, "stats64.rx_missed_errors", NT_UNIT_NONE, 3);
	nt_fact_int(a, l, "link.mtu", NT_UNIT_BYTES, 1500);
	nt_fact_int(b, m, "link.mtu", NT_UNIT_BYTES, 9000);
	nt_fact_int(a, &a->host, "snmp.Tcp.CurrEstab", NT_UNIT_NONE, 1);
	nt_fact_int(b, &b->host, "snmp.Tcp.CurrEstab", NT_UNIT_NONE, 2);
	nt_fact_int(a, &a->host, "snmp.Tcp.OutSegs", NT_UNIT_PACKETS, 1);
	nt_fact_int(b, &b->host, "snmp.Tcp.OutSegs", NT_UNIT_PACKETS, 2);
	nt_snapshot_seal(a);
	nt_snapshot_seal(b);
	nt_fact_rates(a, b, 0.5);
	f = nt_scope_get(a, l, "rate.stat.x");
	assert_int_equal(f->type, NT_FACT_REAL);
	assert_int_equal(f->unit, NT_UNIT_PER_S);
	assert_true(f->v.r == 100.0);
	f = nt_scope_get(a, l, "rate.stats64.rx_bytes"); /* in bit/s */
	assert_int_equal(f->unit, NT_UNIT_BPS);
	assert_true(f->v.r == 80000.0);
	f = nt_scope_get(a, l, "rate.stats64.rx_missed_errors");
	assert_int_equal(f->type, NT_FACT_ABSENT);
	assert_null(nt_scope_get(a, l, "rate.link.mtu"));
	assert_null(nt_scope_get(a, l, "rate.stat.only_later"));
	assert_string_equal(nt_scope_get(a, gone, "rate.stat.x")->v.s,
		"the link was gone at the second reading");
	assert_string_equal(nt_scope_get(a, was, "rate.stat.x")->v.s,
		"the link was gone at the second reading");
	assert_null(nt_scope_get(a, was, "rate.link.ifindex"));
	a->interval_s = 0.5;
	nt_derive(a);
	assert_string_equal(nt_scope_get(a, gone, "rate.rx.packets")->v.s,
		"the link was gone at the second reading");
	assert_true(nt_scope_get(a, &a->host, "rate.snmp.Tcp.OutSegs")->v.r == 2.0);
	assert_null(nt_scope_get(a, &a->host, "rate.snmp.Tcp.CurrEstab"));
	assert_int_equal(nt_scope_get(a, l, "stat.x")->v.i, 100);
	nt_snapshot_free(a);
	nt_snapshot_free(b);
}

/* ---- catalogue ----------------------------------------------------------------------- */

static void catalogue_is_sound(void **state)
{
	size_t n, n_exact, i;
	const struct nt_catalogue_row *rows = nt_catalogue(&n);

	(void)state;
	assert_ptr_equal(nt_catalogue_exact(&n_exact), rows);
	for (i = 0; i < n; i++) {
		assert_true(*rows[i].meaning && *rows[i].source);
		assert_null(strpbrk(rows[i].meaning, "\n\\")); /* goes into a man page */
		if (i && i < n_exact && strcmp(rows[i - 1].name, rows[i].name) >= 0)
			fail_msg("%s is out of order", rows[i].name);
		if (i < n_exact)
			assert_null(strpbrk(rows[i].name, "*?["));
		/* a row that another one hides is of no use */
		if (nt_catalogue_find(rows[i].name) != &rows[i])
			fail_msg("%s is hidden by %s", rows[i].name,
				nt_catalogue_find(rows[i].name)->name);
	}
	assert_null(nt_catalogue_find("no.such"));
	assert_string_equal(nt_catalogue_find("feature.rx-lro.fixed")->name,
		"feature.*.fixed");
	assert_string_equal(nt_catalogue_find("feature.rx-lro")->name, "feature.*");
	assert_int_equal(nt_catalogue_find("coalesce.rx-usecs-high")->unit, NT_UNIT_US);
	assert_int_equal(nt_catalogue_find("ring.rx-jumbo.max")->unit, NT_UNIT_PACKETS);
	assert_string_equal(nt_catalogue_find("stat.Queue[0] Restarts")->name, "stat.*");
	assert_string_equal(nt_catalogue_find("rate.stats64.rx_dropped")->name,
		"rate.stats64.*");
}

static void names_that_are_made(void **state)
{
	static const char *const made[] = { "link.mdix", "link.pcie.width.max", "link.lanes",
		"coalesce.rx-usecs-high", "coalesce.*-irq", "ring.rx-jumbo.max",
		"channels.combined.max", "pause.autoneg", "eee.tx-lpi-timer", "fec.auto",
		"stats64.rx_nohandler", "rate.stats64.rx_dropped", "rate.qdisc.drops",
		"rate.softnet.dropped", "probe.throughput", "tcp.busy", "rate.irq.interrupts",
		"stat.anything", "rate.stat.any thing", "feature.to-come", "snmp.TcpExt.New",
		"sysctl.net.core.new" };
	static const char *const not_made[] = { "link.txqueuelem", "link.foo*", "coalesce.rx-usec",
		"ring.rxx", "channels.combined.min", "pause.tx-negotiated", "eee.on", "fec.mode",
		"stats64.rx_drop", "rate.stats64.rx_drop", "rate.qdisc.dropt",
		"rate.softnet.dropt", "probe.through", "path.rtt", "tcp.busy_pct", "no.such" };
	static const char *const sysctls[] = { "sysctl.net.ipv4.tcp_rmem.max",
		"sysctl.net.ipv4.tcp_rmem", "sysctl.net.ipv4.conf.eth0/1.rp_filter",
		"sysctl.net.ipv6.neigh.default.gc_thresh3", "sysctl.net.sctp.rto_min",
		"sysctl.net.netfilter.nf_conntrack_max", "sysctl.net.ipv4.tcp_mem.min",
		"sysctl.net.core.somaxconn", "sysctl.net.ipv4.tcp_tw_recycle", "link.speed" };
	static const char *const no_sysctls[] = { "sysctl.net.ipv4.tcp_rmen.max",
		"sysctl.net.core.tcp_rmem", "sysctl.net.ipv4.min", "sysctl.net.", "sysctl.net.ipv4",
		"sysctl.net.max", "sysctl.net..max" };
	size_t i;

	(void)state;
	for (i = 0; i < NT_ARRAY_SIZE(made); i++)
		if (!nt_catalogue_made(made[i]))
			fail_msg("%s is not made", made[i]);
	for (i = 0; i < NT_ARRAY_SIZE(not_made); i++)
		if (nt_catalogue_made(not_made[i]))
			fail_msg("%s is made", not_made[i]);
	for (i = 0; i < NT_ARRAY_SIZE(sysctls); i++)
		if (!nt_sysctl_known(sysctls[i]))
			fail_msg("%s is not known", sysctls[i]);
	for (i = 0; i < NT_ARRAY_SIZE(no_sysctls); i++)
		if (nt_sysctl_known(no_sysctls[i]))
			fail_msg("%s is known", no_sysctls[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(snmp_pairs),
		cmocka_unit_test(snmp_of_nothing),
		cmocka_unit_test(snmp6_and_sockstat),
		cmocka_unit_test(softnet_columns_by_kernel),
		cmocka_unit_test(stat_tables),
		cmocka_unit_test(sysctl_values),
		cmocka_unit_test(secrets_are_refused),
		cmocka_unit_test(tsq_role_by_version),
		cmocka_unit_test(tsq_default_by_version),
		cmocka_unit_test(forwarding_needs_both_for_no),
		cmocka_unit_test(roles_of_links),
		cmocka_unit_test(rates_of_what_counts),
		cmocka_unit_test(catalogue_is_sound),
		cmocka_unit_test(names_that_are_made),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
