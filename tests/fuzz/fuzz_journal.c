/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A journal of any bytes, then the same with each line under a right checksum, so that what
 * lies behind it is reached. What can be read is undone on a kernel in memory.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fake_sys.h"
#include "plan/journal.h"
#include "plan/set.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void undo(struct nt_set *set)
{
	struct nt_change_result r = { 0 };
	struct fake_kernel k;
	struct nt_sys *s;
	struct nt_err err = { 0 };

	fake_init(&k);
	s = fake_sys(&k);
	if (nt_set_undo(s, set, "fuzz", &r, &err) < 0 && !*err.msg)
		abort();
	nt_change_result_free(&r);
	nt_sys_free(s);
}

static void one(const char *data, size_t size)
{
	struct nt_place_id here = { .boot = "00000000-0000-4000-8000-000000000001" };
	struct nt_err err = { 0 };
	struct nt_set set;

	if (nt_journal_parse(data, size, "journal", &set, &err) < 0) {
		if (!*err.msg)
			abort();
	} else {
		nt_set_status(&set, &here);
		nt_place_check(&here, &set, &err);
		if (set.before.n < 300)
			undo(&set);
	}
	nt_set_free(&set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data, *end = p + size, *nl;
	struct nt_buf b = { 0 };

	one(p, size);
	for (; p < end; p = nl + 1) {
		const char *json;
		size_t len;

		nl = memchr(p, '\n', (size_t)(end - p));
		if (!nl)
			break;
		/* corpus lines have a checksum already */
		json = nl - p > 9 && p[8] == ' ' ? p + 9 : p;
		len = (size_t)(nl - json);
		nt_buf_addf(&b, "%08x ", nt_crc32(json, len));
		nt_buf_add(&b, json, len);
		nt_buf_addc(&b, '\n');
	}
	one(nt_buf_str(&b), b.len);
	nt_buf_free(&b);
	return 0;
}
