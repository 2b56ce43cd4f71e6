/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A rule's examples: snapshots written in one line, on which it must fire or not. */
#include "config.h"

#include "code.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "nettune/buf.h"
#include "nettune/unit.h"

struct stage {
	struct nt_snapshot *s;
	struct nt_scope *link, *path;
};

static struct nt_scope *scope_for(struct stage *st, const struct nt_given *g)
{
	if (g->where == NT_WHERE_LOWER) {
		if (!st->link->lower)
			st->link->lower = nt_snapshot_add_link(st->s, "lower0");
		return st->link->lower;
	}
	if (g->where == NT_WHERE_MASTER) {
		if (!st->link->master)
			st->link->master = nt_snapshot_add_link(st->s, "master0");
		return st->link->master;
	}
	return g->row->scope == NT_SCOPE_HOST ? &st->s->host :
	       g->row->scope == NT_SCOPE_LINK ? st->link : st->path;
}

/* A number in the row's unit; a text only where the row is a family, whose members vary. */
static int put_number(struct stage *st, struct nt_scope *sc, const struct nt_given *g)
{
	bool negative = *g->value == '-';
	enum nt_unit unit;
	double v;

	if (nt_unit_parse(g->value + negative, &v, &unit, NULL) != 0) {
		if (!strchr(g->row->name, '*'))
			return -EINVAL;
		nt_fact_text(st->s, sc, NT_FACT_TEXT, g->name, g->value);
		return 0;
	}
	v = negative ? -v : v;
	if (unit != NT_UNIT_NONE && nt_unit_convert(v, unit, g->row->unit, &v) != 0)
		return -EINVAL;
	if (g->row->type == NT_FACT_INT && nt_near(v, round(v)) && fabs(v) < 9.2e18)
		nt_fact_int(st->s, sc, g->name, g->row->unit, round(v));
	else
		nt_fact_real(st->s, sc, g->name, g->row->unit, v);
	return 0;
}

static int put(struct stage *st, const struct nt_given *g)
{
	struct nt_scope *sc = scope_for(st, g);
	struct nt_version ver;
	int on;

	switch (g->row->type) {
	case NT_FACT_INT:
	case NT_FACT_REAL:
		return put_number(st, sc, g);
	case NT_FACT_BOOL:
	case NT_FACT_SWITCH:
		on = nt_switch_word(g->value);
		if (on < 0)
			return -EINVAL;
		if (g->row->type == NT_FACT_BOOL)
			nt_fact_bool(st->s, sc, g->name, on);
		else
			nt_fact_switch(st->s, sc, g->name, on);
		return 0;
	case NT_FACT_VERSION:
		if (nt_version_parse(g->value, &ver) != 0)
			return -EINVAL;
		break;
	default:
		break;
	}
	nt_fact_text(st->s, sc, g->row->type, g->name, g->value);
	return 0;
}

static void set_stage(struct stage *st)
{
	st->s = nt_snapshot_new();
	st->link = nt_snapshot_add_link(st->s, "link0");
	st->link->interesting = true;
	st->path = nt_snapshot_add_path(st->s, "peer0");
	st->path->lower = st->link;
}

/* The value of NAME=VALUE at text: in quotes, or up to the comma. *ret_end is behind it. */
static char *take_value(struct nt_expr_ctx *ctx, const char *text, const char **ret_end)
{
	const char *s = text, *end;
	char *v;
	size_t len;

	if (*s == '"' && strchr(s + 1, '"')) {
		end = strchr(++s, '"');
		*ret_end = end + 1;
	} else {
		*ret_end = end = s + strcspn(s, ",");
	}
	for (len = end - s; len && s[len - 1] == ' '; len--)
		;
	v = nt_arena_alloc(ctx->arena, len + 1);
	memcpy(v, s, len);
	v[len] = '\0';
	*ret_end += strspn(*ret_end, " \t");
	return v;
}

static int take_given(struct nt_expr_ctx *ctx, const char *text, size_t *pos,
	struct nt_given *ret)
{
	const struct nt_ref *ref;
	struct nt_token t;
	unsigned i;
	const char *end;
	size_t start;
	bool quoted;

	if (nt_lex(ctx, text, pos, &t) != 0)
		return -EINVAL;
	start = t.pos;
	*pos += strspn(text + *pos, " \t");
	if (t.kind != NT_T_NAME || text[*pos] != '=')
		return nt_expr_fault(ctx, start, "NAME=VALUE expected");
	ctx->err_pos = start;
	if (nt_ref_add(ctx->refs, t.text, false, ctx->scope, &i, ctx->err) != 0)
		return -EINVAL;
	ref = &ctx->refs->v[i];
	(*pos)++;
	*pos += strspn(text + *pos, " \t");
	*ret = (struct nt_given){ .name = ref->name, .where = ref->where, .row = ref->row };
	quoted = text[*pos] == '"';
	ret->value = take_value(ctx, text + *pos, &end);
	*pos = end - text;
	if (!*ret->value && !quoted)
		return nt_expr_fault(ctx, start, "'%s' has no value", t.text);
	return 0;
}

int nt_example_parse(struct nt_expr_ctx *ctx, const char *text, struct nt_example *ret)
{
	struct nt_given *v = NULL;
	struct stage st;
	size_t pos = 0, start, cap = 0;
	int rc;

	set_stage(&st);
	ret->n = 0;
	do {
		NT_GROW(v, ret->n, cap);
		start = pos;
		rc = take_given(ctx, text, &pos, &v[ret->n]);
		if (rc == 0 && put(&st, &v[ret->n]) != 0)
			rc = nt_expr_fault(ctx, start, "'%s' is no value of '%s'",
				v[ret->n].value, v[ret->n].name);
		ret->n++;
	} while (rc == 0 && text[pos] == ',' && pos++ < SIZE_MAX);
	if (rc == 0 && text[pos])
		rc = nt_expr_fault(ctx, pos, "',' expected");
	if (rc == 0) {
		ret->v = nt_arena_alloc(ctx->arena, ret->n * sizeof *v);
		memcpy(ret->v, v, ret->n * sizeof *v);
	}
	free(v);
	nt_snapshot_free(st.s);
	return rc;
}

/* ---- running them ---- */

struct checking {
	const struct nt_rulebase *rb;
	const struct nt_rule *rule;
	nt_rule_fault_fn *fault;
	void *arg;
	int faults;
	bool *changed; /* which of the rule's sets some example.yes has shown */
};

static void tell(struct checking *c, int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void tell(struct checking *c, int line, const char *fmt, ...)
{
	struct nt_buf b = { 0 };
	va_list ap;

	nt_buf_addf(&b, "[%s] ", c->rule->id);
	va_start(ap, fmt);
	nt_buf_vaddf(&b, fmt, ap);
	va_end(ap);
	c->faults++;
	c->fault(c->arg, c->rule->file, line, nt_buf_str(&b));
	nt_buf_free(&b);
}

static void tell_unknown(struct checking *c, const struct nt_example *e,
	const struct nt_run *r)
{
	const struct nt_lack *l = &r->lacks[0];

	if (r->n_lacks)
		tell(c, e->line, "%s: not decided, '%s': %s", e->key, l->fact, l->reason);
	else
		tell(c, e->line, "%s: not decided", e->key);
}

static void check_yes(struct checking *c, const struct nt_example *e,
	const struct nt_finding *f, const struct nt_set_outcome *sets)
{
	const struct nt_rule_code *code = c->rule->code;
	size_t i, k;

	if (code->n_sets && !f->n_changes)
		tell(c, e->line, "%s: it fires but changes nothing: %s", e->key,
			sets->cannot
				? "a value it needs is missing, or the feature is fixed"
				: "the values are so already");
	for (i = 0; i < f->n_changes; i++)
		for (k = 0; k < code->n_sets; k++)
			if (f->changes[i].tunable == code->sets[k].tunable)
				c->changed[k] = true;
}

static void check_one(struct checking *c, const struct nt_example *e)
{
	struct nt_set_outcome sets = { false, false };
	struct nt_arena arena = { NULL };
	const struct nt_scope *scope;
	struct nt_finding f;
	struct nt_run r;
	struct stage st;
	size_t i;

	set_stage(&st);
	for (i = 0; i < e->n; i++)
		put(&st, &e->v[i]);
	nt_snapshot_seal(st.s);
	scope = c->rule->scope == NT_SCOPE_HOST ? &st.s->host :
		c->rule->scope == NT_SCOPE_LINK ? st.link : st.path;
	nt_run_init(&r, c->rb->refs, st.s);
	nt_run_scope(&r, scope);
	switch (nt_rule_judge(&r, c->rule, &arena, &f, &sets)) {
	case NT_JUDGED_FINDING:
		if (e->yes)
			check_yes(c, e, &f, &sets);
		else
			tell(c, e->line, "%s: the rule fires", e->key);
		break;
	case NT_JUDGED_UNKNOWN:
		tell_unknown(c, e, &r);
		break;
	case NT_JUDGED_HOLDS:
		if (e->yes)
			tell(c, e->line, "%s: the rule does not fire", e->key);
		break;
	case NT_JUDGED_NOT_APPLICABLE:
		if (e->yes)
			tell_unknown(c, e, &r);
		break;
	}
	nt_run_free(&r);
	nt_arena_free(&arena);
	nt_snapshot_free(st.s);
}

static void check_rule(struct checking *c)
{
	const struct nt_rule_code *code = c->rule->code;
	int before = c->faults;
	size_t i;

	c->changed = nt_calloc(code->n_sets + 1, sizeof *c->changed);
	for (i = 0; i < code->n_examples; i++)
		check_one(c, &code->examples[i]);
	for (i = 0; i < code->n_sets && c->faults == before; i++)
		if (!c->changed[i])
			tell(c, c->rule->line, "no example.yes shows the change of '%s'",
				code->sets[i].tunable);
	free(c->changed);
}

int nt_rulebase_check(const struct nt_rulebase *rb, nt_rule_fault_fn *fault, void *arg)
{
	struct checking c = { .rb = rb, .fault = fault, .arg = arg };
	size_t i;

	for (i = 0; i < rb->n; i++) {
		c.rule = rb->v[i];
		check_rule(&c);
	}
	return c.faults;
}
