/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tests a user knows, as runs of the protocol: nt_probe_run(). */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "addr.h"
#include "client.h"
#include "nettune/mem.h"

const struct nt_name nt_probe_test_names[] = {
	{ "stream", NT_TEST_STREAM },
	{ "reverse", NT_TEST_REVERSE },
	{ "bidir", NT_TEST_BIDIR },
	{ "rr", NT_TEST_RR },
	{ "many-rr", NT_TEST_MANY_RR },
	{ "crr", NT_TEST_CRR },
	{ "sizes", NT_TEST_SIZES },
	{ "mixed", NT_TEST_MIXED },
	{ "objects", NT_TEST_OBJECTS },
	{ "loaded", NT_TEST_LOADED },
	{ "udp", NT_TEST_UDP },
	{ "completion", NT_TEST_COMPLETION },
	{ NULL, 0 },
};

/* A group as a test's table has it; streams 0: as the user asked, else many. */
struct plan_group {
	enum nt_flow flow;
	bool down;
	unsigned streams, many;
};
struct plan_part {
	const char *name;
	struct plan_group groups[NT_SPEC_GROUPS];
	unsigned n;
	unsigned request, response; /* 0: as the user asked, else 1 byte */
};

#define BULK(dir) { .flow = NT_FLOW_BULK, .down = dir, .many = 1 }
#define ONE_RR { .flow = NT_FLOW_RR, .streams = 1 }
#define SIZE(label, bytes)                                                               \
	{ .name = label, .groups = { ONE_RR }, .n = 1, .request = bytes, .response = bytes }
#define OBJECT(label, bytes)                                                             \
	{ .name = label, .groups = { { .flow = NT_FLOW_CRR, .streams = 1 } }, .n = 1,    \
		.request = NT_PREAMBLE_LEN, .response = bytes }

static const struct plan_part stream_parts[] = { { .groups = { BULK(false) }, .n = 1 } };
static const struct plan_part reverse_parts[] = { { .groups = { BULK(true) }, .n = 1 } };
static const struct plan_part bidir_parts[] = {
	{ .groups = { BULK(false), BULK(true) }, .n = 2 }
};
static const struct plan_part rr_parts[] = { { .groups = { ONE_RR }, .n = 1 } };
static const struct plan_part many_parts[] = {
	{ .groups = { { .flow = NT_FLOW_RR, .many = 16 } }, .n = 1 }
};
static const struct plan_part crr_parts[] = {
	{ .groups = { { .flow = NT_FLOW_CRR, .many = 1 } }, .n = 1 }
};
static const struct plan_part sizes_parts[] = {
	SIZE("1 B", 1), SIZE("64 B", 64), SIZE("256 B", 256), SIZE("1 KiB", 1024),
	SIZE("4 KiB", 4096), SIZE("16 KiB", 16384), SIZE("64 KiB", 65536),
	SIZE("256 KiB", 262144), SIZE("1 MiB", 1048576), SIZE("4 MiB", 4194304)
};
static const struct plan_part mixed_parts[] = {
	{ .groups = { { .flow = NT_FLOW_RR, .streams = 8 },
		  { .flow = NT_FLOW_BULK, .many = 2 },
		  { .flow = NT_FLOW_BULK, .down = true, .many = 2 } },
		.n = 3 }
};
static const struct plan_part objects_parts[] = {
	OBJECT("10 kB", 10000), OBJECT("100 kB", 100000), OBJECT("1 MB", 1000000),
	OBJECT("10 MB", 10000000)
};
static const struct plan_part loaded_parts[] = {
	{ .name = "alone", .groups = { ONE_RR }, .n = 1 },
	{ .name = "up", .groups = { ONE_RR, BULK(false) }, .n = 2 },
	{ .name = "down", .groups = { ONE_RR, BULK(true) }, .n = 2 }
};
static const struct plan_part udp_parts[] = {
	{ .name = "up", .groups = { { .flow = NT_FLOW_UDP, .many = 1 } }, .n = 1 },
	{ .name = "down", .groups = { { .flow = NT_FLOW_UDP, .down = true, .many = 1 } }, .n = 1 }
};
static const struct plan_part completion_parts[] = {
	{ .groups = { { .flow = NT_FLOW_COMPLETION, .streams = 1 },
		  { .flow = NT_FLOW_COMPLETION, .down = true, .streams = 1 } },
		.n = 2 }
};

#define PARTS(p) p, NT_ARRAY_SIZE(p)
static const struct plan {
	const struct plan_part *parts;
	unsigned n;
	double seconds, warmup; /* of all parts; of each */
} plans[_NT_TEST_MAX] = {
	[NT_TEST_STREAM] = { PARTS(stream_parts), 3, 0.5 },
	[NT_TEST_REVERSE] = { PARTS(reverse_parts), 3, 0.5 },
	[NT_TEST_BIDIR] = { PARTS(bidir_parts), 3, 0.5 },
	[NT_TEST_RR] = { PARTS(rr_parts), 1.5, 0.1 },
	[NT_TEST_MANY_RR] = { PARTS(many_parts), 2, 0.2 },
	[NT_TEST_CRR] = { PARTS(crr_parts), 1, 0.1 },
	[NT_TEST_SIZES] = { PARTS(sizes_parts), 5, 0.1 },
	[NT_TEST_MIXED] = { PARTS(mixed_parts), 3, 0.5 },
	[NT_TEST_OBJECTS] = { PARTS(objects_parts), 4, 0 },
	[NT_TEST_LOADED] = { PARTS(loaded_parts), 3, 0.3 },
	[NT_TEST_UDP] = { PARTS(udp_parts), 2, 0.2 },
	[NT_TEST_COMPLETION] = { PARTS(completion_parts), 2, 0 },
};

struct suite {
	struct nt_client c;
	struct nt_probe_result *r;
	nt_probe_progress_fn *fn;
	void *arg;
	struct nt_probe_progress progress;
};

void nt_probe_opts_init(struct nt_probe_opts *o)
{
	memset(o, 0, sizeof *o);
	o->warmup = -1;
	o->cpu = o->peer_cpu = -1;
}

static void part_free(struct nt_probe_part *p)
{
	nt_probe_end_free(&p->here);
	nt_probe_end_free(&p->there);
}

void nt_probe_result_free(struct nt_probe_result *r)
{
	unsigned i, k;

	if (!r)
		return;
	for (i = 0; i < r->n_tests; i++) {
		for (k = 0; k < r->tests[i].n_parts; k++)
			part_free(&r->tests[i].parts[k]);
		free(r->tests[i].parts);
	}
	free(r->tests);
	nt_snapshot_free(r->peer);
	free(r);
}

const struct nt_probe_part *nt_probe_part_of(const struct nt_probe_result *r,
	enum nt_probe_test test)
{
	unsigned i;

	for (i = 0; i < r->n_tests; i++)
		if (r->tests[i].test == test && r->tests[i].n_parts)
			return &r->tests[i].parts[0];
	return NULL;
}

/* ---- specifications ---------------------------------------------------------------------- */

static void make_spec(const struct nt_probe_opts *o, const struct plan *plan,
	const struct plan_part *part, struct nt_spec *ret)
{
	double seconds = (o->seconds > 0 ? o->seconds : plan->seconds) / plan->n;
	unsigned i;

	memset(ret, 0, sizeof *ret);
	ret->seconds = seconds < 0.2 ? 0.2 : seconds;
	ret->warmup = o->warmup >= 0 ? o->warmup : plan->warmup;
	ret->mss = o->mss;
	ret->write_size = o->write_size;
	ret->sndbuf = o->sndbuf;
	ret->rcvbuf = o->rcvbuf;
	ret->pacing_bps = o->pacing_bps;
	memcpy(ret->congestion, o->congestion, sizeof ret->congestion);
	ret->cpu = o->cpu;
	ret->peer_cpu = o->peer_cpu;
	ret->nodelay = o->nodelay;
	ret->zerocopy = o->zerocopy;
	ret->trunc = o->trunc;
	ret->any_egress = o->any_egress;
	for (i = 0; i < part->n; i++) {
		const struct plan_group *from = &part->groups[i];
		struct nt_group *g = &ret->groups[ret->n_groups++];

		g->flow = from->flow;
		g->down = from->down;
		g->streams = from->streams ? from->streams : o->streams ? o->streams : from->many;
		g->request = part->request ? part->request : o->request ? o->request : 1;
		g->response = part->response ? part->response : o->response ? o->response : 1;
		if (g->flow == NT_FLOW_CRR && g->request < NT_PREAMBLE_LEN)
			g->request = NT_PREAMBLE_LEN;
	}
}

static bool has_way(const struct nt_spec *s, bool down)
{
	unsigned i;

	for (i = 0; i < s->n_groups; i++)
		if (s->groups[i].down == down &&
			(s->groups[i].flow == NT_FLOW_BULK || s->groups[i].flow == NT_FLOW_UDP))
			return true;
	return false;
}

static unsigned bulk_streams(const struct nt_spec *s, bool down)
{
	unsigned i, n = 0;

	for (i = 0; i < s->n_groups; i++)
		if (s->groups[i].down == down && s->groups[i].flow == NT_FLOW_BULK)
			n += s->groups[i].streams;
	return n;
}

/* ---- verdicts ----------------------------------------------------------------------------- */

static const struct nt_probe_completion *completion_of(const struct suite *s, bool there)
{
	const struct nt_probe_part *p = nt_probe_part_of(s->r, NT_TEST_COMPLETION);

	if (!p)
		return NULL;
	return there ? &p->there.completion : &p->here.completion;
}

/* Without the other end's figures there is no verdict, but what this end saw of the rate. */
static void missing(const struct nt_probe_part *p, bool down, struct nt_verdict *ret)
{
	const struct nt_probe_end *h = &p->here;

	ret->limit = NT_LIMIT_UNKNOWN;
	snprintf(ret->text, sizeof ret->text,
		"can't tell: the other end's figures did not come; this end %s %.1f Mbit/s",
		down ? "received" : "sent",
		h->seconds > 0 ? (down ? h->rx_bytes : h->tx_bytes) * 8e-6 / h->seconds : 0);
}

static void judge(const struct suite *s, const struct nt_spec *spec, struct nt_probe_part *p,
	bool down)
{
	struct nt_verdict_in in = {
		.bps = down ? p->down_bps : p->up_bps,
		.seconds = p->seconds,
		.sender = down ? &p->there : &p->here,
		.receiver = down ? &p->here : &p->there,
		.receiver_speed_bps = down ? p->here.egress.speed_bps : p->there.egress.speed_bps,
		.one_host = s->c.one_host,
		.write_size = spec->write_size,
		.sndbuf = spec->sndbuf,
		.rcvbuf = spec->rcvbuf,
		.sender_cpu = down ? spec->peer_cpu : spec->cpu,
		.receiver_cpu = down ? spec->cpu : spec->peer_cpu,
		.pacing_bps = spec->pacing_bps,
		.server_bps = s->c.max_bps / nt_spec_streams(spec) * bulk_streams(spec, down),
		.completion = completion_of(s, down),
	};

	if (!bulk_streams(spec, down))
		return;
	if (p->there_missing)
		missing(p, down, down ? &p->down : &p->up);
	else
		nt_verdict(&in, down ? &p->down : &p->up);
}

/* Numbers in datagrams tell of no loss where none of them ever comes. */
static void all_lost(const struct nt_probe_end *sender, struct nt_probe_end *receiver)
{
	if (!(receiver->udp.received > 0) && !(receiver->udp.jitter_us > 0) && sender->udp.sent > 0)
		receiver->udp.lost = sender->udp.sent;
}

static void numbers(const struct nt_spec *spec, struct nt_probe_part *p)
{
	struct nt_probe_end *h = &p->here, *t = &p->there;

	all_lost(h, t);
	all_lost(t, h);
	p->seconds = h->seconds;
	p->up_bps = has_way(spec, false) && t->seconds > 0 ? t->rx_bytes * 8 / t->seconds : NAN;
	p->down_bps = has_way(spec, true) && h->seconds > 0 ? h->rx_bytes * 8 / h->seconds : NAN;
	p->rate = h->latency.count && h->seconds > 0 ? h->transactions / h->seconds : NAN;
}

/* The completion test comes last, so that its bursts meet an idle link; the verdicts of the
 * tests before it are given again with what it found. */
static void judge_again(struct suite *s)
{
	unsigned i, k;
	struct nt_spec spec;

	for (i = 0; i < s->r->n_tests; i++) {
		struct nt_probe_test_result *t = &s->r->tests[i];
		const struct plan *plan = &plans[t->test];

		for (k = 0; k < t->n_parts; k++) {
			make_spec(&s->r->opts, plan, &plan->parts[k], &spec);
			judge(s, &spec, &t->parts[k], false);
			judge(s, &spec, &t->parts[k], true);
		}
	}
}

/* ---- running ------------------------------------------------------------------------------ */

static void on_here(void *arg, const struct nt_probe_sample *sample)
{
	struct suite *s = arg;

	s->progress.here = *sample;
	s->progress.have_here = true;
	s->progress.elapsed = sample->t;
	if (s->fn)
		s->fn(s->arg, &s->progress);
}

static void on_there(void *arg, const struct nt_probe_sample *sample)
{
	struct suite *s = arg;

	s->progress.there = *sample;
	s->progress.have_there = true;
}

static int run_part(struct suite *s, struct nt_probe_test_result *t, const struct plan *plan,
	const struct plan_part *part, struct nt_err *err)
{
	struct nt_probe_part *p = &t->parts[t->n_parts];
	struct nt_spec spec;
	int rc;

	make_spec(&s->r->opts, plan, part, &spec);
	s->progress = (struct nt_probe_progress){ .test = t->test, .part = part->name,
		.total = spec.seconds };
	if (s->fn)
		s->fn(s->arg, &s->progress);
	rc = nt_client_run(&s->c, &spec, &p->here, &p->there, &t->interrupted, err);
	if (rc) {
		part_free(p);
		memset(p, 0, sizeof *p);
		return rc;
	}
	snprintf(p->name, sizeof p->name, "%s", part->name ? part->name : "");
	p->size = part->response > 1 || plan->n > 3 ? part->response : NAN;
	/* the STOP may have come to the server before its window was open */
	p->there_missing = !s->c.have_result || !(p->there.seconds > 0);
	numbers(&spec, p);
	judge(s, &spec, p, false);
	judge(s, &spec, p, true);
	t->n_parts++;
	return 0;
}

/* 0; -errno when no further test can be run. */
static int run_test(struct suite *s, enum nt_probe_test test, struct nt_err *err)
{
	struct nt_probe_test_result *t = &s->r->tests[s->r->n_tests++];
	const struct plan *plan = &plans[test];
	unsigned i;
	int rc = 0;

	t->test = test;
	t->parts = nt_calloc(plan->n, sizeof *t->parts);
	for (i = 0; i < plan->n && !rc && !t->interrupted; i++)
		rc = run_part(s, t, plan, &plan->parts[i], err);
	if (rc == -EINTR)
		t->interrupted = true;
	else if (rc)
		snprintf(t->error, sizeof t->error, "%.199s", err->msg);
	s->progress.done = t;
	if (s->fn)
		s->fn(s->arg, &s->progress);
	return rc == -EREMOTE ? 0 : rc;
}

static int run_tests(struct suite *s, struct nt_err *err)
{
	unsigned todo = s->r->opts.tests;
	int test, rc = 0;

	s->r->tests = nt_calloc(_NT_TEST_MAX, sizeof *s->r->tests);
	for (test = 0; test < _NT_TEST_MAX && !rc && !s->r->interrupted; test++) {
		if (!(todo & 1U << test))
			continue;
		rc = run_test(s, test, err);
		s->r->interrupted = s->r->tests[s->r->n_tests - 1].interrupted;
	}
	if (completion_of(s, false))
		judge_again(s);
	return rc;
}

unsigned nt_probe_measured(const struct nt_probe_result *r)
{
	unsigned i, n = 0;

	for (i = 0; i < r->n_tests; i++)
		n += r->tests[i].n_parts;
	return n;
}

static void fetch_facts(struct suite *s)
{
	struct nt_err err = { 0 };

	if (!s->c.authenticated) {
		snprintf(s->r->peer_reason, sizeof s->r->peer_reason,
			"the server's facts need a shared key");
		return;
	}
	if (nt_client_facts(&s->c, &s->r->peer, &err))
		snprintf(s->r->peer_reason, sizeof s->r->peer_reason, "%.95s", err.msg);
}

static void describe(struct suite *s, const struct nt_probe_opts *o)
{
	struct nt_probe_result *r = s->r;
	char port[8];
	struct nt_probe_egress e;
	int ifindex;

	nt_host_split(o->host, r->host, sizeof r->host, port, sizeof port, NULL);
	r->port = strtoul(port, NULL, 10);
	memcpy(r->address, s->c.address, sizeof r->address);
	memcpy(r->peer_version, s->c.version, sizeof r->peer_version);
	memcpy(r->peer_kernel, s->c.kernel, sizeof r->peer_kernel);
	nt_addr_name(&s->c.local, r->local_address, sizeof r->local_address);
	nt_egress_find(s->c.sys, (const struct sockaddr *)&s->c.local, &e, &ifindex);
	memcpy(r->reach_link, e.link, sizeof r->reach_link);
	r->authenticated = s->c.authenticated;
	r->opts = *o;
	r->opts.host = r->host;
	memset(&r->opts.key, 0, sizeof r->opts.key);
	if (!r->opts.tests)
		r->opts.tests = NT_PROBE_STANDARD;
}

int nt_probe_run(struct nt_sys *sys, const struct nt_probe_opts *o,
	nt_probe_progress_fn *fn, void *arg, const atomic_bool *stop,
	struct nt_probe_result **ret, struct nt_err *err)
{
	struct suite s = { .c = { .sys = sys, .stop = stop }, .fn = fn, .arg = arg };
	int rc;

	s.c.on_here = on_here;
	s.c.on_there = on_there;
	s.c.arg = &s;
	rc = nt_client_open(&s.c, o->host, &o->key, err);
	if (rc) {
		nt_client_close(&s.c);
		return rc;
	}
	s.r = nt_calloc(1, sizeof *s.r);
	describe(&s, o);
	/* before the tests: the facts' own counters are those of a host at rest */
	if (o->facts)
		fetch_facts(&s);
	rc = run_tests(&s, err);
	nt_client_close(&s.c);
	if (rc && !s.r->interrupted && !nt_probe_measured(s.r)) {
		nt_probe_result_free(s.r);
		return rc;
	}
	*ret = s.r;
	return 0;
}
