/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The control channel: frames over a non-blocking socket, sealed once a key is proved. */
#include "config.h"

#include "wire.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void nt_chan_init(struct nt_chan *c, int fd, size_t max_body)
{
	memset(c, 0, sizeof *c);
	c->fd = fd;
	c->max_body = max_body;
}

void nt_chan_close(struct nt_chan *c)
{
	if (c->fd >= 0)
		close(c->fd);
	nt_buf_free(&c->in);
	nt_buf_free(&c->out);
	nt_buf_free(&c->plain);
	sodium_memzero(c, sizeof *c);
	c->fd = -1;
}

void nt_chan_seal(struct nt_chan *c, const struct nt_probe_key *key, enum nt_side side,
	const unsigned char cnonce[NT_NONCE_LEN], const unsigned char snonce[NT_NONCE_LEN])
{
	bool client = side == NT_SIDE_CLIENT;

	nt_key_derive(key, "nettune seal up", cnonce, snonce, client ? c->tx_key : c->rx_key);
	nt_key_derive(key, "nettune seal down", cnonce, snonce, client ? c->rx_key : c->tx_key);
	c->sealed = true;
}

static void nonce_of(unsigned char ret[crypto_aead_xchacha20poly1305_ietf_NPUBBYTES],
	uint64_t n)
{
	int i;

	memset(ret, 0, crypto_aead_xchacha20poly1305_ietf_NPUBBYTES);
	for (i = 0; i < 8; i++)
		ret[i] = n >> (8 * i);
}

void nt_chan_put_text(struct nt_chan *c, enum nt_frame_type type, const char *body,
	size_t len)
{
	unsigned char nonce[crypto_aead_xchacha20poly1305_ietf_NPUBBYTES], *to;
	size_t total = len + (c->sealed ? NT_SEAL_LEN : 0);

	to = (unsigned char *)nt_buf_reserve(&c->out, NT_FRAME_HEAD + total);
	to[0] = total >> 24;
	to[1] = total >> 16;
	to[2] = total >> 8;
	to[3] = total;
	to[4] = type;
	to[5] = to[6] = to[7] = 0;
	if (c->sealed) {
		nonce_of(nonce, c->tx_n++);
		crypto_aead_xchacha20poly1305_ietf_encrypt(to + NT_FRAME_HEAD, NULL,
			(const unsigned char *)body, len, to, NT_FRAME_HEAD, NULL, nonce, c->tx_key);
	} else if (len) {
		memcpy(to + NT_FRAME_HEAD, body, len);
	}
	c->out.len += NT_FRAME_HEAD + total;
}

void nt_chan_put(struct nt_chan *c, enum nt_frame_type type, json_t *body)
{
	char *s = body ? json_dumps(body, JSON_COMPACT) : NULL;

	if (body && !s)
		nt_die("out of memory");
	nt_chan_put_text(c, type, s ? s : "", s ? strlen(s) : 0);
	free(s);
	json_decref(body);
}

size_t nt_chan_queued(const struct nt_chan *c)
{
	return c->out.len - c->out_off;
}

int nt_chan_flush(struct nt_chan *c)
{
	ssize_t n;

	while (nt_chan_queued(c)) {
		n = send(c->fd, c->out.s + c->out_off, nt_chan_queued(c),
			MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return 0;
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			c->out_off += n;
	}
	nt_buf_cut(&c->out, 0);
	c->out_off = 0;
	return 1;
}

int nt_chan_pull(struct nt_chan *c)
{
	size_t have = c->in.len - c->in_off, most = NT_FRAME_HEAD + c->max_body + NT_SEAL_LEN;
	size_t want = most > have ? most - have : 0;
	ssize_t n;

	if (want > 65536)
		want = 65536;
	if (!want)
		return 0;
	if (c->in_off) {
		memmove(c->in.s, c->in.s + c->in_off, have);
		nt_buf_cut(&c->in, have);
		c->in_off = 0;
	}
	do
		n = recv(c->fd, nt_buf_reserve(&c->in, want), want, MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n == 0)
		return -EPIPE;
	if (n < 0)
		return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
	c->in.len += n;
	return 1;
}

int nt_chan_next(struct nt_chan *c, struct nt_frame *ret)
{
	unsigned char nonce[crypto_aead_xchacha20poly1305_ietf_NPUBBYTES];
	const unsigned char *at = (const unsigned char *)nt_buf_str(&c->in) + c->in_off;
	ssize_t n = nt_frame_parse(at, c->in.len - c->in_off,
		c->max_body + (c->sealed ? NT_SEAL_LEN : 0), ret);

	if (n <= 0)
		return n;
	c->in_off += n;
	if (!c->sealed)
		return 1;
	if (ret->len < NT_SEAL_LEN)
		return -EPROTO;
	nonce_of(nonce, c->rx_n++);
	nt_buf_cut(&c->plain, 0);
	if (crypto_aead_xchacha20poly1305_ietf_decrypt(
		    (unsigned char *)nt_buf_reserve(&c->plain, ret->len), NULL, NULL, ret->body,
		    ret->len, at, NT_FRAME_HEAD, nonce, c->rx_key) != 0)
		return -EPROTO;
	c->plain.len = ret->len - NT_SEAL_LEN;
	ret->body = (const unsigned char *)c->plain.s;
	ret->len = c->plain.len;
	return 1;
}
