/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that read the kernel for the screens, so that keys never wait: one samples
 * rates each second and at once when a link comes or goes, one reads and judges the whole
 * host when asked, one runs a job (apply, undo, probe). Each has its own nt_sys. Results
 * are handed over through a queue that the screen thread empties.
 */
#ifndef TUI_WORKERS_H
#define TUI_WORKERS_H

#include <stdbool.h>

#include "model.h"

#include "nettune/err.h"

struct nt_workers;

struct nt_workers_opts {
	struct nt_sys *(*open_sys)(struct nt_err *err);
	void (*close_sys)(struct nt_sys *s);
	const char *const *links;
	const struct nt_rulebase *rules;
};

/* One thing that a worker has to tell. Exactly one group is set. */
struct nt_news {
	struct nt_sample *sample;
	struct nt_snapshot *snapshot; /* with findings */
	struct nt_findings *findings;
	unsigned long ticket;	     /* of the judgement */
	char *note;		     /* a line for the user */
	void (*job_done)(void *arg); /* run by the screen thread when a job has ended */
	void *job_arg;
};

struct nt_workers *nt_workers_start(
	const struct nt_workers_opts *opts, struct nt_err *err);
/* Readable when there is news. */
int nt_workers_fd(const struct nt_workers *w);
/* The next news; false without any. Its contents belong to the caller. */
bool nt_workers_next(struct nt_workers *w, struct nt_news *ret);
/*
 * Ask for a new judgement under this goal. The ticket returned is that of the first news
 * whose reading began after this.
 */
unsigned long nt_workers_judge(struct nt_workers *w, enum nt_goal goal);
bool nt_workers_judging(struct nt_workers *w);
/*
 * Jobs that run side by side: one that changes the host, a probe, a look at the journal,
 * and a reading of the history.
 */
enum nt_lane {
	NT_LANE_HOST,
	NT_LANE_PROBE,
	NT_LANE_LOOKOUT,
	NT_LANE_HISTORY,
	_NT_LANE_MAX
};
/*
 * Run job(arg) on the lane's thread, then done(arg) on the screen thread. -EBUSY while
 * the lane's last job runs, and once the workers were asked to stop. The job must end by
 * itself or on a flag of its own.
 */
int nt_workers_job(struct nt_workers *w, enum nt_lane lane, void (*job)(void *arg),
	void (*done)(void *arg), void *arg);
/* Judge with this probe's facts from now on. Takes r over and frees the one before; NULL:
 * none. */
struct nt_probe_result;
void nt_workers_probed(struct nt_workers *w, struct nt_probe_result *r);
/* Have the screen thread look again, from any thread. */
void nt_workers_wake(struct nt_workers *w);
/* A line for the user, from any thread. */
void nt_workers_note(struct nt_workers *w, const char *line);
/*
 * Ask all threads to end and wait up to wait_ms for them. False when one is stuck in the
 * kernel: the caller then leaves by _exit(), for its memory is still in use.
 */
bool nt_workers_stop(struct nt_workers *w, int wait_ms);

#endif
