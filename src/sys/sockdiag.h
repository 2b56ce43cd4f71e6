/* SPDX-License-Identifier: GPL-2.0-or-later */
/* TCP sockets by inet_diag. The parser touches no socket. */
#ifndef NETTUNE_SYS_SOCKDIAG_H
#define NETTUNE_SYS_SOCKDIAG_H

#include <linux/netlink.h>

#include "nettune/syssock.h"
#include "nettune/sys.h"

/*
 * One message of h->nlmsg_len readable bytes into ret. False when it is of another type, of
 * another family, or too short. What the kernel does not give is NT_SOCK_UNKNOWN.
 */
bool nt_sockdiag_parse(const struct nlmsghdr *h, struct nt_sock *ret);

/* The dump of one family over a connected socket, which must answer like the kernel. */
int nt_sockdiag_dump(int fd, int family, unsigned states, nt_sock_fn *fn, void *arg,
	bool *ret_stopped, struct nt_err *err);

/* The operation of struct nt_sys_ops. */
int nt_sockdiag_sockets(struct nt_sys *s, unsigned states, nt_sock_fn *fn, void *arg,
	struct nt_err *err);

#endif
