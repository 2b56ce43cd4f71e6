/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "endjson.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "nettune/mem.h"
#include "nettune/names.h"
#include "run.h"
#include "wire.h"

#define MAX_CPUS 8192
#define CPU_NUMBER_MAX 65535 /* it is used as an integer */
#define MAX_COUNTERS 1024

enum kind { NUM, BOOL, TEXT };

struct member {
	const char *key;
	enum kind kind;
	size_t at, size;
};

/* The keys are what the wire and the document have: a field that is renamed keeps its own. */
#define N_AS(type, field, key) { key, NUM, offsetof(struct type, field), 0 }
#define B_AS(type, field, key) { key, BOOL, offsetof(struct type, field), 0 }
#define N(type, field) N_AS(type, field, #field)
#define B(type, field) B_AS(type, field, #field)
#define T(type, field)                                                                   \
	{ #field, TEXT, offsetof(struct type, field), sizeof ((struct type *)0)->field }
#define END { NULL, NUM, 0, 0 }

static const struct member end_members[] = {
	N(nt_probe_end, seconds),
	N(nt_probe_end, tx_bytes),
	N(nt_probe_end, rx_bytes),
	N(nt_probe_end, transactions),
	N(nt_probe_end, cpu_s_per_gb),
	N(nt_probe_end, thread_busy_pct),
	N(nt_probe_end, thread_wait_pct),
	N(nt_probe_end, context_switches),
	N(nt_probe_end, nic_interrupts),
	N(nt_probe_end, other_tests),
	END,
};
static const struct member cpu_members[] = {
	N(nt_probe_cpu, cpu),
	N_AS(nt_probe_cpu, busy, "busy_pct"),
	N_AS(nt_probe_cpu, user, "user_pct"),
	N_AS(nt_probe_cpu, system, "system_pct"),
	N_AS(nt_probe_cpu, softirq, "softirq_pct"),
	N_AS(nt_probe_cpu, irq, "irq_pct"),
	N_AS(nt_probe_cpu, steal, "steal_pct"),
	END,
};
static const struct member tcp_members[] = {
	T(nt_probe_tcp, congestion),
	N(nt_probe_tcp, rtt_us),
	N(nt_probe_tcp, min_rtt_us),
	N(nt_probe_tcp, cwnd),
	N(nt_probe_tcp, mss),
	N(nt_probe_tcp, delivery_bps),
	N(nt_probe_tcp, pacing_bps),
	N(nt_probe_tcp, segs_out),
	N(nt_probe_tcp, retrans),
	N(nt_probe_tcp, busy_pct),
	N(nt_probe_tcp, rwnd_limited_pct),
	N(nt_probe_tcp, sndbuf_limited_pct),
	N(nt_probe_tcp, sndbuf_bytes),
	N(nt_probe_tcp, notsent_bytes),
	N(nt_probe_tcp, app_limited_pct),
	B(nt_probe_tcp, zerocopy_copied),
	END,
};
static const struct member egress_members[] = {
	T(nt_probe_egress, link),
	T(nt_probe_egress, kind),
	T(nt_probe_egress, qdisc),
	N(nt_probe_egress, speed_bps),
	N(nt_probe_egress, mtu),
	B_AS(nt_probe_egress, virt, "virtual"),
	N(nt_probe_egress, backlog_bytes),
	N(nt_probe_egress, qdisc_drops),
	N(nt_probe_egress, qdisc_overlimits),
	END,
};
static const struct member udp_members[] = {
	N(nt_probe_udp, sent),
	N(nt_probe_udp, received),
	N(nt_probe_udp, lost),
	N(nt_probe_udp, reordered),
	N(nt_probe_udp, jitter_us),
	N(nt_probe_udp, bps),
	END,
};
static const struct member latency_members[] = {
	N(nt_probe_latency, count),
	N_AS(nt_probe_latency, min, "min_us"),
	N_AS(nt_probe_latency, mean, "mean_us"),
	N_AS(nt_probe_latency, p50, "p50_us"),
	N_AS(nt_probe_latency, p90, "p90_us"),
	N_AS(nt_probe_latency, p99, "p99_us"),
	N_AS(nt_probe_latency, p999, "p99_9_us"),
	N_AS(nt_probe_latency, max, "max_us"),
	END,
};
static const struct member completion_members[] = {
	B(nt_probe_completion, ran),
	B(nt_probe_completion, measurable),
	T(nt_probe_completion, reason),
	N_AS(nt_probe_completion, intercept_us, "delay_us"),
	N(nt_probe_completion, slope_us),
	N(nt_probe_completion, p50_us),
	N(nt_probe_completion, p99_us),
	N(nt_probe_completion, wire_us),
	N(nt_probe_completion, bursts),
	B(nt_probe_completion, late),
	END,
};
static const struct member sample_members[] = {
	N(nt_probe_sample, t),
	N(nt_probe_sample, tx_bps),
	N(nt_probe_sample, rx_bps),
	N_AS(nt_probe_sample, cpu_busy, "cpu_busy_pct"),
	N(nt_probe_sample, rtt_us),
	N(nt_probe_sample, cwnd),
	N(nt_probe_sample, delivery_bps),
	N(nt_probe_sample, retrans),
	END,
};

/* The objects within an end, always there on the wire. */
static const struct {
	const char *key;
	const struct member *members;
	size_t at;
} objects[] = {
	{ "cpu", cpu_members, offsetof(struct nt_probe_end, cpu) },
	{ "tcp", tcp_members, offsetof(struct nt_probe_end, tcp) },
	{ "egress", egress_members, offsetof(struct nt_probe_end, egress) },
	{ "udp", udp_members, offsetof(struct nt_probe_end, udp) },
	{ "latency", latency_members, offsetof(struct nt_probe_end, latency) },
	{ "completion", completion_members, offsetof(struct nt_probe_end, completion) },
};

/* ---- to the wire -------------------------------------------------------------------- */

static double num_at(const void *base, size_t at)
{
	double v;

	memcpy(&v, (const char *)base + at, sizeof v);
	return v;
}

static json_t *members_json(const struct member *m, const void *base)
{
	json_t *j = json_object();
	double v;

	for (; m->key; m++) {
		json_t *value;

		v = m->kind == NUM ? num_at(base, m->at) : 0;
		if (m->kind == TEXT)
			value = nt_wire_text((const char *)base + m->at);
		else if (m->kind == BOOL)
			value = json_boolean(*((const bool *)((const char *)base + m->at)));
		else if (!isfinite(v))
			value = json_null();
		else if (v == floor(v) && fabs(v) < 1e15)
			value = json_integer(v);
		else
			value = json_real(v);
		json_object_set_new(j, m->key, value);
	}
	return j;
}

json_t *nt_sample_json(const struct nt_probe_sample *s)
{
	return members_json(sample_members, s);
}

json_t *nt_end_json(const struct nt_probe_end *e)
{
	json_t *j = members_json(end_members, e), *list;
	unsigned i;
	size_t k;

	for (k = 0; k < NT_ARRAY_SIZE(objects); k++)
		json_object_set_new(j, objects[k].key,
			members_json(objects[k].members, (const char *)e + objects[k].at));
	json_object_set_new(json_object_get(j, "tcp"), "streams", json_integer(e->tcp.streams));
	list = json_array();
	for (i = 0; i < e->n_cpu && i < MAX_CPUS; i++)
		json_array_append_new(list, members_json(cpu_members, &e->per_cpu[i]));
	json_object_set_new(j, "per_cpu", list);
	list = json_array();
	for (i = 0; i < e->n_series; i++)
		json_array_append_new(list, nt_sample_json(&e->series[i]));
	json_object_set_new(j, "series", list);
	list = json_object();
	for (i = 0; i < e->n_counters && i < MAX_COUNTERS; i++)
		json_object_set_new(list, e->counters[i].name, json_real(e->counters[i].delta));
	json_object_set_new(j, "counters", list);
	return j;
}

/* ---- from the wire ------------------------------------------------------------------ */

static int members_read(const json_t *j, const struct member *m, void *base)
{
	char *at;
	const json_t *b;
	double v;

	if (!json_is_object(j))
		return -EPROTO;
	for (; m->key; m++) {
		at = (char *)base + m->at;
		if (m->kind == NUM) {
			if (nt_wire_num(j, m->key, -1e18, 1e18, &v))
				return -EPROTO;
			memcpy(at, &v, sizeof v);
		} else if (m->kind == TEXT) {
			char text[256];

			if (nt_wire_str(j, m->key, text, m->size < sizeof text ? m->size : sizeof text))
				return -EPROTO;
			nt_printable(at, m->size, text);
		} else {
			b = json_object_get(j, m->key);
			if (!json_is_boolean(b))
				return -EPROTO;
			*(bool *)at = json_is_true(b);
		}
	}
	return 0;
}

int nt_sample_read(const json_t *j, struct nt_probe_sample *ret)
{
	return members_read(j, sample_members, ret);
}

/* An array of equal objects into *ret (allocated). */
static int array_read(const json_t *list, size_t most, const struct member *m, size_t size,
	void **ret, unsigned *ret_n)
{
	size_t i, n = json_array_size(list);

	if (!json_is_array(list) || n > most)
		return -EPROTO;
	*ret = nt_calloc(n ? n : 1, size);
	for (i = 0; i < n; i++)
		if (members_read(json_array_get(list, i), m, (char *)*ret + i * size))
			return -EPROTO;
	*ret_n = n;
	return 0;
}

static int counters_read(const json_t *obj, struct nt_probe_end *ret)
{
	const char *key;
	json_t *v;

	if (!json_is_object(obj) || json_object_size(obj) > MAX_COUNTERS)
		return -EPROTO;
	ret->counters = nt_calloc(json_object_size(obj) + 1, sizeof *ret->counters);
	json_object_foreach ((json_t *)(uintptr_t)obj, key, v) {
		struct nt_probe_counter *c = &ret->counters[ret->n_counters];

		if (!json_is_number(v))
			return -EPROTO;
		nt_printable(c->name, sizeof c->name, key);
		c->delta = json_number_value(v);
		ret->n_counters++;
	}
	return 0;
}

int nt_end_read(const json_t *j, struct nt_probe_end *ret, struct nt_err *err)
{
	void *cpus = NULL, *series = NULL;
	double streams;
	int rc = members_read(j, end_members, ret);
	size_t k;

	for (k = 0; k < NT_ARRAY_SIZE(objects) && !rc; k++)
		rc = members_read(json_object_get(j, objects[k].key), objects[k].members,
			(char *)ret + objects[k].at);
	if (!rc)
		rc = array_read(json_object_get(j, "per_cpu"), MAX_CPUS, cpu_members,
			sizeof *ret->per_cpu, &cpus, &ret->n_cpu);
	ret->per_cpu = cpus;
	if (!rc)
		rc = array_read(json_object_get(j, "series"), NT_PROBE_SERIES, sample_members,
			sizeof *ret->series, &series, &ret->n_series);
	ret->series = series;
	if (!rc)
		rc = counters_read(json_object_get(j, "counters"), ret);
	if (!rc)
		rc = nt_wire_num(json_object_get(j, "tcp"), "streams", 0, NT_PROBE_MAX_STREAMS,
			&streams);
	for (k = 0; k < ret->n_cpu && !rc; k++)
		if (!(ret->per_cpu[k].cpu >= 0 && ret->per_cpu[k].cpu <= CPU_NUMBER_MAX))
			rc = -EPROTO;
	if (rc || isnan(streams))
		return nt_err_set(err, -EPROTO, "the server's result is malformed");
	ret->tcp.streams = streams;
	return 0;
}

/* ---- the document ------------------------------------------------------------------- */

static void members_write(struct nt_jsonw *w, const struct member *m, const void *base)
{
	for (; m->key; m++) {
		const char *at = (const char *)base + m->at;

		if (m->kind == TEXT)
			nt_jsonw_str(w, m->key, at);
		else if (m->kind == BOOL)
			nt_jsonw_bool(w, m->key, *((const bool *)at));
		else
			nt_jsonw_real(w, m->key, num_at(base, m->at));
	}
}

static void object_write(struct nt_jsonw *w, const char *key, const struct member *m,
	const void *base)
{
	nt_jsonw_object(w, key);
	members_write(w, m, base);
	nt_jsonw_end(w);
}

/* Sections that say nothing are null, so that a reader need not know which test has what. */
static bool section_used(const struct nt_probe_end *e, const struct member *m)
{
	return m == cpu_members	       ? !isnan(e->cpu.busy)
	       : m == tcp_members      ? e->tcp.streams > 0 || !isnan(e->tcp.min_rtt_us)
	       : m == udp_members      ? e->udp.sent > 0 || e->udp.received > 0 || e->udp.lost > 0
	       : m == latency_members  ? e->latency.count > 0
	       : m == completion_members ? e->completion.ran
					 : *e->egress.link != '\0';
}

void nt_end_write(struct nt_jsonw *w, const char *key, const struct nt_probe_end *e)
{
	unsigned i;
	size_t k;

	nt_jsonw_object(w, key);
	members_write(w, end_members, e);
	for (k = 0; k < NT_ARRAY_SIZE(objects); k++) {
		if (section_used(e, objects[k].members))
			object_write(w, objects[k].key, objects[k].members,
				(const char *)e + objects[k].at);
		else
			nt_jsonw_null(w, objects[k].key);
	}
	nt_jsonw_int(w, "streams", e->tcp.streams);
	nt_jsonw_array(w, "per_cpu");
	for (i = 0; i < e->n_cpu; i++)
		object_write(w, NULL, cpu_members, &e->per_cpu[i]);
	nt_jsonw_end(w);
	nt_jsonw_array(w, "series");
	for (i = 0; i < e->n_series; i++)
		object_write(w, NULL, sample_members, &e->series[i]);
	nt_jsonw_end(w);
	nt_jsonw_object(w, "counters");
	for (i = 0; i < e->n_counters; i++)
		nt_jsonw_real(w, e->counters[i].name, e->counters[i].delta);
	nt_jsonw_end(w);
	nt_jsonw_end(w);
}
