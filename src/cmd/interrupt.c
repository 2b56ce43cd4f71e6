/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdbool.h>
#include <unistd.h>

#include "nettune/mem.h"

/* A signal handler has no argument to be given these by. */
static atomic_bool came;
static int ends[2] = { -1, -1 };

static void on_signal(int sig)
{
	int saved = errno;
	char c = 0;
	ssize_t n;

	(void)sig;
	atomic_store(&came, true);
	n = ends[1] >= 0 ? write(ends[1], &c, 1) : 0;
	(void)n; /* a full pipe can be read already */
	errno = saved;
}

void nt_interrupt_catch(void)
{
	static const int sigs[] = { SIGINT, SIGTERM, SIGHUP };
	/* no SA_RESTART: what waits is to look at the flag; RESETHAND: the second one kills */
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESETHAND };
	size_t i;

	if (ends[0] < 0 && pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		ends[0] = ends[1] = -1;
	sigemptyset(&sa.sa_mask);
	for (i = 0; i < NT_ARRAY_SIZE(sigs); i++)
		sigaction(sigs[i], &sa, NULL);
}

const atomic_bool *nt_interrupted(void)
{
	return &came;
}

int nt_interrupt_fd(void)
{
	return ends[0];
}
