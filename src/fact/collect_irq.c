/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interrupts of a link's device: which they are (from the PCI device, else by name in
 * /proc/interrupts), how many came, and which CPUs serve them.
 */
#include "config.h"

#include "collect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nettune/names.h"

enum { CPUS_MAX = 8192 };

/* Calls fn for each line of /proc/interrupts with a number: that, its counts summed, and
 * the names of its actions. */
typedef void irq_line_fn(void *arg, unsigned irq, uint64_t count, const char *actions);

/* How many CPUs the head line names. */
static int columns(const char *text)
{
	size_t len = strcspn(text, "\n");
	int n = 0;
	const char *at = text;

	while ((at = strstr(at, "CPU")) && at < text + len) {
		n++;
		at += 3;
	}
	return n;
}

static void each_line(const char *text, irq_line_fn *fn, void *arg)
{
	int n = columns(text), i;
	const char *at = text;
	char line[1024], *end;

	while ((at = strchr(at, '\n')) && *++at) {
		const char *p = at;
		unsigned long irq = strtoul(p, &end, 10);
		uint64_t sum = 0;

		if (end == p || *end != ':')
			continue;
		p = end + 1;
		for (i = 0; i < n; i++) {
			sum += strtoull(p, &end, 10);
			if (end == p)
				break;
			p = end;
		}
		snprintf(line, sizeof line, "%.*s", (int)strcspn(p, "\n"), p);
		fn(arg, (unsigned)irq, sum, line);
	}
}

/* ---- which interrupts ---------------------------------------------------------------- */

static void add_irq(struct nt_collect_link *l, unsigned irq)
{
	NT_GROW(l->irqs, l->n_irqs, l->cap_irqs);
	l->irqs[l->n_irqs++] = irq;
}

static int msi_irq(void *arg, const char *name, bool is_dir)
{
	char *end;
	unsigned long irq = strtoul(name, &end, 10);

	(void)is_dir;
	if (end != name && !*end)
		add_irq(arg, (unsigned)irq);
	return 0;
}

/* Whether one of the actions is the device's: its name, or its name with a queue behind. */
static bool action_of(const char *actions, const char *device)
{
	size_t len = strlen(device);
	const char *at = actions;

	while (len && (at = strstr(at, device))) {
		bool begins = at == actions || at[-1] == ' ' || at[-1] == '\t';

		if (begins && (!at[len] || strchr(" -,.:@", at[len])))
			return true;
		at += len;
	}
	return false;
}

static void by_name(void *arg, unsigned irq, uint64_t count, const char *actions)
{
	struct nt_collect_link *l = arg;

	(void)count;
	if (action_of(actions, l->link->name) || action_of(actions, l->link->bus_dev))
		add_irq(l, irq);
}

/* Message interrupts, or the one line of a device that has none. */
static void of_pci(struct nt_collect *c, struct nt_collect_link *l)
{
	struct nt_buf b = { 0 };
	char path[96];
	unsigned long irq;

	snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/msi_irqs", l->pci);
	c->sys->ops->list(c->sys, path, msi_irq, l, NULL);
	if (l->n_irqs)
		return;
	snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/irq", l->pci);
	nt_collect_read(c, path, &b);
	irq = strtoul(nt_buf_str(&b), NULL, 10);
	if (irq)
		add_irq(l, (unsigned)irq);
	nt_buf_free(&b);
}

void nt_collect_irq_numbers(struct nt_collect *c)
{
	struct nt_buf text = { 0 };
	size_t i;

	for (i = 0; i < c->n; i++) {
		struct nt_collect_link *l = &c->v[i];

		if (l->link->kind[0] || !l->device)
			continue;
		if (l->pci[0])
			of_pci(c, l);
		if (l->n_irqs)
			continue;
		if (!text.len && nt_collect_read(c, "/proc/interrupts", &text) < 0)
			break;
		each_line(nt_buf_str(&text), by_name, l);
	}
	nt_buf_free(&text);
}

/* ---- how many ------------------------------------------------------------------------ */

static void sum_up(void *arg, unsigned irq, uint64_t count, const char *actions)
{
	struct nt_collect *c = arg;
	size_t i, j;

	(void)actions;
	for (i = 0; i < c->n; i++)
		for (j = 0; j < c->v[i].n_irqs; j++)
			if (c->v[i].irqs[j] == irq)
				c->v[i].interrupts += count;
}

void nt_collect_irq_counts(struct nt_collect *c)
{
	struct nt_buf text = { 0 };
	bool any = false;
	size_t i;

	for (i = 0; i < c->n; i++)
		any |= c->v[i].n_irqs > 0;
	if (any && nt_collect_read(c, "/proc/interrupts", &text) == 0) {
		each_line(nt_buf_str(&text), sum_up, c);
		for (i = 0; i < c->n; i++)
			if (c->v[i].n_irqs)
				nt_fact_int(c->s, c->v[i].scope, "irq.interrupts", NT_UNIT_NONE,
					(int64_t)c->v[i].interrupts);
	}
	nt_buf_free(&text);
}

/* ---- which CPUs ---------------------------------------------------------------------- */

/* Mark the CPUs of a list such as "0-3,8"; false when it is none. */
static bool mark(const char *list, bool *cpus)
{
	const char *at = list;

	while (*at >= '0' && *at <= '9') {
		char *end;
		long first = strtol(at, &end, 10), last = first;

		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		if (last >= CPUS_MAX)
			return false;
		for (; first <= last; first++)
			cpus[first] = true;
		at = *end == ',' ? end + 1 : end;
	}
	return at != list;
}

static void write_list(struct nt_buf *b, const bool *cpus)
{
	int first, last;

	for (first = 0; first < CPUS_MAX; first = last + 1) {
		last = first;
		if (!cpus[first])
			continue;
		while (last + 1 < CPUS_MAX && cpus[last + 1])
			last++;
		nt_buf_addf(b, "%s%d", b->len ? "," : "", first);
		if (last > first)
			nt_buf_addf(b, "-%d", last);
	}
}

static int irq_file(struct nt_collect *c, unsigned irq, const char *file, struct nt_buf *b)
{
	char path[96];
	int rc;

	snprintf(path, sizeof path, "/proc/irq/%u/%s", irq, file);
	rc = nt_collect_read(c, path, b);
	while (b->len && strchr(" \t\n", b->s[b->len - 1]))
		nt_buf_cut(b, b->len - 1);
	return rc;
}

static void link_irqs(struct nt_collect *c, struct nt_collect_link *l, bool *cpus,
	struct nt_buf *b)
{
	struct nt_buf list = { 0 };
	char name[48];
	size_t i;
	int n = 0;

	memset(cpus, 0, CPUS_MAX * sizeof *cpus);
	nt_fact_int(c->s, l->scope, "irq.count", NT_UNIT_NONE, (int64_t)l->n_irqs);
	for (i = 0; i < l->n_irqs; i++) {
		if (irq_file(c, l->irqs[i], "smp_affinity_list", b) == 0) {
			snprintf(name, sizeof name, "irq.%u.affinity", l->irqs[i]);
			nt_fact_text(c->s, l->scope, NT_FACT_TEXT, name, nt_buf_str(b));
		}
		/* what the hardware really uses; kernels before 4.13 do not tell */
		if (irq_file(c, l->irqs[i], "effective_affinity_list", b) == 0 ||
			irq_file(c, l->irqs[i], "smp_affinity_list", b) == 0)
			mark(nt_buf_str(b), cpus);
	}
	write_list(&list, cpus);
	for (i = 0; i < CPUS_MAX; i++)
		n += cpus[i];
	if (n) {
		nt_fact_text(c->s, l->scope, NT_FACT_TEXT, "irq.cpus", nt_buf_str(&list));
		nt_fact_int(c->s, l->scope, "irq.cpu_count", NT_UNIT_NONE, n);
	}
	nt_buf_free(&list);
}

/* Whether every CPU that serves the device is of its memory node. */
static void locality(struct nt_collect *c, struct nt_collect_link *l, const bool *cpus,
	bool *local, struct nt_buf *b)
{
	char path[96];
	bool all = true, any = false;
	int i;

	memset(local, 0, CPUS_MAX * sizeof *local);
	snprintf(path, sizeof path, "/sys/bus/pci/devices/%s/local_cpulist", l->pci);
	if (!l->pci[0] || nt_collect_read(c, path, b) < 0 || !mark(nt_buf_str(b), local))
		return;
	for (i = 0; i < CPUS_MAX; i++) {
		any |= cpus[i];
		all &= !cpus[i] || local[i];
	}
	if (any)
		nt_fact_bool(c->s, l->scope, "irq.local", all);
}

void nt_collect_irq_cpus(struct nt_collect *c)
{
	bool *cpus = nt_calloc(2 * CPUS_MAX, sizeof *cpus);
	struct nt_buf b = { 0 };
	size_t i;

	for (i = 0; i < c->n; i++)
		if (c->v[i].n_irqs) {
			link_irqs(c, &c->v[i], cpus, &b);
			locality(c, &c->v[i], cpus, cpus + CPUS_MAX, &b);
		}
	nt_buf_free(&b);
	free(cpus);
}
