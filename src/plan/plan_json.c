/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A plan as JSON, schema nettune-plan/1. */
#include "config.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "nettune/jsonw.h"
#include "nettune/mem.h"
#include "nettune/plan.h"

#define SCHEMA "nettune-plan/1"
#define MAX_STEPS 20000

int nt_plan_write(const struct nt_plan *p, const struct nt_snapshot *s, FILE *out)
{
	struct nt_buf cmd = { 0 };
	struct nt_jsonw w;
	size_t i;

	nt_jsonw_begin(&w, out, 2, SCHEMA);
	nt_jsonw_str(&w, "version", PACKAGE_VERSION);
	nt_jsonw_array(&w, "steps");
	for (i = 0; i < p->n; i++) {
		const struct nt_step *st = &p->v[i];
		struct nt_assign a = { st->tunable, &st->to };

		nt_jsonw_object(&w, NULL);
		nt_jsonw_str(&w, "tunable", st->tunable);
		nt_jsonw_str(&w, "link", *st->link ? st->link : NULL);
		nt_fact_json(&w, "from", &st->from);
		nt_fact_json(&w, "to", &st->to);
		nt_jsonw_str(&w, "risk", nt_name_of(nt_risk_names, st->risk));
		nt_jsonw_str(&w, "rule", st->rule);
		nt_jsonw_bool(&w, "selected", st->selected);
		nt_jsonw_str(&w, "left_out", st->left_out);
		nt_buf_cut(&cmd, 0);
		if (st->row)
			nt_tunable_command(&cmd, s, st->link, &a, 1);
		nt_jsonw_str(&w, "command", nt_buf_str(&cmd));
		nt_jsonw_end(&w);
	}
	nt_jsonw_end(&w);
	nt_jsonw_end(&w);
	nt_buf_free(&cmd);
	return nt_jsonw_finish(&w);
}

void nt_plan_commands(const struct nt_plan *p, const struct nt_snapshot *s, nt_note_fn *fn,
	void *arg)
{
	struct nt_assign *v = nt_calloc(p->n + 1, sizeof *v);
	bool *done = nt_calloc(p->n + 1, sizeof *done);
	struct nt_buf b = { 0 };
	size_t i, k, n;

	for (i = 0; i < p->n; i++) {
		const struct nt_step *st = &p->v[i];

		if (done[i] || !st->selected || !st->row)
			continue;
		for (n = 0, k = i; k < p->n; k++) {
			const struct nt_step *o = &p->v[k];

			if (k != i && (done[k] || !o->selected || strcmp(o->link, st->link) != 0 ||
					      !nt_tunable_joins(o->tunable, st->tunable)))
				continue;
			done[k] = true;
			v[n++] = (struct nt_assign){ o->tunable, &o->to };
		}
		nt_buf_cut(&b, 0);
		nt_tunable_command(&b, s, st->link, v, n);
		fn(arg, nt_buf_str(&b));
	}
	nt_buf_free(&b);
	free(done);
	free(v);
}

/* ---- reading ---- */

static bool known_keys(const json_t *obj, const char *const *keys, const char **ret_bad)
{
	const char *key;
	json_t *val;
	size_t i;

	json_object_foreach((json_t *)(uintptr_t)obj, key, val)
	{
		for (i = 0; keys[i] && strcmp(keys[i], key) != 0; i++)
			;
		if (!keys[i]) {
			*ret_bad = key;
			return false;
		}
	}
	return true;
}

/* A value for a tunable: a number or a text as its row wants it. */
static int read_value(const json_t *j, const struct nt_tunable *row, struct nt_fact *ret)
{
	const char *s = json_string_value(j);

	*ret = (struct nt_fact){ .unit = (uint8_t)row->unit };
	if (row->type == NT_FACT_SWITCH) {
		ret->type = NT_FACT_SWITCH;
		ret->v.i = s && strcmp(s, "on") == 0;
		return s && (ret->v.i || strcmp(s, "off") == 0) ? 0 : -EINVAL;
	}
	if (json_is_integer(j)) {
		ret->type = NT_FACT_INT;
		ret->v.i = json_integer_value(j);
		/* families of sysctls are typed by their values */
		return row->type == NT_FACT_INT || row->kind == NT_TUN_SYSCTL ? 0 : -EINVAL;
	}
	if (!s || row->type == NT_FACT_INT || strlen(s) > 200 || strpbrk(s, "\n\r") ||
		(row->kind == NT_TUN_QDISC && strpbrk(s, " \t;"))) /* a kind alone */
		return -EINVAL;
	ret->type = NT_FACT_TEXT;
	ret->v.s = s;
	return *s ? 0 : -EINVAL;
}

static int read_step(struct nt_plan *p, const json_t *j, size_t i, struct nt_err *err)
{
	static const char *const keys[] = { "tunable", "link", "from", "to", "risk", "rule",
		"selected", "left_out", "command", NULL };
	const char *tunable = json_string_value(json_object_get(j, "tunable"));
	const char *link = json_string_value(json_object_get(j, "link"));
	const char *rule = json_string_value(json_object_get(j, "rule"));
	const char *risk = json_string_value(json_object_get(j, "risk")), *bad = NULL;
	const json_t *jl = json_object_get(j, "link"), *jf = json_object_get(j, "from"),
		     *js = json_object_get(j, "selected");
	const struct nt_tunable *row = tunable ? nt_tunable_find(tunable) : NULL;
	char path[300];
	struct nt_fact from = { .type = NT_FACT_ABSENT, .v.s = "not known" }, to;
	struct nt_step *st;

	if (!json_is_object(j) || !known_keys(j, keys, &bad))
		return nt_err_set(err, -EINVAL, "step %zu of the plan: unknown key '%s'", i + 1,
			bad ? bad : "");
	/* a family's name is no tunable, nor one that would lead elsewhere in /proc or /sys */
	if (!row || strpbrk(tunable, "*?[") ||
		(row->kind >= NT_TUN_SYSCTL &&
			nt_tunable_path(tunable, link ? link : "", path, sizeof path) < 0))
		return nt_err_set(err, -EINVAL, "step %zu of the plan: no tunable '%s'", i + 1,
			tunable ? tunable : "");
	if (!(jl == NULL || json_is_null(jl) || link) || !rule)
		return nt_err_set(err, -EINVAL, "step %zu of the plan needs link and rule", i + 1);
	if ((row->scope == NT_SCOPE_LINK) != (link && *link))
		return nt_err_set(err, -EINVAL, "step %zu of the plan: '%s' %s", i + 1, tunable,
			link && *link ? "is not of a link" : "needs a link");
	if (link && (strlen(link) >= 16 || strchr(link, '/')))
		return nt_err_set(err, -EINVAL, "step %zu of the plan: no link name", i + 1);
	if (jf && !json_is_null(jf) && read_value(jf, row, &from) < 0)
		return nt_err_set(err, -EINVAL, "step %zu of the plan: bad value 'from' of '%s'",
			i + 1, tunable);
	if (read_value(json_object_get(j, "to"), row, &to) < 0)
		return nt_err_set(err, -EINVAL, "step %zu of the plan: bad value 'to' of '%s'",
			i + 1, tunable);
	if (risk && nt_name_value(nt_risk_names, risk) < 0)
		return nt_err_set(err, -EINVAL, "step %zu of the plan: no risk '%s'", i + 1, risk);
	if (js && !json_is_boolean(js))
		return nt_err_set(err, -EINVAL, "step %zu of the plan: bad 'selected'", i + 1);
	if (nt_plan_step(p, tunable, link ? link : ""))
		return nt_err_set(err, -EINVAL, "step %zu of the plan: '%s' for the second time",
			i + 1, tunable);
	st = nt_plan_add(p, tunable, link ? link : "", &from, &to, rule);
	if (js && !json_is_true(js)) {
		const char *why = json_string_value(json_object_get(j, "left_out"));

		nt_plan_leave_out(p, st, why ? why : "not selected in the plan", "");
	}
	return 0;
}

int nt_plan_read(const char *json, size_t len, struct nt_plan *ret, struct nt_err *err)
{
	static const char *const keys[] = { "schema", "version", "steps", NULL };
	json_error_t je;
	json_t *j = json_loadb(json, len, JSON_REJECT_DUPLICATES, &je), *steps, *e;
	const char *schema = json_string_value(json_object_get(j, "schema")), *bad = NULL;
	size_t i;
	int rc = 0;

	memset(ret, 0, sizeof *ret);
	steps = json_object_get(j, "steps");
	if (!j)
		rc = nt_err_set(err, -EINVAL, "the plan is not JSON: line %d: %s", je.line,
			je.text);
	else if (!schema)
		rc = nt_err_set(err, -EINVAL, "the plan does not say that it is of schema %s", SCHEMA);
	else if (strcmp(schema, SCHEMA) != 0)
		rc = nt_err_set(err, -EINVAL, "the plan is of schema '%s', not %s", schema, SCHEMA);
	else if (!known_keys(j, keys, &bad))
		rc = nt_err_set(err, -EINVAL, "the plan has an unknown key '%s'", bad);
	else if (!json_is_array(steps))
		rc = nt_err_set(err, -EINVAL, "the plan has no steps");
	else if (json_array_size(steps) > MAX_STEPS)
		rc = nt_err_set(err, -EINVAL, "the plan has %zu steps, more than %d",
			json_array_size(steps), MAX_STEPS);
	json_array_foreach(rc ? NULL : steps, i, e)
	{
		rc = read_step(ret, e, i, err);
		if (rc)
			break;
	}
	json_decref(j);
	if (rc)
		nt_plan_free(ret);
	else
		nt_plan_order(ret);
	return rc;
}
