/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A snapshot over the control channel, in bounded pieces. Private to probe/. */
#ifndef PROBE_FACTS_WIRE_H
#define PROBE_FACTS_WIRE_H

#include <jansson.h>

#include "nettune/err.h"
#include "nettune/fact.h"

#define NT_FACTS_MAX 500000
#define NT_FACTS_LINKS_MAX 8192

/* Call piece with one JSON text after the other (the callee frees it). */
void nt_facts_send(const struct nt_snapshot *s, void (*piece)(void *arg, char *text), void *arg);

/* Put one piece into a snapshot that is not sealed yet. *total counts the facts taken.
 * -EPROTO, err filled, on anything malformed or above the bounds. */
int nt_facts_take(const json_t *j, struct nt_snapshot *s, size_t *total, struct nt_err *err);

#endif
