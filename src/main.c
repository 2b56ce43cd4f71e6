/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"

/* Results go to stdout: a full disk or a closed pipe must not look like success. */
static int close_stdout(int status)
{
	int failed = ferror(stdout);

	errno = 0;
	if (fclose(stdout) == 0 && !failed)
		return status;
	if (errno != EPIPE)
		nt_warn("cannot write to standard output: %s", strerror(errno ? errno : EIO));
	return status == NT_EXIT_OK ? NT_EXIT_FAILED : status;
}

int main(int argc, char **argv)
{
	struct nt_args a;
	int status;

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
