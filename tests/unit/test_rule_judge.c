/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "nettune/buf.h"
#include "nettune/plan.h"
#include "nettune/rule.h"
#include "rule_fixture.h"

static void collect(void *arg, const char *file, int line, const char *reason)
{
	nt_buf_addf(arg, "%s:%d: %s\n", file, line, reason);
}

/* A rule in short. Examples are not run here, so any will do. */
struct brief {
	const char *name, *scope, *severity, *cure, *when, *more;
};

static struct nt_rulebase *rules(const struct brief *v, size_t n)
{
	struct nt_rulebase *rb = nt_rulebase_new();
	struct nt_buf text = { 0 }, faults = { 0 };
	struct nt_err err;
	size_t i;

	for (i = 0; i < n; i++) {
		nt_buf_addf(&text, "[%s]\ntitle = about {%s}\nscope = %s\nwhen = %s\n"
			"severity = %s\ncure = %s\nsource = S\nexample.yes = cpu.count=1\n"
			"example.no = cpu.count=2\n", v[i].name,
			strcmp(v[i].scope, "link") == 0 ? "link" : "cpu.count", v[i].scope,
			v[i].when, v[i].severity, v[i].cure);
		nt_buf_addf(&text, "%s\n", v[i].more);
		if (!strstr(v[i].more, "why ="))
			nt_buf_adds(&text, "why = because\n");
	}
	nt_rulebase_load_text(rb, "f", text.s, text.len, false, collect, &faults, &err);
	assert_string_equal(nt_buf_str(&faults), "");
	nt_buf_free(&text);
	nt_buf_free(&faults);
	return rb;
}

#define RULES(v) rules(v, NT_ARRAY_SIZE(v))

static struct nt_scope *add_link(struct nt_snapshot *s, const char *name, const char *driver)
{
	struct nt_scope *l = nt_snapshot_add_link(s, name);

	l->interesting = true;
	nt_fact_text(s, l, NT_FACT_TEXT, "link.driver", driver);
	nt_fact_int(s, l, "ring.rx", NT_UNIT_PACKETS, 256);
	nt_fact_int(s, l, "ring.rx.max", NT_UNIT_PACKETS, 4096);
	nt_fact_int(s, l, "coalesce.rx-usecs", NT_UNIT_US, 3);
	nt_fact_int(s, l, "link.speed", NT_UNIT_MBPS, 1000);
	nt_fact_switch(s, l, "feature.rx-gro", false);
	nt_fact_bool(s, l, "feature.rx-gro.fixed", false);
	nt_fact_switch(s, l, "feature.rx-lro", true);
	nt_fact_bool(s, l, "feature.rx-lro.fixed", true);
	nt_fact_absent(s, l, "link.duplex", "the driver does not report it");
	return l;
}

static struct nt_snapshot *snapshot(void)
{
	struct nt_snapshot *s = nt_snapshot_new();

	s->live = true;
	nt_fact_int(s, &s->host, "cpu.count", NT_UNIT_NONE, 8);
	nt_fact_text(s, &s->host, NT_FACT_VERSION, "kernel.version", "6.1.192");
	nt_fact_int(s, &s->host, "sysctl.net.ipv4.tcp_rmem.max", NT_UNIT_BYTES, 6291456);
	nt_fact_text(s, &s->host, NT_FACT_TEXT, "sysctl.net.ipv4.tcp_congestion_control",
		"reno");
	return s;
}

/* The changes of a finding as "LINK TUNABLE FROM->TO"; in a static buffer. */
static const char *changes(const struct nt_finding *f)
{
	static char shown[512];
	size_t i, used = 0;
	char from[64], to[64];

	*shown = '\0';
	for (i = 0; i < f->n_changes; i++) {
		nt_fact_format(from, sizeof from, &f->changes[i].from);
		nt_fact_format(to, sizeof to, &f->changes[i].to);
		used += snprintf(shown + used, sizeof shown - used, "%s%s%s%s %s->%s",
			i ? ", " : "", f->changes[i].scope->name, *f->changes[i].scope->name ? " " : "",
			f->changes[i].tunable, from, to);
	}
	return shown;
}

static void findings_come_worst_first(void **state)
{
	static const struct brief v[] = {
		{ "z-advice", "link", "advice", "link", "link.speed < 10Gbit", "" },
		{ "b-problem", "link", "problem", "link", "link.speed < 10Gbit", "" },
		{ "a-problem", "link", "problem", "link", "link.driver = igb", "" },
		{ "host-one", "host", "problem", "none", "cpu.count > 4", "" },
		{ "not-so", "link", "problem", "none", "link.speed > 10Gbit", "" },
		{ "no-paths", "path", "problem", "none", "path.min_rtt > 1ms", "" },
		{ "good-one", "host", "good", "none", "cpu.count > 2", "" },
		{ "other-goal", "link", "problem", "none", "link.speed > 1", "goal = latency" },
		{ "lower", "link", "problem", "none", "lower.link.speed < 1Mbit", "" },
	};
	static const char *const want[] = {
		" host-one", "eth1 b-problem", "eth0 a-problem", "eth0 b-problem",
		"eth1 z-advice", "eth0 z-advice", " good-one",
	};
	struct nt_rulebase *rb = RULES(v);
	struct nt_snapshot *s = snapshot();
	struct nt_findings f;
	char got[64];
	size_t i;

	(void)state;
	add_link(s, "eth1", "tg3");
	add_link(s, "eth0", "igb");
	add_link(s, "down0", "igb")->interesting = false;
	nt_snapshot_seal(s);
	nt_judge(rb, s, NT_GOAL_BALANCED, &f);
	assert_int_equal(f.n, NT_ARRAY_SIZE(want));
	for (i = 0; i < f.n; i++) {
		snprintf(got, sizeof got, "%s %s", f.v[i].scope->name, f.v[i].rule->id);
		assert_string_equal(got, want[i]);
	}
	/* a-problem on eth1, not-so on both */
	assert_int_equal(f.holds, 3);
	/* no-paths, other-goal, and lower on both links */
	assert_int_equal(f.not_applicable, 4);
	assert_int_equal(f.n_unknown, 0);
	nt_findings_free(&f);
	nt_judge(rb, s, NT_GOAL_LATENCY, &f);
	assert_int_equal(f.n, NT_ARRAY_SIZE(want) + 2);
	nt_findings_free(&f);
	nt_rulebase_free(rb);
	nt_snapshot_free(s);
}

static void a_finding_says_what_it_saw(void **state)
{
	static const struct brief v[] = {
		{ "a", "link", "warning", "kernel", "link.driver in (igb, tg3) and "
			"kernel.version < 6.2 and link.driver != tg3 and lower.link.speed > 1Gbit and "
			"(link.duplex = full or sum(\"stat.drop_*\") > 1)",
			"why = {link}: {link.speed}, {lower.link.speed}, {link.duplex}, {link.driver}." },
	};
	struct nt_rulebase *rb = RULES(v);
	struct nt_snapshot *s = snapshot();
	struct nt_scope *l = add_link(s, "vlan\x1b[31m", "igb"), *lower = add_link(s, "eth0", "igb");
	const struct nt_finding *one;
	struct nt_findings f;

	(void)state;
	l->lower = lower;
	nt_fact_int(s, lower, "link.speed", NT_UNIT_MBPS, 10000);
	nt_fact_int(s, l, "stat.drop_a", NT_UNIT_NONE, 2);
	nt_fact_int(s, l, "stat.drop_b", NT_UNIT_NONE, 0);
	nt_snapshot_seal(s);
	nt_judge(rb, s, NT_GOAL_BALANCED, &f);
	assert_int_equal(f.n, 1);
	one = &f.v[0];
	assert_int_equal(one->n_seen, 4);
	assert_string_equal(one->seen[0].name, "link.driver");
	assert_ptr_equal(one->seen[0].scope, l);
	assert_string_equal(one->seen[1].name, "kernel.version");
	assert_ptr_equal(one->seen[1].scope, &s->host);
	assert_string_equal(one->seen[2].name, "lower.link.speed");
	assert_ptr_equal(one->seen[2].scope, lower);
	assert_string_equal(one->seen[3].name, "stat.drop_a");
	assert_int_equal(one->seen[3].fact->v.i, 2);
	assert_string_equal(one->title, "about vlan?[31m");
	assert_string_equal(one->why, "vlan?[31m: 1000 Mbit/s, 10000 Mbit/s, unknown, igb.");
	assert_int_equal(one->confidence, NT_CONF_DERIVED);
	nt_findings_free(&f);
	nt_rulebase_free(rb);
	nt_snapshot_free(s);
}

static void confidence_follows_the_evidence(void **state)
{
	static const struct brief v[] = {
		{ "by-version", "link", "advice", "kernel",
			"link.driver = igb and kernel.version in 6.0..6.1", "" },
		{ "by-value", "link", "advice", "kernel", "link.driver = igb and link.speed > 1Mbit",
			"" },
		{ "claimed", "link", "advice", "kernel", "link.speed > 1Mbit", "confidence = known" },
	};
	struct nt_rulebase *rb = RULES(v);
	struct nt_snapshot *s = snapshot();
	struct nt_findings f;

	(void)state;
	add_link(s, "eth0", "igb");
	nt_snapshot_seal(s);
	nt_judge(rb, s, NT_GOAL_BALANCED, &f);
	assert_int_equal(f.n, 3);
	assert_int_equal(f.v[0].confidence, NT_CONF_DERIVED); /* by-value */
	assert_int_equal(f.v[1].confidence, NT_CONF_KNOWN);
	assert_int_equal(f.v[2].confidence, NT_CONF_KNOWN);
	nt_findings_free(&f);
	nt_rulebase_free(rb);
	nt_snapshot_free(s);
}

/* What each rule's sets come to on one link: changes, severity; NULL: no finding. */
static void what_a_set_becomes(void **state)
{
	static const struct {
		struct brief rule;
		const char *changes;
		enum nt_severity severity;
	} cases[] = {
		{ { "a", "link", "problem", "setting", "cpu.count > 1", "set = ring.rx := 1024" },
			"eth0 ring.rx 256->1024", NT_SEV_PROBLEM },
		/* never beyond the driver's bound */
		{ { "a", "link", "problem", "setting", "cpu.count > 1", "set = ring.rx := 99999" },
			"eth0 ring.rx 256->4096", NT_SEV_PROBLEM },
		{ { "a", "link", "problem", "setting", "cpu.count > 1",
			"set = ring.rx := min(2 * ring.rx, ring.rx.max)" },
			"eth0 ring.rx 256->512", NT_SEV_PROBLEM },
		/* in the tunable's unit, whole */
		{ { "a", "link", "problem", "setting", "cpu.count > 1",
			"set = coalesce.rx-usecs := 0.05ms" },
			"eth0 coalesce.rx-usecs 3->50", NT_SEV_PROBLEM },
		{ { "a", "link", "problem", "setting", "cpu.count > 1",
			"set = coalesce.rx-usecs := 64KiB / link.speed" },
			"eth0 coalesce.rx-usecs 3->524", NT_SEV_PROBLEM },
		{ { "a", "host", "problem", "setting", "cpu.count > 1",
			"set = sysctl.net.ipv4.tcp_rmem.max := 16MiB" },
			"sysctl.net.ipv4.tcp_rmem.max 6291456->16777216", NT_SEV_PROBLEM },
		{ { "a", "host", "problem", "setting", "cpu.count > 1",
			"set = sysctl.net.ipv4.tcp_congestion_control := cubic" },
			"sysctl.net.ipv4.tcp_congestion_control reno->cubic", NT_SEV_PROBLEM },
		{ { "a", "link", "problem", "setting", "cpu.count > 1", "set = feature.rx-gro := on" },
			"eth0 feature.rx-gro off->on", NT_SEV_PROBLEM },
		{ { "a", "link", "problem", "setting", "cpu.count > 1",
			"set = feature.rx-gro := cpu.count > 2\nset.2 = ring.rx := 256" },
			"eth0 feature.rx-gro off->on", NT_SEV_PROBLEM },
		/* a host's tunable from a link's rule */
		{ { "a", "link", "problem", "setting", "link.speed > 1Mbit",
			"set = sysctl.net.ipv4.tcp_rmem.max := 8MiB" },
			"sysctl.net.ipv4.tcp_rmem.max 6291456->8388608", NT_SEV_PROBLEM },
		/* the lower device's */
		{ { "a", "link", "problem", "setting", "known(lower.ring.rx)",
			"set = lower.ring.rx := 4096" },
			"low0 ring.rx 256->2048", NT_SEV_PROBLEM },
		/* all is so already: nothing to find, where the cure is a setting */
		{ { "a", "link", "problem", "setting", "cpu.count > 1", "set = ring.rx := 256" },
			NULL, 0 },
		{ { "a", "link", "problem", "setting", "cpu.count > 1",
			"set = feature.rx-gro := off\nset.2 = ring.rx := 256" }, NULL, 0 },
		{ { "a", "link", "problem", "kernel", "cpu.count > 1", "set = ring.rx := 256" },
			"", NT_SEV_PROBLEM },
		/* impossible: told as advice, without a change */
		{ { "a", "link", "problem", "setting", "cpu.count > 1",
			"set = feature.rx-lro := off" }, "", NT_SEV_ADVICE },
		{ { "a", "link", "problem", "setting", "cpu.count > 1", "set = ring.tx := 4096" },
			"", NT_SEV_ADVICE },
		{ { "a", "link", "problem", "setting", "cpu.count > 1",
			"set = ring.rx := ring.tx.max" }, "", NT_SEV_ADVICE },
		{ { "a", "link", "problem", "kernel", "cpu.count > 1",
			"set = feature.rx-lro := off" }, "", NT_SEV_PROBLEM },
	};
	struct nt_rulebase *rb;
	struct nt_snapshot *s = snapshot();
	struct nt_scope *l, *low;
	struct nt_findings f;
	size_t i;

	(void)state;
	l = add_link(s, "eth0", "igb");
	low = nt_snapshot_add_link(s, "low0");
	nt_fact_int(s, low, "ring.rx", NT_UNIT_PACKETS, 256);
	nt_fact_int(s, low, "ring.rx.max", NT_UNIT_PACKETS, 2048);
	l->lower = low;
	nt_snapshot_seal(s);
	for (i = 0; i < NT_ARRAY_SIZE(cases); i++) {
		rb = rules(&cases[i].rule, 1);
		nt_judge(rb, s, NT_GOAL_BALANCED, &f);
		if (f.n != (cases[i].changes != NULL))
			print_error("case %zu: %zu findings\n", i, f.n);
		assert_int_equal(f.n, cases[i].changes != NULL);
		if (f.n) {
			assert_string_equal(changes(&f.v[0]), cases[i].changes);
			assert_int_equal(f.v[0].severity, cases[i].severity);
		} else {
			assert_int_equal(f.holds, 1);
		}
		if (f.n && f.v[0].n_changes)
			assert_int_equal(f.v[0].changes[0].risk, f.v[0].changes[0].row->risk);
		nt_findings_free(&f);
		nt_rulebase_free(rb);
	}
	nt_snapshot_free(s);
}

static void the_unknown_say_what_they_lack(void **state)
{
	static const struct brief v[] = {
		{ "a", "link", "problem", "link",
			"link.duplex = half and rate.stats64.rx_dropped > 1 and ring.tx > 1 and "
			"link.duplex = half", "" },
		/* decided without the fact that lacks */
		{ "b", "link", "problem", "link", "link.duplex = half and link.driver = tg3", "" },
		/* a lower device in another namespace is not the same as none */
		{ "c", "link", "problem", "link", "lower.link.speed < 1Mbit", "" },
	};
	static const char *const want[] = {
		"link.duplex: the driver does not report it",
		"rate.stats64.rx_dropped: needs two readings", "ring.tx: not collected",
	};
	struct nt_rulebase *rb = RULES(v);
	struct nt_snapshot *s = snapshot();
	struct nt_findings f;
	char got[128];
	size_t i;

	(void)state;
	nt_fact_text(s, add_link(s, "eth0", "igb"), NT_FACT_TEXT, "link.lower", "elsewhere0");
	nt_snapshot_seal(s);
	nt_judge(rb, s, NT_GOAL_BALANCED, &f);
	assert_int_equal(f.n, 0);
	assert_int_equal(f.holds, 1);
	assert_int_equal(f.not_applicable, 0);
	assert_int_equal(f.n_unknown, 2);
	assert_string_equal(f.unknown[0].rule->id, "a");
	assert_int_equal(f.unknown[0].n_missing, NT_ARRAY_SIZE(want));
	for (i = 0; i < NT_ARRAY_SIZE(want); i++) {
		snprintf(got, sizeof got, "%s: %s", f.unknown[0].missing[i].fact,
			f.unknown[0].missing[i].reason);
		assert_string_equal(got, want[i]);
	}
	assert_string_equal(f.unknown[1].missing[0].reason,
		"the lower device is not among the links seen");
	nt_findings_free(&f);
	nt_rulebase_free(rb);
	nt_snapshot_free(s);
}

/* Settled by goal, then severity; else open. The same value is no conflict. */
static void conflicts_are_settled(void **state)
{
	static const struct brief v[] = {
		{ "a", "link", "problem", "setting", "cpu.count > 1", "set = ring.rx := 512" },
		{ "b", "link", "problem", "setting", "cpu.count > 1", "set = ring.rx := 1024" },
		{ "c", "link", "advice", "setting", "cpu.count > 1",
			"set = ring.rx := 2048\ngoal = latency" },
		{ "d", "link", "warning", "setting", "cpu.count > 1", "set = ring.rx := 1024" },
		{ "e", "link", "warning", "setting", "cpu.count > 1", "set = feature.rx-gro := on" },
	};
	/* findings in order: a b d e c */
	static const struct {
		size_t a, b;
		int winner;
	} want[] = {
		{ 0, 1, -1 }, { 0, 2, 0 }, { 0, 4, 4 }, { 1, 4, 4 }, { 2, 4, 4 },
	};
	struct nt_rulebase *rb = RULES(v);
	struct nt_snapshot *s = snapshot();
	struct nt_findings f;
	size_t i;

	(void)state;
	add_link(s, "eth0", "igb");
	nt_snapshot_seal(s);
	nt_judge(rb, s, NT_GOAL_LATENCY, &f);
	assert_int_equal(f.n, 5);
	assert_int_equal(f.n_conflicts, NT_ARRAY_SIZE(want));
	for (i = 0; i < NT_ARRAY_SIZE(want); i++) {
		assert_int_equal(f.conflicts[i].a, want[i].a);
		assert_int_equal(f.conflicts[i].b, want[i].b);
		assert_int_equal(f.conflicts[i].winner, want[i].winner);
		assert_string_equal(f.conflicts[i].tunable, "ring.rx");
		assert_ptr_equal(f.conflicts[i].scope, s->links[0]);
	}
	nt_findings_free(&f);
	nt_rulebase_free(rb);
	nt_snapshot_free(s);
}

/* Two links with the same wishes do not conflict with each other; the host's value does. */
static void conflicts_are_per_target(void **state)
{
	static const struct brief v[] = {
		{ "a", "link", "problem", "setting", "link.driver = igb",
			"set = ring.rx := 512\nset.2 = sysctl.net.ipv4.tcp_rmem.max := 7MiB" },
		{ "b", "link", "problem", "setting", "link.driver = tg3",
			"set = ring.rx := 1024\nset.2 = sysctl.net.ipv4.tcp_rmem.max := 8MiB" },
	};
	struct nt_rulebase *rb = RULES(v);
	struct nt_snapshot *s = snapshot();
	struct nt_findings f;

	(void)state;
	add_link(s, "eth0", "igb");
	add_link(s, "eth1", "tg3");
	nt_snapshot_seal(s);
	nt_judge(rb, s, NT_GOAL_BALANCED, &f);
	assert_int_equal(f.n_conflicts, 1);
	assert_string_equal(f.conflicts[0].tunable, "sysctl.net.ipv4.tcp_rmem.max");
	assert_ptr_equal(f.conflicts[0].scope, &s->host);
	nt_findings_free(&f);
	nt_rulebase_free(rb);
	nt_snapshot_free(s);
}

/* How many steps of the findings' plan are selected; the last one's new value. */
static size_t planned(const struct nt_findings *f, const struct nt_snapshot *s, int64_t *ret_to)
{
	struct nt_plan_opts opts = { .risk = NT_RISK_LINK };
	struct nt_plan p;
	size_t i, n = 0;

	nt_plan_make(f, s, &opts, &p);
	for (i = 0; i < p.n; i++)
		if (p.v[i].selected) {
			*ret_to = p.v[i].to.v.i;
			n++;
		}
	nt_plan_free(&p);
	return n;
}

/* One rule raises the host's value for two links: the larger serves both. */
static void one_rule_raises_for_many_links(void **state)
{
	static const struct {
		const char *set;
		int winner;
	} cases[] = {
		{ "set = sysctl.net.ipv4.tcp_rmem.max := link.speed * 100ms", 1 },
		/* lowering is not so simple */
		{ "set = sysctl.net.ipv4.tcp_rmem.max := link.speed * 100us", -1 },
	};
	struct nt_snapshot *s = snapshot();
	struct nt_rulebase *rb;
	struct nt_findings f;
	struct nt_scope *l;
	int64_t to = 0;
	size_t i;

	(void)state;
	add_link(s, "eth0", "igb");
	l = add_link(s, "eth1", "tg3");
	nt_fact_int(s, l, "link.speed", NT_UNIT_MBPS, 10000);
	nt_snapshot_seal(s);
	for (i = 0; i < NT_ARRAY_SIZE(cases); i++) {
		const struct brief v[] = {
			{ "a", "link", "problem", "setting", "link.speed > 1Mbit", cases[i].set },
		};

		rb = RULES(v);
		nt_judge(rb, s, NT_GOAL_BALANCED, &f);
		assert_int_equal(f.n, 2);
		assert_int_equal(f.n_conflicts, 1);
		assert_int_equal(f.conflicts[0].winner, cases[i].winner);
		assert_int_equal(planned(&f, s, &to), cases[i].winner >= 0);
		assert_true(cases[i].winner < 0 || to == 125000000);
		nt_findings_free(&f);
		nt_rulebase_free(rb);
	}
	nt_snapshot_free(s);
}

static void a_path_sees_its_link_and_host(void **state)
{
	static const struct brief v[] = {
		{ "a", "path", "problem", "setting",
			"path.min_rtt > 1ms and link.speed = 1Gbit and cpu.count = 8",
			"set = ring.rx := 512\nwhy = to {peer}" },
	};
	struct nt_rulebase *rb = RULES(v);
	struct nt_snapshot *s = snapshot();
	struct nt_scope *p = nt_snapshot_add_path(s, "192.0.2.1"), *q;
	struct nt_findings f;

	(void)state;
	p->lower = add_link(s, "eth0", "igb");
	nt_fact_real(s, p, "path.min_rtt", NT_UNIT_US, 2000);
	q = nt_snapshot_add_path(s, "192.0.2.2"); /* its link is not known */
	nt_fact_real(s, q, "path.min_rtt", NT_UNIT_US, 2000);
	nt_snapshot_seal(s);
	nt_judge(rb, s, NT_GOAL_BALANCED, &f);
	assert_int_equal(f.n, 1);
	assert_ptr_equal(f.v[0].scope, p);
	assert_string_equal(f.v[0].why, "to 192.0.2.1");
	assert_string_equal(changes(&f.v[0]), "eth0 ring.rx 256->512");
	assert_int_equal(f.n_unknown, 1);
	assert_string_equal(f.unknown[0].missing[0].fact, "link.speed");
	nt_findings_free(&f);
	nt_rulebase_free(rb);
	nt_snapshot_free(s);
}

static void an_empty_snapshot_has_no_findings(void **state)
{
	static const struct brief v[] = {
		{ "a", "host", "problem", "none", "cpu.count > 1", "" },
		{ "b", "link", "problem", "none", "link.speed > 1", "" },
	};
	struct nt_rulebase *rb = RULES(v), *none = nt_rulebase_new();
	struct nt_snapshot *s = nt_snapshot_new();
	struct nt_findings f;

	(void)state;
	nt_snapshot_seal(s);
	nt_judge(rb, s, NT_GOAL_BALANCED, &f);
	assert_int_equal(f.n, 0);
	assert_int_equal(f.n_unknown, 1);
	assert_int_equal(f.not_applicable, 1);
	nt_findings_free(&f);
	nt_judge(none, s, NT_GOAL_BALANCED, &f);
	assert_int_equal(f.n + f.n_unknown + f.holds + f.not_applicable, 0);
	nt_findings_free(&f);
	nt_rulebase_free(rb);
	nt_rulebase_free(none);
	nt_snapshot_free(s);
}

/*
 * What ruled a rule out on one link is asked first on the next. That must change nothing:
 * many links judged together are judged as each of them by itself.
 */
static struct nt_scope *random_link(
	struct nt_snapshot *s, unsigned *seed, const char *name)
{
	static const char *const drivers[] = { "mvneta", "e1000e", "veth" };
	struct nt_scope *l = nt_snapshot_add_link(s, name);
	unsigned kind = fixture_random(seed, 4);

	l->interesting = true;
	if (kind < NT_ARRAY_SIZE(drivers))
		nt_fact_text(s, l, NT_FACT_TEXT, "link.driver", drivers[kind]);
	if (fixture_random(seed, 3))
		nt_fact_switch(s, l, "feature.rx-gro", fixture_random(seed, 2));
	else
		nt_fact_absent(s, l, "feature.rx-gro", "the driver does not report it");
	if (fixture_random(seed, 4))
		nt_fact_int(
			s, l, "ring.rx", NT_UNIT_PACKETS, 256 << fixture_random(seed, 3));
	nt_fact_int(s, l, "ring.rx.max", NT_UNIT_PACKETS, 512 << fixture_random(seed, 2));
	nt_fact_int(s, l, "stat.rx_drops", NT_UNIT_NONE, fixture_random(seed, 2));
	nt_fact_text(s, l, NT_FACT_TEXT, "link.lower", "");
	return l;
}

static struct nt_snapshot *random_host(void)
{
	struct nt_snapshot *s = nt_snapshot_new();

	nt_fact_int(s, &s->host, "cpu.count", NT_UNIT_NONE, 8);
	return s;
}

static void count_findings(const struct nt_findings *f, size_t sum[5])
{
	size_t i;

	sum[0] += f->n;
	sum[1] += f->holds;
	sum[2] += f->n_unknown;
	for (i = 0; i < f->n; i++)
		sum[3] += strlen(f->v[i].title) * strlen(f->v[i].rule->id);
	for (i = 0; i < f->n_unknown; i++)
		sum[4] += f->unknown[i].n_missing * strlen(f->unknown[i].rule->id);
}

static void alike_links_are_judged_one_by_one(void **state)
{
	static const struct brief v[] = {
		{ "driver", "link", "advice", "none",
			"link.driver == mvneta and ring.rx > 256", "" },
		{ "in-set", "link", "advice", "none",
			"link.driver in (mvneta, e1000e) and feature.rx-gro == off", "" },
		{ "not-driver", "link", "advice", "none", "link.driver != veth", "" },
		{ "known", "link", "advice", "none",
			"known(ring.rx) and known(feature.rx-gro)", "" },
		{ "either", "link", "advice", "none",
			"(link.driver == veth or ring.rx == 512) and feature.rx-gro == "
			"on",
			"" },
		{ "room", "link", "advice", "none",
			"ring.rx < ring.rx.max and cpu.count > 4", "" },
		{ "host-only", "link", "advice", "none", "cpu.count > 16 and ring.rx > 0",
			"" },
		{ "lower", "link", "advice", "none",
			"feature.rx-gro == off and lower.feature.rx-gro == on", "" },
		{ "total", "link", "advice", "none",
			"sum(\"stat.*_drops\") > 0 and ring.rx > 256", "" },
		{ "one", "link", "advice", "none", "feature.rx-gro == off", "" },
	};
	struct nt_rulebase *rb = RULES(v);
	unsigned round, i, seed;

	(void)state;
	for (round = 0; round < 50; round++) {
		size_t alone[5] = { 0 }, together[5] = { 0 };
		struct nt_snapshot *all = random_host();
		struct nt_findings f;
		char name[16];

		for (i = 0; i < 20; i++) {
			struct nt_snapshot *s = random_host();
			struct nt_scope *l;

			snprintf(name, sizeof name, "link%u", i + 10);
			seed = round * 1000 + i / (1 + round % 4);
			l = random_link(s, &seed, name);
			if (i % 3 == 0)
				l->lower = l;
			nt_snapshot_seal(s);
			nt_judge(rb, s, NT_GOAL_BALANCED, &f);
			count_findings(&f, alone);
			nt_findings_free(&f);
			nt_snapshot_free(s);
			seed = round * 1000 + i / (1 + round % 4);
			l = random_link(all, &seed, name);
			if (i % 3 == 0)
				l->lower = l;
		}
		nt_snapshot_seal(all);
		nt_judge(rb, all, NT_GOAL_BALANCED, &f);
		count_findings(&f, together);
		assert_true(f.n && f.holds && f.n_unknown);
		for (i = 0; i < NT_ARRAY_SIZE(alone); i++)
			assert_int_equal(alone[i], together[i]);
		nt_findings_free(&f);
		nt_snapshot_free(all);
	}
	nt_rulebase_free(rb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(findings_come_worst_first),
		cmocka_unit_test(a_finding_says_what_it_saw),
		cmocka_unit_test(confidence_follows_the_evidence),
		cmocka_unit_test(what_a_set_becomes),
		cmocka_unit_test(the_unknown_say_what_they_lack),
		cmocka_unit_test(conflicts_are_settled),
		cmocka_unit_test(conflicts_are_per_target),
		cmocka_unit_test(one_rule_raises_for_many_links),
		cmocka_unit_test(a_path_sees_its_link_and_host),
		cmocka_unit_test(an_empty_snapshot_has_no_findings),
		cmocka_unit_test(alike_links_are_judged_one_by_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
