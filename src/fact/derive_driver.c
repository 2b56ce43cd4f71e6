/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What drivers switch on by themselves. The kernel exports no default, so only drivers whose
 * source was read are here: where each sets features and hw_features, in 3.2, 3.10, 3.14,
 * 3.17, 4.4, 5.4, 5.10, 6.1, 6.12, 6.18, 7.2 and 7.3, as far as they have it. A row promises
 * a feature only if no device of the driver offers it and starts with it off: what a device
 * lacks is fixed off, so a row may promise more than every chip has. GSO and GRO are the
 * kernel's own: register_netdevice() switches both on for every device, and veth takes GRO
 * off again.
 *
 * Read and left out, though on at first: what boards and hypervisors are known to switch off
 * for a reason (lan78xx, ax88179_178a, xen-netfront, most of r8152 and stmmac, all that macb
 * sends with, which stalls on the Raspberry Pi 5, TSO of mtk_soc_eth), and drivers that leave
 * something off on some chips only (am65-cpsw, qlcnic). The file of each row is below
 * drivers/net, ethernet/ left out.
 */
#include "config.h"

#include "derive.h"

#include <string.h>

#include "nettune/names.h"
#include "snapshot.h"

enum {
	SG = 1U << 0,
	HW_CSUM = 1U << 1, /* of any protocol; a device has this or the next two */
	IP_CSUM = 1U << 2,
	IP6_CSUM = 1U << 3,
	TSO4 = 1U << 4,
	TSO6 = 1U << 5,
	RXCSUM = 1U << 6,
	GSO = 1U << 7,
	GRO = 1U << 8,
	CSUM = HW_CSUM | IP_CSUM | IP6_CSUM,
	TX = SG | CSUM | GSO,
	ALL = TX | TSO4 | TSO6 | RXCSUM | GRO,
};

static const struct {
	const char *name;
	unsigned flag;
} features[] = {
	{ "driver.enables.rx-checksum", RXCSUM },
	{ "driver.enables.rx-gro", GRO },
	{ "driver.enables.tx-checksum-ip-generic", HW_CSUM },
	{ "driver.enables.tx-checksum-ipv4", IP_CSUM },
	{ "driver.enables.tx-checksum-ipv6", IP6_CSUM },
	{ "driver.enables.tx-generic-segmentation", GSO },
	{ "driver.enables.tx-scatter-gather", SG },
	{ "driver.enables.tx-tcp-segmentation", TSO4 },
	{ "driver.enables.tx-tcp6-segmentation", TSO6 },
};

/* By driver, of one driver the newest kernel last: the last row that fits counts. */
static const struct {
	const char *driver, *since; /* kernel, NULL for every */
	unsigned flags;
} drivers[] = {
	{ "8139cp", NULL, RXCSUM | GRO }, /* realtek/8139cp.c */
	{ "8139cp", "4.4", ALL & ~TSO6 },
	{ "amd-xgbe", NULL, ALL }, /* amd/xgbe/xgbe-main.c */
	{ "atlantic", NULL, ALL }, /* aquantia/atlantic/aq_nic.c, hw_atl2.c */
	{ "bcmgenet", NULL, GRO }, /* broadcom/genet/bcmgenet.c */
	{ "bcmgenet", "5.10", TX | RXCSUM | GRO },
	{ "be2net", NULL, ALL }, /* emulex/benet/be_main.c */
	{ "bna", NULL, ALL }, /* brocade/bna/bnad.c */
	{ "bnx2", NULL, ALL }, /* broadcom/bnx2.c */
	{ "bnx2x", NULL, ALL }, /* broadcom/bnx2x/bnx2x_main.c */
	{ "bnxt_en", NULL, ALL }, /* broadcom/bnxt/bnxt.c */
	{ "bonding", NULL, TX | TSO4 | TSO6 }, /* bonding/bond_main.c */
	{ "bridge", NULL, TX | TSO4 | TSO6 }, /* net/bridge/br_device.c */
	{ "cxgb3", NULL, ALL & ~(TSO6 | IP6_CSUM) }, /* chelsio/cxgb3/cxgb3_main.c */
	{ "cxgb4", NULL, ALL }, /* chelsio/cxgb4/cxgb4_main.c */
	{ "cxgb4vf", NULL, ALL }, /* chelsio/cxgb4vf/cxgb4vf_main.c */
	/* intel/e1000/e1000_main.c: receive checksums are offered and start off */
	{ "e1000", NULL, TX | TSO4 | GRO },
	{ "e1000e", NULL, ALL }, /* intel/e1000e/netdev.c; see for_e1000() */
	{ "ena", NULL, ALL }, /* amazon/ena/ena_netdev.c */
	{ "enic", NULL, ALL }, /* cisco/enic/enic_main.c */
	{ "fbnic", NULL, ALL }, /* meta/fbnic/fbnic_netdev.c */
	{ "fec", NULL, ALL & ~TSO6 }, /* freescale/fec_main.c */
	{ "fm10k", NULL, ALL }, /* intel/fm10k/fm10k_netdev.c */
	{ "fsl_dpaa2_eth", NULL, ALL & ~TSO6 }, /* freescale/dpaa2/dpaa2-eth.c */
	{ "fsl_enetc", NULL, ALL }, /* freescale/enetc/enetc_pf.c, enetc_pf_common.c */
	{ "fsl_enetc_vf", NULL, ALL }, /* freescale/enetc/enetc_vf.c */
	{ "gve", NULL, ALL }, /* google/gve/gve_main.c */
	{ "hinic", NULL, ALL }, /* huawei/hinic/hinic_main.c */
	{ "hns3", NULL, ALL }, /* hisilicon/hns3/hns3_enet.c */
	{ "hv_netvsc", NULL, ALL }, /* hyperv/netvsc_drv.c, rndis_filter.c */
	{ "i40e", NULL, ALL }, /* intel/i40e/i40e_main.c */
	{ "i40evf", NULL, ALL }, /* intel/i40evf/i40evf_main.c: what iavf was called */
	{ "iavf", NULL, ALL }, /* intel/iavf/iavf_main.c */
	/* intel/ice/ice_main.c: E830 offers the checksum of any protocol from 6.18 on, in
	 * exchange for TSO, and starts without */
	{ "ice", NULL, ALL & ~HW_CSUM },
	{ "idpf", NULL, ALL }, /* intel/idpf/idpf_lib.c */
	{ "igb", NULL, ALL }, /* intel/igb/igb_main.c */
	{ "igbvf", NULL, ALL }, /* intel/igbvf/netdev.c */
	{ "igc", NULL, ALL }, /* intel/igc/igc_main.c */
	{ "ionic", NULL, ALL }, /* pensando/ionic/ionic_lif.c */
	{ "ixgbe", NULL, ALL }, /* intel/ixgbe/ixgbe_main.c */
	{ "ixgbevf", NULL, ALL }, /* intel/ixgbevf/ixgbevf_main.c */
	{ "lan743x", NULL, ALL & ~TSO6 }, /* microchip/lan743x_main.c */
	{ "macb", NULL, RXCSUM | GRO }, /* cadence/macb_main.c */
	{ "mana", NULL, ALL }, /* microsoft/mana/mana_en.c */
	{ "mlx4_en", NULL, ALL }, /* mellanox/mlx4/en_netdev.c */
	{ "mlx5_core", NULL, ALL }, /* mellanox/mlx5/core/en_main.c */
	{ "mtk_soc_eth", NULL, ALL & ~(TSO4 | TSO6) }, /* mediatek/mtk_eth_soc.c */
	{ "mvneta", NULL, ALL & ~TSO6 }, /* marvell/mvneta.c */
	{ "mvpp2", NULL, ALL & ~TSO6 }, /* marvell/mvpp2/mvpp2_main.c */
	{ "myri10ge", NULL, ALL }, /* myricom/myri10ge/myri10ge.c */
	/* netronome/nfp/nfp_net_common.c: 5.19 offers TSO and leaves it off, 6.1.192 does not */
	{ "nfp", NULL, ALL & ~(TSO4 | TSO6) },
	{ "nfp", "6.2", ALL },
	{ "nfp_netvf", NULL, ALL & ~(TSO4 | TSO6) },
	{ "nfp_netvf", "6.2", ALL },
	{ "ngbe", NULL, ALL }, /* wangxun/ngbe/ngbe_main.c */
	{ "nicvf", NULL, ALL }, /* cavium/thunder/nicvf_main.c */
	{ "qede", NULL, ALL }, /* qlogic/qede/qede_main.c */
	/* usb/r8152.c starts with all on: the rest is often off for a board's USB host */
	{ "r8152", NULL, GSO | GRO },
	/* realtek/r8169_main.c: SG and TSO were on in 5.4 and 5.5 and are again from 6.13, on
	 * some chips; people switch them off for transmit timeouts */
	{ "r8169", NULL, RXCSUM | GRO },
	{ "r8169", "5.4", CSUM | RXCSUM | GRO },
	{ "rvu-nicpf", NULL, ALL }, /* marvell/octeontx2/nic/otx2_pf.c */
	{ "rvu-nicvf", NULL, ALL }, /* marvell/octeontx2/nic/otx2_vf.c */
	{ "sfc", NULL, ALL }, /* sfc/efx.c, efx_common.c, ef100_netdev.c */
	{ "sfc_siena", NULL, ALL }, /* sfc/siena/efx.c */
	{ "sky2", NULL, ALL & ~(TSO6 | IP6_CSUM) }, /* marvell/sky2.c */
	/* stmicro/stmmac/stmmac_main.c starts with all on; older boards had a checksum fault */
	{ "st_gmac", "5.7", TX | GRO },
	{ "st_xgmac", "5.7", TX | GRO },
	{ "team", NULL, TX | TSO4 | TSO6 }, /* team/team.c, team_core.c */
	{ "tg3", NULL, ALL }, /* broadcom/tg3.c */
	{ "txgbe", NULL, ALL }, /* wangxun/txgbe/txgbe_main.c */
	{ "veth", "3.9", TX | TSO4 | TSO6 }, /* veth.c: 3.8 offers SG and checksums only, off */
	{ "virtio_net", NULL, ALL }, /* virtio_net.c */
	{ "vmxnet3", NULL, ALL }, /* vmxnet3/vmxnet3_drv.c */
};

static const char *text(const struct nt_snapshot *s, const struct nt_scope *sc,
	const char *name)
{
	const struct nt_fact *f = nt_scope_get(s, sc, name);

	return f && f->type >= NT_FACT_TEXT && f->type <= NT_FACT_LIST ? f->v.s : NULL;
}

/*
 * Up to 6.2 e1000e takes TSO off again at 10 and 100 Mbit/s, which is not what its user asked
 * for; later it fixes it off on the I219 of some chipsets. Those and their forerunners, the
 * cards in the chipset, sit at fixed places on bus 0. Where that is not known, or the kernel
 * is too old to know it, nothing is promised for them.
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
