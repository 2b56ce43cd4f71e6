/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What holds live TCP connections back (FINDINGS N10): the shares of a connection's busy time
 * in which its send buffer or the other end's window was the limit, of the worst connection
 * to another host. With two readings of what happened between them, else over its life.
 */
#include "config.h"

#include "collect.h"

#include <stdlib.h>
#include <string.h>

/* How long a connection must have been busy for its shares to mean something. */
#define BUSY_LIFE_US 1e6
#define BUSY_SHARE 0.2 /* of the interval */

static int by_cookie(const void *a, const void *b)
{
	const struct nt_sock *x = a, *y = b;

	return (x->cookie > y->cookie) - (x->cookie < y->cookie);
}

int nt_collect_socks(struct nt_collect *c, struct nt_socks *ret)
{
	int rc = c->sys->ops->socks ? c->sys->ops->socks(c->sys, ret, NULL) : -1;
	size_t i, kept = 0;

	for (i = 0; i < ret->n; i++)
		if (!ret->v[i].loopback)
			ret->v[kept++] = ret->v[i];
	ret->n = kept;
	if (kept)
		qsort(ret->v, kept, sizeof *ret->v, by_cookie);
	return rc;
}

struct worst {
	double sndbuf_pct, rwnd_pct;
	const struct nt_sock *sndbuf; /* of the highest sndbuf_pct */
	bool any, counted;	      /* busy ones; busy ones that the kernel timed */
};

/* One connection's life, less what `before` knew of it. */
static void judge(struct worst *w, const struct nt_sock *k, const struct nt_sock *before,
	double least_us)
{
	double busy = (double)(k->busy_us - (before ? before->busy_us : 0)), pct;

	if (k->has_limits && busy < least_us)
		return;
	w->any = true;
	if (!k->has_limits)
		return;
	w->counted = true;
	pct = 100 * (double)(k->sndbuf_limited_us - (before ? before->sndbuf_limited_us : 0)) /
	      busy;
	if (!w->sndbuf || pct > w->sndbuf_pct) {
		w->sndbuf_pct = pct;
		w->sndbuf = k;
	}
	pct = 100 * (double)(k->rwnd_limited_us - (before ? before->rwnd_limited_us : 0)) / busy;
	if (pct > w->rwnd_pct)
		w->rwnd_pct = pct;
}

/* The kernel calls a socket writable while a third of what it may hold is free. */
static bool is_full(const struct nt_sock *k)
{
	return k->unacked && k->sndbuf &&
	       (k->wmem_queued >= k->sndbuf ||
		       k->sndbuf - k->wmem_queued < k->wmem_queued / 2);
}

static void full_buffer(struct nt_collect *c, const struct nt_socks *now)
{
	const struct nt_sock *least = NULL;
	size_t i;

	for (i = 0; i < now->n; i++)
		if (is_full(&now->v[i]) && (!least || now->v[i].sndbuf < least->sndbuf))
			least = &now->v[i];
	if (!least) {
		nt_fact_absent(c->s, &c->s->host, "tcp.full_sndbuf", "no send buffer is full");
		nt_fact_absent(c->s, &c->s->host, "tcp.full_sndbuf_rtt",
			"no send buffer is full");
		return;
	}
	nt_fact_int(c->s, &c->s->host, "tcp.full_sndbuf", NT_UNIT_BYTES, least->sndbuf);
	nt_fact_real(c->s, &c->s->host, "tcp.full_sndbuf_rtt", NT_UNIT_US, least->rtt_us);
}

static void shares(struct nt_collect *c, const struct worst *w)
{
	static const char *const names[] = { "tcp.sndbuf_limited_pct", "tcp.rwnd_limited_pct",
		"tcp.sndbuf_limited_sndbuf" };
	struct nt_scope *host = &c->s->host;
	size_t i;

	if (!w->counted) {
		for (i = 0; i < NT_ARRAY_SIZE(names); i++)
			nt_fact_absent(c->s, host, names[i],
				w->any ? "not in this kernel" : "no connection was busy");
		return;
	}
	nt_fact_real(c->s, host, names[0], NT_UNIT_PERCENT, w->sndbuf_pct);
	nt_fact_real(c->s, host, names[1], NT_UNIT_PERCENT, w->rwnd_pct);
	nt_fact_int(c->s, host, names[2], NT_UNIT_BYTES, w->sndbuf->sndbuf);
}

void nt_collect_sock_facts(struct nt_collect *c, const struct nt_socks *first,
	const struct nt_socks *now, double seconds)
{
	struct worst w = { 0 };
	size_t i;

	nt_fact_int(c->s, &c->s->host, "tcp.sockets", NT_UNIT_NONE, (int64_t)now->n);
	for (i = 0; i < now->n; i++) {
		const struct nt_sock *before = NULL;

		if (seconds > 0 && first->n)
			before = bsearch(&now->v[i], first->v, first->n, sizeof *first->v,
				by_cookie);
		if (seconds <= 0)
			judge(&w, &now->v[i], NULL, BUSY_LIFE_US);
		else /* what was not there before began in the interval */
			judge(&w, &now->v[i], before, BUSY_SHARE * seconds * 1e6);
	}
	shares(c, &w);
	full_buffer(c, now);
}
