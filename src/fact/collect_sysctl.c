/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "collect.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "nettune/fact_text.h"

#define ROOT "/proc/sys/"

struct walk {
	struct nt_collect *c;
	char path[400];
	size_t len; /* of the folder in path, with its '/' */
	struct nt_buf value;
};

/* "/proc/sys/net/ipv4/conf/eth0.5/rp_filter" is net.ipv4.conf.eth0/5.rp_filter. */
static bool sysctl_name(const char *path, char *ret, size_t size)
{
	size_t i, n = strlen(path + strlen(ROOT));

	if (n >= size)
		return false;
	for (i = 0; i <= n; i++) {
		char c = path[strlen(ROOT) + i];

		ret[i] = c == '/' ? '.' : c == '.' ? '/' : c;
	}
	return true;
}

/* Files that are written to make something happen; nothing can be read from them. */
static bool is_trigger(const char *name)
{
	const char *last = strrchr(name, '.');

	return last && strcmp(last, ".flush") == 0;
}

static void read_one(struct walk *w)
{
	char name[300], full[320];
	int rc;

	if (!sysctl_name(w->path, name, sizeof name) || nt_sysctl_secret(name) ||
		is_trigger(name))
		return;
	rc = nt_collect_read(w->c, w->path, &w->value);
	if (rc == 0) {
		nt_text_sysctl(w->c->s, name, nt_buf_str(&w->value));
		return;
	}
	if (rc == -ENOENT) /* the link went away meanwhile */
		return;
	snprintf(full, sizeof full, "sysctl.%s", name);
	if (nt_collect_why(rc) != NT_WHY_DENIED)
		nt_fact_absent(w->c->s, &w->c->s->host, full, "the kernel gives no value");
	else
		nt_fact_absent(w->c->s, &w->c->s->host, full,
			geteuid() ? "needs root" : "the kernel does not let it be read");
}

/* Folders whose entries are one a link: net/ipv4/conf, net/ipv6/neigh, net/mpls/conf, ... */
static bool holds_links(const char *folder)
{
	return strcmp(folder, "conf") == 0 || strcmp(folder, "neigh") == 0;
}

static int entry(void *arg, const char *name, bool is_dir);

/* The folder `name` in the one that w stands for. A folder that is gone or refused: the
 * catalogue's names get their reasons later. */
static void descend(struct walk *w, const char *name)
{
	struct walk below = *w;

	below.len += (size_t)snprintf(below.path + w->len, sizeof below.path - w->len, "%s/", name);
	if (below.len < sizeof below.path)
		w->c->sys->ops->list(w->c->sys, below.path, entry, &below, NULL);
	w->value = below.value;
}

/* Of a folder with an entry a link: what is of none, and of those named. It is not listed:
 * with a thousand links that alone would take longer than all else here. */
static void descend_links(struct walk *w, const char *name)
{
	const char **l = w->c->named;
	struct walk below = *w;

	below.len += (size_t)snprintf(below.path + w->len, sizeof below.path - w->len, "%s/", name);
	if (below.len >= sizeof below.path)
		return;
	descend(&below, "all");
	descend(&below, "default");
	for (; l && *l; l++)
		descend(&below, *l);
	w->value = below.value;
}

static int entry(void *arg, const char *name, bool is_dir)
{
	struct walk *w = arg;
	size_t n = strlen(name);

	if (w->len + n + 2 > sizeof w->path)
		return 0;
	if (!is_dir) {
		memcpy(w->path + w->len, name, n + 1);
		read_one(w);
	} else if (holds_links(name) && !w->c->opts->all_links_conf) {
		descend_links(w, name);
	} else {
		descend(w, name);
	}
	return 0;
}

void nt_collect_sysctls(struct nt_collect *c)
{
	struct walk w = { .c = c, .path = ROOT "net/", .len = strlen(ROOT "net/") };
	struct nt_err err = { 0 };
	struct nt_buf b = { 0 };

	/* only the initial namespace has it */
	c->in_namespace = nt_collect_read(c, ROOT "net/core/netdev_max_backlog", &b) == -ENOENT;
	nt_buf_free(&b);
	if (c->sys->ops->list(c->sys, ROOT "net", entry, &w, &err) < 0) {
		nt_collect_note(c, "sysctls: %s", err.msg);
		nt_collect_unread(c, "/proc/sys", err.code);
		nt_collect_unread(c, "/proc/sys, global", err.code);
	}
	nt_buf_free(&w.value);
}
