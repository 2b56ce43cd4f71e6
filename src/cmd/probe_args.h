/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of --probe and --serve read once for all modes that have them. Private to cmd/. */
#ifndef PROBE_ARGS_H
#define PROBE_ARGS_H

#include "cmd.h"
#include "nettune/probe.h"

/* --key FILE. 0, or an exit status after telling why. */
int nt_arg_key(const struct nt_args *a, struct nt_probe_key *ret);
/* A rate such as 100Mbit; a plain number is bit/s; 0 when not given. */
int nt_arg_rate(const struct nt_args *a, const char *opt, uint64_t *ret);
/* All options of --probe; the host is left to the caller. */
int nt_arg_probe(const struct nt_args *a, struct nt_probe_opts *o);

#endif
