/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Connecting and greeting. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netdb.h>
#include <poll.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client_io.h"
#include "nettune/mem.h"

#define CONNECT_MS 5000

int nt_host_split(const char *host, char *ret_name, size_t size, char *ret_port,
	size_t port_size, struct nt_err *err)
{
	const char *name = host, *end, *port = "", *colon = strchr(host, ':');

	if (*host == '[') {
		name = host + 1;
		end = strchr(name, ']');
		if (!end || (end[1] && end[1] != ':'))
			return nt_err_set(err, -EINVAL, "'%s' is not [ADDRESS]:PORT", host);
		if (end[1])
			port = end + 2;
	} else if (colon && !strchr(colon + 1, ':')) {
		end = colon;
		port = colon + 1;
	} else {
		end = host + strlen(host);
	}
	if (end == name || (size_t)(end - name) >= size || strlen(port) >= port_size ||
		strspn(port, "0123456789") != strlen(port) || (end[*host == '['] && !*port))
		return nt_err_set(err, -EINVAL, "'%s' is not HOST or HOST:PORT", host);
	if (*port && (strtoul(port, NULL, 10) < 1 || strtoul(port, NULL, 10) > 65535))
		return nt_err_set(err, -EINVAL, "'%s': a port is a number from 1 to 65535", host);
	memcpy(ret_name, name, end - name);
	ret_name[end - name] = '\0';
	if (*port)
		snprintf(ret_port, port_size, "%s", port);
	else
		snprintf(ret_port, port_size, "%d", NT_PROBE_PORT);
	return 0;
}

int nt_connect(const struct sockaddr_storage *to, socklen_t len, int fd,
	const atomic_bool *stop)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	int e = 0, waited;
	socklen_t elen = sizeof e;

	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	if (connect(fd, (const struct sockaddr *)to, len) == 0)
		return 0;
	if (errno != EINPROGRESS)
		return -errno;
	for (waited = 0; waited < CONNECT_MS; waited += 100) {
		if (poll(&p, 1, 100) > 0) {
			getsockopt(fd, SOL_SOCKET, SO_ERROR, &e, &elen);
			return -e;
		}
		if (stop && atomic_load(stop))
			return -EINTR;
	}
	return -ETIMEDOUT;
}

static int connect_any(struct nt_client *c, const char *host, struct nt_err *err)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *list = NULL, *ai;
	char name[256], port[8];
	int rc = nt_host_split(host, name, sizeof name, port, sizeof port, err), gai, fd;
	bool refused = false;

	if (rc)
		return rc;
	gai = getaddrinfo(name, port, &hints, &list);
	if (gai)
		return nt_err_set(err, -EHOSTUNREACH, "cannot find '%s': %s", name,
			gai_strerror(gai));
	rc = -EHOSTUNREACH;
	for (ai = list; ai; ai = ai->ai_next) {
		fd = socket(ai->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd < 0) {
			rc = -errno;
			continue;
		}
		memcpy(&c->peer, ai->ai_addr, ai->ai_addrlen);
		c->peer_len = ai->ai_addrlen;
		rc = nt_connect(&c->peer, c->peer_len, fd, c->stop);
		if (rc == 0) {
			nt_chan_init(&c->chan, fd, NT_BODY_MAX_STRANGER * 4);
			break;
		}
		close(fd);
		refused |= rc == -ECONNREFUSED;
	}
	freeaddrinfo(list);
	/* of several addresses, the one where there is a host tells most */
	if (rc && refused)
		return nt_err_set(err, -ECONNREFUSED,
			"nothing listens on '%s' port %s: run nettune --serve --bind ADDR there", name,
			port);
	if (rc == -EINVAL)
		return nt_err_set(err, rc,
			"cannot connect to '%s': a link-local address needs its link, like fe80::1%%eth0",
			name);
	if (rc)
		return nt_err_sys(err, rc, "cannot connect to '%s' port %s", name, port);
	return 0;
}

/* Read the server's HELLO and settle the key; the OK is left to come. */
static int greet(struct nt_client *c, const struct nt_probe_key *key,
	const unsigned char *cnonce, unsigned char *snonce, struct nt_err *err)
{
	unsigned char mac[NT_MAC_LEN];
	char program[sizeof c->version];
	bool wants_key;
	json_t *j;
	double version;
	int rc = nt_client_expect(c, NT_FRAME_HELLO, 5000, &j, err);

	if (rc == -EPIPE || rc == -ECONNRESET)
		return nt_err_set(err, rc,
			"the server closed the connection without a word: does it --allow this host?");
	if (rc)
		return rc;
	wants_key = json_is_true(json_object_get(j, "key"));
	rc = nt_wire_num(j, "version", 0, 1e6, &version);
	if (!rc)
		rc = nt_wire_str(j, "program", program, sizeof program);
	if (!rc)
		rc = nt_wire_hex(j, "nonce", snonce, NT_NONCE_LEN);
	json_decref(j);
	if (rc)
		return nt_err_set(err, -EPROTO, "the server's greeting is malformed");
	nt_printable(c->version, sizeof c->version, program);
	if (version != NT_WIRE_VERSION)
		return nt_err_set(err, -EPROTO, "the server, nettune %s, speaks another protocol",
			c->version);
	if (wants_key && !key->set)
		return nt_err_set(err, -EACCES, "the server wants a key: give --key FILE");
	if (!wants_key && key->set)
		return nt_err_set(err, -EACCES,
			"the server uses no key: it can't prove that it is the right one");
	if (!wants_key)
		return 0;
	nt_auth_mac(key, NT_SIDE_CLIENT, cnonce, snonce, mac);
	j = json_object();
	nt_wire_set_hex(j, "mac", mac, sizeof mac);
	nt_chan_put(&c->chan, NT_FRAME_AUTH, j);
	return 0;
}

static int welcome(struct nt_client *c, const struct nt_probe_key *key,
	const unsigned char *cnonce, const unsigned char *snonce, struct nt_err *err)
{
	unsigned char want[NT_MAC_LEN], got[NT_MAC_LEN];
	char kernel[sizeof c->kernel];
	double streams = 0, seconds = 0;
	json_t *j;
	int rc = nt_client_expect(c, NT_FRAME_OK, 8000, &j, err);

	if (rc)
		return rc;
	rc = nt_wire_num(j, "max_seconds", 0, 1e9, &seconds);
	if (!rc)
		rc = nt_wire_num(j, "max_streams", 1, 1e6, &streams);
	if (!rc && json_object_get(j, "max_bps")) /* older servers do not tell */
		rc = nt_wire_num(j, "max_bps", 0, 1e15, &c->max_bps);
	if (rc || isnan(streams) || isnan(seconds) || isnan(c->max_bps))
		rc = nt_err_set(err, -EPROTO, "the server's greeting is malformed");
	if (!rc && key->set) {
		nt_auth_mac(key, NT_SIDE_SERVER, cnonce, snonce, want);
		if (nt_wire_hex(j, "mac", got, sizeof got) || !nt_auth_equal(want, got))
			rc = nt_err_set(err, -EACCES, "the server does not hold the key");
		else if (nt_wire_str(j, "kernel", kernel, sizeof kernel) == 0)
			nt_printable(c->kernel, sizeof c->kernel, kernel);
	}
	c->one_host = !rc && nt_host_proof(cnonce, snonce, want) == 0 &&
		      nt_wire_hex(j, "host", got, sizeof got) == 0 && nt_auth_equal(want, got);
	json_decref(j);
	if (rc)
		return rc;
	if (key->set)
		nt_chan_seal(&c->chan, key, NT_SIDE_CLIENT, cnonce, snonce);
	c->authenticated = key->set;
	c->chan.max_body = NT_BODY_MAX_SERVER;
	return 0;
}

int nt_client_greet(struct nt_client *c, const struct nt_probe_key *key, struct nt_err *err)
{
	unsigned char buf[NT_PREAMBLE_LEN], snonce[NT_NONCE_LEN] = { 0 };
	struct nt_preamble p = { .kind = NT_CONN_CONTROL, .version = NT_WIRE_VERSION };
	ssize_t n;
	int rc;

	randombytes_buf(p.nonce, sizeof p.nonce);
	nt_preamble_write(buf, &p);
	n = send(c->chan.fd, buf, sizeof buf, MSG_NOSIGNAL);
	if (n != sizeof buf)
		return nt_err_sys(err, n < 0 ? -errno : -EPIPE, "cannot write to the server");
	rc = greet(c, key, p.nonce, snonce, err);
	if (!rc)
		rc = welcome(c, key, p.nonce, snonce, err);
	return rc;
}

int nt_client_open(struct nt_client *c, const char *host, const struct nt_probe_key *key,
	struct nt_err *err)
{
	char port[NI_MAXSERV];
	socklen_t len = sizeof c->local;
	int rc;

	c->chan.fd = -1;
	if (sodium_init() < 0)
		return nt_err_set(err, -EIO, "libsodium does not start");
	rc = connect_any(c, host, err);
	if (rc)
		return rc;
	getsockname(c->chan.fd, (struct sockaddr *)&c->local, &len);
	if (getnameinfo((struct sockaddr *)&c->peer, c->peer_len, c->address, sizeof c->address,
		    port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV))
		snprintf(c->address, sizeof c->address, "?");
	return nt_client_greet(c, key, err);
}

void nt_client_close(struct nt_client *c)
{
	nt_chan_close(&c->chan);
}
