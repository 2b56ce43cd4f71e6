/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An expression of any bytes, parsed for each scope and evaluated on a snapshot and on one
 * with the same facts in another order: the values must agree.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rule/eval.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_TEXT 1000 /* a value of a rule file */

static const struct {
	const char *name;
	enum nt_unit unit;
	int64_t v;
} numbers[] = {
	{ "link.speed", NT_UNIT_MBPS, 1000 }, { "link.mtu", NT_UNIT_BYTES, 1500 },
	{ "ring.rx", NT_UNIT_PACKETS, 256 }, { "coalesce.rx-usecs", NT_UNIT_US, 3 },
	{ "stat.a_0", NT_UNIT_NONE, 5 }, { "stat.a_1", NT_UNIT_NONE, 0 },
	{ "path.min_rtt", NT_UNIT_US, 1024 }, { "cpu.count", NT_UNIT_NONE, 8 },
};

static struct nt_snapshot *snapshot(bool backwards)
{
	struct nt_snapshot *s = nt_snapshot_new();
	struct nt_scope *l = nt_snapshot_add_link(s, "a"), *p = nt_snapshot_add_path(s, "b");
	size_t i, k, n = NT_ARRAY_SIZE(numbers);

	l->lower = nt_snapshot_add_link(s, "c");
	p->lower = l;
	for (i = 0; i < n; i++) {
		k = backwards ? n - 1 - i : i;
		nt_fact_int(s, strncmp(numbers[k].name, "cpu.", 4) == 0 ? &s->host :
			strncmp(numbers[k].name, "path.", 5) == 0 ? p : l, numbers[k].name,
			numbers[k].unit, numbers[k].v);
	}
	nt_fact_text(s, l, NT_FACT_TEXT, "link.driver", "igb");
	nt_fact_text(s, l, NT_FACT_LIST, "link.advertise", "100baseT/Full 1000baseT/Full");
	nt_fact_text(s, &s->host, NT_FACT_VERSION, "kernel.version", "3.10.20");
	nt_fact_switch(s, l, "feature.rx-gro", true);
	nt_fact_absent(s, l, "link.duplex", "not reported");
	nt_snapshot_seal(s);
	return s;
}

static const struct nt_scope *scope_of(const struct nt_snapshot *s, int kind)
{
	return kind == NT_SCOPE_HOST ? &s->host : kind == NT_SCOPE_LINK ? s->links[0] : s->paths[0];
}

static struct nt_val value(const struct nt_snapshot *s, const struct nt_refs *refs, int kind,
	const struct nt_node *n)
{
	struct nt_run r;
	struct nt_val v;

	nt_run_init(&r, refs, s);
	nt_run_scope(&r, scope_of(s, kind));
	nt_run_begin(&r);
	v = nt_eval(&r, n);
	if ((v.type == NT_V_UNKNOWN) != (r.n_lacks != 0))
		abort();
	nt_run_free(&r);
	return v;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nt_snapshot *s = snapshot(false), *t = snapshot(true);
	struct nt_arena arena = { NULL };
	struct nt_refs refs = { .n = 0 };
	struct nt_err err;
	struct nt_node *n;
	char *text = nt_strndup((const char *)data, size < MAX_TEXT ? size : MAX_TEXT);
	struct nt_val a, b;
	int kind;

	for (kind = NT_SCOPE_HOST; kind <= NT_SCOPE_PATH; kind++) {
		struct nt_expr_ctx ctx = { .arena = &arena, .refs = &refs, .scope = kind,
			.err = &err };

		if (nt_expr_parse(&ctx, text, &n) != 0) {
			if (ctx.err_pos > strlen(text) || !*err.msg)
				abort();
			continue;
		}
		a = value(s, &refs, kind, n);
		b = value(t, &refs, kind, n);
		if (a.type != b.type || (a.type == NT_V_NUM && a.num != b.num) ||
			(a.type == NT_V_BOOL && a.b != b.b))
			abort();
		/* what the types promised */
		if (n->type != NT_V_ANY && a.type != NT_V_UNKNOWN && a.type != n->type)
			abort();
	}
	free(text);
	nt_refs_free(&refs);
	nt_arena_free(&arena);
	nt_snapshot_free(s);
	nt_snapshot_free(t);
	return 0;
}
