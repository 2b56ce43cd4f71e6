/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "nettune/ssh.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_ANCESTORS 64

/* The value of SSH_CONNECTION in a /proc/PID/environ, or NULL. */
static const char *in_environ(const struct nt_buf *b)
{
	static const char key[] = "SSH_CONNECTION=";
	const char *p = nt_buf_str(b), *end = p + b->len;

	for (; p < end; p += strlen(p) + 1)
		if (strncmp(p, key, sizeof key - 1) == 0)
			return p + sizeof key - 1;
	return NULL;
}

static int parent_of(struct nt_sys *s, int pid)
{
	char path[48];
	struct nt_buf b = { 0 };
	const char *p;
	int ppid = 0;

	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	/* the name in parentheses may hold anything: the last ')' ends it */
	if (s->ops->read(s, path, &b, NULL) == 0 && (p = strrchr(nt_buf_str(&b), ')')) != NULL &&
		sscanf(p + 1, " %*c %d", &ppid) != 1)
		ppid = 0;
	nt_buf_free(&b);
	return ppid;
}

/* The server's address of the session ("CLIENT PORT SERVER PORT") into ret. */
static bool server_address(const char *connection, char ret[64])
{
	return sscanf(connection, "%*63s %*7s %63s", ret) == 1;
}

static bool session_address(struct nt_sys *s, char ret[64])
{
	const char *env = secure_getenv("SSH_CONNECTION");
	struct nt_buf b = { 0 };
	char path[48];
	bool found = env && server_address(env, ret);
	int pid, i;

	for (pid = getpid(), i = 0; !found && pid > 1 && i < MAX_ANCESTORS; i++) {
		pid = parent_of(s, pid);
		snprintf(path, sizeof path, "/proc/%d/environ", pid);
		nt_buf_cut(&b, 0);
		if (pid > 1 && s->ops->read(s, path, &b, NULL) == 0 && (env = in_environ(&b)))
			found = server_address(env, ret);
	}
	nt_buf_free(&b);
	return found;
}

bool nt_ssh_link(struct nt_sys *s, char ret[NT_IFNAMSIZ])
{
	struct nt_addrs addrs = { 0 };
	struct nt_links links = { 0 };
	const struct nt_link *l = NULL;
	unsigned char want[16];
	char text[64];
	size_t i, len;
	int family;

	if (!session_address(s, text))
		return false;
	text[strcspn(text, "%")] = '\0'; /* fe80::1%eth0 */
	family = strchr(text, ':') ? AF_INET6 : AF_INET;
	len = family == AF_INET6 ? 16 : 4;
	if (inet_pton(family, text, want) != 1 || s->ops->addrs(s, &addrs, NULL) != 0 ||
		s->ops->links(s, &links, NULL) != 0)
		goto out;
	for (i = 0; i < addrs.n && !l; i++)
		if (addrs.v[i].family == family && memcmp(addrs.v[i].addr, want, len) == 0)
			l = nt_links_by_index(&links, addrs.v[i].ifindex);
	if (l)
		snprintf(ret, NT_IFNAMSIZ, "%s", l->name);
out:
	nt_addrs_free(&addrs);
	nt_links_free(&links);
	return l != NULL;
}
