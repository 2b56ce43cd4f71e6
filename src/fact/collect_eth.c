/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "collect.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "nettune/names.h"
#include "snapshot.h"

#define HEX "[0-9a-f]"
#define PCI_ADDRESS HEX HEX HEX HEX "*:" HEX HEX ":" HEX HEX "." HEX

/* Ids of the three facts of one feature, so that their names are built once. */
struct feature_ids {
	unsigned wanted, fixed;
};

struct reading {
	struct nt_collect *c;
	enum nt_eth what;
	struct feature_ids *features; /* by the id of the active fact's name */
	size_t n_features;
};

static const char *const group_names[_NT_ETH_MAX] = {
	[NT_ETH_FEATURES] = "features", [NT_ETH_COALESCE] = "coalescing",
	[NT_ETH_RINGS] = "rings", [NT_ETH_CHANNELS] = "channels",
	[NT_ETH_PAUSE] = "pause", [NT_ETH_EEE] = "EEE",
	[NT_ETH_LINKMODES] = "link modes", [NT_ETH_LINKINFO] = "link info",
	[NT_ETH_FEC] = "FEC",
};

static unsigned with_suffix(struct nt_snapshot *s, const char *name, const char *suffix)
{
	char full[96];

	snprintf(full, sizeof full, "%s%s", name, suffix);
	return nt_symtab_add(&s->names, full);
}

static const struct feature_ids *feature_ids(struct reading *r, unsigned id, const char *name)
{
	struct nt_snapshot *s = r->c->s;
	size_t n = r->n_features;

	if (id >= n) {
		r->n_features = id + 128;
		r->features = nt_reallocarray(r->features, r->n_features,
			sizeof *r->features);
		memset(r->features + n, 0, (r->n_features - n) * sizeof *r->features);
	}
	if (!r->features[id].wanted) {
		r->features[id].wanted = with_suffix(s, name, ".wanted");
		r->features[id].fixed = with_suffix(s, name, ".fixed");
	}
	return &r->features[id];
}

static void feature(struct reading *r, struct nt_scope *sc, const struct nt_eth_val *val)
{
	struct nt_snapshot *s = r->c->s;
	unsigned id = nt_symtab_add(&s->names, val->name);
	const struct feature_ids *ids = feature_ids(r, id, val->name);

	nt_fact_slot(s, sc, id, NT_FACT_SWITCH, NT_UNIT_NONE)->v.i =
		!!(val->num & NT_FEAT_ACTIVE);
	nt_fact_slot(s, sc, ids->wanted, NT_FACT_SWITCH, NT_UNIT_NONE)->v.i =
		!!(val->num & NT_FEAT_WANTED);
	nt_fact_slot(s, sc, ids->fixed, NT_FACT_BOOL, NT_UNIT_NONE)->v.i =
		!!(val->num & NT_FEAT_FIXED);
}

static void number(struct nt_collect *c, struct nt_scope *sc, const struct nt_eth_val *val)
{
	const struct nt_catalogue_row *row = nt_catalogue_find(val->name);

	if (strcmp(val->name, "link.speed") == 0 &&
		(val->num <= 0 || val->num >= UINT32_MAX))
		nt_fact_absent(c->s, sc, val->name, "the driver does not know it");
	else
		nt_fact_int(c->s, sc, val->name, row ? row->unit : NT_UNIT_NONE, val->num);
}

static void text(struct nt_collect *c, struct nt_scope *sc, const struct nt_eth_val *val)
{
	const struct nt_catalogue_row *row = nt_catalogue_find(val->name);

	if (strcmp(val->name, "link.duplex") == 0 && strcmp(val->text, "full") != 0 &&
		strcmp(val->text, "half") != 0)
		nt_fact_absent(c->s, sc, val->name, "the driver does not know it");
	else
		nt_fact_text(c->s, sc, row && row->type == NT_FACT_LIST ? NT_FACT_LIST
									 : NT_FACT_TEXT,
			val->name, val->text);
}

static void got_value(void *arg, int ifindex, const struct nt_eth_val *val,
	const struct nt_err *err)
{
	struct reading *r = arg;
	struct nt_collect *c = r->c;
	struct nt_collect_link *l = nt_collect_link(c, ifindex);

	if (!l)
		return;
	if (!val) {
		enum nt_why why = err ? nt_collect_why(err->code) : NT_WHY_MISSING;

		l->why[NT_SOURCE_ETH + r->what] = why;
		if (why == NT_WHY_FAILED)
			nt_collect_note(c, "'%s': %s: %s", l->link->name,
				group_names[r->what], err->msg);
		return;
	}
	if (val->type == NT_ETH_FEATURE)
		feature(r, l->scope, val);
	else if (val->type == NT_ETH_SWITCH)
		nt_fact_switch(c->s, l->scope, val->name, val->num);
	else if (val->type == NT_ETH_INT)
		number(c, l->scope, val);
	else
		text(c, l->scope, val);
}

/* Each call ends the dump's trouble where it began: other groups are still read. */
static void read_group(struct reading *r)
{
	struct nt_collect *c = r->c;
	struct nt_err err = { 0 };
	size_t i;

	if (c->sys->ops->eth_get(c->sys, r->what, 0, &c->links, got_value, r, &err) == 0)
		return;
	if (nt_collect_why(err.code) == NT_WHY_FAILED)
		nt_collect_note(c, "%s: %s", group_names[r->what], err.msg);
	for (i = 0; i < c->n; i++)
		c->v[i].why[NT_SOURCE_ETH + r->what] = nt_collect_why(err.code);
}

static void driver(struct nt_collect *c, struct nt_collect_link *l)
{
	static const struct {
		const char *name;
		size_t offset;
	} texts[] = {
		{ "link.driver", offsetof(struct nt_drvinfo, driver) },
		{ "link.driver_version", offsetof(struct nt_drvinfo, version) },
		{ "link.firmware", offsetof(struct nt_drvinfo, firmware) },
		{ "link.bus_info", offsetof(struct nt_drvinfo, bus_info) },
	};
	struct nt_drvinfo info = { 0 };
	struct nt_err err = { 0 };
	size_t i;

	if (c->sys->ops->eth_drvinfo(c->sys, l->link, &info, &err) < 0) {
		l->why[NT_SOURCE_DRV] = nt_collect_why(err.code);
		return;
	}
	for (i = 0; i < NT_ARRAY_SIZE(texts); i++) {
		const char *v = (const char *)&info + texts[i].offset;

		if (*v && strcmp(v, "N/A") != 0)
			nt_fact_text(c->s, l->scope, NT_FACT_TEXT, texts[i].name, v);
	}
	if (nt_glob(PCI_ADDRESS, info.bus_info))
		snprintf(l->pci, sizeof l->pci, "%.15s", info.bus_info);
}

void nt_collect_eth(struct nt_collect *c)
{
	struct reading r = { .c = c };
	size_t i;
	int what;

	for (i = 0; i < c->n; i++)
		driver(c, &c->v[i]);
	for (what = 0; what < _NT_ETH_MAX; what++) {
		r.what = what;
		read_group(&r);
	}
	free(r.features);
}
