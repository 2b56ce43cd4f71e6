/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "collect.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define UNREPORTED "the driver does not report it"
#define OLD_KERNEL "not in this kernel"
#define NO_FILE "its file is not there"

enum { RATE = -2 };

/* Why a fact from a source is missing, where nothing more particular is known. */
static const struct source {
	const char *source; /* as in the catalogue */
	int outcome;	    /* enum nt_source, -1 for none, or RATE */
	const char *missing;
} sources[] = {
	{ "ethtool -k", NT_SOURCE_ETH + NT_ETH_FEATURES, UNREPORTED },
	{ "ethtool -c", NT_SOURCE_ETH + NT_ETH_COALESCE, UNREPORTED },
	{ "ethtool -g", NT_SOURCE_ETH + NT_ETH_RINGS, UNREPORTED },
	{ "ethtool -l", NT_SOURCE_ETH + NT_ETH_CHANNELS, UNREPORTED },
	{ "ethtool -a", NT_SOURCE_ETH + NT_ETH_PAUSE, UNREPORTED },
	{ "ethtool --show-eee", NT_SOURCE_ETH + NT_ETH_EEE, UNREPORTED },
	{ "ethtool link modes", NT_SOURCE_ETH + NT_ETH_LINKMODES, UNREPORTED },
	{ "ethtool link info", NT_SOURCE_ETH + NT_ETH_LINKINFO, UNREPORTED },
	{ "ethtool -i", NT_SOURCE_DRV, UNREPORTED },
	{ "ethtool -S", NT_SOURCE_STAT, UNREPORTED },
	{ "rtnetlink qdiscs", NT_SOURCE_QDISC, "the link has no queueing discipline" },
	{ "rtnetlink addresses", NT_SOURCE_ADDR, "could not be read" },
	{ "rtnetlink parent", -1, "no device on a bus" },
	{ "rtnetlink", -1, "the kernel does not tell" },
	{ "/sys/bus", -1, "not a PCI device" },
	{ "/sys/devices/system/cpu", -1, "the kernel does not tell" },
	{ "/sys/devices/system", -1, "the kernel does not tell" },
	{ "/proc/meminfo", -1, "the kernel does not tell" },
	{ "/sys/class/dmi", -1, "the platform does not tell" },
	{ "/sys/hypervisor", -1, "the kernel does not tell" },
	{ "/proc/net/stat", -1, "not in this namespace or kernel" },
	{ "two readings", RATE, "needs two readings" },
	{ "probe", -1, "needs a probe" },
	{ "live sockets", -1, "sockets were not listed" },
	{ "logs", -1, "only a capture has it" },
	{ "derived", -1, "what it follows from is not known" },
	{ "/proc/sys", -1, OLD_KERNEL },
};

static const struct source *source_of(const struct nt_catalogue_row *row)
{
	size_t i;

	for (i = 0; i < NT_ARRAY_SIZE(sources); i++)
		if (strcmp(sources[i].source, row->source) == 0)
			return &sources[i];
	return NULL;
}

struct reasons {
	struct nt_collect *c;
	const struct source **by_row;
	const struct nt_catalogue_row *rows;
	size_t at; /* the link last asked about */
};

static const char *failure(unsigned char why)
{
	if (why == NT_WHY_DENIED)
		return geteuid() ? "needs root" : "the kernel does not permit it";
	return why == NT_WHY_FAILED ? "could not be read" : NULL;
}

/* Of a file alone that is not there the source's own reason says more. */
static const char *unread(const struct nt_collect *c, const struct nt_catalogue_row *row)
{
	const struct nt_unread *u;

	for (u = c->unread; u < c->unread + c->n_unread; u++) {
		const char *why = failure(nt_collect_why(u->code));

		if (strcmp(u->what, row->source) == 0)
			return why ? why : NO_FILE;
		if (why && strcmp(u->what, row->name) == 0)
			return why;
	}
	return NULL;
}

static const char *host_reason(const struct nt_collect *c, const struct nt_catalogue_row *row)
{
	const char *why = unread(c, row);

	if (why)
		return why;
	if (strncmp(row->name, "sysctl.net.netfilter.", 21) == 0 ||
		strncmp(row->name, "conntrack.", 10) == 0)
		return "connection tracking is not in use";
	if (strcmp(row->source, "/proc/sys, global") == 0)
		return c->in_namespace ? "not in this namespace" : OLD_KERNEL;
	return NULL;
}

static const char *log_reason(const struct nt_collect *c)
{
	if (c->in_namespace)
		return "not in this namespace";
	return c->log_read == -EPERM || c->log_read == -EACCES ? "needs root"
								: "could not be read";
}

/* Scopes are asked about in the order of c->v. */
static const struct nt_collect_link *link_of(struct reasons *r, const struct nt_scope *sc)
{
	size_t i;

	for (i = 0; i < r->c->n; i++) {
		size_t at = (r->at + i) % r->c->n;

		if (r->c->v[at].scope == sc) {
			r->at = at;
			return &r->c->v[at];
		}
	}
	return NULL;
}

static const char *reason(void *arg, const struct nt_scope *sc,
	const struct nt_catalogue_row *row)
{
	struct reasons *r = arg;
	const struct source *src = r->by_row[row - r->rows];
	const struct nt_collect_link *l;
	const char *why = strcmp(row->source, "kernel log") == 0 ? log_reason(r->c)
		: sc->kind == NT_SCOPE_HOST			 ? host_reason(r->c, row)
								 : NULL;

	if (why)
		return why;
	if (!src)
		return OLD_KERNEL;
	if (src->outcome == RATE && r->c->s->interval_s > 0)
		return "there is no counter for it";
	if (src->outcome >= 0 && (l = link_of(r, sc)))
		why = failure(l->why[src->outcome]);
	return why ? why : src->missing;
}

/*
 * Where a whole group could not be read, the names in it are not known either: "feature.*"
 * stands for them.
 */
void nt_collect_failed_groups(struct nt_collect *c)
{
	static const struct {
		int outcome;
		const char *all;
	} of[] = {
		{ NT_SOURCE_ETH + NT_ETH_FEATURES, "feature.*" },
		{ NT_SOURCE_ETH + NT_ETH_COALESCE, "coalesce.*" },
		{ NT_SOURCE_ETH + NT_ETH_RINGS, "ring.*" },
		{ NT_SOURCE_ETH + NT_ETH_CHANNELS, "channels.*" },
		{ NT_SOURCE_ETH + NT_ETH_PAUSE, "pause.*" },
		{ NT_SOURCE_ETH + NT_ETH_EEE, "eee.*" },
		{ NT_SOURCE_ETH + NT_ETH_FEC, "fec.*" },
		{ NT_SOURCE_STAT, "stat.*" },
	};
	size_t i, j;

	for (i = 0; i < c->n; i++)
		for (j = 0; j < NT_ARRAY_SIZE(of); j++) {
			const char *why = failure(c->v[i].why[of[j].outcome]);

			if (why)
				nt_fact_absent(c->s, c->v[i].scope, of[j].all, why);
		}
}

void nt_collect_reasons(struct nt_collect *c)
{
	struct reasons r = { .c = c };
	size_t n, i;

	r.rows = nt_catalogue_exact(&n);
	r.by_row = nt_calloc(n, sizeof *r.by_row);
	for (i = 0; i < n; i++)
		r.by_row[i] = source_of(&r.rows[i]);
	nt_fact_fill_absent(c->s, reason, &r);
	free(r.by_row);
}
