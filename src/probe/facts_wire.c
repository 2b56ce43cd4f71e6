/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "facts_wire.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "nettune/names.h"
#include "wire.h"

#define FACTS_A_PIECE 200
#define TEXT_MAX 16384

static const struct nt_name types[] = {
	{ "int", NT_FACT_INT },
	{ "real", NT_FACT_REAL },
	{ "bool", NT_FACT_BOOL },
	{ "switch", NT_FACT_SWITCH },
	{ "text", NT_FACT_TEXT },
	{ "version", NT_FACT_VERSION },
	{ "list", NT_FACT_LIST },
	{ "absent", NT_FACT_ABSENT },
	{ NULL, 0 },
};

static const struct nt_name scopes[] = {
	{ "host", NT_SCOPE_HOST },
	{ "link", NT_SCOPE_LINK },
	{ NULL, 0 },
};

static json_t *fact_json(const struct nt_snapshot *s, const struct nt_fact *f)
{
	json_t *j = json_array(), *v;

	json_array_append_new(j, nt_wire_text(nt_snapshot_name(s, f->id)));
	json_array_append_new(j, json_string(nt_name_of(types, f->type)));
	json_array_append_new(j, json_string(nt_unit_info(f->unit)->name));
	if (f->type == NT_FACT_REAL)
		v = isfinite(f->v.r) ? json_real(f->v.r) : json_null();
	else if (f->type <= NT_FACT_SWITCH)
		v = json_integer(f->v.i);
	else
		v = nt_wire_text(strlen(f->v.s) < TEXT_MAX ? f->v.s : "");
	json_array_append_new(j, v);
	return j;
}

/* A piece of a scope from fact i on; the index behind it. */
static size_t send_piece(const struct nt_snapshot *s, const struct nt_scope *sc, size_t i,
	size_t most, void (*piece)(void *arg, char *text), void *arg)
{
	json_t *j = json_object(), *list = json_array();
	size_t end = sc->n - i < most ? sc->n : i + most;

	json_object_set_new(j, "scope", json_string(nt_name_of(scopes, sc->kind)));
	json_object_set_new(j, "name", nt_wire_text(sc->name));
	json_object_set_new(j, "interesting", json_boolean(sc->interesting));
	json_object_set_new(j, "lower", nt_wire_text(sc->lower ? sc->lower->name : ""));
	json_object_set_new(j, "master", nt_wire_text(sc->master ? sc->master->name : ""));
	while (i < end)
		json_array_append_new(list, fact_json(s, &sc->facts[i++]));
	json_object_set_new(j, "facts", list);
	piece(arg, json_dumps(j, JSON_COMPACT));
	json_decref(j);
	return i;
}

void nt_facts_send(const struct nt_snapshot *s, void (*piece)(void *arg, char *text), void *arg)
{
	size_t i, at;

	/* first all links without facts, so that lower and master always name known ones */
	for (i = 0; i < s->n_links; i++)
		send_piece(s, s->links[i], 0, 0, piece, arg);
	for (i = 0; i < s->n_links; i++)
		for (at = 0; at < s->links[i]->n;)
			at = send_piece(s, s->links[i], at, FACTS_A_PIECE, piece, arg);
	for (at = 0; at < s->host.n;)
		at = send_piece(s, &s->host, at, FACTS_A_PIECE, piece, arg);
}

static int unit_of(const char *name)
{
	int u;

	for (u = 0; u < _NT_UNIT_MAX; u++)
		if (strcmp(nt_unit_info(u)->name, name) == 0)
			return u;
	return -EINVAL;
}

static int take_fact(const json_t *j, struct nt_snapshot *s, struct nt_scope *sc)
{
	const char *name = json_string_value(json_array_get(j, 0)),
		   *type = json_string_value(json_array_get(j, 1)),
		   *unit = json_string_value(json_array_get(j, 2));
	const json_t *v = json_array_get(j, 3);
	char shown[256], text[TEXT_MAX];
	int t, u;

	if (json_array_size(j) != 4 || !name || !type || !unit)
		return -EPROTO;
	t = nt_name_value(types, type);
	u = unit_of(unit);
	if (t < 0 || u < 0 || !*name || strlen(name) >= sizeof shown)
		return -EPROTO;
	nt_printable(shown, sizeof shown, name);
	if (t <= NT_FACT_SWITCH) {
		if (!json_is_number(v) || (t != NT_FACT_REAL && !json_is_integer(v)))
			return t == NT_FACT_REAL && json_is_null(v) ? 0 : -EPROTO;
	} else {
		if (!json_is_string(v) || json_string_length(v) >= sizeof text)
			return -EPROTO;
		nt_printable(text, sizeof text, json_string_value(v));
	}
	switch (t) {
	case NT_FACT_INT:
		nt_fact_int(s, sc, shown, u, json_integer_value(v));
		break;
	case NT_FACT_REAL:
		nt_fact_real(s, sc, shown, u, json_number_value(v));
		break;
	case NT_FACT_BOOL:
		nt_fact_bool(s, sc, shown, json_integer_value(v) != 0);
		break;
	case NT_FACT_SWITCH:
		nt_fact_switch(s, sc, shown, json_integer_value(v) != 0);
		break;
	case NT_FACT_ABSENT:
		nt_fact_absent(s, sc, shown, text);
		break;
	default:
		nt_fact_text(s, sc, t, shown, text);
	}
	return 0;
}

/* Set a relation to a known link, unless a chain of them would come back to sc: whoever
 * follows it must come to an end. at is the relation's place in a scope. */
static void set_relation(const struct nt_snapshot *s, struct nt_scope *sc,
	struct nt_scope **ret, size_t at, const char *name)
{
	struct nt_scope *to = *name ? nt_snapshot_link(s, name) : NULL, *t;

	for (t = to; t; memcpy(&t, (const char *)t + at, sizeof t))
		if (t == sc)
			return;
	*ret = to;
}

static struct nt_scope *scope_of(const json_t *j, struct nt_snapshot *s)
{
	char kind[8], raw[64], name[64], other[64];
	struct nt_scope *sc;
	int k;

	if (nt_wire_str(j, "scope", kind, sizeof kind) ||
		nt_wire_str(j, "name", raw, sizeof raw))
		return NULL;
	k = nt_name_value(scopes, kind);
	if (k == NT_SCOPE_HOST)
		return &s->host;
	if (k != NT_SCOPE_LINK || !*raw)
		return NULL;
	nt_printable(name, sizeof name, raw);
	sc = nt_snapshot_link(s, name);
	if (!sc && s->n_links >= NT_FACTS_LINKS_MAX)
		return NULL;
	if (!sc)
		sc = nt_snapshot_add_link(s, name);
	sc->interesting = json_is_true(json_object_get(j, "interesting"));
	if (nt_wire_str(j, "lower", other, sizeof other) == 0)
		set_relation(s, sc, &sc->lower, offsetof(struct nt_scope, lower), other);
	if (nt_wire_str(j, "master", other, sizeof other) == 0)
		set_relation(s, sc, &sc->master, offsetof(struct nt_scope, master), other);
	return sc;
}

int nt_facts_take(const json_t *j, struct nt_snapshot *s, size_t *total, struct nt_err *err)
{
	const json_t *list = json_object_get(j, "facts");
	struct nt_scope *sc = scope_of(j, s);
	size_t i;

	if (!sc || !json_is_array(list) || json_array_size(list) > FACTS_A_PIECE ||
		*total + json_array_size(list) > NT_FACTS_MAX)
		return nt_err_set(err, -EPROTO, "the server's facts are malformed");
	for (i = 0; i < json_array_size(list); i++)
		if (take_fact(json_array_get(list, i), s, sc))
			return nt_err_set(err, -EPROTO, "the server's facts are malformed");
	*total += json_array_size(list);
	return 0;
}
