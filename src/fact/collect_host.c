/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "collect.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "nettune/fact_text.h"

/* How many CPUs a list such as "0-3,8" names; 0 when it is none. */
static long cpus_in(const char *list)
{
	long n = 0;

	while (*list >= '0' && *list <= '9') {
		char *end;
		long first = strtol(list, &end, 10), last = first;

		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		if (last < first)
			return 0;
		n += last - first + 1;
		list = *end == ',' ? end + 1 : end;
	}
	return n;
}

static void cpus(struct nt_collect *c, const char *name, const char *value)
{
	long n = cpus_in(value);

	if (n > 0)
		nt_fact_int(c->s, &c->s->host, name, NT_UNIT_NONE, n);
}

static void plain(struct nt_collect *c, const char *name, const char *value)
{
	if (*value)
		nt_fact_text(c->s, &c->s->host, NT_FACT_TEXT, name, value);
}

static void release(struct nt_collect *c, const char *name, const char *value)
{
	(void)name;
	nt_text_kernel_release(c->s, value);
}

static void memory(struct nt_collect *c, const char *name, const char *value)
{
	const char *at = strstr(value, "MemTotal:");
	int64_t kib;

	if (at && sscanf(at, "MemTotal: %" SCNd64 " kB", &kib) == 1)
		nt_fact_int(c->s, &c->s->host, name, NT_UNIT_BYTES, kib * 1024);
}

static const struct {
	const char *path;
	const char *name;
	void (*add)(struct nt_collect *c, const char *name, const char *value);
} files[] = {
	{ "/proc/sys/kernel/osrelease", "kernel.release", release },
	{ "/proc/sys/kernel/version", "kernel.build", plain },
	{ "/proc/version_signature", "kernel.signature", plain },
	{ "/proc/sys/kernel/arch", "kernel.machine", plain },
	{ "/proc/sys/kernel/hostname", "host.name", plain },
	{ "/proc/meminfo", "host.memory", memory },
	{ "/sys/devices/system/cpu/online", "cpu.count", cpus },
	{ "/sys/devices/system/cpu/possible", "cpu.possible", cpus },
	{ "/sys/devices/system/clocksource/clocksource0/current_clocksource",
		"host.clocksource", plain },
	{ "/sys/class/dmi/id/sys_vendor", "host.vendor", plain },
	{ "/sys/class/dmi/id/product_name", "host.product", plain },
	{ "/sys/hypervisor/type", "host.hypervisor", plain },
};

/* Symbols that tell what a driver does better than a version could, looked for only where
 * that driver runs a link: the list of symbols is long. */
static const struct {
	const char *driver, *symbol;
} symbols[] = {
	{ "mvneta", "mvneta_tx_done_timer_callback" }, /* KERNEL B */
};

static bool has_symbol(const char *list, const char *symbol)
{
	size_t len = strlen(symbol);
	const char *at = list;

	while ((at = strstr(at, symbol))) {
		if (at > list && at[-1] == ' ' && strchr(" \t\n", at[len]))
			return true;
		at += len;
	}
	return false;
}

static bool driver_in_use(struct nt_collect *c, const char *driver)
{
	unsigned id = nt_symtab_find(&c->s->names, "link.driver");
	size_t i, j;

	for (i = 0; i < c->n; i++)
		for (j = 0; j < c->v[i].scope->n; j++) {
			const struct nt_fact *f = &c->v[i].scope->facts[j];

			if (f->id == id && f->type == NT_FACT_TEXT)
				if (strcmp(f->v.s, driver) == 0)
					return true;
		}
	return false;
}

static void kernel_symbols(struct nt_collect *c)
{
	struct nt_buf list = { 0 };
	char name[96];
	size_t i;

	for (i = 0; i < NT_ARRAY_SIZE(symbols); i++) {
		snprintf(name, sizeof name, "kernel.symbol.%s", symbols[i].symbol);
		if (!driver_in_use(c, symbols[i].driver))
			nt_fact_absent(c->s, &c->s->host, name, "no link uses the driver");
		else if (nt_collect_read(c, "/proc/kallsyms", &list) == 0)
			nt_fact_bool(c->s, &c->s->host, name,
				has_symbol(nt_buf_str(&list), symbols[i].symbol));
	}
	nt_buf_free(&list);
}

/* The log is the whole host's: in another namespace its link names are others'. */
void nt_collect_log(struct nt_collect *c)
{
	struct nt_buf b = { 0 };

	if (!c->in_namespace) {
		c->log_read = nt_collect_read(c, "/dev/kmsg", &b);
		if (c->log_read == 0)
			nt_text_log(c->s, nt_buf_str(&b), true);
	}
	nt_buf_free(&b);
}

void nt_collect_host(struct nt_collect *c)
{
	struct nt_buf b = { 0 };
	size_t i;
	int rc;

	for (i = 0; i < NT_ARRAY_SIZE(files); i++) {
		rc = nt_collect_read(c, files[i].path, &b);
		if (rc < 0) {
			nt_collect_unread(c, files[i].name, rc);
			continue;
		}
		while (b.len && strchr(" \t\n", b.s[b.len - 1]))
			nt_buf_cut(&b, b.len - 1);
		files[i].add(c, files[i].name, nt_buf_str(&b));
	}
	nt_buf_free(&b);
	nt_fact_int(c->s, &c->s->host, "host.page_size", NT_UNIT_BYTES, sysconf(_SC_PAGESIZE));
	kernel_symbols(c);
}
