/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/ping.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nettune/clock.h"
#include "nettune/mem.h"

struct nt_ping {
	int fd;
	bool raw; /* a raw socket: the checksum and the reply's IP header are ours to see */
	struct sockaddr_storage to;
	socklen_t to_len;
	uint16_t id, seq, first_seq;
	char host[128];
};

static int open_socket(struct nt_ping *p)
{
	int family = p->to.ss_family;
	int proto = family == AF_INET6 ? (int)IPPROTO_ICMPV6 : (int)IPPROTO_ICMP;

	p->fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, proto);
	if (p->fd < 0) {
		p->fd = socket(family, SOCK_RAW | SOCK_CLOEXEC, proto);
		p->raw = true;
	}
	return p->fd < 0 ? -errno : 0;
}

int nt_ping_open(const char *host, struct nt_ping **ret, struct nt_err *err)
{
	struct addrinfo hints = { .ai_socktype = SOCK_RAW }, *ai = NULL;
	struct nt_ping *p;
	int rc = getaddrinfo(host, NULL, &hints, &ai);

	*ret = NULL;
	if (rc)
		return nt_err_set(err, rc == EAI_SYSTEM ? -errno : -EHOSTUNREACH,
			"cannot find the address of '%s': %s", host, gai_strerror(rc));
	p = nt_calloc(1, sizeof *p);
	memcpy(&p->to, ai->ai_addr, ai->ai_addrlen);
	p->to_len = ai->ai_addrlen;
	freeaddrinfo(ai);
	p->id = (uint16_t)getpid();
	snprintf(p->host, sizeof p->host, "%s", host);
	rc = open_socket(p);
	if (rc < 0) {
		nt_err_sys(err, rc, "cannot open a socket to ping '%s'", host);
		free(p);
		return rc;
	}
	*ret = p;
	return 0;
}

static uint16_t checksum(const unsigned char *p, size_t len)
{
	uint32_t sum = 0;
	size_t i;

	for (i = 0; i + 1 < len; i += 2)
		sum += (uint32_t)p[i] << 8 | p[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return htons((uint16_t)~sum);
}

static void send_request(struct nt_ping *p)
{
	/* type, code, checksum, identifier, sequence: the same layout in both families */
	unsigned char m[16] = "\0\0\0\0\0\0\0\0nettune";
	uint16_t id = htons(p->id), seq = htons(++p->seq), sum;

	m[0] = p->to.ss_family == AF_INET6 ? ICMP6_ECHO_REQUEST : ICMP_ECHO;
	memcpy(m + 4, &id, 2);
	memcpy(m + 6, &seq, 2);
	if (p->to.ss_family == AF_INET) {
		sum = checksum(m, sizeof m);
		memcpy(m + 2, &sum, 2);
	}
	/* a failure is the same as no answer */
	if (sendto(p->fd, m, sizeof m, MSG_DONTWAIT, (struct sockaddr *)&p->to, p->to_len) < 0)
		errno = 0;
}

/* Whether one of this wait's requests was answered. */
static bool answered(struct nt_ping *p)
{
	unsigned char m[256], *r = m;
	uint16_t id, seq;
	ssize_t n = recv(p->fd, m, sizeof m, MSG_DONTWAIT);

	if (n > 0 && p->raw && p->to.ss_family == AF_INET) {
		size_t head = (size_t)(m[0] & 15) * 4;

		r += head;
		n -= (ssize_t)head;
	}
	if (n < 8 || r[0] != (p->to.ss_family == AF_INET6 ? ICMP6_ECHO_REPLY : ICMP_ECHOREPLY))
		return false;
	memcpy(&id, r + 4, 2);
	memcpy(&seq, r + 6, 2);
	/* the kernel gives unprivileged sockets an identifier of its own */
	if (p->raw && ntohs(id) != p->id)
		return false;
	return (uint16_t)(ntohs(seq) - p->first_seq) < (uint16_t)(p->seq - p->first_seq + 1);
}

int nt_ping_wait(struct nt_ping *p, int timeout_ms, struct nt_err *err)
{
	int64_t end = nt_now_ms() + timeout_ms, next = 0, now;
	struct pollfd pfd = { .fd = p->fd, .events = POLLIN };

	p->first_seq = (uint16_t)(p->seq + 1);
	while ((now = nt_now_ms()) < end) {
		if (now >= next) {
			send_request(p);
			next = now + 250;
		}
		if (poll(&pfd, 1, (int)(next < end ? next - now : end - now)) > 0 && answered(p))
			return 0;
	}
	return nt_err_set(err, -EHOSTUNREACH, "'%s' does not answer a ping within %g s", p->host,
		timeout_ms / 1e3);
}

void nt_ping_close(struct nt_ping *p)
{
	if (!p)
		return;
	close(p->fd);
	free(p);
}
