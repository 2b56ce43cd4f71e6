/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's clocks that no step of the wall clock touches, each as its users count. */
#ifndef NETTUNE_CLOCK_H
#define NETTUNE_CLOCK_H

#include <stdint.h>

/* CLOCK_MONOTONIC: for lengths of time within a process. */
uint64_t nt_now_ns(void);
int64_t nt_now_ms(void);
double nt_now_s(void);

/* CLOCK_BOOTTIME: for deadlines that hold across processes and the sleep of the machine. */
int64_t nt_boot_ms(void);
double nt_boot_s(void);

#endif
