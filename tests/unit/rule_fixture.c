/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "rule_fixture.h"

#include <stdio.h>
#include <string.h>

#include "nettune/buf.h"

enum where { HOST, LINK, LOWER, MASTER, PATH, PLAIN };

static const struct {
	enum where where;
	enum nt_fact_type type;
	const char *name;
	enum nt_unit unit;
	double num;
	const char *text;
} facts[] = {
	{ HOST, NT_FACT_VERSION, "kernel.version", NT_UNIT_NONE, 0, "3.10.20" },
	{ HOST, NT_FACT_TEXT, "kernel.release", NT_UNIT_NONE, 0, "3.10.20-vendor" },
	{ HOST, NT_FACT_INT, "cpu.count", NT_UNIT_NONE, 8, NULL },
	{ HOST, NT_FACT_INT, "host.page_size", NT_UNIT_BYTES, 65536, NULL },
	{ HOST, NT_FACT_TEXT, "tsq.role", NT_UNIT_NONE, 0, "ceiling-unpaced" },
	{ HOST, NT_FACT_INT, "sysctl.net.ipv4.tcp_sack", NT_UNIT_NONE, 1, NULL },
	{ HOST, NT_FACT_INT, "sysctl.net.ipv4.tcp_rmem.max", NT_UNIT_BYTES, 6291456, NULL },
	{ HOST, NT_FACT_INT, "sysctl.net.ipv4.tcp_mem.max", NT_UNIT_PAGES, 16, NULL },
	{ HOST, NT_FACT_TEXT, "sysctl.net.ipv4.tcp_congestion_control", NT_UNIT_NONE, 0,
		"cubic" },
	{ HOST, NT_FACT_ABSENT, "host.memory", NT_UNIT_NONE, 0, "needs root" },
	{ LINK, NT_FACT_TEXT, "link.driver", NT_UNIT_NONE, 0, "e1000e" },
	{ LINK, NT_FACT_INT, "link.speed", NT_UNIT_MBPS, 1000, NULL },
	{ LINK, NT_FACT_INT, "link.mtu", NT_UNIT_BYTES, 1500, NULL },
	{ LINK, NT_FACT_INT, "coalesce.rx-usecs", NT_UNIT_US, 3, NULL },
	{ LINK, NT_FACT_INT, "ring.rx", NT_UNIT_PACKETS, 256, NULL },
	{ LINK, NT_FACT_INT, "ring.rx.max", NT_UNIT_PACKETS, 4096, NULL },
	{ LINK, NT_FACT_SWITCH, "feature.rx-gro", NT_UNIT_NONE, 1, NULL },
	{ LINK, NT_FACT_SWITCH, "feature.tx-tcp-segmentation", NT_UNIT_NONE, 0, NULL },
	{ LINK, NT_FACT_BOOL, "feature.rx-lro.fixed", NT_UNIT_NONE, 1, NULL },
	{ LINK, NT_FACT_ABSENT, "link.duplex", NT_UNIT_NONE, 0, "the driver does not report it" },
	{ LINK, NT_FACT_LIST, "link.advertise", NT_UNIT_NONE, 0, "100baseT/Full 1000baseT/Full" },
	{ LINK, NT_FACT_INT, "stat.rx_queue_0_drops", NT_UNIT_NONE, 5, NULL },
	{ LINK, NT_FACT_INT, "stat.rx_queue_1_drops", NT_UNIT_NONE, 7, NULL },
	{ LINK, NT_FACT_INT, "stat.rx_queue_2_drops", NT_UNIT_NONE, 0, NULL },
	{ LINK, NT_FACT_INT, "stat.Queue[0] Restarts", NT_UNIT_NONE, 4, NULL },
	{ LINK, NT_FACT_INT, "stat.Tx #0", NT_UNIT_NONE, 9, NULL },
	{ LINK, NT_FACT_TEXT, "link.mdix", NT_UNIT_NONE, 0, "12" },
	{ LOWER, NT_FACT_INT, "link.speed", NT_UNIT_MBPS, 10000, NULL },
	{ LOWER, NT_FACT_SWITCH, "feature.tx-tcp-segmentation", NT_UNIT_NONE, 1, NULL },
	{ MASTER, NT_FACT_TEXT, "link.driver", NT_UNIT_NONE, 0, "bridge" },
	{ PATH, NT_FACT_REAL, "path.min_rtt", NT_UNIT_US, 1024, NULL },
	{ PATH, NT_FACT_REAL, "probe.tx_completion", NT_UNIT_US, 10000, NULL },
	{ PATH, NT_FACT_REAL, "probe.throughput", NT_UNIT_BPS, 5e6, NULL },
	{ PLAIN, NT_FACT_TEXT, "link.driver", NT_UNIT_NONE, 0, "igb" },
	{ PLAIN, NT_FACT_SWITCH, "feature.tx-tcp-segmentation", NT_UNIT_NONE, 0, NULL },
};

unsigned fixture_random(unsigned *state, unsigned below)
{
	*state = *state * 1664525u + 1013904223u;
	return (*state >> 8) % below;
}

static void put(struct fixture *f, size_t i)
{
	struct nt_scope *scopes[] = {
		[HOST] = &f->s->host, [LINK] = f->link, [LOWER] = f->link->lower,
		[MASTER] = f->link->master, [PATH] = f->path, [PLAIN] = f->plain,
	};
	struct nt_scope *sc = scopes[facts[i].where];

	switch (facts[i].type) {
	case NT_FACT_INT:
		nt_fact_int(f->s, sc, facts[i].name, facts[i].unit, facts[i].num);
		break;
	case NT_FACT_REAL:
		nt_fact_real(f->s, sc, facts[i].name, facts[i].unit, facts[i].num);
		break;
	case NT_FACT_BOOL:
		nt_fact_bool(f->s, sc, facts[i].name, facts[i].num != 0);
		break;
	case NT_FACT_SWITCH:
		nt_fact_switch(f->s, sc, facts[i].name, facts[i].num != 0);
		break;
	case NT_FACT_ABSENT:
		nt_fact_absent(f->s, sc, facts[i].name, facts[i].text);
		break;
	default:
		nt_fact_text(f->s, sc, facts[i].type, facts[i].name, facts[i].text);
	}
}

void fixture_init(struct fixture *f, unsigned order)
{
	size_t n = NT_ARRAY_SIZE(facts), index[NT_ARRAY_SIZE(facts)], i, k, tmp;

	memset(f, 0, sizeof *f);
	f->s = nt_snapshot_new();
	f->link = nt_snapshot_add_link(f->s, "eth0.7");
	f->link->lower = nt_snapshot_add_link(f->s, "eth0");
	f->link->master = nt_snapshot_add_link(f->s, "br0");
	f->plain = nt_snapshot_add_link(f->s, "eth1");
	f->path = nt_snapshot_add_path(f->s, "192.0.2.1");
	f->path->lower = f->link;
	for (i = 0; i < n; i++)
		index[i] = i;
	for (i = n; order && i-- > 1;) {
		k = fixture_random(&order, i + 1);
		tmp = index[i];
		index[i] = index[k];
		index[k] = tmp;
	}
	for (i = 0; i < n; i++)
		put(f, index[i]);
	nt_snapshot_seal(f->s);
}

void fixture_free(struct fixture *f)
{
	nt_snapshot_free(f->s);
	nt_refs_free(&f->refs);
	nt_arena_free(&f->arena);
}

int fixture_parse(struct fixture *f, enum nt_scope_kind scope, const char *text,
	struct nt_node **ret)
{
	struct nt_expr_ctx ctx = { .arena = &f->arena, .refs = &f->refs, .scope = scope,
		.err = &f->err };
	int rc = nt_expr_parse(&ctx, text, ret);

	f->err_pos = ctx.err_pos;
	return rc;
}

char *fixture_eval(struct fixture *f, const struct nt_scope *scope, const char *text)
{
	struct nt_buf b = { 0 };
	struct nt_node *n;
	struct nt_val v;
	struct nt_run r;
	size_t i;

	if (fixture_parse(f, scope->kind, text, &n) != 0) {
		nt_buf_addf(&b, "error: %s", f->err.msg);
		return nt_buf_detach(&b);
	}
	nt_run_init(&r, &f->refs, f->s);
	nt_run_scope(&r, scope);
	nt_run_begin(&r);
	v = nt_eval(&r, n);
	switch (v.type) {
	case NT_V_UNKNOWN:
		nt_buf_adds(&b, "unknown:");
		for (i = 0; i < r.n_lacks; i++)
			nt_buf_addf(&b, "%s %s (%s)", i ? "," : "", r.lacks[i].fact,
				r.lacks[i].reason);
		break;
	case NT_V_BOOL:
		nt_buf_adds(&b, v.b ? "true" : "false");
		break;
	case NT_V_NUM:
		nt_buf_addf(&b, "%.9g", v.num);
		if (v.dim.bits)
			nt_buf_addf(&b, " bit^%d", v.dim.bits);
		if (v.dim.secs)
			nt_buf_addf(&b, " s^%d", v.dim.secs);
		break;
	default:
		nt_buf_adds(&b, v.s);
	}
	nt_run_free(&r);
	return nt_buf_detach(&b);
}
