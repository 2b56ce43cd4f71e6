/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The live collector's state, shared by its files. Private. */
#ifndef COLLECT_H
#define COLLECT_H

#include "nettune/fact.h"
#include "nettune/sys.h"

/* What became of a group of values of one link; 0 is "not asked or not there". */
enum nt_why { NT_WHY_MISSING, NT_WHY_DENIED, NT_WHY_FAILED };

/* Sources of link facts that have an outcome per link. */
enum nt_source {
	NT_SOURCE_ETH, /* + enum nt_eth */
	NT_SOURCE_DRV = NT_SOURCE_ETH + _NT_ETH_MAX,
	NT_SOURCE_STAT,
	NT_SOURCE_QDISC,
	NT_SOURCE_ADDR,
	_NT_SOURCE_MAX
};

struct nt_collect_link {
	int ifindex;
	const struct nt_link *link;
	struct nt_scope *scope;
	unsigned char why[_NT_SOURCE_MAX]; /* enum nt_why */
	char pci[16]; /* address on the PCI bus, "" where it isn't there */
	bool device;  /* worth the files of a device: one is behind it, or it was named */
	unsigned *irqs;
	size_t n_irqs, cap_irqs;
	uint64_t interrupts;
	unsigned n_stats; /* how many ethtool -S has; 0: not known */
};

/* Files of the host that could not be read, by the source or name of their facts. */
enum { NT_UNREAD_MAX = 32 };

struct nt_unread {
	const char *what; /* a literal */
	int code;
};

struct nt_collect {
	struct nt_sys *sys;
	struct nt_snapshot *s;
	const struct nt_collect_opts *opts;
	const char **named; /* the links asked for, NULL-terminated; NULL: all */
	nt_note_fn *note;
	void *note_arg;
	struct nt_links links;
	struct nt_addrs addrs;
	struct nt_socks *socks; /* collect_socks.c */
	struct nt_collect_link *v; /* one a link, sorted by ifindex */
	size_t n;
	size_t next; /* the one after that found last: lists mostly have one order */
	bool in_namespace; /* not the initial network namespace */
	struct nt_unread unread[NT_UNREAD_MAX];
	size_t n_unread;
	int log_read; /* 0, or why the kernel log could not be read: -EPERM, ... */
};

/* Tell the user; format as printf's. */
void nt_collect_note(struct nt_collect *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* enum nt_why of an error. */
enum nt_why nt_collect_why(int code);
/* NULL when no link has that index. */
struct nt_collect_link *nt_collect_link(struct nt_collect *c, int ifindex);
bool nt_collect_named(const struct nt_collect *c, const char *link);

/* collect_link.c: links() into c->links, c->v and a scope each. */
int nt_collect_links(struct nt_collect *c, struct nt_err *err);
/* Everything rtnetlink tells of a link but its counters. */
void nt_collect_identity(struct nt_collect *c);
/* Of that the index alone. */
void nt_collect_indexes(struct nt_collect *c);
void nt_collect_addrs(struct nt_collect *c);
/* collect_eth.c: what the driver says of itself, and every group of ethtool values. */
void nt_collect_drivers(struct nt_collect *c);
void nt_collect_eth(struct nt_collect *c);
/* collect_irq.c: numbers first, for counts in each of the two readings; CPUs at the end. */
void nt_collect_irq_numbers(struct nt_collect *c);
void nt_collect_irq_counts(struct nt_collect *c);
void nt_collect_irq_cpus(struct nt_collect *c);
/* collect_device.c: what sysfs tells of buses and queues. */
void nt_collect_devices(struct nt_collect *c);
/* collect_host.c */
void nt_collect_host(struct nt_collect *c);
/* collect_sysctl.c */
void nt_collect_sysctls(struct nt_collect *c);
void nt_collect_log(struct nt_collect *c);
/* collect_counters.c: every counter, of host and links; for each of the two readings. */
void nt_collect_counters(struct nt_collect *c);
/*
 * collect_socks.c: what live TCP connections tell, after nt_collect_addrs(); again after
 * seconds, in which case the shares are those of that time; facts into the sealed snapshot.
 */
void nt_collect_socks(struct nt_collect *c);
void nt_collect_socks_again(struct nt_collect *c, double seconds);
void nt_collect_socks_facts(struct nt_collect *c);
void nt_collect_socks_free(struct nt_collect *c);
/*
 * collect_absent.c: where a whole group could not be read, "feature.*" and the like stand for
 * its names, before the snapshot is sealed.
 */
void nt_collect_failed_groups(struct nt_collect *c);
/* A reason for what is still missing; the snapshot is sealed. */
void nt_collect_reasons(struct nt_collect *c);

/* Keep that the facts of that source or name are not to be had, by a negative errno. */
void nt_collect_unread(struct nt_collect *c, const char *what, int code);
/* Text of a file, "" where it can't be read; b is emptied before. Returns 0 or -errno. */
int nt_collect_read(struct nt_collect *c, const char *path, struct nt_buf *b);

#endif
