/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A patch catalogue of any bytes: loaded, every entry judged and ordered. */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "nettune/patch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count(void *arg, int line, const char *section, const char *reason)
{
	(void)section;
	if (line < 1 || !*reason)
		abort();
	++*(int *)arg;
}

static void use(const struct nt_patches *p, const struct nt_patch *one,
	const struct nt_snapshot *s, const struct nt_version *v)
{
	char *id = nt_strdup(one->id), *ids[] = { id, NULL };
	struct nt_patch_verdict verdict;
	const struct nt_patch **order;
	struct nt_buf text = { 0 };
	struct nt_err err = { 0 };

	if (!*one->title || !one->files || !one->drivers)
		abort();
	nt_patch_judge(one, s, &verdict);
	nt_patch_judge_version(one, v, &verdict);
	if (!nt_name_of(nt_patch_state_names, verdict.state) || !*verdict.reason)
		abort();
	nt_patch_format_affected(&text, one);
	nt_patch_format_versions(&text, one->fits, one->n_fits);
	order = nt_patches_order(p, ids, &err);
	if (!order != (err.code != 0))
		abort();
	free(order);
	free(id);
	nt_buf_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nt_version v = { .part = { 3, 12, 1 }, .n = 3 };
	struct nt_snapshot *s = nt_snapshot_new();
	struct nt_patches p;
	struct nt_err err = { 0 };
	int told = 0, rc;
	size_t i;

	nt_fact_text(s, &s->host, NT_FACT_VERSION, "kernel.version", "3.12.1");
	nt_fact_text(
		s, nt_snapshot_add_link(s, "link0"), NT_FACT_TEXT, "link.driver", "x");
	nt_snapshot_seal(s);
	rc = nt_patches_parse(&p, (const char *)data, size, "dir", count, &told, &err);
	if (rc >= 0 && rc != told)
		abort();
	for (i = 0; i < p.n; i++)
		use(&p, &p.v[i], s, &v);
	nt_patches_free(&p);
	nt_snapshot_free(s);
	return 0;
}
