/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The probe's wire protocol, version 1. Private to probe/.
 *
 * Every connection, and every UDP flow, begins with a preamble of 64 bytes that says what
 * it is for. A control connection then carries frames both ways: a header of 8 bytes and a
 * JSON body. A data connection is bound to its test by a random token. Where a key is
 * shared, both ends prove it by a keyed hash over both nonces, and from then on each frame
 * body is sealed (XChaCha20-Poly1305) with a key of its direction made from key and nonces.
 */
#ifndef PROBE_WIRE_H
#define PROBE_WIRE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nettune/buf.h"
#include "nettune/err.h"
#include "nettune/probe.h"

#define NT_WIRE_VERSION 1
#define NT_PREAMBLE_LEN 64
#define NT_NONCE_LEN 32
#define NT_TOKEN_LEN 16
#define NT_MAC_LEN 32
#define NT_SEAL_LEN 16
#define NT_FRAME_HEAD 8

/* The longest frame body an end takes, by what it knows of the other. */
#define NT_BODY_MAX_STRANGER 1024
#define NT_BODY_MAX_CLIENT 16384
#define NT_BODY_MAX_SERVER (1024 * 1024)
#define NT_JSON_DEPTH 10

enum nt_conn_kind { NT_CONN_CONTROL = 1, NT_CONN_DATA, NT_CONN_CRR, NT_CONN_UDP };

struct nt_preamble {
	enum nt_conn_kind kind;
	unsigned version, stream;
	unsigned char nonce[NT_NONCE_LEN]; /* CONTROL: of the client; else begins with the token */
};
void nt_preamble_write(unsigned char buf[NT_PREAMBLE_LEN], const struct nt_preamble *p);
/* -EPROTO when buf is not a preamble; the version is not judged. */
int nt_preamble_read(const unsigned char buf[NT_PREAMBLE_LEN], struct nt_preamble *ret);

enum nt_frame_type {
	NT_FRAME_HELLO = 1, /* S: version, nonce, whether a key is wanted */
	NT_FRAME_AUTH,	    /* C: mac over both nonces */
	NT_FRAME_OK,	    /* S: mac over both nonces, limits; from here on sealed */
	NT_FRAME_TEST,	    /* C: a test's specification */
	NT_FRAME_READY,	    /* S: the token */
	NT_FRAME_START,	    /* S: all streams are here and run */
	NT_FRAME_SAMPLE,    /* S: once a second */
	NT_FRAME_STOP,	    /* C */
	NT_FRAME_RESULT,    /* S: what the server's end saw */
	NT_FRAME_ERROR,	    /* S: why not; fatal unless it answers TEST or FACTS */
	NT_FRAME_FACTS,	    /* C: asks for the server's facts */
	NT_FRAME_FACT,	    /* S: a piece of them */
	NT_FRAME_FACTS_END, /* S */
	_NT_FRAME_MAX
};

struct nt_frame {
	enum nt_frame_type type;
	const unsigned char *body; /* into the buffer it was parsed from */
	size_t len;
};
/*
 * The first frame of len bytes at data: the bytes it takes, 0 when it is not complete, or
 * -EPROTO when its type is unknown, its reserved bytes are used, or its body exceeds max.
 */
ssize_t nt_frame_parse(const unsigned char *data, size_t len, size_t max,
	struct nt_frame *ret);

/* Parse a body, an object of bounded depth without duplicate keys; NULL, err filled. */
json_t *nt_wire_json(const unsigned char *body, size_t len, struct nt_err *err);

/* A string; bytes that are not UTF-8, as names of links may have, become '?'. */
json_t *nt_wire_text(const char *s);

/* Typed reading: 0, or -EPROTO where the member is missing, of another type, or not within
 * min..max; a null number is NAN. */
int nt_wire_num(const json_t *obj, const char *key, double min, double max, double *ret);
int nt_wire_str(const json_t *obj, const char *key, char *ret, size_t size);
int nt_wire_hex(const json_t *obj, const char *key, unsigned char *ret, size_t len);
void nt_wire_set_hex(json_t *obj, const char *key, const unsigned char *v, size_t len);

/* ---- key ------------------------------------------------------------------------- */

enum nt_side { NT_SIDE_CLIENT, NT_SIDE_SERVER };

/* 32 bytes out of the key for one use, which label names, in one conversation. */
void nt_key_derive(const struct nt_probe_key *key, const char *label,
	const unsigned char cnonce[NT_NONCE_LEN], const unsigned char snonce[NT_NONCE_LEN],
	unsigned char ret[32]);
/* The proof that side holds the key. */
void nt_auth_mac(const struct nt_probe_key *key, enum nt_side side,
	const unsigned char cnonce[NT_NONCE_LEN], const unsigned char snonce[NT_NONCE_LEN],
	unsigned char ret[NT_MAC_LEN]);
/* A hash of this boot's id and both nonces: equal at both ends when they run on one kernel,
 * and of no use to anybody else. -errno where the id can't be read. */
int nt_host_proof(const unsigned char cnonce[NT_NONCE_LEN],
	const unsigned char snonce[NT_NONCE_LEN], unsigned char ret[NT_MAC_LEN]);
/* In constant time. */
bool nt_auth_equal(const unsigned char a[NT_MAC_LEN], const unsigned char b[NT_MAC_LEN]);

/* ---- control channel --------------------------------------------------------------- */

struct nt_chan {
	int fd; /* non-blocking */
	struct nt_buf in, out;
	size_t in_off, out_off;
	size_t max_body;
	bool sealed;
	unsigned char tx_key[32], rx_key[32];
	uint64_t tx_n, rx_n;
	struct nt_buf plain; /* the frame last opened */
};
void nt_chan_init(struct nt_chan *c, int fd, size_t max_body);
/* Closes the descriptor. */
void nt_chan_close(struct nt_chan *c);
/* From now on frames are sealed. */
void nt_chan_seal(struct nt_chan *c, const struct nt_probe_key *key, enum nt_side side,
	const unsigned char cnonce[NT_NONCE_LEN], const unsigned char snonce[NT_NONCE_LEN]);
/* Queue a frame; body (stolen) may be NULL for none. */
void nt_chan_put(struct nt_chan *c, enum nt_frame_type type, json_t *body);
void nt_chan_put_text(struct nt_chan *c, enum nt_frame_type type, const char *body,
	size_t len);
/* Write what is queued: 1 all is written, 0 more is left, -errno. */
int nt_chan_flush(struct nt_chan *c);
size_t nt_chan_queued(const struct nt_chan *c);
/* Read what is there, at most one frame's worth: 1 read some, 0 nothing now, -EPIPE at the
 * end, -errno. */
int nt_chan_pull(struct nt_chan *c);
/* The next whole frame: 1, 0 when there is none yet, -EPROTO. Valid until the next call. */
int nt_chan_next(struct nt_chan *c, struct nt_frame *ret);

#endif
