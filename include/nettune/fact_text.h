/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts from the text of the kernel's own files, whether read live or captured. Each adds
 * to the host scope of an unsealed snapshot and passes over what it can't make sense of.
 */
#ifndef NETTUNE_FACT_TEXT_H
#define NETTUNE_FACT_TEXT_H

#include "nettune/fact.h"

/* /proc/net/snmp and /proc/net/netstat: snmp.GROUP.NAME. Returns how many values. */
int nt_text_snmp(struct nt_snapshot *s, const char *text);
/* /proc/net/snmp6: "Ip6InReceives 5" becomes snmp.Ip6.InReceives. */
int nt_text_snmp6(struct nt_snapshot *s, const char *text);
/* /proc/net/sockstat and sockstat6: sockstat.PROTOCOL.NAME. */
int nt_text_sockstat(struct nt_snapshot *s, const char *text);
/*
 * /proc/net/softnet_stat: sums over all lines; columns that the kernel does not have (it
 * has 9 to 15) are left out. Returns the number of lines.
 */
int nt_text_softnet(struct nt_snapshot *s, const char *text);
/*
 * A table of /proc/net/stat: a line of names, then hexadecimal lines per CPU: PREFIX.NAME,
 * summed, but "entries", which every line repeats.
 */
int nt_text_stat_table(struct nt_snapshot *s, const char *prefix, const char *text);
/*
 * The use of CPUs between two readings of /proc/stat: cpu.busy_pct and softirq_pct of all
 * together, cpu.max_busy_pct and max_softirq_pct of the one that has most of it.
 */
void nt_text_cpu_use(struct nt_snapshot *s, const char *first, const char *later);
/*
 * One sysctl: name as sysctl(8) prints it ("net.ipv4.tcp_rmem"), value without its newline.
 * A number becomes an integer, known lists a list, vectors the list and .min, .default,
 * .max. False, and nothing added, for names outside net.* and for secrets.
 */
bool nt_text_sysctl(struct nt_snapshot *s, const char *name, const char *value);
/* Whether a sysctl holds a secret: tcp_fastopen_key, stable_secret, netdev_rss_key. */
bool nt_sysctl_secret(const char *name);
/*
 * A log, the kernel's or a program's: log.* facts, of the host and of the links that it names
 * and that are in the snapshot. whole: it is the kernel's own, so that what it does not tell
 * of has not happened, and counts as 0.
 */
void nt_text_log(struct nt_snapshot *s, const char *text, bool whole);
/* kernel.release and kernel.version from what `uname -r` prints. */
void nt_text_kernel_release(struct nt_snapshot *s, const char *release);

#endif
