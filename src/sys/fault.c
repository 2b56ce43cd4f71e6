/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "fault.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "eth_table.h"
#include "nettune/mem.h"
#include "nettune/names.h"

struct wrap {
	struct nt_sys sys;
	struct nt_sys *under;
	struct nt_faults faults;
	unsigned long calls, hits;
	int log_fd;
};

static struct wrap *wrap_of(struct nt_sys *s)
{
	return (struct wrap *)(void *)s;
}

static bool is_change(const char *op)
{
	static const char *const changes[] = { "write", "eth_set", "link_set", "put_back",
		"qdisc_set" };
	size_t i;

	for (i = 0; i < NT_ARRAY_SIZE(changes); i++)
		if (!strcmp(op, changes[i]))
			return true;
	return false;
}

static bool matches(struct nt_fault *f, unsigned long call, const char *op, const char *subject)
{
	if (f->at)
		return f->at == call;
	if (strcmp(f->op, "change") ? !nt_glob(f->op, op) : !is_change(op))
		return false;
	if (f->subject && !nt_glob(f->subject, subject))
		return false;
	f->seen++;
	return !f->nth || f->nth == f->seen;
}

static void log_call(const struct wrap *w, const char *op, const char *subject)
{
	char line[512];
	int n = snprintf(line, sizeof line, "%lu %s %s\n", w->calls, op, subject);

	if (n > 0 && (size_t)n < sizeof line && write(w->log_fd, line, (size_t)n) < 0)
		return; /* a test sees that it is missing */
}

static void wait_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	while (nanosleep(&t, &t) < 0 && errno == EINTR)
		;
}

/*
 * Count the call and find its fault. With 0 the call goes on, and *ret_fault (may be NULL)
 * tells what is still to be done about it; otherwise it has failed.
 */
static int enter(struct nt_sys *s, const char *op, const char *subject,
	const struct nt_fault **ret_fault, struct nt_err *err)
{
	struct wrap *w = wrap_of(s);
	struct nt_fault *hit = NULL;
	size_t i;

	w->calls++;
	if (w->log_fd >= 0)
		log_call(w, op, subject);
	*ret_fault = NULL;
	for (i = 0; i < w->faults.n; i++)
		if (matches(&w->faults.v[i], w->calls, op, subject) && !hit)
			hit = &w->faults.v[i];
	if (!hit)
		return 0;
	w->hits++;
	if (hit->kind == NT_FAULT_KILL)
		raise(SIGKILL);
	if (hit->kind == NT_FAULT_HANG)
		wait_ms(hit->value);
	if (hit->code && (hit->kind == NT_FAULT_ERRNO || hit->kind == NT_FAULT_HANG)) {
		nt_err_sys(err, hit->code, "cannot %s '%s'", op, subject);
		nt_err_kernel(err, "injected fault");
		return hit->code;
	}
	*ret_fault = hit;
	return 0;
}

/* What comes after the call that returned r. */
static int leave(const struct nt_fault *f, int r, const char *op, struct nt_err *err)
{
	if (f && f->kind == NT_FAULT_KILLED)
		raise(SIGKILL);
	if (r || !f || f->kind != NT_FAULT_DONE)
		return r;
	nt_err_sys(err, f->code, "cannot %s", op);
	nt_err_kernel(err, "injected fault");
	return f->code;
}

static bool ignored(const struct nt_fault *f)
{
	return f && f->kind == NT_FAULT_IGNORE;
}

/* ---- reading ---- */

#define LISTING(op, type)                                                                \
	static int fault_##op(struct nt_sys *s, struct type *ret, struct nt_err *err)    \
	{                                                                                \
		const struct nt_fault *f;                                                \
		int r = enter(s, #op, "", &f, err);                                      \
                                                                                         \
		if (r || ignored(f))                                                     \
			return r;                                                        \
		r = wrap_of(s)->under->ops->op(wrap_of(s)->under, ret, err);             \
		return leave(f, r, #op, err);                                            \
	}

LISTING(links, nt_links)
LISTING(qdiscs, nt_qdiscs)
LISTING(addrs, nt_addrs)
LISTING(routes, nt_routes)

static int fault_sockets(struct nt_sys *s, unsigned states, nt_sock_fn *fn, void *arg,
	struct nt_err *err)
{
	struct nt_sys *u = wrap_of(s)->under;
	const struct nt_fault *f;
	int r = enter(s, "sockets", "", &f, err);

	if (r || ignored(f))
		return r;
	return leave(f, u->ops->sockets(u, states, fn, arg, err), "list TCP sockets", err);
}

/* Hands on what is not of the failing device, and its failure once. */
struct device_arg {
	nt_eth_fn *fn;
	void *arg;
	int ifindex;
};

static void pass_others(void *arg, int ifindex, const struct nt_eth_val *val,
	const struct nt_err *err)
{
	struct device_arg *d = arg;

	if (ifindex != d->ifindex)
		d->fn(d->arg, ifindex, val, err);
}

static int fault_eth_get(struct nt_sys *s, enum nt_eth what, int ifindex,
	const struct nt_links *links, nt_eth_fn *fn, void *arg, struct nt_err *err)
{
	const struct nt_eth_group *g = nt_eth_group(what);
	struct nt_sys *u = wrap_of(s)->under;
	struct device_arg d = { .fn = fn, .arg = arg };
	const struct nt_link *l = NULL;
	const struct nt_fault *f;
	struct nt_err e;
	int r;

	r = enter(s, "eth_get", g ? g->name : "", &f, err);
	if (r || ignored(f))
		return r;
	if (f && f->kind == NT_FAULT_DEVICE && links)
		l = nt_links_by_name(links, f->device);
	if (!l || (ifindex && ifindex != l->ifindex)) {
		r = u->ops->eth_get(u, what, ifindex, links, fn, arg, err);
		return leave(f, r, "eth_get", err);
	}
	nt_err_sys(&e, f->code, "cannot read %s of '%s'", g ? g->what : "", l->name);
	if (ifindex) {
		if (err)
			*err = e;
		return e.code;
	}
	d.ifindex = l->ifindex;
	r = u->ops->eth_get(u, what, 0, links, pass_others, &d, err);
	if (!r)
		fn(arg, l->ifindex, NULL, &e);
	return r;
}

static int fault_drvinfo(struct nt_sys *s, const struct nt_link *link, struct nt_drvinfo *ret,
	struct nt_err *err)
{
	struct nt_sys *u = wrap_of(s)->under;
	const struct nt_fault *f;
	int r = enter(s, "drvinfo", link->name, &f, err);

	if (r)
		return r;
	return leave(f, u->ops->eth_drvinfo(u, link, ret, err), "read the driver", err);
}

static int fault_link_name(struct nt_sys *s, const char *name, char ret[NT_IFNAMSIZ],
	struct nt_err *err)
{
	struct nt_sys *u = wrap_of(s)->under;
	const struct nt_fault *f;
	int r = enter(s, "link_name", name, &f, err);

	if (r)
		return r;
	return leave(f, u->ops->link_name(u, name, ret, err), "look for a link", err);
}

static int fault_stats(struct nt_sys *s, const struct nt_link *link, unsigned n, nt_stat_fn *fn,
	void *arg, struct nt_err *err)
{
	struct nt_sys *u = wrap_of(s)->under;
	const struct nt_fault *f;
	int r = enter(s, "stats", link->name, &f, err);

	if (r || ignored(f))
		return r;
	return leave(f, u->ops->eth_stats(u, link, n, fn, arg, err), "read counters", err);
}

static int fault_read(struct nt_sys *s, const char *path, struct nt_buf *ret,
	struct nt_err *err)
{
	struct nt_sys *u = wrap_of(s)->under;
	const struct nt_fault *f;
	int r = enter(s, "read", path, &f, err);

	if (r || ignored(f))
		return r;
	return leave(f, u->ops->read(u, path, ret, err), "read", err);
}

static int fault_list(struct nt_sys *s, const char *path, nt_dir_fn *fn, void *arg,
	struct nt_err *err)
{
	struct nt_sys *u = wrap_of(s)->under;
	const struct nt_fault *f;
	int r = enter(s, "list", path, &f, err);

	if (r || ignored(f))
		return r;
	return leave(f, u->ops->list(u, path, fn, arg, err), "list", err);
}

static int fault_readlink(struct nt_sys *s, const char *path, char *ret, size_t size,
	struct nt_err *err)
{
	struct nt_sys *u = wrap_of(s)->under;
	const struct nt_fault *f;
	int r = enter(s, "readlink", path, &f, err);

	if (r)
		return r;
	return leave(f, u->ops->readlink(u, path, ret, size, err), "read link", err);
}

/* ---- changing ---- */

static int fault_write(struct nt_sys *s, const char *path, const void *data, size_t len,
	struct nt_err *err)
{
	struct nt_sys *u = wrap_of(s)->under;
	const struct nt_fault *f;
	char other[32];
	int r = enter(s, "write", path, &f, err);

	if (r || ignored(f))
		return r;
	if (f && f->kind == NT_FAULT_SHORT) {
		r = u->ops->write(u, path, data, len / 2, err);
		return r ? r : nt_err_set(err, -EIO, "short write to '%s': %zu of %zu bytes",
				       path, len / 2, len);
	}
	if (f && f->kind == NT_FAULT_CLAMP) {
		snprintf(other, sizeof other, "%ld", f->value);
		return u->ops->write(u, path, other, strlen(other), err);
	}
	return leave(f, u->ops->write(u, path, data, len, err), "write", err);
}

static int fault_eth_set(struct nt_sys *s, enum nt_eth what, const struct nt_link *link,
	const struct nt_eth_val *vals, size_t n, struct nt_err *err)
{
	struct nt_sys *u = wrap_of(s)->under;
	struct nt_eth_val *other;
	const struct nt_fault *f;
	char subject[128];
	size_t i;
	int r;

	snprintf(subject, sizeof subject, "%s %s", link->name, n ? vals[0].name : "");
	r = enter(s, "eth_set", subject, &f, err);
	if (r || ignored(f))
		return r;
	if (!f || f->kind != NT_FAULT_CLAMP)
		return leave(f, u->ops->eth_set(u, what, link, vals, n, err), "set", err);
	other = nt_calloc(n + 1, sizeof *other);
	for (i = 0; i < n; i++) {
		other[i] = vals[i];
		if (vals[i].type == NT_ETH_INT)
			other[i].num = f->value;
	}
	r = u->ops->eth_set(u, what, link, other, n, err);
	free(other);
	return r;
}

static int fault_link_set(struct nt_sys *s, int ifindex, const struct nt_link_change *change,
	struct nt_err *err)
{
	struct nt_sys *u = wrap_of(s)->under;
	struct nt_link_change c = *change;
	const struct nt_fault *f;
	char subject[48];
	int r;

	snprintf(subject, sizeof subject, "#%d %s", ifindex,
		change->set_mtu ? "mtu" : "txqueuelen");
	r = enter(s, "link_set", subject, &f, err);
	if (r || ignored(f))
		return r;
	if (f && f->kind == NT_FAULT_CLAMP)
		c.mtu = c.txqueuelen = (unsigned)f->value;
	return leave(f, u->ops->link_set(u, ifindex, &c, err), "set", err);
}

static int fault_put_back(struct nt_sys *s, enum nt_put_back what, const void *msg, size_t len,
	struct nt_err *err)
{
	struct nt_sys *u = wrap_of(s)->under;
	const struct nt_fault *f;
	int r = enter(s, "put_back", what == NT_PUT_ADDR ? "addr" : "route", &f, err);

	if (r || ignored(f))
		return r;
	return leave(f, u->ops->put_back(u, what, msg, len, err), "put back", err);
}

static int fault_qdisc_set(struct nt_sys *s, int ifindex, uint32_t handle, const char *kind,
	const void *options, size_t options_len, struct nt_err *err)
{
	struct nt_sys *u = wrap_of(s)->under;
	const struct nt_fault *f;
	char subject[48];
	int r;

	snprintf(subject, sizeof subject, "#%d %.24s", ifindex, kind);
	r = enter(s, "qdisc_set", subject, &f, err);
	if (r || ignored(f))
		return r;
	r = u->ops->qdisc_set(u, ifindex, handle, kind, options, options_len, err);
	return leave(f, r, "set", err);
}

/* ---- the wrapper ---- */

static const char *fault_eth_path(const struct nt_sys *s)
{
	return nt_sys_eth_path(((const struct wrap *)(const void *)s)->under);
}

static void fault_free(struct nt_sys *s)
{
	struct wrap *w = wrap_of(s);

	nt_sys_free(w->under);
	nt_faults_free(&w->faults);
	if (w->log_fd >= 0)
		close(w->log_fd);
	free(w);
}

static const struct nt_sys_ops fault_ops = {
	.links = fault_links,
	.link_name = fault_link_name,
	.qdiscs = fault_qdiscs,
	.addrs = fault_addrs,
	.routes = fault_routes,
	.sockets = fault_sockets,
	.eth_get = fault_eth_get,
	.eth_drvinfo = fault_drvinfo,
	.eth_stats = fault_stats,
	.eth_set = fault_eth_set,
	.link_set = fault_link_set,
	.put_back = fault_put_back,
	.qdisc_set = fault_qdisc_set,
	.read = fault_read,
	.write = fault_write,
	.list = fault_list,
	.readlink = fault_readlink,
	.eth_path = fault_eth_path,
	.free = fault_free,
};

struct nt_sys *nt_sys_fault(struct nt_sys *under, const char *spec, struct nt_err *err)
{
	struct wrap *w = nt_calloc(1, sizeof *w);

	w->sys.ops = &fault_ops;
	w->log_fd = -1;
	if (nt_faults_parse(spec, &w->faults, err) < 0)
		goto failed;
	if (w->faults.log) {
		w->log_fd = open(w->faults.log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
		if (w->log_fd < 0) {
			nt_err_sys(err, -errno, "cannot open '%s'", w->faults.log);
			goto failed;
		}
	}
	w->under = under;
	return &w->sys;
failed:
	fault_free(&w->sys);
	return NULL;
}

unsigned long nt_sys_fault_calls(const struct nt_sys *s)
{
	return ((const struct wrap *)(const void *)s)->calls;
}

unsigned long nt_sys_fault_hits(const struct nt_sys *s)
{
	return ((const struct wrap *)(const void *)s)->hits;
}
