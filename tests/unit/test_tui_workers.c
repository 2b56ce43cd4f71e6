/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the readers tell waits for the screen thread, and does not pile up meanwhile. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "lib/fake_sys.h"
#include "nettune/fact_sample.h"
#include "tui/workers.h"

static struct fake_kernel kernel;

static struct nt_sys *open_fake(struct nt_err *err)
{
	(void)err;
	return fake_sys(&kernel);
}

static void close_fake(struct nt_sys *s)
{
	if (s)
		nt_sys_free(s);
}

static void samples_do_not_pile_up(void **state)
{
	const struct nt_workers_opts opts = { .open_sys = open_fake, .close_sys = close_fake };
	const struct timespec stalled = { 2, 500000000 };
	struct nt_workers *w;
	struct nt_news n = { 0 };
	struct nt_err err;
	unsigned samples = 0, notes = 0;

	(void)state;
	fake_init(&kernel);
	w = nt_workers_start(&opts, &err);
	assert_non_null(w);
	nt_workers_note(w, "first");
	nanosleep(&stalled, NULL);
	nt_workers_note(w, "last");
	while (notes < 2 && nt_workers_next(w, &n)) {
		samples += n.sample != NULL;
		notes += n.note != NULL;
		nt_sample_free(n.sample);
		free(n.note);
		memset(&n, 0, sizeof n);
	}
	assert_int_equal(notes, 2);
	assert_true(samples <= 1);
	assert_true(nt_workers_stop(w, 60000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_do_not_pile_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
