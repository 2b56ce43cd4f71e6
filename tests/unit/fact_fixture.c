/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "fact_fixture.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "nettune/mem.h"

struct file {
	const char *path, *text;
	int rc;
};

static const struct file host_files[] = {
	{ "/proc/sys/kernel/osrelease", "6.1.0-18-amd64\n", 0 },
	{ "/proc/sys/net/core/netdev_max_backlog", "1000\n", 0 },
	{ "/proc/sys/net/core/rmem_max", "212992\n", 0 },
	{ "/proc/sys/net/core/bpf_jit_harden", NULL, -EACCES },
	{ "/proc/sys/net/core/netdev_rss_key", "00:11:22\n", 0 },
	{ "/proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456\n", 0 },
	{ "/proc/sys/net/ipv4/route/flush", NULL, -EACCES },
	{ "/proc/sys/net/ipv4/tcp_fastopen_key", "secret\n", 0 },
	{ "/proc/sys/net/ipv4/conf/all/rp_filter", "2\n", 0 },
	{ "/proc/sys/net/ipv4/conf/eth0/rp_filter", "1\n", 0 },
	{ "/proc/sys/net/ipv4/conf/eth0.5/rp_filter", "0\n", 0 },
	{ "/proc/sys/net/ipv4/neigh/eth0/gc_stale_time", "60\n", 0 },
	{ "/proc/sys/net/ipv6/conf/all/stable_secret", "2001:db8::1\n", 0 },
	{ "/proc/net/softnet_stat", "00000010 00000001 00000002 0 0 0 0 0 0 0 0 0 0\n", 0 },
	{ "/proc/kallsyms", "0000000000000000 t mvneta_tx_done_timer_callback_x\t[mvneta]\n"
			    "0000000000000000 t mvneta_tx_done_timer_callback\t[mvneta]\n", 0 },
	{ "/sys/bus/pci/devices/0000:03:00.0/vendor", "0x8086\n", 0 },
	{ "/sys/bus/pci/devices/0000:03:00.0/device", "0x15b8\n", 0 },
	{ "/sys/bus/pci/devices/0000:03:00.0/numa_node", "-1\n", 0 },
	{ "/sys/bus/pci/devices/0000:03:00.0/current_link_speed", "8.0 GT/s PCIe\n", 0 },
	{ "/sys/bus/pci/devices/0000:03:00.0/current_link_width", "8\n", 0 },
	{ "/sys/bus/pci/devices/0000:03:00.0/max_link_speed", "Unknown\n", 0 },
	{ "/sys/class/net/eth0/ifindex", "2\n", 0 },
	{ "/sys/class/net/eth0/address", "02:00:00:00:00:02\n", 0 },
	{ "/sys/class/net/eth0/gro_flush_timeout", "20000\n", 0 },
	{ "/sys/class/net/eth0/queues/rx-0/rps_cpus", "f\n", 0 },
	{ "/sys/class/net/eth0/queues/tx-0/byte_queue_limits/limit", "7500\n", 0 },
	{ "/sys/bus/pci/devices/0000:03:00.0/msi_irqs/33", "msix\n", 0 },
	{ "/sys/bus/pci/devices/0000:03:00.0/msi_irqs/34", "msix\n", 0 },
	{ "/sys/bus/pci/devices/0000:03:00.0/local_cpulist", "0-1\n", 0 },
	{ "/proc/irq/33/smp_affinity_list", "0-3\n", 0 },
	{ "/proc/irq/33/effective_affinity_list", "0\n", 0 },
	{ "/proc/irq/34/smp_affinity_list", "1-2\n", 0 },
	/* another namespace's link of that name */
	{ "/sys/class/net/veth0/ifindex", "77\n", 0 },
	{ "/sys/class/net/veth0/address", "02:00:00:00:00:04\n", 0 },
	{ "/sys/class/net/veth0/gro_flush_timeout", "1\n", 0 },
};

/* The CPUs' time and the interrupts at each reading. */
static const char *const stat_texts[] = {
	"cpu  100 0 100 1000 0 0 0 0 0 0\ncpu0 50 0 50 500 0 0 0 0 0 0\n"
	"cpu3 50 0 50 500 0 0 0 0 0 0\nintr 5 1 2\n",
	"cpu  110 0 110 1060 0 0 20 0 0 0\ncpu0 60 0 60 510 0 0 20 0 0 0\n"
	"cpu3 50 0 50 550 0 0 0 0 0 0\nintr 5 1 2\n",
};
static const char *const interrupts_texts[] = {
	"           CPU0       CPU3\n  9:  7  0  IO-APIC  fasteoi acpi\n"
	" 33:  100  0  PCI-MSI 1-edge  eth0-rx-0\n 34:  1  5  PCI-MSI 2-edge  eth0-tx-0\n"
	" 40:  3  3  GIC  eth7\nNMI:  0  0  Non-maskable interrupts\n",
	"           CPU0       CPU3\n  9:  7  0  IO-APIC  fasteoi acpi\n"
	" 33:  150  0  PCI-MSI 1-edge  eth0-rx-0\n 34:  1  15  PCI-MSI 2-edge  eth0-tx-0\n"
	" 40:  3  9  GIC  eth7\nNMI:  0  0  Non-maskable interrupts\n",
};

static struct nt_link *add_link(struct fake *f, int i, const char *name, const char *kind,
	int lower)
{
	struct nt_link *l = &f->links[i];

	memset(l, 0, sizeof *l);
	l->ifindex = i + 1;
	snprintf(l->name, sizeof l->name, "%s", name);
	snprintf(l->kind, sizeof l->kind, "%s", kind);
	l->type = i ? 1 : 772;
	l->flags = i ? 0x1 : 0x9;
	l->operstate = 6;
	l->carrier = 1;
	l->mtu = 1500;
	l->lower = lower;
	l->addr_len = 6;
	l->addr[0] = 2;
	l->addr[5] = (unsigned char)(i + 1);
	l->n_stats = 1;
	snprintf(l->qdisc, sizeof l->qdisc, "noqueue");
	if ((size_t)i >= f->n_links)
		f->n_links = (size_t)i + 1;
	return l;
}

static struct fake *fake_of(struct nt_sys *s)
{
	return (struct fake *)s;
}

static int fake_links(struct nt_sys *s, struct nt_links *ret, struct nt_err *err)
{
	struct fake *f = fake_of(s);
	size_t i;

	(void)err;
	f->readings++;
	for (i = f->n_links; i-- > 0;) { /* not in the order of their numbers */
		NT_GROW(ret->v, ret->n, ret->cap);
		ret->v[ret->n] = f->links[i];
		ret->v[ret->n++].stats[0] = f->readings * 1000;
	}
	return 0;
}

static int fake_qdiscs(struct nt_sys *s, struct nt_qdiscs *ret, struct nt_err *err)
{
	static const struct nt_qdisc list[] = {
		{ .ifindex = 2, .is_root = true, .kind = "mq", .drops = 7 },
		{ .ifindex = 2, .parent = 1, .kind = "fq_codel", .drops = 4 },
		{ .ifindex = 2, .parent = 2, .kind = "fq_codel", .drops = 3 },
		{ .ifindex = 4, .is_root = true, .handle = 0x10000, .kind = "htb" },
		{ .ifindex = 4, .handle = 0x200000, .parent = 0x10010, .kind = "netem" },
		{ .ifindex = 4, .handle = 0x300000, .parent = 0x200001, .kind = "pfifo" },
		{ .ifindex = 4, .is_ingress = true, .handle = 0xffff0000, .kind = "clsact" },
	};
	size_t i;

	if (fake_of(s)->no_qdiscs)
		return nt_err_set(err, -EIO, "cannot list");
	for (i = 0; i < NT_ARRAY_SIZE(list); i++) {
		NT_GROW(ret->v, ret->n, ret->cap);
		ret->v[ret->n++] = list[i];
	}
	return 0;
}

static int fake_link_name(struct nt_sys *s, const char *name, char ret[NT_IFNAMSIZ], struct nt_err *err)
{
	(void)s;
	(void)ret;
	return nt_err_set(err, -ENODEV, "there is no link '%s'", name);
}

static int fake_addrs(struct nt_sys *s, struct nt_addrs *ret, struct nt_err *err)
{
	(void)s;
	(void)err;
	NT_GROW(ret->v, ret->n, ret->cap);
	ret->v[ret->n++] = (struct nt_addr){ .ifindex = 2, .family = 2, .prefix_len = 24,
		.addr = { 192, 0, 2, 1 } };
	return 0;
}

/* lo answers nothing, veths nothing but features; eth0 is a device. */
static int fake_eth_get(struct nt_sys *s, enum nt_eth what, int ifindex,
	const struct nt_links *links, nt_eth_fn *fn, void *arg, struct nt_err *err)
{
	static const struct nt_eth_val tso = { .name = "feature.tx-tcp-segmentation",
		.type = NT_ETH_FEATURE, .num = NT_FEAT_WANTED };
	static const struct nt_eth_val lro = { .name = "feature.rx-lro", .row = 300,
		.type = NT_ETH_FEATURE, .num = NT_FEAT_FIXED };
	static const struct nt_eth_val usecs = { .name = "coalesce.rx-usecs",
		.type = NT_ETH_INT, .num = 3 };
	static const struct nt_eth_val speed = { .name = "link.speed", .type = NT_ETH_INT,
		.num = -1 };
	static const struct nt_eth_val duplex = { .name = "link.duplex", .row = 1,
		.type = NT_ETH_TEXT, .text = "unknown" };
	struct fake *f = fake_of(s);
	struct nt_err fail = { 0 };
	size_t i;

	assert_int_equal(ifindex, 0);
	if (what == NT_ETH_FEATURES && f->features_rc)
		return nt_err_set(err, f->features_rc, "cannot be read");
	for (i = 0; i < links->n; i++) {
		int at = links->v[i].ifindex;

		if (what == NT_ETH_FEATURES) {
			fn(arg, at, &tso, NULL);
			fn(arg, at, &lro, NULL);
		} else if (at == ETH0 + 1 && what == NT_ETH_COALESCE && f->eth0_coalesce_rc) {
			nt_err_set(&fail, f->eth0_coalesce_rc, "the device is away");
			fn(arg, at, NULL, &fail);
		} else if (at == ETH0 + 1 && what == NT_ETH_COALESCE) {
			fn(arg, at, &usecs, NULL);
		} else if (at == ETH0 + 1 && what == NT_ETH_LINKMODES) {
			fn(arg, at, &speed, NULL);
			fn(arg, at, &duplex, NULL);
		} else if (at == ETH0 + 1 && what == NT_ETH_RINGS) {
			nt_err_set(&fail, -EPERM, "no");
			fn(arg, at, NULL, &fail);
		} else {
			nt_err_set(&fail, -EOPNOTSUPP, "not supported");
			fn(arg, at, NULL, &fail);
		}
	}
	fn(arg, 999, &tso, NULL); /* a link that came meanwhile */
	return 0;
}

static int fake_drvinfo(struct nt_sys *s, const struct nt_link *link, struct nt_drvinfo *ret,
	struct nt_err *err)
{
	if (link->ifindex != ETH0 + 1)
		return nt_err_set(err, -EOPNOTSUPP, "no");
	if (fake_of(s)->eth0_driver_rc)
		return nt_err_set(err, fake_of(s)->eth0_driver_rc, "the driver is away");
	memset(ret, 0, sizeof *ret);
	snprintf(ret->driver, sizeof ret->driver, "%s", fake_of(s)->driver);
	snprintf(ret->firmware, sizeof ret->firmware, "N/A");
	if (!fake_of(s)->no_bus)
		snprintf(ret->bus_info, sizeof ret->bus_info, "0000:03:00.0");
	return 0;
}

static int fake_stats(struct nt_sys *s, const struct nt_link *link, unsigned n, nt_stat_fn *fn,
	void *arg, struct nt_err *err)
{
	(void)n;
	if (link->ifindex != ETH0 + 1)
		return nt_err_set(err, -EOPNOTSUPP, "no");
	if (fake_of(s)->eth0_stats_rc)
		return nt_err_set(err, fake_of(s)->eth0_stats_rc, "no counters today");
	fn(arg, "rx_missed", (uint64_t)fake_of(s)->readings * 10);
	fn(arg, "Queue[0] Restarts", UINT64_MAX);
	fn(arg, "  pkts rx OOB", 7);
	fn(arg, "rx_missed", 5);
	return 0;
}

static const struct file *find(struct fake *f, const char *path)
{
	size_t i;

	for (i = 0; i < f->n_files; i++)
		if (strcmp(f->files[i].path, path) == 0)
			return &f->files[i];
	return NULL;
}

static int fake_read(struct nt_sys *s, const char *path, struct nt_buf *ret,
	struct nt_err *err)
{
	const struct file *file = find(fake_of(s), path);

	if (strcmp(path, "/proc/stat") == 0) {
		nt_buf_adds(ret, stat_texts[fake_of(s)->stat_reads++ % 2]);
		return 0;
	}
	if (strcmp(path, "/proc/interrupts") == 0) {
		nt_buf_adds(ret, interrupts_texts[fake_of(s)->readings > 1]);
		return 0;
	}
	if (strstr(path, "secret") || strstr(path, "_key"))
		fake_of(s)->touched_secret = true;
	if (!file || file->rc)
		return nt_err_set(err, file ? file->rc : -ENOENT, "cannot read '%s'", path);
	nt_buf_adds(ret, file->text);
	return 0;
}

/* Each name below path once, in the order of the table. */
static int fake_list(struct nt_sys *s, const char *path, nt_dir_fn *fn, void *arg,
	struct nt_err *err)
{
	struct fake *f = fake_of(s);
	char seen[64][64];
	size_t len = strlen(path), i, j, n = 0;

	while (len && path[len - 1] == '/')
		len--;
	for (i = 0; i < f->n_files; i++) {
		const char *below = f->files[i].path + len;
		size_t end;

		if (strncmp(f->files[i].path, path, len) != 0 || *below != '/')
			continue;
		end = strcspn(++below, "/");
		snprintf(seen[n], sizeof seen[n], "%.*s", (int)end, below);
		for (j = 0; j < n && strcmp(seen[j], seen[n]) != 0; j++)
			;
		if (j == n)
			fn(arg, seen[n++], below[end] == '/');
	}
	return n ? 0 : nt_err_set(err, -ENOENT, "no folder '%s'", path);
}

static void fake_free(struct nt_sys *s)
{
	(void)s;
}

static int fake_sockets(struct nt_sys *s, unsigned states, nt_sock_fn *fn, void *arg,
	struct nt_err *err)
{
	(void)s;
	(void)states;
	(void)fn;
	(void)arg;
	return nt_err_set(err, -ENOENT, "cannot list TCP sockets");
}

static const struct nt_sys_ops ops = {
	.sockets = fake_sockets,
	.links = fake_links, .link_name = fake_link_name, .qdiscs = fake_qdiscs, .addrs = fake_addrs,
	.eth_get = fake_eth_get, .eth_drvinfo = fake_drvinfo, .eth_stats = fake_stats,
	.read = fake_read, .list = fake_list, .free = fake_free,
};

void fake_make(struct fake *f)
{
	memset(f, 0, sizeof *f);
	f->sys.ops = &ops;
	f->files = host_files;
	f->n_files = NT_ARRAY_SIZE(host_files);
	f->driver = "e1000e";
	add_link(f, LO, "lo", "", 0);
	add_link(f, ETH0, "eth0", "", 0);
	add_link(f, VLAN, "eth0.5", "vlan", ETH0 + 1);
	add_link(f, VETH0, "veth0", "veth", VETH1 + 1);
	add_link(f, VETH1, "veth1", "veth", VETH0 + 1)->carrier = 0;
	add_link(f, FAR, "mv0", "macvlan", ETH0 + 1)->lower_foreign = true;
}


void fake_drop_files(struct fake *f, size_t n)
{
	f->files += n;
	f->n_files -= n;
}
