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
	bool per_link; /* the entries of this folder are links, all and default */
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

static void read_one(struct walk *w)
{
	char name[300], full[320];
	int rc;

	if (!sysctl_name(w->path, name, sizeof name) || nt_sysctl_secret(name))
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
	const char *slash = strrchr(folder, '/');

	return slash && (strcmp(slash, "/conf") == 0 || strcmp(slash, "/neigh") == 0);
}

static bool wanted_link(const struct walk *w, const char *name)
{
	return w->c->opts->all_links_conf || strcmp(name, "all") == 0 ||
	       strcmp(name, "default") == 0 || nt_collect_named(w->c, name);
}

static int entry(void *arg, const char *name, bool is_dir)
{
	struct walk *w = arg, below;
	size_t n = strlen(name);

	if (w->len + n + 2 > sizeof w->path)
		return 0;
	memcpy(w->path + w->len, name, n + 1);
	if (!is_dir) {
		read_one(w);
		return 0;
	}
	if (w->per_link && !wanted_link(w, name))
		return 0;
	below = *w;
	below.per_link = holds_links(w->path);
	below.path[w->len + n] = '/';
	below.len = w->len + n + 1;
	below.path[below.len] = '\0';
	/* a folder that is gone or refused: the catalogue's names get their reasons later */
	w->c->sys->ops->list(w->c->sys, w->path, entry, &below, NULL);
	w->value = below.value;
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
	if (c->sys->ops->list(c->sys, ROOT "net", entry, &w, &err) < 0)
		nt_collect_note(c, "sysctls: %s", err.msg);
	nt_buf_free(&w.value);
}
