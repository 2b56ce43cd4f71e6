/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "collect.h"

#include <stdio.h>
#include <string.h>

/* ---- PCI ----------------------------------------------------------------------------- */

/* What a lane carries at each generation, in Mbit/s, line coding taken off (8b/10b up to 5
 * GT/s, 128b/130b up to 32, 242b/256b at 64): KNOWLEDGE 4.1, linux drivers/pci/pci.h. */
static const struct {
	double gts;
	int64_t lane_mbps;
} generations[] = {
	{ 2.5, 2000 }, { 5, 4000 }, { 8, 7876 }, { 16, 15753 }, { 32, 31507 }, { 64, 63015 },
};

static int64_t pcie_rate(double gts, long width)
{
	size_t i;

	for (i = 0; i < NT_ARRAY_SIZE(generations); i++)
		if (generations[i].gts > gts - 0.1 && generations[i].gts < gts + 0.1)
			return generations[i].lane_mbps * width;
	return 0;
}

static int pci_attr(struct nt_collect *c, const char *pci, const char *attr, struct nt_buf *b)
{
	char path[128];

	snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/%s", pci, attr);
	return nt_collect_read(c, path, b);
}

static bool pci_hex(struct nt_collect *c, const char *pci, const char *attr, struct nt_buf *b,
	unsigned *ret)
{
	return pci_attr(c, pci, attr, b) == 0 && sscanf(nt_buf_str(b), "%x", ret) == 1;
}

static void pci_ids(struct nt_collect *c, struct nt_collect_link *l, const char *name,
	const char *vendor, const char *device, struct nt_buf *b)
{
	unsigned v, d;
	char text[16];

	if (!pci_hex(c, l->pci, vendor, b, &v) || !pci_hex(c, l->pci, device, b, &d))
		return;
	snprintf(text, sizeof text, "%04x:%04x", v & 0xffff, d & 0xffff);
	nt_fact_text(c->s, l->scope, NT_FACT_TEXT, name, text);
}

/* Speed, width and rate of the connection; which is "current" or "max". */
static void pcie_link(struct nt_collect *c, struct nt_collect_link *l, const char *which,
	const char *suffix, struct nt_buf *b)
{
	char attr[32], name[32];
	double gts;
	long width;
	int64_t rate;

	snprintf(attr, sizeof attr, "%s_link_speed", which);
	if (pci_attr(c, l->pci, attr, b) < 0 || sscanf(nt_buf_str(b), "%lf GT/s", &gts) != 1)
		return;
	snprintf(attr, sizeof attr, "%s_link_width", which);
	if (pci_attr(c, l->pci, attr, b) < 0)
		return;
	width = strtol(nt_buf_str(b), NULL, 10);
	if (width <= 0 || width > 32) /* a virtual function says 0 or 255 */
		return;
	snprintf(name, sizeof name, "link.pcie.speed%s", suffix);
	nt_fact_real(c->s, l->scope, name, NT_UNIT_NONE, gts);
	snprintf(name, sizeof name, "link.pcie.width%s", suffix);
	nt_fact_int(c->s, l->scope, name, NT_UNIT_NONE, width);
	rate = pcie_rate(gts, width);
	snprintf(name, sizeof name, "link.pcie.rate%s", suffix);
	if (rate)
		nt_fact_int(c->s, l->scope, name, NT_UNIT_MBPS, rate);
}

static void pci(struct nt_collect *c, struct nt_collect_link *l, struct nt_buf *b)
{
	long node;

	pci_ids(c, l, "link.pci_id", "vendor", "device", b);
	pci_ids(c, l, "link.pci_subsystem", "subsystem_vendor", "subsystem_device", b);
	pcie_link(c, l, "current", "", b);
	pcie_link(c, l, "max", ".max", b);
	nt_fact_absent(c->s, l->scope, "link.pcie.rate", "no PCI Express link");
	nt_fact_absent(c->s, l->scope, "link.pcie.rate.max", "no PCI Express link");
	if (pci_attr(c, l->pci, "numa_node", b) < 0)
		return;
	node = strtol(nt_buf_str(b), NULL, 10);
	if (node >= 0)
		nt_fact_int(c->s, l->scope, "link.numa_node", NT_UNIT_NONE, node);
	else
		nt_fact_absent(c->s, l->scope, "link.numa_node", "the platform does not tell");
}

/* ---- the link's own folder in sysfs -------------------------------------------------- */

/* The caller asked nt_sys_link_in_sysfs() before: once a link, not once a file. */
static int attr_text(struct nt_collect *c, const struct nt_link *link, const char *rel,
	struct nt_buf *b)
{
	char path[160];
	int rc;

	snprintf(path, sizeof path, "/sys/class/net/%s/%s", link->name, rel);
	rc = nt_collect_read(c, path, b);
	while (b->len && b->s[b->len - 1] == '\n')
		nt_buf_cut(b, b->len - 1);
	return rc;
}

static void sysfs_int(struct nt_collect *c, struct nt_collect_link *l, const char *rel,
	const char *name, enum nt_unit unit, struct nt_buf *b)
{
	char *end;
	long long v;

	if (attr_text(c, l->link, rel, b) < 0)
		return;
	v = strtoll(nt_buf_str(b), &end, 10);
	if (end != nt_buf_str(b))
		nt_fact_int(c->s, l->scope, name, unit, v);
}

static const struct {
	const char *attr, *name;
	enum nt_unit unit;
} attrs[] = {
	{ "gro_flush_timeout", "link.gro_flush_timeout", NT_UNIT_NS },
	{ "napi_defer_hard_irqs", "link.napi_defer_hard_irqs", NT_UNIT_NONE },
	{ "threaded", "link.threaded", NT_UNIT_NONE },
};

/* Files of one queue; fact names are PREFIX.QUEUE[.SUFFIX]. */
static const struct {
	const char *direction; /* begin of the queue's name */
	const char *file, *prefix, *suffix;
	enum nt_fact_type type;
	enum nt_unit unit;
} queue_files[] = {
	{ "rx-", "rps_cpus", "rps", "", NT_FACT_TEXT, NT_UNIT_NONE },
	{ "rx-", "rps_flow_cnt", "rfs", "", NT_FACT_INT, NT_UNIT_NONE },
	{ "tx-", "xps_cpus", "xps", "", NT_FACT_TEXT, NT_UNIT_NONE },
	{ "tx-", "byte_queue_limits/limit", "bql", ".limit", NT_FACT_INT, NT_UNIT_BYTES },
	{ "tx-", "byte_queue_limits/limit_max", "bql", ".limit_max", NT_FACT_INT,
		NT_UNIT_BYTES },
	{ "tx-", "byte_queue_limits/inflight", "bql", ".inflight", NT_FACT_INT,
		NT_UNIT_BYTES },
};

struct queue_walk {
	struct nt_collect *c;
	struct nt_collect_link *l;
	struct nt_buf b;
};

static void queue_file(struct queue_walk *w, const char *queue, size_t i)
{
	char rel[96], name[96];

	snprintf(rel, sizeof rel, "queues/%.20s/%s", queue, queue_files[i].file);
	snprintf(name, sizeof name, "%s.%.20s%s", queue_files[i].prefix, queue,
		queue_files[i].suffix);
	if (queue_files[i].type == NT_FACT_INT)
		sysfs_int(w->c, w->l, rel, name, queue_files[i].unit, &w->b);
	else if (attr_text(w->c, w->l->link, rel, &w->b) == 0)
		nt_fact_text(w->c->s, w->l->scope, NT_FACT_TEXT, name, nt_buf_str(&w->b));
}

static int queue(void *arg, const char *name, bool is_dir)
{
	size_t i;

	(void)is_dir;
	for (i = 0; i < NT_ARRAY_SIZE(queue_files); i++)
		if (strncmp(name, queue_files[i].direction, 3) == 0)
			queue_file(arg, name, i);
	return 0;
}

static void sysfs_link(struct nt_collect *c, struct nt_collect_link *l)
{
	struct queue_walk w = { .c = c, .l = l };
	char path[64];
	size_t i;

	for (i = 0; i < NT_ARRAY_SIZE(attrs); i++)
		sysfs_int(c, l, attrs[i].attr, attrs[i].name, attrs[i].unit, &w.b);
	snprintf(path, sizeof path, "/sys/class/net/%s/queues", l->link->name);
	c->sys->ops->list(c->sys, path, queue, &w, NULL);
	nt_buf_free(&w.b);
}

void nt_collect_devices(struct nt_collect *c)
{
	struct nt_buf b = { 0 };
	size_t i;

	for (i = 0; i < c->n; i++) {
		if (c->v[i].pci[0])
			pci(c, &c->v[i], &b);
		if (c->v[i].device && nt_sys_link_in_sysfs(c->sys, c->v[i].link))
			sysfs_link(c, &c->v[i]);
	}
	nt_buf_free(&b);
}
