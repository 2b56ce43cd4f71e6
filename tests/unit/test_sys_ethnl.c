/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ethtool family against a kernel played by a child process over a socket pair: dumps
 * that end at a device, that were interrupted, that the kernel does not know.
 */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <libmnl/libmnl.h>
#include <linux/ethtool.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>

#include "nettune/mem.h"
#include "sys/ethnl.h"

#define FAMILY 0x20
#define DRIVER_ERROR "the firmware does not answer"

/* ---- the kernel's side ---- */

static char out[8192] __attribute__((aligned(4)));

static struct nlmsghdr *begin(const struct nlmsghdr *req, uint16_t type, uint8_t cmd)
{
	struct nlmsghdr *h = mnl_nlmsg_put_header(out);
	struct genlmsghdr *g = mnl_nlmsg_put_extra_header(h, sizeof *g);

	h->nlmsg_type = type;
	h->nlmsg_seq = req->nlmsg_seq;
	g->cmd = cmd;
	return h;
}

static void end(int fd, const struct nlmsghdr *h)
{
	if (send(fd, h, h->nlmsg_len, 0) < 0)
		_exit(1);
}

/* NLMSG_ERROR (0: the ACK) or NLMSG_DONE, with or without a text */
static void finish(int fd, const struct nlmsghdr *req, uint16_t type, int code, const char *text)
{
	struct nlmsghdr *h = mnl_nlmsg_put_header(out);

	h->nlmsg_type = type;
	h->nlmsg_seq = req->nlmsg_seq;
	*(int *)mnl_nlmsg_put_extra_header(h, sizeof code) = code;
	if (type == NLMSG_ERROR) {
		h->nlmsg_flags = NLM_F_CAPPED;
		memcpy(mnl_nlmsg_put_extra_header(h, sizeof *req), req, sizeof *req);
	}
	if (text) {
		h->nlmsg_flags |= NLM_F_ACK_TLVS;
		mnl_attr_put_str(h, NLMSGERR_ATTR_MSG, text); /* not NUL-terminated */
	}
	end(fd, h);
}

static void put_dev(struct nlmsghdr *h, uint32_t ifindex)
{
	struct nlattr *n = mnl_attr_nest_start(h, 1);

	mnl_attr_put_u32(h, ETHTOOL_A_HEADER_DEV_INDEX, ifindex);
	mnl_attr_nest_end(h, n);
}

static void reply_channels(int fd, const struct nlmsghdr *req, uint32_t ifindex)
{
	struct nlmsghdr *h = begin(req, FAMILY, ETHTOOL_MSG_CHANNELS_GET_REPLY);

	put_dev(h, ifindex);
	mnl_attr_put_u32(h, ETHTOOL_A_CHANNELS_COMBINED_MAX, 8);
	mnl_attr_put_u32(h, ETHTOOL_A_CHANNELS_COMBINED_COUNT, ifindex);
	mnl_attr_put_u32(h, 40, 7);  /* newer than the table */
	mnl_attr_put_u32(h, 900, 7); /* newer than any */
	mnl_attr_put_u8(h, ETHTOOL_A_CHANNELS_RX_MAX, 1); /* too short for its type */
	end(fd, h);
}

static void reply_pause(int fd, const struct nlmsghdr *req, uint32_t ifindex, uint16_t flags)
{
	struct nlmsghdr *h = begin(req, FAMILY, ETHTOOL_MSG_PAUSE_GET_REPLY);

	h->nlmsg_flags = flags;
	put_dev(h, ifindex);
	mnl_attr_put_u8(h, ETHTOOL_A_PAUSE_RX, 1);
	end(fd, h);
}

static void reply_strings(int fd, const struct nlmsghdr *req)
{
	static const char *const names[] = { "tx-first", "", "rx-third" };
	struct nlmsghdr *h = begin(req, FAMILY, ETHTOOL_MSG_STRSET_GET_REPLY);
	struct nlattr *sets, *set, *strings, *s;
	unsigned id, i;

	for (id = 0; id < 16; id++) {
		if (id != ETH_SS_FEATURES && id != ETH_SS_LINK_MODES)
			continue;
		sets = mnl_attr_nest_start(h, ETHTOOL_A_STRSET_STRINGSETS);
		set = mnl_attr_nest_start(h, ETHTOOL_A_STRINGSETS_STRINGSET);
		mnl_attr_put_u32(h, ETHTOOL_A_STRINGSET_ID, id);
		mnl_attr_put_u32(h, ETHTOOL_A_STRINGSET_COUNT, 3);
		strings = mnl_attr_nest_start(h, ETHTOOL_A_STRINGSET_STRINGS);
		for (i = 0; i < 3; i++) {
			s = mnl_attr_nest_start(h, ETHTOOL_A_STRINGS_STRING);
			mnl_attr_put_u32(h, ETHTOOL_A_STRING_INDEX, i);
			mnl_attr_put_str(h, ETHTOOL_A_STRING_VALUE, names[i]);
			mnl_attr_nest_end(h, s);
		}
		mnl_attr_nest_end(h, strings);
		mnl_attr_nest_end(h, set);
		mnl_attr_nest_end(h, sets);
		end(fd, h);
		h = begin(req, FAMILY, ETHTOOL_MSG_STRSET_GET_REPLY);
	}
	finish(fd, req, NLMSG_ERROR, 0, NULL);
}

static uint32_t device_of(const struct nlmsghdr *req)
{
	const struct nlattr *nest = (const void *)((const char *)req + MNL_NLMSG_HDRLEN + 4);
	const struct nlattr *dev = mnl_attr_get_payload(nest);
	uint32_t v;

	if (mnl_attr_get_type(dev) != ETHTOOL_A_HEADER_DEV_INDEX)
		return 0;
	memcpy(&v, mnl_attr_get_payload(dev), sizeof v);
	return v;
}

/* Links 2 and 4 have channels, 3 fails, 5 has none; the dump ends at 3. */
static void answer_channels(int fd, const struct nlmsghdr *req)
{
	switch (device_of(req)) {
	case 0:
		reply_channels(fd, req, 2);
		finish(fd, req, NLMSG_DONE, -EIO, NULL);
		break;
	case 3:
		finish(fd, req, NLMSG_ERROR, -EIO, DRIVER_ERROR);
		break;
	case 4:
		reply_channels(fd, req, 4);
		finish(fd, req, NLMSG_ERROR, 0, NULL);
		break;
	default:
		finish(fd, req, NLMSG_ERROR, -EOPNOTSUPP, NULL);
	}
}

/* The dump was interrupted after link 3: 4 is not in it. */
static void answer_pause(int fd, const struct nlmsghdr *req)
{
	if (device_of(req) == 0) {
		reply_pause(fd, req, 2, 0);
		reply_pause(fd, req, 3, NLM_F_DUMP_INTR);
		finish(fd, req, NLMSG_DONE, 0, NULL);
	} else if (device_of(req) == 4) {
		reply_pause(fd, req, 4, 0);
		finish(fd, req, NLMSG_ERROR, 0, NULL);
	} else {
		finish(fd, req, NLMSG_ERROR, -ENODEV, NULL);
	}
}

static void put_bits(struct nlmsghdr *h, uint16_t attr, uint32_t value, uint32_t mask)
{
	struct nlattr *n = mnl_attr_nest_start(h, attr);

	mnl_attr_put_u32(h, ETHTOOL_A_BITSET_SIZE, 3);
	mnl_attr_put_u32(h, ETHTOOL_A_BITSET_VALUE, value);
	mnl_attr_put_u32(h, ETHTOOL_A_BITSET_MASK, mask);
	mnl_attr_nest_end(h, n);
}

/* The first feature was not switched on. */
static void answer_features_set(int fd, const struct nlmsghdr *req)
{
	struct nlmsghdr *h = begin(req, FAMILY, ETHTOOL_MSG_FEATURES_SET_REPLY);

	put_dev(h, 2);
	put_bits(h, ETHTOOL_A_FEATURES_WANTED, 1, 1);
	put_bits(h, ETHTOOL_A_FEATURES_ACTIVE, 4, 4);
	end(fd, h);
	finish(fd, req, NLMSG_ERROR, 0, NULL);
}

/* Without a message to read EEE. */
static void put_ops(struct nlmsghdr *h)
{
	static const uint8_t known[] = { ETHTOOL_MSG_STRSET_GET, ETHTOOL_MSG_CHANNELS_GET,
		ETHTOOL_MSG_CHANNELS_SET, ETHTOOL_MSG_PAUSE_GET, ETHTOOL_MSG_PAUSE_SET,
		ETHTOOL_MSG_FEATURES_SET, ETHTOOL_MSG_FEC_GET };
	struct nlattr *ops = mnl_attr_nest_start(h, CTRL_ATTR_OPS), *op;
	uint16_t i;

	for (i = 0; i < NT_ARRAY_SIZE(known); i++) {
		op = mnl_attr_nest_start(h, i + 1);
		mnl_attr_put_u32(h, CTRL_ATTR_OP_ID, known[i]);
		mnl_attr_nest_end(h, op);
	}
	mnl_attr_nest_end(h, ops);
}

/* Bit sets are read in compact form alone: every request for values must ask for it. */
static bool wants_compact(const struct nlmsghdr *req)
{
	struct nlattr *head, *a;
	uint32_t flags = 0;

	mnl_attr_for_each(head, req, sizeof(struct genlmsghdr))
		if (mnl_attr_get_type(head) == 1)
			mnl_attr_for_each_nested(a, head)
				if (mnl_attr_get_type(a) == ETHTOOL_A_HEADER_FLAGS)
					flags = mnl_attr_get_u32(a);
	return flags & ETHTOOL_FLAG_COMPACT_BITSETS;
}

static void play(int fd)
{
	char in[8192] __attribute__((aligned(4)));
	const struct nlmsghdr *req = (const void *)in;
	struct nlmsghdr *h;
	uint8_t cmd;

	while (recv(fd, in, sizeof in, 0) >= (ssize_t)(sizeof *req + 4)) {
		cmd = (uint8_t)in[sizeof *req];
		if (req->nlmsg_type == GENL_ID_CTRL) {
			h = begin(req, GENL_ID_CTRL, CTRL_CMD_NEWFAMILY);
			mnl_attr_put_u16(h, CTRL_ATTR_FAMILY_ID, FAMILY);
			put_ops(h);
			end(fd, h);
			finish(fd, req, NLMSG_ERROR, 0, NULL);
		} else if (cmd == ETHTOOL_MSG_STRSET_GET) {
			reply_strings(fd, req);
		} else if (!wants_compact(req)) {
			finish(fd, req, NLMSG_ERROR, -EPROTO, NULL);
		} else if (cmd == ETHTOOL_MSG_CHANNELS_GET) {
			answer_channels(fd, req);
		} else if (cmd == ETHTOOL_MSG_PAUSE_GET) {
			answer_pause(fd, req);
		} else if (cmd == ETHTOOL_MSG_FEATURES_SET) {
			answer_features_set(fd, req);
		} else {
			finish(fd, req, NLMSG_ERROR, -EOPNOTSUPP, NULL);
		}
	}
	_exit(0);
}

/* ---- nettune's side ---- */

struct fixture {
	int fd;
	pid_t kernel;
	struct nt_ethnl *e;
	struct nt_link link[4];
	struct nt_links links;
	char got[2000];
};

static int set_up(void **state)
{
	struct fixture *f = nt_calloc(1, sizeof *f);
	struct nt_err err;
	int pair[2], i;

	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair), 0);
	f->kernel = fork();
	assert_true(f->kernel >= 0);
	if (f->kernel == 0) {
		close(pair[0]);
		play(pair[1]);
	}
	close(pair[1]);
	f->fd = pair[0];
	f->e = nt_ethnl_open_fd(f->fd, &err);
	assert_non_null(f->e);
	for (i = 0; i < 4; i++) {
		f->link[i].ifindex = i + 2;
		snprintf(f->link[i].name, sizeof f->link[i].name, "eth%d", i + 2);
	}
	f->links.v = f->link;
	f->links.n = 4;
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	nt_ethnl_close(f->e);
	close(f->fd);
	kill(f->kernel, SIGKILL);
	waitpid(f->kernel, NULL, 0);
	free(f);
	return 0;
}

static void note(void *arg, int ifindex, const struct nt_eth_val *v, const struct nt_err *err)
{
	struct fixture *f = arg;
	size_t n = strlen(f->got);

	if (err)
		snprintf(f->got + n, sizeof f->got - n, "%d error %d %s\n", ifindex, err->code,
			err->kernel);
	else
		snprintf(f->got + n, sizeof f->got - n, "%d %s %d\n", ifindex, v->name,
			(int)v->num);
}

static void dump_that_ends_at_a_device(void **state)
{
	struct fixture *f = *state;
	struct nt_err err;
	char want[300];

	assert_int_equal(
		nt_ethnl_get(f->e, NT_ETH_CHANNELS, 0, &f->links, note, f, &err), 0);
	snprintf(want, sizeof want,
		"2 channels.combined 2\n2 channels.combined.max 8\n"
		"3 error %d " DRIVER_ERROR "\n"
		"4 channels.combined 4\n4 channels.combined.max 8\n"
		"5 error %d \n",
		-EIO, -EOPNOTSUPP);
	assert_string_equal(f->got, want);
}

static void interrupted_dump(void **state)
{
	struct fixture *f = *state;
	struct nt_err err;
	char want[300];

	assert_int_equal(nt_ethnl_get(f->e, NT_ETH_PAUSE, 0, &f->links, note, f, &err), 0);
	snprintf(want, sizeof want, "2 pause.rx 1\n3 pause.rx 1\n4 pause.rx 1\n5 error %d \n",
		-ENODEV);
	assert_string_equal(f->got, want);
}

static void one_link(void **state)
{
	struct fixture *f = *state;
	struct nt_err err;

	assert_int_equal(
		nt_ethnl_get(f->e, NT_ETH_CHANNELS, 3, &f->links, note, f, &err), -EIO);
	assert_string_equal(err.kernel, DRIVER_ERROR);
	assert_non_null(strstr(err.msg, "'eth3'"));
	assert_string_equal(f->got, "");
}

static void group_newer_than_the_kernel(void **state)
{
	struct fixture *f = *state;
	struct nt_err err;

	assert_int_equal(nt_ethnl_get(f->e, NT_ETH_EEE, 0, &f->links, note, f, &err), -ENOSYS);
	assert_int_equal(nt_ethnl_get(f->e, NT_ETH_EEE, 2, &f->links, note, f, &err), -ENOSYS);
	assert_int_equal(nt_ethnl_set(f->e, NT_ETH_EEE, &f->link[0], NULL, 0, &err), -ENOSYS);
	/* and one that netlink is never asked for */
	assert_int_equal(nt_ethnl_get(f->e, NT_ETH_RSS, 0, &f->links, note, f, &err), -ENOSYS);
	assert_int_equal(nt_ethnl_set(f->e, NT_ETH_RSS, &f->link[0], NULL, 0, &err), -ENOSYS);
	assert_string_equal(f->got, "");
	/* one that it knows, and whose dump fails at once: each link says so */
	assert_int_equal(nt_ethnl_get(f->e, NT_ETH_FEC, 0, &f->links, note, f, &err), 0);
	assert_int_equal(strncmp(f->got, "2 error ", 8), 0);
}

static void what_was_not_switched_is_named(void **state)
{
	struct fixture *f = *state;
	struct nt_eth_val v[] = {
		{ .name = "feature.tx-first", .type = NT_ETH_SWITCH, .num = 1 },
		{ .name = "feature.rx-third", .type = NT_ETH_SWITCH, .num = 1 },
	};
	struct nt_err err;

	assert_int_equal(nt_ethnl_set(f->e, NT_ETH_FEATURES, &f->link[0], v, 2, &err),
		-EOPNOTSUPP);
	assert_non_null(strstr(err.msg, "'feature.tx-first' on"));
	assert_null(strstr(err.msg, "third"));
}

static void bad_values_are_not_sent(void **state)
{
	struct fixture *f = *state;
	struct nt_eth_val v = { .name = "channels.combined.max", .type = NT_ETH_INT, .num = 1 };
	struct nt_err err;

	assert_int_equal(nt_ethnl_set(f->e, NT_ETH_CHANNELS, &f->link[0], &v, 1, &err),
		-EINVAL);
	v.name = "channels.combined";
	v.num = -1;
	assert_int_equal(nt_ethnl_set(f->e, NT_ETH_CHANNELS, &f->link[0], &v, 1, &err),
		-EINVAL);
	v.num = 1LL << 32;
	assert_int_equal(nt_ethnl_set(f->e, NT_ETH_CHANNELS, &f->link[0], &v, 1, &err),
		-EINVAL);
	v.name = "pause.rx";
	assert_int_equal(nt_ethnl_set(f->e, NT_ETH_PAUSE, &f->link[0], &v, 1, &err), -EINVAL);
	v.name = "channels.rx";
	assert_int_equal(nt_ethnl_set(f->e, NT_ETH_LINKINFO, &f->link[0], &v, 1, &err),
		-EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(dump_that_ends_at_a_device, set_up, tear_down),
		cmocka_unit_test_setup_teardown(interrupted_dump, set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_link, set_up, tear_down),
		cmocka_unit_test_setup_teardown(group_newer_than_the_kernel, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_was_not_switched_is_named, set_up, tear_down),
		cmocka_unit_test_setup_teardown(bad_values_are_not_sent, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
