/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From findings to steps: what is taken, what is left out and why, in which order. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "nettune/plan.h"

static struct nt_rule rule_a = { .id = "a" }, rule_b = { .id = "b" }, rule_c = { .id = "c" };
static struct nt_scope host = { .kind = NT_SCOPE_HOST, .name = "" },
		       eth0 = { .kind = NT_SCOPE_LINK, .name = "eth0" };

#define INT(val) { .type = NT_FACT_INT, .v.i = (val) }
#define SWITCH(val) { .type = NT_FACT_SWITCH, .v.i = (val) }
#define FINDING(r, sev, ch)                                                              \
	{ .rule = &(r), .severity = NT_SEV_##sev, .changes = (ch),                       \
		.n_changes = sizeof(ch) / sizeof((ch)[0]) }

static void make(struct nt_finding *v, size_t n, struct nt_conflict *c, size_t n_c,
	const struct nt_plan_opts *o, struct nt_plan *ret)
{
	struct nt_findings f = { .v = v, .n = n, .conflicts = c, .n_conflicts = n_c };

	nt_plan_make(&f, NULL, o, ret);
}

static const struct nt_step *find(const struct nt_plan *p, const char *tunable,
	const char *rule)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (strcmp(p->v[i].tunable, tunable) == 0 && strcmp(p->v[i].rule, rule) == 0)
			return &p->v[i];
	return NULL;
}

static void advice_waits_to_be_named(void **state)
{
	struct nt_change big[] = { { "ring.rx", &eth0, NULL, INT(256), INT(4096), 0 } };
	struct nt_change on[] = {
		{ "feature.rx-gro", &eth0, NULL, SWITCH(0), SWITCH(1), 0 } };
	struct nt_finding v[] = { FINDING(rule_a, WARNING, big), FINDING(rule_b, ADVICE, on) };
	static const char *const only_b[] = { "b", NULL };
	struct nt_plan_opts o = { .risk = NT_RISK_LINK };
	struct nt_plan p;

	(void)state;
	make(v, 2, NULL, 0, &o, &p);
	assert_int_equal(p.n, 1);
	assert_string_equal(p.v->tunable, "ring.rx");
	assert_int_equal(p.v->risk, NT_RISK_LINK);
	nt_plan_free(&p);
	o.only = only_b;
	make(v, 2, NULL, 0, &o, &p);
	assert_int_equal(nt_plan_selected(&p), 1);
	assert_true(find(&p, "feature.rx-gro", "b")->selected);
	assert_string_equal(find(&p, "ring.rx", "a")->left_out, "not named by --only");
	nt_plan_free(&p);
	o = (struct nt_plan_opts){ .risk = NT_RISK_HOST };
	make(v, 2, NULL, 0, &o, &p);
	assert_int_equal(nt_plan_selected(&p), 0);
	assert_string_equal(p.v->left_out, "needs --risk link");
	nt_plan_free(&p);
}

static void two_rules_one_value(void **state)
{
	struct nt_change ch[] = { { "ring.rx", &eth0, NULL, INT(256), INT(4096), 0 } };
	struct nt_finding v[] = { FINDING(rule_a, PROBLEM, ch), FINDING(rule_b, WARNING, ch) };
	static const char *const just_a[] = { "a", NULL }, *const just_b[] = { "b", NULL };
	struct nt_plan_opts o = { .risk = NT_RISK_LINK };
	struct nt_plan p;

	(void)state;
	make(v, 2, NULL, 0, &o, &p);
	assert_int_equal(p.n, 1);
	assert_string_equal(p.v->rule, "a");
	nt_plan_free(&p);
	/* the other rule's word is enough when the first is skipped or not named */
	o.skip = just_a;
	make(v, 2, NULL, 0, &o, &p);
	assert_int_equal(nt_plan_selected(&p), 1);
	assert_string_equal(p.v->rule, "b");
	nt_plan_free(&p);
	o.skip = NULL;
	o.only = just_b;
	make(v, 2, NULL, 0, &o, &p);
	assert_int_equal(nt_plan_selected(&p), 1);
	assert_string_equal(p.v->rule, "b");
	nt_plan_free(&p);
}

static void conflicts(void **state)
{
	struct nt_change low[] = { { "coalesce.rx-usecs", &eth0, NULL, INT(3), INT(0), 0 } };
	struct nt_change high[] = { { "coalesce.rx-usecs", &eth0, NULL, INT(3), INT(50), 0 } };
	struct nt_finding v[] = { FINDING(rule_a, WARNING, low), FINDING(rule_b, WARNING, high) };
	struct nt_conflict c = { "coalesce.rx-usecs", &eth0, 0, 1, 1 };
	static const char *const skip_b[] = { "b", NULL };
	struct nt_plan_opts o = { .risk = NT_RISK_LINK };
	struct nt_plan p;

	(void)state;
	make(v, 2, &c, 1, &o, &p);
	assert_true(find(&p, "coalesce.rx-usecs", "b")->selected);
	assert_string_equal(find(&p, "coalesce.rx-usecs", "a")->left_out,
		"another value is wanted by b");
	nt_plan_free(&p);
	/* a winner that is skipped wins nothing */
	o.skip = skip_b;
	make(v, 2, &c, 1, &o, &p);
	assert_true(find(&p, "coalesce.rx-usecs", "a")->selected);
	nt_plan_free(&p);
	o.skip = NULL;
	c.winner = -1;
	make(v, 2, &c, 1, &o, &p);
	assert_int_equal(nt_plan_selected(&p), 0);
	assert_string_equal(find(&p, "coalesce.rx-usecs", "a")->left_out,
		"only a measurement can settle the conflict with b");
	nt_plan_free(&p);
	/* even one that nobody told of leaves no tunable with two values */
	make(v, 2, NULL, 0, &o, &p);
	assert_int_equal(nt_plan_selected(&p), 1);
	nt_plan_free(&p);
}

static void order(void **state)
{
	static const char *const want[] = { "link.mtu", "channels.combined", "ring.rx",
		"coalesce.rx-usecs", "feature.tx-scatter-gather", "feature.tx-checksum-ipv4",
		"feature.tx-tcp-segmentation", "qdisc.root", "rps.rx-0",
		"sysctl.net.core.somaxconn" };
	struct nt_change ch[] = {
		{ "sysctl.net.core.somaxconn", &host, NULL, INT(1), INT(2), 0 },
		{ "rps.rx-0", &eth0, NULL, { .type = NT_FACT_TEXT, .v.s = "0" },
			{ .type = NT_FACT_TEXT, .v.s = "f" }, 0 },
		{ "feature.tx-tcp-segmentation", &eth0, NULL, SWITCH(0), SWITCH(1), 0 },
		{ "feature.tx-checksum-ipv4", &eth0, NULL, SWITCH(0), SWITCH(1), 0 },
		{ "feature.tx-scatter-gather", &eth0, NULL, SWITCH(0), SWITCH(1), 0 },
		{ "qdisc.root", &eth0, NULL, { .type = NT_FACT_TEXT, .v.s = "a" },
			{ .type = NT_FACT_TEXT, .v.s = "fq" }, 0 },
		{ "coalesce.rx-usecs", &eth0, NULL, INT(1), INT(2), 0 },
		{ "ring.rx", &eth0, NULL, INT(1), INT(2), 0 },
		{ "channels.combined", &eth0, NULL, INT(1), INT(2), 0 },
		{ "link.mtu", &eth0, NULL, INT(1500), INT(9000), 0 },
		{ "link.txqueuelen", &eth0, NULL, INT(1000), INT(1000), 0 }, /* no change */
	};
	struct nt_finding v[] = { FINDING(rule_c, PROBLEM, ch) };
	struct nt_plan_opts o = { .risk = NT_RISK_LINK };
	struct nt_plan p;
	size_t i;

	(void)state;
	make(v, 1, NULL, 0, &o, &p);
	assert_int_equal(p.n, sizeof want / sizeof want[0]);
	for (i = 0; i < p.n; i++)
		assert_string_equal(p.v[i].tunable, want[i]);
	nt_plan_free(&p);
}

/* Inside a network namespace the global values are left out, and said why. */
static void inside_a_namespace(void **state)
{
	struct nt_change ch[] = {
		{ "sysctl.net.core.rmem_max", &host, NULL, INT(1), INT(2), 0 },
		{ "sysctl.net.core.somaxconn", &host, NULL, INT(1), INT(2), 0 } };
	struct nt_finding v[] = { FINDING(rule_a, PROBLEM, ch) };
	struct nt_findings f = { .v = v, .n = 1 };
	struct nt_plan_opts o = { .risk = NT_RISK_LINK };
	struct nt_snapshot *s = nt_snapshot_new();
	struct nt_plan p;

	(void)state;
	s->live = true;
	nt_fact_int(s, &s->host, "sysctl.net.core.somaxconn", NT_UNIT_NONE, 4096);
	nt_snapshot_seal(s);
	nt_plan_make(&f, s, &o, &p);
	assert_true(find(&p, "sysctl.net.core.somaxconn", "a")->selected);
	assert_non_null(strstr(find(&p, "sysctl.net.core.rmem_max", "a")->left_out,
		"inside a network namespace"));
	nt_plan_free(&p);
	s->live = false; /* a capture need not hold everything */
	nt_plan_make(&f, s, &o, &p);
	assert_int_equal(nt_plan_selected(&p), 2);
	nt_plan_free(&p);
	nt_snapshot_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(advice_waits_to_be_named),
		cmocka_unit_test(two_rules_one_value),
		cmocka_unit_test(conflicts),
		cmocka_unit_test(order),
		cmocka_unit_test(inside_a_namespace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
