/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "probe_view.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "app.h"
#include "nettune/jsonw.h"
#include "nettune/mem.h"
#include "nettune/names.h"
#include "save.h"
#include "workers.h"

void nt_probe_view_init(struct nt_probe_view *v)
{
	memset(v, 0, sizeof *v);
	pthread_mutex_init(&v->lock, NULL);
	nt_probe_opts_init(&v->opts);
}

static void free_findings(struct nt_findings **f)
{
	if (*f) {
		nt_findings_free(*f);
		free(*f);
	}
	*f = NULL;
}

void nt_probe_view_free(struct nt_probe_view *v)
{
	free_findings(&v->peer_findings);
	nt_compare_free(&v->log);
	pthread_mutex_destroy(&v->lock);
}

#define ALL_TESTS ((1U << _NT_TEST_MAX) - 1)

const char *nt_probe_tests_word(const struct nt_probe_view *v)
{
	unsigned tests = v->opts.tests;
	int t;

	for (t = 0; t < _NT_TEST_MAX; t++)
		if (tests == 1U << t)
			return nt_name_of(nt_probe_test_names, t);
	return !tests ? "standard set" : tests == ALL_TESTS ? "all" : "several";
}

struct job {
	struct nt_app *app;
	struct nt_probe_opts opts;
	char host[200], key_file[200];
	struct nt_probe_result *result;
	struct nt_findings *peer_findings;
	enum nt_goal goal;
	struct nt_err err;
	int rc;
};

static void push(float *v, int n, double bps)
{
	if (n == NT_PROBE_GRAPH)
		memmove(v, v + 1, (NT_PROBE_GRAPH - 1) * sizeof *v);
	v[n < NT_PROBE_GRAPH ? n : NT_PROBE_GRAPH - 1] = (float)(bps > 0 ? bps / 1e6 : 0);
}

/* On the job thread, about once a second. */
static void on_progress(void *arg, const struct nt_probe_progress *p)
{
	struct job *j = arg;
	struct nt_probe_view *v = &j->app->probe;

	pthread_mutex_lock(&v->lock);
	if (!p->part && !p->done)
		v->n = 0;
	v->test = p->test;
	snprintf(v->part, sizeof v->part, "%s", p->part ? p->part : "");
	v->elapsed = p->elapsed;
	v->total = p->total;
	v->have_here = p->have_here;
	v->have_there = p->have_there;
	v->here = p->here;
	v->there = p->there;
	if (p->have_here && !p->done) {
		push(v->up, v->n, p->here.tx_bps);
		push(v->down, v->n, p->here.rx_bps);
		v->n += v->n < NT_PROBE_GRAPH;
	}
	pthread_mutex_unlock(&v->lock);
	nt_workers_wake(j->app->workers);
}

static void run_probe(void *arg)
{
	struct job *j = arg;
	struct nt_sys *s = j->app->open_sys(NULL); /* without: no counters */
	bool exposed;

	if (*j->key_file)
		j->rc = nt_probe_key_load(j->key_file, &j->opts.key, &exposed, &j->err);
	j->opts.facts = j->opts.key.set;
	if (!j->rc)
		j->rc = nt_probe_run(s, &j->opts, on_progress, j, &j->app->probe.stop,
			&j->result, &j->err);
	if (!j->rc && !nt_probe_measured(j->result)) {
		nt_probe_result_free(j->result);
		j->rc = -EINTR;
	}
	j->app->close_sys(s);
	if (j->rc || !j->result->peer)
		return;
	nt_probe_facts(j->result, true, j->result->peer);
	j->peer_findings = nt_calloc(1, sizeof *j->peer_findings);
	nt_judge(j->app->rules, j->result->peer, j->goal, j->peer_findings);
}

static void done_probe(void *arg)
{
	struct job *j = arg;
	struct nt_app *app = j->app;
	struct nt_probe_view *v = &app->probe;

	pthread_mutex_lock(&v->lock);
	v->running = false;
	snprintf(v->error, sizeof v->error, "%s",
		!j->rc			? ""
		: atomic_load(&v->stop) ? "stopped before anything was measured"
					: j->err.msg);
	if (!j->rc) {
		free_findings(&v->peer_findings); /* they refer to the result before */
		v->peer_findings = j->peer_findings;
		nt_compare_add(&v->log, j->result, time(NULL));
		nt_app_say(app, "judged with what was measured: f shows the findings");
		v->result = j->result;
		nt_workers_probed(app->workers, j->result);
		nt_workers_judge(app->workers, app->goal);
	}
	pthread_mutex_unlock(&v->lock);
	free(j);
}

void nt_probe_view_run(struct nt_app *app)
{
	struct nt_probe_view *v = &app->probe;
	struct job *j;

	if (v->running)
		return;
	if (!*v->host) {
		nt_app_say(app,
			"which peer? e sets it; there: nettune --serve --bind ADDRESS");
		return;
	}
	j = nt_calloc(1, sizeof *j);
	j->app = app;
	j->opts = v->opts;
	snprintf(j->host, sizeof j->host, "%s", v->host);
	snprintf(j->key_file, sizeof j->key_file, "%s", v->key_file);
	j->goal = app->goal;
	j->opts.host = j->host;
	atomic_store(&v->stop, false);
	*v->error = '\0';
	v->n = 0;
	v->elapsed = v->total = 0;
	v->have_here = v->have_there = false;
	v->running = true;
	if (nt_workers_job(app->workers, NT_LANE_PROBE, run_probe, done_probe, j) != 0) {
		v->running = false;
		free(j);
	}
}

static int write_result(const void *what, FILE *f)
{
	struct nt_jsonw w;

	nt_jsonw_init(&w, f, 6);
	nt_probe_json(what, &w, NULL);
	return nt_jsonw_finish(&w);
}

void nt_probe_view_export(struct nt_app *app)
{
	const struct nt_probe_result *r = app->probe.result;
	char *file;

	if (!r) {
		nt_app_say(app, "nothing was measured yet: Enter starts");
		return;
	}
	file = nt_app_save(app, "write the result (JSON) to file", "nettune-probe.json",
		write_result, r);
	if (file)
		nt_app_say(app, "written: %s", file);
	free(file);
}
