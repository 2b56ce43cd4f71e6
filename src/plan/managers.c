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

/* What of a file sets a value: a pattern gives way to a name, wherever that stands. */
enum hit { HIT_NONE, HIT_PATTERN, HIT_NAME };

struct hunt {
	struct nt_sys *s;
	const char *dir, *suffix;
	enum hit (*match)(const char *text, const char *key, char *ret, size_t size);
	const char *key;
	bool first; /* of several files the first counts, else the last */
	struct hunt_file {
		const char *name, *dir;
	} *files;
	size_t n_files, cap_files;
	struct nt_arena arena;
	enum hit hit;
	char found[300], value[80];
};

/* The lines of a sysctl.d file that set key ("net.ipv4.tcp_rmem"); the last value into ret. */
static enum hit sets_sysctl(const char *text, const char *key, char *ret, size_t size)
{
	enum hit found = HIT_NONE, hit;
	char name[200];
	const char *p, *value;
	size_t i, len, line;

	for (p = text; *p; p += line, p += *p == '\n') {
		line = strcspn(p, "\n");
		len = strcspn(p, "=\n");
		if (p[len] != '=')
			continue;
		value = p + len + 1 + strspn(p + len + 1, " \t");
		for (i = strspn(p, " \t-"); len > i && strchr(" \t", p[len - 1]); len--)
			;
		if (len <= i || len - i >= sizeof name)
			continue;
		memcpy(name, p + i, len - i);
		name[len - i] = '\0';
		for (i = 0; name[i]; i++)
			if (name[i] == '/')
				name[i] = '.';
		hit = strcmp(name, key) == 0 ? HIT_NAME : nt_glob(name, key) ? HIT_PATTERN : HIT_NONE;
		if (hit == HIT_NONE || hit < found)
			continue;
		len = strcspn(value, "\r\n");
		snprintf(ret, size, "%.*s", (int)(len < size ? len : size - 1), value);
		found = hit;
	}
	return found;
}

/* A .link file with a setting whose name begins so. */
static enum hit sets_link(const char *text, const char *key, char *ret, size_t size)
{
	const char *p;

	for (p = text; *p; p += strcspn(p, "\n"), p += *p == '\n')
		if (strncmp(p, key, strlen(key)) == 0) {
			snprintf(ret, size, "%.*s", (int)strcspn(p, "\n"), p);
			return HIT_NAME;
		}
	return HIT_NONE;
}

static void look_into(struct hunt *h, const char *path)
{
	struct nt_buf b = { 0 };
	char value[sizeof h->value];
	enum hit hit = HIT_NONE;

	if (h->s->ops->read(h->s, path, &b, NULL) == 0)
		hit = h->match(nt_buf_str(&b), h->key, value, sizeof value);
	if (hit != HIT_NONE && hit >= h->hit) {
		h->hit = hit;
		snprintf(h->found, sizeof h->found, "%s", path);
		snprintf(h->value, sizeof h->value, "%s", value);
	}
	nt_buf_free(&b);
}

/* A file hides those of its name in the folders before. */
static int one_file(void *arg, const char *name, bool is_dir)
{
	struct hunt *h = arg;
	size_t len = strlen(name), tail = strlen(h->suffix), i;

	if (is_dir || len < tail || strcmp(name + len - tail, h->suffix) != 0 || len > 200)
		return 0;
	for (i = 0; i < h->n_files; i++)
		if (strcmp(h->files[i].name, name) == 0)
			break;
	if (i == h->n_files) {
		NT_GROW(h->files, h->n_files, h->cap_files);
		h->files[h->n_files++].name = nt_arena_strdup(&h->arena, name);
	}
	h->files[i].dir = h->dir;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct hunt_file *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Folders from the weakest to the strongest; their files are read in the order of names. */
static void hunt_dirs(struct hunt *h, const char *const *dirs)
{
	char path[280];
	size_t i;

	for (; *dirs; dirs++) {
		h->dir = *dirs;
		h->s->ops->list(h->s, *dirs, one_file, h, NULL);
	}
	if (h->n_files)
		qsort(h->files, h->n_files, sizeof *h->files, by_name);
	for (i = 0; i < h->n_files && !(h->first && h->hit); i++) {
		snprintf(path, sizeof path, "%s/%s", h->files[i].dir, h->files[i].name);
		look_into(h, path);
	}
	free(h->files);
	nt_arena_free(&h->arena);
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

/* Whether the file's value is the one wanted. Of a vector's element that is not known. */
static bool as_wanted(const struct nt_step *st, const char *key, const char *value)
{
	char to[128];

	nt_fact_format(to, sizeof to, &st->to);
	return strcmp(key, st->tunable) == 0 && nt_val_equal(key, value, to);
}

static void tell_files(struct nt_sys *s, const struct nt_step *st, nt_note_fn *note, void *arg)
{
	static const char *const sysctl_dirs[] = { "/lib/sysctl.d", "/usr/lib/sysctl.d",
		"/usr/local/lib/sysctl.d", "/run/sysctl.d", "/etc/sysctl.d", NULL };
	static const char *const link_dirs[] = { "/usr/lib/systemd/network",
		"/run/systemd/network", "/etc/systemd/network", NULL };
	struct hunt h = { .s = s };
	char line[520], key[300];

	if (st->row->kind == NT_TUN_SYSCTL) {
		nt_state_key(st->tunable, key, sizeof key);
		h.key = key + 7;
		h.suffix = ".conf";
		h.match = sets_sysctl;
		hunt_dirs(&h, sysctl_dirs);
		look_into(&h, "/etc/sysctl.conf");
		if (h.hit && as_wanted(st, key, h.value))
			return;
		snprintf(line, sizeof line, "%s sets %s to '%s' at the next boot", h.found, h.key,
			h.value);
	} else if ((h.key = link_key(st))) {
		h.suffix = ".link";
		h.match = sets_link;
		h.first = true;
		hunt_dirs(&h, link_dirs);
		snprintf(line, sizeof line, "%s has %s, which udev sets when a link appears",
			h.found, h.value);
	}
	if (h.hit)
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
