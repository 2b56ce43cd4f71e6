/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one boundary to the kernel. Everything nettune reads from or writes to the running
 * kernel goes through a struct nt_sys; backends are the live kernel and a wrapper that
 * injects faults. Names given and returned are the kernel's own.
 */
#ifndef NETTUNE_SYS_H
#define NETTUNE_SYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nettune/buf.h"
#include "nettune/err.h"

#define NT_IFNAMSIZ 16
#define NT_ADDR_MAX 32

/* rtnl_link_stats64 by the kernel's names; a table maps them, see nt_link_stat_name(). */
#define NT_LINK_STATS_MAX 32

enum { NT_IFF_UP = 0x1, NT_IFF_LOOPBACK = 0x8 }; /* if.h's values */

struct nt_link {
	int ifindex;
	char name[NT_IFNAMSIZ];
	char kind[24];	  /* IFLA_INFO_KIND: veth, vlan, bridge, ...; "" for a device */
	unsigned type;	  /* ARPHRD_* */
	unsigned flags;	  /* IFF_*: NT_IFF_UP, NT_IFF_LOOPBACK */
	unsigned operstate; /* RFC 2863, IF_OPER_* */
	int carrier;	  /* 1, 0, -1 not told */
	unsigned mtu, min_mtu, max_mtu, txqueuelen;
	int master;	  /* ifindex of the master, 0 none */
	int lower;	  /* IFLA_LINK: ifindex of the lower device or veth peer, 0 none */
	bool lower_foreign; /* IFLA_LINK_NETNSID given: lower lives in another namespace */
	unsigned tx_queues, rx_queues;
	/* 0 where the kernel does not tell (older than the attribute) */
	unsigned gso_max_size, gso_max_segs, gro_max_size, tso_max_size, tso_max_segs;
	unsigned gso_ipv4_max_size, gro_ipv4_max_size;
	unsigned carrier_changes;
	char qdisc[16];	    /* root qdisc kind as rtnl names it */
	char bus[32];	    /* IFLA_PARENT_DEV_BUS_NAME: "pci"; "" unknown */
	char bus_dev[64];   /* IFLA_PARENT_DEV_NAME: "0000:03:00.0"; "" unknown */
	unsigned char addr[NT_ADDR_MAX], perm_addr[NT_ADDR_MAX];
	unsigned addr_len, perm_addr_len; /* 0 when not told */
	unsigned n_stats; /* how many of stats[] the kernel gave */
	uint64_t stats[NT_LINK_STATS_MAX];
};

struct nt_links {
	struct nt_link *v; /* by ifindex */
	size_t n, cap;
	struct nt_err failed; /* code 0, or why the first link that is missing could not be read */
};

struct nt_qdisc {
	int ifindex;
	uint32_t handle, parent; /* TC_H_* */
	bool is_root, is_ingress;
	char kind[16];
	uint64_t bytes, packets;
	uint32_t drops, requeues, overlimits, qlen, backlog;
	unsigned char *options; /* TCA_OPTIONS as sent, NULL when none; owned by the list */
	size_t options_len;
};

struct nt_qdiscs {
	struct nt_qdisc *v;
	size_t n, cap;
};

struct nt_addr {
	int ifindex, family; /* AF_INET, AF_INET6 */
	unsigned prefix_len, flags, scope;
	unsigned char addr[16];
	unsigned char *msg; /* for put_back(); owned by the list */
	size_t msg_len;
};

struct nt_addrs {
	struct nt_addr *v;
	size_t n, cap;
};

/* One main- or local-table route, as text ("10.0.0.0/24 dev eth0 proto kernel ..."),
 * for comparing before and after a change. */
struct nt_routes {
	struct nt_route {
		int ifindex; /* of the first nexthop, 0 none */
		char *text;
		unsigned char *msg; /* for put_back(); owned by the list, as text */
		size_t msg_len;
	} *v;
	size_t n, cap;
	bool truncated; /* there were more than are listed (20,000) */
};

/* What put_back() puts back. */
enum nt_put_back { NT_PUT_ADDR, NT_PUT_ROUTE };

/* What the ethtool interface offers by name in bulk. */
enum nt_eth {
	NT_ETH_FEATURES,  /* "feature.NAME": flags NT_FEAT_* */
	NT_ETH_COALESCE,  /* "coalesce.rx-usecs", "coalesce.adaptive-rx", ... */
	NT_ETH_RINGS,	  /* "ring.rx", "ring.rx.max", "ring.rx-buf-len", ... */
	NT_ETH_CHANNELS,  /* "channels.combined", "channels.combined.max", ... */
	NT_ETH_PAUSE,	  /* "pause.autoneg", "pause.rx", "pause.tx" */
	NT_ETH_EEE,	  /* "eee.enabled", "eee.active", "eee.tx-lpi", "eee.tx-lpi-timer" */
	NT_ETH_LINKMODES, /* "link.speed" "link.duplex" "link.autoneg" "link.advertise" ... */
	NT_ETH_LINKINFO,  /* "link.port", "link.phyaddr", ... */
	NT_ETH_FEC,	  /* "fec.active", ... */
	/* "rss.queues", how many the table uses; "rss.table", "equal" or "0*32 1*96" */
	NT_ETH_RSS,
	_NT_ETH_MAX
};

enum {
	NT_FEAT_ACTIVE = 1U << 0,
	NT_FEAT_WANTED = 1U << 1,
	NT_FEAT_FIXED = 1U << 2, /* not changeable: not in hw, or NOCHANGE */
};

enum nt_eth_type { NT_ETH_INT, NT_ETH_SWITCH, NT_ETH_TEXT, NT_ETH_FEATURE };

/* One named value of one link. Strings live only during the callback. */
struct nt_eth_val {
	const char *name; /* the fact's name */
	unsigned row;	  /* reading: one small number a name within a group, for tables */
	enum nt_eth_type type;
	int64_t num;	  /* INT; SWITCH 0/1; FEATURE: NT_FEAT_* flags */
	const char *text; /* TEXT; a list is words separated by blanks */
};

/*
 * Receives values link by link. err is NULL with a value; where one device failed, val is
 * NULL and err says how (its code is -EOPNOTSUPP when the driver lacks the operation).
 * Must not call into the same struct nt_sys.
 */
typedef void nt_eth_fn(void *arg, int ifindex, const struct nt_eth_val *val,
	const struct nt_err *err);

struct nt_drvinfo {
	char driver[32], version[32], firmware[32], bus_info[32];
	unsigned n_stats;
};

/* One ethtool -S counter. name is at most 32 bytes, as the driver spells it. */
typedef void nt_stat_fn(void *arg, const char *name, uint64_t value);

/* One directory entry's name. Returning non-zero stops the listing. */
typedef int nt_dir_fn(void *arg, const char *name, bool is_dir);

struct nt_link_change {
	bool set_mtu, set_txqueuelen;
	unsigned mtu, txqueuelen;
};

struct nt_sock; /* nettune/syssock.h */

/* One socket, valid during the call. Returning non-zero ends the listing. */
typedef int nt_sock_fn(void *arg, const struct nt_sock *sock);

struct nt_sys;

/*
 * Every call returns 0 or -errno with err filled, the kernel's ext-ack in err->kernel.
 * Lists given as ret are appended to; the caller frees them with nt_*_free.
 */
struct nt_sys_ops {
	/* all links of the namespace, with statistics; retried when interrupted */
	int (*links)(struct nt_sys *s, struct nt_links *ret, struct nt_err *err);
	/* the name of the link that has name for an alternative name; -ENODEV where none has */
	int (*link_name)(struct nt_sys *s, const char *name, char ret[NT_IFNAMSIZ],
		struct nt_err *err);
	int (*qdiscs)(struct nt_sys *s, struct nt_qdiscs *ret, struct nt_err *err);
	int (*addrs)(struct nt_sys *s, struct nt_addrs *ret, struct nt_err *err);
	int (*routes)(struct nt_sys *s, struct nt_routes *ret, struct nt_err *err);

	/*
	 * The namespace's TCP sockets whose state is in states (NT_TCP_CONNECTED ...), one by
	 * one, nothing kept: those of IPv4, then of IPv6. A socket that comes or goes
	 * meanwhile may be left out. -ENOENT where the kernel has no such listing.
	 */
	int (*sockets)(struct nt_sys *s, unsigned states, nt_sock_fn *fn, void *arg,
		struct nt_err *err);

	/*
	 * Read one group of one link (ifindex > 0; a failure is returned) or of every link
	 * (0, a dump; failures go to fn link by link, and every one of links either has
	 * values or one failure). links is what links() returned: it gives names for ioctls
	 * and for continuing, link by link, a dump that ended in an error.
	 */
	int (*eth_get)(struct nt_sys *s, enum nt_eth what, int ifindex,
		const struct nt_links *links, nt_eth_fn *fn, void *arg, struct nt_err *err);
	int (*eth_drvinfo)(struct nt_sys *s, const struct nt_link *link,
		struct nt_drvinfo *ret, struct nt_err *err);
	/* n: how many there are, as eth_drvinfo() said; 0: ask */
	int (*eth_stats)(struct nt_sys *s, const struct nt_link *link, unsigned n,
		nt_stat_fn *fn, void *arg, struct nt_err *err);
	/*
	 * Change the n named values of one group of one link, in one request: SWITCH, INT or
	 * TEXT as they are read, features as SWITCH. -EOPNOTSUPP, naming them, where features
	 * were left as they are; others of the same request may have changed.
	 */
	int (*eth_set)(struct nt_sys *s, enum nt_eth what, const struct nt_link *link,
		const struct nt_eth_val *vals, size_t n, struct nt_err *err);

	int (*link_set)(struct nt_sys *s, int ifindex, const struct nt_link_change *change,
		struct nt_err *err);
	/*
	 * Add an address or route that went away, from the msg that the list gave of it.
	 * Addresses come first: routes that the kernel itself makes with an address (proto
	 * kernel) are left to it.
	 */
	int (*put_back)(struct nt_sys *s, enum nt_put_back what, const void *msg, size_t len,
		struct nt_err *err);
	/*
	 * Replace the root qdisc. kind "" deletes it (the kernel's default comes back).
	 * options is TCA_OPTIONS as struct nt_qdisc holds it, or NULL for kind's defaults.
	 */
	int (*qdisc_set)(struct nt_sys *s, int ifindex, uint32_t handle, const char *kind,
		const void *options, size_t options_len, struct nt_err *err);

	/* Whole file, at most 16 MiB; of /dev/kmsg what the kernel log holds now. */
	int (*read)(struct nt_sys *s, const char *path, struct nt_buf *ret, struct nt_err *err);
	/* One write(2) of all len bytes; a short write is -EIO. */
	int (*write)(struct nt_sys *s, const char *path, const void *data, size_t len,
		struct nt_err *err);
	int (*list)(struct nt_sys *s, const char *path, nt_dir_fn *fn, void *arg,
		struct nt_err *err);
	/* Target of a symbolic link into ret (size bytes). */
	int (*readlink)(struct nt_sys *s, const char *path, char *ret, size_t size,
		struct nt_err *err);

	/* "netlink" or "ioctl", see nt_sys_eth_path() */
	const char *(*eth_path)(const struct nt_sys *s);
	void (*free)(struct nt_sys *s);
};

struct nt_sys {
	const struct nt_sys_ops *ops;
};

enum {
	NT_SYS_IOCTL = 1U << 0, /* never use the ethtool netlink family */
};

/* The live kernel, in the caller's network namespace. NULL on failure, err filled. */
struct nt_sys *nt_sys_live(unsigned flags, struct nt_err *err);
/*
 * What the program uses: the live kernel, and over it, where the environment variable
 * NETTUNE_FAULT is set (and the program runs with nobody else's rights), the faults it
 * names; see nettune/sysfault.h. -EINVAL when it cannot be understood.
 */
struct nt_sys *nt_sys_open(unsigned flags, struct nt_err *err);
/* NULL allowed. */
void nt_sys_free(struct nt_sys *s);

/* "netlink" or "ioctl": how ethtool values are read through s. */
const char *nt_sys_eth_path(const struct nt_sys *s);

/* Whether a group but the features has a value that the pattern matches: "coalesce.rx-*". */
bool nt_eth_made(const char *pattern);

/* The name of counter i of struct nt_link.stats ("rx_packets"), NULL past the end. */
const char *nt_link_stat_name(unsigned i);

const struct nt_link *nt_links_by_index(const struct nt_links *l, int ifindex);
const struct nt_link *nt_links_by_name(const struct nt_links *l, const char *name);
void nt_links_free(struct nt_links *l);
void nt_qdiscs_free(struct nt_qdiscs *q);
void nt_addrs_free(struct nt_addrs *a);
void nt_routes_free(struct nt_routes *r);

/*
 * Whether /sys/class/net/NAME is this very link: after `unshare -n` and setns() /sys still
 * shows the links of the namespace it was mounted in (N6). True when ifindex and address
 * agree; callers must neither read nor write the link's sysfs folder otherwise.
 */
bool nt_sys_link_in_sysfs(struct nt_sys *s, const struct nt_link *link);

/* Read a file, trailing white space cut. */
int nt_sys_read_line(struct nt_sys *s, const char *path, struct nt_buf *ret,
	struct nt_err *err);

/*
 * A descriptor that becomes readable when a link of this network namespace is made, changed
 * or removed. Close it yourself. -errno with err filled on failure.
 */
int nt_sys_monitor_links(struct nt_err *err);
/* Forget what was notified so far, a lost notification included. */
void nt_sys_monitor_drain(int fd);

#endif
