/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "workers.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "nettune/clock.h"
#include "nettune/mem.h"
#include "nettune/probe.h"

#define SAMPLE_MS 1000
#define STORM_MS 100 /* at most ten readings a second while links come and go */

struct nt_workers {
	struct nt_workers_opts opts;
	pthread_mutex_t lock;
	pthread_cond_t wake_judge;
	pthread_t sampler, judge;
	int news_fd, stop_fd;
	bool stop;
	int started, running; /* threads made; of those that have not ended */
	pthread_cond_t ended;

	struct nt_news *news;
	size_t n_news, cap_news;

	bool judge_wanted, judging;
	enum nt_goal goal;
	unsigned long ticket; /* of the last wish */

	pthread_mutex_t probe_lock;
	struct nt_probe_result *probe; /* the last one, for the judge */

	struct lane {
		struct nt_workers *of;
		pthread_t thread;
		pthread_cond_t wake;
		void (*job)(void *);
		void (*done)(void *);
		void *arg;
		bool busy;
	} lanes[_NT_LANE_MAX];
};

/*
 * A sample takes the place of one that was not fetched: the screen thread may be held up
 * for hours by a terminal that takes nothing.
 */
static bool replace_sample(struct nt_workers *w, struct nt_sample *s)
{
	size_t i;

	for (i = 0; i < w->n_news && !w->news[i].sample; i++)
		continue;
	if (i == w->n_news)
		return false;
	nt_sample_free(w->news[i].sample);
	w->news[i].sample = s;
	return true;
}

static void post(struct nt_workers *w, struct nt_news news)
{
	uint64_t one = 1;

	pthread_mutex_lock(&w->lock);
	if (!news.sample || !replace_sample(w, news.sample)) {
		NT_GROW(w->news, w->n_news, w->cap_news);
		w->news[w->n_news++] = news;
	}
	pthread_mutex_unlock(&w->lock);
	if (write(w->news_fd, &one, sizeof one) < 0)
		return; /* full: it is readable already */
}

static void thread_ends(struct nt_workers *w)
{
	pthread_mutex_lock(&w->lock);
	w->running--;
	pthread_cond_signal(&w->ended);
	pthread_mutex_unlock(&w->lock);
}

static bool stopping(struct nt_workers *w)
{
	bool stop;

	pthread_mutex_lock(&w->lock);
	stop = w->stop;
	pthread_mutex_unlock(&w->lock);
	return stop;
}

/* A sys of this thread's own; NULL after telling the user. */
static struct nt_sys *own_sys(struct nt_workers *w)
{
	struct nt_err err;
	struct nt_sys *s = w->opts.open_sys(&err);

	if (!s)
		nt_workers_note(w, err.msg);
	return s;
}

static void *run_sampler(void *arg)
{
	struct nt_workers *w = arg;
	struct nt_sys *s = own_sys(w);
	struct nt_err err;
	int mon = nt_sample_watch(&err);
	int64_t next = nt_now_ms(), last = 0, now;
	struct pollfd fds[2] = {
		{ .fd = w->stop_fd, .events = POLLIN },
		{ .fd = mon, .events = POLLIN }, /* -1: only the clock then */
	};

	while (s && !stopping(w)) {
		now = nt_now_ms();
		if (now < next) {
			poll(fds, 2, (int)(next - now));
			if (!(fds[1].revents & POLLIN))
				continue;
			nt_sample_watch_drain(mon);
			if (next > last + STORM_MS)
				next = last + STORM_MS;
			continue;
		}
		post(w, (struct nt_news){ .sample = nt_sample_take(s) });
		last = now;
		next = now + SAMPLE_MS;
	}
	if (mon >= 0)
		close(mon);
	w->opts.close_sys(s);
	thread_ends(w);
	return NULL;
}

static void note_line(void *arg, const char *line)
{
	nt_workers_note(arg, line);
}

static void judge_once(struct nt_workers *w, struct nt_sys *s, enum nt_goal goal,
	unsigned long ticket, double interval_s)
{
	struct nt_collect_opts opts = { .links = w->opts.links,
		.interval_s = interval_s };
	struct nt_news news = { .ticket = ticket };
	struct nt_err err;

	news.snapshot = nt_collect_live(s, &opts, note_line, w, &err);
	if (!news.snapshot) {
		nt_workers_note(w, err.msg);
		return;
	}
	pthread_mutex_lock(&w->probe_lock);
	if (w->probe)
		nt_probe_facts(w->probe, false, news.snapshot);
	pthread_mutex_unlock(&w->probe_lock);
	news.findings = nt_calloc(1, sizeof *news.findings);
	nt_judge(w->opts.rules, news.snapshot, goal, news.findings);
	post(w, news);
}

static void *run_judge(void *arg)
{
	struct nt_workers *w = arg;
	struct nt_sys *s = own_sys(w);
	bool first = true;
	enum nt_goal goal;
	unsigned long ticket;

	pthread_mutex_lock(&w->lock);
	while (s && !w->stop) {
		if (!w->judge_wanted) {
			pthread_cond_wait(&w->wake_judge, &w->lock);
			continue;
		}
		w->judge_wanted = false;
		w->judging = true;
		goal = w->goal;
		ticket = w->ticket;
		pthread_mutex_unlock(&w->lock);
		if (first) /* what needs no interval is shown at once; no plan is made of
			      it */
			judge_once(w, s, goal, ticket - 1, 0);
		first = false;
		if (!stopping(w))
			judge_once(w, s, goal, ticket, 1);
		pthread_mutex_lock(&w->lock);
		w->judging = false;
	}
	pthread_mutex_unlock(&w->lock);
	w->opts.close_sys(s);
	thread_ends(w);
	return NULL;
}

static void *run_jobs(void *arg)
{
	struct lane *l = arg;
	struct nt_workers *w = l->of;

	pthread_mutex_lock(&w->lock);
	while (!w->stop) {
		void (*job)(void *) = l->job;
		struct nt_news news = { .job_done = l->done, .job_arg = l->arg };

		if (!job) {
			pthread_cond_wait(&l->wake, &w->lock);
			continue;
		}
		l->job = NULL;
		pthread_mutex_unlock(&w->lock);
		job(news.job_arg);
		pthread_mutex_lock(&w->lock);
		l->busy = false;
		pthread_mutex_unlock(&w->lock);
		post(w, news);
		pthread_mutex_lock(&w->lock);
	}
	pthread_mutex_unlock(&w->lock);
	thread_ends(w);
	return NULL;
}

struct nt_workers *nt_workers_start(
	const struct nt_workers_opts *opts, struct nt_err *err)
{
	struct nt_workers *w = nt_calloc(1, sizeof *w);
	pthread_condattr_t attr;
	sigset_t all, old;
	int rc, i;

	w->opts = *opts;
	pthread_mutex_init(&w->lock, NULL);
	pthread_mutex_init(&w->probe_lock, NULL);
	pthread_cond_init(&w->wake_judge, NULL);
	for (i = 0; i < _NT_LANE_MAX; i++) {
		w->lanes[i].of = w;
		pthread_cond_init(&w->lanes[i].wake, NULL);
	}
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&w->ended, &attr);
	pthread_condattr_destroy(&attr);
	w->news_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	w->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	/* signals are the screen thread's */
	sigfillset(&all);
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGFPE);
	sigdelset(&all, SIGILL);
	sigdelset(&all, SIGABRT);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	rc = w->news_fd < 0 || w->stop_fd < 0 ? errno : 0;
	pthread_mutex_lock(&w->lock); /* none ends before all are counted */
	if (!rc)
		rc = pthread_create(&w->sampler, NULL, run_sampler, w);
	w->started += !rc;
	w->running += !rc;
	if (!rc)
		rc = pthread_create(&w->judge, NULL, run_judge, w);
	w->started += !rc;
	w->running += !rc;
	for (i = 0; i < _NT_LANE_MAX && !rc; i++) {
		rc = pthread_create(&w->lanes[i].thread, NULL, run_jobs, &w->lanes[i]);
		w->started += !rc;
		w->running += !rc;
	}
	pthread_mutex_unlock(&w->lock);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc) {
		nt_err_sys(err, -rc, "cannot start a thread");
		nt_workers_stop(w, 1000);
		return NULL;
	}
	return w;
}

int nt_workers_fd(const struct nt_workers *w)
{
	return w->news_fd;
}

bool nt_workers_next(struct nt_workers *w, struct nt_news *ret)
{
	uint64_t count;
	bool any;

	pthread_mutex_lock(&w->lock);
	any = w->n_news > 0;
	if (any) {
		*ret = w->news[0];
		memmove(w->news, w->news + 1, --w->n_news * sizeof *w->news);
	} else if (read(w->news_fd, &count, sizeof count) < 0) {
		any = false; /* nothing to clear */
	}
	pthread_mutex_unlock(&w->lock);
	return any;
}

unsigned long nt_workers_judge(struct nt_workers *w, enum nt_goal goal)
{
	unsigned long ticket;

	pthread_mutex_lock(&w->lock);
	w->judge_wanted = true;
	w->goal = goal;
	ticket = ++w->ticket;
	pthread_cond_signal(&w->wake_judge);
	pthread_mutex_unlock(&w->lock);
	return ticket;
}

bool nt_workers_judging(struct nt_workers *w)
{
	bool yes;

	pthread_mutex_lock(&w->lock);
	yes = w->judging || w->judge_wanted;
	pthread_mutex_unlock(&w->lock);
	return yes;
}

int nt_workers_job(struct nt_workers *w, enum nt_lane lane, void (*job)(void *arg),
	void (*done)(void *arg), void *arg)
{
	struct lane *l = &w->lanes[lane];
	int rc = 0;

	pthread_mutex_lock(&w->lock);
	if (l->busy || w->stop) {
		rc = -EBUSY;
	} else {
		l->busy = true;
		l->job = job;
		l->done = done;
		l->arg = arg;
		pthread_cond_signal(&l->wake);
	}
	pthread_mutex_unlock(&w->lock);
	return rc;
}

void nt_workers_wake(struct nt_workers *w)
{
	post(w, (struct nt_news){ 0 });
}

void nt_workers_note(struct nt_workers *w, const char *line)
{
	post(w, (struct nt_news){ .note = nt_strdup(line) });
}

void nt_workers_probed(struct nt_workers *w, struct nt_probe_result *r)
{
	pthread_mutex_lock(&w->probe_lock);
	if (w->probe)
		nt_probe_result_free(w->probe);
	w->probe = r;
	pthread_mutex_unlock(&w->probe_lock);
}

static void free_news(struct nt_news *n)
{
	nt_sample_free(n->sample);
	if (n->findings) {
		nt_findings_free(n->findings);
		free(n->findings);
	}
	nt_snapshot_free(n->snapshot);
	free(n->note);
	if (n->job_done)
		n->job_done(n->job_arg);
}

bool nt_workers_stop(struct nt_workers *w, int wait_ms)
{
	struct timespec until;
	uint64_t one = 1;
	struct nt_news n;
	int rc = 0, i;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += wait_ms / 1000;
	until.tv_nsec += wait_ms % 1000 * 1000000L;
	if (until.tv_nsec >= 1000000000L) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000L;
	}
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_signal(&w->wake_judge);
	for (i = 0; i < _NT_LANE_MAX; i++)
		pthread_cond_signal(&w->lanes[i].wake);
	if (write(w->stop_fd, &one, sizeof one) < 0)
		rc = 0; /* the sampler wakes within a second anyway */
	while (w->running > 0 && rc == 0)
		rc = pthread_cond_timedwait(&w->ended, &w->lock, &until);
	rc = w->running;
	pthread_mutex_unlock(&w->lock);
	if (rc > 0)
		return false;
	if (w->started > 0)
		pthread_join(w->sampler, NULL);
	if (w->started > 1)
		pthread_join(w->judge, NULL);
	for (i = 0; i < _NT_LANE_MAX && w->started > 2 + i; i++)
		pthread_join(w->lanes[i].thread, NULL);
	while (nt_workers_next(w, &n))
		free_news(&n);
	free(w->news);
	close(w->news_fd);
	close(w->stop_fd);
	pthread_cond_destroy(&w->wake_judge);
	for (i = 0; i < _NT_LANE_MAX; i++)
		pthread_cond_destroy(&w->lanes[i].wake);
	pthread_cond_destroy(&w->ended);
	nt_workers_probed(w, NULL);
	pthread_mutex_destroy(&w->probe_lock);
	pthread_mutex_destroy(&w->lock);
	free(w);
	return true;
}
