/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "probe_print.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "nettune/buf.h"
#include "nettune/cells.h"

#define MUCH_BPS 100e6

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
	if (h->per_s > 0)
		nt_buf_addf(&b, "  %.0f/s", h->per_s);
	/* the bytes of small messages are not what their test is about */
	if (!(h->per_s > 0) || fmax(h->tx_bps, h->rx_bps) >= MUCH_BPS) {
		bool sent = h->tx_bps >= h->rx_bps;

		rate(text, sizeof text, sent ? h->tx_bps : h->rx_bps);
		nt_buf_addf(&b, "  %s %s", sent ? "sent" : "received", text);
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

/* ---- results, filled to the terminal's width ---------------------------------------------- */

struct line {
	FILE *out;
	int columns, indent, col;
	bool fresh; /* nothing but the label yet */
};

static void begin(struct line *l, int indent, const char *label)
{
	l->indent = indent;
	l->col = nt_cells(label);
	l->fresh = true;
	fputs(label, l->out);
}

/* What is not to be broken, gap blanks after what was before it. */
static void item(struct line *l, int gap, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void item(struct line *l, int gap, const char *fmt, ...)
{
	char text[256];
	va_list ap;
	int n;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	n = nt_cells(text);
	if (!l->fresh && l->col + gap + n > l->columns) {
		fputc('\n', l->out);
		l->col = 0;
		l->fresh = true;
	}
	if (l->fresh)
		gap = l->indent > l->col ? l->indent - l->col : 1;
	fprintf(l->out, "%*s%s", gap, "", text);
	l->col += gap + n;
	l->fresh = false;
}

/* Broken at blanks, but not between a number and what it is a number of. */
static void words(struct line *l, const char *text)
{
	size_t n;

	for (; *(text += strspn(text, " ")); text += n) {
		n = strcspn(text, " ");
		while (strspn(text, "0123456789. ") >= n && text[n])
			n += 1 + strcspn(text + n + 1, " ");
		item(l, 1, "%.*s", (int)n, text);
	}
}

static void end(struct line *l)
{
	fputc('\n', l->out);
}

static void label(struct line *l, const char *who)
{
	char text[16];

	snprintf(text, sizeof text, "  %s", who);
	begin(l, 9, text);
}

static void end_line(struct line *l, const char *who, const struct nt_probe_end *e)
{
	char text[32];

	if (isnan(e->cpu.busy))
		return;
	label(l, who);
	item(l, 1, "CPU %3.0f %%", e->cpu.busy);
	item(l, 2, "user %.0f system %.0f softirq %.0f", e->cpu.user, e->cpu.system,
		e->cpu.softirq);
	if (isfinite(e->cpu_s_per_gb) && e->tx_bytes + e->rx_bytes > 1e7)
		item(l, 2, "%.2f s/GB", e->cpu_s_per_gb);
	if (isfinite(e->context_switches))
		item(l, 2, "switches %.0f/s", e->context_switches / e->seconds);
	if (isfinite(e->nic_interrupts))
		item(l, 2, "irq %.0f/s", e->nic_interrupts / e->seconds);
	end(l);
	if (!e->tcp.streams)
		return;
	duration(text, sizeof text, e->tcp.rtt_us);
	label(l, "");
	item(l, 1, "%s rtt %s cwnd %.0f retrans %.0f", e->tcp.congestion, text, e->tcp.cwnd,
		e->tcp.retrans);
	item(l, 2, "limited: window %.0f %% send buffer %.0f %%", e->tcp.rwnd_limited_pct,
		e->tcp.sndbuf_limited_pct);
	end(l);
	if (e->tcp.zerocopy_copied) {
		label(l, "");
		words(l, "zero copy was asked for, but the kernel copied");
		end(l);
	}
}

static void verdict_line(struct line *l, const char *way, const struct nt_verdict *v)
{
	if (!*v->text)
		return;
	label(l, "limit");
	words(l, way);
	words(l, v->text);
	end(l);
}

static void latency(struct line *l, const struct nt_probe_part *p)
{
	const struct nt_probe_latency *h = &p->here.latency;
	const struct {
		const char *name;
		double us, least; /* of so many it is one that was seen */
	} rows[] = {
		{ "p50", h->p50, 1 }, { "p90", h->p90, 10 }, { "p99", h->p99, 100 },
		{ "p99.9", h->p999, 1000 }, { "max", h->max, 1 },
	};
	char text[32];
	size_t i;

	item(l, 2, p->rate < 9.95 ? "%.2f/s" : "%.0f/s", p->rate);
	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (h->count < rows[i].least)
			continue;
		duration(text, sizeof text, rows[i].us);
		item(l, 2, "%s %s", rows[i].name, text);
	}
}

static void udp(struct line *l, double sent, const struct nt_probe_udp *u)
{
	double all = u->received + u->lost;
	char text[32];

	rate(text, sizeof text, u->bps);
	item(l, 2, "%s", text);
	if (all > 0)
		item(l, 2, "lost %.0f of %.0f (%.2f %%)", u->lost, all, 100 * u->lost / all);
	else
		item(l, 2, "none of %.0f came in time", sent);
	item(l, 2, "reordered %.0f", u->reordered);
	duration(text, sizeof text, u->jitter_us);
	item(l, 2, "jitter %s", text);
}

static double moved(const struct nt_probe_end *e, const char *const *names)
{
	double sum = 0;
	unsigned i;

	for (; *names; names++)
		for (i = 0; i < e->n_counters; i++)
			if (strcmp(e->counters[i].name, *names) == 0)
				sum += e->counters[i].delta;
	return sum;
}

/* Where datagrams were lost, as far as either end's counters tell: other programs' count, too. */
static void lost_where(struct line *l, const struct nt_probe_end *from, const struct nt_probe_end *to)
{
	static const char *const buffer[] = { "snmp.Udp.RcvbufErrors",
		"snmp6.Udp6RcvbufErrors", NULL };
	static const char *const backlog[] = { "softnet.dropped", NULL };
	const struct {
		double n;
		const char *what, *name;
	} places[] = {
		{ from->egress.qdisc_drops, "by the sender's queue", from->egress.qdisc },
		{ moved(to, backlog), "by the receiver's backlog", "softnet" },
		{ moved(to, buffer), "by the receiver's socket buffer", "SO_RCVBUF" },
	};
	double rest = to->udp.lost;
	size_t i;

	if (!(rest > 0))
		return;
	label(l, "lost");
	for (i = 0; i < sizeof places / sizeof *places; i++) {
		double n = fmin(places[i].n, rest);

		if (!(n > 0))
			continue;
		item(l, 1, "%.0f %s (%s)%s", n, places[i].what, places[i].name, rest > n ? "," : "");
		rest -= n;
	}
	if (rest > 0)
		item(l, 1, "%.0f on the way", rest);
	end(l);
}

static void completion(struct line *l, const char *who, const struct nt_probe_completion *c)
{
	char d[32], s[32], p50[32], p99[32];

	if (!c->ran)
		return;
	label(l, who);
	if (!c->measurable) {
		words(l, "not measurable here:");
		words(l, c->reason);
		end(l);
		return;
	}
	duration(d, sizeof d, c->intercept_us);
	duration(s, sizeof s, c->slope_us);
	duration(p50, sizeof p50, c->p50_us);
	duration(p99, sizeof p99, c->p99_us);
	item(l, 1, "delay %s%s, %s a datagram;", d, c->late ? " (LATE)" : "", s);
	item(l, 1, "single ones p50 %s p99 %s", p50, p99);
	end(l);
}

/* The tests of requests and responses. */
#define ASKS                                                                                      \
	(1U << NT_TEST_RR | 1U << NT_TEST_MANY_RR | 1U << NT_TEST_CRR | 1U << NT_TEST_SIZES |     \
		1U << NT_TEST_MIXED | 1U << NT_TEST_OBJECTS | 1U << NT_TEST_LOADED)

/* The rates of a part, behind its label. */
static void rates(struct line *l, enum nt_probe_test test, const struct nt_probe_part *p)
{
	char text[32];

	if (p->there_missing && isnan(p->down_bps) && (test == NT_TEST_UDP || *p->up.text)) {
		rate(text, sizeof text, p->here.tx_bytes * 8 / p->here.seconds);
		item(l, 2, "sent %s", text);
	} else if (test == NT_TEST_UDP) {
		udp(l, isfinite(p->up_bps) ? p->here.udp.sent : p->there.udp.sent,
			isfinite(p->up_bps) ? &p->there.udp : &p->here.udp);
		return;
	}
	if (isfinite(p->up_bps)) {
		rate(text, sizeof text, p->up_bps);
		item(l, 2, "up %s", text);
	}
	if (isfinite(p->down_bps)) {
		rate(text, sizeof text, p->down_bps);
		item(l, 2, "down %s", text);
	}
	if (test == NT_TEST_SIZES && p->here.latency.p50 > 0) {
		rate(text, sizeof text, 2 * 8 * p->size / (p->here.latency.p50 / 1e6));
		item(l, 2, "%s", text);
	}
	if (test == NT_TEST_OBJECTS && isfinite(p->rate)) {
		rate(text, sizeof text, 8 * p->size * p->rate);
		item(l, 2, "%s", text);
	}
	if (isfinite(p->rate))
		latency(l, p);
	else if (ASKS >> test & 1)
		item(l, 2, "no answer came within %.1f s", p->seconds);
}

static void print_part(struct line *l, enum nt_probe_test test, const struct nt_probe_part *p)
{
	const char *name = nt_name_of(nt_probe_test_names, test);
	bool both = *p->down.text && *p->up.text;
	char text[40];

	snprintf(text, sizeof text, *p->name ? "%-10s %s" : "%s", name, p->name);
	begin(l, 20, text);
	if (test == NT_TEST_COMPLETION) {
		end(l);
		completion(l, "here", &p->here.completion);
		completion(l, "there", &p->there.completion);
		return;
	}
	rates(l, test, p);
	end(l);
	if (test == NT_TEST_UDP && !p->there_missing)
		lost_where(l, isfinite(p->up_bps) ? &p->here : &p->there,
			isfinite(p->up_bps) ? &p->there : &p->here);
	if (p->there.other_tests > 0) {
		label(l, "there");
		item(l, 1, "%.0f other test%s ran meanwhile", p->there.other_tests,
			p->there.other_tests > 1 ? "s" : "");
		end(l);
	}
	if (!*p->up.text && !*p->down.text)
		return;
	end_line(l, "here", &p->here);
	end_line(l, "there", &p->there);
	verdict_line(l, both ? "up:" : "", &p->up);
	verdict_line(l, both ? "down:" : "", &p->down);
}

void nt_probe_print(FILE *out, int columns, const struct nt_probe_result *r)
{
	struct line l = { .out = out, .columns = columns };
	const char *close = r->interrupted ? ")," : ")";
	unsigned i, k;

	begin(&l, 9, "Probe to");
	item(&l, 1, "%s", r->host);
	item(&l, 1, "(%s port %u,", r->address, r->port);
	item(&l, 1, "nettune %s%s", r->peer_version, *r->peer_kernel ? "," : close);
	if (*r->peer_kernel)
		item(&l, 1, "Linux %s%s", r->peer_kernel, close);
	if (r->interrupted)
		item(&l, 1, "interrupted");
	end(&l);
	for (i = 0; i < r->n_tests; i++) {
		const struct nt_probe_test_result *t = &r->tests[i];

		for (k = 0; k < t->n_parts; k++) {
			print_part(&l, t->test, &t->parts[k]);
			if (t->parts[k].there_missing)
				fputs("  there  its figures did not come\n", out);
		}
		if (!t->n_parts && t->interrupted)
			fprintf(out, "%-10s interrupted: nothing was measured\n",
				nt_name_of(nt_probe_test_names, t->test));
	}
}
