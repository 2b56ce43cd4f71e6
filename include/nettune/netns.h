/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which network namespace this process is in. */
#ifndef NETTUNE_NETNS_H
#define NETTUNE_NETNS_H

#include <stdbool.h>
#include <stdint.h>

#include "nettune/err.h"

struct nt_netns_id {
	uint64_t dev, ino; /* of /proc/self/ns/net; the inode may be used again later */
	uint64_t cookie;   /* never used again; 0 before Linux 5.14 */
};

/* 0 or -errno. */
int nt_netns_id(struct nt_netns_id *ret, struct nt_err *err);
/* Whether it is the one of process 1; false also when that cannot be seen. */
bool nt_netns_is_init(void);
/*
 * Mount /sys anew for this process alone, so that it shows the links of the network
 * namespace that the process is in: a service manager that puts a process into a network
 * namespace may leave it with another one's /sys.
 */
int nt_netns_own_sysfs(struct nt_err *err);

#endif
