/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What one run between the two ends consists of, as sent over the wire. Private to probe/. */
#ifndef PROBE_SPEC_H
#define PROBE_SPEC_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "nettune/err.h"
#include "nettune/probe.h"

#define NT_SPEC_GROUPS 4

enum nt_flow { NT_FLOW_BULK, NT_FLOW_RR, NT_FLOW_CRR, NT_FLOW_UDP, NT_FLOW_COMPLETION };
extern const struct nt_name nt_flow_names[];

/* Streams of one kind. down: the server is the one that sends (or measures). */
struct nt_group {
	enum nt_flow flow;
	bool down;
	unsigned streams, request, response;
};

struct nt_spec {
	struct nt_group groups[NT_SPEC_GROUPS];
	unsigned n_groups;
	double seconds, warmup;
	unsigned mss, write_size, sndbuf, rcvbuf;
	uint64_t pacing_bps;
	char congestion[16];
	int cpu, peer_cpu; /* client's, server's */
	bool nodelay, zerocopy, trunc, any_egress;
};

/* Bounds that a server sets. */
struct nt_spec_limits {
	double seconds;
	unsigned streams;
};

unsigned nt_spec_streams(const struct nt_spec *s);
/* The group of stream i. */
const struct nt_group *nt_spec_group(const struct nt_spec *s, unsigned i);
/* Streams that have a connection of their own from the start: all but CRR's. */
bool nt_flow_connects(enum nt_flow flow);
bool nt_flow_is_udp(enum nt_flow flow);

json_t *nt_spec_json(const struct nt_spec *s);
/* Read and judge a specification. -EPROTO malformed, -EINVAL over a limit, err filled. */
int nt_spec_read(const json_t *j, const struct nt_spec_limits *lim, struct nt_spec *ret,
	struct nt_err *err);

#endif
