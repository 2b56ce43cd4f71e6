/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "modes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "interrupt.h"
#include "nettune/probe.h"
#include "probe_args.h"

static void tell(void *arg, enum nt_serve_event what, const char *peer, const char *detail)
{
	const struct nt_serve_opts *o = arg;

	switch (what) {
	case NT_SERVE_LISTENING:
		nt_warn("listening on %s %s", peer, detail);
		if (o->bind && !o->key.set && !o->allow)
			nt_warn("anyone who reaches this port may run tests: --key FILE or "
				"--allow CIDR keeps others out");
		break;
	case NT_SERVE_CLIENT:
		nt_warn("%s: connected %s", peer, detail);
		break;
	case NT_SERVE_TEST:
		nt_warn("%s: test: %s", peer, detail);
		break;
	case NT_SERVE_GONE:
		nt_warn("%s: gone%s%s", peer, *detail ? " " : "", detail);
		break;
	}
}

static int options(const struct nt_args *a, struct nt_serve_opts *o)
{
	int usage = 0;

	o->bind = nt_args_get(a, "bind");
	o->port = nt_args_whole(a, "port", 1, 65535, o->port, &usage);
	o->one_shot = nt_args_has(a, "one-shot");
	o->max_clients = nt_args_whole(a, "max-clients", 1, 64, o->max_clients, &usage);
	o->max_streams = nt_args_whole(a, "max-streams", 1, NT_PROBE_MAX_STREAMS,
		o->max_streams, &usage);
	o->max_seconds = nt_args_number(a, "max-time", 1, NT_PROBE_MAX_SECONDS, o->max_seconds,
		&usage);
	if (nt_arg_rate(a, "max-rate", &o->max_bps))
		usage = NT_EXIT_USAGE;
	return usage;
}

int nt_cmd_serve(const struct nt_args *a)
{
	struct nt_serve_opts o;
	struct nt_err err = { 0 };
	char **allow;
	int rc;

	nt_serve_opts_init(&o);
	rc = options(a, &o);
	if (!rc)
		rc = nt_arg_key(a, &o.key);
	if (rc)
		return rc;
	allow = nt_args_list(a, "allow", &rc);
	if (rc) {
		nt_list_free(allow);
		return rc;
	}
	o.allow = (const char *const *)allow;
	nt_interrupt_catch();
	rc = nt_serve(&o, tell, &o, nt_interrupted(), nt_interrupt_fd(), &err);
	nt_list_free(allow);
	if (rc)
		nt_complain(&err);
	return rc == -EINVAL ? NT_EXIT_USAGE : rc ? NT_EXIT_FAILED : NT_EXIT_OK;
}
