/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/netns.h"

#include <errno.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

static int id_of(const char *path, struct nt_netns_id *ret, struct nt_err *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return nt_err_sys(err, -errno, "cannot read '%s'", path);
	*ret = (struct nt_netns_id){ .dev = st.st_dev, .ino = st.st_ino };
	return 0;
}

int nt_netns_id(struct nt_netns_id *ret, struct nt_err *err)
{
	int rc = id_of("/proc/self/ns/net", ret, err), fd;
	socklen_t len = sizeof ret->cookie;

	if (rc < 0)
		return rc;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return 0;
	if (getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &ret->cookie, &len) < 0)
		ret->cookie = 0;
	close(fd);
	return 0;
}

bool nt_netns_is_init(void)
{
	struct nt_netns_id here = { 0 }, init = { 0 };

	if (id_of("/proc/self/ns/net", &here, NULL) < 0 ||
		id_of("/proc/1/ns/net", &init, NULL) < 0)
		return false;
	return here.dev == init.dev && here.ino == init.ino;
}

int nt_netns_own_sysfs(struct nt_err *err)
{
	/* busy: the /sys mounted there is this namespace's already */
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		(mount("sysfs", "/sys", "sysfs", 0, NULL) < 0 && errno != EBUSY))
		return nt_err_sys(err, -errno, "cannot mount /sys anew");
	return 0;
}
