/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A probe as the screens see it. The job writes below lock; no terminal here. */
#ifndef TUI_PROBE_VIEW_H
#define TUI_PROBE_VIEW_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "compare.h"
#include "nettune/probe.h"
#include "nettune/rule.h"

#define NT_PROBE_GRAPH 240 /* samples of the running test that are kept */

struct nt_app;

struct nt_probe_view {
	pthread_mutex_t lock;
	char host[200], key_file[200];
	struct nt_probe_opts opts; /* of the next probe, but for host and key */
	bool running;
	atomic_bool stop;
	/* of the test that runs */
	enum nt_probe_test test;
	char part[24];
	double elapsed, total;
	float up[NT_PROBE_GRAPH], down[NT_PROBE_GRAPH]; /* Mbit/s */
	int n;
	struct nt_probe_sample here, there;
	bool have_here, have_there;
	/* of the last probe; owned by the workers, valid until the next one ends */
	struct nt_probe_result *result;
	/* of the other end's facts, NULL without the key; refers to result */
	struct nt_findings *peer_findings;
	struct nt_compare_log log; /* of this session's probes, for the screen thread */
	char error[400];
};

void nt_probe_view_init(struct nt_probe_view *v);
void nt_probe_view_free(struct nt_probe_view *v);
/* "standard set", "all", a test's name, or "several". */
const char *nt_probe_tests_word(const struct nt_probe_view *v);
/* Start the probe chosen; says why not. */
void nt_probe_view_run(struct nt_app *app);
/* Write the result, nettune-probe/1, to a file that the user is asked for. */
void nt_probe_view_export(struct nt_app *app);

#endif
