/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One TCP socket of the network namespace, as inet_diag tells of it to anybody, root or
 * not. struct nt_sys_ops.sockets lists them.
 */
#ifndef NETTUNE_SYSSOCK_H
#define NETTUNE_SYSSOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kernel's TCP state numbers, and masks of them. */
enum { NT_TCP_ESTABLISHED = 1, NT_TCP_CLOSE_WAIT = 8, NT_TCP_LISTEN = 10 };
enum {
	NT_TCP_CONNECTED = 1U << NT_TCP_ESTABLISHED | 1U << NT_TCP_CLOSE_WAIT,
	NT_TCP_LISTENING = 1U << NT_TCP_LISTEN,
};

/* A number that this kernel does not give, or has not measured for this socket. */
#define NT_SOCK_UNKNOWN UINT64_MAX

struct nt_sock_end {
	unsigned char addr[16]; /* network order; AF_INET uses the first four */
	uint16_t port;		/* host order */
};

/* Counters and times are since the connection was made. */
struct nt_sock {
	uint64_t cookie; /* of this socket and, until the next boot, no other */
	int family;	 /* AF_INET, AF_INET6 */
	unsigned state;	 /* NT_TCP_* */
	struct nt_sock_end local, remote;
	/* bytes not read, not acknowledged; a listener's waiting connections and their limit */
	uint32_t rqueue, wqueue;
	char congestion[16]; /* "" not told */

	/* memory in bytes, overhead included */
	uint64_t rmem, rcvbuf; /* held for receiving, and its limit */
	uint64_t wmem, sndbuf; /* wmem: sent or not and not acknowledged */
	uint64_t drops;

	uint64_t rtt, min_rtt;		     /* us */
	uint64_t cwnd, mss, unacked, retrans; /* packets, bytes, packets, packets sent again */
	uint64_t pacing_rate, delivery_rate; /* byte/s */
	uint64_t bytes_acked, bytes_received, not_sent;
	/* us with data to send, and how much of it the receiver's window or the send buffer
	 * held it back; since Linux 4.10 */
	uint64_t busy, rwnd_limited, sndbuf_limited;
};

/* Room for "[ADDRESS]:PORT" of any family. */
#define NT_SOCK_TEXT 56

/* "192.0.2.1:80", "[2001:db8::1]:80"; an IPv4 address within IPv6 is written as IPv4. */
void nt_sock_end_text(char ret[NT_SOCK_TEXT], int family, const struct nt_sock_end *end);

#endif
