/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TCP sockets by inet_diag: a message as the kernel sent it, shorter ones of older kernels,
 * and dumps by a kernel that a child process plays.
 */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <libmnl/libmnl.h>
#include <linux/inet_diag.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>

#include "nettune/mem.h"
#include "sys/sockdiag.h"

/*
 * Linux 6.18, of which ss -tinm said at that time: ESTAB 700 0 127.0.0.1:55028
 * 127.0.0.1:5001 skmem:(r1532,rb131072,t0,tb3939840,f2564,w0,o0,bl0,d0) reno
 * rtt:1.719/2.229 mss:47616 cwnd:10 bytes_acked:3000001 bytes_received:700
 * pacing_rate 4431972072bps delivery_rate 40101904bps busy:476ms
 * rwnd_limited:468ms(98.3%) minrtt:0.032
 */
static const unsigned char captured[] __attribute__((aligned(8))) = {
	204, 1, 0, 0, 20, 0, 2, 0, 1, 0, 0, 0, 114, 17, 0, 0, 2, 1, 0, 0, 214, 244, 19,
	137, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 127, 0, 0, 1, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 116, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 188, 2,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 84, 100, 26, 0, 5, 0, 8, 0, 0, 0, 0, 0, 8, 0, 15, 0,
	0, 0, 0, 0, 12, 0, 21, 0, 1, 0, 0, 0, 0, 0, 0, 0, 6, 0, 22, 0, 82, 0, 0, 0, 40, 0,
	7, 0, 252, 5, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 30, 60, 0, 4, 10, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 28, 1, 2, 0, 1, 0, 0, 0, 0, 7, 170, 0, 224,
	28, 3, 0, 64, 156, 0, 0, 0, 186, 0, 0, 188, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 200, 0, 0, 0, 200, 0, 0, 0,
	255, 255, 0, 0, 0, 232, 0, 0, 183, 6, 0, 0, 181, 8, 0, 0, 255, 255, 255, 127, 10,
	0, 0, 0, 203, 255, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 232, 0, 0, 0, 0, 0, 0, 221,
	80, 5, 33, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 193, 198, 45, 0, 0,
	0, 0, 0, 188, 2, 0, 0, 0, 0, 0, 0, 68, 0, 0, 0, 66, 0, 0, 0, 0, 0, 0, 0, 32, 0, 0,
	0, 1, 0, 0, 0, 65, 0, 0, 0, 2, 125, 76, 0, 0, 0, 0, 0, 96, 67, 7, 0, 0, 0, 0, 0,
	32, 36, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 66, 0, 0, 0, 0, 0, 0, 0, 192,
	198, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 116, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9,
	0, 4, 0, 114, 101, 110, 111, 0, 0, 0, 0,
};

static char buf[4096] __attribute__((aligned(8)));

/* A copy of exactly its length, so that reading on is seen by the sanitizer. */
static bool parse(const void *msg, size_t len, struct nt_sock *ret)
{
	struct nlmsghdr *copy = nt_malloc(len);
	bool ok;

	memcpy(copy, msg, len);
	copy->nlmsg_len = (uint32_t)len;
	memset(ret, 0xa5, sizeof *ret);
	ok = nt_sockdiag_parse(copy, ret);
	free(copy);
	return ok;
}

static void as_captured(void **state)
{
	char text[NT_SOCK_TEXT];
	struct nt_sock s;

	(void)state;
	assert_true(parse(captured, sizeof captured, &s));
	assert_int_equal(s.family, AF_INET);
	assert_int_equal(s.state, NT_TCP_ESTABLISHED);
	nt_sock_end_text(text, s.family, &s.local);
	assert_string_equal(text, "127.0.0.1:55028");
	nt_sock_end_text(text, s.family, &s.remote);
	assert_string_equal(text, "127.0.0.1:5001");
	assert_string_equal(s.congestion, "reno");
	assert_int_equal(s.rqueue, 700);
	assert_int_equal(s.wqueue, 0);
	assert_int_equal(s.rmem, 1532);
	assert_int_equal(s.rcvbuf, 131072);
	assert_int_equal(s.wmem, 0);
	assert_int_equal(s.sndbuf, 3939840);
	assert_int_equal(s.drops, 0);
	assert_int_equal(s.rtt, 1719);
	assert_int_equal(s.min_rtt, 32);
	assert_int_equal(s.mss, 47616);
	assert_int_equal(s.cwnd, 10);
	assert_int_equal(s.unacked, 0);
	assert_int_equal(s.retrans, 0);
	assert_int_equal(s.bytes_acked, 3000001);
	assert_int_equal(s.bytes_received, 700);
	assert_int_equal(s.pacing_rate * 8, 4431972072);
	assert_int_equal(s.delivery_rate * 8, 40101904);
	assert_int_equal(s.not_sent, 0);
	assert_int_equal(s.busy, 476000);
	assert_int_equal(s.rwnd_limited, 468000);
	assert_int_equal(s.sndbuf_limited, 0);
}

/* Whatever is cut off, no byte beyond is read, and what is not there is unknown. */
static void cut_short(void **state)
{
	struct nt_sock s;
	size_t len;

	(void)state;
	for (len = sizeof(struct nlmsghdr); len < sizeof captured; len++) {
		if (len < NLMSG_HDRLEN + sizeof(struct inet_diag_msg)) {
			assert_false(parse(captured, len, &s));
			continue;
		}
		assert_true(parse(captured, len, &s));
		assert_true(s.rtt == 1719 || s.rtt == NT_SOCK_UNKNOWN);
		assert_true(s.sndbuf == 3939840 || s.sndbuf == NT_SOCK_UNKNOWN);
		assert_true(s.congestion[0] == '\0' || !strncmp(s.congestion, "reno", 4));
	}
}

static struct nlmsghdr *message(int family, unsigned sk_state)
{
	struct nlmsghdr *h = mnl_nlmsg_put_header(buf);
	struct inet_diag_msg *m = mnl_nlmsg_put_extra_header(h, sizeof *m);

	h->nlmsg_type = SOCK_DIAG_BY_FAMILY;
	m->idiag_family = (uint8_t)family;
	m->idiag_state = (uint8_t)sk_state;
	m->id.idiag_cookie[0] = 7;
	m->id.idiag_cookie[1] = 1;
	m->idiag_rqueue = 3;
	m->idiag_wqueue = 128;
	inet_pton(AF_INET6, "::ffff:192.0.2.9", m->id.idiag_src);
	inet_pton(AF_INET6, "2001:db8::1", m->id.idiag_dst);
	m->id.idiag_sport = htons(80);
	m->id.idiag_dport = htons(65535);
	return h;
}

/* Sizes of struct tcp_info: Linux 2.6.36 (104 bytes), 3.15, 4.1, 4.6, 4.9, 4.10. */
static void older_kernels(void **state)
{
	static const struct {
		size_t len;
		bool pacing, acked, min_rtt, delivery, busy;
	} kernels[] = {
		{ 104, false, false, false, false, false },
		{ 120, true, false, false, false, false },
		{ 136, true, true, false, false, false },
		{ 160, true, true, true, false, false },
		{ 168, true, true, true, true, false },
		{ 192, true, true, true, true, true },
	};
	uint32_t mem[7] = { 1, 2, 3, 4, 5, 6, 7 };
	struct tcp_info info;
	struct nlmsghdr *h;
	struct nt_sock s;
	size_t i;

	(void)state;
	memset(&info, 1, sizeof info);
	for (i = 0; i < NT_ARRAY_SIZE(kernels); i++) {
		h = message(AF_INET6, NT_TCP_CLOSE_WAIT);
		mnl_attr_put(h, INET_DIAG_INFO, kernels[i].len, &info);
		mnl_attr_put(h, INET_DIAG_SKMEMINFO, sizeof mem, mem); /* without backlog, drops */
		assert_true(parse(h, h->nlmsg_len, &s));
		assert_int_equal(s.cwnd, 0x01010101);
		assert_int_equal(s.pacing_rate != NT_SOCK_UNKNOWN, kernels[i].pacing);
		assert_int_equal(s.bytes_acked != NT_SOCK_UNKNOWN, kernels[i].acked);
		assert_int_equal(s.min_rtt != NT_SOCK_UNKNOWN, kernels[i].min_rtt);
		assert_int_equal(s.delivery_rate != NT_SOCK_UNKNOWN, kernels[i].delivery);
		assert_int_equal(s.busy != NT_SOCK_UNKNOWN, kernels[i].busy);
		assert_int_equal(s.sndbuf_limited != NT_SOCK_UNKNOWN, kernels[i].busy);
		assert_true(s.rmem == 1 && s.rcvbuf == 2 && s.sndbuf == 4 && s.wmem == 6);
		assert_true(s.drops == NT_SOCK_UNKNOWN);
	}
}

static void odd_messages(void **state)
{
	uint32_t never = UINT32_MAX;
	struct tcp_info info = { 0 };
	char text[NT_SOCK_TEXT];
	struct nlmsghdr *h = message(AF_INET6, NT_TCP_LISTEN);
	struct nt_sock s;

	(void)state;
	memcpy(&info.tcpi_min_rtt, &never, sizeof never);
	mnl_attr_put(h, INET_DIAG_INFO, sizeof info, &info);
	mnl_attr_put(h, INET_DIAG_CONG, 30, "a-name-without-end-and-far-too-long");
	assert_true(parse(h, h->nlmsg_len, &s));
	assert_int_equal(s.min_rtt, NT_SOCK_UNKNOWN);
	assert_string_equal(s.congestion, "a-name-without-");
	assert_int_equal(s.rqueue, 3);
	assert_int_equal(s.wqueue, 128);
	assert_int_equal(s.cookie, 0x100000007);
	assert_int_equal(s.sndbuf, NT_SOCK_UNKNOWN);
	nt_sock_end_text(text, s.family, &s.local);
	assert_string_equal(text, "192.0.2.9:80");
	nt_sock_end_text(text, s.family, &s.remote);
	assert_string_equal(text, "[2001:db8::1]:65535");
	h = message(AF_UNIX, 1);
	assert_false(parse(h, h->nlmsg_len, &s));
	h = message(AF_INET, 1);
	h->nlmsg_type = TCPDIAG_GETSOCK;
	assert_false(parse(h, h->nlmsg_len, &s));
}

/* ---- dumps --------------------------------------------------------------------------- */

enum { GIVES = 5, REFUSED = -ENOENT };

/* Sends five sockets and the end, or what it is told to fail with. */
static void play(int fd, int code)
{
	char in[512] __attribute__((aligned(4)));
	const struct nlmsghdr *req = (const void *)in;
	struct nlmsghdr *h;
	int i;

	if (recv(fd, in, sizeof in, 0) < (ssize_t)sizeof *req)
		_exit(1);
	for (i = 0; i < GIVES && !code; i++) {
		h = message(AF_INET, NT_TCP_ESTABLISHED);
		h->nlmsg_seq = req->nlmsg_seq;
		if (send(fd, h, h->nlmsg_len, 0) < 0)
			_exit(1);
	}
	h = mnl_nlmsg_put_header(buf);
	h->nlmsg_seq = req->nlmsg_seq;
	h->nlmsg_type = code ? NLMSG_ERROR : NLMSG_DONE;
	*(int *)mnl_nlmsg_put_extra_header(h, sizeof code) = code;
	if (send(fd, h, h->nlmsg_len, 0) < 0)
		_exit(1);
	pause();
}

static int count(void *arg, const struct nt_sock *s)
{
	unsigned *left = arg;

	assert_int_equal(s->family, AF_INET);
	return --*left == 0;
}

/* Returns what the dump does; *left is how many sockets are wanted, unread must be left. */
static int dump(int code, unsigned *left, int unread, bool *ret_stopped, struct nt_err *err)
{
	char rest[512];
	int fds[2], r;
	pid_t child;

	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, fds), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		play(fds[1], code);
	r = nt_sockdiag_dump(fds[0], AF_INET, NT_TCP_CONNECTED, count, left, ret_stopped, err);
	while (unread-- > 0)
		assert_true(recv(fds[0], rest, sizeof rest, 0) > 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(fds[0]);
	close(fds[1]);
	return r;
}

static void dumps(void **state)
{
	struct nt_err err = { 0 };
	unsigned left = 100;
	bool stopped = true;

	(void)state;
	assert_int_equal(dump(0, &left, 0, &stopped, &err), 0);
	assert_int_equal(left, 100 - GIVES);
	assert_false(stopped);
	/* enough is enough: what follows is left unread */
	left = 3;
	assert_int_equal(dump(0, &left, 3, &stopped, &err), 0);
	assert_int_equal(left, 0);
	assert_true(stopped);
	assert_int_equal(dump(REFUSED, &left, 0, &stopped, &err), REFUSED);
	assert_string_equal(err.msg, "cannot list TCP sockets: No such file or directory");
	assert_false(stopped);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_captured), cmocka_unit_test(cut_short),
		cmocka_unit_test(older_kernels), cmocka_unit_test(odd_messages),
		cmocka_unit_test(dumps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
