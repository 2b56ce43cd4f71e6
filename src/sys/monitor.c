/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/sys.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <unistd.h>

int nt_sys_monitor_links(struct nt_err *err)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);

	if (fd < 0)
		return nt_err_sys(err, -errno, "cannot open a netlink socket");
	if (bind(fd, (struct sockaddr *)&addr, sizeof addr) != 0) {
		int rc = -errno;

		close(fd);
		return nt_err_sys(err, rc, "cannot listen for link events");
	}
	return fd;
}

/* ENOBUFS tells of lost messages: the reader looks at everything anew anyway. */
void nt_sys_monitor_drain(int fd)
{
	char buf[8192];
	ssize_t n;

	do {
		n = recv(fd, buf, sizeof buf, MSG_DONTWAIT | MSG_TRUNC);
	} while (n > 0 || (n < 0 && (errno == ENOBUFS || errno == EINTR)));
}
