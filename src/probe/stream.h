/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One data stream of a run at one end, with the thread that drives it. Private to probe/. */
#ifndef PROBE_STREAM_H
#define PROBE_STREAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "hist.h"
#include "share.h"
#include "spec.h"
#include "wire.h"

/* Where to, for streams that connect by themselves (CRR). */
struct nt_target {
	struct sockaddr_storage addr;
	socklen_t len;
	unsigned char token[NT_TOKEN_LEN];
};

struct nt_udp_count {
	_Atomic uint64_t sent, received, highest, late; /* highest: sequence number + 1 */
	_Atomic uint64_t jitter_ns;
};

/*
 * Counters are written by the stream's thread alone and read by the runner's at any time.
 * Each stream has cache lines of its own.
 */
struct nt_stream {
	_Alignas(128) _Atomic uint64_t tx_bytes;
	_Atomic uint64_t rx_bytes, transactions;
	struct nt_udp_count udp;
	int fd; /* -1 for CRR's client side */
	unsigned index;
	const struct nt_spec *spec;
	const struct nt_group *group;
	enum nt_side side;
	const struct nt_target *target;
	const atomic_bool *stop;      /* of the run */
	const atomic_bool *measuring; /* within the window: latencies count */
	struct nt_share share;	      /* of the server's limit of rate */
	struct nt_hist *hist; /* NULL where no latency is taken */
	_Atomic int zerocopy_copied;
	struct nt_probe_completion completion;
	double wire_ns; /* of one completion datagram; NAN */
	int error;	/* errno that ended it early, 0 */
	pthread_t thread;
	bool running;
	_Atomic int tid; /* 0 until it runs */
	_Atomic uint64_t ended_ns; /* when the thread's body returned; 0 until then */
};

struct nt_stream *nt_stream_new(const struct nt_spec *spec, unsigned index,
	enum nt_side side, int fd);
/* Joins nothing; closes the descriptor. NULL allowed. */
void nt_stream_free(struct nt_stream *s);
/* Whether this end sends bulk or datagrams on it. */
bool nt_stream_sends(const struct nt_stream *s);
int nt_stream_start(struct nt_stream *s, struct nt_err *err);
/* Wake the thread out of its system call; the run's stop flag is set already. */
void nt_stream_kick(struct nt_stream *s);
/* Count bytes of the stream's share, and sleep until they are due or the run ends. */
void nt_stream_hold(struct nt_stream *s, size_t bytes);

/* Options of the specification on a data socket, before connect() or after accept().
 * 0 or -errno with err naming the option. */
int nt_stream_sockopts(int fd, const struct nt_spec *spec, const struct nt_group *g,
	struct nt_err *err);

/* Whether this end can set them at all, for connections that are made again and again. */
int nt_stream_try(int family, const struct nt_spec *spec, const struct nt_group *g,
	struct nt_err *err);

/* connect() takes the route's congestion control; set what was asked for (again). */
int nt_stream_congestion(int fd, const struct nt_spec *spec, struct nt_err *err);

/* The thread's bodies. */
void nt_bulk_send(struct nt_stream *s);
void nt_bulk_recv(struct nt_stream *s);
void nt_rr_client(struct nt_stream *s);
void nt_rr_server(struct nt_stream *s);
void nt_crr_client(struct nt_stream *s);
void nt_udp_send(struct nt_stream *s);
void nt_udp_recv(struct nt_stream *s);
void nt_udp_discard(struct nt_stream *s);
void nt_completion_run(struct nt_stream *s);

static inline void nt_count(_Atomic uint64_t *c, uint64_t add)
{
	atomic_store_explicit(c, atomic_load_explicit(c, memory_order_relaxed) + add,
		memory_order_relaxed);
}
static inline bool nt_stopped(const struct nt_stream *s)
{
	return atomic_load_explicit(s->stop, memory_order_relaxed);
}

#endif
