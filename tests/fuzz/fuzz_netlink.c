/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Netlink replies. The first byte chooses the parser (see enum), three more are padding,
 * the rest is a datagram as the kernel sends it. tests/fuzz/capture_netlink.py makes the corpus.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "nettune/mem.h"
#include "sys/ethnl.h"
#include "sys/rtnl.h"
#include "sys/sockdiag.h"

enum { LINK, QDISC, ADDR, ROUTE, STRSET, REFUSED, GROUP, SOCKET = GROUP + _NT_ETH_MAX };
#define GENL_LEN 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct fuzz {
	unsigned which;
	struct nt_links links;
	struct nt_qdiscs qdiscs;
	struct nt_addrs addrs;
	struct nt_routes routes;
	struct nt_eth_strings features, modes, got;
	struct nt_buf text;
};

static void take(void *arg, int ifindex, const struct nt_eth_val *v, const struct nt_err *err)
{
	struct fuzz *f = arg;

	if (err || ifindex <= 0 || !v->name || !*v->name || (v->type == NT_ETH_TEXT && !v->text))
		abort();
	nt_buf_cut(&f->text, 0);
	nt_buf_adds(&f->text, v->type == NT_ETH_TEXT ? v->text : v->name);
}

static void parse_eth(struct fuzz *f, const struct nlmsghdr *h)
{
	const char *attrs = (const char *)h + NLMSG_HDRLEN + GENL_LEN;
	size_t len;

	if (h->nlmsg_len < NLMSG_HDRLEN + GENL_LEN)
		return;
	len = h->nlmsg_len - NLMSG_HDRLEN - GENL_LEN;
	if (f->which == STRSET)
		nt_ethnl_parse_strset(attrs, len, 4, "feature.", &f->got);
	else if (f->which == REFUSED)
		nt_ethnl_parse_refused(attrs, len, &f->features, &f->text);
	else
		nt_ethnl_parse((enum nt_eth)(f->which - GROUP), attrs, len, &f->features,
			&f->modes, take, f);
}

static void parse_socket(struct fuzz *f, const struct nlmsghdr *h)
{
	char text[NT_SOCK_TEXT];
	struct nt_sock s;

	if (!nt_sockdiag_parse(h, &s))
		return;
	nt_sock_end_text(text, s.family, &s.remote);
	if (!strchr(text, ':') || strlen(s.congestion) >= sizeof s.congestion)
		abort();
	nt_buf_cut(&f->text, 0);
	nt_buf_addf(&f->text, "%s %s %ju %ju", text, s.congestion, (uintmax_t)s.sndbuf,
		(uintmax_t)s.sndbuf_limited);
}

static int parse(void *arg, const struct nlmsghdr *h)
{
	struct fuzz *f = arg;
	struct nt_route_arg route = { .ret = &f->routes };

	switch (f->which) {
	case LINK:
		return nt_rtnl_parse_link(&f->links, h);
	case QDISC:
		return nt_rtnl_parse_qdisc(&f->qdiscs, h);
	case ADDR:
		return nt_rtnl_parse_addr(&f->addrs, h);
	case ROUTE:
		return nt_rtnl_parse_route(&route, h);
	case SOCKET:
		parse_socket(f, h);
		return 0;
	default:
		parse_eth(f, h);
		return 0;
	}
}

static void fill(struct nt_eth_strings *s, unsigned n, const char *prefix)
{
	unsigned i;

	s->n = n;
	s->v = nt_calloc(n, sizeof *s->v);
	for (i = 0; i < n; i++)
		if (i % 7 != 3)
			s->v[i] = nt_asprintf("%s%u", prefix, i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nt_nl_reply r = { 0 };
	struct fuzz f = { 0 };
	uint32_t seq = 0;
	void *copy;

	if (size < 4)
		return 0;
	f.which = data[0] % (SOCKET + 1);
	fill(&f.features, 64, "feature.f");
	fill(&f.modes, 100, "100baseX/");
	size -= 4;
	copy = nt_malloc(size ? size : 1);
	memcpy(copy, data + 4, size);
	if (size >= 12)
		memcpy(&seq, (const char *)copy + 8, sizeof seq);
	nt_nl_datagram(copy, size, seq, parse, &f, &r);
	if (strlen(r.kernel) >= sizeof r.kernel)
		abort();
	free(copy);
	nt_links_free(&f.links);
	nt_qdiscs_free(&f.qdiscs);
	nt_addrs_free(&f.addrs);
	nt_routes_free(&f.routes);
	nt_eth_strings_free(&f.features);
	nt_eth_strings_free(&f.modes);
	nt_eth_strings_free(&f.got);
	nt_buf_free(&f.text);
	return 0;
}
