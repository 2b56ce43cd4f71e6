/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a false server may send to the probe's client. The first byte chooses where in the
 * conversation it begins: greeting without or with a key, facts, a test, a result.
 */
#include "config.h"

#include <sodium.h>
#include <string.h>
#include <unistd.h>

#include "nettune/mem.h"
#include "probe/client_io.h"
#include "probe/endjson.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void facts(struct nt_client *c)
{
	struct nt_snapshot *s = NULL;
	struct nt_err err;

	c->chan.max_body = NT_BODY_MAX_SERVER;
	if (nt_client_facts(c, &s, &err) == 0)
		nt_snapshot_free(s);
}

static void test(struct nt_client *c)
{
	static const struct nt_spec spec = { .groups = { { NT_FLOW_CRR, false, 1, 64, 1 } },
		.n_groups = 1, .seconds = 0.05, .cpu = -1, .peer_cpu = -1 };
	struct nt_probe_end here, there;
	bool interrupted;
	struct nt_err err;

	c->chan.max_body = NT_BODY_MAX_SERVER;
	nt_client_run(c, &spec, &here, &there, &interrupted, &err);
	nt_probe_end_free(&here);
	nt_probe_end_free(&there);
}

static void result(const uint8_t *data, size_t size)
{
	struct nt_probe_end e;
	json_t *j = nt_wire_json(data, size, NULL);

	nt_probe_end_init(&e);
	if (j)
		nt_end_read(j, &e, NULL);
	nt_probe_end_free(&e);
	json_decref(j);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nt_probe_key key = { .set = false };
	struct nt_client c = { .sys = NULL };
	struct nt_err err;
	int fds[2];

	if (sodium_init() < 0 || size < 1 || size > 60000)
		return 0;
	if (data[0] % 5 == 4) {
		result(data + 1, size - 1);
		return 0;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) < 0)
		return 0;
	nt_chan_init(&c.chan, fds[0], NT_BODY_MAX_STRANGER * 4);
	if (send(fds[1], data + 1, size - 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		return 0;
	/* nothing more comes, and what the client says may still be said */
	shutdown(fds[1], SHUT_WR);
	switch (data[0] % 5) {
	case 0:
	case 1:
		key.set = data[0] % 5;
		nt_client_greet(&c, &key, &err);
		break;
	case 2:
		facts(&c);
		break;
	case 3:
		test(&c);
	}
	nt_client_close(&c);
	close(fds[1]);
	return 0;
}
