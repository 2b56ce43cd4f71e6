/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/fact_sample.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "nettune/buf.h"
#include "nettune/clock.h"
#include "nettune/mem.h"
#include "nettune/sys.h"

/* One "cpuN user nice system idle iowait irq softirq steal ..." line. */
static bool cpu_line(const char *line, struct nt_cpu_ticks *ret)
{
	uint64_t v[8] = { 0 };
	int i, n = 0;

	line += strcspn(line, " ");
	n = sscanf(line, "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64
			 "%" SCNu64 "%" SCNu64,
		&v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]);
	for (ret->all = 0, i = 0; i < 8; i++)
		ret->all += v[i];
	ret->busy = ret->all - v[3] - v[4];
	ret->softirq = v[6];
	return n >= 4;
}

static void read_cpus(struct nt_sys *sys, struct nt_sample *s)
{
	struct nt_buf b = { 0 };
	size_t cap = 0;
	const char *p;

	if (sys->ops->read(sys, "/proc/stat", &b, NULL) == 0) {
		for (p = nt_buf_str(&b); strncmp(p, "cpu", 3) == 0; p++) {
			if (p[3] >= '0' && p[3] <= '9') {
				NT_GROW(s->cpus, s->n_cpus, cap);
				s->n_cpus += cpu_line(p, &s->cpus[s->n_cpus]);
			}
			p = strchr(p, '\n');
			if (!p)
				break;
		}
	}
	nt_buf_free(&b);
}

/* The value of one column of "Tcp: NAME ...\nTcp: 1 ..." */
static uint64_t snmp_value(const char *text, const char *prefix, const char *name)
{
	size_t len = strlen(prefix), want = strlen(name);
	const char *head = strstr(text, prefix), *values;
	int column = 0;
	uint64_t v = 0;

	if (!head || !(values = strchr(head, '\n')) || strncmp(values + 1, prefix, len) != 0)
		return 0;
	values += 1 + len;
	for (head += len; *head == ' '; column++) {
		head++;
		if (strncmp(head, name, want) == 0 && (head[want] == ' ' || head[want] == '\n'))
			break;
		head += strcspn(head, " \n");
	}
	for (; column > 0 && *values == ' '; column--) {
		values++;
		values += strcspn(values, " \n");
	}
	sscanf(values, " %" SCNu64, &v);
	return v;
}

static void read_protocols(struct nt_sys *sys, struct nt_sample *s)
{
	struct nt_buf b = { 0 };
	const char *p;
	uint64_t processed, dropped;

	if (sys->ops->read(sys, "/proc/net/snmp", &b, NULL) == 0) {
		s->retrans = snmp_value(nt_buf_str(&b), "Tcp:", "RetransSegs");
		s->out_segs = snmp_value(nt_buf_str(&b), "Tcp:", "OutSegs");
	}
	nt_buf_cut(&b, 0);
	if (sys->ops->read(sys, "/proc/net/softnet_stat", &b, NULL) == 0)
		for (p = nt_buf_str(&b); p && *p; p = strchr(p, '\n'), p = p ? p + 1 : p)
			if (sscanf(p, "%" SCNx64 " %" SCNx64, &processed, &dropped) == 2)
				s->softnet_dropped += dropped;
	nt_buf_free(&b);
}

/* Indices into struct nt_link.stats, found once a sample. */
struct stat_index {
	unsigned rx_bytes, tx_bytes, rx_packets, tx_packets, rx_dropped, tx_dropped, rx_missed;
};

static unsigned find_stat(const char *name)
{
	unsigned i;

	for (i = 0; nt_link_stat_name(i) && strcmp(nt_link_stat_name(i), name) != 0; i++)
		continue;
	return i;
}

static uint64_t stat(const struct nt_link *l, unsigned i)
{
	return i < l->n_stats ? l->stats[i] : 0;
}

static void read_links(struct nt_sys *sys, struct nt_sample *s)
{
	const struct stat_index at = {
		.rx_bytes = find_stat("rx_bytes"),
		.tx_bytes = find_stat("tx_bytes"),
		.rx_packets = find_stat("rx_packets"),
		.tx_packets = find_stat("tx_packets"),
		.rx_dropped = find_stat("rx_dropped"),
		.tx_dropped = find_stat("tx_dropped"),
		.rx_missed = find_stat("rx_missed_errors"),
	};
	struct nt_links links = { 0 };
	size_t i;

	s->error = sys->ops->links(sys, &links, NULL);
	s->links = nt_calloc(links.n ? links.n : 1, sizeof *s->links);
	for (i = 0; i < links.n; i++) {
		const struct nt_link *l = &links.v[i];
		struct nt_sample_link *to = &s->links[i];

		to->ifindex = l->ifindex;
		snprintf(to->name, sizeof to->name, "%s", l->name);
		snprintf(to->kind, sizeof to->kind, "%s", l->kind);
		to->up = l->flags & NT_IFF_UP;
		to->loopback = l->flags & NT_IFF_LOOPBACK;
		to->carrier = l->carrier;
		to->rx_bytes = stat(l, at.rx_bytes);
		to->tx_bytes = stat(l, at.tx_bytes);
		to->rx_packets = stat(l, at.rx_packets);
		to->tx_packets = stat(l, at.tx_packets);
		to->drops = stat(l, at.rx_dropped) + stat(l, at.tx_dropped) +
			    stat(l, at.rx_missed);
	}
	s->n_links = links.n;
	nt_links_free(&links);
}

struct nt_sample *nt_sample_take(struct nt_sys *sys)
{
	struct nt_sample *s = nt_calloc(1, sizeof *s);

	read_links(sys, s);
	s->time_s = nt_now_s();
	read_cpus(sys, s);
	read_protocols(sys, s);
	return s;
}

void nt_sample_free(struct nt_sample *s)
{
	if (!s)
		return;
	free(s->links);
	free(s->cpus);
	free(s);
}

int nt_sample_watch(struct nt_err *err)
{
	return nt_sys_monitor_links(err);
}

void nt_sample_watch_drain(int fd)
{
	nt_sys_monitor_drain(fd);
}
