/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "spec.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "nettune/mem.h"
#include "nettune/names.h"
#include "wire.h"

#define WARMUP_FREE 1 /* seconds that do not count for a server's limit */
#define MESSAGES_MAX (256U << 20) /* bytes that a server keeps of a test's messages */

const struct nt_name nt_flow_names[] = {
	{ "bulk", NT_FLOW_BULK },
	{ "rr", NT_FLOW_RR },
	{ "crr", NT_FLOW_CRR },
	{ "udp", NT_FLOW_UDP },
	{ "completion", NT_FLOW_COMPLETION },
	{ NULL, 0 },
};

unsigned nt_spec_streams(const struct nt_spec *s)
{
	unsigned i, n = 0;

	for (i = 0; i < s->n_groups; i++)
		n += s->groups[i].streams;
	return n;
}

const struct nt_group *nt_spec_group(const struct nt_spec *s, unsigned i)
{
	unsigned g;

	for (g = 0; g < s->n_groups; g++) {
		if (i < s->groups[g].streams)
			return &s->groups[g];
		i -= s->groups[g].streams;
	}
	return NULL;
}

bool nt_flow_connects(enum nt_flow flow)
{
	return flow != NT_FLOW_CRR;
}

bool nt_flow_is_udp(enum nt_flow flow)
{
	return flow == NT_FLOW_UDP || flow == NT_FLOW_COMPLETION;
}

/* Whole numbers of a specification: member, place, bounds. */
#define INT_ROW(field, lo, hi) { #field, offsetof(struct nt_spec, field), lo, hi }
static const struct {
	const char *key;
	size_t at;
	double min, max;
} int_rows[] = {
	INT_ROW(mss, 0, 65535),
	INT_ROW(write_size, 0, 16777216),
	INT_ROW(sndbuf, 0, 1073741823),
	INT_ROW(rcvbuf, 0, 1073741823),
	INT_ROW(cpu, -1, 65535),
	INT_ROW(peer_cpu, -1, 65535),
};

static const struct {
	const char *key;
	size_t at;
} bool_rows[] = {
	{ "nodelay", offsetof(struct nt_spec, nodelay) },
	{ "zerocopy", offsetof(struct nt_spec, zerocopy) },
	{ "trunc", offsetof(struct nt_spec, trunc) },
	{ "any_egress", offsetof(struct nt_spec, any_egress) },
};

json_t *nt_spec_json(const struct nt_spec *s)
{
	json_t *j = json_object(), *list = json_array();
	size_t i;

	for (i = 0; i < s->n_groups; i++) {
		const struct nt_group *g = &s->groups[i];

		json_array_append_new(list,
			json_pack("{s:s, s:b, s:i, s:i, s:i}", "flow",
				nt_name_of(nt_flow_names, g->flow), "down", (int)g->down, "streams",
				(int)g->streams, "request", (int)g->request, "response",
				(int)g->response));
	}
	json_object_set_new(j, "groups", list);
	json_object_set_new(j, "seconds", json_real(s->seconds));
	json_object_set_new(j, "warmup", json_real(s->warmup));
	json_object_set_new(j, "pacing_bps", json_integer(s->pacing_bps));
	json_object_set_new(j, "congestion", json_string(s->congestion));
	for (i = 0; i < NT_ARRAY_SIZE(int_rows); i++) {
		int v;

		memcpy(&v, (const char *)s + int_rows[i].at, sizeof v);
		json_object_set_new(j, int_rows[i].key, json_integer(v));
	}
	for (i = 0; i < NT_ARRAY_SIZE(bool_rows); i++)
		json_object_set_new(j, bool_rows[i].key,
			json_boolean(*((const bool *)((const char *)s + bool_rows[i].at))));
	return j;
}

static int whole(const json_t *j, const char *key, double min, double max, int *ret)
{
	double v;

	if (nt_wire_num(j, key, min, max, &v) || isnan(v) || v != floor(v))
		return -EPROTO;
	*ret = v;
	return 0;
}

static int read_group(const json_t *j, struct nt_group *ret)
{
	int streams, request, response, flow = -EINVAL;
	char word[16];

	if (nt_wire_str(j, "flow", word, sizeof word) == 0)
		flow = nt_name_value(nt_flow_names, word);
	if (flow < 0 || !json_is_boolean(json_object_get(j, "down")) ||
		whole(j, "streams", 1, NT_PROBE_MAX_STREAMS, &streams) ||
		whole(j, "request", 0, 16777216, &request) ||
		whole(j, "response", 0, 1073741823, &response))
		return -EPROTO;
	ret->flow = flow;
	ret->down = json_is_true(json_object_get(j, "down"));
	ret->streams = streams;
	ret->request = request;
	ret->response = response;
	if (flow == NT_FLOW_RR && (!request || !response || response > 16777216))
		return -EPROTO;
	if (flow == NT_FLOW_CRR && (request < NT_PREAMBLE_LEN || request > 65536 || !response))
		return -EPROTO;
	return 0;
}

static int read_scalars(const json_t *j, struct nt_spec *ret)
{
	double pacing;
	size_t i;
	int v;

	if (nt_wire_num(j, "seconds", 0.05, NT_PROBE_MAX_SECONDS, &ret->seconds) ||
		nt_wire_num(j, "warmup", 0, 60, &ret->warmup) || isnan(ret->seconds) ||
		isnan(ret->warmup) || nt_wire_num(j, "pacing_bps", 0, 1e15, &pacing) ||
		isnan(pacing) ||
		nt_wire_str(j, "congestion", ret->congestion, sizeof ret->congestion))
		return -EPROTO;
	ret->pacing_bps = pacing;
	for (i = 0; i < NT_ARRAY_SIZE(int_rows); i++) {
		if (whole(j, int_rows[i].key, int_rows[i].min, int_rows[i].max, &v))
			return -EPROTO;
		memcpy((char *)ret + int_rows[i].at, &v, sizeof v);
	}
	for (i = 0; i < NT_ARRAY_SIZE(bool_rows); i++) {
		const json_t *b = json_object_get(j, bool_rows[i].key);

		if (!json_is_boolean(b))
			return -EPROTO;
		*(bool *)((char *)ret + bool_rows[i].at) = json_is_true(b);
	}
	return 0;
}

/* What a server's streams hold at once: each has a whole message, or a whole write. */
static uint64_t message_bytes(const struct nt_spec *s)
{
	uint64_t sum = 0;
	unsigned i;

	for (i = 0; i < s->n_groups; i++) {
		const struct nt_group *g = &s->groups[i];

		if (g->flow == NT_FLOW_RR)
			sum += (uint64_t)g->streams *
			       (g->request > g->response ? g->request : g->response);
		else if (g->flow == NT_FLOW_BULK && g->down)
			sum += (uint64_t)g->streams * s->write_size;
	}
	return sum;
}

int nt_spec_read(const json_t *j, const struct nt_spec_limits *lim, struct nt_spec *ret,
	struct nt_err *err)
{
	const json_t *list = json_object_get(j, "groups");
	size_t i;

	memset(ret, 0, sizeof *ret);
	if (!json_is_array(list) || !json_array_size(list) ||
		json_array_size(list) > NT_SPEC_GROUPS || read_scalars(j, ret))
		goto malformed;
	for (i = 0; i < json_array_size(list); i++)
		if (read_group(json_array_get(list, i), &ret->groups[ret->n_groups++]))
			goto malformed;
	if (ret->seconds + fmax(0, ret->warmup - WARMUP_FREE) > lim->seconds)
		return nt_err_set(err, -EINVAL,
			"the server allows tests of %.15g s at most, with what is above %d s of warm-up",
			lim->seconds, WARMUP_FREE);
	if (nt_spec_streams(ret) > lim->streams)
		return nt_err_set(err, -EINVAL, "the server allows %u streams a test at most",
			lim->streams);
	if (message_bytes(ret) > MESSAGES_MAX)
		return nt_err_set(err, -EINVAL,
			"the server allows messages of %u MiB at most, all streams together",
			MESSAGES_MAX >> 20);
	return 0;
malformed:
	return nt_err_set(err, -EPROTO, "malformed test specification");
}
