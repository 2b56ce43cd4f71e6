/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "nettune/mem.h"
#include "nettune/sysfault.h"

static char path[64];

static int set_up(void **state)
{
	int fd;

	snprintf(path, sizeof path, "/tmp/nettune-fault.XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "12345678\n", 9), 9);
	close(fd);
	*state = NULL;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	return unlink(path);
}

static struct nt_sys *open_with(const char *spec)
{
	struct nt_sys *live, *s;
	struct nt_err err;

	live = nt_sys_live(0, &err);
	assert_non_null(live);
	s = nt_sys_fault(live, spec, &err);
	assert_non_null(s);
	return s;
}

static const char *content(struct nt_sys *s)
{
	static char text[64];
	struct nt_buf b = { 0 };
	struct nt_err err;

	if (nt_sys_read_line(s, path, &b, &err) < 0)
		snprintf(text, sizeof text, "error %d", err.code);
	else
		snprintf(text, sizeof text, "%s", nt_buf_str(&b));
	nt_buf_free(&b);
	return text;
}

static void none(void **state)
{
	struct nt_sys *s = open_with("");

	(void)state;
	assert_string_equal(content(s), "12345678");
	assert_int_equal(s->ops->write(s, path, "abcdefgh\n", 9, NULL), 0);
	assert_string_equal(content(s), "abcdefgh");
	assert_int_equal(nt_sys_fault_calls(s), 3);
	assert_int_equal(nt_sys_fault_hits(s), 0);
	nt_sys_free(s);
}

static void by_number(void **state)
{
	struct nt_sys *s = open_with("2:EIO");

	(void)state;
	assert_string_equal(content(s), "12345678");
	assert_string_equal(content(s), "error -5");
	assert_string_equal(content(s), "12345678");
	assert_int_equal(nt_sys_fault_hits(s), 1);
	nt_sys_free(s);
}

static void by_subject(void **state)
{
	struct nt_sys *s = open_with("read/*nettune-fault*#2:EACCES;read/*nothing*:EIO");
	struct nt_buf b = { 0 };

	(void)state;
	assert_string_equal(content(s), "12345678");
	assert_int_equal(s->ops->read(s, "/proc/self/comm", &b, NULL), 0);
	assert_string_equal(content(s), "error -13");
	assert_string_equal(content(s), "12345678");
	nt_buf_free(&b);
	nt_sys_free(s);
}

static void short_write(void **state)
{
	struct nt_sys *s = open_with("change:short");
	struct nt_err err;

	(void)state;
	assert_int_equal(s->ops->write(s, path, "abcdefgh\n", 9, &err), -EIO);
	assert_non_null(strstr(err.msg, "4 of 9"));
	assert_string_equal(content(s), "abcd5678");
	nt_sys_free(s);
}

static void clamped(void **state)
{
	struct nt_sys *s = open_with("write:clamp=77");

	(void)state;
	assert_int_equal(s->ops->write(s, path, "99999999\n", 9, NULL), 0);
	assert_string_equal(content(s), "77345678");
	nt_sys_free(s);
}

static void done_but_failed(void **state)
{
	struct nt_sys *s = open_with("write:EBUSY,done");
	struct nt_err err;

	(void)state;
	assert_int_equal(s->ops->write(s, path, "x", 1, &err), -EBUSY);
	assert_string_equal(err.kernel, "injected fault");
	assert_string_equal(content(s), "x2345678");
	nt_sys_free(s);
}

static void ignored_and_hanging(void **state)
{
	struct nt_sys *s = open_with("write#1:ignore;write#2:hang=1;write#3:hang=1,EIO");

	(void)state;
	assert_int_equal(s->ops->write(s, path, "a", 1, NULL), 0);
	assert_string_equal(content(s), "12345678");
	assert_int_equal(s->ops->write(s, path, "b", 1, NULL), 0);
	assert_string_equal(content(s), "b2345678");
	assert_int_equal(s->ops->write(s, path, "c", 1, NULL), -EIO);
	assert_string_equal(content(s), "b2345678");
	nt_sys_free(s);
}

static void killed(void **state)
{
	static const char *const specs[] = { "write:kill", "write:killed" };
	static const char *const after[] = { "12345678", "x2345678" };
	struct nt_sys *s;
	int i, status;
	pid_t pid;

	(void)state;
	for (i = 0; i < 2; i++) {
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0) {
			s = open_with(specs[i]);
			s->ops->write(s, path, "x", 1, NULL);
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		s = open_with("");
		assert_string_equal(content(s), after[i]);
		nt_sys_free(s);
	}
}

struct seen {
	int values, errors, code;
};

static void tally(void *arg, int ifindex, const struct nt_eth_val *v, const struct nt_err *err)
{
	struct seen *s = arg;

	(void)ifindex;
	s->values += v != NULL;
	s->errors += err != NULL;
	if (err)
		s->code = err->code;
}

/* lo is in every namespace and has features */
static void failing_device(void **state)
{
	struct nt_sys *s = open_with("eth_get/features:device=lo,EIO");
	struct nt_links l = { 0 };
	struct seen all = { 0 }, one = { 0 };
	struct nt_err err;

	(void)state;
	assert_int_equal(s->ops->links(s, &l, &err), 0);
	assert_non_null(nt_links_by_name(&l, "lo"));
	assert_int_equal(s->ops->eth_get(s, NT_ETH_FEATURES, 0, &l, tally, &all, &err), 0);
	assert_int_equal(all.errors, 1);
	assert_int_equal(all.code, -EIO);
	assert_int_equal(s->ops->eth_get(s, NT_ETH_FEATURES,
				 nt_links_by_name(&l, "lo")->ifindex, &l, tally, &one, &err),
		-EIO);
	assert_non_null(strstr(err.msg, "features of 'lo'"));
	assert_int_equal(one.values + one.errors, 0);
	nt_links_free(&l);
	nt_sys_free(s);
}

static void alternative_names(void **state)
{
	struct nt_sys *s = open_with("link_name/other:ETIMEDOUT");
	char name[NT_IFNAMSIZ];
	struct nt_err err;

	(void)state;
	assert_int_equal(s->ops->link_name(s, "no such link", name, &err), -ENODEV);
	assert_int_equal(s->ops->link_name(s, "other", name, &err), -ETIMEDOUT);
	assert_int_equal(nt_sys_fault_calls(s), 2);
	assert_int_equal(nt_sys_fault_hits(s), 1);
	nt_sys_free(s);
}

static void bad_specs(void **state)
{
	static const char *const bad[] = { "x", ":EIO", "0:EIO", "read:", "read:EWHAT",
		"read:clamp", "read:clamp=x",
		"read#0:EIO", "read:hang=5,WHAT", "eth_get:device=lo", "1:EIO;2",
		"read:short=4", "read:EIO,twice" };
	struct nt_sys *live;
	struct nt_err err;
	size_t i;

	(void)state;
	live = nt_sys_live(0, &err);
	assert_non_null(live);
	for (i = 0; i < NT_ARRAY_SIZE(bad); i++) {
		if (nt_sys_fault(live, bad[i], &err))
			fail_msg("'%s' was understood", bad[i]);
		assert_int_equal(err.code, -EINVAL);
		assert_non_null(strstr(err.msg, "cannot understand the fault"));
	}
	nt_sys_free(live);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(none, set_up, tear_down),
		cmocka_unit_test_setup_teardown(by_number, set_up, tear_down),
		cmocka_unit_test_setup_teardown(by_subject, set_up, tear_down),
		cmocka_unit_test_setup_teardown(short_write, set_up, tear_down),
		cmocka_unit_test_setup_teardown(clamped, set_up, tear_down),
		cmocka_unit_test_setup_teardown(done_but_failed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(ignored_and_hanging, set_up, tear_down),
		cmocka_unit_test_setup_teardown(killed, set_up, tear_down),
		cmocka_unit_test(failing_device),
		cmocka_unit_test(alternative_names),
		cmocka_unit_test(bad_specs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
