/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All links: by a dump, or, where one link ends it, one by one. */
#include "config.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdlib.h>
#include <string.h>

#include "live.h"
#include "rtnl.h"

#define ALTNAME_MAX 128 /* the kernel's ALTIFNAMSIZ */

static void reset_links(void *list, size_t n)
{
	((struct nt_links *)list)->n = n;
}

static int by_ifindex(const void *a, const void *b)
{
	const struct nt_link *x = a, *y = b;

	return (x->ifindex > y->ifindex) - (x->ifindex < y->ifindex);
}

static void get_by_name(struct nt_rtnl *rt, const char *name, struct nt_links *ret)
{
	struct ifinfomsg ifi = { .ifi_family = AF_UNSPEC };
	struct nl_msg *m = nt_rtnl_msg(RTM_GETLINK, 0, &ifi, sizeof ifi, 64);
	struct nt_nl_reply r;

	nla_put_string(m, IFLA_IFNAME, name);
	nt_nl_request(&rt->nl, nlmsg_hdr(m), nt_rtnl_parse_link, ret, &r);
	nlmsg_free(m);
	if (r.code && r.code != -ENODEV && !ret->failed.code)
		nt_nl_fail(&ret->failed, &r, "cannot read link '%s'", name);
}

/* Those that the dump did not give; their names are the first words of /proc/net/dev. */
static int get_rest(struct nt_rtnl *rt, struct nt_links *ret, struct nt_err *err)
{
	struct nt_buf b = { 0 };
	char *line, *next, *colon;
	int r = nt_file_read(NULL, "/proc/net/dev", &b, err);

	for (line = r ? NULL : b.s; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		line += strspn(line, " ");
		colon = strchr(line, ':');
		if (!colon)
			continue;
		*colon = '\0';
		if (strlen(line) < NT_IFNAMSIZ && !nt_links_by_name(ret, line))
			get_by_name(rt, line, ret);
	}
	nt_buf_free(&b);
	return r;
}

int nt_rtnl_get_links(struct nt_rtnl *rt, struct nt_links *ret, struct nt_err *err)
{
	struct ifinfomsg ifi = { .ifi_family = AF_UNSPEC };
	int r;

	r = nt_rtnl_dump(rt, RTM_GETLINK, &ifi, sizeof ifi, nt_rtnl_parse_link, ret, reset_links,
		ret->n, "links", err);
	/* one link that cannot be told (EMSGSIZE has been seen) must not hide the others */
	if (r && r != -EPERM && r != -EACCES)
		r = get_rest(rt, ret, err);
	if (ret->n)
		qsort(ret->v, ret->n, sizeof *ret->v, by_ifindex);
	return r;
}

int nt_rtnl_links(struct nt_sys *s, struct nt_links *ret, struct nt_err *err)
{
	return nt_rtnl_get_links(((struct nt_live *)(void *)s)->rtnl, ret, err);
}

int nt_rtnl_link_name(struct nt_sys *s, const char *name, char ret[NT_IFNAMSIZ],
	struct nt_err *err)
{
	struct nt_rtnl *rt = ((struct nt_live *)(void *)s)->rtnl;
	struct ifinfomsg ifi = { .ifi_family = AF_UNSPEC };
	struct nt_links found = { 0 };
	struct nt_nl_reply r = { .code = -ENODEV };
	struct nl_msg *m;
	int rc;

	if (strlen(name) < ALTNAME_MAX) {
		m = nt_rtnl_msg(RTM_GETLINK, 0, &ifi, sizeof ifi, ALTNAME_MAX + 16);
		nla_put_string(m, IFLA_ALT_IFNAME, name);
		nt_nl_request(&rt->nl, nlmsg_hdr(m), nt_rtnl_parse_link, &found, &r);
		nlmsg_free(m);
	}
	rc = r.code;
	if (rc == 0 && found.n)
		memcpy(ret, found.v[0].name, NT_IFNAMSIZ);
	else if (rc == 0 || rc == -ENODEV || rc == -EINVAL) /* before 5.5 no such name is taken */
		rc = nt_err_set(err, -ENODEV, "there is no link '%s'", name);
	else
		nt_nl_fail(err, &r, "cannot look for link '%s'", name);
	nt_links_free(&found);
	return rc;
}
