/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/fake_plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "nettune/mem.h"
#include "nettune/sysfault.h"

struct fake_kernel *kernel, before;
char state_dir[] = "/dev/shm/nettune-torture.XXXXXX"; /* memory: a sync costs nothing */

static void clear_state(void)
{
	char path[96];
	int i;

	for (i = 1; i < 4; i++) {
		snprintf(path, sizeof path, "%s/changes/%d.journal", state_dir, i);
		unlink(path);
	}
	snprintf(path, sizeof path, "%s/changes", state_dir);
	rmdir(path);
	snprintf(path, sizeof path, "%s/lock", state_dir);
	unlink(path);
}

void fresh(void)
{
	clear_state();
	fake_init(kernel);
}

void add_step(struct nt_plan *p, const char *tunable, const char *link, const char *from,
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

void make_plan(struct nt_plan *p)
{
	memset(p, 0, sizeof *p);
	add_step(p, "link.mtu", "eth0", "1500", "9000");
	add_step(p, "channels.combined", "eth0", "2", "4");
	add_step(p, "ring.rx", "eth0", "256", "4096");
	add_step(p, "ring.tx", "eth0", "256", "1024");
	add_step(p, "pause.rx", "eth0", "off", "on");
	add_step(p, "eee.enabled", "eth0", "on", "off");
	add_step(p, "coalesce.rx-usecs", "eth0", "3", "50");
	add_step(p, "coalesce.adaptive-rx", "eth0", "off", "on");
	add_step(p, "feature.tx-scatter-gather", "eth0", "on", "off");
	add_step(p, "feature.rx-hashing", "eth0", "off", "on");
	add_step(p, "link.txqueuelen", "eth0", "1000", "5000");
	add_step(p, "qdisc.root", "eth0", "pfifo", "fq");
	add_step(p, "link.gro_flush_timeout", "eth0", "0", "20000");
	add_step(p, "link.napi_defer_hard_irqs", "eth0", "0", "2");
	add_step(p, "rps.rx-1", "eth0", "0", "c");
	add_step(p, "xps.tx-0", "eth0", "0", "1");
	add_step(p, "irq.41.affinity", "eth0", "0-3", "2");
	add_step(p, "irq.7.affinity", "eth0", "0-3", "3");
	add_step(p, "sysctl.net.core.netdev_max_backlog", "", "1000", "5000");
	add_step(p, "sysctl.net.core.somaxconn", "", "128", "4096");
	add_step(p, "sysctl.net.ipv4.tcp_congestion_control", "", "cubic", "bbr");
	add_step(p, "sysctl.net.ipv4.tcp_rmem.default", "", "131072", "262144");
	add_step(p, "sysctl.net.ipv4.tcp_rmem.max", "", "4194304", "16777216");
	nt_plan_order(p);
}

void apply_fault(const char *fault, struct outcome *ret)
{
	struct nt_apply_opts o = { .state_dir = state_dir };
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
	ret->calls = nt_sys_fault_calls(s);
	ret->hits = nt_sys_fault_hits(s);
	snprintf(ret->msg, sizeof ret->msg, "%s", err.msg);
	nt_change_result_free(&r);
	nt_plan_free(&p);
	nt_sys_free(s);
}

int rollback(struct nt_change_result *r, struct nt_err *err)
{
	struct nt_sys *s = fake_sys(kernel);
	int rc = nt_rollback(s, state_dir, 0, r, err);

	nt_sys_free(s);
	return rc;
}

void must_be_as_before(const char *what)
{
	struct nt_buf b = { 0 };

	fake_diff(kernel, &before, &b);
	if (b.len)
		fail_msg("%s: %s", what, nt_buf_str(&b));
	nt_buf_free(&b);
}

int fake_plan_setup(void **state)
{
	(void)state;
	kernel = mmap(NULL, sizeof *kernel, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		-1, 0);
	fake_init(&before);
	if (access("/dev/shm", W_OK) < 0)
		memcpy(state_dir, "/tmp/./.", 8);
	return kernel == MAP_FAILED || !mkdtemp(state_dir);
}

int fake_plan_teardown(void **state)
{
	(void)state;
	clear_state();
	munmap(kernel, sizeof *kernel);
	return rmdir(state_dir);
}
