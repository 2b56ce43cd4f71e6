/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The live collector over a kernel that this test makes up. */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "nettune/fact.h"
#include "nettune/sys.h"
#include "fact_fixture.h"

static char notes[2048];

static void take_note(void *arg, const char *line)
{
	size_t len = strlen(notes);

	(void)arg;
	snprintf(notes + len, sizeof notes - len, "%s\n", line);
}

static struct nt_snapshot *collect(struct fake *f, const struct nt_collect_opts *opts)
{
	static const struct nt_collect_opts once;
	struct nt_err err = { 0 };
	struct nt_snapshot *s;

	notes[0] = '\0';
	s = nt_collect_live(&f->sys, opts ? opts : &once, take_note, NULL, &err);
	assert_non_null(s);
	assert_true(s->sealed && s->live);
	return s;
}

static const struct nt_fact *fact(const struct nt_snapshot *s, const char *link,
	const char *name)
{
	const struct nt_scope *sc = link ? nt_snapshot_link(s, link) : &s->host;
	const struct nt_fact *f;

	assert_non_null(sc);
	f = nt_scope_get(s, sc, name);
	if (!f)
		fail_msg("%s has no fact %s", link ? link : "the host", name);
	return f;
}

static void assert_absent(const struct nt_snapshot *s, const char *link, const char *name,
	const char *reason)
{
	const struct nt_fact *f = fact(s, link, name);

	if (f->type != NT_FACT_ABSENT)
		fail_msg("%s is known", name);
	assert_string_equal(f->v.s, reason);
}

static void links_and_relatives(void **state)
{
	struct fake f;
	struct nt_snapshot *s;
	struct nt_scope *vlan, *eth0;

	(void)state;
	fake_make(&f);
	s = collect(&f, NULL);
	assert_string_equal(notes, "");
	assert_int_equal(s->n_links, N_LINKS);
	eth0 = nt_snapshot_link(s, "eth0");
	vlan = nt_snapshot_link(s, "eth0.5");
	assert_ptr_equal(vlan->lower, eth0);
	assert_null(nt_snapshot_link(s, "veth0")->lower);
	assert_null(nt_snapshot_link(s, "mv0")->lower);
	assert_string_equal(fact(s, "eth0.5", "link.lower")->v.s, "eth0");
	assert_string_equal(fact(s, "eth0", "link.lower")->v.s, "");
	assert_string_equal(fact(s, "veth0", "link.peer")->v.s, "veth1");
	assert_string_equal(fact(s, "veth0", "link.lower")->v.s, "");
	assert_absent(s, "mv0", "link.lower", "in another network namespace");
	assert_true(eth0->interesting && vlan->interesting);
	assert_false(nt_snapshot_link(s, "lo")->interesting);
	assert_false(nt_snapshot_link(s, "veth1")->interesting);
	assert_string_equal(fact(s, "eth0", "link.addresses")->v.s, "192.0.2.1/24");
	assert_string_equal(fact(s, "veth0", "link.addresses")->v.s, "");
	assert_string_equal(fact(s, "eth0", "link.address")->v.s, "02:00:00:00:00:02");
	assert_string_equal(fact(s, "eth0", "link.role")->v.s, "physical");
	assert_true(fact(s, "veth0", "link.virtual")->v.i);
	assert_string_equal(fact(s, NULL, "tsq.role")->v.s, "ceiling-unpaced");
	nt_snapshot_free(s);
}

static void values_and_reasons(void **state)
{
	struct fake f;
	struct nt_snapshot *s;
	const struct nt_catalogue_row *rows;
	size_t n, i, j;

	(void)state;
	fake_make(&f);
	s = collect(&f, NULL);
	assert_int_equal(fact(s, "eth0", "feature.tx-tcp-segmentation")->v.i, 0);
	assert_int_equal(fact(s, "eth0", "feature.tx-tcp-segmentation.wanted")->v.i, 1);
	assert_int_equal(fact(s, "eth0", "feature.tx-tcp-segmentation.fixed")->v.i, 0);
	assert_int_equal(fact(s, "veth0", "feature.rx-lro.fixed")->v.i, 1);
	assert_int_equal(fact(s, "eth0", "coalesce.rx-usecs")->v.i, 3);
	assert_int_equal(fact(s, "eth0", "coalesce.rx-usecs")->unit, NT_UNIT_US);
	assert_absent(s, "veth0", "coalesce.rx-usecs", "the driver does not report it");
	assert_absent(s, "eth0", "link.speed", "the driver does not know it");
	assert_absent(s, "eth0", "link.duplex", "the driver does not know it");
	assert_absent(s, "eth0", "link.firmware", "the driver does not report it");
	assert_absent(s, "eth0", "rate.stats64.rx_bytes", "needs two readings");
	assert_absent(s, NULL, "tcp.sockets", "the kernel does not list its sockets");
	assert_absent(s, NULL, "sysctl.net.ipv4.tcp_wmem.max", "not in this kernel");
	assert_absent(s, NULL, "sysctl.net.netfilter.nf_conntrack_max",
		"connection tracking is not in use");
	assert_int_equal(fact(s, "eth0", "ring.rx")->type, NT_FACT_ABSENT);
	assert_true(strstr(fact(s, "eth0", "ring.rx")->v.s, "root") ||
		    strstr(fact(s, "eth0", "ring.rx")->v.s, "permit"));
	assert_int_equal(fact(s, "eth0", "stat.rx_missed")->v.i, 10); /* the first of two */
	assert_int_equal(fact(s, "eth0", "stat.Queue[0] Restarts")->v.i, INT64_MAX);
	assert_int_equal(fact(s, "eth0", "stat.pkts rx OOB")->v.i, 7); /* as vmxnet3 indents */
	/* nothing of the catalogue is silently missing */
	rows = nt_catalogue_exact(&n);
	for (i = 0; i < n; i++) {
		if (rows[i].scope == NT_SCOPE_HOST)
			fact(s, NULL, rows[i].name);
		for (j = 0; rows[i].scope == NT_SCOPE_LINK && j < s->n_links; j++)
			fact(s, s->links[j]->name, rows[i].name);
	}
	nt_snapshot_free(s);
}

static void qdisc_trees(void **state)
{
	struct fake f;
	struct nt_snapshot *s;

	(void)state;
	fake_make(&f);
	s = collect(&f, NULL);
	assert_string_equal(fact(s, "eth0", "qdisc.root")->v.s, "mq");
	assert_string_equal(fact(s, "eth0", "qdisc.leaves")->v.s, "fq_codel");
	assert_int_equal(fact(s, "eth0", "qdisc.drops")->v.i, 7);
	assert_string_equal(fact(s, "eth0", "qdisc.ingress")->v.s, "");
	assert_string_equal(fact(s, "veth0", "qdisc.root")->v.s, "htb");
	assert_string_equal(fact(s, "veth0", "qdisc.leaves")->v.s, "pfifo");
	assert_string_equal(fact(s, "veth0", "qdisc.ingress")->v.s, "clsact");
	nt_snapshot_free(s);
	f.no_qdiscs = true;
	s = collect(&f, NULL);
	assert_string_equal(notes, "queueing disciplines: cannot list\n");
	assert_string_equal(fact(s, "eth0", "qdisc.root")->v.s, "noqueue"); /* rtnl's word */
	assert_absent(s, "eth0", "qdisc.drops", "could not be read");
	nt_snapshot_free(s);
}

static void a_failing_device_is_named(void **state)
{
	struct fake f;
	struct nt_snapshot *s;

	(void)state;
	fake_make(&f);
	f.eth0_coalesce_rc = -EIO;
	s = collect(&f, NULL);
	assert_string_equal(notes, "'eth0': coalescing: the device is away\n");
	assert_absent(s, "eth0", "coalesce.rx-usecs", "could not be read");
	assert_absent(s, "veth0", "coalesce.rx-usecs", "the driver does not report it");
	assert_int_equal(fact(s, "veth0", "feature.rx-lro.fixed")->v.i, 1);
	nt_snapshot_free(s);
	f.eth0_coalesce_rc = 0;
	f.features_rc = -EIO;
	s = collect(&f, NULL);
	assert_string_equal(notes, "features: cannot be read\n");
	assert_int_equal(fact(s, "eth0", "coalesce.rx-usecs")->v.i, 3);
	assert_absent(s, "eth0", "feature.*", "could not be read");
	nt_snapshot_free(s);
	f.features_rc = 0;
	f.eth0_driver_rc = -EIO;
	s = collect(&f, NULL);
	assert_string_equal(notes, "'eth0': driver: the driver is away\n");
	assert_absent(s, "eth0", "link.firmware", "could not be read");
	nt_snapshot_free(s);
	f.eth0_driver_rc = 0;
	f.eth0_stats_rc = -EIO;
	s = collect(&f, &(struct nt_collect_opts){ .interval_s = 0.01 });
	assert_string_equal(notes, "'eth0': driver statistics: no counters today\n");
	assert_absent(s, "eth0", "stat.*", "could not be read");
	assert_absent(s, "eth0", "rx.pause_frames", "could not be read");
	assert_null(nt_scope_get(s, nt_snapshot_link(s, "veth0"), "stat.*"));
	nt_snapshot_free(s);
}

static void sysctls(void **state)
{
	static const char *const names[] = { "eth0.5", NULL };
	const struct nt_collect_opts named = { .links = names };
	const struct nt_collect_opts all = { .all_links_conf = true };
	struct fake f;
	struct nt_snapshot *s;

	(void)state;
	fake_make(&f);
	s = collect(&f, NULL);
	assert_false(f.touched_secret);
	assert_int_equal(fact(s, NULL, "sysctl.net.ipv4.tcp_rmem.max")->v.i, 6291456);
	assert_int_equal(fact(s, NULL, "sysctl.net.ipv4.conf.all.rp_filter")->v.i, 2);
	assert_int_equal(fact(s, NULL, "sysctl.net.core.bpf_jit_harden")->type, NT_FACT_ABSENT);
	assert_int_equal(nt_snapshot_id(s, "sysctl.net.ipv4.route.flush"), 0);
	assert_int_equal(nt_snapshot_id(s, "sysctl.net.ipv4.conf.eth0.rp_filter"), 0);
	assert_int_equal(nt_snapshot_id(s, "sysctl.net.ipv4.neigh.eth0.gc_stale_time"), 0);
	nt_snapshot_free(s);
	s = collect(&f, &named);
	assert_int_equal(fact(s, NULL, "sysctl.net.ipv4.conf.eth0/5.rp_filter")->v.i, 0);
	assert_int_equal(nt_snapshot_id(s, "sysctl.net.ipv4.conf.eth0.rp_filter"), 0);
	assert_true(nt_snapshot_link(s, "eth0.5")->interesting);
	assert_false(nt_snapshot_link(s, "eth0")->interesting); /* only what was named */
	nt_snapshot_free(s);
	s = collect(&f, &all);
	assert_int_equal(fact(s, NULL, "sysctl.net.ipv4.conf.eth0.rp_filter")->v.i, 1);
	assert_int_equal(fact(s, NULL, "sysctl.net.ipv4.neigh.eth0.gc_stale_time")->v.i, 60);
	assert_false(f.touched_secret);
	nt_snapshot_free(s);
	/* without the file that only the initial namespace has */
	fake_drop_files(&f, 2);
	s = collect(&f, NULL);
	assert_absent(s, NULL, "sysctl.net.core.netdev_budget", "not in this namespace");
	assert_absent(s, NULL, "sysctl.net.ipv4.tcp_wmem.max", "not in this kernel");
	nt_snapshot_free(s);
}

static void devices(void **state)
{
	static const char *const names[] = { "veth0", NULL };
	const struct nt_collect_opts named = { .links = names };
	struct fake f;
	struct nt_snapshot *s;

	(void)state;
	fake_make(&f);
	s = collect(&f, NULL);
	assert_string_equal(fact(s, "eth0", "link.pci_id")->v.s, "8086:15b8");
	assert_int_equal(fact(s, "eth0", "link.pcie.rate")->v.i, 63008);
	assert_int_equal(fact(s, "eth0", "link.pcie.width")->v.i, 8);
	assert_absent(s, "eth0", "link.pcie.rate.max", "no PCI Express link");
	assert_absent(s, "veth0", "link.pcie.rate", "not a PCI device");
	assert_absent(s, "eth0", "link.numa_node", "the platform does not tell");
	assert_int_equal(nt_snapshot_id(s, "link.pcie.speed.max"), 0);
	assert_int_equal(fact(s, "eth0", "link.gro_flush_timeout")->v.i, 20000);
	assert_string_equal(fact(s, "eth0", "rps.rx-0")->v.s, "f");
	assert_int_equal(fact(s, "eth0", "bql.tx-0.limit")->v.i, 7500);
	assert_absent(s, NULL, "kernel.symbol.mvneta_tx_done_timer_callback",
		"no link uses the driver");
	nt_snapshot_free(s);
	/* sysfs shows another namespace's veth0: it must not be read */
	s = collect(&f, &named);
	assert_null(nt_scope_get(s, nt_snapshot_link(s, "veth0"), "link.gro_flush_timeout"));
	nt_snapshot_free(s);
	f.driver = "mvneta";
	s = collect(&f, NULL);
	assert_true(fact(s, NULL, "kernel.symbol.mvneta_tx_done_timer_callback")->v.i);
	nt_snapshot_free(s);
}

static void two_readings(void **state)
{
	const struct nt_collect_opts twice = { .interval_s = 0.05 };
	struct fake f;
	struct nt_snapshot *s;
	double r;

	(void)state;
	fake_make(&f);
	s = collect(&f, &twice);
	assert_int_equal(f.readings, 2);
	assert_true(s->interval_s >= 0.05);
	r = fact(s, "eth0", "rate.stat.rx_missed")->v.r * s->interval_s;
	assert_true(r > 9.999 && r < 10.001);
	r = fact(s, "veth0", "rate.stats64.rx_packets")->v.r * s->interval_s;
	assert_true(r > 999.9 && r < 1000.1);
	assert_int_equal(fact(s, "eth0", "stats64.rx_packets")->v.i, 1000);
	assert_true(fact(s, NULL, "rate.softnet.dropped")->v.r == 0);
	nt_snapshot_free(s);
}

static void interrupts_and_cpus(void **state)
{
	const struct nt_collect_opts twice = { .interval_s = 0.05 };
	struct fake f;
	struct nt_snapshot *s;
	double r;

	(void)state;
	fake_make(&f);
	s = collect(&f, &twice);
	assert_int_equal(fact(s, "eth0", "irq.count")->v.i, 2);
	assert_string_equal(fact(s, "eth0", "irq.33.affinity")->v.s, "0-3");
	/* what one really uses, and what the other may */
	assert_string_equal(fact(s, "eth0", "irq.cpus")->v.s, "0-2");
	assert_int_equal(fact(s, "eth0", "irq.cpu_count")->v.i, 3);
	assert_false(fact(s, "eth0", "irq.local")->v.i);
	assert_int_equal(fact(s, "eth0", "irq.interrupts")->v.i, 106);
	r = fact(s, "eth0", "rate.irq.interrupts")->v.r * s->interval_s;
	assert_true(r > 59.9 && r < 60.1);
	assert_null(nt_scope_get(s, nt_snapshot_link(s, "veth0"), "irq.count"));
	/* 100 ticks passed, 10 user, 10 system, 20 softirq, 60 idle */
	assert_true(fact(s, NULL, "cpu.busy_pct")->v.r == 40);
	assert_true(fact(s, NULL, "cpu.softirq_pct")->v.r == 20);
	assert_true(fact(s, NULL, "cpu.max_busy_pct")->v.r == 80);
	assert_true(fact(s, NULL, "cpu.max_softirq_pct")->v.r == 40);
	nt_snapshot_free(s);
	/* a device without a bus is found by its name */
	fake_make(&f);
	f.no_bus = true;
	s = collect(&f, NULL);
	assert_int_equal(fact(s, "eth0", "irq.count")->v.i, 2);
	assert_int_equal(fact(s, "eth0", "irq.interrupts")->v.i, 106);
	assert_absent(s, NULL, "cpu.busy_pct", "needs two readings");
	nt_snapshot_free(s);
	snprintf(f.links[ETH0].name, sizeof f.links[ETH0].name, "eth");
	f.readings = 0;
	s = collect(&f, NULL);
	assert_null(nt_scope_get(s, nt_snapshot_link(s, "eth"), "irq.count"));
	nt_snapshot_free(s);
}

static void a_missing_link_is_refused(void **state)
{
	static const char *const names[] = { "eth0", "eth9", NULL };
	const struct nt_collect_opts opts = { .links = names };
	struct nt_err err = { 0 };
	struct fake f;

	(void)state;
	fake_make(&f);
	assert_null(nt_collect_live(&f.sys, &opts, NULL, NULL, &err));
	assert_int_equal(err.code, -ENODEV);
	assert_string_equal(err.msg, "there is no link 'eth9'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(links_and_relatives),
		cmocka_unit_test(values_and_reasons),
		cmocka_unit_test(qdisc_trees),
		cmocka_unit_test(a_failing_device_is_named),
		cmocka_unit_test(sysctls),
		cmocka_unit_test(devices),
		cmocka_unit_test(two_readings),
		cmocka_unit_test(interrupts_and_cpus),
		cmocka_unit_test(a_missing_link_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
