/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sockets by inet_diag. Private to sys/. */
#ifndef NETTUNE_SYS_DIAG_H
#define NETTUNE_SYS_DIAG_H

#include "nettune/sys.h"

struct nlmsghdr;

/* struct nt_sys_ops.socks */
int nt_diag_socks(struct nt_sys *s, struct nt_socks *ret, struct nt_err *err);
/* Add the socket that one message of h->nlmsg_len bytes describes to the struct nt_socks
 * that list is. Other messages are passed over. Returns 0. */
int nt_diag_parse(void *list, const struct nlmsghdr *h);

#endif
