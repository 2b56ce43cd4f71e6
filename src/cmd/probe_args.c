/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of --probe and --serve, and of every mode that probes a peer. */
#include "config.h"

#include "probe_args.h"

#include <string.h>

#include "modes.h"

const struct nt_opt nt_probe_cli_opts[] = {
	{ "test", NT_ARG_REQUIRED, "LIST", "stream,rr,... or all; default about 15 s of tests" },
	{ "time", NT_ARG_REQUIRED, "S", "seconds a test" },
	{ "warmup", NT_ARG_REQUIRED, "S", "seconds thrown away before it" },
	{ "streams", NT_ARG_REQUIRED, "N", "connections of bulk and many-rr tests" },
	{ "mss", NT_ARG_REQUIRED, "N", "largest segment, bytes" },
	{ "write-size", NT_ARG_REQUIRED, "SIZE", "bytes a write, or a datagram" },
	{ "sndbuf", NT_ARG_REQUIRED, "SIZE", "SO_SNDBUF; unset, the kernel sizes it" },
	{ "rcvbuf", NT_ARG_REQUIRED, "SIZE", "SO_RCVBUF; unset, the kernel sizes it" },
	{ "request", NT_ARG_REQUIRED, "SIZE", "of rr and crr messages" },
	{ "response", NT_ARG_REQUIRED, "SIZE", "of rr and crr messages" },
	{ "pacing", NT_ARG_REQUIRED, "RATE", "each stream at most; the rate of udp" },
	{ "congestion", NT_ARG_REQUIRED, "NAME", "congestion control at both ends" },
	{ "cpu", NT_ARG_REQUIRED, "N", "bind the streams to this CPU" },
	{ "peer-cpu", NT_ARG_REQUIRED, "N", "bind the server's streams to its CPU" },
	{ "nodelay", NT_ARG_NONE, NULL, "TCP_NODELAY on bulk streams" },
	{ "zerocopy", NT_ARG_NONE, NULL, "send without copying" },
	{ "trunc", NT_ARG_NONE, NULL, "receive without copying (MSG_TRUNC)" },
	{ "any-egress", NT_ARG_NONE, NULL, "completion also on virtual and shaped links" },
	{ "key", NT_ARG_REQUIRED, "FILE", "the key shared with the server" },
	{ "json", NT_ARG_NONE, NULL, "as JSON, schema nettune-probe/1" },
	{ NULL, NT_ARG_NONE, NULL, NULL },
};

const struct nt_opt nt_serve_cli_opts[] = {
	{ "bind", NT_ARG_REQUIRED, "ADDR", "address to listen on; default loopback alone" },
	{ "port", NT_ARG_REQUIRED, "N", "TCP and UDP port; default 5212" },
	{ "key", NT_ARG_REQUIRED, "FILE", "clients must hold it; they get facts too" },
	{ "allow", NT_ARG_REQUIRED, "CIDR,...", "clients from there alone" },
	{ "one-shot", NT_ARG_NONE, NULL, "end after the first client" },
	{ "max-clients", NT_ARG_REQUIRED, "N", "at once; default 8" },
	{ "max-streams", NT_ARG_REQUIRED, "N", "of a test; default 128" },
	{ "max-time", NT_ARG_REQUIRED, "S", "of a test; default 120" },
	{ "max-rate", NT_ARG_REQUIRED, "RATE", "of a test; default no limit" },
	{ NULL, NT_ARG_NONE, NULL, NULL },
};

int nt_arg_key(const struct nt_args *a, struct nt_probe_key *ret)
{
	const char *file = nt_args_get(a, "key");
	struct nt_err err = { 0 };
	bool exposed = false;

	memset(ret, 0, sizeof *ret);
	if (!file)
		return 0;
	if (nt_probe_key_load(file, ret, &exposed, &err)) {
		nt_complain(&err);
		return NT_EXIT_FAILED;
	}
	if (exposed)
		nt_warn("key file '%s' can be read by others: chmod 600", file);
	return 0;
}

int nt_arg_rate(const struct nt_args *a, const char *opt, uint64_t *ret)
{
	const char *s = nt_args_get(a, opt);
	double v = 0;

	*ret = 0;
	if (s && (nt_unit_parse_as(s, NT_UNIT_BPS, &v) || v < 1 || v > 1e15)) {
		nt_warn("option '--%s': '%s' is not a rate like 100Mbit", opt, s);
		return NT_EXIT_USAGE;
	}
	*ret = v;
	return 0;
}

static int arg_tests(const struct nt_args *a, unsigned *ret)
{
	int test, rc = 0;
	char **list = nt_args_list(a, "test", &rc);
	size_t i;

	*ret = 0;
	for (i = 0; list && list[i] && !rc; i++) {
		if (strcmp(list[i], "all") == 0) {
			*ret = (1U << _NT_TEST_MAX) - 1;
			continue;
		}
		test = nt_arg_word("test", list[i], nt_probe_test_names, "all", 0, &rc);
		*ret |= 1U << test;
	}
	nt_list_free(list);
	return rc;
}

int nt_arg_probe(const struct nt_args *a, struct nt_probe_opts *o)
{
	const struct nt_probe_setting *s;
	struct nt_err err;
	int usage;

	nt_probe_opts_init(o);
	usage = arg_tests(a, &o->tests);
	for (s = nt_probe_settings; s->name; s++) {
		const char *text = nt_args_get(a, s->name);

		if (!text || nt_probe_setting_parse(s, o, text, &err) == 0)
			continue;
		nt_warn("option '--%s': %s", s->name, err.msg);
		usage = NT_EXIT_USAGE;
	}
	return usage ? usage : nt_arg_key(a, &o->key);
}
