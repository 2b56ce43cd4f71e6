/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "ethnl.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <stdlib.h>
#include <string.h>

#include "nettune/mem.h"

#define GENL_LEN MNL_ALIGN(sizeof(struct genlmsghdr))

/* A request to the family with its header: device 0 is all. */
static struct nlmsghdr *put_request(struct nt_ethnl *e, void *buf, uint8_t cmd, int ifindex,
	uint32_t flags)
{
	struct nlmsghdr *h = mnl_nlmsg_put_header(buf);
	struct genlmsghdr *g;
	struct nlattr *nest;

	h->nlmsg_type = e->family;
	if (ifindex == 0)
		h->nlmsg_flags = NLM_F_DUMP;
	g = mnl_nlmsg_put_extra_header(h, sizeof *g);
	g->cmd = cmd;
	g->version = ETHTOOL_GENL_VERSION;
	nest = mnl_attr_nest_start(h, 1);
	if (ifindex)
		mnl_attr_put_u32(h, ETHTOOL_A_HEADER_DEV_INDEX, (uint32_t)ifindex);
	if (flags)
		mnl_attr_put_u32(h, ETHTOOL_A_HEADER_FLAGS, flags);
	mnl_attr_nest_end(h, nest);
	return h;
}

/* The attributes of a message of a family; false for any other message. */
static bool attrs_of(uint16_t family, const struct nlmsghdr *h, const void **ret,
	size_t *ret_len)
{
	if (h->nlmsg_type != family || h->nlmsg_len < MNL_NLMSG_HDRLEN + GENL_LEN)
		return false;
	*ret = (const char *)h + MNL_NLMSG_HDRLEN + GENL_LEN;
	*ret_len = h->nlmsg_len - MNL_NLMSG_HDRLEN - GENL_LEN;
	return true;
}

/* ---- opening ---- */

/* The family's list of operations: nests that hold a nest each. */
static uint64_t known_messages(const struct nlattr *ops)
{
	const struct nlattr *op, *attr;
	uint64_t known = 0;
	uint32_t id;

	NT_ATTR_EACH(op, mnl_attr_get_payload(ops), mnl_attr_get_payload_len(ops)) {
		NT_ATTR_EACH(attr, mnl_attr_get_payload(op), mnl_attr_get_payload_len(op)) {
			if (mnl_attr_get_type(attr) != CTRL_ATTR_OP_ID ||
				mnl_attr_get_payload_len(attr) < sizeof id)
				continue;
			memcpy(&id, mnl_attr_get_payload(attr), sizeof id);
			if (id < 64)
				known |= UINT64_C(1) << id;
		}
	}
	return known;
}

static int got_family(void *arg, const struct nlmsghdr *h)
{
	const struct nlattr *attr;
	struct nt_ethnl *e = arg;
	const void *attrs;
	size_t len;

	if (!attrs_of(GENL_ID_CTRL, h, &attrs, &len))
		return 0;
	NT_ATTR_EACH(attr, attrs, len) {
		if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID &&
			mnl_attr_get_payload_len(attr) >= sizeof e->family)
			memcpy(&e->family, mnl_attr_get_payload(attr), sizeof e->family);
		else if (mnl_attr_get_type(attr) == CTRL_ATTR_OPS)
			e->messages = known_messages(attr);
	}
	return 0;
}

static bool knows(const struct nt_ethnl *e, uint8_t message)
{
	return message && (!e->messages || (message < 64 && e->messages >> message & 1));
}

static int find_family(struct nt_ethnl *e, struct nt_err *err)
{
	char buf[256] __attribute__((aligned(NLMSG_ALIGNTO)));
	struct nlmsghdr *h = mnl_nlmsg_put_header(buf);
	struct genlmsghdr *g;
	struct nt_nl_reply r;

	h->nlmsg_type = GENL_ID_CTRL;
	g = mnl_nlmsg_put_extra_header(h, sizeof *g);
	g->cmd = CTRL_CMD_GETFAMILY;
	g->version = 1;
	mnl_attr_put_strz(h, CTRL_ATTR_FAMILY_NAME, ETHTOOL_GENL_NAME);
	nt_nl_request(&e->nl, h, got_family, e, &r);
	if (!r.code && !e->family)
		r.code = -ENOENT;
	return r.code ? nt_nl_fail(err, &r, "no netlink family 'ethtool'") : 0;
}

struct set_arg {
	struct nt_ethnl *e;
	unsigned id;
	const char *prefix;
	struct nt_eth_strings *ret;
};

static int got_set(void *arg, const struct nlmsghdr *h)
{
	struct set_arg *a = arg;
	const void *attrs;
	size_t len;

	if (attrs_of(a->e->family, h, &attrs, &len))
		nt_ethnl_parse_strset(attrs, len, a->id, a->prefix, a->ret);
	return 0;
}

/* The kernel's own names of features or link modes; asked for once. */
static int fetch_set(struct nt_ethnl *e, unsigned id, const char *prefix,
	struct nt_eth_strings *ret, struct nt_err *err)
{
	char buf[256] __attribute__((aligned(NLMSG_ALIGNTO)));
	struct set_arg a = { e, id, prefix, ret };
	struct nlattr *sets, *set;
	struct nlmsghdr *h;
	struct nt_nl_reply r;

	h = put_request(e, buf, ETHTOOL_MSG_STRSET_GET, 0, 0);
	h->nlmsg_flags = 0; /* of no device: not a dump */
	sets = mnl_attr_nest_start(h, ETHTOOL_A_STRSET_STRINGSETS);
	set = mnl_attr_nest_start(h, ETHTOOL_A_STRINGSETS_STRINGSET);
	mnl_attr_put_u32(h, ETHTOOL_A_STRINGSET_ID, id);
	mnl_attr_nest_end(h, set);
	mnl_attr_nest_end(h, sets);
	nt_nl_request(&e->nl, h, got_set, &a, &r);
	if (!r.code && !ret->n)
		r.code = -ENODATA;
	return r.code ? nt_nl_fail(err, &r, "cannot read ethtool's string set %u", id) : 0;
}

static int start(struct nt_ethnl *e, struct nt_err *err)
{
	int r = find_family(e, err);

	if (!r)
		r = fetch_set(e, ETH_SS_FEATURES, "feature.", &e->features, err);
	if (!r)
		r = fetch_set(e, ETH_SS_LINK_MODES, "", &e->modes, err);
	return r;
}

struct nt_ethnl *nt_ethnl_open_fd(int fd, struct nt_err *err)
{
	struct nt_ethnl *e = nt_calloc(1, sizeof *e);

	nt_nl_init(&e->nl, fd);
	if (start(e, err) == 0)
		return e;
	nt_ethnl_close(e);
	return NULL;
}

struct nt_ethnl *nt_ethnl_open(struct nt_err *err)
{
	struct mnl_socket *sock = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC);
	struct nt_ethnl *e;

	if (!sock) {
		nt_err_sys(err, -errno, "cannot open generic netlink socket");
		return NULL;
	}
	if (mnl_socket_bind(sock, 0, MNL_SOCKET_AUTOPID) < 0) {
		nt_err_sys(err, -errno, "cannot bind generic netlink socket");
		mnl_socket_close(sock);
		return NULL;
	}
	e = nt_ethnl_open_fd(mnl_socket_get_fd(sock), err);
	if (e)
		e->sock = sock;
	else
		mnl_socket_close(sock);
	return e;
}

void nt_ethnl_close(struct nt_ethnl *e)
{
	if (!e)
		return;
	nt_nl_release(&e->nl);
	nt_eth_strings_free(&e->features);
	nt_eth_strings_free(&e->modes);
	if (e->sock)
		mnl_socket_close(e->sock);
	free(e);
}

/* ---- reading ---- */

struct get_arg {
	struct nt_ethnl *e;
	enum nt_eth what;
	const struct nt_links *links;
	bool *answered; /* by position in links */
	size_t next;	/* the kernel mostly answers in the order of links */
	nt_eth_fn *fn;
	void *arg;
};

static int got_values(void *arg, const struct nlmsghdr *h)
{
	struct get_arg *a = arg;
	const struct nt_link *l;
	const void *attrs;
	size_t len;
	int ifindex;

	if (!attrs_of(a->e->family, h, &attrs, &len))
		return 0;
	ifindex = nt_ethnl_parse(a->what, attrs, len, &a->e->features, &a->e->modes, a->fn,
		a->arg);
	if (!a->answered)
		return 0;
	if (a->next < a->links->n && a->links->v[a->next].ifindex == ifindex)
		l = &a->links->v[a->next];
	else
		l = nt_links_by_index(a->links, ifindex);
	if (l) {
		a->next = (size_t)(l - a->links->v);
		a->answered[a->next++] = true;
	}
	return 0;
}

static int request(struct get_arg *a, int ifindex, struct nt_nl_reply *r)
{
	char buf[256] __attribute__((aligned(NLMSG_ALIGNTO)));

	return nt_nl_request(&a->e->nl,
		put_request(a->e, buf, nt_eth_group(a->what)->get, ifindex,
			ETHTOOL_FLAG_COMPACT_BITSETS),
		got_values, a, r);
}

static int get_one(struct get_arg *a, int ifindex, struct nt_err *err)
{
	const struct nt_link *l = a->links ? nt_links_by_index(a->links, ifindex) : NULL;
	struct nt_nl_reply r;

	if (request(a, ifindex, &r) == 0)
		return 0;
	if (l)
		return nt_nl_fail(err, &r, "cannot read %s of '%s'",
			nt_eth_group(a->what)->what, l->name);
	return nt_nl_fail(err, &r, "cannot read %s of link %d", nt_eth_group(a->what)->what,
		ifindex);
}

/*
 * A dump ends at the first device whose driver answers with an error, and one that was
 * interrupted may lack devices: what has not answered is asked one by one. After a whole
 * dump those that have not answered are those whose drivers lack the operation.
 */
static void get_rest(struct get_arg *a, bool whole)
{
	const char *what = nt_eth_group(a->what)->what;
	struct nt_err e, lacks;
	size_t i;

	/* one text for all: of a thousand links' drivers hundreds may lack it */
	nt_err_sys(&lacks, -EOPNOTSUPP, "cannot read %s", what);
	for (i = 0; i < a->links->n; i++) {
		if (a->answered[i])
			continue;
		if (whole)
			a->fn(a->arg, a->links->v[i].ifindex, NULL, &lacks);
		else if (get_one(a, a->links->v[i].ifindex, &e) < 0)
			a->fn(a->arg, a->links->v[i].ifindex, NULL, &e);
	}
}

int nt_ethnl_get(struct nt_ethnl *e, enum nt_eth what, int ifindex,
	const struct nt_links *links, nt_eth_fn *fn, void *arg, struct nt_err *err)
{
	struct get_arg a = { .e = e, .what = what, .links = links, .fn = fn, .arg = arg };
	const struct nt_eth_group *g = nt_eth_group(what);
	struct nt_nl_reply r;

	if (!g)
		return nt_err_set(err, -EINVAL, "no such group of ethtool values");
	if (!knows(e, g->get))
		return nt_err_set(err, -ENOSYS, "the kernel's ethtool family has no %s",
			g->what);
	if (ifindex)
		return get_one(&a, ifindex, err);
	if (links)
		a.answered = nt_calloc(links->n + 1, sizeof *a.answered);
	request(&a, 0, &r);
	if (links)
		get_rest(&a, !r.code && !r.interrupted);
	free(a.answered);
	if (r.code && !links)
		return nt_nl_fail(err, &r, "cannot read %s", g->what);
	return 0;
}

/* ---- setting ---- */

static int put_value(struct nlmsghdr *h, size_t size, const struct nt_eth_row *row,
	const struct nt_eth_val *v)
{
	int word;

	switch ((enum nt_row_type)row->type) {
	case NT_ROW_U32:
	case NT_ROW_SPEED:
		if (v->type != NT_ETH_INT || v->num < 0 || v->num > UINT32_MAX)
			return -EINVAL;
		return mnl_attr_put_u32_check(h, size, row->attr, (uint32_t)v->num) ? 0 :
										      -EMSGSIZE;
	case NT_ROW_SWITCH:
		if (v->type != NT_ETH_SWITCH)
			return -EINVAL;
		return mnl_attr_put_u8_check(h, size, row->attr, v->num != 0) ? 0 : -EMSGSIZE;
	case NT_ROW_WORD:
		word = v->type == NT_ETH_TEXT ? nt_name_value(row->words, v->text) : -EINVAL;
		if (word < 0)
			return -EINVAL;
		return mnl_attr_put_u8_check(h, size, row->attr, (uint8_t)word) ? 0 : -EMSGSIZE;
	case NT_ROW_U8:
	case NT_ROW_MODES:
	case NT_ROW_MODES_MASK:
	case NT_ROW_FEC:
	case NT_ROW_FEC_BIT:
		break;
	}
	return -EINVAL;
}

static int put_rows(struct nlmsghdr *h, size_t size, const struct nt_eth_group *g,
	const struct nt_eth_val *vals, size_t n, struct nt_err *err)
{
	const struct nt_eth_row *row;
	size_t i;
	int r;

	for (i = 0; i < n; i++) {
		row = nt_eth_row(g, vals[i].name);
		if (!row || !(row->flags & NT_ROW_SET))
			return nt_err_set(err, -EINVAL, "'%s' cannot be set", vals[i].name);
		r = put_value(h, size, row, &vals[i]);
		if (r < 0)
			return nt_err_sys(err, r, "bad value for '%s'", vals[i].name);
	}
	return 0;
}

/* A bit list with a mask: only the features named change. */
static int put_features(struct nlmsghdr *h, size_t size, const struct nt_eth_val *vals,
	size_t n, struct nt_err *err)
{
	static const char prefix[] = "feature.";
	struct nlattr *set, *bits, *one;
	size_t i;

	set = mnl_attr_nest_start(h, ETHTOOL_A_FEATURES_WANTED);
	bits = mnl_attr_nest_start(h, ETHTOOL_A_BITSET_BITS);
	for (i = 0; i < n; i++) {
		if (strncmp(vals[i].name, prefix, sizeof prefix - 1))
			return nt_err_set(err, -EINVAL, "'%s' is not a feature", vals[i].name);
		one = mnl_attr_nest_start_check(h, size, ETHTOOL_A_BITSET_BITS_BIT);
		if (!one || !mnl_attr_put_strz_check(h, size, ETHTOOL_A_BITSET_BIT_NAME,
				    vals[i].name + sizeof prefix - 1))
			return nt_err_set(err, -EMSGSIZE, "too many features in one change");
		if ((vals[i].num & 1) &&
			!mnl_attr_put_check(h, size, ETHTOOL_A_BITSET_BIT_VALUE, 0, NULL))
			return nt_err_set(err, -EMSGSIZE, "too many features in one change");
		mnl_attr_nest_end(h, one);
	}
	mnl_attr_nest_end(h, bits);
	mnl_attr_nest_end(h, set);
	return 0;
}

struct refused_arg {
	struct nt_ethnl *e;
	struct nt_buf names;
};

static int got_refused(void *arg, const struct nlmsghdr *h)
{
	struct refused_arg *a = arg;
	const void *attrs;
	size_t len;

	if (attrs_of(a->e->family, h, &attrs, &len))
		nt_ethnl_parse_refused(attrs, len, &a->e->features, &a->names);
	return 0;
}

int nt_ethnl_set(struct nt_ethnl *e, enum nt_eth what, const struct nt_link *link,
	const struct nt_eth_val *vals, size_t n, struct nt_err *err)
{
	char buf[8192] __attribute__((aligned(NLMSG_ALIGNTO)));
	const struct nt_eth_group *g = nt_eth_group(what);
	struct refused_arg a = { .e = e };
	struct nlmsghdr *h;
	struct nt_nl_reply r;
	int rc;

	if (!g || (g->get && !g->set))
		return nt_err_set(err, -EINVAL, "these ethtool values cannot be set");
	if (!knows(e, g->set))
		return nt_err_set(err, -ENOSYS, "the kernel's ethtool family sets no %s",
			g->what);
	h = put_request(e, buf, g->set, link->ifindex, ETHTOOL_FLAG_COMPACT_BITSETS);
	rc = what == NT_ETH_FEATURES ? put_features(h, sizeof buf, vals, n, err) :
				       put_rows(h, sizeof buf, g, vals, n, err);
	if (rc < 0)
		return rc;
	nt_nl_request(&e->nl, h, got_refused, &a, &r);
	if (r.code)
		rc = nt_nl_fail(err, &r, "cannot set %s of '%s'", g->what, link->name);
	else if (what == NT_ETH_FEATURES && a.names.len)
		rc = nt_err_set(err, -EOPNOTSUPP, "'%s' did not switch %s", link->name,
			nt_buf_str(&a.names));
	nt_buf_free(&a.names);
	return rc;
}
