/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The shipped catalogue: sound, its versions, and what it says of made-up hosts. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "nettune/patch.h"

static void print_fault(void *arg, int line, const char *section, const char *reason)
{
	(void)arg;
	printf("# catalogue.ini:%d: [%s] %s\n", line, section ? section : "", reason);
}

static int load(void **state)
{
	static struct nt_patches p;
	struct nt_err err = { 0 };

	*state = &p;
	return nt_patches_load(&p, NT_TOP_SRCDIR "/patches", print_fault, NULL, &err);
}

static int unload(void **state)
{
	nt_patches_free(*state);
	return 0;
}

static void catalogue_is_sound(void **state)
{
	const struct nt_patches *p = *state;
	struct nt_patch_verdict v;
	size_t i, k;

	assert_true(p->n >= 10);
	for (i = 0; i < p->n; i++) {
		const struct nt_patch *one = &p->v[i];

		if (one->replaced) {
			assert_null(one->cocci);
			continue;
		}
		assert_int_equal(access(one->cocci, R_OK), 0);
		assert_string_equal(one->licence, "GPL-2.0-only");
		assert_true(one->n_fits > 0 && one->n_affected > 0 && one->n_fixed > 0);
		/* a mainline release without the fault */
		for (k = 0; k < one->n_fixed && one->fixed[k].n > 2; k++)
			;
		assert_true(k < one->n_fixed || one->fixed[0].part[0] == 2);
		/* what was found faulty and what was not do not contradict */
		for (k = 0; k < one->n_fixed; k++) {
			nt_patch_judge_version(one, &one->fixed[k], &v);
			assert_int_equal(v.state, NT_PATCH_NOT_AFFECTED);
		}
		for (k = 0; k < one->n_affected; k++) {
			nt_patch_judge_version(one, &one->affected[k].first, &v);
			assert_int_equal(v.state, NT_PATCH_LIKELY);
		}
		for (k = 0; k < one->n_checked; k++) {
			nt_patch_judge_version(one, &one->checked[k], &v);
			assert_int_equal(v.state, NT_PATCH_LIKELY);
		}
	}
}

static void versions(void **state)
{
	static const struct {
		const char *id, *version;
		enum nt_patch_state want;
		const char *reason;
	} rows[] = {
		{ "tsq-floor", "3.10.17", NT_PATCH_NOT_AFFECTED,
			"the fault came with 3.10.18" },
		{ "tsq-floor", "3.10.18", NT_PATCH_LIKELY, "the version says so" },
		{ "tsq-floor", "3.10.22", NT_PATCH_LIKELY, "vendor kernels differ" },
		{ "tsq-floor", "3.10.23", NT_PATCH_NOT_AFFECTED, "fixed in 3.10.23" },
		{ "tsq-floor", "3.10.108", NT_PATCH_NOT_AFFECTED, "fixed in 3.10.23" },
		{ "tsq-floor", "3.11.6", NT_PATCH_NOT_AFFECTED,
			"the fault came with 3.11.7" },
		{ "tsq-floor", "3.11.7", NT_PATCH_LIKELY, "" },
		{ "tsq-floor", "3.11.10", NT_PATCH_LIKELY, "" },
		{ "tsq-floor", "3.12", NT_PATCH_LIKELY, "" },
		{ "tsq-floor", "3.12.0-2-armmp", NT_PATCH_LIKELY, "" },
		{ "tsq-floor", "3.12.3", NT_PATCH_LIKELY, "" },
		{ "tsq-floor", "3.12.4", NT_PATCH_NOT_AFFECTED, "fixed in 3.12.4" },
		{ "tsq-floor", "3.13-rc1", NT_PATCH_UNKNOWN, "3.13-rc1" },
		{ "tsq-floor", "3.13", NT_PATCH_NOT_AFFECTED, "fixed in 3.13" },
		{ "tsq-floor", "3.4.113", NT_PATCH_NOT_AFFECTED,
			"the fault came with 3.10.18" },
		{ "tsq-floor", "6.12.9", NT_PATCH_NOT_AFFECTED, "fixed in 3.13" },
		{ "mvneta-tx-irq", "3.7.10", NT_PATCH_NOT_AFFECTED,
			"the fault came with 3.8" },
		{ "mvneta-tx-irq", "3.8", NT_PATCH_LIKELY, "" },
		{ "mvneta-tx-irq", "3.10.33", NT_PATCH_LIKELY, "" },
		{ "mvneta-tx-irq", "3.10.50", NT_PATCH_UNKNOWN, "neither" },
		{ "mvneta-tx-irq", "3.10.72", NT_PATCH_NOT_AFFECTED, "fixed in 3.10.72" },
		{ "mvneta-tx-irq", "3.13.11", NT_PATCH_LIKELY, "" },
		{ "mvneta-tx-irq", "3.14.0", NT_PATCH_NOT_AFFECTED, "fixed in 3.14" },
		{ "mvneta-txdone-1", "3.12.0", NT_PATCH_UNKNOWN, "" },
		{ "mvneta-txdone-1", "3.10.62", NT_PATCH_LIKELY, "" },
		{ "mvneta-txdone-1", "3.10.63", NT_PATCH_NOT_AFFECTED,
			"fixed in 3.10.63" },
		{ "mvneta-txdone-1", "3.18.0", NT_PATCH_LIKELY, "" },
		{ "mvneta-txdone-1", "3.18.1", NT_PATCH_NOT_AFFECTED, "fixed in 3.18.1" },
		{ "mvneta-txdone-1", "3.19", NT_PATCH_NOT_AFFECTED, "fixed in 3.19" },
		{ "of-dma-mask", "3.10.102", NT_PATCH_LIKELY, "" },
		{ "of-dma-mask", "3.13", NT_PATCH_NOT_AFFECTED, "fixed in 3.13" },
		{ "armada-370-tclk", "3.10.21", NT_PATCH_LIKELY, "" },
		{ "armada-370-tclk", "3.10.22", NT_PATCH_NOT_AFFECTED,
			"fixed in 3.10.22" },
		{ "armada-370-tclk", "3.11.10", NT_PATCH_LIKELY, "" },
		{ "e1000-load-itr", "2.6.18.8", NT_PATCH_LIKELY, "" },
		{ "e1000-load-itr", "2.6.20", NT_PATCH_NOT_AFFECTED, "fixed in 2.6.20" },
		{ "e1000-load-itr", "2.6.32.71", NT_PATCH_NOT_AFFECTED,
			"fixed in 2.6.20" },
		{ "e1000e-wthresh", "3.2.46", NT_PATCH_NOT_AFFECTED,
			"the fault came with 3.3" },
		{ "e1000e-wthresh", "3.3.8", NT_PATCH_LIKELY, "" },
		{ "e1000e-wthresh", "3.4.60", NT_PATCH_UNKNOWN, "" },
		{ "e1000e-wthresh", "3.4.113", NT_PATCH_NOT_AFFECTED,
			"fixed in 3.4.112" },
		{ "e1000e-wthresh", "3.7", NT_PATCH_NOT_AFFECTED, "fixed in 3.7" },
		{ "stmmac-tx-end-of-burst", "6.1.192", NT_PATCH_LIKELY, "" },
		{ "stmmac-tx-end-of-burst", "6.1.193", NT_PATCH_UNKNOWN, "6.1.192" },
		{ "stmmac-tx-end-of-burst", "6.12.116", NT_PATCH_LIKELY, "" },
		{ "stmmac-tx-end-of-burst", "6.12.117", NT_PATCH_NOT_AFFECTED,
			"fixed in 6.12.117" },
		{ "stmmac-tx-end-of-burst", "6.17.0", NT_PATCH_LIKELY, "" },
		{ "stmmac-tx-end-of-burst", "7.2.13", NT_PATCH_LIKELY, "" },
		{ "stmmac-tx-end-of-burst", "7.2.14", NT_PATCH_UNKNOWN, "7.2.13" },
		{ "stmmac-tx-end-of-burst", "7.3.4", NT_PATCH_NOT_AFFECTED,
			"fixed in 7.3" },
	};
	struct nt_patch_verdict verdict;
	struct nt_version v;
	size_t i;

	for (i = 0; i < NT_ARRAY_SIZE(rows); i++) {
		const struct nt_patch *p = nt_patches_find(*state, rows[i].id);

		assert_non_null(p);
		assert_int_equal(nt_version_parse(rows[i].version, &v), 0);
		nt_patch_judge_version(p, &v, &verdict);
		if (verdict.state != rows[i].want ||
			!strstr(verdict.reason, rows[i].reason))
			fail_msg("%s on %s: %s: %s", rows[i].id, rows[i].version,
				nt_name_of(nt_patch_state_names, verdict.state),
				verdict.reason);
	}
}

/* A host to judge; NULL and -1 are what the snapshot does not have. */
struct host {
	const char *version, *machine, *driver;
	int timer; /* kernel.symbol.mvneta_tx_done_timer_callback */
	double delay_us;
	const char *upstream; /* "" for a number that does not tell */
};

static struct nt_snapshot *make(const struct host *h)
{
	struct nt_snapshot *s = nt_snapshot_new();
	struct nt_scope *link, *path;

	if (h->version)
		nt_fact_text(s, &s->host, NT_FACT_VERSION, "kernel.version", h->version);
	else
		nt_fact_absent(s, &s->host, "kernel.version", "not in this capture");
	if (h->upstream && *h->upstream)
		nt_fact_text(
			s, &s->host, NT_FACT_VERSION, "kernel.upstream", h->upstream);
	else if (h->upstream)
		nt_fact_absent(s, &s->host, "kernel.upstream", "its own number");
	if (h->machine)
		nt_fact_text(s, &s->host, NT_FACT_TEXT, "kernel.machine", h->machine);
	if (h->timer >= 0)
		nt_fact_bool(s, &s->host, "kernel.symbol.mvneta_tx_done_timer_callback",
			h->timer);
	link = nt_snapshot_add_link(s, "lo");
	link->interesting = false;
	link = nt_snapshot_add_link(s, "eth0");
	link->interesting = true;
	if (h->driver)
		nt_fact_text(s, link, NT_FACT_TEXT, "link.driver", h->driver);
	if (h->delay_us > 0) {
		path = nt_snapshot_add_path(s, "10.0.0.1");
		nt_fact_real(s, path, "probe.tx_completion", NT_UNIT_US, h->delay_us);
	}
	nt_snapshot_seal(s);
	return s;
}

static void hosts(void **state)
{
	static const struct {
		const char *id;
		struct host host;
		enum nt_patch_state want;
		const char *reason;
	} rows[] = {
		{ "tsq-floor", { "3.12.1", "armv7l", "mvneta", 1, 0, NULL },
			NT_PATCH_LIKELY, "vendor kernels differ" },
		{ "tsq-floor", { "3.12.1", "armv7l", "mvneta", 1, 10100, NULL },
			NT_PATCH_AFFECTED, "10.1 ms" },
		{ "tsq-floor", { "3.12.1", "armv7l", "mvneta", 1, 80, NULL },
			NT_PATCH_LIKELY, "" },
		{ "tsq-floor", { "6.1.0", "armv7l", "mvneta", 0, 10100, NULL },
			NT_PATCH_NOT_AFFECTED, "fixed in 3.13" },
		{ "tsq-floor", { NULL, "armv7l", "mvneta", 0, 0, NULL }, NT_PATCH_UNKNOWN,
			"not in this capture" },
		{ "mvneta-tx-irq", { "3.10.20", NULL, "mvneta", 1, 0, NULL },
			NT_PATCH_AFFECTED, "symbol mvneta_tx_done_timer_callback" },
		{ "mvneta-tx-irq", { "3.10.20", NULL, "mvneta", 0, 0, NULL },
			NT_PATCH_NOT_AFFECTED, "no symbol" },
		{ "mvneta-tx-irq", { "3.10.20", NULL, "mvneta", -1, 0, NULL },
			NT_PATCH_LIKELY, "" },
		{ "mvneta-tx-irq", { NULL, NULL, "mvneta", 1, 0, NULL },
			NT_PATCH_AFFECTED, "" },
		{ "mvneta-tx-irq", { "3.10.20", NULL, "igb", -1, 0, NULL },
			NT_PATCH_NOT_AFFECTED, "no link here has the driver mvneta" },
		{ "mvneta-tx-irq", { "3.10.20", NULL, NULL, -1, 0, NULL },
			NT_PATCH_UNKNOWN, "driver of a link is not known" },
		{ "mvneta-txdone-1", { "3.14.1", NULL, "mvneta", 0, 0, NULL },
			NT_PATCH_LIKELY, "" },
		{ "mvneta-txdone-1", { "3.10.40", NULL, "mvneta", 1, 0, NULL },
			NT_PATCH_NOT_AFFECTED, "has the symbol" },
		{ "of-dma-mask", { "3.12.0", "x86_64", "e1000e", -1, 0, NULL },
			NT_PATCH_NOT_AFFECTED, "this is x86_64" },
		{ "of-dma-mask", { "3.12.0", "armv7l", "mvneta", -1, 0, NULL },
			NT_PATCH_LIKELY, "" },
		{ "of-dma-mask", { "3.12.0", NULL, "mvneta", -1, 0, NULL },
			NT_PATCH_LIKELY, "" },
		{ "stmmac-tx-end-of-burst",
			{ "6.1.192", NULL, "st_gmac", -1, 5000, NULL }, NT_PATCH_AFFECTED,
			"5 ms" },
		{ "stmmac-tx-end-of-burst",
			{ "6.1.192", NULL, "rk_gmac-dwmac", -1, 0, NULL },
			NT_PATCH_LIKELY, "" },
		{ "e1000e-wthresh", { "3.3.8", NULL, "e1000", -1, 0, NULL },
			NT_PATCH_NOT_AFFECTED, "" },
		{ "tsq-floor", { "3.10.0", NULL, "igb", -1, 0, "" }, NT_PATCH_UNKNOWN,
			"its own number" },
		{ "tsq-floor", { "5.14.0", NULL, "igb", -1, 0, "" },
			NT_PATCH_NOT_AFFECTED, "fixed in 3.13" },
		{ "tsq-floor", { "3.11.0", NULL, "igb", -1, 0, "3.11.10" },
			NT_PATCH_LIKELY, "" },
		{ "stmmac-tx-end-of-burst",
			{ "6.12.0", NULL, "st_gmac", -1, 0, "6.12.117" },
			NT_PATCH_NOT_AFFECTED, "fixed in 6.12.117" },
		{ "stmmac-tx-end-of-burst", { "5.14.0", NULL, "st_gmac", -1, 9000, "" },
			NT_PATCH_UNKNOWN, "its own number" },
		{ "ipoib-batching", { "6.12.1", NULL, "ib_ipoib", -1, 0, NULL },
			NT_PATCH_UNKNOWN, "" },
	};
	struct nt_patch_verdict verdict;
	struct nt_snapshot *s;
	size_t i;

	for (i = 0; i < NT_ARRAY_SIZE(rows); i++) {
		s = make(&rows[i].host);
		nt_patch_judge(nt_patches_find(*state, rows[i].id), s, &verdict);
		nt_snapshot_free(s);
		if (verdict.state != rows[i].want ||
			!strstr(verdict.reason, rows[i].reason))
			fail_msg("%s, row %zu: %s: %s", rows[i].id, i,
				nt_name_of(nt_patch_state_names, verdict.state),
				verdict.reason);
	}
}

static void order(void **state)
{
	static const struct {
		const char *ids[4], *want; /* want: ids, or part of the error */
	} rows[] = {
		{ { "tsq-floor", NULL }, "tsq-floor" },
		{ { "mvneta-txdone-1", "mvneta-tx-irq", NULL },
			"mvneta-tx-irq mvneta-txdone-1" },
		{ { "mvneta-tx-irq", NULL }, "mvneta-tx-irq mvneta-txdone-1" },
		{ { "tsq-floor", "tsq-floor", NULL }, "tsq-floor" },
		{ { NULL }, "" },
		{ { "nope", NULL }, "no patch 'nope'" },
		{ { "mvneta-reap-in-poll", "mvneta-tx-irq", NULL },
			"exclude each other" },
		{ { "ipoib-batching", NULL }, "never became a patch" },
	};
	const struct nt_patch **list;
	struct nt_buf got = { 0 };
	struct nt_err err;
	size_t i, k;

	for (i = 0; i < NT_ARRAY_SIZE(rows); i++) {
		char *ids[4];

		for (k = 0; k < 4; k++)
			ids[k] = rows[i].ids[k] ? nt_strdup(rows[i].ids[k]) : NULL;
		nt_buf_cut(&got, 0);
		list = nt_patches_order(*state, ids, &err);
		for (k = 0; list && list[k]; k++)
			nt_buf_addf(&got, "%s%s", k ? " " : "", list[k]->id);
		if (!list)
			nt_buf_adds(&got, err.msg);
		if (list ? strcmp(nt_buf_str(&got), rows[i].want) != 0
			 : !strstr(nt_buf_str(&got), rows[i].want))
			fail_msg("row %zu: %s", i, nt_buf_str(&got));
		free(list);
		for (k = 0; k < 4; k++)
			free(ids[k]);
	}
	nt_buf_free(&got);
}

#define GOOD                                                                    \
	"title = t\nsubject = s\nwhy = w\nsee = s\nsources = M1\nlicence = l\n" \
	"does = d\nevidence = e\nparts = p\nfits = 3.1\n"

static void count_fault(void *arg, int line, const char *section, const char *reason)
{
	char *last = arg;

	(void)section;
	snprintf(last, 200, "%d: %s", line, reason);
}

static void faults(void **state)
{
	static const struct {
		const char *text, *want; /* part of the last fault; NULL: none */
	} rows[] = {
		{ "[a]\n" GOOD "files = x/y.c\naffected = 3.1..3.2, 3.4\nfixed = 3.5\n",
			NULL },
		{ "[a]\n" GOOD "files = x/y.c|x/z.c q.h\naffected = 3.1..3.1.9\n", NULL },
		{ "", NULL },
		{ "[a]\ntitle = t\n", "is missing" },
		{ "[a]\n" GOOD "affected = 3.1\n", "'files' is missing" },
		{ "[a]\n" GOOD "files = /etc/passwd\naffected = 3.1\n",
			"below the tree" },
		{ "[a]\n" GOOD "files = a/../../b\naffected = 3.1\n", "below the tree" },
		{ "[a]\n" GOOD "files = a|/b\naffected = 3.1\n", "below the tree" },
		{ "[a]\n" GOOD "files = a b c d e f g h i j k l m n o p q\naffected = 3.1\n",
			"more than 16" },
		{ "[a]\n" GOOD "files = a\naffected = 3.1..\n", "'3.1..'" },
		{ "[a]\n" GOOD "files = a\naffected = 3.x\n", "'3.x'" },
		{ "[a]\n" GOOD "files = a\naffected = 3.5..3.4\n", "'3.5..3.4'" },
		{ "[a]\n" GOOD "files = a\naffected = 3.5\nfixed = seven\n", "'seven'" },
		{ "[a]\n" GOOD "files = a\naffected = 3.5\ndelay = 4Mbit\n",
			"not a time" },
		{ "[a]\n" GOOD "files = a\naffected = 3.5\nneeds = b\n",
			"'b', which is no entry" },
		{ "[a]\n" GOOD "files = a\naffected = 3.5\nnope = b\n", "no key 'nope'" },
		{ "[a]\n" GOOD "files = a\naffected = 3.5\nreplaced = r\n",
			"exclude each other" },
		{ "[a]\n" GOOD "files = a\nparts = -x\naffected = 3.5\n",
			"'parts' again" },
	};
	struct nt_patches p;
	struct nt_err err;
	char last[200];
	size_t i;

	(void)state;
	for (i = 0; i < NT_ARRAY_SIZE(rows); i++) {
		int n;

		*last = '\0';
		n = nt_patches_parse(&p, rows[i].text, strlen(rows[i].text), "d",
			count_fault, last, &err);
		if (rows[i].want ? n <= 0 || !strstr(last, rows[i].want) : n != 0)
			fail_msg("row %zu: %d faults: %s", i, n, last);
		nt_patches_free(&p);
	}
}

static void circle_is_refused(void **state)
{
	static const char text[] = "[a]\n" GOOD "files = f\naffected = 3.1\nafter = b\n"
				   "[b]\n" GOOD "files = f\naffected = 3.1\nafter = a\n";
	char a[] = "a", b[] = "b", *ids[] = { a, b, NULL };
	struct nt_err err = { 0 };
	struct nt_patches p;

	(void)state;
	assert_int_equal(
		nt_patches_parse(&p, text, sizeof text - 1, "d", NULL, NULL, &err), 0);
	assert_null(nt_patches_order(&p, ids, &err));
	assert_non_null(strstr(err.msg, "circle"));
	nt_patches_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(catalogue_is_sound),
		cmocka_unit_test(versions),
		cmocka_unit_test(hosts),
		cmocka_unit_test(order),
		cmocka_unit_test(faults),
		cmocka_unit_test(circle_is_refused),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
