/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "client_io.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "endjson.h"
#include "nettune/clock.h"
#include "nettune/names.h"

static const struct nt_name codes[] = {
	{ "auth", EACCES },
	{ "busy", EBUSY },
	{ "refused", EREMOTE },
	{ "failed", EREMOTE },
	{ "version", EPROTO },
	{ "protocol", EPROTO },
	{ "timeout", ETIMEDOUT },
	{ NULL, 0 },
};

static int on_error(const struct nt_frame *f, struct nt_err *err)
{
	json_t *j = nt_wire_json(f->body, f->len, err);
	char code[16], message[320], shown[320];
	int e;

	if (!j)
		return -EPROTO;
	if (nt_wire_str(j, "code", code, sizeof code) ||
		nt_wire_str(j, "message", message, sizeof message)) {
		json_decref(j);
		return nt_err_set(err, -EPROTO, "the server's error is malformed");
	}
	json_decref(j);
	nt_printable(shown, sizeof shown, message);
	e = nt_name_value(codes, code);
	return nt_err_set(err, e > 0 ? -e : -EPROTO, "the server says: %s", shown);
}

static int lost(int rc, struct nt_err *err)
{
	if (rc == -EPROTO)
		return nt_err_set(err, rc, "what the server sends is not the probe's protocol");
	if (rc == -EPIPE)
		return nt_err_set(err, rc, "the server closed the connection");
	return nt_err_sys(err, rc, "the connection to the server broke");
}

int nt_client_flush(struct nt_client *c, int timeout_ms, struct nt_err *err)
{
	struct pollfd p = { .fd = c->chan.fd, .events = POLLOUT };
	int rc = nt_chan_flush(&c->chan);

	if (rc == 0 && poll(&p, 1, timeout_ms) > 0)
		rc = nt_chan_flush(&c->chan);
	if (rc < 0)
		return lost(rc, err);
	return rc == 1 ? 0 : nt_err_set(err, -ETIMEDOUT, "the server takes no more");
}

static void take_sample(struct nt_client *c, const struct nt_frame *f)
{
	struct nt_probe_sample s = { 0 };
	json_t *j = nt_wire_json(f->body, f->len, NULL);

	if (j && nt_sample_read(j, &s) == 0 && c->on_there)
		c->on_there(c->arg, &s);
	json_decref(j);
}

static int take_result(struct nt_client *c, const struct nt_frame *f, struct nt_err *err)
{
	json_t *j = nt_wire_json(f->body, f->len, err);
	int rc;

	if (!j)
		return -EPROTO;
	if (c->have_result) {
		json_decref(j);
		return nt_err_set(err, -EPROTO, "the server sent two results");
	}
	rc = nt_end_read(j, &c->there, err);
	c->have_result = rc == 0;
	json_decref(j);
	return rc;
}

int nt_client_take(struct nt_client *c, struct nt_err *err)
{
	struct nt_frame f;
	int pulled = nt_chan_pull(&c->chan), got, rc;

	while ((got = nt_chan_next(&c->chan, &f)) > 0) {
		if (f.type == NT_FRAME_ERROR)
			return on_error(&f, err);
		if (f.type == NT_FRAME_SAMPLE) {
			take_sample(c, &f);
		} else if (f.type == NT_FRAME_RESULT) {
			rc = take_result(c, &f, err);
			if (rc)
				return rc;
		} else {
			return lost(-EPROTO, err);
		}
	}
	if (got < 0 || pulled < 0)
		return lost(got < 0 ? got : pulled, err);
	return 0;
}

int nt_client_next(struct nt_client *c, int timeout_ms, enum nt_frame_type *ret_type,
	json_t **ret_body, struct nt_err *err)
{
	struct pollfd p = { .fd = c->chan.fd, .events = POLLIN };
	uint64_t end = nt_now_ns() + timeout_ms * 1000000ull;
	struct nt_frame f;
	int rc = nt_client_flush(c, 5000, err), n;

	*ret_body = NULL;
	while (!rc) {
		n = nt_chan_next(&c->chan, &f);
		if (n < 0)
			return lost(n, err);
		if (n > 0 && f.type == NT_FRAME_ERROR)
			return on_error(&f, err);
		if (n > 0 && f.type == NT_FRAME_SAMPLE)
			continue;
		if (n > 0) {
			*ret_type = f.type;
			if (f.len)
				*ret_body = nt_wire_json(f.body, f.len, err);
			return !f.len || *ret_body ? 0 : -EPROTO;
		}
		if (nt_now_ns() > end)
			return nt_err_set(err, -ETIMEDOUT, "the server does not answer");
		if (c->stop && atomic_load(c->stop))
			return nt_err_set(err, -EINTR, "interrupted");
		if (poll(&p, 1, timeout_ms < 100 ? timeout_ms : 100) > 0) {
			rc = nt_chan_pull(&c->chan);
			rc = rc < 0 ? lost(rc, err) : 0;
		}
	}
	return rc;
}

int nt_client_expect(struct nt_client *c, enum nt_frame_type type, int timeout_ms,
	json_t **ret_body, struct nt_err *err)
{
	enum nt_frame_type got;
	json_t *j = NULL;
	int rc = nt_client_next(c, timeout_ms, &got, &j, err);

	if (!rc && (got != type || (ret_body && !j)))
		rc = lost(-EPROTO, err);
	if (!rc && ret_body)
		*ret_body = j;
	else
		json_decref(j);
	return rc;
}
