/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Other programs and files that write the same values. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nettune/mem.h"
#include "set.h"

#define BIT(k) (1U << NT_TUN_##k)
#define ETHTOOL                                                                          \
	(BIT(FEATURE) | BIT(COALESCE) | BIT(RING) | BIT(CHANNELS) | BIT(PAUSE) | BIT(EEE))

/* comm is cut to 15 bytes by the kernel. */
static const struct daemon {
	const char *comm, *name, *does;
	unsigned kinds; /* of tunables it writes */
} daemons[] = {
	{ "irqbalance", "irqbalance", "moves interrupts between CPUs", BIT(IRQ_AFFINITY) },
	{ "tuned", "tuned", "sets its profile's values again when it starts or switches",
		BIT(SYSCTL) | ETHTOOL },
	{ "bpftune", "bpftune", "follows the load with sysctls of its own choice", BIT(SYSCTL) },
	{ "NetworkManager", "NetworkManager",
		"sets what a connection's profile says when the link comes up",
		ETHTOOL | BIT(MTU) | BIT(QDISC) | BIT(TXQUEUELEN) },
	{ "systemd-network", "systemd-networkd",
		"sets what its files say when the link is set up",
		BIT(MTU) | BIT(QDISC) | BIT(TXQUEUELEN) },
};

struct scan {
	struct nt_sys *s;
	int pid[NT_ARRAY_SIZE(daemons)];
};

static int one_process(void *arg, const char *name, bool is_dir)
{
	struct scan *sc = arg;
	struct nt_buf b = { 0 };
	char path[48];
	size_t i;

	(void)is_dir;
	if (!isdigit((unsigned char)*name) || strlen(name) > 10)
		return 0;
	snprintf(path, sizeof path, "/proc/%s/comm", name);
	if (nt_sys_read_line(sc->s, path, &b, NULL) == 0)
		for (i = 0; i < NT_ARRAY_SIZE(daemons); i++)
			if (strcmp(daemons[i].comm, nt_buf_str(&b)) == 0)
				sc->pid[i] = (int)strtol(name, NULL, 10);
	nt_buf_free(&b);
	return 0;
}

static void scan(struct nt_sys *s, struct scan *sc)
{
	memset(sc, 0, sizeof *sc);
	sc->s = s;
	s->ops->list(s, "/proc", one_process, sc, NULL);
}

/* ---- files ---- */

struct hunt {
	struct nt_sys *s;
	const char *dir, *suffix;
	bool (*match)(const char *text, const char *key, char *ret, size_t size);
	const char *key;
	char found[300], value[80];
};

/* A sysctl.d line that sets key ("net.ipv4.tcp_rmem"); its value into ret. */
static bool sets_sysctl(const char *text, const char *key, char *ret, size_t size)
{
	bool found = false;
	const char *p, *eq;
	size_t i, len;

	for (p = text; *p; p += strcspn(p, "\n"), p += *p == '\n') {
		while (*p == ' ' || *p == '\t' || *p == '-')
			p++;
		for (i = 0; key[i] && (p[i] == key[i] || (key[i] == '.' && p[i] == '/')); i++)
			;
		if (key[i])
			continue;
		eq = p + i + strspn(p + i, " \t");
		if (*eq != '=')
			continue;
		eq += 1 + strspn(eq + 1, " \t");
		len = strcspn(eq, "\n");
		snprintf(ret, size, "%.*s", (int)(len < size ? len : size - 1), eq);
		found = true; /* the last one counts */
	}
	return found;
}

/* A .link file with a setting whose name begins so. */
static bool sets_link(const char *text, const char *key, char *ret, size_t size)
{
	const char *p;

	for (p = text; *p; p += strcspn(p, "\n"), p += *p == '\n')
		if (strncmp(p, key, strlen(key)) == 0) {
			snprintf(ret, size, "%.*s", (int)strcspn(p, "\n"), p);
			return true;
		}
	return false;
}

static int one_file(void *arg, const char *name, bool is_dir)
{
	struct hunt *h = arg;
	size_t len = strlen(name), tail = strlen(h->suffix);
	char path[280];
	struct nt_buf b = { 0 };

	if (is_dir || len < tail || strcmp(name + len - tail, h->suffix) != 0 || len > 200)
		return 0;
	snprintf(path, sizeof path, "%s/%s", h->dir, name);
	if (h->s->ops->read(h->s, path, &b, NULL) == 0 &&
		h->match(nt_buf_str(&b), h->key, h->value, sizeof h->value))
		snprintf(h->found, sizeof h->found, "%s", path);
	nt_buf_free(&b);
	return 0;
}

static void hunt_dirs(struct hunt *h, const char *const *dirs)
{
	for (; *dirs; dirs++) {
		h->dir = *dirs;
		h->s->ops->list(h->s, *dirs, one_file, h, NULL);
	}
}

/* The .link setting for a tunable, or NULL. */
static const char *link_key(const struct nt_step *st)
{
	static const struct {
		const char *tunable, *key;
	} keys[] = {
		{ "feature.tx-tcp-segmentation", "TCPSegmentationOffload=" },
		{ "feature.tx-tcp6-segmentation", "TCP6SegmentationOffload=" },
		{ "feature.tx-generic-segmentation", "GenericSegmentationOffload=" },
		{ "feature.rx-gro", "GenericReceiveOffload=" },
		{ "feature.rx-gro-hw", "GenericReceiveOffloadHardware=" },
		{ "feature.rx-lro", "LargeReceiveOffload=" },
		{ "feature.rx-checksum", "ReceiveChecksumOffload=" },
		{ "feature.tx-checksumming", "TransmitChecksumOffload=" },
		{ "ring.rx", "RxBufferSize=" }, { "ring.tx", "TxBufferSize=" },
		{ "channels.rx", "RxChannels=" }, { "channels.tx", "TxChannels=" },
		{ "channels.combined", "CombinedChannels=" },
		{ "coalesce.rx-usecs", "RxCoalesceSec=" },
		{ "coalesce.tx-usecs", "TxCoalesceSec=" },
		{ "coalesce.rx-frames", "RxMaxCoalescedFrames=" },
		{ "coalesce.tx-frames", "TxMaxCoalescedFrames=" },
		{ "coalesce.adaptive-rx", "UseAdaptiveRxCoalesce=" },
		{ "coalesce.adaptive-tx", "UseAdaptiveTxCoalesce=" },
		{ "pause.rx", "RxFlowControl=" }, { "pause.tx", "TxFlowControl=" },
		{ "link.mtu", "MTUBytes=" }, { "link.txqueuelen", "TransmitQueueLength=" },
	};
	size_t i;

	for (i = 0; i < NT_ARRAY_SIZE(keys); i++)
		if (strcmp(keys[i].tunable, st->tunable) == 0)
			return keys[i].key;
	return NULL;
}

static void tell_files(struct nt_sys *s, const struct nt_step *st, nt_note_fn *note, void *arg)
{
	static const char *const sysctl_dirs[] = { "/usr/lib/sysctl.d", "/run/sysctl.d",
		"/etc/sysctl.d", NULL };
	static const char *const link_dirs[] = { "/usr/lib/systemd/network",
		"/run/systemd/network", "/etc/systemd/network", NULL };
	struct hunt h = { .s = s };
	struct nt_buf b = { 0 };
	char line[520], key[300];

	if (st->row->kind == NT_TUN_SYSCTL) {
		nt_state_key(st->tunable, key, sizeof key);
		h.key = key + 7;
		h.suffix = ".conf";
		h.match = sets_sysctl;
		hunt_dirs(&h, sysctl_dirs);
		if (s->ops->read(s, "/etc/sysctl.conf", &b, NULL) == 0 &&
			sets_sysctl(nt_buf_str(&b), h.key, h.value, sizeof h.value))
			snprintf(h.found, sizeof h.found, "/etc/sysctl.conf");
		nt_buf_free(&b);
		snprintf(line, sizeof line, "%s sets %s to '%s' at the next boot", h.found, h.key,
			h.value);
	} else if ((h.key = link_key(st))) {
		h.suffix = ".link";
		h.match = sets_link;
		hunt_dirs(&h, link_dirs);
		snprintf(line, sizeof line, "%s has %s, which udev sets when a link appears",
			h.found, h.value);
	}
	if (*h.found)
		note(arg, line);
}

void nt_managers(struct nt_sys *s, const struct nt_plan *p, nt_note_fn *note, void *arg)
{
	struct scan sc;
	char line[300];
	size_t i, k;

	scan(s, &sc);
	for (k = 0; k < NT_ARRAY_SIZE(daemons); k++) {
		for (i = 0; sc.pid[k] && i < p->n; i++)
			if (p->v[i].selected && p->v[i].row &&
				daemons[k].kinds & 1U << p->v[i].row->kind)
				break;
		if (!sc.pid[k] || i == p->n)
			continue;
		snprintf(line, sizeof line, "%s (process %d) is running: it %s", daemons[k].name,
			sc.pid[k], daemons[k].does);
		note(arg, line);
	}
	for (i = 0; i < p->n; i++)
		if (p->v[i].selected && p->v[i].row)
			tell_files(s, &p->v[i], note, arg);
}

void nt_managers_suspect(struct nt_sys *s, const char *tunable, char *ret, size_t size)
{
	const struct nt_tunable *row = nt_tunable_find(tunable);
	struct scan sc;
	size_t k;

	*ret = '\0';
	scan(s, &sc);
	for (k = 0; row && k < NT_ARRAY_SIZE(daemons); k++)
		if (sc.pid[k] && daemons[k].kinds & 1U << row->kind) {
			snprintf(ret, size, " (%s, process %d, may have done it)", daemons[k].name,
				sc.pid[k]);
			return;
		}
}
