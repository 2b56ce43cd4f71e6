/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The list of links against a kernel played by a child process over a socket pair: one
 * whose dump ends at a link, and one whose dumps are always interrupted.
 */
#include "config.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <libmnl/libmnl.h>

#include "nettune/mem.h"
#include "sys/live.h"
#include "sys/rtnl.h"

static char out[4096] __attribute__((aligned(4)));

static void end(int fd, struct nlmsghdr *h, const struct nlmsghdr *req)
{
	h->nlmsg_seq = req->nlmsg_seq;
	if (send(fd, h, h->nlmsg_len, 0) < 0)
		_exit(1);
}

static void finish(int fd, const struct nlmsghdr *req, uint16_t type, int code, uint16_t flags)
{
	struct nlmsghdr *h = mnl_nlmsg_put_header(out);

	h->nlmsg_type = type;
	h->nlmsg_flags = flags;
	*(int *)mnl_nlmsg_put_extra_header(h, sizeof code) = code;
	if (type == NLMSG_ERROR)
		memcpy(mnl_nlmsg_put_extra_header(h, sizeof *req), req, sizeof *req);
	end(fd, h, req);
}

static void link_reply(int fd, const struct nlmsghdr *req, int ifindex, const char *name)
{
	struct nlmsghdr *h = mnl_nlmsg_put_header(out);
	struct ifinfomsg *ifi = mnl_nlmsg_put_extra_header(h, sizeof *ifi);

	h->nlmsg_type = RTM_NEWLINK;
	ifi->ifi_index = ifindex;
	mnl_attr_put_strz(h, IFLA_IFNAME, name);
	end(fd, h, req);
}

/* The link asked for by name of either kind: only "lo" is in the namespace for sure. */
static bool asks_for(const struct nlmsghdr *req, const char *name)
{
	const struct nlattr *a = mnl_nlmsg_get_payload_offset(req, sizeof(struct ifinfomsg));

	return (mnl_attr_get_type(a) == IFLA_IFNAME || mnl_attr_get_type(a) == IFLA_ALT_IFNAME) &&
	       !strcmp(mnl_attr_get_payload(a), name);
}

static void play(int fd, bool interrupted)
{
	char in[4096] __attribute__((aligned(4)));
	const struct nlmsghdr *req = (const void *)in;

	while (recv(fd, in, sizeof in, 0) >= (ssize_t)sizeof *req) {
		if ((req->nlmsg_flags & NLM_F_DUMP) != NLM_F_DUMP) {
			finish(fd, req, NLMSG_ERROR, asks_for(req, "lo") ? -EIO : -ENODEV, 0);
			continue;
		}
		link_reply(fd, req, 9, "eth9");
		link_reply(fd, req, 5, "eth5");
		finish(fd, req, NLMSG_DONE, interrupted ? 0 : -EMSGSIZE,
			interrupted ? NLM_F_DUMP_INTR : 0);
	}
	_exit(0);
}

struct kernel {
	int fd;
	pid_t pid;
	struct nt_rtnl *rt;
};

static void begin(struct kernel *k, bool interrupted)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair), 0);
	k->pid = fork();
	assert_true(k->pid >= 0);
	if (k->pid == 0) {
		close(pair[0]);
		play(pair[1], interrupted);
	}
	close(pair[1]);
	k->fd = pair[0];
	k->rt = nt_rtnl_open_fd(pair[0]);
}

static void stop(struct kernel *k)
{
	nt_rtnl_close(k->rt);
	close(k->fd);
	kill(k->pid, SIGKILL);
	waitpid(k->pid, NULL, 0);
}

static void with_kernel(bool interrupted, struct nt_links *ret)
{
	struct kernel k;
	struct nt_err err;

	begin(&k, interrupted);
	assert_int_equal(nt_rtnl_get_links(k.rt, ret, &err), 0);
	stop(&k);
}

static void a_link_that_ends_the_dump(void **state)
{
	struct nt_links l = { 0 };

	(void)state;
	with_kernel(false, &l);
	assert_int_equal(l.n, 2);
	assert_string_equal(l.v[0].name, "eth5"); /* by ifindex */
	assert_string_equal(l.v[1].name, "eth9");
	assert_int_equal(l.failed.code, -EIO);
	assert_non_null(strstr(l.failed.msg, "cannot read link 'lo'"));
	nt_links_free(&l);
}

static void dumps_that_are_always_interrupted(void **state)
{
	struct nt_links l = { 0 };

	(void)state;
	with_kernel(true, &l);
	assert_int_equal(l.n, 2); /* of the last try alone */
	assert_int_equal(l.failed.code, 0);
	nt_links_free(&l);
}

/* That there is none is said only where the kernel says so. */
static void a_name_that_cannot_be_looked_for(void **state)
{
	struct nt_live live = { .sys.ops = NULL };
	char name[NT_IFNAMSIZ];
	struct kernel k;
	struct nt_err err;

	(void)state;
	begin(&k, false);
	live.rtnl = k.rt;
	assert_int_equal(nt_rtnl_link_name(&live.sys, "wan", name, &err), -ENODEV);
	assert_string_equal(err.msg, "there is no link 'wan'");
	assert_int_equal(nt_rtnl_link_name(&live.sys, "lo", name, &err), -EIO);
	assert_string_equal(err.msg, "cannot look for link 'lo': Input/output error");
	stop(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_link_that_ends_the_dump),
		cmocka_unit_test(dumps_that_are_always_interrupted),
		cmocka_unit_test(a_name_that_cannot_be_looked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
