/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What held a bulk transfer back. Pure: numbers in, one of a few words and a line out. The
 * tests are ordered: what proves itself (the line is full, a window was full) comes before
 * what is inferred by exclusion (the congestion window).
 */
#include "config.h"

#include "nettune/probe.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct nt_name nt_limit_names[] = {
	{ "unknown", NT_LIMIT_UNKNOWN },
	{ "sender-cpu", NT_LIMIT_SENDER_CPU },
	{ "receiver-cpu", NT_LIMIT_RECEIVER_CPU },
	{ "send-buffer", NT_LIMIT_SNDBUF },
	{ "receive-window", NT_LIMIT_RWND },
	{ "path-loss", NT_LIMIT_LOSS },
	{ "congestion-window", NT_LIMIT_CWND },
	{ "qdisc", NT_LIMIT_QDISC },
	{ "line", NT_LIMIT_LINE },
	{ "late-completion", NT_LIMIT_LATE_COMPLETION },
	{ "write-size", NT_LIMIT_WRITE_SIZE },
	{ "pacing", NT_LIMIT_PACING },
	{ NULL, 0 },
};

#define CPU_FULL 95	/* per cent of one CPU: the rest is ticks lost in accounting */
#define THREAD_FULL 90	/* per cent of the time a probe thread ran, or waited for a CPU */
#define STARVING 15	/* per cent of the time a thread waits for a CPU */
#define WITHHELD 30	/* such a wait is not for its turn when */
#define CPU_FREE 80	/* no CPU is busier than that */
#define SOFTIRQ_PART 60	/* per cent of a full CPU in interrupts: else it is others' work */
#define MOSTLY 50	/* per cent of the window TCP says a buffer held it back */
#define PARTLY 20
#define LINE_FULL 0.95	/* of the payload a line of that speed and MTU can carry */
#define SMALL_WRITE 16384 /* B9 */
#define WIRE_OVERHEAD 90 /* IPv4 20, TCP with time stamps 32, Ethernet 14 + 24 */
#define ASLEEP 60	  /* a thread that needs less CPU than that waits for TCP */
#define UNSENT_PART 0.25  /* of what is on its way: less is nothing unsent */
#define BUFFER_PART 0.25  /* of the send buffer: the rest of a full one is overhead */
#define WINDOW_USED 0.45  /* BBR keeps a window of twice what it has on its way */
#define QUEUED_SEGMENTS 3 /* waiting in the mean: the qdisc is never empty */
#define QUEUED_ACKS 200	  /* bytes: three of them */
#define LONG_PATH_US 5000
#define WINDOW_CLOSES 2	  /* per cent of the time: not by chance */
#define BBR_LOSS 0.1	  /* BBR does not heed less */

static void say(struct nt_verdict *v, enum nt_limit limit, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void say(struct nt_verdict *v, enum nt_limit limit, const char *fmt, ...)
{
	char text[sizeof v->text]; /* with names of links, which others choose */
	va_list ap;

	v->limit = limit;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	nt_printable(v->text, sizeof v->text, text);
}

/* The CPU that an end's threads are bound to, else its fullest, and its share in *ret_busy;
 * -1 when not known. */
static int cpu_of(const struct nt_probe_end *e, int bound, double *ret_busy)
{
	int cpu = -1;
	unsigned i;

	*ret_busy = 0;
	for (i = 0; i < e->n_cpu; i++)
		if (bound >= 0 ? e->per_cpu[i].cpu == bound : e->per_cpu[i].busy > *ret_busy) {
			*ret_busy = e->per_cpu[i].busy;
			cpu = e->per_cpu[i].cpu;
		}
	return cpu;
}

static double thread_need(const struct nt_probe_end *e)
{
	return (isnan(e->thread_busy_pct) ? 0 : e->thread_busy_pct) +
	       (isnan(e->thread_wait_pct) ? 0 : e->thread_wait_pct);
}

/* A thread that wants more than it gets, or a CPU filled by interrupts, where the kernel's half
 * of the work is done. A CPU that others' programs and their system calls fill holds back
 * nobody who still gets his turn. */
static bool cpu_full(const struct nt_probe_end *e)
{
	unsigned i;

	if (thread_need(e) >= THREAD_FULL)
		return true;
	for (i = 0; i < e->n_cpu; i++) {
		const struct nt_probe_cpu *c = &e->per_cpu[i];

		if (c->busy >= CPU_FULL &&
			c->softirq + c->irq + c->steal >= SOFTIRQ_PART)
			return true;
	}
	return false;
}

static void say_cpu(const struct nt_verdict_in *in, bool receiver, struct nt_verdict *ret)
{
	const struct nt_probe_end *e = receiver ? in->receiver : in->sender;
	enum nt_limit limit = receiver ? NT_LIMIT_RECEIVER_CPU : NT_LIMIT_SENDER_CPU;
	const char *who = receiver ? "receiver" : "sender";
	const char *where = in->one_host ? " (both ends are this host)" : "";
	double busy, wait = isnan(e->thread_wait_pct) ? 0 : e->thread_wait_pct;
	int cpu = cpu_of(e, receiver ? in->receiver_cpu : in->sender_cpu, &busy);

	if (wait >= WITHHELD && cpu >= 0 && busy < CPU_FREE)
		say(ret, limit,
			"the %s's share of CPU: the thread %.0f %% running and %.0f %% kept waiting, "
			"though CPU %d is no more than %.0f %% busy: a cgroup's limit?%s",
			who, thread_need(e) - wait, wait, cpu, busy, where);
	else
		say(ret, limit,
			"the %s's CPU: CPU %d %.0f %% busy, the thread %.0f %% running and %.0f %% "
			"waiting for a CPU%s%s",
			who, cpu, busy, thread_need(e) - wait, wait,
			wait >= 20 && e->cpu.user >= 40 ? ", others' work"
			: e->cpu.steal >= 5		? ", some stolen"
							: "",
			where);
}

static bool by_line(const struct nt_verdict_in *in, struct nt_verdict *ret)
{
	double line = fmin(in->sender->egress.speed_bps, in->receiver_speed_bps);
	double mss = in->sender->tcp.mss > 0 ? in->sender->tcp.mss : 1448;
	double most = line * mss / (mss + WIRE_OVERHEAD);

	if (isnan(line) || in->bps < LINE_FULL * most)
		return false;
	say(ret, NT_LIMIT_LINE, "the line: %.0f Mbit/s of payload, %.0f %% of what %.0f Mbit/s carry",
		in->bps / 1e6, 100 * in->bps / most, line / 1e6);
	return true;
}

static bool by_pacing(const struct nt_verdict_in *in, struct nt_verdict *ret)
{
	double most = (double)in->pacing_bps * fmax(1, in->sender->tcp.streams);

	if (in->server_bps > 0 && in->bps >= 0.85 * in->server_bps) {
		say(ret, NT_LIMIT_PACING, "the server's own limit (--max-rate): %.1f of %.1f Mbit/s",
			in->bps / 1e6, in->server_bps / 1e6);
		return true;
	}
	if (!in->pacing_bps || in->bps < 0.85 * most)
		return false;
	say(ret, NT_LIMIT_PACING, "the pacing asked for: %.1f of %.1f Mbit/s", in->bps / 1e6,
		most / 1e6);
	return true;
}

static bool is_shaper(const char *qdisc)
{
	static const char *const kinds[] = { "tbf", "htb", "hfsc", "cbq", "cake", NULL };
	int i;

	for (i = 0; kinds[i]; i++)
		if (strcmp(qdisc, kinds[i]) == 0)
			return true;
	return false;
}

/* A queue that is never empty, in a discipline that says it held packets back. A netem
 * delay holds packets and limits nothing; what fq holds is TCP's own pacing. */
static bool by_qdisc(const struct nt_verdict_in *in, struct nt_verdict *ret)
{
	const struct nt_probe_egress *e = &in->sender->egress;

	if (!is_shaper(e->qdisc) || !(e->qdisc_overlimits > 0) ||
		e->backlog_bytes < QUEUED_SEGMENTS * in->sender->tcp.mss || cpu_full(in->sender))
		return false;
	say(ret, NT_LIMIT_QDISC,
		"the shaper '%s' on the sender's '%s': %.0f KiB wait in the mean, %.0f overlimits, "
		"%.0f drops",
		e->qdisc, e->link, e->backlog_bytes / 1024, e->qdisc_overlimits, e->qdisc_drops);
	return true;
}

/* Bytes of one socket that are sent and not acknowledged, in the mean. */
static double on_its_way(const struct nt_verdict_in *in)
{
	const struct nt_probe_tcp *t = &in->sender->tcp;

	return in->bps / 8 * t->rtt_us / 1e6 / t->streams;
}

/* Packets wait in a queue on the way. */
static bool rtt_grew(const struct nt_probe_tcp *t)
{
	return t->rtt_us - t->min_rtt_us > 1000 && t->rtt_us > 1.5 * t->min_rtt_us;
}

/* More is on its way than the path carries: no buffer or window keeps it from being full. Where
 * that is not two segments, they queue nowhere: the receiver delays its acknowledgement. */
static bool path_is_full(const struct nt_verdict_in *in)
{
	const struct nt_probe_tcp *t = &in->sender->tcp;

	return t->rtt_us > 4 * t->min_rtt_us && t->rtt_us - t->min_rtt_us > 2000 &&
	       on_its_way(in) >= 2 * t->mss;
}

static bool by_window(const struct nt_verdict_in *in, double least, struct nt_verdict *ret)
{
	const struct nt_probe_tcp *t = &in->sender->tcp;

	if (t->rwnd_limited_pct < least || t->rwnd_limited_pct < t->sndbuf_limited_pct ||
		path_is_full(in))
		return false;
	/* a receiver that can't read closes its window: the window is the symptom */
	if (cpu_full(in->receiver) && !in->rcvbuf) {
		say_cpu(in, true, ret);
		return true;
	}
	say(ret, NT_LIMIT_RWND,
		"the receiver's window: some %.0f KiB%s, full %.0f %% of the time at rtt %.2f ms; the "
		"receiver's CPUs %.0f %% busy",
		on_its_way(in) / 1024, in->rcvbuf ? " (--rcvbuf)" : "", t->rwnd_limited_pct,
		t->rtt_us / 1e3, in->receiver->cpu.busy);
	return true;
}

/* The share of the congestion window that was in use. */
static double window_used(const struct nt_verdict_in *in)
{
	const struct nt_probe_tcp *t = &in->sender->tcp;

	return on_its_way(in) / (t->cwnd * t->mss);
}

/*
 * The kernel's own counter misses much of it (6.18: 1 % where the queue held twice
 * SO_SNDBUF all the time). But a sender that sleeps in send() has filled the buffer: when
 * TCP then has nothing unsent, all of the buffer is on its way, and more of it would be if
 * it were larger. Where the window or pacing is the limit, the buffer holds unsent data.
 */
static bool by_sndbuf(const struct nt_verdict_in *in, double least, struct nt_verdict *ret)
{
	const struct nt_probe_tcp *t = &in->sender->tcp;
	/* frames freed late hold back a flow in an open window, too */
	bool open = window_used(in) < WINDOW_USED && !(in->completion && in->completion->late);
	bool all_sent = t->notsent_bytes < UNSENT_PART * on_its_way(in) &&
			on_its_way(in) >= BUFFER_PART * t->sndbuf_bytes &&
			(t->app_limited_pct >= PARTLY || open);
	/* and what a receiver without CPU has not yet taken in fills it, too */
	bool starved = all_sent && thread_need(in->sender) < ASLEEP &&
		       t->rwnd_limited_pct < PARTLY && !cpu_full(in->receiver);

	if ((t->sndbuf_limited_pct < least && !starved) || path_is_full(in))
		return false;
	if (t->sndbuf_limited_pct >= least)
		say(ret, NT_LIMIT_SNDBUF,
			"the send buffer: full %.0f %% of the time with SO_SNDBUF %.0f KiB%s at rtt "
			"%.2f ms",
			t->sndbuf_limited_pct, t->sndbuf_bytes / 1024,
			in->sndbuf ? " (--sndbuf)" : "", t->rtt_us / 1e3);
	else
		say(ret, NT_LIMIT_SNDBUF,
			"the send buffer: SO_SNDBUF %.0f KiB%s is all on its way, %.0f KiB of it unsent "
			"in the mean; cwnd %.0f, rtt %.2f ms",
			t->sndbuf_bytes / 1024, in->sndbuf ? " (--sndbuf)" : "",
			t->notsent_bytes / 1024, t->cwnd, t->rtt_us / 1e3);
	return true;
}

/* N3, N5: it hurts where the path is longer than 1 ms and the rate is below half. */
static bool by_completion(const struct nt_verdict_in *in, struct nt_verdict *ret)
{
	double min_rtt = in->sender->tcp.min_rtt_us, speed = in->sender->egress.speed_bps;

	if (!in->completion || !in->completion->late || !(min_rtt > 1000) ||
		in->bps >= speed / 2)
		return false;
	say(ret, NT_LIMIT_LATE_COMPLETION,
		"late Tx completion: sent frames are freed after %.1f ms, on a path of %.1f ms",
		in->completion->intercept_us / 1e3, min_rtt / 1e3);
	return true;
}

static bool by_write_size(const struct nt_verdict_in *in, struct nt_verdict *ret)
{
	const struct nt_probe_end *s = in->sender;

	if (!in->write_size || in->write_size >= SMALL_WRITE ||
		(thread_need(s) < THREAD_FULL &&
			(thread_need(s) < ASLEEP || s->tcp.app_limited_pct < MOSTLY)))
		return false;
	say(ret, NT_LIMIT_WRITE_SIZE,
		"the application's writes of %u bytes: its thread %.0f %% busy, nothing left to send "
		"in %.0f %% of the looks",
		in->write_size, s->thread_busy_pct, s->tcp.app_limited_pct);
	return true;
}

static bool by_cpu(const struct nt_verdict_in *in, struct nt_verdict *ret)
{
	bool s = cpu_full(in->sender), r = cpu_full(in->receiver);
	double st = thread_need(in->sender), rt = thread_need(in->receiver);

	if (!s && !r)
		return false;
	/* B4: a full receiver means that the test measures the receiver */
	if (s && r && in->one_host)
		say_cpu(in, rt > st, ret);
	else
		say_cpu(in, r, ret);
	return true;
}

/* Nothing else explains it, and an end had to wait for its turn again and again. Where the
 * path is longer than such a wait, that shows: the sender runs out of data, or the receiver's
 * window closes. */
static bool by_starving(const struct nt_verdict_in *in, struct nt_verdict *ret)
{
	const struct nt_probe_tcp *t = &in->sender->tcp;
	double s = in->sender->thread_wait_pct, r = in->receiver->thread_wait_pct;

	if (t->min_rtt_us > LONG_PATH_US) {
		if (t->app_limited_pct < PARTLY && t->notsent_bytes >= UNSENT_PART * on_its_way(in))
			s = NAN;
		if (t->rwnd_limited_pct < WINDOW_CLOSES)
			r = NAN;
	}
	if (!(s >= STARVING) && !(r >= STARVING))
		return false;
	say_cpu(in, r > s || isnan(s), ret);
	return true;
}

static double retransmitted(const struct nt_probe_tcp *t)
{
	return t->segs_out > 0 ? t->retrans / t->segs_out : 0;
}

static bool is_bbr(const struct nt_probe_tcp *t)
{
	return strncmp(t->congestion, "bbr", 3) == 0;
}

/* Rate and losses of the bound of Mathis, Semke, Mahdavi and Ott (1997), which is for Reno;
 * CUBIC does better on long paths, hence the factor. *ret_p is the share retransmitted. */
static double loss_bound(const struct nt_verdict_in *in, double *ret_p)
{
	const struct nt_probe_tcp *t = &in->sender->tcp;

	*ret_p = retransmitted(t);
	return t->streams * 1.22 * t->mss * 8 / (t->rtt_us / 1e6 * sqrt(*ret_p));
}

/* The sender's own queue is where packets are lost; netem's losses stand for those of a path.
 * A large packet, of up to 64 KiB, counts once where TCP sends each of its segments again. */
static bool by_drops(const struct nt_verdict_in *in, struct nt_verdict *ret)
{
	const struct nt_probe_tcp *t = &in->sender->tcp;
	const struct nt_probe_egress *e = &in->sender->egress;
	double p, most;

	if (t->retrans < 3 || !(e->qdisc_drops >= 3) || t->rtt_us <= 0 ||
		strcmp(e->qdisc, "netem") == 0 ||
		e->qdisc_drops < t->retrans * t->mss / 65536)
		return false;
	most = loss_bound(in, &p);
	if (in->bps < most / 8 && p < 0.005)
		return false;
	say(ret, NT_LIMIT_QDISC,
		"the %s '%s' on the sender's '%s' drops packets: %.0f, %.2f %% retransmitted, cwnd "
		"%.0f segments, rtt %.2f ms",
		is_shaper(e->qdisc) ? "shaper" : "queue", e->qdisc, e->link, e->qdisc_drops, 100 * p,
		t->cwnd, t->rtt_us / 1e3);
	return true;
}

/* Loss that explains the rate. What is beyond the bound was not cut by loss. */
static bool by_loss(const struct nt_verdict_in *in, struct nt_verdict *ret)
{
	const struct nt_probe_tcp *t = &in->sender->tcp;
	double p, most;

	if (t->retrans < 3 || t->rtt_us <= 0 || window_used(in) < WINDOW_USED)
		return false;
	most = loss_bound(in, &p);
	if ((in->bps < most / 8 && p < 0.005) || (in->bps > most * 8 && p < 0.1) ||
		(is_bbr(t) && p < BBR_LOSS))
		return false;
	say(ret, NT_LIMIT_LOSS,
		"the congestion window, cut by loss: %.2f %% retransmitted (%.0f), cwnd %.0f segments, "
		"rtt %.2f ms",
		100 * p, t->retrans, t->cwnd, t->rtt_us / 1e3);
	return true;
}

/* Acknowledgements wait behind what the receiver sends: its shaper is the sender's limit. */
static bool by_ack_queue(const struct nt_verdict_in *in, struct nt_verdict *ret)
{
	const struct nt_probe_tcp *t = &in->sender->tcp;
	const struct nt_probe_egress *e = &in->receiver->egress;

	if (!is_shaper(e->qdisc) || !(e->qdisc_overlimits > 0) ||
		e->backlog_bytes < QUEUED_ACKS || !rtt_grew(t))
		return false;
	say(ret, NT_LIMIT_QDISC,
		"the shaper '%s' on the receiver's '%s' delays acknowledgements: %.1f KiB wait in the "
		"mean, rtt grew from %.2f to %.2f ms",
		e->qdisc, e->link, e->backlog_bytes / 1024, t->min_rtt_us / 1e3, t->rtt_us / 1e3);
	return true;
}

/* What waits in the sender's own queue explains, at the rate it leaves at, most of what the
 * round trip grew by: the path behind it is not where it waits. */
static bool by_own_queue(const struct nt_verdict_in *in, struct nt_verdict *ret)
{
	const struct nt_probe_tcp *t = &in->sender->tcp;
	const struct nt_probe_egress *e = &in->sender->egress;
	double waits_us = e->backlog_bytes * 8e6 / in->bps, grew_us = t->rtt_us - t->min_rtt_us;

	if (!rtt_grew(t) || strcmp(e->qdisc, "netem") == 0 ||
		e->backlog_bytes < QUEUED_SEGMENTS * t->mss || waits_us < grew_us / 2)
		return false;
	say(ret, NT_LIMIT_QDISC,
		"the queue '%s' on the sender's '%s': %.0f KiB wait in the mean, %.1f ms of the %.1f ms "
		"by which the round trip grew",
		e->qdisc, e->link, e->backlog_bytes / 1024, fmin(waits_us, grew_us) / 1e3,
		grew_us / 1e3);
	return true;
}

static bool by_cwnd(const struct nt_verdict_in *in, struct nt_verdict *ret)
{
	const struct nt_probe_tcp *t = &in->sender->tcp;

	if (t->busy_pct < 80 || t->rtt_us <= 0)
		return false;
	if (rtt_grew(t))
		say(ret, NT_LIMIT_CWND,
			"a bottleneck on the path: rtt grew from %.2f to %.2f ms under load, cwnd %.0f "
			"segments",
			t->min_rtt_us / 1e3, t->rtt_us / 1e3, t->cwnd);
	else if (is_bbr(t) && window_used(in) < WINDOW_USED &&
		 t->notsent_bytes >= UNSENT_PART * on_its_way(in))
		say(ret, NT_LIMIT_CWND,
			"the pacing of %s: data waits in an open window, at rtt %.2f ms; it takes %.0f "
			"Mbit/s for the path's rate, with %.2f %% retransmitted",
			t->congestion, t->rtt_us / 1e3, in->bps / 1e6, 100 * retransmitted(t));
	else if (window_used(in) < WINDOW_USED)
		return false;
	else
		say(ret, NT_LIMIT_CWND,
			"the congestion window (%s): %.0f segments at rtt %.2f ms; send buffer and "
			"receiver's window were not full",
			t->congestion, t->cwnd, t->rtt_us / 1e3);
	return true;
}

void nt_verdict(const struct nt_verdict_in *in, struct nt_verdict *ret)
{
	const struct nt_probe_tcp *t = &in->sender->tcp;

	if (!(in->bps > 0) || in->seconds < 0.2 || !t->streams) {
		say(ret, NT_LIMIT_UNKNOWN, "can't tell: too little was transferred");
		return;
	}
	if (by_pacing(in, ret) || by_line(in, ret) || by_qdisc(in, ret) ||
		by_window(in, MOSTLY, ret) || by_sndbuf(in, MOSTLY, ret) ||
		by_completion(in, ret) || by_write_size(in, ret) || by_cpu(in, ret) ||
		by_drops(in, ret) || by_loss(in, ret) || by_ack_queue(in, ret) || by_own_queue(in, ret) ||
		by_window(in, PARTLY, ret) || by_sndbuf(in, PARTLY, ret) ||
		by_starving(in, ret) || by_cwnd(in, ret))
		return;
	say(ret, NT_LIMIT_UNKNOWN,
		"can't tell: busy %.0f %%, window full %.0f %%, send buffer full %.0f %%, sender's CPUs "
		"%.0f %%, receiver's %.0f %%; %s, cwnd %.0f segments, rtt %.2f ms, %.2f %% retransmitted",
		t->busy_pct, t->rwnd_limited_pct, t->sndbuf_limited_pct, in->sender->cpu.busy,
		in->receiver->cpu.busy, t->congestion, t->cwnd, t->rtt_us / 1e3,
		100 * retransmitted(t));
}
