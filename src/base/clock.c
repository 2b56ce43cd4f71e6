/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/clock.h"

#include <time.h>

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

uint64_t nt_now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

int64_t nt_now_ms(void)
{
	return (int64_t)(nt_now_ns() / 1000000);
}

double nt_now_s(void)
{
	return (double)nt_now_ns() / 1e9;
}

int64_t nt_boot_ms(void)
{
	return (int64_t)(clock_ns(CLOCK_BOOTTIME) / 1000000);
}

double nt_boot_s(void)
{
	return (double)clock_ns(CLOCK_BOOTTIME) / 1e9;
}
