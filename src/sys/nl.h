/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests and replies over one netlink socket, whichever library opened it: sequence
 * numbers, dumps, interruption, errors and their ext-ack text.
 */
#ifndef NETTUNE_SYS_NL_H
#define NETTUNE_SYS_NL_H

#include <linux/netlink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nettune/err.h"

struct nt_nl {
	int fd; /* not owned */
	uint32_t seq;
	unsigned char *buf;
	size_t size;
	bool once; /* fd is of this request alone: where fn fails, the rest is not read */
};

/* How a request ended. */
struct nt_nl_reply {
	int code;	  /* 0 or -errno */
	bool interrupted; /* a dump that changed while it was made: may lack entries */
	char kernel[160]; /* ext-ack text, "" none */
};

/*
 * Receives each message of a reply, of h->nlmsg_len bytes. After a negative return
 * no more are given and the request ends with that code.
 */
typedef int nt_nl_fn(void *arg, const struct nlmsghdr *h);

/* Use fd; sets the socket options wanted. Never fails: an option that is refused is one
 * an older kernel lacks. */
void nt_nl_init(struct nt_nl *nl, int fd);
void nt_nl_release(struct nt_nl *nl);

/*
 * Send h (its sequence number and NLM_F_REQUEST are set here; NLM_F_ACK too unless it is
 * a dump) and hand every message of the reply to fn (may be NULL). Returns ret->code.
 */
int nt_nl_request(struct nt_nl *nl, struct nlmsghdr *h, nt_nl_fn *fn, void *arg,
	struct nt_nl_reply *ret);

/* Fill err from a failed reply: message, ": strerror", the kernel's text. Returns code. */
int nt_nl_fail(struct nt_err *err, const struct nt_nl_reply *r, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Take apart one datagram of len bytes: calls fn for messages of sequence seq. Returns 1
 * when the reply is complete (ret filled), 0 when more must be received.
 */
int nt_nl_datagram(const void *data, size_t len, uint32_t seq, nt_nl_fn *fn, void *arg,
	struct nt_nl_reply *ret);

#endif
