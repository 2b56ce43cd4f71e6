/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command an administrator would type for a change, and which values go together. */
#include "config.h"

#include "nettune/tunable.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nettune/mem.h"
#include "vector.h"

static const struct nt_vector *vector_of(const char *path, size_t len)
{
	return len > 9 && strncmp(path, "net/ipv4/", 9) == 0 ? nt_vector_find(path + 9, len - 9)
							      : NULL;
}

int nt_tunable_sysctl(const char *name, char *ret, size_t size, int *ret_index)
{
	const struct nt_vector *v;
	char *p, *last = NULL;
	int i;

	*ret_index = -1;
	if (strncmp(name, "sysctl.", 7) != 0 || strlen(name + 7) >= size ||
		strstr(name, "..") || strstr(name, "//") || strstr(name, "./") ||
		strstr(name, "/."))
		return -EINVAL;
	memcpy(ret, name + 7, strlen(name + 7) + 1);
	/* as sysctl(8): a '/' in the name stands for a dot in a link's name */
	for (p = ret; *p; p++) {
		if (*p == '.') {
			*p = '/';
			last = p;
		} else if (*p == '/') {
			*p = '.';
		}
	}
	if (!last || !last[1])
		return -EINVAL;
	v = vector_of(ret, strlen(ret));
	if (v)
		return v->n;
	v = vector_of(ret, (size_t)(last - ret));
	for (i = 0; v && i < v->n; i++) {
		if (strcmp(v->part[i], last + 1) == 0) {
			*last = '\0';
			*ret_index = i;
			return v->n;
		}
	}
	return v ? -EINVAL : 1;
}

bool nt_tunable_joins(const char *a, const char *b)
{
	const struct nt_tunable *ra = nt_tunable_find(a), *rb = nt_tunable_find(b);
	char pa[256], pb[256];
	int ia, ib;

	if (!ra || !rb || ra->kind != rb->kind)
		return false;
	if (ra->kind == NT_TUN_SYSCTL)
		return nt_tunable_sysctl(a, pa, sizeof pa, &ia) > 1 &&
		       nt_tunable_sysctl(b, pb, sizeof pb, &ib) > 1 && strcmp(pa, pb) == 0;
	return ra->kind <= NT_TUN_EEE;
}

static void add_value(struct nt_buf *b, const struct nt_fact *to)
{
	char text[256];

	nt_fact_format(text, sizeof text, to);
	nt_buf_add_word(b, text);
}

/* ethtool's short words that mean exactly one of the kernel's features, and what differs
 * between its words and the kernel's names elsewhere. */
static const struct {
	const char *name, *word;
} words[] = {
	{ "feature.tx-checksumming", "tx" },
	{ "feature.tx-generic-segmentation", "gso" },
	{ "feature.rx-checksum", "rx" },
	{ "feature.rx-gro", "gro" },
	{ "feature.rx-lro", "lro" },
	{ "feature.rx-hashing", "rxhash" },
	{ "feature.rx-ntuple-filter", "ntuple" },
	{ "feature.rx-vlan-hw-parse", "rxvlan" },
	{ "feature.tx-vlan-hw-insert", "txvlan" },
	{ "eee.enabled", "eee" },
	{ "eee.tx-lpi-timer", "tx-timer" },
};

static const char *word_of(const char *tunable)
{
	size_t i;

	for (i = 0; i < NT_ARRAY_SIZE(words); i++)
		if (strcmp(words[i].name, tunable) == 0)
			return words[i].word;
	return strchr(tunable, '.') + 1;
}

static void add_ethtool(struct nt_buf *b, const char *option, const char *link,
	const struct nt_assign *v, size_t n)
{
	size_t i;

	nt_buf_addf(b, "ethtool %s ", option);
	nt_buf_add_word(b, link);
	for (i = 0; i < n; i++) {
		nt_buf_addc(b, ' ');
		nt_buf_add_word(b, word_of(v[i].tunable));
		nt_buf_addc(b, ' ');
		add_value(b, v[i].to);
	}
}

/* One element of a vector: what is to be set, else the snapshot's, else read by awk. */
static void add_element(struct nt_buf *b, const struct nt_snapshot *s, const char *path,
	const struct nt_vector *vec, int i, const struct nt_assign *v, size_t n)
{
	char other[256], name[300], text[64];
	const struct nt_fact *f = NULL;
	int index;
	size_t k;

	for (k = 0; k < n; k++)
		if (nt_tunable_sysctl(v[k].tunable, other, sizeof other, &index) > 1 &&
			index == i)
			f = v[k].to;
	if (!f && s) {
		snprintf(name, sizeof name, "sysctl.net.ipv4.%s.%s", strrchr(path, '/') + 1,
			vec->part[i]);
		f = nt_scope_get(s, &s->host, name);
	}
	if (f && f->type == NT_FACT_INT) {
		nt_fact_format(text, sizeof text, f);
		nt_buf_adds(b, text);
	} else {
		nt_buf_addf(b, "$(awk '{print $%d}' /proc/sys/%s)", i + 1, path);
	}
}

static void add_sysctl(struct nt_buf *b, const struct nt_snapshot *s,
	const struct nt_assign *v, size_t n)
{
	const struct nt_vector *vec;
	char path[256], name[256], *p;
	int index, i, count;

	count = nt_tunable_sysctl(v->tunable, path, sizeof path, &index);
	nt_buf_adds(b, "sysctl -w ");
	if (count <= 1 || index < 0) {
		nt_buf_add_word(b, v->tunable + 7);
		nt_buf_addc(b, '=');
		add_value(b, v->to);
		return;
	}
	snprintf(name, sizeof name, "%s", path);
	for (p = name; *p; p++)
		if (*p == '/')
			*p = '.';
	vec = vector_of(path, strlen(path));
	nt_buf_addf(b, "%s=\"", name);
	for (i = 0; i < vec->n; i++) {
		if (i)
			nt_buf_addc(b, ' ');
		add_element(b, s, path, vec, i, v, n);
	}
	nt_buf_addc(b, '"');
}

int nt_tunable_path(const char *tunable, const char *link, char *ret, size_t size)
{
	const struct nt_tunable *row = nt_tunable_find(tunable);
	const char *rest = strchr(tunable, '.');
	int len = -1, index;

	if (!row || !rest)
		return -EINVAL;
	rest++;
	if (row->kind != NT_TUN_SYSCTL && (strchr(rest, '/') || strstr(rest, "..")))
		return -EINVAL;
	switch (row->kind) {
	case NT_TUN_SYSCTL:
		memcpy(ret, "/proc/sys/", size < 11 ? size : 11);
		return size < 11 || nt_tunable_sysctl(tunable, ret + 10, size - 10, &index) < 0
			       ? -EINVAL
			       : 0;
	case NT_TUN_RPS:
		len = snprintf(ret, size, "/sys/class/net/%s/queues/%s/rps_cpus", link, rest);
		break;
	case NT_TUN_XPS:
		len = snprintf(ret, size, "/sys/class/net/%s/queues/%s/xps_cpus", link, rest);
		break;
	case NT_TUN_IRQ_AFFINITY:
		len = snprintf(ret, size, "/proc/irq/%.*s/smp_affinity_list",
			(int)strcspn(rest, "."), rest);
		break;
	case NT_TUN_SYSFS:
		if (strncmp(tunable, "rfs.", 4) == 0)
			len = snprintf(ret, size, "/sys/class/net/%s/queues/%s/rps_flow_cnt", link,
				rest);
		else if (strncmp(tunable, "bql.", 4) == 0)
			len = snprintf(ret, size,
				"/sys/class/net/%s/queues/%.*s/byte_queue_limits/limit_max", link,
				(int)strcspn(rest, "."), rest);
		else
			len = snprintf(ret, size, "/sys/class/net/%s/%s", link, rest);
		break;
	default:
		return -EINVAL;
	}
	return len < 0 || (size_t)len >= size ? -EINVAL : 0;
}

static void add_echo(struct nt_buf *b, const char *link, const struct nt_assign *v)
{
	char path[512];

	if (nt_tunable_path(v->tunable, link, path, sizeof path) < 0)
		return;
	nt_buf_adds(b, "echo ");
	add_value(b, v->to);
	nt_buf_adds(b, " > ");
	nt_buf_add_word(b, path);
}

static void add_ip(struct nt_buf *b, const char *link, const char *what,
	const struct nt_assign *v)
{
	nt_buf_adds(b, "ip link set dev ");
	nt_buf_add_word(b, link);
	nt_buf_addf(b, " %s ", what);
	add_value(b, v->to);
}

void nt_tunable_command(struct nt_buf *ret, const struct nt_snapshot *s, const char *link,
	const struct nt_assign *v, size_t n)
{
	static const char *const ethtool[] = { "-K", "-C", "-G", "-L", "-A", "--set-eee" };
	const struct nt_tunable *row = nt_tunable_find(v->tunable);

	if (!link)
		link = "";
	if (!row)
		nt_die("bug: no tunable '%s'", v->tunable);
	if (row->kind <= NT_TUN_EEE) {
		add_ethtool(ret, ethtool[row->kind], link, v, n);
	} else if (row->kind == NT_TUN_SYSCTL) {
		add_sysctl(ret, s, v, n);
	} else if (row->kind == NT_TUN_MTU) {
		add_ip(ret, link, "mtu", v);
	} else if (row->kind == NT_TUN_TXQUEUELEN) {
		add_ip(ret, link, "txqueuelen", v);
	} else if (row->kind == NT_TUN_QDISC) {
		nt_buf_adds(ret, "tc qdisc replace dev ");
		nt_buf_add_word(ret, link);
		nt_buf_adds(ret, " root ");
		add_value(ret, v->to);
	} else {
		add_echo(ret, link, v);
	}
}
