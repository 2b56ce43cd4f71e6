/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Socket addresses as text, and whether two are of one host. Private to probe/. */
#ifndef PROBE_ADDR_H
#define PROBE_ADDR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

/* "10.0.0.1" or "2001:db8::1"; a mapped address as IPv4. */
void nt_addr_name(const struct sockaddr_storage *a, char *ret, size_t size);
bool nt_addr_same_host(const struct sockaddr_storage *a, const struct sockaddr_storage *b);

#endif
