/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What drivers switch on by themselves. The kernel exports no default, so only drivers
 * whose source was read are here (linux 6.1, drivers/net); where a driver leaves something
 * off, it is not named. A feature that a device lacks is fixed off, so a row may promise
 * more than every chip has. GSO and GRO are the kernel's own: register_netdevice() switches
 * both on for every device, and veth takes GRO off again.
 */
#include "config.h"

#include "derive.h"

#include <string.h>

#include "nettune/names.h"
#include "snapshot.h"

enum {
	SG = 1U << 0,
	CSUM = 1U << 1, /* whichever transmit checksum the device has */
	TSO4 = 1U << 2,
	TSO6 = 1U << 3,
	RXCSUM = 1U << 4,
	GSO = 1U << 5,
	GRO = 1U << 6,
	TX = SG | CSUM | GSO,
	ALL = TX | TSO4 | TSO6 | RXCSUM | GRO,
};

static const struct {
	const char *name;
	unsigned flag;
} features[] = {
	{ "driver.enables.rx-checksum", RXCSUM },
	{ "driver.enables.rx-gro", GRO },
	{ "driver.enables.tx-checksum-ip-generic", CSUM },
	{ "driver.enables.tx-checksum-ipv4", CSUM },
	{ "driver.enables.tx-checksum-ipv6", CSUM },
	{ "driver.enables.tx-generic-segmentation", GSO },
	{ "driver.enables.tx-scatter-gather", SG },
	{ "driver.enables.tx-tcp-segmentation", TSO4 },
	{ "driver.enables.tx-tcp6-segmentation", TSO6 },
};

static const struct {
	const char *driver, *since; /* kernel, NULL for every */
	unsigned flags;
} drivers[] = {
	{ "8139cp", NULL, ALL & ~TSO6 },
	{ "amd-xgbe", NULL, ALL },
	{ "atlantic", NULL, ALL },
	{ "be2net", NULL, ALL },
	{ "bna", NULL, ALL },
	{ "bnx2", NULL, ALL },
	{ "bnx2x", NULL, ALL },
	{ "bnxt_en", NULL, ALL },
	{ "bonding", NULL, TX | TSO4 | TSO6 },
	{ "bridge", NULL, TX | TSO4 | TSO6 },
	{ "cxgb4", NULL, ALL },
	{ "e1000", NULL, TX | TSO4 | GRO }, /* receive checksums start off */
	{ "e1000e", NULL, ALL },
	{ "ena", NULL, ALL },
	{ "enic", NULL, ALL },
	{ "fm10k", NULL, ALL },
	{ "gve", NULL, ALL },
	{ "hns3", NULL, ALL },
	{ "hv_netvsc", NULL, ALL },
	{ "i40e", NULL, ALL },
	{ "iavf", NULL, ALL },
	{ "ice", NULL, ALL },
	{ "igb", NULL, ALL },
	{ "igbvf", NULL, ALL },
	{ "igc", NULL, ALL },
	{ "ionic", NULL, ALL },
	{ "ixgbe", NULL, ALL },
	{ "ixgbevf", NULL, ALL },
	{ "mana", NULL, ALL },
	{ "mlx4_en", NULL, ALL },
	{ "mlx5_core", NULL, ALL },
	{ "mvneta", NULL, ALL & ~TSO6 },
	{ "mvpp2", NULL, ALL & ~TSO6 },
	{ "myri10ge", NULL, ALL },
	{ "nfp", NULL, ALL & ~(TSO4 | TSO6) }, /* offers TSO and leaves it off */
	{ "nicvf", NULL, ALL & ~TSO6 },
	{ "qede", NULL, ALL },
	{ "r8152", NULL, GSO | GRO }, /* the rest is often off for a board's USB host */
	{ "r8169", NULL, CSUM | RXCSUM | GRO }, /* SG and TSO off: transmit timeouts */
	{ "sfc", NULL, ALL },
	{ "st_gmac", "5.7", TX | GRO }, /* older boards had a checksum fault */
	{ "team", NULL, TX | TSO4 | TSO6 },
	{ "tg3", NULL, ALL },
	{ "veth", NULL, TX | TSO4 | TSO6 },
	{ "virtio_net", NULL, ALL },
	{ "vmxnet3", NULL, ALL },
};

static const char *text(const struct nt_snapshot *s, const struct nt_scope *sc,
	const char *name)
{
	const struct nt_fact *f = nt_scope_get(s, sc, name);

	return f && f->type >= NT_FACT_TEXT && f->type <= NT_FACT_LIST ? f->v.s : NULL;
}

/*
 * e1000e takes TSO off again at 10 and 100 Mbit/s, and on the I219 of some chipsets; those
 * and their forerunners, the cards in the chipset, sit at fixed places on bus 0. Where that
 * is not known, or the kernel is too old to know it, nothing is promised for them.
 */
static unsigned for_e1000(const struct nt_snapshot *s, const struct nt_scope *link,
	unsigned flags)
{
	static const char *const in_chipset[] = { "*:00:1f.6", "*:00:19.0" };
	const struct nt_fact *speed = nt_scope_get(s, link, "link.speed");
	const char *place = text(s, link, "link.bus_info");
	size_t i;

	if (!place || !speed || speed->type != NT_FACT_INT || speed->v.i < 1000)
		return flags & ~(TSO4 | TSO6);
	for (i = 0; i < NT_ARRAY_SIZE(in_chipset); i++)
		if (nt_glob(in_chipset[i], place))
			return flags & ~(TSO4 | TSO6);
	return flags;
}

static bool old_kernel(const struct nt_snapshot *s, const char *since)
{
	const char *version = text(s, &s->host, "kernel.version");
	struct nt_version v, first;

	return since && (!version || nt_version_parse(version, &v) < 0 ||
				nt_version_parse(since, &first) < 0 ||
				nt_version_cmp(&v, &first) < 0);
}

void nt_derive_driver(struct nt_snapshot *s, struct nt_scope *link)
{
	const char *driver = text(s, link, "link.driver");
	unsigned flags = 0;
	size_t i;

	if (!driver || !*driver)
		return;
	for (i = 0; i < NT_ARRAY_SIZE(drivers); i++)
		if (strcmp(drivers[i].driver, driver) == 0 && !old_kernel(s, drivers[i].since))
			flags = drivers[i].flags;
	if (strncmp(driver, "e1000", 5) == 0)
		flags = for_e1000(s, link, flags);
	for (i = 0; i < NT_ARRAY_SIZE(features); i++)
		nt_fact_bool(s, link, features[i].name, flags & features[i].flag);
}
