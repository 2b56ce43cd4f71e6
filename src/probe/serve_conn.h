/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Connections from their acceptance to the moment they have said what they are, and those
 * of CRR to their end. Private to probe/. */
#ifndef PROBE_SERVE_CONN_H
#define PROBE_SERVE_CONN_H

#include "server.h"

void nt_serve_accept(struct nt_server *sv, int fd, uint64_t now_ns);
void nt_serve_conn(struct nt_server *sv, struct nt_pending *c);
/* Let those go on that were held back for their flow's share of the limit of rate, and the
 * milliseconds until the next may, at most most_ms. */
void nt_serve_resume(struct nt_server *sv, uint64_t now_ns);
int nt_serve_resume_ms(const struct nt_server *sv, uint64_t now_ns, int most_ms);
void nt_serve_datagrams(struct nt_server *sv, int fd);
/* Drop those whose time is over or whose test has ended. */
void nt_serve_expire(struct nt_server *sv, uint64_t now_ns);
void nt_serve_reap(struct nt_server *sv);
void nt_serve_drop_all(struct nt_server *sv);

#endif
