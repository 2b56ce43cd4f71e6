/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "addr.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

void nt_addr_name(const struct sockaddr_storage *a, char *ret, size_t size)
{
	const struct sockaddr_in6 *in6 = (const void *)a;

	if (a->ss_family == AF_INET)
		inet_ntop(AF_INET, &((const struct sockaddr_in *)a)->sin_addr, ret, size);
	else if (IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr))
		inet_ntop(AF_INET, in6->sin6_addr.s6_addr + 12, ret, size);
	else
		inet_ntop(AF_INET6, &in6->sin6_addr, ret, size);
}

bool nt_addr_same_host(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
	if (a->ss_family != b->ss_family)
		return false;
	if (a->ss_family == AF_INET)
		return ((const struct sockaddr_in *)a)->sin_addr.s_addr ==
		       ((const struct sockaddr_in *)b)->sin_addr.s_addr;
	return memcmp(&((const struct sockaddr_in6 *)a)->sin6_addr,
		       &((const struct sockaddr_in6 *)b)->sin6_addr, 16) == 0;
}
