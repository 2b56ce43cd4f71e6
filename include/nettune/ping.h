/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a host still answers: ICMP echo, without privilege where the kernel allows. */
#ifndef NETTUNE_PING_H
#define NETTUNE_PING_H

#include "nettune/err.h"

struct nt_ping;

/* Resolve host and open a socket. -errno: the name is unknown, or sockets are refused. */
int nt_ping_open(const char *host, struct nt_ping **ret, struct nt_err *err);
/* Send a request four times a second until one is answered; -EHOSTUNREACH when none was
 * within timeout_ms. */
int nt_ping_wait(struct nt_ping *p, int timeout_ms, struct nt_err *err);
/* NULL allowed. */
void nt_ping_close(struct nt_ping *p);

#endif
