/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "nettune/mem.h"
#include "nettune/tunable.h"

static void ids_are_unique_and_described(void **state)
{
	size_t n, i, k;
	const struct nt_tunable *v = nt_tunables(&n);

	(void)state;
	assert_true(n > 60);
	for (i = 0; i < n; i++) {
		assert_true(v[i].summary && *v[i].summary);
		assert_true(strlen(v[i].summary) < 80);
		assert_non_null(nt_name_of(nt_risk_names, v[i].risk));
		assert_non_null(nt_name_of(nt_tunable_kind_names, v[i].kind));
		for (k = 0; k < i; k++)
			assert_string_not_equal(v[i].name, v[k].name);
		/* a row that an earlier family hides would be dead */
		if (!strchr(v[i].name, '*'))
			assert_ptr_equal(nt_tunable_find(v[i].name), &v[i]);
	}
}

static void finds(void **state)
{
	static const struct {
		const char *name, *row;
	} t[] = {
		{ "feature.tx-tcp-segmentation", "feature.tx-tcp-segmentation" },
		{ "feature.esp-hw-offload", "feature.*" },
		{ "feature.rx-lro.fixed", NULL },
		{ "ring.rx.max", NULL },
		{ "link.mtu.max", NULL },
		{ "link.speed", NULL },
		{ "sysctl.net.ipv4.tcp_wmem.max", "sysctl.net.ipv4.tcp_wmem.max" },
		{ "bql.tx-3.limit_max", "bql.tx-*.limit_max" },
		{ "sysctl.net.ipv4.tcp_fastopen_key", NULL },
		{ "sysctl.net.ipv6.conf.eth0.stable_secret", NULL },
		{ "sysctl.net.core.netdev_rss_key", NULL },
		{ "sysctl.vm.swappiness", NULL },
		{ "sysctl.net.ipv4.tcp_frto", "sysctl.net.*" },
		{ "irq.125.affinity", "irq.*.affinity" },
		{ "stat.rx_missed_errors", NULL },
		{ "", NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < NT_ARRAY_SIZE(t); i++) {
		const struct nt_tunable *row = nt_tunable_find(t[i].name);

		if (t[i].row) {
			assert_non_null(row);
			assert_string_equal(row->name, t[i].row);
		} else {
			assert_null(row);
		}
	}
}

static void sysctl_names(void **state)
{
	static const struct {
		const char *name, *path;
		int index, n;
	} t[] = {
		{ "sysctl.net.ipv4.tcp_rmem.max", "net/ipv4/tcp_rmem", 2, 3 },
		{ "sysctl.net.ipv4.tcp_mem.default", "net/ipv4/tcp_mem", 1, 3 },
		{ "sysctl.net.ipv4.tcp_rmem", "net/ipv4/tcp_rmem", -1, 3 },
		{ "sysctl.net.ipv4.ping_group_range.min", "net/ipv4/ping_group_range", 0, 2 },
		{ "sysctl.net.core.somaxconn", "net/core/somaxconn", -1, 1 },
		{ "sysctl.net.ipv4.conf.eth0/100.rp_filter", "net/ipv4/conf/eth0.100/rp_filter",
			-1, 1 },
		{ "sysctl.net.ipv4.tcp_rmem.most", NULL, 0, -EINVAL },
		{ "sysctl.net.//.//.etc", NULL, 0, -EINVAL },
		{ "sysctl.net...x", NULL, 0, -EINVAL },
		{ "sysctl.net./.x", NULL, 0, -EINVAL },
		{ "sysctl.net.", NULL, 0, -EINVAL },
		{ "feature.rx-gro", NULL, 0, -EINVAL },
	};
	char path[64];
	size_t i;
	int index;

	(void)state;
	for (i = 0; i < NT_ARRAY_SIZE(t); i++) {
		assert_int_equal(nt_tunable_sysctl(t[i].name, path, sizeof path, &index), t[i].n);
		if (t[i].n < 0)
			continue;
		assert_string_equal(path, t[i].path);
		assert_int_equal(index, t[i].index);
	}
	assert_int_equal(nt_tunable_sysctl(t[0].name, path, 17, &index), -EINVAL);
}

#define INT(v_) { .type = NT_FACT_INT, .v.i = v_ }
#define SWITCH(v_) { .type = NT_FACT_SWITCH, .v.i = v_ }
#define TEXT(v_) { .type = NT_FACT_TEXT, .v.s = v_ }

static void commands(void **state)
{
	static const struct {
		const char *tunable;
		struct nt_fact to;
		const char *link, *want;
	} t[] = {
		{ "feature.tx-tcp-segmentation", SWITCH(1), "eth0",
			"ethtool -K eth0 tx-tcp-segmentation on" },
		{ "feature.rx-gro", SWITCH(0), "eth0", "ethtool -K eth0 gro off" },
		{ "coalesce.rx-usecs", INT(50), "eth0", "ethtool -C eth0 rx-usecs 50" },
		{ "ring.rx", INT(4096), "enp3s0f0", "ethtool -G enp3s0f0 rx 4096" },
		{ "channels.combined", INT(4), "eth0", "ethtool -L eth0 combined 4" },
		{ "pause.rx", SWITCH(1), "eth0", "ethtool -A eth0 rx on" },
		{ "eee.enabled", SWITCH(0), "eth0", "ethtool --set-eee eth0 eee off" },
		{ "eee.tx-lpi-timer", INT(17), "eth0", "ethtool --set-eee eth0 tx-timer 17" },
		{ "link.mtu", INT(9000), "eth0", "ip link set dev eth0 mtu 9000" },
		{ "link.txqueuelen", INT(500), "$(reboot)",
			"ip link set dev '$(reboot)' txqueuelen 500" },
		{ "qdisc.root", TEXT("fq"), "eth0", "tc qdisc replace dev eth0 root fq" },
		{ "sysctl.net.ipv4.tcp_congestion_control", TEXT("bbr"), "",
			"sysctl -w net.ipv4.tcp_congestion_control=bbr" },
		{ "sysctl.net.ipv4.tcp_rmem.max", INT(8388608), NULL,
			"sysctl -w net.ipv4.tcp_rmem=\"4096 131072 8388608\"" },
		{ "sysctl.net.ipv4.tcp_wmem.max", INT(8388608), NULL,
			"sysctl -w net.ipv4.tcp_wmem=\"$(awk '{print $1}' "
			"/proc/sys/net/ipv4/tcp_wmem) $(awk '{print $2}' "
			"/proc/sys/net/ipv4/tcp_wmem) 8388608\"" },
		{ "rps.rx-0", TEXT("f"), "e'0", "echo f > "
			"'/sys/class/net/e'\\''0/queues/rx-0/rps_cpus'" },
		{ "xps.tx-1", TEXT("2"), "eth0",
			"echo 2 > /sys/class/net/eth0/queues/tx-1/xps_cpus" },
		{ "irq.125.affinity", TEXT("0-1"), "eth0",
			"echo 0-1 > /proc/irq/125/smp_affinity_list" },
		{ "link.gro_flush_timeout", INT(20000), "eth0",
			"echo 20000 > /sys/class/net/eth0/gro_flush_timeout" },
		{ "bql.tx-0.limit_max", INT(30000), "eth0", "echo 30000 > "
			"/sys/class/net/eth0/queues/tx-0/byte_queue_limits/limit_max" },
	};
	struct nt_snapshot *s = nt_snapshot_new();
	size_t i;

	(void)state;
	nt_fact_int(s, &s->host, "sysctl.net.ipv4.tcp_rmem.min", NT_UNIT_BYTES, 4096);
	nt_fact_int(s, &s->host, "sysctl.net.ipv4.tcp_rmem.default", NT_UNIT_BYTES, 131072);
	nt_fact_int(s, &s->host, "sysctl.net.ipv4.tcp_rmem.max", NT_UNIT_BYTES, 6291456);
	nt_snapshot_seal(s);
	for (i = 0; i < NT_ARRAY_SIZE(t); i++) {
		struct nt_assign a = { t[i].tunable, &t[i].to };
		struct nt_buf b = { 0 };

		nt_tunable_command(&b, s, t[i].link, &a, 1);
		assert_string_equal(nt_buf_str(&b), t[i].want);
		nt_buf_free(&b);
	}
	nt_snapshot_free(s);
}

static void joined(void **state)
{
	struct nt_fact on = SWITCH(1), big = INT(1048576), small = INT(65536);
	struct nt_assign k[] = { { "feature.tx-scatter-gather", &on },
		{ "feature.tx-tcp-segmentation", &on } };
	struct nt_assign w[] = { { "sysctl.net.ipv4.tcp_wmem.min", &small },
		{ "sysctl.net.ipv4.tcp_wmem.default", &small },
		{ "sysctl.net.ipv4.tcp_wmem.max", &big } };
	struct nt_buf b = { 0 };

	(void)state;
	assert_true(nt_tunable_joins(k[0].tunable, k[1].tunable));
	assert_true(nt_tunable_joins(w[0].tunable, w[2].tunable));
	assert_false(nt_tunable_joins(w[0].tunable, "sysctl.net.ipv4.tcp_rmem.min"));
	assert_false(nt_tunable_joins("sysctl.net.core.rmem_max", "sysctl.net.core.rmem_max"));
	assert_false(nt_tunable_joins("rps.rx-0", "rps.rx-1"));
	assert_false(nt_tunable_joins("ring.rx", "channels.rx"));
	nt_tunable_command(&b, NULL, "eth0", k, 2);
	assert_string_equal(nt_buf_str(&b),
		"ethtool -K eth0 tx-scatter-gather on tx-tcp-segmentation on");
	nt_buf_cut(&b, 0);
	nt_tunable_command(&b, NULL, NULL, w, 3);
	assert_string_equal(nt_buf_str(&b), "sysctl -w net.ipv4.tcp_wmem=\"65536 65536 1048576\"");
	nt_buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_are_unique_and_described),
		cmocka_unit_test(finds),
		cmocka_unit_test(sysctl_names),
		cmocka_unit_test(commands),
		cmocka_unit_test(joined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
