/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of a probe, by the words of the command line: one row each. */
#include "config.h"

#include "nettune/probe.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nettune/buf.h"
#include "nettune/unit.h"

#define AT(member) offsetof(struct nt_probe_opts, member)

const struct nt_probe_setting nt_probe_settings[] = {
	{ "time", NT_SETTING_SECONDS, AT(seconds), 0.2, NT_PROBE_MAX_SECONDS },
	{ "warmup", NT_SETTING_SECONDS, AT(warmup), 0, 60 },
	{ "streams", NT_SETTING_COUNT, AT(streams), 1, NT_PROBE_MAX_STREAMS },
	{ "mss", NT_SETTING_COUNT, AT(mss), 88, 65495 },
	{ "write-size", NT_SETTING_SIZE, AT(write_size), 1, 16777216 },
	{ "sndbuf", NT_SETTING_SIZE, AT(sndbuf), 1, 1073741823 },
	{ "rcvbuf", NT_SETTING_SIZE, AT(rcvbuf), 1, 1073741823 },
	{ "request", NT_SETTING_SIZE, AT(request), 1, 65536 },
	{ "response", NT_SETTING_SIZE, AT(response), 1, 16777216 },
	{ "pacing", NT_SETTING_RATE, AT(pacing_bps), 1, 1e15 },
	{ "congestion", NT_SETTING_WORD, AT(congestion), 0, 0 },
	{ "cpu", NT_SETTING_CPU, AT(cpu), 0, 65535 },
	{ "peer-cpu", NT_SETTING_CPU, AT(peer_cpu), 0, 65535 },
	{ "nodelay", NT_SETTING_FLAG, AT(nodelay), 0, 0 },
	{ "zerocopy", NT_SETTING_FLAG, AT(zerocopy), 0, 0 },
	{ "trunc", NT_SETTING_FLAG, AT(trunc), 0, 0 },
	{ "any-egress", NT_SETTING_FLAG, AT(any_egress), 0, 0 },
	{ NULL, NT_SETTING_FLAG, 0, 0, 0 },
};

static void *member(struct nt_probe_opts *o, const struct nt_probe_setting *s)
{
	return (char *)o + s->offset;
}

static const void *peek(const struct nt_probe_opts *o, const struct nt_probe_setting *s)
{
	return (const char *)o + s->offset;
}

static void store(struct nt_probe_opts *o, const struct nt_probe_setting *s, double v)
{
	switch (s->kind) {
	case NT_SETTING_SECONDS:
		*(double *)member(o, s) = v;
		break;
	case NT_SETTING_RATE:
		*(uint64_t *)member(o, s) = v;
		break;
	case NT_SETTING_CPU:
		*(int *)member(o, s) = v;
		break;
	case NT_SETTING_FLAG:
		*(bool *)member(o, s) = v != 0;
		break;
	case NT_SETTING_COUNT:
	case NT_SETTING_SIZE:
		*(unsigned *)member(o, s) = v;
		break;
	case NT_SETTING_WORD:
		break;
	}
}

static int set_number(const struct nt_probe_setting *s, struct nt_probe_opts *o, const char *text,
	struct nt_err *err)
{
	char *end;
	double v = strtod(text, &end);

	bool whole = s->kind != NT_SETTING_SECONDS;

	if (end == text || *end || !isfinite(v) || v < s->min || v > s->max ||
		(whole && v != floor(v)))
		return nt_err_set(err, -EINVAL, "'%s' is not a %snumber from %.15g to %.15g", text,
			whole ? "whole " : "", s->min, s->max);
	store(o, s, v);
	return 0;
}

static int set_literal(const struct nt_probe_setting *s, struct nt_probe_opts *o, const char *text,
	struct nt_err *err)
{
	bool rate = s->kind == NT_SETTING_RATE;
	enum nt_unit unit = rate ? NT_UNIT_BPS : NT_UNIT_BYTES;
	char most[32];
	double v;

	if (nt_unit_parse_as(text, unit, &v))
		return nt_err_set(err, -EINVAL, "'%s' is not a %s like %s", text,
			rate ? "rate" : "size", rate ? "100Mbit" : "64KiB");
	nt_unit_format(most, sizeof most, s->max, unit);
	if (v < s->min || v > s->max)
		return nt_err_set(err, -EINVAL, "'%s' is not a %s from %.0f to %s", text,
			rate ? "rate" : "size", s->min, most);
	store(o, s, v);
	return 0;
}

int nt_probe_setting_parse(const struct nt_probe_setting *s, struct nt_probe_opts *o,
	const char *text, struct nt_err *err)
{
	switch (s->kind) {
	case NT_SETTING_SIZE:
	case NT_SETTING_RATE:
		return set_literal(s, o, text, err);
	case NT_SETTING_FLAG:
		store(o, s, 1);
		return 0;
	case NT_SETTING_WORD:
		if (!*text || strlen(text) >= sizeof o->congestion)
			return nt_err_set(err, -EINVAL, "'%s' is no algorithm's name", text);
		memcpy(member(o, s), text, strlen(text) + 1);
		return 0;
	default:
		return set_number(s, o, text, err);
	}
}

void nt_probe_setting_clear(const struct nt_probe_setting *s, struct nt_probe_opts *o)
{
	struct nt_probe_opts unset;

	nt_probe_opts_init(&unset);
	if (s->kind == NT_SETTING_WORD)
		memset(member(o, s), 0, sizeof o->congestion);
	else if (s->kind == NT_SETTING_SECONDS)
		store(o, s, *(const double *)peek(&unset, s));
	else
		store(o, s, s->kind == NT_SETTING_CPU ? *(const int *)peek(&unset, s) : 0);
}

bool nt_probe_setting_format(const struct nt_probe_setting *s, const struct nt_probe_opts *o,
	char *ret, size_t size)
{
	const void *at = peek(o, s);
	double v = 0;

	*ret = '\0';
	switch (s->kind) {
	case NT_SETTING_WORD:
		snprintf(ret, size, "%s", (const char *)at);
		return *ret;
	case NT_SETTING_FLAG:
		snprintf(ret, size, "%s", *(const bool *)at ? "on" : "");
		return *ret;
	case NT_SETTING_CPU:
		if (*(const int *)at >= 0)
			snprintf(ret, size, "%d", *(const int *)at);
		return *ret;
	case NT_SETTING_RATE:
		v = (double)*(const uint64_t *)at;
		break;
	case NT_SETTING_SECONDS:
		v = *(const double *)at;
		/* of the time 0 is unset, of the warm-up less than 0 */
		if (v >= 0 && v >= s->min)
			snprintf(ret, size, "%.15g s", v);
		return *ret;
	default:
		v = *(const unsigned *)at;
	}
	if (v > 0 && s->kind == NT_SETTING_COUNT)
		snprintf(ret, size, "%.0f", v);
	else if (v > 0)
		nt_unit_format(ret, size, v, s->kind == NT_SETTING_RATE ? NT_UNIT_BPS : NT_UNIT_BYTES);
	return *ret;
}

void nt_probe_settings_format(const struct nt_probe_opts *o, struct nt_buf *ret)
{
	const struct nt_probe_setting *s;
	char text[64];

	for (s = nt_probe_settings; s->name; s++) {
		if (s->offset == AT(seconds) || !nt_probe_setting_format(s, o, text, sizeof text))
			continue;
		nt_buf_addf(ret, "%s%s", ret->len ? ", " : "", s->name);
		if (s->kind != NT_SETTING_FLAG)
			nt_buf_addf(ret, " %s", text);
	}
}
