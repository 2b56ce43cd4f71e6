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
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/fake_plan.h"
#include "nettune/mem.h"

static unsigned long points;

/* The whole plan takes, with the side effects, and a rollback undoes both. */
static void applies_and_undoes(void **state)
{
	struct nt_change_result r;
	struct nt_err err;
	struct outcome o;

	(void)state;
	fresh();
	apply_fault("", &o);
	assert_string_equal(o.msg, "");
	assert_int_equal(o.rc, 0);
	assert_true(o.changed);
	assert_int_equal(kernel->ring_rx, 4096);
	assert_int_equal(kernel->rmem[1], 262144);
	assert_int_equal(kernel->rmem[2], 16777216);
	assert_string_equal(kernel->irq[1], "2");
	assert_string_equal(kernel->lone_irq, "3");
	assert_false(kernel->active[2]); /* TSO went with scatter-gather */
	assert_false(kernel->route);
	apply_fault("", &o);
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
	fresh();
	apply_fault(fault, &o);
	points++;
	snprintf(text, sizeof text, "fault %s: rc %d, %s", fault, o.rc, o.msg);
	if (o.rc) {
		/* failed: as before at once, and said why */
		assert_true(*o.msg);
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
		"EIO,done" };
	struct outcome o;
	unsigned long calls, n;
	size_t w;

	(void)state;
	fresh();
	apply_fault("", &o);
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
			fresh();
			apply_fault(fault, &o);
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
	fresh();
	apply_fault("eth_set/*ring*:hang=3000", &o);
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

	fresh();
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		apply_fault(fault, &o);
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

	snprintf(path, sizeof path, "%s/changes/1.journal", state_dir);
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
	/* the 19th and last change fails; what follows are the undo's */
	for (n = 1;; n++) {
		snprintf(fault, sizeof fault,
			"write/*tcp_rmem*#1:EIO,done;change#%lu:killed", 19 + n);
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

	snprintf(path, sizeof path, "%s/changes/1.journal", state_dir);
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

	snprintf(path, sizeof path, "%s/changes/1.journal", state_dir);
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
	fresh();
	apply_fault("", &o);
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
	/* nothing is built on top of a journal that can't be read */
	memcpy(cut, whole, n);
	cut[first / 2] ^= 0x21;
	write_journal(cut, n);
	*kernel = applied;
	apply_fault("", &o);
	assert_int_equal(o.rc, -EBADMSG);
	assert_memory_equal(kernel, &applied, sizeof applied);
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

/* A disk that fills up at any point of the journal. */
static void full_disks(void **state)
{
	struct rlimit r;
	unsigned long limit;
	struct outcome o;
	int status;
	pid_t pid;

	(void)state;
	for (limit = 0; limit < 400000; limit += limit < 8000 ? 1000 : 20000) {
		fresh();
		fflush(NULL);
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0) {
			signal(SIGXFSZ, SIG_IGN);
			r.rlim_cur = r.rlim_max = limit;
			setrlimit(RLIMIT_FSIZE, &r);
			apply_fault("", &o);
			_exit(o.rc == 0 ? 0 : *o.msg && !o.changed ? 1 : 2);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		assert_true(WEXITSTATUS(status) < 2);
		if (WEXITSTATUS(status) == 0)
			restore_after_crash("applied on a disk with room");
		must_be_as_before("full disk");
		points++;
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

static int teardown(void **state)
{
	print_message("# %lu points tried\n", points);
	return fake_plan_teardown(state);
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
		cmocka_unit_test(full_disks),
		cmocka_unit_test(every_call_fails),
	};

	return cmocka_run_group_tests(tests, fake_plan_setup, teardown);
}
