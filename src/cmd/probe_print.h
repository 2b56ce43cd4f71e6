/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A probe's results as text. Private to cmd/. */
#ifndef PROBE_PRINT_H
#define PROBE_PRINT_H

#include <stdio.h>

#include "nettune/probe.h"

/* A line a second to stderr, for where somebody watches; never mixes with the results. */
void nt_probe_tell(void *arg, const struct nt_probe_progress *p);
/* No line is wider than columns, where its words allow that. */
void nt_probe_print(FILE *out, int columns, const struct nt_probe_result *r);

#endif
