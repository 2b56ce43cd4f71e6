/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the host's own TCP connections say, without a probe: what held them back while they
 * had data to send. Connections within the host say nothing of its network and don't count.
 */
#include "config.h"

#include "collect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "nettune/syssock.h"

/* So many are looked at: half a second, and 10 MB for the first of two readings. */
#define MOST_SOCKETS 250000
/* A share is told of a connection that had this much to send in its life ... */
#define LIFE_US 1000000
/* ... and, between two readings, at least this and a tenth of the time. The kernel's clock
 * ticks every 1 to 10 ms. */
#define INTERVAL_US 100000
/* Held back: the rules' threshold. */
#define LIMITED_PCT 30.0
/* Of its limit; a segment must fit in before a program is told to go on. */
#define FULL_PCT 90

/* One connection at the first reading. */
struct then {
	uint64_t cookie, busy, rwnd_limited, sndbuf_limited, sndbuf;
	bool stuck;
};

struct worst {
	bool known;
	double pct;
	uint64_t of; /* what pct is a share of: us, or a listener's connections */
	uint64_t sndbuf, rtt;
	char name[2 * NT_SOCK_TEXT + 8]; /* "LOCAL to REMOTE" */
};

struct tally {
	unsigned long looked_at, connections, busy, sndbuf_limited, rwnd_limited;
	bool tells_busy; /* the kernel keeps the times */
	struct worst sndbuf, rwnd, stuck;
};

struct nt_socks {
	unsigned char (*own)[16]; /* the host's addresses, sorted */
	size_t n_own;
	struct then *then; /* sorted by cookie once again is set */
	size_t n_then, cap_then;
	bool keep;	   /* fill then */
	bool again;	   /* the second reading */
	double min_busy_us;
	int rc;		   /* of the last reading */
	struct tally tally; /* of the last reading */
	struct worst full, listener; /* of both */
};

/* ---- within the host ----------------------------------------------------------------- */

/* As IPv6 writes it. */
static void plain(unsigned char ret[16], int family, const unsigned char *addr)
{
	memset(ret, 0, 16);
	if (family == AF_INET) {
		memset(ret + 10, 0xff, 2);
		memcpy(ret + 12, addr, 4);
	} else {
		memcpy(ret, addr, 16);
	}
}

static int by_address(const void *a, const void *b)
{
	return memcmp(a, b, 16);
}

static void own_addresses(struct nt_socks *k, const struct nt_addrs *a)
{
	k->own = nt_calloc(a->n + 1, sizeof *k->own);
	for (; k->n_own < a->n; k->n_own++)
		plain(k->own[k->n_own], a->v[k->n_own].family, a->v[k->n_own].addr);
	qsort(k->own, k->n_own, sizeof *k->own, by_address);
}

static bool within_host(const struct nt_socks *k, const struct nt_sock *s)
{
	static const unsigned char loopback4[13] = { [10] = 0xff, 0xff, 127 };
	static const unsigned char loopback6[16] = { [15] = 1 };
	unsigned char remote[16];

	plain(remote, s->family, s->remote.addr);
	return !memcmp(remote, loopback4, sizeof loopback4) ||
	       !memcmp(remote, loopback6, sizeof loopback6) ||
	       !memcmp(s->remote.addr, s->local.addr, sizeof s->local.addr) ||
	       bsearch(remote, k->own, k->n_own, sizeof *k->own, by_address);
}

/* ---- one socket ---------------------------------------------------------------------- */

static int by_cookie(const void *a, const void *b)
{
	const struct then *x = a, *y = b;

	return (x->cookie > y->cookie) - (x->cookie < y->cookie);
}

/* All zero for a connection that is new since then, or had sent nothing. */
static struct then then_of(const struct nt_socks *k, uint64_t cookie)
{
	struct then key = { .cookie = cookie }, *found = NULL;

	if (k->again && k->n_then)
		found = bsearch(&key, k->then, k->n_then, sizeof *k->then, by_cookie);
	return found ? *found : key;
}

static bool is_full(const struct nt_sock *s)
{
	return s->sndbuf != NT_SOCK_UNKNOWN && s->wmem != NT_SOCK_UNKNOWN && s->sndbuf &&
	       s->wmem >= s->sndbuf / 100 * FULL_PCT && s->unacked != NT_SOCK_UNKNOWN &&
	       s->unacked && s->rtt != NT_SOCK_UNKNOWN;
}

/*
 * Nothing but the buffer is in the way: the next write must wait, all that was written is
 * under way, and the congestion window has room. The kernel counts that as waiting for the
 * buffer only where it sends after the program ran into the limit (as when it paces), and
 * not where each write goes out at once.
 */
static bool is_stuck(const struct nt_sock *s)
{
	return is_full(s) && s->wmem >= s->sndbuf && s->not_sent < s->mss &&
	       s->unacked < s->cwnd;
}

static void remember(struct nt_socks *k, const struct nt_sock *s)
{
	if (s->busy == 0 || s->busy == NT_SOCK_UNKNOWN)
		return;
	NT_GROW(k->then, k->n_then, k->cap_then);
	k->then[k->n_then++] = (struct then){ .cookie = s->cookie, .busy = s->busy,
		.rwnd_limited = s->rwnd_limited, .sndbuf_limited = s->sndbuf_limited,
		.sndbuf = s->sndbuf, .stuck = is_stuck(s) };
}

static void name_it(struct worst *w, const struct nt_sock *s)
{
	char local[NT_SOCK_TEXT], remote[NT_SOCK_TEXT];

	w->known = true;
	w->sndbuf = s->sndbuf;
	w->rtt = s->rtt;
	nt_sock_end_text(local, s->family, &s->local);
	nt_sock_end_text(remote, s->family, &s->remote);
	if (s->state == NT_TCP_LISTEN)
		snprintf(w->name, sizeof w->name, "%s", local);
	else
		snprintf(w->name, sizeof w->name, "%s to %s", local, remote);
}

static void take_worst(struct worst *w, double pct, uint64_t of, const struct nt_sock *s)
{
	if (w->known && (pct < w->pct || (pct <= w->pct && of <= w->of)))
		return;
	w->pct = pct;
	w->of = of;
	name_it(w, s);
}

static double share(uint64_t part, uint64_t part_then, uint64_t busy)
{
	double pct = part > part_then ? 100.0 * (double)(part - part_then) / (double)busy : 0;

	return pct > 100 ? 100 : pct;
}

static void shares(struct nt_socks *k, const struct nt_sock *s)
{
	struct then then = then_of(k, s->cookie);
	struct tally *t = &k->tally;
	uint64_t busy;
	double pct;

	if (s->busy == NT_SOCK_UNKNOWN || s->sndbuf_limited == NT_SOCK_UNKNOWN)
		return;
	t->tells_busy = true;
	if (s->busy < LIFE_US || s->busy < then.busy)
		return;
	busy = s->busy - then.busy;
	if (!busy || (double)busy < k->min_busy_us)
		return;
	t->busy++;
	pct = share(s->rwnd_limited, then.rwnd_limited, busy);
	t->rwnd_limited += pct > LIMITED_PCT;
	take_worst(&t->rwnd, pct, busy, s);
	/* a buffer that is growing is being seen to */
	if (then.sndbuf && s->sndbuf != NT_SOCK_UNKNOWN && s->sndbuf > then.sndbuf)
		return;
	pct = share(s->sndbuf_limited, then.sndbuf_limited, busy);
	t->sndbuf_limited += pct > LIMITED_PCT;
	take_worst(&t->sndbuf, pct, busy, s);
}

static void take_smallest(struct worst *w, const struct nt_sock *s)
{
	if (!w->known || s->sndbuf < w->sndbuf)
		name_it(w, s);
}

static void full_buffer(struct nt_socks *k, const struct nt_sock *s)
{
	struct then then;

	if (!is_full(s))
		return;
	take_smallest(&k->full, s);
	then = then_of(k, s->cookie);
	if (then.stuck && then.sndbuf == s->sndbuf && is_stuck(s))
		take_smallest(&k->tally.stuck, s);
}

static int got_socket(void *arg, const struct nt_sock *s)
{
	struct nt_socks *k = arg;

	if (k->tally.looked_at++ >= MOST_SOCKETS)
		return 1;
	if (s->state == NT_TCP_LISTEN) {
		if (s->wqueue)
			take_worst(&k->listener, 100.0 * s->rqueue / s->wqueue, s->wqueue, s);
	} else if (!within_host(k, s)) {
		k->tally.connections++;
		if (k->keep)
			remember(k, s);
		full_buffer(k, s);
		shares(k, s);
	}
	return 0;
}

/* ---- readings ------------------------------------------------------------------------ */

static void read_sockets(struct nt_collect *c)
{
	struct nt_socks *k = c->socks;
	struct nt_err err = { 0 };

	memset(&k->tally, 0, sizeof k->tally);
	k->rc = c->sys->ops->sockets(c->sys, NT_TCP_CONNECTED | NT_TCP_LISTENING, got_socket, k,
		&err);
	if (k->rc < 0 && nt_collect_why(k->rc) == NT_WHY_FAILED)
		nt_collect_note(c, "TCP sockets: %s", err.msg);
}

void nt_collect_socks(struct nt_collect *c)
{
	struct nt_socks *k = c->socks = nt_calloc(1, sizeof *k);

	k->keep = c->opts->interval_s > 0;
	k->min_busy_us = LIFE_US;
	own_addresses(k, &c->addrs);
	read_sockets(c);
}

void nt_collect_socks_again(struct nt_collect *c, double seconds)
{
	struct nt_socks *k = c->socks;

	/* a connection of which the first reading knows nothing would look new */
	if (k->rc < 0 || k->tally.looked_at > MOST_SOCKETS)
		return;
	k->keep = false;
	k->again = true;
	k->min_busy_us = seconds * 1e5 > INTERVAL_US ? seconds * 1e5 : INTERVAL_US;
	if (k->n_then)
		qsort(k->then, k->n_then, sizeof *k->then, by_cookie);
	read_sockets(c);
}

void nt_collect_socks_free(struct nt_collect *c)
{
	if (!c->socks)
		return;
	free(c->socks->own);
	free(c->socks->then);
	free(c->socks);
	c->socks = NULL;
}

/* ---- facts --------------------------------------------------------------------------- */

static void put_count(struct nt_collect *c, const char *name, uint64_t v)
{
	nt_fact_int(c->s, &c->s->host, name, NT_UNIT_NONE, v > INT64_MAX ? INT64_MAX : (int64_t)v);
}

static void put_bytes(struct nt_collect *c, const char *name, uint64_t v)
{
	if (v <= INT64_MAX)
		nt_fact_int(c->s, &c->s->host, name, NT_UNIT_BYTES, (int64_t)v);
}

static void put_name(struct nt_collect *c, const char *name, const struct worst *w)
{
	nt_fact_text(c->s, &c->s->host, NT_FACT_TEXT, name, w->name);
}

static void put_shares(struct nt_collect *c, const struct tally *t)
{
	struct nt_scope *host = &c->s->host;

	put_count(c, "tcp.busy", t->busy);
	put_count(c, "tcp.sndbuf_limited", t->sndbuf_limited);
	put_count(c, "tcp.rwnd_limited", t->rwnd_limited);
	if (t->sndbuf.known)
		nt_fact_real(c->s, host, "tcp.sndbuf_limited_pct", NT_UNIT_PERCENT,
			t->sndbuf.pct);
	if (t->sndbuf.known && t->sndbuf.pct > 0) {
		put_bytes(c, "tcp.sndbuf_limited_sndbuf", t->sndbuf.sndbuf);
		put_name(c, "tcp.sndbuf_limited_socket", &t->sndbuf);
	}
	if (t->rwnd.known)
		nt_fact_real(c->s, host, "tcp.rwnd_limited_pct", NT_UNIT_PERCENT, t->rwnd.pct);
	if (t->rwnd.known && t->rwnd.pct > 0)
		put_name(c, "tcp.rwnd_limited_socket", &t->rwnd);
}

static void put_known(struct nt_collect *c)
{
	const struct nt_socks *k = c->socks;
	struct nt_scope *host = &c->s->host;

	put_count(c, "tcp.sockets", k->tally.connections);
	if (k->tally.tells_busy || !k->tally.connections)
		put_shares(c, &k->tally);
	if (k->full.known) {
		put_bytes(c, "tcp.full_sndbuf", k->full.sndbuf);
		nt_fact_real(c->s, host, "tcp.full_sndbuf_rtt", NT_UNIT_US, (double)k->full.rtt);
		put_name(c, "tcp.full_sndbuf_socket", &k->full);
	}
	if (k->tally.stuck.known) {
		put_bytes(c, "tcp.stuck_sndbuf", k->tally.stuck.sndbuf);
		nt_fact_real(c->s, host, "tcp.stuck_sndbuf_rtt", NT_UNIT_US,
			(double)k->tally.stuck.rtt);
		put_name(c, "tcp.stuck_sndbuf_socket", &k->tally.stuck);
	}
	if (k->listener.known) {
		nt_fact_real(c->s, host, "tcp.accept_queue_pct", NT_UNIT_PERCENT, k->listener.pct);
	}
	if (k->listener.known && k->listener.pct > 0) {
		put_count(c, "tcp.accept_queue_limit", k->listener.of);
		put_name(c, "tcp.accept_queue_socket", &k->listener);
	}
}

/* TIMES: those that Linux 4.10 began to keep. */
enum needs { NOTHING, TIMES, TWO_READINGS };

/* Every fact of this source, and why it is missing where what it needs is there. */
static const struct {
	const char *name, *why;
	enum needs needs;
} facts[] = {
	{ "tcp.sockets", "", NOTHING },
	{ "tcp.busy", "", TIMES },
	{ "tcp.sndbuf_limited", "", TIMES },
	{ "tcp.rwnd_limited", "", TIMES },
	{ "tcp.sndbuf_limited_pct", "no connection was busy long enough", TIMES },
	{ "tcp.sndbuf_limited_sndbuf", "no connection waits for it", TIMES },
	{ "tcp.sndbuf_limited_socket", "no connection waits for it", TIMES },
	{ "tcp.rwnd_limited_pct", "no connection was busy long enough", TIMES },
	{ "tcp.rwnd_limited_socket", "no connection waits for it", TIMES },
	{ "tcp.full_sndbuf", "no send buffer is full", NOTHING },
	{ "tcp.full_sndbuf_rtt", "no send buffer is full", NOTHING },
	{ "tcp.full_sndbuf_socket", "no send buffer is full", NOTHING },
	{ "tcp.stuck_sndbuf", "no send buffer stays full", TWO_READINGS },
	{ "tcp.stuck_sndbuf_rtt", "no send buffer stays full", TWO_READINGS },
	{ "tcp.stuck_sndbuf_socket", "no send buffer stays full", TWO_READINGS },
	{ "tcp.accept_queue_pct", "no program listens", NOTHING },
	{ "tcp.accept_queue_limit", "no connection waits to be accepted", NOTHING },
	{ "tcp.accept_queue_socket", "no connection waits to be accepted", NOTHING },
};

static const char *absent_why(const struct nt_socks *k, size_t fact)
{
	static const char *const failed[] = {
		[NT_WHY_MISSING] = "the kernel does not list its sockets",
		[NT_WHY_DENIED] = "the kernel does not permit it",
		[NT_WHY_FAILED] = "could not be read",
	};

	if (k->rc < 0)
		return failed[nt_collect_why(k->rc)];
	if (facts[fact].needs == TIMES && k->tally.connections && !k->tally.tells_busy)
		return "not in this kernel";
	if (facts[fact].needs == TWO_READINGS && !k->again)
		return "needs two readings";
	return facts[fact].why;
}

void nt_collect_socks_facts(struct nt_collect *c)
{
	const struct nt_socks *k = c->socks;
	size_t i;

	nt_snapshot_unseal(c->s);
	if (k->rc == 0)
		put_known(c);
	for (i = 0; i < NT_ARRAY_SIZE(facts); i++)
		nt_fact_absent(c->s, &c->s->host, facts[i].name, absent_why(k, i));
	nt_snapshot_seal(c->s);
}
