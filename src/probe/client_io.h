/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting for the server. Private to the client's files in probe/. */
#ifndef PROBE_CLIENT_IO_H
#define PROBE_CLIENT_IO_H

#include "client.h"

/*
 * Send what is queued and wait for a frame of that type; samples meanwhile go to their
 * hook. *ret_body (NULL: not wanted) is the parsed body. An ERROR frame becomes an error:
 * -EACCES, -EBUSY, -EREMOTE (a test refused) by its code.
 */
int nt_client_expect(struct nt_client *c, enum nt_frame_type type, int timeout_ms,
	json_t **ret_body, struct nt_err *err);
/* The next frame of any type but SAMPLE, its body NULL when it has none. */
int nt_client_next(struct nt_client *c, int timeout_ms, enum nt_frame_type *ret_type,
	json_t **ret_body, struct nt_err *err);
/* Take what has come while a test runs: SAMPLE, RESULT, ERROR. 0, or -errno. */
int nt_client_take(struct nt_client *c, struct nt_err *err);
int nt_client_flush(struct nt_client *c, int timeout_ms, struct nt_err *err);

/* The greeting alone, over a channel that is open. */
int nt_client_greet(struct nt_client *c, const struct nt_probe_key *key, struct nt_err *err);

/* connect() with a time limit of 5 s; fd is left non-blocking. 0 or -errno. */
int nt_connect(const struct sockaddr_storage *to, socklen_t len, int fd,
	const atomic_bool *stop);

#endif
