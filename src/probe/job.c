/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a session's thread does: the server's half of a test, or reading the facts. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "endjson.h"
#include "facts_wire.h"
#include "nettune/mem.h"
#include "server.h"

#define LINGER_S 5 /* how long to wait for the client's STOP after the window */

void nt_post(struct nt_session *s, enum nt_frame_type type, char *text, bool last)
{
	struct nt_post *p = nt_calloc(1, sizeof *p);
	uint64_t one = 1;

	p->type = type;
	p->text = text;
	p->len = text ? strlen(text) : 0;
	p->last = last;
	pthread_mutex_lock(&s->lock);
	*s->posts_end = p;
	s->posts_end = &p->next;
	pthread_mutex_unlock(&s->lock);
	/* the loop also looks at posts four times a second: a lost wake-up is no loss */
	if (write(s->server->post.fd, &one, sizeof one) < 0)
		return;
}

static int stop_now(void *arg)
{
	(void)arg;
	return 1;
}

/* Not before: a client that began while this end waits for a CPU could be through before it. */
static void post_start(void *arg)
{
	nt_post(arg, NT_FRAME_START, NULL, false);
}

static void post_sample(void *arg, const struct nt_probe_sample *sample)
{
	json_t *j = nt_sample_json(sample);

	nt_post(arg, NT_FRAME_SAMPLE, json_dumps(j, JSON_COMPACT), false);
	json_decref(j);
}

int nt_job_run(struct nt_session *s, struct nt_err *err)
{
	struct nt_sys *sys = nt_sys_live(0, NULL);
	struct nt_run r = { .spec = &s->spec, .side = NT_SIDE_SERVER, .sys = sys,
		.streams = s->streams, .n = s->n_streams, .local = s->local,
		.wake_fd = s->stop_fd, .on_wake = stop_now,
		.on_start = post_start, .on_sample = post_sample, .arg = s, .cancel = &s->cancel,
		.linger = LINGER_S };
	json_t *j;
	int rc;

	if (nt_session_crr(s)) {
		r.more_transactions = &s->crr_transactions;
		r.more_bytes = &s->crr_bytes;
	}
	rc = nt_run_exec(&r, err);
	if (!rc) {
		r.end.other_tests = atomic_load(&s->others);
		j = nt_end_json(&r.end);
		nt_post(s, NT_FRAME_RESULT, json_dumps(j, JSON_COMPACT), true);
		json_decref(j);
	}
	free(r.hist);
	nt_probe_end_free(&r.end);
	nt_sys_free(sys);
	return rc;
}

static void post_fact(void *arg, char *text)
{
	nt_post(arg, NT_FRAME_FACT, text, false);
}

int nt_job_facts(struct nt_session *s, struct nt_err *err)
{
	static const struct nt_collect_opts opts = { .interval_s = 1 };
	struct nt_sys *sys = nt_sys_live(0, err);
	struct nt_snapshot *snap = NULL;
	int rc = -EIO;

	if (sys)
		snap = nt_collect_live(sys, &opts, NULL, NULL, err);
	if (snap) {
		nt_facts_send(snap, post_fact, s);
		nt_post(s, NT_FRAME_FACTS_END, NULL, true);
		rc = 0;
	}
	nt_snapshot_free(snap);
	nt_sys_free(sys);
	return rc;
}
