/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A made-up kernel for tests of the live collector. */
#ifndef FACT_FIXTURE_H
#define FACT_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "nettune/sys.h"

struct file;

enum { LO, ETH0, VLAN, VETH0, VETH1, FAR, N_LINKS };

struct fake {
	struct nt_sys sys;
	const struct file *files;
	size_t n_files;
	struct nt_link links[N_LINKS];
	size_t n_links;
	int readings; /* how often links() was called */
	bool touched_secret, no_qdiscs, no_bus;
	int stat_reads;
	int features_rc; /* of the whole dump */
	int eth0_coalesce_rc;
	int eth0_driver_rc, eth0_stats_rc;
	const char *driver;
};

/*
 * lo, eth0 (a device), eth0.5 upon it, the pair veth0 and veth1 (without carrier), mv0 upon a
 * link elsewhere.
 */
void fake_make(struct fake *f);

/* The kernel without its first n files: two hold what only the initial namespace has. */
void fake_drop_files(struct fake *f, size_t n);

#endif
