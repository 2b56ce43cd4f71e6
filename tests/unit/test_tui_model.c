/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "nettune/mem.h"
#include "tui/model.h"

static void add_link(struct nt_sample *s, int ifindex, const char *name, uint64_t rx_bytes,
	uint64_t drops)
{
	struct nt_sample_link *l;

	s->links = nt_reallocarray(s->links, s->n_links + 1, sizeof *s->links);
	l = &s->links[s->n_links++];
	memset(l, 0, sizeof *l);
	l->ifindex = ifindex;
	snprintf(l->name, sizeof l->name, "%s", name);
	l->rx_bytes = rx_bytes;
	l->drops = drops;
}

static struct nt_sample *sample(double t, uint64_t all, uint64_t busy, uint64_t softirq)
{
	struct nt_sample *s = nt_calloc(1, sizeof *s);

	s->time_s = t;
	s->n_cpus = 1;
	s->cpus = nt_calloc(1, sizeof *s->cpus);
	s->cpus[0].all = all;
	s->cpus[0].busy = busy;
	s->cpus[0].softirq = softirq;
	return s;
}

static bool near(double a, double b)
{
	return a - b < 1e-9 && b - a < 1e-9;
}

static void rates_come_from_two_samples(void **state)
{
	struct nt_model m = { 0 };
	struct nt_sample *s = sample(10, 1000, 100, 0);
	const struct nt_link_row *r;

	(void)state;
	add_link(s, 2, "eth0", 1000000, 5);
	nt_model_sample(&m, s);
	r = nt_model_row(&m, "eth0");
	assert_non_null(r);
	assert_false(r->have_rates);
	assert_true(m.cpu_pct < 0);

	s = sample(12, 1200, 150, 40);
	add_link(s, 2, "eth0", 3500000, 25);
	nt_model_sample(&m, s);
	r = nt_model_row(&m, "eth0");
	assert_true(r->have_rates);
	assert_true(near(r->rx_mbps, 10));
	assert_true(near(r->drops_ps, 10));
	assert_true(near(m.cpu_pct, 25));
	assert_true(near(m.softirq_pct, 20));
	assert_int_equal(m.softirq_cpu, 0);
	assert_int_equal(r->n_hist, 1);
	nt_model_free(&m);
}

static void links_come_go_and_are_renamed(void **state)
{
	struct nt_model m = { 0 };
	struct nt_sample *s = sample(1, 0, 0, 0);

	(void)state;
	add_link(s, 2, "a", 0, 0);
	add_link(s, 3, "b", 0, 0);
	nt_model_sample(&m, s);
	s = sample(2, 0, 0, 0);
	add_link(s, 3, "renamed", 125000, 0);
	add_link(s, 4, "new", 125000, 0);
	nt_model_sample(&m, s);
	assert_int_equal(m.n_rows, 2);
	assert_null(nt_model_row(&m, "a"));
	assert_null(nt_model_row(&m, "b"));
	assert_true(near(nt_model_row(&m, "renamed")->rx_mbps, 1));
	assert_false(nt_model_row(&m, "new")->have_rates);
	nt_model_free(&m);
}

static void a_counter_that_went_back_is_no_rate(void **state)
{
	struct nt_model m = { 0 };
	struct nt_sample *s = sample(1, 10, 10, 10);

	(void)state;
	add_link(s, 2, "a", 1000, 0);
	nt_model_sample(&m, s);
	s = sample(2, 5, 5, 5);
	add_link(s, 2, "a", 10, 0);
	nt_model_sample(&m, s);
	assert_true(near(nt_model_row(&m, "a")->rx_mbps, 0));
	assert_true(m.cpu_pct < 0);
	nt_model_free(&m);
}

static void a_failed_reading_keeps_what_is_shown(void **state)
{
	struct nt_model m = { 0 };
	struct nt_sample *s = sample(1, 0, 0, 0);

	(void)state;
	add_link(s, 2, "a", 0, 0);
	nt_model_sample(&m, s);
	s = sample(2, 0, 0, 0);
	s->error = -5;
	nt_model_sample(&m, s);
	assert_int_equal(m.n_rows, 1);
	nt_model_free(&m);
}

static void history_is_bounded(void **state)
{
	struct nt_model m = { 0 };
	int i;

	(void)state;
	for (i = 0; i < NT_HISTORY + 10; i++) {
		struct nt_sample *s = sample(i, 0, 0, 0);

		add_link(s, 2, "a", (uint64_t)i * i * 125000, 0);
		nt_model_sample(&m, s);
	}
	assert_int_equal(m.rows[0].n_hist, NT_HISTORY);
	assert_true(m.rows[0].rx_hist[NT_HISTORY - 1] > m.rows[0].rx_hist[0]);
	nt_model_free(&m);
}

static void sparklines(void **state)
{
	static const float v[] = { 0, 1, 4, 8 };
	char out[64];

	(void)state;
	nt_sparkline(out, sizeof out, v, 4, 4, 8, false);
	assert_string_equal(out, " .=@");
	nt_sparkline(out, sizeof out, v, 4, 6, 0, false);
	assert_string_equal(out, "   .=@");
	nt_sparkline(out, sizeof out, v, 4, 2, 8, true);
	assert_string_equal(out, "▄█");
	nt_sparkline(out, sizeof out, v, 4, 0, 8, true);
	assert_string_equal(out, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_come_from_two_samples),
		cmocka_unit_test(links_come_go_and_are_renamed),
		cmocka_unit_test(a_counter_that_went_back_is_no_rate),
		cmocka_unit_test(a_failed_reading_keeps_what_is_shown),
		cmocka_unit_test(history_is_bounded),
		cmocka_unit_test(sparklines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
