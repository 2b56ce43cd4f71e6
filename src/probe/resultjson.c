/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The document "nettune-probe/1"; schema/nettune-probe-1.json describes it. */
#include "config.h"

#include <math.h>

#include "endjson.h"

static void options(struct nt_jsonw *w, const struct nt_probe_opts *o)
{
	nt_jsonw_object(w, "options");
	nt_jsonw_real(w, "seconds", o->seconds > 0 ? o->seconds : NAN);
	nt_jsonw_real(w, "warmup", o->warmup >= 0 ? o->warmup : NAN);
	nt_jsonw_int(w, "streams", o->streams);
	nt_jsonw_int(w, "mss", o->mss);
	nt_jsonw_int(w, "write_size", o->write_size);
	nt_jsonw_int(w, "sndbuf", o->sndbuf);
	nt_jsonw_int(w, "rcvbuf", o->rcvbuf);
	nt_jsonw_int(w, "pacing_bps", o->pacing_bps);
	nt_jsonw_str(w, "congestion", *o->congestion ? o->congestion : NULL);
	nt_jsonw_int(w, "cpu", o->cpu);
	nt_jsonw_int(w, "peer_cpu", o->peer_cpu);
	nt_jsonw_bool(w, "nodelay", o->nodelay);
	nt_jsonw_bool(w, "zerocopy", o->zerocopy);
	nt_jsonw_bool(w, "trunc", o->trunc);
	nt_jsonw_end(w);
}

static void verdict(struct nt_jsonw *w, const char *key, const struct nt_verdict *v)
{
	if (!*v->text) {
		nt_jsonw_null(w, key);
		return;
	}
	nt_jsonw_object(w, key);
	nt_jsonw_str(w, "limit", nt_name_of(nt_limit_names, v->limit));
	nt_jsonw_str(w, "text", v->text);
	nt_jsonw_end(w);
}

static void part(struct nt_jsonw *w, const struct nt_probe_part *p)
{
	nt_jsonw_object(w, NULL);
	nt_jsonw_str(w, "name", p->name);
	nt_jsonw_real(w, "size", p->size);
	nt_jsonw_real(w, "seconds", p->seconds);
	nt_jsonw_real(w, "up_bps", p->up_bps);
	nt_jsonw_real(w, "down_bps", p->down_bps);
	nt_jsonw_real(w, "rate", p->rate);
	verdict(w, "verdict_up", &p->up);
	verdict(w, "verdict_down", &p->down);
	nt_end_write(w, "here", &p->here);
	if (p->there_missing)
		nt_jsonw_null(w, "there");
	else
		nt_end_write(w, "there", &p->there);
	nt_jsonw_end(w);
}

static void test(struct nt_jsonw *w, const struct nt_probe_test_result *t)
{
	unsigned i;

	nt_jsonw_object(w, NULL);
	nt_jsonw_str(w, "test", nt_name_of(nt_probe_test_names, t->test));
	nt_jsonw_bool(w, "interrupted", t->interrupted);
	nt_jsonw_str(w, "error", *t->error ? t->error : NULL);
	nt_jsonw_array(w, "parts");
	for (i = 0; i < t->n_parts; i++)
		part(w, &t->parts[i]);
	nt_jsonw_end(w);
	nt_jsonw_end(w);
}

void nt_probe_json(const struct nt_probe_result *r, struct nt_jsonw *w, const char *key)
{
	unsigned i;

	nt_jsonw_object(w, key);
	nt_jsonw_str(w, "schema", "nettune-probe/1");
	nt_jsonw_str(w, "version", PACKAGE_VERSION);
	nt_jsonw_object(w, "server");
	nt_jsonw_str(w, "host", r->host);
	nt_jsonw_str(w, "address", r->address);
	nt_jsonw_int(w, "port", r->port);
	nt_jsonw_str(w, "version", r->peer_version);
	nt_jsonw_str(w, "kernel", *r->peer_kernel ? r->peer_kernel : NULL);
	nt_jsonw_bool(w, "authenticated", r->authenticated);
	nt_jsonw_end(w);
	nt_jsonw_str(w, "address", r->local_address);
	nt_jsonw_str(w, "link", *r->reach_link ? r->reach_link : NULL);
	nt_jsonw_bool(w, "interrupted", r->interrupted);
	options(w, &r->opts);
	nt_jsonw_array(w, "tests");
	for (i = 0; i < r->n_tests; i++)
		test(w, &r->tests[i]);
	nt_jsonw_end(w);
	nt_jsonw_end(w);
}
