/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The members of what an end saw, in tables: from them come the wire's JSON, its checked
 * reading, and the published document. Private to probe/.
 */
#ifndef PROBE_ENDJSON_H
#define PROBE_ENDJSON_H

#include <jansson.h>

#include "nettune/jsonw.h"
#include "nettune/probe.h"

json_t *nt_end_json(const struct nt_probe_end *e);
/* Read what the other end sent; every number and length is bounded. -EPROTO, err filled.
 * ret must be initialised; freed by the caller also on failure. */
int nt_end_read(const json_t *j, struct nt_probe_end *ret, struct nt_err *err);
void nt_end_write(struct nt_jsonw *w, const char *key, const struct nt_probe_end *e);

json_t *nt_sample_json(const struct nt_probe_sample *s);
int nt_sample_read(const json_t *j, struct nt_probe_sample *ret);

#endif
