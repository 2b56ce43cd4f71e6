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

/* What is known of one name of a group: looked up once, not once a link. */
struct name {
	unsigned id, wanted, fixed; /* ids of the fact's name and a feature's further two */
	enum nt_unit unit;
	enum nt_fact_type type;
};

struct reading {
	struct nt_collect *c;
	enum nt_eth what;
	struct nt_collect_link *link; /* of the last value */
	struct name *names; /* by struct nt_eth_val.row */
	size_t n_names;
};

static const char *const group_names[_NT_ETH_MAX] = {
	[NT_ETH_FEATURES] = "features", [NT_ETH_COALESCE] = "coalescing",
	[NT_ETH_RINGS] = "rings", [NT_ETH_CHANNELS] = "channels",
	[NT_ETH_PAUSE] = "pause", [NT_ETH_EEE] = "EEE",
	[NT_ETH_LINKMODES] = "link modes", [NT_ETH_LINKINFO] = "link info",
	[NT_ETH_FEC] = "FEC", [NT_ETH_RSS] = "spread over queues",
};

static unsigned with_suffix(struct nt_snapshot *s, const char *name, const char *suffix)
{
	char full[96];

	snprintf(full, sizeof full, "%s%s", name, suffix);
	return nt_symtab_add(&s->names, full);
}

static const struct name *name_of(struct reading *r, const struct nt_eth_val *val)
{
	struct nt_snapshot *s = r->c->s;
	const struct nt_catalogue_row *row;
	size_t n = r->n_names;
	struct name *name;

	if (val->row >= n) {
		r->n_names = val->row + 64;
		r->names = nt_reallocarray(r->names, r->n_names, sizeof *r->names);
		memset(r->names + n, 0, (r->n_names - n) * sizeof *r->names);
	}
	name = &r->names[val->row];
	if (name->id)
		return name;
	row = nt_catalogue_find(val->name);
	name->id = nt_symtab_add(&s->names, val->name);
	name->unit = row ? row->unit : NT_UNIT_NONE;
	name->type = row ? row->type : NT_FACT_TEXT;
	if (val->type == NT_ETH_FEATURE) {
		name->wanted = with_suffix(s, val->name, ".wanted");
		name->fixed = with_suffix(s, val->name, ".fixed");
	}
	return name;
}

static void feature(struct reading *r, struct nt_scope *sc, const struct nt_eth_val *val)
{
	const struct name *name = name_of(r, val);
	struct nt_snapshot *s = r->c->s;

	nt_fact_slot(s, sc, name->id, NT_FACT_SWITCH, NT_UNIT_NONE)->v.i =
		!!(val->num & NT_FEAT_ACTIVE);
	nt_fact_slot(s, sc, name->wanted, NT_FACT_SWITCH, NT_UNIT_NONE)->v.i =
		!!(val->num & NT_FEAT_WANTED);
	nt_fact_slot(s, sc, name->fixed, NT_FACT_BOOL, NT_UNIT_NONE)->v.i =
		!!(val->num & NT_FEAT_FIXED);
}

/* What stands for "don't know" in values that a driver has to give. */
static bool unknown(const struct nt_eth_val *val)
{
	if (strcmp(val->name, "link.speed") == 0)
		return val->num <= 0 || val->num >= UINT32_MAX;
	if (strcmp(val->name, "link.duplex") == 0)
		return strcmp(val->text, "full") != 0 && strcmp(val->text, "half") != 0;
	return false;
}

static void value(struct reading *r, struct nt_scope *sc, const struct nt_eth_val *val)
{
	const struct name *name = name_of(r, val);
	struct nt_snapshot *s = r->c->s;

	if (val->type == NT_ETH_SWITCH)
		nt_fact_slot(s, sc, name->id, NT_FACT_SWITCH, NT_UNIT_NONE)->v.i = val->num;
	else if (unknown(val))
		nt_fact_absent(s, sc, val->name, "the driver does not know it");
	else if (val->type == NT_ETH_INT)
		nt_fact_slot(s, sc, name->id, NT_FACT_INT, name->unit)->v.i = val->num;
	else
		nt_fact_text(s, sc, name->type == NT_FACT_LIST ? NT_FACT_LIST : NT_FACT_TEXT,
			val->name, val->text);
}

static void got_value(void *arg, int ifindex, const struct nt_eth_val *val,
	const struct nt_err *err)
{
	struct reading *r = arg;
	struct nt_collect *c = r->c;
	struct nt_collect_link *l = r->link;

	if (!l || l->ifindex != ifindex)
		l = r->link = nt_collect_link(c, ifindex);
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
	else
		value(r, l->scope, val);
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
		if (l->why[NT_SOURCE_DRV] == NT_WHY_FAILED)
			nt_collect_note(c, "'%s': driver: %s", l->link->name, err.msg);
		return;
	}
	l->n_stats = info.n_stats;
	for (i = 0; i < NT_ARRAY_SIZE(texts); i++) {
		const char *v = (const char *)&info + texts[i].offset;

		if (*v && strcmp(v, "N/A") != 0)
			nt_fact_text(c->s, l->scope, NT_FACT_TEXT, texts[i].name, v);
	}
	if (!nt_glob(PCI_ADDRESS, info.bus_info))
		return;
	snprintf(l->pci, sizeof l->pci, "%.15s", info.bus_info);
	if (!l->link->bus[0]) /* older kernels do not name it */
		nt_fact_text(c->s, l->scope, NT_FACT_TEXT, "link.bus", "pci");
}

void nt_collect_drivers(struct nt_collect *c)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		driver(c, &c->v[i]);
}

void nt_collect_eth(struct nt_collect *c)
{
	struct reading r = { .c = c };
	int what;

	for (what = 0; what < _NT_ETH_MAX; what++) {
		r.what = what;
		read_group(&r);
		free(r.names);
		r.names = NULL;
		r.n_names = 0;
	}
}
