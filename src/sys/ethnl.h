/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ethtool generic netlink family. The parsers touch no socket. */
#ifndef NETTUNE_SYS_ETHNL_H
#define NETTUNE_SYS_ETHNL_H

#include <linux/netlink.h>

#include "nettune/sys.h"
#include "eth_table.h"
#include "nl.h"

/* Index -> name: features (prefixed "feature.") and link modes. */
struct nt_eth_strings {
	char **v; /* NULL where the kernel has no name */
	unsigned n;
};

struct mnl_socket;

struct nt_ethnl {
	struct mnl_socket *sock; /* NULL: fd was given */
	struct nt_nl nl;
	uint16_t family;
	uint64_t messages; /* bit n: the kernel knows ETHTOOL_MSG_* n; 0: not told */
	struct nt_eth_strings features, modes;
};

/*
 * Open the family. NULL, with err->code -ENOENT, where the kernel has none; NULL with
 * another code on failure.
 */
struct nt_ethnl *nt_ethnl_open(struct nt_err *err);
/* The same over a connected datagram socket, which must answer like the kernel. */
struct nt_ethnl *nt_ethnl_open_fd(int fd, struct nt_err *err);
void nt_ethnl_close(struct nt_ethnl *e);

/* See struct nt_sys_ops. -ENOSYS where the kernel does not know the group's message:
 * 5.6 had the family, 5.7 to 5.13 brought one group after the other. */
int nt_ethnl_get(struct nt_ethnl *e, enum nt_eth what, int ifindex,
	const struct nt_links *links, nt_eth_fn *fn, void *arg, struct nt_err *err);
int nt_ethnl_set(struct nt_ethnl *e, enum nt_eth what, const struct nt_link *link,
	const struct nt_eth_val *vals, size_t n, struct nt_err *err);

/* Each attribute attr of len bytes at p; mnl's own macro casts const away. */
#define NT_ATTR_EACH(attr, p, len)                                                       \
	for ((attr) = (const void *)(p);                                                 \
		mnl_attr_ok((attr), (int)((const char *)(p) + (len) -                    \
					  (const char *)(attr)));                        \
		(attr) = mnl_attr_next(attr))

/* ---- parsing ---------------------------------------------------------------------- */

/*
 * Attributes (len bytes at attrs, 4-aligned) of one reply of a group: fn is called for
 * each value. Returns the ifindex the reply is of, or -EBADMSG when it names none.
 */
int nt_ethnl_parse(enum nt_eth what, const void *attrs, size_t len,
	const struct nt_eth_strings *features, const struct nt_eth_strings *modes,
	nt_eth_fn *fn, void *arg);
/* Attributes of a string set reply: names of set id into ret, each after prefix. */
void nt_ethnl_parse_strset(const void *attrs, size_t len, unsigned id, const char *prefix,
	struct nt_eth_strings *ret);
/* Attributes of the reply to a features set: names of what was not done into ret. */
void nt_ethnl_parse_refused(const void *attrs, size_t len,
	const struct nt_eth_strings *features, struct nt_buf *ret);
void nt_eth_strings_free(struct nt_eth_strings *s);

#endif
