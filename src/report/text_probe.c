/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the probe measured, in a few lines of the text report. */
#include "config.h"

#include <math.h>

#include "text.h"

static void direction(struct nt_text *t, const char *label, double bps,
	const struct nt_verdict *v)
{
	char rate[64], *words;

	nt_unit_format(rate, sizeof rate, bps, NT_UNIT_BPS);
	words = nt_asprintf("%s; limit: %s", rate, v->text);
	nt_wrap_begin(&t->w, label, 9);
	nt_wrap_words(&t->w, words);
	nt_wrap_end(&t->w);
	free(words);
}

void nt_text_probe(struct nt_text *t)
{
	const struct nt_probe_result *r = t->r->probe;
	const struct nt_probe_part *up, *down, *rr;
	char host[128], p50[64], p99[64], *words;

	if (!r)
		return;
	up = nt_probe_part_of(r, NT_TEST_STREAM);
	down = nt_probe_part_of(r, NT_TEST_REVERSE);
	rr = nt_probe_part_of(r, NT_TEST_RR);
	nt_printable(host, sizeof host, r->host);
	nt_wrap_begin(&t->w, "probe    ", 9);
	words = nt_asprintf("to %s:", host);
	nt_wrap_words(&t->w, words);
	free(words);
	if (rr && rr->here.latency.count > 0) {
		nt_unit_format(p50, sizeof p50, rr->here.latency.p50, NT_UNIT_US);
		nt_unit_format(p99, sizeof p99, rr->here.latency.p99, NT_UNIT_US);
		words = nt_asprintf("request and response p50 %s, p99 %s", p50, p99);
		nt_wrap_words(&t->w, words);
		free(words);
	}
	nt_wrap_end(&t->w);
	if (up && isfinite(up->up_bps))
		direction(t, "  there  ", up->up_bps, &up->up);
	if (down && isfinite(down->down_bps))
		direction(t, "  back   ", down->down_bps, &down->down);
}
