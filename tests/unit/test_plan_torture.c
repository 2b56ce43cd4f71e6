/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An apply of every kind of tunable on a kernel in memory: every call fails in turn in every
 * way, the program is killed before and after every call, the journal is cut and damaged
 * everywhere. Afterwards the kernel is as it was, or a rollback makes it so, or what is not
 * has been said.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/fake_sys.h"
#include "nettune/mem.h"
#include "nettune/plan.h"
#include "nettune/sysfault.h"

static char dir[] = "/dev/shm/nettune-torture.XXXXXX"; /* memory: a sync costs nothing */
static struct fake_kernel *kernel, before;
static unsigned long points;

static void clear_state(void)
{
	char path[96];
	int i;

	for (i = 1; i < 4; i++) {
		snprintf(path, sizeof path, "%s/changes/%d.journal", dir, i);
		unlink(path);
	}
	snprintf(path, sizeof path, "%s/changes", dir);
	rmdir(path);
	snprintf(path, sizeof path, "%s/lock", dir);
	unlink(path);
}

static void add(struct nt_plan *p, const char *tunable, const char *link, const char *from,
	const char *to)
{
	const struct nt_tunable *row = nt_tunable_find(tunable);
	struct nt_fact f = { .type = (uint8_t)row->type }, t = f;

	if (row->type == NT_FACT_INT) {
		f.v.i = strtol(from, NULL, 10);
		t.v.i = strtol(to, NULL, 10);
	} else if (row->type == NT_FACT_SWITCH) {
		f.v.i = strcmp(from, "on") == 0;
		t.v.i = strcmp(to, "on") == 0;
	} else {
		f.v.s = from;
		t.v.s = to;
	}
	nt_plan_add(p, tunable, link, &f, &t, "torture");
}

/* Every kind; a step that moves others; two that join. */
static void make_plan(struct nt_plan *p)
{
	memset(p, 0, sizeof *p);
	add(p, "link.mtu", "eth0", "1500", "9000");
	add(p, "channels.combined", "eth0", "2", "4");
	add(p, "ring.rx", "eth0", "256", "4096");
	add(p, "ring.tx", "eth0", "256", "1024");
	add(p, "pause.rx", "eth0", "off", "on");
	add(p, "eee.enabled", "eth0", "on", "off");
	add(p, "coalesce.rx-usecs", "eth0", "3", "50");
	add(p, "coalesce.adaptive-rx", "eth0", "off", "on");
	add(p, "feature.tx-scatter-gather", "eth0", "on", "off");
	add(p, "feature.rx-hashing", "eth0", "off", "on");
	add(p, "link.txqueuelen", "eth0", "1000", "5000");
	add(p, "qdisc.root", "eth0", "pfifo", "fq");
	add(p, "link.gro_flush_timeout", "eth0", "0", "20000");
	add(p, "link.napi_defer_hard_irqs", "eth0", "0", "2");
	add(p, "rps.rx-1", "eth0", "0", "c");
	add(p, "xps.tx-0", "eth0", "0", "1");
	add(p, "irq.41.affinity", "eth0", "0-3", "2");
	add(p, "sysctl.net.core.netdev_max_backlog", "", "1000", "5000");
	add(p, "sysctl.net.core.somaxconn", "", "128", "4096");
	add(p, "sysctl.net.ipv4.tcp_congestion_control", "", "cubic", "bbr");
	add(p, "sysctl.net.ipv4.tcp_rmem.default", "", "131072", "262144");
	add(p, "sysctl.net.ipv4.tcp_rmem.max", "", "4194304", "16777216");
	nt_plan_order(p);
}

struct outcome {
	int rc;
	unsigned id, n_left;
	bool changed, told; /* told: a step has an error, or the call had */
	unsigned long calls, hits;
	char msg[400];
};

/* One apply on the kernel with this fault. */
static void apply(const char *fault, struct outcome *ret)
{
	struct nt_apply_opts o = { .state_dir = dir };
	struct nt_change_result r;
	struct nt_err err = { 0 };
	struct nt_plan p;
	struct nt_sys *s = nt_sys_fault(fake_sys(kernel), fault, &err);

	assert_non_null(s);
	make_plan(&p);
	memset(ret, 0, sizeof *ret);
	ret->rc = nt_apply(s, &p, &o, &r, &err);
	ret->id = r.id;
	ret->n_left = r.n_left;
	ret->changed = r.changed;
	ret->told = err.code && *err.msg;
	ret->calls = nt_sys_fault_calls(s);
	ret->hits = nt_sys_fault_hits(s);
	snprintf(ret->msg, sizeof ret->msg, "%s", err.msg);
	nt_change_result_free(&r);
	nt_plan_free(&p);
	nt_sys_free(s);
}

static int rollback(struct nt_change_result *r, struct nt_err *err)
{
	struct nt_sys *s = fake_sys(kernel);
	int rc = nt_rollback(s, dir, 0, r, err);

	nt_sys_free(s);
	return rc;
}

static void must_be_as_before(const char *what)
{
	struct nt_buf b = { 0 };

	fake_diff(kernel, &before, &b);
	if (b.len)
		fail_msg("%s: %s", what, nt_buf_str(&b));
	nt_buf_free(&b);
}

/* The whole plan takes, with the side effects, and a rollback undoes both. */
static void applies_and_undoes(void **state)
{
	struct nt_change_result r;
	struct nt_err err;
	struct outcome o;

	(void)state;
	clear_state();
	fake_init(kernel);
	apply("", &o);
	assert_string_equal(o.msg, "");
	assert_int_equal(o.rc, 0);
	assert_true(o.changed);
	assert_int_equal(kernel->ring_rx, 4096);
	assert_int_equal(kernel->rmem[1], 262144);
	assert_int_equal(kernel->rmem[2], 16777216);
	assert_string_equal(kernel->irq[1], "2");
	assert_false(kernel->active[2]); /* TSO went with scatter-gather */
	assert_false(kernel->route);
	apply("", &o);
	assert_int_equal(o.rc, 0);
	assert_false(o.changed);
	assert_int_equal(rollback(&r, &err), 0);
	assert_int_equal(r.n_left, 0);
	nt_change_result_free(&r);
	must_be_as_before("after the rollback");
}

static bool full(void)
{
	const char *s = getenv("NT_TORTURE");

	return s && strcmp(s, "full") == 0;
}

static void one_fault(unsigned long call, const char *what)
{
	struct nt_change_result r = { 0 };
	struct nt_err err;
	struct outcome o;
	char fault[64], text[700];

	snprintf(fault, sizeof fault, "%lu:%s", call, what);
	clear_state();
	fake_init(kernel);
	apply(fault, &o);
	points++;
	snprintf(text, sizeof text, "fault %s: rc %d, %s", fault, o.rc, o.msg);
	if (o.rc) {
		/* failed: as before at once, and said why */
		assert_true(o.told);
		if (o.n_left)
			fail_msg("%s: %u left", text, o.n_left);
		must_be_as_before(text);
		return;
	}
	/* survived: then a rollback must still find its way */
	if (o.id) {
		int rc = rollback(&r, &err);

		if (rc)
			fail_msg("%s: rollback: %s", text, err.msg);
		nt_change_result_free(&r);
	}
	must_be_as_before(text);
}

static void every_call_fails(void **state)
{
	static const char *const ways[] = { "EIO", "ENODEV", "EPERM", "EBUSY", "EINVAL", "ENOSPC",
		"EIO,done", "short", "clamp=7", "ignore" };
	struct outcome o;
	unsigned long calls, n;
	size_t w;

	(void)state;
	clear_state();
	fake_init(kernel);
	apply("", &o);
	calls = o.calls;
	for (n = 1; n <= calls; n++) {
		/* the ways in rotation, unless all is asked for: a read fails in few ways */
		for (w = 0; w < NT_ARRAY_SIZE(ways); w++)
			if (full() || w == n % 6)
				one_fault(n, ways[w]);
	}
}

/* Calls that change something: each in each way. */
static void every_change_fails(void **state)
{
	static const char *const ways[] = { "EIO", "ENODEV", "EPERM", "EBUSY", "EINVAL", "ENOSPC",
		"EIO,done", "short", "clamp=7", "ignore", "hang=1", "hang=1,EIO" };
	struct nt_change_result r;
	struct nt_err err;
	struct outcome o;
	char fault[64], text[600];
	unsigned long n;
	size_t w;

	(void)state;
	for (n = 1;; n++) {
		for (w = 0; w < NT_ARRAY_SIZE(ways); w++) {
			snprintf(fault, sizeof fault, "change#%lu:%s", n, ways[w]);
			clear_state();
			fake_init(kernel);
			apply(fault, &o);
			if (!o.hits)
				break;
			points++;
			snprintf(text, sizeof text, "%s: rc %d, %s", fault, o.rc, o.msg);
			if (o.rc == 0 && o.id) {
				assert_int_equal(rollback(&r, &err), 0);
				nt_change_result_free(&r);
			}
			must_be_as_before(text);
		}
		if (!o.hits)
			break;
	}
	assert_true(n > 15);
}

/* A driver that hangs once for as long as the worst ones do. */
static void a_driver_hangs(void **state)
{
	struct nt_change_result r;
	struct nt_err err;
	struct outcome o;

	(void)state;
	clear_state();
	fake_init(kernel);
	apply("eth_set/*ring*:hang=3000", &o);
	points++;
	assert_int_equal(o.rc, 0);
	assert_int_equal(rollback(&r, &err), 0);
	nt_change_result_free(&r);
	must_be_as_before("hung");
}

/* In a child that a fault kills. */
static bool killed(const char *fault)
{
	struct outcome o;
	int status;
	pid_t pid;

	clear_state();
	fake_init(kernel);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		apply(fault, &o);
		_exit(o.hits ? 1 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status);
}

static void restore_after_crash(const char *what)
{
	struct nt_change_result r;
	struct nt_err err = { 0 };
	int rc = rollback(&r, &err);

	/* -ENOENT: killed before the first line of the journal, so before any change */
	if (rc && rc != -ENOENT)
		fail_msg("%s: rollback: %s", what, err.msg);
	nt_change_result_free(&r);
	must_be_as_before(what);
}

static void append_text(const char *text)
{
	char path[96];
	FILE *f;

	snprintf(path, sizeof path, "%s/changes/1.journal", dir);
	f = fopen(path, "ae");
	if (!f)
		return;
	fputs(text, f);
	fclose(f);
}

static void killed_everywhere(void **state)
{
	char fault[64];
	unsigned long n, step = full() ? 1 : 17;

	(void)state;
	/* before and after every change */
	for (n = 1;; n++) {
		snprintf(fault, sizeof fault, "change#%lu:kill", n);
		if (!killed(fault))
			break;
		restore_after_crash(fault);
		snprintf(fault, sizeof fault, "change#%lu:killed", n);
		assert_true(killed(fault));
		restore_after_crash(fault);
		/* the same with the next line of the journal torn */
		assert_true(killed(fault));
		append_text("1234abcd {\"t\":\"do");
		restore_after_crash(fault);
		points += 3;
	}
	assert_true(n > 15);
	/* at the other calls, where the journal's lines are written between */
	for (n = 1;; n += step) {
		snprintf(fault, sizeof fault, "%lu:kill", n);
		if (!killed(fault))
			break;
		restore_after_crash(fault);
		points++;
	}
}

/* Killed while it undoes after a failure. */
static void killed_while_undoing(void **state)
{
	char fault[96];
	unsigned long n;

	(void)state;
	/* the 18th and last change fails; what follows are the undo's */
	for (n = 1;; n++) {
		snprintf(fault, sizeof fault,
			"write/*tcp_rmem*#1:EIO,done;change#%lu:killed", 18 + n);
		if (!killed(fault))
			break;
		restore_after_crash(fault);
		points++;
	}
	assert_true(n > 8);
}

static size_t read_journal(char *buf, size_t size)
{
	char path[96];
	FILE *f;
	size_t n;

	snprintf(path, sizeof path, "%s/changes/1.journal", dir);
	f = fopen(path, "re");
	assert_non_null(f);
	n = fread(buf, 1, size, f);
	fclose(f);
	return n;
}

static void write_journal(const char *buf, size_t n)
{
	char path[96];
	FILE *f;

	snprintf(path, sizeof path, "%s/changes/1.journal", dir);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_int_equal(fwrite(buf, 1, n, f), n);
	fclose(f);
}

/*
 * A journal that lost its tail, or has one line damaged: as long as its first line is whole
 * a rollback restores all; else it refuses, says so, and touches nothing.
 */
static void damaged_journals(void **state)
{
	static char whole[262144], cut[262144];
	struct nt_change_result r;
	struct fake_kernel applied;
	struct nt_err err;
	struct outcome o;
	size_t n, i, first;

	(void)state;
	clear_state();
	fake_init(kernel);
	apply("", &o);
	assert_int_equal(o.rc, 0);
	applied = *kernel;
	n = read_journal(whole, sizeof whole);
	first = (size_t)((char *)memchr(whole, '\n', n) - whole) + 1;
	for (i = 0; i < n; i += i < first ? 997 : 61) {
		*kernel = applied;
		write_journal(whole, i);
		points++;
		if (i < first) {
			assert_true(rollback(&r, &err) < 0);
			assert_true(*err.msg);
			nt_change_result_free(&r);
			assert_memory_equal(kernel, &applied, sizeof applied);
		}
	}
	for (i = 0; i < n; i += 83) {
		int rc;

		*kernel = applied;
		memcpy(cut, whole, n);
		cut[i] ^= 0x21;
		write_journal(cut, n);
		points++;
		rc = rollback(&r, &err);
		if (i < first) {
			assert_true(rc < 0);
			assert_memory_equal(kernel, &applied, sizeof applied);
		} else {
			if (rc)
				fail_msg("damage at %zu: %s", i, err.msg);
			must_be_as_before("damaged journal");
		}
		nt_change_result_free(&r);
	}
}

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
	struct nt_apply_opts o = { .state_dir = dir, .stop = stop, .arg = &after };
	struct nt_sys *s = fake_sys(kernel);
	struct nt_plan p;

	clear_state();
	fake_init(kernel);
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
		points++;
		assert_true(rc < 0);
		for (i = gone = 0; i < r.n_undo; i++)
			gone += r.undo[i].state == NT_UNDO_GONE;
		assert_true(gone > 0);
		assert_int_equal(kernel->rmem[2], before.rmem[2]);
		assert_string_equal(kernel->somaxconn, before.somaxconn);
		nt_change_result_free(&r);

		/* a renamed link is still the same one */
		apply_with(rename_stop, n, &r, &err, &rc);
		points++;
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
	struct fake_kernel other;
	struct nt_err err;
	struct outcome o;

	(void)state;
	clear_state();
	fake_init(kernel);
	apply("", &o);
	fake_init(kernel);
	kernel->perm[5] = 0x99;
	other = *kernel;
	assert_true(rollback(&r, &err) < 0 || r.n_left == 0);
	nt_change_result_free(&r);
	other.writes = kernel->writes;
	assert_int_equal(kernel->ring_rx, other.ring_rx);
	fake_init(kernel);
	clear_state();
	apply("", &o);
	kernel->ifindex = 7;
	kernel->ring_rx = 2048;
	assert_int_equal(rollback(&r, &err), -EUCLEAN);
	assert_true(r.n_left > 0);
	assert_int_equal(kernel->ring_rx, 2048);
	assert_string_equal(kernel->somaxconn, "128");
	nt_change_result_free(&r);
	points += 2;
}

/* What somebody else changed since is left alone and told; all else is undone. */
static void foreign_changes(void **state)
{
	struct nt_change_result r;
	struct nt_err err;
	struct outcome o;
	unsigned i, n;

	(void)state;
	clear_state();
	fake_init(kernel);
	apply("", &o);
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
	struct nt_apply_opts o = { .state_dir = dir };
	struct nt_sys *s = fake_sys(kernel);
	struct nt_change_result r;
	struct nt_err err;
	struct nt_plan p;
	int rc;

	(void)state;
	clear_state();
	fake_init(kernel);
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
		points++;
		assert_int_equal(rc, -EINTR);
		assert_false(r.changed);
		nt_change_result_free(&r);
		must_be_as_before("interrupted");
	}
}

/* A clamp is told, kept, and not tried again. */
static void clamped(void **state)
{
	struct nt_apply_opts o = { .state_dir = dir };
	struct nt_sys *s = fake_sys(kernel);
	struct nt_change_result r;
	struct nt_err err;
	struct nt_plan p = { 0 };

	(void)state;
	clear_state();
	fake_init(kernel);
	add(&p, "ring.rx", "eth0", "256", "1001");
	assert_int_equal(nt_apply(s, &p, &o, &r, &err), 0);
	assert_int_equal(p.v->outcome, NT_OUT_CLAMPED);
	assert_string_equal(p.v->got, "1008");
	nt_change_result_free(&r);
	nt_plan_free(&p);
	add(&p, "ring.rx", "eth0", "1008", "1001");
	kernel->writes = 0;
	assert_int_equal(nt_apply(s, &p, &o, &r, &err), 0);
	assert_false(r.changed);
	assert_int_equal(kernel->writes, 0);
	nt_change_result_free(&r);
	nt_plan_free(&p);
	nt_sys_free(s);
}

/* The kernel's own words reach the step. */
static void refused(void **state)
{
	struct nt_apply_opts o = { .state_dir = dir };
	struct nt_sys *s = fake_sys(kernel);
	struct nt_change_result r;
	struct nt_err err;
	struct nt_plan p = { 0 };

	(void)state;
	clear_state();
	fake_init(kernel);
	add(&p, "link.mtu", "eth0", "1500", "9500");
	assert_int_equal(nt_apply(s, &p, &o, &r, &err), -EINVAL);
	assert_string_equal(err.kernel, "mtu greater than device maximum");
	assert_string_equal(p.v->kernel, "mtu greater than device maximum");
	assert_false(r.changed);
	nt_change_result_free(&r);
	nt_plan_free(&p);
	nt_sys_free(s);
	must_be_as_before("refused");
}

static int setup(void **state)
{
	(void)state;
	kernel = mmap(NULL, sizeof *kernel, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		-1, 0);
	fake_init(&before);
	if (access("/dev/shm", W_OK) < 0)
		memcpy(dir, "/tmp/./.", 8);
	return kernel == MAP_FAILED || !mkdtemp(dir);
}

static int teardown(void **state)
{
	(void)state;
	clear_state();
	munmap(kernel, sizeof *kernel);
	print_message("# %lu points tried\n", points);
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(applies_and_undoes),
		cmocka_unit_test(every_change_fails),
		cmocka_unit_test(a_driver_hangs),
		cmocka_unit_test(killed_everywhere),
		cmocka_unit_test(killed_while_undoing),
		cmocka_unit_test(damaged_journals),
		cmocka_unit_test(links_that_go),
		cmocka_unit_test(another_link),
		cmocka_unit_test(foreign_changes),
		cmocka_unit_test(stale_plans),
		cmocka_unit_test(interrupted),
		cmocka_unit_test(clamped),
		cmocka_unit_test(refused),
		cmocka_unit_test(every_call_fails),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
