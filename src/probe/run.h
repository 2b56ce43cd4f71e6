/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One run at one end: start the streams, throw the warm-up away, read host and sockets at
 * both edges of the window, sample in between, stop. Client and server run the same code.
 * Private to probe/.
 */
#ifndef PROBE_RUN_H
#define PROBE_RUN_H

#include "sample.h"
#include "stream.h"

struct nt_run {
	/* given */
	const struct nt_spec *spec;
	enum nt_side side;
	struct nt_sys *sys; /* may be NULL */
	struct nt_stream **streams;
	unsigned n;
	struct sockaddr_storage local; /* this end's address of the control connection */
	int wake_fd; /* polled meanwhile; on_wake is called when it can be read */
	int (*on_wake)(void *arg); /* not 0: stop now */
	void (*on_start)(void *arg); /* the streams run, the warm-up begins; may be NULL */
	void (*on_sample)(void *arg, const struct nt_probe_sample *s); /* once a second */
	void *arg;
	const atomic_bool *cancel; /* may be NULL */
	double linger; /* how long the streams go on after the window unless told to stop */
	/* transactions and bytes that others did for this run (CRR's server side) */
	_Atomic uint64_t *more_transactions, *more_bytes;

	/* result; free with nt_probe_end_free() */
	struct nt_probe_end end;
	struct nt_hist *hist; /* of all streams, NULL when none took latencies */
	bool interrupted;
	bool measured; /* the window was opened; if not, end holds nothing */
	int stream_error; /* errno of the first stream that broke, 0 */

	/* private */
	atomic_bool stop, measuring;
	struct nt_run_state *st;
};

/* 0, or -errno when it could not begin. Streams are joined, not freed. */
int nt_run_exec(struct nt_run *r, struct nt_err *err);

void nt_probe_end_init(struct nt_probe_end *e);
void nt_probe_end_free(struct nt_probe_end *e);

#endif
