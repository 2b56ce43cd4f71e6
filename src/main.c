/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"

/*
 * Where the caller closed stdin, stdout or stderr, a file or socket opened later would take
 * its number and be written to: take it first, in the direction that fails.
 */
static void fill_standard_fds(void)
{
	static const int flags[] = { O_WRONLY, O_RDONLY, O_RDWR };
	int fd;

	for (fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", flags[fd]) != fd)
			abort();
}

/* Results go to stdout: a full disk or a closed pipe must not look like success. */
static int close_stdout(int status)
{
	int failed = ferror(stdout);

	errno = 0;
	if (fclose(stdout) == 0 && !failed)
		return status;
	if (errno != EPIPE)
		nt_warn("cannot write to standard output: %s", strerror(errno ? errno : EIO));
	return status == NT_EXIT_OK || status == NT_EXIT_FINDING ? NT_EXIT_FAILED : status;
}

int main(int argc, char **argv)
{
	struct nt_args a;
	int status;

	fill_standard_fds();
	signal(SIGXFSZ, SIG_IGN); /* ulimit -f: a write that fails is told, and cleaned up after */
	setlocale(LC_CTYPE, "");
	status = nt_args_parse(argc, argv, &a);
	if (status == 0 && a.version)
		printf("nettune %s\n", PACKAGE_VERSION);
	else if (status == 0 && a.help)
		nt_print_help(a.cmd);
	else if (status == 0)
		status = a.cmd->run(&a);
	nt_args_free(&a);
	return close_stdout(status);
}
