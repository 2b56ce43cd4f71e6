/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts that follow from other facts. One table row each: a fact's name, its kind of scope
 * and the function that adds it from what the sealed scope knows. To add one: a function, a
 * row, and a line in the catalogue.
 */
#include "config.h"

#include "nettune/fact.h"

#include <stdio.h>
#include <string.h>

#include "nettune/names.h"
#include "derive.h"

/* What a derivation works on: it reads what was sealed and adds to the same scope. */
struct derivation {
	struct nt_snapshot *s;
	struct nt_scope *sc;
	const char *name; /* of the fact to add */
};

static const struct nt_fact *get(const struct derivation *d, const char *name)
{
	const struct nt_fact *f = nt_scope_get(d->s, d->sc, name);

	return f && f->type != NT_FACT_ABSENT ? f : NULL;
}

/* Text of a fact, NULL when unknown. */
static const char *text(const struct derivation *d, const char *name)
{
	const struct nt_fact *f = get(d, name);

	return f && (f->type == NT_FACT_TEXT || f->type == NT_FACT_VERSION ||
			    f->type == NT_FACT_LIST)
		? f->v.s
		: NULL;
}

static bool integer(const struct derivation *d, const char *name, int64_t *ret)
{
	const struct nt_fact *f = get(d, name);

	if (!f || f->type != NT_FACT_INT)
		return false;
	*ret = f->v.i;
	return true;
}

static void put_text(const struct derivation *d, const char *v)
{
	nt_fact_text(d->s, d->sc, NT_FACT_TEXT, d->name, v);
}

/* ---- TCP Small Queues ---------------------------------------------------------------- */

/*
 * What tcp_limit_output_bytes means, by mainline and stable release (KERNEL A and G): the
 * first row whose range holds decides. NULL bounds are open; a bound of two parts stands
 * for every release of that series, so "3.11.7".."3.11" is 3.11.7 and all later 3.11.y.
 *   46d3ceabd8d9  3.6     the limit itself
 *   c9eeec26e32e  3.12    max(truesize, rate >> 10): the sysctl has no part in it;
 *                 also stable 3.10.18 and 3.11.7
 *   98e09386c0ef  3.13    max(sysctl, rate >> 10), a floor; also 3.10.23 and 3.12.4, and
 *                 never in 3.11.y
 *   605ad7f184b6  3.19    min(max(2 * truesize, rate >> 10), sysctl), a ceiling
 *                 (between 3.14 and 4.4 by source, 3.19 by date)
 *                 5.0     the ceiling binds unpaced sockets alone
 *   c4221a8cc3a7  6.16    and again all (between 6.12 and 6.17 by source, 6.16 by date)
 */
static const struct {
	const char *first, *last, *role;
} tsq_roles[] = {
	{ NULL, "3.5", NULL },
	{ "3.10.18", "3.10.22", "none" },
	{ "3.11.7", "3.11", "none" },
	{ "3.12-rc4", "3.12.3", "none" },
	{ "3.10.23", "3.10", "floor" },
	{ "3.12.4", "3.18", "floor" },
	{ "3.6-rc1", "3.12-rc3", "limit" },
	{ "3.19-rc1", "4", "ceiling" },
	{ "5.0-rc1", "6.15", "ceiling-unpaced" },
	{ "6.16-rc1", NULL, "ceiling" },
};

/* The sysctl's default (KERNEL A): 4.2 by date, 5.0, 6.16 by date. */
static const struct {
	const char *first, *last;
	int64_t bytes;
} tsq_defaults[] = {
	{ "3.6-rc1", "4.1", 131072 },
	{ "4.2-rc1", "4", 262144 },
	{ "5.0-rc1", "6.15", 1048576 },
	{ "6.16-rc1", NULL, 4194304 },
};

/*
 * Kernels whose number says little: their makers carry so much of later releases that a row
 * of the tables above would be a guess. RHEL 7 is "3.10.0" throughout.
 */
static const char *const foreign_releases[] = { "3.10.0-*.el7*" };

static bool in_range(const struct nt_version *v, const char *first, const char *last)
{
	static const struct nt_version lowest = { .n = 1 },
				       highest = { .part = { 999999 }, .n = 1 };
	struct nt_version a = lowest, b = highest;

	if (first)
		nt_version_parse(first, &a);
	if (last)
		nt_version_parse(last, &b);
	return nt_version_in(v, &a, &b);
}

/* False, with the reason recorded, where the version can't tell. */
static bool kernel(const struct derivation *d, struct nt_version *ret)
{
	const char *version = text(d, "kernel.version"), *release = text(d, "kernel.release");
	size_t i;

	if (!version || nt_version_parse(version, ret) < 0)
		return false;
	for (i = 0; release && i < NT_ARRAY_SIZE(foreign_releases); i++)
		if (nt_glob(foreign_releases[i], release)) {
			nt_fact_absent(d->s, d->sc, d->name,
				"this distribution's kernel number does not tell");
			return false;
		}
	return true;
}

static void tsq_role(const struct derivation *d)
{
	struct nt_version v;
	size_t i;

	if (!kernel(d, &v))
		return;
	for (i = 0; i < NT_ARRAY_SIZE(tsq_roles); i++)
		if (in_range(&v, tsq_roles[i].first, tsq_roles[i].last))
			break;
	if (i == NT_ARRAY_SIZE(tsq_roles))
		return;
	if (tsq_roles[i].role)
		put_text(d, tsq_roles[i].role);
	else
		nt_fact_absent(d->s, d->sc, d->name, "this kernel has no TCP Small Queues");
}

static void tsq_default(const struct derivation *d)
{
	struct nt_version v;
	size_t i;

	if (!kernel(d, &v))
		return;
	for (i = 0; i < NT_ARRAY_SIZE(tsq_defaults); i++)
		if (in_range(&v, tsq_defaults[i].first, tsq_defaults[i].last)) {
			nt_fact_int(d->s, d->sc, d->name, NT_UNIT_BYTES,
				tsq_defaults[i].bytes);
			return;
		}
}

/* ---- host ---------------------------------------------------------------------------- */

static void forwarding4(const struct derivation *d)
{
	int64_t v;

	if (integer(d, "sysctl.net.ipv4.ip_forward", &v) ||
		integer(d, "sysctl.net.ipv4.conf.all.forwarding", &v))
		nt_fact_bool(d->s, d->sc, d->name, v != 0);
}

static void forwarding6(const struct derivation *d)
{
	int64_t v;

	if (integer(d, "sysctl.net.ipv6.conf.all.forwarding", &v))
		nt_fact_bool(d->s, d->sc, d->name, v != 0);
}

/* Either suffices; "no" needs both, but a kernel without IPv6 has but one. */
static void forwarding(const struct derivation *d)
{
	int64_t v4 = 0, v6 = 0;
	bool known4 = integer(d, "sysctl.net.ipv4.ip_forward", &v4),
	     known6 = integer(d, "sysctl.net.ipv6.conf.all.forwarding", &v6);

	if (v4 || v6)
		nt_fact_bool(d->s, d->sc, d->name, true);
	else if (known4 && (known6 || d->s->live))
		nt_fact_bool(d->s, d->sc, d->name, false);
}

static void conntrack_used(const struct derivation *d)
{
	int64_t count, max;

	if (integer(d, "sysctl.net.netfilter.nf_conntrack_count", &count) &&
		integer(d, "sysctl.net.netfilter.nf_conntrack_max", &max) && max > 0)
		nt_fact_real(d->s, d->sc, d->name, NT_UNIT_PERCENT,
			100.0 * (double)count / (double)max);
}

/* What gives a hypervisor away; the first row that matches counts. */
static const struct {
	const char *fact, *glob, *virt;
} hypervisors[] = {
	{ "host.hypervisor", "xen", "xen" },
	{ "host.vendor", "QEMU", "kvm" },
	{ "host.vendor", "Red Hat", "kvm" },
	{ "host.vendor", "VMware*", "vmware" },
	{ "host.vendor", "innotek*", "virtualbox" },
	{ "host.vendor", "Xen", "xen" },
	{ "host.vendor", "Amazon EC2", "amazon" },
	{ "host.vendor", "Google", "google" },
	{ "host.vendor", "OpenStack*", "kvm" },
	{ "host.vendor", "Parallels*", "parallels" },
	{ "host.vendor", "DigitalOcean", "kvm" },
	{ "host.product", "KVM*", "kvm" },
	{ "host.product", "Virtual Machine", "hyperv" },
	{ "host.product", "VMware*", "vmware" },
	{ "host.product", "VirtualBox", "virtualbox" },
	{ "host.clocksource", "kvm-clock", "kvm" },
	{ "host.clocksource", "hyperv_clocksource*", "hyperv" },
	{ "host.clocksource", "xen", "xen" },
};

static void virt(const struct derivation *d)
{
	size_t i;

	for (i = 0; i < NT_ARRAY_SIZE(hypervisors); i++) {
		const char *v = text(d, hypervisors[i].fact);

		if (v && nt_glob(hypervisors[i].glob, v)) {
			put_text(d, hypervisors[i].virt);
			return;
		}
	}
	if (text(d, "host.vendor") && text(d, "host.product"))
		put_text(d, "none");
}

/* ---- links --------------------------------------------------------------------------- */

/* What a link is, by the kernel's kind or by the driver; the first row that matches counts. */
static const struct {
	const char *fact, *glob, *role;
	bool is_virtual;
} roles[] = {
	{ "link.type", "loopback", "loopback", true },
	{ "link.kind", "veth", "veth", true },
	{ "link.kind", "netkit", "veth", true },
	{ "link.kind", "tun", "tap", true },
	{ "link.kind", "bridge", "master", true },
	{ "link.kind", "bond", "master", true },
	{ "link.kind", "team", "master", true },
	{ "link.kind", "openvswitch", "master", true },
	{ "link.kind", "vrf", "master", true },
	{ "link.kind", "hsr", "master", true },
	{ "link.kind", "vlan", "stacked", true },
	{ "link.kind", "mac*", "stacked", true },
	{ "link.kind", "ipvlan", "stacked", true },
	{ "link.kind", "ipvtap", "stacked", true },
	{ "link.kind", "dsa", "physical", false }, /* a port of a switch chip */
	{ "link.kind", "vxlan", "tunnel", true },
	{ "link.kind", "geneve", "tunnel", true },
	{ "link.kind", "*gre*", "tunnel", true },
	{ "link.kind", "erspan", "tunnel", true },
	{ "link.kind", "ip6erspan", "tunnel", true },
	{ "link.kind", "ipip", "tunnel", true },
	{ "link.kind", "ip6tnl", "tunnel", true },
	{ "link.kind", "sit", "tunnel", true },
	{ "link.kind", "vti*", "tunnel", true },
	{ "link.kind", "xfrm", "tunnel", true },
	{ "link.kind", "wireguard", "tunnel", true },
	{ "link.kind", "?*", "other", true },
	/* captures seldom tell the kind */
	{ "link.driver", "veth", "veth", true },
	{ "link.driver", "tun", "tap", true },
	{ "link.driver", "bridge", "master", true },
	{ "link.driver", "bonding", "master", true },
	{ "link.driver", "team", "master", true },
	{ "link.driver", "openvswitch", "master", true },
	{ "link.driver", "802.1Q VLAN Support", "stacked", true },
	{ "link.driver", "macvlan", "stacked", true },
	{ "link.driver", "macsec", "stacked", true },
	{ "link.driver", "ipvlan", "stacked", true },
	{ "link.driver", "vxlan", "tunnel", true },
	{ "link.driver", "geneve", "tunnel", true },
	{ "link.driver", "wireguard", "tunnel", true },
	{ "link.driver", "dummy", "other", true },
	{ "link.driver", "ifb", "other", true },
	/* a device, but the hypervisor's */
	{ "link.driver", "virtio_net", "paravirtual", false },
	{ "link.driver", "vmxnet3", "paravirtual", false },
	{ "link.driver", "hv_netvsc", "paravirtual", false },
	{ "link.driver", "vif", "paravirtual", false },
	{ "link.driver", "ena", "paravirtual", false },
	{ "link.driver", "gve", "paravirtual", false },
	{ "link.driver", "mana", "paravirtual", false },
	{ "link.driver", "?*", "physical", false },
	{ "link.bus", "?*", "physical", false },
};

/* link.role, and link.virtual from the same row. */
static void link_role(const struct derivation *d)
{
	const char *v[NT_ARRAY_SIZE(roles)];
	size_t i;

	for (i = 0; i < NT_ARRAY_SIZE(roles); i++) {
		/* rows of one fact stand together */
		v[i] = i && strcmp(roles[i].fact, roles[i - 1].fact) == 0 ? v[i - 1]
									   : text(d, roles[i].fact);
		if (v[i] && nt_glob(roles[i].glob, v[i]))
			break;
	}
	if (i == NT_ARRAY_SIZE(roles) && !d->s->live)
		return;
	put_text(d, i < NT_ARRAY_SIZE(roles) ? roles[i].role : "other");
	nt_fact_bool(d->s, d->sc, "link.virtual",
		i == NT_ARRAY_SIZE(roles) || roles[i].is_virtual);
}

/* ---- the table ----------------------------------------------------------------------- */

static const struct {
	const char *name;
	enum nt_scope_kind scope;
	void (*derive)(const struct derivation *d);
} derived[] = {
	{ "conntrack.used_pct", NT_SCOPE_HOST, conntrack_used },
	{ "host.forwarding", NT_SCOPE_HOST, forwarding },
	{ "host.forwarding.ipv4", NT_SCOPE_HOST, forwarding4 },
	{ "host.forwarding.ipv6", NT_SCOPE_HOST, forwarding6 },
	{ "host.virt", NT_SCOPE_HOST, virt },
	{ "tsq.limit_default", NT_SCOPE_HOST, tsq_default },
	{ "tsq.role", NT_SCOPE_HOST, tsq_role },
	{ "link.role", NT_SCOPE_LINK, link_role }, /* and link.virtual */
};

static void derive_scope(struct nt_snapshot *s, struct nt_scope *sc)
{
	struct derivation d = { .s = s, .sc = sc };
	size_t i;

	for (i = 0; i < NT_ARRAY_SIZE(derived); i++) {
		d.name = derived[i].name;
		if (derived[i].scope == sc->kind && !get(&d, d.name))
			derived[i].derive(&d);
	}
}

void nt_derive(struct nt_snapshot *s)
{
	size_t i;

	nt_snapshot_unseal(s);
	derive_scope(s, &s->host);
	for (i = 0; i < s->n_links; i++)
		derive_scope(s, s->links[i]);
	for (i = 0; i < s->n_paths; i++)
		derive_scope(s, s->paths[i]);
	nt_snapshot_seal(s);
	nt_snapshot_unseal(s); /* these build on the role and the rest */
	for (i = 0; i < s->n_links; i++) {
		nt_derive_driver(s, s->links[i]);
		nt_derive_link(s, s->links[i]);
	}
	nt_derive_kernel(s);
	nt_derive_drivers(s);
	nt_snapshot_seal(s);
}
