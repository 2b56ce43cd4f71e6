/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel's log, and a few programs' logs, say of the network: counts of lines. */
#include "config.h"

#include "nettune/fact_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nettune/names.h"

/* Lines that count, host or link. The texts are those of the kernel's sources. */
static const struct pattern {
	const char *fact, *glob;
	enum nt_scope_kind scope;
} patterns[] = {
	{ "log.tx_hang", "*Detected Tx Unit Hang*", NT_SCOPE_LINK },
	{ "log.tx_hang", "*Detected Hardware Unit Hang*", NT_SCOPE_LINK },
	{ "log.tx_timeout", "*NETDEV WATCHDOG: *", NT_SCOPE_LINK },
	{ "log.usb_tx_error", "*: Tx status -[0-9]*", NT_SCOPE_LINK },
	{ "log.neighbour_overflow", "*eighbo* table overflow*", NT_SCOPE_HOST },
	{ "log.conntrack_full", "*conntrack: table full*", NT_SCOPE_HOST },
	{ "log.tcp_memory", "*TCP: out of memory*", NT_SCOPE_HOST },
	{ "log.syn_flood", "*Possible SYN flooding on port*", NT_SCOPE_HOST },
};

/* Ports of VXLAN (the kernel's own and IANA's) and GENEVE. */
static const char *const tunnel_ports[] = { ":8472 ulen", ":4789 ulen", ":6081 ulen" };

/* Frames at the top of a call trace in which a driver's function makes it the driver's. */
#define TOP_FRAMES 3

struct log {
	struct nt_snapshot *s;
	unsigned *counts; /* [link, or n_links for the host][fact] */
	int frames; /* left of a call trace's top; -1 outside */
};

/* The facts of the table and two more, each once. */
static const char *const facts[] = {
	"log.tx_hang", "log.tx_timeout", "log.usb_tx_error", "log.driver_trace",
	"log.neighbour_overflow", "log.conntrack_full", "log.tcp_memory", "log.syn_flood",
	"log.tunnel_bad_checksum", "log.dhcp_bad_checksum",
};
enum { N_LINK_FACTS = 4, N_KERNEL_FACTS = 9, N_FACTS = NT_ARRAY_SIZE(facts) };

static size_t index_of(const char *fact)
{
	size_t i = 0;

	while (strcmp(facts[i], fact) != 0)
		i++;
	return i;
}

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || strchr("._-", c);
}

/* Whether name stands in line as a word of its own. */
static bool names(const char *line, const char *name)
{
	size_t len = strlen(name);
	const char *at = line;

	for (; len && (at = strstr(at, name)) != NULL; at++)
		if ((at == line || !in_name(at[-1])) && (!at[len] || !in_name(at[len])))
			return true;
	return false;
}

static void add(struct log *l, size_t scope, const char *fact, unsigned n)
{
	l->counts[scope * N_FACTS + index_of(fact)] += n;
}

static void add_for_link(struct log *l, const char *line, const char *fact)
{
	size_t i;

	for (i = 0; i < l->s->n_links; i++)
		if (names(line, l->s->links[i]->name)) {
			add(l, i, fact, 1);
			return;
		}
}

static const char *driver_of(const struct log *l, const struct nt_scope *link)
{
	unsigned id = nt_symtab_find(&l->s->names, "link.driver");
	size_t i;

	for (i = 0; id && i < link->n; i++)
		if (link->facts[i].id == id && link->facts[i].type == NT_FACT_TEXT)
			return link->facts[i].v.s;
	return NULL;
}

/* "rtl8169_unmap_tx_skb+0x3b/0x70 [r8169]" near the top of a trace: the driver's doing. */
static void trace_line(struct log *l, const char *line)
{
	const char *open, *close;
	size_t i;

	if (strstr(line, "Call Trace:")) {
		l->frames = TOP_FRAMES;
		return;
	}
	if (l->frames <= 0 || !strstr(line, "+0x"))
		return;
	l->frames--;
	open = strrchr(line, '[');
	close = open ? strchr(open, ']') : NULL;
	for (i = 0; close && i < l->s->n_links; i++) {
		const char *driver = driver_of(l, l->s->links[i]);

		if (driver && strlen(driver) == (size_t)(close - open - 1) &&
			strncmp(open + 1, driver, close - open - 1) == 0) {
			add(l, i, "log.driver_trace", 1);
			l->frames = -1;
		}
	}
}

/* The number behind word, 0 when there is none. */
static long number_behind(const char *line, const char *word)
{
	const char *at = strstr(line, word);
	long v = at ? strtol(at + strlen(word), NULL, 10) : 0;

	return v > 0 && v < 1L << 31 ? v : 0;
}

/*
 * Programs that say what they asked for: "set receive buffer: requested 4194304, got 262142"
 * and "increase receive buffer size (was: 208 kiB, wanted: 2048 kiB, got: 416 kiB)".
 */
static void wanted_buffer(struct log *l, const char *line)
{
	static const struct {
		const char *word, *fact;
	} kinds[] = {
		{ "receive buffer", "log.rcvbuf_wanted" }, { "send buffer", "log.sndbuf_wanted" },
	};
	long bytes = number_behind(line, "requested ");
	size_t i;

	if (!bytes)
		bytes = number_behind(line, "wanted: ") * 1024;
	for (i = 0; bytes && i < NT_ARRAY_SIZE(kinds); i++)
		if (strstr(line, kinds[i].word))
			nt_fact_int(l->s, &l->s->host, kinds[i].fact, NT_UNIT_BYTES, bytes);
}

static void one_line(struct log *l, const char *line)
{
	const size_t host = l->s->n_links;
	const char *at;
	size_t i;

	for (i = 0; i < NT_ARRAY_SIZE(patterns); i++)
		if (nt_glob(patterns[i].glob, line)) {
			if (patterns[i].scope == NT_SCOPE_LINK)
				add_for_link(l, line, patterns[i].fact);
			else
				add(l, host, patterns[i].fact, 1);
		}
	for (i = 0; strstr(line, "UDP: bad checksum") && i < NT_ARRAY_SIZE(tunnel_ports); i++)
		if (strstr(line, tunnel_ports[i]))
			add(l, host, "log.tunnel_bad_checksum", 1);
	at = strstr(line, " bad udp checksums in");
	if (at) {
		while (at > line && isdigit((unsigned char)at[-1]))
			at--;
		add(l, host, "log.dhcp_bad_checksum", strtoul(at, NULL, 10));
	}
	trace_line(l, line);
	if (strstr(line, " buffer"))
		wanted_buffer(l, line);
}

static void record(struct log *l, bool whole)
{
	size_t i, k;
	unsigned n;

	for (i = 0; i <= l->s->n_links; i++)
		for (k = 0; k < N_FACTS; k++) {
			bool mine = (k < N_LINK_FACTS) == (i < l->s->n_links);

			n = l->counts[i * N_FACTS + k];
			if (n || (whole && mine && k < N_KERNEL_FACTS))
				nt_fact_int(l->s,
					i < l->s->n_links ? l->s->links[i] : &l->s->host, facts[k],
					k < N_KERNEL_FACTS - 1 ? NT_UNIT_NONE : NT_UNIT_PACKETS, n);
		}
}

void nt_text_log(struct nt_snapshot *s, const char *text, bool whole)
{
	struct log l = { .s = s, .frames = -1 };
	char line[512];
	const char *end;
	size_t len;

	l.counts = nt_calloc((s->n_links + 1) * N_FACTS, sizeof *l.counts);
	for (; *text; text = *end ? end + 1 : end) {
		end = text + strcspn(text, "\n");
		len = end - text;
		if (len >= sizeof line)
			len = sizeof line - 1;
		memcpy(line, text, len);
		line[len] = '\0';
		one_line(&l, line);
	}
	record(&l, whole);
	free(l.counts);
}
