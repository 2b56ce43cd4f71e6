/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nettune/clock.h"
#include "nettune/mem.h"
#include "nettune/names.h"

#define TIME_LIMIT_S 120
#define OUTPUT_MAX (64U << 20)

int nt_guard_hold(struct nt_guard *g, struct nt_err *err)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, &g->saved);
	g->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (g->fd < 0) {
		int code = -errno;

		sigprocmask(SIG_SETMASK, &g->saved, NULL);
		return nt_err_sys(err, code, "cannot wait for signals");
	}
	return 0;
}

void nt_guard_release(struct nt_guard *g)
{
	close(g->fd);
	sigprocmask(SIG_SETMASK, &g->saved, NULL);
}

/* The environment without what would steer the program elsewhere. */
static char **environment(const char *home)
{
	static const char *const dropped[] = { "LC_ALL=", "LANGUAGE=", "GIT_DIR=",
		"GIT_WORK_TREE=", "GIT_INDEX_FILE=", "COCCINELLE_HOME=" };
	char **env = NULL;
	size_t n = 0, cap = 0, i, k;

	for (i = 0; environ[i]; i++) {
		for (k = 0; k < NT_ARRAY_SIZE(dropped); k++)
			if (strncmp(environ[i], dropped[k], strlen(dropped[k])) == 0)
				break;
		if (k < NT_ARRAY_SIZE(dropped) ||
			(home && (strncmp(environ[i], "HOME=", 5) == 0 ||
					 strncmp(environ[i], "TMPDIR=", 7) == 0)))
			continue;
		NT_GROW(env, n, cap);
		env[n++] = nt_strdup(environ[i]);
	}
	env = nt_reallocarray(env, n + 4, sizeof *env);
	env[n++] = nt_strdup("LC_ALL=C");
	if (home) {
		env[n++] = nt_asprintf("HOME=%s", home);
		env[n++] = nt_asprintf("TMPDIR=%s", home);
	}
	env[n] = NULL;
	return env;
}

static void free_environment(char **env)
{
	size_t i;

	for (i = 0; env[i]; i++)
		free(env[i]);
	free(env);
}

/* A process group of its own, so that what it starts ends with it. */
static int start(const char *const argv[], const char *dir, const char *home, int out,
	int err, pid_t *ret)
{
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t attr;
	char **env = environment(home);
	sigset_t none, defaults;
	int rc;

	sigemptyset(&none);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	sigaddset(&defaults, SIGCHLD);
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_addopen(&fa, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&fa, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&fa, err, STDERR_FILENO);
	posix_spawn_file_actions_addchdir_np(&fa, dir);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr,
		POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &defaults);
	/* the prototype lacks the const, the call does not write */
	rc = posix_spawnp(ret, argv[0], &fa, &attr, (char *const *)(uintptr_t)argv, env);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&fa);
	free_environment(env);
	return -rc;
}

/* Read both pipes until they end. */
static int drain(struct pollfd fds[3], struct nt_buf *bufs[2], double deadline)
{
	char chunk[16384];
	double left;
	ssize_t n;
	int i;

	while (fds[0].fd >= 0 || fds[1].fd >= 0) {
		left = deadline - nt_now_s();
		if (left <= 0)
			return -ETIMEDOUT;
		if (poll(fds, 3, (int)(left * 1000) + 1) < 0 && errno != EINTR)
			return -errno;
		if (fds[2].revents)
			return -EINTR;
		for (i = 0; i < 2; i++) {
			if (fds[i].fd < 0 || !fds[i].revents)
				continue;
			n = read(fds[i].fd, chunk, sizeof chunk);
			if (n > 0)
				nt_buf_add(bufs[i], chunk, n);
			else if (n == 0 || errno != EINTR)
				fds[i].fd = -1;
			if (bufs[i]->len > OUTPUT_MAX)
				return -EFBIG;
		}
	}
	return 0;
}

/* The pipes have ended; so has the program, almost always. */
static int reap(pid_t pid, const struct nt_guard *g, double deadline, int *ret_status)
{
	struct pollfd fd = { .fd = g->fd, .events = POLLIN };
	int status;
	pid_t p;

	for (;;) {
		p = waitpid(pid, &status, WNOHANG);
		if (p < 0 && errno != EINTR)
			return -errno;
		if (p == pid)
			break;
		if (poll(&fd, 1, 20) > 0)
			return -EINTR;
		if (nt_now_s() > deadline)
			return -ETIMEDOUT;
	}
	*ret_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return 0;
}

static int complain(int rc, const char *program, struct nt_err *err)
{
	if (rc == -ENOENT)
		return nt_err_set(err, rc, "'%s' is not installed", program);
	if (rc == -ETIMEDOUT)
		return nt_err_set(
			err, rc, "'%s' took more than %d s", program, TIME_LIMIT_S);
	if (rc == -EINTR)
		return nt_err_set(err, rc, "interrupted");
	return nt_err_sys(err, rc, "cannot run '%s'", program);
}

static void close_pair(int fds[2])
{
	if (fds[0] >= 0)
		close(fds[0]);
	if (fds[1] >= 0)
		close(fds[1]);
}

int nt_run(const char *const argv[], const char *dir, const char *home,
	const struct nt_guard *g, struct nt_ran *ret, struct nt_err *err)
{
	struct nt_buf *bufs[2] = { &ret->out, &ret->err };
	int out[2] = { -1, -1 }, errs[2] = { -1, -1 }, rc = 0;
	double deadline = nt_now_s() + TIME_LIMIT_S;
	struct pollfd fds[3];
	pid_t pid;

	memset(ret, 0, sizeof *ret);
	if (pipe2(out, O_CLOEXEC) != 0 || pipe2(errs, O_CLOEXEC) != 0)
		rc = -errno;
	if (rc == 0)
		rc = start(argv, dir, home, out[1], errs[1], &pid);
	if (rc != 0) {
		close_pair(out);
		close_pair(errs);
		return complain(rc, argv[0], err);
	}
	close(out[1]);
	close(errs[1]);
	fds[0] = (struct pollfd){ .fd = out[0], .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = errs[0], .events = POLLIN };
	fds[2] = (struct pollfd){ .fd = g->fd, .events = POLLIN };
	rc = drain(fds, bufs, deadline);
	if (rc == 0)
		rc = reap(pid, g, deadline, &ret->status);
	if (rc != 0) {
		kill(-pid, SIGKILL);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	close(out[0]);
	close(errs[0]);
	return rc == 0 ? 0 : complain(rc, argv[0], err);
}

void nt_ran_words(const struct nt_ran *r, char *ret, size_t size)
{
	const char *s = nt_buf_str(&r->err), *end;
	char *line;

	ret[0] = '\0';
	for (; *s; s = *end ? end + 1 : end) {
		end = s + strcspn(s, "\n");
		if (end == s || strncmp(s, "warning:", 8) == 0)
			continue;
		line = nt_strndup(s, end - s);
		nt_printable(ret, size, line);
		free(line);
		return;
	}
}

void nt_ran_free(struct nt_ran *r)
{
	nt_buf_free(&r->out);
	nt_buf_free(&r->err);
}
