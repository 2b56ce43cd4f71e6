/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --lab: the whole loop on a throw-away pair of links, in namespaces that end with the
 * process, whatever ends it: a network namespace for the links, one of mounts for /sys and
 * the state, one of processes so that nothing started here can outlive it.
 */
#include "config.h"

#include "modes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nettune/mem.h"

struct scene {
	const char *say;     /* told before the command; NULL: nothing */
	const char *command; /* for the shell */
	int status;	     /* expected */
};

#define TSO "tx-tcp-segmentation"

static const struct scene links[] = {
	{ "Two hosts, near and far, joined by a virtual cable", "ip netns add far", 0 },
	{ NULL, "ip link add v0 type veth peer name v0 netns far", 0 },
	{ NULL, "ip addr add 10.9.0.1/24 dev v0 && ip link set v0 up", 0 },
	{ NULL, "ip -n far addr add 10.9.0.2/24 dev v0 && ip -n far link set v0 up", 0 },
	{ NULL, NULL, 0 },
};

static const struct scene offloads_off[] = {
	{ "The fault: somebody switched segmentation offload off",
		"ethtool -K v0 " TSO " off tx-tcp6-segmentation off >/dev/null", 0 },
	{ "Look: what does nettune find?", "nettune --report --interval 0 v0", 0 },
	{ "Dry run: what would it do? Nothing is changed yet",
		"nettune --apply --dry-run --interval 0 v0", 3 },
	{ "Apply, undone after 60 s unless kept", "nettune --apply --confirm 60 --interval 0 v0",
		0 },
	{ "Is it true? ethtool knows nothing of nettune",
		"ethtool -k v0 | grep -E '" TSO ": on|tx-tcp6-segmentation: on'", 0 },
	{ "It is good: keep it", "nettune --keep", 0 },
	{ "A second time there is nothing to do", "nettune --apply --interval 0 v0", 0 },
	{ "Look again: is it well now?", "nettune --report --interval 0 --exit-code v0", 0 },
	{ "And undo: back to the fault we began with", "nettune --rollback", 0 },
	{ NULL, "ethtool -k v0 | grep -E '" TSO ": off|tx-tcp6-segmentation: off'", 0 },
	{ "What was done here", "nettune --history", 0 },
	{ NULL, NULL, 0 },
};

static const struct scene window_scaling_off[] = {
	{ "The fault: somebody switched window scaling off",
		"sysctl -w net.ipv4.tcp_window_scaling=0", 0 },
	{ "Look: what does nettune find?", "nettune --report --interval 0", 0 },
	{ "Dry run: what would it do?", "nettune --apply --dry-run --interval 0", 3 },
	{ "Apply", "nettune --apply --interval 0", 0 },
	{ "Is it true?", "sysctl net.ipv4.tcp_window_scaling | grep ' = 1$'", 0 },
	{ "And undo", "nettune --rollback", 0 },
	{ NULL, "sysctl net.ipv4.tcp_window_scaling | grep ' = 0$'", 0 },
	{ NULL, NULL, 0 },
};

static const struct scene lost_session[] = {
	{ "The fault: somebody switched segmentation offload off",
		"ethtool -K v0 " TSO " off tx-tcp6-segmentation off >/dev/null", 0 },
	{ "Apply, undone after 3 s unless kept", "nettune --apply --confirm 3 --interval 0 v0", 0 },
	{ "The session is lost: nobody types nettune --keep. Wait",
		"for i in 1 2 3 4 5 6 7 8 9 10; do sleep 1; "
		"ethtool -k v0 | grep '" TSO ": off' && break; done",
		0 },
	{ "The guardian has put all back", "nettune --history", 0 },
	{ NULL, NULL, 0 },
};

static const struct scenario {
	const char *name, *summary;
	const struct scene *scenes;
} scenarios[] = {
	{ "offloads-off", "a link without its offloads: find, apply, check, keep, undo",
		offloads_off },
	{ "window-scaling-off", "a host sysctl that throttles every long path",
		window_scaling_off },
	{ "lost-session", "a change that nobody keeps is undone by itself", lost_session },
};

/* ---- inside ---- */

static int play(const struct scene *sc)
{
	int status;

	for (; sc->command; sc++) {
		if (sc->say)
			printf("\n== %s\n", sc->say);
		printf("$ %s\n", sc->command);
		fflush(stdout);
		status = system(sc->command);
		status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
		if (status != sc->status) {
			nt_warn("lab: that should have ended with status %d, not %d", sc->status,
				status);
			return NT_EXIT_FAILED;
		}
	}
	return NT_EXIT_OK;
}

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), rc = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		rc = -errno;
	close(fd);
	return rc;
}

/* Be root of a user namespace of our own, where we are not root already. */
static int become_root(unsigned uid, unsigned gid)
{
	char map[40];
	int rc;

	snprintf(map, sizeof map, "0 %u 1", uid);
	rc = write_file("/proc/self/uid_map", map);
	if (rc == 0)
		rc = write_file("/proc/self/setgroups", "deny");
	snprintf(map, sizeof map, "0 %u 1", gid);
	return rc == 0 ? write_file("/proc/self/gid_map", map) : rc;
}

static int private_mounts(void)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		mount("sysfs", "/sys", "sysfs", 0, NULL) < 0 ||
		mount("tmpfs", "/run", "tmpfs", 0, "mode=755") < 0)
		return -errno;
	/* refused where parts of /proc are hidden, as in some containers: does no harm */
	if (mount("proc", "/proc", "proc", 0, NULL) < 0)
		errno = 0;
	return 0;
}

/* This program's folder first, so that "nettune" is this nettune. */
static int set_path(void)
{
	char exe[PATH_MAX], *slash, *path;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	const char *old = getenv("PATH");

	if (n <= 0)
		return -errno;
	exe[n] = '\0';
	slash = strrchr(exe, '/');
	if (slash)
		*slash = '\0';
	path = nt_asprintf("%s:%s:/usr/sbin:/sbin", exe, old ? old : "/usr/bin:/bin");
	setenv("PATH", path, 1);
	free(path);
	setenv("NETTUNE_STATE_DIR", "/run/nettune-lab", 1);
	unsetenv("NETTUNE_FAULT");
	return 0;
}

static int inside(const struct scenario *sc)
{
	int status;

	signal(SIGPIPE, SIG_DFL);
	if (system("command -v ip >/dev/null && command -v ethtool >/dev/null") != 0) {
		nt_warn("lab: the programs ip and ethtool are needed");
		return NT_EXIT_FAILED;
	}
	status = play(links);
	if (status == NT_EXIT_OK)
		status = play(sc->scenes);
	if (status == NT_EXIT_OK)
		printf("\n== Done. The links, the namespaces and the state end here.\n");
	return fflush(stdout) ? NT_EXIT_FAILED : status;
}

/* The process that leaves the host; never returns. */
static void leave(const struct scenario *sc, const sigset_t *signals)
{
	int flags = CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWPID, status, rc = 0;
	unsigned uid = geteuid(), gid = getegid();
	pid_t pid;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigprocmask(SIG_SETMASK, signals, NULL);
	if (set_path() < 0 || unshare(flags | (uid ? CLONE_NEWUSER : 0)) < 0)
		rc = -errno;
	if (rc == 0 && uid)
		rc = become_root(uid, gid);
	if (rc < 0) {
		nt_warn("lab: no namespaces to be had here: %s", strerror(-rc));
		_exit(NT_EXIT_FAILED);
	}
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		rc = private_mounts();
		if (rc < 0)
			nt_warn("lab: cannot mount /sys and /run anew: %s", strerror(-rc));
		_exit(rc < 0 ? NT_EXIT_FAILED : inside(sc));
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status))
		_exit(NT_EXIT_FAILED);
	_exit(WEXITSTATUS(status));
}

/* ---- outside ---- */

/* Wait for the lab to end; a signal ends it. */
static int watch(pid_t pid, const sigset_t *set)
{
	int status, sig, interrupted = 0;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		sig = sigwaitinfo(set, NULL);
		if (sig > 0 && sig != SIGCHLD) {
			interrupted = sig;
			kill(pid, SIGKILL);
		}
	}
	if (interrupted) {
		nt_warn("lab: interrupted; its links and processes are gone");
		return NT_EXIT_FAILED;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : NT_EXIT_FAILED;
}

static int run_lab(const struct scenario *sc)
{
	static const int sigs[] = { SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	sigset_t set, old;
	size_t i;
	pid_t pid;

	sigemptyset(&set);
	for (i = 0; i < NT_ARRAY_SIZE(sigs); i++)
		sigaddset(&set, sigs[i]);
	sigprocmask(SIG_BLOCK, &set, &old);
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		leave(sc, &old);
	if (pid < 0) {
		nt_warn("lab: %s", strerror(errno));
		return NT_EXIT_FAILED;
	}
	return watch(pid, &set);
}

int nt_cmd_lab(const struct nt_args *a)
{
	size_t i;

	if (!a->n_operands) {
		printf("Scenarios, each on links of its own that vanish with it:\n");
		for (i = 0; i < NT_ARRAY_SIZE(scenarios); i++)
			printf("  nettune --lab %-20s %s\n", scenarios[i].name,
				scenarios[i].summary);
		return NT_EXIT_OK;
	}
	for (i = 0; i < NT_ARRAY_SIZE(scenarios); i++)
		if (strcmp(scenarios[i].name, a->operands[0]) == 0)
			return run_lab(&scenarios[i]);
	nt_warn("there is no scenario '%s'; nettune --lab lists them", a->operands[0]);
	return NT_EXIT_USAGE;
}
