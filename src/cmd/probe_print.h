/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A probe's results as text. Private to cmd/. */
#ifndef PROBE_PRINT_H
#define PROBE_PRINT_H

#include <stdio.h>

#include "nettune/probe.h"

/* One second of a running test: rate, retransmits, CPU at both ends. */
void nt_probe_line(char *ret, size_t size, const struct nt_probe_progress *p);
void nt_probe_print(FILE *out, const struct nt_probe_result *r);

#endif
