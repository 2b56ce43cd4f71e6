/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tx completion delay: the measured bursts and what they say. Private to probe/. */
#ifndef PROBE_COMPLETION_H
#define PROBE_COMPLETION_H

#include <stddef.h>

#include "nettune/probe.h"

#define NT_COMPLETION_MAX 400

struct nt_completion_data {
	size_t n;
	double burst[NT_COMPLETION_MAX]; /* datagrams */
	double drain_us[NT_COMPLETION_MAX], send_us[NT_COMPLETION_MAX];
};

/* The time of one of the test's datagrams on a wire of that speed. */
double nt_completion_wire_ns(double speed_bps);

/*
 * Fit and judge by N2. A reason already in ret makes it not measurable whatever the
 * numbers; wire_us is NAN where the link's speed is not known. any: believe the numbers
 * whatever the link is.
 */
void nt_completion_judge(const struct nt_completion_data *d, double wire_us, bool any,
	struct nt_probe_completion *ret);

#endif
