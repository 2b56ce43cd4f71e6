/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What held a transfer back, in a table of situations; and runs, on a host that tells nothing. */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "nettune/clock.h"
#include "probe/run.h"

struct situation {
	const char *what;
	double mbps, speed_mbps, s_cpu, s_thread, r_cpu, r_thread; /* fullest CPU, thread */
	double rwnd, sndbuf, rtt_ms, min_rtt_ms, cwnd, mss, retrans, segs, app_limited;
	const char *qdisc;
	double backlog, overlimits, drops;
	const char *link, *r_qdisc, *cc;
	double r_backlog, s_cpu0, r_wait, sndbuf_kib;
	int s_bound; /* the sender's threads to CPU s_bound - 1 */
	unsigned write_size, set_rcvbuf;
	double pacing_mbps, server_mbps, completion_ms, others, s_wait, notsent;
	bool one_host;
	enum nt_limit want;
	const char *text; /* must be in the line */
};

/* What is 0 in a row is as in a healthy flow on an idle pair of hosts: see judge(). */
static const struct situation situations[] = {
	{ .what = "line full", .mbps = 941, .want = NT_LIMIT_LINE, .text = "941" },
	/* a full line explains itself, whatever else is full too */
	{ .what = "line full, CPU too", .mbps = 941, .s_cpu = 100, .r_cpu = 100,
		.want = NT_LIMIT_LINE },
	{ .what = "speed not known", .mbps = 941, .speed_mbps = NAN,
		.want = NT_LIMIT_CWND },
	{ .what = "receiver's CPU (B4)", .r_cpu = 100, .want = NT_LIMIT_RECEIVER_CPU,
		.text = "CPU 1 100 %" },
	{ .what = "B2: TSO on, receiver full", .mbps = 4254, .speed_mbps = 10000, .s_cpu = 39,
		.r_cpu = 99, .want = NT_LIMIT_RECEIVER_CPU },
	{ .what = "B2: TSO off, sender full", .mbps = 4528, .speed_mbps = 10000, .s_cpu = 99,
		.r_cpu = 76, .want = NT_LIMIT_SENDER_CPU, .text = "CPU 1 99 %" },
	{ .what = "a full receiver closes its window", .r_cpu = 100, .rwnd = 80,
		.want = NT_LIMIT_RECEIVER_CPU },
	{ .what = "both full: B4", .s_cpu = 100, .r_cpu = 100,
		.want = NT_LIMIT_RECEIVER_CPU },
	{ .what = "one host, its sender works more", .s_cpu = 100, .r_cpu = 100,
		.s_thread = 99, .r_thread = 40, .one_host = true, .want = NT_LIMIT_SENDER_CPU,
		.text = "this host" },
	{ .what = "a thread is full, its CPU changes", .s_cpu = 60, .s_thread = 97,
		.want = NT_LIMIT_SENDER_CPU },
	{ .what = "a thread does not get its turn", .s_cpu = 100, .s_thread = 40, .s_wait = 58,
		.others = 80, .want = NT_LIMIT_SENDER_CPU, .text = "58 % waiting" },
	{ .what = "bound to a CPU", .s_cpu = 100, .s_cpu0 = 97, .s_thread = 40, .s_wait = 58,
		.others = 80, .s_bound = 1, .want = NT_LIMIT_SENDER_CPU, .text = "CPU: CPU 0 97 %" },
	{ .what = "kept from a CPU that is free", .s_cpu = 45, .s_thread = 20, .s_wait = 75,
		.want = NT_LIMIT_SENDER_CPU, .text = "though CPU 1 is no more than 45 % busy" },
	{ .what = "full of others' programs, no harm", .mbps = 22, .s_cpu = 100, .r_cpu = 100,
		.others = 80, .sndbuf = 90, .want = NT_LIMIT_SNDBUF },
	{ .what = "window", .mbps = 22, .rwnd = 92, .want = NT_LIMIT_RWND,
		.text = "window: some 54 KiB, full 92 % of the time" },
	{ .what = "window set small, CPU full", .rwnd = 92, .r_cpu = 100,
		.set_rcvbuf = 65536, .want = NT_LIMIT_RWND, .text = "(--rcvbuf)" },
	{ .what = "send buffer", .mbps = 27, .sndbuf = 95, .want = NT_LIMIT_SNDBUF,
		.text = "95 % of the time" },
	{ .what = "send buffer in part, nothing else", .sndbuf = 30,
		.want = NT_LIMIT_SNDBUF },
	{ .what = "window in part, nothing else", .rwnd = 25, .want = NT_LIMIT_RWND },
	{ .what = "shaper", .mbps = 95, .qdisc = "tbf", .backlog = 60000,
		.overlimits = 9000, .want = NT_LIMIT_QDISC, .text = "'tbf' on the sender's 'eth0'" },
	/* behind a shaper the buffer fills as well: the shaper is the cause */
	{ .what = "shaper, buffer full", .mbps = 95, .qdisc = "htb", .backlog = 60000,
		.overlimits = 9000, .sndbuf = 90, .want = NT_LIMIT_QDISC },
	{ .what = "netem delay is no limit", .mbps = 27, .qdisc = "netem",
		.backlog = 600000, .overlimits = 9, .sndbuf = 95, .want = NT_LIMIT_SNDBUF },
	{ .what = "a shaper that lets nothing wait", .mbps = 5.9, .rtt_ms = 2.03, .min_rtt_ms = 0.01,
		.cwnd = 7, .retrans = 1590, .segs = 5500, .qdisc = "tbf", .overlimits = 115,
		.drops = 2105, .notsent = 60000, .want = NT_LIMIT_QDISC, .text = "drops packets: 2105" },
	{ .what = "a queue that is too short, of large packets", .mbps = 30, .retrans = 900,
		.segs = 30000, .rtt_ms = 1, .min_rtt_ms = 0.2, .cwnd = 4, .qdisc = "pfifo", .drops = 40,
		.want = NT_LIMIT_QDISC, .text = "queue 'pfifo' on the sender's 'eth0'" },
	{ .what = "a queue whose name is no word", .mbps = 95, .qdisc = "tbf", .backlog = 60000,
		.overlimits = 9000, .link = "e\033[31m", .want = NT_LIMIT_QDISC, .text = "'e?[31m'" },
	{ .what = "a netem that loses", .mbps = 9, .retrans = 80, .segs = 8000, .cwnd = 15,
		.qdisc = "netem", .drops = 80, .want = NT_LIMIT_LOSS },
	{ .what = "lost elsewhere", .mbps = 9, .retrans = 80, .segs = 8000, .cwnd = 15, .drops = 1,
		.want = NT_LIMIT_LOSS },
	{ .what = "fq with a maxrate", .mbps = 46, .rtt_ms = 22.9, .min_rtt_ms = 10.45, .cwnd = 339,
		.qdisc = "fq", .backlog = 60000, .notsent = 90000, .want = NT_LIMIT_QDISC,
		.text = "'fq' on the sender's 'eth0': 59 KiB wait in the mean, 10.4 ms of the 12.4 ms" },
	{ .what = "fq that holds what TCP paces", .mbps = 46, .rtt_ms = 22.9, .min_rtt_ms = 10.45,
		.cwnd = 339, .qdisc = "fq", .backlog = 9000, .notsent = 90000, .want = NT_LIMIT_CWND,
		.text = "bottleneck on the path" },
	{ .what = "acknowledgements wait in the receiver's shaper", .mbps = 159,
		.min_rtt_ms = 0.01, .rtt_ms = 9.93, .cwnd = 149, .r_qdisc = "htb", .r_backlog = 45000,
		.want = NT_LIMIT_QDISC, .text = "'htb' on the receiver's 'eth1' delays" },
	{ .what = "a shaper there, the path is as short as ever", .mbps = 159,
		.r_qdisc = "htb", .r_backlog = 45000, .cwnd = 300, .want = NT_LIMIT_CWND },
	{ .what = "idle shaper", .mbps = 941, .qdisc = "htb", .want = NT_LIMIT_LINE },
	{ .what = "loss", .mbps = 9, .rtt_ms = 20, .retrans = 80, .segs = 8000, .cwnd = 15,
		.want = NT_LIMIT_LOSS, .text = "1.00 %" },
	{ .what = "losses, the window is wide open", .mbps = 300, .cwnd = 2000, .retrans = 90,
		.segs = 1000000, .s_thread = 40, .s_wait = 30, .s_cpu = 100, .others = 80,
		.want = NT_LIMIT_SENDER_CPU, .text = "30 % waiting" },
	{ .what = "a few losses do not explain the rate", .mbps = 500, .retrans = 2,
		.segs = 100000, .want = NT_LIMIT_CWND },
	{ .what = "losses that BBR did not heed", .mbps = 276, .min_rtt_ms = 20, .rtt_ms = 32,
		.cwnd = 1308, .retrans = 1458, .segs = 72900, .want = NT_LIMIT_CWND,
		.text = "bottleneck on the path" },
	{ .what = "losses too few for this rate", .mbps = 19570, .speed_mbps = NAN,
		.min_rtt_ms = 0.01, .rtt_ms = 4.5, .cwnd = 2947, .retrans = 18, .segs = 6700000,
		.want = NT_LIMIT_CWND },
	{ .what = "losses too few for BBR", .mbps = 4973, .speed_mbps = NAN, .cc = "bbr",
		.min_rtt_ms = 0.01, .rtt_ms = 2.08, .cwnd = 1862, .retrans = 3, .segs = 300000,
		.s_cpu = 100, .others = 80, .s_thread = 12, .s_wait = 60,
		.want = NT_LIMIT_SENDER_CPU },
	{ .what = "BBR paces", .mbps = 304, .cc = "bbr", .rtt_ms = 29.5, .cwnd = 2005,
		.retrans = 592, .segs = 55425, .notsent = 980802, .app_limited = 25,
		.want = NT_LIMIT_CWND, .text = "pacing of bbr" },
	{ .what = "nothing to say but the numbers", .mbps = 304, .rtt_ms = 29.5, .cwnd = 2005,
		.retrans = 592, .segs = 55425, .notsent = 980802,
		.want = NT_LIMIT_UNKNOWN, .text = "cwnd 2005 segments, rtt 29.50 ms, 1.07 %" },
	{ .what = "losses that BBR does heed", .mbps = 9, .cc = "bbr", .retrans = 2000,
		.segs = 8000, .cwnd = 15, .want = NT_LIMIT_LOSS },
	{ .what = "waits for a CPU that a long path does not feel", .mbps = 370, .rtt_ms = 29.7,
		.cwnd = 1016, .r_cpu = 100, .others = 80, .r_wait = 25, .want = NT_LIMIT_CWND,
		.text = "1016 segments" },
	{ .what = "and one that it does: the window closes", .mbps = 370, .rtt_ms = 29.7,
		.cwnd = 1016, .r_cpu = 100, .others = 80, .r_wait = 25, .rwnd = 8,
		.want = NT_LIMIT_RECEIVER_CPU },
	{ .what = "data waits at the sender, not the sender for a CPU", .mbps = 95, .cwnd = 860,
		.s_cpu = 100, .others = 80, .s_wait = 19, .notsent = 900000,
		.want = NT_LIMIT_UNKNOWN },
	{ .what = "bottleneck on the path", .mbps = 95, .min_rtt_ms = 1, .rtt_ms = 40,
		.want = NT_LIMIT_CWND, .text = "rtt grew from 1.00 to 40.00 ms" },
	{ .what = "late completion (N3)", .mbps = 4.4, .completion_ms = 10,
		.want = NT_LIMIT_LATE_COMPLETION, .text = "10.0 ms" },
	{ .what = "late, but the path is short (N5)", .mbps = 400, .completion_ms = 10,
		.rtt_ms = 0.4, .min_rtt_ms = 0.3, .cwnd = 14, .want = NT_LIMIT_CWND },
	{ .what = "late, but not slow", .mbps = 600, .completion_ms = 10,
		.want = NT_LIMIT_CWND },
	{ .what = "small writes", .write_size = 256, .s_cpu = 99, .s_thread = 99,
		.want = NT_LIMIT_WRITE_SIZE, .text = "writes of 256 bytes" },
	{ .what = "small writes, nothing to send (B9)", .write_size = 8192,
		.app_limited = 80, .s_thread = 70, .want = NT_LIMIT_WRITE_SIZE },
	/* the sender sleeps in send() and TCP has nothing: the kernel's counter says 1 % */
	{ .what = "send buffer, not counted by the kernel", .mbps = 50, .sndbuf = 1,
		.app_limited = 75, .cwnd = 541, .want = NT_LIMIT_SNDBUF, .text = "all on its way" },
	{ .what = "nor seen in any sample: the window stands open", .mbps = 44.5, .rtt_ms = 22,
		.cwnd = 349, .want = NT_LIMIT_SNDBUF },
	{ .what = "and a window that did not grow for it", .mbps = 33, .app_limited = 100,
		.rtt_ms = 26, .cwnd = 93, .want = NT_LIMIT_SNDBUF },
	{ .what = "a buffer of less than two segments, of a loopback's size", .mbps = 23,
		.speed_mbps = NAN, .rtt_ms = 21.3, .min_rtt_ms = 0.004, .cwnd = 10, .mss = 65483,
		.segs = 66, .app_limited = 75, .want = NT_LIMIT_SNDBUF, .text = "all on its way" },
	{ .what = "the buffer is full because the receiver has no CPU", .mbps = 35000,
		.speed_mbps = NAN, .rtt_ms = 0.7, .min_rtt_ms = 0.01, .cwnd = 5000, .s_thread = 50,
		.r_thread = 96, .app_limited = 75, .want = NT_LIMIT_RECEIVER_CPU },
	{ .what = "the buffer is five times what is on its way", .mbps = 3397, .speed_mbps = NAN,
		.rtt_ms = 1.92, .min_rtt_ms = 0.01, .cwnd = 2722, .s_cpu = 100, .others = 80,
		.s_thread = 10, .s_wait = 45, .sndbuf_kib = 4096, .want = NT_LIMIT_SENDER_CPU },
	{ .what = "the buffer holds unsent data", .mbps = 450, .app_limited = 75, .cwnd = 860,
		.notsent = 900000, .want = NT_LIMIT_CWND },
	{ .what = "buffer and window full, but so is the path", .mbps = 20, .min_rtt_ms = 5,
		.rtt_ms = 400, .sndbuf = 90, .rwnd = 60, .want = NT_LIMIT_CWND,
		.text = "bottleneck on the path" },
	{ .what = "large writes, CPU", .write_size = 131072, .s_cpu = 99, .s_thread = 99,
		.want = NT_LIMIT_SENDER_CPU },
	{ .what = "paced", .mbps = 98, .pacing_mbps = 100, .want = NT_LIMIT_PACING,
		.text = "98.0 of 100.0" },
	{ .what = "paced, not reached", .mbps = 50, .pacing_mbps = 100, .rwnd = 90,
		.want = NT_LIMIT_RWND },
	{ .what = "the server allows no more", .mbps = 50, .server_mbps = 50, .rwnd = 99,
		.min_rtt_ms = 0.01, .rtt_ms = 40, .want = NT_LIMIT_PACING, .text = "50.0 of 50.0" },
	{ .what = "nothing came", .mbps = -1, .want = NT_LIMIT_UNKNOWN, .text = "can't tell" },
};

static double or(double v, double healthy)
{
	return v != 0 ? v : healthy;
}

static void judge(const struct situation *r, struct nt_verdict *ret)
{
	double s_cpu = or(r->s_cpu, 30), r_cpu = or(r->r_cpu, 30),
	       speed = or(r->speed_mbps, 1000) * 1e6;
	struct nt_probe_cpu sc[2] = { { .cpu = 0, .busy = or(r->s_cpu0, 5) },
		{ .cpu = 1, .busy = s_cpu, .softirq = s_cpu - or(r->others, 5) } };
	struct nt_probe_cpu rc[2] = { { .cpu = 0, .busy = 5 },
		{ .cpu = 1, .busy = r_cpu, .softirq = r_cpu - or(r->others, 5) } };
	struct nt_probe_completion c = { .ran = true, .measurable = true,
		.late = r->completion_ms >= 4, .intercept_us = r->completion_ms * 1000 };
	struct nt_probe_end s, d;
	struct nt_verdict_in in = { .bps = or(r->mbps, 500) * 1e6, .seconds = 3, .sender = &s,
		.receiver = &d, .receiver_speed_bps = speed,
		.one_host = r->one_host, .write_size = r->write_size, .rcvbuf = r->set_rcvbuf,
		.sender_cpu = r->s_bound - 1, .receiver_cpu = -1,
		.pacing_bps = r->pacing_mbps * 1e6, .server_bps = r->server_mbps * 1e6,
		.completion = r->completion_ms ? &c : NULL };

	nt_probe_end_init(&s);
	nt_probe_end_init(&d);
	s.per_cpu = sc;
	d.per_cpu = rc;
	s.n_cpu = d.n_cpu = 2;
	s.cpu.busy = (5 + s_cpu) / 2;
	d.cpu.busy = (5 + r_cpu) / 2;
	s.thread_wait_pct = r->s_wait;
	s.thread_busy_pct = or(r->s_thread, 10);
	d.thread_busy_pct = or(r->r_thread, 10);
	d.thread_wait_pct = r->r_wait;
	s.tcp = (struct nt_probe_tcp){ .streams = 1, .congestion = "cubic",
		.rtt_us = or(r->rtt_ms, 20) * 1000, .min_rtt_us = or(r->min_rtt_ms, 20) * 1000,
		.cwnd = or(r->cwnd, 860), .mss = or(r->mss, 1448),
		.segs_out = or(r->segs, 100000), .retrans = r->retrans, .busy_pct = 99,
		.rwnd_limited_pct = r->rwnd, .sndbuf_limited_pct = r->sndbuf,
		.sndbuf_bytes = or(r->sndbuf_kib, 85) * 1024, .notsent_bytes = r->notsent,
		.app_limited_pct = r->app_limited };
	s.egress.speed_bps = speed;
	snprintf(s.egress.link, sizeof s.egress.link, "%s", r->link ? r->link : "eth0");
	snprintf(s.egress.qdisc, sizeof s.egress.qdisc, "%s",
		r->qdisc ? r->qdisc : "fq_codel");
	s.egress.backlog_bytes = r->backlog;
	s.egress.qdisc_overlimits = r->overlimits;
	s.egress.qdisc_drops = r->drops;
	if (r->cc)
		snprintf(s.tcp.congestion, sizeof s.tcp.congestion, "%s", r->cc);
	snprintf(d.egress.link, sizeof d.egress.link, "eth1");
	snprintf(d.egress.qdisc, sizeof d.egress.qdisc, "%s", r->r_qdisc ? r->r_qdisc : "fq");
	d.egress.backlog_bytes = r->r_backlog;
	d.egress.qdisc_overlimits = r->r_backlog > 0 ? 400 : 0;
	nt_verdict(&in, ret);
}

static void verdicts(void **state)
{
	struct nt_verdict v;
	bool seen[_NT_LIMIT_MAX] = { false };
	size_t i;

	(void)state;
	for (i = 0; i < NT_ARRAY_SIZE(situations); i++) {
		memset(&v, 0, sizeof v);
		judge(&situations[i], &v);
		seen[situations[i].want] = true;
		if (v.limit != situations[i].want)
			fail_msg("%s: %s, want %s: %s", situations[i].what,
				nt_name_of(nt_limit_names, v.limit),
				nt_name_of(nt_limit_names, situations[i].want), v.text);
		if (situations[i].text && !strstr(v.text, situations[i].text))
			fail_msg("%s: '%s' is not in '%s'", situations[i].what, situations[i].text,
				v.text);
		if (!*v.text || strlen(v.text) == sizeof v.text - 1)
			fail_msg("%s: no line, or cut off: %s", situations[i].what, v.text);
	}
	for (i = 0; i < _NT_LIMIT_MAX; i++)
		assert_true(seen[i]);
}

static int never(void *arg)
{
	(void)arg;
	return 0;
}

/* How long a thread waits for a CPU is not known where the kernel does not count it: not 100 %. */
static void unknown_wait(void **state)
{
	struct nt_spec spec = { .seconds = 0.2, .cpu = -1, .peer_cpu = -1, .n_groups = 1,
		.groups[0] = { .flow = NT_FLOW_BULK, .streams = 1 } };
	struct nt_stream *s[1];
	struct nt_run r = { .spec = &spec, .side = NT_SIDE_CLIENT, .streams = s, .n = 1,
		.wake_fd = -1, .on_wake = never };
	int fd[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	s[0] = nt_stream_new(&spec, 0, NT_SIDE_CLIENT, fd[0]);
	assert_int_equal(nt_run_exec(&r, NULL), 0);
	assert_true(isfinite(r.end.thread_busy_pct));
	assert_true(isnan(r.end.thread_wait_pct));
	nt_probe_end_free(&r.end);
	nt_stream_free(s[0]);
	close(fd[1]);
}

static int stop_now(void *arg)
{
	(void)arg;
	return 1;
}

static void *execute(void *arg)
{
	nt_run_exec(arg, NULL);
	return NULL;
}

/* The window of an end that began late ends with the streams, not when it hears of that. */
static void ended_before(void **state)
{
	struct nt_spec spec = { .seconds = 60, .cpu = -1, .peer_cpu = -1, .n_groups = 1,
		.groups[0] = { .flow = NT_FLOW_BULK, .streams = 1 } };
	struct nt_stream *s[1];
	struct nt_run r = { .spec = &spec, .side = NT_SIDE_SERVER, .streams = s, .n = 1,
		.on_wake = stop_now };
	uint64_t start, heard, one = 1;
	pthread_t runner;
	int fd[2], i;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	r.wake_fd = eventfd(0, EFD_CLOEXEC);
	s[0] = nt_stream_new(&spec, 0, NT_SIDE_SERVER, fd[0]);
	start = nt_now_ns();
	assert_int_equal(pthread_create(&runner, NULL, execute, &r), 0);
	for (i = 0; i < 20000 && !atomic_load(&r.measuring); i++)
		usleep(1000);
	assert_int_equal(write(fd[1], "12345678", 8), 8);
	close(fd[1]);
	for (i = 0; i < 20000 && !atomic_load(&s[0]->ended_ns); i++)
		usleep(1000);
	usleep(300000);
	heard = nt_now_ns();
	assert_int_equal(write(r.wake_fd, &one, sizeof one), sizeof one);
	pthread_join(runner, NULL);
	assert_true(r.end.rx_bytes == 8);
	assert_true(r.end.seconds > 0 && r.end.seconds < (double)(heard - start) / 1e9 - 0.3);
	nt_probe_end_free(&r.end);
	nt_stream_free(s[0]);
	close(r.wake_fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdicts),
		cmocka_unit_test(unknown_wait),
		cmocka_unit_test(ended_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
