/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "code.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The number within the row's bounds and the driver's. */
static double clamp(struct nt_run *r, const struct nt_set *set, double v)
{
	const struct nt_tunable *row = set->row;
	const struct nt_bound *b;

	if (row->min <= row->max)
		v = fmin(fmax(v, row->min), row->max);
	if (set->max_ref >= 0) {
		b = nt_run_get(r, set->max_ref);
		if (b->val.type == NT_V_NUM)
			v = fmin(v, nt_run_from_base(r, b->val.num, row->unit));
	}
	return v;
}

static bool number_to(struct nt_run *r, const struct nt_set *set, const struct nt_val *v,
	struct nt_fact *ret)
{
	struct nt_dim d = nt_dim_of(set->row->unit);
	double num = v->num;

	if (v->type != NT_V_NUM)
		return false;
	/* a plain number is in the tunable's own unit */
	if (v->dim.bits == d.bits && v->dim.secs == d.secs)
		num = nt_run_from_base(r, num, set->row->unit);
	num = clamp(r, set, num);
	ret->unit = set->row->unit;
	if (ret->type == NT_FACT_REAL) {
		ret->v.r = num;
		return true;
	}
	num = round(num);
	if (!(fabs(num) < 9.2e18))
		return false;
	ret->v.i = num;
	return true;
}

static bool text_to(const struct nt_val *v, struct nt_arena *arena, struct nt_fact *ret)
{
	char s[64];

	if (v->type == NT_V_NUM)
		snprintf(s, sizeof s, "%.15g", v->num);
	else if (v->type == NT_V_BOOL)
		snprintf(s, sizeof s, "%s", v->b ? "on" : "off");
	else if (!v->s)
		return false;
	ret->v.s = nt_arena_strdup(
		arena, v->type == NT_V_NUM || v->type == NT_V_BOOL ? s : v->s);
	ret->unit = NT_UNIT_NONE;
	return true;
}

/* The value as a fact of the tunable, of the type its current value has. */
static bool to_fact(struct nt_run *r, const struct nt_set *set, const struct nt_val *v,
	const struct nt_fact *current, struct nt_arena *arena, struct nt_fact *ret)
{
	int on;

	*ret = (struct nt_fact){ .id = current->id, .type = current->type };
	switch (ret->type) {
	case NT_FACT_INT:
	case NT_FACT_REAL:
		return number_to(r, set, v, ret);
	case NT_FACT_BOOL:
	case NT_FACT_SWITCH:
		on = v->type == NT_V_BOOL   ? v->b
		     : v->type == NT_V_TEXT ? nt_switch_word(v->s)
					    : -1;
		ret->v.i = on;
		return on >= 0;
	default:
		return text_to(v, arena, ret);
	}
}

static bool is_fixed(struct nt_run *r, const struct nt_set *set)
{
	const struct nt_bound *b;

	if (set->fixed_ref < 0)
		return false;
	b = nt_run_get(r, set->fixed_ref);
	return b->val.type == NT_V_BOOL && b->val.b;
}

void nt_changes_make(struct nt_run *r, const struct nt_rule *rule, struct nt_arena *arena,
	struct nt_finding *f, struct nt_set_outcome *ret)
{
	const struct nt_rule_code *code = rule->code;
	const struct nt_bound *current;
	const struct nt_set *set;
	struct nt_change *c;
	struct nt_fact to;
	struct nt_val v;
	size_t i;

	*ret = (struct nt_set_outcome){ false, false };
	if (code->n_sets)
		f->changes = nt_arena_alloc(arena, code->n_sets * sizeof *f->changes);
	f->cap_changes = code->n_sets;
	for (i = 0; i < code->n_sets; i++) {
		set = &code->sets[i];
		current = nt_run_get(r, set->ref);
		v = nt_eval(r, set->expr);
		if (current->val.type == NT_V_UNKNOWN || is_fixed(r, set) ||
			!to_fact(r, set, &v, current->fact, arena, &to)) {
			ret->cannot = true;
			continue;
		}
		if (nt_fact_same(current->fact, &to)) {
			ret->already = true;
			continue;
		}
		c = &f->changes[f->n_changes++];
		c->tunable = set->tunable;
		c->scope = current->at;
		c->row = set->row;
		c->from = *current->fact;
		c->to = to;
		c->risk = set->row->risk;
	}
}
