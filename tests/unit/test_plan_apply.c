/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an apply and a rollback do when the host moves under them. */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/fake_plan.h"

/* The link vanishes, or another takes its number, between two steps. */
static bool vanish_stop(void *arg)
{
	unsigned *after = arg;

	if ((*after)-- == 0)
		kernel->gone = true;
	return false;
}

static bool rename_stop(void *arg)
{
	unsigned *after = arg;

	if ((*after)-- == 0)
		snprintf(kernel->name, sizeof kernel->name, "lan0");
	return false;
}

static void apply_with(bool (*stop)(void *arg), unsigned after, struct nt_change_result *r,
	struct nt_err *err, int *rc)
{
	struct nt_apply_opts o = { .state_dir = state_dir, .stop = stop, .arg = &after };
	struct nt_sys *s = fake_sys(kernel);
	struct nt_plan p;

	fresh();
	make_plan(&p);
	*rc = nt_apply(s, &p, &o, r, err);
	nt_plan_free(&p);
	nt_sys_free(s);
}

static void links_that_go(void **state)
{
	struct nt_change_result r;
	struct nt_err err;
	unsigned n, i, gone;
	int rc;

	(void)state;
	for (n = 1; n < 12; n++) {
		apply_with(vanish_stop, n, &r, &err, &rc);
		assert_true(rc < 0);
		for (i = gone = 0; i < r.n_undo; i++)
			gone += r.undo[i].state == NT_UNDO_GONE;
		assert_true(gone > 0);
		assert_int_equal(kernel->rmem[2], before.rmem[2]);
		assert_string_equal(kernel->somaxconn, before.somaxconn);
		nt_change_result_free(&r);

		/* a renamed link is still the same one */
		apply_with(rename_stop, n, &r, &err, &rc);
		nt_change_result_free(&r);
		if (rc == 0) {
			assert_int_equal(rollback(&r, &err), 0);
			nt_change_result_free(&r);
		}
		snprintf(kernel->name, sizeof kernel->name, "eth0");
		must_be_as_before("renamed");
	}
}

/* Another device under the same number or name: refused, and nothing of it is written. */
static void another_link(void **state)
{
	struct nt_change_result r;
	struct nt_err err;
	struct outcome o;

	(void)state;
	/* another card in the same slot of the kernel's table */
	fresh();
	apply_fault("", &o);
	kernel->perm[5] = 0x99;
	assert_int_equal(rollback(&r, &err), -EUCLEAN);
	assert_true(r.n_left > 0);
	assert_int_equal(kernel->ring_rx, 4096);
	assert_string_equal(kernel->somaxconn, "128");
	nt_change_result_free(&r);
	/* the name goes to another link */
	fresh();
	apply_fault("", &o);
	kernel->ifindex = 7;
	kernel->ring_rx = 2048;
	assert_int_equal(rollback(&r, &err), -EUCLEAN);
	assert_true(r.n_left > 0);
	assert_int_equal(kernel->ring_rx, 2048);
	assert_string_equal(kernel->somaxconn, "128");
	nt_change_result_free(&r);
}

/* What somebody else changed since is left alone and told; all else is undone. */
static void foreign_changes(void **state)
{
	struct nt_change_result r;
	struct nt_err err;
	struct outcome o;
	unsigned i, n;

	(void)state;
	fresh();
	apply_fault("", &o);
	kernel->ring_rx = 2048;
	kernel->rmem[2] = 99;
	assert_int_equal(rollback(&r, &err), -EUCLEAN);
	for (i = n = 0; i < r.n_undo; i++)
		if (r.undo[i].state == NT_UNDO_FOREIGN) {
			n++;
			assert_true(strcmp(r.undo[i].key, "ring.rx") == 0 ||
				    strcmp(r.undo[i].key, "sysctl.net.ipv4.tcp_rmem") == 0);
		}
	assert_int_equal(n, 2);
	assert_int_equal(r.n_left, 2);
	assert_int_equal(kernel->ring_rx, 2048);
	assert_int_equal(kernel->rmem[2], 99);
	kernel->ring_rx = 256;
	memcpy(kernel->rmem, before.rmem, sizeof kernel->rmem);
	must_be_as_before("all else");
	nt_change_result_free(&r);
}

/* A plan whose values are not the host's any more, and a value that moves in between. */
static bool foreign_stop(void *arg)
{
	(void)arg;
	snprintf(kernel->somaxconn, sizeof kernel->somaxconn, "512");
	return false;
}

static void stale_plans(void **state)
{
	struct nt_apply_opts o = { .state_dir = state_dir };
	struct nt_sys *s = fake_sys(kernel);
	struct nt_change_result r;
	struct nt_err err;
	struct nt_plan p;
	int rc;

	(void)state;
	fresh();
	kernel->ring_rx = 512;
	make_plan(&p);
	assert_int_equal(nt_apply(s, &p, &o, &r, &err), -ESTALE);
	assert_non_null(strstr(err.msg, "ring.rx"));
	assert_false(r.changed);
	assert_int_equal(kernel->writes, 0);
	nt_change_result_free(&r);
	nt_plan_free(&p);
	nt_sys_free(s);

	apply_with(foreign_stop, 0, &r, &err, &rc);
	assert_int_equal(rc, -ESTALE);
	assert_non_null(strstr(err.msg, "somaxconn"));
	assert_string_equal(kernel->somaxconn, "512");
	nt_change_result_free(&r);
	snprintf(kernel->somaxconn, sizeof kernel->somaxconn, "128");
	must_be_as_before("all but the foreign value");
}

static bool stop_at(void *arg)
{
	unsigned *after = arg;

	return (*after)-- == 0;
}

static void interrupted(void **state)
{
	struct nt_change_result r;
	struct nt_err err;
	unsigned n;
	int rc;

	(void)state;
	for (n = 0; n < 15; n++) {
		apply_with(stop_at, n, &r, &err, &rc);
		assert_int_equal(rc, -EINTR);
		assert_false(r.changed);
		nt_change_result_free(&r);
		must_be_as_before("interrupted");
	}
}

/* A clamp is told, kept, and not tried again. */
static void clamped(void **state)
{
	struct nt_apply_opts o = { .state_dir = state_dir };
	struct nt_sys *s = fake_sys(kernel);
	struct nt_change_result r;
	struct nt_err err;
	struct nt_plan p = { 0 };

	(void)state;
	fresh();
	add_step(&p, "ring.rx", "eth0", "256", "1001");
	assert_int_equal(nt_apply(s, &p, &o, &r, &err), 0);
	assert_int_equal(p.v->outcome, NT_OUT_CLAMPED);
	assert_string_equal(p.v->got, "1008");
	nt_change_result_free(&r);
	nt_plan_free(&p);
	add_step(&p, "ring.rx", "eth0", "1008", "1001");
	kernel->writes = 0;
	assert_int_equal(nt_apply(s, &p, &o, &r, &err), 0);
	assert_false(r.changed);
	assert_int_equal(kernel->writes, 0);
	nt_change_result_free(&r);
	nt_plan_free(&p);
	nt_sys_free(s);
}

/* A mask's last digits count, however many there are. */
static void wide_masks(void **state)
{
	struct nt_apply_opts o = { .state_dir = state_dir };
	struct nt_sys *s = fake_sys(kernel);
	struct nt_change_result r;
	struct nt_err err;
	struct nt_plan p = { 0 };

	(void)state;
	fresh();
	kernel->wide = true;
	add_step(&p, "rps.rx-1", "eth0", "0", "5");
	assert_int_equal(nt_apply(s, &p, &o, &r, &err), 0);
	assert_int_equal(p.v->outcome, NT_OUT_DONE);
	assert_string_equal(kernel->rps[1], "5");
	nt_change_result_free(&r);
	assert_int_equal(nt_rollback(s, state_dir, 0, &r, &err), 0);
	nt_change_result_free(&r);
	nt_plan_free(&p);
	nt_sys_free(s);
	kernel->wide = false;
	must_be_as_before("wide masks");
}

/* The kernel's own words reach the step. */
static void refused(void **state)
{
	struct nt_apply_opts o = { .state_dir = state_dir };
	struct nt_sys *s = fake_sys(kernel);
	struct nt_change_result r;
	struct nt_err err;
	struct nt_plan p = { 0 };

	(void)state;
	fresh();
	add_step(&p, "link.mtu", "eth0", "1500", "9500");
	assert_int_equal(nt_apply(s, &p, &o, &r, &err), -EINVAL);
	assert_string_equal(err.kernel, "mtu greater than device maximum");
	assert_string_equal(p.v->kernel, "mtu greater than device maximum");
	assert_false(r.changed);
	nt_change_result_free(&r);
	nt_plan_free(&p);
	nt_sys_free(s);
	must_be_as_before("refused");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(links_that_go),
		cmocka_unit_test(another_link),
		cmocka_unit_test(foreign_changes),
		cmocka_unit_test(stale_plans),
		cmocka_unit_test(interrupted),
		cmocka_unit_test(clamped),
		cmocka_unit_test(wide_masks),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, fake_plan_setup, fake_plan_teardown);
}
