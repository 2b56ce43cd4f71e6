/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The probe's protocol: preambles, frames, JSON bodies, sealing, specifications, results. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>
#include <sodium.h>

#include "probe/client.h"
#include "probe/endjson.h"
#include "probe/facts_wire.h"
#include "probe/spec.h"
#include "probe/wire.h"

static void preamble(void **state)
{
	struct nt_preamble p = { .kind = NT_CONN_DATA, .version = 1, .stream = 300 }, q;
	unsigned char buf[NT_PREAMBLE_LEN];

	(void)state;
	memset(p.nonce, 7, sizeof p.nonce);
	nt_preamble_write(buf, &p);
	assert_int_equal(nt_preamble_read(buf, &q), 0);
	assert_int_equal(q.kind, NT_CONN_DATA);
	assert_int_equal(q.stream, 300);
	assert_memory_equal(q.nonce, p.nonce, sizeof p.nonce);
	buf[5] = 0;
	assert_int_equal(nt_preamble_read(buf, &q), -EPROTO);
	buf[5] = NT_CONN_UDP + 1;
	assert_int_equal(nt_preamble_read(buf, &q), -EPROTO);
	buf[5] = NT_CONN_UDP;
	buf[0] ^= 1;
	assert_int_equal(nt_preamble_read(buf, &q), -EPROTO);
}

static void frames(void **state)
{
	/* length 2, type TEST, reserved 0, "{}" */
	unsigned char f[] = { 0, 0, 0, 2, NT_FRAME_TEST, 0, 0, 0, '{', '}', 0 };
	struct nt_frame got;
	size_t i;

	(void)state;
	for (i = 0; i < 10; i++)
		assert_int_equal(nt_frame_parse(f, i, 1024, &got), 0);
	assert_int_equal(nt_frame_parse(f, sizeof f, 1024, &got), 10);
	assert_int_equal(got.type, NT_FRAME_TEST);
	assert_int_equal(got.len, 2);
	assert_ptr_equal(got.body, f + 8);
	/* a length above the bound is refused before the body is there */
	assert_int_equal(nt_frame_parse(f, 8, 1, &got), -EPROTO);
	f[0] = 0xff;
	assert_int_equal(nt_frame_parse(f, 8, 1024, &got), -EPROTO);
	f[0] = 0;
	f[4] = _NT_FRAME_MAX;
	assert_int_equal(nt_frame_parse(f, 8, 1024, &got), -EPROTO);
	f[4] = 0;
	assert_int_equal(nt_frame_parse(f, 8, 1024, &got), -EPROTO);
	f[4] = NT_FRAME_TEST;
	f[7] = 1;
	assert_int_equal(nt_frame_parse(f, 8, 1024, &got), -EPROTO);
}

static json_t *parse(const char *s)
{
	return nt_wire_json((const unsigned char *)s, strlen(s), NULL);
}

static void bodies(void **state)
{
	char deep[64] = "{\"a\":";
	unsigned char mac[4];
	char text[4];
	json_t *j;
	double v;
	int i;

	(void)state;
	assert_null(parse("[]"));
	assert_null(parse(""));
	assert_null(parse("{\"a\":1,\"a\":2}"));
	for (i = 0; i < NT_JSON_DEPTH; i++)
		deep[5 + i] = '[';
	assert_null(parse(deep));
	assert_null(parse("{\"nul\":\"a\\u0000b\"}"));
	/* brackets within strings do not nest */
	j = parse("{\"a\":\"[[[[[[[[[[[[[[[[\\\"[[\"}");
	assert_non_null(j);
	json_decref(j);
	j = parse("{\"n\":5,\"big\":1e300,\"s\":\"abcd\",\"null\":null,"
		  "\"hex\":\"00ff10ab\",\"odd\":\"00ff1\",\"bad\":\"00ff10zz\"}");
	assert_int_equal(nt_wire_num(j, "n", 0, 5, &v), 0);
	assert_int_equal(nt_wire_num(j, "n", 0, 4, &v), -EPROTO);
	assert_int_equal(nt_wire_num(j, "n", 6, 9, &v), -EPROTO);
	assert_int_equal(nt_wire_num(j, "big", 0, 1e18, &v), -EPROTO);
	assert_int_equal(nt_wire_num(j, "none", 0, 1, &v), -EPROTO);
	assert_int_equal(nt_wire_num(j, "s", 0, 1, &v), -EPROTO);
	assert_int_equal(nt_wire_num(j, "null", 0, 1, &v), 0);
	assert_true(isnan(v));
	assert_int_equal(nt_wire_str(j, "s", text, sizeof text), -EPROTO);
	assert_int_equal(nt_wire_hex(j, "hex", mac, 4), 0);
	assert_int_equal(mac[1], 0xff);
	assert_int_equal(nt_wire_hex(j, "hex", mac, 3), -EPROTO);
	assert_int_equal(nt_wire_hex(j, "odd", mac, 4), -EPROTO);
	assert_int_equal(nt_wire_hex(j, "bad", mac, 4), -EPROTO);
	json_decref(j);
}

/* Each side's proof differs, and depends on key and both nonces. */
static void proofs(void **state)
{
	struct nt_probe_key k = { .set = true, .k = { 1 } }, other = { .set = true, .k = { 2 } };
	unsigned char c[NT_NONCE_LEN] = { 3 }, s[NT_NONCE_LEN] = { 4 };
	unsigned char a[NT_MAC_LEN], b[NT_MAC_LEN];

	(void)state;
	nt_auth_mac(&k, NT_SIDE_CLIENT, c, s, a);
	nt_auth_mac(&k, NT_SIDE_CLIENT, c, s, b);
	assert_true(nt_auth_equal(a, b));
	nt_auth_mac(&k, NT_SIDE_SERVER, c, s, b);
	assert_false(nt_auth_equal(a, b));
	nt_auth_mac(&other, NT_SIDE_CLIENT, c, s, b);
	assert_false(nt_auth_equal(a, b));
	nt_auth_mac(&k, NT_SIDE_CLIENT, s, c, b);
	assert_false(nt_auth_equal(a, b));
	s[31] ^= 1;
	nt_auth_mac(&k, NT_SIDE_CLIENT, c, s, b);
	assert_false(nt_auth_equal(a, b));
}

struct pair {
	struct nt_chan a, b;
};

static void open_pair(struct pair *p, bool sealed)
{
	struct nt_probe_key k = { .set = true, .k = { 9 } };
	unsigned char c[NT_NONCE_LEN] = { 1 }, s[NT_NONCE_LEN] = { 2 };
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
	nt_chan_init(&p->a, fds[0], 1000);
	nt_chan_init(&p->b, fds[1], 1000);
	if (sealed) {
		nt_chan_seal(&p->a, &k, NT_SIDE_CLIENT, c, s);
		nt_chan_seal(&p->b, &k, NT_SIDE_SERVER, c, s);
	}
}

static void close_pair(struct pair *p)
{
	nt_chan_close(&p->a);
	nt_chan_close(&p->b);
}

static void channel(void **state)
{
	struct nt_frame f;
	struct pair p;
	int sealed;

	(void)state;
	for (sealed = 0; sealed < 2; sealed++) {
		open_pair(&p, sealed);
		nt_chan_put_text(&p.a, NT_FRAME_TEST, "{\"x\":1}", 7);
		nt_chan_put(&p.a, NT_FRAME_STOP, NULL);
		assert_int_equal(nt_chan_flush(&p.a), 1);
		assert_int_equal(nt_chan_pull(&p.b), 1);
		assert_int_equal(nt_chan_next(&p.b, &f), 1);
		assert_int_equal(f.type, NT_FRAME_TEST);
		assert_int_equal(f.len, 7);
		assert_memory_equal(f.body, "{\"x\":1}", 7);
		assert_int_equal(nt_chan_next(&p.b, &f), 1);
		assert_int_equal(f.type, NT_FRAME_STOP);
		assert_int_equal(f.len, 0);
		assert_int_equal(nt_chan_next(&p.b, &f), 0);
		/* and the other way */
		nt_chan_put_text(&p.b, NT_FRAME_OK, "{}", 2);
		assert_int_equal(nt_chan_flush(&p.b), 1);
		assert_int_equal(nt_chan_pull(&p.a), 1);
		assert_int_equal(nt_chan_next(&p.a, &f), 1);
		assert_int_equal(f.type, NT_FRAME_OK);
		close_pair(&p);
	}
}

/* A sealed frame that was changed, sent twice or reflected is refused; nothing readable
 * crosses the wire. */
static void sealing(void **state)
{
	char old[256];
	struct nt_frame f;
	struct pair p;
	size_t at, len;

	(void)state;
	for (at = 0; at < 8 + 14 + NT_SEAL_LEN; at++) {
		open_pair(&p, true);
		nt_chan_put_text(&p.a, NT_FRAME_TEST, "{\"secret\":123}", 14);
		len = p.a.out.len;
		assert_int_equal(len, 8 + 14 + NT_SEAL_LEN);
		assert_null(memmem(p.a.out.s, len, "secret", 6));
		p.a.out.s[at] ^= 1;
		nt_chan_flush(&p.a);
		nt_chan_pull(&p.b);
		assert_int_not_equal(nt_chan_next(&p.b, &f), 1);
		close_pair(&p);
	}
	open_pair(&p, true);
	nt_chan_put_text(&p.a, NT_FRAME_TEST, "{}", 2);
	len = p.a.out.len;
	memcpy(old, p.a.out.s, len);
	nt_chan_flush(&p.a);
	nt_chan_pull(&p.b);
	assert_int_equal(nt_chan_next(&p.b, &f), 1);
	assert_int_equal(send(p.a.fd, old, len, 0), len); /* again */
	nt_chan_pull(&p.b);
	assert_int_equal(nt_chan_next(&p.b, &f), -EPROTO);
	assert_int_equal(send(p.b.fd, old, len, 0), len); /* back to its sender */
	nt_chan_pull(&p.a);
	assert_int_equal(nt_chan_next(&p.a, &f), -EPROTO);
	close_pair(&p);
}

/* However much comes, a channel holds no more than one frame. */
static void bounded(void **state)
{
	static char much[65536];
	struct pair p;
	int i;

	(void)state;
	open_pair(&p, false);
	for (i = 0; i < 50; i++) {
		if (send(p.a.fd, much, sizeof much, MSG_DONTWAIT) < 0)
			break;
		nt_chan_pull(&p.b);
	}
	for (i = 0; i < 50; i++)
		nt_chan_pull(&p.b);
	assert_in_range(p.b.in.len, 1, 1000 + NT_FRAME_HEAD + NT_SEAL_LEN);
	close_pair(&p);
}

static void specifications(void **state)
{
	struct nt_spec s = { .groups = { { NT_FLOW_BULK, true, 4, 1, 1 },
				     { NT_FLOW_RR, false, 2, 100, 200 } },
		.n_groups = 2, .seconds = 2.5, .warmup = 0.5, .write_size = 65536,
		.pacing_bps = 1000000000, .congestion = "cubic", .cpu = -1, .peer_cpu = 3,
		.zerocopy = true }, t;
	static const struct nt_spec_limits wide = { 100, 128 }, few = { 100, 5 }, brief = { 2, 128 },
					   warm = { 2.9, 128 };
	static const struct {
		const char *key, *value;
	} bad[] = {
		{ "seconds", "0" }, { "seconds", "-1" }, { "seconds", "null" }, { "seconds", "1e9" },
		{ "warmup", "61" }, { "groups", "[]" }, { "groups", "[1]" }, { "groups", "{}" },
		{ "groups", "[{},{},{},{},{}]" }, { "mss", "65536" }, { "mss", "-1" },
		{ "mss", "1.5" }, { "mss", "\"9\"" }, { "write_size", "16777217" },
		{ "sndbuf", "4294967296" }, { "peer_cpu", "-2" }, { "peer_cpu", "65536" },
		{ "zerocopy", "1" }, { "congestion", "\"0123456789abcdef\"" },
		{ "pacing_bps", "-5" },
		{ "groups", "[{\"flow\":\"rr\",\"down\":false,\"streams\":1,\"request\":0,"
			    "\"response\":1}]" },
		{ "groups", "[{\"flow\":\"crr\",\"down\":false,\"streams\":1,\"request\":63,"
			    "\"response\":1}]" },
		{ "groups", "[{\"flow\":\"bulk\",\"down\":false,\"streams\":129,\"request\":1,"
			    "\"response\":1}]" },
		{ "groups", "[{\"flow\":\"bulk\",\"down\":false,\"streams\":0,\"request\":1,"
			    "\"response\":1}]" },
		{ "groups", "[{\"flow\":\"x\",\"down\":false,\"streams\":1,\"request\":1,"
			    "\"response\":1}]" },
	};
	json_t *j = nt_spec_json(&s), *k;
	struct nt_err err;
	size_t i;

	(void)state;
	assert_int_equal(nt_spec_read(j, &wide, &t, &err), 0);
	assert_memory_equal(&s.groups[0], &t.groups[0], sizeof s.groups[0]);
	assert_memory_equal(&s.groups[1], &t.groups[1], sizeof s.groups[1]);
	assert_true(t.seconds == 2.5 && t.warmup == 0.5 && t.pacing_bps == 1000000000);
	assert_int_equal(t.peer_cpu, 3);
	assert_int_equal(t.cpu, -1);
	assert_true(t.zerocopy && !t.trunc);
	assert_string_equal(t.congestion, "cubic");
	assert_int_equal(nt_spec_streams(&t), 6);
	assert_ptr_equal(nt_spec_group(&t, 3), &t.groups[0]);
	assert_ptr_equal(nt_spec_group(&t, 4), &t.groups[1]);
	assert_null(nt_spec_group(&t, 6));
	assert_int_equal(nt_spec_read(j, &few, &t, &err), -EINVAL);
	assert_string_equal(err.msg, "the server allows 5 streams a test at most");
	assert_int_equal(nt_spec_read(j, &brief, &t, &err), -EINVAL);
	assert_int_equal(nt_spec_read(j, &warm, &t, &err), 0);
	k = json_deep_copy(j);
	json_object_set_new(k, "warmup", json_real(1.5));
	assert_int_equal(nt_spec_read(k, &warm, &t, &err), -EINVAL);
	json_decref(k);
	/* 4 streams down of whole writes, 2 of messages, together 256 MiB and a byte too many */
	k = json_deep_copy(j);
	json_object_set_new(k, "write_size", json_integer(58 << 20 >> 2));
	for (i = 0; i < 2; i++) {
		json_object_set_new(json_array_get(json_object_get(k, "groups"), 1), "streams",
			json_integer(18));
		json_object_set_new(json_array_get(json_object_get(k, "groups"), 1), "response",
			json_integer((11 << 20) + i));
		assert_int_equal(nt_spec_read(k, &wide, &t, &err), i ? -EINVAL : 0);
	}
	assert_string_equal(
		err.msg, "the server allows messages of 256 MiB at most, all streams together");
	json_decref(k);
	for (i = 0; i < NT_ARRAY_SIZE(bad); i++) {
		k = json_deep_copy(j);
		json_object_set_new(k, bad[i].key, json_loads(bad[i].value, JSON_DECODE_ANY, NULL));
		if (nt_spec_read(k, &wide, &t, &err) != -EPROTO)
			fail_msg("%s %s was taken", bad[i].key, bad[i].value);
		json_decref(k);
	}
	json_decref(j);
}

/* What an end saw survives the wire; each member that is missing or wrong is refused. */
static void results(void **state)
{
	struct nt_probe_cpu cpus[2] = { { .cpu = 0, .busy = 12.5 }, { .cpu = 7, .busy = 99 } };
	struct nt_probe_counter counters[1] = { { "snmp.Tcp.RetransSegs", 17 } };
	struct nt_probe_sample series[1] = { { .t = 1, .rx_bps = 5e9, .rtt_us = NAN } };
	struct nt_probe_end e, got;
	const char *key;
	struct nt_err err;
	json_t *j, *v, *cut;
	int i;

	(void)state;
	nt_probe_end_init(&e);
	e.seconds = 3.25;
	e.rx_bytes = 1e10;
	e.per_cpu = cpus;
	e.n_cpu = 2;
	e.counters = counters;
	e.n_counters = 1;
	e.series = series;
	e.n_series = 1;
	e.tcp.streams = 4;
	e.tcp.sndbuf_limited_pct = 33.25;
	snprintf(e.egress.link, sizeof e.egress.link, "eth0");
	e.completion.ran = e.completion.late = true;
	j = nt_end_json(&e);
	nt_probe_end_init(&got);
	assert_int_equal(nt_end_read(j, &got, &err), 0);
	assert_true(got.seconds == 3.25 && got.rx_bytes == 1e10 && isnan(got.nic_interrupts));
	assert_int_equal(got.n_cpu, 2);
	assert_true(got.per_cpu[1].cpu == 7 && got.per_cpu[1].busy == 99);
	assert_int_equal(got.n_counters, 1);
	assert_string_equal(got.counters[0].name, "snmp.Tcp.RetransSegs");
	assert_true(got.series[0].rx_bps == 5e9 && isnan(got.series[0].rtt_us));
	assert_int_equal(got.tcp.streams, 4);
	assert_true(got.tcp.sndbuf_limited_pct == 33.25);
	assert_string_equal(got.egress.link, "eth0");
	assert_true(got.completion.late && !got.completion.measurable);
	nt_probe_end_free(&got);
	json_object_foreach (j, key, v) {
		cut = json_copy(j);
		json_object_del(cut, key);
		nt_probe_end_init(&got);
		if (nt_end_read(cut, &got, &err) != -EPROTO)
			fail_msg("a result without '%s' was taken", key);
		nt_probe_end_free(&got);
		json_object_set_new(cut, key, json_string("x"));
		nt_probe_end_init(&got);
		assert_int_equal(nt_end_read(cut, &got, &err), -EPROTO);
		nt_probe_end_free(&got);
		json_decref(cut);
	}
	/* a CPU without a number, or beyond all */
	v = json_array_get(json_object_get(j, "per_cpu"), 1);
	for (i = 0; i < 3; i++) {
		static const double numbers[] = { 0, 1e12, -1 }; /* first: null */

		json_object_set_new(v, "cpu", i ? json_real(numbers[i]) : json_null());
		nt_probe_end_init(&got);
		assert_int_equal(nt_end_read(j, &got, &err), -EPROTO);
		nt_probe_end_free(&got);
	}
	json_object_set_new(v, "cpu", json_integer(7));
	/* a link may be named by any bytes */
	snprintf(e.egress.link, sizeof e.egress.link, "\xff\x80wan");
	v = nt_end_json(&e);
	nt_probe_end_init(&got);
	assert_int_equal(nt_end_read(v, &got, &err), 0);
	assert_string_equal(got.egress.link, "??wan");
	nt_probe_end_free(&got);
	json_decref(v);
	/* more samples than a result may have */
	v = json_object_get(j, "series");
	while (json_array_size(v) <= NT_PROBE_SERIES)
		json_array_append(v, json_array_get(v, 0));
	nt_probe_end_init(&got);
	assert_int_equal(nt_end_read(j, &got, &err), -EPROTO);
	nt_probe_end_free(&got);
	json_decref(j);
}

static void keep(void *arg, char *text)
{
	struct nt_snapshot *s = arg;
	struct nt_err err;
	static size_t total;
	json_t *j = nt_wire_json((unsigned char *)text, strlen(text), &err);

	if (!s->n_links)
		total = 0;
	assert_non_null(j);
	assert_int_equal(nt_facts_take(j, s, &total, &err), 0);
	json_decref(j);
	free(text);
}

static void facts(void **state)
{
	struct nt_snapshot *a = nt_snapshot_new(), *b = nt_snapshot_new();
	struct nt_scope *eth = nt_snapshot_add_link(a, "eth0"),
			*vlan = nt_snapshot_add_link(a, "eth0.5"),
			*br = nt_snapshot_add_link(a, "br\xff");
	char name[32], got[64];
	const struct nt_fact *f;
	struct nt_err err;
	size_t total = 0;
	json_t *j;
	int i;

	(void)state;
	vlan->lower = eth;
	eth->master = br; /* a later link */
	vlan->interesting = true;
	nt_fact_int(a, eth, "link.speed", NT_UNIT_MBPS, 1000);
	nt_fact_switch(a, eth, "feature.rx-gro", true);
	nt_fact_text(a, eth, NT_FACT_TEXT, "link.driver", "mv\033neta");
	nt_fact_real(a, &a->host, "x", NT_UNIT_US, 1.25);
	nt_fact_bool(a, &a->host, "y", true);
	nt_fact_absent(a, &a->host, "z", "needs root");
	for (i = 0; i < 1000; i++) {
		snprintf(name, sizeof name, "stat.%d", i);
		nt_fact_int(a, br, name, NT_UNIT_NONE, INT64_MIN + i);
	}
	nt_snapshot_seal(a);
	nt_facts_send(a, keep, b);
	nt_snapshot_seal(b);
	assert_int_equal(b->n_links, 3);
	assert_string_equal(b->links[1]->name, "eth0.5");
	assert_ptr_equal(b->links[1]->lower, b->links[0]);
	assert_ptr_equal(b->links[0]->master, b->links[2]);
	assert_string_equal(b->links[2]->name, "br?"); /* its bytes are no text */
	assert_true(b->links[1]->interesting && !b->links[0]->interesting);
	f = nt_scope_get(b, b->links[0], "link.speed");
	assert_true(f && f->type == NT_FACT_INT && f->unit == NT_UNIT_MBPS && f->v.i == 1000);
	f = nt_scope_get(b, b->links[0], "link.driver");
	assert_string_equal(f->v.s, "mv?neta");
	f = nt_scope_get(b, &b->host, "z");
	assert_true(f && f->type == NT_FACT_ABSENT);
	assert_string_equal(f->v.s, "needs root");
	f = nt_scope_get(b, b->links[2], "stat.999");
	nt_fact_format(got, sizeof got, f);
	assert_string_equal(got, "-9223372036854774809");
	nt_snapshot_free(a);
	nt_snapshot_free(b);

	/* links that are above each other must not make a ring */
	b = nt_snapshot_new();
	for (i = 0; i < 4; i++) {
		j = json_pack("{s:s, s:s, s:b, s:s, s:s, s:[]}", "scope", "link", "name",
			i % 2 ? "p" : "q", "interesting", 0, "lower", i % 2 ? "q" : "p", "master", "",
			"facts");
		assert_int_equal(nt_facts_take(j, b, &total, &err), 0);
		json_decref(j);
	}
	assert_false(b->links[0]->lower && b->links[1]->lower);
	j = json_pack("{s:s, s:s, s:[[s,s,s,s]]}", "scope", "host", "name", "", "facts", "a", "int",
		"", "not a number");
	assert_int_equal(nt_facts_take(j, b, &total, &err), -EPROTO);
	json_decref(j);
	nt_snapshot_seal(b);
	nt_snapshot_free(b);
}

static void hosts(void **state)
{
	static const struct {
		const char *in, *name, *port;
	} good[] = {
		{ "nas1", "nas1", "5212" }, { "nas1:99", "nas1", "99" },
		{ "10.0.0.1:6000", "10.0.0.1", "6000" }, { "fe80::1", "fe80::1", "5212" },
		{ "[fe80::1%eth0]:77", "fe80::1%eth0", "77" }, { "[::1]", "::1", "5212" },
		{ "nas1:65535", "nas1", "65535" },
	};
	static const char *const bad[] = { "", ":5", "[::1", "[::1]x", "host:", "host:x", "[]:5",
		"[::1]:", "host:999999999", "host:0", "host:65536", "[::1]:70000" };
	char name[256], port[8];
	size_t i;

	(void)state;
	for (i = 0; i < NT_ARRAY_SIZE(good); i++) {
		assert_int_equal(
			nt_host_split(good[i].in, name, sizeof name, port, sizeof port, NULL), 0);
		assert_string_equal(name, good[i].name);
		assert_string_equal(port, good[i].port);
	}
	for (i = 0; i < NT_ARRAY_SIZE(bad); i++)
		if (nt_host_split(bad[i], name, sizeof name, port, sizeof port, NULL) != -EINVAL)
			fail_msg("'%s' was taken", bad[i]);
}

static struct nt_probe_key load(const char *bytes, size_t len, int *ret_rc)
{
	char file[] = "/tmp/nettune-key.XXXXXX";
	struct nt_probe_key k;
	struct nt_err err;
	bool exposed;
	int fd = mkstemp(file);

	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
	*ret_rc = nt_probe_key_load(file, &k, &exposed, &err);
	assert_false(exposed);
	unlink(file);
	return k;
}

static void keys(void **state)
{
	static const char bytes[] = "0123456789abcdef0123456789abcdef";
	unsigned char want[32];
	struct nt_probe_key a, b;
	int rc;

	(void)state;
	a = load(bytes, 32, &rc);
	assert_int_equal(rc, 0);
	crypto_generichash(want, sizeof want, (const unsigned char *)bytes, 32, NULL, 0);
	assert_memory_equal(a.k, want, 32);
	b = load("0123456789abcdef0123456789abcdef\n", 33, &rc);
	assert_memory_equal(a.k, b.k, 32);
	a = load("a pass phrase", 13, &rc);
	assert_int_equal(rc, 0);
	b = load("a pass phrase\n", 14, &rc);
	assert_memory_equal(a.k, b.k, 32);
	b = load("b pass phrase", 13, &rc);
	assert_memory_not_equal(a.k, b.k, 32);
	b = load("short", 5, &rc);
	assert_int_equal(rc, -EINVAL);
	assert_false(b.set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(preamble),
		cmocka_unit_test(frames),
		cmocka_unit_test(bodies),
		cmocka_unit_test(proofs),
		cmocka_unit_test(channel),
		cmocka_unit_test(sealing),
		cmocka_unit_test(bounded),
		cmocka_unit_test(specifications),
		cmocka_unit_test(results),
		cmocka_unit_test(facts),
		cmocka_unit_test(hosts),
		cmocka_unit_test(keys),
	};

	return sodium_init() < 0 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
