/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The probe's arithmetic: histogram, robust fit, completion, /proc readings, receiving. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "nettune/buf.h"
#include "nettune/clock.h"
#include "nettune/mem.h"
#include "probe/completion.h"
#include "probe/fit.h"
#include "probe/hist.h"
#include "probe/run.h"
#include "probe/sample.h"
#include "probe/stream.h"

static uint64_t next(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Every bucket begins where the one before ends, and holds its own beginning. */
static void buckets(void **state)
{
	uint64_t x = 1, v;
	unsigned i;

	(void)state;
	for (i = 1; i < NT_HIST_BUCKETS; i++) {
		assert_true(nt_hist_floor(i) > nt_hist_floor(i - 1));
		assert_int_equal(nt_hist_bucket(nt_hist_floor(i)), i);
		assert_int_equal(nt_hist_bucket(nt_hist_floor(i) - 1), i - 1);
	}
	assert_int_equal(nt_hist_bucket(UINT64_MAX), NT_HIST_BUCKETS - 1);
	for (i = 0; i < 10000; i++) {
		v = next(&x) >> (x % 64);
		assert_true(nt_hist_floor(nt_hist_bucket(v)) <= v);
	}
}

/* Quantiles agree with sorting within a bucket's width, at every magnitude. */
static void quantiles(void **state)
{
	enum { COUNT = 20000 };
	static const double qs[] = { 0.001, 0.5, 0.9, 0.99, 0.999, 1 };
	struct nt_hist *h = calloc(1, sizeof *h), *half = calloc(1, sizeof *half);
	uint64_t *v = calloc(COUNT, sizeof *v), x = 7, want;
	double got, sum = 0;
	size_t i;

	(void)state;
	nt_hist_reset(h);
	nt_hist_reset(half);
	assert_true(isnan(nt_hist_quantile(h, 0.5)));
	for (i = 0; i < COUNT; i++) {
		v[i] = 1 + next(&x) % (1ull << (5 + i % 30));
		sum += v[i];
		nt_hist_add(i % 2 ? h : half, v[i]);
	}
	nt_hist_merge(h, half);
	qsort(v, COUNT, sizeof *v, by_value);
	assert_int_equal(h->n, COUNT);
	assert_int_equal(h->min, v[0]);
	assert_int_equal(h->max, v[COUNT - 1]);
	assert_true(fabs(h->sum - sum) < 1);
	for (i = 0; i < NT_ARRAY_SIZE(qs); i++) {
		want = v[(size_t)ceil(qs[i] * COUNT) - 1];
		got = nt_hist_quantile(h, qs[i]);
		if (fabs(got - want) > want * 0.016)
			fail_msg("q %g: %g, want %ju", qs[i], got, (uintmax_t)want);
	}
	free(v);
	free(h);
	free(half);
}

static void fits(void **state)
{
	double x[90], y[90], a, b;
	uint64_t r = 3;
	int i;

	(void)state;
	for (i = 0; i < 90; i++) {
		x[i] = i % 3 == 0 ? 1 : i % 3 == 1 ? 5 : 20;
		y[i] = 10000 + 11.5 * x[i] + (double)(next(&r) % 7) - 3;
		if (i % 5 == 4) /* a fifth is nonsense */
			y[i] = next(&r) % 1000000;
	}
	assert_int_equal(nt_fit_line(x, y, 90, &a, &b), 0);
	if (fabs(a - 10000) > 10 || fabs(b - 11.5) > 1)
		fail_msg("intercept %g slope %g", a, b);
	for (i = 0; i < 90; i++)
		x[i] = 5;
	assert_int_equal(nt_fit_line(x, y, 90, &a, &b), -EINVAL);
	assert_int_equal(nt_fit_line(x, y, 0, &a, &b), -EINVAL);
}

/* N2 in a table: what is measured, what is late, and what can't be told. */
static void completions(void **state)
{
	static const struct {
		const char *what, *reason;
		double delay_us, each_us, wire_us;
		bool any, measurable, late;
	} rows[] = {
		{ "freed at once at 1 Gbit/s", NULL, 30, 11.7, 11.7, false, true, false },
		{ "a 10 ms timer", NULL, 10000, 11.7, 11.7, false, true, true },
		{ "just late", NULL, 4000, 11.7, 11.7, false, true, true },
		{ "not yet late", NULL, 3900, 11.7, 11.7, false, true, false },
		/* a shaper shows in the slope, not in the intercept */
		{ "ten times the wire time each", NULL, 5000, 117, 11.7, false, true, false },
		{ "speed not known", NULL, 10000, 11.7, NAN, false, false, false },
		{ "faster than the wire", NULL, 1, 0.5, 11.7, false, false, false },
		{ "doubted before", "the link is virtual", 10000, 11.7, 11.7, false, false, false },
		{ "believed anyway", NULL, 10000, 1, NAN, true, true, true },
	};
	static struct nt_completion_data d;
	struct nt_probe_completion c;
	uint64_t r = 11;
	size_t i;

	(void)state;
	for (i = 0; i < NT_ARRAY_SIZE(rows); i++) {
		memset(&c, 0, sizeof c);
		if (rows[i].reason)
			snprintf(c.reason, sizeof c.reason, "%s", rows[i].reason);
		for (d.n = 0; d.n < 120; d.n++) {
			d.burst[d.n] = d.n % 3 == 0 ? 1 : d.n % 3 == 1 ? 5 : 20;
			d.drain_us[d.n] = rows[i].delay_us + rows[i].each_us * d.burst[d.n] +
					  (double)(next(&r) % 100) / 1000;
			d.send_us[d.n] = 0.1 * d.burst[d.n];
		}
		nt_completion_judge(&d, rows[i].wire_us, rows[i].any, &c);
		if (c.measurable != rows[i].measurable || c.late != rows[i].late ||
			(!c.measurable) != (*c.reason != '\0') ||
			fabs(c.intercept_us - rows[i].delay_us) > 1)
			fail_msg("%s: measurable %d late %d delay %g reason '%s'", rows[i].what,
				c.measurable, c.late, c.intercept_us, c.reason);
	}
	memset(&c, 0, sizeof c);
	d.n = 5;
	nt_completion_judge(&d, 11.7, true, &c);
	assert_false(c.measurable);
	assert_string_equal(c.reason, "too few bursts were sent");
	/* 1442 bytes on the wire take 24 more: preamble, FCS, gap */
	assert_true(fabs(nt_completion_wire_ns(1e9) - 1466 * 8) < 0.01);
}

static void proc_stat(void **state)
{
	static const char before[] = "cpu  100 10 50 800 40 5 15 0 0 0\n"
				     "cpu0 50 5 25 400 20 5 15 0 0 0\n"
				     "cpu3 50 5 25 400 20 0 0 0 0 0\nintr 5 1 2\nctxt 1000\n";
	static const char after[] = "cpu  200 10 150 1000 40 5 65 50 0 0\n"
				    "cpu0 50 5 25 500 20 5 15 0 0 0\n"
				    "cpu3 150 5 125 500 20 0 50 50 0 0\nintr 5 1 2\nctxt 1500\n";
	struct nt_proc_stat a, b;
	struct nt_probe_cpu c;

	(void)state;
	assert_int_equal(nt_proc_stat_parse(before, &a), 0);
	assert_int_equal(nt_proc_stat_parse(after, &b), 0);
	assert_int_equal(a.n, 2);
	assert_int_equal(a.cpus[1].cpu, 3);
	assert_int_equal(b.ctxt - a.ctxt, 500);
	nt_cpu_between(&a.all, &b.all, &c);
	/* 100 user, 100 system, 50 softirq, 50 steal, 200 idle: of 500 */
	assert_true(c.user == 20 && c.system == 20 && c.softirq == 10 && c.steal == 10);
	assert_true(c.busy == 60);
	nt_cpu_between(&a.cpus[0], &b.cpus[0], &c);
	assert_true(c.busy == 0);
	nt_cpu_between(&a.all, &a.all, &c);
	assert_true(isnan(c.busy));
	nt_proc_stat_free(&a);
	nt_proc_stat_free(&b);
	assert_int_equal(nt_proc_stat_parse("", &a), -EINVAL);
	assert_int_equal(nt_proc_stat_parse("cpu x\n", &a), -EINVAL);
}

static void counters(void **state)
{
	struct nt_counters a = { 0 }, b = { 0 };
	struct nt_probe_counter d[8];
	unsigned n;

	(void)state;
	nt_counters_table("Tcp: A B C\nTcp: 1 2 18446744073709551615\nUdp: X\nUdp: 9\n", &a);
	nt_counters_softnet("00000010 00000001 00000002 0\n0000000f 00000000 00000001 0\n", &a);
	nt_counters_snmp6("Ip6InReceives                   \t5\n", &a);
	nt_counters_table("Tcp: A B C D\nTcp: 1 7 3 4\nUdp: X\nUdp: 10\n", &b);
	nt_counters_softnet("00000020 00000001 00000002 0\n0000000f 00000000 00000002 0\n", &b);
	nt_counters_snmp6("Ip6InReceives                   \t8\n", &b);
	n = nt_counters_between(&a, &b, d, NT_ARRAY_SIZE(d));
	/* C went back, D is new, A and dropped did not move */
	assert_int_equal(n, 5);
	assert_string_equal(d[0].name, "snmp.Tcp.B");
	assert_true(d[0].delta == 5);
	assert_string_equal(d[1].name, "snmp.Udp.X");
	assert_string_equal(d[2].name, "softnet.processed");
	assert_true(d[2].delta == 16);
	assert_string_equal(d[3].name, "softnet.time_squeeze");
	assert_string_equal(d[4].name, "snmp6.Ip6InReceives");
	assert_int_equal(nt_counters_between(&a, &b, d, 2), 2);
	free(a.v);
	free(b.v);
}

static void interrupts(void **state)
{
	static const char text[] =
		"           CPU0       CPU1\n"
		"  0:         44          0   IO-APIC    2-edge      timer\n"
		" 24:       1000        500   PCI-MSI 409600-edge      eth0-TxRx-0\n"
		" 25:          1          2   PCI-MSI 409601-edge      i40e-eth0-TxRx-1\n"
		" 26:        100        100   PCI-MSI 409602-edge      eth01-TxRx-0\n"
		" 27:          7          0   PCI-MSI 409603-edge      virtio3-input.0\n"
		"NMI:          5          5   Non-maskable interrupts\n";
	static const unsigned irqs[] = { 27 };
	bool found;

	(void)state;
	assert_int_equal(nt_interrupts_of(text, "eth0", NULL, 0, &found), 1503);
	assert_true(found);
	assert_int_equal(nt_interrupts_of(text, "eth1", NULL, 0, &found), 0);
	assert_false(found);
	assert_int_equal(nt_interrupts_of(text, "ens3", irqs, 1, &found), 7);
	assert_true(found);
}

static void doubts(void **state)
{
	struct nt_probe_egress e = { .link = "eth0", .qdisc = "mq", .speed_bps = 1e9 };

	(void)state;
	assert_null(nt_egress_doubt(&e));
	snprintf(e.qdisc, sizeof e.qdisc, "tbf");
	assert_string_equal(nt_egress_doubt(&e), "the outgoing link has a shaper");
	snprintf(e.qdisc, sizeof e.qdisc, "fq");
	e.backlog_bytes = 1500;
	assert_non_null(nt_egress_doubt(&e));
	e.backlog_bytes = 0;
	e.speed_bps = NAN;
	assert_string_equal(nt_egress_doubt(&e), "the outgoing link's speed is not known");
	e.virt = true;
	assert_string_equal(nt_egress_doubt(&e), "the outgoing link is virtual");
	*e.link = '\0';
	assert_string_equal(nt_egress_doubt(&e), "the outgoing link is not known");
}

/* ---- receiving ---------------------------------------------------------------------- */

static void connected(int ret[2])
{
	struct sockaddr_in addr = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int l = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof addr;

	assert_int_equal(bind(l, (struct sockaddr *)&addr, len), 0);
	assert_int_equal(getsockname(l, (struct sockaddr *)&addr, &len), 0);
	assert_int_equal(listen(l, 1), 0);
	ret[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(ret[0], (struct sockaddr *)&addr, len), 0);
	ret[1] = accept(l, NULL, NULL);
	close(l);
}

static int option(int fd, int name)
{
	int v = 0;
	socklen_t len = sizeof v;

	assert_int_equal(getsockopt(fd, SOL_SOCKET, name, &v, &len), 0);
	return v;
}

static void send_whole(int fd, const unsigned char *buf, size_t len)
{
	ssize_t n;

	for (; len; buf += n, len -= (size_t)n) {
		n = send(fd, buf, len, MSG_NOSIGNAL);
		assert_true(n > 0);
	}
}

/* The first two CPUs of this process; -1 where there is no second. */
static void two_cpus(int ret[2])
{
	cpu_set_t set;
	int cpu, n = 0;

	ret[0] = ret[1] = -1;
	assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
	for (cpu = 0; cpu < CPU_SETSIZE && n < 2; cpu++)
		if (CPU_ISSET(cpu, &set))
			ret[n++] = cpu;
}

static void bind_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	assert_int_equal(sched_setaffinity(0, sizeof set, &set), 0);
}

/*
 * A fast stream from another CPU is received in batches, for which the socket buffer does not grow; what
 * comes when it no longer is fast, less than a batch, is counted all the same.
 */
static void batches(void **state)
{
	static unsigned char block[1 << 20];
	struct nt_spec spec = { .n_groups = 1, .cpu = -1, .peer_cpu = -1,
		.groups[0] = { .flow = NT_FLOW_BULK, .streams = 1 } };
	atomic_bool stop = false, measuring = true;
	uint64_t begin = nt_now_ns(), sent = 0;
	struct nt_stream *s;
	int fd[2], cpu[2], batch = 1, i;
	cpu_set_t before;

	(void)state;
	connected(fd);
	two_cpus(cpu);
	assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
	bind_to(cpu[0]);
	spec.peer_cpu = cpu[cpu[1] >= 0];
	s = nt_stream_new(&spec, 0, NT_SIDE_SERVER, fd[1]);
	s->stop = &stop;
	s->measuring = &measuring;
	assert_int_equal(nt_stream_start(s, NULL), 0);
	while (batch == 1 && nt_now_ns() - begin < UINT64_C(1000000000) * (cpu[1] < 0 ? 1 : 30)) {
		send_whole(fd[0], block, sizeof block);
		sent += sizeof block;
		batch = option(fd[1], SO_RCVLOWAT);
	}
	if (cpu[1] < 0)
		assert_int_equal(batch, 1);
	else
		assert_in_range(batch, 32 * 1024, option(fd[1], SO_RCVBUF) / 4);
	send_whole(fd[0], block, 3);
	sent += 3;
	for (i = 0; i < 20000 && (atomic_load(&s->rx_bytes) < sent || batch > 1); i++) {
		usleep(1000);
		batch = option(fd[1], SO_RCVLOWAT);
	}
	assert_int_equal(atomic_load(&s->rx_bytes), sent);
	assert_int_equal(batch, 1);
	atomic_store(&stop, true);
	nt_stream_kick(s);
	pthread_join(s->thread, NULL);
	nt_stream_free(s);
	close(fd[0]);
	sched_setaffinity(0, sizeof before, &before);
}

/* A rate is handed to the kernel in whole bytes, rounded up: the least is not none. */
static void pacing_rates(void **state)
{
	static const struct {
		uint64_t bps, want;
	} rows[] = { { 1, 1 }, { 7, 1 }, { 8, 1 }, { 9, 2 }, { 1000000000, 125000000 } };
	struct nt_spec spec = { .n_groups = 1, .groups[0] = { .flow = NT_FLOW_BULK, .streams = 1 } };
	uint64_t got;
	socklen_t len;
	size_t i;
	int fd;

	(void)state;
	for (i = 0; i < NT_ARRAY_SIZE(rows); i++) {
		fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		spec.pacing_bps = rows[i].bps;
		got = 0;
		len = sizeof got;
		assert_int_equal(nt_stream_sockopts(fd, &spec, &spec.groups[0], NULL), 0);
		assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &got, &len), 0);
		assert_int_equal(got, rows[i].want);
		close(fd);
	}
}

/* A share may be of less than a bit; what goes at once is never nothing, and due in time. */
static void shares(void **state)
{
	struct nt_share s;

	(void)state;
	nt_share_set(&s, 0, 1);
	s.bytes = 1000000;
	assert_int_equal(nt_share_wait(&s, 5), 0);
	assert_int_equal(nt_share_piece(&s, 131072), 131072);
	nt_share_set(&s, 10.0 / 16, 1);
	nt_share_begin(&s, 1000);
	assert_int_equal(nt_share_wait(&s, 1000), 0);
	assert_int_equal(nt_share_piece(&s, 131072), 1);
	s.bytes = 1;
	assert_int_equal(nt_share_wait(&s, 1000), 12800000000);
	assert_int_equal(nt_share_wait(&s, 12800001000), 0);
	nt_share_set(&s, 8e6, 4);
	assert_int_equal(nt_share_piece(&s, 131072), 12500);
	assert_int_equal(nt_share_piece(&s, 100), 100);
	/* five seconds in which nothing went are not made up for */
	nt_share_begin(&s, 1000);
	assert_int_equal(nt_share_wait(&s, 5000001000), 0);
	s.bytes += 200000;
	assert_int_equal(nt_share_wait(&s, 5000001000), 0);
	s.bytes += 1000;
	assert_int_equal(nt_share_wait(&s, 5000001000), 1000000);
	nt_share_set(&s, 1e-9, 1);
	s.bytes = 1000;
	assert_int_equal(nt_share_wait(&s, 0), 3600000000000);
}

static const struct nt_probe_setting *setting(const char *name)
{
	const struct nt_probe_setting *s = nt_probe_settings;

	while (s->name && strcmp(s->name, name) != 0)
		s++;
	assert_non_null(s->name);
	return s;
}

static void settings(void **state)
{
	static const struct {
		const char *name, *text, *shown; /* shown NULL: refused */
	} cases[] = {
		{ "time", "3", "3 s" }, { "time", "0.1", NULL }, { "time", "nan", NULL },
		{ "warmup", "0", "0 s" }, { "streams", "8", "8" }, { "streams", "129", NULL },
		{ "streams", "8x", NULL }, { "mss", "87", NULL }, { "mss", "1400", "1400" },
		{ "write-size", "64KiB", "64 KiB" }, { "write-size", "0", NULL },
		{ "sndbuf", "3ms", NULL }, { "pacing", "100Mbit", "100 Mbit/s" },
		{ "congestion", "cubic", "cubic" }, { "congestion", "", NULL },
		{ "congestion", "sixteencharacter", NULL }, { "cpu", "0", "0" },
		{ "peer-cpu", "-1", NULL }, { "nodelay", "on", "on" },
	};
	struct nt_probe_opts o, unset;
	const struct nt_probe_setting *s;
	struct nt_err bad;
	struct nt_buf b = { 0 };
	char text[64];
	size_t i;

	(void)state;
	nt_probe_opts_init(&unset);
	for (i = 0; i < NT_ARRAY_SIZE(cases); i++) {
		struct nt_err err;

		s = setting(cases[i].name);
		nt_probe_opts_init(&o);
		assert_false(nt_probe_setting_format(s, &o, text, sizeof text));
		if (nt_probe_setting_parse(s, &o, cases[i].text, &err)) {
			assert_null(cases[i].shown);
			assert_memory_equal(&o, &unset, sizeof o);
			continue;
		}
		assert_true(nt_probe_setting_format(s, &o, text, sizeof text));
		assert_string_equal(text, cases[i].shown);
		nt_probe_setting_clear(s, &o);
		assert_memory_equal(&o, &unset, sizeof o);
	}
	assert_int_equal(nt_probe_setting_parse(setting("request"), &o, "10MiB", &bad), -EINVAL);
	assert_string_equal(bad.msg, "'10MiB' is not a size from 1 to 64 KiB");
	assert_int_equal(nt_probe_setting_parse(setting("request"), &o, "64k", &bad), -EINVAL);
	assert_string_equal(bad.msg, "'64k' is not a size like 64KiB");
	nt_probe_settings_format(&o, &b);
	assert_string_equal(nt_buf_str(&b), "");
	nt_probe_setting_parse(setting("time"), &o, "3", NULL);
	nt_probe_setting_parse(setting("mss"), &o, "1400", NULL);
	nt_probe_setting_parse(setting("trunc"), &o, "on", NULL);
	assert_true(o.seconds == 3 && o.mss == 1400 && o.trunc);
	nt_probe_settings_format(&o, &b);
	assert_string_equal(nt_buf_str(&b), "mss 1400, trunc");
	nt_buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets),
		cmocka_unit_test(quantiles),
		cmocka_unit_test(fits),
		cmocka_unit_test(completions),
		cmocka_unit_test(proc_stat),
		cmocka_unit_test(counters),
		cmocka_unit_test(interrupts),
		cmocka_unit_test(doubts),
		cmocka_unit_test(settings),
		cmocka_unit_test(batches),
		cmocka_unit_test(pacing_rates),
		cmocka_unit_test(shares),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
