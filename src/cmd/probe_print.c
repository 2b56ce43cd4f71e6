/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "probe_print.h"

#include <math.h>
#include <string.h>

#include "nettune/buf.h"

static void rate(char *ret, size_t size, double bps)
{
	snprintf(ret, size, bps < 9.95e6 ? "%.2f Mbit/s" : "%.0f Mbit/s", bps / 1e6);
}

static void duration(char *ret, size_t size, double us)
{
	if (isnan(us))
		snprintf(ret, size, "-");
	else if (us < 999.5)
		snprintf(ret, size, us < 99.95 ? "%.1f us" : "%.0f us", us);
	else
		snprintf(ret, size, us < 99950 ? "%.2f ms" : "%.0f ms", us / 1e3);
}

static void probe_line(char *ret, size_t size, const struct nt_probe_progress *p)
{
	const struct nt_probe_sample *h = &p->here, *t = &p->there;
	struct nt_buf b = { 0 };
	char text[32];

	nt_buf_addf(&b, "%3.0f s", p->elapsed);
	if (h->tx_bps >= h->rx_bps) {
		rate(text, sizeof text, h->tx_bps);
		nt_buf_addf(&b, "  sent %s", text);
	} else {
		rate(text, sizeof text, h->rx_bps);
		nt_buf_addf(&b, "  received %s", text);
	}
	nt_buf_addf(&b, "  retrans %.0f", h->retrans + (p->have_there ? t->retrans : 0));
	if (isfinite(h->cpu_busy))
		nt_buf_addf(&b, "  CPU here %.0f %%", h->cpu_busy);
	if (p->have_there && isfinite(t->cpu_busy))
		nt_buf_addf(&b, "  there %.0f %%", t->cpu_busy);
	if (h->rtt_us > 0 || t->rtt_us > 0) {
		duration(text, sizeof text, h->rtt_us > 0 ? h->rtt_us : t->rtt_us);
		nt_buf_addf(&b, "  rtt %s", text);
	}
	snprintf(ret, size, "%s", nt_buf_str(&b));
	nt_buf_free(&b);
}

void nt_probe_tell(void *arg, const struct nt_probe_progress *p)
{
	const char *test = nt_name_of(nt_probe_test_names, p->test);
	char line[160];

	(void)arg;
	if (p->done)
		return;
	if (!p->have_here) {
		fprintf(stderr, "%s%s%s ...\n", test, p->part ? " " : "", p->part ? p->part : "");
		return;
	}
	probe_line(line, sizeof line, p);
	fprintf(stderr, "  %s\n", line);
}

static void end_line(FILE *out, const char *who, const struct nt_probe_end *e)
{
	char text[32];

	if (isnan(e->cpu.busy))
		return;
	fprintf(out, "  %-6s CPU %3.0f %%  user %.0f system %.0f softirq %.0f", who, e->cpu.busy,
		e->cpu.user, e->cpu.system, e->cpu.softirq);
	if (isfinite(e->cpu_s_per_gb) && e->tx_bytes + e->rx_bytes > 1e7)
		fprintf(out, "  %.2f s/GB", e->cpu_s_per_gb);
	if (isfinite(e->context_switches))
		fprintf(out, "  switches %.0f/s", e->context_switches / e->seconds);
	if (isfinite(e->nic_interrupts))
		fprintf(out, "  irq %.0f/s", e->nic_interrupts / e->seconds);
	fputc('\n', out);
	if (!e->tcp.streams)
		return;
	duration(text, sizeof text, e->tcp.rtt_us);
	fprintf(out,
		"         %s rtt %s cwnd %.0f retrans %.0f  limited: window %.0f %% send buffer %.0f %%\n",
		e->tcp.congestion, text, e->tcp.cwnd, e->tcp.retrans, e->tcp.rwnd_limited_pct,
		e->tcp.sndbuf_limited_pct);
	if (e->tcp.zerocopy_copied)
		fputs("         zero copy was asked for, but the kernel copied\n", out);
}

static void verdict_line(FILE *out, const char *way, const struct nt_verdict *v)
{
	if (*v->text)
		fprintf(out, "  limit  %s%s\n", way, v->text);
}

static void latency_line(FILE *out, const struct nt_probe_part *p)
{
	const struct nt_probe_latency *l = &p->here.latency;
	const double v[] = { l->p50, l->p90, l->p99, l->p999, l->max };
	static const char *const names[] = { "p50", "p90", "p99", "p99.9", "max" };
	char text[32];
	size_t i;

	fprintf(out, "%.0f/s", p->rate);
	for (i = 0; i < sizeof v / sizeof *v; i++) {
		duration(text, sizeof text, v[i]);
		fprintf(out, "  %s %s", names[i], text);
	}
	fputc('\n', out);
}

static void udp_line(FILE *out, const char *way, const struct nt_probe_udp *u)
{
	char r[32], j[32];
	double all = u->received + u->lost;

	rate(r, sizeof r, u->bps);
	duration(j, sizeof j, u->jitter_us);
	fprintf(out, "%s %s  lost %.0f of %.0f (%.2f %%)  reordered %.0f  jitter %s\n", way, r,
		u->lost, all, all > 0 ? 100 * u->lost / all : 0, u->reordered, j);
}

static void completion_line(FILE *out, const char *who, const struct nt_probe_completion *c)
{
	char d[32], s[32], p50[32], p99[32];

	if (!c->ran)
		return;
	if (!c->measurable) {
		fprintf(out, "  %-6s not measurable here: %s\n", who, c->reason);
		return;
	}
	duration(d, sizeof d, c->intercept_us);
	duration(s, sizeof s, c->slope_us);
	duration(p50, sizeof p50, c->p50_us);
	duration(p99, sizeof p99, c->p99_us);
	fprintf(out, "  %-6s delay %s%s, %s a datagram; single ones p50 %s p99 %s\n", who, d,
		c->late ? " (LATE)" : "", s, p50, p99);
}

static void print_part(FILE *out, enum nt_probe_test test, const struct nt_probe_part *p)
{
	char text[32];

	fprintf(out, "%-10s %-8s ", nt_name_of(nt_probe_test_names, test), p->name);
	if (test == NT_TEST_COMPLETION) {
		fputc('\n', out);
		completion_line(out, "here", &p->here.completion);
		completion_line(out, "there", &p->there.completion);
		return;
	}
	if (p->there_missing && isnan(p->down_bps) && (test == NT_TEST_UDP || *p->up.text)) {
		rate(text, sizeof text, p->here.tx_bytes * 8 / p->here.seconds);
		fprintf(out, "sent %s  ", text);
	} else if (test == NT_TEST_UDP) {
		udp_line(out, "", isfinite(p->up_bps) ? &p->there.udp : &p->here.udp);
		return;
	}
	if (isfinite(p->up_bps)) {
		rate(text, sizeof text, p->up_bps);
		fprintf(out, "up %s  ", text);
	}
	if (isfinite(p->down_bps)) {
		rate(text, sizeof text, p->down_bps);
		fprintf(out, "down %s  ", text);
	}
	if (test == NT_TEST_SIZES && p->here.latency.p50 > 0) {
		rate(text, sizeof text, 2 * 8 * p->size / (p->here.latency.p50 / 1e6));
		fprintf(out, "%s  ", text);
	}
	if (isfinite(p->rate))
		latency_line(out, p);
	else
		fputc('\n', out);
	if (!*p->up.text && !*p->down.text)
		return;
	end_line(out, "here", &p->here);
	end_line(out, "there", &p->there);
	verdict_line(out, *p->down.text && *p->up.text ? "up: " : "", &p->up);
	verdict_line(out, *p->down.text && *p->up.text ? "down: " : "", &p->down);
}

void nt_probe_print(FILE *out, const struct nt_probe_result *r)
{
	unsigned i, k;

	fprintf(out, "Probe to %s (%s port %u, nettune %s%s%s)%s\n", r->host, r->address, r->port,
		r->peer_version, *r->peer_kernel ? ", Linux " : "", r->peer_kernel,
		r->interrupted ? ", interrupted" : "");
	for (i = 0; i < r->n_tests; i++) {
		const struct nt_probe_test_result *t = &r->tests[i];

		for (k = 0; k < t->n_parts; k++) {
			print_part(out, t->test, &t->parts[k]);
			if (t->parts[k].there_missing)
				fputs("  there  its figures did not come\n", out);
		}
		if (!t->n_parts && t->interrupted)
			fprintf(out, "%-10s interrupted: nothing was measured\n",
				nt_name_of(nt_probe_test_names, t->test));
	}
}
