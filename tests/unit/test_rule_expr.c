/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "nettune/buf.h"
#include "rule_fixture.h"

struct row {
	const char *expr, *want;
};

static void run_rows(const struct row *rows, enum nt_scope_kind kind)
{
	struct fixture f;
	int wrong = 0;
	char *got;

	fixture_init(&f, 0);
	for (; rows->expr; rows++) {
		got = fixture_eval(&f, kind == NT_SCOPE_HOST ? &f.s->host :
			kind == NT_SCOPE_LINK ? f.link : f.path, rows->expr);
		if (strcmp(got, rows->want) != 0) {
			print_error("%s\n\tgives %s\n\tnot   %s\n", rows->expr, got, rows->want);
			wrong++;
		}
		free(got);
	}
	fixture_free(&f);
	assert_int_equal(wrong, 0);
}

static void numbers_and_units(void **state)
{
	static const struct row rows[] = {
		{ "2 + 3 * 4", "14" },
		{ "(2 + 3) * 4", "20" },
		{ "10 - 4 - 3", "3" },
		{ "64 / 4 / 2", "8" },
		{ "-cpu.count + 1", "-7" },
		{ "- -3", "3" },
		{ "1.5e3", "1500" },
		{ "1Gbit", "1e+09 bit^1 s^-1" },
		{ "256KiB", "2097152 bit^1" },
		{ "10ms", "0.01 s^1" },
		{ "link.speed", "1e+09 bit^1 s^-1" },
		{ "link.speed * 10ms", "10000000 bit^1" },
		{ "1500B / link.speed", "1.2e-05 s^1" },
		{ "1 / 10ms", "100 s^-1" },
		{ "100/s * 10ms", "1" },
		{ "1 / 10ms > 99/s", "true" },
		{ "1Gbit/s / 1Mbit/s", "1000" },
		{ "link.speed / 1Mbit", "1000" },
		{ "link.mtu + 100", "12800 bit^1" },
		{ "coalesce.rx-usecs == 3", "true" },
		{ "3 = coalesce.rx-usecs", "true" },
		{ "coalesce.rx-usecs == 3us", "true" },
		{ "coalesce.rx-usecs > 0", "true" },
		{ "link.speed - link.speed > 0", "false" },
		{ "link.speed < 1000", "false" },
		{ "link.speed in 10Mbit..1Gbit", "true" },
		{ "link.speed in 10..100", "false" },
		{ "link.speed == 1000Mbit", "true" },
		{ "5% * 2", "10" },
		/* 16 pages of 65536 bytes */
		{ "sysctl.net.ipv4.tcp_mem.max == 1MiB", "true" },
		{ "sysctl.net.ipv4.tcp_mem.max == 16", "true" },
		{ "sysctl.net.ipv4.tcp_mem.max in 15..16", "true" },
		{ "sysctl.net.ipv4.tcp_mem.max in (3, 16)", "true" },
		{ "2 * sysctl.net.ipv4.tcp_mem.max == 2MiB", "true" },
		{ "10ms + 5", "error: '+' mixes a time and a plain number" },
		{ "link.mtu > 10ms", "error: compares a size with a time" },
		{ "2 * link.mtu > 100", "error: compares a size with a plain number" },
		{ "1s*1s*1s*1s*1s*1s*1s*1s*1s", "error: units multiplied too often" },
		{ NULL, NULL },
	};

	(void)state;
	run_rows(rows, NT_SCOPE_LINK);
}

static void functions(void **state)
{
	static const struct row rows[] = {
		{ "min(3, 1, 2)", "1" },
		{ "max(link.speed, 10Gbit)", "1e+10 bit^1 s^-1" },
		{ "max(coalesce.rx-usecs, 50)", "5e-05 s^1" },
		{ "abs(1 - 3)", "2" },
		{ "ceil(1.2)", "2" },
		{ "ceil(10.0)", "10" },
		/* 1024 us / 1 us is not exactly 1024 in binary */
		{ "ceil(log2(path.min_rtt / 1us))", "10" },
		{ "ceil(path.min_rtt / 1us)", "1024" },
		{ "floor(path.min_rtt / 1us)", "1024" },
		{ "floor(1.8)", "1" },
		{ "round(1.5)", "2" },
		{ "ceil(100bit * 1s)", "104 bit^1" },
		{ "log2(8)", "3" },
		{ "pow2ceil(1000)", "1024" },
		{ "pow2ceil(1024)", "1024" },
		{ "pow2ceil(1025)", "2048" },
		/* 1 Gbit/s * 10 ms = 1,250,000 bytes -> 2 MiB */
		{ "pow2ceil(link.speed * probe.tx_completion)", "16777216 bit^1" },
		{ "count(link.advertise)", "2" },
		{ "if(cpu.count > 4, 10ms, 20ms)", "0.01 s^1" },
		{ "if(cpu.count > 40, a, b)", "b" },
		{ "if(link.duplex = full, 1, 2)",
			"unknown: link.duplex (the driver does not report it)" },
		{ "sum(\"stat.rx_queue_*_drops\")", "12" },
		{ "max(\"stat.rx_queue_*_drops\")", "7" },
		{ "min(\"stat.rx_queue_*_drops\")", "0" },
		{ "any(\"stat.rx_queue_*_drops\")", "true" },
		{ "all(\"stat.rx_queue_*_drops\")", "false" },
		{ "any(\"feature.*-segmentation\")", "false" },
		{ "sum(\"stat.no_such_*\")", "unknown: stat.no_such_* (no fact matches)" },
		{ "known(link.duplex)", "false" },
		{ "known(link.speed)", "true" },
		{ "known(link.speed + 1)", "error: known() wants a fact's name" },
		{ "sum(\"tsq.ro*\")", "error: sum() of 'tsq.ro*' wants numbers, not a text" },
		{ "sum(\"sysctl.net.ipv4.tcp_*m*.max\")", "unknown: sysctl.net.ipv4.tcp_*m*.max "
			"(it matches facts of several units)" },
		{ "sum(3)", "error: a pattern in quotes expected before '3'" },
		{ "mx(1, 2)", "error: no function 'mx': 'max'?" },
		{ "frobnicate(1)", "error: no function 'frobnicate'" },
		{ "log2(1, 2)", "error: log2() takes 1 argument, not 2" },
		{ "min(1)", "error: min() takes 2 or more arguments, not 1" },
		{ "log2(link.mtu)", "error: log2() of a size: divide by a unit first, as in "
			"log2(x / 1us)" },
		{ "ceil(10ms)", "error: ceil() of a time: divide by a unit first, as in "
			"ceil(x / 1us)" },
		{ "min(1ms, 1MB)", "error: min mixes a time and a size" },
		{ "min(tsq.role, 3)", "error: min wants a number, not a text" },
		{ NULL, NULL },
	};

	(void)state;
	run_rows(rows, NT_SCOPE_PATH);
}

static void texts_lists_versions(void **state)
{
	static const struct row rows[] = {
		{ "link.driver == e1000e", "true" },
		{ "link.driver = \"e1000e\"", "true" },
		{ "link.driver != igb", "true" },
		{ "link.driver in (8139cp, e1000e)", "true" },
		{ "link.driver == 8139cp", "false" },
		{ "link.driver in (igb, ixgbe)", "false" },
		{ "link.driver =~ \"e1*\"", "true" },
		{ "link.driver =~ (\"ig*\", \"e1?00e\")", "true" },
		{ "link.driver !~ \"e1*\"", "false" },
		{ "link.driver < igb", "error: a text has no order" },
		{ "tsq.role =~ \"ceiling*\"", "true" },
		{ "link.advertise has \"1000baseT/Full\"", "true" },
		{ "link.advertise has \"1000baseT\"", "false" },
		{ "link.advertise has (\"10baseT\", \"100baseT/Full\")", "true" },
		{ "link.advertise has link.driver", "false" },
		{ "link.advertise has link.duplex",
			"unknown: link.duplex (the driver does not report it)" },
		{ "link.advertise has (\"100baseT/Full\", link.duplex)", "true" },
		{ "link.advertise =~ \"1000base*\"", "true" },
		{ "link.advertise == \"x\"", "error: a list is asked with 'has', '=~' or count()" },
		{ "link.driver has \"e1000e\"", "error: 'has' wants a list, not a text" },
		{ "link.mtu =~ \"15*\"", "error: '=~' wants a text, not a size" },
		{ "feature.rx-gro", "true" },
		{ "feature.rx-gro == on", "true" },
		{ "feature.rx-gro = off", "false" },
		{ "feature.rx-lro.fixed = yes", "true" },
		{ "not feature.tx-tcp-segmentation", "true" },
		{ "feature.rx-gro == 1", "error: compares a switch with a plain number" },
		{ "feature.rx-gro == onn", "error: compares a switch with a text" },
		{ "sysctl.net.ipv4.tcp_sack and feature.rx-gro",
			"error: 'and' wants true or false, not a plain number" },
		{ "kernel.version == 3.10.20", "true" },
		{ "kernel.version >= 3.10", "true" },
		{ "kernel.version < 3.10.3", "false" },
		{ "kernel.version > 3.9", "true" },
		{ "kernel.version in 3.10.18..3.10.22", "true" },
		{ "kernel.version in 3.10.21..3.10.22", "false" },
		{ "kernel.version in 3.11.7..3.11", "false" },
		{ "kernel.version in (3.12-rc4..3.12.3, 3.10.18..3.10)", "true" },
		{ "kernel.version in (3.10.20)", "true" },
		{ "kernel.version in 4.0..3.0", "error: the range is backwards" },
		{ "kernel.version == e1000e", "error: compares a version with a text" },
		{ "kernel.version > 10ms", "error: compares a version with a time" },
		{ "kernel.version in -3..4", "error: compares a version with a plain number" },
		/* a name of no exact row may hold anything */
		{ "link.mdix == 12", "true" },
		{ "link.mdix > 11", "true" },
		{ "link.mdix == abc", "false" },
		{ "link.mdix > 10ms", "unknown: link.mdix (it is not of the kind that the rule "
			"compares it with)" },
		{ NULL, NULL },
	};

	(void)state;
	run_rows(rows, NT_SCOPE_LINK);
}

static void names_and_scopes(void **state)
{
	static const struct row link[] = {
		{ "stat.\"Queue[0] Restarts\"", "4" },
		{ "stat.\"Tx ?0\"", "9" },
		{ "lower.link.speed > link.speed", "true" },
		{ "lower.feature.tx-tcp-segmentation and not feature.tx-tcp-segmentation", "true" },
		{ "master.link.driver", "bridge" },
		{ "lower.link.mtu", "unknown: lower.link.mtu (not in this capture)" },
		{ "rate.stats64.rx_dropped", "unknown: rate.stats64.rx_dropped (needs two readings)" },
		{ "host.memory > 1GB", "unknown: host.memory (needs root)" },
		{ "foo.bar > 1", "error: no fact 'foo.bar'" },
		{ "link.txqueuelem > 1", "error: no fact 'link.txqueuelem': 'link.txqueuelen'?" },
		{ "coalesce.rx-usec > 1", "error: no fact 'coalesce.rx-usec': 'coalesce.rx-usecs'?" },
		{ "rate.stats64.rx_dropd > 1", "error: no fact 'rate.stats64.rx_dropd': "
			"'rate.stats64.rx_bytes'?" },
		{ "sum(\"channels.combi*.min\") > 1", "error: no fact 'channels.combi*.min': "
			"'channels.combined'?" },
		{ "cpu.cout > 1", "error: no fact 'cpu.cout': 'cpu.count'?" },
		{ "path.min_rtt > 1ms", "error: 'path.min_rtt' is a fact of a path; a rule of scope "
			"link cannot see it" },
		{ "lower.cpu.count", "error: 'lower.cpu.count' is a fact of a host; a rule of scope "
			"link cannot see it that way" },
		{ NULL, NULL },
	};
	static const struct row path[] = {
		{ "path.min_rtt", "0.001024 s^1" },
		{ "link.speed", "1e+09 bit^1 s^-1" },
		{ "cpu.count", "8" },
		{ "probe.cwnd", "unknown: probe.cwnd (needs a probe)" },
		{ NULL, NULL },
	};
	static const struct row host[] = {
		{ "cpu.count", "8" },
		{ "link.speed", "error: 'link.speed' is a fact of a link; a rule of scope host "
			"cannot see it" },
		{ NULL, NULL },
	};

	(void)state;
	run_rows(link, NT_SCOPE_LINK);
	run_rows(path, NT_SCOPE_PATH);
	run_rows(host, NT_SCOPE_HOST);
}

static void what_does_not_parse(void **state)
{
	static const struct row rows[] = {
		{ "", "error: a value is missing at the end" },
		{ "cpu.count >", "error: a value is missing at the end" },
		{ "cpu.count > 1 and", "error: a value is missing at the end" },
		{ "(cpu.count > 1", "error: ')' is missing at the end" },
		{ "cpu.count > 1)", "error: 'and', 'or' or the end expected before ')'" },
		{ "1 < cpu.count < 4", "error: 'and', 'or' or the end expected before '<'" },
		{ "cpu.count 1", "error: 'and', 'or' or the end expected before '1'" },
		{ "cpu.count > 1 && feature.rx-gro", "error: no operator '&&': write 'and'" },
		{ "cpu.count > 1 || feature.rx-gro", "error: no operator '||': write 'or'" },
		{ "!feature.rx-gro", "error: no operator '!': write 'not'" },
		{ "cpu.count ^ 2", "error: unexpected '^'" },
		{ "link.driver == \"e1000e", "error: text without closing quote" },
		{ "stat.\"x", "error: name without closing quote" },
		{ "cpu. == 1", "error: name 'cpu.' ends in a dot" },
		{ "link.driver in ()", "error: a literal expected before ')'" },
		{ "link.driver in (a b)", "error: ')' expected before 'b'" },
		{ "link.driver in (a,", "error: a literal is missing at the end" },
		{ "cpu.count in 4..1", "error: the range is backwards" },
		{ "3.10.20x == kernel.version", "error: '3.10.20x' is not a version" },
		{ "1e400 > 1", "error: number too large" },
		{ "min(1, 2", "error: ')' is missing at the end" },
		{ "and", "error: a value expected before 'and'" },
		{ NULL, NULL },
	};

	(void)state;
	run_rows(rows, NT_SCOPE_LINK);
}

static void nesting_is_bounded(void **state)
{
	static const char *const opens[] = { "(", "not ", "-", "abs(" };
	struct nt_buf b;
	struct fixture f;
	char *got;
	size_t i, k;

	(void)state;
	fixture_init(&f, 0);
	for (i = 0; i < NT_ARRAY_SIZE(opens); i++) {
		memset(&b, 0, sizeof b);
		for (k = 0; k < 5000; k++)
			nt_buf_adds(&b, opens[i]);
		got = fixture_eval(&f, f.link, nt_buf_str(&b));
		assert_string_equal(got, "error: nested too deeply");
		free(got);
		nt_buf_free(&b);
	}
	fixture_free(&f);
}

/* Kleene's tables: T, F, U as operands in every place. */
static void three_values(void **state)
{
	static const char *const op[] = { "cpu.count == 8", "cpu.count == 1", "link.duplex = full" };
	static const char and[] = "tfufffufu", or[] = "tttt" "futuu";
	static const char not[] = "ftu";
	struct fixture f;
	char text[128], *got;
	int a, b;

	(void)state;
	fixture_init(&f, 0);
	for (a = 0; a < 3; a++) {
		snprintf(text, sizeof text, "not %s", op[a]);
		got = fixture_eval(&f, f.link, text);
		assert_int_equal(got[0], not[a]);
		free(got);
		for (b = 0; b < 3; b++) {
			snprintf(text, sizeof text, "%s and %s", op[a], op[b]);
			got = fixture_eval(&f, f.link, text);
			assert_int_equal(got[0], and[a * 3 + b]);
			free(got);
			snprintf(text, sizeof text, "%s or %s", op[a], op[b]);
			got = fixture_eval(&f, f.link, text);
			assert_int_equal(got[0], or[a * 3 + b]);
			free(got);
		}
	}
	fixture_free(&f);
}

static void what_is_lacking(void **state)
{
	static const struct row rows[] = {
		{ "link.duplex = full and host.memory > 1GB",
			"unknown: link.duplex (the driver does not report it), host.memory (needs root)" },
		/* what is decided otherwise lacks nothing */
		{ "(link.duplex = full and cpu.count = 1) or host.memory > 1GB",
			"unknown: host.memory (needs root)" },
		{ "cpu.count / (sysctl.net.ipv4.tcp_sack - 1) > 1",
			"unknown: sysctl.net.ipv4.tcp_sack (division by zero)" },
		{ "log2(sysctl.net.ipv4.tcp_sack - 1) > 1", "unknown: sysctl.net.ipv4.tcp_sack "
			"(no logarithm of a number that is not above zero)" },
		{ "pow2ceil(0 - 1) > 1", "unknown: the expression (no power of two for a number that "
			"is not above zero)" },
		{ "1e200 * 1e200 > 1", "unknown: the expression (the number is too large)" },
		{ "cpu.count = 1 and log2(0) > 1", "false" },
		{ "log2(0) > 1 and cpu.count = 1", "false" },
		{ NULL, NULL },
	};

	(void)state;
	run_rows(rows, NT_SCOPE_LINK);
}

/* A random well-typed condition of at most depth levels, into b. */
static void random_condition(struct nt_buf *b, unsigned *seed, int depth)
{
	static const char *const leaves[] = {
		"cpu.count > 4", "cpu.count == 3", "link.duplex = full", "link.speed * 2ms > 200KiB",
		"host.memory > 1GB", "feature.rx-gro", "feature.tx-tcp-segmentation",
		"kernel.version in (3.9..3.10.19, 3.10.20..3.11)", "known(link.duplex)",
		"link.driver in (igb, e1000e)", "sum(\"stat.rx_queue_*\") > 11",
		"1 / (sysctl.net.ipv4.tcp_sack - 1) > 0", "lower.link.speed > link.speed",
		"rate.stats64.rx_dropped > 0", "link.advertise has \"1000baseT/Full\"",
		"max(coalesce.rx-usecs, 50) == 50us", "lower.link.mtu > 1500",
		"if(link.duplex = half, 1, 2) > 1", "min(\"stat.rx_queue_*\") = 0",
	};
	unsigned what = fixture_random(seed, 8);

	if (depth == 0 || what < 2) {
		nt_buf_adds(b, leaves[fixture_random(seed, NT_ARRAY_SIZE(leaves))]);
	} else if (what == 2) {
		nt_buf_adds(b, "not (");
		random_condition(b, seed, depth - 1);
		nt_buf_addc(b, ')');
	} else {
		nt_buf_addc(b, '(');
		random_condition(b, seed, depth - 1);
		nt_buf_adds(b, what < 6 ? ") and (" : ") or (");
		random_condition(b, seed, depth - 1);
		nt_buf_addc(b, ')');
	}
}

/* The facts' order in the snapshot changes neither value nor what is lacking. */
static void order_of_facts_does_not_matter(void **state)
{
	struct fixture a, b;
	struct nt_buf text;
	unsigned seed = 7, values[3] = { 0 };
	char *va, *vb;
	int i;

	(void)state;
	fixture_init(&a, 0);
	for (i = 0; i < 3000; i++) {
		if (i % 50 == 0) {
			if (i)
				fixture_free(&b);
			fixture_init(&b, i + 1);
		}
		memset(&text, 0, sizeof text);
		random_condition(&text, &seed, 4);
		va = fixture_eval(&a, a.link, nt_buf_str(&text));
		vb = fixture_eval(&b, b.link, nt_buf_str(&text));
		assert_string_equal(va, vb);
		values[*va == 't' ? 0 : *va == 'f' ? 1 : 2]++;
		assert_int_not_equal(*va, 'e');
		free(va);
		free(vb);
		nt_buf_free(&text);
	}
	/* the conditions were worth trying */
	assert_true(values[0] > 300 && values[1] > 300 && values[2] > 300);
	fixture_free(&a);
	fixture_free(&b);
}

/* "A and B" is "B and A", "not (A and B)" is "not A or not B", whatever is unknown. */
static void order_of_operands_does_not_matter(void **state)
{
	struct fixture f;
	struct nt_buf a, b;
	unsigned seed = 11;
	char *got[3], *text;
	int i, k;

	(void)state;
	fixture_init(&f, 0);
	for (i = 0; i < 1000; i++) {
		memset(&a, 0, sizeof a);
		memset(&b, 0, sizeof b);
		random_condition(&a, &seed, 2);
		random_condition(&b, &seed, 2);
		for (k = 0; k < 3; k++) {
			text = k == 0 ? nt_asprintf("(%s) and (%s)", a.s, b.s) :
				k == 1 ? nt_asprintf("(%s) and (%s)", b.s, a.s) :
					 nt_asprintf("not (not (%s) or not (%s))", a.s, b.s);
			got[k] = fixture_eval(&f, f.link, text);
			assert_int_equal(*got[k], *got[0]);
			free(text);
		}
		for (k = 0; k < 3; k++)
			free(got[k]);
		nt_buf_free(&a);
		nt_buf_free(&b);
	}
	fixture_free(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_and_units),
		cmocka_unit_test(functions),
		cmocka_unit_test(texts_lists_versions),
		cmocka_unit_test(names_and_scopes),
		cmocka_unit_test(what_does_not_parse),
		cmocka_unit_test(nesting_is_bounded),
		cmocka_unit_test(three_values),
		cmocka_unit_test(what_is_lacking),
		cmocka_unit_test(order_of_facts_does_not_matter),
		cmocka_unit_test(order_of_operands_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
