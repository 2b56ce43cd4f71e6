/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests: a struct nt_sys over another one that counts every call and makes chosen ones
 * go wrong. Tests in C wrap a backend themselves; a shell test sets NETTUNE_FAULT, which
 * nt_sys_open() honours unless the program runs with raised privileges.
 *
 * A list of faults as text: FAULT[;FAULT...], where FAULT is WHERE:WHAT or log=FILE.
 *
 *   WHERE  N               the N-th call of all, from 1
 *          OP[/SUBJECT][#N]  calls of that operation and subject (shell patterns), or the
 *                          N-th of them. OP is links link_name qdiscs addrs routes sockets
 *                          eth_get drvinfo stats eth_set link_set put_back qdisc_set read
 *                          write list readlink, or "change" for all that change something.
 *                          SUBJECT is a path, a group ("features"), "LINK VALUE" for eth_set,
 *                          "#IFINDEX mtu" or "#IFINDEX txqueuelen" for link_set,
 *                          "#IFINDEX KIND" for qdisc_set, "LINK" for drvinfo and stats, the
 *                          name asked about for link_name.
 *   WHAT   ERRNO           fail so (a name such as EIO), nothing is done
 *          ERRNO,done      the same, but it is done nevertheless
 *          short           write: half of the bytes are written, then EIO
 *          clamp=V         succeed, having written V in place of every number
 *          ignore          succeed, nothing is done
 *          hang=MS[,ERRNO] wait, then go on (or fail)
 *          device=LINK,ERRNO  eth_get: that link fails, the others are read
 *          kill            SIGKILL to the program before the call
 *          killed          the same after the call
 *
 * log=FILE appends "N OP SUBJECT" of every call to FILE.
 */
#ifndef NETTUNE_SYSFAULT_H
#define NETTUNE_SYSFAULT_H

#include "nettune/sys.h"

/*
 * Wrap under, which then belongs to the wrapper (nt_sys_free() frees both, and on failure
 * under is left alone). NULL and -EINVAL when spec can't be understood; "" injects nothing.
 */
struct nt_sys *nt_sys_fault(struct nt_sys *under, const char *spec, struct nt_err *err);

/* How many calls were made through s, and how many of them were made to go wrong. */
unsigned long nt_sys_fault_calls(const struct nt_sys *s);
unsigned long nt_sys_fault_hits(const struct nt_sys *s);

#endif
