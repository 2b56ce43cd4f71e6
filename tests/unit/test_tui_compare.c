/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tui/compare.h"

/* A result of one test and one part, whose receiving end saw these rates each second. */
struct one {
	struct nt_probe_result r;
	struct nt_probe_test_result t;
	struct nt_probe_part p;
	struct nt_probe_sample s[NT_PROBE_SERIES];
};

static void stream(struct one *o, unsigned n, const double *mbps)
{
	double sum = 0;
	unsigned i;

	memset(o, 0, sizeof *o);
	for (i = 0; i < n; i++) {
		o->s[i].rx_bps = mbps[i] * 1e6;
		o->s[i].cpu_busy = 20;
		sum += mbps[i];
	}
	o->p.up_bps = sum / n * 1e6;
	o->p.down_bps = o->p.rate = NAN;
	o->p.here.cpu_s_per_gb = NAN;
	o->p.there.cpu_s_per_gb = 0.5;
	o->p.there.series = o->s;
	o->p.there.n_series = n;
	o->t.test = NT_TEST_STREAM;
	o->t.parts = &o->p;
	o->t.n_parts = 1;
	o->r.tests = &o->t;
	o->r.n_tests = 1;
	o->r.port = 5212;
	snprintf(o->r.address, sizeof o->r.address, "192.0.2.2");
}

static void rr(struct one *o, double count, const double us[5])
{
	memset(o, 0, sizeof *o);
	stream(o, 1, (double[]){ 1 });
	o->t.test = NT_TEST_RR;
	o->p.up_bps = NAN;
	o->p.rate = count;
	o->p.here.latency = (struct nt_probe_latency){ .count = count,
		.min = us[0],
		.p50 = us[1],
		.p90 = us[2],
		.p99 = us[3],
		.p999 = us[4] };
}

static const struct nt_measure *get(const struct nt_measures *ms, enum nt_measured what)
{
	size_t i;

	for (i = 0; i < ms->n && ms->v[i].what != what; i++)
		continue;
	return i < ms->n ? &ms->v[i] : NULL;
}

static enum nt_difference differs(const struct nt_compare_log *log, enum nt_measured what)
{
	const struct nt_measures *was = nt_compare_before(log),
				 *now = nt_compare_now(log);

	assert_non_null(was);
	assert_non_null(get(was, what));
	assert_non_null(get(now, what));
	return nt_measure_differs(get(was, what), get(now, what));
}

static double change(const struct nt_compare_log *log, enum nt_measured what)
{
	return nt_measure_change(
		get(nt_compare_before(log), what), get(nt_compare_now(log), what));
}

/* Streams of n seconds each, one after the other. */
static enum nt_difference streams(unsigned n, const double *a, const double *b)
{
	struct nt_compare_log log = { 0 };
	enum nt_difference d;
	struct one o;

	stream(&o, n, a);
	nt_compare_add(&log, &o.r, 1);
	stream(&o, n, b);
	nt_compare_add(&log, &o.r, 2);
	d = differs(&log, NT_MEASURED_UP);
	nt_compare_free(&log);
	return d;
}

static void a_gain_needs_samples_that_lie_apart(void **state)
{
	static const double low[] = { 90, 100, 110 }, high[] = { 150, 160, 170 },
			    near[] = { 120, 130, 140 };

	(void)state;
	assert_int_equal(streams(3, low, high), NT_DIFF_BETTER);
	assert_int_equal(streams(3, high, low), NT_DIFF_WORSE);
	assert_int_equal(streams(3, low, near), NT_DIFF_COVERED);
	assert_int_equal(streams(3, low, low), NT_DIFF_COVERED);
}

static void next_to_nothing_is_no_change(void **state)
{
	static const double a[] = { 941, 941, 941 }, b[] = { 940, 940, 940 },
			    c[] = { 930, 930, 930 };

	(void)state;
	assert_int_equal(streams(3, a, b), NT_DIFF_COVERED);
	assert_int_equal(streams(3, a, c), NT_DIFF_WORSE);
}

static void two_samples_tell_nothing(void **state)
{
	static const double low[] = { 90, 100 }, high[] = { 900, 1000 };

	(void)state;
	assert_int_equal(streams(2, low, high), NT_DIFF_FEW);
}

static void one_odd_second_in_ten_does_not_hide_a_gain(void **state)
{
	static const double low[] = { 90, 91, 92, 93, 94, 95, 96, 97, 98, 150 },
			    high[] = { 10, 121, 122, 123, 124, 125, 126, 127, 128, 129 };

	(void)state;
	assert_int_equal(streams(10, low, high), NT_DIFF_BETTER);
}

static void change_is_signed_and_cost_counts_the_other_way(void **state)
{
	static const double a[] = { 100, 100, 100 };
	struct nt_compare_log log = { 0 };
	struct one o;

	(void)state;
	stream(&o, 3, a);
	nt_compare_add(&log, &o.r, 1);
	stream(&o, 3, a);
	o.p.up_bps = 80e6;
	o.p.there.cpu_s_per_gb = 0.75;
	nt_compare_add(&log, &o.r, 2);
	assert_true(fabs(change(&log, NT_MEASURED_UP) + 20) < 1e-9);
	assert_true(fabs(change(&log, NT_MEASURED_CPU_THERE) - 50) < 1e-9);
	assert_int_equal(differs(&log, NT_MEASURED_CPU_THERE), NT_DIFF_WORSE);
	assert_null(get(nt_compare_now(&log), NT_MEASURED_CPU_HERE));
	nt_compare_free(&log);
}

static void latency_is_judged_by_its_own_transactions(void **state)
{
	static const double was[] = { 40, 50, 60, 80, 100 },
			    near_it[] = { 45, 55, 70, 99, 120 },
			    far[] = { 61, 90, 99, 130, 200 };
	struct nt_compare_log log = { 0 };
	struct one o;

	(void)state;
	rr(&o, 1000, was);
	nt_compare_add(&log, &o.r, 1);
	rr(&o, 1000, near_it);
	nt_compare_add(&log, &o.r, 2);
	assert_int_equal(differs(&log, NT_MEASURED_P50), NT_DIFF_COVERED);
	rr(&o, 1000, was);
	nt_compare_add(&log, &o.r, 3);
	rr(&o, 1000, far);
	nt_compare_add(&log, &o.r, 4);
	assert_int_equal(differs(&log, NT_MEASURED_P50), NT_DIFF_WORSE);
	/* 99 us .. 200 us against 60 us .. 100 us */
	assert_int_equal(differs(&log, NT_MEASURED_P99), NT_DIFF_COVERED);
	/* one second only was sampled of the rate */
	assert_int_equal(differs(&log, NT_MEASURED_RATE), NT_DIFF_FEW);
	nt_compare_free(&log);
}

static void only_the_same_peer_and_test_compare(void **state)
{
	static const double v[] = { 1, 2, 3 }, us[] = { 1, 2, 3, 4, 5 };
	struct nt_compare_log log = { 0 };
	struct one o;

	(void)state;
	assert_null(nt_compare_now(&log));
	assert_null(nt_compare_before(&log));
	stream(&o, 3, v);
	nt_compare_add(&log, &o.r, 1);
	assert_null(nt_compare_before(&log));
	o.r.port++;
	nt_compare_add(&log, &o.r, 2);
	assert_null(nt_compare_before(&log));
	rr(&o, 10, us);
	nt_compare_add(&log, &o.r, 3);
	assert_null(nt_compare_before(&log));
	stream(&o, 3, v);
	nt_compare_add(&log, &o.r, 4);
	assert_int_equal(nt_compare_before(&log)->at, 1);
	nt_compare_free(&log);
}

static void the_log_is_bounded(void **state)
{
	static const double v[] = { 1, 2, 3 };
	struct nt_compare_log log = { 0 };
	struct one o;
	int i;

	(void)state;
	stream(&o, 3, v);
	for (i = 0; i < 3 * NT_COMPARE_RUNS; i++)
		nt_compare_add(&log, &o.r, i);
	assert_int_equal(log.n, NT_COMPARE_RUNS);
	assert_int_equal(nt_compare_before(&log)->at, i - 2);
	nt_compare_free(&log);
}

static void nothing_lost_before_has_no_percentage(void **state)
{
	static const double v[] = { 1, 2, 3 };
	struct nt_compare_log log = { 0 };
	struct one o;

	(void)state;
	stream(&o, 3, v);
	o.p.here.tcp.streams = 1;
	o.p.here.seconds = 3;
	o.p.here.series = o.s;
	o.p.here.n_series = 3;
	nt_compare_add(&log, &o.r, 1);
	o.p.here.tcp.retrans = 30;
	o.s[0].retrans = o.s[1].retrans = o.s[2].retrans = 10;
	nt_compare_add(&log, &o.r, 2);
	assert_true(isnan(change(&log, NT_MEASURED_RETRANS_HERE)));
	assert_int_equal(differs(&log, NT_MEASURED_RETRANS_HERE), NT_DIFF_WORSE);
	nt_compare_free(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_gain_needs_samples_that_lie_apart),
		cmocka_unit_test(next_to_nothing_is_no_change),
		cmocka_unit_test(two_samples_tell_nothing),
		cmocka_unit_test(one_odd_second_in_ten_does_not_hide_a_gain),
		cmocka_unit_test(change_is_signed_and_cost_counts_the_other_way),
		cmocka_unit_test(latency_is_judged_by_its_own_transactions),
		cmocka_unit_test(only_the_same_peer_and_test_compare),
		cmocka_unit_test(the_log_is_bounded),
		cmocka_unit_test(nothing_lost_before_has_no_percentage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
