/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guardian of --confirm: a process that outlives the terminal, the ssh session and
 * nettune, and undoes the change set unless somebody keeps it in time. Where systemd is
 * process 1 it is a transient service of its own, because stopping a service or closing a
 * session ends every process that belongs to it; elsewhere it is a detached process. Its
 * clock goes on while the machine sleeps.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nettune/clock.h"
#include "nettune/mem.h"
#include "nettune/netns.h"
#include "journal.h"
#include "set.h"

/* A step that takes longer than the confirm time and this has hung. */
#define HUNG_S 60
#define READY_MS 10000

static char *ready_path(const char *dir, unsigned id)
{
	return nt_asprintf("%s/guardian-%u", dir, id);
}

static void nap(int ms)
{
	struct timespec ts = { ms / 1000, (long)(ms % 1000) * 1000000 };

	nanosleep(&ts, NULL);
}

static int pidfd_of(int pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

static bool alive(int pid, int pidfd)
{
	char path[40], text[256] = "", *p;
	ssize_t n;
	int fd;

	if (pidfd >= 0 ? syscall(SYS_pidfd_send_signal, pidfd, 0, NULL, 0) < 0
		       : kill(pid, 0) < 0)
		return errno == EPERM;
	/* dead, but not yet waited for by its parent */
	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
	if (fd >= 0)
		close(fd);
	p = n > 0 ? strrchr(text, ')') : NULL;
	return !p || (p[1] && p[2] != 'Z' && p[2] != 'X');
}

/* The set as its journal has it now. False when that is lost, or of another set. */
static bool load_again(const char *dir, struct nt_set *set)
{
	struct nt_set fresh;

	if (nt_journal_load(dir, set->id, &fresh, NULL) < 0 || fresh.pid != set->pid ||
		fresh.time != set->time) {
		nt_set_free(&fresh);
		return false;
	}
	nt_set_free(set);
	*set = fresh;
	return true;
}

static int undo_now(struct nt_sys *s, const char *dir, struct nt_set *set, const char *why,
	struct nt_change_result *ret, struct nt_err *err)
{
	struct nt_lock lock;
	bool known;
	int rc, tries;

	for (tries = 0; (rc = nt_lock_take(dir, "undoing", &lock, err)) == -EBUSY; tries++) {
		if (tries > 600)
			break;
		nap(500);
	}
	/* the state folder may have gone: what is in memory is enough to undo */
	if (rc && rc != -EBUSY)
		lock.fd = -1;
	known = load_again(dir, set);
	if (!known)
		set->damaged = true; /* it may have gone on since it was read last */
	rc = 0;
	if (!set->undone && !(set->ended && set->kept)) {
		if (known)
			nt_journal_append(dir, set, NULL);
		ret->id = set->id;
		rc = nt_set_undo(s, set, why, ret, err);
	}
	nt_lock_drop(&lock);
	return rc;
}

static int say_ready(const char *dir, unsigned id, struct nt_err *err)
{
	char *path = ready_path(dir, id);
	int fd, rc = 0;

	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		rc = nt_err_sys(err, -errno, "cannot make '%s'", path);
	else
		close(fd);
	free(path);
	return rc;
}

/* Grows with each intent and each outcome. */
static size_t progress(const struct nt_set *set)
{
	size_t i, sum = 0;

	for (i = 0; i < set->n_steps; i++)
		sum += (size_t)set->steps[i].state;
	return sum;
}

static int watch_set(struct nt_sys *s, const char *dir, struct nt_set *set, int pidfd,
	struct nt_change_result *ret, struct nt_err *err)
{
	double begun = nt_boot_s();
	size_t reached = progress(set);

	for (;; nap(250)) {
		load_again(dir, set);
		if (progress(set) != reached) {
			reached = progress(set);
			begun = nt_boot_s();
		}
		if (set->undone || (set->ended && set->kept))
			return 0;
		if (set->ended && nt_boot_s() >= set->end_boottime + set->confirm_s)
			return undo_now(s, dir, set, "not kept in time", ret, err);
		if (!set->ended && !alive(set->pid, pidfd))
			return undo_now(s, dir, set, "nettune died before it was done", ret, err);
		if (!set->ended && nt_boot_s() >= begun + set->confirm_s + HUNG_S) {
			if (pidfd >= 0)
				syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0);
			return undo_now(s, dir, set, "nettune hung", ret, err);
		}
	}
}

int nt_guard(struct nt_sys *s, const char *dir, unsigned id, struct nt_change_result *ret,
	struct nt_err *err)
{
	struct nt_place_id here;
	struct nt_set set;
	char *path;
	int pidfd, rc;

	memset(ret, 0, sizeof *ret);
	rc = nt_journal_load(dir, id, &set, err);
	if (rc == 0 && !set.confirm_s)
		rc = nt_err_set(err, -EINVAL, "change set %u needs no keeping", id);
	if (rc == 0)
		rc = nt_place_here(s, &here, err);
	if (rc == 0)
		rc = nt_place_check(&here, &set, err);
	pidfd = rc == 0 ? pidfd_of(set.pid) : -1;
	if (rc == 0)
		rc = say_ready(dir, id, err);
	if (rc == 0) {
		rc = watch_set(s, dir, &set, pidfd, ret, err);
		path = ready_path(dir, id);
		unlink(path);
		free(path);
	}
	if (pidfd >= 0)
		close(pidfd);
	nt_set_free(&set);
	return rc;
}

/* The detached process. Never returns. */
static void be_guardian(const char *dir, unsigned id)
{
	struct nt_change_result r;
	struct nt_sys *s;
	int null, rc;

	signal(SIGHUP, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	nt_die_hook(NULL);
	null = open("/dev/null", O_RDWR);
	for (rc = 0; null >= 0 && rc < 3; rc++)
		dup2(null, rc);
	/* the lock above all: it is the parent's */
	closefrom(3);
	if (chdir("/") < 0)
		errno = 0;
	prctl(PR_SET_NAME, "nettune-guard");
	s = nt_sys_live(0, NULL);
	rc = s ? nt_guard(s, dir, id, &r, NULL) : -1;
	_exit(rc != 0);
}

static int detach(const char *dir, unsigned id, struct nt_err *err)
{
	char *whole = realpath(dir, NULL);
	pid_t pid;
	int status;

	if (!whole)
		return nt_err_sys(err, -errno, "cannot find '%s'", dir);
	pid = fork();
	if (pid < 0) {
		free(whole);
		return nt_err_sys(err, -errno, "cannot start the guardian");
	}
	if (pid == 0) {
		setsid();
		if (fork() != 0)
			_exit(0);
		be_guardian(whole, id);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	free(whole);
	return 0;
}

static bool systemd_runs(void)
{
	struct stat st;

	return lstat("/run/systemd/system", &st) == 0 && S_ISDIR(st.st_mode);
}

/* Run argv, quiet; its exit status, or -errno. */
static int spawn(char *const *argv)
{
	pid_t pid = fork();
	int status = -1, null;

	if (pid < 0)
		return -errno;
	if (pid == 0) {
		null = open("/dev/null", O_RDWR);
		for (status = 0; null >= 0 && status < 3; status++)
			dup2(null, status);
		execvp(argv[0], argv);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -EINTR;
}

static int by_systemd(const char *dir, unsigned id)
{
	char exe[PATH_MAX], *whole = realpath(dir, NULL), *argv[20];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	size_t k = 0, i, owned;
	int rc;

	if (n <= 0 || !whole) {
		free(whole);
		return -ENOENT;
	}
	exe[n] = '\0';
	argv[k++] = nt_strdup("systemd-run");
	argv[k++] = nt_strdup("--quiet");
	argv[k++] = nt_strdup("--no-ask-password");
	argv[k++] = nt_strdup("--collect");
	argv[k++] = nt_asprintf("--unit=nettune-guardian-%u-%d", id, (int)getpid());
	argv[k++] = nt_asprintf("--description=nettune: undo change set %u unless kept", id);
	argv[k++] = nt_asprintf("--setenv=NETTUNE_STATE_DIR=%s", whole);
	argv[k++] = nt_strdup("--property=OOMScoreAdjust=-900");
	if (!nt_netns_is_init())
		argv[k++] = nt_asprintf("--property=NetworkNamespacePath=/proc/%d/ns/net",
			(int)getpid());
	argv[k++] = nt_strdup("--");
	argv[k++] = nt_strdup(exe);
	argv[k++] = nt_strdup("--rollback");
	argv[k++] = nt_strdup("--unless-kept");
	argv[k++] = nt_asprintf("%u", id);
	owned = k;
	argv[k] = NULL;
	rc = spawn(argv);
	for (i = 0; i < owned; i++)
		free(argv[i]);
	free(whole);
	return rc;
}

static bool wait_ready(const char *dir, unsigned id)
{
	char *path = ready_path(dir, id);
	bool ready = false;
	int ms;

	for (ms = 0; !ready && ms < READY_MS; ms += 20) {
		ready = access(path, F_OK) == 0;
		if (!ready)
			nap(20);
	}
	free(path);
	return ready;
}

int nt_guardian_start(const char *dir, const struct nt_set *set, char *note, size_t size,
	struct nt_err *err)
{
	char *path = ready_path(dir, set->id);
	int rc;

	*note = '\0';
	unlink(path);
	free(path);
	if (systemd_runs()) {
		if (by_systemd(dir, set->id) == 0 && wait_ready(dir, set->id))
			return 0;
		snprintf(note, size,
			"systemd-run is not to be had: the guardian is a plain process, which ends "
			"with the service or session that nettune runs in");
	}
	rc = detach(dir, set->id, err);
	if (rc == 0 && !wait_ready(dir, set->id))
		rc = nt_err_set(err, -ETIMEDOUT, "the guardian did not start");
	return rc;
}
