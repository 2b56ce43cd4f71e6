/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing values of a state: one request each. */
#include "config.h"

#include "state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nettune/mem.h"

/* Classless kinds whose dumped options the kernel takes back. */
static const char *const replaceable[] = {
	"pfifo", "bfifo", "pfifo_fast", "pfifo_head_drop", "fq", "fq_codel", "codel", "sfq", "pie",
	"fq_pie", "cake", "hhf",
};

bool nt_qdisc_kept(const char *val)
{
	size_t len = strcspn(val, " "), i;

	/* handle 0: the kernel's default, which deleting the root brings back */
	if (strncmp(val + len, " 0", 2) == 0 && (val[len + 2] == '\0'))
		return false;
	if (strchr(val, ';'))
		return true;
	for (i = 0; i < NT_ARRAY_SIZE(replaceable); i++)
		if (strlen(replaceable[i]) == len && strncmp(val, replaceable[i], len) == 0)
			return false;
	return true;
}

static enum nt_tunable_kind kind_of(const char *key)
{
	const struct nt_tunable *row = nt_tunable_find(key);

	return row ? row->kind : _NT_TUN_MAX;
}

bool nt_entry_joins(const struct nt_entry *a, const struct nt_entry *b)
{
	return a->ifindex == b->ifindex && kind_of(a->key) == kind_of(b->key) &&
	       kind_of(a->key) <= NT_TUN_EEE;
}

static void eth_val(struct nt_eth_val *ret, const struct nt_entry *e)
{
	const struct nt_tunable *row = nt_tunable_find(e->key);
	const char *asked = strstr(e->val, "[requested ");

	*ret = (struct nt_eth_val){ .name = e->key };
	if (row->type == NT_FACT_SWITCH) {
		ret->type = NT_ETH_SWITCH;
		ret->num = strncmp(asked ? asked + 11 : e->val, "on", 2) == 0;
	} else if (row->type == NT_FACT_INT) {
		ret->type = NT_ETH_INT;
		ret->num = strtoll(e->val, NULL, 10);
	} else {
		ret->type = NT_ETH_TEXT;
		ret->text = e->val;
	}
}

static int write_eth(struct nt_sys *s, const struct nt_link *l, enum nt_tunable_kind kind,
	const struct nt_entry *v, size_t n, struct nt_err *err)
{
	static const enum nt_eth group[] = {
		[NT_TUN_FEATURE] = NT_ETH_FEATURES, [NT_TUN_COALESCE] = NT_ETH_COALESCE,
		[NT_TUN_RING] = NT_ETH_RINGS, [NT_TUN_CHANNELS] = NT_ETH_CHANNELS,
		[NT_TUN_PAUSE] = NT_ETH_PAUSE, [NT_TUN_EEE] = NT_ETH_EEE,
	};
	struct nt_eth_val *vals = nt_calloc(n, sizeof *vals);
	size_t i;
	int rc;

	for (i = 0; i < n; i++)
		eth_val(&vals[i], &v[i]);
	rc = s->ops->eth_set(s, group[kind], l, vals, n, err);
	free(vals);
	return rc;
}

/* A table that somebody set and a change of channels has reset: no tunable, but put back. */
static int write_rss(struct nt_sys *s, const struct nt_link *l, const struct nt_entry *e,
	struct nt_err *err)
{
	struct nt_eth_val v = { .name = e->key, .type = NT_ETH_TEXT, .text = e->val };

	return s->ops->eth_set(s, NT_ETH_RSS, l, &v, 1, err);
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void unhex(const char *p, struct nt_buf *ret)
{
	for (p += strspn(p, " "); hex_digit(p[0]) >= 0 && hex_digit(p[1]) >= 0; p += 2)
		nt_buf_addc(ret, (char)(hex_digit(p[0]) << 4 | hex_digit(p[1])));
}

static int put_back(struct nt_sys *s, const struct nt_entry *e, struct nt_err *err)
{
	struct nt_buf msg = { 0 };
	int rc;

	unhex(e->val, &msg);
	rc = s->ops->put_back(s, *e->key == 'a' ? NT_PUT_ADDR : NT_PUT_ROUTE, nt_buf_str(&msg),
		msg.len, err);
	nt_buf_free(&msg);
	return rc;
}

/* "KIND", or "KIND HANDLE [OPTIONS]" as a state has it. */
static int write_qdisc(struct nt_sys *s, const struct nt_link *l, const char *val,
	struct nt_err *err)
{
	struct nt_buf opts = { 0 };
	char kind[17] = "", handle[12] = "", *end;
	unsigned long h = 0;
	const char *p;
	int rc;

	if (strchr(val, ';'))
		return nt_err_set(err, -EOPNOTSUPP,
			"cannot put back the queues below the root qdisc of '%s'", l->name);
	if (sscanf(val, "%16s %11s", kind, handle) < 1)
		return nt_err_set(err, -EINVAL, "no qdisc kind for '%s'", l->name);
	if (*handle) {
		h = strtoul(handle, &end, 16);
		if (*end || h > 0xffff)
			return nt_err_set(err, -EINVAL, "no qdisc handle for '%s'", l->name);
		if (h == 0)
			return s->ops->qdisc_set(s, l->ifindex, 0, "", NULL, 0, err);
	}
	p = val + strcspn(val, " ");
	p += strspn(p, " ");
	p += strcspn(p, " ");
	unhex(p, &opts);
	rc = s->ops->qdisc_set(s, l->ifindex, (uint32_t)h << 16, kind, opts.s, opts.len, err);
	nt_buf_free(&opts);
	return rc;
}

static int write_text(struct nt_sys *s, const char *path, const char *val, struct nt_err *err)
{
	char *line = nt_asprintf("%s\n", val);
	int rc = s->ops->write(s, path, line, strlen(line), err);

	free(line);
	return rc;
}

static int write_link_file(struct nt_sys *s, const struct nt_link *l,
	const struct nt_entry *e, struct nt_err *err)
{
	char path[300];

	if (strcmp(e->key, "ipv6.mtu") == 0) {
		snprintf(path, sizeof path, "/proc/sys/net/ipv6/conf/%s/mtu", l->name);
		return write_text(s, path, e->val, err);
	}
	if (nt_tunable_path(e->key, l->name, path, sizeof path) < 0)
		return nt_err_set(err, -EINVAL, "no file holds '%s'", e->key);
	if (strncmp(path, "/sys/", 5) == 0 && !nt_sys_link_in_sysfs(s, l))
		return nt_err_set(err, -ESTALE,
			"/sys shows another network namespace: '%s' of '%s' is not written",
			e->key, l->name);
	return write_text(s, path, e->val, err);
}

static int write_link(struct nt_sys *s, const struct nt_link *l, const char *key,
	const char *val, struct nt_err *err)
{
	struct nt_link_change ch = { 0 };

	if (strcmp(key, "link.mtu") == 0) {
		ch.set_mtu = true;
		ch.mtu = (unsigned)strtoul(val, NULL, 10);
	} else {
		ch.set_txqueuelen = true;
		ch.txqueuelen = (unsigned)strtoul(val, NULL, 10);
	}
	return s->ops->link_set(s, l->ifindex, &ch, err);
}

int nt_state_write(struct nt_sys *s, const struct nt_links *links, int ifindex,
	const struct nt_entry *v, size_t n, struct nt_err *err)
{
	const struct nt_link *l = ifindex ? nt_links_by_index(links, ifindex) : NULL;
	enum nt_tunable_kind kind = kind_of(v->key);
	char path[300];

	if (ifindex && !l)
		return nt_err_set(err, -ENODEV, "link number %d has gone", ifindex);
	if (!ifindex) {
		if (kind != NT_TUN_SYSCTL || nt_tunable_path(v->key, "", path, sizeof path) < 0)
			return nt_err_set(err, -EINVAL, "no file holds '%s'", v->key);
		return write_text(s, path, v->val, err);
	}
	if (kind <= NT_TUN_EEE)
		return write_eth(s, l, kind, v, n, err);
	if (kind == NT_TUN_MTU || kind == NT_TUN_TXQUEUELEN)
		return write_link(s, l, v->key, v->val, err);
	if (kind == NT_TUN_QDISC)
		return write_qdisc(s, l, v->val, err);
	if (strcmp(v->key, NT_KEY_RSS) == 0)
		return write_rss(s, l, v, err);
	if (nt_key_routing(v->key))
		return put_back(s, v, err);
	return write_link_file(s, l, v, err);
}
