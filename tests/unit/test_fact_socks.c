/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the collector makes of TCP sockets, over a kernel that has nothing else. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "nettune/fact.h"
#include "nettune/mem.h"
#include "nettune/syssock.h"
#include "nettune/sys.h"

#define NEVER NT_SOCK_UNKNOWN

/* ---- the kernel ---------------------------------------------------------------------- */

struct fake {
	struct nt_sys sys;
	const struct nt_sock *socks[2]; /* at the first reading, at the second */
	size_t n[2];
	unsigned readings;
	int rc;		   /* of the last of them */
	size_t repeat;	   /* the first socket so often */
	size_t given;	   /* calls, at the last reading */
	unsigned states;
};

static struct fake *fake_of(struct nt_sys *s)
{
	return (struct fake *)s;
}

static int no_links(struct nt_sys *s, struct nt_links *ret, struct nt_err *err)
{
	(void)s;
	(void)ret;
	(void)err;
	return 0;
}

static int no_qdiscs(struct nt_sys *s, struct nt_qdiscs *ret, struct nt_err *err)
{
	(void)s;
	(void)ret;
	(void)err;
	return 0;
}

/* 192.0.2.1, 192.0.2.2 and 2001:db8::1 are the host's own. */
static int own_addrs(struct nt_sys *s, struct nt_addrs *ret, struct nt_err *err)
{
	static const char *const own[] = { "192.0.2.2", "192.0.2.1" };
	size_t i;

	(void)s;
	(void)err;
	for (i = 0; i < 3; i++) {
		NT_GROW(ret->v, ret->n, ret->cap);
		ret->v[ret->n] = (struct nt_addr){ .ifindex = 1,
			.family = i < 2 ? AF_INET : AF_INET6 };
		inet_pton(ret->v[ret->n].family, i < 2 ? own[i] : "2001:db8::1",
			ret->v[ret->n].addr);
		ret->n++;
	}
	return 0;
}

static int sockets(struct nt_sys *s, unsigned states, nt_sock_fn *fn, void *arg,
	struct nt_err *err)
{
	struct fake *f = fake_of(s);
	unsigned at = f->readings ? 1 : 0;
	size_t i, again;

	f->readings++;
	f->states = states;
	for (i = f->given = 0; i < f->n[at]; i++)
		for (again = 0; again <= (i ? 0 : f->repeat); again++, f->given++)
			if (fn(arg, &f->socks[at][i]))
				return 0;
	return f->rc ? nt_err_set(err, f->rc, "cannot list TCP sockets") : 0;
}

static int eth_get(struct nt_sys *s, enum nt_eth what, int ifindex,
	const struct nt_links *links, nt_eth_fn *fn, void *arg, struct nt_err *err)
{
	(void)s;
	(void)what;
	(void)ifindex;
	(void)links;
	(void)fn;
	(void)arg;
	(void)err;
	return 0;
}

static int no_file(struct nt_sys *s, const char *path, struct nt_buf *ret, struct nt_err *err)
{
	(void)s;
	(void)ret;
	return nt_err_set(err, -ENOENT, "no file '%s'", path);
}

static int no_folder(struct nt_sys *s, const char *path, nt_dir_fn *fn, void *arg,
	struct nt_err *err)
{
	(void)s;
	(void)fn;
	(void)arg;
	return nt_err_set(err, -ENOENT, "no folder '%s'", path);
}

static int no_target(struct nt_sys *s, const char *path, char *ret, size_t size,
	struct nt_err *err)
{
	(void)s;
	(void)ret;
	(void)size;
	return nt_err_set(err, -ENOENT, "no link '%s'", path);
}

static void free_nothing(struct nt_sys *s)
{
	(void)s;
}

static const struct nt_sys_ops ops = {
	.links = no_links, .qdiscs = no_qdiscs, .addrs = own_addrs, .sockets = sockets,
	.eth_get = eth_get, .read = no_file, .list = no_folder, .readlink = no_target,
	.free = free_nothing,
};

/* ---- sockets ------------------------------------------------------------------------- */

/* A connection to another host that had data to send for busy_ms. */
static struct nt_sock conn(unsigned id, const char *remote, uint64_t busy_ms, uint64_t rwnd_ms,
	uint64_t sndbuf_ms)
{
	struct nt_sock s = { .cookie = id, .family = AF_INET, .state = NT_TCP_ESTABLISHED,
		.rcvbuf = 131072, .sndbuf = 87040, .rtt = 20000, .min_rtt = NEVER, .cwnd = 10,
		.mss = 1448, .busy = busy_ms * 1000, .rwnd_limited = rwnd_ms * 1000,
		.sndbuf_limited = sndbuf_ms * 1000 };

	if (strchr(remote, ':'))
		s.family = AF_INET6;
	inet_pton(s.family, remote, s.remote.addr);
	inet_pton(s.family, s.family == AF_INET ? "192.0.2.1" : "2001:db8::1", s.local.addr);
	s.local.port = (uint16_t)(1000 + id);
	s.remote.port = 443;
	return s;
}

static struct nt_snapshot *collect(struct fake *f, double interval_s)
{
	const struct nt_collect_opts opts = { .interval_s = interval_s };
	struct nt_err err = { 0 };
	struct nt_snapshot *s;

	f->sys.ops = &ops;
	f->readings = 0;
	s = nt_collect_live(&f->sys, &opts, NULL, NULL, &err);
	assert_non_null(s);
	return s;
}

/* The value as text, or the reason in brackets. */
static const char *value(const struct nt_snapshot *s, const char *name)
{
	static char text[160];
	const struct nt_fact *f = nt_scope_get(s, &s->host, name);
	const struct nt_catalogue_row *row = nt_catalogue_find(name);

	if (!f)
		fail_msg("no fact %s", name);
	assert_non_null(row);
	if (f->type == NT_FACT_ABSENT) {
		snprintf(text, sizeof text, "(%s)", f->v.s);
		return text;
	}
	assert_int_equal(f->type, row->type);
	assert_int_equal(f->unit, row->unit);
	nt_fact_format(text, sizeof text, f);
	return text;
}

#define IS(s, name, want) assert_string_equal(value(s, name), want)

static void one_reading(void **state)
{
	struct nt_sock v[] = {
		conn(1, "198.51.100.7", 10000, 100, 9390),  /* held back by its buffer */
		conn(2, "198.51.100.8", 4000, 4000, 0),	    /* by the other end */
		conn(3, "2001:db8::9", 2000, 700, 20),	    /* a little more than a third */
		conn(4, "198.51.100.9", 999, 0, 999),	    /* not long enough to tell */
		conn(5, "198.51.100.9", 3000, 30, 30),	    /* free */
		conn(6, "127.0.0.1", 9000, 9000, 9000),	    /* within the host */
		conn(7, "::1", 9000, 9000, 9000),
		conn(8, "192.0.2.2", 9000, 9000, 9000),
		conn(9, "2001:db8::1", 9000, 9000, 9000),
		conn(10, "::ffff:127.9.9.9", 9000, 9000, 9000),
		conn(11, "::ffff:192.0.2.2", 9000, 9000, 9000),
	};
	struct fake f = { .socks = { v, v }, .n = { NT_ARRAY_SIZE(v), 0 } };
	struct nt_snapshot *s;

	(void)state;
	v[0].sndbuf = 65536;
	s = collect(&f, 0);
	assert_int_equal(f.readings, 1);
	assert_int_equal(f.states, NT_TCP_CONNECTED | NT_TCP_LISTENING);
	IS(s, "tcp.sockets", "5");
	IS(s, "tcp.busy", "4");
	IS(s, "tcp.sndbuf_limited", "1");
	IS(s, "tcp.rwnd_limited", "2");
	IS(s, "tcp.sndbuf_limited_pct", "93.9");
	IS(s, "tcp.sndbuf_limited_sndbuf", "65536");
	IS(s, "tcp.sndbuf_limited_socket", "192.0.2.1:1001 to 198.51.100.7:443");
	IS(s, "tcp.rwnd_limited_pct", "100");
	IS(s, "tcp.rwnd_limited_socket", "192.0.2.1:1002 to 198.51.100.8:443");
	IS(s, "tcp.full_sndbuf", "(no send buffer is full)");
	IS(s, "tcp.accept_queue_pct", "(no program listens)");
	nt_snapshot_free(s);
}

/* What happened before the first reading does not count. */
static void two_readings(void **state)
{
	const struct nt_sock first[] = {
		conn(1, "198.51.100.7", 100000, 0, 99000), /* was held back */
		conn(2, "198.51.100.8", 50000, 50000, 0),  /* and is idle now */
		conn(3, "198.51.100.9", 5000, 0, 0),	   /* grows */
	};
	struct nt_sock later[] = {
		conn(9, "198.51.100.7", 800, 0, 800),	   /* new, and too young to tell */
		conn(3, "198.51.100.9", 15000, 0, 9000),
		conn(1, "198.51.100.7", 110000, 4000, 99500),
		conn(2, "198.51.100.8", 50050, 50050, 0),
	};
	struct fake f = { .socks = { first, later }, .n = { 3, 4 } };
	struct nt_snapshot *s;

	(void)state;
	later[1].sndbuf = 2 * first[2].sndbuf;
	s = collect(&f, 0.01);
	assert_int_equal(f.readings, 2);
	IS(s, "tcp.sockets", "4");
	IS(s, "tcp.busy", "2");
	IS(s, "tcp.sndbuf_limited", "0");
	IS(s, "tcp.sndbuf_limited_pct", "5");
	IS(s, "tcp.rwnd_limited", "1");
	IS(s, "tcp.rwnd_limited_pct", "40");
	IS(s, "tcp.rwnd_limited_socket", "192.0.2.1:1001 to 198.51.100.7:443");
	nt_snapshot_free(s);
	f.n[1] = 1;
	s = collect(&f, 0.01);
	IS(s, "tcp.busy", "0");
	IS(s, "tcp.sndbuf_limited_pct", "(no connection was busy long enough)");
	IS(s, "tcp.sndbuf_limited_sndbuf", "(no connection waits for it)");
	nt_snapshot_free(s);
}

static void full_buffers(void **state)
{
	struct nt_sock v[] = {
		conn(1, "198.51.100.7", 9000, 0, 0), conn(2, "198.51.100.8", 9000, 0, 0),
		conn(3, "198.51.100.9", 9000, 0, 0), conn(4, "127.0.0.1", 9000, 0, 0),
	};
	struct fake f = { .socks = { v, v }, .n = { NT_ARRAY_SIZE(v), 0 } };
	struct nt_snapshot *s;
	size_t i;

	(void)state;
	for (i = 0; i < NT_ARRAY_SIZE(v); i++) {
		v[i].sndbuf = 32768 << i;
		v[i].wmem = v[i].sndbuf - 1148;
		v[i].unacked = 14;
	}
	v[0].unacked = 0; /* nothing under way */
	v[3].sndbuf = v[3].wmem = 16384;
	v[1].rtt = 20400;
	s = collect(&f, 0);
	IS(s, "tcp.full_sndbuf", "65536");
	IS(s, "tcp.full_sndbuf_rtt", "20400");
	IS(s, "tcp.full_sndbuf_socket", "192.0.2.1:1002 to 198.51.100.8:443");
	IS(s, "tcp.sndbuf_limited_pct", "0");
	IS(s, "tcp.sndbuf_limited_socket", "(no connection waits for it)");
	nt_snapshot_free(s);
}

/* Full twice, all of it under way, and room in the congestion window. */
static void stuck_buffers(void **state)
{
	struct nt_sock v[6], later[6];
	struct fake f = { .socks = { v, later }, .n = { 6, 6 } };
	struct nt_snapshot *s;
	size_t i;

	(void)state;
	for (i = 0; i < 6; i++) {
		v[i] = conn((unsigned)i, "198.51.100.7", 9000, 0, 0);
		v[i].sndbuf = 65536 << (5 - i);
		v[i].wmem = v[i].sndbuf + 700;
		v[i].cwnd = 200;
		v[i].unacked = 60;
		later[i] = v[i];
		later[i].rtt = 30000;
	}
	later[1].cwnd = 60;	   /* the congestion window is full */
	later[2].not_sent = 5000;  /* more could have been sent */
	v[3].wmem -= 701;	   /* the program need not wait */
	later[4].sndbuf *= 2;	   /* it grows */
	later[4].wmem *= 2;
	v[5].unacked = 0;
	s = collect(&f, 0.01);
	IS(s, "tcp.stuck_sndbuf", "2097152");
	IS(s, "tcp.stuck_sndbuf_rtt", "30000");
	IS(s, "tcp.stuck_sndbuf_socket", "192.0.2.1:1000 to 198.51.100.7:443");
	nt_snapshot_free(s);
	f.n[1] = 0;
	s = collect(&f, 0.01);
	IS(s, "tcp.stuck_sndbuf", "(no send buffer stays full)");
	nt_snapshot_free(s);
	s = collect(&f, 0);
	IS(s, "tcp.stuck_sndbuf", "(needs two readings)");
	nt_snapshot_free(s);
}

/* The fullest listener, on whatever address; the queue is full with one more than its limit. */
static void accept_queues(void **state)
{
	struct nt_sock v[3] = { { 0 } };
	struct fake f = { .socks = { v, v }, .n = { 3, 3 } };
	struct nt_snapshot *s;
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++)
		v[i] = (struct nt_sock){ .cookie = i, .family = AF_INET, .state = NT_TCP_LISTEN,
			.local.port = (uint16_t)(80 + i), .wqueue = 128 << i };
	v[2].wqueue = 0; /* listen(fd, 0) */
	v[2].rqueue = 1;
	s = collect(&f, 0);
	IS(s, "tcp.accept_queue_pct", "0");
	IS(s, "tcp.accept_queue_limit", "(no connection waits to be accepted)");
	IS(s, "tcp.sockets", "0");
	IS(s, "tcp.busy", "0");
	IS(s, "tcp.rwnd_limited_pct", "(no connection was busy long enough)");
	nt_snapshot_free(s);
	v[0].rqueue = 64;
	s = collect(&f, 0.01);
	IS(s, "tcp.accept_queue_pct", "50");
	IS(s, "tcp.accept_queue_limit", "128");
	IS(s, "tcp.accept_queue_socket", "0.0.0.0:80");
	nt_snapshot_free(s);
}

static void older_and_failing_kernels(void **state)
{
	struct nt_sock v[] = { conn(1, "198.51.100.7", 0, 0, 0) };
	struct fake f = { .socks = { v, v }, .n = { 1, 1 } };
	struct nt_snapshot *s;

	(void)state;
	v[0].busy = v[0].rwnd_limited = v[0].sndbuf_limited = NEVER;
	v[0].sndbuf = v[0].wmem = v[0].unacked = NEVER;
	s = collect(&f, 0.01);
	IS(s, "tcp.sockets", "1");
	IS(s, "tcp.busy", "(not in this kernel)");
	IS(s, "tcp.sndbuf_limited_pct", "(not in this kernel)");
	IS(s, "tcp.full_sndbuf", "(no send buffer is full)");
	nt_snapshot_free(s);
	f.rc = -ENOENT;
	s = collect(&f, 0);
	IS(s, "tcp.sockets", "(the kernel does not list its sockets)");
	IS(s, "tcp.full_sndbuf_rtt", "(the kernel does not list its sockets)");
	nt_snapshot_free(s);
	f.rc = -EIO;
	s = collect(&f, 0.01);
	assert_int_equal(f.readings, 1); /* no use to try again */
	IS(s, "tcp.sockets", "(could not be read)");
	nt_snapshot_free(s);
	f.rc = -EPERM;
	s = collect(&f, 0);
	IS(s, "tcp.rwnd_limited", "(the kernel does not permit it)");
	nt_snapshot_free(s);
}

/* However many there are, the look ends. */
static void very_many(void **state)
{
	struct nt_sock v[] = { conn(1, "198.51.100.7", 5000, 100, 0),
		conn(2, "198.51.100.8", 5000, 5000, 0) };
	struct fake f = { .socks = { v, v }, .n = { 2, 2 }, .repeat = 1000000 };
	struct nt_snapshot *s;

	(void)state;
	s = collect(&f, 0.01);
	assert_true(f.given < 300000);
	assert_int_equal(f.readings, 1);
	assert_true(strtoul(value(s, "tcp.sockets"), NULL, 10) >= 200000);
	IS(s, "tcp.rwnd_limited_pct", "2");
	nt_snapshot_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_reading), cmocka_unit_test(two_readings),
		cmocka_unit_test(full_buffers), cmocka_unit_test(stuck_buffers),
		cmocka_unit_test(accept_queues),
		cmocka_unit_test(older_and_failing_kernels), cmocka_unit_test(very_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
