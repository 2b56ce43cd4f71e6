/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers of kernel attributes that are newer than the headers of Debian 12 (6.1). Kernel
 * numbers never change; the release that brought each is given.
 */
#ifndef NETTUNE_SYS_NEWER_H
#define NETTUNE_SYS_NEWER_H

enum {
	/* linux/if_link.h, since 6.3 */
	NT_IFLA_GSO_IPV4_MAX_SIZE = 63,
	NT_IFLA_GRO_IPV4_MAX_SIZE = 64,
	_NT_IFLA_LAST = NT_IFLA_GRO_IPV4_MAX_SIZE,

	/* linux/ethtool_netlink.h: rings, 6.2, 6.4, 6.14 */
	NT_RINGS_RX_PUSH = 14,
	NT_RINGS_TX_PUSH_BUF_LEN = 15,
	NT_RINGS_TX_PUSH_BUF_LEN_MAX = 16,
	NT_RINGS_HDS_THRESH = 17,
	NT_RINGS_HDS_THRESH_MAX = 18,

	/* coalesce, 6.3 */
	NT_COALESCE_TX_AGGR_MAX_BYTES = 26,
	NT_COALESCE_TX_AGGR_MAX_FRAMES = 27,
	NT_COALESCE_TX_AGGR_TIME_USECS = 28,
};

#endif
