/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The client's end of the protocol: connect, prove the key, run one specification.
 * Private to probe/. */
#ifndef PROBE_CLIENT_H
#define PROBE_CLIENT_H

#include "run.h"
#include "wire.h"

struct nt_client {
	struct nt_sys *sys;
	struct nt_chan chan;
	struct sockaddr_storage peer, local;
	socklen_t peer_len;
	char address[64], version[32], kernel[64];
	double max_bps; /* of a test; 0: no limit */
	bool authenticated, one_host;
	const atomic_bool *stop; /* the user's */
	/* one test */
	const struct nt_spec *spec;
	struct nt_target target;
	void (*on_here)(void *arg, const struct nt_probe_sample *s);
	void (*on_there)(void *arg, const struct nt_probe_sample *s);
	void *arg;
	bool have_result, broken;
	struct nt_probe_end there;
	struct nt_err err; /* why it broke */
};

/* Split NAME[:PORT] or [V6]:PORT; a bare V6 address has no port. */
int nt_host_split(const char *host, char *ret_name, size_t size, char *ret_port,
	size_t port_size, struct nt_err *err);

/* Connect and greet. c must be zeroed with sys and stop set; nt_client_close() always. */
int nt_client_open(struct nt_client *c, const char *host, const struct nt_probe_key *key,
	struct nt_err *err);
void nt_client_close(struct nt_client *c);
/* The server's facts as a sealed snapshot. */
int nt_client_facts(struct nt_client *c, struct nt_snapshot **ret, struct nt_err *err);

/*
 * Run one specification at both ends. ret_here and ret_there are initialised here and
 * freed by the caller. -EREMOTE when only this test was refused and another may be tried;
 * anything else means that the connection is of no more use, -EINTR that the user stopped
 * it before anything was measured. ret_interrupted: the user stopped it; the ends hold what
 * was measured until then, ret_there nothing where ->have_result is false.
 */
int nt_client_run(struct nt_client *c, const struct nt_spec *spec,
	struct nt_probe_end *ret_here, struct nt_probe_end *ret_there, bool *ret_interrupted,
	struct nt_err *err);

#endif
