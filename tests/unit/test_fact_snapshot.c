/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "nettune/fact.h"

static void last_known_value_wins(void **state)
{
	struct nt_snapshot *s = nt_snapshot_new();
	struct nt_scope *l = nt_snapshot_add_link(s, "eth0");
	char shown[64];

	(void)state;
	nt_fact_absent(s, l, "link.speed", "the driver does not report it");
	nt_fact_int(s, l, "link.mtu", NT_UNIT_BYTES, 1500);
	nt_fact_int(s, l, "link.speed", NT_UNIT_MBPS, 1000);
	nt_fact_int(s, l, "link.mtu", NT_UNIT_BYTES, 9000);
	nt_fact_absent(s, l, "link.mtu", "too late");
	nt_fact_absent(s, l, "ring.rx", "first");
	nt_fact_absent(s, l, "ring.rx", "second");
	nt_snapshot_seal(s);
	assert_int_equal(l->n, 3);
	assert_int_equal(nt_scope_get(s, l, "link.speed")->v.i, 1000);
	assert_int_equal(nt_scope_get(s, l, "link.mtu")->v.i, 9000);
	assert_string_equal(nt_scope_get(s, l, "ring.rx")->v.s, "second");
	assert_null(nt_scope_get(s, l, "no.such"));
	assert_null(nt_scope_get(s, &s->host, "link.mtu"));
	nt_fact_format_human(shown, sizeof shown, nt_scope_get(s, l, "link.speed"));
	assert_string_equal(shown, "1000 Mbit/s");
	nt_snapshot_free(s);
}

static void many_names_stay_apart(void **state)
{
	struct nt_snapshot *s = nt_snapshot_new();
	char name[32];
	int i;

	(void)state;
	for (i = 5000; i-- > 0;) {
		snprintf(name, sizeof name, "stat.n%d", i);
		nt_fact_int(s, &s->host, name, NT_UNIT_NONE, i);
	}
	nt_snapshot_seal(s);
	for (i = 0; i < 5000; i++) {
		snprintf(name, sizeof name, "stat.n%d", i);
		assert_int_equal(nt_scope_get(s, &s->host, name)->v.i, i);
	}
	nt_snapshot_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(last_known_value_wins),
		cmocka_unit_test(many_names_stay_apart),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
