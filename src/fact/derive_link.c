/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a link's counters and modes mean, whatever its driver calls them: packets that found
 * the receive ring full, frames damaged on the wire, pause frames, the speeds both ends
 * offer, and whether the link is sound enough for anything else to be worth a look.
 */
#include "config.h"

#include "derive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nettune/buf.h"
#include "nettune/names.h"
#include "snapshot.h"

/* A quantity from the counters that may hold it; blanks between the names. */
struct source {
	const char *driver; /* NULL: every */
	const char *names;
	bool add; /* parts of it; otherwise names for the same, the largest counts */
};

/*
 * Where each driver counts packets that found no receive descriptor (K4.1, read in 6.12).
 * Left out are drivers that show them in rx_dropped alone: the stack adds frames there that
 * nobody listens to.
 */
static const struct source ring_drops[] = {
	{ "ixgbe", "stats64.rx_missed_errors stat.rx_no_dma_resources", true },
	{ "i40e", "stats64.rx_missed_errors", true },
	{ "ice", "stat.rx_dropped.nic", true },
	{ "igb", "stats64.rx_fifo_errors", true }, /* has the missed ones in it */
	{ "igc", "stats64.rx_fifo_errors", true },
	{ "e1000", "stats64.rx_missed_errors stat.rx_missed_errors", false },
	{ "e1000e", "stats64.rx_missed_errors stat.rx_missed_errors", false },
	{ "mlx5_core", "stats64.rx_missed_errors stat.rx_out_of_buffer", false },
	{ "bnxt_en", "stats64.rx_missed_errors", true },
	{ "bnx2", "stats64.rx_missed_errors", true },
	{ "bnx2x", "stats64.rx_fifo_errors", true },
	{ "r8169", "stats64.rx_missed_errors stat.rx_missed", false },
	{ "vmxnet3", "stat.*pkts?rx?OOB", true },
	{ "hv_netvsc", "stat.rx_no_memory", true },
	{ "mana", "stat.hc_rx_discards_no_wqe", true },
	{ "gve", "stat.rx_no_buffers_posted[[]*", true },
	{ "st_gmac", "stat.mmc_rx_fifo_overflow", true },
	{ "st_xgmac", "stat.mmc_rx_fifo_overflow", true },
	{ "mvneta", "stat.rx_discard stat.rx_overrun", true },
	{ "mvpp2", "stat.rxq_*_packets_bm_drops stat.rx_fifo_or_parser_overrun_drops", true },
	{ "macb", "stats64.rx_over_errors", true },
	{ "qede", "stats64.rx_fifo_errors", true },
	{ "sfc", "stat.port_rx_nodesc_drops", true },
	{ "ionic", "stats64.rx_over_errors", true },
	{ "mtk_soc_eth", "stats64.rx_over_errors", true },
	{ "gianfar", "stats64.rx_missed_errors", true },
	{ "alx", "stats64.rx_fifo_errors", true },
};

/* For a capture that does not tell the driver: what all that have the names mean by them. */
static const struct source ring_drops_any = { NULL,
	"stats64.rx_missed_errors stats64.rx_fifo_errors stat.rx_missed_errors "
	"stat.rx_fifo_errors stat.rx_out_of_buffer", false };

static const struct source wire_errors = { NULL,
	"stats64.rx_crc_errors stats64.rx_frame_errors stat.rx_crc_errors "
	"stat.rx_crc_errors_phy stat.rx_crc_errors.nic stat.port.rx_crc_errors stat.rx_crc "
	"stat.rx_fcs_errors stat.rx_fcs_err stat.mmc_rx_crc_error stat.align_errors", false };

static const struct source pause_received = { NULL,
	"stat.rx_pause stat.rx_pause_ctrl_phy stat.rx_pause_frames stat.rx_flow_control_xoff "
	"stat.rx_xoff_pause_rcvd stat.link_xoff_rx.nic stat.port.link_xoff_rx "
	"stat.mmc_rx_pause_frame stat.pause_frames_received", false };

static const struct source pause_sent = { NULL,
	"stat.tx_pause stat.tx_pause_ctrl_phy stat.tx_pause_frames stat.tx_flow_control_xoff "
	"stat.tx_xoff_sent stat.link_xoff_tx.nic stat.port.link_xoff_tx "
	"stat.mmc_tx_pause_frame", false };

static const struct source packets = { NULL, "stats64.rx_packets", false };
static const struct source packets_by_driver = { NULL, "stat.rx_packets", false };

struct deriving {
	struct nt_snapshot *s;
	struct nt_scope *link;
};

static const struct nt_fact *get(const struct deriving *d, const char *name)
{
	const struct nt_fact *f = nt_scope_get(d->s, d->link, name);

	return f && f->type != NT_FACT_ABSENT ? f : NULL;
}

static bool number(const struct nt_fact *f, double *ret)
{
	if (!f || (f->type != NT_FACT_INT && f->type != NT_FACT_REAL))
		return false;
	*ret = f->type == NT_FACT_INT ? (double)f->v.i : f->v.r;
	return true;
}

static const char *text(const struct deriving *d, const char *name)
{
	const struct nt_fact *f = get(d, name);

	return f && f->type >= NT_FACT_TEXT ? f->v.s : NULL;
}

static bool is(const struct deriving *d, const char *name, const char *value)
{
	const char *v = text(d, name);

	return v && strcmp(v, value) == 0;
}

static const char *why_no_counter(const struct deriving *d)
{
	const struct nt_fact *all = nt_scope_get(d->s, d->link, "stat.*");

	return all && all->type == NT_FACT_ABSENT ? all->v.s
						   : "the driver has no counter for it";
}

static void join(double v, bool add, bool *known, double *ret)
{
	*ret = !*known ? v : add ? *ret + v : v > *ret ? v : *ret;
	*known = true;
}

/* One name of a source, or all facts that match it. */
static void one_name(const struct deriving *d, const char *name, bool add, bool *known,
	double *ret)
{
	const struct nt_scope *sc = d->link;
	double v;
	size_t i;

	if (!strpbrk(name, "*?[")) {
		if (number(get(d, name), &v))
			join(v, add, known, ret);
		return;
	}
	for (i = 0; i < sc->n; i++)
		if (nt_glob(name, nt_snapshot_name(d->s, sc->facts[i].id)) &&
			number(&sc->facts[i], &v))
			join(v, add, known, ret);
}

/* The value of a source, its names behind prefix ("" or "rate."); false when unknown. */
static bool value(const struct deriving *d, const struct source *src, const char *prefix,
	double *ret)
{
	size_t before = strlen(prefix), len;
	bool known = false;
	const char *p;
	char name[96];

	memcpy(name, prefix, before);
	for (p = src->names; *p; p += len + (p[len] == ' ')) {
		len = strchrnul(p, ' ') - p;
		if (before + len >= sizeof name)
			continue;
		memcpy(name + before, p, len);
		name[before + len] = '\0';
		one_name(d, name, src->add, &known, ret);
	}
	return known;
}

static bool is_virtual(const struct deriving *d)
{
	const struct nt_fact *f = get(d, "link.virtual");

	return f && f->v.i;
}

/* The first of the source's rates that is missing for a reason of its own. */
static const char *why_no_rate(const struct deriving *d, const struct source *src)
{
	const char *p, *name;
	size_t i, len;

	for (i = 0; i < d->link->n; i++) {
		const struct nt_fact *f = &d->link->facts[i];

		name = nt_snapshot_name(d->s, f->id);
		if (f->type != NT_FACT_ABSENT || strncmp(name, "rate.", 5) != 0)
			continue;
		for (p = src->names; *p; p += len + (p[len] == ' ')) {
			len = strchrnul(p, ' ') - p;
			if (strlen(name + 5) == len && memcmp(name + 5, p, len) == 0)
				return f->v.s;
		}
	}
	return why_no_counter(d);
}

static void rate_of(const struct deriving *d, const char *name, const struct source *src,
	bool none)
{
	char rate[48];
	double v = 0;

	snprintf(rate, sizeof rate, "rate.%s", name);
	if (none || value(d, src, "rate.", &v))
		nt_fact_real(d->s, d->link, rate, NT_UNIT_PER_S, v);
	else
		nt_fact_absent(d->s, d->link, rate, why_no_rate(d, src));
}

/* As counters beyond it are, a sum stays at the largest integer. */
static int64_t whole(double v)
{
	return v < (double)INT64_MAX ? (int64_t)v : INT64_MAX;
}

/* A count and its rate under the given name. Software alone has neither ring nor wire. */
static bool count(const struct deriving *d, const char *name, const struct source *src,
	bool of_device, double *ret)
{
	bool none = of_device && is_virtual(d);

	if (d->s->interval_s > 0)
		rate_of(d, name, src, none);
	if (none)
		*ret = 0;
	else if (!value(d, src, "", ret)) {
		nt_fact_absent(d->s, d->link, name, why_no_counter(d));
		return false;
	}
	nt_fact_int(d->s, d->link, name, NT_UNIT_PACKETS, whole(*ret));
	return true;
}

static void ring(const struct deriving *d)
{
	/* /proc/net/dev and ifconfig put missed packets under "dropped" */
	static const struct source merged = { NULL, "stats64.rx_dropped", true };
	const char *driver = text(d, "link.driver");
	const struct source *src = driver ? NULL : &ring_drops_any;
	double v;
	size_t i;

	for (i = 0; driver && i < NT_ARRAY_SIZE(ring_drops); i++)
		if (strcmp(ring_drops[i].driver, driver) == 0)
			src = &ring_drops[i];
	if (is_virtual(d))
		src = &ring_drops_any;
	if (!src) {
		nt_fact_absent(d->s, d->link, "rx.ring_drops", why_no_counter(d));
		return;
	}
	if (!count(d, "rx.ring_drops", src, true, &v) && driver && !d->s->live &&
		strstr(src->names, "rx_missed_errors") && value(d, &merged, "", &v) &&
		v >= 100000)
		nt_fact_int(d->s, d->link, "rx.ring_drops", NT_UNIT_PACKETS, whole(v));
}

/* Whether the len bytes at word are one of list's words. */
static bool in_list(const char *list, const char *word, size_t len)
{
	const char *p;
	size_t n;

	for (p = list + strspn(list, " "); *p; p += n, p += strspn(p, " ")) {
		n = strcspn(p, " ");
		if (n == len && strncmp(p, word, len) == 0)
			return true;
	}
	return false;
}

/* The fastest mode of list, in Mbit/s, that common (NULL: any) has too. */
static int64_t fastest(const char *list, const char *common)
{
	int64_t best = 0, speed;
	const char *p;
	char *end;
	size_t len;

	for (p = list + strspn(list, " "); *p; p += len, p += strspn(p, " ")) {
		len = strcspn(p, " ");
		speed = strtol(p, &end, 10);
		if (end != p && strncmp(end, "base", 4) == 0 && speed > best &&
			(!common || in_list(common, p, len)))
			best = speed;
	}
	return best;
}

static void speed_fact(const struct deriving *d, const char *name, int64_t mbps)
{
	if (mbps > 0)
		nt_fact_int(d->s, d->link, name, NT_UNIT_MBPS, mbps);
}

static void peer_mtu(const struct deriving *d)
{
	const char *peer = text(d, "link.peer");
	const struct nt_scope *sc = peer && *peer ? nt_snapshot_link(d->s, peer) : NULL;
	const struct nt_fact *mtu = sc ? nt_scope_get(d->s, sc, "link.mtu") : NULL;

	if (mtu && mtu->type == NT_FACT_INT)
		nt_fact_int(d->s, d->link, "link.peer_mtu", NT_UNIT_BYTES, mtu->v.i);
}

/* Signs in the kernel's log that something else than a setting is wrong. */
static bool in_trouble(const struct deriving *d)
{
	static const char *const of_link[] = { "log.tx_hang", "log.tx_timeout",
		"log.usb_tx_error", "log.driver_trace" };
	static const char *const of_host[] = { "log.dhcp_bad_checksum",
		"log.tunnel_bad_checksum" };
	double v;
	size_t i;

	for (i = 0; i < NT_ARRAY_SIZE(of_link); i++)
		if (number(get(d, of_link[i]), &v) && v > 0)
			return true;
	for (i = 0; i < NT_ARRAY_SIZE(of_host); i++)
		if (number(nt_scope_get(d->s, &d->s->host, of_host[i]), &v) && v > 0)
			return true;
	return false;
}

/* Half duplex, slower than both ends offer, or one frame in ten thousand damaged. */
static bool bad_wire(const struct deriving *d, int64_t common, int64_t best)
{
	double speed, errors, received, rate;

	if (is_virtual(d))
		return false;
	if (is(d, "link.duplex", "half"))
		return true;
	if (number(get(d, "link.speed"), &speed) && speed > 0 &&
		(speed < common || (speed <= 10 && best >= 1000)))
		return true;
	if (value(d, &wire_errors, "rate.", &rate) && rate >= 1)
		return true;
	return value(d, &wire_errors, "", &errors) && errors >= 50 &&
	       value(d, &packets, "", &received) && errors > received / 10000;
}

/* The fastest mode that both ends offer, and that this end has; 0 where not known. */
static void speeds(const struct deriving *d, int64_t *ret_common, int64_t *ret_best)
{
	const char *ours = text(d, "link.advertise"), *peers = text(d, "link.peer-advertise"),
		   *supported = text(d, "link.supported");

	*ret_common = ours && peers ? fastest(ours, peers) : 0;
	*ret_best = supported ? fastest(supported, NULL) : ours ? fastest(ours, NULL) : 0;
}

/* The link and what it is stacked on. */
static bool sound(const struct deriving *d)
{
	struct deriving at = *d;
	int64_t common, best;

	for (; at.link; at.link = at.link->lower) {
		speeds(&at, &common, &best);
		if (bad_wire(&at, common, best) || in_trouble(&at))
			return false;
	}
	return true;
}

void nt_derive_link(struct nt_snapshot *s, struct nt_scope *link)
{
	struct deriving d = { s, link };
	int64_t best, common;
	double v;

	speeds(&d, &common, &best);
	if (text(&d, "link.peer-advertise"))
		speed_fact(&d, "link.speed_common", common);
	else
		nt_fact_absent(s, link, "link.speed_common", "the other end's modes are not told");
	speed_fact(&d, "link.speed_best", best);
	if (!count(&d, "rx.packets", &packets, false, &v))
		count(&d, "rx.packets", &packets_by_driver, false, &v);
	ring(&d);
	count(&d, "rx.wire_errors", &wire_errors, true, &v);
	count(&d, "rx.pause_frames", &pause_received, true, &v);
	count(&d, "tx.pause_frames", &pause_sent, true, &v);
	peer_mtu(&d);
	nt_fact_bool(s, link, "link.sound", sound(&d));
}

void nt_derive_drivers(struct nt_snapshot *s)
{
	struct nt_symtab seen = { 0 };
	struct nt_buf list = { 0 };
	const struct nt_fact *f;
	size_t i, n;

	for (i = 0; i < s->n_links; i++) {
		f = nt_scope_get(s, s->links[i], "link.driver");
		if (!f || f->type != NT_FACT_TEXT || !*f->v.s || strchr(f->v.s, ' '))
			continue;
		n = seen.n;
		if (nt_symtab_add(&seen, f->v.s) > n)
			nt_buf_addf(&list, "%s%s", list.len ? " " : "", f->v.s);
	}
	if (s->n_links)
		nt_fact_text(s, &s->host, NT_FACT_LIST, "host.drivers", nt_buf_str(&list));
	nt_buf_free(&list);
	nt_symtab_free(&seen);
}
